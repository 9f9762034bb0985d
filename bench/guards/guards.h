/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-guards: what confinement costs.
 *
 * Each kernel is a probe function run(event, state) that uses only the state. Several versions are built from the
 * same file. Each version has a state of its own, filled by the kernel's setup(), and the versions are run in turn,
 * again and again.
 */
#ifndef WARD_BENCH_GUARDS_H
#define WARD_BENCH_GUARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ward_event;
struct ward_image;

/*
 * PLAIN is the yardstick of other compilers' users: vector instructions allowed, and no flag that says what is
 * undefined.
 */
enum version { NATIVE, WARD, ALWAYS, WASM, PLAIN, VERSIONS };

/* Bytes of a version. */
struct size {
	/* what the symbols of run() and of what it calls cover: instructions, and the padding between them */
	size_t code;
	size_t constants; /* read-only data: the tables of switches, and the kernel's own */
};

/* A version of a kernel, ready to run. */
struct built {
	void (*run)(const struct ward_event *ev, void *state);
	void (*run_wasm)(void *instance, uint32_t ev, uint32_t state);
	void *instance;      /* of wasm */
	uint32_t wasm_state; /* where the state is in its memory; the event is at wasm_event */
	uint32_t wasm_event;
	uint8_t *state; /* as the host sees it; its first eight bytes are the result */
	struct ward_event *event;
	struct ward_image *image;
	uint8_t *code; /* of a module */
	struct size size;
	uint64_t most_insns; /* that the verifier has proven of a run; Ward's versions only */
	unsigned guarded;    /* accesses, loops and divisions that have a guard */
	unsigned proven;
};

struct kernel {
	const char *name;
	uint64_t expected; /* the result of the first run */
	struct built version[VERSIONS];
};

struct places {
	const char *guards;  /* the folder bench/guards */
	const char *include; /* the dialect's headers */
	char work[64];       /* for files on the way */
};

/* ---- build.c: commands ---- */

/* Run a command to its end, quietly if it succeeds. */
bool run_command(const char *const *argv);

/* Compile one version of a kernel to a file in the work folder, `path`. */
bool build_native(const struct places *p, const char *kernel, bool setup, bool plain, char path[256]);
bool build_wasm(const struct places *p, const char *kernel, bool setup, char path[256]);

/* Sizes of an ELF file; of its functions those count whose names begin with the prefix; NULL: all. */
struct size size_of(const char *path, const char *prefix);
struct size size_in(const void *elf, size_t size);

/* ---- versions.c ---- */

/* Build and map all versions of a kernel; false with a message on stderr. */
bool open_kernel(const struct places *p, struct kernel *k);

#endif
