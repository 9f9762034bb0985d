/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of agent.conf, which is as small as it can be, since a policy must not be misread:
 *
 *      # a comment, on a line of its own or behind a space
 *      [section]   [coordinator NAME]   [reviewer NAME]
 *      key = value
 *
 * A line has at most 4,096 bytes, before a comment printable ASCII and tabs; several words of a value have spaces
 * between them. There are no quotes, no escapes, no continued lines, and no other files. Whatever isn't known, is
 * there twice, or isn't whole is an error, with file, line and column (C-63).
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/subject.h"
#include "process.h"

enum { MOST_LINE = 4096, MOST_FILE = 1 << 20, MOST_SECTIONS = 256, MOST_KEYS = 32 };

enum section { SECTION_BUS, SECTION_MACHINE, SECTION_LIMITS, SECTION_KERNEL, SECTION_COORDINATOR, SECTION_REVIEWER };
static const char *const section_names[] = {"bus", "machine", "limits", "kernel", "coordinator", "reviewer"};
enum { SECTIONS = sizeof(section_names) / sizeof(*section_names) };

struct parser {
	const char *file;
	size_t line;
	char text[MOST_LINE + 1]; /* the line */
	struct agent_config *config;
	enum section section;
	bool has_section;
	unsigned seen; /* sections that may be there once */
	uint32_t keys; /* of this section: rows of the table that were there */
	size_t section_line;
	struct ward_error *err;
};

/* An error at a place of the line. */
static bool fail_at(struct parser *p, const char *at, const char *why, const char *about)
{
	char place[sizeof(p->err->what)];

	snprintf(place, sizeof(place), "%.100s:%zu:%zu", p->file, p->line, at ? (size_t)(at - p->text) + 1 : 1);
	cluster_refuse(p->err, place, "C-63", why, about);
	cluster_hint(p->err, "ward-agent.conf(5) has all sections and keys");
	return false;
}

static bool no_memory(struct parser *p)
{
	return cluster_refuse(p->err, p->file, NULL, "out of memory");
}

/* ---- values ---- */

/* A value: read it into its place. `at` is where it is in the line. */
typedef bool value_fn(struct parser *p, char *at, void *into);

static bool list_add(struct agent_list *list, const char *text)
{
	if (list->n == list->room) {
		size_t room = 2 * list->room + 8;
		char **grown = realloc(list->at, room * sizeof(*grown));
		if (!grown)
			return false;
		list->at = grown;
		list->room = room;
	}
	list->at[list->n] = strdup(text);
	return list->at[list->n] && ++list->n;
}

static bool words_read(struct parser *p, char *at, void *into)
{
	for (char *word = at; *word;) {
		size_t n = strcspn(word, " \t");
		char rest = word[n];
		word[n] = 0;
		bool ok = list_add(into, word);
		word[n] = rest;
		if (!ok)
			return no_memory(p);
		word += n + strspn(word + n, " \t");
	}
	return true;
}

/* As process.h has them. */
static bool conditions_read(struct parser *p, char *at, void *into)
{
	struct agent_list *list = into;
	size_t before = list->n;

	if (!words_read(p, at, into))
		return false;
	for (size_t i = before; i < list->n; i++)
		if (!agent_condition_is_valid(list->at[i]))
			return fail_at(p, strstr(at, list->at[i]), "\"%s\" is no condition of processes", list->at[i]);
	return true;
}

static bool word_read(struct parser *p, char *at, void *into)
{
	char **text = into;

	if (at[strcspn(at, " \t")])
		return fail_at(p, at + strcspn(at, " \t"), "%s", "one word is expected");
	*text = strdup(at);
	return *text || no_memory(p);
}

static bool url_read(struct parser *p, char *at, void *into)
{
	if (strncmp(at, "tls://", 6) != 0 || at[strcspn(at, " \t")])
		return fail_at(p, at, "%s", "a bus is tls://HOST:PORT");
	return list_add(into, at) || no_memory(p);
}

static bool labels_read(struct parser *p, char *at, void *into)
{
	for (char *word = at; *word; word += strcspn(word, " \t"), word += strspn(word, " \t")) {
		size_t n = strcspn(word, " \t"), key = strcspn(word, "=");
		if (!key || key >= n)
			return fail_at(p, word, "%s", "a label is KEY=VALUE");
	}
	return words_read(p, at, into);
}

static bool name_read(struct parser *p, char *at, void *into)
{
	char name[CLUSTER_NAME];

	if (!cluster_name_from_host(at, name))
		return fail_at(p, at, "%s", "a machine's name is letters, digits, hyphens and dots");
	return word_read(p, at, into);
}

