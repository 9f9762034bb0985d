/* SPDX-License-Identifier: Apache-2.0 */
/* Compares struct ward_event of the dialect with the table of its fields, event.def. */
#include <criterion/criterion.h>
#include <stddef.h>

#include "ward/probe.h"

struct field {
	const char *name;
	size_t offset, size, count;
};

Test(event, layout_is_that_of_the_table)
{
	static const struct field fields[] = {
#define EVENT_FIELD(name, count, text) \
	{#name, offsetof(struct ward_event, name), sizeof(((struct ward_event *)0)->name), count},
#include "ward/event.def"
#undef EVENT_FIELD
	};
	size_t at = 0, i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		cr_expect_eq(fields[i].offset, at, "%s stands at %zu, not %zu", fields[i].name, fields[i].offset, at);
		cr_expect_eq(fields[i].size, 8 * fields[i].count, "%s has %zu bytes", fields[i].name, fields[i].size);
		at += 8 * fields[i].count;
	}
	cr_expect_eq(sizeof(struct ward_event), at);
}
