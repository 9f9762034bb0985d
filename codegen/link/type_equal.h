/* SPDX-License-Identifier: Apache-2.0 */
/* Are two types of debug information one type, though each file has its own description of it? */
#ifndef WARD_CODEGEN_TYPE_EQUAL_H
#define WARD_CODEGEN_TYPE_EQUAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>

enum { CG_MEMBER_PATH = 200 };

/*
 * False if they differ in what they hold, where it is, or what it is merged as. Then `member` says what: "a.b", or ""
 * if it is the types themselves; and `why` in what. Neither is named by more than its tag; what can't be told (a cycle,
 * or more members than anyone writes) is taken to be alike: nobody's safety hangs on this.
 */
bool cg_same_type(Dwarf_Die *a, Dwarf_Die *b, size_t *effort, char member[CG_MEMBER_PATH], const char **why);

#endif
