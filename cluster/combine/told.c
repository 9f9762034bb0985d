/* SPDX-License-Identifier: Apache-2.0 */
/* Epochs as columns: one piece of memory has all columns of a list, and its names behind each other. */
#include "told.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE_COLUMNS = 7 /* of 64 bits */, NARROW_COLUMNS = 2 };

static size_t names_size(const struct cluster_epoch *at, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += strlen(at[i].machine);
	return size;
}

/* The columns of a sum's epochs; without `is_full` those that say which epochs they are. */
static void columns_use(Ward__Cluster__Epochs *m, uint64_t *wide, uint32_t *narrow, size_t n, bool is_full)
{
	m->n_name_size = m->n_epoch = m->n_nonce = m->n_sequence = n;
	m->epoch = wide;
	m->nonce = wide + n;
	m->sequence = wide + 2 * n;
	m->name_size = narrow;
	if (!is_full)
		return;
	m->n_events = m->n_dropped = m->n_wall_ns = m->n_overhead_ppm = m->n_flags = n;
	m->events = wide + 3 * n;
	m->dropped = wide + 4 * n;
	m->wall_ns = wide + 5 * n;
	m->overhead_ppm = wide + 6 * n;
	m->flags = narrow + n;
}

static void columns_fill(Ward__Cluster__Epochs *m, const struct cluster_epoch *at, size_t n)
{
	uint8_t *names = m->name.data;

	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(at[i].machine);
		memcpy(names, at[i].machine, length);
		names += length;
		m->name_size[i] = (uint32_t)length;
		m->epoch[i] = at[i].epoch;
		m->nonce[i] = at[i].nonce;
		m->sequence[i] = at[i].sequence;
		if (!m->n_flags)
			continue;
		m->events[i] = at[i].events;
		m->dropped[i] = at[i].dropped;
		m->wall_ns[i] = at[i].wall_ns;
		m->overhead_ppm[i] = at[i].overhead_ppm;
		m->flags[i] = at[i].flags;
	}
}

/* *columns is to be freed. False without memory. */
static bool epochs_write(
	const struct cluster_epoch *at, size_t n, bool is_full, Ward__Cluster__Epochs *m, void **columns)
{
	size_t names = names_size(at, n), wide = n * WIDE_COLUMNS * sizeof(uint64_t);

	*m = (Ward__Cluster__Epochs)WARD__CLUSTER__EPOCHS__INIT;
	*columns = malloc(wide + n * NARROW_COLUMNS * sizeof(uint32_t) + names + 1);
	if (!*columns)
		return false;
	uint32_t *narrow = (uint32_t *)((char *)*columns + wide);
	m->has_name = n != 0;
	m->name = (ProtobufCBinaryData){names, (uint8_t *)(narrow + n * NARROW_COLUMNS)};
	columns_use(m, *columns, narrow, n, is_full);
	columns_fill(m, at, n);
	return true;
}

static ProtobufCBinaryData bytes_of(const void *bytes, size_t size)
{
	return (ProtobufCBinaryData){size, (uint8_t *)(uintptr_t)bytes};
}

/* ---- a combiner's ---- */

/* The lists of a Sum, and what is to be freed. */
struct sum_lists {
	Ward__Cluster__Epochs live, closed, again, single;
	void *columns[4];
	struct cluster_epoch *of_single;
	ProtobufCBinaryData *partials;
	Ward__Cluster__Blame blame[CLUSTER_TREE_BLAMES], *blames[CLUSTER_TREE_BLAMES];
};

static bool singles_write(const struct cluster_told *told, struct sum_lists *l, Ward__Cluster__Sum *m)
{
	size_t n = told->n_singles;

	l->of_single = calloc(n + 1, sizeof(*l->of_single));
	l->partials = calloc(n + 1, sizeof(*l->partials));
	if (!l->of_single || !l->partials)
		return false;
	for (size_t i = 0; i < n; i++) {
		l->of_single[i] = told->singles[i].of;
		l->partials[i] = bytes_of(told->singles[i].bytes, told->singles[i].size);
	}
	m->n_single_partial = n;
	m->single_partial = l->partials;
	return epochs_write(l->of_single, n, false, &l->single, &l->columns[3]);
}

