/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites by the names in their source: C++ and Rust functions, with or without parameters; and functions that the
 * compiler has copied into others.
 */
#include "helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1000 };

static char labels[4096], symbols[4096]; /* of sites that were told of, one a line */
static uint64_t address, inlined;        /* of the last */
static char reason[400];

static void see(void *user, const struct ward_site_report *r)
{
	size_t n = strlen(labels), k = strlen(symbols);

	(void)user;
	address = r->address;
	inlined = r->inlined;
	snprintf(reason, sizeof(reason), "%s", r->reason ? r->reason : "");
	snprintf(labels + n, sizeof(labels) - n, "%s\n", r->site);
	snprintf(symbols + k, sizeof(symbols) - k, "%s\n", r->symbol ? r->symbol : "-");
}

static struct target start(const char *program)
{
	char path[300], rounds[16];

	snprintf(path, sizeof(path), "%s/%s", SEPARATE, program);
	snprintf(rounds, sizeof(rounds), "%d", ROUNDS);
	labels[0] = symbols[0] = 0;
	return target_start(path, rounds, NULL);
}

static void finish(struct target *t)
{
	char out[16];

	target_go(t);
	cr_expect_eq(target_finish(t, out, sizeof(out)), 0);
}

/* What the pattern's functions are called, or the error. */
static const char *names_of(pid_t pid, const char *pattern)
{
	struct ward_error err;

	labels[0] = symbols[0] = 0;
	if (ward_list(pid, pattern, see, NULL, &err))
		snprintf(labels, sizeof(labels), "%s\n%s\n", err.why, err.hint);
	return labels;
}

static struct exact run(const char *program, const char *site)
{
	struct target t = start(program);
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .on_site = see};
	struct module m = module_read("exact");
	struct exact e = {0};
	ward_session *s;
	struct ward_error err;

	cr_assert_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), 0, "%s: %s", site, err.why);
	free(m.data);
	finish(&t);
	e = exact_sum(s);
	ward_session_free(s);
	return e;
}

Test(names, with_parameters_and_without)
{
	struct target t = start("names");
	const char *said;

	cr_expect_str_eq(
		names_of(t.pid, "names!shop::price::times(long) const"), "names!shop::price::times(long) const\n");
	cr_expect_str_eq(symbols, "_ZNK4shop5price5timesEl\n");
	names_of(t.pid, "names!shop::price::times");
	cr_expect(strstr(labels, "names!shop::price::times(long) const\n"), "%s", labels);
	cr_expect(strstr(labels, "names!shop::price::times(char const*) const\n"), "%s", labels);
	cr_expect_eq(strlen(labels),
		strlen("names!shop::price::times(long) const\nnames!shop::price::times(char const*) const\n"), "%s",
		labels);
	cr_expect_str_eq(names_of(t.pid, "names!_ZNK4shop5price5timesEl"), "names!shop::price::times(long) const\n",
		"symbols go on being names");
	cr_expect_str_eq(names_of(t.pid, "names!plain"), "names!plain\n");
	cr_expect_str_eq(symbols, "-\n");
	cr_expect_str_eq(names_of(t.pid, "names!shop::price::price"), "names!shop::price::price(long)\n",
		"two symbols of one function");
	cr_expect_str_eq(names_of(t.pid, "names!shop::price::operator()"), "names!shop::price::operator()(long) &\n");
	cr_expect_str_eq(names_of(t.pid, "names!shop::apply"), "names!shop::apply(long, long (*)(long))\n");
	cr_expect_str_eq(
		names_of(t.pid, "names!(anonymous namespace)::hidden"), "names!(anonymous namespace)::hidden(long)\n");
	cr_expect_str_eq(names_of(t.pid, "names!shop::largest<unsigned>"),
		"no function matches `shop::largest<unsigned>` in `names`\ndid you mean names!shop::largest<unsigned "
		"int>(unsigned int, unsigned int)?\n");
	cr_expect_str_eq(names_of(t.pid, "names!shop::price::tines"),
		"no function matches `shop::price::tines` in `names`\ndid "
		"you mean names!shop::price::times(long) const?\n");
	said = names_of(t.pid, "libc.so.6!wriet");
	cr_expect(strstr(said, "\ndid you mean libc.so.6!write?\n"), "%s", said);
	finish(&t);
}

/* Blanks don't count, and characters of globs do if they are the name's own. */
Test(names, patterns)
{
	struct target t = start("names");

	cr_expect_str_eq(
		names_of(t.pid, "names!shop::largest<long>(long,long)"), "names!shop::largest<long>(long, long)\n");
	cr_expect_str_eq(names_of(t.pid, "names!shop::price::times( char const * )const"),
		"names!shop::price::times(char const*) const\n");
	cr_expect_str_eq(names_of(t.pid, "names!shop::operator*"),
		"names!shop::operator*(shop::price const&, shop::price const&)\n");
	names_of(t.pid, "names!shop::operator?");
	cr_expect(strstr(labels, "shop::operator*("), "%s", labels);
	cr_expect(strstr(labels, "shop::operator+("), "%s", labels);
	names_of(t.pid, "names!shop::largest<*");
	cr_expect(strstr(labels, "largest<long>(long, long)\n"), "%s", labels);
	cr_expect(strstr(labels, "largest<unsigned int>(unsigned int, unsigned int)\n"), "%s", labels);
	finish(&t);
}

