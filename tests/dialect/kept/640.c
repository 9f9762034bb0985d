/* A formatter's cursor that is passed from call to call: the last store through it may go to as many places as there were calls before. */
#include <ward/probe.h>
#include <string.h>
struct out { char *p; size_t left; unsigned lost; };
struct ward_state { struct { char text[64]; } ring[16]; unsigned head; uint64_t lost, lines; };
static void oc(struct out *o, char c)
{
	if (o->left > 1) { *o->p++ = c; o->left--; }
	else o->lost++;
}
static void os(struct out *o, const char *s, int width)
{
	int n = 0;
	for (; *s; s++, n++) oc(o, *s);
	while (n++ < width) oc(o, ' ');
}
static void ou(struct out *o, unsigned long v, unsigned base, int width, char pad)
{
	char tmp[24];
	int n = 0;
	do {
		tmp[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (width-- > n) oc(o, pad);
	while (n) oc(o, tmp[--n]);
}
static void od(struct out *o, long v)
{
	if (v < 0) { oc(o, '-'); ou(o, -(unsigned long)v, 10, 0, 0); }
	else ou(o, v, 10, 0, 0);
}
WARD_ENTRY("x!y")
void probe_0(const struct ward_event *ev, struct ward_state *st)
{
	struct out o = {st->ring[st->head++ % 16].text, 64};
	unsigned long s = ev->arg[0] % 86400;
	memset(o.p, 0, 64);
	ou(&o, s / 3600, 10, 2, '0'); oc(&o, ':'); ou(&o, s / 60 % 60, 10, 2, '0'); oc(&o, ':'); ou(&o, s % 60, 10, 2, '0'); oc(&o, ' ');
	os(&o, ev->arg[1] & 1 ? "read" : "write", 6);
	os(&o, "fd=", 0); od(&o, (int)ev->arg[2] % 1000);
	os(&o, " ptr=0x", 0); ou(&o, ev->arg[3], 16, 12, '0');
	os(&o, " ret=", 0); od(&o, (long)ev->arg[4]);
	*o.p = '\0';
	st->lost += o.lost;
	st->lines++;
}
