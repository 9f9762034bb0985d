/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The linker: one relocatable object to one module, as spec/module.md describes it.
 *
 * There is nothing to resolve between objects and nothing for a loader to do, so it is short: choose what is kept and
 * give it addresses (layout.c), settle relocations (relocate.c), write the file (image.c). It is written twice: the
 * note needs the state's size, which is read from the relocated debug information of the first (state_type.c).
 */
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen.h"
#include "image.h"
#include "codegen/infer/infer.h"
#include "verifier/decode/insn.h"

enum { DEFAULT_STATE = 4096, MAX_STATE = 1 << 28 };

/* Counters of traps stand behind the state: see spec/module.md. Returns the size that the state has with them, or 0. */
static uint64_t size_with_traps(const struct cg_object *o)
{
	uint32_t head[4]; /* version, number, and where they begin: 64 bits */
	uint64_t at;

	for (size_t i = 1; i < o->n_sections; i++) {
		const struct cg_section *s = &o->sections[i];

		if (strcmp(s->name, ".ward.traps") != 0 || !s->data || s->size < sizeof(head))
			continue;
		memcpy(head, s->data, sizeof(head));
		memcpy(&at, &head[2], sizeof(at));
		if (head[0] == 1 && at <= MAX_STATE && head[1] <= MAX_STATE / 8)
			return at + 8 * (uint64_t)head[1];
	}
	return 0;
}

static int find_state(struct cg_image *im, int64_t wanted, char **type)
{
	struct cg_buf file = {0};
	int64_t size = -1;
	int status = cg_write(im, NULL, &file);

	if (status == 0)
		status = cg_state_type(im, file.p, file.n, &size, type);
	cg_buf_free(&file);
	if (status)
		return status;
	if (wanted >= 0)
		size = wanted;
	if (size < 0)
		size = DEFAULT_STATE;
	if (size < (int64_t)size_with_traps(im->object))
		size = (int64_t)size_with_traps(im->object);
	if (size > MAX_STATE)
		return cg_error(im->report, NULL, "the state has %lld bytes, at most %d", (long long)size, MAX_STATE);
	im->state_size = (uint32_t)size;
	im->state_type = *type ? *type : "";
	return 0;
}

static int image_prove(struct cg_image *im, const struct ward_link_options *options, struct cg_buf *file)
{
	const struct ward_infer_options how = {.draft = options->draft, .nest = options->nest};
	struct ward_buf proof = {0};
	const char *why = NULL;
	int status;

	if (ward_infer(file->p, file->n, &how, &proof.data, &proof.size, &why))
		return 1 + cg_error(im->report,
				   "smaller functions are simpler to prove, and so are switches without a table: "
				   "-fno-jump-tables",
				   "no proof could be inferred: %s", why ? why : "unknown reason");
	cg_buf_free(file);
	status = cg_write(im, &proof, file);
	free(proof.data);
	return status;
}

/*
 * The features of processors that the code needs. Compilers use tzcnt where bsf would do as well, so that it runs
 * anywhere; only beside instructions of the same generation it is taken for what it is.
 */
static uint32_t features_of(const struct cg_out *text)
{
	const uint32_t beside = WARD_FEATURE_LZCNT | WARD_FEATURE_BMI1 | WARD_FEATURE_BMI2 | WARD_FEATURE_MOVBE;
	uint32_t features = 0;
	bool tzcnt = false;
	size_t at = 0;

	while (at < text->bytes.n) {
		struct wv_insn insn;
		const char *why;

		if (wv_decode(text->bytes.p + at, text->bytes.n - at, text->addr + at, &insn, &why) != WV_DECODED) {
			at++; /* the verifier will say what it is */
			continue;
		}
		features |= wv_insn_feature(&insn);
		tzcnt |= insn.op == WV_TZCNT;
		at += insn.length;
	}
	return tzcnt && (features & beside) ? features | WARD_FEATURE_BMI1 : features;
}

static int link_image(struct cg_image *im, const struct ward_link_options *options, struct cg_buf *file)
{
	char *type = NULL;
	int status;

	if (cg_layout(im) || cg_relocate(im))
		return 1;
	im->features = features_of(&im->out[CG_TEXT]);
	im->state_type = "";
	status = find_state(im, options->state_size, &type);
	if (status == 0) {
		cg_note(im);
		status = cg_write(im, NULL, file);
	}
	if (status == 0 && !options->no_proof)
		status = image_prove(im, options, file);
	if (status == 0)
		status = cg_check_open(im, file->p, file->n);
	free(type);
	return status;
}

int ward_link(const void *object, size_t size, const struct ward_link_options *options, struct ward_buf *out)
{
	struct cg_report report = {options->diag, options->user, options->name ? options->name : "object", 0};
	struct cg_object o;
	struct cg_image *im = calloc(1, sizeof(*im));
	struct cg_buf file = {0};
	const char *why = cg_object_read(&o, object, size);
	int status = 0;

	*out = (struct ward_buf){0};
	if (!im || why)
		status = 1 + cg_error(&report, NULL, "%s", why ? why : "out of memory");
	if (status == 0) {
		im->object = &o;
		im->report = &report;
		im->kernel = options->kernel;
		im->may_leave_open = !options->no_proof;
		status = link_image(im, options, &file);
	}
	if (status == 2 && report.errors == 0)
		cg_error(&report, NULL, "out of memory");
	if (status == 0)
		*out = (struct ward_buf){file.p, file.n};
	else
		cg_buf_free(&file);
	if (im)
		cg_image_free(im);
	free(im);
	cg_object_free(&o);
	return status;
}
