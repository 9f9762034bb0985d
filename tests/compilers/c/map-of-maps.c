/* a map of small maps: process, then file */
#include "event.h"

struct state {
	u64 lost;
	struct {
		u32 pid;
		struct {
			u32 fd, count;
		} file[8];
	} process[16];
};

void map_of_maps(const struct event *ev, struct state *st)
{
	u32 pid = (u32)ev->arg[0] | 1, fd = (u32)ev->arg[1] | 1, h = pid * 2654435761u >> 28;

	for (u32 i = 0; i < 4; i++) {
		u32 p = (h + i) & 15;

		if (st->process[p].pid != pid && st->process[p].pid != 0)
			continue;
		st->process[p].pid = pid;
		for (u32 f = 0; f < 8; f++) {
			if (st->process[p].file[f].fd == fd || st->process[p].file[f].fd == 0) {
				st->process[p].file[f].fd = fd;
				st->process[p].file[f].count++;
				return;
			}
		}
	}
	st->lost++;
}
