/* SPDX-License-Identifier: Apache-2.0 */
/* Look at a running server: what it says of itself, and whether credentials are let in. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/bus/bus.h"

enum { WAIT_MS = 3000 };

/* Versions that have all that is known against them mended, by branch. */
static bool version_is_mended(const char *version)
{
	static const unsigned mended[][3] = {{2, 11, 16}, {2, 12, 7}, {2, 14, 0}};
	unsigned v[3] = {0};

	if (sscanf(version, "%u.%u.%u", &v[0], &v[1], &v[2]) < 2)
		return false;
	for (size_t i = 0; i < sizeof(mended) / sizeof(*mended); i++)
		if (v[0] == mended[i][0] && v[1] == mended[i][1])
			return v[2] >= mended[i][2];
	return v[0] > 2 || (v[0] == 2 && v[1] > 14);
}

static void server_fault(struct check *c, const char *why, const char *hint)
{
	struct ward_error fault;

	cluster_fail(&fault, WARD_E_TARGET, c->given->url, "%s (C-73)", why);
	cluster_hint(&fault, "%s", hint);
	enrol_check_found(c, &fault);
}

static void info_check(struct check *c, const struct bus_server_info *info)
{
	static const char conf[] = "does the server run with the server.conf of ward cluster init?";
	struct ward_error fault;

	if (!info->tls_required)
		server_fault(c, "the server doesn't require TLS", conf);
	else if (!info->tls_verify)
		server_fault(c, "the server doesn't ask for certificates", conf);
	if (!info->auth_required)
		server_fault(c, "the server lets in who isn't in its list of users", conf);
	if (info->jetstream)
		server_fault(c, "the server offers JetStream", conf);
	if (info->max_payload != BUS_MOST_BYTES)
		server_fault(c, "the server's limit of a message isn't 1 MB", conf);
	if (version_is_mended(info->version))
		return;
	cluster_fail(&fault, WARD_E_TARGET, c->given->url, "nats-server %s has known faults", info->version);
	cluster_hint(&fault,
		"none is reachable as it is configured here; take 2.11.16, 2.12.7 or 2.14 where others than "
		"the cluster's machines reach its port");
	enrol_check_warn(c, &fault);
}

void enrol_check_server(struct check *c)
{
	struct bus_nats_options options = {.urls = &c->given->url,
		.n_urls = 1,
		.creds = c->given->creds,
		.name = "ward cluster init --check",
		.wait_ms = WAIT_MS};
	struct bus_server_info info;
	struct ward_error fault;
	bus *b;

	if (bus_nats_info(c->given->url, WAIT_MS, &info, &fault)) {
		enrol_check_found(c, &fault);
		return;
	}
	info_check(c, &info);
	if (!c->given->creds || !info.tls_required)
		return;
	if (bus_nats_open(&options, &b, &fault))
		enrol_check_found(c, &fault);
	else
		bus_close(b);
}
