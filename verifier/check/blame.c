/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds where a number comes from: "rcx was loaded at 0x1031 and never bounded".
 *
 * A rejection says which access may miss its region. Its reader needs the place that made the number at fault. Values
 * carry no history, since that would cost time for every module. Instead, once a module is rejected, blame.c sweeps
 * the code again with a watcher that traces the number back. Each sweep finds one more step of the trace: from the
 * access to the register, then to the instruction that made the register's value, or to the block whose claim the
 * value comes from and the edges into that block. A value's symbol identifies it; symbols are numbered in the order
 * of the code.
 *
 * The source may compare what stands in memory first and load it again for its use; the loaded number then looks
 * bounded there, but isn't. So a trace that ends at an unbounded load also looks for an earlier read of the same
 * place in the function.
 *
 * Three other violations have their own traces. For a loop with no bound, or too high a one, the watcher looks at
 * what the loop's exits compare: of the two sides, the one that the loop doesn't change needed a limit. For a
 * reachable trap, it looks at what the branch to the trap compared. Where control runs from the end of one function
 * into code that is a function of its own, it finds the branch that made that code a function.
 *
 * Nothing here has a part in the verdict.
 */
#include "check.h"
#include "verifier/step/import.h"
#include "verifier/proof/rank.h"
#include "verifier/step/step.h"

#include <string.h>

/*
 * All sweeps together may take half the steps that the check of the module may take (V-06). So large modules, and
 * those with many claims in their frames, get fewer sweeps. Only the first violations are traced: each instruction of
 * a sweep looks at each trace, and all traces are on the stack, which may be that of a small thread of the host's.
 */
enum { MAX_SWEEPS = 24, MAX_TRACES = 128, TRACES_STEP = 16 };

enum stage {
	AT_LOOP,      /* of a loop with too high a bound: where does it end? */
	AT_BACK_EDGE, /* of a loop without a bound: where is its head? */
	AT_EXITS,     /* looking at the comparisons that could end the loop: which register do they wait for? */
	AT_TRAP,      /* of a trap: in which block is it, unless the branch to it is in the same? */
	AT_BRANCH,    /* of a place that control runs into from another function: which branch leads there? */
	AT_WAYS,      /* looking at the edges into that block: what was compared? */
	AT_ACCESS,    /* looking at the violation: which register is to blame? */
	AT_SOURCE,    /* looking at the instruction that made the value: from which register? */
	IN_BLOCK,     /* looking through the block for what made the symbol */
	AT_EDGES,     /* looking at the edges into the block for what they bring to the location */
	AT_READS,     /* it was loaded; looking through the function for what reads the same place before */
	DONE,
};

struct trace {
	struct ward_violation *violation;
	uint64_t found; /* the origin, if any */
	const char *reg, *how, *limit;
	unsigned side; /* AT_EXITS: 0 or 1, of the comparison */
	uint64_t head; /* AT_EXITS: the address of the loop's head */
	uint64_t room; /* AT_EXITS: how far what counts the loop's rounds may move, at most */
	enum stage stage;
	uint64_t pc;                  /* AT_ACCESS, AT_SOURCE: the instruction; IN_BLOCK: the last one seen */
	uint64_t spread;              /* of the value that is followed: greatest less least */
	uint32_t sym;                 /* IN_BLOCK */
	const struct wv_block *block; /* IN_BLOCK, AT_EDGES */
	struct wv_loc loc;            /* AT_EDGES */
	bool moved;                   /* this sweep has answered */
	/* AT_READS: the function, and where the number was loaded from */
	const struct wv_function *function;
	enum wv_region region;
	uint64_t offset;
	/* AT_EDGES: the widest that came in so far */
	uint64_t best;
	const struct wv_block *best_block;
	uint32_t best_sym;
};

struct tracer {
	struct wv_check *c;
	uint64_t text; /* its address */
	const struct wv_function *f;
	const struct wv_block *block;
	struct trace t[MAX_TRACES];
	size_t n;
};

static uint64_t spread_of(const struct wv_val *v)
{
	return v->kind == WV_NUM || v->kind == WV_PTR ? v->n.umax - v->n.umin : 0;
}

