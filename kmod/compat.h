/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What newer kernels name in another way than Debian's 6.1 does. The other files use the names on the left.
 *
 * Structures whose layout changes are read by the kernel's own functions, which all these kernels have: the registers
 * of a function that is traced by ftrace_get_regs.
 */
#ifndef WARD_COMPAT_H
#define WARD_COMPAT_H

#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/version.h>
#include <asm/ibt.h>

/* 6.4 took the direct calls of one function away, and gave their name to those of several. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define ward_direct_register(ops, code) register_ftrace_direct(ops, code)
#define ward_direct_modify(ops, code) modify_ftrace_direct(ops, code)
#define ward_direct_unregister(ops, code) unregister_ftrace_direct(ops, code, false)
#else
#define ward_direct_register(ops, code) register_ftrace_direct_multi(ops, code)
#define ward_direct_modify(ops, code) modify_ftrace_direct_multi(ops, code)
#define ward_direct_unregister(ops, code) unregister_ftrace_direct_multi(ops, code)
#endif

/* From 6.2 to 6.14 what each processor needs most is in one structure. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define WARD_THIS_TASK pcpu_hot.current_task
#define WARD_PREEMPT_COUNT pcpu_hot.preempt_count
#else
#define WARD_THIS_TASK current_task
#define WARD_PREEMPT_COUNT __preempt_count
#endif

/*
 * Some of the 7th series keep the scheduler's request in a word of its own, above the count of preemption: both are
 * changed, and tested, as one of 64 bits.
 */
enum { WARD_PREEMPT_REX = IS_ENABLED(CONFIG_HAS_SEPARATE_PREEMPT_RESCHED_BITS) ? 0x48 : 0 };

/* The bits of that count that are set in an NMI are in one of its bytes, which isn't the same in all kernels. */
enum { WARD_NMI_BYTE = NMI_SHIFT / 8, WARD_NMI_BITS = (NMI_MASK >> WARD_NMI_BYTE * 8) & 0xff };

/* 6.15 took is_endbr out of line, and modules can't call it. What it tells from other instructions is the same. */
static inline bool ward_is_endbr(u32 instruction)
{
#ifdef CONFIG_X86_KERNEL_IBT
	return instruction == gen_endbr() || instruction == gen_endbr_poison();
#else
	return false;
#endif
}

/* 6.3 made a mapping's flags constant, to have changes under its lock. */
static inline void ward_vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, flags);
#else
	vma->vm_flags &= ~flags;
#endif
}

#endif
