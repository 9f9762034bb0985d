/* SPDX-License-Identifier: Apache-2.0 */
/* Reads members of a module's structure, struct loop_device, and of the kernel's structures that it points to. */
#include <string.h>

#include <ward/kernel.h>
#include <ward/probe.h>

WARD_KERNEL_MODULE(loop);

struct ward_state {
	ward_count requests, good_name, good_queue;
	WARD_MAP(int, ward_count, 8) by_number;
	WARD_MAP(unsigned long, ward_count, 8) by_offset;
	WARD_MAP(unsigned long, ward_count, 8) by_limit;
	WARD_MAP(int, ward_count, 8) by_flags;
	WARD_MAP(unsigned long, ward_count, 8) by_inode;
};

WARD_ENTRY("kernel!loop_queue_rq")
void on_request(const struct ward_event *ev, struct ward_state *st)
{
	const struct loop_device *device = WARD_GET(WARD_ARG(struct blk_mq_hw_ctx *, 0), queue, queuedata);
	char name[16] = "";

	st->requests++;
	ward_map_add(&st->by_number, WARD_GET(device, lo_number), 1);
	ward_map_add(&st->by_offset, WARD_GET(device, lo_offset), 1);
	ward_map_add(&st->by_limit, WARD_GET(device, lo_sizelimit), 1);
	ward_map_add(&st->by_flags, WARD_GET(device, lo_flags), 1);
	ward_map_add(&st->by_inode, WARD_GET(device, lo_backing_file, f_inode, i_ino), 1);
	ward_kernel_read_str(name, sizeof name, WARD_AT(device, lo_file_name));
	st->good_name += memcmp(name, "ward's image", 13) == 0;
	/* Far behind: the disk's own queue is the one that the request has come by. */
	st->good_queue += WARD_GET(device, lo_queue) == WARD_GET(WARD_ARG(struct blk_mq_hw_ctx *, 0), queue);
}
