/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verifier proves that a probe harms nobody. It doesn't prove that the probe may see what it sees: a count of
 * calls by argument is harmless, and may still tell a secret. That is the machine owner's to say, and checked here.
 * Nothing is allowed that isn't named.
 *
 * A site of an order is a pattern, and so is one of the configuration. The first must be covered by a pattern of
 * `sites`, so that it can mean nothing else, and must not meet one of `not-sites`, so that it can't mean that. A
 * module has several names (libc, libc.so.6, /lib/x86_64-linux-gnu/libc.so.6), so of `not-sites` they all count. A
 * name by which neither is known (a link to the file) shows when the sites are found: agent_policy_site then is asked
 * about each name of each function.
 */
#include "policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "glob.h"

enum { SITE = 1025 };

/* ---- sites ---- */

/* Where the function's name begins, behind an exclamation mark that isn't meant as itself; or NULL. */
static char *function_find(char *site)
{
	for (char *at = site; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '!')
			return at + 1;
	}
	return NULL;
}

/* Cut off what says where in the function: ":return", "+0x10", "@FILE". A tracepoint's colons are its name. */
static void function_cut(char *function)
{
	static const char *const ends[] = {":entry", ":return", ":throw"};
	char *plus = strrchr(function, '+'), *at = strrchr(function, '@');

	if (*function == ':')
		return;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t n = strlen(function), n_end = strlen(ends[i]);
		if (n > n_end && strcmp(function + n - n_end, ends[i]) == 0)
			function[n - n_end] = 0;
	}
	if (plus && plus > function && plus[1] >= '0' && plus[1] <= '9')
		*plus = 0;
	if (at && at > function)
		*at = 0;
}

/* An address is of any function. */
static const char *function_meant(const char *function)
{
	return strncmp(function, "0x", 2) == 0 ? "*" : function;
}

