/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptr_from_int.c: numbers that turn into pointers, and what the order of two addresses says of the one that may lie
 * anywhere.
 *
 * An address is its region's base plus the value's offset, modulo 2^64. Where regions lie isn't known, except that
 * none ends near the end of the address space (spec/policy.md).
 *
 * promote: given a number n, a pointer whose offset is exact, and d, which is n less that pointer's address. A place
 * that holds n plus a constant holds the same address afterwards, as a pointer, and what the state says of its offset
 * is true. Any other place stays as it was. wv_state_promote: each place in use is visited at most once, as it was,
 * and is then left alone. The caller must guarantee that d is this difference (step_arith.c).
 *
 * What a state says of addresses is true before the call, and must be true after it: `above` says that the address is
 * not below its region's base, `below` that it is not above base + most. reach_of keeps what was said or drops it,
 * and what it returns is about that address. So the caller's statement is about one such fact. It is proven for each
 * case of which address is near its region.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "summary_api.h"
#include "verifier/domain/state.h"

/* ---- what is said of an address ---- */

/* Where a region begins. */
static term base_of(term region)
{
	char name[16];
	term base = input("base", 64);
	for (unsigned i = 0; i < WV_NREGION; i++) {
		snprintf(name, sizeof name, "base %u", i);
		base = ite(eq(region, bits(8, i)), input(name, 64), base);
	}
	return base;
}

struct reach {
	term above, below, sym, add, region, most;
	term base, address; /* of the region; which it is about */
};

static term flag(const struct memory *m, const struct value *at, size_t offset)
{
	return not_(eq(exec_load(m, at, offset, 1), bits(8, 0)));
}

static struct reach reach_load(const struct memory *m, const struct value *at)
{
	struct reach r = {
		.above = flag(m, at, offsetof(struct wv_reach, above)),
		.below = flag(m, at, offsetof(struct wv_reach, below)),
		.sym = exec_load(m, at, offsetof(struct wv_reach, sym), 4),
		.add = exec_load(m, at, offsetof(struct wv_reach, add), 8),
		.region = exec_load(m, at, offsetof(struct wv_reach, region), 1),
		.most = exec_load(m, at, offsetof(struct wv_reach, most), 8),
	};
	r.base = base_of(r.region);
	r.address = add(r.base, choose2(add, symbol_number(r.sym), r.add));
	return r;
}

static term not_below(term base, term address)
{
	return ule(base, address);
}

static term not_above(term base, term most, term address)
{
	return ule(address, add(base, most));
}

static term is_small(term offset)
{
	return ule(offset, bits(64, WV_NEAR));
}

/* spec/policy.md: no region ends within 16 MiB of the end of the address space */
static term no_wrap(term base)
{
	return ult(base, add(base, bits(64, WV_NEAR)));
}

static term is_true_of(const struct reach *r)
{
	return and_(implies(r->above, not_below(r->base, r->address)),
		implies(r->below, and_(is_small(r->most), not_above(r->base, r->most, r->address))));
}

static term is_about(const struct reach *r, const struct held *p, term region)
{
	return and_(and_(eq(r->sym, p->sym), eq(r->add, p->add)), eq(r->region, region));
}

static term region_of(const struct value *p)
{
	return exec_load(&state_memory, p, offsetof(struct wv_val, region), 1);
}

/* ---- reach_of ---- */

static struct value reach_in(const struct value *state, unsigned i)
{
	return field_of(state, offsetof(struct wv_state, reach) + i * sizeof(struct wv_reach));
}

static term in_use(const struct value *state, unsigned i)
{
	return ult(bits(32, i), exec_load(&state_memory, state, offsetof(struct wv_state, n_reaches), 4));
}

static term is_same(const struct reach *a, const struct reach *b)
{
	term all = and_(eq(a->above, b->above), eq(a->below, b->below));
	all = and_(all, and_(eq(a->sym, b->sym), eq(a->add, b->add)));
	return and_(all, and_(eq(a->region, b->region), eq(a->most, b->most)));
}

/* Of the pointer's places that is reach `i` of the state. */
static term points_to(const struct value *p, const struct value *state, unsigned i)
{
	term is = truth(false);
	struct value at = reach_in(state, i);
	for (unsigned k = 0; k < p->n; k++) {
		if (p->place[k].object == at.place[0].object && p->place[k].offset == at.place[0].offset)
			is = or_(is, p->place[k].when);
	}
	return is;
}

