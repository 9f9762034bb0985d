/* SPDX-License-Identifier: Apache-2.0 */
/* Sites: the places in the target that match a pattern like "libc.so.6!str*", and whether they can be patched. */
#ifndef WARD_LOADER_SITE_H
#define WARD_LOADER_SITE_H

#include "exits.h"
#include "loader/symbols/alias.h"
#include "loader/symbols/ifunc.h"
#include "loader/process/maps.h"
#include "loader/symbols/sdt_note.h"
#include "loader/symbols/pattern.h"
#include "loader/process/process.h"
#include "displace.h"
#include "loader/symbols/symbols.h"
#include "loader/symbols/watched_names.h"

/*
 * Functions of the program's libraries that Ward watches for itself: how calls end that don't return (call_frames.S).
 */
enum wl_hook {
	WL_HOOK_NONE,
	WL_HOOK_CAUGHT, /* a handler of exceptions begins with it */
	WL_HOOK_RAISED, /* an exception is raised */
	WL_HOOK_JUMPS,  /* longjmp */
	WL_HOOK_ENDS,   /* the thread ends */
};

/* The module's entries that want something of a site, ascending. */
struct wl_wanted {
	uint16_t *v;
	size_t n;
	const char *reason; /* why they can't have it, or NULL; static */
	struct wl_denied {
		uint16_t entry;
		const char *reason; /* static */
	} *denied;                  /* who can't have it, whatever the others get */
	size_t n_denied;
};

/* What is known of a static tracepoint, or of an instruction that a pattern names. */
struct wl_point {
	char *text; /* a tracepoint's arguments, as the note has them; NULL: an instruction, which has none */
	unsigned n_args;
	struct wl_operand arg[WL_POINT_ARGS]; /* of VARIABLE, the value is an address in the target */
	uint64_t semaphore;                   /* in the target; 0: none */
	bool raised;                          /* it was counted up, by us */
	uint64_t start, size;                 /* the piece of code that contains it; size 0: unknown */
};

/* One function in the target, or one static tracepoint, at one address. */
struct wl_site {
	uint64_t addr, size;
	uint64_t next;          /* distance to the next function, 0 if not known */
	char *label;            /* "libc.so.6!read" */
	char *symbol;           /* if it isn't called by that, or NULL */
	struct wl_aliases also; /* its other names, if they are asked for */
	bool ifunc;             /* and what was chosen isn't known */
	char *elsewhere;        /* other functions that make its system call (same_call.h), or NULL */
	char *chosen;           /* the symbol is an IFUNC, and this what was chosen for it, for people; or NULL */
	bool go;                /* a function of Go, or a tracepoint in one */
	bool part;              /* of another function, by its names */
	const char *lost;       /* why the code isn't there, or NULL */
	struct wl_point *point; /* NULL: a function. A point's probes are in `entry` */
	struct wl_wanted entry, exit;
	struct wl_wanted thrown; /* those of `exit` that are for exceptions; what refuses the exits refuses them, too */
	enum wl_hook hook;       /* it shows how calls end */
	enum wl_watched watched; /* what is called there, if its arguments are looked at: a hook, too */
	unsigned n_exits;        /* places at which it is left */
	struct wl_leaves leaves; /* by how many instructions */
	struct wl_parts parts;
	bool pairs;       /* a probe of the exits wants what was at the entry, which is patched for that */
	bool is_call;     /* the entry's patch replaces a call that was there */
	bool combined;    /* exits are among the instructions that the entry's patch displaces */
	uint64_t inlined; /* copies of it in other functions, as far as known */
	bool numbered;
	uint32_t number;
};

/* A function that was meant, of which nothing is left but copies in others. */
struct wl_gone {
	char *label, *symbol; /* as of a site */
	uint64_t copies;
	uint16_t entry; /* of the module, which wants it */
	bool exit;
};

/* Five bytes that become a jump to a stub: a function's entry, or an exit of it. */
struct wl_patch {
	struct wl_displaced d;
	size_t site;   /* whose, in wl_sites */
	bool is_entry; /* and perhaps exits as well: d.exits */
	bool is_cave;  /* another patch's, of the same site: it has no stub of its own */
	/* filled by patching */
	unsigned area;
	uint64_t stub, copy;
	uint8_t jump[WL_JUMP_SIZE];
	bool patched;
	/* of a patch that was found (recovery_record.c): the tracepoint's, which was counted up; 0: none */
	uint64_t semaphore;
};

