/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each tool of the kernel that bpftrace has, too: what either adds to an operation that makes its events. bpftrace runs
 * its own tool, as its package has it; where it has none, a program of the table does the same.
 *
 * All is counted that the one processor executes: with tools that print each event, also what reads and prints it.
 */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Operations ---- */

static int file, other, pipes[2][2];
static struct sockaddr_in at = {.sin_family = AF_INET};
static pid_t partner;

static void must(bool ok, const char *what)
{
	if (!ok)
		fail(what, strerror(errno));
}

static void do_getppid(void)
{
	syscall(SYS_getppid);
}

static void do_open(void)
{
	close(open("/dev/null", O_RDONLY));
}

static void do_stat(void)
{
	struct stat st;

	syscall(SYS_stat, "/bin/busybox", &st); /* which bpftrace's tool knows; libc takes another one */
}

static void do_kill(void)
{
	kill(getpid(), 0);
}

static void do_setuid(void)
{
	syscall(SYS_setuid, 0);
}

static void prepare_read(void)
{
	must((file = open("/dev/zero", O_RDONLY)) >= 0, "/dev/zero");
}

static void do_read(void)
{
	char byte;

	must(read(file, &byte, 1) == 1, "read");
}

static void prepare_disk(void)
{
	must((file = open("/dev/loop0", O_RDONLY | O_DIRECT)) >= 0, "/dev/loop0");
}

static void do_disk(void)
{
	static _Alignas(4096) char block[4096];

	must(pread(file, block, sizeof(block), 0) == sizeof(block), "/dev/loop0");
}

static void prepare_sync(void)
{
	must((file = open("/tmp/synced", O_RDWR | O_CREAT, 0600)) >= 0, "/tmp/synced");
}

static void do_sync(void)
{
	must(fsync(file) == 0, "fsync");
}

/* Two processes in turn: one step makes two wake-ups and two switches. */
static void prepare_switch(void)
{
	char byte;

	must(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0, "pipe");
	partner = fork();
	if (partner == 0) {
		close(pipes[0][1]);
		while (read(pipes[0][0], &byte, 1) == 1)
			must(write(pipes[1][1], &byte, 1) == 1, "pipe");
		_exit(0);
	}
}

static void do_switch(void)
{
	char byte = 0;

	must(write(pipes[0][1], &byte, 1) == 1 && read(pipes[1][0], &byte, 1) == 1, "pipe");
}

static void end_switch(void)
{
	kill(partner, SIGKILL);
	waitpid(partner, NULL, 0);
}

static void bind_here(int fd)
{
	socklen_t size = sizeof(at);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.sin_port = 0;
	must(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 &&
			getsockname(fd, (struct sockaddr *)&at, &size) == 0,
		"a socket");
}

/* A message to ourselves: the softirq of received packets. */
static void prepare_send(void)
{
	bind_here(file = socket(AF_INET, SOCK_DGRAM, 0));
}

static void do_send(void)
{
	char byte = 0;

	must(sendto(file, &byte, 1, 0, (struct sockaddr *)&at, sizeof(at)) == 1 && recv(file, &byte, 1, 0) == 1,
		"a message");
}

static void prepare_connect(void)
{
	bind_here(file = socket(AF_INET, SOCK_STREAM, 0));
	must(listen(file, 5) == 0, "listen");
}

