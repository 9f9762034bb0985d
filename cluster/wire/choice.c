/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include <fnmatch.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"
#include "subject.h"

enum { WORD = 256 };

/* The next word; 0 at the end, -1 if it is too long or holds what can't be typed. */
static int word_take(const char **at, const char *end, char word[WORD])
{
	size_t n = 0;

	while (*at < end && **at == ' ')
		++*at;
	while (*at < end && **at != ' ') {
		if (n + 1 == WORD || (unsigned char)**at < 0x20)
			return -1;
		word[n++] = *(*at)++;
	}
	word[n] = 0;
	return n != 0;
}

bool cluster_selector_check(const char *selector, size_t n, struct ward_error *err)
{
	const char *at = selector, *end = selector + n;
	char word[WORD];
	int got;

	while ((got = word_take(&at, end, word)) > 0)
		if (*word == '=')
			return cluster_refuse(err, "selector", "C-39", "\"%s\" has no key", word);
	return got == 0 || cluster_refuse(err, "selector", "C-39", "a word is too long, or holds what can't be typed");
}

static bool label_fits(const struct cluster_machine *machine, const char *word, size_t n_key)
{
	for (size_t i = 0; i < machine->n_labels; i++)
		if (strncmp(machine->labels[i], word, n_key + 1) == 0 &&
			fnmatch(word + n_key + 1, machine->labels[i] + n_key + 1, 0) == 0)
			return true;
	return false;
}

bool cluster_selector_fits(const char *selector, size_t n, const struct cluster_machine *machine)
{
	const char *at = selector, *end = selector + n;
	bool has_names = false, is_named = false;
	char word[WORD];
	int got;

	while ((got = word_take(&at, end, word)) > 0) {
		size_t n_key = strcspn(word, "=");
		if (!n_key)
			return false;
		if (word[n_key]) {
			if (!label_fits(machine, word, n_key))
				return false;
			continue;
		}
		has_names = true;
		is_named |= fnmatch(word, machine->host, 0) == 0;
	}
	return got == 0 && (is_named || !has_names);
}

uint64_t cluster_lot(const uint8_t query[CLUSTER_ID], const char *host)
{
	crypto_generichash_state state;
	uint8_t hash[16];
	uint64_t lot = 0;

	crypto_generichash_init(&state, NULL, 0, sizeof(hash));
	crypto_generichash_update(&state, query, CLUSTER_ID);
	crypto_generichash_update(&state, (const uint8_t *)host, strlen(host));
	crypto_generichash_final(&state, hash, sizeof(hash));
	for (int i = 0; i < 8; i++)
		lot = lot << 8 | hash[i];
	return lot;
}

static bool name_is_drawn(const Ward__Cluster__Choice *choice, const char *host)
{
	for (size_t i = 0; i < choice->n_name; i++)
		if (cluster_bytes_equal(choice->name[i], host, strlen(host)))
			return true;
	return choice->n_name == 0;
}

bool cluster_choice_fits(
	const Ward__Cluster__Choice *choice, const uint8_t query[CLUSTER_ID], const struct cluster_machine *machine)
{
	const char *selector = choice->selector.len ? (const char *)choice->selector.data : "";

	return cluster_selector_fits(selector, choice->selector.len, machine) &&
	       cluster_lot(query, machine->host) <= choice->most && name_is_drawn(choice, machine->host);
}

bool cluster_hello_fits(const Ward__Cluster__Hello *m, const char *host, const Ward__Cluster__Choice *choice,
	const uint8_t query[CLUSTER_ID])
{
	char *label[CLUSTER_LABELS];
	struct cluster_machine machine = {.host = host, .labels = (const char *const *)label, .n_labels = m->n_label};
	bool fits;

	for (size_t i = 0; i < m->n_label; i++) /* C-32: at most CLUSTER_LABELS */
		label[i] = strndup((const char *)m->label[i].data, m->label[i].len);
	fits = cluster_choice_fits(choice, query, &machine);
	for (size_t i = 0; i < m->n_label; i++)
		free(label[i]);
	return fits;
}
