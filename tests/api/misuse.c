/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong uses of ward/ward.h: every call returns, and says what is wrong. */
#include "helper.h"
#include "ward/partial.h"

#include <dirent.h>
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	cr_assert(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static void on_site(void *user, const struct ward_site_report *report)
{
	(void)report;
	++*(int *)user;
}

static void on_record(void *user, const struct ward_field *field, const struct ward_record *record)
{
	(void)user, (void)field, (void)record;
}

/* The error says which argument of which function. */
static void expect_missing(int rc, struct ward_error *err, const char *what, const char *why)
{
	cr_expect_eq(rc, WARD_E_USAGE);
	cr_expect_eq(err->status, WARD_E_USAGE);
	cr_expect_str_eq(err->what, what);
	cr_expect_str_eq(err->why, why);
	memset(err, 0x55, sizeof(*err));
}

static bool apart_none(void *user, const char *text, ward_partial *partial)
{
	(void)user;
	(void)text;
	ward_partial_free(partial);
	return true;
}

Test(misuse, attaching_without_arguments)
{
	struct module m = module_read("exact");
	char *argv[] = {"true", NULL};
	ward_session *s = (ward_session *)&m;
	struct ward_error err;
	pid_t pid = 7;

	expect_missing(ward_attach(1, m.data, m.size, NULL, NULL, &err), &err, "ward_attach", "out is missing");
	expect_missing(ward_attach(1, NULL, m.size, NULL, &s, &err), &err, "module", "the image is missing");
	cr_expect_null(s);
	expect_missing(ward_spawn(argv, m.data, m.size, NULL, NULL, &pid, &err), &err, "ward_spawn", "out is missing");
	cr_expect_eq(pid, 0);
	expect_missing(ward_spawn(argv, NULL, 0, NULL, &s, NULL, &err), &err, "module", "the image is missing");
	expect_missing(
		ward_spawn(NULL, m.data, m.size, NULL, &s, NULL, &err), &err, "ward_spawn", "no command was given");
	expect_missing(ward_check(NULL, m.size, NULL, &err), &err, "module", "the image is missing");
	cr_expect_eq(ward_attach(1, NULL, 0, NULL, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_spawn(NULL, NULL, 0, NULL, NULL, NULL, NULL), WARD_E_USAGE);
	cr_expect_eq(ward_check(NULL, 0, NULL, NULL), WARD_E_USAGE);
	expect_missing(ward_list(getpid(), NULL, NULL, NULL, &err), &err, "ward_list", "fn is missing");
	expect_missing(ward_list_kernel(NULL, NULL, NULL, &err), &err, "ward_list_kernel", "fn is missing");
	expect_missing(ward_list_file("x", NULL, NULL, NULL, &err), &err, "ward_list_file", "fn is missing");
	expect_missing(ward_list_file(NULL, NULL, on_site, NULL, &err), &err, "ward_list_file", "path is missing");
	expect_missing(ward_list_command(argv, NULL, NULL, NULL, &err), &err, "ward_list_command", "fn is missing");
	expect_missing(
		ward_list_command(NULL, NULL, on_site, NULL, &err), &err, "ward_list_command", "no command was given");
	expect_missing(ward_names_open(getpid(), NULL, &err), &err, "ward_names_open", "out is missing");
	expect_missing(ward_names_open_kernel(NULL, &err), &err, "ward_names_open_kernel", "out is missing");
	free(m.data);
}

Test(misuse, no_session)
{
	struct ward_session_stats stats = {.events = 1};
	struct ward_pauses pauses = {.count = 1};
	const void *const *states = (const void *const *)&stats;
	struct ward_error err;
	size_t size = 5;

	cr_expect_eq(ward_wait(NULL, 0), WARD_E_USAGE);
	cr_expect_eq(ward_exit_status(NULL), -1);
	expect_missing(ward_detach(NULL, &err), &err, "ward_detach", "the session is missing");
	cr_expect_eq(ward_detach(NULL, NULL), WARD_E_USAGE);
	ward_session_stats(NULL, &stats);
	cr_expect_eq(stats.events, 0);
	ward_session_stats(NULL, NULL);
	cr_expect(!ward_session_shut(NULL));
	cr_expect_eq(ward_session_held_back(NULL), 0);
	ward_session_pauses(NULL, &pauses);
	cr_expect_eq(pauses.count, 0);
	ward_session_pauses(NULL, NULL);
	cr_expect_eq(ward_session_states(NULL, &states, &size), 0);
	cr_expect_null(states);
	cr_expect_eq(size, 0);
	cr_expect_eq(ward_session_states(NULL, NULL, NULL), 0);
	ward_session_free(NULL);
}

Test(misuse, names_of_nothing)
{
	char text[8] = "kept";
	ward_names *names;

	cr_expect_not(ward_names_find(NULL, 1, text, sizeof(text)));
	cr_assert_eq(ward_names_open(getpid(), &names, NULL), 0);
	cr_expect_not(ward_names_find(names, (uintptr_t)getpid, NULL, 8));
	cr_expect_not(ward_names_find(names, (uintptr_t)getpid, text, 0));
	cr_expect_not(ward_names_find(names, 1, text, sizeof(text)));
	cr_expect_str_eq(text, "kept");
	cr_expect(ward_names_find(names, (uintptr_t)getpid, text, sizeof(text)));
	cr_expect_eq(strlen(text), sizeof(text) - 1, "cut to fit: %s", text);
	ward_names_close(names);
	ward_names_close(NULL);
}

Test(misuse, state_without_arguments)
{
	struct module m = module_read("exact");
	ward_schema *schema;
	ward_snapshot *snapshot;
	ward_stream *stream;
	ward_ctf *ctf = (ward_ctf *)&m;
	struct ward_error err;
	uint64_t told = 3;
	ward_partial *partial, *other;
	ward_schema *by;
	struct ward_partial_limits no_size = {.memory = 1};
	struct ward_partial_notes no_notes = {.size = sizeof(no_notes)};

	schema = (ward_schema *)&m;
	stream = (ward_stream *)&m;
	snapshot = (ward_snapshot *)&m;
	expect_missing(ward_schema_read(NULL, 9, &schema, &err), &err, "ward_schema_read", "the image is missing");
	cr_expect_null(schema);
	expect_missing(ward_schema_read(m.data, m.size, NULL, &err), &err, "ward_schema_read", "out is missing");
	cr_assert_eq(ward_schema_read(m.data, m.size, &schema, &err), 0);
	cr_expect_eq(err.status, 0);
	cr_expect_eq(ward_schema_fields(NULL), 0);
	cr_expect_str_eq(ward_schema_field(NULL, 0).name, "");
	cr_expect_str_eq(ward_schema_field(schema, SIZE_MAX).name, "");
	expect_missing(ward_snapshot_take(NULL, schema, &snapshot, &err), &err, "ward_snapshot_take",
		"the session is missing");
	cr_expect_null(snapshot);
	snapshot = (ward_snapshot *)&m;
	expect_missing(ward_snapshot_merge(NULL, NULL, 0, 8, &snapshot, &err), &err, "ward_snapshot_merge",
		"the schema is missing");
	cr_expect_null(snapshot);
	expect_missing(ward_snapshot_merge(schema, NULL, 1, 4096, &snapshot, &err), &err, "ward_snapshot_merge",
		"states is missing");
	expect_missing(
		ward_snapshot_merge(schema, NULL, 0, 4096, NULL, &err), &err, "ward_snapshot_merge", "out is missing");
	cr_expect_eq(ward_snapshot_merge(schema, NULL, 0, 8, &snapshot, &err), WARD_E_USAGE);
	cr_expect_str_eq(err.why, "the fields don't fit into the state");
	cr_assert_eq(ward_snapshot_merge(schema, NULL, 0, 4096, &snapshot, &err), 0);
	cr_expect_null(ward_snapshot_field(snapshot, ward_snapshot_fields(snapshot)));
	cr_expect_null(ward_snapshot_field(NULL, 0));
	cr_expect_eq(ward_snapshot_fields(NULL), 0);
	ward_snapshot_free(snapshot);
	ward_snapshot_free(NULL);
	partial = (ward_partial *)&m;
	expect_missing(ward_partial_take(NULL, schema, NULL, NULL, &partial, &err), &err, "ward_partial_take",
		"the session is missing");
	cr_expect_null(partial);
	expect_missing(ward_partial_merge(NULL, NULL, NULL, 0, 8, NULL, &partial, &err), &err, "ward_partial_merge",
		"the schema is missing");
	expect_missing(ward_partial_merge(schema, NULL, NULL, 1, 4096, NULL, &partial, &err), &err,
		"ward_partial_merge", "states is missing");
	expect_missing(ward_partial_merge(schema, NULL, NULL, 0, 4096, NULL, NULL, &err), &err, "ward_partial_merge",
		"out is missing");
	cr_expect_eq(ward_partial_merge(schema, NULL, NULL, 0, 8, NULL, &partial, &err), WARD_E_USAGE);
	cr_expect_eq(ward_partial_merge(schema, NULL, NULL, 0, 4096, &no_size, &partial, &err), WARD_E_USAGE);
	cr_assert_eq(ward_partial_merge(schema, NULL, NULL, 0, 4096, NULL, &partial, &err), 0);
	expect_missing(ward_partial_add(NULL, partial, &err), &err, "ward_partial_add", "into is missing");
	expect_missing(ward_partial_add(partial, NULL, &err), &err, "ward_partial_add", "from is missing");
	expect_missing(
		ward_partial_finish(NULL, &snapshot, &err), &err, "ward_partial_finish", "the partial is missing");
	expect_missing(ward_partial_finish(partial, NULL, &err), &err, "ward_partial_finish", "out is missing");
	expect_missing(ward_schema_by(NULL, "machine", &by, &err), &err, "ward_schema_by", "the schema is missing");
	expect_missing(ward_schema_by(schema, NULL, &by, &err), &err, "ward_schema_by", "key is missing");
	expect_missing(ward_schema_by(schema, "machine", NULL, &err), &err, "ward_schema_by", "out is missing");
	cr_expect_null(by);
	expect_missing(ward_partial_by(partial, NULL, "a", NULL, &other, &err), &err, "ward_partial_by",
		"the schema is missing");
	expect_missing(
		ward_partial_by(partial, schema, NULL, NULL, &other, &err), &err, "ward_partial_by", "text is missing");
	expect_missing(
		ward_partial_by(partial, schema, "a", NULL, NULL, &err), &err, "ward_partial_by", "out is missing");
	cr_expect_eq(ward_partial_by(partial, schema, "a", NULL, &other, &err), WARD_E_USAGE);
	cr_expect_null(other);
	expect_missing(ward_partial_follows(NULL, partial, &err), &err, "ward_partial_follows", "before is missing");
	expect_missing(ward_partial_follows(partial, NULL, &err), &err, "ward_partial_follows", "after is missing");
	expect_missing(
		ward_partial_apart(NULL, apart_none, NULL, &err), &err, "ward_partial_apart", "the partial is missing");
	expect_missing(ward_partial_apart(partial, NULL, NULL, &err), &err, "ward_partial_apart", "fn is missing");
	cr_expect_eq(ward_partial_apart(partial, apart_none, NULL, &err), WARD_E_USAGE);
	expect_missing(ward_partial_subtract(NULL, partial, &err), &err, "ward_partial_subtract", "into is missing");
	expect_missing(ward_partial_subtract(partial, NULL, &err), &err, "ward_partial_subtract", "from is missing");
	expect_missing(ward_partial_cut(NULL, NULL, NULL, &err), &err, "ward_partial_cut", "the partial is missing");
	expect_missing(ward_partial_note(NULL, &no_notes, &err), &err, "ward_partial_note", "the partial is missing");
	expect_missing(ward_partial_note(partial, NULL, &err), &err, "ward_partial_note", "notes is missing");
	cr_expect_eq(ward_partial_notes(NULL).events, 0);
	cr_expect_eq(ward_partial_memory(NULL), 0);
	ward_partial_free(partial);
	ward_partial_free(NULL);
	expect_missing(ward_stream_open(NULL, &stream, &err), &err, "ward_stream_open", "the schema is missing");
	cr_expect_null(stream);
	expect_missing(ward_stream_open(schema, NULL, &err), &err, "ward_stream_open", "out is missing");
	cr_assert_eq(ward_stream_open(schema, &stream, &err), 0);
	expect_missing(ward_stream_poll(stream, NULL, on_record, NULL, &err), &err, "ward_stream_poll",
		"the session is missing");
	expect_missing(ward_stream_read(NULL, NULL, 0, 8, on_record, NULL, &err), &err, "ward_stream_read",
		"the stream is missing");
	expect_missing(
		ward_stream_read(stream, NULL, 0, 8, NULL, NULL, &err), &err, "ward_stream_read", "fn is missing");
	expect_missing(ward_stream_read(stream, NULL, 1, 8, on_record, NULL, &err), &err, "ward_stream_read",
		"states is missing");
	ward_stream_totals(NULL, "x", &told, NULL);
	cr_expect_eq(told, 0);
	ward_stream_totals(stream, NULL, NULL, NULL);
	ward_stream_close(stream);
	ward_stream_close(NULL);
	expect_missing(ward_ctf_open("/nowhere", NULL, &ctf, &err), &err, "ward_ctf_open", "the schema is missing");
	cr_expect_null(ctf);
	expect_missing(ward_ctf_open(NULL, schema, &ctf, &err), &err, "ward_ctf_open", "the directory is missing");
	expect_missing(ward_ctf_open("/nowhere", schema, NULL, &err), &err, "ward_ctf_open", "out is missing");
	expect_missing(ward_ctf_poll(NULL, NULL, &err), &err, "ward_ctf_poll", "the trace is missing");
	expect_missing(ward_ctf_read(NULL, NULL, 0, 8, &err), &err, "ward_ctf_read", "the trace is missing");
	expect_missing(ward_ctf_share_clock(NULL, ctf, &err), &err, "ward_ctf_share_clock", "a trace is missing");
	expect_missing(ward_ctf_share_clock(ctf, NULL, &err), &err, "ward_ctf_share_clock", "a trace is missing");
	ward_ctf_totals(NULL, NULL, &told, NULL);
	cr_expect_eq(told, 0);
	cr_expect_eq(ward_ctf_close(NULL, &err), WARD_OK);
	ward_schema_free(schema);
	ward_schema_free(NULL);
	free(m.data);
}

/* Options as a program of another age has them. */
struct other {
	struct ward_attach_options known;
	uint8_t more[5000];
};

static int check(const struct module *m, const struct ward_attach_options *options)
{
	struct ward_error err;
	int rc = ward_check(m->data, m->size, options, &err);

	cr_expect_eq(err.status, rc);
	cr_expect_eq(err.why[0] == 0, rc == 0);
	return rc;
}

Test(misuse, sizes_of_options)
{
	struct other *o = calloc(1, sizeof(*o));
	struct module m = module_read("exact");

	cr_assert(o);
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE);
	o->known.size = sizeof(o->known.size) - 1;
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE);
	o->known.size = SIZE_MAX;
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE);
	o->known.size = 4097;
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE);
	o->known.size = sizeof(o->known);
	cr_expect_eq(check(&m, &o->known), 0);
	/* An older program: what lies behind its structure is anything. */
	o->known.max_insns = 1;
	o->known.n_allow = 7;
	o->known.size = offsetof(struct ward_attach_options, n_allow);
	cr_expect_eq(check(&m, &o->known), WARD_E_REJECTED);
	o->known.size = offsetof(struct ward_attach_options, max_insns);
	cr_expect_eq(check(&m, &o->known), 0);
	o->known.size = sizeof(o->known);
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE, "names are missing");
	o->known.n_allow = 0;
	o->known.n_more_sites = 1;
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE, "sites are missing");
	o->known.more_sites = (const char *const[]){"a!b:throw"};
	cr_expect_eq(check(&m, &o->known), WARD_E_REJECTED, "only the limit is wrong");
	o->known.site = "a!b:return";
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE, "returns and exceptions");
	o->known.site = NULL;
	o->known.more_sites = NULL;
	o->known.n_more_sites = 0;
	/* A newer one. */
	o->known.size = 4096;
	cr_expect_eq(check(&m, &o->known), WARD_E_REJECTED);
	o->known.max_insns = 0;
	cr_expect_eq(check(&m, &o->known), 0);
	o->more[100] = 1;
	cr_expect_eq(check(&m, &o->known), WARD_E_USAGE);
	o->known.size = sizeof(o->known) + 100;
	cr_expect_eq(check(&m, &o->known), 0);
	free(o);
	free(m.data);
}

