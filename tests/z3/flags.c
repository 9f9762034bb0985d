/*
 * flags.c: what a condition tells of the values compared.
 *
 * The flags are those that the processor computes of two registers (SDM vol. 2, CMP; vol. 1, 3.4.3 and appendix B), or anything, as the
 * relation says. A register holds its number, or its region's base plus its offset. Whenever the code under test says that something is known of a
 * value, it must be so of the register's.
 */
#include <stddef.h>

#include "arith.h"
#include "queries.h"
#include "state.h"

enum { SYMBOL_A = 1000, SYMBOL_B };

static struct memory memory;
static term number_a, number_b; /* or offsets */
static term condition;          /* the branch is taken, and all that is assumed of the registers */
static bool signed_order;       /* … which is one of signed numbers */

/* --- registers --- */

/* A value compared: its kind is any. Returns what the register holds. */
static term operand_of(const char *name, const struct value *flags, size_t at, unsigned symbol, struct number *n, term x)
{
	char full[40];
	term field[3];
	static const char *const names[] = {"kind", "region", "register"};
	for (unsigned i = 0; i < 3; i++) {
		snprintf(full, sizeof full, "%s.%s", name, names[i]);
		field[i] = input(full, i < 2 ? 8 : 64);
	}
	snprintf(full, sizeof full, "%s.n", name);
	*n = number_input(full);
	assume(valid(n));
	exec_store(&memory, flags, at + offsetof(struct wv_val, kind), field[0]);
	exec_store(&memory, flags, at + offsetof(struct wv_val, region), field[1]);
	exec_store(&memory, flags, at + offsetof(struct wv_val, sym), bits(32, symbol));
	struct value where = *flags;
	for (unsigned i = 0; i < where.n; i++)
		where.place[i].offset += at + offsetof(struct wv_val, n);
	number_store(&memory, &where, n);
	/* Pointers into the region of a have one base; others have another. */
	term base = ite(eq(field[1], input("a.region", 8)), input("base", 64), input("other base", 64));
	return ite(eq(field[0], bits(8, WV_NUM)), x, ite(eq(field[0], bits(8, WV_PTR)), add(base, x), field[2]));
}

/* --- flags --- */

static term bit(term t, unsigned i)
{
	return eq(extract(i, i, t), bits(1, 1));
}

static term parity(term t)
{
	term odd = truth(false);
	for (unsigned i = 0; i < 8; i++)
		odd = not_(eq(odd, bit(t, i)));
	return not_(odd);
}

struct flags {
	term cf, zf, sf, of, pf;
};

/* CMP a, b. */
static struct flags of_difference(unsigned width, term a, term b)
{
	term d = sub(a, b);
	return (struct flags){ult(a, b), eq(a, b), bit(d, width - 1), bit(band(bxor(a, b), bxor(a, d)), width - 1), parity(d)};
}

/* ADD that left the sum, of the addend and what the difference was. */
static struct flags of_sum(unsigned width, term sum, term addend)
{
	term other = sub(sum, addend);
	return (struct flags){ult(sum, addend), eq(sum, bits(width, 0)), bit(sum, width - 1), bit(band(bxor(sum, addend), bxor(sum, other)), width - 1),
		parity(sum)};
}

static struct flags flags_of(enum wv_relation relation, unsigned width, term a, term b)
{
	struct flags f = {input_bool("cf"), input_bool("zf"), input_bool("sf"), input_bool("of"), input_bool("pf")};
	term x = extract(width - 1, 0, a), y = extract(width - 1, 0, b);
	switch (relation) {
	case WV_REL_CMP: return of_difference(width, x, y);
	case WV_REL_ADD: return of_sum(width, x, y);
	case WV_REL_SIGN: f.sf = bit(x, width - 1); /* fallthrough */
	case WV_REL_ZERO: f.zf = eq(x, bits(width, 0)); break;
	case WV_REL_NONE: break;
	}
	return f;
}

static term holds(enum wv_cond cond, const struct flags *f)
{
	term less = not_(eq(f->sf, f->of)), t;
	switch (cond & ~1u) {
	case WV_O: t = f->of; break;
	case WV_B: t = f->cf; break;
	case WV_E: t = f->zf; break;
	case WV_BE: t = or_(f->cf, f->zf); break;
	case WV_S: t = f->sf; break;
	case WV_P: t = f->pf; break;
	case WV_L: t = less; break;
	default: t = or_(f->zf, less); break;
	}
	return cond & 1 ? not_(t) : t;
}

/* --- what the code says --- */

/* bool refine(where, of, known) */
bool flags_refining(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	struct number known = number_load(m, &args[2]);
	term symbol = exec_load(m, &args[1], offsetof(struct wv_val, sym), 4), given = and_(condition, guard);
	prove("what is told of a", implies(and_(given, eq(symbol, bits(32, SYMBOL_A))), member(&known, number_a)));
	prove("what is told of b", implies(and_(given, eq(symbol, bits(32, SYMBOL_B))), member(&known, number_b)));
	*result = exec_bits(truth(true)); /* what is true of a value never contradicts it */
	return true;
}

