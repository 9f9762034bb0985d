/* SPDX-License-Identifier: Apache-2.0 */
/* ward-verify as its users meet it: exit codes, the three forms of its report, source lines, and hostile inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <json-c/json.h>

#include "build_module.h"
#include "verifier/tool/report.h"
#include "sarif.h"

/* ---- modules ---- */

/* xor eax, eax; mov [rsi + disp8], rax; ret: good while disp + 8 is within the state of 64 bytes. */
static uint8_t store[] = {0x31, 0xc0, 0x48, 0x89, 0x46, 0x00, 0xc3};
enum { STORE_PC = BM_TEXT_ADDR + 2 };

/* One function of one block, no loops; rsi is the state. */
static const uint8_t proof[] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 6, 3, 1, 1, 0, 0, 0};

/* clang-format off */
/* DWARF 4 for reads.c: line 14 at the function's start, line 20 at the store. */
static const uint8_t debug_abbrev[] = {1, 0x11, 0, 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0, 0, 0};
static const uint8_t debug_info[] = {28, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 'r', 'e', 'a', 'd', 's', '.', 'c', 0,
	0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0};
static const uint8_t debug_line[] = {
	62, 0, 0, 0, 4, 0, 31, 0, 0, 0, 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0,
	'r', 'e', 'a', 'd', 's', '.', 'c', 0, 0, 0, 0, 0,
	0, 9, 2, 0, 0x10, 0, 0, 0, 0, 0, 0, 3, 13, 1, 2, 2, 3, 6, 1, 2, 5, 0, 1, 1,
};
_Static_assert(sizeof debug_info == 28 + 4, "the unit's length");
/* clang-format on */

static const struct bm_section debug_sections[] = {
	{.name = ".debug_abbrev", .bytes = debug_abbrev, .size = sizeof debug_abbrev},
	{.name = ".debug_info", .bytes = debug_info, .size = sizeof debug_info},
	{.name = ".debug_line", .bytes = debug_line, .size = sizeof debug_line},
};

static struct bm_file build(uint8_t disp, const char *name)
{
	struct bm_entry entry = {.name = name, .site = "libc.so.6!read", .state_type = "struct ward_state"};
	struct bm_module module = {
		.text = store,
		.text_size = sizeof store,
		.state_size = 64,
		.entries = &entry,
		.n_entries = 1,
		.proof = proof,
		.proof_size = sizeof proof,
		.sections = debug_sections,
		.n_sections = 3,
	};
	struct bm_file f;

	store[5] = disp;
	f = bm_build(&module);
	/* the line table's length */
	bm_set(&f, f.further + sizeof debug_abbrev + sizeof debug_info, 4, sizeof debug_line - 4);
	return f;
}

/* ---- running the tool ---- */

struct outcome {
	int status;
	char out[60000]; /* standard output, and standard error after it */
};

static void run(struct outcome *o, const char *arguments)
{
	char command[1000];
	FILE *f;
	size_t n;
	int status;

	snprintf(command, sizeof command, "'%s' 2>&1 %s", WARD_VERIFY, arguments);
	f = popen(command, "r");
	cr_assert(f);
	n = fread(o->out, 1, sizeof o->out - 1, f);
	o->out[n] = 0;
	status = pclose(f);
	cr_assert(WIFEXITED(status), "%s: ended by a signal", command);
	o->status = WEXITSTATUS(status);
}

/* Run it on a file with these bytes; %s in the arguments is its path. */
static void run_on(struct outcome *o, const void *bytes, size_t n, const char *arguments)
{
	char path[] = "/tmp/ward-test-XXXXXX", line[600];
	int fd = mkstemp(path);
	ssize_t written = fd < 0 ? -1 : write(fd, bytes, n);
	size_t before = strcspn(arguments, "%");

	if (fd >= 0)
		close(fd);
	snprintf(line, sizeof line, "%.*s%s%s", (int)before, arguments, path,
		arguments[before] ? arguments + before + 2 : "");
	if (written == (ssize_t)n)
		run(o, line);
	unlink(path);
	cr_assert_eq(written, (ssize_t)n);
}

static struct json_object *parse_json(const struct outcome *o)
{
	enum json_tokener_error error;
	struct json_object *root = json_tokener_parse_verbose(o->out, &error);

