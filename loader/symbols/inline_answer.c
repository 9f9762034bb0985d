/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a confined process has said of inlined functions is kept. Its answer is as hostile as the file that it has read:
 * numbers are checked, and texts stay texts.
 */
#include "inline_dwarf.h"
#include "inline_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 1 << 24 };

static int by_address(const void *a, const void *b)
{
	const struct wl_inline_place *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

const struct wl_inline_place *wl_inline_frames_at(const struct wl_inline_frames *f, uint64_t address)
{
	const struct wl_inline_place key = {.address = address};

	return f->n ? bsearch(&key, f->place, f->n, sizeof(*f->place), by_address) : NULL;
}

struct answer {
	struct wl_inline_frames *f;
	const uint64_t *address;
	size_t n_addresses;
	uint32_t first_name; /* of this answer */
};

static bool name_take(struct wl_inline_frames *f, const uint8_t *text, size_t n)
{
	if ((f->n_names & (f->n_names + 1)) == 0) { /* the room is a power of two */
		char **v = reallocarray(f->name, 2 * f->n_names + 2, sizeof(*v));

		if (!v)
			return false;
		f->name = v;
	}
	f->name[f->n_names] = n ? strndup((const char *)text, n) : strdup("?");
	return f->name[f->n_names] && ++f->n_names;
}

/* The chain of an address, from numbers that may be anything. */
static bool chain_take(const struct answer *a, uint32_t at, const uint8_t *numbers, uint32_t n)
{
	struct wl_inline_frames *f = a->f;
	uint32_t *v = reallocarray(f->chain, f->n_chain + n + 1, sizeof(*v));
	struct wl_inline_place *place;

	if (!v)
		return false;
	f->chain = v;
	if (at >= a->n_addresses)
		return true;
	place = (struct wl_inline_place *)wl_inline_frames_at(f, a->address[at]);
	if (!place || place->n || f->n_chain + n > UINT32_MAX)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&v[f->n_chain + i], numbers + i * sizeof(*v), sizeof(*v));
		if (v[f->n_chain + i] >= f->n_names - a->first_name)
			return true;
		v[f->n_chain + i] += a->first_name;
	}
	place->first = (uint32_t)f->n_chain;
	place->n = n;
	f->n_chain += n;
	return true;
}

/* Parts as long as they are well. */
int wl_inline_frames_take(struct wl_inline_frames *f, const uint64_t *addresses, size_t n_addresses,
	const uint8_t *bytes, size_t n, bool *whole)
{
	const struct answer a = {f, addresses, n_addresses, (uint32_t)f->n_names};
	struct wl_inline_part part;

	*whole = false;
	while (n >= sizeof(part)) {
		size_t size;

		memcpy(&part, bytes, sizeof(part));
		bytes += sizeof(part);
		n -= sizeof(part);
		*whole = part.kind == WL_INLINE_END;
		size = part.kind == WL_INLINE_NAME ? part.n : part.n * sizeof(uint32_t);
		if (part.kind > WL_INLINE_END || size > n ||
			part.n > (part.kind == WL_INLINE_NAME ? WL_INLINE_TEXT : WL_INLINE_DEPTH) ||
			f->n_names >= NAMES_MOST)
			return 0;
		if ((part.kind == WL_INLINE_NAME && !name_take(f, bytes, part.n)) ||
			(part.kind == WL_INLINE_CHAIN && !chain_take(&a, part.at, bytes, part.n)))
			return ENOMEM;
		bytes += size;
		n -= size;
	}
	return 0;
}

void wl_inline_frames_free(struct wl_inline_frames *f)
{
	for (size_t i = 0; i < f->n_names; i++)
		free(f->name[i]);
	free(f->name);
	free(f->chain);
	free(f->place);
	*f = (struct wl_inline_frames){0};
}
