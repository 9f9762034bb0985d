/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WARD_CALLS against a set of stack pointers, on the calls of a program that returns, jumps out of many calls at
 * once, and never returns from some.
 */
#include "library.h"

enum { N = 200000, DEEPEST = 24 };

/* What is open, as told by stack pointers alone: those that aren't below the one at hand. In any order. */
struct set {
	uint64_t sp[8], n, size, pairs, lost, unpaired;
};

static void forget_below(struct set *s, uint64_t sp)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < s->n; i++)
		if (s->sp[i] >= sp)
			s->sp[kept++] = s->sp[i];
	s->n = kept;
}

static void set_enter(struct set *s, uint64_t sp)
{
	forget_below(s, sp + 1);
	if (s->n < s->size)
		s->sp[s->n++] = sp;
	else
		s->lost++;
}

static void set_leave(struct set *s, uint64_t sp)
{
	forget_below(s, sp);
	for (uint64_t i = 0; i < s->n; i++)
		if (s->sp[i] == sp) {
			s->sp[i] = s->sp[--s->n];
			s->pairs++;
			return;
		}
	s->unpaired++;
}

static void check_calls(const ward_snapshot *snapshot, const char *name, const char *lost, const char *unpaired,
	const char *pairs, const struct set *s)
{
	cr_assert_eq(library_field(snapshot, lost)->value, s->lost, "%s", name);
	cr_assert_eq(library_field(snapshot, unpaired)->value, s->unpaired, "%s", name);
	cr_assert_eq(library_field(snapshot, pairs)->value, s->pairs, "%s", name);
}

Test(calls, returns_and_jumps)
{
	struct library l = library_open("calls");
	struct {
		uint64_t sp, number;
	} stack[DEEPEST + 1] = {{.sp = 0x7fff00000000, .number = 0}};
	struct set many = {.size = 8}, one = {.size = 1};
	size_t depth = 0;
	ward_snapshot *snapshot;

	for (size_t i = 0; i < N; i++) {
		struct ward_event ev = {.sp = stack[depth].sp, .arg = {stack[depth].number}};
		uint64_t what = random_bits() % 100;

		if (what < 50 && depth < DEEPEST) {
			ev.sp = stack[depth].sp - 16 * (1 + random_bits() % 5);
			ev.arg[0] = random_bits();
			stack[++depth].sp = ev.sp;
			stack[depth].number = ev.arg[0];
			library_entry(&l, "on_entry")(&ev, l.states[0]);
			set_enter(&many, ev.sp);
			set_enter(&one, ev.sp);
		} else if (what < 97 && depth) {
			depth--;
			library_entry(&l, "on_return")(&ev, l.states[0]);
			set_leave(&many, ev.sp);
			set_leave(&one, ev.sp);
		} else if (depth) {
			depth -= 1 + random_bits() % depth; /* longjmp */
		}
	}
	snapshot = library_merge(&l, 0, 1);
	check_calls(snapshot, "calls", "calls.lost", "calls.unpaired", "pairs", &many);
	check_calls(snapshot, "one", "one.lost", "one.unpaired", "ones", &one);
	cr_assert_eq(library_field(snapshot, "wrong")->value, 0);
	cr_assert(many.pairs > N / 10 && many.lost > 1000 && one.lost > 1000 && one.pairs > 1000);
	cr_assert_eq(ward_snapshot_fields(snapshot), 7, "what is open is nobody's business");
	ward_snapshot_free(snapshot);
	library_merge_garbage(&l);
	library_close(&l);
}

/* The states are the target's to overwrite: a depth beyond all bounds leads nowhere else. */
Test(calls, any_state)
{
	struct library l = library_open("calls");

	for (size_t i = 0; i < 20000; i++) {
		struct ward_event ev = {.sp = random_bits(), .arg = {random_bits()}};

		for (size_t k = 0; k < l.state_size / 8; k++)
			((uint64_t *)l.states[0])[k] = random_number();
		library_entry(&l, random_bits() % 2 ? "on_entry" : "on_return")(&ev, l.states[0]);
	}
	library_close(&l);
}
