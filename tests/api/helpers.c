/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-helper and libward, each with the other one as it should never be: missing, dying at any moment, or sending what
 * no peer sends. The process runs on, and has nothing left in it.
 */
#include "helper.h"
#include "kept.h"
#include "odd_helper.h"
#include "own.h"

#include "loader/helper/message.h"
#include "loader/helper/start.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN "test-api-helpers!own_work"

OWN_FUNCTION uint64_t own_work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

enum { CALLS = 100 };

static void call(void)
{
	for (uint64_t i = 0; i < CALLS; i++)
		cr_assert_eq(own_work(i, 1), i * 3 + 1);
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	cr_assert(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static struct {
	size_t changes;
	int files;
} before;

static void begin(void)
{
	before.changes = target_changes(getpid());
	before.files = open_files();
}

static void is_as_before(void)
{
	cr_expect_eq(target_changes(getpid()), before.changes);
	cr_expect_eq(open_files(), before.files);
	cr_expect(waitpid(-1, NULL, __WALL) == -1 && errno == ECHILD, "no child");
}

static int try_attach(ward_session **s, struct ward_error *err)
{
	return try_exact(getpid(),
		&(struct ward_attach_options){.size = sizeof(struct ward_attach_options), .site = OWN}, s, err);
}

/* ---- Starting it ---- */

static void cannot_be_run(const char *path, const char *why, const char *hint)
{
	struct ward_error err;
	ward_session *s;

	setenv("WARD_HELPER", path, 1);
	cr_expect_eq(try_attach(&s, &err), WARD_E_SYSTEM);
	cr_expect_str_eq(err.what, "ward-helper");
	cr_expect(strstr(err.why, why), "%s: %s", path, err.why);
	cr_expect(strstr(err.hint, hint), "%s: %s", path, err.hint);
	unsetenv("WARD_HELPER");
	is_as_before();
}

Test(helpers, missing)
{
	char text[] = "/tmp/ward-helper-XXXXXX";
	int fd = mkstemp(text);

	begin();
	cr_assert(fd >= 0 && write(fd, "no program", 10) == 10 && fchmod(fd, 0700) == 0);
	close(fd);
	before.files--;
	cannot_be_run("/none/ward-helper", "/none/ward-helper can't be run: No such file", "install");
	cannot_be_run("/etc/passwd", "can't be run: Permission denied", "install");
	cannot_be_run(text, "can't be started: Exec format error", "limit");
	cannot_be_run("/bin/true", "has ended", "limit");
	unlink(text);
}

static volatile sig_atomic_t children;

static void count_child(int sig)
{
	(void)sig;
	children++;
}

/* The program may wait for its children in a handler or in another thread, and think that all are its own. */
Test(helpers, is_no_child)
{
	const struct sigaction action[] = {{.sa_handler = count_child}, {.sa_handler = SIG_IGN},
		{.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT}};

	begin();
	for (size_t i = 0; i < sizeof(action) / sizeof(action[0]); i++) {
		sigset_t mask;
		ward_session *s;

		sigaction(SIGCHLD, &action[i], NULL);
		s = attach(getpid(), "exact", OWN);
		cr_expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
		call();
		cr_expect_eq(exact_sum(s).calls, CALLS);
		ward_session_free(s);
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		cr_expect(sigisemptyset(&mask));
		is_as_before();
	}
	cr_expect_eq(children, 0, "%d signals", (int)children);
}

/* A process that gets the orphans of others gets the helper, too, and is left with no zombie. */
Test(helpers, is_reaped)
{
	ward_session *s;

	begin();
	cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
	for (int i = 0; i < 2; i++) {
		s = attach(getpid(), "exact", OWN);
		cr_expect_eq(waitpid(-1, NULL, WNOHANG), 0, "it is there, and hasn't ended");
		call();
		cr_expect_eq(exact_sum(s).calls, CALLS);
		ward_session_free(s);
		is_as_before();
	}
}

static size_t size_of(pid_t pid, const char *file, char *text, size_t room)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	cr_assert_geq(fd, 0, "%s: %s", path, strerror(errno));
	got = read(fd, text, room - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got > 0 ? (size_t)got : 0;
}

static struct wl_message message;

static struct wl_helper start(void)
{
	struct wl_helper h;
	struct ward_error err;

	cr_assert_eq(wl_helper_start(&h, &err), 0, "%s: %s", err.what, err.why);
	prctl(PR_SET_PTRACER, h.pid, 0, 0, 0);
	cr_assert_eq(wl_message_receive(h.connection, &message), WL_RECEIVED);
	cr_assert(wl_message_as(&message, WL_HELLO, sizeof(struct wl_hello), 0));
	wl_message_done(&message);
	return h;
}

static void has_ended(struct wl_helper *h)
{
	struct pollfd end = {.fd = h->pidfd, .events = POLLIN};

	while (poll(&end, 1, -1) < 0 && errno == EINTR)
		;
	wl_helper_leave(h);
}

Test(helpers, inherits_nothing)
{
	const int number[] = {0, 1, 2, WL_HELPER_FD};
	struct wl_helper h;
	char text[4096], path[64];
	struct dirent *e;
	DIR *d;

	setenv("LD_PRELOAD", "libnone.so", 1);
	begin();
	h = start();
	cr_expect_eq(size_of(h.pid, "environ", text, sizeof(text)), 0);
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)h.pid);
	d = opendir(path);
	cr_assert(d);
	for (size_t n = 0; (e = readdir(d));)
		if (e->d_name[0] != '.')
			cr_expect(n < 4 && atoi(e->d_name) == number[n++], "%s", e->d_name);
	closedir(d);
	close(h.connection);
	h.connection = -1;
	has_ended(&h);
	is_as_before();
}

