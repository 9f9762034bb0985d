/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names and addresses of the kernel's functions, from /proc/kallsyms. Several static functions may have the same
 * name. The file comes from the running kernel, but may show zeros as addresses, or not exist.
 */
#include "symbols.h"

#include "loader/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

char *wl_read_bytes(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0, room = 0;
	char *text = NULL;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		if (room - n < CHUNK) {
			char *more = realloc(text, room + 4 * CHUNK);

			if (!more) {
				errno = ENOMEM;
				got = -1;
				break;
			}
			text = more;
			room += 4 * CHUNK;
		}
		got = read(fd, text + n, room - n - 1);
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[n] = 0;
	*size = n;
	return text;
}

char *wl_read_file(const char *path)
{
	size_t size;

	return wl_read_bytes(path, &size);
}

void wl_ksym_split(char *rest, const char **name, const char **module)
{
	size_t n = strcspn(rest, " \t");
	char *open = strchr(rest + n, '[');

	*module = "";
	if (open) {
		*module = open + 1;
		open[strcspn(open, "]")] = 0;
	}
	rest[n] = 0;
	*name = rest;
}

static bool is_function(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

bool wl_ksyms_add(struct wl_ksyms *k, size_t *room, struct wl_ksym sym)
{
	if (k->n == *room) {
		size_t more = *room ? *room * 2 : 64;
		struct wl_ksym *v = reallocarray(k->v, more, sizeof(*v));

		if (!v)
			return false;
		k->v = v;
		*room = more;
	}
	k->v[k->n++] = sym;
	return true;
}

char *wl_next_line(char **at)
{
	char *line = *at;
	size_t n = strcspn(line, "\n");

	if (!*line)
		return NULL;
	*at = line + n + (line[n] == '\n');
	line[n] = 0;
	return line;
}

/* Where parts of the kernel's code begin and end, as its linker script says by symbols. */
static void note_part(struct wl_ksyms *k, const struct wl_ksym *sym)
{
	static const struct {
		const char *start, *end;
	} parts[WL_KPARTS] = {
		[WL_KPART_INIT] = {"_sinittext", "_einittext"},
		[WL_KPART_NOINSTR] = {"__noinstr_text_start", "__noinstr_text_end"},
		[WL_KPART_ENTRY] = {"__entry_text_start", "__entry_text_end"},
		[WL_KPART_TEXT] = {"_stext", "_etext"},
	};

	for (size_t i = 0; i < WL_KPARTS; i++) {
		if (strcmp(sym->name, parts[i].start) == 0)
			k->part[i].start = sym->addr;
		else if (strcmp(sym->name, parts[i].end) == 0)
			k->part[i].end = sym->addr;
	}
}

/*
 * Lines are "ffffffff81000000 T name\t[module]". Of all functions, or those of one name. *hidden: all addresses are
 * zero.
 */
static bool parse_kallsyms(struct wl_ksyms *k, const char *only, bool *hidden)
{
	char *at = k->text, *line, *end;
	size_t room = 0;

	*hidden = true;
	while ((line = wl_next_line(&at))) {
		struct wl_ksym sym = {.addr = strtoull(line, &end, 16)};

		if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
			continue;
		*hidden &= sym.addr == 0;
		if (!is_function(end[1]))
			continue;
		wl_ksym_split(end + 3, &sym.name, &sym.module);
		if (!*sym.module && *sym.name == '_')
			note_part(k, &sym);
		if (sym.addr && *sym.name && (!only || strcmp(only, sym.name) == 0) && !wl_ksyms_add(k, &room, sym))
			return false;
	}
	return true;
}

int wl_ksyms_by_address(const void *a, const void *b)
{
	const struct wl_ksym *x = a, *y = b;

	return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr) : strcmp(x->name, y->name);
}

static void keep_matching(struct wl_ksyms *k, const char *glob)
{
	size_t n = 0;

	for (size_t i = 0; i < k->n; i++)
		if (fnmatch(glob, k->v[i].name, 0) == 0)
			k->v[n++] = k->v[i];
	k->n = n;
}

size_t wl_ksyms_upto(const struct wl_ksyms *k, uint64_t addr)
{
	size_t lo = 0, n = k->n;

	while (n > 0) {
		size_t half = n / 2;

		if (k->v[lo + half].addr <= addr) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

bool wl_ksyms_in(const struct wl_ksyms *k, enum wl_kpart part, uint64_t addr)
{
	return addr >= k->part[part].start && addr < k->part[part].end;
}

bool wl_is_glob(const char *name)
{
	return strpbrk(name, "*?[\\") != NULL;
}

int wl_ksyms_parse(char *text, const char *only, struct wl_ksyms *out, struct ward_error *err)
{
	bool hidden = false;

	*out = (struct wl_ksyms){.text = text};
	if (!parse_kallsyms(out, only, &hidden)) {
		wl_ksyms_free(out);
		return wl_no_memory(err);
	}
	if (hidden) {
		wl_ksyms_free(out);
		wl_fail(err, WARD_E_TARGET, "kernel", "it doesn't show the addresses of its functions");
		wl_hint(err, "run as root; /proc/sys/kernel/kptr_restrict must not be 2");
		return WARD_E_TARGET;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), wl_ksyms_by_address);
	return 0;
}

int wl_ksyms_all(const char *only, struct wl_ksyms *out, struct ward_error *err)
{
	char *text = wl_read_file("/proc/kallsyms");

	*out = (struct wl_ksyms){0};
	if (text)
		return wl_ksyms_parse(text, only, out, err);
	return errno == ENOMEM ? wl_no_memory(err)
			       : wl_fail(err, WARD_E_TARGET, "/proc/kallsyms", "%s", strerror(errno));
}

int wl_ksyms_read(const char *glob, bool check, struct wl_ksyms *out, struct ward_error *err)
{
	int rc = wl_ksyms_all(check ? NULL : glob, out, err);

	if (rc == 0 && !wl_ksyms_check(out, check)) {
		wl_ksyms_free(out);
		return wl_no_memory(err);
	}
	if (rc == 0)
		keep_matching(out, glob);
	return rc;
}

void wl_ksyms_free(struct wl_ksyms *k)
{
	free(k->v);
	free(k->text);
	free(k->modules);
	*k = (struct wl_ksyms){0};
}
