/* counts fields between separators, but not within quotes */
#include "event.h"

struct state {
	u32 fields;
	char line[80];
};

void quotes(const struct event *ev, struct state *st)
{
	u32 fields = 1, quoted = 0;

	(void)ev;
	for (u32 i = 0; i < 80 && st->line[i]; i++) {
		if (st->line[i] == '"')
			quoted ^= 1;
		else if (st->line[i] == ',' && !quoted)
			fields++;
	}
	st->fields = fields;
}
