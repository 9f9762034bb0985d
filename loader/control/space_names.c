/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses, while several programs are followed.
 *
 * A probe keeps plain addresses. The states of a lane are those of many processes, one after the other, so the lane has
 * a history of what all of them had mapped (symbols/map_history.c). A new process gets a lane in which none of its
 * addresses means another thing, or a new one. So an address in a lane has one meaning, but for what a process itself
 * loads where something else was before.
 */
#include "follower.h"

#include "loader/inject/unwind_tables.h"

enum { TURN_MS = 1, TURN_SHARE = 20 /* a pause is at least so many times as long as the turn before it */ };

void wl_space_see(struct wl_controller *c, struct wl_space *s, const struct wl_process *p, bool now)
{
	uint32_t histories[WL_HISTORIES_MOST];
	size_t n = 0;

	if (!c->names)
		return;
	for (const struct wl_attached *a = s->attached; a && n < WL_HISTORIES_MOST; a = a->next)
		histories[n++] = a->lane->history;
	wl_names_see(c->names, &s->mapped, p, now, histories, n);
}

void wl_space_stacks(struct wl_controller *c, const struct wl_space *s)
{
	for (const struct wl_attached *a = c->names ? s->attached : NULL; a; a = a->next)
		wl_names_stacks(c->names, a->lane->number, a->lane->fd, a->a.stacks_offset);
}

/* Code may have come through which stacks are walked. */
static void tables_turn(struct wl_controller *c)
{
	for (struct wl_space *s = c->spaces; s; s = s->next)
		for (struct wl_attached *a = s->unpatched ? NULL : s->attached; a; a = a->next)
			wl_tables_poll(&a->a);
}

void wl_names_turn(struct wl_controller *c)
{
	uint64_t start = wl_now_ns();
	int64_t pause;

	if (wl_now_ms() < c->named)
		return;
	tables_turn(c);
	for (struct wl_space *s = c->spaces; s; s = s->next)
		if (c->names && s->attached && !s->unpatched)
			wl_space_see(c, s, &s->attached->a.p, false);
	pause = (int64_t)(TURN_SHARE * (wl_now_ns() - start) / 1000000);
	c->named = wl_now_ms() + (pause > TURN_MS ? pause : TURN_MS);
}