/* What is counted is the function meant, at both of its ends. */
Test(names, count)
{
	struct exact e = run("names", "names!shop::price::times(long) const:entry");

	cr_expect_eq(e.calls, ROUNDS);
	cr_expect_eq(e.sum1, (uint64_t)ROUNDS * (ROUNDS - 1) / 2, "the object is the first argument");
	e = run("names", "names!shop::price::times");
	cr_expect_eq(e.calls, 2 * ROUNDS);
	e = run("names", "names!(anonymous namespace)::hidden(long):return");
	cr_expect_eq(e.calls, ROUNDS);
	cr_expect_eq(e.sum0, (uint64_t)ROUNDS * (ROUNDS - 1) / 2);
	cr_expect_str_eq(labels, "names!(anonymous namespace)::hidden(long):return\n");
	e = run("names-rs", "names-rs!names::shop::order");
	cr_expect_eq(e.calls, ROUNDS);
	cr_expect_eq(e.sum0, (uint64_t)ROUNDS * (ROUNDS - 1) / 2);
	cr_expect_str_eq(labels, "names-rs!names::shop::order\n");
	cr_expect_eq(strncmp(symbols, "_ZN5names4shop5order17h", 23), 0, "%s", symbols);
}

/* An address is called by the same name; what is cut is the name, not the place in it. */
Test(names, of_addresses)
{
	struct target t = start("names");
	ward_names *names = NULL;
	char text[200], cut[40];

	cr_expect_str_eq(names_of(t.pid, "names!shop::apply"), "names!shop::apply(long, long (*)(long))\n");
	cr_assert_eq(ward_names_open(t.pid, &names, NULL), 0);
	cr_expect(ward_names_find(names, address, text, sizeof(text)));
	cr_expect_str_eq(text, "names!shop::apply(long, long (*)(long))");
	cr_expect(ward_names_find(names, address + 1, text, sizeof(text)));
	cr_expect_str_eq(text, "names!shop::apply(long, long (*)(long))+0x1");
	cr_expect(ward_names_find(names, address + 1, cut, sizeof(cut)));
	cr_expect(strncmp(cut, "names!shop::", 12) == 0 && strstr(cut, "...[0x") && strstr(cut, "]+0x1"), "%s", cut);
	ward_names_close(names);
	finish(&t);
}

/* How often debug information says that the function was inlined, wherever it stands and whatever refers to what. */
Test(names, inlined)
{
	static const char *const programs[] = {"inlined", "inlined-lto", "inlined-stripped"};

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct target t = start(programs[i]);

		names_of(t.pid, "inlined*!shop::box::twice");
		cr_expect(strstr(labels, "!shop::box::twice(long) const\n"), "%s", labels);
		cr_expect_eq(inlined, 3, "%s: %lu", programs[i], inlined);
		cr_expect(strstr(reason, "inlined"), "%s", reason);
		names_of(t.pid, "inlined*!shop::half(long)");
		cr_expect(strstr(labels, "!shop::half(long)\n"), "%s", labels);
		cr_expect_eq(inlined, 2, "%s: %lu", programs[i], inlined);
		cr_expect_str_eq(reason, "", "it is there as well");
		names_of(t.pid, "inlined*!inner");
		cr_expect_eq(inlined, 2, "%s: %lu", programs[i], inlined);
		names_of(t.pid, "inlined*!outer:return");
		cr_expect_eq(inlined, 2, "%s: %lu", programs[i], inlined);
		cr_expect(strstr(labels, "!outer:return\n"), "%s", labels);
		names_of(t.pid, "inlined*!first");
		cr_expect_eq(inlined, 0, "%s: %lu", programs[i], inlined);
		cr_expect_str_eq(reason, "");
		cr_expect_str_neq(names_of(t.pid, "inlined*!third"), "");
		cr_expect_null(strstr(labels, "inlined, "), "%s", labels);
		finish(&t);
	}
}

/* A probe of what is inlined everywhere is refused for that; one of what is there, too, sees the calls of that. */
Test(names, inlined_and_attached)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = "inlined!inner", .on_site = see};
	struct target t = start("inlined");
	struct module m = module_read("exact");
	struct ward_error err;
	ward_session *s;
	struct exact e;

	cr_expect_eq(ward_attach(t.pid, m.data, m.size, &options, &s, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "it was inlined, 2 times, and nothing is left of it to be probed");
	cr_expect_str_eq(err.what, "inlined!inner");
	free(m.data);
	finish(&t);
	e = run("inlined", "inlined!shop::half");
	cr_expect_eq(e.calls, ROUNDS);
	cr_expect_eq(inlined, 2);
}

/* Without debug information nothing is said. */
Test(names, not_known_to_be_inlined)
{
	struct target t = start("inlined-plain");

	names_of(t.pid, "inlined-plain!shop::half");
	cr_expect_eq(inlined, 0);
	cr_expect_str_eq(reason, "");
	finish(&t);
}
