/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures are made and checked by libsodium. What is signed begins with what it is ("ward order 1"), so a
 * signature of one kind of message is none of another kind. Keys are written as minisign writes them, so reviewers
 * need no tool of ours.
 */
#include "sign.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "refuse.h"

#include "cluster/base/error.h"

enum { ALGORITHM = 2, NUMBER = 8, SECRET_SEED = 32, MOST_FILE = 4096 };

static const char *const kinds[] = {"", "order", "cancel", "roll", "beat", "got", "work", "fetch"};

const char *cluster_kind_name(Ward__Cluster__Signed__Kind kind)
{
	return (unsigned)kind < sizeof(kinds) / sizeof(*kinds) ? kinds[kind] : "";
}

/* ---- keys as text ---- */

/* Exactly n bytes of base64. */
static bool base64_read(const char *text, size_t length, uint8_t *bytes, size_t n)
{
	size_t got = 0;
	const char *end = NULL;

	return sodium_base642bin(bytes, n, text, length, NULL, &got, &end, sodium_base64_VARIANT_ORIGINAL) == 0 &&
	       got == n && end == text + length;
}

bool cluster_key_read(const char *text, struct cluster_key *key)
{
	uint8_t raw[ALGORITHM + NUMBER + CLUSTER_KEY];

	if (!base64_read(text, strlen(text), raw, sizeof(raw)) || memcmp(raw, "Ed", ALGORITHM) != 0)
		return false;
	memcpy(key->number, raw + ALGORITHM, NUMBER);
	memcpy(key->key, raw + ALGORITHM + NUMBER, CLUSTER_KEY);
	return true;
}

void cluster_key_print(const struct cluster_key *key, char text[CLUSTER_KEY_TEXT])
{
	uint8_t raw[ALGORITHM + NUMBER + CLUSTER_KEY] = "Ed";

	memcpy(raw + ALGORITHM, key->number, NUMBER);
	memcpy(raw + ALGORITHM + NUMBER, key->key, CLUSTER_KEY);
	sodium_bin2base64(text, CLUSTER_KEY_TEXT, raw, sizeof(raw), sodium_base64_VARIANT_ORIGINAL);
}

/* ---- secret keys ---- */

/* From the seed all else follows; a key's number is chosen at random, and is part of the file. */
static bool secret_fill(struct cluster_secret *s, const uint8_t seed[SECRET_SEED])
{
	return crypto_sign_seed_keypair(s->key.key, s->secret, seed) == 0;
}

bool cluster_secret_make(struct cluster_secret *secret, struct ward_error *err)
{
	uint8_t seed[SECRET_SEED];

	if (sodium_init() < 0)
		return cluster_refuse(err, "key", NULL, "libsodium finds no source of random numbers");
	randombytes_buf(secret->key.number, NUMBER);
	randombytes_buf(seed, sizeof(seed));
	bool ok = secret_fill(secret, seed);
	sodium_memzero(seed, sizeof(seed));
	return ok || cluster_refuse(err, "key", NULL, "libsodium makes no key");
}

bool cluster_secret_save(const struct cluster_secret *secret, const char *path, struct ward_error *err)
{
	static const char comment[] = "untrusted comment: ward secret key\n";
	uint8_t raw[ALGORITHM + NUMBER + SECRET_SEED] = "Wd";
	char text[sizeof(comment) + 64] = {0};
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return cluster_refuse(err, path, NULL, "it can't be made: %s", strerror(errno));
	memcpy(raw + ALGORITHM, secret->key.number, NUMBER);
	memcpy(raw + ALGORITHM + NUMBER, secret->secret, SECRET_SEED); /* a secret key begins with its seed */
	strcpy(text, comment);
	sodium_bin2base64(
		text + strlen(text), sizeof(text) - strlen(text) - 1, raw, sizeof(raw), sodium_base64_VARIANT_ORIGINAL);
	strcat(text, "\n");
	bool ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text) && fsync(fd) == 0;
	ok &= close(fd) == 0;
	sodium_memzero(raw, sizeof(raw));
	sodium_memzero(text, sizeof(text));
	if (ok)
		return true;
	cluster_refuse(err, path, NULL, "it can't be written: %s", strerror(errno));
	unlink(path);
	return false;
}

static bool secret_parse(struct cluster_secret *secret, const char *text)
{
	uint8_t raw[ALGORITHM + NUMBER + SECRET_SEED];
	const char *line = strchr(text, '\n');

	if (strncmp(text, "untrusted comment:", 18) != 0 || !line)
		return false;
	bool ok = base64_read(line + 1, strcspn(line + 1, "\n"), raw, sizeof(raw)) && memcmp(raw, "Wd", ALGORITHM) == 0;
	if (ok) {
		memcpy(secret->key.number, raw + ALGORITHM, NUMBER);
		ok = secret_fill(secret, raw + ALGORITHM + NUMBER);
	}
	sodium_memzero(raw, sizeof(raw));
	return ok;
}

