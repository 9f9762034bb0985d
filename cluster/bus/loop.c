/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bus in memory, for tests and simulation: ends in one process, virtual time, and faults drawn from a seed. Messages
 * on their way are a heap by (time of arrival, number), so one seed gives one history.
 */
#include "ops.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"

struct loop_end {
	struct bus base;
	bus_loop *loop;
	struct loop_end *next;
	char name[64];
	char **pattern;
	size_t n_patterns;
	struct bus_queue queue;
	struct bus_held *current;
	uint64_t sent, taken, connects;
	bool cut;
};

struct loop_arrival {
	int64_t time;
	uint64_t number;
	struct loop_end *to;
	struct bus_held *held;
};

struct bus_loop {
	struct bus_loop_faults faults;
	uint64_t random, number;
	int64_t now;
	struct loop_end *ends;
	struct loop_arrival *heap;
	size_t n, room;
};

/* splitmix64 */
static uint64_t loop_random(bus_loop *l)
{
	uint64_t x = l->random += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static bool loop_draws(bus_loop *l, unsigned of_1000)
{
	return loop_random(l) % 1000 < of_1000;
}

static bool arrival_before(const struct loop_arrival *a, const struct loop_arrival *b)
{
	return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void heap_swap(bus_loop *l, size_t a, size_t b)
{
	struct loop_arrival held = l->heap[a];
	l->heap[a] = l->heap[b];
	l->heap[b] = held;
}

/* Takes the message in any case. */
static int heap_put(bus_loop *l, struct loop_arrival arrival)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 64;
		struct loop_arrival *heap = realloc(l->heap, room * sizeof(*heap));
		if (!heap) {
			free(arrival.held);
			return WARD_E_SYSTEM;
		}
		l->heap = heap;
		l->room = room;
	}
	size_t at = l->n++;
	l->heap[at] = arrival;
	for (; at && arrival_before(&l->heap[at], &l->heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap_swap(l, at, (at - 1) / 2);
	return 0;
}

static struct loop_arrival heap_take(bus_loop *l)
{
	struct loop_arrival first = l->heap[0];
	size_t at = 0;

	l->heap[0] = l->heap[--l->n];
	for (;;) {
		size_t least = at;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < l->n; child++)
			if (arrival_before(&l->heap[child], &l->heap[least]))
				least = child;
		if (least == at)
			return first;
		heap_swap(l, at, least);
		at = least;
	}
}

/* Forget what is on its way to an end. What is left is put in order anew. */
static void loop_forget(bus_loop *l, const struct loop_end *end)
{
	size_t n = l->n;

	l->n = 0;
	for (size_t i = 0; i < n; i++) {
		struct loop_arrival arrival = l->heap[i];
		if (arrival.to == end)
			free(arrival.held);
		else
			heap_put(l, arrival); /* there is room */
	}
}

static int loop_send(bus_loop *l, struct loop_end *to, const char *subject, const void *data, size_t size)
{
	int copies = loop_draws(l, l->faults.lost) ? 0 : loop_draws(l, l->faults.doubled) ? 2 : 1;

	while (copies--) {
		struct loop_arrival arrival = {.time = l->now + l->faults.delay_ms, .number = l->number++, .to = to};
		if (loop_draws(l, l->faults.reordered))
			arrival.time += (int64_t)(loop_random(l) % (uint64_t)(9 * l->faults.delay_ms + 1));
		arrival.held = bus_held_make(subject, data, size);
		if (!arrival.held || heap_put(l, arrival))
			return WARD_E_SYSTEM;
	}
	return 0;
}

static bool end_wants(const struct loop_end *end, const char *subject)
{
	for (size_t i = 0; i < end->n_patterns; i++)
		if (bus_subject_matches(end->pattern[i], subject))
			return true;
	return false;
}

static int loop_publish(bus *b, const char *subject, const void *data, size_t size, struct ward_error *err)
{
	struct loop_end *from = (struct loop_end *)b;

	if (from->cut)
		return cluster_fail(err, WARD_E_TARGET, from->name, "it isn't connected to the bus");
	from->sent++;
	for (struct loop_end *to = from->loop->ends; to; to = to->next)
		if (!to->cut && end_wants(to, subject) && loop_send(from->loop, to, subject, data, size))
			return cluster_no_memory(err);
	return 0;
}

static int loop_subscribe(bus *b, const char *subject, struct ward_error *err)
{
	struct loop_end *end = (struct loop_end *)b;
	char **more = realloc(end->pattern, (end->n_patterns + 1) * sizeof(*more));

	if (!more)
		return cluster_no_memory(err);
	end->pattern = more;
	more[end->n_patterns] = strdup(subject);
	if (!more[end->n_patterns])
		return cluster_no_memory(err);
	end->n_patterns++;
	return 0;
}

static void loop_unsubscribe(bus *b, const char *subject)
{
	struct loop_end *end = (struct loop_end *)b;

	for (size_t i = end->n_patterns; i-- > 0;) {
		if (strcmp(end->pattern[i], subject) != 0)
			continue;
		free(end->pattern[i]);
		end->pattern[i] = end->pattern[--end->n_patterns];
	}
}

static int loop_take(bus *b, int64_t timeout_ms, struct bus_message *out, struct ward_error *err)
{
	struct loop_end *end = (struct loop_end *)b;

	(void)timeout_ms;
	(void)err;
	free(end->current);
	end->current = bus_queue_take(&end->queue);
	if (!end->current)
		return 0;
	end->taken++;
	bus_held_message(end->current, out);
	return 1;
}

static void loop_get_state(bus *b, struct bus_state *out)
{
	struct loop_end *end = (struct loop_end *)b;

	out->connected = !end->cut;
	out->connects = end->connects;
	out->sent = end->sent;
	out->taken = end->taken;
	out->dropped = end->queue.dropped;
	out->waiting = end->queue.n;
	strcpy(out->server, "loop");
	if (end->cut)
		strcpy(out->reason, "it was cut off");
}

static int loop_flush(bus *b, int64_t timeout_ms, struct ward_error *err)
{
	(void)timeout_ms;
	return ((struct loop_end *)b)->cut ? cluster_fail(err, WARD_E_TARGET, "loop", "it was cut off") : 0;
}

static void loop_close(bus *b)
{
	struct loop_end *end = (struct loop_end *)b, **at = &end->loop->ends;

	while (*at != end)
		at = &(*at)->next;
	*at = end->next;
	loop_forget(end->loop, end);
	bus_queue_free(&end->queue);
	free(end->current);
	for (size_t i = 0; i < end->n_patterns; i++)
		free(end->pattern[i]);
	free(end->pattern);
	free(end);
}

static const struct bus_ops loop_ops = {
	loop_publish, loop_subscribe, loop_unsubscribe, loop_take, loop_get_state, loop_flush, loop_close};

int bus_loop_open(bus_loop *loop, const char *name, bus **out, struct ward_error *err)
{
	struct loop_end *end = calloc(1, sizeof(*end)), **last = &loop->ends;

	*out = NULL;
	if (!end)
		return cluster_no_memory(err);
	end->base.ops = &loop_ops;
	end->loop = loop;
	end->connects = 1;
	strncpy(end->name, name, sizeof(end->name) - 1);
	bus_queue_init(&end->queue, SIZE_MAX, SIZE_MAX);
	while (*last)
		last = &(*last)->next;
	*last = end;
	*out = &end->base;
	return 0;
}

void bus_loop_cut(bus *b, bool cut)
{
	struct loop_end *end = (struct loop_end *)b;

	if (end->cut && !cut)
		end->connects++;
	if (cut)
		loop_forget(end->loop, end);
	end->cut = cut;
}

int bus_loop_create(const struct bus_loop_faults *faults, bus_loop **out, struct ward_error *err)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return cluster_no_memory(err);
	if (faults) {
		(*out)->faults = *faults;
		(*out)->random = faults->seed;
	}
	return 0;
}

void bus_loop_set_faults(bus_loop *loop, const struct bus_loop_faults *faults)
{
	loop->faults = *faults;
}

void bus_loop_advance(bus_loop *l, int64_t ms)
{
	l->now += ms;
	while (l->n && l->heap[0].time <= l->now) {
		struct loop_arrival arrival = heap_take(l);
		bus_queue_put(&arrival.to->queue, arrival.held);
	}
}

int64_t bus_loop_now(const bus_loop *l)
{
	return l->now;
}

void bus_loop_free(bus_loop *l)
{
	if (!l)
		return;
	free(l->heap);
	free(l);
}
