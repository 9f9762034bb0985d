/* SPDX-License-Identifier: Apache-2.0 */
/* The imports that this loader offers. imports.S has their code. */
#ifndef WARD_LOADER_IMPORTS_H
#define WARD_LOADER_IMPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "walk.h"

/* The code, to be copied as a whole to a multiple of 16 in memory that can be executed. */
extern const uint8_t wl_imports_code[], wl_imports_end[];

static inline size_t wl_imports_size(void)
{
	return (size_t)(wl_imports_end - wl_imports_code);
}

/* Where in the code an import (enum ward_import) starts. False: there is no such import here. */
bool wl_import_offset(unsigned import, uint64_t *offset);

#endif
