/*
 * state.c: what becomes known of one value, spread over all that share its identity, and over what they bound or were chosen from. What a state promises is said in distance.c.
 */
#include <stddef.h>

#include "arith.h"
#include "facts.h"
#include "promise.h"
#include "state.h"

#define memory state_memory

static struct value state;

static term named(term name)
{
	return not_(eq(name, bits(32, 0)));
}

/* What is told of `of`: it is one of `known`. */
static struct value told_value(struct held *h, struct number *known)
{
	struct value of = exec_struct(&memory, "struct.wv_val", 0);
	*h = held_load(&memory, &of, 0);
	*known = valid_number("known");
	suppose(implies(named(h->sym), and_(member(known, h->x), implies(named(h->lsym), holds_identity_of(h)))));
	return of;
}

static term kept(const struct held *before, const struct held *after)
{
	term identity = and_(and_(eq(before->sym, after->sym), eq(before->add, after->add)), and_(eq(before->lsym, after->lsym), eq(before->ladd, after->ladd)));
	return and_(eq(before->kind, after->kind), identity);
}

static void form_moved_alike(const term *v, term *given, term *then)
{
	*given = and_(eq(v[0], v[2]), eq(v[1], v[3]));
	*then = equation(add(v[2], v[3]), add(v[0], v[1]));
}

/* bool wv_val_refine(v, of, known) */
void build_val_refine(const struct query *q)
{
	struct held v, of;
	struct number known;
	begin_row(q);
	struct value pv = new_value(&v), pof = told_value(&of, &known);
	term by = sub(v.add, of.add), same = eq(v.sym, of.sym), law = implies(same, eq(symbol_number(v.sym), symbol_number(of.sym)));
	follows(WV_ADD, of.x, by, v.x, same, law);
	constant_is(by, by, truth(true));
	use_law(form_moved_alike, 4, (const term[]){symbol_number(v.sym), v.add, symbol_number(of.sym), of.add});
	same_members(&known, of.x, v.x, truth(true));
	witness(v.x);
	witness(of.x);
	assume(implies(eq(v.lsym, of.lsym), eq(low_symbol_number(v.lsym), low_symbol_number(of.lsym))));
	struct value args[] = {pv, pof, number_object(&memory, &known)}, r = call_function(q, args, &memory);
	struct held after = held_load(&memory, &pv, 0);
	prove("not denied", implies(assumed, returned_true(&r)));
	prove("the value's identity", kept(&v, &after));
	prove("a member", implies(and_(assumed, has_number(&v)), member(&after.n, v.x)));
	prove("well kept", implies(returned_true(&r), well_kept(&after)));
	possible(assumed);
	prove_hazards(assumed);
}

static void location(uint64_t at, struct held *h, term used)
{
	*h = held_load(&memory, &state, at);
	assume(implies(used, well_kept(h)));
	suppose(implies(used, holds(h)));
}

static void location_after(uint64_t at, const struct held *before, term used)
{
	struct held h = held_load(&memory, &state, at);
	prove("its identity", kept(before, &h));
	prove("a member", implies(and_(assumed, used), holds_number(&h)));
}

/* bool wv_state_refine_locations(st, of, known) */
void build_refine_locations(const struct query *q)
{
	struct held of, reg[WV_NREG], slot[SLOTS], part;
	struct number known;
	begin_row(q);
	state = new_state();
	struct value pof = told_value(&of, &known);
	assume(named(of.sym));
	const uint64_t part_at = offsetof(struct wv_state, part), is_at = part_at + offsetof(struct wv_part, is);
	term n_slots = exec_load(&memory, &state, offsetof(struct wv_state, n_slots), 4), in_part = named(exec_load(&memory, &state, part_at + offsetof(struct wv_part, sym), 4)), in_slot[SLOTS];
	for (unsigned i = 0; i < WV_NREG; i++)
		location(offsetof(struct wv_state, reg) + i * sizeof(struct wv_val), &reg[i], truth(true));
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t at = offsetof(struct wv_state, slot) + i * sizeof(struct wv_slot);
		term width = exec_load(&memory, &state, at + offsetof(struct wv_slot, width), 1);
		in_slot[i] = and_(ult(bits(32, i), n_slots), not_(eq(width, bits(8, 0))));
		location(at + offsetof(struct wv_slot, v), &slot[i], in_slot[i]);
	}
	location(is_at, &part, in_part);
	struct value args[] = {state, pof, number_object(&memory, &known)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	for (unsigned i = 0; i < WV_NREG; i++)
		location_after(offsetof(struct wv_state, reg) + i * sizeof(struct wv_val), &reg[i], truth(true));
	for (unsigned i = 0; i < SLOTS; i++)
		location_after(offsetof(struct wv_state, slot) + i * sizeof(struct wv_slot) + offsetof(struct wv_slot, v), &slot[i], in_slot[i]);
	location_after(is_at, &part, in_part);
	possible(assumed);
	prove_hazards(assumed);
}

