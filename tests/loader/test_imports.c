/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The imports: what they return for addresses of all kinds, natively and in a live target; that they cost no more
 * than import.def says; and that attaching is refused where they might get the target killed.
 */
#include "helper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "verifier/step/import.h"
#include "loader/stub/imports.h"

uint64_t import_call(const void *fn, const uint64_t args[3], void *stack, uint64_t kept[7], long trace);
extern const uint64_t import_patterns[6];

/* ---- natively ---- */

enum { STACK = 4096, PAGE = 4096, DIRECTION = 1 << 10 };

static volatile long steps;

static void on_trap(int sig)
{
	(void)sig;
	steps = steps + 1;
}

struct bench {
	uint8_t *code;
	uint8_t *stack;  /* painted */
	uint8_t *memory; /* three pages, of which the last can't be read; and the probe's buffer is elsewhere */
	long overhead;   /* traps of a call of nothing but ret, less that */
	/* what an import has cost so far: instructions less those for its bytes, and bytes of stack */
	long most, deepest;
};

static void *pages(size_t n, int protection)
{
	void *p = mmap(NULL, n * PAGE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert_neq(p, MAP_FAILED);
	return p;
}

static struct bench bench_new(void)
{
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_ONSTACK};
	stack_t alternate = {.ss_sp = pages(16, PROT_READ | PROT_WRITE), .ss_size = 16 * PAGE};
	struct bench b = {.code = pages(2, PROT_READ | PROT_WRITE),
		.stack = pages(2, PROT_READ | PROT_WRITE),
		.memory = pages(3, PROT_READ | PROT_WRITE)};
	uint64_t none[3] = {0}, kept[7];

	cr_assert(sigaltstack(&alternate, NULL) == 0 && sigaction(SIGTRAP, &action, NULL) == 0);
	cr_assert_leq(wl_imports_size(), (size_t)PAGE);
	memcpy(b.code, wl_imports_code, wl_imports_size());
	b.code[PAGE] = 0xc3;
	cr_assert(mprotect(b.code, 2 * PAGE, PROT_READ | PROT_EXEC) == 0);
	cr_assert(mprotect(b.memory + 2 * PAGE, PAGE, PROT_NONE) == 0);
	steps = 0;
	import_call(b.code + PAGE, none, b.stack + STACK, kept, 1);
	b.overhead = steps - 1;
	cr_assert_gt(b.overhead, 0);
	return b;
}

/*
 * Call an import, everything watched: at rsp a multiple of 16 and one of 8 only; registers, direction flag, stack and
 * instructions within what its row says for `bytes` bytes of buffer.
 */
static uint64_t call(struct bench *b, enum ward_import import, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t bytes)
{
	const struct wv_signature *s = wv_signature(import);
	uint64_t args[3] = {a0, a1, a2}, kept[7], offset, result = 0;

	cr_assert(wl_import_offset(import, &offset));
	for (unsigned shift = 0; shift <= 8; shift += 8) {
		uint8_t *top = b->stack + STACK - shift, *low = b->stack;

		memset(b->stack, 0xa5, 2 * PAGE);
		steps = 0;
		result = import_call(b->code + offset, args, top, kept, 1);
		b->most = steps - b->overhead - (long)(s->per_byte * bytes) > b->most
				  ? steps - b->overhead - (long)(s->per_byte * bytes)
				  : b->most;
		cr_assert_leq(steps - b->overhead, (long)(s->insns + s->per_byte * bytes),
			"%s: %ld instructions with %lu bytes", s->name, steps - b->overhead, bytes);
		cr_assert_arr_eq(kept, import_patterns, 6 * sizeof(uint64_t), "%s changes a register", s->name);
		cr_assert(!(kept[6] & DIRECTION));
		while (low < top && *low == 0xa5)
			low++;
		b->deepest = top - 8 - low > b->deepest ? top - 8 - low : b->deepest;
		cr_assert_geq(low, top - 8 - s->stack, "%s uses %ld bytes of stack", s->name, (long)(top - 8 - low));
		for (uint8_t *p = top; p < b->stack + 2 * PAGE; p++)
			cr_assert_eq(*p, 0xa5, "%s writes above its frame", s->name);
	}
	return result;
}

static void bench_say(const struct bench *b, enum ward_import import)
{
	const struct wv_signature *s = wv_signature(import);

	cr_assert(b->most > 0 && b->deepest > 0);
	fprintf(stderr, "imports: %s: %ld instructions (%u are allowed) beside %u a byte, %ld bytes of stack (%u)\n",
		s->name, b->most, s->insns, s->per_byte, b->deepest, s->stack);
}

