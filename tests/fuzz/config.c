/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as an agent's configuration. What is refused says where and why. What is read has values without spaces
 * and control characters, so that no line has become two, and each coordinator has a key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/agent/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void list_check(const struct agent_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		for (const char *at = list->at[i]; *at || at == list->at[i]; at++)
			if (*at <= ' ' || *at >= 0x7f)
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ward_error err = {0};
	struct agent_config *c = NULL;
	bool ok = agent_config_read("f", (const char *)data, size, &c, &err);

	if (ok != (c != NULL) || (!ok && (strncmp(err.what, "f:", 2) != 0 || !err.why[0])))
		abort();
	if (!ok)
		return 0;
	if (!c->urls.n || !c->cluster || !*c->cluster || c->kernel > 1)
		abort();
	list_check(&c->urls);
	list_check(&c->labels);
	for (size_t i = 0; i < c->n_coordinators; i++) {
		const struct agent_coordinator *k = &c->coordinators[i];
		list_check(&k->sites);
		list_check(&k->not_sites);
		list_check(&k->processes);
		list_check(&k->imports);
		if (agent_config_coordinator(c, k->key.key) != k || k->results > AGENT_RECORDS ||
			k->modules > AGENT_ANY)
			abort();
	}
	agent_config_free(c);
	return 0;
}
