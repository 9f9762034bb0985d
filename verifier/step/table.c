/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jump tables: `jmp r` where r is a constant address plus an entry of a table in read-only data.
 *
 *	lea    rdx, [rip + table]
 *	movsxd rax, dword [rdx + rcx*4]     the load: the context keeps the entry's identity and the offsets
 *	                                    that it may come from
 *	add    rax, rdx                     rodata + offset: the sum has the entry's identity, moved by the
 *	                                    table's offset
 *	jmp    rax                          so it goes to the address of rodata + that constant + entry, for
 *	                                    each entry that may have been loaded
 *
 * This needs no new kind of value, since the identity says everything. A pointer into rodata of identity `entry + c`
 * is, modulo 2^64, the address of rodata plus c plus the very number that was loaded, whichever instructions computed
 * it. The processor loaded one of the entries at the offsets that were known at the load. Rodata holds what the file
 * holds: the loader maps it as it was verified, and nothing can write it. Import slots are the exception: the loader
 * fills them, and no load may reach them (V-72). So the entries' targets, read from the file, are all the places that
 * the jump can go to. Each is an edge like any other branch's (sweep.c).
 *
 * Identities end with their block, so the path from the load to the jump must lie in one block. The table's address
 * may come from elsewhere.
 */
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ENTRY_SIZE = 4, MAX_CONSTANTS = 256 };

/* The lowest bit of the offsets that is not known: they are apart by multiples of it. */
static uint64_t stride_of(const struct wv_num *at)
{
	uint64_t unknown = ~at->known;
	return unknown ? unknown & (0 - unknown) : 1;
}

/* ---- tables of numbers ---- */

/*
 * How far apart the offsets are, and the first of them: by their known low bits, or by their remainder where that says
 * more (structs of 12 bytes).
 */
static uint64_t steps_of(const struct wv_num *at, uint64_t *first)
{
	uint64_t step = stride_of(at), rem = at->bits & (step - 1);
	if (at->mod > step) {
		step = at->mod;
		rem = at->rem;
	}
	uint64_t is = at->umin % step;
	*first = at->umin + (is <= rem ? rem - is : step - is + rem);
	return step;
}

static uint64_t constant_at(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	switch (bytes) { /* fast, that is, without a call */
	case 1: return *p;
	case 2: memcpy(&v, p, 2); return v;
	case 4: memcpy(&v, p, 4); return v;
	default: memcpy(&v, p, bytes); return v;
	}
}

/*
 * The range of a few constants is known; a compiler makes them of a switch, or a programmer of a state machine. A
 * single constant keeps its identity, by which jump tables know it. This may look at more than the possible offsets,
 * never at less: at all in [umin, umax] that have the known low bits, or the remainder. There are so few of them that
 * the time stays linear in the text's size.
 */
bool wv_table_constants(const struct wv_module *m, const struct wv_num *at, unsigned bytes, struct wv_constants *c)
{
	uint64_t first, step = steps_of(at, &first), sign = UINT64_C(1) << (bytes * 8 - 1);
	if (!wv_fits(at->umax, bytes, m->rodata_bytes.n) || (at->umax - at->umin) / step >= MAX_CONSTANTS)
		return false;
	*c = (struct wv_constants){.umin = UINT64_MAX, .smin = INT64_MAX, .smax = INT64_MIN};
	unsigned n = 0; /* offset + step may wrap around, behind the last one */
	for (uint64_t offset = first; offset <= at->umax && n < MAX_CONSTANTS; offset += step, n++) {
		uint64_t v = constant_at(m->rodata_bytes.p + offset, bytes);
		int64_t s = (int64_t)((v ^ sign) - sign);
		c->umin = v < c->umin ? v : c->umin;
		c->umax = v > c->umax ? v : c->umax;
		c->smin = s < c->smin ? s : c->smin;
		c->smax = s > c->smax ? s : c->smax;
	}
	return c->umin < c->umax;
}

struct wv_num wv_constants_signed(const struct wv_constants *c)
{
	struct wv_num n = wv_num_any();
	n.smin = c->smin;
	n.smax = c->smax;
	return wv_num_sync(&n) ? n : wv_num_any();
}

struct wv_num wv_constants_unsigned(const struct wv_constants *c, unsigned bytes)
{
	struct wv_num n = wv_num_range(c->umin, c->umax), s = wv_constants_signed(c), both = n;
	s = wv_num_zext(&s, bytes * 8);
	return wv_num_meet(&both, &s) ? both : n;
}

/* ---- jumps ---- */

void wv_table_loaded(struct wv_ctx *ctx, const struct wv_num *at, const struct wv_val *v)
{
	ctx->table = (struct wv_table){.low = v->lsym, .at = *at};
}

void wv_table_extended(struct wv_ctx *ctx, const struct wv_val *v, const struct wv_val *wide)
{
	struct wv_table *t = &ctx->table;
	if (t->low && v->kind == WV_NUM && v->lsym == t->low && v->ladd == 0) {
		t->sym = wide->sym;
		t->add = wide->add;
	}
}

const char *wv_table_targets(
	const struct wv_ctx *ctx, const struct wv_val *v, struct wv_targets *t, char *why, size_t size)
{
	const struct wv_module *m = ctx->module;
	const struct wv_table *table = &ctx->table;
	if (v->kind != WV_PTR || v->region != WV_RODATA || !table->sym || v->sym != table->sym) {
		char what[120];
		wv_val_print(v, what, sizeof what);
		snprintf(why, size,
			"the jump goes to %s; it must go to an address in rodata plus an entry of a table there, of "
			"four bytes, loaded in the same block",
			what);
		return "jump-not-through-table";
	}
	/* the load was checked; but this is where it counts */
	if (!wv_fits(table->at.umax, ENTRY_SIZE, m->rodata_bytes.n)) {
		snprintf(why, size, "entries at rodata+[%" PRIu64 ", %" PRIu64 "]; rodata has %zu bytes",
			table->at.umin, table->at.umax, m->rodata_bytes.n);
		return "table-outside-rodata";
	}
	uint64_t stride = stride_of(&table->at);
	*t = (struct wv_targets){
		.module = m,
		.at = table->at,
		.next = table->at.umin + ((table->at.bits - table->at.umin) & (stride - 1)),
		.stride = stride,
		.base = m->rodata.addr + v->add - table->add,
	};
	return NULL;
}

uint64_t wv_table_length(const struct wv_targets *t)
{
	return t->next > t->at.umax ? 0 : (t->at.umax - t->next) / t->stride + 1;
}

bool wv_table_next(struct wv_targets *t, uint64_t *target)
{
	int32_t entry;
	while (t->next <= t->at.umax && !wv_num_has(&t->at, t->next))
		t->next += t->stride;
	if (t->next > t->at.umax)
		return false;
	memcpy(&entry, t->module->rodata_bytes.p + t->next, sizeof entry);
	*target = t->base + (uint64_t)(int64_t)entry;
	t->entry = t->next;
	t->next += t->stride;
	return true;
}
