/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the kernel's rings.
 *
 * A ring belongs to an event that counts nothing, of the thread that reads. So it outlives the threads that are
 * sampled, whose events all write into the ring of their processor. A thread runs on one processor after the other, and
 * what it did is in several rings. Records of all rings are read in the order of their times. What is older than the
 * last look at the rings is in them by now, but for what a processor was about to write just then.
 *
 * To be woken costs whoever writes the record, each time: on a virtual machine that may be more than the record itself.
 */
#include "perf_ring.h"

#include "loader/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A ring that is full by a fifth wakes us: on a busy machine it takes a while until we run. */
enum { RECORD_MOST = 65536, LEAST_BYTES = 1 << 16, PAGE = 4096, WAKE_PART = 5 };

void wl_perf_attr(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC_RAW;
}

int wl_perf_open(const struct perf_event_attr *attr, pid_t thread, int processor)
{
	return (int)syscall(SYS_perf_event_open, attr, thread, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 0: it is open; -1: there is no such processor now; else an errno. */
static int ring_open(struct wl_ring *r, unsigned processor, uint64_t bytes, bool wakes)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = wakes ? 1 : (uint32_t)(bytes / WAKE_PART)};
	void *p;
	int error;

	wl_perf_attr(&attr);
	*r = (struct wl_ring){.processor = processor, .wakes = wakes, .size = bytes};
	r->fd = wl_perf_open(&attr, 0, (int)processor);
	if (r->fd < 0)
		return errno == ENODEV || errno == EINVAL ? -1 : errno;
	p = mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	error = errno;
	if (p != MAP_FAILED) {
		r->page = p;
		r->joined = malloc(RECORD_MOST);
		if (r->joined)
			return 0;
		error = ENOMEM;
		munmap(p, PAGE + bytes);
	}
	close(r->fd);
	return error;
}

/* The largest that the user may have. */
static int ring_open_large(struct wl_ring *r, unsigned processor, uint64_t bytes, bool wakes)
{
	int rc = ring_open(r, processor, bytes, wakes);

	while ((rc == EPERM || rc == ENOMEM) && (bytes /= 2) >= LEAST_BYTES)
		rc = ring_open(r, processor, bytes, wakes);
	return rc;
}

static int rings_failed(int error, struct ward_error *err)
{
	wl_fail(err, error == EMFILE || error == ENFILE || error == ENOMEM ? WARD_E_SYSTEM : WARD_E_TARGET, "samples",
		error == ENOSYS ? "the kernel takes none" : "perf_event_open: %s", strerror(error));
	if (error == EMFILE || error == ENFILE)
		wl_hint(err, "raise the limit on open files: ulimit -n");
	else if (error == EPERM || error == ENOMEM)
		wl_hint(err, "run as root, or raise ulimit -l or kernel.perf_event_mlock_kb");
	else
		wl_hint(err, "run as root, or lower kernel.perf_event_paranoid; a container may forbid it");
	return err->status;
}

int wl_rings_open(struct wl_rings *r, uint64_t bytes, bool wakes, struct ward_error *err)
{
	long most = sysconf(_SC_NPROCESSORS_CONF);
	size_t before = r->n;
	struct wl_ring *v = reallocarray(r->v, before + (most > 0 ? (size_t)most : 1), sizeof(*v));
	int rc = 0;

	if (!v) {
		wl_rings_close(r);
		return wl_no_memory(err);
	}
	r->v = v;
	for (long i = 0; i < most && rc <= 0; i++) {
		rc = ring_open_large(&r->v[r->n], (unsigned)i, bytes, wakes);
		r->n += rc == 0;
	}
	if (rc <= 0 && r->n > before)
		return 0;
	wl_rings_close(r);
	return rings_failed(rc > 0 ? rc : ENODEV, err);
}

void wl_rings_close(struct wl_rings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		munmap(r->v[i].page, PAGE + r->v[i].size);
		close(r->v[i].fd);
		free(r->v[i].joined);
	}
	free(r->v);
	*r = (struct wl_rings){0};
}

/* ---- Reading ---- */

static void give_back(struct wl_ring *r)
{
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

/* Copy from a place that may lie on both sides of the ring's end. */
static void ring_copy(const struct wl_ring *r, uint64_t at, void *to, uint64_t n)
{
	const uint8_t *data = (const uint8_t *)r->page + PAGE;
	uint64_t from = at & (r->size - 1), first = r->size - from < n ? r->size - from : n;

	memcpy(to, data + from, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

/* Find the next record. */
static void ring_peek(struct wl_rings *all, struct wl_ring *r)
{
	const uint8_t *data = (const uint8_t *)r->page + PAGE;
	struct perf_event_header head;

	r->next = NULL;
	if (r->tail == r->head)
		return;
	ring_copy(r, r->tail, &head, sizeof(head));
	if (head.size < (head.type == PERF_RECORD_SAMPLE ? sizeof(struct wl_perf_sample)
							 : sizeof(head) + sizeof(struct wl_perf_trailer)) ||
		head.size % 8 || head.size > r->head - r->tail) {
		r->tail = r->head; /* it is no record of ours, and so nothing behind it can be found */
		give_back(r);
		all->broken++;
		return;
	}
	if ((r->tail & (r->size - 1)) + head.size <= r->size) {
		r->next = (const void *)(data + (r->tail & (r->size - 1)));
	} else {
		ring_copy(r, r->tail, r->joined, head.size);
		r->next = (const void *)r->joined;
	}
	r->time = wl_perf_time(r->next);
}

/* The record that was given out is read. */
static void ring_pop(struct wl_rings *all, struct wl_ring *r)
{
	r->tail += r->next->size;
	give_back(r);
	ring_peek(all, r);
}

void wl_rings_look(struct wl_rings *r)
{
	for (size_t i = 0; i < r->n; i++) {
		r->v[i].head = __atomic_load_n(&r->v[i].page->data_head, __ATOMIC_ACQUIRE);
		if (r->v[i].wakes) {
			r->v[i].tail = r->v[i].head;
			give_back(&r->v[i]);
		} else if (!r->v[i].next) {
			ring_peek(r, &r->v[i]);
		}
	}
}

const struct perf_event_header *wl_rings_next(struct wl_rings *r, uint64_t upto)
{
	struct wl_ring *oldest = NULL;

	if (r->given)
		ring_pop(r, r->given);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].next && r->v[i].time < upto && (!oldest || r->v[i].time < oldest->time))
			oldest = &r->v[i];
	r->given = oldest;
	return oldest ? oldest->next : NULL;
}

bool wl_rings_are_filling(const struct wl_rings *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (__atomic_load_n(&r->v[i].page->data_head, __ATOMIC_RELAXED) - r->v[i].tail > r->v[i].size / 2)
			return true;
	return false;
}

bool wl_rings_wait(const struct wl_rings *r, int fd, int timeout_ms, bool soon)
{
	struct pollfd *v = calloc(r->n + 1, sizeof(*v));
	bool woken = false;

	if (!v) {
		poll(NULL, 0, timeout_ms < 1 ? timeout_ms : 1);
		return false;
	}
	v[0] = (struct pollfd){.fd = fd, .events = POLLIN};
	for (size_t i = 0; i < r->n; i++)
		v[i + 1] = (struct pollfd){.fd = r->v[i].wakes && !soon ? -1 : r->v[i].fd, .events = POLLIN};
	if (poll(v, r->n + 1, timeout_ms) > 0)
		for (size_t i = 0; i < r->n; i++)
			woken |= r->v[i].wakes && v[i + 1].revents;
	free(v);
	return woken;
}
