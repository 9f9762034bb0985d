/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's configuration: what is right is read, what isn't is an error at its line and column. */
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/agent/config.h"
#include "cluster/agent/glob.h"

#define KEY "RWQ/3HU4eHyphCDnr6xlXn6Deo5WuxwE9ym874O32YKSDK+W+ykRuR8I"
#define OTHER "RWQ/3HU4eHyphAAAr6xlXn6Deo5WuxwE9ym874O32YKSDK+W+ykRuR8I"
#define BUS "[bus]\nurl = tls://bus1.example:4222\ncluster = test\n"

static struct ward_error err;

static struct agent_config *read_text(const char *text)
{
	struct agent_config *c = NULL;
	agent_config_read("agent.conf", text, strlen(text), &c, &err);
	return c;
}

static const char whole[] = "# who may do what\n"
			    "\n"
			    "[bus]\n"
			    "url = tls://bus1.example:4222\n"
			    "url = tls://bus2.example:4222   # the other one\n"
			    "ca = /etc/ward/bus-ca.pem\n"
			    "\tcluster\t=\tproduction # Aufträge für andere werden abgelehnt\n"
			    "[machine]\n"
			    "labels = role=web  rack=b3\n"
			    "name = Web1.example.net\n"
			    "[coordinator alice]   # any number of them\n"
			    "key = " KEY "\n"
			    "may = user kernel take-over\n"
			    "sites = libc.so.6!*  nginx!*\n"
			    "sites = kernel:sched:*\n"
			    "not-sites = libc.so.6!*crypt*\n"
			    "processes = unit=nginx.service  exe=/usr/bin/x\n"
			    "not-processes = user=root\n"
			    "imports = ward_clock\n"
			    "results = text\n"
			    "modules = any\n"
			    "[coordinator bob]\n"
			    "key = " OTHER "\n"
			    "[reviewer security]\n"
			    "key = " KEY "\n"
			    "[limits]\n"
			    "queries = 7\noverhead = 5%\nsites = 10\nprocesses = 11\nmax-insns = 12\nstate = "
			    "2M\nduration = 2h\nlease = 3m\n"
			    "partial = 8K\nstops = 6/min\npause = 5ms\ncpu = 30%\nmemory = 32M\n"
			    "[kernel]\n"
			    "allow = yes";

Test(config, whole)
{
	struct agent_config *c = read_text(whole);

	cr_assert_not_null(c, "%s: %s", err.what, err.why);
	cr_expect_eq(c->urls.n, 2);
	cr_expect_str_eq(c->urls.at[1], "tls://bus2.example:4222");
	cr_expect_str_eq(c->ca, "/etc/ward/bus-ca.pem");
	cr_expect_str_eq(c->cluster, "production");
	cr_expect_str_eq(c->name, "Web1.example.net");
	cr_expect(c->labels.n == 2 && strcmp(c->labels.at[1], "rack=b3") == 0);
	cr_assert_eq(c->n_coordinators, 2);
	struct agent_coordinator *a = &c->coordinators[0], *b = &c->coordinators[1];
	cr_expect_str_eq(a->name, "alice");
	cr_expect_eq(a->may, AGENT_MAY_USER | AGENT_MAY_KERNEL | AGENT_MAY_TAKE_OVER);
	cr_expect(a->sites.n == 3 && strcmp(a->sites.at[2], "kernel:sched:*") == 0);
	cr_expect(a->not_sites.n == 1 && a->processes.n == 2 && a->not_processes.n == 1 && a->imports.n == 1);
	cr_expect(a->results == AGENT_TEXT && a->modules == AGENT_ANY);
	/* what isn't said isn't allowed */
	cr_expect(!b->may && !b->sites.n && !b->processes.n && !b->imports.n);
	cr_expect(b->results == AGENT_NUMBERS && b->modules == AGENT_SIGNED);
	cr_expect_eq(c->n_reviewers, 1);
	const struct agent_limits *l = &c->limits;
	cr_expect(l->queries == 7 && l->overhead_ppm == 50000 && l->sites == 10 && l->processes == 11);
	cr_expect(l->max_insns == 12 && l->state == 2 << 20 && l->duration_ns == 7200000000000);
	cr_expect(l->lease_ns == 180000000000 && l->partial == 8192 && l->stops == 6 && l->pause_ns == 5000000);
	cr_expect(l->cpu_ppm == 300000 && l->memory == 32 << 20);
	cr_expect(c->kernel);
	cr_expect_eq(agent_config_coordinator(c, a->key.key), a);
	cr_expect_null(agent_config_coordinator(c, (const uint8_t[CLUSTER_KEY]){0}));
	agent_config_free(c);
}

