/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments of the tests' functions, tracepoints and system calls; their probes use it, too. */
#ifndef WARD_WORDS_H
#define WARD_WORDS_H

#define WORD(i) (0x0123456789abcdefUL + (i) * 0x1111111111111111UL)

/*
 * Sets, as octal numbers: a bit for each word that isn't an argument, and ARGUMENTS for those that are. Each word is in
 * some and not in others, and of two words nearly always there are sets with both, with either and with none.
 */
#define EACH_SET(m) m(00) m(01) m(02) m(07) m(16) m(31) m(34) m(35) m(40) m(47) m(55) m(61) m(62) m(63) m(66) m(77)
#define ARGUMENTS(n) (((n) * 27 + 5) & 63)

/* What the function of set n returns of such arguments. */
#define TURNED(x, by) ((x) << (by) | (x) >> (64 - (by)))
#define MIX(a, b, c, d, e, f, n) \
	((a) ^ TURNED(b, 7) ^ TURNED(c, 17) ^ TURNED(d, 29) ^ TURNED(e, 41) ^ TURNED(f, 53) ^ (n) << 32)

#endif
