/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that attaches to itself.
 *
 * A process can't trace its own threads, and the code that stops them all must not wait for a lock that one of them
 * holds. So a helper does it: a copy of the process, made by fork, which has our session and the verified image in
 * its own memory. It attaches to us as it would to any other process, and stays as long as the session lives, to
 * detach. We read the state through the shared file that it sends us.
 *
 *   we                                        helper
 *   fork ───────────────────────────────────→ fork once more, so that it is no child of ours that other code might
 *                                             wait for; close all our files
 *        ←──────────────────────────── HELLO  its process id: it may trace us from now on (Yama)
 *   GO   ───────────────────────────────────→ attach
 *        ←─────────────────────────── REPORT  for each site
 *        ←─────────────────────────── ANSWER  the result; where the state is, and its file
 *   GO   ───────────────────────────────────→ detach
 *        ←─────────────────────────── ANSWER
 *   close ──────────────────────────────────→ end
 *
 * The helper also ends when we end or execute another program: then the connection is closed, which it notices in
 * whatever it does. If it is killed, the probes stay, as with any tracer that is killed.
 *
 * The helper has all locks as our threads held them at the fork. glibc's allocator, and most of those that programs
 * use instead, reset theirs at a fork; AddressSanitizer's, as of gcc 12, doesn't. A helper that waits for such a lock
 * detects that it will never be released (lock_deadlock.c). Then it ends, wherever it is in its work, and we fork
 * another one, when the lock may be free:
 *
 *   GO   ───────────────────────────────────→ …
 *        ←─────────────────────────── STUCK   whether it may have left something in us
 *   wait until it has ended
 *   fork ───────────────────────────────────→ take off what the first helper has left, as ward_cleanup does; attach,
 *                                             as above
 *
 * We run correctly whenever the helper ends, as with any tracer that is killed: our threads continue, and our memory
 * has a record of what it had begun. The helper can only get stuck at an allocation. It makes none between the first
 * jump that it writes and the last thread that it moves out of patched bytes; none in the reverse steps, when jumps
 * are taken off; and none while it still has to restore a thread's interrupted system call. It does allocate between
 * two system calls that a thread makes for it, so it restores that thread before it ends. It sends its reports about
 * sites when it needs no more memory.
 */
#include "ops.h"

#include "loader/attach/attach.h"
#include "loader/base/error.h"
#include "loader/base/lock_deadlock.h"

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
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { HELLO = 1, REPORT, ANSWER, STUCK };

enum { FIRST_FREE = 3 }; /* the number of the helper's end of the connection */
enum { HELPERS = 10, IS_STUCK = 1 /* no WARD_E_… */ };

/* What a helper is to do. */
struct task {
	const struct ward_attach_options *attach; /* NULL: only to take off what another one has left */
	bool sweep;                               /* that comes first */
};

/*
 * Messages have the same form on both sides: they are one program. Pointers in it to static strings are right on both,
 * too.
 */
struct message {
	enum kind kind;
	pid_t pid;    /* HELLO */
	bool touched; /* STUCK: it has been at work in us */
	int rc;       /* ANSWER */
	struct ward_error err;
	uint32_t n_attached;
	struct wl_slots slots;
	uint64_t states_offset, shared_size;
	struct wl_pauses pauses;        /* ANSWER, STUCK: so far */
	struct ward_site_report report; /* REPORT; its strings follow */
};

/* What we have of the session. */
struct self {
	struct wl_attachment a; /* the helper's own; of ours there is the process, and our view of the counts */
	int helper;             /* the connection to it; -1: none */
	int helper_process;     /* a pidfd of it */
	bool helper_lost;       /* it couldn't get on, and has left our probes as they are */
};

enum { TEXTS = 6 }; /* site, probe, and those that need not be there: chosen, arguments, symbol, module */

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
		control.align = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), &file, sizeof(file));
	}
	do
		sent = sendmsg(to, &h, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent > 0;
}

/*
 * The next message, to be freed; a file that came with it goes to *file. NULL: the helper is gone, or there is no
 * memory.
 */
static struct message *receive(int from, int *file)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {0};
	struct msghdr h = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
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

/* The helper waits for GO. False: the other side is gone. */
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

static void pass_report(const struct ward_site_report *report)
{
	struct message m = {.kind = REPORT, .report = *report};

	send_message(FIRST_FREE, &m,
		(const char *const[TEXTS]){
			report->site, report->probe, report->chosen, report->arguments, report->symbol, report->module},
		-1);
}