Test(misuse, cleaning_up)
{
	struct {
		struct ward_cleanup_options known;
		uint8_t more[64];
	} o = {.known = {.size = 0}};
	struct ward_error err;

	expect_missing(ward_cleanup(getppid(), &o.known, &err), &err, "options", "they have no size");
	o.known.size = sizeof(o);
	o.more[63] = 1;
	expect_missing(ward_cleanup(getppid(), &o.known, &err), &err, "options",
		"they set something that this version of libward doesn't know");
	o.more[63] = 0;
	expect_missing(ward_cleanup(getpid(), &o.known, &err), &err, "cleanup",
		"a process can't clean up after itself, as it can't stop its own threads");
	cr_expect_eq(ward_cleanup(-1, NULL, NULL), WARD_E_TARGET);
}

Test(misuse, verdict_by_the_limits_of_the_caller)
{
	const char *const all[] = {"ward_read", "ward_read_str", "ward_match", "ward_clock"};
	struct ward_verdict *verdict = NULL;
	struct ward_attach_options o = {.size = sizeof(o), .verdict = &verdict};
	struct module m = module_read("exact"), strings = module_read("strings");
	uint32_t insns, state, stack;

	cr_assert_eq(check(&m, &o), 0);
	cr_assert(verdict && verdict->accepted);
	insns = (uint32_t)verdict->module.entries[0].max_insns;
	stack = verdict->module.entries[0].stack_bytes;
	state = verdict->module.state_size;
	ward_verdict_free(verdict);
	for (int below = 0; below < 2; below++) {
		struct ward_attach_options limits[3] = {o, o, o};

		limits[0].max_insns = insns - (uint32_t)below;
		limits[1].max_state = state - (uint32_t)below;
		limits[2].max_stack = stack - (uint32_t)below;
		for (int i = 0; i < (stack ? 3 : 2); i++) {
			cr_expect_eq(check(&m, &limits[i]), below ? WARD_E_REJECTED : 0, "limit %d", i);
			cr_expect(verdict && verdict->accepted == !below);
			ward_verdict_free(verdict);
		}
	}
	o.allow = all;
	for (o.n_allow = 0; o.n_allow <= 4; o.n_allow++) {
		cr_expect_eq(check(&strings, &o), o.n_allow < 4 ? WARD_E_REJECTED : 0);
		ward_verdict_free(verdict);
	}
	/* No verdict was come to. */
	o.size = 4095;
	cr_expect_eq(ward_check(NULL, 1, &(struct ward_attach_options){.size = sizeof(o), .verdict = &verdict}, NULL),
		WARD_E_USAGE);
	cr_expect_null(verdict);
	free(m.data);
	free(strings.data);
}

