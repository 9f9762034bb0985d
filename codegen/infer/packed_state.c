/* SPDX-License-Identifier: Apache-2.0 */
/* Packs states: each value is a header, and behind it the fields that the header lists. */
#include "packed_state.h"

#include <stdlib.h>
#include <string.h>

struct packed {
	uint32_t references, size; /* bytes at `b` */
	uint32_t depth;
	uint16_t half[2], n_slots;
	uint8_t n_distances, n_less;
	uint8_t b[];
};

/* ---- what claims can say ---- */

/* A number that nothing can be is in code that is never reached: nothing is claimed of it (emit.c). */
static void forget_impossible(struct wv_val *v)
{
	if ((v->kind == WV_NUM || v->kind == WV_PTR) && !wv_num_valid(&v->n))
		v->n = wv_num_any();
}

/* What claims can't say isn't known at a block's head. */
void forget_unclaimed(struct wv_state *st)
{
	st->n_choices = st->n_sums = st->n_bounds = st->n_less = st->n_reaches = st->part.sym = 0;
	st->half[0] = st->half[1] = wv_state_xmm(st); /* whole registers */
	for (unsigned r = 0; r < WV_NREG; r++)
		forget_impossible(&st->reg[r]);
	for (uint32_t i = 0; i < st->n_slots; i++) {
		struct wv_slot *s = &st->slot[i];
		if (s->width == 4 && (s->init & 0xf0)) /* bytes beside a value of four are worth more than the value */
			s->width = 0;
		if (s->width)
			forget_impossible(&s->v);
	}
}

/* ---- numbers and values ---- */

/* Bits of a head: the kind is in the lowest two, the region in the next four. */
enum {
	HAS_ADD = 1 << 6,
	HAS_LOW = 1 << 7, /* the low identity is another than that of the whole */
	HAS_UNSIGNED = 1 << 8,
	SHORT_UNSIGNED = 1 << 9, /* in 32 bits */
	HAS_SIGNED = 1 << 10,    /* this and those below: unless the bounds before imply it */
	HAS_LOW_UNSIGNED = 1 << 11,
	HAS_LOW_SIGNED = 1 << 12,
	HAS_BITS = 1 << 13,
	HAS_REMAINDER = 1 << 14,
	HAS_INIT = 1 << 15, /* is not 64 */
	MOST_VALUE = 128,   /* bytes of one value */
};

static void bytes_put(uint8_t **at, const void *p, size_t n)
{
	memcpy(*at, p, n);
	*at += n;
}

static void bytes_get(const uint8_t **at, void *p, size_t n)
{
	memcpy(p, *at, n);
	*at += n;
}

/* The number in which each view is what follows from the unsigned bounds. */
static struct wv_num num_of_bounds(uint64_t umin, uint64_t umax)
{
	struct wv_num n = wv_num_any();
	uint64_t apart = umin ^ umax;
	n.umin = umin;
	n.umax = umax;
	if (umax <= INT64_MAX) {
		n.smin = (int64_t)umin;
		n.smax = (int64_t)umax;
	}
	if (umax <= UINT32_MAX) {
		n.lumin = (uint32_t)umin;
		n.lumax = (uint32_t)umax;
	}
	if (umax <= INT32_MAX) {
		n.lsmin = (int32_t)umin;
		n.lsmax = (int32_t)umax;
	}
	n.known = !apart ? UINT64_MAX : apart >> 63 ? 0 : ~((UINT64_C(2) << (63 - __builtin_clzll(apart))) - 1);
	n.bits = umin & n.known;
	return n;
}

