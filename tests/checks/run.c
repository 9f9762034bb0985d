/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is every check of the verifier needed, and does a test notice its absence? This program runs the tests on a copy of
 * the verifier in which any one check can be off (rewrite.c). The tests are hostile modules, broken files and good
 * modules, each with its exact verdict; what the verdicts on good modules promise, by running them; and the oracles
 * for numbers, claims, loops and instructions. It turns off each check in turn, in a process of its own. One of the
 * tests must then fail, crash or run for ever.
 *
 * A test can notice a check only if it reaches the check and needs its outcome. The program records that first, with
 * all checks on, and then runs only those tests.
 *
 * The file `implied` lists the checks that nothing can miss because another check says the same, each with its
 * reason; the score shows them. It also shows those that no test notices yet ("open: …"). Any other check that isn't
 * noticed fails the run. A listed check can't fail the run, so it is turned off only with -i, which finds the entries
 * that the list needs no more.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "broken.h"
#include "case.h"
#include "verifier/check/check.h"
#include "sandbox.h"
#include "site.h"

enum {
	MAX_SITES = 8192,
	MAX_TESTS = 4096,
	MAX_FILES = 64,
	MAX_WORKERS = 16,
	CASE_SECONDS = 2,
	ORACLE_SECONDS = 120,
	ROUNDS = 3,
	MOST_STEPPED = 30000
};

int num_oracle_main(int argc, char **argv), claims_oracle_main(int argc, char **argv),
	loops_oracle_main(int argc, char **argv), instruction_oracle_main(int argc, char **argv);

/* ---- Tests ---- */

struct runner;

struct test {
	const char *group;
	char name[128];
	bool (*holds)(struct runner *r, struct test *t);
	struct corpus_case *c;
	unsigned way;
	struct ward_entry_facts facts; /* of a good module's first entry */
	unsigned seconds;
	bool apart; /* in a process of its own, for it may end it */
	bool longer;
	int (*oracle)(int, char **);
	char *argument[4];
	uint8_t *reaches; /* bit per site: turning it off would make a difference somewhere in this test */
	pid_t pid;        /* while it is recorded in a process of its own */
	uint8_t *seen;    /* by that process, of each site */
};

struct worker {
	pid_t pid;
	size_t site;
	volatile uint32_t at; /* the test that runs */
};

struct exempt {
	char file[64], function[64], off[16], text[400], why[400];
	unsigned used;
};

struct runner {
	struct test test[MAX_TESTS];
	size_t n_tests;
	struct broken broken;
	struct ward_site *site[MAX_SITES];
	size_t n_sites;
	uint8_t *seen; /* of each site; shared with child processes */
	struct worker *worker;
	unsigned n_workers;
	struct exempt exempt[128];
	size_t n_exempt;
	int caught_by[MAX_SITES]; /* test, or -1 */
	int how[MAX_SITES];
	bool verbose, quick, implied;
};

static struct runner r;
struct ward_site *ward_site_off;

static struct {
	struct ward_site *sites;
	size_t n;
} entered[MAX_FILES];
static size_t n_entered;

void ward_site_enter(struct ward_site *sites, size_t n)
{
	static uint8_t nobody;
	for (size_t i = 0; i < n_entered; i++)
		if (entered[i].sites == sites)
			return; /* a header's, from another source file */
	if (n_entered == MAX_FILES)
		abort();
	for (size_t i = 0; i < n; i++)
		sites[i].seen = &nobody;
	entered[n_entered].sites = sites;
	entered[n_entered++].n = n;
}

/* ---- Memory ---- */

/*
 * What the copy allocates, and the file that it reads, ends at a page that can't be touched: a check of bounds that is
 * off is noticed. The copy calls these instead of malloc, calloc and free, and run.c's ward_verify stands before its
 * own.
 */
void *ward_guarded_malloc(size_t n), *ward_guarded_calloc(size_t n, size_t size);
void ward_guarded_free(void *p);
struct ward_verdict *ward_verify_copy(const void *file, size_t size, const struct ward_verify_options *options);

