/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of events of several threads: their records come thread by thread, some of each at a time, and are paired as
 * if they had come in the order of their time. Ends with "N passed, M failed".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "query/query.h"

enum { THREADS = 4, ROUNDS = 20, EVENTS = 12000, KEYS = 50, RATE = 1000, WITHIN = 300000000 };

static unsigned passed, failed;

static void check(const char *what, uint64_t is, uint64_t right)
{
	if (is == right) {
		passed++;
		return;
	}
	failed++;
	printf("FAILED: %s: %" PRIu64 ", not %" PRIu64 "\n", what, is, right);
}

/* What the plain rule makes of the events, in the order of their time. */
struct right {
	uint64_t pairs, sum, open[KEYS];
	bool is_open[KEYS];
};

static void pair(struct right *r, uint64_t key, uint64_t time, bool is_end)
{
	if (!is_end) {
		r->is_open[key] = true;
		r->open[key] = time;
	} else if (r->is_open[key] && time - r->open[key] <= WITHIN) {
		r->pairs++;
		r->sum += time - r->open[key];
		r->is_open[key] = false;
	}
}

/* Times are nanoseconds, as the counter's rate is 1000 in a microsecond. Half a second of each thread comes at once. */
static void check_seed(const struct query *q, uint64_t seed)
{
	struct query_join *join = query_join_open(q, NULL, NULL);
	struct query_record *waiting = calloc(EVENTS, sizeof(*waiting));
	const struct query_session session = {.process = "", .machine = ""};
	struct query_joined joined;
	struct right right = {0};
	uint64_t dice = first_state(seed), now = 1, begins = 0, last = 0;
	size_t n = 0;
	bool added = true;

	for (int i = 0; i < EVENTS; i++) {
		struct query_record *r = &waiting[n++];

		now += 1 + next_number(&dice) % 2000000;
		*r = (struct query_record){.time = now, .is_end = next_number(&dice) % 2};
		r->keys[0] = next_number(&dice) % KEYS;
		r->captures[r->is_end] = (struct query_value){.kind = QUERY_UNSIGNED, .number = now};
		begins += !r->is_end;
		pair(&right, r->keys[0], now, r->is_end);
		if (now - last < 500000000 && i + 1 < EVENTS)
			continue;
		for (size_t thread = 0; thread < THREADS; thread++)
			for (size_t k = (thread + seed) % THREADS; k < n; k += THREADS)
				added &= query_join_add(join, &waiting[k]);
		last = now;
		n = 0;
	}
	check("records are taken", added, true);
	check("what was joined is given", query_join_take(join, &session, true, &joined), true);
	check("pairs", joined.pairs.pairs, right.pairs);
	check("beginnings", joined.pairs.begins, begins);
	check("ends", joined.pairs.ends, EVENTS - begins);
	check("none is lost", joined.lost, 0);
	check("one entry", joined.n, 1);
	check("their number", joined.entries[0].results[0].count, right.pairs);
	check("and time", joined.entries[0].results[0].number, right.sum);
	free(joined.entries);
	free(waiting);
	query_join_free(join);
}

int main(void)
{
	static const char text[] =
		"Function(\"a!b\").Join(Function(\"c!d\"), arg0, arg0, within: 300.ms).Stat(end.time - "
		"begin.time)";
	struct query_options options = {.rate = RATE};
	struct query_error err;
	struct query *q = query_compile(text, strlen(text), &options, &err);

	for (uint64_t seed = 1; q && seed <= ROUNDS; seed++)
		check_seed(q, seed);
	query_free(q);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0 || passed == 0;
}
