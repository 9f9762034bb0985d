/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remote system calls.
 *
 * One thread of the target is stopped. Its registers are set to a `syscall` instruction that its program already has,
 * and PTRACE_SYSCALL runs the thread from the entry of the call to its exit. Then the registers are restored. The
 * other threads keep running.
 *
 * The tracer may be killed at any moment; the kernel then lets the thread go with whatever registers it has. A frame
 * below the thread's stack returns it to where it was, after the call or without it (restart_frame.c). Above the
 * frame is the memory that the calls need:
 *
 *	rsp → │ frame │ scratch │ 128 bytes of red zone │ old rsp
 *
 * That needs some kilobytes of stack, so a thread whose stack mapping has them is chosen. Without such a thread, or
 * if the program has no signal restorer, the frame is omitted. A goroutine's stack ends after a few kilobytes, in the
 * middle of the heap. So a Go program without cgo has another place for both: the lower end of the first thread's
 * stack, of which the runtime uses the upper 64 KiB, and the kernel gives at least 128. One thread makes calls at a
 * time (wl_process_turn).
 *
 * If the thread was stopped inside a system call, it is restored through a second stop on the kernel's path out
 * (PTRACE_INTERRUPT). There the kernel sees the restored registers and restarts the interrupted call itself, exactly.
 * The frame alone can't do that.
 *
 * Signals are blocked during the calls. The frame has the thread's own mask. So signals are blocked only while the
 * registers lead to the frame: after they do first, and until they no longer do.
 */
#include "remote.h"

#include "loader/base/error.h"
#include "asleep.h"
#include "go.h"
#include "restart_frame.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>

enum {
	STACK_NEEDED = 64 << 10, /* below rsp, inside its mapping */
	RED_ZONE = 128,
	KERNEL_MASK_SIZE = 8,
	SIGALTSTACK_NR = 131,
	PTRACE_EVENT_STOP_ = 128,
	SUSPEND_SECCOMP = 1 << 21,
	SYSCALL_SIZE = 2,
};

/* Code of ours, or of another tracer of our kind. */
static bool is_ours(const struct wl_map *m)
{
	static const char own[] = "/memfd:ward-code";

	return strncmp(m->path, own, sizeof(own) - 1) == 0;
}

/* The address of a byte pattern in the target's executable mappings, or 0. */
static uint64_t find_code(const struct wl_process *p, const struct wl_maps *maps, const void *pattern, size_t size)
{
	enum { CHUNK = 1 << 20, LIMIT = 64 << 20 };
	uint8_t *buf = malloc(CHUNK);
	uint64_t found = 0;

	for (size_t i = 0; buf && !found && i < maps->n; i++) {
		const struct wl_map *m = &maps->v[i];

		/* what imports do would do: but it is about to be unmapped, by us or by another tracer */
		if (!m->exec || m->start >> 47 || is_ours(m))
			continue;
		for (uint64_t at = m->start; !found && at < m->end && at - m->start < LIMIT; at += CHUNK - size) {
			size_t want = m->end - at < CHUNK ? (size_t)(m->end - at) : CHUNK;
			size_t got = wl_process_read_some(p, at, buf, want);
			const uint8_t *hit = got >= size ? memmem(buf, got, pattern, size) : NULL;

			if (hit)
				found = at + (uint64_t)(hit - buf);
			if (want < CHUNK)
				break;
		}
	}
	free(buf);
	return found;
}

static const uint8_t SYSCALL_RET[] = {0x0f, 0x05, 0xc3};
static const uint8_t SYSCALL_ONLY[] = {0x0f, 0x05};
static const uint8_t RESTORER[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}; /* mov $15, %rax; syscall */
static const uint8_t RESTORER_2[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};           /* mov $15, %eax; syscall */

/* The frame must say what the thread's alternate signal stack is. */
static void keep_altstack(struct wl_remote *r)
{
	int64_t rc;

	if (r->frame)
		wl_remote_call(r, &rc, SIGALTSTACK_NR, 0, wl_restart_frame_altstack(r->frame), 0, 0, 0, 0);
}

