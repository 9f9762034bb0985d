/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read a stranger's debug information in a process of its own (verifier/sandbox/sandbox.h), as the libraries that parse
 * it may crash or hang. Every field of the answer is checked. If the process dies, there are no fields.
 */
#include <stdlib.h>
#include <string.h>

#include "schema.h"

#include "verifier/sandbox/sandbox.h"

enum { CPU_TIME = 5000000 /* microseconds */, MEMORY_ROOM = 512 << 20 };

/* What the child is asked. */
struct question {
	const void *image;
	size_t size;
	const char *type, *entry;
	uint64_t state_size;
	const struct state_data *data;
	struct state_field *fields;
	size_t max;
	struct state_notes *notes;
};

/* Fields by their types, then traps, for which half of the room is kept: stopped runs are always reported. */
static size_t read_fields(const struct question *q)
{
	struct state_field *fields = q->fields;
	size_t traps = state_traps_read(q->image, q->size, fields, q->max / 2), room = q->max - traps;
	memmove(fields + room, fields, traps * sizeof(*fields));
	size_t n =
		state_types_read(q->image, q->size, q->type, q->entry, q->state_size, q->data, fields, room, q->notes);
	if (n > room)
		return SIZE_MAX;
	memmove(fields + n, fields + room, traps * sizeof(*fields));
	return n + traps;
}

/* Bytes of notes that have so many names. */
static size_t notes_size(size_t names)
{
	return offsetof(struct state_notes, names.at) + names * sizeof(struct state_enumerator);
}

/* What the child answers: the number of fields, the fields, the notes, whose names are as many as there are. */
static bool types_write(void *arg, int fd)
{
	struct question *q = arg;
	size_t n = read_fields(q);
	size_t notes = q->notes ? notes_size(q->notes->names.n) : 0;
	return n <= q->max && sandbox_write(fd, &n, sizeof(n)) &&
	       sandbox_write(fd, q->fields, n * sizeof(*q->fields)) &&
	       (!q->notes || sandbox_write(fd, q->notes, notes));
}

/* The notes; those of which a part is missing count as none. Only what has arrived is counted, whatever it says. */
static void notes_parse(struct state_notes *notes, const uint8_t *bytes, size_t size)
{
	size_t head = notes_size(0);
	if (size < head || size > sizeof(*notes))
		return;
	memcpy(notes, bytes, size);
	notes->names.n = (size - head) / sizeof(notes->names.at[0]);
	notes->n = notes->n < STATE_MAX_UNSHOWN ? notes->n : STATE_MAX_UNSHOWN;
	state_notes_check(notes);
}

/* Parse what the child has written. Returns how many fields there are. */
static size_t types_parse(const struct question *q, const uint8_t *bytes, size_t size)
{
	size_t n = 0;
	if (size < sizeof(n))
		return 0;
	memcpy(&n, bytes, sizeof(n));
	bytes += sizeof(n);
	size -= sizeof(n);
	if (n > q->max || n > size / sizeof(*q->fields))
		n = size / sizeof(*q->fields) < q->max ? size / sizeof(*q->fields) : q->max;
	memcpy(q->fields, bytes, n * sizeof(*q->fields));
	if (q->notes)
		notes_parse(q->notes, bytes + n * sizeof(*q->fields), size - n * sizeof(*q->fields));
	return n;
}

void state_forget_addresses(struct state_field *fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fields[i].enumeration = NULL;
		fields[i].modules = NULL;
		fields[i].clock = NULL;
	}
}

long state_describe_all(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	const struct state_data *data, struct state_field *fields, size_t max, struct state_notes *notes)
{
	struct question q = {image, size, type, entry, state_size, data, fields, max, notes};
	struct sandbox sandbox = {types_write, &q, CPU_TIME, MEMORY_ROOM,
		sizeof(size_t) + max * sizeof(*fields) + (notes ? sizeof(*notes) : 0)};
	uint8_t *out;
	if (notes)
		notes->n = 0, notes->is_described = false, notes->names.n = 0;
	if (max == 0)
		return 0;
	long bytes = sandbox_run(&sandbox, &out);
	if (bytes < 0)
		return -1;
	size_t n = types_parse(&q, out, (size_t)bytes), good = 0;
	free(out);
	state_forget_addresses(fields, n);
	for (size_t i = 0, group; i < n; i += group ? group : 1) {
		uint64_t end = !fields[i].is_shared ? state_size : data ? data->size : 0;
		group = state_group_valid(&fields[i], n - i, end);
		memmove(&fields[good], &fields[i], group * sizeof(*fields));
		good += group;
	}
	return (long)good;
}

long state_describe(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	struct state_field *fields, size_t max, struct state_notes *notes)
{
	return state_describe_all(image, size, type, entry, state_size, NULL, fields, max, notes);
}
