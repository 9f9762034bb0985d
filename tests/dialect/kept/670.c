/* A choice in a loop, and a branch by the same comparison: the target would have made one branch of both. */
/* compiled as usual */
#include <ward/probe.h>
struct buf { unsigned char data[512]; int len; };
struct ward_state { struct buf in, comp; };
static void put(struct buf *b, int c) { if (b->len < (int)sizeof b->data) b->data[b->len++] = c; }
static void encode(struct ward_state *st)
{
	unsigned char code[17], mask = 1;
	int codelen = 1, pos = 0;
	const unsigned char *d = st->in.data;
	code[0] = 0;
	while (pos < st->in.len) {
		int best = 0, off = 0;
		for (int s = pos < 64 ? 0 : pos - 64; s < pos; s++) {
			int l = 0;
			while (l < 10 && pos + l < st->in.len && d[s + l] == d[pos + l]) l++;
			if (l > best) { best = l; off = pos - s; }
		}
		if (best <= 2) { code[0] |= mask; code[codelen++] = d[pos++]; }
		else { code[codelen++] = off - 1; code[codelen++] = best; pos += best; }
		if ((mask <<= 1) == 0) {
			for (int i = 0; i < codelen; i++) put(&st->comp, code[i]);
			code[0] = 0;
			codelen = mask = 1;
		}
	}
}
WARD_ENTRY("x!y")
void probe_670(const struct ward_event *ev, struct ward_state *st)
{
	st->in.len = st->comp.len = 0;
	for (int i = 0; i < 48; i++) put(&st->in, (int)(ev->arg[i / 8] >> i));
	encode(st);
}