/* Reports that are kept until all are there: each with its texts behind it. */
struct reports {
	char *v;
	size_t n, room;
};

static void pass_reports(struct reports *kept)
{
	for (size_t at = 0; at < kept->n;) {
		struct ward_site_report r;
		const char **text[TEXTS] = {&r.site, &r.probe, &r.chosen, &r.arguments, &r.symbol, &r.module};

		memcpy(&r, kept->v + at, sizeof(r));
		at += sizeof(r);
		for (size_t i = 0; i < TEXTS; i++) {
			*text[i] = *text[i] ? kept->v + at : NULL;
			at += *text[i] ? strlen(*text[i]) + 1 : 0;
		}
		pass_report(&r);
	}
	kept->n = 0;
}

static void keep_report(void *user, const struct ward_site_report *r)
{
	const char *text[TEXTS] = {r->site, r->probe, r->chosen, r->arguments, r->symbol, r->module};
	struct reports *kept = user;
	size_t size = sizeof(*r);
	char *p;

	for (size_t i = 0; i < TEXTS; i++)
		size += text[i] ? strlen(text[i]) + 1 : 0;
	if (kept->room - kept->n < size) {
		size_t room = 2 * (kept->room + size);

		p = realloc(kept->v, room);
		if (!p) { /* then at once */
			pass_reports(kept);
			pass_report(r);
			return;
		}
		kept->v = p;
		kept->room = room;
	}
	p = mempcpy(kept->v + kept->n, r, sizeof(*r));
	for (size_t i = 0; i < TEXTS; i++)
		p = text[i] ? stpcpy(p, text[i]) + 1 : p;
	kept->n += size;
}

static void answer(const struct self *s, int rc, const struct ward_error *err)
{
	struct message m = {.kind = ANSWER,
		.rc = rc,
		.err = *err,
		.n_attached = s->a.n_attached,
		.slots = s->a.slots,
		.pauses = s->a.pauses};

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

/* What a helper has to look after. */
struct helper {
	struct self *self;
	const struct task *task;
	struct wl_remote_use calls; /* to be put back when it ends */
	struct wl_standstill standstill;
};

/* Are the others there still? */
static void end_if_alone(void *user)
{
	struct pollfd connection = {.fd = FIRST_FREE};

	(void)user;
	if (poll(&connection, 1, 0) == 1 && connection.revents & POLLHUP)
		_exit(1);
}

static void give_up(void *user)
{
	struct helper *h = user;
	struct message m = {.kind = STUCK};

	if (h->calls.now)
		wl_remote_end(h->calls.now);
	m.touched = h->calls.ever;
	m.pauses = h->self->a.pauses;
	send_message(FIRST_FREE, &m, (const char *const[TEXTS]){NULL}, -1);
	_exit(1);
}

static int attach(struct helper *h, pid_t pid, struct ward_attach_options o, struct ward_error *err)
{
	struct self *s = h->self;
	struct reports kept = {0};
	int rc;

	if (o.on_site) {
		o.on_site = keep_report;
		o.user = &kept;
	}
	o.names = NULL;
	o.pidfd = 0; /* of a file that is closed by now: looked at before */
	rc = wl_attach_live(&s->a, pid, &o, &h->calls, err);
	if (s->a.stuck)
		give_up(h);
	wl_report_sites(&s->a, &o);
	pass_reports(&kept);
	return rc;
}

/* Places that still have a jump, of all that ended tracers have left. */
struct left {
	bool seen, standing;
};

static void look_at_leftover(void *user, const struct ward_leftover *l)
{
	struct left *left = user;

	left->seen |= !l->live;
	left->standing |= !l->live && l->restored < l->places;
}

/* That memory stays is no failure. */
static int sweep(pid_t pid, struct wl_remote_use *use, struct ward_error *err)
{
	struct left left = {0};
	struct ward_cleanup_options o = {.size = sizeof(o), .on_leftover = look_at_leftover, .user = &left};
	int rc = wl_cleanup_live(pid, &o, use, err);

	return left.seen && !left.standing ? 0 : rc;
}

static int do_task(struct helper *h, pid_t pid, struct ward_error *err)
{
	int rc = 0;

	wl_standstill_watch(&h->standstill, true);
	if (h->task->sweep)
		rc = sweep(pid, &h->calls, err);
	if (h->task->attach) {
		memset(err, 0, sizeof(*err));
		rc = attach(h, pid, *h->task->attach, err);
	}
	return rc;
}

static int no_timer(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "timer", "%s", strerror(errno));
	wl_hint(err, "is there a limit on pending signals (ulimit -i)?");
	return WARD_E_SYSTEM;
}

