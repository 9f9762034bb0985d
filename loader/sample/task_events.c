/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening events for the threads of a process that runs meanwhile.
 *
 * A thread's event begins with a whole period, so a thread that ends earlier has no sample. A program of many short
 * threads would not be seen at all. Therefore the clock's events are the processors': they go on whoever runs, and as
 * much of the time as the process has, so many of the samples are its own. The other samples are thrown away. That
 * takes a right that not every user has, and it interrupts everybody; so what comes more often than a thousand times a
 * second, or is counted by something else than a clock, stays with the threads, and the site's report says what is
 * missing.
 *
 * A processor's timer can keep step with the scheduler's, which counts in ticks of 1, 4 or 10 ms. Where threads take
 * turns, a sample each 4 ms would then meet one thread always, and another one never. So each processor has two timers,
 * of which one is 5 % faster and one 5 % slower than half of what is asked for. Together they take as many samples as
 * they should; neither keeps step, at no rate that people ask for.
 *
 * A thread inherits the events of the one that makes it, and that in one step of the kernel. So a thread that is there
 * before the first event is opened has none, and one that an event's thread makes later has that event. In between are
 * threads that are made while the others are gone through: such a one may have inherited all events, or those that had
 * been opened by then, or none. It is given all, and so may have some twice. Both take the same samples; which is the
 * one that counts is decided by the first that comes, for each processor and site (struct wl_stream). A number can
 * become another thread's, so one that isn't seen any more is given up.
 *
 * The threads are gone through until no new one is found.
 */
#include "task_events.h"

#include "loader/base/error.h"
#include "loader/kernel/symbols.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OTHERS_MOST = 3, ROUNDS_MOST = 1000, PROCESSORS_LEAST_NS = 1000000 };

/* ---- What is opened ---- */

/* Registers of the user's: rbp, rsp, rip (asm/perf_regs.h). */
enum { USER_REGISTERS = 1 << 6 | 1 << 7 | 1 << 8 };

