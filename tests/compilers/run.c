/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions in the style of ordinary code, compiled by compilers that know nothing of Ward with the flags of a
 * foreign build, then linked, judged, and run.
 *
 *	ward-compilers FOLDER SPEC [COMPILER [FUNCTION]]
 *
 * Prints a line for each compiler and level: functions accepted, accesses proven, loops bounded. None of these may be
 * less than FOLDER/floor says, and FOLDER/unproven must give the reason for each refusal. Every accepted function
 * runs on random inputs with canaries around all that it may touch, one instruction at a time: it must keep the
 * policy and its bound on instructions. A source that says "tight" in its first line has loops with constant counts;
 * its bound may be at most twice what the longest run took.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

/* clang-format off */
#define VECTOR_FLAGS "-g", "-ffreestanding", "-c"
#define C_FLAGS "-mgeneral-regs-only", VECTOR_FLAGS
#define RUST_VECTOR_FLAGS "--crate-type=staticlib", "--emit=obj", "-g", "-Cpanic=abort"
#define RUST_FLAGS "-Ctarget-feature=-sse,-sse2", RUST_VECTOR_FLAGS
static const struct compiler compilers[] = {
	{"gcc-12 -O2", "c", ".c", {"gcc-12", "-O2", C_FLAGS}},
	{"gcc-12 -Os", "c", ".c", {"gcc-12", "-Os", C_FLAGS}},
	{"gcc-12 -O2+sse", "c", ".c", {"gcc-12", "-O2", VECTOR_FLAGS}},
	{"clang-14 -O2", "c", ".c", {"clang-14", "-O2", C_FLAGS}},
	{"clang-14 -Os", "c", ".c", {"clang-14", "-Os", C_FLAGS}},
	{"clang-14 -O2+sse", "c", ".c", {"clang-14", "-O2", VECTOR_FLAGS}},
	{"clang-19 -O2", "c", ".c", {"clang-19", "-O2", C_FLAGS}},
	{"clang-19 -Os", "c", ".c", {"clang-19", "-Os", C_FLAGS}},
	{"clang-19 -O2+sse", "c", ".c", {"clang-19", "-O2", VECTOR_FLAGS}},
	{"rustc -O2", "rust", ".rs", {"/usr/bin/rustc", "-Copt-level=2", RUST_FLAGS}},
	{"rustc -Os", "rust", ".rs", {"/usr/bin/rustc", "-Copt-level=s", RUST_FLAGS}},
	{"rustc -O2+sse", "rust", ".rs", {"/usr/bin/rustc", "-Copt-level=2", RUST_VECTOR_FLAGS}},
};
/* clang-format on */

struct totals {
	unsigned functions, accepted, accesses, bad_accesses, loops, bad_loops;
	unsigned failed; /* functions that broke what their verdict says, or a bound that isn't tight */
	unsigned tight;
	double ratio; /* the greatest of the tight ones */
	char worst[100];
};

static bool says_tight(const char *path)
{
	char line[200] = "";
	FILE *f = fopen(path, "r");

	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = 0;
		fclose(f);
	}
	return strncmp(line + 3, "tight: ", 7) == 0;
}

static void judge_bound(
	struct totals *t, const struct compiler *c, const char *name, const struct outcome *o, bool tight)
{
	double ratio = o->worst ? (double)o->bound / (double)o->worst : 0;

	if (!tight)
		return;
	t->tight++;
	if (ratio > t->ratio) {
		t->ratio = ratio;
		snprintf(t->worst, sizeof(t->worst), "%s", name);
	}
	printf("    tight: %-20s bound %lu, run %lu: %.2f\n", name, (unsigned long)o->bound, (unsigned long)o->worst,
		ratio);
	if (o->worst == 0 || ratio > 2) {
		t->failed++;
		fprintf(stderr,
			"compilers: %s: %s: the bound is %lu instructions, the longest run took %lu: not tight\n",
			c->name, name, (unsigned long)o->bound, (unsigned long)o->worst);
	}
}

/* Why a function may be refused: the rest of its line in FOLDER/unproven. False: it may not. */
static bool may_fail(const char *folder, const char *name, char *why, size_t size)
{
	char path[4100], line[300];
	size_t n = strlen(name);
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/unproven", folder);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f)) {
		found = strncmp(line, name, n) == 0 && line[n] == ' ';
		line[strcspn(line, "\n")] = 0;
		if (found)
			snprintf(why, size, "%s", line + n + 1);
	}
	if (f)
		fclose(f);
	return found;
}

static void judge_failure(
	struct totals *t, const struct compiler *c, const char *folder, const char *name, const struct outcome *o)
{
	char why[300];

	if (may_fail(folder, name, why, sizeof(why))) {
		printf("    not proven: %s: %s\n", name, why);
		return;
	}
	t->failed++;
	fprintf(stderr, "compilers: %s: %s: %s\nhint: if it can't be proven, say why in %s/unproven\n", c->name, name,
		o->reason, folder);
}

