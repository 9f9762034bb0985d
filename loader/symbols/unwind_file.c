/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a file's call frame information is.
 *
 * .eh_frame is loaded with the code, and compilers of C, C++ and Rust write it for all code. .debug_frame is debug
 * information: of Go's code there is no other, and musl is built without .eh_frame. It may be compressed, and in a
 * separate file. A program that is linked of several languages may have both, each for its own functions.
 *
 * The code to which a signal's handler returns is described by glibc alone. Go's and musl's is known by its
 * instructions, as debuggers and unwinders know it.
 */
#include "unwind_file.h"

#include "debug_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { DEFLATE_MOST = 1032 }; /* no byte of zlib's becomes more than so many */

uint64_t wl_unwind_base(const struct wl_elf *elf)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < elf->n_segments; i++)
		if (elf->segments[i].p_type == PT_LOAD && elf->segments[i].p_vaddr < low)
			low = elf->segments[i].p_vaddr;
	return low & ~(uint64_t)4095;
}

/* What a compressed section was, malloc'd. NULL if it isn't whole, or packed by something else than zlib. */
static uint8_t *unpack(const uint8_t *p, uint64_t n, uint64_t *size)
{
	Elf64_Chdr head;
	uint8_t *out;
	uLongf got;

	if (n < sizeof(head))
		return NULL;
	memcpy(&head, p, sizeof(head));
	n -= sizeof(head);
	if (head.ch_type != ELFCOMPRESS_ZLIB || head.ch_size / DEFLATE_MOST > n)
		return NULL;
	got = *size = head.ch_size;
	out = malloc(got + 1);
	if (out && (uncompress(out, &got, p + sizeof(head), n) != Z_OK || got != head.ch_size)) {
		free(out);
		return NULL;
	}
	return out;
}

static bool section_rows(const struct wl_elf *elf, const char *name, uint64_t base, struct wl_unwind_rows *rows)
{
	const Elf64_Shdr *sh = wl_elf_section_named(elf, name);
	struct wl_unwind_section section = {0};
	uint64_t size;
	uint8_t *p;
	bool found;

	*rows = (struct wl_unwind_rows){0};
	if (!sh || sh->sh_type == SHT_NOBITS)
		return false;
	size = sh->sh_size;
	p = wl_elf_read(elf, sh->sh_offset, size);
	if (p && sh->sh_flags & SHF_COMPRESSED) {
		uint8_t *packed = p;

		p = unpack(packed, size, &size);
		free(packed);
	}
	section = (struct wl_unwind_section){p, size, sh->sh_addr, strcmp(name, ".debug_frame") == 0};
	found = p && wl_unwind_read(&section, base, rows) == 0 && rows->n;
	free(p);
	return found;
}

/* .debug_frame of the file, or of its separate one. */
static bool debug_rows(
	pid_t pid, const char *path, const struct wl_elf *elf, uint64_t base, struct wl_unwind_rows *rows)
{
	struct wl_elf debug;
	bool found;

	if (section_rows(elf, ".debug_frame", base, rows))
		return true;
	if (!wl_debug_file_open(pid, path, elf, &debug))
		return false;
	found = section_rows(&debug, ".debug_frame", base, rows);
	close(debug.fd);
	wl_elf_close(&debug);
	return found;
}

/* ---- signals ---- */

/* mov $15 (rt_sigreturn), %rax; syscall */
static const uint8_t sigreturn[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

static bool row_put(struct wl_unwind_rows *rows, uint64_t at, uint32_t rule)
{
	struct wl_unwind_row *v = reallocarray(rows->v, rows->n + 1, sizeof(*v));

	if (!v)
		return false;
	rows->v = v;
	v[rows->n++] = (struct wl_unwind_row){(uint32_t)at, rule};
	return true;
}

/* Where a handler returns to: also the byte before, as that is looked up for a return address. */
static bool signal_put(struct wl_unwind_rows *rows, uint64_t at)
{
	if (at == 0 || at + sizeof(sigreturn) > UINT32_MAX || (rows->n && rows->v[rows->n - 1].at >= at - 1))
		return true;
	return row_put(rows, at - 1, WL_UNWIND_SIGNAL) && row_put(rows, at + sizeof(sigreturn), WL_UNWIND_NONE);
}

/* Rows of all those in a part of the file, which lies `at` bytes above the base. False: no memory. */
static bool find_signals(const struct wl_elf *elf, const Elf64_Phdr *ph, uint64_t at, struct wl_unwind_rows *rows)
{
	enum { CHUNK = 1 << 20, OVERLAP = sizeof(sigreturn) - 1 };
	uint8_t *p = malloc(CHUNK);
	ssize_t n = 0;
	bool ok = p;

	for (uint64_t done = 0; ok && done < ph->p_filesz; done += (uint64_t)n - OVERLAP) {
		uint64_t left = ph->p_filesz - done;
		const uint8_t *from = p;

		n = pread(elf->fd, p, left < CHUNK ? left : CHUNK, (off_t)(ph->p_offset + done));
		if (n <= OVERLAP)
			break;
		while (ok && (from = memmem(from, (size_t)(p + n - from), sigreturn, sizeof(sigreturn))) != NULL) {
			ok = signal_put(rows, at + done + (uint64_t)(from - p));
			from += sizeof(sigreturn);
		}
	}
	free(p);
	return ok;
}

static bool signal_rows(const struct wl_elf *elf, uint64_t base, struct wl_unwind_rows *rows)
{
	bool ok = true;

	*rows = (struct wl_unwind_rows){0};
	for (size_t i = 0; i < elf->n_segments && ok; i++)
		if (elf->segments[i].p_type == PT_LOAD && elf->segments[i].p_flags & PF_X)
			ok = find_signals(elf, &elf->segments[i], elf->segments[i].p_vaddr - base, rows);
	return ok;
}

/* ---- all ---- */

/* Put `more` into *rows, before or behind what it has. */
static bool add_rows(struct wl_unwind_rows *rows, struct wl_unwind_rows *more, bool before)
{
	struct wl_unwind_rows both;
	bool ok = wl_unwind_merge(before ? more : rows, before ? rows : more, &both) == 0;

	wl_unwind_free(rows);
	wl_unwind_free(more);
	*rows = both;
	return ok;
}

bool wl_unwind_file(pid_t pid, const char *path, const struct wl_elf *elf, struct wl_unwind_rows *rows)
{
	uint64_t base = wl_unwind_base(elf);
	struct wl_unwind_rows debug, signals;
	bool ok;

	section_rows(elf, ".eh_frame", base, rows);
	debug_rows(pid, path, elf, base, &debug);
	ok = add_rows(rows, &debug, false);
	return signal_rows(elf, base, &signals) && add_rows(rows, &signals, true) && ok && rows->n;
}
