/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Splits JSON into tokens: how many of each kind, the sum of the numbers, a hash of the strings, and the greatest
 * depth.
 */
#include "kernel.h"

enum { SIZE = 131072, DEPTH = 64, KINDS = 8 };
enum kind { OPEN, CLOSE, COMMA, COLON, STRING, NUMBER, WORD, WRONG };

struct ward_state {
	uint64_t result;
	uint32_t length;
	uint32_t tokens[KINDS];
	uint8_t nesting[DEPTH];
	char text[SIZE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x6e3c22de96f313dfu;

static uint32_t put(struct ward_state *st, uint32_t at, const char *s)
{
	while (*s && at < SIZE)
		st->text[at++] = *s++;
	return at;
}

static uint32_t put_number(struct ward_state *st, uint32_t at, uint32_t n)
{
	char digits[12];
	int i = 11;

	for (digits[i] = 0; n || i == 11; n /= 10)
		digits[--i] = (char)('0' + n % 10);
	return put(st, at, digits + i);
}

void setup(struct ward_state *st)
{
	uint64_t s = 10;
	uint32_t at = put(st, 0, "[");

	while (at < SIZE - 256) {
		at = put(st, at, "\n  {\"id\": ");
		at = put_number(st, at, (uint32_t)(kernel_random(&s) % 100000));
		at = put(st, at,
			kernel_random(&s) & 1 ? ", \"name\": \"caf\\u00e9 \\\"au lait\\\"\"" : ", \"name\": \"tea\"");
		at = put(st, at, kernel_random(&s) & 1 ? ", \"hot\": true" : ", \"hot\": null");
		at = put(st, at, ", \"sizes\": [[");
		for (uint64_t i = kernel_random(&s) % 6; i > 0; i--) {
			at = put_number(st, at, (uint32_t)(kernel_random(&s) % 1000));
			at = put(st, at, ", ");
		}
		at = put(st, at, "-1], []]},");
	}
	st->length = put(st, at, "{}]\n");
}
#else
/* Past the string that begins before `at`; its hash goes into *sum. */
static uint32_t string(const struct ward_state *st, uint32_t at, uint32_t n, uint64_t *sum)
{
	uint64_t hash = 5381;

	while (at < n && st->text[at] != '"') {
		at += st->text[at] == '\\';
		if (at >= n)
			break;
		hash = hash * 33 + (uint8_t)st->text[at];
		at++;
	}
	*sum += hash;
	return at < n ? at + 1 : n;
}

static uint32_t number(const struct ward_state *st, uint32_t at, uint32_t n, uint64_t *sum)
{
	uint64_t value = 0;

	while (at < n && (uint8_t)(st->text[at] - '0') < 10) {
		value = value * 10 + (uint8_t)(st->text[at] - '0');
		at++;
	}
	*sum += value;
	return at;
}

static uint32_t word(const struct ward_state *st, uint32_t at, uint32_t n)
{
	while (at < n && (uint8_t)(st->text[at] - 'a') < 26)
		at++;
	return at;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint32_t n = st->length < SIZE ? st->length : SIZE, at = 0, depth = 0, deepest = 0;
	uint64_t sum = ev->arg[0];

	for (uint32_t i = 0; i < KINDS; i++)
		st->tokens[i] = 0;
	WARD_BOUND(131072)
	while (at < n) {
		char c = st->text[at++];

		switch (c) {
		case ' ':
		case '\t':
		case '\n':
		case '\r': break;
		case '{':
		case '[':
			if (depth < DEPTH)
				st->nesting[depth++] = (uint8_t)(c + 2);
			if (depth > deepest)
				deepest = depth;
			st->tokens[OPEN]++;
			break;
		case '}':
		case ']':
			if (depth > 0 && depth <= DEPTH && st->nesting[--depth] == (uint8_t)c)
				st->tokens[CLOSE]++;
			else
				st->tokens[WRONG]++;
			break;
		case ',': st->tokens[COMMA]++; break;
		case ':': st->tokens[COLON]++; break;
		case '"':
			at = string(st, at, n, &sum);
			st->tokens[STRING]++;
			break;
		default:
			if (c == '-' || (uint8_t)(c - '0') < 10) {
				at = number(st, c == '-' ? at : at - 1, n, &sum);
				st->tokens[NUMBER]++;
			} else if ((uint8_t)(c - 'a') < 26) {
				at = word(st, at, n);
				st->tokens[WORD]++;
			} else {
				st->tokens[WRONG]++;
			}
		}
	}
	for (uint32_t i = 0; i < KINDS; i++)
		sum = sum * 1000003 + st->tokens[i];
	st->result = sum + deepest;
}
#endif
