/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the agent remembers of queries, on disk, for as long as their orders are valid: so that none is taken twice,
 * and none goes on that has ended here or has made its worker fail (C-47).
 */
#ifndef WARD_CLUSTER_AGENT_SEEN_H
#define WARD_CLUSTER_AGENT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cluster/wire/message.h"

enum agent_fate { AGENT_NEW, AGENT_RUNS, AGENT_ENDED, AGENT_FAILED };

struct agent_seen;
bool agent_seen_open(const char *directory, uint64_t now_at, struct agent_seen **out, struct ward_error *err);
void agent_seen_close(struct agent_seen *seen);

enum agent_fate agent_seen_find(const struct agent_seen *seen, const uint8_t query[CLUSTER_ID]);
/* On the disk when it returns. Forgets those whose time is over. */
bool agent_seen_put(struct agent_seen *seen, const uint8_t query[CLUSTER_ID], uint64_t not_after_at,
	enum agent_fate fate, uint64_t now_at, struct ward_error *err);
/* The i-th that runs, as far as this file knows; NULL behind the last. */
const uint8_t *agent_seen_running(const struct agent_seen *seen, size_t i);

#endif