/* Both ends; who closes with a reset leaves no end that waits. */
static void do_connect(void)
{
	const struct linger reset = {.l_onoff = 1};

	other = socket(AF_INET, SOCK_STREAM, 0);
	must(connect(other, (struct sockaddr *)&at, sizeof(at)) == 0, "connect");
	setsockopt(other, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	close(accept(file, NULL, NULL));
	close(other);
}

static void do_exec(void)
{
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/busybox", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static const struct operation {
	const char *name;
	void (*prepare)(void), (*once)(void), (*end)(void);
	unsigned times;
} operations[] = {
	{"getppid", NULL, do_getppid, NULL, 10000},
	{"open", NULL, do_open, NULL, 2000},
	{"stat", NULL, do_stat, NULL, 2000},
	{"kill", NULL, do_kill, NULL, 2000},
	{"setuid", NULL, do_setuid, NULL, 2000},
	{"read", prepare_read, do_read, NULL, 5000},
	{"disk-read", prepare_disk, do_disk, NULL, 500},
	{"fsync", prepare_sync, do_sync, NULL, 2000},
	{"switch", prepare_switch, do_switch, end_switch, 1000},
	{"message", prepare_send, do_send, NULL, 1000},
	{"connection", prepare_connect, do_connect, NULL, 300},
	{"exec", NULL, do_exec, NULL, 100},
};

static const struct operation *find_operation(const char *name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	fail(name, "there is no such operation");
}

double measure_operation(const char *name)
{
	const struct operation *o = find_operation(name);
	double took[ROUNDS];

	if (o->prepare)
		o->prepare();
	for (unsigned i = 0; i < o->times / 10; i++)
		o->once(); /* what is allocated once is */
	for (int r = 0; r < ROUNDS; r++) {
		double begin = instructions_now();

		for (unsigned i = 0; i < o->times; i++)
			o->once();
		took[r] = (instructions_now() - begin) / o->times;
	}
	if (o->end)
		o->end();
	return middle_of(took);
}

/* ---- The table ---- */

static const struct row {
	const char *tool, *operation, *module;
	const char *program; /* NULL: bpftrace has the tool */
} rows[] = {
	/* bpftrace's own two are at functions that this kernel has inlined: they see nothing. */
	{"biolatency", "disk-read", "biolatency",
		"tracepoint:block:block_rq_issue { @t[args->dev, args->sector] = nsecs; } "
		"tracepoint:block:block_rq_complete "
		"/@t[args->dev, args->sector]/ { @ = hist(nsecs - @t[args->dev, args->sector]); "
		"delete(@t[args->dev, args->sector]); }"},
	{"biosnoop", "disk-read", "tool-biosnoop",
		"tracepoint:block:block_rq_issue { @t[args->dev, args->sector] = nsecs; @c[args->dev, args->sector] = "
		"comm; } "
		"tracepoint:block:block_rq_complete /@t[args->dev, args->sector]/ { printf(\"%s %d %d %d\\n\", "
		"@c[args->dev, args->sector], args->sector, args->nr_sector, nsecs - @t[args->dev, args->sector]); "
		"delete(@t[args->dev, args->sector]); delete(@c[args->dev, args->sector]); }"},
	{"bitesize", "disk-read", "tool-bitesize", NULL},
	{"capable", "setuid", "tool-capable", NULL},
	{"cpudist", "switch", "tool-cpudist",
		"tracepoint:sched:sched_switch { $s = @since[cpu]; if ($s && args->prev_pid) { @all = hist(nsecs - "
		"$s); "
		"@by[args->prev_comm] = hist(nsecs - $s); } @since[cpu] = nsecs; }"},
	{"execsnoop", "exec", "tool-execsnoop", NULL},
	{"fileslower", "read", "tool-fileslower",
		"kprobe:vfs_read { @f[tid] = arg0; @t[tid] = nsecs; } kretprobe:vfs_read /@t[tid]/ { $d = nsecs - "
		"@t[tid]; "
		"if ($d > 10000000) { printf(\"%s %d %s\\n\", comm, $d, str(((struct file *)@f[tid])->f_path.dentry->"
		"d_name.name)); } delete(@f[tid]); delete(@t[tid]); }"},
	{"filetop", "read", "tool-filetop",
		"kprobe:vfs_read { @f[tid] = arg0; } kretprobe:vfs_read /@f[tid]/ { $f = str(((struct file "
		"*)@f[tid])->f_path."
		"dentry->d_name.name); @reads[comm, $f] = count(); @bytes[comm, $f] = sum(retval); delete(@f[tid]); }"},
	/* As bpftrace's tools of single file systems: by the operation, not by the file system. */
	{"fsdist", "read", "tool-fsdist",
		"kprobe:vfs_read { @t[tid] = nsecs; } kretprobe:vfs_read /@t[tid]/ { @[\"read\"] = hist(nsecs - "
		"@t[tid]); "
		"delete(@t[tid]); }"},
	{"killsnoop", "kill", "tool-killsnoop", NULL},
	{"opensnoop", "open", "opens", NULL},
	{"runqlat", "switch", "runqlat", NULL},
	{"setuids", "setuid", "tool-setuids", NULL},
	{"softirqs", "message", "tool-softirqs",
		"tracepoint:irq:softirq_entry { @t[cpu] = nsecs; } tracepoint:irq:softirq_exit /@t[cpu]/ "
		"{ @[args->vec] = stats(nsecs - @t[cpu]); delete(@t[cpu]); }"},
	{"statsnoop", "stat", "tool-statsnoop", NULL},
	{"syncsnoop", "fsync", "tool-syncsnoop", NULL},
	{"syscount", "getppid", "tool-syscount", NULL},
	{"tcpaccept", "connection", "tool-tcpaccept", NULL},
	{"tcpconnect", "connection", "tool-tcpconnect", NULL},
	{"tcplife", "connection", "tool-tcplife", NULL},
	{"tcpsynbl", "connection", "tool-tcpsynbl", NULL},
	{"vfscount", "read", "vfscount", NULL},
	{"vfsstat", "read", "tool-vfsstat", NULL},
};

/* The attached tool must have seen an event of each operation. */
static double with_module(const char *folder, const struct row *r)
{
	const struct operation *o = find_operation(r->operation);
	double took;
	struct attachment a = attach_module(folder, r->module, NULL);

	took = measure_operation(r->operation);
	if (detach_module(&a) < (uint64_t)o->times * ROUNDS)
		fail(r->tool, "it has missed events");
	return took;
}

static double with_tool(const char *bpftrace, const char *folder, const struct row *r)
{
	char path[256];

	if (!bpftrace)
		return -1;
	snprintf(path, sizeof(path), "%s/%s.bt", folder, r->tool);
	return r->program ? loop_below(bpftrace, "-e", r->program, r->operation)
			  : loop_below(bpftrace, path, NULL, r->operation);
}

void compare_tools(const char *folder, const char *bpftrace, const char *scripts)
{
	printf("\nInstructions that tools of the kernel add to an operation\n\n");
	printf("%-12s%-12s%12s%10s%12s%10s\n", "tool", "operation", "without", "Ward", "bpftrace", "part");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		double bare = measure_operation(r->operation), ward, theirs;

		printf("%-12s%-12s%12.0f", r->tool, r->operation, bare);
		ward = with_module(folder, r) - bare;
		printf("%10.0f", ward);
		theirs = with_tool(bpftrace, scripts, r);
		if (theirs < 0)
			printf("%12s\n", "-");
		else
			printf("%12.0f%10.2f\n", theirs - bare, ward / (theirs - bare));
	}
}
