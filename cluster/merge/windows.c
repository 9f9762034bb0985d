/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window has children of its own. It is closed when every machine that still sends has sent it, or a later one, or
 * when two periods and two seconds have gone since its first partial came. What comes later amends it, and it is given
 * out again. The last few windows are kept; when there are more, the lowest one goes.
 *
 * An agent sends in one message, in ascending order, every window that isn't acknowledged. So what is above a window
 * that was taken came after it, and all below the highest one is here, unless one of them found no room.
 *
 * Windows are those of machines' clocks. One that is far ahead of the caller's clock isn't taken: a machine whose
 * clock is wrong, or that lies, would push out those of all others (C-113).
 */
#include "windows.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "names.h"

static const uint64_t GRACE_NS = 2000000000;
static const size_t ALL_BYTES = (size_t)1 << 30;

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
	bool is_out;
	uint64_t lost, jumps, late;
};

struct cluster_windows {
	struct cluster_windows_options options;
	struct window at[CLUSTER_WINDOWS]; /* in ascending order */
	size_t n;
	uint64_t lowest; /* what is below is no longer taken */
	struct cluster_names names;
	struct machine *machines; /* by the name's number */
	size_t machines_room;
	uint64_t amended;
	uint64_t events; /* of windows that are no longer kept */
};

cluster_windows *cluster_windows_new(const struct cluster_windows_options *options)
{
	cluster_windows *w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->options = *options;
	w->options.children.is_windowed = true;
	w->options.children.bytes = (options->children.bytes ? options->children.bytes : ALL_BYTES) / CLUSTER_WINDOWS;
	return w;
}

static uint64_t window_events(const struct window *window)
{
	const struct cluster_child *child;
	uint64_t events = 0;
	for (size_t i = 0; (child = cluster_children_at(window->shown.children, i)); i++)
		events += child->is_out ? 0 : child->notes.events;
	return events;
}

static void window_drop(cluster_windows *w, size_t i)
{
	w->events += window_events(&w->at[i]);
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

static enum cluster_taken window_lose(struct machine *m, uint64_t number, const char *why, struct ward_error *err)
{
	m->lost++;
	cluster_fail(err, WARD_OK, "window", "window %llu %s", (unsigned long long)number, why);
	return CLUSTER_OLD;
}

static enum cluster_taken window_take(
	cluster_windows *w, struct window *window, const struct cluster_window_part *part, struct ward_error *err)
{
	enum cluster_taken how = cluster_children_take(
		window->shown.children, &part->sender, part->bytes, part->size, part->now_ns, NULL, err);
	if (how != CLUSTER_TAKEN)
		return how;
	window->is_new = true;
	if (part->span_ns > window->shown.span_ns)
		window->shown.span_ns = part->span_ns;
	if (window->shown.is_closed) {
		window->shown.amended++;
		w->amended++;
	}
	return how;
}

/* It was dealt with before, whether it is still kept or not. */
static bool is_known(const struct machine *m, const struct ward_partial_notes *notes)
{
	return notes->epoch == m->epoch && notes->nonce == m->nonce && notes->window < m->below;
}

/* C-113. A window is sent when it is over, so it has begun by any clock that is right. */
static bool is_ahead(const cluster_windows *w, const struct cluster_window_part *part, uint64_t number)
{
	return number > part->now_at / w->options.window_ns + CLUSTER_WINDOWS_AHEAD;
}

static enum cluster_taken part_take(cluster_windows *w, struct machine *m, const struct cluster_window_part *part,
	const struct ward_partial_notes *notes, struct ward_error *err)
{
	if (m->is_out) {
		cluster_fail(err, WARD_E_USAGE, part->sender.machine, "it has contradicted itself before (C-05)");
		return CLUSTER_INCONSISTENT;
	}
	if (is_known(m, notes) && notes->window < w->lowest)
		return CLUSTER_OLD;
	if (is_ahead(w, part, notes->window))
		return window_lose(m, notes->window, "is ahead of its time (C-113)", err);
	struct window *window = notes->window < w->lowest ? NULL : window_get(w, notes->window, part->now_ns);
	return window ? window_take(w, window, part, err)
		      : window_lose(m, notes->window, "is over, and no longer kept", err);
}

static void part_note(const cluster_windows *w, struct machine *m, const struct ward_partial_notes *notes)
{
	uint64_t end = (notes->window + 1) * w->options.window_ns;
	bool has_jumped = notes->flags & WARD_PARTIAL_CLOCK_JUMPED;
	m->jumps += has_jumped;
	m->late += !has_jumped && notes->wall_ns > end && notes->wall_ns - end > w->options.window_ns;
	if (notes->window > m->highest)
		m->highest = notes->window;
}

enum cluster_taken cluster_windows_take(
	cluster_windows *w, const struct cluster_window_part *part, struct ward_error *err)
{
	struct ward_error own;
	struct ward_partial_notes notes;
	err = err ? err : &own;
	if (!notes_of(w, part->bytes, part->size, &notes, err))
		return CLUSTER_REFUSED;
	struct machine *m = machine_add(w, part->sender.machine);
	if (!m)
		return CLUSTER_NO_ROOM;
	enum cluster_taken how = part_take(w, m, part, &notes, err);
	if (how == CLUSTER_REFUSED || how == CLUSTER_INCONSISTENT)
		return how;
	machine_move(m, &notes, how != CLUSTER_NO_ROOM);
	m->has_left = false;
	if (how == CLUSTER_TAKEN)
		part_note(w, m, &notes);
	return how;
}

bool cluster_windows_put_out(cluster_windows *w, const char *machine)
{
	struct machine *m = machine_add(w, machine);
	bool ok = m != NULL;
	if (ok)
		m->is_out = m->has_left = true;
	for (size_t i = 0; i < w->n; i++) {
		ok = cluster_children_put_out(w->at[i].shown.children, machine) && ok;
		w->at[i].is_new = true;
	}
	return ok;
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

uint64_t cluster_windows_amended(const cluster_windows *w)
{
	return w->amended;
}

uint64_t cluster_windows_events(const cluster_windows *w)
{
	uint64_t events = w->events;
	for (size_t i = 0; i < w->n; i++)
		events += window_events(&w->at[i]);
	return events;
}

bool cluster_windows_machine(const cluster_windows *w, size_t i, struct cluster_window_machine *out)
{
	if (i >= w->names.n)
		return false;
	const struct machine *m = &w->machines[i];
	*out = (struct cluster_window_machine){
		.name = w->names.at[i], .lost = m->lost, .jumps = m->jumps, .late = m->late};
	return true;
}
