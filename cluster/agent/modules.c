/* SPDX-License-Identifier: Apache-2.0 */
#include "modules.h"

#include <stdlib.h>
#include <string.h>

#include "policy.h"

#include "cluster/base/build_id.h"
#include "cluster/base/error.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/shape.h"

/* ---- one module ---- */

/* The limits of the agent's policy are the verifier's. */
static bool module_check(
	const struct agent_unit *u, struct agent_module *m, const struct agent_limits *limits, struct ward_error *why)
{
	struct ward_attach_options options = {
		.size = sizeof(options),
		.max_insns = limits->max_insns,
		.max_state = limits->state < UINT32_MAX ? (uint32_t)limits->state : UINT32_MAX,
		.allow = (const char *const *)u->imports,
		.n_allow = u->n_imports,
		.settings = (const char *const *)u->settings,
		.n_settings = u->n_settings,
		.verdict = &m->verdict,
	};
	return ward_check(m->bytes, m->size, &options, why) == 0;
}

/* ward_check is for processes. Settings are judged when the module is attached. */
static bool kernel_module_check(
	const struct agent_unit *u, struct agent_module *m, const struct agent_limits *limits, struct ward_error *why)
{
	struct ward_verify_options options = {
		.size = sizeof(options),
		.max_insns = limits->max_insns < WARD_KERNEL_INSNS ? limits->max_insns : WARD_KERNEL_INSNS,
		.max_stack = WARD_KERNEL_STACK,
		.max_state = limits->state < UINT32_MAX ? (uint32_t)limits->state : UINT32_MAX,
		.allow = (const char *const *)u->imports,
		.n_allow = u->n_imports,
	};

	m->verdict = ward_verify(m->bytes, m->size, &options);
	if (!m->verdict)
		return cluster_refuse(why, "module", NULL, "out of memory");
	if (!m->verdict->accepted) {
		const struct ward_violation *v = &m->verdict->violations[0];
		cluster_fail(why, WARD_E_REJECTED, "module", "%s at 0x%llx: %s (%s)", v->reason,
			(unsigned long long)v->pc, v->detail, ward_rule_number(v->rule));
	} else if (m->verdict->module.profile != WARD_PROFILE_KERNEL)
		cluster_fail(why, WARD_E_USAGE, "module", "it is compiled for processes");
	else
		return true;
	return false;
}

/* The verifier's own reason. */
static bool module_verify(
	const struct agent_unit *u, struct agent_module *m, const struct agent_limits *limits, struct ward_error *err)
{
	struct ward_error why = {0};

	if (u->order->kernel ? kernel_module_check(u, m, limits, &why) : module_check(u, m, limits, &why))
		return true;
	cluster_refuse(err, why.what, "C-60", "%s", why.why);
	cluster_hint(err, "%s", why.hint);
	if (err)
		err->status = why.status;
	return false;
}

/*
 * C-151: what reads the kernel's memory reads at the offsets of one kernel's structures. At another one's it would
 * count something else, and nobody would see it.
 */
static bool module_build_check(const struct agent_unit *u, const struct agent_module *m, struct ward_error *err)
{
	if (!u->order->kernel || m->variant->has_kernel)
		return true;
	if (cluster_module_reads_kernel(&m->verdict->module)) {
		cluster_refuse(err, "module", "C-151",
			"it reads the kernel's memory, and the order doesn't say of which kernel");
		cluster_hint(err, "--variant BUILD-ID=MODULE says so");
		return false;
	}
	return true;
}

/* C-51, C-52 of the sites that the module itself names; a probe without any needs the order's. */
static bool module_sites_check(const struct agent_unit *u, const struct agent_module *module,
	const struct agent_coordinator *who, struct ward_error *err)
{
	const struct ward_module_facts *m = &module->verdict->module;
	bool ok = true;

	for (size_t i = 0; ok && !u->n_sites && i < m->n_entries; i++) {
		const char *site = m->entries[i].site;
		ok = *site ? agent_policy_site(who, site, err)
			   : cluster_refuse(err, "order", "C-51", "neither the order nor probe %s says where it goes",
				     m->entries[i].name);
	}
	return ok;
}

