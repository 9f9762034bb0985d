/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are related. The relation between two values matters most where 32 bits are taken for 64, and where
 * differences wrap around. Values drawn one by one hardly ever meet there: one number is the sum of two others in its
 * lower half alone, two differ by 2^32, a multiple passes 2^63. So here values are made from each other, and facts
 * are claimed of just those.
 */
#include "relate.h"

#include <stddef.h>
#include <string.h>

enum { RELATED = 5 };

static const uint8_t related[RELATED] = {WV_RAX, WV_RCX, WV_RDX, WV_RSI, WV_R8};

/* ---- Values ---- */

/* Of three of the registers, by number: sum = x + y, modulo 2^64 or 2^32. */
struct triple {
	unsigned sum, x, y;
	bool low;
};

struct relation {
	uint64_t value[RELATED];
	struct triple triple[RELATED];
	unsigned n_triples;
};

static uint64_t draw_near_end(struct draw *d)
{
	static const unsigned at[] = {31, 32, 32, 33, 63};
	uint64_t v = draw_one_in(d, 3) ? 0 : UINT64_C(1) << at[draw_below(d, 5)];
	return draw_one_in(d, 4) ? draw_value(d) : v + draw_below(d, 9) - (draw_one_in(d, 2) ? 4 : 0);
}

static int32_t draw_scale(struct draw *d)
{
	static const int32_t scales[] = {1, 1, 1, 1, -1, -1, 2, 4, 8, 3, -2, -4};
	int32_t any = (int32_t)draw_bits(d);
	return draw_one_in(d, 8) && any ? any : scales[draw_below(d, sizeof(scales) / sizeof(scales[0]))];
}

/* A value made from two before it. */
static uint64_t derive(struct draw *d, struct relation *r, unsigned i)
{
	unsigned j = (unsigned)draw_below(d, i), k = (unsigned)draw_below(d, i);
	uint64_t a = r->value[j], b = r->value[k], little = draw_below(d, 5) - 2;
	switch (draw_below(d, 10)) {
	case 0: return draw_near_end(d);
	case 1: return a + little;
	case 2: return a * (uint64_t)(int64_t)draw_scale(d) + little;
	case 3: r->triple[r->n_triples++] = (struct triple){i, j, k, draw_one_in(d, 4)}; return a + b;
	case 4:
		r->triple[r->n_triples++] = (struct triple){i, j, k, true};
		return draw_one_in(d, 2) ? (uint32_t)(a + b) : a + b + (draw_bits(d) << 32);
	case 5:
	case 8: return a + (draw_below(d, 3) << 32);
	case 6: r->triple[r->n_triples++] = (struct triple){j, k, i, draw_one_in(d, 4)}; return a - b;
	case 7: r->triple[r->n_triples++] = (struct triple){j, k, i, true}; return (uint32_t)(a - b);
	default: return (uint32_t)a;
	}
}

/* ---- What is known of them ---- */

/* Often what code knows: nothing, that it is of 32 bits, or between two ends. */
static struct wv_num draw_loose(struct draw *d, uint64_t value)
{
	struct wv_num n = wv_num_any();
	switch (draw_below(d, 5)) {
	case 0: return n;
	case 1: return wv_num_range(0, value <= UINT32_MAX ? UINT32_MAX : UINT64_MAX);
	case 2: {
		uint64_t below = draw_below(d, 4), above = draw_below(d, 4);
		return wv_num_range(
			value < below ? 0 : value - below, value + above < value ? UINT64_MAX : value + above);
	}
	case 3:
		n.smin = (int64_t)value < 0 ? INT64_MIN : 0;
		n.smax = (int64_t)value < 0 ? (int64_t)draw_below(d, 3) - 1 : INT64_MAX;
		return wv_num_sync(&n) ? n : wv_num_any();
	default: n = draw_num(d, value); return wv_num_valid(&n) && num_means(&n, value) ? n : wv_num_any();
	}
}

static uint32_t symbol_of(struct world *w, uint64_t value)
{
	uint32_t s = w->ctx.next_sym++;
	w->symbol[s] = (struct symbol){true, true, value, (uint32_t)value};
	return s;
}

