/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A large module consists of many copies of proven functions. Code is copied unchanged, because branches are relative
 * and nothing else depends on the address. All bytes of a function's proof stay the same, except the addresses of the
 * function and of its blocks. The parsed form of the proof gives their positions, because a block's header precedes
 * its claims.
 */
#include "grow.h"

#include <stdlib.h>
#include <string.h>

#include "tests/verifier/build_module.h"
#include "verifier/proof/proof.h"

enum { MAX_BLOCKS = 400, SEALED_FROM = 13, ALIGN = 16, MAX_STATE = 1 << 20 };

/* Bytes of the proof that stay, and the block whose header follows them. */
struct piece {
	size_t from, to;
	uint64_t addr, depth, n_claims;
};

struct function {
	uint8_t *text, *proof;
	size_t text_size, proof_size;
	struct piece *pieces;
	size_t n_pieces;
};

struct stock {
	struct function *f;
	size_t n;
};

static size_t uleb(uint8_t *to, uint64_t v)
{
	size_t n = 0;
	do {
		to[n++] = (uint8_t)((v & 127) | (v > 127 ? 128 : 0));
		v >>= 7;
	} while (v);
	return n;
}

/* The header of a block as it stands before its claims. Its length, or 0 if it isn't there. */
static size_t header_length(const struct wv_block *b, const uint8_t *at, const uint8_t *end)
{
	uint8_t bytes[30];
	size_t n = uleb(bytes, b->addr);
	n += uleb(bytes + n, b->depth);
	n += uleb(bytes + n, b->n_claims);
	return (size_t)(end - at) >= n && memcmp(at, bytes, n) == 0 ? n : 0;
}

/* Do the block's claims stand at `at`, encoded? */
static bool claims_stand_at(const struct wv_block *b, const uint8_t *at, const uint8_t *end)
{
	static struct wv_facts facts[WV_MAX_CLAIMS + 1];
	struct wv_claim_reader reader;
	struct wv_claim claim;
	struct wv_bytes rest = {at, (size_t)(end - at)};
	wv_claim_reader_init(&reader, facts);
	for (uint32_t i = 0; i < b->n_claims; i++) {
		const struct wv_claim *is = &b->claims[i];
		if (!wv_claim_read(&reader, &rest, &claim) || claim.loc.reg != is->loc.reg ||
			claim.loc.slot != is->loc.slot || claim.kind != is->kind ||
			!wv_num_within(&claim.facts->n, &is->facts->n) ||
			!wv_num_within(&is->facts->n, &claim.facts->n))
			return false;
	}
	return true;
}

/* The block's header, from `at` on. */
static const uint8_t *find_header(const struct wv_block *b, const uint8_t *at, const uint8_t *end)
{
	for (; at < end; at++) {
		size_t n = header_length(b, at, end);
		if (n && claims_stand_at(b, at + n, end))
			return at;
	}
	return NULL;
}

/* Cut the proof of the only function at the headers of its blocks. */
static bool cut(struct function *out, const struct wv_function *f, const uint8_t *proof, size_t size)
{
	size_t at = SEALED_FROM + 2; /* after the number of functions and the entry, one byte each */
	out->pieces = calloc(f->n_blocks, sizeof(*out->pieces));
	out->proof = malloc(size);
	if (!out->pieces || !out->proof)
		return false;
	memcpy(out->proof, proof, size);
	out->proof_size = size;
	for (uint32_t i = 0; i < f->n_blocks; i++) {
		const struct wv_block *b = &f->blocks[i];
		const uint8_t *header = find_header(b, proof + at, proof + size);
		if (!header)
			return false;
		out->pieces[i] = (struct piece){at, (size_t)(header - proof), b->addr, b->depth, b->n_claims};
		at = (size_t)(header - proof) + header_length(b, header, proof + size);
	}
	out->n_pieces = f->n_blocks;
	return true;
}

