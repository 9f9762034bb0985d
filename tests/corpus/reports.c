/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reports on every module of the corpus, as people and programs read them: the text, JSON, SARIF and the
 * explanation.
 *
 * Each form must say of each violation what the verdict says, in a form that its readers can use: JSON that parses,
 * SARIF that keeps the standard, lines of text without blanks at their ends, each violation exactly once in the
 * explanation, and no placeholder words. With `print FORM [NAME]` the program only prints one form, of all modules or
 * one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "verifier/tool/report.h"
#include "sarif.h"

typedef bool report_form(FILE *out, const struct report *r);

static const struct {
	const char *name;
	report_form *print;
} forms[] = {{"text", report_text}, {"json", report_json}, {"sarif", report_sarif}, {"explain", report_explain}};

enum { TEXT, JSON, SARIF, EXPLAIN, FORMS };

struct job {
	unsigned passed, failed, violations;
	unsigned only; /* form to print, or FORMS to test all */
	const char *name;
	unsigned each; /* the first of every so many */
};

static bool wrong(const char *name, const char *form, const char *what)
{
	fprintf(stderr, "corpus: %s: %s: %s\n", name, form, what);
	return false;
}

/* ---- JSON and SARIF ---- */

static struct json_object *member(struct json_object *o, const char *name)
{
	struct json_object *m = NULL;
	return o && json_object_object_get_ex(o, name, &m) ? m : NULL;
}

static bool says(struct json_object *o, const char *name, const char *value)
{
	const char *is = json_object_get_string(member(o, name));
	return is && strcmp(is, value) == 0;
}

static bool json_holds(const char *name, const char *text, const struct report *r)
{
	const struct ward_verdict *v = r->verdict;
	struct json_object *o = json_tokener_parse(text), *list = member(o, "violations");
	bool ok = o && list && strchr(text, '\n') == text + strlen(text) - 1 &&
		  says(o, "verdict", v->accepted ? "accept" : "reject") && json_object_array_length(list) == r->shown &&
		  json_object_array_length(member(o, "entries")) == (v->accepted ? v->module.n_entries : 0);
	for (size_t i = 0; ok && i < r->shown; i++) {
		struct json_object *one = json_object_array_get_idx(list, i);
		ok = says(one, "rule", ward_rule_number(v->violations[i].rule)) &&
		     says(one, "reason", v->violations[i].reason) &&
		     json_object_get_uint64(member(one, "pc")) == v->violations[i].pc && member(one, "hint") &&
		     member(one, "detail");
	}
	json_object_put(o);
	return ok || wrong(name, "json", "not what the verdict says");
}

static bool sarif_says(const char *name, const char *text, const struct report *r)
{
	char why[200] = "no JSON";
	struct json_object *o = json_tokener_parse(text),
			   *run = o ? json_object_array_get_idx(member(o, "runs"), 0) : NULL,
			   *list = member(run, "results");
	bool ok = o && sarif_holds(o, why, sizeof why);
	if (ok && (!list || json_object_array_length(list) != r->shown)) {
		snprintf(why, sizeof why, "not as many results as violations");
		ok = false;
	}
	for (size_t i = 0; ok && i < r->shown; i++)
		ok = says(
			json_object_array_get_idx(list, i), "ruleId", ward_rule_number(r->verdict->violations[i].rule));
	json_object_put(o);
	return ok || wrong(name, "sarif", why);
}

/* ---- text ---- */

/* What no sentence for people holds: holes that were filled in blindly, and blanks at the end of a line. */
static bool readable(const char *name, const char *form, const char *text)
{
	static const char *const blind[] = {"(null)", " 1 bytes", "anything", "number number", "  \n", " \n", "\t",
		"[0, 18446744073709551615]", " 1 instructions"};
	for (size_t i = 0; i < sizeof blind / sizeof *blind; i++) {
		if (strstr(text, blind[i])) {
			fprintf(stderr, "corpus: %s: %s: `%s` in what people read\n", name, form, blind[i]);
			return false;
		}
	}
	return true;
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		n++;
	return n;
}

/* Each violation once, by rule and reason. */
static bool tells_all(const char *name, const char *form, const char *text, const struct report *r)
{
	for (size_t i = 0; i < r->shown; i++) {
		char *detail = report_detail(r, i);
		size_t same = 0;
		for (size_t k = 0; k < r->shown; k++) {
			char *other = report_detail(r, k);
			same += other && detail && strcmp(other, detail) == 0;
			free(other);
		}
		bool told = detail && count_of(text, detail) >= same;
		free(detail);
		if (!told)
			return wrong(name, form, "a violation is missing");
	}
	return true;
}

