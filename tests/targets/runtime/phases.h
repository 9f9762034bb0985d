/* SPDX-License-Identifier: Apache-2.0 */
/* The program from beginning to end: phases, between which it waits for a command to continue, and its counts. */
#ifndef WARD_TESTS_TARGETS_PHASES_H
#define WARD_TESTS_TARGETS_PHASES_H

#include "fibers.h"
#include "parked.h"
#include "processes.h"
#include "states.h"

static int put_tally(char *at, size_t room, const struct tally *t)
{
	int n = 0;

	for (int k = 0; k < FUNCTIONS; k++) {
		const struct function *f = &t->f[k];

		n += snprintf(at + n, room - (size_t)n, "f %d %lu %lu %lu %lu %lu %lu %lu %lu\n", k, f->begun, f->args,
			f->entered, f->ended, f->rets, f->returned, f->thrown, f->jumped);
	}
	return n + snprintf(at + n, room - (size_t)n, "all %lu %lu %lu %lu %lu %lu %lu %lu\n", t->sum, t->wrong,
			   t->handled, t->jumps, t->deep, t->aside, t->forbidden, t->copied);
}

static void report(unsigned phase)
{
	char text[8192];
	int n = snprintf(text, sizeof(text), "phase %u\n", phase);

	n += put_tally(text + n, sizeof(text) - (size_t)n, &shared[0]);
	n += put_tally(text + n, sizeof(text) - (size_t)n, &shared[1]);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "end\n");
	if (write(1, text, (size_t)n) != n)
		_exit(99);
}

static void await(unsigned phase)
{
	char line[32], c;
	int n = snprintf(line, sizeof(line), "ready %u\n", phase);

	if (write(1, line, (size_t)n) != n || read(0, &c, 1) != 1)
		_exit(99);
}

static int run(int argc, char **argv, block_fn *const *phases, unsigned n, int status)
{
	int waits = argc > 1 && !strcmp(argv[1], "phases");

	if (argc > 1 && !strcmp(argv[1], "child"))
		return CHILD_STATUS;
	shared = mmap(NULL, 2 * sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 99;
	T = shared;
	use_signals();
	use_stack();
#ifdef WITH_PARKED
	park(WITH_PARKED);
#endif
	for (unsigned i = 0; i < n; i++) {
		if (waits)
			await(i);
		phases[i](i);
		report(i);
	}
#ifdef WITH_PARKED
	unpark();
	report(n);
#endif
	if (waits)
		await(n);
	return shared->wrong ? 97 : status;
}

#endif
