/* SPDX-License-Identifier: Apache-2.0 */
/* What an implementation of the bus provides, and the queue that both use. */
#ifndef WARD_CLUSTER_BUS_OPS_H
#define WARD_CLUSTER_BUS_OPS_H

#include "bus.h"

struct bus_ops {
	int (*publish)(bus *b, const char *subject, const void *data, size_t size, struct ward_error *err);
	int (*subscribe)(bus *b, const char *subject, struct ward_error *err);
	void (*unsubscribe)(bus *b, const char *subject);
	int (*take)(bus *b, int64_t timeout_ms, struct bus_message *out, struct ward_error *err);
	void (*get_state)(bus *b, struct bus_state *out);
	int (*flush)(bus *b, int64_t timeout_ms, struct ward_error *err);
	void (*close)(bus *b);
};

/* The head of each implementation's own structure. */
struct bus {
	const struct bus_ops *ops;
};

/* ---- queue.c ---- */

/* A message in a queue: the subject, its terminator, and the data follow. */
struct bus_held {
	struct bus_held *next;
	size_t subject_size, size;
	char bytes[];
};

struct bus_queue {
	struct bus_held *first, **last;
	size_t n, bytes, most, most_bytes;
	uint64_t dropped;
};

/* NULL without memory. */
struct bus_held *bus_held_make(const char *subject, const void *data, size_t size);
void bus_held_message(const struct bus_held *held, struct bus_message *out);

void bus_queue_init(struct bus_queue *q, size_t most, size_t most_bytes);
/* Takes the message; one that finds no room, or is NULL, is dropped and counted. */
void bus_queue_put(struct bus_queue *q, struct bus_held *held);
struct bus_held *bus_queue_take(struct bus_queue *q);
void bus_queue_free(struct bus_queue *q);

#endif