static bool key_read(struct parser *p, char *at, void *into)
{
	return cluster_key_read(at, into) || fail_at(p, at, "%s", "this is no key as minisign prints it (RW...)");
}

/* One word of several, or several of several: the place is the number, or the sum of bits. */
static int word_find(const char *at, size_t n, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == n && memcmp(words[i], at, n) == 0)
			return i;
	return -1;
}

static bool choice_read(struct parser *p, char *at, unsigned *into, const char *const *words, const char *why)
{
	int i = word_find(at, strlen(at), words);

	*into = (unsigned)i;
	return i >= 0 || fail_at(p, at, "%s", why);
}

static bool results_read(struct parser *p, char *at, void *into)
{
	static const char *const words[] = {"numbers", "keys", "text", "records", NULL};
	return choice_read(p, at, into, words, "results are numbers, keys, text or records");
}

static bool modules_read(struct parser *p, char *at, void *into)
{
	static const char *const words[] = {"signed", "any", NULL};
	return choice_read(p, at, into, words, "modules are signed or any");
}

static bool bool_read(struct parser *p, char *at, void *into)
{
	static const char *const words[] = {"no", "yes", NULL};
	return choice_read(p, at, into, words, "this is yes or no");
}

static bool may_read(struct parser *p, char *at, void *into)
{
	static const char *const words[] = {"user", "kernel", "take-over", NULL};
	unsigned *may = into;

	for (char *word = at; *word;) {
		size_t n = strcspn(word, " \t");
		int i = word_find(word, n, words);
		if (i < 0)
			return fail_at(p, word, "%s", "a coordinator may user, kernel and take-over");
		*may |= 1u << i;
		word += n + strspn(word + n, " \t");
	}
	return true;
}

struct suffix {
	const char *text;
	uint64_t factor;
};

/* A whole number and one of the suffixes; the last row has no text. */
static bool quantity_read(struct parser *p, char *at, uint64_t *into, const struct suffix *suffixes, const char *why)
{
	char *end = at;
	uint64_t number = 0;

	for (; *end >= '0' && *end <= '9'; end++) {
		if (number > (UINT64_MAX - 9) / 10)
			return fail_at(p, at, "%s", "the number is too large");
		number = number * 10 + (uint64_t)(*end - '0');
	}
	for (; end > at && suffixes->text; suffixes++)
		if (strcmp(end, suffixes->text) == 0) {
			if (number > INT64_MAX / suffixes->factor)
				return fail_at(p, at, "%s", "the number is too large");
			*into = number * suffixes->factor;
			return true;
		}
	return fail_at(p, at, "%s", why);
}

static bool number_read(struct parser *p, char *at, void *into)
{
	static const struct suffix none[] = {{"", 1}, {NULL, 0}};
	return quantity_read(p, at, into, none, "this is a whole number");
}

static bool size_read(struct parser *p, char *at, void *into)
{
	static const struct suffix sizes[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};
	return quantity_read(p, at, into, sizes, "this is a number of bytes, such as 64K");
}

