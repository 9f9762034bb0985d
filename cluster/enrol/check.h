/* SPDX-License-Identifier: Apache-2.0 */
/* What the two halves of a check share. */
#ifndef WARD_CLUSTER_ENROL_CHECK_H
#define WARD_CLUSTER_ENROL_CHECK_H

#include "enrol.h"

struct check {
	const struct enrol_check *given;
	size_t faults;
	char ca[4096];
	char output[8192]; /* of openssl */
};

void enrol_check_found(struct check *c, const struct ward_error *fault);
void enrol_check_warn(struct check *c, const struct ward_error *fault);

/* check_server.c */
void enrol_check_server(struct check *c);

#endif
