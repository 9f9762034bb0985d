/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that is traced. `target MODE …` prints "ready", waits for a line on its input, does its work, prints the
 * result and exits with 0 if it is right. Everything that it prints after "ready" must be the same with and without
 * probes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "returns.h"
#include "sites.h"

KEPT uint64_t work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

KEPT uint64_t use_string(const char *s, uint64_t n)
{
	__asm__ volatile("" : : "r"(s));
	return n * 10;
}

static volatile sig_atomic_t stop;
static uint64_t sums[256];
static double floats[256];
static long n_calls;

/* "ready", then wait for the word to begin. */
static void ready(void)
{
	char c;

	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) < 0 && errno == EINTR)
		;
}

static void *call_work(void *arg)
{
	uintptr_t t = (uintptr_t)arg;
	uint64_t sum = 0;

	for (long i = 0; i < n_calls; i++)
		sum += work((uint64_t)i, t);
	sums[t] = sum;
	return NULL;
}

static void run_threads(long threads, void *(*fn)(void *))
{
	pthread_t id[256];

	for (long i = 0; i < threads; i++)
		if (pthread_create(&id[i], NULL, fn, (void *)i))
			abort();
	for (long i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
}

static int sum_is_right(long threads)
{
	uint64_t want = 0, got = 0;

	for (long t = 0; t < threads; t++) {
		want += (uint64_t)n_calls * (uint64_t)(n_calls - 1) / 2 * 3 + (uint64_t)n_calls * (uint64_t)t;
		got += sums[t];
	}
	printf("sum %llu\n", (unsigned long long)got);
	return got != want;
}

/* calls THREADS N: each thread calls work() N times. */
static int calls(long threads, long n)
{
	n_calls = n;
	ready();
	run_threads(threads, call_work);
	return sum_is_right(threads);
}

/*
 * Until the input ends: integers through work(), and a sum in vector registers that must come out as if nobody looked.
 */
static void *busy_work(void *arg)
{
	uintptr_t t = (uintptr_t)arg;
	double x = 1, y = 0;
	uint64_t n = 0, bad = 0;

	while (!stop) {
		for (int i = 0; i < 1000; i++) {
			bad += work(n, t) != n * 3 + t;
			n++;
			x = x * 1.0000001 + 0.5;
			y += 0.25;
		}
		if (x > 1e12)
			x = 1;
	}
	floats[t] = y - (double)n * 0.25;
	sums[t] = bad;
	return NULL;
}

static void *wait_for_end(void *arg)
{
	char c;

	while (read(0, &c, 1) != 0)
		;
	stop = 1;
	return arg;
}

/* busy THREADS: until the input ends. Prints nothing but its verdict. */
static int busy(long threads)
{
	pthread_t waiter;
	int bad = 0;

	printf("ready\n");
	fflush(stdout);
	pthread_create(&waiter, NULL, wait_for_end, NULL);
	run_threads(threads, busy_work);
	pthread_join(waiter, NULL);
	for (long i = 0; i < threads; i++)
		bad |= sums[i] != 0 || floats[i] != 0;
	printf("%s\n", bad ? "wrong" : "right");
	return bad;
}

/* churn ROUNDS N: threads that come and go, four at a time. */
static int churn(long rounds, long n)
{
	int bad = 0;

	n_calls = n;
	ready();
	for (long i = 0; i < rounds; i++) {
		run_threads(4, call_work);
		for (long t = 0; t < 4; t++)
			bad |= sums[t] != (uint64_t)n * (uint64_t)(n - 1) / 2 * 3 + (uint64_t)n * (uint64_t)t;
	}
	return bad;
}

/* many THREADS N: all alive at once. */
static pthread_barrier_t barrier;
static void *call_then_wait(void *arg)
{
	pthread_barrier_wait(&barrier);
	call_work(arg);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static int many(long threads, long n)
{
	n_calls = n;
	pthread_barrier_init(&barrier, NULL, (unsigned)threads);
	ready();
	run_threads(threads, call_then_wait);
	return sum_is_right(threads);
}

/* forks CHILDREN N: the parent calls N times before each fork, each child N times. */
static int forks(long children, long n)
{
	int status, bad = 0;

	n_calls = n;
	ready();
	for (long i = 0; i < children; i++) {
		pid_t pid;

		call_work((void *)0);
		pid = fork();
		if (pid == 0) {
			sums[0] = 0;
			call_work((void *)0);
			_exit(sums[0] == (uint64_t)n * (uint64_t)(n - 1) / 2 * 3 ? 0 : 1);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0)
			bad = 1;
	}
	return bad;
}

/* signals N: work() from the program and from a signal handler that interrupts it anywhere. */
static volatile uint64_t handled;
static void handler(int sig)
{
	(void)sig;
	work(1, 2);
	handled++;
}

static int signals(long n)
{
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};

	sigaction(SIGALRM, &sa, NULL);
	n_calls = n;
	ready();
	setitimer(ITIMER_REAL, &often, NULL);
	call_work((void *)0);
	setitimer(ITIMER_REAL, &never, NULL);
	printf("handled %llu\n", (unsigned long long)handled);
	return sums[0] != (uint64_t)n * (uint64_t)(n - 1) / 2 * 3;
}

/*
 * waits: threads in system calls that a stop would interrupt. Each must end for its own reason: the input's end, a
 * signal, or its time being over.
 */
static int failures;
static void *in_epoll(void *arg)
{
	struct epoll_event ev = {.events = EPOLLIN}, got;
	int ep = epoll_create1(0), *fd = arg;

	epoll_ctl(ep, EPOLL_CTL_ADD, *fd, &ev);
	if (epoll_wait(ep, &got, 1, -1) != 1)
		__atomic_add_fetch(&failures, 1, __ATOMIC_SEQ_CST);
	close(ep);
	return NULL;
}

static void *in_sigwait(void *arg)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigwaitinfo(&set, NULL) != SIGUSR1)
		__atomic_add_fetch(&failures, 2, __ATOMIC_SEQ_CST);
	return arg;
}

