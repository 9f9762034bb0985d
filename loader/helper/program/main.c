/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-helper: attaches probes to the process that has started it, since a process can't trace its own threads.
 *
 * It is a program of its own, which that process executes (loader/helper/start.c). It has one thread and no lock, file
 * or memory of that process. What it attaches is a module that comes in a sealed file and is verified here once more;
 * what it attaches to is the process at the other end of the connection, as the kernel names it. So a process can do
 * no harm by what it sends, except to itself.
 *
 * It stays to detach, and ends when the connection is closed: the process has ended or executed another program, or
 * its session is over. If it is killed, the probes stay, as with any tracer that is killed.
 */
#include "loader/attach/attach.h"
#include "loader/base/error.h"
#include "loader/helper/message.h"
#include "loader/helper/start.h"
#include "loader/inject/unwind_tables.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IMAGE_MAX = 64 << 20 /* more is no module (V-01) */, SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static struct wl_message message; /* the last one that was received */

/* ---- The process ---- */

/* While we are at work, too: is the process there still? */
static void end_if_alone(int signal)
{
	struct pollfd connection = {.fd = WL_HELPER_FD};
	int saved = errno;

	(void)signal;
	if (poll(&connection, 1, 0) == 1 && connection.revents & POLLHUP)
		_exit(1);
	errno = saved;
}

