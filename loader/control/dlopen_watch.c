/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are loaded after the attach: ward_attach_options.later.
 *
 * A thread of ours, the watcher, looks now and then at what the process has mapped, and traces nobody in between. Code
 * of files that wasn't there before is attached to by an attachment of its own, beside those that are there: as a
 * program of a followed process is, it goes on with the states that one has left which is gone (a lane), and its sites
 * have the numbers that they had before, so a library that comes and goes all day costs no more than one that came
 * once. An attachment is taken off when nothing that it has sites in is mapped any more; its patches went with that,
 * and what is left is its own memory.
 *
 * A library may be gone and there again at the same address between two looks. Then the bytes of a patch are the
 * file's, though the gate is open: nobody has taken it off.
 *
 * Ten looks a second would let a library run for a while that isn't probed yet. So where a dynamic linker tells, its
 * list is glimpsed at in between, a thousand times a second, which is a read of few bytes; the next look comes at once
 * when it has got longer and the linker is done.
 *
 * What a process does there may be meant to keep us busy. So a look is followed by a pause of many times what it took,
 * and attaching by one of several times that; one that can't be done is tried more and more seldom.
 */
#include "follow.h"

#include "loader/attach/start_program.h"
#include "loader/base/error.h"
#include "loader/symbols/moved_code.h"
#include "loader/inject/recovery_record.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
	MOST_PROGRAMS = 64,
	LOOK_MS = 100,
	GLIMPSE_MS = 1, /* where the dynamic linker tells whether something has come */
	AGAIN_MS = 4,   /* when something came, and it tells when it is done; it relocates it then */
	LOOK_SHARE = 20,
	ATTACH_SHARE = 4,  /* times as long as it has computed */
	MOST_FAILURES = 6, /* double the pause */
	LONGEST_MS = 10000,
	OVERTAKEN_MAX = 100,
};

struct watch {
	struct wl_follow *f;
	struct wl_process *p; /* the first one, which is the only one */
	struct ward_attach_options options;
	struct wl_places seen; /* where sites have been looked for, owned by the program that has some there */
	struct wl_places news; /* where they haven't, in the last look */
	uint64_t linker;
	uint64_t last; /* library of the linker's list, before the last look; 0: it can't be known */
	bool pending;  /* something has come, and the linker was busy */
	unsigned failures;
	uint64_t worked; /* nanoseconds of processor time that tracers had since the last look */
	bool begun;
	bool nothing, overtaken;                          /* why an attachment failed */
	char told[sizeof(((struct ward_error *)0)->why)]; /* why it couldn't be done */
	struct wl_threads *held;                          /* at the beginning of a program that was started */
	struct wl_attachment *attachment;                 /* to be attached or detached by a tracer */
	struct ward_error err;
};

/* ---- Attachments ---- */

/* Of this thread. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int attach_live(void *arg)
{
	struct watch *w = arg;
	uint64_t start = cpu_ns();
	int turn = wl_process_turn(w->p->pid), rc = wl_attach(w->attachment, &w->options, w->held, &w->err);

	if (turn >= 0)
		close(turn);
	w->worked += cpu_ns() - start;
	return rc;
}

static int detach_live(void *arg)
{
	struct watch *w = arg;
	uint64_t start = cpu_ns();
	int rc = wl_detach_live(w->attachment, &w->err);

	w->worked += cpu_ns() - start;
	return rc;
}

/*
 * A thread that traces something, and ends: whatever can't be let go is let go then. How long others stood still for it
 * is the session's.
 */
static int do_live(struct watch *w, int (*fn)(void *arg), struct wl_attachment *a)
{
	struct wl_pauses *sum = &w->f->pauses, *one = &a->pauses;
	int rc;

	w->attachment = a;
	memset(&w->err, 0, sizeof(w->err));
	rc = w->held ? fn(w) : wl_as_tracer(fn, w, &w->err);
	pthread_mutex_lock(&w->f->lock);
	sum->n += one->n;
	sum->total += one->total;
	sum->most = one->most > sum->most ? one->most : sum->most;
	for (size_t i = 0; i < sizeof(sum->by_power) / sizeof(sum->by_power[0]); i++)
		sum->by_power[i] += one->by_power[i];
	pthread_mutex_unlock(&w->f->lock);
	*one = (struct wl_pauses){0};
	return rc;
}