static void one_function(struct totals *t, const struct compiler *c, const char *const include[2], const char *path,
	const char *name, bool verbose)
{
	struct outcome o = {0};
	struct ward_buf module = {0};
	enum built built = corpus_build(c, include, path, &module, o.reason);

	t->functions++;
	if (built == NOT_COMPILED) {
		t->failed++;
		fprintf(stderr, "compilers: %s: %s: %s\nhint: tools/deps.sh installs the compilers\n", c->name, name,
			o.reason);
	}
	if (built == BUILT && !corpus_judge(&module, &o)) {
		t->failed++;
		fprintf(stderr, "compilers: out of memory\n");
	}
	if (o.accepted && corpus_run(&module, &o)) {
		judge_bound(t, c, name, &o, says_tight(path));
	} else if (o.accepted) {
		t->failed++;
		fprintf(stderr, "compilers: %s: %s: a run broke what the verdict says, see above\n", c->name, name);
	}
	if (!o.accepted && built != NOT_COMPILED)
		judge_failure(t, c, include[0], name, &o);
	t->accepted += o.accepted;
	t->accesses += o.accesses;
	t->bad_accesses += o.bad_accesses;
	t->loops += o.loops;
	t->bad_loops += o.bad_loops;
	if (verbose)
		printf("    %-20s accesses %u/%u  loops %u/%u  bound %lu  run %lu  %s\n", name,
			o.accesses - o.bad_accesses, o.accesses, o.loops - o.bad_loops, o.loops, (unsigned long)o.bound,
			(unsigned long)o.worst, o.accepted ? "" : o.reason);
	free(module.data);
}

static bool each_function(
	struct totals *t, const struct compiler *c, const char *folder, const char *spec, const char *only)
{
	char dir[4000], path[4400], name[100];
	const char *const include[2] = {folder, spec};
	struct dirent **list;
	int n;

	snprintf(dir, sizeof(dir), "%s/%s", folder, c->folder);
	n = scandir(dir, &list, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		const char *file = list[i]->d_name, *dot = strrchr(file, '.');

		if (file[0] != '.' && (!dot || strcmp(dot, c->suffix) != 0)) {
			fprintf(stderr, "compilers: %s/%s is no test\n", dir, file);
			t->failed++;
		} else if (file[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir, file);
			snprintf(name, sizeof(name), "%.*s", (int)(dot - file), file);
			if (!only || !only[0] || strcmp(only, name) == 0)
				one_function(t, c, include, path, name, only != NULL);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return n > 2;
}

static double percent(unsigned good, unsigned all)
{
	return all ? 100.0 * good / all : 100;
}

/* A line of the floor: COMPILER LEVEL ACCEPTED ACCESSES% LOOPS%. */
static bool above_floor(const char *folder, const struct compiler *c, const struct totals *t)
{
	char path[4100], line[200], name[40], level[10];
	unsigned accepted;
	double accesses, loops;
	bool found = false, ok = true;
	FILE *f;

	snprintf(path, sizeof(path), "%s/floor", folder);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		size_t n;

		if (sscanf(line, "%39s %9s %u %lf %lf", name, level, &accepted, &accesses, &loops) != 5)
			continue;
		n = strlen(name);
		if (strncmp(c->name, name, n) != 0 || c->name[n] != ' ' || strcmp(c->name + n + 1, level) != 0)
			continue;
		found = true;
		ok = t->accepted >= accepted &&
		     percent(t->accesses - t->bad_accesses, t->accesses) >= accesses - 0.05 &&
		     percent(t->loops - t->bad_loops, t->loops) >= loops - 0.05;
		if (!ok)
			fprintf(stderr,
				"compilers: %s: less than the floor: %u accepted, %.1f %% of accesses, %.1f %% of "
				"loops\n",
				c->name, accepted, accesses, loops);
	}
	if (f)
		fclose(f);
	if (!found)
		fprintf(stderr, "compilers: %s: no line in %s\n", c->name, path);
	return found && ok;
}

static bool run_compiler(const struct compiler *c, const char *folder, const char *spec, const char *only)
{
	struct totals t = {0};
	bool ok = each_function(&t, c, folder, spec, only);

	printf("%-16s %8u / %-3u %9.1f %% %8.1f %%   %4u %6.2f  %s\n", c->name, t.accepted, t.functions,
		percent(t.accesses - t.bad_accesses, t.accesses), percent(t.loops - t.bad_loops, t.loops), t.tight,
		t.ratio, t.worst);
	fflush(stdout);
	return ok && t.failed == 0 && (only || above_floor(folder, c, &t));
}

int main(int argc, char **argv)
{
	const char *which = argc > 3 ? argv[3] : "", *only = argc > 4 ? argv[4] : NULL;
	unsigned passed = 0, failed = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: ward-compilers FOLDER SPEC [COMPILER [FUNCTION]]\n");
		return 2;
	}
	printf("compiler         functions accepted  accesses     loops  tight  bound / run\n");
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		if (strncmp(compilers[i].name, which, strlen(which)) != 0)
			continue;
		if (run_compiler(&compilers[i], argv[1], argv[2], only))
			passed++;
		else
			failed++;
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
