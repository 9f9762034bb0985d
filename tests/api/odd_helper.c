/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libward may meet in place of ward-helper. The name by which it is called says what it does:
 *
 *	kill-N    is ward-helper, and is killed at its Nth system call; or, if it ends before, writes how many it has
 *	          made to a file beside it, NAME.calls. Only the first time: by then NAME.once is there, and is removed.
 *	trace-N   the same at its Nth ptrace
 *	say-N     sends the Nth of the answers below, which no helper sends
 *	find      prints where libward finds ward-helper
 */
#include "odd_helper.h"

#include "loader/helper/message.h"
#include "loader/helper/start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- kill-N ---- */

static void write_calls(const char *name, long calls)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s.calls", name);
	f = fopen(path, "w");
	if (f)
		fprintf(f, "%ld\n", calls);
	if (f)
		fclose(f);
}

/* Is it stopped at the entry of a system call (-1: of any)? */
static bool is_at(pid_t pid, long call)
{
	struct __ptrace_syscall_info info;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY &&
	       (call < 0 || info.entry.nr == (uint64_t)call);
}

/* Count the system calls of the program that it executes, all or some. */
static void count(pid_t pid, long which, long limit, const char *name)
{
	bool executed = false;
	long calls = 0;
	int status;

	while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status)) {
		int signal = WSTOPSIG(status);
		bool call = signal == (SIGTRAP | 0x80), event = status >> 16;

		executed |= status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8);
		calls += executed && call && is_at(pid, which);
		if (limit && calls >= limit) {
			kill(pid, SIGKILL);
			return;
		}
		ptrace(PTRACE_SYSCALL, pid, 0, call || event || signal == SIGTRAP ? 0 : signal);
	}
	write_calls(name, calls);
}

static void be_killed(const char *name, long which, long limit)
{
	pid_t self = getpid();
	int ready[2];
	char c;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	if (pipe2(ready, O_CLOEXEC) < 0)
		_exit(3);
	if (fork() == 0) {
		if (fork())
			_exit(0);
		close(WL_HELPER_FD);
		close(ready[0]);
		if (ptrace(PTRACE_SEIZE, self, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC) < 0 ||
			ptrace(PTRACE_INTERRUPT, self, 0, 0) < 0)
			_exit(3);
		close(ready[1]);
		count(self, which, limit, name);
		_exit(0);
	}
	wait(NULL);
	close(ready[1]);
	while (read(ready[0], &c, 1) < 0 && errno == EINTR)
		;
}

static int run_helper(const char *name, long which, long limit)
{
	char once[PATH_MAX];

	snprintf(once, sizeof(once), "%s.once", name);
	if (unlink(once) == 0)
		be_killed(name, which, limit);
	execl(HELPER, HELPER, (char *)NULL);
	return 3;
}

/* ---- say-N ---- */

static void send_bytes(const void *bytes, size_t size, int file)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {(void *)(uintptr_t)bytes, size};
	struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1};

	if (file >= 0) {
		h.msg_control = &control;
		h.msg_controllen = sizeof(control.bytes);
		control.align = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), &file, sizeof(file));
	}
	sendmsg(WL_HELPER_FD, &h, MSG_NOSIGNAL);
}

static void say_hello(uint32_t protocol, const char *version)
{
	struct wl_hello hello;

	wl_hello_make(&hello);
	if (version)
		memcpy(hello.version, version, sizeof(hello.version));
	hello.protocol += protocol;
	hello.head.size = sizeof(hello);
	send_bytes(&hello, sizeof(hello), -1);
}

/* A file that may be a state's. */
static int state_file(size_t size, int seals)
{
	int fd = memfd_create("state", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0 || fcntl(fd, F_ADD_SEALS, seals) < 0)
		_exit(3);
	return fd;
}

enum { SIZE = 1 << 24, SEALED = F_SEAL_SHRINK };

struct answer {
	struct wl_answer_message m;
	char texts[8];
};

/* It has attached, and that is where the state is. */
static void say_attached(uint64_t states, uint64_t size, int file)
{
	struct answer a = {.m = {.head = {WL_ANSWER, sizeof(a.m) + WL_ERROR_TEXTS},
				   .n_attached = 1,
				   .states_offset = states,
				   .shared_size = size}};

	send_bytes(&a, a.m.head.size, file);
}

/* … and where stacks are, behind the state's end or not on a page. */
static void say_stacks(uint64_t stacks)
{
	struct answer a = {.m = {.head = {WL_ANSWER, sizeof(a.m) + WL_ERROR_TEXTS},
				   .n_attached = 1,
				   .states_offset = 1 << 20,
				   .shared_size = SIZE,
				   .stacks_offset = stacks}};

	send_bytes(&a, a.m.head.size, state_file(SIZE, SEALED));
}