static const char *name_last(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* All names that a module's name may be short for. */
static bool modules_meet(const char *one, const char *other)
{
	static const char *const more[] = {"", ".*", "-[0-9]*"};
	enum { FORMS = sizeof(more) / sizeof(*more) };
	char a[SITE + 16], b[SITE + 16];

	for (int i = 0; i < FORMS * FORMS; i++) {
		snprintf(a, sizeof(a), "%s%s", name_last(one), more[i / FORMS]);
		snprintf(b, sizeof(b), "%s%s", name_last(other), more[i % FORMS]);
		if (agent_glob_meets(a, b))
			return true;
	}
	return false;
}

/* Can the site be one that the pattern forbids? */
static bool site_meets(const char *forbidden, const char *site)
{
	char a[SITE], b[SITE];

	snprintf(a, sizeof(a), "%s", forbidden);
	snprintf(b, sizeof(b), "%s", site);
	char *f = function_find(a), *g = function_find(b);
	if (!f || !g) /* of the kernel, or a pattern over everything */
		return agent_glob_meets(a, b);
	f[-1] = g[-1] = 0;
	function_cut(f);
	function_cut(g);
	return modules_meet(a, b) && agent_glob_meets(function_meant(f), function_meant(g));
}

static bool site_is_covered(const char *allowed, const char *site)
{
	char b[SITE];

	snprintf(b, sizeof(b), "%s", site);
	char *g = function_find(b);
	if (g)
		function_cut(g);
	return agent_glob_covers(allowed, b);
}

bool agent_policy_site(const struct agent_coordinator *who, const char *site, struct ward_error *err)
{
	bool ok = false;

	if (strlen(site) >= SITE)
		return cluster_refuse(err, "policy", "C-51", "the name of a site is too long");
	for (size_t i = 0; i < who->sites.n && !ok; i++)
		ok = site_is_covered(who->sites.at[i], site);
	if (!ok)
		return cluster_refuse(err, "policy", "C-51", "%s may not probe %s", who->name, site);
	for (size_t i = 0; i < who->not_sites.n; i++)
		if (site_meets(who->not_sites.at[i], site))
			return cluster_refuse(err, "policy", "C-52", "%s may not probe %s, which may be %s", who->name,
				site, who->not_sites.at[i]);
	return true;
}

/* ---- processes ---- */

bool agent_policy_process(const struct agent_coordinator *who, const struct agent_process *process)
{
	bool ok = false;

	for (size_t i = 0; i < who->processes.n && !ok; i++)
		ok = agent_condition_fits(who->processes.at[i], process);
	for (size_t i = 0; i < who->not_processes.n; i++)
		ok = ok && !agent_condition_fits(who->not_processes.at[i], process);
	return ok;
}

/* ---- orders ---- */

static bool list_has(const struct agent_list *list, ProtobufCBinaryData text)
{
	for (size_t i = 0; i < list->n; i++)
		if (cluster_bytes_equal(text, list->at[i], strlen(list->at[i])))
			return true;
	return false;
}

/* Bytes of an order as a string: refused if they hold what can't be printed. */
static bool text_take(ProtobufCBinaryData bytes, char *text, size_t size, const char *rule, struct ward_error *err)
{
	for (size_t i = 0; i < bytes.len; i++)
		if (bytes.len >= size || bytes.data[i] < 0x20 || bytes.data[i] == 0x7f)
			return cluster_refuse(err, "policy", rule, "a text is too long, or can't be printed");
	memcpy(text, bytes.data, bytes.len);
	text[bytes.len] = 0;
	return true;
}

static bool unit_may(const struct agent_config *config, const struct agent_coordinator *who,
	const Ward__Cluster__Unit *unit, struct ward_error *err)
{
	unsigned needed = unit->kernel ? AGENT_MAY_KERNEL : AGENT_MAY_USER;

	if (!(who->may & needed))
		return cluster_refuse(err, "policy", "C-50", "%s may not probe %s", who->name,
			unit->kernel ? "the kernel" : "processes");
	if (unit->kernel && !config->kernel)
		return cluster_refuse(err, "policy", "C-58", "this machine doesn't allow probes of the kernel");
	return true;
}

static bool unit_check(const struct agent_config *config, const struct agent_coordinator *who,
	const Ward__Cluster__Unit *unit, struct ward_error *err)
{
	char text[SITE], shown[65];

	if (!unit_may(config, who, unit, err))
		return false;
	for (size_t i = 0; i < unit->n_site; i++) {
		if (!text_take(unit->site[i], text, sizeof(text), "C-51", err))
			return false;
		if (unit->kernel != (strncmp(text, "kernel:", 7) == 0 || strncmp(text, "kernel!", 7) == 0))
			return cluster_refuse(err, "policy", "C-51", "%s is %s of the kernel", text,
				unit->kernel ? "no site" : "a site");
		if (!agent_policy_site(who, text, err))
			return false;
	}
	for (size_t i = 0; i < unit->n_process; i++) {
		if (!text_take(unit->process[i], text, sizeof(text), "C-53", err))
			return false;
		if (!agent_conditions_are_valid(text))
			return cluster_refuse(err, "policy", "C-53", "\"%s\" is no condition of processes", text);
	}
	for (size_t i = 0; i < unit->n_import; i++)
		if (!list_has(&who->imports, unit->import[i])) {
			cluster_text(unit->import[i].data, unit->import[i].len, shown, sizeof(shown));
			return cluster_refuse(err, "policy", "C-54", "%s may not use the import %s", who->name, shown);
		}
	return true;
}

bool agent_policy_order(const struct agent_config *config, const struct agent_coordinator *who,
	const Ward__Cluster__Order *order, struct ward_error *err)
{
	size_t sites = 0;

	if (order->n_by && who->results < AGENT_KEYS)
		return cluster_refuse(
			err, "policy", "C-55", "%s may have numbers; which process it was needs keys", who->name);
	for (size_t i = 0; i < order->n_unit; i++) {
		if (!unit_check(config, who, order->unit[i], err))
			return false;
		sites += order->unit[i]->n_site;
	}
	if (sites > config->limits.sites)
		return cluster_refuse(err, "policy", "C-57", "it names %zu sites, more than %llu", sites,
			(unsigned long long)config->limits.sites);
	return true;
}

static uint64_t limit_least(uint64_t wanted, uint64_t allowed)
{
	return wanted && wanted < allowed ? wanted : allowed;
}

struct agent_limits agent_policy_limits(const struct agent_config *config, const Ward__Cluster__Order *o)
{
	struct agent_limits l = config->limits;
	const Ward__Cluster__Limits *w = o->limits;

	l.overhead_ppm = limit_least(w->overhead_ppm, l.overhead_ppm);
	l.sites = limit_least(w->sites, l.sites);
	l.processes = limit_least(w->processes, l.processes);
	l.max_insns = limit_least(w->max_insns, l.max_insns);
	l.state = limit_least(w->state, l.state);
	l.partial = limit_least(w->partial, l.partial);
	l.pause_ns = limit_least(w->pause_ns, l.pause_ns);
	l.duration_ns = limit_least(o->duration_ns, l.duration_ns);
	l.lease_ns = limit_least(o->lease_ns, l.lease_ns);
	return l;
}

bool agent_policy_take_over(const struct agent_config *config, const uint8_t *key, const uint8_t *issuer)
{
	const struct agent_coordinator *who = agent_config_coordinator(config, key);
	return who && (memcmp(key, issuer, CLUSTER_KEY) == 0 || (who->may & AGENT_MAY_TAKE_OVER));
}

/* ---- modules ---- */

bool agent_policy_module(const struct agent_config *config, const struct agent_coordinator *who,
	const Ward__Cluster__Variant *variant, struct ward_error *err)
{
	if (who->modules == AGENT_ANY)
		return true;
	for (size_t i = 0; i < config->n_reviewers; i++)
		for (size_t j = 0; j < variant->n_review; j++)
			if (cluster_review_check(&config->reviewers[i].key, variant->review[j].data,
				    variant->review[j].len, variant->module.data, variant->module.len))
				return true;
	return cluster_refuse(err, "policy", "C-56", "no reviewer has signed the module");
}
