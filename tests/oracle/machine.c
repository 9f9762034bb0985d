/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <string.h>

static const unsigned saved_regs[] = {WV_RBX, WV_RBP, WV_R12, WV_R13, WV_R14, WV_R15};

/* ---- Drawing ---- */

/* Memory is filled from a pool that is drawn once. */
static void fill(struct draw *d, uint8_t *p, size_t n)
{
	static uint64_t pool[4096];
	enum { POOL = sizeof(pool) / sizeof(pool[0]) };
	if (!pool[0])
		for (size_t i = 0; i < POOL; i++)
			pool[i] = i ? draw_value(d) : 1;
	memcpy(p, &pool[draw_below(d, POOL - n / 8)], n);
}

uint64_t world_region_size(const struct world *w, unsigned region)
{
	const struct wv_module *m = &w->module;
	const uint64_t size[WV_LENT] = {m->event_size, m->state_size, 0, m->rodata.memsz, m->data.memsz};
	return region < WV_LENT ? size[region] : w->ctx.lent[region - WV_LENT].size;
}

/* Regions end at the page that can't be touched, or start after one; the stack has room on both sides. */
static void place_regions(struct world *w)
{
	struct draw *d = w->draw;
	struct wv_module *m = &w->module;
	memset(m, 0, sizeof(*m));
	m->profile = draw_one_in(d, 4) ? WARD_PROFILE_KERNEL : WARD_PROFILE_USER;
	m->event_size = 112;
	m->features = draw_one_in(d, 4) ? WARD_ALL_FEATURES & ~WARD_FEATURE_BMI1 : WARD_ALL_FEATURES;
	m->state_size = (uint32_t)(draw_one_in(d, 3) ? draw_below(d, 20) : draw_below(d, 3000) + 1);
	m->rodata.memsz = m->rodata.filesz = draw_one_in(d, 6) ? 0 : draw_below(d, 300) + 1;
	m->data.memsz = m->data.filesz = draw_one_in(d, 6) ? 0 : draw_below(d, 300) + 1;
	for (unsigned i = 0; i < WV_MAX_LENT; i++)
		w->ctx.lent[i] = (struct wv_window){.size = draw_one_in(d, 2) ? 0 : (uint32_t)draw_below(d, 200) + 1,
			.writable = draw_one_in(d, 2)};
	for (unsigned r = 0; r < NATIVE_REGIONS; r++) {
		uint64_t start = (uint64_t)w->native->region[r];
		w->base[r] = draw_one_in(d, 2) ? start : start + NATIVE_REGION_BYTES - world_region_size(w, r);
		/* as the policy has it; of lent windows no alignment is promised */
		if (r == NATIVE_STATE || r == NATIVE_RODATA || r == NATIVE_DATA)
			w->base[r] &= ~UINT64_C(63);
		if (r == NATIVE_EVENT && w->base[r] != start && draw_one_in(d, 2)) /* a multiple of 8, and no more */
			w->base[r] -= 8;
	}
	w->base[NATIVE_STACK] = (uint64_t)w->native->region[NATIVE_STACK] + NATIVE_REGION_BYTES / 2 + 8;
	uint64_t module = (uint64_t)w->native->arena;
	m->rodata.addr = w->base[NATIVE_RODATA] - module;
	m->data.addr = w->base[NATIVE_DATA] - module;
	size_t at = w->base[NATIVE_RODATA] - (uint64_t)w->native->region[NATIVE_RODATA];
	m->rodata_bytes = (struct wv_bytes){w->machine[0].region[NATIVE_RODATA] + at, m->rodata.memsz};
}

static uint32_t define_symbol(struct world *w, uint64_t value)
{
	uint32_t s = w->ctx.next_sym++;
	w->symbol[s] = (struct symbol){true, true, value, (uint32_t)value};
	return s;
}

/* A symbol that stands for one number in both machines, or 0. */
static uint32_t draw_symbol(struct world *w)
{
	uint32_t s = (uint32_t)draw_below(w->draw, w->ctx.next_sym);
	return w->symbol[s].known ? s : 0;
}

