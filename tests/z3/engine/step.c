/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic execution: what each LLVM instruction means. */
#include "step.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "arith.h"
#include "memory.h"

enum { MAX_HAZARDS = 2000 };
struct hazard exec_hazards[MAX_HAZARDS];
unsigned exec_n_hazards;

enum exec_damage exec_damage;
const char *const exec_damage_name[DAMAGE_COUNT] = {
	[DAMAGE_UADD] = "unsigned sums never overflow",
	[DAMAGE_USUB] = "unsigned differences never overflow",
	[DAMAGE_UMUL] = "unsigned products never overflow",
	[DAMAGE_SADD] = "signed sums never overflow",
	[DAMAGE_SSUB] = "signed differences never overflow",
	[DAMAGE_SMUL] = "signed products never overflow",
	[DAMAGE_CTTZ] = "one trailing zero too many",
	[DAMAGE_CTLZ] = "one leading zero too many",
	[DAMAGE_SEXT] = "zeros for the copies of a sign",
	[DAMAGE_ASHR] = "zeros shifted in from the left",
	[DAMAGE_XOR] = "differing bits are taken for set ones",
	[DAMAGE_UGT] = "greater or equal is taken for greater",
	[DAMAGE_CTPOP] = "one bit too many",
	[DAMAGE_UDIV] = "quotients one too great",
	[DAMAGE_SUB] = "differences one too small",
	[DAMAGE_ULE] = "whatever is compared by less or equal is",
	[DAMAGE_EQ] = "whatever is compared is equal",
	[DAMAGE_FORGET] = "a byte that is set to zero becomes eight",
	[DAMAGE_SLT] = "no signed number is less than another",
	[DAMAGE_CUT] = "of what is cut to 32 bits 16 are left",
	[DAMAGE_TOO_WIDE] = "unsigned products always overflow",
	[DAMAGE_NE] = "nothing that is compared differs",
	[DAMAGE_MUL] = "products one too small",
	[DAMAGE_REGISTER] = "of sixteen elements the next one is taken",
};

static bool damaged(enum exec_damage d)
{
	return exec_damage == d;
}

void step_hazard(const struct frame *f, term when, LLVMValueRef where, const char *what)
{
	when = and_(f->guard, when);
	if (is_false(when))
		return;
	if (exec_n_hazards == MAX_HAZARDS)
		give_up("too many places where the standard leaves the result undefined");
	LLVMValueRef function =
		LLVMIsAFunction(where) ? where : LLVMGetBasicBlockParent(LLVMGetInstructionParent(where));
	struct hazard *h = &exec_hazards[exec_n_hazards++];
	h->when = when;
	snprintf(h->what, sizeof h->what, "%s in %s", what, LLVMGetValueName(function));
}

/* ---- frames ---- */

void step_frame(struct frame *f, term guard)
{
	*f = (struct frame){.room = 8192, .guard = guard};
	f->binding = calloc(f->room, sizeof *f->binding);
}

void step_frame_end(struct frame *f)
{
	free(f->binding);
}

static struct binding *lookup(const struct frame *f, LLVMValueRef v)
{
	size_t at = ((uintptr_t)v >> 4) * 0x9e3779b97f4a7c15u % f->room;
	while (f->binding[at].key && f->binding[at].key != v)
		at = (at + 1) % f->room;
	return &f->binding[at];
}

void step_define(struct frame *f, LLVMValueRef v, const struct value *value)
{
	struct binding *b = lookup(f, v);
	if (!b->key && ++f->n > f->room / 2)
		give_up("a function with too many values");
	b->key = v;
	b->value = *value;
}

static LLVMModuleRef module_of(LLVMValueRef global)
{
	return LLVMGetGlobalParent(global);
}

static unsigned bits_of(LLVMTypeRef t)
{
	if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind)
		give_up("a value that is no integer");
	return LLVMGetIntTypeWidth(t);
}

/* As it is printed: its type, and a decimal number. */
static term wide_constant(LLVMValueRef v, unsigned width)
{
	char *text = LLVMPrintValueToString(v), *digits = strchr(text, ' ');
	if (!digits)
		give_up("a constant that is not understood");
	term t = Z3_simplify(z3, Z3_mk_numeral(z3, digits + 1, Z3_mk_bv_sort(z3, width)));
	LLVMDisposeMessage(text);
	return t;
}

