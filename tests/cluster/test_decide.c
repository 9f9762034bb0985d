/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders as a machine gets them, without any bus: bytes in, a decision out. Each way to be refused has its own
 * reason, and for each key of the configuration there is an order that it forbids and one that it allows.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/agent/audit.h"
#include "cluster/agent/epoch.h"
#include "cluster/agent/modules.h"
#include "cluster/agent/order.h"
#include "cluster/agent/policy.h"
#include "cluster/agent/seen.h"
#include "cluster/base/build_id.h"
#include "orders.h"

#define SECOND 1000000000ull
#define MODULE(name) made_file(MODULES "/" name ".ward")

static const uint64_t now_at = 1700000000 * SECOND;
static struct cluster_secret alice, bob, mallory;
static struct ward_error err;
static struct made_order order;
static char folder[] = "/tmp/ward-decide-XXXXXX";
static struct agent_seen *seen;

/* What alice may in most tests; a later line of a section replaces nothing, so tests write what they change. */
static const char usual[] = "may = user\nsites = libc.so.6!*\nprocesses = exe=*\nresults = keys\nmodules = any\n";

static struct agent_config *config_with(const char *of_alice, const char *more)
{
	char text[8192], key[CLUSTER_KEY_TEXT], other[CLUSTER_KEY_TEXT];
	struct agent_config *c = NULL;

	cluster_key_print(&alice.key, key);
	cluster_key_print(&bob.key, other);
	snprintf(text, sizeof(text),
		"[bus]\nurl = tls://a:1\ncluster = test\n[coordinator alice]\nkey = %s\n%s\n"
		"[coordinator bob]\nkey = %s\nmay = take-over\n%s\n",
		key, of_alice, other, more);
	cr_assert(agent_config_read("agent.conf", text, strlen(text), &c, &err), "%s: %s", err.what, err.why);
	return c;
}

static const char *const labels[] = {"role=web"};
static const struct agent_here here = {.machine = {"web1.example", labels, 1}, .kernel = {1, 2, 3}, .n_kernel = 3};

static void begin(void)
{
	cr_assert(cluster_secret_make(&alice, &err) && cluster_secret_make(&bob, &err) &&
		  cluster_secret_make(&mallory, &err));
	cr_assert(mkdtemp(folder));
	cr_assert(agent_seen_open(folder, now_at, &seen, &err), "%s", err.why);
}

static void end(void)
{
	char command[128];
	agent_seen_close(seen);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	cr_expect_eq(system(command), 0);
}

static void order_usual(void)
{
	made_order(&order, MODULE("count"), now_at);
	made_site(&order, "libc.so.6!read");
	made_process(&order, "exe=/usr/bin/x");
}

/* The decision over these bytes: accepted (NULL), or refused with a reason that has both texts. */
static void expect_bytes(
	const struct agent_config *c, const void *bytes, size_t n, uint64_t at, const char *rule, const char *why)
{
	struct agent_order *o = NULL;
	enum agent_verdict v = agent_order_decide(c, &here, seen, bytes, n, at, false, &o, &err);

	if (!rule)
		cr_expect_eq(v, AGENT_ACCEPTED, "%s: %s", err.what, err.why);
	else
		cr_expect(v == AGENT_REFUSED && strstr(err.why, rule) && strstr(err.why, why),
			"should be %s, %s; is %d, %s: %s", rule, why, v, err.what, err.why);
	agent_order_free(o);
}

static void expect_by(const struct agent_config *c, const struct cluster_secret *key, const char *rule, const char *why)
{
	size_t n;
	void *bytes = made_bytes(&order, key, &n);

	expect_bytes(c, bytes, n, now_at, rule, why);
	free(bytes);
}

static void expect(const struct agent_config *c, const char *rule, const char *why)
{
	expect_by(c, &alice, rule, why);
}

/* ---- who says it: an order with anything wrong attaches nothing ---- */

