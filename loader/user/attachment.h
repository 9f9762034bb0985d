/* All that one attachment has in a target: memory, stubs, patched sites. */
#ifndef WARD_LOADER_ATTACHMENT_H
#define WARD_LOADER_ATTACHMENT_H

#include "../image.h"
#include "remote.h"
#include "site.h"
#include "slots.h"
#include "stub.h"

/* Memory within reach of a group of sites: a copy of the image, and the stubs of those sites. */
struct wl_area {
	uint64_t lo, hi;     /* addresses of the first and last site */
	size_t first, n;     /* its sites, in wl_sites */
	uint64_t base, size; /* as reserved in the target */
	uint64_t stubs, stubs_size;
	uint64_t file_offset; /* of the stubs, in the code file */
};

/* Memory that we mapped in the target. */
struct wl_range {
	uint64_t addr, size;
	bool code; /* somebody may be running in it, or come back to it */
};

enum { WL_RANGES_FIXED = 4 };

struct wl_attachment {
	struct wl_process p;
	struct wl_pauses pauses;
	struct wl_sites sites;
	struct wl_slots slots;
	struct wl_area *areas;
	size_t n_areas;
	struct wl_range *ranges;
	size_t n_ranges;
	int code_fd, state_fd;                            /* ours */
	int code_lock, state_lock;                        /* the same files, locked as long as we live: record.c */
	int64_t remote_code_fd, remote_state_fd;          /* the target's; -1 when closed */
	uint64_t text_offset, rodata_offset, stubs_offset, code_size; /* in the code file: the record at 0, text, rodata, stubs */
	uint64_t states_offset, data_offset, shared_size; /* in the state file: tallies at 0, states, data */
	void *shared;                                     /* our view of the state file, read-only */
	struct wl_tid_source tid;
	uint64_t imports; /* address in the target of the imports' code, if the module has any */
	uint64_t began;   /* nanoseconds of the machine's clock: which of several was first */
	bool live;        /* patched */
	bool left_mapped; /* detached, but its memory stays */
};

/* One that has nothing yet. */
void wl_attachment_init(struct wl_attachment *a);

/*
 * Map slots, state and code of a verified image into the target, by remote system calls of `held` or of a thread stopped for it. The sites
 * that have no reason are given areas. On failure nothing is left.
 */
int wl_map(struct wl_attachment *a, const struct ward_image *image, uint32_t max_threads, struct wl_thread *held, struct ward_error *err);

/* Fill the mapped code: the image's bytes and a stub for each site; then seal it. Sites that turn out impossible get their reason. */
int wl_fill(struct wl_attachment *a, const struct ward_image *image, struct ward_error *err);

/* The reason of a site that somebody else has patched meanwhile. */
extern const char wl_code_changed[];

/* Stop the target, put the jumps in, open the gate, let go. */
int wl_patch(struct wl_attachment *a, struct wl_thread *held, struct ward_error *err);

/*
 * Take the jumps out and close the gate. *quiet: nobody can be inside our code any more, nor come back to it. A target that is gone is no
 * error.
 */
int wl_unpatch(struct wl_attachment *a, bool *quiet, struct ward_error *err);

/* Unmap everything in the target, if it is still the program that we attached to. */
void wl_unmap(struct wl_attachment *a, struct wl_thread *held);

/* Close and free our side. */
void wl_attachment_free(struct wl_attachment *a);

#endif