/* A symbol of its own, or another's as many more, be it whole or in the lower half. */
static void identify(struct world *w, const struct relation *r, unsigned i, struct wv_val *v)
{
	struct draw *d = w->draw;
	unsigned j = i ? (unsigned)draw_below(d, i) : 0;
	const struct wv_val *other = &w->state->reg[related[j]];
	uint64_t apart = r->value[i] - r->value[j];
	if (i && draw_one_in(d, 8)) {
		v->sym = other->sym;
		v->add = other->add + apart;
	} else {
		v->add = draw_one_in(d, 2) ? 0 : draw_near_end(d);
		v->sym = symbol_of(w, r->value[i] - v->add);
	}
	v->lsym = v->sym;
	v->ladd = (uint32_t)r->value[i] - w->symbol[v->sym].low;
	if (i && draw_one_in(d, 8)) {
		v->lsym = other->lsym;
		v->ladd = other->ladd + (uint32_t)apart;
	}
}

static void set_register(struct world *w, const struct relation *r, unsigned i)
{
	unsigned reg = related[i];
	struct wv_val v = {.kind = WV_NUM, .init = 64, .n = draw_loose(w->draw, r->value[i])};
	uint64_t base = 0;
	if (draw_one_in(w->draw, 6)) {
		v.kind = WV_PTR;
		v.region = WV_STATE;
		base = w->base[WV_STATE];
	}
	identify(w, r, i, &v);
	w->state->reg[reg] = v;
	for (int k = 0; k < 2; k++)
		w->machine[k].regs.reg[reg] = base + r->value[i];
}

static void relate_sums(struct world *w, const struct relation *r)
{
	struct wv_state *st = w->state;
	st->n_sums = 0;
	for (unsigned i = 0; i < r->n_triples && st->n_sums < WV_MAX_SUMS; i++) {
		const struct triple *t = &r->triple[i];
		const struct wv_val *sum = &st->reg[related[t->sum]], *x = &st->reg[related[t->x]],
				    *y = &st->reg[related[t->y]];
		uint64_t value = w->symbol[sum->sym].value, c = x->add + y->add - sum->add;
		if (!draw_one_in(w->draw, 5))
			st->sum[st->n_sums++] = (struct wv_sum){sum->sym, x->sym, y->sym, t->low,
				t->low ? c + (draw_bits(w->draw) << 32) : c, draw_loose(w->draw, value)};
	}
}

static void relate_distances(struct world *w)
{
	struct wv_state *st = w->state;
	st->n_distances = 0;
	for (unsigned i = 0; i < WV_MAX_DISTANCES; i++) {
		uint32_t a = st->reg[related[draw_below(w->draw, RELATED)]].sym,
			 b = st->reg[related[draw_below(w->draw, RELATED)]].sym;
		int32_t scale = draw_scale(w->draw);
		if (a != b && !draw_one_in(w->draw, 3))
			st->distance[st->n_distances++] = (struct wv_distance){a, b, scale,
				draw_loose(
					w->draw, w->symbol[b].value - (uint64_t)(int64_t)scale * w->symbol[a].value)};
	}
}

void world_relate(struct world *w)
{
	struct relation r = {.n_triples = 0};
	r.value[0] = draw_near_end(w->draw);
	for (unsigned i = 1; i < RELATED; i++)
		r.value[i] = derive(w->draw, &r, i);
	w->state->n_choices = w->state->n_bounds = w->state->n_reaches = 0;
	for (unsigned i = 0; i < RELATED; i++)
		set_register(w, &r, i);
	relate_sums(w, &r);
	relate_distances(w);
}

/* ---- Instructions ---- */

struct code {
	uint8_t bytes[15];
	size_t n;
};

static void put(struct code *c, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		c->bytes[c->n++] = (uint8_t)(v >> 8 * i);
}

static unsigned draw_register(struct draw *d)
{
	return related[draw_below(d, RELATED)];
}

static int holder(const struct wv_state *st, uint32_t sym)
{
	int at = -1;
	for (unsigned i = 0; i < RELATED && at < 0; i++)
		at = st->reg[related[i]].sym == sym ? related[i] : -1;
	return at;
}

/*
 * Two registers, half of the time such as the state has a fact about: what an instruction does with them may go wrong
 * there.
 */
