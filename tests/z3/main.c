/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proofs about the verifier's arithmetic (num.c, bit_count.c, mul_div.c, flags.c, distance.c, state.c, quotient.c,
 * multiples.c, ptr_from_int.c, rank.c, cost.c, table.c), for all inputs. Their bitcode is executed symbolically
 * (exec.h), and Z3 searches for an input for which a statement (statement.h) fails. If there is none, the statement
 * is proven.
 *
 * What a row of the table says:
 *
 * - function, operation, width: whatever numbers within num.h's invariant go in, and whatever values they contain,
 *   the resulting number contains what the processor computes of those values, and keeps the invariant. A branch
 *   refinement loses no value for which the condition holds, and calls no branch impossible that can be taken.
 *   Nothing happens that C leaves undefined. Values always have 64 bits; the width is that of the instruction. No row
 *   is proven at a lesser width in place of a greater one.
 * - law: a statement over the integers, so of any width, that the rows rest on: facts about products, quotients and
 *   remainders of two unknowns, which no solver decides at 64 × 64 bits (arith.h). gcd and the laws of bits are
 *   proven by induction: Z3 decides the step.
 *
 * Helpers of num.c and mul_div.c have rows of their own. Where one function with a row calls another, the callee's
 * statement stands in for it (summaries.c), and a goal is that the call satisfies what the statement presupposes.
 * Calls aren't circular, so proofs aren't either.
 *
 * Facts about the values of a state (distance.c, state.c, quotient.c, multiples.c): the heads of distance.c,
 * quotient.c, scaled.c and addresses.c in statements/ say what each promises. A row proves that its function keeps
 * its promise, given the promises of all others.
 *
 * The transfer functions (transfer.c; sums with a carry, carries.c; sums of values and addresses, values.c): what an
 * instruction does to a state, form by form, compared with what the processor does (machine.c), given the promises of
 * operations on numbers.
 *
 * Memory (stack.c, slots.c, access.c): what loads, stores, push and pop make of the state's stack, compared with the
 * stack's bytes, at any offset, and blocks of any length; and that what is accessed lies in its region.
 *
 * String instructions (strings.c): registers and flags as for other instructions; and the memory blocks that are
 * checked are those that the processor accesses.
 *
 * Tables of constants (tables.c): what a load finds in read-only data lies between the table's bounds, at whichever
 * of its offsets the load is.
 *
 * Jumps through tables (jumps.c): the machine goes to one of the listed targets, whatever the table holds and however
 * long it is.
 *
 * What is tested of any instruction (preconditions.c): that the processor has it, and that what must be aligned is.
 *
 * engine/ has Z3's terms and executes bitcode into them; model/ has numbers, the machine and the state as terms;
 * statements/ has what is proven. This folder asks Z3, and keeps the account and the lock.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "account.h"
#include "tests/z3/engine/arith.h"
#include "lock.h"
#include "prove.h"

static const char *const outcome_name[] = {"proven", "REFUTED", "NOT DECIDED"};

static struct {
	const char *only;    /* rows that contain this */
	const char *reasons; /* account for all functions, with this file of reasons */
	bool damaged;
	bool names;           /* print them, and prove none */
	bool once;            /* for work on a proof: what is not proven at once stays so */
	bool quick;           /* without those that take long */
	bool slow;            /* only those */
	unsigned part, parts; /* only each so manieth of them, from this one on */
	const char *lock;     /* prove what differs from this file, and some of the rest */
	bool write;           /* … and write it anew */
	unsigned seed;        /* which */
	unsigned jobs;
	FILE *list; /* the rows once more */
} options = {.jobs = 2, .parts = 1};

/* ---- many ---- */

struct job {
	const struct query *q;
	enum exec_damage damage;
	bool again;     /* the second time */
	double seconds; /* that the first one took */
	pid_t pid;
	FILE *out; /* what the process has to say */
};

static const struct query *statements;
static struct job *jobs;
static struct {
	unsigned n[3], left, open;
	double seconds;
} total;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	va_start(args, format);
	if (options.list)
		vfprintf(options.list, format, args);
	va_end(args);
}

