/* SPDX-License-Identifier: GPL-2.0-only */
/* unwind.h in the kernel: what it asks for. */
#ifndef WARD_USER_WALK_H
#define WARD_USER_WALK_H

#include <linux/mm.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#define WARD_USER_END TASK_SIZE_MAX

#include "unwind.h"

/* Page faults are off: a page that isn't there isn't fetched. */
static inline bool ward_word_read(u64 at, u64 *word)
{
	return at % 8 == 0 && access_ok((void __user *)at, sizeof(*word)) &&
	       !raw_copy_from_user(word, (void __user *)at, sizeof(*word));
}

struct ward_session;

/*
 * unwind_tables.c: what was handed over of the process that stacks begin with so; nothing, if nothing was. It lasts as
 * long as preemption stays off.
 */
void ward_find_places(const struct ward_session *s, const u64 owner[2], struct ward_places *places);

#endif
