/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each epoch of a query has sent last. It is sent again until the coordinator has it for good, also by an agent
 * that was started anew: so it is on disk, every ten seconds and at the end. It is kept after that, too, as long as the
 * query is known here: a coordinator that takes over without the journal gets it once more (C-131).
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "store.h"

enum { KEEP_S = 10, NAME = 96 };

static void value_name(const struct agent_query *q, const struct agent_value *v, char name[NAME])
{
	char id[2 * CLUSTER_ID + 1];

	cluster_hex(q->id, CLUSTER_ID, id);
	snprintf(name, NAME, "%s-%llu-%016llx", id, (unsigned long long)v->epoch.number,
		(unsigned long long)v->epoch.nonce);
}

void agent_value_keep(struct agent *a, struct agent_query *q, struct agent_value *v)
{
	char name[NAME];

	value_name(q, v, name);
	agent_store_write(a->values, name, v->bytes, v->size, false, NULL);
	v->kept_ns = agent_now();
}

void agent_value_forget(struct agent *a, struct agent_query *q, size_t i)
{
	char name[NAME];

	value_name(q, &q->values[i], name);
	agent_store_remove(a->values, name);
	free(q->values[i].bytes);
	memmove(&q->values[i], &q->values[i + 1], (--q->n_values - i) * sizeof(*q->values));
}

static struct agent_value *value_of(struct agent *a, struct agent_query *q, const struct agent_epoch *epoch)
{
	for (size_t i = 0; i < q->n_values; i++)
		if (q->values[i].epoch.number == epoch->number && q->values[i].epoch.nonce == epoch->nonce)
			return &q->values[i];
	if (q->n_values == AGENT_EPOCHS) {
		agent_log(4, "the value of epoch %llu is given up: there are too many",
			(unsigned long long)q->values[0].epoch.number);
		q->given_up++;
		agent_value_forget(a, q, 0);
	}
	q->values[q->n_values] = (struct agent_value){.epoch = *epoch};
	return &q->values[q->n_values++];
}

void agent_value_take(struct agent *a, struct agent_query *q, const struct agent_epoch *epoch, const void *bytes,
	size_t size, bool is_over)
{
	struct agent_value *v = value_of(a, q, epoch);
	void *copy = malloc(size ? size : 1);

	if (!copy)
		return; /* the one before stays */
	memcpy(copy, bytes, size);
	free(v->bytes);
	v->bytes = copy;
	v->size = size;
	v->is_over |= is_over;
	if (is_over || agent_now() - v->kept_ns > KEEP_S * AGENT_SECOND)
		agent_value_keep(a, q, v);
}

/* "ID-EPOCH-NONCE" */
static bool name_read(const char *name, char id[2 * CLUSTER_ID + 1], struct agent_epoch *epoch)
{
	unsigned long long number, nonce;

	if (sscanf(name, "%32[0-9a-f]-%llu-%16llx", id, &number, &nonce) != 3 || strstr(name, ".new"))
		return false;
	*epoch = (struct agent_epoch){number, nonce};
	return true;
}

void agent_values_load(struct agent *a, struct agent_query *q)
{
	DIR *d = opendir(a->values);
	char id[2 * CLUSTER_ID + 1];
	struct dirent *e;

	cluster_hex(q->id, CLUSTER_ID, id);
	while (d && (e = readdir(d))) {
		struct agent_epoch epoch;
		char of[2 * CLUSTER_ID + 1];
		void *bytes = NULL;
		size_t n;
		if (!name_read(e->d_name, of, &epoch) || strcmp(of, id) != 0 ||
			!agent_store_read(a->values, e->d_name, CLUSTER_MOST_BYTES, &bytes, &n, NULL))
			continue;
		if (n)
			agent_value_take(a, q, &epoch, bytes, n, true);
		free(bytes);
	}
	if (d)
		closedir(d);
}

void agent_values_clean(struct agent *a)
{
	DIR *d = opendir(a->values);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct agent_epoch epoch;
		char of[2 * CLUSTER_ID + 1];
		uint8_t id[CLUSTER_ID];
		if (name_read(e->d_name, of, &epoch) && cluster_hex_read(of, CLUSTER_ID, id) &&
			!agent_query_find(a, id))
			agent_store_remove(a->values, e->d_name);
	}
	if (d)
		closedir(d);
}
