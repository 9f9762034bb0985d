/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward/ward.h - libward: verify a module, attach it to functions of a live process, read its state, detach.
 *
 * Errors. A function that can fail returns 0 on success, or a negative enum ward_status. On failure it fills *err, if
 * err isn't NULL, and sets its `out` argument to NULL. After success *err has status 0 and empty strings. NULL is a
 * valid argument only where the function's comment says so. Elsewhere it is WARD_E_USAGE, never a crash; a function
 * that returns no error then answers as if it had found nothing.
 *
 * Structures. A structure that the caller fills starts with its size: set it to sizeof. Zero in any other field means
 * the default:
 *	struct ward_attach_options options = {.size = sizeof(options), .max_insns = 10000};
 * This lets programs and libraries of different versions work together. The library takes fields that the caller's
 * version lacks as zero. Fields that the library's version lacks must be zero, or the call is refused with
 * WARD_E_USAGE. The library fills all other structures. Their layout doesn't change as long as the number in the
 * library's name (libward.so.1) is the same.
 *
 * Ownership. The caller owns what a function returns through `out`, and ends it with the function that the comment
 * names. The library reads arguments only during the call, unless the comment says otherwise. A string that the
 * library returns lives as long as the structure or handle that holds it.
 *
 * Threads. There is no global state, and any thread may call any function. Several threads may use one handle at once
 * in functions that take it as const, and in all functions of a session except ward_session_states and
 * ward_session_free. Every other function needs its handle for itself until it returns. Callbacks run in the calling
 * thread before the call returns, unless the comment says otherwise. A callback must not end the handles of that
 * call.
 *
 * Signals. The library doesn't change how the process handles a signal, and the library's own threads block all
 * signals. ward_spawn makes a child process; only ward_wait waits for it.
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
	WARD_E_USAGE = -2,    /* a wrong argument, or bytes that aren't a module */
	WARD_E_TARGET = -3,   /* the target is gone, can't be traced, or has no such site */
	WARD_E_SYSTEM = -4,   /* out of memory and the like */
};

/* The version of the running library, such as "0.1". A static string. */
const char *ward_version(void);

/*
 * What went wrong, for a line `ward: what: why` and a line `hint: …` below it. Each string is printable text on one
 * line, cut to fit. The strings are empty if there was no error.
 */
struct ward_error {
	int status;
	char what[160];
	char why[320];
	char hint[320];
};

typedef struct ward_session ward_session;

/*
 * Called once for each place that a site pattern matched, before ward_attach returns, in the thread that called it.
 * What it is given lasts until it returns.
 */
struct ward_site_report {
	const char *site;  /* "libc.so.6!read", or "libc.so.6!read:return", or with ":throw" */
	const char *probe; /* the probe function */
	/*
	 * How it is attached. "jump": its first bytes are replaced by a jump. "call": the same, and the stub makes a
	 * call that was among these bytes. "exits": a return site. "catch": a throw site. In the kernel "direct call"
	 * or "function tracer", and for a return "wrapped call" or "kretprobe". Of a sample "clock" or "counter", or
	 * "clock, 99 a second: …" where the machine doesn't count what was asked for. NULL if skipped
	 */
	const char *method;
	const char *reason; /* why it was skipped; NULL if attached */
	uint64_t address;   /* in the target */
	uint32_t number;    /* ev->site; only if attached */
	uint32_t exits;     /* of a return site: how many places leave the function; each is patched */
	/*
	 * of an IFUNC: the function that was chosen for it in this process, and other symbols for which the same
	 * function was chosen ("libc.so.6+0x161440, as for memmove"). Else NULL
	 */
	const char *chosen;
	/*
	 * of a static tracepoint: where its arguments are, as the target's file says ("-4@%edi 8@$17"). In the
	 * kernel: what they are ("struct file *file, loff_t *pos"), if the kernel's types say so. May contain any
	 * bytes. Else NULL
	 */
	const char *arguments;
	/*
	 * of a C++ or Rust function: its symbol ("_ZN2ns5Class6methodEi"); `site` has the name as the source writes
	 * it. Else NULL
	 */
	const char *symbol;
	/*
	 * copies of the function that the compiler inlined into others, as debug information says. No probe runs for
	 * them. Only for sites that name one function; 0 if none are known
	 */
	uint64_t inlined;
	bool later; /* in code that was loaded after the attach */
	/*
	 * the module it is in: "libc.so.6"; in the kernel the name of a kernel module ("ext4"), or "vmlinux". May
	 * contain any bytes. NULL if unknown
	 */
	const char *module;
	/*
	 * of a return site: how many of its exits are jumps to other functions (tail calls). There a probe that reads
	 * ev->ret, but not ev->caller, isn't run, and the event is counted as dropped
	 */
	uint32_t tails;
	/*
	 * of a function that ward_list, ward_list_file or ward_list_command lists: its other names, the most usual ones
	 * first ("cfree" of "libc.so.6!free"), and the version that it is exported with ("GLIBC_2.2.5", or NULL). They
	 * may contain any bytes
	 */
	const char *const *aliases;
	size_t n_aliases;
	const char *version;
	/*
	 * of a function that a pattern names, and that makes a system call: other functions of its module that make
	 * the same one ("__open_nocancel, openat" of "libc.so.6!open"). The library's own calls may go there, and no
	 * probe of this site sees them. May contain any bytes. NULL: none are known
	 */
	const char *elsewhere;
	/*
	 * the site is no place in code, but is reached by time or by a count ("profile:99"): see Samples. `method` is
	 * words for the user then, and what they say may be all there is
	 */
	bool sampled;
};
typedef void ward_site_fn(void *user, const struct ward_site_report *report);

/*
 * Called once for each followed program when it is over: its process has ended or executed another program, or the
 * session was detached. What it is given lasts until it returns.
 */
