/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers that are made numbers, and numbers that are made pointers. */
#ifndef WARD_LLVM_PTR_INT_H
#define WARD_LLVM_PTR_INT_H

#include <llvm-c/Core.h>
#include <stdbool.h>

enum { MAX_INSIDE = 8 };

/* The pointers of which a number is made, or of whose numbers a pointer is made. Returns how many. */
int pointers_inside(LLVMValueRef v, LLVMValueRef found[MAX_INSIDE]);
/* Is it a pointer made of a number, part of which is loaded, from elsewhere than the event? */
bool is_of_loaded_number(LLVMValueRef v);

#endif