static size_t count_programs(const struct wl_follow *f)
{
	size_t n = 0;

	for (const struct wl_program *p = f->programs; p; p = p->next)
		n++;
	return n;
}

/* A patch that the program has there, or NULL. */
static const struct wl_patch *patch_in(const struct wl_program *p, const struct wl_place *place)
{
	const struct wl_sites *s = &p->attachment->sites;

	for (size_t i = 0; i < s->n_patches; i++)
		if (s->patches[i].patched && s->patches[i].d.addr >= place->start && s->patches[i].d.addr < place->end)
			return &s->patches[i];
	return NULL;
}

/* The program has sites at some of these places; at least one is its own, for as long as that is there. */
static void own(struct wl_program *p, struct wl_places *places)
{
	for (size_t i = 0; i < places->n; i++)
		if (patch_in(p, &places->v[i])) {
			places->v[i].owner = p;
			p->places++;
		}
	if (!p->places && places->n) {
		places->v[0].owner = p;
		p->places = 1;
	}
}

static int say_too_many(struct watch *w)
{
	wl_fail(&w->err, WARD_E_TARGET, "libraries that are loaded later", "more than %d of them are probed at a time",
		(int)MOST_PROGRAMS);
	return WARD_E_TARGET;
}

static int attach(struct watch *w, struct wl_places *places)
{
	struct wl_follow *f = w->f;
	struct wl_program *p =
		count_programs(f) < MOST_PROGRAMS ? wl_program_new(f, &(struct wl_proc){.pid = w->p->pid}) : NULL;
	struct wl_attachment *a = p ? wl_program_attachment(f, p, w->p->pid) : NULL;
	int rc;

	w->nothing = w->overtaken = false;
	if (!a) {
		rc = !p && count_programs(f) >= MOST_PROGRAMS ? say_too_many(w)
		     : p && *p->reason ? wl_fail(&w->err, WARD_E_TARGET, "attach", "%s", p->reason)
				       : wl_no_memory(&w->err);
		wl_program_put(f, p);
		return rc;
	}
	a->only = places;
	a->later = w->begun;
	rc = do_live(w, attach_live, a);
	a->only = NULL;
	w->nothing = a->nothing;
	w->overtaken = a->overtaken;
	if (rc == 0 || a->nothing)
		wl_tell_sites(f, a, !w->begun);
	wl_program_attached(f, p, a, rc, &w->err);
	if (rc == 0)
		own(p, places);
	else
		wl_program_put(f, p);
	return rc;
}

/* Take it off, and forget it. */
static int take_off(struct watch *w, struct wl_program *p)
{
	int rc = wl_process_gone(w->p) ? 0 : do_live(w, detach_live, p->attachment);

	if (rc == 0 || wl_process_dying(w->p)) {
		wl_program_put(w->f, p);
		return 0;
	}
	return rc;
}

/* ---- Looking ---- */

/* Has the library been loaded anew at the same place? */
static bool is_new_copy(const struct watch *w, const struct wl_place *place)
{
	const struct wl_program *p = place->owner;
	const struct wl_patch *patch = p ? patch_in(p, place) : NULL;
	size_t n = patch ? wl_patch_size(patch) : 0;
	uint8_t now[WL_JUMP_SIZE];
	uint8_t gate = 0; /* its flags stand beside it */

	if (!patch || !wl_process_read(w->p, patch->d.addr, now, n) || memcmp(now, patch->jump, n) == 0)
		return false;
	if (!wl_process_read(w->p, p->attachment->slots.gate, &gate, sizeof(gate)) || !(gate & WL_GATE_OPEN))
		return false;
	return memcmp(now, patch->d.bytes, n) == 0 || wl_found_replaced(w->p, patch, now);
}

