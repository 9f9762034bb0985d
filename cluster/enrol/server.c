/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's configuration. A user is known by the DNS name in its certificate, and never by its distinguished name.
 * Users have lists of what they may, and no list of what they mayn't (C-72). All that the server offers beyond that is
 * left off (C-73).
 */
#include "enrol.h"

#include <stdlib.h>
#include <string.h>

enum action { PUBLISH, SUBSCRIBE };

static const struct {
	enum enrol_role role;
	enum action action;
	const char *subject;
} rights[] = {
#define ROLE(name, words)
#define MAY(role, action, subject) {ENROL_##role, action, subject},
#include "ward/role.def"
#undef ROLE
#undef MAY
};

/* Dots of a name are colons on the bus, so that it is one token. */
static void subject_write(FILE *to, const char *subject, const char *name)
{
	for (; *subject; subject++) {
		if (*subject != '$') {
			fputc(*subject, to);
			continue;
		}
		for (const char *s = name; *s; s++)
			fputc(*s == '.' ? ':' : *s, to);
	}
}

static void rights_write(FILE *to, enum action action, const struct enrol_member *m)
{
	const char *before = "";

	fprintf(to, "%s: { allow: [", action == PUBLISH ? "publish" : "subscribe");
	for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++) {
		if (rights[i].role != m->role || rights[i].action != action)
			continue;
		fprintf(to, "%s\"", before);
		subject_write(to, rights[i].subject, m->name);
		fputc('"', to);
		before = ", ";
	}
	fputs("] }", to);
}

char *enrol_users_text(const struct enrol_members *members)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs("# Written by `ward cluster enrol` from the list of members. Changes are lost.\n"
	      "authorization {\n\tusers: [\n"
	      "\t\t# The list must not be empty. No certificate has this name.\n"
	      "\t\t{ user: \"_nobody\", permissions: { publish: { allow: [\"_nobody\"] }, "
	      "subscribe: { allow: [\"_nobody\"] } } }\n",
		to);
	for (size_t i = 0; i < members->n; i++) {
		const struct enrol_member *m = &members->member[i];
		fprintf(to, "\t\t{ user: \"%s\", permissions: { ", m->name);
		rights_write(to, PUBLISH, m);
		fputs(", ", to);
		rights_write(to, SUBSCRIBE, m);
		fputs(" } }\n", to);
	}
	fputs("\t]\n}\n", to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

char *enrol_server_text(const char *dir, const char *listen)
{
	char *text = NULL;

	/* A dead path is noticed within a minute, and thousands of machines may come back at once. */
	if (asprintf(&text,
		    "# Written by `ward cluster init`. It has all that the bus needs, and nothing more: no JetStream, "
		    "no\n"
		    "# websocket, no leaf nodes, no monitoring port.\n"
		    "listen: \"%s\"\n"
		    "max_payload: 1MB\n"
		    "max_pending: 16MB\n"
		    "write_deadline: \"5s\"\n"
		    "ping_interval: \"15s\"\n"
		    "ping_max: 2\n"
		    "tls {\n"
		    "\tcert_file: \"%s/server.pem\"\n"
		    "\tkey_file: \"%s/server.key\"\n"
		    "\tca_file: \"%s/ca.pem\"\n"
		    "\tverify_and_map: true\n"
		    "\ttimeout: 10\n"
		    "}\n"
		    "include \"users.conf\"\n",
		    listen, dir, dir, dir) < 0)
		return NULL;
	return text;
}
