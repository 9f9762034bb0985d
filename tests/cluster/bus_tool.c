/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does on a real bus what lines of standard input say, and prints "ok" or "not ok: why" for each:
 *
 *	refused CREDS publish|subscribe SUBJECT   the server must refuse it, and name it
 *	reaches CREDS SUBJECT CREDS SUBSCRIPTION  what the first one publishes must come to the second one, and neither
 *	                                          be refused anything
 *	enters CREDS N                            N connects one after the other, none of which may fail
 *	outside CREDS                             must not be let in
 *	returns CREDS SUBJECT COMMAND             its subscription must be served again after the command, which kills
 *	                                          the server and starts it anew
 *
 * Usage: bus_tool URL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cluster/bus/bus.h"

enum { PATIENCE_MS = 20000 };

static const char *url;
static char why[1024];

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool end_open(const char *creds, int64_t wait_ms, bus **out)
{
	struct bus_nats_options options = {
		.urls = &url, .n_urls = 1, .creds = creds, .wait_ms = wait_ms, .jitter_ms = 50};
	struct ward_error err;

	if (bus_nats_open(&options, out, &err) == 0)
		return true;
	snprintf(why, sizeof(why), "%s: %s", creds, err.why);
	return false;
}

static bool row_refused(const char *creds, const char *action, const char *subject)
{
	int64_t until = now_ms() + PATIENCE_MS;
	struct bus_state state = {0};
	struct bus_message m;
	struct ward_error err;
	bus *b;
	int rc;

	if (!end_open(creds, PATIENCE_MS, &b))
		return false;
	rc = strcmp(action, "publish") ? bus_subscribe(b, subject, &err) : bus_publish(b, subject, "x", 1, &err);
	while (!rc && !state.refused && now_ms() < until) {
		bus_take(b, 5, &m, NULL);
		bus_get_state(b, &state);
	}
	bus_close(b);
	snprintf(why, sizeof(why), "%s", rc ? err.why : state.refused ? state.reason : "nothing was refused");
	return !rc && state.refused == 1 && strstr(state.reason, subject) &&
	       strcasestr(state.reason, strcmp(action, "publish") ? "subscription" : "publish");
}

/* A publisher doesn't know when the subscription of another connection is in force: publish until it comes. */
static bool row_reaches(const char *from, const char *subject, const char *to, const char *subscription)
{
	int64_t until = now_ms() + PATIENCE_MS;
	struct bus_state state[2];
	struct bus_message m;
	bus *sender = NULL, *receiver = NULL;
	bool came = false, ok = end_open(from, PATIENCE_MS, &sender) && end_open(to, PATIENCE_MS, &receiver);

	if (ok)
		bus_subscribe(receiver, subscription, NULL);
	while (ok && !came && now_ms() < until) {
		bus_publish(sender, subject, "x", 1, NULL);
		came = bus_take(receiver, 20, &m, NULL) == 1 && strcmp(m.subject, subject) == 0 && m.size == 1;
	}
	if (ok) {
		bus_get_state(sender, &state[0]);
		bus_get_state(receiver, &state[1]);
		ok = came && !state[0].refused && !state[1].refused;
		snprintf(why, sizeof(why), "%s; %s; %s", came ? "it came" : "it didn't come", state[0].reason,
			state[1].reason);
	}
	bus_close(sender);
	bus_close(receiver);
	return ok;
}

static bool row_enters(const char *creds, int n)
{
	bus *b;

	for (int i = 0; i < n; i++) {
		if (!end_open(creds, PATIENCE_MS, &b))
			return false;
		bus_close(b);
	}
	return true;
}

static bool row_outside(const char *creds)
{
	bus *b;

	if (!end_open(creds, 1, &b)) /* one try */
		return true;
	bus_close(b);
	snprintf(why, sizeof(why), "it was let in");
	return false;
}

/* With an end that doesn't wait for the server, as agents have it. */
static bool row_returns(const char *creds, const char *subject, const char *command)
{
	int64_t until;
	struct bus_state before = {0}, after = {0};
	struct bus_message m;
	bool came = false;
	bus *b;

	if (!end_open(creds, 0, &b))
		return false;
	bus_subscribe(b, subject, NULL);
	for (until = now_ms() + PATIENCE_MS; !before.connected && now_ms() < until; bus_get_state(b, &before))
		bus_take(b, 5, &m, NULL);
	if (system(command) != 0)
		snprintf(why, sizeof(why), "the command failed");
	for (until = now_ms() + PATIENCE_MS; !came && now_ms() < until;) {
		bus_publish(b, subject, "again", 5, NULL);
		while (!came && bus_take(b, 20, &m, NULL) == 1)
			came = true;
		bus_get_state(b, &after);
		came = came && after.connects > before.connects;
	}
	bus_close(b);
	snprintf(why, sizeof(why), "connects %llu, then %llu: %s", (unsigned long long)before.connects,
		(unsigned long long)after.connects, after.reason);
	return came;
}

static bool row_do(char *line)
{
	char *word[5] = {NULL}, *rest = line;

	for (int i = 0; i < 5 && rest; i++)
		word[i] = i == 3 && strcmp(word[0], "returns") == 0 ? rest : strsep(&rest, " ");
	if (!word[1])
		return false;
	if (strcmp(word[0], "refused") == 0 && word[3])
		return row_refused(word[1], word[2], word[3]);
	if (strcmp(word[0], "reaches") == 0 && word[4])
		return row_reaches(word[1], word[2], word[3], word[4]);
	if (strcmp(word[0], "enters") == 0 && word[2])
		return row_enters(word[1], atoi(word[2]));
	if (strcmp(word[0], "outside") == 0)
		return row_outside(word[1]);
	if (strcmp(word[0], "returns") == 0 && word[3])
		return row_returns(word[1], word[2], word[3]);
	snprintf(why, sizeof(why), "no such row");
	return false;
}

int main(int argc, char **argv)
{
	char line[4096];
	bool all = true;

	if (argc != 2)
		return 2;
	url = argv[1];
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		why[0] = 0;
		bool ok = row_do(line);
		all = all && ok;
		printf("%s%s\n", ok ? "ok " : "not ok: ", why);
		fflush(stdout);
	}
	return all ? 0 : 1;
}
