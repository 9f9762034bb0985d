/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine is: its name, its labels, its kernel. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#include "cluster/base/build_id.h"
#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/subject.h"

bool agent_here_read(struct agent *a, struct ward_error *err)
{
	char host[CLUSTER_NAME] = "";

	if (a->config->name)
		snprintf(host, sizeof(host), "%s", a->config->name);
	else if (gethostname(host, sizeof(host) - 1) != 0)
		return cluster_refuse(err, "machine", NULL, "it has no name");
	if (!cluster_name_from_host(host, a->name) || !cluster_name_to_host(a->name, a->host)) {
		cluster_refuse(err, "machine", "C-37", "\"%s\" is no name for the bus", host);
		cluster_hint(err, "name = NAME in section [machine] of agent.conf gives it another one");
		return false;
	}
	a->here.machine = (struct cluster_machine){
		.host = a->host, .labels = (const char *const *)a->config->labels.at, .n_labels = a->config->labels.n};
	a->here.n_kernel = cluster_build_id_of_kernel(a->here.kernel);
	return true;
}
