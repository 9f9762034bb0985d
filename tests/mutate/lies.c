/* SPDX-License-Identifier: Apache-2.0 */
#include "lies.h"

#include <stdlib.h>
#include <string.h>

enum form { UNSIGNED, SIGNED, BYTE }; /* as it is written */

/* What a number in a proof is of: those of one kind can stand for each other. */
enum what {
	COUNT,
	PLACE,
	REGISTER,
	SLOT,
	KIND,
	REGION,
	MASK,
	SIZE,
	RIGHTS,
	BLOCK,
	VIEW,
	STEP,
	FRAME,
	WHICH,
	BOUND,
	BOUND_SIGNED,
	BITS,
	WIDTH,
	GROUP,
	GHOST,
	LOOP,
	CURSOR,
	ALONE,
	AHEAD,
	ADD,
	MODULUS,
	MIXED,
	SCALE
};

struct token {
	uint64_t value;
	uint8_t form, what;
};

/* Tokens from … to - 1, and the one that counts them among their like (its index plus one), if any does. */
struct range {
	size_t from, to, count;
};

struct text {
	const uint8_t *at, *end;
	struct token *token;
	struct range *facts, *claims;
	size_t n, n_facts, n_claims;
	uint8_t version;
	bool bad;
};

/* ---- Reading ---- */

static uint64_t take(struct text *t, enum what what, enum form form)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte = 0;
	do {
		if (t->at == t->end) {
			t->bad = true;
			return 0;
		}
		byte = *t->at++;
		v |= form == BYTE ? byte : shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		shift += 7;
	} while (form != BYTE && (byte & 0x80));
	if (form == SIGNED && shift < 64 && (byte & 0x40))
		v |= UINT64_MAX << shift;
	t->token[t->n++] = (struct token){v, form, what};
	return v;
}

static void take_loc(struct text *t)
{
	if (take(t, REGISTER, BYTE) == 16)
		take(t, SLOT, UNSIGNED);
}

static void take_facts(struct text *t)
{
	size_t from = t->n;
	uint64_t which = take(t, WHICH, UNSIGNED);
	for (unsigned i = 0; i < 4; i++) {
		if (which >> i & 1) {
			take(t, i & 1 ? BOUND_SIGNED : BOUND, i & 1 ? SIGNED : UNSIGNED);
			take(t, i & 1 ? BOUND_SIGNED : BOUND, i & 1 ? SIGNED : UNSIGNED);
		}
	}
	if (which & 16)
		take(t, BITS, UNSIGNED), take(t, BITS, UNSIGNED);
	if (which & 32)
		take(t, WIDTH, BYTE);
	if (which & 64)
		take(t, GROUP, UNSIGNED), take(t, ADD, SIGNED);
	if (which & 128)
		take(t, GHOST, UNSIGNED), take(t, ADD, SIGNED);
	if (which & 256)
		take(t, MODULUS, UNSIGNED), take(t, MODULUS, UNSIGNED);
	if (which & 512)
		take(t, CURSOR, BYTE), take(t, AHEAD, UNSIGNED);
	t->facts[t->n_facts++] = (struct range){from, t->n, 0};
}

static void take_claims(struct text *t)
{
	size_t count = t->n + 1;
	for (uint64_t n = take(t, COUNT, UNSIGNED); n && !t->bad; n--) {
		size_t from = t->n;
		take_loc(t);
		switch (take(t, KIND, BYTE)) {
		case 1: take(t, REGISTER, BYTE); break;
		case 2: take_facts(t); break;
		case 3: take(t, REGION, BYTE), take_facts(t); break;
		case 4: take(t, MASK, BYTE); break;
		default: break;
		}
		t->claims[t->n_claims++] = (struct range){from, t->n, count};
	}
}

static void take_cursors(struct text *t)
{
	for (uint64_t n = t->version > 1 ? take(t, COUNT, UNSIGNED) : 0; n && !t->bad; n--) {
		take(t, LOOP, UNSIGNED);
		for (uint64_t k = take(t, COUNT, UNSIGNED); k && !t->bad; k--)
			take(t, LOOP, UNSIGNED), take(t, ALONE, BYTE);
	}
}

static void take_function(struct text *t)
{
	take(t, PLACE, UNSIGNED), take(t, MASK, UNSIGNED);
	for (uint64_t n = take(t, COUNT, UNSIGNED); n && !t->bad; n--)
		take(t, SIZE, UNSIGNED), take(t, RIGHTS, BYTE);
	take_claims(t);
	for (uint64_t n = take(t, COUNT, UNSIGNED); n && !t->bad; n--) {
		take(t, BLOCK, UNSIGNED), take(t, BLOCK, UNSIGNED), take(t, VIEW, BYTE);
		take_loc(t);
		take(t, STEP, SIGNED);
		for (uint64_t k = take(t, COUNT, UNSIGNED); k && !t->bad; k--)
			take_loc(t), take(t, STEP, SIGNED);
	}
	take_cursors(t);
	for (uint64_t n = take(t, COUNT, UNSIGNED); n && !t->bad; n--) {
		take(t, PLACE, UNSIGNED);
		if (take(t, FRAME, UNSIGNED) & 1)
			take(t, MASK, UNSIGNED);
		take_claims(t);
		for (uint64_t k = take(t, COUNT, UNSIGNED); k && !t->bad; k--) {
			take_loc(t), take_loc(t), take(t, MIXED, BYTE), take(t, SCALE, SIGNED);
			take_facts(t);
		}
	}
}

