/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "case.h"

#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prooftext.h"

extern char **environ;

/* ---- The header ---- */

static bool take_text(const char *line, const char *key, char *out, size_t size)
{
	size_t n = strlen(key);
	if (strncmp(line, key, n) != 0)
		return false;
	snprintf(out, size, "%s", line + n);
	out[strcspn(out, "\n")] = 0;
	return true;
}

static bool take_number(const char *line, const char *key, unsigned long *out)
{
	char text[64], *end;
	if (!take_text(line, key, text, sizeof(text)))
		return false;
	*out = strtoul(text, &end, 0);
	return !*end;
}

static bool take_expectation(const char *line, struct corpus_case *c)
{
	if (strncmp(line, "# expect: ", 10) != 0 || c->n_expect == CASE_MAX_EXPECT)
		return false;
	struct expectation *e = &c->expect[c->n_expect++];
	e->times = 1;
	return sscanf(line + 10, "%7s %63s %63s %u", e->rule, e->reason, e->label, &e->times) >= 3 && e->times;
}

static bool take_exit(const char *line, struct corpus_case *c)
{
	if (strncmp(line, "# exit: ", 8) != 0 || c->n_exits == CASE_MAX_EXPECT)
		return false;
	struct corpus_exit *e = &c->exit[c->n_exits++];
	return sscanf(line + 8, "%7s %63s %u", e->kind, e->label, &e->room) == 3;
}

static bool take_proof(const char *line, struct corpus_case *c)
{
	if (strncmp(line, "# proof: ", 9) != 0)
		return false;
	char *joined = NULL;
	if (asprintf(&joined, "%s %s", c->proof ? c->proof : "", line + 9) < 0)
		return false;
	free(c->proof);
	c->proof = joined;
	return true;
}

static bool take_line(const char *line, struct corpus_case *c)
{
	if (!strncmp(line, "# profile: kernel", 17)) {
		c->kernel = true;
		return true;
	}
	return take_text(line, "# attack: ", c->attack, sizeof(c->attack)) ||
	       take_text(line, "# property: ", c->property, sizeof(c->property)) ||
	       take_text(line, "# shows: ", c->shows, sizeof(c->shows)) ||
	       take_text(line, "# rules: ", c->rules, sizeof(c->rules)) ||
	       take_text(line, "# allow: ", c->allow, sizeof(c->allow)) ||
	       take_text(line, "# needs: ", c->needs, sizeof(c->needs)) ||
	       take_text(line, "# class: ", c->classes, sizeof(c->classes)) ||
	       take_text(line, "# says: ", c->says, sizeof(c->says)) ||
	       take_text(line, "# ends: ", c->ends, sizeof(c->ends)) || take_number(line, "# state: ", &c->state) ||
	       take_number(line, "# max-insns: ", &c->max_insns) || take_number(line, "# max-stack: ", &c->max_stack) ||
	       take_expectation(line, c) || take_exit(line, c) || take_proof(line, c);
}

/* P1 … P10 */
static bool property_exists(const char *name)
{
	for (int r = 0; r < WARD_RULE_COUNT; r++)
		if (!strcmp(ward_rule_property((enum ward_rule)r), name))
			return true;
	return false;
}

bool case_read(const char *path, bool hostile, struct corpus_case *c)
{
	*c = (struct corpus_case){.state = 4096};
	const char *slash = strrchr(path, '/');
	snprintf(c->name, sizeof(c->name), "%s", slash ? slash + 1 : path);
	FILE *f = fopen(path, "r");
	if (!f) {
		fprintf(stderr, "corpus: %s: can't be opened\n", path);
		return false;
	}
	char line[1024];
	bool ok = true;
	while (ok && fgets(line, sizeof(line), f) && line[0] == '#') {
		ok = take_line(line, c);
		if (!ok)
			fprintf(stderr, "corpus: %s: a line without meaning: %s", path, line);
	}
	fclose(f);
	bool complete = hostile ? c->attack[0] && property_exists(c->property) && c->n_expect
				: c->shows[0] && c->rules[0] && !c->n_expect;
	if (ok && !complete)
		fprintf(stderr, "corpus: %s: a line is missing: %s\n", path,
			hostile ? "attack, property, expect" : "shows, rules");
	return ok && complete;
}

/* ---- Building ---- */