	cr_assert(root, "no JSON (%s): %s", json_tokener_error_desc(error), o->out);
	cr_assert_eq(strchr(o->out, '\n') - o->out, (long)strlen(o->out) - 1, "not one line");
	return root;
}

/* "a.0.b": member a, element 0, member b. */
static struct json_object *at(struct json_object *o, const char *path)
{
	char key[40];

	for (; o && *path; path += *path == '.') {
		size_t n = strcspn(path, ".");

		snprintf(key, sizeof key, "%.*s", (int)n, path);
		path += n;
		if (json_object_is_type(o, json_type_array))
			o = json_object_array_get_idx(o, strtoul(key, NULL, 10));
		else if (!json_object_object_get_ex(o, key, &o))
			return NULL;
	}
	return o;
}

static void expect_string(struct json_object *root, const char *path, const char *value)
{
	struct json_object *o = at(root, path);

	cr_assert(o && json_object_is_type(o, json_type_string), "%s is no string", path);
	cr_assert_str_eq(json_object_get_string(o), value, "%s is %s", path, json_object_get_string(o));
}

static void expect_number(struct json_object *root, const char *path, int64_t value)
{
	struct json_object *o = at(root, path);

	cr_assert(o && json_object_is_type(o, json_type_int), "%s is no number", path);
	cr_assert_eq(json_object_get_int64(o), value, "%s is %ld", path, (long)json_object_get_int64(o));
}

static void expect_length(struct json_object *root, const char *path, size_t n)
{
	struct json_object *o = at(root, path);

	cr_assert(o && json_object_is_type(o, json_type_array), "%s is no array", path);
	cr_assert_eq(json_object_array_length(o), n, "%s has %zu elements", path, json_object_array_length(o));
}

/* ---- tests ---- */

Test(tool, accepts_as_text)
{
	struct bm_file f = build(56, "on_read");
	struct outcome o;

	run_on(&o, f.data, f.size, "%s");
	cr_assert_eq(o.status, 0, "%s", o.out);
	cr_assert(strstr(o.out, ": accepted: 3 instructions checked, user profile, 64 bytes of state\n"), "%s", o.out);
	cr_assert(strstr(o.out, "entry    site            max insns  stack  clobbers  event fields  needs\n"), "%s",
		o.out);
	cr_assert(strstr(o.out, "on_read  libc.so.6!read          3      0  rax       -             -\n"), "%s", o.out);
	bm_free(&f);
}

Test(tool, rejects_as_text)
{
	struct bm_file f = build(57, "on_read");
	struct outcome o;

	run_on(&o, f.data, f.size, "%s");
	cr_assert_eq(o.status, 1, "%s", o.out);
	cr_assert(strstr(o.out, ": rejected: 1 violation\n"), "%s", o.out);
	cr_assert(strstr(o.out, ": V-31 at 0x1002 (reads.c:20): "), "%s", o.out);
	cr_assert(strstr(o.out, "\n    mov qword [rsi+57], rax\n"), "%s", o.out);
	cr_assert(strstr(o.out, "\n    V-31 (P1): Every access lies wholly within its region.\n"), "%s", o.out);
	cr_assert(strstr(o.out, "\n    hint: bound the index"), "%s", o.out);
	bm_free(&f);
}

/* All of them, not the first few. */
Test(tool, rejects_each)
{
	enum { STORES = 90 };
	static uint8_t text[2 + 4 * STORES + 1] = {0x31, 0xc0};
	struct bm_entry entry = {.name = "probe"};
	struct bm_module module = {.text = text,
		.text_size = sizeof text,
		.state_size = 64,
		.entries = &entry,
		.n_entries = 1,
		.proof = proof,
		.proof_size = sizeof proof};
	struct bm_file f;
	struct outcome o;
	struct json_object *root;

	for (size_t i = 0; i < STORES; i++)
		memcpy(text + 2 + 4 * i, (uint8_t[]){0x48, 0x89, 0x46, 0x7f}, 4);
	text[sizeof text - 1] = 0xc3;
	f = bm_build(&module);
	run_on(&o, f.data, f.size, "--json %s");
	root = parse_json(&o);
	expect_number(root, "n_violations", STORES);
	cr_assert_eq(json_object_array_length(at(root, "violations")), STORES);
	expect_number(root, "violations.89.pc", BM_TEXT_ADDR + 2 + 4 * 89);
	json_object_put(root);
	run_on(&o, f.data, f.size, "%s");
	cr_assert_not(strstr(o.out, "further violations"));
	bm_free(&f);
}

