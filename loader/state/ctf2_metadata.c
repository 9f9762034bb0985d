/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of a trace in the Common Trace Format 2: a sequence of JSON texts, each behind a record separator. They
 * describe the same packets as the text of version 1.8 does (ctf_metadata.c): what a field is for is its role. Names
 * are identifiers already, so no string here needs an escape.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctf.h"

enum { SEPARATOR = 0x1e };

static void begin_fragment(FILE *f, const char *type)
{
	fprintf(f, "%c{\n  \"type\": \"%s\"", SEPARATOR, type);
}

static void end_fragment(FILE *f)
{
	fputs("\n}\n", f);
}

/* A little-endian integer. more: further properties, each behind a comma; or "". */
static void put_integer(FILE *f, unsigned bits, bool is_signed, const char *more)
{
	fprintf(f,
		"{\"type\": \"fixed-length-%s-integer\", \"length\": %u, \"byte-order\": \"little-endian\", "
		"\"alignment\": 8%s}",
		is_signed ? "signed" : "unsigned", bits, more);
}

static void begin_member(FILE *f, bool is_first, const char *name)
{
	fprintf(f, "%s\n    {\"name\": \"%s\", \"field-class\": ", is_first ? "" : ",", name);
}

/* An integer of a packet's head or a record's. */
static void put_role(FILE *f, bool is_first, unsigned bits, const char *name, const char *role)
{
	char more[100] = "";
	if (role)
		snprintf(more, sizeof(more), ", \"roles\": [\"%s\"]", role);
	begin_member(f, is_first, name);
	put_integer(f, bits, false, more);
	fputc('}', f);
}

static void put_enumeration(FILE *f, const struct state_field *m)
{
	const struct ward_enumeration *e = m->enumeration;
	fprintf(f,
		"{\"type\": \"fixed-length-%s-integer\", \"length\": %u, \"byte-order\": \"little-endian\", "
		"\"alignment\": 8, \"mappings\": {",
		m->scalar.is_signed ? "signed" : "unsigned", 8u * m->scalar.size);
	for (size_t i = 0; i < e->n; i++)
		fprintf(f,
			m->scalar.is_signed ? "%s\"%s\": [[%" PRId64 ", %" PRId64 "]]"
					    : "%s\"%s\": [[%" PRIu64 ", %" PRIu64 "]]",
			i ? ", " : "", e->names[i].name, e->names[i].value, e->names[i].value);
	fputs("}}", f);
}

static void put_class(FILE *f, const struct state_field *m)
{
	if (m->kind == WARD_FIELD_REAL) {
		fprintf(f,
			"{\"type\": \"fixed-length-floating-point-number\", \"length\": %" PRIu32
			", \"byte-order\": \"little-endian\", \"alignment\": 8}",
			8 * m->size);
	} else if (m->kind == WARD_FIELD_WIDE) { /* the lower half first */
		fputs("{\"type\": \"static-length-array\", \"length\": 2, \"element-field-class\": ", f);
		put_integer(f, 64, false, ", \"preferred-display-base\": 16");
		fputc('}', f);
	} else if (m->kind == WARD_FIELD_TEXT) {
		fprintf(f, "{\"type\": \"static-length-string\", \"length\": %" PRIu32 "}", m->n);
	} else if (m->enumeration) {
		put_enumeration(f, m);
	} else {
		put_integer(f, 8u * m->scalar.size, m->scalar.is_signed,
			m->scalar.is_address ? ", \"preferred-display-base\": 16" : "");
	}
}

static void put_stream(FILE *f, size_t id)
{
	begin_fragment(f, "data-stream-class");
	fprintf(f,
		",\n  \"id\": %zu,\n  \"default-clock-class-id\": \"tsc\",\n  \"packet-context-field-class\": "
		"{\"type\": \"structure\", \"member-classes\": [",
		id);
	put_role(f, true, 64, "timestamp_begin", "default-clock-timestamp");
	put_role(f, false, 64, "timestamp_end", "packet-end-default-clock-timestamp");
	put_role(f, false, 64, "content_size", "packet-content-length");
	put_role(f, false, 64, "packet_size", "packet-total-length");
	put_role(f, false, 64, "events_discarded", "discarded-event-record-counter-snapshot");
	put_role(f, false, 64, "packet_seq_num", "packet-sequence-number");
	put_role(f, false, 64, "thread", NULL);
	fputs("]},\n  \"event-record-header-field-class\": {\"type\": \"structure\", \"member-classes\": [", f);
	put_role(f, true, 64, "timestamp", "default-clock-timestamp");
	fputs("]}", f);
	end_fragment(f);
}

/* Of each stream one kind of event; its number is what is taken where no field says it. */
static bool put_event(FILE *f, const struct state_field *ring, size_t id)
{
	struct ctf_names names = {.text = calloc(ring->n_values, sizeof(*names.text))};
	if (!names.text)
		return false;
	begin_fragment(f, "event-record-class");
	fprintf(f,
		",\n  \"data-stream-class-id\": %zu,\n  \"id\": 0,\n  \"name\": \"%s\",\n  \"payload-field-class\": "
		"{\"type\": \"structure\", \"member-classes\": [",
		id, ring->name);
	for (uint32_t i = 0; i < ring->n_values; i++) {
		begin_member(f, i == 0, ctf_name(&names, ring[1 + i].name) + 1); /* without the underscore */
		put_class(f, &ring[1 + i]);
		fputc('}', f);
	}
	fputs("]}", f);
	end_fragment(f);
	free(names.text);
	return true;
}

static void put_clock(FILE *f, const struct ctf_clock *start, const struct ctf_clock *now, bool is_day)
{
	struct ctf_zero zero = ctf_clock_zero(start, now);
	begin_fragment(f, "clock-class");
	fprintf(f,
		",\n  \"id\": \"tsc\",\n  \"name\": \"tsc\",\n  \"description\": \"%s\",\n"
		"  \"frequency\": %" PRIu64 ",\n  \"origin\": \"unix-epoch\",\n  \"offset-from-origin\": "
		"{\"seconds\": %" PRIu64 ", \"cycles\": %" PRIu64 "}",
		is_day ? "nanoseconds since 1970" : "the time stamp counter", zero.hz, zero.seconds, zero.cycles);
	end_fragment(f);
}

bool ctf2_put_all(FILE *f, const struct state_field *const *rings, size_t n, const struct ctf_clock *start,
	const struct ctf_clock *now, const char *host)
{
	begin_fragment(f, "preamble");
	fputs(",\n  \"version\": 2", f);
	end_fragment(f);
	begin_fragment(f, "trace-class");
	fputs(",\n  \"environment\": {\"tracer_name\": \"ward\"", f);
	if (host)
		fprintf(f, ", \"hostname\": \"%s\"", host);
	fputs("},\n  \"packet-header-field-class\": {\"type\": \"structure\", \"member-classes\": [", f);
	put_role(f, true, 32, "magic", "packet-magic-number");
	put_role(f, false, 32, "stream_id", "data-stream-class-id");
	fputs("]}", f);
	end_fragment(f);
	put_clock(f, start, now, host != NULL);
	for (size_t i = 0; i < n; i++) {
		put_stream(f, i);
		if (!put_event(f, rings[i], i))
			return false;
	}
	return !ferror(f);
}
