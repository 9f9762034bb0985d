/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbolic execution of LLVM functions: from the bitcode of a C function to Z3 terms for its result and for the
 * memory that it leaves.
 *
 * It visits the blocks of a function once, in topological order, each under the condition on which control reaches
 * it. Where paths meet, it joins values and memory by if-then-else. So one run covers all paths. Functions must be
 * free of loops (constant loops are unrolled when the bitcode is read), with two exceptions. exec_iteration runs one
 * iteration of a loop, for proofs by induction. In a replay everything is a number, so it simply follows control.
 *
 * Memory is a set of objects, each cut into the scalars of its type. A pointer is an object and a constant offset, or
 * a choice of a few.
 */
#ifndef WARD_Z3_EXEC_H
#define WARD_Z3_EXEC_H

#include "term.h"

enum { MAX_PLACES = 20, MAX_PARTS = 3, MAX_OBJECTS = 2000 };

struct place {
	term when;
	unsigned object;
	uint64_t offset;
};

struct value {
	enum { NOTHING, BITS, POINTER, PARTS } kind;
	unsigned n;
	/*
	 * BITS: part[0]; PARTS: a small struct returned by value; POINTER at no place: so many bytes behind it, or
	 * NULL; then the scalar that it was loaded as, or NULL
	 */
	term part[MAX_PARTS];
	struct place place[MAX_PLACES]; /* POINTER; null where it is at none of them */
};

struct memory {
	unsigned n;
	term *cells[MAX_OBJECTS]; /* NULL: not there on this path */
};

/* What the standard leaves undefined, and the condition on which it would happen. */
struct hazard {
	term when;
	char what[120];
};

/*
 * Asked at each call of a function of the program: true if it has answered in the function's place. `guard`: the
 * condition on which control reaches the call.
 */
typedef bool exec_summary(
	const char *name, const struct value *args, struct memory *memory, term guard, struct value *result);

/* Deliberate damage, to test the tests: the executed program is changed in this way. */
enum exec_damage {
	DAMAGE_NONE,
	DAMAGE_UADD,
	DAMAGE_USUB,
	DAMAGE_UMUL,
	DAMAGE_SADD,
	DAMAGE_SSUB,
	DAMAGE_SMUL,
	DAMAGE_CTTZ,
	DAMAGE_CTLZ,
	DAMAGE_SEXT,
	DAMAGE_ASHR,
	DAMAGE_XOR,
	DAMAGE_UGT,
	DAMAGE_CTPOP,
	DAMAGE_UDIV,
	DAMAGE_SUB,
	DAMAGE_ULE,
	DAMAGE_EQ,
	DAMAGE_FORGET,
	DAMAGE_REGISTER,
	DAMAGE_SLT,
	DAMAGE_CUT,
	DAMAGE_TOO_WIDE,
	DAMAGE_MUL,
	DAMAGE_NE,
	DAMAGE_COUNT
};
extern enum exec_damage exec_damage;
extern const char *const exec_damage_name[DAMAGE_COUNT];

/* Read bitcode, unroll, forget nothing else. Several files make one program. */
void exec_read(const char *path);
bool exec_has(const char *function);
/*
 * The name of the function that the constant array `table`, of the file that has `beside`, has at `index`; NULL: there
 * is none.
 */
const char *exec_entry(const char *beside, const char *table, unsigned index);
/* Other bitcode: what functions it has, and no more. Nothing there can be run. */
void exec_read_other(const char *path);

/* All functions of both; what each file has of a header is one function, the first file's. */
enum { MAX_FUNCTIONS = 2000 };
struct exec_function {
	const char *file, *name;
	bool in_program;
};
const struct exec_function *exec_functions(unsigned *n);
extern uint8_t *exec_entered; /* [MAX_FUNCTIONS]: which of them were executed is noted here, unless this is NULL */
void exec_summarise(exec_summary *summary);

/* How many turns a loop may take that can't be seen to end, before that it ends becomes a hazard. */
extern unsigned exec_most_turns;

/* What is known of the counts that loops end at: where it rules a branch out, that is not taken. NULL: nothing. */
extern term exec_bound;

/*
 * Of a long array only some elements are there: those at these indexes (of 64 bits) stand one after another in the
 * object; where two indexes are the same, the first is the one. Whatever they are, what is said of the elements then
 * holds of any; that no other one is reached is a goal.
 */
struct window {
	uint64_t of; /* the array's length */
	unsigned n;  /* 0: no array is cut so */
	const term *at;
};
extern struct window exec_window;

/*
 * What so many bytes hold at an offset behind a pointer that was loaded as `base` and leads nowhere that is known;
 * NULL, as at the beginning of a statement: there is no such load.
 */
extern term (*exec_reads)(term base, term offset, unsigned bytes, term guard);

/* Run `function`; its body is executed, summaries serve the functions that it calls. */
struct value exec_call(const char *function, const struct value *args, struct memory *memory, term guard);

/*
 * A loop's turn: `state` are the values of the header's phis, in order, when control is at the header. Sets `again` to
 * the condition on which control comes back there, `next` to the phis then; otherwise the function returns `result`.
 * `entry`: the phis when the function is called with `args`.
 */
struct iteration {
	unsigned n;
	term state[4], entry[4], next[4], again;
	struct value result;
	/*
	 * Memory when control is at the header; allocated, as it is when control comes back there, and when the
	 * function returns. NULL: the loop is of numbers alone.
	 */
	const struct memory *memory;
	struct memory *next_memory, *left;
};
void exec_iteration(const char *function, const struct value *args, struct iteration *it);

/*
 * A loop that stands anywhere in a function, by induction: when control comes to its head, `arrives` is asked with the
 * phis there; it is to prove what holds, and puts in their place, and into memory, anything of which that is assumed.
 * The body is run once from there, and when control is back at the head, `returns` is to prove the same again. What is
 * behind the loop is run from the state that was assumed: it is about that where control does not come back, on the
 * condition that `returns` is told.
 */
struct exec_cut {
	const char *function; /* NULL: none */
	void (*arrives)(struct memory *memory, term *phi, unsigned n, term guard);
	void (*returns)(struct memory *memory, const term *phi, unsigned n, term guard);
};
extern struct exec_cut exec_cut;

extern struct hazard exec_hazards[];
extern unsigned exec_n_hazards;

/* Whether scalars that were copied byte by byte are put together again; false at the beginning of a statement. */
extern bool exec_rejoins;
/* Whether products and quotients by powers of two are shifts, of which all is known; likewise. */
extern bool exec_shifts;

/* --- memory --- */

/* A new object with the layout of `bytes` bytes cut at the given widths (0 ends them), all unknown. */
struct value exec_object(struct memory *memory, const uint8_t *widths);
/*
 * A new object with the layout of the named struct type in the program; of an array that is its last member so many
 * elements (0: all).
 */
struct value exec_struct(struct memory *memory, const char *type, unsigned last);
term exec_load(const struct memory *memory, const struct value *pointer, uint64_t offset, unsigned bytes);
void exec_store(struct memory *memory, const struct value *pointer, uint64_t offset, term value);

struct value exec_bits(term t);

#endif
