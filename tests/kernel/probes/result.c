/* SPDX-License-Identifier: Apache-2.0 */
/* What a function returns, which isn't available at its entry. */
#include <ward/probe.h>

struct ward_state {
	ward_count failed;
};

WARD_ENTRY(":return")
void on_return(const struct ward_event *ev, struct ward_state *st)
{
	st->failed += (long)ev->ret < 0;
}
