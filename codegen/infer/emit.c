/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes claims from the states at block heads. Every location that the probe may use is claimed, with just the facts
 * that determine its number; the verifier's sync derives the rest. Locations that share a symbol become a group. The
 * loop's ghost claims what is related to the counter of a loop around the block.
 */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

void put_u8(struct bytes *b, uint8_t v)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 256;
		uint8_t *p = b->failed ? NULL : realloc(b->p, cap);
		if (!p) {
			b->failed = true;
			return;
		}
		b->p = p;
		b->cap = cap;
	}
	b->p[b->n++] = v;
}

void put_u(struct bytes *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_u8(b, (uint8_t)(v | 0x80));
	put_u8(b, (uint8_t)v);
}

void put_s(struct bytes *b, int64_t v)
{
	while (v < -64 || v > 63) {
		put_u8(b, (uint8_t)((v & 0x7f) | 0x80));
		v >>= 7;
	}
	put_u8(b, (uint8_t)(v & 0x7f));
}

void put_loc(struct bytes *b, struct wv_loc loc)
{
	put_u8(b, loc.slot ? WV_NREG : loc.reg);
	if (loc.slot)
		put_u(b, loc.slot);
}

/* ---- which facts ---- */

/*
 * The views of `n` that the others don't imply, chosen one after the other until they give all of it. None of a number
 * that nothing can be, as no reader takes that: its code is never reached.
 */
uint16_t needed_facts(const struct wv_num *n, const struct wv_num *from)
{
	static const uint16_t facts[] = {WV_FACT_U64, WV_FACT_S64, WV_FACT_U32, WV_FACT_S32, WV_FACT_BITS, WV_FACT_MOD};
	struct wv_num c = *from;
	uint16_t which = 0;
	if (!wv_num_valid(n))
		return 0;
	for (size_t i = 0; i < sizeof facts / sizeof facts[0] && !wv_num_within(&c, n); i++) {
		uint16_t fact = facts[i];
		struct wv_num with = c, one = wv_num_any();
		switch (fact) {
		case WV_FACT_U64:
			one.umin = n->umin;
			one.umax = n->umax;
			break;
		case WV_FACT_S64:
			one.smin = n->smin;
			one.smax = n->smax;
			break;
		case WV_FACT_U32:
			one.lumin = n->lumin;
			one.lumax = n->lumax;
			break;
		case WV_FACT_S32:
			one.lsmin = n->lsmin;
			one.lsmax = n->lsmax;
			break;
		case WV_FACT_BITS:
			one.known = n->known;
			one.bits = n->bits;
			break;
		default:
			one.mod = n->mod;
			one.rem = n->rem;
			break;
		}
		if (!wv_num_meet(&with, &one) || wv_num_within(&c, &with))
			continue;
		c = with;
		which |= fact;
	}
	return which;
}

/* The bodies of facts before width and identity. */
static void put_views(struct bytes *b, uint16_t which, const struct wv_num *n)
{
	if (which & WV_FACT_U64) {
		put_u(b, n->umin);
		put_u(b, n->umax);
	}
	if (which & WV_FACT_S64) {
		put_s(b, n->smin);
		put_s(b, n->smax);
	}
	if (which & WV_FACT_U32) {
		put_u(b, n->lumin);
		put_u(b, n->lumax);
	}
	if (which & WV_FACT_S32) {
		put_s(b, n->lsmin);
		put_s(b, n->lsmax);
	}
	if (which & WV_FACT_BITS) {
		put_u(b, n->known);
		put_u(b, n->bits);
	}
}

static void put_remainder(struct bytes *b, uint16_t which, const struct wv_num *n)
{
	if (which & WV_FACT_MOD) {
		put_u(b, n->mod);
		put_u(b, n->rem);
	}
}

/* All facts of a number without width or identity. */
static void put_number_facts(struct bytes *b, uint16_t which, const struct wv_num *n)
{
	put_views(b, which, n);
	put_remainder(b, which, n);
}

void put_facts(struct bytes *b, const struct wv_facts *f)
{
	put_u(b, f->which);
	put_views(b, f->which, &f->n);
	if (f->which & WV_FACT_WIDTH)
		put_u8(b, f->width == 32 ? 4 : f->width);
	if (f->which & (WV_FACT_GROUP | WV_FACT_GHOST)) {
		put_u(b, f->of);
		put_s(b, (int64_t)f->add);
	}
	put_remainder(b, f->which, &f->n);
	if (f->which & WV_FACT_LEAD) {
		put_u8(b, f->cursor);
		put_u(b, f->ahead);
	}
}

/* ---- identities at one block ---- */

/* A loop around a block, and the number of its first ghost in the function. */
struct around {
	uint32_t loop, ghost;
};

