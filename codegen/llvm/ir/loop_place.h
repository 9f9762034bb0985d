/* SPDX-License-Identifier: Apache-2.0 */
/* Where the source has a loop. */
#ifndef WARD_LLVM_LOOP_PLACE_H
#define WARD_LLVM_LOOP_PLACE_H

#include "cfg.h"
#include "diag.h"

/*
 * The debug location of the loop's statement; else where a back edge comes from, which is its condition mostly. NULL:
 * nothing says.
 */
LLVMMetadataRef location_of_loop(const struct flow *f, int head);
/* The same as a place; if nothing says, that of the head's last instruction. */
struct place place_of_loop(const struct flow *f, int head);

#endif
