/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that go through the stack's slots in a loop (mem.c, state.c): what each promises, which stands in for its
 * calls in other rows; and the proof that it keeps the promise.
 *
 * Loops whose iterations can't be counted are handled by induction: what holds at their head is assumed there, and
 * proven at the entry and after one iteration. The statements are about any one slot, whatever its number is.
 */
#include "slots.h"

#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"

/* ---- what they promise ---- */

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
	term half = and_(and_(eq(s->width, bits(8, 8)), ule(bits(8, 4), first)),
		and_(number, ule(s->c.h.n.umax, bits(64, UINT32_MAX))));
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
	claim("bytes that the frame has",
		implies(c->guard,
			and_(ule(bits(64, 1), bytes), and_(and_(sle(least_offset(), lo), sle(lo, at.h.n.smax)),
							      sle(at.h.n.smax, sub(bits(64, 0), bytes))))));
	for (unsigned k = 0; k < n_here; k++) {
		struct kept s = kept_now(k);
		term forgotten = and_(is_there(k, STATE(n_slots)), touches(add(index_of[k], bits(32, 1)), lo, hi));
		struct value where = slot_at(k);
		where.place[0].when = forgotten;
		report_or(c, implies(forgotten, not_(saved_there(&s))));
		exec_store(now, &where, offsetof(struct wv_slot, width), bits(8, 0));
	}
}

const struct callee slot_callees[] = {
	{"wv_state_slot", call_state_slot, false},
	{"bytes_set", call_bytes_set, false},
	{"store_inexact", call_store_inexact, false},
	{NULL, NULL, false},
};

/* ---- the rows ---- */

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

static bool in_first_slot(uint64_t at)
{
	return (at >= offsetof(struct wv_state, slot) &&
		       at < offsetof(struct wv_state, slot) + sizeof(struct wv_slot)) ||
	       at == offsetof(struct wv_state, n_slots);
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
	term zero = bits(8, 0),
	     nothing = and_(eq(s.width, zero),
		     and_(eq(s.init, zero), and_(is_kind(&s.c, WV_UNINIT), eq(s.c.h.sym, bits(32, 0)))));
	claim("an empty slot", implies(turn.again, nothing));
	claim("one more", implies(turn.again, eq(STATE(n_slots), add(made, bits(32, 1)))));
	claim_same(&state, in_first_slot, "what is changed");
	now = turn.left;
	claim_same(&state, in_nothing, "what is changed in the end");
	claim("the slot that is asked for",
		implies(not_(turn.again), turn.result.n == n_here ? turn.result.place[1].when : truth(false)));
	prove_claims();
}

/*
 * bool bytes_set(st, lo, hi): by induction over the bytes: those below the one that is looked at next are set. `offset`
 * is any of them.
 */
