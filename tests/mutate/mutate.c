/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutation: good modules with some of their bytes changed. Most are refused. Those that are still accepted are run
 * (sandbox.c), and nothing that the verdict says of them may turn out wrong.
 *
 * Where the text was changed, the proof is either kept (and sealed again) or inferred anew for the changed code.
 * Inference reaches much further into programs that no compiler would write.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "case.h"
#include "codegen/infer/infer.h"
#include "lies.h"
#include "sandbox.h"

enum { MAX_BASES = 256, MUTANTS = 5000, ROUNDS = 3, MOST_STEPPED = 30000, LEAST_RUN = 500, LEAST_BASES = 40 };

struct base {
	char name[128];
	struct ward_buf file;
};

enum kind {
	TEXT_KEEP,
	TEXT_INFER,
	RODATA_KEEP,
	RODATA_INFER,
	PROOF_BITS,
	PROOF_LIES,
	TEXT_LIES,
	NOTE_BITS,
	HEADER_BITS,
	ANY_BITS,
	KINDS
};
static const char *const kind_name[KINDS] = {"text", "text, proof inferred", "rodata", "rodata, proof inferred",
	"proof", "proof, by its grammar", "text, and its proof", "note", "headers", "anything"};

struct mutation {
	struct base bases[MAX_BASES];
	size_t n_bases;
	uint64_t random;
	unsigned long accepted, run, refused, too_long, broken;
	unsigned long kind_made[KINDS], kind_accepted[KINDS];
};

