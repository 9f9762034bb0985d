// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that call each other in a known order, from a system call and from an interrupt; the innermost one
 * remembers the stack that the kernel itself sees. And calls in so many different orders that no table has room for all
 * of their stacks.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/sysfs.h>

#define APART __attribute__((__noipa__))

static unsigned long seen[64];
static unsigned int n_seen;

int ward_chain_inner(int a);
APART int ward_chain_inner(int a)
{
	n_seen = stack_trace_save(seen, ARRAY_SIZE(seen), 0);
	return a + 1;
}

int ward_chain_middle(int a);
APART int ward_chain_middle(int a)
{
	int is = ward_chain_inner(a + 2);

	OPTIMIZER_HIDE_VAR(is); /* it is a call, no jump */
	return is + 1;
}

int ward_chain_outer(int a);
APART int ward_chain_outer(int a)
{
	int is = ward_chain_middle(a * 2);

	OPTIMIZER_HIDE_VAR(is);
	return is + 1;
}

static int chain(const char *text, const struct kernel_param *unused)
{
	unsigned int n, i;
	int err = kstrtouint(text, 0, &n);

	for (i = 0; !err && i < n; i++)
		err = ward_chain_outer(i) == (int)i * 2 + 5 ? 0 : -EILSEQ;
	return err;
}

static void interrupted(struct irq_work *unused)
{
	ward_chain_outer(7);
}

static int chain_interrupt(const char *text, const struct kernel_param *unused)
{
	static DEFINE_IRQ_WORK(work, interrupted);

	irq_work_queue(&work);
	irq_work_sync(&work);
	return 0;
}

/* The names of the functions of the last call's stack, the innermost one first. */
static int chain_stack(char *text, const struct kernel_param *unused)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < n_seen; i++)
		n += sysfs_emit_at(text, n, "%ps\n", (void *)seen[i]);
	return n;
}

/* ---- Many orders ---- */

int ward_chain_end(int a);
APART int ward_chain_end(int a)
{
	return a;
}

int ward_chain_one(unsigned int order, unsigned int depth);
int ward_chain_zero(unsigned int order, unsigned int depth);

enum { DEPTH = 130 };

static int go_on(unsigned int order, unsigned int depth)
{
	int is = depth ? (depth <= 20 && order >> (depth - 1) & 1 ? ward_chain_one : ward_chain_zero)(order, depth - 1)
		       : ward_chain_end(0);
	OPTIMIZER_HIDE_VAR(is);
	return is + 1;
}

APART int ward_chain_one(unsigned int order, unsigned int depth)
{
	return go_on(order, depth);
}

APART int ward_chain_zero(unsigned int order, unsigned int depth)
{
	return go_on(order, depth);
}

/* A call of ward_chain_end for each order: the stacks are all of the same functions, about 140 of them. */
static int chain_orders(const char *text, const struct kernel_param *unused)
{
	unsigned int n, i;
	int err = kstrtouint(text, 0, &n);

	for (i = 0; !err && i < n; i++)
		err = ward_chain_one(i, DEPTH) == DEPTH + 1 ? 0 : -EILSEQ;
	return err;
}

#define PARAMETER(name) \
	static const struct kernel_param_ops name##_ops = {.set = name}; \
	module_param_cb(name, &name##_ops, NULL, 0200)

PARAMETER(chain);
PARAMETER(chain_interrupt);
PARAMETER(chain_orders);

static const struct kernel_param_ops chain_stack_ops = {.get = chain_stack};

module_param_cb(chain_stack, &chain_stack_ops, NULL, 0400);
