/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the functions of a program "shop" that is nowhere else, for plans and messages. */
#include "table.h"

#include <string.h>

enum number {
	UNKNOWN,
	VOID,
	BOOL,
	CHAR,
	SCHAR,
	INT,
	LONG,
	ULONG,
	UINT,
	DOUBLE,
	COLOR,
	TEXT,
	ITEM,
	ITEM_AT,
	POINT,
	TAG,
	WEIGHT,
	SECRET,
	SECRET_AT,
	INTS,
	INT_AT,
	WIDE
};

static const struct ward_type types[] = {[VOID] = {.kind = WARD_TYPE_VOID, .name = ""},
	[UNKNOWN] = {.kind = WARD_TYPE_UNKNOWN, .name = ""},
	[BOOL] = {.kind = WARD_TYPE_BOOL, .name = "_Bool", .size = 1},
	[CHAR] = {.kind = WARD_TYPE_INT, .name = "char", .size = 1, .is_signed = true, .is_char = true},
	[SCHAR] = {.kind = WARD_TYPE_INT, .name = "signed char", .size = 1, .is_signed = true},
	[INT] = {.kind = WARD_TYPE_INT, .name = "int", .size = 4, .is_signed = true},
	[LONG] = {.kind = WARD_TYPE_INT, .name = "long", .size = 8, .is_signed = true},
	[ULONG] = {.kind = WARD_TYPE_INT, .name = "unsigned long", .size = 8},
	[UINT] = {.kind = WARD_TYPE_INT, .name = "unsigned", .size = 4},
	[DOUBLE] = {.kind = WARD_TYPE_REAL, .name = "double", .size = 8},
	[COLOR] = {.kind = WARD_TYPE_ENUMERATION, .name = "Color", .size = 4, .is_signed = true, .first = 0, .n = 3},
	[TEXT] = {.kind = WARD_TYPE_POINTER, .name = "", .size = 8, .of = CHAR},
	[ITEM] = {.kind = WARD_TYPE_STRUCTURE, .name = "item", .size = 88, .first = 0, .n = 12},
	[ITEM_AT] = {.kind = WARD_TYPE_POINTER, .name = "", .size = 8, .of = ITEM},
	[POINT] = {.kind = WARD_TYPE_STRUCTURE, .name = "point", .size = 8, .first = 12, .n = 2},
	[TAG] = {.kind = WARD_TYPE_ARRAY, .name = "", .size = 16, .of = CHAR, .n = 16},
	[WEIGHT] = {.kind = WARD_TYPE_STRUCTURE, .name = "", .size = 8, .is_union = true, .first = 14, .n = 2},
	[SECRET] = {.kind = WARD_TYPE_STRUCTURE, .name = "hidden", .is_incomplete = true},
	[SECRET_AT] = {.kind = WARD_TYPE_POINTER, .name = "", .size = 8, .of = SECRET},
	[INTS] = {.kind = WARD_TYPE_ARRAY, .name = "", .size = 8, .of = INT, .n = 2},
	[INT_AT] = {.kind = WARD_TYPE_POINTER, .name = "", .size = 8, .of = INT},
	[WIDE] = {.kind = WARD_TYPE_OTHER, .name = "__int128", .size = 16}};

static const struct ward_type_member members[] = {{"number", INT, 0, 0}, {"kind", UINT, 3, 32}, {"level", INT, 5, 35},
	{"tag", TAG, 0, 8}, {"next", ITEM_AT, 0, 24}, {"name", TEXT, 0, 32}, {"", WEIGHT, 0, 40}, {"at", POINT, 0, 48},
	{"color", COLOR, 0, 56}, {"sold", BOOL, 0, 60}, {"secret", SECRET_AT, 0, 64}, {"split", ULONG, 64, 601},
	{"x", INT, 0, 0}, {"y", INT, 0, 4}, {"id", LONG, 0, 0}, {"weight", DOUBLE, 0, 0}};

static const struct ward_enumerator enumerators[] = {{0, "RED"}, {7, "GREEN"}, {(uint64_t)-1, "BLUE"}};

static const struct ward_parameter parameters[] = {{"count", "signed char count", SCHAR, 0, NULL, NULL},
	{"path", "const char *path", TEXT, 1, NULL, NULL}, {"item", "struct item *item", ITEM_AT, 2, NULL, NULL},
	{"color", "enum Color color", COLOR, 3, NULL, NULL}, {"urgent", "_Bool urgent", BOOL, 4, NULL, NULL},
	{"total", "int *total", INT_AT, 5, NULL, NULL},
	{"size", "unsigned long size", ULONG, -1, "it is passed on the stack", NULL},
	{"count", "long count", LONG, 0, NULL, NULL}, {"time", "int time", INT, 1, NULL, NULL},
	{"item_number", "int item_number", ITEM_AT, 0, NULL, "number"}};

