/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a state's shape. */
#ifndef WARD_CLUSTER_WIRE_SHAPE_H
#define WARD_CLUSTER_WIRE_SHAPE_H

#include "message.h"

/*
 * The fields of a schema as of a snapshot of nothing: their parts, too, which ward_schema_field doesn't have. NULL
 * without memory. Free it with ward_snapshot_free; the schema must outlive it.
 */
ward_snapshot *cluster_shape_fields(const ward_schema *schema);
/*
 * The digest of what the fields are: their names, kinds, signs and sizes. A coordinator and an agent that read it
 * from one module have the same (C-46). false without memory.
 */
bool cluster_shape_digest(const ward_schema *schema, uint8_t digest[CLUSTER_DIGEST]);

/* Can windows be cut of it: is there a difference of all that it keeps (C-111)? */
bool cluster_shape_has_difference(const ward_schema *schema, struct ward_error *err);

/* Does the module read the kernel's memory, where offsets are those of one kernel's structures (C-151)? */
struct ward_module_facts;
bool cluster_module_reads_kernel(const struct ward_module_facts *facts);

/* Is a number of it kept in counts of a processor's time stamp counter, which are no time on another machine? */
bool cluster_shape_has_counts(const ward_schema *schema);

#endif
