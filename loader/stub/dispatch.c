/* SPDX-License-Identifier: Apache-2.0 */
/* Filling in the code of dispatch.S. */
#include "dispatch.h"

#include "loader/process/go.h"
#include "slots.h"

extern const uint8_t wl_dispatch_code[], wl_dispatch_start[], wl_dispatch_end[];

#define ROW_HAS(member, at) _Static_assert(offsetof(struct wl_row, member) == (at), "dispatch.S says so")
ROW_HAS(key, WL_ROW_KEY);
ROW_HAS(owner, WL_ROW_OWNER);
ROW_HAS(state, WL_ROW_STATE);
ROW_HAS(stack, WL_ROW_STACK);
ROW_HAS(keep, WL_ROW_KEEP);
ROW_HAS(known, WL_ROW_KNOWN);
ROW_HAS(hand, WL_ROW_HAND);
ROW_HAS(rest, WL_ROW_REST);
ROW_HAS(run, WL_ROW_RUN);
ROW_HAS(within, WL_ROW_WITHIN);
_Static_assert(offsetof(struct wl_tally, events) == WL_TALLY_EVENTS, "dispatch.S says so");
_Static_assert(
	offsetof(struct wl_tally, dropped) == WL_TALLY_DROPPED && offsetof(struct wl_tally, states) == WL_TALLY_STATES,
	"dispatch.S says so");
_Static_assert(WL_STACK_SIZE == 1 << WL_STACK_SHIFT, "dispatch.S says so");
_Static_assert(sizeof(struct wl_dispatch) == WL_DISPATCH_SIZE, "dispatch.S begins with it");

size_t wl_dispatcher_size(void)
{
	return (size_t)(wl_dispatch_end - wl_dispatch_code);
}

uint64_t wl_dispatcher(struct wl_code *c, const struct wl_slots *s)
{
	uint64_t at = wl_here(c);
	const struct wl_dispatch d = {
		.table = s->table,
		.tallies = s->tallies,
		.states = s->states,
		.stride = s->state_stride,
		.stacks = s->stacks,
		.mask = (s->rows - 1) * WL_ROW_SIZE,
		.most = s->max_threads,
		.id_at = s->id_at,
		.reclaims = s->reclaims,
		.gate = (uint32_t)s->gate,
		.has_base = wl_can_read_base(),
		.doubt = s->no_block ? WL_FOREIGN : 0,
	};

	wl_bytes(c, &d, sizeof(d));
	wl_bytes(c, wl_dispatch_code + sizeof(d), wl_dispatcher_size() - sizeof(d));
	return at + (uint64_t)(wl_dispatch_start - wl_dispatch_code);
}
