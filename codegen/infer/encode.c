/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a proof that the verifier's reader has parsed, and that may have been changed in place since. What is
 * written must read back as it stands here. The reader narrows the ends of a number, and may bring them closer than
 * they were; settle_read finds the number that no longer changes.
 */
#include "encode.h"

/*
 * What the verifier's reader makes of the views of `n` that are written: its ends may be closer, for they are settled
 * once more.
 */
static struct wv_num as_read(uint16_t which, const struct wv_num *n, unsigned width, const struct wv_num *from)
{
	struct wv_num any = wv_num_any(), got = any;
	got.umin = which & WV_FACT_U64 ? n->umin : any.umin;
	got.umax = which & WV_FACT_U64 ? n->umax : any.umax;
	got.smin = which & WV_FACT_S64 ? n->smin : any.smin;
	got.smax = which & WV_FACT_S64 ? n->smax : any.smax;
	got.lumin = which & WV_FACT_U32 ? n->lumin : any.lumin;
	got.lumax = which & WV_FACT_U32 ? n->lumax : any.lumax;
	got.lsmin = which & WV_FACT_S32 ? n->lsmin : any.lsmin;
	got.lsmax = which & WV_FACT_S32 ? n->lsmax : any.lsmax;
	got.known = which & WV_FACT_BITS ? n->known : any.known;
	got.bits = which & WV_FACT_BITS ? n->bits : any.bits;
	got.mod = which & WV_FACT_MOD ? n->mod : any.mod;
	got.rem = which & WV_FACT_MOD ? n->rem : any.rem;
	bool read = width == 32 ? wv_num_meet(&got, from) : wv_num_sync(&got);
	/* ends can cross as they are settled, where no number has the remainder */
	return read && wv_num_valid(&got) ? got : *from;
}

enum { READINGS = 8 };

bool settle_read(struct wv_facts *f, uint16_t which)
{
	struct wv_num from = f->width == 32 ? wv_num_range(0, UINT32_MAX) : wv_num_any(), last = f->n;
	f->n = as_read(which, &last, f->width, &from);
	for (int i = 0; i < READINGS && !wv_num_within(&last, &f->n); i++) {
		last = f->n;
		f->n = as_read(which, &last, f->width, &from);
	}
	return wv_num_within(&last, &f->n);
}

static void put_claimed(struct bytes *b, const struct wv_claim *c)
{
	put_loc(b, c->loc);
	put_u8(b, c->kind);
	if (c->kind == WV_CLAIM_SAVED || c->kind == WV_CLAIM_POINTER)
		put_u8(b, c->region);
	if (c->kind == WV_CLAIM_BYTES)
		put_u8(b, c->mask);
	if (c->kind == WV_CLAIM_NUMBER || c->kind == WV_CLAIM_POINTER)
		put_facts(b, c->facts);
}

static void put_block(struct bytes *b, const struct wv_block *block)
{
	put_u(b, block->addr);
	put_u(b, block->depth | (block->xmm != 0));
	if (block->xmm)
		put_u(b, block->xmm);
	put_u(b, block->n_claims);
	for (uint32_t i = 0; i < block->n_claims; i++)
		put_claimed(b, &block->claims[i]);
	put_u(b, block->n_distances);
	for (uint32_t i = 0; i < block->n_distances; i++) {
		const struct wv_distance_claim *d = &block->distances[i];
		put_loc(b, d->a);
		put_loc(b, d->b);
		put_u8(b, d->mixed);
		put_s(b, d->scale);
		put_facts(b, d->facts);
	}
}

static void put_loop(struct bytes *b, const struct wv_function *f, const struct wv_loop *l)
{
	put_u(b, l->head);
	put_u(b, l->end);
	put_u8(b, l->view);
	put_loc(b, l->rank);
	put_s(b, l->step);
	put_u(b, l->n_ghosts - 1);
	for (uint32_t g = l->first_ghost + 1; g < l->first_ghost + l->n_ghosts; g++) {
		put_loc(b, f->ghosts[g].loc);
		put_s(b, f->ghosts[g].stride);
	}
}

static void put_cursor(struct bytes *b, const struct wv_function *f, uint32_t cursor)
{
	uint32_t n = 0;
	for (uint32_t l = 0; l < f->n_loops; l++)
		n += f->loops[l].cursor == cursor + 1;
	put_u(b, f->cursors[cursor].owner);
	put_u(b, n);
	for (uint32_t l = 0; l < f->n_loops; l++) {
		if (f->loops[l].cursor == cursor + 1) {
			put_u(b, l);
			put_u8(b, f->loops[l].alone);
		}
	}
}

static void put_function(struct bytes *b, const struct wv_function *f)
{
	uint32_t lent = WV_MAX_LENT;
	while (lent && !f->lent[lent - 1].size)
		lent--;
	put_u(b, f->entry);
	put_u(b, f->keeps);
	put_u(b, lent);
	for (uint32_t i = 0; i < lent; i++) {
		put_u(b, f->lent[i].size);
		put_u8(b, f->lent[i].writable);
	}
	put_u(b, f->n_results);
	for (uint32_t i = 0; i < f->n_results; i++)
		put_claimed(b, &f->results[i]);
	put_u(b, f->n_loops);
	for (uint32_t i = 0; i < f->n_loops; i++)
		put_loop(b, f, &f->loops[i]);
	if (b->version > 1)
		put_u(b, f->n_cursors);
	for (uint32_t i = 0; i < f->n_cursors; i++)
		put_cursor(b, f, i);
	put_u(b, f->n_blocks);
	for (uint32_t i = 0; i < f->n_blocks; i++)
		put_block(b, &f->blocks[i]);
}

void put_proof(struct bytes *b, const struct wv_proof *p)
{
	b->version = p->version;
	put_u(b, p->n_functions);
	for (uint32_t i = 0; i < p->n_functions; i++)
		put_function(b, &p->functions[i]);
}
