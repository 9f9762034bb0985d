/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The abstract state of the machine at one point of the code: what each register, stack slot and the flags hold.
 *
 * Glossary
 *   value     what one location holds: a number, a pointer into a granted region, or a value of the host's
 *   region    memory that the probe was granted; a pointer is a region and an offset, the offset being an abstract
 *             number
 *   slot      eight bytes of the probe's stack frame; slot n ≥ 1 is [entry rsp - 8n, entry rsp - 8n + 8)
 *   identity  symbol + constant: two locations with one symbol hold numbers (for pointers: offsets) that differ by
 *             exactly the difference of their constants, modulo 2^64. So what a branch says of one, it says of all.
 *             The low identity says the same of the low 32 bits, modulo 2^32.
 *   half      the lower or upper eight bytes of an xmm register. The state knows whether all bytes of a half are the
 *             probe's own, and nothing about their values
 *   ghost     symbols 1 … number of loops of the function: the value of the loop's ranking location when control was
 *             last at its head
 */
#ifndef WARD_VERIFIER_STATE_H
#define WARD_VERIFIER_STATE_H

#include "verifier/file/module.h"
#include "num.h"

enum wv_kind {
	WV_UNINIT, /* nothing that the probe may read */
	WV_NUM,
	WV_PTR,
	WV_SAVED, /* what a callee-saved register held at the entry */
};

enum { WV_MAX_LENT = 4 };

/* WV_LENT + i: the i-th window that a function's contract makes its callers pass. */
enum wv_region { WV_EVENT, WV_STATE, WV_STACK, WV_RODATA, WV_DATA, WV_LENT, WV_NREGION = WV_LENT + WV_MAX_LENT };

/* Memory of the caller's that a call makes accessible to the callee, wherever it lies. */
struct wv_window {
	uint32_t size;
	bool writable;
};

enum {
	WV_MAX_SLOTS = WARD_STACK_CEILING / 8 + 16, /* the red zone may reach below the deepest rsp */
	WV_RED_ZONE = 128,                          /* bytes, user profile; System V ABI 3.2.2 */
};

struct wv_val {
	uint8_t kind;   /* enum wv_kind */
	uint8_t region; /* WV_PTR: enum wv_region; WV_SAVED: the register */
	uint8_t init;   /* WV_NUM: how many low bits are the probe's own (8, 16 or 64); the rest are the host's */
	uint32_t sym;   /* identity; 0 only for kinds without one */
	uint64_t add;
	uint32_t lsym; /* low identity */
	uint32_t ladd;
	struct wv_num n; /* WV_NUM: the number; WV_PTR: the offset */
};

struct wv_slot {
	struct wv_val v;
	uint8_t width; /* how many bytes from the slot's start v describes: 8, 4, or 0 for none */
	uint8_t init;  /* mask of the bytes that hold data of the probe's own */
};

/*
 * The distance between two symbols: b - scale * a is one of `d`, modulo 2^64. It bounds a loop that runs until two
 * registers are equal: their distance shrinks by a step and is not zero. With another scale it relates a pointer to
 * the index that counts along with it, and with -1 it is a sum.
 */
struct wv_distance {
	uint32_t a, b;
	int32_t scale; /* not 0 */
	struct wv_num d;
};

enum { WV_MAX_DISTANCES = 8 };

/*
 * A sum of symbols: sum = x + y + c, modulo 2^64; `low`: modulo 2^32 only. It serves the difference of two sums with
 * one addend in common (distance.c), and is kept only within a block. The sum's value is one of `n`; a later sum of
 * the same addends has that value too, even if no location holds the first one any more.
 */
struct wv_sum {
	uint32_t sum, x, y;
	bool low;
	uint64_t c;
	struct wv_num n;
};

enum { WV_MAX_SUMS = 4 };

/*
 * below >> shift is at most the value of the symbol `of`, unsigned. So a bound of a shifted value, or of two values
 * joined by `or`, bounds the values themselves: if (a | b) >> 32 is zero, both fit in 32 bits. Kept only within a
 * block.
 */
