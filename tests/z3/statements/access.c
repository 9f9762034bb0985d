/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads and stores as a whole (mem.c), blocks of bytes, push and pop: at any address, with any contents there.
 * stack.c describes the state's stack and the machine's.
 *
 * Besides what stack.c says, this proves the following if nothing is reported. The address is in a region, all bytes
 * of the access lie within it, and a store goes to a region that may be written. What is stored outside the stack is
 * the probe's own, all of it. In the stack the bytes lie below the return address, and at or above rsp less the red
 * zone. After a push or a pop rsp is what the manual says, and the state has no slots that a signal handler may
 * overwrite.
 */
#include <string.h>

#include "tests/z3/engine/facts.h"
#include "tests/z3/engine/memory.h"
#include "stack.h"

#define MODULE(field) exec_load(now, &module, offsetof(struct wv_module, field), sizeof(((struct wv_module *)0)->field))

static struct content where; /* the address */
static term into_stack;
static const struct value *at_address;

static term red_zone(void)
{
	term profile = MODULE(profile);
	return ite(eq(profile, bits(width_of(profile), WARD_PROFILE_USER)), bits(64, 128), bits(64, 0));
}

/* Rsp is so far below its value at the entry; slots that are there are its own, or the red zone's. */
static void given_frame(void)
{
	term depth = input("deep", 32), profile = MODULE(profile);
	exec_store(now, &state, offsetof(struct wv_state, depth), depth);
	exec_store(now, &module, offsetof(struct wv_module, profile), input("profile", width_of(profile)));
	exec_store(now, &context, offsetof(struct wv_ctx, max_stack), input("max_stack", 32));
	exec_store(now, &context, offsetof(struct wv_ctx, stack_bytes), input("stack_bytes", 32));
	assume(and_(ule(depth, bits(32, WARD_STACK_CEILING)), eq(extract(2, 0, depth), bits(3, 0))));
	assume(ule(shl(zext(slots_before, 64), bits(64, 3)), add(zext(depth, 64), red_zone())));
	assume(ule(CONTEXT(max_stack), bits(32, WARD_STACK_CEILING)));
}

static void claim_frame(void)
{
	term depth = STATE(depth), rsp = sub(bits(64, 0), zext(depth, 64));
	struct content c = register_now(WV_RSP);
	claim("a stack pointer that is aligned", eq(extract(2, 0, depth), bits(3, 0)));
	claim("slots of the frame", ule(shl(zext(STATE(n_slots), 64), bits(64, 3)), add(zext(depth, 64), red_zone())));
	claim("how deep it is", ule(depth, CONTEXT(stack_bytes)));
	claim("the stack pointer", and_(is_kind(&c, WV_PTR), and_(eq(c.region, bits(8, WV_STACK)), eq(c.h.x, rsp))));
	claim("a stack pointer that is known",
		and_(eq(c.h.n.umin, rsp), and_(eq(c.h.n.umax, rsp), eq(c.h.n.smin, rsp))));
	claim("a member", has_its_number(&c));
	claim("a value that is whole", is_whole(&c));
}

/* Any address. */
static struct value given_address(void)
{
	struct value at = exec_struct(now, "struct.wv_val", 0);
	exec_store(now, &at, offsetof(struct wv_val, region), input("region", 8));
	where = given_content(&at, "at", truth(true));
	exec_store(now, &module, offsetof(struct wv_module, event_size), input("event", width_of(MODULE(event_size))));
	exec_store(now, &module, offsetof(struct wv_module, state_size), input("state", width_of(MODULE(state_size))));
	exec_store(now, &module, offsetof(struct wv_module, rodata.memsz),
		input("rodata", width_of(MODULE(rodata.memsz))));
	exec_store(now, &module, offsetof(struct wv_module, data.memsz), input("data", width_of(MODULE(data.memsz))));
	if (plainly()) { /* a pointer to any region but a lent one */
		exec_store(now, &at, offsetof(struct wv_val, kind), bits(8, WV_PTR));
		assume(ult(input("region", 8), bits(8, WV_LENT)));
	}
	where = content_load(&at);
	assume(has_number(&where.h));
	into_stack = and_(is_kind(&where, WV_PTR), eq(where.region, bits(8, WV_STACK)));
	return at;
}