/*
 * Of a file that was cut off anywhere, or in which bytes are wrong, nothing is attached; what its state is may be
 * misread.
 */
Test(misuse, truncated_modules)
{
	struct module m = module_read("exact");
	int files = open_files();
	struct ward_error err;

	for (size_t n = 0; n < m.size; n += n < 512 ? 1 : 61) {
		uint8_t *cut = malloc(n ? n : 1); /* so that a sanitizer sees its end */
		ward_session *s;
		ward_schema *schema;
		int rc;

		cr_assert(cut);
		memcpy(cut, m.data, n);
		cr_expect_eq(ward_check(cut, n, NULL, &err), WARD_E_REJECTED, "%zu bytes", n);
		cr_expect_eq(strncmp(err.why, "V-", 2), 0, "%s", err.why);
		cr_expect_eq(ward_attach(getppid(), cut, n, NULL, &s, &err), WARD_E_REJECTED);
		cr_expect_null(s);
		rc = ward_schema_read(cut, n, &schema, &err);
		cr_expect(rc == 0 || (rc == WARD_E_USAGE && !schema && err.why[0]));
		ward_schema_free(rc ? NULL : schema);
		free(cut);
	}
	cr_expect_eq(open_files(), files);
	free(m.data);
}

/* ---- Threads ---- */

