/*
 * The operations of C on integers, one probe function for each kind. Run as a module and as native code, the states
 * must come out equal. Every operation is defined for all inputs.
 */
#include <ward/probe.h>

struct big {
	unsigned long w[40];
};

struct state {
	unsigned long a, b, c[64];
	int i, j;
	short sh;
	signed char ch;
	unsigned char uc;
	struct big x, y;
	unsigned __int128 w;
	signed __int128 sw;
};

static const unsigned char table[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 99 };
static unsigned long shared = 3;
static unsigned long counts[9];

#define PROBE(name) WARD_ENTRY() void name(const struct ward_event *ev, struct state *st)

/* Keeps LONG_MIN / -1 out. */
static long divisor(unsigned long v)
{
	return (long)(v >> 8 | 1) - (1l << 40);
}

PROBE(signed_division)
{
	long d = divisor(ev->arg[1]);

	d += d == 0;
	st->a = (unsigned long)((long)(ev->arg[0] >> 1) / d);
	st->b = (unsigned long)((long)ev->arg[2] % (d == -1 ? 1 : d));
	st->c[0] = (unsigned long)((long)ev->arg[0] / 7);
	st->c[1] = (unsigned long)((long)ev->arg[0] % 1000);
	st->c[2] = (unsigned long)((long)ev->arg[0] / -8);
	st->c[3] = (unsigned long)((long)ev->arg[0] % 64);
	st->i = (int)ev->arg[3] / 10;
	st->j = (int)ev->arg[3] % 16;
}

PROBE(unsigned_division)
{
	st->a = ev->arg[0] / (ev->arg[1] | 1);
	st->b = ev->arg[0] % (ev->arg[1] >> 40 | 1);
	st->c[0] = ev->arg[2] / 1000;
	st->c[1] = (unsigned)ev->arg[2] % 10;
	st->c[2] = (unsigned)ev->arg[3] / ((unsigned)ev->arg[4] | 1);
}

PROBE(small_types)
{
	st->sh = (short)((short)ev->arg[0] / ((short)(ev->arg[1] & 0xff) | 1));
	st->uc = (unsigned char)(st->uc / (unsigned char)(ev->arg[2] | 1) + 77);
	st->ch = (signed char)((signed char)ev->arg[4] % 7);
	st->uc *= (unsigned char)ev->arg[3];
	st->ch = (signed char)(st->ch * (signed char)ev->arg[5]);
	st->sh = (short)(st->sh << (ev->arg[1] & 7));
}

PROBE(counting_bits)
{
	st->a = (unsigned long)__builtin_ctzl(ev->arg[0] | 1ul << 63);
	st->b = ev->arg[1] ? (unsigned long)__builtin_ctzl(ev->arg[1]) : 64;
	st->c[0] = (unsigned long)__builtin_ffsl((long)ev->arg[2]);
	st->c[1] = (unsigned long)__builtin_clzl(ev->arg[0] | 1);
	st->c[2] = ev->arg[1] ? (unsigned long)__builtin_clzl(ev->arg[1]) : 64;
	st->c[3] = (unsigned long)__builtin_popcountl(ev->arg[3]);
	st->c[4] = (unsigned)ev->arg[4] ? (unsigned long)__builtin_ctz((unsigned)ev->arg[4]) : 32;
	st->c[5] = (unsigned long)__builtin_parityl(ev->arg[5]);
}

PROBE(setting_bits)
{
	st->c[ev->arg[0] >> 6 & 63] |= 1ul << (ev->arg[0] & 63);
	st->a ^= 1ul << (ev->arg[1] & 63);
	st->b &= ~(1ul << (ev->arg[2] & 63));
	st->i |= (int)(1u << (ev->arg[3] & 31));
	st->j &= (int)~(1u << (ev->arg[4] & 31));
	st->c[0] |= 1ul << 40;
	st->c[1] &= ~(1ul << 50);
	st->c[2] ^= 1ul << 63;
	if (st->a & 1ul << (ev->arg[5] & 63))
		st->c[3]++;
	if (st->c[4] & 1ul << 44)
		st->c[5]++;
}

PROBE(copies)
{
	st->y.w[ev->arg[0] & 31] = ev->arg[1];
	st->x = st->y;
	__builtin_memset(&st->y, (int)ev->arg[2], 17);
	__builtin_memmove(&st->c[0], &st->c[1], 48);
	if (ev->arg[3] & 1)
		__builtin_memset(&st->y, 0, sizeof(st->y));
}