/* What is proven, of which kind, at which width. */
static void print_row(
	const char *name, const char *detail, const char *width, const char *outcome, double seconds, const char *words)
{
	say("%-22s %-10s %8s  %-11s %7.2f s%s%s\n", name, detail, width, outcome, seconds, *words ? "  " : "", words);
}

/* What Z3 has not decided, and the processor is asked about. */
static void print_open(const struct query *q, double seconds)
{
	char width[12];
	snprintf(width, sizeof width, "%u", q->width);
	print_row(q->function, q->detail, width, "open", seconds, "asked of the processor instead (ward-oracle)");
}

static void print_job(const struct job *job, enum outcome outcome, double seconds)
{
	char width[12] = "any", words[80] = "";
	if (job->q->width)
		snprintf(width, sizeof width, "%u", job->q->width);
	if (job->damage)
		snprintf(words, sizeof words, "if %s", exec_damage_name[job->damage]);
	print_row(job->q->function, job->q->detail, width, outcome_name[outcome], seconds, words);
}

static void print_file(FILE *f)
{
	char line[4096];
	rewind(f);
	while (fgets(line, sizeof line, f))
		fputs(line, stdout);
}

static void begin(struct job *job, const struct query *q, enum exec_damage damage, bool again)
{
	*job = (struct job){
		.q = q, .damage = damage, .again = again, .seconds = job->seconds, .pid = -1, .out = tmpfile()};
	fflush(stdout);
	if (options.list)
		fflush(options.list);
	if (job->out)
		job->pid = fork();
	if (job->pid < 0)
		give_up("no process: %s", strerror(errno));
	if (job->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	exec_damage = damage;
	enum outcome outcome = decide(q, again, job->out);
	fflush(job->out);
	_exit(10 + (int)outcome);
}

static void end(struct job *job, int status, const struct rusage *used)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) - 10 : -1;
	enum outcome outcome = code >= PROVEN && code <= UNDECIDED ? (enum outcome)code : UNDECIDED;
	double seconds = job->seconds + (double)used->ru_utime.tv_sec + (double)used->ru_utime.tv_usec / 1e6;
	bool open = code == UNDECIDED && job->q->takes_long && !job->damage; /* not if the process failed */
	if (outcome == UNDECIDED && !open && !job->again && !prove_options.goal && !options.once) {
		fclose(job->out);
		job->seconds = seconds;
		begin(job, job->q, job->damage, true);
		return;
	}
	total.seconds += seconds;
	if (open) {
		total.open++;
		print_open(job->q, seconds);
	} else {
		total.n[outcome]++;
		print_job(job, outcome, seconds);
		if (options.lock && outcome == PROVEN)
			lock_proven((unsigned)(job->q - statements));
		if (options.write)
			lock_write(); /* what is proven stays so if this is broken off */
	}
	if (job->damage || (outcome != PROVEN && !open))
		print_file(job->out);
	if (WIFSIGNALED(status))
		printf("  the process ended with signal %d\n", WTERMSIG(status));
	fclose(job->out);
	*job = (struct job){0};
}

static void wait_for_one(void)
{
	struct rusage used;
	int status;
	pid_t pid = wait4(-1, &status, 0, &used);
	for (unsigned i = 0; i < options.jobs; i++) {
		if (pid > 0 && jobs[i].pid == pid)
			end(&jobs[i], status, &used);
	}
}

static struct job *free_job(void)
{
	for (;;) {
		for (unsigned i = 0; i < options.jobs; i++) {
			if (!jobs[i].pid)
				return &jobs[i];
		}
		wait_for_one();
	}
}

static void wait_for_all(void)
{
	for (unsigned i = 0; i < options.jobs; i++) {
		while (jobs[i].pid)
			wait_for_one();
	}
}

static bool named(const struct query *q, const char *name)
{
	char row[100];
	snprintf(row, sizeof row, "%s %s %u", q->function, q->detail, q->width);
	return strstr(row, name) != NULL;
}

static void print_names(const struct query *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		printf("%s %s %u%s\n", list[i].function, list[i].detail, list[i].width,
			list[i].takes_long ? " (left to a soak)" : "");
}

