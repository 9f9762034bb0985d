/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record: what an attachment writes about itself in the target.
 *
 * A tracer that is killed leaves its memory and its jumps behind, and the target runs correctly with them. The
 * program that cleans up later must know what belongs to Ward: the record says it. The record is the first part of
 * the code file, and is sealed with it. The target maps it for reading, at offset 0 of the file. Text and rodata are
 * mapped from later offsets, so a module can't bring a record of its own. The record grows with the attachment:
 * memory is recorded as soon as it is mapped, patches before the first of them is made. So whenever the tracer dies,
 * the record holds all jumps, and all memory except for one mapping that was made at that very moment. The record's
 * mapping is directly behind the slots, and is freed last, together with them.
 *
 * Is the tracer still alive? It holds a lock on both files, by descriptors that only it has. The kernel releases the
 * lock when the tracer ends, and /proc/locks shows it to every process, also across containers. A child that the
 * target has forked has a copy of everything, which no tracer serves. Such a copy is recognised by the word beside
 * the gate: it is zero there, because that page is wiped in children.
 *
 * A record is in the target, so it is hostile. It is trusted only as far as it agrees with other evidence:
 *
 *   memory     is freed where one of the two files is mapped, with the anonymous memory around it, and anonymous
 *              memory alone only as long as the slots are in their place
 *   a patch    counts only if its jump leads into executable memory of this very code file, from private executable
 *              memory of an ELF file
 *   the bytes  that are written back must be those that the ELF file on disk has there, except for bytes that are the
 *              jump of another attachment that was found as well, the one below
 *   semaphores are counted down where the file's own notes have a tracepoint with that semaphore among the patched
 *   bytes, in private memory that can be written
 *
 * If the tracer was killed while it freed its memory, some of that is gone, and something else may be in its place. A
 * mark among the slots says that freeing has begun; then only mappings of the two files are freed.
 *
 * A target that forges a record achieves only what it can do itself: its code is patched back to what its files say,
 * and memory of its own is freed.
 */
#include "recovery_record.h"

#include "loader/symbols/sdt_note.h"
#include "loader/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const uint64_t MAGIC = 0x33306472617721; /* version in the first digits; changed with the layout */
static const uint64_t OWNED = 0x64656e776f, FREEING = 0x65657266;

enum {
	OWNER_OFFSET = 8,                                          /* from the gate */
	FREEING_OFFSET = WL_PAGE + offsetof(struct wl_row, known), /* likewise: in row 0 */
	MOST_FOUND = 256,
	MOST_AREAS = 4096,
	MOST_PATCHES = 1 << 22, /* of all that are found */
};

struct head {
	uint64_t magic;
	uint64_t size; /* of the record, in whole pages */
	uint64_t began;
	uint64_t gate; /* 0: none yet */
	uint32_t tracer;
	uint32_t areas;  /* room for them; there are as many, once they have been mapped */
	uint32_t ranges; /* mapped; room for areas + WL_RANGES_FIXED */
	uint32_t patches;
};

struct range {
	uint64_t addr, size;
	uint64_t code;
};

struct area {
	uint64_t stubs, size;
};

struct patch {
	uint64_t addr, copy, cave;
	uint64_t semaphore; /* of a tracepoint */
	uint16_t moved_to[WL_DISPLACED_INSNS];
	uint8_t at[WL_DISPLACED_INSNS];
	uint8_t bytes[WL_DISPLACED_MAX];
	uint8_t jump[WL_JUMP_SIZE];
	uint8_t len, n_insns, n_back, is_call, is_cave;
};

static uint64_t ranges_offset(void)
{
	return sizeof(struct head);
}

static uint64_t areas_offset(size_t n_areas)
{
	return ranges_offset() + (n_areas + WL_RANGES_FIXED) * sizeof(struct range);
}

static uint64_t patches_offset(size_t n_areas)
{
	return areas_offset(n_areas) + n_areas * sizeof(struct area);
}

