/* SPDX-License-Identifier: Apache-2.0 */
#include "compared.h"

#include <stddef.h>

#include "tests/z3/engine/arith.h"
#include "verifier/domain/state.h"

static term premise;
static unsigned width;
static bool by_name;

/* ---- values ---- */

/* The scalars of struct wv_val, all but the number. */
static const struct {
	const char *name;
	uint8_t offset, bytes;
} fields[] = {
#define FIELD(f) {#f, offsetof(struct wv_val, f), sizeof(((struct wv_val *)0)->f)}
	FIELD(kind),
	FIELD(region),
	FIELD(init),
	FIELD(sym),
	FIELD(add),
	FIELD(lsym),
	FIELD(ladd),
#undef FIELD
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };
_Static_assert(sizeof(struct wv_val) == 104 && COMPARED_B == COMPARED_A + sizeof(struct wv_val), "layout");

static const char *letter_of(unsigned symbol)
{
	return symbol == SYMBOL_A ? "a" : "b";
}

static term input_of(unsigned symbol, const char *name, unsigned of_width)
{
	char full[40];
	snprintf(full, sizeof full, "%s.%s", letter_of(symbol), name);
	return input(full, of_width);
}

static term field_of(unsigned symbol, unsigned i)
{
	unsigned of_width = 8u * fields[i].bytes;
	size_t at = fields[i].offset;
	if (at == offsetof(struct wv_val, sym))
		return bits(of_width, symbol);
	if (symbol == SYMBOL_NONE)
		return bits(of_width, at == offsetof(struct wv_val, kind)   ? WV_NUM
				      : at == offsetof(struct wv_val, init) ? 64
									    : 0);
	return input_of(symbol, fields[i].name, of_width);
}

struct value inside(const struct value *where, uint64_t offset)
{
	struct value v = *where;
	for (unsigned i = 0; i < v.n; i++)
		v.place[i].offset += offset;
	return v;
}

struct number known_of(const struct memory *memory, const struct value *where)
{
	struct value n = inside(where, offsetof(struct wv_val, n));
	return number_load(memory, &n);
}

void compared_value(struct memory *memory, const struct value *where, unsigned symbol)
{
	struct number n = number_input(symbol == SYMBOL_NONE ? "zero.n" : symbol == SYMBOL_A ? "a.n" : "b.n");
	struct value at = inside(where, offsetof(struct wv_val, n));
	for (unsigned i = 0; i < N_FIELDS; i++)
		exec_store(memory, where, fields[i].offset, field_of(symbol, i));
	number_store(memory, &at, &n);
	assume(valid(&n));
}

term number_of(unsigned symbol)
{
	return symbol == SYMBOL_A ? input("x", 64) : symbol == SYMBOL_B ? input("y", 64) : bits(64, 0);
}

term register_of(unsigned symbol)
{
	if (symbol == SYMBOL_NONE)
		return bits(64, 0);
	/* Pointers into the region of a have one base; others have another. */
	term kind = input_of(symbol, "kind", 8), region = input_of(symbol, "region", 8), x = number_of(symbol);
	term base = ite(eq(region, input("a.region", 8)), input("base", 64), input("other base", 64));
	return ite(eq(kind, bits(8, WV_NUM)), x,
		ite(eq(kind, bits(8, WV_PTR)), add(base, x), input_of(symbol, "register", 64)));
}

void compared_begin(unsigned of_width, bool passed_on)
{
	width = of_width;
	by_name = passed_on && !arith_exact;
	/*
	 * spec/policy.md: no region ends within 16 MiB of the end of the address space; and none straddles its middle,
	 * which no processor addresses.
	 */
	term base = input("base", 64), top = add(base, bits(64, 1 << 24)), sign = bits(64, UINT64_C(1) << 63);
	assume(and_(ult(base, top), eq(band(base, sign), band(top, sign))));
	witness(number_of(SYMBOL_A));
	witness(number_of(SYMBOL_B));
	witness(number_of(SYMBOL_NONE));
}

unsigned compared_width(void)
{
	return width;
}

term compared_relation(term t)
{
	return by_name ? name_of(t) : t;
}

void compared_given(term condition)
{
	premise = condition;
}

