/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are loaded after the attach: ward_attach_options.later.
 *
 * From time to time Ward examines what a space has mapped (a look). New code of files gets an attachment of its own,
 * beside the existing ones. It reuses the states of an attachment that is gone (a lane), and its sites have the same
 * numbers as before. So a library that comes and goes all day costs no more than one that came once. An attachment is
 * removed when nothing that it has sites in is mapped any more. Its patches went with that, and only its own memory
 * is left.
 *
 * A library may be unloaded and loaded again at the same address between two looks. Then the bytes of a patch are the
 * file's, although the gate is open and nothing has taken the patch off.
 *
 * With ten looks a second a library would run for a while without probes. So where there is a dynamic linker, Ward
 * polls its list in between, a thousand times a second, by reading a few bytes. When the list has grown and the
 * linker is done, the next look comes at once.
 *
 * No thread is stopped for a look. If there is something to attach or remove, another thread of the library traces a
 * process that isn't followed for that moment (untraced.c). A followed process is traced already: its threads are
 * stopped as at its beginning (group_stop.c), and then it is examined once more, when nothing comes and goes.
 *
 * A hostile process may try to keep Ward busy. So each look is followed by a pause of many times its duration, and
 * each attach by one of several times its duration. Failed attempts are repeated less and less often. If many
 * processes are followed, their looks together take no more time than those of one.
 */
#include "follower.h"

#include "loader/base/error.h"
#include "loader/inject/recovery_record.h"
#include "loader/symbols/moved_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	LOOK_MS = 100,
	GLIMPSE_MS = 1, /* if the dynamic linker shows whether something has come */
	AGAIN_MS = 4,   /* when something came, and it tells when it is done; it relocates it then */
	LOOK_SHARE = 20,
	ATTACH_SHARE = 4,  /* times as long as it has computed */
	MOST_FAILURES = 6, /* double the pause */
	LONGEST_MS = 10000,
	OVERTAKEN_MAX = 100,
};

/* Of this thread. */
static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* ---- Places ---- */

/* A patch that the attachment has there, or NULL. */
static const struct wl_patch *patch_in(const struct wl_attached *a, const struct wl_place *place)
{
	const struct wl_sites *s = &a->a.sites;

	for (size_t i = 0; i < s->n_patches; i++)
		if (s->patches[i].patched && s->patches[i].d.addr >= place->start && s->patches[i].d.addr < place->end)
			return &s->patches[i];
	return NULL;
}

/* The attachment has sites at some of these places; at least one is its own, for as long as that is there. */
static void places_own(struct wl_attached *a, struct wl_places *places)
{
	for (size_t i = 0; i < places->n; i++)
		if (patch_in(a, &places->v[i])) {
			places->v[i].owner = a;
			a->places++;
		}
	if (!a->places && places->n) {
		places->v[0].owner = a;
		a->places = 1;
	}
}

/* Has the library been loaded anew at the same place? */
static bool is_new_copy(const struct wl_watch *w, const struct wl_place *place)
{
	const struct wl_attached *a = place->owner;
	const struct wl_patch *patch = a ? patch_in(a, place) : NULL;
	size_t n = patch ? wl_patch_size(patch) : 0;
	uint8_t now[WL_JUMP_SIZE];
	uint8_t gate = 0; /* its flags are beside it */

	if (!patch || !wl_process_read(w->p, patch->d.addr, now, n) || memcmp(now, patch->jump, n) == 0)
		return false;
	if (!wl_process_read(w->p, a->a.slots.gate, &gate, sizeof(gate)) || !(gate & WL_GATE_OPEN))
		return false;
	return memcmp(now, patch->d.bytes, n) == 0 || wl_found_replaced(w->p, patch, now);
}

/* What was seen and isn't there any more, or not as it was. */
static void forget_gone(struct wl_watch *w, const struct wl_places *now)
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
			((struct wl_attached *)place->owner)->places--;
		}
	}
	w->seen.n = kept;
}

/* What is left of `now` are news. */
static void keep_news(const struct wl_watch *w, struct wl_places *now)
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
static bool make_room(struct wl_watch *w, const struct wl_places *more)
{
	struct wl_place *v = realloc(w->seen.v, (w->seen.n + more->n + 1) * sizeof(*v));

	if (v)
		w->seen.v = v;
	return v != NULL;
}

/* They count as seen from now on. */
static void add_seen(struct wl_watch *w, const struct wl_places *more)
{
	if (more->n)
		memcpy(w->seen.v + w->seen.n, more->v, more->n * sizeof(*more->v));
	w->seen.n += more->n;
	qsort(w->seen.v, w->seen.n, sizeof(*w->seen.v), by_start);
}

/* Also an error: the first thread has ended before the others, and the mappings can't be read. */
static int read_places(const struct wl_watch *w, struct wl_places *places)
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

/* ---- What is done ---- */

