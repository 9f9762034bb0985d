/* SPDX-License-Identifier: Apache-2.0 */
/* A file of credentials for the bus. creds.c describes it. */
#ifndef WARD_CLUSTER_BUS_CREDS_H
#define WARD_CLUSTER_BUS_CREDS_H

#include "ward/ward.h"

/* PEM texts. */
struct bus_creds {
	char *certificate, *key, *ca;
};

/* `ca`: a file of certificates to trust instead of those in the credentials; or NULL. */
int bus_creds_read(const char *path, const char *ca, struct bus_creds *out, struct ward_error *err);
void bus_creds_free(struct bus_creds *c);

#endif