/* The older of a value's symbols: that of what its low half was taken from. */
static uint32_t symbol_of(const struct wv_val *v)
{
	return v->lsym && v->lsym < v->sym ? v->lsym : v->sym;
}

static void trace_finish(struct trace *t, uint64_t pc, const char *how)
{
	t->found = pc;
	t->how = how;
	t->stage = DONE;
	t->moved = true;
}

/* Go on with the value `v`, found in `block`. */
static void trace_follow(struct trace *t, const struct wv_block *block, const struct wv_val *v)
{
	t->stage = IN_BLOCK;
	t->block = block;
	t->sym = symbol_of(v);
	t->spread = spread_of(v);
	t->pc = 0;
	t->moved = true;
}

/* ---- at the access ---- */

static const char *limit_of(const struct ward_violation *v, const struct wv_val *value)
{
	const struct wv_num *n = &value->n;
	if (strcmp(v->reason, "division-by-possible-zero") == 0)
		return "and may be zero";
	if (strcmp(v->reason, "jump-not-through-table") == 0)
		return "and is no address from a table";
	if (v->rule == WARD_RULE_POINTER)
		return "and is no pointer to granted memory";
	/* bounded, as a signed number of 32 bits, from above only */
	bool low = n->umax <= UINT32_MAX && n->lsmin < 0 && n->lsmax < INT32_MAX;
	if (low || (n->smin < 0 && (n->smin > INT64_MIN / 2 || n->smax < INT64_MAX / 2)))
		return "and may be negative";
	return n->umax == UINT64_MAX || n->umax - n->umin >= INT32_MAX ? "and never bounded" : "and not bounded enough";
}

/*
 * The signature of the import that a call or jump leads to, through a slot or through a stub; NULL if it leads to
 * none.
 */
static const struct wv_signature *called_import(const struct wv_module *m, const struct wv_insn *insn)
{
	uint32_t number;
	bool called = wv_through_slot(insn)
			      ? wv_module_slot(m, (uint64_t)insn->mem.disp, &number)
			      : insn->target >= m->text.addr && wv_module_stub(m, insn->target - m->text.addr, &number);
	return called ? wv_signature(m->import[number].id) : NULL;
}

/* The widest of an import's arguments whose values are checked: ids, and buffers with their lengths. */
static uint8_t blamed_argument(const struct wv_ctx *ctx, const struct wv_insn *insn, const struct wv_state *st)
{
	const struct wv_signature *sig = called_import(ctx->module, insn);
	uint8_t worst = WV_NOREG;
	for (unsigned i = 0; sig && i < WV_MAX_ARGUMENTS; i++) {
		const struct wv_argument *a = &sig->argument[i];
		uint8_t reg[2] = {a->kind > WV_ARG_SCALAR ? wv_argument_register[i] : WV_NOREG,
			a->kind > WV_ARG_ID ? wv_argument_register[a->detail] : WV_NOREG};
		for (unsigned k = 0; k < 2; k++) {
			if (reg[k] < WV_NREG &&
				(worst == WV_NOREG || spread_of(&st->reg[reg[k]]) > spread_of(&st->reg[worst])))
				worst = reg[k];
		}
	}
	return worst;
}

static void insn_blame(struct tracer *r, struct trace *t, const struct wv_insn *insn, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	uint8_t reg[2] = {WV_NOREG, WV_NOREG};
	uint64_t spread[2] = {0, 0};
	const struct ward_violation *broken = t->violation;
	if (broken->rule == WARD_RULE_ARGUMENT) {
		reg[0] = blamed_argument(ctx, insn, st);
	} else if (strcmp(broken->reason, "quotient-may-overflow") == 0) {
		reg[0] = WV_RDX;
		reg[1] = WV_RAX;
	} else if (broken->rule == WARD_RULE_DIVIDE && insn->operand[0].kind == WV_MEM) {
		t->reg = "the divisor";
		t->limit = "and may be zero";
		trace_finish(t, insn->pc, "loaded");
		return;
	} else if (broken->rule == WARD_RULE_DIVIDE || broken->rule == WARD_RULE_TABLE) {
		reg[0] = insn->operand[0].kind == WV_REG ? insn->operand[0].reg : WV_NOREG;
	} else {
		reg[0] = insn->mem.base;
		reg[1] = insn->mem.index;
	}
	for (unsigned i = 0; i < 2; i++) {
		if (reg[i] < WV_NREG)
			spread[i] = spread_of(&st->reg[reg[i]]);
	}
	unsigned worst = spread[1] > spread[0];
	if (!spread[worst]) {
		t->stage = DONE;
		return;
	}
	const struct wv_val *v = &st->reg[reg[worst]];
	t->reg = ward_register_name(reg[worst]);
	t->limit = limit_of(t->violation, v);
	trace_follow(t, r->block, v);
}

