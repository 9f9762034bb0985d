/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that attaches to itself.
 *
 * A process can't trace its own threads, and the code that stops them all must not wait for a lock that one of them
 * holds. So a program does it that this process starts, ward-helper (loader/helper/program/main.c). It has none of our
 * locks. We send it the image, in a file that can't be changed any more; it verifies that image itself, attaches to us
 * as to any other process, and stays as long as the session lives, to detach. We read the state through the shared file
 * that it sends us.
 *
 * Its messages (loader/helper/message.h) are checked like any other input. A helper that ends, at whatever moment,
 * leaves our threads running and, in our memory, a record of what it had begun, as any tracer that is killed. If it
 * has ended before its work was done, another one takes off what it has left.
 *
 * A child that we fork has a copy of the session and of the connection. It isn't what the probes were attached to, so
 * it leaves the helper alone.
 */
#include "ops.h"

#include "loader/attach/attach.h"
#include "loader/base/error.h"
#include "loader/helper/message.h"
#include "loader/helper/start.h"
#include "loader/symbols/names.h"
#include "loader/symbols/stack_table.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What we have of the session. */
struct self {
	struct wl_attachment a;    /* the helper's own; of ours there is the process, and our view of the counts */
	struct ward_pauses pauses; /* as the helper has said last */
	struct wl_helper helper;
	struct wl_message message; /* its last one */
	ward_names *names;         /* as the caller has them, or NULL */
	bool lost;                 /* it hasn't answered, or not so that it can be understood */
};

/* ---- What comes from the helper ---- */

static int helper_gone(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "ward-helper", "the process that traces this one for it has ended");
	wl_hint(err, "is there a limit on processes or memory? Probes that are attached stay as they are");
	return WARD_E_SYSTEM;
}

static int not_understood(struct ward_error *err)
{
	wl_fail(err, WARD_E_SYSTEM, "ward-helper", "it has sent what can't be understood");
	wl_hint(err, "is it the program that belongs to this libward? Probes that are attached stay as they are");
	return WARD_E_SYSTEM;
}

static int answer_receive(struct self *s, struct ward_error *err)
{
	wl_message_done(&s->message);
	switch (wl_message_receive(s->helper.connection, &s->message)) {
	case WL_RECEIVED: return 0;
	case WL_CLOSED: return helper_gone(err);
	default: return not_understood(err);
	}
}

static int take_hello(struct self *s, struct ward_error *err)
{
	const struct wl_hello *hello;
	const char *other;
	int rc = answer_receive(s, err);

	if (rc)
		return rc;
	hello = wl_message_as(&s->message, WL_HELLO, sizeof(*hello), 0);
	if (!hello)
		return not_understood(err);
	other = wl_hello_other(hello);
	if (!other)
		return 0;
	wl_fail(err, WARD_E_SYSTEM, "ward-helper", "it is of another build (version %s) than this libward (%s)", other,
		ward_version());
	wl_hint(err, "install both from one package, or say by WARD_HELPER where the right one is");
	return WARD_E_SYSTEM;
}

/* To the caller. False if it is none. */
static bool pass_report(const struct self *s, const struct ward_attach_options *o)
{
	const struct wl_report_message *m = wl_message_as(&s->message, WL_REPORT, sizeof(*m), 0);
	const char *text[WL_REPORT_TEXTS];
	const uint32_t needed = 1u << WL_TEXT_SITE | 1u << WL_TEXT_PROBE;

	if (!m || !wl_message_texts(&s->message, sizeof(*m), text, WL_REPORT_TEXTS) || (m->present & needed) != needed)
		return false;
	for (int i = 0; i < WL_REPORT_TEXTS; i++)
		if (!(m->present >> i & 1))
			text[i] = NULL;
	if (!text[WL_TEXT_METHOD] == !text[WL_TEXT_REASON]) /* attached or skipped */
		return false;
	if (o->on_site)
		o->on_site(o->user, &(struct ward_site_report){
					    .site = text[WL_TEXT_SITE],
					    .probe = text[WL_TEXT_PROBE],
					    .method = text[WL_TEXT_METHOD],
					    .reason = text[WL_TEXT_REASON],
					    .address = m->address,
					    .number = m->number,
					    .exits = m->exits,
					    .chosen = text[WL_TEXT_CHOSEN],
					    .arguments = text[WL_TEXT_ARGUMENTS],
					    .symbol = text[WL_TEXT_SYMBOL],
					    .inlined = m->inlined,
					    .module = text[WL_TEXT_MODULE],
				    });
	return true;
}

