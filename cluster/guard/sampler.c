/* SPDX-License-Identifier: Apache-2.0 */
/* The sampler of all processors: sampler.h says what it measures. */
#include "sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SECOND = 1000000000,
	RING_PAGES = 16, /* of one processor: 2,700 samples, five seconds of the fast rate */
	MOST_RANGES = 64 /* of one process: a session has one */
};

struct range {
	uint64_t start, end, inode, samples;
};

struct process {
	pid_t pid;
	size_t n_ranges;
	struct range *ranges;
	struct cluster_sampler_share share;
};

struct processor {
	int fd;
	struct perf_event_mmap_page *ring;
};

struct cluster_sampler {
	size_t page;
	size_t n_processors;
	struct processor *processors;
	size_t n_processes;
	struct process *processes; /* in the order of their numbers */
	uint64_t lost;
};

/* ---- events ---- */

static int processor_open(struct cluster_sampler *s, struct processor *p, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = SECOND / SAMPLER_SLOW_HZ, /* of this event in nanoseconds */
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	};

	p->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (p->fd < 0)
		return -1;
	p->ring = mmap(NULL, (1 + RING_PAGES) * s->page, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
	if (p->ring != MAP_FAILED)
		return 0;
	close(p->fd);
	return -1;
}

/* A processor that is offline has no event: ENODEV. */
static int processors_open(struct cluster_sampler *s)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	s->processors = calloc(n > 0 ? (size_t)n : 1, sizeof(*s->processors));
	if (!s->processors)
		return -1;
	for (int cpu = 0; cpu < n; cpu++) {
		if (processor_open(s, &s->processors[s->n_processors], cpu) == 0)
			s->n_processors++;
		else if (errno != ENODEV)
			return -1;
	}
	errno = ENOENT;
	return s->n_processors ? 0 : -1;
}

int cluster_sampler_open(struct cluster_sampler **out)
{
	struct cluster_sampler *s = calloc(1, sizeof(*s));
	int reason;

	if (!s)
		return -1;
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	if (processors_open(s) == 0) {
		*out = s;
		return 0;
	}
	reason = errno;
	cluster_sampler_close(s);
	errno = reason;
	return -1;
}

static void process_clear(struct process *p)
{
	free(p->ranges);
	*p = (struct process){0};
}

void cluster_sampler_close(struct cluster_sampler *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_processors; i++) {
		munmap(s->processors[i].ring, (1 + RING_PAGES) * s->page);
		close(s->processors[i].fd);
	}
	for (size_t i = 0; i < s->n_processes; i++)
		process_clear(&s->processes[i]);
	free(s->processors);
	free(s->processes);
	free(s);
}

int cluster_sampler_rate(struct cluster_sampler *s, unsigned hz)
{
	uint64_t period = SECOND / hz;

	for (size_t i = 0; i < s->n_processors; i++)
		if (ioctl(s->processors[i].fd, PERF_EVENT_IOC_PERIOD, &period) < 0)
			return -1;
	return 0;
}

/* ---- processes ---- */

/* Where a process is, or would be put. */
static size_t place_of(const struct cluster_sampler *s, pid_t pid)
{
	size_t low = 0, high = s->n_processes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct process *process_of(const struct cluster_sampler *s, pid_t pid)
{
	size_t i = place_of(s, pid);

	return i < s->n_processes && s->processes[i].pid == pid ? &s->processes[i] : NULL;
}

static struct process *process_add(struct cluster_sampler *s, pid_t pid)
{
	size_t i = place_of(s, pid);
	struct process *more;

	if (i < s->n_processes && s->processes[i].pid == pid)
		return &s->processes[i];
	more = realloc(s->processes, (s->n_processes + 1) * sizeof(*more));
	if (!more)
		return NULL;
	s->processes = more;
	memmove(&more[i + 1], &more[i], (s->n_processes - i) * sizeof(*more));
	more[i] = (struct process){.pid = pid};
	s->n_processes++;
	return &more[i];
}

void cluster_sampler_forget(struct cluster_sampler *s, pid_t pid)
{
	size_t i = place_of(s, pid);

	if (i == s->n_processes || s->processes[i].pid != pid)
		return;
	process_clear(&s->processes[i]);
	s->n_processes--;
	memmove(&s->processes[i], &s->processes[i + 1], (s->n_processes - i) * sizeof(*s->processes));
}

/* One line of /proc/PID/maps. */
static bool range_read(const char *line, struct range *range)
{
	char rights[5];
	int path = 0;

	*range = (struct range){0};
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*x:%*x %" SCNu64 " %n", &range->start, &range->end, rights,
		    &range->inode, &path) < 4)
		return false;
	return path && rights[2] == 'x' && strcmp(line + path, "/memfd:ward-code (deleted)\n") == 0;
}

