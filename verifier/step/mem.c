/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: the address of an operand, the bounds of regions, and the stack.
 *
 * Regions other than the stack are shared with the host or with other threads, so nothing is known of their contents:
 * a load gives any value, except a load of one of a few constants (table.c). The stack is the probe's alone, and the
 * state keeps it slot by slot. A store at an exact offset is remembered with its value (register saves and spills); a
 * store at an inexact offset only forgets. For each byte the state knows whether the probe has set it (V-51). The
 * return address lies above the frame, at offset 0, where no access may reach.
 */
#include "step.h"
#include "table.h"

#include <inttypes.h>

#define TEXT 120

static struct wv_val any_number(struct wv_ctx *ctx, unsigned bytes)
{
	struct wv_num n = bytes == 8 ? wv_num_any() : wv_num_range(0, (UINT64_C(1) << bytes * 8) - 1);
	return wv_val_number(ctx, &n);
}

/* ---- addresses ---- */

static struct wv_val module_address(struct wv_ctx *ctx, uint64_t addr)
{
	const struct ward_segment *rodata = &ctx->module->rodata, *data = &ctx->module->data;
	/*
	 * One past the end is a pointer too: it is compared with, never accessed. Where data follows at once, it is the
	 * first byte of that.
	 */
	if (data->memsz && addr >= data->addr && addr - data->addr <= data->memsz)
		return wv_val_pointer(ctx, WV_DATA, (int64_t)(addr - data->addr));
	if (rodata->memsz && addr >= rodata->addr && addr - rodata->addr <= rodata->memsz)
		return wv_val_pointer(ctx, WV_RODATA, (int64_t)(addr - rodata->addr));
	return any_number(ctx, 8);
}

/*
 * A register added to itself is a multiple of it: the sum has a remainder then, which tables of structs of 12 bytes are
 * read by.
 */
static void take_multiple(struct wv_val *sum, const struct wv_val *v, uint64_t times)
{
	if (sum->kind != WV_NUM || v->kind != WV_NUM)
		return;
	struct wv_num by = wv_num_const(times), n = wv_num_binary(WV_IMUL, 64, &v->n, &by), both = sum->n;
	if (wv_num_meet(&both, &n))
		sum->n = both;
}

struct wv_val wv_address(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn)
{
	const struct wv_mem *m = &insn->mem;
	if (m->rip_relative)
		return module_address(ctx, (uint64_t)m->disp);
	struct wv_val sum = m->base != WV_NOREG ? wv_read_reg(ctx, st, insn, m->base, 64) : wv_val_const(ctx, 0);
	if (m->index != WV_NOREG) {
		struct wv_val index = wv_read_reg(ctx, st, insn, m->index, 64);
		if (m->scale != 1) {
			struct wv_num scale = wv_num_const(m->scale), n = wv_num_any();
			if (index.kind == WV_NUM)
				n = wv_num_binary(WV_IMUL, 64, &index.n, &scale);
			index = wv_val_number(ctx, &n);
		}
		sum = wv_val_add(ctx, &sum, &index);
		if (m->index == m->base)
			take_multiple(&sum, &st->reg[m->base], m->scale + UINT64_C(1));
	}
	if (m->disp == 0)
		return sum;
	struct wv_val disp = wv_val_const(ctx, (uint64_t)m->disp);
	return wv_val_add(ctx, &sum, &disp);
}

/* ---- bounds ---- */

enum access { LOAD, STORE };

static const char *const verb[] = {"load", "store"};

uint64_t wv_region_size(const struct wv_ctx *ctx, enum wv_region region)
{
	const struct wv_module *m = ctx->module;
	if (region >= WV_LENT)
		return ctx->lent[region - WV_LENT].size;
	switch (region) {
	case WV_EVENT: return m->event_size;
	case WV_STATE: return m->state_size;
	case WV_RODATA: return m->rodata.memsz;
	case WV_DATA: return m->data.memsz;
	default: return 0;
	}
}

