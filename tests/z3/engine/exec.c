/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic execution: blocks, edges and calls. step.c has the instructions. */
#include "exec.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "step.h"

static LLVMModuleRef modules[24], other_modules[64];
static unsigned n_modules, n_others;
static exec_summary *summary;
unsigned exec_most_turns = 70;
term exec_bound;

static void read_failed(const char *path, char *why)
{
	give_up("%s: %s", path, why ? why : "not read");
}

static LLVMModuleRef read_module(const char *path)
{
	static bool options_set;
	LLVMMemoryBufferRef buffer = NULL;
	LLVMModuleRef module = NULL;
	char *why = NULL;
	if (!options_set) {
		const char *const options[] = {"ward-z3", "-unroll-threshold=100000"};
		LLVMParseCommandLineOptions(2, options, NULL);
		options_set = true;
	}
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why))
		read_failed(path, why);
	if (LLVMParseBitcode2(buffer, &module))
		read_failed(path, NULL);
	LLVMPassBuilderOptionsRef passes = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(
		module, "function(sroa,loop-simplify,lcssa,loop-unroll-full,sroa,loop-simplify,lcssa)", NULL, passes);
	if (error)
		read_failed(path, LLVMGetErrorMessage(error));
	LLVMDisposePassBuilderOptions(passes);
	return module;
}

void exec_read(const char *path)
{
	if (n_modules == sizeof modules / sizeof modules[0])
		read_failed(path, "too many files");
	modules[n_modules++] = read_module(path);
}

void exec_read_other(const char *path)
{
	if (n_others == sizeof other_modules / sizeof other_modules[0])
		read_failed(path, "too many files");
	other_modules[n_others++] = read_module(path);
}

/*
 * An instruction's text, without the numbers of its debug places and those that a type's name has got in the second
 * file that knows it.
 */
static char *text_of(LLVMValueRef inst)
{
	char *text = LLVMPrintValueToString(inst), *to = text;
	text[strcspn(text, "!#")] = 0;
	for (const char *from = text; *from;) {
		if (strncmp(from, "%struct.", 8) != 0) {
			*to++ = *from++;
			continue;
		}
		size_t name = 8 + strcspn(from + 8, ". ,*"),
		       number = from[name] == '.' ? 1 + strspn(from + name + 1, "0123456789") : 0;
		memmove(to, from, name);
		to += name;
		from += name + number;
	}
	*to = 0;
	return text;
}

/* An inline function of a header has a copy in each file that uses it. */
static bool is_same_function(LLVMValueRef f, LLVMValueRef g)
{
	LLVMBasicBlockRef a = LLVMGetFirstBasicBlock(f), b = LLVMGetFirstBasicBlock(g);
	bool same = LLVMCountParams(f) == LLVMCountParams(g);
	for (; same && a && b; a = LLVMGetNextBasicBlock(a), b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef i = LLVMGetFirstInstruction(a), j = LLVMGetFirstInstruction(b);
		for (; same && i && j; i = LLVMGetNextInstruction(i), j = LLVMGetNextInstruction(j)) {
			char *x = text_of(i), *y = text_of(j);
			same = strcmp(x, y) == 0;
			LLVMDisposeMessage(x);
			LLVMDisposeMessage(y);
		}
		same = same && !i && !j;
	}
	return same && !a && !b;
}

/* What is said by a name must be said of one function: of different ones that several files have, nothing is. */
static LLVMValueRef find(const char *name)
{
	LLVMValueRef found = NULL;
	for (unsigned i = 0; i < n_modules; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(modules[i], name);
		if (!f || LLVMIsDeclaration(f))
			continue;
		if (found && !is_same_function(found, f))
			give_up("the program has more than one %s", name);
		found = found ? found : f;
	}
	return found;
}

bool exec_has(const char *function)
{
	return find(function) != NULL;
}

const char *exec_entry(const char *beside, const char *table, unsigned index)
{
	LLVMValueRef f = find(beside), t = f ? LLVMGetNamedGlobal(LLVMGetGlobalParent(f), table) : NULL;
	LLVMValueRef entry = t && LLVMIsGlobalConstant(t) && LLVMGetInitializer(t)
				     ? LLVMGetAggregateElement(LLVMGetInitializer(t), index)
				     : NULL;
	return entry && LLVMIsAFunction(entry) ? LLVMGetValueName(entry) : NULL;
}

