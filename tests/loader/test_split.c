/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of the kernel's modules, which build on the kernel's own: the header made from both, and malformed files. All
 * are made up.
 */
#include "made.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files, type by type ---- */

struct file {
	uint32_t types[200], n_words;
	uint32_t first, n; /* number of the first type; types */
	char names[400];
	uint32_t first_name, n_names;
};

/* The kernel's (base: NULL), or a module's. Type 1 of the kernel's is int. */
static struct file begin(const struct file *base);

static uint32_t name(struct file *f, const char *text)
{
	uint32_t at = f->n_names;

	if (!text)
		return 0;
	cr_assert(at + strlen(text) < sizeof(f->names));
	strcpy(f->names + at, text);
	f->n_names += (uint32_t)strlen(text) + 1;
	return f->first_name + at;
}

static void word(struct file *f, uint32_t word)
{
	cr_assert(f->n_words < sizeof(f->types) / sizeof(f->types[0]));
	f->types[f->n_words++] = word;
}

/* What follows the kind is a size, or another type. Returns the number. */
static uint32_t add(struct file *f, const char *text, uint32_t info, uint32_t value)
{
	word(f, name(f, text));
	word(f, info);
	word(f, value);
	return f->first + f->n++;
}

static void member(struct file *f, const char *text, uint32_t type, uint32_t byte)
{
	word(f, name(f, text));
	word(f, type);
	word(f, 8 * byte);
}

static uint32_t pointer_to(struct file *f, uint32_t type)
{
	return add(f, NULL, INFO(BTF_KIND_PTR, 0), type);
}

enum { AN_INT = 1, UNION = 1u << 31 /* in a declaration */ };

static struct file begin(const struct file *base)
{
	struct file f = {.first = base ? base->first + base->n : 1,
		.first_name = base ? base->first_name + base->n_names : 0,
		.n_names = 1};

	if (!base) {
		add(&f, "int", INFO(BTF_KIND_INT, 0), 4);
		word(&f, BTF_INT_SIGNED << 24 | 32);
	}
	return f;
}

static struct wl_btf *parsed(const struct file *f, const struct wl_btf *base)
{
	size_t size;
	uint8_t *bytes = made(f->types, f->n_words * sizeof(uint32_t), f->names, f->n_names, &size);
	struct wl_btf *btf = wl_btf_parse(bytes, size, base);

	cr_assert(btf, "%s", strerror(errno));
	return btf;
}

/* The header of a kernel and up to two modules, to be freed. */
static char *header_of(const struct file *kernel, const struct file *a, const struct file *b)
{
	struct wl_btf *v[3] = {parsed(kernel, NULL)};
	size_t n = 1;
	char *text;

	if (a)
		v[n++] = parsed(a, v[0]);
	if (b)
		v[n++] = parsed(b, v[0]);
	text = made_header((const struct wl_btf *const *)v, n);
	for (size_t i = 0; i < n; i++)
		wl_btf_free(v[i]);
	cr_assert(text);
	return text;
}

/* The header is C, and so is what stands behind it. */
static void expect_compiles(const char *header, const char *behind)
{
	FILE *clang = popen("clang-19 -x c -Wall -Wextra -Werror -fsyntax-only -", "w");

	cr_assert(clang);
	fprintf(clang, "%s\n%s\n%s\n", strstr(header, "struct ward_bit_field {}") ? "" : "struct ward_bit_field {};",
		header, behind);
	cr_expect_eq(pclose(clang), 0, "%s\n%s", header, behind);
}

static void expect_header(const struct file *kernel, const struct file *a, const struct file *b, const char *behind)
{
	char *text = header_of(kernel, a, b);

	expect_compiles(text, behind);
	free(text);
}

#define IS(expression, type) \
	"_Static_assert(__builtin_types_compatible_p(__typeof__(" expression "), " type "), \"" type "\");\n"
#define AT(type, member, byte) \
	"_Static_assert(__builtin_offsetof(" type ", " member ") == " #byte ", \"" member "\");\n"

/* ---- Names ---- */

/* struct f { int x; }, struct { int y; }, which has no name. */
static struct file kernel_with_f(uint32_t *f, uint32_t *unnamed)
{
	struct file kernel = begin(NULL);

	*f = add(&kernel, "f", INFO(BTF_KIND_STRUCT, 1), 8);
	member(&kernel, "x", AN_INT, 4);
	*unnamed = add(&kernel, NULL, INFO(BTF_KIND_STRUCT, 1), 8);
	member(&kernel, "y", AN_INT, 4);
	return kernel;
}