/* The answer that was received, if it is one; it has a file only where one is expected, and if it is no failure. */
static const struct wl_answer_message *answer_of(const struct self *s, bool with_state)
{
	const struct wl_answer_message *m = wl_message_as(&s->message, WL_ANSWER, sizeof(*m), 0);

	if (!m && with_state)
		m = wl_message_as(&s->message, WL_ANSWER, sizeof(*m), 1);
	if (!m || m->rc > 0 || m->rc < WARD_E_SYSTEM)
		return NULL;
	return (s->message.n_files == 1) == (with_state && m->rc == 0) ? m : NULL;
}

/* What it says of a failure; it may have no words for it. */
static int take_error(const struct self *s, const struct wl_answer_message *m, struct ward_error *err)
{
	const char *text[WL_ERROR_TEXTS];

	if (!wl_message_texts(&s->message, sizeof(*m), text, WL_ERROR_TEXTS))
		return not_understood(err);
	if (m->rc == 0)
		return 0;
	wl_fail(err, m->rc, text[0], "%s", text[1]);
	wl_hint(err, "%s", text[2]);
	return m->rc;
}

/*
 * Where the state is. Its size and that of the table before it follow from the image and the options; the file must be
 * as large as is said, and stay so.
 */
static int take_state(struct self *s, const struct wl_answer_message *m, uint32_t max_threads, struct ward_error *err)
{
	const struct ward_module_facts *facts = wl_image_facts(s->a.image);
	struct wl_slots *slots = &s->a.slots;
	int file = s->message.file[0], seals = fcntl(file, F_GET_SEALS);
	struct stat st;

	wl_slots_plan(slots, max_threads, facts->state_size);
	if (m->states_offset == 0 || m->states_offset < (uint64_t)slots->rows * WL_ROW_SIZE ||
		m->states_offset % WL_PAGE || m->shared_size < slots->states_size ||
		m->states_offset > m->shared_size - slots->states_size ||
		m->shared_size - slots->states_size - m->states_offset < facts->data.memsz)
		return not_understood(err);
	if (m->stacks_offset && (m->stacks_offset % WL_PAGE || m->shared_size < WL_STACKS_SIZE ||
					m->stacks_offset > m->shared_size - WL_STACKS_SIZE))
		return not_understood(err);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(file, &st) < 0 || (uint64_t)st.st_size < m->shared_size)
		return not_understood(err);
	s->a.shared = mmap(NULL, m->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
	if (s->a.shared == MAP_FAILED) {
		s->a.shared = NULL;
		return wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
	}
	s->a.shared_size = m->shared_size;
	/* By the table in front, which is read-only, others know that this is a view (attach/clean.c). */
	if (mprotect(s->a.shared, m->states_offset, PROT_READ))
		return wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
	s->a.states_offset = m->states_offset;
	s->a.stacks_offset = m->stacks_offset;
	s->a.data_offset = m->states_offset + slots->states_size;
	s->a.n_attached = m->n_attached;
	return 0;
}

/* Reports go to the caller, until the answer comes. `o`: what was to be attached; NULL: it was to detach. */
static int await_answer(struct self *s, const struct ward_attach_options *o, struct ward_error *err)
{
	const struct wl_answer_message *m;
	int rc;

	while ((rc = answer_receive(s, err)) == 0 && o && pass_report(s, o))
		;
	if (rc)
		return rc;
	m = answer_of(s, o);
	if (!m)
		return not_understood(err);
	if (m->pauses.count) /* one that only cleans counts none */
		s->pauses = m->pauses;
	rc = take_error(s, m, err);
	if (rc == 0 && o)
		rc = take_state(s, m, o->max_threads, err);
	s->lost = rc != m->rc;
	return rc;
}

/* ---- What it is sent ---- */