uint64_t wl_record_size(size_t n_areas, size_t n_patches)
{
	return wl_pages(patches_offset(n_areas) + n_patches * sizeof(struct patch));
}

/* ---- Writing it ---- */

static bool record_put(const struct wl_attachment *a, uint64_t offset, const void *p, size_t n)
{
	return n == 0 || pwrite(a->code_fd, p, n, (off_t)offset) == (ssize_t)n;
}

static bool put_head(const struct wl_attachment *a, uint32_t patches)
{
	const struct head h = {.magic = MAGIC,
		.size = a->text_offset,
		.began = a->began,
		.gate = a->slots.gate,
		.tracer = (uint32_t)getpid(),
		.areas = (uint32_t)a->n_areas,
		.ranges = (uint32_t)a->n_ranges,
		.patches = patches};

	return record_put(a, 0, &h, sizeof(h));
}

bool wl_record_begin(const struct wl_attachment *a)
{
	return put_head(a, 0);
}

bool wl_record_ranges(const struct wl_attachment *a)
{
	for (size_t i = 0; i < a->n_ranges; i++) {
		const struct range r = {a->ranges[i].addr, a->ranges[i].size, a->ranges[i].code};

		if (!record_put(a, ranges_offset() + i * sizeof(r), &r, sizeof(r)))
			return false;
	}
	return put_head(a, 0);
}

static struct patch patch_describe(const struct wl_sites *sites, const struct wl_patch *p)
{
	const struct wl_point *point = sites->v[p->site].point;
	struct patch r = {.addr = p->d.addr,
		.copy = p->copy,
		.cave = p->d.cave,
		.semaphore = point && !p->is_cave ? point->semaphore : 0,
		.len = p->d.len,
		.n_insns = p->d.n_insns,
		.n_back = p->d.n_back,
		.is_call = p->d.is_call,
		.is_cave = p->is_cave};

	memcpy(r.moved_to, p->d.moved_to, sizeof(r.moved_to));
	memcpy(r.at, p->d.at, sizeof(r.at));
	memcpy(r.bytes, p->d.below, sizeof(r.bytes));
	memcpy(r.jump, p->jump, sizeof(r.jump));
	return r;
}

bool wl_record_patches(const struct wl_attachment *a)
{
	struct patch *v = calloc(a->sites.n_patches ? a->sites.n_patches : 1, sizeof(*v));
	uint32_t n = 0;
	bool well = v != NULL;

	for (size_t i = 0; well && i < a->sites.n_patches; i++)
		if (wl_patch_wanted(&a->sites, &a->sites.patches[i]))
			v[n++] = patch_describe(&a->sites, &a->sites.patches[i]);
	for (size_t i = 0; well && i < a->n_areas; i++) {
		const struct area r = {a->areas[i].stubs, a->areas[i].stubs_size};

		well = record_put(a, areas_offset(a->n_areas) + i * sizeof(r), &r, sizeof(r));
	}
	well = well && patches_offset(a->n_areas) + n * sizeof(*v) <= a->text_offset &&
	       record_put(a, patches_offset(a->n_areas), v, n * sizeof(*v)) && put_head(a, n);
	free(v);
	return well;
}

bool wl_record_owner(const struct wl_attachment *a)
{
	return wl_process_write(&a->p, a->slots.gate + OWNER_OFFSET, &OWNED, sizeof(OWNED));
}

/* ---- Locks ---- */

/* A descriptor of the file of which no other process has a copy, as the target has of the one that it was made with. */
static int lock_one(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	char path[64];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_RDONLY | O_CLOEXEC);
	if (own >= 0 && fcntl(own, F_OFD_SETLK, &lock) < 0) {
		close(own);
		own = -1;
	}
	return own;
}

