/* SPDX-License-Identifier: MIT-0 */
/*
 * ward/imports.h: what a probe may call.
 *
 * A probe can't follow a pointer of its target: the pointer may be wrong, and its memory may go away at any moment.
 * These functions read the target's memory for the probe, and say if that can't be done. They aren't part of the
 * probe: whoever attaches it must grant them. `ward trace` does; ward-verify wants --allow NAME for each.
 *
 * A buffer is in the state or in a local array, for every length that it may have: bound the length before the call.
 * A buffer that can't be proven to fit is guarded like any access: a run whose buffer would reach beyond the state or
 * the array stops. A call costs as much as for the longest buffer that it may get.
 */
#ifndef WARD_IMPORTS_H
#define WARD_IMPORTS_H

#include <stddef.h>
#include <stdint.h>

/* Where clang knows the buffer and the length, it says if the one is shorter. */
#ifdef __clang__
#define WARD_FITS(buffer, length) \
	__attribute__((diagnose_if(__builtin_object_size(buffer, 1) < (length), \
		"the buffer is shorter than the length, and what is behind it would be overwritten: pass sizeof " \
		"buffer", \
		"warning")))
#else
#define WARD_FITS(buffer, length)
#endif

/*
 * How many bytes were copied; 0: the address can't be read.
 *
 *	struct header h;
 *	if (!ward_read(&h, sizeof h, ev->arg[0]))
 *		return;
 */
typedef uint64_t ward_copied;

/*
 * Copy `length` bytes at `address` of the target. Returns length; or 0 if not all of them can be read, and then the
 * buffer is zeros.
 */
ward_copied ward_read(void *buffer, size_t length, uint64_t address) WARD_FITS(buffer, length);

/*
 * Copy the string at `address`, as far as it can be read and fits with its zero byte; what is left of the buffer
 * becomes zeros. Returns how many bytes were copied before the zero byte: 0 if the string is empty or can't be read,
 * length - 1 if it is that long or was cut off.
 */
ward_copied ward_read_str(char *buffer, size_t length, uint64_t address) WARD_FITS(buffer, length);

/* Are the `length` bytes at `address` those of the buffer? 1 or 0; 0 also if they can't be read. */
uint64_t ward_match(const void *buffer, size_t length, uint64_t address);

/* Nanoseconds of a clock. Returns 0 if the system doesn't have it. */
enum ward_clocks {
	WARD_CLOCK_REALTIME = 0,
	WARD_CLOCK_MONOTONIC = 1,
	WARD_CLOCK_PROCESS = 2, /* processor time used by the target */
	WARD_CLOCK_THREAD = 3,  /* by this thread of it */
	WARD_CLOCK_BOOT = 7,    /* monotonic, with the time that the machine slept */
};
uint64_t ward_clock(uint64_t clock);

/*
 * The stack of the thread at this event: which function called which, from the probed one outwards. It is a number for
 * the list of return addresses, the same for the same list, so a map may have it as a key. The reader shows the
 * functions' names.
 *
 *	struct { WARD_MAP(ward_stack, uint64_t, 4096) by_stack; } *s;
 *	ward_stack stack = ward_stack_take(WARD_FRAMES);
 *
 * No frame pointers are needed: the program's unwind tables are used, and frame pointers only for code that has none,
 * as what a JIT compiler makes. 0: it can't be had, as at the end of a call that an exception has left, or there was no
 * room for another one.
 */
typedef uint64_t ward_stack;
enum { WARD_FRAMES = 127 };
#ifdef __WARD_KERNEL__
#define ward_stack_take ward_kernel_stack_take
#else
ward_stack ward_stack_take(uint64_t frames);
#endif

/*
 * In the kernel it is the kernel's stack: from the probed function, or the one that a tracepoint is in, outwards to
 * where the kernel was entered, through interrupts to what they have interrupted. It is that of the task that runs.
 */
ward_stack ward_kernel_stack_take(uint64_t frames);

/*
 * And the running task's own stack, in its process: from where it has entered the kernel, or was interrupted, outwards.
 * No frame pointers are needed where Ward has handed the process's unwind tables to the kernel: it does so for those
 * that run when it attaches, and soon for those that come later. Else, and for code without tables, frame pointers are
 * followed, and a function without a frame of its own hides its caller. A stack has its names if Ward has seen the
 * process while it ran; else it is addresses. 0: the task has none, as the kernel's own.
 */
ward_stack ward_user_stack_take(uint64_t frames);

/*
 * Probes in the kernel have these instead, and <ward/kernel.h>. An address is the kernel's or, where it is below
 * the kernel's half, the running process's. Memory that isn't there at the moment, as it was paged out or not used yet,
 * can't be read.
 */
ward_copied ward_kernel_read(void *buffer, size_t length, uint64_t address) WARD_FITS(buffer, length);
ward_copied ward_kernel_read_str(char *buffer, size_t length, uint64_t address) WARD_FITS(buffer, length);

/*
 * Whose task runs, in the kernel: the task that the event happened in, or in an interrupt the one that was interrupted.
 * What a processor does when it has nothing to do is process 0, swapper/N. Numbers are those of the whole system, not
 * of a container. All members are set, to the last byte of the name, so that it may be a map's key whole or in parts.
 */
struct ward_current {
	uint32_t pid; /* the process: that of its first thread. A thread of the kernel's is a process of its own */
	uint32_t tid; /* the thread, as ev->tid */
	uint32_t uid; /* real user and group */
	uint32_t gid;
	char comm[16]; /* the thread's name, which begins as the program's; zeros behind it */
	uint64_t task; /* its address: WARD_GET((const struct task_struct *)it.task, ...) has what else there is */
};

/*
 * It may become longer: what a newer kernel module has is cut off at `length`, what an older one lacks is zeros.
 * Returns how many bytes it has told.
 */
uint64_t ward_kernel_current(struct ward_current *current, size_t length) WARD_FITS(current, length);

#endif