/* All of a unit have one shape, so one schema does for their sums. */
static bool module_schema_check(
	struct agent_unit *u, const struct agent_module *m, const struct agent_coordinator *who, struct ward_error *err)
{
	ward_schema *schema = NULL;
	uint8_t digest[CLUSTER_DIGEST];
	struct ward_error why;
	bool ok;

	if (ward_schema_read(m->bytes, m->size, &schema, &why))
		return cluster_refuse(err, "module", "C-46", "%s", why.why);
	if (!cluster_shape_digest(schema, digest))
		ok = cluster_refuse(err, "module", NULL, "out of memory");
	else if (!cluster_bytes_equal(u->order->shape, digest, sizeof(digest)))
		ok = cluster_refuse(err, "module", "C-46", "its state has another shape than the order says");
	else
		ok = agent_policy_results(who, schema, err);
	if (u->schema)
		ward_schema_free(schema);
	else
		u->schema = schema;
	return ok;
}

/* ---- all of a unit ---- */

/* C-59: those of this kernel. What stands behind one that every process may have is never reached. */
static size_t variants_choose(const Ward__Cluster__Unit *unit, const struct agent_here *here, struct agent_module *into)
{
	size_t n = 0;

	for (size_t i = 0; i < unit->n_variant; i++) {
		const Ward__Cluster__Variant *v = unit->variant[i];
		if (v->has_kernel && !cluster_bytes_equal(v->kernel, here->kernel, here->n_kernel))
			continue;
		if (v->has_file && unit->kernel)
			continue;
		into[n].variant = v;
		into[n].bytes = v->module.data;
		into[n++].size = v->module.len;
		if (!v->has_file)
			break;
	}
	return n;
}

bool agent_modules_take(struct agent_unit *u, const struct agent_limits *limits, const struct agent_config *config,
	const struct agent_coordinator *who, const struct agent_here *here, struct ward_error *err)
{
	char id[2 * sizeof(here->kernel) + 1];

	u->modules = calloc(u->order->n_variant + 1, sizeof(*u->modules));
	if (!u->modules)
		return cluster_refuse(err, "order", NULL, "out of memory");
	u->n_modules = variants_choose(u->order, here, u->modules);
	cluster_hex(here->kernel, here->n_kernel, id);
	if (!u->n_modules) {
		cluster_refuse(err, "order", "C-59", "no module for kernel %s", *id ? id : "(unknown)");
		cluster_hint(err, "ward cc --btf compiles for it, by a copy of its /sys/kernel/btf/vmlinux");
		return false;
	}
	for (size_t i = 0; i < u->n_modules; i++) {
		struct agent_module *m = &u->modules[i];
		if (!agent_policy_module(config, who, m->variant, err) || !module_verify(u, m, limits, err) ||
			!module_build_check(u, m, err) || !module_sites_check(u, m, who, err) ||
			!module_schema_check(u, m, who, err))
			return false;
	}
	return true;
}

bool agent_modules_allowed(const struct agent_unit *u, const struct agent_config *config,
	const struct agent_coordinator *who, struct ward_error *err)
{
	for (size_t i = 0; i < u->n_modules; i++)
		if (!agent_policy_module(config, who, u->modules[i].variant, err) ||
			!module_sites_check(u, &u->modules[i], who, err))
			return false;
	return agent_policy_results(who, u->schema, err);
}

const struct agent_module *agent_modules_find(
	const struct agent_unit *u, const struct agent_process *process, struct ward_error *err)
{
	uint8_t id[CLUSTER_BUILD_ID] = {0};
	char text[2 * CLUSTER_BUILD_ID + 1];
	bool by_file = u->modules[0].variant->has_file;
	size_t n = process && by_file ? cluster_build_id_of_program(process->pid, id) : 0;

	for (size_t i = 0; i < u->n_modules; i++) {
		const Ward__Cluster__Variant *v = u->modules[i].variant;
		if (!v->has_file || (n && cluster_bytes_equal(v->file, id, n)))
			return &u->modules[i];
	}
	cluster_hex(id, n, text);
	cluster_refuse(err, "order", "C-150", "no module for program %s", n ? text : "(without a build-id)");
	return NULL;
}

void agent_modules_free(struct agent_unit *u)
{
	for (size_t i = 0; i < u->n_modules; i++)
		ward_verdict_free(u->modules[i].verdict);
	free(u->modules);
	ward_schema_free(u->schema);
}