Test(tool, accepts_as_json)
{
	struct bm_file f = build(56, "on_read");
	struct json_object *root;
	struct outcome o;

	run_on(&o, f.data, f.size, "--json %s");
	cr_assert_eq(o.status, 0, "%s", o.out);
	root = parse_json(&o);
	expect_string(root, "verdict", "accept");
	expect_length(root, "entries", 1);
	expect_string(root, "entries.0.name", "on_read");
	expect_string(root, "entries.0.site", "libc.so.6!read");
	expect_number(root, "entries.0.max_insns", 3);
	expect_number(root, "entries.0.stack_bytes", 0);
	expect_length(root, "entries.0.clobbers", 1);
	expect_string(root, "entries.0.clobbers.0", "rax");
	expect_length(root, "entries.0.event_fields", 0);
	expect_length(root, "violations", 0);
	json_object_put(root);
	bm_free(&f);
}

Test(tool, rejects_as_json)
{
	struct bm_file f = build(64, "on_read");
	struct json_object *root;
	struct outcome o;

	run_on(&o, f.data, f.size, "%s --json");
	cr_assert_eq(o.status, 1, "%s", o.out);
	root = parse_json(&o);
	expect_string(root, "verdict", "reject");
	expect_length(root, "entries", 0);
	expect_number(root, "n_violations", 1);
	expect_length(root, "violations", 1);
	expect_string(root, "violations.0.rule", "V-31");
	expect_number(root, "violations.0.pc", STORE_PC);
	expect_string(root, "violations.0.file", "reads.c");
	expect_number(root, "violations.0.line", 20);
	expect_string(root, "violations.0.instruction", "mov qword [rsi+64], rax");
	cr_assert_gt(strlen(json_object_get_string(at(root, "violations.0.reason"))), 5);
	cr_assert_gt(strlen(json_object_get_string(at(root, "violations.0.detail"))), 10);
	json_object_put(root);
	bm_free(&f);
}

static void expect_sarif(struct json_object *root)
{
	char why[400];

	cr_assert(sarif_holds(root, why, sizeof why), "%s", why);
}

/* The check itself: what is missing, unknown, of the wrong type or out of range is found, and where. */
Test(tool, sarif_shape)
{
	static const struct {
		const char *log, *why;
	} cases[] = {
		{"{\"version\":\"2.1.0\"}", "log.runs: required, and missing"},
		{"{\"version\":\"2.1.0\",\"runs\":{}}", "log.runs: no array"},
		{"{\"version\":\"2.0.0\",\"runs\":[]}", "log.version: not 2.1.0"},
		{"{\"version\":\"2.1.0\",\"runs\":[{}]}", "log.runs[0].tool: required, and missing"},
		{"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{}}}]}",
			"log.runs[0].tool[0].driver[0].name: required, and missing"},
		{"{\"version\":\"2.1.0\",\"runs\":[],\"extra\":1}", "log.extra: not known to the standard"},
		{"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"w\"}},\"results\":[{}]}]}",
			"log.runs[0].results[0].message: required, and missing"},
		{"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"w\"}},\"results\":[{\"message\":{"
		 "\"text\":\"m\"},"
		 "\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"a\"},\"region\":{\"startLine\":"
		 "0}}}]}]}]}",
			"log.runs[0].results[0].locations[0].physicalLocation[0].region[0].startLine: of the wrong "
			"type, or out of range"},
		{"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"w\"}},\"results\":[{\"message\":{"
		 "\"text\":\"m\"},"
		 "\"locations\":[{\"physicalLocation\":{\"region\":{\"startLine\":1}}}]}]}]}",
			"log.runs[0].results[0].locations[0].physicalLocation[0].artifactLocation: missing, and so is "
			"the alternative"},
		{"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"w\",\"rules\":[{\"id\":\"a\"},{"
		 "\"id\":\"a\"}]}}}]}",
			"log.runs[0].tool[0].driver[0].rules: the same element twice"},
		{"{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"w\",\"rules\":[{\"id\":\"a\","
		 "\"properties\":{\"tags\":[\"P1\",\"P1\"]}}]}}}]}",
			"log.runs[0].tool[0].driver[0].rules[0].properties: of the wrong type, or out of range"},
		{"{\"$schema\":\"a b\",\"version\":\"2.1.0\",\"runs\":[]}",
			"log.$schema: of the wrong type, or out of range"},
	};
	char why[400];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct json_object *root = json_tokener_parse(cases[i].log);

		cr_assert(root, "case %zu is no JSON", i);
		cr_expect(!sarif_holds(root, why, sizeof why), "case %zu", i);
		cr_expect_str_eq(why, cases[i].why, "case %zu: %s", i, why);
		json_object_put(root);
	}
}

