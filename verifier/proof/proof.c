/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the proof: a byte stream of hostile numbers, taken off the front of a view that ends where the proof ends. */
#include "proof.h"

#include <string.h>

/* ---- numbers: what can't be read is 0 ---- */

static bool read_u8(struct wv_bytes *in, uint8_t *out)
{
	*out = 0;
	if (in->n == 0)
		return false;
	*out = *in->p++;
	in->n--;
	return true;
}

static bool read_u(struct wv_bytes *in, uint64_t *out)
{
	uint64_t value = *out = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte;
		if (!read_u8(in, &byte))
			return false;
		if (shift == 63 && (byte & 0xfe))
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = value;
			return true;
		}
	}
	in->n = 0; /* nothing that follows means anything */
	return false;
}

static bool read_s(struct wv_bytes *in, int64_t *out)
{
	uint64_t value = 0;
	*out = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte;
		if (!read_u8(in, &byte))
			return false;
		if (shift == 63 && byte != 0 && byte != 0x7f)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			if ((byte & 0x40) && shift < 57)
				value |= UINT64_MAX << (shift + 7);
			*out = (int64_t)value;
			return true;
		}
	}
	in->n = 0; /* nothing that follows means anything */
	return false;
}

static bool read_u32(struct wv_bytes *in, uint64_t most, uint32_t *out)
{
	uint64_t v;
	*out = 0;
	if (!read_u(in, &v) || v > most)
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool read_u16(struct wv_bytes *in, uint16_t most, uint16_t *out)
{
	uint64_t v;
	*out = 0;
	if (!read_u(in, &v) || v > most)
		return false;
	*out = (uint16_t)v;
	return true;
}

/* ---- claims ---- */

static bool read_loc(struct wv_bytes *in, struct wv_loc *loc)
{
	*loc = (struct wv_loc){0};
	if (!read_u8(in, &loc->reg) || loc->reg > WV_NREG)
		return false;
	if (loc->reg < WV_NREG)
		return true;
	uint32_t slot;
	if (!read_u32(in, WV_MAX_SLOTS, &slot))
		return false;
	loc->slot = (uint16_t)slot;
	return slot >= 1;
}

/* Both ends of an interval, in the order and range of its view. */
static bool read_interval(struct wv_bytes *in, uint8_t which, struct wv_num *n)
{
	uint64_t lo, hi;
	int64_t slo, shi;
	if (which == WV_FACT_U64 || which == WV_FACT_U32) {
		if (!read_u(in, &lo) || !read_u(in, &hi) || lo > hi || (which == WV_FACT_U32 && hi > UINT32_MAX))
			return false;
		if (which == WV_FACT_U64) {
			n->umin = lo;
			n->umax = hi;
		} else {
			n->lumin = (uint32_t)lo;
			n->lumax = (uint32_t)hi;
		}
		return true;
	}
	if (!read_s(in, &slo) || !read_s(in, &shi) || slo > shi)
		return false;
	if (which == WV_FACT_S64) {
		n->smin = slo;
		n->smax = shi;
		return true;
	}
	n->lsmin = (int32_t)slo;
	n->lsmax = (int32_t)shi;
	return slo >= INT32_MIN && shi <= INT32_MAX;
}

static bool read_width(struct wv_bytes *in, struct wv_facts *f)
{
	uint8_t w;
	if (!read_u8(in, &w))
		return false;
	f->width = w == 4 ? 32 : w;
	return w == 4 || w == 8 || w == 16;
}

static bool read_relation(struct wv_bytes *in, uint64_t most, struct wv_facts *f)
{
	int64_t add;
	if (!read_u32(in, most, &f->of) || !read_s(in, &add))
		return false;
	f->add = (uint64_t)add;
	return true;
}

static bool read_facts(struct wv_bytes *in, struct wv_facts *f)
{
	uint32_t which;
	*f = (struct wv_facts){.width = 64, .n = wv_num_any()};
	if (!read_u32(in, WV_ALL_FACTS, &which))
		return false;
	f->which = (uint16_t)which;
	for (uint8_t view = WV_FACT_U64; view <= WV_FACT_S32; view = (uint8_t)(view << 1)) {
		if ((which & view) && !read_interval(in, view, &f->n))
			return false;
	}
	if (which & WV_FACT_BITS) {
		if (!read_u(in, &f->n.known) || !read_u(in, &f->n.bits) || (f->n.bits & ~f->n.known))
			return false;
	}
	if ((which & WV_FACT_WIDTH) && !read_width(in, f))
		return false;
	if ((which & WV_FACT_GROUP) && !read_relation(in, WV_MAX_CLAIMS - 1, f))
		return false;
	if ((which & WV_FACT_GHOST) && !read_relation(in, WV_NO_LOOP - 1, f))
		return false;
	if (which & WV_FACT_MOD) {
		if (!read_u(in, &f->n.mod) || !read_u(in, &f->n.rem) || f->n.mod < 2 || f->n.rem >= f->n.mod)
			return false;
	}
	if ((which & WV_FACT_LEAD) && (!read_u8(in, &f->cursor) || !read_u32(in, INT32_MAX, &f->ahead)))
		return false;
	/* Both name one symbol: which of them would hold? */
	if ((which & WV_FACT_GROUP) && (which & WV_FACT_GHOST))
		return false;
	struct wv_num small = wv_num_range(0, UINT32_MAX);
	return wv_num_sync(&f->n) && (f->width != 32 || wv_num_meet(&f->n, &small));
}

void wv_claim_reader_init(struct wv_claim_reader *r, struct wv_facts *facts)
{
	*r = (struct wv_claim_reader){.facts = facts, .n_facts = 1};
	facts[0] = (struct wv_facts){.width = 64, .n = wv_num_any()};
}

/* Where facts that begin like this are kept. As many bytes count as most facts have. */
static uint32_t place_of(const struct wv_bytes *in)
{
	uint32_t start = 0;
	for (size_t i = 0; i < 3 && i < in->n; i++)
		start |= (uint32_t)in->p[i] << 8 * i;
	return start * 0x9e3779b1u >> 16 & (WV_RECENT_FACTS - 1);
}

/*
 * Facts end where their own bytes say. So if what is to be read begins with the bytes of facts that were read before,
 * it is these facts; and a zero is no facts.
 */
static const struct wv_facts *shared_facts(struct wv_claim_reader *r, struct wv_bytes *in)
{
	uint32_t place = place_of(in);
	struct wv_bytes start = *in, *encoded = &r->recent[place].encoded;
	const struct wv_facts **facts = &r->recent[place].facts;
	if (in->n && *in->p == 0) {
		in->p++;
		in->n--;
		return r->facts;
	}
	if (encoded->n && encoded->n <= in->n && memcmp(encoded->p, in->p, encoded->n) == 0) {
		in->p += encoded->n;
		in->n -= encoded->n;
		return *facts;
	}
	if (!read_facts(in, &r->facts[r->n_facts]))
		return NULL;
	*encoded = (struct wv_bytes){start.p, start.n - in->n};
	return *facts = &r->facts[r->n_facts++];
}

/* The facts of a claim, of which the location and the kind are known. */
static bool read_claim_facts(struct wv_claim_reader *r, struct wv_bytes *in, struct wv_claim *c)
{
	c->facts = shared_facts(r, in);
	if (!c->facts)
		return false;
	if (c->facts->width == 64)
		return true;
	return c->kind == WV_CLAIM_NUMBER && (c->loc.slot ? c->facts->width == 32 : c->facts->width < 32);
}

bool wv_claim_read(struct wv_claim_reader *r, struct wv_bytes *in, struct wv_claim *c)
{
	*c = (struct wv_claim){.facts = r->facts};
	if (!read_loc(in, &c->loc) || !read_u8(in, &c->kind))
		return false;
	switch (c->kind) {
	case WV_CLAIM_UNINIT: return true;
	case WV_CLAIM_SAVED: return read_u8(in, &c->region) && c->region < WV_NREG;
	case WV_CLAIM_NUMBER: return read_claim_facts(r, in, c);
	case WV_CLAIM_POINTER: return read_u8(in, &c->region) && c->region < WV_NREGION && read_claim_facts(r, in, c);
	case WV_CLAIM_BYTES: return c->loc.slot && read_u8(in, &c->mask);
	default: return false;
	}
}

bool wv_distance_read(struct wv_claim_reader *r, struct wv_bytes *in, struct wv_distance_claim *d)
{
	uint8_t mixed;
	int64_t scale;
	if (!read_loc(in, &d->a) || !read_loc(in, &d->b) || d->a.slot || d->b.slot || !read_u8(in, &mixed) ||
		mixed > 1 || !read_s(in, &scale) || scale == 0 || scale != (int32_t)scale)
		return false;
	d->mixed = mixed;
	d->scale = (int32_t)scale;
	d->facts = shared_facts(r, in);
	return d->facts && !(d->facts->which & (WV_FACT_WIDTH | WV_FACT_GROUP | WV_FACT_GHOST | WV_FACT_LEAD));
}

/* ---- functions, loops, blocks ---- */

/* The least sizes in bytes of what the proof is made of: they bound how many there can be. */
enum { LOOP = 6, COUNTED = 2, CURSOR = 4, BLOCK = 4, FUNCTION = 10, CLAIM = 2, CLAIM_OF_FACTS = 3, DISTANCE = 5 };

struct reader {
	struct wv_bytes in;
	const struct wv_module *m;
	struct wv_sink *sink;
	struct wv_proof *p;
	struct wv_claim_reader claims;
	uint32_t n_loops, n_ghosts, n_cursors, n_claims, n_distances;
	uint8_t version;
};

static bool proof_malformed(struct reader *r, const char *what)
{
	size_t at = r->m->proof.n - r->in.n;
	wv_report(r->sink, WARD_RULE_PROOF, 0, "proof-malformed", "the proof is wrong at its byte %zu: %s", at, what);
	return false;
}

/*
 * Loops come outermost first, in ascending order of their heads, each within or after the one before. NULL, or what is
 * wrong.
 */
static const char *nest_loop(struct wv_function *f, uint32_t i)
{
	struct wv_loop *l = &f->loops[i];
	unsigned nesting = 0;
	l->parent = WV_NO_LOOP;
	if (i == 0)
		return NULL;
	if (l->head <= f->loops[i - 1].head)
		return "loops don't nest";
	uint32_t outer = i - 1;
	while (outer != WV_NO_LOOP && !wv_loop_has(f, outer, l->head))
		outer = f->loops[outer].parent;
	if (outer != WV_NO_LOOP && l->end > f->loops[outer].end)
		return "loops don't nest";
	l->parent = outer;
	for (; outer != WV_NO_LOOP; outer = f->loops[outer].parent)
		nesting++;
	return nesting < WV_MAX_NESTING ? NULL : "more than 32 loops in one another";
}

static uint32_t loc_order(const struct wv_loc *loc)
{
	return loc->slot ? WV_NREG + loc->slot : loc->reg;
}

static void add_ghost(struct reader *r, struct wv_function *f, uint32_t loop, const struct wv_loc *loc, int64_t stride)
{
	f->ghosts[f->n_ghosts++] = (struct wv_ghost){*loc, stride, loop};
	f->loops[loop].n_ghosts++;
	r->n_ghosts++;
}

/* The locations that a loop counts, after the one that ranks it. */
static bool parse_counted(struct reader *r, struct wv_function *f, uint32_t loop)
{
	uint32_t n, last = 0;
	if (!read_u32(&r->in, WV_MAX_COUNTED, &n))
		return proof_malformed(r, "the number of counted locations");
	for (uint32_t i = 0; i < n; i++) {
		struct wv_loc loc;
		int64_t stride;
		if (!read_loc(&r->in, &loc) || loc.reg == WV_RSP || !read_s(&r->in, &stride) || stride == 0)
			return proof_malformed(r, "a counted location");
		uint32_t order = loc_order(&loc) + 1;
		if (order <= last || order == loc_order(&f->loops[loop].rank) + 1)
			return proof_malformed(
				r, "a location that is counted twice, or ranks the loop, or is out of order");
		last = order;
		add_ghost(r, f, loop, &loc, stride);
	}
	return true;
}

static bool parse_loop(struct reader *r, struct wv_function *f, uint32_t i)
{
	struct wv_loop *l = &f->loops[i];
	*l = (struct wv_loop){.first_ghost = f->n_ghosts};
	if (!read_u32(&r->in, UINT32_MAX - 1, &l->head) || !read_u32(&r->in, UINT32_MAX - 1, &l->end) ||
		l->head >= l->end)
		return proof_malformed(r, "a loop's range of blocks");
	if (!read_u8(&r->in, &l->view) || l->view > WV_ONES || !read_loc(&r->in, &l->rank) || l->rank.reg == WV_RSP)
		return proof_malformed(r, "a loop's ranking location");
	if (!read_s(&r->in, &l->step) || l->step == INT64_MIN)
		return proof_malformed(r, "a loop's step");
	const char *wrong = nest_loop(f, i);
	if (wrong)
		return proof_malformed(r, wrong);
	add_ghost(r, f, i, &l->rank, 0);
	return parse_counted(r, f, i);
}

static bool parse_loops(struct reader *r, struct wv_function *f)
{
	if (!read_u32(&r->in, r->in.n / LOOP, &f->n_loops))
		return proof_malformed(r, "the number of loops");
	f->loops = r->p->loops + r->n_loops;
	f->ghosts = r->p->ghosts + r->n_ghosts;
	r->n_loops += f->n_loops;
	for (uint32_t i = 0; i < f->n_loops; i++) {
		if (!parse_loop(r, f, i))
			return false;
	}
	return true;
}

/*
 * A loop that shares the cursor: the owner, or one within it. It moves a number of 64 bits in the cursor's direction,
 * which the first of them gives.
 */
static bool parse_sharer(struct reader *r, struct wv_function *f, struct wv_nest_cursor *c, bool first, uint32_t *next)
{
	uint32_t loop;
	uint8_t alone;
	if (!read_u32(&r->in, f->n_loops - 1, &loop) || loop < *next || !read_u8(&r->in, &alone) || alone > 1)
		return false;
	struct wv_loop *l = &f->loops[loop];
	bool down = l->step < 0;
	if (!wv_loop_has(f, c->owner, l->head) || l->cursor || l->view > WV_S64 || (!first && c->down != down))
		return false;
	c->down = down;
	l->cursor = (uint32_t)(c - f->cursors) + 1;
	l->alone = alone;
	*next = loop + 1;
	return true;
}

static bool parse_cursor(struct reader *r, struct wv_function *f, struct wv_nest_cursor *c)
{
	uint32_t n, next = 0;
	*c = (struct wv_nest_cursor){.lo = INT64_MAX, .hi = INT64_MIN};
	if (!read_u32(&r->in, f->n_loops - 1, &c->owner) || !read_u32(&r->in, f->n_loops, &n) || n == 0)
		return false;
	struct wv_loop *owner = &f->loops[c->owner];
	if (owner->n_cursors == 0)
		owner->first_cursor = (uint32_t)(c - f->cursors);
	owner->n_cursors++;
	for (uint32_t i = 0; i < n; i++) {
		if (!parse_sharer(r, f, c, i == 0, &next))
			return false;
	}
	return true;
}

/* The cursors, in the order of the loops that own them. */
static bool parse_cursors(struct reader *r, struct wv_function *f)
{
	uint32_t most = f->n_loops && r->version > 1 ? WV_MAX_CURSORS : 0, last = 0;
	f->cursors = r->p->cursors + r->n_cursors;
	if (r->version > 1 && !read_u32(&r->in, most, &f->n_cursors))
		return proof_malformed(r, "the number of cursors");
	for (uint32_t i = 0; i < f->n_cursors; i++) {
		if (!parse_cursor(r, f, &f->cursors[i]) || f->cursors[i].owner < last)
			return proof_malformed(r, "a cursor");
		last = f->cursors[i].owner;
		r->n_cursors++;
	}
	return true;
}

/*
 * What a cursor is at the heads of the loops that share it: the ranges of what ranks them, together. Of a location of
 * which only a part is claimed the rest may be anything.
 */
static void find_range(struct wv_function *f, const struct wv_loop *l)
{
	struct wv_nest_cursor *c = &f->cursors[l->cursor - 1];
	bool whole = l->claim && l->claim->facts->width == 64;
	int64_t lo = whole ? l->claim->facts->n.smin : INT64_MIN, hi = whole ? l->claim->facts->n.smax : INT64_MAX;
	c->lo = lo < c->lo ? lo : c->lo;
	c->hi = hi > c->hi ? hi : c->hi;
}

/* A ghost may be claimed only inside its loop, and not at its head, where it is what its location holds. */
static bool ghost_allowed(const struct wv_function *f, uint32_t block, const struct wv_claim *c)
{
	if (!(c->facts->which & WV_FACT_GHOST))
		return true;
	if (c->facts->of >= f->n_ghosts)
		return false;
	uint32_t loop = f->ghosts[c->facts->of].loop;
	return wv_loop_has(f, loop, block) && f->loops[loop].head != block;
}

/* A cursor may be claimed only inside the loop that owns it, and of a whole number. */
static bool lead_allowed(const struct wv_function *f, uint32_t block, const struct wv_claim *c)
{
	if (!(c->facts->which & WV_FACT_LEAD))
		return true;
	return c->facts->width == 64 && c->facts->cursor < f->n_cursors &&
	       wv_loop_has(f, f->cursors[c->facts->cursor].owner, block);
}

static const uint16_t scratch_registers = 1u << WV_RAX | 1u << WV_RCX | 1u << WV_RDX | 1u << WV_RSI | 1u << WV_RDI |
					  1u << WV_R8 | 1u << WV_R9 | 1u << WV_R10 | 1u << WV_R11;

/*
 * Claims about what a function gets and returns: plain facts about scratch registers. The stack means another frame
 * on the other side, so no pointer to it can pass; windows only pass in.
 */
static bool crosses_call(const struct wv_claim *c, uint16_t registers, unsigned regions)
{
	if (c->loc.slot || !(registers >> c->loc.reg & 1) ||
		(c->facts->which & (WV_FACT_GROUP | WV_FACT_GHOST | WV_FACT_LEAD)))
		return false;
	if (c->kind == WV_CLAIM_POINTER)
		return c->region != WV_STACK && c->region < regions;
	return c->kind == WV_CLAIM_NUMBER && c->facts->width == 64;
}

/* The next claim, put after those before it, or NULL. */
static const struct wv_claim *parse_claim(struct reader *r)
{
	struct wv_claim *c = &r->p->claims[r->n_claims++];
	return wv_claim_read(&r->claims, &r->in, c) ? c : NULL;
}

static bool parse_claims(struct reader *r, const struct wv_function *f, uint32_t index, struct wv_block *b)
{
	uint32_t last = 0, deepest = (b->depth + WV_RED_ZONE) / 8;
	uint16_t passed = 0;
	b->claims = r->p->claims + r->n_claims;
	for (uint32_t i = 0; i < b->n_claims; i++) {
		const struct wv_claim *c = parse_claim(r);
		if (!c)
			return proof_malformed(r, "a claim");
		uint32_t order = loc_order(&c->loc) + 1;
		if (order <= last || c->loc.slot > deepest || c->loc.reg == WV_RSP)
			return proof_malformed(r, "a claim's location");
		if (!ghost_allowed(f, index, c))
			return proof_malformed(r, "a claim about a loop's ghost outside the loop");
		b->n_leads += (c->facts->which & WV_FACT_LEAD) != 0;
		if (!lead_allowed(f, index, c) || b->n_leads > WV_MAX_LEADS)
			return proof_malformed(r, "a claim about a cursor");
		if (index == 0 && !crosses_call(c, scratch_registers, WV_NREGION))
			return proof_malformed(r, "a claim at a function's entry that a caller can't answer for");
		/* One window is one place: two registers could be passed two. */
		if (index == 0 && c->kind == WV_CLAIM_POINTER && c->region >= WV_LENT && (passed >> c->region & 1))
			return proof_malformed(r, "two registers pass one window");
		if (c->kind == WV_CLAIM_POINTER)
			passed |= (uint16_t)(1u << c->region);
		if ((c->facts->which & WV_FACT_GROUP) && b->n_groups <= c->facts->of)
			b->n_groups = (uint16_t)(c->facts->of + 1); /* at most WV_MAX_CLAIMS */
		last = order;
	}
	return true;
}

static bool parse_distances(struct reader *r, uint32_t index, struct wv_block *b)
{
	if (!read_u16(&r->in, index == 0 ? 0 : WV_MAX_DISTANCES, &b->n_distances))
		return proof_malformed(r, "the number of distances");
	b->distances = r->p->distances + r->n_distances;
	for (uint32_t i = 0; i < b->n_distances; i++) {
		if (!wv_distance_read(&r->claims, &r->in, &r->p->distances[r->n_distances++]))
			return proof_malformed(r, "a claim about a distance");
	}
	return true;
}

/*
 * The depth, and if it is odd, the xmm registers that are claimed. A function's entry can claim none, since callers
 * pass none.
 */
static bool parse_frame(struct reader *r, uint32_t index, struct wv_block *b)
{
	uint32_t frame = 0;
	if (!read_u32(&r->in, WARD_STACK_CEILING + 1, &frame))
		return false;
	if ((frame & 1) && (index == 0 || !read_u16(&r->in, UINT16_MAX, &b->xmm) || b->xmm == 0))
		return false;
	b->depth = frame & ~UINT32_C(1);
	return b->depth % 8 == 0;
}

static bool parse_blocks(struct reader *r, uint32_t function, struct wv_function *f)
{
	uint32_t next_loop = 0, inside = WV_NO_LOOP;
	if (!read_u32(&r->in, r->in.n / BLOCK, &f->n_blocks) || f->n_blocks == 0)
		return proof_malformed(r, "the number of blocks");
	f->blocks = r->p->blocks + r->p->n_blocks;
	r->p->n_blocks += f->n_blocks;
	for (uint32_t i = 0; i < f->n_loops; i++) {
		if (f->loops[i].end > f->n_blocks)
			return proof_malformed(r, "a loop ends beyond its function");
	}
	for (uint32_t i = 0; i < f->n_blocks; i++) {
		struct wv_block *b = &f->blocks[i];
		*b = (struct wv_block){.function = function};
		while (inside != WV_NO_LOOP && i >= f->loops[inside].end)
			inside = f->loops[inside].parent;
		if (next_loop < f->n_loops && f->loops[next_loop].head == i)
			inside = next_loop++;
		b->loop = inside;
		/* there is text: the function's address lies in it */
		if (!read_u32(&r->in, r->m->text_bytes.n - 1, &b->addr))
			return proof_malformed(r, "a block's address");
		if (!parse_frame(r, i, b))
			return proof_malformed(r, "a block's stack depth and xmm registers");
		if (!read_u16(&r->in, WV_MAX_CLAIMS, &b->n_claims))
			return proof_malformed(r, "the number of claims");
		if (!parse_claims(r, f, i, b) || !parse_distances(r, i, b))
			return false;
		if (inside != WV_NO_LOOP && f->loops[inside].head == i)
			wv_rank_loop(f, &f->loops[inside]);
	}
	for (uint32_t i = 0; i < f->n_loops; i++) {
		if (f->loops[i].cursor)
			find_range(f, &f->loops[i]);
	}
	if (f->blocks[0].addr != f->entry || f->blocks[0].depth != 0 || f->blocks[0].loop != WV_NO_LOOP)
		return proof_malformed(r, "block 0 must be the entry, with an empty stack, outside loops");
	return true;
}

/* Windows that callers pass, and claims about results. */
static bool parse_contract(struct reader *r, struct wv_function *f)
{
	uint32_t n, last = 0, keeps;
	if (!read_u32(&r->in, UINT32_MAX, &keeps) || (keeps & UINT16_MAX & ~(uint32_t)scratch_registers))
		return proof_malformed(r, "the registers that a function keeps");
	f->keeps = keeps;
	if (!read_u32(&r->in, WV_MAX_LENT, &n))
		return proof_malformed(r, "the number of windows");
	for (uint32_t i = 0; i < n; i++) {
		uint8_t rights;
		if (!read_u32(&r->in, 1u << 28, &f->lent[i].size) || !read_u8(&r->in, &rights) || rights > 1)
			return proof_malformed(r, "a window");
		f->lent[i].writable = rights;
	}
	if (!read_u32(&r->in, 2, &f->n_results))
		return proof_malformed(r, "the number of results");
	f->results = r->p->claims + r->n_claims;
	for (uint32_t i = 0; i < f->n_results; i++) {
		const struct wv_claim *c = parse_claim(r);
		if (!c || !crosses_call(c, 1u << WV_RAX | 1u << WV_RDX, WV_LENT) || loc_order(&c->loc) + 1 <= last)
			return proof_malformed(r, "a claim about a result");
		last = loc_order(&c->loc) + 1;
	}
	return true;
}

static bool parse_functions(struct reader *r)
{
	for (uint32_t i = 0; i < r->p->n_functions; i++) {
		struct wv_function *f = &r->p->functions[i];
		*f = (struct wv_function){0};
		if (!read_u(&r->in, &f->entry) || f->entry >= r->m->text_bytes.n)
			return proof_malformed(r, "a function's address");
		if (!parse_contract(r, f) || !parse_loops(r, f) || !parse_cursors(r, f) || !parse_blocks(r, i, f))
			return false;
	}
	return r->in.n == 0 || proof_malformed(r, "bytes after the last function");
}

size_t wv_proof_arena(const struct wv_module *m)
{
	size_t n = m->proof.n;
	return (n / LOOP + 1) * sizeof(struct wv_loop) + (n / COUNTED + 1) * sizeof(struct wv_ghost) +
	       (n / CURSOR + 1) * sizeof(struct wv_nest_cursor) + (n / BLOCK + 1) * sizeof(struct wv_block) +
	       (n / FUNCTION + 1) * sizeof(struct wv_function) + (n / CLAIM + 1) * sizeof(struct wv_claim) +
	       (n / DISTANCE + 1) * sizeof(struct wv_distance_claim) +
	       (n / CLAIM_OF_FACTS + 2) * sizeof(struct wv_facts);
}

static void lay_out(struct wv_proof *p, size_t n, void *arena)
{
	p->loops = arena;
	p->ghosts = (struct wv_ghost *)(p->loops + n / LOOP + 1);
	p->cursors = (struct wv_nest_cursor *)(p->ghosts + n / COUNTED + 1);
	p->blocks = (struct wv_block *)(p->cursors + n / CURSOR + 1);
	p->functions = (struct wv_function *)(p->blocks + n / BLOCK + 1);
	p->claims = (struct wv_claim *)(p->functions + n / FUNCTION + 1);
	p->distances = (struct wv_distance_claim *)(p->claims + n / CLAIM + 1);
	p->facts = (struct wv_facts *)(p->distances + n / DISTANCE + 1);
}

static bool check_header(struct reader *r)
{
	const struct wv_module *m = r->m;
	if (!m->proof.p) {
		wv_report(r->sink, WARD_RULE_PROOF, 0, "proof-missing", "the module has no section .ward.proof");
		return false;
	}
	if (m->proof.n > 64 * m->text_bytes.n + 4096) { /* memory for the check is sized from the proof */
		wv_report(r->sink, WARD_RULE_PROOF, 0, "proof-too-large",
			"the proof has %zu bytes for %zu bytes of text; 64 a byte and 4096 more are allowed",
			m->proof.n, m->text_bytes.n);
		return false;
	}
	if (m->proof.n < 14 || memcmp(m->proof.p, "WPRF", 4) != 0 || m->proof.p[4] < 1 || m->proof.p[4] > 2)
		return proof_malformed(r, "it must start with \"WPRF\" and version 1 or 2");
	r->version = r->p->version = m->proof.p[4];
	uint64_t seal;
	memcpy(&seal, m->proof.p + 5, 8);
	struct wv_bytes rest = {m->proof.p + 13, m->proof.n - 13};
	if (seal != wv_module_seal(m, rest)) {
		wv_report(r->sink, WARD_RULE_SEAL, 0, "seal-mismatch",
			"the proof was made for another module, or one of them was changed since");
		return false;
	}
	r->in = rest;
	return true;
}

bool wv_proof_parse(struct wv_proof *p, const struct wv_module *m, void *arena, struct wv_sink *sink)
{
	struct reader r = {.in = m->proof, .m = m, .sink = sink, .p = p};
	*p = (struct wv_proof){0};
	if (!check_header(&r))
		return false;
	lay_out(p, m->proof.n, arena);
	wv_claim_reader_init(&r.claims, p->facts);
	if (!read_u32(&r.in, r.in.n / FUNCTION, &p->n_functions) || p->n_functions == 0)
		return proof_malformed(&r, "the number of functions");
	return parse_functions(&r);
}
