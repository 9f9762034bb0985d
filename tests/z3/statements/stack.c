/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack, slot by slot (mem.c): what the state keeps of it, and what loads and stores make of that.
 *
 * Beside the state there is the machine's stack, written from the manual. It has bytes at addresses, the lowest byte
 * of a number first; and each byte either is data of the probe's own or isn't. Addresses are counted from rsp at the
 * entry; slot n is [-8n, -8n + 8). A row is about an access of so many bytes at any offset. The slots that it may
 * touch are near, next to each other; where it matters there is also any one other slot. Only these are in the state
 * (exec.h, window), whatever their numbers are; a goal is that no other slot is looked at or changed. So what is
 * proven holds of all slots.
 *
 * What the state keeps of a slot that is there (n ≤ n_slots) is true if
 *
 * - width 8: its value is what the eight bytes hold: a number or a pointer, and then all eight are the probe's own;
 *   or what a register held at the entry;
 * - width 4: it is a number whose lower half is what the four lowest bytes hold, and these are the probe's own;
 * - its value is whole (transfer.c), and its number contains what its identities say;
 * - each byte that its mask names is the probe's own.
 *
 * What is proven of a store, if nothing is reported: whatever value was stored, at whichever of the address's
 * offsets, what the state keeps of each slot is true of the stack afterwards, and nothing else in the state changes.
 * Of a load: its result is what the bytes hold, zero-extended, and is called the probe's own only if the bytes are.
 * Of both: the bytes lie in the part of the stack that is the function's own.
 *
 * slots.c covers functions that go through slots in a loop.
 */
#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "slots.h"

/* ---- the machine's stack ---- */

unsigned n_near, n_here;
term slot, byte, offset, slots_before;
term index_of[MOST_HERE], word[MOST_HERE], own[MOST_HERE];
static term wide_index[MOST_HERE];

/* The access is at byte b of its slot in this case: `of` it. */
static term by_byte(term of(unsigned b, unsigned k), unsigned k)
{
	term t = of(7, k);
	for (unsigned b = 7; b-- > 0;)
		t = ite(eq(byte, bits(64, b)), of(b, k), t);
	return t;
}

static struct {
	unsigned bytes;
	term byte[32], own[32]; /* what is stored; whether it is the probe's own, one bit each */
} stored;

static term byte_of(term t, unsigned i)
{
	return extract(8 * i + 7, 8 * i, t);
}

term bit_of(term t, unsigned i)
{
	return extract(i, i, t);
}

static bool is_stored(unsigned b, unsigned position)
{
	return position >= b && position < b + stored.bytes;
}

static term word_stored(unsigned b, unsigned k)
{
	term all = NULL;
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = 8 * k + i;
		term t = is_stored(b, at) ? stored.byte[at - b] : byte_of(word[k], i);
		all = all ? concat(t, all) : t;
	}
	return all;
}

static term own_stored(unsigned b, unsigned k)
{
	term all = NULL;
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = 8 * k + i;
		term t = is_stored(b, at) ? stored.own[at - b] : bit_of(own[k], i);
		all = all ? concat(t, all) : t;
	}
	return all;
}

term all_stored_own(void)
{
	term all = truth(true);
	for (unsigned i = 0; i < stored.bytes; i++)
		all = and_(all, eq(stored.own[i], bits(1, 1)));
	return all;
}

void machine_store(term when)
{
	for (unsigned k = 0; k < n_near; k++) {
		term after = by_byte(word_stored, k), mask = by_byte(own_stored, k);
		word[k] = ite(when, after, word[k]);
		own[k] = ite(when, mask, own[k]);
	}
}

/* The lower bytes of a value, and which are the probe's own. */
static void store_value(unsigned bytes, term x, term mask)
{
	stored.bytes = bytes;
	for (unsigned i = 0; i < bytes; i++) {
		stored.byte[i] = byte_of(x, i);
		stored.own[i] = bit_of(mask, i);
	}
}

term position_offset(unsigned at)
{
	return sub(bits(64, at), shl(zext(slot, 64), bits(64, 3)));
}

