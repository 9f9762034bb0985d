/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the words of a stack of the target, in pieces. */
#ifndef WARD_LOADER_WORDS_H
#define WARD_LOADER_WORDS_H

#include "process.h"

struct wl_words {
	const struct wl_process *p;
	uint64_t *buf;
};

/* Memory is allocated before threads are stopped, and not while they are. False if there is none. */
bool wl_words_open(struct wl_words *w, const struct wl_process *p);
void wl_words_close(struct wl_words *w);

/* Call fn for the words from `from` to `to` until it returns false. Returns false then, or if not all can be read. */
bool wl_words_each(const struct wl_words *w, uint64_t from, uint64_t to,
	bool (*fn)(void *user, uint64_t at, const uint64_t *words, size_t n), void *user);

#endif