/* All signals stay blocked, as a terminal sends some to all processes, but the one that the connection sends. */
static void set_signals(void)
{
	struct sigaction action = {.sa_handler = end_if_alone, .sa_flags = SA_RESTART};
	sigset_t mask;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigfillset(&mask);
	sigdelset(&mask, SIGIO);
	sigaction(SIGIO, &action, NULL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	fcntl(WL_HELPER_FD, F_SETOWN, getpid());
	fcntl(WL_HELPER_FD, F_SETFL, O_ASYNC);
}

/* Who made the connection; 0: there is none, or he is in another namespace. */
static pid_t peer(void)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(WL_HELPER_FD, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
		return 0;
	return credentials.pid > 0 ? credentials.pid : 0;
}

/* ---- What it wants ---- */

static int not_understood(struct ward_error *err, const char *what)
{
	return wl_fail(err, WARD_E_SYSTEM, "ward-helper", "%s", what);
}

/* Verify the image that is in the file. */
static int read_image(int file, const struct ward_attach_options *o, struct ward_image **image, struct ward_error *err)
{
	int seals = fcntl(file, F_GET_SEALS), rc;
	struct stat st;
	void *bytes;

	if (seals < 0 || (seals & SEALS) != SEALS)
		return not_understood(err, "the module's file isn't sealed");
	if (fstat(file, &st) < 0 || st.st_size <= 0 || st.st_size > IMAGE_MAX)
		return not_understood(err, "the module's file is empty or too large");
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		return wl_fail(err, WARD_E_SYSTEM, "mmap", "%s", strerror(errno));
	rc = wl_image_verify(bytes, (size_t)st.st_size, WARD_PROFILE_USER, o, NULL, 0, image, err);
	munmap(bytes, (size_t)st.st_size);
	return rc;
}

/* The options in the message, with its texts. */
static void set_options(struct ward_attach_options *o, const struct wl_attach_message *m, const char **texts)
{
	*o = (struct ward_attach_options){
		.size = sizeof(*o),
		.site = m->has_site ? texts[0] : NULL,
		.max_insns = m->max_insns,
		.max_stack = m->max_stack,
		.max_state = m->max_state,
		.max_threads = m->max_threads,
		.more_sites = texts + 1,
		.n_more_sites = m->n_more_sites,
		.both_ends = m->both_ends,
		.ordered_times = m->ordered_times,
		.allow = texts + 1 + m->n_more_sites,
		.n_allow = m->n_allow,
		.pidfd = message.file[1],
	};
}

/* ---- What it gets ---- */

static void send_report(void *user, const struct ward_site_report *r)
{
	const char *text[WL_REPORT_TEXTS] = {
		r->site, r->probe, r->method, r->reason, r->chosen, r->arguments, r->symbol, r->module};
	struct wl_report_message m = {.head = {.kind = WL_REPORT},
		.address = r->address,
		.inlined = r->inlined,
		.number = r->number,
		.exits = r->exits};

	(void)user;
	for (int i = 0; i < WL_REPORT_TEXTS; i++)
		m.present |= (uint32_t)(text[i] != NULL) << i;
	wl_message_send(WL_HELPER_FD, &m, sizeof(m), text, WL_REPORT_TEXTS, NULL, 0);
}

/* With the file of the state, if it is new to the process. */
static void send_answer(const struct wl_attachment *a, int rc, const struct ward_error *err, bool with_state)
{
	struct wl_answer_message m = {.head = {.kind = WL_ANSWER},
		.rc = rc,
		.n_attached = a->n_attached,
		.states_offset = a->states_offset,
		.shared_size = a->shared_size,
		.stacks_offset = a->stacks_offset};
	const char *const text[WL_ERROR_TEXTS] = {err->what, err->why, err->hint};

	wl_pauses_tell(&a->pauses, &m.pauses);
	wl_message_send(WL_HELPER_FD, &m, sizeof(m), text, WL_ERROR_TEXTS, &a->state_fd, with_state && rc == 0 ? 1 : 0);
}

static int attach_image(struct wl_attachment *a, struct ward_image **image, struct ward_error *err)
{
	const struct wl_attach_message *m = wl_message_as(&message, WL_ATTACH, sizeof(*m), 2);
	struct ward_attach_options sent, o;
	const char **texts;
	size_t n;
	int rc;

	if (!m || m->n_allow >= WL_MESSAGE_TEXTS || m->n_more_sites >= WL_MESSAGE_TEXTS)
		return not_understood(err, "the first message isn't one that attaches");
	n = 1 + (size_t)m->n_more_sites + m->n_allow;
	texts = calloc(n, sizeof(*texts));
	if (!texts)
		return wl_no_memory(err);
	if (wl_message_texts(&message, sizeof(*m), texts, n)) {
		set_options(&sent, m, texts);
		rc = wl_options(&sent, &o, err);
		if (rc == 0)
			rc = read_image(message.file[0], &o, image, err);
	} else {
		rc = not_understood(err, "the names in a message aren't whole");
	}
	if (rc == 0) {
		wl_attachment_init(a, *image);
		o.on_site = m->reports ? send_report : NULL;
		rc = wl_attach_live(a, peer(), &o, err);
		wl_report_sites(a, &o);
	}
	free(texts);
	return rc;
}

/* Until there is a message; meanwhile threads that stop late are let go, and stacks go through libraries that come. */
static bool next_message(struct wl_attachment *a)
{
	struct pollfd connection = {.fd = WL_HELPER_FD, .events = POLLIN};

	wl_message_done(&message);
	while ((wl_let_go_late(a->p.late) || a->tables) && poll(&connection, 1, 1) == 0)
		wl_tables_poll(a);
	return wl_message_receive(WL_HELPER_FD, &message) == WL_RECEIVED;
}

static bool is_order(enum wl_message_kind kind)
{
	return wl_message_as(&message, kind, sizeof(struct wl_order_message), 0) &&
	       message.size == sizeof(struct wl_order_message);
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
static int clean_up(struct ward_error *err)
{
	struct left left = {0};
	struct ward_cleanup_options o = {.size = sizeof(o), .on_leftover = look_at_leftover, .user = &left};
	int rc = wl_cleanup_live(peer(), &o, err);

	return left.seen && !left.standing ? 0 : rc;
}

static void serve_process(void)
{
	struct ward_error err = {0};
	struct wl_attachment a;
	struct ward_image *image = NULL;
	bool only_clean = is_order(WL_CLEAN);
	int rc;

	wl_attachment_init(&a, NULL);
	rc = only_clean ? clean_up(&err) : attach_image(&a, &image, &err);
	send_answer(&a, rc, &err, !only_clean);
	while (rc == 0 && !only_clean && next_message(&a) && is_order(WL_DETACH)) {
		memset(&err, 0, sizeof(err));
		send_answer(&a, wl_detach_live(&a, &err), &err, false);
	}
}

int main(void)
{
	struct wl_hello hello;

	if (!peer()) {
		fprintf(stderr, "ward: ward-helper: it is started by libward, for programs that attach to themselves\n"
				"hint: `ward trace` attaches probes to a process\n");
		return 2;
	}
	set_signals();
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	wl_hello_make(&hello);
	if (chdir("/") == 0 && wl_message_send(WL_HELPER_FD, &hello, sizeof(hello), NULL, 0, NULL, 0) &&
		wl_message_receive(WL_HELPER_FD, &message) == WL_RECEIVED)
		serve_process();
	_exit(0); /* what is attached stays */
}
