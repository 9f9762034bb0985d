/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of credentials: PEM blocks, the own certificate first, its private key, and the certificates of the authority
 * that the server's certificate must come from. A key that others may read is refused.
 */
#include "creds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/base/error.h"

enum { MOST_BYTES = 256 << 10 };

/* Read a small file whole, as text. */
static int creds_read(const char *path, bool secret, char **out, struct ward_error *err)
{
	struct stat st;
	ssize_t got = -1;
	size_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd < 0 ? NULL : malloc(MOST_BYTES + 1);

	*out = NULL;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		while (text && (got = read(fd, text + n, MOST_BYTES - n)) > 0)
			n += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (got != 0 || n == MOST_BYTES) {
		free(text);
		cluster_fail(err, WARD_E_USAGE, path, "%s",
			fd < 0    ? strerror(errno)
			: !text   ? "out of memory"
			: got < 0 ? "can't be read as a file"
				  : "is too large for a file of certificates");
		cluster_hint(err, "ward cluster enrol makes such files");
		return WARD_E_USAGE;
	}
	text[n] = 0;
	*out = text;
	if (secret && st.st_mode & 077) {
		cluster_fail(err, WARD_E_USAGE, path, "others than its owner may read or write this private key");
		cluster_hint(err, "chmod 600 %s", path);
		return WARD_E_USAGE;
	}
	return 0;
}

/* The next PEM block from *at: its length and its first byte, and *at is behind it. */
static const char *creds_block(const char **at, size_t *size)
{
	const char *begin = strstr(*at, "-----BEGIN "), *end = begin ? strstr(begin, "-----END ") : NULL;

	end = end ? strchr(end, '\n') : NULL;
	if (!end)
		return NULL;
	*at = end + 1;
	*size = (size_t)(end + 1 - begin);
	return begin;
}

static int creds_append(char **to, const char *block, size_t size, struct ward_error *err)
{
	size_t n = *to ? strlen(*to) : 0;
	char *more = realloc(*to, n + size + 1);

	if (!more)
		return cluster_no_memory(err);
	memcpy(more + n, block, size);
	more[n + size] = 0;
	*to = more;
	return 0;
}

static int creds_split(const char *text, struct bus_creds *c, struct ward_error *err)
{
	static const char certificate[] = "-----BEGIN CERTIFICATE-----";
	size_t size;
	int rc = 0;

	for (const char *block; !rc && (block = creds_block(&text, &size));) {
		bool is_certificate = strncmp(block, certificate, sizeof(certificate) - 1) == 0;
		char **to = !is_certificate ? &c->key : c->certificate ? &c->ca : &c->certificate;
		rc = creds_append(to, block, size, err);
	}
	return rc;
}

int bus_creds_read(const char *path, const char *ca, struct bus_creds *out, struct ward_error *err)
{
	char *text = NULL;
	int rc = creds_read(path, true, &text, err);

	memset(out, 0, sizeof(*out));
	if (!rc)
		rc = creds_split(text, out, err);
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
	if (!rc && ca) {
		free(out->ca);
		rc = creds_read(ca, false, &out->ca, err);
	}
	if (!rc && (!out->certificate || !out->key || !out->ca)) {
		rc = cluster_fail(err, WARD_E_USAGE, path, "it has no %s",
			!out->certificate ? "certificate"
			: !out->key       ? "private key"
					  : "certificate of the bus's authority");
		cluster_hint(err, "ward cluster enrol makes such files");
	}
	if (rc)
		bus_creds_free(out);
	return rc;
}

void bus_creds_free(struct bus_creds *c)
{
	if (c->key)
		explicit_bzero(c->key, strlen(c->key));
	free(c->certificate);
	free(c->key);
	free(c->ca);
	memset(c, 0, sizeof(*c));
}
