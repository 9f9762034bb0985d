#include <ward/probe.h>

/* A scan of bytes up to a zero or an end that the event gives, 16 bits and a checksum. */
struct ward_state {
	unsigned char text[256];
	unsigned short words[64];
	unsigned sum;
};

WARD_ENTRY()
void length(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long n = ev->arg[0] < 256 ? ev->arg[0] : 256, i = 0;

	while (i < n && st->text[i])
		i++;
	st->sum += (unsigned)i;
}

WARD_ENTRY()
void fold(const struct ward_event *ev, struct ward_state *st)
{
	unsigned h = (unsigned)ev->arg[2];

	for (unsigned i = 0; i < 64; i++) {
		h = (h ^ st->words[i]) * 16777619u;
		st->words[i] = (unsigned short)(h >> (i & 7));
	}
	st->sum = h;
}
