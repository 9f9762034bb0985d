/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads addresses of FILE from standard input, and prints for each a line with the functions that are inlined there,
 * the innermost first, with tabs between.
 *
 *	test_inline_frames FILE
 */
#include "loader/symbols/inline_frames.h"
#include "loader/symbols/symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_line(const struct wl_inline_frames *f, uint64_t address)
{
	const struct wl_inline_place *p = wl_inline_frames_at(f, address);

	for (uint32_t i = p ? p->n : 0; i-- > 0;)
		printf("%s%s", f->name[f->chain[p->first + i]], i ? "\t" : "");
	printf("\n");
}

int main(int argc, char **argv)
{
	struct wl_map map = {.path = argc == 2 ? argv[1] : NULL};
	int fd = map.path ? open(map.path, O_RDONLY | O_CLOEXEC) : -1;
	struct wl_inline_frames frames = {0};
	uint64_t *address = NULL, *asked, a;
	struct wl_module module;
	size_t n = 0;

	if (!map.path || fd < 0 || !wl_module_open(getpid(), &map, fd, &module)) {
		fprintf(stderr, "usage: test_inline_frames FILE\n");
		return 2;
	}
	while (scanf("%" SCNx64, &a) == 1) {
		address = reallocarray(address, n + 1, sizeof(*address));
		if (!address)
			return 1;
		address[n++] = a;
	}
	asked = calloc(n + 1, sizeof(*asked));
	if (!asked)
		return 1;
	if (n)
		memcpy(asked, address, n * sizeof(*asked));
	/* In two parts: what is known stays. */
	if (wl_inline_frames_add(&frames, &module, asked, n / 2) != 0 ||
		wl_inline_frames_add(&frames, &module, asked + n / 2, n - n / 2) != 0)
		return 1;
	if (frames.none)
		fprintf(stderr, "no debug information, or it can't be read\n");
	for (size_t i = 0; i < n; i++)
		print_line(&frames, address[i]);
	wl_inline_frames_free(&frames);
	wl_module_close(&module);
	free(address);
	free(asked);
	return 0;
}
