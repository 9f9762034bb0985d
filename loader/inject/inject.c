/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in the target.
 *
 * The target itself makes two memory files (memfd_create, by remote system call). pidfd_getfd gives them to the
 * tracer, also across containers. One file holds the tallies, the states and the module's data. Both sides map it
 * shared, and it is sealed against changes of size, so that the target can't take memory away from the reader. The
 * other file holds code: the image's text and rodata, and the stubs. It is written through the file, never through a
 * mapping, and then sealed against writing for good; the target maps it private. Its first part is the record
 * (recovery_record.c).
 *
 * Text, rodata and data have the same distances as in the module. Sites may be further apart than a jump reaches, as
 * those of a program and its libraries are. So each group of sites has an area of its own, with another mapping of
 * the same image, whose data is shared. A jump whose last byte is fixed (exits.c) has an area in the 16 MiB where it
 * can lead.
 */
#include "attachment.h"

#include "loader/base/error.h"
#include "loader/process/go.h"
#include "loader/stub/forbidden_calls.h"
#include "loader/stub/imports.h"
#include "permitted.h"
#include "recovery_record.h"
#include "unwind_tables.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	STUB_MAX = 1024, /* bytes of an entry's stub with one probe, generously */
	EXIT_MAX = 640,  /* of an event at an exit */
	STUB_PER_PROBE = 96,
	ROUTINES_MAX = 1024, /* what reads tracepoints' arguments */
	POINT_MAX = 1024,    /* that a tracepoint's stub has more */
	PLACE_TRIES = 8,
	NOREPLACE = 0x100000, /* MAP_FIXED_NOREPLACE */
};

static const uint64_t REACH = 0x7fff0000;      /* of a 32-bit displacement, less some room for the code itself */
static const uint64_t GROUP = 0x40000000;      /* patches of one area are at most so far apart */
static const uint64_t WINDOW = 1 << 24;        /* where jumps lead whose last byte is given */
static const uint64_t KEEPING_GROUP = 1 << 22; /* such patches of one area, and the stubs of one */
static const uint64_t LOW_END = 0x7fff0000;
static const uint64_t SMALL = 0x40000000; /* most numbers that a program has are below */

/* The bytes that the image spans, from its address 0. */
static uint64_t image_span(const struct ward_module_facts *f)
{
	uint64_t span = f->text.addr + f->text.memsz;

	if (f->rodata.memsz && f->rodata.addr + f->rodata.memsz > span)
		span = f->rodata.addr + f->rodata.memsz;
	if (f->data.memsz && f->data.addr + f->data.memsz > span)
		span = f->data.addr + f->data.memsz;
	return wl_pages(span);
}

/* Is there room for the patch, which is above those that it has? */
static bool has_room(const struct wl_area *area, const struct wl_patch *p)
{
	if (area->keeps != p->d.keeps)
		return false;
	if (!area->keeps)
		return p->d.addr - area->lo <= GROUP;
	return area->fifth == p->d.bytes[WL_JUMP_SIZE - 1] && p->d.addr - area->lo <= KEEPING_GROUP &&
	       area->stubs_size <= KEEPING_GROUP;
}

/* The last one that has room, or NULL. */
static struct wl_area *area_for(struct wl_attachment *a, const struct wl_patch *p)
{
	for (size_t i = a->n_areas; i-- > 0;)
		if (has_room(&a->areas[i], p))
			return &a->areas[i];
	return NULL;
}

/* The most that a patch's stub may take. */
static uint64_t stub_room(const struct wl_site *s, const struct wl_patch *p)
{
	uint64_t room = 0;

	if (p->is_entry)
		room += STUB_MAX + STUB_PER_PROBE * s->entry.n + (s->point ? POINT_MAX : 0) + (s->hook ? STUB_MAX : 0) +
			(s->watched ? WL_WATCH_MAX : 0) + (s->thrown.n ? STUB_MAX + STUB_PER_PROBE * s->thrown.n : 0);
	if (!p->is_cave) /* two events, if there are probes that want what was at the entry, and others */
		room += (uint64_t)__builtin_popcount(p->d.exits) *
			((s->pairs ? 2 : 1) * EXIT_MAX + STUB_PER_PROBE * s->exit.n);
	return room;
}

