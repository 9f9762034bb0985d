/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of an installation are. */
#ifndef WARD_CODEGEN_PATHS_H
#define WARD_CODEGEN_PATHS_H

#include <limits.h>

/*
 * The directory of the dialect's headers: the environment variable WARD_INCLUDE if it is set, else ../include beside the running program's
 * own directory if ward/probe.h is there (an installation), else the source tree's.
 */
void cg_include_dir(char path[PATH_MAX]);

/* The back end, a program of its own: ../lib/ward/ward-llvm beside the running program's directory, else where it was to be installed. */
void cg_backend(char path[PATH_MAX]);

#endif
