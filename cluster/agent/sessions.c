/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States can't be merged as bytes over processes: numbers of sites and addresses are each process's own. So each
 * session gives a partial with names in their place, and these are added.
 */
#include "sessions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "modules.h"
#include "policy.h"
#include "reader.h"

enum { SUM_MEMORY = 64 << 20, DRAIN_BUSY_MS = 1, DRAIN_IDLE_MS = 10, MOST_RECORD = 64 << 10 };

static const struct ward_partial_limits limits_of_sum = {
	.size = sizeof(struct ward_partial_limits), .memory = SUM_MEMORY};

static bool error_pass(struct ward_error *err, const struct ward_error *from)
{
	if (err)
		*err = *from;
	return false;
}

bool agent_sessions_open(struct agent_sessions *s, const struct agent_unit *unit, const struct agent_coordinator *who,
	const struct agent_limits *limits, enum cluster_by by, struct ward_error *err)
{
	struct ward_error why;

	*s = (struct agent_sessions){.unit = unit, .who = who, .limits = limits, .by = by, .schema = unit->schema};
	if (by && ward_schema_by(unit->schema, CLUSTER_BY_KEY, &s->divided, &why))
		return error_pass(err, &why);
	if (by)
		s->schema = s->divided;
	if (ward_names_open(getpid(), &s->own, &why) ||
		ward_partial_merge(s->schema, s->own, NULL, 0, SIZE_MAX, &limits_of_sum, &s->ended, &why))
		return error_pass(err, &why);
	return true;
}

static void session_end(struct agent_session *one)
{
	ward_drain_close(one->drain);
	ward_stream_close(one->stream);
	ward_session_free(one->session);
	ward_names_close(one->names);
	ward_schema_free(one->by);
	ward_schema_free(one->schema);
}

void agent_sessions_close(struct agent_sessions *s)
{
	for (size_t i = 0; i < s->n; i++)
		session_end(&s->at[i]);
	ward_partial_free(s->ended);
	ward_names_close(s->own);
	ward_schema_free(s->divided);
	free(s->at);
	*s = (struct agent_sessions){0};
}

bool agent_sessions_has(const struct agent_sessions *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].process.pid == pid)
			return true;
	return false;
}

bool agent_sessions_is_of(const struct agent_sessions *s, const struct agent_process *process)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].process.pid == process->pid)
			return s->at[i].process.began == process->began && s->at[i].process.program == process->program;
	return false;
}

/* ---- sites ---- */

static void site_note(struct agent_sessions *s, const struct ward_site_report *r)
{
	const char *method = r->reason ? "" : r->method, *reason = r->reason ? r->reason : "";
	char site[sizeof(s->sites->site)];

	cluster_text(r->site, strlen(r->site), site, sizeof(site));
	for (size_t i = 0; i < s->n_sites; i++)
		if (strcmp(s->sites[i].site, site) == 0 && strcmp(s->sites[i].method, method) == 0) {
			s->sites[i].processes++;
			return;
		}
	if (s->n_sites == AGENT_SITES_SHOWN) {
		s->more_sites++;
		return;
	}
	struct agent_site *new = &s->sites[s->n_sites++];
	*new = (struct agent_site){.processes = 1, .exits = r->exits};
	strcpy(new->site, site);
	snprintf(new->method, sizeof(new->method), "%s", method);
	cluster_text(reason, strlen(reason), new->reason, sizeof(new->reason));
}

struct attach {
	struct agent_sessions *sessions;
	struct agent_session *one;
};

/* C-52 once more: under the names that the process gives them. */
static void site_report(void *user, const struct ward_site_report *r)
{
	struct attach *a = user;

	ward_schema_site(a->one->schema, r, NULL);
	site_note(a->sessions, r);
	if (!r->reason && a->sessions->who->not_sites.n && !agent_policy_site(a->sessions->who, r->site, NULL))
		a->one->is_refused = true;
}

/* Before anything is attached: no function that a site means has a name that is forbidden. */
struct look {
	const struct agent_coordinator *who;
	bool ok;
	struct ward_error *err;
};

static void name_check(struct look *l, const char *site, const char *name)
{
	const char *mark = strrchr(site, '!');
	char full[1024];

	if (name)
		snprintf(full, sizeof(full), "%.*s!%s", mark ? (int)(mark - site) : 0, site, name);
	else
		snprintf(full, sizeof(full), "%s", site);
	for (size_t i = 0; l->ok && i < l->who->not_sites.n; i++) {
		struct agent_coordinator only = {.name = l->who->name,
			.sites = {.at = (char *[]){"*"}, .n = 1},
			.not_sites = {.at = &l->who->not_sites.at[i], .n = 1}};
		l->ok = agent_policy_site(&only, full, l->err);
	}
}

static void function_check(void *user, const struct ward_site_report *r)
{
	struct look *l = user;

	name_check(l, r->site, NULL);
	for (size_t i = 0; l->ok && i < r->n_aliases; i++)
		name_check(l, r->site, r->aliases[i]);
}