/* A buffer of n bytes between two canaries, which are checked when it is given back. */
static uint8_t buffer[4 * PAGE];

static uint8_t *buffer_take(size_t n)
{
	cr_assert_leq(n + 128, sizeof(buffer));
	memset(buffer, 0xee, sizeof(buffer));
	return buffer + 64;
}

static void buffer_check(size_t n)
{
	for (size_t i = 0; i < sizeof(buffer); i++)
		cr_assert(i >= 64 && i < 64 + n ? true : buffer[i] == 0xee, "byte %ld beside a buffer of %zu",
			(long)i - 64, n);
}

static bool all_zero(const uint8_t *p, size_t n)
{
	while (n && *p == 0)
		p++, n--;
	return n == 0;
}

static void expect_read(struct bench *b, const void *from, size_t n, bool readable)
{
	uint8_t *to = buffer_take(n);
	uint64_t got = call(b, WARD_IMPORT_READ, (uint64_t)to, n, (uint64_t)from, n);

	cr_assert_eq(got, readable ? n : 0, "%zu bytes at %p: %lu", n, from, got);
	cr_assert(readable && n ? memcmp(to, from, n) == 0 : all_zero(to, n), "%zu bytes at %p", n, from);
	buffer_check(n);
}

/* `readable`: bytes that can be read from there on; a string's own end may come before. */
static void expect_string(struct bench *b, const void *from, size_t n, size_t readable)
{
	uint8_t *to = buffer_take(n);
	uint64_t got = call(b, WARD_IMPORT_READ_STR, (uint64_t)to, n, (uint64_t)from, n);
	size_t want = 0;

	while (want < readable && want < n && ((const char *)from)[want])
		want++;
	if (want == n && n)
		want--;
	cr_assert_eq(got, want, "a string at %p into %zu bytes: %lu, not %zu", from, n, got, want);
	cr_assert((want == 0 || memcmp(to, from, want) == 0) && all_zero(to + want, n - want));
	buffer_check(n);
}

static void expect_match(struct bench *b, const void *with, const void *at, size_t n, uint64_t want)
{
	cr_assert_eq(call(b, WARD_IMPORT_MATCH, (uint64_t)with, n, (uint64_t)at, n), want, "%zu bytes at %p", n, at);
}

static const void *const nowhere[] = {NULL, (void *)1, (void *)4095, (void *)0x800000000000, (void *)0xffff800000000000,
	(void *)0xffffffff81000000, (void *)0xfffffffffffffff8, (void *)UINT64_MAX};
enum { N_NOWHERE = sizeof(nowhere) / sizeof(nowhere[0]) };

Test(imports, read)
{
	struct bench b = bench_new();
	uint8_t *end = b.memory + 2 * PAGE;

	for (size_t i = 0; i < 2 * PAGE; i++)
		b.memory[i] = (uint8_t)(i * 7 + 1);
	for (size_t n = 0; n <= 72; n += 1 + n / 8) {
		expect_read(&b, b.memory + PAGE - 36, n, true); /* across two pages */
		expect_read(&b, end - n, n, true);
		expect_read(&b, end - n, n + 1, false);
		expect_read(&b, end, n, n == 0);
	}
	expect_read(&b, b.memory, 2 * PAGE, true);
	expect_read(&b, b.memory + 1, 2 * PAGE, false);
	for (unsigned i = 0; i < N_NOWHERE; i++)
		expect_read(&b, nowhere[i], 100, false);
	bench_say(&b, WARD_IMPORT_READ);
}

Test(imports, read_str)
{
	struct bench b = bench_new();
	uint8_t *end = b.memory + 2 * PAGE;

	memset(b.memory, 'x', 2 * PAGE);
	for (size_t n = 0; n <= 40; n += 1 + n / 8) {
		for (size_t length = 0; length <= 40; length += 1 + length / 6) {
			memset(b.memory + PAGE - 20, 'y', 60);
			b.memory[PAGE - 20 + length] = 0;
			expect_string(&b, b.memory + PAGE - 20, n, SIZE_MAX);
			if (length) {
				end[-1] = 0; /* the last byte that can be read ends it */
				expect_string(&b, end - length, n, length);
				end[-1] = 'x'; /* and nothing does */
				expect_string(&b, end - length, n, length);
			}
		}
	}
	memset(b.memory, 'x', 2 * PAGE);
	expect_string(&b, b.memory, 2 * PAGE, 2 * PAGE);
	expect_string(&b, b.memory + 1, 2 * PAGE, 2 * PAGE - 1);
	expect_string(&b, b.memory + PAGE - 1, 2 * PAGE, PAGE + 1);
	expect_string(&b, end, 64, 0);
	for (unsigned i = 0; i < N_NOWHERE; i++)
		expect_string(&b, nowhere[i], 100, 0);
	bench_say(&b, WARD_IMPORT_READ_STR);
}

