/* SPDX-License-Identifier: Apache-2.0 */
/* See stream.h. The reader is a thread that polls every millisecond, as `ward trace --ctf` does. */
#define _GNU_SOURCE
#include "stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracers.h"
#include "ward/ward.h"

struct streaming {
	const struct ward_buf *module;
	const char *folder;
	ward_session *session;
	ward_schema *schema;
	ward_ctf *ctf;
	pthread_t reader;
	bool reading;
	atomic_bool over;
	struct ward_error error;
	double reader_ns; /* in all */
	uint64_t written, lost;
};

static double thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *read_records(void *arg)
{
	struct streaming *s = arg;
	bool last;

	do {
		last = atomic_load(&s->over);
		if (ward_ctf_poll(s->ctf, s->session, &s->error))
			break;
		usleep(1000);
	} while (!last);
	s->reader_ns = thread_ns();
	return NULL;
}

static bool told(const struct ward_error *error)
{
	if (error->status)
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", error->what, error->why, error->hint);
	return error->status != 0;
}

static bool begin(void *user, pid_t pid, const struct run *run)
{
	struct streaming *s = user;
	char file[300], site[600];
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .max_threads = 1};

	snprintf(site, sizeof(site), "%s!%s", strrchr(traced_file(run, pid, file, sizeof(file)), '/') + 1,
		traced_function(run));
	if (ward_schema_read(s->module->data, s->module->size, &s->schema, &s->error) ||
		ward_ctf_open(s->folder, s->schema, &s->ctf, &s->error) ||
		ward_attach(pid, s->module->data, s->module->size, &options, &s->session, &s->error))
		return !told(&s->error);
	s->reading = pthread_create(&s->reader, NULL, read_records, s) == 0;
	return s->reading;
}

static bool end(void *user, const struct run *run)
{
	struct streaming *s = user;

	(void)run;
	atomic_store(&s->over, true);
	if (s->reading)
		pthread_join(s->reader, NULL);
	ward_ctf_totals(s->ctf, NULL, &s->written, &s->lost);
	ward_ctf_close(s->ctf, NULL);
	ward_session_free(s->session);
	ward_schema_free(s->schema);
	return s->reading && !told(&s->error);
}

bool stream_round(struct stream *out, const struct place *place, const struct ward_buf *module, uint64_t records)
{
	char folder[100];
	struct streaming s = {.module = module, .folder = folder};
	struct run run = {.workload = STREAM, .entry = PUSH, .calls = records};
	const struct tracer tracer = {.attach = begin, .detach = end, .user = &s};
	const char *const tidy[] = {"rm", "-rf", folder, NULL};
	bool ok;

	snprintf(folder, sizeof(folder), "%s/stream", place->work);
	ok = out->n < MOST_STREAM_ROUNDS && run_target(place, &run, &tracer);
	ended_well(start(tidy, NULL));
	if (!ok || s.written + s.lost != run.made) {
		fprintf(stderr, "ward: bench: records to disk: failed: %lu written and %lu lost of %lu\n",
			(unsigned long)s.written, (unsigned long)s.lost, (unsigned long)run.made);
		return false;
	}
	out->rate[out->n] = (double)run.made / (double)run.took * 1e9;
	out->reader_ns[out->n++] = s.reader_ns / (double)(s.written ? s.written : 1);
	out->made += run.made;
	out->written += s.written;
	out->lost += s.lost;
	return true;
}