/* ---- which functions there are ---- */

static struct exec_function functions[MAX_FUNCTIONS];
static LLVMValueRef bodies[MAX_FUNCTIONS];
static unsigned n_functions;
uint8_t *exec_entered;

static unsigned function_number(LLVMValueRef f)
{
	const char *name = LLVMGetValueName(f);
	for (unsigned i = 0; i < n_functions; i++) {
		if (bodies[i] == f || (strcmp(functions[i].name, name) == 0 && is_same_function(bodies[i], f)))
			return i;
	}
	return n_functions;
}

static void note_functions(LLVMModuleRef module, bool in_program)
{
	size_t n;
	const char *path = LLVMGetSourceFileName(module, &n), *slash = strrchr(path, '/');
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || function_number(f) < n_functions)
			continue;
		if (n_functions == MAX_FUNCTIONS)
			give_up("too many functions");
		bodies[n_functions] = f;
		functions[n_functions++] =
			(struct exec_function){slash ? slash + 1 : path, LLVMGetValueName(f), in_program};
	}
}

const struct exec_function *exec_functions(unsigned *n)
{
	for (unsigned i = 0; i < n_modules; i++)
		note_functions(modules[i], true);
	for (unsigned i = 0; i < n_others; i++)
		note_functions(other_modules[i], false);
	*n = n_functions;
	return functions;
}

void exec_summarise(exec_summary *s)
{
	summary = s;
}

struct value exec_struct(struct memory *memory, const char *type, unsigned last)
{
	for (unsigned i = 0; i < n_modules; i++) {
		LLVMTypeRef t = LLVMGetTypeByName2(LLVMGetModuleContext(modules[i]), type);
		if (t)
			return step_object(memory, t, last, modules[i]);
	}
	give_up("the program has no %s", type);
}

/* ---- one activation ---- */

enum { MAX_LOOPS = 40 };

enum { MAX_PHIS = 40, MAX_EDGES = 400 };

struct edge {
	unsigned from, to;
	term when;
	struct memory *memory; /* as the source left it */
	struct value *phi;     /* what the target's are */
	bool taken;            /* the target is done, as far as this edge goes */
};

struct activation {
	struct frame frame;
	LLVMValueRef function;
	LLVMBasicBlockRef *block; /* in topological order, each loop in one piece */
	unsigned n_blocks;
	struct loop {
		unsigned head, end; /* [head, end) */
		unsigned turns;
	} loop[MAX_LOOPS]; /* inner ones first */
	unsigned n_loops;
	struct edge *edge;
	unsigned n_edges;
	struct memory *memory; /* of the block at hand */
	bool returned;
	term return_when;
	struct value result;
	struct memory *result_memory;
	struct iteration *iteration;
};

static unsigned successors(LLVMBasicBlockRef b)
{
	return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b));
}

/*
 * The order of blocks. Going depth first, an edge back to a block that is open closes a loop: its blocks are those from
 * which that edge is reached without passing the head. A block is ready when all that lead to it, but for such edges,
 * are placed; of those that are ready one in the innermost loop begun is next, so that each loop is one piece.
 */
enum { UNSEEN, OPEN, DONE };

struct shape {
	LLVMBasicBlockRef *all;
	uint8_t *state;
	unsigned *rank, done; /* where depth first ends with a block, counted backwards */
	unsigned n, n_heads, head[MAX_LOOPS];
	bool *in[MAX_LOOPS]; /* is a block in this head's loop? */
};

static unsigned block_number(const struct shape *s, LLVMBasicBlockRef b)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->all[i] == b)
			return i;
	}
	give_up("a branch out of its function");
}

static unsigned successor(const struct shape *s, unsigned b, unsigned i)
{
	return block_number(s, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(s->all[b]), i));
}