struct wv_bound {
	uint32_t of;
	uint8_t shift;
	struct wv_val below;
};

enum { WV_MAX_BOUNDS = 4 };

/*
 * The value of symbol `sym` is shorter in bits than `than` + than_add by at least one, or (`ones`) has at least one
 * bit fewer set. This bounds loops that shift a value until nothing is left, or clear one bit after another. Kept
 * only within a block.
 */
struct wv_less {
	uint32_t sym, than;
	uint64_t than_add;
	bool ones;
};

enum { WV_MAX_LESS = 2 };

/*
 * An address in or around a region, base + sym + add. `above`: it is at or above the base, so the sum doesn't wrap
 * around; `below`: it is at or below base + most, which doesn't wrap either. One comparison gives one of the two, and
 * both together bound the offset: so `p >= pool && p < end` finds a pointer (ptr_from_int.c). Kept only within a
 * block.
 */
struct wv_reach {
	uint32_t sym; /* 0: nothing is known */
	uint8_t region;
	bool above, below;
	uint64_t add, most;
};

/* WV_NEAR: spec/policy.md: no region ends within 16 MiB of the end of the address space */
enum { WV_MAX_REACHES = 2, WV_NEAR = 1 << 24 };

/*
 * The result of a cmov: `is` is `a` or `b`. A fact about one of them that is learnt later (n was not zero after all,
 * so the smaller of n and 64 isn't zero either) may rule it out or narrow it, and so narrow `is`. Kept only within a
 * block.
 */
struct wv_choice {
	struct wv_val is, a, b;
};

enum { WV_MAX_CHOICES = 2 };

/*
 * The low `width` bits of the value with identity sym + add were read as `is`. So what a branch learns of `is` holds
 * when those bits are read again (a switch compares al, then extends it). Kept only within a block.
 */
struct wv_part {
	uint32_t sym; /* 0: nothing was read */
	uint64_t add;
	unsigned width;
	struct wv_val is;
};

/* What the last instruction to set the flags compared. */
enum wv_relation {
	WV_REL_NONE,
	WV_REL_CMP,  /* all conditions are those of cmp a, b */
	WV_REL_ADD,  /* a is the sum, b an addend: carry means a < b; zero and sign are a's */
	WV_REL_SIGN, /* zero and sign are those of a; carry and overflow say nothing */
	WV_REL_ZERO, /* zero says that a is zero; nothing else */
};

enum { WV_CF = 1, WV_ZF = 2, WV_SF = 4, WV_OF = 8, WV_PF = 16, WV_ALL_FLAGS = 31 };

struct wv_flags {
	uint8_t defined;  /* mask of WV_CF … */
	uint8_t relation; /* enum wv_relation */
	uint8_t width;
	struct wv_val a, b;
};

/*
 * Steps of work (V-06). One step is about the work of looking at a register or a claim: roughly a hundred
 * instructions of the processor. One step covers several slots that are only passed over.
 */
enum { WV_STEPS_VALUE = 1, WV_STEPS_NUMBER = 12, WV_STEPS_REFINE = 1, WV_SLOTS_STEP = 16, WV_BYTES_STEP = 8 };

struct wv_state {
	uint32_t depth;   /* rsp is the entry's rsp - depth */
	uint32_t n_slots; /* slots 1 … n_slots are in slot[0 …]; those beyond are uninitialised */
	struct wv_flags flags;
	uint32_t n_distances;
	struct wv_distance distance[WV_MAX_DISTANCES];
	uint32_t n_choices; /* ever made; the last WV_MAX_CHOICES are in choice[i % WV_MAX_CHOICES] */
	struct wv_choice choice[WV_MAX_CHOICES];
	uint32_t n_sums; /* ever made, as with choices */
	struct wv_sum sum[WV_MAX_SUMS];
	uint32_t n_bounds; /* ever made, as with choices */
	struct wv_bound bound[WV_MAX_BOUNDS];
	uint32_t n_less; /* likewise */
	struct wv_less less[WV_MAX_LESS];
	struct wv_part part;
	uint32_t n_reaches; /* likewise */
	struct wv_reach reach[WV_MAX_REACHES];
	struct wv_val reg[WV_NREG]; /* reg[WV_RSP] is the stack pointer as a value */
	uint16_t half[2];           /* masks of xmm registers: the lower half, the upper half is the probe's own */
	/* of work that this state has caused (V-06): it only counts up, and a copy of the state has its own */
	uint64_t steps;
	struct wv_slot slot[WV_MAX_SLOTS];
};