/* A conditional jump from the loop to elsewhere, by jumping or by falling through its end. */
static bool may_end_loop(const struct trace *t, const struct wv_insn *insn)
{
	bool inside = insn->pc >= t->head && insn->pc <= t->pc, leaves = insn->target < t->head || insn->target > t->pc;
	return insn->op == WV_JCC && inside && (leaves || insn->pc + insn->length > t->pc);
}

/* The register, if any, that holds the trace's side of what was compared, and that has room. */
static void wait_for(struct tracer *r, struct trace *t, const struct wv_state *st)
{
	const struct wv_val *v = t->side ? &st->flags.b : &st->flags.a;
	/* or counted down to zero */
	bool compared = st->flags.relation == WV_REL_CMP || (st->flags.relation != WV_REL_NONE && t->side == 0);
	if (!compared || v->kind != WV_NUM || !spread_of(v))
		return;
	/* this isn't why the loop has so many iterations: a key that it searches for */
	if (t->violation->rule == WARD_RULE_COST && spread_of(v) / 4 > t->room)
		return;
	for (uint8_t reg = 0; reg < WV_NREG; reg++) {
		if (st->reg[reg].kind == WV_NUM && symbol_of(&st->reg[reg]) == symbol_of(v)) {
			t->reg = ward_register_name(reg);
			t->limit = limit_of(t->violation, v);
			trace_follow(t, r->block, v);
			return;
		}
	}
}

/* ---- at the instruction that made the value ---- */

static void widest_value(const struct wv_state *st, unsigned reg, const struct wv_val **v)
{
	if (reg < WV_NREG && spread_of(&st->reg[reg]) && (!*v || spread_of(&st->reg[reg]) > spread_of(*v)))
		*v = &st->reg[reg];
}

static bool only_moves(const struct wv_insn *insn)
{
	switch (insn->op) {
	case WV_MOV:
	case WV_MOVZX:
	case WV_MOVSX:
	case WV_MOVSXD:
	case WV_LEA:
	case WV_CWDE:
	case WV_CDQE: return true;
	default: return false;
	}
}

static bool reads_memory(const struct wv_insn *insn)
{
	for (unsigned i = 0; i < insn->n_operands && i < 3; i++) {
		if (insn->operand[i].kind == WV_MEM && insn->op != WV_LEA)
			return true;
	}
	return insn->op == WV_POP;
}

/*
 * A jump to what was loaded from a table: the index is to blame, unless it is the jump itself that goes by no table.
 * False: the load had no index with room.
 */
static bool follow_index(struct tracer *r, struct trace *t, const struct wv_insn *insn, const struct wv_state *st)
{
	uint8_t reg = insn->mem.index;
	if (t->violation->rule != WARD_RULE_TABLE || strcmp(t->violation->reason, "jump-not-through-table") == 0 ||
		reg >= WV_NREG || !spread_of(&st->reg[reg]))
		return false;
	t->reg = ward_register_name(reg);
	t->limit = limit_of(t->violation, &st->reg[reg]);
	trace_follow(t, r->block, &st->reg[reg]);
	return true;
}

/* Is it a number that is to blame, where the violation is? */
static bool has_origin(const struct ward_violation *v)
{
	if (v->rule == WARD_RULE_ARGUMENT)
		return strncmp(v->reason, "buffer-outside", 14) == 0 || strcmp(v->reason, "id-too-large") == 0;
	return v->rule == WARD_RULE_POINTER || v->rule == WARD_RULE_BOUNDS || v->rule == WARD_RULE_STACK ||
	       v->rule == WARD_RULE_SPILL || v->rule == WARD_RULE_DIVIDE || v->rule == WARD_RULE_TABLE;
}

