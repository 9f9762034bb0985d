/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up machines on a real bus. Each counts a thousand a second while its query runs, by itself, and says at the
 * end what it has counted. Usage: sims URL CREDS HOST[=MOOD]..., MOOD refuses, no-target, lies, goes: it is cut off
 * after a second, dies: so it is after ten, and counts no more, odd: it counts fifty times as much, or spoils: it
 * sends each kind of hostile partial, over and over. It ends when standard input does, and prints "HOST COUNT
 * ACKNOWLEDGED" for each.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"
#include "sim.h"

static const uint64_t SECOND = 1000000000;
enum { MOST = 64, SLICE_MS = 5, ROUNDS = 50 };

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool input_ended(void)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	char byte;

	return poll(&p, 1, SLICE_MS) == 1 && read(0, &byte, 1) <= 0;
}

static void machine_open(struct sim *s, const char *url, const char *creds, char *word)
{
	char *mood = strchr(word, '='), path[4096];
	struct bus_nats_options options = {.urls = &url, .n_urls = 1, .creds = path, .wait_ms = 20000, .jitter_ms = 50};
	struct ward_error err;
	bus *b;

	if (mood)
		*mood++ = 0;
	snprintf(path, sizeof(path), "%s/%s.creds", creds, word);
	if (bus_nats_open(&options, &b, &err)) {
		fprintf(stderr, "sims: %s: %s\n", err.what, err.why);
		exit(1);
	}
	sim_open(s, b, word, "role=web");
	if (mood && strcmp(mood, "refuses") == 0)
		s->mood = SIM_REFUSES;
	else if (mood && strcmp(mood, "no-target") == 0)
		s->mood = SIM_NO_TARGET;
	else if (mood && strcmp(mood, "lies") == 0)
		s->mood = SIM_LIES;
	s->dies = mood && strcmp(mood, "dies") == 0;
	s->goes = s->dies || (mood && strcmp(mood, "goes") == 0);
}

/* ---- a hostile machine ---- */

static void piece_send(struct sim *s, const void *bytes, size_t size, uint32_t unit)
{
	Ward__Cluster__Parts m = WARD__CLUSTER__PARTS__INIT;
	Ward__Cluster__Piece piece = WARD__CLUSTER__PIECE__INIT, *pieces[] = {&piece};
	struct cluster_subject to = {.kind = CLUSTER_PART};
	char subject[CLUSTER_SUBJECT];
	size_t n;

	m.format = CLUSTER_FORMAT;
	m.piece = pieces;
	m.n_piece = 1;
	piece.unit = unit;
	piece.partial = (ProtobufCBinaryData){size, (uint8_t *)bytes};
	strcpy(to.name, s->name);
	memcpy(to.query, s->query, sizeof(to.query));
	cluster_subject_write(&to, subject);
	void *message = cluster_message_write(&m.base, &n);
	bus_publish(s->b, subject, message, n, NULL);
	bus_publish(s->b, subject, message, n / 2, NULL);
	bus_publish(s->b, subject, bytes, size, NULL); /* no message at all */
	free(message);
}

/* What it has sent last, once more: it is to be spoilt. */
static void *good_make(struct sim *s, size_t *size)
{
	struct ward_partial_notes notes = {.size = sizeof(notes),
		.epoch = s->epoch,
		.nonce = s->nonce,
		.sequence = s->sequence,
		.events = s->count};
	const void *states[] = {&s->count};
	ward_partial *p = NULL;
	void *bytes = NULL;

	memcpy(notes.query, s->query, sizeof(notes.query));
	if (ward_partial_merge(s->schema, s->names, states, 1, sizeof(s->count), NULL, &p, NULL) == 0 &&
		ward_partial_note(p, &notes, NULL) == 0)
		ward_partial_pack(p, NULL, &bytes, size, NULL);
	ward_partial_free(p);
	return bytes;
}

/* Those that contradict themselves come last: then nothing of this machine is believed any more. */
static void spoil(struct sim *s)
{
	size_t n_good, n;
	void *good = good_make(s, &n_good);

	for (size_t i = 0; good && i < ROUNDS * n_hostiles; i++) {
		const struct hostile *h = &hostiles[i % n_hostiles];
		bool contradicts = h->name[0] == 'C' && h->name[3] >= '4';
		if (!h->any || h->before_flags || (contradicts && i < (ROUNDS - 1) * n_hostiles))
			continue;
		void *bytes = hostile_make(h, good, n_good, &n);
		piece_send(s, bytes, n, i / n_hostiles % 8 == 7 ? 3 : 0); /* there is one unit */
		free(bytes);
	}
	free(good);
}

/*
 * The coordinator has ended, but what it said last may still be on its way: an honest machine waits for the
 * acknowledgement of its last value.
 */
static void await_got(struct sim *s)
{
	uint64_t end = now_ns() + 10 * SECOND;

	while (s->is_last && !s->is_got && now_ns() < end)
		sim_step(s, now_ns());
}

int main(int argc, char **argv)
{
	static struct sim sim[MOST];
	static uint64_t begun[MOST];
	static bool spoils[MOST], is_odd[MOST], is_honest[MOST];
	int n = argc - 3;

	if (n < 1 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++) {
		spoils[i] = strstr(argv[3 + i], "=spoils") != NULL;
		is_odd[i] = strstr(argv[3 + i], "=odd") != NULL;
		is_honest[i] = strchr(argv[3 + i], '=') == NULL;
		machine_open(&sim[i], argv[1], argv[2], argv[3 + i]);
	}
	puts("ready");
	fflush(stdout);
	while (!input_ended())
		for (int i = 0; i < n; i++) {
			uint64_t now = now_ns();
			begun[i] = begun[i] || !sim[i].runs ? begun[i] : now;
			bool is_gone = sim[i].goes && begun[i] && now - begun[i] >= (sim[i].dies ? 10 : 1) * SECOND;
			if (sim[i].runs && !(is_gone && sim[i].dies))
				sim[i].count = (now - begun[i]) / 1000000 * (is_odd[i] ? 50 : 1);
			if (!is_gone)
				sim_step(&sim[i], now);
			if (spoils[i] && sim[i].runs && sim[i].sequence >= 3) {
				spoil(&sim[i]);
				spoils[i] = false;
			}
		}
	for (int i = 0; i < n; i++) {
		if (is_honest[i])
			await_got(&sim[i]);
		printf("%s %" PRIu64 " %" PRIu64 "\n", sim[i].host, sim[i].count, sim[i].acknowledged);
		sim_close(&sim[i]);
	}
	return 0;
}
