/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rewrite can be switched off, and the rows stay the same: rewrites DIRECTORY. Each query of the directory is
 * compiled with all rewrites, and without each of those that change its plan; the verified probes run here, over the
 * same calls of six threads, and their rows are compared. With rewrites DIRECTORY ROUNDS SEED the threads' states are
 * cut into random processes and machines instead, so often, and merged in random order: the rows are the same, to the
 * byte. Ends with "N passed, M failed".
 */
#define _GNU_SOURCE
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "cut.h"
#include "events.h"
#include "query/machine.h"
#include "table.h"
#include "ward/verify.h"

enum { THREADS = 6, EVENTS = 8000, SPACE = 8 << 20, SITES = 16, DEPTH = 32, MOST_COLUMNS = 32, COUNTS = 5000000 };

/* struct ward_event of ward/probe.h */
struct event {
	uint64_t arg[6], ret, caller, tid, cpu, time, elapsed, site, sp;
};
typedef void probe_fn(const struct event *ev, void *state);

/* ---- what probes import: memory of a target, in which each address has the same bytes in each run ---- */

#define IMPORTED __attribute__((target("general-regs-only"), noinline))

static const char texts[4][16] = {"x", "/etc/passwd", "a \"b\", c", ""};

IMPORTED static uint64_t copy_memory(volatile char *to, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (char)((address + i) * 0x9e3779b97f4a7c15 >> 56);
	return n;
}

IMPORTED static uint64_t copy_text(volatile char *to, size_t n, uint64_t address)
{
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		char c = i < 15 ? texts[address % 4][i] : 0;

		length += c != 0 && i + 1 < n;
		to[i] = i + 1 < n ? c : 0;
	}
	return length;
}

/* struct ward_current: the process 7, whose name is "x". */
IMPORTED static uint64_t tell_current(volatile char *to, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = i == 0 ? 7 : i == 16 ? 'x' : 0;
	return n;
}

IMPORTED static uint64_t match_text(const volatile char *with, size_t n, uint64_t address)
{
	for (size_t i = 0; i < n; i++)
		if (with[i] != (i < 16 ? texts[address % 4][i] : 0))
			return 0;
	return 1;
}

/* The stack of the event that happens: as many different ones as there are callers. */
static uint64_t stack_now;

IMPORTED static uint64_t take_stack(uint64_t frames)
{
	return frames ? stack_now : 0;
}

static uint64_t import_address(enum ward_import import)
{
	switch (import) {
	case WARD_IMPORT_READ:
	case WARD_IMPORT_KERNEL_READ: return (uint64_t)(uintptr_t)copy_memory;
	case WARD_IMPORT_READ_STR:
	case WARD_IMPORT_KERNEL_READ_STR: return (uint64_t)(uintptr_t)copy_text;
	case WARD_IMPORT_KERNEL_CURRENT: return (uint64_t)(uintptr_t)tell_current;
	case WARD_IMPORT_MATCH: return (uint64_t)(uintptr_t)match_text;
	case WARD_IMPORT_STACK:
	case WARD_IMPORT_KERNEL_STACK:
	case WARD_IMPORT_KERNEL_USER_STACK: return (uint64_t)(uintptr_t)take_stack;
	default: abort();
	}
}

/* ---- a probe that runs here ---- */

struct probe {
	uint8_t *base;
	struct ward_verdict *verdict;
	ward_schema *schema;
	void *states[THREADS];
	char sites[SITES][128]; /* as the text has them */
	probe_fn *on_site[SITES];
	size_t n_sites;
	uint64_t from, until; /* counts: the probe is there from the one to the other */
};

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stdout);
}

static bool compile(const struct query *q, struct ward_buf *module)
{
	struct ward_cc_options options = {.diag = say, .kernel = query_needs_of(q).kernel};
	const char *text = query_probe(q);
	int fd = memfd_create("ward_query.c", 0);
	char path[40];
	bool done;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) &&
	       ward_cc(path, &options, module) == 0;
	close(fd);
	return done;
}

static void place(uint8_t *base, const struct ward_buf *module, const struct ward_segment *s)
{
	if (s->memsz == 0)
		return;
	if (s->addr + s->memsz > SPACE)
		abort();
	memcpy(base + s->addr, module->data + s->offset, s->filesz);
}

static void protect(uint8_t *base, const struct ward_segment *s, int protection)
{
	if (s->memsz && mprotect(base + s->addr, s->memsz, protection) != 0)
		abort();
}