enum { PAGE = 4096, MAX_BLOCKS = 64 };

static struct block {
	uint8_t *pages, *p;
	size_t size;
} blocks[MAX_BLOCKS];

static unsigned refuse_memory_in;

static void *guarded(size_t n, size_t align)
{
	size_t whole = (n + align + PAGE - 1) / PAGE * PAGE + PAGE;
	for (int i = 0; i < MAX_BLOCKS; i++) {
		struct block *b = &blocks[i];
		if (b->p)
			continue;
		b->pages = n < (size_t)1 << 40
				   ? mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				   : MAP_FAILED;
		if (b->pages == MAP_FAILED || mprotect(b->pages + whole - PAGE, PAGE, PROT_NONE))
			return NULL;
		b->size = whole;
		return b->p = b->pages + whole - PAGE - (n + align - 1) / align * align;
	}
	return NULL;
}

void *ward_guarded_malloc(size_t n)
{
	return refuse_memory_in && --refuse_memory_in == 0 ? NULL : guarded(n, 16);
}

void *ward_guarded_calloc(size_t n, size_t size)
{
	return ward_guarded_malloc(n * size);
}

void ward_guarded_free(void *p)
{
	for (int i = 0; p && i < MAX_BLOCKS; i++) {
		if (blocks[i].p == p) {
			munmap(blocks[i].pages, blocks[i].size);
			blocks[i].p = NULL;
			return;
		}
	}
}

struct ward_verdict *ward_verify(const void *file, size_t size, const struct ward_verify_options *options)
{
	void *copy = guarded(size, 1);
	if (!copy)
		return NULL;
	if (file)
		memcpy(copy, file, size);
	struct ward_verdict *v = ward_verify_copy(file ? copy : NULL, size, options);
	ward_guarded_free(copy);
	return v;
}

static bool corpus_holds(struct runner *run, struct test *t)
{
	(void)run;
	struct ward_verdict *v = case_verify(t->c, &t->c->module);
	bool ok = v && case_holds(t->c, v);
	ward_verdict_free(v);
	return ok;
}

static struct ward_entry_facts plain_facts(const struct ward_verdict *v)
{
	struct ward_entry_facts f = v->module.entries[0];
	f.name = f.site = f.state_type = NULL;
	return f;
}

/*
 * What the verdict promises of a good module, held against runs of it; where it promises what it always does that was
 * seen once already.
 */
static bool promise_holds(struct runner *run, struct test *t)
{
	(void)run;
	struct ward_verdict *v = case_verify(t->c, &t->c->module);
	bool ok = true;
	if (v && v->accepted && v->module.n_entries) {
		struct ward_entry_facts now = plain_facts(v);
		if (memcmp(&now, &t->facts, sizeof(now)) != 0)
			ok = sandbox_run(t->c->module.data, t->c->module.size, v, ROUNDS, MOST_STEPPED, 1) !=
			     SANDBOX_BROKEN;
		t->facts = now;
	}
	ward_verdict_free(v);
	return ok;
}

static bool broken_holds(struct runner *run, struct test *t)
{
	return broken_try(&run->broken, t->way);
}

/* The unit tests of the decoder, of the reader of modules and of numbers. */
static struct unit {
	const char *suite, *name;
	void (*run)(void);
} units[64];
static size_t n_units;

void ward_unit_enter(const char *suite, const char *name, void (*run)(void));
void ward_unit_enter(const char *suite, const char *name, void (*run)(void))
{
	if (n_units == sizeof(units) / sizeof(units[0]))
		abort();
	units[n_units++] = (struct unit){suite, name, run};
}

/* Ends the process if it fails. */
static bool unit_holds(struct runner *run, struct test *t)
{
	(void)run;
	units[t->way].run();
	return true;
}

static void count_insn(void *user, const struct wv_insn *insn, const struct wv_ctx *ctx, const struct wv_state *st)
{
	unsigned *n = user;
	(void)insn, (void)ctx, (void)st;
	++*n;
}