bool wl_lock_files(struct wl_attachment *a)
{
	if (a->code_lock < 0 && a->code_fd >= 0)
		a->code_lock = lock_one(a->code_fd);
	if (a->state_lock < 0 && a->state_fd >= 0)
		a->state_lock = lock_one(a->state_fd);
	return (a->code_lock >= 0 || a->code_fd < 0) && (a->state_lock >= 0 || a->state_fd < 0);
}

void wl_unlock_files(struct wl_attachment *a)
{
	if (a->code_lock >= 0)
		close(a->code_lock);
	if (a->state_lock >= 0)
		close(a->state_lock);
	a->code_lock = a->state_lock = -1;
}

/* "1: OFDLCK ADVISORY  READ -1 00:01:1030 0 EOF" */
bool wl_is_locked(unsigned major, unsigned minor, uint64_t inode)
{
	char *text = wl_read_proc("/proc/locks", NULL), *rest = text, *line, file[64];
	bool found = !text;

	snprintf(file, sizeof(file), " %02x:%02x:%" PRIu64 " ", major, minor, inode);
	while (!found && (line = strsep(&rest, "\n")))
		found = strstr(line, file) && strstr(line, " OFDLCK ");
	free(text);
	return found;
}

/* ---- Finding it ---- */

static bool is_same_file(const struct wl_map *m, const struct wl_found *f)
{
	return m->inode == f->inode && m->major == f->major && m->minor == f->minor && wl_is_code_path(m->path);
}

/*
 * May all mappings there be freed? Only those that an attachment makes, and not others that have come in their place.
 */
static bool is_ours(const struct wl_found *f, const struct wl_maps *maps, uint64_t addr, uint64_t size, bool intact)
{
	bool certain = intact;

	if (!size || (addr | size) % WL_PAGE || addr >> 47 || size >> 47)
		return false;
	for (size_t i = wl_maps_above(maps, addr); i < maps->n && maps->v[i].start < addr + size; i++) {
		const struct wl_map *m = &maps->v[i];

		if (is_same_file(m, f) || wl_is_state_path(m->path))
			certain = true;
		else if (*m->path || m->inode || m->exec || m->shared)
			return false;
	}
	return certain;
}

/* Are the slots before the record, in one piece of memory with it, and has no process begun to free the rest? */
static bool is_intact(const struct wl_process *p, const struct wl_maps *maps, const struct wl_map *record,
	uint64_t gate, const struct range *first)
{
	const struct wl_map *tallies = wl_maps_find(maps, record->start - 1);
	uint64_t mark = FREEING;

	return gate && first->addr == gate && first->size == record->end - gate && tallies &&
	       wl_is_state_path(tallies->path) && wl_process_read(p, gate + FREEING_OFFSET, &mark, sizeof(mark)) &&
	       mark != FREEING;
}

static bool is_own_code(const struct wl_found *f, const struct wl_maps *maps, uint64_t addr)
{
	const struct wl_map *m = wl_maps_find(maps, addr);

	return m && m->exec && is_same_file(m, f);
}

uint64_t wl_jump_target(uint64_t addr, const uint8_t *jump)
{
	int32_t rel;

	memcpy(&rel, jump + 1, sizeof(rel));
	return addr + WL_JUMP_SIZE + (uint64_t)(int64_t)rel;
}

/* A patch that an attachment could have made. */
static bool is_patch(const struct wl_found *f, const struct wl_maps *maps, const struct patch *r)
{
	const struct wl_map *m = wl_maps_find(maps, r->addr);
	unsigned size = r->cave ? WL_SHORT_SIZE : WL_JUMP_SIZE;

	if (!m || !m->exec || m->shared || !m->inode || m->path[0] != '/' || wl_is_code_path(m->path) ||
		m->end - r->addr < r->len)
		return false;
	if (r->len < size || r->len > WL_DISPLACED_MAX || r->n_insns > WL_DISPLACED_INSNS || r->n_back > r->n_insns)
		return false;
	for (unsigned i = 0; i < r->n_insns; i++)
		if (r->at[i] >= r->len || (r->copy && !is_own_code(f, maps, r->copy + r->moved_to[i])))
			return false;
	if (r->cave)
		return r->jump[0] == 0xeb && r->addr + WL_SHORT_SIZE + (uint64_t)(int64_t)(int8_t)r->jump[1] == r->cave;
	return (r->jump[0] == 0xe9 || (r->is_call && (r->jump[0] == 0xe8 || r->jump[0] == 0x15))) &&
	       is_own_code(f, maps, wl_jump_target(r->addr, r->jump));
}

