/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that ward-verify prints. */
#ifndef WARD_TOOL_REPORT_H
#define WARD_TOOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ward/verify.h"
#include "lines.h"

#define WARD_VERIFY_VERSION "0.1"

struct wv_module;

/* A verdict, and what else a report shows. The caller owns everything. */
struct report {
	const char *path; /* of the module, as the user wrote it */
	const void *file;
	size_t size;
	const struct wv_module *module; /* the file, parsed; NULL: report_place parses it each time */
	const struct ward_verdict *verdict;
	const struct ward_verify_options *options; /* that it was judged with */
	size_t shown;                              /* violations described: verdict->violations[0 … shown - 1] */
	/* paths in violations' sentences are relative to this directory; NULL: as the debug information has them */
	const char *directory;
	const struct source_line *lines; /* one for each of them, then one for the origin of each */
};

/*
 * Each prints one form of the report to `out` and returns false if there was no memory for it. Write errors are for the
 * caller to find with ferror.
 */
bool report_text(FILE *out, const struct report *r);
bool report_json(FILE *out, const struct report *r);
bool report_sarif(FILE *out, const struct report *r);
/* The text, and then each instruction with what is known there. */
bool report_explain(FILE *out, const struct report *r);

/* What an author can do about a violation of the rule: one phrase. Static strings. */
const char *report_hint(enum ward_rule rule);
/* The same for one violation, more exact where possible; in `buf` or static. */
const char *report_hint_of(const struct ward_violation *v, char *buf, size_t size);

/*
 * What is wrong, and where the number at fault comes from: "load of 8 bytes at …; rcx was loaded at reads.c:31 and
 * never bounded". malloc'd and clean; NULL: no memory.
 */
char *report_detail(const struct report *r, size_t i);

/*
 * The lines for a report (struct report's `lines`): of each violation shown, then of each origin. The linker's jumps
 * to imports have no line; such a jump takes the line of the branch to it. NULL: no memory.
 */
struct source_line *report_lines(const void *file, size_t size, const struct ward_verdict *verdict, size_t shown);
void report_lines_free(struct source_line *lines, size_t shown);

/* Where a violation is in the file, and what is there. */
struct place {
	char text[120];  /* the instruction, or its first bytes if it is none that is permitted */
	uint64_t offset; /* in the file */
	unsigned length; /* bytes; 1 if it is no instruction */
};

/* The place of address `pc`. False if there is none: `pc` is 0, or outside the text, or the file has no such thing. */
bool report_place(const struct report *r, uint64_t pc, struct place *place);

/*
 * A malloc'd copy of `s` that is safe to show on any terminal and to any JSON reader: bytes that aren't valid UTF-8
 * become U+FFFD, and so do control and text-direction characters. NULL: no memory.
 */
char *text_clean(const char *s);

/* One character of a text: its code point, or UINT32_MAX if it's no valid UTF-8; *n: its bytes. */
uint32_t text_next(const char *text, size_t *n);

/* Is it a character that no terminal acts on? */
bool text_is_harmless(uint32_t c);

#endif
