/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Do requests to disks go on where the one before has ended, or somewhere else?
 *
 *	ward trace --kernel -d 10 probes/tools/kernel/biopattern.c
 *
 * The first request that is seen of each disk is in neither count.
 */
#include <ward/kernel.h>
#include <ward/probe.h>

struct ward_state {
	ward_count requests, bytes, sequential, random;
};

/* By disk (its queue): the sector behind the last request. */
WARD_SHARED(WARD_SHARED_MAP(const void *, unsigned long, 1024) behind;);

WARD_ENTRY("kernel:block:block_rq_issue")
void on_request(const struct ward_event *ev, struct ward_state *st)
{
	const struct request *rq = WARD_ARG(struct request *, 0);
	const void *disk = WARD_GET(rq, q);
	unsigned long sector = WARD_GET(rq, __sector), bytes = WARD_GET(rq, __data_len), behind;

	st->requests++;
	st->bytes += bytes;
	if (ward_shared_map_pop(&ward_shared.behind, disk, &behind)) {
		st->sequential += sector == behind;
		st->random += sector != behind;
	}
	ward_shared_map_put(&ward_shared.behind, disk, sector + bytes / 512);
}
