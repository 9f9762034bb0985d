/* SPDX-License-Identifier: Apache-2.0 */
/* Who says something: ed25519 keys of coordinators and reviewers, and what they have signed. */
#ifndef WARD_CLUSTER_WIRE_SIGN_H
#define WARD_CLUSTER_WIRE_SIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum {
	CLUSTER_KEY = 32,    /* bytes of a public key */
	CLUSTER_SECRET = 64, /* of a secret one, with the public one behind */
	CLUSTER_SIGNATURE = 64,
	CLUSTER_KEY_TEXT = 57, /* a public key as text, with the terminating zero */
};

/* A public key as minisign prints it: "RWQ" and 53 characters more. `number` may be NULL. */
struct cluster_key {
	uint8_t number[8]; /* by which minisign's signatures name their key */
	uint8_t key[CLUSTER_KEY];
};
bool cluster_key_read(const char *text, struct cluster_key *key);
void cluster_key_print(const struct cluster_key *key, char text[CLUSTER_KEY_TEXT]);

/* A secret key: its file has a comment, and a line of base64. The file is made anew, and only its owner may read it. */
struct cluster_secret {
	struct cluster_key key;
	uint8_t secret[CLUSTER_SECRET];
};
bool cluster_secret_make(struct cluster_secret *secret, struct ward_error *err);
bool cluster_secret_save(const struct cluster_secret *secret, const char *path, struct ward_error *err);
/* Refused if others than its owner could read it. */
bool cluster_secret_load(struct cluster_secret *secret, const char *path, struct ward_error *err);

/* Sign a body: the bytes of a Signed, to be freed with free; NULL without memory. */
void *cluster_sign(const struct cluster_secret *secret, Ward__Cluster__Signed__Kind kind, const ProtobufCMessage *body,
	size_t *size);
/*
 * Is the signature that of its key, over the kind and the body as it came (C-35)? It says nothing of whose key that
 * is, and the body hasn't been looked at.
 */
bool cluster_signed_check(const Ward__Cluster__Signed *m, struct ward_error *err);
/* "order", "cancel", … */
const char *cluster_kind_name(Ward__Cluster__Signed__Kind kind);

/* Is `review`, the text of a .minisig file, that key's signature of the bytes (C-45)? Only of the hashed kind, "ED". */
bool cluster_review_check(
	const struct cluster_key *key, const void *review, size_t n_review, const void *bytes, size_t size);

void cluster_digest(const void *bytes, size_t size, uint8_t digest[CLUSTER_DIGEST]); /* SHA-256 */
void cluster_hex(const void *bytes, size_t n, char *text);                           /* 2n characters and a zero */
bool cluster_hex_read(const char *text, size_t n, uint8_t *bytes);

#endif
