/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an attachment writes about itself in the target, for the program that cleans up when its tracer is gone.
 * recovery_record.c describes the record.
 */
#ifndef WARD_LOADER_RECOVERY_RECORD_H
#define WARD_LOADER_RECOVERY_RECORD_H

#include "attachment.h"

/* The size of the record in the code file, for this number of areas and patches. */
uint64_t wl_record_size(size_t n_areas, size_t n_patches);

/* Begin the record of an attachment whose code file is there: who attaches, and when. False if it can't be written. */
bool wl_record_begin(const struct wl_attachment *a);

/* The memory that has been mapped by now. */
bool wl_record_ranges(const struct wl_attachment *a);

/* What will be patched, once the stubs are made. */
bool wl_record_patches(const struct wl_attachment *a);

/* That the attachment is this process's own, which its children won't inherit. False if the process is gone. */
bool wl_record_owner(const struct wl_attachment *a);

/* Say that its memory will be freed now, before any of it is. */
void wl_record_freeing(const struct wl_attachment *a);

/* An attachment that was found in a process. */
struct wl_found {
	struct wl_attachment a; /* as its tracer had it, as far as taking it off needs that; its process is borrowed */
	struct wl_site site;    /* to which all patches are assigned */
	uint64_t inode;         /* of its code file */
	unsigned major, minor;
	pid_t tracer;         /* as the record says */
	uint64_t began;       /* also; gives only the order of several */
	bool live;            /* its tracer is there */
	bool copied;          /* it was copied by a fork, and belongs to no tracer */
	size_t n_places;      /* patches that are in the code now */
	const char *doubtful; /* why some of them can't be taken back; static */
};

/*
 * All attachments in a process, the newest first. Returns 0, or ENOMEM. What is found is hostile: it has been checked
 * against the mappings, and the bytes to be written back against the files on disk.
 */
int wl_found_all(const struct wl_process *p, const struct wl_maps *maps, struct wl_found **out, size_t *n);
/* The same, not yet held against the files. */
int wl_found_read(const struct wl_process *p, const struct wl_maps *maps, struct wl_found **out, size_t *n);

/* Is this byte of the code in the jump of an attachment, other than f? */
bool wl_found_has(const struct wl_found *v, size_t n, const struct wl_found *f, uint64_t addr, uint8_t byte);

/* Is another attachment's jump in the place of this one's, and not over it? `now`: the bytes there. */
bool wl_found_replaced(const struct wl_process *p, const struct wl_patch *patch, const uint8_t *now);

/* Where the jump at the address leads. */
uint64_t wl_jump_target(uint64_t addr, const uint8_t *jump);

void wl_found_free(struct wl_found *v, size_t n);

/*
 * The attachments in the same process whose code continues in this one's, because they were put over its jumps. Only
 * where their memory is. Returns 0 or ENOMEM.
 */
int wl_found_over(const struct wl_attachment *a, const struct wl_maps *maps, struct wl_found **out, size_t *n);

/*
 * Prevent other tracers from taking the attachment off while we exist: lock its two files. The locks are released
 * when we end, for whatever reason.
 */
bool wl_lock_files(struct wl_attachment *a);

void wl_unlock_files(struct wl_attachment *a);

/* Is a file locked so? Also true if that can't be known. */
bool wl_is_locked(unsigned major, unsigned minor, uint64_t inode);

#endif
