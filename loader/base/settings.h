/* SPDX-License-Identifier: Apache-2.0 */
/* Values for settings of a module, written before it is verified (image.h). loader/state/settings.c reads them. */
#ifndef WARD_LOADER_SETTINGS_H
#define WARD_LOADER_SETTINGS_H

#include "image.h"

/*
 * What texts "NAME=VALUE" change in a module: *patches, of n, to be freed. WARD_E_USAGE: a text is none, no such
 * setting is there, or its type doesn't hold the value; WARD_E_SYSTEM.
 */
int wl_settings_patch(const void *image, size_t size, const char *const *texts, size_t n, struct wl_setting **patches,
	struct ward_error *err);

#endif
