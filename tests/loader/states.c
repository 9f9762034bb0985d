/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose threads enter states that most programs never use. `states MODE HOW` prints "ready", waits for a
 * line on its input, enters the state, calls work 1000 times in it, and prints "right" if all was as it should be.
 * HOW says how it enters the state: "function" (prctl), "syscall", or "before" (by the function, before it prints
 * "ready").
 */
#define _GNU_SOURCE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline, used))
#else
#define KEPT __attribute__((noinline, noclone, used))
#endif
enum { CALLS = 1000 };

KEPT uint64_t work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

KEPT uint64_t use_string(const char *s, uint64_t n)
{
	__asm__ volatile("" : : "r"(s));
	return n + 1;
}

/* Functions with a restartable sequence: where it begins, and further down. */
__asm__(".text\n"
	"early:\n1:\tadd %rsi, %rdi\n\tmov %rdi, %rax\n2:\tret\n\t.long 0x53053053\n3:\tjmp early\n"
	".type early, @function\n.size early, . - early\n"
	".pushsection __rseq_cs, \"aw\"\n\t.balign 32\n\t.long 0, 0\n\t.quad 1b, 2b - 1b, 3b\n.popsection\n"
	"late:\n\tlea 1(%rsi), %rsi\n\tlea -1(%rsi), %rsi\n1:\tadd %rsi, %rdi\n\tmov %rdi, %rax\n2:\tret\n\t.long "
	"0x53053053\n3:\tjmp late\n"
	".type late, @function\n.size late, . - late\n"
	".pushsection __rseq_cs, \"aw\"\n\t.balign 32\n\t.long 0, 0\n\t.quad 1b, 2b - 1b, 3b\n.popsection\n");
long late(long a, long b);

static const char *way;
static volatile char selector; /* of PR_SET_SYSCALL_USER_DISPATCH: 0 lets system calls through, 1 makes them SIGSYS */

/* prctl, or seccomp */
static void forbid(long option, unsigned long value, const void *what)
{
	long rc = strcmp(way, "syscall") == 0 ? syscall(SYS_prctl, option, value, what, 0, 0)
					      : prctl((int)option, value, what, 0, 0);

	if (rc)
		_exit(2);
}

/* All but what is left to do here kills. */
static void filter(void)
{
	struct sock_filter insns[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(insns) / sizeof(insns[0]), insns};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(2);
	if (strcmp(way, "seccomp") == 0) {
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
			_exit(2);
	} else {
		forbid(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	}
}

static void enter(const char *mode)
{
	if (strcmp(mode, "tsc") == 0 || strcmp(mode, "tsc-thread") == 0)
		forbid(PR_SET_TSC, PR_TSC_SIGSEGV, NULL);
	else if (strcmp(mode, "strict") == 0 && strcmp(way, "seccomp") == 0)
		syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	else if (strcmp(mode, "strict") == 0)
		forbid(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, NULL);
	else if (strcmp(mode, "filter") == 0)
		filter();
	else if (strcmp(mode, "no-new-code") == 0)
		prctl(65 /* PR_SET_MDWE */, 1 /* PR_MDWE_REFUSE_EXEC_GAIN */, 0, 0, 0); /* since Linux 6.3 */
	else if (strcmp(mode, "locked") == 0)
		mlockall(MCL_CURRENT | MCL_FUTURE);
	else if (strcmp(mode, "hidden") == 0)
		prctl(PR_SET_DUMPABLE, 0);
	else if (strcmp(mode, "dispatch") == 0) {
		if (prctl(59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, 0, &selector))
			_exit(2);
		selector = strcmp(way, "before") != 0;
	}
}

static int call_work(void)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < CALLS; i++)
		sum += work(i, 1) + use_string("hello", 1) + (uint64_t)late(-1, 1);
	return sum == 3 * (CALLS * (CALLS - 1) / 2) + CALLS + 2 * CALLS;
}

static void *waits(void *arg)
{
	enter(arg);
	pause();
	return NULL;
}

static volatile int right_there;

/* A thread that may do nothing any more but end, and has never called work before. */
static void *works_strictly(void *arg)
{
	enter("strict");
	right_there = call_work();
	__asm__ volatile("mov $60, %%eax\n\tsyscall" : : "D"(0) : "rax", "rcx", "r11", "memory");
	return arg;
}

static int with_strict_thread(void)
{
	pthread_t id;
	int right = call_work();

	return right && pthread_create(&id, NULL, works_strictly, NULL) == 0 && pthread_join(id, NULL) == 0 &&
	       right_there;
}

static void say(const char *s)
{
	if (write(1, s, strlen(s)) < 0)
		_exit(3);
}

/* Code that the C library has nothing to do with any more. */
static void end(int right, const char *mode)
{
	static const char text[] = "right\n";
	long rc;

	selector = 0;
	if (right)
		say(text);
	if (strcmp(mode, "strict") == 0)
		__asm__ volatile("mov $60, %%eax\n\tsyscall" : "=a"(rc) : "D"(!right) : "rcx", "r11", "memory");
	__asm__ volatile("mov $231, %%eax\n\tsyscall" : "=a"(rc) : "D"(!right) : "rcx", "r11", "memory");
}

static void *goes_on(void *arg)
{
	char c;

	usleep(20000);
	say("ready\n");
	if (read(0, &c, 1) < 0)
		_exit(2);
	end(call_work(), "");
	return arg;
}

/* For good: jmp . */
static void run_32_bit_code(void)
{
	static struct {
		uint32_t offset;
		uint16_t selector;
	} far = {.selector = 0x23};
	uint8_t *code =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (code == MAP_FAILED)
		_exit(2);
	memcpy(code, "\xeb\xfe", 2);
	far.offset = (uint32_t)(uintptr_t)code;
	__asm__ volatile("ljmp *%0" : : "m"(far));
}

/* What the program would miss, had somebody taken its handler. */
static void on_sigsys(int sig)
{
	(void)sig;
	selector = 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t id;
	char c;

	way = argc > 2 ? argv[2] : "function";
	signal(SIGSYS, on_sigsys);
	if (strcmp(mode, "32-bit") == 0) {
		if (pthread_create(&id, NULL, goes_on, NULL))
			return 2;
		run_32_bit_code();
	}
	if (strcmp(mode, "tsc-thread") == 0) {
		if (pthread_create(&id, NULL, waits, (void *)(uintptr_t)mode))
			return 2;
		usleep(20000);
	} else if (strcmp(way, "before") == 0) {
		enter(mode);
	}
	say("ready\n");
	if (read(0, &c, 1) < 0)
		return 2;
	if (strcmp(mode, "tsc-thread") != 0 && strcmp(way, "before") != 0)
		enter(mode);
	if (strcmp(mode, "dispatch") == 0 && strcmp(way, "before") == 0) { /* the handler is the program's still */
		selector = 1;
		getppid();
		if (selector)
			return 2;
	}
	end(strcmp(mode, "strict-thread") == 0 ? with_strict_thread() : call_work(), mode);
	return 0;
}
