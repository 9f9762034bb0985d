/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-bench-verify: the time of verification, from the bytes of a file to the verdict, compared with decoding the
 * same code and nothing else.
 *
 *	ward-bench-verify PROBES FUNCTIONS SPEC
 *
 * PROBES are the example probes' sources. FUNCTIONS is tests/compilers: its functions as clang-19 and gcc-12 make
 * them at -O2, with proofs as ward link infers them. Those that are accepted are repeated to make modules of 1 KB to
 * 10 MB. Where one module is too small for all of them, several modules share them, so that the mix of functions is
 * the same at each size; the row shows the average of one module.
 *
 * A verdict is timed with the file's bytes in memory, and so are Zydis and the decoder; the time ends when all memory
 * is freed. It is timed again from the opening of the file, which the system has cached. Each method has processed
 * each file once before. All numbers come from one run: in each repetition everything is measured once, in turn, and
 * medians are printed. It fails if ten times the code takes more than eleven times as long, or if half of the example
 * probes take longer than 200 µs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "codegen/codegen.h"
#include "corpus.h"
#include "grow.h"
#include "verifier/decode/insn.h"
#include "verifier/file/module.h"

enum {
	REPETITIONS = 15,
	MOST_ROWS = 32,
	MOST_FILES = 64,
	WORK = 200000,       /* bytes of code that a sample goes over at least */
	TYPICAL_PROBE = 200, /* µs that a typical probe may take */
};

/* What a module is measured with. */
enum method { VERIFY, FROM_FILE, DECODE, ZYDIS, N_METHODS };

struct file {
	int fd; /* in memory */
	uint8_t *bytes;
	size_t size;
	struct wv_module module;
};

struct row {
	char name[256];
	struct file file[MOST_FILES];
	unsigned n;
	size_t text, proof, insns; /* of all files */
	unsigned batch;
	double sample[N_METHODS][REPETITIONS]; /* µs for one pass over all files */
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

/* The file's bytes, as ward-verify reads them. */
static uint8_t *read_file(const struct file *file, size_t *size)
{
	char path[40];
	struct stat st;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes = NULL;
	*size = 0;
	if (fd >= 0 && fstat(fd, &st) == 0)
		bytes = malloc((size_t)st.st_size);
	for (ssize_t n = 1; bytes && n > 0 && *size < (size_t)st.st_size; *size += (size_t)(n > 0 ? n : 0))
		n = read(fd, bytes + *size, (size_t)st.st_size - *size);
	if (fd >= 0)
		close(fd);
	return bytes;
}

static uint64_t verify_bytes(const uint8_t *bytes, size_t size)
{
	static const char *const allow[] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) name,
#include "ward/import.def"
#undef IMPORT
	};
	struct ward_verify_options options = {.size = sizeof(options), .allow = allow, .n_allow = WARD_IMPORT_COUNT};
	struct ward_verdict *v = ward_verify(bytes, size, &options);
	uint64_t insns = v && v->accepted ? v->module.n_insns : 0;
	ward_verdict_free(v);
	return insns;
}

static uint64_t verify(const struct file *file)
{
	return verify_bytes(file->bytes, file->size);
}

static uint64_t from_file(const struct file *file)
{
	size_t size;
	uint8_t *bytes = read_file(file, &size);
	uint64_t insns = bytes ? verify_bytes(bytes, size) : 0;
	free(bytes);
	return insns;
}

static uint64_t decode(const struct file *file)
{
	const struct wv_bytes *text = &file->module.text_bytes;
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

static uint64_t zydis(const struct file *file)
{
	const struct wv_bytes *text = &file->module.text_bytes;
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

static uint64_t (*const methods[N_METHODS])(const struct file *) = {verify, from_file, decode, zydis};

/* ---- measuring ---- */

/* All files with one method. The number of instructions, or 0. */
static uint64_t pass(const struct row *r, enum method m)
{
	uint64_t all = 0, insns = 1;
	for (unsigned i = 0; i < r->n && insns; i++) {
		insns = methods[m](&r->file[i]);
		all += insns;
	}
	return insns ? all : 0;
}

static bool sample(struct row *r, unsigned repetition)
{
	for (unsigned m = 0; m < N_METHODS; m++) {
		uint64_t before = cpu_time(), insns = 1;
		for (unsigned k = 0; k < r->batch && insns; k++)
			insns = pass(r, m);
		r->sample[m][repetition] = (double)(cpu_time() - before) / 1000 / r->batch;
		if (!insns)
			return false;
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

/* In a child process of its own: how far memory rises above what it was, for the first of the files. */
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
		bool ok = verify(&r->file[0]) != 0 && getrusage(RUSAGE_SELF, &usage) == 0;
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
	return kilobytes * 1024 / (double)r->file[0].module.text_bytes.n;
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

static struct row *add_row(struct row *rows, unsigned *n, const char *name)
{
	if (*n == MOST_ROWS)
		return NULL;
	snprintf(rows[*n].name, sizeof(rows[*n].name), "%s", name);
	return &rows[(*n)++];
}

/* The row has it from here on. */
static bool add_file(struct row *r, uint8_t *bytes, size_t size)
{
	struct wv_sink sink = {0};
	struct file *f = &r->file[r->n];
	if (!bytes || r->n == MOST_FILES)
		return false;
	*f = (struct file){.fd = memfd_create("module", MFD_CLOEXEC), .bytes = bytes, .size = size};
	r->n++;
	if (f->fd < 0 || write(f->fd, bytes, size) != (ssize_t)size ||
		!wv_module_parse(&f->module, bytes, size, UINT32_MAX, &sink))
		return false;
	r->text += f->module.text_bytes.n;
	r->proof += f->module.proof.n;
	r->batch = (unsigned)(1 + WORK / r->text);
	return true;
}

static void free_row(struct row *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		free(r->file[i].bytes);
		if (r->file[i].fd >= 0)
			close(r->file[i].fd);
	}
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
		struct row *r = ok ? add_row(rows, n, list[i]->d_name) : NULL;
		ok = r && ward_cc(path, &options, &module) == 0 && add_file(r, module.data, module.size);
		free(list[i]);
	}
	if (count >= 0)
		free(list);
	return ok;
}

/* One source as one compiler makes it, if it is accepted. */
static void add_function(
	struct stock **stock, const struct compiler *compiler, const char *const include[2], const char *path)
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
		struct row *r = add_row(rows, n, names[i]);
		size_t next = 0, size = 0;
		do {
			uint8_t *file = stock_module(stock, sizes[i], &next, &size);
			if (!r || !add_file(r, file, size))
				return false;
		} while (next < stock_functions(stock));
		r->scaled = true;
	}
	return true;
}

