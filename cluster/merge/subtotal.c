/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message of a combiner has two sums: that of the epochs that go on, and that of those whose last value has come and
 * isn't settled yet. Both are in one message, so an epoch moves from the one to the other at once. An epoch that the
 * coordinator has settled is in neither, now and for good; if its machine still sends it, the acknowledgement was
 * lost, and the message names it.
 *
 * A child that has been silent for some periods is sent by itself as well (C-164), until the coordinator has it: so
 * what a dead machine last sent outlives its combiner.
 *
 * A message is made anew of what there is, so one that is lost costs nothing. Its size is bounded: sums are cut, and
 * epochs that there is no room for are left out, in the order in which they came, and counted.
 */
#include "subtotal.h"

#include <stdlib.h>
#include <string.h>

#include "adder.h"
#include "names.h"
#include "total.h"

#include "cluster/base/error.h"

/* What is kept beside a child. */
struct beside {
	uint64_t kept; /* the sequence that the coordinator has of it as a single; 0: none */
	bool is_again;
};

struct blamed {
	char *reason;
	bool is_told;
};

struct epoch_list {
	struct cluster_epoch *at;
	size_t n, room;
};

struct cluster_subtotal {
	cluster_children *children;
	uint64_t combiner, term, sequence;
	struct beside *beside; /* by place */
	size_t beside_room;
	struct cluster_names blamed;
	struct blamed *blames; /* by the name's number */
	size_t blames_room;
	/* the message */
	struct epoch_list live, closed, again;
	void *live_bytes, *closed_bytes;
	struct cluster_single *singles;
	size_t n_singles, singles_room;
	struct cluster_blame said[CLUSTER_TREE_BLAMES];
};

cluster_subtotal *cluster_subtotal_new(const struct cluster_children_options *options, uint64_t combiner)
{
	cluster_subtotal *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->combiner = combiner;
	s->children = cluster_children_new(options);
	if (s->children)
		return s;
	free(s);
	return NULL;
}

void cluster_subtotal_free(cluster_subtotal *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->blamed.n; i++)
		free(s->blames[i].reason);
	cluster_children_free(s->children);
	cluster_names_free(&s->blamed);
	free(s->beside);
	free(s->blames);
	free(s->live.at);
	free(s->closed.at);
	free(s->again.at);
	free(s->live_bytes);
	free(s->closed_bytes);
	free(s->singles);
	free(s);
}

size_t cluster_subtotal_count(const cluster_subtotal *s)
{
	return cluster_children_count(s->children);
}

size_t cluster_subtotal_bytes(const cluster_subtotal *s)
{
	return cluster_children_bytes(s->children);
}

/* ---- what comes ---- */

/* NULL without memory. */
static struct beside *beside_of(cluster_subtotal *s, const struct cluster_child *child)
{
	bool has = cluster_array_grow(
		&s->beside, &s->beside_room, cluster_children_count(s->children), sizeof(*s->beside));
	return has ? &s->beside[child->place] : NULL;
}

bool cluster_subtotal_blame(cluster_subtotal *s, const char *machine, const char *reason)
{
	if (!cluster_children_put_out(s->children, machine) ||
		!cluster_array_grow(&s->blames, &s->blames_room, s->blamed.n + 1, sizeof(*s->blames)))
		return false;
	size_t i = cluster_names_add(&s->blamed, machine);
	if (i == SIZE_MAX)
		return false;
	if (!s->blames[i].reason)
		s->blames[i].reason = strdup(reason);
	return s->blames[i].reason != NULL;
}

enum cluster_taken cluster_subtotal_take(cluster_subtotal *s, const struct cluster_sender *sender, const void *bytes,
	size_t size, uint64_t now_ns, struct ward_error *err)
{
	const struct cluster_child *child = NULL;
	struct ward_error own;
	struct ward_error *why = err ? err : &own;
	enum cluster_taken how = cluster_children_take(s->children, sender, bytes, size, now_ns, &child, why);

	if (how == CLUSTER_INCONSISTENT && !cluster_subtotal_blame(s, sender->machine, why->why))
		return CLUSTER_NO_ROOM;
	if (how == CLUSTER_OLD && child->is_dropped) {
		struct beside *beside = beside_of(s, child);
		if (beside)
			beside->is_again = true;
	}
	return how;
}

