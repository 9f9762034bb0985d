/* Recursion that ends at a depth which is known: by a constant, by a parameter counted down, of two functions. */
#include <stddef.h>
#include <ward/probe.h>

struct node {
	struct node *left, *right;
	uint32_t key;
};

struct ward_state {
	struct node node[31];
	uint32_t n;
	uint64_t fib, sum, met, deepest, hanoi;
	struct node *root;
};

static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static uint64_t halves(uint64_t v, unsigned depth)
{
	return depth ? v + halves(v >> 1, depth - 1) : 0;
}

static uint64_t pong(uint64_t v, int depth);
static uint64_t ping(uint64_t v, int depth)
{
	if (depth <= 0 || v < 3)
		return v;
	return pong(v / 2, depth - 1) + 1;
}
static uint64_t pong(uint64_t v, int depth)
{
	return depth <= 0 ? v : ping(v - 1, depth - 1) * 3;
}

static void walk(struct ward_state *st, const struct node *n, unsigned depth, uint64_t *most)
{
	if (!n || depth == 0)
		return;
	walk(st, n->left, depth - 1, most);
	st->sum += n->key;
	*most = *most * 31 + n->key;
	walk(st, n->right, depth - 1, most);
}

static uint64_t hanoi(int n, int from, int to)
{
	return n == 0 ? 0 : hanoi(n - 1, from, 3 - from - to) * 3 + (uint64_t)(from * 3 + to) + hanoi(n - 1, 3 - from - to, to);
}

WARD_ENTRY("x!numbers")
void numbers(const struct ward_event *ev, struct ward_state *st)
{
	st->fib += fib(8) + ev->arg[0];
	st->sum += halves(ev->arg[1], 12);
	st->met += ping(ev->arg[2] & 0xffff, 7);
	st->hanoi ^= hanoi(5, 0, 2) + ev->arg[3];
}

WARD_ENTRY("x!tree")
void tree(const struct ward_event *ev, struct ward_state *st)
{
	struct node **at = &st->root;
	uint32_t key = (uint32_t)(ev->arg[0] & 0xff);
	uint64_t most = 1;

	for (int depth = 0; *at && depth < 5; depth++)
		at = key < (*at)->key ? &(*at)->left : &(*at)->right;
	if (!*at && st->n < 31) {
		*at = &st->node[st->n++];
		(*at)->key = key;
	}
	walk(st, st->root, 5, &most);
	st->deepest = most;
}
