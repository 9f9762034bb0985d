/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of proofs, proofs.lock: a line for each statement. Its SHA-256 covers the statement's question
 * (question.c), Z3's version, and the sources that put the question to Z3. If the hash is unchanged, nothing that the
 * proof depends on has changed; so the proof still stands and need not be repeated. A statement whose hash differs is
 * proven again. So is a twentieth of the others, another twentieth for each seed: twenty seeds in a row prove all.
 */
#include "lock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prove.h"
#include "question.h"

enum { DIGITS = 64, NAME = 100, DRAWN = 20 };

static struct row {
	char name[NAME], now[DIGITS + 1], locked[DIGITS + 1];
	bool drawn, proven;
} *rows;
static unsigned n_rows, n_changed, n_drawn;
static unsigned n_gone; /* lines of statements that are no more */
static const char *lock_path;

/* Its question is the one that was proven. */
static bool same(const struct row *row)
{
	return strcmp(row->now, row->locked) == 0;
}

/* ---- the file ---- */

static void name_of_statement(const struct query *q, char name[NAME])
{
	snprintf(name, NAME, "%s %s %u", q->function, q->detail, q->width);
}

static bool is_statement(const char *name)
{
	unsigned n;
	const struct query *all = queries(&n);
	char one[NAME];
	for (unsigned i = 0; i < n; i++) {
		name_of_statement(&all[i], one);
		if (strcmp(one, name) == 0)
			return true;
	}
	return false;
}

static struct row *row_named(const char *name)
{
	for (unsigned i = 0; i < n_rows; i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

static void read_line(char *line, unsigned number)
{
	char *name = line + DIGITS + 1;
	line[strcspn(line, "\n")] = 0;
	if (!*line || *line == '#')
		return;
	if (strspn(line, "0123456789abcdef") != DIGITS || line[DIGITS] != ' ')
		give_up("%s:%u: not a line of the lock", lock_path, number);
	struct row *row = row_named(name);
	if (!row && is_statement(name))
		return; /* one that isn't asked for now */
	if (!row) {
		printf("z3: lock: there is no statement: %s\n", name);
		n_gone++;
		return;
	}
	if (*row->locked)
		give_up("%s:%u: %s has two lines", lock_path, number, name);
	memcpy(row->locked, line, DIGITS);
}

static void read_lock(void)
{
	char *line = NULL;
	size_t room = 0;
	FILE *f = fopen(lock_path, "r");
	if (!f && errno == ENOENT)
		return; /* then all is new */
	if (!f)
		give_up("%s: %s", lock_path, strerror(errno));
	for (unsigned number = 1; getline(&line, &room, f) > 0; number++)
		read_line(line, number);
	free(line);
	fclose(f);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct row *const *)a)->name, (*(struct row *const *)b)->name);
}

/* In the place of the old one when it is whole. */
void lock_write(void)
{
	struct row **sorted = calloc(n_rows + 1, sizeof(struct row *));
	char path[4096];
	snprintf(path, sizeof path, "%s.new", lock_path);
	FILE *f = fopen(path, "w");
	if (!f || !sorted)
		give_up("%s: %s", path, strerror(errno));
	for (unsigned i = 0; i < n_rows; i++)
		sorted[i] = &rows[i];
	qsort(sorted, n_rows, sizeof(struct row *), by_name);
	fprintf(f, "# SPDX-License-Identifier: Apache-2.0\n"
		   "# Statements that Z3 has proven, and the SHA-256 of what it was asked (tests/z3/lock.c).\n"
		   "# Written by: make lock\n");
	for (unsigned i = 0; i < n_rows; i++) {
		if (sorted[i]->proven || (same(sorted[i]) && !sorted[i]->drawn))
			fprintf(f, "%s %s\n", sorted[i]->now, sorted[i]->name);
	}
	free(sorted);
	if (fclose(f) || rename(path, lock_path))
		give_up("%s: %s", path, strerror(errno));
}

/* ---- the questions ---- */

/* By the program sha256sum, into `out`. */
static void hash_question(const struct query *q, FILE *out)
{
	dup2(fileno(out), STDOUT_FILENO);
	FILE *sum = popen("sha256sum", "w");
	if (!sum)
		give_up("sha256sum: %s", strerror(errno));
	fprintf(sum, "Z3 %s\nasked by %s\n", Z3_get_full_version(), WARD_Z3_ASKED_BY);
	ask(q);
	question_write(sum);
	if (ferror(sum) || pclose(sum))
		give_up("sha256sum: it failed");
}

struct asker {
	pid_t pid;
	struct row *row;
	FILE *out;
};

static void begin(struct asker *a, const struct query *q, struct row *row)
{
	*a = (struct asker){.row = row, .out = tmpfile(), .pid = -1};
	fflush(stdout);
	if (a->out)
		a->pid = fork();
	if (a->pid < 0)
		give_up("no process: %s", strerror(errno));
	if (a->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	hash_question(q, a->out);
	_exit(0);
}

static void end(struct asker *a)
{
	int status;
	if (waitpid(a->pid, &status, 0) != a->pid || status)
		give_up("%s: its question can't be asked", a->row->name);
	rewind(a->out);
	if (fread(a->row->now, 1, DIGITS, a->out) != DIGITS || strspn(a->row->now, "0123456789abcdef") != DIGITS)
		give_up("%s: sha256sum said nothing", a->row->name);
	fclose(a->out);
	a->pid = 0;
}

static void ask_all(const struct query *list, unsigned jobs)
{
	struct asker *askers = calloc(jobs, sizeof *askers);
	if (!askers)
		give_up("no memory");
	for (unsigned i = 0; i < n_rows + jobs; i++) {
		struct asker *a = &askers[i % jobs];
		if (a->pid)
			end(a);
		if (i < n_rows)
			begin(a, &list[i], &rows[i]);
	}
	free(askers);
}

/* ---- what is to be proven ---- */

void lock_open(const char *path, const struct query *list, unsigned n, unsigned jobs, unsigned seed)
{
	lock_path = path;
	n_rows = n;
	rows = calloc(n, sizeof *rows);
	if (!rows)
		give_up("no memory");
	for (unsigned i = 0; i < n; i++)
		name_of_statement(&list[i], rows[i].name);
	ask_all(list, jobs);
	read_lock();
	for (unsigned i = 0; i < n; i++) {
		struct row *row = &rows[i];
		row->drawn = same(row) && (i + seed) % DRAWN == 0;
		n_drawn += row->drawn;
		n_changed += !same(row);
		if (!same(row))
			printf("z3: lock: %s: %s\n",
				*row->locked ? "another question than was proven" : "a new statement", row->name);
	}
	printf("z3: lock: %u of %u statements are what was proven; the others are proven now, and %u of the same, "
	       "drawn with seed %u\n",
		n - n_changed, n, n_drawn, seed);
}

bool lock_wants(unsigned i)
{
	return !same(&rows[i]) || rows[i].drawn;
}

void lock_proven(unsigned i)
{
	rows[i].proven = true;
}

bool lock_agrees(void)
{
	if (n_changed + n_gone == 0)
		return true;
	fprintf(stderr,
		"ward: proofs: %u statements differ from %s\nhint: if all are proven, write it anew with: make lock\n",
		n_changed + n_gone, lock_path);
	return false;
}
