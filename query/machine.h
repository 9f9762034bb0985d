/* SPDX-License-Identifier: Apache-2.0 */
/* From a snapshot of the probe's state to what a query has kept. Only this file of query/ knows libward. */
#ifndef WARD_QUERY_MACHINE_H
#define WARD_QUERY_MACHINE_H

#include "query.h"
#include "ward/ward.h"

struct query_kept {
	struct query_entry *entries;
	size_t n;
	uint64_t left_out;     /* events of which something can't be computed: a division by zero */
	uint64_t without_room; /* events whose keys found no room in a map */
	uint64_t unlisted;     /* entries that the snapshot leaves out */
	struct query_gate gates[QUERY_GATES];
	/* private */
	void *memory[3];
};

/* The members of a record, one for each column. */
void query_record_read(const struct query *q, const struct ward_field *field, const struct ward_record *record,
	struct query_value *members);

/*
 * The entries use the snapshot's texts. False: no memory, or the state isn't that of the query's probe. Free with
 * query_kept_free.
 */
bool query_kept_read(const struct query *q, const ward_snapshot *snapshot, struct query_kept *kept);
void query_kept_free(struct query_kept *kept);

#endif
