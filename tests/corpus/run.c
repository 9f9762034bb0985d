/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corpus: hostile modules, each of which must be refused for exactly its reason and place; good ones, which must
 * be accepted; and files broken by editing a good one (broken.c).
 *
 * A run also counts. The verifier's sources must cite each rule of rules.def as WARD_RULE_x. At least one test must
 * break it, and at least one good module must keep it at its limit. A file in the folders that is no test fails the
 * run.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broken.h"
#include "case.h"
#include "classes.h"

struct tally {
	unsigned passed, failed;
	/* hostile modules refused in the kernel's profile; and for the same reason there */
	unsigned kernel, kernel_same;
	unsigned in_class[CORPUS_CLASSES];
	char class_files[CORPUS_CLASSES][400];
	unsigned rejecting[WARD_RULE_COUNT], accepting[WARD_RULE_COUNT], cited[WARD_RULE_COUNT];
};

static int rule_of(const char *number)
{
	for (int r = 0; r < WARD_RULE_COUNT; r++)
		if (!strcmp(ward_rule_number((enum ward_rule)r), number))
			return r;
	return -1;
}

/* ---- One case ---- */

/* Rules that a good module says that it keeps. */
static bool count_rules(struct tally *t, const struct corpus_case *c)
{
	char words[CASE_TEXT], *save = NULL;
	snprintf(words, sizeof(words), "%s", c->rules);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		int rule = rule_of(w);
		if (rule < 0) {
			fprintf(stderr, "corpus: %s: no rule `%s`\n", c->name, w);
			return false;
		}
		t->accepting[rule]++;
	}
	return true;
}

int corpus_class(const char *name)
{
	for (int i = 0; i < CORPUS_CLASSES; i++)
		if (!strcmp(corpus_classes[i].name, name))
			return i;
	return -1;
}

static void add_to_class(struct tally *t, int class, const char *name)
{
	char *files = t->class_files[class];
	size_t used = strlen(files);
	if (t->in_class[class]++ < 8)
		snprintf(files + used, sizeof(t->class_files[0]) - used, " %.*s", (int)strcspn(name, "."), name);
}

/* The kinds of attack that a hostile module says that it is of. */
static bool count_classes(struct tally *t, const struct corpus_case *c)
{
	char words[CASE_TEXT], *save = NULL;
	snprintf(words, sizeof(words), "%s", c->classes);
	if (!strncmp(c->name, "proof-", 6) || !strncmp(c->name, "contract-", 9))
		add_to_class(t, corpus_class("proof"), c->name);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		int class = corpus_class(w);
		if (class < 0) {
			fprintf(stderr, "corpus: %s: no class `%s`\n", c->name, w);
			return false;
		}
		add_to_class(t, class, c->name);
	}
	return true;
}

/* What the profiles differ in: vector registers, jumps through tables, the red zone, imports. */
static bool is_of_profile(enum ward_rule rule)
{
	return rule == WARD_RULE_PROFILE || rule == WARD_RULE_INDIRECT || rule == WARD_RULE_STACK ||
	       rule == WARD_RULE_IMPORT_TYPE;
}

/*
 * The same module, were it to say that it is for the kernel: that isn't accepted either, unless all that was wrong with
 * it was its profile. It is refused for the same reason at the same place, if not for what the kernel's profile asks
 * for besides.
 */
static bool refused_for_kernel(struct tally *t, const struct corpus_case *c, const struct ward_violation *first)
{
	struct ward_buf module = buf_copy(&c->module), sealed = buf_copy(&c->module);
	struct part note = part_note(&module);
	enum { PROFILE = 4 }; /* in the note's descriptor */

	reseal(&sealed);
	bool has_seal = !memcmp(sealed.data, module.data, module.size);
	if (note.size >= PROFILE + 4)
		put_le(&module, note.offset + PROFILE, 4, WARD_PROFILE_KERNEL);
	if (has_seal)
		reseal(&module);
	struct ward_verdict *v = case_verify(c, &module);
	const struct ward_violation *now = v && !v->accepted && v->n_violations ? &v->violations[0] : NULL;
	bool same = now && now->rule == first->rule && now->pc == first->pc && !strcmp(now->reason, first->reason);
	bool well = now ? same || is_of_profile(now->rule) : v && !strcmp(first->reason, "import-not-in-profile");
	if (!well)
		fprintf(stderr, "corpus: %s: in the kernel's profile %s\n", c->name, now ? now->detail : "accepted");
	t->kernel += now != NULL;
	t->kernel_same += same;
	ward_verdict_free(v);
	free(module.data);
	free(sealed.data);
	return well;
}

static bool run_case(struct tally *t, const char *path, const char *dir, bool hostile)
{
	struct corpus_case c;
	bool ok = case_read(path, hostile, &c) && case_build(path, dir, &c);
	struct ward_verdict *v = ok ? case_verify(&c, &c.module) : NULL;
	ok = v && case_holds(&c, v) &&
	     (hostile ? count_classes(t, &c) && refused_for_kernel(t, &c, &v->violations[0]) : count_rules(t, &c));
	if (ok && hostile)
		t->rejecting[rule_of(c.expect[0].rule)]++;
	ward_verdict_free(v);
	case_free(&c);
	return ok;
}

