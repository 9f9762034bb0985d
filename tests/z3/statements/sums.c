/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distance.c: the sums that it notes. The head of distance.c in this folder says what a state promises of
 * them, and what a row means.
 */
#include <stddef.h>
#include <stdio.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "summary_api.h"
#include "verifier/domain/state.h"

static struct sum_held sum_in(const struct value *state, unsigned i)
{
	struct value at = field_of(state, offsetof(struct wv_state, sum) + i * sizeof(struct wv_sum));
	return sum_load(&state_memory, &at);
}

static term same_sum_held(const struct sum_held *a, const struct sum_held *b)
{
	term names = and_(eq(a->sum, b->sum), and_(eq(a->x, b->x), eq(a->y, b->y)));
	return and_(and_(names, and_(eq(a->low, b->low), eq(a->c, b->c))), number_unchanged(&a->n, &b->n, 0));
}

/* A number of which nothing is known, for a search of what is possible. */
static term anything(const struct number *n)
{
	term none = bits(64, 0), most = bits(64, UINT64_MAX);
	term whole = and_(and_(eq(n->umin, none), eq(n->umax, most)),
		and_(eq(n->smin, bits(64, (uint64_t)INT64_MIN)), eq(n->smax, bits(64, INT64_MAX))));
	term low = and_(and_(eq(n->lumin, bits(32, 0)), eq(n->lumax, bits(32, UINT32_MAX))),
		and_(eq(n->lsmin, bits(32, (uint32_t)INT32_MIN)), eq(n->lsmax, bits(32, INT32_MAX))));
	return and_(and_(whole, low),
		and_(and_(eq(n->known, none), eq(n->bits, none)), and_(eq(n->mod, bits(64, 1)), eq(n->rem, none))));
}

static term lower(term t)
{
	return extract(31, 0, t);
}

/*
 * void wv_state_note_sum(st, sum, x, y, low), after so many sums: of their number it only counts what it leaves divided
 * by 4, and whether it is less than that. The sums that were there stay what they are but for the oldest one; in its
 * place is this one, if it is noted, which is true: its symbols add up, and its number is what is known of the sum.
 */
void build_note_sum(const struct query *q)
{
	struct held sum, x, y;
	struct sum_held before[MAX_SUMS];
	unsigned now = (unsigned)q->op % MAX_SUMS, used = (unsigned)q->op < MAX_SUMS ? (unsigned)q->op : MAX_SUMS;
	begin_row(q);
	struct value state = new_state(), n_sums = field_of(&state, offsetof(struct wv_state, n_sums));
	exec_store(&state_memory, &n_sums, 0, bits(32, (uint64_t)q->op));
	struct value psum = new_numbered(&sum, NULL), px = new_numbered(&x, NULL), py = new_numbered(&y, NULL);
	term low = input_bool("low"), z = add(x.x, y.x), c = sub(add(x.add, y.add), sum.add),
	     total = add(add(symbol_number(x.sym), symbol_number(y.sym)), c), zero = bits(32, 0),
	     s = symbol_number(sum.sym);
	assume(and_(not_(eq(sum.sym, zero)), and_(not_(eq(x.sym, zero)), not_(eq(y.sym, zero)))));
	assumed = and_(assumed, ite(low, name_of(eq(lower(sum.x), lower(z))), name_of(eq(sum.x, z))));
	known_law(truth(true), eq(eq(sum.x, z), eq(s, total)));
	known_law(eq(sum.x, z), eq(s, total));
	known_law(eq(lower(sum.x), lower(z)), eq(lower(s), lower(total)));
	named_law(eq(sum.x, z), eq(s, total));
	named_law(eq(lower(sum.x), lower(z)), eq(lower(s), lower(total)));
	for (unsigned i = 0; i < used; i++) {
		before[i] = sum_in(&state, i);
		assumed = and_(assumed, name_of(sum_is_true(&before[i])));
	}
	follows(WV_ADD, sum.x, sub(bits(64, 0), sum.add), s, truth(true), truth(true));
	struct value args[] = {state, psum, px, py, exec_bits(low)};
	call_function(q, args, &state_memory);
	struct held after = held_load(&state_memory, &psum, 0);
	term n = exec_load(&state_memory, &n_sums, 0, 4), noted = eq(n, bits(32, (uint64_t)q->op + 1));
	prove("one sum more, or none", or_(noted, eq(n, bits(32, (uint64_t)q->op))));
	prove("what adds up", implies(assumed, ite(low, name_of(eq(lower(s), lower(total))), name_of(eq(s, total)))));
	for (unsigned i = 0; i < MAX_SUMS; i++) {
		struct sum_held held = sum_in(&state, i);
		if (i < used)
			prove("what it was",
				implies(i == now ? not_(noted) : truth(true), same_sum_held(&before[i], &held)));
		if (i != now)
			continue;
		prove("the sum that is noted",
			implies(noted, and_(and_(eq(held.sum, sum.sym), and_(eq(held.x, x.sym), eq(held.y, y.sym))),
					       and_(eq(held.low, low), eq(held.c, c)))));
		prove("its number", implies(and_(assumed, noted), member(&held.n, s)));
		prove("its valid number", implies(noted, valid(&held.n)));
	}
	prove("a member", implies(assumed, member(&after.n, sum.x)));
	prove("valid", valid(&after.n));
	term some = and_(assumed, and_(anything(&sum.n), and_(anything(&x.n), anything(&y.n))));
	for (unsigned i = 0; i < used; i++)
		some = and_(some, anything(&before[i].n));
	possible(some);
	prove_hazards(assumed);
}
