/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules of the example probes and of the tests' own: they are well-formed, hold only permitted instructions,
 * are the same at each build, and can be read by other tools.
 */
#define _GNU_SOURCE
#include "helper.h"
#include "verifier/decode/insn.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_rows(const char *path)
{
	struct built b = build_source(path, true);
	struct wv_module m;
	size_t at = 0;

	parse_module(&m, &b);
	while (at < m.text_bytes.n) {
		struct wv_insn insn;
		const char *why = "";
		enum wv_decode_status status =
			wv_decode(m.text_bytes.p + at, m.text_bytes.n - at, m.text.addr + at, &insn, &why);

		cr_assert_eq(status, WV_DECODED, "%s at %llx: %s", path, (unsigned long long)(m.text.addr + at), why);
		at += insn.length;
	}
	built_free(&b);
}

Test(modules, only_permitted_instructions)
{
	cr_assert_geq(each_source(PROBES, check_rows), 3);
	cr_assert_geq(each_source(SOURCES, check_rows), 3);
}

static void check_repeatable(const char *path)
{
	struct built a = build_source(path, true), b = build_source(path, true);

	cr_assert_eq(a.status, 0, "%s", a.said);
	cr_assert_eq(a.module.size, b.module.size);
	cr_assert_eq(memcmp(a.module.data, b.module.data, a.module.size), 0);
	built_free(&a);
	built_free(&b);
}

Test(modules, same_bytes_each_time)
{
	each_source(PROBES, check_repeatable);
}

Test(modules, note_of_reads)
{
	struct built b = build_source(PROBES "/reads.c", true);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 2);
	cr_assert_eq(m.n_imports, 0);
	cr_assert_eq(m.event_size, 112);
	cr_assert_eq(m.profile, WARD_PROFILE_USER);
	cr_assert_eq(m.state_size, 8 + 65 * 8 + 8 + 1024 * 16 + 8);
	for (uint32_t i = 0; i < 2; i++) {
		struct wv_entry e = wv_module_entry(&m, i);

		cr_assert_str_eq(e.name, i ? "on_pread64" : "on_read");
		cr_assert_str_eq(e.site, i ? "libc.so.6!pread64" : "libc.so.6!read");
		cr_assert_str_eq(e.state_type, "ward_state");
		cr_assert_eq(e.kind, 0);
	}
	built_free(&b);
}

Test(modules, a_site_left_to_the_user_is_empty)
{
	struct built b = build_source(PROBES "/calls.c", true);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.n_entries, 1);
	cr_assert_str_eq(wv_module_entry(&m, 0).site, "");
	built_free(&b);
}

Test(modules, no_loops_where_none_are_needed)
{
	/* Counting is one instruction and a return. */
	struct built b = build_source(SOURCES "/entry-count.c", true);
	struct wv_module m;

	parse_module(&m, &b);
	cr_assert_eq(m.text_bytes.n, 4);
	cr_assert_eq(memcmp(m.text_bytes.p, "\x48\xff\x06\xc3", 4), 0, "inc qword [rsi]; ret");
	built_free(&b);
}

/* Run a tool over a module: it must succeed and complain of nothing. Returns what it printed. */
static char *tool(const char *command, const char *path)
{
	char line[512], *text = calloc(1, 1 << 20);
	FILE *f;
	size_t n;

	snprintf(line, sizeof(line), "LC_ALL=C %s %s 2>&1", command, path);
	f = popen(line, "r");
	cr_assert(f && text);
	n = fread(text, 1, (1 << 20) - 1, f);
	text[n] = '\0';
	cr_assert_eq(pclose(f), 0, "%s: %s", line, text);
	return text;
}

Test(modules, other_tools_read_them, .fini = temporary_remove)
{
	struct built b = build_source(PROBES "/reads.c", true);
	const char *path = temporary(&b);
	char *text = tool("readelf -aW", path);

	cr_assert_null(strcasestr(text, "warning"), "%s", text);
	cr_assert_null(strcasestr(text, "error"), "%s", text);
	free(text);
	text = tool("objdump -dS", path);
	cr_assert(strstr(text, "<on_read>:"), "%s", text);
	cr_assert(strstr(text, "st->calls++;"), "%s", text);
	free(text);
	text = tool("readelf --debug-dump=info,decodedline,abbrev,str,addr,Ranges,loc", path);
	cr_assert_null(strcasestr(text, "warning"), "%s", text);
	free(text);
	built_free(&b);
}

/*
 * The proof is the last thing in the file. With it and without it, all else is the same but the number of sections and
 * the new section's header.
 */
Test(modules, a_proof_moves_nothing)
{
	struct built without = build_source(PROBES "/reads.c", true), with = build_source(PROBES "/reads.c", false);
	const size_t shnum = offsetof(Elf64_Ehdr, e_shnum);
	Elf64_Ehdr eh;
	size_t end;

	cr_assert_eq(with.status, 0, "%s", with.said);
	memcpy(&eh, without.module.data, sizeof(eh));
	end = eh.e_shoff + (size_t)eh.e_shnum * sizeof(Elf64_Shdr);
	cr_assert_eq(with.module.data[shnum], eh.e_shnum + 1);
	with.module.data[shnum]--;
	cr_assert_eq(memcmp(with.module.data, without.module.data, end), 0);
	cr_assert_eq(without.module.size, end + sizeof(Elf64_Shdr));
	built_free(&without);
	built_free(&with);
}

