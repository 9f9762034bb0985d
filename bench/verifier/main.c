/*
 * ward-bench-verify: what verification takes, from the bytes of a file to the verdict, beside decoding the same code and nothing else.
 *
 *	ward-bench-verify PROBES FUNCTIONS SPEC
 *
 * PROBES are the example probes' sources. FUNCTIONS is tests/compilers: its functions as clang-19 and gcc-12 make them at -O2, with proofs as ward link infers them. Those that are accepted are
 * repeated, one after another, to make modules of 1 KB to 10 MB. Files are in memory before, and each method has gone over each once. Zydis and the decoder read the bytes of the code alone, and
 * keep nothing; a verdict takes its memory from the system each time and gives it back. All numbers come from one run: in each repetition everything is measured once, in turn, and medians are printed. Fails if
 * ten times the code takes more than eleven times as long, from 100 KB up; below that the mix of functions is another.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "codegen.h"
#include "corpus.h"
#include "grow.h"
#include "insn.h"
#include "module.h"

enum { REPETITIONS = 15, MOST_ROWS = 32, WORK = 200000 /* bytes of code that a sample goes over at least */ };

/* What a module is measured with. */
enum method { VERIFY, DECODE, ZYDIS, N_METHODS };

struct row {
	char name[60];
	uint8_t *file;
	size_t size;
	struct wv_module module;
	unsigned batch;
	uint64_t insns;
	double sample[N_METHODS][REPETITIONS]; /* µs for one pass */
	double memory;                         /* peak, bytes for each byte of code */
	bool scaled;                           /* one of the sizes, in ascending order */
};

static uint64_t cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- the methods ---- */

static uint64_t verify(const struct row *r)
{
	static const char *const allow[] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) name,
#include "ward/import.def"
#undef IMPORT
	};
	struct ward_verify_options options = {.size = sizeof(options), .allow = allow, .n_allow = WARD_IMPORT_COUNT};
	struct ward_verdict *v = ward_verify(r->file, r->size, &options);
	uint64_t insns = v && v->accepted ? v->module.n_insns : 0;
	ward_verdict_free(v);
	return insns;
}

static uint64_t decode(const struct row *r)
{
	const struct wv_bytes *text = &r->module.text_bytes;
	uint64_t insns = 0;
	for (size_t at = 0; at < text->n; insns++) {
		struct wv_insn insn;
		const char *why;
		if (wv_decode(text->p + at, text->n - at, at, &insn, &why) != WV_DECODED)
			return 0;
		at += insn.length;
	}
	return insns;
}

static uint64_t zydis(const struct row *r)
{
	const struct wv_bytes *text = &r->module.text_bytes;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	ZydisDecoder decoder;
	uint64_t insns = 0;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t at = 0; at < text->n; insns++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, text->p + at, text->n - at, &insn, operands)))
			return 0;
		at += insn.length;
	}
	return insns;
}

static uint64_t (*const methods[N_METHODS])(const struct row *) = {verify, decode, zydis};

/* ---- measuring ---- */

static bool sample(struct row *r, unsigned repetition)
{
	for (unsigned m = 0; m < N_METHODS; m++) {
		uint64_t before = cpu_time(), insns = 1;
		for (unsigned k = 0; k < r->batch && insns; k++)
			insns = methods[m](r);
		r->sample[m][repetition] = (double)(cpu_time() - before) / 1000 / r->batch;
		if (!insns)
			return false;
		if (m == DECODE)
			r->insns = insns;
	}
	return true;
}