/* The functions of the probe, in the order of its text, with their sites. */
static void find_sites(struct probe *p, const char *text)
{
	const struct ward_module_facts *facts = &p->verdict->module;

	for (const char *at = text; (at = strstr(at, "\nWARD_ENTRY(\"")) && p->n_sites < SITES; p->n_sites++) {
		char name[16];

		at += strlen("\nWARD_ENTRY(\"");
		snprintf(p->sites[p->n_sites], sizeof(p->sites[0]), "%.*s", (int)strcspn(at, "\""), at);
		snprintf(name, sizeof(name), "on_site%zu", p->n_sites);
		for (size_t i = 0; i < facts->n_entries; i++) {
			uint8_t *code = p->base + facts->entries[i].addr;

			if (strcmp(facts->entries[i].name, name) == 0)
				memcpy(&p->on_site[p->n_sites], &code, sizeof(code));
		}
		if (!p->on_site[p->n_sites])
			abort();
	}
}

static bool open_probe(const struct query *q, struct probe *p)
{
	static const char *const imports[] = {"ward_read", "ward_read_str", "ward_match", "ward_kernel_read",
		"ward_kernel_read_str", "ward_kernel_current", "ward_stack_take", "ward_kernel_stack_take",
		"ward_user_stack_take"};
	struct ward_verify_options limits = {
		.size = sizeof(limits), .allow = imports, .n_allow = sizeof(imports) / sizeof(imports[0])};
	struct ward_buf module;
	struct ward_error err;
	const struct ward_module_facts *facts;

	*p = (struct probe){0};
	if (!compile(q, &module))
		return false;
	p->verdict = ward_verify(module.data, module.size, &limits);
	if (!p->verdict || !p->verdict->accepted ||
		ward_schema_read(module.data, module.size, &p->schema, &err) != WARD_OK)
		return false;
	facts = &p->verdict->module;
	p->base = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->base == MAP_FAILED)
		abort();
	place(p->base, &module, &facts->text);
	place(p->base, &module, &facts->rodata);
	place(p->base, &module, &facts->data);
	for (size_t i = 0; i < facts->n_imports; i++) {
		uint64_t address = import_address(facts->imports[i].import);

		memcpy(p->base + facts->imports[i].slot, &address, sizeof(address));
	}
	protect(p->base, &facts->text, PROT_READ | PROT_EXEC);
	protect(p->base, &facts->rodata, PROT_READ);
	for (size_t t = 0; t < THREADS; t++)
		if (!(p->states[t] = calloc(1, facts->state_size)))
			abort();
	find_sites(p, query_probe(q));
	p->from = COUNTS + (uint64_t)query_needs_of(q).from * 2;
	p->until = query_needs_of(q).until < 0 ? UINT64_MAX : COUNTS + (uint64_t)query_needs_of(q).until * 2;
	free(module.data);
	return true;
}

static void close_probe(struct probe *p)
{
	if (p->base)
		munmap(p->base, SPACE);
	ward_schema_free(p->schema);
	ward_verdict_free(p->verdict);
	for (size_t t = 0; t < THREADS; t++)
		free(p->states[t]);
}

/* ---- calls ---- */

/* A function of the query's sites, which threads call; open calls of a thread. */
struct calls {
	char functions[SITES][128];
	size_t n_functions;
	struct event open[THREADS][DEPTH];
	size_t which[THREADS][DEPTH], depth[THREADS];
};

static size_t function_length(const char *site)
{
	const char *end = strstr(site, ":return");

	end = end ? end : strstr(site, ":throw");
	return end ? (size_t)(end - site) : strlen(site);
}

/* In the order of their names: the sites of a query's probes may have another one. */
static void find_functions(const struct probe *p, struct calls *c)
{
	for (size_t i = 0; i < p->n_sites; i++) {
		char name[128];
		size_t k = 0;

		snprintf(name, sizeof(name), "%.*s", (int)function_length(p->sites[i]), p->sites[i]);
		while (k < c->n_functions && strcmp(c->functions[k], name) < 0)
			k++;
		if (k < c->n_functions && strcmp(c->functions[k], name) == 0)
			continue;
		memmove(c->functions[k + 1], c->functions[k], (c->n_functions++ - k) * sizeof(name));
		memcpy(c->functions[k], name, sizeof(name));
	}
}