/* bool wv_state_assume_distance(state, a, b, equal) */
bool flags_distance(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	term a = exec_load(m, &args[1], offsetof(struct wv_val, sym), 4), b = exec_load(m, &args[2], offsetof(struct wv_val, sym), 4);
	term equal = args[3].part[0], of_b = ite(eq(b, bits(32, SYMBOL_B)), number_b, bits(64, 0));
	if (!is_bool(equal))
		equal = not_(eq(equal, bits(width_of(equal), 0)));
	prove("whose distance is told", implies(guard, and_(eq(a, bits(32, SYMBOL_A)), or_(eq(b, bits(32, SYMBOL_B)), eq(b, bits(32, 0))))));
	prove("the distance told", implies(and_(condition, guard), eq(equal, eq(number_a, of_b))));
	*result = exec_bits(truth(true));
	return true;
}

static term number_of_symbol(term symbol)
{
	return ite(eq(symbol, bits(32, SYMBOL_A)), number_a, ite(eq(symbol, bits(32, SYMBOL_B)), number_b, bits(64, 0)));
}

static struct number number_of_value(const struct memory *m, const struct value *v)
{
	struct value where = *v;
	for (unsigned i = 0; i < where.n; i++)
		where.place[i].offset += offsetof(struct wv_val, n);
	return number_load(m, &where);
}

/* bool wv_state_assume_order(state, low, high, d) */
bool flags_order(const struct value *args, const struct memory *m, term guard, struct value *result)
{
	struct number d = number_load(m, &args[3]), less = number_of_value(m, &args[1]), greater = number_of_value(m, &args[2]);
	term low = number_of_symbol(exec_load(m, &args[1], offsetof(struct wv_val, sym), 4)), high = number_of_symbol(exec_load(m, &args[2], offsetof(struct wv_val, sym), 4));
	term given = and_(condition, guard), apart = sub(high, low);
	prove("what is known of the less", implies(given, member(&less, low)));
	prove("what is known of the greater", implies(given, member(&greater, high)));
	/* Which of the two orders it is, the condition says: law "ends" is of use in one of them. */
	term least = signed_order ? less.smin : less.umin, most = signed_order ? greater.smax : greater.umax;
	assume(law_of_ends(least, low, high, most, signed_order));
	prove("in order", implies(given, signed_order ? sle(low, high) : ule(low, high)));
	prove("at most how far", implies(given, ule(apart, sub(most, least))));
	prove("how far the greater is from the less", implies(given, member(&d, apart)));
	*result = exec_bits(truth(true));
	return true;
}

/* --- the statement --- */

static struct value flags_object(bool in_state)
{
	/* The scalars of struct wv_val, and of struct wv_flags and the head of struct wv_state before it. */
	static const uint8_t value[] = {1, 1, 1, 1, 4, 8, 4, 4, 8, 8, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8}, head[] = {4, 4}, flags[] = {1, 1, 1, 1, 4};
	uint8_t widths[64];
	unsigned n = 0;
	_Static_assert(offsetof(struct wv_state, flags) == 8 && offsetof(struct wv_flags, a) == 8 && sizeof(struct wv_val) == 104, "layout");
	for (unsigned i = 0; in_state && i < sizeof head; i++)
		widths[n++] = head[i];
	for (unsigned i = 0; i < sizeof flags; i++)
		widths[n++] = flags[i];
	for (unsigned i = 0; i < 2 * sizeof value; i++)
		widths[n++] = value[i % sizeof value];
	widths[n] = 0;
	return exec_object(&memory, widths);
}

static void one_condition(const struct query *q, enum wv_cond cond, bool state, term x, term y)
{
	struct number a, b;
	struct value object = flags_object(state), flags = object;
	flags.place[0].offset = state ? offsetof(struct wv_state, flags) : 0;
	exec_store(&memory, &flags, offsetof(struct wv_flags, relation), bits(8, (uint64_t)q->op));
	exec_store(&memory, &flags, offsetof(struct wv_flags, width), bits(8, q->width));
	term va = operand_of("a", &flags, offsetof(struct wv_flags, a), SYMBOL_A, &a, x);
	term vb = operand_of("b", &flags, offsetof(struct wv_flags, b), SYMBOL_B, &b, y);
	signed_order = (cond & ~1u) == WV_S || (cond & ~1u) == WV_L || (cond & ~1u) == WV_LE;
	struct flags f = flags_of((enum wv_relation)q->op, q->width, va, vb);
	condition = and_(holds(cond, &f), and_(member(&a, x), member(&b, y)));
	struct value args[] = {object, exec_bits(bits(32, cond)), flags_object(false)};
	if (state)
		args[1] = exec_bits(bits(32, cond));
	struct value r = exec_call(q->function, args, &memory, truth(true));
	term told = is_bool(r.part[0]) ? r.part[0] : not_(eq(r.part[0], bits(8, 0)));
	prove("not denied", implies(condition, told));
}

void build_flags(const struct query *q)
{
	bool state = q->function[3] == 's';
	number_a = input("x", 64);
	number_b = input("y", 64);
	witness(number_a);
	witness(number_b);
	witness(bits(64, 0));
	witness(sub(number_a, number_b));
	witness(sub(number_b, number_a));
	witness(sub(number_a, bits(64, 0)));
	witness(sub(bits(64, 0), number_a));
	/* spec/policy.md: no region ends within 16 MiB of the end of the address space; and none straddles its middle, which no processor addresses. */
	term base = input("base", 64), top = add(base, bits(64, 1 << 24));
	assume(and_(ult(base, top), eq(bit(base, 63), bit(top, 63))));
	for (unsigned cond = 0; cond < 16; cond++)
		one_condition(q, (enum wv_cond)cond, state, number_a, number_b);
	for (unsigned i = 0; i < exec_n_hazards; i++)
		prove(exec_hazards[i].what, not_(exec_hazards[i].when));
}
