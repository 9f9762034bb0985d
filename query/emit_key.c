/* SPDX-License-Identifier: Apache-2.0 */
/* The key in the probe's source, and records of events. */
#include <inttypes.h>
#include <string.h>

#include "emitter.h"
#include "pair.h"
#include "range.h"

/* ---- the key ---- */

/* Is this part the same for all events, and so no part of the probe's key? (R6) */
bool key_is_constant(const struct query *q, size_t i)
{
	const struct expr *of = q->plan.keys[i].of;
	const struct plan *p = &q->plan;

	if (of->kind == EXPR_SESSION || of->kind == EXPR_TEXT)
		return true;
	if (q->options.without & QUERY_R6)
		return false;
	return of->kind == EXPR_CONST || (of->kind == EXPR_FIELD && of->value == FIELD_SITE &&
						 count_sites(p, false) == 1 && !strpbrk(p->sites[0].text, "*?["));
}

size_t live_keys(const struct query *q)
{
	size_t n = 0;

	for (size_t i = 0; i < q->plan.n_keys; i++)
		n += !key_is_constant(q, i);
	return n;
}

/* Is the key one number? */
bool is_plain_key(const struct query *q)
{
	for (size_t i = 0; i < q->plan.n_keys; i++)
		if (!key_is_constant(q, i) && is_text_part(q->plan.keys[i].of))
			return false;
	return live_keys(q) == 1;
}

bool key_is_signed(const struct plan_key *k)
{
	return k->of->type.kind == TYPE_INT && k->of->type.is_signed;
}

/* An address, a site and a stack have types by which the machine merge knows that they have names. */
const char *key_type(const struct plan_key *k)
{
	switch (k->of->type.kind) {
	case TYPE_ADDRESS: return "ward_query_address";
	case TYPE_SITE: return "ward_site";
	case TYPE_STACK: return "ward_stack";
	default: return c_type(key_is_signed(k));
	}
}

/* R11: bytes of a part of a key of several. */
static unsigned part_size(const struct query *q, const struct plan_key *k)
{
	if (is_text_part(k->of))
		return (unsigned)k->of->value;
	if (k->of->type.kind == TYPE_SITE)
		return 4;
	if (q->options.without & QUERY_R11 || k->of->type.kind == TYPE_ADDRESS || k->of->type.kind == TYPE_STACK)
		return 8;
	for (unsigned size = 1; size < 8; size *= 2)
		if (range_fits(k->of, size * 8, key_is_signed(k)))
			return size;
	return 8;
}

static const char *part_type(const struct query *q, const struct plan_key *k)
{
	unsigned size = part_size(q, k);
	bool is_signed = key_is_signed(k);

	if (size == 8 || k->of->type.kind == TYPE_SITE)
		return key_type(k);
	return size == 4   ? is_signed ? "int32_t" : "uint32_t"
	       : size == 2 ? is_signed ? "int16_t" : "uint16_t"
	       : is_signed ? "int8_t"
			   : "uint8_t";
}

bool keys_are_small(const struct query *q)
{
	const struct plan *p = &q->plan;

	if (plan_array(q))
		return true;
	for (size_t i = 0; i < p->n_keys && !is_plain_key(q); i++)
		if (!key_is_constant(q, i) && p->keys[i].of->type.kind != TYPE_SITE && part_size(q, &p->keys[i]) < 8)
			return true;
	return false;
}

void emit_key_type(struct emitter *e)
{
	if (!live_keys(e->q) || is_plain_key(e->q))
		return;
	fputs("struct key {\n", e->out);
	emit_key_members(e);
	fputs("};\n\n", e->out);
}

/* The largest parts come first, so there is a hole at most behind the last one. */
void emit_key_members(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	unsigned bytes = 0;

	for (unsigned size = 8; size; size /= 2)
		for (size_t i = 0; i < p->n_keys; i++) {
			const struct plan_key *k = &p->keys[i];
			unsigned own = part_size(e->q, k);

			if (key_is_constant(e->q, i) || (is_text_part(k->of) ? 8 : own) != size)
				continue;
			bytes += own;
			if (is_text_part(k->of))
				fprintf(e->out, "\tchar key%zu[%u];\n", i, own);
			else
				fprintf(e->out, "\t%s key%zu;\n", part_type(e->q, k), i);
		}
	if (bytes % 8)
		fprintf(e->out, "\tward_pad pad[%u];\n", 8 - bytes % 8);
}

