/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many instructions a module takes for one input: count MODULE TEXT [REST]. The state begins with a buffer of
 * 4096 bytes, which TEXT fills, over and over; REST follows it, and zeros. TEXT and REST are files. Every field of the
 * event is 4096. Prints the bound that is proven, and the count. The verdict is checked on the way (tests/mutate).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

enum { BUFFER = 4096, MOST_FILE = 1 << 20 };

static uint8_t file[MOST_FILE], text[BUFFER], rest[BUFFER];

static size_t read_all(const char *path, uint8_t *to, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(to, 1, room, f) : 0;
	if (f)
		fclose(f);
	return n;
}

static bool fill_state(uint8_t *state, uint64_t size, char *const paths[])
{
	size_t n = read_all(paths[0], text, sizeof(text)), more = paths[1] ? read_all(paths[1], rest, sizeof(rest)) : 0;
	if (!n || size < BUFFER + more)
		return false;
	for (size_t i = 0; i < BUFFER; i++)
		state[i] = text[i % n];
	memcpy(state + BUFFER, rest, more);
	return true;
}

int main(int argc, char **argv)
{
	struct ward_verify_options options = {.size = sizeof(options), .max_insns = UINT64_MAX};
	size_t size = argc == 3 || argc == 4 ? read_all(argv[1], file, sizeof(file)) : 0;
	struct ward_verdict *v = ward_verify(file, size, &options);
	uint64_t insns;
	if (!v || !v->accepted || v->module.n_entries != 1) {
		fprintf(stderr, "count: no accepted module of one entry\n");
		return 2;
	}
	uint8_t *state = calloc(1, v->module.state_size);
	struct sandbox_input input = {.field = BUFFER, .state = state};
	if (!state || !fill_state(state, v->module.state_size, argv + 2) ||
		sandbox_count(file, size, v, &input, &insns) != SANDBOX_HELD) {
		fprintf(stderr, "count: it can't be run, or the verdict doesn't hold\n");
		return 2;
	}
	printf("%llu %llu\n", (unsigned long long)v->module.entries[0].max_insns, (unsigned long long)insns);
	free(state);
	ward_verdict_free(v);
	return 0;
}
