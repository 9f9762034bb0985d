/* SPDX-License-Identifier: Apache-2.0 */
/* The linker on objects of other compilers and of the assembler. */
#include "helper.h"
#include "verifier/decode/insn.h"
#include "verifier/proof/proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef __SANITIZE_ADDRESS__
static const bool instrumented = true;
#else
static const bool instrumented = false;
#endif

static void expect_refused(const char *object, const char *said)
{
	struct built b = build_object(object, -1);

	cr_expect_eq(b.status, 1, "%s: status %d", object, b.status);
	cr_expect_str_eq(b.said, said, "%s: said:\n%s", object, b.said);
	cr_expect_null(b.module.data);
	built_free(&b);
}

Test(link, gcc)
{
	struct built b = build_object(OBJECTS "/gcc.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 2);
	cr_assert_str_eq(wv_module_entry(&m, 0).name, "first");
	cr_assert_str_eq(wv_module_entry(&m, 1).name, "second");
	cr_assert_str_eq(wv_module_entry(&m, 0).state_type, "counters");
	cr_assert_eq(m.state_size, 17 * 8);
	cr_assert_eq(m.text.addr, 0x1000);
	cr_assert_eq(m.rodata.addr, 0x2000);
	cr_assert_eq(m.rodata.memsz, 32);
	cr_assert_eq(m.data.addr, 0x3000);
	cr_assert_eq(m.data.filesz, 0);
	cr_assert_eq(m.data.memsz, 8);
	built_free(&b);
}

Test(link, compressed_debug_sections)
{
	struct built b = build_object(OBJECTS "/compressed.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_str_eq(wv_module_entry(&m, 0).state_type, "counters");
	built_free(&b);
}

Test(link, a_state_size_given_wins)
{
	struct built b = build_object(OBJECTS "/gcc.o", 64);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.state_size, 64);
	built_free(&b);
}

/* The distance that the instruction at `at` refers over, as the address it means. */
static uint64_t refers_to(const struct wv_module *m, size_t at)
{
	struct wv_insn insn;
	const char *why;

	cr_assert_eq(wv_decode(m->text_bytes.p + at, m->text_bytes.n - at, m->text.addr + at, &insn, &why), WV_DECODED);
	return insn.op == WV_CALL ? insn.target : (uint64_t)insn.mem.disp;
}

Test(link, common_symbols)
{
	struct built b = build_object(OBJECTS "/common.o", -1);
	struct wv_module m;
	size_t at = 0;

	parse_module(&m, &b);
	cr_assert_eq(m.data.memsz, 24);
	while (m.text_bytes.p[at] == 0x48 && m.text_bytes.p[at + 1] == 0x8b && m.text_bytes.p[at + 2] == 0x07)
		at += 3; /* mov (%rdi), %rax */
	cr_assert_eq(refers_to(&m, at), m.data.addr + 8);
	built_free(&b);
}

Test(link, assembler)
{
	struct built b = build_object(OBJECTS "/globals.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 2);
	cr_assert_str_eq(wv_module_entry(&m, 0).name, "typed");
	cr_assert_str_eq(wv_module_entry(&m, 1).name, "untyped");
	cr_assert_eq(m.state_size, 4096);
	cr_assert_str_eq(wv_module_entry(&m, 0).state_type, "");
	/* past call, ret, mov, ret: local */
	cr_assert_eq(refers_to(&m, 0), wv_module_entry(&m, 0).addr + 5 + 1 + 7 + 1);
	cr_assert_eq(refers_to(&m, 6), m.rodata.addr);
	cr_assert_eq(refers_to(&m, 14), m.data.addr);
	built_free(&b);
}

Test(link, a_marked_section_is_the_only_entry)
{
	struct built b = build_object(OBJECTS "/bare.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 1);
	cr_assert_str_eq(wv_module_entry(&m, 0).site, "libm.so.6!sin");
	cr_assert_eq(m.text_bytes.n, 1);
	built_free(&b);
}

Test(link, an_entry_without_a_type)
{
	struct built b = build_object(OBJECTS "/untyped.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 1);
	cr_assert_str_eq(wv_module_entry(&m, 0).name, "probe");
	cr_assert_str_eq(wv_module_entry(&m, 0).site, "libm.so.6!sin");
	built_free(&b);
}

/* By whatever name: it doesn't say where of a function it is. */
Test(link, sites_by_time_and_count)
{
	static const char *const sites[] = {"profile:99", "interval:100ms", "L1-dcache-load-misses:10000"};
	struct built b = build_object(OBJECTS "/sample-sites.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 3);
	for (uint32_t i = 0; i < 3; i++) {
		cr_assert_eq(wv_module_entry(&m, i).kind, 0);
		cr_assert_str_eq(wv_module_entry(&m, i).site, sites[i]);
	}
	built_free(&b);
}

Test(link, a_tracepoint_of_the_kernel)
{
	struct built b = build_object(OBJECTS "/kernel-point.o", -1);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 1);
	cr_assert_eq(wv_module_entry(&m, 0).kind, 0);
	cr_assert_str_eq(wv_module_entry(&m, 0).site, "kernel:sched:return");
	built_free(&b);
}

Test(link, loads_from_the_offset_table_become_addresses)
{
	struct built b = build_object(OBJECTS "/got.o", -1);
	struct wv_module m;
	size_t at;
	int addresses = 0;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 1);
	cr_assert_eq(wv_module_entry(&m, 0).kind, 1);
	cr_assert_str_eq(wv_module_entry(&m, 0).site, "libc.so.6!read:return");
	for (at = 0; at < m.text_bytes.n;) {
		struct wv_insn insn;
		const char *why;

		cr_assert_eq(wv_decode(m.text_bytes.p + at, m.text_bytes.n - at, m.text.addr + at, &insn, &why),
			WV_DECODED, "%s", why);
		if (insn.op == WV_LEA && insn.mem.rip_relative) {
			cr_assert_eq((uint64_t)insn.mem.disp, m.data.addr);
			addresses++;
		}
		at += insn.length;
	}
	cr_assert_eq(addresses, 2, "one in each function");
	built_free(&b);
}

/* As build_object, with a proof. */
static struct built prove_object(const char *path)
{
	struct ward_link_options options = {.name = "object", .state_size = -1};
	struct ward_buf object = read_file(path);
	struct built b = {0};

	b.status = ward_link(object.data, object.size, &options, &b.module);
	cr_assert_eq(b.status, 0, "%s: status %d", path, b.status);
	free(object.data);
	return b;
}

/*
 * One object by direct calls and one through a table of addresses; both are accepted, and what they call are the
 * imports.
 */
Test(link, imports)
{
	static const char *const objects[] = {OBJECTS "/imports.o", OBJECTS "/imports-table.o"};
	static const char *const allow[] = {"ward_read", "ward_read_str", "ward_match", "ward_clock"};
	struct ward_verify_options options = {.size = sizeof(options), .allow = allow, .n_allow = 4};

	for (size_t i = 0; i < 2; i++) {
		struct built b = build_object(objects[i], -1);
		struct ward_verdict *v;
		struct wv_module m;
		size_t slots = 0, direct = 0;

		parse_module(&m, &b);
		cr_assert_eq(m.n_imports, 4);
		for (size_t at = 0; at < m.text_bytes.n;) {
			struct wv_insn insn;
			const char *why;
			uint32_t import;

			cr_assert_eq(wv_decode(m.text_bytes.p + at, m.text_bytes.n - at, m.text.addr + at, &insn, &why),
				WV_DECODED, "%s", why);
			if (wv_through_slot(&insn)) {
				cr_assert(wv_module_slot(&m, (uint64_t)insn.mem.disp, &import));
				slots++;
			}
			direct += insn.op == WV_CALL && wv_module_stub(&m, insn.target - m.text.addr, &import);
			at += insn.length;
		}
		cr_assert_eq(slots, 4);
		cr_assert(i ? direct == 0 : direct >= 3, "%zu direct calls", direct);
		built_free(&b);
		b = prove_object(objects[i]);
		v = ward_verify(b.module.data, b.module.size, &options);
		cr_assert(v && v->accepted, "%s: %s", objects[i], v && v->n_violations ? v->violations[0].detail : "?");
		cr_assert_eq(v->module.n_imports, 4);
		cr_assert_eq(v->module.entries[0].imports, 15);
		ward_verdict_free(v);
		v = ward_verify(b.module.data, b.module.size, NULL);
		cr_assert(v && !v->accepted && v->n_violations == 4);
		ward_verdict_free(v);
		built_free(&b);
	}
}

static struct ward_verdict *judge_exits(struct built *b, bool kernel, const char *path)
{
	static const char *const allow[] = {"ward_kernel_read"};
	struct ward_verify_options options = {.size = sizeof(options), .allow = allow, .n_allow = 1};
	struct ward_link_options link = {.name = "object", .kernel = kernel, .state_size = -1};
	struct ward_buf object = read_file(path);
	struct ward_verdict *v;

	*b = (struct built){.said = strdup("")};
	cr_assert_eq(ward_link(object.data, object.size, &link, &b->module), 0, "%s", path);
	v = ward_verify(b->module.data, b->module.size, &options);
	cr_assert(v && v->accepted, "%s: %s", path, v && v->n_violations ? v->violations[0].detail : "?");
	free(object.data);
	return v;
}

/*
 * A jump to the kernel's thunk becomes a return with room for it; the facts say where each is, and what goes through
 * slots.
 */
Test(link, exits)
{
	static const char *const objects[] = {OBJECTS "/thunks.o", OBJECTS "/thunks-clang.o", OBJECTS "/thunks-none.o"};

	for (size_t i = 0; i < 3; i++) {
		struct built b;
		struct ward_verdict *v = judge_exits(&b, true, objects[i]);
		struct wv_module m;
		unsigned n[3] = {0}, narrow = 0;

		parse_module(&m, &b);
		for (size_t k = 0; k < v->module.n_exits; k++) {
			const struct ward_exit_facts *e = &v->module.exits[k];
			const uint8_t *p = m.text_bytes.p + (e->addr - m.text.addr);

			cr_assert(k == 0 || e->addr > e[-1].addr, "by address");
			cr_assert(e->kind == WARD_EXIT_RETURN
					  ? p[0] == 0xc3
					  : p[0] == 0xff && p[1] == (e->kind == WARD_EXIT_CALL ? 0x15 : 0x25));
			for (unsigned room = e->kind == WARD_EXIT_RETURN ? 1 : 6; room < e->room; room++)
				cr_assert_eq(p[room], 0xcc);
			narrow += e->room < 5;
			n[e->kind]++;
		}
		cr_assert(n[WARD_EXIT_RETURN] >= 1 && n[WARD_EXIT_CALL] + n[WARD_EXIT_JUMP] >= 1, "%s: %u %u %u",
			objects[i], n[0], n[1], n[2]);
		cr_assert(i == 2 ? narrow : !narrow, "%s: %u without room", objects[i], narrow);
		ward_verdict_free(v);
		built_free(&b);
	}
}

/* In the user profile nobody replaces them. */
Test(link, exits_of_processes)
{
	struct built b;
	struct ward_verdict *v = judge_exits(&b, false, OBJECTS "/gcc.o");

	cr_assert(v->module.n_exits == 0 && !v->module.exits);
	ward_verdict_free(v);
	built_free(&b);
}

Test(link, refusals)
{
	expect_refused(OBJECTS "/import-address.o",
		"ward: object: 'probe' takes the address of import 'ward_clock'\n"
		"hint: call it by its name, and compile without -fno-plt, so that compilers make direct calls of it\n");
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) " " name
	expect_refused(OBJECTS "/undefined.o",
		"ward: object: unknown external 'puts', used in 'probe'\n"
		"hint: a probe can only use what is in its own file and the dialect's headers, and the imports"
#include "ward/import.def"
		"\nward: object: unknown external 'environ', used in 'probe'\n"
		"hint: a probe can only use what is in its own file and the dialect's headers, and the imports"
#include "ward/import.def"
		"\n");
#undef IMPORT
	expect_refused(OBJECTS "/absolute.o",
		"ward: object: the initialiser of 'names' holds the address of '.rodata'\n"
		"hint: a module is never relocated: keep an index or an offset instead of a pointer\n");
	expect_refused(OBJECTS "/text-absolute.o",
		"ward: object: 'probe' uses the absolute address of '.data'\nhint: compile with -fPIC\n");
	expect_refused(OBJECTS "/thread.o", "ward: object: section '.tbss' is thread-local storage\nhint: the state is "
					    "each thread's own already\n");
	expect_refused(OBJECTS "/constructor.o",
		"ward: object: section '.init_array' asks for a function to run at load\n"
		"hint: state starts zeroed; give a global a constant initialiser\n");
	expect_refused(OBJECTS "/nothing.o",
		"ward: object: there is no probe function\n"
		"hint: write WARD_ENTRY(\"MODULE!FUNCTION\") before a function, or make a function global\n");
	expect_refused(OBJECTS "/bad-site.o",
		"ward: object: the site 'libc.so.6!read:later' of 'first' is not understood\n"
		"hint: a site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or a tracepoint, "
		"MODULE!:PROVIDER:NAME or kernel:SUBSYSTEM:EVENT, or profile:HZ, interval:TIME, EVENT:N; leave it "
		"empty to give it with -f\n"
		"ward: object: the site 'read' of 'second' is not understood\n"
		"hint: a site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or a tracepoint, "
		"MODULE!:PROVIDER:NAME or kernel:SUBSYSTEM:EVENT, or profile:HZ, interval:TIME, EVENT:N; leave it "
		"empty to give it with -f\n"
		"ward: object: the site 'kernel:sched' of 'third' is not understood\n"
		"hint: a site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or a tracepoint, "
		"MODULE!:PROVIDER:NAME or kernel:SUBSYSTEM:EVENT, or profile:HZ, interval:TIME, EVENT:N; leave it "
		"empty to give it with -f\n"
		"ward: object: the site 'profile:often' of 'fourth' is not understood\n"
		"hint: a site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or a tracepoint, "
		"MODULE!:PROVIDER:NAME or kernel:SUBSYSTEM:EVENT, or profile:HZ, interval:TIME, EVENT:N; leave it "
		"empty to give it with -f\n"
		"ward: object: the site 'kernel:9' of 'fifth' is not understood\n"
		"hint: a site is MODULE!FUNCTION, perhaps followed by :entry, :return or :throw, or a tracepoint, "
		"MODULE!:PROVIDER:NAME or kernel:SUBSYSTEM:EVENT, or profile:HZ, interval:TIME, EVENT:N; leave it "
		"empty to give it with -f\n");
	expect_refused(OBJECTS "/two-states.o", "ward: object: 'first' (two-states.c:6) has the state 'small' of 8 "
						"bytes, 'second' (two-states.c:11) the state 'large' of 16 bytes\n"
						"hint: all probe functions of a module share one state; put what they "
						"need into one struct, in a header if they are of several files\n");
}

static void gather(void *user, const char *text)
{
	strncat(user, text, 4000 - strlen(user) - 1);
}

/* With a proof, what is undefined may stay so where control never comes. */
static int link_proven(const char *path, char *said, struct ward_buf *module)
{
	struct ward_link_options options = {.name = "object", .state_size = 64, .diag = gather, .user = said};
	struct ward_buf object = read_file(path);
	int status = ward_link(object.data, object.size, &options, module);

	free(object.data);
	return status;
}

Test(link, unreached_references)
{
	char said[4000] = "";
	struct ward_buf module;
	struct ward_verdict *v;
	struct built b;

	cr_assert_eq(link_proven(OBJECTS "/check-passes.o", said, &module), 0, "%s", said);
	cr_assert_str_eq(said, "");
	v = ward_verify(module.data, module.size, NULL);
	cr_assert(v && v->accepted);
	ward_verdict_free(v);
	free(module.data);
	cr_assert_eq(link_proven(OBJECTS "/check-fails.o", said, &module), 1);
	cr_assert_null(module.data);
	/* it is the call that is wrong, and not what it would be given */
	cr_assert(!strstr(said, "place"), "%s", said);
	cr_assert(strstr(said, "ward: object: unknown external 'elsewhere', used in 'probe'\n"), "%s", said);
	cr_assert(strstr(said, "ward: object: unknown external 'panic', used in 'probe'\n"), "%s", said);
	b = build_object(OBJECTS "/check-passes.o", 64); /* without a proof nobody knows */
	cr_assert(b.status == 1 && strstr(b.said, "unknown external 'panic'"));
	built_free(&b);
}

/* Rust's panics: the handler is no entry, and a check that may fail is said to be one. */
Test(link, panics)
{
	char said[4000] = "";
	struct ward_buf module;
	struct ward_verdict *v;

	cr_assert_eq(link_proven(OBJECTS "/panic-handler.o", said, &module), 0, "%s", said);
	v = ward_verify(module.data, module.size, NULL);
	cr_assert(v && v->accepted);
	cr_assert_eq(v->module.n_entries, 1);
	cr_assert_str_eq(v->module.entries[0].name, "probe");
	ward_verdict_free(v);
	free(module.data);
	cr_assert_eq(link_proven(OBJECTS "/panics.o", said, &module), 1);
	cr_assert_str_eq(said, "ward: object: unknown external "
			       "'_RNvNtNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check', used in 'probe'\n"
			       "hint: a check that rustc put in may fail here: bound the index, or the number, right "
			       "before, `if i < N` or `i & (N - 1)`, or use get() or wrapping_add()\n");
}

/* Every cut and every changed byte of an object: an error or a module, never a crash. Sanitizers see to the rest. */
/* What is kept in the frame behind a variable that is passed is not lost by that. */
Test(link, windows_are_as_small_as_needed)
{
	struct ward_buf object = read_file(OBJECTS "/windows.o"), module;
	struct ward_link_options options = {.name = "windows", .state_size = 64};
	struct ward_verdict *verdict;

	cr_assert_eq(ward_link(object.data, object.size, &options, &module), 0);
	verdict = ward_verify(module.data, module.size, NULL);
	cr_assert(verdict);
	cr_expect(verdict->accepted, "%s: %s", verdict->n_violations ? verdict->violations[0].reason : "?",
		verdict->n_violations ? verdict->violations[0].detail : "");
	ward_verdict_free(verdict);
	free(module.data);
	free(object.data);
}

Test(link, hostile_objects)
{
	static const char *const names[] = {
		OBJECTS "/gcc.o", OBJECTS "/got.o", OBJECTS "/globals.o", OBJECTS "/bare.o"};
	struct ward_link_options options = {.name = "object", .state_size = -1, .no_proof = true};
	struct ward_buf out;
	unsigned k;
	size_t i;

	for (k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
		struct ward_buf object = read_file(names[k]);
		uint8_t *copy = malloc(object.size);

		for (i = 0; i < object.size; i += 1 + i / 64) { /* headers densely */
			cr_expect_neq(ward_link(object.data, i, &options, &out), 0);
			free(out.data);
		}
		for (i = 0; i < object.size * 4; i++) {
			size_t at = i % object.size;

			memcpy(copy, object.data, object.size);
			copy[at] ^= (uint8_t)(i < object.size       ? 0xff
					      : i < 2 * object.size ? 0x01
					      : i < 3 * object.size ? 0x80
								    : 0x10);
			if (ward_link(copy, object.size, &options, &out) == 0)
				free(out.data);
		}
		free(copy);
		free(object.data);
	}
	cr_expect_eq(ward_link("", 0, &options, &out), 2);
}

/* What inference doesn't explore is refused as such, not as code that nothing leads to. */
Test(link, too_many_switches)
{
	char said[4000] = "";
	struct ward_buf module = {0};

	cr_expect(link_proven(OBJECTS "/switches.o", said, &module) != 0);
	cr_expect_str_eq(said,
		"ward: object: no proof could be inferred: a function has more than 64 switches, each behind the one "
		"before\n"
		"hint: smaller functions are simpler to prove, and so are switches without a table: -fno-jump-tables\n",
		"%s", said);
	free(module.data);
}

/*
 * Nothing is claimed that doesn't hold, also where what is counted depends on itself: such a loop may take long, and
 * that is all.
 */
Test(link, counted_only_if_it_holds)
{
	struct ward_verify_options options = {.size = sizeof(options), .max_insns = UINT64_MAX};
	char said[4000] = "";
	struct ward_buf module = {0};
	struct ward_verdict *v;

	cr_assert_eq(link_proven(OBJECTS "/counted.o", said, &module), 0, "%s", said);
	v = ward_verify(module.data, module.size, &options);
	cr_expect(v && v->accepted, "%s", v && v->n_violations ? v->violations[0].detail : "?");
	ward_verdict_free(v);
	v = ward_verify(module.data, module.size, NULL);
	cr_expect(v && !v->accepted && v->n_violations == 1 && v->violations[0].rule == WARD_RULE_COST);
	ward_verdict_free(v);
	free(module.data);
}

/* Memory that this process ever had, in bytes; 0 where a sanitizer's own would be counted. */
static uint64_t memory(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return instrumented ? 0 : (uint64_t)u.ru_maxrss * 1024;
}

/*
 * A state is kept for each block, and for each way out of it: that takes what there is to know, and not what there
 * might be.
 */
Test(link, many_blocks)
{
	struct ward_buf object = read_file(OBJECTS "/blocks.o"), module = {0};
	char said[4000] = "";
	uint64_t before = memory();

	cr_expect_eq(link_proven(OBJECTS "/blocks.o", said, &module), 0, "%s", said);
	cr_expect_leq(memory() - before, (16 << 20) + 640 * (uint64_t)object.size,
		"%lu bytes more for %zu of an object", memory() - before, object.size);
	free(object.data);
	free(module.data);
}

/* And where there is too much to know, that is refused. */
Test(link, too_much_in_many_blocks)
{
	struct ward_buf object = read_file(OBJECTS "/blocks-full.o"), module = {0};
	char said[4000] = "";
	uint64_t before = memory();

	cr_expect(link_proven(OBJECTS "/blocks-full.o", said, &module) != 0);
	cr_expect_str_eq(said,
		"ward: object: no proof could be inferred: that would take too much memory\n"
		"hint: smaller functions are simpler to prove, and so are switches without a table: -fno-jump-tables\n",
		"%s", said);
	cr_expect_leq(memory() - before, (16 << 20) + 640 * (uint64_t)object.size,
		"%lu bytes more for %zu of an object", memory() - before, object.size);
	free(object.data);
	free(module.data);
}

static const struct wv_claim *claim_of(const struct wv_block *b, uint8_t reg, uint16_t slot)
{
	for (const struct wv_claim *c = b->claims; c < b->claims + b->n_claims; c++) {
		if (c->loc.reg == reg && c->loc.slot == slot)
			return c;
	}
	return NULL;
}

/* What nobody asks for isn't claimed; what a loop's bound, an access, and the return need is. */
Test(link, what_is_not_needed_is_not_claimed)
{
	char said[4000] = "";
	struct ward_buf module = {0};
	struct wv_sink sink = {0};
	struct wv_proof proof;
	struct wv_module m;

	cr_assert_eq(link_proven(OBJECTS "/unneeded.o", said, &module), 0, "%s", said);
	cr_assert(wv_module_parse(&m, module.data, module.size, 1u << 28, &sink));
	void *arena = malloc(wv_proof_arena(&m));
	cr_assert(arena && wv_proof_parse(&proof, &m, arena, &sink));
	cr_assert_eq(proof.n_blocks, 2);
	const struct wv_block *again = &proof.blocks[1];
	const struct wv_claim *rax = claim_of(again, WV_RAX, 0), *rbx = claim_of(again, WV_RBX, 0),
			      *rsi = claim_of(again, WV_RSI, 0), *r8 = claim_of(again, WV_R8, 0),
			      *saved = claim_of(again, WV_NREG, 1);
	cr_expect_eq(again->n_claims, 5);
	cr_expect(rax && rax->kind == WV_CLAIM_NUMBER && rax->facts->n.umax == 55);
	cr_expect(rbx && rbx->kind == WV_CLAIM_UNINIT); /* without a claim it would be what it was at the entry */
	cr_expect(rsi && rsi->kind == WV_CLAIM_POINTER);
	cr_expect(r8 && r8->kind == WV_CLAIM_NUMBER && r8->facts->which == 0);
	cr_expect(saved && saved->kind == WV_CLAIM_SAVED && saved->region == WV_RBX);
	free(arena);
	free(module.data);
}
