/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program forbids its threads.
 *
 * A thread can lose the time stamp counter, through PR_SET_TSC or strict seccomp; then rdtsc raises SIGSEGV. A
 * seccomp filter may kill a thread for a system call, and PR_SET_SYSCALL_USER_DISPATCH turns the call into a SIGSYS.
 * Only a system call could say what a thread may do. That would take too long at each event, and may be forbidden
 * itself. But a program forbids these things by prctl and seccomp, and makes both calls through the C library's
 * prctl() and syscall(). So Ward patches these functions too, if a probe reads the time or makes system calls. The
 * code here examines their arguments before the call is made, and sets a flag of the gate. From then on, events of
 * stubs that would do what is forbidden are dropped and counted. That holds for all threads of the process, and also
 * if the call fails.
 *
 * A thread can also deny itself writes to Ward's memory (protection_keys.c), by pkey_set(). Then not even a dropped
 * event can be counted. So before such a call the gate is closed for good, for all threads, and a word of the tally
 * that belongs to no thread tells the tracer. A thread that may still read can read the gate. A thread that denies
 * itself all access to key 0 can't, and faults at the next stub; it then has neither its C library's data nor its
 * thread's control block, unless all of these have another key.
 *
 * While the gate is open it can be written to, since it is closed before a thread denies itself that. Where it is
 * closed, nothing is written.
 *
 * What was forbidden before is found when the probes are attached (permitted.c, protection_keys.c). Ward doesn't see
 * a program that makes these calls by its own instructions.
 */
#include "forbidden_calls.h"

#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
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

/* cmp $imm, %r; jne …: r is edi, esi or edx */
static size_t emit_unless(struct wl_code *c, unsigned r, int imm)
{
	WL_EMIT(c, 0x81, (uint8_t)(0xf8 | r));
	wl_u32(c, (uint32_t)imm);
	return wl_jcc(c, WL_NE);
}

/* lock orb $flags, FLAGS */
static void set_flags(struct wl_code *c, const struct wl_slots *s, uint8_t flags)
{
	WL_EMIT(c, 0xf0, 0x80, 0x0c, 0x25);
	wl_u32(c, (uint32_t)s->gate + WL_GATE_FLAGS);
	wl_u8(c, flags);
}

static void watch_calls(struct wl_code *c, const struct wl_slots *s, enum wl_watched which)
{
	static const unsigned argument[] = {RDI, RSI, RDX};
	const unsigned *arg = which == WL_SYSCALL ? argument + 1 : argument;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *rule = &rules[i];
		size_t label[3], n = 0;

		if (which == WL_SYSCALL)
			label[n++] = emit_unless(c, argument[0], rule->number);
		else if (rule->number != SYS_prctl)
			continue;
		label[n++] = emit_unless(c, arg[0], rule->option);
		if (rule->value != ANY)
			label[n++] = emit_unless(c, arg[1], rule->value);
		set_flags(c, s, rule->flags);
		while (n)
			wl_bind(c, label[--n]);
	}
}

/* testb $1, GATE; je …: the memory of a closed gate may be unwritable. */
static size_t unless_open(struct wl_code *c, const struct wl_slots *s)
{
	WL_EMIT(c, 0xf6, 0x04, 0x25);
	wl_u32(c, (uint32_t)s->gate);
	wl_u8(c, WL_GATE_OPEN);
	return wl_jcc(c, WL_E);
}

static void set_byte(struct wl_code *c, uint64_t addr, uint8_t value)
{
	WL_EMIT(c, 0xc6, 0x04, 0x25); /* movb $value, addr */
	wl_u32(c, (uint32_t)addr);
	wl_u8(c, value);
}

/*
 * pkey_set(0, rights). A call that permits everything again touches no memory, since that may still be denied. The
 * flag is set first, because a gate that is all zero is that of a forked child.
 */
static void watch_keys(struct wl_code *c, const struct wl_slots *s)
{
	size_t other = emit_unless(c, RDI, 0), permits, closed;

	WL_EMIT(c, 0x40, 0xf6, 0xc6, PKEY_DISABLE_ACCESS | PKEY_DISABLE_WRITE); /* test $3, %sil */
	permits = wl_jcc(c, WL_E);
	closed = unless_open(c, s);
	set_flags(c, s, WL_SHUT);
	set_byte(c, s->gate, 0);
	set_byte(c, s->tallies + offsetof(struct wl_tally, shut), 1);
	wl_bind(c, closed);
	wl_bind(c, permits);
	wl_bind(c, other);
}

void wl_watch(struct wl_code *c, const struct wl_slots *s, enum wl_watched which)
{
	size_t closed;

	WL_EMIT(c, 0x9c); /* pushf: as a site of a probe, this leaves all flags as they are */
	if (which == WL_PKEY_SET) {
		watch_keys(c, s);
	} else {
		closed = unless_open(c, s);
		watch_calls(c, s, which);
		wl_bind(c, closed);
	}
	WL_EMIT(c, 0x9d); /* popf */
}
