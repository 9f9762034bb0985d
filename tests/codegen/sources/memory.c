/* The functions of <string.h>, with sizes and places from the event: the native twin calls libc. Some sizes are bounded by the code, some only by what the event happens to hold. */
#define _GNU_SOURCE
#include <string.h>
#include <ward/probe.h>

enum { SIZE = 160, MOST = 72 };

struct pair {
	uint16_t length;
	char text[40];
};

struct state {
	uint64_t sum, before;
	unsigned char a[SIZE], b[SIZE];
	char text[64];
	struct pair pairs[4];
	unsigned char large[3000], after[8];
};

static const char words[] = "a guard only where the proof fails";
static unsigned char shared[100] = {1, 2, 3};

/* Bytes with no order, many of them equal. */
static void stir(unsigned char *p, uint64_t x)
{
	for (unsigned i = 0; i < SIZE; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		if (x >> 62)
			p[i] = x >> 60;
	}
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

WARD_ENTRY()
void copies(const struct ward_event *ev, struct state *st)
{
	unsigned n = ev->arg[0] % (MOST + 1), from = ev->arg[1] & 31, to = ev->arg[2] & 31;

	stir(st->a, ev->arg[3]);
	memcpy(st->b + to, st->a + from, n);
	st->sum += (uint64_t)((unsigned char *)mempcpy(st->b, shared + from, n % 65) - st->b);
	__builtin_memcpy(shared + to, st->a, ev->arg[4] & 63);
	if (memcpy(st->large, st->large + 1500, ev->arg[5] % 1500) == st->large)
		st->sum++;
}

/* Towards either end, by every distance, one byte included. */
WARD_ENTRY()
void moves(const struct ward_event *ev, struct state *st)
{
	unsigned n = ev->arg[0] % (MOST + 1), to = ev->arg[1] % 64, from = (to + ev->arg[2] % 25 - 12) % 64;

	stir(st->a, ev->arg[3]);
	memmove(st->a + to, st->a + from, n);
	memmove(st->b + 1, st->b, n * 2);
	memmove(st->b, st->b + 7, n * 2);
	memmove(st->large + (ev->arg[4] & 15), st->large + (ev->arg[4] >> 4 & 15), 2900);
	memmove(st->text, st->text + 3, 61);
}

WARD_ENTRY()
void fills(const struct ward_event *ev, struct state *st)
{
	memset(st->a + (ev->arg[0] & 31), (int)ev->arg[1], ev->arg[2] % 129);
	bzero(st->b + (ev->arg[3] % 7), ev->arg[4] & 127);
	memset(st->large, (int)ev->arg[5], sizeof(st->large));
	if (ev->arg[0] <= SIZE)
		memset(st->b, 1, ev->arg[0]);
	if (ev->arg[1] < 20)
		memset(&st->pairs[ev->arg[2] & 3], 5, sizeof(struct pair));
}

/* Whose arguments nothing bounds but what the event says. */
WARD_ENTRY()
void unbounded(const struct ward_event *ev, struct state *st)
{
	uint64_t n = ev->arg[0] * 2 % 101;

	st->before = n / 2 + 1;
	memset(st->b, 3, st->before * 3);
	st->b[st->before] = 0;
	st->sum += strlen((char *)st->b) * 3;
	memcpy(st->a, st->b, st->before + st->before);
	memmove(st->a + 3, st->a, st->before);
	st->sum += (unsigned)sign(memcmp(st->a, st->b, st->before + 9));
}

WARD_ENTRY()
void compares(const struct ward_event *ev, struct state *st)
{
	unsigned n = ev->arg[0] % (MOST + 1), i = ev->arg[1] % 80, j = ev->arg[2] & 31;

	memcpy(st->b + j, st->a, n);
	st->sum = st->sum * 3 + (unsigned)sign(memcmp(st->a, st->b + j, n));
	st->b[j + i] ^= (unsigned char)ev->arg[3];
	st->sum = st->sum * 3 + (unsigned)sign(memcmp(st->a, st->b + j, n));
	st->sum = st->sum * 3 + (bcmp(st->a, st->b + j, n) != 0);
	st->sum += !memcmp(st->a, st->b, 1) + 2 * !memcmp(st->a, st->b, 2) + 3 * !memcmp(st->a, st->b, 3) + 5 * !memcmp(st->a, st->b, 7);
	st->sum += (unsigned)(sign(memcmp(st->a, st->b, 8)) + 7 * sign(memcmp(st->a, st->b, 11)) + 49 * sign(memcmp(st->a, st->b, 16)) + 9 * sign(memcmp(st->a, st->b, 64)));
	st->sum += memcmp(&st->pairs[ev->arg[4] & 3], &st->pairs[ev->arg[5] & 3], sizeof(struct pair)) == 0;
	stir(st->a, ev->arg[3]);
}

WARD_ENTRY()
void searches(const struct ward_event *ev, struct state *st)
{
	unsigned n = ev->arg[0] % 64, from = ev->arg[1] & 15;
	unsigned char *at;

	memset(st->text, 'x', sizeof(st->text));
	st->text[n] = 0;
	st->text[ev->arg[2] & 63] = (char)ev->arg[3];
	st->text[63] = 0;
	st->sum = st->sum * 5 + strlen(st->text) + strnlen(st->text, ev->arg[4] & 63) + strnlen(st->text + from, 64 - from);
	st->sum = st->sum * 5 + strnlen(st->text, ev->arg[5]); /* it ends before */
	st->sum = st->sum * 5 + strlen(st->text + from % (n + 1));
	at = memchr(st->a, (int)ev->arg[3], ev->arg[4] % SIZE);
	st->sum += at ? (uint64_t)(at - st->a) : 999;
	at = (unsigned char *)strchr(st->text, (char)ev->arg[3]);
	if (at)
		*at ^= 1;
	st->sum += strchr(st->text, 0) - st->text;
	at = (unsigned char *)strrchr(st->text, (char)ev->arg[4]);
	st->sum = st->sum * 3 + (at ? (uint64_t)(at - (unsigned char *)st->text) : 777) + (strrchr(st->text, 'x') != NULL) + (strrchr(st->text, 0) == strchr(st->text, 0));
	stir(st->a, ev->arg[3]);
}

WARD_ENTRY()
void strings(const struct ward_event *ev, struct state *st)
{
	char *p = st->pairs[0].text, *q = st->pairs[1].text;

	memcpy(p, words, sizeof(words));
	memcpy(q, words, sizeof(words));
	q[ev->arg[0] % sizeof(words)] = (char)ev->arg[1];
	q[39] = 0;
	st->sum = st->sum * 3 + (unsigned)sign(strcmp(p, q));
	st->sum = st->sum * 3 + (unsigned)sign(strncmp(p, q, ev->arg[2] & 63));
	st->sum = st->sum * 3 + (unsigned)sign(strcmp(q, words)) + (unsigned)sign(strncmp(words, q, ev->arg[3]));
	st->sum += strlen(words) + strlen(words + 3) + (strchr(words, 'p') != NULL);
	st->pairs[2] = st->pairs[ev->arg[4] & 3];
}

/* What a compiler makes calls of: loops that fill and copy, assignments of large structs. */
struct block {
	unsigned char bytes[1500];
};

WARD_ENTRY()
void idioms(const struct ward_event *ev, struct state *st)
{
	struct block *from = (struct block *)(st->large + 1500), *to = (struct block *)st->large, local;
	unsigned n = ev->arg[0] % SIZE, i;

	for (i = 0; i < n; i++)
		st->a[i] = 0;
	for (i = 0; i < n; i++)
		st->b[i] = st->a[SIZE - n + i];
	for (i = 0; i < 64 && st->text[i]; i++)
		;
	local = *to;
	local.bytes[ev->arg[1] % 1500]++;
	*to = *from;
	*from = local;
	st->sum += i + (st->pairs[0].length == st->pairs[1].length && st->pairs[0].text[0] == st->pairs[1].text[0]);
}
