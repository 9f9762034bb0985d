/* SPDX-License-Identifier: Apache-2.0 */
/* An event on each processor that counts nothing, and whose records say what processes do. */
#include "process_news.h"

#include "loader/base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { RING_BYTES = 1 << 18 };

/* 0, or an errno. */
static int event_open(struct wl_process_news *news, const struct wl_ring *ring)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.task = 1,
		.comm = 1,
		.comm_exec = 1,
		.mmap = 1,
		.mmap2 = 1};
	int fd, error;

	wl_perf_attr(&attr);
	fd = wl_perf_open(&attr, -1, (int)ring->processor);
	if (fd < 0)
		return errno == ENODEV ? 0 : errno; /* the processor may have been taken off */
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd)) {
		error = errno;
		close(fd);
		return error;
	}
	news->events[news->n++] = fd;
	return 0;
}

int wl_process_news_open(struct wl_process_news *news, struct ward_error *err)
{
	int rc = wl_rings_open(&news->rings, RING_BYTES, false, err), error = 0;

	if (rc)
		return rc;
	news->events = calloc(news->rings.n, sizeof(*news->events));
	if (!news->events)
		error = ENOMEM;
	for (size_t i = 0; !error && i < news->rings.n; i++)
		error = event_open(news, &news->rings.v[i]);
	if (!error)
		return 0;
	wl_process_news_close(news);
	return wl_fail(err, WARD_E_SYSTEM, "perf_event_open", "%s", strerror(error));
}

void wl_process_news_close(struct wl_process_news *news)
{
	for (size_t i = 0; i < news->n; i++)
		close(news->events[i]);
	free(news->events);
	wl_rings_close(&news->rings);
	*news = (struct wl_process_news){0};
}

void wl_process_news_look(struct wl_process_news *news)
{
	wl_rings_look(&news->rings);
}

/* What a record is about; 0: any, -1: nothing that matters. */
static pid_t process_of(const struct perf_event_header *r)
{
	const uint32_t *words = (const void *)(r + 1); /* process and, of a fork, its parent, or else the thread */

	if (r->type == PERF_RECORD_LOST)
		return 0;
	if (r->size < sizeof(*r) + 16)
		return -1;
	switch (r->type) {
	case PERF_RECORD_FORK: return words[0] != words[1] ? (pid_t)words[0] : -1; /* else it is a thread */
	case PERF_RECORD_EXIT: return words[0] == words[2] ? (pid_t)words[0] : -1;
	case PERF_RECORD_COMM: return r->misc & PERF_RECORD_MISC_COMM_EXEC ? (pid_t)words[0] : -1;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return (pid_t)words[0];
	default: return -1;
	}
}

pid_t wl_process_news_next(struct wl_process_news *news)
{
	const struct perf_event_header *r;
	pid_t pid = -1;

	while (pid < 0 && (r = wl_rings_next(&news->rings, UINT64_MAX)))
		pid = process_of(r);
	return pid;
}
