/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codegen: from a probe in C, or an object of any compiler, to a module with its proof. Nothing here is trusted.
 * Functions may be called from several threads unless said otherwise.
 */
#ifndef WARD_CODEGEN_H
#define WARD_CODEGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/verify.h"

struct ward_buf {
	uint8_t *data; /* malloc'd; the caller frees it */
	size_t size;
};

/*
 * Receives one or more complete diagnostics, ending in a newline: "file:line:column: error: text" with the source line,
 * caret and a hint below, or, where there is no place in the source, "ward: what: why" with a hint below.
 */
typedef void ward_diag_fn(void *user, const char *text);

/*
 * What gets a guard: what can't be proven; every access and loop; nothing, and then what can't be proven is for the
 * verifier to refuse.
 */
enum ward_guards { WARD_GUARDS_AUTO, WARD_GUARDS_ALWAYS, WARD_GUARDS_NEVER };

/* What the report says of one access, loop or division. */
struct ward_guarded {
	const char *file, *path; /* as the user would write it; where it is, "" if that isn't known */
	unsigned line, column;
	const char *what;   /* "load of 8 bytes", "loop", "division" */
	const char *why;    /* it has a check of its own: what the verifier said; "": it is proven, */
	const char *behind; /* perhaps by the check of an access that comes before: its place; or "" */
	const char *into;   /* a loop of an inlined function: the calls, innermost first, "a.c:7:2, a.c:9:3"; or "" */
};
typedef void ward_guarded_fn(void *user, const struct ward_guarded *rows, size_t n);

struct ward_cc_options {
	const char *const *include_dirs; /* further ones; the dialect's own headers are always found */
	size_t n_include_dirs;
	const char *const *defines; /* -D for the preprocessor: "NAME=value" */
	size_t n_defines;
	const char *const *flags; /* further words for the front end, as they are: "-Werror", "-U", "NAME" */
	size_t n_flags;
	/* "OLD=NEW": directories that begin with OLD are to be in the module as if they began with NEW */
	const char *const *maps;
	size_t n_maps;
	const char *const *more_sources; /* files that make one module together with the first; 63 at most */
	size_t n_more_sources;
	bool kernel;                              /* profile */
	bool no_proof;                            /* leave the proof section out */
	const struct ward_verify_options *limits; /* what guards are to make it keep to; NULL: the defaults */
	enum ward_guards guards;
	uint64_t rounds;      /* that a loop may go whose end isn't proven and that has no WARD_BOUND; 0: 4096 */
	ward_diag_fn *report; /* if not NULL, receives a table of what was proven and what is guarded, by source line */
	ward_guarded_fn *guarded; /* if not NULL, receives the same row by row; they last until it returns */
	ward_diag_fn *diag;
	void *user;
};

/*
 * Compile a probe's source, or several files of it, to a module with an inferred proof. Accesses and loops that can't
 * be proven get guards, which stop the run (spec/module.md, .ward.traps). Returns 0 and fills `out`, or 1 when the
 * source was refused (the diagnostics said why), or 2 when something could not be read or run (likewise). The result
 * may still fail verification, where no guard helps: the caller judges it with ward_verify.
 */
int ward_cc(const char *source_path, const struct ward_cc_options *options, struct ward_buf *out);

struct ward_link_options {
	const char *name; /* of the object, for messages */
	bool kernel;
	int64_t state_size; /* -1: from debug information, else 4096 */
	bool no_proof;      /* leave the proof section out */
	bool draft;         /* for the verdict alone: the proof is made sooner, and longer than need be */
	uint64_t nest;      /* to where loops in one another count together (infer/infer.h); 0: none do */
	ward_diag_fn *diag;
	void *user;
};

/* Link one relocatable object in memory to a module with an inferred proof. Returns as ward_cc. */
int ward_link(const void *object, size_t size, const struct ward_link_options *options, struct ward_buf *out);

#endif
