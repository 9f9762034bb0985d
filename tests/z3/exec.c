/* Blocks, edges and calls; step.c has the instructions. */
#include "exec.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "step.h"

static LLVMModuleRef modules[8];
static unsigned n_modules;
static exec_summary *summary;

static void read_failed(const char *path, char *why)
{
	give_up("%s: %s", path, why ? why : "not read");
}

void exec_read(const char *path)
{
	static bool options_set;
	LLVMMemoryBufferRef buffer = NULL;
	char *why = NULL;
	if (!options_set) {
		const char *const options[] = {"ward-z3", "-unroll-threshold=100000"};
		LLVMParseCommandLineOptions(2, options, NULL);
		options_set = true;
	}
	if (n_modules == sizeof modules / sizeof modules[0] || LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &why))
		read_failed(path, why);
	if (LLVMParseBitcode2(buffer, &modules[n_modules]))
		read_failed(path, NULL);
	LLVMPassBuilderOptionsRef passes = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(modules[n_modules], "function(sroa,loop-simplify,lcssa,loop-unroll-full,sroa)", NULL, passes);
	if (error)
		read_failed(path, LLVMGetErrorMessage(error));
	LLVMDisposePassBuilderOptions(passes);
	n_modules++;
}

/* What is said by a name must be said of one function: of those that several files have, nothing is. */
static LLVMValueRef find(const char *name)
{
	LLVMValueRef found = NULL;
	for (unsigned i = 0; i < n_modules; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(modules[i], name);
		if (!f || LLVMIsDeclaration(f))
			continue;
		if (found)
			give_up("the program has more than one %s", name);
		found = f;
	}
	return found;
}

bool exec_has(const char *function)
{
	return find(function) != NULL;
}

void exec_summarise(exec_summary *s)
{
	summary = s;
}

struct value exec_struct(struct memory *memory, const char *type)
{
	for (unsigned i = 0; i < n_modules; i++) {
		LLVMTypeRef t = LLVMGetTypeByName2(LLVMGetModuleContext(modules[i]), type);
		if (t)
			return step_object(memory, t, modules[i]);
	}
	give_up("the program has no %s", type);
}

/* ---- one activation ---- */

struct edge {
	unsigned from, to;
	term when;
	struct memory *memory; /* as the source left it */
};

struct activation {
	struct frame frame;
	LLVMValueRef function;
	LLVMBasicBlockRef *block; /* in topological order */
	unsigned n_blocks;
	bool loops;
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

enum { UNSEEN, OPEN, DONE };

struct visit {
	LLVMBasicBlockRef *all;
	uint8_t *state;
	unsigned n;
	struct activation *a;
};

static unsigned block_number(const struct visit *v, LLVMBasicBlockRef b)
{
	for (unsigned i = 0; i < v->n; i++) {
		if (v->all[i] == b)
			return i;
	}
	give_up("a branch out of its function");
}

static void visit(struct visit *v, LLVMBasicBlockRef b)
{
	unsigned at = block_number(v, b);
	if (v->state[at] == OPEN)
		v->a->loops = true;
	if (v->state[at] != UNSEEN)
		return;
	v->state[at] = OPEN;
	for (unsigned i = 0; i < successors(b); i++)
		visit(v, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(b), i));
	v->state[at] = DONE;
	v->a->block[--v->a->n_blocks] = b; /* filled from the end */
}

static void order(struct activation *a)
{
	struct visit v = {.n = LLVMCountBasicBlocks(a->function), .a = a};
	v.all = calloc(v.n, sizeof *v.all);
	v.state = calloc(v.n, 1);
	LLVMGetBasicBlocks(a->function, v.all);
	LLVMBasicBlockRef *room = calloc(v.n, sizeof *room);
	a->block = room;
	a->n_blocks = v.n;
	visit(&v, v.all[0]);
	unsigned unreached = a->n_blocks;
	a->n_blocks = v.n - unreached;
	memmove(room, room + unreached, a->n_blocks * sizeof *room);
	free(v.all);
	free(v.state);
}

