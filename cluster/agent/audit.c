/* SPDX-License-Identifier: Apache-2.0 */
#include "audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/sign.h"
#include "store.h"

enum { MOST_LINE = 256 << 10, ESCAPED = 6, TAIL = 128, HASH = 2 * CLUSTER_DIGEST + 1 };

struct agent_line {
	struct agent_audit *audit;
	char text[MOST_LINE + TAIL];
	size_t n;
	bool is_cut, is_first; /* of a list */
};

struct agent_audit {
	char *path;
	int fd;
	char before[HASH]; /* of the last line, without its end; empty: there is none */
	struct agent_line line;
};

/* ---- the chain ---- */

static void line_hash(const char *line, size_t n, char hash[HASH])
{
	uint8_t digest[CLUSTER_DIGEST];

	cluster_digest(line, n, digest);
	cluster_hex(digest, sizeof(digest), hash);
}

/* Walk the lines of a file: fn is called with each; a line of more than MOST_LINE ends the walk. */
typedef bool line_fn(void *user, const char *line, size_t n, bool has_end);

static bool lines_walk(int fd, line_fn *fn, void *user)
{
	enum { ROOM = MOST_LINE + TAIL };
	char *text = malloc(ROOM);
	size_t n = 0;
	ssize_t got = 0;
	bool ok = text && lseek(fd, 0, SEEK_SET) == 0;

	while (ok && (got = read(fd, text + n, ROOM - n)) > 0) {
		char *at = text, *end;
		n += (size_t)got;
		while (ok && (end = memchr(at, '\n', n - (size_t)(at - text)))) {
			ok = fn(user, at, (size_t)(end - at), true);
			at = end + 1;
		}
		n -= (size_t)(at - text);
		memmove(text, at, n);
		ok = ok && n < ROOM;
	}
	ok = ok && got == 0 && (!n || fn(user, text, n, false));
	free(text);
	return ok;
}

struct tail {
	char hash[HASH];
	off_t size;
};

static bool tail_take(void *user, const char *line, size_t n, bool has_end)
{
	struct tail *tail = user;

	if (has_end) {
		line_hash(line, n, tail->hash);
		tail->size += (off_t)n + 1;
	}
	return true;
}

bool agent_audit_open(const char *path, struct agent_audit **out, struct ward_error *err)
{
	struct agent_audit *a = calloc(1, sizeof(*a));
	struct tail tail = {0};
	bool ok = a && (a->path = strdup(path));

	*out = NULL;
	if (!ok) {
		free(a);
		return cluster_refuse(err, path, NULL, "out of memory");
	}
	a->fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	ok = a->fd >= 0 && lines_walk(a->fd, tail_take, &tail);
	/* if an agent was killed in the middle of a line, what that line is about wasn't done */
	ok = ok && ftruncate(a->fd, tail.size) == 0;
	if (!ok) {
		cluster_refuse(err, path, "C-61", "it can't be written: %s", strerror(errno));
		agent_audit_close(a);
		return false;
	}
	strcpy(a->before, tail.hash);
	*out = a;
	return true;
}

void agent_audit_close(struct agent_audit *a)
{
	if (!a)
		return;
	if (a->fd >= 0)
		close(a->fd);
	free(a->path);
	free(a);
}

/* ---- a line ---- */

static bool line_add(struct agent_line *l, const char *text, size_t n)
{
	if (l->is_cut || n > MOST_LINE - l->n) {
		l->is_cut = true;
		return false;
	}
	memcpy(l->text + l->n, text, n);
	l->n += n;
	return true;
}

static void key_add(struct agent_line *l, const char *key)
{
	if (!l->is_first)
		line_add(l, ",", 1);
	l->is_first = false;
	if (!key)
		return;
	line_add(l, "\"", 1);
	line_add(l, key, strlen(key));
	line_add(l, "\":", 2);
}