struct ward_process_report {
	int64_t pid, parent;
	const char *program; /* path; may contain any bytes */
	uint32_t sites;      /* attached in this program, at most at a time */
	/* this process's share of the session's events; includes children that share its memory (vfork) */
	uint64_t events, dropped;
	const char *reason; /* why it ran without probes ("libx.so!f: no such function"); NULL if it had probes */
};
typedef void ward_process_fn(void *user, const struct ward_process_report *report);

/* The limits are the caller's policy. Ward proves what a module may cost and call before it touches the target. */
struct ward_attach_options {
	size_t size;
	const char *site; /* replaces the sites in the module ("libc.so.6!read"), or NULL */
	/* most instructions that one run of a probe may execute, calls included; default WARD_DEFAULT_MAX_INSNS */
	uint64_t max_insns;
	uint32_t max_stack;    /* most bytes of stack of one run; default and upper limit 4096 */
	uint32_t max_state;    /* most bytes of state of one thread; default 2^28 */
	uint32_t max_threads;  /* how many threads can have a state at the same time; default 1024, at most 65535 */
	ward_site_fn *on_site; /* may be NULL */
	void *user;
	/*
	 * if not NULL, receives the verdict, also on rejection; NULL if there is none. Free it with ward_verdict_free
	 */
	struct ward_verdict **verdict;
	/* names of imports, and of features that need permission, that the module may use; NULL for none */
	const char *const *allow;
	size_t n_allow;
	/*
	 * if not NULL, receives the names of the target's addresses, as of ward_names_open, taken before the target
	 * runs on. Until the session is detached they learn what the target loads and unloads, inside ward_wait and
	 * ward_detach. NULL on failure, or if the names can't be read
	 */
	struct ward_names **names;
	/*
	 * ward_attach: if positive, a pidfd of the process that is meant. If `pid` belongs to another process by now,
	 * the call is refused
	 */
	int pidfd;
	ward_process_fn *on_process; /* may be NULL */
	/* also probe processes that the target forks from now on, and programs that these execute: see Following */
	bool follow;
	/*
	 * also probe libraries that the target loads from now on (dlopen), each time: see Libraries that are loaded
	 * later
	 */
	bool later;
	/*
	 * more sites for each probe, beside `site`, or beside the module's own if that is NULL. A function that several
	 * of them name is probed once. Sites with ":return" and with ":throw" can't be combined here. NULL for none
	 */
	const char *const *more_sites;
	size_t n_more_sites;
	/*
	 * values of the module's settings, "NAME=VALUE": of global integers that are const volatile. VALUE is a number
	 * as in C that the type holds. They are written into the copy that is verified, so the proof must hold for
	 * them, too. WARD_E_USAGE for what is no setting of the module, or no value of it. The module's debug
	 * information says which settings there are. NULL for none
	 */
	const char *const *settings;
	size_t n_settings;
	/*
	 * probe a function only if its entry and its returns can both be probed, as far as probes want both: one that
	 * knows which calls are open is wrong about functions of which it sees one end only. Not for ward_attach_kernel
	 */
	bool both_ends;
	/*
	 * where a thread has seen what another one did, its ev->time is later than the other one's. Otherwise the
	 * processor may read its counter some ten nanoseconds too early. Costs about 8 ns an event. Modules with
	 * variables that threads share, and probes of the kernel, always have it
	 */
	bool ordered_times;
};

/*
 * Registers and flags. At every site a probe preserves all registers and all flags. Code written in assembly may
 * return a result in the carry flag, where compilers keep nothing.
 */

/*
 * Following (options->follow). A forked child runs the probes from its first instruction on. A program that a process
 * executes runs them from its entry point on, when all libraries that it is linked with are mapped. A child that
 * shares its parent's memory (vfork, posix_spawn) counts with its parent until it executes a program. Each process
 * has states and shared variables of its own. They begin as zero and with the module's initial values; a later
 * process reuses the states of one that has ended, as a later thread does. A site has one number (ev->site) in all
 * processes. A program in which nothing can be attached runs without probes. That is no error, not even for the first
 * program.
 *
 * The library calls on_process, and on_site for sites that weren't there before, inside ward_wait and ward_detach. So
 * call ward_wait now and then; it returns 1 when all processes have ended. Until the session is detached, a thread of
 * the library's own traces all these processes (ptrace). Meanwhile no debugger and no other tracer can work on them.
 * A set-user-id program doesn't get its additional rights unless the caller is root. options->names has the names of
 * the first program. Following isn't possible for the calling process or the kernel (WARD_E_USAGE).
 */

/*
 * Libraries that are loaded later (options->later). Ward polls the dynamic linker's list every millisecond. It
 * examines the process's mappings when the list has changed, and ten times a second otherwise; less often where that
 * takes long or where libraries come and go all the time. So calls that a library makes before Ward has attached to
 * it, its constructors among them, aren't seen. A library that is unloaded and loaded again is probed again. It is no
 * error if nothing matches yet, as long as a pattern may still match. The library calls on_site inside ward_wait and
 * ward_detach, with `later` set, once for each new name. So call ward_wait now and then.
 *
 * Each library, or several that were loaded together, has states and shared variables of its own, and counts its
 * threads separately in ward_session_stats.threads. The next library reuses the states of an unloaded one. At most 64
 * libraries of a process are probed at a time. A library whose code the dynamic linker changes (text relocations) is
 * not probed. A program that the process executes counts as loaded later, unless it is followed. Together with
 * `follow`, libraries of all followed processes are probed; a process's threads are stopped while Ward attaches to
 * one of its libraries. Not for the calling process or the kernel (WARD_E_USAGE).
 */