static unsigned put_number(uint8_t **at, const struct wv_num *n)
{
	struct wv_num f = num_of_bounds(n->umin, n->umax);
	unsigned head = 0;
	if (n->umin || n->umax != UINT64_MAX) {
		head |= HAS_UNSIGNED;
		if (n->umin <= UINT32_MAX && n->umax <= UINT32_MAX) {
			uint32_t ends[2] = {(uint32_t)n->umin, (uint32_t)n->umax};
			head |= SHORT_UNSIGNED;
			bytes_put(at, ends, sizeof ends);
		} else {
			bytes_put(at, &n->umin, 16);
		}
	}
	if (n->smin != f.smin || n->smax != f.smax) {
		head |= HAS_SIGNED;
		bytes_put(at, &n->smin, 16);
	}
	if (n->lumin != f.lumin || n->lumax != f.lumax) {
		head |= HAS_LOW_UNSIGNED;
		bytes_put(at, &n->lumin, 8);
	}
	if (n->lsmin != f.lsmin || n->lsmax != f.lsmax) {
		head |= HAS_LOW_SIGNED;
		bytes_put(at, &n->lsmin, 8);
	}
	if (n->known != f.known || n->bits != f.bits) {
		head |= HAS_BITS;
		bytes_put(at, &n->known, 16);
	}
	if (n->mod != f.mod || n->rem != f.rem) {
		head |= HAS_REMAINDER;
		bytes_put(at, &n->mod, 16);
	}
	return head;
}

static void get_number(const uint8_t **at, unsigned head, struct wv_num *n)
{
	uint64_t ends[2] = {0, UINT64_MAX};
	if (head & SHORT_UNSIGNED) {
		uint32_t few[2];
		bytes_get(at, few, sizeof few);
		ends[0] = few[0];
		ends[1] = few[1];
	} else if (head & HAS_UNSIGNED) {
		bytes_get(at, ends, sizeof ends);
	}
	*n = num_of_bounds(ends[0], ends[1]);
	if (head & HAS_SIGNED)
		bytes_get(at, &n->smin, 16);
	if (head & HAS_LOW_UNSIGNED)
		bytes_get(at, &n->lumin, 8);
	if (head & HAS_LOW_SIGNED)
		bytes_get(at, &n->lsmin, 8);
	if (head & HAS_BITS)
		bytes_get(at, &n->known, 16);
	if (head & HAS_REMAINDER)
		bytes_get(at, &n->mod, 16);
}

_Static_assert(offsetof(struct wv_num, umax) == offsetof(struct wv_num, umin) + 8 &&
		       offsetof(struct wv_num, smax) == offsetof(struct wv_num, smin) + 8 &&
		       offsetof(struct wv_num, lumax) == offsetof(struct wv_num, lumin) + 4 &&
		       offsetof(struct wv_num, lsmax) == offsetof(struct wv_num, lsmin) + 4 &&
		       offsetof(struct wv_num, bits) == offsetof(struct wv_num, known) + 8 &&
		       offsetof(struct wv_num, rem) == offsetof(struct wv_num, mod) + 8,
	"ends of a number are packed in pairs");

static void put_value(uint8_t **at, const struct wv_val *v)
{
	uint8_t *start = *at;
	unsigned head = v->kind | (unsigned)v->region << 2;
	*at += 2;
	if (v->kind == WV_NUM || v->kind == WV_PTR) {
		bytes_put(at, &v->sym, sizeof v->sym);
		if (v->add) {
			head |= HAS_ADD;
			bytes_put(at, &v->add, sizeof v->add);
		}
		if (v->lsym != v->sym || v->ladd != (uint32_t)v->add) {
			head |= HAS_LOW;
			bytes_put(at, &v->lsym, sizeof v->lsym);
			bytes_put(at, &v->ladd, sizeof v->ladd);
		}
		if (v->init != 64) {
			head |= HAS_INIT;
			bytes_put(at, &v->init, 1);
		}
		head |= put_number(at, &v->n);
	}
	memcpy(start, &(uint16_t){(uint16_t)head}, 2);
}

