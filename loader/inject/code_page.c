/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code by pages.
 *
 * A system call for each of a thousand patches takes milliseconds, and meanwhile the whole target stands still. So a
 * page is kept here. Patches come in the order of their addresses, and the page is written back when another one is
 * needed, from the first changed byte to the last one, in a single call. The bytes in between are written as they were
 * read. That is right only where nothing else can change them meanwhile: in private memory that isn't writable, as all
 * threads are stopped, and the kernel doesn't write there for a thread that is asleep in it. Elsewhere, and across the
 * end of a page, each patch is written by itself.
 */
#include "code_page.h"

#include <string.h>

bool wl_code_flush(struct wl_code_page *c)
{
	if (c->lo != c->hi && !wl_process_write(c->p, c->at + c->lo, c->bytes + c->lo, c->hi - c->lo))
		c->failed = true;
	c->lo = c->hi = 0;
	return !c->failed;
}

/* Have the page that holds all of these bytes. */
static bool page_load(struct wl_code_page *c, uint64_t addr, size_t n)
{
	uint64_t at = addr & ~(uint64_t)(WL_CODE_PAGE - 1);

	if (addr - at + n > WL_CODE_PAGE)
		return false;
	if (c->loaded && c->at == at)
		return true;
	if (!wl_code_flush(c))
		return false;
	c->at = at;
	c->loaded = wl_process_read(c->p, at, c->bytes, WL_CODE_PAGE);
	return c->loaded;
}

bool wl_code_read(struct wl_code_page *c, uint64_t addr, void *buf, size_t n)
{
	if (!page_load(c, addr, n))
		return wl_code_flush(c) && wl_process_read(c->p, addr, buf, n);
	memcpy(buf, c->bytes + (addr - c->at), n);
	return true;
}

/* Does nothing but a tracer change the memory, while all threads are stopped? */
static bool is_ours_alone(const struct wl_code_page *c, uint64_t addr)
{
	const struct wl_map *m = wl_maps_find(c->maps, addr);

	return m && !m->write && !m->shared && !c->p->below;
}

bool wl_code_write(struct wl_code_page *c, uint64_t addr, const void *buf, size_t n)
{
	unsigned at = (unsigned)(addr & (WL_CODE_PAGE - 1));

	if (!is_ours_alone(c, addr) || !page_load(c, addr, n)) {
		c->failed |= !wl_code_flush(c) || !wl_process_write(c->p, addr, buf, n);
		c->loaded = false;
		return !c->failed;
	}
	memcpy(c->bytes + at, buf, n);
	if (c->lo == c->hi)
		c->lo = c->hi = at;
	c->lo = at < c->lo ? at : c->lo;
	c->hi = at + n > c->hi ? at + (unsigned)n : c->hi;
	return true;
}
