/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of constants.c share: the constants that become one, and what is known of them. */
#ifndef WARD_LLVM_CONSTANTS_H
#define WARD_LLVM_CONSTANTS_H

#include "codegen/llvm/ir/address.h"
#include "codegen/llvm/ir/diag.h"

enum { ENTRY = 8 };
enum slot { NO_SLOT, NO_ADDRESS /* a null pointer */, FIRST_ADDRESS /* and one more for each */ };

/* An address that a constant holds. */
struct address {
	LLVMValueRef global;
	int64_t constant; /* from its start */
};

/* Where something may be: at least..most, apart by multiples of g; g = 0: at the one place. */
struct residue {
	bool any; /* else nowhere */
	int64_t least, most;
	uint64_t g;
};

struct member {
	LLVMValueRef global;
	unsigned found;    /* as the how manieth */
	uint64_t at, size; /* in the whole; its bytes */
	uint32_t *slots;   /* by byte: enum slot of what begins there; NULL: no pointers */
	unsigned first, n; /* of its addresses */
};

struct constants {
	LLVMModuleRef m;
	LLVMContextRef ctx;
	LLVMTargetDataRef layout;
	LLVMTypeRef i8, i32, i64;
	LLVMBuilderRef b;
	struct diags *d;
	struct member *members;
	unsigned n, cap;
	struct address *addresses;
	unsigned n_addresses, cap_addresses;
	LLVMValueRef *sources;  /* loads, and others, that give an address that a constant holds */
	struct residue *reach;  /* by source and member: where in it that address may lead */
	struct residue *before; /* room for as many as there are of either */
	unsigned n_sources;
	LLVMValueRef pool;
	bool no_memory;
};

/* What may stand where something is read. */
struct seen {
	bool own;          /* only constants are read */
	bool whole, part;  /* an entry; a part of one, or one and more */
	bool null;         /* an entry that is no address */
	bool other;        /* what holds none */
	struct member *of; /* one that has entries */
	struct residue *reach;
	bool relative;
};

/* constants.c: members, and types that hold addresses. */
struct member *member_of(const struct constants *k, LLVMValueRef global);
bool has_pointer(LLVMTypeRef type);
unsigned n_elements(LLVMTypeRef type);
bool is_aggregate_type(LLVMTypeRef type);

/* const_trace.c: from which members an address is counted, and what may stand where it leads. */
struct residue *reach_of(const struct constants *k, LLVMValueRef v);
bool is_relative(LLVMValueRef v);
struct seen look_plainly(const struct constants *k, LLVMValueRef address, uint64_t bytes);
bool each_instruction(struct constants *k, bool (*fn)(struct constants *, LLVMValueRef));
void find_sources(struct constants *k);

/* const_pool.c: the one constant. */
int64_t distance(const struct constants *k, LLVMValueRef v);
void place_members(struct constants *k, LLVMTypeRef *types);
void pool_fill(struct constants *k, LLVMTypeRef *types, LLVMValueRef *values);

/* const_debug.c: note on the whole what is where in it, while the members are still there. */
void note_members(struct constants *k);

#endif