Test(config, defaults)
{
	struct agent_config *c = read_text(BUS);

	cr_assert_not_null(c, "%s: %s", err.what, err.why);
	cr_expect(!c->n_coordinators && !c->kernel && c->limits.queries == 4 && c->limits.overhead_ppm == 20000);
	agent_config_free(c);
}

/* The file that is installed: each example of it is right, and what it says holds without it does. */
Test(config, installed)
{
	static char text[1 << 14];
	struct agent_config *plain = read_text(BUS), *c;
	FILE *f = fopen(SOURCES "/packaging/agent/agent.conf", "re");
	char line[256];
	size_t n = 0;

	cr_assert(f && plain);
	while (fgets(line, sizeof(line), f)) /* "#key = value" and "#[section]" are examples, "# words" are not */
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s", line + (line[0] == '#' && line[1] != ' '));
	fclose(f);
	/* one key for both sections would be an error of its own */
	memcpy(strstr(strstr(text, "[reviewer"), "key = ") + 6, OTHER, strlen(OTHER));
	c = read_text(text);
	cr_assert_not_null(c, "%s: %s", err.what, err.why);
	cr_expect_eq(memcmp(&c->limits, &plain->limits, sizeof(c->limits)), 0);
	cr_expect_eq(c->kernel, plain->kernel);
	cr_expect_eq(c->coordinators[0].results, AGENT_NUMBERS);
	cr_expect_eq(c->coordinators[0].modules, AGENT_SIGNED);
	agent_config_free(c);
	agent_config_free(plain);
}

