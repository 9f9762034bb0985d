/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an import executes, including the kernel's work for it, compared with what the verifier counts
 * (spec/ward/import.def). The measured number is a call of getppid with a probe that calls the import, less one with
 * an empty probe. The verifier's number is the same difference between its two costs. The memory that is read is the
 * kernel's, the process's, or unmapped, which the kernel finds out by a fault.
 */
#include "bench.h"

#include "ward/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CALLS = 2000, MOST = 1024, PAGE = 4096 };

static const char site[] = "kernel:syscalls:sys_enter_getppid";

uint64_t counted(const char *folder, const char *probe)
{
	struct ward_verify_options o = {.size = sizeof(o), .allow = imports, .n_allow = N_IMPORTS};
	struct ward_verdict *v;
	char path[256];
	uint64_t n;
	size_t size;
	void *module;

	snprintf(path, sizeof(path), "%s/%s.ward", folder, probe);
	module = read_file(path, &size);
	v = ward_verify(module, size, &o);
	if (!v || !v->accepted)
		fail(probe, "it isn't accepted");
	n = v->module.entries[0].max_insns;
	ward_verdict_free(v);
	free(module);
	return n;
}

/* Pages of the process's, of which the second can't be read; full of a string without an end. */
static char *two_pages(void)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("memory", "there is none");
	memset(p, 'x', 2 * PAGE);
	if (mprotect(p + PAGE, PAGE, PROT_NONE))
		fail("memory", "it can't be taken away");
	return p;
}

/* Memory of the kernel's: its banner, behind which there is more. */
static unsigned long banner(void)
{
	char name[256];
	unsigned long address;
	FILE *f = fopen("/proc/kallsyms", "re");

	while (f && fscanf(f, "%lx %*c %255s%*[^\n]", &address, name) == 2)
		if (strcmp(name, "linux_banner") == 0) {
			fclose(f);
			return address;
		}
	fail("/proc/kallsyms", "it has no linux_banner");
}

void compare_imports(const char *folder)
{
	static const char *const calls[] = {"bytes", "string", "current"};
	enum { N_CALLS = sizeof(calls) / sizeof(calls[0]) };
	static const unsigned lengths[] = {1, 8, 64, MOST};
	char *pages = two_pages();
	const struct {
		const char *name;
		unsigned long at;
	} places[] = {
		{"kernel", banner()},
		{"process", (unsigned long)pages},
		{"ends", (unsigned long)pages + PAGE - 7}, /* and no string ends before */
		{"nowhere", 0xffffeb0000000000},           /* in no mapping of the kernel's */
		{"no address", 0x8000000000000000},
	};
	enum { PLACES = sizeof(places) / sizeof(places[0]) };
	uint64_t nothing = counted(folder, "empty");
	double bare[PLACES];

	printf("\n%-24s%10s", "Instructions of a call", "counted");
	for (unsigned p = 0; p < PLACES; p++) {
		bare[p] = with_ward(folder, "empty", site, 1, CALLS, places[p].at);
		printf("%12s", places[p].name);
	}
	printf("\n");
	for (unsigned i = 0; i < N_CALLS * sizeof(lengths) / sizeof(lengths[0]); i++) {
		char probe[32];
		uint64_t most;

		snprintf(probe, sizeof(probe), "%s-%u", calls[i % N_CALLS], lengths[i / N_CALLS]);
		most = counted(folder, probe) - nothing;
		printf("%-24s%10" PRIu64, probe, most);
		for (unsigned p = 0; p < PLACES; p++) {
			double took = with_ward(folder, probe, site, 1, CALLS, places[p].at) - bare[p];

			printf("%12.1f", took);
			if (took > (double)most)
				fail(probe, "it executes more than the verifier counts");
		}
		printf("\n");
	}
	munmap(pages, 2 * PAGE);
}
