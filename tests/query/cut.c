/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of one run as partials of random processes and machines. Each state belongs to a process at random, whose
 * partial is taken of its states at once. Then two partials at random are added, as often as chance wants, so sums have
 * any order and depth. Before that, one may be packed and unpacked, as between two machines.
 */
#include "cut.h"

#include <stdio.h>
#include <stdlib.h>

#include "events.h"

static size_t draw(uint64_t *dice, size_t below)
{
	return (size_t)((next_number(dice) >> 33) % below);
}

/* A partial for each process that has got a state. */
static int processes_take(const ward_schema *schema, void *const *states, size_t n, size_t state_size, uint64_t *dice,
	ward_partial **parts, size_t *n_parts, struct ward_error *err)
{
	size_t of[MOST_CUTS];
	int status = WARD_OK;

	for (size_t i = 0; i < n; i++)
		of[i] = draw(dice, n);
	for (size_t process = 0; process < n && status == WARD_OK; process++) {
		const void *own[MOST_CUTS];
		size_t n_own = 0;

		for (size_t i = 0; i < n; i++)
			if (of[i] == process)
				own[n_own++] = states[i];
		if (n_own)
			status = ward_partial_merge(
				schema, NULL, own, n_own, state_size, NULL, &parts[(*n_parts)++], err);
	}
	return status;
}

/* The same, as another machine reads it. */
static int partial_send(const ward_schema *schema, ward_partial **partial, struct ward_error *err)
{
	const struct ward_partial_limits limits = {
		.size = sizeof(limits), .bytes = WARD_PARTIAL_MOST_BYTES, .memory = 64 << 20};
	ward_partial *read = NULL;
	void *bytes = NULL;
	size_t size;
	int status = ward_partial_pack(*partial, &limits, &bytes, &size, err);

	if (status == WARD_OK)
		status = ward_partial_unpack(schema, bytes, size, &limits, &read, err);
	free(bytes);
	if (status != WARD_OK)
		return status;
	ward_partial_free(*partial);
	*partial = read;
	return WARD_OK;
}

/* Add the one to the other, and put the last part in its place. */
static int parts_add(ward_partial **parts, size_t *n, size_t into, size_t from, struct ward_error *err)
{
	int status = ward_partial_add(parts[into], parts[from], err);

	ward_partial_free(parts[from]);
	parts[from] = parts[--*n];
	return status;
}

size_t states_cut(const ward_schema *schema, void *const *states, size_t n, size_t state_size, uint64_t *dice,
	ward_partial **parts)
{
	struct ward_error err = {0};
	size_t n_parts = 0;
	int status = processes_take(schema, states, n, state_size, dice, parts, &n_parts, &err);

	while (status == WARD_OK && n_parts > 1 && draw(dice, 4) != 0) {
		size_t from = draw(dice, n_parts), into = (from + 1 + draw(dice, n_parts - 1)) % n_parts;

		if (draw(dice, 2))
			status = partial_send(schema, &parts[from], &err);
		if (status == WARD_OK)
			status = parts_add(parts, &n_parts, into, from, &err);
	}
	if (status == WARD_OK && draw(dice, 2))
		status = partial_send(schema, &parts[draw(dice, n_parts)], &err);
	if (status == WARD_OK)
		return n_parts;
	printf("%s: %s\n", err.what, err.why);
	return 0;
}
