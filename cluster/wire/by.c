/* SPDX-License-Identifier: Apache-2.0 */
#include "by.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"

static const char *const words[] = {[CLUSTER_BY_PROCESS] = "process", [CLUSTER_BY_PID] = "pid"};

const char *cluster_by_word(enum cluster_by by)
{
	return words[by];
}

bool cluster_by_of(const Ward__Cluster__Order *o, enum cluster_by *by, struct ward_error *err)
{
	*by = CLUSTER_BY_NONE;
	if (!o->n_by)
		return true;
	for (int i = CLUSTER_BY_PROCESS; i <= CLUSTER_BY_PID; i++)
		if (cluster_bytes_equal(o->by[0], words[i], strlen(words[i])))
			*by = (enum cluster_by)i;
	for (size_t i = 0; i < o->n_unit; i++)
		if (o->unit[i]->kernel)
			return cluster_refuse(err, "order", "C-115", "the kernel isn't a process");
	return (*by && o->n_by == 1) ||
	       cluster_refuse(err, "order", "C-115", "keys begin with a process or a pid, and with nothing else");
}

void cluster_by_write(enum cluster_by by, int64_t pid, const char *name, char text[CLUSTER_BY_TEXT])
{
	int n = by == CLUSTER_BY_PID ? snprintf(text, CLUSTER_BY_TEXT, "%" PRId64 " ", pid) : 0;

	snprintf(text + n, CLUSTER_BY_TEXT - (size_t)n, "%.*s", CLUSTER_BY_NAME, name);
}

void cluster_by_read(enum cluster_by by, const char *text, int64_t *pid, const char **name)
{
	char *end = NULL;

	*pid = by == CLUSTER_BY_PID ? strtoll(text, &end, 10) : 0;
	*name = end && *end == ' ' ? end + 1 : text;
}
