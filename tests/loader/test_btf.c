/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's types: as clang writes them, and made up with wrong values, circles or missing parts. */
#include "helper.h"
#include "made.h"

#include "loader/kernel/arguments.h"
#include "loader/kernel/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct wl_btf *sample(void)
{
	struct wl_btf *btf = wl_btf_read(MODULES "/types.btf", NULL);

	cr_assert(btf, "%s", strerror(errno));
	return btf;
}

/* The parameters of a function; "?" if they can't be said. */
static const char *parameters(const struct wl_btf *btf, const char *function, unsigned first, size_t size)
{
	static char text[1024];
	const struct btf_type *prototype = wl_btf_function(btf, function);

	cr_assert(prototype, "%s", function);
	return wl_btf_parameters(btf, prototype, first, text, size) ? text : "?";
}

Test(btf, declarations)
{
	struct wl_btf *btf = sample();

	cr_expect_str_eq(
		parameters(btf, "vfs_read", 0, 1024), "struct file *file, char *buf, size_t count, loff_t *pos");
	cr_expect_str_eq(parameters(btf, "vfs_read", 3, 1024), "loff_t *pos");
	cr_expect_str_eq(parameters(btf, "vfs_read", 4, 1024), "void");
	cr_expect_str_eq(parameters(btf, "vfs_read", 5, 1024), "void", "beyond the last");
	cr_expect_str_eq(parameters(btf, "nothing", 0, 1024), "void");
	cr_expect_str_eq(parameters(btf, "many", 0, 1024),
		"_Bool yes, const char *const *names, int (*fn)(struct file *, void *, ...), long (*rows)[4]");
	cr_expect_str_eq(parameters(btf, "more", 0, 1024),
		"volatile enum kind *kind, union number *number, char *restrict last");
	cr_expect_str_eq(parameters(btf, "sorts", 0, 1024), "void *base, compare_fn fn, struct {...} *anonymous");
	cr_expect_null(wl_btf_function(btf, "vfs_rea"));
	cr_expect_null(wl_btf_function(btf, "file"), "a type that is no function");
	cr_expect_null(wl_btf_function(btf, ""));
	for (size_t size = 0; size < 24; size++)
		cr_expect_str_eq(
			parameters(btf, "vfs_read", 3, size), size > 11 ? "loff_t *pos" : "?", "%zu bytes", size);
	wl_btf_free(btf);
}

/* ---- Arguments, from a folder as the kernel's is ---- */

static void put_file(const char *folder, const char *name, const void *bytes, size_t size)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	cr_assert(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0, "%s", path);
}

static void remove_file(const char *folder, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	cr_assert_eq(unlink(path), 0);
}

static bool can_wrap(struct wl_karguments *k, const char *name, const char *module)
{
	return wl_kcan_wrap(k, &(struct wl_ksym){.name = name, .module = module});
}

static void expect_arguments(struct wl_karguments *k, const char *name, const char *module, enum wl_kwhere where,
	const char *text, unsigned n)
{
	struct wl_ksym sym = {.name = name, .module = module};
	unsigned words = 99;
	char *is = wl_karguments(k, &sym, where, &words);

	cr_expect_str_eq(is ? is : "?", text, "%s", name);
	cr_expect_eq(words, n, "%s: %u", name, words);
	free(is);
}