enum { THREADS = 4, ROUNDS = 20 };

static void *own_session(void *user)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[128];

	(void)user;
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 2998000\n");
	cr_expect_eq(exact_sum(s).calls, 2000);
	ward_session_free(s);
	return NULL;
}

Test(misuse, each_thread_its_session)
{
	pthread_t id[THREADS];
	int files = open_files();

	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&id[i], NULL, own_session, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	cr_expect_eq(open_files(), files);
}

struct shared {
	ward_session *s;
	ward_schema *schema;
	bool detaches;
};

static void *use_shared(void *user)
{
	struct shared *shared = user;
	uint64_t before = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct ward_session_stats stats;
		ward_snapshot *snapshot;
		struct ward_error err;

		cr_assert_eq(ward_snapshot_take(shared->s, shared->schema, &snapshot, &err), 0, "%s", err.why);
		cr_expect_str_eq(ward_snapshot_field(snapshot, 0)->name, "calls");
		cr_expect(ward_snapshot_field(snapshot, 0)->value >= before, "counts only grow");
		before = ward_snapshot_field(snapshot, 0)->value;
		ward_snapshot_free(snapshot);
		ward_session_stats(shared->s, &stats);
		cr_expect_eq(stats.sites, 1);
		cr_expect_eq(ward_wait(shared->s, 1), 0);
		cr_expect_eq(ward_exit_status(shared->s), -1);
		if (shared->detaches && i == ROUNDS / 2)
			cr_expect_eq(ward_detach(shared->s, &err), 0, "%s: %s", err.what, err.why);
	}
	return NULL;
}