static void blames_write(const struct cluster_told *told, struct sum_lists *l, Ward__Cluster__Sum *m)
{
	for (size_t i = 0; i < told->n_blames && i < CLUSTER_TREE_BLAMES; i++) {
		const struct cluster_blame *b = &told->blames[i];
		l->blame[i] = (Ward__Cluster__Blame)WARD__CLUSTER__BLAME__INIT;
		l->blame[i].machine = bytes_of(b->machine, strlen(b->machine));
		l->blame[i].reason = bytes_of(b->reason, strnlen(b->reason, 512));
		l->blames[m->n_blame++] = &l->blame[i];
	}
	m->blame = l->blames;
}

static void group_write(const struct cluster_group *g, protobuf_c_boolean *has, ProtobufCBinaryData *bytes)
{
	*has = g->size != 0;
	*bytes = bytes_of(g->bytes, g->size);
}

void *cluster_told_write(const struct cluster_told *told, uint32_t unit, size_t *size)
{
	Ward__Cluster__Sum m = WARD__CLUSTER__SUM__INIT;
	struct sum_lists *l = calloc(1, sizeof(*l));
	bool ok = l && epochs_write(told->live.at, told->live.n, true, &l->live, &l->columns[0]) &&
		  epochs_write(told->closed.at, told->closed.n, true, &l->closed, &l->columns[1]) &&
		  epochs_write(told->again.at, told->again.n, false, &l->again, &l->columns[2]) &&
		  singles_write(told, l, &m);
	void *bytes = NULL;

	if (ok) {
		m.format = CLUSTER_FORMAT;
		m.combiner = told->combiner;
		m.term = told->term;
		m.sequence = told->sequence;
		m.unit = unit;
		m.live = &l->live;
		m.closed = &l->closed;
		m.again = &l->again;
		m.single = &l->single;
		group_write(&told->live, &m.has_live_sum, &m.live_sum);
		group_write(&told->closed, &m.has_closed_sum, &m.closed_sum);
		blames_write(told, l, &m);
		m.has_no_room = told->no_room != 0;
		m.no_room = told->no_room;
		bytes = cluster_message_write(&m.base, size);
	}
	for (size_t i = 0; l && i < 4; i++)
		free(l->columns[i]);
	if (l) {
		free(l->of_single);
		free(l->partials);
	}
	free(l);
	return bytes;
}

/* ---- a coordinator's ---- */

bool cluster_answer_write(
	const struct cluster_answer *answer, uint32_t shard, uint32_t unit, struct cluster_answer_message *out)
{
	*out = (struct cluster_answer_message){.m = WARD__CLUSTER__ANSWER__INIT};
	out->out = calloc(answer->n_out + 1, sizeof(*out->out));
	if (!out->out ||
		!epochs_write(answer->settled, answer->n_settled, false, &out->settled, &out->settled_columns) ||
		!epochs_write(answer->kept, answer->n_kept, false, &out->kept, &out->kept_columns))
		return false;
	for (size_t i = 0; i < answer->n_out; i++)
		out->out[i] = bytes_of(answer->out[i], strlen(answer->out[i]));
	out->m.shard = shard;
	out->m.unit = unit;
	out->m.settled = &out->settled;
	out->m.kept = &out->kept;
	out->m.out = out->out;
	out->m.n_out = answer->n_out;
	return true;
}

void cluster_answer_message_free(struct cluster_answer_message *message)
{
	free(message->settled_columns);
	free(message->kept_columns);
	free(message->out);
	*message = (struct cluster_answer_message){0};
}