static void draw_pair(struct world *w, unsigned *a, unsigned *b)
{
	const struct wv_state *st = w->state;
	uint32_t n_sums = st->n_sums < WV_MAX_SUMS ? st->n_sums : WV_MAX_SUMS, x = 0, y = 0;
	if (n_sums && draw_one_in(w->draw, 3)) {
		const struct wv_sum *s = &st->sum[draw_below(w->draw, n_sums)];
		x = s->sum;
		y = draw_one_in(w->draw, 2) ? s->x : s->y;
	} else if (st->n_distances && draw_one_in(w->draw, 4)) {
		const struct wv_distance *f = &st->distance[draw_below(w->draw, st->n_distances)];
		x = f->a;
		y = f->b;
	}
	int at_x = x ? holder(st, x) : -1, at_y = y ? holder(st, y) : -1;
	bool turned = draw_one_in(w->draw, 3);
	*a = at_x >= 0 && at_y >= 0 ? (unsigned)(turned ? at_y : at_x) : draw_register(w->draw);
	*b = at_x >= 0 && at_y >= 0 ? (unsigned)(turned ? at_x : at_y) : draw_register(w->draw);
}

/*
 * The prefixes of a width for registers reg, index and rm. Always a REX of some use: spl and its like are none of these
 * registers, but all of them have a lowest byte.
 */
static void prefixes(struct code *c, unsigned width, unsigned reg, unsigned index, unsigned rm)
{
	unsigned rex = (width == 64) << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | rm >> 3;
	if (width == 16)
		put(c, 0x66, 1);
	if (rex || (width == 8 && (reg >= 4 || rm >= 4)))
		put(c, 0x40 | rex, 1);
}

/* `opcode` with two registers; its form for 8 bits is one less. */
static void two(struct code *c, unsigned width, uint64_t opcode, unsigned opcode_bytes, unsigned reg, unsigned rm)
{
	prefixes(c, width, reg, 0, rm);
	put(c, opcode, opcode_bytes);
	put(c, 0xc0 | (reg & 7) << 3 | (rm & 7), 1);
}

static void with_immediate(struct draw *d, struct code *c, unsigned width)
{
	unsigned rm = draw_register(d), what = (unsigned)draw_below(d, 9);
	bool small = draw_one_in(d, 2) || width == 8;
	if (what == 8) { /* imul */
		two(c, width == 8 ? 32 : width, small ? 0x6b : 0x69, 1, draw_register(d), rm);
		width = width == 8 ? 32 : width;
	} else { /* add, or, adc, sbb, and, sub, xor, cmp */
		two(c, width, width == 8 ? 0x80 : small ? 0x83 : 0x81, 1, what, rm);
	}
	put(c, small ? draw_below(d, 12) - 4 : draw_near_end(d), small ? 1 : width == 16 ? 2 : 4);
}

static void address(struct draw *d, struct code *c, unsigned width)
{
	unsigned reg = draw_register(d), base = draw_register(d), index = draw_register(d),
		 scale = (unsigned)draw_below(d, 4) & (unsigned)draw_below(d, 4);
	prefixes(c, width == 64 ? 64 : 32, reg, index, base);
	put(c, 0x8d, 1);
	put(c, 0x84 | (reg & 7) << 3, 1);
	put(c, scale << 6 | (index & 7) << 3 | (base & 7), 1);
	put(c, draw_one_in(d, 3) ? 0 : draw_near_end(d), 4);
}

/* One operand or none but a constant. */
static void one(struct draw *d, struct code *c, unsigned width)
{
	unsigned rm = draw_register(d);
	switch (draw_below(d, 4)) {
	case 0: two(c, width, 0xff - (width == 8), 1, (unsigned)draw_below(d, 2), rm); break;     /* inc, dec */
	case 1: two(c, width, 0xf7 - (width == 8), 1, 2 + (unsigned)draw_below(d, 2), rm); break; /* not, neg */
	case 2:                                                                                   /* shl, shr, sar */
		two(c, width, 0xc1 - (width == 8), 1, draw_one_in(d, 3) ? 7 : 4 + (unsigned)draw_below(d, 2), rm);
		put(c, draw_one_in(d, 3) ? draw_below(d, 64) : draw_below(d, 5), 1);
		break;
	default: /* mov r32, constant */
		prefixes(c, 32, 0, 0, rm);
		put(c, 0xb8 | (rm & 7), 1);
		put(c, draw_near_end(d), 4);
		break;
	}
}