static struct wl_patch patch_of(const struct patch *r)
{
	struct wl_patch p = {.is_entry = true, .is_cave = r->is_cave, .copy = r->copy, .semaphore = r->semaphore};

	p.d.addr = r->addr;
	p.d.cave = r->cave;
	p.d.is_call = r->is_call;
	p.d.by_slot = r->is_call && r->jump[0] == 0x15;
	p.d.len = r->len;
	p.d.n_insns = r->n_insns;
	p.d.n_back = r->n_back;
	memcpy(p.d.moved_to, r->moved_to, sizeof(r->moved_to));
	memcpy(p.d.at, r->at, sizeof(r->at));
	memcpy(p.d.below, r->bytes, sizeof(r->bytes));
	memcpy(p.d.bytes, r->bytes, sizeof(r->bytes));
	memcpy(p.jump, r->jump, sizeof(r->jump));
	return p;
}

/* A part of the record: n things of `each` bytes. NULL if they aren't there. */
static void *record_part(
	const struct wl_process *p, uint64_t record, uint64_t size, uint64_t offset, uint64_t n, size_t each)
{
	void *v;

	if (offset > size || n > (size - offset) / each)
		return NULL;
	v = calloc(n ? n : 1, each);
	if (v && n && !wl_process_read(p, record + offset, v, n * each)) {
		free(v);
		v = NULL;
	}
	return v;
}

static bool take_ranges(struct wl_found *f, const struct wl_process *p, const struct wl_maps *maps,
	const struct wl_map *record, const struct range *r, const struct area *areas, const struct head *h)
{
	bool intact = h->ranges && is_intact(p, maps, record, h->gate, r);
	struct wl_attachment *a = &f->a;

	a->slots.gate = intact ? h->gate : 0;
	a->ranges = calloc(h->ranges + 1, sizeof(*a->ranges));
	a->areas = calloc(h->areas + 1, sizeof(*a->areas));
	if (!a->ranges || !a->areas)
		return false;
	for (size_t i = 0; i < h->ranges; i++)
		if (is_ours(f, maps, r[i].addr, r[i].size, intact))
			a->ranges[a->n_ranges++] = (struct wl_range){r[i].addr, r[i].size, r[i].code};
	for (size_t i = 0; h->patches && i < h->areas; i++)
		if (is_own_code(f, maps, areas[i].stubs) && !(areas[i].size >> 32))
			a->areas[a->n_areas++] = (struct wl_area){.stubs = areas[i].stubs, .stubs_size = areas[i].size};
	return true;
}

/* Entries that can't be patches of this attachment are ignored. */
static bool take_patches(struct wl_found *f, const struct wl_maps *maps, const struct patch *r, size_t n)
{
	struct wl_sites *s = &f->a.sites;

	s->patches = calloc(n + 1, sizeof(*s->patches));
	for (size_t i = 0; s->patches && i < n; i++)
		if (is_patch(f, maps, &r[i]) && (s->n_patches == 0 || r[i].addr > s->patches[s->n_patches - 1].d.addr))
			s->patches[s->n_patches++] = patch_of(&r[i]);
	return s->patches != NULL;
}

