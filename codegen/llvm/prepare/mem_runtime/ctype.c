/* SPDX-License-Identifier: Apache-2.0 */
/*
 * <ctype.h> in the C locale, as glibc's header uses it: tables for -128 to 255, and the functions. Above ASCII there is
 * no letter. EOF is -1, in no class, and its own upper case.
 */
#include <stddef.h>

enum {
	UPPER = 1 << 8,
	LOWER = 1 << 9,
	ALPHA = 1 << 10,
	DIGIT = 1 << 11,
	XDIGIT = 1 << 12,
	SPACE = 1 << 13,
	PRINT = 1 << 14,
	GRAPH = 1 << 15,
	BLANK = 1 << 0,
	CNTRL = 1 << 1,
	PUNCT = 1 << 2,
	ALNUM = 1 << 3,
	FIRST = -128,
	END = 256
};

#define IS_UPPER(c) ((c) >= 'A' && (c) <= 'Z')
#define IS_LOWER(c) ((c) >= 'a' && (c) <= 'z')
#define IS_DIGIT(c) ((c) >= '0' && (c) <= '9')
#define IS_ALNUM(c) (IS_UPPER(c) || IS_LOWER(c) || IS_DIGIT(c))
#define IS_GRAPH(c) ((c) > ' ' && (c) <= '~')
#define IS_XDIGIT(c) (IS_DIGIT(c) || ((c) >= 'A' && (c) <= 'F') || ((c) >= 'a' && (c) <= 'f'))
#define IS_BLANK(c) ((c) == ' ' || (c) == '\t')
#define CLASSES(c) \
	((IS_UPPER(c) ? UPPER | ALPHA : 0) | (IS_LOWER(c) ? LOWER | ALPHA : 0) | (IS_DIGIT(c) ? DIGIT : 0) | \
		(IS_ALNUM(c) ? ALNUM : 0) | (IS_XDIGIT(c) ? XDIGIT : 0) | (IS_GRAPH(c) ? GRAPH | PRINT : 0) | \
		(IS_GRAPH(c) && !IS_ALNUM(c) ? PUNCT : 0) | ((c) == ' ' ? PRINT | SPACE : 0) | \
		((c) >= '\t' && (c) <= '\r' ? SPACE : 0) | (IS_BLANK(c) ? BLANK : 0) | \
		(((c) >= 0 && (c) < ' ') || (c) == 127 ? CNTRL : 0))
#define AS_BYTE(c) ((c) < -1 ? (c) + 256 : (c))
#define TO_UPPER(c) (IS_LOWER(c) ? (c) - 'a' + 'A' : AS_BYTE(c))
#define TO_LOWER(c) (IS_UPPER(c) ? (c) - 'A' + 'a' : AS_BYTE(c))

#define FOUR(of, c) of(c), of((c) + 1), of((c) + 2), of((c) + 3)
#define SIXTEEN(of, c) FOUR(of, c), FOUR(of, (c) + 4), FOUR(of, (c) + 8), FOUR(of, (c) + 12)
#define PAGE(of, c) SIXTEEN(of, c), SIXTEEN(of, (c) + 16), SIXTEEN(of, (c) + 32), SIXTEEN(of, (c) + 48)
#define TABLE(of) {PAGE(of, -128), PAGE(of, -64), PAGE(of, 0), PAGE(of, 64), PAGE(of, 128), PAGE(of, 192)}

static const unsigned short classes[END - FIRST] = TABLE(CLASSES), *const b = classes - FIRST;
static const int uppers[END - FIRST] = TABLE(TO_UPPER), *const upper = uppers - FIRST;
static const int lowers[END - FIRST] = TABLE(TO_LOWER), *const lower = lowers - FIRST;

#define FORM __attribute__((visibility("default")))

FORM const unsigned short *const *__ctype_b_loc(void)
{
	return &b;
}

FORM const int *const *__ctype_toupper_loc(void)
{
	return &upper;
}

FORM const int *const *__ctype_tolower_loc(void)
{
	return &lower;
}

static inline int has(int c, int class)
{
	return c >= FIRST && c < END ? classes[c - FIRST] & class : 0;
}

#define IS(name, class) \
	FORM int name(int c) \
	{ \
		return has(c, class); \
	}
IS(isalnum, ALNUM)
IS(isalpha, ALPHA)
IS(isblank, BLANK)
IS(iscntrl, CNTRL)
IS(isdigit, DIGIT)
IS(isgraph, GRAPH)
IS(islower, LOWER)
IS(isprint, PRINT)
IS(ispunct, PUNCT)
IS(isspace, SPACE)
IS(isupper, UPPER)
IS(isxdigit, XDIGIT)

FORM int toupper(int c)
{
	return c >= FIRST && c < END ? uppers[c - FIRST] : c;
}

FORM int tolower(int c)
{
	return c >= FIRST && c < END ? lowers[c - FIRST] : c;
}