void emit_key(struct emitter *e)
{
	const struct plan *p = &e->q->plan;
	bool plain = is_plain_key(e->q);

	if (!plain)
		fputs("\tstruct key key = {0};\n", e->out);
	for (size_t i = 0; i < p->n_keys; i++) {
		const struct expr *of = p->keys[i].of;
		char to[32];

		if (key_is_constant(e->q, i))
			continue;
		emit_line(e, of->span);
		emit_blocks(e, of);
		if (is_text_part(of)) {
			snprintf(to, sizeof(to), "key.key%zu", i);
			emit_text_copy(e, to, of);
			continue;
		}
		if (plain)
			fprintf(e->out, "\tconst %s key = ", key_type(&p->keys[i]));
		else
			fprintf(e->out, "\tkey.key%zu = ", i);
		if (of->type.kind == TYPE_ADDRESS || of->type.kind == TYPE_SITE)
			fprintf(e->out, "(%s)", key_type(&p->keys[i]));
		else if (!plain && part_size(e->q, &p->keys[i]) < 8)
			fprintf(e->out, "(%s)", part_type(e->q, &p->keys[i]));
		emit_value(e, key_is_signed(&p->keys[i]), of);
		fputs(";\n", e->out);
	}
}

/* ---- rows of events ---- */

/* Is this column the same for all events, and so no member of the record? */
bool column_is_constant(const struct query *q, size_t i)
{
	const struct expr *value = q->plan.columns[i].value;

	return value->kind == EXPR_SESSION || value->kind == EXPR_TEXT || value->kind == EXPR_CONST;
}

bool column_is_signed(const struct plan_column *c)
{
	return c->value->type.kind == TYPE_INT && c->value->type.is_signed;
}

/* Records have a time, so that those of all threads are in its order. */
void emit_record_type(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	fputs("struct row {\n\tunsigned long time;\n", e->out);
	for (size_t i = 0; i < p->n_columns; i++) {
		if (column_is_constant(e->q, i))
			continue;
		if (is_text_part(p->columns[i].value))
			fprintf(e->out, "\tchar column%zu[%" PRIu64 "];\n", i, p->columns[i].value->value);
		else
			fprintf(e->out, "\t%s column%zu;\n", c_type(column_is_signed(&p->columns[i])), i);
	}
	fputs("};\n\n", e->out);
}

/* R13: each thread stops by itself. */
bool takes_early(const struct query *q)
{
	return q->plan.take_events != UINT64_MAX && !q->plan.before && !(q->options.without & QUERY_R13);
}

/* As many records as there is room for: what the reader is too late for is lost, and said. */
void emit_ring(struct emitter *e, unsigned size)
{
	unsigned most = e->q->plan.sites[0].is_kernel ? STATE_KERNEL : STATE_USER, rows = 1;

	while (2 * rows * size <= most)
		rows *= 2;
	fprintf(e->out, "\tWARD_RING(struct row, %u) rows;\n", rows);
}

void emit_record_member(struct emitter *e)
{
	unsigned size = 16;

	if (takes_early(e->q))
		fputs("\tward_count taken;\n", e->out);
	for (size_t i = 0; i < e->q->plan.n_columns; i++)
		if (!column_is_constant(e->q, i))
			size += is_text_part(e->q->plan.columns[i].value) ? (unsigned)e->q->plan.columns[i].value->value
									  : 8;
	if (e->q->plan.before)
		fprintf(e->out, "\tWARD_PRIVATE(WARD_QUERY_LAST(struct row, %u) last;);\n", e->q->plan.before + 1);
	emit_ring(e, size);
}

void emit_record(struct emitter *e)
{
	const struct plan *p = &e->q->plan;

	fputs("\tstruct row row = {.time = ev->time};\n", e->out);
	for (size_t i = 0; i < p->n_columns; i++) {
		const struct expr *value = p->columns[i].value;
		char to[32];

		if (column_is_constant(e->q, i))
			continue;
		emit_line(e, value->span);
		emit_blocks(e, value);
		if (is_text_part(value)) {
			snprintf(to, sizeof(to), "row.column%zu", i);
			emit_text_copy(e, to, value);
		} else {
			fprintf(e->out, "\trow.column%zu = ", i);
			emit_as(e, column_is_signed(&p->columns[i]), value);
			fputs(";\n", e->out);
		}
	}
}
