/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates, by openssl(1): ECDSA with P-256, v3, each for one purpose. Names are in the subject's alternative
 * names; the distinguished name says only what it is for.
 */
#include "enrol.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/base/openssl.h"

static bool name_is_address(const char *name)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found;

	if (getaddrinfo(name, NULL, &hints, &found))
		return false;
	freeaddrinfo(found);
	return true;
}

static void request_print(FILE *to, const struct enrol_certificate *c)
{
	static const char leaf[] = "basicConstraints = critical, CA:FALSE\nkeyUsage = critical, digitalSignature\n"
				   "authorityKeyIdentifier = keyid\n";
	static const struct {
		const char *subject, *usage;
	} kinds[] = {
		[ENROL_AUTHORITY] = {"Ward bus authority", "basicConstraints = critical, CA:TRUE, pathlen:0\n"
							   "keyUsage = critical, keyCertSign, cRLSign\n"},
		[ENROL_SERVER] = {"Ward bus server", "extendedKeyUsage = serverAuth\n"},
		[ENROL_CLIENT] = {"Ward bus client", "extendedKeyUsage = clientAuth\n"},
	};

	fprintf(to,
		"[req]\ndistinguished_name = dn\nx509_extensions = extensions\nprompt = no\n[dn]\nCN = %s\n"
		"[extensions]\nsubjectKeyIdentifier = hash\n%s%s",
		kinds[c->purpose].subject, c->purpose == ENROL_AUTHORITY ? "" : leaf, kinds[c->purpose].usage);
	for (size_t i = 0; i < c->n_names; i++)
		fprintf(to, "%s%s:%s", i ? ", " : "subjectAltName = ", name_is_address(c->name[i]) ? "IP" : "DNS",
			c->name[i]);
	fputc('\n', to);
}

/* The configuration of one request, in a file without a name, which openssl inherits; the descriptor, or -1. */
static int request_open(const struct enrol_certificate *c)
{
	int fd = memfd_create("request", 0), copy = fd < 0 ? -1 : dup(fd);
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");

	if (to) {
		request_print(to, c);
		if (fclose(to) == 0)
			return fd;
	} else if (copy >= 0) {
		close(copy);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static void output_keep_last_line(char *output)
{
	size_t n = strlen(output);
	char *line;

	while (n && output[n - 1] == '\n')
		output[--n] = 0;
	line = strrchr(output, '\n');
	if (line)
		memmove(output, line + 1, strlen(line));
}

int enrol_certificate_make(const char *dir, const struct enrol_certificate *c, struct ward_error *err)
{
	char ca[4096], ca_key[4096], config[64], days[16], output[1024];
	const char *by = c->purpose == ENROL_AUTHORITY ? NULL : "-CA"; /* an authority signs itself */
	const char *arguments[] = {"req", "-x509", "-new", "-sha256", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:P-256", "-nodes", "-batch", "-config", config, "-days", days, "-keyout", c->key,
		"-out", c->file, by, enrol_path(ca, sizeof(ca), dir, "ca.pem"), "-CAkey",
		enrol_path(ca_key, sizeof(ca_key), dir, "ca.key"), NULL};
	int fd = request_open(c), rc;
	mode_t before;

	if (fd < 0)
		return cluster_fail(err, WARD_E_SYSTEM, c->file, "%s", strerror(errno));
	snprintf(config, sizeof(config), "/proc/self/fd/%d", fd);
	snprintf(days, sizeof(days), "%u", c->days);
	before = umask(077);
	rc = cluster_openssl(arguments, output, sizeof(output), err);
	umask(before);
	close(fd);
	if (rc > 0) {
		output_keep_last_line(output);
		rc = cluster_fail(err, WARD_E_SYSTEM, c->file, "openssl can't make a certificate: %s", output);
	}
	if (!rc && chmod(c->file, 0644)) /* of the key nobody else may know, of the certificate everybody */
		rc = cluster_fail(err, WARD_E_SYSTEM, c->file, "%s", strerror(errno));
	return rc;
}