static bool explained(const char *name, const char *text, const struct report *r)
{
	if (count_of(text, "  ^^^^  ") != r->shown)
		return wrong(name, "explain", "violations missing, or told twice");
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		/* what can be broken is broken: only a single long item may go beyond */
		if (n > 200 && strncmp(line, "  ^^^^  ", 8) != 0 && strncmp(line, r->path, strlen(r->path)) != 0)
			return wrong(name, "explain", "a line that goes on and on");
		line += n + (line[n] != 0);
	}
	return true;
}

/* ---- one module ---- */

static char *form_of(const struct report *r, report_form *print, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	bool ok = out && print(out, r);
	if (out)
		fclose(out);
	if (!ok) {
		free(text);
		return NULL;
	}
	return text;
}

static bool report_holds(const char *name, const struct report *r)
{
	char *text[FORMS] = {NULL};
	size_t size[FORMS];
	bool ok = true;
	for (unsigned f = 0; f < FORMS; f++) {
		text[f] = form_of(r, forms[f].print, &size[f]);
		if (!text[f] || strlen(text[f]) != size[f])
			ok = wrong(name, forms[f].name, "can't be made");
	}
	ok = ok && json_holds(name, text[JSON], r) && sarif_says(name, text[SARIF], r) &&
	     readable(name, "text", text[TEXT]) && readable(name, "explain", text[EXPLAIN]) &&
	     tells_all(name, "text", text[TEXT], r) && explained(name, text[EXPLAIN], r);
	for (unsigned f = 0; f < FORMS; f++)
		free(text[f]);
	return ok;
}

static bool judge(struct job *j, const struct corpus_case *c, const struct ward_verdict *v)
{
	size_t shown = v->n_violations < WARD_MAX_VIOLATIONS ? v->n_violations : WARD_MAX_VIOLATIONS;
	struct ward_verify_options options;
	const char *allow[16];
	char words[CASE_TEXT];
	case_options(c, &options, allow, words);
	struct source_line *lines = report_lines(c->module.data, c->module.size, v, shown);
	struct report r = {.path = c->name,
		.file = c->module.data,
		.size = c->module.size,
		.verdict = v,
		.options = &options,
		.shown = shown,
		.lines = lines};
	bool ok = lines != NULL;
	if (ok && j->only < FORMS)
		ok = forms[j->only].print(stdout, &r);
	else if (ok)
		ok = report_holds(c->name, &r);
	j->violations += (unsigned)shown;
	report_lines_free(lines, shown);
	return ok;
}

static bool report_case(struct job *j, const char *path, const char *dir, bool hostile)
{
	struct corpus_case c;
	bool ok = case_read(path, hostile, &c) && case_build(path, dir, &c);
	struct ward_verdict *v = ok ? case_verify(&c, &c.module) : NULL;
	ok = v && judge(j, &c, v);
	ward_verdict_free(v);
	case_free(&c);
	return ok;
}

/* ---- all of them ---- */

static int is_case(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 2 && strcmp(d->d_name + n - 2, ".s") == 0;
}

static void report_folder(struct job *j, const char *corpus, const char *kind, const char *dir)
{
	struct dirent **list;
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", corpus, kind);
	int n = scandir(path, &list, is_case, alphasort);
	for (int i = 0; i < n; i++) {
		bool wanted =
			j->name ? strncmp(list[i]->d_name, j->name, strlen(j->name)) == 0 : (unsigned)i % j->each == 0;
		snprintf(path, sizeof path, "%s/%s/%s", corpus, kind, list[i]->d_name);
		if (wanted && report_case(j, path, dir, strcmp(kind, "hostile") == 0))
			j->passed++;
		else
			j->failed += wanted;
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	j->failed += n <= 0;
}

int main(int argc, char **argv)
{
	bool some = argc == 4 && strcmp(argv[2], "each") == 0;
	struct job j = {.only = FORMS, .name = argc == 5 ? argv[4] : NULL, .each = some ? (unsigned)atoi(argv[3]) : 1};
	for (unsigned f = 0; argc > 3 && f < FORMS; f++) {
		if (strcmp(argv[2], "print") == 0 && strcmp(argv[3], forms[f].name) == 0)
			j.only = f;
	}
	if ((argc != 2 && !some && (argc > 5 || j.only == FORMS)) || j.each == 0) {
		fprintf(stderr,
			"usage: ward-corpus-reports CORPUS-FOLDER [print text|json|sarif|explain [NAME] | each N]\n");
		return 2;
	}
	char dir[] = "/tmp/ward-reports-XXXXXX";
	if (!mkdtemp(dir)) {
		perror("corpus: mkdtemp");
		return 2;
	}
	report_folder(&j, argv[1], "hostile", dir);
	report_folder(&j, argv[1], "good", dir);
	rmdir(dir);
	if (j.only == FORMS)
		printf("reports: %u modules, %u violations, each in %d forms: %u passed, %u failed\n",
			j.passed + j.failed, j.violations, FORMS, j.passed, j.failed);
	return j.failed != 0;
}
