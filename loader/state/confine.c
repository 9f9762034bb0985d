/*
 * What a stranger's debug information says of a state is found out in a confined process (../confined.h); what comes out is checked field by field. If the child dies there are no fields.
 */
#include <stdlib.h>
#include <string.h>

#include "schema.h"

#include "../confined.h"

enum { CPU_SECONDS = 5, MEMORY_ROOM = 512 << 20 };

/* Fields by their types, then stops: what a probe has stopped is told even where its types would fill all of the room. */
static size_t read_both(
	const void *image, size_t size, const char *type, const char *entry, uint64_t state_size, struct state_field *fields, size_t max)
{
	size_t stops = state_stops_read(image, size, fields, max / 2), room = max - stops;
	memmove(fields + room, fields, stops * sizeof(*fields));
	size_t n = state_types_read(image, size, type, entry, state_size, fields, room);
	if (n > room)
		return SIZE_MAX;
	memmove(fields + n, fields + room, stops * sizeof(*fields));
	return n + stops;
}

/* What the child is asked. */
struct question {
	const void *image;
	size_t size;
	const char *type, *entry;
	uint64_t state_size;
	struct state_field *fields;
	size_t max;
};

static bool answer(void *arg, int fd)
{
	struct question *q = arg;
	size_t n = read_both(q->image, q->size, q->type, q->entry, q->state_size, q->fields, q->max);
	return n <= q->max && wl_confined_write(fd, q->fields, n * sizeof(*q->fields));
}

long state_describe(
	const void *image, size_t size, const char *type, const char *entry, uint64_t state_size, struct state_field *fields, size_t max)
{
	struct question q = {image, size, type, entry, state_size, fields, max};
	struct wl_confined confined = {answer, &q, CPU_SECONDS, MEMORY_ROOM, max * sizeof(*fields)};
	uint8_t *out;
	if (max == 0)
		return 0;
	long bytes = wl_confined_run(&confined, &out);
	if (bytes < 0)
		return -1;
	size_t n = (size_t)bytes / sizeof(*fields), good = 0;
	if (n)
		memcpy(fields, out, n * sizeof(*fields));
	free(out);
	for (size_t i = 0, group; i < n; i += group ? group : 1) {
		group = state_group_valid(&fields[i], n - i, state_size);
		memmove(&fields[good], &fields[i], group * sizeof(*fields));
		good += group;
	}
	return (long)good;
}