static void kept_take(cluster_subtotal *s, const struct cluster_epoch *e)
{
	const struct cluster_child *c = cluster_children_find(s->children, e->machine, e->epoch, e->nonce);
	struct beside *beside = c ? beside_of(s, c) : NULL;

	if (beside && e->sequence > beside->kept)
		beside->kept = e->sequence;
}

bool cluster_subtotal_answer(cluster_subtotal *s, const struct cluster_answer *answer, uint64_t now_ns)
{
	bool ok = true;

	for (size_t i = 0; i < answer->n_settled; i++) {
		const struct cluster_epoch *e = &answer->settled[i];
		ok &= cluster_children_drop(s->children, e->machine, e->epoch, e->nonce, now_ns);
	}
	for (size_t i = 0; i < answer->n_kept; i++)
		kept_take(s, &answer->kept[i]);
	for (size_t i = 0; i < answer->n_out; i++) {
		bool has = cluster_subtotal_blame(s, answer->out[i], "its coordinator says so");
		size_t at = has ? cluster_names_find(&s->blamed, answer->out[i]) : SIZE_MAX;
		if (at != SIZE_MAX)
			s->blames[at].is_told = true;
		ok &= has;
	}
	return ok;
}

/* ---- what is said ---- */

static bool list_add(struct epoch_list *list, const struct cluster_child *c)
{
	if (!cluster_array_grow(&list->at, &list->room, list->n + 1, sizeof(*list->at)))
		return false;
	list->at[list->n++] = cluster_epoch_of(c);
	return true;
}

/* The message that is being made. */
struct maker {
	cluster_subtotal *s;
	struct cluster_told *out;
	struct cluster_adder live, closed;
	uint64_t silent_ns, now_ns; /* silent_ns: who was silent for so long is a single */
	size_t rows, single_bytes;
	struct ward_error *err;
};

static bool child_is_single(const struct maker *m, const struct cluster_child *c)
{
	return m->now_ns - c->heard_ns >= m->silent_ns && m->s->beside[c->place].kept < c->notes.sequence &&
	       m->single_bytes + c->size <= CLUSTER_TREE_SINGLES;
}

static int single_add(struct maker *m, const struct cluster_child *c)
{
	cluster_subtotal *s = m->s;

	if (!child_is_single(m, c))
		return WARD_OK;
	if (!cluster_array_grow(&s->singles, &s->singles_room, s->n_singles + 1, sizeof(*s->singles)))
		return cluster_no_memory(m->err);
	m->single_bytes += c->size;
	s->singles[s->n_singles++] = (struct cluster_single){cluster_epoch_of(c), c->bytes, c->size};
	return WARD_OK;
}

/* Its place in the message: in one of the two sums. */
static int child_add(struct maker *m, const struct cluster_child *c)
{
	bool is_closed = c->notes.flags & WARD_PARTIAL_LAST;
	struct cluster_adder *adder = is_closed ? &m->closed : &m->live;
	size_t row = strlen(c->machine) + CLUSTER_TREE_ROW;
	ward_partial *p;

	if (m->rows + row > CLUSTER_TREE_ROWS) {
		m->out->no_room++;
		return WARD_OK;
	}
	m->rows += row;
	int status = cluster_child_read(m->s->children, c, adder->memory, &p, m->err);
	if (status == WARD_OK)
		status = cluster_adder_put(adder, p);
	if (status == WARD_OK && !list_add(is_closed ? &m->s->closed : &m->s->live, c))
		status = cluster_no_memory(m->err);
	return status ? status : single_add(m, c);
}

static int again_add(struct maker *m, const struct cluster_child *c)
{
	struct beside *beside = &m->s->beside[c->place];

	if (!beside->is_again || m->s->again.n >= CLUSTER_TREE_ANSWERS / 4)
		return WARD_OK;
	beside->is_again = false;
	return list_add(&m->s->again, c) ? WARD_OK : cluster_no_memory(m->err);
}

