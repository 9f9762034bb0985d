/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/order.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/shape.h"
#include "modules.h"
#include "policy.h"

#define SECOND_NS 1000000000ull

bool agent_rate_take(struct agent_rate *rate, uint64_t now_ns)
{
	uint64_t *oldest = &rate->at_ns[rate->next];

	if (*oldest && now_ns - *oldest < 60 * SECOND_NS)
		return false;
	*oldest = now_ns ? now_ns : 1;
	rate->next = (rate->next + 1) % AGENT_ORDERS_A_MINUTE;
	return true;
}

/* ---- who says it, and when ---- */

/* C-35, C-42. */
static const struct agent_coordinator *order_open(
	struct agent_order *o, const struct agent_config *config, struct ward_error *err)
{
	const struct agent_coordinator *who = NULL;

	if (o->size > CLUSTER_MOST_ORDER) {
		cluster_refuse(err, "order", "C-30", "it has %zu bytes, more than %d", o->size, CLUSTER_MOST_ORDER);
		return NULL;
	}
	if (!cluster_message_read(&o->envelope, &ward__cluster__signed__descriptor, "order", o->bytes, o->size, err))
		return NULL;
	o->from = (const Ward__Cluster__Signed *)o->envelope.m;
	if (o->from->kind != WARD__CLUSTER__SIGNED__KIND__ORDER)
		cluster_refuse(err, "order", "C-35", "it is signed as something else");
	else if (!(who = agent_config_coordinator(config, o->from->key.data))) {
		cluster_refuse(err, "order", "C-42", "its key is no coordinator's of this machine");
		cluster_hint(err, "a section [coordinator NAME] of agent.conf says whose orders are taken");
	} else if (!cluster_signed_check(o->from, err))
		return NULL;
	return who;
}

static bool order_is_due(const Ward__Cluster__Order *o, uint64_t now_at, struct ward_error *err)
{
	if (o->issued_at > now_at + AGENT_CLOCKS_APART_S * SECOND_NS)
		return cluster_refuse(err, "order", "C-44", "it is from %llu s in the future; are the clocks right?",
			(unsigned long long)((o->issued_at - now_at) / SECOND_NS));
	if (o->not_after_at < now_at)
		return cluster_refuse(err, "order", "C-44", "it was valid until %llu s ago",
			(unsigned long long)((now_at - o->not_after_at) / SECOND_NS));
	return true;
}

/* C-47: each is taken once. One that runs here, as far as is known, may go on after the agent was killed. */
static bool order_is_new(const struct agent_seen *seen, const uint8_t *query, bool again, struct ward_error *err)
{
	switch (agent_seen_find(seen, query)) {
	case AGENT_NEW: return true;
	case AGENT_RUNS: return again || cluster_refuse(err, "order", "C-47", "it was taken before");
	case AGENT_ENDED: return cluster_refuse(err, "order", "C-47", "it was taken before, and has ended here");
	default:
		return cluster_refuse(
			err, "order", "C-47", "it was taken before, and has made the agent's worker fail");
	}
}

/* ---- units ---- */

static char **texts_take(const ProtobufCBinaryData *bytes, size_t n)
{
	char **texts = calloc(n + 1, sizeof(*texts));

	for (size_t i = 0; texts && i < n; i++) {
		texts[i] = strndup((const char *)bytes[i].data, bytes[i].len);
		if (!texts[i] || strlen(texts[i]) != bytes[i].len) {
			while (i + 1)
				free(texts[i--]);
			free(texts);
			return NULL;
		}
	}
	return texts;
}

static bool unit_windows_check(const struct agent_order *o, const struct agent_unit *u, struct ward_error *err)
{
	return !o->order->has_window_ns || cluster_shape_has_difference(u->schema, err);
}

