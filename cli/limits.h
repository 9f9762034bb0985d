/* SPDX-License-Identifier: Apache-2.0 */
/* The options that several commands share: limits for the verifier, lists of directories and definitions. */
#ifndef WARD_CLI_LIMITS_H
#define WARD_CLI_LIMITS_H

#include "cli.h"

/* values of long options; commands number theirs from OPTION_OWN */
enum { LIMIT_INSNS = 256, LIMIT_STACK, LIMIT_ALLOW, FRONT_ROUNDS, OPTION_OWN };

#define LIMIT_LONGS \
	{"max-insns", required_argument, NULL, LIMIT_INSNS}, {"allow", required_argument, NULL, LIMIT_ALLOW}, \
	{ \
		"max-stack", required_argument, NULL, LIMIT_STACK \
	}

#define LIMIT_HELP \
	"  --max-insns N        most instructions that one event may cost (default 4194304; in the\n" \
	"                       kernel 262144)\n" \
	"  --max-stack N        most bytes of stack (default and ceiling 4096; in the kernel 1024)\n" \
	"  --allow NAME         an import or a feature that the probe may use, beside those for tracing\n"

struct string_list {
	const char **at;
	size_t n;
};

bool list_add(struct string_list *list, const char *s);

/* Options for sources. clang gets -D and -U with their names, -W, -std, and -f of a few, as they are. */
#define FRONT_SHORTS "D:U:I:W:s:f:"
#define FRONT_HELP \
	"  -D NAME[=VALUE]      define a macro; -U NAME: undefine one\n" \
	"  -I DIR               look for headers there too\n" \
	"  -WNAME, -std=NAME    clang's warnings (-Wall is on; -Werror, -Wno-…) and versions of C (gnu11)\n" \
	"  -ffile-prefix-map=OLD=NEW\n" \
	"                       put NEW for OLD in the names of files that the module has\n"
#define FRONT_LONGS {"rounds", required_argument, NULL, FRONT_ROUNDS}
#define ROUNDS_HELP \
	"  --rounds N           how often a loop may go round whose end can't be proven and that has no\n" \
	"                       WARD_BOUND (default 4096); a run that goes on longer is stopped; loops\n" \
	"                       in one another may go round 16 times as often together, if need be\n"
struct front {
	struct string_list dirs, flags, maps;
	uint64_t rounds; /* 0: the default */
};
/* Takes an option of FRONT_SHORTS or FRONT_LONGS. On failure prints an error and returns false. */
bool front_option(const struct cli_command *command, int option, const char *value, struct front *front);
void front_free(struct front *front);

/* Limits for the verifier; `allowed` holds what their `allow` points to. */
struct limits {
	struct ward_verify_options options;
	struct string_list allowed;
};

/*
 * No limits but the defaults. Allowed are the imports that show nothing that tracing doesn't; for a command that only
 * looks at modules everything. On failure prints an error and returns false.
 */
bool limits_init(struct limits *limits, bool everything);
/* Takes an option of LIMIT_LONGS. On failure prints an error and returns false. */
bool limits_option(const struct cli_command *command, int option, const char *value, struct limits *limits);
/* What wasn't given is what the kernel takes, if that is what the probe is for. */
void limits_for(struct limits *limits, bool kernel);
void limits_free(struct limits *limits);

#endif