/*
 * The low `width` bits of values with identity `sym` + 0 are the sign of those with identity (at width 64), or low
 * identity, `of` + `of_add`.
 */
struct wv_sign {
	uint32_t sym; /* 0: nothing is known */
	uint32_t of;
	uint64_t of_add;
	uint8_t width;
};

/*
 * What the last load of 32 bits from rodata in this block gave (table.c): its low identity is `low` + 0; sign-extended
 * to 64 bits it has the identity `sym` + `add`. It was loaded at one of the offsets `at`.
 */
struct wv_table {
	uint32_t low; /* 0: nothing was loaded */
	uint32_t sym; /* 0: nor sign-extended */
	uint64_t add;
	struct wv_num at;
};

/* Identities of one number; sym 0: of none. */
struct wv_name {
	uint32_t sym, lsym, ladd;
	uint64_t add;
};

enum { WV_MAX_MULTIPLES = 4 };

/* What a value adds to a multiple of the quotient: nothing, or once … */
enum wv_addend { WV_ADDS_NOTHING, WV_ADDS_DIVIDEND, WV_ADDS_WHOLE };

/*
 * The last product in this block of a number y and a constant, and the quotient that a shift makes of it
 * (quotient.c). y is the dividend `of`, and at most `greatest`. As integers: the value of identity `product` + 0 is y
 * · by >> shift, and with `more` (that + y) >> 1. The value of identity `rest` is y less the product, and that of
 * `half` is half of that, rounded down. y is the number `whole` >> down. Modulo 2^width, the value that a multiple is
 * `of` is factor · (y / divisor), plus its addend. `shifted` is the last number that was shifted right: the value of
 * identity `down_to` is `shifted` >> down_by.
 */
struct wv_quotient {
	struct wv_name of, whole, shifted;
	uint32_t product, rest, half, down_to; /* 0: there is none */
	uint64_t greatest, by;
	unsigned shift, down, down_by;
	bool more;
	uint64_t divisor;     /* 0: no quotient */
	unsigned n_multiples; /* ever found; the last WV_MAX_MULTIPLES are kept */
	struct wv_multiple {
		struct wv_name of;
		uint8_t width, adds; /* enum wv_addend */
		uint64_t factor;
	} multiple[WV_MAX_MULTIPLES];
};

enum { WV_MAX_SCALED = 4 };

/*
 * In this block: the number that `sym` stands for is `factor` times the number `of` + add, without wrapping around
 * (multiples.c).
 */
struct wv_scaled {
	uint32_t sym, of;
	uint64_t add;
	uint32_t factor; /* not 0 */
};