/* An identity for a number: its own, or that of another value seen before. */
static void draw_identity(struct world *w, struct wv_val *v, uint64_t value)
{
	struct draw *d = w->draw;
	uint32_t s = draw_one_in(d, 2) ? draw_symbol(w) : 0, low = draw_one_in(d, 4) ? draw_symbol(w) : 0;
	v->sym = s ? s : define_symbol(w, value - draw_below(d, 3));
	v->lsym = low ? low : v->sym;
	v->add = value - w->symbol[v->sym].value;
	v->ladd = (uint32_t)value - w->symbol[v->lsym].low;
}

/* An offset that is mostly inside its region. */
static uint64_t draw_offset(struct world *w, unsigned region)
{
	struct draw *d = w->draw;
	uint64_t size = world_region_size(w, region);
	if (draw_one_in(d, 16))
		return draw_value(d);
	if (region == WV_STACK)
		return 0 - (draw_below(d, 32) + 1) * 8;
	return size ? draw_below(d, size + 1) : 0;
}

/* A tight number more often than draw_num gives, so that accesses can be proven. */
static struct wv_num draw_tight(struct draw *d, uint64_t value)
{
	switch (draw_below(d, 4)) {
	case 0: return wv_num_const(value);
	case 1: {
		uint64_t below = draw_below(d, 9), above = draw_below(d, 9);
		if (below > value || value + above < value)
			return wv_num_const(value);
		return wv_num_range(value - below, value + above);
	}
	default: return draw_num(d, value);
	}
}

static void poke(struct machine *m, const struct world *w, int64_t offset, uint64_t value, unsigned bytes)
{
	uint64_t at = w->base[NATIVE_STACK] + (uint64_t)offset - (uint64_t)w->native->region[NATIVE_STACK];
	memcpy(&m->region[NATIVE_STACK][at], &value, bytes);
}

static uint64_t peek(const struct machine *m, const struct world *w, int64_t offset, unsigned bytes)
{
	uint64_t at = w->base[NATIVE_STACK] + (uint64_t)offset - (uint64_t)w->native->region[NATIVE_STACK], value = 0;
	memcpy(&value, &m->region[NATIVE_STACK][at], bytes);
	return value;
}

/* A value for a location, and what both machines have there. */
static struct wv_val draw_val(struct world *w, uint64_t out[2])
{
	struct draw *d = w->draw;
	struct wv_val v = wv_val_uninit();
	uint64_t value;
	out[0] = draw_value(d);
	out[1] = draw_value(d);
	switch (draw_below(d, 12)) {
	case 0: return v;
	case 1: {
		unsigned r = saved_regs[draw_below(d, 6)];
		out[0] = w->machine[0].entry[r];
		out[1] = w->machine[1].entry[r];
		return wv_val_saved(r);
	}
	case 2:
	case 3:
	case 4:
	case 5: {
		unsigned region = (unsigned)draw_below(d, draw_one_in(d, 4) ? WV_NREGION : WV_LENT);
		value = draw_offset(w, region);
		v = (struct wv_val){.kind = WV_PTR, .region = (uint8_t)region, .init = 64, .n = draw_tight(d, value)};
		draw_identity(w, &v, value);
		out[0] = out[1] = w->base[region] + value;
		return v;
	}
	case 6: { /* only the low byte or two are the probe's */
		unsigned width = draw_one_in(d, 2) ? 8 : 16;
		struct wv_num any = wv_num_any(), low = draw_num(d, out[0] & ((1u << width) - 1));
		v = (struct wv_val){.kind = WV_NUM, .init = (uint8_t)width, .n = wv_num_merge(&any, &low, width)};
		/* stands for two different values in the two machines: never learnt */
		v.sym = v.lsym = w->ctx.next_sym++;
		out[1] = (out[1] & ~UINT64_C(0) << width) | (out[0] & ((1u << width) - 1));
		return v;
	}
	case 7:
	case 8: value = draw_below(d, 65); break;
	default: value = out[0]; break;
	}
	out[0] = out[1] = value;
	v = (struct wv_val){
		.kind = WV_NUM, .init = 64, .n = draw_one_in(d, 2) ? draw_tight(d, value) : draw_num(d, value)};
	draw_identity(w, &v, value);
	return v;
}

