/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The attachment that a forked child inherits from its parent.
 *
 * The child's memory is a copy, including jumps and stubs, with two exceptions: the gate's page is wiped, so the
 * child skips the probes; and the states and tallies are the parent's own, shared. So while the child is held at its
 * first instruction, the attachment can be made the child's own by giving it a state file in place of the parent's
 * (inject.c).
 *
 * The rows were copied as well. The row of the thread that forked continues, with what it keeps of open calls: they
 * return in the child, too. The other threads don't exist in the child, but new ones come with control blocks at the
 * same addresses and take their rows; no thread is inside a probe with these rows any more. Only the thread that
 * forked may itself be inside a probe, if a signal interrupted the probe and the handler forked. Then half of a run,
 * with the parent's numbers, would count in the child. Such a child is left alone.
 */
#include "attachment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All patches are assigned to one site, as in attachments that are found (recovery_record.c). */
static bool copy_patches(struct wl_sites *to, const struct wl_sites *from)
{
	to->patches = malloc((from->n_patches + 1) * sizeof(*to->patches));
	to->v = calloc(1, sizeof(*to->v));
	if (!to->patches || !to->v)
		return false;
	to->n = to->cap = 1;
	to->v->entry.v = calloc(1, sizeof(*to->v->entry.v));
	if (!to->v->entry.v)
		return false;
	to->v->entry.n = 1;
	for (size_t i = 0; i < from->n_patches; i++) {
		const struct wl_point *point = from->v[from->patches[i].site].point;
		struct wl_patch p = from->patches[i];

		if (!p.patched)
			continue;
		if (!p.is_cave && point)
			p.semaphore = point->raised ? point->semaphore : 0;
		p.site = 0;
		p.is_entry = true;
		to->patches[to->n_patches++] = p;
	}
	return true;
}

int wl_copy_attachment(struct wl_attachment *a, const struct wl_attachment *parent)
{
	a->areas = malloc((parent->n_areas + 1) * sizeof(*a->areas));
	a->ranges = malloc((parent->n_ranges + 1) * sizeof(*a->ranges));
	if (!a->areas || !a->ranges || !copy_patches(&a->sites, &parent->sites))
		return ENOMEM;
	memcpy(a->areas, parent->areas, parent->n_areas * sizeof(*a->areas));
	memcpy(a->ranges, parent->ranges, parent->n_ranges * sizeof(*a->ranges));
	a->n_areas = parent->n_areas;
	a->n_ranges = parent->n_ranges;
	a->slots = parent->slots;
	a->text_offset = parent->text_offset;
	a->rodata_offset = parent->rodata_offset;
	a->stubs_offset = parent->stubs_offset;
	a->code_size = parent->code_size;
	a->states_offset = parent->states_offset;
	a->data_offset = parent->data_offset;
	a->shared_size = parent->shared_size;
	a->stacks_offset = parent->stacks_offset;
	a->stack_top = parent->stack_top;
	a->tid = parent->tid;
	a->foreign = parent->foreign;
	a->imports = parent->imports;
	a->began = parent->began;
	a->code_fd = fcntl(parent->code_fd, F_DUPFD_CLOEXEC, 0);
	return a->code_fd < 0 ? ENOMEM : 0;
}

/* Free a row of another thread of the parent, so that any thread may claim it. */
static bool free_row(const struct wl_attachment *a, uint64_t at, struct wl_row *row)
{
	bool has_state = row->key && row->key != WL_TAKING;

	row->key = has_state ? row->owner : 0;
	row->owner = has_state ? row->owner : WL_GONE;
	return wl_process_write(&a->p, at, row, sizeof(*row));
}

/* Is its thread inside a probe, or about to get a state? Another thread may have been checking whether it has ended. */
static bool is_busy(const struct wl_row *row)
{
	return row->key && row->key != row->owner && !wl_is_mark(row->key);
}

enum { ROWS = WL_PAGE / WL_ROW_SIZE };

/*
 * Which pages of rows have ever been written? To read the others would make memory of them, page by page. `there` has
 * room for all.
 */
static void find_pages(const struct wl_attachment *a, bool *there)
{
	enum { ENTRIES = 512 };
	uint64_t entry[ENTRIES], pages = a->slots.table_size / WL_PAGE, n;
	const uint64_t IN_MEMORY = 1ull << 63, SWAPPED = 1ull << 62;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)a->p.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (uint64_t at = 0; at < pages; at += n) {
		n = pages - at < ENTRIES ? pages - at : ENTRIES;
		bool known = fd >= 0 && pread(fd, entry, n * sizeof(entry[0]),
						(off_t)((a->slots.table / WL_PAGE + at) * sizeof(entry[0]))) ==
						(ssize_t)(n * sizeof(entry[0]));

		for (uint64_t i = 0; i < n; i++)
			there[at + i] = !known || entry[i] & (IN_MEMORY | SWAPPED);
	}
	if (fd >= 0)
		close(fd);
}

/* Make the rows of one page its own. */
static int own_page(struct wl_attachment *a, uint64_t addr, uint64_t self)
{
	struct wl_row rows[ROWS];

	if (!wl_process_read(&a->p, addr, rows, sizeof(rows)))
		return ESRCH;
	for (uint32_t i = 0; i < ROWS; i++) {
		if (rows[i].key == rows[i].owner || rows[i].owner == WL_GONE || !rows[i].owner)
			continue;
		if (rows[i].owner == self && is_busy(&rows[i]))
			return EBUSY;
		if (!free_row(a, addr + (uint64_t)i * WL_ROW_SIZE, &rows[i]))
			return ESRCH;
	}
	return 0;
}

int wl_own_rows(struct wl_attachment *a, pid_t tid)
{
	size_t pages = a->slots.table_size / WL_PAGE;
	bool *there = calloc(pages, sizeof(*there));
	struct user_regs_struct regs;
	uint64_t self = 0;
	int rc = 0;

	if (!there || !wl_get_regs(tid, &regs))
		rc = ESRCH;
	else if (a->slots.by_base || a->slots.foreign)
		self = regs.fs_base;
	else if (regs.fs_base && !wl_process_read(&a->p, regs.fs_base, &self, sizeof(self)))
		rc = ESRCH;
	if (rc == 0)
		find_pages(a, there);
	for (size_t i = 0; rc == 0 && i < pages; i++)
		if (there[i])
			rc = own_page(a, a->slots.table + i * WL_PAGE, self);
	free(there);
	return rc;
}