static bool site_look(struct look *l, pid_t pid, const char *site)
{
	char function[1024];
	char *colon;

	/* as ward_list wants it: without what says where in the function */
	snprintf(function, sizeof(function), "%s", site);
	for (size_t i = 0; i < 3; i++) {
		static const char *const ends[] = {":return", ":throw", ":entry"};
		if ((colon = strstr(function, ends[i])) && !colon[strlen(ends[i])])
			*colon = 0;
	}
	ward_list(pid, function, function_check, l, NULL); /* nothing matches: the attach says so */
	return l->ok;
}

/* C-52: what shows only when the sites are found. */
static bool names_check(
	const struct agent_sessions *s, const struct agent_module *module, pid_t pid, struct ward_error *err)
{
	struct look l = {s->who, true, err};
	const struct ward_module_facts *m = &module->verdict->module;

	if (!s->who->not_sites.n)
		return true;
	for (size_t i = 0; i < s->unit->n_sites; i++)
		if (!site_look(&l, pid, s->unit->sites[i]))
			return false;
	for (size_t i = 0; !s->unit->n_sites && i < m->n_entries; i++)
		if (!site_look(&l, pid, m->entries[i].site))
			return false;
	return true;
}

/* ---- attach ---- */

static bool room_make(struct agent_sessions *s)
{
	if (s->n < s->room)
		return true;
	size_t room = 2 * s->room + 8;
	struct agent_session *grown = realloc(s->at, room * sizeof(*grown));
	if (!grown)
		return false;
	s->at = grown;
	s->room = room;
	return true;
}

static bool session_attach(struct agent_sessions *s, struct agent_session *one, const struct agent_module *module,
	const struct agent_process *process, struct ward_error *err)
{
	const struct agent_unit *u = s->unit;
	struct attach a = {s, one};
	struct ward_attach_options o = {
		.size = sizeof(o),
		.site = u->n_sites ? u->sites[0] : NULL,
		.more_sites = u->n_sites > 1 ? (const char *const *)u->sites + 1 : NULL,
		.n_more_sites = u->n_sites > 1 ? u->n_sites - 1 : 0,
		.max_insns = s->limits->max_insns,
		.max_state = s->limits->state < UINT32_MAX ? (uint32_t)s->limits->state : UINT32_MAX,
		.on_site = site_report,
		.user = &a,
		.allow = (const char *const *)u->imports,
		.n_allow = u->n_imports,
		.settings = (const char *const *)u->settings,
		.n_settings = u->n_settings,
		.names = &one->names,
	};
	int rc;

	if (!process) {
		if (o.max_insns > WARD_KERNEL_INSNS)
			o.max_insns = WARD_KERNEL_INSNS;
		return ward_attach_kernel(module->bytes, module->size, &o, &one->session, err) == 0;
	}
	o.pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (o.pidfd < 0 || !agent_process_lives(process)) {
		if (o.pidfd >= 0)
			close(o.pidfd);
		return cluster_refuse(err, "attach", NULL, "the process is gone");
	}
	rc = ward_attach(process->pid, module->bytes, module->size, &o, &one->session, err);
	close(o.pidfd);
	return rc == 0;
}

/* What the order's limits say of one process. */
static bool session_fits(struct agent_sessions *s, struct agent_session *one, struct ward_error *err)
{
	struct ward_session_stats stats;
	struct ward_pauses pauses;

	ward_session_stats(one->session, &stats);
	ward_session_pauses(one->session, &pauses);
	if (pauses.most > s->pause_ns)
		s->pause_ns = pauses.most;
	if (one->is_refused)
		return cluster_refuse(
			err, "policy", "C-52", "%s may not probe what a site is in this process", s->who->name);
	if (stats.sites > s->limits->sites)
		return cluster_refuse(err, "policy", "C-57", "%u sites, more than %llu", stats.sites,
			(unsigned long long)s->limits->sites);
	if (pauses.most > s->limits->pause_ns)
		return cluster_refuse(err, "policy", "C-57", "it was stopped for %llu us, longer than %llu us",
			(unsigned long long)pauses.most / 1000, (unsigned long long)s->limits->pause_ns / 1000);
	if (!one->names)
		return cluster_refuse(err, "attach", NULL, "the names of its addresses can't be read");
	return true;
}

/* Its rings and queues, if it has any (C-120). */
static bool stream_open(struct agent_session *one, struct ward_error *err)
{
	const struct ward_layout *l;

	if (ward_stream_open(one->schema, &one->stream, err))
		return false;
	for (size_t i = 0; (l = ward_stream_layout(one->stream, i)); i++)
		if (!l->size || l->size > MOST_RECORD)
			return cluster_refuse(err, "policy", "C-120", "records of %s have %zu bytes, more than %d",
				l->field, l->size, MOST_RECORD);
	if (ward_stream_layout(one->stream, 0))
		return true;
	ward_stream_close(one->stream);
	one->stream = NULL;
	return true;
}

