/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints below the front end's messages: clang knows C, but not what a probe is.
 *
 * Its text is split into messages, each with the lines that belong to it: what it was included from, the source,
 * notes. A message has at most one hint, and each hint is printed once. A single hint goes to the end, below our own
 * error.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/link/advice.h"
#include "cli.h"

static const char kernel_names[] = "the kernel's typedefs, enumerations and macros have no names here: write the type "
				   "that it stands for, unsigned short or int, and the number";

static const char look_up[] =
	"ward_map_get(&st->map, key, &value) copies the value of a key that the map has, ward_map_pop takes it out as "
	"well, ward_map_at(&st->map, key) points to the value, a new one if need be";

/* ---- what is declared nowhere ---- */

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/*
 * What declares it? The front end knows a function of <string.h> only where that is included, and of the system's no
 * more than its headers.
 */
static const char *find_header(const char *name)
{
	static const struct {
		const char *header, *names[20];
	} headers[] = {
		{"string.h", {"memcpy", "memmove", "memset", "bzero", "memcmp", "bcmp", "memchr", "strlen", "strnlen",
				     "strcmp", "strncmp", "strchr", "strrchr", NULL}},
		{"ctype.h", {"isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint",
				    "ispunct", "isspace", "isupper", "isxdigit", "tolower", "toupper", NULL}},
		{"assert.h", {"assert", NULL}},
		{"ward/imports.h", {"ward_read", "ward_read_str", "ward_match", "ward_clock", "ward_stack_take",
					   "ward_kernel_read", "ward_kernel_read_str", "ward_kernel_current",
					   "ward_kernel_stack_take", "ward_user_stack_take", "ward_current", NULL}},
		{"ward/kernel.h", {"WARD_GET", "WARD_ARG", "WARD_AT", NULL}},
		{"sys/types.h", {"ssize_t", "off_t", "pid_t", "mode_t", "time_t", "uid_t", "gid_t", NULL}},
		{"ward/probe.h", {"ward_event", "ward_count", "ward_min", "ward_max", "ward_stat", "ward_stat_signed",
					 "ward_log2", "ward_sample", "ward_rate", "ward_site", NULL}},
	};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (is_one_of(name, headers[i].names))
			return headers[i].header;
	return NULL;
}

/* A name as the kernel has them for its typedefs and macros: umode_t, PAGE_SIZE. */
static bool is_kernel_name(const char *name)
{
	size_t n = strlen(name);
	bool lower = false;

	for (size_t i = 0; i < n; i++)
		lower |= islower((unsigned char)name[i]);
	return n > 1 && (!lower || (n > 2 && strcmp(name + n - 2, "_t") == 0));
}