static void note_back_edge(struct shape *s, unsigned from, unsigned head)
{
	unsigned h = 0;
	while (h < s->n_heads && s->head[h] != head)
		h++;
	if (h == MAX_LOOPS)
		give_up("too many loops");
	if (h == s->n_heads) {
		s->head[s->n_heads++] = head;
		s->in[h] = calloc(s->n, sizeof(bool));
		s->in[h][head] = true;
	}
	s->in[h][from] = true;
}

static void visit(struct shape *s, unsigned b)
{
	s->state[b] = OPEN;
	for (unsigned i = 0; i < successors(s->all[b]); i++) {
		unsigned to = successor(s, b, i);
		if (s->state[to] == OPEN)
			note_back_edge(s, b, to);
		else if (s->state[to] == UNSEEN)
			visit(s, to);
	}
	s->state[b] = DONE;
	s->rank[b] = s->n - s->done++;
}

static void complete_loop(struct shape *s, unsigned h)
{
	for (bool again = true; again;) {
		again = false;
		for (unsigned b = 0; b < s->n; b++) {
			for (unsigned i = 0; s->state[b] && !s->in[h][b] && i < successors(s->all[b]); i++) {
				unsigned to = successor(s, b, i);
				if (to != s->head[h] && s->in[h][to])
					again = s->in[h][b] = true;
			}
		}
	}
}

static bool is_back_edge(const struct shape *s, unsigned from, unsigned to)
{
	for (unsigned h = 0; h < s->n_heads; h++) {
		if (s->head[h] == to && s->in[h][from])
			return true;
	}
	return false;
}

static bool is_ready(const struct shape *s, const bool *placed, unsigned b)
{
	for (unsigned from = 0; from < s->n; from++) {
		for (unsigned i = 0; s->state[from] && !placed[from] && i < successors(s->all[from]); i++) {
			if (successor(s, from, i) == b && !is_back_edge(s, from, b))
				return false;
		}
	}
	return s->state[b] && !placed[b];
}

/* In how many of the loops begun the block is. */
static unsigned depth_of(const struct shape *s, const bool *placed, unsigned b)
{
	unsigned depth = 0;
	for (unsigned h = 0; h < s->n_heads; h++)
		depth += placed[s->head[h]] && s->in[h][b];
	return depth;
}

/* Among blocks that are ready: first those in more loops that have begun, then as they come depth first. */
static bool is_before(const struct shape *s, const bool *placed, unsigned a, unsigned b)
{
	unsigned inside = depth_of(s, placed, a), other = depth_of(s, placed, b);
	return inside != other ? inside > other : s->rank[a] < s->rank[b];
}

static void place_loop(struct activation *a, const struct shape *s, unsigned h)
{
	struct loop l = {0};
	unsigned n = 0, at = 0;
	for (unsigned b = 0; b < s->n; b++)
		n += s->in[h][b];
	while (a->block[l.head] != s->all[s->head[h]])
		l.head++;
	l.end = l.head + n;
	for (unsigned i = l.head; i < l.end; i++) {
		if (i >= a->n_blocks || !s->in[h][block_number(s, a->block[i])])
			give_up("the loops of %s are not understood", LLVMGetValueName(a->function));
	}
	while (at < a->n_loops && a->loop[at].end - a->loop[at].head < n)
		at++;
	memmove(&a->loop[at + 1], &a->loop[at], (a->n_loops++ - at) * sizeof l);
	a->loop[at] = l;
}

static void order(struct activation *a)
{
	struct shape s = {.n = LLVMCountBasicBlocks(a->function)};
	s.all = calloc(s.n, sizeof *s.all);
	s.state = calloc(s.n, 1);
	s.rank = calloc(s.n, sizeof *s.rank);
	bool *placed = calloc(s.n, sizeof *placed);
	LLVMGetBasicBlocks(a->function, s.all);
	visit(&s, 0);
	for (unsigned h = 0; h < s.n_heads; h++)
		complete_loop(&s, h);
	a->block = calloc(s.n, sizeof *a->block);
	for (;;) {
		unsigned next = s.n;
		for (unsigned b = 0; b < s.n; b++) {
			if (is_ready(&s, placed, b) && (next == s.n || is_before(&s, placed, b, next)))
				next = b;
		}
		if (next == s.n)
			break;
		placed[next] = true;
		a->block[a->n_blocks++] = s.all[next];
	}
	for (unsigned h = 0; h < s.n_heads; h++) {
		place_loop(a, &s, h);
		free(s.in[h]);
	}
	free(placed);
	free(s.all);
	free(s.state);
	free(s.rank);
}