static bool region_writable(const struct wv_ctx *ctx, enum wv_region region)
{
	return region >= WV_LENT ? ctx->lent[region - WV_LENT].writable
				 : region == WV_STATE || region == WV_DATA || region == WV_STACK;
}

/* Facts for the loader: which event fields, and whether the state is written. */
static void note_access(struct wv_ctx *ctx, const struct wv_val *at, unsigned bytes, enum access access)
{
	if (at->region == WV_EVENT) {
		for (uint64_t field = at->n.umin / 8; field <= (at->n.umax + bytes - 1) / 8 && field < 16; field++)
			ctx->event_fields |= (uint16_t)(1u << field);
	}
	if (at->region == WV_STATE && access == STORE)
		ctx->writes_state = true;
}

/* V-30, V-31, V-32, V-72 for everything but the stack. Offsets are modulo 2^64, so the unsigned view decides. */
static bool check_region(
	struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes, enum access access)
{
	char what[TEXT];
	if (at->kind != WV_PTR) {
		wv_val_print(at, what, sizeof what);
		if (insn->mem.rip_relative)
			wv_report(ctx->sink, WARD_RULE_POINTER, insn->pc,
				access == LOAD ? "load-outside-module" : "store-outside-module",
				"%s of %u byte%s at 0x%" PRIx64 " of the module, which is in neither rodata nor data",
				verb[access], bytes, wv_plural(bytes), (uint64_t)insn->mem.disp);
		else
			wv_report(ctx->sink, WARD_RULE_POINTER, insn->pc,
				access == LOAD ? "load-through-number" : "store-through-number",
				"%s of %u byte%s at an address that is %s; it must be a pointer to event, state, "
				"stack, rodata or data",
				verb[access], bytes, wv_plural(bytes), what);
		return false;
	}
	uint64_t size = wv_region_size(ctx, at->region);
	if (size < bytes || at->n.umax > size - bytes) {
		wv_val_print(at, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_BOUNDS, insn->pc,
			access == LOAD ? "load-outside-region" : "store-outside-region",
			"%s of %u byte%s at %s; %s has %" PRIu64 " byte%s", verb[access], bytes, wv_plural(bytes), what,
			wv_region_name(at->region), size, wv_plural(size));
		return false;
	}
	if (access == STORE && !region_writable(ctx, at->region)) {
		wv_val_print(at, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_READONLY, insn->pc, "store-to-readonly",
			"store of %u byte%s at %s; %s is for reading only", bytes, wv_plural(bytes), what,
			wv_region_name(at->region));
		return false;
	}
	if (at->region == WV_RODATA && wv_module_touches_slot(ctx->module, at->n.umin, at->n.umax, bytes)) {
		wv_val_print(at, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_SLOT, insn->pc, "read-of-import-slot",
			"load of %u byte%s at %s, in an import's slot, which holds an address of the host's", bytes,
			wv_plural(bytes), what);
		return false;
	}
	note_access(ctx, at, bytes, access);
	return true;
}

/* V-33: within [rsp - red zone, entry rsp). */
static bool check_stack(struct wv_ctx *ctx, const struct wv_state *st, const struct wv_insn *insn,
	const struct wv_val *at, unsigned bytes, enum access access)
{
	int64_t lowest = -(int64_t)st->depth - wv_red_zone(ctx);
	if (at->n.smin < lowest || at->n.smax > -(int64_t)bytes) {
		char what[TEXT];
		wv_val_print(at, what, sizeof what);
		bool above = at->n.smax > -(int64_t)bytes;
		wv_report(ctx->sink, WARD_RULE_STACK, insn->pc, above ? "stack-above-frame" : "stack-below-frame",
			"%s of %u byte%s at %s, counted from rsp at the entry; the function's own are stack%" PRId64
			" to stack-1, above is the return address",
			verb[access], bytes, wv_plural(bytes), what, lowest);
		return false;
	}
	if (-at->n.smin > (int64_t)ctx->stack_bytes)
		ctx->stack_bytes = (uint32_t)-at->n.smin;
	return true;
}

