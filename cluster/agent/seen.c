/* SPDX-License-Identifier: Apache-2.0 */
#include "seen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/sign.h"
#include "store.h"

/* Ten orders a minute for a day are 14,400; one line has at most 64 bytes. */
enum { MOST = 20000, LINE = 64 };

struct row {
	uint8_t query[CLUSTER_ID];
	uint64_t not_after_at;
	enum agent_fate fate;
};

struct agent_seen {
	char *directory;
	struct row *rows;
	size_t n, room;
};

static struct row *row_find(const struct agent_seen *s, const uint8_t *query)
{
	for (size_t i = 0; i < s->n; i++)
		if (memcmp(s->rows[i].query, query, CLUSTER_ID) == 0)
			return &s->rows[i];
	return NULL;
}

static struct row *row_add(struct agent_seen *s)
{
	if (s->n == s->room) {
		size_t room = 2 * s->room + 16;
		struct row *grown = room <= MOST * 2 ? realloc(s->rows, room * sizeof(*grown)) : NULL;
		if (!grown)
			return NULL;
		s->rows = grown;
		s->room = room;
	}
	return &s->rows[s->n++];
}

static bool line_read(struct agent_seen *s, const char *line)
{
	char id[2 * CLUSTER_ID + 1];
	struct row row = {0};
	unsigned fate;
	int end = 0;

	if (sscanf(line, "%32[0-9a-f] %" SCNu64 " %u%n", id, &row.not_after_at, &fate, &end) != 3 || line[end] ||
		!cluster_hex_read(id, CLUSTER_ID, row.query) || fate > AGENT_FAILED)
		return false;
	row.fate = (enum agent_fate)fate;
	struct row *added = row_add(s);
	if (added)
		*added = row;
	return added != NULL;
}

static void rows_forget(struct agent_seen *s, uint64_t now_at)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->rows[i].fate == AGENT_RUNS || s->rows[i].not_after_at >= now_at)
			s->rows[kept++] = s->rows[i];
	s->n = kept;
}

bool agent_seen_open(const char *directory, uint64_t now_at, struct agent_seen **out, struct ward_error *err)
{
	struct agent_seen *s = calloc(1, sizeof(*s));
	void *bytes = NULL;
	size_t n;
	bool ok = s && (s->directory = strdup(directory));

	*out = NULL;
	if (!ok)
		cluster_refuse(err, "orders", NULL, "out of memory");
	ok = ok && agent_store_read(directory, "orders", MOST * LINE, &bytes, &n, err);
	for (char *line = bytes, *end; ok && line && *line; line = end + 1) {
		end = strchr(line, '\n');
		if (end)
			*end = 0;
		ok = end && line_read(s, line);
		if (!ok) { /* to forget it would be to take an order twice */
			cluster_refuse(err, "orders", "C-47", "%s/orders isn't as the agent has written it", directory);
			cluster_hint(err, "a day after the last order it can be removed: none is valid any more");
		}
	}
	free(bytes);
	if (!ok) {
		agent_seen_close(s);
		return false;
	}
	rows_forget(s, now_at);
	*out = s;
	return true;
}

void agent_seen_close(struct agent_seen *s)
{
	if (!s)
		return;
	free(s->directory);
	free(s->rows);
	free(s);
}

enum agent_fate agent_seen_find(const struct agent_seen *s, const uint8_t query[CLUSTER_ID])
{
	const struct row *row = row_find(s, query);
	return row ? row->fate : AGENT_NEW;
}

static bool rows_write(const struct agent_seen *s, struct ward_error *err)
{
	char *text = malloc(s->n * LINE + 1), id[2 * CLUSTER_ID + 1];
	size_t n = 0;

	if (!text)
		return cluster_refuse(err, "orders", NULL, "out of memory");
	for (size_t i = 0; i < s->n; i++) {
		cluster_hex(s->rows[i].query, CLUSTER_ID, id);
		n += (size_t)snprintf(
			text + n, LINE, "%s %" PRIu64 " %u\n", id, s->rows[i].not_after_at, (unsigned)s->rows[i].fate);
	}
	bool ok = agent_store_write(s->directory, "orders", text, n, true, err);
	free(text);
	return ok;
}

bool agent_seen_put(struct agent_seen *s, const uint8_t query[CLUSTER_ID], uint64_t not_after_at, enum agent_fate fate,
	uint64_t now_at, struct ward_error *err)
{
	rows_forget(s, now_at);
	struct row *row = row_find(s, query), before = row ? *row : (struct row){0};
	bool is_new = !row;

	if (is_new && (s->n >= MOST || !(row = row_add(s))))
		return cluster_refuse(err, "orders", "C-47", "there are too many orders to remember");
	memcpy(row->query, query, CLUSTER_ID);
	if (is_new || not_after_at > row->not_after_at)
		row->not_after_at = not_after_at;
	row->fate = fate;
	if (rows_write(s, err))
		return true;
	if (is_new)
		s->n--;
	else
		*row = before;
	return false;
}

const uint8_t *agent_seen_running(const struct agent_seen *s, size_t i)
{
	for (size_t j = 0; j < s->n; j++)
		if (s->rows[j].fate == AGENT_RUNS && i-- == 0)
			return s->rows[j].query;
	return NULL;
}