static void *in_sleep(void *arg)
{
	struct timespec t = {.tv_nsec = 300000000};

	while (!stop)
		if (nanosleep(&t, NULL) != 0)
			__atomic_add_fetch(&failures, 4, __ATOMIC_SEQ_CST);
	return arg;
}

static int waits(void)
{
	pthread_t id[3], reader;
	int pipefd[2];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pipe(pipefd))
		return 1;
	pthread_create(&id[0], NULL, in_epoll, &pipefd[0]);
	pthread_create(&id[1], NULL, in_sigwait, NULL);
	pthread_create(&id[2], NULL, in_sleep, NULL);
	pthread_create(&reader, NULL, wait_for_end, NULL);
	printf("ready\n");
	fflush(stdout);
	pthread_join(reader, NULL);
	work(1, 1);
	pthread_kill(id[1], SIGUSR1);
	if (write(pipefd[1], "x", 1) != 1)
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	printf("failures %d\n", failures);
	return failures != 0;
}

/* sites ROUNDS: every function of sites.S, whose results were noted before anybody attached. */
static int sites(long rounds)
{
	static uint64_t before[N_SITE_CASES];
	int bad = 0;

	for (size_t i = 0; i < N_SITE_CASES; i++) {
		before[i] = site_case(i);
		if (!strcmp(site_name(i), "check_registers") && before[i] != 0)
			return 4;
	}
	ready();
	for (long r = 0; r < rounds; r++)
		for (size_t i = 0; i < N_SITE_CASES; i++)
			if (site_case(i) != before[i]) {
				printf("differs: %s\n", site_name(i));
				bad = 1;
			}
	return bad;
}

/* queued: counts queued signals until the input ends. None may be lost. */
static volatile long queued_seen;
static void count_queued(int sig)
{
	(void)sig;
	queued_seen++;
}

static int queued(void)
{
	struct sigaction sa = {.sa_handler = count_queued, .sa_flags = SA_RESTART};
	char c;

	sigaction(SIGRTMIN, &sa, NULL);
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) != 0)
		;
	printf("seen %ld\n", queued_seen);
	return 0;
}

/*
 * sandboxed N, sandboxes-itself N: a filter, from the start on or put on when it goes, kills the process for any system
 * call but those that it needs itself.
 */