term compared_premise(void)
{
	return premise;
}

/* ---- what is said of a value by its symbol ---- */

typedef term of_symbol(const struct memory *memory, const struct value *where, unsigned symbol);

/* Of the symbol that it has; false if it has none of the three. */
static term by_symbol(const struct memory *memory, const struct value *where, of_symbol *say)
{
	static const unsigned symbols[] = {SYMBOL_NONE, SYMBOL_A, SYMBOL_B};
	term sym = exec_load(memory, where, offsetof(struct wv_val, sym), 4), said = truth(false);
	for (unsigned i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		term is = eq(sym, bits(32, symbols[i]));
		if (!is_false(is))
			said = or_(said, and_(is, say(memory, where, symbols[i])));
	}
	return said;
}

static term has_fields(const struct memory *memory, const struct value *where, unsigned symbol)
{
	term all = truth(true);
	for (unsigned i = 0; i < N_FIELDS; i++)
		all = and_(all, eq(exec_load(memory, where, fields[i].offset, fields[i].bytes), field_of(symbol, i)));
	return all;
}

term is_compared(const struct memory *memory, const struct value *where)
{
	return by_symbol(memory, where, has_fields);
}

term is_valid(const struct memory *memory, const struct value *where)
{
	struct number n = known_of(memory, where);
	return valid(&n);
}

static term has_number(const struct memory *memory, const struct value *where, unsigned symbol)
{
	struct number n = known_of(memory, where);
	return member(&n, number_of(symbol));
}

term is_member(const struct memory *memory, const struct value *where)
{
	return by_symbol(memory, where, has_number);
}

/* ---- comparisons ---- */

term its_register(const struct memory *memory, const struct value *where)
{
	term sym = exec_load(memory, where, offsetof(struct wv_val, sym), 4);
	return ite(eq(sym, bits(32, SYMBOL_A)), register_of(SYMBOL_A),
		ite(eq(sym, bits(32, SYMBOL_B)), register_of(SYMBOL_B), register_of(SYMBOL_NONE)));
}

term its_number(const struct memory *memory, const struct value *where)
{
	term sym = exec_load(memory, where, offsetof(struct wv_val, sym), 4);
	return ite(eq(sym, bits(32, SYMBOL_A)), number_of(SYMBOL_A),
		ite(eq(sym, bits(32, SYMBOL_B)), number_of(SYMBOL_B), number_of(SYMBOL_NONE)));
}

static term compare(
	const struct memory *memory, const struct value *c, term of(const struct memory *, const struct value *))
{
	struct value a = inside(c, COMPARED_A), b = inside(c, COMPARED_B);
	return compared_relation(
		any_cond(exec_load(memory, c, COMPARED_COND, 4), width, of(memory, &a), of(memory, &b)));
}

term registers_compare(const struct memory *memory, const struct value *c)
{
	return compare(memory, c, its_register);
}

term numbers_compare(const struct memory *memory, const struct value *c)
{
	return compare(memory, c, its_number);
}

/* ---- objects ---- */

/* of struct wv_val, padding included */
static const uint8_t scalars[] = {1, 1, 1, 1, 4, 8, 4, 4, 8, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8};
enum { N_SCALARS = sizeof scalars };
_Static_assert(offsetof(struct wv_state, flags) == 8 && offsetof(struct wv_flags, a) == 8, "layout");

/* Two values after something else. */
static struct value new_pair(struct memory *memory, const uint8_t *before)
{
	uint8_t widths[64];
	unsigned n = 0;
	for (; *before; before++)
		widths[n++] = *before;
	for (unsigned i = 0; i < 2 * N_SCALARS; i++)
		widths[n++] = scalars[i % N_SCALARS];
	widths[n] = 0;
	return exec_object(memory, widths);
}

struct value new_flags(struct memory *memory, bool in_state)
{
	static const uint8_t in_front[] = {4, 4, 1, 1, 1, 1, 4, 0};
	return new_pair(memory, in_state ? in_front : in_front + 2);
}

struct value new_comparison(struct memory *memory)
{
	static const uint8_t in_front[] = {4, 4, 0};
	return new_pair(memory, in_front);
}