Test(decide, forged, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	struct agent_order *o;
	size_t n;

	order_usual();
	expect(c, NULL, NULL);
	expect_by(c, &mallory, "C-42", "no coordinator's");

	/* whichever byte is changed, and however */
	uint8_t *bytes = made_bytes(&order, &alice, &n);
	for (size_t i = 0; i < n; i++) {
		for (int with = 1; with < 256; with = with * 3 + 1) {
			bytes[i] ^= (uint8_t)with;
			cr_assert_eq(agent_order_decide(c, &here, seen, bytes, n, now_at, false, &o, &err),
				AGENT_REFUSED, "byte %zu", i);
			cr_assert(err.why[0]);
			agent_order_free(o);
			bytes[i] ^= (uint8_t)with;
		}
	}
	for (size_t cut = 0; cut < n; cut += cut < 200 ? 1 : 97) {
		cr_assert_eq(agent_order_decide(c, &here, seen, bytes, cut, now_at, false, &o, &err), AGENT_REFUSED);
		agent_order_free(o);
	}
	expect_bytes(c, bytes, n, now_at, NULL, NULL);
	free(bytes);

	/* signed, but as a cancel */
	bytes = cluster_sign(&alice, WARD__CLUSTER__SIGNED__KIND__CANCEL, &order.order.base, &n);
	expect_bytes(c, bytes, n, now_at, "C-35", "signed as something else");
	free(bytes);
	/* unsigned: alice's key, and mallory's signature */
	struct cluster_secret mixed = mallory;
	mixed.key = alice.key;
	expect_by(c, &mixed, "C-35", "signature isn't that of its key");
	agent_config_free(c);
}

Test(decide, due, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	size_t n;

	order_usual();
	void *bytes = made_bytes(&order, &alice, &n);
	expect_bytes(c, bytes, n, now_at + 3600 * SECOND, NULL, NULL);
	expect_bytes(c, bytes, n, now_at + 3601 * SECOND, "C-44", "valid until 1 s ago");
	expect_bytes(c, bytes, n, now_at - 300 * SECOND, NULL, NULL);
	expect_bytes(c, bytes, n, now_at - 302 * SECOND, "C-44", "in the future");
	free(bytes);
	order.order.cluster = made_text("other");
	expect(c, "C-43", "for another cluster than test");
	order_usual();
	order.order.not_after_at = now_at + 86401 * SECOND;
	expect(c, "C-41", "at most a day");
	agent_config_free(c);
}

/* Taken once, whatever happens to the agent in between. */
Test(decide, replayed, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	static const struct {
		enum agent_fate fate;
		const char *why;
	} fates[] = {{AGENT_RUNS, "taken before"}, {AGENT_ENDED, "has ended here"}, {AGENT_FAILED, "worker fail"}};
	struct agent_order *o;
	size_t n;

	for (size_t i = 0; i < 3; i++) {
		order_usual();
		void *bytes = made_bytes(&order, &alice, &n);
		expect_bytes(c, bytes, n, now_at, NULL, NULL);
		cr_assert(agent_seen_put(seen, order.id, order.order.not_after_at, fates[i].fate, now_at, &err));
		expect_bytes(c, bytes, n, now_at, "C-47", fates[i].why);
		/* the agent is started again */
		agent_seen_close(seen);
		cr_assert(agent_seen_open(folder, now_at, &seen, &err), "%s", err.why);
		expect_bytes(c, bytes, n, now_at, "C-47", fates[i].why);
		/* one that ran then goes on, and no other */
		enum agent_verdict again = agent_order_decide(c, &here, seen, bytes, n, now_at, true, &o, &err);
		cr_expect_eq(again, fates[i].fate == AGENT_RUNS ? AGENT_ACCEPTED : AGENT_REFUSED);
		agent_order_free(o);
		/* when its memory is over, the order is, too */
		cr_assert(agent_seen_put(seen, order.id, order.order.not_after_at, AGENT_ENDED, now_at, &err));
		agent_seen_close(seen);
		cr_assert(agent_seen_open(folder, order.order.not_after_at + 1, &seen, &err));
		cr_expect_eq(agent_seen_find(seen, order.id), AGENT_NEW);
		expect_bytes(c, bytes, n, order.order.not_after_at + 1, "C-44", "valid until");
		free(bytes);
	}
	agent_config_free(c);
}

Test(decide, rate)
{
	struct agent_rate rate = {0};

	for (int i = 0; i < AGENT_ORDERS_A_MINUTE; i++)
		cr_expect(agent_rate_take(&rate, (uint64_t)(i + 1) * SECOND));
	cr_expect_not(agent_rate_take(&rate, 30 * SECOND));
	cr_expect(agent_rate_take(&rate, 61 * SECOND));
	cr_expect_not(agent_rate_take(&rate, 61 * SECOND));
}

