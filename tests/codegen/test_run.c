/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What modules compute. Each probe function runs on random events as module code, and as the same source compiled
 * natively without optimisation; states and results must agree byte for byte. So the optimiser's settings and every
 * lowering of the back end must keep the meaning of C.
 *
 * Pointers at the beginning of a state differ between the two versions, so the test compares only which of them are
 * set.
 *
 * The test maps the module by plain mmap: it tests the compiler's output, not the loader.
 */
#include "helper.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "verifier/decode/insn.h"
#include "ward/probe.h"
#include "ward/verify.h"

typedef void probe_fn(const struct ward_event *ev, void *state);

enum { ROUNDS = 3000, SPACE = 1 << 20 };

static uint64_t random_bits(void)
{
	static uint64_t s = 1181783497276652981u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

static uint64_t random_number(void)
{
	uint64_t v = random_bits() >> (random_bits() & 63);

	return random_bits() & 3 ? v : -v;
}

static void place(uint8_t *base, const struct wv_module *m, const struct ward_segment *s, int protection)
{
	if (s->memsz == 0)
		return;
	cr_assert_leq(s->addr + s->memsz, SPACE);
	memcpy(base + s->addr, m->file.p + s->offset, s->filesz);
	cr_assert_eq(mprotect(base + s->addr, s->memsz, protection), 0);
}

static uint8_t *map_module(const struct wv_module *m)
{
	uint8_t *base = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	cr_assert(base != MAP_FAILED);
	place(base, m, &m->text, PROT_READ | PROT_EXEC);
	place(base, m, &m->rodata, PROT_READ);
	place(base, m, &m->data, PROT_READ | PROT_WRITE);
	return base;
}

static probe_fn *code_at(void *p)
{
	probe_fn *fn;

	memcpy(&fn, &p, sizeof(fn));
	return fn;
}

static bool are_equal(const uint8_t *a, const uint8_t *b, uint32_t size, uint32_t pointers)
{
	static const uint8_t none[8];

	for (uint32_t i = 0; i < pointers; i++)
		if ((memcmp(a + 8 * i, none, 8) == 0) != (memcmp(b + 8 * i, none, 8) == 0))
			return false;
	return memcmp(a + 8 * pointers, b + 8 * pointers, size - 8 * pointers) == 0;
}

static void compare_guarded(const char *source, const char *library, uint32_t pointers, enum ward_guards guards)
{
	struct built b = build_guarded(source, false, guards);
	struct ward_verdict *verdict = ward_verify(b.module.data, b.module.size, NULL);
	void *native = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	struct wv_module m;
	uint8_t *base, *state[2];
	uint32_t i, round;

	cr_assert(native, "%s", dlerror());
	cr_assert(verdict && verdict->accepted, "%s is not accepted", source);
	ward_verdict_free(verdict);
	parse_module(&m, &b);
	base = map_module(&m);
	for (i = 0; i < m.n_entries; i++) {
		struct wv_entry e = wv_module_entry(&m, i);
		void *reference = dlsym(native, e.name);

		cr_assert(reference, "%s", e.name);
		state[0] = aligned_alloc(16, (m.state_size + 15) & ~15u);
		state[1] = aligned_alloc(16, (m.state_size + 15) & ~15u);
		cr_assert(state[0] && state[1]);
		memset(state[0], 0, m.state_size);
		memset(state[1], 0, m.state_size);
		for (round = 0; round < ROUNDS; round++) {
			struct ward_event ev = {.tid = random_bits() & 7};
			int k;

			for (k = 0; k < 6; k++)
				ev.arg[k] = random_number();
			code_at(base + e.addr)(&ev, state[0]);
			code_at(reference)(&ev, state[1]);
			cr_assert(are_equal(state[0], state[1], m.state_size, pointers), "%s: '%s' differs in round %u",
				source, e.name, round);
		}
		free(state[0]);
		free(state[1]);
	}
	munmap(base, SPACE);
	dlclose(native);
	built_free(&b);
}

static void compare(const char *source, const char *library, uint32_t pointers)
{
	compare_guarded(source, library, pointers, WARD_GUARDS_AUTO);
}

Test(run, arithmetic)
{
	compare(SOURCES "/arithmetic.c", NATIVE "/arithmetic.so", 0);
}

Test(run, memory)
{
	compare(SOURCES "/memory.c", NATIVE "/memory.so", 0);
}

Test(run, members)
{
	compare(SOURCES "/members.c", NATIVE "/members.so", 0);
}

Test(run, reads)
{
	compare(PROBES "/reads.c", NATIVE "/reads.so", 0);
}

Test(run, malloc)
{
	compare(PROBES "/malloc.c", NATIVE "/malloc.so", 0);
}

Test(run, hash_map)
{
	compare(SOURCES "/hash-map.c", NATIVE "/hash-map.so", 0);
}

Test(run, calls)
{
	compare(PROBES "/calls.c", NATIVE "/calls.so", 0);
}

Test(run, constants)
{
	compare(SOURCES "/constants.c", NATIVE "/constants.so", 1);
}

Test(run, constants_guarded)
{
	compare_guarded(SOURCES "/constants.c", NATIVE "/constants.so", 1, WARD_GUARDS_ALWAYS);
}

Test(run, pointers)
{
	compare(SOURCES "/pointers.c", NATIVE "/pointers.so", 8);
}

/* How many instructions of the module are of a kind? */
static unsigned instructions(const struct wv_module *m, bool (*is_kind)(const struct wv_insn *))
{
	const uint8_t *text = m->file.p + m->text.offset;
	struct wv_insn insn;
	unsigned n = 0;
	const char *why;

	for (uint64_t at = 0; at < m->text.filesz; at += insn.length) {
		cr_assert_eq(wv_decode(text + at, m->text.filesz - at, m->text.addr + at, &insn, &why), WV_DECODED);
		n += is_kind(&insn);
	}
	return n;
}

/* Does it subtract a register from itself, with borrow? */
static bool is_borrow(const struct wv_insn *insn)
{
	return insn->op == WV_SBB && insn->operand[1].kind == WV_REG && insn->operand[0].reg == insn->operand[1].reg;
}

static bool is_branch(const struct wv_insn *insn)
{
	return insn->op == WV_JCC;
}

/* Each search that can goes on by the carry. */
Test(run, search)
{
	struct built b = build_source(SOURCES "/search.c", false);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(instructions(&m, is_borrow), 8);
	built_free(&b);
	compare(SOURCES "/search.c", NATIVE "/search.so", 0);
}

/* No choice between constants is a branch: each function has only the one of its loop. */
Test(run, signs)
{
	struct built b = build_source(SOURCES "/signs.c", false);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(instructions(&m, is_branch), m.n_entries);
	built_free(&b);
	compare(SOURCES "/signs.c", NATIVE "/signs.so", 0);
}

/*
 * A run that follows a pointer which nobody stored there ends at once: nothing is read or written there, and nothing
 * behind is done.
 */
static void follow_wild(probe_fn *probe, uint32_t state_size, unsigned pointer, uint64_t wild)
{
	struct ward_event ev = {.arg = {5, 0, 0, 0, 0, 1}}; /* keeps nothing */
	uint8_t *state = calloc(1, state_size);
	size_t used = 8 * 8 + 8 * 8 + 8 + 24 + 16;

	cr_assert(state);
	memcpy(state + 8 * pointer, &wild, sizeof(wild));
	probe(&ev, state);
	cr_assert_eq(state[used], 0, "pointer %u, %#llx: the run has gone on", pointer, (unsigned long long)wild);
	free(state);
}

Test(run, wild_pointers)
{
	static uint64_t victim[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	struct built b = build_source(SOURCES "/pointers.c", false);
	struct wv_module m;
	uint8_t *base;
	uint64_t wild[] = {1, (uint64_t)(uintptr_t)victim, UINT64_MAX, (uint64_t)(uintptr_t)"text", 0, 0, 0, 0};

	parse_module(&m, &b);
	base = map_module(&m);
	wild[4] = (uint64_t)(uintptr_t)base + m.text.addr;
	wild[5] = (uint64_t)(uintptr_t)base + m.rodata.addr + m.rodata.memsz;
	wild[6] = (uint64_t)(uintptr_t)base + m.data.addr + m.data.memsz;
	wild[7] = (uint64_t)(uintptr_t)base + m.rodata.addr - 1;
	for (unsigned pointer = 0; pointer < 7; pointer++)
		for (unsigned k = 0; k < 8; k++)
			follow_wild(code_at(base + wv_module_entry(&m, 0).addr), m.state_size, pointer, wild[k]);
	for (unsigned k = 0; k < 8; k++)
		cr_assert_eq(victim[k], 1);
	munmap(base, SPACE);
	built_free(&b);
}

static bool is_call(const struct wv_insn *insn)
{
	return insn->op == WV_CALL;
}

/* How many calls there are in the module of a source. */
static unsigned calls_in(const char *path)
{
	struct built b = build_source(path, false);
	struct wv_module m;
	unsigned n;

	parse_module(&m, &b);
	n = instructions(&m, is_call);
	built_free(&b);
	return n;
}

/* A large function stays one. One that needs a guard, or has an assertion, is inlined. */
Test(run, called)
{
	cr_expect_eq(calls_in(SOURCES "/called.c"), 17);
	compare(SOURCES "/called.c", NATIVE "/called.so", 0);
	cr_expect_eq(calls_in(SOURCES "/called-guarded.c"), 0);
	cr_expect_eq(calls_in(SOURCES "/called-asserting.c"), 0);
	cr_expect_eq(calls_in(SOURCES "/called-proven.c"), 8);
	compare(SOURCES "/called-guarded.c", NATIVE "/called-guarded.so", 0);
	compare(SOURCES "/called-asserting.c", NATIVE "/called-asserting.so", 0);
	compare(SOURCES "/called-proven.c", NATIVE "/called-proven.so", 0);
}

/* ---- pointers that are checked in front of a loop ---- */

struct ahead_state {
	char *from, *to;
	uint64_t done;
	uint32_t *words;
	char text[32], copy[32];
	uint32_t table[32];
};

/* What one of ahead.c's functions does with the pointers. Returns whether it comes to its end. */
static bool event_ends(const char *name, struct ward_event ev, struct ahead_state *st)
{
	struct built b = build_source(SOURCES "/ahead.c", false);
	struct wv_module m;
	uint8_t *base, *state;
	struct ahead_state *given;
	bool ends;

	parse_module(&m, &b);
	cr_assert_geq(m.state_size, sizeof(*st));
	base = map_module(&m);
	state = calloc(1, m.state_size);
	cr_assert(state);
	given = (struct ahead_state *)state;
	*given = *st;
	/* the test's pointers into its own state lead into the module's */
	for (int k = 0; k < 3; k++) {
		uintptr_t *p = (uintptr_t *)(k == 0   ? (void *)&given->from
					     : k == 1 ? (void *)&given->to
						      : (void *)&given->words);

		if (*p - (uintptr_t)st <= sizeof(*st))
			*p += (uintptr_t)state - (uintptr_t)st;
	}
	for (uint32_t i = 0; i < m.n_entries; i++)
		if (!strcmp(wv_module_entry(&m, i).name, name))
			code_at(base + wv_module_entry(&m, i).addr)(&ev, state);
	ends = given->done == 1;
	memcpy(st->copy, given->copy, sizeof(st->copy));
	free(state);
	munmap(base, SPACE);
	built_free(&b);
	return ends;
}

static bool ahead_ends(const char *name, uint64_t argument, struct ahead_state *st)
{
	return event_ends(name, (struct ward_event){.arg = {argument, argument, argument, argument}}, st);
}

static bool indices_end(const char *name, uint32_t a, uint32_t b, uint32_t c, struct ahead_state *st)
{
	st->table[0] = a;
	st->table[1] = b;
	st->table[2] = c;
	return ahead_ends(name, 0, st);
}

Test(run, ahead_indices)
{
	struct ahead_state st = {.text = "a name", .copy = "kept"};

	cr_expect(indices_end("indexed", 2, 1, 5, &st));
	cr_expect_str_eq(st.copy, "kname");
	cr_expect(indices_end("indexed", UINT32_MAX, UINT32_MAX, 0, &st));
	cr_expect_not(indices_end("indexed", 0, 1 << 20, 1, &st));
	cr_expect_not(indices_end("indexed", 1 << 20, 1, 1, &st));
	cr_expect_not(indices_end("indexed", UINT32_MAX, 1, 1, &st));
	cr_expect(indices_end("indexed_from_one", UINT32_MAX, 0, 0, &st));
	cr_expect_eq(st.copy[30], 31);
	cr_expect_not(indices_end("indexed_from_one", 1 << 20, 0, 0, &st));
	cr_expect_not(indices_end("indexed_later", UINT32_MAX, 0, 0, &st));
	st.text[0] = 0;
	cr_expect(indices_end("indexed_later", UINT32_MAX, 0, 0, &st));
	memset(st.text, 0, sizeof(st.text));
	cr_expect(indices_end("indexed_later", 1 << 20, 0, 0, &st));
}

Test(run, ahead_does_what_it_should)
{
	struct ahead_state st = {.text = "a name", .copy = "another, longer one"};

	st.from = st.text;
	st.to = st.copy;
	st.words = st.table;
	cr_expect(ahead_ends("copy", 0, &st));
	cr_expect_str_eq(st.copy, "a name");
	cr_expect(ahead_ends("sum", 0, &st));
	cr_expect(ahead_ends("perhaps", 1, &st));
	cr_expect_eq(st.copy[31], 31);
	st.to = (char *)&st + sizeof(st); /* an end, and what is written lies before it */
	cr_expect(ahead_ends("downwards", 0, &st));
	st.from = (char *)&st + sizeof(st) - 1; /* whose byte is 0: less is read than the loop might */
	st.to = st.copy;
	cr_expect(ahead_ends("copy", 0, &st));
	cr_expect_str_eq(st.copy, "");
}

/* A bad pointer stops the runs that use it, before anything is written, and no other. */
Test(run, ahead_stops_what_it_should)
{
	static char victim[64];
	struct ahead_state st = {.text = "a name", .copy = "kept"};

	st.from = st.text;
	st.to = victim;
	cr_expect_not(ahead_ends("copy", 0, &st));
	st.words = NULL;
	cr_expect_not(ahead_ends("sum", 0, &st));
	st.from = victim;
	st.to = st.copy;
	cr_expect_not(ahead_ends("copy", 0, &st));
	cr_expect_str_eq(st.copy, "kept");
	st.to = victim;
	cr_expect(ahead_ends("perhaps", 0, &st));
	cr_expect_not(ahead_ends("perhaps", 1, &st));
	cr_expect(ahead_ends("no_rounds", 0, &st));
	cr_expect_not(ahead_ends("no_rounds", 1, &st));
	cr_expect(ahead_ends("ends_before", 0, &st));
	cr_expect_not(ahead_ends("ends_before", 1, &st));
	cr_expect_not(ahead_ends("downwards", 1, &st));
	for (unsigned i = 0; i < sizeof(victim); i++)
		cr_expect_eq(victim[i], 0);
}

/* Is it how far a register is from the state? */
static bool is_distance(const struct wv_insn *insn)
{
	return insn->op == WV_SUB && insn->width == 64 && insn->operand[1].kind == WV_REG &&
	       insn->operand[1].reg == WV_RSI;
}

static bool is_branch_ahead(const struct wv_insn *insn)
{
	return insn->op == WV_JCC && insn->target > insn->pc;
}

/* How many instructions of a kind a function has between a branch back and where that leads: in loops. */
static unsigned in_loops_of(const struct wv_module *m, const char *name, bool (*is_kind)(const struct wv_insn *))
{
	uint64_t from = 0, to = 0, at, of_kind[16];
	struct wv_insn insn;
	unsigned n = 0, in_loops = 0;
	const char *why;

	for (uint32_t i = 0; i < m->n_entries; i++)
		if (!strcmp(wv_module_entry(m, i).name, name)) {
			from = wv_module_entry(m, i).addr;
			to = m->text.addr + m->text.filesz;
		}
	for (uint32_t i = 0; i < m->n_entries; i++)
		if (wv_module_entry(m, i).addr > from && wv_module_entry(m, i).addr < to)
			to = wv_module_entry(m, i).addr;
	cr_assert_lt(from, to, "%s", name);
	for (at = from; at < to; at += insn.length) {
		const uint8_t *p = m->file.p + m->text.offset + (at - m->text.addr);

		cr_assert_eq(wv_decode(p, to - at, at, &insn, &why), WV_DECODED);
		if (is_kind(&insn) && n < 16)
			of_kind[n++] = at;
		if (insn.op == WV_JCC && insn.target < at)
			for (unsigned k = 0; k < n; k++)
				in_loops += of_kind[k] >= insn.target;
	}
	return in_loops;
}

Test(run, ahead_loops_have_no_guard)
{
	struct built b = build_source(SOURCES "/ahead.c", false);
	struct wv_module m;

	parse_module(&m, &b);
	cr_expect_eq(in_loops_of(&m, "copy", is_distance), 0);
	cr_expect_eq(in_loops_of(&m, "sum", is_distance), 0);
	cr_expect_eq(in_loops_of(&m, "no_rounds", is_distance), 0);
	cr_expect_eq(in_loops_of(&m, "indexed", is_branch_ahead), 0);
	built_free(&b);
}
