/* SPDX-License-Identifier: Apache-2.0 */
#include "contract.h"

#include <string.h>

#include "verifier/step/step.h"

static const uint8_t scratch[] = {WV_RAX, WV_RCX, WV_RDX, WV_RSI, WV_RDI, WV_R8, WV_R9, WV_R10, WV_R11};
enum { N_SCRATCH = sizeof scratch };

struct contract *contract_at(const struct contracts *cs, uint64_t entry)
{
	return entry < cs->text && cs->at[entry] ? &cs->v[cs->at[entry] - 1] : NULL;
}

/* ---- what is passed ---- */

/*
 * How many bytes from a stack pointer on can be passed as a window: those set by the probe, up to the end of the
 * frame.
 */
static uint32_t lendable_stack(const struct wv_state *st, const struct wv_val *v)
{
	if (!wv_num_is_const(&v->n) || v->n.smin < -(int64_t)st->depth || v->n.smin >= 0)
		return 0;
	uint32_t start = (uint32_t)-v->n.smin, below = start; /* the entry's rsp */
	for (uint32_t slot = (below + 7) / 8; slot && slot <= st->n_slots; slot--) {
		unsigned left = below - (slot - 1) * 8, set = st->slot[slot - 1].init >> (8 - left),
			 n = (unsigned)__builtin_ctz(~set);
		below -= n;
		if (n < left)
			break;
	}
	return start - below;
}

/* How much of the memory behind a pointer a caller can pass as a window, and with which rights. False: none. */
static bool window_behind(
	const struct wv_ctx *ctx, const struct wv_state *st, const struct wv_val *v, struct wv_window *w)
{
	const struct wv_module *m = ctx->module;
	uint64_t size;
	w->writable = v->region != WV_EVENT && v->region != WV_RODATA;
	switch (v->region) {
	case WV_STACK: w->size = lendable_stack(st, v); return w->size != 0;
	case WV_EVENT: size = m->event_size; break;
	case WV_STATE: size = m->state_size; break;
	case WV_RODATA: size = m->rodata.memsz; break;
	case WV_DATA: size = m->data.memsz; break;
	default:
		size = ctx->lent[v->region - WV_LENT].size;
		w->writable = ctx->lent[v->region - WV_LENT].writable;
		break;
	}
	if (v->n.umax >= size)
		return false;
	w->size = (uint32_t)(size - v->n.umax);
	return true;
}

/* The same for what a register passes, of which no more than `most` bytes are needed. */
static bool window_needed(
	const struct wv_ctx *ctx, const struct wv_state *st, const struct wv_val *v, uint32_t most, struct wv_window *w)
{
	if (!window_behind(ctx, st, v, w))
		return false;
	if (most && w->size > most)
		w->size = most;
	return true;
}

/*
 * What one register passes: a number, a pointer into a region that means the same on both sides, or the start of a
 * window.
 */
static struct wv_val passed_value(
	struct wv_ctx *ctx, struct contract *c, const struct wv_state *st, unsigned reg, bool force_window)
{
	struct wv_val v = st->reg[reg], old = c->in[reg];
	struct wv_window w;
	if (v.kind == WV_NUM && v.init == 64)
		return v;
	if (v.kind != WV_PTR)
		return wv_val_uninit();
	if (v.region != WV_STACK && v.region < WV_LENT && !force_window)
		return v;
	uint32_t i = old.kind == WV_PTR && old.region >= WV_LENT ? (uint32_t)(old.region - WV_LENT) : c->n_lent;
	if (i == WV_MAX_LENT || !window_needed(ctx, st, &v, c->most[reg], &w))
		return wv_val_uninit();
	if (i == c->n_lent) {
		c->lent[c->n_lent++] = w;
	} else {
		c->lent[i].size = w.size < c->lent[i].size ? w.size : c->lent[i].size;
		c->lent[i].writable &= w.writable;
	}
	return wv_val_pointer(ctx, (enum wv_region)(WV_LENT + i), 0);
}

static bool is_window(const struct wv_val *v)
{
	return v->kind == WV_PTR && v->region >= WV_LENT;
}

static struct wv_val join_passed(const struct wv_val *a, const struct wv_val *b)
{
	struct wv_val r = *a;
	bool a_own = a->kind == WV_NUM || a->kind == WV_PTR, b_own = b->kind == WV_NUM || b->kind == WV_PTR;
	if (!a_own || !b_own || is_window(a) != is_window(b))
		return wv_val_uninit();
	if (a->kind == b->kind && (a->kind == WV_NUM || a->region == b->region)) {
		r.n = wv_num_join(&a->n, &b->n);
		return r;
	}
	r.kind = WV_NUM;
	r.init = 64;
	r.n = wv_num_any();
	return is_window(a) ? wv_val_uninit() : r;
}

/* Earlier calls passed a pointer into a region, and this one passes a window: so all must pass a window. */
static void make_window(
	struct wv_ctx *ctx, struct contract *c, const struct wv_state *st, unsigned reg, const struct wv_val *window)
{
	struct wv_val *old = &c->in[reg];
	struct wv_window w, *lent = &c->lent[window->region - WV_LENT];
	if (old->kind != WV_PTR || is_window(old) || !window_needed(ctx, st, old, c->most[reg], &w))
		return;
	lent->size = w.size < lent->size ? w.size : lent->size;
	lent->writable &= w.writable;
	*old = *window;
}

/*
 * If one caller passes its stack and another a region, both pass a window. What an entry gets from the host is never
 * a window.
 */
