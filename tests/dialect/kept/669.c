/* What a hash does with its input, of the event and of a local array. */
/* compiled as usual */
#include <ward/probe.h>
#include <string.h>
struct ctx { uint32_t count; unsigned char buffer[64]; };
struct ward_state { struct ctx ctx; };
static void update(struct ctx *c, const unsigned char *data, uint32_t len)
{
	uint32_t i, j = c->count & 63;
	c->count += len;
	if (j + len > 63) {
		memcpy(&c->buffer[j], data, (i = 64 - j));
		j = 0;
	} else
		i = 0;
	memcpy(&c->buffer[j], &data[i], len - i);
}
WARD_ENTRY("x!y")
void probe_669(const struct ward_event *ev, struct ward_state *st)
{
	unsigned char fin[8];
	memcpy(fin, &ev->time, 8);
	update(&st->ctx, (const unsigned char *)ev->arg, ev->arg[5] % 49);
	update(&st->ctx, fin, 8);
}
