/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A query that runs already: its coordinator has died and comes back, or another one takes it over. The one has a
 * journal, and in it all that was acknowledged. The other has the order from a machine (fetch.c), and machines send it
 * again what was acknowledged before (C-131); of machines that are gone by then it can't know.
 */
#include "run_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "run_tree.h"

static const uint64_t FRESH_NS = 4000000000;
enum { MARK_ADOPTED = 1 }; /* an entry CLUSTER_ENTRY_OTHER of this number: the first journal is elsewhere */

struct attach {
	struct cluster_run *r;
	uint64_t term;
};

static int entry_take_last(struct cluster_run *r, const struct cluster_entry *e, struct ward_error *err)
{
	struct cluster_sender sender = {.machine = e->name};
	const struct cluster_child *child = NULL;
	struct ward_error why = {0};

	if (e->number >= r->n_units || cluster_children_take(r->children[e->number], &sender, e->bytes, e->size,
					       r->now.ns, &child, &why) != CLUSTER_TAKEN)
		return 0; /* twice, as after a failed sync */
	const struct ward_partial_notes *n = &child->notes;
	bool is_last = cluster_children_settle(r->children[e->number], e->name, n->epoch, n->nonce);
	if (e->number + 1 < r->n_units)
		return 0;
	if (!cluster_fleet_part(r->fleet, e->name, n->epoch, n->nonce, is_last, r->now.ns) ||
		(is_last && !cluster_fleet_settle(r->fleet, e->name, n->epoch, n->nonce, r->now.ns)) ||
		!run_epochs_count(r, e->name))
		return cluster_no_memory(err);
	return 0;
}

static int entry_take(void *user, const struct cluster_entry *e, struct ward_error *err)
{
	struct attach *a = user;
	struct cluster_run *r = a->r;
	int rc;

	if (e->kind == CLUSTER_ENTRY_ORDER && !r->order) {
		r->order = malloc(e->size ? e->size : 1);
		if (!r->order)
			return cluster_no_memory(err);
		memcpy(r->order, e->bytes, e->size);
		r->order_size = e->size;
		rc = run_order_read(r, err);
		return rc ? rc : run_make_fleet(r, err);
	}
	if (!r->body)
		return cluster_fail(err, WARD_E_USAGE, "journal", "it doesn't begin with an order");
	if (e->kind == CLUSTER_ENTRY_OTHER && e->number == MARK_ADOPTED)
		cluster_fleet_adopt(r->fleet);
	if (e->kind == CLUSTER_ENTRY_TERM && e->number > a->term)
		a->term = e->number;
	if (e->kind == CLUSTER_ENTRY_MACHINE &&
		!cluster_fleet_choose(r->fleet, e->name,
			e->number == CLUSTER_EXPECTED ? CLUSTER_EXPECTED : CLUSTER_REMEMBERED, r->now.ns))
		return cluster_no_memory(err);
	if (e->kind == CLUSTER_ENTRY_GROUP)
		return run_tree_restore(r, e, err);
	return e->kind == CLUSTER_ENTRY_LAST ? entry_take_last(r, e, err) : 0;
}

static uint64_t run_left(const struct cluster_run *r)
{
	uint64_t gone = r->now.at > r->body->issued_at ? r->now.at - r->body->issued_at : 0;

	return gone < r->body->duration_ns ? r->body->duration_ns - gone : 0;
}

static struct cluster_run *again_new(
	bus *b, const struct cluster_secret *secret, const struct cluster_again *again, struct cluster_now now)
{
	struct cluster_run *r = run_new(b, secret, again->grace_ns, now);

	if (!r)
		return NULL;
	r->counts_per_us = again->counts_per_us;
	r->has_times = again->has_times;
	r->is_again = true;
	r->fresh_ns = now.ns + FRESH_NS;
	return r;
}

/* The journal has all that is to be there: machines hear of the new term. */
static int again_begin(struct cluster_run *r, uint64_t term, const struct cluster_again *again, struct ward_error *err)
{
	int rc = run_expect(r, &again->expected, err);

	rc = rc ? rc : run_subscribe(r, err);
	if (rc)
		return rc;
	run_begin_beats(r, term, run_left(r));
	run_say_roll(r);
	return 0;
}

int cluster_run_attach(bus *b, const struct cluster_secret *secret, const char *id, const struct cluster_again *again,
	struct cluster_now now, cluster_run **out, struct ward_error *err)
{
	struct attach a = {.r = again_new(b, secret, again, now)};
	int rc = a.r ? cluster_journal_open(again->directory, id, entry_take, &a, &a.r->journal, err)
		     : cluster_no_memory(err);

	*out = NULL;
	if (!rc && !a.r->body)
		rc = cluster_fail(err, WARD_E_USAGE, id, "there is no journal of this query");
	rc = rc ? rc : run_records_begin(a.r, true, err);
	rc = rc ? rc : run_journal_begin(a.r, a.term + 1, false, err);
	rc = rc ? rc : again_begin(a.r, a.term + 1, again, err);
	if (rc)
		cluster_run_free(a.r);
	else
		*out = a.r;
	return rc;
}

/* The order is this computer's from now on. */
static int adopted_read(struct cluster_run *r, const struct cluster_found *found, struct ward_error *err)
{
	int rc;

	r->order = malloc(found->size ? found->size : 1);
	if (!r->order)
		return cluster_no_memory(err);
	memcpy(r->order, found->order, found->size);
	r->order_size = found->size;
	rc = run_order_read(r, err);
	if (!rc && r->body->shards > 1)
		return cluster_fail(err, WARD_E_USAGE, r->id,
			"its journal isn't here, and of a query with combiners what was settled is nowhere else");
	rc = rc ? rc : run_make_fleet(r, err);
	rc = rc ? rc : run_records_begin(r, true, err);
	if (!rc)
		cluster_fleet_adopt(r->fleet);
	return rc;
}

static int adopted_journal(struct cluster_run *r, int directory, uint64_t term, struct ward_error *err)
{
	struct cluster_entry mark = {.kind = CLUSTER_ENTRY_OTHER, .number = MARK_ADOPTED, .name = ""};
	int rc = cluster_journal_open(directory, r->id, NULL, NULL, &r->journal, err);

	if (!rc && cluster_journal_count(r->journal))
		rc = cluster_fail(err, WARD_E_USAGE, r->id, "there is a journal of this query already");
	rc = rc ? rc : run_journal_begin(r, term, true, err);
	rc = rc ? rc : cluster_journal_put(r->journal, &mark, err);
	return rc ? rc : cluster_journal_sync(r->journal, err);
}

int cluster_run_adopt(bus *b, const struct cluster_secret *secret, const struct cluster_found *found,
	const struct cluster_again *again, struct cluster_now now, cluster_run **out, struct ward_error *err)
{
	struct cluster_run *r = again_new(b, secret, again, now);
	uint64_t term = found->term + 1;
	int rc = r ? adopted_read(r, found, err) : cluster_no_memory(err);

	*out = NULL;
	if (!rc && !again->looks)
		rc = adopted_journal(r, again->directory, term, err);
	if (!rc && again->looks) {
		r->is_looking = true;
		r->phase = CLUSTER_TAKEN_OVER;
		r->other_ns = now.ns;
		cluster_fleet_look(r->fleet);
	}
	rc = rc ? rc : again_begin(r, term, again, err);
	if (rc)
		cluster_run_free(r);
	else
		*out = r;
	return rc;
}