Test(btf, arguments)
{
	char folder[] = "/tmp/ward-test-btf-XXXXXX";
	struct wl_karguments k = {.folder = folder};
	const struct wl_ksym twice = {.name = "vfs_read", .module = "", .several = true};
	size_t size;
	char *bytes = wl_read_bytes(MODULES "/types.btf", &size);

	cr_assert(bytes && mkdtemp(folder));
	put_file(folder, "vmlinux", bytes, size);
	expect_arguments(&k, "vfs_read", "", WL_KENTRY, "struct file *file, char *buf, size_t count, loff_t *pos", 4);
	expect_arguments(&k, "vfs_read", "", WL_KRETURN, "struct file *file, char *buf, size_t count, loff_t *pos", 4);
	expect_arguments(&k, "absent", "", WL_KENTRY, "?", 6);
	expect_arguments(&k, "any:switched", "", WL_KPOINT, "_Bool preempt, struct file *prev, unsigned int state", 3);
	expect_arguments(&k, "any:bare", "", WL_KPOINT, "void", 0);
	expect_arguments(&k, "any:wide", "", WL_KPOINT, "struct pair pair", 6);
	expect_arguments(&k, "any:vfs_read", "", WL_KPOINT, "?", 6);
	expect_arguments(&k, "vfs_read", "ext4", WL_KENTRY, "?", 6);
	expect_arguments(&k, "vfs_read", "../vmlinux", WL_KENTRY, "?", 6);
	cr_expect_null(wl_karguments(&k, &twice, WL_KENTRY, NULL), "which of several, nobody knows");
	cr_expect(can_wrap(&k, "vfs_read", "") && can_wrap(&k, "__x64_sys_read", ""), "words in registers");
	cr_expect(!can_wrap(&k, "absent", "") && !can_wrap(&k, "vfs_read", "ext4") && !wl_kcan_wrap(&k, &twice),
		"unknown ones");
	cr_expect(!can_wrap(&k, "__traceiter_wide", ""), "a structure");
	cr_expect(!can_wrap(&k, "__x64_sys_read", "ext4") && !can_wrap(&k, "__x64_sys_exit_group", "") &&
			  !can_wrap(&k, "do_exit", ""),
		"others, and those that never return");
	wl_karguments_free(&k);
	put_file(folder, "vmlinux", bytes, size - 1);
	k = (struct wl_karguments){.folder = folder};
	expect_arguments(&k, "vfs_read", "", WL_KENTRY, "?", 6);
	wl_karguments_free(&k);
	remove_file(folder, "vmlinux");
	k = (struct wl_karguments){.folder = folder};
	expect_arguments(&k, "any:switched", "", WL_KPOINT, "?", 6);
	wl_karguments_free(&k);
	cr_assert_eq(rmdir(folder), 0);
	free(bytes);
}

/* ---- Made up ---- */

static const char names[] = "\0f\0x";
enum { F = 1, X = 3 };

/*
 * Function f has one parameter, x, of type 3; what follows are types from 3 on. It is read, and its parameter is
 * `text`.
 */
static void expect_parameter(const char *text, const uint32_t *more, size_t more_size)
{
	static const uint32_t begin[] = {F, INFO(BTF_KIND_FUNC, 0), 2, 0, INFO(BTF_KIND_FUNC_PROTO, 1), 0, X, 3};
	uint32_t types[64];
	struct wl_btf *btf;
	uint8_t *bytes;
	size_t size;

	memcpy(types, begin, sizeof(begin));
	memcpy(types + 8, more, more_size);
	bytes = made(types, sizeof(begin) + more_size, names, sizeof(names), &size);
	btf = wl_btf_parse(bytes, size, NULL);
	cr_assert(btf, "%s", strerror(errno));
	cr_expect_str_eq(parameters(btf, "f", 0, 1024), text);
	wl_btf_free(btf);
}

Test(btf, odd_types)
{
	expect_parameter("void *x", WORDS(0, INFO(BTF_KIND_PTR, 0), 0));
	expect_parameter("const void x", WORDS(0, INFO(BTF_KIND_CONST, 0), 4, 0, INFO(BTF_KIND_INT, 0), 4, 32));
	expect_parameter("f x", WORDS(F, INFO(BTF_KIND_TYPEDEF, 0), 3));
	expect_parameter("union f x", WORDS(F, INFO(BTF_KIND_FWD, 0) | 1u << 31, 0));
	expect_parameter("enum {...} x", WORDS(0, INFO(BTF_KIND_ENUM64, 1), 8, F, 0, 0));
	expect_parameter("void x[4294967295]", WORDS(0, INFO(BTF_KIND_ARRAY, 0), 0, 0, 0, UINT32_MAX));
	expect_parameter("const volatile void x",
		WORDS(0, INFO(BTF_KIND_CONST, 0), 4, 0, INFO(BTF_KIND_VOLATILE, 0), 5, 0, INFO(BTF_KIND_CONST, 0), 0));
	/* A name that isn't there. */
	expect_parameter("struct {...} x", WORDS(UINT32_MAX, INFO(BTF_KIND_STRUCT, 0), 0));
	/* What isn't there, or is no type of anything. */
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_PTR, 0), 4));
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_PTR, 0), UINT32_MAX));
	expect_parameter("?", WORDS(X, INFO(BTF_KIND_FUNC, 0), 2));
	expect_parameter("?", WORDS(F, INFO(BTF_KIND_VAR, 0), 0, 0));
	expect_parameter("?", WORDS(F, INFO(BTF_KIND_DATASEC, 0), 0));
	/* Circles. */
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_PTR, 0), 3));
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_CONST, 0), 4, 0, INFO(BTF_KIND_VOLATILE, 0), 3));
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_ARRAY, 0), 0, 3, 3, 2));
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_PTR, 0), 2));
	expect_parameter("?", WORDS(0, INFO(BTF_KIND_PTR, 0), 4, 0, INFO(BTF_KIND_FUNC_PROTO, 2), 4, 0, 3, 0, 3));
}

