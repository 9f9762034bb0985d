/* SPDX-License-Identifier: Apache-2.0 */
#include "draw.h"

uint64_t draw_bits(struct draw *d)
{
	uint64_t z = (d->state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t draw_below(struct draw *d, uint64_t n)
{
	return draw_bits(d) % n;
}

bool draw_one_in(struct draw *d, unsigned n)
{
	return draw_below(d, n) == 0;
}

uint64_t draw_value(struct draw *d)
{
	uint64_t v;
	switch (draw_below(d, 8)) {
	case 0: return draw_below(d, 4);
	case 1: return draw_below(d, 300);
	case 2: return draw_bits(d) >> draw_below(d, 64);
	case 3: return 0 - draw_below(d, 300);
	case 4: return draw_bits(d);
	case 5: /* near a power of two, or near the same below a 64-bit -1 */
		v = (UINT64_C(1) << draw_below(d, 64)) + draw_below(d, 5) - 2;
		return draw_one_in(d, 3) ? 0 - v : v;
	case 6: /* near the end of a width, the upper bits anything */
		v = (UINT64_C(1) << (8 << draw_below(d, 3))) >> draw_below(d, 2);
		return v + draw_below(d, 5) - 2 + (draw_one_in(d, 2) ? draw_bits(d) << 32 : 0);
	default: return (uint64_t)(int64_t)(int32_t)draw_bits(d);
	}
}

/* How far an end of an interval lies from the value: nothing, a little, or a lot. */
static uint64_t draw_distance(struct draw *d)
{
	switch (draw_below(d, 4)) {
	case 0: return 0;
	case 1: return draw_below(d, 20);
	case 2: return draw_bits(d) >> draw_below(d, 64);
	default: return UINT64_MAX;
	}
}

static uint64_t down(uint64_t v, uint64_t by, uint64_t floor)
{
	return by > v - floor ? floor : v - by;
}

static uint64_t up(uint64_t v, uint64_t by, uint64_t ceiling)
{
	return by > ceiling - v ? ceiling : v + by;
}

struct wv_num draw_num(struct draw *d, uint64_t v)
{
	if (draw_one_in(d, 8))
		return wv_num_const(v);
	struct wv_num n = wv_num_any();
	const uint64_t sign = UINT64_C(1) << 63;
	const uint32_t lsign = UINT32_C(1) << 31;
	uint32_t low = (uint32_t)v;
	if (draw_one_in(d, 2)) {
		n.umin = down(v, draw_distance(d), 0);
		n.umax = up(v, draw_distance(d), UINT64_MAX);
	}
	if (draw_one_in(d, 3)) { /* flipping the sign bit turns signed order into unsigned */
		n.smin = (int64_t)(down(v ^ sign, draw_distance(d), 0) ^ sign);
		n.smax = (int64_t)(up(v ^ sign, draw_distance(d), UINT64_MAX) ^ sign);
	}
	if (draw_one_in(d, 3)) {
		n.lumin = (uint32_t)down(low, draw_distance(d), 0);
		n.lumax = (uint32_t)up(low, draw_distance(d), UINT32_MAX);
	}
	if (draw_one_in(d, 3)) {
		n.lsmin = (int32_t)((uint32_t)down(low ^ lsign, draw_distance(d), 0) ^ lsign);
		n.lsmax = (int32_t)((uint32_t)up(low ^ lsign, draw_distance(d), UINT32_MAX) ^ lsign);
	}
	if (draw_one_in(d, 3)) {
		switch (draw_below(d, 3)) {
		case 0: n.known = draw_bits(d) & draw_bits(d); break;
		case 1: n.known = ~(UINT64_MAX >> draw_below(d, 64)); break;
		default: n.known = (UINT64_C(1) << draw_below(d, 64)) - 1; break;
		}
		n.bits = v & n.known;
	}
	if (draw_one_in(d, 3)) { /* strides of the size of elements, powers of two among them, and any number at all */
		uint64_t mod = draw_one_in(d, 4) ? draw_bits(d) >> draw_below(d, 64) : 2 + draw_below(d, 64);
		n.mod = mod > 1 ? mod : 2;
		n.rem = v % n.mod;
	}
	if (draw_one_in(d, 4)) {
		n.mod = draw_one_in(d, 4) ? draw_value(d) : draw_below(d, 40);
		n.rem = n.mod > 1 ? v % n.mod : 0;
	}
	if (!draw_one_in(d, 4) && !wv_num_sync(&n)) /* the caller finds that the value got lost */
		return (struct wv_num){.umin = 1};
	return n;
}

uint64_t draw_member(struct draw *d, const struct wv_num *n, uint64_t value)
{
	uint64_t ends[] = {n->umin, n->umax, (uint64_t)n->smin, (uint64_t)n->smax,
		(value & ~UINT64_C(0xffffffff)) | n->lumin, (value & ~UINT64_C(0xffffffff)) | n->lumax,
		value ^ (draw_bits(d) & ~n->known), value + 1, value - 1, value + n->mod, value - n->mod};
	for (int tries = 0; tries < 3; tries++) {
		uint64_t v = ends[draw_below(d, sizeof(ends) / sizeof(ends[0]))];
		if (num_means(n, v))
			return v;
	}
	return value;
}

bool num_means(const struct wv_num *n, uint64_t v)
{
	int64_t s = (int64_t)v;
	uint32_t low = (uint32_t)v;
	int32_t slow = (int32_t)low;
	if (v < n->umin || v > n->umax || s < n->smin || s > n->smax)
		return false;
	if (low < n->lumin || low > n->lumax || slow < n->lsmin || slow > n->lsmax)
		return false;
	if (n->mod > 1 && v % n->mod != n->rem)
		return false;
	return (v & n->known) == n->bits && (n->mod <= 1 || v % n->mod == n->rem);
}