static void *put_text(void *to, const char *text)
{
	return mempcpy(to, text, strlen(text) + 1);
}

/* The message that attaches, to be freed; NULL with *err. */
static struct wl_attach_message *attach_message(
	const struct ward_attach_options *o, size_t *size, struct ward_error *err)
{
	size_t texts = strlen(o->site ? o->site : "") + 1;
	struct wl_attach_message *m;
	char *p;

	for (size_t i = 0; i < o->n_more_sites && texts <= WL_MESSAGE_TEXTS; i++)
		texts += strlen(o->more_sites[i]) + 1;
	for (size_t i = 0; i < o->n_allow && texts <= WL_MESSAGE_TEXTS; i++)
		texts += strlen(o->allow[i]) + 1;
	if (texts > WL_MESSAGE_TEXTS) {
		wl_fail(err, WARD_E_USAGE, "options",
			"the sites and the names of what is allowed have more than %d bytes", (int)WL_MESSAGE_TEXTS);
		wl_hint(err, "a site can be a pattern: MODULE!PART*");
		return NULL;
	}
	*size = sizeof(*m) + texts;
	m = malloc(*size);
	if (!m) {
		wl_no_memory(err);
		return NULL;
	}
	*m = (struct wl_attach_message){.head = {.kind = WL_ATTACH},
		.max_insns = o->max_insns,
		.max_stack = o->max_stack,
		.max_state = o->max_state,
		.max_threads = o->max_threads,
		.has_site = o->site != NULL,
		.n_more_sites = (uint32_t)o->n_more_sites,
		.n_allow = (uint32_t)o->n_allow,
		.reports = o->on_site != NULL,
		.both_ends = o->both_ends,
		.ordered_times = o->ordered_times};
	p = put_text(m + 1, o->site ? o->site : "");
	for (size_t i = 0; i < o->n_more_sites; i++)
		p = put_text(p, o->more_sites[i]);
	for (size_t i = 0; i < o->n_allow; i++)
		p = put_text(p, o->allow[i]);
	return m;
}

