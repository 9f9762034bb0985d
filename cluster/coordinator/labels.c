/* SPDX-License-Identifier: Apache-2.0 */
#include "labels.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/wire/refuse.h"

enum { LABEL = 257 }; /* C-32 */

static char *texts_make(const Ward__Cluster__Hello *hello)
{
	char *texts = calloc(hello->n_label + 1, LABEL), *end = texts;

	for (size_t i = 0; texts && i < hello->n_label; i++) {
		cluster_text(hello->label[i].data, hello->label[i].len, end, LABEL);
		end += *end ? strlen(end) + 1 : 0;
	}
	return texts;
}

bool cluster_labels_put(struct cluster_labels *labels, const char *machine, const Ward__Cluster__Hello *hello)
{
	char *texts = texts_make(hello);
	size_t i = SIZE_MAX;

	if (texts && cluster_array_grow(&labels->at, &labels->room, labels->names.n + 1, sizeof(*labels->at)))
		i = cluster_names_add(&labels->names, machine);
	if (i == SIZE_MAX) {
		free(texts);
		return false;
	}
	free(labels->at[i]);
	labels->at[i] = texts;
	return true;
}

const char *cluster_labels_get(const struct cluster_labels *labels, const char *machine, const char *key)
{
	size_t i = cluster_names_find(&labels->names, machine), n = strlen(key);

	for (const char *at = i == SIZE_MAX ? "" : labels->at[i]; *at; at += strlen(at) + 1)
		if (strncmp(at, key, n) == 0 && at[n] == '=' && at[n + 1])
			return at + n + 1;
	return "-";
}

void cluster_labels_free(struct cluster_labels *labels)
{
	for (size_t i = 0; i < labels->names.n; i++)
		free(labels->at[i]);
	free(labels->at);
	cluster_names_free(&labels->names);
	*labels = (struct cluster_labels){0};
}
