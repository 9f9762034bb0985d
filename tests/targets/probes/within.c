/* SPDX-License-Identifier: Apache-2.0 */
#include <ward/probe.h>

struct ward_state {
	ward_count rets, foreign;
};

WARD_ENTRY("prog!work:return") void leave(const struct ward_event *ev, struct ward_state *st)
{
	st->rets++;
	st->foreign += ev->ret != ev->arg[0] * 3 + 1;
}
