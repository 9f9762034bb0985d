/*
 * The stack, slot by slot (mem.c): what is kept of it, and what loads and stores make of that.
 *
 * Beside the state stands the machine's stack, written from the manual: bytes at addresses, of a number the lowest one first, and of each byte whether it is data of the probe's own. Addresses are counted from rsp at
 * the entry; slot n is [-8n, -8n + 8). A row is about an access of so many bytes at any offset: the slots that it may touch are near, next to each other, and where it matters there is any one other. Only these stand in the
 * state (exec.h, window), whatever their numbers are: that no other one is looked at or changed is a goal. So what is proven holds of all slots.
 *
 * What is kept of a slot, if it is there (n ≤ n_slots), is true if
 *	width 8: its value is what the eight bytes hold: a number or a pointer, then all eight are the probe's own; or what a register held at the entry
 *	width 4: it is a number, of which the lower half is what the four lowest bytes hold, and these are the probe's own
 *	its value is whole (transfer.c), and its number has what its identities say
 *	each byte that its mask names is the probe's own
 *
 * What is proven of a store, if nothing is reported: whatever value was stored, at whichever of the offsets that the address may have, what is kept of each slot is true of the stack as it is then, and nothing else in the state is
 * changed. Of a load: what it gives is what the bytes hold, zero-extended, and says that it is the probe's own only if they are. Of both: the bytes lie in the part of the stack that is the function's own.
 *
 * Loops whose turns can't be counted are followed by induction: what holds at their head is assumed there, and proven at the entry and of a turn.
 */
#include <stdio.h>
#include <string.h>

#include "arith.h"
#include "facts.h"
#include "memory.h"
#include "stack.h"

/* ---- the machine's stack ---- */

enum { MOST_NEAR = 5, MOST_HERE = MOST_NEAR + 1 };

static unsigned n_near, n_here;
term slot, byte, offset, slots_before;
static term index_of[MOST_HERE], wide_index[MOST_HERE];   /* near ones first, going up; then any other one */
static term word[MOST_HERE], own[MOST_HERE];              /* what they hold; a bit for each byte */

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

static term bit_of(term t, unsigned i)
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

/* Where the byte at this position of the near slots is. */
static term position_offset(unsigned at)
{
	return sub(bits(64, at), shl(zext(slot, 64), bits(64, 3)));
}

/* Of `slot`, a bit for each of its bytes. */
static term bytes_between(term lo, term hi)
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

struct kept {
	struct content c;
	term width, init;
};

static struct value slot_at(unsigned k)
{
	return field_of(&state, offsetof(struct wv_state, slot) + k * sizeof(struct wv_slot));
}

static struct kept kept_now(unsigned k)
{
	struct value at = slot_at(k);
	return (struct kept){content_load(&at), exec_load(now, &at, offsetof(struct wv_slot, width), 1), exec_load(now, &at, offsetof(struct wv_slot, init), 1)};
}

static term is_there(unsigned k, term n_slots)
{
	return ult(index_of[k], n_slots);
}

typedef void say(const char *name, term t);

static void say_of_slot(say *says, const struct kept *s, term there, term holds, term mask)
{
	const struct content *c = &s->c;
	term none = eq(s->width, bits(8, 0)), all = and_(there, eq(s->width, bits(8, 8))), half = and_(there, eq(s->width, bits(8, 4))), used = or_(all, half);
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
		term x = fresh(64), sym = exec_load(now, at, offsetof(struct wv_val, sym), 4), by = exec_load(now, at, offsetof(struct wv_val, add), 8);
		term lsym = exec_load(now, at, offsetof(struct wv_val, lsym), 4), low_by = exec_load(now, at, offsetof(struct wv_val, ladd), 4);
		define_identity(sym, sub(x, by), lsym, sub(extract(31, 0, x), low_by), false);
	}
	struct content c = content_load(at);
	if (!plainly())
		ask_about(&c.h.n, c.h.x);
	assume(implies(when, and_(plainly() ? truth(true) : is_whole(&c), holds_number(&c.h))));
	return c;
}

/* ---- callees ---- */

static struct value window_element(term index)
{
	struct value p = {.kind = POINTER};
	term none = truth(true);
	for (unsigned k = 0; k < n_here; k++) {
		struct value at = slot_at(k);
		at.place[0].when = and_(none, eq(index, index_of[k]));
		none = and_(none, not_(eq(index, index_of[k])));
		p.place[p.n++] = at.place[0];
	}
	return p;
}