/* Group the places to be patched. *n is how many there are. */
static int plan_areas(struct wl_attachment *a, const struct ward_module_facts *facts, size_t *n)
{
	for (size_t i = 0; i < a->sites.n_patches; i++) {
		struct wl_patch *p = &a->sites.patches[i];
		struct wl_area *area;

		if (!wl_patch_wanted(&a->sites, p))
			continue;
		++*n;
		area = area_for(a, p);
		if (!area) {
			struct wl_area *v = realloc(a->areas, (a->n_areas + 1) * sizeof(*v));
			if (!v)
				return ENOMEM;
			a->areas = v;
			area = &v[a->n_areas++];
			*area = (struct wl_area){.lo = p->d.addr,
				.keeps = p->d.keeps,
				.fifth = p->d.bytes[WL_JUMP_SIZE - 1],
				.stubs_size = ROUTINES_MAX + wl_dispatcher_size() + wl_calls_size()};
			/*
			 * slots hold whole addresses, so one copy does for all areas: that in the first one that can be
			 * mapped
			 */
			if (facts->n_imports)
				area->stubs_size += wl_imports_size() + 16;
		}
		area->hi = p->d.addr;
		area->stubs_size += stub_room(&a->sites.v[p->site], p);
		p->area = (unsigned)(area - a->areas);
	}
	return 0;
}

/* What lies where in the code file. */
static void plan_code(struct wl_attachment *a, const struct ward_module_facts *facts, size_t n_patches)
{
	a->text_offset = wl_record_size(a->n_areas, n_patches);
	a->rodata_offset = a->text_offset + wl_pages(facts->text.memsz);
	a->stubs_offset = a->rodata_offset + wl_pages(facts->rodata.memsz);
	a->code_size = a->stubs_offset;
	for (size_t i = 0; i < a->n_areas; i++) {
		struct wl_area *area = &a->areas[i];

		area->stubs_size = wl_pages(area->stubs_size);
		area->size = image_span(facts) + area->stubs_size;
		area->file_offset = a->code_size;
		a->code_size += area->stubs_size;
	}
}

static bool takes_stacks(const struct ward_module_facts *facts)
{
	for (size_t i = 0; i < facts->n_imports; i++)
		if (facts->imports[i].import == WARD_IMPORT_STACK)
			return true;
	return false;
}

static int sites_plan(struct wl_attachment *a, const struct ward_module_facts *facts, uint32_t max_threads)
{
	struct timespec now = {0};
	size_t n_patches = 0;

	clock_gettime(CLOCK_MONOTONIC, &now);
	a->began = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	wl_slots_plan(&a->slots, max_threads, facts->state_size);
	a->slots.by_base = a->sites.go && wl_can_read_base();
	for (size_t i = 0; i < a->sites.n && !a->slots.cells_size; i++)
		if (a->sites.v[i].pairs && wl_can(&a->sites.v[i].exit))
			a->slots.cells_size = wl_cells_size(a->slots.max_threads);
	if (!a->slots.cells_size) /* nothing is kept of calls, so their fate doesn't matter */
		for (size_t i = 0; i < a->sites.n; i++)
			a->sites.v[i].hook = 0;
	a->slots.foreign = a->foreign && !a->slots.by_base;
	a->slots.no_block = a->slots.foreign && a->foreign != WL_SHARED_BASES;
	a->states_offset = a->slots.table_size;
	a->data_offset = a->states_offset + a->slots.states_size;
	a->shared_size = a->data_offset + wl_pages(facts->data.memsz);
	if (takes_stacks(facts)) {
		a->stacks_offset = a->shared_size;
		a->shared_size += WL_STACKS_SIZE;
	}
	if (plan_areas(a, facts, &n_patches))
		return ENOMEM;
	plan_code(a, facts, n_patches);
	a->ranges = calloc(a->n_areas + WL_RANGES_FIXED, sizeof(*a->ranges));
	return a->ranges ? 0 : ENOMEM;
}

/* A remote system call that must succeed. */
static int remote_call(struct wl_remote *r, int64_t *result, const char *name, long nr, uint64_t a, uint64_t b,
	uint64_t c, uint64_t d, uint64_t e, uint64_t f, struct ward_error *err)
{
	char what[64];

	if (!wl_remote_call(r, result, nr, a, b, c, d, e, f))
		return wl_process_lost(r->p, err);
	if (*result >= 0 || *result < -4095)
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)r->p->pid);
	wl_fail(err, WARD_E_TARGET, what, "%s failed there: %s", name, strerror((int)-*result));
	wl_hint(err, "a limit of the process (ulimit -v, -n, -l), a memory cgroup or a seccomp filter may forbid it");
	return WARD_E_TARGET;
}

/* Map memory in the target, where the kernel chooses (addr 0) or exactly at addr. */
static int remote_mmap(struct wl_remote *r, uint64_t *addr, uint64_t size, int prot, int flags, int64_t fd,
	uint64_t offset, struct ward_error *err)
{
	int64_t got = 0;
	int rc = remote_call(
		r, &got, "mmap", SYS_mmap, *addr, size, (uint64_t)prot, (uint64_t)flags, (uint64_t)fd, offset, err);

	if (rc == 0)
		*addr = (uint64_t)got;
	return rc;
}

/* For this tracer, and for a later cleanup. */
static void mapping_remember(struct wl_attachment *a, uint64_t addr, uint64_t size, bool code)
{
	a->ranges[a->n_ranges++] = (struct wl_range){addr, size, code};
	wl_record_ranges(a);
}

