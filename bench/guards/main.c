/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What confinement costs: one table, one run.
 *
 * In each measurement a version of a kernel is called as often as the native one needs for about a millisecond. The
 * versions are measured in turn, REPETITIONS times, each at each position in the order. Ratios are of medians of CPU
 * time. After each repetition the results of all versions must be equal. The first result must be the kernel's
 * expected one, which for hashes is what other programs compute for the same input.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guards.h"

enum { REPETITIONS = 101, MOST_KERNELS = 64, NANOSECONDS = 1000000, LENGTH = 1 << 30 };

/* These have no excuse for a guard. */
static const char *const guardless[] = {"md5", "sha256", "xxhash", "crc32", "adpcm_decode", "adpcm_encode", "histogram",
	"inflate", "regex", "interpreter"};

/* XFI's own figures, fast path, of the three classical ones. */
static const struct xfi {
	const char *kernel, *writes, *all, *size;
} xfi[] = {{"hotlist", "1.04", "1.94", "2.5 (4.1)"}, {"lld", "1.27", "1.60", "1.5 (1.8)"},
	{"md5", "1.03", "1.07", "1.2 (1.3)"}};

/*
 * The second set: kernels as users write them, of kinds that the first lacks. They have means of their own, so that a
 * kernel that joins never changes what the mean of the first set says.
 */
static const char *const second_set[] = {
	"aes_cbc", "copies", "curve25519", "field", "lz_codec", "scan_words", "stack_machine", "strings"};

static const char *const names[VERSIONS] = {"native", "Ward", "always", "wasm2c", "plain -O2"};

