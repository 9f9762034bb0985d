/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of ward.ko share. */
#ifndef WARD_H
#define WARD_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "ward_ioctl.h"

/* Words of the event that aren't arguments. */
enum {
	WARD_RET = 6,
	WARD_CALLER = 7,
	WARD_TID = 8,
	WARD_CPU = 9,
	WARD_TIME = 10,
	WARD_ELAPSED = 11,
	WARD_SITE = 12,
	WARD_SP = 13,
	/* behind those that probes read: where the event's frame is, and of which hook it is (stack.c) */
	WARD_FROM = WARD_K_EVENT_WORDS,
	WARD_HOOK,
	WARD_EVENT_ROOM,
};

/* What a session's probes work with on a processor. */
struct ward_here {
	struct ward_k_tally *tally;
	void *state;
	u64 *event; /* all sessions' */
};

/* One open file. All that isn't constant once there is code is under lock. */
struct ward_session {
	struct mutex lock;
	u8 *code; /* in the arena; NULL: nothing is loaded */
	size_t code_size;
	struct ward_k_entry *entries;
	u32 n_entries;
	void *shared; /* tallies and states, which the file maps */
	size_t shared_size;
	struct page **pages; /* of these; some are there several times */
	/* in these: where the states are, how far apart, and where in each is what all share */
	size_t states_offset, state_stride, shared_part, shared_part_size;
	struct ward_k_stacks *stacks; /* in these; NULL: no probe takes any */
	struct ward_tables *tables;   /* for stacks of processes; NULL: none were handed over */
	struct ward_here __percpu *here;
	struct list_head hooks;
	u32 n_returns, n_points, n_samples; /* of these */
	bool stuck;                         /* a hook can't be taken off: nothing is freed */
};

static inline bool ward_is_return(u32 where)
{
	return where == WARD_K_RETURN || where == WARD_K_CALL_RETURN;
}

static inline bool ward_is_call(u32 where)
{
	return where == WARD_K_CALL || where == WARD_K_CALL_RETURN;
}

/*
 * states.c: make the tallies and states that are asked for, and say where they are. What was made is forgotten by the
 * second one, whether it succeeded or not.
 */
int ward_make_states(struct ward_session *s, struct ward_k_load *l);
void ward_forget_states(struct ward_session *s);

/* Fill s->here; the states begin so far into what is shared, and are so far apart. */
int ward_make_here(struct ward_session *s, size_t states_offset, size_t state_stride);

/* Hook the functions; those of a, which is checked but for them. */
int ward_hook(struct ward_session *s, struct ward_k_attach *a, unsigned long *sites);

/* Hook what samples are taken by, which is good; a is checked. */
int ward_hook_sample(struct ward_session *s, struct ward_k_attach *a, const struct ward_k_sample *sample);

/* Hook the tracepoint of that name, the kernel's or a module's; a is checked. */
int ward_hook_point(struct ward_session *s, struct ward_k_attach *a, const char *name);

/*
 * tracepoint.c: the one tracepoint of that name, of which the module, if it is one's,
 * is held. ENOENT: there is none; ENOTUNIQ: there are several; ENODEV: its
 * module is being loaded or unloaded.
 */
struct tracepoint;
struct module;
int ward_find_point(const char *name, struct tracepoint **point, struct module **owner);

/* import.c: what goes into the slot of an import, of enum ward_k_import. */
void *ward_import(u32 import);

/* stack.c: the handle of the stack at the event that this processor's probe has; 0: there is none, or no room. */
u64 ward_take_stack(u64 frames);

/* user_stack.c: the handle of the running task's own stack, in its process; 0: it has none. */
u64 ward_take_user_stack(u64 frames);

/* stack_table.c: the handle of a stack: n words, of which the first says how many addresses. 0: there is no room. */
u64 ward_keep_stack(struct ward_k_stacks *stacks, const u64 *words, u32 n);

/*
 * unwind_tables.c: take rows, or what a process has mapped, and answer; forget all, when no probe runs any more. The
 * caller holds the lock.
 */
int ward_take_rows(struct ward_session *s, struct ward_k_rows *r);
int ward_take_mapped(struct ward_session *s, struct ward_k_mapped *m);
void ward_forget_tables(struct ward_session *s);

/* Take all hooks off, and wait until no task is in code of the session. */
void ward_unhook_all(struct ward_session *s);

#endif