/* Slots up to the n-th are there; nothing is known of those that were not. */
static void make_slots(term n)
{
	term had = STATE(n_slots), none = bits(8, 0);
	for (unsigned k = 0; k < n_here; k++) {
		struct value at = slot_at(k);
		at.place[0].when = and_(ule(had, index_of[k]), ult(index_of[k], n));
		exec_store(now, &at, offsetof(struct wv_slot, v) + offsetof(struct wv_val, kind), bits(8, WV_UNINIT));
		exec_store(now, &at, offsetof(struct wv_slot, v) + offsetof(struct wv_val, sym), bits(32, 0));
		exec_store(now, &at, offsetof(struct wv_slot, width), none);
		exec_store(now, &at, offsetof(struct wv_slot, init), none);
	}
	exec_store(now, &state, offsetof(struct wv_state, n_slots), ite(ult(had, n), n, had));
}

/* struct wv_slot *wv_state_slot(st, n) */
static void call_state_slot(const struct called *c)
{
	term n = c->args[1].part[0], last = sub(n, bits(32, 1)), found = truth(false);
	make_slots(n);
	for (unsigned k = 0; k < n_here; k++)
		found = or_(found, eq(last, index_of[k]));
	claim("a slot that the statement is about", implies(c->guard, and_(found, ult(last, bits(32, WV_MAX_SLOTS)))));
	*c->result = window_element(last);
}

term least_offset(void)
{
	return bits(64, 0 - (uint64_t)8 * WV_MAX_SLOTS);
}

/* bool bytes_set(st, lo, hi) */
static void call_bytes_set(const struct called *c)
{
	term lo = c->args[1].part[0], hi = c->args[2].part[0], told = fresh_bool(), n = STATE(n_slots);
	claim("bytes that the frame has", implies(c->guard, and_(sle(least_offset(), lo), sle(hi, bits(64, 0)))));
	for (unsigned at = 0; at < 8 * n_near; at++) {
		struct kept s = kept_now(at / 8);
		term there = and_(is_there(at / 8, n), eq(bit_of(s.init, at % 8), bits(1, 1)));
		assume(implies(and_(told, and_(sle(lo, position_offset(at)), slt(position_offset(at), hi))), there));
	}
	*c->result = exec_bits(told);
}

/* The slot that this byte of the frame lies in. */
static term slot_with(term at)
{
	return extract(31, 0, lshr(sub(bits(64, 7), at), bits(64, 3)));
}

/* What is kept of a slot after these bytes of it were set to something of the probe's own. */
static void smudged(const struct kept *s, term hit, term *width, term *init)
{
	term first = ctz(hit), none = bits(8, 0), number = is_kind(&s->c, WV_NUM);
	term half = and_(and_(eq(s->width, bits(8, 8)), ule(bits(8, 4), first)), and_(number, ule(s->c.h.n.umax, bits(64, UINT32_MAX))));
	*width = ite(or_(eq(hit, none), ule(s->width, first)), s->width, ite(half, bits(8, 4), none));
	*init = bor(s->init, hit);
}

static term are_bytes(term lo, term hi)
{
	return and_(and_(sle(least_offset(), lo), slt(lo, hi)), sle(hi, bits(64, 0)));
}

/* void smudge_bytes(st, offset, bytes), where of all slots one stands in the state. */
void call_smudge_bytes(const struct called *c)
{
	term lo = c->args[1].part[0], hi = add(lo, zext(c->args[2].part[0], 64)), width, init;
	struct value at = slot_at(0);
	claim("bytes that the frame has", implies(c->guard, are_bytes(lo, hi)));
	make_slots(slot_with(lo));
	struct kept s = kept_now(0);
	smudged(&s, bytes_between(lo, hi), &width, &init);
	exec_store(now, &at, offsetof(struct wv_slot, width), width);
	exec_store(now, &at, offsetof(struct wv_slot, init), init);
}

/* A byte of [lo, hi] lies in the slot. */
static term touches(term slot_number, term lo, term hi)
{
	term first = sub(bits(64, 0), shl(zext(slot_number, 64), bits(64, 3)));
	return and_(sle(first, hi), sle(lo, add(first, bits(64, 7))));
}