static term constant_of(LLVMValueRef v)
{
	unsigned width = bits_of(LLVMTypeOf(v));
	if (LLVMIsUndef(v) || LLVMIsPoison(v))
		return width == 1 ? fresh_bool() : fresh(width);
	if (!LLVMIsAConstantInt(v))
		give_up("a constant that is not understood");
	if (width > 64)
		return wide_constant(v, width);
	uint64_t value = LLVMConstIntGetZExtValue(v);
	return width == 1 ? truth(value) : bits(width, value);
}

static void add_constant(struct object *o, unsigned bytes, term t)
{
	object_cut(o, bytes);
	o->constant = realloc(o->constant, o->n_cells * sizeof *o->constant);
	o->constant[o->n_cells - 1] = t;
}

/* What lies between the members of a struct is nothing that is known. */
static void pad_constant(struct object *o, uint64_t to)
{
	while (o->size < to)
		add_constant(o, 1, fresh(8));
}

static void fill_constant(struct object *o, LLVMValueRef v, LLVMTargetDataRef layout)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	uint64_t start = o->size;
	switch (LLVMGetTypeKind(t)) {
	case LLVMArrayTypeKind:
		for (unsigned i = 0; i < LLVMGetArrayLength2(t); i++)
			fill_constant(o, LLVMGetAggregateElement(v, i), layout);
		break;
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++) {
			pad_constant(o, start + LLVMOffsetOfElement(layout, t, i));
			fill_constant(o, LLVMGetAggregateElement(v, i), layout);
		}
		pad_constant(o, start + LLVMABISizeOfType(layout, t));
		break;
	case LLVMIntegerTypeKind: add_constant(o, bits_of(t) / 8, constant_of(v)); break;
	case LLVMPointerTypeKind: add_constant(o, 8, fresh(64)); break; /* of words, which nobody reads here */
	default: give_up("a constant of a type that is not understood");
	}
}

static struct value global_of(LLVMValueRef v)
{
	static struct {
		LLVMValueRef v;
		unsigned object;
	} seen[80];
	static unsigned n;
	for (unsigned i = 0; i < n; i++) {
		if (seen[i].v == v)
			return pointer_to(seen[i].object);
	}
	if (n == 80 || !LLVMIsGlobalConstant(v) || !LLVMGetInitializer(v))
		give_up("a variable that is no constant");
	seen[n].v = v;
	seen[n].object = object_new();
	fill_constant(object_at(seen[n].object), LLVMGetInitializer(v), LLVMGetModuleDataLayout(module_of(v)));
	return pointer_to(seen[n++].object);
}

struct value step_operand(struct frame *f, LLVMValueRef v)
{
	if (LLVMIsAGlobalVariable(v))
		return global_of(v);
	if (LLVMIsAInstruction(v) || LLVMIsAArgument(v)) {
		const struct binding *b = lookup(f, v);
		if (!b->key)
			give_up("a value is used before it is there: %s", LLVMPrintValueToString(v));
		return b->value;
	}
	if (LLVMIsAConstantPointerNull(v))
		return (struct value){.kind = POINTER};
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMStructTypeKind) /* undef, to be filled */
		return (struct value){.kind = PARTS};
	return exec_bits(constant_of(v));
}

static struct value choose_pointer(term when, const struct value *a, const struct value *b)
{
	struct value v = {.kind = POINTER};
	const struct value *sides[] = {b, a};
	for (unsigned s = 0; s < 2; s++) {
		for (unsigned i = 0; i < sides[s]->n; i++) {
			struct place p = sides[s]->place[i];
			unsigned at = 0;
			while (at < v.n && (v.place[at].object != p.object || v.place[at].offset != p.offset))
				at++;
			if (at == MAX_PLACES)
				give_up("a pointer to too many places");
			p.when = and_(p.when, s ? when : not_(when));
			if (at < v.n)
				p.when = or_(v.place[at].when, p.when);
			else
				v.n++;
			v.place[at] = p;
		}
	}
	return v;
}

