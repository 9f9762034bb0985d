/*
 * Proofs about verifier/num.c and verifier/flags.c, for all inputs: their bitcode is executed symbolically (exec.h), and Z3 is asked for an
 * input for which a statement (statement.h) fails. There being none is a proof.
 *
 * A model that Z3 finds may owe its existence to what summaries and laws leave out. So it is replayed: the same functions are executed on
 * its numbers, wholly, with real arithmetic. Only what fails then is called refuted; the rest is called not decided. Either fails the run.
 *
 * Each statement is proven in a process of its own, two at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arith.h"
#include "statement.h"

enum outcome { PROVEN, REFUTED, UNDECIDED };

static struct {
	unsigned effort; /* for one goal, in millions of the solver's steps: not time, so that the outcome is the same everywhere */
	const char *goal; /* for work on a proof: only goals whose names contain this; then nothing counts as proven */
	const char *only; /* functions whose names contain this */
	bool verbose;
	unsigned jobs;
} options = {.effort = 200, .jobs = 2};

static const char *const outcome_name[] = {"proven", "REFUTED", "NOT DECIDED"};

/* ---- one statement ---- */

/* Run it all on the model's numbers. */
static bool confirmed(const struct query *q, Z3_model model, FILE *out)
{
	fprintf(out, "  at");
	term_replay(model, out);
	fputc('\n', out);
	begin_statement();
	q->build(q);
	bool hold = is_true(Z3_simplify(z3, all_facts()));
	for (unsigned i = 0; hold && i < n_goals; i++) {
		if (is_false(Z3_simplify(z3, goals[i].t))) {
			fprintf(out, "  replayed: fails (%s)\n", goals[i].name);
			return true;
		}
	}
	fprintf(out, "  replayed: %s; the model owes itself to what a summary or a law leaves out\n", hold ? "holds" : "no valid input");
	return false;
}

static double seconds_used(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec / 1e6;
}

static enum outcome decide(const struct query *q, FILE *out)
{
	begin_statement();
	q->build(q);
	arith_laws();
	Z3_model model;
	unsigned all = n_goals;
	for (unsigned i = 0; i < all; i++) {
		if (options.goal && !strstr(goals[i].name, options.goal))
			continue;
		double start = seconds_used();
		unsigned rounds;
		Z3_lbool r = refute(goals[i].t, options.effort, &model, &rounds);
		if (options.verbose)
			fprintf(stderr, "  %-40s %s %.2f s, %u rounds\n", goals[i].name, r == Z3_L_FALSE ? "proven" : r == Z3_L_TRUE ? "model" : "unknown", seconds_used() - start, rounds);
		if (r == Z3_L_FALSE) {
			assume(goals[i].t);
			continue;
		}
		fprintf(out, "  %s: %s\n", goals[i].name, r == Z3_L_TRUE ? "there is a model" : "no answer in time");
		return r == Z3_L_TRUE && confirmed(q, model, out) ? REFUTED : UNDECIDED;
	}
	return options.goal ? UNDECIDED : PROVEN;
}

/* ---- many ---- */

struct job {
	const struct query *q;
	pid_t pid;
	FILE *out; /* what the process has to say */
};

static struct {
	unsigned n[3];
	double seconds;
} total;

static void print_row(const struct query *q, enum outcome outcome, double seconds)
{
	char width[12] = "any";
	if (q->width)
		snprintf(width, sizeof width, "%u", q->width);
	printf("%-20s %-6s %5s  %-11s %7.2f s\n", q->function, q->detail, width, outcome_name[outcome], seconds);
}

static void begin(struct job *job, const struct query *q)
{
	job->q = q;
	job->out = tmpfile();
	fflush(stdout);
	job->pid = job->out ? fork() : -1;
	if (job->pid < 0)
		give_up("no process: %s", strerror(errno));
	if (job->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	enum outcome outcome = decide(q, job->out);
	fflush(job->out);
	_exit(10 + (int)outcome);
}

static void end(struct job *job, int status, const struct rusage *used)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) - 10 : -1;
	enum outcome outcome = code >= PROVEN && code <= UNDECIDED ? (enum outcome)code : UNDECIDED;
	double seconds = (double)used->ru_utime.tv_sec + (double)used->ru_utime.tv_usec / 1e6;
	char line[4096];
	total.n[outcome]++;
	total.seconds += seconds;
	print_row(job->q, outcome, seconds);
	if (code < PROVEN || code > UNDECIDED)
		printf("  the process ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	rewind(job->out);
	while (fgets(line, sizeof line, job->out))
		fputs(line, stdout);
	fclose(job->out);
	*job = (struct job){0};
}

static void wait_for_one(struct job *jobs)
{
	struct rusage used;
	int status;
	pid_t pid = wait4(-1, &status, 0, &used);
	for (unsigned i = 0; i < options.jobs; i++) {
		if (pid > 0 && jobs[i].pid == pid)
			end(&jobs[i], status, &used);
	}
}

static struct job *free_job(struct job *jobs)
{
	for (;;) {
		for (unsigned i = 0; i < options.jobs; i++) {
			if (!jobs[i].pid)
				return &jobs[i];
		}
		wait_for_one(jobs);
	}
}

/* The option -o selects by part of a row's beginning, as "wv_num_shift shl 64". */
static bool wanted(const struct query *q)
{
	char row[100];
	snprintf(row, sizeof row, "%s %s %u", q->function, q->detail, q->width);
	return !options.only || strstr(row, options.only);
}

static void decide_all(const struct query *list, unsigned n)
{
	struct job jobs[8] = {{0}};
	for (unsigned i = 0; i < n; i++) {
		if (wanted(&list[i]))
			begin(free_job(jobs), &list[i]);
	}
	for (unsigned i = 0; i < options.jobs; i++) {
		while (jobs[i].pid)
			wait_for_one(jobs);
	}
}

int main(int argc, char **argv)
{
	int c;
	while ((c = getopt(argc, argv, "o:t:vd:j:g:")) != -1) {
		switch (c) {
		case 'o': options.only = optarg; break;
		case 'g': options.goal = optarg; break;
		case 't': options.effort = (unsigned)atoi(optarg); break;
		case 'v': options.verbose = true; break;
		case 'j': options.jobs = (unsigned)atoi(optarg) % 9; break;
		case 'd': exec_damage = (enum exec_damage)atoi(optarg); break;
		default: return 2;
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	term_begin();
	for (; optind < argc; optind++)
		exec_read(argv[optind]);
	unsigned n;
	const struct query *list = queries(&n);
	decide_all(list, n);
	printf("z3: %u proven at 64 bits, %u refuted, %u not decided; %.0f s\n", total.n[PROVEN], total.n[REFUTED], total.n[UNDECIDED], total.seconds);
	return total.n[REFUTED] || total.n[UNDECIDED];
}
