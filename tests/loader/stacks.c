/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use several stacks, or leave a stack by jumps. `stacks MODE …` prints "ready", waits for a line on
 * its input, does its work, and prints what a tracer must have seen.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone, noipa))
#endif
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

/*
 * Leaves every other time by a jump. `outside`: the signal found the thread in code that isn't the program's:
 * Ward's.
 */
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

/*
 * What is traced from here on: kept() calls something in its midst, and gives how long that took and, in the lower
 * 20 bits, its first argument.
 */
KEPT uint64_t kept(uint64_t number, void (*in_its_midst)(void *), void *arg)
{
	uint64_t began = __rdtsc();

	in_its_midst(arg);
	return (__rdtsc() - began) << 20 | number;
}

/* The same, patched at its call: by then it has saved a register and changed it. */
__asm__(".text; .globl saves; .type saves, @function\n"
	"saves: push %rbx; mov %rsi, %rbx; call kept; nopl 0(%rax); pop %rbx; ret\n"
	".size saves, . - saves\n");
uint64_t saves(uint64_t number, void (*in_its_midst)(void *), void *arg);

static uint64_t (*traced)(uint64_t number, void (*in_its_midst)(void *), void *arg) = kept;

enum { NUMBERS = 1 << 20, STACK = 65536 };

static _Atomic unsigned long begun, returned, wrong;

static void call_kept(void (*in_its_midst)(void *), void *arg)
{
	uint64_t number = begun++ % NUMBERS;

	wrong += (traced(number, in_its_midst, arg) % NUMBERS) != number;
	returned++;
}

/* Coroutines. One that yields goes back to whoever resumed it. */
struct fiber {
	ucontext_t own, *by;
	sigjmp_buf own_jump, by_jump;
	void *sp, *by_sp; /* of the switch below */
	char *stack;
	int id, rounds;
	bool over;
	/* of one that does anything */
	sigjmp_buf top;
	unsigned seed;
	int depth;
	/* of one that shares its stack with others: what was there when it yielded */
	char *copy;
	size_t copied;
};

static void (*yield)(void *), (*resume)(struct fiber *);

/* As deep as its number says, a call in a call, and some that don't yield. */
static void nothing(void *arg)
{
	(void)arg;
}

static void yield_in_another(void *arg)
{
	call_kept(yield, arg);
	call_kept(nothing, arg);
}

static void work(struct fiber *f)
{
	for (int i = 0; i < f->rounds; i++)
		if (i % 3 == f->id % 3)
			call_kept(yield_in_another, f);
		else
			call_kept(yield, f);
	f->over = true;
	yield(f);
}

/* By swapcontext. */
static void swap_yield(void *f)
{
	swapcontext(&((struct fiber *)f)->own, ((struct fiber *)f)->by);
}

static void swap_resume(struct fiber *f)
{
	ucontext_t here;

	f->by = &here;
	swapcontext(&here, &f->own);
}

static void begin_fiber(unsigned low_half, unsigned high_half)
{
	work((struct fiber *)((uintptr_t)high_half << 32 | low_half));
}

static void make_fiber(struct fiber *f, int id, int rounds, char *stack, size_t size, void (*begin)(unsigned, unsigned))
{
	*f = (struct fiber){.id = id, .rounds = rounds, .stack = stack};
	getcontext(&f->own);
	f->own.uc_stack.ss_sp = stack;
	f->own.uc_stack.ss_size = size;
	makecontext(&f->own, (void (*)(void))begin, 2, (unsigned)(uintptr_t)f, (unsigned)((uintptr_t)f >> 32));
}

/* By a few instructions, as libco and boost.context have it. */
__asm__(".text; .globl switch_stacks; .type switch_stacks, @function\n"
	"switch_stacks: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, (%rdi); mov (%rsi), %rsp\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
	".size switch_stacks, . - switch_stacks\n"
	".globl begin_switched; .type begin_switched, @function\n"
	"begin_switched: mov %rbx, %rdi; call begin_work\n"
	".size begin_switched, . - begin_switched\n");
void switch_stacks(void **from, void **to), begin_switched(void);
__attribute__((used)) void begin_work(struct fiber *f);
void begin_work(struct fiber *f)
{
	work(f);
}

static void switch_yield(void *arg)
{
	struct fiber *f = arg;

	switch_stacks(&f->sp, &f->by_sp);
}

static void switch_resume(struct fiber *f)
{
	switch_stacks(&f->by_sp, &f->sp);
}

/* By jumps between stacks, as QEMU does it: a fiber is begun by swapcontext and never comes back from there. */
static void jump_yield(void *arg)
{
	struct fiber *f = arg;

	if (!sigsetjmp(f->own_jump, 0))
		siglongjmp(f->by_jump, 1);
}