/*
 * Code near a program at low addresses (not position-independent) isn't put among small numbers if that can be
 * avoided. Any small number on a stack would look like a return address into that code, which would then never be
 * freed.
 */
static uint64_t find_gap(const struct wl_maps *maps, uint64_t lo, uint64_t hi, uint64_t near, uint64_t size, bool code)
{
	uint64_t at = code && lo < SMALL ? wl_maps_gap(maps, SMALL, hi < LOW_END ? hi : LOW_END, size, near) : 0;

	return at ? at : wl_maps_gap(maps, lo, hi, size, near);
}

/*
 * Reserve `size` bytes in the target within [lo, hi) as a private mapping; *out is 0 if that can't be had. The list of
 * mappings may be out of date by the time of the call: MAP_FIXED_NOREPLACE then says EEXIST and we look again.
 */
static int try_reserve(struct wl_attachment *a, struct wl_remote *r, uint64_t lo, uint64_t hi, uint64_t near,
	uint64_t size, bool code, uint64_t *out, struct ward_error *err)
{
	*out = 0;
	for (int i = 0; i < PLACE_TRIES; i++) {
		struct wl_maps maps;
		int64_t got = 0;
		uint64_t at;

		if (wl_maps_read(a->p.pid, &maps))
			return wl_process_lost(&a->p, err);
		at = find_gap(&maps, lo, hi, near, size, code);
		wl_maps_free(&maps);
		if (!at)
			break;
		if (!wl_remote_call(r, &got, SYS_mmap, at, size, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | NOREPLACE, ~0ull, 0))
			return wl_process_lost(&a->p, err);
		if ((uint64_t)got == at) {
			mapping_remember(a, at, size, code);
			*out = at;
			break;
		}
		if (got > 0 || got < -4095) /* a kernel too old to know the flag */
			wl_remote_call(r, &got, SYS_munmap, (uint64_t)got, size, 0, 0, 0, 0);
		else if (got != -EEXIST)
			break;
	}
	return 0;
}

static int mapping_reserve(struct wl_attachment *a, struct wl_remote *r, uint64_t lo, uint64_t hi, uint64_t near,
	uint64_t size, bool code, uint64_t *out, struct ward_error *err)
{
	char what[64];
	int rc = try_reserve(a, r, lo, hi, near, size, code, out, err);

	if (rc || *out)
		return rc;
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	wl_fail(err, WARD_E_TARGET, what, "no free memory within reach of the functions");
	wl_hint(err, "%llu KiB are needed %s; a limit (ulimit -v) may be in the way", (unsigned long long)size / 1024,
		hi == LOW_END ? "below 2 GiB" : "within 2 GiB of the function");
	return WARD_E_TARGET;
}

/*
 * The tracer's own limit on file sizes also applies to files in memory, and a process that exceeds it is killed
 * (SIGXFSZ).
 */
static bool may_be_so_large(uint64_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size;
}

/* Make a memory file in the target and fetch it. */
static int make_file(struct wl_attachment *a, struct wl_remote *r, const char *name, uint64_t size, int *fd,
	int64_t *remote, struct ward_error *err)
{
	char what[64], path[64];
	int rc;

	if (!may_be_so_large(size)) {
		wl_fail(err, WARD_E_SYSTEM, "shared memory",
			"%llu KiB are needed, and the limit on the size of files is lower",
			(unsigned long long)size / 1024);
		wl_hint(err, "raise it (ulimit -f), or let fewer threads have a state (--threads)");
		return WARD_E_SYSTEM;
	}
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	if (r->scratch && !wl_process_write(&a->p, r->scratch, name, strlen(name) + 1))
		return wl_process_lost(&a->p, err);
	if (!r->scratch)
		return wl_fail(err, WARD_E_TARGET, what, "no thread has stack to spare for a system call's arguments");
	rc = remote_call(r, remote, "memfd_create", SYS_memfd_create, r->scratch, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0,
		0, 0, err);
	if (rc) {
		*remote = -1;
		return rc;
	}
	*fd = (int)syscall(SYS_pidfd_getfd, a->p.pidfd, (int)*remote, 0);
	/* pidfd_getfd uses the files of the first thread, which has ended; or a filter forbids the call */
	if (*fd < 0) {
		int error = errno;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)r->thread.tid, (int)*remote);
		*fd = open(path, O_RDWR | O_CLOEXEC);
		errno = error;
	}
	if (*fd < 0)
		return wl_fail(err, WARD_E_SYSTEM, what, "can't fetch a file from it: %s", strerror(errno));
	if (ftruncate(*fd, (off_t)size) < 0)
		return wl_fail(err, WARD_E_SYSTEM, what, "can't make %llu KiB of shared memory: %s",
			(unsigned long long)size / 1024, strerror(errno));
	return 0;
}

