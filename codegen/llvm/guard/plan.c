/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

bool number_instructions(struct numbering *x, LLVMModuleRef m)
{
	LLVMValueRef fn, inst;
	LLVMBasicBlockRef block;
	int pass, n = 0;

	*x = (struct numbering){0};
	for (pass = 0; pass < 2; pass++) {
		for (n = 0, fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
			for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
				for (inst = LLVMGetFirstInstruction(block); inst;
					inst = LLVMGetNextInstruction(inst), n++) {
					if (!pass)
						continue;
					x->inst[n] = inst;
					if (!index_set(&x->number, inst, n))
						return false;
				}
		if (!pass && !(x->inst = calloc((size_t)n + 1, sizeof(*x->inst))))
			return false;
	}
	x->n = n;
	return true;
}

void numbering_free(struct numbering *x)
{
	index_free(&x->number);
	free(x->inst);
	*x = (struct numbering){0};
}

bool plan_want(struct plan *p, int i, enum want want, int round, const char *why)
{
	struct planned *of = &p->of[i];
	int bit = __builtin_ctz(want);

	if (of->want & want)
		return of->round[bit] == round;
	of->want |= (uint16_t)want;
	of->round[bit] = round;
	free(of->why[bit]); /* wanted before, and left out again */
	of->why[bit] = strdup(why);
	return true;
}

void plan_free(struct plan *p)
{
	for (int i = 0; i < p->n; i++)
		for (int k = 0; k < WANTS; k++)
			free(p->of[i].why[k]);
	free(p->of);
	*p = (struct plan){0};
}