static void jump_resume(struct fiber *f)
{
	if (sigsetjmp(f->by_jump, 0))
		return;
	if (f->by)
		siglongjmp(f->own_jump, 1);
	swap_resume(f);
}

static void run_fibers(int n, int rounds, void (*yields)(void *), void (*resumes)(struct fiber *))
{
	static char stack[8][STACK] __attribute__((aligned(64)));
	static struct fiber f[8];
	bool busy = true;

	yield = yields;
	resume = resumes;
	for (int i = 0; i < n; i++) {
		make_fiber(&f[i], i, rounds, stack[i], STACK, begin_fiber);
		if (yields == switch_yield) {
			void **top = (void **)(stack[i] + STACK) - 8;

			top[6] = (void *)begin_switched;
			top[5] = &f[i]; /* rbx */
			f[i].sp = top;
		}
	}
	while (busy) {
		busy = false;
		for (int i = 0; i < n; i++)
			if (!f[i].over) {
				resume(&f[i]);
				busy = true;
			}
	}
}

/* Threads take turns at fibers, so that most calls end on another thread than they began on. */
static struct fiber moving[6];
static pthread_barrier_t turn;

static void *run_moving(void *arg)
{
	int me = (int)(intptr_t)arg, n = sizeof(moving) / sizeof(moving[0]);

	for (int round = 0;; round++) {
		struct fiber *a = &moving[(me + round) % n], *b = &moving[(me + round + n / 2) % n];
		bool all = true;

		if (!a->over)
			swap_resume(a);
		if (!b->over)
			swap_resume(b);
		pthread_barrier_wait(&turn);
		for (int i = 0; i < n; i++)
			all &= moving[i].over;
		pthread_barrier_wait(&turn);
		if (all)
			return NULL;
	}
}

static void run_threads(int rounds, void (*begin)(unsigned, unsigned))
{
	static char stack[6][STACK];
	pthread_t id[3];

	yield = swap_yield;
	for (int i = 0; i < 6; i++)
		make_fiber(&moving[i], i, rounds, stack[i], STACK, begin);
	pthread_barrier_init(&turn, NULL, 3);
	for (intptr_t i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, run_moving, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
}

/* What a call does is drawn: it yields, calls others, jumps out of all that are open on its stack, or just returns. */
static void do_anything(void *arg)
{
	struct fiber *f = arg;
	int what = rand_r(&f->seed) % 100;

	if (what < 30) {
		yield(f);
	} else if (what < 60 && f->depth < 20) {
		f->depth++;
		for (int i = rand_r(&f->seed) % 4; i >= 0; i--)
			call_kept(do_anything, f);
		f->depth--;
	} else if (what < 63) {
		siglongjmp(f->top, 1);
	}
}

static void begin_anything(unsigned low_half, unsigned high_half)
{
	struct fiber *f = (struct fiber *)((uintptr_t)high_half << 32 | low_half);

	f->seed = (unsigned)f->id + 1;
	while (f->rounds-- > 0) {
		f->depth = 0;
		if (!sigsetjmp(f->top, 0))
			call_kept(do_anything, f);
	}
	f->over = true;
	yield(f);
}

/*
 * Coroutines that share one stack, which is copied away when one yields and put back when it goes on. kept() is
 * called with every register that it has to leave as it is of the same value, or with one of the coroutine's own.
 */
__asm__(".text; .globl with_registers; .type with_registers, @function\n"
	"with_registers: push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp\n"
	"mov %rsi, %rbx; mov %rsi, %rbp; mov %rsi, %r12; mov %rsi, %r13; mov %rsi, %r14; mov %rsi, %r15\n"
	"mov %rdx, %rsi; mov %rcx, %rdx; call kept\n"
	"add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n"
	".size with_registers, . - with_registers\n");
uint64_t with_registers(uint64_t number, uint64_t registers, void (*in_its_midst)(void *), void *arg);

static char shared[STACK] __attribute__((aligned(64)));
static bool own_registers, by_jumps;

/* On the shared stack, and off it. */
KEPT static void leave_shared(struct fiber *f)
{
	if (!by_jumps)
		swapcontext(&f->own, f->by);
	else if (!sigsetjmp(f->own_jump, 0))
		siglongjmp(f->by_jump, 1);
}

/* All of it, as what is below is nobody's. */
static void resume_shared(struct fiber *f)
{
	static ucontext_t here;
	static struct fiber *volatile at_hand;

	at_hand = f;
	if (f->copied)
		memcpy(shared, f->copy, STACK);
	f->by = &here;
	if (!by_jumps || !f->copied) {
		if (!sigsetjmp(f->by_jump, 0))
			swapcontext(&here, &f->own);
	} else if (!sigsetjmp(f->by_jump, 0))
		siglongjmp(f->own_jump, 1);
	f = at_hand;
	memcpy(f->copy, shared, STACK);
	f->copied = STACK;
}

static void shared_yield(void *arg)
{
	leave_shared(arg);
}

static void work_shared(unsigned low_half, unsigned high_half)
{
	struct fiber *f = (struct fiber *)((uintptr_t)high_half << 32 | low_half);

	for (int i = 0; i < f->rounds; i++) {
		uint64_t number = begun++ % NUMBERS, registers = own_registers ? 1000 + (uint64_t)f->id : 7;
		/* Some calls are over before another coroutine runs. */
		void (*in_its_midst)(void *) = (i + f->id) % 3 ? shared_yield : nothing;

		wrong += with_registers(number, registers, in_its_midst, f) % NUMBERS != number;
		returned++;
	}
	f->over = true;
	leave_shared(f);
}

static void run_shared(int rounds)
{
	static struct fiber f[4];
	static char copy[4][STACK];
	unsigned seed = 1;

	for (int i = 0; i < 4; i++) {
		make_fiber(&f[i], i, rounds, shared, STACK, work_shared);
		f[i].copy = copy[i];
	}
	while (!f[0].over || !f[1].over || !f[2].over || !f[3].over) {
		int i = rand_r(&seed) % 4;

		if (!f[i].over)
			resume_shared(&f[i]);
	}
}

/* Calls that are left, again and again at one place, by what jumps out of them. */
static jmp_buf leaving;
static void *leaving_too[5];
static volatile bool leaves;

static void jump_out(void *how)
{
	if (!leaves)
		return;
	if (*(const char *)how == 'c')
		siglongjmp(leaving, 1);
	__builtin_longjmp(leaving_too, 1);
}

KEPT static void call_leaving(void *how)
{
	if (*(const char *)how == 'c' ? sigsetjmp(leaving, 1) : __builtin_setjmp(leaving_too))
		return;
	call_kept(jump_out, how);
}

static void run_leaving(char *how, int rounds)
{
	traced = strstr(how, "saves") ? saves : kept;
	for (volatile int i = 0; i < rounds; i++) {
		leaves = i % 10 == 3;
		call_leaving(how);
	}
}

/* Threads that end in the midst of a call; the next one has the same stack. */
static void end_thread(void *arg)
{
	if (*(int *)arg)
		pthread_exit(NULL);
}

static void *call_ending(void *arg)
{
	call_kept(end_thread, arg);
	return NULL;
}

static void run_ending(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pthread_t id;
		int ends = i % 10 == 3;

		pthread_create(&id, NULL, call_ending, &ends);
		pthread_join(id, NULL);
	}
}

