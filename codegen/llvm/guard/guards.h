/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the guards share. guard.c goes through the plan; its essay says how each kind works.
 * guard_address.c has accesses, guard_index.c accesses by an index, guard_pointer.c accesses near a loaded pointer,
 * guard_chosen.c accesses whose address is one of several, guard_buffer.c buffers of imports. guard_call.c writes the
 * compare.
 */
#ifndef WARD_LLVM_GUARDS_H
#define WARD_LLVM_GUARDS_H

#include "codegen/llvm/ir/cfg.h"
#include "guard.h"
#include "codegen/llvm/ir/import_buffers.h"

enum { MAX_ROOM = 4096 }; /* behind the state, at most */

/* An address that a guard has checked: `size` bytes from root + constant on are granted. */
struct checked {
	LLVMValueRef root, address; /* address: root + constant, or base + off, which is equal to it */
	int64_t constant;
	uint64_t size;
	int at; /* the number of the guarded instruction */
	int block;
	bool has_room;
	bool counted; /* address is base + off */
};

/* An index that a guard has compared: `size` bytes from base + index * scale + constant on are granted. */
struct compared {
	LLVMValueRef from, to; /* the index and the one that takes its place, before they are extended, */
	LLVMValueRef wide;     /* and after; `ahead` more than it */
	LLVMValueRef base;
	uint64_t scale, size;
	int64_t constant, ahead;
	int at, block;
	bool has_room;
};

enum { MAX_COMPARED = 256 };

struct guards {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMBuilderRef b;
	LLVMTargetDataRef layout;
	const struct numbering *x, *origin; /* the instructions, and what they were at their places in the source */
	struct plan *plan;
	const struct guard_options *options;
	struct traps *traps;
	/* of one function */
	LLVMValueRef fn;
	struct flow flow;
	struct checked *checked;
	size_t n_checked, cap_checked;
	struct compared compared[MAX_COMPARED];
	int n_compared;
	bool failed;
};

/* ---- guard_call.c ---- */

/* Before instruction i: v, if the predicate doesn't hold for it and `limit`; else the probe is stopped. */
LLVMValueRef call_guard(
	struct guards *g, int i, LLVMValueRef v, LLVMIntPredicate refused, uint64_t limit, const char *what);
/* The same before another instruction, which is on every way to i. */
LLVMValueRef call_guard_at(struct guards *g, int i, LLVMValueRef before, LLVMValueRef v, LLVMIntPredicate refused,
	uint64_t limit, const char *what);
/* There is a guard for the access i already, unless part of it has one of its own. */
void does_for(struct guards *g, int guard, int i);
/* Instruction i can't be right: stop whoever comes to it. What is behind is never reached then, and goes away. */
void call_stop(struct guards *g, int i, const char *what);

/* ---- guard_address.c ---- */

LLVMValueRef add_constant(struct guards *g, LLVMValueRef address, int64_t n);
bool has_own_guard(const struct guards *g, int i);
/* Can the access at root + constant be covered by a guard that is there? */
struct checked *find_checked(
	struct guards *g, LLVMValueRef root, int64_t constant, uint64_t size, bool counted, int at, int block);
/* Room for one more; NULL: no memory. */
struct checked *new_checked(struct guards *g);
/* A pointer to the event that was kept leads to an argument, or is the event itself where another field is read. */
void suit_event(struct guards *g, struct base *base, LLVMValueRef inst, const struct access *a);
void guard_access(struct guards *g, int i, int block, const struct access *a);
/*
 * Behind the state there is room for all of an element that a checked pointer leads to, where other accesses count on
 * that check.
 */
void make_room(struct guards *g, LLVMBasicBlockRef block);

/* ---- guard_pointer.c ---- */

/* Guard the loaded pointer that the access is counted from, if it is near; in front of loops where that is right. */
bool guard_pointer(struct guards *g, int i, int block, const struct access *a, const struct base *base);

/* Guard the number that a loop's index of the state begins with, if it is near, and where that is right. */
bool guard_sum(struct guards *g, int i, int block, const struct access *a, const struct base *base);

/* ---- guard_chosen.c ---- */

/*
 * An address that is chosen from several bases (compilers make one load of two) is held against one after the other,
 * and there is an access of its own for each.
 */
void choose_base(struct guards *g, int i, const struct access *a);

/* ---- guard_index.c ---- */

/* Guard the index, if that is what the access hangs on. */
bool guard_index(struct guards *g, int i, int block, const struct access *a, const struct base *base);
/* From the guard on, `to` stands for `from`. */
void replace_after(const struct guards *g, LLVMValueRef guard, int block, LLVMValueRef from, LLVMValueRef to);

/* ---- guard_buffer.c ---- */

void guard_buffer(struct guards *g, int i, int block, const struct import_buffer *l);
/* A variable has as much room as it is long. When all is guarded: guards go by its true size. */
void enlarge_variables(struct guards *g, LLVMValueRef call);

#endif
