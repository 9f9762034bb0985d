/* SPDX-License-Identifier: Apache-2.0 */
/* Names of machines and subjects on the bus. */
#ifndef WARD_CLUSTER_WIRE_SUBJECT_H
#define WARD_CLUSTER_WIRE_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum { CLUSTER_NAME = 128, CLUSTER_SUBJECT = 256 }; /* with the terminating zero */

/*
 * A machine's name on the bus is its host name in small letters, with colons for dots, so that it is one token of a
 * subject (C-37): web17:example:net. false if it is none.
 */
bool cluster_name_from_host(const char *host, char name[CLUSTER_NAME]);
bool cluster_name_to_host(const char *name, char host[CLUSTER_NAME]);

/* What a subject is for: its second token. */
enum cluster_subject_kind {
	CLUSTER_ORDER,     /* ward.order.NAME, or ward.order.all without a name */
	CLUSTER_BEAT,      /* ward.beat.ID */
	CLUSTER_HELLO,     /* ward.hello.NAME */
	CLUSTER_WANT,      /* ward.want.ID.NAME */
	CLUSTER_NOTE,      /* ward.note.ID.NAME */
	CLUSTER_PART,      /* ward.part.ID.LEVEL.SHARD.NAME */
	CLUSTER_RECORD,    /* ward.record.ID.NAME */
	CLUSTER_GOT,       /* ward.got.NAME */
	CLUSTER_ASK,       /* ward.ask */
	CLUSTER_READY,     /* ward.ready.NAME */
	CLUSTER_WORK,      /* ward.work.NAME */
	CLUSTER_OUT_HEAD,  /* ward.out.ID.head */
	CLUSTER_OUT_TABLE, /* ward.out.ID.table */
	CLUSTER_SUBJECTS,
};

/* What a subject says. Parts that its kind doesn't have are zero. */
struct cluster_subject {
	enum cluster_subject_kind kind;
	uint8_t query[CLUSTER_ID];
	uint32_t level, shard;
	char name[CLUSTER_NAME]; /* as on the bus; empty: all */
};
void cluster_subject_write(const struct cluster_subject *s, char text[CLUSTER_SUBJECT]);
/* Refuses what cluster_subject_write wouldn't write, to the letter (C-38). */
bool cluster_subject_read(const char *text, struct cluster_subject *s);

/* The shard of a machine. */
uint32_t cluster_shard(const char *name, uint32_t shards);

#endif
