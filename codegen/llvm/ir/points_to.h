/* SPDX-License-Identifier: Apache-2.0 */
/* Which variables a pointer that is loaded from memory may lead into. */
#ifndef WARD_LLVM_POINTS_TO_H
#define WARD_LLVM_POINTS_TO_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Note what the module stores addresses of. What was noted before stays so. */
void note_escapes(LLVMModuleRef m);
/* That, and then the strings among it become one variable, and so do each function's local variables. */
void gather_escapes(LLVMModuleRef m);

/* Of the variables whose addresses are stored, those that a function can reach: at most `most`. Returns how many. */
unsigned escaped_variables(LLVMValueRef fn, LLVMValueRef *found, unsigned most);
/* May an address in the state be stored, or one of which nothing is known? */
bool state_escapes(LLVMModuleRef m);
/* May one in the event be? */
bool event_escapes(LLVMModuleRef m);
/* Is it made of a number that was loaded, in a module that stores addresses as numbers? */
bool is_of_stored_number(LLVMModuleRef m, LLVMValueRef v);

#endif