static bool is_bad(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1); /* no longer than it is: sanitizers see what reads on */
	struct wl_btf *btf;

	cr_assert(copy);
	memcpy(copy, bytes, size);
	errno = 0;
	btf = wl_btf_parse(copy, size, NULL);
	cr_expect(btf || errno == EINVAL, "%s", strerror(errno));
	wl_btf_free(btf);
	return !btf;
}

/* A file in which one word is another one. */
static bool is_bad_with(const uint8_t *good, size_t size, size_t at, uint32_t word)
{
	uint8_t bytes[200];

	cr_assert(size <= sizeof(bytes) && at + 4 <= size);
	memcpy(bytes, good, size);
	memcpy(bytes + at, &word, sizeof(word));
	return is_bad(bytes, size);
}

Test(btf, no_files)
{
	static const uint32_t types[] = {F, INFO(BTF_KIND_FUNC, 0), 2, 0, INFO(BTF_KIND_FUNC_PROTO, 1), 0, X, 0};
	static const uint32_t lengths[] = {UINT32_MAX, UINT32_MAX - 23, 1u << 31};
	struct btf_header h;
	size_t size;
	uint8_t *good = made(types, sizeof(types), names, sizeof(names), &size);

	memcpy(&h, good, sizeof(h));
	cr_expect_not(is_bad(good, size));
	for (size_t n = 0; n < size; n++)
		cr_expect(is_bad(good, n), "%zu bytes of it", n);
	cr_expect(is_bad_with(good, size, 0, 0x01eb9f00), "another magic");
	cr_expect(is_bad_with(good, size, 0, BTF_MAGIC | 2 << 16), "another version");
	cr_expect(is_bad_with(good, size, 0, BTF_MAGIC | 1 << 16 | 1 << 24), "flags");
	cr_expect(is_bad_with(good, size, 4, 20) && is_bad_with(good, size, 4, 0), "a short header");
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (size_t at = 4; at < sizeof(h); at += 4)
			cr_expect(is_bad_with(good, size, at, lengths[i]), "word %zu is %u", at, lengths[i]);
	cr_expect(is_bad_with(good, size, offsetof(struct btf_header, type_off), 2), "types at no multiple of 4");
	cr_expect(is_bad_with(good, size, offsetof(struct btf_header, type_len), sizeof(types) - 4), "half a type");
	cr_expect(is_bad_with(good, size, offsetof(struct btf_header, str_len), sizeof(names) - 3),
		"a name without an end");
	cr_expect(is_bad_with(good, size, sizeof(h) + 4, INFO(20, 0)) &&
			  is_bad_with(good, size, sizeof(h) + 4, INFO(31, 0)) &&
			  is_bad_with(good, size, sizeof(h) + 4, INFO(0, 0)),
		"other kinds");
	cr_expect(is_bad_with(good, size, sizeof(h) + 16, INFO(BTF_KIND_FUNC_PROTO, 0xffff)),
		"more parameters than bytes");
	free(good);
	cr_expect(is_bad((const uint8_t *)"", 0));
}

/* Two functions of one name; one that isn't of the file's own prototypes. */
Test(btf, functions)
{
	static const uint32_t twice[] = {F, INFO(BTF_KIND_FUNC, 0), 2, 0, INFO(BTF_KIND_FUNC_PROTO, 0), 0, F,
		INFO(BTF_KIND_FUNC, 0), 2, X, INFO(BTF_KIND_FUNC, 0), 1, 0, INFO(BTF_KIND_FUNC, 0), 2};
	size_t size;
	uint8_t *bytes = made(twice, sizeof(twice), names, sizeof(names), &size);
	struct wl_btf *btf = wl_btf_parse(bytes, size, NULL);

	cr_assert(btf);
	cr_expect_eq(btf->n_functions, 3);
	cr_expect_null(wl_btf_function(btf, "f"), "which of them?");
	cr_expect_null(wl_btf_function(btf, "x"), "its type is a function");
	wl_btf_free(btf);
}