static term saved_there(const struct kept *s)
{
	return and_(not_(eq(s->width, bits(8, 0))), is_kind(&s->c, WV_SAVED));
}

/* void store_inexact(ctx, st, insn, at, bytes) */
static void call_store_inexact(const struct called *c)
{
	struct content at = content_load(&c->args[3]);
	term bytes = zext(c->args[4].part[0], 64), lo = at.h.n.smin, hi = add(at.h.n.smax, sub(bytes, bits(64, 1)));
	claim("bytes that the frame has", implies(c->guard, and_(ule(bits(64, 1), bytes), and_(and_(sle(least_offset(), lo), sle(lo, at.h.n.smax)), sle(at.h.n.smax, sub(bits(64, 0), bytes))))));
	for (unsigned k = 0; k < n_here; k++) {
		struct kept s = kept_now(k);
		term forgotten = and_(is_there(k, STATE(n_slots)), touches(add(index_of[k], bits(32, 1)), lo, hi));
		struct value where = slot_at(k);
		where.place[0].when = forgotten;
		report_or(c, implies(forgotten, not_(saved_there(&s))));
		exec_store(now, &where, offsetof(struct wv_slot, width), bits(8, 0));
	}
}

static const struct callee callees[] = {
	{"wv_state_slot", call_state_slot, false}, {"bytes_set", call_bytes_set, false}, {"store_inexact", call_store_inexact, false}, {NULL, NULL, false},
}, *more_callees;

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

static bool called_here(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct called c = {args, m, guard, result};
	now = m;
	return is_called(callees, name, &c) || is_called(more_callees, name, &c) || called(name, args, m, guard, result);
}

/* ---- before and after ---- */

static struct memory *was;

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

static void stands_for(unsigned k, term index)
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
		exec_bound = and_(ule(slot, bits(32, n_near)), and_(ule(slots_before, bits(32, n_near)), ule(slot, add(slots_before, bits(32, 1)))));
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

static bool in_first_slot(uint64_t at)
{
	return (at >= offsetof(struct wv_state, slot) && at < offsetof(struct wv_state, slot) + sizeof(struct wv_slot)) || at == offsetof(struct wv_state, n_slots);
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
	return in_slots(at) || at == offsetof(struct wv_state, depth) || (at >= rsp && at < rsp + sizeof(struct wv_val));
}

/* What is gathered on the way. */
static bool may_be_noted(uint64_t at)
{
	static const size_t facts[] = {offsetof(struct wv_ctx, next_sym), offsetof(struct wv_ctx, stack_bytes), offsetof(struct wv_ctx, event_fields), offsetof(struct wv_ctx, writes_state),
		offsetof(struct wv_ctx, loaded_constant)};
	bool is = (at >= offsetof(struct wv_ctx, table) && at < offsetof(struct wv_ctx, loaded_constant)) ||
		  (at >= offsetof(struct wv_ctx, constant) && at < offsetof(struct wv_ctx, quotient));
	for (unsigned i = 0; i < sizeof facts / sizeof facts[0]; i++)
		is = is || at == facts[i];
	return is;
}

static void claim_same(const struct value *what, bool may_change(uint64_t at), const char *name)
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
		told = and_(told, implies(or_(and_(number, eq(stored_content.init, bits(8, n))), and_(truth(n == 64), is_kind(&stored_content, WV_PTR))), eq(band(mask, low), low)));
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
	claim("a number or a pointer of the probe's own", implies(and_(when, or_(number, pointer)), and_(mine, implies(number, eq(c.init, bits(8, 64))))));
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

/* bool load_kept(ctx, st, offset, bytes, out) */
void build_load_kept(const struct query *q)
{
	unsigned bytes = (unsigned)q->op;
	begin_stack(bytes, false);
	term mine, x = loaded(bytes, &mine);
	struct value out = exec_struct(now, "struct.wv_val", 0), args[] = {context, state, exec_bits(offset), exec_bits(bits(32, bytes)), out}, told;
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
	struct value at = given_place(), out = exec_struct(now, "struct.wv_val", 0), args[] = {out, context, state, instruction, at, exec_bits(bits(32, bytes))}, told;
	struct content c = content_load(&at);
	assume(and_(sle(least_offset(), c.h.n.smin), sle(c.h.n.smax, sub(bits(64, 0), bits(64, bytes)))));
	any_is = x;
	called_with(q, args, &told);
	claim_loaded(&out, bytes, x, mine, truth(true));
	end_stack(in_nothing);
}

