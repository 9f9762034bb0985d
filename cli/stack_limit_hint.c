/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack that is too deep: leave out the violations that only follow from it.
 *
 * Where a function needs more stack than the limit allows, the verifier goes on without knowing its frame, and refuses
 * everything that is done with it. That gives hundreds of violations beside the one that matters. To find out which of
 * them only follow from it, the module is verified again with the largest limit that there is: what is refused even
 * then is wrong by itself. If the stack is too deep even for that, only the depth is reported; other violations show
 * when the depth is corrected.
 */
#include <stdlib.h>

#include "cli.h"

static size_t count_described(const struct ward_verdict *verdict)
{
	return verdict->n_violations < WARD_MAX_VIOLATIONS ? verdict->n_violations : WARD_MAX_VIOLATIONS;
}

static size_t count_deep(const struct ward_verdict *verdict)
{
	size_t n = 0;
	for (size_t i = 0; i < count_described(verdict); i++)
		n += verdict->violations[i].rule == WARD_RULE_DEPTH;
	return n;
}

static bool has_violation(const struct ward_verdict *verdict, const struct ward_violation *v)
{
	for (size_t i = 0; i < count_described(verdict); i++)
		if (verdict->violations[i].rule == v->rule && verdict->violations[i].pc == v->pc)
			return true;
	return false;
}

struct ward_violation *cli_drop_stack_followups(
	const struct cli_bytes *module, const struct ward_verify_options *options, struct ward_verdict *verdict)
{
	struct ward_verify_options most = *options;
	size_t deep = count_deep(verdict), n = 0;
	if (deep == 0 || deep == verdict->n_violations)
		return NULL;
	most.max_stack = WARD_STACK_CEILING;
	struct ward_verdict *deepest = ward_verify(module->data, module->size, &most);
	struct ward_violation *kept = deepest ? calloc(count_described(verdict), sizeof(*kept)) : NULL;
	bool unknown = deepest && count_deep(deepest) > 0;
	for (size_t i = 0; kept && i < count_described(verdict); i++) {
		const struct ward_violation *v = &verdict->violations[i];
		if (v->rule == WARD_RULE_DEPTH || (!unknown && has_violation(deepest, v)))
			kept[n++] = *v;
	}
	ward_verdict_free(deepest);
	if (kept) {
		verdict->violations = kept;
		verdict->n_violations = n;
	}
	return kept;
}
