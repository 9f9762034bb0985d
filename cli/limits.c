/* The options that several commands share. */
#include <stdlib.h>

#include "limits.h"

bool limits_option(const struct cli_command *command, int option, const char *value, struct ward_verify_options *limits)
{
	uint64_t n;
	if (option == LIMIT_INSNS) {
		if (!cli_number(command, "--max-insns", value, 1, 1ull << 40, &n))
			return false;
		limits->max_insns = n;
	} else {
		if (!cli_number(command, "--max-stack", value, 0, WARD_STACK_CEILING, &n))
			return false;
		limits->max_stack = (uint32_t)n;
	}
	return true;
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