static void draw_code(struct world *w, struct code *c)
{
	struct draw *d = w->draw;
	static const uint8_t opcodes[] = {0x01, 0x01, 0x01, 0x29, 0x29, 0x29, 0x39, 0x39, 0x39, 0x09, 0x21, 0x31, 0x11,
		0x19, 0x85, 0x87, 0x89, 0x89};
	static const unsigned widths[] = {64, 64, 64, 32, 32, 32, 16, 8};
	unsigned width = widths[draw_below(d, draw_one_in(d, 4) ? 8 : 6)], a, b;
	draw_pair(w, &b, &a);
	c->n = 0;
	switch (draw_below(d, 10)) {
	case 0: with_immediate(d, c, width); break;
	case 1: address(d, c, width); break;
	case 2: one(d, c, width); break;
	case 3: /* cmov, movsxd, imul, xadd, movzx */
		if (width == 8)
			width = 32;
		switch (draw_below(d, 5)) {
		case 0:
		case 1: two(c, width, 0x400f + (draw_below(d, 16) << 8), 2, a, b); break;
		case 2: two(c, 64, 0x63, 1, a, b); break;
		case 3: two(c, width, draw_one_in(d, 2) ? 0xaf0f : 0xc10f, 2, a, b); break;
		default: two(c, width == 16 ? 32 : width, draw_one_in(d, 2) ? 0xb70f : 0xbf0f, 2, a, b); break;
		}
		break;
	default: {
		uint8_t opcode = opcodes[draw_below(d, sizeof(opcodes))];
		two(c, width, opcode - (width == 8), 1, a, b);
		break;
	}
	}
}

/* ---- Walking ---- */

static bool fail(struct world *w, const char *why)
{
	w->wrong = why;
	w->where = -1;
	return false;
}

/* No instruction here touches memory, so it stays where it is. */
static bool run(struct world *w)
{
	for (int i = 0; i < 2; i++) {
		struct native_regs out;
		if (native_run(w->native, &w->machine[i].regs, &out) != NATIVE_FELL_THROUGH)
			return fail(w, "an instruction between registers faulted");
		w->machine[i].regs = out;
	}
	return true;
}

static bool step(struct world *w, struct wv_state *spare, struct walk_count *count)
{
	struct code c;
	struct wv_insn insn;
	const char *why;
	draw_code(w, &c);
	native_place(w->native, c.bytes, c.n);
	if (wv_decode(c.bytes, c.n, (uint64_t)(w->native->insn - w->native->arena), &insn, &why) != WV_DECODED ||
		insn.length != c.n)
		return true; /* as `xchg r, r`, which is a nop to some */
	wv_state_copy(spare, w->state);
	w->sink.count = 0;
	wv_step(&w->ctx, w->state, &insn);
	if (w->sink.count) { /* as flags that nothing has set */
		wv_state_copy(w->state, spare);
		return true;
	}
	count->steps++;
	return run(w) && world_holds(w, w->state);
}

static bool branch(struct world *w, struct walk_count *count)
{
	enum wv_cond cond = draw_one_in(w->draw, 3) ? WV_E : (enum wv_cond)draw_below(w->draw, 16);
	if (!wv_flags_defined(&w->state->flags, cond))
		return true;
	if (!native_condition(w->machine[0].regs.flags, cond))
		cond ^= 1;
	count->branches++;
	if (!wv_state_assume(w->state, cond))
		return fail(w, "the way that the processor goes is called impossible");
	return world_holds(w, w->state);
}

/* The number, or the offset, that a register holds. */
static uint64_t number_in(const struct world *w, unsigned reg)
{
	const struct wv_val *v = &w->state->reg[reg];
	return w->machine[0].regs.reg[reg] - (v->kind == WV_PTR ? w->base[v->region] : 0);
}

/* Whatever a proof might claim of two registers' distance. */
static bool distance_holds(struct world *w, struct walk_count *count)
{
	unsigned a = draw_register(w->draw), b = draw_register(w->draw);
	const struct wv_val *va = &w->state->reg[a], *vb = &w->state->reg[b];
	int32_t scale = draw_scale(w->draw);
	if ((va->kind != WV_NUM && va->kind != WV_PTR) || (vb->kind != WV_NUM && vb->kind != WV_PTR) ||
		va->init != 64 || vb->init != 64)
		return true;
	struct wv_num d = wv_state_distance(w->state, va, scale, vb);
	count->distances++;
	return num_means(&d, number_in(w, b) - (uint64_t)(int64_t)scale * number_in(w, a)) ||
	       fail(w, "two registers are not as far apart as the state says");
}

bool world_walk(struct world *w, unsigned most, struct wv_state *spare, struct walk_count *count)
{
	for (uint64_t n = draw_below(w->draw, most + 1); n > 0; n--) {
		if (!step(w, spare, count) || (draw_one_in(w->draw, 2) && !branch(w, count)) ||
			!distance_holds(w, count))
			return false;
	}
	return true;
}