/* Can this process have it, for itself? 0 or an errno. */
static int event_try(const struct perf_event_attr *attr)
{
	int fd = wl_perf_open(attr, 0, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static bool is_missing(int error)
{
	return error == ENOENT || error == EOPNOTSUPP || error == ENODEV;
}

/* The kernel counts these in its own code only. */
static bool is_of_kernel(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES || attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
		       attr->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static void attr_of(
	struct perf_event_attr *attr, const struct wl_sample_site *site, const struct wl_sample_wants *wants)
{
	*attr = (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK};
	wl_perf_attr(attr);
	if (site->kind == WL_SAMPLE_EVENT) {
		attr->type = site->event->type;
		attr->config = site->event->config;
	}
	attr->sample_period = site->period;
	if (site->kind ==
		WL_SAMPLE_OFF_CPU) { /* each time that a thread leaves; when it comes is a record of its own */
		attr->config = PERF_COUNT_SW_CONTEXT_SWITCHES;
		attr->sample_period = 1;
		attr->context_switch = 1;
	}
	attr->disabled = 1;
	attr->inherit = 1;
	attr->inherit_thread = !wants->follow;
	attr->exclude_hv = 1;
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user = USER_REGISTERS;
	if (wants->stack_bytes) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = wants->stack_bytes;
	}
}

/* As much of it as this user may have: perhaps without what happens in the kernel. 0 or an errno. */
static int event_allow(struct perf_event_attr *attr)
{
	int error = event_try(attr);

	if ((error != EACCES && error != EPERM) || is_of_kernel(attr))
		return error;
	attr->exclude_kernel = 1;
	return event_try(attr);
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Let it be the processors', if that is better, and this user may. */
static void event_widen(struct wl_task_event *event)
{
	struct perf_event_attr attr = event->attr;
	int fd;

	if (!is_clock(&attr) || attr.sample_period < PROCESSORS_LEAST_NS)
		return;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.inherit = attr.inherit_thread = 0;
	attr.exclude_idle = 1;
	fd = wl_perf_open(&attr, -1, sched_getcpu());
	if (fd < 0)
		return;
	close(fd);
	event->attr = attr;
	event->on_processors = true;
}

const char *wl_task_event(
	const struct wl_sample_site *site, const struct wl_sample_wants *wants, struct wl_task_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	struct wl_sample_site clock = wl_sample_by_clock();
	const char *by = "samples";
	int error;

	event->on_processors = false;
	attr_of(attr, site, wants);
	error = event_allow(attr);
	if (is_missing(error) && wl_sample_may_lack(site)) {
		by = wl_sample_no_counter;
		attr_of(attr, &clock, wants);
		error = event_allow(attr);
	}
	if (!error)
		event_widen(event);
	snprintf(event->how, sizeof(event->how), "%s%s%s", by,
		event->on_processors || attr->sample_period == 1
			? ""
			: "; not of threads that end before their first is due",
		attr->exclude_kernel ? "; not of time in the kernel, as kernel.perf_event_paranoid forbids it" : "");
	switch (error) {
	case 0: return NULL;
	case EACCES:
	case EPERM:
		return is_of_kernel(attr)
			       ? "the kernel shows this event only to users who may look into it: be root, or set "
				 "kernel.perf_event_paranoid to 1"
			       : "this user may take no samples: kernel.perf_event_paranoid, or a container, forbids "
				 "it";
	case EINVAL: return "this kernel can't sample it for all threads of a process: Linux 5.13 can";
	case ENOSYS: return "this kernel takes no samples";
	default: return is_missing(error) ? "this machine doesn't count that" : strerrordesc_np(error);
	}
}

/* An event that counts nothing, and so takes no samples. */
static struct wl_task_event *dummy_add(struct wl_task_event *events, size_t *n)
{
	struct wl_task_event *event = &events[(*n)++];

	*event = (struct wl_task_event){.attr = {.type = PERF_TYPE_SOFTWARE,
						.config = PERF_COUNT_SW_DUMMY,
						.disabled = 1,
						.exclude_kernel = 1,
						.exclude_hv = 1}};
	wl_perf_attr(&event->attr);
	return event;
}

/*
 * Let it wake when a program is executed. A record that says so beside others (attr.comm) can't do it: the kernel would
 * also write of each thread that begins or ends, and so wake us twice for each. False: this user can't have it.
 */
static bool waking_add(struct wl_task_event *events, size_t *n)
{
	char *id = wl_read_tracing("events/sched/sched_process_exec/id");
	struct wl_task_event *event;
	int fd;

	if (!id)
		return false;
	event = dummy_add(events, n);
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = strtoull(id, NULL, 10);
	event->attr.sample_period = 1;
	event->attr.exclude_kernel = 0;
	event->on_processors = true;
	event->wakes = true;
	free(id);
	fd = wl_perf_open(&event->attr, -1, sched_getcpu());
	if (fd >= 0)
		close(fd);
	else
		--*n;
	return fd >= 0;
}

bool wl_task_events_tell(struct wl_task_event *events, size_t *n, const struct wl_sample_wants *wants)
{
	struct wl_task_event *event = NULL;
	bool on_processors = false;

	for (size_t i = 0; i < *n; i++)
		if (events[i].on_processors)
			on_processors = true;
		else if (!event)
			event = &events[i];
	if (!event) {
		event = dummy_add(events, n);
		event->attr.inherit = 1;
		event->attr.inherit_thread = !wants->follow;
	}
	event->attr.task = 1;
	event->attr.comm = 1;
	event->attr.comm_exec = 1;
	event->attr.mmap = 1;
	event->attr.mmap2 = 1;
	return on_processors && waking_add(events, n);
}

/* ---- Threads ---- */

static int by_tid(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The threads of a process, in order, to be freed. NULL with errno set. */
static uint32_t *threads_list(pid_t pid, size_t *n)
{
	char path[40];
	size_t cap = 64;
	uint32_t *v = malloc(cap * sizeof(*v));
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = v ? opendir(path) : NULL;
	*n = 0;
	while (dir && v && (e = readdir(dir))) {
		if (!isdigit((unsigned char)e->d_name[0]))
			continue;
		if (*n == cap) {
			uint32_t *more = realloc(v, 2 * cap * sizeof(*v));

			if (!more)
				free(v);
			v = more;
			cap *= 2;
		}
		if (v)
			v[(*n)++] = (uint32_t)strtoul(e->d_name, NULL, 10);
	}
	if (dir) {
		closedir(dir);
	} else {
		free(v);
		return NULL;
	}
	if (v)
		qsort(v, *n, sizeof(*v), by_tid);
	return v;
}

static bool opened_add(struct wl_task_events *t, const struct wl_opened *opened)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 64;
		struct wl_opened *v = reallocarray(t->opened, cap, sizeof(*v));

		if (!v)
			return false;
		t->opened = v;
		t->cap = cap;
	}
	t->opened[t->n++] = *opened;
	return true;
}

static bool is_written_into(const struct wl_task_event *event, const struct wl_ring *ring)
{
	return event->wakes == ring->wakes;
}

/* One event, of a thread or (-1) of whatever runs, on one processor, if it belongs into that ring. 0 or an errno. */
static int event_open(
	struct wl_task_events *t, pid_t tid, const struct wl_task_event *event, const struct wl_ring *ring)
{
	struct wl_opened opened = {.site = event->site, .on_processors = event->on_processors};

	if (!is_written_into(event, ring))
		return 0;
	opened.fd = wl_perf_open(&event->attr, tid, (int)ring->processor);
	if (opened.fd < 0)
		return errno == ENODEV ? 0 : errno; /* the processor may have been taken off */
	if (ioctl(opened.fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0 &&
		ioctl(opened.fd, PERF_EVENT_IOC_ID, &opened.id) == 0 &&
		ioctl(opened.fd, PERF_EVENT_IOC_ENABLE, 0) == 0) {
		if (opened_add(t, &opened))
			return 0;
		errno = ENOMEM;
	}
	close(opened.fd);
	return errno;
}

/* What is opened for a process. */
struct wanted {
	const struct wl_task_event *events;
	size_t n;
	const struct wl_rings *rings;
};

/* All events of a thread. One that has ended needs none. */
static int thread_open(struct wl_task_events *t, uint32_t tid, const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
		for (size_t k = 0; k < wanted->rings->n && !wanted->events[i].on_processors; k++) {
			int error = event_open(t, (pid_t)tid, &wanted->events[i], &wanted->rings->v[k]);

			if (error)
				return error == ESRCH ? 0 : error;
		}
	return 0;
}

/* All events of processors: each that takes samples is two. */
static int processors_open(struct wl_task_events *t, const struct wanted *wanted)
{
	static const unsigned speed[] = {95, 105};
	int error = 0;

	for (size_t i = 0; i < wanted->n; i++)
		for (size_t k = 0; k < (wanted->events[i].wakes ? 1 : 2) && wanted->events[i].on_processors; k++) {
			struct wl_task_event event = wanted->events[i];

			event.attr.sample_period = 2 * event.attr.sample_period * 100 / speed[k];
			for (size_t ring = 0; ring < wanted->rings->n && !error; ring++)
				error = event_open(t, -1, &event, &wanted->rings->v[ring]);
		}
	return error;
}

/* Descriptors that one thread takes. */
static size_t each_thread(const struct wanted *wanted)
{
	size_t n = 0;

	for (size_t i = 0; i < wanted->n; i++)
		for (size_t k = 0; k < wanted->rings->n && !wanted->events[i].on_processors; k++)
			n += is_written_into(&wanted->events[i], &wanted->rings->v[k]);
	return n;
}

static int open_failed(int error, pid_t pid, size_t threads, size_t each, struct ward_error *err)
{
	char what[32];

	snprintf(what, sizeof(what), "process %d", (int)pid);
	if (error == ENOMEM)
		return wl_no_memory(err);
	if (error == EMFILE || error == ENFILE) {
		wl_fail(err, WARD_E_SYSTEM, what, "its %zu threads want %zu open files each: there is a limit", threads,
			each);
		wl_hint(err, "raise it: ulimit -n %zu", threads * each + 256);
	} else if (error == EACCES || error == EPERM) {
		wl_fail(err, WARD_E_TARGET, what, "this user may not take samples of it");
		wl_hint(err, "run as root, or as the process's user");
	} else {
		wl_fail(err, WARD_E_TARGET, what, "its events can't be opened: %s", strerror(error));
	}
	return err->status;
}

int wl_task_events_open(struct wl_task_events *t, pid_t pid, const struct wl_task_event *events, size_t n,
	const struct wl_rings *rings, struct ward_error *err)
{
	struct wanted wanted = {events, n, rings};
	uint32_t *known = NULL;
	size_t n_known = 0;
	int error = processors_open(t, &wanted);
	bool found = n > 0;

	for (int round = 0; found && !error && round < ROUNDS_MOST; round++) {
		size_t n_now;
		uint32_t *now = threads_list(pid, &n_now);

		found = false;
		if (!now) {
			error = errno == ENOENT ? 0 : errno; /* it has ended */
			break;
		}
		for (size_t i = 0; i < n_now && !error; i++) {
			if (known && bsearch(&now[i], known, n_known, sizeof(*known), by_tid))
				continue;
			found = true;
			error = thread_open(t, now[i], &wanted);
			if (!error && round) {
				uint32_t *late = reallocarray(t->late, t->n_late + 1, sizeof(*late));

				error = late ? 0 : ENOMEM;
				t->late = late ? late : t->late;
				if (late)
					late[t->n_late++] = now[i];
			}
		}
		free(known);
		known = now;
		n_known = n_now;
	}
	free(known);
	if (!error)
		return 0;
	wl_task_events_free(t);
	return open_failed(error, pid, n_known, each_thread(&wanted), err);
}

void wl_task_events_stop(struct wl_task_events *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->opened[i].fd >= 0) {
			close(t->opened[i].fd);
			t->opened[i].fd = -1;
		}
}

void wl_task_events_free(struct wl_task_events *t)
{
	wl_task_events_stop(t);
	free(t->opened);
	free(t->late);
	free(t->streams);
	*t = (struct wl_task_events){0};
}

/* ---- Which sample is whose ---- */

static int by_id(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = ((const struct wl_opened *)b)->id;

	return x < y ? -1 : x > y;
}

static bool is_late(const struct wl_task_events *t, uint32_t tid)
{
	for (size_t i = 0; i < t->n_late; i++)
		if (t->late[i] == tid)
			return true;
	return false;
}

/* Does the sample's event count for its thread, processor and site? */
static bool stream_counts(struct wl_task_events *t, const struct wl_perf_sample *s, uint16_t site)
{
	struct wl_stream *v;

	for (size_t i = 0; i < t->n_streams; i++) {
		v = &t->streams[i];
		if (v->tid != s->tid || v->processor != s->processor || v->site != site)
			continue;
		v->others = v->id == s->stream ? 0 : v->others + 1;
		if (v->others > OTHERS_MOST) {
			v->id = s->stream;
			v->others = 0;
		}
		return v->id == s->stream;
	}
	v = reallocarray(t->streams, t->n_streams + 1, sizeof(*v));
	if (!v)
		return true;
	t->streams = v;
	v[t->n_streams++] = (struct wl_stream){.tid = s->tid, .processor = s->processor, .site = site, .id = s->stream};
	return true;
}

const struct wl_opened *wl_task_events_of(struct wl_task_events *t, const struct wl_perf_sample *s)
{
	const struct wl_opened *o = bsearch(&s->event, t->opened, t->n, sizeof(*o), by_id);

	return o && !o->on_processors && is_late(t, s->tid) && !stream_counts(t, s, o->site) ? NULL : o;
}

void wl_task_events_ended(struct wl_task_events *t, uint32_t tid)
{
	if (!is_late(t, tid))
		return;
	for (size_t i = t->n_late; i-- > 0;)
		if (t->late[i] == tid)
			t->late[i] = t->late[--t->n_late];
	for (size_t i = t->n_streams; i-- > 0;)
		if (t->streams[i].tid == tid)
			t->streams[i] = t->streams[--t->n_streams];
}

void wl_task_events_lost(struct wl_task_events *t)
{
	t->n_streams = 0;
}