Test(tool, rejects_as_sarif)
{
	struct bm_file f = build(64, "on_read");
	struct json_object *root;
	struct outcome o;

	run_on(&o, f.data, f.size, "%s --sarif");
	cr_assert_eq(o.status, 1, "%s", o.out);
	root = parse_json(&o);
	expect_sarif(root);
	expect_string(root, "version", "2.1.0");
	expect_string(root, "runs.0.tool.driver.name", "ward-verify");
	expect_length(root, "runs.0.tool.driver.rules", WARD_RULE_COUNT);
	expect_length(root, "runs.0.results", 1);
	expect_string(root, "runs.0.results.0.ruleId", "V-31");
	expect_number(root, "runs.0.results.0.ruleIndex", WARD_RULE_BOUNDS);
	expect_string(root, "runs.0.tool.driver.rules.16.id", ward_rule_number((enum ward_rule)16));
	expect_string(root, "runs.0.results.0.level", "error");
	expect_string(root, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri", "reads.c");
	expect_number(root, "runs.0.results.0.locations.0.physicalLocation.region.startLine", 20);
	expect_number(root, "runs.0.results.0.relatedLocations.0.physicalLocation.region.byteOffset", STORE_PC);
	expect_number(root, "runs.0.results.0.relatedLocations.0.physicalLocation.region.byteLength", 4);
	json_object_put(root);
	bm_free(&f);

	f = build(0, "on_read");
	run_on(&o, f.data, f.size, "%s --sarif");
	cr_assert_eq(o.status, 0, "%s", o.out);
	root = parse_json(&o);
	expect_sarif(root);
	expect_length(root, "runs.0.results", 0);
	json_object_put(root);
	bm_free(&f);
}

static void expect_text(const struct outcome *o, const char *text)
{
	cr_assert(strstr(o->out, text), "no `%s` in: %s", text, o->out);
}

Test(tool, explains)
{
	struct bm_file f = build(56, "on_read");
	struct outcome o;

	run_on(&o, f.data, f.size, "%s --explain");
	cr_assert_eq(o.status, 0, "%s", o.out);
	expect_text(&o, ": accepted: 3 instructions checked");
	expect_text(&o, "\non_read at 0x1000: at most 3 instructions and 0 bytes of stack\n");
	expect_text(&o, "\nreads.c:14\n  1000  xor eax, eax                        -> rax 0\n");
	expect_text(&o, "\nreads.c:20\n  1002  mov qword [rsi+56], rax             rsi state+0, rax 0\n  1006  ret\n");
	bm_free(&f);

	f = build(57, "on_read");
	run_on(&o, f.data, f.size, "%s --explain");
	cr_assert_eq(o.status, 1, "%s", o.out);
	expect_text(&o, ": rejected: 1 violation\n");
	expect_text(&o, "  1002  mov qword [rsi+57], rax             rsi state+0, rax 0\n  ^^^^  V-31 "
			"store-outside-region: store of 8 bytes at state+57; ");
	run_on(&o, f.data, 64, "%s --explain");
	cr_assert_eq(o.status, 1, "%s", o.out);
	expect_text(&o, "  ^^^^  V-01 ");
	bm_free(&f);
}

/* Files of which next to nothing can be said, and names that are no text. */
Test(tool, sarif_of_anything)
{
	static const struct {
		const char *name;
		size_t cut;
	} cases[] = {{"on_read", 0}, {"on_read", 1}, {"on_read", 64}, {"on_read", 4000}, {"a\033\xff\"<\\b", 100000}};
	struct json_object *root;
	struct outcome o;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bm_file f = build(64, cases[i].name);

		run_on(&o, f.data, f.size < cases[i].cut ? f.size : cases[i].cut, "%s --sarif");
		cr_assert_eq(o.status, 1, "%s", o.out);
		root = parse_json(&o);
		expect_sarif(root);
		cr_assert_gt(json_object_array_length(at(root, "runs.0.results")), 0);
		json_object_put(root);
		bm_free(&f);
	}
}