static void close_files(struct wl_attachment *a, struct wl_remote *r)
{
	int64_t ignored;

	if (a->remote_code_fd >= 0)
		wl_remote_call(r, &ignored, SYS_close, (uint64_t)a->remote_code_fd, 0, 0, 0, 0, 0);
	if (a->remote_state_fd >= 0)
		wl_remote_call(r, &ignored, SYS_close, (uint64_t)a->remote_state_fd, 0, 0, 0, 0, 0);
	a->remote_code_fd = a->remote_state_fd = -1;
}

/* What probes that take stacks need. */
static int map_walk(struct wl_attachment *a, struct wl_remote *r, struct ward_error *err)
{
	struct wl_slots *s = &a->slots;
	int rc;

	if (!a->stacks_offset)
		return 0;
	rc = remote_mmap(r, &s->interned, WL_STACKS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		a->remote_state_fd, a->stacks_offset, err);
	if (rc)
		return rc;
	mapping_remember(a, s->interned, WL_STACKS_SIZE, false);
	rc = remote_mmap(r, &s->walk, WL_WALK_CACHE_SIZE + WL_TABLES_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, err);
	if (rc == 0)
		mapping_remember(a, s->walk, WL_WALK_CACHE_SIZE + WL_TABLES_SIZE, false);
	return rc;
}

static int map_slots(struct wl_attachment *a, struct wl_remote *r, struct ward_error *err)
{
	static const struct wl_row nobody = {.key = WL_NOBODY, .owner = WL_NOBODY};
	struct wl_slots *s = &a->slots;
	int64_t ignored;
	uint64_t low, record;
	int rc;

	if (!wl_lock_files(a) || !wl_record_begin(a))
		return wl_fail(err, WARD_E_SYSTEM, "code memory", "%s", strerror(errno));
	rc = mapping_reserve(a, r, 0, LOW_END, LOW_END, WL_PAGE + 2 * s->table_size + a->text_offset, false, &low, err);
	if (rc)
		return rc;
	record = low + WL_PAGE + 2 * s->table_size;
	/* First of all what says what is mapped. */
	rc = remote_mmap(r, &record, a->text_offset, PROT_READ, MAP_PRIVATE | MAP_FIXED, a->remote_code_fd, 0, err);
	if (rc)
		return rc;
	s->gate = low;
	s->table = low + WL_PAGE;
	s->tallies = s->table + s->table_size;
	rc = remote_mmap(
		r, &s->gate, WL_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0, err);
	if (rc == 0)
		rc = remote_call(r, &ignored, "madvise(MADV_WIPEONFORK)", SYS_madvise, s->gate, WL_PAGE,
			MADV_WIPEONFORK, 0, 0, 0, err);
	if (rc == 0)
		rc = remote_mmap(r, &s->table, s->table_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0, err);
	if (rc == 0 && !wl_process_write(&a->p, s->table, &nobody, sizeof(nobody)))
		rc = wl_process_lost(&a->p, err);
	if (rc == 0)
		rc = remote_mmap(r, &s->tallies, s->table_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			a->remote_state_fd, 0, err);
	if (rc == 0)
		rc = remote_mmap(r, &s->states, s->states_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			a->remote_state_fd, a->states_offset, err);
	if (rc)
		return rc;
	mapping_remember(a, s->states, s->states_size, false);
	rc = remote_mmap(r, &s->stacks, s->stacks_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, err);
	if (rc == 0)
		mapping_remember(a, s->stacks, s->stacks_size, true);
	if (rc == 0 && s->cells_size) {
		rc = remote_mmap(r, &s->cells, s->cells_size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, err);
		if (rc == 0)
			mapping_remember(a, s->cells, s->cells_size, false);
	}
	return rc ? rc : map_walk(a, r, err);
}

/* One segment of the image in an area. */
static int map_segment(struct wl_remote *r, uint64_t base, const struct ward_segment *seg, int prot, int flags,
	int64_t fd, uint64_t offset, struct ward_error *err)
{
	uint64_t at = base + seg->addr;

	if (!seg->memsz)
		return 0;
	return remote_mmap(r, &at, wl_pages(seg->memsz), prot, flags | MAP_FIXED, fd, offset, err);
}

/*
 * Where jumps lead whose last byte is given there is room for so many stubs only. Sites that get none can't be probed;
 * all others can.
 */
static int reserve_window(struct wl_attachment *a, struct wl_remote *r, struct wl_area *area, struct ward_error *err)
{
	uint64_t distance = WL_JUMP_SIZE + ((uint64_t)area->fifth << 24);
	int rc = try_reserve(
		a, r, area->hi + distance, area->lo + distance + WINDOW, area->lo, area->size, true, &area->base, err);

	for (size_t i = 0; rc == 0 && !area->base && i < a->sites.n_patches; i++)
		if (&a->areas[a->sites.patches[i].area] == area && wl_patch_wanted(&a->sites, &a->sites.patches[i]))
			wl_patch_refuse(&a->sites, &a->sites.patches[i],
				"no free memory where the jump at an exit can lead without changing the next "
				"instruction");
	if (!area->base)
		area->size = area->stubs_size = 0;
	return rc;
}