/* Take the record apart. False if it is none. */
static bool read_record(struct wl_found *f, const struct wl_process *p, const struct wl_maps *maps,
	const struct wl_map *m, size_t *room)
{
	uint64_t size = m->end - m->start, owner = 0;
	struct head h;
	struct range *ranges;
	struct area *areas;
	struct patch *patches;
	bool well;

	if (!wl_process_read(p, m->start, &h, sizeof(h)) || h.magic != MAGIC || h.size != size || m->start < WL_PAGE)
		return false;
	if (h.areas > MOST_AREAS || h.ranges > h.areas + WL_RANGES_FIXED || h.patches > *room || h.gate % WL_PAGE ||
		h.gate >> 31)
		return false;
	*room -= h.patches;
	ranges = record_part(p, m->start, size, ranges_offset(), h.ranges, sizeof(*ranges));
	areas = record_part(p, m->start, size, areas_offset(h.areas), h.areas, sizeof(*areas));
	patches = record_part(p, m->start, size, patches_offset(h.areas), h.patches, sizeof(*patches));
	f->tracer = (pid_t)h.tracer;
	f->began = h.began;
	well = ranges && areas && patches && take_ranges(f, p, maps, m, ranges, areas, &h) &&
	       take_patches(f, maps, patches, h.patches);
	free(ranges);
	free(areas);
	free(patches);
	if (!well)
		return false;
	f->copied = h.patches && f->a.slots.gate && wl_process_read(p, h.gate + OWNER_OFFSET, &owner, sizeof(owner)) &&
		    owner != OWNED;
	f->live = !f->copied && wl_is_locked(f->major, f->minor, f->inode);
	return true;
}

bool wl_found_has(const struct wl_found *v, size_t n, const struct wl_found *f, uint64_t addr, uint8_t byte)
{
	for (size_t i = 0; i < n; i++) {
		const struct wl_patch *p = &v[i] == f ? NULL : wl_patch_at(&v[i].a.sites, addr);

		if (p && addr - p->d.addr < wl_patch_size(p) && p->jump[addr - p->d.addr] == byte)
			return true;
	}
	return false;
}

/* Is the jump among the bytes that another attachment displaced? */
static bool is_displaced(const struct wl_found *v, size_t n, const struct wl_found *f, const struct wl_patch *p)
{
	size_t size = wl_patch_size(p);

	for (size_t i = 0; i < n; i++) {
		const struct wl_patch *q = &v[i] == f ? NULL : wl_patch_at(&v[i].a.sites, p->d.addr);

		if (q && p->d.addr - q->d.addr + size <= q->d.len &&
			memcmp(q->d.below + (p->d.addr - q->d.addr), p->jump, size) == 0)
			return true;
	}
	return false;
}

/* Does the code hold others' jumps there, and was this one's taken off before they came? */
static bool is_gone(
	const struct wl_found *v, size_t n, const struct wl_found *f, const struct wl_patch *p, const uint8_t *now)
{
	if (memcmp(now, p->jump, wl_patch_size(p)) == 0)
		return false;
	for (size_t i = 0; i < wl_patch_size(p); i++)
		if (now[i] != p->d.below[i] && !wl_found_has(v, n, f, p->d.addr + i, now[i]))
			return false;
	return !is_displaced(v, n, f, p);
}

/* What the file has where a patch is. Returns NULL, or why that can't be known. */
static const char *read_file(const struct wl_patch *p, const struct wl_maps *maps, const struct wl_modules *modules,
	uint8_t disk[WL_DISPLACED_MAX])
{
	const struct wl_map *m = wl_maps_find(maps, p->d.addr);
	const struct wl_module *module = m ? wl_module_of(modules, m) : NULL;

	if (!module)
		return "the file that the code was read from is no longer there";
	if (pread(module->elf.fd, disk, WL_DISPLACED_MAX, (off_t)(p->d.addr - m->start + m->offset)) !=
		WL_DISPLACED_MAX)
		return "the file that the code was read from has changed";
	return NULL;
}

