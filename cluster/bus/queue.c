/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of messages that have come and wait for bus_take. */
#include "ops.h"

#include <stdlib.h>
#include <string.h>

struct bus_held *bus_held_make(const char *subject, const void *data, size_t size)
{
	size_t subject_size = strlen(subject) + 1;
	struct bus_held *held;

	if (size > BUS_MOST_BYTES || subject_size > BUS_MOST_SUBJECT)
		return NULL;
	held = malloc(sizeof(*held) + subject_size + size);
	if (!held)
		return NULL;
	held->next = NULL;
	held->subject_size = subject_size;
	held->size = size;
	memcpy(held->bytes, subject, subject_size);
	if (size)
		memcpy(held->bytes + subject_size, data, size);
	return held;
}

void bus_held_message(const struct bus_held *held, struct bus_message *out)
{
	out->subject = held->bytes;
	out->data = held->bytes + held->subject_size;
	out->size = held->size;
}

void bus_queue_init(struct bus_queue *q, size_t most, size_t most_bytes)
{
	*q = (struct bus_queue){.most = most, .most_bytes = most_bytes};
	q->last = &q->first;
}

void bus_queue_put(struct bus_queue *q, struct bus_held *held)
{
	size_t bytes = held ? held->subject_size + held->size : 0;

	if (!held || q->n >= q->most || bytes > q->most_bytes - q->bytes) {
		free(held);
		q->dropped++;
		return;
	}
	*q->last = held;
	q->last = &held->next;
	q->n++;
	q->bytes += bytes;
}

struct bus_held *bus_queue_take(struct bus_queue *q)
{
	struct bus_held *held = q->first;

	if (!held)
		return NULL;
	q->first = held->next;
	if (!q->first)
		q->last = &q->first;
	held->next = NULL;
	q->n--;
	q->bytes -= held->subject_size + held->size;
	return held;
}

void bus_queue_free(struct bus_queue *q)
{
	struct bus_held *held;

	while ((held = bus_queue_take(q)))
		free(held);
}