/* That two pointers are the same: both at one place, or both null. */
static term same_pointers(const struct value *a, const struct value *b)
{
	term same = truth(false), none = truth(true);
	for (unsigned i = 0; i < a->n; i++) {
		none = and_(none, not_(a->place[i].when));
		for (unsigned j = 0; j < b->n; j++) {
			if (a->place[i].object == b->place[j].object && a->place[i].offset == b->place[j].offset)
				same = or_(same, and_(a->place[i].when, b->place[j].when));
		}
	}
	for (unsigned i = 0; i < b->n; i++)
		none = and_(none, not_(b->place[i].when));
	return or_(same, none);
}

/* It is at none of its places. */
static term is_null(const struct value *p)
{
	term none = truth(true);
	for (unsigned i = 0; i < p->n; i++)
		none = and_(none, not_(p->place[i].when));
	return none;
}

static bool same_place(const struct value *a, const struct value *b)
{
	return a->n == 1 && b->n == 1 && a->place[0].object == b->place[0].object &&
	       a->place[0].offset == b->place[0].offset;
}

struct value step_choose(term when, const struct value *a, const struct value *b)
{
	if (is_true(when) || b->kind == NOTHING)
		return *a;
	if (is_false(when) || a->kind == NOTHING)
		return *b;
	if (a->kind != b->kind || (a->kind != POINTER && a->n != b->n))
		give_up("a choice between unlike values");
	if (a->kind == POINTER)
		return same_place(a, b) ? *a : choose_pointer(when, a, b);
	struct value v = *a;
	for (unsigned i = 0; i < v.n; i++)
		v.part[i] = ite(when, a->part[i], b->part[i]);
	return v;
}

/* ---- objects ---- */

/* `last`: of an array that is the last member so many elements, and nothing behind them; 0: all. */
static void cut_type(struct object *o, LLVMTypeRef t, unsigned last, LLVMTargetDataRef layout)
{
	uint64_t start = o->size;
	unsigned n;
	switch (LLVMGetTypeKind(t)) {
	case LLVMStructTypeKind:
		n = LLVMCountStructElementTypes(t);
		for (unsigned i = 0; i < n; i++) {
			while (o->size < start + LLVMOffsetOfElement(layout, t, i))
				object_cut(o, 1); /* padding */
			cut_type(o, LLVMStructGetTypeAtIndex(t, i), i + 1 == n ? last : 0, layout);
		}
		break;
	case LLVMArrayTypeKind:
		for (uint64_t i = 0; i < LLVMGetArrayLength2(t) && (!last || i < last); i++)
			cut_type(o, LLVMGetElementType(t), 0, layout);
		break;
	case LLVMIntegerTypeKind: object_cut(o, (unsigned)LLVMStoreSizeOfType(layout, t)); break;
	case LLVMPointerTypeKind: object_cut(o, 8); break; /* where it leads to is not known, and not asked for */
	default: give_up("memory of a type that is not understood");
	}
	while (!last && o->size < start + LLVMABISizeOfType(layout, t))
		object_cut(o, 1);
}

struct value step_object(struct memory *memory, LLVMTypeRef type, unsigned last, LLVMModuleRef module)
{
	unsigned object = object_new();
	cut_type(object_at(object), type, last, LLVMGetModuleDataLayout(module));
	memory_add(memory, object);
	return pointer_to(object);
}

static uint64_t constant_index(struct frame *f, LLVMValueRef v)
{
	uint64_t n;
	term t = step_operand(f, v).part[0];
	if (!is_number(sext(t, 64), &n))
		give_up("an index that is not constant");
	return n;
}

/* The element of an array that an index says which is not known: one of them, or else there is a hazard. */
static struct value any_element(
	struct frame *f, LLVMValueRef gep, const struct value *p, term index, uint64_t n, uint64_t size, term guard)
{
	struct value any = {.kind = POINTER};
	for (unsigned i = 0; i < p->n; i++) {
		for (uint64_t k = 0; k < n; k++) {
			if (any.n == MAX_PLACES)
				give_up("a pointer to too many places");
			any.place[any.n++] = (struct place){and_(p->place[i].when, eq(index, bits(width_of(index), k))),
				p->place[i].object, p->place[i].offset + k * size};
		}
	}
	step_hazard(f, and_(guard, ule(bits(width_of(index), n), index)), gep, "an index behind the end of an array");
	return any;
}

struct window exec_window;