Test(decide, not_meant, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	struct agent_order *o;
	size_t n;
	static const struct {
		const char *selector;
		enum agent_verdict verdict;
	} cases[] = {{"role=web", AGENT_ACCEPTED}, {"role=db", AGENT_NOT_MEANT}, {"web1.*", AGENT_ACCEPTED}};

	for (size_t i = 0; i < 3; i++) {
		order_usual();
		order.choice.has_selector = true;
		order.choice.selector = made_text(cases[i].selector);
		void *bytes = made_bytes(&order, &alice, &n);
		cr_expect_eq(agent_order_decide(c, &here, seen, bytes, n, now_at, false, &o, &err), cases[i].verdict,
			"%s", err.why);
		agent_order_free(o);
		free(bytes);
	}
	agent_config_free(c);
}

/* ---- what it may ---- */

/* The order is allowed with the one, and refused with the other. */
static void expect_both(const char *allows, const char *forbids, const char *rule, const char *why)
{
	struct agent_config *yes = config_with(allows, ""), *no = config_with(forbids, "");

	expect(yes, NULL, NULL);
	expect(no, rule, why);
	agent_config_free(yes);
	agent_config_free(no);
}

#define REST "processes = exe=*\nresults = keys\nmodules = any\n"

Test(policy, may_and_kernel, .init = begin, .fini = end)
{
	struct agent_config *c;

	order_usual();
	expect_both(usual, "sites = libc.so.6!*\n" REST, "C-50", "alice may not probe processes");

	made_order(&order, MODULE("kernel"), now_at);
	order.unit[0]->kernel = true;
	made_site(&order, "kernel:sched:sched_switch");
	static const char kernel[] = "may = kernel\nsites = kernel:sched:*\n" REST;
	c = config_with(kernel, "[kernel]\nallow = yes\n");
	expect(c, NULL, NULL);
	agent_config_free(c);
	c = config_with(kernel, "[kernel]\nallow = no\n");
	expect(c, "C-58", "doesn't allow probes of the kernel");
	agent_config_free(c);
	c = config_with("may = user\nsites = kernel:sched:*\n" REST, "[kernel]\nallow = yes\n");
	expect(c, "C-50", "may not probe the kernel");
	agent_config_free(c);
}

Test(policy, take_over, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");

	cr_expect(agent_policy_take_over(c, alice.key.key, alice.key.key), "a query is its issuer's");
	cr_expect(agent_policy_take_over(c, bob.key.key, alice.key.key), "bob may take over");
	cr_expect_not(agent_policy_take_over(c, alice.key.key, bob.key.key), "alice may not");
	cr_expect_not(agent_policy_take_over(c, mallory.key.key, alice.key.key));
	agent_config_free(c);
}

static const struct {
	const char *site, *sites, *not_sites;
	const char *rule; /* NULL: allowed */
} sites[] = {
	{"libc.so.6!read", "libc.so.6!*", "x!y", NULL},
	{"libc.so.6!read", "libc.so.6!read", "x!y", NULL},
	{"libc.so.6!read", "libc.so.6!write", "x!y", "C-51"},
	{"libc.so.6!read", "libssl.so.3!*", "x!y", "C-51"},
	{"libc.so.6!read:return", "libc.so.6!read", "x!y", NULL},
	{"libc.so.6!read+0x10", "libc.so.6!read", "x!y", NULL},
	{"libc.so.6!str*", "libc.so.6!*", "x!y", NULL},
	{"libc.so.6!*", "libc.so.6!str*", "x!y", "C-51"},
	{"libc.so.6!s?r", "libc.so.6!s*", "x!y", NULL},
	{"*!read", "libc.so.6!*", "x!y", "C-51"},
	{"libc.so.6!0x1000", "libc.so.6!read", "x!y", "C-51"},
	{"libc.so.6!crypt_r", "libc.so.6!*", "libc.so.6!*crypt*", "C-52"},
	{"libc.so.6!crypt_r:return", "libc.so.6!*", "libc.so.6!crypt_r", "C-52"},
	{"libc.so.6!read", "libc.so.6!*", "libc.so.6!*crypt*", NULL},
	{"libc.so.6!c*", "libc.so.6!*", "libc.so.6!*crypt*", "C-52"},
	{"libc.so.6![a-d]*", "libc.so.6!*", "libc.so.6!crypt", "C-52"},
	{"libc.so.6!0x1000", "libc.so.6!*", "libc.so.6!*crypt*", "C-52"},
	/* a module by its other names */
	{"libc!crypt", "*", "libc.so.6!*crypt*", "C-52"},
	{"/lib/x86_64-linux-gnu/libc.so.6!crypt", "*", "libc.so.6!*crypt*", "C-52"},
	{"libc.so.6!crypt", "*", "libc!crypt", "C-52"},
	{"*!crypt", "*", "libc!crypt", "C-52"},
	{"libcrypto.so.3!AES_encrypt", "*", "libcrypto*!*", "C-52"},
	{"libz.so.1!crypt", "*", "libc!crypt", NULL},
};

