/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the debug information of a kind that libdw reads in a time that is a multiple of its size?
 *
 * Each unit names a table of abbreviations, which is searched for the unit's entries, and an abbreviation lists
 * the attributes of an entry, which are gone through to find one of them. So many units may share a large table,
 * and an entry of one byte may have any number of attributes without a value. Compilers make neither.
 */
#include <string.h>

#include "image.h"

enum { MAX_ATTRIBUTES = 64, MAX_TABLES = 16, FREE_TABLES = 65536, IMPLICIT_CONST = 0x21 };

struct reader {
	const uint8_t *p, *end;
	size_t left; /* bytes of tables that may still be gone over */
	bool bad;
};

static uint64_t read_number(struct reader *r, size_t n)
{
	uint64_t v = 0;

	r->bad |= n > (size_t)(r->end - r->p);
	if (r->bad)
		return 0;
	memcpy(&v, r->p, n); /* little-endian, as the host is */
	r->p += n;
	return v;
}

/* A LEB128; of a large one only that it isn't zero. */
static uint64_t read_leb(struct reader *r)
{
	uint64_t v = 0, byte = 0x80;

	for (unsigned shift = 0; byte & 0x80 && !r->bad; shift += 7) {
		r->bad |= r->left == 0;
		r->left -= r->left != 0;
		byte = read_number(r, 1);
		v |= (byte & 0x7f) << (shift < 56 ? shift : 56);
	}
	return v;
}

static void skip_table(struct reader *r)
{
	while (!r->bad && read_leb(r) != 0) {
		unsigned n = 0;
		uint64_t name, form;

		read_leb(r); /* the tag */
		read_number(r, 1);
		do {
			name = read_leb(r);
			form = read_leb(r);
			if (form == IMPLICIT_CONST)
				read_leb(r);
			r->bad |= n++ == MAX_ATTRIBUTES;
		} while (!r->bad && (name || form));
	}
}

static const struct cg_out *section_named(const struct cg_image *im, const char *name)
{
	for (size_t i = CG_FIRST_DEBUG; i < im->n_out; i++)
		if (strcmp(im->out[i].name, name) == 0)
			return &im->out[i];
	return NULL;
}

/* The units of one section, each with its table. */
static bool units_are_plain(const struct cg_out *info, const struct cg_out *tables, size_t *left)
{
	struct reader r = {.p = info->bytes.p, .end = info->bytes.p + info->bytes.n};

	while (r.p < r.end && !r.bad) {
		size_t width = 4;
		uint64_t length = read_number(&r, 4);

		if (length == UINT32_MAX) {
			width = 8;
			length = read_number(&r, 8);
		}
		if (r.bad || length > (size_t)(r.end - r.p))
			return false;
		const uint8_t *next = r.p + length;
		uint64_t version = read_number(&r, 2);
		if (version >= 5)
			read_number(&r, 2); /* its kind, and the size of addresses */
		uint64_t table = read_number(&r, width);
		if (r.bad || !tables || table >= tables->bytes.n)
			return false;
		struct reader t = {
			.p = tables->bytes.p + table, .end = tables->bytes.p + tables->bytes.n, .left = *left};
		skip_table(&t);
		if (t.bad)
			return false;
		*left = t.left;
		r.p = next;
	}
	return !r.bad;
}

bool cg_debug_is_plain(const struct cg_image *im)
{
	static const char *const names[] = {".debug_info", ".debug_types"};
	const struct cg_out *tables = section_named(im, ".debug_abbrev");
	size_t left = MAX_TABLES * im->object->size + FREE_TABLES;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct cg_out *info = section_named(im, names[i]);

		if (info && !units_are_plain(info, tables, &left))
			return false;
	}
	return true;
}