/* The element of an array of which only some are there. */
static struct value shown_element(
	struct frame *f, LLVMValueRef gep, const struct value *p, term index, uint64_t size, term guard)
{
	struct value any = {.kind = POINTER};
	term none = truth(true);
	for (unsigned k = 0; k < exec_window.n; k++) {
		term is = and_(none, eq(index, exec_window.at[k]));
		none = and_(none, not_(eq(index, exec_window.at[k])));
		for (unsigned i = 0; i < p->n; i++) {
			if (any.n == MAX_PLACES)
				give_up("a pointer to too many places");
			any.place[any.n++] = (struct place){
				and_(p->place[i].when, is), p->place[i].object, p->place[i].offset + k * size};
		}
	}
	step_hazard(f, and_(guard, or_(none, ule(bits(64, exec_window.of), index))), gep,
		"an element that the statement is not about");
	return any;
}

static struct value element(struct frame *f, LLVMValueRef gep, LLVMTargetDataRef layout, term guard)
{
	struct value p = step_operand(f, LLVMGetOperand(gep, 0));
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
	/* so many bytes behind one that is unknown: to be passed on */
	if (!p.n && !p.part[0] && LLVMGetNumOperands(gep) == 2 && LLVMABISizeOfType(layout, t) == 1) {
		p.part[0] = sext(step_operand(f, LLVMGetOperand(gep, 1)).part[0], 64);
		return p;
	}
	uint64_t offset = constant_index(f, LLVMGetOperand(gep, 1)) * LLVMABISizeOfType(layout, t), known;
	for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(gep); i++) {
		LLVMValueRef at = LLVMGetOperand(gep, i);
		if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			uint64_t index = constant_index(f, at);
			offset += LLVMOffsetOfElement(layout, t, (unsigned)index);
			t = LLVMStructGetTypeAtIndex(t, (unsigned)index);
			continue;
		}
		uint64_t n = LLVMGetArrayLength2(t);
		t = LLVMGetElementType(t);
		term index = step_operand(f, at).part[0];
		if (exec_window.n && n == exec_window.of)
			p = shown_element(f, gep, &p, sext(index, 64), LLVMABISizeOfType(layout, t), guard);
		else if (is_number(sext(index, 64), &known))
			offset += (damaged(DAMAGE_REGISTER) && n == 16 ? (known + 1) % n : known) *
				  LLVMABISizeOfType(layout, t);
		else
			p = any_element(f, gep, &p, index, n, LLVMABISizeOfType(layout, t), guard);
	}
	for (unsigned i = 0; i < p.n; i++)
		p.place[i].offset += offset;
	return p;
}

/* ---- arithmetic ---- */

static term as_bits(term t, unsigned width)
{
	return is_bool(t) ? ite(t, bits(width, 1), bits(width, 0)) : zext(t, width);
}

static term as_bool(term t)
{
	return is_bool(t) ? t : eq(extract(0, 0, t), bits(1, 1));
}

static term negative(term t)
{
	unsigned width = width_of(t);
	return eq(extract(width - 1, width - 1, t), bits(1, 1));
}

static term sadd_overflow(term a, term b)
{
	term s = add(a, b);
	return negative(band(bxor(a, s), bxor(b, s)));
}

static term ssub_overflow(term a, term b)
{
	return negative(band(bxor(a, b), bxor(a, sub(a, b))));
}

/* Factors of a product of twice their width, if they are its operands: both unsigned, or both signed. */
static bool is_wide_product(term a, term b, bool *is_signed, struct product *p)
{
	unsigned half = width_of(a) / 2;
	term x = a, y = b;
	bool sign = is_sign_extension(a, half, &x) && is_sign_extension(b, half, &y);
	if (!sign && !(is_extension(a, half, &x) && is_extension(b, half, &y)))
		return false;
	*is_signed = sign;
	*p = product(x, y);
	return true;
}

