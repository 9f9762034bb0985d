/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's reader of records: from the rings of its sessions to messages. reader.c describes how. */
#ifndef WARD_CLUSTER_AGENT_READER_H
#define WARD_CLUSTER_AGENT_READER_H

#include "epoch.h"
#include "sessions.h"

#include "cluster/wire/channel.h"

/* NULL without memory. `rate`: bytes of records a second that may be sent. */
struct agent_reader *agent_reader_open(const struct agent_epoch *epoch, uint64_t rate);
void agent_reader_close(struct agent_reader *reader);
/* What the time stamp counter counts in a microsecond. */
void agent_reader_rate(struct agent_reader *reader, double counts_per_us);

/* Take what a session's rings have. */
void agent_reader_take(struct agent_reader *reader, const struct agent_sessions *s, struct agent_session *one);
/*
 * Take what all have, and send what is due. Returns how soon that is to be done again, in milliseconds; -1: there are
 * no rings.
 */
int agent_reader_poll(
	struct agent_reader *reader, const struct agent_sessions *units, size_t n, struct channel *channel);
/* The probes are off: take what is left, and send all, as far as the agent takes it in time. */
void agent_reader_end(
	struct agent_reader *reader, const struct agent_sessions *units, size_t n, struct channel *channel);
/* So many have a number; so many more were lost before they had one. */
void agent_reader_counts(const struct agent_reader *reader, uint64_t *numbered, uint64_t *unread);

#endif
