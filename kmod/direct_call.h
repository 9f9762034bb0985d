/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leads: a lead is the one call in a function's first instruction, with the hooks that share the function.
 * direct_call.c describes them.
 */
#ifndef WARD_DIRECT_CALL_H
#define WARD_DIRECT_CALL_H

#include "hook.h"

/*
 * Redirect a hook's functions to its code, which continues to that of other hooks of these functions, if there are
 * any: to its wrap, if it has one, else to a stub that is made. EBUSY: another tracer has one of the functions; or
 * other hooks of ours have some, but not all of them have this hook's; or there would be more functions than the
 * kernel can take; or the hook and another one both wrap calls. On an error nothing has changed.
 */
int ward_lead(struct ward_hook *hook);

/*
 * The same of a hook that has a lead, for its stub or another wrap: from now on
 * it has this one, and *wrap is what it had. Nobody sees it with a wrap where it
 * isn't the last yet: all before it would be left out.
 */
int ward_lead_wrap(struct ward_hook *hook, struct ward_wrap **wrap);

/*
 * No function leads to a hook of the session any more, but tasks may still be
 * there. On errors some do.
 */
int ward_leads_leave(struct ward_session *s);

/* Where a function continues behind its call; NULL if something else is at its beginning. */
const u8 *ward_rest_of(unsigned long site);

#endif