static int places_attach(struct wl_controller *c, struct wl_space *s, struct wl_places *places, struct wl_attempt *try)
{
	struct wl_attached *a;

	if (!make_room(&s->watch, places))
		return wl_no_memory(&try->err);
	try->places = places;
	a = wl_space_attach(c, s, s->watch.p->pid, try);
	try->places = NULL;
	if (a)
		places_own(a, places);
	return a ? 0 : try->err.status;
}

/* It will be tried again: once is enough. Where what was there is gone meanwhile, there is nothing to say. */
static void say_why(struct wl_controller *c, struct wl_watch *w, const struct wl_attempt *try)
{
	if (strcmp(w->reported, try->err.why) == 0 || try->overtaken || !wl_process_is_same(w->p) ||
		wl_process_dying(w->p))
		return;
	snprintf(w->reported, sizeof(w->reported), "%s", try->err.why);
	wl_queue_refused(c, try->err.what, try->err.why);
}

/* Returns whether that could be done. */
static bool attach_news(struct wl_controller *c, struct wl_space *s, struct wl_places *ripe, struct wl_attempt *try)
{
	if (places_attach(c, s, ripe, try) && !try->nothing) {
		say_why(c, &s->watch, try);
		return false;
	}
	add_seen(&s->watch, ripe);
	return true;
}

/* Returns whether all could be. */
static bool take_off_gone(struct wl_controller *c, struct wl_space *s, struct wl_attempt *try)
{
	bool all = true;

	for (struct wl_attached *a = s->attached, *next; a; a = next) {
		next = a->next;
		if (a->places == 0)
			all &= wl_space_detach(c, s, a, try) == 0;
	}
	return all;
}

static bool any_gone(const struct wl_space *s)
{
	for (const struct wl_attached *a = s->attached; a; a = a->next)
		if (a->places == 0)
			return true;
	return false;
}

/*
 * What has come, and was there in the last look: attached to now (`try`), or wanted. Returns whether that could be
 * done; *soon: there is more.
 */
static bool take_news(struct wl_controller *c, struct wl_space *s, struct wl_places *now, bool busy,
	struct wl_attempt *try, bool *soon)
{
	struct wl_watch *w = &s->watch;
	struct wl_places ripe;
	bool well = true;

	keep_news(w, now);
	if (!find_ripe(&w->news, now, &ripe))
		return false;
	*soon = ripe.n < now->n;
	if (ripe.n && !busy && try)
		well = attach_news(c, s, &ripe, try);
	else if (ripe.n && !busy)
		w->wanted = true;
	wl_places_free(&ripe);
	wl_places_free(&w->news);
	w->news = *now;
	*now = (struct wl_places){0};
	return well;
}

/* ---- Looking ---- */

bool wl_watch_poll(const struct wl_watch *w)
{
	return w->last && (w->pending || !wl_linker_is_last(w->p, w->last)) &&
	       wl_linker_state(w->p, w->linker) == WL_LINKER_IDLE;
}

/* The next look comes in `most` milliseconds, or, from `least` on, when something has come. */
static void set_pause(struct wl_watch *w, int64_t least, int64_t most)
{
	w->least = wl_now_ms() + least;
	w->most = wl_now_ms() + most;
}

/*
 * Where something is to be looked at once more, that is soon, and its price is paid after that: once, as there may be
 * more each time.
 */
static void choose_pause(struct wl_watch *w, uint64_t cost, bool well, bool soon)
{
	int64_t least, most;

	w->owed += cost;
	w->failures = well ? 0 : w->failures + (w->failures < MOST_FAILURES);
	if (soon && well && !w->was_soon) {
		w->was_soon = true;
		set_pause(w, AGAIN_MS, AGAIN_MS);
		return;
	}
	least = (int64_t)(w->owed / 1000000);
	w->owed = 0;
	w->was_soon = false;
	most = (least > LOOK_MS ? least : LOOK_MS) << w->failures;
	most = most < LONGEST_MS ? most : LONGEST_MS;
	set_pause(w, w->failures || least > most ? most : least, soon && well ? least : most);
}

void wl_watch_look(struct wl_controller *c, struct wl_space *s, struct wl_threads *held)
{
	struct ward_attach_options o = c->options;
	struct wl_attempt try = {.options = &o, .held = held, .later = true, .turn = -1};
	struct wl_watch *w = &s->watch;
	bool may = held || !c->options.follow, well = true, soon = false;
	uint64_t start = cpu_ns(), processes = c->n_procs ? c->n_procs : 1, looked;
	enum wl_linker before, after;
	struct wl_places now = {0};

	o.names = NULL; /* they are open */
	w->wanted = false;
	if (!w->linker)
		w->linker = wl_linker_find(w->p);
	before = wl_linker_state(w->p, w->linker);
	w->last = wl_linker_last(w->p, w->linker);
	w->pending = before == WL_LINKER_BUSY;
	if (read_places(w, &now)) {
		set_pause(w, LOOK_MS, LOOK_MS);
		return;
	}
	after = wl_linker_state(w->p, w->linker);
	forget_gone(w, &now);
	if (may)
		well = take_off_gone(c, s, &try);
	else
		w->wanted = any_gone(s);
	well &= take_news(c, s, &now, before == WL_LINKER_BUSY || after == WL_LINKER_BUSY, may ? &try : NULL, &soon);
	wl_places_free(&now);
	w->pending |= after == WL_LINKER_BUSY;
	looked = cpu_ns() - start - (held ? try.worked : 0); /* else that was another thread's work */
	choose_pause(
		w, LOOK_SHARE * processes * looked + ATTACH_SHARE * try.worked, well, soon && after == WL_LINKER_IDLE);
}