static void __attribute__((noreturn)) help(struct self *s, const struct task *task, int connection)
{
	struct helper h = {
		.self = s, .task = task, .standstill = {.look = end_if_alone, .give_up = give_up, .user = &h}};
	struct message hello = {.kind = HELLO, .pid = getpid()};
	struct ward_error err = {0};
	int rc;

	if (!keep_only(connection) || !send_message(FIRST_FREE, &hello, (const char *const[TEXTS]){NULL}, -1) ||
		!told_to_go(FIRST_FREE))
		_exit(1);
	prctl(PR_SET_NAME, "ward-tracer");
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	rc = wl_standstill_begin(&h.standstill) ? do_task(&h, s->a.p.pid, &err) : no_timer(&err);
	answer(s, rc, &err);
	while (rc == 0 && task->attach) {
		wl_standstill_watch(&h.standstill, false);
		while (wl_let_go_late(s->a.p.late) &&
			poll(&(struct pollfd){.fd = FIRST_FREE, .events = POLLIN}, 1, 1) == 0)
			;
		if (!told_to_go(FIRST_FREE))
			break;
		wl_standstill_watch(&h.standstill, true);
		memset(&err, 0, sizeof(err));
		answer(s, wl_detach_live(&s->a, &err), &err);
	}
	_exit(0);
}

/* ---- We ---- */

static void let_helper_go(struct self *s)
{
	if (s->helper >= 0)
		close(s->helper);
	if (s->helper_process >= 0)
		close(s->helper_process);
	s->helper = s->helper_process = -1;
}

static int helper_gone(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "helper", "the process that traces this one for it has ended");
	wl_hint(err, "is there a limit on processes or memory? Probes that are attached stay as they are");
	return WARD_E_SYSTEM;
}

/*
 * All signals are blocked: a handler of the program's own has nothing to do in a copy of it; nor has what it wants to
 * be called at a fork, once that has put its locks right in the first of the two.
 */
static int start_helper(struct self *s, const struct task *task, struct ward_error *err)
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
		if (syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) == 0)
			help(s, task, pair[1]);
		_exit(0);
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

/*
 * Then all that it held of ours is released: our threads, and the locks by which a cleanup sees that the tracer is
 * alive.
 */
static void await_end(const struct self *s)
{
	struct pollfd process = {.fd = s->helper_process, .events = POLLIN};

	while (poll(&process, 1, -1) < 0 && errno == EINTR)
		;
}

