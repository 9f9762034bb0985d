/* SPDX-License-Identifier: Apache-2.0 */
/* What code of files processes have had at which addresses, and when. map_history.c describes how that is found. */
#ifndef WARD_LOADER_MAP_HISTORY_H
#define WARD_LOADER_MAP_HISTORY_H

#include "inline_frames.h"
#include "link_map.h"
#include "symbols.h"

/* A file that has been mapped. It stays open, and its symbols are read when the first of its addresses is named. */
struct wl_file {
	struct wl_module module; /* its name, and if it is readable all else */
	struct wl_map map;       /* a mapping of it; the path is our own */
	bool readable;
	struct wl_inline_frames inlines;
	struct wl_jit *jit;    /* it lists code that the process makes (jit_map.h); NULL: it is mapped */
	int64_t changed, size; /* when the file was last written */
};

/* Of several processes. The pointers stay what they are. */
struct wl_files {
	struct wl_file **v;
	size_t n;
};

/*
 * Code that was mapped. What a process makes has its address for its offset. Times are of the time stamp counter:
 * before `from` and after `to` it wasn't there.
 */
struct wl_life {
	uint64_t start, end, offset;
	uint64_t from, to;
	uint32_t file;  /* its number */
	uint32_t alive; /* in a history: how many processes have it now */
	uint64_t reach; /* in a history: the greatest end of this one and of those before it */
};

/* All code that was mapped in one process, or in several one after the other. In order of `start`; zero at first. */
struct wl_history {
	struct wl_life *v;
	size_t n, cap;
};

/* What a process had mapped in the last look at it. Zero at first. */
struct wl_mapped {
	struct wl_life *v; /* in ascending order */
	size_t n;
	uint64_t looked; /* when that look began; 0: there was none */
	uint64_t quiet;  /* the dynamic linker had added nothing until then */
	struct wl_linker_mark linker;
	uint64_t least, most; /* nanoseconds: when the next look comes, if something has come, and in any case */
	uint64_t pause;       /* nanoseconds between looks; longer each time */
};

/*
 * Look at a process, and write what has come and gone into these histories. Returns 0, ENOMEM, or ESRCH if nothing is
 * mapped there any more: then nothing is changed.
 */
int wl_mapped_look(struct wl_mapped *m, const struct wl_process *p, struct wl_files *files,
	struct wl_history *const *histories, size_t n);
/* Its states are in this one as well from now on. False without memory. */
bool wl_mapped_join(const struct wl_mapped *m, struct wl_history *history);
/* They are no longer. */
void wl_mapped_leave(const struct wl_mapped *m, struct wl_history *history);
/* Is it time for a look? Costs little, so it may be asked for every millisecond. */
bool wl_mapped_is_due(struct wl_mapped *m, const struct wl_process *p);

/* Would the address of any code in `m` have two meanings in the history? */
bool wl_mapped_conflicts(const struct wl_mapped *m, const struct wl_history *history);

/* A place in a file. */
struct wl_spot {
	uint32_t file;
	uint64_t offset;
	uint64_t from; /* since when */
};
enum { WL_SPOTS_MOST = 8 };

/*
 * Which places the address may be, at that time (0: at any), the oldest first. Adds to the `n` that are there, each
 * once, at most `most`; returns how many these are.
 */
size_t wl_history_find(
	const struct wl_history *h, uint64_t address, uint64_t time, struct wl_spot *spots, size_t n, size_t most);

void wl_mapped_free(struct wl_mapped *m);
void wl_history_free(struct wl_history *h);
void wl_files_free(struct wl_files *files);

#endif
