/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward/ward.h - libward: verify a module, attach it to functions of a live process, read its state, detach.
 *
 * Errors. A function that can fail returns 0 or a negative enum ward_status, fills *err if err is not NULL, and gives
 * out NULL. After success *err has status 0 and empty strings. A missing argument (NULL where that isn't allowed in so
 * many words) is WARD_E_USAGE, never a crash; where a function has no error to return it answers as if there were
 * nothing.
 *
 * Structures. One that the caller fills starts with its size, set to sizeof; zero in any other field means the default:
 *	struct ward_attach_options options = {.size = sizeof(options), .max_insns = 10000};
 * So a program and a library of different age understand each other: fields that the caller doesn't have are zero;
 * fields that the library doesn't have must be zero, else the call is refused (WARD_E_USAGE). All other structures are
 * filled by the library, and keep their layout as long as the library keeps the number in its name (libward.so.1).
 *
 * Ownership. What a function gives out through `out` is the caller's, who ends it with the function that is named
 * there. Arguments are read during the call only, if nothing else is said. Strings are in the caller's hands as long as
 * what they were found in.
 *
 * Threads. There is no global state, and any thread may call anything. Functions that take a const handle, and those of
 * a session but ward_session_states and ward_session_free, may be called for one handle from several threads at once.
 * All others want the handle for themselves for so long. Callbacks run in the calling thread, before the call returns,
 * and must not end the handles of that call.
 *
 * Signals. Nothing here changes a signal's disposition, and threads of the library's own block all of them. ward_spawn
 * makes a child, which only ward_wait waits for.
 */
#ifndef WARD_WARD_H
#define WARD_WARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "ward/verify.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum ward_status {
	WARD_OK = 0,
	WARD_E_REJECTED = -1, /* the verifier refused the module */
	WARD_E_USAGE = -2,    /* a wrong argument, or bytes that are no module */
	WARD_E_TARGET = -3,   /* the target refused: gone, no permission, no such site */
	WARD_E_SYSTEM = -4,   /* out of memory and the like */
};

/* The version of the library that is running, "0.1". A static string. */
const char *ward_version(void);

/*
 * What went wrong, for a line "ward: what: why" and a hint below; printable text on one line each, cut to fit. Empty
 * strings if there was no error.
 */
struct ward_error {
	int status;
	char what[160];
	char why[320];
	char hint[320];
};

typedef struct ward_session ward_session;

/*
 * Told once for each place that a site pattern matched, before ward_attach returns, in its thread. What it is given
 * lasts until it returns.
 */
struct ward_site_report {
	const char *site;  /* "libc.so.6!read", or "libc.so.6!read:return", or with ":throw" */
	const char *probe; /* the probe function */
	/*
	 * "jump", "call" (a call in the first bytes is led through the stub) or, of a return site, "exits", of a throw
	 * site, "catch"; of the kernel "direct call", "function tracer" or, of a return, "wrapped call" or "kretprobe";
	 * NULL if skipped
	 */
	const char *method;
	const char *reason; /* why it was skipped; NULL if attached */
	uint64_t address;   /* in the target */
	uint32_t number;    /* ev->site; only if attached */
	uint32_t exits;     /* of a return site: places at which the function is left, each of which is patched */
	/*
	 * of an IFUNC: the function that was chosen for it in this process, and other symbols for which the same was
	 * ("libc.so.6+0x161440, as for memmove"). Else NULL
	 */
	const char *chosen;
	/*
	 * of a static tracepoint: where its arguments are, as the target's file says ("-4@%edi 8@$17"); of the kernel:
	 * what they are ("struct file *file, loff_t *pos"), if its types tell. It may hold anything. Else NULL
	 */
	const char *arguments;
	/*
	 * of a C++ or Rust function, whose name `site` has as its source has it, its symbol ("_ZN2ns5Class6methodEi").
	 * Else NULL
	 */
	const char *symbol;
	/*
	 * copies of the function in others, where no probe sees them: as debug information tells, of sites that name
	 * one function. 0 if none are known
	 */
	uint64_t inlined;
	bool later; /* in code that was loaded after the attach */
	/*
	 * what it is in: "libc.so.6"; of the kernel its module ("ext4"), or "vmlinux". It may hold anything. NULL if
	 * that isn't known
	 */
	const char *module;
};
typedef void ward_site_fn(void *user, const struct ward_site_report *report);

