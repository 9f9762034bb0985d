/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's types, and those of its modules, for probes that ask for them: a header that clang includes before the
 * source. It is in memory, and clang opens it by its descriptor, so that nothing is left behind, however we end.
 *
 * What a probe asks for is in the sources' text, outside of comments. It must be known before the compiler sees it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"

/* Lines of it count as a system's header's, whose name isn't that of a descriptor. */
static const char prologue[] = "# 1 \"ward_types.h\" 3\n";

static int write_types(int fd, const char *btf, const struct cli_wanted *wanted)
{
	const char *modules[sizeof(wanted->modules) / sizeof(wanted->modules[0])];
	int copy = dup(fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "w");
	struct ward_error err = {0};
	int status = CLI_OK;

	if (!f) {
		if (copy >= 0)
			close(copy);
		return cli_error(CLI_TARGET, "types", "close some files and try again", "out of memory");
	}
	for (size_t i = 0; i < wanted->n_modules; i++)
		modules[i] = wanted->modules[i];
	fputs(prologue, f);
	if (ward_kernel_header(btf, modules, wanted->n_modules, f, &err) != WARD_OK)
		status = cli_library_error(&err);
	if (fclose(f) != 0 && status == CLI_OK)
		status = cli_error(CLI_TARGET, "types", "free some memory and try again", "out of memory");
	return status;
}

/* Where what begins at `at` ends, be it a comment, a string, or one character of anything else. */
static const char *find_end(const char *at, const char *end)
{
	bool line = end - at > 1 && at[0] == '/' && at[1] == '/', block = end - at > 1 && at[0] == '/' && at[1] == '*';
	const char *p = at + (line || block ? 2 : 1);
	if (block) {
		p = memmem(p, (size_t)(end - p), "*/", 2);
		return p ? p + 2 : end;
	}
	if (!line && *at != '"' && *at != '\'')
		return p;
	for (; p < end && *p != '\n'; p++) {
		if (*p == '\\' && p + 1 < end)
			p++;
		else if (!line && *p == *at)
			return p + 1;
	}
	return p;
}

/* The text as a string, in which comments, and zero bytes, are blanks. NULL: no memory. */
static char *strip_comments(const struct cli_bytes *source)
{
	const char *at = (const char *)source->data, *end = at + source->size;
	char *text = malloc(source->size + 1), *to = text;
	while (text && at < end) {
		const char *next = find_end(at, end);
		bool comment = *at == '/' && next - at > 1;
		if (comment)
			*to++ = ' ';
		else
			to = mempcpy(to, at, (size_t)(next - at));
		at = next;
	}
	if (!text)
		return NULL;
	*to = 0;
	for (char *zero = text; (zero = memchr(zero, 0, (size_t)(to - zero)));)
		*zero = ' ';
	return text;
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t\r\n");
}

static int add_module(const char *path, const char *name, int length, struct cli_wanted *wanted)
{
	const size_t room = sizeof(wanted->modules) / sizeof(wanted->modules[0]);
	for (size_t i = 0; i < wanted->n_modules; i++)
		if (strlen(wanted->modules[i]) == (size_t)length &&
			memcmp(wanted->modules[i], name, (size_t)length) == 0)
			return CLI_OK;
	if (wanted->n_modules == room)
		return cli_error(CLI_USAGE, path, "leave out those of whose structures the probe reads nothing",
			"WARD_KERNEL_MODULE names more than %zu modules", room);
	snprintf(wanted->modules[wanted->n_modules++], sizeof(wanted->modules[0]), "%.*s", length, name);
	return CLI_OK;
}

/* What WARD_KERNEL_MODULE names; `text` is behind that. */
static int want_module(const char *path, const char *text, struct cli_wanted *wanted)
{
	const char *name = skip_blanks(skip_blanks(text) + 1), *behind = name;
	size_t shown = strcspn(name, ")\n");
	while (is_in_name(*behind))
		behind++;
	if (behind == name || behind - name >= (int)sizeof(wanted->modules[0]) || *skip_blanks(behind) != ')')
		return cli_error(CLI_USAGE, path,
			"a module's name is that of its types in /sys/kernel/btf: letters, digits and _",
			"WARD_KERNEL_MODULE(%.*s): no module of the kernel can have such a name",
			shown < 64 ? (int)shown : 64, name);
	return add_module(path, name, (int)(behind - name), wanted);
}

int cli_types_wanted(const char *path, const struct cli_bytes *source, struct cli_wanted *wanted)
{
	static const char macro[] = "WARD_KERNEL_MODULE";
	char *text = strip_comments(source);
	int status = CLI_OK;
	if (!text)
		return cli_error(CLI_USAGE, path, "free some memory and try again", "out of memory");
	wanted->kernel |= strstr(text, "<ward/kernel.h>") != NULL;
	for (const char *at = text; status == CLI_OK && (at = strstr(at, macro)); at += strlen(macro))
		if ((at == text || !is_in_name(at[-1])) && *skip_blanks(at + strlen(macro)) == '(')
			status = want_module(path, at + strlen(macro), wanted);
	free(text);
	return status;
}

int cli_types_open(struct cli_types *types, const char *btf, const struct cli_wanted *wanted)
{
	types->fd = memfd_create("ward_types.h", 0); /* clang has it as well */
	if (types->fd < 0)
		return cli_error(CLI_TARGET, "types", "free some memory and try again", "out of memory");
	snprintf(types->path, sizeof(types->path), "/proc/self/fd/%d", types->fd);
	int status = write_types(types->fd, btf, wanted);
	if (status != CLI_OK)
		cli_types_close(types);
	return status;
}

void cli_types_close(struct cli_types *types)
{
	if (types->fd >= 0)
		close(types->fd);
	types->fd = -1;
}