/* What was seen and isn't there any more, or not as it was. */
static void forget_gone(struct watch *w, const struct wl_places *now)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->seen.n; i++) {
		struct wl_place *place = &w->seen.v[i];
		const struct wl_place *found = wl_places_find(now, place);

		if (found && !is_new_copy(w, place)) {
			/* something else may come behind it */
			place->end = place->end < found->end ? place->end : found->end;
			w->seen.v[kept++] = *place;
		} else if (place->owner) {
			((struct wl_program *)place->owner)->places--;
		}
	}
	w->seen.n = kept;
}

/* Returns whether all could be. */
static bool take_off_gone(struct watch *w)
{
	bool all = true;

	for (struct wl_program *p = w->f->programs, *next; p; p = next) {
		next = p->next;
		if (p->places == 0)
			all &= take_off(w, p) == 0;
	}
	return all;
}

/* What is left of `now` are news. */
static void keep_news(const struct watch *w, struct wl_places *now)
{
	size_t kept = 0;

	for (size_t i = 0; i < now->n; i++)
		if (!wl_places_find(&w->seen, &now->v[i]))
			now->v[kept++] = now->v[i];
	now->n = kept;
}

/* Those of `now` that were there before. False without memory. */
static bool find_ripe(const struct wl_places *before, const struct wl_places *now, struct wl_places *ripe)
{
	*ripe = (struct wl_places){.v = malloc((now->n + 1) * sizeof(*ripe->v))};
	for (size_t i = 0; ripe->v && i < now->n; i++) {
		const struct wl_place *p = wl_places_find(before, &now->v[i]);

		if (p && p->start == now->v[i].start && p->end == now->v[i].end)
			ripe->v[ripe->n++] = now->v[i];
	}
	return ripe->v != NULL;
}

