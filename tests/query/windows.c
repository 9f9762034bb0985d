/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows as the reader keeps them, of events that are made up: what it is given is gone when it has returned, maps of
 * the probe have lost parts of older windows, and still all windows together have each event once.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/query.h"

enum { KEYS = 7, WINDOWS = 40, EVENTS = 20000, BUCKETS = 4 };

static uint64_t state = 1;

static uint64_t random_below(uint64_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (state >> 33) % n;
}

static int failed;

static void check(const char *what, bool holds)
{
	if (!holds)
		printf("FAILED: %s\n", what);
	failed += !holds;
}

/* What is counted of a key: all of it, and in each window. */
struct counted {
	uint64_t n, buckets[BUCKETS];
	uint64_t in[WINDOWS + 2], largest[WINDOWS + 2];
};
static struct counted keys[KEYS];
static const struct query_session session = {.pid = 1, .process = "p", .machine = "m"};

/* Entries whose memory is one piece. */
struct made {
	struct query_entry entry;
	struct query_value key;
	struct query_result results[3];
	struct query_bucket buckets[BUCKETS];
	char text[8];
};

static struct query_entry make_entry(struct made *m, unsigned key)
{
	memset(m, 0, sizeof(*m));
	snprintf(m->text, sizeof(m->text), "k%u", key);
	m->key = (struct query_value){.kind = QUERY_TEXT, .text = m->text};
	m->entry = (struct query_entry){.keys = &m->key, .results = m->results, .session = &session};
	return m->entry;
}

/* A state: totals by key, and the last windows, some of which have lost what a thread had of them. */
static bool give(struct query_windows *w, uint64_t counts, uint64_t first, uint64_t now, bool last)
{
	struct made *made = calloc(KEYS * (size_t)(WINDOWS + 3), sizeof(*made)), *at = made;
	struct query_entry *totals = calloc(KEYS, sizeof(*totals)),
			   *windowed = calloc(KEYS * (size_t)(WINDOWS + 2), sizeof(*windowed));
	struct query_window_state s = {.counts = counts, .entries = totals, .windowed = windowed, .last = last};
	bool done;

	for (unsigned k = 0; k < KEYS; k++) {
		s.seen += keys[k].n;
		if (keys[k].n) {
			totals[s.n] = make_entry(at, k);
			at->results[0] = (struct query_result){.count = keys[k].n, .number = keys[k].n};
			for (unsigned b = 0; b < BUCKETS; b++)
				if (keys[k].buckets[b])
					at->buckets[at->results[2].n++] =
						(struct query_bucket){1u << b, (2u << b) - 1, keys[k].buckets[b]};
			at->results[2].buckets = at->buckets;
			s.n++;
			at++;
		}
		for (uint64_t i = now > 7 ? now - 7 : 0; i <= now; i++) {
			bool is_cut = i + 1 < now && random_below(3) == 0;

			if (!keys[k].in[i] || (is_cut && keys[k].in[i] == 1))
				continue;
			windowed[s.n_windowed] = make_entry(at, k);
			windowed[s.n_windowed].window = (int64_t)(first + i);
			windowed[s.n_windowed].seen = is_cut ? keys[k].in[i] / 2 : keys[k].in[i];
			at->results[1] = (struct query_result){
				.count = windowed[s.n_windowed].seen, .max = is_cut ? 0 : keys[k].largest[i]};
			s.n_windowed++;
			at++;
		}
	}
	done = query_windows_add(w, &s);
	memset(made, 0x55, KEYS * (size_t)(WINDOWS + 3) * sizeof(*made));
	free(made);
	free(totals);
	free(windowed);
	return done;
}

static void add_event(uint64_t window)
{
	unsigned k = (unsigned)random_below(KEYS), b = (unsigned)random_below(BUCKETS);
	uint64_t value = (1u << b) + random_below(1u << b);

	keys[k].n++;
	keys[k].buckets[b]++;
	keys[k].in[window]++;
	if (value > keys[k].largest[window])
		keys[k].largest[window] = value;
}