static void check_guarded(const char *path, enum ward_guards guards)
{
	static const char *const allow[] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) name,
#include "ward/import.def"
#undef IMPORT
	};
	struct ward_verify_options options = {.size = sizeof(options), .allow = allow, .n_allow = WARD_IMPORT_COUNT};
	struct built b = build_guarded(path, false, guards);
	struct ward_verdict *v;

	cr_assert_eq(b.status, 0, "%s: %s", path, b.said);
	v = ward_verify(b.module.data, b.module.size, &options);
	cr_assert(v);
	cr_expect(v->accepted, "%s: %s: %s", path, v->n_violations ? v->violations[0].reason : "?",
		v->n_violations ? v->violations[0].detail : "");
	ward_verdict_free(v);
	built_free(&b);
}

static void check_accepted(const char *path)
{
	check_guarded(path, WARD_GUARDS_AUTO);
}

/* The compiler inserts no guard yet: what is accepted is proven as it stands. */
Test(modules, the_verifier_accepts_the_probes)
{
	cr_assert_geq(each_source(PROBES, check_accepted), 3);
	check_accepted(SOURCES "/entry-count.c");
	check_accepted(SOURCES "/log2-histogram.c");
	check_accepted(SOURCES "/hash-map.c");
	check_accepted(SOURCES "/switch.c");
	check_accepted(SOURCES "/switch-closed.c");
	check_accepted(SOURCES "/unreached.c");
}

/* Proven as it is, without plainer code. */
Test(modules, a_jump_to_an_import_is_a_call)
{
	check_guarded(SOURCES "/import-tail.c", WARD_GUARDS_NEVER);
}

Test(modules, a_counter_beside_its_array)
{
	check_guarded(SOURCES "/local-counter.c", WARD_GUARDS_NEVER);
}

static unsigned count_instructions(const char *path, bool kernel, enum wv_op op)
{
	struct ward_cc_options options = {.kernel = kernel};
	struct built b = {.said = strdup("")};
	struct wv_module m;
	unsigned found = 0;

	b.status = ward_cc(path, &options, &b.module);
	parse_module(&m, &b);
	for (size_t at = 0; at < m.text_bytes.n;) {
		struct wv_insn insn;
		const char *why = "";

		cr_assert_eq(
			wv_decode(m.text_bytes.p + at, m.text_bytes.n - at, m.text.addr + at, &insn, &why), WV_DECODED);
		found += insn.op == op;
		at += insn.length;
	}
	built_free(&b);
	return found;
}

/* In the user profile, and where the index is proven. */
Test(modules, switches_have_tables)
{
	cr_expect_eq(count_instructions(SOURCES "/switch.c", false, WV_JMP_REG), 1);
	cr_expect_eq(count_instructions(SOURCES "/switch.c", true, WV_JMP_REG), 0);
	cr_expect_eq(count_instructions(SOURCES "/switch-closed.c", false, WV_JMP_REG), 0);
}

/* No guard, and no plainer code, which would have loops: it takes zeros for what nobody reads. */
Test(modules, members_that_nobody_reads)
{
	check_accepted(SOURCES "/members.c");
	cr_expect_eq(count_instructions(SOURCES "/members.c", false, WV_JCC), 0);
}

Test(modules, without_a_proof_they_are_rejected)
{
	struct built b = build_source(SOURCES "/entry-count.c", true);
	struct ward_verdict *v = ward_verify(b.module.data, b.module.size, NULL);

	cr_assert(v && !v->accepted);
	cr_assert_eq(v->violations[0].rule, WARD_RULE_PROOF);
	ward_verdict_free(v);
	built_free(&b);
}

static const struct ward_entry_facts *facts_of(const struct ward_verdict *v, const char *name)
{
	for (size_t i = 0; i < v->module.n_entries; i++)
		if (strcmp(v->module.entries[i].name, name) == 0)
			return &v->module.entries[i];
	return NULL;
}

/* What the loader builds its stubs from. */
Test(modules, facts_of_reads)
{
	struct built b = build_source(PROBES "/reads.c", false);
	struct ward_verdict *v = ward_verify(b.module.data, b.module.size, NULL);
	const struct ward_entry_facts *f;

	cr_assert(v && v->accepted);
	f = facts_of(v, "on_read");
	cr_assert(f);
	cr_assert_eq(f->event_fields, 1 << 0 | 1 << 2, "the descriptor and the size");
	cr_assert_eq(f->stack_bytes, 0);
	cr_assert(f->writes_state);
	cr_assert_lt(f->max_insns, 1000);
	ward_verdict_free(v);
	built_free(&b);
}
