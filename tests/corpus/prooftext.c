/* SPDX-License-Identifier: Apache-2.0 */
#include "prooftext.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_byte(struct ward_buf *out, uint64_t v)
{
	uint8_t byte = (uint8_t)v;
	buf_append(out, &byte, 1);
}

static void put_unsigned(struct ward_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put_byte(out, v | 0x80);
	put_byte(out, v);
}

static void put_signed(struct ward_buf *out, int64_t v)
{
	for (; v < -64 || v > 63; v >>= 7)
		put_byte(out, (uint64_t)v | 0x80);
	put_byte(out, (uint64_t)v & 0x7f);
}

/* The index of a word in a list, or -1. */
static int find(const char *const *words, int n, const char *word)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static bool put_name(struct ward_buf *out, const char *word)
{
	static const char *const kinds[] = {"uninit", "saved", "number", "pointer", "bytes"};
	static const char *const regions[] = {"event", "state", "stack", "rodata", "data"};
	int i;
	for (unsigned r = 0; r < 16; r++) {
		if (!strcmp(ward_register_name(r), word)) {
			put_byte(out, r);
			return true;
		}
	}
	if ((i = find(kinds, 5, word)) < 0 && (i = find(regions, 5, word)) < 0)
		return false;
	put_byte(out, (uint64_t)i);
	return true;
}

static bool put_word(const struct corpus_case *c, struct ward_buf *out, const char *word, uint64_t text)
{
	uint64_t address;
	char *end;
	errno = 0;
	if (*word == '.')
		return true;
	if (*word == '@') {
		if (!case_address(c, word + 1, &address))
			return false;
		put_unsigned(out, address - text);
		return true;
	}
	if (!strncmp(word, "s:", 2)) {
		put_signed(out, strtoll(word + 2, &end, 0));
	} else if (!strncmp(word, "b:", 2)) {
		put_byte(out, strtoull(word + 2, &end, 0));
	} else if (!strncmp(word, "slot:", 5)) {
		put_byte(out, 16);
		put_unsigned(out, strtoull(word + 5, &end, 0));
	} else if (*word >= '0' && *word <= '9') {
		put_unsigned(out, strtoull(word, &end, 0));
	} else {
		return put_name(out, word);
	}
	return !*end && !errno;
}

bool proof_assemble(const struct corpus_case *c, const char *words, struct ward_buf *module)
{
	struct ward_buf proof = {0};
	uint64_t text = segment_address(module, 5);
	char *copy = strdup(words), *save = NULL;
	bool ok = copy != NULL;
	buf_append(&proof, "WPRF\1\0\0\0\0\0\0\0\0", 13);
	for (char *word = ok ? strtok_r(copy, " \t\n", &save) : NULL; word && ok;
		word = strtok_r(NULL, " \t\n", &save)) {
		if (!strncmp(word, "v:", 2))
			((uint8_t *)proof.data)[4] = (uint8_t)strtoul(word + 2, NULL, 0);
		else
			ok = put_word(c, &proof, word, text);
		if (!ok)
			fprintf(stderr, "corpus: %s: proof: `%s` has no meaning\n", c->name, word);
	}
	if (ok) {
		set_proof(module, proof.data, proof.size);
		reseal(module);
	}
	free(proof.data);
	free(copy);
	return ok;
}
