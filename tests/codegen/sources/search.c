/* Searches in trees: where keys differ, the search goes on with one of two fields. The fields are in any order, as far apart as an index can be scaled or farther. Nodes refer to each other by number, and each probe also changes the trees. */
#include <ward/probe.h>

enum { NODES = 64 };

#define KIND(name, link, key, n) \
	struct name { \
		link less; \
		link between[n]; \
		link more; \
		key at; \
	}

KIND(wide, unsigned long, unsigned long, 0);
KIND(half, unsigned, unsigned, 0);
KIND(byte, unsigned char, unsigned long, 0);
KIND(apart, unsigned long, unsigned, 1);
KIND(with_sign, unsigned long, long, 0);

struct ward_state {
	unsigned long sum, found;
	struct wide wide[NODES];
	struct half half[NODES];
	struct byte byte[NODES];
	struct apart apart[NODES];
	struct with_sign with_sign[NODES];
};

/* By `way`, a comparison of a and b, from the node that the event says, and then the node last seen is changed. */
#define SEARCH(entry, kind, key, way, first, second) \
	WARD_ENTRY("x!" #entry) \
	void entry(const struct ward_event *ev, struct ward_state *st) \
	{ \
		unsigned long n = ev->arg[0] % NODES; \
		key a = (key)ev->arg[1] & 255; \
 \
		for (int i = 0; i < 12; i++) { \
			const struct kind *at = &st->kind[n % NODES]; \
			key b = at->at; \
 \
			if (a == b) { \
				st->found++; \
				break; \
			} \
			n = way ? at->first : at->second; \
			st->sum = st->sum * 3 + n; \
		} \
		st->kind[n % NODES].at = (key)ev->arg[2] & 255; \
		st->kind[n % NODES].less = (unsigned char)ev->arg[3]; \
		st->kind[n % NODES].more = (unsigned char)ev->arg[4]; \
	}

SEARCH(wide_below, wide, unsigned long, a < b, less, more)
SEARCH(wide_above, wide, unsigned long, a > b, less, more)
SEARCH(wide_not_above, wide, unsigned long, a <= b, less, more)
SEARCH(wide_not_below, wide, unsigned long, b <= a, less, more)
SEARCH(wide_below_turned, wide, unsigned long, a < b, more, less)
SEARCH(wide_above_turned, wide, unsigned long, b < a, more, less)
SEARCH(half_below, half, unsigned, a < b, less, more)
SEARCH(half_above, half, unsigned, a > b, less, more)
SEARCH(byte_below, byte, unsigned long, a < b, less, more)
SEARCH(byte_above, byte, unsigned long, a > b, more, less)
SEARCH(apart_below, apart, unsigned, a < b, less, more)
SEARCH(signs_below, with_sign, long, a < b, less, more)
SEARCH(signs_above, with_sign, long, a > b, less, more)