static unsigned index_of(const struct activation *a, LLVMBasicBlockRef b)
{
	for (unsigned i = 0; i < a->n_blocks; i++) {
		if (a->block[i] == b)
			return i;
	}
	give_up("a branch to nowhere");
}

static LLVMValueRef first_phi(LLVMBasicBlockRef b)
{
	LLVMValueRef i = LLVMGetFirstInstruction(b);
	return LLVMGetInstructionOpcode(i) == LLVMPHI ? i : NULL;
}

static LLVMValueRef next_phi(LLVMValueRef phi)
{
	LLVMValueRef i = LLVMGetNextInstruction(phi);
	return LLVMGetInstructionOpcode(i) == LLVMPHI ? i : NULL;
}

/* The values that the phis of a block have when control comes from another one. */
static struct value *phis_from(struct activation *a, unsigned from, LLVMBasicBlockRef to)
{
	unsigned n = 0;
	struct value *values = calloc(MAX_PHIS, sizeof *values);
	for (LLVMValueRef phi = first_phi(to); phi; phi = next_phi(phi), n++) {
		if (n == MAX_PHIS)
			give_up("too many phis");
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
			if (LLVMGetIncomingBlock(phi, i) == a->block[from]) {
				values[n] = step_operand(&a->frame, LLVMGetIncomingValue(phi, i));
				break;
			}
		}
	}
	return values;
}

static void add_edge(struct activation *a, unsigned from, LLVMBasicBlockRef to, term when, unsigned first)
{
	if (is_false(when))
		return;
	unsigned target = index_of(a, to);
	for (unsigned i = first; i < a->n_edges; i++) { /* several cases of one switch */
		if (a->edge[i].to == target) {
			a->edge[i].when = or_(a->edge[i].when, when);
			return;
		}
	}
	a->edge = realloc(a->edge, (a->n_edges + 1) * sizeof *a->edge);
	a->edge[a->n_edges++] = (struct edge){
		from, target, when, memory_copy(a->memory), first_phi(to) ? phis_from(a, from, to) : NULL, false};
}

static void do_return(struct activation *a, LLVMValueRef insn, term guard)
{
	struct value v = {0};
	if (LLVMGetNumOperands(insn))
		v = step_operand(&a->frame, LLVMGetOperand(insn, 0));
	if (!a->returned) {
		a->result = v;
		a->result_memory = memory_copy(a->memory);
		a->return_when = guard;
	} else {
		a->result = step_choose(guard, &v, &a->result);
		memory_join(a->result_memory, guard, a->memory);
		a->return_when = or_(a->return_when, guard);
	}
	a->returned = true;
}

/* Of branches that only what is bounded decides. */
static bool ruled_out(term c)
{
	if (!exec_bound || is_true(c) || is_false(c))
		return false;
	Z3_solver s = Z3_mk_solver_for_logic(z3, Z3_mk_string_symbol(z3, "QF_BV"));
	Z3_solver_inc_ref(z3, s); /* each at once: the next call may free what nobody holds */
	Z3_params p = Z3_mk_params(z3);
	Z3_params_inc_ref(z3, p);
	Z3_params_set_uint(z3, p, Z3_mk_string_symbol(z3, "rlimit"), 20000);
	Z3_solver_set_params(z3, s, p);
	Z3_params_dec_ref(z3, p);
	Z3_solver_assert(z3, s, and_(exec_bound, c));
	bool out = Z3_solver_check(z3, s) == Z3_L_FALSE;
	Z3_solver_dec_ref(z3, s);
	return out;
}

