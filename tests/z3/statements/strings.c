/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String instructions (step_string.c): rep stos and rep movs, of rcx elements, upwards.
 *
 * What they do to registers and flags is stated and proven as for other instructions (transfer.c). Of memory the
 * manual says: the processor writes all bytes of [rdi, rdi + length), and movs reads all of [rsi, rsi + length),
 * where length is rcx times an element's width; and no others. It may read an element that it wrote before.
 *
 * The verifier's treatment of such blocks has rows of its own (access.c). Those rows presuppose a value that is true
 * of where the block begins, and a length that is at least the processor's, and equal to it if it is called exact; so
 * this is what is proven of each call. It is also proven that these calls happen unless rcx is zero, and that what is
 * read is checked before what is written. The bytes written are the probe's own then: those of rax, which is set, or
 * those that were read.
 *
 * Repetitions count as instructions (V-63): the count is at least rcx, and bounded.
 */
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "stack.h"

enum { MOST_REPEATS = MOST_BYTES / 8 };

static term repeats, length; /* what the processor does; the length if it isn't too often */
static term loads, stores;   /* such a block is checked */
static term noted[2];        /* the alignment of its elements is, where they are read and where they are written */
static unsigned element;     /* bytes */

/* void wv_load_block(ctx, st, insn, at, bytes), wv_store_block(ctx, st, insn, at, bytes, exact) */
static void call_block(const struct called *c, unsigned from)
{
	struct content at = content_load(&c->args[3]);
	term bytes = zext(c->args[4].part[0], 64),
	     fit = and_(ule(bits(64, 1), bytes), ule(bytes, bits(64, MOST_BYTES)));
	claim("all of the block", implies(c->guard, ule(length, bytes)));
	if (plainly())
		return;
	if (!register_before(from))
		give_up("a block that the instruction has not");
	claim("a length that a block may have", implies(c->guard, fit));
	claim("where the block begins", implies(c->guard, eq(held_by(&at, fresh(64)), register_before(from))));
	claim("a value for a callee", implies(c->guard, and_(and_(has_number(&at.h), is_whole(&at)),
								and_(has_its_number(&at), holds_identity(&at.h)))));
	report_or(c, truth(true));
}

static void call_load_block(const struct called *c)
{
	call_block(c, WV_RSI);
	loads = or_(loads, c->guard);
}

static void call_store_block(const struct called *c)
{
	call_block(c, WV_RDI);
	claim("the length",
		implies(and_(c->guard, returned_true(&c->args[5])), eq(zext(c->args[4].part[0], 64), length)));
	claim("what is stored has been read", implies(c->guard, loads));
	stores = or_(stores, c->guard);
}

/* void wv_note_alignment(ctx, at, bytes): of the first element; all others are multiples of as many bytes away. */
static void call_note_alignment(const struct called *c)
{
	struct content at = content_load(&c->args[1]);
	term x = held_by(&at, fresh(64)), whole = eq(c->args[2].part[0], bits(32, element));
	for (unsigned i = 0; i < 2; i++) {
		term reg = register_before(i ? WV_RDI : WV_RSI);
		if (reg)
			noted[i] = or_(noted[i], and_(c->guard, and_(whole, eq(x, reg))));
	}
}

/*
 * struct wv_num wv_num_binary(op, width, a, b): besides what is promised of all, a product by a constant is at most
 * that of the greatest.
 */
static void bound_product(const struct called *c)
{
	struct number a = number_load(c->memory, &c->args[3]), b = number_load(c->memory, &c->args[4]),
		      r = number_load(c->memory, &c->args[0]);
	uint64_t by, op;
	if (!is_number(c->args[1].part[0], &op) || op != WV_IMUL || !is_number(b.umax, &by))
		give_up("not the product of a string instruction");
	term most = bits(64, UINT64_MAX / by), at_most = op2(Z3_mk_bvmul, a.umax, bits(64, by));
	assume(implies(and_(and_(valid(&a), valid(&b)), and_(member(&a, repeats), member(&b, bits(64, by)))),
		implies(ule(a.umax, most), ule(r.umax, at_most))));
}

