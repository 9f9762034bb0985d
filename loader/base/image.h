/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verified module. struct ward_image is complete only in image.c, and wl_image_verify is the only function that
 * makes one. So every struct ward_image holds bytes that ward_verify accepted, in a copy that no other code can
 * write. All code that is mapped into a target comes from here.
 */
#ifndef WARD_LOADER_IMAGE_H
#define WARD_LOADER_IMAGE_H

#include "ward/ward.h"

struct ward_image;

/* Bytes written into the copy before it is verified: the low `size` bytes of `value`, at `offset` of the file. */
struct wl_setting {
	uint64_t offset, value;
	uint32_t size;
};

/*
 * Copy `size` bytes at `bytes`, of a module of that profile, write the patches into the copy, and verify it. Returns 0
 * and *out, or WARD_E_REJECTED with the first violation, WARD_E_USAGE for a module which is well but that this loader
 * can't attach, WARD_E_SYSTEM. Hands the verdict out as the options ask.
 */
int wl_image_verify(const void *bytes, size_t size, enum ward_profile profile,
	const struct ward_attach_options *options, const struct wl_setting *patches, size_t n_patches,
	struct ward_image **out, struct ward_error *err);
void wl_image_free(struct ward_image *image);

/* What the verifier found; valid as long as the image. */
const struct ward_module_facts *wl_image_facts(const struct ward_image *image);

/* The whole file that was verified. */
const void *wl_image_file(const struct ward_image *image, size_t *size);

/* The file bytes (seg->filesz of them) of one of the segments in the facts. */
const uint8_t *wl_image_bytes(const struct ward_image *image, const struct ward_segment *seg);

#endif
