/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dominators by Cooper, Harvey and Kennedy's iteration over reverse postorder. A back edge leads to a block that
 * dominates its source. A loop is all that reaches its back edges without passing its head. Cycles with two entrances
 * have no head and are no loops here.
 */
#include "cfg.h"

#include <stdlib.h>
#include <string.h>

int flow_number(const struct flow *f, LLVMBasicBlockRef block)
{
	return index_get(&f->numbers, block, FLOW_NONE);
}

static unsigned n_successors(LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

	return last ? LLVMGetNumSuccessors(last) : 0;
}

static LLVMBasicBlockRef successor_of(LLVMBasicBlockRef block, unsigned i)
{
	return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), i);
}

/* Depth first, with a stack of our own; f->block is filled from its end. */
static bool order_blocks(struct flow *f, LLVMBasicBlockRef entry, int total)
{
	struct visit {
		LLVMBasicBlockRef block;
		unsigned next;
	} *stack = calloc((size_t)total, sizeof(*stack));
	int depth = 0, at = total;
	bool ok;

	if (!stack)
		return false;
	stack[depth++] = (struct visit){entry, 0};
	ok = index_set(&f->numbers, entry, 0);
	while (ok && depth > 0) {
		struct visit *v = &stack[depth - 1];

		if (v->next < n_successors(v->block)) {
			LLVMBasicBlockRef to = successor_of(v->block, v->next++);

			if (flow_number(f, to) != FLOW_NONE)
				continue;
			ok = index_set(&f->numbers, to, 0);
			stack[depth++] = (struct visit){to, 0};
		} else {
			f->block[--at] = v->block;
			depth--;
		}
	}
	free(stack);
	f->n = total - at;
	memmove(f->block, f->block + at, (size_t)f->n * sizeof(*f->block));
	for (int i = 0; i < f->n; i++)
		ok = ok && index_set(&f->numbers, f->block[i], i);
	return ok;
}

static int common_dominator(const struct flow *f, int a, int b)
{
	while (a != b) {
		while (a > b)
			a = f->idom[a];
		while (b > a)
			b = f->idom[b];
	}
	return a;
}

static void find_dominators(struct flow *f)
{
	bool changed = true;

	for (int i = 0; i < f->n; i++)
		f->idom[i] = i ? FLOW_NONE : 0;
	while (changed) {
		changed = false;
		for (int b = 0; b < f->n; b++) {
			unsigned n = n_successors(f->block[b]);

			for (unsigned k = 0; f->idom[b] != FLOW_NONE && k < n; k++) {
				int to = flow_number(f, successor_of(f->block[b], k));
				int dom = f->idom[to] == FLOW_NONE ? b : common_dominator(f, f->idom[to], b);

				if (to == 0 || dom == f->idom[to])
					continue;
				f->idom[to] = dom;
				changed = true;
			}
		}
	}
}

bool flow_dominates(const struct flow *f, int a, int b)
{
	while (b > a)
		b = f->idom[b];
	return a == b;
}

bool flow_leads_to(const struct flow *f, int b, int to)
{
	for (unsigned k = 0; k < n_successors(f->block[b]); k++)
		if (successor_of(f->block[b], k) == f->block[to])
			return true;
	return false;
}

bool flow_in_loop(const struct flow *f, int b, int head)
{
	int l = f->loop[b];

	while (l != FLOW_NONE && l != head)
		l = f->parent[l];
	return l == head;
}

bool flow_is_irreducible(const struct flow *f)
{
	for (int b = 0; b < f->n; b++) {
		unsigned n = n_successors(f->block[b]);

		for (unsigned k = 0; k < n; k++) {
			int to = flow_number(f, successor_of(f->block[b], k));

			if (to <= b && !flow_dominates(f, to, b))
				return true;
		}
	}
	return false;
}

/* Predecessors, as one list per block in an array. */
struct preds {
	int *first, *from, n;
};