/* If it lies within what slots there can be, it is that of the access. */
static struct value given_place(unsigned bytes)
{
	struct value at = given_address();
	term in_frame = and_(sle(least_offset(), where.h.x), sle(where.h.x, sub(bits(64, 0), bits(64, bytes))));
	assume(implies(in_frame, eq(where.h.x, offset)));
	return at;
}

static void claim_within(term length, bool stores)
{
	term size = bits(64, 0), region = where.region, writable = truth(false);
	const struct {
		enum wv_region region;
		term size;
		bool writable;
	} regions[] = {{WV_EVENT, zext(MODULE(event_size), 64), false}, {WV_STATE, zext(MODULE(state_size), 64), true},
		{WV_RODATA, zext(MODULE(rodata.memsz), 64), false}, {WV_DATA, zext(MODULE(data.memsz), 64), true}};
	for (unsigned i = 0; i < sizeof regions / sizeof regions[0]; i++) {
		size = ite(eq(region, bits(8, regions[i].region)), regions[i].size, size);
		writable = or_(writable, and_(eq(region, bits(8, regions[i].region)), truth(regions[i].writable)));
	}
	for (unsigned i = 0; i < WV_MAX_LENT; i++) {
		size_t lent = offsetof(struct wv_ctx, lent) + i * sizeof(struct wv_window);
		term is = eq(region, bits(8, WV_LENT + i)),
		     may = eq(extract(0, 0, exec_load(now, &context, lent + offsetof(struct wv_window, writable), 1)),
			     bits(1, 1));
		size = ite(is, zext(exec_load(now, &context, lent + offsetof(struct wv_window, size), 4), 64), size);
		writable = or_(writable, and_(is, may));
	}
	term lowest = sub(bits(64, 0), add(zext(STATE(depth), 64), red_zone())), x = where.h.x, zero = bits(64, 0);
	claim("a pointer", is_kind(&where, WV_PTR));
	claim("within the region", implies(not_(into_stack), and_(ule(length, size), ule(x, sub(size, length)))));
	claim("a region that may be written", implies(not_(into_stack), or_(truth(!stores), writable)));
	claim("within the frame", implies(into_stack, and_(sle(lowest, x), sle(x, sub(zero, length)))));
	claim("how deep it is", implies(into_stack, ule(sub(zero, x), zext(CONTEXT(stack_bytes), 64))));
	claim("slots of the frame",
		ule(shl(zext(STATE(n_slots), 64), bits(64, 3)), add(zext(STATE(depth), 64), red_zone())));
}

/* ---- callees ---- */

static unsigned access_bytes; /* of a load or a store */
static term alignment_noted;
static term table_entry; /* what is loaded, of so many bytes */
static unsigned entry_bytes;
static term constants_few; /* that they are few was told */

/* struct wv_val wv_address(ctx, st, insn): a value that tells the truth of it. */
static void call_address(const struct called *c)
{
	memory_copy_bytes(c->memory, &c->args[0], at_address, sizeof(struct wv_val));
}

/* Which facts are gathered for the loader matters to nothing here. */
static void call_note_access(const struct called *c)
{
	exec_store(c->memory, &context, offsetof(struct wv_ctx, event_fields), fresh(16));
	exec_store(c->memory, &context, offsetof(struct wv_ctx, writes_state), fresh(8));
}

/* void wv_note_alignment(ctx, at, bytes): of the address of the access, and its bytes. */
static void call_note_alignment(const struct called *c)
{
	struct content at = content_load(&c->args[1]);
	claim("the access whose alignment is noted",
		implies(c->guard,
			and_(eq(at.h.x, where.h.x),
				and_(eq(at.region, where.region), eq(c->args[2].part[0], bits(32, access_bytes))))));
	alignment_noted = or_(alignment_noted, c->guard);
}

static void call_any_truth(const struct called *c)
{
	*c->result = exec_bits(fresh_bool());
}

/*
 * bool wv_table_constants(m, at, bytes, c): that the load is at one of the offsets is what all that is known of its
 * constants rests on.
 */
