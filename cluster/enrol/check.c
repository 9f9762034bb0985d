/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a set-up, all of it, each with what to do. Files are looked at here, with openssl(1) for
 * certificates; the running server in check_server.c.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/base/openssl.h"

enum { SOON = 14 * 86400, MOST_TEXT = 64 << 20 };

void enrol_check_found(struct check *c, const struct ward_error *fault)
{
	c->faults++;
	c->given->found(c->given->user, fault, false);
}

void enrol_check_warn(struct check *c, const struct ward_error *fault)
{
	c->given->found(c->given->user, fault, true);
}

/* ---- keys and certificates ---- */

static bool file_is_there(struct check *c, const char *path)
{
	struct ward_error fault;

	if (access(path, R_OK) == 0)
		return true;
	cluster_fail(&fault, WARD_E_USAGE, path, "%s", strerror(errno));
	cluster_hint(&fault, "ward cluster init --dir %s makes the authority of a cluster", c->given->dir);
	enrol_check_found(c, &fault);
	return false;
}

static void key_check_mode(struct check *c, const char *path)
{
	struct ward_error fault;
	struct stat st;

	if (stat(path, &st) || !(st.st_mode & 077))
		return;
	cluster_fail(&fault, WARD_E_USAGE, path, "others than its owner may read or write this private key");
	cluster_hint(&fault, "chmod 600 %s; if somebody may have read it, make the authority anew", path);
	enrol_check_found(c, &fault);
}

/* Run openssl. Its output is in c->output. True if it says yes. */
static bool openssl_says(struct check *c, const char *const *arguments)
{
	struct ward_error fault;
	int rc = cluster_openssl(arguments, c->output, sizeof(c->output), &fault);

	if (rc < 0)
		enrol_check_found(c, &fault);
	return rc == 0;
}

static void key_check_pair(struct check *c, const char *key, const char *certificate)
{
	const char *of_key[] = {"pkey", "-in", key, "-pubout", NULL};
	const char *of_certificate[] = {"x509", "-in", certificate, "-noout", "-pubkey", NULL};
	char public[sizeof(c->output)];
	struct ward_error fault;
	bool readable = openssl_says(c, of_key);

	strcpy(public, c->output);
	if (!readable)
		cluster_fail(&fault, WARD_E_USAGE, key, "is no private key");
	else if (!openssl_says(c, of_certificate))
		cluster_fail(&fault, WARD_E_USAGE, certificate, "is no certificate");
	else if (strcmp(public, c->output) != 0)
		cluster_fail(&fault, WARD_E_USAGE, certificate, "isn't the certificate of the key %s", key);
	else
		return;
	enrol_check_found(c, &fault);
}

/* Does it come from the authority, is it valid now, and for this purpose? */
static bool certificate_check(struct check *c, const char *file, const char *purpose)
{
	const char *arguments[] = {"verify", "-x509_strict", "-CAfile", c->ca, "-purpose", purpose, file, NULL};
	struct ward_error fault;
	char *why;

	if (openssl_says(c, arguments))
		return true;
	why = strstr(c->output, "lookup: "); /* error 10 at 0 depth lookup: certificate has expired */
	why = why ? why + 8 : c->output;
	why[strcspn(why, "\n")] = 0;
	cluster_fail(&fault, WARD_E_USAGE, file, "%s", why);
	cluster_hint(&fault, "the authority's and the server's certificates are made by ward cluster init");
	enrol_check_found(c, &fault);
	return false;
}

static void certificate_check_end(struct check *c, const char *file)
{
	const char *arguments[] = {"x509", "-in", file, "-noout", "-checkend", "1209600", NULL};
	struct ward_error fault;

	if (openssl_says(c, arguments))
		return;
	cluster_fail(&fault, WARD_E_USAGE, file, "this certificate expires within two weeks");
	enrol_check_warn(c, &fault);
}

/* An authority must be allowed to sign, and must not have ended. */
static bool authority_check(struct check *c)
{
	const char *text[] = {"x509", "-in", c->ca, "-noout", "-ext", "basicConstraints", NULL};
	struct ward_error fault;

	if (!openssl_says(c, text))
		cluster_fail(&fault, WARD_E_USAGE, c->ca, "is no certificate");
	else if (!strstr(c->output, "CA:TRUE"))
		cluster_fail(&fault, WARD_E_USAGE, c->ca, "isn't the certificate of an authority");
	else
		return certificate_check(c, c->ca, "any");
	enrol_check_found(c, &fault);
	return false;
}

static void certificates_check(struct check *c)
{
	char ca_key[4096], key[4096], file[4096];
	const char *dir = c->given->dir;

	enrol_path(ca_key, sizeof(ca_key), dir, "ca.key");
	enrol_path(key, sizeof(key), dir, "server.key");
	enrol_path(file, sizeof(file), dir, "server.pem");
	bool authority = file_is_there(c, c->ca), signs = file_is_there(c, ca_key);
	bool server_key = file_is_there(c, key), server = file_is_there(c, file);
	if (authority && signs) {
		key_check_mode(c, ca_key);
		key_check_pair(c, ca_key, c->ca);
	}
	if (server && server_key) {
		key_check_mode(c, key);
		key_check_pair(c, key, file);
	}
	if (!authority || !authority_check(c))
		return;
	certificate_check_end(c, c->ca);
	if (server && certificate_check(c, file, "sslserver"))
		certificate_check_end(c, file);
}

