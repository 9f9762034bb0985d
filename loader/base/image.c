/* SPDX-License-Identifier: Apache-2.0 */
/* Verifying a private copy of a module, and reading it. */
#include "image.h"

#include "error.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

struct ward_image {
	uint8_t *bytes; /* our private copy */
	size_t size;
	struct ward_verdict *verdict; /* accepted */
};

static int image_rejected(const struct ward_verdict *verdict, struct ward_error *err)
{
	const struct ward_violation *v;

	if (verdict->n_violations == 0 || !verdict->violations)
		return wl_fail(err, WARD_E_REJECTED, "verify", "the module was rejected");
	v = &verdict->violations[0];
	wl_fail(err, WARD_E_REJECTED, "verify", "%s at 0x%llx: %s: %s", ward_rule_number(v->rule),
		(unsigned long long)v->pc, v->reason, v->detail);
	wl_hint(err, "run ward-verify on the module to see all %zu violations", verdict->n_violations);
	return WARD_E_REJECTED;
}

/* The sizes below are the verifier's to guarantee (V-02); a loader that maps code checks them once more for itself. */
static bool segment_fits(const struct ward_segment *s, size_t file_size)
{
	return s->offset <= file_size && s->filesz <= file_size - s->offset && s->filesz <= s->memsz &&
	       s->addr < (1u << 30) && s->memsz <= (1u << 30) && s->addr % 4096 == 0;
}

/* Features of this processor, which is also the target's. */
static uint32_t features_here(void)
{
	uint32_t here = 0;
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) \
	{ \
		unsigned r[4]; \
		if (__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]) && (r[reg] >> (position) & 1)) \
			here |= (bit); \
	}
#include "ward/feature.def"
#undef FEATURE
	return here;
}

/* On a processor without a feature its instructions trap, or worse, mean something else. */
static int check_features(const struct ward_module_facts *facts, struct ward_error *err)
{
	uint32_t missing = facts->features & ~features_here();

	if (!missing)
		return 0;
	wl_fail(err, WARD_E_TARGET, "attach", "the module needs a processor with %s",
		ward_feature_name(missing & -missing));
	wl_hint(err, "compile the probe for this processor, for example without -march");
	return WARD_E_TARGET;
}

static int check_supported(
	const struct ward_module_facts *facts, enum ward_profile profile, size_t file_size, struct ward_error *err)
{
	if (facts->profile != profile) {
		bool kernel = facts->profile == WARD_PROFILE_KERNEL;

		wl_fail(err, WARD_E_USAGE, "attach", "the module is compiled for %s",
			kernel ? "the kernel" : "processes");
		wl_hint(err, "compile the probe with --profile %s", kernel ? "user" : "kernel");
		return WARD_E_USAGE;
	}
	if (!segment_fits(&facts->text, file_size) || !segment_fits(&facts->rodata, file_size) ||
		!segment_fits(&facts->data, file_size))
		return wl_fail(err, WARD_E_REJECTED, "verify", "a segment lies outside the file");
	if (facts->text.memsz == 0 || facts->n_entries == 0)
		return wl_fail(err, WARD_E_USAGE, "attach", "the module has no probe");
	return check_features(facts, err);
}

/* Little endian, as the processor has it. */
static bool write_patches(struct ward_image *image, const struct wl_setting *patches, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct wl_setting *p = &patches[i];

		if (p->size > sizeof(p->value) || p->offset > image->size || p->size > image->size - p->offset)
			return false;
		memcpy(image->bytes + p->offset, &p->value, p->size);
	}
	return true;
}

int wl_image_verify(const void *bytes, size_t size, enum ward_profile profile,
	const struct ward_attach_options *options, const struct wl_setting *patches, size_t n_patches,
	struct ward_image **out, struct ward_error *err)
{
	struct ward_verify_options limits = {
		.size = sizeof(limits),
		.max_insns = options->max_insns,
		.max_stack = options->max_stack,
		.max_state = options->max_state,
		.allow = options->allow,
		.n_allow = options->n_allow,
		.explain = options->verdict != NULL, /* only to who reads it */
	};
	struct ward_image *image;
	int rc;

	*out = NULL;
	if (!bytes)
		return wl_missing(err, "module", "the image");
	image = calloc(1, sizeof(*image));
	if (!image)
		return wl_no_memory(err);
	image->size = size;
	image->bytes = malloc(size ? size : 1);
	if (!image->bytes) {
		free(image);
		return wl_no_memory(err);
	}
	if (size)
		memcpy(image->bytes, bytes, size);
	if (!write_patches(image, patches, n_patches)) {
		wl_image_free(image);
		return wl_fail(err, WARD_E_USAGE, "settings", "a setting lies outside the file");
	}
	image->verdict = ward_verify(image->bytes, size, &limits);
	if (!image->verdict)
		rc = wl_no_memory(err);
	else if (!image->verdict->accepted)
		rc = image_rejected(image->verdict, err);
	else
		rc = check_supported(&image->verdict->module, profile, size, err);
	/*
	 * A caller that wants the verdict gets one of its own. That of an accepted image must live as long as the
	 * image, and only the image may free it.
	 */
	if (options->verdict && rc) {
		*options->verdict = image->verdict;
		image->verdict = NULL;
	} else if (options->verdict) {
		*options->verdict = ward_verify(image->bytes, size, &limits);
	}
	if (rc) {
		wl_image_free(image);
		return rc;
	}
	*out = image;
	return 0;
}

void wl_image_free(struct ward_image *image)
{
	if (!image)
		return;
	ward_verdict_free(image->verdict);
	free(image->bytes);
	free(image);
}

const struct ward_module_facts *wl_image_facts(const struct ward_image *image)
{
	return &image->verdict->module;
}

const void *wl_image_file(const struct ward_image *image, size_t *size)
{
	*size = image->size;
	return image->bytes;
}

const uint8_t *wl_image_bytes(const struct ward_image *image, const struct ward_segment *seg)
{
	return image->bytes + seg->offset;
}
