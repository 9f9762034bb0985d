/* Pointers to strings, constants, shared variables, the state and local variables, stored and loaded again. The stored ones come first in the state, since their addresses differ between builds. */
#include <string.h>
#include <ward/probe.h>

struct pair {
	unsigned long a, b;
	unsigned char bytes[7];
};

struct ward_state {
	const char *name;
	unsigned long *at;
	const struct pair *pair;
	const void *any[4];
	unsigned char *end;
	unsigned long numbers[8], sum;
	struct pair copy;
	unsigned char text[16], used;
};

static unsigned long shared[4] = {1, 2, 3, 4};
static const struct pair pairs[3] = {{1, 2, {1}}, {3, 4, {2, 3}}, {5, 6, {4, 5, 6}}};
static const char *last;

static const char *name_of(unsigned long n)
{
	switch (n & 7) {
	case 0: return "none";
	case 1: return "one";
	case 2: return "two, which is longer";
	case 3: return "";
	default: return NULL;
	}
}

static void keep(const struct ward_event *ev, struct ward_state *st)
{
	const char *name = name_of(ev->arg[0]);

	if (name)
		st->name = last = name;
	st->at = ev->arg[1] & 1 ? &shared[ev->arg[1] >> 1 & 3] : &st->numbers[ev->arg[1] >> 1 & 7];
	st->pair = &pairs[ev->arg[2] % 3];
	st->any[ev->arg[3] & 3] = ev->arg[3] & 4 ? (const void *)st->pair : ev->arg[3] & 8 ? (const void *)st->at : &st->copy;
	st->end = st->text + sizeof(st->text);
}

WARD_ENTRY("x!y")
void probe(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long own[4] = {ev->arg[4], 1, 2, 3};
	const unsigned long *from[3] = {&own[ev->arg[4] & 3], &shared[1], &st->numbers[2]};

	if ((ev->arg[5] & 3) == 0)
		keep(ev, st);
	if (st->name) {
		st->sum += strlen(st->name) + (unsigned char)st->name[0];
		if (strcmp(st->name, "one") == 0)
			st->sum += 1000;
	}
	if (last)
		st->sum ^= (unsigned char)*last;
	if (st->at)
		*st->at += ev->arg[0];
	if (st->pair) {
		st->copy = *st->pair;
		st->sum += st->pair->bytes[ev->arg[1] % 7];
	}
	st->sum += *from[ev->arg[2] % 3];
	WARD_BOUND(8)
	for (unsigned i = 0; i < 4; i++)
		if (st->any[i]) {
			unsigned long word;

			memcpy(&word, st->any[i], sizeof(word));
			st->sum = st->sum * 5 + word;
		}
	WARD_BOUND(32)
	for (unsigned char *p = st->text; st->end && p < st->end; p++)
		*p += 3;
	st->used++;
}