term bytes_between(term lo, term hi)
{
	term all = NULL, below = shl(zext(slot, 64), bits(64, 3)), first = add(lo, below), end = add(hi, below);
	for (unsigned i = 8; i-- > 0;) {
		term is = and_(sle(first, bits(64, i)), slt(bits(64, i), end)), bit = ite(is, bits(1, 1), bits(1, 0));
		all = all ? concat(all, bit) : bit;
	}
	return all;
}

void machine_store_bytes(term when, term lo, term hi)
{
	term hit = bytes_between(lo, hi), after = NULL;
	for (unsigned i = 8; i-- > 0;) {
		char name[20];
		snprintf(name, sizeof name, "stored%u", i);
		term one = ite(eq(bit_of(hit, i), bits(1, 1)), input(name, 8), byte_of(word[0], i));
		after = after ? concat(after, one) : one;
	}
	word[0] = ite(when, after, word[0]);
	own[0] = ite(when, bor(own[0], hit), own[0]);
}

static unsigned loaded_bytes;

static term bytes_loaded(unsigned b, unsigned k)
{
	term all = NULL;
	(void)k;
	for (unsigned at = b; at < b + loaded_bytes; at++)
		all = all ? concat(byte_of(word[at / 8], at % 8), all) : byte_of(word[at / 8], at % 8);
	return all;
}

static term all_own(unsigned b, unsigned k)
{
	term all = truth(true);
	(void)k;
	for (unsigned at = b; at < b + loaded_bytes; at++)
		all = and_(all, eq(bit_of(own[at / 8], at % 8), bits(1, 1)));
	return all;
}

/* ---- what is kept ---- */

struct value slot_at(unsigned k)
{
	return field_of(&state, offsetof(struct wv_state, slot) + k * sizeof(struct wv_slot));
}

struct kept kept_now(unsigned k)
{
	struct value at = slot_at(k);
	return (struct kept){content_load(&at), exec_load(now, &at, offsetof(struct wv_slot, width), 1),
		exec_load(now, &at, offsetof(struct wv_slot, init), 1)};
}

term is_there(unsigned k, term n_slots)
{
	return ult(index_of[k], n_slots);
}

void say_of_slot(say *says, const struct kept *s, term there, term holds, term mask)
{
	const struct content *c = &s->c;
	term none = eq(s->width, bits(8, 0)), all = and_(there, eq(s->width, bits(8, 8))),
	     half = and_(there, eq(s->width, bits(8, 4))), used = or_(all, half);
	term number = is_kind(c, WV_NUM), pointer = is_kind(c, WV_PTR), saved = is_kind(c, WV_SAVED);
	says("how much of a slot is kept", implies(there, or_(none, used)));
	says("bytes that are the probe's own", implies(there, eq(band(s->init, bnot(mask)), bits(8, 0))));
	says("what a slot holds", implies(all, and_(or_(number, or_(pointer, saved)), eq(held_by(c, holds), holds))));
	says("what half a slot holds", implies(half, and_(number, eq(extract(31, 0, c->h.x), extract(31, 0, holds)))));
	says("a value of the probe's own", implies(and_(all, not_(saved)), eq(mask, bits(8, 0xff))));
	says("half a value of the probe's own", implies(half, eq(extract(3, 0, mask), bits(4, 0xf))));
	says("a number of the probe's own", implies(and_(used, number), eq(c->init, bits(8, 64))));
	says("a value that is whole", implies(used, is_whole(c)));
	says("a member", implies(used, has_its_number(c)));
	says("a low identity", implies(used, holds_identity(&c->h)));
}

static void is_given(const char *name, term t)
{
	(void)name;
	assume(t);
}

