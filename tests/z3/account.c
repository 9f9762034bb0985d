/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account: which evidence covers each function of the verifier.
 *
 * A function is in one of three cases, and the account finds out which. It has a row: the table has a statement of
 * this name. It runs within rows: building the statements executes its body, not a summary in its place. Or neither:
 * then the file of reasons must list it, under the evidence that covers it instead. So a new function, or one that
 * lost its row, fails the account until somebody decides what covers it. And a reason that is no longer needed,
 * because the function is gone or has a row, must be removed.
 *
 * The account only builds the statements, each in a process of its own, which notes in shared memory what it
 * executed. Another test proves them (ward-z3 without --account).
 *
 * The file of reasons: a line of words, then lines that begin with a tab: FILE: FUNCTION..., all covered as the words
 * say. Empty lines and lines that begin with # are ignored.
 */
#include "account.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/z3/engine/exec.h"

enum { MAX_REASONS = 60 };

static const struct exec_function *function;
static unsigned n_functions;
static uint8_t *entered, *with_row; /* by function */
static unsigned *reason_of;         /* its number; 0: none */
static struct {
	char *words;
	unsigned functions;
} reasons[MAX_REASONS];
static unsigned n_reasons;
static unsigned wrong;

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list args;
	printf("account: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	wrong++;
}

/* ---- what runs ---- */

static pid_t build_one(const struct query *q)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		give_up("no process: %s", strerror(errno));
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	begin_statement(true);
	q->build(q);
	_exit(0);
}

static void end_one(void)
{
	int status;
	if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		complain("a statement that can't be built");
}

static void build_all(const struct query *list, unsigned n, unsigned jobs)
{
	unsigned running = 0;
	for (unsigned i = 0; i < n; i++) {
		if (running == jobs) {
			end_one();
			running--;
		}
		build_one(&list[i]);
		running++;
	}
	while (running--)
		end_one();
}

static void note_rows(const struct query *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		for (unsigned f = 0; f < n_functions; f++) {
			if (function[f].in_program && strcmp(function[f].name, list[i].function) == 0)
				with_row[f] = 1;
		}
	}
}

/* ---- the file of reasons ---- */

static void vouch_for(const char *file, const char *name, unsigned line)
{
	for (unsigned i = 0; i < n_functions; i++) {
		if (strcmp(function[i].file, file) != 0 || strcmp(function[i].name, name) != 0)
			continue;
		if (reason_of[i])
			complain("line %u: %s has two reasons", line, name);
		if (with_row[i] || entered[i])
			complain("line %u: %s in %s %s: it needs no other reason", line, name, file,
				with_row[i] ? "has a row" : "runs within a row");
		if (!reason_of[i])
			reasons[n_reasons].functions++;
		reason_of[i] = n_reasons;
		return;
	}
	complain("line %u: there is no %s in %s", line, name, file);
}

static void read_names(char *text, unsigned line)
{
	char *rest, *file = strtok_r(text, " \t\n", &rest), *name;
	size_t n = file ? strlen(file) : 0;
	if (!n || file[n - 1] != ':' || !n_reasons) {
		complain("line %u: not FILE: FUNCTION... of a reason", line);
		return;
	}
	file[n - 1] = 0;
	while ((name = strtok_r(NULL, " \t\n", &rest)))
		vouch_for(file, name, line);
}

static void read_reasons(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	if (!f)
		give_up("%s: %s", path, strerror(errno));
	for (unsigned line = 1; getline(&text, &room, f) > 0; line++) {
		if (*text == '#' || *text == '\n')
			continue;
		if (*text == '\t') {
			read_names(text, line);
			continue;
		}
		if (n_reasons + 1 == MAX_REASONS)
			give_up("%s: too many reasons", path);
		text[strcspn(text, "\n")] = 0;
		reasons[++n_reasons].words = strdup(text);
	}
	free(text);
	fclose(f);
	for (unsigned i = 1; i <= n_reasons; i++) {
		if (!reasons[i].functions)
			complain("nothing rests on: %s", reasons[i].words);
	}
}

/* ---- the sums ---- */

struct count {
	unsigned rows, within, reasons, none;
};

static void count(unsigned f, struct count *c)
{
	if (with_row[f])
		c->rows++;
	else if (entered[f])
		c->within++;
	else if (reason_of[f])
		c->reasons++;
	else
		c->none++;
}

static void print_files(void)
{
	printf("%-16s %9s %11s %7s %9s\n", "file", "functions", "with a row", "within", "by reason");
	for (unsigned i = 0, next; i < n_functions; i = next) {
		struct count c = {0};
		for (next = i; next < n_functions && function[next].file == function[i].file; next++)
			count(next, &c);
		printf("%-16s %9u %11u %7u %9u\n", function[i].file, next - i, c.rows, c.within, c.reasons);
	}
}

bool account(const struct query *list, unsigned n, const char *path, unsigned jobs)
{
	function = exec_functions(&n_functions);
	entered = mmap(NULL, MAX_FUNCTIONS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	with_row = calloc(n_functions, 1);
	reason_of = calloc(n_functions, sizeof *reason_of);
	if (entered == MAP_FAILED || !with_row || !reason_of)
		give_up("no memory");
	exec_entered = entered;
	build_all(list, n, jobs);
	note_rows(list, n);
	read_reasons(path);
	struct count all = {0};
	for (unsigned i = 0; i < n_functions; i++) {
		unsigned none = all.none;
		count(i, &all);
		if (all.none != none)
			complain("%s: %s has no row, runs within none, and no reason is given in %s", function[i].file,
				function[i].name, path);
	}
	print_files();
	for (unsigned i = 1; i <= n_reasons; i++)
		printf("%4u by: %s\n", reasons[i].functions, reasons[i].words);
	printf("account: %u functions: %u with a row, %u more run within rows, %u by other reasons, %u by none\n",
		n_functions, all.rows, all.within, all.reasons, all.none);
	return n_functions && !wrong;
}
