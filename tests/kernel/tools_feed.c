/* SPDX-License-Identifier: Apache-2.0 */
#include "tools.h"

#include "disk.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static void wait_for(pid_t child, int expected)
{
	int status;

	CHECK(waitpid(child, &status, 0) == child && status == expected, "%#x", status);
}

static void nap(long ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* ---- Disks ---- */

void feed_disk(void)
{
	struct stat file;
	int disk;

	load_loop();
	disk = make_disk(&file);
	read_blocks(disk, 8);
	unmake_disk(disk);
}

void feed_ahead(void)
{
	enum { AHEAD = 32, READ = 24 };
	static char block[DISK_BLOCK];
	struct stat file;
	int disk, fd;

	load_loop();
	disk = make_disk(&file);
	fd = open(DISK_PATH, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && posix_fadvise(fd, 0, AHEAD * DISK_BLOCK, POSIX_FADV_WILLNEED) == 0, "%s", strerror(errno));
	for (int i = 0; i < READ; i++)
		CHECK(pread(fd, block, DISK_BLOCK, i * DISK_BLOCK) == DISK_BLOCK, "%s", strerror(errno));
	CHECK(posix_fadvise(fd, 0, AHEAD * DISK_BLOCK, POSIX_FADV_DONTNEED) == 0, "%s", strerror(errno));
	close(fd);
	unmake_disk(disk);
}

/* A swap area: its last words in the first page say so. */
static void make_swap(int disk)
{
	static _Alignas(DISK_BLOCK) union {
		char bytes[DISK_BLOCK];
		struct {
			char boot[1024];
			unsigned version, last_page, bad_pages;
		} header;
	} page;

	page.header.version = 1;
	page.header.last_page = DISK_SIZE / DISK_BLOCK - 1;
	memcpy(page.bytes + sizeof(page) - 10, "SWAPSPACE2", 10);
	CHECK(pwrite(disk, &page, sizeof(page), 0) == sizeof(page), "%s", strerror(errno));
}

void feed_swap(void)
{
	enum { PAGES = 64, SIZE = PAGES * DISK_BLOCK };
	struct stat file;
	char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int disk;

	load_loop();
	disk = make_disk(&file);
	make_swap(disk);
	CHECK(pages != MAP_FAILED && swapon(DISK_PATH, 0) == 0, "%s", strerror(errno));
	memset(pages, 7, SIZE);
	CHECK(madvise(pages, SIZE, MADV_PAGEOUT) == 0, "%s", strerror(errno));
	for (int i = 0; i < PAGES; i++)
		CHECK(pages[i * DISK_BLOCK] == 7, "page %d", i);
	CHECK(swapoff(DISK_PATH) == 0, "%s", strerror(errno));
	unmake_disk(disk);
}

/* ---- Files ---- */

void feed_files(void)
{
	static char buffer[5000];
	struct stat st;
	int fd = open("/dev/shm/feed-file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, buffer, sizeof(buffer)) == sizeof(buffer) && fsync(fd) == 0, "%s", strerror(errno));
	CHECK(pread(fd, buffer, sizeof(buffer), 0) == sizeof(buffer), "%s", strerror(errno));
	close(fd);
	CHECK(unlink("/dev/shm/feed-file") == 0, "%s", strerror(errno));
	fd = open("/dev/shm/feed-life", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && close(fd) == 0 && unlink("/dev/shm/feed-life") == 0, "%s", strerror(errno));
	CHECK(stat("/dev/shm/feed-none", &st) == -1 && errno == ENOENT, "stat");
	CHECK(mkdir("/dev/shm/feed-mount", 0700) == 0, "%s", strerror(errno));
	CHECK(mount("ward-none", "/dev/shm/feed-mount", "tmpfs", 0, NULL) == 0, "%s", strerror(errno));
	CHECK(umount("/dev/shm/feed-mount") == 0 && rmdir("/dev/shm/feed-mount") == 0, "%s", strerror(errno));
	sync();
}

void feed_slow(void)
{
	static const char path[] = "/dev/shm/feed-slow";
	char byte = 0;
	pid_t writer;
	int fd;

	CHECK(mkfifo(path, 0600) == 0, "%s", strerror(errno));
	fd = open(path, O_RDWR | O_CLOEXEC);
	writer = fork();
	if (writer == 0) {
		nap(100);
		_exit(write(fd, &byte, 1) != 1);
	}
	CHECK(fd >= 0 && read(fd, &byte, 1) == 1, "%s", strerror(errno));
	wait_for(writer, 0);
	close(fd);
	unlink(path);
}

/* The line's end shows in the log; what counts are the interrupts that ask for more to send. */
void feed_console(void)
{
	int fd = open("/dev/ttyS0", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	char spaces[256];

	memset(spaces, ' ', sizeof(spaces));
	spaces[sizeof(spaces) - 1] = '\n';
	CHECK(fd >= 0 && write(fd, spaces, sizeof(spaces)) == sizeof(spaces) && tcdrain(fd) == 0, "%s",
		strerror(errno));
	close(fd);
}

/* ---- Processes ---- */

void feed_rights(void)
{
	CHECK(setuid(1) == 0, "%s", strerror(errno));
	CHECK(sethostname("ward", 4) == -1 && errno == EPERM, "sethostname");
}

void feed_neighbour(void)
{
	char bytes[8] = "";
	int end[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0, "%s", strerror(errno));
	CHECK(write(end[0], "hello", 5) == 5 && read(end[1], bytes, sizeof(bytes)) == 5, "a socket");
	close(end[0]);
	close(end[1]);
}

void feed_sleep(void)
{
	for (int i = 0; i < 4; i++)
		nap(20);
}

void feed_program(void)
{
	pid_t child = fork();

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		execl(ward, ward, "--version", NULL);
		_exit(4);
	}
	wait_for(child, 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "ender");
		_exit(3);
	}
	wait_for(child, 3 << 8);
}

void feed_signal(void)
{
	CHECK(kill(getpid(), 0) == 0, "%s", strerror(errno));
}

static void spin(long ms)
{
	struct timespec begun, t;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while ((t.tv_sec - begun.tv_sec) * 1000 + (t.tv_nsec - begun.tv_nsec) / 1000000 < ms);
}

static void stay_on_second(void)
{
	cpu_set_t second;

	CPU_ZERO(&second);
	CPU_SET(1, &second);
	CHECK(sched_setaffinity(0, sizeof(second), &second) == 0, "%s", strerror(errno));
}

void feed_busy(void)
{
	pid_t child;

	stay_on_second();
	child = fork();
	spin(1000);
	if (child == 0)
		_exit(0);
	wait_for(child, 0);
}

/* One that is put before all others takes the processor while the other one could go on. */
void feed_urgent(void)
{
	const struct sched_param urgency = {.sched_priority = 1};
	pid_t child;

	stay_on_second();
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "urgent");
		nap(20);
		CHECK(sched_setscheduler(0, SCHED_FIFO, &urgency) == 0, "%s", strerror(errno));
		nap(20);
		spin(100);
		_exit(0);
	}
	spin(300);
	wait_for(child, 0);
}

