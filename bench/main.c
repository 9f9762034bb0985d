/* ward-bench: what a traced call costs, and what verification takes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

enum { MOST_PROBES = 64 };

uint64_t cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct spread spread_of(double *samples, unsigned n)
{
	qsort(samples, n, sizeof(*samples), ascending);
	return (struct spread){samples[n / 4], samples[n / 2], samples[n - 1 - n / 4]};
}

static void diagnose(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

bool compile(const char *path, struct ward_buf *module)
{
	struct ward_cc_options options = {.diag = diagnose};
	if (ward_cc(path, &options, module) == 0)
		return true;
	fprintf(stderr, "ward: %s: can't be compiled\n", path);
	return false;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static int is_source(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 2 && !strcmp(d->d_name + n - 2, ".c");
}

static unsigned sources(const char *folder, const char **paths, unsigned n)
{
	struct dirent **list;
	int found = scandir(folder, &list, is_source, alphasort);
	for (int i = 0; i < found; i++) {
		char *path;
		if (n < MOST_PROBES && asprintf(&path, "%s/%s", folder, list[i]->d_name) >= 0)
			paths[n++] = path;
		free(list[i]);
	}
	if (found >= 0)
		free(list);
	return n;
}

int main(int argc, char **argv)
{
	const char *paths[MOST_PROBES];
	if (argc != 3) {
		fprintf(stderr, "usage: ward-bench BENCH-PROBES-FOLDER EXAMPLE-PROBES-FOLDER\n");
		return 2;
	}
	unsigned calls = sources(argv[1], paths, 0), all = sources(argv[2], paths, calls);
	bool ok = calls && bench_calls(paths, calls);
	ok = bench_verify(paths, all) && ok;
	for (unsigned i = 0; i < all; i++)
		free((char *)paths[i]);
	return !ok;
}