Test(policy, sites, .init = begin, .fini = end)
{
	char text[512];

	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++) {
		snprintf(text, sizeof(text), "may = user\nsites = %s\nnot-sites = %s\n" REST, sites[i].sites,
			sites[i].not_sites);
		struct agent_config *c = config_with(text, "");
		made_order(&order, MODULE("count"), now_at);
		made_site(&order, sites[i].site);
		made_process(&order, "exe=*");
		expect(c, sites[i].rule,
			sites[i].rule && !strcmp(sites[i].rule, "C-52") ? "which may be" : "may not probe");
		agent_config_free(c);
	}

	/* the sites of the module itself, if the order has none */
	made_order(&order, MODULE("reads"), now_at);
	made_process(&order, "exe=*");
	expect_both("may = user\nsites = libc.so.6!read libc.so.6!pread64\n" REST,
		"may = user\nsites = libc.so.6!read\n" REST, "C-51", "may not probe libc.so.6!pread64");
	made_order(&order, MODULE("count"), now_at);
	made_process(&order, "exe=*");
	struct agent_config *c = config_with(usual, "");
	expect(c, "C-51", "neither the order nor probe on_call says");
	made_site(&order, "kernel!vfs_read");
	expect(c, "C-51", "a site of the kernel");
	agent_config_free(c);
}

