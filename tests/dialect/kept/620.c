/* Small objects that pass through copies, compares and fills of any size: the copy must hold what was stored at a variable place. */
#include <ward/probe.h>
#include <string.h>
struct ward_state { uint8_t leaf[5][8]; uint64_t n, same; };
static uint8_t kept[5];
WARD_ENTRY("x!y")
void probe_620(const struct ward_event *ev, struct ward_state *s)
{
	uint8_t three[3] = {0}, five[5] = "abcd", six[6] = {0}, seven[7] = {1, 2, 3};

	three[ev->arg[0] % 3] = 7;
	memcpy(s->leaf[0], three, ev->arg[1] % 4);
	five[ev->arg[1] % 5] = 8;
	memmove(s->leaf[1], five, ev->arg[0] % 6);
	six[ev->arg[2] % 6] = 9;
	memcpy(s->leaf[2], six, ev->arg[0] % 7);
	seven[ev->arg[0] % 7] = 10;
	memcpy(s->leaf[3], seven, ev->arg[2] % 8);
	kept[ev->arg[0] % 5] = (uint8_t)ev->arg[1];
	memcpy(s->leaf[4], kept, ev->arg[1] % 6);
	s->same += memcmp(s->leaf[2], six, ev->arg[1] % 7) == 0;
	s->n++;
}