static void do_branch(struct activation *a, unsigned at, LLVMValueRef insn, term guard)
{
	unsigned first = a->n_edges;
	if (!LLVMIsConditional(insn)) {
		add_edge(a, at, LLVMGetSuccessor(insn, 0), guard, first);
		return;
	}
	term c = step_operand(&a->frame, LLVMGetCondition(insn)).part[0];
	if (a->n_loops && ruled_out(c))
		c = truth(false);
	add_edge(a, at, LLVMGetSuccessor(insn, 0), and_(guard, c), first);
	add_edge(a, at, LLVMGetSuccessor(insn, 1), and_(guard, not_(c)), first);
}

static void do_switch(struct activation *a, unsigned at, LLVMValueRef insn, term guard)
{
	unsigned first = a->n_edges;
	term on = step_operand(&a->frame, LLVMGetOperand(insn, 0)).part[0], other = guard;
	for (unsigned i = 1; i < successors(a->block[at]); i++) {
		term c = eq(on, step_operand(&a->frame, LLVMGetOperand(insn, 2 * i)).part[0]);
		add_edge(a, at, LLVMGetSuccessor(insn, i), and_(guard, c), first);
		other = and_(other, not_(c));
	}
	add_edge(a, at, LLVMGetSwitchDefaultDest(insn), other, first);
}

static struct value call_function(LLVMValueRef callee, const struct value *args, struct memory *memory, term guard);

/* What is passed by value is a copy. */
static struct value passed(struct activation *a, LLVMValueRef insn, unsigned i, struct value v)
{
	LLVMAttributeRef by_value =
		LLVMGetCallSiteEnumAttribute(insn, i + 1, LLVMGetEnumAttributeKindForName("byval", 5));
	if (!by_value)
		return v;
	LLVMTypeRef type = LLVMGetTypeAttributeValue(by_value);
	LLVMModuleRef module = LLVMGetGlobalParent(a->function);
	struct value copy = step_object(a->memory, type, 0, module);
	memory_copy_bytes(a->memory, &copy, &v, LLVMABISizeOfType(LLVMGetModuleDataLayout(module), type));
	return copy;
}

static void do_call(struct activation *a, LLVMValueRef insn, term guard)
{
	term reached = and_(a->frame.guard, guard);
	LLVMValueRef callee = LLVMGetCalledValue(insn);
	struct value args[12], result = {0};
	unsigned n = LLVMGetNumArgOperands(insn);
	size_t length;
	if (!LLVMIsAFunction(callee) || n > 12)
		give_up("a call that is not followed");
	const char *name = LLVMGetValueName2(callee, &length);
	if (strncmp(name, "llvm.", 5) == 0) {
		step_intrinsic(&a->frame, insn, name, a->memory, guard);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		args[i] = passed(a, insn, i, step_operand(&a->frame, LLVMGetOperand(insn, i)));
	if (!summary || !summary(name, args, a->memory, reached, &result)) {
		/* several files have a static function of one name */
		LLVMValueRef body = LLVMIsDeclaration(callee) ? find(name) : callee;
		if (!body)
			give_up("no bitcode of %s", name);
		result = call_function(body, args, a->memory, reached);
	}
	step_define(&a->frame, insn, &result);
}

static void run_block(struct activation *a, unsigned at, term guard)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(a->block[at]); i; i = LLVMGetNextInstruction(i)) {
		switch (LLVMGetInstructionOpcode(i)) {
		case LLVMPHI: break;
		case LLVMRet: do_return(a, i, guard); break;
		case LLVMBr: do_branch(a, at, i, guard); break;
		case LLVMSwitch: do_switch(a, at, i, guard); break;
		case LLVMCall: do_call(a, i, guard); break;
		default: step_instruction(&a->frame, i, a->memory, guard); break;
		}
	}
}

/* Take the phis of a block as one simultaneous assignment. */
static unsigned assign_phis(struct activation *a, unsigned at, struct edge *const *in, unsigned n, struct value *out)
{
	unsigned count = 0;
	for (LLVMValueRef phi = first_phi(a->block[at]); phi; phi = next_phi(phi), count++) {
		out[count] = in[0]->phi[count];
		for (unsigned e = 1; e < n; e++)
			out[count] = step_choose(in[e]->when, &in[e]->phi[count], &out[count]);
		step_define(&a->frame, phi, &out[count]);
	}
	return count;
}