static const char *find_advice(const char *name, bool is_function, bool kernel)
{
	static const char *const sized[] = {
		"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "__u8", "__u16", "__u32", "__u64", NULL};
	static const char *const map_macros[] = {
		"ward_map_at", "ward_map_add", "ward_map_get", "ward_map_pop", "ward_map_remove", NULL};
	const char *known = cg_advice(name);

	if (strncmp(name, "ward_map_", 9) == 0 && !is_one_of(name, map_macros))
		return look_up;
	if (strcmp(name, "current") == 0)
		return cg_advice("get_current");
	if (strcmp(name, "mempcpy") == 0)
		return "#define _GNU_SOURCE before #include <string.h>, which declares mempcpy only then";
	if (is_one_of(name, sized))
		return "<ward/probe.h> has the names of C: uint8_t, uint16_t, uint32_t, uint64_t";
	if (strcmp(name, "WARD_ENTRY") == 0)
		return "#include <ward/probe.h>, and write WARD_ENTRY(\"MODULE!FUNCTION\"), or WARD_ENTRY() to give "
		       "the place with -f";
	if (is_function && known)
		return known;
	if (kernel && is_kernel_name(name))
		return kernel_names;
	return is_function ? "a probe can call functions of its own, of <ward/probe.h> and <ward/imports.h>, and some "
			     "of <string.h>"
			   : NULL;
}

static bool hint_on_name(const char *message, bool kernel, char *hint, size_t size)
{
	static const char *const begin[] = {"call to undeclared function '", "call to undeclared library function '",
		"unknown type name '", "use of undeclared identifier '"};
	char name[64] = "";
	size_t i = 0;
	const char *header, *advice;

	while (i < sizeof(begin) / sizeof(begin[0]) && strncmp(message, begin[i], strlen(begin[i])) != 0)
		i++;
	if (i == sizeof(begin) / sizeof(begin[0]) || sscanf(message + strlen(begin[i]), "%63[A-Za-z0-9_]", name) != 1)
		return false;
	header = find_header(name);
	advice = header ? NULL : find_advice(name, i < 2, kernel);
	if (header)
		snprintf(hint, size, "#include <%s>, which declares %s%s", header, name,
			!kernel && strcmp(header, "ward/kernel.h") == 0
				? ", and compile for the kernel: ward cc --profile kernel, ward trace --kernel"
				: "");
	else if (advice)
		snprintf(hint, size, "%s", advice);
	return header || advice;
}

/* ---- what else an author has to do something about ---- */

/* Each is tried in turn: what the message begins with, and what stands anywhere in it and the lines around it. */
static const struct {
	const char *begin, *within, *hint;
	const char *too; /* stands there as well; or NULL */
} rules[] = {
	{"use of undeclared identifier 'ev'", "expanded from macro 'WARD_ARG'",
		"WARD_ARG is of the event that is called `ev`: give the function's parameter that name", NULL},
	{"incomplete definition of type '", "expanded from macro 'WARD_GET",
		"the kernel itself tells of no members: those of a module's structure are there with "
		"WARD_KERNEL_MODULE(NAME); below #include <ward/kernel.h>",
		NULL},
	{"type specifier missing", "| WARD_KERNEL_MODULE(",
		"#include <ward/kernel.h>, which declares WARD_KERNEL_MODULE", NULL},
	{"", "struct ward_bit_field'",
		"this member is a bit field, which has no address: copy the byte that it is in with ward_kernel_read, "
		"and take its bits by >> and &, as the kernel's source has them",
		NULL},
	{"redefinition of '", "\nward_types.h:",
		"leave the system's header out: <ward/kernel.h> has the kernel's own structures", "/usr/include/"},
	{"redefinition of '", "\nward_types.h:",
		"the kernel has a structure of that name, which <ward/kernel.h> brings along: choose another", NULL},
	{"use of '", "\nward_types.h:",
		"the kernel has a structure of that name, which <ward/kernel.h> brings along: choose another", NULL},
	{"variable has incomplete type 'enum ", "", kernel_names, NULL},
	{"'vmlinux.h'", "", "#include <ward/kernel.h> in its place: it has the kernel's structures", NULL},
	{"'bpf/", "file not found",
		"leave it out: a probe has no BPF helpers. Maps are of <ward/probe.h>; <ward/imports.h>, and in the "
		"kernel <ward/kernel.h>, read memory",
		NULL},
	{"'linux/", "file not found", "leave it out: <ward/kernel.h> has the kernel's structures", NULL},
	{"", "extern \"C\"", "a probe is C, not C++: leave this out", NULL},
	{"unknown type name 'namespace'", "", "a probe is C, not C++", NULL},
	{"unknown type name 'class'", "", "a probe is C, not C++", NULL},
	{"unknown type name 'template'", "", "a probe is C, not C++", NULL},
	{"always_inline function '_mm", "", "a probe has no vector registers: write a loop over the elements", NULL},
	{"'__builtin_ia32_", "needs target feature", "a probe has no vector registers: write a loop over the elements",
		NULL},
	{"", "'long double' type support", cg_no_floating, NULL},
	{"static assertion failed", " that is an array goes into a struct",
		"a key, value or record that is an array goes into a struct: struct name { char text[16]; }", NULL},
	{"'section' attribute takes one argument", "WARD_ENTRY(",
		"a WARD_ENTRY has one place: write a function for each, or WARD_ENTRY(), to give several with -f",
		NULL},
	{"expected ", "| WARD_ENTRY(\"", "#include <ward/probe.h>, which declares WARD_ENTRY",
		"note: to match this '('"},
	{"expected ", "| WARD_ENTRY(", "a place is a string: WARD_ENTRY(\"libc.so.6!read\")",
		"expanded from macro 'WARD_ENTRY'"},
	{"too few arguments to function call", "'ward_map_find' declared here", look_up, NULL},
	{"passing '", "parameter of incompatible type 'struct ward_map_slots'", look_up, NULL},
	{"indirection requires pointer operand", "expanded from macro 'ward_",
		"the member is given by its address: &st->name", NULL},
	{"expected ", "| SEC(",
		"write WARD_ENTRY(\"kernel!FUNCTION\") before the function, WARD_ENTRY(\"kernel!FUNCTION:return\") for "
		"its return",
		NULL},
	{"incompatible integer to pointer conversion passing", "to parameter 'buffer' here",
		"an import is given the buffer, its length, and the target's address, in this order", NULL},
	{"incompatible pointer to integer conversion passing", "to parameter 'length' here",
		"an import is given the buffer, its length, and the target's address, in this order", NULL},
	{"incompatible pointer to integer conversion passing", "to parameter 'address' here",
		"addresses of the target are numbers: cast what is a pointer, (uint64_t)pointer", NULL},
	{"expected ';' at end of declaration list", "",
		"a member ends with a semicolon, and so does one that a macro makes: WARD_MAP(int, ward_count, 64) "
		"name; and WARD_PRIVATE(...); - look at the line before as well",
		NULL},
	{"expected member name or ';' after declaration specifiers", "",
		"a member ends with a semicolon, and so does one that a macro makes: WARD_MAP(int, ward_count, 64) "
		"name; and WARD_PRIVATE(...); - look at the line before as well",
		NULL},
	{"invalid operands to binary expression", "expanded from macro 'ward_map_add'",
		"a map of something else than numbers: add to what ward_map_at(&st->map, key) points to, by that one's "
		"own function",
		NULL},
};

/*
 * A pointer that is a number: where it is kept it is to be cast; it can't be followed. Of a call to nothing declared
 * that is said already.
 */
static const char *hint_on_pointer(const char *message)
{
	if (strncmp(message, "incompatible integer to pointer conversion", 42) != 0 ||
		strstr(message, "of type 'int'") || strstr(message, "with &"))
		return NULL;
	if (strncmp(message + 42, " passing", 8) == 0)
		return "what the target points to is a number here, and can't be followed: copy what it leads to with "
		       "ward_read of <ward/imports.h>, in the kernel with WARD_GET of <ward/kernel.h>";
	return "addresses of the target are numbers: where one is kept as a pointer, to be shown by its name, write "
	       "(void *)ev->caller";
}

/* A macro of the headers that has an argument too few or too many: the note that follows has its definition. */
static bool hint_on_macro(const char *message, const char *block, char *hint, size_t size)
{
	static const char define[] = "| #define ward_";
	const char *macro = strstr(block, define);
	size_t n = macro ? strcspn(macro, ")") : 0;

	if (!macro || !strstr(message, " arguments provided to function-like macro invocation") || macro[n] != ')')
		return false;
	macro += sizeof("| #define ") - 1;
	snprintf(hint, size, "its arguments are %.*s, and the first is an address: &st->name",
		(int)(n + 1 - (sizeof("| #define ") - 1)), macro);
	return true;
}

static bool is_cpp_header(const char *message)
{
	size_t n = message[0] == '\'' ? strcspn(message + 1, "'") : 0;

	return n && strncmp(message + 1 + n, "' file not found", 16) == 0 && !memchr(message + 1, '.', n) &&
	       !memchr(message + 1, '/', n);
}

static bool find_hint(const char *message, const char *block, bool kernel, char *hint, size_t size)
{
	const char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strncmp(message, rules[i].begin, strlen(rules[i].begin)) == 0 && strstr(block, rules[i].within) &&
			(!rules[i].too || strstr(block, rules[i].too)))
			found = rules[i].hint;
	if (!found && (hint_on_macro(message, block, hint, size) || hint_on_name(message, kernel, hint, size)))
		return true;
	if (!found)
		found = is_cpp_header(message) ? "a probe is C, not C++" : hint_on_pointer(message);
	if (found)
		snprintf(hint, size, "%s", found);
	return found;
}