/* What a check of one function works with. */
struct wv_ctx {
	const struct wv_module *module;
	struct wv_sink *sink;
	uint32_t max_stack;  /* ≤ WARD_STACK_CEILING */
	uint32_t next_sym;   /* fresh symbols */
	struct wv_sign sign; /* what cwd, cdq or cqo made last in this block */
	struct wv_table table;
	/* a load gave one of a few constants of rodata since this was cleared (wv_step_movsx) */
	bool loaded_constant;
	struct wv_num constant; /* then: that, as a signed number */
	struct wv_quotient quotient;
	unsigned n_scaled; /* ever found; the last WV_MAX_SCALED are in scaled[i % WV_MAX_SCALED] */
	struct wv_scaled scaled[WV_MAX_SCALED];
	bool dead; /* control never reaches the rest of the block: a branch always leaves it before */
	struct wv_window lent[WV_MAX_LENT]; /* of the function's contract */
	/* Facts gathered: */
	uint32_t stack_bytes;
	/*
	 * how often the block's repeated instructions may repeat at most, and how many instructions its imports
	 * execute
	 */
	uint64_t repeats;
	uint32_t written; /* registers that are written; from bit 16 on, xmm registers */
	uint16_t event_fields;
	bool writes_state;
	bool aligned;     /* relies on the entry's rsp being 8 more than a multiple of 16 */
	uint64_t imports; /* bit i: import i of the module is called */
	uint32_t needs;   /* enum ward_need; that of rsp's alignment to 16 is `aligned` */
};

/* --- values --- */
struct wv_val wv_val_uninit(void);
struct wv_val wv_val_saved(unsigned reg);
struct wv_val wv_val_const(struct wv_ctx *ctx, uint64_t value);
struct wv_val wv_val_number(struct wv_ctx *ctx, const struct wv_num *n); /* with an identity of its own */
struct wv_val wv_val_pointer(struct wv_ctx *ctx, enum wv_region region, int64_t offset);
bool wv_val_valid(const struct wv_val *v);
/* a + b and a - b over 64 bits, pointers and identities included. Both are readable values. */
struct wv_val wv_val_add(struct wv_ctx *ctx, const struct wv_val *a, const struct wv_val *b);
struct wv_val wv_val_sub(struct wv_ctx *ctx, const struct wv_val *a, const struct wv_val *b);
/* The low 32 bits, zero-extended, keeping identities. */
struct wv_val wv_val_zext32(struct wv_ctx *ctx, const struct wv_val *v);
/* "event", "lent window 0" … */
const char *wv_region_name(unsigned region);
/* "number [0, 63]", "state+[0, 8]", "what rbx held at entry" for messages. */
void wv_val_print(const struct wv_val *v, char *buf, size_t size);
/* Flags of a mask: "carry, zero". */
void wv_flags_print(unsigned flags, char *buf, size_t size);
/* A number that is a limit: "63", "2^64-8". */
void wv_limit_print(uint64_t n, char *buf, size_t size);

/* --- state --- */
/* Where nothing is claimed: callee-saved registers hold what they held at the entry, all else is uninitialised. */
void wv_state_unclaimed(struct wv_ctx *ctx, struct wv_state *st, uint32_t depth);
void wv_state_entry(struct wv_ctx *ctx, struct wv_state *st); /* as at the start of a probe function */
void wv_state_copy(struct wv_state *to, const struct wv_state *from);
bool wv_state_valid(const struct wv_state *st);
/* Bytes below rsp that may be used. */
uint32_t wv_red_zone(const struct wv_ctx *ctx);
/* Set rsp to entry - depth: slots that fall below the red zone are lost (a signal handler may overwrite them). */
void wv_state_set_depth(struct wv_ctx *ctx, struct wv_state *st, uint32_t depth);
/*
 * After a call nothing is left in the flags and in the scratch registers but those that the callee keeps (a mask, xmm0
 * is bit 16), nor below rsp.
 */
void wv_state_after_call(struct wv_state *st, uint32_t keeps);
/* The xmm registers that are the probe's own as a whole: what a block may claim. */
static inline uint16_t wv_state_xmm(const struct wv_state *st)
{
	return st->half[0] & st->half[1];
}
/* Slot n ≥ 1 (≤ WV_MAX_SLOTS), made present. */
struct wv_slot *wv_state_slot(struct wv_state *st, uint32_t n);

/*
 * `known` is true of the value `of`: tighten every location that shares its identity. False: this state can't occur.
 */
bool wv_state_refine(struct wv_state *st, const struct wv_val *of, const struct wv_num *known);
/*
 * d = n - base, modulo 2^64: where n is a number and base an exact pointer, what holds n holds base + d
 * (ptr_from_int.c).
 */