/* A line is waited for where nothing has been pushed on the stack yet. */
static long read_on_an_empty_stack(char *c)
{
	char *stack = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long n;

	if (stack == MAP_FAILED || mprotect(stack + STACK, STACK, PROT_NONE))
		return -1;
	__asm__ volatile("mov %%rsp, %%rbx; mov %[end], %%rsp; syscall; mov %%rbx, %%rsp"
		: "=a"(n)
		: "a"(SYS_read), "D"(0), "S"(c), "d"(1), [end] "r"(stack + STACK)
		: "rbx", "rcx", "r11", "memory");
	return n;
}

static bool run(const char *mode, char *arg, int rounds)
{
	if (!strcmp(mode, "fibers") && !strcmp(arg, "swapcontext"))
		run_fibers(5, rounds, swap_yield, swap_resume);
	else if (!strcmp(mode, "fibers") && !strcmp(arg, "switch"))
		run_fibers(5, rounds, switch_yield, switch_resume);
	else if (!strcmp(mode, "fibers") && !strcmp(arg, "jumps"))
		run_fibers(5, rounds, jump_yield, jump_resume);
	else if (!strcmp(mode, "fibers") && !strcmp(arg, "threads"))
		run_threads(rounds, begin_fiber);
	else if (!strcmp(mode, "fibers") && !strcmp(arg, "anything"))
		run_threads(rounds, begin_anything);
	else if (!strcmp(mode, "shared")) {
		own_registers = strstr(arg, "own") != NULL;
		by_jumps = strstr(arg, "jumps") != NULL;
		run_shared(rounds);
	} else if (!strcmp(mode, "leaving"))
		run_leaving(arg, rounds);
	else if (!strcmp(mode, "ending"))
		run_ending(rounds);
	else if (!strcmp(mode, "empty"))
		for (int i = 0; i < rounds; i++)
			call_kept(nothing, NULL);
	else
		return false;
	printf("begun %lu returned %lu\n", begun, returned);
	return !wrong;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	char c;

	printf("ready\n");
	fflush(stdout);
	if ((strcmp(mode, "empty") ? read(0, &c, 1) : read_on_an_empty_stack(&c)) < 0)
		return 1;
	if (!strcmp(mode, "signals"))
		signals(argv[2], atol(argv[3]));
	else
		return !run(mode, argv[2], atoi(argv[3]));
	return 0;
}
