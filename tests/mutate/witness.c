/* SPDX-License-Identifier: Apache-2.0 */
#include "witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

static const unsigned callee_saved =
	1u << WV_RBX | 1u << WV_RBP | 1u << WV_R12 | 1u << WV_R13 | 1u << WV_R14 | 1u << WV_R15;

bool witness_open(struct witness *w, const void *file, size_t size)
{
	struct wv_sink silent = {0};
	memset(w, 0, sizeof(*w));
	if (!wv_module_parse(&w->module, file, size, 1u << 28, &silent))
		return false;
	w->arena = malloc(wv_proof_arena(&w->module));
	w->block_at = calloc(w->module.text_bytes.n + 1, sizeof(*w->block_at));
	w->frame = malloc(WITNESS_FRAMES * sizeof(*w->frame));
	if (!w->arena || !w->block_at || !w->frame || !wv_proof_parse(&w->proof, &w->module, w->arena, &silent))
		return false;
	for (uint32_t i = 0; i < w->proof.n_blocks; i++)
		w->block_at[w->proof.blocks[i].addr] = i + 1;
	return true;
}

void witness_begin(struct witness *w, uint64_t text, const uint64_t base[WV_LENT])
{
	w->text = text;
	memcpy(w->base, base, sizeof(w->base));
	w->n_frames = 0;
}

/* ---- Values ---- */

/* One place where control is: the registers there, and the function's frame. */
struct place {
	struct witness *w;
	struct witness_frame *fr;
	const uint64_t *reg;
};

static uint64_t contents(const struct place *p, const struct wv_loc *loc, unsigned bytes)
{
	uint64_t v = 0;
	if (!loc->slot)
		return p->reg[loc->reg];
	memcpy(&v, (const void *)(p->fr->rsp - 8u * loc->slot), bytes);
	return v;
}

static uint64_t base_of(const struct place *p, unsigned region)
{
	return region >= WV_LENT    ? p->fr->window[region - WV_LENT]
	       : region == WV_STACK ? p->fr->rsp
				    : p->w->base[region];
}

/* The number, or the offset, that is claimed something of. False: nothing is. */
static bool claimed_number(const struct place *p, const struct wv_claim *c, uint64_t *v)
{
	*v = contents(p, &c->loc, c->facts->width == 32 ? 4 : 8);
	if (c->kind == WV_CLAIM_POINTER)
		*v -= base_of(p, c->region);
	return c->kind == WV_CLAIM_NUMBER || c->kind == WV_CLAIM_POINTER;
}

static const struct wv_claim *claim_of(const struct wv_block *b, const struct wv_loc *loc)
{
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		if (c->loc.reg == loc->reg && c->loc.slot == loc->slot)
			return c;
	}
	return NULL;
}

static bool wrong(struct witness *w, const char *what, const struct wv_loc *loc)
{
	if (loc && loc->slot)
		snprintf(w->why, sizeof(w->why), "%s, of stack-%u", what, loc->slot * 8);
	else
		snprintf(w->why, sizeof(w->why), "%s%s%s", what, loc ? ", of " : "",
			loc ? ward_register_name(loc->reg) : "");
	return false;
}

/* ---- Claims ---- */

/* `start`: what is claimed of the number counts too; of a counted location it doesn't where the loop goes round. */
static bool claim_is_true(const struct place *p, const struct wv_claim *c, bool start)
{
	uint64_t v;
	const struct wv_facts *f = c->facts;
	if (c->kind == WV_CLAIM_SAVED && contents(p, &c->loc, 8) != p->fr->reg[c->region])
		return wrong(p->w, "a register that is claimed to be saved isn't", &c->loc);
	if (!claimed_number(p, c, &v))
		return true;
	if (start && !num_means(&f->n, v))
		return wrong(p->w,
			c->kind == WV_CLAIM_POINTER ? "what is claimed of a pointer is false"
						    : "what is claimed of a number is false",
			&c->loc);
	if ((f->which & WV_FACT_GHOST) && f->of < WITNESS_GHOSTS && p->fr->known[f->of] &&
		v != p->fr->ghost[f->of] + f->add)
		return wrong(p->w, "it has moved otherwise than claimed since the loop's last iteration", &c->loc);
	return true;
}

/* Members of a group are as far apart as their constants. */
static bool groups_are_true(const struct place *p, const struct wv_block *b)
{
	static uint64_t value[WV_MAX_CLAIMS];
	static bool known[WV_MAX_CLAIMS];
	memset(known, 0, b->n_groups * sizeof(*known));
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		uint64_t v;
		uint32_t g = c->facts->of;
		if (!(c->facts->which & WV_FACT_GROUP) || !claimed_number(p, c, &v))
			continue;
		if (known[g] && v - c->facts->add != value[g])
			return wrong(p->w, "it is not as much as what it is claimed to be as much as", &c->loc);
		known[g] = true;
		value[g] = v - c->facts->add;
	}
	return true;
}