static bool assemble(const char *path, const char *object)
{
	char *const argv[] = {"clang-19", "-c", "-o", (char *)object, (char *)path, NULL};
	pid_t pid;
	int status;
	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) || waitpid(pid, &status, 0) < 0)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void diagnose(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

bool case_build(const char *path, const char *dir, struct corpus_case *c)
{
	char object[4096];
	snprintf(object, sizeof(object), "%s/%s.o", dir, c->name);
	bool ok = assemble(path, object) && read_whole(object, &c->object);
	unlink(object);
	if (!ok) {
		fprintf(stderr, "corpus: %s: can't be assembled\n", c->name);
		return false;
	}
	struct ward_link_options options = {
		.name = c->name, .kernel = c->kernel, .state_size = (int64_t)c->state, .diag = diagnose};
	if (ward_link(c->object.data, c->object.size, &options, &c->module)) {
		fprintf(stderr, "corpus: %s: can't be linked\n", c->name);
		return false;
	}
	return !c->proof || proof_assemble(c, c->proof, &c->module);
}

/* ---- Labels ---- */

/* A label's offset in the object's section .text. */
static bool label_offset(const struct corpus_case *c, const char *label, uint64_t *offset)
{
	bool found = false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_memory((char *)c->object.data, c->object.size);
	for (Elf_Scn *s = NULL; elf && (s = elf_nextscn(elf, s));) {
		GElf_Shdr header;
		Elf_Data *data = elf_getdata(s, NULL);
		if (!gelf_getshdr(s, &header) || header.sh_type != SHT_SYMTAB || !data)
			continue;
		GElf_Sym sym;
		for (int i = 0; gelf_getsym(data, i, &sym); i++) {
			const char *name = elf_strptr(elf, header.sh_link, sym.st_name);
			if (name && !strcmp(name, label)) {
				*offset = sym.st_value;
				found = true;
			}
		}
	}
	elf_end(elf);
	return found;
}

/* The module's first entry is the probe; its label in the object gives the distance of all others. */
bool case_address(const struct corpus_case *c, const char *label, uint64_t *address)
{
	char name[64];
	uint64_t probe, at;
	snprintf(name, sizeof(name), "%s", label);
	char *plus = strchr(name, '+');
	if (plus)
		*plus = 0;
	struct part note = part_note(&c->module);
	uint64_t entry = get_le(&c->module, note.offset + 32, 8);
	if (!label_offset(c, "probe", &probe) || !label_offset(c, name, &at))
		return false;
	*address = entry - probe + at + (plus ? strtoull(plus + 1, NULL, 0) : 0);
	return true;
}

void case_options(const struct corpus_case *c, struct ward_verify_options *options, const char *allow[CASE_MAX_ALLOW],
	char words[CASE_TEXT])
{
	char *save = NULL;
	*options = (struct ward_verify_options){.size = sizeof(*options),
		.max_insns = c->max_insns,
		.max_stack = (uint32_t)c->max_stack,
		.allow = allow,
		.explain = 1};
	snprintf(words, CASE_TEXT, "%s", c->allow);
	for (char *w = strtok_r(words, " ", &save); w && options->n_allow < CASE_MAX_ALLOW;
		w = strtok_r(NULL, " ", &save))
		allow[options->n_allow++] = w;
}

struct ward_verdict *case_verify(const struct corpus_case *c, const struct ward_buf *module)
{
	char words[CASE_TEXT];
	const char *allow[CASE_MAX_ALLOW];
	struct ward_verify_options options;
	case_options(c, &options, allow, words);
	return ward_verify(module->data, module->size, &options);
}

/* ---- Judging ---- */

static void print_violations(const struct ward_verdict *v)
{
	for (size_t i = 0; i < v->n_violations && i < WARD_MAX_VIOLATIONS; i++)
		fprintf(stderr, "    %s %s at 0x%" PRIx64 ": %s\n", ward_rule_number(v->violations[i].rule),
			v->violations[i].reason, v->violations[i].pc, v->violations[i].detail);
}

static bool same_reason(const struct ward_violation *v, const struct expectation *e)
{
	return !strcmp(ward_rule_number(v->rule), e->rule) && !strcmp(v->reason, e->reason);
}

/* The violation at the label, and those after it that the verdict has kept. */
static bool expected(
	const struct corpus_case *c, const struct ward_verdict *verdict, size_t at, const struct expectation *e)
{
	const struct ward_violation *v = &verdict->violations[at];
	uint64_t pc = 0;
	if (strcmp(e->label, "-") != 0 && !case_address(c, e->label, &pc)) {
		fprintf(stderr, "corpus: %s: no label `%s`\n", c->name, e->label);
		return false;
	}
	bool right = same_reason(v, e) && v->pc == pc;
	for (size_t i = at + 1; i < at + e->times && i < WARD_MAX_VIOLATIONS; i++)
		right = right && same_reason(&verdict->violations[i], e);
	if (!right)
		fprintf(stderr, "corpus: %s: expected %s %s at 0x%" PRIx64 " (%s)\n", c->name, e->rule, e->reason, pc,
			e->label);
	return right;
}

static bool says_as_expected(const struct corpus_case *c, const char *detail)
{
	size_t n = strlen(detail), ends = strlen(c->ends);
	return strstr(detail, c->says) && n >= ends && !strcmp(detail + n - ends, c->ends);
}

/* Rejected with exactly the violations that the file lists. */
static bool refused_as_expected(const struct corpus_case *c, const struct ward_verdict *v)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n_expect; i++)
		n += c->expect[i].times;
	bool right = !v->accepted && v->n_violations == n;
	if (!right)
		fprintf(stderr, "corpus: %s: expected %zu violations, got %zu\n", c->name, n, v->n_violations);
	n = 0;
	for (size_t i = 0; right && i < c->n_expect && n < WARD_MAX_VIOLATIONS; i++) {
		right = expected(c, v, n, &c->expect[i]);
		n += c->expect[i].times;
	}
	if (right && !says_as_expected(c, v->violations[0].detail)) {
		fprintf(stderr, "corpus: %s: expected the detail to say `%s%s`\n", c->name, c->says, c->ends);
		right = false;
	}
	if (!right)
		print_violations(v);
	return right;
}

