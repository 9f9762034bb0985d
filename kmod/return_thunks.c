// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns and import calls of probes, as the kernel itself makes them on this processor. A return for which the
 * kernel has a thunk becomes a jump to it; `ward cc` leaves room for that. A call through a slot becomes a direct
 * branch, which can't be mispredicted.
 *
 * The verifier has found these places, and libward passes them on. This file checks again that each is one of these
 * instructions, in the text.
 */
#include <linux/string.h>

#include "emit.h"
#include "return_thunks.h"

enum { RET = 0xc3, CALL = 0xe8, JMP = 0xe9, NOP = 0x90, INT3 = 0xcc, BRANCH_SIZE = 5, THROUGH_SIZE = 6 };

static bool put_branch(struct ward_image *im, u32 offset, u8 opcode, const void *to)
{
	s64 distance = (long)to - (long)(im->at + offset + BRANCH_SIZE);
	s32 near = distance;

	if (near != distance)
		return false;
	im->bytes[offset] = opcode;
	memcpy(im->bytes + offset + 1, &near, sizeof(near));
	return true;
}

static int replace_return(struct ward_image *im, u32 offset)
{
	static const u8 room[BRANCH_SIZE] = {RET, INT3, INT3, INT3, INT3};
	const void *thunk = ward_return_thunk();

	if (!thunk)
		return 0;
	if (im->text_size - offset < BRANCH_SIZE || memcmp(im->bytes + offset, room, BRANCH_SIZE))
		return -EOPNOTSUPP;
	return put_branch(im, offset, JMP, thunk) ? 0 : -EINVAL;
}

/* The import whose slot it is, NULL: none's. */
static const void *import_at(const struct ward_image *im, s64 offset)
{
	u32 i;

	for (i = 0; i < im->n_slots; i++)
		if (im->slots[i].offset == offset)
			return ward_import(im->slots[i].import);
	return NULL;
}

static int replace_through(struct ward_image *im, u32 offset)
{
	u8 *p = im->bytes + offset;
	const void *import;
	bool call;
	s32 disp;

	if (im->text_size - offset < THROUGH_SIZE || p[0] != 0xff || (p[1] != 0x15 && p[1] != 0x25))
		return -EINVAL;
	call = p[1] == 0x15;
	memcpy(&disp, p + 2, sizeof(disp));
	import = import_at(im, (s64)offset + THROUGH_SIZE + disp);
	if (!import || !put_branch(im, offset, call ? CALL : JMP, import))
		return -EINVAL;
	p[BRANCH_SIZE] = call ? NOP : INT3;
	return 0;
}

int ward_replace_exits(struct ward_image *im)
{
	u32 i, offset;
	int err = 0;

	for (i = 0; i < im->n_exits && !err; i++) {
		offset = im->exits[i];
		if (offset >= im->text_size)
			return -EINVAL;
		err = im->bytes[offset] == RET ? replace_return(im, offset) : replace_through(im, offset);
	}
	return err;
}