Test(imports, match)
{
	struct bench b = bench_new();
	uint8_t *end = b.memory + 2 * PAGE, with[300];

	for (size_t i = 0; i < sizeof(with); i++)
		with[i] = (uint8_t)(i * 11 + 3);
	for (size_t n = 0; n <= 200; n += 1 + n / 8) {
		memcpy(end - n, with, n);
		expect_match(&b, with, end - n, n, 1);
		expect_match(&b, with, end - n, n + 1, 0);
		memcpy(b.memory + PAGE - 100, with, n);
		expect_match(&b, with, b.memory + PAGE - 100, n, 1);
		for (size_t k = 0; k < n; k += 1 + n / 5) {
			b.memory[PAGE - 100 + k] ^= 0x80;
			expect_match(&b, with, b.memory + PAGE - 100, n, 0);
			b.memory[PAGE - 100 + k] ^= 0x80;
		}
	}
	for (unsigned i = 0; i < N_NOWHERE; i++) {
		expect_match(&b, with, nowhere[i], 5, 0);
		expect_match(&b, with, nowhere[i], 0, 1);
	}
	bench_say(&b, WARD_IMPORT_MATCH);
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

Test(imports, clock)
{
	struct bench b = bench_new();

	for (clockid_t clock = 0; clock < 8; clock++) {
		uint64_t before = now(clock), got = call(&b, WARD_IMPORT_CLOCK, (uint64_t)clock, 0, 0, 0),
			 after = now(clock);

		cr_assert(before <= got && got <= after, "clock %d: %lu, not from %lu to %lu", (int)clock, got, before,
			after);
	}
	bench_say(&b, WARD_IMPORT_CLOCK);
}

/* All but those that only the kernel has. */
Test(imports, each_has_code)
{
	uint64_t at, last = 0;

	for (unsigned i = 0; i < WARD_IMPORT_COUNT; i++) {
		bool has = wl_import_offset(i, &at);

		cr_assert_eq(has,
			i != WARD_IMPORT_KERNEL_READ && i != WARD_IMPORT_KERNEL_READ_STR &&
				i != WARD_IMPORT_KERNEL_CURRENT && i != WARD_IMPORT_KERNEL_STACK &&
				i != WARD_IMPORT_KERNEL_USER_STACK,
			"%s", ward_import_name(i));
		if (!has)
			continue;
		cr_assert(at > last && at < wl_imports_size() && at % 16 == 0);
		last = at;
	}
	cr_assert(!wl_import_offset(WARD_IMPORT_COUNT, &at) && !wl_import_offset(UINT32_MAX, &at));
}

/* ---- in a target ---- */

struct seen {
	uint64_t times, length, whole, match, clock;
	char text[64];
	char bytes[16];
};

enum { N_STRINGS = 15 };

/* What tests/loader/target.c calls use_string with, in its order. */
static const struct {
	const char *what, *text;
	bool whole, match;
} strings[N_STRINGS] = {
	{"a constant", "hello, world", true, true},
	{"an empty string", "", true, false},
	{"NULL", "", false, false},
	{"address 1", "", false, false},
	{"the kernel", "", false, false},
	{"no canonical address", "", false, false},
	{"the last address", "", false, false},
	{"a string that ends with its page, before one that can't be read", "hello", false, true},
	{"one that runs into that page", "hello", false, true},
	{"one across two pages", "hello across the pages", true, true},
	{"a long one", "hello hello hello hello hello hello hello hello hello hello hel", true, true},
	{"one that just fits", "012345678901234567890123456789012345678901234567890123456789012", true, false},
	{"one that just doesn't", "012345678901234567890123456789012345678901234567890123456789012", true, false},
	{"a page without rights", "", false, false},
	{"memory that is unmapped", "", false, false},
};

static struct ward_attach_options granting(const char *const *allow, size_t n)
{
	return (struct ward_attach_options){.size = sizeof(struct ward_attach_options), .allow = allow, .n_allow = n};
}

static const char *const all[] = {"ward_read", "ward_read_str", "ward_match", "ward_clock"};

static void expect_seen(ward_session *s, uint64_t threads, uint64_t rounds)
{
	const void *const *states;
	size_t size, n = ward_session_states(s, &states, &size);

	cr_assert_eq(n, threads);
	cr_assert_eq(size, 16 * sizeof(struct seen));
	for (size_t t = 0; t < n; t++) {
		const struct seen *seen = states[t];

		for (unsigned i = 0; i < N_STRINGS; i++) {
			cr_expect_eq(seen[i].times, rounds, "%s: %lu times", strings[i].what, seen[i].times);
			cr_expect_str_eq(seen[i].text, strings[i].text, "%s", strings[i].what);
			cr_expect_eq(
				seen[i].length, strlen(strings[i].text), "%s: %lu", strings[i].what, seen[i].length);
			cr_expect_eq(seen[i].whole, strings[i].whole ? 16 : 0, "%s: %lu whole", strings[i].what,
				seen[i].whole);
			cr_expect(strings[i].whole
					  ? !memcmp(seen[i].bytes, strings[i].text, strnlen(strings[i].text, 15))
					  : all_zero((const uint8_t *)seen[i].bytes, 16),
				"%s", strings[i].what);
			cr_expect_eq(seen[i].match, strings[i].match, "%s", strings[i].what);
			cr_expect(i == 0 || seen[i].clock >= seen[i - 1].clock);
		}
	}
}

Test(imports, in_a_target)
{
	struct target t = target_start(TARGET, "strings", "3", "200", NULL);
	struct ward_attach_options options = granting(all, 4);
	struct module m = module_read("strings");
	uint64_t before = now(CLOCK_MONOTONIC);
	struct ward_error err;
	ward_session *s;
	char out[128];
	const void *const *states;
	size_t size;

	cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "strings 630000\n");
	cr_expect(ward_wait(s, -1) == 1);
	cr_expect(ward_detach(s, NULL) == 0);
	expect_seen(s, 3, 200);
	cr_assert_gt(ward_session_states(s, &states, &size), 0);
	cr_expect(((const struct seen *)states[0])->clock > before &&
		  ((const struct seen *)states[0])->clock < now(CLOCK_MONOTONIC));
	ward_session_free(s);
	free(m.data);
}

