/* SPDX-License-Identifier: Apache-2.0 */
/* C++ and Rust functions by the names in their source. demangle.c describes how they are decoded. */
#ifndef WARD_LOADER_DEMANGLE_H
#define WARD_LOADER_DEMANGLE_H

#include "symbols.h"

/*
 * Fill `readable` of all symbols that have a mangled name; the texts stand in *text, to be freed after them. Returns 0
 * or ENOMEM; a symbol whose name can't be understood keeps NULL.
 */
int wl_demangle(struct wl_symbol *symbols, size_t n, char **text);

/* One readable name, malloc'd, or NULL: for confined processes alone, as it may take for ever. */
char *wl_demangled(const char *name);

/* A readable name's bytes before its list of parameters: "ns::f" of "ns::f(int) const". All of them if it has none. */
size_t wl_plain_length(const char *readable);

/*
 * Does the pattern mean the function? By its symbol, without a version, or by its readable name, with parameters or
 * without; blanks don't count there. `literally`: characters of globs stand for themselves, as in "ns::operator*" or
 * "ns::f(char const*)". A part of a function isn't meant by a name without parameters. Behind an @ may be the file of a
 * static function, a version, or what else tells it from others of its name.
 */
bool wl_name_matches(const struct wl_symbol *s, const char *pattern, bool literally);

/*
 * gcc and LLVM call the parts so that they split off functions. Jumps lead to them, with the frame of the function in
 * place or not: they have no entry and no return.
 */
bool wl_name_is_part(const char *name);

/*
 * The name to call the function by, and its length; and what is behind it: nothing, or `mark` and `which`, two strings
 * that tell it from others of its name.
 */
struct wl_shown {
	const char *name;
	int length;
	const char *mark, *which;
};
struct wl_shown wl_name_shown(const struct wl_symbol *s);

#endif
