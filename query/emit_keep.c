/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept, in the probe's source: members of the state, values, and updates. */
#include <inttypes.h>

#include "emitter.h"
#include "range.h"
#include "uses.h"

enum { SLOTS = 4096, QUEUE_MOST = 1 << 16, GROUP_MOST = 2048, ARRAY_LEAST = 129, ARRAY_MOST = 1 << 17 /* bytes */ };

bool keeps_signed(const struct plan_keep *k)
{
	return k->of && k->of->type.kind == TYPE_INT && k->of->type.is_signed;
}

bool is_count_alone(const struct plan *p)
{
	return p->n_keeps == 1 && p->keeps[0].kind == KEEP_COUNT && !p->keeps[0].when; /* which no other counts */
}

/* Is it a member of a struct that another member stands for? */
static bool is_behind(const struct plan *p, size_t i)
{
	return p->keeps[i].use && p->uses[p->keeps[i].use - 1].first != i;
}

uint64_t keep_size(const struct plan *p, size_t i)
{
	const struct plan_keep *k = &p->keeps[i];

	if (k->use)
		return is_behind(p, i) ? 0 : p->uses[k->use - 1].has->size;
	switch (k->kind) {
	case KEEP_COUNT:
	case KEEP_SUM: return 8;
	case KEEP_STAT: return 32;
	case KEEP_LOG2: return 65 * 8;
	case KEEP_BITS: return (64 + 2) * 8;
	case KEEP_QUANTILES: return ((65 - (uint64_t)k->step) << k->step) * 8 + 16;
	case KEEP_LINEAR: return (uint64_t)((k->hi - k->lo + k->step - 1) / k->step + 2) * 8;
	default: return 1024;
	}
}

/* Bytes of a group, at most. */
static uint64_t group_size(const struct plan *p)
{
	uint64_t size = 16 + plan_key_bytes(p);

	for (size_t i = 0; i < p->n_keeps; i++)
		size += keep_is_windowed(p, i) || !keep_is_there(&p->keeps[i]) ? 0 : keep_size(p, i);
	return size;
}

/* Is it never zero behind an event, so that an element of an array that is zero is no group? */
static bool keep_marks(const struct plan *p, size_t i)
{
	const struct plan_keep *k = &p->keeps[i];

	return keep_is_there(k) && !keep_is_windowed(p, i) && !k->when && !k->use && k->kind != KEEP_SUM &&
	       k->kind != KEEP_BITS;
}

/*
 * A key of few values is the place in an array. Long arrays are shown as one; a short one would be many members. Behind
 * a call the key comes from the stack, and would need a guard; beside what a call costs a map is nothing.
 */
uint64_t plan_array(const struct query *q)
{
	const struct plan *p = &q->plan;
	uint64_t bound = 0, n;
	bool marks = false;

	if (q->options.without & QUERY_R11 || !is_plain_key(q) || p->counters || p->refuses ||
		p->pair.kind != PAIR_NONE || p->n_uses)
		return 0;
	for (size_t i = 0; i < p->n_keys; i++)
		if (!key_is_constant(q, i))
			bound = range_bound(p->keys[i].of);
	for (size_t i = 0; i < p->n_keeps; i++) {
		marks |= keep_marks(p, i);
		if (expr_calls(p->keeps[i].of) || expr_calls(p->keeps[i].when))
			return 0;
	}
	n = bound > ARRAY_LEAST ? bound : ARRAY_LEAST;
	return bound && marks && n * group_size(p) <= ARRAY_MOST ? n : 0;
}

/* How many bits the keys have that there can be; 64 or more: any number of keys. */
static unsigned keys_bits(const struct query *q)
{
	unsigned bits = 0;

	for (size_t i = 0; i < q->plan.n_keys; i++) {
		struct type type = q->plan.keys[i].of->type;

		if (!key_is_constant(q, i))
			bits += type.kind == TYPE_BOOL ? 1 : type.kind == TYPE_INT ? type.bits : 64;
	}
	return bits;
}

/*
 * Does the map hand groups on? Not if the query wants other keys to be refused, or there are no more keys than it has
 * room for; nor if a group is so large that copying it were dear. In the kernel no reader can make room again.
 */
static bool hands_on(const struct query *q)
{
	const struct plan *p = &q->plan;
	unsigned bits = keys_bits(q);

	return !plan_array(q) && !p->refuses && !p->sites[0].is_kernel && !p->counters && group_size(p) <= GROUP_MOST &&
	       (bits >= 32 || 2ull << bits > (p->slots ? p->slots : SLOTS));
}

/* Bytes of the state that it may take. */
static uint64_t state_room(const struct query *q)
{
	return (q->plan.sites[0].is_kernel ? STATE_KERNEL : STATE_USER) / (q->is_half ? 2 : 1);
}

