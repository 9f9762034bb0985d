/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a module from a source with a compiler that knows nothing of Ward. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"

extern char **environ;

enum { MAX_OBJECT = 4 << 20 };

static bool run_compiler(const struct compiler *c, const char *const include[2], const char *source, const char *object)
{
	char option[2][4200];
	const char *argv[MAX_ARGUMENTS + 6];
	size_t n = 0;
	pid_t pid;
	int status;

	for (; n < MAX_ARGUMENTS && c->command[n]; n++)
		argv[n] = c->command[n];
	for (unsigned i = 0; i < 2 && strcmp(c->suffix, ".c") == 0; i++) {
		snprintf(option[i], sizeof(option[i]), "-I%s", include[i]);
		argv[n++] = option[i];
	}
	argv[n++] = source;
	argv[n++] = "-o";
	argv[n++] = object;
	argv[n] = NULL;
	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ) != 0)
		return false;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static uint8_t *read_object(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = f ? malloc(MAX_OBJECT) : NULL;

	*size = bytes ? fread(bytes, 1, MAX_OBJECT, f) : 0;
	if (f)
		fclose(f);
	return bytes;
}

/* The first line of the first diagnostic. */
static void keep_first(void *user, const char *text)
{
	char *reason = user;

	if (!reason[0])
		snprintf(reason, MAX_REASON, "%.*s", (int)strcspn(text, "\n"), text);
}

enum built corpus_build(const struct compiler *compiler, const char *const include[2], const char *source,
	struct ward_buf *module, char *reason)
{
	char object[] = "/tmp/ward-compilers-XXXXXX.o";
	int fd = mkostemps(object, 2, O_CLOEXEC);
	struct ward_link_options options = {.name = source, .state_size = -1, .diag = keep_first, .user = reason};
	size_t size = 0;
	uint8_t *bytes = NULL;
	enum built built = NOT_COMPILED;

	reason[0] = 0;
	if (fd < 0)
		return NOT_COMPILED;
	close(fd);
	if (run_compiler(compiler, include, source, object))
		bytes = read_object(object, &size);
	else
		snprintf(reason, MAX_REASON, "%s could not be run, or refused it", compiler->command[0]);
	unlink(object);
	if (bytes)
		built = ward_link(bytes, size, &options, module) == 0 ? BUILT : NOT_LINKED;
	free(bytes);
	return built;
}
