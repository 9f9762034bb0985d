/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-dialect SEED N [FIRST], or ward-dialect kept FILE...: random programs of the dialect, or kept ones. Each is
 * compiled natively and by ward cc, and both versions run on the same random events from the same state. The states
 * must be equal to the last byte, no program may be refused, and no guard may stop a run. A kept program may have the
 * line "compiled as usual" in a comment: it must then compile without the options that cost speed. With "compiled as
 * usual, or with blocks apart" it must compile without those that cost much of it.
 *
 * A state may hold pointers into itself, so both versions run on one buffer in turn. It may begin with pointers to
 * other places, which differ between the versions; the test compares only which of them are set. The test maps the
 * module by plain mmap: it tests the compiler, not the loader. It runs only what the verifier has accepted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/codegen.h"
#include "generate.h"
#include "ward/probe.h"
#include "ward/verify.h"

enum { BATCH = 16, PROGRESS = 800, EVENTS = 24, SPACE = 1 << 20, STATE = 1 << 16, MAX_PROBES = 16, MAX_POINTERS = 8 };

extern char **environ;
typedef void probe_fn(const struct ward_event *ev, void *state);

static uint64_t random_state;
static char directory[64];
static unsigned guarded, ran, two, apart, climbed;

static uint64_t random_bits(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void say(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

/* The last line of a report says it if a program was not compiled as usual. */
static void note_report(void *user, const char *text)
{
	(void)user;
	if (strstr(text, " guarded; blocks with"))
		apart++;
	else
		climbed += strstr(text, " guarded; ") != NULL;
}

static void path_of(char path[128], unsigned number, const char *suffix)
{
	snprintf(path, 128, "%s/%u%s", directory, number, suffix);
}

/* A program of two files has the second beside it. Returns false if that can't be written. */
static bool write_second(unsigned number)
{
	char path[128], word[32], text[256];
	FILE *f, *program;
	bool found = false;

	snprintf(word, sizeof(word), "SECOND_%u\n", number);
	path_of(path, number, ".c");
	program = fopen(path, "r");
	while (program && !found && fgets(text, sizeof(text), program))
		found = !strncmp(text, "#ifdef ", 7) && !strcmp(text + 7, word);
	if (program)
		fclose(program);
	if (!found)
		return program;
	path_of(path, number, "b.c");
	f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f, "#define %s#include \"%u.c\"\n", word, number);
	return fclose(f) == 0;
}

/* The path of the second file; false: there is none. */
static bool second_of(char path[128], unsigned number)
{
	path_of(path, number, "b.c");
	return access(path, R_OK) == 0;
}

static bool write_program(uint64_t seed, unsigned number)
{
	char path[128];
	FILE *f;

	path_of(path, number, ".c");
	f = fopen(path, "w");
	if (!f)
		return false;
	generate(f, seed, number);
	return fclose(f) == 0 && write_second(number);
}

static bool copy_program(const char *from, unsigned number)
{
	char path[128], part[4096];
	FILE *in = fopen(from, "r"), *out;
	size_t n;
	bool ok;

	path_of(path, number, ".c");
	out = in ? fopen(path, "w") : NULL;
	ok = out;
	while (ok && (n = fread(part, 1, sizeof(part), in)) > 0)
		ok = fwrite(part, 1, n, out) == n;
	if (in)
		fclose(in);
	return out && fclose(out) == 0 && ok && write_second(number);
}

/*
 * All programs of a batch in one library. The optimiser differs from batch to batch, so that it isn't one opinion
 * against another.
 */
static void *build_native(unsigned first, unsigned n, unsigned level)
{
	static const char *const levels[] = {"-O0", "-O1", "-O2"};
	char library[128], sources[BATCH][2][128];
	const char *argv[2 * BATCH + 16] = {"gcc", levels[level % 3], "-w", "-fwrapv", "-fno-strict-aliasing", "-fPIC",
		"-shared", "-I", WARD_INCLUDE_DIR, "-o", library};
	unsigned k = 11;
	pid_t pid;
	int status;

	path_of(library, first, ".so");
	for (unsigned i = 0; i < n; i++) {
		path_of(sources[i][0], first + i, ".c");
		argv[k++] = sources[i][0];
		if (second_of(sources[i][1], first + i))
			argv[k++] = sources[i][1];
	}
	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ))
		return NULL;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 ? dlopen(library, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static bool place(uint8_t *base, const uint8_t *file, const struct ward_segment *s, int protection)
{
	if (s->memsz == 0)
		return true;
	if (s->addr + s->memsz > SPACE)
		return false;
	memcpy(base + s->addr, file + s->offset, s->filesz);
	return mprotect(base + s->addr, s->memsz, protection) == 0;
}

static probe_fn *code_at(void *p)
{
	probe_fn *fn;

	memcpy(&fn, &p, sizeof(fn));
	return fn;
}

/* The probe functions of a program, compiled both ways. */
struct probes {
	probe_fn *ours[MAX_PROBES], *native[MAX_PROBES];
	unsigned n;
	size_t pointers; /* words that the state begins with */
	size_t size;     /* bytes of the state that both have; the rest is our own */
};

static bool find_probes(
	struct probes *p, unsigned number, uint8_t *base, const struct ward_module_facts *facts, void *native)
{
	char name[32];
	const unsigned *pointers, *size;

	snprintf(name, sizeof(name), "pointers_%u", number);
	pointers = dlsym(native, name);
	p->pointers = pointers ? *pointers : 0;
	snprintf(name, sizeof(name), "size_%u", number);
	size = dlsym(native, name);
	p->size = size ? *size : STATE;
	for (size_t i = 0; i < facts->n_entries && i < MAX_PROBES; i++) {
		void *at = dlsym(native, facts->entries[i].name);

		if (!at) {
			fprintf(stderr, "program %u: %s isn't in what was compiled natively\n", number,
				facts->entries[i].name);
			return false;
		}
		p->ours[p->n] = code_at(base + facts->entries[i].addr);
		p->native[p->n++] = code_at(at);
	}
	if (facts->n_entries > MAX_PROBES)
		fprintf(stderr, "program %u: it has more than %d probes\n", number, MAX_PROBES);
	if (p->pointers > MAX_POINTERS)
		fprintf(stderr, "program %u: more than %d pointers\n", number, MAX_POINTERS);
	return p->n > 0 && p->n == facts->n_entries && p->pointers <= MAX_POINTERS && p->size <= STATE;
}

/* With the pointers that it has set before; after it there are marks in their places, of which are set. */
static void run(probe_fn *probe, const struct ward_event *ev, uint8_t *buffer, uint64_t *own, size_t n)
{
	memcpy(buffer, own, n * sizeof(*own));
	probe(ev, buffer);
	memcpy(own, buffer, n * sizeof(*own));
	for (size_t i = 0; i < n; i++) {
		uint64_t mark = own[i] != 0;

		memcpy(buffer + i * sizeof(mark), &mark, sizeof(mark));
	}
}

/* Run both on one buffer in turn. */
static bool agree(unsigned number, const struct probes *probes, uint8_t *buffer, size_t size)
{
	static uint8_t before[STATE], after[STATE];
	uint64_t ours[MAX_POINTERS] = {0}, native[MAX_POINTERS] = {0};

	memset(buffer, 0, STATE);
	for (unsigned round = 0; round < EVENTS; round++) {
		struct ward_event ev = {.tid = 1};

		for (int k = 0; k < 6; k++)
			ev.arg[k] = round & 1 ? random_bits() >> (random_bits() & 63) : random_bits() & 0xff;
		memcpy(before, buffer, STATE);
		run(probes->ours[round % probes->n], &ev, buffer, ours, probes->pointers);
		memcpy(after, buffer, STATE);
		memcpy(buffer, before, STATE);
		run(probes->native[round % probes->n], &ev, buffer, native, probes->pointers);
		memcpy(after + probes->size, buffer + probes->size, STATE - probes->size);
		if (memcmp(after, buffer, STATE) == 0)
			continue;
		if (memcmp(after + size - 8, buffer + size - 8, 8) != 0)
			fprintf(stderr, "program %u: event %u: perhaps the last guard stopped it\n", number, round);
		for (unsigned i = 0; i < STATE; i++)
			if (after[i] != buffer[i]) {
				fprintf(stderr, "program %u: event %u: byte %u of the state is %#x, not %#x\n", number,
					round, i, after[i], buffer[i]);
				break;
			}
		return false;
	}
	return true;
}

static bool run_module(
	unsigned number, const struct ward_buf *module, const struct ward_module_facts *facts, void *native)
{
	uint8_t *base = mmap(NULL, SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *buffer = mmap(NULL, STATE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool ok = base != MAP_FAILED && buffer != MAP_FAILED && facts->state_size <= STATE;
	struct probes probes = {0};

	ok = ok && place(base, module->data, &facts->text, PROT_READ | PROT_EXEC) &&
	     place(base, module->data, &facts->rodata, PROT_READ) &&
	     place(base, module->data, &facts->data, PROT_READ | PROT_WRITE);
	if (!ok)
		fprintf(stderr, "program %u: can't be mapped\n", number);
	ok = ok && find_probes(&probes, number, base, facts, native) &&
	     agree(number, &probes, buffer, facts->state_size);
	munmap(base, SPACE);
	munmap(buffer, STATE);
	return ok;
}

static bool run_program(unsigned number, void *native, bool all)
{
	struct ward_verify_options limits = {.size = sizeof(limits), .max_insns = UINT64_MAX >> 1};
	struct ward_cc_options options = {.limits = &limits,
		.guards = all ? WARD_GUARDS_ALWAYS : WARD_GUARDS_AUTO,
		.report = note_report,
		.diag = say};
	struct ward_buf module;
	struct ward_verdict *verdict = NULL;
	char path[128], second[128];
	const char *more = second;
	bool ok = false;

	path_of(path, number, ".c");
	if (second_of(second, number)) {
		options.more_sources = &more;
		options.n_more_sources = 1;
		two++;
	}
	if (ward_cc(path, &options, &module) == 0) {
		verdict = ward_verify(module.data, module.size, &limits);
		if (verdict && verdict->accepted) {
			guarded += memmem(module.data, module.size, ".ward.traps", 11) != NULL;
			ran++;
			ok = run_module(number, &module, &verdict->module, native);
		} else if (verdict) {
			for (size_t i = 0; i < verdict->n_violations && i < 4; i++)
				fprintf(stderr, "program %u: %s %s: %s\n", number,
					ward_rule_number(verdict->violations[i].rule), verdict->violations[i].reason,
					verdict->violations[i].detail);
		}
		ward_verdict_free(verdict);
		free(module.data);
	}
	if (!ok)
		fprintf(stderr, "program %u FAILED%s\n", number, all ? " with all guards" : "");
	return ok;
}

/* What failed is kept, to be looked at. */
static void remove_batch(unsigned first, unsigned n, const bool *failed)
{
	char path[128];

	path_of(path, first, ".so");
	unlink(path);
	for (unsigned i = 0; i < n; i++) {
		path_of(path, first + i, ".c");
		if (!failed[i])
			unlink(path);
		if (second_of(path, first + i) && !failed[i])
			unlink(path);
	}
}

static unsigned run_batch(uint64_t seed, unsigned first, unsigned n)
{
	bool failed[BATCH] = {0};
	unsigned bad = 0;
	void *native;

	for (unsigned i = 0; i < n; i++)
		failed[i] = !write_program(seed, first + i);
	native = build_native(first, n, first / BATCH);
	for (unsigned i = 0; i < n; i++) {
		failed[i] |= !native || !run_program(first + i, native, (first + i) % 8 == 7);
		bad += failed[i];
	}
	if (native)
		dlclose(native);
	remove_batch(first, n, failed);
	return bad;
}

/* Each run has a native version of its own, whose variables are as they were at first. */
static bool run_kept_one(unsigned number, unsigned version, bool always)
{
	void *native = build_native(number, 1, version);
	bool well = native && run_program(number, native, always);

	if (native)
		dlclose(native);
	return well;
}

/* Does a program have that line? */
static bool says_line(unsigned number, const char *wanted)
{
	char path[128], line[256];
	bool says = false;
	FILE *in;

	path_of(path, number, ".c");
	in = fopen(path, "r");
	while (in && !says && fgets(line, sizeof(line), in))
		says = strcmp(line, wanted) == 0;
	if (in)
		fclose(in);
	return says;
}

static bool run_as_usual(unsigned number, unsigned version)
{
	unsigned were_apart = apart, had_climbed = climbed;
	bool well = run_kept_one(number, version, false);
	bool usual = says_line(number, "/* compiled as usual */\n"),
	     optimised = usual || says_line(number, "/* compiled as usual, or with blocks apart */\n");

	if ((climbed == had_climbed || !optimised) && (apart == were_apart || !usual))
		return well;
	fprintf(stderr, "program %u FAILED: it was not compiled as usual\n", number);
	return false;
}

/* Programs that once failed, NUMBER.c, with guards as they are needed and with all of them. */
static unsigned run_kept(int n, char **files)
{
	unsigned bad = 0;

	for (int i = 0; i < n; i++) {
		const char *slash = strrchr(files[i], '/');
		unsigned number = (unsigned)strtoul(slash ? slash + 1 : files[i], NULL, 10), version = 2 * (unsigned)i;
		bool failed = !copy_program(files[i], number) || !run_as_usual(number, version) ||
			      !run_kept_one(number, version + 1, true);

		remove_batch(number, 1, &failed);
		bad += failed;
	}
	return bad;
}

static unsigned run_random(uint64_t seed, unsigned n, unsigned first)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < n; i += BATCH) {
		bad += run_batch(seed, first + i, n - i < BATCH ? n - i : BATCH);
		if ((i + BATCH) % PROGRESS == 0 && i + BATCH < n)
			fprintf(stderr, "dialect: seed %llu: %u of %u, %u failed\n", (unsigned long long)seed,
				i + BATCH, n, bad);
	}
	return bad;
}

static int usage(FILE *to)
{
	fputs("usage: ward-dialect [SEED [N [FIRST]]], as ward-dialect 7 500\n"
	      "       ward-dialect SEED N FIRST print\n"
	      "       ward-dialect kept FILE...\n",
		to);
	return to == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--help") == 0)
		return usage(stdout);
	if (argc > 1 && strcmp(argv[1], "kept") != 0 && argv[1][strspn(argv[1], "0123456789")])
		return usage(stderr);

	bool kept = argc > 1 && !strcmp(argv[1], "kept");
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned n = kept ? (unsigned)argc - 2 : argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 500;
	unsigned first = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 0, bad;

	if (argc > 4 && !strcmp(argv[4], "print")) {
		generate(stdout, seed, first);
		return 0;
	}
	random_state = seed * 2 + 0x9e3779b97f4a7c15u;
	snprintf(directory, sizeof(directory), "%s/ward-dialect-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(directory)) {
		perror("ward-dialect");
		return 2;
	}
	bad = kept ? run_kept(argc - 2, argv + 2) : run_random(seed, n, first);
	if (bad)
		fprintf(stderr, "the programs that failed are in %s\n", directory);
	else
		rmdir(directory);
	printf("dialect: seed %llu: %u programs, %u accepted and run, %u of them of two files, %u with guards, %u with "
	       "blocks apart, %u in plainer machine code, %u failed\n",
		(unsigned long long)seed, n, ran, two, guarded, apart, climbed, bad);
	return bad != 0;
}