void feed_calls(void)
{
	for (int i = 0; i < 1000; i++)
		syscall(SYS_getpgid, 0);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s: %s", path, strerror(errno));
	close(fd);
}

/* Whom the kernel takes first for lack of memory, it takes when it is asked to. */
void feed_oom(void)
{
	pid_t victim = fork();

	if (victim == 0) {
		static char memory[4 << 20];

		memset(memory, 1, sizeof(memory));
		prctl(PR_SET_NAME, "victim");
		write_file("/proc/self/oom_score_adj", "1000");
		write_file("/proc/sysrq-trigger", "f");
		for (;;)
			pause();
	}
	wait_for(victim, SIGKILL);
}

/* ---- Connections ---- */

static int listening(struct sockaddr_in *at, int backlog)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
	socklen_t size = sizeof(*at);
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	CHECK(server >= 0 && ioctl(server, SIOCSIFFLAGS, &lo) == 0, "%s", strerror(errno));
	CHECK(bind(server, (struct sockaddr *)at, sizeof(*at)) == 0 && listen(server, backlog) == 0, "%s",
		strerror(errno));
	CHECK(getsockname(server, (struct sockaddr *)at, &size) == 0, "%s", strerror(errno));
	return server;
}

void feed_connection(void)
{
	struct sockaddr_in at;
	int server = listening(&at, 5), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), taken;

	CHECK(connect(client, (struct sockaddr *)&at, sizeof(at)) == 0, "%s", strerror(errno));
	CHECK((taken = accept(server, NULL, NULL)) >= 0, "%s", strerror(errno));
	close(taken);
	close(client);
	close(server);
	nap(50); /* the last words of both ends */
}

/* The kernel throws the request away. */
void feed_refusal(void)
{
	struct sockaddr_in at;
	int server = listening(&at, 1), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_port = htons(9);
	CHECK(connect(client, (struct sockaddr *)&at, sizeof(at)) == -1 && errno == ECONNREFUSED, "%s",
		strerror(errno));
	close(client);
	close(server);
}

/* A listener that takes nobody drops who doesn't fit; who asks waits a second, and asks again. */
void feed_again(void)
{
	enum { MANY = 4 };
	struct sockaddr_in at;
	int server = listening(&at, 0), client[MANY];

	for (int i = 0; i < MANY; i++) {
		client[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		CHECK(connect(client[i], (struct sockaddr *)&at, sizeof(at)) == 0 || errno == EINPROGRESS, "%s",
			strerror(errno));
	}
	nap(2500);
	for (int i = 0; i < MANY; i++)
		close(client[i]);
	close(server);
}

/* What comes lies there for a while before it is read. */
void feed_message(void)
{
	struct sockaddr_in at;
	int server = listening(&at, 5), client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), taken;
	char text[100] = "";

	CHECK(connect(client, (struct sockaddr *)&at, sizeof(at)) == 0, "%s", strerror(errno));
	CHECK((taken = accept(server, NULL, NULL)) >= 0, "%s", strerror(errno));
	CHECK(write(client, text, sizeof(text)) == sizeof(text), "%s", strerror(errno));
	nap(30);
	CHECK(read(taken, text, sizeof(text)) == sizeof(text), "%s", strerror(errno));
	close(taken);
	close(client);
	close(server);
}