struct content given_content(const struct value *at, const char *name, term when)
{
	struct value n_at = field_of(at, offsetof(struct wv_val, n));
	if (plainly()) {
		struct number n = valid_number(name);
		static unsigned symbol = 100; /* in a search numbers alone, each of its own */
		term sym = bits(32, symbol++);
		number_store(now, &n_at, &n);
		exec_store(now, at, offsetof(struct wv_val, kind), bits(8, WV_NUM));
		exec_store(now, at, offsetof(struct wv_val, init), bits(8, 64));
		exec_store(now, at, offsetof(struct wv_val, sym), sym);
		exec_store(now, at, offsetof(struct wv_val, add), bits(64, 0));
		exec_store(now, at, offsetof(struct wv_val, lsym), sym);
		exec_store(now, at, offsetof(struct wv_val, ladd), bits(32, 0));
		char full[30];
		snprintf(full, sizeof full, "%s.x", name);
		define_identity(sym, input(full, 64), sym, extract(31, 0, input(full, 64)), false);
	} else {
		term x = fresh(64), sym = exec_load(now, at, offsetof(struct wv_val, sym), 4),
		     by = exec_load(now, at, offsetof(struct wv_val, add), 8);
		term lsym = exec_load(now, at, offsetof(struct wv_val, lsym), 4),
		     low_by = exec_load(now, at, offsetof(struct wv_val, ladd), 4);
		define_identity(sym, sub(x, by), lsym, sub(extract(31, 0, x), low_by), false);
	}
	struct content c = content_load(at);
	if (!plainly())
		ask_about(&c.h.n, c.h.x);
	assume(implies(when, and_(plainly() ? truth(true) : is_whole(&c), holds_number(&c.h))));
	return c;
}

/* ---- callees ---- */

static const struct callee *more_callees;

void also_call(const struct callee *list)
{
	more_callees = list;
}

static bool is_called(const struct callee *list, const char *name, const struct called *c)
{
	for (; list && list->function; list++) {
		if (strcmp(list->function, name) != 0 || (plainly() && !list->always))
			continue;
		list->call(c);
		return true;
	}
	return false;
}

static bool is_run(const struct callee *list, const char *name)
{
	while (list && list->function && (list->call || strcmp(list->function, name) != 0))
		list++;
	return list && list->function;
}

static bool called_here(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct called c = {args, m, guard, result};
	now = m;
	if (is_run(more_callees, name))
		return false;
	return is_called(slot_callees, name, &c) || is_called(more_callees, name, &c) ||
	       called(name, args, m, guard, result);
}

/* ---- before and after ---- */

struct memory *was;

/* The input of this slot. */
static term slot_input(const char *what, unsigned k, unsigned width)
{
	char name[20];
	snprintf(name, sizeof name, "%s%u", what, k);
	return input(name, width);
}

static void given_slot(unsigned k)
{
	char name[20];
	struct value at = slot_at(k);
	term width = slot_input("width", k, 8), there = is_there(k, slots_before);
	snprintf(name, sizeof name, "value%u", k);
	exec_store(now, &at, offsetof(struct wv_slot, width), width);
	exec_store(now, &at, offsetof(struct wv_slot, init), slot_input("init", k, 8));
	given_content(&at, name, and_(there, not_(eq(width, bits(8, 0)))));
	word[k] = slot_input("word", k, 64);
	own[k] = slot_input("own", k, 8);
	struct kept s = kept_now(k);
	say_of_slot(is_given, &s, there, word[k], own[k]);
}

void stands_for(unsigned k, term index)
{
	index_of[k] = index;
	wide_index[k] = zext(index, 64);
}

void begin_stack(unsigned bytes, bool other)
{
	term most = bits(32, WV_MAX_SLOTS);
	n_near = (bytes + 6) / 8 + 1;
	n_here = n_near + other;
	more_callees = NULL;
	exec_shifts = true;
	exec_most_turns = n_near + 1; /* of loops over the slots of one access; the last one only ends it */
	begin_state(n_here);
	summarise_always(called_here);
	slot = input("slot", 32);
	byte = zext(input("byte", 3), 64);
	offset = sub(byte, shl(zext(slot, 64), bits(64, 3)));
	assume(and_(ule(bits(32, 1), slot), ule(slot, most)));
	assume(sle(offset, sub(bits(64, 0), bits(64, bytes))));
	for (unsigned k = 0; k < n_here; k++)
		stands_for(k, k < n_near ? sub(slot, bits(32, k + 1)) : input("other", 32));
	exec_window = (struct window){WV_MAX_SLOTS, n_here, wide_index};
	if (plainly())
		memory_fill(now, &context, 0, offsetof(struct wv_ctx, lent));
	if (plainly())
		exec_store(now, &context, offsetof(struct wv_ctx, next_sym), bits(32, 1000));
	slots_before = input("slots", 32);
	exec_store(now, &state, offsetof(struct wv_state, n_slots), slots_before);
	assume(ule(slots_before, most));
	if (plainly()) { /* the first few */
		exec_bound = and_(ule(slot, bits(32, n_near)),
			and_(ule(slots_before, bits(32, n_near)), ule(slot, add(slots_before, bits(32, 1)))));
		assume(exec_bound);
	}
	for (unsigned k = 0; k < n_here; k++)
		given_slot(k);
	term cases[8];
	for (unsigned b = 0; b < 8; b++)
		cases[b] = eq(byte, bits(64, b));
	split_by(cases, 8);
}

