/* SPDX-License-Identifier: Apache-2.0 */
/* The features that random programs consist of. */
#include "generate.h"

#include <string.h>

/* What may be in any block; and what may not be in a child of several threads, whose locks may be others'. */
#define FULL (DO_YIELD | DO_RAISE | DO_DEEP | ALONE)
#define LOCKS (DO_YIELD | DO_RAISE | DO_DEEP)

#define KIND(n, s, o) {.name = (n), .kind = FUNCTION_KIND, .says = (s), .on = (o)}
#define WHOLE(n, s, o) {.name = (n), .kind = PROGRAM_KIND, .says = (s), .on = (o)}

const struct feature features[] = {
	KIND("exits", "functions with several exits", true),
	KIND("calls", "functions that call other traced ones", true),
	KIND("tails", "functions that end as another traced one", true),
	KIND("timed", "functions that return how long they took", true),
	KIND("varargs", "variable arguments: al is an argument", true),
	KIND("many", "arguments on the stack", true),
	KIND("doubles", "arguments and results in vector registers", true),
	KIND("wide", "results in two registers", true),
	KIND("chain", "a static chain: r10 is an argument", true),
	KIND("carry", "assembly that returns the carry flag", true),

	WHOLE("recursion", "recursion within what is kept of open calls", true),
	WHOLE("deep", "recursion beyond that", true),
	WHOLE("signals", "signals raised in functions; handlers call functions", true),
	WHOLE("moved", "text that is moved to anonymous memory as the program starts", true),
	WHOLE("moves", "text that is moved to anonymous memory while it is traced", true),
	WHOLE("fixed", "a program at a fixed address", true),
	WHOLE("static", "a program without a dynamic linker", true),
	WHOLE("branches", "endbr64 at the beginning of functions", true),
	WHOLE("frames", "frame pointers", true),
	WHOLE("parked", "threads that wait in the kernel", true),
	WHOLE("killed", "tracers that are killed", true),
	WHOLE("two", "two tracers at a time", true),
	WHOLE("clang", "compiled by clang", true),

	{"threads", CONTEXT_KIND, "threads that come and go", true, "in_threads", 1, 4, LOCKS & ~DO_YIELD, 0},
	{"contexts", CONTEXT_KIND, "fibers by swapcontext", true, "in_contexts", 2, 5, FULL, DO_YIELD},
	{"fibers", CONTEXT_KIND, "fibers by a switch of the program's own", true, "in_fibers", 2, 5, FULL, DO_YIELD},
	{"movers", CONTEXT_KIND, "fibers that move between threads", true, "in_movers", 2, 5, LOCKS, DO_YIELD},
	{"copies", CONTEXT_KIND, "fibers on one stack, which is copied", true, "in_copies", 2, 5, FULL, DO_YIELD},
	{"jumps", CONTEXT_KIND, "calls left by longjmp", true, "in_jumps", 2, 9, FULL, DO_JUMP},
	{"leaves", CONTEXT_KIND, "signal handlers left by siglongjmp", true, "in_jumps", 2, 9, FULL, DO_LEAVE},
	{"throws", CONTEXT_KIND, "calls left by an exception", true, "in_catches", 2, 9, LOCKS, DO_THROW},
	{"stray", CONTEXT_KIND, "signals at any moment", true, "in_stray", 1, 3, 0, BARE | NO_SUM},
	{"strayjumps", CONTEXT_KIND, "signals at any moment, left by siglongjmp", true, "in_stray_jumps", 1, 3, 0,
		BARE | NO_SUM},
	{"forks", CONTEXT_KIND, "children by fork", true, "in_forks", 1, 2, FULL & ~DO_YIELD, ALONE},
	{"vforks", CONTEXT_KIND, "children by vfork", true, "in_vforks", 1, 3, ALONE, BARE},
	{"execs", CONTEXT_KIND, "children that become other programs", true, "in_execs", 1, 3, ALONE, BARE},
	{"loads", CONTEXT_KIND, "libraries that come and go", true, "in_loads", 1, 3, LOCKS, 0},
	{"fs", CONTEXT_KIND, "other bases of fs", true, "in_fs", 3, 8, ALONE, BARE | NO_TIME},
	{"ac", CONTEXT_KIND, "alignment checks", true, "in_ac", 1, 3, ALONE, BARE},
	{"df", CONTEXT_KIND, "the direction flag set", true, "in_df", 1, 3, ALONE, BARE},
	{"notsc", CONTEXT_KIND, "no time stamp counter", true, "in_no_tsc", 1, 3, ALONE, BARE | NO_TIME},
	{"strict", CONTEXT_KIND, "a thread in strict seccomp", true, "in_strict", 2, 5, 0, BARE | NO_TIME},
};

const unsigned n_features = sizeof(features) / sizeof(features[0]);

unsigned find_feature(const char *name)
{
	unsigned i = 0;

	while (i < n_features && strcmp(features[i].name, name) != 0)
		i++;
	return i;
}
