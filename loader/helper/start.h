/* SPDX-License-Identifier: Apache-2.0 */
/* Finding and starting the program ward-helper. find.c and start.c describe how. */
#ifndef WARD_LOADER_START_HELPER_H
#define WARD_LOADER_START_HELPER_H

#include "ward/ward.h"

#include <limits.h>

/* The descriptor by which a helper reaches the process that has started it. */
enum { WL_HELPER_FD = 3 };

struct wl_helper {
	pid_t pid;
	int pidfd;
	int connection; /* a socket that keeps messages apart; it is closed with an exec */
};

/* The path of the program. False, with *err, if there is none. */
bool wl_helper_find(char path[PATH_MAX], struct ward_error *err);

/* Start it. It is no child of this process. Returns 0 or the error. */
int wl_helper_start(struct wl_helper *h, struct ward_error *err);

/* End it at once, whatever it is doing, and wait until the kernel has released what it traced. */
void wl_helper_kill(struct wl_helper *h);

/* End the connection, at which the helper ends. */
void wl_helper_leave(struct wl_helper *h);

#endif