#ifndef __SANITIZE_ADDRESS__ /* whose leak check can't work in a program with more rights */
/* A set-user-id program is told nothing by its user. */
Test(helpers, is_found_by_nobodys_word)
{
	char folder[] = "/tmp/ward-find-XXXXXX", path[64], command[1024], line[512] = "";
	struct statvfs fs;
	FILE *f;

	cr_assert(mkdtemp(folder));
	if (geteuid() != 0 || statvfs(folder, &fs) < 0 || fs.f_flag & ST_NOSUID) {
		rmdir(folder);
		cr_skip_test("only root can make a set-user-id program, and not everywhere");
	}
	chmod(folder, 0755);
	snprintf(path, sizeof(path), "%s/find", folder);
	for (int secure = 0; secure < 2; secure++) {
		snprintf(command, sizeof(command),
			"cp %s %s && chown 65534 %s && chmod %s %s && WARD_HELPER=/bin/true %s", ODD_HELPER, path, path,
			secure ? "4755" : "0755", path, path);
		f = popen(command, "r");
		cr_assert(f && fgets(line, sizeof(line), f));
		pclose(f);
		cr_expect_str_eq(line, secure ? INSTALLED "\n" : "/bin/true\n");
		unlink(path);
	}
	rmdir(folder);
}
#endif

/* ---- What libward is sent ---- */

/* A program that is called so, in a folder of its own. */
static char folder[] = "/tmp/ward-odd-XXXXXX";

static void call_it(const char *kind, long n, bool once)
{
	char path[64], file[80];

	snprintf(path, sizeof(path), "%s/%s-%ld", folder, kind, n);
	cr_assert_eq(symlink(ODD_HELPER, path), 0);
	snprintf(file, sizeof(file), "%s.once", path);
	if (once)
		close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	setenv("WARD_HELPER", path, 1);
}

static void forget_it(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s.once", getenv("WARD_HELPER"));
	unlink(path);
	snprintf(path, sizeof(path), "%s.calls", getenv("WARD_HELPER"));
	unlink(path);
	unlink(getenv("WARD_HELPER"));
	unsetenv("WARD_HELPER");
}

Test(helpers, says_what_none_says)
{
	begin();
	cr_assert(mkdtemp(folder));
	for (int n = 0; n < ODD_SAYINGS; n++) {
		const char *why = n == ODD_VERSION || n == ODD_LONG_VERSION ? "it is of another build"
				  : n == ODD_SILENCE                        ? "has ended"
									    : "it has sent what can't be understood";
		struct ward_error err;
		ward_session *s;

		call_it("say", n, false);
		cr_expect_eq(try_attach(&s, &err), WARD_E_SYSTEM, "%d", n);
		cr_expect_null(s);
		cr_expect(strstr(err.why, why), "%d: %s: %s", n, err.what, err.why);
		forget_it();
		is_as_before();
	}
	rmdir(folder);
}

