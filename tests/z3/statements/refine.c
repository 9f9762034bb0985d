/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.c: spreads what becomes known of one value to all values that share its identity, and to those that they
 * bound or were chosen from. distance.c says what a state promises.
 */
#include <stddef.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "summary_api.h"
#include "verifier/domain/state.h"

static struct value state;

static struct value element(size_t array, size_t size, unsigned i)
{
	return field_of(&state, array + i * size);
}

static term count_of(size_t at)
{
	return exec_load(&state_memory, &state, at, 4);
}

#define ELEMENT(array, i) element(offsetof(struct wv_state, array), sizeof(((struct wv_state *)0)->array[0]), i)
#define COUNT_OF(field) count_of(offsetof(struct wv_state, field))

static term named(term name)
{
	return not_(eq(name, bits(32, 0)));
}

/* What is told of `of`: it is one of `known`. */
static struct value told_value(struct held *h, struct number *known)
{
	struct value of = exec_struct(&state_memory, "struct.wv_val", 0);
	*h = held_load(&state_memory, &of, 0);
	*known = valid_number("known");
	suppose(implies(named(h->sym), and_(member(known, h->x), implies(named(h->lsym), holds_identity_of(h)))));
	return of;
}

static term kept(const struct held *before, const struct held *after)
{
	term identity = and_(and_(eq(before->sym, after->sym), eq(before->add, after->add)),
		and_(eq(before->lsym, after->lsym), eq(before->ladd, after->ladd)));
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
	term by = sub(v.add, of.add), same = eq(v.sym, of.sym),
	     law = implies(same, eq(symbol_number(v.sym), symbol_number(of.sym)));
	follows(WV_ADD, of.x, by, v.x, same, law);
	constant_is(by, by, truth(true));
	use_law(form_moved_alike, 4, (const term[]){symbol_number(v.sym), v.add, symbol_number(of.sym), of.add});
	same_members(&known, of.x, v.x, truth(true));
	witness(v.x);
	witness(of.x);
	assume(implies(eq(v.lsym, of.lsym), eq(low_symbol_number(v.lsym), low_symbol_number(of.lsym))));
	struct value args[] = {pv, pof, number_object(&state_memory, &known)},
		     r = call_function(q, args, &state_memory);
	struct held after = held_load(&state_memory, &pv, 0);
	prove("not denied", implies(assumed, returned_true(&r)));
	prove("the value's identity", kept(&v, &after));
	prove("a member", implies(and_(assumed, has_number(&v)), member(&after.n, v.x)));
	prove("well kept", implies(returned_true(&r), well_kept(&after)));
	possible(assumed);
	prove_hazards(assumed);
}

static void location(uint64_t at, struct held *h, term used)
{
	*h = held_load(&state_memory, &state, at);
	assume(implies(used, well_kept(h)));
	suppose(implies(used, holds(h)));
}

static void location_after(uint64_t at, const struct held *before, term used)
{
	struct held h = held_load(&state_memory, &state, at);
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
	assume(named(of.sym)); /* else nothing is refined */
	const uint64_t part_at = offsetof(struct wv_state, part), is_at = part_at + offsetof(struct wv_part, is);
	term n_slots = exec_load(&state_memory, &state, offsetof(struct wv_state, n_slots), 4),
	     in_part = named(exec_load(&state_memory, &state, part_at + offsetof(struct wv_part, sym), 4)),
	     in_slot[SLOTS];
	for (unsigned i = 0; i < WV_NREG; i++)
		location(offsetof(struct wv_state, reg) + i * sizeof(struct wv_val), &reg[i], truth(true));
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t at = offsetof(struct wv_state, slot) + i * sizeof(struct wv_slot);
		term width = exec_load(&state_memory, &state, at + offsetof(struct wv_slot, width), 1);
		in_slot[i] = and_(ult(bits(32, i), n_slots), not_(eq(width, bits(8, 0))));
		location(at + offsetof(struct wv_slot, v), &slot[i], in_slot[i]);
	}
	location(is_at, &part, in_part);
	struct value args[] = {state, pof, number_object(&state_memory, &known)},
		     r = call_function(q, args, &state_memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	for (unsigned i = 0; i < WV_NREG; i++)
		location_after(offsetof(struct wv_state, reg) + i * sizeof(struct wv_val), &reg[i], truth(true));
	for (unsigned i = 0; i < SLOTS; i++)
		location_after(
			offsetof(struct wv_state, slot) + i * sizeof(struct wv_slot) + offsetof(struct wv_slot, v),
			&slot[i], in_slot[i]);
	location_after(is_at, &part, in_part);
	possible(assumed);
	prove_hazards(assumed);
}

/* ---- bounds ---- */

struct bound_held {
	term of, shift;
	struct held below;
};

static struct bound_held bound_in(const struct memory *m, const struct value *at)
{
	return (struct bound_held){exec_load(m, at, offsetof(struct wv_bound, of), 4),
		exec_load(m, at, offsetof(struct wv_bound, shift), 1),
		held_load(m, at, offsetof(struct wv_bound, below))};
}