/* ---- the table ---- */

/* False: it takes more than eleven times as long as what is a tenth of it. */
static bool print_row(const struct row *r, const struct row *smaller)
{
	double t = median(r, VERIFY), decoding = median(r, DECODE), by_zydis = median(r, ZYDIS),
	       bytes = (double)r->text, growth = 0;
	printf("%-10s %9zu %9zu %9zu %10.1f %10.1f %7.1f %8.0f %9.1f %9.1f %8.2f", r->name, r->text / r->n,
		r->proof / r->n, r->insns / r->n, median(r, FROM_FILE) / r->n, t / r->n, bytes / t,
		t * 1000 / (double)r->insns, bytes / decoding, bytes / by_zydis, t / by_zydis);
	if (r->scaled)
		printf(" %8.1f", r->memory);
	if (r->scaled && smaller->scaled) {
		growth = t / median(smaller, VERIFY) / (bytes / (double)smaller->text);
		printf(" %8.2f", 10 * growth);
	}
	printf("\n");
	return growth <= 1.1;
}

/* The median of the probes' own. */
static double typical_probe(const struct row *rows, unsigned n)
{
	double t[MOST_ROWS];
	unsigned probes = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!rows[i].scaled)
			t[probes++] = median(&rows[i], FROM_FILE);
	}
	qsort(t, probes, sizeof(*t), ascending);
	return t[probes / 2];
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
	printf("Verification, from the bytes of a file to the verdict, and decoding alone. CPU time of one thread, "
	       "medians of %d interleaved repetitions.\n"
	       "The sizes repeat %zu functions of %zu bytes, which clang-19 -O2 and gcc-12 -O2 made of "
	       "tests/compilers, with the proofs that ward link infers.\n\n",
		REPETITIONS, stock_functions(stock), stock_bytes(stock));
	stock_free(stock);
	if (!measure(rows, n))
		return 1;
	printf("%-10s %9s %9s %9s %10s %10s %7s %8s %9s %9s %8s %8s %8s\n", "", "", "", "", "from file", "verdict", "",
		"", "decoding", "Zydis", "verdict", "memory", "10x code");
	printf("%-10s %9s %9s %9s %10s %10s %7s %8s %9s %9s %8s %8s %8s\n", "module", "code, B", "proof, B", "insns",
		"us", "us", "MB/s", "ns/insn", "MB/s", "MB/s", "/ Zydis", "B/B", "takes x");
	for (unsigned i = 0; i < n; i++)
		linear &= print_row(&rows[i], i ? &rows[i - 1] : &rows[i]);
	double probe = typical_probe(rows, n);
	for (unsigned i = 0; i < n; i++)
		free_row(&rows[i]);
	printf("\nHalf of the example probes take at most %.1f us from the file. Memory is the peak above the file's "
	       "own bytes, for each byte of code.\n"
	       "Peers, measured on other code and such a machine: lfi-verify 54 MB/s, NaCl's validator 106 to 120 "
	       "MB/s. Both check that each access is masked in place by a fixed pattern; neither\n"
	       "knows values, loops' bounds, initialisation or the stack's depth.\n",
		probe);
	if (!linear)
		fprintf(stderr, "ward: bench: time grows faster than 1.1 times the size\n");
	if (probe > TYPICAL_PROBE)
		fprintf(stderr, "ward: bench: a typical probe takes longer than %d us\n", TYPICAL_PROBE);
	return linear && probe <= TYPICAL_PROBE ? 0 : 1;
}