/* Reports go to the caller, until the answer comes. */
static int await_answer(struct self *s, const struct ward_attach_options *o, struct ward_error *err)
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
		r.module = r.module ? text[5] : NULL;
		if (o && o->on_site)
			o->on_site(o->user, &r);
		free(m);
	}
	if (!m)
		return helper_gone(err);
	s->a.pauses = m->pauses;
	if (m->kind == STUCK) {
		s->helper_lost |= m->touched;
		free(m);
		await_end(s);
		return IS_STUCK;
	}
	rc = m->rc;
	*err = m->err;
	if (rc == 0 && o) {
		s->a.n_attached = m->n_attached;
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

/* One helper, and what comes of its work. */
static int by_helper(struct self *s, const struct task *task, struct ward_error *err)
{
	struct message *hello;
	int file = -1, rc = start_helper(s, task, err);

	if (rc)
		return rc;
	hello = receive(s->helper, &file);
	if (!hello)
		return helper_gone(err);
	s->helper_process = (int)syscall(SYS_pidfd_open, hello->pid, 0);
	prctl(PR_SET_PTRACER, hello->pid, 0, 0, 0); /* no such thing, no need for it */
	free(hello);
	if (s->helper_process < 0)
		return wl_fail(err, WARD_E_SYSTEM, "helper", "%s", strerror(errno));
	return go(s->helper) ? await_answer(s, task->attach, err) : helper_gone(err);
}

static int all_stuck(struct ward_error *err, const char *what)
{
	wl_fail(err, WARD_E_SYSTEM, what,
		"each copy of this process that was to trace it waited for a lock that another thread held when it was "
		"made (%d copies)",
		(int)HELPERS);
	return WARD_E_SYSTEM;
}

static int take_off(struct self *s, struct ward_error *err)
{
	const struct task task = {.sweep = true};
	int rc = IS_STUCK;

	for (int i = 0; i < HELPERS && rc == IS_STUCK; i++) {
		let_helper_go(s);
		rc = by_helper(s, &task, err);
	}
	if (rc != IS_STUCK)
		return rc;
	rc = all_stuck(err, "detach");
	wl_hint(err, "probes that are attached stay as they are: let another process take them off (ward detach -p %d)",
		(int)getpid());
	return rc;
}

static int detach_by_helper(struct self *s, struct ward_error *err)
{
	int rc = IS_STUCK;

	if (!s->helper_lost)
		rc = go(s->helper) ? await_answer(s, NULL, err) : helper_gone(err);
	s->helper_lost |= rc == IS_STUCK;
	return rc == IS_STUCK ? take_off(s, err) : rc;
}

static int attach_by_helper(struct self *s, const struct ward_attach_options *o, struct ward_error *err)
{
	struct task task = {.attach = o};
	struct ward_error ignored;
	int rc = IS_STUCK;

	for (int i = 0; i < HELPERS && rc == IS_STUCK; i++) {
		let_helper_go(s);
		task.sweep = s->helper_lost;
		rc = by_helper(s, &task, err);
	}
	if (rc == IS_STUCK) {
		if (s->helper_lost)
			take_off(s, &ignored);
		rc = all_stuck(err, "attach");
		wl_hint(err, "its memory allocator, or other code with locks, doesn't support fork: attach before "
			     "other threads begin, or from another process");
	}
	s->helper_lost = false;
	if (rc && s->a.n_attached) /* it is attached, and we can't see its state */
		detach_by_helper(s, &ignored);
	return rc;
}

/* ---- The table's row ---- */

static int check(struct ward_attach_options *o, struct ward_error *err)
{
	if (!o->follow && !o->later)
		return 0;
	wl_fail(err, WARD_E_USAGE, "ward_attach", "%s",
		o->follow ? "a process can't follow its own children"
			  : "a process can't watch itself for libraries that it loads later");
	wl_hint(err, "let another process do it: ward trace --%s -p %d", o->follow ? "follow" : "later", (int)getpid());
	return WARD_E_USAGE;
}

static int attach_self(
	struct ward_session *session, struct wl_target *t, const struct ward_attach_options *o, struct ward_error *err)
{
	struct self *s = session->own = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return wl_no_memory(err);
	wl_attachment_init(&s->a, session->image);
	s->helper = s->helper_process = -1;
	rc = wl_process_open(&s->a.p, t->pid, err);
	if (rc == 0 && o->pidfd > 0)
		rc = wl_process_check(&s->a.p, o->pidfd, err);
	if (rc)
		return rc;
	rc = attach_by_helper(s, o, err);
	if (rc == 0 && o->names)
		ward_names_open(t->pid, o->names, NULL);
	return rc;
}

static int detach(struct ward_session *session, bool force, struct ward_error *err)
{
	struct self *s = session->own;
	int rc = detach_by_helper(s, err);

	(void)force;
	return rc && wl_process_dying(&s->a.p) ? 0 : rc;
}

static void free_own(struct ward_session *session)
{
	struct self *s = session->own;

	if (!s)
		return;
	let_helper_go(s);
	wl_attachment_free(&s->a);
	free(s);
}

static bool wait_for(struct ward_session *session, int timeout_ms)
{
	const struct self *s = session->own;

	return wl_process_wait(&s->a.p, timeout_ms);
}

static void stats(const struct ward_session *session, struct ward_session_stats *stats)
{
	const struct self *s = session->own;

	wl_attachment_stats(&s->a, stats);
}

static bool shut(const struct ward_session *session)
{
	const struct self *s = session->own;

	return wl_attachment_shut(&s->a);
}

static void pauses(struct ward_session *session, struct ward_pauses *pauses)
{
	const struct self *s = session->own;

	pthread_mutex_lock(&session->lock);
	wl_pauses_tell(&s->a.pauses, pauses);
	pthread_mutex_unlock(&session->lock);
}

static const void **states(const struct ward_session *session, size_t *n)
{
	const struct self *s = session->own;

	return wl_attachment_states(&s->a, n);
}

const struct wl_backend wl_backend_self = {
	.profile = WARD_PROFILE_USER,
	.check = check,
	.attach = attach_self,
	.wait = wait_for,
	.detach = detach,
	.free = free_own,
	.stats = stats,
	.shut = shut,
	.pauses = pauses,
	.states = states,
};