/* ---- the stack, slot by slot ---- */

/* The slot that byte `offset` (< 0) of the frame lies in, and where in the slot. */
static uint32_t slot_of(int64_t offset, unsigned *byte)
{
	uint32_t below = (uint32_t)-offset, slot = (below + 7) / 8;
	*byte = slot * 8 - below;
	return slot;
}

/* Set bytes [byte, byte + n) of a slot to something that is not kept, the probe's own or not. */
static void slot_smudge(struct wv_slot *s, unsigned byte, unsigned n, bool own)
{
	uint8_t mask = (uint8_t)(((1u << n) - 1) << byte);
	if (byte < s->width) { /* a kept value of 4 bytes survives a store above it */
		if (s->width == 8 && byte >= 4 && s->v.kind == WV_NUM && s->v.n.umax <= UINT32_MAX)
			s->width = 4;
		else
			s->width = 0;
	}
	s->init = own ? s->init | mask : s->init & ~mask;
}

/* The same for any bytes of the frame. */
static void smudge_bytes(struct wv_state *st, int64_t offset, unsigned bytes)
{
	while (bytes > 0) {
		unsigned byte;
		struct wv_slot *s = wv_state_slot(st, slot_of(offset, &byte));
		unsigned n = bytes < 8 - byte ? bytes : 8 - byte;
		slot_smudge(s, byte, n, true);
		offset += n;
		bytes -= n;
	}
}

static void store_exact(struct wv_ctx *ctx, struct wv_state *st, int64_t offset, unsigned bytes, const struct wv_val *v)
{
	unsigned byte;
	uint32_t n = slot_of(offset, &byte);
	struct wv_slot *s = wv_state_slot(st, n);
	if (byte == 0 && bytes == 8) {
		bool own = wv_val_readable(v, 64);
		s->v = *v;
		s->width = own || v->kind == WV_SAVED ? 8 : 0;
		s->init = own ? 0xff : 0;
		return;
	}
	if (byte + bytes > 8) { /* the upper part lies in the slot above */
		smudge_bytes(st, offset, bytes);
		return;
	}
	slot_smudge(s, byte, bytes, true);
	if (byte == 0 && bytes == 4) {
		s->v = wv_val_zext32(ctx, v);
		s->width = 4;
	}
}

/* V-34: an inexact store may hit any slot of its range, so what they hold is forgotten. */
static void store_inexact(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes)
{
	unsigned byte;
	uint32_t deepest = slot_of(at->n.smin, &byte), shallowest = slot_of(at->n.smax + bytes - 1, &byte);
	for (uint32_t n = shallowest; n <= deepest && n <= st->n_slots; n++) {
		struct wv_slot *s = wv_state_slot(st, n);
		if (s->width && s->v.kind == WV_SAVED)
			wv_report(ctx->sink, WARD_RULE_SPILL, insn->pc, "store-over-saved-register",
				"store of %u byte%s at stack+[%" PRId64 ", %" PRId64
				"] may overwrite the saved %s at stack-%u",
				bytes, wv_plural(bytes), at->n.smin, at->n.smax, ward_register_name(s->v.region),
				n * 8);
		s->width = 0;
	}
}

static bool bytes_set(struct wv_state *st, int64_t lo, int64_t hi)
{
	for (int64_t at = lo; at < hi; at++) {
		unsigned byte;
		uint32_t n = slot_of(at, &byte);
		if (n > st->n_slots || !(st->slot[n - 1].init >> byte & 1))
			return false;
	}
	return true;
}

