/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words of struct own, in the order in which they are printed. */
enum { WORDS = 8, REST = 8 };

static const char *next_line(const char *p)
{
	p = p ? strchr(p, '\n') : NULL;
	return p ? p + 1 : NULL;
}

static bool read_words(const char **p, const char *begins, uint64_t *words, unsigned n)
{
	size_t length = strlen(begins);
	char *end;

	if (!*p || strncmp(*p, begins, length) != 0)
		return false;
	*p += length;
	for (unsigned i = 0; i < n; i++) {
		words[i] = strtoull(*p, &end, 10);
		if (end == *p)
			return false;
		*p = end;
	}
	*p = next_line(*p);
	return *p;
}

bool read_own(const char *text, unsigned phase, struct own *own)
{
	char begins[32];
	const char *p = text;
	uint64_t words[WORDS];

	snprintf(begins, sizeof(begins), "phase %u\n", phase);
	while (p && strncmp(p, begins, strlen(begins)) != 0)
		p = next_line(p);
	p = next_line(p);
	for (unsigned k = 0; k < FUNCTIONS; k++) {
		snprintf(begins, sizeof(begins), "f %u", k);
		if (!read_words(&p, begins, words, WORDS))
			return false;
		memcpy(&own->f[k], words, sizeof(own->f[k]));
	}
	return read_words(&p, "all", &own->sum, REST) && strstr(p, "end\n");
}

struct own own_since(const struct own *later, const struct own *before)
{
	struct own d;
	uint64_t a[sizeof(d) / 8], b[sizeof(d) / 8];

	memcpy(a, later, sizeof(a));
	memcpy(b, before, sizeof(b));
	for (size_t i = 0; i < sizeof(d) / 8; i++)
		a[i] -= b[i];
	memcpy(&d, a, sizeof(d));
	return d;
}

static enum end end_of(const char *site)
{
	return strncmp(site, ":return", 7) == 0 ? RETURN : strncmp(site, ":throw", 6) == 0 ? THROWN : ENTRY;
}

static void read_site(const char *line, struct traced *t)
{
	bool attached = strncmp(line, "{\"type\":\"attach\"", 16) == 0;
	const char *site = strstr(line, "\"site\":\"prog!t_");

	if (!site)
		return;
	site += 15;
	if (*site < '0' || *site >= '0' + FUNCTIONS)
		return;
	t->f[*site - '0'].attached[end_of(site + 1)] |= attached;
	t->attached += attached;
	t->skipped += !attached;
}

static void read_field(const char *line, struct traced *t)
{
	unsigned k;
	char name[32];
	unsigned long long v;
	struct traced_function *f;

	if (sscanf(line, "{\"type\":\"field\",\"field\":\"f[%u].%31[a-z]\",\"kind\":\"count\",\"value\":%llu", &k, name,
		    &v) != 3 ||
		k >= FUNCTIONS)
		return;
	f = &t->f[k];

	const struct {
		const char *name;
		uint64_t *at;
	} fields[] = {{"calls", &f->calls}, {"args", &f->args}, {"rets", &f->rets}, {"sums", &f->sums},
		{"throws", &f->throws}, {"foreign", &f->foreign}, {"early", &f->early}, {"late", &f->late},
		{"odd", &f->odd}};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(name, fields[i].name) == 0)
			*fields[i].at = v;
}

static void read_end(const char *line, struct traced *t)
{
	const char *events = strstr(line, "\"events\":"), *dropped = strstr(line, "\"dropped\":");

	if (!events || !dropped)
		return;
	t->events = strtoull(events + 9, NULL, 10);
	t->dropped = strtoull(dropped + 10, NULL, 10);
	t->ended = true;
}

void read_traced(const char *text, struct traced *t)
{
	memset(t, 0, sizeof(*t));
	for (const char *p = text; p && *p; p = next_line(p)) {
		if (strncmp(p, "{\"type\":\"attach\"", 16) == 0 || strncmp(p, "{\"type\":\"skip\"", 14) == 0)
			read_site(p, t);
		else if (strncmp(p, "{\"type\":\"field\"", 15) == 0)
			read_field(p, t);
		else if (strncmp(p, "{\"type\":\"end\"", 13) == 0)
			read_end(p, t);
	}
}