/* An error, where, and a part of what is said. */
static const struct {
	const char *text, *place, *why;
} wrong[] = {
	{"", "agent.conf:1:1", "no section [bus]"},
	{"url = x\n", "agent.conf:1:1", "no [section] above"},
	{"[bus]\ncluster = c\n", "agent.conf:1:1", "has no url"},
	{"[bus]\nurl = tls://a:1\n", "agent.conf:1:1", "has no cluster"},
	{"[bus]\nurl = nats://a:1\n", "agent.conf:2:7", "tls://"},
	{BUS "colour = red\n", "agent.conf:4:1", "no key \"colour\""},
	{BUS "  cluster = d\n", "agent.conf:4:3", "cluster is there twice"},
	{BUS "cluster\n", "agent.conf:4:1", "no key = value"},
	{BUS "ca =\n", "agent.conf:4:5", "ca has no value"},
	{BUS "ca =   # none\n", "agent.conf:4:5", "ca has no value"},
	{BUS "ca = a b\n", "agent.conf:4:7", "one word"},
	{BUS "= a\n", "agent.conf:4:1", "no key = value"},
	{BUS "[bus]\n", "agent.conf:4:2", "section bus is there twice"},
	{BUS "[colours]\n", "agent.conf:4:2", "no section \"colours\""},
	{BUS "[kernel\n", "agent.conf:4:8", "a ] is missing"},
	{BUS "[kernel] x\n", "agent.conf:4:11", "a ] is missing"},
	{BUS "[kernel now]\n", "agent.conf:4:9", "other sections have none"},
	{BUS "[coordinator]\n", "agent.conf:4:13", "have a name"},
	{BUS "[coordinator a b]\n", "agent.conf:4:14", "have a name of one word"},
	{BUS "[coordinator alice]\n", "agent.conf:4:1", "has no key"},
	{BUS "[coordinator alice]\nmay = user\n[kernel]\n", "agent.conf:4:1", "has no key"},
	{BUS "[coordinator alice]\nkey = RWQ\n", "agent.conf:5:7", "no key as minisign"},
	{BUS "[coordinator a]\nkey = " KEY "\n[coordinator a]\n", "agent.conf:6:1", "coordinator a is there twice"},
	{BUS "[coordinator a]\nkey = " KEY "\n[coordinator b]\nkey = " KEY "\n", "agent.conf:8:1", "key of another"},
	{BUS "[coordinator a]\nkey = " KEY "\nmay = user fly\n", "agent.conf:6:12", "user, kernel and take-over"},
	{BUS "[coordinator a]\nkey = " KEY "\nresults = all\n", "agent.conf:6:11", "numbers, keys"},
	{BUS "[coordinator a]\nkey = " KEY "\nmodules = none\n", "agent.conf:6:11", "signed or any"},
	{BUS "[coordinator a]\nkey = " KEY "\nresults = text\nresults = text\n", "agent.conf:7:1", "there twice"},
	{BUS "[coordinator a]\nkey = " KEY "\nprocesses = exe=/x nginx\n", "agent.conf:6:20", "no condition"},
	{BUS "[coordinator a]\nkey = " KEY "\nnot-processes = pid=x\n", "agent.conf:6:17", "no condition"},
	{BUS "[machine]\nlabels = role=web web\n", "agent.conf:5:19", "KEY=VALUE"},
	{BUS "[machine]\nname = a_b\n", "agent.conf:5:8", "a machine's name"},
	{BUS "[limits]\nqueries = many\n", "agent.conf:5:11", "a whole number"},
	{BUS "[limits]\nqueries = -1\n", "agent.conf:5:11", "a whole number"},
	{BUS "[limits]\nqueries = 99999999999999999999\n", "agent.conf:5:11", "too large"},
	{BUS "[limits]\nstate = 9999999999999G\n", "agent.conf:5:9", "too large"},
	{BUS "[limits]\nstate = 64k\n", "agent.conf:5:9", "number of bytes"},
	{BUS "[limits]\noverhead = 2\n", "agent.conf:5:12", "whole percent"},
	{BUS "[limits]\noverhead = 101%\n", "agent.conf:5:12", "more than 100%"},
	{BUS "[limits]\nduration = 10\n", "agent.conf:5:12", "a time"},
	{BUS "[limits]\nstops = 20\n", "agent.conf:5:9", "a rate"},
	{BUS "[kernel]\nallow = maybe\n", "agent.conf:5:9", "yes or no"},
	{BUS "ca = \x01\n", "agent.conf:4:6", "printable ASCII"},
	{BUS "ca = \xc3\xa4\n", "agent.conf:4:6", "printable ASCII"},
	{BUS "ca = x\r\n", "agent.conf:4:7", "printable ASCII"},
};

Test(config, wrong)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct agent_config *c = read_text(wrong[i].text);
		cr_expect_null(c, "%s", wrong[i].text);
		cr_expect(strcmp(err.what, wrong[i].place) == 0 && strstr(err.why, wrong[i].why) &&
				  strstr(err.why, "C-63"),
			"%s\nis said to be: %s: %s\nshould be: %s: %s", wrong[i].text, err.what, err.why,
			wrong[i].place, wrong[i].why);
		agent_config_free(c);
	}
}

/* A line that is too long is an error, and its end is no line of its own. */
Test(config, long_lines)
{
	enum { LONG = 4096 };
	char text[LONG + 200], value[LONG];

	memset(value, 'b', sizeof(value));
	snprintf(text, sizeof(text), BUS "ca = %.*s\n", LONG - 5, value);
	struct agent_config *c = read_text(text);
	cr_expect(c && strlen(c->ca) == LONG - 5, "%s", err.why);
	agent_config_free(c);
	snprintf(text, sizeof(text), BUS "ca = %.*s\n", LONG - 4, value);
	cr_expect_null(read_text(text));
	cr_expect_str_eq(err.what, "agent.conf:4:4097");
	cr_expect(strstr(err.why, "longer than 4096"));

	struct agent_config *zero = NULL;
	agent_config_read("agent.conf", BUS "ca = a\0b\n", sizeof(BUS "ca = a\0b\n") - 1, &zero, &err);
	cr_expect_null(zero);
	cr_expect(strcmp(err.what, "agent.conf:4:7") == 0 && strstr(err.why, "zero byte"), "%s: %s", err.what, err.why);
}