static void say_failed(int32_t rc, uint32_t size, const char *texts)
{
	struct answer a = {.m = {.head = {WL_ANSWER, size}, .rc = rc}};

	memcpy(a.texts, texts, sizeof(a.texts));
	send_bytes(&a, sizeof(a), -1);
}

static void say_report(uint32_t present, const char *texts, size_t size)
{
	struct {
		struct wl_report_message m;
		char texts[64];
	} r = {.m = {.head = {WL_REPORT, (uint32_t)(sizeof(r.m) + size)}, .present = present}};

	memcpy(r.texts, texts, size);
	send_bytes(&r, r.m.head.size, -1);
}

static void say(long n)
{
	static const char long_version[sizeof(((struct wl_hello *)0)->version)] =
		"123456789012345678901234567890123456";
	static const char seven[] = "a\0b\0c\0\0\0\0\0", wild[] = "a\0b\0c\0d\0e\0f\0g\0no end";
	static char large[WL_MESSAGE_MAX + 1000];

	if (n > 3)
		say_hello(0, NULL);
	switch (n) {
	case ODD_SILENCE: send_bytes("", 0, -1); return;
	case 1: send_bytes("hello", 5, -1); return;
	case ODD_VERSION: say_hello(1, NULL); return;
	case ODD_LONG_VERSION: say_hello(0, long_version); return;
	case 4:
		say_hello(0, NULL); /* twice */
		return;
	case 5: send_bytes(large, sizeof(large), -1); return;
	case 6: say_report(3 | 1 << WL_TEXT_METHOD, seven, sizeof(seven) - 1); return;
	case 7: say_report(3 | 1 << WL_TEXT_METHOD, wild, sizeof(wild) - 1); return;
	case 8:
		say_report(3, "a\0b\0\0\0\0\0\0", 10); /* neither attached nor skipped */
		return;
	case 9:
		say_report(1 << WL_TEXT_METHOD, "a\0b\0c\0\0\0\0\0", 11); /* of no site */
		return;
	case 10: say_attached(1 << 20, SIZE, -1); return;
	case 11:
		say_attached(1 << 20, SIZE, state_file(SIZE, 0)); /* may shrink */
		return;
	case 12: say_attached(1 << 20, SIZE, state_file(SIZE - 1, SEALED)); return;
	case 13:
		say_attached(0, SIZE, state_file(SIZE, SEALED)); /* over the table */
		return;
	case 14: say_attached(SIZE, SIZE, state_file(SIZE, SEALED)); return;
	case 15: say_attached(UINT64_MAX - 4095, SIZE, state_file(SIZE, SEALED)); return;
	case 16: say_attached(1 << 20, UINT64_MAX, state_file(SIZE, SEALED)); return;
	case 17: say_attached((1 << 20) + 8, SIZE, state_file(SIZE, SEALED)); return;
	case 18: say_attached(1 << 20, SIZE, open("/dev/zero", O_RDONLY)); return;
	case 19: say_failed(5, sizeof(struct answer), "w\0w\0h\0\0"); return;
	case 20: say_failed(-99, sizeof(struct answer), "w\0w\0h\0\0"); return;
	case 21: say_failed(WARD_E_TARGET, sizeof(struct answer) - 1, "w\0w\0h\0\0"); return;
	case 22: say_failed(WARD_E_TARGET, sizeof(struct answer), "whatever"); return;
	case 23: say_stacks(SIZE - 4096); return;
	case 24: say_stacks(UINT64_MAX - 4095); return;
	case 25: say_stacks((1 << 20) + 8); return;
	}
	_Static_assert(ODD_SAYINGS == 26, "all of them are tested");
}

int main(int argc, char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	struct ward_error err;
	char path[PATH_MAX], c;
	long n;

	if (slash && strcmp(slash, "/find") == 0) {
		puts(wl_helper_find(path, &err) ? path : strtok(strchr(err.why, '/'), " "));
		return 0;
	}
	if (slash && sscanf(slash, "/kill-%ld", &n) == 1)
		return run_helper(argv[0], -1, n);
	if (slash && sscanf(slash, "/trace-%ld", &n) == 1)
		return run_helper(argv[0], SYS_ptrace, n);
	if (!slash || sscanf(slash, "/say-%ld", &n) != 1)
		return 2;
	say(n);
	while (read(WL_HELPER_FD, &c, 1) > 0)
		;
	return 0;
}
