/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/infer/infer.h"
#include "ward/verify.h"

enum { STATE = 64, MAX_PROOF = 1 << 20 };

extern const uint8_t *const fuzz_bases[], *const fuzz_bases_end[];

static void fail(const char *what)
{
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

unsigned fuzz_n_bases(void)
{
	return (unsigned)(fuzz_bases_end - fuzz_bases) - 1;
}

const uint8_t *fuzz_base(unsigned i, size_t *size)
{
	*size = (size_t)(fuzz_bases[i + 1] - fuzz_bases[i]);
	return fuzz_bases[i];
}

struct bm_file fuzz_module(const uint8_t *text, size_t size, uint8_t version, const uint8_t *proof, size_t proof_size)
{
	static const uint64_t table[8] = {2, 3, 5, 7, 11, 13, 17, 19};
	static const uint8_t data[16];
	struct bm_entry entry = {.name = "probe", .site = "a!b"};
	struct bm_module m = {
		.text = text,
		.text_size = size,
		.rodata = table,
		.rodata_size = sizeof table,
		.data = data,
		.data_size = sizeof data,
		.bss_size = 16,
		.state_size = STATE,
		.entries = &entry,
		.n_entries = 1,
		.proof = proof,
		.proof_size = proof_size,
		.proof_version = version,
	};

	return bm_build(&m);
}

uint8_t *fuzz_infer(const struct bm_file *module, size_t *size)
{
	uint8_t *proof = NULL;
	const char *why = "no reason";

	if (ward_infer(module->data, module->size, NULL, &proof, size, &why)) {
		/* The one good reason, for a module that is well-formed. */
		if (strncmp(why, "its functions share", 19))
			fail(why);
		return NULL;
	}
	if (*size > MAX_PROOF)
		fail("an inferred proof of more than a megabyte");
	return proof;
}

/* Reads all of a string, so that ASan sees where it ends. */
static volatile size_t seen;

static void read_string(const char *s, bool optional)
{
	if (!s && !optional)
		fail("a string is missing");
	seen += s ? strlen(s) : 0;
}

static void check_segment(const struct ward_segment *s, size_t file_size)
{
	if (s->memsz && (s->offset > file_size || s->filesz > file_size - s->offset || s->filesz > s->memsz))
		fail("a segment of an accepted module lies outside the file");
}

static void check_facts(const struct ward_module_facts *m, size_t file_size)
{
	check_segment(&m->text, file_size);
	check_segment(&m->rodata, file_size);
	check_segment(&m->data, file_size);
	if (!m->n_entries || !m->n_insns)
		fail("accepted, without an entry or an instruction");
	for (size_t i = 0; i < m->n_imports; i++) {
		uint64_t at = m->imports[i].slot - m->rodata.addr;

		if (m->imports[i].import >= WARD_IMPORT_COUNT || at % 8 || m->rodata.memsz < 8 ||
			at > m->rodata.memsz - 8)
			fail("an import of an accepted module has no slot");
	}
	for (size_t i = 0; i < m->n_entries; i++) {
		const struct ward_entry_facts *e = &m->entries[i];

		if (m->n_imports < 64 && e->imports >> m->n_imports)
			fail("an entry calls an import that the module doesn't have");

		read_string(e->name, false);
		read_string(e->site, false);
		read_string(e->state_type, false);
		if (e->addr - m->text.addr >= m->text.memsz || !e->max_insns || e->max_insns > WARD_DEFAULT_MAX_INSNS ||
			e->stack_bytes > WARD_DEFAULT_MAX_STACK)
			fail("an entry's facts are beyond the limits");
	}
}

bool fuzz_verify(const uint8_t *file, size_t size, bool wellformed)
{
	static const char *const allow[] = {
		"rdtsc",
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) name,
#include "ward/import.def"
#undef IMPORT
	};
	struct ward_verify_options options = {
		.size = sizeof options, .allow = allow, .n_allow = sizeof allow / sizeof *allow, .explain = 1};
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		return false;
	if (size)
		memcpy(copy, file, size);
	struct ward_verdict *v = ward_verify(copy, size, &options);
	/* Its strings must outlive the file. */
	free(copy);
	if (!v)
		fail("no verdict");
	if (v->accepted != (v->n_violations == 0))
		fail("accepted and violations contradict each other");
	for (size_t i = 0; i < v->n_violations && i < WARD_MAX_VIOLATIONS; i++) {
		const struct ward_violation *x = &v->violations[i];

		if ((unsigned)x->rule >= WARD_RULE_COUNT)
			fail("a violation of no rule");
		/*
		 * With a place in the code it is no fault of the encoding: functions that run into each other's middle
		 * have blocks in common.
		 */
		if (wellformed && !x->pc && (x->rule == WARD_RULE_PROOF || x->rule == WARD_RULE_SEAL))
			fail("an inferred proof is malformed");
		read_string(x->reason, false);
		read_string(x->detail, true);
		read_string(x->origin_register, true);
		read_string(x->origin_how, true);
		read_string(x->origin_limit, true);
	}
	bool accepted = v->accepted;
	if (accepted)
		check_facts(&v->module, size);
	ward_verdict_free(v);
	return accepted;
}
