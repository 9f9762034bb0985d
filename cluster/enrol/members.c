/* SPDX-License-Identifier: Apache-2.0 */
/* The list of all members: a line each, `ROLE NAME END`, END in seconds since 1970. One name has one role. */
#include "enrol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"

static const char file_name[] = "members";

static bool line_read(const char *line, struct enrol_member *m)
{
	char role[32], name[256], end;

	if (sscanf(line, "%31s %255s %" SCNd64 "%c", role, name, &m->until, &end) != 4 || end != '\n')
		return false;
	m->role = enrol_role_find(role);
	if (m->role == ENROL_ROLES || !enrol_name_valid(name))
		return false;
	strcpy(m->name, name);
	return true;
}

static int members_read_from(FILE *file, const char *path, struct enrol_members *out, struct ward_error *err)
{
	char line[512];
	unsigned number = 0;
	int rc = 0;

	while (!rc && fgets(line, sizeof(line), file)) {
		struct enrol_member m;
		number++;
		if (!line_read(line, &m))
			return cluster_fail(err, WARD_E_USAGE, path, "line %u isn't `ROLE NAME END`", number);
		if (enrol_members_find(out, m.name))
			return cluster_fail(err, WARD_E_USAGE, path,
				"line %u: %s is there already; a name has one role (C-71)", number, m.name);
		rc = enrol_members_add(out, &m, err);
	}
	return !rc && ferror(file) ? cluster_fail(err, WARD_E_USAGE, path, "can't be read") : rc;
}

int enrol_members_read(const char *dir, struct enrol_members *out, struct ward_error *err)
{
	char path[4096];
	FILE *file = fopen(enrol_path(path, sizeof(path), dir, file_name), "re");
	int rc;

	memset(out, 0, sizeof(*out));
	if (!file) {
		cluster_fail(err, WARD_E_USAGE, path, "%s", strerror(errno));
		cluster_hint(err, "ward cluster init --dir %s makes the authority of a cluster", dir);
		return WARD_E_USAGE;
	}
	rc = members_read_from(file, path, out, err);
	fclose(file);
	return rc;
}

int enrol_members_write(const char *dir, const struct enrol_members *members, struct ward_error *err)
{
	char path[4096], *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int rc;

	if (!to)
		return cluster_no_memory(err);
	for (size_t i = 0; i < members->n; i++)
		fprintf(to, "%s %s %" PRId64 "\n", enrol_role_name(members->member[i].role), members->member[i].name,
			members->member[i].until);
	rc = fclose(to) ? cluster_no_memory(err)
			: enrol_write(enrol_path(path, sizeof(path), dir, file_name), text, false, err);
	free(text);
	return rc;
}

/* Where a name is, or would be. */
static size_t members_place(const struct enrol_members *members, const char *name)
{
	size_t lo = 0, hi = members->n;

	/* In a list that is written in order, the next one is behind the last. */
	if (hi && strcmp(name, members->member[hi - 1].name) > 0)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(name, members->member[mid].name) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct enrol_member *enrol_members_find(const struct enrol_members *members, const char *name)
{
	size_t at = members_place(members, name);

	return at < members->n && strcmp(members->member[at].name, name) == 0 ? &members->member[at] : NULL;
}

int enrol_members_add(struct enrol_members *members, const struct enrol_member *member, struct ward_error *err)
{
	size_t at = members_place(members, member->name);

	if ((members->n & (members->n - 1)) == 0) { /* full at each power of two */
		struct enrol_member *more = realloc(members->member, (members->n ? 2 * members->n : 1) * sizeof(*more));
		if (!more)
			return cluster_no_memory(err);
		members->member = more;
	}
	memmove(members->member + at + 1, members->member + at, (members->n - at) * sizeof(*members->member));
	members->member[at] = *member;
	members->n++;
	return 0;
}

void enrol_members_free(struct enrol_members *members)
{
	free(members->member);
	memset(members, 0, sizeof(*members));
}