/* Times a power of two nothing is lost if shifting back gives the same; a product of halves always fits. */
static term smul_overflow(term a, term b)
{
	struct product p;
	bool is_signed;
	unsigned width = width_of(a);
	if (width == 128 && is_wide_product(a, b, &is_signed, &p))
		return truth(false);
	for (unsigned k = 0; k + 1 < width; k++) {
		term power = shl(bits(width, 1), bits(width, k));
		if (Z3_is_eq_ast(z3, power, b))
			return not_(eq(ashr(shl(a, bits(width, k)), bits(width, k)), a));
	}
	if (Z3_get_ast_kind(z3, a) == Z3_NUMERAL_AST && Z3_get_ast_kind(z3, b) == Z3_NUMERAL_AST)
		return not_(Z3_simplify(z3, Z3_mk_and(z3, 2,
						    (term[]){Z3_mk_bvmul_no_overflow(z3, a, b, true),
							    Z3_mk_bvmul_no_underflow(z3, a, b)})));
	give_up("a signed product, of which the overflow is not checked");
}

static term multiply(term a, term b)
{
	struct product p;
	bool is_signed;
	if (width_of(a) == 128 && is_wide_product(a, b, &is_signed, &p))
		return is_signed ? wide_signed(&p) : wide(&p);
	return width_of(a) <= 64 ? product(a, b).low : arith_product_128(a, b);
}

static term least_signed(term t)
{
	unsigned width = width_of(t);
	return eq(t, shl(bits(width, 1), bits(width, width - 1)));
}

static term boolean_op(LLVMOpcode op, term a, term b)
{
	switch (op) {
	case LLVMAnd: return and_(a, b);
	case LLVMOr: return or_(a, b);
	case LLVMXor: return not_(eq(a, b));
	default: give_up("arithmetic on a truth value");
	}
}

/* What the flags nsw and nuw and the operation itself forbid. */
static void check_arithmetic(const struct frame *f, LLVMValueRef i, LLVMOpcode op, term a, term b, term guard)
{
	bool sums = op == LLVMAdd || op == LLVMSub;
	if (sums && LLVMGetNSW(i))
		step_hazard(f, and_(guard, op == LLVMAdd ? sadd_overflow(a, b) : ssub_overflow(a, b)), i,
			"a signed overflow");
	if (sums && LLVMGetNUW(i))
		step_hazard(f, and_(guard, op == LLVMAdd ? ult(add(a, b), a) : ult(a, b)), i, "an unsigned overflow");
	if (op == LLVMMul && LLVMGetNSW(i))
		step_hazard(f, and_(guard, smul_overflow(a, b)), i, "a signed overflow");
	if (op == LLVMShl || op == LLVMLShr || op == LLVMAShr)
		step_hazard(f, and_(guard, ule(bits(width_of(b), width_of(b)), b)), i, "a shift by too much");
	if (op == LLVMSDiv || op == LLVMSRem)
		step_hazard(f, and_(guard, and_(least_signed(a), eq(bnot(b), bits(width_of(b), 0)))), i,
			"a quotient that overflows");
	if (op == LLVMUDiv || op == LLVMURem || op == LLVMSDiv || op == LLVMSRem)
		step_hazard(f, and_(guard, eq(b, bits(width_of(b), 0))), i, "a division by zero");
}

bool exec_shifts;

static bool is_power(term t, term *exponent)
{
	uint64_t power;
	if (!exec_shifts || !is_number(t, &power) || power == 0 || (power & (power - 1)))
		return false;
	*exponent = bits(width_of(t), (uint64_t)__builtin_ctzll(power));
	return true;
}

static term binary(const struct frame *f, LLVMValueRef i, LLVMOpcode op, term a, term b, term guard)
{
	if (is_bool(a))
		return boolean_op(op, a, b);
	check_arithmetic(f, i, op, a, b, guard);
	term by;
	if ((op == LLVMMul || op == LLVMUDiv) && is_power(b, &by))
		return op == LLVMMul ? shl(a, by) : lshr(a, by);
	if (op == LLVMSRem && is_power(b, &by)) { /* it has the sign of what is divided */
		term zero = bits(width_of(a), 0), below = sub(b, bits(width_of(a), 1));
		return ite(slt(a, zero), sub(zero, band(sub(zero, a), below)), band(a, below));
	}
	switch (op) {
	case LLVMAdd: return add(a, b);
	case LLVMSub: return damaged(DAMAGE_SUB) ? sub(sub(a, b), bits(width_of(a), 1)) : sub(a, b);
	case LLVMMul: return sub(multiply(a, b), bits(width_of(a), damaged(DAMAGE_MUL)));
	case LLVMAnd: return band(a, b);
	case LLVMOr: return bor(a, b);
	case LLVMXor: return damaged(DAMAGE_XOR) ? bor(a, b) : bxor(a, b);
	case LLVMShl: return shl(a, b);
	case LLVMLShr: return lshr(a, b);
	case LLVMAShr: return damaged(DAMAGE_ASHR) ? lshr(a, b) : ashr(a, b);
	case LLVMUDiv: return add(quotient(a, b, false).q, bits(width_of(a), damaged(DAMAGE_UDIV)));
	case LLVMSDiv: return quotient(a, b, true).q;
	case LLVMURem: return rem(a, b);
	case LLVMSRem: return quotient(a, b, true).r;
	default: give_up("an operation that is not understood: %s", LLVMPrintValueToString(i));
	}
}