/*
 * Told of each program that was followed, when it is over: the process has ended, or become another program, or the
 * session is detached. What it is given lasts until it returns.
 */
struct ward_process_report {
	int64_t pid, parent;
	const char *program; /* path; it may hold anything */
	uint32_t sites;      /* that were attached there */
	/*
	 * of the session's, how many were of this process; those of children that share its memory (vfork) are among
	 * them
	 */
	uint64_t events, dropped;
	const char *reason; /* why it ran without probes ("libx.so!f: no such function"); NULL if it had some */
};
typedef void ward_process_fn(void *user, const struct ward_process_report *report);

/* The limits are the caller's policy: what a module may cost and call is proven before anything is touched. */
struct ward_attach_options {
	size_t size;
	const char *site; /* replaces the sites in the module ("libc.so.6!read"), or NULL */
	/* instructions that one run of a probe may cost, calls included; default WARD_DEFAULT_MAX_INSNS */
	uint64_t max_insns;
	uint32_t max_stack;    /* bytes of stack of one run; default and ceiling 4096 */
	uint32_t max_state;    /* bytes of state of one thread; default 2^28 */
	uint32_t max_threads;  /* threads that can have a state at a time; default 1024, at most 65535 */
	ward_site_fn *on_site; /* may be NULL */
	void *user;
	/*
	 * if not NULL, receives the verdict (to be freed with ward_verdict_free), also on rejection; NULL if there is
	 * none
	 */
	struct ward_verdict **verdict;
	/* names of imports, and of features that need permission, that the module may use, or NULL for none */
	const char *const *allow;
	size_t n_allow;
	/*
	 * if not NULL, receives the names of the target's addresses, as ward_names_open, of the moment before it runs
	 * on; NULL on failure, or if they can't be had
	 */
	struct ward_names **names;
	/*
	 * ward_attach: if positive, a pidfd of the process that is meant; is the number another's by now, that one is
	 * refused
	 */
	int pidfd;
	ward_process_fn *on_process; /* may be NULL */
	/* the processes that it forks from now on, and the programs that these become, have the probes as well */
	bool follow;
	/* so has code that it loads from now on: libraries (dlopen), each time that they are */
	bool later;
};

/*
 * Registers and flags. A probe leaves every register and every flag as it was, at each site: assembly may have a result
 * in the carry flag where a compiler has none.
 */

/*
 * Following. A child that is forked runs the probes from its first instruction on, a program that a process becomes
 * (exec) from its entry point on, where all libraries that it is linked with are mapped. A child that shares its
 * parent's memory (vfork, posix_spawn) is counted with it until it is another program. Each process has states and
 * shared variables of its own, which begin with zero and what the module has; those of an ended process are gone on
 * with by a later one, as a thread's are. A site has one number (ev->site) in all of them. A program in which nothing
 * can be attached runs without probes, which is no error, also of the first.
 *
 * Callbacks come in ward_wait and ward_detach (on_site of sites that weren't there before), so ward_wait is to be
 * called now and then; it says 1 when all have ended. As long as it lasts, all these processes are traced (ptrace) by a
 * thread of the library's own: no debugger and no other tracer can be at work on them, and a program that sets the user
 * id has no more rights than before unless the caller is root. options->names are those of the first program. Not for
 * the calling process, nor for the kernel (WARD_E_USAGE).
 */

/*
 * Libraries that are loaded later. The dynamic linker's list is glimpsed at every millisecond, and what is mapped is
 * looked at when that has changed, or ten times a second, or more seldom where looking takes long or libraries come and
 * go all the time: calls before that, constructors among them, aren't seen. A library that is unloaded and loaded again
 * is probed again. If nothing matches yet that is no error, as long as a pattern may match once. on_site is called in
 * ward_wait and ward_detach, once for each new name, with `later` set; so ward_wait is to be called now and then. Each
 * library, or several that came at once, has states and shared variables of its own, with its own
 * session_stats.threads; those of an unloaded one are gone on with by the next one. At most 64 of them are probed at a
 * time, and none whose code the dynamic linker changes (text relocations). What the process becomes (exec) counts as
 * loaded later. Not together with `follow`, nor for the calling process or the kernel (WARD_E_USAGE).
 */

