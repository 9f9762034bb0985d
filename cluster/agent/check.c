/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "link_program.h"

enum { LEAST_ROOM = 1 << 20 };

void agent_check_fault(struct agent_check *c, int status, const char *what, const char *hint, const char *why, ...)
{
	char text[512];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	fprintf(stderr, "ward: %s: %s\n", what, text);
	if (hint && *hint)
		fprintf(stderr, "hint: %s\n", hint);
	c->faults++;
	if (!c->status)
		c->status = agent_exit_status(status);
}

void agent_check_error(struct agent_check *c, const struct ward_error *err)
{
	agent_check_fault(c, err->status, err->what, err->hint, "%s", err->why);
}

void agent_check_warn(struct agent_check *c, const char *what, const char *why, ...)
{
	char text[512];
	va_list args;

	(void)c;
	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	fprintf(stderr, "ward: %s: warning: %s\n", what, text);
}

/* ---- directories ---- */

/* Where a directory will be made: what is there of its path. */
static void path_existing(const char *path, char *at)
{
	snprintf(at, AGENT_PATH, "%s", path);
	while (access(at, F_OK) != 0 && errno == ENOENT && strcmp(at, "/") != 0) {
		char *slash = strrchr(at, '/');
		strcpy(slash > at ? slash : at, slash == at ? "/" : slash ? "" : ".");
	}
}

/* A directory that others can write is one in which orders can be forgotten, and lines of the audit. */
static bool directory_check(struct agent_check *c, const char *path, bool is_own)
{
	char at[AGENT_PATH];
	struct statvfs room;
	struct stat s;

	path_existing(path, at);
	if (stat(at, &s) != 0)
		agent_check_fault(c, WARD_E_TARGET, path, "mkdir -p makes it", "%s", strerror(errno));
	else if (!S_ISDIR(s.st_mode))
		agent_check_fault(c, WARD_E_TARGET, path, "move it away", "%s is no directory", at);
	else if (access(at, W_OK | X_OK) != 0)
		agent_check_fault(c, WARD_E_TARGET, path, "the agent's unit must let it write there (ReadWritePaths)",
			"%s can't be written: %s", at, strerror(errno));
	else if (is_own && strcmp(at, path) == 0 && ((s.st_uid != 0 && s.st_uid != geteuid()) || (s.st_mode & 022)))
		agent_check_fault(c, WARD_E_TARGET, path,
			"its owner must be root, and nobody else may write it (chmod go-w)",
			"others than root can write it");
	else if (statvfs(at, &room) == 0 && room.f_blocks && room.f_bavail * room.f_frsize < LEAST_ROOM)
		agent_check_fault(c, WARD_E_TARGET, path, "without a line of the audit nothing is attached (C-61)",
			"there is less than 1 MiB of room");
	else
		return true;
	return false;
}

static void audit_check(struct agent_check *c, uint64_t *lines)
{
	char path[AGENT_PATH];
	struct ward_error err;

	snprintf(path, sizeof(path), "%s/audit.jsonl", c->a->log);
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return;
	if (!agent_audit_check(path, lines, &err))
		agent_check_error(c, &err);
}

/* What is kept over a restart: it is read as the agent will read it. */
static void state_check(struct agent_check *c)
{
	struct agent_seen *seen = NULL;
	struct ward_error err;
	uint64_t last;

	if (!agent_epoch_read(c->a->state, &last, &err))
		agent_check_error(c, &err);
	if (!agent_seen_open(c->a->state, agent_now_at(), &seen, &err))
		agent_check_error(c, &err);
	agent_seen_close(seen);
}

/* ---- the link ---- */

static void link_check(struct agent_check *c, const char *user, const char *creds)
{
	const struct sockaddr_un at;
	struct ward_error err;

	if (user && !getpwnam(user))
		agent_check_fault(c, WARD_E_USAGE, user, "systemd-sysusers makes ward-link", "there is no such user");
	else if (!user && !getpwnam(AGENT_LINK_USER))
		agent_check_warn(c, AGENT_LINK_USER, "there is no such user: the link must run as the agent's own");
	if (strlen(c->a->run) + sizeof("/link") > sizeof(at.sun_path))
		agent_check_fault(
			c, WARD_E_USAGE, c->a->run, "a socket's path has at most 107 bytes", "the path is too long");
	if (!c->a->config || !*c->a->host)
		return;
	int status = agent_link_check(c->a, creds, &err);
	if (status < 0)
		agent_check_error(c, &err);
	else if (status) {
		c->faults++; /* it has said them */
		c->status = c->status ? c->status : status;
	}
}

/* ---- all ---- */

/* What coordinators may, for whoever has written it. */
static void policy_print(const struct agent_coordinator *who)
{
	static const char *const results[] = {"numbers", "numbers and keys", "numbers, keys and texts", "everything"};

	printf("%s may probe%s%s at", who->name, who->may & AGENT_MAY_USER ? " processes" : "",
		who->may & AGENT_MAY_KERNEL ? (who->may & AGENT_MAY_USER ? " and the kernel" : " the kernel") : "");
	for (size_t i = 0; i < who->sites.n; i++)
		printf(" %s", who->sites.at[i]);
	for (size_t i = 0; i < who->not_sites.n; i++)
		printf("%s %s", i ? "" : " but not", who->not_sites.at[i]);
	printf("; gets %s; by %s modules\n", results[who->results], who->modules == AGENT_ANY ? "any" : "signed");
}

int agent_check(struct agent *a, const char *link, const char *creds)
{
	struct agent_check c = {.a = a};
	struct ward_error err;
	uint64_t lines = 0;

	if (!agent_config_load(a->config_path, &a->config, &err))
		agent_check_error(&c, &err);
	else {
		if (!agent_here_read(a, &err))
			agent_check_error(&c, &err);
		agent_check_config(&c);
	}
	directory_check(&c, a->run, false);
	if (directory_check(&c, a->log, true))
		audit_check(&c, &lines);
	if (directory_check(&c, a->state, true))
		state_check(&c);
	agent_check_rights(&c);
	link_check(&c, link, creds);
	if (c.faults)
		return c.status;
	printf("%s is ready: %zu coordinator%s, cluster %s, %llu lines of audit\n", a->host, a->config->n_coordinators,
		a->config->n_coordinators == 1 ? "" : "s", a->config->cluster, (unsigned long long)lines);
	for (size_t i = 0; i < a->config->n_coordinators; i++)
		policy_print(&a->config->coordinators[i]);
	return 0;
}
