/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampler.h - which share of a process's time its probes take, measured.
 *
 * One sampling event for each processor (perf_event_open, the processor's clock) interrupts whatever runs there. A
 * sample has the process and the address at which it was interrupted. Samples in mappings of Ward's code, which
 * /proc/PID/maps shows as /memfd:ward-code, are the probes' own. A mapping is known by its inode: there is one for
 * each session, so the worker of a query can tell its own probes from another query's.
 *
 * The share errs to the careful side: the processor overlaps the work of a probe with that of the program around it,
 * so calls take less longer than the samples say.
 *
 * A process may map a file of that name itself. It then only makes its own probes look more costly.
 */
#ifndef WARD_CLUSTER_GUARD_SAMPLER_H
#define WARD_CLUSTER_GUARD_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cluster_sampler;

enum { SAMPLER_SLOW_HZ = 49, SAMPLER_FAST_HZ = 499 };

/* 0, or -1 with errno: EACCES or EPERM without the right to, ENOENT where the machine has no such event. */
int cluster_sampler_open(struct cluster_sampler **out);
/* NULL is allowed. */
void cluster_sampler_close(struct cluster_sampler *sampler);

/* Sample a process, or sample it no more. Watching one again reads its mappings anew. -1 with errno. */
int cluster_sampler_watch(struct cluster_sampler *sampler, pid_t pid);
void cluster_sampler_forget(struct cluster_sampler *sampler, pid_t pid);

/* From now on, so often a second on each processor. -1 with errno: it goes on as before. */
int cluster_sampler_rate(struct cluster_sampler *sampler, unsigned hz);

/*
 * Take what was sampled since the last time. Call it each second at least, else samples are lost, of the probes' and
 * of the others' alike.
 */
void cluster_sampler_read(struct cluster_sampler *sampler);

/* Of what the last cluster_sampler_read took: samples of the process, and those in Ward's code. */
struct cluster_sampler_share {
	uint64_t all;
	uint64_t ours;
};
struct cluster_sampler_share cluster_sampler_of(const struct cluster_sampler *sampler, pid_t pid);
/* Those of one mapping alone. */
uint64_t cluster_sampler_of_mapping(const struct cluster_sampler *sampler, pid_t pid, uint64_t inode);
/* Samples that the kernel had no room for, since the start. */
uint64_t cluster_sampler_lost(const struct cluster_sampler *sampler);

#endif
