/*
 * A process that attaches to itself.
 *
 * Nobody can trace the threads of his own process, and what stops them all must not wait for a lock that one of them holds. So a helper does it: a copy of the process, made by fork, which
 * has our session and the verified image in its own memory, attaches to us as it would to any other process, and stands by as long as the session lives, to detach. We read the state through the
 * shared file that it hands us.
 *
 *   we                                        helper
 *   fork ───────────────────────────────────→ fork once more, so that it is no child of ours that somebody might wait for; close all our files
 *        ←──────────────────────────── HELLO  which process it is: it may trace us from now on (Yama)
 *   GO   ───────────────────────────────────→ attach
 *        ←─────────────────────────── REPORT  for each site
 *        ←─────────────────────────── ANSWER  the result; where the state is, and its file
 *   GO   ───────────────────────────────────→ detach
 *        ←─────────────────────────── ANSWER
 *   close ──────────────────────────────────→ end
 *
 * It also ends when we do, or become another program: the connection is closed then, which it notices in whatever it does. Should somebody kill it, the probes stay, as with any tracer that is killed.
 *
 * What a copy of a program with several threads can do hangs on its memory allocator: glibc's, and those that programs use in its place, put their locks right at a fork; AddressSanitizer's doesn't.
 */
#include "session.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { HELLO = 1, REPORT, ANSWER };

enum { FIRST_FREE = 3 }; /* the number of the helper's end of the connection */

/* Messages have the same form on both sides: they are one program. Pointers in it to static strings are right on both, too. */
struct message {
	enum kind kind;
	pid_t pid; /* HELLO */
	int rc;    /* ANSWER */
	struct ward_error err;
	uint32_t n_attached;
	struct wl_slots slots;
	uint64_t states_offset, shared_size;
	struct wl_pauses pauses; /* ANSWER: so far */
	struct ward_site_report report; /* REPORT; its strings follow */
};

enum { TEXTS = 5 }; /* site, probe, and those that need not be there: chosen, arguments, symbol */

/* ---- The connection ---- */

static bool send_message(int to, const struct message *m, const char *const texts[TEXTS], int file)
{
	struct iovec part[1 + TEXTS] = {{(void *)(uintptr_t)m, sizeof(*m)}};
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr h = {.msg_iov = part, .msg_iovlen = 1 + TEXTS};
	ssize_t sent;

	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = texts[i] ? texts[i] : "";

		part[1 + i] = (struct iovec){(void *)(uintptr_t)text, strlen(text) + 1};
	}
	if (file >= 0) {
		h.msg_control = &control;
		h.msg_controllen = sizeof(control.bytes);
		control.align = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), &file, sizeof(file));
	}
	do
		sent = sendmsg(to, &h, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent > 0;
}

/* The next message, to be freed; a file that came with it goes to *file. NULL: the helper is gone, or there is no memory. */
static struct message *receive(int from, int *file)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {0};
	struct msghdr h = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct message *m;
	ssize_t size;

	do
		size = recv(from, NULL, 0, MSG_PEEK | MSG_TRUNC);
	while (size < 0 && errno == EINTR);
	if (size < (ssize_t)sizeof(*m))
		return NULL;
	m = malloc((size_t)size);
	if (!m)
		return NULL;
	part = (struct iovec){m, (size_t)size};
	do
		size = recvmsg(from, &h, MSG_CMSG_CLOEXEC);
	while (size < 0 && errno == EINTR);
	if (size < (ssize_t)sizeof(*m)) {
		free(m);
		return NULL;
	}
	if (h.msg_controllen >= CMSG_LEN(sizeof(int)) && control.align.cmsg_type == SCM_RIGHTS)
		memcpy(file, CMSG_DATA(&control.align), sizeof(*file));
	return m;
}

static bool go(int to)
{
	return send(to, "g", 1, MSG_NOSIGNAL) == 1;
}

/* The helper waits for the word. False: nobody is there any more. */
static bool told_to_go(int from)
{
	ssize_t got;
	char c;

	do
		got = recv(from, &c, 1, 0);
	while (got < 0 && errno == EINTR);
	return got == 1;
}

/* ---- The helper ---- */

static void pass_report(void *user, const struct ward_site_report *report)
{
	struct message m = {.kind = REPORT, .report = *report};

	(void)user;
	send_message(FIRST_FREE, &m, (const char *const[TEXTS]){report->site, report->probe, report->chosen, report->arguments, report->symbol}, -1);
}

static void answer(const struct ward_session *s, int rc, const struct ward_error *err)
{
	struct message m = {.kind = ANSWER, .rc = rc, .err = *err, .n_attached = s->n_attached, .slots = s->a.slots, .pauses = s->a.pauses};

	m.states_offset = s->a.states_offset;
	m.shared_size = s->a.shared_size;
	send_message(FIRST_FREE, &m, (const char *const[TEXTS]){NULL}, rc ? -1 : s->a.state_fd);
}

/* Keep no file of the process open that it may want to be rid of. */
static bool keep_only(int connection)
{
	int null = open("/dev/null", O_RDWR), high = fcntl(connection, F_DUPFD, 2 * FIRST_FREE);

	if (null < 0 || high < 0)
		return false;
	for (int i = 0; i < FIRST_FREE; i++)
		if (dup2(null, i) < 0)
			return false;
	return dup3(high, FIRST_FREE, O_CLOEXEC) == FIRST_FREE && close_range(FIRST_FREE + 1, ~0u, 0) == 0;
}

static void end_if_alone(int signal)
{
	struct pollfd connection = {.fd = FIRST_FREE};

	(void)signal;
	if (poll(&connection, 1, 0) == 1)
		_exit(1);
}