/*
 * Would the module be attached? Judges it exactly as ward_attach does, by the same options (site, names and pidfd don't
 * matter), and attaches nothing. WARD_E_REJECTED: *err has the first violation, options->verdict all. The verdict
 * alone, without a loader, is ward_verify's (ward/verify.h).
 */
int ward_check(const void *image, size_t size, const struct ward_attach_options *options, struct ward_error *err);

/*
 * Verify the module of `size` bytes at `image` and, only if it is accepted, attach it to process `pid`. The bytes are
 * copied first; exactly the verified copy is mapped. options may be NULL. The target runs on, its threads are stopped
 * only for moments. On failure nothing is left in the target. It may be the calling process itself: then a helper, a
 * fork of it, does that, and stands by as long as the session lives. An allocator whose locks aren't put right at a
 * fork may cost several tries; if another thread holds one each time it is WARD_E_SYSTEM. Children that it forks later
 * run no probes, unless they are followed; those that share its memory (vfork) do, as the thread that made them or as
 * one more. Needs the right to ptrace it. On success *out is a session, to be ended with ward_session_free.
 *
 * WARD_E_REJECTED by the verifier; WARD_E_USAGE for a module or a site that can't be attached anywhere; WARD_E_TARGET
 * if the process is gone, may not be traced, or has no such function; WARD_E_SYSTEM.
 */
int ward_attach(pid_t pid, const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, struct ward_error *err);

/*
 * Start the program argv[0] (found in PATH) with the probes attached before its first instruction of main runs: all
 * libraries that it is linked with are mapped by then. *pid (pid may be NULL) receives its process id; it is a child of
 * the caller, who waits for it with ward_wait. If the program then replaces itself (exec: a shell script that ends in
 * `exec real-program`), the new one is not probed, unless it is followed. Errors as of ward_attach; WARD_E_USAGE if the
 * program can't be run. On failure it has not run.
 */
int ward_spawn(char *const argv[], const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, pid_t *pid, struct ward_error *err);

/* instructions, and bytes of stack, of one run in the kernel, if the caller sets no limit */
enum { WARD_KERNEL_INSNS = 1 << 16, WARD_KERNEL_STACK = 512 };

/*
 * The same, attached to functions of the running kernel, of a module of the kernel profile. It wants the kernel module
 * `ward`, and the right to load kernel modules. Sites are "kernel!FUNCTION" and "kernel!FUNCTION:return", and
 * tracepoints, "kernel:SUBSYSTEM:EVENT"; globs allowed. What the limits leave open is at most WARD_KERNEL_INSNS
 * instructions and WARD_KERNEL_STACK bytes of stack; more than 2^20 and 2048 the kernel doesn't take. There is one
 * state for each processor, and no end to wait for. However this process ends, the probes are taken off with it. Errors
 * as of ward_attach; WARD_E_TARGET if the kernel refuses.
 */
int ward_attach_kernel(const void *image, size_t size, const struct ward_attach_options *options, ward_session **out,
	struct ward_error *err);

/*
 * Wait up to timeout_ms milliseconds (negative: for ever) for the target to end. Returns 1 if it has ended, 0 if not,
 * or a signal came; WARD_E_USAGE without a session.
 */
int ward_wait(ward_session *session, int timeout_ms);

/* A ward_spawn'ed target's wait status (of waitpid) once ward_wait returned 1, else -1. */
int ward_exit_status(const ward_session *session);

/*
 * Take the probes off. The state stays readable until ward_session_free, and is final. A target that is gone is no
 * error, nor is a session that is detached. WARD_E_TARGET if its threads can't be stopped: then the probes are still
 * there, and it may be tried again. Where another session follows the process, whose threads nobody else can stop,
 * their jumps stay, and skip the probes, until that session is detached.
 */