/* Those that the options ask for. */
static const struct query *chosen(const struct query *list, unsigned *n)
{
	struct query *some = calloc(*n, sizeof *some);
	unsigned n_some = 0;
	if (!some)
		give_up("no memory");
	for (unsigned i = 0; i < *n; i++) {
		if (options.only && !named(&list[i], options.only))
			continue;
		if (i % options.parts != options.part)
			continue;
		if (options.quick && list[i].takes_long)
			total.left++;
		else if (!options.slow || list[i].takes_long)
			some[n_some++] = list[i];
	}
	*n = n_some;
	return some;
}

static void decide_all(const struct query *list, unsigned n)
{
	statements = list;
	if (options.lock)
		lock_open(options.lock, list, n, options.jobs, options.seed);
	for (unsigned i = 0; i < n; i++) {
		if (!options.lock || lock_wants(i))
			begin(free_job(), &list[i], DAMAGE_NONE, false);
	}
	wait_for_all();
}

/* ---- the proofs' own tests ---- */

/* A program damaged in one way, and a statement that it makes false. */
static const struct {
	enum exec_damage damage;
	const char *row;
} damages[] = {
	{DAMAGE_UADD, "add64"},
	{DAMAGE_USUB, "sub64"},
	{DAMAGE_SADD, "add64"},
	{DAMAGE_SSUB, "sub64"},
	{DAMAGE_UMUL, "mul64"},
	{DAMAGE_SMUL, "mul64"},
	{DAMAGE_CTTZ, "align_ends"},
	{DAMAGE_CTLZ, "learn_bits  64"},
	{DAMAGE_SEXT, "sync_32"},
	{DAMAGE_ASHR, "sar64"},
	{DAMAGE_XOR, "learn_bits  32"},
	{DAMAGE_UGT, "wv_num_assume be 64"},
	{DAMAGE_CTPOP, "wv_num_popcnt  64"},
	{DAMAGE_UDIV, "wv_num_divide div 64"},
	{DAMAGE_EQ, "comparison_of add 64"},
	{DAMAGE_ULE, "is_comparable  64"},
	{DAMAGE_ULE, "assume_distance  32"},
	{DAMAGE_SUB, "assume_order signed 64"},
	{DAMAGE_UADD, "saturated_sum"},
	{DAMAGE_UMUL, "saturated_product"},
	{DAMAGE_ULE, "wv_read_reg r (n?) 32"},
	{DAMAGE_EQ, "wv_step_xadd xadd r, r 8"},
	{DAMAGE_EQ, "wv_step_add_sub add r, r 8"},
	{DAMAGE_EQ, "with_carry sbb, 0 64"},
	{DAMAGE_EQ, "wv_address b (n?)"},
	{DAMAGE_REGISTER, "wv_step_mov mov r, i 64"},
	/* another slot than the one that is meant */
	{DAMAGE_SUB, "slot_of"},
	{DAMAGE_SUB, "wv_state_slot"},
	{DAMAGE_SUB, "bytes_set"},
	{DAMAGE_SUB, "store_inexact"},
	/* a value is kept in spite of a store in its midst */
	{DAMAGE_FORGET, "store_inexact"},
	{DAMAGE_FORGET, "smudge_bytes"},
	/* any place is taken for that of a whole slot; any address for a known one */
	{DAMAGE_EQ, "store_exact  64"},
	{DAMAGE_EQ, "load_from_slot  64"},
	{DAMAGE_EQ, "load_stack  64"},
	/* any pointer is taken for one to the stack; a place is one byte off */
	{DAMAGE_EQ, "wv_load  64"},
	{DAMAGE_SUB, "wv_store  64"},
	{DAMAGE_SUB, "wv_pop  64"},
	{DAMAGE_SUB, "wv_move_stack"},
	{DAMAGE_EQ, "wv_write_reg rsp"},
	{DAMAGE_SUB, "wv_step_leave"},
	/* a product is bounded by nothing; a block is too short */
	{DAMAGE_TOO_WIDE, "mul64"},
	{DAMAGE_CUT, "rep stos 64"},
	{DAMAGE_CUT, "rep movs 32"},
	/* bytes that aren't set are loaded, and those below the frame stored to */
	{DAMAGE_SLT, "wv_load_block"},
	{DAMAGE_SLT, "wv_store_block"},
	{DAMAGE_SLT, "wv_store_bytes"},
	/* any two registers are taken for one; the other half is taken */
	{DAMAGE_EQ, "wv_step_vector_idiom pxor x, x 128"},
	{DAMAGE_EQ, "wv_step_vector_cross"},
	{DAMAGE_EQ, "wv_step_vector_half m, x 64"},
	/* a register is taken for memory; the greatest number is none */
	{DAMAGE_EQ, "wv_step_vector_scalar x, x 32"},
	{DAMAGE_SUB, "wv_step_vector_mask"},
	{DAMAGE_SUB, "wv_step_vector_extract"},
	/* any alignment is known; no feature is missing */
	{DAMAGE_EQ, "wv_check_aligned"},
	{DAMAGE_EQ, "wv_check_locked  32"},
	{DAMAGE_EQ, "wv_note_alignment  32"},
	{DAMAGE_NE, "check_feature"},
	{DAMAGE_SUB, "stride_of"},
	{DAMAGE_SUB, "steps_of"}, /* there is no step; the first offset is another one */
	/* the sign is lost; a bit is lost */
	{DAMAGE_XOR, "wv_table_constants  8"},
	{DAMAGE_MUL, "wv_constants_unsigned  8"},
	/* any value is the entry; the base is another one; the last entry isn't counted; entries have no sign */
	{DAMAGE_EQ, "wv_table_extended"},
	{DAMAGE_SUB, "wv_table_targets"},
	{DAMAGE_SUB, "wv_table_length"},
	{DAMAGE_SEXT, "wv_table_next"},
};