PROBE(carries)
{
	st->a += ev->arg[0] > 10;
	st->b -= ev->arg[1] < ev->arg[2];
	st->w += ev->arg[3];
	st->w *= 3;
	st->c[0] += ev->arg[0] + ev->arg[1] < ev->arg[0];
	st->i += (int)ev->arg[4] < st->j;
}

PROBE(wide)
{
	st->a = (unsigned long)(((unsigned __int128)ev->arg[0] * ev->arg[1]) >> 64);
	st->b = (unsigned long)(((__int128)(long)ev->arg[0] * (long)ev->arg[1]) >> 64);
	st->sw = (__int128)(long)ev->arg[2] * -5;
	st->w ^= ev->arg[4];
	st->w <<= ev->arg[5] & 127;
}

PROBE(rotations)
{
	st->a = ev->arg[0] << (ev->arg[1] & 63) | ev->arg[0] >> (-ev->arg[1] & 63);
	st->b = ev->arg[0] << 7 | ev->arg[1] >> 57;
	st->c[0] = __builtin_bswap64(ev->arg[0]);
	st->sh = (short)__builtin_bswap16((unsigned short)st->sh);
	st->c[1] = st->c[1] << 9 | st->c[1] >> 55;
	st->c[2] = __builtin_bswap32((unsigned)ev->arg[3]);
	st->sh = (short)(st->sh + (short)ev->arg[2]);
	st->c[1] += ev->arg[2];
}

PROBE(globals)
{
	st->a += table[ev->arg[0] & 15];
	shared += ev->arg[1];
	counts[ev->arg[2] & 7]++;
	st->b = shared + counts[ev->arg[3] & 7];
}

PROBE(switches)
{
	unsigned v;

	switch (ev->arg[0] & 15) {
	case 0: st->a++; break;
	case 1: st->b++; break;
	case 2: st->c[0] += 3; break;
	case 3: st->c[1] ^= 5; break;
	case 4: st->c[2]--; break;
	case 5: st->c[6] += st->a; break;
	case 9: st->c[2] = 1; break;
	default: break;
	}
	switch (ev->arg[1] & 7) {
	case 0: v = 9; break;
	case 1: v = 100; break;
	case 2: v = 3; break;
	case 3: v = 77; break;
	case 4: v = 31; break;
	case 5: v = 12; break;
	default: v = 4; break;
	}
	st->c[9] += v;
}

PROBE(overflows)
{
	long a = (long)ev->arg[0], b = (long)ev->arg[1], r;

	st->a = (unsigned long)(a < b ? a : b);
	st->b = a < 0 ? 0 - (unsigned long)a : (unsigned long)a;
	st->c[0] = __builtin_add_overflow(a, b, &r);
	st->c[1] = (unsigned long)r;
	st->c[2] = __builtin_mul_overflow(a, b, &r);
	st->c[3] = (unsigned long)r;
	st->c[4] = __builtin_sub_overflow(ev->arg[2], ev->arg[3], &st->c[5]);
	st->c[6] = __builtin_mul_overflow(ev->arg[2], ev->arg[3], &st->c[7]);
	st->c[8] = ev->arg[4] - 5 > ev->arg[4] ? 0 : ev->arg[4] - 5;
}

PROBE(loops)
{
	unsigned long sum = 0, v = ev->arg[0], m = 0, t[16];
	unsigned i, j;

	for (i = 0; i < 64; i++)
		sum += st->c[i];
	st->a = sum;
	for (i = 0; i < 16; i++)
		st->c[i] = ev->arg[i & 3] * (i + 1);
	for (i = 1; i < 16; i++)
		for (j = i; j > 0 && st->c[j - 1] > st->c[j]; j--) {
			unsigned long swap = st->c[j];

			st->c[j] = st->c[j - 1];
			st->c[j - 1] = swap;
		}
	while (v) {
		v &= v - 1;
		st->b++;
	}
	for (i = 0; i < 16; i++)
		t[i] = st->c[i] ^ ev->arg[4];
	for (i = 0; i < 16; i++)
		m += t[(i * 7 + ev->arg[5]) & 15];
	st->c[20] = m;
}

PROBE(bytes)
{
	unsigned char *p = (unsigned char *)st->c;
	unsigned h = 0, i;

	for (i = 0; i < 100; i++)
		h = h * 31 + p[i];
	for (i = 0; i < 100; i++)
		p[i] ^= (unsigned char)(h >> (i & 15));
	for (i = 0; i < 100 && p[i]; i++)
		st->a++;
	st->b = (unsigned long)((ev->arg[0] > ev->arg[1]) - (ev->arg[0] < ev->arg[1]));
}