/* A process is judged by itself, when it is found. */
Test(policy, processes, .init = begin, .fini = end)
{
	static const struct agent_process nginx = {.pid = 7,
		.user = 33,
		.exe = "/usr/sbin/nginx",
		.cgroup = "/system.slice/nginx.service",
		.unit = "nginx.service"};
	static const struct {
		const char *processes;
		bool may;
	} cases[] = {
		{"processes = exe=*", true},
		{"", false},
		{"processes = exe=/usr/sbin/nginx", true},
		{"processes = exe=/usr/sbin/ssh* unit=nginx.service", true},
		{"processes = unit=php-fpm.service", false},
		{"processes = user=33", true},
		{"processes = user=www-data", true},
		{"processes = user=root", false},
		{"processes = pid=7", true},
		{"processes = pid=8", false},
		{"processes = cgroup=/system.slice/*", true},
		{"processes = container=nginx.service", true},
		{"processes = exe=*\nnot-processes = user=33", false},
		{"processes = exe=*\nnot-processes = user=root exe=/usr/sbin/nginx", false},
		{"processes = exe=*\nnot-processes = user=root exe=/usr/sbin/sshd", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct agent_config *c = config_with(cases[i].processes, "");
		cr_expect_eq(agent_policy_process(&c->coordinators[0], &nginx), cases[i].may, "%s", cases[i].processes);
		agent_config_free(c);
	}
	cr_expect(agent_conditions_fit("exe=/usr/sbin/nginx user=33", &nginx));
	cr_expect_not(agent_conditions_fit("exe=/usr/sbin/nginx user=0", &nginx), "all must fit");
	cr_expect_not(agent_conditions_fit("", &nginx), "nothing said isn't everything");

	struct agent_config *c = config_with(usual, "");
	order_usual();
	made_process(&order, "exe=/usr/bin/x colour=red");
	expect(c, "C-53", "no condition of processes");
	agent_config_free(c);
}

Test(policy, imports_and_results, .init = begin, .fini = end)
{
#define TEXT "may = user\nsites = libc.so.6!*\nprocesses = exe=*\nmodules = any\n"
	made_order(&order, MODULE("text"), now_at);
	made_process(&order, "exe=*");
	made_import(&order, "ward_read_str");
	expect_both(TEXT "results = text\nimports = ward_read_str\n", TEXT "results = text\nimports = ward_clock\n",
		"C-54", "may not use the import ward_read_str");
	expect_both(TEXT "results = records\nimports = ward_read_str\n",
		TEXT "results = keys\nimports = ward_read_str\n", "C-55", "alice may have keys; opens needs text");
	/* not asking for it doesn't help: the verifier refuses the module then */
	order.unit[0]->n_import = 0;
	struct agent_config *c = config_with(TEXT "results = text\nimports = ward_read_str\n", "");
	expect(c, "C-60", "ward_read_str");
	agent_config_free(c);

	made_order(&order, MODULE("reads"), now_at);
	made_process(&order, "exe=*");
	expect_both(TEXT "results = keys\n", TEXT "results = numbers\n", "C-55", "by_fd needs keys");
	made_order(&order, MODULE("opens"), now_at);
	made_process(&order, "exe=*");
	made_import(&order, "ward_read_str");
	expect_both(TEXT "results = records\nimports = ward_read_str\n",
		TEXT "results = text\nimports = ward_read_str\n", "C-55", "last needs records");
}

/* C-110, C-111: windows are differences, of what has one. */
Test(decide, windows, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(TEXT "results = records\nimports = ward_read_str\n", "");

	made_order(&order, MODULE("reads"), now_at);
	made_process(&order, "exe=*");
	order.order.has_window_ns = true;
	order.order.window_ns = 999999999;
	expect(c, "C-33", "window_ns");
	order.order.window_ns = 1000000000;
	expect(c, NULL, NULL);
	made_order(&order, MODULE("opens"), now_at);
	made_process(&order, "exe=*");
	made_import(&order, "ward_read_str");
	order.order.has_window_ns = true;
	order.order.window_ns = 1000000000;
	expect(c, "C-111", "last: a ring has no difference");
	agent_config_free(c);
}

/* C-115: keys that begin with the process. */
Test(decide, by_process, .init = begin, .fini = end)
{
	struct agent_config
		*c = config_with(usual, ""),
		*numbers = config_with(
			"may = user\nsites = libc.so.6!*\nprocesses = exe=*\nresults = numbers\nmodules = any\n", "");
	ProtobufCBinaryData by[] = {made_text("pid"), made_text("machine")};

	order_usual();
	expect(numbers, NULL, NULL);
	order.order.by = by;
	order.order.n_by = 1;
	expect(c, NULL, NULL);
	expect(numbers, "C-55", "which process it was needs keys");
	by[0] = made_text("process");
	expect(c, NULL, NULL);
	order.order.n_by = 2;
	expect(c, "C-115", "with nothing else");
	by[0] = by[1];
	order.order.n_by = 1;
	expect(c, "C-115", "with nothing else");
	by[0] = made_text("pid");
	order.unit[0]->kernel = true;
	expect(c, "C-115", "the kernel isn't a process");
	agent_config_free(c);
	agent_config_free(numbers);
}

/* Signed by a reviewer, by somebody else, and a module that isn't the one that was signed. */
Test(policy, reviews, .init = begin, .fini = end)
{
	static const char alices[] = "may = user\nsites = libc.so.6!*\nprocesses = exe=*\n"; /* signed is the default */
	char more[512], key[256] = "";
	FILE *f = fopen(MODULES "/reviewer.pub", "r");

	cr_assert(f && fgets(key, sizeof(key), f) && fgets(key, sizeof(key), f));
	fclose(f);
	snprintf(more, sizeof(more), "[reviewer security]\nkey = %s", key);
	order_usual();
	struct agent_config *c = config_with(alices, more), *none = config_with(alices, "");
	expect(c, "C-56", "no reviewer has signed");
	order.units[0].reviews[0] = made_file(MODULES "/reads.ward.minisig");
	order.units[0].variants[0].n_review = 1;
	expect(c, "C-56", "no reviewer has signed");
	order.units[0].reviews[1] = made_file(MODULES "/count.ward.minisig");
	order.units[0].variants[0].n_review = 2;
	expect(c, NULL, NULL);
	expect(none, "C-56", "no reviewer has signed");
	agent_config_free(c);
	agent_config_free(none);
}

/* ---- limits ---- */

Test(policy, limits, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual,
		"[limits]\noverhead = 2%\nsites = 2\nprocesses = 7\nmax-insns = 20000\nstate = 1M\nduration = 1h\n"
		"lease = 10m\npartial = 64K\npause = 20ms\nstops = 5/min\nqueries = 3\n");
	struct agent_limits l;

	/* what the configuration says is the most, wins; less can be asked for */
	order_usual();
	order.order.duration_ns = 7200 * SECOND;
	order.order.lease_ns = 3600 * SECOND;
	l = agent_policy_limits(c, &order.order);
	cr_expect(l.overhead_ppm == 20000 && l.sites == 2 && l.processes == 7 && l.max_insns == 20000 &&
		  l.state == 1 << 20);
	cr_expect(l.duration_ns == 3600 * SECOND && l.lease_ns == 600 * SECOND && l.partial == 65536);
	cr_expect(l.pause_ns == 20000000 && l.stops == 5 && l.queries == 3);
	order.order.duration_ns = 60 * SECOND;
	order.order.lease_ns = 5 * SECOND;
	order.limits.overhead_ppm = 1000;
	order.limits.sites = 1;
	order.limits.processes = 1;
	order.limits.max_insns = 500;
	order.limits.state = 4096;
	order.limits.partial = 1000;
	order.limits.pause_ns = 1000;
	order.limits.has_overhead_ppm = order.limits.has_sites = order.limits.has_processes = true;
	l = agent_policy_limits(c, &order.order);
	cr_expect(l.overhead_ppm == 1000 && l.sites == 1 && l.processes == 1 && l.max_insns == 500 && l.state == 4096);
	cr_expect(l.duration_ns == 60 * SECOND && l.lease_ns == 5 * SECOND && l.partial == 1000 && l.pause_ns == 1000);

	/* what a module needs isn't cut: it is refused */
	order_usual();
	made_site(&order, "libc.so.6!write");
	expect(c, NULL, NULL);
	made_site(&order, "libc.so.6!pread64");
	expect(c, "C-57", "it names 3 sites, more than 2");
	made_order(&order, MODULE("reads"), now_at);
	made_process(&order, "exe=*");
	expect(c, NULL, NULL);
	agent_config_free(c);
	c = config_with(usual, "[limits]\nmax-insns = 20\n");
	expect(c, "C-60", "instructions");
	agent_config_free(c);
	c = config_with(usual, "[limits]\nstate = 1K\n");
	expect(c, "C-60", "state");
	agent_config_free(c);
}