static uint64_t draw(void *user)
{
	struct mutation *m = user;
	uint64_t z = (m->random += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* ---- Bases ---- */

/* With all imports, which the sandbox has. */
static struct ward_verdict *verify(const struct ward_buf *file)
{
	const char *allow[WARD_IMPORT_COUNT];
	struct ward_verify_options options = {.size = sizeof(options), .allow = allow, .n_allow = WARD_IMPORT_COUNT};
	for (unsigned i = 0; i < WARD_IMPORT_COUNT; i++)
		allow[i] = ward_import_name(i);
	return ward_verify(file->data, file->size, &options);
}

static void add_base(struct mutation *m, const char *name, struct ward_buf file)
{
	struct ward_verdict *v = verify(&file);
	if (v && v->accepted && m->n_bases < MAX_BASES) {
		struct base *b = &m->bases[m->n_bases++];
		snprintf(b->name, sizeof(b->name), "%s", name);
		b->file = file;
	} else {
		printf("mutate: %s: not accepted, left out\n", name); /* that it should be is for other tests to say */
		free(file.data);
	}
	ward_verdict_free(v);
}

static void diagnose(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static int is_source(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 2 && d->d_name[n - 2] == '.' && (d->d_name[n - 1] == 's' || d->d_name[n - 1] == 'c');
}

static void add_source(struct mutation *m, const char *path, const char *dir)
{
	if (path[strlen(path) - 1] == 's') {
		struct corpus_case c;
		if (!case_read(path, false, &c) || !case_build(path, dir, &c))
			m->broken++;
		else if (!c.max_insns &&
			 !strstr(c.allow,
				 "rdtsc")) /* the others need options of their own, or never do the same twice */
			add_base(m, c.name, buf_copy(&c.module));
		case_free(&c);
		return;
	}
	struct ward_cc_options options = {.diag = diagnose};
	struct ward_buf file;
	if (ward_cc(path, &options, &file) == 0)
		add_base(m, strrchr(path, '/') + 1, file);
	else
		m->broken++;
}

static void add_folder(struct mutation *m, const char *folder, const char *dir)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_source, alphasort);
	for (int i = 0; i < n; i++) {
		char path[4096];
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		add_source(m, path, dir);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/* ---- Changes ---- */

static void change_byte(struct mutation *m, uint8_t *p, size_t n)
{
	uint64_t r = draw(m);
	size_t at = (r >> 8) % n;
	switch (r & 7) {
	case 0:
	case 1:
	case 2: p[at] ^= (uint8_t)(1u << (r >> 40 & 7)); break;
	case 3: p[at] = (uint8_t)(r >> 40); break;
	case 4: p[at] += (r >> 40 & 1) ? 1 : 0xff; break;
	case 5: p[at] = (r >> 40 & 1) ? 0 : 0xff; break;
	case 6: { /* bytes from elsewhere */
		size_t count = 1 + (r >> 40 & 7), from = (r >> 44) % n;
		if (at + count <= n && from + count <= n)
			memmove(p + at, p + from, count);
		break;
	}
	default: { /* two neighbours change places */
		uint8_t t = p[at];
		p[at] = p[(at + 1) % n];
		p[(at + 1) % n] = t;
		break;
	}
	}
}

static struct part headers(const struct ward_buf *file, uint64_t r)
{
	switch (r % 3) {
	case 0: return (struct part){0, 64, 0};
	case 1: return (struct part){get_le(file, 32, 8), get_le(file, 56, 2) * 56, 0};
	default: return (struct part){get_le(file, 40, 8), get_le(file, 60, 2) * 64, 0};
	}
}

static enum kind draw_kind(struct mutation *m)
{
	uint64_t r = draw(m) % 100;
	return r < 10   ? TEXT_KEEP
	       : r < 30 ? TEXT_INFER
	       : r < 34 ? RODATA_KEEP
	       : r < 38 ? RODATA_INFER
	       : r < 50 ? PROOF_BITS
	       : r < 72 ? PROOF_LIES
	       : r < 82 ? TEXT_LIES
	       : r < 88 ? NOTE_BITS
	       : r < 94 ? HEADER_BITS
			: ANY_BITS;
}

static bool infer_again(struct ward_buf *file)
{
	uint8_t *proof;
	size_t n;
	const char *why;
	if (ward_infer(file->data, file->size, NULL, &proof, &n, &why))
		return false;
	set_proof(file, proof, n);
	free(proof);
	return true;
}

static enum kind mutate(struct mutation *m, struct ward_buf *file)
{
	enum kind kind = draw_kind(m);
	if (kind == PROOF_LIES) {
		proof_lie(file, draw, m);
		return kind;
	}
	struct part p = kind <= TEXT_INFER || kind == TEXT_LIES ? part_segment(file, 5)
			: kind <= RODATA_INFER                  ? part_segment(file, 4)
			: kind == PROOF_BITS                    ? part_section(file, ".ward.proof")
			: kind == NOTE_BITS                     ? part_section(file, ".ward.note")
			: kind == HEADER_BITS                   ? headers(file, draw(m))
								: (struct part){0, file->size, 0};
	if (kind == PROOF_BITS && p.size > 13) { /* past the seal */
		p.offset += 13;
		p.size -= 13;
	}
	if (!p.size || p.offset + p.size > file->size)
		return kind;
	for (uint64_t n = 1 + draw(m) % 3; n > 0; n--)
		change_byte(m, file->data + p.offset, p.size);
	if (kind == TEXT_INFER || kind == RODATA_INFER || kind == TEXT_LIES)
		infer_again(file);
	if (kind == TEXT_LIES)
		proof_lie(file, draw, m);
	if (draw(m) % 16)
		reseal(file);
	return kind;
}

/* ---- Judging ---- */

static void keep(const struct ward_buf *file, const char *base, uint64_t seed)
{
	char path[256];
	snprintf(path, sizeof(path), "/tmp/ward-mutant-%s-%" PRIx64 ".ward", base, seed);
	FILE *f = fopen(path, "wb");
	if (f) {
		fwrite(file->data, 1, file->size, f);
		fclose(f);
		fprintf(stderr, "  kept as %s\n", path);
	}
}

static void judge(struct mutation *m, const struct base *b, const struct ward_buf *file, enum kind kind, uint64_t seed)
{
	struct ward_verdict *v = verify(file);
	m->kind_made[kind]++;
	if (!v || !v->accepted) {
		m->refused++;
		ward_verdict_free(v);
		return;
	}
	m->accepted++;
	m->kind_accepted[kind]++;
	bool some = false;
	for (size_t e = 0; e < v->module.n_entries; e++)
		some |= v->module.entries[e].max_insns <= MOST_STEPPED;
	enum sandbox_result result =
		some ? sandbox_run(file->data, file->size, v, ROUNDS, MOST_STEPPED, seed) : SANDBOX_CANT_RUN;
	m->run += result == SANDBOX_HELD;
	m->too_long += result == SANDBOX_CANT_RUN;
	if (result == SANDBOX_BROKEN) {
		fprintf(stderr, "mutate: %s (%s), seed %#" PRIx64 ": accepted, and wrong\n", b->name, kind_name[kind],
			seed);
		keep(file, b->name, seed);
		m->broken++;
	}
	ward_verdict_free(v);
}

static void report(const struct mutation *m, unsigned long made)
{
	printf("%-22s %8s %9s\n", "changed", "made", "accepted");
	for (int k = 0; k < KINDS; k++)
		printf("%-22s %8lu %9lu\n", kind_name[k], m->kind_made[k], m->kind_accepted[k]);
	printf("mutate: %zu modules, %lu mutants: %lu refused, %lu accepted; of these %lu run %d times an entry on two "
	       "hosts each, %lu too long to step, "
	       "%lu wrong\n",
		m->n_bases, made, m->refused, m->accepted, m->run, ROUNDS, m->too_long, m->broken);
}

/* The unchanged modules must hold too, or the sandbox is at fault. */
static void run_unchanged(struct mutation *m)
{
	for (size_t i = 0; i < m->n_bases; i++)
		judge(m, &m->bases[i], &m->bases[i].file, ANY_BITS, i);
	if (m->accepted != m->n_bases)
		m->broken++;
	m->accepted = m->run = m->refused = m->too_long = 0;
	memset(m->kind_made, 0, sizeof(m->kind_made));
	memset(m->kind_accepted, 0, sizeof(m->kind_accepted));
}

int main(int argc, char **argv)
{
	static struct mutation m;
	char dir[] = "/tmp/ward-mutate-XXXXXX";
	uint64_t seed = 1;
	unsigned long mutants = MUTANTS;
	int option;
	while ((option = getopt(argc, argv, "s:n:")) != -1) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'n')
			mutants = strtoul(optarg, NULL, 0);
		else
			optind = argc;
	}
	if (optind >= argc || !mkdtemp(dir)) {
		fprintf(stderr, "usage: ward-mutate [-s SEED] [-n MUTANTS] FOLDER...\n");
		return 2;
	}
	printf("mutate: seed %" PRIu64 "\n", seed);
	for (int i = optind; i < argc; i++)
		add_folder(&m, argv[i], dir);
	rmdir(dir);
	if (m.n_bases < LEAST_BASES && mutants >= MUTANTS) {
		fprintf(stderr, "mutate: only %zu modules are accepted\n", m.n_bases);
		return 1;
	}
	if (!m.n_bases)
		return 1;
	run_unchanged(&m);
	m.random = seed;
	for (unsigned long i = 0; i < mutants && m.broken < 20; i++) {
		uint64_t own = m.random;
		const struct base *b = &m.bases[draw(&m) % m.n_bases];
		struct ward_buf file = buf_copy(&b->file);
		enum kind kind = mutate(&m, &file);
		judge(&m, b, &file, kind, own);
		free(file.data);
	}
	report(&m, mutants);
	for (size_t i = 0; i < m.n_bases; i++)
		free(m.bases[i].file.data);
	return m.broken || (mutants >= MUTANTS && m.run < LEAST_RUN);
}