/* The address below which a Go program leaves its first thread's stack alone, or 0. */
static uint64_t unused_stack(const struct wl_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct wl_map *m = &maps->v[i];

		if (strcmp(m->path, "[stack]") == 0 && m->end - m->start >= 2 * STACK_NEEDED)
			return m->start + STACK_NEEDED / 2;
	}
	return 0;
}

/* The address below which there is room for what the thread's calls need, or 0. */
static uint64_t room_below(const struct wl_process *p, const struct wl_maps *maps, const struct user_regs_struct *regs)
{
	const struct wl_map *m = wl_maps_find(maps, regs->rsp - 1); /* at the stack's end nothing is on it */
	uint64_t word = 0;

	if (!m || !m->write)
		return 0;
	if (strcmp(m->path, "[stack]") == 0)
		return regs->rsp - RED_ZONE;
	if (wl_go_program(p->pid)) {
		if (!wl_process_read(p, regs->fs_base, &word, sizeof(word)) || !word)
			return unused_stack(maps);
		if (regs->fs_base < regs->rsp || regs->fs_base >= m->end)
			return 0; /* not C's, which has the control block at its top */
	}
	return regs->rsp - m->start >= STACK_NEEDED ? regs->rsp - RED_ZONE : 0;
}

/*
 * If we are killed, the thread's instruction pointer stays on its stack (restart_frame.c). So it had better not be in
 * code that is to be freed.
 */
static bool is_in_ours(const struct wl_maps *maps, uint64_t rip)
{
	const struct wl_map *m = wl_maps_find(maps, rip);

	return m && is_ours(m);
}

/*
 * Can the thread make calls for us? In a 32-bit code segment the instruction means other calls, or none. And where
 * PR_SET_SYSCALL_USER_DISPATCH sends its system calls to a signal's handler, ours would go there, and take that handler
 * from the program, as all signals are blocked.
 */
static bool can_call(pid_t tid, const struct user_regs_struct *regs)
{
	enum { CODE_64 = 0x33, GET_DISPATCH = 0x4211 /* since Linux 6.4 */ };
	struct {
		uint64_t mode, selector, offset, len;
	} dispatch = {0};

	return regs->cs == CODE_64 &&
	       (ptrace((enum __ptrace_request)GET_DISPATCH, tid, sizeof(dispatch), &dispatch) < 0 || !dispatch.mode);
}

struct choice {
	struct wl_remote *r;
	const struct wl_maps *maps;
	bool asleep; /* only one that sleeps: whoever runs can run on */
	bool any;    /* for want of a better one */
	bool unfit;  /* there is one that can't make calls */
	int error;   /* why a thread could not be had, in this round; ESRCH only if none of them is there any more */
};

/*
 * A thread that stopped on its way to take a signal can't make calls for us and take the signal afterwards. So let it
 * take the signal now, and stop at the handler's first instruction.
 */
static int deliver_first(struct wl_thread *t)
{
	int status, rc;

	while (t->signal) {
		if (ptrace(PTRACE_INTERRUPT, t->tid, 0, 0) < 0 ||
			ptrace(PTRACE_CONT, t->tid, 0, (void *)(intptr_t)t->signal) < 0) {
			t->stopped = false;
			return ESRCH;
		}
		t->stopped = false;
		rc = wl_wait_stop(t->tid, &status);
		if (rc)
			return rc;
		t->stopped = true;
		t->signal = status >> 16 == PTRACE_EVENT_STOP_ ? 0 : WSTOPSIG(status);
	}
	return 0;
}

int wl_thread_stop_clear(struct wl_thread *t, const struct wl_process *p, pid_t tid)
{
	int rc = wl_thread_stop(t, p, tid);

	return rc ? rc : deliver_first(t);
}

/* Are these bytes there, in code that isn't Ward's? */
static bool stands_at(
	const struct wl_process *p, const struct wl_maps *maps, uint64_t at, const void *pattern, size_t size)
{
	const struct wl_map *m = at ? wl_maps_find(maps, at) : NULL;
	uint8_t now[sizeof(RESTORER)]; /* the longest */

	return m && m->exec && !is_ours(m) && wl_process_read(p, at, now, size) && memcmp(now, pattern, size) == 0;
}

/*
 * The instructions for calls. Searching a whole library takes longer than everything else. It isn't done for a
 * process that is a copy of a known one.
 */