static term compare(LLVMIntPredicate p, term a, term b)
{
	switch (p) {
	case LLVMIntEQ: return damaged(DAMAGE_EQ) ? truth(true) : eq(a, b);
	case LLVMIntNE: return damaged(DAMAGE_NE) ? truth(false) : not_(eq(a, b));
	default: break;
	}
	if (is_bool(a))
		give_up("an order of truth values");
	switch (p) {
	case LLVMIntUGT: return damaged(DAMAGE_UGT) ? ule(b, a) : ult(b, a);
	case LLVMIntUGE: return ule(b, a);
	case LLVMIntULT: return ult(a, b);
	case LLVMIntULE: return damaged(DAMAGE_ULE) ? truth(true) : ule(a, b);
	case LLVMIntSGT: return slt(b, a);
	case LLVMIntSGE: return sle(b, a);
	case LLVMIntSLT: return damaged(DAMAGE_SLT) ? truth(false) : slt(a, b);
	default: return sle(a, b);
	}
}

static term cast(LLVMOpcode op, term a, unsigned width)
{
	switch (op) {
	case LLVMTrunc:
		if (damaged(DAMAGE_CUT) && width == 32)
			return zext(extract(15, 0, a), 32);
		return width == 1 ? as_bool(a) : extract(width - 1, 0, a);
	case LLVMZExt: return as_bits(a, width);
	default: break;
	}
	if (is_bool(a))
		return ite(a, bits(width, UINT64_MAX), bits(width, 0));
	return damaged(DAMAGE_SEXT) ? zext(a, width) : sext(a, width);
}

/* ---- instructions ---- */

static term scalar(struct frame *f, LLVMValueRef i, unsigned operand)
{
	struct value v = step_operand(f, LLVMGetOperand(i, operand));
	if (v.kind != BITS)
		give_up("not a number: %s", LLVMPrintValueToString(i));
	return v.part[0];
}

/* What a scalar is that is stored: a number, or a pointer. */
static term word(struct frame *f, LLVMValueRef i, unsigned operand)
{
	struct value v = step_operand(f, LLVMGetOperand(i, operand));
	if (v.kind != BITS && v.kind != POINTER)
		give_up("neither a number nor a pointer: %s", LLVMPrintValueToString(i));
	return v.kind == POINTER ? memory_word(&v) : v.part[0];
}

/* A pointer that was stored, or one of several. */
static bool is_stored_pointer(term t, struct value *p)
{
	term when, yes, no;
	struct value a, b;
	if (memory_place(t, p))
		return true;
	if (!is_choice(t, &when, &yes, &no) || !is_stored_pointer(yes, &a) || !is_stored_pointer(no, &b))
		return false;
	*p = step_choose(when, &a, &b);
	return true;
}

/* One that is unknown is at no place: it can be passed on, and what is behind it is what a statement says. */
static struct value load_pointer(const struct value *from, const struct memory *memory)
{
	const struct value *to = memory_pointer(from);
	struct value p = {.kind = POINTER};
	if (to)
		return *to;
	term t = from->n ? exec_load(memory, from, 0, 8) : NULL;
	if (!t || !is_stored_pointer(t, &p))
		p.part[1] = t;
	return p;
}

term (*exec_reads)(term base, term offset, unsigned bytes, term guard);