static void call_table_constants(const struct called *c)
{
	struct number at = number_load(c->memory, &c->args[1]);
	claim("offsets of the load", implies(c->guard, and_(valid(&at), member(&at, where.h.x))));
	claim("as many bytes as are loaded", implies(c->guard, eq(c->args[2].part[0], bits(32, entry_bytes))));
	*c->result = exec_bits(constants_few = fresh_bool());
}

/*
 * void wv_table_loaded(ctx, at, v): the load is at one of the offsets, of four bytes of rodata, and v is what was
 * loaded, by a low identity of its own.
 */
static void call_table_loaded(const struct called *c)
{
	struct number at = number_load(c->memory, &c->args[1]);
	struct content v = content_load(&c->args[2]);
	term from_rodata = and_(is_kind(&where, WV_PTR), eq(where.region, bits(8, WV_RODATA)));
	claim("a load of four bytes of rodata", implies(c->guard, and_(truth(entry_bytes == 4), from_rodata)));
	claim("offsets of the load", implies(c->guard, and_(valid(&at), member(&at, where.h.x))));
	claim("what was loaded", implies(c->guard, and_(eq(low_symbol_number(v.h.lsym), extract(31, 0, table_entry)),
							   eq(v.h.ladd, bits(32, 0)))));
}

static void call_words(const struct called *c)
{
	*c->result = (struct value){.kind = POINTER};
}

static void number_of_table(const struct called *c, term x)
{
	struct number n = number_fresh();
	claim("constants that are few", implies(c->guard, constants_few ? constants_few : truth(false)));
	number_store(c->memory, &c->args[0], &n);
	ask_about(&n, x);
	assume(and_(valid(&n), member(&n, x)));
}

/*
 * struct wv_num wv_constants_unsigned(c, bytes), wv_constants_signed(c): of what the table has at each offset that the
 * load may be at.
 */
static void call_constants_unsigned(const struct called *c)
{
	number_of_table(c, table_entry);
}

static void call_constants_signed(const struct called *c)
{
	number_of_table(c, low_sext(table_entry, 8 * entry_bytes));
}

static const struct callee callees[] = {
	{"wv_address", call_address, true},
	{"wv_note_alignment", call_note_alignment, true},
	{"note_access", call_note_access, true},
	{"wv_module_touches_slot", call_any_truth, true},
	{"wv_table_constants", call_table_constants, false},
	{"wv_constants_unsigned", call_constants_unsigned, false},
	{"wv_constants_signed", call_constants_signed, false},
	{"wv_table_loaded", call_table_loaded, false},
	{"wv_region_name", call_words, true},
	{NULL, NULL, false},
};

/* ---- the rows ---- */

/* struct wv_val wv_load(ctx, st, insn, bytes) */
void build_load(const struct query *q)
{
	unsigned bytes = (unsigned)q->op;
	begin_stack(bytes, false);
	also_call(callees);
	given_frame();
	struct value at = given_place(bytes), out = exec_struct(now, "struct.wv_val", 0),
		     args[] = {out, context, state, instruction, exec_bits(bits(32, bytes))}, told;
	at_address = &at;
	entry_bytes = access_bytes = bytes;
	alignment_noted = truth(false);
	term mine, in_stack = loaded(bytes, &mine), elsewhere = low_zext(input("elsewhere", 64), 8 * bytes),
		   x = ite(into_stack, in_stack, elsewhere);
	any_is = table_entry = x;
	called_with(q, args, &told);
	claim("its alignment is noted", alignment_noted);
	claim_within(bits(64, bytes), false);
	claim_loaded(&out, bytes, x, or_(not_(into_stack), mine), truth(true));
	end_stack(in_nothing);
}

/* void wv_store(ctx, st, insn, bytes, v) */
void build_store(const struct query *q)
{
	unsigned bytes = (unsigned)q->op;
	begin_stack(bytes, true);
	also_call(callees);
	given_frame();
	struct value at = given_place(bytes), v = given_value_to_store(bytes),
		     args[] = {context, state, instruction, exec_bits(bits(32, bytes)), v}, told;
	at_address = &at;
	access_bytes = bytes;
	alignment_noted = truth(false);
	called_with(q, args, &told);
	claim("its alignment is noted", alignment_noted);
	claim_within(bits(64, bytes), true);
	claim("of the probe's own, if others can read it", or_(into_stack, all_stored_own()));
	machine_store(into_stack);
	claim_slots();
	end_stack(in_slots);
}