static bool take(struct function *out, const struct wv_module *m)
{
	struct wv_sink sink = {0};
	struct wv_proof p;
	void *arena = malloc(wv_proof_arena(m));
	bool ok = arena && !m->rodata.memsz && !m->data.memsz && m->state_size <= MAX_STATE &&
		  wv_proof_parse(&p, m, arena, &sink) && p.n_functions == 1 && p.functions[0].entry == 0 &&
		  p.functions[0].n_blocks <= MAX_BLOCKS && cut(out, &p.functions[0], m->proof.p, m->proof.n);
	out->text = ok ? malloc(m->text_bytes.n + ALIGN) : NULL;
	if (out->text) {
		memset(out->text, 0xcc, m->text_bytes.n + ALIGN);
		memcpy(out->text, m->text_bytes.p, m->text_bytes.n);
		out->text_size = (m->text_bytes.n + ALIGN - 1) / ALIGN * ALIGN;
	}
	free(arena);
	return out->text != NULL;
}

static void function_free(struct function *f)
{
	free(f->text);
	free(f->proof);
	free(f->pieces);
}

bool stock_add(struct stock **stock, const uint8_t *module, size_t size)
{
	struct wv_sink sink = {0};
	struct wv_module m;
	struct function f = {0}, *grown;
	if (!*stock)
		*stock = calloc(1, sizeof(**stock));
	if (!*stock || !wv_module_parse(&m, module, size, UINT32_MAX, &sink))
		return false;
	grown = take(&f, &m) ? realloc((*stock)->f, ((*stock)->n + 1) * sizeof(f)) : NULL;
	if (!grown) {
		function_free(&f);
		return false;
	}
	(*stock)->f = grown;
	grown[(*stock)->n++] = f;
	return true;
}

size_t stock_functions(const struct stock *stock)
{
	return stock ? stock->n : 0;
}

size_t stock_bytes(const struct stock *stock)
{
	size_t n = 0;
	for (size_t i = 0; stock && i < stock->n; i++)
		n += stock->f[i].text_size;
	return n;
}

void stock_free(struct stock *stock)
{
	for (size_t i = 0; stock && i < stock->n; i++)
		function_free(&stock->f[i]);
	if (stock)
		free(stock->f);
	free(stock);
}

/* The proof of a copy that starts at text offset `at`. */
static void put_function(struct bm_bytes *proof, const struct function *f, uint64_t at)
{
	bm_put_uleb(proof, at);
	for (size_t i = 0; i < f->n_pieces; i++) {
		const struct piece *p = &f->pieces[i];
		bm_put(proof, f->proof + p->from, p->to - p->from);
		bm_put_uleb(proof, p->addr + at);
		bm_put_uleb(proof, p->depth);
		bm_put_uleb(proof, p->n_claims);
	}
	/* The last block's claims and what follows them. */
	const struct piece *last = &f->pieces[f->n_pieces - 1];
	uint8_t header[30];
	size_t n = uleb(header, last->addr);
	n += uleb(header + n, last->depth);
	n += uleb(header + n, last->n_claims);
	bm_put(proof, f->proof + last->to + n, f->proof_size - last->to - n);
}

uint8_t *stock_module(const struct stock *stock, size_t text, size_t *next, size_t *size)
{
	struct bm_bytes code = {0}, functions = {0}, proof = {0};
	struct bm_entry entry = {.name = "first"};
	size_t n = 0;
	for (const struct function *f = &stock->f[*next % stock->n]; code.n == 0 || code.n + f->text_size <= text;
		n++) {
		put_function(&functions, f, code.n);
		bm_put(&code, f->text, f->text_size);
		f = &stock->f[++*next % stock->n];
	}
	bm_put_uleb(&proof, n);
	bm_put(&proof, functions.p, functions.n);
	struct bm_module m = {.text = code.p,
		.text_size = code.n,
		.state_size = MAX_STATE,
		.entries = &entry,
		.n_entries = 1,
		.proof = proof.p,
		.proof_size = proof.n};
	struct bm_file file = bm_build(&m);
	uint8_t *copy = malloc(file.size);
	*size = file.size;
	if (copy)
		memcpy(copy, file.data, file.size);
	bm_free(&file);
	bm_bytes_free(&code);
	bm_bytes_free(&functions);
	bm_bytes_free(&proof);
	return copy;
}
