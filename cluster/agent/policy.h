/* SPDX-License-Identifier: Apache-2.0 */
/* May a coordinator have what it orders? Each function refuses with the rule that says no. policy.c describes how. */
#ifndef WARD_CLUSTER_AGENT_POLICY_H
#define WARD_CLUSTER_AGENT_POLICY_H

#include "config.h"
#include "process.h"

/* What can be said of an order before its modules are looked at: C-50 to C-54, C-57 and C-58. */
bool agent_policy_order(const struct agent_config *config, const struct agent_coordinator *who,
	const Ward__Cluster__Order *order, struct ward_error *err);
/* A site, or the name of a function that a site's pattern fits (C-51, C-52). */
bool agent_policy_site(const struct agent_coordinator *who, const char *site, struct ward_error *err);
/* A process (C-53). */
bool agent_policy_process(const struct agent_coordinator *who, const struct agent_process *process);
/* A module: has one of the reviewers signed it, if one must have (C-56)? */
bool agent_policy_module(const struct agent_config *config, const struct agent_coordinator *who,
	const Ward__Cluster__Variant *variant, struct ward_error *err);
/* What a module's fields would send (C-55). */
bool agent_policy_results(const struct agent_coordinator *who, const ward_schema *schema, struct ward_error *err);

/* What holds: the least of what the order asks for and the configuration allows. */
struct agent_limits agent_policy_limits(const struct agent_config *config, const Ward__Cluster__Order *order);

/* May this key end the query of another one, or go on with it? */
bool agent_policy_take_over(const struct agent_config *config, const uint8_t *key, const uint8_t *issuer);

#endif
