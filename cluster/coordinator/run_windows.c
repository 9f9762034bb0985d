/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows of a query, beside what was counted in all: they come with the partials, and are acknowledged when they come
 * for the second time, or when there are several. So most messages need no answer, and each window is sent about
 * twice. The last ones come in one message with the last value, whose acknowledgement is theirs, too.
 */
#include "run_parts.h"

#include <string.h>

#include "cluster/base/error.h"

static const uint64_t SECOND = 1000000000;

int run_windows_open(struct cluster_run *r, size_t unit, const struct cluster_children_options *children)
{
	struct cluster_windows_options options = {
		.children = *children, .window_ns = r->body->window_ns, .period_ns = r->body->period_ns};

	if (!r->body->has_window_ns)
		return 0;
	r->windows[unit] = cluster_windows_new(&options);
	return r->windows[unit] ? 0 : WARD_E_SYSTEM;
}

void run_windows_put_out(struct cluster_run *r, const char *host)
{
	for (size_t i = 0; i < r->n_units; i++)
		if (r->windows[i])
			cluster_windows_put_out(r->windows[i], host);
}

/* All windows below this one have come, of each unit. */
static uint64_t windows_below(const struct cluster_run *r, const char *host, const struct ward_partial_notes *of)
{
	uint64_t below = UINT64_MAX;

	for (size_t i = 0; i < r->n_units; i++) {
		uint64_t own = cluster_windows_below(r->windows[i], host, of->epoch, of->nonce);
		below = own < below ? own : below;
	}
	return below;
}

/* false: the machine contradicts itself, and *err says how. */
static bool window_take(
	struct cluster_run *r, const char *host, const Ward__Cluster__Piece *piece, size_t *old, struct ward_error *err)
{
	const struct cluster_fleet_machine *machine = cluster_fleet_find(r->fleet, host);
	const struct cluster_window_part part = {
		.sender = {.machine = host, .processors = machine ? machine->processors : 0},
		.bytes = piece->partial.data,
		.size = piece->partial.len,
		.span_ns = piece->has_span_ns ? piece->span_ns : 0,
		.now_ns = r->now.ns,
		.now_at = r->now.at};
	enum cluster_taken how;

	if (piece->unit >= r->n_units) {
		r->refused++;
		return true;
	}
	how = cluster_windows_take(r->windows[piece->unit], &part, err);
	r->refused += how == CLUSTER_REFUSED;
	*old += how == CLUSTER_OLD;
	return how != CLUSTER_INCONSISTENT;
}

bool run_windows_take(struct cluster_run *r, const char *host, const Ward__Cluster__Parts *m,
	const struct ward_partial_notes *of, bool is_last, struct ward_error *err)
{
	size_t old = 0;

	if (!r->body->has_window_ns) {
		r->refused += m->n_window;
		return true;
	}
	for (size_t i = 0; i < m->n_window; i++)
		if (!window_take(r, host, m->window[i], &old, err))
			return false;
	if (!is_last && (old || m->n_window > r->n_units))
		run_say_got_windows(r, host, of, windows_below(r, host, of));
	return true;
}

/* Nobody waits for machines that send nothing any more. */
static void windows_leave(struct cluster_run *r, cluster_windows *windows)
{
	const struct cluster_fleet_machine *m;

	for (size_t i = 0; (m = cluster_fleet_at(r->fleet, i)); i++)
		if (m->state != CLUSTER_STATE_REPORTING && m->state != CLUSTER_STATE_STALE &&
			m->state != CLUSTER_STATE_ATTACHING)
			cluster_windows_leave(windows, m->name);
}

const struct cluster_window *cluster_run_window(cluster_run *r, size_t unit, struct cluster_now now)
{
	cluster_windows *windows = unit < r->n_units ? r->windows[unit] : NULL;

	if (!windows)
		return NULL;
	if (now.ns - r->windows_ns >= SECOND) {
		r->windows_ns = now.ns;
		windows_leave(r, windows);
	}
	if (r->phase == CLUSTER_OVER)
		cluster_windows_close(windows);
	return cluster_windows_next(windows, now.ns);
}

const cluster_windows *cluster_run_windows(const cluster_run *r, size_t unit)
{
	return unit < r->n_units ? r->windows[unit] : NULL;
}
