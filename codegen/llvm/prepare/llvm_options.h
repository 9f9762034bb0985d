/* SPDX-License-Identifier: Apache-2.0 */
/* What LLVM is told to do and to leave, as options of the process. */
#ifndef WARD_LLVM_OPTIONS_H
#define WARD_LLVM_OPTIONS_H

#include <llvm-c/Types.h>
#include <stdbool.h>

/* At the start. */
void set_options(void);
/* Of a module that is optimised: of small ones less is padded. */
void suit_size(LLVMModuleRef m);
/* Whether what a loop computes from its counter may have counters of its own, until this is called again. */
void reduce_strength(bool on);
/* Whether loops of a known number of rounds are unrolled a few times, until this is called again. */
void unroll_in_part(bool on);
/* From now on choices in loops stay such, where the target would have made branches of them. There is no way back. */
void keep_selects(void);
/* From now on each block has its own end, even if it is equal to another's. There is no way back. */
void keep_apart(void);
/* From now on without the tricks of code generation that some proofs can't follow. There is no way back. */
void be_careful(void);

#endif
