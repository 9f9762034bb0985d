/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window has children of its own. It is closed when every machine that still sends has sent it, or a later one, or
 * when two periods and two seconds have gone since its first partial came. What comes later amends it, and it is given
 * out again. The last few windows are kept; when there are more, the lowest one goes.
 *
 * An agent sends, in ascending order, every window that isn't acknowledged. So what is above a window that was taken
 * came after it, and all below the highest one is here, unless one of them found no room.
 */
#include "windows.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "names.h"

static const uint64_t GRACE_NS = 2000000000;

struct window {
	struct cluster_window shown;
	bool is_new; /* since it was given out */
};

/* What is known of a machine: of its newest epoch, as earlier ones send nothing any more. */
struct machine {
	uint64_t highest; /* window */
	bool has_left;
	uint64_t epoch, nonce;
	uint64_t below;   /* all that it sent below is here */
	uint64_t missing; /* the lowest one that found no room; 0: none */
};

struct cluster_windows {
	struct cluster_windows_options options;
	struct window at[CLUSTER_WINDOWS]; /* in ascending order */
	size_t n;
	uint64_t lowest; /* what is below is no longer taken */
	struct cluster_names names;
	struct machine *machines; /* by the name's number */
	size_t machines_room;
	uint64_t lost, amended;
};

cluster_windows *cluster_windows_new(const struct cluster_windows_options *options)
{
	cluster_windows *w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->options = *options;
	w->options.children.is_windowed = true;
	return w;
}

static void window_drop(cluster_windows *w, size_t i)
{
	cluster_children_free(w->at[i].shown.children);
	memmove(&w->at[i], &w->at[i + 1], (w->n - i - 1) * sizeof(w->at[0]));
	w->n--;
}

void cluster_windows_free(cluster_windows *w)
{
	if (!w)
		return;
	while (w->n)
		window_drop(w, 0);
	cluster_names_free(&w->names);
	free(w->machines);
	free(w);
}

/* ---- taking ---- */

/* False: it is of no window. */
static bool notes_of(const cluster_windows *w, const void *bytes, size_t size, struct ward_partial_notes *notes,
	struct ward_error *err)
{
	const struct cluster_children_options *o = &w->options.children;
	struct ward_partial_limits limits = {.size = sizeof(limits),
		.bytes = o->child_bytes ? o->child_bytes : CLUSTER_CHILD_BYTES,
		.memory = CLUSTER_TOTAL_MEMORY};
	ward_partial *p;
	if (!bytes || ward_partial_unpack(o->schema, bytes, size, &limits, &p, err))
		return false;
	*notes = ward_partial_notes(p);
	ward_partial_free(p);
	if (!notes->window)
		cluster_fail(err, WARD_E_USAGE, "partial", "it is of no window (C-02)");
	return notes->window != 0;
}

/*
 * Find the window, or make it; the lowest one may go for that. NULL without memory, or if it would be below all that
 * are kept.
 */
static struct window *window_get(cluster_windows *w, uint64_t number, uint64_t now_ns)
{
	size_t i = 0;
	while (i < w->n && w->at[i].shown.number < number)
		i++;
	if (i < w->n && w->at[i].shown.number == number)
		return &w->at[i];
	if (w->n == CLUSTER_WINDOWS && i == 0)
		return NULL;
	cluster_children *children = cluster_children_new(&w->options.children);
	if (!children)
		return NULL;
	if (w->n == CLUSTER_WINDOWS) {
		w->lowest = w->at[0].shown.number + 1;
		window_drop(w, 0);
		i--;
	}
	memmove(&w->at[i + 1], &w->at[i], (w->n - i) * sizeof(w->at[0]));
	w->at[i] = (struct window){.shown = {.number = number, .children = children, .first_ns = now_ns}};
	w->n++;
	return &w->at[i];
}

static struct machine *machine_add(cluster_windows *w, const char *name)
{
	size_t i = SIZE_MAX;
	if (cluster_array_grow(&w->machines, &w->machines_room, w->names.n + 1, sizeof(*w->machines)))
		i = cluster_names_add(&w->names, name);
	return i == SIZE_MAX ? NULL : &w->machines[i];
}

