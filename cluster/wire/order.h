/* SPDX-License-Identifier: Apache-2.0 */
/* What an order's fields must be together. */
#ifndef WARD_CLUSTER_WIRE_ORDER_H
#define WARD_CLUSTER_WIRE_ORDER_H

#include "message.h"

/* C-41: what no coordinator may order, whatever an agent's policy says. */
bool cluster_order_check(const Ward__Cluster__Order *order, struct ward_error *err);

#endif