/* ---- loops ---- */

static struct iteration turn;

/* One turn of the function's loop, from the state as it is. */
static void take_turn(const struct query *q, const struct value *args)
{
	was = memory_copy(now);
	turn.memory = now;
	without_summary(q->function);
	exec_iteration(q->function, args, &turn);
	possible(and_(turn.again, not_(reported)));
	prove_claims();
	prove_hazards(not_(reported));
}


/* struct wv_slot *wv_state_slot(st, n): by induction over the slots that are made. */
void build_state_slot(const struct query *q)
{
	begin_stack(1, true);
	term n = add(index_of[1], bits(32, 1)), made = slots_before;
	assume(ult(index_of[1], bits(32, WV_MAX_SLOTS)));
	struct value args[] = {state, exec_bits(n)}, told;
	if (plainly()) { /* of a slot of which nothing was known so far, nothing is */
		assume(and_(eq(n, slot), eq(made, index_of[0])));
		called_with(q, args, &told);
		claim_slots();
		claim("slots that are there", and_(ule(n, STATE(n_slots)), ule(made, STATE(n_slots))));
		claim("the slot that is asked for", told.n == n_here ? told.place[0].when : truth(false));
		end_stack(in_slots);
		return;
	}
	stands_for(0, made); /* the one that is made, before the one that is asked for */
	take_turn(q, args);
	claim("another turn, or none", same_truth(turn.again, ult(made, n)));
	now = turn.next_memory;
	struct kept s = kept_now(0);
	term zero = bits(8, 0), nothing = and_(eq(s.width, zero), and_(eq(s.init, zero), and_(is_kind(&s.c, WV_UNINIT), eq(s.c.h.sym, bits(32, 0)))));
	claim("an empty slot", implies(turn.again, nothing));
	claim("one more", implies(turn.again, eq(STATE(n_slots), add(made, bits(32, 1)))));
	claim_same(&state, in_first_slot, "what is changed");
	now = turn.left;
	claim_same(&state, in_nothing, "what is changed in the end");
	claim("the slot that is asked for", implies(not_(turn.again), turn.result.n == n_here ? turn.result.place[1].when : truth(false)));
	prove_claims();
}

/* bool bytes_set(st, lo, hi): by induction over the bytes: those below the one that is looked at next are set. `offset` is any of them. */
void build_bytes_set(const struct query *q)
{
	begin_stack(1, true);
	term lo = input("lo", 64), hi = input("hi", 64), n = slots_before, at = input("at", 64);
	struct kept s = kept_now(0);
	term is_set = and_(is_there(0, n), not_(eq(band(s.init, extract(7, 0, shl(bits(64, 1), byte))), bits(8, 0)))), from_lo = sle(lo, offset);
	struct value args[] = {state, exec_bits(lo), exec_bits(hi)}, told;
	assume(and_(sle(least_offset(), lo), sle(hi, bits(64, 0))));
	if (plainly()) {
		exec_bound = and_(exec_bound, sle(bits(64, 0 - UINT64_C(8)), lo));
		assume(exec_bound);
		stands_for(1, bits(32, 0));
		called_with(q, args, &told);
		claim("bytes that are set", implies(and_(returned_true(&told), and_(from_lo, slt(offset, hi))), is_set));
		end_stack(in_nothing);
		return;
	}
	assume(and_(sle(lo, at), or_(sle(at, hi), eq(at, lo))));
	stands_for(1, sub(extract(31, 0, lshr(sub(bits(64, 7), at), bits(64, 3))), bits(32, 1)));
	turn.state[0] = at;
	take_turn(q, args);
	term so_far = implies(and_(from_lo, slt(offset, at)), is_set), next = turn.next[0];
	claim("from the first byte on", eq(turn.entry[0], lo));
	claim("one byte after another", implies(turn.again, and_(eq(next, add(at, bits(64, 1))), sle(next, hi))));
	claim("bytes that are set so far", implies(and_(turn.again, so_far), implies(and_(from_lo, slt(offset, next)), is_set)));
	claim("bytes that are set", implies(and_(not_(turn.again), and_(returned_true(&turn.result), so_far)), implies(and_(from_lo, slt(offset, hi)), is_set)));
	now = turn.next_memory;
	claim_same(&state, in_nothing, "what is changed");
	now = turn.left;
	claim_same(&state, in_nothing, "what is changed in the end");
	prove_claims();
}