static unsigned incoming(struct activation *a, unsigned at, struct edge **in)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->n_edges; i++) {
		if (a->edge[i].to != at || a->edge[i].taken)
			continue;
		if (n == MAX_EDGES)
			give_up("too many edges to one block");
		in[n++] = &a->edge[i];
	}
	return n;
}

/* What holds on all edges, and memory joined over them. */
static term enter(struct activation *a, struct edge *const *in, unsigned n)
{
	struct memory *m = memory_copy(in[0]->memory);
	term guard = in[0]->when;
	for (unsigned i = 1; i < n; i++) {
		memory_join(m, in[i]->when, in[i]->memory);
		guard = or_(guard, in[i]->when);
	}
	a->memory = m;
	return guard;
}

static void take(struct edge *e)
{
	memory_free(e->memory);
	free(e->phi);
	e->memory = NULL;
	e->phi = NULL;
	e->taken = true;
}

struct exec_cut exec_cut;

static bool is_cut(const struct activation *a)
{
	return exec_cut.function && !term_replaying() && strcmp(LLVMGetValueName(a->function), exec_cut.function) == 0;
}

static void numbers_of(const struct value *values, unsigned n, term *out)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = values[i].part[0];
}

/* At the head of a loop that is cut: what is assumed there stands for what was. */
static void arrive(struct activation *a, unsigned at, const struct value *phis, unsigned n, term guard)
{
	term phi[MAX_PHIS];
	numbers_of(phis, n, phi);
	exec_cut.arrives(a->memory, phi, n, and_(a->frame.guard, guard));
	LLVMValueRef i = first_phi(a->block[at]);
	for (unsigned k = 0; k < n; k++, i = next_phi(i)) {
		struct value v = exec_bits(phi[k]);
		step_define(&a->frame, i, &v);
	}
}

static bool is_head(const struct activation *a, unsigned at)
{
	for (unsigned i = 0; i < a->n_loops; i++) {
		if (a->loop[i].head == at)
			return true;
	}
	return false;
}

/* False: control never comes to the block, or doesn't any more. */
static bool run_at(struct activation *a, unsigned at)
{
	struct edge *in[MAX_EDGES];
	struct value phis[MAX_PHIS];
	unsigned n = incoming(a, at, in);
	if (!n)
		return false;
	term guard = enter(a, in, n);
	unsigned n_phis = assign_phis(a, at, in, n, phis);
	for (unsigned i = 0; i < n; i++)
		take(in[i]);
	if (is_cut(a) && is_head(a, at))
		arrive(a, at, phis, n_phis, guard);
	run_block(a, at, guard);
	memory_free(a->memory);
	a->memory = NULL;
	return true;
}

/*
 * A symbolic loop takes as many turns as its condition does not rule out by its form; that it takes no more than the
 * most of them is a goal.
 */
static unsigned most_turns(void)
{
	return term_replaying() ? 100000 : exec_most_turns;
}

static void turned(struct activation *a, unsigned head, struct edge *const *in, unsigned n)
{
	struct value phis[MAX_PHIS];
	term phi[MAX_PHIS], guard = enter(a, in, n);
	unsigned n_phis = assign_phis(a, head, in, n, phis);
	numbers_of(phis, n_phis, phi);
	exec_cut.returns(a->memory, phi, n_phis, and_(a->frame.guard, guard));
	memory_free(a->memory);
	a->memory = NULL;
	for (unsigned i = 0; i < n; i++)
		take(in[i]);
}

static bool another_turn(struct activation *a, struct loop *l)
{
	struct edge *in[MAX_EDGES];
	unsigned n = incoming(a, l->head, in);
	if (n && is_cut(a)) {
		turned(a, l->head, in, n);
		return false;
	}
	if (!n || ++l->turns < most_turns())
		return n != 0;
	if (term_replaying())
		give_up("a loop in %s that can't be followed", LLVMGetValueName(a->function));
	for (unsigned i = 0; i < n; i++) {
		step_hazard(&a->frame, in[i]->when, a->function, "one more turn of a loop");
		take(in[i]);
	}
	return false;
}