/* Look once a second whether the others are there still. */
static void watch_connection(void)
{
	const struct sigaction action = {.sa_handler = end_if_alone, .sa_flags = SA_RESTART};
	const struct itimerval each_second = {{1, 0}, {1, 0}};
	sigset_t alarm;

	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	setitimer(ITIMER_REAL, &each_second, NULL);
}

static void __attribute__((noreturn)) help(struct ward_session *s, pid_t pid, struct ward_attach_options o, int connection)
{
	struct message hello = {.kind = HELLO, .pid = getpid()};
	struct ward_error err = {0};
	bool wants_reports = o.on_site != NULL;
	int rc;

	if (!keep_only(connection) || !send_message(FIRST_FREE, &hello, (const char *const[TEXTS]){NULL}, -1) || !told_to_go(FIRST_FREE))
		_exit(1);
	watch_connection();
	prctl(PR_SET_NAME, "ward-tracer");
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	o.on_site = wants_reports ? pass_report : NULL;
	o.names = NULL;
	o.pidfd = 0; /* of a file that is closed by now: looked at before */
	rc = wl_attach_live(s, pid, &o, &err);
	wl_session_report(s, &o);
	answer(s, rc, &err);
	while (rc == 0 && told_to_go(FIRST_FREE)) {
		memset(&err, 0, sizeof(err));
		answer(s, wl_detach_live(s, &err), &err);
	}
	_exit(0);
}

/* ---- We ---- */

static int helper_gone(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "helper", "the process that traces this one for it has ended");
	wl_hint(err, "is there a limit on processes or memory? Probes that are attached stay as they are");
	return WARD_E_SYSTEM;
}

/* All signals are blocked: a handler of the program's own has nothing to do in a copy of it. */
static int start_helper(struct ward_session *s, const struct ward_attach_options *o, struct ward_error *err)
{
	int pair[2], error = 0;
	sigset_t all, old;
	pid_t middle;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return wl_fail(err, WARD_E_SYSTEM, "socketpair", "%s", strerror(errno));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	middle = fork();
	if (middle == 0) {
		pid_t child = fork();

		if (child == 0)
			help(s, s->a.p.pid, *o, pair[1]);
		_exit(child < 0 ? errno & 0xff : 0);
	}
	if (middle < 0)
		error = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	/* The program may have set SIGCHLD so that nothing can be waited for: then the missing HELLO tells. */
	while (middle > 0 && waitpid(middle, NULL, 0) < 0 && errno == EINTR)
		;
	if (error) {
		close(pair[0]);
		return wl_fail(err, WARD_E_SYSTEM, "fork", "%s", strerror(error));
	}
	s->helper = pair[0];
	return 0;
}

/* Reports go to the caller, until the answer comes. */
static int await_answer(struct ward_session *s, const struct ward_attach_options *o, struct ward_error *err)
{
	int file = -1, rc;
	struct message *m;

	while ((m = receive(s->helper, &file)) && m->kind == REPORT) {
		struct ward_site_report r = m->report;
		const char *text[TEXTS] = {(const char *)(m + 1)};

		for (size_t i = 1; i < TEXTS; i++)
			text[i] = text[i - 1] + strlen(text[i - 1]) + 1;
		r.site = text[0];
		r.probe = text[1];
		r.chosen = r.chosen ? text[2] : NULL;
		r.arguments = r.arguments ? text[3] : NULL;
		r.symbol = r.symbol ? text[4] : NULL;
		o->on_site(o->user, &r);
		free(m);
	}
	if (!m)
		return helper_gone(err);
	rc = m->rc;
	*err = m->err;
	s->a.pauses = m->pauses;
	if (rc == 0 && !s->a.shared) {
		s->n_attached = m->n_attached;
		s->a.slots = m->slots;
		s->a.states_offset = m->states_offset;
		s->a.shared_size = m->shared_size;
		s->a.shared = mmap(NULL, m->shared_size, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
		if (s->a.shared == MAP_FAILED) {
			s->a.shared = NULL;
			rc = wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
		}
	}
	if (file >= 0)
		close(file);
	free(m);
	return rc;
}

static int attach_by_helper(struct ward_session *s, const struct ward_attach_options *o, struct ward_error *err)
{
	struct message *hello;
	int file = -1, rc = start_helper(s, o, err);

	if (rc)
		return rc;
	hello = receive(s->helper, &file);
	if (!hello)
		return helper_gone(err);
	prctl(PR_SET_PTRACER, hello->pid, 0, 0, 0); /* no such thing, no need for it */
	free(hello);
	rc = go(s->helper) ? await_answer(s, o, err) : helper_gone(err);
	if (rc && s->n_attached && go(s->helper)) /* it is attached, and we can't look at it */
		free(receive(s->helper, &file));
	return rc;
}

int wl_itself_attach(struct ward_session *s, const struct ward_attach_options *o, struct ward_error *err)
{
	int rc = wl_process_open(&s->a.p, getpid(), err);

	if (rc == 0 && o->pidfd > 0)
		rc = wl_process_check(&s->a.p, o->pidfd, err);
	if (rc)
		return rc;
	rc = attach_by_helper(s, o, err);
	if (rc == 0 && o->names)
		ward_names_open(getpid(), o->names, NULL);
	return rc;
}

int wl_itself_detach(struct ward_session *s, struct ward_error *err)
{
	static const struct ward_attach_options none = {.size = sizeof(none)};

	return go(s->helper) ? await_answer(s, &none, err) : helper_gone(err);
}