static void contract_collect(struct wv_ctx *ctx, struct contract *c, const struct wv_state *st)
{
	for (unsigned i = 0; i < N_SCRATCH; i++) {
		unsigned r = scratch[i];
		bool window = c->called && is_window(&c->in[r]);
		if (c->is_entry && st->reg[r].kind == WV_PTR &&
			(st->reg[r].region == WV_STACK || st->reg[r].region >= WV_LENT)) {
			c->in[r] = wv_val_uninit();
			continue;
		}
		struct wv_val v = passed_value(ctx, c, st, r, window);
		if (c->called && is_window(&v))
			make_window(ctx, c, st, r, &v);
		c->in[r] = c->called ? join_passed(&c->in[r], &v) : v;
	}
	c->called = true;
}

/* ---- effects ---- */

static void smudge_windows(struct wv_state *st, const struct contract *c)
{
	for (unsigned i = 0; i < N_SCRATCH; i++) {
		const struct wv_val *want = &c->in[scratch[i]], *has = &st->reg[scratch[i]];
		if (!is_window(want) || has->kind != WV_PTR || has->region != WV_STACK || !wv_num_is_const(&has->n))
			continue;
		int64_t lowest = -8 * (int64_t)st->n_slots, lo = has->n.smin > lowest ? has->n.smin : lowest,
			size = c->lent[want->region - WV_LENT].size;
		if (lo >= 0 || has->n.smin >= INT64_MAX - size || has->n.smin + size <= lo)
			continue;
		int64_t last = has->n.smin + size - 1 < -1 ? has->n.smin + size - 1 : -1;
		for (int64_t slot = (-last + 7) / 8; slot <= (-lo + 7) / 8; slot++)
			st->slot[slot - 1].width = 0;
	}
}

void contract_call(struct wv_ctx *ctx, struct contracts *cs, uint64_t callee, struct wv_state *st)
{
	struct contract *c = contract_at(cs, callee);
	if (c && cs->collecting)
		contract_collect(ctx, c, st);
	if (c && !cs->first)
		smudge_windows(st, c);
	wv_state_after_call(st, c ? c->keeps : 0);
	for (unsigned i = 0; c && i < 2; i++) {
		struct wv_val *out = &st->reg[i ? WV_RDX : WV_RAX];
		struct wv_num any = wv_num_any();
		if (c->keeps >> (i ? WV_RDX : WV_RAX) & 1)
			continue;
		if (cs->collecting && !c->returns) { /* not known yet */
			*out = wv_val_number(ctx, &any);
		} else if (c->returns && c->out[i].kind != WV_UNINIT) {
			*out = wv_val_number(ctx, &c->out[i].n);
			out->kind = c->out[i].kind;
			out->region = c->out[i].region;
		}
	}
}

void contract_touch(struct contract *own, const struct wv_val *at, uint64_t bytes)
{
	uint64_t *touched, end;
	if (!is_window(at))
		return;
	touched = &own->touched[at->region - WV_LENT];
	if (__builtin_add_overflow(at->n.umax, bytes, &end))
		end = UINT64_MAX;
	*touched = end > *touched ? end : *touched;
}

void contract_pass_on(struct contract *own, const struct contract *callee, const struct wv_state *st)
{
	for (unsigned i = 0; i < N_SCRATCH; i++)
		if (is_window(&callee->in[scratch[i]]))
			contract_touch(
				own, &st->reg[scratch[i]], callee->lent[callee->in[scratch[i]].region - WV_LENT].size);
}

bool contract_trim(struct contract *c, bool first)
{
	bool changed = false;
	for (unsigned i = 0; i < N_SCRATCH; i++) {
		unsigned reg = scratch[i];
		if (!is_window(&c->in[reg]))
			continue;
		uint64_t touched = c->touched[c->in[reg].region - WV_LENT];
		struct wv_window *w = &c->lent[c->in[reg].region - WV_LENT];
		uint32_t most = touched == 0 ? 1 : touched <= UINT32_MAX ? (uint32_t)touched : 0;
		changed |= first || most != c->most[reg];
		c->most[reg] = most;
		if (most && most < w->size)
			w->size = most;
	}
	return changed;
}

void contract_return(struct contract *c, const struct wv_state *st)
{
	for (unsigned i = 0; i < 2; i++) {
		struct wv_val v = st->reg[i ? WV_RDX : WV_RAX];
		if (!wv_val_readable(&v, 64) || (c->keeps >> (i ? WV_RDX : WV_RAX) & 1)) /* what is kept is no result */
			v = wv_val_uninit();
		else if (v.kind == WV_PTR && (v.region == WV_STACK || v.region >= WV_LENT))
			v = (struct wv_val){.kind = WV_NUM, .init = 64, .n = wv_num_any()};
		c->out[i] = c->returns ? join_passed(&c->out[i], &v) : v;
	}
	c->returns = true;
}

void contract_enter(struct wv_ctx *ctx, const struct contract *c, struct wv_state *st)
{
	memcpy(ctx->lent, c->lent, sizeof ctx->lent);
	wv_state_entry(ctx, st);
	if (!c->called)
		return;
	for (unsigned i = 0; i < N_SCRATCH; i++) {
		struct wv_val v = c->in[scratch[i]];
		/* nothing in one register is known to be the same as in another */
		if (v.kind == WV_NUM || v.kind == WV_PTR) {
			struct wv_val fresh = wv_val_number(ctx, &v.n);
			fresh.kind = v.kind;
			fresh.region = v.region;
			v = fresh;
		}
		st->reg[scratch[i]] = v;
	}
}
