/* SPDX-License-Identifier: Apache-2.0 */
#include "asked.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/order.h"
#include "journal.h"

static const Ward__Cluster__Order *order_of(const struct cluster_asked *asked)
{
	return (const Ward__Cluster__Order *)asked->message.m;
}

static bool envelope_read(const struct cluster_found *found, struct cluster_message *envelope, struct ward_error *err)
{
	return cluster_message_read(
		       envelope, &ward__cluster__signed__descriptor, "order", found->order, found->size, err) &&
	       cluster_signed_check((const Ward__Cluster__Signed *)envelope->m, err);
}

int cluster_asked_read(const struct cluster_found *found, struct cluster_asked *out, struct ward_error *err)
{
	struct cluster_message envelope = {0};
	const Ward__Cluster__Signed *from;
	const Ward__Cluster__Order *order;
	bool ok = envelope_read(found, &envelope, err);

	*out = (struct cluster_asked){0};
	from = (const Ward__Cluster__Signed *)envelope.m;
	ok = ok && cluster_message_read(&out->message, &ward__cluster__order__descriptor, "order", from->body.data,
			   from->body.len, err);
	cluster_message_free(&envelope);
	order = order_of(out);
	if (!ok || !cluster_order_check(order, err) || !cluster_by_of(order, &out->by, err))
		return WARD_E_USAGE;
	out->text = (const char *)order->text.data;
	out->size = order->has_text ? order->text.len : 0;
	out->at = order->has_asked_at ? order->asked_at : 0;
	out->n_units = order->n_unit;
	out->is_kernel = order->unit[0]->kernel;
	out->window_ns = order->has_window_ns ? order->window_ns : 0;
	out->shards = order->shards;
	memcpy(out->shape, order->unit[0]->shape.data, sizeof(out->shape));
	return WARD_OK;
}

bool cluster_asked_option(const struct cluster_asked *asked, size_t i, char **option)
{
	const Ward__Cluster__Order *order = order_of(asked);

	if (i >= order->n_option)
		return false;
	*option = strndup((const char *)order->option[i].data, order->option[i].len);
	return true;
}

void cluster_asked_free(struct cluster_asked *asked)
{
	cluster_message_free(&asked->message);
}

bool cluster_asked_is_of(const struct cluster_found *found, const struct cluster_secret *secret)
{
	struct cluster_message envelope = {0};
	bool is_own = envelope_read(found, &envelope, NULL) &&
		      memcmp(((const Ward__Cluster__Signed *)envelope.m)->key.data, secret->key.key, CLUSTER_KEY) == 0;

	cluster_message_free(&envelope);
	return is_own;
}

static int entry_take(void *user, const struct cluster_entry *e, struct ward_error *err)
{
	struct cluster_found *found = user;

	if (e->kind != CLUSTER_ENTRY_ORDER || found->order)
		return WARD_OK;
	found->order = malloc(e->size + 1);
	if (!found->order)
		return cluster_no_memory(err);
	memcpy(found->order, e->bytes, e->size);
	found->size = e->size;
	return WARD_OK;
}

int cluster_asked_journal(int directory, const char *id, struct cluster_found *out, struct ward_error *err)
{
	cluster_journal *journal;
	int rc = cluster_journal_open(directory, id, entry_take, out, &journal, err);

	cluster_journal_close(journal);
	if (!rc && !out->order)
		rc = cluster_fail(err, WARD_E_USAGE, id, "there is no journal of this query");
	return rc;
}
