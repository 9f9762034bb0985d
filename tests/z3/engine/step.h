/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of symbolic execution: one instruction at a time, and the values of one function call. */
#ifndef WARD_Z3_STEP_H
#define WARD_Z3_STEP_H

#include <llvm-c/Types.h>

#include "exec.h"

struct frame {
	struct binding {
		LLVMValueRef key;
		struct value value;
	} *binding;
	unsigned n, room;
	term guard; /* on which the function was called */
};

void step_frame(struct frame *f, term guard);
void step_frame_end(struct frame *f);
void step_define(struct frame *f, LLVMValueRef v, const struct value *value);
struct value step_operand(struct frame *f, LLVMValueRef v);
/* `a` if `when` holds, else `b`. */
struct value step_choose(term when, const struct value *a, const struct value *b);

void step_instruction(struct frame *f, LLVMValueRef insn, struct memory *memory, term guard);
void step_intrinsic(struct frame *f, LLVMValueRef call, const char *name, struct memory *memory, term guard);
/* A new object of an LLVM type; of a struct's last member, if it is an array, only so many elements (0: all). */
struct value step_object(struct memory *memory, LLVMTypeRef type, unsigned last, LLVMModuleRef module);
/* What must not happen in `where`, a function or an instruction. */
void step_hazard(const struct frame *f, term when, LLVMValueRef where, const char *what);

#endif
