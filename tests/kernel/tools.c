/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each tool of probes/tools/kernel, as `ward trace --kernel` runs it: it finds its sites in this kernel, a process
 * makes what it is to see, and what it prints has that in it. A tool that is in no row here fails the test.
 */
#include "tools.h"

#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Lines that it must print, by regular expressions; PID is the feeder's number. Columns of numbers that aren't known
 * are [0-9]+. A stack has a line for each function, the innermost first.
 */
static const struct tool {
	const char *name;
	void (*feed)(void);
	const char *prints[3];
} tools[] = {
	{"bindsnoop", feed_connection, {" PID +16777343 +[0-9]+ +2 +0 +feeder$", "^ *all +1$"}},
	{"biopattern", feed_disk, {"^ *requests +8$", "^ *sequential +7$"}},
	{"biosnoop", feed_disk, {" PID +4096 +[0-9]+ +feeder$"}},
	{"biostacks", feed_disk, {" blk_mq_start_request\\+0x[0-9a-f]+\n"}},
	{"biotop", feed_disk, {"^ +PID +feeder +8 +32768$"}},
	{"bitesize", feed_disk, {"^ +feeder$", "^ +\\[4K, 8K\\) +8 "}},
	{"capable", feed_rights, {" PID +1 +21 +-1 +feeder$", " PID +0 +7 +0 +feeder$"}},
	{"cpudist", feed_sleep, {"^ +feeder$"}},
	{"cpuwalk", feed_busy, {"^ +1 +[1-9]", "^ *busy +[1-9]"}},
	{"execsnoop", feed_program, {" [0-9]+ +PID +0 +ward +/bin/ward$", "^ *programs +[1-9]"}},
	{"exitsnoop", feed_program, {" [0-9]+ +768 +ender$"}},
	{"filelife", feed_files, {" PID +feeder +feed-life$"}},
	{"fileslower", feed_slow, {" PID +kernel!vfs_read +1 +feeder +feed-slow$"}},
	{"filetop", feed_files, {"^ +feeder +feed-file +1 +1 +5000 +5000$"}},
	{"fsdist", feed_files, {"^ +tmpfs +kernel!vfs_read$", "^ +tmpfs +kernel!vfs_write$"}},
	{"hardirqs", feed_console, {"^ +ttyS0 +[1-9]"}},
	{"killsnoop", feed_signal, {" PID +PID +0 +0 +feeder$"}},
	{"loads", feed_busy, {"^ +0 +[1-9]", "^ +1 +[1-9]"}},
	{"mountsnoop", feed_files, {" PID +0 +feeder +tmpfs +feed-mount$"}},
	{"naptime", feed_sleep, {"^ +feeder +4 +80\\.0 ms +20\\.0 ms "}},
	{"offcputime", feed_sleep,
		{"^ +feeder .* __schedule\\+0x[0-9a-f]+\n +schedule\\+0x[0-9a-f]+\n +do_nanosleep\\+"}},
	{"offwaketime", feed_sleep,
		{"^ +feeder .* stack:\n +__schedule\\+0x[0-9a-f]+\n +schedule\\+0x[0-9a-f]+\n +do_nanosleep\\+",
			" waker:\n +try_to_wake_up\\+0x[0-9a-f]+\n +hrtimer_wakeup\\+"}},
	{"oomkill", feed_oom, {" [0-9]+ +[0-9]+ +[0-9]+ +victim$"}},
	{"profile", feed_busy, {"^ +PID +feeder +[1-9]", "^ *user +[1-9]", "^ +feeder .* user:\n"}},
	{"readahead", feed_ahead, {"^ *ahead +32$", "^ *used +24$", "^ *unused +8$"}},
	{"runqlen", feed_busy, {"^ +1 +[1-9]", "^ *\\[?1[],) ]"}},
	{"runqslower", feed_urgent, {" [1-9][0-9.]* ms +PID +[0-9]+ +feeder +[a-z]", "^ *all +[1-9]"}},
	{"setuids", feed_rights, {" PID +1 +1 +0 +feeder$"}},
	{"softirqs", feed_connection, {"^ +3 +[1-9]"}},
	{"solisten", feed_connection, {" PID +16777343 +[0-9]+ +2 +5 +feeder$", "^ *all +1$"}},
	{"stackcount", feed_files, {"^ +[1-9][0-9]* +vfs_read\n +ksys_read\\+"}},
	{"statsnoop", feed_files, {"^ +/dev/shm/feed-none +1$", "^ *missing +[1-9]"}},
	{"swapin", feed_swap, {"^ +feeder +[1-9]"}},
	{"syncsnoop", feed_files, {"^ +feeder +kernel!__x64_sys_fsync +1 ", "^ +feeder +kernel!__x64_sys_sync +1 "}},
	{"syscount", feed_calls, {"^ +kernel!__x64_sys_getpgid +1000 "}},
	{"tcpaccept", feed_connection, {" PID +16777343 +16777343 +[0-9]+ +[0-9]+ +2 +feeder$", "^ *all +1$"}},
	{"tcpconnlat", feed_connection, {" 16777343 +16777343 +[0-9]+ +[0-9]+ +2$", "^ *connected +1$"}},
	{"tcpconnect", feed_connection, {" PID +16777343 +16777343 +[0-9]+ +[0-9]+ +2 +feeder$", "^ *all +1$"}},
	{"tcpdrop", feed_refusal,
		{"^ +[1-9][0-9]* +9 +[0-9]+ +[1-9][0-9]* +[a-z_]*skb[a-z_]*\\+0x[0-9a-f]+\n +tcp_v4_rcv\\+",
			"^ *packets +[1-9]"}},
	{"tcplife", feed_connection, {" 16777343 +16777343 +[0-9]+ +[0-9]+ +2$", "^ *connections +[12]$"}},
	{"tcppktlat", feed_message, {" [3-9][0-9][0-9.]* ms +PID +16777343 +16777343 +[0-9]+ +[0-9]+ +2 +feeder$"}},
	{"tcpretrans", feed_again, {" 16777343 +16777343 +[0-9]+ +[0-9]+ +2 ", "^ *all +[1-9]"}},
	{"tcprtt", feed_connection, {"^ *packets +[1-9]"}},
	{"tcpstates", feed_connection, {" 16777343 +16777343 +[0-9]+ +[0-9]+ +2 +2 +1$", "^ +2 +1 +1$"}},
	{"tcpsynbl", feed_connection, {"^ +5$"}},
	{"undump", feed_neighbour, {" PID +5 +feeder +hello$"}},
	{"vfsstat", feed_files,
		{"^ +kernel!vfs_write +[1-9]", "^ +kernel!vfs_open +[1-9]", "^ +kernel!__x64_sys_fsync +1 "}},
	{"wakeuptime", feed_sleep, {"^ +feeder .* try_to_wake_up\\+0x[0-9a-f]+\n +hrtimer_wakeup\\+"}},
};
enum { TOOLS = sizeof(tools) / sizeof(tools[0]) };