/* ---- blocks, and what xmm registers hold: any bytes of the probe's own, so many at most ---- */

static const struct callee block_callees[] = {
	{"note_access", call_note_access, true},
	{"wv_module_touches_slot", call_any_truth, true},
	{"wv_region_name", call_words, true},
	{"smudge_bytes", call_smudge_bytes, false},
	{NULL, NULL, false},
};

static term given_length(void)
{
	term length = input("length", 32);
	assume(and_(ule(bits(32, 1), length), ule(length, bits(32, MOST_BYTES))));
	return length;
}

/* Anywhere, of one slot that it may hit. */
static struct value begin_block(term *length)
{
	begin_stack(1, false);
	also_call(block_callees);
	given_frame();
	struct value at = given_address();
	*length = given_length();
	if (plainly()) {
		exec_bound = and_(
			exec_bound, and_(ule(*length, bits(32, 2)), sle(bits(64, 0 - UINT64_C(8)), where.h.n.smin)));
		assume(exec_bound);
	}
	return at;
}

/* void wv_load_block(ctx, st, insn, at, bytes): `byte` of the slot is any of those that are loaded. */
void build_load_block(const struct query *q)
{
	term length, many = input("many", 64), x;
	struct value at = begin_block(&length), args[] = {context, state, instruction, at, exec_bits(length)}, told;
	length = zext(length, 64);
	x = where.h.x;
	exec_most_turns = 9; /* in a search, of the loop over bytes */
	assume(ule(many, length));
	called_with(q, args, &told);
	claim_within(length, false);
	claim("bytes of the probe's own",
		implies(and_(into_stack, and_(sle(x, offset), slt(offset, add(x, many)))), bytes_own(1)));
	end_stack(in_nothing);
}

static void stored_block(const struct query *q, const struct value *args, term length, term many)
{
	struct value told;
	term exact = and_(eq(where.h.n.umin, where.h.n.umax), eq(where.h.n.smin, where.h.n.umin)),
	     place = ite(exact, where.h.n.smin, where.h.x), cases[] = {exact, not_(exact)};
	split_by(cases, 2);
	called_with(q, args, &told);
	claim_within(length, true);
	claim("where it is", eq(place, where.h.x));
	machine_store_bytes(into_stack, place, add(place, many));
	claim_slots();
	end_stack(in_slots);
}

/* void wv_store_block(ctx, st, insn, at, bytes, exact): fewer are stored, unless that says that they are all. */
void build_store_block(const struct query *q)
{
	term length, many = input("many", 64), all = input_bool("all");
	struct value at = begin_block(&length),
		     args[] = {context, state, instruction, at, exec_bits(length), exec_bits(all)};
	length = zext(length, 64);
	assume(and_(ule(many, length), implies(all, eq(many, length))));
	stored_block(q, args, length, many);
}

/* void wv_store_bytes(ctx, st, insn, at, bytes) */
void build_store_bytes(const struct query *q)
{
	term length;
	struct value at = begin_block(&length), args[] = {context, state, instruction, at, exec_bits(length)};
	length = zext(length, 64);
	stored_block(q, args, length, length);
}

/* ---- the stack pointer ---- */

/* void wv_push(ctx, st, insn, v): at rsp less eight. */
void build_push(const struct query *q)
{
	begin_stack(8, false);
	given_frame();
	struct value v = given_value_to_store(8), args[] = {context, state, instruction, v}, told;
	term depth = STATE(depth);
	assume(and_(eq(byte, bits(64, 0)), eq(shl(slot, bits(32, 3)), add(depth, bits(32, 8)))));
	called_with(q, args, &told);
	machine_store(truth(true));
	claim_slots();
	claim("eight bytes lower",
		and_(eq(STATE(depth), add(depth, bits(32, 8))), ule(STATE(depth), CONTEXT(max_stack))));
	claim_frame();
	end_stack(in_frame_of_stack);
}

