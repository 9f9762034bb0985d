/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of a process that deny themselves access to protection key 0. The emulated processor has protection keys,
 * even if the machine's own hasn't.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { ROOM = 262144 }; /* bytes: what the two share, and the stack of the loop */

struct shared {
	uint64_t calls, phase;
};

/*
 * Call keyed_work on a stack near the end of ROOM bytes, having set what key 0 permits, until the phase is another one.
 * Nothing but that memory is touched meanwhile.
 */
void keyed_work(void);
void keyed_loop(volatile struct shared *s, unsigned rights, int (*set)(int key, unsigned rights));
__asm__(".pushsection .text\n"
	".globl keyed_work\n"
	".type keyed_work, @function\n"
	"keyed_work: lock incq (%rdi)\n"
	"	mov $1, %eax\n"
	"	ret\n"
	".size keyed_work, . - keyed_work\n"
	".globl keyed_loop\n"
	".type keyed_loop, @function\n"
	"keyed_loop:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	mov %rsp, %rbp\n"
	"	mov %rdi, %rbx\n"
	"	mov %rdx, %r12\n"
	"	lea 262080(%rdi), %rsp\n"
	"	mov 8(%rbx), %r13\n"
	"	xor %edi, %edi\n"
	"	call *%r12\n" /* set(0, rights) */
	"0:	mov %rbx, %rdi\n"
	"	call keyed_work\n"
	"	cmp %r13, 8(%rbx)\n"
	"	je 0b\n"
	"	xor %edi, %edi\n"
	"	xor %esi, %esi\n"
	"	call *%r12\n"
	"	mov %rbp, %rsp\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size keyed_loop, . - keyed_loop\n"
	".popsection\n");

static const unsigned rights[] = {PKEY_DISABLE_WRITE, PKEY_DISABLE_ACCESS, 0, PKEY_DISABLE_WRITE, 0};
enum { NO_WRITES, NO_ACCESS, FREE, NO_WRITES_LATER, FREE_AGAIN, PHASES };

/*
 * The kernel writes to a thread's area for restartable sequences when the thread was interrupted, and ends one that
 * doesn't let it. The C library's has key 0.
 */
static void leave_rseq(void)
{
	enum { AREA = 32 };

	CHECK(__rseq_size == 0 || syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset, AREA,
					  RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0,
		"%s", strerror(errno));
}

static void run_phases(volatile struct shared *s)
{
	int key = pkey_alloc(0, 0);

	leave_rseq();
	CHECK(key > 0 && pkey_mprotect((void *)s, ROOM, PROT_READ | PROT_WRITE, key) == 0, "%s", strerror(errno));
	for (unsigned i = 0; i < PHASES; i++)
		keyed_loop(s, rights[i], pkey_set);
	_exit(0);
}

/* It runs on, in that phase. */
static void goes_on(volatile struct shared *s, pid_t child)
{
	uint64_t calls = s->calls;

	int status = 0;

	while (s->calls - calls < 1000)
		CHECK(waitpid(child, &status, WNOHANG) == 0, "it goes on: %#x", (unsigned)status);
}

static void enter_phase(volatile struct shared *s, pid_t child, unsigned phase)
{
	s->phase = phase;
	goes_on(s, child);
}

static int attach(pid_t child, ward_session **s, struct ward_error *err)
{
	struct ward_attach_options o = {.size = sizeof(o), .site = "ward-kernel-suite!keyed_work"};
	struct module m = module_named("user");

	return ward_attach(child, m.data, m.size, &o, s, err);
}

static void is_refused(pid_t child, const char *denied)
{
	struct ward_error err;
	char why[128];
	ward_session *s;

	snprintf(why, sizeof(why), "thread %d denies itself %s protection key 0", child, denied);
	CHECK(attach(child, &s, &err) == WARD_E_TARGET && strstr(err.why, why), "%s: %s", err.what, err.why);
	CHECK(err.hint[0], "a hint");
}

static ward_session *is_attached(pid_t child)
{
	struct ward_error err;
	ward_session *s;

	CHECK(attach(child, &s, &err) == 0, "%s: %s", err.what, err.why);
	return s;
}

static uint64_t calls_seen(ward_session *s)
{
	return field_value(s, "user", "calls");
}

static pid_t start(volatile struct shared **shared)
{
	volatile struct shared *s = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	CHECK(s != MAP_FAILED, "%s", strerror(errno));
	child = fork();
	if (child == 0)
		run_phases(s);
	*shared = s;
	goes_on(s, child);
	return child;
}

static void end(volatile struct shared *s, pid_t child)
{
	int status;

	s->phase = PHASES;
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x",
		(unsigned)status);
}

void test_keys(void)
{
	volatile struct shared *s;
	pid_t child = start(&s);
	ward_session *session;
	uint64_t seen;

	is_refused(child, "writes to");
	goes_on(s, child);
	enter_phase(s, child, NO_ACCESS);
	is_refused(child, "access to");
	goes_on(s, child);

	enter_phase(s, child, FREE);
	session = is_attached(child);
	goes_on(s, child);
	CHECK(calls_seen(session) >= 1000 && !ward_session_shut(session), "%lu", calls_seen(session));
	enter_phase(s, child, NO_WRITES_LATER);
	seen = calls_seen(session);
	goes_on(s, child);
	CHECK(calls_seen(session) == seen && ward_session_shut(session), "%lu after %lu", calls_seen(session), seen);
	CHECK(ward_detach(session, NULL) == 0 && ward_session_shut(session), "detached");
	ward_session_free(session);
	is_refused(child, "writes to");
	enter_phase(s, child, FREE_AGAIN);
	session = is_attached(child);
	goes_on(s, child);
	CHECK(calls_seen(session) >= 1000 && !ward_session_shut(session), "%lu", calls_seen(session));
	end(s, child);
	ward_session_free(session);
}

/* A jump stands where the function begins. */
static void await_jump(volatile struct shared *s, pid_t child)
{
	char path[64];
	uint8_t byte = 0;
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	while (byte != 0xe9) {
		goes_on(s, child);
		CHECK(pread(mem, &byte, 1, (off_t)(uintptr_t)keyed_work) == 1, "%s", strerror(errno));
	}
	close(mem);
}

/* What the command says at its end, with that option. */
static void tells(const char *option, const char *words)
{
	char module[256], target[16], text[65536];
	char *argv[] = {(char *)ward, "trace", (char *)option, "-f", "ward-kernel-suite!keyed_work", "-p", target,
		module, NULL};
	volatile struct shared *s;
	pid_t child = start(&s), tracer;
	int status, fd;
	ssize_t n;

	enter_phase(s, child, NO_ACCESS);
	enter_phase(s, child, FREE);
	snprintf(module, sizeof(module), "%s/user.ward", probes);
	snprintf(target, sizeof(target), "%d", child);
	tracer = fork();
	if (tracer == 0) {
		fd = open("/tmp/out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		dup2(fd, 1);
		execv(argv[0], argv);
		_exit(127);
	}
	await_jump(s, child);
	goes_on(s, child);
	enter_phase(s, child, NO_WRITES_LATER);
	enter_phase(s, child, FREE_AGAIN);
	kill(tracer, SIGINT);
	CHECK(waitpid(tracer, &status, 0) == tracer && WIFEXITED(status) && WEXITSTATUS(status) == 0, "%#x",
		(unsigned)status);
	fd = open("/tmp/out", O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	CHECK(strstr(text, words), "%s", text);
	end(s, child);
}

void test_keys_command(void)
{
	tells("--follow", "a thread denied itself Ward's memory (pkey_set)");
	tells("--json", "\"shut\":true");
}