struct row {
	double ns[VERSIONS];
	double ratio[VERSIONS], size[VERSIONS];
	double with_constants; /* Ward's */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static double call(const struct built *b, unsigned times)
{
	uint64_t before = now();

	if (b->run_wasm)
		for (unsigned i = 0; i < times; i++)
			b->run_wasm(b->instance, b->wasm_event, b->wasm_state);
	else
		for (unsigned i = 0; i < times; i++)
			b->run(b->event, b->state);
	return (double)(now() - before) / times;
}

static uint64_t result(const struct built *b)
{
	uint64_t r;

	memcpy(&r, b->state, sizeof(r));
	return r;
}

static void set_length(struct built *b, uint64_t length)
{
	memcpy(b->event, &length, sizeof(length));
}

static bool same(const struct kernel *k)
{
	for (unsigned v = 1; v < VERSIONS; v++)
		if (result(&k->version[v]) != result(&k->version[NATIVE])) {
			fprintf(stderr, "ward: %s: %s gives %#llx, native %#llx\n", k->name, names[v],
				(unsigned long long)result(&k->version[v]),
				(unsigned long long)result(&k->version[NATIVE]));
			return false;
		}
	return true;
}

static bool first_runs(struct kernel *k)
{
	for (unsigned v = 0; v < VERSIONS; v++) {
		set_length(&k->version[v], LENGTH);
		call(&k->version[v], 1);
	}
	if (result(&k->version[NATIVE]) != k->expected) {
		fprintf(stderr, "ward: %s: the result is %#llx, expected %#llx\n", k->name,
			(unsigned long long)result(&k->version[NATIVE]), (unsigned long long)k->expected);
		return false;
	}
	return same(k);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool measure(struct kernel *k, struct row *row)
{
	static double ns[VERSIONS][REPETITIONS];
	struct size native = k->version[NATIVE].size, ward = k->version[WARD].size;
	unsigned times = 1;

	while (call(&k->version[NATIVE], times) * times < NANOSECONDS)
		times *= 2;
	/* that was only to know how often; now all have run equally often */
	for (unsigned v = 1; v < VERSIONS; v++)
		call(&k->version[v], 2 * times - 1);
	for (unsigned i = 0; i < REPETITIONS; i++) {
		for (unsigned v = 0; v < VERSIONS; v++)
			ns[(i + v) % VERSIONS][i] = call(&k->version[(i + v) % VERSIONS], times);
		if (!same(k))
			return false;
	}
	for (unsigned v = 0; v < VERSIONS; v++) {
		qsort(ns[v], REPETITIONS, sizeof(ns[v][0]), ascending);
		row->ns[v] = ns[v][REPETITIONS / 2];
		row->ratio[v] = row->ns[v] / row->ns[NATIVE];
		row->size[v] = (double)k->version[v].size.code / (double)native.code;
	}
	row->with_constants = (double)(ward.code + ward.constants) / (double)(native.code + native.constants);
	return true;
}

static void print_head(void)
{
	printf("Kernels confined, against the same C compiled natively by clang-19 -O2 with the same flags (no vector "
	       "registers, overflow and aliasing defined, every optimisation on):\n"
	       "ratios of medians of CPU time, %d repetitions, versions interleaved; then of bytes of code. Ward "
	       "confines reads and writes. always: ward cc --guards=always.\n"
	       "wasm2c: clang-19 -O2 for wasm32, its C by clang-19 -O2, memory checked by guard pages. plain: clang-19 "
	       "-O2 with vector instructions.\n"
	       "Guards: accesses, loops and divisions that have a check of their own, of all. At most: instructions of "
	       "a run, as the verifier has proven; that is the limit that the module is held to.\n"
	       "Code: the bytes that the functions' symbols cover, so instructions, padding between them, and whatever "
	       "a guard leads to; what isn't inlined counts, too, and neither\n"
	       "Ward's code nor the native one calls or links anything outside. Of wasm2c's only the kernel's "
	       "functions count, not its runtime. Constants: read-only data (tables of switches, and\n"
	       "the kernel's own); all is code and constants of Ward together.\n\n",
		REPETITIONS);
	printf("%-14s %10s %7s %7s %7s %7s %9s %13s %9s %6s %6s %6s %11s %6s\n", "", "native,", "", "", "", "", "", "",
		"code,", "", "", "", "constants:", "");
	printf("%-14s %10s %7s %7s %7s %7s %9s %13s %9s %6s %6s %6s %11s %6s\n", "kernel", "us a run", "Ward", "always",
		"wasm2c", "plain", "guards", "at most", "bytes", "Ward", "always", "wasm2c", "native/Ward", "all");
}

static void print_row(const struct kernel *k, const struct row *r)
{
	const struct built *ward = &k->version[WARD];
	const struct size *native = &k->version[NATIVE].size;
	char guards[32], constants[32];

	snprintf(constants, sizeof(constants), "%zu/%zu", native->constants, ward->size.constants);
	snprintf(guards, sizeof(guards), "%u/%u", ward->guarded, ward->guarded + ward->proven);
	printf("%-14s %10.1f %7.2f %7.2f %7.2f %7.2f %9s %13" PRIu64 " %9zu %6.2f %6.2f %6.2f %11s %6.2f\n", k->name,
		r->ns[NATIVE] / 1000, r->ratio[WARD], r->ratio[ALWAYS], r->ratio[WASM], r->ratio[PLAIN], guards,
		ward->most_insns, native->code, r->size[WARD], r->size[ALWAYS], r->size[WASM], constants,
		r->with_constants);
	fflush(stdout);
}

static double geomean(const struct row *rows, unsigned n, size_t column)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += log(*(const double *)((const char *)&rows[i] + column));
	return exp(sum / n);
}

static bool is_second(const struct kernel *k)
{
	for (unsigned i = 0; i < sizeof(second_set) / sizeof(second_set[0]); i++)
		if (!strcmp(k->name, second_set[i]))
			return true;
	return false;
}

static void print_mean(const struct row *rows, unsigned n)
{
#define MEAN(column) geomean(rows, n, offsetof(struct row, column))
	printf("%-14s %10s %7.2f %7.2f %7.2f %7.2f %9s %13s %9s %6.2f %6.2f %6.2f %11s %6.2f\n\n", "geometric mean", "",
		MEAN(ratio[WARD]), MEAN(ratio[ALWAYS]), MEAN(ratio[WASM]), MEAN(ratio[PLAIN]), "", "", "",
		MEAN(size[WARD]), MEAN(size[ALWAYS]), MEAN(size[WASM]), "", MEAN(with_constants));
#undef MEAN
}

static void print_xfi(const struct kernel *kernels, const struct row *rows, unsigned n)
{
	printf("The classical three beside XFI's figures of 2006 (fast path; in brackets: code size with reads "
	       "confined):\n"
	       "%-14s %14s %16s %20s %10s %12s\n",
		"kernel", "XFI, writes", "reads + writes", "code", "Ward", "Ward's code");
	for (unsigned x = 0; x < sizeof(xfi) / sizeof(xfi[0]); x++)
		for (unsigned i = 0; i < n; i++)
			if (!strcmp(kernels[i].name, xfi[x].kernel))
				printf("%-14s %14s %16s %20s %10.2f %12.2f\n", xfi[x].kernel, xfi[x].writes, xfi[x].all,
					xfi[x].size, rows[i].ratio[WARD], rows[i].size[WARD]);
}

static bool check_guards(const struct kernel *k)
{
	for (unsigned i = 0; i < sizeof(guardless) / sizeof(guardless[0]); i++)
		if (!strcmp(k->name, guardless[i]) && (k->version[WARD].guarded || !k->version[WARD].proven)) {
			fprintf(stderr, "ward: %s: %u guards, and should have none\n", k->name,
				k->version[WARD].guarded);
			return false;
		}
	return true;
}

static bool open_all(const struct places *p, struct kernel *kernels, unsigned n, bool check)
{
	for (unsigned i = 0; i < n; i++) {
		if (!open_kernel(p, &kernels[i]) || !first_runs(&kernels[i])) {
			fprintf(stderr, "ward: %s: failed\n", kernels[i].name);
			return false;
		}
		if (check && !check_guards(&kernels[i]))
			return false;
	}
	return true;
}

/* Measure one set and print its rows and means. */
static bool bench_set(struct kernel *kernels, struct row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!measure(&kernels[i], &rows[i]))
			return false;
		print_row(&kernels[i], &rows[i]);
	}
	if (n)
		print_mean(rows, n);
	return true;
}

