/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions with every kind of exit. Each notes, in its caller, that it returned and what. The caller prints the
 * sums, which a probe's must equal. A result that isn't in rax is compared with what it must be.
 */
#include "returns.h"
#include "sites.h"

#include <complex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X) \
	X(ret_plain) \
	X(ret_frame) \
	X(ret_exits) \
	X(ret_recursive) \
	X(ret_tail) \
	X(ret_tail_if) \
	X(ret_tail_pointer) \
	X(ret_tiny) \
	X(ret_jumped) \
	X(ret_switch) \
	X(ret_pair) \
	X(ret_struct) \
	X(ret_double) \
	X(ret_extended) \
	X(ret_complex) \
	X(ret_jumps) \
	X(ret_alloca) \
	X(ret_variadic) \
	X(ret_self) \
	X(ret_detour)

enum {
#define NUMBER(name) N_##name,
	FUNCTIONS(NUMBER) N_FUNCTIONS
};

struct tally {
	uint64_t n[N_FUNCTIONS], sum[N_FUNCTIONS];
	long bad;
};

static __thread struct tally *mine;

/* rax is `value` now; for functions that return in other registers it isn't known, and counts as 0. */
#define RETURNED(name, value) (mine->n[N_##name]++, mine->sum[N_##name] += (uint64_t)(value))

KEPT uint64_t ret_plain(uint64_t a, uint64_t b)
{
	return a * 3 + b;
}

KEPT uint64_t ret_other(uint64_t a)
{
	__asm__ volatile("");
	return a ^ 5;
}

KEPT uint64_t ret_frame(uint64_t a, uint64_t b)
{
	uint64_t x = ret_other(a);

	return ret_other(b) + x * 2;
}

KEPT uint64_t ret_exits(uint64_t a, const char *s)
{
	if (a % 5 == 0)
		return 1;
	if (a % 5 == 1)
		return ret_other(a) + 7;
	for (; *s; s++) {
		if ((uint64_t)*s == a % 26 + 'a')
			return ret_other(a) * 3;
		a += ret_other((uint64_t)*s);
	}
	if (a & 1)
		return a + 11;
	return ret_other(a) + 13;
}

KEPT uint64_t ret_recursive(uint64_t n)
{
	uint64_t r = n < 2 ? n : ret_recursive(n - 1);

	if (n >= 2)
		r += ret_recursive(n - 2);
	RETURNED(ret_recursive, r);
	return r;
}

uint64_t ret_tail(uint64_t a, uint64_t b), ret_tail_if(uint64_t a, uint64_t b),
	ret_tail_pointer(uint64_t a, uint64_t b, uint64_t (*fn)(uint64_t, uint64_t));
uint64_t ret_tiny(uint64_t a), ret_jumped(uint64_t a), ret_self(uint64_t a), ret_detour(uint64_t a);
void ret_cold(uint64_t a), ret_inside(void), ret_flows(void);

KEPT uint64_t ret_switch(uint64_t a, uint64_t b)
{
	switch (a % 11) {
	case 0: return ret_other(b) + 1;
	case 1: return ret_other(b + 1) + 2;
	case 2: b += ret_other(a); break;
	case 3: return b - 9;
	case 4: b ^= ret_other(a + 4); break;
	case 5: return 5;
	case 6: b = ret_other(b) * b; break;
	case 8: return b << 3;
	default: b++;
	}
	return b ^ ret_other(a);
}

struct pair {
	uint64_t x, y;
};

KEPT struct pair ret_pair(uint64_t a)
{
	return (struct pair){ret_other(a), a * 77};
}

struct large {
	uint64_t v[9];
};

KEPT struct large ret_struct(uint64_t a)
{
	struct large l;

	for (unsigned i = 0; i < 9; i++)
		l.v[i] = ret_other(a + i);
	return l;
}

KEPT double ret_double(double a)
{
	return a * 1.5 + 0.25;
}

KEPT long double ret_extended(long double a)
{
	return a * 3 + 1;
}

KEPT double complex ret_complex(double complex a)
{
	return a + (2 + 3 * I);
}

/* It leaves by longjmp, now and then, from a depth where it had been called by itself. */
KEPT uint64_t ret_jumps(jmp_buf out, uint64_t depth, uint64_t a)
{
	uint64_t r;

	if (!depth && a % 3 == 0)
		longjmp(out, 1);
	r = depth ? ret_jumps(out, depth - 1, a) + 1 : a;
	RETURNED(ret_jumps, r);
	return r;
}

KEPT uint64_t ret_alloca(uint64_t n, int c)
{
	char *p = __builtin_alloca(n % 100 + 8);

	memset(p, c, n % 100 + 8);
	__asm__ volatile("" : : "r"(p) : "memory");
	return (uint64_t)(unsigned char)p[n % 8] + ret_other(n);
}

