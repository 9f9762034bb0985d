/* SPDX-License-Identifier: Apache-2.0 */
/* The stacks of a function, at its entry and its return, in keys and in records. */
#include <ward/imports.h>
#include <ward/probe.h>

struct place {
	ward_stack stack;
	uint64_t at_return;
};

struct record {
	uint64_t number;
	ward_stack stack;
};

struct ward_state {
	ward_count calls;
	ward_count none;
	WARD_MAP(ward_stack, ward_count, 256) by_stack;
	WARD_MAP(struct place, ward_count, 256) by_place;
	WARD_MAP(ward_stack, ward_count, 256) by_two;
};

static void count(struct ward_state *st, uint64_t at_return)
{
	ward_stack stack = ward_stack_take(WARD_FRAMES);

	st->calls++;
	if (!stack)
		st->none++;
	if (!at_return) {
		ward_map_add(&st->by_stack, stack, 1);
		ward_map_add(&st->by_two, ward_stack_take(2), 1);
	}
	ward_map_add(&st->by_place, ((struct place){stack, at_return}), 1);
}

WARD_ENTRY("program!marked")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	count(st, 0);
}

WARD_ENTRY("program!marked:return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	(void)ev;
	count(st, 1);
}