/* What a load of exact bytes gives if a kept value answers it. */
static bool load_from_slot(struct wv_ctx *ctx, struct wv_state *st, int64_t offset, unsigned bytes, struct wv_val *out)
{
	unsigned byte;
	uint32_t n = slot_of(offset, &byte);
	if (byte != 0 || n > st->n_slots)
		return false;
	const struct wv_slot *s = &st->slot[n - 1];
	if (s->width == 8 && bytes == 8) {
		*out = s->v;
		return true;
	}
	if (s->width >= 4 && bytes == 4 && s->v.kind == WV_NUM) {
		*out = wv_val_zext32(ctx, &s->v);
		return true;
	}
	if (s->width >= 4 && bytes < 4 && s->v.kind == WV_NUM) {
		struct wv_num low = wv_num_zext(&s->v.n, bytes * 8);
		*out = wv_val_number(ctx, &low);
		return true;
	}
	return false;
}

/* V-51 */
static void load_stack_bytes(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes)
{
	if (bytes_set(st, at->n.smin, at->n.smax + bytes))
		return;
	char what[TEXT];
	wv_val_print(at, what, sizeof what);
	wv_report(ctx->sink, WARD_RULE_UNINIT_MEM, insn->pc, "load-of-unset-stack",
		"load of %u byte%s at %s, counted from rsp at the entry; the probe has not set all of these bytes, and "
		"others may be the host's",
		bytes, wv_plural(bytes), what);
}

static struct wv_val load_stack(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes)
{
	struct wv_val v;
	if (wv_num_is_const(&at->n) && load_from_slot(ctx, st, at->n.smin, bytes, &v))
		return v;
	load_stack_bytes(ctx, st, insn, at, bytes);
	return any_number(ctx, bytes);
}

/* ---- lending ---- */

/* How many of the bytes from `at` to `end` lie in the slot of the first, which is its byte `byte`. */
static unsigned bytes_of_slot(int64_t at, int64_t end, unsigned byte)
{
	return end - at < 8 - (int64_t)byte ? (unsigned)(end - at) : 8 - byte;
}

/*
 * A window of the stack: exact, within the frame above rsp, all of it set by the probe, and holding no saved register.
 * Afterwards only that it is set is known.
 */
static const char *lend_stack(struct wv_state *st, const struct wv_val *at, uint32_t size)
{
	if (!wv_num_is_const(&at->n))
		return "its place in the stack is not exact";
	int64_t lo = at->n.smin, hi;
	if (lo < -(int64_t)st->depth || lo > -(int64_t)size)
		return "it reaches beyond the frame";
	hi = lo + size;
	st->steps += size / WV_BYTES_STEP;
	if (!bytes_set(st, lo, hi)) /* saved registers aren't set either */
		return "the probe has not set all of it";
	for (int64_t b = lo; b < hi;) {
		unsigned byte;
		st->slot[slot_of(b, &byte) - 1].width = 0;
		b += bytes_of_slot(b, hi, byte);
	}
	return NULL;
}

const char *wv_lend(struct wv_ctx *ctx, struct wv_state *st, const struct wv_val *at, const struct wv_window *w)
{
	if (at->kind != WV_PTR)
		return "it is no pointer";
	if (at->region == WV_STACK)
		return at->n.smin < INT32_MIN || w->size > WARD_STACK_CEILING ? "it reaches beyond the frame"
									      : lend_stack(st, at, w->size);
	uint64_t size = wv_region_size(ctx, at->region);
	if (size < w->size || at->n.umax > size - w->size)
		return "it reaches beyond its region";
	if (w->writable && !region_writable(ctx, at->region))
		return "its region is for reading only";
	if (at->region == WV_RODATA && wv_module_touches_slot(ctx->module, at->n.umin, at->n.umax, w->size))
		return "it would contain an import's slot";
	if (w->size) {
		note_access(ctx, at, w->size, LOAD);
		if (w->writable)
			note_access(ctx, at, w->size, STORE);
	}
	return NULL;
}

/* ---- buffers of imports ---- */