/* A process that runs in the space, and can be made to stand still for it. */
static struct wl_proc *user_of(const struct wl_controller *c, const struct wl_space *s)
{
	struct wl_proc *p = c->procs;

	while (p && (p->space != s || p->start.how))
		p = p->next;
	return p;
}

/* Must its threads be stopped, or are they? The one that was to stop may have ended, or executed another program. */
static bool is_held_for(const struct wl_controller *c, const struct wl_space *s)
{
	for (const struct wl_proc *p = c->procs; p; p = p->next)
		if (p->space == s && p->attach)
			return true;
	return false;
}

/* Work is searched for again if no process is held for it any more. */
static void watch_turn(struct wl_controller *c, struct wl_space *s, int64_t now)
{
	struct wl_watch *w = &s->watch;
	struct wl_proc *p;

	if (w->wanted && is_held_for(c, s))
		return;
	if (w->wanted || now >= w->most || (now >= w->least && wl_watch_poll(w)))
		wl_watch_look(c, s, NULL);
	p = w->wanted ? user_of(c, s) : NULL;
	if (p)
		wl_proc_want_attach(c, p);
	else
		w->wanted = false;
}

void wl_watch_turn(struct wl_controller *c)
{
	int64_t now = wl_now_ms(), pause;
	uint64_t start = cpu_ns();

	if (now < c->glimpsed)
		return;
	for (struct wl_space *s = c->spaces; s; s = s->next)
		if (s->watch.p && !s->unpatched)
			watch_turn(c, s, now);
	pause = (int64_t)(LOOK_SHARE * (cpu_ns() - start) / 1000000);
	c->glimpsed = now + (pause > GLIMPSE_MS ? pause : GLIMPSE_MS);
}

/* ---- Beginning and end ---- */

int wl_watch_begin(struct wl_controller *c, struct wl_space *s, struct wl_process *p, struct wl_attempt *try)
{
	struct wl_watch *w = &s->watch;
	struct wl_places places = {0};
	int rc;

	w->p = p;
	w->linker = wl_linker_find(p);
	w->last = wl_linker_last(p, w->linker);
	rc = read_places(w, &places);
	if (rc)
		rc = rc == ENOMEM ? wl_no_memory(&try->err) : wl_process_lost(p, &try->err);
	else
		rc = places_attach(c, s, &places, try);
	for (int i = 0; rc && try->overtaken && i < OVERTAKEN_MAX; i++) /* there is something new to examine */
		rc = places_attach(c, s, &places, try);
	if (rc && try->nothing)
		rc = 0;
	if (rc == 0)
		add_seen(w, &places);
	else
		w->p = NULL;
	try->dying |= rc && wl_process_dying(p);
	wl_places_free(&places);
	set_pause(w, 0, LOOK_MS);
	return rc;
}

void wl_watch_anew(struct wl_controller *c, struct wl_space *s)
{
	while (s->attached)
		wl_attached_over(c, s, s->attached);
	s->watch.seen.n = s->watch.news.n = 0;
	s->watch.linker = s->watch.last = 0;
}

void wl_watch_copy(struct wl_space *to, const struct wl_space *from)
{
	const struct wl_watch *w = &from->watch;
	size_t n = w->seen.n;

	if (!w->p || wl_process_open(&to->p, to->pid, NULL))
		return;
	to->watch.seen.v = malloc((n + 1) * sizeof(*to->watch.seen.v));
	if (!to->watch.seen.v)
		return;
	for (size_t i = 0; i < n; i++) {
		to->watch.seen.v[i] = w->seen.v[i];
		to->watch.seen.v[i].owner = NULL;
	}
	to->watch.seen.n = n;
	to->watch.p = &to->p;
	to->watch.linker = w->linker;
	to->watch.last = w->last;
	to->watch.pending = w->pending;
	set_pause(&to->watch, 0, LOOK_MS);
}

void wl_watch_own(
	struct wl_space *to, struct wl_attached *own, const struct wl_space *from, const struct wl_attached *theirs)
{
	for (size_t i = 0; i < to->watch.seen.n; i++)
		if (from->watch.seen.v[i].owner == theirs) {
			to->watch.seen.v[i].owner = own;
			own->places++;
		}
}

void wl_watch_free(struct wl_watch *w)
{
	wl_places_free(&w->seen);
	wl_places_free(&w->news);
}
