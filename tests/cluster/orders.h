/* SPDX-License-Identifier: Apache-2.0 */
/* Orders that are right, to be changed and signed. */
#ifndef WARD_TESTS_CLUSTER_ORDERS_H
#define WARD_TESTS_CLUSTER_ORDERS_H

#include "cluster/wire/sign.h"

enum { MADE_TEXTS = 300 };

struct made_unit {
	Ward__Cluster__Unit unit;
	Ward__Cluster__Variant variants[2], *variant[2];
	ProtobufCBinaryData sites[MADE_TEXTS], processes[MADE_TEXTS], imports[8], settings[8], reviews[4];
	uint8_t shape[CLUSTER_DIGEST];
};

struct made_order {
	Ward__Cluster__Order order;
	Ward__Cluster__Choice choice;
	Ward__Cluster__Limits limits;
	uint8_t id[CLUSTER_ID];
	struct made_unit units[2];
	Ward__Cluster__Unit *unit[2];
};

/* A file's bytes; ends the test if there is none. Never freed. */
ProtobufCBinaryData made_file(const char *path);
ProtobufCBinaryData made_text(const char *text);
/* Of one module, for the cluster "test", with an ID of its own, valid from now on for an hour. */
void made_order(struct made_order *o, ProtobufCBinaryData module, uint64_t now_at);
void made_site(struct made_order *o, const char *site);
void made_process(struct made_order *o, const char *conditions);
void made_import(struct made_order *o, const char *name);
/* The digest is that of the module, if it can be read. */
void made_shape(struct made_unit *u);
/* Signed: free it with free. */
void *made_bytes(const struct made_order *o, const struct cluster_secret *key, size_t *size);

#endif
