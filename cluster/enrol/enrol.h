/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may use the bus. A directory has the authority's key and certificate, the server's, its configuration, and the
 * list of all members, from which the server's list of users is written anew each time:
 *
 *	ca.key ca.pem  server.key server.pem  server.conf users.conf  members
 *
 * Certificates are made by openssl(1). Rules: spec/cluster.md, C-70 to C-77.
 */
#ifndef WARD_CLUSTER_ENROL_H
#define WARD_CLUSTER_ENROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ward/ward.h"

enum enrol_role {
#define ROLE(name, words) ENROL_##name,
#define MAY(role, action, subject)
#include "ward/role.def"
#undef ROLE
#undef MAY
	ENROL_ROLES,
};
const char *enrol_role_name(enum enrol_role role);
const char *enrol_role_words(enum enrol_role role);
/* ENROL_ROLES if there is none of this name. */
enum enrol_role enrol_role_find(const char *name);

enum { ENROL_MOST_NAME = 128 }; /* with the terminating zero */

/* A host name, or a person's: small letters, digits and hyphens, with dots between them (C-70). */
bool enrol_name_valid(const char *name);

/* ---- members.c ---- */

struct enrol_member {
	char name[ENROL_MOST_NAME];
	enum enrol_role role;
	int64_t until; /* the end of its certificate: seconds since 1970 */
};

struct enrol_members {
	struct enrol_member *member; /* in the order of names */
	size_t n;
};
/* Free them in any case. */
int enrol_members_read(const char *dir, struct enrol_members *out, struct ward_error *err);
int enrol_members_write(const char *dir, const struct enrol_members *members, struct ward_error *err);
struct enrol_member *enrol_members_find(const struct enrol_members *members, const char *name);
int enrol_members_add(struct enrol_members *members, const struct enrol_member *member, struct ward_error *err);
void enrol_members_free(struct enrol_members *members);

/* ---- server.c ---- */

/* The server's list of users, and its configuration, as text to be freed; NULL without memory. */
char *enrol_users_text(const struct enrol_members *members);
char *enrol_server_text(const char *dir, const char *listen);

/* ---- openssl.c ---- */

enum enrol_purpose { ENROL_AUTHORITY, ENROL_SERVER, ENROL_CLIENT };
struct enrol_certificate {
	enum enrol_purpose purpose;
	const char *const *name; /* host names, or addresses of servers */
	size_t n_names;
	unsigned days;
	const char *key, *file; /* files to write */
};
/* `dir` has the authority, but for ENROL_AUTHORITY. */
int enrol_certificate_make(const char *dir, const struct enrol_certificate *c, struct ward_error *err);

/* ---- make.c ---- */

struct enrol_init {
	const char *dir, *listen;
	const char *const *server; /* names and addresses by which the server is reached; at least one */
	size_t n_servers;
	unsigned days;
};
/* Make the directory, the authority, the server's certificate and configuration. Refuses one that has an authority. */
int enrol_init(const struct enrol_init *init, struct ward_error *err);

/* Make credentials, write them to `file`, and add the member. One that is enrolled already gets new ones. */
int enrol_member_make(
	const char *dir, const struct enrol_member *member, unsigned days, const char *file, struct ward_error *err);
/* Take a member out: the server refuses it once it has read its users again. */
int enrol_member_remove(const char *dir, const char *name, struct ward_error *err);

/* Write a file anew, whole or not at all; only its owner may read it if it is `secret`. */
int enrol_write(const char *path, const char *text, bool secret, struct ward_error *err);
/* DIR/FILE; one that is too long is cut, and doesn't exist. */
const char *enrol_path(char *path, size_t size, const char *dir, const char *file);

/* ---- check.c ---- */

/* What is wrong with a set-up. A warning is no fault. */
typedef void enrol_fault_fn(void *user, const struct ward_error *fault, bool warning);
struct enrol_check {
	const char *dir;   /* or NULL: only the server is looked at */
	const char *url;   /* or NULL: only files are looked at */
	const char *creds; /* with which to connect, or NULL */
	enrol_fault_fn *found;
	void *user;
};
/* How many faults there are. */
size_t enrol_check(const struct enrol_check *check);

#endif
