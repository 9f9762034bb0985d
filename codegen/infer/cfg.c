/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds blocks by following branches from the entry, then orders them as the proof wants: forward branches go up, and
 * loops are consecutive and nest.
 *
 * The order comes from strongly connected components, taken in topological order. Each component with a cycle is a
 * loop, whose head is the block where the loop is entered. Without the edges back to the head, the loop's inside is
 * ordered the same way again, which finds the loops within it.
 *
 * If a cycle is entered at several blocks, no head is right. One of them is taken, and the verifier rejects the edge
 * that enters past it (V-61).
 */
#include "cfg.h"

#include <stdlib.h>
#include <string.h>

bool grow(void *array, uint32_t n, uint32_t *cap, size_t size)
{
	if (n < *cap)
		return true;
	uint32_t want = *cap ? *cap * 2 : 16;
	void **p = array, *q = realloc(*p, want * size);
	if (!q)
		return false;
	*p = q;
	*cap = want;
	return true;
}

/* ---- decoding ---- */

/* The instruction at a text offset, decoded once. NULL: none that the verifier permits (or no memory). */
static struct wv_insn *insn_at(struct code *c, uint64_t at, uint32_t *index)
{
	if (at >= c->m->text_bytes.n)
		return NULL;
	if (!c->at[at]) {
		const char *why;
		if (c->n_insns == c->cap) {
			size_t cap = c->cap ? c->cap * 2 : 256;
			struct wv_insn *p = realloc(c->insns, cap * sizeof *p);
			if (!p)
				return NULL;
			c->insns = p;
			c->cap = cap;
		}
		struct wv_insn *i = &c->insns[c->n_insns];
		if (wv_decode(c->m->text_bytes.p + at, c->m->text_bytes.n - at, c->m->text.addr + at, i, &why) !=
			WV_DECODED)
			return NULL;
		c->at[at] = (uint32_t)++c->n_insns;
	}
	*index = c->at[at] - 1;
	return &c->insns[*index];
}

static bool ends_flow(const struct wv_insn *i)
{
	return i->op == WV_JMP || i->op == WV_JMP_REG || i->op == WV_JMP_SLOT || i->op == WV_RET || i->op == WV_UD2 ||
	       i->op == WV_INT3;
}

/* ---- jumps through tables ---- */

enum { MAX_CASES = 1 << 14 }; /* the verifier reports what is wrong with more */

void begin_cases(struct cases *c, uint64_t jump)
{
	c->n_lists++;
	for (uint32_t i = c->first[jump]; i; i = c->v[i - 1].next)
		c->noted[c->v[i - 1].to] = c->n_lists;
}

bool add_case(struct cases *c, uint64_t jump, uint64_t to)
{
	if (c->noted[to] == c->n_lists || c->n == MAX_CASES)
		return true;
	c->noted[to] = c->n_lists;
	if (!grow(&c->v, c->n, &c->cap, sizeof *c->v))
		return false;
	c->v[c->n] = (struct table_case){to, c->first[jump]};
	c->first[jump] = ++c->n;
	c->grew = true;
	return true;
}

/* The cases of the jump at a text offset, one after another: *i is 0 at the start and after the last. */
static const struct table_case *next_case(const struct cases *c, uint64_t jump, uint32_t *i)
{
	*i = *i ? c->v[*i - 1].next : c->first[jump];
	return *i ? &c->v[*i - 1] : NULL;
}

/* ---- blocks ---- */

struct finder {
	struct code *code;
	struct function *f;
	uint32_t build; /* this one */
};

static bool is_block(const struct finder *d, uint64_t addr)
{
	return d->code->marks[addr].block_by == d->build;
}

/* The number of the block that starts at `addr`. */
static uint32_t number_of(const struct finder *d, uint64_t addr)
{
	return d->code->marks[addr].block;
}

