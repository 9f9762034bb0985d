/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --ctf DIR on a cluster: a trace of each machine, in a directory of its name. Records come one by one; those of one
 * thread that follow each other are written together. Threads of all of a machine's processes are numbered as they
 * come.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cluster/merge/names.h"
#include "cluster_command.h"

enum { LONGEST_PATH = 4096 };

/* Records of one thread's ring that aren't written yet. */
struct run_of {
	uint64_t first, *stamps;
	size_t n, stamps_room;
	unsigned char *bytes;
	size_t bytes_room, stride;
	bool is_due;
};

struct machine_ctf {
	ward_ctf *ctf;
	struct cluster_names threads;
	struct run_of *runs; /* by thread and ring */
	size_t runs_room;
};

struct cluster_ctf {
	const char *directory;
	const ward_schema *schema;
	size_t rings;
	struct cluster_names hosts;
	struct machine_ctf *machines; /* by the host's number */
	size_t machines_room;
	struct due {
		size_t machine, run;
	} *due;
	size_t n_due, due_room;
	int status;
};

int cluster_ctf_make(const char *directory)
{
	if (mkdir(directory, 0777) == 0)
		return CLI_OK;
	return cli_error(CLI_USAGE, directory, "name a directory that isn't there yet, where you may write", "%s",
		errno == EEXIST ? "it exists already" : strerror(errno));
}

/* The first failure counts: what can't be written ends the trace. */
static void ctf_fail(struct cluster_ctf *c, const struct ward_error *err)
{
	if (c->status == CLI_OK)
		c->status = cli_library_error(err);
}

static void memory_fail(struct cluster_ctf *c)
{
	if (c->status == CLI_OK)
		c->status = cli_error(CLI_USAGE, c->directory, "free some memory and try again", "out of memory");
}

struct cluster_ctf *cluster_ctf_open(const char *directory, const ward_schema *schema)
{
	struct cluster_ctf *c = calloc(1, sizeof(*c));
	ward_stream *stream = NULL;

	if (!c || ward_stream_open(schema, &stream, NULL)) {
		free(c);
		return NULL;
	}
	c->directory = directory;
	c->schema = schema;
	while (ward_stream_layout(stream, c->rings))
		c->rings++;
	ward_stream_close(stream);
	return c;
}

static struct machine_ctf *machine_get(struct cluster_ctf *c, const char *host, size_t *number)
{
	char path[LONGEST_PATH];
	struct ward_error err = {0};
	size_t i = cluster_names_add(&c->hosts, host);

	if (i == SIZE_MAX || !cluster_array_grow(&c->machines, &c->machines_room, i + 1, sizeof(*c->machines))) {
		memory_fail(c);
		return NULL;
	}
	struct machine_ctf *m = &c->machines[i];
	snprintf(path, sizeof(path), "%s/%s", c->directory, host);
	if (!m->ctf && ward_ctf_open_of(path, host, c->schema, &m->ctf, &err)) {
		ctf_fail(c, &err);
		return NULL;
	}
	*number = i;
	return m;
}

static void run_write(struct cluster_ctf *c, struct machine_ctf *m, size_t number)
{
	struct run_of *r = &m->runs[number];
	struct ward_error err = {0};
	const struct ward_batch batch = {.thread = (uint32_t)(number / c->rings),
		.first = r->first,
		.n = r->n,
		.stride = r->stride,
		.records = r->bytes};

	if (r->n && ward_ctf_put(m->ctf, number % c->rings, &batch, r->stamps, &err))
		ctf_fail(c, &err);
	r->n = 0;
}

/* Where records of this thread and ring are collected. */
static struct run_of *run_get(
	struct cluster_ctf *c, struct machine_ctf *m, size_t machine, const struct cluster_record *r)
{
	char name[128];

	snprintf(name, sizeof(name), "%" PRIu64 "-%016" PRIx64 "-%" PRIu64 "-%" PRIu32, r->stream.epoch,
		r->stream.nonce, r->origin.session, r->origin.thread);
	size_t thread = cluster_names_add(&m->threads, name), number = thread * c->rings + r->origin.ring;
	if (thread == SIZE_MAX ||
		!cluster_array_grow(&m->runs, &m->runs_room, (thread + 1) * c->rings, sizeof(*m->runs)) ||
		!cluster_array_grow(&c->due, &c->due_room, c->n_due + 1, sizeof(*c->due))) {
		memory_fail(c);
		return NULL;
	}
	struct run_of *run = &m->runs[number];
	if (run->n && r->origin.number != run->first + run->n)
		run_write(c, m, number);
	if (!run->is_due)
		c->due[c->n_due++] = (struct due){machine, number};
	run->is_due = true;
	return run;
}

void cluster_ctf_add(struct cluster_ctf *c, const struct cluster_event *e)
{
	const struct cluster_record *r = e->record;
	size_t number;
	struct machine_ctf *m = c->status == CLI_OK ? machine_get(c, r->stream.machine, &number) : NULL;
	struct run_of *run = m ? run_get(c, m, number, r) : NULL;

	if (!run)
		return;
	run->stride = r->stride;
	if (!cluster_array_grow(&run->stamps, &run->stamps_room, run->n + 1, sizeof(*run->stamps)) ||
		!cluster_array_grow(&run->bytes, &run->bytes_room, (run->n + 1) * r->stride, 1)) {
		memory_fail(c);
		return;
	}
	if (!run->n)
		run->first = r->origin.number;
	run->stamps[run->n] = e->at;
	memcpy(run->bytes + run->n * r->stride, r->bytes, r->stride);
	run->n++;
}

int cluster_ctf_write(struct cluster_ctf *c)
{
	for (size_t i = 0; i < c->n_due; i++) {
		struct machine_ctf *m = &c->machines[c->due[i].machine];
		run_write(c, m, c->due[i].run);
		m->runs[c->due[i].run].is_due = false;
	}
	c->n_due = 0;
	return c->status;
}

static void machine_close(struct cluster_ctf *c, struct machine_ctf *m)
{
	struct ward_error err = {0};

	if (ward_ctf_close(m->ctf, &err))
		ctf_fail(c, &err);
	for (size_t i = 0; i < m->runs_room; i++) {
		free(m->runs[i].stamps);
		free(m->runs[i].bytes);
	}
	free(m->runs);
	cluster_names_free(&m->threads);
}

int cluster_ctf_close(struct cluster_ctf *c)
{
	int status;

	if (!c)
		return CLI_OK;
	cluster_ctf_write(c);
	for (size_t i = 0; i < c->hosts.n; i++)
		machine_close(c, &c->machines[i]);
	cluster_names_free(&c->hosts);
	free(c->machines);
	free(c->due);
	status = c->status;
	free(c);
	return status;
}