static const struct ward_buf *module_of(const struct runner *run, const char *name)
{
	for (size_t i = 0; i < run->n_tests; i++)
		if (run->test[i].c && !strcmp(run->test[i].c->name, name))
			return &run->test[i].c->module;
	abort();
}

/* Without memory there is no verdict, neither way, and nobody looks on. */
static bool verdict_holds(const struct ward_buf *module, unsigned refused, bool accepted)
{
	refuse_memory_in = refused;
	struct ward_verdict *v = ward_verify(module->data, module->size, NULL);
	bool ok = v ? refuse_memory_in > 0 && v->accepted == accepted && accepted == !v->n_violations
		    : refuse_memory_in == 0;
	ward_verdict_free(v);
	return ok;
}

/*
 * The n-th request for memory is refused, for a module of the kernel without imports, of which the verdict has most to
 * keep, and for one that is refused; and nothing else goes wrong.
 */
static bool memory_holds(struct runner *run, struct test *t)
{
	const struct ward_buf *module = module_of(run, "kernel-nops.s");
	bool ok = verdict_holds(module, t->way + 1, true) &&
		  verdict_holds(module_of(run, "rep-movs.s"), t->way + 1, false);
	refuse_memory_in = t->way + 1;
	unsigned seen = 0;
	struct wv_watcher w = {.before = count_insn, .user = &seen};
	bool watched = wv_watch(module->data, module->size, NULL, &w);
	ok = ok && watched == (refuse_memory_in > 0) && watched == (seen > 0);
	refuse_memory_in = 0;
	return ok;
}

static bool oracle_holds(struct runner *run, struct test *t)
{
	int n = 0;
	(void)run;
	while (t->argument[n])
		n++;
	return t->oracle(n, t->argument) == 0;
}

static struct test *add_test(const char *group, const char *name, bool (*holds)(struct runner *, struct test *))
{
	if (r.n_tests == MAX_TESTS)
		abort();
	struct test *t = &r.test[r.n_tests++];
	t->group = group;
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->holds = holds;
	t->seconds = CASE_SECONDS;
	return t;
}

static int is_assembly(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 2 && !strcmp(d->d_name + n - 2, ".s");
}