uint64_t plan_slots(const struct query *q)
{
	const struct plan *p = &q->plan;
	uint64_t most = hands_on(q) ? state_room(q) / 2 : state_room(q), slots = p->slots ? p->slots : SLOTS;

	while (slots > 1 && slots * group_size(p) > most)
		slots /= 2;
	return slots;
}

uint64_t plan_queue(const struct query *q)
{
	uint64_t queue = QUEUE_MOST, size = group_size(&q->plan);

	if (!hands_on(q))
		return 0;
	while (queue > 1 && (plan_slots(q) + queue) * size > state_room(q))
		queue /= 2;
	return queue;
}

void emit_keep_member(struct emitter *e, size_t i)
{
	const struct plan_keep *k = &e->q->plan.keeps[i];

	if (!keep_is_there(k) || is_behind(&e->q->plan, i))
		return;
	if (k->use) {
		emit_use_member(e, k->use - 1);
		return;
	}
	switch (k->kind) {
	case KEEP_COUNT: fprintf(e->out, "\tward_count keep%zu;\n", i); break;
	case KEEP_SUM: fprintf(e->out, "\t%s keep%zu;\n", keeps_signed(k) ? "long" : "ward_count", i); break;
	case KEEP_STAT: fprintf(e->out, "\tward_stat%s keep%zu;\n", keeps_signed(k) ? "_signed" : "", i); break;
	case KEEP_LOG2: fprintf(e->out, "\tward_log2 keep%zu;\n", i); break;
	case KEEP_LINEAR:
		fprintf(e->out, "\tWARD_LINEAR(%" PRId64 ", %" PRId64 ", %" PRId64 ") keep%zu;\n", k->lo, k->step,
			(k->hi - k->lo + k->step - 1) / k->step, i);
		break;
	case KEEP_BITS: fprintf(e->out, "\tWARD_LINEAR(0, 1, 64) keep%zu;\n", i); break;
	case KEEP_QUANTILES: fprintf(e->out, "\tWARD_QUANTILES(%" PRId64 ") keep%zu;\n", k->step, i); break;
	default: fprintf(e->out, "\tWARD_HLL(10) keep%zu;\n", i);
	}
}

/* Values, before anything is changed. */
void emit_keep_value(struct emitter *e, size_t i)
{
	const struct plan_keep *k = &e->q->plan.keeps[i];

	if (k->use) {
		if (!is_behind(&e->q->plan, i))
			emit_use_values(e, k->use - 1);
		return;
	}
	if (!keep_is_there(k))
		return;
	if (k->when || k->of)
		emit_line(e, k->span);
	emit_blocks(e, k->when);
	emit_blocks(e, k->of);
	if (k->when) {
		fprintf(e->out, "\tconst bool when%zu = ", i);
		emit_expr(e, k->when);
		fputs(";\n", e->out);
	}
	if (!k->of)
		return;
	fprintf(e->out, "\tconst %s value%zu = ", c_type(keeps_signed(k)), i);
	if (k->kind == KEEP_LOG2 || k->kind == KEEP_QUANTILES)
		emit_value(e, keeps_signed(k), k->of);
	else
		emit_as(e, keeps_signed(k), k->of);
	fputs(";\n", e->out);
}

void emit_update(struct emitter *e, size_t i, const char *at)
{
	const struct plan_keep *k = &e->q->plan.keeps[i];

	if (!keep_is_there(k) || is_behind(&e->q->plan, i))
		return;
	emit_line(e, k->span);
	if (k->use) {
		emit_use_update(e, k->use - 1, at);
		return;
	}
	fputc('\t', e->out);
	if (k->when)
		fprintf(e->out, "if (when%zu)\n\t\t", i);
	switch (k->kind) {
	case KEEP_COUNT: fprintf(e->out, "%skeep%zu++;\n", at, i); break;
	case KEEP_SUM:
		if (keeps_signed(k))
			fprintf(e->out, "%skeep%zu = (long)((unsigned long)%skeep%zu + (unsigned long)value%zu);\n", at,
				i, at, i, i);
		else
			fprintf(e->out, "%skeep%zu += value%zu;\n", at, i, i);
		break;
	case KEEP_STAT:
		fprintf(e->out, "ward_stat%s_add(&%skeep%zu, value%zu);\n", keeps_signed(k) ? "_signed" : "", at, i, i);
		break;
	case KEEP_LOG2: fprintf(e->out, "ward_log2_add(&%skeep%zu, (unsigned long)value%zu);\n", at, i, i); break;
	case KEEP_LINEAR: fprintf(e->out, "ward_linear_add(&%skeep%zu, (long)value%zu);\n", at, i, i); break;
	case KEEP_BITS: fprintf(e->out, "ward_query_bits_add(&%skeep%zu, (unsigned long)value%zu);\n", at, i, i); break;
	case KEEP_QUANTILES: fprintf(e->out, "ward_quantiles_add(&%skeep%zu, value%zu);\n", at, i, i); break;
	default: fprintf(e->out, "ward_hll_add(&%skeep%zu, value%zu);\n", at, i, i);
	}
}
