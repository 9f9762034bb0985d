/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listens to the partials of all machines, and prints one line for each: the query, the machine, its epoch, nonce and
 * sequence, the flags, and the module's first number. So a test knows by itself what has arrived, and adds it up on its
 * own. Usage: tap URL,… CREDS MODULE. It ends when standard input does; what it couldn't take is a failure.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/bus/bus.h"
#include "cluster/wire/message.h"
#include "cluster/wire/sign.h"
#include "cluster/wire/subject.h"
#include "ward/partial.h"

enum { WAIT_MS = 20000, SLICE_MS = 20, MOST_MODULE = 1 << 20 };

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "tap: %s: %s\n", what, why);
	exit(1);
}

static ward_schema *schema_read(const char *path)
{
	static unsigned char bytes[MOST_MODULE];
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	struct ward_error err = {0};
	ward_schema *schema;

	if (f)
		fclose(f);
	if (ward_schema_read(bytes, n, &schema, &err))
		fail(path, err.why);
	return schema;
}

static void piece_print(const ward_schema *schema, const struct cluster_subject *s, const Ward__Cluster__Piece *piece)
{
	char id[2 * CLUSTER_ID + 1], host[CLUSTER_NAME];
	struct ward_partial_notes n;
	ward_snapshot *snapshot;
	ward_partial *p;

	if (ward_partial_unpack(schema, piece->partial.data, piece->partial.len, NULL, &p, NULL))
		return; /* a hostile one */
	n = ward_partial_notes(p);
	if (ward_partial_finish(p, &snapshot, NULL) == 0) {
		cluster_hex(s->query, CLUSTER_ID, id);
		cluster_name_to_host(s->name, host);
		printf("%s %s %" PRIu64 " %" PRIx64 " %" PRIu64 " %u %" PRIu64 "\n", id, host, n.epoch, n.nonce,
			n.sequence, n.flags, ward_snapshot_field(snapshot, 0)->value);
		ward_snapshot_free(snapshot);
	}
	ward_partial_free(p);
}

static void message_print(const ward_schema *schema, const struct bus_message *m)
{
	struct cluster_message parts = {0};
	struct cluster_subject s;

	if (cluster_subject_read(m->subject, &s) && s.kind == CLUSTER_PART &&
		cluster_message_read(&parts, &ward__cluster__parts__descriptor, "parts", m->data, m->size, NULL)) {
		const Ward__Cluster__Parts *at = (const Ward__Cluster__Parts *)parts.m;
		for (size_t i = 0; i < at->n_piece; i++)
			piece_print(schema, &s, at->piece[i]);
	}
	cluster_message_free(&parts);
	fflush(stdout);
}

static bool has_input_ended(void)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	char byte;

	return poll(&p, 1, 0) == 1 && read(0, &byte, 1) <= 0;
}

int main(int argc, char **argv)
{
	struct ward_error err = {0};
	struct bus_state state;
	struct bus_message m;
	bus *b;

	if (argc != 4)
		fail("usage", "tap URL,... CREDS MODULE");
	const char *urls[2] = {strsep(&argv[1], ","), argv[1]};
	struct bus_nats_options options = {.urls = urls,
		.n_urls = argv[1] ? 2 : 1,
		.creds = argv[2],
		.name = "tap",
		.wait_ms = WAIT_MS,
		.jitter_ms = 20};
	ward_schema *schema = schema_read(argv[3]);
	if (bus_nats_open(&options, &b, &err) || bus_subscribe(b, "ward.part.>", &err))
		fail(urls[0], err.why);
	puts("ready");
	fflush(stdout);
	while (!has_input_ended())
		while (bus_take(b, SLICE_MS, &m, NULL) == 1)
			message_print(schema, &m);
	bus_get_state(b, &state);
	bus_close(b);
	ward_schema_free(schema);
	if (state.dropped)
		fail("bus", "messages were dropped");
	return 0;
}
