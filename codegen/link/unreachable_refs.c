/* SPDX-License-Identifier: Apache-2.0 */
/*
 * References that may stay unresolved where control never comes.
 *
 * Rust's bounds checks call core::panicking, which no module has, with the address of a place in the source that only
 * a loader could relocate. If the check can't fail, neither matters. So a call of something undefined is replaced by
 * ud2, and an unknown address by zero, and both are noted (relocate.c). When the proof exists, the verifier says
 * which blocks control can reach. A noted reference in one of these is then the error that it would have been at
 * once.
 */
#include <stdlib.h>

#include "verifier/check/check.h"
#include "codegen/codegen.h"
#include "image.h"

int cg_leave_open(struct cg_image *im, uint64_t addr, const struct cg_section *section, const struct cg_reloc *reloc)
{
	struct cg_open *grown;

	if (im->n_open == im->cap_open) {
		im->cap_open = im->cap_open ? im->cap_open * 2 : 16;
		grown = realloc(im->open, im->cap_open * sizeof(*grown));
		if (!grown)
			return cg_error(im->report, NULL, "out of memory");
		im->open = grown;
	}
	im->open[im->n_open++] = (struct cg_open){.addr = addr, .section = section, .reloc = reloc};
	return 0;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const struct cg_open *)a)->addr, y = ((const struct cg_open *)b)->addr;

	return (x > y) - (x < y);
}

/* The first open reference at or after an address. */
static size_t find_open(const struct cg_image *im, uint64_t addr)
{
	size_t lo = 0, hi = im->n_open;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (im->open[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct watch {
	struct cg_image *im;
	const struct wv_block *block;
};

static void on_enter(void *user, const struct wv_function *f, const struct wv_block *b, const struct wv_ctx *ctx,
	const struct wv_state *st)
{
	(void)f, (void)ctx, (void)st;
	((struct watch *)user)->block = b;
}

static void on_before(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	struct watch *w = user;
	size_t i;

	(void)st;
	for (i = find_open(w->im, insn->pc); i < w->im->n_open && w->im->open[i].addr < insn->pc + insn->length; i++) {
		w->im->open[i].block = w->block->addr;
		w->im->open[i].candidate = !ctx->dead;
	}
}

/* A block's references stand one after the other. */
static void on_reached(void *user, const struct wv_block *b)
{
	struct cg_image *im = ((struct watch *)user)->im;
	size_t i = find_open(im, im->out[CG_TEXT].addr + b->addr);

	for (; i < im->n_open && im->open[i].block == b->addr; i++)
		im->open[i].reached |= im->open[i].candidate;
}

/*
 * Does control reach a call of something undefined in the block whose first reference this is? Then that is what is
 * wrong, and not the addresses that would be passed to it.
 */
static bool calls_undefined(const struct cg_image *im, size_t first)
{
	for (size_t i = first; i < im->n_open && im->open[i].block == im->open[first].block; i++) {
		if (im->open[i].reached && !cg_is_absolute(im->open[i].reloc->type))
			return true;
	}
	return false;
}

int cg_check_open(struct cg_image *im, const void *file, size_t size)
{
	struct watch w = {.im = im};
	struct wv_watcher watcher = {.enter = on_enter, .before = on_before, .reached = on_reached, .user = &w};
	bool calls = false;
	int bad = 0;
	size_t i;

	if (im->n_open == 0)
		return 0;
	qsort(im->open, im->n_open, sizeof(*im->open), by_address);
	if (!wv_watch(file, size, NULL, &watcher))
		return cg_error(im->report, NULL, "out of memory");
	for (i = 0; i < im->n_open && !cg_said_enough(im->report); i++) {
		const struct cg_open *open = &im->open[i];
		bool again = i > 0 && open[-1].reached && open[-1].reloc == open->reloc;

		if (i == 0 || open[-1].block != open->block)
			calls = calls_undefined(im, i);
		if (open->reached && !again && !(calls && cg_is_absolute(open->reloc->type)))
			bad |= cg_refuse(im, open->section, open->reloc);
	}
	return bad;
}
