/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting a program under probes.
 *
 * The child is seized before its exec. Then it runs, through the dynamic linker, to a breakpoint at its entry point
 * (AT_ENTRY). By then all libraries that it is linked with are mapped, and no instruction of the program itself has
 * run. Ward attaches to it while it is stopped there, and releases it. If the tracer dies before that, the kernel
 * kills the child (PTRACE_O_EXITKILL).
 *
 * A static program has no thread pointer yet at that point. If stubs can do without one (foreign_base.c), Ward
 * attaches nevertheless, and its calls are counted as dropped until it has one; otherwise Ward waits for that before
 * it attaches. In both cases it runs from system call to system call until it has set one.
 */
#include "start_program.h"

#include "loader/base/error.h"
#include "loader/process/go.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPTIONS = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL };

struct spawn_job {
	char *const *argv;
	struct wl_process *p; /* to be opened */
	struct ward_error *err;
	sigset_t mask;  /* the child's */
	unsigned trace; /* options of ptrace */
	bool halted;    /* it doesn't run beyond its entry point */
	pid_t pid;
};

static int exec_failed(const char *name, int error, struct ward_error *err)
{
	if (error == ENOENT) {
		wl_fail(err, WARD_E_USAGE, name, "command not found");
		wl_hint(err, "give the program's path, or put its directory into PATH");
	} else {
		wl_fail(err, WARD_E_USAGE, name, "can't run it: %s", strerror(error));
		wl_hint(err, "is it an executable file?");
	}
	return WARD_E_USAGE;
}

static int ended_early(const struct spawn_job *job)
{
	wl_fail(job->err, WARD_E_TARGET, job->argv[0], "the program ended before it got to its first function");
	wl_hint(job->err, "does it run without ward?");
	return WARD_E_TARGET;
}

/* Ward has waited for its thread pointer, by which stubs tell threads apart. */
static int ended_without_pointer(const struct spawn_job *job)
{
	wl_fail(job->err, WARD_E_TARGET, job->argv[0],
		"the program ran to its end without a thread pointer (the base of fs)");
	wl_hint(job->err, "was it made without a C library? Such programs can't be traced");
	return WARD_E_TARGET;
}

/* The child: wait until it is traced, then become the program. */
static void __attribute__((noreturn)) run_child(const struct spawn_job *job, int go, int report)
{
	char c;
	int error;

	pthread_sigmask(SIG_SETMASK, &job->mask, NULL);
	if (read(go, &c, 1) == 1) {
		execvp(job->argv[0], job->argv);
		error = errno;
		while (write(report, &error, sizeof(error)) < 0 && errno == EINTR)
			;
	}
	_exit(127);
}

/*
 * Go on (with request) to the next stop and take the signals in between to the child. Returns 0 with the status of a
 * stop that is none, or ESRCH.
 */
static int next_stop(pid_t pid, enum __ptrace_request request, int *status)
{
	int signal = 0;

	for (;;) {
		if (ptrace(request, pid, 0, (void *)(intptr_t)signal) < 0)
			return ESRCH;
		while (waitpid(pid, status, __WALL) < 0)
			if (errno != EINTR)
				return ESRCH;
		if (!WIFSTOPPED(*status))
			return ESRCH;
		if (*status >> 16 || WSTOPSIG(*status) == SIGTRAP || WSTOPSIG(*status) == (SIGTRAP | 0x80))
			return 0;
		signal = WSTOPSIG(*status);
	}
}

/* The exec. */
static int run_to_exec(struct spawn_job *job, int go, int report)
{
	int status, error = 0;

	error = wl_seize(job->pid, job->trace);
	if (error == EBUSY) /* our own tracer follows us to our children */
		return wl_fail_taken(job->argv[0], wl_tracer_of(job->pid, job->pid), job->err);
	if (error)
		return wl_fail(job->err, WARD_E_SYSTEM, job->argv[0], "can't trace it: %s", strerror(error));
	while (write(go, "g", 1) < 0 && errno == EINTR)
		;
	for (;;) {
		while (waitpid(job->pid, &status, __WALL) < 0)
			if (errno != EINTR)
				return ended_early(job);
		if (!WIFSTOPPED(status)) {
			/* It has ended, so the pipe has its message, or is at its end. */
			if (read(report, &error, sizeof(error)) == (ssize_t)sizeof(error))
				return exec_failed(job->argv[0], error, job->err);
			return ended_early(job);
		}
		if (status >> 16 == PTRACE_EVENT_EXEC)
			return 0;
		if (ptrace(PTRACE_CONT, job->pid, 0, (void *)(intptr_t)(status >> 16 ? 0 : WSTOPSIG(status))) < 0)
			return ended_early(job);
	}
}

static uint64_t entry_point(pid_t pid)
{
	uint64_t entry = 0;
	char path[64];
	size_t size;
	char *auxv;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	auxv = wl_read_proc(path, &size);
	for (size_t i = 0; auxv && !entry && (i + 1) * sizeof(Elf64_auxv_t) <= size; i++) {
		Elf64_auxv_t v;

		memcpy(&v, auxv + i * sizeof(v), sizeof(v));
		if (v.a_type == AT_ENTRY)
			entry = v.a_un.a_val;
	}
	free(auxv);
	return entry;
}