bool cluster_secret_load(struct cluster_secret *secret, const char *path, struct ward_error *err)
{
	char text[MOST_FILE];
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (sodium_init() < 0 || fd < 0 || fstat(fd, &s) != 0) {
		cluster_refuse(err, path, NULL, "it can't be read: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (!S_ISREG(s.st_mode) || (s.st_mode & 077)) {
		cluster_refuse(err, path, "C-36", "others than its owner may read this secret key");
		cluster_hint(err, "chmod 600 %s; if others could have read it, make a new one", path);
		return false;
	}
	text[n > 0 ? n : 0] = 0;
	bool ok = secret_parse(secret, text);
	sodium_memzero(text, sizeof(text));
	return ok || cluster_refuse(err, path, "C-36", "this is no secret key of Ward's");
}

/* ---- what is signed ---- */

/* "ward order 1", a zero byte, and the body: one piece, as ed25519 wants it. */
static uint8_t *signed_bytes(Ward__Cluster__Signed__Kind kind, const void *body, size_t n, size_t *size)
{
	char head[32];
	size_t n_head = (size_t)snprintf(head, sizeof(head), "ward %s 1", cluster_kind_name(kind)) + 1;
	uint8_t *bytes = malloc(n_head + n);

	if (!bytes)
		return NULL;
	memcpy(bytes, head, n_head);
	memcpy(bytes + n_head, body, n);
	*size = n_head + n;
	return bytes;
}

void *cluster_sign(const struct cluster_secret *secret, Ward__Cluster__Signed__Kind kind, const ProtobufCMessage *body,
	size_t *size)
{
	Ward__Cluster__Signed m = WARD__CLUSTER__SIGNED__INIT;
	uint8_t signature[CLUSTER_SIGNATURE], *bytes = NULL;
	size_t n = 0;
	void *out = NULL;

	m.format = CLUSTER_FORMAT;
	m.kind = kind;
	m.key = (ProtobufCBinaryData){CLUSTER_KEY, (uint8_t *)secret->key.key};
	m.signature = (ProtobufCBinaryData){sizeof(signature), signature};
	m.body.data = cluster_message_write(body, &m.body.len);
	if (m.body.data && (bytes = signed_bytes(kind, m.body.data, m.body.len, &n)) &&
		crypto_sign_detached(signature, NULL, bytes, n, secret->secret) == 0)
		out = cluster_message_write(&m.base, size);
	free(bytes);
	free(m.body.data);
	return out;
}

bool cluster_signed_check(const Ward__Cluster__Signed *m, struct ward_error *err)
{
	const char *name = cluster_kind_name(m->kind);
	size_t n = 0;
	uint8_t *bytes = signed_bytes(m->kind, m->body.data, m->body.len, &n);

	if (!bytes)
		return cluster_refuse(err, name, NULL, "out of memory");
	bool ok = m->key.len == CLUSTER_KEY && m->signature.len == CLUSTER_SIGNATURE &&
		  crypto_sign_verify_detached(m->signature.data, bytes, n, m->key.data) == 0;
	free(bytes);
	return ok || cluster_refuse(err, name, "C-35", "its signature isn't that of its key");
}

/* ---- reviews ---- */

/*
 * A .minisig file: a comment; "ED", the key's number and its signature over the BLAKE2b-512 of the file; and a
 * comment of the signer's with a signature over both, which says nothing of the bytes.
 */
bool cluster_review_check(
	const struct cluster_key *key, const void *review, size_t n_review, const void *bytes, size_t size)
{
	uint8_t raw[ALGORITHM + NUMBER + CLUSTER_SIGNATURE], hash[64];
	const char *text = review, *line = n_review ? memchr(text, '\n', n_review) : NULL;

	if (!line)
		return false;
	size_t left = (size_t)(text + n_review - ++line);
	const char *end = left ? memchr(line, '\n', left) : NULL;
	size_t length = end ? (size_t)(end - line) : left;
	if (!base64_read(line, length, raw, sizeof(raw)) || memcmp(raw, "ED", ALGORITHM) != 0 ||
		memcmp(raw + ALGORITHM, key->number, NUMBER) != 0)
		return false;
	crypto_generichash(hash, sizeof(hash), bytes, size, NULL, 0);
	return crypto_sign_verify_detached(raw + ALGORITHM + NUMBER, hash, sizeof(hash), key->key) == 0;
}

void cluster_digest(const void *bytes, size_t size, uint8_t digest[CLUSTER_DIGEST])
{
	crypto_hash_sha256(digest, bytes, size);
}

void cluster_hex(const void *bytes, size_t n, char *text)
{
	sodium_bin2hex(text, 2 * n + 1, bytes, n);
}

bool cluster_hex_read(const char *text, size_t n, uint8_t *bytes)
{
	size_t got = 0;
	const char *end = NULL;

	return strlen(text) == 2 * n && sodium_hex2bin(bytes, n, text, 2 * n, NULL, &got, &end) == 0 && got == n &&
	       end == text + 2 * n;
}
