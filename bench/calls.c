/*
 * What a traced call costs.
 *
 * For each probe a child process is forked and the probe attached to one function of it, traced(), as to any live process. The child then times three
 * tight loops of calls in turn, again and again: to a function that isn't traced, to the same with a counter written by hand in the source (a
 * thread-local increment, what a programmer would do), and to the traced one. The three functions have the same body. Interleaving spreads what
 * disturbs the machine over all three; medians and quartiles are of CPU time. The probe's count must be exact, or the figures would mean nothing.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "ward/ward.h"

enum { REPETITIONS = 101, CALLS = 400000, LOOPS = 3 };

/* ---- The target ------------------------------------------------------------------------------------------------------------ */

#ifdef __clang__
#define TARGET __attribute__((noinline, used, aligned(64)))
#else
#define TARGET __attribute__((noinline, noclone, used, aligned(64)))
#endif

static __thread uint64_t by_hand_count;

TARGET uint64_t untraced(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

TARGET uint64_t by_hand(uint64_t x)
{
	by_hand_count++;
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

TARGET uint64_t traced(uint64_t x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

/* The same machine code for each of them: the function's address is not known to the compiler. */
static double time_loop(uint64_t (*volatile function)(uint64_t))
{
	uint64_t (*f)(uint64_t) = function, before = cpu_time();
	for (uint64_t i = 0; i < CALLS; i++) {
		uint64_t r = f(i);
		__asm__ volatile("" : : "r"(r));
	}
	return (double)(cpu_time() - before) / CALLS;
}

struct shared {
	_Atomic int go;
	double ns[LOOPS][REPETITIONS];
};

static _Noreturn void target(struct shared *s)
{
	static uint64_t (*const loops[LOOPS])(uint64_t) = {untraced, by_hand, traced};
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	while (!atomic_load(&s->go))
		usleep(1000);
	for (unsigned i = 0; i < REPETITIONS; i++)
		for (unsigned k = 0; k < LOOPS; k++) /* each takes each place in turn */
			s->ns[(i + k) % LOOPS][i] = time_loop(loops[(i + k) % LOOPS]);
	_exit(by_hand_count == (uint64_t)REPETITIONS * CALLS ? 0 : 1);
}

/* ---- One probe --------------------------------------------------------------------------------------------------------------------- */

/* The first word of every thread's state, which is the probe's count of calls. */
static uint64_t counted(ward_session *session)
{
	const void *const *states;
	size_t size, n = ward_session_states(session, &states, &size);
	uint64_t sum = 0, one;
	for (size_t i = 0; i < n; i++) {
		memcpy(&one, states[i], sizeof(one));
		sum += one;
	}
	return sum;
}

static void print_rows(const char *probe, struct shared *s)
{
	struct spread x[LOOPS];
	for (unsigned k = 0; k < LOOPS; k++)
		x[k] = spread_of(s->ns[k], REPETITIONS);
	const char *names[LOOPS] = {"untraced", "counter by hand", "traced"};
	for (unsigned k = 0; k < LOOPS; k++) {
		double added = x[k].median - x[0].median;
		printf("%-12s %-16s %8.2f %8.2f – %-8.2f %+8.2f %10.2f %10.2f\n", k ? "" : base_name(probe), names[k], x[k].median, x[k].low,
			x[k].high, added, x[k].median / x[0].median, x[k].median / x[1].median);
	}
}

static bool run_target(pid_t pid, const struct ward_buf *module, struct shared *s, const char *probe)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = "ward-bench!traced"};
	struct ward_error error = {0};
	ward_session *session;
	int status = -1;
	if (ward_attach(pid, module->data, module->size, &options, &session, &error)) {
		fprintf(stderr, "ward: %s: %s\nhint: %s\n", error.what, error.why, error.hint);
		return false;
	}
	atomic_store(&s->go, 1);
	bool ended = waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	uint64_t count = counted(session), made = (uint64_t)REPETITIONS * CALLS;
	ward_session_free(session);
	if (ended && count == made)
		return true;
	fprintf(stderr, "ward: %s: counted %lu of %lu calls; the target %s\n", base_name(probe), (unsigned long)count, (unsigned long)made,
		ended ? "ended well" : "did not end well");
	return false;
}

static bool bench_probe(const char *probe)
{
	struct ward_buf module;
	if (!compile(probe, &module))
		return false;
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED) {
		free(module.data);
		return false;
	}
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		target(s);
	bool ok = pid > 0 && run_target(pid, &module, s, probe);
	if (!ok && pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	if (ok)
		print_rows(probe, s);
	munmap(s, sizeof(*s));
	free(module.data);
	return ok;
}

bool bench_calls(const char *const *probes, unsigned n)
{
	printf("A call in a tight loop: CPU time, median and quartiles of %d repetitions of %d calls, the three loops interleaved.\n"
	       "Ratios are of medians. A counter by hand can hide in the time that the call itself takes; a probe is a call more.\n\n",
		REPETITIONS, CALLS);
	printf("%-12s %-16s %8s %19s %8s %10s %10s\n", "probe", "call", "ns", "quartiles, ns", "added", "x untraced", "x by hand");
	bool ok = true;
	for (unsigned i = 0; i < n; i++)
		ok = bench_probe(probes[i]) && ok;
	return ok;
}
