/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program with static tracepoints: `points ROUNDS` passes all of them ROUNDS times and checks whether the tracer
 * changed anything.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t point_registers(void), point_constants(void), point_memory(const void *page), point_variables(void),
	point_unknown(void), point_none(void), point_many(void), point_flags(uint64_t flags),
	point_before_call(uint64_t v), point_behind(uint64_t n), point_target(uint64_t n), point_cave(uint64_t n),
	point_room(uint64_t n), point_switch(uint64_t v), point_split(uint64_t v), point_long(uint64_t n),
	point_no_nop(void), point_nop10(uint64_t flags), point_nop5(uint64_t flags), point_nop_apart(uint64_t n),
	point_midst(void), point_semaphore(void), point_twins(void), shares(uint64_t a, uint64_t b),
	flows(uint64_t a, uint64_t b), shared(uint64_t a, uint64_t b);

static int failed;

static void expect(const char *what, uint64_t is, uint64_t should)
{
	if (is == should)
		return;
	printf("%s: %#llx, not %#llx\n", what, (unsigned long long)is, (unsigned long long)should);
	failed = 1;
}

static const uint64_t RED_ZONE = 0x1111 * (16 * 17 / 2);

enum { CF = 1, PF = 4, AF = 16, ZF = 64, SF = 128, OF = 2048, ALWAYS = 2, IF = 512 };

/* All combinations, one a round. */
static void flags(unsigned round)
{
	static const unsigned bit[] = {CF, PF, AF, ZF, SF, OF};
	uint64_t v = ALWAYS | IF;

	for (unsigned i = 0; i < 6; i++)
		v |= round >> i & 1 ? bit[i] : 0;
	expect("flags", point_flags(v) & 0xfff, v);
	expect("nop10", point_nop10(v), v | RED_ZONE << 12);
	expect("nop5", point_nop5(v), v | RED_ZONE << 12);
}

static void round_of(unsigned i, const void *page)
{
	const uint64_t r = 0xfedcba9887e5c3f1;

	expect("registers", point_registers(), 10 * r + 36);
	expect("constants", point_constants(), 9);
	expect("memory", point_memory(page), 0x1234567 - 2);
	expect("variables", point_variables(), 3);
	expect("unknown", point_unknown(), 3);
	expect("none", point_none(), 4);
	expect("many", point_many(), 4);
	flags(i);
	expect("before_call", point_before_call(i), 2 * i + 5);
	expect("behind", point_behind(3), 5);
	expect("target", point_target(3), 3);
	expect("cave", point_cave(2), 2);
	expect("room", point_room(2), 2);
	expect("switch", point_switch(i), (i & 1) + 3);
	expect("split", point_split(i), (i & 1) + 3);
	expect("long", point_long(2), 2);
	expect("no_nop", point_no_nop(), 5);
	expect("nop_apart", point_nop_apart(3), 3);
	expect("midst", point_midst(), 5);
	point_semaphore();
	expect("twins", point_twins(), 6);
	expect("shared", shared(i, 3), i + 3 + (3 < i));
	expect("shares", shares(i, 3), i + 4 + (3 < i));
	expect("flows", flows(i, 3), i + 4 + (4 < i));
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char c;

	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		return 2;
	memset(page, 0x11, 4096);
	expect("semaphore", point_semaphore(), 0);
	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		return 2;
	for (unsigned i = 0; i < n; i++)
		round_of(i, page);
	printf("semaphore %llu\n", (unsigned long long)point_semaphore());
	fflush(stdout);
	/* Detached by now, if that is the test. */
	if (read(0, &c, 1) < 0)
		return 2;
	printf("semaphore %llu\n", (unsigned long long)point_semaphore());
	return failed;
}
