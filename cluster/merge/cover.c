/* SPDX-License-Identifier: Apache-2.0 */
/* A cover is a list of the children that were added, sorted by machine, epoch and nonce. */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"

bool cluster_cover_add(struct cluster_cover *cover, const struct cluster_child *child)
{
	if (!cluster_array_grow(&cover->at, &cover->room, cover->n + 1, sizeof(*cover->at)))
		return false;
	char *machine = strdup(child->machine);
	if (!machine)
		return false;
	cover->at[cover->n++] = (struct cluster_covered){.machine = machine,
		.epoch = child->notes.epoch,
		.nonce = child->notes.nonce,
		.sequence = child->notes.sequence,
		.since_ns = child->first_ns,
		.heard_ns = child->heard_ns,
		.wall_ns = child->notes.wall_ns,
		.events = child->notes.events,
		.dropped = child->notes.dropped,
		.overhead_ppm = child->notes.overhead_ppm,
		.flags = child->notes.flags,
		.is_settled = child->is_settled};
	cover->events += child->notes.events;
	cover->dropped += child->notes.dropped;
	cover->flags |= child->notes.flags;
	return true;
}

static int compare_covered(const void *a, const void *b)
{
	const struct cluster_covered *x = a, *y = b;
	int order = strcmp(x->machine, y->machine);
	if (order)
		return order;
	if (x->epoch != y->epoch)
		return x->epoch < y->epoch ? -1 : 1;
	return (x->nonce > y->nonce) - (x->nonce < y->nonce);
}

/* As one is that is made in the order of a list that is kept. */
static bool is_sorted(const struct cluster_cover *cover)
{
	for (size_t i = 1; i < cover->n; i++)
		if (compare_covered(&cover->at[i - 1], &cover->at[i]) > 0)
			return false;
	return true;
}

void cluster_cover_end(struct cluster_cover *cover)
{
	if (!is_sorted(cover))
		qsort(cover->at, cover->n, sizeof(*cover->at), compare_covered);
	cover->machines = 0;
	for (size_t i = 0; i < cover->n; i++)
		cover->machines += i == 0 || strcmp(cover->at[i - 1].machine, cover->at[i].machine) != 0;
}

void cluster_cover_free(struct cluster_cover *cover)
{
	for (size_t i = 0; i < cover->n; i++)
		free(cover->at[i].machine);
	free(cover->at);
	*cover = (struct cluster_cover){0};
}

const struct cluster_covered *cluster_cover_find(const struct cluster_cover *cover, const char *machine, size_t *n)
{
	size_t first = 0, end = cover->n;
	while (first < end) {
		size_t middle = first + (end - first) / 2;
		if (strcmp(cover->at[middle].machine, machine) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	for (*n = 0; first + *n < cover->n && strcmp(cover->at[first + *n].machine, machine) == 0; ++*n)
		;
	return *n ? &cover->at[first] : NULL;
}

/* Of each machine the newest epoch counts: the ones before are over. */
uint64_t cluster_cover_behind(const struct cluster_cover *cover, uint64_t now_ns)
{
	uint64_t most = 0;
	for (size_t i = 0; i < cover->n; i++) {
		const struct cluster_covered *c = &cover->at[i];
		bool is_newest = i + 1 == cover->n || strcmp(cover->at[i + 1].machine, c->machine) != 0;
		uint64_t age = now_ns > c->heard_ns ? now_ns - c->heard_ns : 0;
		if (is_newest && !(c->flags & WARD_PARTIAL_LAST) && age > most)
			most = age;
	}
	return most;
}
