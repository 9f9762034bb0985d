/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the parts of an installation are, from the running program's own directory. A build's directory is laid out as
 * an installation is. The compiler may be missing: it's a package of its own.
 */
#ifndef WARD_CODEGEN_PATHS_H
#define WARD_CODEGEN_PATHS_H

#include <limits.h>
#include <stdbool.h>

/*
 * The directory of the dialect's headers: the environment variable WARD_INCLUDE if it is set, else
 * ../share/ward/include.
 */
bool cg_include_dir(char path[PATH_MAX]);

/* The back end, a program of its own: ../lib/ward/ward-llvm. */
bool cg_backend(char path[PATH_MAX]);

#endif