static bool time_read(struct parser *p, char *at, void *into)
{
	static const struct suffix times[] = {{"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000},
		{"h", 3600000000000}, {"d", 86400000000000}, {NULL, 0}};
	return quantity_read(p, at, into, times, "this is a time, such as 20ms, 30s, 10m or 1h");
}

static bool share_read(struct parser *p, char *at, void *into)
{
	static const struct suffix shares[] = {{"%", 10000}, {NULL, 0}};
	uint64_t *share = into;

	if (!quantity_read(p, at, share, shares, "this is a share in whole percent, such as 2%"))
		return false;
	return *share <= 1000000 || fail_at(p, at, "%s", "more than 100%");
}

static bool rate_read(struct parser *p, char *at, void *into)
{
	static const struct suffix rates[] = {{"/min", 1}, {NULL, 0}};
	return quantity_read(p, at, into, rates, "this is a rate, such as 20/min");
}

/* ---- keys ---- */

#define OF_CONFIG(member) offsetof(struct agent_config, member)
#define OF_COORDINATOR(member) offsetof(struct agent_coordinator, member)

static const struct key {
	enum section section;
	const char *name;
	value_fn *read;
	size_t offset;
	bool repeats, needed;
} keys[] = {
	{SECTION_BUS, "url", url_read, OF_CONFIG(urls), true, true},
	{SECTION_BUS, "ca", word_read, OF_CONFIG(ca), false, false},
	{SECTION_BUS, "cluster", word_read, OF_CONFIG(cluster), false, true},
	{SECTION_MACHINE, "labels", labels_read, OF_CONFIG(labels), true, false},
	{SECTION_MACHINE, "name", name_read, OF_CONFIG(name), false, false},
	{SECTION_LIMITS, "queries", number_read, OF_CONFIG(limits.queries), false, false},
	{SECTION_LIMITS, "overhead", share_read, OF_CONFIG(limits.overhead_ppm), false, false},
	{SECTION_LIMITS, "sites", number_read, OF_CONFIG(limits.sites), false, false},
	{SECTION_LIMITS, "processes", number_read, OF_CONFIG(limits.processes), false, false},
	{SECTION_LIMITS, "max-insns", number_read, OF_CONFIG(limits.max_insns), false, false},
	{SECTION_LIMITS, "state", size_read, OF_CONFIG(limits.state), false, false},
	{SECTION_LIMITS, "duration", time_read, OF_CONFIG(limits.duration_ns), false, false},
	{SECTION_LIMITS, "lease", time_read, OF_CONFIG(limits.lease_ns), false, false},
	{SECTION_LIMITS, "partial", size_read, OF_CONFIG(limits.partial), false, false},
	{SECTION_LIMITS, "records", size_read, OF_CONFIG(limits.records), false, false},
	{SECTION_LIMITS, "stops", rate_read, OF_CONFIG(limits.stops), false, false},
	{SECTION_LIMITS, "pause", time_read, OF_CONFIG(limits.pause_ns), false, false},
	{SECTION_LIMITS, "cpu", share_read, OF_CONFIG(limits.cpu_ppm), false, false},
	{SECTION_LIMITS, "memory", size_read, OF_CONFIG(limits.memory), false, false},
	{SECTION_KERNEL, "allow", bool_read, OF_CONFIG(kernel), false, false},
	{SECTION_COORDINATOR, "key", key_read, OF_COORDINATOR(key), false, true},
	{SECTION_COORDINATOR, "may", may_read, OF_COORDINATOR(may), false, false},
	{SECTION_COORDINATOR, "sites", words_read, OF_COORDINATOR(sites), true, false},
	{SECTION_COORDINATOR, "not-sites", words_read, OF_COORDINATOR(not_sites), true, false},
	{SECTION_COORDINATOR, "processes", conditions_read, OF_COORDINATOR(processes), true, false},
	{SECTION_COORDINATOR, "not-processes", conditions_read, OF_COORDINATOR(not_processes), true, false},
	{SECTION_COORDINATOR, "imports", words_read, OF_COORDINATOR(imports), true, false},
	{SECTION_COORDINATOR, "results", results_read, OF_COORDINATOR(results), false, false},
	{SECTION_COORDINATOR, "modules", modules_read, OF_COORDINATOR(modules), false, false},
	{SECTION_REVIEWER, "key", key_read, offsetof(struct agent_reviewer, key), false, true},
};
enum { KEYS = sizeof(keys) / sizeof(*keys) };
_Static_assert((int)KEYS <= (int)MOST_KEYS, "keys that were there are bits");

static void *section_place(const struct parser *p)
{
	struct agent_config *c = p->config;

	if (p->section == SECTION_COORDINATOR)
		return &c->coordinators[c->n_coordinators - 1];
	return p->section == SECTION_REVIEWER ? (void *)&c->reviewers[c->n_reviewers - 1] : (void *)c;
}

static bool setting_read(struct parser *p, char *line)
{
	char *equals = strchr(line, '='), *end = equals, *value;

	if (!equals || equals == line)
		return fail_at(p, line, "%s", "this is no [section], and no key = value");
	if (!p->has_section)
		return fail_at(p, line, "%s", "there is no [section] above");
	while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	value = equals + 1 + strspn(equals + 1, " \t");
	*end = 0;
	for (int i = 0; i < KEYS; i++) {
		if (keys[i].section != p->section || strcmp(keys[i].name, line) != 0)
			continue;
		if ((p->keys & 1u << i) && !keys[i].repeats)
			return fail_at(p, line, "%s is there twice", line);
		p->keys |= 1u << i;
		if (!*value)
			return fail_at(p, value, "%s has no value", line);
		return keys[i].read(p, value, (char *)section_place(p) + keys[i].offset);
	}
	return fail_at(p, line, "there is no key \"%s\" in this section", line);
}

/* ---- sections ---- */

/* What a section must have. */
static bool section_end(struct parser *p)
{
	for (int i = 0; p->has_section && i < KEYS; i++)
		if (keys[i].section == p->section && keys[i].needed && !(p->keys & 1u << i)) {
			p->line = p->section_line;
			return fail_at(p, NULL, "this section has no %s", keys[i].name);
		}
	return true;
}

static bool coordinator_add(struct parser *p, const char *name)
{
	struct agent_config *c = p->config;

	for (size_t i = 0; i < c->n_coordinators; i++)
		if (strcmp(c->coordinators[i].name, name) == 0)
			return fail_at(p, NULL, "coordinator %s is there twice", name);
	if (c->n_coordinators == MOST_SECTIONS)
		return fail_at(p, NULL, "%s", "there are too many coordinators");
	struct agent_coordinator *grown = realloc(c->coordinators, (c->n_coordinators + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(p);
	c->coordinators = grown;
	grown[c->n_coordinators] = (struct agent_coordinator){.name = strdup(name)};
	return (grown[c->n_coordinators].name && ++c->n_coordinators) || no_memory(p);
}

static bool reviewer_add(struct parser *p, const char *name)
{
	struct agent_config *c = p->config;

	for (size_t i = 0; i < c->n_reviewers; i++)
		if (strcmp(c->reviewers[i].name, name) == 0)
			return fail_at(p, NULL, "reviewer %s is there twice", name);
	if (c->n_reviewers == MOST_SECTIONS)
		return fail_at(p, NULL, "%s", "there are too many reviewers");
	struct agent_reviewer *grown = realloc(c->reviewers, (c->n_reviewers + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(p);
	c->reviewers = grown;
	grown[c->n_reviewers] = (struct agent_reviewer){.name = strdup(name)};
	return (grown[c->n_reviewers].name && ++c->n_reviewers) || no_memory(p);
}

/* "[coordinator alice]" */
static bool section_begin(struct parser *p, char *line)
{
	char *end = line + strlen(line) - 1, *name;
	size_t n;

	if (!section_end(p))
		return false;
	if (*end != ']')
		return fail_at(p, end + 1, "%s", "a ] is missing");
	*end = 0;
	n = strcspn(++line, " \t");
	name = line + n + strspn(line + n, " \t");
	line[n] = 0;
	p->has_section = false;
	p->keys = 0;
	p->section_line = p->line;
	for (int i = 0; i < SECTIONS && !p->has_section; i++)
		if (strcmp(section_names[i], line) == 0) {
			p->section = (enum section)i;
			p->has_section = true;
		}
	if (!p->has_section)
		return fail_at(p, line, "there is no section \"%s\"", line);
	if ((p->section == SECTION_COORDINATOR || p->section == SECTION_REVIEWER) != (*name != 0) ||
		name[strcspn(name, " \t")])
		return fail_at(
			p, name, "%s", "coordinators and reviewers have a name of one word; other sections have none");
	if (p->section == SECTION_COORDINATOR)
		return coordinator_add(p, name);
	if (p->section == SECTION_REVIEWER)
		return reviewer_add(p, name);
	if (p->seen & 1u << p->section)
		return fail_at(p, line, "section %s is there twice", line);
	p->seen |= 1u << p->section;
	return true;
}

/* ---- lines ---- */

/* Take a comment off, and spaces at the end; false if something can't be in a line. */
static bool line_clean(struct parser *p)
{
	char *end = p->text;

	for (char *at = p->text; *at; at++) {
		if (*at == '#' && (at == p->text || at[-1] == ' ' || at[-1] == '\t'))
			break; /* in whatever language */
		if (((unsigned char)*at < 0x20 && *at != '\t') || (unsigned char)*at >= 0x7f)
			return fail_at(p, at, "%s", "only printable ASCII is allowed here");
		if (*at != ' ' && *at != '\t')
			end = at + 1;
	}
	*end = 0;
	return true;
}

static bool line_read(struct parser *p, const char *line, size_t n)
{
	if (n > MOST_LINE) {
		p->text[0] = 0;
		return fail_at(p, p->text + MOST_LINE, "%s", "the line is longer than 4096 bytes");
	}
	memcpy(p->text, line, n);
	p->text[n] = 0;
	if (strlen(p->text) != n)
		return fail_at(p, p->text + strlen(p->text), "%s", "there is a zero byte");
	if (!line_clean(p))
		return false;
	char *at = p->text + strspn(p->text, " \t");
	if (!*at)
		return true;
	return *at == '[' ? section_begin(p, at) : setting_read(p, at);
}

static bool config_check(struct parser *p)
{
	if (!section_end(p))
		return false;
	p->line++;
	if (!(p->seen & 1u << SECTION_BUS))
		return fail_at(p, NULL, "%s", "there is no section [bus]");
	for (size_t i = 0; i < p->config->n_coordinators; i++)
		for (size_t j = 0; j < i; j++)
			if (memcmp(p->config->coordinators[i].key.key, p->config->coordinators[j].key.key,
				    CLUSTER_KEY) == 0)
				return fail_at(p, NULL, "coordinator %s has the key of another one",
					p->config->coordinators[i].name);
	return true;
}

static const struct agent_limits limits_default = {
	.queries = 4,
	.overhead_ppm = 20000,
	.sites = 200,
	.processes = 200,
	.max_insns = 20000,
	.state = 64 << 20,
	.duration_ns = 3600000000000,
	.lease_ns = 600000000000,
	.partial = 64 << 10,
	.records = 1 << 20,
	.stops = 20,
	.pause_ns = 20000000,
	.cpu_ppm = 1000000,
	.memory = 256 << 20,
};

bool agent_config_read(
	const char *file, const char *text, size_t size, struct agent_config **out, struct ward_error *err)
{
	struct ward_error own;
	struct parser *p = calloc(1, sizeof(*p));
	struct agent_config *c = calloc(1, sizeof(*c));
	bool ok = p && c;

	*out = NULL;
	if (!ok)
		cluster_refuse(err, file, NULL, "out of memory");
	else {
		p->file = file;
		p->config = c;
		p->err = err ? err : &own;
		c->limits = limits_default;
		cluster_digest(text, size, c->digest);
	}
	for (size_t at = 0; ok && at < size; at++) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t n = end ? (size_t)(end - text) - at : size - at;
		p->line++;
		ok = line_read(p, text + at, n);
		at += n;
	}
	ok = ok && config_check(p);
	free(p);
	if (ok)
		*out = c;
	else
		agent_config_free(c);
	return ok;
}

static bool file_check(const char *path, const struct stat *s, struct ward_error *err)
{
	if (!S_ISREG(s->st_mode) || s->st_size > MOST_FILE)
		return cluster_refuse(err, path, "C-63", "it is no file, or has more than 1 MiB");
	if ((s->st_uid != 0 && s->st_uid != geteuid()) || (s->st_mode & 022)) {
		cluster_refuse(err, path, "C-63", "others than root can write it");
		cluster_hint(err, "chown root %s; chmod go-w %s", path, path);
		return false;
	}
	return true;
}

bool agent_config_load(const char *path, struct agent_config **out, struct ward_error *err)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	size_t size = 0;
	ssize_t n = -1;

	*out = NULL;
	if (fd < 0 || fstat(fd, &s) != 0) {
		cluster_refuse(err, path, NULL, "it can't be read: %s", strerror(errno));
		cluster_hint(err, "ward-agent.conf(5) says what is in it");
		if (fd >= 0)
			close(fd);
		return false;
	}
	bool ok = file_check(path, &s, err);
	if (ok) {
		text = malloc((size_t)s.st_size + 1);
		while (text && size < (size_t)s.st_size && (n = read(fd, text + size, (size_t)s.st_size - size)) > 0)
			size += (size_t)n;
		ok = text && (n >= 0 || !s.st_size);
		if (!ok)
			cluster_refuse(err, path, NULL, "it can't be read: %s", strerror(errno));
	}
	close(fd);
	ok = ok && agent_config_read(path, text, size, out, err);
	free(text);
	return ok;
}

static void list_free(struct agent_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i]);
	free(list->at);
}

void agent_config_free(struct agent_config *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_coordinators; i++) {
		struct agent_coordinator *k = &c->coordinators[i];
		free(k->name);
		list_free(&k->sites);
		list_free(&k->not_sites);
		list_free(&k->processes);
		list_free(&k->not_processes);
		list_free(&k->imports);
	}
	for (size_t i = 0; i < c->n_reviewers; i++)
		free(c->reviewers[i].name);
	list_free(&c->urls);
	list_free(&c->labels);
	free(c->coordinators);
	free(c->reviewers);
	free(c->ca);
	free(c->cluster);
	free(c->name);
	free(c);
}

const struct agent_coordinator *agent_config_coordinator(const struct agent_config *c, const uint8_t *key)
{
	for (size_t i = 0; i < c->n_coordinators; i++)
		if (memcmp(c->coordinators[i].key.key, key, CLUSTER_KEY) == 0)
			return &c->coordinators[i];
	return NULL;
}
