/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jumps through tables in read-only data (table.c).
 *
 * The machine: the last load of four bytes from rodata in the block was at the offset `x`, any, and gave `entry`,
 * any. The loader ensures that rodata always reads the same, and as the file has it (spec/policy.md, "Regions"). What
 * the context remembers of that load is true if
 *
 * - the low identity stands for the entry, and the identity plus its constant for the entry sign-extended;
 * - x is one of the offsets.
 *
 * What is proven:
 *
 * - wv_table_loaded, wv_table_extended: this is true after such a load, and still after any value was sign-extended.
 * - wv_table_targets: for a jump to any value that a register holds, if it gives no reason against the jump: the jump
 *   goes to base + entry, as addresses in the module are counted; x is one of the offsets still to be looked at; and
 *   rodata has four bytes at each of these.
 * - wv_table_next: if x is still to be looked at, there is a next target. Either that is where the machine goes, or x
 *   is still to be looked at afterwards. It reads nothing outside rodata, and offsets go up. By induction over its
 *   loop's iterations.
 * - wv_table_length: it counts x among the offsets to look at, wherever that is, and returns at most the length of
 *   rodata.
 *
 * So, by induction over the calls of wv_table_next, the machine goes to one of the targets that it gives, however
 * many entries there are; and the calls come to an end. sweep.c handles the targets.
 */
#include "jumps.h"

#include <stdio.h>
#include <string.h>

#include "tests/z3/engine/arith.h"
#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "slots.h"
#include "verifier/step/table.h"

enum { ENTRY = 4 }; /* bytes */

static term x, entry; /* the load */

static term wide_entry(void)
{
	return sext(entry, 64);
}

/* ---- what is remembered ---- */

#define TABLE(field) \
	exec_load(now, &context, offsetof(struct wv_ctx, table) + offsetof(struct wv_table, field), \
		sizeof(((struct wv_table *)0)->field))

static const size_t table_at = offsetof(struct wv_ctx, table) + offsetof(struct wv_table, at);

static void begin_jump(void)
{
	begin_state(1);
	x = input("x", 64);
	entry = input("entry", 32);
	if (plainly())
		memory_fill(now, &context, 0, offsetof(struct wv_ctx, lent));
}

static term is_set(term symbol)
{
	return not_(eq(symbol, bits(32, 0)));
}

static term true_of_load(void)
{
	struct value at = field_of(&context, table_at);
	struct number n = number_load(now, &at);
	term low = TABLE(low), sym = TABLE(sym), is_low = eq(low_symbol_number(low), entry),
	     is = eq(choose2(add, symbol_number(sym), TABLE(add)), wide_entry());
	term offset = implies(is_set(low), and_(valid(&n), member(&n, x)));
	return and_(and_(implies(is_set(low), is_low), implies(is_set(sym), and_(is_set(low), is))), offset);
}

/* Anything is remembered that is true. */
static void given_table(void)
{
	struct number n = valid_number("at");
	struct value at = field_of(&context, table_at);
	exec_store(now, &context, offsetof(struct wv_ctx, table.low), input("low", 32));
	exec_store(now, &context, offsetof(struct wv_ctx, table.sym), input("sym", 32));
	exec_store(now, &context, offsetof(struct wv_ctx, table.add), input("add", 64));
	number_store(now, &at, &n);
	assume(true_of_load());
}

static bool in_table(uint64_t at)
{
	return at >= offsetof(struct wv_ctx, table) && at < offsetof(struct wv_ctx, loaded_constant);
}

static struct value given_val(const char *name)
{
	struct value v = exec_struct(now, "struct.wv_val", 0);
	const struct {
		const char *field;
		size_t at;
		unsigned width;
	} fields[] = {
		{"kind", offsetof(struct wv_val, kind), 8},
		{"region", offsetof(struct wv_val, region), 8},
		{"sym", offsetof(struct wv_val, sym), 32},
		{"add", offsetof(struct wv_val, add), 64},
		{"lsym", offsetof(struct wv_val, lsym), 32},
		{"ladd", offsetof(struct wv_val, ladd), 32},
	};
	for (unsigned i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		char full[30];
		snprintf(full, sizeof full, "%s.%s", name, fields[i].field);
		exec_store(now, &v, fields[i].at, input(full, fields[i].width));
	}
	return v;
}

