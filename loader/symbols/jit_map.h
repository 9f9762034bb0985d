/* SPDX-License-Identifier: Apache-2.0 */
/* Names of code that a process makes while it runs, by its own list of them. jit_map.c describes the list. */
#ifndef WARD_LOADER_JIT_MAP_H
#define WARD_LOADER_JIT_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The process's list, opened; -1 if it has none that may be believed. */
int wl_jit_open(pid_t pid, struct stat *st);

struct wl_jit;
/* Of the file, which becomes the list's. NULL without memory; then the file is closed. */
struct wl_jit *wl_jit_new(int fd);
void wl_jit_free(struct wl_jit *jit);

/* "jit!NAME+0x12" of an address, by what the list has now. False if it has no name. */
bool wl_jit_name(struct wl_jit *jit, uint64_t address, char *text, size_t size);

#endif