/* Like strings.c, by rustc. */
Test(imports, of_another_language)
{
	struct target t = target_start(TARGET, "strings", "2", "100", NULL);
	struct ward_attach_options options = granting(all, 4);
	struct module m = module_read("strings-rs");
	struct ward_error err;
	ward_session *s;
	char out[128];

	cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect(ward_wait(s, -1) == 1);
	cr_expect(ward_detach(s, NULL) == 0);
	expect_seen(s, 2, 100);
	ward_session_free(s);
	free(m.data);
}

/* Of all states, as each process was the first to say its own. */
static struct seen seen_by(ward_session *s, unsigned who)
{
	const void *const *states;
	struct seen sum = {0};
	size_t size, n = ward_session_states(s, &states, &size);

	for (size_t t = 0; t < n; t++) {
		const struct seen *seen = (const struct seen *)states[t] + who;
		uint64_t times = sum.times;

		if (seen->times)
			sum = *seen;
		sum.times = times + seen->times;
	}
	return sum;
}

static void expect_said(ward_session *s, unsigned who, uint64_t times, const char *text)
{
	struct seen seen = seen_by(s, who);

	cr_expect_eq(seen.times, times, "%u: %lu times", who, seen.times);
	cr_expect(!strcmp(seen.text, text) && seen.length == strlen(text), "%u: `%.63s`, %lu", who, seen.text,
		seen.length);
	cr_expect(seen.whole == (times ? 16 : 0), "%u: %lu whole", who, seen.whole);
}

/*
 * A forked child runs no probes. One that shares the target's memory does, and its imports read it by the child's own
 * number. A copy that is made in the midst of a probe ends that run, and lets its parent's slot be: what the parent
 * calls in a signal handler meanwhile is dropped, or it would run on the stack of the probe that was interrupted.
 */