/* struct wv_val wv_pop(ctx, st, insn): what is at rsp, which is eight higher then. */
void build_pop(const struct query *q)
{
	begin_stack(8, false);
	given_frame();
	struct value out = exec_struct(now, "struct.wv_val", 0), args[] = {out, context, state, instruction}, told;
	term depth = STATE(depth), mine, x = loaded(8, &mine);
	assume(and_(eq(byte, bits(64, 0)), implies(not_(eq(depth, bits(32, 0))), eq(shl(slot, bits(32, 3)), depth))));
	assume(ule(depth, CONTEXT(stack_bytes)));
	any_is = x;
	called_with(q, args, &told);
	claim_loaded(&out, 8, x, mine, truth(true));
	claim_slots();
	claim("eight bytes higher", eq(STATE(depth), sub(depth, bits(32, 8))));
	claim("below the return address", not_(eq(depth, bits(32, 0))));
	claim_frame();
	end_stack(in_frame_of_stack);
}

/* void wv_move_stack(ctx, st, insn, depth) */
void build_move_stack(const struct query *q)
{
	begin_stack(8, false);
	given_frame();
	term depth = input("depth", 64);
	struct value args[] = {context, state, instruction, exec_bits(depth)}, told;
	called_with(q, args, &told);
	claim_slots();
	claim("as deep as that", and_(eq(zext(STATE(depth), 64), depth), ule(STATE(depth), CONTEXT(max_stack))));
	claim_frame();
	end_stack(in_frame_of_stack);
}

/* void wv_write_reg(ctx, st, insn, WV_RSP, 64, v): rsp is what v is. */
void build_write_stack(const struct query *q)
{
	begin_stack(8, false);
	given_frame();
	struct value v = given_address(),
		     args[] = {context, state, instruction, exec_bits(bits(32, WV_RSP)), exec_bits(bits(32, q->width)),
			     v},
		     told;
	called_with(q, args, &told);
	claim_slots();
	claim("a pointer to the stack", into_stack);
	claim("what it points to", eq(sub(bits(64, 0), zext(STATE(depth), 64)), where.h.x));
	claim("no deeper than may be", ule(STATE(depth), CONTEXT(max_stack)));
	claim_frame();
	end_stack(in_frame_of_stack);
}

static bool in_frame_or_rbp(uint64_t at)
{
	const size_t rbp = offsetof(struct wv_state, reg) + WV_RBP * sizeof(struct wv_val);
	return in_frame_of_stack(at) || (at >= rbp && at < rbp + sizeof(struct wv_val));
}

static struct value sink;

/* void wv_report(sink, …): one more, by which a function sees that it has. */
static void call_report(const struct called *c)
{
	term count = exec_load(c->memory, &sink, offsetof(struct wv_sink, count), 8);
	reported = or_(reported, c->guard);
	exec_store(c->memory, &sink, offsetof(struct wv_sink, count), ite(c->guard, add(count, bits(64, 1)), count));
}

/* void wv_step_leave(ctx, st, insn): rbp is what is where it points to, and rsp points behind that. */
void build_leave(const struct query *q)
{
	static const struct callee callees[] = {
		{"wv_report", call_report, true}, {"wv_pop", NULL, true}, {NULL, NULL, false}};
	begin_stack(8, false);
	also_call(callees);
	sink = exec_struct(now, "struct.wv_sink", 0);
	memory_point(&context, offsetof(struct wv_ctx, sink), &sink);
	given_frame();
	struct value frame = given_place(8),
		     rbp = field_of(&state, offsetof(struct wv_state, reg) + WV_RBP * sizeof(struct wv_val)),
		     args[] = {context, state, instruction}, told;
	memory_copy_bytes(now, &rbp, &frame, sizeof(struct wv_val));
	term mine, x = loaded(8, &mine);
	assume(ule(STATE(depth), CONTEXT(stack_bytes)));
	any_is = x;
	term written = CONTEXT(written);
	called_with(q, args, &told);
	claim("a register that is written",
		eq(CONTEXT(written), bor(written, bits(8 * sizeof(((struct wv_ctx *)0)->written), 1u << WV_RBP))));
	exec_store(now, &context, offsetof(struct wv_ctx, written), written); /* all else is as it was */
	claim("a pointer to the stack", into_stack);
	claim_loaded(&rbp, 8, x, mine, truth(true));
	claim_slots();
	claim("eight bytes higher than that",
		eq(sub(bits(64, 0), zext(STATE(depth), 64)), add(where.h.x, bits(64, 8))));
	claim_frame();
	end_stack(in_frame_or_rbp);
}