/* Probes at the same place run in the order of the probe's text. */
static void fire(const struct probe *p, const char *function, const char *end, const struct event *e, size_t thread)
{
	for (size_t i = 0; i < p->n_sites && e->time >= p->from && e->time < p->until; i++) {
		size_t n = function_length(p->sites[i]);

		if (strlen(function) == n && strncmp(p->sites[i], function, n) == 0 &&
			strcmp(p->sites[i] + n, end) == 0) {
			struct event own = *e;

			own.site = i;
			stack_now = own.caller;
			p->on_site[i](&own, p->states[thread]);
		}
	}
}

static void run(const struct probe *p)
{
	static struct calls c;
	uint64_t dice = first_state(7), now = COUNTS;

	c = (struct calls){0};
	find_functions(p, &c);
	for (int i = 0; i < EVENTS; i++) {
		size_t t = next_number(&dice) % THREADS, d = c.depth[t];
		struct numbers n = next_event(&dice);
		struct event e = {.ret = n.ret, .caller = 0x401000 + n.ret % 7 * 16, .tid = 41 + t, .cpu = n.ret % 2};

		now += 1 + next_number(&dice) % 4000000;
		e.time = now;
		if (d > 0 && (d == DEPTH || next_number(&dice) % 2)) {
			struct event *open = &c.open[t][--c.depth[t]];

			memcpy(e.arg, open->arg, sizeof(e.arg));
			e.sp = open->sp;
			e.elapsed = now - open->time;
			fire(p, c.functions[c.which[t][d - 1]], i % 16 ? ":return" : ":throw", &e, t);
			continue;
		}
		memcpy(e.arg, n.arg, sizeof(e.arg));
		e.sp = 0x7fff0000 + (t << 20) - 64 * d;
		c.which[t][d] = next_number(&dice) % c.n_functions;
		c.open[t][d] = e;
		c.depth[t]++;
		fire(p, c.functions[c.which[t][d]], "", &e, t);
	}
}

/* ---- rows ---- */

/* The name that a program prints for a site is its function's. */
static void print_value(FILE *out, const struct probe *p, const struct query_value *v)
{
	switch (v->kind) {
	case QUERY_NONE: fputs("-", out); return;
	case QUERY_REAL:
	case QUERY_DURATION: fprintf(out, "%.12g", v->real); return;
	case QUERY_TEXT: fprintf(out, "'%s'", v->text ? v->text : ""); return;
	case QUERY_SITE:
		fprintf(out, "'%.*s'", v->number < p->n_sites ? (int)function_length(p->sites[v->number]) : 0,
			p->sites[v->number % SITES]);
		return;
	case QUERY_BUCKETS:
		for (size_t i = 0; i < v->n; i++)
			fprintf(out, "[%" PRIu64 " %" PRIu64 ":%" PRIu64 "]", v->buckets[i].lo, v->buckets[i].hi,
				v->buckets[i].count);
		return;
	default: fprintf(out, v->kind == QUERY_SIGNED ? "%" PRId64 : "%" PRIu64, v->number);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Equal rows of events have no order: they are printed in that of the alphabet. */
static void print_sorted(FILE *out, char **lines, size_t n)
{
	if (n)
		qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

static char *row_text(const struct probe *p, const struct query_value *row, size_t n)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++) {
		fputs(i ? "|" : "", out);
		print_value(out, p, &row[i]);
	}
	fclose(out);
	return text;
}

static const struct query_session session = {.pid = 42, .process = "process", .machine = "machine"};

static void print_records(FILE *out, const struct query *q, const struct probe *p, const ward_snapshot *snapshot)
{
	char **lines = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		for (size_t k = 0; k < f->n && n < query_most_records(q) && strcmp(f->name, "rows") == 0; k++) {
			struct query_value members[MOST_COLUMNS] = {{0}}, row[MOST_COLUMNS];

			query_record_read(q, f, &f->records[k], members);
			query_record_row(q, &session, members, row);
			lines = realloc(lines, (n + 1) * sizeof(*lines));
			if (!lines)
				abort();
			lines[n++] = row_text(p, row, query_columns(q));
		}
	}
	print_sorted(out, lines, n);
}

/* Pairs that are rows. */
struct joined_rows {
	const struct query *q;
	const struct probe *p;
	char **lines;
	size_t n;
};

