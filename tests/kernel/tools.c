/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each tool of probes/tools/kernel finds its sites in this kernel, and sees what it is to see: a process makes each
 * sort of event once at least. Those for which the machine has no disk, or too much memory, are attached only.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct tool {
	const char *module;
	bool is_quiet; /* nothing may come */
} tools[] = {
	{"tool-biosnoop", true},
	{"tool-bitesize", true},
	{"tool-capable", false},
	{"tool-cpudist", false},
	{"tool-execsnoop", false},
	{"tool-exitsnoop", false},
	{"tool-filelife", false},
	{"tool-fileslower", false},
	{"tool-filetop", false},
	{"tool-fsdist", false},
	{"tool-hardirqs", false},
	{"tool-killsnoop", false},
	{"tool-mountsnoop", false},
	{"tool-naptime", false},
	{"tool-oomkill", true},
	{"tool-setuids", false},
	{"tool-softirqs", false},
	{"tool-statsnoop", false},
	{"tool-swapin", true},
	{"tool-syncsnoop", false},
	{"tool-syscount", false},
	{"tool-tcpaccept", false},
	{"tool-tcpconnect", false},
	{"tool-tcplife", false},
	{"tool-tcpretrans", true},
	{"tool-tcpsynbl", false},
	{"tool-vfsstat", false},
};
enum { TOOLS = sizeof(tools) / sizeof(tools[0]) };

static void files(void)
{
	static char buffer[5000];
	struct stat st;
	int fd = open("/tmp/ward-tool", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, buffer, sizeof(buffer)) == sizeof(buffer) && fsync(fd) == 0, "%s", strerror(errno));
	CHECK(pread(fd, buffer, sizeof(buffer), 0) == sizeof(buffer), "%s", strerror(errno));
	CHECK(stat("/tmp/ward-tool", &st) == 0 && stat("/tmp/ward-none", &st) == -1, "stat");
	close(fd);
	unlink("/tmp/ward-tool");
	CHECK(mount("ward-none", "/tmp", "tmpfs", 0, NULL) == 0 && umount("/tmp") == 0, "%s", strerror(errno));
	sync();
}

static void processes(void)
{
	struct timespec nap = {.tv_nsec = 1000000};
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (setuid(1) != 0)
			_exit(2);
		nanosleep(&nap, NULL);
		execl(ward, ward, "--version", NULL);
		_exit(3);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0, "%x", status);
	CHECK(kill(getpid(), 0) == 0, "%s", strerror(errno));
}

static void connections(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	socklen_t size = sizeof(at);
	int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), taken;

	CHECK(server >= 0 && client >= 0 && ioctl(server, SIOCSIFFLAGS, &lo) == 0, "%s", strerror(errno));
	CHECK(bind(server, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(server, 5) == 0, "%s", strerror(errno));
	CHECK(getsockname(server, (struct sockaddr *)&at, &size) == 0, "%s", strerror(errno));
	CHECK(connect(client, (struct sockaddr *)&at, sizeof(at)) == 0, "%s", strerror(errno));
	CHECK((taken = accept(server, NULL, NULL)) >= 0, "%s", strerror(errno));
	close(taken);
	close(client);
	close(server);
}

void test_tools(void)
{
	for (unsigned i = 0; i < TOOLS; i++) {
		struct ward_session_stats stats;
		ward_session *s = attached(tools[i].module, NULL);

		files();
		processes();
		connections();
		CHECK(ward_detach(s, NULL) == 0, "detached");
		ward_session_stats(s, &stats);
		CHECK(tools[i].is_quiet || stats.events > 0, "%s saw nothing", tools[i].module);
		if (strcmp(tools[i].module, "tool-tcpconnect") == 0 || strcmp(tools[i].module, "tool-tcpaccept") == 0)
			CHECK(field_value(s, tools[i].module, "all") == 1, "%s: one connection", tools[i].module);
		if (strcmp(tools[i].module, "tool-execsnoop") == 0)
			CHECK(field_value(s, tools[i].module, "programs") == 1, "one program");
		if (strcmp(tools[i].module, "tool-statsnoop") == 0)
			CHECK(field_value(s, tools[i].module, "missing") >= 1, "a file that isn't there");
		if (strcmp(tools[i].module, "tool-tcplife") == 0)
			CHECK(field_value(s, tools[i].module, "connections") >= 1, "a connection that was closed");
		if (strcmp(tools[i].module, "tool-filelife") == 0)
			CHECK(field_value(s, tools[i].module, "removed") >= 1, "a file that was removed");
		ward_session_free(s);
	}
}