/* Code that mustn't be moved (rseq.h). */
struct wl_fixed {
	uint64_t from, to;
};

struct wl_sites {
	struct wl_site *v; /* by address */
	size_t n, cap;
	struct wl_patch *patches; /* by address; filled by wl_sites_check */
	size_t n_patches, patches_cap;
	struct wl_bindings bindings;
	struct wl_fixed *fixed;
	size_t n_fixed;
	struct wl_gone *gone;
	size_t n_gone;
	bool go;        /* some are Go's */
	bool all_names; /* set by the caller: what else each is called is asked for */
};

/* Do probes of an entry, or of the exits, run there? */
static inline bool wl_can(const struct wl_wanted *w)
{
	return w->n && !w->reason;
}

/* Does code of our own run where it begins, whatever probes want there? */
static inline bool wl_is_hook(const struct wl_site *s)
{
	return s->hook || s->watched;
}

/* Is the patch needed? */
static inline bool wl_patch_wanted(const struct wl_sites *sites, const struct wl_patch *p)
{
	const struct wl_site *s = &sites->v[p->site];

	if (s->point)
		return wl_can(&s->entry);
	return (p->is_entry &&
		       (wl_can(&s->entry) || (wl_is_hook(s) && !s->entry.reason) || (s->pairs && wl_can(&s->exit)))) ||
	       (p->d.exits && wl_can(&s->exit));
}

/* Bytes that are written there. */
static inline size_t wl_patch_size(const struct wl_patch *p)
{
	return p->d.cave ? WL_SHORT_SIZE : WL_JUMP_SIZE;
}

/* A new patch behind the others, which must be put in order then. False without memory. */
bool wl_add_patch(struct wl_sites *sites, size_t site, const struct wl_displaced *d, bool is_entry);

/*
 * What the entry's probe wants isn't available there: move it from those that want something to the denied ones.
 * False without memory.
 */
bool wl_deny(struct wl_wanted *w, uint16_t entry, const char *why);

/* The first reason why something that a probe wants of the site is unavailable, or NULL. */
const char *wl_site_lacks(const struct wl_site *s);

/* The patch can't be made: neither can what it was for. A function is probed at all of its exits or at none. */
void wl_patch_refuse(struct wl_sites *sites, const struct wl_patch *p, const char *why);

/* The patch that begins last at or below the address, or NULL. */
struct wl_patch *wl_patch_at(const struct wl_sites *sites, uint64_t addr);

/* The cave of a patch that has one; NULL only if the patches are broken (recovery_record.c). */
const struct wl_patch *wl_cave_of(const struct wl_sites *sites, const struct wl_patch *p);

/*
 * Add the sites that match to the list; entry number `entry` wants their entries, or exits if the pattern says
 * WL_RETURN or WL_THROW. Returns the number of functions matched, or -1 without memory.
 */
long wl_sites_add(struct wl_sites *sites, const struct wl_pattern *pattern, uint16_t entry, const struct wl_process *p,
	const struct wl_maps *maps, struct wl_modules *modules);

/*
 * Where a C library is called to forbid threads what stubs do (forbidden_calls.h): its functions become sites as well,
 * those for `calls` and those for protection keys each only if wanted. False without memory.
 */
bool wl_sites_watch(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps,
	struct wl_modules *modules, bool calls);

/* Look at the target's code and fill the reasons of every site, or the patches. Returns 0 or ENOMEM. */
int wl_sites_check(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps);

/*
 * If exceptions' handlers can't be seen to begin, no site can have what it wants of exceptions: give it the reason.
 * After patching, too.
 */
void wl_sites_check_throws(struct wl_sites *sites);

/* The error for a pattern that matched nothing just now, with a hint at what there is. */
int wl_pattern_no_match(const char *text, const struct wl_pattern *pattern, const struct wl_sites *sites,
	struct wl_modules *modules, struct ward_error *err);

void wl_sites_free(struct wl_sites *sites);

#endif