/* void store_inexact(ctx, st, insn, at, bytes): by induction over the slots that it may hit: what is kept of those before the next one is forgotten. `slot` is any of them. */
void build_store_inexact(const struct query *q)
{
	begin_stack(1, true);
	struct value at = exec_struct(now, "struct.wv_val", 0);
	struct content c = given_content(&at, "at", truth(true));
	term bytes = input("bytes", 32), wide = zext(bytes, 64), x = input("place", 64), zero = bits(64, 0), none = bits(8, 0);
	assume(and_(ule(bits(32, 1), bytes), ule(bytes, bits(32, 8 * WV_MAX_SLOTS))));
	assume(and_(and_(sle(least_offset(), c.h.n.smin), sle(c.h.n.smin, x)), and_(sle(x, c.h.n.smax), sle(c.h.n.smax, sub(zero, wide)))));
	/* The byte at `offset` is stored, of which it is not known what; if it is one of those. */
	term hit = and_(sle(x, offset), slt(offset, add(x, wide))), before = word[0], mine = own[0];
	word[0] = ite(hit, input("stored", 64), before);
	own[0] = ite(hit, bor(mine, input("stored own", 8)), mine);
	struct value args[] = {context, state, instruction, at, exec_bits(bytes)}, told;
	if (plainly()) {
		exec_most_turns = 2;
		assume(and_(and_(eq(bytes, bits(32, 1)), eq(slot, bits(32, 1))), and_(eq(slots_before, slot), sle(bits(64, 0 - UINT64_C(8)), c.h.n.smin))));
		exec_bound = and_(eq(slots_before, slot), eq(slot, bits(32, 1)));
		called_with(q, args, &told);
		struct kept s = kept_now(0);
		say_of_slot(claim, &s, is_there(0, slots_before), word[0], own[0]);
		end_stack(in_slots);
		return;
	}
	term first = input("first", 32), last = add(c.h.n.smax, sub(wide, bits(64, 1))), n = input("n", 32), there = is_there(0, slots_before);
	term from = sub(zero, shl(zext(first, 64), bits(64, 3))), told_so_far = fresh_bool();
	assume(and_(and_(ule(bits(32, 1), first), ule(first, bits(32, WV_MAX_SLOTS))), and_(sle(from, last), sle(last, add(from, bits(64, 7))))));
	assume(and_(ule(first, n), ule(n, bits(32, WV_MAX_SLOTS + 1))));
	struct value where = slot_at(0);
	struct kept s = kept_now(0);
	term passed = and_(ule(first, slot), ult(slot, n)), passed_next = and_(ule(first, slot), ule(slot, n));
	assume(implies(and_(passed, and_(there, saved_there(&s))), told_so_far));
	exec_store(now, &where, offsetof(struct wv_slot, width), ite(passed, none, s.width));
	stands_for(1, sub(n, bits(32, 1)));
	turn.state[0] = n;
	take_turn(q, args);
	term told_now = or_(told_so_far, reported);
	reported = truth(false); /* from here on it is said where something must have been */
	claim("from the first slot on", eq(turn.entry[0], first));
	claim("one slot after another", implies(turn.again, and_(eq(turn.next[0], add(n, bits(32, 1))), ule(turn.next[0], bits(32, WV_MAX_SLOTS + 1)))));
	claim("the last slot", implies(and_(not_(turn.again), and_(hit, there)), passed));
	now = turn.next_memory;
	claim("slots that are forgotten so far", implies(turn.again, eq(kept_now(0).width, ite(passed_next, none, s.width))));
	claim("a saved register is told of", implies(and_(turn.again, and_(passed_next, and_(there, saved_there(&s)))), told_now));
	claim("what is kept of a slot", implies(turn.again, eq(kept_now(0).init, s.init)));
	claim_same(&state, in_slots, "what is changed");
	now = turn.left;
	claim_same(&state, in_slots, "what is changed in the end");
	prove_claims();
	struct kept after = kept_now(0);
	reported = or_(told_now, turn.again);
	say_of_slot(claim, &after, there, word[0], own[0]);
	prove_claims();
}

/*
 * void smudge_bytes(st, offset, bytes), of any length: by induction over the slots that it sets bytes of. Of those below the next byte it is known that they are set, and what was kept of their slot has become what that makes of it;
 * `slot` is any of them.
 */
