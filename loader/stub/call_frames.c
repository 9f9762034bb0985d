/* SPDX-License-Identifier: Apache-2.0 */
/* Filling in the code of call_frames.S, and the size of what it keeps. */
#include "call_frames.h"

#include "slots.h"
#include "stub.h"

extern const uint8_t wl_calls_code[], wl_calls_enter[], wl_calls_leave[], wl_calls_over[], wl_calls_missed[],
	wl_calls_raised[], wl_calls_caught[], wl_calls_jumps[], wl_calls_jumped[], wl_calls_ends[], wl_calls_end[];

#define CALL_HAS(member, at_) _Static_assert(offsetof(struct wl_call, member) == (at_), "calls.S says so")
CALL_HAS(sp, WL_CALL_SP);
CALL_HAS(owner, WL_CALL_OWNER);
CALL_HAS(open, WL_CALL_OPEN);
CALL_HAS(site, WL_CALL_SITE);
CALL_HAS(flags, WL_CALL_FLAGS);
CALL_HAS(time, WL_CALL_TIME);
CALL_HAS(regs, WL_CALL_REGS);
CALL_HAS(arg, WL_CALL_ARG);
CALL_HAS(thrown, WL_CALL_THROWN);
CALL_HAS(caller, WL_CALL_CALLER);
CALL_HAS(at, WL_CALL_AT);
_Static_assert(sizeof(struct wl_call) == WL_CALL_SIZE && WL_PAGE % WL_CALL_GROUP == 0, "calls.S says so");
#define KEEP_HAS(member, at_) _Static_assert(offsetof(struct wl_keep, member) == (at_), "calls.S says so")
KEEP_HAS(hand, WL_KEEP_HAND);
KEEP_HAS(next, WL_KEEP_NEXT);
KEEP_HAS(raised, WL_KEEP_RAISED);
KEEP_HAS(list, WL_KEEP_LIST);
_Static_assert(sizeof(struct wl_keep) <= WL_STACK_SIZE / 4, "most of the stack is left");
_Static_assert(sizeof(struct wl_calls) == WL_CALLS_SIZE, "calls.S begins with it");
#define ROW_HAS(member, at_) _Static_assert(offsetof(struct wl_row, member) == (at_), "calls.S says so")
ROW_HAS(event, WL_ROW_EVENT);
ROW_HAS(thrown, WL_ROW_THROWN);
ROW_HAS(copies, WL_ROW_COPIES);
_Static_assert(WL_EVENT_SITE == WL_SITE && WL_EVENT_SP == WL_SP && WL_EVENT_CALLER == WL_CALLER, "calls.S says so");
_Static_assert(WL_EVENT_ELAPSED == WL_ELAPSED && WL_ARG == 0, "calls.S says so");

size_t wl_calls_size(void)
{
	return (size_t)(wl_calls_end - wl_calls_code);
}

uint64_t wl_cells_size(uint32_t max_threads)
{
	uint64_t size = 8 * WL_LISTED * WL_CALL_SIZE; /* for few threads some more, as groups aren't filled evenly */

	while (size < (uint64_t)max_threads * WL_LISTED * WL_CALL_SIZE)
		size *= 2;
	return size;
}

static uint32_t wanted_fields(unsigned fields, bool throws)
{
	uint32_t w = throws ? WL_WANTS_THROWN : 0;

	if (fields & 3u << WL_ARG)
		w |= WL_WANTS_TWO;
	if (fields & 0x3cu << WL_ARG)
		w |= WL_WANTS_FOUR;
	if (fields & 1u << WL_ELAPSED)
		w |= WL_WANTS_TIME;
	return w;
}

struct wl_calls_at wl_calls_emit(struct wl_code *c, const struct wl_slots *s, unsigned fields, bool throws)
{
	const struct wl_calls data = {
		.table = s->table,
		.tallies = s->tallies,
		.cells = s->cells,
		.factor = 0x9e3779b97f4a7c15, /* odd, with no pattern in its bits: 2^64 over the golden ratio */
		.pages = s->cells_size ? (uint32_t)(s->cells_size - WL_PAGE) : 0,
		.wants = wanted_fields(fields, throws),
		.stacks = s->stacks,
		.stacks_size = s->stacks_size,
	};
	uint64_t at = wl_here(c);

	wl_bytes(c, &data, sizeof(data));
	wl_bytes(c, wl_calls_code + sizeof(data), wl_calls_size() - sizeof(data));
#define AT(routine) (at + (uint64_t)(wl_calls_##routine - wl_calls_code))
	return (struct wl_calls_at){
		AT(enter), AT(leave), AT(over), AT(missed), AT(raised), AT(caught), AT(jumps), AT(jumped), AT(ends)};
#undef AT
}
