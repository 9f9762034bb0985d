/* SPDX-License-Identifier: Apache-2.0 */
/* A query of many processes: a session for each that has a module of its sites mapped, now and later. */
#ifndef WARD_QUERY_PROCESSES_H
#define WARD_QUERY_PROCESSES_H

#include "machine.h"

enum { QUERY_PROCESSES = 256 }; /* at a time */

/* What became of a process. */
struct query_process {
	pid_t pid;
	const char *name;   /* of its program */
	unsigned sites;     /* that are probed */
	const char *reason; /* why it has no probes; or NULL */
};
typedef void query_process_fn(void *user, const struct query_process *process);

struct query_processes_options {
	const void *image;
	size_t size;
	const struct ward_attach_options *attach; /* limits, settings */
	const char *machine, *program;            /* program: NULL, or the name of those that are meant */
	const char *const *modules;
	size_t n_modules;
	query_process_fn *on_process; /* or NULL */
	ward_site_fn *on_skipped;     /* of each site that matches and can't be probed; or NULL */
	/* gets records of rings, and the names of their process's addresses; NULL: there are none */
	void (*on_record)(void *user, const struct query_session *who, ward_names *names,
		const struct ward_field *field, const struct ward_record *record);
	void *user;
};

struct query_processes;
/* NULL: no memory. All that the options point to outlives it. */
struct query_processes *query_processes_open(const struct query *q, const struct query_processes_options *options);
/* Take the probes off; what was kept stays. */
void query_processes_detach(struct query_processes *p);
void query_processes_free(struct query_processes *p);

/* Look for new processes, attach to a few of them, and see which ones are over. To be called several times a second. */
void query_processes_look(struct query_processes *p);
/* Read records of rings, and what maps hand on, process by process. Returns whether maps have handed anything on. */
bool query_processes_poll(struct query_processes *p);
/* Parts for query_machine_take; they live until the next call of any of these functions. */
const struct query_part *query_processes_parts(struct query_processes *p, size_t *n);

/* In all processes, also of those that are over. */
struct query_processes_stats {
	struct ward_session_stats stats;
	unsigned processes, refused;
	uint64_t skipped;         /* sites that match and can't be probed */
	uint64_t inlined;         /* copies of functions, which no probe sees */
	uint64_t lost;            /* records that were overwritten */
	size_t ancestors;         /* processes that were left out, as Ward descends from them */
	const char *const *lines; /* who was refused, and why: processes of one reason on one line */
	size_t n_lines;
};
struct query_processes_stats query_processes_stats(struct query_processes *p);

#endif
