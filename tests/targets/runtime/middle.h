/* SPDX-License-Identifier: Apache-2.0 */
/* What a traced function does in the middle, and contexts for calls within one thread. */
#ifndef WARD_TESTS_TARGETS_MIDDLE_H
#define WARD_TESTS_TARGETS_MIDDLE_H

#include "tally.h"

enum { LEVEL_SHIFT = 48, LIMIT_SHIFT = 32, KEPT = 100 };

PLAIN void middle(u64 x)
{
	u64 level = x >> LEVEL_SHIFT;

	switch (x & ACTION) {
	case YIELD: self()->yield(); break;
	case LEAVE:
		self()->leave = 1;
		count(&T->f[x & NUMBER].jumped, 1);
		/* fall through */
	case RAISE: raise(x >> SHIFT & 1 ? SIGUSR1 : SIGUSR2); break;
	case THROW:
#ifdef WITH_THROWS
		count(&T->f[x & NUMBER].thrown, 1);
		throw_one();
#endif
		break;
	case JUMP: count(&T->f[x & NUMBER].jumped, 1); siglongjmp(*self()->jump, 1);
	case DEEP:
		if (level >= KEPT)
			count(&T->deep, 2);
		if (level < (x >> LIMIT_SHIFT & 0xffff))
			call_any(x + (1ul << LEVEL_SHIFT));
		break;
	}
}

/* It leaves calls by longjmp, from a function or from a signal handler. */
PLAIN void in_jumps(u64 n, block_fn *block)
{
	sigjmp_buf env, *before = self()->jump;

	for (volatile u64 i = 0; i < n; i++) {
		self()->jump = &env;
		if (sigsetjmp(env, 1) == 0)
			block(i);
		self()->leave = 0;
	}
	self()->jump = before;
}

PLAIN void in_catches(u64 n, block_fn *block)
{
#ifdef WITH_THROWS
	for (u64 i = 0; i < n; i++)
		sum((u64)try_block(block, i) + i);
#else
	(void)n;
	(void)block;
#endif
}

static void on_stray(int number);

static void on_signal(int number)
{
	int error = errno;

	in_handler((u64)number);
	if (self()->leave && self()->jump) {
		self()->leave = 0;
		if (number == SIGUSR2)
			count(&T->copied, 1);
		siglongjmp(*self()->jump, 1);
	}
	errno = error;
}

/* SIGUSR1 is handled where it comes, SIGUSR2 on a stack of its own where there is one. */
PLAIN void use_signals(void)
{
	struct sigaction here = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigaction elsewhere = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};

	struct sigaction stray = {.sa_handler = on_stray, .sa_flags = SA_RESTART};

	sigaction(SIGUSR1, &here, NULL);
	sigaction(SIGURG, &stray, NULL);
	sigaction(SIGUSR2, &elsewhere, NULL);
}

enum { ALTERNATE = 1 << 18 };

PLAIN void *use_stack(void)
{
	stack_t stack = {.ss_size = ALTERNATE, .ss_sp = malloc(ALTERNATE)};

	if (!stack.ss_sp || sigaltstack(&stack, NULL))
		wrong("no alternate stack");
	return stack.ss_sp;
}

PLAIN void drop_stack(void *memory)
{
	stack_t stack = {.ss_flags = SS_DISABLE};

	sigaltstack(&stack, NULL);
	free(memory);
}

struct start {
	block_fn *block;
	u64 n;
};

static void *thread_start(void *p)
{
	struct start *start = p;
	void *stack = use_stack();

	start->block(start->n);
	drop_stack(stack);
	return NULL;
}

PLAIN void in_threads(u64 n, block_fn *block)
{
	struct start starts[8];
	pthread_t threads[8];

	for (u64 i = 0; i < n; i++) {
		starts[i] = (struct start){block, i};
		if (pthread_create(&threads[i], NULL, thread_start, &starts[i]))
			wrong("no thread");
	}
	for (u64 i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

/* Signals at any moment: another thread sends them while blocks run, until some have come. */
struct sender {
	pthread_t to;
	volatile int stop;
};

static _Thread_local volatile u64 strays;
static _Thread_local volatile sig_atomic_t jump_armed;
static _Thread_local sigjmp_buf jump_to;

static void *send_signals(void *p)
{
	struct sender *sender = p;

	while (!sender->stop) {
		usleep(30);
		pthread_kill(sender->to, SIGURG);
	}
	return NULL;
}

static void on_stray(int number)
{
	strays++;
	in_handler((u64)number);
	if (jump_armed) {
		jump_armed = 0;
		count(&T->jumps, 1);
		siglongjmp(jump_to, 1);
	}
}

PLAIN void stray(u64 wanted, block_fn *block, int leaves)
{
	struct sender sender = {.to = pthread_self()};
	pthread_t thread;

	strays = 0;
	if (pthread_create(&thread, NULL, send_signals, &sender)) {
		wrong("no thread");
		return;
	}
	while (strays < wanted) {
		if (leaves && sigsetjmp(jump_to, 1) == 0)
			jump_armed = 1;
		if (!leaves || jump_armed)
			block(0);
		jump_armed = 0;
	}
	sender.stop = 1;
	pthread_join(thread, NULL);
}

PLAIN void in_stray(u64 n, block_fn *block)
{
	stray(10 * n, block, 0);
}

PLAIN void in_stray_jumps(u64 n, block_fn *block)
{
	stray(10 * n, block, 1);
}

#endif