/* struct wv_val wv_val_add(ctx, a, b), of a number b: the sum is what a is. */
static void call_add_number(const struct called *c)
{
	struct value new = exec_struct(c->memory, "struct.wv_val", 0);
	struct content v[2];
	for (unsigned i = 0; i < 2; i++) {
		v[i] = content_load(&c->args[2 + i]);
		claim("a value for a callee",
			implies(c->guard, and_(and_(has_number(&v[i].h), is_whole(&v[i])),
						  and_(has_its_number(&v[i]), holds_identity(&v[i].h)))));
	}
	claim("a number that is added", implies(c->guard, is_kind(&v[1], WV_NUM)));
	exec_store(c->memory, &new, offsetof(struct wv_val, kind), v[0].h.kind);
	exec_store(c->memory, &new, offsetof(struct wv_val, region), v[0].region);
	given_about(&new, sum_of(v[0].h.x, v[1].h.x), true);
	memory_copy_bytes(c->memory, &c->args[0], &new, sizeof(struct wv_val));
}

/* In a search numbers aren't narrowed, and what a sum is stays open: it is about lengths. A replay runs it all. */
static bool left_alone(const char *name, struct value *result)
{
	if (!plainly() || term_replaying())
		return false;
	if (strcmp(name, "wv_num_sync") == 0)
		*result = exec_bits(truth(true));
	return strcmp(name, "wv_num_sync") == 0 || strcmp(name, "wv_val_add") == 0;
}

static bool called_in_string(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	struct called c = {args, m, guard, result};
	now = m;
	if (strcmp(name, "wv_load_block") == 0) {
		call_load_block(&c);
		return true;
	}
	if (strcmp(name, "wv_store_block") == 0) {
		call_store_block(&c);
		return true;
	}
	if (strcmp(name, "wv_note_alignment") == 0) {
		call_note_alignment(&c);
		return true;
	}
	if (!plainly() && strcmp(name, "wv_val_add") == 0) {
		call_add_number(&c);
		return true;
	}
	if (left_alone(name, result))
		return true;
	bool answered = called(name, args, m, guard, result);
	if (answered && strcmp(name, "wv_num_binary") == 0)
		bound_product(&c);
	return answered;
}

void build_string(const struct query *q)
{
	const struct form *f = &string_forms[q->op];
	bool moves = f->op == WV_MOVS;
	begin_step(q, f, 0);
	summarise_always(called_in_string);
	term before = CONTEXT(repeats), most = bits(64, MOST_REPEATS);
	repeats = register_before(WV_RCX);
	length = op2(Z3_mk_bvmul, repeats, bits(64, q->width / 8));
	loads = truth(!moves);
	stores = truth(false);
	element = q->width / 8;
	noted[0] = noted[1] = truth(false);
	run_step(q, f);
	term counted = sub(CONTEXT(repeats), before), some = not_(eq(repeats, bits(64, 0)));
	claim("repetitions that are counted", and_(ule(repeats, counted), ule(counted, most)));
	claim("what is read is checked", implies(some, loads));
	claim("what is written is checked", implies(some, stores));
	claim("that the direction counts is noted",
		not_(eq(band(CONTEXT(needs), bits(32, WARD_NEED_DF_CLEAR)), bits(32, 0))));
	if (!plainly()) {
		claim("the alignment of what is read is noted", or_(truth(!moves), noted[0]));
		claim("the alignment of what is written is noted", noted[1]);
	}
	if (!moves && !plainly()) {
		struct content rax = register_now(WV_RAX);
		claim("a register that is set", has_number(&rax.h));
	}
	end_step(0);
	if (!plainly())
		possible(and_(not_(reported), and_(stores, ult(bits(64, 1), repeats))));
}