/* ---- modules that no coordinator's verifier has seen ---- */

Test(decide, violation, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	ProtobufCBinaryData module = MODULE("reads");
	struct ward_verdict *v = ward_verify(module.data, module.len, NULL);

	cr_assert(v && v->accepted);
	module.data[v->module.text.offset + (v->module.entries[0].addr - v->module.text.addr)] = 0xf4; /* hlt */
	ward_verdict_free(v);
	v = ward_verify(module.data, module.len, NULL);
	cr_assert(v && !v->accepted);
	made_order(&order, module, now_at);
	made_process(&order, "exe=*");
	expect(c, "C-60", v->violations[0].reason);
	cr_expect(strstr(err.why, ward_rule_number(v->violations[0].rule)), "%s", err.why);
	ward_verdict_free(v);

	made_order(&order, made_text("no module"), now_at);
	made_process(&order, "exe=*");
	expect(c, "C-60", "");
	order_usual();
	order.units[0].shape[3] ^= 1;
	expect(c, "C-46", "another shape");
	agent_config_free(c);
}

Test(decide, variants, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	static uint8_t other[] = {9, 9, 9}, ours[] = {1, 2, 3};
	struct agent_order *o;
	size_t n;

	order_usual();
	struct made_unit *u = &order.units[0];
	u->variants[0].has_kernel = true;
	u->variants[0].kernel = (ProtobufCBinaryData){3, other};
	expect(c, "C-59", "no module for kernel 010203");
	u->variants[1].module = MODULE("count");
	u->variants[1].has_kernel = true;
	u->variants[1].kernel = (ProtobufCBinaryData){3, ours};
	u->unit.n_variant = 2;
	void *bytes = made_bytes(&order, &alice, &n);
	cr_expect_eq(
		agent_order_decide(c, &here, seen, bytes, n, now_at, false, &o, &err), AGENT_ACCEPTED, "%s", err.why);
	cr_expect(o->n == 1 && o->units[0].n_modules == 1 && o->units[0].modules[0].size == u->variants[1].module.len);
	free(bytes);

	/* a policy that is read anew */
	struct agent_config *strict = config_with("may = user\nsites = libc.so.6!write\n" REST, "");
	cr_expect(agent_order_allowed(c, o, &err), "%s", err.why);
	cr_expect(!agent_order_allowed(strict, o, &err) && strstr(err.why, "C-51"), "%s", err.why);
	struct agent_config *gone = config_with(usual, "");
	memset(gone->coordinators[0].key.key, 0, CLUSTER_KEY);
	cr_expect(!agent_order_allowed(gone, o, &err) && strstr(err.why, "C-42"));
	agent_config_free(gone);
	agent_config_free(strict);
	agent_order_free(o);
	agent_config_free(c);
}