/* A module has a structure of the kernel's name, which holds the kernel's. */
Test(split, names_of_the_kernel)
{
	uint32_t f, unnamed, own, pointer;
	struct file kernel = kernel_with_f(&f, &unnamed), module = begin(&kernel);

	own = module.first + 1;
	pointer = pointer_to(&module, own);
	cr_assert_eq(own, add(&module, "f", INFO(BTF_KIND_STRUCT, 4), 40));
	member(&module, "inner", f, 4);
	member(&module, "plain", unnamed, 16);
	member(&module, NULL, unnamed, 24);
	member(&module, "next", pointer, 32);
	expect_header(&kernel, &module, NULL,
		"struct f *k; struct f___2 *m;\n" AT("struct f", "x", 4) AT("struct f___2", "inner.x", 8)
			AT("struct f___2", "plain.y", 20) AT("struct f___2", "y", 28) IS("m->next", "struct f___2 *")
				IS("m->inner", "struct f") "_Static_assert(sizeof(struct f) == 8 && sizeof(struct "
							   "f___2) == 40, \"sizes\");\n");
}

/* Two modules have the same numbers for other types, and names of each other. */
Test(split, two_modules)
{
	uint32_t f, unnamed;
	struct file kernel = kernel_with_f(&f, &unnamed), a = begin(&kernel), b = begin(&kernel);

	add(&a, "own", INFO(BTF_KIND_UNION, 2), 8);
	member(&a, "a", AN_INT, 0);
	member(&a, "u", unnamed, 0);
	add(&a, "only", INFO(BTF_KIND_STRUCT, 1), 8);
	member(&a, "own", a.first, 0);
	pointer_to(&b, b.first + 1);
	add(&b, "own", INFO(BTF_KIND_STRUCT, 3), 24);
	member(&b, "next", b.first, 0);
	member(&b, "u", unnamed, 8);
	member(&b, "f", f, 16);
	add(&b, "f", INFO(BTF_KIND_STRUCT, 1), 24);
	member(&b, "own", b.first + 1, 0);
	expect_header(&kernel, &a, &b,
		"struct own___2 *b; struct only *o; struct f___2 *f;\n" IS("b->next", "struct own___2 *")
			IS("o->own", "union own") IS("f->own", "struct own___2") IS("b->f", "struct f")
				AT("struct own___2", "u.y", 12) AT("union own", "u.y", 4));
	expect_header(&kernel, &b, &a,
		"struct own *b; struct only *o;\n" IS("b->next", "struct own *") IS("o->own", "union own___2"));
}

/* What the kernel only declares: struct journal, to which struct holder points. */
static struct file kernel_with_journal(uint32_t *journal)
{
	struct file kernel = begin(NULL);
	uint32_t pointer;

	*journal = add(&kernel, "journal", INFO(BTF_KIND_FWD, 0), 0);
	pointer = pointer_to(&kernel, *journal);
	add(&kernel, "holder", INFO(BTF_KIND_STRUCT, 1), 8);
	member(&kernel, "journal", pointer, 0);
	return kernel;
}

static struct file module_with_journal(const struct file *kernel, unsigned kind, const char *its, uint32_t journal)
{
	struct file module = begin(kernel);
	uint32_t pointer;

	add(&module, "journal", INFO(kind, 1), 4);
	member(&module, its, AN_INT, 0);
	pointer = pointer_to(&module, journal);
	add(&module, its, INFO(BTF_KIND_STRUCT, 1), 8);
	member(&module, "journal", pointer, 0);
	return module;
}

/* A module defines it, and so does another; each one's own is what it means. */
Test(split, declared_by_the_kernel)
{
	uint32_t journal;
	struct file kernel = kernel_with_journal(&journal),
		    a = module_with_journal(&kernel, BTF_KIND_STRUCT, "a", journal),
		    b = module_with_journal(&kernel, BTF_KIND_STRUCT, "b", journal);
	struct file other = module_with_journal(&kernel, BTF_KIND_UNION, "u", journal);
	static const char first[] =
		"struct holder *h; struct a *a;\n" IS("h->journal->a", "int") IS("a->journal->a", "int");

	expect_header(&kernel, NULL, NULL, "struct holder *h;\n" IS("h->journal", "struct journal *"));
	expect_header(&kernel, &a, NULL, first);
	expect_header(&kernel, &a, &b, first);
	expect_header(
		&kernel, &a, &b, "struct b *b;\n" IS("b->journal", "struct journal___2 *") IS("b->journal->b", "int"));
	/* A union isn't what the kernel means by a struct. */
	expect_header(&kernel, &other, NULL,
		"struct holder *h; struct u *u;\n" IS("h->journal", "struct journal *")
			IS("u->journal", "union journal___2 *") IS("u->journal->u", "int"));
	expect_header(&kernel, &a, &other, "struct u *u;\n" IS("u->journal->u", "int"));
	expect_header(&kernel, &other, &a,
		"struct holder *h; struct a *a; struct u *u;\n" IS("h->journal", "struct journal *")
			IS("a->journal->a", "int") IS("u->journal->u", "int"));
}

