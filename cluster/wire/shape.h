/* SPDX-License-Identifier: Apache-2.0 */
/* The digest of a state's shape. */
#ifndef WARD_CLUSTER_WIRE_SHAPE_H
#define WARD_CLUSTER_WIRE_SHAPE_H

#include "message.h"

/*
 * The digest of what a schema's fields are: their names, kinds, signs and sizes. A coordinator and an agent that read
 * it from one module have the same (C-46).
 */
void cluster_shape_digest(const ward_schema *schema, uint8_t digest[CLUSTER_DIGEST]);

#endif
