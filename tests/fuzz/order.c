/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as each of a cluster's messages, and as an order that somebody has signed: up to the policy. What is read
 * is written again and read as the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/agent/policy.h"
#include "cluster/wire/choice.h"
#include "cluster/wire/order.h"
#include "cluster/wire/subject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] = "[bus]\nurl = tls://a:1\ncluster = c\n[coordinator alice]\n"
			   "key = RWQ/3HU4eHyphCDnr6xlXn6Deo5WuxwE9ym874O32YKSDK+W+ykRuR8I\nmay = user kernel\n"
			   "sites = libc.so.6!* kernel:*\nnot-sites = libc.so.6!*crypt*\nprocesses = exe=*\n"
			   "imports = ward_clock\n[kernel]\nallow = yes\n";

static void read_and_write(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size)
{
	struct cluster_message m, again;
	struct ward_error err = {0};
	size_t n, n_again;

	if (!cluster_message_read(&m, type, "message", data, size, &err)) {
		if (!err.why[0] || m.m)
			abort();
		cluster_message_free(&m);
		return;
	}
	void *bytes = cluster_message_write(m.m, &n);
	if (!bytes || !cluster_message_read(&again, type, "message", bytes, n, &err))
		abort();
	void *same = cluster_message_write(again.m, &n_again);
	if (!same || n != n_again || memcmp(bytes, same, n) != 0)
		abort();
	free(same);
	if (m.m->descriptor == &ward__cluster__signed__descriptor)
		cluster_signed_check((Ward__Cluster__Signed *)m.m, &err);
	cluster_message_free(&again);
	cluster_message_free(&m);
	free(bytes);
}

static void order_judge(const struct agent_config *config, const uint8_t *data, size_t size)
{
	const struct cluster_machine machine = {.host = "web1.example"};
	const struct agent_coordinator *who = &config->coordinators[0];
	struct ward_error err = {0};
	struct cluster_message m;

	if (cluster_message_read(&m, &ward__cluster__order__descriptor, "order", data, size, &err)) {
		const Ward__Cluster__Order *o = (const Ward__Cluster__Order *)m.m;
		struct agent_limits l = agent_policy_limits(config, o);
		if (l.sites > config->limits.sites || l.duration_ns > config->limits.duration_ns)
			abort();
		cluster_choice_fits(o->choice, o->query.data, &machine);
		if (cluster_order_check(o, &err) && agent_policy_order(config, who, o, &err))
			for (size_t i = 0; i < o->n_unit; i++)
				for (size_t j = 0; j < o->unit[i]->n_variant; j++)
					agent_policy_module(config, who, o->unit[i]->variant[j], &err);
	}
	cluster_message_free(&m);
}

static void subject_judge(const uint8_t *data, size_t size)
{
	struct cluster_subject s;
	char subject[CLUSTER_SUBJECT] = "", again[CLUSTER_SUBJECT];

	memcpy(subject, data, size < sizeof(subject) - 1 ? size : sizeof(subject) - 1);
	if (!cluster_subject_read(subject, &s))
		return;
	cluster_subject_write(&s, again);
	if (strcmp(subject, again) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const ProtobufCMessageDescriptor *const types[] = {&ward__cluster__signed__descriptor,
		&ward__cluster__order__descriptor, &ward__cluster__cancel__descriptor, &ward__cluster__roll__descriptor,
		&ward__cluster__beat__descriptor, &ward__cluster__got__descriptor, &ward__cluster__hello__descriptor,
		&ward__cluster__note__descriptor, &ward__cluster__parts__descriptor,
		&ward__cluster__records__descriptor, &ward__cluster__ask__descriptor, &ward__cluster__out__descriptor};
	static struct agent_config *config;

	if (!config && !agent_config_read("agent.conf", text, sizeof(text) - 1, &config, NULL))
		abort();
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		read_and_write(types[i], data, size);
	order_judge(config, data, size);
	subject_judge(data, size);
	return 0;
}