/*
 * Samples. Sites "profile:HZ", "interval:TIME", "off-cpu:TIME" and "EVENT:N" are reached by time, or by the count of
 * an event. The kernel takes the samples (perf_event_open), of all threads of the target, those that it makes later,
 * too, and with `follow` of its children. A thread of the library's own reads them some times a second, in the order
 * of time, and runs the probes in the calling process. Nothing in the target is touched or stopped. Each program has
 * one state, so ward_session_stats.threads counts programs: that of the target, those that it executes later, and its
 * children's. ward_session_stats.dropped counts samples that the kernel had no room for. Where the caller may, clocks
 * of up to 1000 samples a second interrupt whatever runs on the processors, and samples of others are thrown away;
 * else threads that end before their first period is over have no sample, which ward_site_report.method says. What a
 * probe reads of the target's memory is as it is when the probe runs, up to a tenth of a second later; registers and
 * stacks are as they were. A probe can't read ev->arg and ret, and ev->elapsed only at "off-cpu:TIME". A module that
 * has such sites can have no others, as its states would not be in one process (WARD_E_USAGE).
 */

/*
 * Would ward_attach accept the module? Judges it exactly as ward_attach does, with the same options, and attaches
 * nothing; site, names and pidfd don't matter. WARD_E_REJECTED: *err has the first violation, options->verdict has
 * all. ward_verify (ward/verify.h) gives the verdict alone, without the loader.
 */
int ward_check(const void *image, size_t size, const struct ward_attach_options *options, struct ward_error *err);

/*
 * Verify the module of `size` bytes at `image` and, only if it is accepted, attach it to process `pid`. The library
 * copies the bytes first, and maps exactly the copy that it verified. options may be NULL. The target keeps running;
 * its threads are stopped only for moments. On failure nothing is left in the target. The caller needs the right to
 * ptrace the process. On success *out is a session; end it with ward_session_free.
 *
 * `pid` may be the calling process. Then the program ward-helper attaches, and stays as long as the session lives. The
 * library starts it; it is no child of the calling process, and has none of its files. WARD_E_SYSTEM if the program
 * isn't installed; the hint says how it is found. A child that is forked meanwhile can read the session's state, but
 * not detach it.
 *
 * Children that the target forks later run no probes, unless they are followed. Children that share its memory
 * (vfork) do run them; they count as the thread that made them, or as one more thread.
 *
 * WARD_E_REJECTED: the verifier refused the module. WARD_E_USAGE: the module or site can't be attached to any
 * process. WARD_E_TARGET: the process is gone, may not be traced, or has no such function. WARD_E_SYSTEM.
 */
int ward_attach(pid_t pid, const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, struct ward_error *err);

/*
 * Start the program argv[0] (searched for in PATH) and attach the probes before the first instruction of main runs;
 * all libraries that it is linked with are mapped by then. *pid receives its process id; pid may be NULL. The program
 * is a child of the caller, who waits for it with ward_wait. If the program executes another one (a shell script that
 * ends in `exec real-program`), the new program is not probed, unless it is followed. Errors as for ward_attach;
 * WARD_E_USAGE if the program can't be run. On failure it has not run.
 */
int ward_spawn(char *const argv[], const void *image, size_t size, const struct ward_attach_options *options,
	ward_session **out, pid_t *pid, struct ward_error *err);

/* limits on instructions and bytes of stack of one run in the kernel, if the caller sets none */
enum { WARD_KERNEL_INSNS = 1 << 18, WARD_KERNEL_STACK = 1024 };

/*
 * The same for the running kernel: attach a module of the kernel profile to the kernel's functions and tracepoints.
 * This needs the kernel module `ward`, and the right to load kernel modules. Sites are "kernel!FUNCTION",
 * "kernel!FUNCTION:return", and for tracepoints "kernel:SUBSYSTEM:EVENT"; globs are allowed. Limits that the caller
 * doesn't set are WARD_KERNEL_INSNS instructions and WARD_KERNEL_STACK bytes of stack; the kernel module accepts at
 * most 2^20 and 2048. Each processor has one state. ward_wait never sees an end. However this process ends, the
 * kernel takes the probes off with it. Errors as for ward_attach; WARD_E_TARGET if the kernel refuses.
 */
int ward_attach_kernel(const void *image, size_t size, const struct ward_attach_options *options, ward_session **out,
	struct ward_error *err);

/*
 * Wait up to timeout_ms milliseconds (negative: without limit) for the target to end. Returns 1 if it has ended, 0 if
 * not or if a signal came; WARD_E_USAGE without a session.
 */
int ward_wait(ward_session *session, int timeout_ms);

/*
 * The wait status (as of waitpid) of the target, with options->follow of the first process, once ward_wait has
 * returned 1; -1 if it isn't known. That of a target that ward_spawn started always is. Of another process the kernel
 * tells it since Linux 6.15; before that it is known only if the process's parent is slow to wait for it.
 */
int ward_exit_status(const ward_session *session);

/*
 * Take the probes off. The state stays readable until ward_session_free, and no longer changes. It is no error if the
 * target is gone, or if the session is detached already. WARD_E_TARGET if the target's threads can't be stopped: then
 * the probes are still there, and the caller may try again. If another session follows the process, only that session
 * can stop its threads. Then the jumps stay, and skip the probes, until that session is detached.
 */
int ward_detach(ward_session *session, struct ward_error *err);

/*
 * Detach, unless that is done already, and free the session. It must be the last use of the session in any thread.
 * NULL is allowed.
 */
void ward_session_free(ward_session *session);

/* ---- What tracers that were killed have left ---- */

/* An attachment that Ward found in a process. */
struct ward_leftover {
	int64_t tracer;     /* the process that made it, as its record in the target says */
	bool live;          /* the tracer is still alive */
	bool copied;        /* the process has it from a fork, and no tracer serves it */
	bool freed;         /* all its memory has been freed */
	uint32_t places;    /* how many places of the code it had patched */
	uint32_t restored;  /* how many of these have their original bytes */
	uint64_t bytes;     /* of address space */
	const char *reason; /* why something was left, a static string; NULL if nothing was */
};
typedef void ward_leftover_fn(void *user, const struct ward_leftover *leftover);

