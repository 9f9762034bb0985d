/* SPDX-License-Identifier: Apache-2.0 */
#include "orders.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/wire/shape.h"

ProtobufCBinaryData made_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes = malloc(1 << 20);
	size_t n = f && bytes ? fread(bytes, 1, 1 << 20, f) : 0;

	if (!n) {
		fprintf(stderr, "%s can't be read\n", path);
		abort();
	}
	fclose(f);
	return (ProtobufCBinaryData){n, bytes};
}

ProtobufCBinaryData made_text(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

void made_shape(struct made_unit *u)
{
	ward_schema *schema = NULL;

	if (ward_schema_read(u->variants[0].module.data, u->variants[0].module.len, &schema, NULL) == 0)
		cluster_shape_digest(schema, u->shape);
	ward_schema_free(schema);
	u->unit.shape = (ProtobufCBinaryData){sizeof(u->shape), u->shape};
}

void made_order(struct made_order *o, ProtobufCBinaryData module, uint64_t now_at)
{
	struct made_unit *u = &o->units[0];

	memset(o, 0, sizeof(*o));
	o->order = (Ward__Cluster__Order)WARD__CLUSTER__ORDER__INIT;
	o->choice = (Ward__Cluster__Choice)WARD__CLUSTER__CHOICE__INIT;
	o->limits = (Ward__Cluster__Limits)WARD__CLUSTER__LIMITS__INIT;
	for (int i = 0; i < 2; i++) {
		o->unit[i] = &o->units[i].unit;
		o->units[i].unit = (Ward__Cluster__Unit)WARD__CLUSTER__UNIT__INIT;
		for (int j = 0; j < 2; j++) {
			o->units[i].variants[j] = (Ward__Cluster__Variant)WARD__CLUSTER__VARIANT__INIT;
			o->units[i].variant[j] = &o->units[i].variants[j];
			o->units[i].variants[j].review = o->units[i].reviews;
		}
		o->units[i].unit.variant = o->units[i].variant;
		o->units[i].unit.site = o->units[i].sites;
		o->units[i].unit.process = o->units[i].processes;
		o->units[i].unit.import = o->units[i].imports;
		o->units[i].unit.setting = o->units[i].settings;
	}
	u->variants[0].module = module;
	u->unit.n_variant = 1;
	made_shape(u);
	randombytes_buf(o->id, sizeof(o->id));
	o->order.query = (ProtobufCBinaryData){sizeof(o->id), o->id};
	o->order.cluster = made_text("test");
	o->order.issuer = made_text("alice");
	o->order.issued_at = now_at;
	o->order.not_after_at = now_at + 3600ull * 1000000000;
	o->order.choice = &o->choice;
	o->order.limits = &o->limits;
	o->order.unit = o->unit;
	o->order.n_unit = 1;
	o->order.duration_ns = 600ull * 1000000000;
	o->order.lease_ns = 60ull * 1000000000;
	o->order.period_ns = 200000000;
	o->order.keep_ns = 600ull * 1000000000;
	o->order.shards = 1;
}

void made_site(struct made_order *o, const char *site)
{
	o->units[0].sites[o->unit[0]->n_site++] = made_text(site);
}

void made_process(struct made_order *o, const char *conditions)
{
	o->units[0].processes[o->unit[0]->n_process++] = made_text(conditions);
}

void made_import(struct made_order *o, const char *name)
{
	o->units[0].imports[o->unit[0]->n_import++] = made_text(name);
}

void *made_bytes(const struct made_order *o, const struct cluster_secret *key, size_t *size)
{
	return cluster_sign(key, WARD__CLUSTER__SIGNED__KIND__ORDER, &o->order.base, size);
}
