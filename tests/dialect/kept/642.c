/* A byte of a local buffer before an index, beside another buffer; and a helper's loops, each in many copies, that only fuel bounds. */
#include <ward/probe.h>
#include <string.h>
struct arg { enum { A_INT, A_UINT, A_STR, A_CHR } kind; union { int64_t i; uint64_t u; const char *s; char c; } v; };
#define MKARG(x) _Generic((x), int: mk_i, long: mk_i, unsigned: mk_u, unsigned long: mk_u, char *: mk_s, const char *: mk_s)(x)
static inline struct arg mk_i(int64_t i) { return (struct arg){ A_INT, { .i = i } }; }
static inline struct arg mk_u(uint64_t u) { return (struct arg){ A_UINT, { .u = u } }; }
static inline struct arg mk_s(const char *s) { return (struct arg){ A_STR, { .s = s } }; }
struct ward_state { char log[512]; uint32_t pos, wraps; uint64_t lines, trunc; };
struct sb { char *p, *end; bool over; };
static void put(struct sb *b, char c) { if (b->p < b->end) *b->p++ = c; else b->over = true; }
static void pad(struct sb *b, int n, char c) { WARD_BOUND(64) while (n-- > 0) put(b, c); }
static void num(struct sb *b, uint64_t v, unsigned base, bool neg, int width, bool left, bool zero)
{
	static const char digits[] = "0123456789abcdef";
	char tmp[66]; int n = 0;
	WARD_BOUND(66) do tmp[n++] = digits[v % base]; while ((v /= base) != 0);
	int len = n + neg;
	if (!left && !zero) pad(b, width - len, ' ');
	if (neg) put(b, '-');
	if (!left && zero) pad(b, width - len, '0');
	WARD_BOUND(66) while (n) put(b, tmp[--n]);
	if (left) pad(b, width - len, ' ');
}
static size_t format(char *dst, size_t cap, const char *fmt, const struct arg *args, size_t nargs)
{
	struct sb b = { dst, dst + cap, false };
	const struct arg *a = args, *ea = args + nargs;
	WARD_BOUND(40) while (*fmt) {
		if (*fmt != '%') { put(&b, *fmt++); continue; }
		fmt++;
		bool left = false, zero = false; int width = 0, prec = -1;
		WARD_BOUND(5) for (;; fmt++) {
			if (*fmt == '-') left = true;
			else if (*fmt == '0') zero = true;
			else break;
		}
		WARD_BOUND(5) while (*fmt >= '0' && *fmt <= '9') width = width * 10 + (*fmt++ - '0');
		if (*fmt == '.') { prec = 0; fmt++; while ((unsigned)(*fmt - '0') < 10u) prec = prec * 10 + *fmt++ - '0'; }
		char conv = *fmt++;
		if (conv == '%') { put(&b, '%'); continue; }
		if (!conv) break;
		if (a == ea) { put(&b, '?'); continue; }
		switch (conv) {
		case 'd': num(&b, a->v.i < 0 ? -(uint64_t)a->v.i : (uint64_t)a->v.i, 10, a->v.i < 0, width, left, zero); break;
		case 'u': num(&b, a->v.u, 10, false, width, left, zero); break;
		case 'x': num(&b, a->v.u, 16, false, width, left, zero); break;
		case 's': {
			const char *s = a->kind == A_STR ? a->v.s : "(bad)";
			int len = 0;
			WARD_BOUND(40) while ((prec < 0 || len < prec) && s[len]) len++;
			if (!left) pad(&b, width - len, ' ');
			for (int i = 0; i < len; i++) put(&b, s[i]);
			if (left) pad(&b, width - len, ' ');
			break;
		}
		default: put(&b, conv);
		}
		a++;
	}
	if (b.over) return cap + 1;
	return b.p - dst;
}
static const char *const lvl[] = { "debug", "info", "warning", "err", NULL };
WARD_ENTRY("x!log")
void probe_0(const struct ward_event *ev, struct ward_state *st)
{
	char line[80];
	unsigned n = 0;
	while (lvl[n]) n++;
	const char *l = lvl[ev->arg[0] % n];
	struct arg av[] = { MKARG((long)ev->arg[1]), MKARG(l), MKARG((unsigned)ev->arg[2]), MKARG("tail") };
	static const char *const fmts[3] = { "%d [%-8s] %08x %s\n", "%20d|%.3s|%u|%%\n", "%-6d%s%x%5s%d" };
	size_t len = format(line, sizeof line, fmts[ev->arg[3] % 3], av, sizeof av / sizeof *av);
	if (len > sizeof line) { st->trunc++; len = sizeof line; }
	if (st->pos + len > sizeof st->log) { st->pos = 0; st->wraps++; }
	memcpy(st->log + st->pos, line, len);
	st->pos += len; st->lines++;
}