int ward_detach(ward_session *session, struct ward_error *err);

/* Detach if that was not done, and free. The last use of the session, in any thread. NULL is allowed. */
void ward_session_free(ward_session *session);

/* ---- What tracers that were killed have left ---- */

/* An attachment that was found in a process. */
struct ward_leftover {
	int64_t tracer;     /* the process that made it, as that wrote down in the target */
	bool live;          /* it is there still */
	bool copied;        /* came along when the process was forked: it is nobody's */
	bool freed;         /* no memory of it is left */
	uint32_t places;    /* in the code that it had patched */
	uint32_t restored;  /* of these, that are as they were */
	uint64_t bytes;     /* of address space that it had */
	const char *reason; /* why something was left, a static string; NULL if nothing was */
};
typedef void ward_leftover_fn(void *user, const struct ward_leftover *leftover);

struct ward_cleanup_options {
	size_t size;
	/*
	 * take probes off that have a live tracer, too. It goes on, and sees nothing any more; the memory is its own to
	 * free
	 */
	bool live;
	ward_leftover_fn *on_leftover; /* told of each; may be NULL */
	void *user;
};

/*
 * Find what tracers that were killed have left in a process, which runs right with it, and take it off: the code that
 * they patched is again what its file on disk has there, and their memory is freed unless a thread may be in it still.
 * Attachments of live tracers are reported and left alone. WARD_E_TARGET if something that was to go is left; calling
 * again later may do it. A tracer that was killed in the midst of attaching or detaching may have asked a thread for
 * one more system call, which that makes when it next runs: call this again a moment later, and what it left goes, too.
 * `options` may be NULL. Needs the right to ptrace the process, which can't be the caller's own. Any thread may call
 * it; on_leftover is called in a thread of the library's own, while the caller waits.
 */
int ward_cleanup(pid_t pid, const struct ward_cleanup_options *options, struct ward_error *err);

/* Numbers about a session at this moment; while the target runs each is right by itself. */
struct ward_session_stats {
	uint64_t events; /* probe runs, over all threads */
	/*
	 * events that came while a probe of the same thread ran, with no slot left, or where the probe would do what is
	 * forbidden there by now (seccomp, PR_SET_TSC)
	 */
	uint64_t dropped;
	uint32_t threads; /* slots that have been in use: that of a thread that has ended is used again */
	uint32_t sites;   /* attached */
};
void ward_session_stats(const ward_session *session, struct ward_session_stats *stats);

/*
 * Was a thread of the target, or of a process that is followed, about to deny itself the library's memory there
 * (pkey_set, with protection key 0)? Then its process runs no probes any more, and its events since are in no number.
 */
bool ward_session_shut(const ward_session *session);

/*
 * How long threads of the target have stood still so far for attaching and detaching, in nanoseconds: each stop of each
 * thread, from when it was asked for until it was let go. A program that was started by ward_spawn has none before its
 * start. Waits for a detach that is under way.
 */
struct ward_pauses {
	uint64_t count, total, most;
	uint64_t by_power[64]; /* how many were of 2^i to 2^(i + 1) - 1 nanoseconds */
};
void ward_session_pauses(const ward_session *session, struct ward_pauses *pauses);

/*
 * Raw state of the session's threads: thread i < returned count has its state at *states[i], each `state_size` bytes,
 * in shared memory that the target goes on writing and may fill with anything. The array is the session's, valid until
 * the next call or ward_session_free. 0 if no thread has a state yet, or without memory.
 */
size_t ward_session_states(ward_session *session, const void *const **states, size_t *state_size);

/*
 * Tell fn of the sites of a process that match `glob` ("libc.so.6!str*"; NULL: all), attachable or not. Touches
 * nothing. WARD_E_TARGET if the process can't be looked at or nothing matches, WARD_E_USAGE for a pattern that is none.
 */
