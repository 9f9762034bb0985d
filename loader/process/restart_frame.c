/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame that returns a thread to its program if the tracer is killed.
 *
 * While a thread makes system calls for the tracer (remote.c), the tracer may be killed; the kernel then lets the
 * thread go with whatever registers it has. So before these are changed, the tracer writes a frame below the thread's
 * stack. It has the form that the kernel pushes for a signal handler, with every register, the signal mask and the
 * vector state. The `syscall` instruction that is used has a `ret` behind it, and the return address on the stack is
 * the program's own signal restorer (mov $15, %eax; syscall). Wherever the thread is let go, it finishes the call and
 * returns to the restorer, and the kernel restores everything as after a signal.
 *
 *	rsp → │ restorer │ ucontext (registers, mask) │ siginfo │ … │ XSAVE image, 64-aligned │ below
 *
 * The thread makes that call when it next runs. That may be late: job control may have stopped the target, or the
 * machine may be busy. By then a later tracer that takes off the leftovers might have freed the memory that the call
 * maps over or unmaps, or closed the file that it closes, and the target might have something of its own there. So
 * the frame has two marks, and every tracer checks each thread that it stops: a thread at a `syscall` followed by
 * `ret`, with rsp at a frame with both marks, is moved behind the `syscall`. It then makes no call, and returns to
 * its program. A thread that was let go inside the call can't be stopped before the call is over, and no tracer
 * continues before that (asleep.c). Nothing is freed before all threads have been stopped once in this manner
 * (wl_unpatch, ward_cleanup).
 *
 * The marks are in fields for which the kernel has other values in every frame of its own (uc_link is zero, cr2 is
 * the address of the last page fault), and which it doesn't read when it restores a frame. A program that calls a
 * `syscall; ret` has its return address at rsp, and the second mark is combined with that address. One that comes
 * there at the end of a signal handler has the kernel's frame. So neither is mistaken for such a thread, even if an
 * old frame lies there. A target that forges the marks only makes itself skip a system call of its own.
 *
 * A thread that was stopped inside a system call continues after the call; if the call must be restarted, the frame's
 * instruction pointer is stepped back over the instruction.
 */
#include "restart_frame.h"

#include "ptrace.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum {
	XSTATE_MAX = 16 << 10,
	NT_XSTATE = 0x202,
	FRAME_SIZE = 1024, /* at least the return address, the ucontext and a siginfo */
	UNKNOWN_SS_FLAGS = 0x5a,
	/* The kernel's codes for a system call that a signal interrupted. */
	ERESTARTSYS_ = 512,
	ERESTARTNOINTR_ = 513,
	ERESTARTNOHAND_ = 514,
	ERESTART_RESTARTBLOCK_ = 516,
	GREG_CR2 = 22,
};

/* combined with the frame's address, and with the restorer's; neither is an address */
static const uint64_t LINK_MARK = 0x6b6361622d796177, CR2_MARK = 0x8d3f1c6ae5b27049;

/* The kernel's struct ucontext, whose mask is shorter than the C library's. */
struct kernel_frame {
	uint64_t restorer;
	uint64_t flags;
	uint64_t link;
	stack_t stack;
	uint64_t gregs[23];
	uint64_t fpstate;
	uint64_t reserved[8];
	uint64_t mask;
	siginfo_t info;
};
_Static_assert(sizeof(struct kernel_frame) <= FRAME_SIZE, "the frame fits");

enum { UC_FP_XSTATE_ = 1, UC_SIGCONTEXT_SS_ = 2, UC_STRICT_RESTORE_SS_ = 4 };

/* Where the kernel looks, inside an XSAVE image of a signal frame, for the image's size. */
struct fx_software {
	uint32_t magic1, extended_size;
	uint64_t features;
	uint32_t xstate_size, padding[7];
};
enum { FX_SOFTWARE_OFFSET = 464, FX_MAGIC1 = 0x46505853, FX_MAGIC2 = 0x46505845, XSAVE_MIN = 576 };

/* Registers to continue with as if the kernel had restarted an interrupted system call. */
static void step_back_to_restart(struct user_regs_struct *r)
{
	if ((int64_t)r->orig_rax < 0)
		return;
	switch (-(int64_t)r->rax) {
	case ERESTARTSYS_:
	case ERESTARTNOINTR_:
	case ERESTARTNOHAND_:
	case ERESTART_RESTARTBLOCK_:
	case EINTR:
		r->rip -= 2;
		r->rax = r->orig_rax;
		break;
	default: break;
	}
	r->orig_rax = (unsigned long long)-1;
}

static void fill_gregs(uint64_t *g, const struct user_regs_struct *r)
{
	const uint64_t values[] = {r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rdi, r->rsi, r->rbp,
		r->rbx, r->rdx, r->rax, r->rcx, r->rsp, r->rip, r->eflags, (r->cs & 0xffff) | (r->ss & 0xffff) << 48};

	memcpy(g, values, sizeof(values));
}

