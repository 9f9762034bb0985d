/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the separate file with the symbols of a stripped one. */
#include "debug_file.h"
#include "loader/process/maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct build_id {
	uint8_t v[WL_BUILD_ID_MOST];
	size_t n; /* 0: none */
};

static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int wl_open_in(pid_t pid, const char *path)
{
	char *all;
	int fd;

	if (asprintf(&all, "/proc/%d/root%s", (int)wl_shown_at(pid), path) < 0)
		return -1;
	fd = open_regular(all);
	free(all);
	return fd;
}

/* The note of owner "GNU" and type 3. */
static struct build_id read_build_id(const struct wl_elf *elf)
{
	const Elf64_Shdr *sh = wl_elf_section_named(elf, ".note.gnu.build-id");
	struct build_id id = {.n = 0};
	uint8_t *p = sh && sh->sh_size < 4096 ? wl_elf_read(elf, sh->sh_offset, sh->sh_size) : NULL;
	Elf64_Nhdr h;

	if (p && sh->sh_size > sizeof(h) + 4) {
		memcpy(&h, p, sizeof(h));
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(p + sizeof(h), "GNU", 4) == 0 &&
			h.n_descsz >= 2 && h.n_descsz <= WL_BUILD_ID_MOST &&
			h.n_descsz <= sh->sh_size - sizeof(h) - 4) {
			memcpy(id.v, p + sizeof(h) + 4, h.n_descsz);
			id.n = h.n_descsz;
		}
	}
	free(p);
	return id;
}

bool wl_build_id_text(const struct wl_elf *elf, char text[WL_BUILD_ID_TEXT])
{
	struct build_id id = read_build_id(elf);

	for (size_t i = 0; i < id.n; i++)
		snprintf(text + 2 * i, 3, "%02x", id.v[i]);
	return id.n != 0;
}

/* Is it the one? Consumes the descriptor if not. */
static bool file_accept(int fd, const struct build_id *id, struct wl_elf *debug)
{
	struct build_id its;

	if (fd < 0)
		return false;
	if (wl_elf_open(debug, fd)) {
		its = read_build_id(debug);
		if (its.n == id->n && memcmp(its.v, id->v, id->n) == 0 && wl_elf_section(debug, SHT_SYMTAB))
			return true;
		wl_elf_close(debug);
	}
	close(fd);
	return false;
}

static bool by_build_id(pid_t pid, const struct build_id *id, struct wl_elf *debug)
{
	char path[64 + 2 * WL_BUILD_ID_MOST];
	size_t n = (size_t)snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id->v[0]);

	for (size_t i = 1; i < id->n; i++)
		n += (size_t)snprintf(path + n, sizeof(path) - n, "%02x", id->v[i]);
	snprintf(path + n, sizeof(path) - n, ".debug");
	return file_accept(wl_open_in(pid, path), id, debug) || file_accept(open_regular(path), id, debug);
}

/* Beside the file, in .debug beside it, or below /usr/lib/debug. */
static bool by_link(
	pid_t pid, const char *path, const struct wl_elf *elf, const struct build_id *id, struct wl_elf *debug)
{
	static const char *const places[][2] = {{"", ""}, {"", ".debug/"}, {"/usr/lib/debug", ""}};
	const Elf64_Shdr *sh = wl_elf_section_named(elf, ".gnu_debuglink");
	char *name = sh && sh->sh_size > 1 && sh->sh_size < 4096 ? wl_elf_read(elf, sh->sh_offset, sh->sh_size) : NULL;
	const char *slash = strrchr(path, '/');
	bool found = false;

	if (name && slash && memchr(name, 0, sh->sh_size) && *name && !strchr(name, '/'))
		for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !found; i++) {
			char *at;

			if (asprintf(&at, "%s%.*s%s%s", places[i][0], (int)(slash + 1 - path), path, places[i][1],
				    name) < 0)
				break;
			found = file_accept(wl_open_in(pid, at), id, debug) ||
				file_accept(open_regular(at), id, debug); /* the process may be gone */
			free(at);
		}
	free(name);
	return found;
}

bool wl_debug_file_open(pid_t pid, const char *path, const struct wl_elf *elf, struct wl_elf *debug)
{
	struct build_id id = read_build_id(elf);

	return id.n && (by_build_id(pid, &id, debug) || by_link(pid, path, elf, &id, debug));
}