/* Loops nest no deeper, see cfg.c. */
enum { MOST_AROUND = WV_MAX_NESTING + 2 };

struct names {
	const struct analysis *a;
	uint32_t block;
	struct around around[MOST_AROUND]; /* outermost first */
	uint32_t n_around, next_loop, next_ghost;
	struct wv_state st;
	uint32_t sym[JOIN_SYMBOLS]; /* symbol of group i */
	uint32_t uses[JOIN_SYMBOLS];
	uint32_t n;
};

static void count_use(struct names *n, const struct wv_val *v)
{
	if (v->kind != WV_NUM && v->kind != WV_PTR)
		return;
	for (uint32_t i = 0; i < n->n; i++) {
		if (n->sym[i] == v->sym) {
			n->uses[i]++;
			return;
		}
	}
	n->sym[n->n] = v->sym;
	n->uses[n->n++] = 1;
}

static void find_groups(struct names *n)
{
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (r != WV_RSP)
			count_use(n, &n->st.reg[r]);
	}
	for (uint32_t i = 0; i < n->st.n_slots; i++) {
		if (n->st.slot[i].width)
			count_use(n, &n->st.slot[i].v);
	}
}

/* Go on to a block: loops end before it, and begin with it. */
static void enter_block(struct names *n, uint32_t block)
{
	const struct function *f = n->a->f;
	n->block = block;
	while (n->n_around && f->loops[n->around[n->n_around - 1].loop].end <= block)
		n->n_around--;
	for (; n->next_loop < f->n_loops && f->loops[n->next_loop].head <= block; n->next_loop++) {
		if (n->n_around < MOST_AROUND)
			n->around[n->n_around++] = (struct around){n->next_loop, n->next_ghost};
		n->next_ghost += 1 + n->a->ranks[n->next_loop].n_counted;
	}
}

/* The loop that the block heads, or NULL. */
static const struct ranked *loop_headed(const struct names *n)
{
	const struct around *l = n->n_around ? &n->around[n->n_around - 1] : NULL;
	return l && n->a->f->loops[l->loop].head == n->block ? &n->a->ranks[l->loop] : NULL;
}

static bool same_loc(struct wv_loc a, struct wv_loc b)
{
	return a.reg == b.reg && a.slot == b.slot;
}

/*
 * The ghost of a loop around the block, not headed by it, that the value at `loc` is related to; the difference goes to
 * *add. Of several that are one symbol here, as two locations counted alike are, the location's own. False: there is
 * none.
 */
static bool ghost_of(const struct names *n, struct wv_loc loc, const struct wv_val *v, uint32_t *ghost, uint64_t *add)
{
	bool found = false;
	for (uint32_t i = 0; i < n->n_around && n->a->f->loops[n->around[i].loop].head != n->block; i++) {
		const struct ranked *r = &n->a->ranks[n->around[i].loop];
		uint32_t g = n->around[i].ghost;
		if (r->found && r->sym == v->sym && (!found || same_loc(r->loc, loc))) {
			found = true;
			*ghost = g;
			*add = v->add - r->add;
		}
		for (uint32_t k = 0; k < r->n_counted; k++) {
			const struct counted *c = &r->counted[k];
			if (c->sym == v->sym && (!found || same_loc(c->loc, loc))) {
				found = true;
				*ghost = g + 1 + k;
				*add = v->add - c->add;
			}
		}
	}
	return found;
}

/* The counted location `loc` if the block heads its loop; else NULL. */
static const struct counted *counted_at(const struct names *n, struct wv_loc loc)
{
	const struct ranked *r = loop_headed(n);
	for (uint32_t i = 0; r && i < r->n_counted; i++) {
		if (same_loc(r->counted[i].loc, loc))
			return &r->counted[i];
	}
	return NULL;
}

/*
 * A counted location at the head is its own ghost: of several in a group, which would need several symbols, the first
 * gives it its name.
 */
static bool leads_group(const struct names *n, const struct counted *c)
{
	const struct ranked *r = loop_headed(n);
	for (uint32_t i = 0; r && i < r->n_counted; i++) {
		if (r->counted[i].sym == c->sym)
			return &r->counted[i] == c;
	}
	return false;
}

static int group_of(const struct names *n, const struct wv_val *v)
{
	for (uint32_t i = 0; i < n->n; i++) {
		if (n->sym[i] == v->sym && n->uses[i] > 1)
			return (int)i;
	}
	return -1;
}

/* ---- claims ---- */