static bool add_block(struct finder *d, uint64_t addr)
{
	struct function *f = d->f;
	if (addr >= d->code->m->text_bytes.n || is_block(d, addr))
		return true;
	if (!grow(&f->blocks, f->n_blocks, &f->cap_blocks, sizeof *f->blocks))
		return false;
	d->code->marks[addr].block_by = d->build;
	d->code->marks[addr].block = f->n_blocks;
	f->blocks[f->n_blocks++] = (struct block){.addr = addr};
	return true;
}

static bool is_tail_call(const struct finder *d, const struct wv_insn *i)
{
	uint64_t target = i->target - d->code->m->text.addr;
	return (i->op == WV_JCC || i->op == WV_JMP) && target < d->code->m->text_bytes.n && target != d->f->entry &&
	       d->code->is_function[target];
}

/* No compiler has a table lead to another function; the verifier will say so. */
static bool is_other_function(const struct finder *d, uint64_t addr)
{
	return addr != d->f->entry && d->code->is_function[addr];
}

static bool add_cases(struct finder *d, uint64_t jump)
{
	uint32_t i = 0;
	const struct table_case *c;
	while ((c = next_case(d->code->cases, jump, &i))) {
		if (!is_other_function(d, c->to) && !add_block(d, c->to))
			return false;
	}
	return true;
}

/* Walk from each block found so far over all that flows from it; branch targets become blocks. */
static bool find_blocks(struct finder *d)
{
	for (uint32_t b = 0; b < d->f->n_blocks; b++) {
		uint64_t at = d->f->blocks[b].addr;
		struct wv_insn *i;
		uint32_t index;
		while (at < d->code->m->text_bytes.n && d->code->marks[at].seen_by != d->build &&
			(i = insn_at(d->code, at, &index))) {
			d->code->marks[at].seen_by = d->build;
			if (d->code->splits[at] == SPLIT && !add_block(d, at))
				return false;
			uint64_t next = at + i->length;
			bool ends = ends_flow(i);
			if ((i->op == WV_JCC || i->op == WV_JMP) && !is_tail_call(d, i) &&
				!add_block(d, i->target - d->code->m->text.addr))
				return false;
			if (i->op == WV_JMP_REG && !add_cases(d, at))
				return false;
			if (ends)
				break;
			at = next;
		}
	}
	return true;
}

static bool add_out(struct function *f, struct block *b, uint32_t insn, uint32_t to, enum out_kind kind)
{
	if (!grow(&f->outs, f->n_outs, &f->cap_outs, sizeof *f->outs))
		return false;
	f->outs[f->n_outs++] = (struct out){insn, to, (uint8_t)kind};
	b->n_outs++;
	return true;
}

static bool add_case_outs(struct finder *d, struct block *b, uint32_t insn, uint64_t jump)
{
	uint32_t i = 0;
	const struct table_case *c;
	while ((c = next_case(d->code->cases, jump, &i))) {
		if (!is_other_function(d, c->to) && !add_out(d->f, b, insn, number_of(d, c->to), OUT_CASE))
			return false;
	}
	return true;
}

/* The instructions of a block and its exits, now that all blocks are known. */
static bool fill_block(struct finder *d, struct block *b)
{
	struct wv_insn *i;
	uint32_t index = 0;
	uint64_t at = b->addr, text = d->code->m->text.addr, size = d->code->m->text_bytes.n;
	b->first_out = d->f->n_outs;
	while ((i = insn_at(d->code, at, &index))) {
		if (b->n++ == 0)
			b->first = index;
		uint64_t target = i->target - text;
		if (is_tail_call(d, i)) {
			if (!add_out(d->f, b, index, (uint32_t)(b - d->f->blocks), OUT_TAIL))
				return false;
		} else if ((i->op == WV_JCC || i->op == WV_JMP) && target < size &&
			   !add_out(d->f, b, index, number_of(d, target), i->op == WV_JCC ? OUT_TAKEN : OUT_JUMP))
			return false;
		if (i->op == WV_JMP_REG && !add_case_outs(d, b, index, at))
			return false;
		if (ends_flow(i))
			break;
		at += i->length;
		if (at < size && is_block(d, at))
			return add_out(d->f, b, index, number_of(d, at), OUT_FALL);
	}
	return true;
}