static long resident(void)
{
	long pages = 0, all = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* In a child process of its own: how far memory rises above what it was. */
static double peak_memory(const struct row *r)
{
	int fd[2];
	double kilobytes = -1;
	pid_t pid;
	if (pipe(fd) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		struct rusage usage;
		long before = resident();
		bool ok = verify(r) != 0 && getrusage(RUSAGE_SELF, &usage) == 0;
		kilobytes = ok && usage.ru_maxrss > before ? (double)(usage.ru_maxrss - before) : 0;
		ok = write(fd[1], &kilobytes, sizeof(kilobytes)) == sizeof(kilobytes);
		_exit(ok ? 0 : 1);
	}
	close(fd[1]);
	if (pid < 0 || read(fd[0], &kilobytes, sizeof(kilobytes)) != sizeof(kilobytes))
		kilobytes = -1;
	close(fd[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return kilobytes * 1024 / (double)r->module.text_bytes.n;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const struct row *r, enum method m)
{
	double sorted[REPETITIONS];
	memcpy(sorted, r->sample[m], sizeof(sorted));
	qsort(sorted, REPETITIONS, sizeof(*sorted), ascending);
	return sorted[REPETITIONS / 2];
}

/* ---- what is measured ---- */

static void diagnose(void *user, const char *text)
{
	(void)user;
	fputs(text, stderr);
}

static bool add_row(struct row *rows, unsigned *n, const char *name, uint8_t *file, size_t size)
{
	struct row *r = &rows[*n];
	struct wv_sink sink = {0};
	if (*n == MOST_ROWS || !file || !wv_module_parse(&r->module, file, size, UINT32_MAX, &sink)) {
		free(file);
		return false;
	}
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->file = file;
	r->size = size;
	r->batch = (unsigned)(1 + WORK / r->module.text_bytes.n);
	(*n)++;
	return true;
}

static int is_source(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 2 && strcmp(d->d_name + n - 2, ".c") == 0;
}

static bool add_probes(struct row *rows, unsigned *n, const char *folder)
{
	struct ward_cc_options options = {.diag = diagnose};
	struct dirent **list;
	int count = scandir(folder, &list, is_source, alphasort);
	bool ok = count > 0;
	for (int i = 0; i < count; i++) {
		struct ward_buf module = {0};
		char path[4400];
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		ok = ok && ward_cc(path, &options, &module) == 0 && add_row(rows, n, list[i]->d_name, module.data, module.size);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return ok;
}

/* One source as one compiler makes it, if it is accepted. */
static void add_function(struct stock **stock, const struct compiler *compiler, const char *const include[2], const char *path)
{
	struct ward_buf module = {0};
	char reason[MAX_REASON];
	if (corpus_build(compiler, include, path, &module, reason) == BUILT) {
		struct ward_verdict *v = ward_verify(module.data, module.size, NULL);
		if (v && v->accepted)
			stock_add(stock, module.data, module.size);
		ward_verdict_free(v);
	}
	free(module.data);
}

static struct stock *make_stock(const char *folder, const char *spec)
{
	static const struct compiler compilers[] = {
		{"clang-19 -O2", "c", ".c", {"clang-19", "-O2", "-ffreestanding", "-mgeneral-regs-only", "-c"}},
		{"gcc-12 -O2", "c", ".c", {"gcc-12", "-O2", "-ffreestanding", "-mgeneral-regs-only", "-c"}},
	};
	const char *const include[2] = {folder, spec};
	struct stock *stock = NULL;
	struct dirent **list;
	char path[4400];
	snprintf(path, sizeof(path), "%s/c", folder);
	int count = scandir(path, &list, is_source, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/c/%s", folder, list[i]->d_name);
		for (size_t k = 0; k < sizeof(compilers) / sizeof(compilers[0]); k++)
			add_function(&stock, &compilers[k], include, path);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return stock;
}

static bool add_sizes(struct row *rows, unsigned *n, const struct stock *stock)
{
	static const size_t sizes[] = {1000, 10000, 100000, 1000000, 10000000};
	static const char *const names[] = {"1 KB", "10 KB", "100 KB", "1 MB", "10 MB"};
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = 0;
		uint8_t *file = stock_module(stock, sizes[i], &size);
		if (!add_row(rows, n, names[i], file, size))
			return false;
		rows[*n - 1].scaled = true;
	}
	return true;
}

/* ---- the table ---- */

static bool print_row(const struct row *r, const struct row *smaller)
{
	double t = median(r, VERIFY), decoding = median(r, DECODE), by_zydis = median(r, ZYDIS), bytes = (double)r->module.text_bytes.n, growth = 0;
	printf("%-10s %9zu %9zu %9lu %10.1f %7.1f %8.0f %9.1f %9.1f %8.2f", r->name, r->module.text_bytes.n, r->module.proof.n, (unsigned long)r->insns, t,
		bytes / t, t * 1000 / (double)r->insns, bytes / decoding, bytes / by_zydis, t / by_zydis);
	if (r->scaled)
		printf(" %8.1f", r->memory);
	if (r->scaled && smaller->scaled) {
		growth = t / median(smaller, VERIFY) / (bytes / (double)smaller->module.text_bytes.n);
		printf(" %8.2f", 10 * growth);
	}
	printf("\n");
	return growth <= 1.1 || smaller->module.text_bytes.n < 90000;
}

static bool measure(struct row *rows, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		rows[i].memory = peak_memory(&rows[i]);
		if (!sample(&rows[i], 0)) { /* to warm up */
			fprintf(stderr, "ward: %s: not accepted, or can't be decoded\n", rows[i].name);
			return false;
		}
	}
	for (unsigned k = 0; k < REPETITIONS; k++) {
		for (unsigned i = 0; i < n; i++)
			sample(&rows[i], k);
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct row rows[MOST_ROWS];
	unsigned n = 0;
	bool linear = true;
	if (argc != 4) {
		fprintf(stderr, "usage: ward-bench-verify PROBES FUNCTIONS SPEC\n");
		return 2;
	}
	struct stock *stock = make_stock(argv[2], argv[3]);
	if (!stock_functions(stock) || !add_probes(rows, &n, argv[1]) || !add_sizes(rows, &n, stock)) {
		fprintf(stderr, "ward: bench: the code could not be made\nhint: is clang-19 installed?\n");
		return 1;
	}
	printf("Verification, from the bytes of a file to the verdict, and decoding alone. CPU time of one thread, medians of %d interleaved repetitions.\n"
	       "The sizes repeat %zu functions of %zu bytes, which clang-19 -O2 and gcc-12 -O2 made of tests/compilers, with the proofs that ward link infers.\n\n",
		REPETITIONS, stock_functions(stock), stock_bytes(stock));
	stock_free(stock);
	if (!measure(rows, n))
		return 1;
	printf("%-10s %9s %9s %9s %10s %7s %8s %9s %9s %8s %8s %8s\n", "", "", "", "", "verdict", "", "", "decoding", "Zydis", "verdict", "memory", "10x code");
	printf("%-10s %9s %9s %9s %10s %7s %8s %9s %9s %8s %8s %8s\n", "module", "code, B", "proof, B", "insns", "us", "MB/s", "ns/insn", "MB/s", "MB/s", "/ Zydis", "B/B", "takes x");
	for (unsigned i = 0; i < n; i++)
		linear &= print_row(&rows[i], i ? &rows[i - 1] : &rows[i]);
	for (unsigned i = 0; i < n; i++)
		free(rows[i].file);
	printf("\nMemory is the peak above the file's own bytes, for each byte of code. Peers, measured on other code and such a machine: lfi-verify 54 MB/s, NaCl's validator 106 to 120 MB/s.\n"
	       "Both check that each access is masked in place by a fixed pattern; neither knows values, loops' bounds, initialisation or the stack's depth.\n");
	if (!linear)
		fprintf(stderr, "ward: bench: time grows faster than 1.1 times the size\n");
	return linear ? 0 : 1;
}