/*
 * struct wv_reach *reach_of(st, p): what is in use says what it said, or nothing; and one of them, which is returned,
 * is about this address. So what was true is true.
 */
void build_reach_of(const struct query *q)
{
	struct held p;
	begin_row(q);
	struct value state = new_state(), at = new_value(&p);
	struct reach before[WV_MAX_REACHES];
	term used[WV_MAX_REACHES], there = truth(false);
	for (unsigned i = 0; i < WV_MAX_REACHES; i++) {
		struct value where = reach_in(&state, i);
		before[i] = reach_load(&state_memory, &where);
		used[i] = in_use(&state, i);
	}
	struct value args[] = {state, at}, r = call_function(q, args, &state_memory);
	for (unsigned i = 0; i < WV_MAX_REACHES; i++) {
		struct value where = reach_in(&state, i);
		struct reach after = reach_load(&state_memory, &where);
		term is = points_to(&r, &state, i), silent = and_(not_(after.above), not_(after.below));
		there = or_(there, is);
		prove("about the address", implies(is, is_about(&after, &p, region_of(&at))));
		prove("what it said, or nothing",
			implies(or_(is, in_use(&state, i)), or_(silent, and_(used[i], is_same(&before[i], &after)))));
	}
	prove("nowhere else", there);
	possible(assumed);
	prove_hazards(truth(true));
}

/* ---- promote, wv_state_promote ---- */

static struct {
	struct held n, base, d;
	struct value args[3];
	term region, where; /* that begins */
} number;

/* As new_value; what it holds is looked at only where it matters. */
static struct value named_value(struct held *h)
{
	struct value v = exec_struct(&state_memory, "struct.wv_val", 0);
	*h = held_load(&state_memory, &v, 0);
	assume(well_kept(h));
	assumed = and_(assumed, and_(name_of(holds_number(h)), implies(has_number(h), holds_identity_of(h))));
	return v;
}

/* A number, an exact pointer, and how far it is from there. */
static void given_number(void)
{
	for (unsigned i = 0; i < 3; i++) {
		struct held *h = i == 0 ? &number.n : i == 1 ? &number.base : &number.d;
		number.args[i] = named_value(h);
		assume(eq(h->kind, bits(8, i == 1 ? WV_PTR : WV_NUM)));
	}
	number.region = region_of(&number.args[1]);
	assume(eq(number.base.n.umin, number.base.n.umax));
	number.where = input("where", 64);
	assume(eq(number.where, base_of(number.region)));
	assumed = and_(assumed, name_of(eq(symbol_number(number.d.sym),
					sub(sub(number.n.x, add(number.where, number.base.n.umin)), number.d.add))));
}

static term same_identity(const struct held *a, const struct held *b)
{
	return and_(and_(eq(a->sym, b->sym), eq(a->add, b->add)), and_(eq(a->lsym, b->lsym), eq(a->ladd, b->ladd)));
}

static term same_held(const struct held *a, const struct held *b)
{
	return and_(and_(eq(a->kind, b->kind), same_identity(a, b)), number_unchanged(&a->n, &b->n, 0));
}

/* As holds_identity_of, which only names it. */
static term low_identity(const struct held *h)
{
	return eq(extract(31, 0, h->x), add(low_symbol_number(h->lsym), h->ladd));
}