static struct value load(struct frame *f, LLVMValueRef i, const struct memory *memory, term guard)
{
	struct value p = step_operand(f, LLVMGetOperand(i, 0));
	bool pointer = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
	if (exec_reads && !pointer && !p.n && p.part[0] && p.part[1])
		return exec_bits(exec_reads(p.part[1], p.part[0], bits_of(LLVMTypeOf(i)) / 8, and_(f->guard, guard)));
	step_hazard(f, and_(guard, is_null(&p)), i, "a load through no pointer");
	if (pointer)
		return load_pointer(&p, memory);
	unsigned width = bits_of(LLVMTypeOf(i));
	return exec_bits(exec_load(memory, &p, 0, (width + 7) / 8));
}

static void store(struct frame *f, LLVMValueRef i, struct memory *memory, term guard)
{
	struct value p = step_operand(f, LLVMGetOperand(i, 1));
	step_hazard(f, and_(guard, is_null(&p)), i, "a store through no pointer");
	term t = word(f, i, 0);
	uint64_t zero;
	if (damaged(DAMAGE_FORGET) && !is_bool(t) && width_of(t) == 8 && is_number(t, &zero) && zero == 0)
		t = bits(8, 8);
	exec_store(memory, &p, 0, is_bool(t) ? as_bits(t, 8) : t);
}

static struct value insert(struct frame *f, LLVMValueRef i)
{
	struct value v = step_operand(f, LLVMGetOperand(i, 0));
	unsigned at = LLVMGetIndices(i)[0];
	if (LLVMGetNumIndices(i) != 1 || at >= MAX_PARTS)
		give_up("an insertion that is not understood");
	v.kind = PARTS;
	v.n = LLVMCountStructElementTypes(LLVMTypeOf(i));
	for (unsigned k = 0; k < v.n && k < MAX_PARTS; k++) {
		if (!v.part[k])
			v.part[k] = fresh(bits_of(LLVMStructGetTypeAtIndex(LLVMTypeOf(i), k)));
	}
	v.part[at] = scalar(f, i, 1);
	return v;
}

static struct value compute(struct frame *f, LLVMValueRef i, struct memory *memory, term guard)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	LLVMModuleRef module = module_of(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
	struct value a, b;
	switch (op) {
	case LLVMAlloca: return step_object(memory, LLVMGetAllocatedType(i), 0, module);
	case LLVMGetElementPtr: return element(f, i, LLVMGetModuleDataLayout(module), guard);
	case LLVMLoad: return load(f, i, memory, guard);
	case LLVMICmp:
		a = step_operand(f, LLVMGetOperand(i, 0));
		b = step_operand(f, LLVMGetOperand(i, 1));
		if (a.kind == POINTER && b.kind == POINTER && LLVMGetICmpPredicate(i) <= LLVMIntNE)
			return exec_bits(LLVMGetICmpPredicate(i) == LLVMIntEQ ? same_pointers(&a, &b)
									      : not_(same_pointers(&a, &b)));
		return exec_bits(compare(LLVMGetICmpPredicate(i), scalar(f, i, 0), scalar(f, i, 1)));
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt: return exec_bits(cast(op, scalar(f, i, 0), bits_of(LLVMTypeOf(i))));
	case LLVMFreeze: return step_operand(f, LLVMGetOperand(i, 0));
	case LLVMSelect:
		a = step_operand(f, LLVMGetOperand(i, 1));
		b = step_operand(f, LLVMGetOperand(i, 2));
		return step_choose(scalar(f, i, 0), &a, &b);
	case LLVMExtractValue:
		a = step_operand(f, LLVMGetOperand(i, 0));
		if (a.kind != PARTS || LLVMGetIndices(i)[0] >= a.n)
			give_up("an extraction that is not understood");
		return exec_bits(a.part[LLVMGetIndices(i)[0]]);
	case LLVMInsertValue: return insert(f, i);
	default: return exec_bits(binary(f, i, op, scalar(f, i, 0), scalar(f, i, 1), guard));
	}
}

void step_instruction(struct frame *f, LLVMValueRef i, struct memory *memory, term guard)
{
	struct value v;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMStore: store(f, i, memory, guard); return;
	case LLVMUnreachable: step_hazard(f, guard, i, "the end of a path that never is taken"); return;
	default: v = compute(f, i, memory, guard); step_define(f, i, &v);
	}
}

/* ---- intrinsics ---- */

