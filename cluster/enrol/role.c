/* SPDX-License-Identifier: Apache-2.0 */
/* Roles and names. */
#include "enrol.h"

#include <string.h>

static const struct {
	const char *name, *words;
} roles[] = {
#define ROLE(name, words) {#name, words},
#define MAY(role, action, subject)
#include "ward/role.def"
#undef ROLE
#undef MAY
};

const char *enrol_role_name(enum enrol_role role)
{
	return roles[role].name;
}

const char *enrol_role_words(enum enrol_role role)
{
	return roles[role].words;
}

enum enrol_role enrol_role_find(const char *name)
{
	int role = 0;

	while (role < ENROL_ROLES && strcmp(roles[role].name, name) != 0)
		role++;
	return (enum enrol_role)role;
}

bool enrol_name_valid(const char *name)
{
	char before = '.';

	if (strlen(name) >= ENROL_MOST_NAME || strcmp(name, "all") == 0) /* ward.order.all is for everybody */
		return false;
	for (; *name; before = *name++) {
		bool word = (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9');
		if (!word && (before == '.' || (*name != '-' && *name != '.')))
			return false;
		if (*name == '.' && before == '-')
			return false;
	}
	return before != '.' && before != '-';
}