static void refute_damaged(const struct query *list, unsigned n)
{
	for (unsigned d = options.part; d < sizeof damages / sizeof damages[0]; d += options.parts) {
		for (unsigned i = 0; i < n; i++) {
			if (named(&list[i], damages[d].row) && (!options.only || named(&list[i], options.only)))
				begin(free_job(), &list[i], damages[d].damage, true);
		}
	}
	wait_for_all();
}

/* ---- laws ---- */

static Z3_lbool decide_law(const struct law *law)
{
	Z3_solver s = Z3_mk_simple_solver(z3);
	Z3_solver_inc_ref(z3, s);
	Z3_params p = Z3_mk_params(z3);
	Z3_params_inc_ref(z3, p);
	Z3_params_set_uint(z3, p, Z3_mk_string_symbol(z3, "rlimit"), 20000000);
	Z3_solver_set_params(z3, s, p);
	Z3_params_dec_ref(z3, p);
	Z3_solver_assert(z3, s, law->refutation());
	Z3_lbool r = Z3_solver_check(z3, s);
	Z3_solver_dec_ref(z3, s);
	return r;
}

static void prove_laws(void)
{
	for (unsigned i = 0; i < n_laws && (!options.only || options.lock); i++) {
		double start = seconds_used();
		Z3_lbool r = decide_law(&laws[i]);
		enum outcome outcome = r == Z3_L_FALSE ? PROVEN : r == Z3_L_TRUE ? REFUTED : UNDECIDED;
		total.n[outcome]++;
		total.seconds += seconds_used() - start;
		print_row(
			"law", laws[i].name, "integers", outcome_name[outcome], seconds_used() - start, laws[i].words);
	}
}

/* ---- the command line ---- */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'a': options.reasons = arg; break;
	case 'd': options.damaged = true; break;
	case 'e': prove_options.effort = (unsigned)atoi(arg); break;
	case 'g': prove_options.goal = arg; break;
	case 'j': options.jobs = (unsigned)atoi(arg); break;
	case 'l':
		if (!(options.list = fopen(arg, "w")))
			give_up("%s: %s", arg, strerror(errno));
		break;
	case 'o': options.only = arg; break;
	case 'k': options.lock = arg; break;
	case 'n': options.names = true; break;
	case 'O': options.once = true; break;
	case 'q': options.quick = true; break;
	case 'p':
		if (sscanf(arg, "%u/%u", &options.part, &options.parts) != 2 || options.part >= options.parts)
			argp_error(state, "%s: not a part, as 0/6", arg);
		break;
	case 'r': exec_read_other(arg); break;
	case 'S': options.seed = (unsigned)strtoul(arg, NULL, 0); break;
	case 'w': options.write = true; break;
	case 's': options.slow = true; break;
	case 'v': prove_options.verbose = true; break;
	case ARGP_KEY_ARG: exec_read(arg); break;
	case ARGP_KEY_NO_ARGS: argp_usage(state); break;
	case ARGP_KEY_END:
		if (options.write && (!options.lock || options.only || options.slow || options.parts > 1))
			argp_error(state, "a lock is written of all statements");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return options.jobs && prove_options.effort && prove_options.effort < MOST_EFFORT ? 0 : EINVAL;
}