/* A module's types and names go on from the kernel's. */
Test(btf, modules)
{
	static const uint32_t of_kernel[] = {F, INFO(BTF_KIND_STRUCT, 0), 0},
			      of_module[] = {0, INFO(BTF_KIND_PTR, 0), 1, sizeof(names) + 1, INFO(BTF_KIND_FUNC, 0), 4,
				      0, INFO(BTF_KIND_FUNC_PROTO, 1), 0, X, 2};
	size_t size;
	uint8_t *bytes = made(of_kernel, sizeof(of_kernel), names, sizeof(names), &size);
	struct wl_btf *kernel = wl_btf_parse(bytes, size, NULL), *module;

	cr_assert(kernel);
	bytes = made(of_module, sizeof(of_module), "\0own", 5, &size);
	module = wl_btf_parse(bytes, size, kernel);
	cr_assert(module);
	cr_expect_str_eq(parameters(module, "own", 0, 1024), "struct f *x");
	cr_expect_null(wl_btf_function(kernel, "own"));
	cr_expect(
		wl_btf_type(module, 4) && !wl_btf_type(module, 5) && wl_btf_type(kernel, 1) && !wl_btf_type(kernel, 2));
	wl_btf_free(module);
	wl_btf_free(kernel);
}

/* A tracepoint with more arguments than a probe sees: seven numbers. */
Test(btf, many_arguments)
{
	static const uint32_t types[] = {1, INFO(BTF_KIND_FUNC, 0), 2, 0, INFO(BTF_KIND_FUNC_PROTO, 8), 0, 0, 3, 0, 4,
		0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, INFO(BTF_KIND_PTR, 0), 0, 15, INFO(BTF_KIND_INT, 0), 4, 32};
	static const char own[] = "\0__traceiter_e\0u32";
	char folder[] = "/tmp/ward-test-btf-XXXXXX";
	struct wl_karguments k = {.folder = folder};
	size_t size;
	uint8_t *bytes = made(types, sizeof(types), own, sizeof(own), &size);

	cr_assert(mkdtemp(folder));
	put_file(folder, "vmlinux", bytes, size);
	expect_arguments(&k, "any:e", "", WL_KPOINT, "u32, u32, u32, u32, u32, u32, u32", 6);
	cr_expect(!can_wrap(&k, "__traceiter_e", ""), "one of eight is on the stack");
	wl_karguments_free(&k);
	remove_file(folder, "vmlinux");
	cr_assert_eq(rmdir(folder), 0);
	free(bytes);
}

/* f has six words, g any number; h has six and returns a structure, whose place may be one more; i has five. */
Test(btf, wrapping)
{
	static const uint32_t types[] = {1, INFO(BTF_KIND_FUNC, 0), 2, 0, INFO(BTF_KIND_FUNC_PROTO, 6), 9, 0, 9, 0, 9,
		0, 9, 0, 9, 0, 9, 0, 9, 3, INFO(BTF_KIND_FUNC, 0), 4, 0, INFO(BTF_KIND_FUNC_PROTO, 2), 9, 0, 9, 0, 0, 5,
		INFO(BTF_KIND_FUNC, 0), 6, 0, INFO(BTF_KIND_FUNC_PROTO, 6), 10, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 7,
		INFO(BTF_KIND_FUNC, 0), 8, 0, INFO(BTF_KIND_FUNC_PROTO, 5), 10, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0,
		INFO(BTF_KIND_INT, 0), 4, 32, 0, INFO(BTF_KIND_STRUCT, 0), 16};
	static const char own[] = "\0f\0g\0h\0i";
	char folder[] = "/tmp/ward-test-btf-XXXXXX";
	struct wl_karguments k = {.folder = folder};
	size_t size;
	uint8_t *bytes = made(types, sizeof(types), own, sizeof(own), &size);

	cr_assert(mkdtemp(folder));
	put_file(folder, "vmlinux", bytes, size);
	cr_expect(can_wrap(&k, "f", "") && !can_wrap(&k, "g", "") && !can_wrap(&k, "h", "") && can_wrap(&k, "i", ""));
	wl_karguments_free(&k);
	remove_file(folder, "vmlinux");
	cr_assert_eq(rmdir(folder), 0);
	free(bytes);
}