/* void promote(v, n, base, d): a place is what it was, or holds the same as a pointer. */
void build_num_promote(const struct query *q)
{
	struct held v, pointer;
	begin_row(q);
	given_number();
	struct value at = named_value(&v);
	const struct held *n = &number.n, *d = &number.d;
	term was = region_of(&at), init = exec_load(&state_memory, &at, offsetof(struct wv_val, init), 1),
	     by = add(sub(v.add, n->add), number.base.n.umin), same = eq(v.sym, n->sym);
	pointer = (struct held){
		bits(8, WV_PTR), d->sym, add(d->add, by), d->lsym, add(d->ladd, extract(31, 0, by)), NULL, d->n};
	pointer.x = add(symbol_number(d->sym), pointer.add);
	constant_is(by, by, truth(true));
	follows(WV_ADD, d->x, by, pointer.x, truth(true), truth(true));
	/* It is moved by as much as v is from n. */
	term apart = sub(sub(n->x, add(number.where, number.base.n.umin)), d->add), sum = add(apart, pointer.add),
	     moved = add(number.where, sum), there = add(number.where, pointer.x);
	known_law(truth(true), eq(moved, add(symbol_number(n->sym), v.add)));
	named_law(eq(symbol_number(d->sym), apart), eq(pointer.x, sum));
	named_law(eq(pointer.x, sum), eq(there, moved));
	named_law(eq(symbol_number(v.sym), symbol_number(n->sym)), eq(v.x, moved));
	named_law(and_(eq(there, moved), eq(v.x, moved)), eq(there, v.x));
	/* The same of lower halves. */
	term low = extract(31, 0, symbol_number(d->sym)), low_add = extract(31, 0, d->add), low_by = extract(31, 0, by),
	     low_sum = add(low, low_add), of = add(low_symbol_number(d->lsym), d->ladd);
	known_law(truth(true), eq(extract(31, 0, d->x), low_sum));
	known_law(truth(true), eq(extract(31, 0, pointer.x), add(low, add(low_add, low_by))));
	named_law(low_identity(d), eq(low_sum, of));
	named_law(eq(low_sum, of), eq(add(low_sum, low_by), add(of, low_by)));
	named_law(eq(add(low_sum, low_by), add(of, low_by)), low_identity(&pointer));
	assume(implies(same, name_of(eq(symbol_number(v.sym), symbol_number(n->sym)))));
	struct value args[] = {at, number.args[0], number.args[1], number.args[2]};
	call_function(q, args, &state_memory);
	struct held after = held_load(&state_memory, &at, 0);
	term region = region_of(&at), kept = and_(same_held(&v, &after), eq(region, was));
	term turns = and_(same, and_(eq(v.kind, bits(8, WV_NUM)), eq(init, bits(8, 64)))),
	     turned = and_(and_(same, eq(v.kind, bits(8, WV_NUM))),
		     and_(and_(eq(after.kind, pointer.kind), eq(region, number.region)),
			     same_identity(&after, &pointer)));
	prove("a number that turned, or what it was", ite(turns, turned, kept));
	prove("the same", implies(and_(assumed, same), name_of(eq(there, v.x))));
	prove("the same low identity", implies(assumed, holds_identity_of(&pointer)));
	prove("a member", implies(and_(assumed, turns), member(&after.n, pointer.x)));
	prove("well kept", well_kept(&after));
	possible(and_(assumed, same));
	prove_hazards(truth(true));
}

enum { PLACES = WV_NREG + SLOTS };
static struct place_held {
	struct value at;
	struct held before, left;             /* … by promote */
	term region, region_left, used, turn; /* used; promote is called; NULL: never */
} place[PLACES];

/* void promote(v, n, base, d): by its own row, what it leaves holds the same, and what is said of it is true. */
static void call_num_promote(const struct value *args, struct memory *m, term guard)
{
	static const struct {
		size_t at;
		unsigned bytes;
	} field[] = {
		{offsetof(struct wv_val, kind), 1},
		{offsetof(struct wv_val, region), 1},
		{offsetof(struct wv_val, init), 1},
		{offsetof(struct wv_val, sym), 4},
		{offsetof(struct wv_val, add), 8},
		{offsetof(struct wv_val, lsym), 4},
		{offsetof(struct wv_val, ladd), 4},
	};
	struct held before = held_load(m, &args[0], 0);
	struct number r = number_fresh();
	struct value n = field_of(&args[0], offsetof(struct wv_val, n));
	unsigned i = 0;
	while (i < PLACES && (args[0].n != 1 || args[0].place[0].offset != place[i].at.place[0].offset))
		i++;
	if (i == PLACES || place[i].turn)
		give_up("a place that promote is not to be called for, or twice");
	for (unsigned k = 1; k <= 3; k++) {
		struct held told = held_load(m, &args[k], 0);
		prove("what is told", same_held(&told, k == 1 ? &number.n : k == 2 ? &number.base : &number.d));
	}
	term facts = and_(eq(number.n.kind, bits(8, WV_NUM)), eq(number.base.kind, bits(8, WV_PTR)));
	prove("an exact pointer, and a number",
		implies(guard, and_(facts, eq(number.base.n.umin, number.base.n.umax))));
	prove("a place in use, as it was", implies(guard, and_(place[i].used, same_held(&before, &place[i].before))));
	for (unsigned k = 0; k < sizeof field / sizeof field[0]; k++)
		exec_store(m, &args[0], field[k].at, fresh(8 * field[k].bytes));
	number_store(m, &n, &r);
	place[i].left = held_load(m, &args[0], 0);
	place[i].region_left = exec_load(m, &args[0], offsetof(struct wv_val, region), 1);
	place[i].turn = guard;
}