/* ---- the text ---- */

/* The message in a line that begins one; NULL: it doesn't. Lines of the source, which have a bar, may say anything. */
static const char *find_message(const char *line, size_t n, bool *is_error)
{
	static const char *const kinds[] = {"fatal error: ", "error: ", "warning: "};
	const char *bar = memmem(line, n, " | ", 3);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const char *at = memmem(line, n, kinds[i], strlen(kinds[i]));

		if (at && (!bar || at < bar) && (at == line || (at >= line + 2 && strncmp(at - 2, ": ", 2) == 0))) {
			*is_error = i < 2;
			return at + strlen(kinds[i]);
		}
	}
	return NULL;
}

struct block {
	const char *begin, *message, *end; /* no message: lines that belong to none */
	bool is_error;
};

/* The next message with its lines; false at the end. */
static bool next_block(const char **text, struct block *b)
{
	static const char from[] = "In file included from", total[] = " generated.";
	const char *line = *text;
	bool included = false;

	*b = (struct block){.begin = line};
	while (*line) {
		size_t n = strcspn(line, "\n");
		bool is_error = false, is_from = strncmp(line, from, sizeof(from) - 1) == 0;
		bool ends = n >= sizeof(total) && isdigit((unsigned char)*line) &&
			    memcmp(line + n - sizeof(total) + 1, total, sizeof(total) - 1) == 0;
		const char *message = find_message(line, n, &is_error);

		if (line != b->begin && (ends || (is_from && !included) || (message && !(included && !b->message))))
			break;
		included = is_from;
		if (message) {
			b->message = message;
			b->is_error = is_error;
		}
		line += n + (line[n] == '\n');
		if (ends)
			break;
	}
	b->end = line;
	*text = line;
	return b->begin != line;
}