static int reserve_area(struct wl_attachment *a, struct wl_remote *r, struct wl_area *area, struct ward_error *err)
{
	uint64_t lo = area->hi + 4096 > REACH ? area->hi + 4096 - REACH : 0;

	if (area->keeps)
		return reserve_window(a, r, area, err);
	return mapping_reserve(a, r, lo, area->lo + REACH, area->lo, area->size, true, &area->base, err);
}

/* The image and room for stubs, in one area. */
static int map_area(struct wl_attachment *a, struct wl_remote *r, struct wl_area *area, const struct ward_image *image,
	struct ward_error *err)
{
	const struct ward_module_facts *f = wl_image_facts(image);
	int rc;

	rc = reserve_area(a, r, area, err);
	if (rc || !area->base)
		return rc;
	area->stubs = area->base + image_span(f);
	rc = map_segment(
		r, area->base, &f->text, PROT_READ | PROT_EXEC, MAP_PRIVATE, a->remote_code_fd, a->text_offset, err);
	if (rc == 0)
		rc = map_segment(
			r, area->base, &f->rodata, PROT_READ, MAP_PRIVATE, a->remote_code_fd, a->rodata_offset, err);
	if (rc == 0)
		rc = map_segment(r, area->base, &f->data, PROT_READ | PROT_WRITE, MAP_SHARED, a->remote_state_fd,
			a->data_offset, err);
	if (rc)
		return rc;
	uint64_t at = area->stubs;
	return remote_mmap(r, &at, area->stubs_size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, a->remote_code_fd,
		area->file_offset, err);
}

/* A part of the file to continue with, except what was never written there. */
static bool range_carry(const struct wl_attachment *a, uint64_t start, uint64_t end)
{
	uint8_t buf[1 << 14];
	off_t at = lseek(a->carried, (off_t)start, SEEK_DATA);

	while (at >= 0 && (uint64_t)at < end) {
		size_t want = end - (uint64_t)at < sizeof(buf) ? (size_t)(end - (uint64_t)at) : sizeof(buf);

		if (pread(a->carried, buf, want, at) != (ssize_t)want ||
			pwrite(a->state_fd, buf, want, at) != (ssize_t)want)
			return false;
		at = lseek(a->carried, at + (off_t)want, SEEK_DATA);
	}
	return at >= 0 || errno == ENXIO;
}

/*
 * The tallies, states and data of an ended process, for a new one: the states of all threads are to be given out again.
 */
static bool carry_all(const struct wl_attachment *a)
{
	const uint64_t none = 0;

	return range_carry(a, 0, a->slots.table_size) && range_carry(a, a->states_offset, a->shared_size) &&
	       pwrite(a->state_fd, &none, sizeof(none), offsetof(struct wl_tally, states)) == sizeof(none);
}

/*
 * The first contents of the shared file: the module's data, and perhaps what another attachment had kept. Afterwards
 * its size can't be changed.
 */
