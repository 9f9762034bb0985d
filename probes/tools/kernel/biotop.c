/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs ask most of the disks?
 *
 *	ward trace --kernel --live probes/tools/kernel/biotop.c
 *
 * It is the program that runs when the request goes out. That may be the kernel's own (kworker), which writes what
 * others have left in memory.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct io_program {
	int process;
	char name[16];
};

struct io_amounts {
	ward_count requests, bytes;
};

struct ward_state {
	WARD_MAP(struct io_program, struct io_amounts, 1024) programs;
};

WARD_ENTRY("kernel:block:block_rq_issue")
void on_request(const struct ward_event *ev, struct ward_state *st)
{
	struct ward_current it;
	struct io_program program = {0};
	struct io_amounts *amounts;

	if (ward_kernel_current(&it, sizeof(it))) {
		program.process = (int)it.pid;
		__builtin_memcpy(program.name, it.comm, sizeof(program.name));
	}
	amounts = ward_map_at(&st->programs, program);
	amounts->requests++;
	amounts->bytes += WARD_GET(WARD_ARG(struct request *, 0), __data_len);
}
