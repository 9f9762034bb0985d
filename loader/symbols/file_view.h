/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file that no process has mapped, as if one had. file_view.c describes how. */
#ifndef WARD_LOADER_FILE_VIEW_H
#define WARD_LOADER_FILE_VIEW_H

#include "loader/process/maps.h"
#include "loader/process/process.h"

struct wl_file_view {
	struct wl_below below; /* what the process reads its memory through */
	struct wl_process process;
	struct wl_maps maps; /* at the addresses that the file itself has */
	int fd;
};

/* The view must stay where it is. Returns 0, or an error for the user. */
int wl_file_view_open(struct wl_file_view *view, const char *path, struct ward_error *err);
void wl_file_view_close(struct wl_file_view *view);

#endif