static int fill_shared(struct wl_attachment *a, const struct ward_image *image, struct ward_error *err)
{
	const struct ward_segment *data = &wl_image_facts(image)->data;
	uint64_t mark = wl_stacks_mark(a->stacks_number);

	if ((a->carried >= 0 && !carry_all(a)) ||
		(a->carried < 0 && data->memsz && data->filesz &&
			pwrite(a->state_fd, wl_image_bytes(image, data), data->filesz, (off_t)a->data_offset) !=
				(ssize_t)data->filesz) ||
		(a->stacks_offset && pwrite(a->state_fd, &mark, sizeof(mark),
					     (off_t)(a->stacks_offset + WL_STACKS_MARK)) != sizeof(mark)) ||
		fcntl(a->state_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
	a->shared = mmap(a->view, a->shared_size, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_NORESERVE | (a->view ? MAP_FIXED : 0), a->state_fd, 0);
	if (a->shared == MAP_FAILED) {
		a->shared = NULL;
		return wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
	}
	return 0;
}

static void unmap_ranges(struct wl_attachment *a, struct wl_remote *r)
{
	int64_t result = 0;

	wl_record_freeing(a);
	for (; a->n_ranges; a->n_ranges--) {
		const struct wl_range *range = &a->ranges[a->n_ranges - 1];

		if (!wl_remote_call(r, &result, SYS_munmap, range->addr, range->size, 0, 0, 0, 0) || result)
			return; /* what is left counts as left */
	}
}

static bool any_reads_tid(const struct wl_wanted *w, const struct ward_module_facts *facts)
{
	for (size_t k = 0; wl_can(w) && k < w->n; k++)
		if (facts->entries[w->v[k]].event_fields & 1u << WL_TID)
			return true;
	return false;
}

static bool reads_tid(const struct wl_attachment *a, const struct ward_module_facts *facts)
{
	for (size_t i = 0; i < a->sites.n; i++)
		if (any_reads_tid(&a->sites.v[i].entry, facts) || any_reads_tid(&a->sites.v[i].exit, facts))
			return true;
	return false;
}

enum { GLIBC_SELF = 0x10, GLIBC_TID = 0x2d0, MUSL_TID = 0x30 };

/*
 * glibc and musl keep a thread's id in its control block, at offsets that have not changed for years. Returns the
 * offset, or 0 if there is no such block at the address.
 */
static unsigned tid_offset(const struct wl_process *p, uint64_t at, int32_t tid)
{
	uint64_t self = 0, self2 = 0;
	int32_t glibc = 0, musl = 0;

	if (tid <= 0 || !wl_process_read(p, at, &self, 8) || self != at)
		return 0;
	if (wl_process_read(p, at + GLIBC_SELF, &self2, 8) && self2 == at &&
		wl_process_read(p, at + GLIBC_TID, &glibc, 4) && glibc == tid)
		return GLIBC_TID;
	return wl_process_read(p, at + MUSL_TID, &musl, 4) && musl == tid ? MUSL_TID : 0;
}

bool wl_has_control_block(const struct wl_process *p, pid_t tid, uint64_t from, uint64_t to)
{
	enum { MOST = 64 << 10 };
	int32_t id = wl_tid_in_target(p->pid, tid);
	uint64_t at = to - from > MOST ? to - MOST : from & ~(uint64_t)7, *words = malloc(MOST + 8);
	size_t n = words ? wl_process_read_some(p, at, words, (size_t)(to - at)) / 8 : 0;
	bool has = false;

	for (size_t i = 0; i < n && !has; i++)
		has = words[i] == at + 8 * i && tid_offset(p, words[i], id);
	free(words);
	return has;
}

bool wl_settle(struct wl_attachment *a, pid_t tid)
{
	struct user_regs_struct regs;
	uint8_t flags;

	if (a->foreign != WL_FOREIGN_AT_FIRST || !wl_get_regs(tid, &regs) ||
		tid_offset(&a->p, regs.fs_base, wl_tid_in_target(a->p.pid, tid)) != GLIBC_TID ||
		!wl_process_read(&a->p, a->slots.gate + WL_GATE_FLAGS, &flags, sizeof(flags)))
		return false;
	flags &= (uint8_t)~WL_FOREIGN;
	return wl_process_write(&a->p, a->slots.gate + WL_GATE_FLAGS, &flags, sizeof(flags));
}

/*
 * Without a base of fs all threads look alike, and every event would be dropped. A program that is being started has
 * none yet (held).
 */
static int check_base(const struct wl_attachment *a, const struct wl_remote *r, bool held, struct ward_error *err)
{
	uint64_t threads = 0;
	char what[64];

	if (held || r->saved.fs_base ||
		(wl_status_value(a->p.pid, r->thread.tid, "Threads", 10, &threads) && threads != 1))
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	wl_fail(err, WARD_E_TARGET, what, "its thread has no thread pointer (the base of fs is 0)");
	wl_hint(err, "it was made without a C library, or has only just begun");
	return WARD_E_TARGET;
}

/*
 * Stubs read a thread's id in its control block, if it is there. Else they ask the kernel each time, unless a seccomp
 * filter might kill the target for that.
 */
static int find_tid_source(struct wl_attachment *a, const struct wl_remote *r, const struct ward_module_facts *facts,
	struct ward_error *err)
{
	unsigned offset = tid_offset(&a->p, r->saved.fs_base, wl_tid_in_target(a->p.pid, r->thread.tid));
	uint64_t seccomp = 0;
	char what[64];

	a->tid = (struct wl_tid_source){offset != 0, offset};
	if (offset == GLIBC_TID)
		a->slots.id_at = GLIBC_TID; /* musl clears it when the thread has a few calls to go */
	/* as it will be, or wl_settle will see that it isn't */
	if (a->foreign == WL_FOREIGN_AT_FIRST && !r->saved.fs_base) {
		a->tid = (struct wl_tid_source){true, GLIBC_TID};
		a->slots.id_at = GLIBC_TID;
		return 0;
	}
	if (!reads_tid(a, facts) || (a->tid.in_tcb && !a->slots.no_block) ||
		(wl_status_value(a->p.pid, r->thread.tid, "Seccomp", 10, &seccomp) && seccomp == 0))
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	wl_fail(err, WARD_E_TARGET, what,
		"the probe reads the thread's id, and the process's seccomp filter may forbid the call for that");
	wl_hint(err, "leave ev->tid out of the probe");
	return WARD_E_TARGET;
}

/*
 * Does a thread of the target run under a seccomp filter, or can't that be known? One that has ended meanwhile doesn't.
 */
static int may_be_filtered(void *arg, pid_t tid)
{
	struct wl_attachment *a = arg;
	uint64_t mode = 0;
	char path[64];

	if (wl_status_value(a->p.pid, tid, "Seccomp", 10, &mode))
		return mode != 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)a->p.pid, (int)tid);
	return access(path, F_OK) == 0;
}

