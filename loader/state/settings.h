/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings: globals of a module that are const volatile integers, which a caller may give another value when the module
 * is attached. The value is written into the copy that is verified next (base/image.h). So nothing here is trusted: a
 * wrong description gives a wrong number, or a module that is rejected.
 */
#ifndef WARD_LOADER_STATE_SETTINGS_H
#define WARD_LOADER_STATE_SETTINGS_H

#include "schema.h"

enum { STATE_MAX_SETTINGS = 256 };

/* As the debug information says. No bools: the sandbox may have written anything here. */
struct state_setting {
	char name[STATE_MAX_NAME];
	uint64_t address; /* in the module */
	uint8_t size;     /* 1, 2, 4 or 8 */
	uint8_t is_signed, is_bool;
};

/*
 * settings_read.c: find them in the debug information. Returns how many. The libraries below may crash or hang on
 * hostile input: only settings.c calls this, in the sandbox.
 */
size_t state_settings_read(const void *image, size_t size, struct state_setting *settings, size_t max);

#endif
