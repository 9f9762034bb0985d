/* A merge sort of a list, from the bottom up. Where the optimiser knows that `tail` is still NULL, a store through it has an address that is a number; control never gets there. */
/* compiled as usual */
#include <stddef.h>
#include <ward/probe.h>

enum { N = 40 };

struct item {
	int64_t key;
	uint32_t other, count;
	struct item *next;
};

struct ward_state {
	struct item item[N], *head;
	uint32_t n;
	uint64_t moved;
};

static int compare(const struct item *a, const struct item *b)
{
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->other < b->other)
		return -1;
	return a->other > b->other;
}

WARD_ENTRY("x!add")
void add(const struct ward_event *ev, struct ward_state *st)
{
	for (int i = 0; i < 5 && st->n < N; i++) {
		struct item *e = &st->item[st->n++];

		*e = (struct item){.key = (int64_t)(ev->arg[i] % 7) - 3, .other = (uint32_t)(ev->arg[i] >> 8) % 5, .next = st->head};
		st->head = e;
	}
}

WARD_ENTRY("x!sort")
void sort(const struct ward_event *ev, struct ward_state *st)
{
	struct item *list = st->head, *tail, *p, *q, *e;
	int size = 1, merges, left, right;

	if (!list)
		return;
	WARD_BOUND(8)
	for (;;) {
		p = list;
		list = tail = NULL;
		merges = 0;
		WARD_BOUND(40)
		while (p) {
			merges++;
			q = p;
			left = 0;
			WARD_BOUND(64)
			for (int i = 0; i < size; i++) {
				left++;
				q = q->next;
				if (!q)
					break;
			}
			right = size;
			WARD_BOUND(80)
			while (left > 0 || (right > 0 && q)) {
				if (left == 0 || (right > 0 && q && compare(p, q) > 0)) {
					e = q;
					q = q->next;
					right--;
				} else {
					e = p;
					p = p->next;
					left--;
				}
				if (tail)
					tail->next = e;
				else
					list = e;
				tail = e;
				st->moved++;
			}
			p = q;
		}
		tail->next = NULL;
		if (merges <= 1)
			break;
		size *= 2;
	}
	st->head = list;
	list->count += (uint32_t)ev->arg[0] & 3;
}
