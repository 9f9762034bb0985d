/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to a message is made of the message: it says which of its epochs are settled, which singles are kept, and
 * which machines are out. So an answer that is lost comes again with the next message.
 */
#include "settle_parts.h"

#include <stdlib.h>

struct answerer {
	const cluster_settle *s;
	struct cluster_answer *out;
	size_t settled_room, kept_room, out_room;
	bool has_failed;
};

static void answer_add(
	struct answerer *a, struct cluster_epoch **list, size_t *n, size_t *room, const struct cluster_epoch *e)
{
	if (*n >= CLUSTER_TREE_ANSWERS)
		return;
	if (!cluster_array_grow(list, room, *n + 1, sizeof(**list)))
		a->has_failed = true;
	else
		(*list)[(*n)++] = *e;
}

static void answer_out(struct answerer *a, const char *machine)
{
	if (a->out->n_out >= CLUSTER_TREE_ANSWERS)
		return;
	if (!cluster_array_grow(&a->out->out, &a->out_room, a->out->n_out + 1, sizeof(char *)))
		a->has_failed = true;
	else
		a->out->out[a->out->n_out++] = machine;
}

static void answer_group(struct answerer *a, const struct cluster_group *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct settle_entry *e = settle_find(a->s, &g->at[i]);
		if (e && e->is_settled)
			answer_add(a, &a->out->settled, &a->out->n_settled, &a->settled_room, &e->last);
		else if (e && settle_is_out(a->s, e))
			answer_out(a, e->last.machine);
	}
}

static void answer_single(struct answerer *a, const struct cluster_single *single)
{
	const struct settle_entry *e = settle_find(a->s, &single->of);
	const struct cluster_child *c = e ? settle_single(a->s, e) : NULL;
	if (e && e->is_settled)
		answer_add(a, &a->out->settled, &a->out->n_settled, &a->settled_room, &e->last);
	else if (c && c->notes.sequence >= single->of.sequence)
		answer_add(a, &a->out->kept, &a->out->n_kept, &a->kept_room, &single->of);
}

bool cluster_settle_answer(const cluster_settle *s, const struct cluster_told *told, struct cluster_answer *out)
{
	struct answerer a = {.s = s, .out = out};
	*out = (struct cluster_answer){0};
	answer_group(&a, &told->live);
	answer_group(&a, &told->closed);
	answer_group(&a, &told->again);
	for (size_t i = 0; i < told->n_singles; i++)
		answer_single(&a, &told->singles[i]);
	for (size_t i = 0; i < told->n_blames; i++) {
		size_t machine = cluster_names_find(&s->epochs.names, told->blames[i].machine);
		if (machine != SIZE_MAX && s->out[machine])
			answer_out(&a, s->epochs.names.at[machine]);
	}
	return !a.has_failed;
}

void cluster_answer_free(struct cluster_answer *answer)
{
	free(answer->settled);
	free(answer->kept);
	free(answer->out);
	*answer = (struct cluster_answer){0};
}