static bool hint_on_block(const struct block *b, bool kernel, char *hint, size_t size)
{
	char *block = b->message && b->is_error ? strndup(b->begin, (size_t)(b->end - b->begin)) : NULL;
	char *message = block ? strndup(b->message, strcspn(b->message, "\n")) : NULL;
	bool found = message && !strstr(block, "\nhint: ") && find_hint(message, block, kernel, hint, size);

	free(block);
	free(message);
	return found;
}

/* Keep a hint; false: it was given already. A header is named once, with the first name that it is missed for. */
static bool is_new_hint(struct cli_hints *h, const char *hint)
{
	static const char include[] = "#include <";
	bool header = strncmp(hint, include, sizeof(include) - 1) == 0;

	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->given[i], hint) == 0 ||
			(header && strncmp(h->given[i], hint, strcspn(hint, ">") + 1) == 0))
			return false;
	if (h->n == CLI_MAX_HINTS || !(h->given[h->n] = strdup(hint)))
		return false;
	h->n++;
	return true;
}

void cli_hints_free(struct cli_hints *h)
{
	while (h->n)
		free(h->given[--h->n]);
}

const char *cli_hints_last(const struct cli_hints *h)
{
	return h->n == 1 && !h->shown ? h->given[0] : h->n ? "correct the errors above" : NULL;
}

void cli_hints_print(struct cli_hints *h, const char *text, FILE *to)
{
	struct cli_hints all = {.kernel = h->kernel};
	struct block b;
	char hint[400];

	for (const char *at = text; next_block(&at, &b);)
		if (hint_on_block(&b, h->kernel, hint, sizeof(hint)))
			is_new_hint(&all, hint);
	bool below = all.n > 1 || h->n;
	cli_hints_free(&all);
	for (const char *at = text; next_block(&at, &b);) {
		fwrite(b.begin, 1, (size_t)(b.end - b.begin), to);
		if (!hint_on_block(&b, h->kernel, hint, sizeof(hint)) || !is_new_hint(h, hint) || !below)
			continue;
		fprintf(to, "    hint: %s\n", hint);
		h->shown = true;
	}
}