#define VALUE(v, field) exec_load(now, &(v), offsetof(struct wv_val, field), sizeof(((struct wv_val *)0)->field))

static term low_half(const struct value *v)
{
	return add(low_symbol_number(VALUE(*v, lsym)), VALUE(*v, ladd));
}

static term whole(const struct value *v)
{
	return choose2(add, symbol_number(VALUE(*v, sym)), VALUE(*v, add));
}

/* void wv_table_loaded(ctx, at, v): v holds the entry, by a low identity of its own. */
void build_table_loaded(const struct query *q)
{
	begin_jump();
	struct number at = valid_number("at");
	struct value v = given_val("v"), args[] = {context, number_object(now, &at), v};
	exec_store(now, &v, offsetof(struct wv_val, ladd), bits(32, 0));
	assume(and_(eq(low_half(&v), entry), member(&at, x)));
	was = memory_copy(now);
	call_function(q, args, now);
	now = &state_memory;
	claim("true of the load", true_of_load());
	claim_same(&context, in_table, "what is noted");
	prove_claims();
	possible(is_set(TABLE(low)));
	prove_hazards(truth(true));
	memory_free(was);
}

/* void wv_table_extended(ctx, v, wide): what v is, `wide` is, sign-extended from 32 bits. */
void build_table_extended(const struct query *q)
{
	begin_jump();
	given_table();
	struct value v = given_val("v"), wide = given_val("wide"), args[] = {context, v, wide};
	assume(implies(eq(VALUE(v, kind), bits(8, WV_NUM)), eq(whole(&wide), sext(low_half(&v), 64))));
	was = memory_copy(now);
	call_function(q, args, now);
	now = &state_memory;
	claim("true of the load", true_of_load());
	claim_same(&context, in_table, "what is noted");
	prove_claims();
	possible(is_set(TABLE(sym)));
	prove_hazards(truth(true));
	memory_free(was);
}

/* ---- the targets ---- */

static struct value targets;

#define TARGETS(field) \
	exec_load(now, &targets, offsetof(struct wv_targets, field), sizeof(((struct wv_targets *)0)->field))
#define MODULE(field) exec_load(now, &module, offsetof(struct wv_module, field), sizeof(((struct wv_module *)0)->field))

static term rodata_size;

static void given_module(void)
{
	rodata_size = input("size", 64);
	exec_store(now, &module, offsetof(struct wv_module, rodata_bytes.n), rodata_size);
	exec_store(now, &module, offsetof(struct wv_module, rodata.addr), input("rodata", 64));
	assume(ult(rodata_size, bits(64, UINT64_C(1) << 63))); /* it is in memory, as the file is */
}

static struct number offsets(void)
{
	struct value at = field_of(&targets, offsetof(struct wv_targets, at));
	return number_load(now, &at);
}

/* The steps are of a power of two. */
static term is_power(term step)
{
	return and_(not_(eq(step, bits(64, 0))), eq(band(step, sub(step, bits(64, 1))), bits(64, 0)));
}

static term steps_to(term from, term to, term step)
{
	return and_(ule(from, to), eq(band(sub(to, from), sub(step, bits(64, 1))), bits(64, 0)));
}

/* The offset is still to be looked at. */
static term to_come(void)
{
	struct number at = offsets();
	return and_(member(&at, x), steps_to(TARGETS(next), x, TARGETS(stride)));
}

static term within_rodata(term offset)
{
	term length = bits(64, ENTRY);
	return and_(ule(length, rodata_size), ule(offset, sub(rodata_size, length)));
}