void called_with(const struct query *q, const struct value *args, struct value *told)
{
	was = memory_copy(now);
	*told = call_function(q, args, now);
	now = &state_memory;
}

bool in_slots(uint64_t at)
{
	return at >= offsetof(struct wv_state, slot) || at == offsetof(struct wv_state, n_slots);
}

bool in_nothing(uint64_t at)
{
	(void)at;
	return false;
}

/* … or rsp is moved. */
bool in_frame_of_stack(uint64_t at)
{
	const size_t rsp = offsetof(struct wv_state, reg) + WV_RSP * sizeof(struct wv_val);
	return in_slots(at) || at == offsetof(struct wv_state, depth) ||
	       (at >= rsp && at < rsp + sizeof(struct wv_val));
}

/* What is gathered on the way. */
static bool may_be_noted(uint64_t at)
{
	static const size_t facts[] = {offsetof(struct wv_ctx, next_sym), offsetof(struct wv_ctx, stack_bytes),
		offsetof(struct wv_ctx, event_fields), offsetof(struct wv_ctx, writes_state),
		offsetof(struct wv_ctx, loaded_constant)};
	bool is = (at >= offsetof(struct wv_ctx, table) && at < offsetof(struct wv_ctx, loaded_constant)) ||
		  (at >= offsetof(struct wv_ctx, constant) && at < offsetof(struct wv_ctx, quotient));
	for (unsigned i = 0; i < sizeof facts / sizeof facts[0]; i++)
		is = is || at == facts[i];
	return is;
}

void claim_same(const struct value *what, bool may_change(uint64_t at), const char *name)
{
	unsigned o = what->place[0].object;
	const struct object *object = object_at(o);
	for (unsigned i = 0; i < object->n_cells; i++) {
		if (!may_change(object->cell[i].offset))
			claim(name, eq(was->cells[o][i], now->cells[o][i]));
	}
}

void claim_slots(void)
{
	term n = STATE(n_slots);
	for (unsigned k = 0; k < n_here; k++) {
		struct kept s = kept_now(k);
		say_of_slot(claim, &s, is_there(k, n), word[k], own[k]);
	}
}

void end_stack(bool may_change(uint64_t at))
{
	claim_same(&state, may_change, "what is changed");
	claim_same(&context, may_be_noted, "what is noted");
	prove_claims();
	if (!plainly())
		possible(not_(reported));
	prove_hazards(not_(reported));
	memory_free(was);
}

/* No more slots than there were, but for that of the access. */
static void claim_count(term deepest)
{
	term n = STATE(n_slots);
	claim("slots that are there", and_(ule(slots_before, n), or_(ule(n, slots_before), ule(n, deepest))));
}

/* ---- values that are stored and loaded ---- */

static struct content stored_content;

struct value given_value_to_store(unsigned bytes)
{
	struct value v = exec_struct(now, "struct.wv_val", 0);
	term mask = input("v.own", 8), number, told = truth(true);
	stored_content = given_content(&v, "v", truth(true));
	number = is_kind(&stored_content, WV_NUM);
	for (unsigned n = 8; n <= 64; n *= 2) {
		term low = bits(8, n == 8 ? 1 : n == 16 ? 3 : 0xff);
		told = and_(told, implies(or_(and_(number, eq(stored_content.init, bits(8, n))),
						  and_(truth(n == 64), is_kind(&stored_content, WV_PTR))),
					  eq(band(mask, low), low)));
	}
	assume(told);
	store_value(bytes, held_by(&stored_content, input("stored", 64)), mask);
	return v;
}

/* wv_val_readable */
static term is_readable(const struct content *c, unsigned width)
{
	return or_(is_kind(c, WV_PTR), and_(is_kind(c, WV_NUM), ule(bits(8, width), c->init)));
}