/* ---- The header ---- */

static char *header_of(const struct wl_btf *btf)
{
	return made_header(&btf, 1);
}

Test(btf, header)
{
	struct wl_btf *btf = sample();
	char *text = header_of(btf);

	cr_assert(text);
	cr_expect(strstr(text, "struct file {\nstruct inode *inode;\n} "
			       "__attribute__((packed));\n_Static_assert(sizeof(struct file) == 8,"),
		"%s", text);
	cr_expect(strstr(text, "union number {\nlong i;\n"), "%s", text);
	free(text);
	wl_btf_free(btf);
}

/*
 * Structure f of 16 bytes, type 1, with members; what follows are types from 2 on, of which 2 is an int. Its braces
 * have `body` in them.
 */
static void expect_body(const char *body, unsigned n_members, const uint32_t *more, size_t more_size)
{
	uint32_t types[64] = {F, INFO(BTF_KIND_STRUCT, n_members), 16};
	char expected[300], *text;
	struct wl_btf *btf;
	uint8_t *bytes;
	size_t size;

	memcpy(types + 3, more, more_size);
	bytes = made(types, 12 + more_size, names, sizeof(names), &size);
	btf = wl_btf_parse(bytes, size, NULL);
	cr_assert(btf, "%s", strerror(errno));
	text = header_of(btf);
	cr_assert(text);
	snprintf(expected, sizeof(expected), "struct f {\n%s} __attribute__((packed));\n", body);
	cr_expect(strstr(text, expected), "%s instead of %s", text, expected);
	free(text);
	wl_btf_free(btf);
}

#define AN_INT 0, INFO(BTF_KIND_INT, 0), 4, BTF_INT_SIGNED << 24 | 32

Test(btf, odd_members)
{
	static const char hole[] = "unsigned char ward_hole_1[16];\n";

	expect_body("int x;\nunsigned char ward_hole_1[12];\n", 1, WORDS(X, 2, 0, AN_INT));
	expect_body("unsigned char ward_hole_1[12];\nint x;\n", 1, WORDS(X, 2, 96, AN_INT));
	/* Beyond the end, before the one before, or over it. */
	expect_body(hole, 1, WORDS(X, 2, 104, AN_INT));
	expect_body(hole, 1, WORDS(X, 2, UINT32_MAX - 7, AN_INT));
	expect_body("int f;\nunsigned char ward_hole_1[12];\n", 2, WORDS(F, 2, 0, X, 2, 0, AN_INT));
	expect_body("int f;\nunsigned char ward_hole_1[12];\n", 2, WORDS(F, 2, 0, X, 2, 24, AN_INT));
	/* Without a name, or of no type. */
	expect_body(hole, 1, WORDS(0, 2, 0, AN_INT));
	expect_body(hole, 1, WORDS(2, 2, 0, AN_INT));
	expect_body(hole, 1, WORDS(UINT32_MAX, 2, 0, AN_INT));
	expect_body(hole, 1, WORDS(X, 0, 0, AN_INT));
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT));
	expect_body(hole, 1, WORDS(X, UINT32_MAX, 0, AN_INT));
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT, F, INFO(BTF_KIND_FUNC, 0), 0));
	/* Itself, as it is, in an array, and by way of something without a name; and a pointer to it. */
	expect_body(hole, 1, WORDS(X, 1, 0, AN_INT));
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_ARRAY, 0), 0, 1, 2, 1));
	expect_body("struct {\nunsigned char ward_hole_1[16];\n} __attribute__((packed)) x;\n", 1,
		WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_STRUCT, 1), 16, X, 1, 0));
	expect_body("struct f *x;\nunsigned char ward_hole_1[8];\n", 1,
		WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_PTR, 0), 1));
	/* Circles, and what is too large. */
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT, X, INFO(BTF_KIND_TYPEDEF, 0), 3));
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_ARRAY, 0), 0, 3, 2, 1));
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_PTR, 0), 3));
	expect_body(hole, 1, WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_ARRAY, 0), 0, 2, 2, UINT32_MAX));
	expect_body(hole, 1,
		WORDS(X, 3, 0, AN_INT, 0, INFO(BTF_KIND_ARRAY, 0), 0, 4, 2, UINT32_MAX, 0, INFO(BTF_KIND_ARRAY, 0), 0,
			4, 2, UINT32_MAX));
	expect_body("unsigned char ward_hole_1[4];\nint x[0];\nunsigned char ward_hole_2[12];\n", 1,
		WORDS(X, 3, 32, AN_INT, 0, INFO(BTF_KIND_ARRAY, 0), 0, 2, 2, 0));
}