static void on_pair(void *user, const struct query_value *members)
{
	struct joined_rows *r = user;
	struct query_value row[MOST_COLUMNS];

	query_record_row(r->q, &session, members, row);
	r->lines = realloc(r->lines, (r->n + 1) * sizeof(*r->lines));
	if (!r->lines)
		abort();
	r->lines[r->n++] = row_text(r->p, row, query_columns(r->q));
}

/* What the reader joins is in the ring of all threads. */
static void join_records(const struct query *q, struct query_kept *kept, struct joined_rows *rows)
{
	struct query_join *join = query_join_open(q, on_pair, rows);
	struct query_joined joined;
	struct query_record record;

	for (size_t i = 0; i < ward_snapshot_fields(kept->snapshots[0]); i++) {
		const struct ward_field *f = ward_snapshot_field(kept->snapshots[0], i);

		for (size_t k = 0; k < f->n && strcmp(f->name, "rows") == 0; k++) {
			query_pair_read(f, &f->records[k], &record);
			if (!join || !query_join_add(join, &record))
				abort();
		}
	}
	if (!query_join_take(join, &session, true, &joined))
		abort();
	query_kept_join(kept, &joined);
	query_join_free(join);
}

static void print_rows(FILE *out, const struct query *q, const struct probe *p, struct query_kept *kept)
{
	struct joined_rows pairs = {q, p, NULL, 0};
	struct query_rows rows;

	if (query_is_joined(q)) {
		join_records(q, kept, &pairs);
		print_sorted(out, pairs.lines, pairs.n);
	}

	if (query_has_records(q)) {
		if (query_is_joined(q))
			return;
		for (size_t i = 0; i < kept->n_snapshots; i++)
			print_records(out, q, p, kept->snapshots[i]);
		return;
	}
	if (!query_rows_meet(q, kept->entries, kept->n, kept->other ? kept->other->entries : NULL,
		    kept->other ? kept->other->n : 0, &rows))
		abort();
	for (size_t i = 0; i < rows.n; i++) {
		char *text = row_text(p, &rows.values[i * rows.n_columns], rows.n_columns);

		fprintf(out, "%s\n", text);
		free(text);
	}
	query_rows_free(&rows);
}

/* What a query answers when these partials are added; malloc'd. */
static char *rows_of_parts(const struct query *q, const struct probe *p, ward_partial *const *partials, size_t n)
{
	struct query_part parts[MOST_CUTS];
	struct query_kept kept;
	struct ward_error err = {0};
	uint64_t left_out = 0;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < n; i++)
		parts[i] = (struct query_part){.who = &session, .schema = p->schema, .last = partials[i]};
	if (query_machine_take(q, p->schema, parts, n, &kept, &err) != WARD_OK) {
		printf("%s\n", err.why);
		abort();
	}
	print_rows(out, q, p, &kept);
	for (size_t i = 0; i < QUERY_DIVISIONS; i++)
		left_out += kept.left_out[i];
	fprintf(out, "left out: %" PRIu64 "\n", left_out);
	query_kept_free(&kept);
	fclose(out);
	return text;
}

/* What it answers when all states are added at once. */
static char *rows_at_once(const struct query *q, const struct probe *p)
{
	ward_partial *all = NULL;
	struct ward_error err = {0};
	char *text;

	if (ward_partial_merge(p->schema, NULL, (const void *const *)p->states, THREADS, p->verdict->module.state_size,
		    NULL, &all, &err) != WARD_OK) {
		printf("%s\n", err.why);
		abort();
	}
	text = rows_of_parts(q, p, &all, 1);
	ward_partial_free(all);
	return text;
}

/* NULL: its probe isn't accepted. */
static char *rows_of(const struct query *q)
{
	struct probe p;
	char *text;

	if (!open_probe(q, &p))
		return NULL;
	run(&p);
	text = rows_at_once(q, &p);
	close_probe(&p);
	return text;
}

/* ---- rewrites ---- */

static const unsigned rewrites[] = {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15};

static struct query *compile_text(const char *text, unsigned without)
{
	struct query_options options = {.without = without,
		.now = 1000000000000000000,
		.now_counts = COUNTS,
		.rate = 2000,
		.types = test_types,
		.use = test_use};
	struct query_error err;
	struct query *q = query_compile(text, strlen(text), &options, &err);

	if (!q)
		query_error_print("query", text, strlen(text), &err, stdout);
	return q;
}

