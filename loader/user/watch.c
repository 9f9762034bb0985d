/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program forbids its threads.
 *
 * A thread can lose the time stamp counter (PR_SET_TSC), and strict seccomp takes it, too: rdtsc is SIGSEGV then. A seccomp filter may kill it for a system call, and PR_SET_SYSCALL_USER_DISPATCH makes one a SIGSYS. What a thread
 * may do can't be asked without a system call, which would take too long at each event, and may be forbidden itself. But how it is forbidden is known: by prctl and seccomp, which programs call by the C
 * library's prctl() and syscall(). So these are patched, too, where a probe reads the time or makes system calls, and what stands here looks at their arguments before the call is made: it sets a flag of the gate, and
 * events of stubs that would do what is forbidden are dropped and counted from then on. That goes for all threads of the process, and also if the call fails.
 *
 * What was forbidden before is found when the probes are attached (permitted.c). A program that makes these calls by instructions of its own isn't seen.
 */
#include "watch.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

enum { ANY = -1 };

static const struct rule {
	int number; /* of the system call */
	int option; /* its first argument, */
	int value;  /* and its second, or ANY */
	uint8_t flags;
} rules[] = {
	{SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, WL_NO_TIME},
	{SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, WL_NO_TIME | WL_NO_CALLS},
	{SYS_prctl, PR_SET_SECCOMP, ANY, WL_NO_CALLS},
	{SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, ANY, WL_NO_CALLS},
	{SYS_seccomp, SECCOMP_SET_MODE_STRICT, ANY, WL_NO_TIME | WL_NO_CALLS},
	{SYS_seccomp, SECCOMP_SET_MODE_FILTER, ANY, WL_NO_CALLS},
};

static bool is_called(const char *name, const char *so)
{
	size_t n = strlen(so);

	return strncmp(name, so, n) == 0 && (!name[n] || name[n] == '@');
}

enum wl_watched wl_watched_name(const char *name)
{
	return is_called(name, "prctl") ? WL_PRCTL : is_called(name, "syscall") ? WL_SYSCALL : WL_UNWATCHED;
}

bool wl_is_c_library(const char *name)
{
	static const char *const begin[] = {"libc.so", "libc-2.", "libc.musl-", "ld-musl-"};

	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		if (strncmp(name, begin[i], strlen(begin[i])) == 0)
			return true;
	return false;
}

/* cmp $imm, %r; jne …: r is edi, esi or edx */
static size_t unless(struct wl_code *c, unsigned r, int imm)
{
	WL_EMIT(c, 0x81, (uint8_t)(0xf8 | r));
	wl_u32(c, (uint32_t)imm);
	return wl_jcc(c, WL_NE);
}

void wl_watch(struct wl_code *c, const struct wl_slots *s, enum wl_watched which)
{
	static const unsigned argument[] = {RDI, RSI, RDX};
	const unsigned *arg = which == WL_SYSCALL ? argument + 1 : argument;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *rule = &rules[i];
		size_t label[3], n = 0;

		if (which == WL_SYSCALL)
			label[n++] = unless(c, argument[0], rule->number);
		else if (rule->number != SYS_prctl)
			continue;
		label[n++] = unless(c, arg[0], rule->option);
		if (rule->value != ANY)
			label[n++] = unless(c, arg[1], rule->value);
		WL_EMIT(c, 0xf0, 0x80, 0x0c, 0x25); /* lock orb $flags, FLAGS */
		wl_u32(c, (uint32_t)s->gate + WL_GATE_FLAGS);
		wl_u8(c, rule->flags);
		while (n)
			wl_bind(c, label[--n]);
	}
}
