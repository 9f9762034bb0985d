/* SPDX-License-Identifier: Apache-2.0 */
/* See words.h. */
#include "words.h"

#include <stdlib.h>

enum { PIECE = 1 << 16 };

bool wl_words_open(struct wl_words *w, const struct wl_process *p)
{
	*w = (struct wl_words){.p = p, .buf = malloc(PIECE)};
	return w->buf != NULL;
}

void wl_words_close(struct wl_words *w)
{
	free(w->buf);
	*w = (struct wl_words){0};
}

bool wl_words_each(const struct wl_words *w, uint64_t from, uint64_t to,
	bool (*fn)(void *user, uint64_t at, const uint64_t *words, size_t n), void *user)
{
	for (from &= ~(uint64_t)7; from < to;) {
		size_t want = to - from < PIECE ? (size_t)(to - from) : PIECE;
		size_t got = wl_process_read_some(w->p, from, w->buf, want);

		if (!fn(user, from, w->buf, got / 8) || got < want)
			return false;
		from += got;
	}
	return true;
}
