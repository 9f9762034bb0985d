/* Cases that follow each other and end below the next one: the target compares once, and uses the same flags again in another block. */
/* compiled as usual, or with blocks apart */
#include <ward/probe.h>

struct ward_state {
	unsigned long none, others, high;
};

WARD_ENTRY("x!key")
void on_key(const struct ward_event *ev, struct ward_state *st)
{
	switch (ev->arg[0] % 5) {
	case 0:
	case 1:
	case 2: st->none = ev->arg[1]; /* fall through */
	case 3: st->others++;
	}
	switch (ev->arg[2] % 9) {
	case 4:
	case 5: st->high += 2; break;
	case 6: st->high += st->others; break;
	case 7: st->none++;
	}
}
