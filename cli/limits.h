/* The options that several commands share: limits for the verifier, lists of directories and definitions. */
#ifndef WARD_CLI_LIMITS_H
#define WARD_CLI_LIMITS_H

#include "cli.h"

enum { LIMIT_INSNS = 256, LIMIT_STACK, OPTION_OWN }; /* values of long options; commands number theirs from OPTION_OWN */

#define LIMIT_LONGS                                                                                                                        \
	{"max-insns", required_argument, NULL, LIMIT_INSNS},                                                                               \
	{                                                                                                                                  \
		"max-stack", required_argument, NULL, LIMIT_STACK                                                                          \
	}

#define LIMIT_HELP                                                                                                                         \
	"  --max-insns N        most instructions that one event may cost (default 1048576)\n"                                             \
	"  --max-stack N        most bytes of stack (default and ceiling 4096)\n"

bool limits_option(const struct cli_command *command, int option, const char *value, struct ward_verify_options *limits);

struct string_list {
	const char **at;
	size_t n;
};

bool list_add(struct string_list *list, const char *s);

#endif
