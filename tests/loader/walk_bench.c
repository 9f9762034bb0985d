/* SPDX-License-Identifier: Apache-2.0 */
/* Calling the walk natively: the memory that it has in a target, and what a stub leaves for it. */
#define _GNU_SOURCE 1

#include "walk_bench.h"

#include "loader/base/elf_file.h"
#include "loader/process/maps.h"
#include "loader/stub/slots.h"
#include "loader/symbols/unwind_file.h"
#include "ward/verify.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

uint64_t import_call(const void *fn, const uint64_t args[3], void *stack, uint64_t kept[7], long trace);

enum { PAGE = 4096, CODE = 2 * PAGE, ROOM = 1 << 12, PAINT = 0xa5 };

static volatile long steps;

static void on_trap(int sig)
{
	(void)sig;
	steps = steps + 1;
}

static void *pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		abort();
	return p;
}

void walk_begin(struct walk_bench *b, uint64_t stack_top)
{
	uint8_t *two = pages(2 * WL_STACK_SIZE);
	struct wl_walk walk;

	*b = (struct walk_bench){.code = pages(CODE), .stacks = pages(WL_STACKS_SIZE), .stack_top = stack_top};
	b->stack = (uint8_t *)(((uintptr_t)two + WL_STACK_SIZE - 1) & ~(uintptr_t)(WL_STACK_SIZE - 1));
	b->cap = ROOM;
	b->dir = pages(sizeof(*b->dir) + ROOM * sizeof(b->dir->v[0]));
	b->dir->generation = 1;
	b->directory = (uint64_t)b->dir;
	memcpy(b->code, wl_imports_code, wl_imports_size());
	b->stacks->mark = wl_stacks_mark(3);
	walk = (struct wl_walk){.directory = (uint64_t)&b->directory,
		.cache = (uint64_t)pages(WL_WALK_CACHE_SIZE),
		.stacks = (uint64_t)b->stacks,
		.stack_top = stack_top,
		.cache_mask = WL_WALK_CACHE_SIZE - WL_WALK_CACHE_ENTRY,
		.bucket_mask = WL_STACKS_N_BUCKETS - 1,
		.arena = WL_STACKS_WORDS};
	wl_walk_fill(b->code, &walk);
	b->code[CODE - PAGE] = 0xc3;
	if (wl_imports_size() > CODE - PAGE || mprotect(b->code, CODE, PROT_READ | PROT_EXEC))
		abort();
}

void walk_end(struct walk_bench *b)
{
	while (b->n_rows)
		free(b->rows[--b->n_rows]);
	free(b->rows);
	munmap(b->code, CODE);
	munmap(b->stack, WL_STACK_SIZE);
	munmap(b->stacks, WL_STACKS_SIZE);
	munmap(b->dir, sizeof(*b->dir) + ROOM * sizeof(b->dir->v[0]));
}

static void entry_add(struct walk_bench *b, struct wl_directory_entry entry)
{
	size_t i = b->dir->n;

	if (i == b->cap)
		abort();
	for (; i && b->dir->v[i - 1].start > entry.start; i--)
		b->dir->v[i] = b->dir->v[i - 1];
	b->dir->v[i] = entry;
	b->dir->n++;
	b->dir->generation++;
}

void walk_add_rows(struct walk_bench *b, uint64_t start, uint64_t end, const void *rows, size_t n)
{
	entry_add(b, (struct wl_directory_entry){start, end, (uint64_t)rows, (uint32_t)n, 0});
}

