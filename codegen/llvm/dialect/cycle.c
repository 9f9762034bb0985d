/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recursion: a depth-first search of the call graph from every function. A call of a function that is still being
 * searched closes a cycle. Each cycle is reported at that call, with its path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect.h"

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

static void cycle_report(struct search *s, LLVMValueRef call, size_t back_to)
{
	char way[300] = "", name[256];
	size_t i;

	for (i = 0; i < s->depth; i++)
		if (s->path[i] == back_to)
			break;
	if (i + 1 == s->depth) {
		diag_add(s->d, place_of_instruction(call),
			"a probe has no recursion: write a loop with a constant bound", "recursion: '%s' calls itself",
			name_in_source(s->nodes[back_to].fn, name, sizeof(name)));
		return;
	}
	for (; i < s->depth; i++) {
		size_t at = strlen(way);

		snprintf(way + at, sizeof(way) - at, "'%s' calls ",
			name_in_source(s->nodes[s->path[i]].fn, name, sizeof(name)));
	}
	diag_add(s->d, place_of_instruction(call), "a probe has no recursion: write a loop with a constant bound",
		"recursion: %s'%s' again", way, name_in_source(s->nodes[back_to].fn, name, sizeof(name)));
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
