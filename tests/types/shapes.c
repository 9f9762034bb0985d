/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose parameters have all kinds of types. In C, and where that is the same, in C++. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLED __attribute__((noinline, used, visibility("default")))

enum color { RED, GREEN = 7, BLUE = -1 };
typedef enum { SMALL = 1, LARGE = 1000 } extent;

struct point {
	int x, y;
};
struct large {
	long v[4];
};
struct node {
	struct node *next;
	const char *name;
	char tag[16];
	unsigned kind : 3;
	int level : 5;
	union {
		uint64_t id;
		double weight;
	};
	struct point at;
	extent size;
	struct hidden *secret;
};

#ifdef __cplusplus
extern "C" {
#endif

volatile long sum;

CALLED uint64_t words(int handle, const char *path, size_t size, enum color color, bool flag, signed char c, short more)
{
	sum += handle + (long)size + color + flag + c + more + *path;
	return (uint64_t)sum;
}

CALLED int list(struct node *node, struct node **all, void *data, int (*compare)(const void *, const void *))
{
	sum += node->level + node->kind + (all != NULL) + (data != NULL) + (compare != NULL);
	return (int)sum;
}

CALLED void mixed(int before, double d, float f, int behind)
{
	sum += before + (long)d + (long)f + behind;
}

CALLED void by_value(int before, struct point p, int behind)
{
	sum += before + p.x + p.y + behind;
}

CALLED void large_by_value(int before, struct large l, int behind)
{
	sum += before + l.v[3] + behind;
}

CALLED struct large returns_large(int first)
{
	struct large l = {{first, 1, 2, 3}};

	sum += first;
	return l;
}

CALLED struct point returns_point(int first)
{
	struct point p = {first, 1};

	sum += first;
	return p;
}

/* Parameters that aren't used: optimizers drop them where they can. */
static __attribute__((noinline, used)) long hidden_one(int unused, long used, int *also)
{
	return sum += used + *also;
}

static inline __attribute__((always_inline)) long nowhere(long a)
{
	return sum += a * 3;
}

/* A function of one caller only, with a constant and a pointer to one member: made for compilers that change calls. */
static __attribute__((noinline)) long changed(struct node *node, int constant, long n)
{
	for (long i = 0; i < n; i++)
		sum += node->level * constant;
	return sum;
}

CALLED long caller(struct node *node, long n)
{
	int one = 1;

	return hidden_one(4, n, &one) + nowhere(n) + changed(node, 3, n + 1);
}

#ifdef __cplusplus
}

struct shape {
	int edges;
	virtual ~shape() = default;
	CALLED virtual int scale(int factor, const point &origin);
	CALLED static int count(long many);
};

int shape::scale(int factor, const point &origin)
{
	sum += factor + origin.x;
	return edges * factor;
}

int shape::count(long many)
{
	sum += many;
	return (int)many;
}

/* A constructor that exists twice: one of them has a hidden argument. */
struct base {
	long kept;
};
struct derived : virtual base {
	CALLED derived(int first, const char *second);
};

derived::derived(int first, const char *second)
{
	kept = first + *second;
	sum += kept;
}

struct twice : derived {
	CALLED twice(int only) : derived(only, "x")
	{
	}
};

namespace space
{
CALLED long inside(shape *of, uint8_t byte)
{
	sum += of->edges + byte;
	return sum;
}
} // namespace space
#endif

int main(int argc, char **argv)
{
	struct node node = {};
	struct large l = {{1, 2, 3, 4}};
	struct point p = {1, 2};

	(void)argv;
	words(1, "x", 2, GREEN, true, 3, 4);
	list(&node, NULL, NULL, NULL);
	mixed(1, 2, 3, 4);
	by_value(1, p, 2);
	large_by_value(1, l, 2);
	returns_large(1);
	returns_point(2);
	caller(&node, argc);
#ifdef __cplusplus
	shape s;
	s.scale(2, p);
	shape::count(3);
	space::inside(&s, 3);
	twice twins(argc);
	derived one(argc, "y");
#endif
	return 0;
}