/* ---- order: Tarjan's components, without recursion, again inside each ---- */

struct order {
	struct function *f;
	uint32_t *number, *low; /* Tarjan's; 0: not visited */
	uint32_t *member;       /* which component call a block belongs to */
	uint8_t *on_stack;
	uint32_t *stack, n_stack;
	struct {
		uint32_t block, out;
	} *path;
	uint32_t *result; /* blocks in order */
	uint32_t n_result, next, next_set;
	bool no_memory;
};

struct set {
	uint32_t *blocks, n, head; /* edges to head don't count; head is UINT32_MAX at the top */
};

static bool is_edge(const struct order *o, const struct out *out, uint32_t set_id, uint32_t head)
{
	return out->kind != OUT_TAIL && o->member[out->to] == set_id && out->to != head;
}

/*
 * Components of the blocks with member == set_id reachable from `root`, popped in reverse topological order onto
 * `found` (component sizes in sizes).
 */
static void find_components(struct order *o, uint32_t root, uint32_t set_id, uint32_t head, uint32_t *found,
	uint32_t *n_found, uint32_t *sizes, uint32_t *n_sizes)
{
	uint32_t depth = 0;
	o->path[0].block = root;
	o->path[0].out = 0;
	o->number[root] = o->low[root] = ++o->next;
	o->stack[o->n_stack++] = root;
	o->on_stack[root] = 1;
	for (;;) {
		uint32_t b = o->path[depth].block;
		const struct block *block = &o->f->blocks[b];
		if (o->path[depth].out < block->n_outs) {
			const struct out *out = &o->f->outs[block->first_out + o->path[depth].out++];
			uint32_t to = out->to;
			if (!is_edge(o, out, set_id, head))
				continue;
			if (!o->number[to]) {
				o->number[to] = o->low[to] = ++o->next;
				o->stack[o->n_stack++] = to;
				o->on_stack[to] = 1;
				o->path[++depth].block = to;
				o->path[depth].out = 0;
			} else if (o->on_stack[to] && o->number[to] < o->low[b]) {
				o->low[b] = o->number[to];
			}
			continue;
		}
		if (o->low[b] == o->number[b]) {
			uint32_t size = 0, top;
			do {
				top = o->stack[--o->n_stack];
				o->on_stack[top] = 0;
				found[(*n_found)++] = top;
				size++;
			} while (top != b);
			sizes[(*n_sizes)++] = size;
		}
		if (depth == 0)
			return;
		uint32_t parent = o->path[--depth].block;
		if (o->low[b] < o->low[parent])
			o->low[parent] = o->low[b];
	}
}

static bool has_self_edge(const struct function *f, uint32_t b)
{
	for (uint32_t i = 0; i < f->blocks[b].n_outs; i++) {
		const struct out *out = &f->outs[f->blocks[b].first_out + i];
		if (out->to == b && out->kind != OUT_TAIL)
			return true;
	}
	return false;
}

/*
 * The block of a component that an edge from outside the set reaches first in order of discovery: the last popped is
 * Tarjan's root.
 */
static void order_set(struct order *o, struct set set, unsigned nesting);

static void order_component(struct order *o, uint32_t *blocks, uint32_t n, unsigned nesting)
{
	uint32_t head = blocks[n - 1]; /* Tarjan's root: where the search came in */
	if (n == 1 && !has_self_edge(o->f, head)) {
		o->result[o->n_result++] = head;
		return;
	}
	if (!grow(&o->f->loops, o->f->n_loops, &o->f->cap_loops, sizeof *o->f->loops)) {
		o->no_memory = true;
		return;
	}
	uint32_t loop = o->f->n_loops++;
	o->f->loops[loop].head = o->n_result;
	order_set(o, (struct set){blocks, n, head}, nesting + 1);
	o->f->loops[loop].end = o->n_result;
}