int ward_list(pid_t pid, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/*
 * The same of the running kernel's functions ("kernel!vfs_*"; NULL: all), in order of their addresses, or of its
 * tracepoints ("kernel:sched:*"), in order of their names, which have no addresses (0): how each would be hooked at
 * this moment if it were alone, or why it can't be. Wants the right to see the kernel's addresses and tracefs; the
 * kernel module `ward` needn't be loaded. WARD_E_TARGET if the kernel doesn't tell, or nothing matches.
 */
int ward_list_kernel(const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/*
 * Write a kernel's structures and unions, as a file of its types tells (BTF; NULL: the running kernel's), as the header
 * that a probe must have before <ward/kernel.h>. Those of its modules stand behind, in this order, each module once;
 * what a module's types are in is the file of its name in the folder of the kernel's. A name that is taken already has
 * ___2 behind it. WARD_E_TARGET if the running kernel doesn't tell, or has no such module loaded, WARD_E_USAGE if a
 * file can't be read, or isn't that, or there can be no module of such a name; then part of a header may have been
 * written.
 */
int ward_kernel_header(
	const char *btf, const char *const *modules, size_t n_modules, FILE *out, struct ward_error *err);

/* ---- Names of addresses ---- */

typedef struct ward_names ward_names;

/*
 * See what a process has mapped now; its addresses have names from then on, also when it is gone. Symbols are read of
 * the modules that are asked for. End with ward_names_close.
 */
int ward_names_open(pid_t pid, ward_names **out, struct ward_error *err);
/* The running kernel's functions have names; they are asked for when the first is. */
int ward_names_open_kernel(ward_names **out, struct ward_error *err);
/* NULL is allowed. */
void ward_names_close(ward_names *names);

/*
 * The name of an address in a module's code, cut to fit `size` bytes with the terminating zero: "libc.so.6!read+0x12",
 * or "libc.so.6+0x1234", an address of the file's own, where no function is known. False, and nothing written, if it is
 * in none. The name is the target's: it may hold anything. Of the kernel: "vfs_read+0x12", or "ext4_iget+0x34 [ext4]"
 * of a module's; false as well if it doesn't show its addresses.
 */
bool ward_names_find(ward_names *names, uint64_t address, char *text, size_t size);

/* ---- State: what the fields mean, and their values merged over threads ---- */

typedef struct ward_schema ward_schema;
typedef struct ward_snapshot ward_snapshot;

/*
 * The aggregates of probes/include/ward. STOP is no field of the author's: it counts the runs that a guard has stopped
 * at one place of the source. TEXT is met only as a part of keys and records.
 */
enum ward_field_kind {
	WARD_FIELD_COUNT,
	WARD_FIELD_LOG2,
	WARD_FIELD_MAP,
	WARD_FIELD_VALUE,
	WARD_FIELD_STOP,
	WARD_FIELD_MIN,
	WARD_FIELD_MAX,
	WARD_FIELD_STAT,
	WARD_FIELD_LINEAR,
	WARD_FIELD_QUANTILES,
	WARD_FIELD_MEAN,
	WARD_FIELD_GATE,
	WARD_FIELD_DISTINCT,
	WARD_FIELD_TOP,
	WARD_FIELD_CHOPSTIX,
	WARD_FIELD_RING,
	WARD_FIELD_FLIGHT,
	WARD_FIELD_TEXT,
};

/* One bucket: values lo … hi inclusive; of LINEAR they are signed. */
struct ward_bucket {
	uint64_t lo, hi, count;
};

/* The number at a rank: `rank` of all numbers, a fraction, are at most that. */
struct ward_quantile {
	double rank, value;
};

/*
 * An enumeration of the probe's: its numbers, sign-extended if the type is signed, in order, and their names. Flags:
 * the numbers don't just follow each other, and all are made up of single bits that have names.
 */
struct ward_enumerator {
	uint64_t value;
	const char *name;
};
struct ward_enumeration {
	size_t n;
	const struct ward_enumerator *names;
	bool is_flags;
};

struct ward_field;

/*
 * One map entry. A key that is an integer is in key (sign-extended if is_signed), a value that is one in value. A map
 * that has parts has them here too: n_keys of the key, n_values of the value.
 */
struct ward_map_entry {
	uint64_t key, value;
	uint64_t error;                  /* TOP: so much of value may be others' */
	const struct ward_field *keys;   /* or NULL */
	const struct ward_field *values; /* or NULL */
};

/* One record of a ring. */
struct ward_record {
	/* 0 …; FLIGHT: which dump, of this thread; n_dumps of the field for those recorded last */
	uint32_t thread, dump;
	uint64_t number; /* within the thread, and the dump, from 1 */
	const struct ward_field *members;
};

struct ward_field {
	const char *name; /* STOP: the source file */
	enum ward_field_kind kind;
	bool key_is_signed;   /* MAP */
	bool value_is_signed; /* numbers, a MAP's values, LINEAR's bounds: print as int64_t */
	bool is_address;      /* VALUE: a pointer */
	bool is_site;         /* VALUE: ev->site, the number that ward_site_report has */
	/*
	 * VALUE, MAX, keys of a MAP without parts: what the numbers are called, modules as well (ward_schema_site); it
	 * is the schema's. Or NULL
	 */
	const struct ward_enumeration *enumeration;
	bool is_empty; /* MIN, STAT, MEAN: of no numbers */
	uint32_t size; /* bytes in the state */
	/* MAP, TOP, CHOPSTIX, RING, FLIGHT: what one thread can hold (of one dump) */
	uint32_t slots;
	/* of a map, 0 if keys and values are plain integers; of a ring n_values members of a record */
	uint32_t n_keys, n_values;
	const struct ward_field *parts; /* their names and kinds: keys, then values */
	/* COUNT, STOP, VALUE, STAT: the sum; MIN, MAX; GATE: what passed; DISTINCT: the estimate; CHOPSTIX: events */
	uint64_t value;
	uint64_t count;     /* STAT, MEAN, QUANTILES: of so many numbers; GATE: what was asked */
	uint64_t min, max;  /* STAT, if not empty */
	double real;        /* STAT, MEAN: the mean */
	double error;       /* QUANTILES: most relative error; DISTINCT: standard error */
	uint32_t line;      /* STOP: in the source file */
	const char *reason; /* STOP: what the guard stops; a static string. Else NULL */
	/* TEXT: whatever the probe wrote, up to a zero byte; of several threads' the greatest */
	const char *text;
	/* LOG2, LINEAR: buckets; QUANTILES: ranks; maps: entries; rings: records */
	size_t n;
	const struct ward_bucket *buckets;     /* from the first to the last non-empty one */
	const struct ward_quantile *quantiles; /* by rank */
	const struct ward_map_entry *entries;  /* largest value first */
	const struct ward_map_entry *other;    /* MAP: the value of all keys that found no room, or NULL */
	const struct ward_record *records;     /* oldest first; FLIGHT: dump by dump, thread by thread */
	uint32_t n_dumps;                      /* FLIGHT: how often one thread can be dumped */
	/* MAP: updates that found the map full; CHOPSTIX, RING: overwritten; FLIGHT: triggers missed */
	uint64_t lost;
	uint64_t evicted;  /* MAP: keys that made room for others */
	uint64_t unlisted; /* entries that there are beside the n listed */
};

/*
 * What the results of a kind look like, and so which members of a struct ward_field they are in: a text or a few
 * numbers (ward_field_text, ward_field_results); buckets; entries; records; or the runs that a guard has stopped.
 */
enum ward_form { WARD_FORM_LINE, WARD_FORM_BUCKETS, WARD_FORM_ENTRIES, WARD_FORM_RECORDS, WARD_FORM_STOP };

/* How the results of a kind are shown: for callers that treat all kinds alike, those of later versions as well. */
struct ward_kind {
	const char *name; /* "stat" */
	enum ward_form form;
	bool is_left;     /* LINE: in a column, the text is aligned to the left */
	bool has_columns; /* LINE: in a table, each of ward_field_results has a column of its own */
	/* ENTRIES: what the value of an entry without parts is: "value", "at most", "at least". Else NULL */
	const char *entry;
	bool has_error; /* ENTRIES: each has an error */
};

/* A static row; that of no kind is a LINE with the name "unknown". */
const struct ward_kind *ward_kind(enum ward_field_kind kind);

/*
 * The results for people, cut to fit `size` bytes with the terminating zero. Of a LINE it is all there is, on one line:
 * but for a TEXT, which may hold anything. Addresses and sites are numbers. Of ENTRIES and RECORDS it is what stands
 * below their table, on no line or several ("12 lost: the map was full"). Of all others it is empty.
 */
void ward_field_text(const struct ward_field *field, char *text, size_t size);
/* What a bucket counts: "[4K, 8K)", "below -20". */
void ward_bucket_text(const struct ward_field *field, size_t bucket, char *text, size_t size);

/*
 * One result. A LIST has any number of ROWs, a ROW has results with names; both go on until their END. NONE is a number
 * that there is none of, as the least of no numbers.
 */
enum ward_result_type {
	WARD_RESULT_NONE,
	WARD_RESULT_UNSIGNED,
	WARD_RESULT_SIGNED,
	WARD_RESULT_REAL,
	WARD_RESULT_TEXT,
	WARD_RESULT_LIST,
	WARD_RESULT_ROW,
	WARD_RESULT_END,
};
struct ward_result {
	enum ward_result_type type;
	const char *name; /* empty for a ROW and an END */
	uint64_t number;  /* UNSIGNED; SIGNED: as int64_t */
	double real;      /* REAL */
	const char *text; /* TEXT: it may hold anything */
};
typedef void ward_result_fn(void *user, const struct ward_result *result);

/*
 * The results for programs: tell fn of each by its name, in a fixed order. Of ENTRIES and RECORDS these are the numbers
 * beside them, not they themselves. What fn is given lasts until it returns.
 */
void ward_field_results(const struct ward_field *field, ward_result_fn *fn, void *user);

/*
 * Learn from the module's debug information what the fields of its state are. Hostile input: a wrong description makes
 * wrong numbers, nothing worse. A module without debug information gives a schema of no fields. WARD_E_USAGE: no
 * module; WARD_E_SYSTEM. Free with ward_schema_free, after the snapshots and streams that were made by it. The image
 * isn't needed afterwards.
 */
int ward_schema_read(const void *image, size_t size, ward_schema **out, struct ward_error *err);
/*
 * Say which module a site is in, as on_site was told. Keys and values of the type ward_module, which a probe has from
 * ev->site, are then modules: their enumeration has the names, and of a map (not of a TOP) what has keys of one module
 * is one entry. In these names what isn't printable ASCII is a question mark. What wasn't said stands for itself. Not
 * while another thread merges by the schema, or looks at what was merged. A report of a site that was skipped does
 * nothing. WARD_E_SYSTEM without memory.
 */
int ward_schema_site(ward_schema *schema, const struct ward_site_report *report, struct ward_error *err);
/* NULL is allowed. */
void ward_schema_free(ward_schema *schema);

/*
 * Field names and kinds alone: number of fields; field i (value, n and arrays zero), whose strings are the schema's.
 * Beyond the last one the name is empty.
 */
size_t ward_schema_fields(const ward_schema *schema);
struct ward_field ward_schema_field(const ward_schema *schema, size_t i);

/*
 * What a number of an enumeration is called: its name, or those of the bits that it has, "READ|WRITE", if they all have
 * one; cut to fit `size` bytes with the terminating zero. False, and nothing written, if it has no name. NULL is an
 * enumeration without names.
 */
bool ward_enumeration_name(const struct ward_enumeration *enumeration, uint64_t value, char *text, size_t size);

/*
 * Merge the states of a session's threads as the schema says, which is that of the session's module (WARD_E_USAGE if it
 * doesn't fit). May be called at any time between ward_attach and ward_session_free. The snapshot is a copy that
 * outlives the session, but not the schema. WARD_E_SYSTEM without memory. Free with ward_snapshot_free.
 */
int ward_snapshot_take(ward_session *session, const ward_schema *schema, ward_snapshot **out, struct ward_error *err);
/* The same over plain memory: n states of state_size bytes each, aligned to 8. */
int ward_snapshot_merge(const ward_schema *schema, const void *const *states, size_t n, size_t state_size,
	ward_snapshot **out, struct ward_error *err);
/* How many fields there are; field i, or NULL if it isn't less than that. What it points to is the snapshot's. */
size_t ward_snapshot_fields(const ward_snapshot *snapshot);
const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i);
/* NULL is allowed. */
void ward_snapshot_free(ward_snapshot *snapshot);

/* ---- Records as they come ---- */

typedef struct ward_stream ward_stream;

/* Told of a record once: field as in a snapshot, without results. What it is given lasts until it returns. */
typedef void ward_record_fn(void *user, const struct ward_field *field, const struct ward_record *record);

/*
 * Follow the rings of a schema, which must outlive the stream; flight recorders aren't followed. WARD_E_SYSTEM without
 * memory. End with ward_stream_close.
 */
int ward_stream_open(const ward_schema *schema, ward_stream **out, struct ward_error *err);
/* NULL is allowed. */
void ward_stream_close(ward_stream *stream);

/*
 * Tell of all records since the last time, ring by ring, in order of their time. WARD_E_SYSTEM without memory: those
 * that weren't told are told the next time, or counted as lost.
 */
int ward_stream_poll(
	ward_stream *stream, ward_session *session, ward_record_fn *fn, void *user, struct ward_error *err);
/* The same over plain memory: thread i is at states[i] each time, and there are never fewer than before. */
int ward_stream_read(ward_stream *stream, const void *const *states, size_t n, size_t state_size, ward_record_fn *fn,
	void *user, struct ward_error *err);

/*
 * How many records of a field, by its name, were told so far, and how many came too fast for that. 0 of a name that is
 * no ring's.
 */
void ward_stream_totals(const ward_stream *stream, const char *field, uint64_t *told, uint64_t *lost);

/* ---- Records to disk ---- */

typedef struct ward_ctf ward_ctf;

/*
 * Make a directory (which must not be there) for the records of a schema's rings in the Common Trace Format 1.8, which
 * babeltrace2 and others read. The schema must outlive the trace. WARD_E_USAGE if there are no rings, or the directory
 * can't be made; WARD_E_SYSTEM. End with ward_ctf_close.
 */
int ward_ctf_open(const char *directory, const ward_schema *schema, ward_ctf **out, struct ward_error *err);

/*
 * Two traces of one machine, as of a process and of the kernel, have one clock from now on: `ctf` that of `with`. So
 * who reads both, in one order of time, finds records in that of their counts of the time stamp counter, however close
 * they are. To be called before `ctf` is written to (else WARD_E_USAGE, as if it shares another one's clock). What the
 * counter is worth is then found when the first of them is closed, in any order; the other one may be gone on with. All
 * that share a clock want to be used by one thread at a time.
 */
int ward_ctf_share_clock(ward_ctf *ctf, ward_ctf *with, struct ward_error *err);

/*
 * Write all records since the last time, as bytes: a few nanoseconds each, so that a thread which calls this every
 * millisecond keeps up with tens of millions in a second, if the rings hold what comes between. Each record that was
 * pushed is either written or counted as lost, also in the trace. WARD_E_SYSTEM without memory, or if the disk is full:
 * then what couldn't be written is lost, and it may be called again.
 */
int ward_ctf_poll(ward_ctf *ctf, ward_session *session, struct ward_error *err);
/* The same over plain memory: thread i is at states[i] each time, and there are never fewer than before. */
int ward_ctf_read(ward_ctf *ctf, const void *const *states, size_t n, size_t state_size, struct ward_error *err);

/* How many records of a ring, by its name (NULL: of all), were written so far, and how many were lost. */
void ward_ctf_totals(const ward_ctf *ctf, const char *field, uint64_t *written, uint64_t *lost);

/*
 * What was never polled leaves no directory. NULL is allowed. WARD_E_SYSTEM if the description of the trace, whose
 * clock is known best at its end, can't be written; it is freed all the same.
 */
int ward_ctf_close(ward_ctf *ctf, struct ward_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
