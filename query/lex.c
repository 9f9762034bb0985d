/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lexer. A number with a unit is one token: 5.s, 250ms, 1.5.s, 4.KiB. The point before the unit may be left out. A
 * number has no members, so a point behind it, and a name that is a unit, can be nothing else.
 */
#include "lex.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 128, MOST_TEXT = 1024 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static const char *lexer_rest(const struct query_lexer *l)
{
	return l->text->bytes + l->at;
}

static struct query_token lexer_fail(
	struct query_lexer *l, uint32_t at, uint32_t n, const char *hint, const char *message)
{
	query_fail(l->err, (struct query_span){at, n}, hint, "%s", message);
	l->at = l->text->n;
	return (struct query_token){.kind = TOKEN_END, .span = {at, n}};
}

/* Blanks and comments. False: a comment has no end. */
static bool skip_blanks(struct query_lexer *l)
{
	for (;;) {
		const char *p = lexer_rest(l), *end;

		if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
			l->at++;
		} else if ((p[0] == '/' && p[1] == '/') || (p[0] == '#' && p[1] == '!' && l->at == 0)) {
			l->at += (uint32_t)strcspn(p, "\n");
		} else if (p[0] == '/' && p[1] == '*') {
			end = strstr(p + 2, "*/");
			if (!end)
				return false;
			l->at += (uint32_t)(end + 2 - p);
		} else {
			return true;
		}
	}
}

/* ---- numbers ---- */

static const struct unit {
	const char *name;
	uint64_t factor;
	bool is_duration;
} units[] = {
	{"ns", 1, true},
	{"us", 1000, true},
	{"µs", 1000, true},
	{"ms", 1000000, true},
	{"s", 1000000000, true},
	{"min", 60000000000, true},
	{"h", 3600000000000, true},
	{"d", 86400000000000, true},
	{"KiB", 1 << 10, false},
	{"MiB", 1 << 20, false},
	{"GiB", 1 << 30, false},
	{"KB", 1000, false},
	{"MB", 1000000, false},
	{"GB", 1000000000, false},
};

/* The unit that stands here, behind a point or not, and its length with the point. */
static const struct unit *find_unit(const char *p, uint32_t *length)
{
	uint32_t point = *p == '.';

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i].name);

		if (strncmp(p + point, units[i].name, n) == 0 && !is_letter(p[point + n]) && !is_digit(p[point + n])) {
			*length = point + (uint32_t)n;
			return &units[i];
		}
	}
	return NULL;
}

struct number {
	uint64_t whole;
	double real;
	bool is_real, is_large; /* with a fraction; above 64 bits */
};

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static struct number read_digits(struct query_lexer *l)
{
	struct number n = {0};
	const char *p = lexer_rest(l);
	unsigned base = p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && digit_of(p[2]) < 16 ? 16 : 10;
	double scale = 1;

	for (p += base == 16 ? 2 : 0; digit_of(*p) < (int)base || (*p == '_' && digit_of(p[1]) < (int)base); p++) {
		uint64_t digit;

		if (*p == '_')
			continue;
		digit = (uint64_t)digit_of(*p);
		n.is_large |= __builtin_mul_overflow(n.whole, (uint64_t)base, &n.whole);
		n.is_large |= __builtin_add_overflow(n.whole, digit, &n.whole);
		n.real = n.real * base + (double)digit;
	}
	if (base == 10 && p[0] == '.' && is_digit(p[1])) {
		n.is_real = true;
		for (p++; is_digit(*p); p++)
			n.real += (*p - '0') * (scale /= 10);
	}
	l->at = (uint32_t)(p - l->text->bytes);
	return n;
}

static struct query_token lex_number(struct query_lexer *l)
{
	uint32_t at = l->at, length = 0;
	struct number n = read_digits(l);
	const struct unit *unit = find_unit(lexer_rest(l), &length);
	struct query_token t = {.kind = n.is_real ? TOKEN_REAL : TOKEN_INT, .real = n.real, .integer = n.whole};