/* ---- A helper that dies ---- */

static struct {
	pthread_t id[2];
	pid_t tid[2];
	bool over;
	uint64_t steps;
	int epoll, woken;
	pthread_barrier_t ready;
} run;

static void be_ready(int i)
{
	run.tid[i] = gettid();
	pthread_barrier_wait(&run.ready);
}

static void *step(void *arg)
{
	be_ready(0);
	while (!__atomic_load_n(&run.over, __ATOMIC_SEQ_CST)) {
		__atomic_add_fetch(&run.steps, 1, __ATOMIC_SEQ_CST);
		pause_ms(1);
	}
	return arg;
}

/*
 * A wait that the kernel doesn't begin again by itself when a tracer has interrupted it. One that is killed before it
 * has mended that leaves EINTR.
 */
static void *await_event(void *arg)
{
	struct epoll_event event;

	be_ready(1);
	do
		run.woken = epoll_wait(run.epoll, &event, 1, -1) == 1 ? 1 : -errno;
	while (run.woken == -EINTR);
	return arg;
}

static void start_threads(void)
{
	void *(*const body[])(void *) = {step, await_event};

	run.epoll = epoll_create1(EPOLL_CLOEXEC);
	cr_assert_geq(run.epoll, 0);
	pthread_barrier_init(&run.ready, NULL, 3);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(pthread_create(&run.id[i], NULL, body[i], NULL), 0);
	pthread_barrier_wait(&run.ready);
}

/* All go on, with the signals that they had. */
static void threads_go_on(void)
{
	uint64_t steps = __atomic_load_n(&run.steps, __ATOMIC_SEQ_CST);

	while (__atomic_load_n(&run.steps, __ATOMIC_SEQ_CST) < steps + 2)
		pause_ms(1);
	for (int i = 0; i < 3; i++) {
		char path[64], text[4096];
		const char *line;

		snprintf(path, sizeof(path), "task/%d/status", (int)(i < 2 ? run.tid[i] : gettid()));
		size_of(getpid(), path, text, sizeof(text));
		line = strstr(text, "SigBlk:");
		cr_expect(line && strtoull(line + 7, NULL, 16) == 0);
		line = strstr(text, "TracerPid:");
		cr_expect(line && atoi(line + 10) == 0);
	}
}

static void end_threads(void)
{
	int bell[2];

	cr_assert_eq(pipe2(bell, O_CLOEXEC), 0);
	cr_assert_eq(epoll_ctl(run.epoll, EPOLL_CTL_ADD, bell[0], &(struct epoll_event){.events = EPOLLIN}), 0);
	__atomic_store_n(&run.over, true, __ATOMIC_SEQ_CST);
	cr_assert_eq(write(bell[1], "b", 1), 1);
	for (int i = 0; i < 2; i++)
		pthread_join(run.id[i], NULL);
	cr_expect_eq(run.woken, 1, "nothing else has ended its wait: %d", run.woken);
	close(bell[0]);
	close(bell[1]);
	close(run.epoll);
}

/* One session, whose helper is killed at its nth call of a kind. Returns whether the session began. */
static bool session_of_killed(const char *kind, long n)
{
	struct ward_error err;
	ward_session *s;
	bool attached;

	call_it(kind, n, true);
	attached = try_attach(&s, &err) == 0;
	cr_expect(attached || strstr(err.why, "has ended"), "%ld: %s: %s", n, err.what, err.why);
	threads_go_on();
	call();
	if (attached) {
		cr_expect_eq(exact_sum(s).calls, CALLS, "%ld", n);
		cr_expect_eq(ward_detach(s, &err), 0, "%ld: %s: %s", n, err.what, err.why);
		call();
		cr_expect_eq(exact_sum(s).calls, CALLS, "%ld", n);
		ward_session_free(s);
	}
	threads_go_on();
	return attached;
}

