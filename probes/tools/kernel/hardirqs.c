/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long do interrupts take?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/hardirqs.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct interrupt {
	char name[16];
};

struct ward_state {
	WARD_PRIVATE(unsigned long began;);
	WARD_MAP(struct interrupt, ward_stat_elapsed, 128) times;
};

WARD_ENTRY("kernel:irq:irq_handler_entry")
void on_entry(const struct ward_event *ev, struct ward_state *st)
{
	st->began = ev->time;
}

WARD_ENTRY("kernel:irq:irq_handler_exit")
void on_exit(const struct ward_event *ev, struct ward_state *st)
{
	struct interrupt i = {0};

	if (!st->began)
		return;
	ward_kernel_read_str(i.name, sizeof(i.name), (uint64_t)WARD_GET(WARD_ARG(struct irqaction *, 1), name));
	ward_stat_add(ward_map_at(&st->times, i), ev->time - st->began);
	st->began = 0;
}
