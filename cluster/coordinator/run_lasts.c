/* SPDX-License-Identifier: Apache-2.0 */
/* C-95: last values are in the journal, and on the disk, before they are acknowledged. */
#include "run_parts.h"

#include <stdio.h>
#include <stdlib.h>

static void journal_fault(struct cluster_run *r, const struct ward_error *err)
{
	snprintf(r->journal_fault, sizeof(r->journal_fault), "%s", err->why);
}

int run_journal_put(struct cluster_run *r, const struct cluster_entry *entry)
{
	struct ward_error err = {0};
	int rc = r->journal ? cluster_journal_put(r->journal, entry, &err) : 0;

	if (rc)
		journal_fault(r, &err);
	return rc;
}

int run_journal_sync(struct cluster_run *r)
{
	struct ward_error err = {0};
	int rc = cluster_journal_sync(r->journal, &err);

	if (rc)
		journal_fault(r, &err);
	else
		r->journal_fault[0] = 0;
	return rc;
}

static bool child_is_due(const struct cluster_child *c)
{
	return (c->notes.flags & WARD_PARTIAL_LAST) && !c->is_settled && !c->is_out;
}

/* Write all last values that aren't in the journal yet; at the end those, too, that won't get a last one any more. */
int run_values_put(struct cluster_run *r, bool all)
{
	int rc = 0;

	for (size_t unit = 0; unit < r->n_units; unit++)
		for (size_t i = 0; i < cluster_children_count(r->children[unit]) && !rc; i++) {
			const struct cluster_child *c = cluster_children_at(r->children[unit], i);
			struct cluster_entry entry = {.kind = CLUSTER_ENTRY_LAST,
				.number = unit,
				.name = c->machine,
				.bytes = c->bytes,
				.size = c->size};
			if (child_is_due(c) || (all && !c->is_settled && !c->is_out))
				rc = run_journal_put(r, &entry);
		}
	return rc;
}

static void last_settle(struct cluster_run *r, const struct run_last *last)
{
	for (size_t unit = 0; unit < r->n_units; unit++)
		cluster_children_settle(r->children[unit], last->machine, last->epoch, last->nonce);
	cluster_fleet_settle(r->fleet, last->machine, last->epoch, last->nonce, r->now.ns);
}

void run_lasts_forget(struct cluster_run *r)
{
	for (size_t i = 0; i < r->n_last; i++)
		free(r->last[i].machine);
	r->n_last = 0;
}

/* Who only looks on keeps nothing for others, and acknowledges nothing. */
static void lasts_see(struct cluster_run *r)
{
	for (size_t i = 0; i < r->n_last; i++)
		if (r->last[i].is_new)
			last_settle(r, &r->last[i]);
	run_lasts_forget(r);
}

/* Write, sync, and only then settle and acknowledge. What fails comes again: agents send it until then. */
void run_lasts_settle(struct cluster_run *r)
{
	bool any = false, kept = r->journal != NULL;

	if (r->is_looking) {
		lasts_see(r);
		return;
	}

	for (size_t i = 0; i < r->n_last; i++)
		any = any || r->last[i].is_new;
	if (any && kept)
		kept = run_values_put(r, false) == 0;
	if (any && kept)
		kept = run_journal_sync(r) == 0;
	for (size_t i = 0; i < r->n_last; i++) {
		if (r->last[i].is_new && !kept)
			continue;
		if (r->last[i].is_new)
			last_settle(r, &r->last[i]);
		run_say_got(r, &r->last[i], 1);
	}
	run_lasts_forget(r);
}