static int sandboxed(long n, bool later)
{
#define ALLOW(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_newfstatat),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_restart_syscall),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	static char buffer[256];

	n_calls = n;
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer)); /* no memory is asked for later */
	if (later)
		ready();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 3;
	if (!later)
		ready();
	call_work((void *)0);
	return sum_is_right(1);
}

/* strings THREADS ROUNDS: a function of a pointer, which doesn't look where it points, with pointers of all kinds. */
static const char *pointers[15];
static long rounds;

static void *use_strings(void *arg)
{
	uint64_t sum = 0;

	for (long r = 0; r < rounds; r++)
		for (uint64_t i = 0; i < 15; i++)
			sum += use_string(pointers[i], i);
	sums[(uintptr_t)arg] = sum;
	return NULL;
}

static int strings(long threads, long n)
{
	static char constant[32] = "hello, world", empty[32], fits[80], longer[80];
	char *p = mmap(NULL, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;

	/* p: two pages, one without rights, one that is gone; q: one page before nothing that matters */
	if (p == MAP_FAILED || q == MAP_FAILED || mprotect(p + 8192, 4096, PROT_NONE) || munmap(p + 12288, 4096))
		return 3;
	for (int i = 0; i < 64; i++)
		longer[i] = (char)('0' + i % 10);
	memcpy(fits, longer, 63);
	memcpy(p + 4096 - 11, "hello across the pages", 23);
	memcpy(p + 8192 - 5, "hello", 5);
	memset(q, 0, 4096);
	for (int i = 0; i < 100; i++)
		q[i] = "hello "[i % 6];
	static char ends[2 * 4096] __attribute__((aligned(4096)));
	memcpy(ends + 4096 - 6, "hello", 6);
	if (mprotect(ends + 4096, 4096, PROT_NONE))
		return 3;
	const char *all[15] = {constant, empty, NULL, (char *)1, (char *)0xffffffff81000000, (char *)0x8000000000000000,
		(char *)UINT64_MAX, ends + 4096 - 6, p + 8192 - 5, p + 4096 - 11, q, fits, longer, p + 8192, p + 12288};
	memcpy(pointers, all, sizeof(pointers));
	rounds = n;
	ready();
	run_threads(threads, use_strings);
	for (long t = 0; t < threads; t++)
		sum += sums[t];
	printf("strings %lu\n", sum);
	return sum == (uint64_t)(threads * n * 1050) ? 0 : 1;
}

/* ---- copies ---- */

/*
 * copies N: N calls of use_string in a child by fork, in one by vfork, in one that shares the memory but has its own
 * number and thread control block, beside which the parent goes on to call it; and then N children that a signal
 * handler makes wherever it comes, in the midst of probes too, where they go on. Each has something of its own to say.
 */
static char said[32];
static long n_said; /* calls of use_string in processes that share this memory */
static volatile sig_atomic_t is_copy, copies_left;

static int say(uint64_t who, long n)
{
	uint64_t sum = 0;

	for (long i = 0; i < n; i++)
		sum += use_string(said, who);
	__atomic_add_fetch(&n_said, n, __ATOMIC_SEQ_CST);
	return sum != who * 10 * (uint64_t)n;
}

static int ended(pid_t pid)
{
	int status;

	return pid < 0 || waitpid(pid, &status, __WALL) != pid || status != 0;
}

static int say_in_fork(long n)
{
	pid_t pid = fork();

	if (pid == 0) {
		strcpy(said, "a forked child");
		_exit(say(1, n));
	}
	return ended(pid);
}

static int say_in_vfork(long n)
{
	strcpy(said, "a child by vfork");
	pid_t pid = vfork();
	if (pid == 0)
		_exit(say(2, n));
	return ended(pid);
}

static int say_beside(void *n)
{
	uint64_t sum = 0;

	for (long i = 0; i < *(long *)n; i++)
		sum += use_string("a child that shares the memory", 3);
	return sum != 30 * (uint64_t)*(long *)n;
}

static int say_in_clone(long n)
{
	static uint64_t stack[8192], block[512];
	int bad;

	block[256] = (uint64_t)&block[256]; /* the word by which a thread is known */
	pid_t pid = clone(say_beside, stack + 8192, CLONE_VM | CLONE_SETTLS | SIGCHLD, &n, NULL, &block[256]);
	n_said += n;
	strcpy(said, "the parent");
	bad = say(4, n);
	return ended(pid) | bad;
}

static void copy_here(int sig)
{
	int kept = errno;

	(void)sig;
	if (!is_copy && copies_left) {
		pid_t pid = fork();
		if (pid == 0) {
			is_copy = 1;
			strcpy(said, "the copy");
		} else {
			copies_left--;
			failures += ended(pid); /* by now the copy has ended the probe that it is in */
			failures += say(6, 1);
		}
	}
	errno = kept;
}

/*
 * The timer is set anew for each copy: one that goes on by itself would be over before the handler is, and all copies
 * would be made at one instruction.
 */
static int say_while_copied(long n)
{
	struct sigaction sa = {.sa_handler = copy_here, .sa_flags = SA_RESTART};
	struct itimerval soon = {{0, 0}, {0, 300}};
	sig_atomic_t timed = 0;
	int bad = 0;

	copies_left = (sig_atomic_t)n;
	sigaction(SIGALRM, &sa, NULL);
	while (copies_left && !is_copy) {
		if (timed != copies_left) {
			timed = copies_left;
			setitimer(ITIMER_REAL, &soon, NULL);
		}
		bad |= say(5, 1);
	}
	if (is_copy)
		_exit(bad);
	return bad | say(5, 1) | (failures != 0);
}

static int copies(long n)
{
	int bad;

	ready();
	bad = say_in_fork(n) | say_in_vfork(n);
	bad |= say_in_clone(n) << 1 | say_while_copied(n) << 2;
	printf("said %ld\n", n_said);
	return bad;
}

/*
 * stepped N: a child is made at each instruction of the thread's first call of use_string and of its second, what
 * probes there are included, and goes on from there. In between, and N times at the end, the parent calls it as well.
 */
enum { TRAP_FLAG = 1 << 8 };

static long n_copies;

static void copy_at_instruction(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	if (is_copy)
		return;
	n_copies++;
	copies_left = 1;
	copy_here(sig);
	if (is_copy)
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static uint64_t use_string_stepped(const char *s, uint64_t n)
{
	uint64_t result;

	/* Below the 128 bytes that the compiler may keep something in. */
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushf; orl %4, (%%rsp); popf; call *%3; pushf; andl %5, (%%rsp); "
			 "popf; lea 128(%%rsp), %%rsp"
		: "=a"(result), "+D"(s), "+S"(n)
		: "r"(use_string), "i"(TRAP_FLAG), "i"(~TRAP_FLAG)
		: "rcx", "rdx", "r8", "r9", "r10", "r11", "cc", "memory");
	return result;
}

static int stepped(long n)
{
	struct sigaction sa = {.sa_sigaction = copy_at_instruction, .sa_flags = SA_SIGINFO};
	int bad = 0;

	strcpy(said, "the parent");
	sigaction(SIGTRAP, &sa, NULL);
	ready();
	for (int i = 0; i < 2; i++) {
		bad |= use_string_stepped(said, 5) != 50;
		if (is_copy)
			_exit(bad);
		bad |= failures != 0;
		n_said++;
	}
	bad |= say(7, n);
	printf("said %ld copies %ld\n", n_said, n_copies);
	return bad;
}

/* suspended: a signal handler that will return behind the first byte of s_nops, as if the signal had come there. */
void s_nops(void);
static void return_into_s_nops(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t *sp = (uint64_t *)(uc->uc_mcontext.gregs[REG_RSP] - 128);

	(void)sig;
	(void)info;
	*--sp = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uc->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)((uint64_t)s_nops + 1);
	ready();
}

