/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings that the kernel writes records of perf_event_open into, one for each processor, read in the order of time.
 * Beside those may be rings that wake the reader at each record. It isn't said what these records are.
 *
 * The records are the kernel's (linux/perf_event.h). All events that write into these rings must have the attributes
 * that wl_perf_attr sets, so that each record says when it was written, and of which event it is.
 */
#ifndef WARD_LOADER_SAMPLE_PERF_RING_H
#define WARD_LOADER_SAMPLE_PERF_RING_H

#include "ward/ward.h"

#include <linux/perf_event.h>

struct wl_ring {
	int fd; /* of an event that counts nothing, and that owns the ring */
	unsigned processor;
	bool wakes; /* whoever waits is woken by each record, and that is all; else when a part of it is full */
	struct perf_event_mmap_page *page;
	uint64_t size;       /* of the data, which is behind the page */
	uint64_t head, tail; /* as far as they are known here */
	const struct perf_event_header *next;
	uint64_t time;   /* of the next one */
	uint8_t *joined; /* a record that the ring's end has cut in two */
};

struct wl_rings {
	struct wl_ring *v;
	size_t n;
	struct wl_ring *given; /* that the last record is of, which is still in it */
	uint64_t broken;       /* how often what was in a ring were no records, and was left out */
};

/* What all events have. Zero at first. */
void wl_perf_attr(struct perf_event_attr *attr);
int wl_perf_open(const struct perf_event_attr *attr, pid_t thread, int processor);

/*
 * Add one for each processor, of at most so many bytes each: a power of two; fewer if the user may not have as many.
 * They are the calling thread's, and live as long as it does. Zero at first. Returns 0 or an error; then there are
 * none.
 */
int wl_rings_open(struct wl_rings *r, uint64_t bytes, bool wakes, struct ward_error *err);
void wl_rings_close(struct wl_rings *r);

/* What the kernel has written so far can be read from now on. */
void wl_rings_look(struct wl_rings *r);

/*
 * The oldest record that was written before `upto` (nanoseconds of CLOCK_MONOTONIC_RAW); NULL: there is none. It lasts
 * until the next call.
 */
const struct perf_event_header *wl_rings_next(struct wl_rings *r, uint64_t upto);

/* Is any of them half full? */
bool wl_rings_are_filling(const struct wl_rings *r);

/*
 * Wait until a part of one is full, or the descriptor can be read, or so many milliseconds have passed. With `soon`
 * also until one that wakes has a record, perhaps one from before: then true is returned.
 */
bool wl_rings_wait(const struct wl_rings *r, int fd, int timeout_ms, bool soon);

/* ---- Records ---- */

/* What begins a sample; by wl_perf_attr all have it. */
struct wl_perf_sample {
	struct perf_event_header head;
	uint64_t event; /* its number: PERF_EVENT_IOC_ID */
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint64_t stream; /* as `event`, but inherited events have their own */
	uint32_t processor, reserved;
};

/* What ends all other records. */
struct wl_perf_trailer {
	uint32_t pid, tid;
	uint64_t time;
	uint64_t stream;
	uint32_t processor, reserved;
	uint64_t event;
};

static inline uint64_t wl_perf_time(const struct perf_event_header *head)
{
	const char *p = (const char *)head;

	return head->type == PERF_RECORD_SAMPLE
		       ? ((const struct wl_perf_sample *)(const void *)p)->time
		       : ((const struct wl_perf_trailer *)(const void *)(p + head->size -
									 sizeof(struct wl_perf_trailer)))
				 ->time;
}

#endif
