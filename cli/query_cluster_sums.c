/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward query --cluster: from partials of machines to what the query has kept. Rows that tell machines apart are made of
 * a sum of each; all others of one sum.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/wire/subject.h"
#include "query_command.h"

void query_sums_free(struct query_sums *s)
{
	for (size_t i = 0; i < s->n_totals; i++)
		cluster_total_free(&s->totals[i]);
	cluster_total_free(&s->all);
	for (size_t i = 0; s->owns_parts && i < s->n; i++)
		ward_partial_free(s->parts[i].last);
	free(s->totals);
	free(s->parts);
	*s = (struct query_sums){0};
}

static int no_memory(struct ward_error *err)
{
	*err = (struct ward_error){.status = WARD_E_SYSTEM, .what = "query", .why = "out of memory"};
	return WARD_E_SYSTEM;
}

/* Rows keep pointers to it for as long as the command lives. */
static const struct query_session *session_find(struct query_command *c, const char *machine, const char *process)
{
	struct query_far_sessions *s = &c->far_sessions;
	size_t known = s->names.n, i;
	char text[CLUSTER_BY_TEXT + CLUSTER_NAME];

	snprintf(text, sizeof(text), "%s %s", machine, process);
	if (!cluster_array_grow(&s->at, &s->room, known + 1, sizeof(struct query_session *)))
		return NULL;
	i = cluster_names_add(&s->names, text);
	if (i == SIZE_MAX || i < known)
		return i == SIZE_MAX ? NULL : s->at[i];
	char *own = calloc(1, sizeof(struct query_session) + strlen(machine) + 1 + strlen(process) + 1);
	struct query_session *who = (struct query_session *)own;
	if (!who)
		return NULL;
	own += sizeof(*who);
	who->machine = strcpy(own, machine);
	own += strlen(machine) + 1;
	strcpy(own, process);
	cluster_by_read((enum cluster_by)c->trace.by, own, &who->pid, &who->process);
	return s->at[i] = who;
}

void query_far_sessions_free(struct query_command *c)
{
	for (size_t i = 0; i < c->far_sessions.names.n; i++)
		free(c->far_sessions.at[i]);
	free(c->far_sessions.at);
	cluster_names_free(&c->far_sessions.names);
}

static int part_add(struct query_command *c, struct query_sums *s, const char *machine, const char *process,
	const ward_schema *schema, ward_partial *partial, struct ward_error *err)
{
	const struct query_session *who = session_find(c, machine, process); /* or machines with one label */

	if (!who || !cluster_array_grow(&s->parts, &s->room, s->n + 1, sizeof(*s->parts)))
		return no_memory(err);
	s->parts[s->n++] = (struct query_part){.who = who, .schema = schema, .last = partial};
	return WARD_OK;
}

/* Processes of a machine's sum. */
struct apart {
	struct query_command *c;
	struct query_sums *sums;
	const ward_schema *schema;
	const char *machine;
	struct ward_error *err;
	int status;
};

static bool process_add(void *user, const char *process, ward_partial *partial)
{
	struct apart *a = user;

	a->status = part_add(a->c, a->sums, a->machine, process, a->schema, partial, a->err);
	if (a->status)
		ward_partial_free(partial);
	return a->status == WARD_OK;
}

static int sums_add(struct query_command *c, const struct query_sums_of *of, struct query_sums *s, const char *machine,
	ward_partial *partial, struct ward_error *err)
{
	struct apart a = {c, s, cluster_run_schema(of->run, 0), machine, err, WARD_OK};
	int status;

	if (!c->trace.by)
		return part_add(c, s, machine, "", a.schema, partial, err);
	s->owns_parts = true;
	status = ward_partial_apart(partial, process_add, &a, err);
	return status ? status : a.status;
}

static int total_take(const struct query_sums_of *of, const struct cluster_total_options *options,
	struct cluster_total *out, struct ward_error *err)
{
	return of->window ? cluster_total_take(of->window->children, options, out, err)
			  : cluster_run_total(of->run, 0, options, out, err);
}

static int machines_take(
	struct query_command *c, const struct query_sums_of *of, struct query_sums *s, struct ward_error *err)
{
	const struct cluster_cover *cover = &s->all.cover;
	int status = WARD_OK;

	s->totals = calloc(cover->n + 1, sizeof(*s->totals));
	if (!s->totals)
		return no_memory(err);
	for (size_t i = 0; i < cover->n && !status; i++) {
		struct cluster_total_options only = {.only = cover->at[i].machine};

		if (i && strcmp(cover->at[i - 1].machine, only.only) == 0)
			continue;
		status = total_take(of, &only, &s->totals[s->n_totals], err);
		if (status)
			break;
		s->n_totals++;
		status = sums_add(c, of, s,
			c->use.by_label ? cluster_run_label(of->run, only.only, c->use.by_label) : only.only,
			s->totals[s->n_totals - 1].partial, err);
	}
	return status;
}

int query_sums_take(
	struct query_command *c, const struct query_sums_of *of, struct query_sums *s, struct ward_error *err)
{
	struct cluster_total_options options = {.without = c->use.without.at, .n_without = c->use.without.n};
	int status = total_take(of, &options, &s->all, err);

	if (status || s->all.cover.n == 0)
		return status;
	if (query_sessions_apart(c->query) & QUERY_BY_MACHINE)
		return machines_take(c, of, s, err);
	return sums_add(c, of, s, "", s->all.partial, err);
}

int query_sums_keep(struct query_command *c, struct cluster_run *run, const struct query_sums *sums,
	struct query_kept *kept, struct ward_error *err)
{
	return query_machine_take(c->query, cluster_run_schema(run, 0), sums->parts, sums->n, kept, err);
}
