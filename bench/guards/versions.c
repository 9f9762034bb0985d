/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel's versions: built and mapped, each with its state. A module of Ward runs only if the loader's own check
 * accepts it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "codegen/codegen.h"
#include "guards.h"
#include "loader/base/image.h"

enum { SPACE = 1 << 20, STATE = 1 << 20, WASM_EVENT = 256 };

typedef void setup_fn(void *state);

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static void *memory(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* ISO C has no cast from an object's address to a function's. */
static void set_function(void *function, const void *at)
{
	memcpy(function, &at, sizeof(at));
}

static bool set_symbol(void *function, void *library, const char *name)
{
	void *at = library ? dlsym(library, name) : NULL;

	set_function(function, at);
	return at != NULL;
}

static bool give_state(struct built *b, setup_fn *setup)
{
	b->state = memory(STATE);
	b->event = memory(4096);
	if (b->state && b->event)
		setup(b->state);
	return b->state && b->event;
}

static bool open_native(const struct places *p, struct kernel *k, enum version version, setup_fn *setup)
{
	struct built *b = &k->version[version];
	char path[256];

	if (!build_native(p, k->name, false, version == PLAIN, path) ||
		!set_symbol(&b->run, dlopen(path, RTLD_NOW | RTLD_LOCAL), "run"))
		return false;
	b->size = size_of(path, version == PLAIN ? "run" : NULL);
	return give_state(b, setup);
}

static bool open_wasm(const struct places *p, struct kernel *k)
{
	struct built *b = &k->version[WASM];
	void *(*open)(uint8_t **, uint32_t *), (*setup)(void *, uint32_t), *library;
	uint8_t *bytes;
	uint32_t from;
	char path[256];

	if (!build_wasm(p, k->name, false, path))
		return false;
	b->size.code = size_of(path, "w2c_").code + size_of(path, "Z_kernelZ_run").code;
	if (!build_wasm(p, k->name, true, path))
		return false;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!set_symbol(&open, library, "wasm_open") || !set_symbol(&setup, library, "Z_kernelZ_setup") ||
		!set_symbol(&b->run_wasm, library, "Z_kernelZ_run"))
		return false;
	b->instance = open(&bytes, &from);
	b->wasm_event = (from + 4095) & -4096u;
	b->wasm_state = b->wasm_event + 4096;
	b->event = (struct ward_event *)(bytes + b->wasm_event);
	b->state = bytes + b->wasm_state;
	setup(b->instance, b->wasm_state);
	return true;
}

/* ---- Ward's ---- */

/* The report's last line: "19 proven, 1 guarded". */
static void count(void *user, const char *report)
{
	struct built *b = user;
	const char *end = report + strlen(report), *line = end > report ? end - 1 : report;

	while (line > report && line[-1] != '\n')
		line--;
	if (sscanf(line, "%u proven, %u guarded", &b->proven, &b->guarded) != 2)
		b->guarded = b->proven = 0;
}

static bool place(struct built *b, const struct ward_segment *s, int protection)
{
	if (s->memsz == 0)
		return true;
	if (s->memsz > SPACE || s->addr > SPACE - s->memsz)
		return false;
	memcpy(b->code + s->addr, wl_image_bytes(b->image, s), s->filesz);
	return mprotect(b->code + s->addr, s->memsz, protection) == 0;
}

static bool map(struct built *b)
{
	const struct ward_module_facts *facts = wl_image_facts(b->image);

	b->code = memory(SPACE);
	if (!b->code || facts->n_entries != 1 || facts->n_imports || facts->state_size > STATE)
		return false;
	set_function(&b->run, b->code + facts->entries[0].addr);
	return place(b, &facts->text, PROT_READ | PROT_EXEC) && place(b, &facts->rodata, PROT_READ) &&
	       place(b, &facts->data, PROT_READ | PROT_WRITE);
}

/*
 * What the verifier has proven to be the most that a run can take is then the limit that the loader's gate holds the
 * module to.
 */
static bool pass_gate(struct built *b, const char *name, const struct ward_buf *module)
{
	struct ward_attach_options attach = {.size = sizeof(attach), .max_insns = UINT64_MAX >> 1};
	struct ward_error error = {0};

	for (int i = 0; i < 2; i++) {
		wl_image_free(b->image);
		b->image = NULL;
		if (wl_image_verify(
			    module->data, module->size, WARD_PROFILE_USER, &attach, NULL, 0, &b->image, &error) != 0) {
			fprintf(stderr, "ward: %s: %s: %s\n", name, error.what, error.why);
			return false;
		}
		if (wl_image_facts(b->image)->n_entries != 1)
			return false;
		attach.max_insns = b->most_insns = wl_image_facts(b->image)->entries[0].max_insns;
	}
	return true;
}

static bool open_ward(const struct places *p, struct kernel *k, enum version version, setup_fn *setup)
{
	struct built *b = &k->version[version];
	char source[4400], kernels[4200];
	const char *include = kernels, *define = "KERNEL_WARD";
	struct ward_verify_options limits = {.size = sizeof(limits), .max_insns = UINT64_MAX >> 1};
	struct ward_cc_options options = {.include_dirs = &include,
		.n_include_dirs = 1,
		.defines = &define,
		.n_defines = 1,
		.limits = &limits,
		.guards = version == ALWAYS ? WARD_GUARDS_ALWAYS : WARD_GUARDS_AUTO,
		.report = count,
		.diag = say,
		.user = b};
	struct ward_buf module;
	bool ok;

	snprintf(kernels, sizeof(kernels), "%s/kernels", p->guards);
	snprintf(source, sizeof(source), "%s/%s.c", kernels, k->name);
	if (ward_cc(source, &options, &module))
		return false;
	ok = pass_gate(b, k->name, &module);
	b->size = size_in(module.data, module.size);
	free(module.data);
	return ok && map(b) && give_state(b, setup);
}

bool open_kernel(const struct places *p, struct kernel *k)
{
	char path[256];
	void *library;
	const uint64_t *expected;
	setup_fn *setup;

	if (!build_native(p, k->name, true, false, path))
		return false;
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	expected = library ? dlsym(library, "expected") : NULL;
	if (!expected || !set_symbol(&setup, library, "setup"))
		return false;
	k->expected = *expected;
	return open_native(p, k, NATIVE, setup) && open_ward(p, k, WARD, setup) && open_ward(p, k, ALWAYS, setup) &&
	       open_wasm(p, k) && open_native(p, k, PLAIN, setup);
}