Test(misuse, threads_share_a_session)
{
	struct target t = target_start(TARGET, "busy", "2", NULL);
	struct module m = module_read("exact");
	struct shared shared[THREADS];
	struct ward_session_stats stats;
	pthread_t id[THREADS];
	ward_session *s = attach(t.pid, "exact", NULL);
	ward_schema *schema;
	char out[128];

	cr_assert_eq(ward_schema_read(m.data, m.size, &schema, NULL), 0);
	target_go(&t);
	for (int i = 0; i < THREADS; i++) {
		shared[i] = (struct shared){s, schema, i >= THREADS / 2}; /* two of them detach */
		cr_assert_eq(pthread_create(&id[i], NULL, use_shared, &shared[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	cr_expect_eq(ward_detach(s, NULL), 0);
	ward_session_stats(s, &stats);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_expect_eq(exact_sum(s).calls, stats.events, "detached: the counts are final");
	ward_session_free(s);
	ward_schema_free(schema);
	free(m.data);
}

struct rival {
	pid_t pid;
	int attached;
};

static void *attach_and_detach(void *user)
{
	struct rival *rival = user;
	struct module m = module_read("exact");

	for (int i = 0; i < ROUNDS; i++) {
		struct ward_error err;
		ward_session *s;
		int rc = ward_attach(rival->pid, m.data, m.size, NULL, &s, &err);

		if (rc == 0) {
			rival->attached++;
			while (ward_detach(s, &err)) /* the other one holds a thread just now: it may be tried again */
				cr_assert_eq(err.status, WARD_E_TARGET, "%s", err.why);
			ward_session_free(s);
		} else {
			cr_assert_eq(rc, WARD_E_TARGET, "%s: %s", err.what, err.why);
			cr_expect_null(s);
		}
	}
	free(m.data);
	return NULL;
}

/* Who comes second is refused, or attached as well; the target never notices. */
Test(misuse, rivals_for_one_process)
{
	struct target t = target_start(TARGET, "busy", "2", NULL);
	struct rival rival[2] = {{t.pid, 0}, {t.pid, 0}};
	pthread_t id[2];
	char out[128];

	target_go(&t);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&id[i], NULL, attach_and_detach, &rival[i]), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	cr_expect_gt(rival[0].attached + rival[1].attached, 0);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
}

/* ---- Processes that aren't what they were ---- */

static int pidfd_of(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	cr_assert(fd > 0);
	return fd;
}

static int attach_by(pid_t pid, int pidfd, struct ward_error *err)
{
	struct ward_attach_options o = {.size = sizeof(o), .pidfd = pidfd};
	struct module m = module_read("exact");
	ward_session *s;
	int rc = ward_attach(pid, m.data, m.size, &o, &s, err);

	ward_session_free(s);
	free(m.data);
	return rc;
}

Test(misuse, the_process_that_a_pidfd_means)
{
	struct target t = target_start(TARGET, "calls", "1", "10", NULL),
		      other = target_start(TARGET, "calls", "1", "10", NULL);
	int fd = pidfd_of(t.pid), other_fd = pidfd_of(other.pid);
	struct ward_error err;
	char out[64];

	cr_expect_eq(attach_by(t.pid, fd, &err), 0, "%s", err.why);
	cr_expect_eq(attach_by(t.pid, other_fd, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "it isn't the process of the pidfd");
	kill(other.pid, SIGKILL);
	target_finish(&other, out, sizeof(out));
	cr_expect_eq(attach_by(t.pid, other_fd, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "the intended process has ended, and another one has its number now");
	cr_expect_eq(attach_by(t.pid, t.out, &err), WARD_E_USAGE);
	cr_expect_eq(attach_by(t.pid, 1000000, &err), WARD_E_USAGE);
	cr_expect_eq(target_mappings(t.pid), 0);
	close(fd);
	close(other_fd);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
}

/* A child under a number of our choice: -1 where that isn't permitted. It waits until it is killed. */
static pid_t child_numbered(pid_t pid)
{
	struct clone_args args = {.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};
	long got = syscall(SYS_clone3, &args, sizeof(args));

	if (got == 0)
		for (;;)
			pause();
	return (pid_t)got;
}

/* The number goes to another process: nobody takes that for the target. */
Test(misuse, a_pid_that_was_used_again)
{
	struct target t = target_start(TARGET, "calls", "1", "10", NULL);
	int fd = pidfd_of(t.pid), files, status;
	struct ward_session_stats stats;
	struct ward_error err;
	ward_session *s;
	char out[64];
	pid_t again;

	files = open_files();
	s = attach(t.pid, "exact", NULL);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	again = child_numbered(t.pid);
	if (again < 0 && errno == EPERM)
		cr_skip_test("no right to choose a process id");
	cr_assert_eq(again, t.pid);
	cr_expect_eq(attach_by(again, fd, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "the intended process has ended, and another one has its number now");
	cr_expect_eq(ward_wait(s, -1), 1);
	ward_session_stats(s, &stats);
	cr_expect_eq(stats.events, 10);
	cr_expect_eq(ward_detach(s, &err), 0);
	cr_expect_eq(exact_sum(s).calls, 10);
	cr_expect_eq(target_mappings(again), target_mappings(getpid()), "what it has it has of us");
	ward_session_free(s);
	cr_expect_eq(waitpid(again, &status, WNOHANG), 0, "it runs, untouched");
	kill(again, SIGKILL);
	waitpid(again, &status, 0);
	cr_expect_eq(open_files(), files - 2, "the target's pipes");
	close(fd);
}

/* It goes while it is listed, named or waited for. */
Test(misuse, dead_processes)
{
	struct target t = target_start(TARGET, "calls", "1", "10", NULL);
	int files, seen = 0;
	struct ward_error err;
	ward_names *names = (ward_names *)&t;
	char out[64];

	kill(t.pid, SIGKILL);
	target_finish(&t, out, sizeof(out));
	files = open_files();
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(ward_list(t.pid, "*", on_site, &seen, &err), WARD_E_TARGET);
		cr_expect_eq(ward_names_open(t.pid, &names, &err), WARD_E_TARGET);
		cr_expect_null(names);
		cr_expect_eq(attach_by(t.pid, 0, &err), WARD_E_TARGET);
		cr_expect_eq(ward_list(i - 1, NULL, on_site, &seen, &err), WARD_E_TARGET);
	}
	cr_expect_eq(ward_list(getppid(), "work", on_site, &seen, &err), WARD_E_USAGE);
	cr_expect_eq(seen, 0);
	cr_expect_eq(open_files(), files);
}