static int by_start(const void *a, const void *b)
{
	const struct wl_place *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Before they are attached to: afterwards nothing must fail. */
static bool make_room(struct watch *w, const struct wl_places *more)
{
	struct wl_place *v = realloc(w->seen.v, (w->seen.n + more->n + 1) * sizeof(*v));

	if (v)
		w->seen.v = v;
	return v != NULL;
}

/* They count as seen from now on. */
static void add_seen(struct watch *w, const struct wl_places *more)
{
	if (more->n)
		memcpy(w->seen.v + w->seen.n, more->v, more->n * sizeof(*more->v));
	w->seen.n += more->n;
	qsort(w->seen.v, w->seen.n, sizeof(*w->seen.v), by_start);
}

/* It will be tried again: once is enough. Where what was there is gone meanwhile, there is nothing to say. */
static void say_why(struct watch *w)
{
	if (strcmp(w->told, w->err.why) == 0 || w->overtaken || !wl_process_is_same(w->p) || wl_process_dying(w->p))
		return;
	snprintf(w->told, sizeof(w->told), "%s", w->err.why);
	wl_tell_refused(w->f, w->err.what, w->err.why);
}

/* Returns whether that could be done. */
static bool attach_news(struct watch *w, struct wl_places *ripe)
{
	int rc = make_room(w, ripe) ? attach(w, ripe) : wl_no_memory(&w->err);

	if (rc && !w->nothing) {
		say_why(w);
		return false;
	}
	add_seen(w, ripe);
	return true;
}

/* Also an error: the first thread has ended before the others, and nobody is told what they have mapped. */
static int read_places(const struct watch *w, struct wl_places *places)
{
	struct wl_maps maps;
	int rc = wl_maps_read(w->p->pid, &maps);

	if (rc)
		return rc;
	wl_maps_find_moved(w->p->pid, &maps);
	rc = maps.n ? wl_places_of(&maps, places) : ESRCH;
	wl_maps_free(&maps);
	return rc;
}

/*
 * It has become another program: all of that is as new as a library that was loaded. False if it isn't ours to trace
 * any more.
 */
static bool take_replaced(struct watch *w)
{
	struct ward_error ignored;
	struct wl_process now;

	if (wl_process_open(&now, w->p->pid, &ignored))
		return false;
	close(now.pidfd);
	close(w->p->mem); /* nobody else uses it */
	w->p->mem = now.mem;
	while (w->f->programs)
		wl_program_put(w->f, w->f->programs);
	w->seen.n = w->news.n = 0;
	w->linker = w->last = 0;
	return true;
}

/* What has come, and was there in the last look. Returns whether it could be attached to; *soon: there is more. */
static bool take_news(struct watch *w, struct wl_places *now, bool busy, bool *soon)
{
	struct wl_places ripe;
	bool well;

	keep_news(w, now);
	if (!find_ripe(&w->news, now, &ripe))
		return false;
	*soon = ripe.n < now->n;
	well = !ripe.n || busy || attach_news(w, &ripe);
	wl_places_free(&ripe);
	wl_places_free(&w->news);
	w->news = *now;
	*now = (struct wl_places){0};
	return well;
}

/*
 * When the next look comes: in `most` milliseconds, or, from `least` on, when something has come. Negative: there is
 * nothing more to come.
 */
struct pause {
	int64_t least, most;
};

/* Has something come, or gone, and is the linker done with it? */
static bool glimpse(const struct watch *w)
{
	return w->last && (w->pending || !wl_linker_is_last(w->p, w->last)) &&
	       wl_linker_state(w->p, w->linker) == WL_LINKER_IDLE;
}

static struct pause look(struct watch *w)
{
	uint64_t start = cpu_ns();
	enum wl_linker before, after;
	struct wl_places now = {0};
	bool well, soon = false;
	int64_t least, most;

	if (!wl_process_is_same(w->p) && !take_replaced(w))
		return (struct pause){-1, -1};
	if (!w->linker)
		w->linker = wl_linker_find(w->p);
	before = wl_linker_state(w->p, w->linker);
	w->last = wl_linker_last(w->p, w->linker);
	w->pending = before == WL_LINKER_BUSY;
	if (read_places(w, &now))
		return (struct pause){LOOK_MS, LOOK_MS};
	after = wl_linker_state(w->p, w->linker);
	forget_gone(w, &now);
	well = take_off_gone(w);
	well &= take_news(w, &now, before == WL_LINKER_BUSY || after == WL_LINKER_BUSY, &soon);
	wl_places_free(&now);
	w->failures = well ? 0 : w->failures + (w->failures < MOST_FAILURES);
	w->pending |= after == WL_LINKER_BUSY;
	least = (int64_t)((LOOK_SHARE * (cpu_ns() - start) + ATTACH_SHARE * w->worked) / 1000000);
	w->worked = 0;
	if (soon && well && after == WL_LINKER_IDLE) {
		most = least > AGAIN_MS ? least : AGAIN_MS;
		return (struct pause){most, most};
	}
	most = (least > LOOK_MS ? least : LOOK_MS) << w->failures;
	most = most < LONGEST_MS ? most : LONGEST_MS;
	return (struct pause){w->failures || least > most ? most : least, most};
}

/* ---- Beginning and end ---- */

/* All that is there. Nothing that matches is no error. */
static int attach_first(struct watch *w)
{
	struct wl_places places = {0};
	int rc = read_places(w, &places);

	if (rc)
		return rc == ENOMEM ? wl_no_memory(&w->err) : wl_process_lost(w->p, &w->err);
	rc = make_room(w, &places) ? attach(w, &places) : wl_no_memory(&w->err);
	for (int i = 0; rc && w->overtaken && i < OVERTAKEN_MAX; i++) /* there is something new to look at */
		rc = attach(w, &places);
	if (w->f->options.names && (rc ? w->nothing : !w->held)) /* else they are open */
		ward_names_open(w->p->pid, w->f->options.names, NULL);
	if (rc && w->nothing)
		rc = 0;
	if (rc == 0)
		add_seen(w, &places);
	wl_places_free(&places);
	return rc;
}

static int started(void *user, struct wl_threads *held, struct ward_error *err)
{
	struct watch *w = user;
	int rc;

	w->held = held;
	rc = attach_first(w);
	w->held = NULL;
	if (rc)
		*err = w->err;
	else
		w->f->child = w->p->pid;
	return rc;
}

struct spawning {
	struct watch *w;
	char *const *argv;
	const sigset_t *mask;
	struct ward_error err;
};

static int spawn(void *arg)
{
	struct spawning *s = arg;

	return wl_spawn_live(s->argv, s->mask, s->w->p, NULL, started, s->w, &s->err);
}

static int begin(struct watch *w, pid_t pid, char *const argv[], const sigset_t *mask)
{
	struct spawning spawning = {.w = w, .argv = argv, .mask = mask};
	int rc;

	if (pid)
		return attach_first(w);
	rc = wl_as_tracer(spawn, &spawning, &spawning.err);
	w->err = spawning.err;
	return rc;
}

/* Wait until the process has ended (true), the end is wanted, or it is time to look; negative: no more. */
static bool await(const struct watch *w, struct pause pause)
{
	struct pollfd events[] = {{.fd = w->p->pidfd, .events = POLLIN}, {.fd = w->f->knock, .events = POLLIN}};
	int64_t start = wl_now_ns() / 1000000, ms = w->last ? pause.least : pause.most;
	int n = poll(events, 2, (int)ms);

	while (n == 0 && (int64_t)(wl_now_ns() / 1000000) - start < pause.most && !glimpse(w))
		n = poll(events, 2, GLIMPSE_MS);
	return n > 0 && events[0].revents;
}

/* The newest first, as it may stand on an older one's jumps. What can't be taken off stays, and may be tried again. */
static int take_all_off(struct watch *w)
{
	struct ward_error first = {0};
	int rc = 0;

	for (struct wl_program *p = w->f->programs, *next; p; p = next) {
		int one;

		next = p->next;
		one = take_off(w, p);
		if (one && rc == 0)
			first = w->err;
		rc = rc ? rc : one;
	}
	w->f->end_err = first;
	return rc;
}

static void tell_end(struct wl_follow *f, int rc)
{
	uint64_t n;

	pthread_mutex_lock(&f->lock);
	eventfd_read(f->knock, &n);
	f->end_rc = rc;
	f->want_end = false;
	f->end_done = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void begun(struct watch *w, int rc)
{
	struct wl_follow *f = w->f;

	w->begun = true;
	w->options.names = NULL; /* the caller's, of the beginning */
	pthread_mutex_lock(&f->lock);
	f->rc = rc;
	f->err = w->err;
	f->begun = true;
	f->end_done = rc != 0;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void watch(struct watch *w)
{
	struct pause pause = {0, LOOK_MS};
	bool over = false;

	for (;;) {
		if (!over && await(w, pause)) {
			over = true;
			pause = (struct pause){-1, -1};
			wl_tell_over(w->f);
		}
		if (wl_follow_wants_end(w->f)) {
			int rc = take_all_off(w);

			tell_end(w->f, w->f->force ? 0 : rc);
			if (rc == 0 || w->f->force)
				return;
		} else if (over) {
			poll(&(struct pollfd){.fd = w->f->knock, .events = POLLIN}, 1, -1);
		} else if (pause.most >= 0) {
			pause = look(w);
		}
	}
}

void wl_later_run(struct wl_follow *f, pid_t pid, char *const argv[], const sigset_t *mask)
{
	struct watch w = {.f = f, .p = &f->first, .options = f->options};
	int rc = begin(&w, pid, argv, mask);

	begun(&w, rc);
	if (rc == 0)
		watch(&w);
	while (f->programs) /* of those that couldn't be taken off, or that had begun */
		wl_program_put(f, f->programs);
	wl_places_free(&w.seen);
	wl_places_free(&w.news);
}