/* uint64_t stride_of(at): that of any that are so. */
static bool called_for_targets(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, "stride_of") != 0 || plainly())
		return called(name, args, m, guard, result);
	struct number at = number_load(m, &args[0]);
	term step = fresh(64), below = sub(step, bits(64, 1));
	claim("valid offsets", implies(guard, valid(&at)));
	assume(is_power(step));
	assume(implies(member(&at, x), eq(band(bxor(x, at.bits), below), bits(64, 0))));
	*result = exec_bits(step);
	return true;
}

/* Where the machine goes, if the register holds the value. */
static term goes_to(const struct value *v)
{
	term pointer = eq(VALUE(*v, kind), bits(8, WV_PTR)), number = eq(VALUE(*v, kind), bits(8, WV_NUM)),
	     holds = whole(v), base = plainly() ? input("base", 64) : region_base(VALUE(*v, region));
	return ite(pointer, add(base, holds), ite(number, holds, input("elsewhere", 64)));
}

/* const char *wv_table_targets(ctx, v, t, why, size) */
void build_table_targets(const struct query *q)
{
	begin_jump();
	given_table();
	given_module();
	summarise_always(called_for_targets);
	targets = exec_struct(now, "struct.wv_targets", 0);
	struct value v = given_val("v"), words = exec_struct(now, "struct.wv_val", 0),
		     args[] = {context, v, targets, words, exec_bits(bits(64, 0))};
	term rodata_begins = plainly() ? input("begin", 64) : region_base(bits(8, WV_RODATA)),
	     jump = add(sub(goes_to(&v), rodata_begins), MODULE(rodata.addr));
	if (plainly())
		assume(implies(eq(VALUE(v, region), bits(8, WV_RODATA)), eq(input("base", 64), rodata_begins)));
	was = memory_copy(now);
	struct value told = call_function(q, args, now);
	now = &state_memory;
	term fine = not_(not_null(&told));
	struct number at = offsets();
	claim("where the machine goes", implies(fine, eq(add(TARGETS(base), wide_entry()), jump)));
	claim("a step", implies(fine, is_power(TARGETS(stride))));
	claim("valid offsets", implies(fine, and_(valid(&at), member(&at, x))));
	claim("a first offset", implies(fine, steps_to(TARGETS(next), x, TARGETS(stride))));
	claim("within rodata", implies(fine, within_rodata(at.umax)));
	if (!plainly())
		claim("of the same module", implies(fine, eq(TARGETS(module), memory_word(&module))));
	claim_same(&context, in_nothing, "what is noted");
	prove_claims();
	possible(fine);
	prove_hazards(truth(true));
	memory_free(was);
}

/* Targets as wv_table_targets leaves them, or as a call of wv_table_next does. */
static void given_targets(void)
{
	targets = exec_struct(now, "struct.wv_targets", 0);
	struct number n = valid_number("at");
	struct value at = field_of(&targets, offsetof(struct wv_targets, at));
	term k = input("k", 64);
	given_module();
	number_store(now, &at, &n);
	memory_point(&targets, offsetof(struct wv_targets, module), &module);
	exec_store(now, &targets, offsetof(struct wv_targets, next), input("next", 64));
	exec_store(now, &targets, offsetof(struct wv_targets, stride), shl(bits(64, 1), k));
	exec_store(now, &targets, offsetof(struct wv_targets, base), input("base", 64));
	assume(ult(k, bits(64, 64)));
	assume(within_rodata(n.umax));
}

/* uint64_t wv_table_length(t) */
void build_table_length(const struct query *q)
{
	begin_jump();
	given_targets();
	struct value args[] = {targets}, told = call_function(q, args, now);
	term length = told.part[0], given = name_of(to_come()), step = TARGETS(stride), most = offsets().umax;
	term farther = sub(x, TARGETS(next)), farthest = sub(most, TARGETS(next)),
	     all = quotient(farthest, step, false).q;
	if (!plainly()) {
		assume(law_of_dividends(farther, farthest, step, false));
		assume(eq(all, lshr(farthest, input("k", 64)))); /* by a power of two */
	}
	prove("no farther than the last one",
		implies(given, and_(ule(farther, farthest), not_(ult(most, TARGETS(next))))));
	prove("it is counted", implies(given, ult(quotient(farther, step, false).q, length)));
	prove("no more than there are", ule(length, rodata_size));
	if (!plainly())
		possible(given);
	prove_hazards(truth(true));
}