static void draw_slot(struct world *w, uint32_t n)
{
	struct draw *d = w->draw;
	struct wv_slot *s = wv_state_slot(w->state, n);
	uint64_t value[2];
	int64_t at = -(int64_t)n * 8;
	switch (draw_below(d, 4)) {
	case 0:
		s->v = draw_val(w, value);
		bool own = wv_val_readable(&s->v, 64);
		s->width = own || s->v.kind == WV_SAVED ? 8 : 0;
		s->init = own ? 0xff : 0;
		break;
	case 1:
		value[0] = draw_value(d);
		value[1] = (draw_value(d) & ~UINT64_C(0xffffffff)) | (value[0] & 0xffffffff);
		s->v = (struct wv_val){.kind = WV_NUM, .init = 64, .n = draw_num(d, value[0] & 0xffffffff)};
		s->v.n = wv_num_zext(&s->v.n, 32);
		draw_identity(w, &s->v, value[0] & 0xffffffff);
		s->width = 4;
		s->init = 0x0f;
		break;
	default:
		s->width = 0;
		s->init = (uint8_t)draw_bits(d);
		value[0] = draw_bits(d);
		value[1] = draw_bits(d);
		for (unsigned b = 0; b < 8; b++)
			if (s->init >> b & 1)
				value[1] =
					(value[1] & ~(UINT64_C(0xff) << 8 * b)) | (value[0] & UINT64_C(0xff) << 8 * b);
		break;
	}
	poke(&w->machine[0], w, at, value[0], 8);
	poke(&w->machine[1], w, at, value[1], 8);
}

/* Memory: the same in both machines but for the stack, none of which is the probe's yet. */
static void draw_memory(struct world *w)
{
	for (int r = 0; r < NATIVE_REGIONS; r++) {
		fill(w->draw, w->machine[0].region[r], NATIVE_REGION_BYTES);
		if (r != NATIVE_STACK)
			memcpy(w->machine[1].region[r], w->machine[0].region[r], NATIVE_REGION_BYTES);
		else
			fill(w->draw, w->machine[1].region[r], NATIVE_REGION_BYTES);
	}
}

static void draw_registers(struct world *w)
{
	struct wv_state *st = w->state;
	for (unsigned r = 0; r < WV_NREG; r++) {
		uint64_t value[2];
		if (r == WV_RSP)
			continue;
		st->reg[r] = draw_val(w, value);
		w->machine[0].regs.reg[r] = value[0];
		w->machine[1].regs.reg[r] = value[1];
	}
	uint32_t depth = st->depth;
	st->reg[WV_RSP] = wv_val_pointer(&w->ctx, WV_STACK, -(int64_t)depth);
	for (int i = 0; i < 2; i++)
		w->machine[i].regs.reg[WV_RSP] = w->base[NATIVE_STACK] - depth;
}

/* xmm registers: mostly the probe's own; of the rest one half may be. */
static void draw_xmm(struct world *w)
{
	struct wv_state *st = w->state;
	for (unsigned half = 0; half < 2; half++)
		st->half[half] = (uint16_t)(draw_bits(w->draw) | draw_bits(w->draw));
	for (unsigned r = 0; r < 16; r++) {
		for (unsigned half = 0; half < 2; half++) {
			uint64_t value = draw_value(w->draw);
			w->machine[0].regs.xmm[r][half] = value;
			w->machine[1].regs.xmm[r][half] = st->half[half] >> r & 1 ? value : draw_value(w->draw);
		}
	}
}

/* A few facts about how far apart two symbols are. */
static void draw_distances(struct world *w)
{
	struct wv_state *st = w->state;
	st->n_distances = 0;
	for (uint32_t i = 0; i < WV_MAX_DISTANCES; i++) {
		uint32_t a = draw_symbol(w), b = draw_symbol(w);
		int32_t scale = draw_one_in(w->draw, 2) ? 1 : (int32_t)draw_below(w->draw, 20) - 8;
		if (a && b && a != b && scale && !draw_one_in(w->draw, 4))
			st->distance[st->n_distances++] = (struct wv_distance){a, b, scale,
				draw_num(w->draw, w->symbol[b].value - (uint64_t)(int64_t)scale * w->symbol[a].value)};
	}
}

/* A few sums of two symbols, some of them true of the low half only. */
static void draw_sums(struct world *w)
{
	struct wv_state *st = w->state;
	st->n_sums = 0;
	while (st->n_sums < WV_MAX_SUMS && !draw_one_in(w->draw, 4)) {
		uint32_t x = draw_symbol(w), y = draw_symbol(w), sum = draw_symbol(w);
		bool low = draw_one_in(w->draw, 3);
		if (!x || !y || !sum)
			break;
		uint64_t c = w->symbol[sum].value - w->symbol[x].value - w->symbol[y].value,
			 upper = low ? draw_bits(w->draw) << 32 : 0;
		st->sum[st->n_sums++] =
			(struct wv_sum){sum, x, y, low, c + upper, draw_num(w->draw, w->symbol[sum].value)};
	}
	if (st->n_sums == WV_MAX_SUMS)
		st->n_sums += (uint32_t)draw_below(w->draw, WV_MAX_SUMS);
}

