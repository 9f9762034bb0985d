/* SPDX-License-Identifier: Apache-2.0 */
/* <ctype.h> in the C locale. */
#ifndef WARD_LLVM_CTYPE_H
#define WARD_LLVM_CTYPE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Is it declared as a function of <ctype.h>, and defined nowhere? */
bool is_ctype_function(LLVMValueRef fn);
/* Put their bodies in. Returns false after an error that it has printed. */
bool link_ctype(LLVMModuleRef m);

#endif