static int children_add(struct maker *m)
{
	const cluster_children *children = m->s->children;
	int status = WARD_OK;

	if (!cluster_array_grow(
		    &m->s->beside, &m->s->beside_room, cluster_children_count(children), sizeof(*m->s->beside)))
		return cluster_no_memory(m->err);
	for (size_t i = 0; status == WARD_OK && i < cluster_children_count(children); i++) {
		const struct cluster_child *c = cluster_children_at(children, i);
		if (c->is_dropped)
			status = again_add(m, c);
		else if (!c->is_out)
			status = child_add(m, c);
	}
	return status;
}

/* The sum as bytes, cut to the room that there is. */
static int group_pack(struct maker *m, struct cluster_adder *adder, size_t most, const struct epoch_list *list,
	void **bytes, struct cluster_group *out)
{
	struct ward_partial_limits limits = {.size = sizeof(limits), .bytes = most, .memory = adder->memory};
	struct ward_partial_notes notes = {.size = sizeof(notes), .epoch = 1, .sequence = 1};
	ward_partial *sum;
	int status = cluster_adder_end(adder, &sum);

	*out = (struct cluster_group){.at = list->at, .n = list->n};
	if (status || !sum)
		return status;
	struct ward_partial_notes of = ward_partial_notes(sum);
	memcpy(notes.query, cluster_children_options(m->s->children)->query, sizeof(notes.query));
	notes.events = of.events;
	notes.dropped = of.dropped;
	notes.flags = of.flags & ~(uint32_t)WARD_PARTIAL_LAST;
	notes.flags |= adder->cut ? WARD_PARTIAL_CUT : 0;
	status = ward_partial_note(sum, &notes, m->err);
	if (status == WARD_OK)
		status = ward_partial_pack(sum, &limits, bytes, &out->size, m->err);
	out->bytes = *bytes;
	ward_partial_free(sum);
	return status;
}

static void blames_add(cluster_subtotal *s, struct cluster_told *out)
{
	out->blames = s->said;
	for (size_t i = 0; i < s->blamed.n && out->n_blames < CLUSTER_TREE_BLAMES; i++)
		if (!s->blames[i].is_told)
			s->said[out->n_blames++] = (struct cluster_blame){s->blamed.at[i], s->blames[i].reason};
}

/* Another coordinator knows nothing of what the one before has answered, but of what is settled. */
static void term_begin(cluster_subtotal *s, uint64_t term)
{
	if (s->term == term)
		return;
	s->term = term;
	for (size_t i = 0; i < s->beside_room; i++)
		s->beside[i].kept = 0;
	for (size_t i = 0; i < s->blamed.n; i++)
		s->blames[i].is_told = false;
}

static void message_clear(cluster_subtotal *s)
{
	free(s->live_bytes);
	free(s->closed_bytes);
	s->live_bytes = s->closed_bytes = NULL;
	s->live.n = s->closed.n = s->again.n = s->n_singles = 0;
}

int cluster_subtotal_tell(cluster_subtotal *s, uint64_t term, uint64_t period_ns, uint64_t now_ns,
	struct cluster_told *out, struct ward_error *err)
{
	struct ward_error own;
	struct maker m = {.s = s, .out = out, .now_ns = now_ns, .silent_ns = CLUSTER_SILENT_PERIODS * period_ns};

	m.err = m.live.err = m.closed.err = err ? err : &own;
	m.live.memory = m.closed.memory = CLUSTER_TOTAL_MEMORY;
	term_begin(s, term);
	message_clear(s);
	*out = (struct cluster_told){.combiner = s->combiner, .term = term, .sequence = ++s->sequence};
	int status = children_add(&m);
	if (status == WARD_OK)
		status = group_pack(&m, &m.live, CLUSTER_TREE_LIVE, &s->live, &s->live_bytes, &out->live);
	if (status == WARD_OK)
		status = group_pack(&m, &m.closed, CLUSTER_TREE_CLOSED, &s->closed, &s->closed_bytes, &out->closed);
	cluster_adder_free(&m.live);
	cluster_adder_free(&m.closed);
	out->again = (struct cluster_group){.at = s->again.at, .n = s->again.n};
	out->singles = s->singles;
	out->n_singles = s->n_singles;
	blames_add(s, out);
	return status;
}