static bool summarise_num_promote(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	(void)result;
	if (strcmp(name, "num_promote") != 0)
		return false;
	call_num_promote(args, m, guard);
	return true;
}

static void new_place(struct value *state, unsigned i)
{
	unsigned slot = i - WV_NREG;
	struct value where = field_of(state, offsetof(struct wv_state, slot) + slot * sizeof(struct wv_slot)),
		     reg = field_of(state, offsetof(struct wv_state, reg) + i * sizeof(struct wv_val));
	struct place_held *p = &place[i];
	*p = (struct place_held){
		.at = i < WV_NREG ? reg : field_of(&where, offsetof(struct wv_slot, v)), .used = truth(true)};
	if (i >= WV_NREG)
		p->used = and_(
			ult(bits(32, slot), exec_load(&state_memory, state, offsetof(struct wv_state, n_slots), 4)),
			not_(eq(exec_load(&state_memory, &where, offsetof(struct wv_slot, width), 1), bits(8, 0))));
	p->before = held_load(&state_memory, &p->at, 0);
	p->region = region_of(&p->at);
}

/*
 * void wv_state_promote(st, n, base, d): each place in use gets its turn once at most, and is then left alone; what is
 * asked for is so.
 */
void build_state_promote(const struct query *q)
{
	begin_row(q);
	also_summarise(summarise_num_promote);
	struct value state = new_state(), args[] = {state, exec_struct(&state_memory, "struct.wv_val", 0),
						  exec_struct(&state_memory, "struct.wv_val", 0),
						  exec_struct(&state_memory, "struct.wv_val", 0)};
	number.n = held_load(&state_memory, &args[1], 0);
	number.base = held_load(&state_memory, &args[2], 0);
	number.d = held_load(&state_memory, &args[3], 0);
	for (unsigned i = 0; i < PLACES; i++)
		new_place(&state, i);
	call_function(q, args, &state_memory);
	term any = truth(false);
	for (unsigned i = 0; i < PLACES; i++) {
		struct place_held *p = &place[i];
		struct held after = held_load(&state_memory, &p->at, 0);
		term region = region_of(&p->at), kept = and_(same_held(&p->before, &after), eq(region, p->region)),
		     turn = p->turn ? p->turn : truth(false);
		prove("what its turn left, or what it was",
			p->turn ? ite(turn, and_(same_held(&p->left, &after), eq(region, p->region_left)), kept)
				: kept);
		any = or_(any, turn);
	}
	possible(any);
	prove_hazards(truth(true));
}

/* ---- wv_state_assume_addresses ---- */

static struct {
	struct value at;
	struct held h;
	bool near;
} sides[2];

static struct held *far;   /* the offset of which something is learnt, if only one of them is near */
static struct value found; /* by reach_of */
static term found_when, base;

/* bool near(p): the case at hand */
static void call_near(const struct value *args, struct memory *m, term guard, struct value *result)
{
	bool is = sides[args[0].place[0].object == sides[1].at.place[0].object].near;
	if (args[0].n != 1)
		give_up("an address in no case");
	struct value r = exec_call("is_near", args, m, guard);
	prove("which case it is", eq(returned_true(&r), truth(is)));
	*result = exec_bits(truth(is));
}

static void call_reach_of(const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct held p = held_load(m, &args[1], 0);
	*result = found = exec_struct(m, "struct.wv_reach", 0);
	found_when = guard;
	exec_store(m, &found, offsetof(struct wv_reach, sym), p.sym);
	exec_store(m, &found, offsetof(struct wv_reach, add), p.add);
	exec_store(m, &found, offsetof(struct wv_reach, region),
		exec_load(m, &args[1], offsetof(struct wv_val, region), 1));
	struct reach r = reach_load(m, &found);
	prove("a value that is well kept", implies(guard, well_kept(&p)));
	prove("the address that is far", and_(eq(r.base, base), eq(r.address, add(base, far->x))));
	assume(implies(and_(assumed, guard), is_true_of(&r)));
	/* What is known of it after both comparisons. */
	known_law(and_(not_below(base, add(base, far->x)),
			  and_(is_small(r.most), and_(no_wrap(base), not_above(base, r.most, add(base, far->x))))),
		ule(far->x, r.most));
}

static void call_refine(const struct value *args, struct memory *m, term guard, struct value *result)
{
	term told = fresh_bool(), given = and_(assumed, guard);
	struct number n = number_load(m, &args[2]);
	prove("valid numbers for a callee", implies(guard, valid(&n)));
	prove("what is told", implies(given, true_telling(m, &args[1], &args[2])));
	assume(implies(given, told));
	*result = exec_bits(told);
}