void build_bytes_set(const struct query *q)
{
	begin_stack(1, true);
	term lo = input("lo", 64), hi = input("hi", 64), n = slots_before, at = input("at", 64);
	struct kept s = kept_now(0);
	term is_set = and_(is_there(0, n), not_(eq(band(s.init, extract(7, 0, shl(bits(64, 1), byte))), bits(8, 0)))),
	     from_lo = sle(lo, offset);
	struct value args[] = {state, exec_bits(lo), exec_bits(hi)}, told;
	assume(and_(sle(least_offset(), lo), sle(hi, bits(64, 0))));
	if (plainly()) {
		exec_bound = and_(exec_bound, sle(bits(64, 0 - UINT64_C(8)), lo));
		assume(exec_bound);
		stands_for(1, bits(32, 0));
		called_with(q, args, &told);
		claim("bytes that are set",
			implies(and_(returned_true(&told), and_(from_lo, slt(offset, hi))), is_set));
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
	claim("bytes that are set so far",
		implies(and_(turn.again, so_far), implies(and_(from_lo, slt(offset, next)), is_set)));
	claim("bytes that are set", implies(and_(not_(turn.again), and_(returned_true(&turn.result), so_far)),
					    implies(and_(from_lo, slt(offset, hi)), is_set)));
	now = turn.next_memory;
	claim_same(&state, in_nothing, "what is changed");
	now = turn.left;
	claim_same(&state, in_nothing, "what is changed in the end");
	prove_claims();
}

/*
 * void store_inexact(ctx, st, insn, at, bytes): by induction over the slots that it may hit: what is kept of those
 * before the next one is forgotten. `slot` is any of them.
 */
void build_store_inexact(const struct query *q)
{
	begin_stack(1, true);
	struct value at = exec_struct(now, "struct.wv_val", 0);
	struct content c = given_content(&at, "at", truth(true));
	term bytes = input("bytes", 32), wide = zext(bytes, 64), x = input("place", 64), zero = bits(64, 0),
	     none = bits(8, 0);
	assume(and_(ule(bits(32, 1), bytes), ule(bytes, bits(32, 8 * WV_MAX_SLOTS))));
	assume(and_(and_(sle(least_offset(), c.h.n.smin), sle(c.h.n.smin, x)),
		and_(sle(x, c.h.n.smax), sle(c.h.n.smax, sub(zero, wide)))));
	/* The byte at `offset` is stored, of which it is not known what; if it is one of those. */
	term hit = and_(sle(x, offset), slt(offset, add(x, wide))), before = word[0], mine = own[0];
	word[0] = ite(hit, input("stored", 64), before);
	own[0] = ite(hit, bor(mine, input("stored own", 8)), mine);
	struct value args[] = {context, state, instruction, at, exec_bits(bytes)}, told;
	if (plainly()) {
		exec_most_turns = 2;
		assume(and_(and_(eq(bytes, bits(32, 1)), eq(slot, bits(32, 1))),
			and_(eq(slots_before, slot), sle(bits(64, 0 - UINT64_C(8)), c.h.n.smin))));
		exec_bound = and_(eq(slots_before, slot), eq(slot, bits(32, 1)));
		called_with(q, args, &told);
		struct kept s = kept_now(0);
		say_of_slot(claim, &s, is_there(0, slots_before), word[0], own[0]);
		end_stack(in_slots);
		return;
	}
	term first = input("first", 32), last = add(c.h.n.smax, sub(wide, bits(64, 1))), n = input("n", 32),
	     there = is_there(0, slots_before);
	term from = sub(zero, shl(zext(first, 64), bits(64, 3))), told_so_far = fresh_bool();
	assume(and_(and_(ule(bits(32, 1), first), ule(first, bits(32, WV_MAX_SLOTS))),
		and_(sle(from, last), sle(last, add(from, bits(64, 7))))));
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
	claim("one slot after another", implies(turn.again, and_(eq(turn.next[0], add(n, bits(32, 1))),
								    ule(turn.next[0], bits(32, WV_MAX_SLOTS + 1)))));
	claim("the last slot", implies(and_(not_(turn.again), and_(hit, there)), passed));
	now = turn.next_memory;
	claim("slots that are forgotten so far",
		implies(turn.again, eq(kept_now(0).width, ite(passed_next, none, s.width))));
	claim("a saved register is told of",
		implies(and_(turn.again, and_(passed_next, and_(there, saved_there(&s)))), told_now));
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
 * void smudge_bytes(st, offset, bytes), of any length: by induction over the slots that it sets bytes of. Of those
 * below the next byte it is known that they are set, and what was kept of their slot has become what that makes of it;
 * `slot` is any of them.
 */
void build_smudge_bytes(const struct query *q)
{
	begin_stack(1, true);
	term lo = input("lo", 64), bytes = input("bytes", 32), hi = add(lo, zext(bytes, 64)), at = input("at", 64),
	     none = bits(8, 0), n0 = slots_before;
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
	term begun = not_(eq(at, lo)), there = is_there(0, n0), deepest = slot_with(lo),
	     n = ite(ult(n0, deepest), deepest, n0), width, init;
	assume(and_(
		and_(sle(lo, at), sle(at, hi)), or_(or_(eq(at, lo), eq(at, hi)), eq(extract(2, 0, at), bits(3, 0)))));
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
	claim("one slot after another",
		implies(turn.again, and_(and_(slt(at, next), sle(next, hi)),
					    or_(eq(next, hi), eq(extract(2, 0, next), bits(3, 0))))));
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
			claim("the value of a slot",
				implies(and_(turn.again, there), eq(was->cells[state.place[0].object][i],
									 now->cells[state.place[0].object][i])));
	}
	now = turn.left;
	claim_same(&state, in_nothing, "what is changed in the end");
	prove_claims();
}