static unsigned index_of(const struct activation *a, LLVMBasicBlockRef b)
{
	for (unsigned i = 0; i < a->n_blocks; i++) {
		if (a->block[i] == b)
			return i;
	}
	give_up("a branch to nowhere");
}

static void add_edge(struct activation *a, unsigned from, LLVMBasicBlockRef to, term when)
{
	if (is_false(when))
		return;
	unsigned target = index_of(a, to);
	for (unsigned i = 0; i < a->n_edges; i++) { /* several cases of one switch */
		if (a->edge[i].from == from && a->edge[i].to == target) {
			a->edge[i].when = or_(a->edge[i].when, when);
			return;
		}
	}
	a->edge = realloc(a->edge, (a->n_edges + 1) * sizeof *a->edge);
	a->edge[a->n_edges++] = (struct edge){from, target, when, memory_copy(a->memory)};
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

static void do_branch(struct activation *a, unsigned at, LLVMValueRef insn, term guard)
{
	if (!LLVMIsConditional(insn)) {
		add_edge(a, at, LLVMGetSuccessor(insn, 0), guard);
		return;
	}
	term c = step_operand(&a->frame, LLVMGetCondition(insn)).part[0];
	add_edge(a, at, LLVMGetSuccessor(insn, 0), and_(guard, c));
	add_edge(a, at, LLVMGetSuccessor(insn, 1), and_(guard, not_(c)));
}

static void do_switch(struct activation *a, unsigned at, LLVMValueRef insn, term guard)
{
	term on = step_operand(&a->frame, LLVMGetOperand(insn, 0)).part[0], other = guard;
	for (unsigned i = 1; i < successors(a->block[at]); i++) {
		term c = eq(on, step_operand(&a->frame, LLVMGetOperand(insn, 2 * i)).part[0]);
		add_edge(a, at, LLVMGetSuccessor(insn, i), and_(guard, c));
		other = and_(other, not_(c));
	}
	add_edge(a, at, LLVMGetSwitchDefaultDest(insn), other);
}

static struct value call_function(LLVMValueRef callee, const struct value *args, struct memory *memory, term guard);

static void do_call(struct activation *a, LLVMValueRef insn, term guard)
{
	term reached = and_(a->frame.guard, guard);
	LLVMValueRef callee = LLVMGetCalledValue(insn);
	struct value args[8], result = {0};
	unsigned n = LLVMGetNumArgOperands(insn);
	size_t length;
	if (!LLVMIsAFunction(callee) || n > 8)
		give_up("a call that is not followed");
	const char *name = LLVMGetValueName2(callee, &length);
	if (strncmp(name, "llvm.", 5) == 0) {
		step_intrinsic(&a->frame, insn, name, a->memory, guard);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		args[i] = step_operand(&a->frame, LLVMGetOperand(insn, i));
	if (!summary || !summary(name, args, a->memory, reached, &result)) {
		LLVMValueRef body = LLVMIsDeclaration(callee) ? find(name) : callee; /* several files have a static function of one name */
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

/* The value that a phi has when control comes over the edges in [0, n). */
static struct value phi_value(struct activation *a, LLVMValueRef phi, struct edge *const *in, unsigned n)
{
	struct value v = {0};
	for (unsigned e = 0; e < n; e++) {
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
			if (LLVMGetIncomingBlock(phi, i) != a->block[in[e]->from])
				continue;
			struct value one = step_operand(&a->frame, LLVMGetIncomingValue(phi, i));
			v = v.kind == NOTHING ? one : step_choose(in[e]->when, &one, &v);
			break;
		}
	}
	return v;
}

/* Take the phis of a block as one simultaneous assignment. */
static unsigned assign_phis(struct activation *a, unsigned at, struct edge *const *in, unsigned n, struct value *out)
{
	unsigned count = 0;
	LLVMValueRef phi[40];
	for (LLVMValueRef i = LLVMGetFirstInstruction(a->block[at]); i && LLVMGetInstructionOpcode(i) == LLVMPHI; i = LLVMGetNextInstruction(i)) {
		if (count == 40)
			give_up("too many phis");
		phi[count] = i;
		out[count++] = phi_value(a, i, in, n);
	}
	for (unsigned i = 0; i < count; i++)
		step_define(&a->frame, phi[i], &out[i]);
	return count;
}

static unsigned incoming(struct activation *a, unsigned at, struct edge **in, unsigned most)
{
	unsigned n = 0;
	for (unsigned i = 0; i < a->n_edges; i++) {
		if (a->edge[i].to != at)
			continue;
		if (n == most)
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

static void run_acyclic(struct activation *a)
{
	struct edge *in[100];
	struct value phis[40];
	for (unsigned at = 1; at < a->n_blocks; at++) {
		unsigned n = incoming(a, at, in, 100);
		if (!n)
			continue;
		term guard = enter(a, in, n);
		assign_phis(a, at, in, n, phis);
		run_block(a, at, guard);
		memory_free(a->memory);
		a->memory = NULL;
	}
}

/* Everything is a number: follow control. */
static void run_concrete(struct activation *a)
{
	struct edge *in[100];
	struct value phis[40];
	for (unsigned turns = 0; !a->returned; turns++) {
		if (a->n_edges != 1 || turns > 100000)
			give_up("a loop in %s that can't be followed", LLVMGetValueName(a->function));
		unsigned at = a->edge[0].to, n = incoming(a, at, in, 100);
		term guard = enter(a, in, n);
		assign_phis(a, at, in, n, phis);
		memory_free(a->edge[0].memory);
		a->n_edges = 0;
		run_block(a, at, guard);
		memory_free(a->memory);
		a->memory = NULL;
	}
}

static void start(struct activation *a, LLVMValueRef function, const struct value *args, const struct memory *memory, term guard)
{
	*a = (struct activation){.function = function};
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
		memory_free(a->edge[i].memory);
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
	if (a.loops && !a.returned)
		run_concrete(&a);
	else
		run_acyclic(&a);
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

static void numbers_of(const struct value *values, unsigned n, term *out)
{
	for (unsigned i = 0; i < n; i++)
		out[i] = values[i].part[0];
}

void exec_iteration(const char *function, const struct value *args, struct iteration *it)
{
	struct activation a;
	struct memory none = {0};
	struct edge *in[100];
	struct value phis[40];
	LLVMValueRef f = find(function);
	if (!f)
		give_up("the program has no %s", function);
	start(&a, f, args, &none, truth(true));
	if (!a.loops || a.n_edges != 1 || is_false(a.edge[0].when))
		give_up("%s does not begin with a loop", function);
	unsigned header = a.edge[0].to, n = incoming(&a, header, in, 100);
	it->n = assign_phis(&a, header, in, n, phis);
	if (it->n > 4)
		give_up("too many values in the loop of %s", function);
	numbers_of(phis, it->n, it->entry);
	unsigned k = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(a.block[header]); k < it->n; i = LLVMGetNextInstruction(i), k++) {
		struct value v = exec_bits(it->state[k]);
		step_define(&a.frame, i, &v);
	}
	a.edge[0].to = UINT32_MAX;
	a.memory = memory_copy(&none);
	run_block(&a, header, truth(true));
	for (unsigned at = 0; at < a.n_blocks; at++) {
		if (at == header || !(n = incoming(&a, at, in, 100)))
			continue;
		term guard = enter(&a, in, n);
		assign_phis(&a, at, in, n, phis);
		run_block(&a, at, guard);
	}
	n = incoming(&a, header, in, 100);
	if (!n || !a.returned)
		give_up("the loop of %s is not understood", function);
	it->again = in[0]->when;
	for (unsigned i = 1; i < n; i++)
		it->again = or_(it->again, in[i]->when);
	assign_phis(&a, header, in, n, phis);
	numbers_of(phis, it->n, it->next);
	it->result = a.result;
}
