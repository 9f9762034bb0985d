/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a counting probe on every function at once that can be probed, for system calls that do little and some
 * that do much.
 */
#include "bench.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void call_nothing(void)
{
	syscall(SYS_getppid);
}

static void read_file_of_kernel(void)
{
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text)) <= 0)
		fail("/proc/self/stat", "it can't be read");
	close(fd);
}

static void start_process(void)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(0);
	if (waitpid(child, &status, 0) != child || status)
		fail("fork", "the child didn't end well");
}

static const struct work {
	const char *what;
	void (*run)(void);
	unsigned times;
} works[] = {
	{"getppid", call_nothing, 2000},
	{"open, read and close /proc/self/stat", read_file_of_kernel, 500},
	{"fork, exit and wait", start_process, 50},
};
enum { WORKS = sizeof(works) / sizeof(works[0]) };

/* Instructions of each. */
static void measure_works(double took[WORKS])
{
	for (unsigned i = 0; i < WORKS; i++) {
		struct timespec begin, end;

		works[i].run();
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (unsigned n = 0; n < works[i].times; n++)
			works[i].run();
		clock_gettime(CLOCK_MONOTONIC, &end);
		took[i] = ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
			  works[i].times;
	}
}

struct found {
	unsigned attached, skipped;
};

static void count_site(void *user, const struct ward_site_report *report)
{
	struct found *f = user;

	*(report->method ? &f->attached : &f->skipped) += 1;
}

void count_every_function(const char *folder)
{
	struct found found = {0};
	struct ward_attach_options options = {
		.size = sizeof(options), .site = "kernel!*", .on_site = count_site, .user = &found};
	struct ward_session_stats stats;
	struct ward_error err;
	double bare[WORKS], took[WORKS];
	ward_session *session;
	char path[256];
	size_t size;
	void *module;

	snprintf(path, sizeof(path), "%s/count.ward", folder);
	module = read_file(path, &size);
	measure_works(bare);
	if (ward_attach_kernel(module, size, &options, &session, &err))
		fail(err.what, err.why);
	measure_works(took);
	if (ward_detach(session, &err))
		fail(err.what, err.why);
	ward_session_stats(session, &stats);
	printf("\nA count at every function at once, %u (%u more can't be probed): %" PRIu64 " events, %" PRIu64
	       " dropped\n\n%-40s%12s%12s%10s\n",
		found.attached, found.skipped, stats.events, stats.dropped, "Instructions of", "without", "with",
		"times");
	for (unsigned i = 0; i < WORKS; i++)
		printf("%-40s%12.0f%12.0f%10.2f\n", works[i].what, bare[i], took[i], took[i] / bare[i]);
	if (found.attached < 8001)
		fail("kernel!*", "these aren't all functions"); /* Fay had as many */
	ward_session_free(session);
	free(module);
}
