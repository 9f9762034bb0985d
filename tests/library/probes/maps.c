/* SPDX-License-Identifier: Apache-2.0 */
/* Maps: arg[0] and arg[1] make the key, arg[2] is the value, arg[3] says what to do. */
#include <ward/probe.h>

struct pair {
	unsigned int a;
	short b;
	signed char c, d;
};

struct wide {
	unsigned long a[6];
	char name[14];
	short last;
};
_Static_assert(sizeof(struct wide) == 64, "the largest key");

struct odd {
	unsigned char at[13];
};

struct both {
	ward_count calls;
	ward_log2 sizes;
	ward_stat stat;
};

struct ward_state {
	WARD_MAP(int, ward_count, 64) plain;
	WARD_MAP(struct pair, ward_count, 256) pairs;
	WARD_MAP(struct wide, ward_stat, 128) wide;
	WARD_MAP(struct odd, unsigned long, 64) odd;
	WARD_MAP(struct pair, ward_log2, 32) histograms;
	WARD_MAP(unsigned short, struct both, 16) both;
	WARD_MAP(unsigned long, unsigned long, 128) live;
	WARD_RECENT(struct pair, ward_count, 64) recent;
	ward_count found, removed, sum;
};

WARD_ENTRY("target!work")
void on_key(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = ev->arg[0], y = ev->arg[1], v = ev->arg[2];
	struct pair pair = {.a = (unsigned)x, .b = (short)y, .c = (signed char)(x & 1), .d = -1};
	struct wide wide = {.a = {x, y, x, y, x, y}, .name = "name", .last = (short)(x + y)};
	struct odd odd = {{0}};
	struct both *both;

	wide.name[4] = (char)('0' + x % 10);
	odd.at[0] = (unsigned char)x;
	odd.at[12] = (unsigned char)y;
	ward_map_add(&st->plain, (int)x, v);
	ward_map_add(&st->pairs, pair, v);
	ward_stat_add(ward_map_at(&st->wide, wide), v);
	ward_map_add(&st->odd, odd, 1);
	ward_log2_add(ward_map_at(&st->histograms, pair), v);
	both = ward_map_at(&st->both, (unsigned short)x);
	both->calls++;
	ward_log2_add(&both->sizes, v);
	ward_stat_add(&both->stat, v);
	ward_recent_add(&st->recent, pair, 1);
}

/* Keys that come and go. */
WARD_ENTRY("target!other")
void on_change(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long x = ev->arg[0], v;

	switch (ev->arg[3] & 3) {
	case 0: *ward_map_at(&st->live, x) = ev->arg[2]; break;
	case 1: st->removed += ward_map_remove(&st->live, x); break;
	case 2:
		if (ward_map_pop(&st->live, x, &v)) {
			st->removed++;
			st->sum += v;
		}
		break;
	default:
		if (ward_map_get(&st->live, x, &v)) {
			st->found++;
			st->sum += v;
		}
	}
}