/* Run to the program's entry point, by a breakpoint there. */
static int run_to_entry(struct spawn_job *job)
{
	const struct wl_process *p = job->p;
	const uint8_t trap = 0xcc;
	uint64_t entry = entry_point(job->pid);
	struct user_regs_struct regs;
	uint8_t saved;
	int status;

	if (!entry || !wl_process_read(p, entry, &saved, 1) || !wl_process_write(p, entry, &trap, 1))
		return wl_fail(job->err, WARD_E_TARGET, job->argv[0], "it has no entry point");
	do {
		if (next_stop(job->pid, PTRACE_CONT, &status) || !wl_get_regs(job->pid, &regs))
			return ended_early(job);
	} while (status >> 16 || regs.rip != entry + 1);
	regs.rip = entry;
	if (!wl_process_write(p, entry, &saved, 1) || !wl_set_regs(job->pid, &regs))
		return ended_early(job);
	return 0;
}

/* Run until the thread has a thread pointer. Go's runtime, without cgo, sets nothing but the segment's base. */
static int run_to_thread_pointer(struct spawn_job *job)
{
	bool go = wl_go_program(job->pid);
	struct user_regs_struct regs;
	uint64_t word;
	int status;

	for (;;) {
		if (!wl_get_regs(job->pid, &regs))
			return ended_without_pointer(job);
		if (regs.fs_base && wl_process_read(job->p, regs.fs_base, &word, sizeof(word)) && (word || go))
			return 0;
		if (next_stop(job->pid, PTRACE_SYSCALL, &status))
			return ended_without_pointer(job);
	}
}

/* Up to the exec. */
static int start_child(struct spawn_job *job)
{
	int go[2], report[2], rc;

	if (pipe2(go, O_CLOEXEC) < 0)
		return wl_fail(job->err, WARD_E_SYSTEM, "pipe", "%s", strerror(errno));
	if (pipe2(report, O_CLOEXEC | O_NONBLOCK) < 0) {
		rc = wl_fail(job->err, WARD_E_SYSTEM, "pipe", "%s", strerror(errno));
		close(go[0]);
		close(go[1]);
		return rc;
	}
	job->pid = fork();
	if (job->pid == 0)
		run_child(job, go[0], report[1]);
	rc = job->pid < 0 ? wl_fail(job->err, WARD_E_SYSTEM, "fork", "%s", strerror(errno))
			  : run_to_exec(job, go[1], report[0]);
	close(go[0]);
	close(go[1]);
	close(report[0]);
	close(report[1]);
	return rc;
}

static void end_child(const struct spawn_job *job)
{
	if (job->pid <= 0)
		return;
	kill(job->pid, SIGKILL);
	while (waitpid(job->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

int wl_start_program(char *const argv[], const sigset_t *mask, unsigned options, pid_t *pid, struct ward_error *err)
{
	struct spawn_job job = {.argv = argv, .err = err, .mask = *mask, .trace = options | PTRACE_O_EXITKILL};
	int rc = start_child(&job);

	if (rc)
		end_child(&job);
	*pid = rc ? 0 : job.pid;
	return rc;
}

/*
 * Run until it has a complete control block, which takes glibc two more system calls. A block of another C library is
 * used as it is: then stubs take the long path.
 */
static int program_settle(struct spawn_job *job, struct wl_attachment *a)
{
	enum { CALLS = 8 };
	int status, rc = run_to_thread_pointer(job);

	for (int i = 0; rc == 0 && i < 2 * CALLS && a->foreign == WL_FOREIGN_AT_FIRST && !wl_settle(a, job->pid); i++)
		if (next_stop(job->pid, PTRACE_SYSCALL, &status))
			rc = ended_early(job);
	return rc;
}

/* Is it attached to before it has a thread pointer? Not under a filter, as stubs may have to make system calls then. */
static bool begins_early(const struct spawn_job *job)
{
	uint64_t seccomp = 1;

	return wl_static_program(job->pid) && wl_can_read_base() &&
	       wl_status_value(job->pid, job->pid, "Seccomp", 10, &seccomp) && !seccomp;
}

static int program_start(struct spawn_job *job, struct wl_attachment *attached, wl_started_fn *started, void *user)
{
	struct wl_thread thread = {.stopped = true};
	struct wl_threads held = {.v = &thread, .n = 1, .cap = 1, .options = OPTIONS};
	int rc = start_child(job);
	bool early = false;

	if (rc == 0)
		rc = wl_process_open(job->p, job->pid, job->err);
	if (rc == 0)
		rc = run_to_entry(job);
	if (rc == 0)
		early = job->halted || (attached && begins_early(job));
	if (rc == 0 && !early)
		rc = run_to_thread_pointer(job);
	thread.tid = job->pid;
	if (rc == 0)
		rc = started(user, &held, job->err);
	if (rc == 0 && early && !job->halted)
		rc = program_settle(job, attached);
	if (rc == 0 && !job->halted)
		ptrace(PTRACE_DETACH, job->pid, 0, 0);
	else
		end_child(job);
	return rc;
}

int wl_spawn_live(char *const argv[], const sigset_t *mask, struct wl_process *p, struct wl_attachment *attached,
	wl_started_fn *started, void *user, struct ward_error *err)
{
	struct spawn_job job = {.argv = argv, .p = p, .err = err, .mask = *mask, .trace = OPTIONS};

	return program_start(&job, attached, started, user);
}

int wl_spawn_halted(char *const argv[], const sigset_t *mask, struct wl_process *p, wl_started_fn *started, void *user,
	struct ward_error *err)
{
	struct spawn_job job = {.argv = argv, .p = p, .err = err, .mask = *mask, .trace = OPTIONS, .halted = true};

	return program_start(&job, NULL, started, user);
}