/* A buffer in the frame above rsp. */
static const char *borrow_stack(
	struct wv_state *st, const struct wv_val *at, const struct wv_num *length, bool writes, const char **reason)
{
	*reason = "buffer-outside-frame";
	if (length->umax > WARD_STACK_CEILING || at->n.smin < -(int64_t)st->depth ||
		at->n.smax > -(int64_t)length->umax)
		return "it reaches beyond the frame above rsp";
	int64_t lo = at->n.smin, hi = at->n.smax + (int64_t)length->umax;
	st->steps += (uint64_t)(hi - lo) / WV_BYTES_STEP;
	*reason = "buffer-not-set";
	if (!writes)
		return bytes_set(st, lo, hi) ? NULL : "the probe has not set all of them";
	*reason = "buffer-over-saved-register";
	for (int64_t b = lo; b < hi;) {
		unsigned byte;
		uint32_t n = slot_of(b, &byte);
		b += bytes_of_slot(b, hi, byte);
		if (n > st->n_slots)
			continue;
		struct wv_slot *s = &st->slot[n - 1];
		if (s->width && s->v.kind == WV_SAVED)
			return "a register is saved there";
		s->width = 0;
	}
	if (wv_num_is_const(&at->n))
		smudge_bytes(st, lo, (unsigned)length->umin); /* at most WARD_STACK_CEILING */
	return NULL;
}

const char *wv_borrow(struct wv_ctx *ctx, struct wv_state *st, const struct wv_val *at, const struct wv_num *length,
	bool writes, const char **reason)
{
	*reason = "buffer-not-pointer";
	if (at->kind != WV_PTR)
		return "that is no pointer";
	if (at->region == WV_STACK)
		return borrow_stack(st, at, length, writes, reason);
	uint64_t size = wv_region_size(ctx, at->region);
	*reason = "buffer-outside-region";
	if (length->umax > size || at->n.umax > size - length->umax)
		return "it reaches beyond its region";
	*reason = "buffer-read-only";
	if (writes && !region_writable(ctx, at->region))
		return "its region is for reading only";
	*reason = NULL;
	if (at->region == WV_RODATA && wv_module_touches_slot(ctx->module, at->n.umin, at->n.umax, length->umax))
		return "they may belong to an import's slot, which holds an address of the host's";
	if (length->umax)
		note_access(ctx, at, (unsigned)length->umax, writes ? STORE : LOAD);
	return NULL;
}

/* ---- the operations ---- */

struct wv_val wv_load(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned bytes)
{
	struct wv_val at = wv_address(ctx, st, insn);
	wv_note_alignment(ctx, &at, bytes);
	if (at.kind == WV_PTR && at.region == WV_STACK) {
		if (check_stack(ctx, st, insn, &at, bytes, LOAD))
			return load_stack(ctx, st, insn, &at, bytes);
	} else if (check_region(ctx, insn, &at, bytes, LOAD) && at.region == WV_RODATA && bytes <= 8) {
		struct wv_constants c;
		bool few = wv_table_constants(ctx->module, &at.n, bytes, &c);
		struct wv_num n = few ? wv_constants_unsigned(&c, bytes) : wv_num_any();
		struct wv_val entry = few ? wv_val_number(ctx, &n) : any_number(ctx, bytes);
		if (few) {
			ctx->loaded_constant = true;
			ctx->constant = wv_constants_signed(&c);
		}
		if (bytes == 4)
			wv_table_loaded(ctx, &at.n, &entry);
		return entry;
	}
	return any_number(ctx, bytes);
}