/* C-150: each process gets the module of its program's build; one that none is for isn't probed. */
Test(decide, variants_of_programs, .init = begin, .fini = end)
{
	struct agent_config *c = config_with(usual, "");
	static uint8_t other[] = {9, 9, 9};
	uint8_t own[CLUSTER_BUILD_ID];
	struct agent_process self;
	struct agent_order *o;
	size_t n, n_own = cluster_build_id_of_program(getpid(), own);

	cr_assert(n_own && agent_process_read(getpid(), &self));
	order_usual();
	struct made_unit *u = &order.units[0];
	u->variants[1] = u->variants[0];
	u->variants[0].has_file = u->variants[1].has_file = true;
	u->variants[0].file = (ProtobufCBinaryData){sizeof(other), other};
	u->variants[1].file = (ProtobufCBinaryData){n_own, own};
	u->variants[1].module = MODULE("thousand");
	u->unit.n_variant = 2;
	void *bytes = made_bytes(&order, &alice, &n);
	cr_assert_eq(
		agent_order_decide(c, &here, seen, bytes, n, now_at, false, &o, &err), AGENT_ACCEPTED, "%s", err.why);
	cr_assert_eq(o->units[0].n_modules, 2);
	cr_expect_eq(agent_modules_find(&o->units[0], &self, &err), &o->units[0].modules[1]);
	free(bytes);
	agent_order_free(o);

	u->unit.n_variant = 1;
	bytes = made_bytes(&order, &alice, &n);
	cr_assert_eq(agent_order_decide(c, &here, seen, bytes, n, now_at, false, &o, &err), AGENT_ACCEPTED);
	cr_expect_null(agent_modules_find(&o->units[0], &self, &err));
	cr_expect(strstr(err.why, "no module for program ") && strstr(err.why, "C-150"), "%s", err.why);
	free(bytes);
	agent_order_free(o);

	/* each module is checked, whether a process has its build or not */
	u->unit.n_variant = 2;
	u->variants[1].module = made_text("no module");
	expect(c, "C-60", "");
	u->variants[1].module = MODULE("reads");
	expect(c, "C-46", "another shape");
	agent_config_free(c);
}

/* C-151: offsets of a kernel's structures are those of one kernel. */
Test(decide, kernel_module_of_any_kernel, .init = begin, .fini = end)
{
	static const char kernel[] = "may = kernel\nsites = kernel:sched:*\nimports = ward_kernel_read\n" REST;
	struct agent_config *c = config_with(kernel, "[kernel]\nallow = yes\n");
	static uint8_t ours[] = {1, 2, 3};

	made_order(&order, MODULE("kernel_reads"), now_at);
	struct made_unit *u = &order.units[0];
	order.unit[0]->kernel = true;
	made_site(&order, "kernel:sched:sched_switch");
	made_import(&order, "ward_kernel_read");
	expect(c, "C-151", "doesn't say of which kernel");
	u->variants[0].has_file = true;
	u->variants[0].file = (ProtobufCBinaryData){3, ours};
	expect(c, "C-59", "no module for kernel 010203");
	u->variants[0].has_file = false;
	u->variants[0].has_kernel = true;
	u->variants[0].kernel = (ProtobufCBinaryData){3, ours};
	expect(c, NULL, NULL);
	agent_config_free(c);
}

/* ---- what is kept ---- */

static void path_of(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", folder, name);
}