/*
 * Is the patch in the code now, or another one over it? If its bytes can't be trusted they are left alone, and
 * *doubtful says why.
 */
static bool patch_is_there(const struct wl_found *v, size_t n, const struct wl_found *f, struct wl_patch *p,
	const struct wl_process *process, const struct wl_maps *maps, const struct wl_modules *modules,
	const char **doubtful)
{
	uint8_t now[WL_JUMP_SIZE], disk[WL_DISPLACED_MAX];
	size_t size = wl_patch_size(p);
	const char *why;

	if (!wl_process_read(process, p->d.addr, now, size) || memcmp(now, p->d.below, size) == 0 ||
		is_gone(v, n, f, p, now))
		return false;
	why = read_file(p, maps, modules, disk);
	/* Whose jump it was put over has been taken off as well, after its own was. */
	if (!why && memcmp(now, disk, size) == 0)
		return false;
	for (unsigned i = 0; !why && i < p->d.len; i++)
		if (p->d.below[i] != disk[i] && !wl_found_has(v, n, f, p->d.addr + i, p->d.below[i]))
			why = "the code differed from its file when the probe was put there";
	p->patched = !why;
	if (why)
		*doubtful = why;
	return true;
}

/*
 * Does a note of the file have this semaphore for a tracepoint that the patch displaced? Addresses in the target are as
 * far from the file's as the nop's is.
 */
static bool is_semaphore(const struct wl_patch *p, const struct wl_maps *maps, const struct wl_modules *modules)
{
	const struct wl_map *m = wl_maps_find(maps, p->d.addr), *data = wl_maps_find(maps, p->semaphore);
	struct wl_module *module = m ? wl_module_of(modules, m) : NULL;
	uint64_t offset;

	if (!module || !data || !data->write || data->shared || data->end - p->semaphore < sizeof(uint16_t) ||
		wl_module_load_notes(module))
		return false;
	offset = p->d.addr - m->start + m->offset;
	for (size_t i = 0; i < module->notes->n; i++) {
		const struct wl_note *note = &module->notes->v[i];

		if (note->semaphore && note->offset >= offset && note->offset - offset < p->d.len &&
			note->semaphore + (p->d.addr + (note->offset - offset) - note->address) == p->semaphore)
			return true;
	}
	return false;
}

static void check_places(const struct wl_found *v, size_t n, struct wl_found *f, const struct wl_process *p,
	const struct wl_maps *maps, const struct wl_modules *modules)
{
	for (size_t i = 0; i < f->a.sites.n_patches; i++) {
		struct wl_patch *patch = &f->a.sites.patches[i];

		f->n_places += patch_is_there(v, n, f, patch, p, maps, modules, &f->doubtful) && !patch->is_cave;
		if (patch->semaphore && !is_semaphore(patch, maps, modules))
			patch->semaphore = 0;
	}
}

static int by_age(const void *a, const void *b)
{
	const struct wl_found *x = a, *y = b;

	return (x->began < y->began) - (x->began > y->began);
}

static bool add_found(struct wl_found **v, size_t *n, const struct wl_found *f)
{
	struct wl_found *larger = realloc(*v, (*n + 1) * sizeof(*larger));

	if (!larger)
		return false;
	*v = larger;
	larger[(*n)++] = *f;
	return true;
}

static void free_one(struct wl_found *f)
{
	f->a.sites.v = NULL; /* inside */
	f->a.sites.n = 0;
	f->a.p.pidfd = f->a.p.mem = -1; /* borrowed */
	wl_attachment_free(&f->a);
}

void wl_found_free(struct wl_found *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free_one(&v[i]);
	free(v);
}