Test(imports, in_copies_of_the_target)
{
	enum { N = 300 };
	struct target t = target_start(TARGET, "copies", "300", NULL);
	struct ward_attach_options options = granting(all, 4);
	struct module m = module_read("strings");
	struct ward_session_stats stats;
	struct ward_error err;
	struct seen last;
	ward_session *s;
	uint64_t said = 0;
	char out[128];

	cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_assert(sscanf(out, "said %lu", &said) == 1 && said > 4 * N);
	cr_expect(ward_wait(s, -1) == 1);
	cr_expect(ward_detach(s, NULL) == 0);
	expect_said(s, 1, 0, "");
	expect_said(s, 2, N, "a child by vfork");
	expect_said(s, 3, N, "a child that shares the memory");
	expect_said(s, 4, N, "the parent");
	last = seen_by(s, 5);
	cr_expect_str_eq(last.text, "the parent");
	stats = stats_of(s);
	cr_expect(stats.events + stats.dropped >= said && stats.events + stats.dropped <= said + N,
		"%lu events and %lu dropped of %lu", (unsigned long)stats.events, (unsigned long)stats.dropped,
		said); /* a copy that is made at the beginning of a stub counts there once more */
	cr_expect(stats.dropped > 0 && stats.dropped <= N, "%lu of %d copies were made in the midst of a probe",
		(unsigned long)stats.dropped, N);
	ward_session_free(s);
	free(m.data);
}

/*
 * Wherever a copy is made, its parent's slot is free again once the parent has left the probe. `ends`: of a call, that
 * have a stub, where it may be dropped.
 */
static void copies_at_each_instruction(const char *module, const char *site, unsigned ends)
{
	enum { N = 100 };
	struct target t = target_start(TARGET, "stepped", "100", NULL);
	struct ward_attach_options options = granting(all, 4);
	uint64_t said = 0, copies = 0, sum;
	struct module m = module_read(module);
	struct ward_session_stats stats;
	struct ward_error err;
	ward_session *s;
	char out[128];

	options.site = site;
	cr_assert(ward_attach(t.pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0, "%s", out);
	cr_assert(sscanf(out, "said %lu copies %lu", &said, &copies) == 2 && said == 2 + copies + N, "%s", out);
	cr_expect(ward_wait(s, -1) == 1);
	cr_expect(ward_detach(s, NULL) == 0);
	stats = stats_of(s);
	sum = stats.events + stats.dropped;
	fprintf(stderr, "imports: %s %s: %lu copies, %lu events, %lu dropped\n", module, site, copies,
		(unsigned long)stats.events, (unsigned long)stats.dropped);
	/* In between the parent is in the probe, or about to enter it, or has left it. */
	cr_expect(sum >= said && sum <= ends * said + copies, "%lu events and %lu dropped of %lu",
		(unsigned long)stats.events, (unsigned long)stats.dropped, said);
	cr_expect(stats.dropped > 0 && stats.dropped < ends * copies,
		"%lu of %lu copies were made in the midst of a probe", (unsigned long)stats.dropped, copies);
	cr_expect_geq(stats.events, N + 2);
	if (!strcmp(module, "strings"))
		expect_said(s, 7, N, "the parent");
	ward_session_free(s);
	free(m.data);
}

Test(imports, in_copies_made_at_each_instruction)
{
	copies_at_each_instruction("strings", "target!use_string", 1);
	copies_at_each_instruction("exact", "target!use_string", 1);
	copies_at_each_instruction("exact", "target!use_string:return", 2);
}

Test(imports, must_be_granted)
{
	struct target t = target_start(TARGET, "strings", "1", "1", NULL);
	struct module m = module_read("strings");
	ward_session *s = NULL;
	struct ward_error err;
	char out[128];

	for (size_t missing = 0; missing < 4; missing++) {
		const char *some[3];
		struct ward_attach_options options = granting(some, 3);

		for (size_t i = 0, n = 0; i < 4; i++)
			if (i != missing)
				some[n++] = all[i];
		cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_REJECTED);
		cr_expect(strstr(err.why, "import-not-allowed") && strstr(err.why, all[missing]), "%s", err.why);
	}
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	free(m.data);
}

/* The target has a filter that kills for what the imports do. Without them it can be traced. */
Test(imports, a_filtered_target_is_refused)
{
	struct target t = target_start(TARGET, "sandboxed", "1000", NULL);
	struct ward_attach_options options = granting(all, 4);
	struct module m = module_read("strings");
	ward_session *s = NULL;
	struct ward_error err;
	char out[128];

	options.site = "target!work";
	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect(strstr(err.why, "seccomp") && strstr(err.why, "ward_"), "%s", err.why);
	cr_expect_eq(target_mappings(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	free(m.data);
}