void wv_state_promote(struct wv_state *st, const struct wv_val *n, const struct wv_val *base, const struct wv_val *d);
/*
 * The addresses of two pointers into one region compare so: a ≤ b, or a < b if `strict`. Learn what that says of the
 * pointer that may lie anywhere, if the other one is near the region. False: it can't be.
 */
bool wv_state_assume_addresses(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, bool strict);
/* From now on `is` is known to be `a` or `b`. */
void wv_state_note_choice(struct wv_state *st, const struct wv_val *is, const struct wv_val *a, const struct wv_val *b);

/* From now on below >> shift is known to be at most `of`, which has no constant added to its symbol. */
void wv_state_note_bound(struct wv_state *st, const struct wv_val *of, const struct wv_val *below, unsigned shift);

/* `v`, with no constant added to its symbol, is shorter than `than` or has fewer ones; and is that known? */
void wv_state_note_less(struct wv_state *st, const struct wv_val *v, const struct wv_val *than, bool ones);
bool wv_state_is_less(const struct wv_state *st, const struct wv_val *v, const struct wv_val *than, bool ones);

/* --- distances, distance.c: numbers are themselves, pointers their offsets --- */

/* b - scale * a, as far as the state knows of this distance alone. False: nothing. */
bool wv_state_find_distance(
	const struct wv_state *st, const struct wv_val *a, int32_t scale, const struct wv_val *b, struct wv_num *d);
/* b - scale * a, as far as the state knows: at least as exact as wv_state_find_distance. */
struct wv_num wv_state_distance(
	const struct wv_state *st, const struct wv_val *a, int32_t scale, const struct wv_val *b);
/* Remember that b - scale * a is one of `d`. Where there is no room for one more it is dropped. */
void wv_state_set_distance(
	struct wv_state *st, const struct wv_val *a, int32_t scale, const struct wv_val *b, const struct wv_num *d);
/* a and b are now known to be equal, or not to be. False: that can't be. */
bool wv_state_assume_distance(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, bool equal);
/* b - a is now known to be one of `d`. False: that can't be. */
bool wv_state_assume_order(struct wv_state *st, const struct wv_val *a, const struct wv_val *b, const struct wv_num *d);
/*
 * sum = x + y, modulo 2^64 (or 2^32, if `low`). Remembered where none of them is a constant; *sum is tightened by what
 * follows.
 */
void wv_state_note_sum(
	struct wv_state *st, struct wv_val *sum, const struct wv_val *x, const struct wv_val *y, bool low);
/*
 * `known` has become known of `of`: tighten what is a known distance away from a location that shares a symbol with
 * `of`.
 */
bool wv_state_refine_distant(struct wv_state *st, const struct wv_val *of, const struct wv_num *known);
/* Tighten `v` by what registers that are a known distance away from it hold. */
void wv_state_learn_distant(const struct wv_state *st, struct wv_val *v);
/* Tighten every location that shares the identity of `of`, and nothing else. */
bool wv_state_refine_locations(struct wv_state *st, const struct wv_val *of, const struct wv_num *known);

/* As wv_state_refine, for a value outside the state. */
bool wv_val_refine(struct wv_val *v, const struct wv_val *of, const struct wv_num *known);

/* The flags that a condition reads: a mask of WV_CF … */
unsigned wv_flags_read(enum wv_cond cond);
/* Flags say `cond`: tighten the state. False: it can't be. Only where wv_flags_defined. */
bool wv_state_assume(struct wv_state *st, enum wv_cond cond);
/* What `v` is where the state's flags say `cond`. False: they can't. */
bool wv_flags_assume_value(const struct wv_flags *flags, enum wv_cond cond, struct wv_val *v);
/* Are all the flags that `cond` reads defined? */
bool wv_flags_defined(const struct wv_flags *flags, enum wv_cond cond);

#endif
