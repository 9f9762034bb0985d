/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of spec/ward/cluster.proto, read from bytes that may be anybody's. message.c describes how. */
#ifndef WARD_CLUSTER_WIRE_MESSAGE_H
#define WARD_CLUSTER_WIRE_MESSAGE_H

#include <cluster.pb-c.h>
#include <stdbool.h>
#include <stddef.h>

#include "loader/base/arena.h"
#include "ward/ward.h"

enum {
	CLUSTER_MOST_ORDER = 900 << 10, /* bytes of a signed order */
	CLUSTER_MOST_MODULES = 512 << 10,
	CLUSTER_MOST_BYTES = 1 << 20, /* of any message: what the bus takes */
	CLUSTER_FORMAT = 1,
	CLUSTER_ID = 16,
	CLUSTER_DIGEST = 32,
};

/* A message that was read. All its memory is freed at once. */
struct cluster_message {
	struct arena arena;
	ProtobufCMessage *m; /* of the type that was asked for; NULL if it was refused */
};

/*
 * Read a message of one type, and check each number, length and count of it (C-30 to C-34). `what` names it in *err.
 * Free it in any case.
 */
bool cluster_message_read(struct cluster_message *out, const ProtobufCMessageDescriptor *type, const char *what,
	const void *bytes, size_t size, struct ward_error *err);
void cluster_message_free(struct cluster_message *message);

/* The bytes of a message, to be freed with free; NULL without memory. */
void *cluster_message_write(const ProtobufCMessage *m, size_t *size);

/* For tests: does every field that needs limits have them? The name of the first one that hasn't, or NULL. */
const char *cluster_message_unlimited(void);

/* Compare bytes of a message. */
bool cluster_bytes_equal(ProtobufCBinaryData a, const void *b, size_t n);

#endif
