/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files are read and written as disks, through loop devices, and how much of each?
 *
 *	modprobe loop
 *	ward trace --kernel -d 10 probes/kernel/loops.c
 *
 * Loop devices belong to a kernel module. It must be loaded, so that its structures are known.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

WARD_KERNEL_MODULE(loop);

struct disk {
	int loop;
	char file[28];
};

struct ward_state {
	WARD_MAP(struct disk, ward_stat, 64) bytes;
};

WARD_ENTRY("kernel!loop_queue_rq")
void on_request(const struct ward_event *ev, struct ward_state *st)
{
	const struct loop_device *device = WARD_GET(WARD_ARG(struct blk_mq_hw_ctx *, 0), queue, queuedata);
	const struct request *request = WARD_GET(WARD_ARG(struct blk_mq_queue_data *, 1), rq);
	struct disk disk = {.loop = WARD_GET(device, lo_number)};

	ward_kernel_read_str(
		disk.file, sizeof(disk.file), (uint64_t)WARD_GET(device, lo_backing_file, f_path.dentry, d_name.name));
	ward_stat_add(ward_map_at(&st->bytes, disk), WARD_GET(request, __data_len));
}
