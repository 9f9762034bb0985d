/* SPDX-License-Identifier: Apache-2.0 */
/* The options that several commands share. */
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "limits.h"

static bool allow_name(struct limits *limits, const char *name)
{
	bool ok = list_add(&limits->allowed, name);
	limits->options.allow = limits->allowed.at;
	limits->options.n_allow = limits->allowed.n;
	return ok;
}

bool limits_init(struct limits *limits, bool everything)
{
	static const bool tracing[] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) tracing,
#include "ward/import.def"
#undef IMPORT
	};
	bool ok = true;
	*limits = (struct limits){.options = {.size = sizeof(limits->options)}};
	for (unsigned i = 0; i < WARD_IMPORT_COUNT; i++)
		if (everything || tracing[i])
			ok &= allow_name(limits, ward_import_name(i));
	for (uint32_t bit = 1; bit && everything; bit <<= 1)
		if (WARD_ALL_FEATURES & bit)
			ok &= allow_name(limits, ward_feature_name(bit));
	if (!ok) {
		limits_free(limits);
		cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	}
	return ok;
}

void limits_for(struct limits *limits, bool kernel)
{
	struct ward_verify_options *o = &limits->options;
	if (!kernel)
		return;
	o->max_insns = o->max_insns ? o->max_insns : WARD_KERNEL_INSNS;
	o->max_stack = o->max_stack ? o->max_stack : WARD_KERNEL_STACK;
}

void limits_free(struct limits *limits)
{
	free(limits->allowed.at);
}

/* Something that there is to be allowed? */
static bool is_known(const char *name)
{
	for (unsigned i = 0; i < WARD_IMPORT_COUNT; i++)
		if (strcmp(name, ward_import_name(i)) == 0)
			return true;
	for (uint32_t bit = 1; bit; bit <<= 1)
		if ((WARD_ALL_FEATURES & bit) && strcmp(name, ward_feature_name(bit)) == 0)
			return true;
	return false;
}

bool limits_option(const struct cli_command *command, int option, const char *value, struct limits *limits)
{
	uint64_t n;
	switch (option) {
	case LIMIT_INSNS:
		if (!cli_number(command, "--max-insns", value, 1, 1ull << 40, &n))
			return false;
		limits->options.max_insns = n;
		return true;
	case LIMIT_STACK:
		if (!cli_number(command, "--max-stack", value, 0, WARD_STACK_CEILING, &n))
			return false;
		limits->options.max_stack = (uint32_t)n;
		return true;
	default:
		if (is_known(value))
			return allow_name(limits, value);
		cli_usage(command, "--allow '%s': there is no such import or feature", value);
		return false;
	}
}

/* getopt takes "-std=c11" for -s with the value "td=c11". clang gets the word as it was. */
static bool pass_word(
	const struct cli_command *command, char option, const char *value, const char *start, struct front *front)
{
	char *word = NULL;
	if (strncmp(value, start, strlen(start)) != 0) {
		cli_usage(command, "unknown option '-%c%s'", option, value);
		return false;
	}
	if (asprintf(&word, "-%c%s", option, value) < 0)
		return false;
	return list_add(&front->flags, word);
}

bool front_option(const struct cli_command *command, int option, const char *value, struct front *front)
{
	switch (option) {
	case FRONT_ROUNDS: return cli_number(command, "--rounds", value, 1, 1ull << 40, &front->rounds);
	case 'I': return list_add(&front->dirs, value);
	case 's': return pass_word(command, 's', value, "td=", front);
	case 'f':
		if (strncmp(value, "file-prefix-map=", 16) == 0 && strchr(value + 16, '='))
			return list_add(&front->maps, value + 16);
		cli_usage(command, "unknown option '-f%s'", value);
		return false;
	default: return pass_word(command, (char)option, value, "", front);
	}
}

void front_free(struct front *front)
{
	for (size_t i = 0; i < front->flags.n; i++)
		free((void *)(uintptr_t)front->flags.at[i]);
	free(front->flags.at);
	free(front->dirs.at);
	free(front->maps.at);
}

bool list_add(struct string_list *list, const char *s)
{
	const char **at = reallocarray(list->at, list->n + 1, sizeof(*at));
	if (!at)
		return false;
	list->at = at;
	list->at[list->n++] = s;
	return true;
}