static void get_value(const uint8_t **at, struct wv_val *v)
{
	uint16_t head;
	bytes_get(at, &head, sizeof head);
	*v = (struct wv_val){.kind = head & 3, .region = head >> 2 & 15};
	if (v->kind != WV_NUM && v->kind != WV_PTR) {
		v->n = wv_num_any();
		return;
	}
	v->init = 64;
	bytes_get(at, &v->sym, sizeof v->sym);
	if (head & HAS_ADD)
		bytes_get(at, &v->add, sizeof v->add);
	v->lsym = v->sym;
	v->ladd = (uint32_t)v->add;
	if (head & HAS_LOW) {
		bytes_get(at, &v->lsym, sizeof v->lsym);
		bytes_get(at, &v->ladd, sizeof v->ladd);
	}
	if (head & HAS_INIT)
		bytes_get(at, &v->init, 1);
	get_number(at, head, &v->n);
}

/* ---- states ---- */

/* Each slot comes with the number of empty slots before it: frames have large arrays that nothing has written yet. */
static void put_slots(uint8_t **at, const struct wv_state *st)
{
	uint16_t empty = 0;
	for (uint32_t i = 0; i < st->n_slots; i++) {
		const struct wv_slot *s = &st->slot[i];
		if (!s->width && !s->init) {
			empty++;
			continue;
		}
		bytes_put(at, &empty, sizeof empty);
		empty = 0;
		bytes_put(at, &s->width, 1);
		bytes_put(at, &s->init, 1);
		if (s->width)
			put_value(at, &s->v);
	}
}

static void get_slots(const uint8_t *at, const uint8_t *end, struct wv_state *st)
{
	uint32_t n = st->n_slots, i = 0;
	st->n_slots = 0;
	while (at < end) {
		uint16_t empty;
		bytes_get(&at, &empty, sizeof empty);
		i += empty + 1u;
		struct wv_slot *s = wv_state_slot(st, i);
		bytes_get(&at, &s->width, 1);
		bytes_get(&at, &s->init, 1);
		if (s->width)
			get_value(&at, &s->v);
	}
	if (n)
		wv_state_slot(st, n);
}

static void put_distance(uint8_t **at, const struct wv_distance *d)
{
	uint16_t head;
	uint8_t *start = *at;
	*at += sizeof head;
	bytes_put(at, &d->a, sizeof d->a);
	bytes_put(at, &d->b, sizeof d->b);
	bytes_put(at, &d->scale, sizeof d->scale);
	head = (uint16_t)put_number(at, &d->d);
	memcpy(start, &head, sizeof head);
}

static void get_distance(const uint8_t **at, struct wv_distance *d)
{
	uint16_t head;
	bytes_get(at, &head, sizeof head);
	bytes_get(at, &d->a, sizeof d->a);
	bytes_get(at, &d->b, sizeof d->b);
	bytes_get(at, &d->scale, sizeof d->scale);
	get_number(at, head, &d->d);
}

/* Member by member: what pads the struct may be anything. */
static void put_less(uint8_t **at, const struct wv_less *l)
{
	uint8_t ones = l->ones;
	bytes_put(at, &l->sym, sizeof l->sym);
	bytes_put(at, &l->than, sizeof l->than);
	bytes_put(at, &l->than_add, sizeof l->than_add);
	bytes_put(at, &ones, 1);
}

static void get_less(const uint8_t **at, struct wv_less *l)
{
	uint8_t ones;
	bytes_get(at, &l->sym, sizeof l->sym);
	bytes_get(at, &l->than, sizeof l->than);
	bytes_get(at, &l->than_add, sizeof l->than_add);
	bytes_get(at, &ones, 1);
	l->ones = ones;
}

static void put_state(uint8_t **at, const struct wv_state *st, uint32_t n_less)
{
	for (unsigned r = 0; r < WV_NREG; r++)
		put_value(at, &st->reg[r]);
	for (uint32_t i = 0; i < st->n_distances; i++)
		put_distance(at, &st->distance[i]);
	for (uint32_t i = 0; i < n_less; i++)
		put_less(at, &st->less[i]);
	put_slots(at, st);
}