/* One module declares what another one defines, or the kernel; and a name is declared as both kinds. */
Test(split, declared_by_modules)
{
	uint32_t f, unnamed, pointer;
	struct file kernel = kernel_with_f(&f, &unnamed), a = begin(&kernel), b = begin(&kernel);

	add(&b, "later", INFO(BTF_KIND_STRUCT, 1), 4);
	member(&b, "x", AN_INT, 0);
	for (uint32_t kind = 0; kind < 2; kind++) {
		uint32_t later = pointer_to(&a, add(&a, "later", INFO(BTF_KIND_FWD, 0) | kind * UNION, 0)),
			 of_kernel = pointer_to(&a, add(&a, "f", INFO(BTF_KIND_FWD, 0) | kind * UNION, 0));

		add(&a, kind ? "u" : "s", INFO(BTF_KIND_STRUCT, 2), 16);
		member(&a, "later", later, 0);
		member(&a, "f", of_kernel, 8);
	}
	expect_header(&kernel, &a, NULL,
		"struct s *s; struct u *u;\n" IS("s->later", "struct later *") IS("u->later", "struct later *")
			IS("s->f->x", "int") IS("u->f->x", "int"));
	expect_header(&kernel, &a, &b, "struct s *s; struct u *u;\n" IS("s->later->x", "int") IS("u->later->x", "int"));
	/* What is a union by now stays one; a module's own declaration before its definition changes nothing. */
	b = begin(&kernel);
	pointer = pointer_to(&b, add(&b, "later", INFO(BTF_KIND_FWD, 0), 0));
	add(&b, "later", INFO(BTF_KIND_UNION, 1), 8);
	member(&b, "next", pointer, 0);
	expect_header(&kernel, &b, &a,
		"struct s *s; union later *l;\n" IS("s->later", "union later *") IS("l->next", "union later *"));
}

/* ---- Lies ---- */

/* Whatever it is, a structure of the kernel's and one of each module's are there. */
static void expect_harmless(const struct file *kernel, const struct file *a, const struct file *b)
{
	char *text = header_of(kernel, a, b);

	expect_compiles(text, b ? "struct f f; struct m m; struct m___2 m2;" : "struct f f; struct m m;");
	free(text);
}

/* struct m of the module has a member of that type. */
static struct file module_with(const struct file *kernel, uint32_t type)
{
	struct file module = begin(kernel);

	add(&module, "m", INFO(BTF_KIND_STRUCT, 1), 64);
	member(&module, "x", type, 8);
	return module;
}

Test(split, numbers_that_lead_nowhere)
{
	uint32_t f, unnamed;
	struct file kernel = kernel_with_f(&f, &unnamed), own = begin(&kernel);
	const uint32_t wrong[] = {
		own.first + 1, own.first + 2, 0x10000, UINT32_MAX - 1, UINT32_MAX, own.first /* itself */, 0};
	struct file good = module_with(&kernel, f);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct file module = module_with(&kernel, wrong[i]);
		char *text = header_of(&kernel, &module, &good);

		expect_compiles(text, "struct m___2 *m;\n" IS("m->x", "struct f"));
		cr_expect(strstr(text, "struct m {\nunsigned char ward_hole_"), "%#x: %s", wrong[i], text);
		free(text);
	}
	/* Names behind the module's, and between. */
	good.types[0] = good.first_name + good.n_names;
	good.types[3] = UINT32_MAX;
	free(header_of(&kernel, &good, NULL));
}

