/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers: by ucontext, by this file's own switch, moving between threads, and on one stack that is copied. */
#ifndef WARD_TESTS_TARGETS_FIBERS_H
#define WARD_TESTS_TARGETS_FIBERS_H

#include "middle.h"
#include <ucontext.h>

enum { MAX_FIBERS = 8, FIBER_STACK = 1 << 18 };

struct group;

struct fiber {
	struct self self; /* first: what runs is found from it */
	struct group *group;
	ucontext_t context, *back;
	void *sp, *back_sp;
	block_fn *block;
	u64 n;
	int done;
	char *stack, *copy;
};

struct group {
	struct fiber fibers[MAX_FIBERS];
	u64 n;
	char *one; /* the stack that is copied */
	/* of those that move: who waits to go on */
	pthread_mutex_t lock;
	struct fiber *queue[MAX_FIBERS];
	u64 waiting, first, left;
};

static inline struct fiber *this_fiber(void)
{
	return (struct fiber *)(void *)self();
}

void switch_stacks(void **from, void *to);
__asm__(".pushsection .text\n"
	".globl switch_stacks\n"
	".type switch_stacks, @function\n"
	"switch_stacks:\n"
	"	push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"	ret\n"
	".size switch_stacks, . - switch_stacks\n"
	".popsection\n");

static void yield_context(void)
{
	struct fiber *f = this_fiber();

	swapcontext(&f->context, f->back);
}

static void yield_by_hand(void)
{
	struct fiber *f = this_fiber();

	switch_stacks(&f->sp, f->back_sp);
}

static void context_main(void)
{
	struct fiber *f = this_fiber();

	f->block(f->n);
	f->done = 1;
	setcontext(f->back);
}

static __attribute__((noreturn)) void hand_main(void)
{
	struct fiber *f = this_fiber();

	f->block(f->n);
	f->done = 1;
	f = this_fiber(); /* perhaps another thread's by now, but the same */
	switch_stacks(&f->sp, f->back_sp);
	abort();
}

/* A stack on which switch_stacks finds its six registers, and goes on in hand_main. */
static void *fresh_stack(char *top)
{
	void **sp = (void **)(void *)top;

	*--sp = NULL;
	*--sp = (void *)hand_main;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	return sp;
}

static void resume_context(struct fiber *f)
{
	ucontext_t back;
	struct self *before = self();

	f->back = &back;
	set_self(&f->self);
	swapcontext(&back, &f->context);
	set_self(before);
}

static __attribute__((noipa)) void resume_by_hand(struct fiber *f)
{
	struct self *before = self();

	set_self(&f->self);
	switch_stacks(&f->back_sp, f->sp);
	set_self(before);
}

/* Its part of the one stack is put there, and taken away again. */
static void resume_copied(struct fiber *f)
{
	char *top = f->group->one + FIBER_STACK;

	memcpy(f->sp, f->copy + ((char *)f->sp - f->group->one), (size_t)(top - (char *)f->sp));
	resume_by_hand(f);
	memcpy(f->copy + ((char *)f->sp - f->group->one), f->sp, (size_t)(top - (char *)f->sp));
}

static char *map_stack(void)
{
	void *p = mmap(NULL, FIBER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

static struct group *new_group(u64 n, block_fn *block, void (*yield)(void))
{
	struct group *g = calloc(1, sizeof(*g));

	if (!g)
		abort();
	g->n = g->left = n;
	for (u64 i = 0; i < n; i++) {
		struct fiber *f = &g->fibers[i];

		f->self.yield = yield;
		f->group = g;
		f->block = block;
		f->n = i;
		f->stack = map_stack();
		if (yield != yield_context) {
			f->sp = fresh_stack(f->stack + FIBER_STACK);
			continue;
		}
		getcontext(&f->context);
		f->context.uc_stack.ss_sp = f->stack;
		f->context.uc_stack.ss_size = FIBER_STACK;
		makecontext(&f->context, context_main, 0);
	}
	return g;
}

static void free_group(struct group *g)
{
	for (u64 i = 0; i < g->n; i++)
		munmap(g->fibers[i].stack, FIBER_STACK);
	free(g);
}

/* One after another, until all have ended. */
static void take_turns(struct group *g, void (*resume)(struct fiber *))
{
	for (u64 left = g->n; left;)
		for (u64 i = 0; i < g->n; i++) {
			struct fiber *f = &g->fibers[i];

			if (f->done)
				continue;
			resume(f);
			left -= (u64)f->done;
		}
}

PLAIN void in_contexts(u64 n, block_fn *block)
{
	struct group *g = new_group(n, block, yield_context);

	take_turns(g, resume_context);
	free_group(g);
}

PLAIN void in_fibers(u64 n, block_fn *block)
{
	struct group *g = new_group(n, block, yield_by_hand);

	take_turns(g, resume_by_hand);
	free_group(g);
}

PLAIN void in_copies(u64 n, block_fn *block)
{
	struct group *g = new_group(n, block, yield_by_hand);

	g->one = map_stack();
	count(&T->copied, n);
	for (u64 i = 0; i < n; i++) {
		struct fiber *f = &g->fibers[i];
		char *sp = f->sp;

		f->copy = f->stack;
		f->sp = g->one + (sp - f->stack);
	}
	take_turns(g, resume_copied);
	munmap(g->one, FIBER_STACK);
	free_group(g);
}

static void *mover(void *p)
{
	struct group *g = p;
	void *stack = use_stack();
	struct fiber *f;

	for (;;) {
		pthread_mutex_lock(&g->lock);
		f = NULL;
		if (g->waiting) {
			f = g->queue[g->first++ % MAX_FIBERS];
			g->waiting--;
		}
		if (!g->left) {
			pthread_mutex_unlock(&g->lock);
			break;
		}
		pthread_mutex_unlock(&g->lock);
		if (!f) {
			sched_yield();
			continue;
		}
		resume_by_hand(f);
		pthread_mutex_lock(&g->lock);
		if (f->done)
			g->left--;
		else
			g->queue[(g->first + g->waiting++) % MAX_FIBERS] = f;
		pthread_mutex_unlock(&g->lock);
		sched_yield();
	}
	drop_stack(stack);
	return NULL;
}

PLAIN void in_movers(u64 n, block_fn *block)
{
	struct group *g = new_group(n, block, yield_by_hand);
	pthread_t threads[2];

	pthread_mutex_init(&g->lock, NULL);
	for (u64 i = 0; i < n; i++)
		g->queue[g->waiting++] = &g->fibers[i];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, mover, g))
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	free_group(g);
}

#endif
