/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: the places of states, which attachments use one after the other. */
#include "controller.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LANES_MANY = 256 };

static uint64_t lane_word(const struct wl_lane *l, uint64_t offset)
{
	return *(const volatile uint64_t *)((const char *)l->base + offset);
}

/*
 * Only where something was ever written: a look at what is mapped would make memory of the rest, to be carried on to
 * the next one that goes on with the lane.
 */
void wl_lane_count(const struct wl_controller *c, const struct wl_lane *l, uint64_t *events, uint64_t *dropped)
{
	struct wl_tally t[WL_PAGE / WL_ROW_SIZE];
	off_t at = l->fd >= 0 ? lseek(l->fd, 0, SEEK_DATA) : -1;

	*events = *dropped = 0;
	while (at >= 0 && (uint64_t)at < c->slots.table_size && pread(l->fd, t, sizeof(t), at) == (ssize_t)sizeof(t)) {
		for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
			*events += at + (off_t)i ? t[i].events : 0; /* not row 0's */
			*dropped += t[i].dropped;
		}
		at = lseek(l->fd, at + WL_PAGE, SEEK_DATA);
	}
}

/* The states that have been given out in a lane since the last time. With the lock. */
static bool add_states(struct wl_controller *c, struct wl_lane *l)
{
	uint64_t n = l->base ? lane_word(l, offsetof(struct wl_tally, states)) : 0;

	for (; l->n < n && l->n < c->slots.max_threads; l->n++) {
		if (c->n_states == c->cap_states) {
			size_t cap = c->cap_states ? c->cap_states * 2 : 64;
			const void **v = realloc(c->states, cap * sizeof(*v));

			if (!v)
				return false;
			c->states = v;
			c->cap_states = cap;
		}
		if (c->options.follow && !wl_names_thread(c->names, l->history))
			return false;
		c->states[c->n_states++] = (const char *)l->base + c->states_offset + l->n * c->slots.state_stride;
	}
	return true;
}

/* Do its addresses mean there what they mean in the space? Without `follow` there is one space. */
static bool fits(const struct wl_controller *c, const struct wl_lane *l, const struct wl_space *s)
{
	return !c->names || !c->options.follow || wl_names_fit(c->names, &s->mapped, l->history);
}

/*
 * A free lane whose states have all been reported; its next user gives them out anew. If there are many lanes, then
 * also one that doesn't fit.
 */
static struct wl_lane *free_lane(struct wl_controller *c, const struct wl_space *s)
{
	struct wl_lane *found = NULL;
	unsigned n = 0;

	pthread_mutex_lock(&c->lock);
	for (struct wl_lane *l = c->lanes; l; l = l->next, n++)
		if (!l->taken && add_states(c, l) && (!found || !fits(c, found, s)))
			found = l;
	pthread_mutex_unlock(&c->lock);
	return found && (n >= LANES_MANY || fits(c, found, s)) ? found : NULL;
}

static struct wl_lane *new_lane(const struct wl_controller *c)
{
	struct wl_lane *l = calloc(1, sizeof(*l));
	int64_t history = l && c->names && c->options.follow ? wl_names_add(c->names) : 0;

	if (!l || history < 0) {
		free(l);
		return NULL;
	}
	l->fd = -1;
	l->history = (uint32_t)history;
	return l;
}

struct wl_lane *wl_lane_take(struct wl_controller *c, const struct wl_space *s)
{
	struct wl_lane *l = free_lane(c, s);

	if (!l) {
		l = new_lane(c);
		if (!l)
			return NULL;
		pthread_mutex_lock(&c->lock);
		l->number = c->n_lanes++;
		l->next = c->lanes;
		c->lanes = l;
		pthread_mutex_unlock(&c->lock);
	}
	l->taken = true;
	return l;
}

/* In the same order each time, those that are new at the end. */
const void **wl_controller_states(struct wl_controller *c, size_t *n)
{
	const void **v = NULL;
	bool well = true;

	pthread_mutex_lock(&c->lock);
	for (struct wl_lane *l = c->lanes; l && well; l = l->next)
		well = add_states(c, l);
	if (well)
		v = malloc((c->n_states + 1) * sizeof(*v));
	*n = v ? c->n_states : 0;
	if (*n)
		memcpy(v, c->states, *n * sizeof(*v));
	pthread_mutex_unlock(&c->lock);
	return v;
}

const void **wl_controller_shared(struct wl_controller *c, size_t *n)
{
	const uint64_t offset = c->states_offset + c->slots.states_size;
	const void **v;
	size_t lanes = 0;

	*n = 0;
	pthread_mutex_lock(&c->lock);
	for (struct wl_lane *l = c->lanes; l; l = l->next)
		lanes++;
	v = malloc((lanes + 1) * sizeof(*v));
	for (struct wl_lane *l = v ? c->lanes : NULL; l; l = l->next)
		if (l->base && offset < c->shared_size)
			v[(*n)++] = (const char *)l->base + offset;
	pthread_mutex_unlock(&c->lock);
	return v;
}

void wl_controller_pauses(struct wl_controller *c, struct ward_pauses *pauses)
{
	pthread_mutex_lock(&c->lock);
	wl_pauses_tell(&c->pauses, pauses);
	pthread_mutex_unlock(&c->lock);
}

void wl_controller_stats(struct wl_controller *c, struct ward_session_stats *stats)
{
	pthread_mutex_lock(&c->lock);
	for (struct wl_lane *l = c->lanes; l; l = l->next) {
		uint64_t events, dropped;

		wl_lane_count(c, l, &events, &dropped);
		stats->events += events;
		stats->dropped += dropped;
		add_states(c, l);
	}
	stats->threads = (uint32_t)c->n_states;
	stats->sites = c->n_labels;
	pthread_mutex_unlock(&c->lock);
}

bool wl_controller_shut(struct wl_controller *c)
{
	bool shut = false;

	pthread_mutex_lock(&c->lock);
	for (struct wl_lane *l = c->lanes; l && !shut; l = l->next) {
		struct wl_tally t;

		shut = l->fd >= 0 && pread(l->fd, &t, sizeof(t), 0) == (ssize_t)sizeof(t) && t.shut;
	}
	pthread_mutex_unlock(&c->lock);
	return shut;
}

void wl_lanes_free(struct wl_controller *c)
{
	while (c->lanes) {
		struct wl_lane *l = c->lanes;

		c->lanes = l->next;
		if (l->base)
			munmap(l->base, c->shared_size);
		if (l->fd >= 0)
			close(l->fd);
		free(l);
	}
	free(c->states);
}
