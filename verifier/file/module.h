/* SPDX-License-Identifier: Apache-2.0 */
/* A module file, parsed: bounds-checked views of its parts. spec/module.md is the format. */
#ifndef WARD_VERIFIER_MODULE_H
#define WARD_VERIFIER_MODULE_H

#include "ward/verify.h"
#include "verifier/base/cursor.h"
#include "verifier/base/violation.h"

struct wv_entry {
	uint64_t addr;
	const char *name, *site, *state_type; /* inside the file, terminated */
	uint32_t kind;
};

struct wv_import {
	const char *name; /* inside the file, terminated */
	uint32_t slot;    /* its address */
	uint8_t id;       /* enum ward_import; WARD_IMPORT_COUNT: none that is known */
};

enum { WV_MAX_IMPORTS = 64 };

struct wv_module {
	struct wv_bytes file;
	struct ward_segment text, rodata, data;
	/* note: the whole section; proof: p is NULL when there is none */
	struct wv_bytes text_bytes, rodata_bytes, note, proof;
	enum ward_profile profile;
	uint32_t state_size, event_size;
	uint32_t n_entries, n_imports;
	uint32_t features; /* of the processor, that the code needs: enum ward_feature */
	struct wv_bytes entry_table, import_table, strings; /* inside the note's descriptor */
	struct wv_import import[WV_MAX_IMPORTS];
};

/*
 * Parse `file` into `m`, whose pointers refer to the file. Reports every broken rule (V-01, V-02, V-03) to the sink.
 * Returns true if none was broken. A missing proof breaks no rule here, since proof inference parses modules that
 * have none yet.
 */
bool wv_module_parse(struct wv_module *m, const void *file, size_t size, uint32_t max_state, struct wv_sink *sink);

/* Entry i < n_entries of a parsed module. */
struct wv_entry wv_module_entry(const struct wv_module *m, uint32_t i);

/* Is `address` that of an import's slot? If so, *number gets the import's number. */
bool wv_module_slot(const struct wv_module *m, uint64_t address, uint32_t *number);
/* Does a jump through a slot start at a text offset? If so, *number gets the number of the slot's import. */
bool wv_module_stub(const struct wv_module *m, uint64_t at, uint32_t *number);
/* Can `bytes` bytes of rodata at an offset in [lo, hi] overlap a slot? The offsets are within rodata. */
bool wv_module_touches_slot(const struct wv_module *m, uint64_t lo, uint64_t hi, uint64_t bytes);

/* The seal of spec/proof.md over text, note and the proof's bytes after its seal field (`rest`). */
uint64_t wv_module_seal(const struct wv_module *m, struct wv_bytes rest);

#endif