static void put_number(
	struct bytes *b, const struct names *n, struct wv_loc loc, const struct wv_val *v, unsigned slot_width)
{
	const struct counted *counted = counted_at(n, loc);
	const struct wv_num *number = counted ? &counted->start : &v->n;
	struct wv_num from = slot_width == 4 ? wv_num_range(0, UINT32_MAX) : wv_num_any();
	uint16_t which = needed_facts(number, &from);
	uint32_t ghost = 0;
	uint64_t ghost_add = 0;
	bool narrow = slot_width == 4 || (v->kind == WV_NUM && v->init != 64);
	int group = (counted && !leads_group(n, counted)) || n->block == 0 ? -1 : group_of(n, v);
	if (narrow)
		which |= WV_FACT_WIDTH;
	if (!counted && ghost_of(n, loc, v, &ghost, &ghost_add))
		which |= WV_FACT_GHOST;
	else if (group >= 0)
		which |= WV_FACT_GROUP;
	put_u(b, which);
	put_views(b, which, number);
	if (narrow)
		put_u8(b, slot_width == 4 ? 4 : v->init);
	if (which & WV_FACT_GROUP) {
		put_u(b, (uint32_t)group);
		put_s(b, (int64_t)v->add);
	}
	if (which & WV_FACT_GHOST) {
		put_u(b, ghost);
		put_s(b, (int64_t)ghost_add);
	}
	put_remainder(b, which, number);
}

static void put_claim(
	struct bytes *b, const struct names *n, struct wv_loc loc, const struct wv_val *v, unsigned slot_width)
{
	put_loc(b, loc);
	switch (v->kind) {
	case WV_SAVED:
		put_u8(b, WV_CLAIM_SAVED);
		put_u8(b, v->region);
		break;
	case WV_PTR:
		put_u8(b, WV_CLAIM_POINTER);
		put_u8(b, v->region);
		put_number(b, n, loc, v, slot_width);
		break;
	case WV_NUM:
		put_u8(b, WV_CLAIM_NUMBER);
		put_number(b, n, loc, v, slot_width);
		break;
	default: put_u8(b, WV_CLAIM_UNINIT); break;
	}
}

/*
 * Callee-saved registers that hold their entry's value need no claim, and neither does what is unset; but a
 * callee-saved register that is unset does.
 */
static bool reg_is_claimed(const struct wv_val *v, uint8_t r)
{
	static const uint16_t callee_saved =
		1u << WV_RBX | 1u << WV_RBP | 1u << WV_R12 | 1u << WV_R13 | 1u << WV_R14 | 1u << WV_R15;
	if (r == WV_RSP)
		return false;
	if (callee_saved >> r & 1)
		return !(v->kind == WV_SAVED && v->region == r);
	return v->kind != WV_UNINIT;
}

static uint32_t put_claims(struct bytes *b, const struct names *n)
{
	uint32_t count = 0;
	for (uint8_t r = 0; r < WV_NREG; r++) {
		if (reg_is_claimed(&n->st.reg[r], r)) {
			put_claim(b, n, (struct wv_loc){.reg = r}, &n->st.reg[r], 8);
			count++;
		}
	}
	for (uint32_t i = 0; i < n->st.n_slots; i++) {
		const struct wv_slot *s = &n->st.slot[i];
		struct wv_loc loc = {.reg = WV_NREG, .slot = i + 1};
		if (s->width) {
			put_claim(b, n, loc, &s->v, s->width);
		} else if (s->init) {
			put_loc(b, loc);
			put_u8(b, WV_CLAIM_BYTES);
			put_u8(b, s->init);
		} else {
			continue;
		}
		count++;
	}
	return count;
}

struct distances {
	struct bytes *b;
	uint32_t count;
};

static bool put_distance(void *user, const struct wv_state *st, uint8_t x, int32_t scale, uint8_t y)
{
	struct distances *o = user;
	struct wv_num d = wv_state_distance(st, &st->reg[x], scale, &st->reg[y]), any = wv_num_any();
	uint16_t which = needed_facts(&d, &any);
	put_u8(o->b, x);
	put_u8(o->b, y);
	put_u8(o->b, st->reg[x].kind != st->reg[y].kind);
	put_s(o->b, scale);
	put_u(o->b, which);
	put_number_facts(o->b, which, &d);
	o->count++;
	return true;
}

static uint32_t put_distances(struct bytes *b, const struct wv_state *st)
{
	struct distances o = {.b = b};
	for (uint32_t i = 0; i < st->n_distances; i++)
		each_distance(st, &st->distance[i], put_distance, &o);
	return o.count;
}

static void bytes_append(struct bytes *to, const struct bytes *from)
{
	to->failed |= from->failed;
	for (size_t i = 0; i < from->n; i++)
		put_u8(to, from->p[i]);
}