/* How many calls a helper makes that isn't killed. */
static long calls_of_helper(const char *kind)
{
	char path[64];
	long calls = 0;
	FILE *f;

	cr_assert(session_of_killed(kind, 0));
	snprintf(path, sizeof(path), "%s.calls", getenv("WARD_HELPER"));
	for (;;) {
		f = fopen(path, "r");
		if (f && fscanf(f, "%ld\n", &calls) == 1)
			break;
		if (f)
			fclose(f);
		pause_ms(1);
	}
	fclose(f);
	forget_it();
	return calls;
}

/* Some of these calls, evenly: at most so many. */
static void killed_at_calls(const char *kind, long points)
{
	int attached = 0, failed = 0;
	long calls;

	cr_assert(mkdtemp(folder));
	begin();
	start_threads();
	before.files = open_files();
	calls = calls_of_helper(kind);
	cr_expect_gt(calls, 50);
	points = points < calls ? points : calls;
	for (long i = 0; i < points; i++) {
		bool well = session_of_killed(kind, 1 + i * (calls - 1) / (points - 1));

		forget_it();
		attached += well;
		failed += !well;
		cr_expect_eq(target_changes(getpid()), before.changes);
	}
	/* The number of calls differs a little: even the last of these can be before the session begins. */
	cr_expect(failed, "all of %d sessions began", attached);
	cr_expect_eq(attached + failed, points);
	end_threads();
	rmdir(folder);
	cr_expect_neq(free_what_waits(), NOT_FREED);
	cr_expect_eq(target_changes(getpid()), before.changes);
}

Test(helpers, killed_at_any_call)
{
	killed_at_calls("kill", 20);
}

/* Between any two changes of a thread. */
Test(helpers, killed_while_it_traces)
{
	killed_at_calls("trace", 100);
}

/* A child of the process has a copy of the session. */
Test(helpers, child_is_forked)
{
	ward_session *s;
	int status;
	pid_t pid;

	begin();
	s = attach(getpid(), "exact", OWN);
	pid = fork();
	cr_assert_geq(pid, 0);
	if (pid == 0) {
		struct ward_error err;
		bool well = ward_detach(s, &err) == WARD_E_USAGE && strstr(err.why, "which has forked this one");

		ward_session_free(s);
		_exit(well ? 7 : 1);
	}
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 7, "%x", status);
	call();
	cr_expect_eq(exact_sum(s).calls, CALLS);
	ward_session_free(s);
	call();
	is_as_before();
}

/* ---- What the helper is sent ---- */