/*
 * Where the number at fault comes from, through moves and arithmetic, over the ways into a block. The proof: two
 * blocks, rax and rsi known at the second.
 *
 *	1000	mov rax, [rdi]; lea rax, [rax+rax*2]; test rax, rax; je 100e; nop; nop
 *	100e	mov rcx, rax; mov [rsi+rcx*8], rax; ret
 */
static const uint8_t far_store[] = {0x48, 0x8b, 0x07, 0x48, 0x8d, 0x04, 0x40, 0x48, 0x85, 0xc0, 0x74, 0x02, 0x90, 0x90,
	0x48, 0x89, 0xc1, 0x48, 0x89, 0x04, 0xce, 0xc3};
static const uint8_t far_proof[] = {
	1, 0, 0, 0, 0, 0, 2, 0, 0, 2, 6, 3, 1, 1, 0, 0, 7, 3, 0, 1, 0, 0, 0, 14, 0, 2, 0, 2, 0, 6, 3, 1, 1, 0, 0, 0};

Test(tool, origin)
{
	struct bm_entry entry = {.name = "on_read", .site = "libc.so.6!read", .state_type = "struct ward_state"};
	struct bm_module module = {.text = far_store,
		.text_size = sizeof far_store,
		.state_size = 64,
		.entries = &entry,
		.n_entries = 1,
		.proof = far_proof,
		.proof_size = sizeof far_proof,
		.sections = debug_sections,
		.n_sections = 3};
	struct bm_file f = bm_build(&module);
	struct json_object *root;
	struct outcome o;

	bm_set(&f, f.further + sizeof debug_abbrev + sizeof debug_info, 4, sizeof debug_line - 4);
	run_on(&o, f.data, f.size, "%s --json");
	cr_assert_eq(o.status, 1, "%s", o.out);
	root = parse_json(&o);
	expect_length(root, "violations", 1);
	expect_string(root, "violations.0.reason", "store-outside-region");
	expect_string(root, "violations.0.origin.register", "rcx");
	expect_string(root, "violations.0.origin.how", "loaded");
	expect_string(root, "violations.0.origin.limit", "and never bounded");
	expect_number(root, "violations.0.origin.pc", BM_TEXT_ADDR);
	expect_string(root, "violations.0.origin.file", "reads.c");
	expect_number(root, "violations.0.origin.line", 14);
	json_object_put(root);
	run_on(&o, f.data, f.size, "%s");
	cr_assert(strstr(o.out, "; rcx was loaded at reads.c:14 and never bounded\n"), "%s", o.out);
	run_on(&o, f.data, f.size, "%s --explain");
	expect_text(&o, "  1003  lea rax, [rax+rax*2]                rax any number\n");
	expect_text(&o, "  100a  je 0x100e                           if taken rax 0; else rax [1, 2^64-1]\n");
	expect_text(&o, "  100e: known on all ways here              rax any number, rsi state+0\n");
	run_on(&o, f.data, f.size, "%s --sarif");
	root = parse_json(&o);
	expect_sarif(root);
	expect_string(root, "runs.0.results.0.relatedLocations.0.message.text", "rcx was loaded here");
	expect_number(root, "runs.0.results.0.relatedLocations.0.physicalLocation.region.startLine", 14);
	json_object_put(root);
	bm_free(&f);
}

/*
 * Of a loop without a bound, the limit that it waits for. The proof: block 1 is a loop, ranked by rax, of which nothing
 * is known.
 *
 *	1000	mov rcx, [rdi]; xor eax, eax
 *	1005	inc rax; cmp rax, rcx; jb 1005; ret
 */
static const uint8_t far_loop[] = {0x48, 0x8b, 0x0f, 0x31, 0xc0, 0x48, 0xff, 0xc0, 0x48, 0x39, 0xc8, 0x72, 0xf8, 0xc3};
static const uint8_t far_loop_proof[] = {
	1, 0, 0, 0, 0, 1, 1, 2, 0, 0, 1, 0, 2, 0, 0, 1, 7, 3, 0, 1, 0, 0, 0, 5, 0, 2, 0, 2, 0, 1, 2, 0, 0};