/* By way of the kernel's types, which say numbers that it doesn't have, and a module does. */
Test(split, circles_through_the_kernel)
{
	struct file kernel = begin(NULL), a, b;
	uint32_t unnamed, array, pointer, const_of, beyond = 8;

	add(&kernel, "f", INFO(BTF_KIND_STRUCT, 1), 4);
	member(&kernel, "x", AN_INT, 0);
	unnamed = add(&kernel, NULL, INFO(BTF_KIND_STRUCT, 1), 64);
	member(&kernel, "y", beyond, 0);
	array = add(&kernel, NULL, INFO(BTF_KIND_ARRAY, 0), 0);
	word(&kernel, beyond), word(&kernel, AN_INT), word(&kernel, 1);
	pointer = pointer_to(&kernel, beyond);
	const_of = add(&kernel, NULL, INFO(BTF_KIND_CONST, 0), beyond);
	add(&kernel, "late", INFO(BTF_KIND_STRUCT, 2), 64);
	member(&kernel, "a", beyond, 0);
	member(&kernel, "b", array, 0);
	a = module_with(&kernel, unnamed);
	cr_assert_eq(a.first, beyond);
	expect_harmless(&kernel, &a, NULL);
	b = module_with(&kernel, pointer);
	expect_harmless(&kernel, &a, &b);
	expect_harmless(&kernel, &b, &a);
	a = module_with(&kernel, array);
	expect_harmless(&kernel, &a, &b);
	a = module_with(&kernel, const_of);
	expect_harmless(&kernel, &b, &a);
	/* For one module it leads to a number, for the other one in a circle. */
	a = begin(&kernel);
	add(&a, NULL, INFO(BTF_KIND_TYPEDEF, 0), AN_INT);
	add(&a, "m", INFO(BTF_KIND_STRUCT, 1), 64);
	member(&a, "x", unnamed, 0);
	b = begin(&kernel);
	add(&b, "m", INFO(BTF_KIND_STRUCT, 1), 64);
	member(&b, "x", unnamed, 0);
	expect_harmless(&kernel, &a, &b);
	/* A type in a circle of no structures. */
	a = begin(&kernel);
	add(&a, NULL, INFO(BTF_KIND_VOLATILE, 0), const_of);
	add(&a, "m", INFO(BTF_KIND_STRUCT, 2), 64);
	member(&a, "x", a.first, 0);
	member(&a, "y", const_of, 0);
	expect_harmless(&kernel, &a, &b);
}

/* ---- What isn't whole, or has been changed ---- */

static struct wl_btf *parsed_bytes(const uint8_t *bytes, size_t size, const struct wl_btf *base)
{
	uint8_t *copy = malloc(size ? size : 1); /* no longer than it is: sanitizers see what reads on */

	cr_assert(copy);
	memcpy(copy, bytes, size);
	errno = 0;
	return wl_btf_parse(copy, size, base);
}

static struct file whole_kernel(void)
{
	uint32_t journal;
	struct file kernel = kernel_with_journal(&journal);

	add(&kernel, "f", INFO(BTF_KIND_STRUCT, 1), 8);
	member(&kernel, "x", AN_INT, 4);
	add(&kernel, NULL, INFO(BTF_KIND_UNION, 1), 8);
	member(&kernel, "y", AN_INT, 0);
	return kernel;
}

static struct file whole_module(const struct file *kernel)
{
	struct file module = module_with_journal(kernel, BTF_KIND_STRUCT, "a", 2);

	add(&module, "f", INFO(BTF_KIND_STRUCT, 2), 16);
	member(&module, "f", kernel->n - 1, 0);
	member(&module, NULL, kernel->n, 8);
	return module;
}

Test(split, cut)
{
	struct file kernel = whole_kernel(), module = whole_module(&kernel);
	struct wl_btf *base = parsed(&kernel, NULL);
	size_t size;
	uint8_t *bytes = made(module.types, module.n_words * sizeof(uint32_t), module.names, module.n_names, &size);

	for (size_t n = 0; n < size; n++) {
		struct wl_btf *btf = parsed_bytes(bytes, n, base);

		cr_expect(!btf && errno == EINVAL, "%zu bytes of it", n);
		wl_btf_free(btf);
	}
	free(bytes);
	wl_btf_free(base);
}

/* A file in which some words or bytes are others. */
static struct wl_btf *mutant(const struct file *f, const struct wl_btf *base)
{
	size_t size;
	uint8_t *m = made(f->types, f->n_words * sizeof(uint32_t), f->names, f->n_names, &size);

	for (uint64_t n = rnd() % 4; n > 0; n--) {
		uint32_t word = rnd() % 2 ? (uint32_t)(rnd() % 30) : (uint32_t)rnd();

		if (rnd() % 2)
			m[rnd() % size] = (uint8_t)rnd();
		else
			memcpy(m + 4 * (rnd() % (size / 4)), &word, sizeof(word));
	}
	return wl_btf_parse(m, size, base);
}

