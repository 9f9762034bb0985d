/* SPDX-License-Identifier: Apache-2.0 */
/* The threads' counts, read from the tracer's mapping of the shared memory. */
#include "attach.h"

#include <stdlib.h>
#include <string.h>

/* The target writes these words at any time, and perhaps nonsense: each is read once. */
static uint64_t shared_word(const struct wl_attachment *a, size_t row, size_t offset)
{
	const char *p = a->shared;

	return *(const volatile uint64_t *)(p + row * WL_ROW_SIZE + offset);
}

static uint32_t states_in_use(const struct wl_attachment *a)
{
	uint64_t n;

	if (!a->shared)
		return 0;
	n = shared_word(a, 0, offsetof(struct wl_tally, states));
	return n < a->slots.max_threads ? (uint32_t)n : a->slots.max_threads;
}

void wl_attachment_stats(const struct wl_attachment *a, struct ward_session_stats *stats)
{
	stats->threads = states_in_use(a);
	stats->sites = a->n_attached;
	if (!a->shared)
		return;
	stats->dropped = shared_word(a, 0, offsetof(struct wl_tally, dropped));
	for (size_t row = 1; row < a->slots.rows; row++) {
		stats->events += shared_word(a, row, offsetof(struct wl_tally, events));
		stats->dropped += shared_word(a, row, offsetof(struct wl_tally, dropped));
	}
}

bool wl_attachment_shut(const struct wl_attachment *a)
{
	return a->shared && shared_word(a, 0, offsetof(struct wl_tally, shut));
}

const void **wl_attachment_states(const struct wl_attachment *a, size_t *n)
{
	const char *base = a->shared;
	const void **v;

	*n = states_in_use(a);
	v = malloc((*n + 1) * sizeof(*v));
	for (size_t i = 0; v && i < *n; i++)
		v[i] = base + a->states_offset + i * a->slots.state_stride;
	return v;
}

const void **wl_attachment_shared(const struct wl_attachment *a, size_t *n)
{
	const void **v = malloc(sizeof(*v));

	*n = v && a->shared && a->data_offset && a->data_offset < a->shared_size;
	if (*n)
		*v = (const char *)a->shared + a->data_offset;
	return v;
}

void wl_pauses_tell(const struct wl_pauses *from, struct ward_pauses *to)
{
	to->count = from->n;
	to->total = from->total;
	to->most = from->most;
	memcpy(to->by_power, from->by_power, sizeof(to->by_power));
}
