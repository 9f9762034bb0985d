/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window's partial is the difference of what was counted at its end and at its beginning, so all windows of an epoch
 * add up to its last value, whenever they are cut. Windows are kept until they are acknowledged, the last few.
 *
 * Numbers of windows only rise. When the clock is set back, the present window goes on until the time has caught up;
 * when it is set forth, no window has what lies in between. Either shows, as the time of the day and a clock that
 * never goes back move apart; a clock that is set right slowly stays below that.
 */
#include "windows.h"

#include <stdlib.h>
#include <string.h>

enum { JUMP_NS = 50000000 }; /* C-112 */

void agent_windows_open(struct agent_windows *w, uint64_t length_ns, struct agent_clocks now)
{
	*w = (struct agent_windows){
		.length_ns = length_ns, .began_ns = now.steady_ns, .apart_ns = (int64_t)(now.at_ns - now.steady_ns)};
	if (length_ns)
		w->present = now.at_ns / length_ns;
}

static void window_drop(struct agent_windows *w, size_t i)
{
	for (size_t unit = 0; unit < w->kept[i].n; unit++)
		free(w->kept[i].partial[unit]);
	memmove(&w->kept[i], &w->kept[i + 1], (--w->n - i) * sizeof(w->kept[0]));
}

void agent_windows_close(struct agent_windows *w)
{
	while (w->n)
		window_drop(w, 0);
	for (size_t i = 0; i < AGENT_UNITS; i++)
		ward_partial_free(w->before[i]);
	*w = (struct agent_windows){0};
}

bool agent_windows_look(struct agent_windows *w, struct agent_clocks now)
{
	int64_t apart_ns = (int64_t)(now.at_ns - now.steady_ns), moved_ns = apart_ns - w->apart_ns;

	if (!w->length_ns)
		return false;
	if (moved_ns > JUMP_NS || moved_ns < -JUMP_NS) {
		w->has_jumped = true;
		w->jumped_ns += moved_ns;
	}
	w->apart_ns = apart_ns;
	return now.at_ns / w->length_ns > w->present;
}

uint64_t agent_windows_left(const struct agent_windows *w, struct agent_clocks now)
{
	uint64_t end = (w->present + 1) * w->length_ns;

	if (!w->length_ns)
		return UINT64_MAX;
	return end > now.at_ns ? end - now.at_ns : 0;
}

/* ---- cutting ---- */

/* What came since the window began, packed. */
static bool unit_cut(const struct agent_windows *w, size_t unit, const ward_partial *total,
	const struct ward_partial_notes *notes, const struct ward_partial_limits *limits, struct agent_window *to,
	struct ward_error *err)
{
	ward_partial *came = NULL;
	bool ok = ward_partial_copy(total, &came, err) == 0 &&
		  (!w->before[unit] || ward_partial_subtract(came, w->before[unit], err) == 0);

	if (ok) {
		struct ward_partial_notes own = ward_partial_notes(came), said = *notes;
		said.size = sizeof(said);
		said.flags |= own.flags | (w->has_jumped ? WARD_PARTIAL_CLOCK_JUMPED : 0);
		said.events = own.events;
		said.dropped = own.dropped;
		said.window = to->number;
		ok = ward_partial_note(came, &said, err) == 0 &&
		     ward_partial_pack(came, limits, &to->partial[unit], &to->size[unit], err) == 0;
	}
	to->n += ok;
	ward_partial_free(came);
	return ok;
}

static size_t kept_bytes(const struct agent_windows *w)
{
	size_t bytes = 0;

	for (size_t i = 0; i < w->n; i++)
		for (size_t unit = 0; unit < w->kept[i].n; unit++)
			bytes += w->kept[i].size[unit];
	return bytes;
}

/* The oldest ones make room. */
static void window_keep(struct agent_windows *w, const struct agent_window *window)
{
	if (w->n == AGENT_WINDOWS) {
		window_drop(w, 0);
		w->dropped++;
	}
	w->kept[w->n++] = *window;
	for (; w->n > 1 && kept_bytes(w) > AGENT_WINDOWS_BYTES; w->dropped++)
		window_drop(w, 0);
}

bool agent_windows_cut(struct agent_windows *w, struct agent_clocks now, ward_partial *const *total, size_t n,
	const struct ward_partial_notes *notes, const struct ward_partial_limits *limits, struct ward_error *err)
{
	struct agent_window window = {.number = w->present, .span_ns = now.steady_ns - w->began_ns};
	uint64_t number = now.at_ns / w->length_ns;
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++)
		ok = unit_cut(w, i, total[i], notes, limits, &window, err);
	for (size_t i = 0; i < n; i++) {
		ward_partial_free(ok ? w->before[i] : total[i]);
		if (ok)
			w->before[i] = total[i];
	}
	if (!ok) {
		for (size_t i = 0; i < window.n; i++)
			free(window.partial[i]);
		return false;
	}
	window_keep(w, &window);
	w->present = number > w->present ? number : w->present + 1;
	w->began_ns = now.steady_ns;
	w->has_jumped = false;
	return true;
}

void agent_windows_got(struct agent_windows *w, uint64_t below)
{
	while (w->n && w->kept[0].number < below)
		window_drop(w, 0);
}
