/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine merge: from the states of all sessions of a query to what it has kept. Only this file of query/ knows
 * libward.
 */
#ifndef WARD_QUERY_MACHINE_H
#define WARD_QUERY_MACHINE_H

#include "query.h"
#include "ward/partial.h"

/* A session, whose probe is the query's, and whose it is. */
struct query_part {
	const struct query_session *who;
	ward_session *session; /* NULL: it is over, and `last` is what it had */
	const ward_schema *schema;
	ward_names *names; /* of all parts, or of none */
	ward_drain *drain; /* of the session's maps that hand on, opened with these names; or NULL */
	ward_partial *last;
};

struct query_kept {
	struct query_entry *entries,
		*windowed; /* windowed: what the probe keeps by window; not by itself to be freed */
	size_t n, n_windowed;
	uint64_t seen;                      /* events that were kept by window, in all */
	uint64_t left_out[QUERY_DIVISIONS]; /* events of which something can't be computed: by which division */
	uint64_t unread;                    /* how often memory of the kernel's target wasn't there to be read */
	uint64_t without_room;              /* events whose keys found no room in a map */
	uint64_t unlisted;                  /* entries that the snapshots leave out */
	struct query_gate gates[QUERY_GATES];
	struct query_pairs pairs;
	uint64_t unpaired;        /* records that the reader had no room for */
	struct query_kept *other; /* of the other table; NULL: there is one */
	ward_snapshot **snapshots;
	size_t n_snapshots;
	/* private */
	void *memory[2];
};

/* Is what these sessions have kept added, where rows tell `apart` (query_sessions_apart) apart? */
bool query_belongs(unsigned apart, const struct query_session *a, const struct query_session *b);

/* The members of a record, one for each column. */
void query_record_read(const struct query *q, const struct ward_field *field, const struct ward_record *record,
	struct query_value *members);

/* A record of one side of a pair. */
void query_pair_read(const struct ward_field *field, const struct ward_record *record, struct query_record *out);
/* The entries, and what was counted, are those of what the reader has joined. */
void query_kept_join(struct query_kept *kept, const struct query_joined *joined);

/*
 * Take what all parts have kept, and add it: all of it, or what belongs to one process or program, if the rows say
 * which. Schemas and sessions' descriptions outlive *kept. `schema` is the probe's, for no parts. Free with
 * query_kept_free. A status of libward: WARD_E_USAGE if a state isn't that of the query's probe.
 */
int query_machine_take(const struct query *q, const ward_schema *schema, const struct query_part *parts, size_t n,
	struct query_kept *kept, struct ward_error *err);
void query_kept_free(struct query_kept *kept);

#endif
