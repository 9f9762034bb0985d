/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events that are sampled: opened for each processor, or for each thread of a process and each processor, and then
 * inherited by the threads that these make later. task_events.c describes which, and how none is missed, and none
 * counted twice.
 */
#ifndef WARD_LOADER_SAMPLE_TASK_EVENTS_H
#define WARD_LOADER_SAMPLE_TASK_EVENTS_H

#include "loader/base/sample_site.h"
#include "perf_ring.h"

/* An event as it is opened. */
struct wl_task_event {
	struct perf_event_attr attr;
	uint16_t site;      /* the caller's number */
	bool on_processors; /* its samples are of all that runs there: the caller leaves out other processes' */
	bool wakes;         /* takes no samples, and is written into the rings that wake */
	char how[256];      /* words for the site's report */
};

struct wl_opened {
	uint64_t id;
	int fd;
	uint16_t site;
	bool on_processors;
};

/* Of a thread that may have events twice, on one processor: which of them count. */
struct wl_stream {
	uint32_t tid, processor;
	uint64_t id;
	unsigned others; /* samples of another one, since one of this was seen */
	uint16_t site;
};

/* Zero at first. */
struct wl_task_events {
	struct wl_opened *opened; /* in ascending order of id */
	size_t n, cap;
	uint32_t *late; /* threads that may have events twice */
	size_t n_late;
	struct wl_stream *streams;
	size_t n_streams;
};

/* What a module wants of its samples. */
struct wl_sample_wants {
	uint32_t stack_bytes; /* of a copy of the stack; 0: none */
	bool follow;          /* children, too */
};

/* How a site's event is opened, as far as this machine and this user can have it. Returns NULL, or why it can't be. */
const char *wl_task_event(
	const struct wl_sample_site *site, const struct wl_sample_wants *wants, struct wl_task_event *event);

/*
 * Let the events say, besides samples, which threads and programs begin and end, and when code is mapped. There must be
 * room for two more events. One is added if none of them is a thread's; and, if the user may have it, one that wakes
 * when any program is executed: then true is returned.
 */
bool wl_task_events_tell(struct wl_task_event *events, size_t *n, const struct wl_sample_wants *wants);

/* Open them for a process. Returns 0 or an error; then none is open. */
int wl_task_events_open(struct wl_task_events *t, pid_t pid, const struct wl_task_event *events, size_t n,
	const struct wl_rings *rings, struct ward_error *err);
/* Let no more samples be taken. What was opened is still known. */
void wl_task_events_stop(struct wl_task_events *t);
void wl_task_events_free(struct wl_task_events *t);

/* The event of a sample; NULL if it is to be left out, as the same one has come from another event. */
const struct wl_opened *wl_task_events_of(struct wl_task_events *t, const struct wl_perf_sample *sample);
/* A thread has ended. */
void wl_task_events_ended(struct wl_task_events *t, uint32_t tid);
/* Records were lost, which may have said that threads ended. */
void wl_task_events_lost(struct wl_task_events *t);

#endif