static bool add_folder(const char *corpus, const char *group, const char *dir, bool hostile)
{
	char folder[2048], path[4096];
	struct dirent **list;
	snprintf(folder, sizeof(folder), "%s/%s", corpus, group);
	int n = scandir(folder, &list, is_assembly, alphasort);
	bool ok = n > 0;
	for (int i = 0; i < n; i++) {
		struct corpus_case *c = calloc(1, sizeof(*c));
		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		ok = ok && c && case_read(path, hostile, c) && case_build(path, dir, c);
		if (ok) {
			add_test(group, list[i]->d_name, corpus_holds)->c = c;
			if (!hostile && !strstr(c->allow, "rdtsc")) /* what time it is differs from run to run */
				add_test("run", list[i]->d_name, promise_holds)->c = c;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return ok;
}

static void add_oracle(const char *name, int (*oracle)(int, char **), const char *seed, const char *trials, bool longer)
{
	struct test *t = add_test("oracle", name, oracle_holds);
	t->oracle = oracle;
	t->argument[0] = t->name;
	t->argument[1] = (char *)seed;
	t->argument[2] = (char *)trials;
	t->seconds = ORACLE_SECONDS;
	t->apart = true;
	t->longer = longer;
}

static void add_unit(unsigned i)
{
	char name[64];
	snprintf(name, sizeof(name), "%s %s", units[i].suite, units[i].name);
	struct test *t = add_test("unit", name, unit_holds);
	t->way = i;
	t->seconds = ORACLE_SECONDS;
	t->apart = true;
}

static bool gather_tests(const char *corpus)
{
	char dir[] = "/tmp/ward-checks-XXXXXX", folder[2048];
	if (!mkdtemp(dir))
		return false;
	bool ok = add_folder(corpus, "hostile", dir, true);
	snprintf(folder, sizeof(folder), "%s/good", corpus);
	ok = ok && broken_open(&r.broken, folder, dir);
	for (size_t i = 0; i < n_units; i++)
		add_unit((unsigned)i);
	for (unsigned n = 0; n < 7; n++)
		add_test("memory", "refused", memory_holds)->way = n;
	for (unsigned way = 0; way < broken_ways(); way++)
		add_test("broken", broken_name(way), broken_holds)->way = way;
	ok = ok && add_folder(corpus, "good", dir, false);
	rmdir(dir);
	/* A little of each oracle first: most of what they notice, they notice soon. */
	add_oracle("numbers", num_oracle_main, "1", "20000", false);
	add_oracle("claims", claims_oracle_main, "1", "20000", false);
	add_oracle("loops", loops_oracle_main, "1", "50000", false);
	add_oracle("instructions", instruction_oracle_main, "1", "3", false);
	if (r.quick)
		return ok;
	add_oracle("instructions, longer", instruction_oracle_main, "2", "100", true);
	add_oracle("loops, longer", loops_oracle_main, "2", "1000000", true);
	add_oracle("claims, longer", claims_oracle_main, "2", "200000", true);
	add_oracle("numbers, longer", num_oracle_main, "2", "400000", true);
	return ok;
}

/* ---- What is implied ---- */

static const char *off_of(const struct ward_site *s)
{
	return s->kind == 's' ? "skipped" : s->to ? "true" : "false";
}

/*
 * Two lines an entry: `FILE FUNCTION true|false|skipped: TEXT`, as the survivors are printed, and an indented line that
 * says what else makes sure of it.
 */
static bool read_exempt(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[1024];
	struct exempt *e = NULL;
	bool ok = f != NULL;
	while (ok && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#' || !line[0])
			continue;
		if (line[0] == '\t' && e && !e->why[0]) {
			snprintf(e->why, sizeof(e->why), "%.399s", line + 1);
			continue;
		}
		e = r.n_exempt < sizeof(r.exempt) / sizeof(r.exempt[0]) ? &r.exempt[r.n_exempt++] : NULL;
		ok = e && sscanf(line, "%63s %63s %15[a-z*]: %399[^\n]", e->file, e->function, e->off, e->text) == 4;
		if (!ok)
			fprintf(stderr, "checks: %s: a line without meaning: %s\n", path, line);
	}
	if (f)
		fclose(f);
	return ok;
}

/* A word of the list that ends with a star means all that begins so. */
static bool means(const char *listed, const char *word)
{
	size_t n = strlen(listed);
	return n && listed[n - 1] == '*' ? !strncmp(listed, word, n - 1) : !strcmp(listed, word);
}

static struct exempt *exempt(const struct ward_site *s)
{
	for (size_t i = 0; i < r.n_exempt; i++) {
		struct exempt *e = &r.exempt[i];
		if (!strcmp(e->file, s->file) && means(e->function, s->function) && means(e->off, off_of(s)) &&
			means(e->text, s->text))
			return e;
	}
	return NULL;
}

/* ---- Running one ---- */

enum outcome { HELD, CAUGHT, CRASHED, ENDLESS, CANT };
static const char *const outcome_name[] = {"held", "caught", "crash", "endless", "?"};

static void quiet(void)
{
	int null = open("/dev/null", O_WRONLY);
	dup2(null, 1);
	dup2(null, 2);
}

/* Of the processor's time, so that a busy machine changes nothing. */
static void limit(unsigned seconds)
{
	struct itimerval t = {.it_value.tv_sec = seconds};
	setitimer(ITIMER_PROF, &t, NULL);
}

static bool run_test(struct test *t)
{
	limit(t->seconds);
	bool ok = t->holds(&r, t);
	limit(0);
	return ok;
}

/*
 * In a child process: the tests that reach the site, until one fails. The exit status is 0, or 1 with worker->at saying
 * which.
 */
static void run_site(struct worker *w)
{
	bool listed = exempt(r.site[w->site]) != NULL; /* nothing is expected to notice it, so no long search */
	ward_site_off = r.site[w->site];
	for (size_t i = 0; i < r.n_tests; i++) {
		struct test *t = &r.test[i];
		if (!(t->reaches[w->site / 8] >> w->site % 8 & 1) || (t->longer && listed))
			continue;
		w->at = (uint32_t)i;
		if (!run_test(t))
			_exit(1);
	}
	_exit(0);
}

static enum outcome outcome_of(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == 0 ? HELD : WEXITSTATUS(status) == 1 ? CAUGHT : CRASHED;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? ENDLESS : CRASHED;
}

/* Of this process and its children. */
static double now(void)
{
	struct rusage self, children;
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)(self.ru_utime.tv_sec + children.ru_utime.tv_sec) +
	       1e-6 * (double)(self.ru_utime.tv_usec + children.ru_utime.tv_usec);
}

/* What the test reached: of each site, whether it saw it. */
static bool keep_reached(struct test *t, const uint8_t *seen)
{
	t->reaches = calloc(r.n_sites / 8 + 1, 1);
	for (size_t s = 0; t->reaches && s < r.n_sites; s++)
		t->reaches[s / 8] |= (uint8_t)(seen[s] << s % 8);
	return t->reaches;
}

static bool recorded(struct test *t, bool held, const uint8_t *seen)
{
	if (!held)
		fprintf(stderr, "checks: %s %s fails with every check on\n", t->group, t->name);
	return keep_reached(t, seen) && held;
}

static bool record_here(struct test *t)
{
	double begun = now();
	memset(r.seen, 0, r.n_sites);
	bool ok = recorded(t, t->holds(&r, t), r.seen);
	if (r.verbose && now() - begun > 0.2)
		fprintf(stderr, "checks: %s %s: %.1f s\n", t->group, t->name, now() - begun);
	return ok;
}

static bool record_apart(struct test *t)
{
	t->seen = mmap(NULL, MAX_SITES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t->seen == MAP_FAILED)
		return false;
	fflush(NULL);
	t->pid = fork();
	if (t->pid == 0) {
		quiet();
		for (size_t s = 0; s < r.n_sites; s++)
			r.site[s]->seen = &t->seen[s];
		_exit(run_test(t) ? 0 : 1);
	}
	return t->pid > 0;
}

/* The end of one that was recorded in a process of its own. */
static bool await_recorded(void)
{
	int status;
	pid_t pid = wait(&status);
	for (size_t i = 0; pid > 0 && i < r.n_tests; i++) {
		struct test *t = &r.test[i];
		if (t->pid != pid)
			continue;
		bool ok = recorded(t, status == 0, t->seen);
		munmap(t->seen, MAX_SITES);
		t->pid = 0;
		return ok;
	}
	return false;
}

/*
 * With everything on: every test must hold, and shows which sites it reaches. Those that need a process of their own
 * are the ones that take long; they run side by side, the longer ones, which were added last, first.
 */
static bool record(void)
{
	unsigned running = 0;
	bool ok = true;
	for (size_t i = r.n_tests; i-- > 0;) {
		if (!r.test[i].apart)
			continue;
		if (running == r.n_workers) {
			ok &= await_recorded();
			running--;
		}
		if (!record_apart(&r.test[i]))
			return false;
		running++;
	}
	while (running--)
		ok &= await_recorded();
	for (size_t i = 0; i < r.n_tests; i++)
		ok &= r.test[i].apart || record_here(&r.test[i]);
	return ok;
}

/* ---- All of them ---- */

static void start(struct worker *w, size_t site)
{
	fflush(NULL);
	w->site = site;
	w->at = UINT32_MAX;
	pid_t pid = fork();
	if (pid < 0)
		abort();
	if (pid == 0) {
		quiet();
		run_site(w);
	}
	w->pid = pid; /* the child shares *w */
}

/* Wait for one to be done. */
static void reap(void)
{
	int status;
	struct rusage used;
	pid_t pid = wait4(-1, &status, 0, &used);
	for (unsigned i = 0; i < r.n_workers; i++) {
		struct worker *w = &r.worker[i];
		if (w->pid != pid)
			continue;
		r.how[w->site] = outcome_of(status);
		r.caught_by[w->site] = r.how[w->site] == HELD || w->at == UINT32_MAX ? -1 : (int)w->at;
		w->pid = 0;
		if (r.verbose)
			fprintf(stderr, "%s %s:%u %s: %s (%s, %ld ms)\n", outcome_name[r.how[w->site]],
				r.site[w->site]->file, r.site[w->site]->line, r.site[w->site]->function,
				r.site[w->site]->text, w->at == UINT32_MAX ? "no test reaches it" : r.test[w->at].name,
				used.ru_utime.tv_sec * 1000 + used.ru_utime.tv_usec / 1000);
	}
}

static struct worker *free_worker(void)
{
	for (;;) {
		for (unsigned i = 0; i < r.n_workers; i++)
			if (!r.worker[i].pid)
				return &r.worker[i];
		reap();
	}
}

static void run_all(const char *kinds)
{
	for (size_t s = 0; s < r.n_sites; s++) {
		r.caught_by[s] = -1;
		r.how[s] = CANT;
		if (strchr(kinds, r.site[s]->kind) && (r.implied || !exempt(r.site[s])))
			start(free_worker(), s);
	}
	for (unsigned i = 0; i < r.n_workers; i++)
		while (r.worker[i].pid)
			reap();
}

/* ---- Reporting ---- */

static void print_site(const char *verdict, const struct ward_site *s, const char *how)
{
	printf("%-8s %s:%u %s %s: %s%s%s\n", verdict, s->file, s->line, s->function, off_of(s), s->text,
		how ? "  -> " : "", how ? how : "");
}

struct score {
	unsigned all, caught, implied, open, missed;
};

/* A choice counts as noticed if it is where it always goes one way or where it always goes the other. */
static bool other_way_caught(size_t s)
{
	for (size_t i = s < 3 ? 0 : s - 3; i < r.n_sites && i < s + 4; i++) {
		const struct ward_site *a = r.site[s], *b = r.site[i];
		if (i != s && b->kind == 'o' && a->line == b->line && a->to != b->to && !strcmp(a->text, b->text) &&
			r.how[i] != HELD && r.how[i] != CANT)
			return true;
	}
	return false;
}

static struct score report(char kind)
{
	struct score score = {0};
	char how[300];
	for (size_t s = 0; s < r.n_sites; s++) {
		struct ward_site *site = r.site[s];
		if (site->kind != kind)
			continue;
		score.all++;
		bool caught = r.how[s] == CAUGHT || r.how[s] == CRASHED || r.how[s] == ENDLESS;
		if (kind == 'o' && !caught && other_way_caught(s)) {
			score.caught++;
			continue;
		}
		struct exempt *e = exempt(site);
		if (caught) {
			const struct test *t = &r.test[r.caught_by[s] < 0 ? 0 : r.caught_by[s]];
			snprintf(how, sizeof(how), "%s/%s%s%s", t->group, t->name, r.how[s] == CAUGHT ? "" : ": ",
				r.how[s] == CAUGHT ? "" : outcome_name[r.how[s]]);
			print_site("caught", site, how);
			score.caught++;
		} else if (e) {
			bool open = !strncmp(e->why, "open:", 5);
			e->used++;
			print_site(open ? "open" : "implied", site, e->why);
			score.implied += !open;
			score.open += open;
		} else {
			print_site("MISSED", site, NULL);
			score.missed++;
		}
	}
	return score;
}

/*
 * Entries of the list that nothing needs any more, or that have no reason. Only the latter fail the run: the former are
 * good news.
 */
static bool stale(void)
{
	bool any = false;
	for (size_t i = 0; i < r.n_exempt; i++) {
		const struct exempt *e = &r.exempt[i];
		if (e->used && e->why[0])
			continue;
		printf("note     %s %s %s: %s: in the list, but %s\n", e->file, e->function, e->off, e->text,
			e->why[0] ? "noticed by a test, or no longer there" : "without a reason");
		any |= !e->why[0];
	}
	return any;
}

static void by_kind(const char *what, struct score s)
{
	printf("checks: %u %s: %u caught, %u implied by others, %u open, %u missed\n", s.all, what, s.caught, s.implied,
		s.open, s.missed);
}

static int by_file(const void *x, const void *y)
{
	const struct ward_site *a = *(struct ward_site *const *)x, *b = *(struct ward_site *const *)y;
	int order = strcmp(a->file, b->file);
	return order ? order : a->line != b->line ? (a->line < b->line ? -1 : 1) : a < b ? -1 : a > b;
}

/* The part-th of so many parts, "3/24". */
static bool keep_part(const char *text)
{
	unsigned long part, parts;
	if (sscanf(text, "%lu/%lu", &part, &parts) != 2 || part >= parts)
		return false;
	size_t first = r.n_sites * part / parts, end = r.n_sites * (part + 1) / parts;
	memmove(r.site, r.site + first, (end - first) * sizeof(r.site[0]));
	r.n_sites = end - first;
	return true;
}

/* Only the files, the functions that `only` names: for work on them. */
static bool gather_sites(const char *only, const char *part)
{
	for (size_t i = 0; i < n_entered; i++) {
		for (size_t k = 0; k < entered[i].n; k++) {
			struct ward_site *s = &entered[i].sites[k];
			if (r.n_sites < MAX_SITES && (!only || strstr(s->file, only) || strstr(s->function, only)))
				r.site[r.n_sites++] = s;
		}
	}
	qsort(r.site, r.n_sites, sizeof(r.site[0]), by_file);
	if (part && !keep_part(part))
		return false;
	for (size_t i = 0; i < r.n_sites; i++)
		r.site[i]->seen = &r.seen[i];
	return true;
}

int main(int argc, char **argv)
{
	const char *only = NULL, *kinds = "c", *part = NULL;
	long workers = sysconf(_SC_NPROCESSORS_ONLN);
	int option;
	while ((option = getopt(argc, argv, "viqo:k:j:p:")) != -1) {
		if (option == 'o')
			only = optarg;
		else if (option == 'k')
			kinds = optarg;
		else if (option == 'p')
			part = optarg;
		else if (option == 'v')
			r.verbose = true;
		else if (option == 'i')
			r.implied = true;
		else if (option == 'q')
			r.quick = true;
		else if (option == 'j')
			workers = strtol(optarg, NULL, 0);
		else
			optind = argc;
	}
	if (optind + 2 != argc) {
		fprintf(stderr, "usage: ward-checks [-v] [-q] [-i] [-j PROCESSES] [-k KINDS] [-o FILE-OR-FUNCTION] "
				"[-p PART/PARTS] CORPUS-FOLDER IMPLIED\n");
		return 2;
	}
	r.seen = mmap(NULL, MAX_SITES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	r.worker =
		mmap(NULL, MAX_WORKERS * sizeof(*r.worker), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.seen == MAP_FAILED || r.worker == MAP_FAILED)
		return 1;
	r.n_workers = workers < 1 ? 1 : workers > MAX_WORKERS ? MAX_WORKERS : (unsigned)workers;
	if (!gather_sites(only, part)) {
		fprintf(stderr, "checks: %s: not a part, as 0/24\n", part);
		return 2;
	}
	if (!read_exempt(argv[optind + 1]) || !gather_tests(argv[optind]) || !record())
		return 1;
	run_all(kinds);
	struct score checks = report('c');
	bool old = !only && !part && stale();
	if (strchr(kinds, 'o'))
		by_kind("choices that always go one way", report('o'));
	if (strchr(kinds, 's'))
		by_kind("steps left out", report('s'));
	by_kind("checks turned off", checks);
	return checks.missed || old;
}