Test(tool, origin_of_a_limit)
{
	struct bm_entry entry = {.name = "on_read"};
	struct bm_module module = {.text = far_loop,
		.text_size = sizeof far_loop,
		.state_size = 64,
		.entries = &entry,
		.n_entries = 1,
		.proof = far_loop_proof,
		.proof_size = sizeof far_loop_proof};
	struct bm_file f = bm_build(&module);
	struct outcome o;

	run_on(&o, f.data, f.size, "%s");
	cr_assert_eq(o.status, 1, "%s", o.out);
	expect_text(&o, ": rejected: 1 violation\n");
	expect_text(&o, ": V-62 at 0x100b: loop-not-bounded: nothing bounds the loop that begins at 0x1005: its "
			"counter would be rax, which ");
	expect_text(&o, "; rcx was loaded at 0x1000 and never bounded\n");
	bm_free(&f);
}

/*
 * Of code that a function runs into, the branch for which it is a function of its own.
 *
 *	1000	jmp 1004			first
 *	1002	xchg ax, ax			second
 *	1004	ret
 */
static const uint8_t middle[] = {0xeb, 0x02, 0x66, 0x90, 0xc3};
static const uint8_t middle_proof[] = {
	3, 4, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 2, 0, 0, 0};

Test(tool, branch_to_a_middle)
{
	struct bm_entry entries[] = {{.name = "first"}, {.name = "second", .offset = 2}};
	struct bm_module module = {.text = middle,
		.text_size = sizeof middle,
		.entries = entries,
		.n_entries = 2,
		.proof = middle_proof,
		.proof_size = sizeof middle_proof};
	struct bm_file f = bm_build(&module);
	struct outcome o;

	run_on(&o, f.data, f.size, "%s");
	cr_assert_eq(o.status, 1, "%s", o.out);
	expect_text(&o, ": V-24 at 0x1004: falls-into-other-function: control runs past the end of its function, "
			"into another one; this place was jumped to at 0x1000 from elsewhere\n");
	bm_free(&f);
}

Test(tool, limits)
{
	struct bm_file f = build(0, "on_read");
	struct outcome o;

	run_on(&o, f.data, f.size, "%s --max-insns 3");
	cr_assert_eq(o.status, 0, "%s", o.out);
	run_on(&o, f.data, f.size, "%s --max-insns=2");
	cr_assert_eq(o.status, 1, "%s", o.out);
	cr_assert(strstr(o.out, ": V-63"), "%s", o.out);
	run_on(&o, f.data, f.size, "- --max-stack 16 <%s");
	cr_assert_eq(o.status, 0, "%s", o.out);
	bm_free(&f);
}

Test(tool, imports)
{
	struct bm_import import = {"ward_read", 0};
	struct bm_entry entry = {.name = "f"};
	struct bm_module module = {.text = "\xc3",
		.text_size = 1,
		.rodata = "12345678",
		.rodata_size = 8,
		.entries = &entry,
		.n_entries = 1,
		.imports = &import,
		.n_imports = 1,
		.proof = proof,
		.proof_size = sizeof proof};
	struct bm_file f = bm_build(&module);
	struct outcome o;

	run_on(&o, f.data, f.size, "%s");
	cr_assert(o.status == 1 && strstr(o.out, ": V-70"), "%s", o.out);
	run_on(&o, f.data, f.size, "%s --allow other");
	cr_assert(o.status == 1 && strstr(o.out, ": V-70"), "%s", o.out);
	run_on(&o, f.data, f.size, "--allow other --allow ward_read %s");
	cr_assert_eq(o.status, 0, "%s", o.out);
	bm_free(&f);
}

static unsigned count_lines(const char *s)
{
	unsigned n = 0;

	while ((s = strchr(s, '\n'))) {
		n++;
		s++;
	}
	return n;
}