term bytes_own(unsigned bytes)
{
	loaded_bytes = bytes;
	return by_byte(all_own, 0);
}

term loaded(unsigned bytes, term *mine)
{
	*mine = bytes_own(bytes);
	return zext(by_byte(bytes_loaded, 0), 64);
}

void claim_loaded(const struct value *at, unsigned bytes, term x, term mine, term when)
{
	struct content c = content_load(at);
	term number = is_kind(&c, WV_NUM), pointer = is_kind(&c, WV_PTR);
	claim("what is loaded", implies(when, eq(held_by(&c, x), x)));
	claim("a value that is whole", implies(when, is_whole(&c)));
	claim("a member", implies(when, plainly() ? implies(number, member(&c.h.n, x)) : has_its_number(&c)));
	claim("a low identity", implies(when, holds_identity(&c.h)));
	claim("a number, if it is a part", implies(when, bytes == 8 ? truth(true) : number));
	claim("a number or a pointer of the probe's own",
		implies(and_(when, or_(number, pointer)), and_(mine, implies(number, eq(c.init, bits(8, 64))))));
}

/* ---- the rows ---- */

/* uint32_t slot_of(offset, byte) */
void build_slot_of(const struct query *q)
{
	begin_stack(1, false);
	struct value to = exec_object(now, (const uint8_t[]){4, 0}), args[] = {exec_bits(offset), to}, told;
	called_with(q, args, &told);
	claim("the slot", eq(told.part[0], slot));
	claim("the byte of it", eq(zext(exec_load(now, &to, 0, 4), 64), byte));
	end_stack(in_nothing);
}

/* void store_exact(ctx, st, offset, bytes, v) */
void build_store_exact(const struct query *q)
{
	unsigned bytes = (unsigned)q->op;
	begin_stack(bytes, false);
	struct value v = given_value_to_store(bytes), told;
	assume(or_(is_readable(&stored_content, 8 * bytes), and_(truth(bytes == 8), eq(byte, bits(64, 0)))));
	struct value args[] = {context, state, exec_bits(offset), exec_bits(bits(32, bytes)), v};
	called_with(q, args, &told);
	machine_store(truth(true));
	claim_slots();
	claim_count(slot);
	end_stack(in_slots);
}

/* bool load_from_slot(ctx, st, offset, bytes, out) */
void build_load_slot(const struct query *q)
{
	unsigned bytes = (unsigned)q->op;
	begin_stack(bytes, false);
	term mine, x = loaded(bytes, &mine);
	struct value out = exec_struct(now, "struct.wv_val", 0),
		     args[] = {context, state, exec_bits(offset), exec_bits(bits(32, bytes)), out}, told;
	any_is = x;
	called_with(q, args, &told);
	claim_loaded(&out, bytes, x, mine, returned_true(&told));
	end_stack(in_nothing);
}

/* A pointer to where the access is, in the stack. */
static struct value given_place(void)
{
	struct value at = exec_struct(now, "struct.wv_val", 0), n_at = field_of(&at, offsetof(struct wv_val, n));
	struct content c = given_content(&at, "at", truth(true));
	exec_store(now, &at, offsetof(struct wv_val, kind), bits(8, WV_PTR));
	exec_store(now, &at, offsetof(struct wv_val, region), bits(8, WV_STACK));
	c.h.n = number_load(now, &n_at);
	assume(and_(has_number(&c.h), and_(eq(c.h.x, offset), member(&c.h.n, c.h.x))));
	return at;
}

/* struct wv_val load_stack(ctx, st, insn, at, bytes) */
void build_load_stack(const struct query *q)
{
	unsigned bytes = (unsigned)q->op;
	begin_stack(bytes, false);
	term mine, x = loaded(bytes, &mine);
	struct value at = given_place(), out = exec_struct(now, "struct.wv_val", 0),
		     args[] = {out, context, state, instruction, at, exec_bits(bits(32, bytes))}, told;
	struct content c = content_load(&at);
	assume(and_(sle(least_offset(), c.h.n.smin), sle(c.h.n.smax, sub(bits(64, 0), bits(64, bytes)))));
	any_is = x;
	called_with(q, args, &told);
	claim_loaded(&out, bytes, x, mine, truth(true));
	end_stack(in_nothing);
}