/* A file with the image that nobody can change; -1 with *err. */
static int seal_image(const struct ward_image *image, struct ward_error *err)
{
	int fd = memfd_create("ward-image", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t size, done = 0;
	const char *bytes = wl_image_file(image, &size);

	while (fd >= 0 && done < size) {
		ssize_t n = write(fd, bytes + done, size - done);

		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0 && done == size &&
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
		return fd;
	wl_fail(err, WARD_E_SYSTEM, "memory", "the module can't be given to the helper: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static int send_attach(struct self *s, const struct ward_attach_options *o, struct ward_error *err)
{
	size_t size;
	struct wl_attach_message *m = attach_message(o, &size, err);
	int file[WL_MESSAGE_FILES], rc = 0;

	if (!m)
		return err->status;
	file[0] = seal_image(s->a.image, err);
	file[1] = s->a.p.pidfd;
	if (file[0] < 0)
		rc = err->status;
	else if (!wl_message_send(s->helper.connection, m, size, NULL, 0, file, WL_MESSAGE_FILES))
		rc = helper_gone(err);
	if (file[0] >= 0)
		close(file[0]);
	free(m);
	return rc;
}

static int helper_begin(struct self *s, struct ward_error *err)
{
	int rc = wl_helper_start(&s->helper, err);

	if (rc == 0)
		prctl(PR_SET_PTRACER, s->helper.pid, 0, 0, 0); /* no such thing, no need for it */
	return rc;
}

static int order_send(struct self *s, enum wl_message_kind kind, struct ward_error *err)
{
	struct wl_order_message m = {.head = {.kind = kind}};

	return wl_message_send(s->helper.connection, &m, sizeof(m), NULL, 0, NULL, 0) ? 0 : helper_gone(err);
}

/* Another helper takes off what the first one has left, which can't be reached any more. */
static int take_off(struct self *s, struct ward_error *err)
{
	int rc;

	wl_helper_kill(&s->helper);
	rc = helper_begin(s, err);
	if (rc == 0)
		rc = order_send(s, WL_CLEAN, err);
	if (rc == 0)
		rc = take_hello(s, err);
	return rc ? rc : await_answer(s, NULL, err);
}

/* Only one that has begun can have left something. */
static int attach_by_helper(struct self *s, const struct ward_attach_options *o, struct ward_error *err)
{
	struct ward_error ignored;
	int rc = helper_begin(s, err);

	if (rc == 0)
		rc = send_attach(s, o, err);
	if (rc == 0)
		rc = take_hello(s, err);
	if (rc)
		return rc;
	s->lost = true; /* until it has answered */
	rc = await_answer(s, o, err);
	if (s->lost)
		take_off(s, &ignored);
	return rc;
}

static int detach_by_helper(struct self *s, struct ward_error *err)
{
	int rc;

	if (s->a.p.pid != getpid()) {
		wl_fail(err, WARD_E_USAGE, "ward_detach", "the session is of process %d, which has forked this one",
			(int)s->a.p.pid);
		wl_hint(err, "only that process can end it");
		return WARD_E_USAGE;
	}
	s->lost = true;
	rc = order_send(s, WL_DETACH, err);
	if (rc == 0)
		rc = await_answer(s, NULL, err);
	return s->lost ? take_off(s, err) : rc;
}

/* ---- The table's row ---- */

static int self_check(struct ward_attach_options *o, struct ward_error *err)
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
	s->helper = (struct wl_helper){.pidfd = -1, .connection = -1};
	rc = wl_process_open(&s->a.p, t->pid, err);
	if (rc == 0 && o->pidfd > 0)
		rc = wl_process_check(&s->a.p, o->pidfd, err);
	if (rc)
		return rc;
	rc = attach_by_helper(s, o, err);
	if (rc == 0 && o->names && ward_names_open(t->pid, o->names, NULL) == 0) {
		s->names = wl_names_share(*o->names);
		wl_names_stacks(s->names, 0, s->message.file[0], s->a.stacks_offset);
		wl_names_look(s->names, &s->a.p);
	}
	return rc;
}

static int self_detach(struct ward_session *session, bool force, struct ward_error *err)
{
	struct self *s = session->own;
	int rc;

	wl_names_look(s->names, &s->a.p);
	rc = detach_by_helper(s, err);
	if (rc == 0)
		wl_names_over(s->names);
	(void)force;
	return rc && wl_process_dying(&s->a.p) ? 0 : rc;
}

static void free_own(struct ward_session *session)
{
	struct self *s = session->own;

	if (!s)
		return;
	wl_message_done(&s->message);
	wl_helper_leave(&s->helper);
	ward_names_close(s->names);
	wl_attachment_free(&s->a);
	free(s);
}

static bool wait_for(struct ward_session *session, int timeout_ms)
{
	const struct self *s = session->own;

	return wl_names_wait(s->names, &s->a.p, timeout_ms);
}

static void self_stats(const struct ward_session *session, struct ward_session_stats *stats)
{
	const struct self *s = session->own;

	wl_attachment_stats(&s->a, stats);
}

static bool self_gate_is_shut(const struct ward_session *session)
{
	const struct self *s = session->own;

	return wl_attachment_shut(&s->a);
}

static void self_pauses(struct ward_session *session, struct ward_pauses *pauses)
{
	const struct self *s = session->own;

	pthread_mutex_lock(&session->lock);
	*pauses = s->pauses;
	pthread_mutex_unlock(&session->lock);
}

/* Whoever reads what is kept may ask for names next, and this process has been loading libraries meanwhile. */
static const void **self_states(const struct ward_session *session, size_t *n)
{
	const struct self *s = session->own;

	wl_names_poll(s->names, &s->a.p);
	return wl_attachment_states(&s->a, n);
}

static const void **self_shared(const struct ward_session *session, size_t *n)
{
	const struct self *s = session->own;

	return wl_attachment_shared(&s->a, n);
}

const struct wl_backend wl_backend_self = {
	.profile = WARD_PROFILE_USER,
	.check = self_check,
	.attach = attach_self,
	.wait = wait_for,
	.detach = self_detach,
	.free = free_own,
	.stats = self_stats,
	.shut = self_gate_is_shut,
	.pauses = self_pauses,
	.states = self_states,
	.shared = self_shared,
};
