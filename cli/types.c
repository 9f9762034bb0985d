/*
 * The kernel's types, for probes that ask for them: a header that clang includes before the source. It is in memory, and clang opens it by its descriptor, so that nothing is left behind whatever ends us.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"

/* Lines of it count as a system's header's, whose name isn't that of a descriptor. */
static const char prologue[] = "# 1 \"ward_types.h\" 3\n";

static int write_types(int fd, const char *btf)
{
	int copy = dup(fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "w");
	struct ward_error err = {0};
	int status = CLI_OK;

	if (!f) {
		if (copy >= 0)
			close(copy);
		return cli_error(CLI_TARGET, "types", "close some files and try again", "no room for them");
	}
	fputs(prologue, f);
	if (ward_kernel_header(btf, f, &err) != WARD_OK)
		status = cli_library_error(&err);
	if (fclose(f) != 0 && status == CLI_OK)
		status = cli_error(CLI_TARGET, "types", "free some memory and try again", "no room for them");
	return status;
}

bool cli_types_wanted(const struct cli_bytes *source)
{
	static const char header[] = "<ward/kernel.h>";
	return memmem(source->data, source->size, header, sizeof(header) - 1) != NULL;
}

int cli_types_open(struct cli_types *types, const char *btf)
{
	types->fd = memfd_create("ward_types.h", 0); /* clang has it as well */
	if (types->fd < 0)
		return cli_error(CLI_TARGET, "types", "free some memory and try again", "no room for them");
	snprintf(types->path, sizeof(types->path), "/proc/self/fd/%d", types->fd);
	int status = write_types(types->fd, btf);
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
