// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe may call, as spec/ward/import.def promises: it never faults, and writes only the buffer, and all of
 * it. A probe runs with preemption off, in any context, so memory that isn't present is not fetched.
 *
 * An address below the kernel's half belongs to the running process. It is read without the checks of
 * copy_from_user_nofault, which look the buffer up under a lock that the probed function may hold. In an NMI it isn't
 * read at all: the NMI may have come where the processor has one process's memory, and another's task.
 */
#include <linux/build_bug.h>
#include <linux/cred.h>
#include <linux/hardirq.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ward.h"

static __always_inline bool peek_process(void *buffer, u64 length, u64 address)
{
	const void __user *from = (const void __user *)address;
	bool good;

	if (!current->mm || in_nmi())
		return false;
	pagefault_disable();
	good = access_ok(from, length) && !raw_copy_from_user(buffer, from, length);
	pagefault_enable();
	return good;
}

/* On failure the buffer may hold anything. */
static __always_inline bool memory_peek(void *buffer, u64 length, u64 address)
{
	if (address < TASK_SIZE_MAX)
		return peek_process(buffer, length, address);
	return !copy_from_kernel_nofault(buffer, (const void *)address, length);
}

static notrace u64 read_bytes(void *buffer, u64 length, u64 address)
{
	if (memory_peek(buffer, length, address))
		return length;
	memset(buffer, 0, length);
	return 0;
}

/* Page by page: the next one may not be there, and the string be over before. */
static notrace u64 read_string(char *buffer, u64 length, u64 address)
{
	u64 n = 0, part, found;

	while (n < length) {
		part = min_t(u64, length - n, PAGE_SIZE - (address + n) % PAGE_SIZE);
		if (!memory_peek(buffer + n, part, address + n))
			break;
		found = strnlen(buffer + n, part);
		n += found;
		if (found < part)
			break;
	}
	if (n && n == length)
		n--;
	memset(buffer + n, 0, length - n);
	return n;
}

/*
 * Names change without a lock for readers. A name that is being written may be a mixture, but it ends, and has zeros
 * behind its end.
 */
static notrace u64 tell_current(void *buffer, u64 length)
{
	struct ward_k_current it = {
		.pid = current->tgid,
		.tid = current->pid,
		.uid = __kuid_val(current_uid()),
		.gid = __kgid_val(current_gid()),
		.task = (u64)(uintptr_t)current,
	};
	u64 n = min_t(u64, length, sizeof(it)), end;

	BUILD_BUG_ON(sizeof(it) != 40 || sizeof(it.comm) != TASK_COMM_LEN);
	memcpy(it.comm, current->comm, sizeof(it.comm));
	end = strnlen(it.comm, sizeof(it.comm) - 1);
	memset(it.comm + end, 0, sizeof(it.comm) - end);
	memcpy(buffer, &it, n);
	memset((u8 *)buffer + n, 0, length - n);
	return n;
}

void *ward_import(u32 import)
{
	static void *const imports[WARD_K_IMPORTS] = {
		[WARD_K_READ] = read_bytes,
		[WARD_K_READ_STR] = read_string,
		[WARD_K_CURRENT] = tell_current,
		[WARD_K_STACK] = ward_take_stack,
		[WARD_K_USER_STACK] = ward_take_user_stack,
	};

	return imports[import];
}