/* Imports make system calls in the target's name, for which a filter might kill it. */
static int check_imports(struct wl_attachment *a, const struct ward_module_facts *facts, struct ward_error *err)
{
	uint64_t offset;
	char what[64];

	for (size_t i = 0; i < facts->n_imports; i++)
		if (!wl_import_offset(facts->imports[i].import, &offset)) {
			wl_fail(err, WARD_E_USAGE, "attach",
				"the module wants import %s, which this loader does not have",
				ward_import_name(facts->imports[i].import));
			wl_hint(err, "leave it out of the probe");
			return WARD_E_USAGE;
		}
	if (!facts->n_imports || wl_each_thread(a->p.pid, may_be_filtered, a) == 0)
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	wl_fail(err, WARD_E_TARGET, what,
		"the probe calls %s, which makes a system call, and the process's seccomp filter may forbid that",
		ward_import_name(facts->imports[0].import));
	wl_hint(err, "leave the imports out of the probe");
	return WARD_E_TARGET;
}

static bool point_peeks(const struct wl_point *point, const struct ward_entry_facts *e)
{
	for (unsigned i = 0; i < WL_POINT_ARGS; i++)
		if (e->event_fields & 1u << (WL_ARG + i) && wl_operand_peeks(&point->arg[i]))
			return true;
	return false;
}

/*
 * What the dispatcher needs of the processor, and of what the target is allowed: to find threads that have ended takes
 * a system call. Of a Go program's threads it isn't known where they keep what.
 */
static int check_dispatcher(struct wl_attachment *a, struct ward_error *err)
{
	unsigned eax, ebx, ecx = 0, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_CMPXCHG16B)) {
		wl_fail(err, WARD_E_SYSTEM, "attach", "the processor has no cmpxchg16b");
		wl_hint(err, "all processors of x86-64-v2 have it: does a virtual machine hide it?");
		return WARD_E_SYSTEM;
	}
	a->slots.reclaims = !a->slots.by_base && wl_each_thread(a->p.pid, may_be_filtered, a) == 0;
	return 0;
}

/* The same for arguments of tracepoints that are in memory: probes that read them are denied. False without memory. */
static bool check_peeks(struct wl_attachment *a, const struct ward_module_facts *facts)
{
	int filtered = -1;

	for (size_t i = 0; i < a->sites.n; i++) {
		struct wl_site *s = &a->sites.v[i];

		for (size_t k = s->point && wl_can(&s->entry) ? s->entry.n : 0; k-- > 0;) {
			if (!point_peeks(s->point, &facts->entries[s->entry.v[k]]))
				continue;
			if (filtered < 0)
				filtered = wl_each_thread(a->p.pid, may_be_filtered, a) != 0;
			if (filtered && !wl_deny(&s->entry, s->entry.v[k],
						"reading an argument from memory takes a system call, which the "
						"process's seccomp filter may forbid"))
				return false;
		}
	}
	return true;
}

/* The end of the first thread's stack, or 0. */
static uint64_t first_stack(const struct wl_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (strcmp(maps->v[i].path, "[stack]") == 0)
			return maps->v[i].end;
	return 0;
}

int wl_map(struct wl_attachment *a, const struct ward_image *image, uint32_t max_threads, struct wl_threads *held,
	struct ward_error *err)
{
	const struct ward_module_facts *facts = wl_image_facts(image);
	struct wl_remote r;
	struct wl_maps maps;
	int rc;

	if (!check_peeks(a, facts) || sites_plan(a, facts, max_threads))
		return wl_no_memory(err);
	rc = check_dispatcher(a, err);
	if (rc)
		return rc;
	if (wl_maps_read(a->p.pid, &maps))
		return wl_process_lost(&a->p, err);
	rc = wl_remote_begin(&r, &a->p, &maps, held, err);
	a->stack_top = first_stack(&maps);
	wl_maps_free(&maps);
	if (rc)
		return rc;
	a->gadgets = r.found;
	rc = check_imports(a, facts, err);
	if (rc == 0)
		rc = check_base(a, &r, held != NULL, err);
	if (rc == 0)
		rc = find_tid_source(a, &r, facts, err);
	if (rc == 0)
		rc = make_file(a, &r, "ward-state", a->shared_size, &a->state_fd, &a->remote_state_fd, err);
	if (rc == 0)
		rc = make_file(a, &r, "ward-code", a->code_size, &a->code_fd, &a->remote_code_fd, err);
	if (rc == 0)
		rc = fill_shared(a, image, err);
	if (rc == 0)
		rc = map_slots(a, &r, err);
	if (rc == 0 && a->slots.reclaims)
		a->slots.reclaims = !wl_time_is_off(
			a, &r); /* the search is by the clock; threads have that from those that made them */
	for (size_t i = 0; rc == 0 && i < a->n_areas; i++)
		rc = map_area(a, &r, &a->areas[i], image, err);
	if (rc)
		unmap_ranges(a, &r);
	close_files(a, &r);
	wl_remote_end(&r);
	return rc;
}

