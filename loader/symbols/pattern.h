/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns like "libc.so.6!str*:entry", "postgres!:postgresql:query__start" and "libc.so.6!malloc+0x1b". */
#ifndef WARD_LOADER_PATTERN_H
#define WARD_LOADER_PATTERN_H

#include <ward/ward.h>

#include <stdbool.h>

/* A pattern, taken apart. */
struct wl_pattern {
	char *module, *function;
	char *provider, *name; /* of a tracepoint, else NULL */
	/* WL_ANYWHERE: not said. WL_INSN: an instruction */
	enum wl_where { WL_ANYWHERE, WL_ENTRY, WL_RETURN, WL_THROW, WL_POINT, WL_INSN } where;
	/* of WL_INSN: from where the function begins; or the address in the module's file, of whatever function */
	uint64_t offset;
	bool is_address;
	/* set by the caller: the probe of a return site wants what was at the entry */
	bool pairs;
	/* set by the caller: it wants to know by the stack pointer which call it is */
	bool by_sp;
};

/* A module's name as a pattern has it, with backslashes. To be freed; NULL without memory. */
char *wl_pattern_escape(const char *module);

/* What kind of site the text means; of what isn't a pattern, WL_ANYWHERE. */
enum wl_where wl_pattern_where(const char *text);

/*
 * Parse "MODULE!FUNCTION[:entry|:return|:throw]", "MODULE![FUNCTION]:PROVIDER:NAME", "MODULE!FUNCTION+OFFSET" or
 * "MODULE!0xADDRESS". Returns 0 or WARD_E_USAGE.
 */
int wl_pattern_parse(const char *text, struct wl_pattern *out, struct ward_error *err);
void wl_pattern_free(struct wl_pattern *pattern);

#endif