Test(audit, chain, .init = begin, .fini = end)
{
	char path[128], text[4096] = "";
	struct agent_audit *a;
	uint64_t lines;

	path_of(path, sizeof(path), "audit.jsonl");
	for (int run = 0; run < 2; run++) {
		cr_assert(agent_audit_open(path, &a, &err), "%s", err.why);
		for (int i = 0; i < 3; i++) {
			struct agent_line *l = agent_line_begin(a, "order", now_at);
			agent_line_text(l, "text", "a \"query\"\n\xff", 11);
			agent_line_list(l, "sites");
			agent_line_text(l, NULL, "libc.so.6!read[", 15);
			agent_line_text(l, NULL, "x", 1);
			agent_line_list_end(l);
			agent_line_number(l, "n", (uint64_t)i);
			cr_assert(agent_line_end(l, &err), "%s", err.why);
		}
		agent_audit_close(a);
	}
	cr_expect(agent_audit_check(path, &lines, &err) && lines == 6, "%s", err.why);
	FILE *f = fopen(path, "r+");
	cr_assert(f && fread(text, 1, sizeof(text) - 1, f) > 0);
	cr_expect(strstr(text,
		"\"text\":\"a \\u0022query\\u0022\\u000a\\u00ff\",\"sites\":[\"libc.so.6!read[\",\"x\"],\"n\":0}\n"));

	/* a changed letter shows in the line behind it; a line that is taken out, too */
	char *second = strchr(text, '\n') + 1, *third = strchr(second, '\n') + 1;
	fseek(f, second - text + 90, SEEK_SET);
	fputc('!', f);
	fflush(f);
	cr_expect(!agent_audit_check(path, &lines, &err) && strstr(err.why, "C-61") && lines < 3);
	cr_assert_eq(freopen(path, "w", f), f);
	fwrite(text, 1, (size_t)(second - text), f);
	fputs(third, f);
	fflush(f);
	cr_expect(!agent_audit_check(path, &lines, &err) && lines == 1 && strstr(err.why, "line 2"));

	/* killed in the middle of a line: it was for nothing that was done */
	cr_assert_eq(freopen(path, "w", f), f);
	fwrite(text, 1, (size_t)(third - text) + 20, f);
	fclose(f);
	cr_assert(agent_audit_open(path, &a, &err));
	cr_assert(agent_line_end(agent_line_begin(a, "end", now_at), &err));
	agent_audit_close(a);
	cr_expect(agent_audit_check(path, &lines, &err) && lines == 3, "%s", err.why);
}

Test(audit, too_long, .init = begin, .fini = end)
{
	char path[128], *big = malloc(1 << 20);
	struct agent_audit *a;
	uint64_t lines;

	memset(big, 'x', 1 << 20);
	path_of(path, sizeof(path), "audit.jsonl");
	cr_assert(agent_audit_open(path, &a, &err));
	struct agent_line *l = agent_line_begin(a, "order", now_at);
	agent_line_list(l, "sites");
	agent_line_text(l, NULL, big, 1 << 20);
	agent_line_text(l, NULL, "more", 4);
	agent_line_list_end(l);
	cr_assert(agent_line_end(l, &err), "%s", err.why);
	agent_audit_close(a);
	cr_expect(agent_audit_check(path, &lines, &err) && lines == 1, "%s", err.why);
	FILE *f = fopen(path, "r");
	cr_assert(f && fgets(big, 1 << 20, f));
	cr_expect(strstr(big, "\"sites\":[],\"cut\":1}\n"), "%s", big);
	fclose(f);
	free(big);
}

/* A disk that is full: /dev/full for the audit, and a directory that can't be written for what is kept. */
Test(audit, no_disk, .init = begin, .fini = end)
{
	struct agent_audit *a;
	struct agent_epoch e;

	if (agent_audit_open("/dev/full", &a, &err)) {
		cr_expect_not(agent_line_end(agent_line_begin(a, "order", now_at), &err));
		agent_audit_close(a);
	}
	cr_expect(strstr(err.why, "C-61"), "%s", err.why);
	cr_expect_not(agent_epoch_next("/proc/self", &e, &err));
	cr_expect(!e.number && err.why[0]);
	struct agent_seen *none;
	cr_assert(agent_seen_open("/proc/self", now_at, &none, &err), "%s", err.why);
	cr_expect_not(agent_seen_put(none, here.kernel, now_at, AGENT_RUNS, now_at, &err));
	cr_expect_eq(agent_seen_find(none, here.kernel), AGENT_NEW, "what isn't on the disk isn't remembered");
	agent_seen_close(none);
}

Test(kept, epochs, .init = begin, .fini = end)
{
	struct agent_epoch a, b;
	char path[128];
	FILE *f;

	cr_assert(agent_epoch_next(folder, &a, &err) && agent_epoch_next(folder, &b, &err), "%s", err.why);
	cr_expect(a.number == 1 && b.number == 2 && a.nonce != b.nonce);
	path_of(path, sizeof(path), "epoch");
	f = fopen(path, "w");
	fputs("2x\n", f);
	fclose(f);
	cr_expect(!agent_epoch_next(folder, &a, &err) && strstr(err.why, "C-62"),
		"a number that can't be read isn't guessed");
	unlink(path);

	path_of(path, sizeof(path), "orders");
	f = fopen(path, "w");
	fputs("nothing\n", f);
	fclose(f);
	struct agent_seen *s;
	cr_expect(!agent_seen_open(folder, now_at, &s, &err) && strstr(err.why, "C-47"),
		"what was taken isn't forgotten");
}
