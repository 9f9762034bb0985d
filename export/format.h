/* SPDX-License-Identifier: Apache-2.0 */
/* What a format does, and what formats have in common. Internal to export/. */
#ifndef WARD_EXPORT_FORMAT_H
#define WARD_EXPORT_FORMAT_H

#include "export.h"

struct export_format {
	const char *name, *viewers;
	size_t size; /* of its own part of an export, which begins with struct export */
	/* What it doesn't take is NULL. Each sets failed if it can't go on; then nothing more is written. */
	void (*begin)(export *e);
	void (*event)(export *e, const struct export_event *event);
	void (*stack)(export *e, const struct export_stack *stack);
	void (*thread)(export *e, pid_t pid, pid_t tid, const char *name);
	void (*end)(export *e);
	void (*release)(export *e); /* what it has allocated; or NULL */
};

extern const struct export_format export_chrome, export_perfetto, export_firefox, export_pprof, export_folded,
	export_flame;

struct export
{
	const struct export_format *format;
	FILE *file;
	struct export_about about;
	bool failed; /* memory was missing */
};

/* ---- json.c: JSON as it is streamed ---- */

/* A string with its quotes. What would end a script in a page is escaped as well. */
void export_json_string(FILE *file, const char *text);
/* The value of a member, without its name. */
void export_json_value(FILE *file, const struct export_value *value);
/* Nanoseconds as a decimal fraction of units of 10^digits nanoseconds: 1234 with 3 digits is 1.234. */
void export_json_scaled(FILE *file, int64_t ns, unsigned digits);

/* ---- intern.c: each different string or block of bytes once, by a number from 0 on ---- */

struct intern {
	struct intern_row {
		void *bytes;
		size_t size;
		uint64_t hash;
	} *row;
	size_t n, room;
	uint32_t *slot; /* number + 1 of a row; 0: free */
	size_t slots;
};

enum { INTERN_FAILED = -1 };

/* Its number; *is_new says whether it is the first time. INTERN_FAILED without memory. */
int64_t intern_bytes(struct intern *in, const void *bytes, size_t size, bool *is_new);
int64_t intern_text(struct intern *in, const char *text, bool *is_new);
const char *intern_text_at(const struct intern *in, size_t number);
void intern_free(struct intern *in);

#endif