/* struct wv_num wv_num_range(min, max), bool wv_num_meet(n, other): of the offset */
static void call_range(const struct value *args, struct memory *m, term guard)
{
	term min = args[1].part[0], max = args[2].part[0];
	struct number r = number_fresh();
	number_store(m, &args[0], &r);
	assume(implies(guard, valid(&r)));
	prove("a range with the offset in it", implies(and_(assumed, guard), and_(ule(min, far->x), ule(far->x, max))));
	assume(implies(and_(assumed, guard), member(&r, far->x)));
}

static void call_meet(const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct number n = number_load(m, &args[0]), other = number_load(m, &args[1]), r = number_fresh();
	term told = fresh_bool(), given = and_(assumed, guard);
	prove("valid numbers for a callee", implies(guard, and_(valid(&n), valid(&other))));
	prove("numbers with the offset among them", implies(given, and_(member(&n, far->x), member(&other, far->x))));
	number_store(m, &args[0], &r);
	assume(implies(and_(guard, told), valid(&r)));
	assume(implies(given, and_(told, member(&r, far->x))));
	*result = exec_bits(told);
}

static bool summarise(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, "is_near") == 0)
		call_near(args, m, guard, result);
	else if (strcmp(name, "reach_of") == 0)
		call_reach_of(args, m, guard, result);
	else if (strcmp(name, "wv_state_refine") == 0)
		call_refine(args, m, guard, result);
	else if (strcmp(name, "wv_num_range") == 0)
		call_range(args, m, guard);
	else if (strcmp(name, "wv_num_meet") == 0)
		call_meet(args, m, guard, result);
	else
		return false;
	return true;
}

/* One side; its offset is at most WV_NEAR, or may be more, as far as is known. */
static void side(unsigned i, bool is_near)
{
	struct held *h = &sides[i].h;
	sides[i].at = new_value(h);
	sides[i].near = is_near;
	assume(eq(h->kind, bits(8, WV_PTR)));
	assume(eq(is_small(h->n.umax), truth(is_near)));
}

/* What the order of the two addresses says of the one that is far; the other one's offset is at most WV_NEAR. */
static void in_order(term strict)
{
	const struct held *a = &sides[0].h, *b = &sides[1].h, *close = sides[0].near ? a : b;
	term one = add(base, a->x), other = add(base, b->x), less = ite(strict, bits(64, 1), bits(64, 0));
	prove("an offset that is near",
		implies(assumed,
			and_(ule(close->n.umin, close->x), and_(ule(close->x, close->n.umax), is_small(close->x)))));
	prove("a sum that does not wrap", implies(assumed, ule(base, add(base, close->x))));
	if (sides[0].near) {
		prove("not below the base", implies(assumed, not_below(base, other)));
		prove("offsets in order", implies(assumed, ite(strict, ult(a->x, b->x), ule(a->x, b->x))));
	} else {
		prove("not below the address", implies(and_(assumed, not_(and_(strict, eq(b->n.umax, bits(64, 0))))),
						       not_above(base, sub(b->n.umax, less), one)));
	}
}

/* bool wv_state_assume_addresses(st, a, b, strict): q->op says which are near (1: a, 2: b) and if it is strict (4) */
void build_addresses(const struct query *q)
{
	begin_row(q);
	also_summarise(summarise);
	struct value state = new_state();
	side(0, q->op & 1);
	side(1, q->op & 2);
	found.n = 0;
	far = sides[0].near == sides[1].near ? NULL : &sides[sides[0].near].h;
	term region = region_of(&sides[0].at), strict = truth(q->op & 4);
	base = base_of(region);
	term one = add(base, sides[0].h.x), other = add(base, sides[1].h.x);
	assume(eq(region_of(&sides[1].at), region));
	assume(no_wrap(base));
	assumed = name_of(and_(assumed, ite(strict, ult(one, other), ule(one, other))));
	if (far)
		in_order(strict);
	struct value args[] = {state, sides[0].at, sides[1].at, exec_bits(strict)},
		     told = call_function(q, args, &state_memory);
	prove("not denied", implies(assumed, returned_true(&told)));
	if (found.n) {
		struct reach r = reach_load(&state_memory, &found);
		prove("what is known of the address", implies(and_(assumed, found_when), is_true_of(&r)));
	}
	possible(assumed);
	prove_hazards(assumed);
}
