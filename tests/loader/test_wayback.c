/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tracer that is killed at each moment when a thread of the target is about to make a system call for it, or is
 * inside one.
 *
 * The test traces the tracer itself. It kills the tracer when that calls ptrace(PTRACE_SYSCALL), with the thread's
 * registers set and the thread not yet released. Job control has stopped the target, so the thread doesn't continue
 * before another tracer has cleaned up, however long that takes. Then the thread must first return to where it was.
 */
#include "helper.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static bool syscall_entered(pid_t tid, struct __ptrace_syscall_info *info)
{
	return ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(*info), info) > 0 && info->op == PTRACE_SYSCALL_INFO_ENTRY;
}

/* A process that attaches to the target and detaches from it. It stands before its first instruction of that. */
static pid_t tracer_start(pid_t target, const struct module *m)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ward_session *s;

		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		if (ward_attach(target, m->data, m->size, &options, &s, NULL))
			_exit(1);
		_exit(ward_detach(s, NULL) != 0);
	}
	cr_assert(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	cr_assert(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) ==
		  0);
	cr_assert(ptrace(PTRACE_SYSCALL, pid, 0, 0) == 0);
	return pid;
}

/*
 * Kill it when it lets a thread of the target go for the n-th time. Returns the thread; 0 if there are not so many
 * times, and it has ended well.
 */
static pid_t kill_at(pid_t tracer, unsigned n)
{
	pid_t victim = 0;

	for (;;) {
		struct __ptrace_syscall_info info;
		pid_t tid;
		int status, sig;

		tid = waitpid(-1, &status, __WALL);
		cr_assert(tid > 0);
		if (!WIFSTOPPED(status)) {
			if (tid != tracer)
				continue;
			cr_expect(victim ? WIFSIGNALED(status) : status == 0, "status %x", status);
			return victim;
		}
		sig = WSTOPSIG(status);
		if (sig == (SIGTRAP | 0x80) && !victim && syscall_entered(tid, &info) && info.entry.nr == SYS_ptrace &&
			info.entry.args[0] == PTRACE_SYSCALL && n-- == 0) {
			victim = (pid_t)info.entry.args[1];
			kill(tracer, SIGKILL);
			continue;
		}
		if (sig == (SIGTRAP | 0x80) || sig == SIGTRAP || sig == SIGSTOP)
			sig = 0;
		ptrace(PTRACE_SYSCALL, tid, 0, (long)sig);
	}
}

static long first_call_of(pid_t tid)
{
	struct __ptrace_syscall_info info = {0};
	int status;

	cr_assert(ptrace(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD) == 0 && ptrace(PTRACE_INTERRUPT, tid, 0, 0) == 0);
	do {
		cr_assert(waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status));
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			break;
	} while (ptrace(PTRACE_SYSCALL, tid, 0, 0) == 0);
	cr_assert(syscall_entered(tid, &info));
	cr_assert(ptrace(PTRACE_DETACH, tid, 0, 0) == 0);
	return (long)info.entry.nr;
}

static void stop(pid_t pid)
{
	int status;

	kill(pid, SIGSTOP);
	cr_assert(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
}

Test(wayback, calls_of_the_dead_are_not_made)
{
	struct target t = target_start(TARGET, "busy", "2", NULL);
	struct module m = module_read("exact");
	unsigned killed = 0;
	char out[64];

	for (;; killed++) {
		struct ward_error err;
		pid_t thread;

		stop(t.pid);
		thread = kill_at(tracer_start(t.pid, &m), killed);
		if (!thread)
			break;
		if (killed % 3 == 0) { /* others that come before it is cleaned up */
			ward_session *s = attach(t.pid, "exact", "target!work");

			cr_expect(ward_detach(s, NULL) == 0);
			ward_session_free(s);
		}
		cr_assert(ward_cleanup(t.pid, NULL, &err) == 0, "%u: %s: %s", killed, err.what, err.why);
		cr_expect_eq(target_mappings(t.pid), 0);
		cr_expect_eq(target_files(t.pid), 0);
		cr_expect_eq(target_changes(t.pid), 0);
		cr_expect_eq(first_call_of(thread), SYS_rt_sigreturn, "%u", killed);
		kill(t.pid, SIGCONT);
	}
	kill(t.pid, SIGCONT);
	free(m.data);
	cr_expect_gt(killed, 30);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* Frames in the target's memory, known by their first mark. */
static unsigned frames_in(pid_t pid)
{
	const uint64_t mark = 0x6b6361622d796177;
	unsigned long start, end;
	char path[64], line[512], perms[8];
	unsigned n = 0;
	FILE *maps, *mem;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "r");
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	mem = fopen(path, "r");
	cr_assert(maps && mem);
	while (fgets(line, sizeof(line), maps)) {
		uint64_t word, link;

		if (sscanf(line, "%lx-%lx %7s", &start, &end, perms) != 3 || strcmp(perms, "rw-p") != 0 ||
			fseek(mem, (long)start, SEEK_SET))
			continue;
		for (uint64_t at = start; at < end && fread(&word, sizeof(word), 1, mem) == 1; at += sizeof(word)) {
			link = at - 2 * sizeof(word); /* the frame whose third word that would be */
			n += word == (mark ^ link);
		}
	}
	fclose(mem);
	fclose(maps);
	return n;
}

/* Where the thread stood may be in our code: a tracer that lives takes that off the stack again. */
Test(wayback, no_frame_stays)
{
	struct target t = target_start(TARGET, "busy", "2", NULL);
	struct module m = module_read("exact");
	pid_t thread;
	char out[64];

	for (int i = 0; i < 3; i++) {
		ward_session *s = attach(t.pid, "exact", "target!work");

		cr_expect_eq(frames_in(t.pid), 0);
		cr_expect_eq(ward_detach(s, NULL), 0);
		ward_session_free(s);
		cr_expect_eq(frames_in(t.pid), 0);
	}
	stop(t.pid);
	thread = kill_at(tracer_start(t.pid, &m), 2);
	cr_expect(thread);
	cr_expect_eq(frames_in(t.pid), 1, "of one that was killed it is the way back");
	kill(t.pid, SIGCONT);
	cr_expect_eq(ward_cleanup(t.pid, NULL, NULL), 0);
	free(m.data);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}