void unpack_state(struct wv_state *to, const struct packed_state *k)
{
	const struct packed *p = k->p;
	const uint8_t *at = p->b;
	to->depth = p->depth;
	to->n_slots = p->n_slots;
	memset(&to->flags, 0, sizeof to->flags);
	to->n_distances = p->n_distances;
	to->n_less = p->n_less;
	to->n_choices = to->n_sums = to->n_bounds = to->n_reaches = to->part.sym = 0;
	memcpy(to->half, p->half, sizeof to->half);
	for (unsigned r = 0; r < WV_NREG; r++)
		get_value(&at, &to->reg[r]);
	for (uint32_t i = 0; i < p->n_distances; i++)
		get_distance(&at, &to->distance[i]);
	for (uint32_t i = 0; i < p->n_less; i++)
		get_less(&at, &to->less[i]);
	get_slots(at, p->b + p->size, to);
}

static size_t room_of(const struct packed *p)
{
	return sizeof *p + p->size + 16; /* with what malloc takes */
}

void packed_free(struct effort *e, struct packed_state *k)
{
	if (k->p && --k->p->references == 0) {
		give_room(e, room_of(k->p));
		free(k->p);
	}
	k->p = NULL;
}

static bool same_head(const struct packed *a, const struct packed *b)
{
	return a->size == b->size && a->depth == b->depth && a->half[0] == b->half[0] && a->half[1] == b->half[1] &&
	       a->n_slots == b->n_slots && a->n_distances == b->n_distances && a->n_less == b->n_less;
}

enum { MOST_STATE = (WV_NREG + WV_MAX_SLOTS + WV_MAX_DISTANCES + WV_MAX_LESS) * MOST_VALUE };

bool pack_changed(struct effort *e, struct packed_state *k, const struct wv_state *st, bool *other)
{
	static _Thread_local uint8_t bytes[MOST_STATE];
	uint8_t *at = bytes;
	uint32_t n_less = st->n_less < WV_MAX_LESS ? st->n_less : WV_MAX_LESS;
	put_state(&at, st, n_less);
	struct packed like = {1, (uint32_t)(at - bytes), st->depth, {st->half[0], st->half[1]}, (uint16_t)st->n_slots,
		(uint8_t)st->n_distances, (uint8_t)n_less};
	*other = !k->p || !same_head(k->p, &like) || memcmp(k->p->b, bytes, like.size) != 0;
	if (!effort_spend(e, UNITS_PER_STATE + st->n_slots / 8 + like.size / 32))
		return false;
	if (!*other)
		return true;
	packed_free(e, k);
	if (!take_room(e, room_of(&like)))
		return false;
	k->p = malloc(sizeof *k->p + like.size);
	if (!k->p)
		return false;
	*k->p = like;
	memcpy(k->p->b, bytes, like.size);
	return true;
}

bool pack_state(struct effort *e, struct packed_state *k, const struct wv_state *st)
{
	bool other;
	return pack_changed(e, k, st, &other);
}

bool pack_claimed(struct effort *e, struct packed_state *k, const struct wv_state *st)
{
	static _Thread_local struct wv_state less;
	wv_state_copy(&less, st);
	forget_unclaimed(&less);
	return pack_state(e, k, &less);
}

void packed_share(struct effort *e, struct packed_state *to, const struct packed_state *from)
{
	struct packed *p = from->p;
	if (p)
		p->references++;
	packed_free(e, to);
	to->p = p;
}

void packed_move(struct effort *e, struct packed_state *to, struct packed_state *from)
{
	packed_free(e, to);
	*to = *from;
	from->p = NULL;
}

bool packed_is_same(const struct packed_state *a, const struct packed_state *b)
{
	return a->p == b->p || (same_head(a->p, b->p) && memcmp(a->p->b, b->p->b, a->p->size) == 0);
}

uint32_t packed_distances(const struct packed_state *k)
{
	return k->p->n_distances;
}
