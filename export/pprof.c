/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof's profile: a gzipped protobuf message. Its repeated fields may come in any order on the wire, so each text,
 * function, location and sample is written as it comes, a small message of its own; readers join them. What is kept
 * is the table of what has a number already. Frames that are inlined are lines of one location.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "format.h"
#include <pprof.pb-c.h>

struct pprof {
	struct export base;
	gzFile gz;
	struct intern texts, mappings, functions, locations;
	uint8_t *bytes;
	size_t room;
	uint64_t *ids; /* of a sample's locations */
	size_t n_ids_room;
};

/* A part of the profile, as a message that has nothing else. */
static void put_part(struct pprof *p, const Pprof__Profile *part)
{
	size_t size = pprof__profile__get_packed_size(part);
	if (size > p->room) {
		uint8_t *bytes = realloc(p->bytes, size * 2);
		if (!bytes) {
			p->base.failed = true;
			return;
		}
		p->bytes = bytes;
		p->room = size * 2;
	}
	pprof__profile__pack(part, p->bytes);
	if (size && gzwrite(p->gz, p->bytes, (unsigned)size) != (int)size)
		p->base.failed = true;
}

/* A number from 1 on, as pprof wants ids to be. */
static uint64_t part_id(struct pprof *p, struct intern *in, const void *key, size_t size, bool *is_new)
{
	int64_t n = intern_bytes(in, key, size, is_new);
	p->base.failed |= n == INTERN_FAILED;
	return (uint64_t)(n + 1);
}

static int64_t put_text(struct pprof *p, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	bool is_new;
	int64_t number = intern_text(&p->texts, text ? text : "", &is_new);
	ProtobufCBinaryData bytes = {text ? strlen(text) : 0, (uint8_t *)text};
	p->base.failed |= number == INTERN_FAILED;
	if (!is_new)
		return number;
	part.string_table = &bytes;
	part.n_string_table = 1;
	put_part(p, &part);
	return number;
}

static uint64_t put_mapping(struct pprof *p, const char *module)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings = &mapping;
	bool is_new;
	if (!module)
		return 0;
	uint64_t id = part_id(p, &p->mappings, module, strlen(module), &is_new);
	if (!is_new)
		return id;
	mapping.id = id;
	mapping.has_filename = true;
	mapping.filename = put_text(p, module);
	mapping.has_has_functions = mapping.has_functions = true;
	mapping.has_has_inline_frames = mapping.has_inline_frames = true;
	part.mapping = &mappings;
	part.n_mapping = 1;
	put_part(p, &part);
	return id;
}

static uint64_t put_function(struct pprof *p, const struct export_frame *f)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	const int64_t key[] = {put_text(p, f->function), put_text(p, f->file)};
	bool is_new;
	uint64_t id = part_id(p, &p->functions, key, sizeof(key), &is_new);
	if (!is_new)
		return id;
	function.id = id;
	function.has_name = function.has_system_name = function.has_filename = true;
	function.name = function.system_name = key[0];
	function.filename = key[1];
	part.function = &functions;
	part.n_function = 1;
	put_part(p, &part);
	return id;
}

/* What makes two locations different. */
struct location_key {
	uint64_t mapping, address, function, line, above; /* above: hash of what is inlined there */
};

enum { MOST_LINES = 64 }; /* of one location; more are locations of their own */

/* n frames, of which all but the last are inlined into the next one. */
static uint64_t put_location(struct pprof *p, const struct export_frame *f, size_t n)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Line line[MOST_LINES], *lines[MOST_LINES];
	struct location_key key = {.mapping = put_mapping(p, f[n - 1].module), .address = f[n - 1].address};
	bool is_new;
	for (size_t i = 0; i < n; i++) {
		pprof__line__init(&line[i]);
		line[i].function_id = put_function(p, &f[i]);
		line[i].has_line = f[i].line;
		line[i].line = f[i].line;
		lines[i] = &line[i];
		key.above = key.above * 0x9e3779b97f4a7c15u + (line[i].function_id << 24 ^ f[i].line);
	}
	key.function = line[n - 1].function_id;
	key.line = f[n - 1].line;
	location.id = part_id(p, &p->locations, &key, sizeof(key), &is_new);
	if (!is_new)
		return location.id;
	location.has_mapping_id = key.mapping;
	location.mapping_id = key.mapping;
	location.has_address = key.address;
	location.address = key.address;
	location.line = lines;
	location.n_line = n;
	part.location = &locations;
	part.n_location = 1;
	put_part(p, &part);
	return location.id;
}

static bool make_ids(struct pprof *p, size_t n)
{
	if (n <= p->n_ids_room)
		return true;
	uint64_t *ids = reallocarray(p->ids, n, sizeof(*ids));
	if (!ids) {
		p->base.failed = true;
		return false;
	}
	p->ids = ids;
	p->n_ids_room = n;
	return true;
}

static void pprof_stack(export *e, const struct export_stack *stack)
{
	struct pprof *p = (struct pprof *)e;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
	size_t n = 0;
	if (!make_ids(p, stack->n))
		return;
	for (size_t i = 0, lines; i < stack->n; i += lines) {
		for (lines = 1; stack->frames[i + lines - 1].is_inlined && i + lines < stack->n && lines < MOST_LINES;)
			lines++;
		p->ids[n++] = put_location(p, &stack->frames[i], lines);
	}
	sample.location_id = p->ids;
	sample.n_location_id = n;
	sample.value = (int64_t *)stack->values;
	sample.n_value = e->about.n_measures;
	part.sample = &samples;
	part.n_sample = 1;
	put_part(p, &part);
}

static void put_measure(struct pprof *p, const struct export_measure *measure)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types = &type;
	type.has_type = type.has_unit = true;
	type.type = put_text(p, measure->name);
	type.unit = put_text(p, measure->unit);
	part.sample_type = &types;
	part.n_sample_type = 1;
	put_part(p, &part);
}

static void pprof_begin(export *e)
{
	struct pprof *p = (struct pprof *)e;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int fd = fflush(e->file) == 0 ? dup(fileno(e->file)) : -1;
	p->gz = fd >= 0 ? gzdopen(fd, "wb") : NULL;
	if (!p->gz) {
		if (fd >= 0)
			close(fd);
		e->failed = true;
		return;
	}
	put_text(p, ""); /* the first text is empty */
	for (size_t i = 0; i < e->about.n_measures; i++)
		put_measure(p, &e->about.measures[i]);
	part.has_time_nanos = true;
	part.time_nanos = e->about.begin;
	put_part(p, &part);
}

static void pprof_end(export *e)
{
	struct timespec now;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	clock_gettime(CLOCK_REALTIME, &now);
	int64_t took = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - e->about.begin;
	part.has_duration_nanos = true;
	part.duration_nanos = took > 0 ? took : 0;
	put_part((struct pprof *)e, &part);
}

static void pprof_release(export *e)
{
	struct pprof *p = (struct pprof *)e;
	if (p->gz && gzclose(p->gz) != Z_OK)
		e->failed = true;
	intern_free(&p->texts);
	intern_free(&p->mappings);
	intern_free(&p->functions);
	intern_free(&p->locations);
	free(p->bytes);
	free(p->ids);
}

const struct export_format export_pprof = {.name = "pprof",
	.viewers = "go tool pprof, speedscope.app",
	.size = sizeof(struct pprof),
	.begin = pprof_begin,
	.stack = pprof_stack,
	.end = pprof_end,
	.release = pprof_release};
