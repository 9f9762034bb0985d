/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metadata of a trace: a text that says what the packets hold. Members of records have the names and types that
 * the probe gave them. In a name like a.b[2] the signs that no identifier has become underscores. Names begin with an
 * underscore in the text, which readers remove: so a name may be a word of the language, as `event` is.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "ctf.h"

enum { TRIES = 8, SECOND = 1000000000 };

static uint64_t ns_of(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* The set that was read in the shortest time. */
void ctf_clock_read(struct ctf_clock *clock)
{
	uint64_t shortest = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc();
		struct ctf_clock now = {.ns = ns_of(CLOCK_MONOTONIC_RAW), .unix_ns = ns_of(CLOCK_REALTIME)};
		uint64_t took = __rdtsc() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		now.counts = before + took / 2;
		*clock = now;
	}
}

static bool is_taken(const struct ctf_names *names, const char *text)
{
	for (size_t i = 0; i < names->n; i++)
		if (strcmp(names->text[i], text) == 0)
			return true;
	return false;
}

const char *ctf_name(struct ctf_names *names, const char *name)
{
	char *text = names->text[names->n];
	size_t n = 0;
	text[n++] = '_';
	for (; *name; name++)
		text[n++] = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
					    (*name >= '0' && *name <= '9')
				    ? *name
				    : '_';
	text[n] = 0;
	for (unsigned k = 2; is_taken(names, text); k++)
		snprintf(text + n, sizeof(*names->text) - n, "_%u", k);
	names->n++;
	return text;
}

/* Names of an enumeration are identifiers, so as strings they are what they are. */
static void put_enumeration(FILE *f, const struct state_field *m, const char *name)
{
	const struct ward_enumeration *e = m->enumeration;
	fprintf(f, "\t\tenum : integer { size = %u; align = 8; signed = %s; } { ", 8u * m->scalar.size,
		m->scalar.is_signed ? "true" : "false");
	for (size_t i = 0; i < e->n; i++)
		fprintf(f, m->scalar.is_signed ? "%s\"%s\" = %" PRId64 : "%s\"%s\" = %" PRIu64, i ? ", " : "",
			e->names[i].name, e->names[i].value);
	fprintf(f, " } %s;\n", name);
}

static void put_real(FILE *f, const struct state_field *m, const char *name)
{
	fprintf(f, "\t\tfloating_point { exp_dig = %d; mant_dig = %d; align = 8; } %s;\n", m->size == 4 ? 8 : 11,
		m->size == 4 ? 24 : 53, name);
}

/* The format has no integers of 128 bits: the lower half first. */
static void put_wide(FILE *f, const char *name)
{
	fprintf(f, "\t\tinteger { size = 64; align = 8; signed = false; base = hexadecimal; } %s[2];\n", name);
}

static void put_member(FILE *f, const struct state_field *m, struct ctf_names *names)
{
	const char *name = ctf_name(names, m->name);
	if (m->kind == WARD_FIELD_REAL)
		put_real(f, m, name);
	else if (m->kind == WARD_FIELD_WIDE)
		put_wide(f, name);
	else if (m->enumeration)
		put_enumeration(f, m, name);
	else if (m->kind == WARD_FIELD_TEXT)
		fprintf(f, "\t\tinteger { size = 8; align = 8; signed = false; encoding = UTF8; } %s[%" PRIu32 "];\n",
			name, m->n);
	else
		fprintf(f, "\t\tinteger { size = %u; align = 8; signed = %s;%s } %s;\n", 8u * m->scalar.size,
			m->scalar.is_signed ? "true" : "false", m->scalar.is_address ? " base = hexadecimal;" : "",
			name);
}