/* Where an instruction's operand in memory is, if that is one place outside the stack. */
static bool place_of(const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st,
	enum wv_region *region, uint64_t *offset)
{
	struct wv_sink silent = {0};
	struct wv_ctx aside = *ctx;
	aside.sink = &silent;
	struct wv_val at = wv_address(&aside, st, insn);
	*region = (enum wv_region)at.region;
	*offset = at.n.umin;
	return at.kind == WV_PTR && at.region != WV_STACK && wv_num_is_const(&at.n);
}

static void finish_loaded(struct tracer *r, struct trace *t, const struct wv_insn *insn, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	trace_finish(t, insn->pc, "loaded");
	if (!has_origin(t->violation) || insn->op == WV_POP || strcmp(t->limit, "and never bounded") != 0 ||
		!place_of(insn, ctx, st, &t->region, &t->offset))
		return;
	t->stage = AT_READS;
	t->function = r->f;
}

/* Is the place that was loaded from read by this instruction, which comes before? */
static bool reads_place(const struct tracer *r, const struct trace *t, const struct wv_insn *insn,
	const struct wv_ctx *ctx, const struct wv_state *st)
{
	enum wv_region region;
	uint64_t offset;
	bool only_reads = insn->operand[0].kind != WV_MEM || insn->op == WV_CMP || insn->op == WV_TEST;
	return r->f == t->function && insn->pc < t->found && insn->op != WV_POP && reads_memory(insn) && only_reads &&
	       place_of(insn, ctx, st, &region, &offset) && region == t->region && offset == t->offset;
}

/* A value made wider, or only moved, comes from where its source comes from; one made narrower comes from here. */
static void look_behind(struct tracer *r, struct trace *t, const struct wv_insn *insn, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	const struct wv_val *v = NULL;
	if (insn->op == WV_CALL || insn->op == WV_CALL_SLOT) {
		trace_finish(t, insn->pc, "returned by the call");
		return;
	}
	if (reads_memory(insn)) {
		if (!follow_index(r, t, insn, st))
			finish_loaded(r, t, insn, ctx, st);
		return;
	}
	for (unsigned i = 0; i < insn->n_operands && i < 3; i++) {
		if (insn->operand[i].kind == WV_REG && !(i == 0 && only_moves(insn)))
			widest_value(st, insn->operand[i].reg, &v);
	}
	if (insn->op == WV_LEA) {
		widest_value(st, insn->mem.base, &v);
		widest_value(st, insn->mem.index, &v);
	}
	if (insn->op == WV_CWDE || insn->op == WV_CDQE)
		widest_value(st, WV_RAX, &v);
	if (v && (only_moves(insn) || spread_of(v) <= t->spread))
		trace_follow(t, r->block, v);
	else
		trace_finish(t, insn->pc, "computed");
}

/* ---- in the block ---- */

/* The symbol was there when the block was entered: in which location? */
static void find_location(struct trace *t, const struct wv_state *st)
{
	t->stage = DONE;
	t->moved = true;
	t->best = 0;
	t->best_block = NULL;
	for (uint8_t reg = 0; reg < WV_NREG; reg++) {
		if (reg != WV_RSP && spread_of(&st->reg[reg]) && symbol_of(&st->reg[reg]) == t->sym) {
			t->stage = AT_EDGES;
			t->loc = (struct wv_loc){.reg = reg};
			return;
		}
	}
	for (uint32_t s = 0; s < st->n_slots; s++) {
		if (st->slot[s].width && symbol_of(&st->slot[s].v) == t->sym) {
			t->stage = AT_EDGES;
			t->loc = (struct wv_loc){.reg = WV_NREG, .slot = s + 1};
			return;
		}
	}
}

