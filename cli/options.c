/* SPDX-License-Identifier: Apache-2.0 */
/* Parse command lines. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

char **cli_take_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		argv[i] = NULL;
		*argc = i;
		return argv + i + 1;
	}
	return NULL;
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

bool cli_seconds(const struct cli_command *command, const char *option, const char *text, double *seconds)
{
	char *end;
	errno = 0;
	*seconds = strtod(text, &end);
	if (errno == 0 && end != text && *end == 0 && isfinite(*seconds) && *seconds > 0)
		return true;
	cli_usage(command, "%s '%s': not a positive number of seconds", option, text);
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

/* The last part of a path, which may be NULL. */
static const char *last_part(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

/* Read a file of a process; its first line, or word that ends with zero. */
static bool read_first(const char *pid, const char *file, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, file);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, size - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	return n > 0;
}

/* Is the process called so: by its program's file, its own word for it, or what the kernel calls it? */
static bool is_called(const char *pid, const char *name)
{
	char path[64], text[4096];
	snprintf(path, sizeof(path), "/proc/%.20s/exe", pid);
	ssize_t n = readlink(path, text, sizeof(text) - 1);
	if (n > 0) {
		text[n] = 0;
		if (strcmp(last_part(text), name) == 0)
			return true;
	}
	return (read_first(pid, "comm", text, sizeof(text)) && strcmp(text, name) == 0) ||
	       (read_first(pid, "cmdline", text, sizeof(text)) && strcmp(last_part(text), name) == 0);
}

/* Is it a process's number, and not our own's? */
static bool is_other(const char *pid)
{
	return pid[strspn(pid, "0123456789")] == 0 && strtol(pid, NULL, 10) != getpid();
}

static int find_process(const char *name, pid_t *pid)
{
	char found[200] = "";
	unsigned n = 0;
	DIR *all = opendir("/proc");
	for (struct dirent *e = all ? readdir(all) : NULL; e; e = readdir(all)) {
		if (!is_other(e->d_name) || !is_called(e->d_name, name))
			continue;
		*pid = (pid_t)strtol(e->d_name, NULL, 10);
		size_t used = strlen(found);
		if (++n <= 8)
			snprintf(found + used, sizeof(found) - used, "%s%d", n > 1 ? ", " : "", (int)*pid);
	}
	if (all)
		closedir(all);
	if (n == 1)
		return CLI_OK;
	if (n == 0)
		return cli_error(CLI_TARGET, name, "pgrep finds processes by other things than their names",
			"no process is called so");
	return cli_error(CLI_TARGET, name, "give -p the number of one of them", "%u processes are called so: %s%s", n,
		found, n > 8 ? ", …" : "");
}

int cli_pid(const struct cli_command *command, const char *text, pid_t *pid)
{
	uint64_t value;
	if (*text && text[strspn(text, "0123456789")])
		return find_process(text, pid);
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
