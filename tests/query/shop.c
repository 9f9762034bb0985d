/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose functions have parameters of all kinds: shop N calls order() N times, with numbers made of the
 * call's. With another argument it waits for the end of its input before.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CALLED __attribute__((noinline, noclone, visibility("default")))

enum color { RED, GREEN = 7, BLUE = -1 };

struct point {
	int x, y;
};
struct item {
	int number;
	unsigned kind : 3;
	int level : 5;
	char tag[16];
	struct item *next;
	const char *name;
	union {
		long id;
		double weight;
	};
	struct point at;
	enum color color;
	bool sold;
};

static volatile long sum;

CALLED enum color order(
	signed char count, const char *path, struct item *item, enum color color, bool urgent, int *total)
{
	sum += count + *path + item->number + (long)color + urgent + *total;
	return color;
}

/* The same names with other types. */
CALLED long cancel(long count, struct point *item)
{
	sum += count + item->x;
	return sum;
}

/* A parameter that is called as an event's member is. */
CALLED int deliver(double price, int time)
{
	sum += (long)price + time;
	return -time;
}

CALLED const char *label(int number)
{
	sum += number;
	return number % 2 ? "odd" : NULL;
}

/* Of which there is no more than its first numbers. */
CALLED int edge(const struct item *item)
{
	sum += item->number;
	return item->number;
}

static const struct item *item_at_the_edge(void)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct item *item = (struct item *)(pages + 4096 - 8);

	if (pages == MAP_FAILED || mprotect(pages + 4096, 4096, PROT_NONE) != 0)
		abort();
	item->number = 77;
	return item;
}

static __attribute__((noinline, noclone)) bool is_late(struct item item, short days)
{
	sum += item.number;
	return days > 3;
}

int main(int argc, char **argv)
{
	static const char *const paths[] = {"/tmp/a", "/tmp/b", "/var/c"};
	static const enum color colors[] = {RED, GREEN, BLUE, (enum color)5};
	long n = argc > 1 ? atol(argv[1]) : 0;

	if (argc > 2) /* until its input ends */
		while (getchar() != EOF)
			;
	const struct item *at_the_edge = item_at_the_edge();

	for (long i = 0; i < n; i++) {
		struct item last = {.number = (int)(100 + i)};
		struct item item = {.number = (int)-i,
			.kind = (unsigned)i & 7,
			.level = (int)(i % 32) - 16,
			.next = &last,
			.name = paths[i % 3],
			.id = i * 1000,
			.at = {(int)i, (int)-i},
			.color = colors[i % 4],
			.sold = i % 5 == 0};
		struct point point = {(int)i, 0};
		int total = (int)i * 2;

		snprintf(item.tag, sizeof(item.tag), "tag-%ld", i % 2);
		order((signed char)(i % 4 - 2), paths[i % 3], i % 10 == 9 ? &last : &item, colors[i % 4], i % 2,
			&total);
		cancel(i, &point);
		edge(at_the_edge);
		deliver(1.5, (int)i);
		label((int)i);
		is_late(item, (short)(i % 8));
	}
	return 0;
}
