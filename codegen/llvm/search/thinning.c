/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was taken for any access around it may have got a guard in vain, and what one guard checks may prove what
 * another was for: each guard is left out once, with all accesses that it does for, and stays out if the verifier
 * doesn't miss it. First those that nobody knows to be needed. Of the others hardly one turns out to be in vain, so
 * where there are many of them that isn't tried. Then each loop's fuel is left out, for an index that is checked may be
 * what bounds the loop: a loop that ends within the limit isn't to be stopped before. But where the author has said how
 * often a loop may go round, a run must not be allowed to take longer without it. Where the program is large, and to
 * prove it takes long, few are tried.
 *
 * Trials are made without debug information, which changes nothing of the code; the code that comes of it all is put to
 * the verifier once more as it will be.
 */
#include "thinning.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/prepare/loop_bound.h"
#include "trial.h"

enum { MAX_TRIALS = 32, MAX_BYTES = 384 << 10, FEW = 8 };

struct thinning {
	struct rounds *r;
	struct plan *plan;
	struct planned *before; /* room for what is planned */
	int trials;
	size_t bytes; /* of the modules that were tried */
	bool changed;
};

static void take_out(struct plan *p, int i, unsigned what)
{
	for (int k = 0; k < p->n; k++)
		if (k == i || (what != WANT_FUEL && p->of[k].by == i + 1))
			p->of[k].want &= (uint16_t)~what;
}

/* Does the author say of one of these loops how often it may go round? */
static bool has_bound(const struct thinning *t, const int *of, int n)
{
	for (int k = 0; k < n; k++)
		if (bound_of(LLVMGetInstructionParent(t->r->planner.origin.inst[of[k]])))
			return true;
	return false;
}

/* Leave out what `n` of them have. Returns false if one of them is missed. */
static bool leave_out(struct thinning *t, const int *of, int n, unsigned what)
{
	size_t size = (size_t)t->plan->n * sizeof(*t->before);
	LLVMMemoryBufferRef object;
	struct ward_buf module = {0};
	struct ward_verdict *verdict;
	bool ok;

	memcpy(t->before, t->plan->of, size);
	for (int k = 0; k < n; k++)
		take_out(t->plan, of[k], what);
	object = object_compile(t->r, NO_LINES);
	verdict = object ? object_judge(t->r, object, (int64_t)t->r->planner.guard.state_size, DRAFT, &module) : NULL;
	ok = verdict && verdict->accepted &&
	     (what != WANT_FUEL || !has_bound(t, of, n) || insns_of(verdict) <= t->r->insns);
	if (ok) {
		t->r->insns = insns_of(verdict);
		t->changed = true;
	} else {
		memcpy(t->plan->of, t->before, size);
	}
	t->trials++;
	t->bytes += ok ? module.size / 2 : module.size; /* as what is accepted would have, if it weren't a draft */
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return ok;
}

void plan_restore(struct plan *p, const struct planned *before)
{
	for (int i = 0; i < p->n; i++) {
		p->of[i].want = before[i].want;
		p->of[i].by = before[i].by;
		p->of[i].ahead = before[i].ahead;
	}
}

/*
 * A loop that has fuel because nothing was known to bound it may be bounded by what it accesses, if that is guarded,
 * with a counter to go by that stops no run. So it is where everything is guarded, and guards by need must not stop a
 * loop that those let go on. Returns whether the verifier accepts that.
 */
static bool let_go_on(struct thinning *t, int loop)
{
	struct planner *planner = &t->r->planner;
	LLVMMemoryBufferRef object;
	struct ward_buf module = {0};
	struct ward_verdict *verdict;
	bool ok;

	memcpy(t->before, t->plan->of, (size_t)t->plan->n * sizeof(*t->before));
	t->plan->of[loop].want &= (uint16_t)~WANT_FUEL;
	plan_want(t->plan, loop, WANT_COUNTER, planner->round, t->plan->of[loop].why[2]);
	want_accesses_in_loop(planner, loop, "what the loop around it accesses is all that bounds it");
	object = object_compile(t->r, NO_LINES);
	verdict = object ? object_judge(t->r, object, (int64_t)planner->guard.state_size, DRAFT, &module) : NULL;
	ok = verdict && verdict->accepted;
	if (ok) {
		t->r->insns = insns_of(verdict);
		t->changed = true;
	} else {
		plan_restore(t->plan, t->before);
	}
	t->trials++;
	t->bytes += module.size;
	ward_verdict_free(verdict);
	free(module.data);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	return ok;
}

static int fuel_of(const struct thinning *t, int *found)
{
	int n = 0;

	for (int i = 0; i < t->plan->n; i++)
		if (t->plan->of[i].want & WANT_FUEL)
			found[n++] = i;
	return n;
}

/* The loops that are stopped by a bound that their authors didn't give. Returns how many go on after all. */
static int let_loops_go_on(struct thinning *t, int *list)
{
	int n = fuel_of(t, list), lifted = 0;

	for (int k = 0; k < n && t->trials < MAX_TRIALS && t->bytes < MAX_BYTES; k++)
		if (!bound_of(LLVMGetInstructionParent(t->r->planner.origin.inst[list[k]])) && let_go_on(t, list[k]))
			list[lifted++] = list[k];
	return lifted;
}

/* Few are tried one by one, many by halves. What had a guard may have lost it with another's. */
static void leave_out_all(struct thinning *t, const int *of, int n, unsigned what)
{
	int half = n > FEW ? n / 2 : 1;

	if (n == 0 || t->trials >= MAX_TRIALS || t->bytes >= MAX_BYTES || (n == 1 && !(t->plan->of[*of].want & what)))
		return;
	if (((n > FEW || n == 1) && leave_out(t, of, n, what)) || n == 1)
		return;
	leave_out_all(t, of, half, what);
	leave_out_all(t, of + half, n - half, what);
}

/* Does the instruction have a guard of its own, and is that known to be needed? */
static bool has_guard(const struct planned *of, int i, bool sure)
{
	return (of->want & (WANT_ACCESS | WANT_DIVISOR)) && of->by == i + 1 && of->sure == sure;
}

static int guards_of(const struct thinning *t, bool sure, int *found)
{
	int n = 0;

	for (int i = 0; i < t->plan->n; i++)
		if (has_guard(&t->plan->of[i], i, sure))
			found[n++] = i;
	return n;
}

/* First the guards and then the fuel, which may be needed no more for the guards that are left. */
static void thin_out(struct thinning *t, int *list, const int *lifted, int n_lifted)
{
	bool few = guards_of(t, true, list) <= FEW;

	leave_out_all(t, lifted, n_lifted, WANT_COUNTER);
	leave_out_all(t, list, guards_of(t, false, list), WANT_ACCESS | WANT_DIVISOR);
	if (few)
		leave_out_all(t, list, guards_of(t, true, list), WANT_ACCESS | WANT_DIVISOR);
	leave_out_all(t, list, fuel_of(t, list), WANT_FUEL);
}

bool plan_thin_out(struct rounds *r, struct planned *first)
{
	struct plan *plan = &r->planner.plan;
	size_t size = (size_t)plan->n * sizeof(*plan->of);
	struct thinning t = {.r = r, .plan = plan, .before = malloc(size + 1)};
	int *list = calloc((size_t)plan->n + 1, sizeof(*list)), *lifted = calloc((size_t)plan->n + 1, sizeof(*lifted));

	memcpy(first, plan->of, size);
	if (t.before && list && lifted)
		thin_out(&t, list, lifted, let_loops_go_on(&t, lifted));
	free(t.before);
	free(list);
	free(lifted);
	return t.changed;
}