static bool bench(const struct places *p, struct kernel *kernels, unsigned n, bool check)
{
	struct row *rows = calloc(n, sizeof(*rows));
	unsigned first = 0;
	bool ok = rows && open_all(p, kernels, n, check);

	while (first < n && !is_second(&kernels[first]))
		first++;
	if (ok && !check) {
		print_head();
		ok = bench_set(kernels, rows, first);
		if (ok && first < n)
			printf("Second set\n");
		ok = ok && bench_set(kernels + first, rows + first, n - first);
		if (ok)
			print_xfi(kernels, rows, first);
	}
	free(rows);
	return ok;
}

/* ---- which, where ---- */

static int is_source(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 2 && !strcmp(d->d_name + n - 2, ".c");
}

/* The first set by name, then the second. */
static int by_set(const void *a, const void *b)
{
	const struct kernel *x = a, *y = b;
	int order = is_second(x) - is_second(y);

	return order ? order : strcmp(x->name, y->name);
}

/* All kernels of the folder, or those asked for. */
static unsigned choose(const char *folder, struct kernel *kernels, char *const *asked, int n_asked)
{
	char path[4200];
	struct dirent **list;
	unsigned n = 0;
	int found;

	snprintf(path, sizeof(path), "%s/kernels", folder);
	found = scandir(path, &list, is_source, NULL);
	for (int i = 0; i < found; i++) {
		char *name = strndup(list[i]->d_name, strlen(list[i]->d_name) - 2);
		bool wanted = n_asked == 0;

		for (int k = 0; name && k < n_asked; k++)
			wanted |= !strcmp(name, asked[k]);
		if (name && wanted && n < MOST_KERNELS)
			kernels[n++].name = name;
		else
			free(name);
		free(list[i]);
	}
	if (found >= 0)
		free(list);
	qsort(kernels, n, sizeof(*kernels), by_set);
	return n;
}

static void remove_work(const char *work)
{
	struct dirent **list;
	char path[400];
	int found = scandir(work, &list, NULL, NULL);

	for (int i = 0; i < found; i++) {
		snprintf(path, sizeof(path), "%s/%s", work, list[i]->d_name);
		unlink(path);
		free(list[i]);
	}
	if (found >= 0)
		free(list);
	rmdir(work);
}

int main(int argc, char **argv)
{
	static struct kernel kernels[MOST_KERNELS];
	bool check = argc > 1 && !strcmp(argv[1], "--check");
	int first = check ? 2 : 1;
	struct places p = {.work = "/tmp/ward-guards-XXXXXX"};
	cpu_set_t one;
	unsigned n;
	bool ok;

	if (argc < first + 2) {
		fprintf(stderr, "usage: ward-bench-guards [--check] GUARDS-FOLDER INCLUDE-FOLDER [KERNEL...]\n");
		return 2;
	}
	p.guards = argv[first];
	p.include = argv[first + 1];
	n = choose(p.guards, kernels, argv + first + 2, argc - first - 2);
	if (n == 0 || !mkdtemp(p.work)) {
		fprintf(stderr, "ward: %s: no kernels there, or no folder for work\n", p.guards);
		return 2;
	}
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	if (!check)
		sched_setaffinity(0, sizeof(one), &one);
	ok = bench(&p, kernels, n, check);
	remove_work(p.work);
	return !ok;
}