static const char out[] = "/tmp/tool-out", err[] = "/tmp/tool-err";

/* What the file has; "" without it. */
static char *read_all(const char *path)
{
	static char text[1 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = 0;
	if (fd >= 0)
		close(fd);
	return text;
}

static pid_t run_tool(const char *name)
{
	char module[256];
	pid_t child;

	unlink(out);
	unlink(err);
	snprintf(module, sizeof(module), "%s/tool-%s.ward", probes, name);
	child = fork();
	if (child == 0) {
		dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
		dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
		execl(ward, ward, "trace", "--kernel", module, NULL);
		_exit(127);
	}
	/* It says so when all its sites are attached. */
	while (!strstr(read_all(err), "attached ")) {
		CHECK(waitpid(child, NULL, WNOHANG) == 0, "%s ended: %s", name, read_all(err));
		usleep(20000);
	}
	return child;
}

static pid_t feed(const struct tool *t)
{
	pid_t feeder = fork();
	int status;

	if (feeder == 0) {
		prctl(PR_SET_NAME, "feeder");
		t->feed();
		_exit(0);
	}
	CHECK(waitpid(feeder, &status, 0) == feeder && status == 0, "what feeds %s: status %#x", t->name, status);
	return feeder;
}

static bool has_line(const char *text, const char *pattern, pid_t feeder)
{
	char number[16], whole[256] = "";
	const char *at;
	regex_t regex;
	bool has;

	snprintf(number, sizeof(number), "%d", feeder);
	while ((at = strstr(pattern, "PID"))) {
		strncat(whole, pattern, (size_t)(at - pattern));
		strcat(whole, number);
		pattern = at + 3;
	}
	strcat(whole, pattern);
	CHECK(regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) == 0, "%s", whole);
	has = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return has;
}

static unsigned try_tool(const struct tool *t)
{
	pid_t child = run_tool(t->name), feeder = feed(t);
	unsigned failed = 0;
	const char *text;
	int status;

	CHECK(kill(child, SIGINT) == 0 && waitpid(child, &status, 0) == child, "%s", strerror(errno));
	CHECK(status == 0, "%s: status %#x: %s", t->name, status, read_all(err));
	text = read_all(out);
	for (size_t i = 0; i < sizeof(t->prints) / sizeof(t->prints[0]) && t->prints[i]; i++) {
		if (has_line(text, t->prints[i], feeder))
			continue;
		printf("  %s, fed by %d: no line is as %s:\n%s\n", t->name, feeder, t->prints[i], text);
		failed++;
	}
	return failed;
}

/* Each module that is a tool's has its row. */
static void check_rows(void)
{
	DIR *dir = opendir(probes);
	struct dirent *entry;
	unsigned i, n = 0;

	CHECK(dir, "%s: %s", probes, strerror(errno));
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, "tool-", 5) != 0)
			continue;
		for (i = 0; i < TOOLS; i++)
			if (strncmp(entry->d_name + 5, tools[i].name, strlen(tools[i].name)) == 0 &&
				strcmp(entry->d_name + 5 + strlen(tools[i].name), ".ward") == 0)
				break;
		CHECK(i < TOOLS, "%s is tried by nothing", entry->d_name);
		n++;
	}
	closedir(dir);
	CHECK(n == TOOLS, "%u tools of %u", n, TOOLS);
}

void test_tools(void)
{
	unsigned failed = 0;

	check_rows();
	for (unsigned i = 0; i < TOOLS; i++)
		failed += try_tool(&tools[i]);
	CHECK(failed == 0, "%u lines are missing", failed);
}
