/* Functions as values: in tables, structs, variables and the state, passed on and returned, of several types. */
/* compiled as usual */
#include <stddef.h>
#include <stdlib.h>
#include <ward/probe.h>

typedef int64_t unary(int64_t);
struct pair {
	int64_t a, b, c;
};

struct ward_state {
	unary *kept, *other;
	uint64_t sum, found, set, equal;
	int64_t values[8], sorted[8];
	int8_t small;
	struct pair pair;
};
const unsigned pointers_680 = 2;

static int64_t add(int64_t v) { return v + 1; }
static int64_t twice(int64_t v) { return v * 2; }
static int64_t low(int64_t v) { return v & 0xff; }
static int64_t never(int64_t v) { return v * 1000; }
static int8_t narrow(int8_t v) { return v / 2; }
static int8_t negated(int8_t v) { return (int8_t)-v; }
static void set_one(struct ward_state *st) { st->set |= 1; }
static void set_two(struct ward_state *st) { st->set += 2; }
static struct pair swapped(struct pair p) { return (struct pair){p.b, p.a, p.c + 1}; }
static struct pair raised(struct pair p) { return (struct pair){p.a + 1, p.b + 2, p.c}; }
static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}
static int by_value_down(const void *a, const void *b) { return by_value(b, a); }

static int64_t unprototyped() { return 11; }
static unary *const table[] = {add, twice, low};
static unary *changing[] = {low, add}; /* which nothing changes */
static unary *current = twice;
static const struct command {
	const char *name;
	unary *run;
	void (*set)(struct ward_state *);
} commands[] = {{"add", add, set_one}, {"twice", twice, set_two}, {"none", NULL, NULL}, {NULL, low, set_one}};
static int8_t (*const narrowing[])(int8_t) = {narrow, negated};

static int64_t apply(unary *f, int64_t v) { return f(v); }
static inline __attribute__((always_inline)) int64_t apply_inline(unary *f, int64_t v) { return f(v); }
static int64_t compose(unary *f, unary *g, int64_t v) { return apply(f, apply(g, v)); }
static unary *choose(uint64_t v) { return v & 8 ? add : v & 16 ? twice : low; }
static void sort(int64_t *v, unsigned n, int (*compare)(const void *, const void *))
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = i; k > 0 && compare(&v[k - 1], &v[k]) > 0; k--) {
			int64_t t = v[k];

			v[k] = v[k - 1];
			v[k - 1] = t;
		}
}

WARD_ENTRY("x!tables")
void tables(const struct ward_event *ev, struct ward_state *st)
{
	const struct command *c = &commands[ev->arg[0] & 3];
	unary *local[3] = {add, low, current}, *volatile kept = local[ev->arg[2] % 3];
	int64_t (*old)() = unprototyped;
	struct pair (*make)(struct pair) = ev->arg[3] & 1 ? swapped : raised;

	st->sum += (uint64_t)table[ev->arg[1] % 3]((int64_t)ev->arg[2]);
	st->sum ^= (uint64_t)changing[ev->arg[1] & 1]((int64_t)ev->arg[3]);
	if (c->run)
		st->sum += (uint64_t)c->run((int64_t)ev->arg[4]);
	if (c->set)
		c->set(st);
	if (c->name)
		st->found += (uint64_t)c->name[0];
	st->sum += (uint64_t)kept((int64_t)ev->arg[5]);
	st->small = narrowing[ev->arg[5] & 1]((int8_t)(st->small + (int8_t)ev->arg[0]));
	st->pair = make(st->pair);
	st->sum += (uint64_t)old();
	current = ev->arg[4] & 1 ? add : twice;
}

WARD_ENTRY("x!passed")
void passed(const struct ward_event *ev, struct ward_state *st)
{
	int64_t wanted = (int64_t)(ev->arg[1] & 0xff), *at;

	st->sum += (uint64_t)compose(choose(ev->arg[0]), twice, (int64_t)ev->arg[1]);
	st->sum += (uint64_t)apply_inline(add, (int64_t)ev->arg[2]) + (uint64_t)apply(choose(ev->arg[3]), 7);
	st->equal += (choose(ev->arg[0]) == add) + 2 * (st->kept == twice) + 4 * (st->kept == never);
	if (st->kept)
		st->sum ^= (uint64_t)st->kept((int64_t)ev->arg[4]);
	st->kept = ev->arg[5] & 1 ? twice : ev->arg[5] & 2 ? add : NULL;
	st->values[ev->arg[0] & 7] = wanted;
	for (unsigned i = 0; i < 8; i++)
		st->sorted[i] = st->values[i];
	sort(st->sorted, 8, ev->arg[2] & 1 ? by_value : by_value_down);
	st->found += (uint64_t)st->sorted[0];
	if (ev->arg[2] & 1) {
		at = bsearch(&wanted, st->sorted, 8, sizeof(*st->sorted), by_value);
		st->found += at ? (uint64_t)*at + 1 : 0;
	}
}