static void find_gadgets(struct wl_remote *r, const struct wl_maps *maps, const struct wl_gadgets *known)
{
	struct wl_gadgets *found = &r->found;

	*found = known ? *known : (struct wl_gadgets){0};
	if (!stands_at(r->p, maps, found->call, SYSCALL_RET, sizeof(SYSCALL_RET)))
		found->call = find_code(r->p, maps, SYSCALL_RET, sizeof(SYSCALL_RET));
	if (found->call && !stands_at(r->p, maps, found->restorer, RESTORER, sizeof(RESTORER)) &&
		!stands_at(r->p, maps, found->restorer, RESTORER_2, sizeof(RESTORER_2)))
		found->restorer = find_code(r->p, maps, RESTORER, sizeof(RESTORER));
	if (found->call && !found->restorer)
		found->restorer = find_code(r->p, maps, RESTORER_2, sizeof(RESTORER_2));
	if (!found->call)
		found->restorer = 0;
	r->gadget = found->call ? found->call : find_code(r->p, maps, SYSCALL_ONLY, sizeof(SYSCALL_ONLY));
}

static int try_thread(void *user, pid_t tid)
{
	struct choice *c = user;
	char state = wl_thread_state(tid);
	int rc;

	if (c->asleep && state != 'S')
		return 0;
	rc = state == 'D' ? ETIMEDOUT : wl_thread_stop_clear(&c->r->thread, c->r->p, tid);
	c->r->thread.slept = state == 'S';
	c->r->thread.pauses = c->r->p->pauses;
	if (rc) {
		c->error = rc == ESRCH && c->error ? c->error : rc;
		return 0;
	}
	if (wl_get_regs(tid, &c->r->saved) && !can_call(tid, &c->r->saved)) {
		c->unfit = true;
		wl_thread_release(&c->r->thread);
		return 0;
	}
	if (wl_get_regs(tid, &c->r->saved) &&
		(c->any || (room_below(c->r->p, c->maps, &c->r->saved) && !is_in_ours(c->maps, c->r->saved.rip))))
		return 1;
	wl_thread_release(&c->r->thread);
	return 0;
}

static int all_asleep(const struct wl_remote *r, struct ward_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)r->p->pid);
	wl_fail(err, WARD_E_TARGET, what,
		"none of its threads can be stopped: they wait in the kernel (for a vfork child, or a dead file "
		"system)");
	wl_hint(err, "try again when the wait is over");
	return WARD_E_TARGET;
}

static int none_fit(const struct wl_remote *r, struct ward_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)r->p->pid);
	wl_fail(err, WARD_E_TARGET, what,
		"none of its threads can make system calls for Ward: they run 32-bit code, or have their system calls "
		"sent to a signal handler (PR_SET_SYSCALL_USER_DISPATCH)");
	wl_hint(err, "attach earlier, for example by starting it: ward trace … -- COMMAND");
	return WARD_E_TARGET;
}

static int no_thread(const struct wl_remote *r, int error, struct ward_error *err)
{
	pid_t tracer = wl_tracer_of(r->p->pid, r->p->pid);
	char what[64];

	if (error == ESRCH || error == 0 || wl_process_dying(r->p))
		return wl_process_lost(r->p, err);
	if (tracer == gettid()) /* it still is to stop */
		tracer = 0;
	snprintf(what, sizeof(what), "process %d", (int)r->p->pid);
	if (tracer || error == EBUSY) {
		wl_fail_taken(what, tracer, err);
	} else if (error == EPERM) {
		wl_fail(err, WARD_E_TARGET, what, "no permission to trace it");
		wl_hint(err, "run as the same user or as root; see also /proc/sys/kernel/yama/ptrace_scope");
	} else if (error == ETIMEDOUT) {
		all_asleep(r, err);
	} else {
		wl_fail(err, WARD_E_TARGET, what, "none of its threads can be stopped: %s", strerror(error));
	}
	return WARD_E_TARGET;
}

/* One of the stopped threads that isn't about to take a signal; one with a large stack, if there is one. */
static int choose_held(
	struct wl_remote *r, const struct wl_maps *maps, const struct wl_threads *held, struct ward_error *err)
{
	bool found = false, asleep = false, unfit = false;