static bool named(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static struct value with_overflow(const char *op, term a, term b)
{
	struct product p;
	term value, overflow, zero = bits(width_of(a), 0);
	enum exec_damage damage;
	if (named(op, "uadd")) {
		value = add(a, b), overflow = ult(value, a), damage = DAMAGE_UADD;
	} else if (named(op, "usub")) {
		value = sub(a, b), overflow = ult(a, b), damage = DAMAGE_USUB;
	} else if (named(op, "sadd")) {
		value = add(a, b), overflow = sadd_overflow(a, b), damage = DAMAGE_SADD;
	} else if (named(op, "ssub")) {
		value = sub(a, b), overflow = ssub_overflow(a, b), damage = DAMAGE_SSUB;
	} else if (named(op, "umul")) {
		p = product(a, b);
		value = p.low, overflow = not_(eq(p.high, zero)), damage = DAMAGE_UMUL;
	} else if (named(op, "smul")) {
		p = product(a, b);
		value = p.low, overflow = not_(eq(wide_signed(&p), sext(p.low, 2 * width_of(a)))), damage = DAMAGE_SMUL;
	} else {
		give_up("llvm.%s is not understood", op);
	}
	if (named(op, "umul") && damaged(DAMAGE_TOO_WIDE))
		overflow = truth(true);
	return (struct value){.kind = PARTS, .n = 2, .part = {value, damaged(damage) ? truth(false) : overflow}};
}

static struct value zeros(struct frame *f, LLVMValueRef call, bool trailing, term guard)
{
	term a = scalar(f, call, 0), count = trailing ? ctz(a) : clz(a);
	if (is_true(scalar(f, call, 1)))
		step_hazard(f, and_(guard, eq(a, bits(width_of(a), 0))), call, "the zeros of zero");
	if (damaged(trailing ? DAMAGE_CTTZ : DAMAGE_CTLZ))
		count = add(count, bits(width_of(a), 1));
	return exec_bits(count);
}

static void set_bytes(struct frame *f, LLVMValueRef call, struct memory *memory)
{
	struct value p = step_operand(f, LLVMGetOperand(call, 0));
	uint64_t byte, n = constant_index(f, LLVMGetOperand(call, 2));
	if (!is_number(scalar(f, call, 1), &byte))
		give_up("memory filled with what is not constant");
	memory_fill(memory, &p, (uint8_t)byte, n);
}

static term minmax(const char *op, term a, term b)
{
	bool is_signed = op[0] == 's', max = op[2] == 'a';
	term less = is_signed ? sle(a, b) : ule(a, b);
	return max ? ite(less, b, a) : ite(less, a, b);
}

void step_intrinsic(struct frame *f, LLVMValueRef call, const char *name, struct memory *memory, term guard)
{
	struct value v, to, from;
	const char *op = name + strlen("llvm.");
	if (named(op, "lifetime") || named(op, "dbg") || named(op, "experimental.noalias"))
		return;
	if (named(op, "memset")) {
		set_bytes(f, call, memory);
		return;
	}
	if (named(op, "memcpy") || named(op, "memmove")) {
		to = step_operand(f, LLVMGetOperand(call, 0));
		from = step_operand(f, LLVMGetOperand(call, 1));
		step_hazard(f, and_(guard, or_(is_null(&to), is_null(&from))), call, "a copy through no pointer");
		memory_copy_bytes(memory, &to, &from, constant_index(f, LLVMGetOperand(call, 2)));
		return;
	}
	if (strstr(op, ".with.overflow"))
		v = with_overflow(op, scalar(f, call, 0), scalar(f, call, 1));
	else if (named(op, "cttz"))
		v = zeros(f, call, true, guard);
	else if (named(op, "ctlz"))
		v = zeros(f, call, false, guard);
	else if (named(op, "ctpop"))
		v = exec_bits(
			add(popcount(scalar(f, call, 0)), bits(bits_of(LLVMTypeOf(call)), damaged(DAMAGE_CTPOP))));
	else if (named(op, "umin") || named(op, "umax") || named(op, "smin") || named(op, "smax"))
		v = exec_bits(minmax(op, scalar(f, call, 0), scalar(f, call, 1)));
	else
		give_up("llvm.%s is not understood", op);
	step_define(f, call, &v);
}
