/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes module files for attacks: finds parts, replaces the proof, seals again. Written from spec/module.md and
 * spec/proof.md alone; it shares no code with the verifier.
 */
#ifndef WARD_TESTS_EDIT_H
#define WARD_TESTS_EDIT_H

#include <stdbool.h>

#include "codegen/codegen.h"

/* Where a part of the file is. size 0: there is none. */
struct part {
	size_t offset, size;
	size_t header; /* of its section or program header */
};

/* The section of that name; the loadable segment with those flags (1 execute, 2 write, 4 read). */
struct part part_section(const struct ward_buf *file, const char *name);
struct part part_segment(const struct ward_buf *file, uint32_t flags);
/* The note's descriptor. */
struct part part_note(const struct ward_buf *file);
/* Address in memory of the segment with those flags. */
uint64_t segment_address(const struct ward_buf *file, uint32_t flags);

uint64_t get_le(const struct ward_buf *file, size_t at, unsigned bytes);
void put_le(struct ward_buf *file, size_t at, unsigned bytes, uint64_t value);

/* A copy of its own. Aborts without memory, as all of these do. */
struct ward_buf buf_copy(const struct ward_buf *b);
void buf_append(struct ward_buf *b, const void *bytes, size_t n);

/* Make these bytes the module's proof (whatever the seal in them says). The section must exist. */
void set_proof(struct ward_buf *file, const uint8_t *proof, size_t n);
/*
 * Give the proof the seal that belongs to the text, the note and itself. Nothing happens if it is too short to have
 * one.
 */
void reseal(struct ward_buf *file);

/* A file's contents. False if it can't be read. */
bool read_whole(const char *path, struct ward_buf *out);

#endif