/* ---- Lying ---- */

static uint64_t other_number(const struct text *t, size_t i, uint64_t r)
{
	const struct token *k = &t->token[i];
	uint64_t v = k->value, little = 1 + (r >> 8 & 3);
	switch (r & 15) {
	case 0:
	case 1: return v + 1;
	case 2:
	case 3: return v - 1;
	case 4: return v + little * 4;
	case 5: return v - little * 4;
	case 6: return v >> 1;
	case 7: return v << 1;
	case 8: return 0 - v;
	case 9: return 0;
	case 10: return k->form == BYTE ? r >> 8 & 7 : (UINT64_C(1) << (r >> 8 & 63)) - (r >> 16 & 1);
	case 11: return v ^ UINT64_C(1) << (r >> 8 & (k->what == MASK || k->what == WHICH ? 15 : 63));
	default: break;
	}
	for (size_t n = 0, from = (r >> 8) % t->n; n < t->n; n++) { /* one of its kind from elsewhere */
		const struct token *other = &t->token[(from + n) % t->n];
		if (other->what == k->what && other->value != v)
			return other->value;
	}
	return v + 1;
}

/*
 * Put in place of tokens from … to - 1 those of `with`; what was counted after them stays where it is, so this is the
 * last change.
 */
static void replace(struct text *t, const struct range *was, const struct token *with, size_t n)
{
	memmove(t->token + was->from + n, t->token + was->to, (t->n - was->to) * sizeof(*t->token));
	memcpy(t->token + was->from, with, n * sizeof(*with));
	t->n = t->n - (was->to - was->from) + n;
}

/* A claim is left out, or made of the next register, or has the facts of another; or facts are none, or another's. */
static void change_whole(struct text *t, uint64_t r)
{
	const struct range *claim = &t->claims[(r >> 8) % t->n_claims], *facts = &t->facts[(r >> 8) % t->n_facts],
			   *other = &t->facts[(r >> 32) % t->n_facts];
	struct token copy[64], none = {0, UNSIGNED, WHICH};
	size_t n = other->to - other->from;
	switch (r & 7) {
	case 0:
	case 1:
		t->token[claim->count - 1].value--;
		replace(t, claim, &none, 0);
		break;
	case 2: t->token[claim->from].value++; break;
	case 3: replace(t, facts, &none, 1); break;
	default:
		memcpy(copy, t->token + other->from, n * sizeof(*copy));
		replace(t, facts, copy, n);
		break;
	}
}

/* ---- Writing ---- */

static void write_token(struct ward_buf *out, const struct token *k)
{
	uint64_t v = k->value;
	uint8_t byte;
	bool last;
	do {
		byte = k->form == BYTE ? (uint8_t)v : v & 0x7f;
		v = k->form == SIGNED ? (uint64_t)((int64_t)v >> 7) : v >> 7;
		last = k->form == BYTE || (k->form == SIGNED ? v == (byte & 0x40 ? UINT64_MAX : 0) : v == 0);
		byte |= last ? 0 : 0x80;
		buf_append(out, &byte, 1);
	} while (!last);
}

static void write_proof(struct ward_buf *file, const struct text *t, const uint8_t *header)
{
	struct ward_buf proof = {0};
	buf_append(&proof, header, 13);
	for (size_t i = 0; i < t->n; i++)
		write_token(&proof, &t->token[i]);
	set_proof(file, proof.data, proof.size);
	reseal(file);
	free(proof.data);
}

bool proof_lie(struct ward_buf *file, uint64_t (*draw)(void *), void *user)
{
	struct part p = part_section(file, ".ward.proof");
	if (p.size <= 13 || p.offset + p.size > file->size)
		return false;
	uint8_t header[13];
	memcpy(header, file->data + p.offset, sizeof(header));
	struct text t = {.at = file->data + p.offset + 13, .end = file->data + p.offset + p.size, .version = header[4]};
	t.token = malloc((p.size + 64) * sizeof(*t.token)); /* each has a byte */
	t.facts = malloc(p.size * sizeof(*t.facts));
	t.claims = malloc(p.size * sizeof(*t.claims));
	if (!t.token || !t.facts || !t.claims)
		abort();
	for (uint64_t n = take(&t, COUNT, UNSIGNED); n && !t.bad; n--)
		take_function(&t);
	bool good = !t.bad && t.at == t.end && t.n_claims && t.n_facts;
	if (good) {
		uint64_t kind = draw(user);
		for (uint64_t n = kind >> 8 & 3; n > 0; n--) {
			uint64_t r = draw(user);
			size_t i = (r >> 32) % t.n;
			/* the grammar would have more, or less, to follow */
			if (t.token[i].what != COUNT && t.token[i].what != WHICH)
				t.token[i].value = other_number(&t, i, r);
		}
		if (!(kind >> 8 & 3) || kind & 1)
			change_whole(&t, draw(user));
		write_proof(file, &t, header);
	}
	free(t.token);
	free(t.facts);
	free(t.claims);
	return good;
}