static bool distances_are_true(const struct place *p, const struct wv_block *b)
{
	for (const struct wv_distance_claim *d = b->distances; d < b->distances + b->n_distances; d++) {
		const struct wv_claim *ca = claim_of(b, &d->a), *cb = claim_of(b, &d->b);
		uint64_t x, y;
		if (!ca || !cb || !claimed_number(p, ca, &x) || !claimed_number(p, cb, &y))
			continue;
		bool pointer_a = ca->kind == WV_CLAIM_POINTER, pointer_b = cb->kind == WV_CLAIM_POINTER;
		bool means = d->mixed ? !pointer_a && pointer_b
				      : pointer_a == pointer_b &&
						(!pointer_a || (d->scale == 1 && ca->region == cb->region));
		if (means && !num_means(&d->facts->n, y - (uint64_t)(int64_t)d->scale * x))
			return wrong(p->w, "a distance is not what is claimed", &d->b);
	}
	return true;
}

/* ---- Cursors ---- */

static bool is_near(int64_t v)
{
	return v >= -(INT64_C(1) << 60) && v <= INT64_C(1) << 60;
}

/* Is v ahead of the cursor by at least so much? */
static bool is_ahead(const struct place *p, uint32_t cursor, uint64_t v, int64_t by)
{
	int64_t at = p->fr->cursor[cursor], to = (int64_t)v;
	return is_near(to) && (p->fr->f->cursors[cursor].down ? at - to : to - at) >= by;
}

/* At a loop's head: cursors begin that the loop owns, and the one that it shares is now where the loop is. */
static bool cursors_move(const struct place *p, uint32_t l, bool back)
{
	const struct wv_function *f = p->fr->f;
	const struct wv_loop *loop = &f->loops[l];
	const struct wv_claim *c = claim_of(&f->blocks[loop->head], &loop->rank);
	uint64_t v;
	for (uint32_t i = 0; i < f->n_cursors && i < WITNESS_CURSORS && !back; i++) {
		if (f->cursors[i].owner == l)
			p->fr->cursor[i] = f->cursors[i].down ? INT64_C(1) << 60 : -(INT64_C(1) << 60);
	}
	if (!loop->cursor || loop->cursor > WITNESS_CURSORS)
		return true;
	if (!c || !claimed_number(p, c, &v) ||
		!is_ahead(p, loop->cursor - 1, v, back && loop->alone ? llabs(loop->step) : 0))
		return wrong(p->w, "a cursor has moved back, or less far than claimed", &loop->rank);
	p->fr->cursor[loop->cursor - 1] = (int64_t)v;
	return true;
}

static bool leads_are_true(const struct place *p, const struct wv_block *b)
{
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		uint64_t v;
		if ((c->facts->which & WV_FACT_LEAD) && c->facts->cursor < WITNESS_CURSORS &&
			(!claimed_number(p, c, &v) || !is_ahead(p, c->facts->cursor, v, c->facts->ahead)))
			return wrong(p->w, "it is not as far ahead of a cursor as claimed", &c->loc);
	}
	return true;
}

/* ---- Loops ---- */

/* The loop that the block heads, or WV_NO_LOOP. */
static uint32_t headed(const struct wv_function *f, uint32_t index)
{
	uint32_t l = f->blocks[index].loop;
	return l != WV_NO_LOOP && f->loops[l].head == index ? l : WV_NO_LOOP;
}

/*
 * At a loop's head: it has gone round no more often than it may, counted locations have moved by their strides; and
 * what they hold is remembered.
 */
static bool go_round(const struct place *p, uint32_t l, bool back)
{
	const struct wv_function *f = p->fr->f;
	const struct wv_loop *loop = &f->loops[l];
	if (l < WITNESS_GHOSTS) {
		p->fr->rounds[l] = back ? p->fr->rounds[l] + 1 : 0;
		if (back && (!loop->claim || p->fr->rounds[l] > loop->back_edges))
			return wrong(p->w, "a loop goes round more often than its proof allows", NULL);
	}
	for (uint32_t g = loop->first_ghost; g < loop->first_ghost + loop->n_ghosts && g < WITNESS_GHOSTS; g++) {
		const struct wv_ghost *ghost = &f->ghosts[g];
		const struct wv_claim *c = claim_of(&f->blocks[loop->head], &ghost->loc);
		uint64_t v = 0;
		bool known = c && claimed_number(p, c, &v);
		if (known && back && ghost->stride && p->fr->known[g] && v != p->fr->ghost[g] + (uint64_t)ghost->stride)
			return wrong(p->w, "a counted location hasn't moved by its stride", &ghost->loc);
		p->fr->known[g] = known;
		p->fr->ghost[g] = v;
	}
	return true;
}

