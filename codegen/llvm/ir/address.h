/* SPDX-License-Identifier: Apache-2.0 */
/* Takes addresses of IR apart: what they are counted from, and how far from it they are. */
#ifndef WARD_LLVM_ADDRESS_H
#define WARD_LLVM_ADDRESS_H

#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

/* An access of memory by an instruction. */
struct access {
	unsigned operand; /* of the instruction: its address */
	uint64_t size;    /* bytes */
};

/* The accesses of an instruction: none, one, or the two of a copy. Returns how many. */
unsigned accesses_of(LLVMTargetDataRef layout, LLVMValueRef inst, struct access found[2]);
/* Does the instruction write there? An atomic update reads there, too. */
bool access_writes(LLVMValueRef inst, const struct access *a);
/* Is it an atomic instruction that reads and writes one place? */
bool is_atomic_update(LLVMValueRef inst);

enum base_kind {
	BASE_NONE, /* made of a number: nothing says where it points to */
	BASE_STATE,
	BASE_EVENT,
	BASE_OBJECT, /* a variable */
	BASE_LOADED, /* a pointer that was kept in memory (points_to.c) */
};

struct base {
	enum base_kind kind;
	/* NULL for BASE_NONE; BASE_LOADED: the state or the event, or a variable whose address is kept */
	LLVMValueRef value;
	/*
	 * bytes of a variable; of the event: where the last field ends that is meant; 0 for the state, whose size is
	 * the module's
	 */
	uint64_t size;
};

/* What an address inside of an entry is counted from. */
struct base base_of(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef address);

/*
 * Where a place to write to is handed from call to call, each of which may move it on, what is written through it last
 * comes of all of them: hundreds. Where addresses in constants lead is asked of few.
 */
enum { MAX_BASES = 8, MAX_LEAVES = 64, MAX_ORIGINS = 2048 };
/*
 * The different bases that an address may be counted from: as base_of, for an address that is chosen from several.
 * Returns how many; 0 if there is one of which nothing is known.
 */
unsigned bases_of(LLVMTargetDataRef layout, LLVMValueRef fn, LLVMValueRef address, struct base found[MAX_BASES]);

/*
 * What an address is counted or chosen from, each once: itself, what that is made of, and so on. Returns how many; *all
 * says if the list has room for them.
 */
int origins_of(LLVMValueRef address, LLVMValueRef list[MAX_LEAVES], bool *all);
/* The same, and the pointers in numbers of which it is made (ptr_int.h). */
int all_origins_of(LLVMValueRef address, LLVMValueRef list[MAX_ORIGINS], bool *all);
/* Is there nothing that it is counted or chosen from? */
bool is_leaf(LLVMValueRef address);

/* The name of functions that load what may be in several variables (guard_chosen.c). */
extern const char choice_name[];
/* Was it loaded from memory, by an instruction or by such a function? */
bool is_loaded(LLVMValueRef v);

/* Does it lead into the event, or to where that was kept? */
bool is_event(const struct base *base);
/* In the event, `size` bytes are meant from where an element was, or UINT64_MAX: all that there are. */
void widen_event(struct base *base, uint64_t size);
/* Does the event have so many bytes? */
bool event_has(uint64_t bytes);

/* Does nobody write to what is counted from there? */
bool is_read_only(const struct base *base);

/* Without the constant offsets added last, which are summed up in *constant. */
LLVMValueRef root_of(LLVMTargetDataRef layout, LLVMValueRef address, int64_t *constant);

/* What is added to an address: constant, at most `spread` more in steps of `apart`, and any multiple of stride. */
struct terms {
	int64_t constant, spread;
	uint64_t apart, stride;
};
/* The greatest number that both are multiples of; of 0 all are. */
uint64_t gcd(uint64_t a, uint64_t b);
/*
 * The offset that an operand of an address computation adds: a field's, which is constant, or the index times `scale`.
 * *type becomes that of what it leads to. False: of no known size.
 */
bool gep_step(
	LLVMTargetDataRef layout, LLVMTypeRef *type, LLVMValueRef index, bool first, uint64_t *scale, uint64_t *field);
/* Is it counted from another address? */
bool gep_terms(LLVMTargetDataRef layout, LLVMValueRef v, struct terms *t);

/*
 * The difference of two pointers. Before a constant is added to it it must be made opaque: of a - b - 1 the target
 * makes a + ~b, and of a - b + 1 in a loop a + -b + 1, which nobody takes for distances.
 */
LLVMValueRef build_distance(LLVMBuilderRef b, LLVMValueRef address, LLVMValueRef base);

/* address - base as a number of 64 bits, built where the builder stands. */
LLVMValueRef build_offset(LLVMBuilderRef b, LLVMTargetDataRef layout, LLVMValueRef address, LLVMValueRef base);

/* base + index * scale + constant */
struct indexed {
	LLVMValueRef index; /* of 64 bits */
	uint64_t scale;
	int64_t constant;
};

/* Is the address counted from the base by one index and constants? */
bool one_index(LLVMTargetDataRef layout, LLVMValueRef address, LLVMValueRef base, struct indexed *found);

/* The same value, of which LLVM knows nothing, so that it stays the one register that it is in. */
LLVMValueRef opaque(LLVMBuilderRef b, LLVMValueRef v);

/* Is it the state, behind which there is room? */
bool is_in_state(const struct base *base);

/* The bytes that may be reached from a base, if the author's state has so many. */
uint64_t base_size(const struct base *base, uint64_t state_size);

#endif
