/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules for several builds: offsets of a kernel's structures, and of a program's, are those of one build. A machine
 * whose build none is for says so, and counts nothing: the types that a module for it would need are a stranger's file,
 * which no compiler here is to read unasked.
 */
#include <stdlib.h>
#include <string.h>

#include "cluster_command.h"
#include "cluster/base/build_id.h"
#include "cluster/wire/shape.h"

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* "ID=MODULE": where the module's path begins; NULL: it isn't so. */
static const char *build_read(const char *text, struct cluster_run_variant *v)
{
	size_t n = 0;

	for (; hex_digit(text[0]) >= 0 && hex_digit(text[1]) >= 0 && n < sizeof(v->build); text += 2)
		v->build[n++] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
	v->n_build = n;
	return n && *text == '=' && text[1] ? text + 1 : NULL;
}

const char *cluster_variant_path(const char *text)
{
	const char *equals = strchr(text, '=');
	return equals ? equals + 1 : text;
}

static int variant_add(const char *text, struct cluster_variants *kept, struct cluster_run_unit *unit)
{
	struct cluster_run_variant *v = &unit->variant[unit->n_variants];
	const char *path = build_read(text, v);
	int status;

	if (!path)
		return cli_error(CLI_USAGE, text, "ward cluster machines shows kernels; of a program: file FILE",
			"--variant wants a build-id in hexadecimal digits, = and a module");
	if (!cli_has_suffix(path, ".ward"))
		return cli_error(CLI_USAGE, path, "ward cc --btf FILE compiles one for another kernel",
			"--variant wants a module");
	if (kept->n == CLUSTER_RUN_VARIANTS - 1)
		return cli_error(
			CLI_USAGE, path, "ask in two queries", "there are more than %d modules", CLUSTER_RUN_VARIANTS);
	for (size_t i = 0; i < unit->n_variants; i++)
		if (unit->variant[i].n_build == v->n_build && memcmp(unit->variant[i].build, v->build, v->n_build) == 0)
			return cli_error(
				CLI_USAGE, text, "leave one of them out", "there are two modules for this build");
	status = cli_read_file(path, &kept->bytes[kept->n]);
	if (status != CLI_OK)
		return status;
	v->module = kept->bytes[kept->n].data;
	v->size = kept->bytes[kept->n++].size;
	unit->n_variants++;
	return CLI_OK;
}

/* C-151: whose structures does the probe's own module know? */
static int own_take(const struct cluster_use *use, const struct cli_bytes *own, const struct ward_verdict *verdict,
	bool is_built_here, struct cluster_run_unit *unit)
{
	struct cluster_run_variant v = {.module = own->data, .size = own->size};

	if (use->only_variants)
		return CLI_OK;
	if (unit->kernel && cluster_module_reads_kernel(&verdict->module)) {
		if (is_built_here)
			v.n_build = cluster_build_id_of_kernel(v.build);
		if (!v.n_build)
			return cli_error(CLI_USAGE, "probe", "--variant BUILD-ID=MODULE says so",
				"it reads the kernel's memory, and isn't known to be for which kernel (C-151)");
	}
	unit->variant[unit->n_variants++] = v;
	return CLI_OK;
}

int cluster_variants_take(const struct cluster_use *use, const struct cli_bytes *own,
	const struct ward_verdict *verdict, bool is_built_here, struct cluster_variants *kept,
	struct cluster_run_unit *unit)
{
	int status = CLI_OK;

	for (size_t i = 0; i < use->variants.n && status == CLI_OK; i++)
		status = variant_add(use->variants.at[i], kept, unit);
	return status == CLI_OK ? own_take(use, own, verdict, is_built_here, unit) : status;
}

void cluster_variants_free(struct cluster_variants *kept)
{
	for (size_t i = 0; i < kept->n; i++)
		free(kept->bytes[i].data);
	kept->n = 0;
}