Test(config, files)
{
	char path[] = "/tmp/ward-conf-XXXXXX";
	int fd = mkstemp(path);
	struct agent_config *c = NULL;

	cr_assert(fd >= 0 && write(fd, BUS, strlen(BUS)) == (ssize_t)strlen(BUS));
	cr_expect(agent_config_load(path, &c, &err), "%s", err.why);
	agent_config_free(c);
	chmod(path, 0620);
	cr_expect(!agent_config_load(path, &c, &err) && strstr(err.why, "others than root can write it"));
	chmod(path, 0602);
	cr_expect(!agent_config_load(path, &c, &err) && strstr(err.why, "others than root can write it"));
	chmod(path, 0600);
	if (geteuid() == 0) {
		cr_assert_eq(chown(path, 1, 1), 0);
		cr_expect(!agent_config_load(path, &c, &err) && strstr(err.why, "others than root can write it"));
	}
	unlink(path);
	cr_expect(!agent_config_load(path, &c, &err) && strstr(err.why, "No such file"));
	cr_expect(!agent_config_load("/tmp", &c, &err));
	close(fd);
}

/* ---- patterns, against fnmatch and all short texts ---- */

enum { LETTERS = 3, LONGEST = 5, TEXTS = 364 };
static char texts[TEXTS][LONGEST + 1];

static void texts_make(void)
{
	size_t n = 0;

	for (int length = 0, all = 1; length <= LONGEST; length++, all *= LETTERS)
		for (int x = 0; x < all; x++, n++)
			for (int i = 0, y = x; i < length; i++, y /= LETTERS)
				texts[n][i] = "abc"[y % LETTERS];
}

static void draw_glob(char *glob)
{
	int n = rand() % 6;

	for (int i = 0; i < n; i++)
		glob[i] = "aabb**?"[rand() % 7];
	glob[n] = 0;
}

Test(glob, random)
{
	size_t covered = 0, met = 0;
	char a[8], b[8];

	texts_make();
	srand(1);
	for (int i = 0; i < 20000; i++) {
		bool covers, meets, all = true, any = false;
		draw_glob(a);
		draw_glob(b);
		for (int t = 0; t < TEXTS; t++) {
			bool is_a = fnmatch(a, texts[t], 0) == 0, is_b = fnmatch(b, texts[t], 0) == 0;
			all &= is_a || !is_b;
			any |= is_a && is_b;
		}
		covers = agent_glob_covers(a, b);
		meets = agent_glob_meets(a, b);
		cr_assert(!covers || all, "%s is said to cover %s", a, b);
		cr_assert(meets || !any, "%s is said not to meet %s", a, b);
		covered += covers;
		met += meets;
	}
	cr_expect(covered > 1000 && met > 1000 && met < 19000, "%zu cover, %zu meet", covered, met);
}

Test(glob, forms)
{
	cr_expect(agent_glob_covers("libc.so.6!*", "libc.so.6!str*"));
	cr_expect(agent_glob_covers("a?c", "abc"));
	cr_expect_not(agent_glob_covers("a?c", "a*c"));
	cr_expect_not(agent_glob_covers("abc", "a?c"));
	cr_expect(agent_glob_covers("a*", "a[bc]"));
	cr_expect_not(agent_glob_covers("a[bc]", "a*"));
	cr_expect(agent_glob_covers("a\\*", "a\\*"));
	cr_expect_not(agent_glob_covers("a\\*", "ab"));
	cr_expect(agent_glob_meets("a[bc]d", "abd"));
	cr_expect_not(agent_glob_meets("a[bc]d", "abe"));
	cr_expect(agent_glob_meets("*crypt*", "des_*"));
	cr_expect_not(agent_glob_meets("a[bc]", "a"));
	cr_expect(agent_glob_meets("a[", "a["));
}
