/* SPDX-License-Identifier: Apache-2.0 */
/* Parse command lines. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

int cli_getopt(const struct cli_command *command, int argc, char **argv, const char *shorts, const struct option *longs)
{
	opterr = 0;
	int at = optind; /* the word that getopt is about to look at, if it isn't inside one */
	int c = getopt_long(argc, argv, shorts, longs, NULL);
	switch (c) {
	case -1: return CLI_OPT_DONE;
	case 'h': printf("%s", command->help); return CLI_OPT_HELP;
	case ':': cli_usage(command, "option '%s' needs a value", argv[optind - 1]); return CLI_OPT_BAD;
	case '?':
		if (optopt && isprint(optopt) && strncmp(argv[optind - 1], "--", 2) != 0)
			cli_usage(command, "unknown option '-%c'", optopt);
		else
			cli_usage(command, "unknown option '%s'", argv[optind > at ? optind - 1 : at]);
		return CLI_OPT_BAD;
	default: return c;
	}
}

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;
	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	unsigned long long v = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
	*value = v;
	return errno == 0 && *end == 0;
}

bool cli_number(const struct cli_command *command, const char *option, const char *text, uint64_t lo, uint64_t hi,
	uint64_t *value)
{
	if (parse_number(text, value) && *value >= lo && *value <= hi)
		return true;
	cli_usage(command, "%s '%s': not a number from %llu to %llu", option, text, (unsigned long long)lo,
		(unsigned long long)hi);
	return false;
}

bool cli_profile(const struct cli_command *command, const char *text, bool *kernel)
{
	*kernel = strcmp(text, "kernel") == 0;
	if (*kernel || strcmp(text, "user") == 0)
		return true;
	cli_usage(command, "--profile '%s': neither user nor kernel", text);
	return false;
}

int cli_pid(const struct cli_command *command, const char *text, pid_t *pid)
{
	uint64_t value;
	if (!cli_number(command, "-p", text, 1, INT32_MAX, &value))
		return CLI_USAGE;
	*pid = (pid_t)value;
	if (kill(*pid, 0) != 0 && errno == ESRCH) {
		char what[32];
		snprintf(what, sizeof(what), "process %d", (int)*pid);
		return cli_error(
			CLI_TARGET, what, "look it up with pgrep NAME or ps; it may have ended", "no such process");
	}
	return CLI_OK;
}
