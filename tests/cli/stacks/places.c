/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `marked` on stacks that are not of the usual kind:
 *
 *	places vdso N        in a handler, which interrupts the program in the vdso, too
 *	places alternate N   in a handler that has a stack of its own
 *	places overflow N    where the stack has overflown: in the handler, on another one; then the program goes on
 *	places libraries N A B   called from a library that is loaded and unloaded, and from another one at its place;
 *	                         between them a command is run, if one more argument says which
 *	places unmapped N    called by code without tables, with rbp in memory that another thread maps and unmaps
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long times;
static volatile long sum;
static volatile sig_atomic_t done;
static sigjmp_buf again;

__attribute__((noipa)) void marked(long i)
{
	sum += i;
	__asm__ volatile("" : : : "memory");
}

static void on_time(int sig)
{
	marked(sig);
	if (++done >= times)
		setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	sum++;
}

__attribute__((noipa)) static void reads_time(void)
{
	struct timespec t;

	while (done < times) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sum += t.tv_nsec;
	}
}

static void in_vdso(void)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}};

	signal(SIGALRM, on_time);
	setitimer(ITIMER_REAL, &often, NULL);
	reads_time();
}

static void with_alternate(int sig, void (*handler)(int), int flags)
{
	static char room[1 << 16];
	const stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | flags};

	sigaltstack(&stack, NULL);
	sigaction(sig, &action, NULL);
}

static void on_signal(int sig)
{
	marked(sig);
	sum++;
}

__attribute__((noipa)) static void raises(void)
{
	for (long i = 0; i < times; i++)
		raise(SIGUSR1);
	sum++;
}

/* ---- no stack left ---- */

static volatile long deepest = -1;

__attribute__((noipa)) long dig(long depth)
{
	volatile char room[200];

	room[depth % 200] = 1;
	return depth == deepest ? 0 : dig(depth + 1) + room[depth % 200];
}

static void on_overflow(int sig)
{
	marked(sig);
	siglongjmp(again, 1);
}

static void *overflows(void *arg)
{
	static volatile long i;

	with_alternate(SIGSEGV, on_overflow, SA_NODEFER);
	for (i = 0; i < times; i++)
		if (!sigsetjmp(again, 1))
			dig(0);
	return arg;
}

static void overflow(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 16);
	pthread_create(&thread, &attr, overflows, NULL);
	pthread_join(thread, NULL);
}

/* ---- libraries ---- */

__attribute__((noipa)) static void call_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*enter)(void (*)(long), long) = library ? (void (*)(void (*)(long), long))dlsym(library, "enter") : NULL;
	char byte;

	if (!enter)
		exit(2);
	fprintf(stderr, "at %p\n", (void *)enter);
	enter(marked, 1); /* perhaps before its tables are there */
	if (read(0, &byte, 1) != 1)
		exit(3);
	for (long i = 0; i < times; i++)
		enter(marked, i);
	dlclose(library);
}

__attribute__((noipa)) static void call_libraries(const char *first, const char *second, const char *between)
{
	fprintf(stderr, "of %d\n", (int)getppid());
	call_library(first);
	if (between && system(between) != 0)
		exit(4);
	call_library(second);
}

/* ---- memory that goes ---- */

enum { PAGE = 4096 };
static _Atomic int ended;

static void *come_and_go(void *at)
{
	while (!ended) {
		if (mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
			abort();
		memset(at, 0x11, PAGE);
		munmap(at, PAGE);
	}
	return NULL;
}

/* Without tables. It calls `marked` with a stack pointer and with rbp as they are wanted. */
void made(long i, void *rbp, void *rsp);
__asm__(".text\n"
	".globl made\n"
	".type made, @function\n"
	"made:	push %rbp\n"
	"	push %rbx\n"
	"	mov %rsp, %rbx\n"
	"	mov %rsi, %rbp\n"
	"	mov %rdx, %rsp\n"
	"	call marked\n"
	"	mov %rbx, %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size made, . - made\n");

static void unmapped(void)
{
	char *at = mmap(NULL, 16 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *goes = at + 9 * PAGE;
	pthread_t thread;

	mprotect(at, 8 * PAGE, PROT_READ | PROT_WRITE);
	pthread_create(&thread, NULL, come_and_go, goes);
	for (long i = 0; i < times; i++)
		made(i, goes + i % 500 * 8, at + 8 * PAGE - 256);
	ended = 1;
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	times = argc > 2 ? atol(argv[2]) : 0;
	if (strcmp(mode, "vdso") == 0)
		in_vdso();
	else if (strcmp(mode, "alternate") == 0)
		with_alternate(SIGUSR1, on_signal, 0), raises();
	else if (strcmp(mode, "overflow") == 0)
		overflow();
	else if (strcmp(mode, "libraries") == 0 && (argc == 5 || argc == 6))
		call_libraries(argv[3], argv[4], argv[5]);
	else if (strcmp(mode, "unmapped") == 0)
		unmapped();
	else
		return 2;
	return sum == 0;
}
