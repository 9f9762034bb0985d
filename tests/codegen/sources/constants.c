/* Constants that hold addresses of constants: each probe reads them by indices that come from the event. */
#include <ward/probe.h>

struct state {
	const char *kept; /* each version's own */
	unsigned long n, h;
	struct entry { const char *name; int v; unsigned char kind; const char *alias; } last;
	long sum[8];
};

static const char *const names[] = {"zero", "one", "two", "three", "fourteen", "a longer one, of some words"};

static const struct entry table[] = {
	{"read", 3, 1, "r"}, {"write", -4, 2, 0}, {0, 17, 3, "nobody"}, {"close", 1 << 20, 4, 0}, {"open", 5, 5, "o"},
};

static const int few[] = {1, 2, 3}, many[] = {10, 20, 30, 40, 50, 60, 70};
static const struct numbers { const int *first; unsigned n; } numbers[] = {{few, 3}, {many, 7}, {many + 2, 4}, {0, 0}};

static const struct group { const char *title; const struct entry *entries; int n; const struct numbers *numbers; } groups[] = {
	{"all", table, 5, numbers}, {"some", table + 1, 2, 0}, {"none", 0, 0, &numbers[1]}, {"last", &table[4], 1, &numbers[2]},
};

static const struct node { const struct node *left, *right; long key; } leaf[] = {{0, 0, 1}, {0, 0, 5}, {0, 0, 9}}, inner = {&leaf[0], &leaf[1], 3}, root = {&inner, &leaf[2], 7};
static const char *const lines[2][3] = {{"a", "bc", "def"}, {"ghij", "", "klmno"}};
static const char *const *const rows[] = {lines[0], lines[1], names};
static const union either { const char *text; const int *number; } eithers[] = {{.text = "text"}, {.number = few}};

static unsigned long hash(const char *s)
{
	unsigned long h = 5381;

	for (int i = 0; i < 64 && s[i]; i++)
		h = h * 33 + (unsigned char)s[i];
	return h;
}

WARD_ENTRY()
void strings(const struct ward_event *ev, struct state *st)
{
	st->h = st->h * 31 + hash(names[ev->arg[0] % 6]);
	st->n += names[ev->arg[1] % 6] == names[ev->arg[2] % 6];
	st->h ^= hash(lines[ev->arg[3] % 2][ev->arg[4] % 3]) + hash(rows[ev->arg[5] % 3][ev->arg[4] % 3]);
}

WARD_ENTRY()
void structs(const struct ward_event *ev, struct state *st)
{
	const struct entry *e = &table[ev->arg[0] % 5];

	st->sum[e->kind] += e->v;
	if (e->name)
		st->h += hash(e->name);
	if (e->alias)
		st->h ^= hash(e->alias);
	else
		st->n++;
}

WARD_ENTRY()
void copies(const struct ward_event *ev, struct state *st)
{
	struct entry e = table[ev->arg[0] % 5], both[2] = {table[ev->arg[1] % 5], e};

	if (both[ev->arg[2] & 1].name)
		st->h += hash(both[ev->arg[2] & 1].name);
	st->last = both[ev->arg[3] & 1];
	st->sum[e.kind] += e.v + (st->last.alias ? hash(st->last.alias) & 0xff : 0);
	st->last.name = st->last.alias = 0;
}

WARD_ENTRY()
void nested(const struct ward_event *ev, struct state *st)
{
	const struct group *g = &groups[ev->arg[0] % 4];

	st->h += hash(g->title);
	for (int i = 0; i < g->n; i++)
		if (g->entries[i].name)
			st->h = st->h * 7 + hash(g->entries[i].name);
	if (g->numbers)
		for (unsigned i = 0; i < g->numbers->n && i < 8; i++)
			st->sum[i] += g->numbers->first[i];
}

WARD_ENTRY()
void tree(const struct ward_event *ev, struct state *st)
{
	const struct node *at = &root;
	long key = ev->arg[0] % 10;

	while (at && at->key != key)
		at = key < at->key ? at->left : at->right;
	st->n += at != 0;
	st->sum[0] += at ? at->key : -1;
}

WARD_ENTRY()
void walk(const struct ward_event *ev, struct state *st)
{
	const struct entry *e = table, *end = table + 5;

	for (; e < end; e++)
		if (e->name && e->name[0] == (char)('a' + ev->arg[0] % 26))
			break;
	st->n += e == end;
	for (const struct numbers *n = numbers; n->first; n++)
		st->sum[ev->arg[1] & 7] += n->first[ev->arg[2] % n->n];
}

WARD_ENTRY()
void keep(const struct ward_event *ev, struct state *st)
{
	if (st->kept)
		st->h = st->h * 3 + hash(st->kept);
	st->kept = ev->arg[0] & 8 ? 0 : table[ev->arg[0] % 5].name;
}

WARD_ENTRY()
void chosen(const struct ward_event *ev, struct state *st)
{
	const char *s;

	switch (ev->arg[0] % 8) {
	case 0: s = "nothing"; break;
	case 1: s = "little"; break;
	case 2: s = names[ev->arg[1] % 6]; break;
	case 3: s = "some"; break;
	case 4: s = "more"; break;
	case 5: s = "much"; break;
	default: s = "too much"; break;
	}
	st->h = st->h * 5 + hash(s);
	st->sum[1] += ev->arg[2] & 1 ? eithers[0].text[ev->arg[3] % 4] : eithers[1].number[ev->arg[3] % 3];
}
