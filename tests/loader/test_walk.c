/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a thread's stack: beside libgcc's, in its worst case, through signal handlers, and with registers, rules
 * and memory that are anything.
 */
#define _GNU_SOURCE 1

#include "walk_bench.h"

#include "loader/symbols/unwind_rows.h"
#include "verifier/step/import.h"
#include "ward/verify.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { PAGE = 4096, RULE_SHIFT = WL_UNWIND_WORDS_SHIFT };

static const uint64_t EXACT = (uint64_t)1 << WL_STACK_EXACT_BIT;

static uint32_t rule(unsigned kind, unsigned rbp, int words)
{
	return kind | rbp << WL_UNWIND_RBP_SHIFT | (uint32_t)words << RULE_SHIFT;
}

/* ---- beside libgcc ---- */

struct seen {
	uint64_t at[WL_STACK_MOST];
	size_t n;
};

static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *arg)
{
	struct seen *s = arg;

	if (s->n == WL_STACK_MOST)
		return _URC_END_OF_STACK;
	s->at[s->n++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static struct walk_bench own;

/* Both walk the stack that called this. The first frame is this function, at two places of it. */
static __attribute__((noinline)) void compare_here(unsigned deep)
{
	struct seen theirs = {0};
	struct walk_taken mine;
	struct walk_from from;
	ucontext_t here;
	uint64_t handle;

	getcontext(&here);
	from = (struct walk_from){.rsp = (uint64_t)here.uc_mcontext.gregs[REG_RSP],
		.rbp = (uint64_t)here.uc_mcontext.gregs[REG_RBP],
		.at = (uint64_t)here.uc_mcontext.gregs[REG_RSP],
		.ip = (uint64_t)here.uc_mcontext.gregs[REG_RIP] | EXACT};
	__asm__("mov %%fs:0, %0" : "=r"(from.owner));
	mine = walk_take(&own, &from, WL_STACK_MOST);
	_Unwind_Backtrace(see, &theirs);
	while (theirs.n && !theirs.at[theirs.n - 1])
		theirs.n--;
	cr_assert(mine.handle);
	cr_expect_eq(mine.how, WL_STACK_WHOLE, "it ends with %u", mine.how);
	cr_expect_eq(mine.n, theirs.n, "%zu frames, not %zu", mine.n, theirs.n);
	cr_expect_gt(mine.n, deep + 2);
	for (size_t i = 1; i < mine.n && i < theirs.n; i++)
		cr_expect_eq(mine.address[i] & ~EXACT, theirs.at[i], "frame %zu is %#lx, not %#lx", i, mine.address[i],
			theirs.at[i]);
	handle = mine.handle;
	cr_expect_eq(walk_take(&own, &from, WL_STACK_MOST).handle, handle, "the same stack is the same");
	cr_expect_neq(walk_take(&own, &from, 1).handle, handle, "another one is another");
}

static __attribute__((noinline)) void deeper(unsigned n)
{
	volatile char room[100 + 64 * (n % 3)];

	room[0] = 0;
	if (n)
		deeper(n - 1);
	else
		compare_here(30);
	room[0] = room[1];
}

static void *in_thread(void *arg)
{
	deeper(30);
	return arg;
}

static void on_signal(int sig)
{
	(void)sig;
	deeper(30);
}

Test(walk, beside_libgcc)
{
	pthread_t thread;

	walk_begin(&own, 0);
	walk_add_process(&own, getpid());
	deeper(30);
	cr_assert(pthread_create(&thread, NULL, in_thread, NULL) == 0);
	pthread_join(thread, NULL);
}

/* Through the kernel's frame, on this stack and on one of the handler's own. */
Test(walk, through_signal_handlers)
{
	struct sigaction action = {.sa_handler = on_signal};
	stack_t alternate = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};

	walk_begin(&own, 0);
	walk_add_process(&own, getpid());
	cr_assert(sigaction(SIGUSR1, &action, NULL) == 0);
	raise(SIGUSR1);
	action.sa_flags = SA_ONSTACK;
	cr_assert(sigaltstack(&alternate, NULL) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
	raise(SIGUSR1);
}

/* ---- two sections of a file ---- */

Test(walk, one_section_where_another_says_nothing)
{
	struct wl_unwind_row first[] = {{0x100, 9}, {0x200, WL_UNWIND_NONE}, {0x300, 17}, {0x380, WL_UNWIND_NONE}},
			     second[] = {{0x80, 25}, {0x140, 33}, {0x240, 41}, {0x340, 49}, {0x400, WL_UNWIND_NONE}};
	const struct wl_unwind_rows a = {first, 4}, b = {second, 5}, none = {0};
	static const struct wl_unwind_row expected[] = {
		{0x80, 25}, {0x100, 9}, {0x200, 33}, {0x240, 41}, {0x300, 17}, {0x380, 49}, {0x400, WL_UNWIND_NONE}};
	struct wl_unwind_rows both;

	cr_assert_eq(wl_unwind_merge(&a, &b, &both), 0);
	cr_assert_eq(both.n, sizeof(expected) / sizeof(expected[0]), "%zu rows", both.n);
	for (size_t i = 0; i < both.n; i++)
		cr_expect(both.v[i].at == expected[i].at && both.v[i].rule == expected[i].rule, "%zu: %#x %u", i,
			both.v[i].at, both.v[i].rule);
	wl_unwind_free(&both);
	cr_assert_eq(wl_unwind_merge(&none, &a, &both), 0);
	cr_expect(both.n == 4 && memcmp(both.v, first, sizeof(first)) == 0);
	wl_unwind_free(&both);
	cr_assert(wl_unwind_merge(&none, &none, &both) == 0 && both.n == 0);
}

/* ---- made ---- */

struct made {
	struct walk_bench bench;
	uint8_t *memory; /* of a stack, between pages that can't be read */
	size_t size;
};

/* As if there were code: of addresses, nothing is read but the rules. */
static const uint64_t CODE = 0x100000000000;

static void made_begin(struct made *m, size_t size)
{
	*m = (struct made){.size = size};
	m->memory = mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq((void *)m->memory, MAP_FAILED);
	m->memory += PAGE;
	cr_assert(mprotect(m->memory, size, PROT_READ | PROT_WRITE) == 0);
	walk_begin(&m->bench, 0);
}

static void word_put(uint8_t *at, uint64_t word)
{
	memcpy(at, &word, sizeof(word));
}

static struct walk_from made_from(const struct made *m)
{
	uint64_t sp = (uint64_t)m->memory;

	return (struct walk_from){.rsp = sp, .at = sp, .ip = CODE};
}

Test(walk, each_rule)
{
	struct wl_unwind_row all[8];
	struct made m;
	uint64_t sp;
	struct walk_from from;
	struct walk_taken taken;

	made_begin(&m, 16 * PAGE);
	from = made_from(&m);
	sp = (uint64_t)m.memory;
	all[0] = (struct wl_unwind_row){0, rule(WL_UNWIND_RSP, 2, 4)};
	all[1] = (struct wl_unwind_row){0x100, rule(WL_UNWIND_RBP, 2, 2)};
	all[2] = (struct wl_unwind_row){0x200, rule(WL_UNWIND_RBP_DEREF, WL_UNWIND_RBP_AT_RBP, -1)};
	all[3] = (struct wl_unwind_row){0x300, rule(WL_UNWIND_RSP_DEREF, 0, 1)};
	all[4] = (struct wl_unwind_row){0x400, rule(WL_UNWIND_SIGNAL, 0, 0)};
	all[5] = (struct wl_unwind_row){0x500, rule(WL_UNWIND_PLT, 0, 11)};
	all[6] = (struct wl_unwind_row){0x600, WL_UNWIND_NONE};
	all[7] = (struct wl_unwind_row){0x700, WL_UNWIND_END};
	walk_add_rows(&m.bench, CODE, CODE + 0x1000, all, 8);
	/* the probed function's return address, into RSP's; below its CFA are rbp and the address of RBP's */
	word_put(m.memory, CODE + 0x10);
	word_put(m.memory + 8 + 16, sp + 0x100);
	word_put(m.memory + 8 + 24, CODE + 0x110);
	word_put(m.memory + 0x100, sp + 0x200); /* rbp of RBP_DEREF */
	word_put(m.memory + 0x108, CODE + 0x210);
	word_put(m.memory + 0x200 - 8, sp + 0x300);
	word_put(m.memory + 0x200, sp + 0x1000); /* rbp of NONE */
	word_put(m.memory + 0x300 - 8, CODE + 0x310);
	word_put(m.memory + 0x308, sp + 0x400);
	word_put(m.memory + 0x400, CODE + 0x410);
	word_put(m.memory + 0x408 + WL_SIGNAL_RIP, CODE + 0x50b); /* exactly there: PLT with two words */
	word_put(m.memory + 0x408 + WL_SIGNAL_RSP, sp + 0x800);
	word_put(m.memory + 0x408 + WL_SIGNAL_RBP, sp + 0x1000);
	word_put(m.memory + 0x808, CODE + 0x610);
	word_put(m.memory + 0x1000, 5);
	word_put(m.memory + 0x1008, CODE + 0x710);
	taken = walk_take(&m.bench, &from, WL_STACK_MOST);
	cr_expect_eq(taken.how, WL_STACK_WHOLE | WL_STACK_BY_RBP, "%u", taken.how);
	cr_assert_eq(taken.n, 9, "%zu frames", taken.n);
	cr_expect_eq(taken.address[0], CODE | EXACT);
	cr_expect_eq(taken.address[1], CODE + 0x10);
	cr_expect_eq(taken.address[2], CODE + 0x110);
	cr_expect_eq(taken.address[3], CODE + 0x210);
	cr_expect_eq(taken.address[4], CODE + 0x310);
	cr_expect_eq(taken.address[5], CODE + 0x410);
	cr_expect_eq(taken.address[6], (CODE + 0x50b) | EXACT);
	cr_expect_eq(taken.address[7], CODE + 0x610);
	cr_expect_eq(taken.address[8], CODE + 0x710);
}

/* Where it ends early it says so, and has what came before. */
Test(walk, ends)
{
	struct wl_unwind_row row = {0, rule(WL_UNWIND_RSP, 0, 2)};
	struct made m;
	struct walk_from from;
	struct walk_taken taken;

	made_begin(&m, PAGE);
	from = made_from(&m);
	walk_add_rows(&m.bench, CODE, CODE + PAGE, &row, 1);
	for (size_t i = 0; i < PAGE; i += 8)
		word_put(m.memory + i, CODE + 8 + i % 64);
	taken = walk_take(&m.bench, &from, WL_STACK_MOST);
	cr_expect(taken.n == WL_STACK_MOST && taken.how == WL_STACK_CUT, "%zu, %u", taken.n, taken.how);
	taken = walk_take(&m.bench, &from, 3);
	cr_expect(taken.n == 3 && taken.how == WL_STACK_CUT, "%zu, %u", taken.n, taken.how);
	taken = walk_take(&m.bench, &from, 1 << 20);
	cr_expect(taken.n == WL_STACK_MOST && taken.how == WL_STACK_CUT, "%zu, %u", taken.n, taken.how);
	from.at += PAGE - 48; /* the stack's end, and what is behind it can't be read */
	taken = walk_take(&m.bench, &from, WL_STACK_MOST);
	cr_expect(taken.n == 4 && taken.how == WL_STACK_LOST, "%zu, %u", taken.n, taken.how);
	from.at = 0;
	cr_expect_eq(walk_take(&m.bench, &from, WL_STACK_MOST).handle, 0);
}

/* No room: counted, and what is there stays. */
Test(walk, full)
{
	struct wl_unwind_row row = {0, rule(WL_UNWIND_RSP, 0, 2)};
	struct made m;
	struct walk_from from;
	uint64_t first = 0, got = 0, n;

	made_begin(&m, PAGE);
	from = made_from(&m);
	walk_add_rows(&m.bench, CODE, CODE + (1ull << 24), &row, 1);
	for (n = 1; n < 200000 && !m.bench.stacks->lost; n++) {
		for (size_t i = 0; i < PAGE; i += 8)
			word_put(m.memory + i, CODE + 1 + n);
		got = walk_take(&m.bench, &from, WL_STACK_MOST).handle;
		first = first ? first : got;
		cr_assert(got || m.bench.stacks->lost);
	}
	cr_assert(first && m.bench.stacks->lost == 1 && got == 0);
	cr_expect_gt(n, WL_STACKS_WORDS / (WL_STACK_MOST + 2));
	for (size_t i = 0; i < PAGE; i += 8)
		word_put(m.memory + i, CODE + 2);
	cr_expect_eq(walk_take(&m.bench, &from, WL_STACK_MOST).handle, first);
}

/* ---- the worst case ---- */

/*
 * Many files with many rows, none of them remembered; each frame has its two words on two pages that were not looked
 * at; all that may be the same stack in the table differs from it in its last word only.
 */
Test(walk, costs)
{
	enum { FILES = 4095, ROWS = 1 << 20, DEEP = WL_STACK_MOST, FRAME = 2 * PAGE };
	struct made m;
	struct wl_unwind_row *rows = calloc(ROWS, sizeof(*rows));
	const struct wv_signature *s = wv_signature(WARD_IMPORT_STACK);
	struct walk_from from;
	uint64_t *buckets, *arena, word = 0;
	struct walk_taken taken;
	long first, second, depth;

	made_begin(&m, (DEEP + 2) * FRAME);
	from = made_from(&m);
	buckets = (uint64_t *)(m.bench.stacks + 1);
	arena = buckets + WL_STACKS_N_BUCKETS;
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = (struct wl_unwind_row){
			(uint32_t)i * 16, rule(WL_UNWIND_RSP, PAGE / 8, FRAME / 8 + (int)(i & 0))};
	for (size_t i = 0; i < FILES; i++)
		walk_add_rows(&m.bench, CODE + (i << 24), CODE + ((i + 1) << 24), rows, ROWS);
	for (size_t i = 0; i <= DEEP; i++)
		word_put(m.memory + i * FRAME, CODE + ((FILES - 1 - i) << 24) + (1 << 24) - 17 * i - 16);
	from.owner = (uint64_t)m.memory + (1 << 18) - PAGE;
	taken = walk_count(&m.bench, &from, DEEP, &first, &depth);
	cr_assert_eq(taken.n, DEEP);
	cr_expect_leq(depth, s->stack);
	for (size_t i = 0; i < WL_STACKS_N_BUCKETS; i++)
		word = buckets[i] ? buckets[i] : word;
	cr_assert(word);
	memcpy(arena + 5000, arena + taken.handle % WL_STACKS_WORDS, (DEEP + 1) * sizeof(uint64_t));
	arena[5000 + DEEP] ^= 1;
	for (size_t i = 0; i < WL_STACKS_N_BUCKETS; i++)
		buckets[i] = word >> 32 << 32 | 5000;
	m.bench.dir->generation++; /* what is remembered doesn't count any more */
	from.owner += PAGE;
	taken = walk_count(&m.bench, &from, DEEP, &second, &depth);
	cr_expect_eq(taken.handle, 0);
	cr_expect_leq(depth, s->stack);
	cr_expect_leq(first, (long)s->insns, "%ld instructions", first);
	cr_expect_leq(second, (long)s->insns, "%ld instructions", second);
	cr_expect_gt(second, (long)s->insns / 4, "this is not the worst case: %ld", second);
	fprintf(stderr, "walk: %ld instructions, with a full table %ld (%u are allowed), %ld bytes of stack (%u)\n",
		first, second, s->insns, depth, s->stack);
	free(rows);
}

/* ---- anything ---- */

static uint64_t seed = 1;

static uint64_t any(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 16 ^ seed << 20;
}

/* An address: of the stack, near its ends, of nothing, of the kernel. */
static uint64_t any_address(const struct made *m)
{
	uint64_t at = (uint64_t)m->memory;

	switch (any() % 8) {
	case 0: return any();
	case 1: return any() % 3 ? ~0ull - any() % 64 : any() % 64;
	case 2: return at + m->size - any() % 64;
	case 3: return at - any() % 64;
	case 4: return CODE + any() % 0x1000;
	default: return at + any() % m->size / 8 * 8;
	}
}

/* No fault, whatever there is. */
Test(walk, anything)
{
	enum { ROUNDS = 100000, ROWS = 64 };
	struct made m;
	struct wl_unwind_row rows[ROWS];

	made_begin(&m, 4 * PAGE);
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = (struct wl_unwind_row){(uint32_t)i * 64, 0};
	walk_add_rows(&m.bench, CODE, CODE + 0x1000, rows, ROWS);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct walk_from from = {
			.rsp = (uint64_t)m.memory + any() % m.size, .rbp = any_address(&m), .owner = any_address(&m)};
		struct walk_taken taken;

		for (size_t i = 0; i < ROWS; i++)
			rows[i].rule =
				rule((unsigned)any() % 8, any() % 3 ? (unsigned)any() % 5 : (unsigned)any() % 4096,
					any() % 4 ? (int)(any() % 64) - 8 : (int)any());
		for (size_t i = 0; i < m.size; i += 8)
			word_put(m.memory + i, any() % 2 ? CODE + any() % 0x1000 : any_address(&m));
		from.at = any() % 4 ? from.rsp / 8 * 8 : any_address(&m);
		from.ip = any_address(&m) | (any() % 2 ? EXACT : 0);
		m.bench.dir->generation++;
		m.bench.stack_top = any_address(&m);
		taken = walk_take(&m.bench, &from, any() % 200);
		cr_assert(taken.n <= WL_STACK_MOST && taken.how < 8);
		if (m.bench.stacks->used > WL_STACKS_WORDS / 2)
			memset(m.bench.stacks, 0, WL_STACKS_SIZE), m.bench.stacks->mark = wl_stacks_mark(0);
	}
}

/* ---- what another thread unmaps meanwhile ---- */

struct coming {
	uint8_t *at; /* memory that comes and goes */
	_Atomic bool end;
	_Atomic long times;
};

static void *come_and_go(void *arg)
{
	struct coming *c = arg;

	while (!c->end) {
		if (mmap(c->at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != c->at)
			abort();
		for (size_t i = 0; i < PAGE; i += 8)
			word_put(c->at + i, CODE + 0x10 + (i & 8));
		munmap(c->at, PAGE);
		c->times++;
	}
	return NULL;
}

/* Its first frame's rbp leads to memory that is there only now and then. No fault, and what is read is right. */
Test(walk, memory_that_goes)
{
	enum { WALKS = 1000000, ENOUGH = 200, FRAMES = 4 };
	struct wl_unwind_row rows[] = {{0, rule(WL_UNWIND_RBP, 0, 2)}, {0x20, WL_UNWIND_END}};
	long there = 0, gone = 0;
	struct coming c = {0};
	struct walk_from from;
	pthread_t thread;
	struct made m;

	made_begin(&m, 4 * PAGE);
	from = made_from(&m);
	walk_add_rows(&m.bench, CODE, CODE + 0x1000, rows, 2);
	word_put(m.memory, CODE + 8);
	c.at = m.memory + 2 * PAGE;
	cr_assert(pthread_create(&thread, NULL, come_and_go, &c) == 0);
	for (long i = 0; i < WALKS && (i < WALKS / 10 || there < ENOUGH || gone < ENOUGH); i++) {
		struct walk_taken taken;

		from.rbp = (uint64_t)c.at + (uint64_t)(i % 100) * 8;
		taken = walk_take(&m.bench, &from, FRAMES);
		cr_assert(taken.n >= 2);
		if (taken.n > 2)
			there++;
		else
			gone++;
	}
	c.end = true;
	pthread_join(thread, NULL);
	fprintf(stderr, "walk: memory came and went %ld times; it was there for %ld walks, gone for %ld\n", c.times,
		there, gone);
	cr_expect(there >= ENOUGH && gone >= ENOUGH);
}
