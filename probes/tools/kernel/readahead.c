/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of what is read ahead from files is used, and how long after?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/readahead.c
 *
 * Counted are the pieces of the cache (folios, of a page or more) that reading ahead adds. `unused` left the cache
 * before anybody read them. Those that are neither used nor unused are still there. What a program reads by way of mmap
 * counts as used when it takes the mapping away.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	ward_count ahead, used, unused;
	ward_log2_elapsed used_after;
};

/* Threads that are reading ahead; what they added, and when. */
WARD_SHARED(WARD_SHARED_MAP(unsigned int, unsigned int, 1024) readers;
	WARD_SHARED_MAP(const void *, unsigned long, 65536) added;);

static void begin(const struct ward_event *ev)
{
	ward_shared_map_put(&ward_shared.readers, (unsigned int)ev->tid, 1);
}

static void end(const struct ward_event *ev)
{
	ward_shared_map_remove(&ward_shared.readers, (unsigned int)ev->tid);
}

WARD_ENTRY("kernel!page_cache_ra_unbounded")
void on_pages(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	begin(ev);
}

WARD_ENTRY("kernel!page_cache_ra_unbounded:return")
void on_pages_end(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	end(ev);
}

WARD_ENTRY("kernel!page_cache_ra_order")
void on_folios(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	begin(ev);
}

WARD_ENTRY("kernel!page_cache_ra_order:return")
void on_folios_end(const struct ward_event *ev, struct ward_state *st)
{
	(void)st;
	end(ev);
}

WARD_ENTRY("kernel!filemap_add_folio")
void on_add(const struct ward_event *ev, struct ward_state *st)
{
	unsigned int reads;

	if (!ward_shared_map_get(&ward_shared.readers, (unsigned int)ev->tid, &reads))
		return;
	st->ahead++;
	ward_shared_map_put(&ward_shared.added, (const void *)ev->arg[1], ev->time);
}

WARD_ENTRY("kernel!folio_mark_accessed")
void on_use(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long since;

	if (!ward_shared_map_pop(&ward_shared.added, (const void *)ev->arg[0], &since))
		return;
	st->used++;
	ward_log2_add(&st->used_after, ev->time - since);
}

WARD_ENTRY("kernel:filemap:mm_filemap_delete_from_page_cache")
void on_leave(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long since;

	st->unused += ward_shared_map_pop(&ward_shared.added, (const void *)ev->arg[0], &since);
}
