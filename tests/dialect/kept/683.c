/* Tables that nothing changes, without const: of strings, of structs with strings, of tables, in functions; and assertions that hold. */
/* compiled as usual */
#include <assert.h>
#include <string.h>
#include <ward/probe.h>

struct ward_state {
	uint64_t sum, n[8];
	char text[16];
};

static const char *names[] = {"read", "write", "open"};
static char *methods[4] = {"GET", "POST", "PUT"};
static struct kind {
	const char *name;
	int code;
	struct kind *next;
} kinds[] = {{"zero", 0, NULL}, {"one", 1, &kinds[0]}, {"two", 2, &kinds[1]}};
static const char *first[] = {"a", "b"}, *second[] = {"cc", "dd"}, **both[] = {first, second};
static int weights[4] = {3, 1, 4, 1};

static uint64_t hash_of(const char **table, unsigned n, uint64_t i)
{
	return table[i % n][0] * 31u + strlen(table[i % n]);
}

WARD_ENTRY("x!tables")
void tables(const struct ward_event *ev, struct ward_state *st)
{
	static const char *inside[] = {"x", "yy", "zzz"};
	unsigned i = ev->arg[0] & 7;

	assert(i < 8);
	assert(ev->arg[1] == ev->arg[1] && "always");
	st->n[i]++;
	st->sum += hash_of(names, 3, ev->arg[1]) + hash_of(inside, 3, ev->arg[2]);
	st->sum ^= (uint64_t)both[ev->arg[3] & 1][ev->arg[4] & 1][0];
	if (methods[ev->arg[5] & 3])
		st->sum += (uint64_t)methods[ev->arg[5] & 3][1];
	st->sum += (uint64_t)weights[ev->arg[4] & 3];
	for (struct kind *k = &kinds[ev->arg[1] % 3]; k; k = k->next)
		st->sum = st->sum * 7 + (uint64_t)k->code + (uint64_t)k->name[0];
	memcpy(st->text, names[ev->arg[0] % 3], 4);
	assert(st->n[i] > 0);
}
