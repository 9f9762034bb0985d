/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large are the requests to disks, by program?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/bitesize.c
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct program {
	char name[16];
};

struct ward_state {
	WARD_MAP(struct program, ward_log2, 256) bytes;
};

WARD_ENTRY("kernel:block:block_rq_issue")
void on_request(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct program program = {0};

	if (ward_kernel_current(&it, sizeof(it)))
		__builtin_memcpy(program.name, it.comm, sizeof(program.name));
	ward_log2_add(ward_map_at(&st->bytes, program), WARD_GET(WARD_ARG(struct request *, 0), __data_len));
}
