/* SPDX-License-Identifier: Apache-2.0 */
/* A table of the subjects' forms; both directions are made of it, so that they can't differ. */
#include "subject.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sign.h"

static const struct form {
	const char *word;
	bool has_query, has_place, has_name;
	const char *last; /* a word at the end; or NULL */
} forms[CLUSTER_SUBJECTS] = {
	[CLUSTER_ORDER] = {"order", false, false, true, NULL},
	[CLUSTER_BEAT] = {"beat", true, false, false, NULL},
	[CLUSTER_HELLO] = {"hello", false, false, true, NULL},
	[CLUSTER_WANT] = {"want", true, false, true, NULL},
	[CLUSTER_NOTE] = {"note", true, false, true, NULL},
	[CLUSTER_PART] = {"part", true, true, true, NULL},
	[CLUSTER_RECORD] = {"record", true, false, true, NULL},
	[CLUSTER_GOT] = {"got", false, false, true, NULL},
	[CLUSTER_ASK] = {"ask", false, false, false, NULL},
	[CLUSTER_READY] = {"ready", false, false, true, NULL},
	[CLUSTER_WORK] = {"work", false, false, true, NULL},
	[CLUSTER_OUT_HEAD] = {"out", true, false, false, "head"},
	[CLUSTER_OUT_TABLE] = {"out", true, false, false, "table"},
};

/* Letters, digits, hyphens, and `dot` between parts that aren't empty. */
static bool name_is_valid(const char *name, char dot)
{
	size_t n = strlen(name);

	if (!n || n >= CLUSTER_NAME || strcmp(name, "all") == 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = name[i];
		bool is_dot = c == dot, is_end = i == 0 || i == n - 1;
		if (is_dot ? is_end || name[i - 1] == dot
			   : !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return false;
	}
	return true;
}

bool cluster_name_from_host(const char *host, char name[CLUSTER_NAME])
{
	size_t n = strlen(host);

	if (n >= CLUSTER_NAME || strchr(host, ':'))
		return false;
	for (size_t i = 0; i <= n; i++) {
		char c = host[i];
		name[i] = c == '.' ? ':' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	return name_is_valid(name, ':');
}

bool cluster_name_to_host(const char *name, char host[CLUSTER_NAME])
{
	if (!name_is_valid(name, ':'))
		return false;
	for (size_t i = 0; i <= strlen(name); i++)
		host[i] = name[i] == ':' ? '.' : name[i];
	return true;
}

void cluster_subject_write(const struct cluster_subject *s, char text[CLUSTER_SUBJECT])
{
	const struct form *f = &forms[s->kind];
	char id[2 * CLUSTER_ID + 1], query[sizeof(id) + 1] = "", place[24] = "", name[CLUSTER_NAME + 1] = "";

	cluster_hex(s->query, CLUSTER_ID, id);
	if (f->has_query)
		snprintf(query, sizeof(query), ".%s", id);
	if (f->has_place)
		snprintf(place, sizeof(place), ".%u.%u", s->level, s->shard);
	if (f->has_name)
		snprintf(name, sizeof(name), ".%s", *s->name ? s->name : "all");
	snprintf(text, CLUSTER_SUBJECT, "ward.%s%s%s%s%s%s", f->word, query, place, name, f->last ? "." : "",
		f->last ? f->last : "");
}

/* The next token, behind a dot. */
static bool token_take(const char **at, char *token, size_t size)
{
	if (**at != '.')
		return false;
	size_t n = strcspn(++*at, ".");
	if (!n || n >= size)
		return false;
	memcpy(token, *at, n);
	token[n] = 0;
	*at += n;
	return true;
}

static bool number_take(const char **at, uint32_t *number)
{
	char token[12], *end;

	if (!token_take(at, token, sizeof(token)) || strspn(token, "0123456789") != strlen(token))
		return false;
	unsigned long value = strtoul(token, &end, 10);
	*number = (uint32_t)value;
	return value <= UINT32_MAX;
}

static bool form_take(const struct form *f, const char **at, struct cluster_subject *s)
{
	char id[2 * CLUSTER_ID + 1], last[8];

	if (f->has_query && !(token_take(at, id, sizeof(id)) && cluster_hex_read(id, CLUSTER_ID, s->query)))
		return false;
	if (f->has_place && !(number_take(at, &s->level) && number_take(at, &s->shard)))
		return false;
	if (f->last)
		return token_take(at, last, sizeof(last)) && strcmp(last, f->last) == 0;
	if (!f->has_name)
		return true;
	if (!token_take(at, s->name, sizeof(s->name)))
		return false;
	if (s->kind == CLUSTER_ORDER && strcmp(s->name, "all") == 0)
		*s->name = 0;
	else if (!name_is_valid(s->name, ':'))
		return false;
	return true;
}

bool cluster_subject_read(const char *text, struct cluster_subject *s)
{
	char word[16], again[CLUSTER_SUBJECT];
	const char *at = text + 4, *rest;

	if (strncmp(text, "ward.", 5) != 0 || strlen(text) >= CLUSTER_SUBJECT || !token_take(&at, word, sizeof(word)))
		return false;
	for (int kind = 0; kind < CLUSTER_SUBJECTS; kind++) {
		if (strcmp(forms[kind].word, word) != 0)
			continue;
		*s = (struct cluster_subject){.kind = (enum cluster_subject_kind)kind};
		rest = at;
		if (!form_take(&forms[kind], &rest, s) || *rest)
			continue; /* two kinds share a word */
		cluster_subject_write(s, again);
		return strcmp(text, again) == 0;
	}
	return false;
}

uint32_t cluster_shard(const char *name, uint32_t shards)
{
	uint8_t hash[16];
	uint64_t number = 0;

	crypto_generichash(hash, sizeof(hash), (const uint8_t *)name, strlen(name), NULL, 0);
	for (int i = 0; i < 8; i++)
		number = number << 8 | hash[i];
	return shards ? (uint32_t)(number % shards) : 0;
}