/* A text with all its brackets and quotes, or nothing, so that a line that was cut is still JSON. */
void agent_line_text(struct agent_line *l, const char *key, const void *text, size_t n)
{
	const unsigned char *at = text;
	size_t start = l->n;
	char escaped[ESCAPED + 1];

	key_add(l, key);
	line_add(l, "\"", 1);
	for (size_t i = 0; i < n && !l->is_cut; i++) {
		if (at[i] >= 0x20 && at[i] < 0x7f && at[i] != '"' && at[i] != '\\')
			line_add(l, (const char *)&at[i], 1);
		else {
			snprintf(escaped, sizeof(escaped), "\\u%04x", at[i]);
			line_add(l, escaped, ESCAPED);
		}
	}
	line_add(l, "\"", 1);
	if (l->is_cut && l->n >= start)
		l->n = start;
}

void agent_line_number(struct agent_line *l, const char *key, uint64_t number)
{
	char text[24];
	size_t start = l->n;

	snprintf(text, sizeof(text), "%" PRIu64, number);
	key_add(l, key);
	line_add(l, text, strlen(text));
	if (l->is_cut)
		l->n = start;
}

void agent_line_list(struct agent_line *l, const char *key)
{
	size_t start = l->n;

	key_add(l, key);
	l->is_first = line_add(l, "[", 1);
	if (l->is_cut)
		l->n = start;
}

/* There is always room for the ends: see TAIL. A list that wasn't begun isn't ended. */
void agent_line_list_end(struct agent_line *l)
{
	int depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < l->n; i++) {
		if (l->text[i] == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (l->text[i] == '[') - (l->text[i] == ']');
	}
	if (depth > 0)
		l->text[l->n++] = ']';
	l->is_first = false;
}

struct agent_line *agent_line_begin(struct agent_audit *a, const char *event, uint64_t now_at)
{
	struct agent_line *l = &a->line;

	l->audit = a;
	l->n = 0;
	l->is_cut = false;
	l->is_first = true;
	line_add(l, "{", 1);
	agent_line_text(l, "before", a->before, strlen(a->before));
	agent_line_number(l, "time", now_at);
	agent_line_text(l, "event", event, strlen(event));
	return l;
}

bool agent_line_end(struct agent_line *l, struct ward_error *err)
{
	struct agent_audit *a = l->audit;
	struct stat s;
	const char *end = l->is_cut ? ",\"cut\":1}" : "}";

	memcpy(l->text + l->n, end, strlen(end)); /* TAIL has room for it */
	l->n += strlen(end);
	l->text[l->n] = '\n';
	bool ok = fstat(a->fd, &s) == 0;
	if (ok && agent_store_put(a->fd, l->text, l->n + 1) && fdatasync(a->fd) == 0) {
		line_hash(l->text, l->n, a->before);
		return true;
	}
	cluster_refuse(err, a->path, "C-61", "it can't be written: %s", strerror(errno));
	if (ok && ftruncate(a->fd, s.st_size) != 0) { /* a half line stays, which the next open takes off */
		close(a->fd);
		a->fd = -1;
	}
	return false;
}

/* ---- check ---- */

struct check {
	char before[HASH];
	uint64_t lines;
};

static bool chain_check(void *user, const char *line, size_t n, bool has_end)
{
	static const char head[] = "{\"before\":\"";
	struct check *c = user;
	size_t n_head = sizeof(head) - 1, n_hash = strlen(c->before);

	if (!has_end || n < n_head + n_hash + 1 || memcmp(line, head, n_head) != 0 ||
		memcmp(line + n_head, c->before, n_hash) != 0 || line[n_head + n_hash] != '"')
		return false;
	line_hash(line, n, c->before);
	c->lines++;
	return true;
}

bool agent_audit_check(const char *path, uint64_t *lines, struct ward_error *err)
{
	struct check c = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && lines_walk(fd, chain_check, &c);

	if (fd >= 0)
		close(fd);
	*lines = c.lines;
	if (ok)
		return true;
	if (fd < 0)
		return cluster_refuse(err, path, NULL, "it can't be read: %s", strerror(errno));
	cluster_refuse(err, path, "C-61", "line %" PRIu64 " isn't the one that was written there", c.lines + 1);
	cluster_hint(err, "somebody has changed it; keep it for those who ask, and begin a new one");
	return false;
}