/* A few bounds: a value shifted right is at most what the symbol is. */
static void draw_bounds(struct world *w)
{
	struct wv_state *st = w->state;
	st->n_bounds = 0;
	for (uint32_t i = 0; i < 4 * WV_MAX_BOUNDS && st->n_bounds < WV_MAX_BOUNDS; i++) {
		uint32_t of = draw_symbol(w), below = draw_symbol(w);
		uint8_t shift = (uint8_t)draw_below(w->draw, 64);
		uint64_t add = draw_below(w->draw, 3);
		if (!of || !below || !w->symbol[below].low_known ||
			(w->symbol[below].value + add) >> shift > w->symbol[of].value)
			continue;
		struct wv_val v = {
			.kind = WV_NUM, .init = 64, .sym = below, .add = add, .lsym = below, .n = wv_num_any()};
		v.ladd = (uint32_t)(w->symbol[below].value + add) - w->symbol[below].low;
		st->bound[st->n_bounds++] = (struct wv_bound){of, shift, v};
	}
}

/* An address of a region, and what is known of it. */
static bool reach_holds(const struct world *w, const struct wv_reach *r)
{
	uint64_t base = w->base[r->region], at = base + w->symbol[r->sym].value + r->add;
	return !w->symbol[r->sym].known ||
	       ((!r->above || at >= base) && (!r->below || (r->most <= WV_NEAR && at <= base + r->most)));
}

static void draw_reaches(struct world *w)
{
	struct wv_state *st = w->state;
	st->n_reaches = 0;
	for (uint32_t i = 0; i < 2 * WV_MAX_REACHES; i++) {
		unsigned reg = (unsigned)draw_below(w->draw, WV_NREG), region = st->reg[reg].region;
		bool pointer = st->reg[reg].kind == WV_PTR && region != WV_STACK;
		struct wv_reach r = {.sym = pointer ? st->reg[reg].sym : draw_symbol(w),
			.region = (uint8_t)(pointer ? region : WV_STATE),
			.above = draw_one_in(w->draw, 2),
			.below = draw_one_in(w->draw, 2),
			.add = pointer ? st->reg[reg].add : draw_value(w->draw),
			.most = draw_below(w->draw, 100)};
		if (r.sym && reach_holds(w, &r))
			st->reach[st->n_reaches++ % WV_MAX_REACHES] = r;
	}
}

static bool bound_holds(const struct world *w, const struct wv_bound *b)
{
	const struct symbol *of = &w->symbol[b->of], *below = &w->symbol[b->below.sym];
	return !of->known || !below->known || (below->value + b->below.add) >> b->shift <= of->value;
}

static bool less_holds(const struct world *w, const struct wv_less *l)
{
	const struct symbol *s = &w->symbol[l->sym], *than = &w->symbol[l->than];
	uint64_t x = s->value, y = than->value + l->than_add;
	if (!s->known || !than->known)
		return true;
	return l->ones ? __builtin_popcountll(x) < __builtin_popcountll(y)
		       : y && (!x || __builtin_clzll(x) > __builtin_clzll(y));
}

static bool sum_holds(const struct world *w, const struct wv_sum *s)
{
	const struct symbol *sum = &w->symbol[s->sum], *x = &w->symbol[s->x], *y = &w->symbol[s->y];
	uint64_t apart = sum->value - x->value - y->value - s->c;
	if (sum->known && !num_means(&s->n, sum->value))
		return false;
	return !sum->known || !x->known || !y->known || (s->low ? (uint32_t)apart == 0 : apart == 0);
}

/* A number that is the drawn symbol plus whatever makes it `value`; its number may lie if `value` is not what it is. */
static struct wv_val side_of_choice(struct world *w, uint64_t value)
{
	struct wv_val v = {.kind = WV_NUM, .init = 64, .n = draw_num(w->draw, value)};
	v.sym = v.lsym = draw_symbol(w);
	v.add = v.sym ? value - w->symbol[v.sym].value : value;
	v.ladd = (uint32_t)v.add;
	if (!v.sym)
		v.sym = v.lsym = define_symbol(w, 0);
	return v;
}