/* The facts name those that the file lists, and no others; in the user profile none. */
static bool exits_as_expected(const struct corpus_case *c, const struct ward_module_facts *f)
{
	static const char *const kinds[] = {
		[WARD_EXIT_RETURN] = "return", [WARD_EXIT_CALL] = "call", [WARD_EXIT_JUMP] = "jump"};
	bool right = f->n_exits == c->n_exits;
	for (size_t i = 0; right && i < c->n_exits; i++) {
		uint64_t pc;
		right = case_address(c, c->exit[i].label, &pc) && f->exits[i].addr == pc &&
			!strcmp(kinds[f->exits[i].kind], c->exit[i].kind) && f->exits[i].room == c->exit[i].room;
	}
	if (!right)
		fprintf(stderr, "corpus: %s: expected other exits than\n", c->name);
	for (size_t i = 0; !right && i < f->n_exits; i++)
		fprintf(stderr, "    %s 0x%" PRIx64 " %u\n", kinds[f->exits[i].kind], f->exits[i].addr,
			f->exits[i].room);
	return right;
}

/* The first entry needs what the file lists, and no more; if it lists nothing, anything is right. */
static bool needs_as_expected(const struct corpus_case *c, const struct ward_module_facts *f)
{
	char has[CASE_TEXT] = "";
	for (uint32_t need = 1; need & WARD_ALL_NEEDS; need <<= 1) {
		size_t n = strlen(has);
		if (f->entries[0].needs & need)
			snprintf(has + n, sizeof(has) - n, "%s%s", n ? " " : "", ward_need_name(need));
	}
	if (!*c->needs || !strcmp(*has ? has : "nothing", c->needs))
		return true;
	fprintf(stderr, "corpus: %s: expected to need %s, needs %s\n", c->name, c->needs, *has ? has : "nothing");
	return false;
}

bool case_holds(const struct corpus_case *c, const struct ward_verdict *v)
{
	if (c->n_expect)
		return refused_as_expected(c, v);
	if (v->accepted && v->n_violations == 0)
		return exits_as_expected(c, &v->module) && needs_as_expected(c, &v->module);
	fprintf(stderr, "corpus: %s: expected to be accepted\n", c->name);
	print_violations(v);
	return false;
}

void case_free(struct corpus_case *c)
{
	free(c->proof);
	free(c->object.data);
	free(c->module.data);
}
