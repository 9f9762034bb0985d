/* <ctype.h>, by its macros, by its functions, and of characters and numbers. */
/* compiled as usual */
#include <ctype.h>
#include <ward/probe.h>

struct ward_state {
	uint64_t classes[12];
	int upper[4], lower[4];
	unsigned words, ascii;
	char text[32];
};

WARD_ENTRY("x!classes")
void classes(const struct ward_event *ev, struct ward_state *st)
{
	unsigned char c = (unsigned char)ev->arg[0];
	char plain = (char)ev->arg[1];

	/* clang knows some of these functions natively, and has them say 1. */
	st->classes[0] += (uint64_t)isalnum(c) + !!(isalnum)(c);
	st->classes[1] += (uint64_t)isalpha(c) + !!(isalpha)(plain);
	st->classes[2] += (uint64_t)isblank(c) + !!(isblank)(plain);
	st->classes[3] += (uint64_t)iscntrl(c) + !!(iscntrl)(plain);
	st->classes[4] += (uint64_t)isdigit(c) + !!(isdigit)(plain);
	st->classes[5] += (uint64_t)isgraph(c) + !!(isgraph)(plain);
	st->classes[6] += (uint64_t)islower(c) + !!(islower)(plain);
	st->classes[7] += (uint64_t)isprint(c) + !!(isprint)(plain);
	st->classes[8] += (uint64_t)ispunct(c) + !!(ispunct)(plain);
	st->classes[9] += (uint64_t)isspace(c) + !!(isspace)(plain);
	st->classes[10] += (uint64_t)isupper(c) + !!(isupper)(plain);
	st->classes[11] += (uint64_t)isxdigit(c) + !!(isxdigit)(plain);
	st->upper[0] += toupper(c);
	st->upper[1] += (toupper)(plain);
	st->upper[2] ^= toupper((int)(ev->arg[2] % 384) - 128);
	st->upper[3] += (toupper)((int)ev->arg[3]);
	st->lower[0] += tolower(c);
	st->lower[1] += (tolower)(plain);
	st->lower[2] ^= tolower((int)(ev->arg[2] % 384) - 128);
	st->lower[3] += (tolower)((int)ev->arg[3]);
	st->ascii += isascii((int)ev->arg[4]) + (unsigned)toascii((int)ev->arg[5]);
	for (int i = -128; i < 256; i++)
		st->classes[i & 7] = st->classes[i & 7] * 31 + (uint64_t)(isalnum(i) + ispunct(i) + isspace(i) + iscntrl(i) + isprint(i) + toupper(i) + tolower(i));
}

WARD_ENTRY("x!words")
void words(const struct ward_event *ev, struct ward_state *st)
{
	int in = 0;

	st->text[ev->arg[0] & 31] = (char)ev->arg[1];
	for (int i = 0; i < 32; i++) {
		int space = isspace(st->text[i]) != 0;

		st->words += in && space;
		in = !space;
		if (isdigit(st->text[i]))
			st->ascii = st->ascii * 10 + (unsigned)(st->text[i] - '0');
	}
}