KEPT uint64_t ret_variadic(int n, ...)
{
	uint64_t sum = 0;
	__builtin_va_list ap;

	__builtin_va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += __builtin_va_arg(ap, uint64_t);
	__builtin_va_end(ap);
	return sum;
}

__attribute__((noreturn)) KEPT void ret_never(int status)
{
	_exit(status);
}

static void call_others(uint64_t i)
{
	struct pair pair = ret_pair(i);
	struct large large = ret_struct(i);
	double complex c = ret_complex((double)i + 1 * I);
	jmp_buf out;

	RETURNED(ret_pair, pair.x);
	mine->bad += pair.x != (i ^ 5) || pair.y != i * 77;
	mine->n[N_ret_struct]++;
	for (unsigned k = 0; k < 9; k++)
		mine->bad += large.v[k] != ((i + k) ^ 5);
	mine->bad += ret_double((double)i) != (double)i * 1.5 + 0.25;
	mine->n[N_ret_double]++;
	mine->bad += ret_extended((long double)i) != (long double)i * 3 + 1;
	mine->n[N_ret_extended]++;
	mine->bad += creal(c) != (double)i + 2 || cimag(c) != 4;
	mine->n[N_ret_complex]++;
	if (!setjmp(out))
		mine->bad += ret_jumps(out, i % 7, i) != i + i % 7;
}

static void *call_all(void *arg)
{
	uint64_t rounds = *(uint64_t *)arg, r;

	mine = calloc(1, sizeof(*mine));
	for (uint64_t i = 0; i < rounds; i++) {
#define CALL(name, ...) \
	do { \
		r = name(__VA_ARGS__); \
		RETURNED(name, r); \
	} while (0)
#define CHECK(value, name, ...) \
	do { \
		CALL(name, __VA_ARGS__); \
		mine->bad += r != (value); \
	} while (0)
		CALL(ret_plain, i, i ^ 3);
		CALL(ret_frame, i, i + 2);
		CALL(ret_exits, i, "the quick brown fox");
		ret_recursive(i % 8);
		mine->bad += ret_tail(i, 4) != i * 3 + 4;
		RETURNED(ret_tail, 0);
		r = i * 3 + 4;
		RETURNED(ret_plain, r);
		mine->bad += (r = ret_tail_if(i, 7)) != (i & 1 ? i * 3 + 7 : i + 7);
		RETURNED(ret_tail_if, i & 1 ? 0 : r);
		if (i & 1)
			RETURNED(ret_plain, r);
		mine->bad += (r = ret_tail_pointer(i, 9, ret_plain)) != i * 3 + 9;
		RETURNED(ret_tail_pointer, 0);
		RETURNED(ret_plain, r);
		CHECK(i + 1, ret_tiny, i);
		CHECK((i & 1 ? i : 0), ret_jumped, i);
		CALL(ret_switch, i, i * 3);
		CALL(ret_alloca, i, (int)(i & 127));
		CALL(ret_variadic, 3, i, i, i);
		CHECK(0, ret_self, i % 9);
		CHECK(i % 5 == 0 ? 1 : i & 1 ? i + 3 : i + 1, ret_detour, i % 5 == 0 ? 0 : i);
		call_others(i);
	}
	return mine;
}

int returns(long threads, long rounds, void (*begin)(void))
{
	static const char *const name[] = {
#define NAME(name) #name,
		FUNCTIONS(NAME)};
	struct tally sum = {0}, *one;
	pthread_t id[64];

	if (rounds < 0)
		ret_never(3);
	begin();
	for (long i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, call_all, &rounds);
	for (long i = 0; i < threads; i++) {
		pthread_join(id[i], (void **)&one);
		for (unsigned k = 0; k < N_FUNCTIONS; k++) {
			sum.n[k] += one->n[k];
			sum.sum[k] += one->sum[k];
		}
		sum.bad += one->bad;
	}
	for (unsigned k = 0; k < N_FUNCTIONS; k++)
		printf("%s %lu %lu\n", name[k], sum.n[k], sum.sum[k]);
	return sum.bad != 0;
}

static jmp_buf top;
static uint64_t down_calls, down_returned;

KEPT uint64_t ret_down(uint64_t n, uint64_t deepest, uint64_t jump)
{
	uint64_t r = 0;

	down_calls++;
	if (n < deepest)
		r = ret_down(n + 1, deepest, jump) - 1;
	else if (jump)
		longjmp(top, 1);
	else
		r = deepest;
	down_returned++;
	__asm__ volatile("" : "+r"(r)); /* no loop */
	return r;
}

int deep(long rounds, long depth, void (*begin)(void))
{
	static volatile long i;
	static volatile int bad;

	begin();
	for (i = 0; i < rounds; i++)
		if (!setjmp(top))
			bad |= ret_down(0, (uint64_t)(depth - i % 5), i % 7 == 3) != 0;
	printf("calls %lu returned %lu\n", down_calls, down_returned);
	return bad;
}