/* What is known at the head of the block that was entered last, if control comes there. */
static void emit_known(struct bytes *out, struct names *n)
{
	struct bytes claims = {0}, distances = {0};
	uint32_t count, n_distances = 0;
	unpack_state(&n->st, &n->a->in[n->block]);
	if (n->block != 0)
		n_distances = put_distances(&distances, &n->st);
	n->n = 0;
	find_groups(n);
	count = put_claims(&claims, n);
	uint16_t xmm = n->block != 0 ? wv_state_xmm(&n->st) : 0;
	put_u(out, n->st.depth | (xmm != 0));
	if (xmm)
		put_u(out, xmm);
	put_u(out, count);
	bytes_append(out, &claims);
	put_u(out, n_distances);
	bytes_append(out, &distances);
	free(claims.p);
	free(distances.p);
	/* each value is looked for among those before it */
	if (!effort_spend(n->a->code->effort,
		    2 * UNITS_PER_STATE + 2 * count + n->st.n_slots / SLOTS_PER_UNIT + (uint64_t)n->n * n->n / 32))
		out->failed = true;
}

static void emit_block(struct bytes *out, struct names *n, uint32_t index)
{
	enter_block(n, index);
	put_u(out, n->a->f->blocks[index].addr);
	if (n->a->in[index].p) {
		emit_known(out, n);
		return;
	}
	put_u(out, 0); /* nothing on the stack, and neither claims nor distances */
	put_u(out, 0);
	put_u(out, 0);
}

/* Windows, then results. */
static void emit_contract(struct bytes *out, const struct contract *c)
{
	uint32_t n = 0;
	put_u(out, c->keeps);
	put_u(out, c->n_lent);
	for (uint32_t i = 0; i < c->n_lent; i++) {
		put_u(out, c->lent[i].size);
		put_u8(out, c->lent[i].writable);
	}
	for (unsigned i = 0; i < 2; i++)
		n += c->returns && c->out[i].kind != WV_UNINIT;
	put_u(out, n);
	for (unsigned i = 0; i < 2; i++) {
		const struct wv_val *v = &c->out[i];
		struct wv_num any = wv_num_any();
		if (!c->returns || v->kind == WV_UNINIT)
			continue;
		uint16_t which = needed_facts(&v->n, &any);
		put_u8(out, i ? WV_RDX : WV_RAX);
		put_u8(out, v->kind == WV_PTR ? WV_CLAIM_POINTER : WV_CLAIM_NUMBER);
		if (v->kind == WV_PTR)
			put_u8(out, v->region);
		put_u(out, which);
		put_number_facts(out, which, &v->n);
	}
}

void emit_function(struct bytes *out, const struct analysis *a)
{
	/*
	 * A loop at the entry itself can't be claimed: the entry's state is fixed. It is left out, for the verifier to
	 * report the branch back (V-61).
	 */
	uint32_t skipped = a->f->n_loops && a->f->loops[0].head == 0;
	put_u(out, a->f->entry);
	emit_contract(out, a->contract);
	put_u(out, a->f->n_loops - skipped);
	for (uint32_t l = skipped; l < a->f->n_loops; l++) {
		put_u(out, a->f->loops[l].head);
		put_u(out, a->f->loops[l].end);
		put_u8(out, a->ranks[l].view);
		put_loc(out, a->ranks[l].loc);
		/* if no back edge can be taken, any location will do, but the cost is counted */
		put_s(out, a->ranks[l].found ? a->ranks[l].step : INT64_MAX);
		put_u(out, a->ranks[l].n_counted);
		for (uint32_t i = 0; i < a->ranks[l].n_counted; i++) {
			put_loc(out, a->ranks[l].counted[i].loc);
			put_s(out, a->ranks[l].counted[i].stride);
		}
	}
	put_u(out, a->f->n_blocks);
	struct names *n = malloc(sizeof *n); /* most of it is room */
	out->failed |= !n;
	if (n) {
		n->a = a;
		n->n_around = n->next_ghost = 0;
		n->next_loop = skipped;
	}
	for (uint32_t b = 0; !out->failed && b < a->f->n_blocks; b++)
		emit_block(out, n, b);
	free(n);
}

bool seal_proof(const struct wv_module *m, const struct bytes *rest, uint8_t **proof, size_t *size)
{
	struct wv_bytes sealed = {rest->p, rest->n};
	uint64_t s = wv_module_seal(m, sealed);
	uint8_t *p = malloc(13 + rest->n);
	if (!p)
		return false;
	memcpy(p, "WPRF", 4);
	p[4] = rest->version ? rest->version : 1;
	memcpy(p + 5, &s, 8);
	memcpy(p + 13, rest->p, rest->n);
	*proof = p;
	*size = 13 + rest->n;
	return true;
}