/* Whatever stands in the kernel's and in two modules', a header is made of it without harm. */
Test(split, mutants)
{
	struct file kernel = whole_kernel(), module = whole_module(&kernel);
	size_t written = 0;

	for (int i = 0; i < 20000; i++) {
		struct wl_btf *v[3] = {mutant(&kernel, NULL)};
		size_t n = v[0] != NULL;
		char *text;

		while (n && n < 3 && (v[n] = mutant(&module, v[0])))
			n++;
		text = n ? made_header((const struct wl_btf *const *)v, n) : NULL;
		written += text && n == 3;
		free(text);
		for (size_t k = 0; k < n; k++)
			wl_btf_free(v[k]);
	}
	cr_expect(written > 1000, "%zu", written);
}

/* ---- Files in a folder ---- */

static void put_file(const char *folder, const char *name, const struct file *f)
{
	char path[400];
	size_t size;
	uint8_t *bytes = made(f->types, f->n_words * sizeof(uint32_t), f->names, f->n_names, &size);
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	cr_assert(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0, "%s", path);
	free(bytes);
}

/* Of the kernel's file, with these modules; its text, to be freed, or the error's. */
static char *library_header(const char *folder, const char *const *modules, size_t n, struct ward_error *e)
{
	char path[400], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	snprintf(path, sizeof(path), "%s/kernels", folder);
	cr_assert(out);
	ward_kernel_header(path, modules, n, out, e);
	cr_assert_eq(fclose(out), 0);
	return text;
}

static void expect_refused(const char *folder, const char *module, const char *why, const char *hint)
{
	const char *const modules[] = {"a", module};
	struct ward_error e;

	free(library_header(folder, modules, 2, &e));
	cr_expect(e.status == WARD_E_USAGE && strcmp(e.why, why) == 0, "%s: %d, %s", module, e.status, e.why);
	cr_expect(strstr(e.hint, hint), "%s: %s", module, e.hint);
}

Test(split, folder)
{
	static const char *const modules[] = {"a", "8021q"}, *const files[] = {"kernels", "a", "8021q", "cut"};
	char folder[] = "/tmp/ward-test-split-XXXXXX", path[400], long_name[65] = "", *text;
	struct file kernel = whole_kernel(), module = whole_module(&kernel), cut = {.n_names = 1, .n_words = 1};
	struct ward_error e;

	cr_assert(mkdtemp(folder));
	put_file(folder, "kernels", &kernel);
	put_file(folder, "a", &module);
	put_file(folder, "8021q", &module);
	put_file(folder, "cut", &cut);
	snprintf(path, sizeof(path), "%s/folder", folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	text = library_header(folder, modules, 2, &e);
	cr_expect(e.status == 0, "%s: %s", e.what, e.why);
	expect_compiles(text,
		"struct f___3 *f; int both = WARD_KERNEL_TYPES_a + WARD_KERNEL_TYPES_8021q;\n" IS("f->f", "struct f"));
	free(text);
	text = library_header(folder, NULL, 0, &e);
	cr_expect(e.status == 0 && !strstr(text, "f___2") && !strstr(text, "TYPES_"), "%s", text);
	free(text);
	expect_refused(folder, "absent", "No such file or directory",
		"put a copy of the traced kernel's /sys/kernel/btf/absent there");
	expect_refused(folder, "cut", "it contains no types (BTF)", "beside the kernel's");
	expect_refused(folder, "folder", "it contains no types (BTF)", "beside the kernel's");
	memset(long_name, 'x', 64);
	expect_refused(folder, long_name, "no module of the kernel can have such a name", "letters, digits and _");
	expect_refused(folder, "", "no module of the kernel can have such a name", "letters, digits and _");
	expect_refused(folder, "../a", "no module of the kernel can have such a name", "letters, digits and _");
	expect_refused(folder, "snd-hda", "no module of the kernel can have such a name", "letters, digits and _");
	expect_refused(folder, "vmlinux", "no module of the kernel can have such a name", "letters, digits and _");
	expect_refused(folder, NULL, "no module of the kernel can have such a name", "letters, digits and _");
	cr_expect_eq(ward_kernel_header(NULL, NULL, 1, stderr, &e), WARD_E_USAGE);
	cr_expect_str_eq(e.why, "modules is missing");
	cr_assert_eq(rmdir(path), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		cr_assert_eq(unlink(path), 0);
	}
	cr_assert_eq(rmdir(folder), 0);
}