/* Rows of some windows: their counts, histograms, and the largest numbers. */
static void check_rows(struct query_windows *w, const struct query *q, uint64_t first, uint64_t steps)
{
	struct query_window_rows rows;
	uint64_t n = 0, in_buckets = 0, all = 0, wanted = 0, found = 0;
	bool largest = true;

	if (!query_windows_rows(w, 0, query_windows_open_one(w), &rows)) {
		check("rows", false);
		return;
	}
	for (size_t i = 0; i < rows.n; i++) {
		const struct query_entry *e = &rows.entries[i];
		uint64_t window = (uint64_t)(e->window / query_window_step(q)) - first, most = 0;
		const struct counted *key = &keys[e->keys[0].text[1] - '0'];

		found += window <= WINDOWS && key->in[window];
		n += e->results[0].count;
		for (size_t b = 0; b < e->results[2].n; b++)
			in_buckets += e->results[2].buckets[b].count;
		for (uint64_t s = 0; s < steps; s++)
			if (window + s <= WINDOWS && key->largest[window + s] > most)
				most = key->largest[window + s];
		largest &= e->results[1].max == most;
	}
	for (unsigned k = 0; k < KEYS; k++)
		for (uint64_t i = 0; i <= WINDOWS; i++) {
			/* the last windows are in fewer than all sliding ones */
			all += keys[k].in[i] * (WINDOWS + 1 - i < steps ? WINDOWS + 1 - i : steps);
			wanted += keys[k].in[i] != 0;
		}
	check("each key has a row in its windows", steps > 1 || found == wanted);
	check("each event is in a window", n == all);
	check("and in its histogram", in_buckets == all);
	check("the largest number is that of the window", largest);
	query_window_rows_free(&rows);
}

/* is_late: the end of the last window but one is missed, and the query ends within the last one. */
static void run(const char *window, uint64_t steps, bool is_late)
{
	struct query_options options = {.now = 1000000000000000000, .now_counts = 5000000, .rate = 2000};
	struct query_error err;
	char text[300];
	struct query *q;
	struct query_windows *w;
	uint64_t first, start;

	snprintf(text, sizeof(text),
		"Function(\"a!b\").Window(%s).GroupBy(arg0).Select(g => new { n = g.Count(), hi = g.Max(arg1), h = "
		"g.Hist(arg2) })",
		window);
	q = query_compile(text, strlen(text), &options, &err);
	if (!q) {
		check(err.message, false);
		return;
	}
	memset(keys, 0, sizeof(keys));
	first = query_window_at(q, options.now_counts);
	start = query_window_end(q, first - 1);
	check("the first one is the first", query_window_at(q, start) == first);
	check("a window begins where the one before ends",
		query_window_at(q, query_window_end(q, first + 5)) == first + 6);
	check("and not sooner", query_window_at(q, query_window_end(q, first + 5) - 1) == first + 5);
	w = query_windows_open(q, start);
	query_windows_begin(w, start);
	for (uint64_t i = 0; w && i <= WINDOWS; i++) {
		uint64_t end = query_window_end(q, first + i);

		for (unsigned k = 0; k < EVENTS / WINDOWS; k++)
			add_event(i);
		if (random_below(2) && !(is_late && i + 1 >= WINDOWS))
			check("within a window", give(w, end - 10, first, i, false));
		if (is_late && i + 1 == WINDOWS)
			continue;
		check("at its end",
			give(w, is_late && i == WINDOWS ? end - 10 : end + random_below(1000) * (i < WINDOWS), first, i,
				i == WINDOWS));
	}
	check("nothing is lacking", query_windows_lacks(w).unread == 0 && query_windows_lacks(w).late == 0 &&
					    query_windows_lacks(w).forgotten == 0);
	check_rows(w, q, first, steps);
	query_windows_free(w);
	query_free(q);
}

int main(void)
{
	run("1.s", 1, false);
	run("100.ms", 1, false);
	run("3.s, 1.s", 3, false);
	run("1.s", 1, true);
	printf(failed ? "%d failed\n" : "passed\n", failed);
	return failed != 0;
}
