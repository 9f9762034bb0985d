/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is over leaves what it had as a partial, which is added to that of others: so there are as few of them
 * as rows tell apart, however many processes come and go.
 */
#define _GNU_SOURCE
#include "processes.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

enum { AT_ONCE = 8, WAITING = 1024, REASONS = 7, LINE = 200 };

struct member {
	const struct query_processes_options *options;
	struct query_session who;
	char name[256];
	ward_session *session;
	ward_schema *schema;
	ward_names *names;
	ward_stream *stream;
	ward_drain *drain;
	unsigned sites, skipped;
	uint64_t inlined;
	struct member *next; /* of those whose description rows still use */
};

struct query_processes {
	const struct query *q;
	struct query_processes_options options;
	struct watch *watch;
	struct member *member[QUERY_PROCESSES];
	size_t n;
	struct {
		pid_t pid;
		char name[256];
	} waiting[WAITING]; /* to be attached to */
	size_t n_waiting;
	struct query_part *over; /* of processes that are over */
	size_t n_over;
	struct query_part *parts;
	struct query_processes_stats totals; /* of those that are over */
	struct member *gone;
	struct {
		char *reason;
		unsigned n;
		char line[LINE];
	} refused[REASONS + 1];
	char line[REASONS + 1][2 * LINE];
	const char *lines[REASONS + 1];
};

/* ---- who was refused ---- */

/* "3 processes were refused: bash (12), vim (13), and 1 more: operation not permitted". */
static void process_refuse(struct query_processes *p, pid_t pid, const char *name, const char *reason)
{
	const struct query_process report = {.pid = pid, .name = name, .reason = reason};
	size_t i = 0, length;

	while (i < REASONS && p->refused[i].reason && strcmp(p->refused[i].reason, reason) != 0)
		i++;
	if (!p->refused[i].reason)
		p->refused[i].reason = strdup(i < REASONS ? reason : "other reasons");
	p->refused[i].n++;
	length = strlen(p->refused[i].line);
	if (length + strlen(name) + 20 < sizeof(p->refused[i].line) / 2)
		snprintf(p->refused[i].line + length, sizeof(p->refused[i].line) - length, "%s%s (%d)",
			length ? ", " : "", name, (int)pid);
	p->totals.refused++;
	if (p->options.on_process)
		p->options.on_process(p->options.user, &report);
}

/* ---- attaching ---- */

static void on_site(void *user, const struct ward_site_report *report)
{
	static const char part[] = "the symbol is a part of a function";
	struct member *m = user;

	m->inlined += report->method ? report->inlined : 0;
	m->sites += report->method != NULL;
	if (!report->method && !(report->reason && strncmp(report->reason, part, sizeof(part) - 1) == 0)) {
		m->skipped++;
		if (m->options->on_skipped)
			m->options->on_skipped(m->options->user, report);
	}
	if (m->schema)
		ward_schema_site(m->schema, report, NULL); /* without memory it stays a number */
}

static void member_free(struct member *m)
{
	if (!m)
		return;
	ward_session_free(m->session);
	ward_stream_close(m->stream);
	ward_drain_close(m->drain);
	ward_schema_free(m->schema);
	ward_names_close(m->names);
	m->session = NULL;
	m->stream = NULL;
	m->drain = NULL;
	m->schema = NULL;
	m->names = NULL;
}

/* Why there is no session, or "". */
static const char *process_attach(struct query_processes *p, struct member *m, struct ward_error *err)
{
	const struct query_processes_options *o = &p->options;
	struct ward_attach_options options = *o->attach;

	options.on_site = on_site;
	options.user = m;
	options.names = &m->names;
	if (ward_schema_read(o->image, o->size, &m->schema, err) != WARD_OK ||
		ward_attach((pid_t)m->who.pid, o->image, o->size, &options, &m->session, err) != WARD_OK)
		return err->why;
	if (!m->names)
		return "its modules have no names";
	if (o->on_record && ward_stream_open(m->schema, &m->stream, err) != WARD_OK)
		return err->why;
	if (ward_drain_is_needed(m->schema) && ward_drain_open(m->schema, m->names, NULL, &m->drain, err) != WARD_OK)
		return err->why;
	return "";
}

