/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A configuration may be right by its grammar, and of no use: each order is refused, or nothing fits. Whoever wrote it
 * meant something else.
 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "glob.h"

static const char *const imports[] = {
#define IMPORT(id, name, ...) name,
#include "ward/import.def"
#undef IMPORT
};
static const char *const features[] = {
#define FEATURE(id, bit, name, ...) name,
#include "ward/feature.def"
#undef FEATURE
};

static bool import_is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(imports) / sizeof(*imports); i++)
		if (strcmp(imports[i], name) == 0)
			return true;
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (strcmp(features[i], name) == 0)
			return true;
	return false;
}

/* A name that nobody has here, or a path that no program has. */
static void condition_check(struct agent_check *c, const char *who, const char *condition)
{
	const char *value = strchr(condition, '=') + 1;

	if (strncmp(condition, "user=", 5) == 0 && value[strspn(value, "0123456789")] && !getpwnam(value))
		agent_check_fault(c, WARD_E_USAGE, who, "users of this machine are in /etc/passwd",
			"\"%s\" fits no process: there is no such user", condition);
	if ((strncmp(condition, "exe=", 4) == 0 || strncmp(condition, "cgroup=", 7) == 0) && !strchr("/*?[\\", *value))
		agent_check_fault(c, WARD_E_USAGE, who, "a path begins with / or with *",
			"\"%s\" fits no process: it isn't a whole path", condition);
}

/* Does a pattern of not-sites take away all that this one of sites gives? */
static bool site_is_void(const struct agent_coordinator *who, const char *site)
{
	for (size_t i = 0; i < who->not_sites.n; i++)
		if (agent_glob_covers(who->not_sites.at[i], site))
			return true;
	return false;
}

static void sites_check(struct agent_check *c, const struct agent_coordinator *who, const char *name)
{
	size_t none = 0, kernel = 0;

	for (size_t i = 0; i < who->sites.n; i++) {
		const char *site = who->sites.at[i];
		kernel += strncmp(site, "kernel", 6) == 0 || *site == '*';
		none += site_is_void(who, site);
		if (!strpbrk(site, "!:*?"))
			agent_check_fault(c, WARD_E_USAGE, name, "a site is MODULE!FUNCTION, such as libc.so.6!read",
				"the pattern of sites \"%s\" fits no function", site);
	}
	if (!who->sites.n)
		agent_check_fault(c, WARD_E_USAGE, name, "sites = MODULE!FUNCTION names those that may be probed",
			"it may probe no function: there are no sites (C-51)");
	else if (none == who->sites.n)
		agent_check_fault(c, WARD_E_USAGE, name, "make the patterns of not-sites narrower",
			"it may probe no function: not-sites takes all sites away (C-52)");
	else if (who->may == AGENT_MAY_KERNEL && !kernel)
		agent_check_fault(c, WARD_E_USAGE, name, "sites = kernel:* kernel!* are all of the kernel's",
			"it may probe the kernel, and no site is the kernel's (C-51)");
}

static void coordinator_check(struct agent_check *c, const struct agent_coordinator *who)
{
	char name[160];

	snprintf(name, sizeof(name), "%.80s: coordinator %.60s", c->a->config_path, who->name);
	if (!(who->may & (AGENT_MAY_USER | AGENT_MAY_KERNEL))) {
		agent_check_fault(c, WARD_E_USAGE, name, "may = user lets it probe processes, may = kernel the kernel",
			"it may order nothing: `may` names no probes (C-50)");
		return;
	}
	sites_check(c, who, name);
	if ((who->may & AGENT_MAY_USER) && !who->processes.n)
		agent_check_fault(c, WARD_E_USAGE, name, "processes = unit=NAME.service, or exe=, user=, cgroup=",
			"it may probe no process: there are no processes (C-53)");
	if ((who->may & AGENT_MAY_KERNEL) && !c->a->config->kernel)
		agent_check_fault(c, WARD_E_USAGE, name, "allow = yes in section [kernel], or take kernel out of may",
			"it may probe the kernel, which section [kernel] doesn't allow (C-58)");
	if (who->modules == AGENT_SIGNED && !c->a->config->n_reviewers)
		agent_check_fault(c, WARD_E_USAGE, name,
			"a section [reviewer NAME] has a reviewer's key; modules = any needs no review",
			"it may use signed modules only, and there is no reviewer (C-56)");
	for (size_t i = 0; i < who->imports.n; i++)
		if (!import_is_known(who->imports.at[i]))
			agent_check_fault(c, WARD_E_USAGE, name, "ward-agent.conf(5) has their names",
				"there is no import \"%s\"", who->imports.at[i]);
	for (size_t i = 0; i < who->processes.n; i++)
		condition_check(c, name, who->processes.at[i]);
	for (size_t i = 0; i < who->not_processes.n; i++)
		condition_check(c, name, who->not_processes.at[i]);
}

/* A limit of nothing refuses everything, or ends it at once. */
static void limits_check(struct agent_check *c)
{
	const struct agent_limits *l = &c->a->config->limits;
	const struct {
		const char *name;
		uint64_t is, least;
		const char *shown;
	} limits[] = {
		{"queries", l->queries, 1, "1"},
		{"overhead", l->overhead_ppm, 1, "1%"},
		{"sites", l->sites, 1, "1"},
		{"processes", l->processes, 1, "1"},
		{"max-insns", l->max_insns, 16, "16"},
		{"state", l->state, 4096, "4K"},
		{"duration", l->duration_ns, 1000000000, "1s"},
		{"lease", l->lease_ns, 3000000000, "3s"},
		{"partial", l->partial, 256, "256"},
		{"stops", l->stops, 1, "1/min"},
		{"pause", l->pause_ns, 100000, "1ms"},
		{"cpu", l->cpu_ppm, 10000, "1%"},
		{"memory", l->memory, 16 << 20, "16M"},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].is < limits[i].least)
			agent_check_fault(c, WARD_E_USAGE, c->a->config_path,
				"ward-agent.conf(5) has the values without it",
				"%s in section [limits] is so small that no query can run: at least %s (C-57)",
				limits[i].name, limits[i].shown);
}

void agent_check_config(struct agent_check *c)
{
	const struct agent_config *config = c->a->config;
	unsigned may = 0;

	if (!config->n_coordinators)
		agent_check_fault(c, WARD_E_TARGET, c->a->config_path,
			"a section [coordinator NAME] has the key of one", "no coordinator may order anything (C-42)");
	for (size_t i = 0; i < config->n_coordinators; i++) {
		coordinator_check(c, &config->coordinators[i]);
		may |= config->coordinators[i].may;
	}
	if (config->kernel && !(may & AGENT_MAY_KERNEL))
		agent_check_warn(
			c, c->a->config_path, "probes of the kernel are allowed, and no coordinator may have any");
	limits_check(c);
}