static struct bound_held bound_of(const struct value *at)
{
	return bound_in(&state_memory, at);
}

static term bound_is_true(const struct bound_held *b)
{
	return and_(ult(b->shift, bits(8, 64)),
		and_(ule(lshr(b->below.x, zext(b->shift, 64)), symbol_number(b->of)),
			implies(and_(named(b->below.sym), named(b->below.lsym)), holds_identity_of(&b->below))));
}

/* bool refine_above(st, b, of, known), refine_below */
void build_refine_bound(const struct query *q)
{
	struct held of;
	struct number known;
	bool above = q->op != 0;
	begin_row(q);
	state = new_state();
	struct value at = exec_struct(&state_memory, "struct.wv_bound", 0), pof = told_value(&of, &known);
	struct bound_held b = bound_of(&at);
	term so = symbol_number(of.sym), most = symbol_number(b.of), by = sub(b.below.add, of.add),
	     back = sub(bits(64, 0), of.add), same = eq(above ? b.below.sym : b.of, of.sym);
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
	struct value args[] = {state, at, pof, number_object(&state_memory, &known)},
		     r = call_function(q, args, &state_memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(assumed);
}

/* ---- choices ---- */

struct choice_held {
	struct held is, a, b;
};

static struct choice_held choice_in(const struct memory *m, const struct value *at)
{
	return (struct choice_held){held_load(m, at, offsetof(struct wv_choice, is)),
		held_load(m, at, offsetof(struct wv_choice, a)), held_load(m, at, offsetof(struct wv_choice, b))};
}

static struct choice_held choice_of(const struct value *at)
{
	return choice_in(&state_memory, at);
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
	return and_(or_(is_side(c, &c->a), is_side(c, &c->b)),
		and_(identity(&c->is), and_(identity(&c->a), identity(&c->b))));
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
	struct value at = exec_struct(&state_memory, "struct.wv_choice", 0), pof = told_value(&of, &known);
	struct choice_held c = choice_of(&at), after;
	assume(choice_is_kept(&c));
	suppose(choice_is_true(&c));
	refined_is = c.is.x;
	witness(c.is.x);
	struct value args[] = {state, at, pof, number_object(&state_memory, &known)},
		     r = call_function(q, args, &state_memory);
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

/* ---- all of it ---- */

/* refine_choice, refine_above and refine_below, as their rows have it. */
static bool spread_to(const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	bool choice = strcmp(name, "refine_choice") == 0, above = strcmp(name, "refine_above") == 0;
	if (!choice && !above && strcmp(name, "refine_below") != 0)
		return promised(name, args, m, guard, result);
	term given = and_(assumed, guard), told = fresh_bool();
	struct number known = number_load(m, &args[3]);
	prove("valid numbers for a callee", implies(guard, valid(&known)));
	prove("what is told", implies(given, true_telling(m, &args[2], &args[3])));
	if (choice) {
		struct choice_held c = choice_in(m, &args[1]);
		prove("a choice that is kept", implies(guard, choice_is_kept(&c)));
		prove("a choice", implies(given, choice_is_true(&c)));
	} else {
		struct bound_held b = bound_in(m, &args[1]);
		struct held of = held_load(m, &args[2], 0);
		prove("what it bounds, or is bounded by",
			implies(guard, and_(named(of.sym), eq(above ? b.below.sym : b.of, of.sym))));
		prove("a shift", implies(guard, ult(b.shift, bits(8, 64))));
		prove("a bound", implies(given, bound_is_true(&b)));
	}
	assume(implies(given, told));
	*result = exec_bits(told);
	return true;
}

/* bool wv_state_refine(st, of, known): it is told to all that have a row, of each choice and bound that is in use */
void build_state_refine(const struct query *q)
{
	struct held of;
	struct number known;
	begin_row(q);
	also_summarise(spread_to);
	state = new_state();
	struct value pof = told_value(&of, &known);
	for (unsigned i = 0; i < WV_MAX_CHOICES; i++) {
		struct value at = ELEMENT(choice, i);
		struct choice_held c = choice_of(&at);
		term used = ult(bits(32, i), COUNT_OF(n_choices));
		assume(implies(used, choice_is_kept(&c)));
		suppose(implies(used, choice_is_true(&c)));
	}
	for (unsigned i = 0; i < WV_MAX_BOUNDS; i++) {
		struct value at = ELEMENT(bound, i);
		struct bound_held b = bound_of(&at);
		term used = ult(bits(32, i), COUNT_OF(n_bounds));
		assume(implies(used, ult(b.shift, bits(8, 64))));
		suppose(implies(used, bound_is_true(&b)));
	}
	struct value args[] = {state, pof, number_object(&state_memory, &known)},
		     r = call_function(q, args, &state_memory);
	prove("not denied", implies(assumed, returned_true(&r)));
	possible(assumed);
	prove_hazards(truth(true));
}

/* ---- what is noted ---- */

/*
 * A state in which so many were noted of something, ever: of that number it only counts what it leaves divided by the
 * room, and whether it is less than that.
 */
static void begin_noting(const struct query *q, size_t count)
{
	begin_row(q);
	state = new_state();
	exec_store(&state_memory, &state, count, bits(32, (uint64_t)q->op));
}

/* void wv_state_note_choice(st, is, a, b), after so many choices: each that is there afterwards is true */
void build_note_choice(const struct query *q)
{
	struct choice_held new;
	begin_noting(q, offsetof(struct wv_state, n_choices));
	struct value is = exec_struct(&state_memory, "struct.wv_val", 0),
		     a = exec_struct(&state_memory, "struct.wv_val", 0),
		     b = exec_struct(&state_memory, "struct.wv_val", 0);
	new = (struct choice_held){
		held_load(&state_memory, &is, 0), held_load(&state_memory, &a, 0), held_load(&state_memory, &b, 0)};
	assume(choice_is_kept(&new));
	suppose(choice_is_true(&new));
	for (unsigned i = 0; i < WV_MAX_CHOICES && i < (unsigned)q->op; i++) {
		struct value at = ELEMENT(choice, i);
		struct choice_held c = choice_of(&at);
		assume(choice_is_kept(&c));
		suppose(choice_is_true(&c));
	}
	struct value args[] = {state, is, a, b};
	call_function(q, args, &state_memory);
	prove("one choice more", eq(COUNT_OF(n_choices), bits(32, (uint64_t)q->op + 1)));
	for (unsigned i = 0; i < WV_MAX_CHOICES && i <= (unsigned)q->op; i++) {
		struct value at = ELEMENT(choice, i);
		struct choice_held c = choice_of(&at);
		prove("a choice that is kept", choice_is_kept(&c));
		prove("a choice that is true", implies(assumed, choice_is_true(&c)));
	}
	possible(assumed);
	prove_hazards(truth(true));
}

struct less_held {
	term sym, than, add, ones;
};

static struct less_held less_of(unsigned i)
{
	struct value at = ELEMENT(less, i);
	return (struct less_held){exec_load(&state_memory, &at, offsetof(struct wv_less, sym), 4),
		exec_load(&state_memory, &at, offsetof(struct wv_less, than), 4),
		exec_load(&state_memory, &at, offsetof(struct wv_less, than_add), 8),
		extract(0, 0, exec_load(&state_memory, &at, offsetof(struct wv_less, ones), 1))};
}

static term same_less(const struct less_held *a, const struct less_held *b)
{
	return and_(and_(eq(a->sym, b->sym), eq(a->than, b->than)), and_(eq(a->add, b->add), eq(a->ones, b->ones)));
}

/* It says the same of these two values. */
static term says_less(const struct less_held *l, const struct held *v, const struct held *than, term ones)
{
	const struct less_held asked = {v->sym, than->sym, than->add, ite(ones, bits(1, 1), bits(1, 0))};
	return and_(eq(v->add, bits(64, 0)), same_less(l, &asked));
}

/*
 * void wv_state_note_less(st, v, than, ones), after so many: what is there afterwards was there, or it is of these
 * values
 */
void build_note_less(const struct query *q)
{
	struct less_held before[WV_MAX_LESS];
	begin_noting(q, offsetof(struct wv_state, n_less));
	struct value pv = exec_struct(&state_memory, "struct.wv_val", 0),
		     pthan = exec_struct(&state_memory, "struct.wv_val", 0);
	struct held v = held_load(&state_memory, &pv, 0), than = held_load(&state_memory, &pthan, 0);
	term ones = input_bool("ones");
	for (unsigned i = 0; i < WV_MAX_LESS; i++)
		before[i] = less_of(i);
	struct value args[] = {state, pv, pthan, exec_bits(ones)};
	call_function(q, args, &state_memory);
	for (unsigned i = 0; i < WV_MAX_LESS; i++) {
		struct less_held after = less_of(i);
		term was = and_(truth(i < (unsigned)q->op), same_less(&before[i], &after));
		prove("one that was there, or this one",
			implies(ult(bits(32, i), COUNT_OF(n_less)), or_(was, says_less(&after, &v, &than, ones))));
	}
	prove_hazards(truth(true));
}

/* bool wv_state_is_less(st, v, than, ones): there is one that says so */
void build_is_less(const struct query *q)
{
	begin_row(q);
	state = new_state();
	struct value pv = exec_struct(&state_memory, "struct.wv_val", 0),
		     pthan = exec_struct(&state_memory, "struct.wv_val", 0);
	struct held v = held_load(&state_memory, &pv, 0), than = held_load(&state_memory, &pthan, 0);
	term ones = input_bool("ones"), says = truth(false);
	for (unsigned i = 0; i < WV_MAX_LESS; i++) {
		struct less_held l = less_of(i);
		says = or_(says, and_(ult(bits(32, i), COUNT_OF(n_less)), says_less(&l, &v, &than, ones)));
	}
	struct value args[] = {state, pv, pthan, exec_bits(ones)}, r = call_function(q, args, &state_memory);
	prove("one that says so", implies(returned_true(&r), says));
	possible(returned_true(&r));
	prove_hazards(truth(true));
}