/* The name of an event is a string: a ring's name has no sign that would end it (state_field_valid). */
static bool put_stream(FILE *f, const struct state_field *ring, size_t id)
{
	struct ctf_names names = {.text = calloc(ring->n_values, sizeof(*names.text))};
	if (!names.text)
		return false;
	fprintf(f,
		"\nstream {\n\tid = %zu;\n\tpacket.context := struct {\n\t\tstamp timestamp_begin;\n\t\tstamp "
		"timestamp_end;\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
		"\t\tu64 events_discarded;\n\t\tu64 packet_seq_num;\n\t\tu64 _thread;\n\t};\n\tevent.header := struct "
		"{\n\t\tstamp timestamp;\n\t};\n};\n",
		id);
	fprintf(f, "\nevent {\n\tname = \"%s\";\n\tid = 0;\n\tstream_id = %zu;\n\tfields := struct {\n", ring->name,
		id);
	for (uint32_t i = 0; i < ring->n_values; i++)
		put_member(f, &ring[1 + i], &names);
	fputs("\t};\n};\n", f);
	free(names.text);
	return true;
}

/* Counts in a second. Of too short a time it says little, but never nothing. */
static uint64_t clock_frequency(const struct ctf_clock *start, const struct ctf_clock *now)
{
	uint64_t ns = now->ns - start->ns, counts = now->counts - start->counts;
	uint64_t hz = ns ? (uint64_t)((unsigned __int128)counts * SECOND / ns) : 0;
	return hz ? hz : SECOND;
}

struct ctf_zero ctf_clock_zero(const struct ctf_clock *start, const struct ctf_clock *now)
{
	uint64_t hz = clock_frequency(start, now),
		 zero = start->unix_ns - (uint64_t)((unsigned __int128)start->counts * SECOND / hz);
	return (struct ctf_zero){hz, zero / SECOND, (uint64_t)((unsigned __int128)(zero % SECOND) * hz / SECOND)};
}

static void put_clock(FILE *f, const struct ctf_clock *start, const struct ctf_clock *now, bool is_day)
{
	struct ctf_zero zero = ctf_clock_zero(start, now);
	fprintf(f,
		"\nclock {\n\tname = tsc;\n\tdescription = \"%s\";\n\tabsolute = true;\n\tfreq = "
		"%" PRIu64 ";\n\toffset_s = %" PRIu64 ";\n\toffset = %" PRIu64 ";\n};\n",
		is_day ? "nanoseconds since 1970" : "the time stamp counter", zero.hz, zero.seconds, zero.cycles);
	fputs("\ntypealias integer { size = 64; align = 8; signed = false; } := u64;\n"
	      "typealias integer { size = 64; align = 8; signed = false; map = clock.tsc.value; } := stamp;\n",
		f);
}

static bool put_all(FILE *f, const struct state_field *const *rings, size_t n, const struct ctf_clock *start,
	const struct ctf_clock *now, const char *host)
{
	fputs("/* CTF 1.8 */\n\ntypealias integer { size = 32; align = 8; signed = false; } := u32;\n"
	      "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tu32 "
	      "magic;\n\t\tu32 stream_id;\n\t};\n};\n"
	      "\nenv {\n\ttracer_name = \"ward\";\n",
		f);
	if (host)
		fprintf(f, "\thostname = \"%s\";\n", host);
	fputs("};\n", f);
	put_clock(f, start, now, host != NULL);
	for (size_t i = 0; i < n; i++)
		if (!put_stream(f, rings[i], i))
			return false;
	return !ferror(f);
}

/* Readers leave out files whose names begin with a dot. */
bool ctf_write_metadata(int directory, unsigned version, const struct state_field *const *rings, size_t n,
	const struct ctf_clock *start, const struct ctf_clock *now, const char *host)
{
	int fd = openat(directory, ".metadata", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool ok;
	if (!f) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	ok = (version == 2 ? ctf2_put_all : put_all)(f, rings, n, start, now, host);
	ok = fclose(f) == 0 && ok;
	return ok && renameat(directory, ".metadata", directory, "metadata") == 0;
}
