/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-targets SEED N [FIRST]: random programs that use threads, stacks, signals and processes as real programs do.
 * They count how often their functions are called, with which arguments and results; probes count the same. Every
 * difference is a fault, unless it is counted as dropped.
 *
 * A failing program is kept, and the command that runs it again is printed. `--smaller` removes one feature after
 * another as long as the program still fails.
 */
#include "run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static int usage(FILE *to)
{
	fputs("usage: ward-targets [OPTION]... [SEED [N [FIRST]]], as ward-targets 7 200\n"
	      "  --with FEATURE      with that as well; `all` are all of them\n"
	      "  --without FEATURE\n"
	      "  --only FEATURE      with nothing else that isn't named so, too\n"
	      "  --must FEATURE      each program has that\n"
	      "  --smaller           leave out features of a program that fails, while it still fails\n"
	      "  --print             the program alone\n"
	      "  --keep              keep all programs\n"
	      "  --times T           run each so often\n"
	      "  --list              the features\n",
		to);
	return to == stdout ? 0 : 2;
}

struct options {
	feature_set allowed, must;
	bool only, smaller, print, keep, list;
	unsigned times;
	uint64_t numbers[3];
};

static bool choose(struct options *o, const char *how, const char *name)
{
	unsigned i = name ? find_feature(name) : n_features;
	feature_set set = i < n_features ? one_feature(i) : 0;

	if (name && strcmp(name, "all") == 0)
		set = one_feature(n_features) - 1;
	else if (!set)
		return false;
	if (strcmp(how, "--must") == 0)
		o->must |= set;
	if (strcmp(how, "--only") == 0 && !o->only) {
		o->only = true;
		o->allowed = 0;
	}
	o->allowed = strcmp(how, "--without") == 0 ? o->allowed & ~set : o->allowed | set;
	return true;
}

static bool read_options(struct options *o, int argc, char **argv)
{
	int n = 0;

	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (strcmp(a, "--with") == 0 || strcmp(a, "--without") == 0 || strcmp(a, "--only") == 0 ||
			strcmp(a, "--must") == 0) {
			if (!choose(o, a, argv[++i]))
				return false;
		} else if (strcmp(a, "--times") == 0 && argv[i + 1]) {
			o->times = (unsigned)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(a, "--smaller") == 0) {
			o->smaller = true;
		} else if (strcmp(a, "--print") == 0) {
			o->print = true;
		} else if (strcmp(a, "--keep") == 0) {
			o->keep = true;
		} else if (strcmp(a, "--list") == 0) {
			o->list = true;
		} else if (n < 3 && a[0] && !a[strspn(a, "0123456789")]) {
			o->numbers[n++] = strtoull(a, NULL, 10);
		} else {
			return false;
		}
	}
	return true;
}

static void list_features(feature_set on)
{
	for (unsigned i = 0; i < n_features; i++)
		printf("%-12s %-3s  %s\n", features[i].name, on >> i & 1 ? "on" : "", features[i].says);
}

static void remove_program(const char *directory)
{
	static const char *const files[] = {"prog", "prog.c", "compiler", "alone.log", "trace.log", "trace.json",
		"first.log", "second.log", "storm.log", "phases.log", "detach.log"};
	char path[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		unlink(path);
	}
	rmdir(directory);
}

static bool try_program(const struct paths *paths, const struct program *p, unsigned times, struct figures *figures)
{
	bool ok = build_program(paths, p);

	for (unsigned i = 0; ok && i < times; i++)
		ok = run_program(paths, p, figures);
	return ok;
}

static void print_again(const struct options *o, const struct program *p)
{
	fprintf(stderr, "again: ward-targets --keep");
	for (unsigned i = 0; i < n_features; i++)
		if (p->features >> i & 1)
			fprintf(stderr, " --%s %s", o->must >> i & 1 ? "must" : "only", features[i].name);
	if (!p->features)
		fprintf(stderr, " --without all");
	fprintf(stderr, " %llu 1 %u\n", (unsigned long long)p->seed, p->number);
}

static void make_smaller(const struct paths *paths, const struct options *o, struct program *p)
{
	struct figures ignored = {0};

	for (unsigned i = 0; i < n_features; i++) {
		struct program less = *p;

		if (!(p->features >> i & 1))
			continue;
		less.features &= ~one_feature(i);
		fprintf(stderr, "without %s:\n", features[i].name);
		if (!try_program(paths, &less, 3, &ignored))
			*p = less;
	}
	fprintf(stderr, "smaller ");
	print_again(o, p);
	build_program(paths, p);
}

static bool one_program(
	struct paths *paths, const struct options *o, const char *base, unsigned number, struct figures *figures)
{
	struct program p = draw_program(o->numbers[0], number, o->allowed, o->must);
	bool ok;

	if (o->print) {
		write_program(stdout, &p);
		return true;
	}
	snprintf(paths->directory, sizeof(paths->directory), "%s/%u", base, number);
	if (mkdir(paths->directory, 0700) != 0) {
		perror(paths->directory);
		return false;
	}
	ok = try_program(paths, &p, o->times, figures);
	if (!ok) {
		print_again(o, &p);
		if (o->smaller)
			make_smaller(paths, o, &p);
	}
	if (ok && !o->keep)
		remove_program(paths->directory);
	return ok;
}

int main(int argc, char **argv)
{
	struct options o = {.times = 1, .numbers = {1, 20, 0}};
	struct paths paths = {.ward = WARD, .sources = SOURCES, .modules = MODULES};
	struct figures figures = {0};
	char base[64];
	unsigned bad = 0;

	for (unsigned i = 0; i < n_features; i++)
		o.allowed |= features[i].on ? one_feature(i) : 0;
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	if (!read_options(&o, argc, argv))
		return usage(stderr);
	if (o.list) {
		list_features(o.allowed);
		return 0;
	}
	snprintf(base, sizeof(base), "%.30s/ward-targets-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!o.print && !mkdtemp(base)) {
		perror("ward-targets");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (unsigned i = 0; i < o.numbers[1]; i++)
		bad += !one_program(&paths, &o, base, (unsigned)(o.numbers[2] + i), &figures);
	if (o.print)
		return 0;
	if (bad || o.keep)
		fprintf(stderr, "programs are kept in %s\n", base);
	else
		rmdir(base);
	printf("targets: seed %llu: %llu programs, %llu traces, %llu sites (%llu more can't be probed), %llu events, "
	       "%llu dropped, "
	       "memory kept %llu times, %u failed\n",
		(unsigned long long)o.numbers[0], (unsigned long long)figures.programs,
		(unsigned long long)figures.traces, (unsigned long long)figures.sites,
		(unsigned long long)figures.skipped, (unsigned long long)figures.events,
		(unsigned long long)figures.dropped, (unsigned long long)figures.kept, bad);
	return bad != 0;
}