/* The mapped file with the parent's states is replaced by the child's. */
static int map_own_states(
	struct wl_attachment *a, const struct ward_image *image, struct wl_remote *r, struct ward_error *err)
{
	const struct ward_segment *data = &wl_image_facts(image)->data;
	struct wl_slots *s = &a->slots;
	int rc = remote_mmap(r, &s->tallies, s->table_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		a->remote_state_fd, 0, err);

	if (rc == 0)
		rc = remote_mmap(r, &s->states, s->states_size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED, a->remote_state_fd, a->states_offset, err);
	for (size_t i = 0; rc == 0 && i < a->n_areas; i++)
		if (a->areas[i].base)
			rc = map_segment(r, a->areas[i].base, data, PROT_READ | PROT_WRITE, MAP_SHARED,
				a->remote_state_fd, a->data_offset, err);
	if (rc == 0 && a->stacks_offset)
		rc = remote_mmap(r, &s->interned, WL_STACKS_SIZE, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED, a->remote_state_fd, a->stacks_offset, err);
	return rc;
}

int wl_map_forked(struct wl_attachment *a, const struct wl_attachment *parent, const struct ward_image *image,
	struct wl_threads *held, struct ward_error *err)
{
	const uint64_t *given = (const uint64_t *)((const char *)parent->shared + offsetof(struct wl_tally, states));
	struct wl_remote r;
	struct wl_maps maps;
	uint64_t states;
	int rc;

	states = *(const volatile uint64_t *)given;
	if (states < a->slots.max_threads) /* then no thread uses the last stack */
		held->room = a->slots.stacks + a->slots.stacks_size;
	held->gadgets = parent->gadgets;
	if (wl_maps_read(a->p.pid, &maps))
		return wl_process_lost(&a->p, err);
	rc = wl_remote_begin(&r, &a->p, &maps, held, err);
	wl_maps_free(&maps);
	if (rc)
		return rc;
	a->gadgets = r.found;
	rc = make_file(a, &r, "ward-state", a->shared_size, &a->state_fd, &a->remote_state_fd, err);
	if (rc == 0)
		rc = fill_shared(a, image, err);
	/* Its threads continue with the states that the rows name, so as many count as given out there as here. */
	if (rc == 0 && (!wl_lock_files(a) || pwrite(a->state_fd, &states, sizeof(states),
						     offsetof(struct wl_tally, states)) != sizeof(states)))
		rc = wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
	if (rc == 0)
		rc = map_own_states(a, image, &r, err);
	close_files(a, &r);
	wl_remote_end(&r);
	if (rc == 0 && !wl_record_owner(a))
		rc = wl_process_lost(&a->p, err);
	return rc;
}

void wl_unmap(struct wl_attachment *a, struct wl_threads *held)
{
	struct wl_remote r;
	struct wl_maps maps;
	uint64_t probe;

	/*
	 * The memory file belongs to the address space that we mapped into: after an exec it is dead, and so are our
	 * mappings.
	 */
	if (!a->n_ranges ||
		!wl_process_read(&a->p, a->ranges[0].addr + a->ranges[0].size - sizeof(probe), &probe, sizeof(probe)) ||
		wl_maps_read(a->p.pid, &maps))
		return;
	if (wl_remote_begin(&r, &a->p, &maps, held, NULL) == 0) {
		unmap_ranges(a, &r);
		wl_remote_end(&r);
	}
	wl_maps_free(&maps);
}

void wl_attachment_init(struct wl_attachment *a, const struct ward_image *image)
{
	*a = (struct wl_attachment){.image = image,
		.p = {.pidfd = -1, .mem = -1},
		.code_fd = -1,
		.state_fd = -1,
		.carried = -1,
		.code_lock = -1,
		.state_lock = -1,
		.remote_code_fd = -1,
		.remote_state_fd = -1};
}

void wl_attachment_free(struct wl_attachment *a)
{
	wl_sites_free(&a->sites);
	wl_tables_free(a->tables);
	free(a->areas);
	free(a->ranges);
	free(a->unmatched);
	if (a->shared && !a->view)
		munmap(a->shared, a->shared_size);
	if (a->code_fd >= 0)
		close(a->code_fd);
	if (a->state_fd >= 0)
		close(a->state_fd);
	wl_unlock_files(a);
	wl_process_close(&a->p);
}
