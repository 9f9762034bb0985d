/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protection keys.
 *
 * Each page has one of 16 keys. A thread's register PKRU says for each key whether the thread may access pages with
 * that key, and write to them. Pages have key 0 unless the program gives them another; so all memory of Ward in a
 * target has key 0. A thread that keeps its stack and data under another key can deny itself writes to key 0. Then
 * the first store of a stub would kill it. So Ward checks the register of each stopped thread before it writes the
 * first jump.
 *
 * The header of the kernel's saved extended state says which parts were in use. Since Linux 5.14 PKRU isn't among the
 * parts that the kernel saves and restores, but its value is put there all the same. So it is read whether the header
 * marks it as in use or not. Older kernels then have the value of new threads there, which permits key 0.
 */
#include "protection_keys.h"

#include "loader/base/error.h"

#include <cpuid.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
	STATE_MOST = 16384, /* PKRU is below 4 KiB on all processors so far */
	STATE_UNIT = 8,     /* ptrace gives whole ones */
	PKRU = 9,           /* the part's number */
	NO_ACCESS = 1,      /* of key 0 */
	NO_WRITES = 2,
};

size_t wl_pkru_at(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ecx & 1u << 4 /* OSPKE */))
		return 0;
	return __get_cpuid_count(0xd, PKRU, &eax, &ebx, &ecx, &edx) && eax >= sizeof(uint32_t) ? ebx : 0;
}

enum wl_key0 wl_key0_of(const uint8_t *state, size_t n, size_t pkru_at)
{
	uint32_t pkru;

	if (!pkru_at || n < sizeof(pkru) || pkru_at > n - sizeof(pkru))
		return WL_KEY0_FREE;
	memcpy(&pkru, state + pkru_at, sizeof(pkru));
	return pkru & NO_ACCESS ? WL_KEY0_NO_ACCESS : pkru & NO_WRITES ? WL_KEY0_NO_WRITES : WL_KEY0_FREE;
}

static enum wl_key0 key0_of_thread(pid_t tid, size_t pkru_at)
{
	uint8_t state[STATE_MOST];
	struct iovec v = {
		.iov_base = state, .iov_len = (pkru_at + sizeof(uint32_t) + STATE_UNIT - 1) / STATE_UNIT * STATE_UNIT};

	if (v.iov_len > sizeof(state) || ptrace(PTRACE_GETREGSET, tid, NT_X86_XSTATE, &v) < 0)
		return WL_KEY0_FREE; /* it has just died */
	return wl_key0_of(state, v.iov_len, pkru_at);
}

int wl_check_keys(const struct wl_process *p, const struct wl_thread *t, size_t pkru_at, struct ward_error *err)
{
	enum wl_key0 may = pkru_at && t->stopped ? key0_of_thread(t->tid, pkru_at) : WL_KEY0_FREE;
	char what[64];

	if (may == WL_KEY0_FREE)
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)p->pid);
	wl_fail(err, WARD_E_TARGET, what, "thread %d denies itself %s protection key 0, which Ward's memory has",
		(int)t->tid, may == WL_KEY0_NO_ACCESS ? "access to" : "writes to");
	wl_hint(err, "attach while no thread does (pkey_set)");
	return WARD_E_TARGET;
}