static const struct argp_option argp_options[] = {
	{"account", 'a', "REASONS", 0,
		"Prove nothing: account for each function, by its row, by those in which it runs, or by the file "
		"REASONS",
		0},
	{"rest", 'r', "BITCODE", 0, "Other functions to account for", 0},
	{"damaged", 'd', NULL, 0, "Damage the program in known ways; each must be refuted", 0},
	{"only", 'o', "ROW", 0, "Only rows that contain ROW, as \"wv_num_shift shl 64\"", 0},
	{"names", 'n', NULL, 0, "Print the statements, those that --quick leaves out as such, and prove none", 0},
	{"once", 'O', NULL, 0, "Don't try again what is not proven at once; for work on a proof", 0},
	{"quick", 'q', NULL, 0, "Leave out the statements that take longest, and say how many", 0},
	{"slow", 's', NULL, 0, "Only the statements that --quick leaves out, to complete such a run", 0},
	{"part", 'p', "I/N", 0, "Only part I of N, counted from 0", 0},
	{"lock", 'k', "FILE", 0,
		"Prove what differs from the lock FILE, and a twentieth of the rest; the lock must be right", 0},
	{"seed", 'S', "N", 0, "Which twentieth; else WARD_LOCK_SEED says so, or the clock", 0},
	{"write", 'w', NULL, 0, "Write the lock anew, of what is proven", 0},
	{"list", 'l', "FILE", 0, "Also write the table to FILE", 0},
	{"goal", 'g', "GOAL", 0, "Only goals that contain GOAL; for work on a proof", 0},
	{"effort", 'e', "N", 0, "Give up a goal after N million steps of the solver", 0},
	{"jobs", 'j', "N", 0, "So many processes", 0},
	{"verbose", 'v', NULL, 0, "Print each goal", 0},
	{0},
};

/* False: not all is as it should be. */
static bool sum_up(void)
{
	unsigned all = total.n[PROVEN] + total.n[REFUTED] + total.n[UNDECIDED],
		 good = total.n[options.damaged ? REFUTED : PROVEN];
	if (options.damaged)
		say("z3: %u of %u damaged programs refuted; %.0f s of processor time\n", good, all, total.seconds);
	else
		say("z3: %u of %u proven, %u refuted, %u not decided; %.0f s of processor time\n", good, all,
			total.n[REFUTED], total.n[UNDECIDED], total.seconds);
	if (total.open)
		say("z3: %u more are open\n", total.open);
	if (total.left && !options.lock)
		say("z3: these are %u of %u statements; the others take longest, and are left to a soak\n", all,
			all + total.left + total.open);
	return all && good == all;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "BITCODE...",
		"Prove the operations on abstract numbers sound for all inputs.", NULL, NULL, NULL};
	const char *seed = getenv("WARD_LOCK_SEED");
	setvbuf(stdout, NULL, _IOLBF, 0);
	options.seed = seed ? (unsigned)strtoul(seed, NULL, 0) : (unsigned)time(NULL);
	term_begin();
	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	jobs = calloc(options.jobs, sizeof *jobs);
	unsigned n;
	const struct query *list = queries(&n);
	if (options.reasons)
		return !account(list, n, options.reasons, options.jobs);
	if (!options.damaged)
		list = chosen(list, &n);
	if (options.names) {
		print_names(list, n);
		return 0;
	}
	if (options.damaged) {
		refute_damaged(list, n);
	} else {
		prove_laws();
		decide_all(list, n);
	}
	bool good = sum_up();
	if (options.lock && options.write)
		lock_write();
	else if (options.lock)
		good = lock_agrees() && good;
	return !good;
}
