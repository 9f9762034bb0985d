/* SPDX-License-Identifier: Apache-2.0 */
#include "term.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

Z3_context z3;

void give_up(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("ward: z3: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

static void on_error(Z3_context context, Z3_error_code code)
{
	give_up("%s", Z3_get_error_msg(context, code));
}

void term_begin(void)
{
	Z3_config config = Z3_mk_config();
	z3 = Z3_mk_context(config);
	Z3_del_config(config);
	Z3_set_error_handler(z3, on_error);
}

/* ---- constants and inputs ---- */

enum { MAX_INPUTS = 200 };

static struct {
	const char *name;
	term variable, value; /* value: in a replay */
} inputs[MAX_INPUTS];
static unsigned n_inputs;
static bool replaying;

term bits(unsigned width, uint64_t value)
{
	if (width > 64)
		return Z3_simplify(z3, Z3_mk_zero_ext(z3, width - 64, bits(64, value)));
	if (width < 64)
		value &= (UINT64_C(1) << width) - 1;
	return Z3_mk_unsigned_int64(z3, value, Z3_mk_bv_sort(z3, width));
}

static term input_of(const char *name, Z3_sort sort)
{
	for (unsigned i = 0; i < n_inputs; i++) {
		if (strcmp(inputs[i].name, name) == 0)
			return replaying ? inputs[i].value : inputs[i].variable;
	}
	if (n_inputs == MAX_INPUTS)
		give_up("too many inputs");
	term t = Z3_mk_const(z3, Z3_mk_string_symbol(z3, name), sort);
	inputs[n_inputs].name = strdup(name);
	inputs[n_inputs++].variable = t;
	return t;
}

term input(const char *name, unsigned width)
{
	return input_of(name, Z3_mk_bv_sort(z3, width));
}

term input_bool(const char *name)
{
	return input_of(name, Z3_mk_bool_sort(z3));
}

term fresh(unsigned width)
{
	return Z3_mk_fresh_const(z3, "f", Z3_mk_bv_sort(z3, width));
}

term fresh_bool(void)
{
	return Z3_mk_fresh_const(z3, "f", Z3_mk_bool_sort(z3));
}

void term_replay(Z3_model model, FILE *out)
{
	replaying = model != NULL;
	if (!replaying)
		return;
	fputs("  at", out);
	for (unsigned i = 0; i < n_inputs; i++) {
		uint64_t value;
		if (!Z3_model_eval(z3, model, inputs[i].variable, true, &inputs[i].value))
			give_up("the model has no value for %s", inputs[i].name);
		if (is_number(inputs[i].value, &value))
			fprintf(out, " %s=%#llx", inputs[i].name, (unsigned long long)value);
		else
			fprintf(out, " %s=%s", inputs[i].name, Z3_ast_to_string(z3, inputs[i].value));
	}
	fputc('\n', out);
}

bool term_replaying(void)
{
	return replaying;
}

bool is_number(term t, uint64_t *value)
{
	return Z3_get_ast_kind(z3, t) == Z3_NUMERAL_AST && Z3_get_numeral_uint64(z3, t, value);
}

bool is_true(term t)
{
	return Z3_get_bool_value(z3, t) == Z3_L_TRUE;
}

bool is_false(term t)
{
	return Z3_get_bool_value(z3, t) == Z3_L_FALSE;
}

bool is_bool(term t)
{
	return Z3_get_sort_kind(z3, Z3_get_sort(z3, t)) == Z3_BOOL_SORT;
}

static bool made_by(term t, Z3_decl_kind kind)
{
	return Z3_get_ast_kind(z3, t) == Z3_APP_AST &&
	       Z3_get_decl_kind(z3, Z3_get_app_decl(z3, Z3_to_app(z3, t))) == kind;
}

term operand(term t, unsigned i)
{
	return Z3_get_app_arg(z3, Z3_to_app(z3, t), i);
}

bool is_choice(term t, term *when, term *yes, term *no)
{
	if (!made_by(t, Z3_OP_ITE))
		return false;
	*when = operand(t, 0);
	*yes = operand(t, 1);
	*no = operand(t, 2);
	return true;
}

bool is_variable(term t)
{
	return made_by(t, Z3_OP_UNINTERPRETED);
}

bool is_difference(term t, term *a, term *b)
{
	if (!made_by(t, Z3_OP_BSUB))
		return false;
	*a = operand(t, 0);
	*b = operand(t, 1);
	return true;
}

bool is_concat(term t)
{
	return made_by(t, Z3_OP_CONCAT);
}

bool is_constant_multiple(term t, uint64_t *times, term *of)
{
	bool product = made_by(t, Z3_OP_BMUL) && Z3_get_app_num_args(z3, Z3_to_app(z3, t)) == 2;
	for (unsigned i = 0; product && i < 2; i++) {
		*of = operand(t, 1 - i);
		if (is_number(operand(t, i), times))
			return true;
	}
	return false;
}

unsigned is_sum(term t)
{
	return made_by(t, Z3_OP_BADD) ? Z3_get_app_num_args(z3, Z3_to_app(z3, t)) : 0;
}

bool is_extract(term t, unsigned *low)
{
	if (!made_by(t, Z3_OP_EXTRACT))
		return false;
	*low = (unsigned)Z3_get_decl_int_parameter(z3, Z3_get_app_decl(z3, Z3_to_app(z3, t)), 1);
	return true;
}

bool is_equation(term t)
{
	return made_by(t, Z3_OP_EQ) && !is_bool(operand(t, 0));
}

unsigned is_conjunction(term t)
{
	return made_by(t, Z3_OP_AND) ? Z3_get_app_num_args(z3, Z3_to_app(z3, t)) : 0;
}

bool is_extension(term t, unsigned width, term *of)
{
	if (!made_by(t, Z3_OP_ZERO_EXT) || width_of(operand(t, 0)) != width)
		return false;
	*of = operand(t, 0);
	return true;
}

bool is_sign_extension(term t, unsigned width, term *of)
{
	if (!made_by(t, Z3_OP_SIGN_EXT) || width_of(operand(t, 0)) != width)
		return false;
	*of = operand(t, 0);
	return true;
}

unsigned width_of(term t)
{
	return Z3_get_bv_sort_size(z3, Z3_get_sort(z3, t));
}

/* ---- truth ---- */

term truth(bool value)
{
	return value ? Z3_mk_true(z3) : Z3_mk_false(z3);
}

term not_(term a)
{
	if (is_true(a) || is_false(a))
		return truth(is_false(a));
	return Z3_mk_not(z3, a);
}

term and_(term a, term b)
{
	if (is_false(a) || is_true(b) || a == b)
		return a;
	if (is_false(b) || is_true(a))
		return b;
	return Z3_mk_and(z3, 2, (term[]){a, b});
}

term or_(term a, term b)
{
	if (is_true(a) || is_false(b) || a == b)
		return a;
	if (is_true(b) || is_false(a))
		return b;
	return Z3_mk_or(z3, 2, (term[]){a, b});
}

term implies(term a, term b)
{
	return or_(not_(a), b);
}

static bool constant(term t)
{
	return Z3_get_ast_kind(z3, t) == Z3_NUMERAL_AST || is_true(t) || is_false(t);
}

static term fold(term t, term a, term b)
{
	return constant(a) && constant(b) ? Z3_simplify(z3, t) : t;
}

bool term_fold_choices;

/* Of two numbers, one on either side. */
static bool chooses_numbers(term t, term *when, uint64_t *yes, uint64_t *no)
{
	term a, b;
	return term_fold_choices && is_choice(t, when, &a, &b) && is_number(a, yes) && is_number(b, no);
}

term eq(term a, term b)
{
	uint64_t yes, no, other;
	term when;
	if (chooses_numbers(a, &when, &yes, &no) && is_number(b, &other))
		return yes == other ? (no == other ? truth(true) : when) : no == other ? not_(when) : truth(false);
	return a == b ? truth(true) : fold(Z3_mk_eq(z3, a, b), a, b);
}

term ite(term c, term a, term b)
{
	if (is_true(c) || a == b)
		return a;
	return is_false(c) ? b : Z3_mk_ite(z3, c, a, b);
}

/* ---- bit-vectors ---- */

term op2(term_op2 *op, term a, term b)
{
	return fold(op(z3, a, b), a, b);
}

term add(term a, term b)
{
	uint64_t none;
	if (is_number(b, &none) && none == 0)
		return a;
	return op2(Z3_mk_bvadd, a, b);
}

term sub(term a, term b)
{
	return op2(Z3_mk_bvsub, a, b);
}

term band(term a, term b)
{
	return op2(Z3_mk_bvand, a, b);
}

term bor(term a, term b)
{
	return op2(Z3_mk_bvor, a, b);
}

term bxor(term a, term b)
{
	return op2(Z3_mk_bvxor, a, b);
}

term bnot(term a)
{
	return fold(Z3_mk_bvnot(z3, a), a, a);
}

term ule(term a, term b)
{
	return op2(Z3_mk_bvule, a, b);
}

term ult(term a, term b)
{
	return op2(Z3_mk_bvult, a, b);
}

term sle(term a, term b)
{
	return op2(Z3_mk_bvsle, a, b);
}

term slt(term a, term b)
{
	return op2(Z3_mk_bvslt, a, b);
}

term shl(term a, term b)
{
	return op2(Z3_mk_bvshl, a, b);
}

term lshr(term a, term b)
{
	return op2(Z3_mk_bvlshr, a, b);
}

term ashr(term a, term b)
{
	return op2(Z3_mk_bvashr, a, b);
}

term extract(unsigned high, unsigned low, term a)
{
	if (low == 0 && high + 1 == width_of(a))
		return a;
	uint64_t yes, no;
	term when;
	if (chooses_numbers(a, &when, &yes, &no))
		return ite(when, extract(high, low, bits(width_of(a), yes)), extract(high, low, bits(width_of(a), no)));
	return fold(Z3_mk_extract(z3, high, low, a), a, a);
}

term concat(term high, term low)
{
	return op2(Z3_mk_concat, high, low);
}

term zext(term a, unsigned width)
{
	return width == width_of(a) ? a : fold(Z3_mk_zero_ext(z3, width - width_of(a), a), a, a);
}

term sext(term a, unsigned width)
{
	return width == width_of(a) ? a : fold(Z3_mk_sign_ext(z3, width - width_of(a), a), a, a);
}

term ctz(term a)
{
	unsigned width = width_of(a);
	term result = bits(width, width);
	for (unsigned i = width; i-- > 0;)
		result = ite(eq(extract(i, i, a), bits(1, 1)), bits(width, i), result);
	return result;
}

term clz(term a)
{
	unsigned width = width_of(a);
	term result = bits(width, width);
	for (unsigned i = 0; i < width; i++)
		result = ite(eq(extract(i, i, a), bits(1, 1)), bits(width, width - 1 - i), result);
	return result;
}