/* Each structure without a name holds the next one twice: a thousand million members, if somebody wrote them all. */
Test(btf, too_many_members)
{
	enum { LEVELS = 30 };
	uint32_t types[3 + 3 + LEVELS * 9], *t = types;
	struct wl_btf *btf;
	uint8_t *bytes;
	size_t size;

	*t++ = F, *t++ = INFO(BTF_KIND_STRUCT, 1), *t++ = 0;
	*t++ = X, *t++ = 2, *t++ = 0;
	for (uint32_t i = 0; i < LEVELS; i++) {
		*t++ = 0, *t++ = INFO(BTF_KIND_STRUCT, 2), *t++ = 0;
		*t++ = F, *t++ = i + 3 < LEVELS + 2 ? i + 3 : 0, *t++ = 0;
		*t++ = X, *t++ = i + 3 < LEVELS + 2 ? i + 3 : 0, *t++ = 0;
	}
	bytes = made(types, sizeof(types), names, sizeof(names), &size);
	btf = wl_btf_parse(bytes, size, NULL);
	cr_assert(btf);
	cr_expect_null(header_of(btf));
	wl_btf_free(btf);
}

/* Structures in each other, more than the stack of a thread could hold. */
Test(btf, too_deep)
{
	enum { LEVELS = 200000 };
	uint32_t *types = malloc(LEVELS * 24), *t = types;
	struct wl_btf *btf;
	uint8_t *bytes;
	size_t size;
	char *text;

	cr_assert(types);
	for (uint32_t i = 0; i < LEVELS; i++) {
		*t++ = F, *t++ = INFO(BTF_KIND_STRUCT, 1), *t++ = 8;
		*t++ = X, *t++ = i + 2, *t++ = 0;
	}
	bytes = made(types, LEVELS * 24, names, sizeof(names), &size);
	btf = wl_btf_parse(bytes, size, NULL);
	cr_assert(btf);
	text = header_of(btf);
	cr_expect(text && strstr(text, "struct f___200000 {"));
	free(text);
	wl_btf_free(btf);
	free(types);
}

/* Whatever stands in it, all functions are looked up and declared without harm. */
Test(btf, mutants)
{
	size_t size, readable = 0, said = 0;
	char *good = wl_read_bytes(MODULES "/types.btf", &size), text[300];

	cr_assert(good);
	for (int i = 0; i < 20000; i++) {
		uint8_t *m = malloc(size);
		struct wl_btf *btf;

		cr_assert(m);
		memcpy(m, good, size);
		for (uint64_t n = 1 + rnd() % 4; n > 0; n--) {
			uint32_t word = rnd() % 2 ? (uint32_t)(rnd() % 40) : (uint32_t)rnd();

			if (rnd() % 2)
				m[rnd() % size] = (uint8_t)rnd();
			else
				memcpy(m + 4 * (rnd() % (size / 4)), &word, sizeof(word));
		}
		btf = wl_btf_parse(m, size, NULL);
		readable += btf != NULL;
		for (uint32_t f = 0; btf && f < btf->n_functions; f++) {
			const struct btf_type *prototype =
				wl_btf_function(btf, wl_btf_name(btf, wl_btf_type(btf, btf->functions[f])->name_off));

			said += prototype &&
				wl_btf_parameters(btf, prototype, (unsigned)(rnd() % 3), text, rnd() % sizeof(text));
		}
		if (btf)
			free(header_of(btf));
		wl_btf_free(btf);
	}
	cr_expect(readable > 1000 && said > 1000, "%zu, %zu", readable, said);
	free(good);
}