/* The loader says what a module is, and what is in it. A pattern of modules matches more than those that have it. */
static bool is_refusal(const struct query_processes *p, const char *reason)
{
	bool is_pattern = false;

	for (size_t i = 0; i < p->options.n_modules; i++)
		is_pattern |= strpbrk(p->options.modules[i], "*?[") != NULL;
	return strncmp(reason, "there is no module", 18) != 0 &&
	       !(is_pattern && strncmp(reason, "no function matches", 19) == 0);
}

static void attach_to(struct query_processes *p, pid_t pid, const char *name)
{
	struct member *m = calloc(1, sizeof(*m));
	struct ward_error err = {0};
	const char *reason;

	if (!m || p->n == QUERY_PROCESSES) {
		process_refuse(p, pid, name, m ? "there are 256 processes already" : "out of memory");
		free(m);
		return;
	}
	snprintf(m->name, sizeof(m->name), "%s", name);
	m->options = &p->options;
	m->who = (struct query_session){.pid = pid, .process = m->name, .machine = p->options.machine};
	reason = process_attach(p, m, &err);
	if (*reason) {
		if (is_refusal(p, reason) && kill(pid, 0) == 0) /* it isn't over by now */
			process_refuse(p, pid, name, reason);
		member_free(m);
		free(m);
		return;
	}
	p->member[p->n++] = m;
	p->totals.processes++;
	if (p->options.on_process)
		p->options.on_process(
			p->options.user, &(struct query_process){.pid = pid, .name = m->name, .sites = m->sites});
}

static void on_found(void *user, pid_t pid, const char *name)
{
	struct query_processes *p = user;

	if (p->n_waiting == WAITING) {
		process_refuse(p, pid, name, "too many processes at once");
		return;
	}
	p->waiting[p->n_waiting].pid = pid;
	snprintf(p->waiting[p->n_waiting++].name, sizeof(p->waiting[0].name), "%s", name);
}

/* ---- records ---- */

struct polled {
	const struct query_processes *p;
	const struct query_session *who;
	ward_names *names;
};

static void on_record(void *user, const struct ward_field *field, const struct ward_record *record)
{
	const struct polled *polled = user;

	polled->p->options.on_record(polled->p->options.user, polled->who, polled->names, field, record);
}

static void poll_member(struct query_processes *p, struct member *m)
{
	struct polled polled = {p, &m->who, m->names};

	if (m->stream)
		ward_stream_poll(m->stream, m->session, on_record, &polled, NULL);
}

bool query_processes_poll(struct query_processes *p)
{
	size_t all = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct member *m = p->member[i];
		size_t taken = 0;

		poll_member(p, m);
		if (m->drain)
			ward_drain_poll(m->drain, m->session, &taken, NULL);
		all += taken;
	}
	return all != 0;
}

/* ---- those that are over ---- */

/* Its partial, or, if that can't be had, what is lost. */
static void keep_last(struct query_processes *p, struct member *m)
{
	unsigned apart = query_sessions_apart(p->q);
	ward_partial *last = NULL;
	struct ward_error err;
	struct query_part *grown;
	size_t i = 0;

	if ((m->drain ? ward_drain_take(m->drain, m->session, &last, &err)
		      : ward_partial_take(m->session, m->schema, m->names, NULL, &last, &err)) != WARD_OK) {
		process_refuse(p, (pid_t)m->who.pid, m->name, err.why);
		return;
	}
	while (i < p->n_over && !query_belongs(apart, p->over[i].who, &m->who))
		i++;
	if (i < p->n_over) {
		if (ward_partial_add(p->over[i].last, last, &err) != WARD_OK)
			process_refuse(p, (pid_t)m->who.pid, m->name, err.why);
		ward_partial_free(last);
		return;
	}
	grown = realloc(p->over, (p->n_over + 1) * sizeof(*grown));
	if (!grown) {
		process_refuse(p, (pid_t)m->who.pid, m->name, "out of memory");
		ward_partial_free(last);
		return;
	}
	p->over = grown;
	p->over[p->n_over++] =
		(struct query_part){.who = &m->who, .schema = m->schema, .names = m->names, .last = last};
	m->schema = NULL; /* which these use now */
	m->names = NULL;
}

