/* SPDX-License-Identifier: Apache-2.0 */
/* Build-ids: which build a kernel is, or a program. Offsets of structures are those of one build. */
#ifndef WARD_CLUSTER_BUILD_ID_H
#define WARD_CLUSTER_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { CLUSTER_BUILD_ID = 64 };

/* Both give the length, at most CLUSTER_BUILD_ID; 0: it has none, or it can't be read. */
size_t cluster_build_id_of_kernel(uint8_t id[CLUSTER_BUILD_ID]);
size_t cluster_build_id_of_program(pid_t pid, uint8_t id[CLUSTER_BUILD_ID]);

#endif
