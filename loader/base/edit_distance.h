/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WARD_LOADER_EDIT_DISTANCE_H
#define WARD_LOADER_EDIT_DISTANCE_H

/* How unlike two names are: edit distance, over at most 63 bytes. Two neighbours that are swapped are one slip. */
unsigned wl_edit_distance(const char *a, const char *b);

#endif
