/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "codegen/codegen.h"

enum { SPACE = 1 << 20 };

uint64_t random_bits(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

uint64_t random_number(void)
{
	uint64_t v = random_bits() >> (random_bits() & 63);

	return random_bits() & 3 ? v : -v;
}

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static void place(uint8_t *base, const struct ward_buf *module, const struct ward_segment *s, int protection)
{
	if (s->memsz == 0)
		return;
	cr_assert_leq(s->addr + s->memsz, SPACE);
	memcpy(base + s->addr, module->data + s->offset, s->filesz);
	cr_assert_eq(mprotect(base + s->addr, s->memsz, protection), 0);
}

struct library library_open(const char *name)
{
	struct ward_cc_options options = {.diag = say};
	struct ward_verify_options limits = {.size = sizeof(limits)};
	struct ward_error err;
	struct ward_buf module;
	struct library l = {0};
	char path[512];

	snprintf(path, sizeof(path), PROBES "/%s.c", name);
	cr_assert_eq(ward_cc(path, &options, &module), 0, "%s", path);
	cr_assert_null(memmem(module.data, module.size, ".ward.traps", 11), "%s has guards", name);
	l.verdict = ward_verify(module.data, module.size, &limits);
	cr_assert(l.verdict && l.verdict->accepted, "%s", name);
	cr_assert_eq(ward_schema_read(module.data, module.size, &l.schema, &err), WARD_OK);
	l.base = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(l.base != MAP_FAILED);
	place(l.base, &module, &l.verdict->module.text, PROT_READ | PROT_EXEC);
	place(l.base, &module, &l.verdict->module.rodata, PROT_READ);
	place(l.base, &module, &l.verdict->module.data, PROT_READ | PROT_WRITE);
	l.state_size = l.verdict->module.state_size;
	for (size_t t = 0; t < THREADS; t++)
		cr_assert(l.states[t] = calloc(1, l.state_size));
	free(module.data);
	return l;
}

void library_close(struct library *l)
{
	munmap(l->base, SPACE);
	ward_schema_free(l->schema);
	ward_verdict_free(l->verdict);
	for (size_t t = 0; t < THREADS; t++)
		free(l->states[t]);
}

void library_clear(struct library *l)
{
	for (size_t t = 0; t < THREADS; t++)
		memset(l->states[t], 0, l->state_size);
}

probe_fn *library_entry(const struct library *l, const char *name)
{
	const struct ward_module_facts *facts = &l->verdict->module;
	probe_fn *fn = NULL;

	for (size_t i = 0; i < facts->n_entries; i++) {
		uint8_t *at = l->base + facts->entries[i].addr;

		if (strcmp(facts->entries[i].name, name) == 0)
			memcpy(&fn, &at, sizeof(fn));
	}
	cr_assert(fn, "%s", name);
	return fn;
}

ward_snapshot *library_merge(const struct library *l, size_t first, size_t n)
{
	struct ward_error err = {0};
	ward_snapshot *snapshot;

	cr_assert_eq(ward_snapshot_merge(
			     l->schema, (const void *const *)&l->states[first], n, l->state_size, &snapshot, &err),
		WARD_OK, "%s", err.why);
	return snapshot;
}

const struct ward_field *library_field(const ward_snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++)
		if (strcmp(ward_snapshot_field(snapshot, i)->name, name) == 0)
			return ward_snapshot_field(snapshot, i);
	cr_assert(0, "no field '%s'", name);
	return NULL;
}

const struct ward_field *library_part(const struct ward_field *parts, uint32_t n, const char *name)
{
	for (uint32_t i = 0; parts && i < n; i++)
		if (strcmp(parts[i].name, name) == 0)
			return &parts[i];
	cr_assert(0, "no part '%s'", name);
	return NULL;
}

void library_merge_garbage(struct library *l)
{
	for (unsigned round = 0; round < 4; round++) {
		for (size_t t = 0; t < THREADS; t++)
			for (size_t i = 0; i < l->state_size; i++)
				((uint8_t *)l->states[t])[i] = round == 0   ? 0xff
							       : round == 1 ? (uint8_t)(random_bits() % 3)
									    : (uint8_t)random_bits();
		ward_snapshot_free(library_merge(l, 0, THREADS));
	}
}
