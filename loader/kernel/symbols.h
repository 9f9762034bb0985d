/* SPDX-License-Identifier: Apache-2.0 */
/* The running kernel's functions: where they are, and which of them can be traced. */
#ifndef WARD_LOADER_KERNEL_SYMBOLS_H
#define WARD_LOADER_KERNEL_SYMBOLS_H

#include "ward/ward.h"

/* Is it the event of a system call, which begins or has returned? */
enum wl_kcall { WL_KCALL_NONE, WL_KCALL_ENTER, WL_KCALL_EXIT };

struct wl_ksym {
	uint64_t addr;
	const char *name;   /* "vfs_read" */
	const char *module; /* "ext4"; "" for the kernel itself */
	const char *reason; /* why it can't be probed, a static string; NULL if nothing is known against it */
	bool held;          /* a tracer has its first instruction for itself, */
	bool ours;          /* which is Ward, whose entries' hooks share it */
	bool several;       /* others of its module have its name; where all of them were asked for */
	enum wl_kcall call; /* then the address is that of the call's function */
};

/* Parts of the kernel's own code: freed after its start; where nothing may be traced; in assembly; all that stays. */
enum wl_kpart { WL_KPART_INIT, WL_KPART_NOINSTR, WL_KPART_ENTRY, WL_KPART_TEXT, WL_KPARTS };

/* Functions in order of their addresses; of several names for one address there is an entry each. */
struct wl_ksyms {
	struct wl_ksym *v;
	size_t n;
	struct {
		uint64_t start, end;
	} part[WL_KPARTS]; /* zero if unknown */
	bool checked;      /* the kernel has said which functions it can trace; the reasons are complete */
	char *text;        /* that the names are in */
	char *modules;     /* that the modules' names are in, if not there */
};

/* Has the name anything in it that matches more than itself? */
bool wl_is_glob(const char *name);

/*
 * Those whose name matches a pattern of fnmatch(3). None is no error. check: ask the kernel which of them can be
 * traced, which a name alone doesn't. WARD_E_TARGET if it doesn't show its addresses.
 */
int wl_ksyms_read(const char *glob, bool check, struct wl_ksyms *out, struct ward_error *err);
void wl_ksyms_free(struct wl_ksyms *k);

enum { WL_KEVENT_NAME = 256 }; /* bytes of "subsystem:event", with the zero behind it */

/*
 * tracepoints.c: tracepoints and system calls whose "subsystem:event" matches, in order of names; tracepoints have no
 * addresses. None is no error; WARD_E_TARGET if the kernel doesn't tell. The second one takes what the files
 * available_events, dynamic_events and kallsyms say (the last two may be NULL: not there), in which it writes; *k has
 * names in the first, and modules' in the last, and of system calls no functions yet.
 */
int wl_kevents_read(const char *glob, struct wl_ksyms *out, struct ward_error *err);
bool wl_kevents_judge(struct wl_ksyms *k, const char *glob, char *events, char *dynamic, char *symbols);

/*
 * syscalls.c: which system call's event this is, or none. Its functions, or reasons: wl_kcalls_find takes those of the
 * kernel that are called as system calls' are, with reasons if they can't be probed; NULL: not shown. Arguments as C
 * declares them, to be freed, or NULL, of the event; and of the text of its file "format", in which it writes.
 */
enum wl_kcall wl_kcall_of(const char *event);
int wl_kcalls_read(struct wl_ksyms *events, struct ward_error *err);
void wl_kcalls_find(struct wl_ksyms *events, const struct wl_ksyms *functions);
char *wl_kcall_arguments(const char *event);
char *wl_kcall_format(char *format);

/* All of them, or those of one name, with no reasons. */
int wl_ksyms_all(const char *only, struct wl_ksyms *out, struct ward_error *err);

/* The same from what /proc/kallsyms says, a string that becomes *out's (on failure it is freed). */
int wl_ksyms_parse(char *text, const char *only, struct wl_ksyms *out, struct ward_error *err);

/* How many of them begin at the address or below. */
size_t wl_ksyms_upto(const struct wl_ksyms *k, uint64_t addr);

bool wl_ksyms_in(const struct wl_ksyms *k, enum wl_kpart part, uint64_t addr);

/*
 * names.c: what the address is called, "vfs_read+0x12" or "ext4_iget [ext4]", cut to fit. False if it is in no function
 * that is known.
 */
bool wl_kname_find(const struct wl_ksyms *k, uint64_t address, char *text, size_t size);

/*
 * Of several names for one function the one that programs call it by: with the fewest underscores before it, then the
 * shortest.
 */
bool wl_is_better_name(const char *a, const char *b);

/*
 * traceable.c: find reasons against functions; without `all` only those that their names tell. With it, k must have all
 * functions. False without memory. The second one takes what the kernel's files available_filter_functions and
 * enabled_functions say (NULL: not there), in which it writes.
 */
bool wl_ksyms_check(struct wl_ksyms *k, bool all);
bool wl_ksyms_judge(struct wl_ksyms *k, char *traceable, char *enabled);

/* ---- Text files, and tables made of them ---- */

/* The whole of a file whose size isn't known before, with a zero byte behind it, to be freed. NULL with errno. */
char *wl_read_file(const char *path);
char *wl_read_bytes(const char *path, size_t *size);

/* The same of a file of tracefs's. */
char *wl_read_tracing(const char *name);

/* The next line of a text, which *at moves past. NULL at the end. */
char *wl_next_line(char **at);

/* "name [module]", cut in two in place. */
void wl_ksym_split(char *rest, const char **name, const char **module);

/* k->v has *room elements. False without memory. */
bool wl_ksyms_add(struct wl_ksyms *k, size_t *room, struct wl_ksym sym);

int wl_ksyms_by_address(const void *a, const void *b);

#endif