int wl_found_read(const struct wl_process *p, const struct wl_maps *maps, struct wl_found **out, size_t *n)
{
	size_t room = MOST_PATCHES;

	*out = NULL;
	*n = 0;
	for (size_t i = 0; i < maps->n && *n < MOST_FOUND; i++) {
		const struct wl_map *m = &maps->v[i];
		struct wl_found f = {.inode = m->inode, .major = m->major, .minor = m->minor};

		if (!wl_is_code_path(m->path) || m->offset || m->write || m->exec || m->shared)
			continue;
		wl_attachment_init(&f.a, NULL);
		f.a.p = *p;
		if (!read_record(&f, p, maps, m, &room)) {
			free_one(&f);
			continue;
		}
		if (f.a.n_ranges == 0)
			f.a.ranges[f.a.n_ranges++] = (struct wl_range){m->start, m->end - m->start, false};
		if (!add_found(out, n, &f)) {
			free_one(&f);
			wl_found_free(*out, *n);
			*out = NULL;
			*n = 0;
			return ENOMEM;
		}
	}
	if (*n)
		qsort(*out, *n, sizeof(**out), by_age);
	for (size_t i = 0; i < *n; i++) { /* now that they stay where they are */
		(*out)[i].site = (struct wl_site){.entry = {.n = 1}};
		(*out)[i].a.sites.v = &(*out)[i].site;
		(*out)[i].a.sites.n = 1;
	}
	return 0;
}

bool wl_found_replaced(const struct wl_process *p, const struct wl_patch *patch, const uint8_t *now)
{
	struct wl_found *v;
	struct wl_maps maps;
	bool replaced;
	size_t n;

	if (wl_maps_read(p->pid, &maps))
		return false;
	if (wl_found_read(p, &maps, &v, &n)) {
		wl_maps_free(&maps);
		return false;
	}
	replaced = !is_displaced(v, n, NULL, patch);
	for (size_t i = 0; i < wl_patch_size(patch) && replaced; i++)
		replaced = wl_found_has(v, n, NULL, patch->d.addr + i, now[i]);
	wl_found_free(v, n);
	wl_maps_free(&maps);
	return replaced;
}

int wl_found_all(const struct wl_process *p, const struct wl_maps *maps, struct wl_found **out, size_t *n)
{
	struct wl_modules modules;
	int rc = wl_found_read(p, maps, out, n);

	if (rc)
		return rc;
	if (wl_modules_read(p->pid, maps, &modules)) {
		wl_found_free(*out, *n);
		*out = NULL;
		*n = 0;
		return ENOMEM;
	}
	for (size_t i = 0; i < *n; i++)
		check_places(*out, *n, &(*out)[i], p, maps, &modules);
	wl_modules_free(&modules);
	return 0;
}

/* Was it put over a patch of the other attachment, so that its copies of displaced instructions continue in there? */
static bool leads_into(const struct wl_found *f, const struct wl_attachment *a)
{
	for (size_t i = 0; f->began > a->began && i < f->a.sites.n_patches; i++) {
		const struct wl_patch *over = &f->a.sites.patches[i];
		const struct wl_patch *under = wl_patch_at(&a->sites, over->d.addr + over->d.len - 1);

		if (under && under->d.addr + wl_patch_size(under) > over->d.addr && wl_patch_wanted(&a->sites, under))
			return true;
	}
	return false;
}

int wl_found_over(const struct wl_attachment *a, const struct wl_maps *maps, struct wl_found **out, size_t *n)
{
	size_t kept = 0;
	int rc = wl_found_read(&a->p, maps, out, n);

	for (size_t i = 0; rc == 0 && i < *n; i++) {
		struct wl_found f = (*out)[i];

		if (leads_into(&f, a))
			(*out)[kept++] = f;
		else
			free_one(&f);
	}
	*n = rc ? 0 : kept;
	return rc;
}

void wl_record_freeing(const struct wl_attachment *a)
{
	if (a->slots.gate)
		wl_process_write(&a->p, a->slots.gate + FREEING_OFFSET, &FREEING, sizeof(FREEING));
}