/* Its partial of this window was taken, or never will be; or there was no room. */
static void machine_move(struct machine *m, const struct ward_partial_notes *notes, bool has_room)
{
	if (notes->epoch > m->epoch || m->below == 0) {
		m->epoch = notes->epoch;
		m->nonce = notes->nonce;
		m->below = 1;
		m->missing = 0;
	}
	if (notes->epoch != m->epoch || notes->nonce != m->nonce)
		return;
	if (!has_room) {
		m->missing = m->missing && m->missing < notes->window ? m->missing : notes->window;
		return;
	}
	if (m->missing == notes->window)
		m->missing = 0;
	if (notes->window >= m->below && !m->missing)
		m->below = notes->window + 1;
}

static enum cluster_taken lose_window(cluster_windows *w, uint64_t number, struct ward_error *err)
{
	w->lost++;
	cluster_fail(err, WARD_OK, "window", "window %llu is over, and no longer kept", (unsigned long long)number);
	return CLUSTER_OLD;
}

static enum cluster_taken take_window(cluster_windows *w, struct window *window, const struct cluster_sender *sender,
	const void *bytes, size_t size, uint64_t now_ns, struct ward_error *err)
{
	enum cluster_taken how = cluster_children_take(window->shown.children, sender, bytes, size, now_ns, NULL, err);
	if (how != CLUSTER_TAKEN)
		return how;
	window->is_new = true;
	if (window->shown.is_closed) {
		window->shown.amended++;
		w->amended++;
	}
	return how;
}

enum cluster_taken cluster_windows_take(cluster_windows *w, const struct cluster_sender *sender, const void *bytes,
	size_t size, uint64_t now_ns, struct ward_error *err)
{
	struct ward_error own;
	struct ward_partial_notes notes;
	if (!notes_of(w, bytes, size, &notes, err ? err : &own))
		return CLUSTER_REFUSED;
	struct machine *m = machine_add(w, sender->machine);
	struct window *window = notes.window < w->lowest ? NULL : window_get(w, notes.window, now_ns);
	enum cluster_taken how;
	if (!m)
		return CLUSTER_NO_ROOM;
	if (window)
		how = take_window(w, window, sender, bytes, size, now_ns, err);
	else
		how = lose_window(w, notes.window, err);
	if (how == CLUSTER_REFUSED || how == CLUSTER_INCONSISTENT)
		return how;
	machine_move(m, &notes, how != CLUSTER_NO_ROOM);
	m->has_left = false;
	if (how == CLUSTER_TAKEN && notes.window > m->highest)
		m->highest = notes.window;
	return how;
}

void cluster_windows_leave(cluster_windows *w, const char *machine)
{
	size_t i = cluster_names_find(&w->names, machine);
	if (i != SIZE_MAX)
		w->machines[i].has_left = true;
}

/* ---- giving out ---- */

/* Has every machine that still sends sent this window, or a later one? */
static bool have_all_passed(const cluster_windows *w, uint64_t number)
{
	for (size_t i = 0; i < w->names.n; i++)
		if (!w->machines[i].has_left && w->machines[i].highest < number)
			return false;
	return true;
}

const struct cluster_window *cluster_windows_next(cluster_windows *w, uint64_t now_ns)
{
	uint64_t wait = 2 * w->options.period_ns + GRACE_NS;
	for (size_t i = 0; i < w->n; i++) {
		struct window *window = &w->at[i];
		uint64_t age = now_ns > window->shown.first_ns ? now_ns - window->shown.first_ns : 0;
		if (!window->shown.is_closed && (age >= wait || have_all_passed(w, window->shown.number)))
			window->shown.is_closed = true;
		if (!window->shown.is_closed || !window->is_new)
			continue;
		window->is_new = false;
		return &window->shown;
	}
	return NULL;
}

void cluster_windows_close(cluster_windows *w)
{
	for (size_t i = 0; i < w->n; i++)
		w->at[i].shown.is_closed = true;
}

uint64_t cluster_windows_below(const cluster_windows *w, const char *machine, uint64_t epoch, uint64_t nonce)
{
	size_t i = cluster_names_find(&w->names, machine);
	const struct machine *m = i == SIZE_MAX ? NULL : &w->machines[i];
	return m && m->epoch == epoch && m->nonce == nonce ? m->below : 0;
}

uint64_t cluster_windows_lost(const cluster_windows *w)
{
	return w->lost;
}

uint64_t cluster_windows_amended(const cluster_windows *w)
{
	return w->amended;
}