static bool find_preds(const struct flow *f, struct preds *p)
{
	int edges = 0;

	for (int b = 0; b < f->n; b++)
		edges += (int)n_successors(f->block[b]);
	*p = (struct preds){calloc((size_t)f->n + 2, sizeof(int)), calloc((size_t)edges + 1, sizeof(int)), edges};
	if (!p->first || !p->from)
		return false;
	for (int pass = 0; pass < 2; pass++) {
		for (int b = 0; b < f->n; b++) {
			for (unsigned k = 0; k < n_successors(f->block[b]); k++) {
				int to = flow_number(f, successor_of(f->block[b], k));

				if (pass)
					p->from[p->first[to + 1]++] = b;
				else if (to + 2 <= f->n)
					p->first[to + 2]++;
			}
		}
		for (int b = 1; !pass && b <= f->n; b++)
			p->first[b] += p->first[b - 1];
	}
	return true;
}

/* The outermost loop known so far that block b is in, or b itself. */
static int outermost_loop(const struct flow *f, int b)
{
	int l = f->loop[b];

	while (l != FLOW_NONE && f->parent[l] != FLOW_NONE)
		l = f->parent[l];
	return l;
}

/* Walk back from the ways back to the head. Loops are found from the inside out: heads come in falling order. */
static void loop_gather(struct flow *f, const struct preds *p, int head, int *stack)
{
	int depth = 0;

	for (int i = p->first[head]; i < p->first[head + 1]; i++)
		if (flow_dominates(f, head, p->from[i]))
			stack[depth++] = p->from[i];
	if (!depth)
		return;
	f->head[head] = true;
	while (depth > 0) {
		int b = stack[--depth], l = outermost_loop(f, b), from = b;

		if (l == head || b == head)
			continue;
		if (l == FLOW_NONE) {
			f->loop[b] = head;
		} else {
			f->parent[l] = head;
			from = l; /* go on from the head of the inner loop */
		}
		for (int i = p->first[from]; i < p->first[from + 1]; i++)
			if (outermost_loop(f, p->from[i]) != head && p->from[i] != head)
				stack[depth++] = p->from[i];
	}
	f->loop[head] = head;
}

static bool find_loops(struct flow *f)
{
	struct preds p;
	int *stack = NULL;
	bool ok = find_preds(f, &p);

	if (ok)
		stack = calloc((size_t)p.n * 2 + 1, sizeof(int));
	ok = ok && stack;
	for (int b = 0; b < f->n; b++)
		f->loop[b] = f->parent[b] = FLOW_NONE;
	for (int b = f->n - 1; ok && b >= 0; b--)
		loop_gather(f, &p, b, stack);
	for (int b = 0; ok && b < f->n; b++)
		for (int l = f->loop[b]; l != FLOW_NONE; l = f->parent[l])
			f->depth[b]++;
	free(stack);
	free(p.first);
	free(p.from);
	return ok;
}

bool flow_init(struct flow *f, LLVMValueRef fn)
{
	size_t total = LLVMCountBasicBlocks(fn);

	*f = (struct flow){0};
	f->block = calloc(total, sizeof(*f->block));
	f->idom = calloc(total, sizeof(int));
	f->loop = calloc(total, sizeof(int));
	f->parent = calloc(total, sizeof(int));
	f->head = calloc(total, sizeof(bool));
	f->depth = calloc(total, sizeof(int));
	if (!f->block || !f->idom || !f->loop || !f->parent || !f->head || !f->depth)
		return false;
	if (!order_blocks(f, LLVMGetEntryBasicBlock(fn), (int)total))
		return false;
	find_dominators(f);
	return find_loops(f);
}

void flow_free(struct flow *f)
{
	index_free(&f->numbers);
	free(f->block);
	free(f->idom);
	free(f->loop);
	free(f->parent);
	free(f->head);
	free(f->depth);
	*f = (struct flow){0};
}

bool flow_is_around(const struct flow *f, int head)
{
	for (int l = head + 1; l < f->n; l++)
		if (f->head[l] && flow_in_loop(f, l, head))
			return true;
	return false;
}