struct ward_cleanup_options {
	size_t size;
	/*
	 * also take off probes whose tracer is alive. The tracer keeps running, sees no more events, and frees the
	 * memory itself
	 */
	bool live;
	ward_leftover_fn *on_leftover; /* called for each attachment; may be NULL */
	void *user;
};

/*
 * Find and take off what killed tracers have left in a process; the process runs correctly with these leftovers. Ward
 * restores the code that they patched from the file on disk, and frees their memory, unless a thread may still be in
 * it. It reports attachments of live tracers and leaves them alone, unless options->live is set. `options` may be
 * NULL. The caller needs the right to ptrace the process, which can't be the caller's own. Any thread may call this;
 * on_leftover runs in a thread of the library's own while the caller waits.
 *
 * WARD_E_TARGET if something that should be gone is left; a later call may succeed. A tracer that was killed while it
 * attached or detached may have prepared a system call in a thread, which the thread makes when it next runs. Call
 * this again a moment later to remove what that call leaves.
 */
int ward_cleanup(pid_t pid, const struct ward_cleanup_options *options, struct ward_error *err);

/*
 * Numbers about a session at this moment. While the target runs, each number is exact, but they may be of slightly
 * different moments.
 */
struct ward_session_stats {
	uint64_t events; /* probe runs, in all threads */
	/*
	 * events that ran no probe: a probe of the same thread was running, no slot was free, or the thread may by
	 * now not do what the probe does (seccomp, PR_SET_TSC)
	 */
	uint64_t dropped;
	uint32_t threads; /* slots that have been used; a later thread reuses the slot of an ended one */
	uint32_t sites;   /* attached sites */
};
void ward_session_stats(const ward_session *session, struct ward_session_stats *stats);

/*
 * Was a thread of the target, or of a followed process, about to deny itself access to the library's memory there
 * (pkey_set, with protection key 0)? From that moment on its process runs no probes, and no number counts its events.
 */
bool ward_session_shut(const ward_session *session);

/*
 * How often has the kernel held back samples (sites such as profile:99) for up to a tick of its clock, because they
 * came more often than kernel.perf_event_max_sample_rate allows? Those of a clock that are missing are among the
 * dropped events once the session is detached; those of other events nobody knows. Always 0 where no samples are taken.
 */
uint64_t ward_session_held_back(const ward_session *session);

/*
 * How long Ward has stopped threads of the target so far to attach and detach, in nanoseconds. Each stop of each
 * thread counts once, from the request to the release. A program started by ward_spawn has no pauses before its
 * start. Waits for a detach in progress.
 */
struct ward_pauses {
	uint64_t count, total, most;
	uint64_t by_power[64]; /* how many lasted 2^i to 2^(i + 1) - 1 nanoseconds */
};
void ward_session_pauses(const ward_session *session, struct ward_pauses *pauses);

/*
 * Raw state of the session's threads. Returns how many threads have a state; thread i has its state at (*states)[i].
 * Each has *state_size bytes, in shared memory that the target keeps writing and may fill with anything. The session
 * owns the array, which is valid until the next call or ward_session_free. Returns 0 if no thread has a state yet, or
 * if memory runs out.
 */
size_t ward_session_states(ward_session *session, const void *const **states, size_t *state_size);

/*
 * Call fn for each site of a process that matches `glob` ("libc.so.6!str*"; NULL: all), whether it can be attached or
 * not. Changes nothing in the process. WARD_E_TARGET if the process can't be examined or nothing matches;
 * WARD_E_USAGE for a malformed pattern.
 */
