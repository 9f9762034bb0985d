/* SPDX-License-Identifier: Apache-2.0 */
/* Stops that the source has itself. */
#ifndef WARD_LLVM_STOPS_H
#define WARD_LLVM_STOPS_H

#include "trap.h"

/* Each becomes a call of trap_function, with a number of the list. False: no memory. */
bool name_stops(LLVMModuleRef m, struct traps *t);
/* A list that begins with another's traps. False: no memory; to be freed either way. */
bool copy_traps(struct traps *to, const struct traps *from);

#endif