	r->borrowed = true;
	r->options = held->options;
	for (size_t i = 0; i < held->n; i++) {
		struct user_regs_struct regs;
		bool large;

		asleep |= held->v[i].asleep;
		if (!held->v[i].stopped || held->v[i].signal || held->v[i].maker || !wl_get_regs(held->v[i].tid, &regs))
			continue;
		if (!can_call(held->v[i].tid, &regs)) {
			unfit = true;
			continue;
		}
		large = room_below(r->p, maps, &regs) != 0;
		if (found && !large)
			continue;
		r->thread = held->v[i];
		r->saved = regs;
		found = true;
		if (large)
			break;
	}
	if (!found)
		return asleep ? all_asleep(r, err) : unfit ? none_fit(r, err) : wl_process_lost(r->p, err);
	return 0;
}

/*
 * While no thread can be had, try again. One that began to wait for a vfork child just before it could stop is still
 * ours, but lost it isn't: it stops when that is over, and is let go then.
 */
static int take_thread(struct wl_remote *r, const struct wl_maps *maps, struct wl_threads *held, struct ward_error *err)
{
	struct choice c = {.r = r, .maps = maps};
	int64_t deadline = 0;
	int rc;

	if (held)
		return choose_held(r, maps, held, err);
	do {
		rc = 0;
		c.error = 0;
		for (unsigned i = 0; i < 3 && rc == 0; i++) {
			c.asleep = i == 0;
			c.any = i == 2;
			rc = wl_each_thread(r->p->pid, try_thread, &c);
		}
		wl_let_go_late(r->p->late);
	} while (rc == 0 && c.error && !wl_process_dying(r->p) && wl_wait_for_tracer(r->p->pid, &deadline));
	return rc == 1 ? 0 : rc == 0 && c.unfit && !c.error ? none_fit(r, err) : no_thread(r, c.error, err);
}

static int no_gadget(struct wl_remote *r, struct ward_error *err)
{
	char what[64];

	if (!r->borrowed)
		wl_thread_release(&r->thread);
	if (wl_process_gone(r->p))
		return wl_process_lost(r->p, err);
	snprintf(what, sizeof(what), "process %d", (int)r->p->pid);
	wl_fail(err, WARD_E_TARGET, what, "no system call instruction was found in its program");
	wl_hint(err, "Ward maps its code with the target's own system calls");
	return WARD_E_TARGET;
}

static uint64_t filters_of(pid_t pid, pid_t tid)
{
	uint64_t mode = 0, filters = 0;

	wl_status_value(pid, tid, "Seccomp", 10, &mode);
	wl_status_value(pid, tid, "Seccomp_filters", 10, &filters);
	return mode == 1 ? UINT64_MAX : filters; /* strict mode lets nothing through */
}

/*
 * A seccomp filter judges our system calls as the target's own, and may kill it for them. With privilege it can be
 * suspended. Without privilege, calls are made only in a target that has no more filters than ourselves (usually
 * those of a container).
 */
static int pass_seccomp(const struct wl_remote *r, struct ward_error *err)
{
	char what[64];

	if (ptrace(PTRACE_SETOPTIONS, r->thread.tid, 0,
		    (r->borrowed ? r->options : WL_THREAD_OPTIONS) | SUSPEND_SECCOMP) == 0)
		return 0;
	if (filters_of(r->p->pid, r->thread.tid) <= filters_of(getpid(), getpid()))
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)r->p->pid);
	wl_fail(err, WARD_E_TARGET, what, "it has a seccomp filter, which Ward may not suspend");
	wl_hint(err, "run as root");
	return WARD_E_TARGET;
}

/* The thread's registers for a system call. */
static struct user_regs_struct registers_for(const struct wl_remote *r, long number)
{
	struct user_regs_struct regs = r->saved;

	regs.rip = r->gadget;
	if (r->frame)
		regs.rsp = r->frame;
	regs.rax = (uint64_t)number;
	regs.orig_rax = (unsigned long long)-1;
	regs.eflags &= ~0x100ull;
	return regs;
}