/* Registers that are one of two values: what they are, and any other. */
static void draw_choices(struct world *w)
{
	struct wv_state *st = w->state;
	st->n_choices = 0;
	for (uint32_t i = 0; i < WV_MAX_CHOICES; i++) {
		unsigned r = (unsigned)draw_below(w->draw, WV_NREG);
		const struct wv_val *is = &st->reg[r];
		if (r == WV_RSP || is->kind != WV_NUM || is->init != 64)
			continue;
		struct wv_val truth = side_of_choice(w, w->machine[0].regs.reg[r]),
			      other = side_of_choice(w, draw_bits(w->draw));
		/* What is claimed of the other side's own value may be false: only one of the two holds. */
		if (draw_one_in(w->draw, 2))
			wv_state_note_choice(st, is, &truth, &other);
		else
			wv_state_note_choice(st, is, &other, &truth);
	}
}

/* The side's value, if its symbol's is known. */
static bool side_is(const struct world *w, const struct wv_val *side, uint64_t value)
{
	const struct symbol *s = &w->symbol[side->sym];
	return !s->known || (s->value + side->add == value && num_means(&side->n, value));
}

static bool choices_hold(const struct world *w, const struct wv_state *st)
{
	for (uint32_t i = 0; i < st->n_choices && i < WV_MAX_CHOICES; i++) {
		const struct wv_choice *c = &st->choice[i];
		const struct symbol *is = &w->symbol[c->is.sym];
		uint64_t value = is->value + c->is.add;
		if (is->known && c->is.kind == WV_NUM && !side_is(w, &c->a, value) && !side_is(w, &c->b, value))
			return false;
	}
	return true;
}

void world_set_number(struct world *w, unsigned reg, uint64_t value, const struct wv_num *n)
{
	struct wv_val *v = &w->state->reg[reg];
	*v = (struct wv_val){.kind = WV_NUM, .init = 64, .n = *n};
	v->sym = v->lsym = define_symbol(w, value);
	w->machine[0].regs.reg[reg] = w->machine[1].regs.reg[reg] = value;
}

void world_set_slot(struct world *w, uint32_t n, uint64_t value, const struct wv_num *number)
{
	struct wv_slot *s = wv_state_slot(w->state, n);
	s->v = (struct wv_val){.kind = WV_NUM, .init = 64, .n = *number};
	s->v.sym = s->v.lsym = define_symbol(w, value);
	s->width = 8;
	s->init = 0xff;
	for (int i = 0; i < 2; i++)
		poke(&w->machine[i], w, -(int64_t)n * 8, value, 8);
}

void world_poke(struct world *w, int64_t offset, uint64_t value)
{
	for (int i = 0; i < 2; i++)
		poke(&w->machine[i], w, offset, value, 8);
}

void world_draw(struct world *w)
{
	struct draw *d = w->draw;
	memset(w->symbol, 0, sizeof(w->symbol));
	w->sink = (struct wv_sink){0};
	w->ctx = (struct wv_ctx){.module = &w->module, .sink = &w->sink, .max_stack = STACK_ROOM, .next_sym = 1};
	place_regions(w);
	draw_memory(w);
	for (int i = 0; i < 2; i++) {
		for (unsigned r = 0; r < WV_NREG; r++)
			w->machine[i].entry[r] = draw_bits(d);
		w->machine[i].regs.flags = draw_bits(d);
	}
	struct wv_state *st = w->state;
	wv_state_entry(&w->ctx, st); /* whatever else is in a state is empty */
	st->depth = (uint32_t)draw_below(d, 12) * 8;
	st->n_slots = 0;
	memset(&st->flags, 0, sizeof(st->flags));
	uint32_t usable = (st->depth + wv_red_zone(&w->ctx)) / 8;
	for (uint32_t n = 1; n <= usable && !draw_one_in(d, 20); n++)
		draw_slot(w, n);
	draw_registers(w);
	draw_xmm(w);
	draw_distances(w);
	draw_sums(w);
	draw_bounds(w);
	draw_reaches(w);
	w->state->n_less = 0; /* made by steps */
	for (unsigned i = 0; i < 3; i++)
		w->favourite[i] = (uint8_t)((WV_RSP + 1 + draw_below(d, 15)) % 16);
	draw_choices(w);
	w->wrong = NULL;
	w->where = -1;
	memcpy(w->start, w->machine[0].region, sizeof(w->start));
}

