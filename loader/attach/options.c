/* SPDX-License-Identifier: Apache-2.0 */
/* The options of callers, which may be of an older or a newer version of the structure. */
#include "attach.h"

#include "loader/base/error.h"
#include "loader/base/options.h"

#include <string.h>

/* What is kept of a call says of a probe whether it is for exceptions. */
static int check_more_sites(const struct ward_attach_options *o, struct ward_error *err)
{
	bool returns = o->site && wl_pattern_where(o->site) == WL_RETURN;
	bool throws = o->site && wl_pattern_where(o->site) == WL_THROW;

	for (size_t i = 0; i < o->n_more_sites; i++) {
		if (!o->more_sites || !o->more_sites[i])
			return wl_no_options(err, "ward_attach_options", "names of sites are missing");
		returns |= wl_pattern_where(o->more_sites[i]) == WL_RETURN;
		throws |= wl_pattern_where(o->more_sites[i]) == WL_THROW;
	}
	if (!returns || !throws)
		return 0;
	wl_fail(err, WARD_E_USAGE, "sites", "one probe can't be put on returns and on exceptions at once");
	wl_hint(err, "write a probe function for each, with its site in the source");
	return WARD_E_USAGE;
}

int wl_options(const struct ward_attach_options *given, struct ward_attach_options *o, struct ward_error *err)
{
	int rc = wl_read_options(o, sizeof(*o), given, "ward_attach_options", err);

	if (rc)
		return rc;
	if (o->verdict)
		*o->verdict = NULL;
	if (o->names)
		*o->names = NULL;
	for (size_t i = 0; i < o->n_allow; i++)
		if (!o->allow || !o->allow[i])
			return wl_no_options(err, "ward_attach_options", "names of what is allowed are missing");
	return check_more_sites(o, err);
}