enum { ALL_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static struct module module;

/* A file with the module, changed by one bit there (0: not at all), with these seals. */
static int image_file(size_t changed, int seals)
{
	int fd = memfd_create("image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	uint8_t bit;

	cr_assert(fd >= 0 && write(fd, module.data, module.size) == (ssize_t)module.size);
	if (changed) {
		bit = ((uint8_t *)module.data)[changed] ^ 1;
		cr_assert_eq(pwrite(fd, &bit, 1, (off_t)changed), 1);
	}
	cr_assert_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

struct attach_message {
	struct wl_attach_message m;
	char texts[64];
};

static struct attach_message attach_message(void)
{
	struct attach_message a = {.m = {.head = {WL_ATTACH, 0}, .has_site = 1, .reports = 1}, .texts = OWN};

	a.m.head.size = (uint32_t)(sizeof(a.m) + sizeof(OWN));
	return a;
}

/* Exactly these bytes, whatever they say of themselves. */
static void send_bytes(const struct wl_helper *h, const void *bytes, size_t size, const int *files, size_t n_files)
{
	union {
		char bytes[CMSG_SPACE(8 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {(void *)(uintptr_t)bytes, size};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (n_files) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n_files * sizeof(int));
		control.align = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(n_files * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), files, n_files * sizeof(int));
	}
	cr_assert_eq(sendmsg(h->connection, &m, MSG_NOSIGNAL), (ssize_t)size);
}

/* The result in its answer; 1: it ends without one. */
static int answer_of(const struct wl_helper *h, const char **why)
{
	const struct wl_answer_message *m;
	const char *text[WL_ERROR_TEXTS];

	*why = "";
	for (;;) {
		wl_message_done(&message);
		if (wl_message_receive(h->connection, &message) != WL_RECEIVED)
			return 1;
		m = (const void *)message.bytes;
		if (m->head.kind == WL_ANSWER)
			break;
		cr_assert_eq(m->head.kind, WL_REPORT);
	}
	cr_assert(wl_message_texts(&message, sizeof(*m), text, WL_ERROR_TEXTS));
	*why = text[1];
	return m->rc;
}

/* It answers so (why: a part of the reason), or not at all (1), and ends. */
static void comes_to(struct wl_helper *h, int rc, const char *why)
{
	const char *said;
	int got = answer_of(h, &said);

	cr_expect_eq(got, rc, "%d: %s", got, said);
	cr_expect(strstr(said, why), "%s", said);
	wl_message_done(&message);
	has_ended(h);
	cr_expect_eq(target_changes(getpid()), before.changes);
}

static void order(const struct wl_helper *h, enum wl_message_kind kind)
{
	struct wl_order_message m = {.head = {kind, sizeof(m)}};

	send_bytes(h, &m, sizeof(m), NULL, 0);
}

/* An ATTACH with this image (closed then), and a pidfd. */
static void attach_with(int image, const struct attach_message *a, int pidfd, int rc, const char *why)
{
	struct wl_helper h = start();
	int file[] = {image, pidfd};

	send_bytes(&h, a, a->m.head.size, file, 2);
	comes_to(&h, rc, why);
	close(image);
}

Test(helpers, is_sent_what_is_no_message)
{
	struct attach_message a = attach_message();
	int pidfd, file[3];
	struct wl_message_head odd[] = {{WL_ATTACH, 7}, {WL_ATTACH, 9}, {WL_HELLO, 8}, {WL_DETACH, 8}, {99, 8}, {0, 8}};
	struct wl_helper h;

	module = module_read("exact");
	begin();
	pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	file[0] = image_file(0, ALL_SEALS);
	file[1] = file[2] = pidfd;
	h = start();
	send_bytes(&h, "abc", 3, NULL, 0);
	comes_to(&h, 1, "");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		h = start();
		send_bytes(&h, &odd[i], sizeof(odd[i]), NULL, 0);
		comes_to(&h, odd[i].size == 8 ? WARD_E_SYSTEM : 1, odd[i].size == 8 ? "isn't one that attaches" : "");
	}
	for (size_t n = 0; n <= 3; n++) {
		if (n == 2)
			continue; /* as it should be */
		h = start();
		send_bytes(&h, &a, a.m.head.size, file, n);
		comes_to(&h, n == 3 ? 1 : WARD_E_SYSTEM, n == 3 ? "" : "isn't one that attaches");
	}
	close(file[0]);
	close(pidfd);
	is_as_before();
	free(module.data);
}

Test(helpers, is_sent_odd_texts)
{
	static const uint32_t counts[] = {1, WL_MESSAGE_TEXTS, UINT32_MAX};
	struct attach_message a;
	int pidfd;

	module = module_read("exact");
	begin();
	pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	for (int i = 0; i < 9; i++) {
		a = attach_message();
		if (i == 0)
			a.m.head.size--; /* no end */
		else if (i == 1)
			a.m.head.size++; /* something behind it */
		else if (i == 2)
			a.m.head.size = sizeof(a.m);
		else
			*(i < 6 ? &a.m.n_allow : &a.m.n_more_sites) = counts[i % 3];
		attach_with(image_file(0, ALL_SEALS), &a, pidfd, WARD_E_SYSTEM,
			i < 4 || i == 6 ? "the names in a message aren't whole" : "isn't one that attaches");
	}
	a = attach_message();
	strcpy(a.texts, "nonsense");
	a.m.head.size = sizeof(a.m) + sizeof("nonsense");
	attach_with(image_file(0, ALL_SEALS), &a, pidfd, WARD_E_USAGE, "");
	a = attach_message();
	memcpy(a.texts, "a!b:return\0a!b:throw", sizeof("a!b:return\0a!b:throw"));
	a.m.head.size = sizeof(a.m) + sizeof("a!b:return\0a!b:throw");
	a.m.n_more_sites = 1;
	attach_with(image_file(0, ALL_SEALS), &a, pidfd, WARD_E_USAGE, "on returns and on exceptions at once");
	close(pidfd);
	is_as_before();
	free(module.data);
}

/* It believes neither that the image was verified, nor that it stays as it is, nor whose process that is. */
Test(helpers, is_sent_other_files)
{
	const int seals[] = {0, ALL_SEALS & ~F_SEAL_WRITE, ALL_SEALS & ~F_SEAL_SHRINK, ALL_SEALS & ~F_SEAL_GROW};
	struct attach_message a = attach_message();
	int own, other, empty;
	size_t rejected = 0;

	module = module_read("exact");
	begin();
	own = (int)syscall(SYS_pidfd_open, getpid(), 0);
	other = (int)syscall(SYS_pidfd_open, getppid(), 0);
	for (size_t i = 0; i < sizeof(seals) / sizeof(seals[0]); i++)
		attach_with(image_file(0, seals[i]), &a, own, WARD_E_SYSTEM, "isn't sealed");
	attach_with(open("/dev/zero", O_RDONLY | O_CLOEXEC), &a, own, WARD_E_SYSTEM, "isn't sealed");
	empty = memfd_create("image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	cr_assert_eq(fcntl(empty, F_ADD_SEALS, ALL_SEALS), 0);
	attach_with(empty, &a, own, WARD_E_SYSTEM, "is empty or too large");
	empty = memfd_create("image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	cr_assert(ftruncate(empty, (64 << 20) + 1) == 0 && fcntl(empty, F_ADD_SEALS, ALL_SEALS) == 0);
	attach_with(empty, &a, own, WARD_E_SYSTEM, "is empty or too large");
	for (size_t at = module.size / 10; at < module.size; at += module.size / 10) {
		struct ward_attach_options o = {.size = sizeof(o)};
		uint8_t *byte = (uint8_t *)module.data + at;
		int rc;

		*byte ^= 1;
		rc = ward_check(module.data, module.size, &o, NULL);
		*byte ^= 1;
		if (rc != WARD_E_REJECTED)
			continue; /* of debug information */
		rejected++;
		attach_with(image_file(at, ALL_SEALS), &a, own, WARD_E_REJECTED, "V-");
	}
	cr_expect_gt(rejected, 0);
	attach_with(image_file(0, ALL_SEALS), &a, other, WARD_E_TARGET, "isn't the process of the pidfd");
	attach_with(image_file(0, ALL_SEALS), &a, empty = open("/dev/null", O_RDONLY | O_CLOEXEC), WARD_E_USAGE,
		"isn't a pidfd");
	close(empty);
	close(own);
	close(other);
	is_as_before();
	free(module.data);
}

/* It attaches, and then is sent something else than the one message that there is. */
Test(helpers, is_sent_too_much)
{
	struct attach_message a = attach_message();
	int file[] = {0, (int)syscall(SYS_pidfd_open, getpid(), 0)};
	const char *why;

	module = module_read("exact");
	begin();
	for (int i = 0; i < 4; i++) {
		struct wl_helper h = start();

		file[0] = image_file(0, ALL_SEALS);
		send_bytes(&h, &a, a.m.head.size, file, 2);
		cr_assert_eq(answer_of(&h, &why), 0, "%s", why);
		cr_expect_gt(target_changes(getpid()), before.changes);
		if (i == 0)
			order(&h, WL_DETACH);
		else if (i == 1)
			send_bytes(&h, &a, a.m.head.size, file, 2);
		else if (i == 2)
			order(&h, WL_CLEAN);
		else
			send_bytes(&h, "abc", 3, NULL, 0);
		close(file[0]);
		cr_expect_eq(answer_of(&h, &why), i == 0 ? 0 : 1);
		wl_message_done(&message);
		if (i == 0) {
			close(h.connection);
			h.connection = -1;
		}
		has_ended(&h);
		if (i) { /* as after any tracer that is gone */
			h = start();
			order(&h, WL_CLEAN);
			comes_to(&h, 0, "");
		}
		cr_expect_eq(target_changes(getpid()), before.changes);
	}
	close(file[1]);
	cr_expect_neq(free_what_waits(), NOT_FREED);
	free(module.data);
}