/* The plan, but for what it says of rewrites. */
static char *plan_text(const struct query *q)
{
	char *text = NULL, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	query_explain(q, out);
	fclose(out);
	line = strstr(text, "rewrites ");
	if (line)
		memmove(line, line + strcspn(line, "\n"), strlen(line + strcspn(line, "\n")) + 1);
	return text;
}

/* changed: how many queries have other plans without this rewrite, and rows. */
static unsigned passed, failed, changed[32];

static bool has_rows(const char *rows)
{
	return strncmp(rows, "left out: ", 10) != 0;
}

static void check_query(const char *name, const char *text)
{
	struct query *all = compile_text(text, 0);
	char *right = NULL, *plan;

	if (!all || query_window_step(all)) { /* rows of windows depend on when they are read */
		query_free(all);
		return;
	}
	plan = plan_text(all);
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++) {
		struct query *q = compile_text(text, 1u << rewrites[i]);
		char *other = q ? plan_text(q) : NULL, *rows = NULL;

		if (other && strcmp(plan, other) != 0) {
			right = right ? right : rows_of(all);
			rows = rows_of(q);
			changed[rewrites[i]] += right && has_rows(right);
			if (rows && right && strcmp(rows, right) == 0) {
				passed++;
			} else {
				failed++;
				printf("FAILED: %s without R%u\nright: %.600s\nis:    %.600s\n", name, rewrites[i],
					right ? right : "(no probe)", rows ? rows : "(no probe)");
			}
		}
		failed += !q;
		free(other);
		free(rows);
		query_free(q);
	}
	free(right);
	free(plan);
	query_free(all);
}

/* ---- cuts ---- */

/* Rows of a query whose states are cut at random: they are always the same. */
static void check_cuts(const char *name, const struct query *q, unsigned rounds, uint64_t *dice)
{
	struct probe p;
	char *right = NULL;

	if (!open_probe(q, &p)) {
		failed++;
		printf("FAILED: %s: no probe\n", name);
		return;
	}
	run(&p);
	right = rows_at_once(q, &p);
	for (unsigned i = 0; i < rounds; i++) {
		ward_partial *parts[MOST_CUTS];
		size_t n = states_cut(p.schema, p.states, THREADS, p.verdict->module.state_size, dice, parts);
		char *rows = n ? rows_of_parts(q, &p, parts, n) : NULL;
		bool same = rows && strcmp(rows, right) == 0;

		passed += same;
		failed += !same;
		if (!same)
			printf("FAILED: %s, in %zu parts\nright: %.600s\nis:    %.600s\n", name, n, right,
				rows ? rows : "(none)");
		for (size_t k = 0; k < n; k++)
			ward_partial_free(parts[k]);
		free(rows);
	}
	free(right);
	close_probe(&p);
}

/* Records have no sum: readers put them in the order of time. Rows of windows depend on when they are read. */
static void check_merge(const char *name, const char *text, unsigned rounds, uint64_t *dice)
{
	struct query *q = compile_text(text, 0);

	failed += !q;
	if (q && !query_window_step(q) && !query_has_records(q) && !query_is_joined(q))
		check_cuts(name, q, rounds, dice);
	query_free(q);
}

static void each_rewrite_changed(void)
{
	for (size_t i = 0; i < sizeof(rewrites) / sizeof(rewrites[0]); i++)
		if (!changed[rewrites[i]]) {
			failed++;
			printf("FAILED: no query with rows changes without R%u\n", rewrites[i]);
		}
}

int main(int argc, char **argv)
{
	unsigned rounds = argc == 4 ? (unsigned)atoi(argv[2]) : 0;
	uint64_t dice = first_state(argc == 4 ? strtoull(argv[3], NULL, 10) : 0);
	char pattern[4096];
	glob_t found;

	if (argc != 2 && !rounds)
		return 2;
	snprintf(pattern, sizeof(pattern), "%s/*.wq", argv[1]);
	if (glob(pattern, 0, NULL, &found) != 0)
		return 2;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		static char text[QUERY_TEXT_MOST + 1];
		FILE *f = fopen(found.gl_pathv[i], "r");

		text[fread(text, 1, sizeof(text) - 1, f)] = 0;
		fclose(f);
		if (rounds)
			check_merge(strrchr(found.gl_pathv[i], '/') + 1, text, rounds, &dice);
		else
			check_query(strrchr(found.gl_pathv[i], '/') + 1, text);
		fflush(stdout);
	}
	globfree(&found);
	if (!rounds)
		each_rewrite_changed();
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0 || passed == 0;
}
