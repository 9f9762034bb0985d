/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R10: reading the target's memory is a system call, whatever its length. So reads at offsets from one address that are
 * within 64 bytes of each other are one read of all that is between. Where that can't be read as a whole, each part is
 * read by itself: the values stay the same. Pairs of events keep their values one by one, and have no blocks.
 */
#include <inttypes.h>
#include <string.h>

#include "emitter.h"

enum { CANDIDATES = 32, KERNEL_BLOCKS = 1 /* its stack is small */ };

struct search {
	struct plan_block found[CANDIDATES];
	size_t n;
};

/* The address that a read is at an offset from. */
static const struct expr *base_of(const struct expr *read, uint64_t *offset)
{
	const struct expr *a = read->a;

	*offset = 0;
	if (a->kind == EXPR_BINARY && a->op == OP_ADD && a->b->kind == EXPR_CONST) {
		*offset = a->b->value;
		return a->a;
	}
	return a;
}

static void find_reads(struct search *s, struct expr *e);

static void see_read(struct search *s, const struct expr *e)
{
	uint64_t offset, end;
	const struct expr *base = base_of(e, &offset);
	struct plan_block *b = s->found;

	end = offset + e->type.bits / 8;
	for (; b < s->found + s->n; b++) {
		uint64_t lo = offset < b->lo ? offset : b->lo, hi = end > b->hi ? end : b->hi;

		if (hi - lo > BLOCK_BYTES || !expr_equal(base, b->base))
			continue;
		b->lo = lo;
		b->hi = hi;
		b->uses++;
		return;
	}
	if (s->n < CANDIDATES && end > offset)
		s->found[s->n++] = (struct plan_block){.base = base, .lo = offset, .hi = end, .uses = 1};
}

static void find_reads(struct search *s, struct expr *e)
{
	if (!e)
		return;
	find_reads(s, e->a);
	find_reads(s, e->b);
	find_reads(s, e->c);
	if (e->kind == EXPR_READ)
		see_read(s, e);
}

/* Is it there as a part, or is there room for it? */
static bool add_part(struct plan_block *b, uint64_t offset, unsigned size)
{
	for (unsigned i = 0; i < b->n_parts; i++)
		if (b->parts[i].offset == offset && b->parts[i].size == size)
			return true;
	if (b->n_parts == BLOCK_PARTS)
		return false;
	b->parts[b->n_parts++] = (struct block_part){offset, size};
	return true;
}

static void assign_read(struct plan *p, struct expr *e)
{
	uint64_t offset;
	const struct expr *base = base_of(e, &offset);
	unsigned size = e->type.bits / 8;

	for (size_t i = 0; i < p->n_blocks && !e->which; i++) {
		struct plan_block *b = &p->blocks[i];

		if (offset >= b->lo && offset + size <= b->hi && expr_equal(base, b->base) &&
			add_part(b, offset - b->lo, size))
			e->which = (uint32_t)i + 1;
	}
}

/* An address that is read itself first, so that those which are equal are so here, too. */
static void assign_reads(struct plan *p, struct expr *e)
{
	if (!e)
		return;
	assign_reads(p, e->a);
	assign_reads(p, e->b);
	assign_reads(p, e->c);
	if (e->kind == EXPR_READ)
		assign_read(p, e);
}

static void each_value(struct plan *p, struct search *s)
{
	struct expr *values[PLAN_FILTERS + PLAN_HISTORIES + PLAN_KEYS + 2 * PLAN_KEEPS + PLAN_COLUMNS];
	size_t n = 0;

	for (size_t i = 0; i < p->n_filters; i++)
		values[n++] = p->filters[i];
	for (size_t i = 0; i < p->n_histories; i++)
		values[n++] = p->histories[i].of;
	for (size_t i = 0; i < p->n_keys; i++)
		values[n++] = p->keys[i].of;
	for (size_t i = 0; i < p->n_keeps; i++) {
		if (p->keeps[i].is_unused)
			continue;
		values[n++] = p->keeps[i].of;
		values[n++] = p->keeps[i].when;
	}
	for (size_t i = 0; p->is_records && i < p->n_columns; i++)
		values[n++] = p->columns[i].value;
	for (size_t i = 0; i < n; i++)
		s ? find_reads(s, values[i]) : assign_reads(p, values[i]);
}

void rewrite_reads(struct query *q)
{
	struct plan *p = &q->plan;
	size_t most = p->sites[0].is_kernel ? KERNEL_BLOCKS : PLAN_BLOCKS;
	struct search s = {.n = 0};

	if (p->pair.kind != PAIR_NONE)
		return;
	each_value(p, &s);
	for (size_t i = 0; i < s.n && p->n_blocks < most; i++)
		if (s.found[i].uses > 1)
			p->blocks[p->n_blocks++] = s.found[i];
	if (!p->n_blocks)
		return;
	each_value(p, NULL);
	p->made |= QUERY_R10;
}

/* ---- in the probe's source ---- */

static void emit_block(struct emitter *e, size_t i)
{
	const struct plan_block *b = &e->q->plan.blocks[i];
	bool is_one = b->n_parts == 1 && b->parts[0].size == b->hi - b->lo;

	emit_blocks(e, b->base);
	fprintf(e->out, "\tchar block%zu[%" PRIu64 "];\n\t%s(block%zu, sizeof(block%zu), ", i, b->hi - b->lo,
		is_one ? "ward_query_copy" : "if (!ward_query_try", i, i);
	emit_as(e, false, b->base);
	fprintf(e->out, " + %" PRIu64 "ul)%s\n", b->lo, is_one ? ";" : ") {");
	if (is_one)
		return;
	for (unsigned k = 0; k < b->n_parts; k++) {
		fprintf(e->out, "\t\tward_query_copy(block%zu + %" PRIu64 ", %u, ", i, b->parts[k].offset,
			b->parts[k].size);
		emit_as(e, false, b->base);
		fprintf(e->out, " + %" PRIu64 "ul);\n", b->lo + b->parts[k].offset);
	}
	fputs("\t}\n", e->out);
}

void emit_blocks(struct emitter *e, const struct expr *x)
{
	if (!x)
		return;
	if (x->kind == EXPR_READ && x->which && !(e->blocks >> (x->which - 1) & 1)) {
		e->blocks |= 1u << (x->which - 1);
		emit_block(e, x->which - 1);
	}
	emit_blocks(e, x->a);
	emit_blocks(e, x->b);
	emit_blocks(e, x->c);
}

void emit_read(struct emitter *e, const struct expr *x)
{
	uint64_t offset;

	fprintf(e->out, "(%s)ward_query_%s_%c%u(", c_type(x->type.is_signed), x->which ? "part" : "read",
		x->type.is_signed ? 'i' : 'u', x->type.bits);
	if (x->which) {
		base_of(x, &offset);
		fprintf(e->out, "block%u + %" PRIu64, x->which - 1, offset - e->q->plan.blocks[x->which - 1].lo);
	} else {
		emit_as(e, false, x->a);
	}
	fputc(')', e->out);
}
