/* SPDX-License-Identifier: Apache-2.0 */
/* What ward cc and ward link have in common: make a module, verify it, and write it if it is proven. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int cli_build_output(const struct cli_command *command, const char *input, const char *suffix, const char *output,
	struct cli_build *make)
{
	char derived[4096];
	if (!output) {
		const char *base = strrchr(input, '/');
		base = base ? base + 1 : input;
		size_t stem = strlen(base) - (cli_has_suffix(base, suffix) ? strlen(suffix) : 0);
		if (snprintf(derived, sizeof(derived), "%.*s.ward", (int)stem, base) >= (int)sizeof(derived))
			return cli_usage(command, "'%s': name too long; use -o", input);
		output = derived;
	}
	for (size_t i = 0; i <= make->options.n_more_sources; i++) {
		const char *source = i ? make->options.more_sources[i - 1] : input;
		if (same_file(source, output))
			return cli_usage(command, "'%s' is both input and output", source);
	}
	struct cli_bytes module = {0};
	struct ward_verdict *verdict = NULL;
	int status = make->make(input, &make->options, &module);
	if (status == CLI_OK)
		status = cli_verify(input, &module, &make->limits, &verdict);
	if (status == CLI_OK)
		status = cli_warn_of_unshown(input, &make->options, &module);
	if (status == CLI_OK)
		status = cli_write_file(output, &module);
	else
		cli_remove_stale(output);
	if (status == CLI_OK && make->options.guarded)
		status = cli_print_listing(&module, verdict, &make->limits, make->options.guarded);
	ward_verdict_free(verdict);
	free(module.data);
	return status;
}
