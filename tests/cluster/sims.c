/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made-up machines on a real bus. Each counts a thousand a second while its query runs, by itself, and says at the end
 * what it has counted. Usage: sims URL CREDS HOST[=MOOD]..., MOOD refuses, no-target, lies, or goes: it is cut off
 * after a second. It ends when standard input does, and prints "HOST COUNT ACKNOWLEDGED" for each.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

enum { MOST = 64, SLICE_MS = 5 };

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
	s->goes = mood && strcmp(mood, "goes") == 0;
}

int main(int argc, char **argv)
{
	static struct sim sim[MOST];
	static uint64_t begun[MOST];
	int n = argc - 3;

	if (n < 1 || n > MOST)
		return 2;
	for (int i = 0; i < n; i++)
		machine_open(&sim[i], argv[1], argv[2], argv[3 + i]);
	puts("ready");
	fflush(stdout);
	while (!input_ended())
		for (int i = 0; i < n; i++) {
			uint64_t now = now_ns();
			begun[i] = begun[i] || !sim[i].runs ? begun[i] : now;
			if (sim[i].runs)
				sim[i].count = (now - begun[i]) / 1000000;
			if (!sim[i].goes || !begun[i] || now - begun[i] < 1000000000)
				sim_step(&sim[i], now);
		}
	for (int i = 0; i < n; i++) {
		printf("%s %" PRIu64 " %" PRIu64 "\n", sim[i].host, sim[i].count, sim[i].acknowledged);
		sim_close(&sim[i]);
	}
	return 0;
}