/* Where control goes on after block `at`: back to the head of a loop that ends there, or to the next block. */
static unsigned next_of(struct activation *a, unsigned at)
{
	for (unsigned i = 0; i < a->n_loops; i++) {
		struct loop *l = &a->loop[i];
		if (l->end != at + 1)
			continue;
		if (another_turn(a, l))
			return l->head;
		l->turns = 0;
	}
	return at + 1;
}

static void run(struct activation *a)
{
	for (unsigned at = next_of(a, 0); at < a->n_blocks; at = next_of(a, at))
		run_at(a, at);
}

static void start(
	struct activation *a, LLVMValueRef function, const struct value *args, const struct memory *memory, term guard)
{
	*a = (struct activation){.function = function};
	if (exec_entered)
		exec_entered[function_number(function)] = 1;
	step_frame(&a->frame, guard);
	order(a);
	for (unsigned i = 0; i < LLVMCountParams(function); i++)
		step_define(&a->frame, LLVMGetParam(function, i), &args[i]);
	a->memory = memory_copy(memory);
	run_block(a, 0, truth(true));
	memory_free(a->memory);
	a->memory = NULL;
}

static void finish(struct activation *a)
{
	for (unsigned i = 0; i < a->n_edges; i++)
		take(&a->edge[i]);
	free(a->edge);
	free(a->block);
	memory_free(a->result_memory);
	step_frame_end(&a->frame);
}

static struct value call_function(LLVMValueRef callee, const struct value *args, struct memory *memory, term guard)
{
	struct activation a;
	static unsigned depth;
	if (++depth > 40)
		give_up("calls too deep in %s", LLVMGetValueName(callee));
	start(&a, callee, args, memory, guard);
	run(&a);
	if (!a.returned)
		give_up("%s does not return", LLVMGetValueName(callee));
	struct memory *left = memory_copy(a.result_memory);
	for (unsigned i = 0; i < memory->n; i++)
		free(memory->cells[i]);
	*memory = *left;
	free(left);
	struct value result = a.result;
	finish(&a);
	depth--;
	return result;
}

struct value exec_call(const char *function, const struct value *args, struct memory *memory, term guard)
{
	LLVMValueRef f = find(function);
	if (!f)
		give_up("the program has no %s", function);
	return call_function(f, args, memory, guard);
}

/* ---- one turn of a loop ---- */

void exec_iteration(const char *function, const struct value *args, struct iteration *it)
{
	struct activation a;
	struct memory none = {0}, *at_header;
	struct edge *in[MAX_EDGES];
	struct value phis[MAX_PHIS];
	LLVMValueRef f = find(function);
	if (!f)
		give_up("the program has no %s", function);
	start(&a, f, args, it->memory ? it->memory : &none, truth(true));
	if (!a.n_loops || a.n_edges != 1 || is_false(a.edge[0].when))
		give_up("%s does not begin with a loop", function);
	unsigned header = a.edge[0].to, n = incoming(&a, header, in);
	it->n = assign_phis(&a, header, in, n, phis);
	if (it->n > 4)
		give_up("too many values in the loop of %s", function);
	numbers_of(phis, it->n, it->entry);
	unsigned k = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(a.block[header]); k < it->n; i = LLVMGetNextInstruction(i), k++) {
		struct value v = exec_bits(it->state[k]);
		step_define(&a.frame, i, &v);
	}
	at_header = memory_copy(it->memory ? a.edge[0].memory : &none); /* with what the function has for itself */
	take(&a.edge[0]);
	a.memory = at_header;
	run_block(&a, header, truth(true));
	memory_free(a.memory);
	a.memory = NULL;
	for (unsigned at = 0; at < a.n_blocks; at++) {
		if (at != header)
			run_at(&a, at);
	}
	n = incoming(&a, header, in);
	if (!n || !a.returned)
		give_up("the loop of %s is not understood", function);
	it->again = in[0]->when;
	for (unsigned i = 1; i < n; i++)
		it->again = or_(it->again, in[i]->when);
	assign_phis(&a, header, in, n, phis);
	numbers_of(phis, it->n, it->next);
	it->result = a.result;
	if (!it->memory)
		return;
	enter(&a, in, n);
	it->next_memory = a.memory;
	it->left = memory_copy(a.result_memory);
}