/* ---- the next one ---- */

static term rodata_bytes; /* where they are */
static term given;        /* x was to come */
static struct {
	term at, again; /* the offset at the head of the loop; that this turn is not the last one */
} turn;

/* Four bytes of rodata, at some offset. */
static term read_entry(term base, term offset, unsigned bytes, term guard)
{
	term other = plainly() ? input("other", 32) : fresh(32);
	if (base != rodata_bytes || bytes != ENTRY)
		give_up("an entry that is read from somewhere else");
	prove("what is read lies within rodata", implies(guard, within_rodata(offset)));
	return ite(eq(offset, x), entry, other);
}

/* bool wv_num_has(n, value) */
static bool called_for_next(
	const char *name, const struct value *args, struct memory *m, term guard, struct value *result)
{
	if (strcmp(name, "wv_num_has") != 0 || plainly())
		return called(name, args, m, guard, result);
	struct number n = number_load(m, &args[0]);
	same_members(&n, x, args[1].part[0], truth(true));
	*result = exec_bits(member(&n, args[1].part[0]));
	return true;
}

static void arrives(struct memory *m, term *phi, unsigned n, term guard)
{
	(void)phi;
	now = m;
	if (n)
		give_up("the loop over entries is another one");
	prove("to come at first", implies(and_(guard, given), to_come()));
	turn.at = fresh(64);
	exec_store(m, &targets, offsetof(struct wv_targets, next), turn.at);
	assume(implies(and_(guard, given), to_come()));
}

/* An offset that is none of them is passed over: it is not x, so that is a step ahead at least. */
static void returns(struct memory *m, const term *phi, unsigned n, term guard)
{
	(void)phi;
	(void)n;
	now = m;
	turn.again = guard;
	prove("offsets go up", implies(guard, ult(turn.at, TARGETS(next))));
	prove("it was not here", implies(and_(guard, given), ult(turn.at, x)));
	prove("to come in the next turn", implies(and_(guard, given), to_come()));
}

static bool in_progress(uint64_t at)
{
	return at == offsetof(struct wv_targets, next) || at == offsetof(struct wv_targets, entry);
}

/* bool wv_table_next(t, target) */
void build_table_next(const struct query *q)
{
	bool plain = plainly();
	begin_jump();
	given_targets();
	summarise_always(called_for_next);
	exec_reads = read_entry;
	rodata_bytes = MODULE(rodata_bytes.p);
	given = name_of(to_come());
	turn.at = turn.again = NULL;
	struct value target = exec_object(now, (const uint8_t[]){8, 0}), args[] = {targets, target};
	if (plain) { /* one entry, the last one */
		exec_bound = and_(eq(offsets().umax, x), eq(TARGETS(next), x));
		assume(exec_bound);
		exec_most_turns = 2;
	} else {
		exec_cut = (struct exec_cut){"wv_table_next", arrives, returns};
	}
	was = memory_copy(now);
	struct value told = call_function(q, args, now);
	now = &state_memory;
	if (!plain && !turn.again)
		give_up("there is no loop over entries");
	term last = plain ? truth(true) : not_(turn.again), left = and_(last, given), found = returned_true(&told),
	     here = eq(exec_load(now, &target, 0, 8), add(TARGETS(base), wide_entry()));
	prove("there is one", implies(left, found));
	prove("where the machine goes, or that is still to come", implies(and_(left, found), or_(here, to_come())));
	if (!plain)
		prove("offsets go up", implies(and_(last, found), ult(turn.at, TARGETS(next))));
	claim_same(&targets, in_progress, "what is known of the targets");
	prove_claims();
	if (!plain)
		possible(and_(left, found));
	prove_hazards(truth(true));
	memory_free(was);
}
