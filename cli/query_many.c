/* SPDX-License-Identifier: Apache-2.0 */
/* ward query without a process: of all that have a module of its sites mapped, now and later. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query_command.h"

#define LOOK_SECONDS 0.2
enum { POLL_MS = 10 };

/* The module of a site: what is before "!". */
static char *module_of(const char *site)
{
	return strndup(site, strcspn(site, "!"));
}

/* Would nearly every process have one? */
static bool is_any(const char *module)
{
	return module[strspn(module, "*?")] == 0;
}

static bool find_modules(struct query_command *c)
{
	struct query_many *m = &c->many;

	for (size_t i = 0; query_site(c->query, i); i++) {
		char *module = module_of(query_site(c->query, i));

		if (!module)
			return false;
		m->modules[m->n_modules++] = module;
	}
	return true;
}

/* A process comes, or is refused: for people a line, unless the terminal is taken. */
static void on_process(void *user, const struct query_process *process)
{
	struct query_command *c = user;
	struct trace *t = &c->trace;

	if (t->json) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "type", json_object_new_string("process"));
		json_object_object_add(o, "pid", json_object_new_int64(process->pid));
		json_object_object_add(o, "process", cli_json_string(process->name));
		json_object_object_add(o, "sites", json_object_new_int64(process->sites));
		json_object_object_add(o, "reason", process->reason ? cli_json_string(process->reason) : NULL);
		cli_json_line(&t->out, o);
		return;
	}
	if (t->quiet || (t->live && c->many.has_begun))
		return;
	fputs(process->reason ? "refused " : "attached ", stderr);
	cli_print_clean(stderr, process->name);
	fprintf(stderr, " (%d): ", (int)process->pid);
	if (process->reason)
		cli_print_clean(stderr, process->reason);
	else
		fprintf(stderr, "%u site%s", process->sites, process->sites == 1 ? "" : "s");
	fputc('\n', stderr);
}

static void on_skipped(void *user, const struct ward_site_report *report)
{
	struct query_command *c = user;

	if (c->trace.json)
		cli_json_site(&c->trace.out, report, "attach");
}

/* Its addresses and stacks have that process's names. */
static void on_record(void *user, const struct query_session *who, ward_names *names, const struct ward_field *field,
	const struct ward_record *record)
{
	struct query_command *c = user;
	struct cli_names *usual = c->trace.out.names, its = usual ? *usual : (struct cli_names){0};

	its.names = names;
	c->trace.out.names = &its;
	query_record_print(c, who, field, record);
	c->trace.out.names = usual;
}

/* What is wrong with the module is said once, before any process is touched. */
static int check_module(struct query_command *c)
{
	struct ward_verdict *verdict = NULL;
	int status = cli_verify(c->name, &c->trace.module, &c->trace.limits.options, &verdict);

	ward_verdict_free(verdict);
	return status;
}

static int many_attach(struct trace *t)
{
	struct query_command *c = t->print_user;
	struct query_many *m = &c->many;
	struct query_processes_options options = {.image = t->module.data,
		.size = t->module.size,
		.attach = &m->attach,
		.machine = c->machine,
		.program = m->program,
		.modules = (const char *const *)m->modules,
		.on_process = on_process,
		.on_skipped = on_skipped,
		.on_record = query_has_records(c->query) ? on_record : NULL,
		.user = c};
	struct ward_error err;
	int status = check_module(c);

	if (status != CLI_OK)
		return status;
	gethostname(c->machine, sizeof(c->machine) - 1);
	m->attach = (struct ward_attach_options){.size = sizeof(m->attach),
		.settings = t->settings.at,
		.n_settings = t->settings.n,
		.max_insns = t->limits.options.max_insns,
		.max_stack = t->limits.options.max_stack,
		.allow = t->limits.options.allow,
		.n_allow = t->limits.options.n_allow};
	if (ward_schema_read(t->module.data, t->module.size, &t->schema, &err) != WARD_OK)
		return cli_library_error(&err);
	if (!find_modules(c))
		return cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	options.n_modules = m->n_modules;
	m->processes = query_processes_open(c->query, &options);
	if (!m->processes)
		return cli_error(CLI_USAGE, "query", "free some memory and try again", "out of memory");
	query_processes_look(m->processes);
	if (!query_processes_stats(m->processes).processes && !t->quiet && !t->json)
		fputs("no process has it mapped yet; those that start are probed\n", stderr);
	m->has_begun = true;
	m->poll_ms = 1;
	return CLI_OK;
}

/* Returns in how many milliseconds it wants to be called next: soon, while there is much to be read. */
static int many_look(struct trace *t)
{
	struct query_command *c = t->print_user;
	struct query_many *m = &c->many;
	double now = query_monotonic();

	if (query_processes_poll(m->processes)) {
		m->poll_ms = 1;
		fflush(t->out.file);
	} else {
		m->poll_ms = 2 * m->poll_ms < POLL_MS ? 2 * m->poll_ms : POLL_MS;
	}
	if (now >= m->next) {
		query_processes_look(m->processes);
		m->next = query_monotonic() + LOOK_SECONDS;
	}
	return m->poll_ms;
}

static void many_detach(struct trace *t)
{
	struct query_command *c = t->print_user;

	query_processes_detach(c->many.processes);
	query_processes_poll(c->many.processes);
}

static const struct trace_many many = {many_attach, many_look, many_detach};

int query_many_hook(struct query_command *c, const char *program)
{
	if (query_is_joined(c->query) && !query_module_of(c->query))
		return cli_usage(
			&cmd_query, "events of different threads are joined in one process: use -p PID, or -- COMMAND");
	if (query_module_of(c->query))
		return cli_usage(&cmd_query, "a probe of a file is of one process: use -p PID, or -- COMMAND");
	for (size_t i = 0; query_site(c->query, i); i++) {
		char *module = module_of(query_site(c->query, i));
		bool any = module && is_any(module);

		free(module);
		if (any && !program)
			return cli_usage(&cmd_query,
				"a site in any module: of which process? Use -p PID, -- COMMAND, or Process(\"NAME\")");
	}
	c->many.program = program;
	c->trace.many = &many;
	return CLI_OK;
}

void query_many_free(struct query_command *c)
{
	query_processes_free(c->many.processes);
	for (size_t i = 0; i < c->many.n_modules; i++)
		free(c->many.modules[i]);
}