/* ---- Running ---- */

enum native_outcome world_run(struct world *w, int i)
{
	struct machine *m = &w->machine[i];
	struct native_regs out;
	for (int r = 0; r < NATIVE_REGIONS; r++)
		memcpy(w->native->region[r], m->region[r], NATIVE_REGION_BYTES);
	enum native_outcome outcome = native_run(w->native, &m->regs, &out);
	for (int r = 0; r < NATIVE_REGIONS; r++)
		memcpy(m->region[r], w->native->region[r], NATIVE_REGION_BYTES);
	if (outcome != NATIVE_FAULTED)
		m->regs = out;
	return outcome;
}

/* ---- Judging ---- */

static bool fail(struct world *w, int where, const char *why)
{
	w->wrong = why;
	w->where = where;
	return false;
}

/* Learn what a symbol stands for, or hold a location against it. */
static bool identity_holds(struct world *w, const struct wv_val *v, uint64_t number)
{
	if (v->sym >= WORLD_SYMBOLS || v->lsym >= WORLD_SYMBOLS || !v->sym || !v->lsym)
		return false;
	struct symbol *s = &w->symbol[v->sym], *l = &w->symbol[v->lsym];
	if (!s->known) {
		s->known = true;
		s->value = number - v->add;
	}
	if (!l->low_known) {
		l->low_known = true;
		l->low = (uint32_t)number - v->ladd;
	}
	return s->value + v->add == number && l->low + v->ladd == (uint32_t)number;
}

