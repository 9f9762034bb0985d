// SPDX-License-Identifier: GPL-2.0-only
/* Allocating chunks of the arena, and writing to them. */
#include <linux/bitmap.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/sync_core.h>

#include "arena.h"

#define UNITS (WARD_ARENA_SIZE / WARD_ARENA_UNIT)

static DEFINE_MUTEX(lock);
static DECLARE_BITMAP(used, UNITS);

u8 *ward_arena_take(size_t bytes, size_t align)
{
	unsigned int n = DIV_ROUND_UP(bytes, WARD_ARENA_UNIT);
	unsigned long first;

	if (!bytes || bytes > WARD_ARENA_SIZE)
		return NULL;
	mutex_lock(&lock);
	first = bitmap_find_next_zero_area(used, UNITS, 0, n, align / WARD_ARENA_UNIT - 1);
	if (first < UNITS)
		bitmap_set(used, first, n);
	mutex_unlock(&lock);
	return first < UNITS ? ward_arena + first * WARD_ARENA_UNIT : NULL;
}

/* What a processor may have fetched of a place before is gone behind this. */
static void fetched_forget(void *unused)
{
	sync_core();
}

/* A writable view of the pages that hold [at, at + size). NULL without memory. */
static u8 *pages_view(u8 *at, size_t size, unsigned int *offset)
{
	unsigned int n, i;
	struct page **pages;
	u8 *seen = NULL;

	*offset = offset_in_page(at);
	n = DIV_ROUND_UP(*offset + size, WARD_ARENA_PAGE);
	pages = kmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	for (i = 0; i < n; i++)
		pages[i] = vmalloc_to_page(at - *offset + i * WARD_ARENA_PAGE);
	for (i = 0; i < n && pages[i]; i++)
		;
	if (i == n)
		seen = vmap(pages, n, VM_MAP, PAGE_KERNEL);
	kfree(pages);
	return seen;
}

/* Write bytes, or int3 where there are none. */
static int pages_fill(u8 *at, const void *bytes, size_t size)
{
	unsigned int offset;
	u8 *seen;

	if (at < ward_arena || size > WARD_ARENA_SIZE || at > ward_arena + WARD_ARENA_SIZE - size)
		return -EFAULT;
	seen = pages_view(at, size, &offset);
	if (!seen)
		return -ENOMEM;
	if (bytes)
		memcpy(seen + offset, bytes, size);
	else
		memset(seen + offset, 0xcc, size);
	vunmap(seen);
	on_each_cpu(fetched_forget, NULL, 1);
	return 0;
}

int ward_arena_write(u8 *at, const void *bytes, size_t size)
{
	return pages_fill(at, bytes, size);
}

void ward_arena_give(u8 *at, size_t bytes)
{
	unsigned int n = DIV_ROUND_UP(bytes, WARD_ARENA_UNIT);

	if (!at)
		return;
	/* Without memory the old code stays until another chunk takes the place. */
	pages_fill(at, NULL, n * WARD_ARENA_UNIT);
	mutex_lock(&lock);
	bitmap_clear(used, (at - ward_arena) / WARD_ARENA_UNIT, n);
	mutex_unlock(&lock);
}