/* ---- bounds ---- */

struct bound_held {
	term of, shift;
	struct held below;
};

static struct bound_held bound_of(const struct value *at)
{
	return (struct bound_held){exec_load(&memory, at, offsetof(struct wv_bound, of), 4), exec_load(&memory, at, offsetof(struct wv_bound, shift), 1), held_load(&memory, at, offsetof(struct wv_bound, below))};
}

static term bound_is_true(const struct bound_held *b)
{
	return and_(ult(b->shift, bits(8, 64)), and_(ule(lshr(b->below.x, zext(b->shift, 64)), symbol_number(b->of)), implies(and_(named(b->below.sym), named(b->below.lsym)), holds_identity_of(&b->below))));
}

/* bool refine_above(st, b, of, known), refine_below */
void build_refine_bound(const struct query *q)
{
	struct held of;
	struct number known;
	bool above = q->op != 0;
	begin_row(q);
	state = new_state();
	struct value at = exec_struct(&memory, "struct.wv_bound", 0), pof = told_value(&of, &known);
	struct bound_held b = bound_of(&at);
	term so = symbol_number(of.sym), most = symbol_number(b.of), by = sub(b.below.add, of.add), back = sub(bits(64, 0), of.add), same = eq(above ? b.below.sym : b.of, of.sym);
	term law = implies(same, eq(above ? symbol_number(b.below.sym) : most, so));
	assume(and_(named(of.sym), and_(same, ult(b.shift, bits(8, 64)))));
	suppose(bound_is_true(&b));
	if (above) {
		constant_is(by, by, truth(true));
		follows(WV_ADD, of.x, by, b.below.x, same, law);
		witness(most);
	} else {
		constant_is(back, back, truth(true));
		follows(WV_ADD, of.x, back, most, same, law);
		witness(b.below.x);
	}
	struct value args[] = {state, at, pof, number_object(&memory, &known)}, r = call_function(q, args, &memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

/* ---- choices ---- */

struct choice_held {
	struct held is, a, b;
};

static struct choice_held choice_of(const struct value *at)
{
	return (struct choice_held){held_load(&memory, at, offsetof(struct wv_choice, is)), held_load(&memory, at, offsetof(struct wv_choice, a)), held_load(&memory, at, offsetof(struct wv_choice, b))};
}

static term identity(const struct held *h)
{
	return implies(and_(named(h->sym), named(h->lsym)), holds_identity_of(h));
}

static term is_side(const struct choice_held *c, const struct held *side)
{
	return and_(equation(c->is.x, side->x), member(&side->n, c->is.x));
}

/* It was one of the two, and that one is what is said of it. */
static term choice_is_true(const struct choice_held *c)
{
	return and_(or_(is_side(c, &c->a), is_side(c, &c->b)), and_(identity(&c->is), and_(identity(&c->a), identity(&c->b))));
}

static term choice_is_kept(const struct choice_held *c)
{
	return and_(and_(has_number(&c->a), has_number(&c->b)), and_(well_kept(&c->a), well_kept(&c->b)));
}

/* bool refine_choice(st, c, of, known) */
void build_refine_choice(const struct query *q)
{
	struct held of;
	struct number known;
	begin_row(q);
	state = new_state();
	struct value at = exec_struct(&memory, "struct.wv_choice", 0), pof = told_value(&of, &known);
	struct choice_held c = choice_of(&at), after;
	assume(choice_is_kept(&c));
	suppose(choice_is_true(&c));
	refined_is = c.is.x;
	witness(c.is.x);
	struct value args[] = {state, at, pof, number_object(&memory, &known)}, r = call_function(q, args, &memory);
	after = choice_of(&at);
	prove("not denied", implies(assumed, returned_true(&r)));
	prove("well kept", implies(and_(assumed, returned_true(&r)), choice_is_kept(&after)));
	prove("what was chosen", eq(c.is.x, after.is.x));
	for (unsigned i = 0; i < 2; i++) {
		const struct held *was = i ? &c.b : &c.a, *now = i ? &after.b : &after.a;
		term given = and_(assumed, is_side(&c, was));
		prove("the side that was chosen", implies(given, equation(after.is.x, now->x)));
		prove_member(&now->n, c.is.x, given);
		prove("its identity", implies(assumed, identity(now)));
	}
	prove("a choice that is true", implies(assumed, choice_is_true(&after)));
	possible(assumed);
	prove_hazards(assumed);
}
