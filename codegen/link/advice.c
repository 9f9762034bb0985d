/* SPDX-License-Identifier: Apache-2.0 */
#include "advice.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char cg_no_floating[] =
	"no profile has it: a target may have turned its exceptions on, and be ended by them. Count in integers: scale "
	"what has a fraction, or keep a sum and a count and divide when you read them. What is only copied, as "
	"ward_read "
	"does, is shown as the number that it is";

static const char strings[] = "a probe has memcpy, mempcpy, memmove, memset, bzero, memcmp, bcmp, memchr, strlen, "
			      "strnlen, strcmp, strncmp, strchr and strrchr, declared as <string.h> does";
static const char copies[] = "copy as many bytes as have room: n = strnlen(from, sizeof to - 1); memcpy(to, from, n); "
			     "to[n] = 0; or, of the target's strings, ward_read_str";
static const char prints[] = "a probe does not print: count in the state, ward shows it";
static const char formats[] = "a probe formats no text: keep the number, or copy the bytes, in the state or in a "
			      "map's key; ward shows them";
static const char sorts[] = "a probe calls no function through its address: sort with two loops over the array, or "
			    "let a WARD_TOP keep the largest";
static const char wall[] = "ward_clock(WARD_CLOCK_MONOTONIC) of <ward/imports.h> has nanoseconds, in a process; "
			   "ev->time is the time stamp counter, ev->elapsed what passed since the entry";
static const char memory[] = "a probe has a fixed state: put an array or a WARD_MAP into it";
static const char jumps[] = "leave with return; there is no setjmp in a probe";
static const char numerals[] = "go over the digits in a loop with a limit: for (i = 0; i < 20 && c[i] >= '0' && c[i] "
			       "<= '9'; i++) n = 10 * n + (c[i] - '0')";
static const char clocks[] = "ev->time is the time stamp counter, ev->elapsed what passed since the entry";
static const char reads[] = "ward_read of <ward/imports.h> reads what an address leads to; in the kernel, WARD_GET "
			    "or ward_kernel_read of <ward/kernel.h>";
static const char task[] =
	"ev->tid is the running thread's number; in the kernel ward_kernel_current of <ward/imports.h> has process, "
	"user, group, name and the task's address, as in probes/kernel/syscalls.c";

/* The first that fits. */
static const struct advice {
	const char *name, *hint;
	const char *spoken;
} advice[] = {
	{"strcpy", copies, NULL},
	{"strncpy", copies, NULL},
	{"strlcpy", copies, NULL},
	{"stpcpy", copies, NULL},
	{"stpncpy", copies, NULL},
	{"strto*", numerals, NULL},
	{"ato*", numerals, NULL},
	{"__isoc23_strto*", numerals, "strtol and its like"},
	{"mem*", strings, NULL},
	{"str*", strings, NULL},
	{"stp*", strings, NULL},
	{"*bcmp", strings, NULL},
	{"*bzero", strings, NULL},
	{"sprintf", formats, NULL},
	{"snprintf", formats, NULL},
	{"vsprintf", formats, NULL},
	{"vsnprintf", formats, NULL},
	{"*printf", prints, NULL},
	{"*printk", prints, NULL},
	{"pr_*", prints, NULL},
	{"put*", prints, NULL},
	{"malloc", memory, NULL},
	{"calloc", memory, NULL},
	{"realloc", memory, NULL},
	{"free", memory, NULL},
	{"kmalloc", memory, NULL},
	{"kfree", memory, NULL},
	{"setjmp", jumps, NULL},
	{"_setjmp", jumps, NULL},
	{"sigsetjmp", jumps, NULL},
	{"__sigsetjmp", jumps, NULL},
	{"longjmp", jumps, NULL},
	{"siglongjmp", jumps, NULL},
	{"bpf_get_current_pid_tgid",
		"ev->tid is the thread; in the kernel ward_kernel_current of <ward/imports.h> has the process", NULL},
	{"bpf_get_current_*", task, NULL},
	{"get_current", task, NULL},
	{"*smp_processor_id", "ev->cpu is the processor", NULL},
	{"bpf_ktime_*", clocks, NULL},
	{"ktime_get*", clocks, NULL},
	{"bpf_probe_read*", reads, NULL},
	{"bpf_core_read*", reads, NULL},
	{"BPF_CORE_READ*", reads, NULL},
	{"BPF_PROBE_READ*", reads, NULL},
	{"copy_from_user", reads, NULL},
	{"bpf_map_*", "put a WARD_MAP into the state, for ward_map_add, ward_map_at and ward_map_get", NULL},
	{"PT_REGS_RC*", "ev->ret is what a function returned, at its return", NULL},
	{"PT_REGS_*", "ev->arg has the function's first six arguments", NULL},
	{"clock_gettime", wall, NULL},
	{"gettimeofday", wall, NULL},
	{"time", wall, NULL},
	{"clock", wall, NULL},
	{"*time*", clocks, NULL},
	{"qsort*", sorts, NULL},
	{"__atomic_*", "an atomic access is one of 1, 2, 4 or 8 bytes, at an address that is a multiple of its size",
		NULL},
	{"gettid", "ev->tid is the thread", NULL},
	{"__errno_location", "a probe has no errno: what a function returned is ev->ret, at its return", "errno"},
	{"abort", "return instead, or assert(0) of <assert.h>, which counts the run", NULL},
	{"exit", "return instead", NULL},
};

bool cg_fits(const char *pattern, const char *name)
{
	size_t n = strlen(pattern), len = strlen(name);
	bool front = n && pattern[0] == '*', back = n > 1 && pattern[n - 1] == '*';
	char core[32];

	snprintf(core, sizeof(core), "%.*s", (int)(n - front - back), pattern + front);
	n = strlen(core);
	if (front && back)
		return strstr(name, core) != NULL;
	if (front)
		return len >= n && strcmp(name + len - n, core) == 0;
	return back ? strncmp(name, core, n) == 0 : strcmp(name, core) == 0;
}

static const struct advice *advice_find(const char *function)
{
	for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (cg_fits(advice[i].name, function))
			return &advice[i];
	return NULL;
}

const char *cg_advice(const char *function)
{
	const struct advice *a = advice_find(function);

	return a ? a->hint : NULL;
}

const char *cg_spoken(const char *function)
{
	const struct advice *a = advice_find(function);

	return a ? a->spoken : NULL;
}