static void add_stats(struct query_processes_stats *to, const struct member *m)
{
	struct ward_session_stats stats;
	uint64_t told, lost = 0;

	ward_session_stats(m->session, &stats);
	to->stats.events += stats.events;
	to->stats.dropped += stats.dropped;
	to->stats.threads += stats.threads;
	to->stats.sites += stats.sites;
	to->skipped += m->skipped;
	to->inlined += m->inlined;
	if (m->stream)
		ward_stream_totals(m->stream, "rows", &told, &lost);
	to->lost += lost;
}

static void end_member(struct query_processes *p, size_t i)
{
	struct member *m = p->member[i];

	ward_detach(m->session, NULL);
	poll_member(p, m);
	add_stats(&p->totals, m);
	keep_last(p, m);
	watch_again(p->watch, (pid_t)m->who.pid);
	member_free(m);
	m->next = p->gone;
	p->gone = m;
	memmove(p->member + i, p->member + i + 1, (p->n - i - 1) * sizeof(p->member[0]));
	p->n--;
}

void query_processes_look(struct query_processes *p)
{
	size_t some;

	for (size_t i = p->n; i-- > 0;)
		if (ward_wait(p->member[i]->session, 0) != 0)
			end_member(p, i);
	watch_look(p->watch, on_found, p);
	some = p->n_waiting < AT_ONCE ? p->n_waiting : AT_ONCE;
	for (size_t i = 0; i < some; i++)
		attach_to(p, p->waiting[i].pid, p->waiting[i].name);
	p->n_waiting -= some;
	memmove(p->waiting, p->waiting + some, p->n_waiting * sizeof(p->waiting[0]));
}

/* ---- results ---- */

const struct query_part *query_processes_parts(struct query_processes *p, size_t *n)
{
	struct query_part *grown = realloc(p->parts, (p->n + p->n_over + 1) * sizeof(*grown));

	*n = 0;
	if (!grown)
		return NULL;
	p->parts = grown;
	for (size_t i = 0; i < p->n_over; i++)
		p->parts[(*n)++] = p->over[i];
	for (size_t i = 0; i < p->n; i++)
		p->parts[(*n)++] = (struct query_part){.who = &p->member[i]->who,
			.session = p->member[i]->session,
			.schema = p->member[i]->schema,
			.names = p->member[i]->names,
			.drain = p->member[i]->drain};
	return p->parts;
}

struct query_processes_stats query_processes_stats(struct query_processes *p)
{
	struct query_processes_stats s = p->totals;

	for (size_t i = 0; i < p->n; i++)
		add_stats(&s, p->member[i]);
	s.ancestors = watch_ancestors(p->watch);
	for (size_t i = 0; i <= REASONS && p->refused[i].reason; i++) {
		size_t named = 0;

		for (const char *c = p->refused[i].line; *c; c++)
			named += *c == '(';
		snprintf(p->line[i], sizeof(p->line[i]), "%u process%s refused: %s%s: %s", p->refused[i].n,
			p->refused[i].n == 1 ? " was" : "es were", p->refused[i].line,
			named < p->refused[i].n ? ", and others" : "", p->refused[i].reason);
		p->lines[i] = p->line[i];
		s.n_lines = i + 1;
	}
	s.lines = p->lines;
	return s;
}

/* ---- the whole ---- */

struct query_processes *query_processes_open(const struct query *q, const struct query_processes_options *options)
{
	struct query_processes *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->q = q;
	p->options = *options;
	p->watch = watch_open(options->modules, options->n_modules, options->program);
	if (p->watch)
		return p;
	free(p);
	return NULL;
}

void query_processes_detach(struct query_processes *p)
{
	for (size_t i = 0; i < p->n; i++)
		ward_detach(p->member[i]->session, NULL);
}

void query_processes_free(struct query_processes *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		member_free(p->member[i]);
		free(p->member[i]);
	}
	for (size_t i = 0; i < p->n_over; i++) {
		ward_partial_free(p->over[i].last);
		ward_names_close(p->over[i].names);
		ward_schema_free((ward_schema *)p->over[i].schema);
	}
	while (p->gone) {
		struct member *next = p->gone->next;

		free(p->gone);
		p->gone = next;
	}
	for (size_t i = 0; i <= REASONS; i++)
		free(p->refused[i].reason);
	free(p->over);
	free(p->parts);
	watch_close(p->watch);
	free(p);
}