static uint64_t low_bits(uint64_t v, unsigned width)
{
	return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* Both machines' contents of a location against what is claimed of it. */
static bool val_holds(struct world *w, const struct wv_val *v, uint64_t x, uint64_t y, int where)
{
	uint64_t base = 0;
	switch (v->kind) {
	case WV_UNINIT: return true;
	case WV_SAVED:
		if (x != w->machine[0].entry[v->region] || y != w->machine[1].entry[v->region])
			return fail(w, where, "it is not what the saved register held");
		return true;
	case WV_PTR: base = w->base[v->region]; break;
	case WV_NUM: break;
	default: return fail(w, where, "kind out of range");
	}
	unsigned init = v->kind == WV_PTR ? 64 : v->init;
	if (low_bits(x, init) != low_bits(y, init))
		return fail(w, where, "it depends on what belongs to the host");
	if (!num_means(&v->n, x - base) || !num_means(&v->n, y - base))
		return fail(w, where, "the number is not in the abstract number");
	if (init == 64 && !identity_holds(w, v, x - base))
		return fail(w, where, "it is not its symbol plus the constant");
	return true;
}

static bool slot_holds(struct world *w, const struct wv_slot *s, uint32_t n)
{
	int64_t at = -(int64_t)n * 8;
	for (unsigned b = 0; b < 8; b++) {
		if ((s->init >> b & 1) && peek(&w->machine[0], w, at + b, 1) != peek(&w->machine[1], w, at + b, 1))
			return fail(
				w, 15 + (int)n, "a stack byte that is called set depends on what belongs to the host");
	}
	if (!s->width)
		return true;
	return val_holds(
		w, &s->v, peek(&w->machine[0], w, at, s->width), peek(&w->machine[1], w, at, s->width), 15 + (int)n);
}

static bool flags_hold(struct world *w, const struct wv_state *st)
{
	static const struct {
		uint8_t abstract;
		uint64_t real;
	} flags[] = {
		{WV_CF, NATIVE_CF}, {WV_ZF, NATIVE_ZF}, {WV_SF, NATIVE_SF}, {WV_OF, NATIVE_OF}, {WV_PF, NATIVE_PF}};
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if ((st->flags.defined & flags[i].abstract) &&
			((w->machine[0].regs.flags ^ w->machine[1].regs.flags) & flags[i].real))
			return fail(w, -1, "a flag that is called defined depends on what belongs to the host");
	return true;
}

/* What a value's identity says that it is; false if that was never learnt. */
static bool known_value(const struct world *w, const struct wv_val *v, uint64_t *value)
{
	const struct symbol *s = &w->symbol[v->sym];
	*value = s->value + v->add;
	return s->known && v->init == 64;
}

/* A choice is one of its sides, and as that side is known to be. */
static bool choice_holds(const struct world *w, const struct wv_choice *c)
{
	uint64_t is, a, b;
	if (!known_value(w, &c->is, &is) || !known_value(w, &c->a, &a) || !known_value(w, &c->b, &b))
		return true;
	return (is == a && num_means(&c->a.n, a)) || (is == b && num_means(&c->b.n, b));
}

/* What was read of a value is its low bits. */
static bool part_holds(struct world *w, const struct wv_part *p)
{
	if (!p->sym || !w->symbol[p->sym].known)
		return true;
	uint64_t is = low_bits(w->symbol[p->sym].value + p->add, p->width);
	return num_means(&p->is.n, is) && identity_holds(w, &p->is, is);
}

/* The low bits of the one are the sign of the other. */
static bool sign_holds(const struct world *w, const struct wv_sign *s)
{
	const struct symbol *is = &w->symbol[s->sym], *of = &w->symbol[s->of];
	if (!s->sym || !is->known || !(s->width == 64 ? of->known : of->low_known))
		return true;
	uint64_t value = (s->width == 64 ? of->value : of->low) + s->of_add, ones = low_bits(UINT64_MAX, s->width);
	return low_bits(is->value, s->width) == (value >> (s->width - 1) & 1 ? ones : 0);
}

/* The number that is named; false if that was never learnt, or its low half is another one's. */
static bool named(const struct world *w, const struct wv_name *name, uint64_t *value, bool *same)
{
	const struct symbol *s = &w->symbol[name->sym], *low = &w->symbol[name->lsym];
	*value = s->value + name->add;
	if (!name->sym || !s->known)
		return false;
	if (low->low_known && (uint32_t)*value != (uint32_t)(low->low + name->ladd))
		*same = false;
	return true;
}

static bool is_number(const struct world *w, uint32_t sym, uint64_t value)
{
	return !sym || !w->symbol[sym].known || w->symbol[sym].value == value;
}

static bool multiple_holds(const struct world *w, const struct wv_quotient *q, const struct wv_multiple *m,
	uint64_t dividend, bool has_whole, uint64_t whole)
{
	uint64_t is, adds = m->adds == WV_ADDS_WHOLE ? whole : m->adds == WV_ADDS_DIVIDEND ? dividend : 0;
	bool same = true;
	if (!named(w, &m->of, &is, &same) || (m->adds == WV_ADDS_WHOLE && !has_whole))
		return same;
	return same && low_bits(is - (adds + m->factor * (dividend / q->divisor)), m->width) == 0;
}

/* The product, what is made of it, and the multiples of the quotient are what they are called. */
static bool quotient_holds(const struct world *w, const struct wv_quotient *q)
{
	uint64_t y, x, shifted;
	bool same = true, has_shifted = q->down_to && named(w, &q->shifted, &shifted, &same);
	if (has_shifted && !is_number(w, q->down_to, shifted >> q->down_by))
		return false;
	if (!q->product || !named(w, &q->of, &y, &same))
		return same;
	bool has_whole = named(w, &q->whole, &x, &same);
	uint64_t product = (uint64_t)((unsigned __int128)y * q->by >> q->shift);
	if (q->more)
		product = (uint64_t)(((unsigned __int128)y + product) >> 1);
	same = same && y <= q->greatest && (!has_whole || y == x >> q->down) && is_number(w, q->product, product);
	same = same && is_number(w, q->rest, y - product) && is_number(w, q->half, (y - product) >> 1);
	for (unsigned i = 0; q->divisor && i < q->n_multiples && i < WV_MAX_MULTIPLES; i++)
		same = same && multiple_holds(w, q, &q->multiple[i], y, has_whole, has_whole ? x : 0);
	return same;
}

/* As integers, a multiple is what it is called. */
static bool scaled_holds(const struct world *w, const struct wv_scaled *s)
{
	const struct symbol *is = &w->symbol[s->sym], *of = &w->symbol[s->of];
	return !is->known || !of->known || (unsigned __int128)(of->value + s->add) * s->factor == is->value;
}

bool world_holds(struct world *w, const struct wv_state *st)
{
	if (!wv_state_valid(st))
		return fail(w, -1, "the abstract state is not valid");
	for (int i = 0; i < 2; i++)
		if (w->machine[i].regs.reg[WV_RSP] != w->base[NATIVE_STACK] - st->depth)
			return fail(w, WV_RSP, "rsp is not the entry's less the depth");
	for (int r = 0; r < WV_NREG; r++)
		if (!val_holds(w, &st->reg[r], w->machine[0].regs.reg[r], w->machine[1].regs.reg[r], r))
			return false;
	for (unsigned r = 0; r < 16; r++)
		for (unsigned half = 0; half < 2; half++)
			if ((st->half[half] >> r & 1) &&
				w->machine[0].regs.xmm[r][half] != w->machine[1].regs.xmm[r][half])
				return fail(w, -1,
					"half an xmm register that is called set depends on what belongs to the host");
	for (uint32_t n = 1; n <= st->n_slots; n++)
		if (!slot_holds(w, &st->slot[n - 1], n))
			return false;
	for (uint32_t i = 0; i < st->n_distances; i++) {
		const struct wv_distance *f = &st->distance[i];
		const struct symbol *a = &w->symbol[f->a], *b = &w->symbol[f->b];
		if (a->known && b->known && !num_means(&f->d, b->value - (uint64_t)(int64_t)f->scale * a->value))
			return fail(w, -1, "two symbols are not as far apart as claimed");
	}
	for (uint32_t i = 0; i < st->n_sums && i < WV_MAX_SUMS; i++) {
		if (!sum_holds(w, &st->sum[i]))
			return fail(w, -1, "a sum is not that of its addends");
	}
	for (uint32_t i = 0; i < st->n_bounds && i < WV_MAX_BOUNDS; i++) {
		if (!bound_holds(w, &st->bound[i]))
			return fail(w, -1, "a value is above its bound");
	}
	for (uint32_t i = 0; i < st->n_reaches && i < WV_MAX_REACHES; i++) {
		if (!reach_holds(w, &st->reach[i]))
			return fail(w, -1, "an address is not between the bounds that it has");
	}
	for (uint32_t i = 0; i < st->n_less && i < WV_MAX_LESS; i++) {
		if (!less_holds(w, &st->less[i]))
			return fail(w, -1, "a value is no shorter, or has no fewer ones");
	}
	if (!choices_hold(w, st))
		return fail(w, -1, "a choice is neither of its sides");
	for (uint32_t i = 0; i < st->n_choices && i < WV_MAX_CHOICES; i++) {
		if (!choice_holds(w, &st->choice[i]))
			return fail(w, -1, "a choice is neither of its sides");
	}
	if (!part_holds(w, &st->part))
		return fail(w, -1, "what was read is not the low part of what it was read of");
	if (!sign_holds(w, &w->ctx.sign))
		return fail(w, -1, "a sign is not that of what it was made from");
	if (!quotient_holds(w, &w->ctx.quotient))
		return fail(w, -1, "a product or a multiple of a quotient is not what it is called");
	for (unsigned i = 0; i < w->ctx.n_scaled && i < WV_MAX_SCALED; i++) {
		if (!scaled_holds(w, &w->ctx.scaled[i]))
			return fail(w, -1, "a multiple of a number is not what it is called");
	}
	return flags_hold(w, st);
}

bool world_escaped(struct world *w)
{
	for (int i = 0; i < 2; i++) {
		struct machine *m = &w->machine[i];
		for (int r = 0; r < NATIVE_REGIONS; r++) {
			uint64_t start = (uint64_t)w->native->region[r], lo = w->base[r] - start, hi = lo;
			bool writable = r == NATIVE_STATE || r == NATIVE_DATA ||
					(r >= NATIVE_LENT && w->ctx.lent[r - NATIVE_LENT].writable);
			if (writable)
				hi += world_region_size(w, (unsigned)r);
			else if (r == NATIVE_STACK)
				lo -= STACK_ROOM + WV_RED_ZONE;
			/* compared through machine 0: the rest of the stack was drawn anew for each */
			if (r == NATIVE_STACK && i == 1)
				continue;
			if (memcmp(m->region[r], w->start[r], lo) ||
				memcmp(m->region[r] + hi, w->start[r] + hi, NATIVE_REGION_BYTES - hi))
				return true;
			if (writable && i == 1 && memcmp(m->region[r], w->machine[0].region[r], NATIVE_REGION_BYTES))
				return true;
		}
	}
	return false;
}
