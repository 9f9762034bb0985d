/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making the authority and its members. Files are written whole or not at all, the list of members before the list of
 * users, which is made of it: what a crash leaves is made right by the next enrolment, and --check names it.
 */
#include "enrol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cluster/base/error.h"

const char *enrol_path(char *path, size_t size, const char *dir, const char *file)
{
	snprintf(path, size, "%s/%s", dir, file);
	return path;
}

static int write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);
		if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0)
			text += done, n -= (size_t)done;
	}
	return fsync(fd);
}

int enrol_write(const char *path, const char *text, bool secret, struct ward_error *err)
{
	char part[4200];
	int fd, failed;

	snprintf(part, sizeof(part), "%s.XXXXXX", path);
	fd = mkostemp(part, O_CLOEXEC);
	if (fd < 0)
		return cluster_fail(err, WARD_E_USAGE, path, "%s", strerror(errno));
	failed = write_all(fd, text, strlen(text)) || fchmod(fd, secret ? 0600 : 0644);
	failed = close(fd) || failed || rename(part, path);
	if (!failed)
		return 0;
	cluster_fail(err, WARD_E_USAGE, path, "%s", strerror(errno));
	unlink(part);
	return WARD_E_USAGE;
}

/* Several who enrol at once do so one after the other. */
static int dir_lock(const char *dir, struct ward_error *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		return fd;
	cluster_fail(err, WARD_E_USAGE, dir, "%s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static int members_publish(const char *dir, const struct enrol_members *members, struct ward_error *err)
{
	char path[4096], *text = enrol_users_text(members);
	int rc = text ? enrol_members_write(dir, members, err) : cluster_no_memory(err);

	if (!rc)
		rc = enrol_write(enrol_path(path, sizeof(path), dir, "users.conf"), text, false, err);
	free(text);
	return rc;
}

/* ---- init ---- */

static int init_check(const struct enrol_init *init, struct ward_error *err)
{
	static const char host[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:";
	static const char address[] = "abcdefghijklmnopqrstuvwxyz0123456789.:-[]";

	for (size_t i = 0; i < init->n_servers; i++)
		if (!*init->server[i] || init->server[i][strspn(init->server[i], host)])
			return cluster_fail(
				err, WARD_E_USAGE, init->server[i], "is no host name or address of a server");
	if (!*init->listen || init->listen[strspn(init->listen, address)])
		return cluster_fail(err, WARD_E_USAGE, init->listen, "is no address to listen on");
	if (init->dir[0] != '/' || strpbrk(init->dir, "\"\\\n") || strlen(init->dir) > 3000)
		return cluster_fail(err, WARD_E_USAGE, init->dir,
			"must be a path from the root, without quotes, as the "
			"server's configuration names files by it");
	return 0;
}

static int authority_make(const struct enrol_init *init, struct ward_error *err)
{
	char key[4096], file[4096], server_key[4096], server_file[4096];
	struct enrol_certificate authority = {.purpose = ENROL_AUTHORITY,
		.days = init->days,
		.key = enrol_path(key, sizeof(key), init->dir, "ca.key"),
		.file = enrol_path(file, sizeof(file), init->dir, "ca.pem")};
	struct enrol_certificate server = {.purpose = ENROL_SERVER,
		.days = init->days,
		.name = init->server,
		.n_names = init->n_servers,
		.key = enrol_path(server_key, sizeof(server_key), init->dir, "server.key"),
		.file = enrol_path(server_file, sizeof(server_file), init->dir, "server.pem")};
	int rc;

	if (access(key, F_OK) == 0) {
		cluster_fail(err, WARD_E_USAGE, key, "there is an authority already");
		cluster_hint(err, "with another one all its members must be enrolled again; remove it first");
		return WARD_E_USAGE;
	}
	rc = enrol_certificate_make(init->dir, &authority, err);
	return rc ? rc : enrol_certificate_make(init->dir, &server, err);
}

/* With all above it: /etc/ward is there only where an agent is installed. */
static bool directory_make(const char *dir)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s", dir);
	for (char *at = path + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			return false;
	}
	return mkdir(path, 0755) == 0 || errno == EEXIST;
}

int enrol_init(const struct enrol_init *init, struct ward_error *err)
{
	struct enrol_members none = {0};
	char path[4096], *text;
	int rc = init_check(init, err), lock;

	if (rc)
		return rc;
	if (!directory_make(init->dir))
		return cluster_fail(err, WARD_E_USAGE, init->dir, "%s", strerror(errno));
	lock = dir_lock(init->dir, err);
	if (lock < 0)
		return WARD_E_USAGE;
	rc = authority_make(init, err);
	rc = rc ? rc : members_publish(init->dir, &none, err);
	text = enrol_server_text(init->dir, init->listen);
	if (!rc)
		rc = text ? enrol_write(enrol_path(path, sizeof(path), init->dir, "server.conf"), text, false, err)
			  : cluster_no_memory(err);
	free(text);
	close(lock);
	return rc;
}

/* ---- members ---- */

static int file_append(FILE *to, const char *path, struct ward_error *err)
{
	char buffer[4096];
	FILE *from = fopen(path, "re");
	bool failed;
	size_t n;

	if (!from)
		return cluster_fail(err, WARD_E_USAGE, path, "%s", strerror(errno));
	while ((n = fread(buffer, 1, sizeof(buffer), from)) > 0)
		fwrite(buffer, 1, n, to);
	explicit_bzero(buffer, sizeof(buffer));
	failed = ferror(from);
	fclose(from);
	return failed ? cluster_fail(err, WARD_E_USAGE, path, "can't be read") : 0;
}

/* Certificate, key, and the authority's certificate, in one file. */
static int creds_join(
	const char *dir, const char *certificate, const char *key, const char *file, struct ward_error *err)
{
	char ca[4096], *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int rc;

	if (!to)
		return cluster_no_memory(err);
	rc = file_append(to, certificate, err);
	rc = rc ? rc : file_append(to, key, err);
	rc = rc ? rc : file_append(to, enrol_path(ca, sizeof(ca), dir, "ca.pem"), err);
	if (fclose(to))
		rc = rc ? rc : cluster_no_memory(err);
	rc = rc ? rc : enrol_write(file, text, true, err);
	if (text)
		explicit_bzero(text, size);
	free(text);
	return rc;
}

static int creds_make(const char *dir, const char *name, unsigned days, const char *file, struct ward_error *err)
{
	char scratch[4200], key[4300], certificate[4300];
	struct enrol_certificate c = {.purpose = ENROL_CLIENT, .name = &name, .n_names = 1, .days = days};
	int rc;

	snprintf(scratch, sizeof(scratch), "%s/.new.XXXXXX", dir);
	if (!mkdtemp(scratch))
		return cluster_fail(err, WARD_E_USAGE, dir, "%s", strerror(errno));
	c.key = enrol_path(key, sizeof(key), scratch, "key");
	c.file = enrol_path(certificate, sizeof(certificate), scratch, "certificate");
	rc = enrol_certificate_make(dir, &c, err);
	rc = rc ? rc : creds_join(dir, certificate, key, file, err);
	unlink(key);
	unlink(certificate);
	rmdir(scratch);
	return rc;
}

static int member_enter(struct enrol_members *all, const struct enrol_member *member, struct ward_error *err)
{
	struct enrol_member *known = enrol_members_find(all, member->name);

	if (!known)
		return enrol_members_add(all, member, err);
	if (known->role != member->role) {
		cluster_fail(err, WARD_E_USAGE, member->name, "is enrolled as %s already; a name has one role (C-71)",
			enrol_role_name(known->role));
		cluster_hint(err, "take another name, or take this one out first: ward cluster enrol --remove %s",
			member->name);
		return WARD_E_USAGE;
	}
	known->until = member->until;
	return 0;
}

int enrol_member_make(
	const char *dir, const struct enrol_member *given, unsigned days, const char *file, struct ward_error *err)
{
	struct enrol_members all = {0};
	struct enrol_member member = *given;
	int lock, rc;

	if (!enrol_name_valid(member.name)) {
		cluster_fail(err, WARD_E_USAGE, member.name, "is no name on the bus (C-70)");
		cluster_hint(err, "a name is small letters, digits and hyphens, with dots between: web17.example.net");
		return WARD_E_USAGE;
	}
	lock = dir_lock(dir, err);
	if (lock < 0)
		return WARD_E_USAGE;
	member.until = (int64_t)time(NULL) + (int64_t)days * 86400;
	rc = enrol_members_read(dir, &all, err);
	rc = rc ? rc : member_enter(&all, &member, err);
	rc = rc ? rc : creds_make(dir, member.name, days, file, err);
	rc = rc ? rc : members_publish(dir, &all, err);
	enrol_members_free(&all);
	close(lock);
	return rc;
}

int enrol_member_remove(const char *dir, const char *name, struct ward_error *err)
{
	struct enrol_members all = {0};
	struct enrol_member *member;
	int lock = dir_lock(dir, err), rc;

	if (lock < 0)
		return WARD_E_USAGE;
	rc = enrol_members_read(dir, &all, err);
	member = rc ? NULL : enrol_members_find(&all, name);
	if (member) {
		memmove(member, member + 1, (size_t)(all.member + all.n - member - 1) * sizeof(*member));
		all.n--;
		rc = members_publish(dir, &all, err);
	} else if (!rc) {
		rc = cluster_fail(err, WARD_E_USAGE, name, "isn't enrolled");
	}
	enrol_members_free(&all);
	close(lock);
	return rc;
}
