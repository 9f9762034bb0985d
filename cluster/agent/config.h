/* SPDX-License-Identifier: Apache-2.0 */
/* /etc/ward/agent.conf: what a machine's owner allows whom. config.c describes the language. */
#ifndef WARD_CLUSTER_AGENT_CONFIG_H
#define WARD_CLUSTER_AGENT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/wire/sign.h"

struct agent_list {
	char **at;
	size_t n, room;
};

enum agent_may { AGENT_MAY_USER = 1, AGENT_MAY_KERNEL = 2, AGENT_MAY_TAKE_OVER = 4 };
/* What may leave the machine; each includes those before. */
enum agent_results { AGENT_NUMBERS, AGENT_KEYS, AGENT_TEXT, AGENT_RECORDS };
enum agent_modules { AGENT_SIGNED, AGENT_ANY };

/* Whose orders are taken. What isn't allowed here is refused. */
struct agent_coordinator {
	char *name;
	struct cluster_key key;
	unsigned may; /* of enum agent_may */
	struct agent_list sites, not_sites, processes, not_processes, imports;
	unsigned results, modules;
};

struct agent_reviewer {
	char *name;
	struct cluster_key key;
};

struct agent_limits {
	uint64_t queries, overhead_ppm, sites, processes, max_insns, state, duration_ns, lease_ns, partial;
	uint64_t stops; /* in a minute, of one process */
	uint64_t pause_ns;
	uint64_t cpu_ppm, memory; /* of a worker: of one processor, and bytes */
	uint64_t records;         /* bytes a second */
};

struct agent_config {
	struct agent_list urls, labels;
	char *ca, *cluster, *name; /* name: of the machine; NULL: its host name */
	struct agent_coordinator *coordinators;
	size_t n_coordinators;
	struct agent_reviewer *reviewers;
	size_t n_reviewers;
	struct agent_limits limits;
	unsigned kernel;                /* are probes of the kernel allowed? */
	uint8_t digest[CLUSTER_DIGEST]; /* of its text */
};

/* Read a text; `file` is its name in errors, "FILE:LINE:COLUMN" (C-63). Free *out with agent_config_free. */
bool agent_config_read(
	const char *file, const char *text, size_t size, struct agent_config **out, struct ward_error *err);
/* Read a file, which must be its reader's or root's own, and writable by nobody else. */
bool agent_config_load(const char *path, struct agent_config **out, struct ward_error *err);
void agent_config_free(struct agent_config *config);

/* The coordinator with this key, or NULL. */
const struct agent_coordinator *agent_config_coordinator(const struct agent_config *config, const uint8_t *key);

#endif
