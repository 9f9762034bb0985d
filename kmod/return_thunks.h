/* SPDX-License-Identifier: GPL-2.0-only */
/* What is loaded, while it is prepared for its place in the arena. */
#ifndef WARD_RETURN_THUNKS_H
#define WARD_RETURN_THUNKS_H

#include "ward.h"

struct ward_image {
	u8 *bytes;
	u32 size, text_size;
	const u8 *at; /* where it will be */
	struct ward_k_slot *slots;
	u32 n_slots;
	u32 *exits; /* in the text */
	u32 n_exits;
};

/*
 * Returns, and what goes through slots. EINVAL: one is something else, or out of
 * reach; EOPNOTSUPP: this kernel returns by a thunk, and there is no room.
 */
int ward_replace_exits(struct ward_image *im);

#endif
