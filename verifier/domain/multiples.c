/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilers multiply an array index rcx by an element size of 14 bytes without a multiplication:
 *
 *	mov  rax, rcx
 *	shl  rax, 4
 *	add  rcx, rcx
 *	sub  rax, rcx             16 · x - 2 · x
 *
 * Intervals alone don't relate the two: if x is in [0, 49], the difference would lie between -98 and 784. So the
 * context remembers the last few numbers that are a constant times another number, x. All of them are integers: a
 * product that may have wrapped around isn't remembered. So one multiple of x less a smaller multiple of the same x
 * is x times the difference of their factors; and x is at most what is known of the first multiple, divided by its
 * factor.
 */
#include "multiples.h"

/* What a number is a multiple of, at least of itself, and what is added to that. */
static uint64_t scaled_from(const struct wv_ctx *ctx, const struct wv_val *v, struct wv_scaled *is)
{
	for (unsigned i = 0; i < ctx->n_scaled && i < WV_MAX_SCALED; i++) {
		if (ctx->scaled[i].sym == v->sym) {
			*is = ctx->scaled[i];
			return v->add;
		}
	}
	*is = (struct wv_scaled){v->sym, v->sym, v->add, 1};
	return 0;
}

static bool share_number(const struct wv_scaled *x, const struct wv_scaled *y)
{
	return x->of == y->of && x->add == y->add;
}

/* The symbol of `r` is `factor` times what *is is a multiple of. */
static void note_scaled(struct wv_ctx *ctx, const struct wv_scaled *is, uint64_t factor, const struct wv_val *r)
{
	if (factor <= UINT32_MAX)
		ctx->scaled[ctx->n_scaled++ % WV_MAX_SCALED] =
			(struct wv_scaled){r->sym, is->of, is->add, (uint32_t)factor};
}

void wv_scaled_left(struct wv_ctx *ctx, unsigned width, const struct wv_val *v, unsigned count, const struct wv_val *r)
{
	struct wv_scaled x;
	if (count >= 32 || v->n.umax > UINT64_MAX >> (64 - width) >> count || r->add != 0)
		return;
	if (scaled_from(ctx, v, &x) == 0)
		note_scaled(ctx, &x, (uint64_t)x.factor << count, r);
}

static bool is_number(const struct wv_val *v)
{
	return v && v->kind == WV_NUM;
}

static bool is_exact_pointer(const struct wv_val *v)
{
	return v && v->kind == WV_PTR && wv_num_is_const(&v->n);
}

/* a + b·scale has no more than so many bits. */
static bool sum_fits(unsigned width, const struct wv_val *a, const struct wv_val *b, unsigned scale)
{
	uint64_t greatest = UINT64_MAX >> (64 - width), least = a ? a->n.umax : 0;
	return least <= greatest && b->n.umax <= (greatest - least) / scale;
}

/* The offset of an exact pointer is a constant that is added to the multiple. */
void wv_scaled_sum(struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, unsigned scale,
	const struct wv_val *r)
{
	struct wv_scaled x = {0}, y;
	bool moves = is_exact_pointer(a);
	uint64_t rest = moves ? a->n.umin : 0;
	if (width < 32 || !is_number(b) || (a && !moves && !is_number(a)) || r->kind != (moves ? WV_PTR : WV_NUM) ||
		r->add != rest || !sum_fits(width, moves ? NULL : a, b, scale))
		return;
	if (scaled_from(ctx, b, &y) != 0 || (is_number(a) && scaled_from(ctx, a, &x) != 0))
		return;
	if (!is_number(a) || share_number(&x, &y))
		note_scaled(ctx, &y, x.factor + (uint64_t)y.factor * scale, r);
}

/* v less `rest` is at most this. */
static uint64_t greatest_above(const struct wv_val *v, uint64_t rest)
{
	struct wv_num by = wv_num_const(rest), n = wv_num_binary(WV_SUB, 64, &v->n, &by);
	return n.umax;
}

/* v less `rest` is at most `most`. */
static void bound_above(struct wv_val *v, uint64_t rest, uint64_t most)
{
	struct wv_num by = wv_num_const(rest), is = wv_num_range(0, most), n = v->n;
	is = wv_num_binary(WV_ADD, 64, &is, &by);
	if (wv_num_meet(&n, &is))
		v->n = n;
}

void wv_scaled_difference(
	struct wv_ctx *ctx, unsigned width, const struct wv_val *a, const struct wv_val *b, struct wv_val *r)
{
	struct wv_scaled x, y;
	if (width < 32 || !is_number(b) || (a->kind != WV_NUM && a->kind != WV_PTR) || r->kind != a->kind)
		return;
	uint64_t rest = scaled_from(ctx, a, &x);
	if (scaled_from(ctx, b, &y) != 0 || !share_number(&x, &y) || x.factor <= y.factor || (rest != 0 && width < 64))
		return;
	uint64_t factor = x.factor - y.factor;
	bound_above(r, rest, greatest_above(a, rest) / x.factor * factor);
	if (rest == 0 && r->add == 0)
		note_scaled(ctx, &x, factor, r);
}
