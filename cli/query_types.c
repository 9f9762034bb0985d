/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types that a query's names want: of the kernel, or of the process or command that the query will be asked of. A
 * command is started for it, and ended before its first instruction.
 */
#include <stdlib.h>
#include <string.h>

#include "query_command.h"

/* Whose functions they are. Returns an error of the library's; *why, if nobody knows. */
static int read_types(struct query_command *c, const char *site, int64_t pid, struct ward_types **types,
	const char **why, struct ward_error *err)
{
	const struct trace *t = &c->trace;

	if (strncmp(site, "kernel!", 7) == 0 || strncmp(site, "kernel:", 7) == 0)
		return ward_types_read_kernel(&site, 1, types, err);
	if (t->command)
		return ward_types_read_command(t->command, &site, 1, types, err);
	if (t->pid_text)
		pid = strtol(t->pid_text, NULL, 10);
	if (pid > 0 && pid <= INT32_MAX)
		return ward_types_read((pid_t)pid, &site, 1, types, err);
	*why = "it isn't said of which process: use -p PID, -- COMMAND, or .Process(PID)";
	return WARD_OK;
}

const struct ward_types *query_types_read(void *user, const char *site, int64_t pid, const char **why)
{
	struct query_command *c = user;
	struct ward_types **types = &c->types[c->n_types];
	struct ward_error err = {0};

	if (c->n_types == QUERY_TABLES)
		return NULL;
	if (read_types(c, site, pid, types, why, &err) != WARD_OK) {
		snprintf(c->types_why, sizeof(c->types_why), "%s: %s", err.what, err.why);
		*why = c->types_why;
	}
	c->n_types += *types != NULL;
	return *types;
}

void query_types_free(struct query_command *c)
{
	for (size_t i = 0; i < c->n_types; i++)
		ward_types_free(c->types[i]);
}