void wv_store(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, unsigned bytes, const struct wv_val *v)
{
	struct wv_val at = wv_address(ctx, st, insn);
	bool own = wv_val_readable(v, bytes * 8);
	wv_note_alignment(ctx, &at, bytes);
	if (at.kind != WV_PTR || at.region != WV_STACK) {
		if (check_region(ctx, insn, &at, bytes, STORE) && !own) {
			char what[TEXT];
			wv_val_print(v, what, sizeof what);
			wv_report(ctx->sink, WARD_RULE_ESCAPE, insn->pc, "store-of-host-value",
				"the value that is stored to %s is %s", wv_region_name(at.region), what);
		}
		return;
	}
	if (!check_stack(ctx, st, insn, &at, bytes, STORE))
		return;
	bool exact = wv_num_is_const(&at.n);
	if (!own && !(exact && bytes == 8 && at.n.smin % 8 == 0)) {
		char what[TEXT];
		wv_val_print(v, what, sizeof what);
		wv_report(ctx->sink, WARD_RULE_UNINIT_REG, insn->pc, "read-of-unset-register",
			"the value that is stored is %s; such a register may only be saved whole, at an exact and "
			"aligned place of the stack",
			what);
		return;
	}
	if (exact)
		store_exact(ctx, st, at.n.smin, bytes, v);
	else
		store_inexact(ctx, st, insn, &at, bytes);
}

void wv_load_block(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes)
{
	if (at->kind != WV_PTR || at->region != WV_STACK)
		check_region(ctx, insn, at, bytes, LOAD);
	else if (check_stack(ctx, st, insn, at, bytes, LOAD))
		load_stack_bytes(ctx, st, insn, at, bytes);
}

void wv_store_block(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at,
	unsigned bytes, bool exact)
{
	if (at->kind != WV_PTR || at->region != WV_STACK) {
		check_region(ctx, insn, at, bytes, STORE);
		return;
	}
	if (!check_stack(ctx, st, insn, at, bytes, STORE))
		return;
	store_inexact(ctx, st, insn, at, bytes);
	if (!exact || !wv_num_is_const(&at->n))
		return;
	smudge_bytes(st, at->n.smin, bytes);
}

void wv_store_bytes(
	struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *at, unsigned bytes)
{
	if (at->kind != WV_PTR || at->region != WV_STACK) {
		check_region(ctx, insn, at, bytes, STORE);
		return;
	}
	if (!check_stack(ctx, st, insn, at, bytes, STORE))
		return;
	if (wv_num_is_const(&at->n))
		smudge_bytes(st, at->n.smin, bytes);
	else
		store_inexact(ctx, st, insn, at, bytes);
}

void wv_move_stack(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, int64_t depth)
{
	if (depth < 0 || depth % 8 != 0) {
		wv_report(ctx->sink, WARD_RULE_STACK_PTR, insn->pc,
			depth < 0 ? "stack-pointer-above-entry" : "stack-pointer-misaligned",
			"rsp becomes the entry's value %+" PRId64
			"; it must stay at or below the entry's value, in steps of 8",
			-depth);
		return;
	}
	if (depth > ctx->max_stack) {
		wv_report(ctx->sink, WARD_RULE_DEPTH, insn->pc, "stack-too-deep",
			"the stack is %" PRId64 " bytes deep; the limit is %u", depth, ctx->max_stack);
		return;
	}
	wv_state_set_depth(ctx, st, (uint32_t)depth);
}

void wv_push(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn, const struct wv_val *v)
{
	uint32_t before = st->depth;
	wv_move_stack(ctx, st, insn, (int64_t)st->depth + 8);
	if (st->depth != before)
		store_exact(ctx, st, -(int64_t)st->depth, 8, v);
}

struct wv_val wv_pop(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	struct wv_val v = wv_val_uninit();
	if (st->depth == 0) {
		wv_report(ctx->sink, WARD_RULE_STACK, insn->pc, "stack-above-frame",
			"pop takes the return address: rsp is the entry's");
		return v;
	}
	if (!load_from_slot(ctx, st, -(int64_t)st->depth, 8, &v) &&
		bytes_set(st, -(int64_t)st->depth, -(int64_t)st->depth + 8))
		v = any_number(ctx, 8);
	wv_state_set_depth(ctx, st, st->depth - 8);
	return v;
}