/* Block all signals. If we die behind that, the thread makes no call, and returns to its program with its own mask. */
static void block_signals(struct wl_remote *r)
{
	struct user_regs_struct regs = registers_for(r, -1);
	const uint64_t all = ~(uint64_t)0;

	regs.rip += SYSCALL_SIZE;
	if (!r->frame || wl_set_regs(r->thread.tid, &regs))
		ptrace(PTRACE_SETSIGMASK, r->thread.tid, KERNEL_MASK_SIZE, &all);
}

int wl_remote_begin(struct wl_remote *r, const struct wl_process *p, const struct wl_maps *maps,
	struct wl_threads *held, struct ward_error *err)
{
	uint64_t room;
	int rc;

	*r = (struct wl_remote){.p = p};
	find_gadgets(r, maps, held ? &held->gadgets : NULL);
	rc = take_thread(r, maps, held, err);
	if (rc)
		return rc;
	if (!r->gadget)
		return no_gadget(r, err);
	rc = pass_seccomp(r, err);
	if (rc) {
		wl_remote_end(r);
		return rc;
	}
	r->active = true;
	wl_hurry(true);
	if (ptrace(PTRACE_GETSIGMASK, r->thread.tid, KERNEL_MASK_SIZE, &r->saved_mask) < 0) {
		wl_remote_end(r);
		return wl_process_lost(p, err);
	}
	room = room_below(p, maps, &r->saved);
	if (!room && held)
		room = held->room;
	if (room) {
		r->scratch = (room - WL_REMOTE_SCRATCH) & ~(uint64_t)15;
		if (r->found.restorer)
			r->frame = wl_restart_frame_push(
				p, r->thread.tid, &r->saved, r->saved_mask, r->found.restorer, r->scratch);
	}
	block_signals(r);
	keep_altstack(r);
	return 0;
}

/*
 * All signals are blocked: but for SIGSTOP those that come nevertheless are of the system call itself, and would come
 * again and again.
 */
static bool is_fault(int status)
{
	int sig = WSTOPSIG(status);

	return status >> 16 == 0 &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGTRAP || sig == SIGFPE || sig == SIGSYS);
}

/* Run the thread to its next stop at a system call's entry or exit. */
static bool to_next_syscall_stop(struct wl_remote *r)
{
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, r->thread.tid, 0, 0) < 0 || wl_wait_stop(r->thread.tid, &status)) {
			r->active = r->thread.stopped = false;
			return false;
		}
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			return true;
		if (is_fault(status))
			return false;
		/* A stop of job control: resume it. */
	}
}

bool wl_remote_call(struct wl_remote *r, int64_t *result, long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
	uint64_t e, uint64_t f)
{
	struct user_regs_struct regs = registers_for(r, number);

	if (!r->active)
		return false;
	regs.rdi = a;
	regs.rsi = b;
	regs.rdx = c;
	regs.r10 = d;
	regs.r8 = e;
	regs.r9 = f;
	if (!wl_set_regs(r->thread.tid, &regs) || !to_next_syscall_stop(r) || !to_next_syscall_stop(r) ||
		!wl_get_regs(r->thread.tid, &regs))
		return false;
	*result = (int64_t)regs.rax;
	return true;
}

/*
 * Bring the thread from where the last call left it to a stop where the kernel will look at interrupted system calls
 * again.
 */
static bool to_interrupt_stop(const struct wl_remote *r)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, r->thread.tid, 0, 0) < 0 || ptrace(PTRACE_CONT, r->thread.tid, 0, 0) < 0)
		return false;
	return wl_wait_stop(r->thread.tid, &status) == 0;
}

void wl_remote_end(struct wl_remote *r)
{
	if (!r->thread.stopped) {
		wl_hurry(false);
		return;
	}
	if (r->active && to_interrupt_stop(r)) {
		ptrace(PTRACE_SETSIGMASK, r->thread.tid, KERNEL_MASK_SIZE, &r->saved_mask);
		if (wl_set_regs(r->thread.tid, &r->saved) && r->frame)
			wl_restart_frame_forget(r->p, r->frame);
	}
	r->active = false;
	if (r->borrowed)
		ptrace(PTRACE_SETOPTIONS, r->thread.tid, 0, r->options);
	else
		wl_thread_release(&r->thread);
	wl_hurry(false);
}