/* ---- Folders ---- */

static int is_visible(const struct dirent *d)
{
	return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
}

static unsigned run_folder(struct tally *t, const char *folder, const char *dir, bool hostile)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_visible, alphasort);
	unsigned count = 0;
	for (int i = 0; i < n; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		size_t length = strlen(list[i]->d_name);
		bool known = length > 2 && !strcmp(list[i]->d_name + length - 2, ".s");
		if (!known)
			fprintf(stderr, "corpus: %s: no test: a file that no runner picks up\n", path);
		if (known && run_case(t, path, dir, hostile))
			t->passed++;
		else
			t->failed++;
		count++;
		free(list[i]);
	}
	if (n < 0)
		fprintf(stderr, "corpus: %s: can't be read\n", folder);
	else
		free(list);
	t->failed += n <= 0;
	return count;
}

static void run_broken(struct tally *t, const char *folder, const char *dir)
{
	struct broken b;
	bool built = broken_open(&b, folder, dir);
	for (unsigned way = 0; built && way < broken_ways(); way++) {
		bool ok = broken_try(&b, way);
		if (ok)
			add_to_class(t, corpus_class(broken_class(way)), broken_name(way));
		t->passed += ok;
		t->failed += !ok;
	}
	t->failed += !built;
	for (int r = 0; r < WARD_RULE_COUNT; r++) {
		t->rejecting[r] += b.rejecting[r];
		t->accepting[r] += b.accepting[r];
	}
	broken_close(&b);
}

/* ---- Rules ---- */

static const char *const identifiers[WARD_RULE_COUNT] = {
#define RULE(id, number, property, text) "WARD_RULE_" #id,
#include "ward/rules.def"
#undef RULE
};

/* Does the text hold the word, not followed by more of a word? */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = strstr(text, word); at; at = strstr(at + n, word)) {
		char next = at[n];
		if (next != '_' && !(next >= 'A' && next <= 'Z') && !(next >= '0' && next <= '9'))
			return true;
	}
	return false;
}

/* The sources below a folder, but for the tool that prints verdicts: it decides nothing. */
static void count_citations(struct tally *t, const char *folder)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_visible, alphasort);
	for (int i = 0; i < n; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		size_t length = strlen(list[i]->d_name);
		struct ward_buf text = {0};
		if (list[i]->d_type == DT_DIR && strcmp(list[i]->d_name, "tool") != 0)
			count_citations(t, path);
		if (length > 2 && !strcmp(list[i]->d_name + length - 2, ".c") && read_whole(path, &text)) {
			buf_append(&text, "", 1);
			for (int r = 0; r < WARD_RULE_COUNT; r++)
				t->cited[r] += has_word((const char *)text.data, identifiers[r]);
		}
		free(text.data);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static void judge_rules(struct tally *t)
{
	printf("%-6s %6s %9s %9s\n", "rule", "cited", "rejecting", "accepting");
	for (int r = 0; r < WARD_RULE_COUNT; r++) {
		bool complete = t->cited[r] && t->rejecting[r] && t->accepting[r];
		printf("%-6s %6u %9u %9u%s\n", ward_rule_number((enum ward_rule)r), t->cited[r], t->rejecting[r],
			t->accepting[r], complete ? "" : "  incomplete");
		t->failed += !complete;
	}
}

static void judge_classes(struct tally *t)
{
	printf("\n%-28s %5s  files, or the first of them\n", "kind of attack", "files");
	for (int i = 0; i < CORPUS_CLASSES; i++) {
		printf("%-28s %5u %s\n", corpus_classes[i].name, t->in_class[i],
			i < corpus_class("elf") ? t->class_files[i] : "");
		t->failed += !t->in_class[i];
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: ward-corpus CORPUS-FOLDER VERIFIER-FOLDER\n");
		return 2;
	}
	static struct tally t;
	char folder[4096], dir[] = "/tmp/ward-corpus-XXXXXX";
	if (!mkdtemp(dir)) {
		perror("corpus: mkdtemp");
		return 2;
	}
	snprintf(folder, sizeof(folder), "%s/hostile", argv[1]);
	unsigned hostile = run_folder(&t, folder, dir, true);
	snprintf(folder, sizeof(folder), "%s/good", argv[1]);
	unsigned good = run_folder(&t, folder, dir, false);
	run_broken(&t, folder, dir);
	count_citations(&t, argv[2]);
	judge_rules(&t);
	judge_classes(&t);
	rmdir(dir);
	printf("\n%u hostile modules are refused in the kernel's profile, %u of them for the same reason at the same "
	       "place\n",
		t.kernel, t.kernel_same);
	printf("corpus: %u hostile modules, %u good ones, %u broken files: %u passed, %u failed\n", hostile, good,
		broken_ways(), t.passed, t.failed);
	return t.failed != 0;
}