bool walk_add(struct walk_bench *b, int pid, const char *path, const struct wl_map *m)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct wl_unwind_rows rows = {0};
	uint64_t own = UINT64_MAX, base;
	struct wl_elf elf;

	if (fd < 0 || !wl_elf_open(&elf, fd))
		return false;
	base = wl_unwind_base(&elf);
	for (size_t i = 0; i < elf.n_segments; i++)
		if (elf.segments[i].p_type == PT_LOAD && elf.segments[i].p_flags & PF_X &&
			(elf.segments[i].p_offset & ~(uint64_t)(PAGE - 1)) <= m->offset &&
			m->offset < elf.segments[i].p_offset + elf.segments[i].p_filesz)
			own = elf.segments[i].p_vaddr - elf.segments[i].p_offset + m->offset;
	if (own != UINT64_MAX && wl_unwind_file(pid, path, &elf, &rows)) {
		b->rows = reallocarray(b->rows, b->n_rows + 1, sizeof(*b->rows));
		if (!b->rows)
			abort();
		b->rows[b->n_rows++] = rows.v;
		entry_add(b, (struct wl_directory_entry){
				     m->start, m->end, (uint64_t)rows.v, (uint32_t)rows.n, (uint32_t)(own - base)});
	}
	wl_elf_close(&elf);
	close(fd);
	return rows.n != 0;
}

static void add_vdso(struct walk_bench *b, int pid, const struct wl_map *m)
{
	char path[64];
	uint8_t *p = malloc(m->end - m->start);
	int mem, fd = memfd_create("vdso", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (p && pread(mem, p, m->end - m->start, (off_t)m->start) == (ssize_t)(m->end - m->start) &&
		write(fd, p, m->end - m->start) > 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		walk_add(b, pid, path, m);
	}
	free(p);
	close(mem);
	close(fd);
}

void walk_add_process(struct walk_bench *b, int pid)
{
	struct wl_maps maps;

	if (wl_maps_read(pid, &maps))
		abort();
	for (size_t i = 0; i < maps.n; i++) {
		const struct wl_map *m = &maps.v[i];

		if (m->exec && m->inode)
			walk_add(b, pid, m->path, m);
		else if (strcmp(m->path, "[vdso]") == 0)
			add_vdso(b, pid, m);
	}
	wl_maps_free(&maps);
}

static struct walk_taken call(struct walk_bench *b, const struct walk_from *from, uint64_t frames, long trace)
{
	uint8_t *top = b->stack + WL_STACK_SIZE;
	const uint64_t words[] = {from->ip, from->at, from->rbp, from->owner, from->rsp};
	uint64_t args[3] = {frames}, kept[7], offset;
	struct walk_taken taken = {0};

	memcpy(top - WL_WALK_IP, words, sizeof(words));
	if (!wl_import_offset(WARD_IMPORT_STACK, &offset))
		abort();
	taken.handle = import_call(b->code + offset, args, top - WL_WALK_IP - 8, kept, trace);
	if (wl_stack_read(b->stacks, taken.handle, &b->last)) {
		taken.n = b->last.n;
		taken.how = b->last.how;
		taken.address = b->last.address;
	}
	return taken;
}

struct walk_taken walk_take(struct walk_bench *b, const struct walk_from *from, uint64_t frames)
{
	return call(b, from, frames, 0);
}

struct walk_taken walk_count(
	struct walk_bench *b, const struct walk_from *from, uint64_t frames, long *instructions, long *depth)
{
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_ONSTACK}, old;
	stack_t alternate = {.ss_sp = pages(1 << 16), .ss_size = 1 << 16}, before;
	uint8_t *top = b->stack + WL_STACK_SIZE - WL_WALK_IP - 8, *low = b->stack + WL_STACK_SIZE / 2;
	uint64_t args[3] = {0}, kept[7];
	struct walk_taken taken;
	long overhead;

	if (sigaltstack(&alternate, &before) || sigaction(SIGTRAP, &action, &old))
		abort();
	steps = 0;
	import_call(b->code + CODE - PAGE, args, top, kept, 1);
	overhead = steps - 1;
	memset(low, PAINT, (size_t)(top - low));
	steps = 0;
	taken = call(b, from, frames, 1);
	*instructions = steps - overhead;
	while (low < top && *low == PAINT)
		low++;
	*depth = top - 8 - low;
	sigaction(SIGTRAP, &old, NULL);
	sigaltstack(&before, NULL);
	munmap(alternate.ss_sp, 1 << 16);
	return taken;
}
