/* What can be done with a session once it is attached. */
#include "session.h"

#include "error.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct ward_session *wl_session_new(struct ward_image *image)
{
	struct ward_session *s = calloc(1, sizeof(*s));

	if (!s) {
		wl_image_free(image);
		return NULL;
	}
	s->image = image;
	s->a.p.pidfd = s->a.p.mem = s->a.code_fd = s->a.state_fd = -1;
	s->a.remote_code_fd = s->a.remote_state_fd = -1;
	s->unmatched = calloc(wl_image_facts(image)->n_entries, sizeof(*s->unmatched));
	if (s->unmatched)
		return s;
	s->detached = true;
	ward_session_free(s);
	return NULL;
}

/* The child may be reaped now: remember how it ended. */
static void reap(struct ward_session *s)
{
	int status;

	if (!s->is_child || s->ended)
		return;
	if (waitpid(s->a.p.pid, &status, WNOHANG) == s->a.p.pid && (WIFEXITED(status) || WIFSIGNALED(status))) {
		s->ended = true;
		s->wait_status = status;
	}
}

int ward_wait(ward_session *s, int timeout_ms)
{
	struct pollfd pfd = {.fd = s->a.p.pidfd, .events = POLLIN};

	if (s->ended)
		return 1;
	if (poll(&pfd, 1, timeout_ms) != 1)
		return 0;
	reap(s);
	return 1;
}

int ward_exit_status(const ward_session *s)
{
	return s->ended ? s->wait_status : -1;
}

struct detach_job {
	struct ward_session *session;
	struct ward_error *err;
};

static int detach_live(void *arg)
{
	struct detach_job *job = arg;
	struct wl_attachment *a = &job->session->a;
	bool quiet;
	int rc = wl_unpatch(a, &quiet, job->err);

	if (rc)
		return rc;
	if (quiet)
		wl_unmap(a, NULL);
	else
		a->left_mapped = true;
	return 0;
}

int ward_detach(ward_session *s, struct ward_error *err)
{
	struct ward_error local;
	struct detach_job job = {.session = s, .err = err ? err : &local};
	int rc;

	wl_clear(job.err);
	if (s->detached)
		return 0;
	if (wl_process_gone(&s->a.p)) {
		s->detached = true;
		return 0;
	}
	rc = wl_as_tracer(detach_live, &job, job.err);
	if (rc && wl_process_dying(&s->a.p))
		rc = 0;
	if (rc == 0) {
		wl_clear(job.err);
		s->detached = true;
	}
	return rc;
}

void ward_session_free(ward_session *s)
{
	if (!s)
		return;
	ward_detach(s, NULL);
	wl_attachment_free(&s->a);
	wl_image_free(s->image);
	free(s->states);
	free(s->unmatched);
	free(s);
}

/* The target writes these words at any time, and perhaps nonsense: each is read once. */
static uint64_t shared_word(const struct ward_session *s, size_t row, size_t offset)
{
	const char *p = s->a.shared;

	return *(const volatile uint64_t *)(p + row * WL_ROW_SIZE + offset);
}

static uint32_t states_in_use(const struct ward_session *s)
{
	uint64_t n;

	if (!s->a.shared)
		return 0;
	n = shared_word(s, 0, offsetof(struct wl_tally, states));
	return n < s->a.slots.max_threads ? (uint32_t)n : s->a.slots.max_threads;
}

void ward_session_stats(const ward_session *s, struct ward_session_stats *stats)
{
	*stats = (struct ward_session_stats){.threads = states_in_use(s)};
	for (size_t i = 0; i < s->a.sites.n; i++)
		stats->sites += wl_can(&s->a.sites.v[i].entry) || wl_can(&s->a.sites.v[i].exit);
	if (!s->a.shared)
		return;
	stats->dropped = shared_word(s, 0, offsetof(struct wl_tally, dropped));
	for (size_t row = 1; row < s->a.slots.rows; row++) {
		stats->events += shared_word(s, row, offsetof(struct wl_tally, events));
		stats->dropped += shared_word(s, row, offsetof(struct wl_tally, dropped));
	}
}

size_t ward_session_states(ward_session *s, const void *const **states, size_t *state_size)
{
	const char *base = s->a.shared;
	uint32_t n = states_in_use(s);
	const void **v;

	*states = NULL;
	*state_size = wl_image_facts(s->image)->state_size;
	if (n == 0)
		return 0;
	v = realloc(s->states, n * sizeof(*v));
	if (!v)
		return 0;
	s->states = v;
	for (uint32_t i = 0; i < n; i++)
		v[i] = base + s->a.states_offset + i * s->a.slots.state_stride;
	*states = v;
	return n;
}
