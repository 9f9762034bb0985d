/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compilers that work while a program runs (V8, the JVM's agents, .NET) list what they have made in /tmp/perf-PID.map,
 * for profilers: a line "START SIZE NAME" each, in hexadecimal, PID as the process numbers itself.
 *
 * The list is hostile input. It must be a regular file and no symbolic link, of the process's user or of root, in the
 * process's own view of the file system, whose links don't lead out of it. Lines that aren't of that form are skipped,
 * and so is what is beyond the limits. A lie makes a wrong name, nothing worse. The file stays open, and what has been
 * added to it is read when a name is asked for; but a list that always grows takes no more than a tenth of our time.
 * Where several lines have an address, the last one counts: the code before it is gone.
 */
#include "jit_map.h"

#include "loader/process/maps.h"
#include "loader/process/ptrace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SIZE_MOST = 64 << 20, /* bytes of a list that are read */
	NAME_MOST = 1 << 12,
	PIECES_MOST = 1 << 20, /* lines */
	CODE_MOST = 1 << 30,   /* bytes of one piece of code */
	LOOK_BACK = 256,       /* pieces before an address that are looked at: newer ones may lie within older ones */
	REST = 10,             /* times as long as the last reading took: until the next one */
};

struct piece {
	uint64_t start, size;
	uint64_t name; /* in the text */
	uint32_t length;
	uint32_t order;
};

struct wl_jit {
	int fd;
	char *text; /* as far as it was read */
	size_t n_text;
	struct piece *v; /* by start, then order */
	size_t n, cap;
	uint64_t next; /* when it may be read again */
};

/* ---- The file ---- */

/* The last number of a line of /proc/PID/status, or the second of its columns. */
static bool status_number(const char *status, const char *name, bool last, unsigned long *number)
{
	const char *line = strstr(status, name), *end;
	char *at;

	if (!line)
		return false;
	line += strlen(name);
	end = line + strcspn(line, "\n");
	*number = strtoul(line, &at, 10);
	for (unsigned i = 0; at < end && (last || i == 0); i++) {
		line = at;
		*number = strtoul(line, &at, 10);
		if (at == line)
			break;
	}
	return true;
}

static int open_within(pid_t pid, const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
	char root[64];
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

int wl_jit_open(pid_t pid, struct stat *st)
{
	unsigned long own = 0, user = 0;
	char path[64], *status;
	bool known;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)wl_shown_at(pid));
	status = wl_read_proc(path, NULL);
	known = status && status_number(status, "\nNSpid:", true, &own) &&
		status_number(status, "\nUid:", false, &user);
	free(status);
	if (!known)
		return -1;
	snprintf(path, sizeof(path), "tmp/perf-%lu.map", own);
	fd = open_within(wl_shown_at(pid), path);
	if (fd < 0)
		return -1;
	if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && (st->st_uid == 0 || st->st_uid == user))
		return fd;
	close(fd);
	return -1;
}

struct wl_jit *wl_jit_new(int fd)
{
	struct wl_jit *jit = calloc(1, sizeof(*jit));

	if (jit)
		jit->fd = fd;
	else
		close(fd);
	return jit;
}

void wl_jit_free(struct wl_jit *jit)
{
	if (!jit)
		return;
	close(jit->fd);
	free(jit->text);
	free(jit->v);
	free(jit);
}

/* ---- Its lines ---- */

static bool read_hex(const char **at, const char *end, uint64_t *value)
{
	unsigned digits = 0;

	*value = 0;
	if (end - *at > 2 && (*at)[0] == '0' && (*at)[1] == 'x')
		*at += 2;
	for (; *at < end && digits <= 16; ++*at, digits++) {
		char c = **at;
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
							: 16;

		if (digit == 16)
			break;
		*value = *value << 4 | digit;
	}
	if (digits == 0 || digits > 16 || *at == end || **at != ' ')
		return false;
	++*at;
	return true;
}

static bool add_line(struct wl_jit *jit, const char *line, const char *end)
{
	struct piece p = {.order = (uint32_t)jit->n};

	if (jit->n == PIECES_MOST)
		return false;
	if (!read_hex(&line, end, &p.start) || !read_hex(&line, end, &p.size) || line == end)
		return true;
	if (!p.size || p.size > CODE_MOST || p.start > UINT64_MAX - p.size)
		return true;
	p.name = (uint64_t)(line - jit->text);
	p.length = (uint32_t)(end - line < NAME_MOST ? end - line : NAME_MOST);
	if (jit->n == jit->cap) {
		size_t cap = jit->cap ? jit->cap * 2 : 1024;
		struct piece *v = reallocarray(jit->v, cap, sizeof(*v));

		if (!v)
			return false;
		jit->v = v;
		jit->cap = cap;
	}
	jit->v[jit->n++] = p;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static char *read_text(int fd, size_t want, size_t *n)
{
	char *text = malloc(want + 1);

	*n = 0;
	while (text && *n < want) {
		ssize_t got = pread(fd, text + *n, want - *n, (off_t)*n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	return text;
}

/* Read the whole list again, if it isn't as long as it was. Its last line may be written just now. */
static void read_again(struct wl_jit *jit)
{
	uint64_t begun = wl_now_ns();
	struct stat st;
	size_t want, n;
	char *text;

	if (begun < jit->next || fstat(jit->fd, &st) < 0 || st.st_size < 0)
		return;
	want = st.st_size < SIZE_MOST ? (size_t)st.st_size : SIZE_MOST;
	text = want == jit->n_text ? NULL : read_text(jit->fd, want, &n);
	if (!text)
		return;
	free(jit->text);
	jit->text = text;
	jit->n_text = n;
	jit->n = 0;
	for (char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + n - line))); line = end + 1)
		if (!add_line(jit, line, end))
			break;
	if (jit->n)
		qsort(jit->v, jit->n, sizeof(*jit->v), by_start);
	jit->next = wl_now_ns() + REST * (wl_now_ns() - begun);
}

static const struct piece *find_piece(const struct wl_jit *jit, uint64_t address)
{
	const struct piece *best = NULL;
	size_t lo = 0, hi = jit->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (jit->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (size_t i = lo; i > 0 && lo - i < LOOK_BACK; i--) {
		const struct piece *p = &jit->v[i - 1];

		if (address - p->start < p->size && (!best || p->order > best->order))
			best = p;
	}
	return best;
}

bool wl_jit_name(struct wl_jit *jit, uint64_t address, char *text, size_t size)
{
	const struct piece *p;
	char behind[24] = "";
	size_t room, n;

	read_again(jit);
	p = find_piece(jit, address);
	if (!p || size < sizeof("jit!...") + sizeof(behind))
		return false;
	if (address != p->start)
		snprintf(behind, sizeof(behind), "+%#" PRIx64, address - p->start);
	room = size - sizeof("jit!...") - strlen(behind);
	n = p->length < room ? p->length : room;
	snprintf(text, size, "jit!%.*s%s%s", (int)n, jit->text + p->name, n < p->length ? "..." : "", behind);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return true;
}
