/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What combiners and coordinators say to each other (merge/tree.h), as messages: told.c writes them, told_read.c reads
 * them.
 */
#ifndef WARD_CLUSTER_COMBINE_TOLD_H
#define WARD_CLUSTER_COMBINE_TOLD_H

#include "cluster/merge/settle.h"
#include "cluster/wire/message.h"

/* The bytes of a Sum, to be freed with free; NULL without memory. */
void *cluster_told_write(const struct cluster_told *told, uint32_t unit, size_t *size);

/* What was read of a Sum. It points into the message, which must outlive it. */
struct cluster_told_read {
	struct cluster_told told;
	struct cluster_epoch *live, *closed, *again, *of_single;
	char *live_names, *closed_names, *again_names, *single_names, *blame_names;
	struct cluster_single *singles;
	struct cluster_blame *blames;
};
/* False, with *err, if columns don't agree or a name is none (C-161), or without memory. Free it in any case. */
bool cluster_told_read(const Ward__Cluster__Sum *m, struct cluster_told_read *out, struct ward_error *err);
void cluster_told_free(struct cluster_told_read *read);

/*
 * An Answer that is made of an answer. It points into it, and into memory of its own. False without memory. Free it in
 * any case.
 */
struct cluster_answer_message {
	Ward__Cluster__Answer m;
	Ward__Cluster__Epochs settled, kept;
	void *settled_columns, *kept_columns;
	ProtobufCBinaryData *out;
};
bool cluster_answer_write(
	const struct cluster_answer *answer, uint32_t shard, uint32_t unit, struct cluster_answer_message *out);
void cluster_answer_message_free(struct cluster_answer_message *message);

/* An answer that was read of a message. */
struct cluster_answer_read {
	struct cluster_answer answer;
	char *settled_names, *kept_names, *out_names;
};
bool cluster_answer_read(const Ward__Cluster__Answer *m, struct cluster_answer_read *out, struct ward_error *err);
void cluster_answer_read_free(struct cluster_answer_read *read);

#endif
