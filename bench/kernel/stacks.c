/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the import that takes the kernel's stack executes, by the number of frames, compared with what the verifier
 * counts (spec/ward/import.def). The stacks are of a module's functions, which take the kernel longer to find than its
 * own, and each is a new one, which is put into the table.
 */
#include "bench.h"

#include "ward/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char site[] = "kernel!ward_chain_end";
static const char parameter[] = "/sys/module/ward_points/parameters/chain_orders";

enum { ORDERS = 500 };

static double orders(void)
{
	struct timespec begin, end;
	char text[16];
	int fd = open(parameter, O_WRONLY | O_CLOEXEC), n = snprintf(text, sizeof(text), "%d", ORDERS);

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		fail(parameter, strerror(errno));
	clock_gettime(CLOCK_MONOTONIC, &end);
	close(fd);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / ORDERS;
}

static double orders_with(const char *folder, const char *probe, const char *setting)
{
	struct ward_attach_options options = {.size = sizeof(options),
		.site = site,
		.allow = imports,
		.n_allow = N_IMPORTS,
		.settings = &setting,
		.n_settings = setting ? 1 : 0};
	ward_session *session;
	struct ward_error err;
	char path[256];
	size_t size;
	double took;
	void *module;

	snprintf(path, sizeof(path), "%s/%s.ward", folder, probe);
	module = read_file(path, &size);
	if (ward_attach_kernel(module, size, &options, &session, &err))
		fail(err.what, err.why);
	took = orders();
	ward_session_free(session);
	free(module);
	return took;
}

void compare_stacks(const char *folder)
{
	static const unsigned frames[] = {1, 8, 32, 64, 127};
	uint64_t most = counted(folder, "frames") - counted(folder, "empty");
	int fd = open("/modules/ward_points.ko", O_RDONLY | O_CLOEXEC);
	double bare;

	if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
		fail("/modules/ward_points.ko", strerror(errno));
	close(fd);
	bare = orders_with(folder, "empty", NULL);
	printf("\n%-24s%10s\n", "Frames of a stack", "executed");
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		char setting[32];
		double took;

		snprintf(setting, sizeof(setting), "frames=%u", frames[i]);
		took = orders_with(folder, "frames", setting) - bare;
		printf("%-24u%10.1f\n", frames[i], took);
		if (took > (double)most)
			fail("frames", "it executes more than the verifier counts");
	}
	printf("%-24s%10" PRIu64 "\n", "counted", most);
}
