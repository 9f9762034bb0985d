/* SPDX-License-Identifier: Apache-2.0 */
/* All that one attachment has in a target: memory, stubs, patched sites. */
#ifndef WARD_LOADER_ATTACHMENT_H
#define WARD_LOADER_ATTACHMENT_H

#include "loader/base/image.h"
#include "loader/code/foreign_base.h"
#include "loader/process/remote.h"
#include "loader/code/site.h"
#include "loader/symbols/link_map.h"
#include "loader/stub/slots.h"
#include "loader/stub/stub.h"

/* Memory within reach of a group of patches: a copy of the image, and their stubs. */
struct wl_area {
	uint64_t lo, hi; /* addresses of the first and last of them */
	bool keeps;      /* jumps lead there whose last byte was there before: */
	uint8_t fifth;
	uint64_t base, size; /* as reserved in the target */
	uint64_t stubs, stubs_size;
	uint64_t file_offset; /* of the stubs, in the code file */
};

/* Memory that we mapped in the target. */
struct wl_range {
	uint64_t addr, size;
	bool code; /* a thread may be running in it, or return to it */
};

enum { WL_RANGES_FIXED = 7 };

struct wl_attachment {
	const struct ward_image *image; /* the session's; NULL: found, or seen through others' eyes */
	struct wl_process p;
	struct wl_pauses pauses;
	struct wl_late late;
	struct wl_sites sites;
	struct wl_slots slots;
	struct wl_area *areas;
	size_t n_areas;
	struct wl_gadgets gadgets;
	struct wl_range *ranges;
	size_t n_ranges;
	int code_fd, state_fd; /* ours */
	/* the same files, locked as long as we live: recovery_record.c */
	int code_lock, state_lock;
	int64_t remote_code_fd, remote_state_fd; /* the target's; -1 when closed */
	/* in the code file: the record at 0, text, rodata, stubs */
	uint64_t text_offset, rodata_offset, stubs_offset, code_size;
	uint64_t states_offset, data_offset, shared_size; /* in the state file: tallies at 0, states, data, */
	uint64_t stacks_offset;                           /* and stacks that were taken (walk.h); 0: none */
	uint32_t stacks_number;                           /* among those of the session */
	void *shared; /* our view of the state file; only cursors of queues are written */
	/* where to map it, in place of what is there, which this attachment won't unmap; NULL: anywhere */
	void *view;
	/* a state file to continue with, which this attachment won't close; -1: start with nothing */
	int carried;
	uint32_t (*number)(void *user, const char *site); /* gives sites their numbers; NULL: they are counted */
	void *number_user;
	struct wl_tid_source tid;
	enum wl_foreign foreign;  /* can fs have a base that isn't the C library's? */
	uint64_t stack_top;       /* the end of the first thread's stack; 0: unknown */
	struct wl_tables *tables; /* what probes that take stacks need (unwind_tables.h), or NULL */
	uint64_t imports;         /* address in the target of the imports' code, if the module has any */
	uint64_t began;           /* nanoseconds of the machine's clock: the order of several attachments */
	bool ordered_times;       /* of events of different threads */
	bool live;                /* patched */
	bool left_mapped;         /* detached, but its memory stays */
	/* how it is attached, loader/attach: */
	const struct wl_places *only; /* where sites are looked for; NULL: everywhere */
	bool later;                   /* what is there was loaded just now */
	bool *unmatched;              /* for each site of each entry: its pattern matched nothing */
	uint32_t n_attached;          /* sites */
	bool nothing;                 /* it is not attached, as there was nothing to attach to; */
	bool overtaken;               /* or as others changed the code meanwhile */
};

/* One that has nothing yet. */
void wl_attachment_init(struct wl_attachment *a, const struct ward_image *image);

/*
 * Map slots, state and code of a verified image into the target, by remote system calls of one of `held`, which are all
 * threads of it and stopped, or (NULL) of a thread stopped for it. The sites that have no reason are given areas. On
 * failure nothing is left.
 */
int wl_map(struct wl_attachment *a, const struct ward_image *image, uint32_t max_threads, struct wl_threads *held,
	struct ward_error *err);

/*
 * Fill the mapped code: the image's bytes and a stub for each site; then seal it. Sites that turn out impossible get
 * their reason.
 */
int wl_fill(struct wl_attachment *a, const struct ward_image *image, struct ward_error *err);

/*
 * The process of `a` is a child of that of `parent`, just forked: its attachment is a copy (fork_child.c). Returns 0
 * or ENOMEM.
 */
int wl_copy_attachment(struct wl_attachment *a, const struct wl_attachment *parent);

/*
 * Make the copied rows the child's own; tid is its only thread. Returns 0, EBUSY if that thread is inside a probe, or
 * ESRCH if it is gone. On failure only rows of threads that don't exist there have changed.
 */
int wl_own_rows(struct wl_attachment *a, pid_t tid);

/*
 * Map a state file of its own in the parent's place, with all of its threads `held`. On failure it has copies still, at
 * which it skips the probes.
 */
int wl_map_forked(struct wl_attachment *a, const struct wl_attachment *parent, const struct ward_image *image,
	struct wl_threads *held, struct ward_error *err);

/* Is the thread's control block between these addresses, near the upper one? */
bool wl_has_control_block(const struct wl_process *p, pid_t tid, uint64_t from, uint64_t to);

/*
 * Has a static program a control block of glibc by now, which it hadn't when Ward attached? Then its stubs take the
 * short path. The thread is stopped.
 */
bool wl_settle(struct wl_attachment *a, pid_t tid);

/* Let its probes run. */
bool wl_open_gate(struct wl_attachment *a);

/*
 * What is forbidden to a process is forbidden to the child that it has forked: carry the gate's flags. False if one of
 * them is gone.
 */
bool wl_inherit_flags(struct wl_attachment *a, const struct wl_attachment *parent);

/* The reason for a site that another tool has patched meanwhile. */
extern const char wl_code_changed[];

/* Stop the target, put the jumps in, open the gate, let go. */
int wl_patch(struct wl_attachment *a, struct wl_threads *held, struct ward_error *err);

/*
 * Take the jumps out and close the gate. *quiet: no thread can be inside our code any more, or return to it. It is no
 * error if the target is gone.
 */
int wl_unpatch(struct wl_attachment *a, bool *quiet, struct ward_error *err);

/*
 * The same for a target whose threads are all held, whether or not a thread is inside our code; wl_unpatch will find
 * that out later. True if all sites have their original bytes.
 */
bool wl_unpatch_held(struct wl_attachment *a, struct wl_threads *held);
/* Is no thread inside our code, and can none return to it? */
bool wl_is_quiet(struct wl_attachment *a, const struct wl_threads *held);

/*
 * Let no probe run any more, without stopping a thread: the jumps stay, and skip the probes. False if the target
 * can't be written to.
 */
bool wl_silence(struct wl_attachment *a);

/* Unmap everything in the target, if it is still the program that we attached to. */
void wl_unmap(struct wl_attachment *a, struct wl_threads *held);

/* Close and free our side. */
void wl_attachment_free(struct wl_attachment *a);

#endif
