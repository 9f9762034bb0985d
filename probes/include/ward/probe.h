/* SPDX-License-Identifier: MIT-0 */
/*
 * ward/probe.h: what a probe is written with.
 *
 *	#include <ward/probe.h>
 *
 *	struct ward_state {
 *		ward_count calls;
 *	};
 *
 *	WARD_ENTRY("libc.so.6!read")
 *	void on_read(const struct ward_event *ev, struct ward_state *st)
 *	{
 *		st->calls++;
 *	}
 *
 * A probe is a C function of an event and a state. The state is any struct of yours. Each thread has one. It is zero
 * when the thread first meets a probe, stays between events, and is merged over the threads when it is read. All
 * probe functions of a file share one state type. Its integers are added over the threads, unless their type says
 * otherwise (ward/stat.h, ward/map.h and so on). What the probe keeps only for itself belongs in WARD_PRIVATE.
 *
 * A probe can reach the event, the state, its own variables and the globals of its file, and nothing else.
 *
 * The language is C11 as gcc and clang extend it, without what can't be confined. There is no floating point (in
 * either profile: a target may have turned its exceptions on), no recursion but to a depth that is known, no
 * variable arguments, no array of variable size, no setjmp, and no inline assembly. The state is the thread's own;
 * what threads share, and atomic arithmetic for it, is in ward/shared.h. Initialisers hold addresses of constants
 * and functions only. The only functions are your own, those of these headers, of <ctype.h>, assert, and some of
 * <string.h> (docs/author/dialect.md). ward cc says where something isn't allowed, and what to do instead.
 */
#ifndef WARD_PROBE_H
#define WARD_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/calls.h"
#include "ward/chopstix.h"
#include "ward/count.h"
#include "ward/hll.h"
#include "ward/linear.h"
#include "ward/log2.h"
#include "ward/map.h"
#include "ward/mean.h"
#include "ward/quantile.h"
#include "ward/queue.h"
#include "ward/rate.h"
#include "ward/recent.h"
#include "ward/ring.h"
#include "ward/shared.h"
#include "ward/spill.h"
#include "ward/stat.h"
#include "ward/time.h"
#include "ward/top.h"

/*
 * What happened. For return probes that read arg or elapsed, the loader keeps these for up to 512 calls of a thread
 * that are open; returns of others, of calls that had begun before, and those that aren't proven to be a kept call's,
 * are dropped and counted. What else is wanted of the entry a probe of both ends can keep in WARD_CALLS (ward/calls.h).
 */
struct ward_event {
	/*
	 * the function's first six integer or pointer arguments, when it was called; doubles and floats aren't among
	 * them, nor counted. Of a Go function, the first six words in registers
	 */
	unsigned long arg[6];
	/*
	 * what it returned, unless that is a double or float; of a Go function the first word in a register; at return
	 * sites only
	 */
	unsigned long ret;
	unsigned long caller; /* the address it returns to; 0 if it ends by calling another one */
	unsigned long tid;    /* the thread, as numbered in the target's pid namespace */
	unsigned long cpu;    /* the processor */
	unsigned long time;   /* the time stamp counter */
	/* time stamp counts since the entry, which ward/time.h has types for; at return and throw sites only */
	unsigned long elapsed;
	unsigned long site; /* the number of the site within this attachment, from 0 */
	unsigned long sp;   /* the stack pointer when the function began: the same at both ends of a call */
};
_Static_assert(sizeof(struct ward_event) == 14 * 8, "struct ward_event is the loader's layout");

/* ev->site, where it is kept: as a key, or in a record. `ward trace` shows the function's name in its place. */
typedef int ward_site;

/*
 * ev->site once more, where the module that the function is in is meant: a library, or a module of the kernel's. It is
 * shown by its name, and a map has one line for all sites of a module, though an entry for each.
 */
typedef int ward_module;

/*
 * Marks the function that follows as a probe for a site: "MODULE!FUNCTION", where the function begins, or
 * "MODULE!FUNCTION:return", where it returns, with ev->ret. A function that ends by calling another (a tail call) is
 * left there: ev->caller is 0 then, and ev->ret not its value. A probe that reads ev->ret, but not ev->caller,
 * doesn't run there. A function that is left by longjmp or an exception doesn't return. WARD_ENTRY() leaves the site
 * to whoever attaches it (-f), and so do WARD_ENTRY(":entry") and WARD_ENTRY(":return"), of which both go to the ends
 * of the same functions. "MODULE!FUNCTION:throw" is where a C++ exception leaves the function, with ev->arg,
 * ev->caller, ev->sp and ev->elapsed of the call, and no ev->ret. A static tracepoint of the program is
 * "MODULE!:PROVIDER:NAME", or "MODULE!FUNCTION:PROVIDER:NAME" for those in one function: ev->arg are the tracepoint's
 * own arguments, 0 beyond the last, and ev->caller is its address; there is no ev->ret. An instruction inside a
 * function is "MODULE!FUNCTION+OFFSET" or "MODULE!0xADDRESS"; ev->caller is its address, and there is no ev->arg and no
 * ev->ret. The kernel's functions are
 * "kernel!FUNCTION" and "kernel!FUNCTION:return", where ev->arg and ev->elapsed are the call's. Its tracepoints are
 * "kernel:SUBSYSTEM:EVENT", where ev->arg are what the tracepoint hands over: cast an int or a bool to its type, as
 * its upper half, and what is beyond the last, may be anything. C++ and Rust functions go by the names that their
 * source has, "MODULE!ns::Class::method(int)", or without parameters for all of one name. The site is kept as the
 * name of the section that the function stands in.
 *
 * A sample isn't at a place in code, but comes by time: "profile:99", so many times a second of each thread of a
 * process, in the kernel on each processor, and "interval:100ms", once in so long; or by the count of an event,
 * "cache-misses:10000", at each 10000th of those that `perf list` names. It interrupts whatever runs: ev->caller is the
 * instruction that was interrupted, ev->sp the stack pointer there, ev->tid the thread, in the kernel 0 for an idle
 * processor. In the kernel ev->arg[0] is 1 in user mode, else 0, and ev->arg[1] the address that the event is about (of
 * page-faults:1), or 0; samples of processes have no ev->arg. There is no ev->ret, and no ev->elapsed.
 */
#define WARD_ENTRY(...) __attribute__((section("ward!" __VA_ARGS__), used, retain, visibility("default")))

/*
 * Stands before a loop whose end can't be proven, and says how many rounds it may go at most:
 *
 *	WARD_BOUND(1000)
 *	for (n = st->head; n; n = n->next)
 *
 * A run that goes on longer is stopped there, and counted. Without it such a loop has 4096 rounds, or as many as
 * `ward cc --rounds N` says. A loop that counts to a bound needs none.
 */
#define WARD_BOUND(n) _Pragma(WARD_STRING(clang loop unroll_count(n)))
#define WARD_STRING(...) #__VA_ARGS__

/*
 * Members of the state that are the probe's own, each thread's: neither shown nor merged. Where a probe stands, and
 * what it saw last, is no number to be added up over the threads.
 *
 *	struct ward_state {
 *		ward_count bursts;
 *		WARD_PRIVATE(
 *			unsigned long last;
 *			struct lock held[32];
 *		);
 *	};
 *
 * They are used like all others: st->last.
 */
#define WARD_PRIVATE(...) \
	union { \
		struct { \
			__VA_ARGS__ \
		}; \
	}

#endif