static bool is_counted(const struct wv_function *f, uint32_t l, const struct wv_loc *loc)
{
	for (uint32_t g = f->loops[l].first_ghost; g < f->loops[l].first_ghost + f->loops[l].n_ghosts; g++) {
		if (f->ghosts[g].stride && f->ghosts[g].loc.reg == loc->reg && f->ghosts[g].loc.slot == loc->slot)
			return true;
	}
	return false;
}

/* ---- Blocks and functions ---- */

static bool block_is_true(const struct place *p, uint32_t index)
{
	const struct wv_function *f = p->fr->f;
	const struct wv_block *b = &f->blocks[index];
	uint32_t l = headed(f, index);
	bool back = index > 0 && p->fr->last >= index;
	unsigned claimed = 0;
	if (p->reg[WV_RSP] != p->fr->rsp - b->depth)
		return wrong(p->w, "rsp is not where it is claimed to be", NULL);
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		claimed |= c->loc.slot ? 0 : 1u << c->loc.reg;
		if (!claim_is_true(p, c, !(back && l != WV_NO_LOOP && is_counted(f, l, &c->loc))))
			return false;
	}
	for (unsigned r = 0; r < WV_NREG; r++) {
		if ((callee_saved & ~claimed) >> r & 1 && p->reg[r] != p->fr->reg[r])
			return wrong(p->w, "a register of which nothing is claimed isn't what it was at the entry",
				&(struct wv_loc){.reg = (uint8_t)r});
	}
	p->fr->last = index;
	return groups_are_true(p, b) && distances_are_true(p, b) &&
	       (l == WV_NO_LOOP || (go_round(p, l, back) && cursors_move(p, l, back))) && leads_are_true(p, b);
}

static bool enter(struct witness *w, const struct wv_function *f, const uint64_t *reg)
{
	if (w->n_frames == WITNESS_FRAMES)
		return wrong(w, "more functions call one another than the stack has room for", NULL);
	struct witness_frame *fr = &w->frame[w->n_frames++];
	fr->f = f;
	fr->rsp = reg[WV_RSP];
	fr->last = 0;
	memcpy(fr->reg, reg, sizeof(fr->reg));
	memset(fr->known, 0, sizeof(fr->known));
	memset(fr->rounds, 0, sizeof(fr->rounds));
	for (const struct wv_claim *c = f->blocks[0].claims; c < f->blocks[0].claims + f->blocks[0].n_claims; c++) {
		if (c->kind == WV_CLAIM_POINTER && c->region >= WV_LENT)
			fr->window[c->region - WV_LENT] = reg[c->loc.reg];
	}
	return true;
}

/* What a proof claims of an import's stub means nothing: its calls are those of the import. */
static bool is_stub(const struct witness *w, const struct wv_function *f)
{
	uint32_t import;
	return wv_module_stub(&w->module, f->entry, &import);
}

/* What the contract says of a return. */
static bool leave(struct witness *w, const uint64_t *reg)
{
	struct witness_frame *fr = &w->frame[--w->n_frames];
	struct place p = {w, fr, reg};
	if (is_stub(w, fr->f))
		return true;
	for (const struct wv_claim *c = fr->f->results; c < fr->f->results + fr->f->n_results; c++) {
		if (!claim_is_true(&p, c, true))
			return false;
	}
	for (unsigned r = 0; r < WV_NREG; r++) {
		if (((fr->f->keeps | callee_saved) >> r & 1) && reg[r] != fr->reg[r])
			return wrong(w, "a function has changed a register that it keeps",
				&(struct wv_loc){.reg = (uint8_t)r});
	}
	return true;
}

/*
 * Functions that have returned: their return addresses are below rsp. One that goes on in another function returns with
 * it.
 */
static bool leave_all(struct witness *w, const uint64_t *reg)
{
	while (w->n_frames && reg[WV_RSP] > w->frame[w->n_frames - 1].rsp) {
		if (!leave(w, reg))
			return false;
	}
	return true;
}

static bool step(struct witness *w, uint64_t rip, const uint64_t *reg)
{
	uint32_t at = w->block_at[rip - w->text];
	if (!leave_all(w, reg))
		return false;
	if (!at)
		return true;
	const struct wv_block *b = &w->proof.blocks[at - 1];
	const struct wv_function *f = &w->proof.functions[b->function];
	if (b == f->blocks && !enter(w, f, reg))
		return false;
	if (!w->n_frames || w->frame[w->n_frames - 1].f != f)
		return wrong(w, "control came into a function past its start", NULL);
	struct place p = {w, &w->frame[w->n_frames - 1], reg};
	return is_stub(w, f) || block_is_true(&p, (uint32_t)(b - f->blocks));
}

const char *witness_step(struct witness *w, uint64_t rip, const uint64_t reg[WV_NREG])
{
	return step(w, rip, reg) ? NULL : w->why;
}

const char *witness_end(struct witness *w, const uint64_t reg[WV_NREG])
{
	return leave_all(w, reg) ? NULL : w->why;
}
