/*
 * Programs that don't keep to one stack, or leave it by jumps. `stacks MODE …` prints "ready", waits for a line on its input, does its work, and prints what a tracer must have seen.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone, noipa))
/* Room for a jump, and no call of it is another's tail. */
#define BODY() __asm__ volatile("nop; nop; nop; nop; nop; nop" : : : "memory")

KEPT long checked(long x, long not_x)
{
	BODY();
	return x + not_x;
}

extern char __executable_start, etext;

static sigjmp_buf out;
static volatile sig_atomic_t armed;
static volatile long calls, jumps, outside, in_handlers;

/* Leaves every other time by a jump. `outside`: the signal found the thread in code that isn't the program's: Ward's. */
static void leave(int sig, siginfo_t *info, void *context)
{
	unsigned long ip = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)sig;
	(void)info;
	if (!armed)
		return;
	for (long i = 0; i < 3; i++, in_handlers++)
		checked(i, ~i);
	if (ip < (unsigned long)&__executable_start || ip >= (unsigned long)&etext)
		outside++;
	if (in_handlers % 2) {
		jumps++;
		siglongjmp(out, 1);
	}
}

/* Calls from two depths of the stack. */
KEPT static long deeper(long x)
{
	volatile char room[512];

	room[x % 512] = 1;
	return checked(x, ~x) + room[x % 512];
}

KEPT static void call_and_jump(long wanted)
{
	struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &often, NULL);
	while (outside < wanted && calls < 1500000000) {
		sigsetjmp(out, 1);
		armed = 1;
		for (long i = 0; i < 2000; i++, calls++)
			if (i % 16 == 7)
				deeper(i);
			else
				checked(i, ~i);
		armed = 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
}

static char low[65536];

/* Handlers run on the stack that they interrupt, or on one that lies below or above it. */
static void signals(const char *where, long wanted)
{
	struct sigaction action = {.sa_sigaction = leave, .sa_flags = SA_SIGINFO};
	char high[65536];
	stack_t stack = {.ss_sp = low, .ss_size = sizeof(low)};

	if (!strcmp(where, "above"))
		stack.ss_sp = high;
	if (strcmp(where, "same")) {
		sigaltstack(&stack, NULL);
		action.sa_flags |= SA_ONSTACK;
	}
	sigaction(SIGALRM, &action, NULL);
	call_and_jump(wanted);
	signal(SIGALRM, SIG_IGN);
	printf("calls %ld in handlers %ld jumps %ld outside %ld\n", calls, in_handlers, jumps, outside);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) < 0)
		return 1;
	if (!strcmp(mode, "signals"))
		signals(argv[2], atol(argv[3]));
	else
		return 2;
	return 0;
}