static int suspended(void)
{
	struct sigaction sa = {.sa_sigaction = return_into_s_nops, .sa_flags = SA_SIGINFO};
	uint64_t rsp_before, rsp_after;

	sigaction(SIGUSR1, &sa, NULL);
	/* The signal comes at the system call's end; s_nops returns there with rsp 128 too low. */
	__asm__ volatile("mov %%rsp, %0; mov %%rsp, %%rbx; syscall; mov %%rsp, %1; mov %%rbx, %%rsp"
		: "=&r"(rsp_before), "=&r"(rsp_after)
		: "a"(SYS_tgkill), "D"(getpid()), "S"(gettid()), "d"(SIGUSR1)
		: "rbx", "rcx", "r11", "memory");
	return rsp_before - rsp_after != 128;
}

/*
 * parent N: a child that says its id and waits for another line, then calls N times; the parent calls N times when that
 * has ended.
 */
static int parent(long n)
{
	uint64_t want = (uint64_t)n * (uint64_t)(n - 1) / 2 * 3;
	int status;
	pid_t pid;

	n_calls = n;
	ready();
	pid = fork();
	if (pid == 0) {
		printf("child %d\n", (int)getpid());
		fflush(stdout);
		while (read(0, &status, 1) < 0 && errno == EINTR)
			;
		call_work((void *)0);
		_exit(sums[0] != want);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return 1;
	call_work((void *)0);
	return sums[0] != want;
}

/*
 * spawns CHILDREN N: calls N times, and starts itself again by posix_spawn, each time; the children call N times as
 * well.
 */
static int spawns(const char *self, long children, long n)
{
	char count[24], *argv[] = {(char *)self, "quietly", count, NULL};
	int status, bad = 0;

	n_calls = n;
	snprintf(count, sizeof(count), "%ld", n);
	ready();
	for (long i = 0; i < children; i++) {
		pid_t pid;

		call_work((void *)0);
		bad |= posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0 || waitpid(pid, &status, 0) != pid ||
		       status != 0;
	}
	return bad;
}

/* ---- waiting for a child by vfork ---- */

static volatile uint64_t longest_gap;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Something to do each millisecond. */
static void *tick(void *arg)
{
	uint64_t last = now_ns(), now;

	while (!stop) {
		use_string("tick", 1);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		now = now_ns();
		longest_gap = now - last > longest_gap ? now - last : longest_gap;
		last = now;
	}
	return arg;
}

/*
 * vforked N ALONE: a child by vfork waits for a line, calls work() N times, and waits for the end of the input. Unless
 * it is alone, another thread has something to do meanwhile.
 */
static int vforked(long n, long alone)
{
	uint64_t start, life;
	pthread_t ticking;
	pid_t pid;
	char c;

	n_calls = n;
	ready();
	if (!alone)
		pthread_create(&ticking, NULL, tick, NULL);
	start = now_ns();
	pid = vfork();
	if (pid == 0) {
		while (read(0, &c, 1) < 0)
			;
		call_work((void *)0);
		while (read(0, &c, 1) != 0)
			;
		_exit(0);
	}
	life = now_ns() - start;
	stop = 1;
	if (!alone)
		pthread_join(ticking, NULL);
	printf("gap %llu of %llu\n", (unsigned long long)longest_gap, (unsigned long long)life);
	return ended(pid) || sum_is_right(1);
}

static void use_processor(int number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *tick_first(void *arg)
{
	use_processor(1);
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
	return tick(arg);
}

static void *work_last(void *arg)
{
	use_processor(0);
	sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
	while (!stop)
		work(1, 1);
	return arg;
}

/* starved: until the input ends, one thread works where nobody else wants to, and another one on its own processor. */
static int starved(void)
{
	pthread_t first, last;
	uint64_t start = now_ns();

	pthread_create(&first, NULL, tick_first, NULL);
	pthread_create(&last, NULL, work_last, NULL);
	printf("ready\n");
	fflush(stdout);
	wait_for_end(NULL);
	pthread_join(first, NULL);
	pthread_join(last, NULL);
	printf("gap %llu of %llu\n", (unsigned long long)longest_gap, (unsigned long long)(now_ns() - start));
	return 0;
}

static void *vfork_away(void *arg)
{
	static char *const argv[] = {"true", NULL};

	while (!stop) {
		pid_t pid = vfork();

		if (pid == 0) {
			work(1, 1);
			execv("/bin/true", argv);
			_exit(1);
		}
		sums[255] |= (uint64_t)ended(pid);
	}
	return arg;
}

/* vforks THREADS: so many that make one child after the other, and two that work, until the input ends. */
static int vforks(long threads)
{
	pthread_t waiter, id[8], working[2];

	printf("ready\n");
	fflush(stdout);
	pthread_create(&waiter, NULL, wait_for_end, NULL);
	for (long i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, vfork_away, NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&working[i], NULL, busy_work, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	for (long i = 0; i < 2; i++)
		pthread_join(working[i], NULL);
	pthread_join(waiter, NULL);
	return sums[0] || sums[1] || sums[255] || floats[0] != 0 || floats[1] != 0;
}

/*
 * vforks-alone: its only thread makes one child after the other, which live for two milliseconds each, and works for a
 * tenth of that in between, until the input ends.
 */
static bool short_child(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
		_exit(0);
	}
	return ended(pid);
}

static int vforks_alone(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	bool bad = false;

	printf("ready\n");
	fflush(stdout);
	while (poll(&input, 1, 0) == 0) {
		uint64_t end = now_ns() + 200000;

		for (uint64_t i = 0; now_ns() < end; i++)
			bad |= work(i, 1) != i * 3 + 1;
		bad |= short_child();
	}
	return bad;
}

/* headless N: the first thread ends, and another one calls work() N times, and waits for the end of the input. */
static void *go_on(void *arg)
{
	char c;

	(void)arg;
	ready();
	call_work((void *)0);
	while (read(0, &c, 1) != 0)
		;
	exit(sum_is_right(1));
}

static int headless(long n)
{
	pthread_t id;

	n_calls = n;
	pthread_create(&id, NULL, go_on, NULL);
	pthread_exit(NULL);
}

static int quietly(long n)
{
	n_calls = n;
	call_work((void *)0);
	return sums[0] != (uint64_t)n * (uint64_t)(n - 1) / 2 * 3;
}

/* A thread with the control block at the end of a given stack. */
enum { SHORT_STACK = 65536, SHORT_BATCH = 256 };

static int start_at(pthread_t *id, char *stack, long number)
{
	pthread_attr_t attr;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, SHORT_STACK);
	rc = pthread_create(id, &attr, call_work, (void *)number);
	pthread_attr_destroy(&attr);
	return rc;
}

static volatile unsigned long interrupted;

static void work_meanwhile(int sig)
{
	(void)sig;
	__atomic_add_fetch(&interrupted, 1, __ATOMIC_RELAXED);
	work(1, 1);
}

/*
 * short THREADS N PLACES MICROSECONDS: 256 at a time, each with a control block of its own place, so many places in
 * all. 0: no two at the same place, and what ended threads had is unmapped. With a signal now and then whose handler
 * calls as well: prints how many there were.
 */
static int short_threads(long threads, long n, long places, long us)
{
	struct itimerval every = {{0, us}, {0, us}};
	char *stacks = mmap(NULL, (size_t)SHORT_STACK * (size_t)(places ? places : threads), PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct sigaction sa = {.sa_handler = work_meanwhile, .sa_flags = SA_RESTART};
	pthread_t id[SHORT_BATCH];

	n_calls = n;
	if (stacks == MAP_FAILED ||
		(places && mprotect(stacks, (size_t)SHORT_STACK * (size_t)places, PROT_READ | PROT_WRITE)))
		return 1;
	sigaction(SIGALRM, &sa, NULL);
	ready();
	if (us)
		setitimer(ITIMER_REAL, &every, NULL);
	for (long i = 0; i < threads; i += SHORT_BATCH) {
		long batch = threads - i < SHORT_BATCH ? threads - i : SHORT_BATCH;
		char *own = stacks + (size_t)i * SHORT_STACK;

		if (!places && mprotect(own, (size_t)batch * SHORT_STACK, PROT_READ | PROT_WRITE))
			return 1;
		for (long k = 0; k < batch; k++)
			if (start_at(&id[k],
				    places ? stacks + (size_t)((i + k) % places) * SHORT_STACK
					   : own + (size_t)k * SHORT_STACK,
				    k))
				return 1;
		for (long k = 0; k < batch; k++)
			pthread_join(id[k], NULL);
		if (!places)
			munmap(own, (size_t)batch * SHORT_STACK);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	if (us)
		printf("interrupted %lu\n", interrupted);
	return sum_is_right(threads < SHORT_BATCH ? threads : SHORT_BATCH);
}

/*
 * beside THREADS N: short ones, one after the other, at places of their own, while three call without a pause; prints
 * how often these have.
 */
static long long called[3];
static volatile int enough;

static void *call_until_enough(void *arg)
{
	long long n = 0;

	while (!enough) {
		work((uint64_t)n, 1);
		n++;
	}
	called[(uintptr_t)arg] = n;
	return NULL;
}

static int beside(long threads, long n)
{
	char *stacks = mmap(NULL, (size_t)SHORT_STACK * (size_t)threads, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_t id, busy_id[3];
	int bad = stacks == MAP_FAILED;

	n_calls = n;
	ready();
	for (long i = 0; i < 3; i++)
		if (pthread_create(&busy_id[i], NULL, call_until_enough, (void *)i))
			return 1;
	for (long i = 0; !bad && i < threads; i++) {
		char *own = stacks + (size_t)i * SHORT_STACK;

		bad = mprotect(own, SHORT_STACK, PROT_READ | PROT_WRITE) || start_at(&id, own, 0) ||
		      pthread_join(id, NULL) || (i % 2 && munmap(own, SHORT_STACK));
	}
	enough = 1;
	for (long i = 0; i < 3; i++)
		pthread_join(busy_id[i], NULL);
	printf("called %lld\n", called[0] + called[1] + called[2]);
	return bad || sum_is_right(1);
}

/* crowd THREADS N: all alive at once; and a moment later as many again, one after the other, at places of their own. */
static int crowd(long threads, long n)
{
	char *stacks = mmap(NULL, (size_t)SHORT_STACK * (size_t)threads, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int bad = stacks == MAP_FAILED || many(threads, n);

	nanosleep(&(struct timespec){.tv_nsec = 500000000}, NULL);
	for (long i = 0; !bad && i < threads; i++) {
		pthread_t id;

		bad = start_at(&id, stacks + (size_t)i * SHORT_STACK, 0) || pthread_join(id, NULL);
	}
	return bad;
}

/* execs: becomes another program, which must find itself untouched. */
static int execs(const char *self)
{
	ready();
	work(1, 1);
	execl(self, self, "calls", "2", "1000", (char *)NULL);
	return 1;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	long a = argc > 2 ? atol(argv[2]) : 0, b = argc > 3 ? atol(argv[3]) : 0, c = argc > 4 ? atol(argv[4]) : 0,
	     d = argc > 5 ? atol(argv[5]) : 0;

	if (!strcmp(mode, "calls"))
		return calls(a, b);
	if (!strcmp(mode, "busy"))
		return busy(a);
	if (!strcmp(mode, "churn"))
		return churn(a, b);
	if (!strcmp(mode, "many"))
		return many(a, b);
	if (!strcmp(mode, "forks"))
		return forks(a, b);
	if (!strcmp(mode, "signals"))
		return signals(a);
	if (!strcmp(mode, "waits"))
		return waits();
	if (!strcmp(mode, "sites"))
		return sites(a);
	if (!strcmp(mode, "returns"))
		return returns(a, b, ready);
	if (!strcmp(mode, "deep"))
		return deep(a, b, ready);
	if (!strcmp(mode, "queued"))
		return queued();
	if (!strcmp(mode, "suspended"))
		return suspended();
	if (!strcmp(mode, "sandboxed"))
		return sandboxed(a, false);
	if (!strcmp(mode, "sandboxes-itself"))
		return sandboxed(a, true);
	if (!strcmp(mode, "strings"))
		return strings(a, b);
	if (!strcmp(mode, "copies"))
		return copies(a);
	if (!strcmp(mode, "stepped"))
		return stepped(a);
	if (!strcmp(mode, "parent"))
		return parent(a);
	if (!strcmp(mode, "spawns"))
		return spawns(argv[0], a, b);
	if (!strcmp(mode, "vforked"))
		return vforked(a, b);
	if (!strcmp(mode, "starved"))
		return starved();
	if (!strcmp(mode, "headless"))
		return headless(a);
	if (!strcmp(mode, "vforks-alone"))
		return vforks_alone();
	if (!strcmp(mode, "vforks"))
		return vforks(a);
	if (!strcmp(mode, "quietly"))
		return quietly(a);
	if (!strcmp(mode, "short"))
		return short_threads(a, b, c, d);
	if (!strcmp(mode, "beside"))
		return beside(a, b);
	if (!strcmp(mode, "crowd"))
		return crowd(a, b);
	if (!strcmp(mode, "execs"))
		return execs(argv[0]);
	return 2;
}