static const struct ward_function_types all[] = {{"shop!order", NULL, "enum Color", COLOR, 0, 7},
	{"shop!cancel", NULL, "long", LONG, 7, 2},
	{"shop!bare", "its file has no debug information", "", UNKNOWN, 0, 0}, {"shop!close", NULL, "void", VOID, 9, 1},
	{"shop!label", NULL, "const char *", TEXT, 8, 1}};

enum { N_ALL = sizeof(all) / sizeof(all[0]) };
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct ward_types *test_types(void *user, const char *site, int64_t pid, const char **why)
{
	static struct ward_types tables[N_ALL];

	(void)user;
	(void)pid;
	for (size_t i = 0; i < N_ALL; i++) {
		size_t length = strlen(all[i].site);

		if (strncmp(site, all[i].site, length) != 0 || (site[length] && site[length] != ':'))
			continue;
		tables[i] = (struct ward_types){&all[i], 1, parameters, COUNT(parameters), types, COUNT(types), members,
			COUNT(members), enumerators, COUNT(enumerators), false};
		return &tables[i];
	}
	if (strncmp(site, "shop!", 5) == 0)
		*why = "there is no such function";
	return NULL;
}

/* ---- a probe ---- */

static const struct ward_field held[] = {{.name = "caller", .kind = WARD_FIELD_VALUE, .is_address = true},
	{.name = "calls", .kind = WARD_FIELD_COUNT},
	{.name = "took", .kind = WARD_FIELD_STAT, .unit = WARD_UNIT_COUNTS},
	{.name = "sizes[1]", .kind = WARD_FIELD_LOG2}, {.name = "rank", .kind = WARD_FIELD_QUANTILES},
	{.name = "largest", .kind = WARD_FIELD_MAX}};

static const struct ward_field last[] = {{.name = "time", .kind = WARD_FIELD_VALUE, .unit = WARD_UNIT_TIME},
	{.name = "size", .kind = WARD_FIELD_VALUE}, {.name = "path", .kind = WARD_FIELD_TEXT}};

static const struct ward_field fields[] = {{.name = "all", .kind = WARD_FIELD_COUNT},
	{.name = "held", .kind = WARD_FIELD_MAP, .n_keys = 1, .n_values = 5, .parts = held},
	{.name = "plain", .kind = WARD_FIELD_MAP, .key_is_signed = true},
	{.name = "last", .kind = WARD_FIELD_RING, .n_values = 3, .parts = last},
	{.name = "least", .kind = WARD_FIELD_MIN},
	{.name = "plain_rows", .kind = WARD_FIELD_RING, .n_values = 1, .parts = last + 1}};

const struct query_module *test_module(void *user, const struct query_module_file *file, const char **why)
{
	static const struct query_module kept = {fields, COUNT(fields)}, bare = {fields + 1, 3};

	(void)user;
	if (strcmp(file->path, "kept.c") == 0)
		return &kept;
	if (strcmp(file->path, "bare.ward") == 0)
		return &bare;
	*why = "there is no such file";
	return NULL;
}

/* ---- an aggregate in C ---- */

static const char sketch[] = "struct sketch {\n\tward_count n;\n\tward_stat_signed sizes;\n\tward_max largest;\n};\n\n"
			     "static void sketch_add(struct sketch *s, unsigned long size, long change)\n{\n\ts->n++;\n"
			     "\tward_stat_signed_add(&s->sizes, change);\n\tward_max_add(&s->largest, size);\n}\n";

static const struct ward_field members_of_sketch[] = {{.name = "n", .kind = WARD_FIELD_COUNT},
	{.name = "sizes", .kind = WARD_FIELD_STAT, .value_is_signed = true},
	{.name = "largest", .kind = WARD_FIELD_MAX}};

const struct query_used *test_use(void *user, const struct query_use_file *file, const char **why)
{
	static const struct query_used used = {sketch, members_of_sketch, COUNT(members_of_sketch), 48},
				       bare = {"struct bare {};", NULL, 0, 0};

	(void)user;
	if (strcmp(file->path, "lib/sketch.c") == 0 && file->n_args == 2)
		return &used;
	if (strcmp(file->path, "bare.c") == 0)
		return &bare;
	*why = "there is no such file";
	return NULL;
}
