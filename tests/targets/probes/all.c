/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the whole event at both ends, calls all imports that the loader grants, and updates a map. */
#include "each.h"
#include <ward/imports.h>

static inline void known(const struct ward_event *ev, struct function *f)
{
	unsigned long word = 0;
	char text[64];

	f->odd += !ev->tid || ev->cpu > 4095 || (ev->sp & 7) || !ev->time;
	f->odd += ward_read_str(text, sizeof(text), ev->sp) >= sizeof(text) || text[sizeof(text) - 1];
	/* The return address stands where the stack pointer was. */
	f->odd += ev->caller && ward_read(&word, sizeof(word), ev->sp) == sizeof(word) && word != ev->caller;
}

#define PROBE(k) \
	WARD_ENTRY(SITE(k)) void entry_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		st->f[k].calls++; \
		st->f[k].args += ev->arg[0]; \
		st->f[k].foreign += (ev->arg[0] & NUMBER) != k; \
		known(ev, &st->f[k]); \
	} \
	WARD_ENTRY(SITE(k) ":return") void return_##k(const struct ward_event *ev, struct ward_state *st) \
	{ \
		pair(ev, &st->f[k], k); \
		timed(ev, &st->f[k]); \
		known(ev, &st->f[k]); \
	}
EACH(PROBE)