bool agent_sessions_add(struct agent_sessions *s, const struct agent_process *process, struct ward_error *err)
{
	struct agent_session one = {0};
	struct ward_error why = {0};
	const struct agent_module *module = agent_modules_find(s->unit, process, &why);
	bool ok = module && (room_make(s) || cluster_refuse(&why, "attach", NULL, "out of memory"));

	if (process)
		one.process = *process;
	ok = ok && ward_schema_read(module->bytes, module->size, &one.schema, &why) == 0;
	ok = ok && (!s->by || ward_schema_by(one.schema, CLUSTER_BY_KEY, &one.by, &why) == 0);
	ok = ok && (!process || names_check(s, module, process->pid, &why)) &&
	     session_attach(s, &one, module, process, &why) && session_fits(s, &one, &why);
	ok = ok && (!ward_drain_is_needed(one.schema) ||
			   ward_drain_open(one.schema, one.names, &limits_of_sum, &one.drain, &why) == 0);
	ok = ok && stream_open(&one, &why);
	if (ok) {
		one.number = ++s->n_ever;
		s->at[s->n++] = one;
		return true;
	}
	session_end(&one);
	snprintf(s->warning, sizeof(s->warning), "%.100s (process %d)", why.why, process ? (int)process->pid : 0);
	return error_pass(err, &why);
}

/* ---- sums ---- */

/* What can't be taken stays in the queue, and what finds that full is counted as a key without room. */
int agent_sessions_drain(struct agent_sessions *s)
{
	size_t all = 0, taken;
	bool any = false;

	for (size_t i = 0; i < s->n; i++) {
		struct agent_session *one = &s->at[i];
		if (!one->drain)
			continue;
		any = true;
		if (ward_drain_poll(one->drain, one->session, &taken, NULL) == 0)
			all += taken;
	}
	return !any ? -1 : all ? DRAIN_BUSY_MS : DRAIN_IDLE_MS;
}

/* C-115: its process is a part of all its keys. */
static int session_divide(
	const struct agent_sessions *s, const struct agent_session *one, ward_partial **p, struct ward_error *err)
{
	const char *name = strrchr(one->process.exe, '/');
	char text[CLUSTER_BY_TEXT];
	ward_partial *divided;
	int rc;

	cluster_by_write(s->by, one->process.pid, name ? name + 1 : one->process.exe, text);
	rc = ward_partial_by(*p, one->by, text, &limits_of_sum, &divided, err);
	if (rc)
		return rc;
	ward_partial_free(*p);
	*p = divided;
	return 0;
}

static bool session_sum(struct agent_sessions *s, struct agent_session *one, ward_partial *into, struct ward_error *err)
{
	ward_partial *p = NULL;
	struct ward_error why;
	bool ok = (one->drain ? ward_drain_take(one->drain, one->session, &p, &why)
			      : ward_partial_take(one->session, one->schema, one->names, &limits_of_sum, &p, &why)) ==
			  0 &&
		  (!s->by || session_divide(s, one, &p, &why) == 0) && ward_partial_add(into, p, &why) == 0;

	ward_partial_free(p);
	return ok || error_pass(err, &why);
}

void agent_sessions_poll(struct agent_sessions *s, void (*fn)(void *user, pid_t pid), void *user)
{
	struct ward_error why;

	for (size_t i = 0; i < s->n;) {
		struct agent_session *one = &s->at[i];
		if (!one->process.pid || (ward_wait(one->session, 0) != 1 && agent_process_is_same(&one->process))) {
			i++;
			continue;
		}
		agent_reader_take(s->reader, s, one);
		if (!session_sum(s, one, s->ended, &why)) {
			snprintf(s->warning, sizeof(s->warning), "what process %d has counted is lost: %.200s",
				(int)one->process.pid, why.why);
		}
		pid_t pid = one->process.pid;
		session_end(one);
		*one = s->at[--s->n];
		s->n_ended++;
		fn(user, pid);
	}
}

bool agent_sessions_detach(struct agent_sessions *s, struct ward_error *err)
{
	bool ok = true;

	for (size_t i = 0; i < s->n; i++)
		ok = ward_detach(s->at[i].session, err) == 0 && ok;
	return ok;
}

ward_partial *agent_sessions_take(struct agent_sessions *s, struct ward_error *err)
{
	ward_partial *sum = NULL;
	struct ward_error why;
	bool ok = ward_partial_merge(s->schema, s->own, NULL, 0, SIZE_MAX, &limits_of_sum, &sum, &why) == 0 &&
		  ward_partial_add(sum, s->ended, &why) == 0;

	for (size_t i = 0; ok && i < s->n; i++)
		ok = session_sum(s, &s->at[i], sum, &why);
	if (ok)
		return sum;
	ward_partial_free(sum);
	error_pass(err, &why);
	return NULL;
}
