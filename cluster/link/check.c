/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-agent-link --check: are the credentials this machine's, and do the bus's servers let it in, one by one? Dates
 * and names of the certificate are openssl(1)'s work; without it, only the server says.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "cluster/base/openssl.h"
#include "cluster/bus/creds.h"
#include "cluster/wire/subject.h"

enum { WAIT_MS = 1000, ANSWER_MS = 10000, OUTPUT = 16384 };

struct check {
	const struct link_settings *settings;
	const char *creds;
	char host[CLUSTER_NAME];
	int status; /* 0: nothing is wrong */
};

static void check_found(struct check *c, const struct ward_error *err)
{
	fprintf(stderr, "ward: %s: %s\n", err->what, err->why);
	if (*err->hint)
		fprintf(stderr, "hint: %s\n", err->hint);
	if (!c->status)
		c->status = err->status == WARD_E_USAGE ? 2 : 3;
}

static void creds_found(struct check *c, const char *why)
{
	struct ward_error err;

	cluster_fail(&err, WARD_E_USAGE, c->creds, "%s", why);
	cluster_hint(&err, "ward cluster enrol --role agent %s makes new ones", c->host);
	check_found(c, &err);
}

/* The names that a certificate is for, one behind the other. */
static bool name_is_in(const char *names, const char *host)
{
	size_t n = strlen(host);

	for (const char *at = names; (at = strstr(at, "DNS:"));) {
		at += 4;
		if (strncasecmp(at, host, n) == 0 && strchr(", \n", at[n]))
			return true;
	}
	return false;
}

static void certificate_check(struct check *c)
{
	const char *pair[] = {"pkey", "-in", c->creds, "-pubout", NULL};
	const char *own[] = {"x509", "-in", c->creds, "-noout", "-pubkey", NULL};
	const char *names[] = {"x509", "-in", c->creds, "-noout", "-ext", "subjectAltName", NULL};
	const char *now[] = {"x509", "-in", c->creds, "-noout", "-checkend", "0", NULL};
	const char *soon[] = {"x509", "-in", c->creds, "-noout", "-checkend", "1209600", NULL};
	char key[OUTPUT], text[OUTPUT];
	int status = cluster_openssl(pair, key, sizeof(key), NULL);

	if (status < 0) {
		fprintf(stderr, "ward: %s: warning: openssl isn't installed, so only the server looks at it\n",
			c->creds);
		return;
	}
	if (status)
		creds_found(c, "its private key can't be read");
	else if (cluster_openssl(own, text, sizeof(text), NULL) != 0)
		creds_found(c, "its certificate can't be read");
	else if (strcmp(key, text) != 0)
		creds_found(c, "its certificate isn't of its private key");
	else if (cluster_openssl(names, text, sizeof(text), NULL) != 0 || !name_is_in(text, c->host))
		creds_found(c, "its certificate isn't of this machine (C-70)");
	else if (cluster_openssl(now, text, sizeof(text), NULL) != 0)
		creds_found(c, "its certificate has expired (C-74)");
	else if (cluster_openssl(soon, text, sizeof(text), NULL) != 0)
		fprintf(stderr, "ward: %s: warning: its certificate expires within two weeks (C-74)\n", c->creds);
}

/* What the machine will do there: its subscriptions. */
static void server_check(struct check *c, const char *url)
{
	struct bus_nats_options o = {.urls = &url,
		.n_urls = 1,
		.creds = c->creds,
		.ca = *c->settings->ca ? c->settings->ca : NULL,
		.name = "ward-agent-link --check",
		.wait_ms = WAIT_MS};
	struct ward_error err = {0};
	bus *b;

	if (bus_nats_open(&o, &b, &err) != 0) {
		check_found(c, &err);
		return;
	}
	if (!link_subscribe(b, c->settings->name, &err))
		check_found(c, &err);
	else if (bus_flush(b, ANSWER_MS, &err) != 0) {
		struct ward_error refused;
		cluster_fail(&refused, WARD_E_TARGET, url, "the server doesn't let these credentials be an agent's: %s",
			err.why);
		cluster_hint(&refused, "ward cluster enrol --role agent %s, and let the server read its users again",
			c->host);
		check_found(c, &refused);
	}
	bus_close(b);
}

int link_check(const struct link_settings *settings, const char *creds)
{
	struct check c = {.settings = settings, .creds = creds};
	struct bus_creds read;
	struct ward_error err = {0};

	cluster_name_to_host(settings->name, c.host);
	if (bus_creds_read(creds, *settings->ca ? settings->ca : NULL, &read, &err) != 0) {
		check_found(&c, &err);
		return c.status;
	}
	bus_creds_free(&read);
	certificate_check(&c);
	for (size_t i = 0; !c.status && i < settings->n_urls; i++)
		server_check(&c, settings->urls[i]);
	return c.status;
}