	l->at += length;
	t.span = (struct query_span){at, l->at - at};
	if (is_letter(*lexer_rest(l)))
		return lexer_fail(l, at, l->at + 1 - at,
			"units are ns, us, ms, s, min, h, d, KiB, MiB, GiB, KB, MB, GB", "a number, and then no unit");
	if (n.is_large && !n.is_real)
		return lexer_fail(l, at, t.span.n, NULL, "a number above 64 bits");
	if (!unit)
		return t;
	t.kind = unit->is_duration ? TOKEN_DURATION : TOKEN_INT;
	if (n.is_real) {
		double value = n.real * (double)unit->factor + 0.5;

		if (value >= 9.2e18)
			return lexer_fail(l, at, t.span.n, NULL, "a number above 63 bits");
		t.integer = (uint64_t)value;
	} else if (__builtin_mul_overflow(n.whole, unit->factor, &t.integer) || t.integer > INT64_MAX) {
		return lexer_fail(l, at, t.span.n, NULL, "a number above 63 bits");
	}
	return t;
}

/* ---- texts ---- */

/* What stands behind a backslash at p; *p moves on. -1: nothing that is known. */
static int read_escape(const char **p)
{
	static const char from[] = "ntr\\\"'ab", to[] = "\n\t\r\\\"'\a\b";
	const char *found = **p ? strchr(from, **p) : NULL;
	int value = 0;

	if (found) {
		++*p;
		return (unsigned char)to[found - from];
	}
	if (**p == 'x' && digit_of((*p)[1]) < 16) {
		++*p;
		for (int i = 0; i < 2 && digit_of(**p) < 16; i++)
			value = value * 16 + digit_of(*(*p)++);
		return value;
	}
	return -1;
}

static struct query_token lex_quoted(struct query_lexer *l)
{
	uint32_t at = l->at, n = 0;
	const char *p = lexer_rest(l);
	char quote = *p++, text[MOST_TEXT] = "";

	while (*p != quote) {
		int c = (unsigned char)*p;

		if (c == 0 || c == '\n')
			return lexer_fail(l, at, 1, NULL, "a text without its end");
		p++;
		if (c == '\\' && (c = read_escape(&p)) <= 0)
			return lexer_fail(l, (uint32_t)(p - 1 - l->text->bytes), 2,
				"escapes are \\n, \\t, \\r, \\\\, \\\", \\', \\a, \\b and \\x41", "an unknown escape");
		if (n == MOST_TEXT - 1)
			return lexer_fail(l, at, 1, NULL, "a text of more than 1023 bytes");
		text[n++] = (char)c;
	}
	l->at = (uint32_t)(p + 1 - l->text->bytes);
	struct query_token t = {.kind = TOKEN_TEXT, .span = {at, l->at - at}, .text = query_copy(l->arena, text, n)};
	if (quote == '\'') {
		if (n != 1)
			return lexer_fail(l, at, t.span.n, "texts have double quotes", "a character is one byte");
		t.kind = TOKEN_INT;
		t.integer = (unsigned char)text[0];
	}
	return t;
}

/* ---- the rest ---- */

static struct query_token lex_name(struct query_lexer *l)
{
	uint32_t at = l->at;

	while (is_letter(*lexer_rest(l)) || is_digit(*lexer_rest(l)))
		l->at++;
	if (l->at - at > MOST_NAME)
		return lexer_fail(l, at, l->at - at, NULL, "a name of more than 128 letters");
	return (struct query_token){.kind = TOKEN_NAME,
		.span = {at, l->at - at},
		.text = query_copy(l->arena, l->text->bytes + at, l->at - at)};
}

static struct query_token lex_operator(struct query_lexer *l)
{
	/* longer ones first */
	static const char *const operators[] = {"=>", "->", "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "(", ")",
		"[", "]", "{", "}", ",", ";", ".", "=", "?", ":", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%", "!",
		"~"};

	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t n = strlen(operators[i]);

		if (strncmp(lexer_rest(l), operators[i], n) == 0) {
			struct query_token t = {.kind = TOKEN_OP, .span = {l->at, (uint32_t)n}, .text = operators[i]};

			l->at += (uint32_t)n;
			return t;
		}
	}
	return lexer_fail(
		l, l->at, 1, "texts have double quotes, names have letters, digits and _", "an unexpected character");
}

struct query_token query_lex(struct query_lexer *l)
{
	uint32_t at = l->at;
	const char *p;

	if (!skip_blanks(l))
		return lexer_fail(l, at, 2, NULL, "a comment without its end");
	p = lexer_rest(l);
	if (l->at >= l->text->n)
		return (struct query_token){.kind = TOKEN_END, .span = {l->text->n, 0}};
	if (is_digit(p[0]) || (p[0] == '.' && is_digit(p[1])))
		return lex_number(l);
	if (is_letter(p[0]))
		return lex_name(l);
	return *p == '"' || *p == '\'' ? lex_quoted(l) : lex_operator(l);
}