void build_smudge_bytes(const struct query *q)
{
	begin_stack(1, true);
	term lo = input("lo", 64), bytes = input("bytes", 32), hi = add(lo, zext(bytes, 64)), at = input("at", 64), none = bits(8, 0), n0 = slots_before;
	struct value args[] = {state, exec_bits(lo), exec_bits(bytes)}, told, here = slot_at(0), other = slot_at(1);
	assume(are_bytes(lo, hi));
	if (plainly()) {
		exec_bound = and_(exec_bound, sle(bits(64, 0 - UINT64_C(8)), lo));
		assume(and_(exec_bound, ule(slot, slots_before)));
		stands_for(1, bits(32, 0));
		called_with(q, args, &told);
		machine_store_bytes(truth(true), lo, hi);
		struct kept s = kept_now(0);
		say_of_slot(claim, &s, is_there(0, STATE(n_slots)), word[0], own[0]);
		end_stack(in_slots);
		return;
	}
	term begun = not_(eq(at, lo)), there = is_there(0, n0), deepest = slot_with(lo), n = ite(ult(n0, deepest), deepest, n0), width, init;
	assume(and_(and_(sle(lo, at), sle(at, hi)), or_(or_(eq(at, lo), eq(at, hi)), eq(extract(2, 0, at), bits(3, 0)))));
	struct kept was_kept = kept_now(0), s = was_kept;
	s.width = ite(there, s.width, none);
	s.init = ite(there, s.init, none);
	term is = and_(begun, ult(index_of[0], n));
	smudged(&s, bytes_between(lo, at), &width, &init);
	exec_store(now, &here, offsetof(struct wv_slot, width), ite(is, width, was_kept.width));
	exec_store(now, &here, offsetof(struct wv_slot, init), ite(is, init, was_kept.init));
	exec_store(now, &state, offsetof(struct wv_state, n_slots), ite(begun, n, n0));
	stands_for(1, sub(slot_with(at), bits(32, 1))); /* of which nothing is known */
	exec_store(now, &other, offsetof(struct wv_slot, width), fresh(8));
	exec_store(now, &other, offsetof(struct wv_slot, init), fresh(8));
	exec_store(now, &other, offsetof(struct wv_slot, v) + offsetof(struct wv_val, kind), fresh(8));
	turn.state[0] = extract(31, 0, sub(hi, at));
	turn.state[1] = at;
	take_turn(q, args);
	term next = turn.next[1], left = zext(turn.next[0], 64);
	claim("from the first byte on", and_(eq(turn.entry[1], lo), eq(turn.entry[0], bytes)));
	claim("another turn, or none", same_truth(turn.again, slt(at, hi)));
	claim("one slot after another", implies(turn.again, and_(and_(slt(at, next), sle(next, hi)), or_(eq(next, hi), eq(extract(2, 0, next), bits(3, 0))))));
	claim("bytes that are left", implies(turn.again, eq(left, sub(hi, next))));
	now = turn.next_memory;
	struct kept after = kept_now(0);
	smudged(&s, bytes_between(lo, next), &width, &init);
	claim("slots that are there", implies(turn.again, eq(STATE(n_slots), n)));
	term same = eq(index_of[0], index_of[1]), before = bytes_between(lo, at), by_now = bytes_between(lo, next);
	claim("none of this slot before", implies(and_(turn.again, same), eq(before, none)));
	claim("no others of another slot", implies(and_(turn.again, not_(same)), eq(by_now, before)));
	is = and_(turn.again, ult(index_of[0], n));
	claim("bytes that are the probe's own", implies(is, eq(after.init, init)));
	claim("how much of a slot is kept", implies(is, eq(after.width, width)));
	claim_same(&state, in_slots, "what is changed");
	const struct object *cells = object_at(state.place[0].object);
	for (unsigned i = 0; i < cells->n_cells; i++) {
		uint64_t place = cells->cell[i].offset - offsetof(struct wv_state, slot) - offsetof(struct wv_slot, v);
		if (cells->cell[i].offset >= offsetof(struct wv_state, slot) && place < sizeof(struct wv_val))
			claim("the value of a slot", implies(and_(turn.again, there), eq(was->cells[state.place[0].object][i], now->cells[state.place[0].object][i])));
	}
	now = turn.left;
	claim_same(&state, in_nothing, "what is changed in the end");
	prove_claims();
}
