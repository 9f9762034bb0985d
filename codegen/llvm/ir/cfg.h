/* SPDX-License-Identifier: Apache-2.0 */
/* The control flow of one function of IR: blocks in reverse postorder, dominators, and natural loops. */
#ifndef WARD_LLVM_CFG_H
#define WARD_LLVM_CFG_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#include "ptr_map.h"

enum { FLOW_NONE = -1 };

struct flow {
	LLVMBasicBlockRef *block; /* those that can be reached, in reverse postorder; 0 is the entry */
	int n;
	int *idom;   /* the immediate dominator; the entry's is itself */
	int *loop;   /* the head of the innermost loop that the block is in, or FLOW_NONE; a head is in its own loop */
	int *parent; /* by head: the head of the loop around it, or FLOW_NONE */
	bool *head;
	int *depth; /* how many loops are around it */
	struct index numbers;
};

/* Returns false if there is no memory. Release with flow_free in either case. */
bool flow_init(struct flow *f, LLVMValueRef fn);
void flow_free(struct flow *f);
/* The number of a block, or FLOW_NONE if it can't be reached. */
int flow_number(const struct flow *f, LLVMBasicBlockRef block);
bool flow_dominates(const struct flow *f, int a, int b);
/* Is there a cycle that can be entered at two places? */
bool flow_is_irreducible(const struct flow *f);
/* Is there an edge from block b to block `to`? */
bool flow_leads_to(const struct flow *f, int b, int to);
/* Is block b in the loop of this head? */
bool flow_in_loop(const struct flow *f, int b, int head);
/* Is there another loop in that of this head? */
bool flow_is_around(const struct flow *f, int head);

#endif