/* The block in which a loop begins: the loop ends where the first block behind its last one begins. */
static void find_end(struct tracer *r, struct trace *t, const struct wv_function *f, const struct wv_block *b)
{
	uint64_t last = 0, behind = UINT64_MAX;
	t->stage = DONE;
	t->moved = true;
	for (uint32_t l = 0; l < f->n_loops; l++) {
		const struct wv_loop *loop = &f->loops[l];
		if (&f->blocks[loop->head] != b)
			continue;
		t->room = loop->claim ? wv_rank_width((enum wv_view)loop->view, &loop->claim->facts->n) : 0;
		for (uint32_t i = f->loops[l].head; i < f->loops[l].end; i++)
			last = f->blocks[i].addr > last ? f->blocks[i].addr : last;
		for (uint32_t i = 0; i < f->n_blocks; i++)
			behind = f->blocks[i].addr > last && f->blocks[i].addr < behind ? f->blocks[i].addr : behind;
		t->head = t->pc;
		t->pc = behind == UINT64_MAX ? UINT64_MAX : r->text + behind - 1;
		t->stage = AT_EXITS;
	}
}

static void on_enter(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	struct tracer *r = user;
	r->f = f;
	r->block = b;
	r->c->steps += 1 + r->n / TRACES_STEP;
	for (size_t i = 0; i < r->n; i++) {
		struct trace *t = &r->t[i];
		if (t->stage == AT_LOOP && !t->moved && t->pc == r->text + b->addr)
			find_end(r, t, f, b);
		if (t->stage == IN_BLOCK && t->block == b && !t->moved && t->sym < ctx->next_sym)
			find_location(t, st);
	}
}

static void on_before(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	struct tracer *r = user;
	r->c->steps += 1 + r->n / TRACES_STEP;
	for (size_t i = 0; i < r->n; i++) {
		struct trace *t = &r->t[i];
		if (t->moved)
			continue;
		if (t->stage == IN_BLOCK && t->block == r->block) {
			if (t->sym < ctx->next_sym) { /* made by the instruction before */
				t->stage = AT_SOURCE;
				t->moved = true;
			} else {
				t->pc = insn->pc;
			}
		} else if (t->stage == AT_EXITS && may_end_loop(t, insn)) {
			wait_for(r, t, st);
		} else if (t->stage == AT_BRANCH && (insn->op == WV_JMP || insn->op == WV_JCC) &&
			   insn->target == t->pc) {
			t->reg = "this place";
			t->limit = "from elsewhere";
			trace_finish(t, insn->pc, "jumped to");
		} else if (t->stage == AT_TRAP && t->pc == insn->pc) {
			t->stage = AT_WAYS;
			t->block = r->block;
			t->moved = true;
			wait_for(r, t, st);
		} else if (t->stage == AT_ACCESS && t->pc == insn->pc) {
			insn_blame(r, t, insn, ctx, st);
		} else if (t->stage == AT_SOURCE && t->pc == insn->pc) {
			look_behind(r, t, insn, ctx, st);
		} else if (t->stage == AT_READS && reads_place(r, t, insn, ctx, st)) {
			t->limit = "and never bounded: what was read there before may have been another number";
			t->stage = DONE;
			t->moved = true;
		}
	}
}

/* ---- at the edges into the block ---- */

static const struct wv_val *value_at(const struct wv_state *st, const struct wv_loc *loc)
{
	if (!loc->slot)
		return &st->reg[loc->reg];
	return loc->slot <= st->n_slots && st->slot[loc->slot - 1].width ? &st->slot[loc->slot - 1].v : NULL;
}

static void on_edge(void *user, uint64_t pc, const struct wv_block *to, const struct wv_state *st, bool feasible)
{
	struct tracer *r = user;
	r->c->steps += 1 + r->n / TRACES_STEP;
	for (size_t i = 0; feasible && i < r->n; i++) {
		struct trace *t = &r->t[i];
		if (t->stage == AT_BACK_EDGE && t->pc == pc && to <= r->block) {
			t->head = r->text + to->addr;
			t->stage = AT_EXITS;
			t->moved = true;
		}
		if (t->stage == AT_WAYS && t->block == to && !t->moved)
			wait_for(r, t, st);
		if (t->stage != AT_EDGES || t->moved || t->block != to || r->block >= to)
			continue;
		const struct wv_val *v = value_at(st, &t->loc);
		if (v && spread_of(v) > t->best) {
			t->best = spread_of(v);
			t->best_block = r->block;
			t->best_sym = symbol_of(v);
		}
	}
}

/*
 * After a sweep: the edges into the block are known. If none of them brings a value as wide as the claim, the value
 * was widened where they meet.
 */