/* Wrong usage and files that can't be read: one line that says what and why, one that says what to do, status 2. */
Test(tool, usage)
{
	static const struct {
		const char *arguments, *message;
	} cases[] = {
		{"", "ward-verify: FILE: no module was named\nhint: "},
		{"a b", "ward-verify: b: one module at a time\nhint: "},
		{"--frobnicate x", "ward-verify: --frobnicate: no such option\nhint: "},
		{"--max-insns", "ward-verify: --max-insns: a value is missing\nhint: "},
		{"--max-insns 0 x", "ward-verify: --max-insns: not a number of instructions\nhint: "},
		{"--max-insns -1 x", "ward-verify: --max-insns: not a number of instructions\nhint: "},
		{"--max-insns 12x x", "ward-verify: --max-insns: not a number of instructions\nhint: "},
		{"--max-insns 99999999999999999999 x",
			"ward-verify: --max-insns: not a number of instructions\nhint: "},
		{"--max-stack 4097 x", "ward-verify: --max-stack: not a number of bytes that can be allowed\nhint: "},
		{"--max-stack '' x", "ward-verify: --max-stack: not a number of bytes that can be allowed\nhint: "},
		{"/nonexistent/module.ward",
			"ward-verify: /nonexistent/module.ward: No such file or directory\nhint: "},
		{"/", "ward-verify: /: Is a directory\nhint: "},
		{"/dev/null >/dev/full", "ward-verify: standard output: No space left on device\nhint: "},
	};
	struct outcome o;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		run(&o, cases[i].arguments);
		cr_expect_eq(o.status, 2, "%s: status %d", cases[i].arguments, o.status);
		cr_expect(strncmp(o.out, cases[i].message, strlen(cases[i].message)) == 0, "%s: %s", cases[i].arguments,
			o.out);
		cr_expect_eq(count_lines(o.out), 2, "%s: not two lines", cases[i].arguments);
	}
	run(&o, "--help");
	cr_assert(o.status == 0 && strncmp(o.out, "Usage: ward-verify FILE", 23) == 0 && strstr(o.out, "Example:"));
	run(&o, "--version");
	cr_assert(o.status == 0 && strncmp(o.out, "ward-verify ", 12) == 0);
	run(&o, "/dev/null");
	cr_assert(o.status == 1 && strstr(o.out, ": V-01: file-too-short: "), "%s", o.out);
}

/* Names come from the module: they must reach neither terminal nor JSON reader as they are. */
Test(tool, hostile_names)
{
	struct bm_file f = build(0, "a\033]0;owned\007\xff\xc0\xaf\xe2\x80\xae\"<\\b");
	static const char clean[] =
		"a\xef\xbf\xbd]0;owned\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"<\\b";
	struct json_object *root;
	struct outcome o;

	run_on(&o, f.data, f.size, "%s");
	cr_assert_eq(o.status, 0, "%s", o.out);
	cr_assert(!strchr(o.out, '\033') && !strchr(o.out, '\007') && strstr(o.out, clean), "%s", o.out);
	run_on(&o, f.data, f.size, "%s --json");
	root = parse_json(&o);
	expect_string(root, "entries.0.name", clean);
	json_object_put(root);
	bm_free(&f);
}

Test(tool, clean_text)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", ""},
		{"plain", "plain"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xc3", "\xef\xbf\xbd"},
		{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\x7f\n\xc2\x9b", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *out = text_clean(cases[i].in);

		cr_assert_str_eq(out, cases[i].out, "case %zu: %s", i, out);
		free(out);
	}
}

Test(tool, every_rule_has_a_hint_of_its_own_or_shared)
{
	const char *none = report_hint(WARD_RULE_COUNT);

	for (int i = 0; i < WARD_RULE_COUNT; i++)
		cr_assert_neq(
			report_hint((enum ward_rule)i), none, "%s has no hint", ward_rule_number((enum ward_rule)i));
}

/* Damaged debug information costs the line numbers, nothing else. */
Test(tool, damaged_debug_information)
{
	uint64_t random = 88172645463325252;
	unsigned with_line = 0;

	for (unsigned round = 0; round < 300; round++) {
		struct bm_file f = build(64, "on_read");
		uint64_t addresses[] = {STORE_PC, 0, UINT64_MAX};
		struct source_line *lines;
		size_t debug = sizeof debug_abbrev + sizeof debug_info + sizeof debug_line;

		for (unsigned k = 0; round && k <= round % 8; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			f.data[f.further + random % debug] = (uint8_t)(random >> 32);
		}
		lines = lines_find(f.data, f.size, addresses, 3, round % 2);
		cr_assert(lines && !lines[2].file);
		if (lines[0].file && lines[0].line == 20 && strcmp(lines[0].file, "reads.c") == 0)
			with_line++;
		else
			cr_assert_gt(round, 0);
		lines_free(lines, 3);
		bm_free(&f);
	}
	cr_assert(with_line > 1 && with_line < 300);
	fprintf(stderr,
		"tool: 300 modules, 299 of them with damaged debug information, %u with the right line all the same\n",
		with_line);
}