/* ---- configuration ---- */

/* A text file whole, to be freed; NULL and a fault if it can't be read. */
static char *file_read(struct check *c, const char *path)
{
	struct ward_error fault;
	char *text = NULL;
	size_t n = 0;
	FILE *file = fopen(path, "re");

	if (file && getdelim(&text, &n, 0, file) >= 0) {
		fclose(file);
		return text;
	}
	cluster_fail(&fault, WARD_E_USAGE, path, "%s", file ? "is empty, or can't be read" : strerror(errno));
	enrol_check_found(c, &fault);
	if (file)
		fclose(file);
	free(text);
	return NULL;
}

/* The first word of a line, which is the name of a setting. */
static size_t setting_name(const char *line, char *name, size_t size)
{
	size_t n;

	line += strspn(line, " \t");
	n = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	snprintf(name, size, "%.*s", (int)n, line);
	return n;
}

/* C-73: what a server must not offer. Words of nested blocks count too: none of them has another meaning here. */
static const char *const forbidden[] = {"jetstream", "no_auth_user", "websocket", "mqtt", "leafnodes", "leaf", "http",
	"http_port", "https", "https_port", "monitor_port", "system_account", "deny", "insecure", "token", "password",
	"auth_callout", "debug_trace", "prof_port"};
/* And what it must say, as init writes it. */
static const struct {
	const char *line, *why;
} needed[] = {
	{"verify_and_map: true", "doesn't ask clients for certificates"},
	{"include \"users.conf\"", "doesn't include the list of users"},
	{"cert_file:", "has no certificate of the server"},
	{"key_file:", "has no key of the server"},
	{"ca_file:", "has no authority of the clients"},
	{"max_payload: 1MB", "doesn't limit messages to 1 MB"},
};

static void setting_check(struct check *c, const char *path, const char *name, unsigned line)
{
	struct ward_error fault;

	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++)
		if (strcasecmp(name, forbidden[i]) == 0) {
			cluster_fail(&fault, WARD_E_USAGE, path, "line %u: '%s' must not be there (C-73)", line, name);
			cluster_hint(&fault, "the bus needs nothing beyond what ward cluster init writes");
			enrol_check_found(c, &fault);
		}
}

static void server_config_check(struct check *c)
{
	char path[4096], name[64], *text, *line, *rest;
	unsigned number = 0, found = 0;

	text = file_read(c, enrol_path(path, sizeof(path), c->given->dir, "server.conf"));
	for (rest = text; rest && (line = strsep(&rest, "\n"));) {
		number++;
		line += strspn(line, " \t");
		for (unsigned i = 0; i < sizeof(needed) / sizeof(*needed); i++)
			if (strncmp(line, needed[i].line, strlen(needed[i].line)) == 0)
				found |= 1u << i;
		if (setting_name(line, name, sizeof(name)))
			setting_check(c, path, name, number);
	}
	for (unsigned i = 0; text && i < sizeof(needed) / sizeof(*needed); i++)
		if (!(found & 1u << i)) {
			struct ward_error fault;
			cluster_fail(&fault, WARD_E_USAGE, path, "%s (C-73)", needed[i].why);
			cluster_hint(&fault, "the line is: %s", needed[i].line);
			enrol_check_found(c, &fault);
		}
	free(text);
}

static void members_check(struct check *c)
{
	struct enrol_members members;
	struct ward_error fault;
	char path[4096], *is, *should;
	int64_t now = time(NULL);

	if (enrol_members_read(c->given->dir, &members, &fault)) {
		enrol_check_found(c, &fault);
		enrol_members_free(&members);
		return;
	}
	is = file_read(c, enrol_path(path, sizeof(path), c->given->dir, "users.conf"));
	should = enrol_users_text(&members);
	if (is && should && strcmp(is, should) != 0) {
		cluster_fail(&fault, WARD_E_USAGE, path, "isn't what follows from the list of members (C-72)");
		cluster_hint(&fault, "ward cluster enrol writes it anew, whoever is enrolled");
		enrol_check_found(c, &fault);
	}
	for (size_t i = 0; i < members.n; i++) {
		const struct enrol_member *m = &members.member[i];
		if (m->until > now + SOON)
			continue;
		cluster_fail(&fault, WARD_E_USAGE, m->name, "its credentials %s (C-74)",
			m->until <= now ? "have expired" : "expire within two weeks");
		cluster_hint(
			&fault, "ward cluster enrol --role %s %s makes new ones", enrol_role_name(m->role), m->name);
		enrol_check_warn(c, &fault);
	}
	free(is);
	free(should);
	enrol_members_free(&members);
}

size_t enrol_check(const struct enrol_check *given)
{
	struct check c = {.given = given};

	if (given->dir) {
		enrol_path(c.ca, sizeof(c.ca), given->dir, "ca.pem");
		certificates_check(&c);
		server_config_check(&c);
		members_check(&c);
	}
	if (given->url)
		enrol_check_server(&c);
	return c.faults;
}