static void judge_edges(const struct wv_check *c, struct trace *t)
{
	const struct wv_function *f = &c->proof.functions[t->block->function];
	uint32_t l = t->block->loop;
	if (t->best_block && t->best >= t->spread / 2) {
		t->stage = IN_BLOCK;
		t->block = t->best_block;
		t->sym = t->best_sym;
		t->spread = t->best;
		return;
	}
	bool head = l != WV_NO_LOOP && &f->blocks[f->loops[l].head] == t->block;
	if (head && (t->violation->rule == WARD_RULE_RANK || t->violation->rule == WARD_RULE_COST))
		t->stage = DONE; /* that it changes is no news */
	else
		trace_finish(t, c->module->text.addr + t->block->addr,
			head ? "changed by the loop" : "joined from several ways");
}

/* ---- all of it ---- */

static void add_traces(struct tracer *r, struct ward_violation *v)
{
	if (!v->pc)
		return;
	for (unsigned side = 0; side < 2 && v->rule == WARD_RULE_RANK; side++)
		r->t[r->n++] = (struct trace){.violation = v, .stage = AT_BACK_EDGE, .pc = v->pc, .side = side};
	for (unsigned side = 0; side < 2 && strcmp(v->reason, "too-many-instructions") == 0; side++)
		r->t[r->n++] = (struct trace){.violation = v, .stage = AT_LOOP, .pc = v->pc, .side = side};
	for (unsigned side = 0; side < 2 && v->rule == WARD_RULE_TRAP; side++)
		r->t[r->n++] = (struct trace){.violation = v, .stage = AT_TRAP, .pc = v->pc, .side = side};
	if (strcmp(v->reason, "falls-into-other-function") == 0)
		r->t[r->n++] = (struct trace){.violation = v, .stage = AT_BRANCH, .pc = v->pc};
	if (has_origin(v))
		r->t[r->n++] = (struct trace){.violation = v, .stage = AT_ACCESS, .pc = v->pc};
}

/* The first trace of a violation that came to an end. */
static void trace_keep(const struct trace *t)
{
	struct ward_violation *v = t->violation;
	if (!t->found || v->origin_pc)
		return;
	v->origin_pc = t->found;
	v->origin_register = t->reg;
	v->origin_how = t->how;
	v->origin_limit = t->limit;
}

/*
 * One more sweep, which takes at most *steps and subtracts the steps that it took. False: it found nothing new, or
 * didn't finish.
 */
static bool sweep_again(struct wv_check *c, struct tracer *r, uint64_t *steps)
{
	bool any = false, open = false;
	for (size_t i = 0; i < r->n; i++) {
		r->t[i].moved = false;
		open |= r->t[i].stage != DONE;
	}
	if (!open)
		return false;
	wv_check_init(c, c->states);
	c->most_steps = *steps;
	wv_sweep(c);
	if (wv_steps(c) > *steps)
		return false;
	*steps -= wv_steps(c);
	for (size_t i = 0; i < r->n; i++) {
		struct trace *t = &r->t[i];
		if (t->stage == AT_EDGES && !t->moved) {
			judge_edges(c, t);
			t->moved = true;
		}
		if (t->stage == IN_BLOCK && !t->moved && t->pc) { /* made by the last instruction */
			t->stage = AT_SOURCE;
			t->moved = true;
		}
		any |= t->moved;
	}
	return any;
}

void wv_find_origins(struct wv_check *c, struct ward_violation *violations, size_t n)
{
	struct tracer r = {.c = c, .text = c->module->text.addr};
	uint64_t steps = c->most_steps / 2;
	struct wv_sink *sink = c->sink, quiet = {0};
	const struct wv_watcher *watcher = c->watcher;
	struct wv_watcher tracer = {.enter = on_enter, .before = on_before, .edge = on_edge, .user = &r};
	for (size_t i = 0; i < n && r.n + 2 <= MAX_TRACES; i++)
		add_traces(&r, &violations[i]);
	c->sink = &quiet;
	c->watcher = &tracer;
	for (size_t i = 0; i < MAX_SWEEPS && sweep_again(c, &r, &steps); i++)
		;
	for (size_t i = 0; i < r.n; i++)
		trace_keep(&r.t[i]);
	c->sink = sink;
	c->watcher = watcher;
}