int ward_list(pid_t pid, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/*
 * The same for a program or library that no process need have mapped. Addresses are the file's own. Its IFUNCs are
 * unknown, as nothing has called them. WARD_E_USAGE if the file can't be read, or isn't an ELF file for x86-64.
 */
int ward_list_file(const char *path, const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/*
 * The same for a command, found in PATH, with the libraries that it is linked with. It is started, listed at its entry
 * point, and ended there: the dynamic linker and the libraries' constructors have run, no instruction of the program.
 * WARD_E_USAGE if it can't be started.
 */
int ward_list_command(char *const argv[], const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/*
 * The same for the running kernel's functions ("kernel!vfs_*"; NULL: all), by address, or for its tracepoints
 * ("kernel:sched:*"), by name; a tracepoint's address is 0. Reports how each would be hooked now if it were the only
 * one, or why it can't be. The caller needs the right to see the kernel's addresses, and tracefs; the kernel module
 * `ward` needn't be loaded. WARD_E_TARGET if the kernel doesn't show them, or nothing matches.
 */
int ward_list_kernel(const char *glob, ward_site_fn *fn, void *user, struct ward_error *err);

/*
 * Write a kernel's structures and unions as the header that a probe includes before <ward/kernel.h>. `btf` is a file
 * of the kernel's types (BTF); NULL means the running kernel's. The types of `modules` follow in this order, each
 * module once; they are read from the file with the module's name in the folder of the kernel's file. A name that is
 * already taken gets the suffix ___2. Part of a header may have been written when the call fails. WARD_E_TARGET if
 * the running kernel doesn't show its types, or hasn't loaded such a module. WARD_E_USAGE if a file can't be read or
 * isn't BTF, or if a module's name is malformed.
 */
int ward_kernel_header(
	const char *btf, const char *const *modules, size_t n_modules, FILE *out, struct ward_error *err);

/* ---- Names of addresses ---- */

typedef struct ward_names ward_names;

/*
 * Record what a process has mapped now. From then on its addresses have names, also when the process is gone. The
 * symbols of a module are read when one of its addresses is first looked up. Any thread may look up names at any time.
 * End with ward_names_close.
 */
int ward_names_open(pid_t pid, ward_names **out, struct ward_error *err);
/* The same for the running kernel's functions, which are read when the first address is looked up. */
int ward_names_open_kernel(ward_names **out, struct ward_error *err);
/* NULL is allowed. */
void ward_names_close(ward_names *names);

/*
 * The name of an address in a module's code, cut to fit `size` bytes with the terminating zero:
 * "libc.so.6!read+0x12". A function's name that is cut is followed by the function's address in the file:
 * "libc.so.6!rea...[0x1200]+0x12". Where no function is known it is "libc.so.6+0x1234 (build-id 0123...)", with an
 * address of the file's own. If several modules were mapped there one after the other, it is the number and all that
 * it can be: "0x7f0011223344 (libone.so!f+0x12 or libtwo.so!g)". In the kernel it is "vfs_read+0x12", or
 * "ext4_iget+0x34 [ext4]" in a kernel module. The name comes from the target and may contain any bytes. Returns
 * false, and writes nothing, if the address is in no module, or if the kernel doesn't show its addresses.
 */
bool ward_names_find(ward_names *names, uint64_t address, char *text, size_t size);
/*
 * The same of an address that a thread of the session has kept (`thread` of ward_record and ward_map_entry, or
 * WARD_ANY_THREAD), and that was there at that time (ev->time, a time stamp counter; 0: unknown). Either may say which
 * of several modules it belongs to, the thread if processes are followed.
 */
enum { WARD_ANY_THREAD = 0x7fffffff };
bool ward_names_find_at(ward_names *names, uint64_t address, uint32_t thread, uint64_t time, char *text, size_t size);
/*
 * A stack that a probe has taken (ward_stack of <ward/imports.h>) is a number like an address, and has a name: its
 * functions, the innermost last, with ; between them. How many stacks couldn't be kept, as too many others were there:
 * the probe got 0 for them.
 */
uint64_t ward_names_lost_stacks(ward_names *names);

/* ---- State: what the fields mean, and their values merged over threads ---- */

typedef struct ward_schema ward_schema;
typedef struct ward_snapshot ward_snapshot;

/*
 * The aggregates of probes/include/ward. STOP is not a field that the author declared: it counts the runs that a
 * guard has stopped at one place of the source. ARRAY is an array of more than 128 elements, as a map from places to
 * elements. WIDE is an integer of 128 bits, REAL a double or float.
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
	WARD_FIELD_ARRAY,
	WARD_FIELD_WIDE,
	WARD_FIELD_REAL,
	WARD_FIELD_QUEUE,
};

/* One bucket: values lo to hi, both included; signed for LINEAR. */
struct ward_bucket {
	uint64_t lo, hi, count;
};

/* A quantile: of all numbers the fraction `rank` is at most `value`. */
struct ward_quantile {
	double rank, value;
};

/*
 * An enumeration of the probe: its numbers in ascending order, and their names. The numbers are sign-extended if the
 * type is signed. is_flags: the numbers aren't consecutive, and each consists of single bits that have names.
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

/*
 * What numbers are amounts of: nothing in particular; counts of the time stamp counter; nanoseconds. WARD_UNIT_TIME:
 * each is what that counter had at a moment (ward_time of ward/time.h, and a member `time` of a record).
 */
enum ward_unit { WARD_UNIT_NONE, WARD_UNIT_COUNTS, WARD_UNIT_NS, WARD_UNIT_TIME };

struct ward_field;

/*
 * One map entry. An integer key is in `key`, sign-extended if key_is_signed; an integer value is in `value`,
 * sign-extended if value_is_signed. In a map with parts, `keys` has the n_keys parts of the key, and `values` the
 * n_values parts of the value.
 */
struct ward_map_entry {
	uint64_t key, value;
	uint64_t error;                  /* TOP: at most so much of value belongs to other keys */
	uint32_t thread;                 /* from 0: one that has the key */
	const struct ward_field *keys;   /* or NULL */
	const struct ward_field *values; /* or NULL */
};

/* One record of a ring or queue. */
struct ward_record {
	/*
	 * thread: from 0. dump, FLIGHT: which dump of this thread, from 0; the field's n_dumps for the records since
	 * the last dump
	 */
	uint32_t thread, dump;
	uint64_t number; /* within the thread (and dump), from 1 */
	const struct ward_field *members;
};

struct ward_field {
	const char *name; /* STOP: the source file */
	enum ward_field_kind kind;
	bool key_is_signed;   /* MAP */
	bool value_is_signed; /* numbers, a MAP's values, LINEAR's bounds: int64_t */
	bool is_address;      /* VALUE, MAX: a pointer */
	bool is_stack; /* VALUE, MAX, TEXT: a ward_stack; as TEXT its functions, the innermost last, with ; between */
	bool is_site;  /* VALUE: an ev->site, `number` of ward_site_report */
	/*
	 * VALUE, MAX, keys of a MAP without parts: names of the numbers, also of modules (ward_schema_site); the
	 * schema owns it. Or NULL
	 */
	const struct ward_enumeration *enumeration;
	enum ward_unit
		unit;  /* of the numbers; counts become nanoseconds where the clock is known (ward_schema_set_clock) */
	bool is_empty; /* MIN, STAT, MEAN: there are no numbers */
	uint32_t size; /* bytes in the state */
	/*
	 * ARRAY: elements. MAP, TOP, CHOPSTIX, RING, QUEUE, FLIGHT: how many entries or records one thread can hold
	 * (FLIGHT: in one dump)
	 */
	uint32_t slots;
	/*
	 * of a map: parts of its key and value, 0 if both are plain integers; of a ring: n_values is the number of
	 * members of a record
	 */
	uint32_t n_keys, n_values;
	const struct ward_field *parts; /* names and kinds of these: keys, then values */
	/*
	 * COUNT, STOP, VALUE, STAT: the sum; MIN, MAX: the number; GATE: events that passed; DISTINCT: the estimate;
	 * CHOPSTIX: all events; REAL: the number's bits
	 */
	uint64_t value;
	uint64_t high;      /* WIDE, STAT: the upper half of the sum, whose lower one is `value` */
	uint64_t count;     /* STAT, MEAN, QUANTILES: how many numbers; GATE: all events */
	uint64_t min, max;  /* STAT, if not empty; QUANTILES, unless min > max */
	double real;        /* STAT, MEAN: the mean; REAL: the number */
	double error;       /* QUANTILES: maximum relative error; DISTINCT: standard error */
	uint32_t line;      /* STOP: in the source file */
	const char *reason; /* STOP: why runs are stopped there; a static string. Else NULL */
	/* TEXT: what the probe wrote, up to a zero byte; merged over threads, the greatest text */
	const char *text;
	/* LOG2, LINEAR: buckets; QUANTILES: ranks; maps: entries; rings: records */
	size_t n;
	/* from the first to the last that isn't empty; QUANTILES: the n_buckets that aren't empty, for other ranks */
	const struct ward_bucket *buckets;
	const struct ward_quantile *quantiles; /* by rank */
	const struct ward_map_entry *entries;  /* largest value first; ARRAY: by index, those that aren't 0 */
	const struct ward_map_entry *other;    /* MAP: the sum of all keys for which there was no room; or NULL */
	const struct ward_record *records;     /* oldest first; FLIGHT: dump by dump, thread by thread */
	uint32_t n_dumps;                      /* FLIGHT: how many dumps one thread can have */
	/*
	 * MAP: updates that found the map full; CHOPSTIX, RING: entries or records that were overwritten; QUEUE:
	 * records that found it full; FLIGHT: missed triggers
	 */
	uint64_t lost;
	uint64_t evicted;  /* MAP: keys that were removed to make room for others */
	uint64_t unlisted; /* entries that aren't among the n listed */
	size_t n_buckets;  /* QUANTILES */
};

/*
 * What form the results of a kind have, and so which members of struct ward_field hold them: text or a few numbers
 * (ward_field_text, ward_field_results); buckets; entries; records; or the number of runs that a guard has stopped.
 */
enum ward_form { WARD_FORM_LINE, WARD_FORM_BUCKETS, WARD_FORM_ENTRIES, WARD_FORM_RECORDS, WARD_FORM_STOP };

/*
 * How to show the results of a kind. With it a caller can treat all kinds alike, including those that later versions
 * add.
 */
struct ward_kind {
	const char *name; /* "stat" */
	enum ward_form form;
	bool is_left;     /* LINE: in a column, align the text to the left */
	bool has_columns; /* LINE: in a table, each of ward_field_results has its own column */
	const char *key;  /* ENTRIES: heading for keys without parts: "index"; NULL: "key" */
	/* ENTRIES: heading for the value of an entry without parts: "value", "at most", "at least". Else NULL */
	const char *entry;
	bool has_error; /* ENTRIES: each entry has an error */
};

/* The row of a kind; it is static. For a number that is no kind, the row is a LINE with the name "unknown". */
const struct ward_kind *ward_kind(enum ward_field_kind kind);

/*
 * The results as text for people, cut to fit `size` bytes with the terminating zero. For a LINE it is the whole
 * result on one line; only a TEXT may contain any bytes. Addresses and sites are printed as numbers. For ENTRIES and
 * RECORDS it is what belongs below their table, on any number of lines ("12 lost: the map was full"). For other forms
 * it is empty.
 */
void ward_field_text(const struct ward_field *field, char *text, size_t size);
/* A time, for people: "12.3 µs", in UTF-8. */
void ward_time_text(double ns, char *text, size_t size);
/* The range of a bucket: "[4K, 8K)", "below -20". */
void ward_bucket_text(const struct ward_field *field, size_t bucket, char *text, size_t size);

/*
 * One result. A LIST holds any number of ROWs, and a ROW holds named results; an END closes either. NONE is a number
 * that doesn't exist, such as the minimum of no numbers. WIDE is an integer that needs more than 64 bits: `text` has
 * its digits, `real` is near it.
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
	WARD_RESULT_WIDE,
};
struct ward_result {
	enum ward_result_type type;
	const char *name; /* empty for a ROW and an END */
	uint64_t number;  /* UNSIGNED; SIGNED: as int64_t */
	double real;      /* REAL, WIDE */
	const char *text; /* TEXT; may contain any bytes. WIDE */
	enum ward_unit unit;
};
typedef void ward_result_fn(void *user, const struct ward_result *result);

/*
 * The results for programs: calls fn with each result by name, in a fixed order. For ENTRIES and RECORDS it reports
 * the numbers beside them, not the entries and records themselves. What fn is given lasts until it returns.
 */
void ward_field_results(const struct ward_field *field, ward_result_fn *fn, void *user);

/*
 * Read from the module's debug information what the fields of its state are. The information may be hostile: a wrong
 * description gives wrong numbers, and does no other harm. A module without debug information gives a schema without
 * fields. WARD_E_USAGE: not a module; WARD_E_SYSTEM. Free with ward_schema_free, after the snapshots and streams that
 * use the schema. The image isn't needed afterwards.
 */
int ward_schema_read(const void *image, size_t size, ward_schema **out, struct ward_error *err);
/*
 * Tell the schema which module a site is in, with a report that on_site received. From then on keys and values of the
 * type ward_module, which a probe computes from ev->site, have the modules' names in their enumeration. A MAP (not a
 * TOP) merges keys of one module into one entry. Characters of these names that aren't printable ASCII become
 * question marks. A site that was never reported stays a number. Don't call this while another thread merges with the
 * schema or reads what was merged. The report of a skipped site has no effect. WARD_E_SYSTEM without memory.
 */
int ward_schema_site(ward_schema *schema, const struct ward_site_report *report, struct ward_error *err);
/*
 * Say how many counts of the time stamp counter are a microsecond. From then on results that are counts (ward_elapsed
 * of ward/time.h) are merged into nanoseconds. 0: they stay counts, as they are at first. Don't call this while another
 * thread merges with the schema.
 */
void ward_schema_set_clock(ward_schema *schema, double counts_per_us);
/* NULL is allowed. */
void ward_schema_free(ward_schema *schema);

/*
 * Names and kinds of the fields: their number, and field i, whose value, n and arrays are zero. The schema owns its
 * strings. Beyond the last field the name is empty.
 */
size_t ward_schema_fields(const ward_schema *schema);
struct ward_field ward_schema_field(const ward_schema *schema, size_t i);

/*
 * Is the state's type in the module's debug information? If so, each member is shown by a field, is private
 * (WARD_PRIVATE), or is among those that can't be shown. Of these `file`, `line` and `column` say where it is declared,
 * as far as that is known ("" and 0). The schema owns the strings; `name` is fit to be printed, `file` may contain any
 * bytes. Beyond the last one the name is empty. is_shown: it is a key that is shown, and `why` says what is wrong with
 * it.
 */
struct ward_unshown {
	const char *name, *why, *file;
	uint32_t line, column;
	bool is_shown;
};
bool ward_schema_is_described(const ward_schema *schema);
size_t ward_schema_unshown(const ward_schema *schema);
struct ward_unshown ward_schema_unshown_member(const ward_schema *schema, size_t i);

/*
 * The name of a number of an enumeration, or the names of its bits ("READ|WRITE") if all of them have one; cut to fit
 * `size` bytes with the terminating zero. Returns false, and writes nothing, if it has no name. NULL is an
 * enumeration without names.
 */
bool ward_enumeration_name(const struct ward_enumeration *enumeration, uint64_t value, char *text, size_t size);

/*
 * Merge the states of a session's threads by the schema of the session's module; WARD_E_USAGE if it doesn't fit. May
 * be called at any time between ward_attach and ward_session_free. The snapshot is a copy; it outlives the session,
 * but not the schema. WARD_E_SYSTEM without memory. Free with ward_snapshot_free.
 */
int ward_snapshot_take(ward_session *session, const ward_schema *schema, ward_snapshot **out, struct ward_error *err);
/*
 * Followed programs may have different code at one address, and one function at different addresses. If the session
 * has names (options->names), keys that are addresses are merged by what they mean: entries of one place in a file
 * become one, whose key is an address of that place in its thread.
 */
/* The same for plain memory: n states of state_size bytes each, aligned to 8; `names` may be NULL. */
int ward_snapshot_merge(const ward_schema *schema, const void *const *states, size_t n, size_t state_size,
	ward_snapshot **out, struct ward_error *err);
int ward_snapshot_merge_named(const ward_schema *schema, ward_names *names, const void *const *states, size_t n,
	size_t state_size, ward_snapshot **out, struct ward_error *err);
/* The number of fields; field i, or NULL if there is no such field. The snapshot owns all that the field points to. */
size_t ward_snapshot_fields(const ward_snapshot *snapshot);
const struct ward_field *ward_snapshot_field(const ward_snapshot *snapshot, size_t i);
/* NULL is allowed. */
void ward_snapshot_free(ward_snapshot *snapshot);

/* ---- Records as they come ---- */

typedef struct ward_stream ward_stream;

/*
 * Called once for each record. `field` is as in a snapshot, without results. What it is given lasts until it returns.
 */
typedef void ward_record_fn(void *user, const struct ward_field *field, const struct ward_record *record);

/*
 * Follow the rings and queues of a schema, which must outlive the stream. Flight recorders aren't followed.
 * WARD_E_SYSTEM without memory. End with ward_stream_close.
 *
 * A reader (a stream, or a ward_ctf) of a queue moves the queue's cursor in the state, so that the probe has room
 * again. A queue has one reader at a time: another one doesn't see what this one has taken. The kernel's states can't
 * be written. There a queue is read as far as it was filled.
 */
int ward_stream_open(const ward_schema *schema, ward_stream **out, struct ward_error *err);
/* NULL is allowed. */
void ward_stream_close(ward_stream *stream);

/*
 * Call fn for all records since the last call, ring by ring, by time. WARD_E_SYSTEM without memory: the next call
 * reports the remaining records, or they are counted as lost.
 */
int ward_stream_poll(
	ward_stream *stream, ward_session *session, ward_record_fn *fn, void *user, struct ward_error *err);
/*
 * The same over plain memory: thread i is at states[i] each time, and there are never fewer than before. The cursors of
 * queues are written to the states.
 */
int ward_stream_read(ward_stream *stream, const void *const *states, size_t n, size_t state_size, ward_record_fn *fn,
	void *user, struct ward_error *err);

/*
 * How many records of the named field were reported so far, and how many were lost: overwritten before that, or refused
 * by a full queue. Both are 0 if there is no ring or queue of that name.
 */
void ward_stream_totals(const ward_stream *stream, const char *field, uint64_t *told, uint64_t *lost);

/*
 * Records as bytes: several millions a second, where one by one they are less than one. A member is where the probe
 * has put it: `size` bytes at `offset` of a record, little-endian. A bit-field is `bits` bits of that integer, from
 * bit `shift` on; else `bits` is 0. `kind` is as in ward_field: TEXT, REAL (float or double), WIDE (128 bits), all
 * others are integers.
 */
struct ward_member {
	const char *name;
	enum ward_field_kind kind;
	uint32_t offset, size, bits, shift;
	bool is_signed, is_address, is_site;
	enum ward_unit unit;
	const struct ward_enumeration *enumeration; /* names of the numbers, or NULL */
};
struct ward_layout {
	const char *field; /* the ring's or queue's name */
	size_t n;
	const struct ward_member *members;
	size_t size; /* bytes of a record, at most the batch's stride */
};

/*
 * n records of one thread, in the order of pushing: record i is at records + i * stride, aligned as in the probe, and
 * has the number first + i (as in ward_record). They are a copy, of bytes that the target may have filled with
 * anything; a text may have no end. It lasts until the callback returns.
 */
struct ward_batch {
	const struct ward_layout *layout;
	uint32_t thread;
	uint64_t first;
	size_t n, stride;
	const void *records;
};
typedef void ward_batch_fn(void *user, const struct ward_batch *batch);

/*
 * Call fn for all records since the last call, ring by ring and thread by thread, as many together as there are. What
 * it hasn't been given was overwritten, or found a queue full: ward_stream_totals counts both. It may be mixed with
 * ward_stream_poll. WARD_E_SYSTEM without memory, before anything is read.
 */
int ward_stream_batch(
	ward_stream *stream, ward_session *session, ward_batch_fn *fn, void *user, struct ward_error *err);
/* The same over plain memory, as ward_stream_read. */
int ward_stream_batch_read(ward_stream *stream, const void *const *states, size_t n, size_t state_size,
	ward_batch_fn *fn, void *user, struct ward_error *err);
/* How records lie: ring i of a stream; NULL beyond the last one. The stream owns it. */
const struct ward_layout *ward_stream_layout(const ward_stream *stream, size_t i);

/*
 * Records that ward_stream_batch has given out, perhaps in another process or on another machine: call fn for each one
 * of a batch, whose layout is ring i of this stream. Bytes may be anything. WARD_E_USAGE: there is no such ring, or its
 * records are longer than the batch's stride; WARD_E_SYSTEM without memory.
 */
int ward_stream_unbatch(const ward_stream *stream, size_t i, const struct ward_batch *batch, ward_record_fn *fn,
	void *user, struct ward_error *err);

/* ---- Records to disk ---- */

typedef struct ward_ctf ward_ctf;

/*
 * Make a directory for the records of a schema's rings and queues in the Common Trace Format 1.8, which babeltrace2 and
 * others read. The directory must not exist yet. The schema must outlive the trace. WARD_E_USAGE if there are none or
 * the directory can't be made; WARD_E_SYSTEM. End with ward_ctf_close.
 */
int ward_ctf_open(const char *directory, const ward_schema *schema, ward_ctf **out, struct ward_error *err);

/*
 * Choose the version of the format: 1 for 1.8, which is what a trace has, or 2. The packets are the same; what
 * describes them is JSON in version 2. Call it before `ctf` is written to (WARD_E_USAGE).
 */
int ward_ctf_set_version(ward_ctf *ctf, unsigned version, struct ward_error *err);

/*
 * Make two traces of one machine, such as of a process and of the kernel, share one clock: `ctf` uses that of `with`.
 * A reader that merges both by time then finds their records in the order of the time stamp counter, however close
 * they are. Call it before `ctf` is written to, and not if `ctf` already shares another trace's clock (WARD_E_USAGE).
 * The rate of the counter is measured when the first of the traces is closed. They can be closed in any order, and
 * the others still written. Traces that share a clock must be used by one thread at a time.
 */
int ward_ctf_share_clock(ward_ctf *ctf, ward_ctf *with, struct ward_error *err);

/*
 * Open a trace of another machine, `host`, whose records ward_ctf_put writes. Their time stamps are nanoseconds since
 * 1970, by whichever clock the caller goes by. WARD_E_USAGE also if the host's name has other characters than letters,
 * digits, dots and hyphens.
 */
int ward_ctf_open_of(
	const char *directory, const char *host, const ward_schema *schema, ward_ctf **out, struct ward_error *err);
/*
 * Write records that ward_stream_batch has given out there: `batch`, whose layout is ring i of a stream, and a time
 * stamp of each. Numbers that are missing before `first` are records that were lost. `thread` is that of all threads
 * of the machine, from 0. WARD_E_USAGE: there is no such ring, or its records are longer than the batch's stride.
 */
int ward_ctf_put(
	ward_ctf *ctf, size_t i, const struct ward_batch *batch, const uint64_t *stamps, struct ward_error *err);

/*
 * Write all records since the last call, as bytes. A record takes a few nanoseconds. So a thread that calls this
 * every millisecond keeps up with tens of millions of records a second, if the rings can hold what comes in between.
 * Each record that a probe pushed is either written or counted as lost, also in the trace. WARD_E_SYSTEM without
 * memory, or if the disk is full: what couldn't be written is lost, and the caller may call again.
 */
int ward_ctf_poll(ward_ctf *ctf, ward_session *session, struct ward_error *err);
/* The same over plain memory: thread i is at states[i] each time, and there are never fewer than before. */
int ward_ctf_read(ward_ctf *ctf, const void *const *states, size_t n, size_t state_size, struct ward_error *err);

/* How many records of the named ring (NULL: of all rings) were written so far, and how many were lost. */
void ward_ctf_totals(const ward_ctf *ctf, const char *field, uint64_t *written, uint64_t *lost);

/*
 * Finish the trace and free it. A trace that was never polled leaves no directory. NULL is allowed. WARD_E_SYSTEM if
 * the description of the trace can't be written, which contains the clock's rate and so is completed at the end; the
 * trace is freed all the same.
 */
int ward_ctf_close(ward_ctf *ctf, struct ward_error *err);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
