/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursion: a depth-first search of the call graph from every function. A call of a function that is still being
 * searched closes a cycle. Each cycle is reported at that call, with its path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/prepare/prepare.h"
#include "dialect.h"

static const char how[] = "write a loop with a constant bound, or pass how deep it may go, from a constant down: f(x, "
			  "depth - 1), and nothing where depth is 0";

enum colour { WHITE, ON_PATH, DONE };

struct node {
	LLVMValueRef fn, inst; /* where the search of this function stands */
	enum colour colour;
};

struct search {
	struct node *nodes;
	size_t n;
	size_t *path;
	size_t depth;
	struct diags *d;
};

static size_t function_find(const struct search *s, LLVMValueRef fn)
{
	size_t i;

	for (i = 0; i < s->n && s->nodes[i].fn != fn; i++)
		;
	return i;
}

/* The functions of the source on the path's last part, from node `back_to` on. Returns how many. */
static unsigned cycle_of(struct search *s, size_t back_to, char *path, size_t size, LLVMValueRef *first)
{
	unsigned n = 0;
	size_t i = 0;
	char name[256];

	path[0] = '\0';
	while (s->path[i] != back_to)
		i++;
	for (; i < s->depth; i++) {
		LLVMValueRef fn = s->nodes[s->path[i]].fn;
		size_t at = strlen(path);

		if (is_chooser(fn)) /* calls through pointers are calls of the one that they lead to */
			continue;
		if (n++ == 0)
			*first = fn;
		snprintf(path + at, size - at, "'%s' calls ", name_in_source(fn, name, sizeof(name)));
	}
	return n;
}

static void cycle_report(struct search *s, LLVMValueRef call, size_t back_to)
{
	char path[300], name[256];
	LLVMValueRef first = s->nodes[back_to].fn;

	if (cycle_of(s, back_to, path, sizeof(path), &first) == 1)
		diag_add(s->d, place_of_instruction(call), how, "recursion: '%s' calls itself",
			name_in_source(first, name, sizeof(name)));
	else
		diag_add(s->d, place_of_instruction(call), how, "recursion: %s'%s' again", path,
			name_in_source(first, name, sizeof(name)));
}

/* The next call instruction of a node's function, or NULL. */
static LLVMValueRef next_call(struct node *node, LLVMBasicBlockRef *block)
{
	while (*block) {
		node->inst = node->inst ? LLVMGetNextInstruction(node->inst) : LLVMGetFirstInstruction(*block);
		if (!node->inst) {
			*block = LLVMGetNextBasicBlock(*block);
			continue;
		}
		if (LLVMGetInstructionOpcode(node->inst) == LLVMCall)
			return node->inst;
	}
	return NULL;
}

static void function_enter(struct search *s, LLVMBasicBlockRef *blocks, size_t i)
{
	s->nodes[i].colour = ON_PATH;
	blocks[i] = LLVMGetFirstBasicBlock(s->nodes[i].fn);
	s->path[s->depth++] = i;
}

static void search_run(struct search *s, LLVMBasicBlockRef *blocks)
{
	while (s->depth > 0) {
		size_t at = s->path[s->depth - 1], to;
		LLVMValueRef call = next_call(&s->nodes[at], &blocks[at]);

		if (!call) {
			s->nodes[at].colour = DONE;
			s->depth--;
			continue;
		}
		to = function_find(s, LLVMGetCalledValue(call));
		if (to == s->n || s->nodes[to].colour == DONE)
			continue;
		if (s->nodes[to].colour == ON_PATH)
			cycle_report(s, call, to);
		else
			function_enter(s, blocks, to);
	}
}

void check_cycles(LLVMModuleRef m, struct diags *d)
{
	struct search s = {.d = d};
	LLVMBasicBlockRef *blocks;
	LLVMValueRef fn;
	size_t i;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		s.n += !LLVMIsDeclaration(fn);
	s.nodes = calloc(s.n + 1, sizeof(*s.nodes));
	s.path = calloc(s.n + 1, sizeof(*s.path));
	blocks = calloc(s.n + 1, sizeof(*blocks));
	if (s.nodes && s.path && blocks) {
		for (i = 0, fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
			if (!LLVMIsDeclaration(fn))
				s.nodes[i++].fn = fn;
		for (i = 0; i < s.n; i++)
			if (s.nodes[i].colour == WHITE) {
				function_enter(&s, blocks, i);
				search_run(&s, blocks);
			}
	} else {
		d->no_memory = 1;
	}
	free(s.nodes);
	free(s.path);
	free(blocks);
}
