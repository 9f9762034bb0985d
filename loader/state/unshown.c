/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members that no field shows: what they are called, why they aren't shown, and where they are declared. So nothing
 * that a probe keeps is missing without a word.
 *
 * Elements of an array are one member: of a[0].b, a[1].b … only the first is noted, as a[].b.
 */
#include <stdio.h>
#include <string.h>

#include "walk.h"

static const char *const reasons[STATE_WHYS] = {
	[STATE_WHY_TYPE] = "Ward has no form for its type",
	[STATE_WHY_ARRAY] = "an array of more than 128 is shown only as a member of the state itself",
	[STATE_WHY_NESTED] = "maps, rings and sketches of keys are shown only as members of the state itself",
	[STATE_WHY_PARTS] = "no member of its keys or records can be shown",
	[STATE_WHY_DEEP] = "it is nested too deep, or its name is too long",
	[STATE_WHY_FULL] = "a state shows at most 1024 members; those behind this one are left out as well",
	[STATE_WHY_MORE] = "nor are others behind it, which are more than are named here",
	[STATE_WHY_SHARED] = "threads that share it would spoil it: they share ward_shared_count and WARD_SHARED_MAP",
	[STATE_WHY_HOLES] =
		("has bytes that no member has, and keys that differ there are different keys: order the members "
		 "by their size, or fill the holes with a ward_pad"),
	[STATE_WHY_MALFORMED] = "the debug information of its type contradicts itself",
};

/* ---- in the sandbox ---- */

/* All of a path, or its end. */
static void copy_path(char to[STATE_MAX_FILE], const char *path)
{
	size_t n = strlen(path);
	snprintf(to, STATE_MAX_FILE, "%s", n < STATE_MAX_FILE ? path : path + n - (STATE_MAX_FILE - 1));
}

static void note_place(struct state_unshown *u, Dwarf_Die *member)
{
	int line, column;
	const char *file = dwarf_decl_file(member);
	if (!file || dwarf_decl_line(member, &line) != 0 || line <= 0)
		return;
	copy_path(u->file, file);
	u->line = (uint32_t)line;
	u->column = dwarf_decl_column(member, &column) == 0 && column > 0 ? (uint32_t)column : 0;
}

/* Where parts are parts of something, that comes first. A key, value or element that has no members has no name. */
static void note_name(char to[STATE_MAX_NAME], const struct walk *w, const char *name)
{
	bool is_whole = strcmp(name, "key") == 0 || strcmp(name, "value") == 0 || !*name;
	char full[2 * STATE_MAX_NAME];
	size_t n = 0;
	if (w->within && is_whole)
		name = "";
	snprintf(full, sizeof(full), "%s%s%.*s", w->within ? w->within : "",
		w->within && *name && *name != '[' ? "." : "", STATE_MAX_NAME, name);
	for (const char *c = full; *c && n < STATE_MAX_NAME - 1; c++)
		if (*c < '0' || *c > '9' || n == 0 || to[n - 1] != '[')
			to[n++] = *c;
	to[n] = 0;
}

void walk_leave_out(struct walk *w, const char *name, enum state_why why)
{
	struct state_notes *notes = w->notes;
	if (!notes || notes->n == STATE_MAX_UNSHOWN || (w->repeats && why != STATE_WHY_FULL))
		return;
	struct state_unshown *u = &notes->unshown[notes->n++];
	memset(u, 0, sizeof(*u));
	u->why = notes->n == STATE_MAX_UNSHOWN ? STATE_WHY_MORE : why;
	note_name(u->name, w, name);
	if (w->member)
		note_place(u, w->member);
}

/* ---- what the sandbox said ---- */

void state_notes_check(struct state_notes *notes)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < notes->n; i++) {
		struct state_unshown *u = &notes->unshown[i];
		if (u->why >= STATE_WHYS || !state_name_valid(u->name) ||
			strnlen(u->file, sizeof(u->file)) == sizeof(u->file))
			continue;
		notes->unshown[kept++] = *u;
	}
	notes->n = kept;
}

/* ---- for callers ---- */

bool ward_schema_is_described(const ward_schema *schema)
{
	return schema && schema->notes->is_described;
}

size_t ward_schema_unshown(const ward_schema *schema)
{
	return schema ? schema->notes->n : 0;
}

struct ward_unshown ward_schema_unshown_member(const ward_schema *schema, size_t i)
{
	if (i >= ward_schema_unshown(schema))
		return (struct ward_unshown){.name = "", .why = "", .file = ""};
	const struct state_unshown *u = &schema->notes->unshown[i];
	return (struct ward_unshown){u->name, reasons[u->why], u->file, u->line, u->column, u->why == STATE_WHY_HOLES};
}
