/* SPDX-License-Identifier: Apache-2.0 */
/* What was inlined where: asked for in a confined process (inline_dwarf.c), many addresses at once. */
#include "inline_frames.h"

#include "verifier/sandbox/sandbox.h"
#include "debug_file.h"
#include "inline_dwarf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CPU_TIME = 10000000 /* microseconds */, MEMORY_ROOM = 1 << 30, ANSWER_MOST = 256 << 20 };

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int file_ask(struct wl_inline_frames *f, const struct wl_elf *elf, const uint64_t *addresses, size_t n)
{
	struct wl_inline_question q = {.size = elf->size, .address = addresses, .n = n};
	struct sandbox sandbox = {wl_inline_answer, &q, CPU_TIME, MEMORY_ROOM, ANSWER_MOST};
	bool whole = false;
	uint8_t *bytes = NULL;
	long got;
	int rc;

	/* Nobody reads it but the child, whom it may cost its life if the file is truncated. */
	q.image = mmap(NULL, q.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, elf->fd, 0);
	if (q.image == MAP_FAILED) {
		f->none = true;
		return 0;
	}
	got = sandbox_run(&sandbox, &bytes);
	rc = got < 0 && errno == ENOMEM ? ENOMEM : 0;
	munmap(q.image, q.size);
	if (rc == 0 && got > 0)
		rc = wl_inline_frames_take(f, addresses, n, bytes, (size_t)got, &whole);
	free(bytes);
	f->none |= !whole; /* it took too long, and would again */
	return rc;
}

/* In the file, or in that with its debug information. */
static int module_ask(struct wl_inline_frames *f, const struct wl_module *m, const uint64_t *addresses, size_t n)
{
	struct wl_elf debug;
	int rc = 0;

	if (wl_elf_section_named(&m->elf, ".debug_info"))
		return file_ask(f, &m->elf, addresses, n);
	if (!wl_debug_file_open(m->pid, m->first->path, &m->elf, &debug)) {
		f->none = true;
		return 0;
	}
	if (wl_elf_section_named(&debug, ".debug_info"))
		rc = file_ask(f, &debug, addresses, n);
	else
		f->none = true;
	close(debug.fd);
	wl_elf_close(&debug);
	return rc;
}

/* Put the addresses in order and leave those that are known out. Returns how many are left. */
static size_t sift(const struct wl_inline_frames *f, uint64_t *addresses, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(addresses, n, sizeof(*addresses), by_number);
	for (size_t i = 0; i < n; i++)
		if ((kept == 0 || addresses[i] != addresses[kept - 1]) && !wl_inline_frames_at(f, addresses[i]))
			addresses[kept++] = addresses[i];
	return kept;
}

int wl_inline_frames_add(struct wl_inline_frames *f, const struct wl_module *m, uint64_t *addresses, size_t n)
{
	struct wl_inline_place *v;
	int rc = 0;

	if (f->none)
		return 0;
	n = sift(f, addresses, n);
	if (n == 0)
		return 0;
	v = reallocarray(f->place, f->n + n, sizeof(*v));
	if (!v)
		return ENOMEM;
	f->place = v;
	for (size_t i = 0; i < n; i++)
		v[f->n++] = (struct wl_inline_place){addresses[i], 0, 0};
	qsort(v, f->n, sizeof(*v), by_number); /* by the first member */
	for (size_t i = 0; rc == 0 && !f->none && i < n; i += WL_INLINE_ADDRESSES)
		rc = module_ask(f, m, addresses + i, n - i < WL_INLINE_ADDRESSES ? n - i : WL_INLINE_ADDRESSES);
	return rc;
}
