/* For a kernel that may replace returns: two returns, and a call and a jump to imports. */
#include <ward/imports.h>
#include <ward/probe.h>

struct state {
	uint64_t calls, word, none;
};

__attribute__((visibility("default"))) void probe(const struct ward_event *ev, struct state *st)
{
	if (ev->arg[0] == 0) {
		st->none++;
		return;
	}
	ward_kernel_read(&st->word, sizeof st->word, ev->arg[0]);
	st->calls++;
	if (st->calls & 1)
		ward_kernel_read(&st->word, sizeof st->word, ev->arg[1]);
}