static size_t ranges_read(FILE *maps, struct range ranges[MOST_RANGES])
{
	char *line = NULL;
	size_t size = 0, n = 0;

	while (n < MOST_RANGES && getline(&line, &size, maps) >= 0)
		n += range_read(line, &ranges[n]);
	free(line);
	return n;
}

int cluster_sampler_watch(struct cluster_sampler *s, pid_t pid)
{
	struct range ranges[MOST_RANGES], *copy;
	struct process *p;
	char path[40];
	FILE *maps;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return -1;
	n = ranges_read(maps, ranges);
	fclose(maps);
	copy = calloc(n ? n : 1, sizeof(*copy));
	p = copy ? process_add(s, pid) : NULL;
	if (!p) {
		free(copy);
		errno = ENOMEM;
		return -1;
	}
	memcpy(copy, ranges, n * sizeof(*copy));
	free(p->ranges);
	p->ranges = copy;
	p->n_ranges = n;
	return 0;
}

/* ---- samples ---- */

/* As sample_type has them. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
};

struct lost {
	struct perf_event_header header;
	uint64_t id, n;
};

static void sample_count(struct cluster_sampler *s, const struct sample *sample)
{
	struct process *p = process_of(s, (pid_t)sample->pid);

	if (!p)
		return;
	p->share.all++;
	for (size_t i = 0; i < p->n_ranges; i++) {
		if (sample->ip >= p->ranges[i].start && sample->ip < p->ranges[i].end) {
			p->share.ours++;
			p->ranges[i].samples++;
			return;
		}
	}
}

/* Bytes of a ring, which may end at its end and go on at its start. */
static void ring_copy(const struct cluster_sampler *s, const struct processor *p, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)p->ring + s->page;
	size_t bytes = RING_PAGES * s->page, from = at % bytes, first = bytes - from < size ? bytes - from : size;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, size - first);
}

static void processor_read(struct cluster_sampler *s, struct processor *p)
{
	uint64_t head = __atomic_load_n(&p->ring->data_head, __ATOMIC_ACQUIRE), at = p->ring->data_tail;

	while (head - at >= sizeof(struct perf_event_header)) {
		union {
			struct perf_event_header header;
			struct sample sample;
			struct lost lost;
		} record;

		ring_copy(s, p, at, &record.header, sizeof(record.header));
		if (record.header.size < sizeof(record.header) || record.header.size > head - at)
			break;
		if (record.header.type == PERF_RECORD_SAMPLE && record.header.size >= sizeof(record.sample)) {
			ring_copy(s, p, at, &record, sizeof(record.sample));
			sample_count(s, &record.sample);
		} else if (record.header.type == PERF_RECORD_LOST && record.header.size >= sizeof(record.lost)) {
			ring_copy(s, p, at, &record, sizeof(record.lost));
			s->lost += record.lost.n;
		}
		at += record.header.size;
	}
	__atomic_store_n(&p->ring->data_tail, head, __ATOMIC_RELEASE);
}

void cluster_sampler_read(struct cluster_sampler *s)
{
	for (size_t i = 0; i < s->n_processes; i++) {
		s->processes[i].share = (struct cluster_sampler_share){0};
		for (size_t k = 0; k < s->processes[i].n_ranges; k++)
			s->processes[i].ranges[k].samples = 0;
	}
	for (size_t i = 0; i < s->n_processors; i++)
		processor_read(s, &s->processors[i]);
}

struct cluster_sampler_share cluster_sampler_of(const struct cluster_sampler *s, pid_t pid)
{
	const struct process *p = process_of(s, pid);

	return p ? p->share : (struct cluster_sampler_share){0};
}

uint64_t cluster_sampler_of_mapping(const struct cluster_sampler *s, pid_t pid, uint64_t inode)
{
	const struct process *p = process_of(s, pid);
	uint64_t samples = 0;

	for (size_t i = 0; p && i < p->n_ranges; i++)
		if (p->ranges[i].inode == inode)
			samples += p->ranges[i].samples;
	return samples;
}

uint64_t cluster_sampler_lost(const struct cluster_sampler *s)
{
	return s->lost;
}
