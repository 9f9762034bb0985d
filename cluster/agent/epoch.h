/* SPDX-License-Identifier: Apache-2.0 */
/* An epoch is one life of a query's worker: its number only rises, and is on the disk before the first attach. */
#ifndef WARD_CLUSTER_AGENT_EPOCH_H
#define WARD_CLUSTER_AGENT_EPOCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ward/ward.h"

struct agent_epoch {
	uint64_t number;
	uint64_t nonce; /* a cloned machine has the same numbers */
};

/* The last one's number; 0: there was none. */
bool agent_epoch_read(const char *directory, uint64_t *last, struct ward_error *err);
/* The next one (C-62). Without a disk there is none. */
bool agent_epoch_next(const char *directory, struct agent_epoch *epoch, struct ward_error *err);

#endif
