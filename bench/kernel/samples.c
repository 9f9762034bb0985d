/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sample costs: a loop in user mode, of a known number of instructions, is interrupted 10000 times a second. The
 * kernel's own part, its clock and its interrupt, is in all figures; the row of a probe that does nothing has little
 * else.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS_OF_LOOP = 20000000, HZ = 10000 };

static const struct row {
	const char *what, *probe, *bpftrace;
} rows[] = {
	{"nothing", "empty", "profile:hz:10000 { }"},
	{"count", "count", "profile:hz:10000 { @ = count() }"},
	{"count by thread (map)", "map", "profile:hz:10000 { @[tid] = count() }"},
	{"log2 histogram", "log2", "profile:hz:10000 { @ = hist(tid) }"},
};

double measure_spin(void)
{
	double took[ROUNDS];

	for (int r = 0; r < ROUNDS; r++) {
		unsigned long n = ROUNDS_OF_LOOP;
		double begin = instructions_now();

		__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n));
		took[r] = instructions_now() - begin;
	}
	return middle_of(took);
}

/* A nanosecond is an instruction: so many samples are due in that time. */
static void print_sample(double took, double bare)
{
	if (took < 0)
		printf("%12s", "-");
	else
		printf("%12.1f", (took - bare) / (took * HZ / 1e9));
}

static double spin_below_ward(const char *folder, const char *probe)
{
	struct attachment a = attach_module(folder, probe, "profile:10000");
	double took = measure_spin();
	uint64_t events = detach_module(&a);

	if ((double)events < took * ROUNDS * HZ / 1e9 * 0.9)
		fail(probe, "it has missed samples");
	return took;
}

void compare_samples(const char *folder, const char *bpftrace)
{
	double bare = measure_spin();

	printf("\nA loop of %.0f instructions is sampled %d times a second. What a sample adds:\n\n", bare, HZ);
	printf("%-37s%12s%12s\n", "", "Ward", "bpftrace");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf("%-37s", rows[i].what);
		print_sample(spin_below_ward(folder, rows[i].probe), bare);
		print_sample(bpftrace ? loop_below(bpftrace, "-e", rows[i].bpftrace, "spin") : -1, bare);
		printf("\n");
	}
}