static void order_set(struct order *o, struct set set, unsigned nesting)
{
	uint32_t id = ++o->next_set, n_found = 0, n_sizes = 0;
	uint32_t *found = malloc(set.n * sizeof *found), *sizes = malloc(set.n * sizeof *sizes);
	if (!found || !sizes || nesting > WV_MAX_NESTING + 1) {
		o->no_memory |= !found || !sizes;
		for (uint32_t i = 0; i < set.n; i++) /* nested too deep for the verifier: any order */
			o->result[o->n_result++] = set.blocks[i];
		free(found);
		free(sizes);
		return;
	}
	for (uint32_t i = 0; i < set.n; i++) {
		o->member[set.blocks[i]] = id;
		o->number[set.blocks[i]] = 0;
	}
	uint32_t root = set.head == UINT32_MAX ? 0 : set.head;
	find_components(o, root, id, set.head, found, &n_found, sizes, &n_sizes);
	if (set.head == UINT32_MAX || n_sizes == 0) {
		while (n_sizes) {
			n_found -= sizes[--n_sizes];
			order_component(o, found + n_found, sizes[n_sizes], nesting);
		}
	} else { /* the head is a component by itself: it comes last off the search, first in order */
		n_found -= sizes[--n_sizes];
		o->result[o->n_result++] = set.head;
		while (n_sizes) {
			n_found -= sizes[--n_sizes];
			order_component(o, found + n_found, sizes[n_sizes], nesting);
		}
	}
	free(found);
	free(sizes);
}

/* Put the blocks into the order found, and renumber the exits. */
static bool apply_order(struct function *f, const uint32_t *result, uint32_t n)
{
	struct block *blocks = malloc(n * sizeof *blocks);
	uint32_t *place = malloc(f->n_blocks * sizeof *place);
	if (!blocks || !place) {
		free(blocks);
		free(place);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		blocks[i] = f->blocks[result[i]];
		place[result[i]] = i;
	}
	for (uint32_t i = 0; i < f->n_outs; i++)
		f->outs[i].to = place[f->outs[i].to];
	free(f->blocks);
	free(place);
	f->blocks = blocks;
	f->n_blocks = f->cap_blocks = n;
	return true;
}

static bool cfg_order(struct function *f)
{
	uint32_t n = f->n_blocks;
	struct order o = {.f = f};
	uint32_t *all = malloc(n * sizeof *all);
	o.number = calloc(n, sizeof *o.number);
	o.low = calloc(n, sizeof *o.low);
	o.member = calloc(n, sizeof *o.member);
	o.on_stack = calloc(n, 1);
	o.stack = calloc(n, sizeof *o.stack);
	o.path = calloc((size_t)n + 1, sizeof *o.path);
	o.result = calloc(n, sizeof *o.result);
	bool ok = all && o.number && o.low && o.member && o.on_stack && o.stack && o.path && o.result;
	if (ok) {
		for (uint32_t i = 0; i < n; i++)
			all[i] = i;
		order_set(&o, (struct set){all, n, UINT32_MAX}, 0);
		ok = !o.no_memory && apply_order(f, o.result, o.n_result);
	}
	free(all);
	free(o.number);
	free(o.low);
	free(o.member);
	free(o.on_stack);
	free(o.stack);
	free(o.path);
	free(o.result);
	return ok;
}

bool cfg_build(struct code *code, uint64_t entry, struct function *f)
{
	struct finder d = {.code = code, .f = f, .build = ++code->n_builds};
	*f = (struct function){.entry = entry};
	bool ok = add_block(&d, entry) && find_blocks(&d);
	for (uint32_t b = 0; ok && b < f->n_blocks; b++)
		ok = fill_block(&d, &f->blocks[b]);
	return ok && cfg_order(f);
}

void cfg_free(struct function *f)
{
	free(f->blocks);
	free(f->outs);
	free(f->loops);
	*f = (struct function){0};
}