static bool unit_take(struct agent_order *o, const struct agent_config *config, const struct agent_coordinator *who,
	const struct agent_here *here, const Ward__Cluster__Unit *order, struct ward_error *err)
{
	struct agent_unit *u = &o->units[o->n++];

	u->order = order;
	u->n_sites = order->n_site;
	u->n_imports = order->n_import;
	u->n_settings = order->n_setting;
	if (!(u->sites = texts_take(order->site, order->n_site)) ||
		!(u->imports = texts_take(order->import, order->n_import)) ||
		!(u->settings = texts_take(order->setting, order->n_setting)))
		return cluster_refuse(err, "order", "C-41", "a text has a zero byte, or there is no memory");
	return agent_modules_take(u, &o->limits, config, who, here, err) && unit_windows_check(o, u, err);
}

/* ---- the decision ---- */

static bool order_decide(struct agent_order *o, const struct agent_config *config, const struct agent_here *here,
	const struct agent_seen *seen, uint64_t now_at, bool again, bool *is_meant, struct ward_error *err)
{
	const struct agent_coordinator *who = order_open(o, config, err);

	if (!who || !cluster_message_read(&o->body, &ward__cluster__order__descriptor, "order", o->from->body.data,
			    o->from->body.len, err))
		return false;
	o->order = (const Ward__Cluster__Order *)o->body.m;
	cluster_digest(o->from->body.data, o->from->body.len, o->digest);
	cluster_hex(o->order->query.data, CLUSTER_ID, o->id);
	o->limits = agent_policy_limits(config, o->order);
	if (!cluster_order_check(o->order, err))
		return false;
	if (!cluster_bytes_equal(o->order->cluster, config->cluster, strlen(config->cluster)))
		return cluster_refuse(err, "order", "C-43", "it is for another cluster than %s", config->cluster);
	if (!order_is_due(o->order, now_at, err))
		return false;
	*is_meant = cluster_choice_fits(o->order->choice, o->order->query.data, &here->machine);
	if (!*is_meant || !order_is_new(seen, o->order->query.data, again, err) ||
		!agent_policy_order(config, who, o->order, err))
		return false;
	for (size_t i = 0; i < o->order->n_unit; i++)
		if (!unit_take(o, config, who, here, o->order->unit[i], err))
			return false;
	return true;
}

enum agent_verdict agent_order_decide(const struct agent_config *config, const struct agent_here *here,
	const struct agent_seen *seen, const void *bytes, size_t size, uint64_t now_at, bool again,
	struct agent_order **out, struct ward_error *err)
{
	struct agent_order *o = calloc(1, sizeof(*o));
	bool is_meant = true;

	*out = o;
	if (o)
		o->bytes = malloc(size ? size : 1);
	if (!o || !o->bytes) {
		cluster_refuse(err, "order", NULL, "out of memory");
		return AGENT_REFUSED;
	}
	memcpy(o->bytes, bytes, size);
	o->size = size;
	if (order_decide(o, config, here, seen, now_at, again, &is_meant, err))
		return AGENT_ACCEPTED;
	return is_meant ? AGENT_REFUSED : AGENT_NOT_MEANT;
}

static void texts_free(char **texts)
{
	for (char **at = texts; at && *at; at++)
		free(*at);
	free(texts);
}

void agent_order_free(struct agent_order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++) {
		agent_modules_free(&o->units[i]);
		texts_free(o->units[i].sites);
		texts_free(o->units[i].imports);
		texts_free(o->units[i].settings);
	}
	cluster_message_free(&o->body);
	cluster_message_free(&o->envelope);
	free(o->bytes);
	free(o);
}

bool agent_order_allowed(const struct agent_config *config, const struct agent_order *o, struct ward_error *err)
{
	const struct agent_coordinator *who = agent_config_coordinator(config, o->from->key.data);

	if (!who)
		return cluster_refuse(err, "order", "C-42", "its key is no coordinator's of this machine any more");
	if (!agent_policy_order(config, who, o->order, err))
		return false;
	for (size_t i = 0; i < o->n; i++)
		if (!agent_modules_allowed(&o->units[i], config, who, err))
			return false;
	return true;
}
