/* A session whose target is the running kernel. Its tallies and states are laid out as those of a process's threads, one for each processor. */
#ifndef WARD_LOADER_KERNEL_H
#define WARD_LOADER_KERNEL_H

#include "../session.h"

int wl_kernel_detach(struct ward_session *s, struct ward_error *err);

#endif