/* Write the vector state at `addr`, in the form of a signal frame. Returns false if it can't be had. */
static bool write_xstate(const struct wl_process *p, uint8_t *image, size_t size, uint64_t addr)
{
	const uint32_t magic2 = FX_MAGIC2;
	struct fx_software sw = {.magic1 = FX_MAGIC1};

	sw.extended_size = (uint32_t)size + 4;
	sw.xstate_size = (uint32_t)size;
	memcpy(&sw.features, image + FX_SOFTWARE_OFFSET, 8); /* ptrace puts the enabled features there */
	memcpy(image + FX_SOFTWARE_OFFSET, &sw, sizeof(sw));
	memcpy(image + size, &magic2, 4);
	return wl_process_write(p, addr, image, size + 4);
}

uint64_t wl_restart_frame_push(const struct wl_process *p, pid_t tid, const struct user_regs_struct *saved,
	uint64_t mask, uint64_t restorer, uint64_t below)
{
	uint8_t image[XSTATE_MAX + 4] __attribute__((aligned(64)));
	struct iovec iov = {.iov_base = image, .iov_len = XSTATE_MAX};
	struct user_regs_struct back = *saved;
	struct kernel_frame frame = {
		.restorer = restorer, .flags = UC_FP_XSTATE_ | UC_SIGCONTEXT_SS_ | UC_STRICT_RESTORE_SS_};
	uint64_t fp, at;

	if (ptrace(PTRACE_GETREGSET, tid, NT_XSTATE, &iov) < 0 || iov.iov_len < XSAVE_MIN || iov.iov_len > XSTATE_MAX)
		return 0;
	fp = (below - iov.iov_len - 4) & ~(uint64_t)63;
	at = ((fp - FRAME_SIZE) & ~(uint64_t)15) - 8;
	step_back_to_restart(&back);
	fill_gregs(frame.gregs, &back);
	frame.gregs[GREG_CR2] = CR2_MARK ^ restorer;
	frame.link = LINK_MARK ^ at;
	frame.fpstate = fp;
	frame.mask = mask;
	frame.stack.ss_flags = UNKNOWN_SS_FLAGS; /* see wl_restart_frame_altstack */
	return write_xstate(p, image, iov.iov_len, fp) && wl_process_write(p, at, &frame, sizeof(frame)) ? at : 0;
}

void wl_restart_frame_forget(const struct wl_process *p, uint64_t frame)
{
	static const struct kernel_frame nothing;

	wl_process_write(p, frame, &nothing, sizeof(nothing));
}

/*
 * rt_sigreturn also sets the alternate signal stack to what the frame says, so the frame must have the true one.
 * ptrace doesn't show it, so the thread makes the call that returns it. Until then the frame names an impossible
 * stack (an unknown flag), which the kernel ignores.
 */
uint64_t wl_restart_frame_altstack(uint64_t frame)
{
	return frame + offsetof(struct kernel_frame, stack);
}

static bool word_peek(pid_t tid, uint64_t addr, uint64_t *word)
{
	errno = 0;
	*word = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, addr, 0);
	return errno == 0;
}

static bool are_marks(uint64_t at, uint64_t restorer, uint64_t link, uint64_t cr2)
{
	return link == (LINK_MARK ^ at) && cr2 == (CR2_MARK ^ restorer);
}

/* Is this a frame of ours that still leads back? */
static bool is_frame(pid_t tid, uint64_t at)
{
	uint64_t restorer, link, cr2;

	return word_peek(tid, at, &restorer) && word_peek(tid, at + offsetof(struct kernel_frame, link), &link) &&
	       word_peek(tid, at + offsetof(struct kernel_frame, gregs[GREG_CR2]), &cr2) &&
	       are_marks(at, restorer, link, cr2);
}

bool wl_restart_frame_is_used(const struct wl_process *p, uint64_t sp)
{
	struct kernel_frame frame;

	return wl_process_read(p, sp, &frame, sizeof(frame)) &&
	       are_marks(sp, frame.restorer, frame.link, frame.gregs[GREG_CR2]);
}

void wl_restart_frame_cancel(pid_t tid, struct user_regs_struct *regs)
{
	static const uint64_t SYSCALL_RET = 0xc3050f;
	uint64_t code;

	if (!word_peek(tid, regs->rip, &code) || (code & 0xffffff) != SYSCALL_RET || !is_frame(tid, regs->rsp))
		return;
	regs->rip += 2;
	regs->rax = (unsigned long long)-EINTR;
	regs->orig_rax = (unsigned long long)-1;
	wl_set_regs(tid, regs);
}
