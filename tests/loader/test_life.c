/* SPDX-License-Identifier: Apache-2.0 */
/* What killed tracers leave, and who takes it off; several tracers at once; processes that come and go. */
#include "helper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A tracer in a process of its own. Returns when it has attached. */
static pid_t tracer_start(pid_t target, const char *module, const char *site)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site};
	sigset_t end;
	int said[2];
	char c = 0;
	pid_t pid;

	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	cr_assert(pipe2(said, O_CLOEXEC) == 0 && sigprocmask(SIG_BLOCK, &end, NULL) == 0);
	pid = fork();
	if (pid == 0) {
		struct module m = module_read(module);
		struct ward_error err;
		ward_session *s;
		int sig;

		prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test fail */
		/*
		 * What a tracer that was killed has left on a stack may be in the way of the next one, for as long as
		 * it is there.
		 */
		for (int i = 0; i < 10 && c != 'y'; i++) {
			c = ward_attach(target, m.data, m.size, &options, &s, &err) == 0 ? 'y' : 'n';
			if (c != 'y')
				fprintf(stderr, "attach: %s: %s\n", err.what, err.why);
			if (c != 'y' && err.status == WARD_E_TARGET)
				usleep(10000);
			else
				break;
		}
		if (write(said[1], &c, 1) != 1 || c != 'y' || sigwait(&end, &sig))
			_exit(1);
		_exit(ward_detach(s, NULL) != 0);
	}
	close(said[1]);
	cr_assert(read(said[0], &c, 1) == 1 && c == 'y');
	close(said[0]);
	return pid;
}

static void tracer_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	cr_assert(waitpid(pid, NULL, 0) == pid);
}

static void tracer_end(pid_t pid)
{
	int status;

	kill(pid, SIGTERM);
	cr_assert(waitpid(pid, &status, 0) == pid && status == 0);
}

static struct told {
	int n, live, copied, freed;
	int64_t tracer;
	uint32_t places, restored;
	char reason[128];
} told;

static void tell(void *user, const struct ward_leftover *l)
{
	(void)user;
	told.n++;
	told.live += l->live;
	told.copied += l->copied;
	told.freed += l->freed;
	told.tracer = l->tracer;
	told.places += l->places;
	told.restored += l->restored;
	if (l->reason)
		snprintf(told.reason, sizeof(told.reason), "%s", l->reason);
}

static int clean(pid_t pid, bool live, struct ward_error *err)
{
	struct ward_cleanup_options options = {.size = sizeof(options), .live = live, .on_leftover = tell};

	memset(&told, 0, sizeof(told));
	return ward_cleanup(pid, &options, err);
}

/* The target's work, after which it must be as if nobody had been there. */
static void expect_right(struct target *t)
{
	char out[64];

	target_go(t);
	cr_expect_eq(target_finish(t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 2998000\n");
}

static void leave_and_clean(const char *program, const char *module, const char *site, unsigned places)
{
	struct target t = target_start(program, "calls", "2", "1000", NULL);
	pid_t tracer = tracer_start(t.pid, module, site);
	struct ward_error err;

	tracer_kill(tracer);
	cr_expect_gt(target_mappings(t.pid), 0);
	cr_expect_gt(target_changes(t.pid), 0);
	cr_expect(clean(t.pid, false, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect_eq(told.n, 1);
	cr_expect_eq(told.tracer, tracer);
	cr_expect(!told.live && !told.copied && told.freed);
	cr_expect_geq(told.places, places);
	cr_expect_eq(told.restored, told.places);
	expect_clean(t.pid);
	cr_expect(clean(t.pid, false, &err) == 0 && told.n == 0);
	expect_right(&t);
}

Test(life, what_a_killed_tracer_leaves_is_taken_off)
{
	leave_and_clean(TARGET, "exact", "target!work", 1);
}

Test(life, of_a_static_program)
{
	leave_and_clean(STATIC, "exact", "target-static!work", 1);
}

/* Caves, calls and combined sites among them, in a program and its C library: areas far from one another. */
Test(life, of_all_functions_that_there_are)
{
	leave_and_clean(TARGET, "exact", "target!*", 40);
	leave_and_clean(TARGET, "exact", "target!*:return", 40);
	leave_and_clean(TARGET, "clobber", "libc.so.6!*", 1000);
}

Test(life, nothing_is_there)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	struct ward_error err;

	cr_expect(clean(t.pid, true, &err) == 0 && told.n == 0);
	expect_right(&t);
	cr_expect_eq(clean(0x7fffffff, false, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "no such process");
}

Test(life, a_live_tracer_is_left_alone)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	struct ward_error err;

	cr_expect(clean(t.pid, false, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect(told.n == 1 && told.live == 1 && told.restored == 0 && told.freed == 0);
	cr_expect_eq(told.tracer, getpid());
	expect_right(&t);
	cr_expect_eq(exact_sum(s).calls, 2000);
	ward_session_free(s);
}

Test(life, unless_told_otherwise)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	struct ward_error err;

	cr_expect(clean(t.pid, true, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect(told.n == 1 && told.live == 1 && told.restored == 1 && told.freed == 0);
	cr_expect_eq(target_changes(t.pid), 0);
	cr_expect_gt(target_mappings(t.pid), 0); /* which the session may still look at */
	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	expect_clean(t.pid);
	expect_right(&t);
	cr_expect_eq(exact_sum(s).calls, 0);
	ward_session_free(s);
}

/* One tracer dies, and the one that was there before, or came after, goes on and misses nothing. */
static void one_of_two_dies(bool first)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	pid_t dies = 0;
	struct ward_error err;
	ward_session *s;

	if (first)
		dies = tracer_start(t.pid, "clobber", "target!work");
	s = attach(t.pid, "exact", NULL);
	if (!first)
		dies = tracer_start(t.pid, "clobber", "target!work");
	tracer_kill(dies);
	if (first) {
		/* Ours stands on its jump, so it can't be taken off yet. */
		cr_expect_eq(clean(t.pid, false, &err), WARD_E_TARGET);
		cr_expect_str_eq(err.why, "another tracer's probe was put over it");
		cr_expect(told.n == 2 && told.live == 1 && told.freed == 0);
	} else {
		cr_expect(clean(t.pid, false, &err) == 0, "%s: %s", err.what, err.why);
		cr_expect(told.n == 2 && told.live == 1 && told.freed == 1 && told.restored == 1);
	}
	target_go(&t);
	while (exact_sum(s).calls < 2000)
		pause_ms(1);
	close(t.in);
	cr_expect_eq(ward_detach(s, &err), 0);
	cr_expect_eq(exact_sum(s).calls, 2000);
	ward_session_free(s);
	t.in = -1;
	char out[64];
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "sum 2998000\n");
}

Test(life, the_first_of_two_tracers_dies)
{
	one_of_two_dies(true);
}

Test(life, the_second_of_two_tracers_dies)
{
	one_of_two_dies(false);
}

/* Whoever ends first must leave its jump and its code below the other's; the last one takes them along. */
static void ends_beside(bool first)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	ward_session *a = attach(t.pid, "exact", NULL), *b = attach(t.pid, "clobber", "target!work");

	cr_expect_eq(ward_detach(first ? a : b, NULL), 0);
	cr_expect_eq(ward_detach(first ? b : a, NULL), 0);
	expect_clean(t.pid);
	expect_right(&t);
	ward_session_free(a);
	ward_session_free(b);
}

Test(life, the_first_of_two_tracers_ends_first)
{
	ends_beside(true);
}

Test(life, the_second_of_two_tracers_ends_first)
{
	ends_beside(false);
}

/* What two tracers want of one function, and when one of them ends, by itself or killed. */
static const struct wish {
	const char *module, *site;
} wishes[] = {{"exact", "target!work"}, {"clobber", "target!work:return"}, {"exact", "target!work:return"},
	{"clobber", "target!work"}};
enum { N_WISHES = sizeof(wishes) / sizeof(wishes[0]) };

static void clean_up(pid_t pid)
{
	struct ward_error err;

	while (clean(pid, false, &err) != 0)
		cr_assert_str_eq(err.why, "a thread may be in its code still");
	expect_clean(pid);
}

/* `ends`: 0: neither, 1: the first, 2: the second. Whoever is there counts every call. */
static void two_on_one(const struct wish *one, const struct wish *two, unsigned ends)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	ward_session *a = attach(t.pid, one->module, one->site), *b = attach(t.pid, two->module, two->site);

	if (ends)
		cr_expect_eq(ward_detach(ends == 1 ? a : b, NULL), 0);
	expect_right(&t);
	cr_expect_eq(count_sum(a), ends == 1 ? 0 : 2000, "%s below %s", one->site, two->site);
	cr_expect_eq(count_sum(b), ends == 2 ? 0 : 2000, "%s over %s", two->site, one->site);
	ward_session_free(a);
	ward_session_free(b);
}

Test(life, two_on_one_function_at_either_end)
{
	for (unsigned i = 0; i < N_WISHES * N_WISHES * 3; i++)
		two_on_one(&wishes[i / 3 % N_WISHES], &wishes[i / 3 / N_WISHES], i % 3);
}

/* The other one counts on; or ends before the calls, and then everything is as it was. */
static void one_of_them_dies(const struct wish *one, const struct wish *two, bool first, bool ends)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	pid_t dies = first ? tracer_start(t.pid, one->module, one->site) : 0;
	ward_session *s = attach(t.pid, two->module, two->site);

	if (!first)
		dies = tracer_start(t.pid, one->module, one->site);
	tracer_kill(dies);
	if (ends) {
		cr_expect_eq(ward_detach(s, NULL), 0);
		clean_up(t.pid);
	}
	expect_right(&t);
	cr_expect_eq(count_sum(s), ends ? 0 : 2000, "%s with %s, which died", two->site, one->site);
	ward_session_free(s);
}

Test(life, two_on_one_function_of_which_one_dies)
{
	for (unsigned i = 0; i < N_WISHES * N_WISHES * 4; i++)
		one_of_them_dies(&wishes[i / 4 % N_WISHES], &wishes[i / 4 / N_WISHES], i & 1, i & 2);
}

/* Under way, in any order, at both ends of all functions that there are. */
Test(life, tracers_on_both_ends_in_any_order)
{
	static const char *const sites[] = {"target!work", "target!*:return", "target!*", "target!*:return"};
	struct target t = target_start(TARGET, "busy", "2", NULL);
	unsigned seed = 1;
	char out[64];

	for (unsigned i = 0; i < 16; i++) {
		pid_t tracers[4];

		for (unsigned k = 0; k < 4; k++)
			tracers[k] = tracer_start(
				t.pid, (i + k) % 2 ? "clobber" : "exact", sites[(i * (i % 2 ? 3 : 1) + k) % 4]);
		for (unsigned left = 4; left; left--) {
			unsigned k = (unsigned)rand_r(&seed) % left;

			if (rand_r(&seed) % 3 == 0)
				tracer_kill(tracers[k]);
			else
				tracer_end(tracers[k]);
			tracers[k] = tracers[left - 1];
		}
		clean_up(t.pid);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/*
 * Tracers in processes of their own, on one function and on others, that end in any order; what they leave together is
 * nothing.
 */
Test(life, several_tracers_beside_one_another)
{
	static const char *const sites[] = {"target!work", "target!use_string", "target!work", "target!*"};
	static const char order[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};
	struct target t = target_start(TARGET, "busy", "2", NULL);
	char out[64];

	for (unsigned i = 0; i < 8; i++) {
		pid_t tracers[4];

		for (unsigned k = 0; k < 4; k++)
			tracers[k] = tracer_start(t.pid, k % 2 ? "clobber" : "exact", sites[k]);
		for (unsigned k = 0; k < 4; k++) {
			pid_t one = tracers[(int)order[i % 4][k]];

			if ((i + k) % 3 == 0)
				tracer_kill(one);
			else
				tracer_end(one);
		}
		clean_up(t.pid);
	}
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* Several at once that attach and detach as fast as they can: they wait for one another, and none fails. */
Test(life, tracers_in_each_others_way)
{
	struct target t = target_start(TARGET, "busy", "2", NULL);
	struct module m = module_read("exact");
	pid_t tracers[3];
	struct ward_error err;
	char out[64];

	for (int i = 0; i < 3; i++) {
		tracers[i] = fork();
		for (int k = 0; tracers[i] == 0; k++) {
			ward_session *s;

			if (k == 15)
				_exit(0);
			if (ward_attach(t.pid, m.data, m.size, NULL, &s, &err) || ward_detach(s, &err)) {
				fprintf(stderr, "%s: %s\n", err.what, err.why);
				_exit(1);
			}
			ward_session_free(s);
		}
	}
	for (int i = 0; i < 3; i++) {
		int status;

		cr_expect(waitpid(tracers[i], &status, 0) == tracers[i] && status == 0);
	}
	free(m.data);
	while (clean(t.pid, false, &err) != 0)
		cr_assert_str_eq(err.why, "a thread may be in its code still");
	expect_clean(t.pid);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* Start and end of the first mapping of these rights and path, at these pages of the file. */
static bool find_mapping(pid_t pid, const char *rights, const char *name, unsigned long *start, unsigned long *end)
{
	char path[64], line[512];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, rights) && strstr(line, name) && sscanf(line, "%lx-%lx", start, end) == 2;
	if (f)
		fclose(f);
	return found;
}

static bool find_record(pid_t pid, unsigned long *start, unsigned long *end)
{
	return find_mapping(pid, "r--p 00000000 ", "/memfd:ward-code", start, end);
}

static int open_mem(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	cr_assert(fd >= 0);
	return fd;
}

/* As long as something on a stack may be a way back into the code, that stays. */
Test(life, code_that_a_thread_may_come_back_to_stays)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	pid_t tracer = tracer_start(t.pid, "exact", "target!work");
	unsigned long code, stack, end;
	uint64_t was, into;
	struct ward_error err;
	int mem = open_mem(t.pid);

	tracer_kill(tracer);
	cr_assert(find_mapping(t.pid, "r-xp 00001000 ", "/memfd:ward-code", &code, &end));
	cr_assert(find_mapping(t.pid, "rw-p ", "[stack]", &stack, &end));
	into = code + 8;
	end -= 64; /* among the strings of the environment */
	cr_assert(pread(mem, &was, 8, (off_t)end) == 8 && pwrite(mem, &into, 8, (off_t)end) == 8);
	cr_expect_eq(clean(t.pid, false, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "a thread may be in its code still");
	cr_expect(told.places == 1 && told.restored == 1 && told.freed == 0);
	cr_expect_eq(target_changes(t.pid), 0);
	cr_assert(pwrite(mem, &was, 8, (off_t)end) == 8);
	cr_expect_eq(clean(t.pid, false, &err), 0);
	cr_expect(told.places == 0 && told.freed == 1);
	expect_clean(t.pid);
	close(mem);
	expect_right(&t);
}

/* The record lies in the target: whatever stands there, who reads it comes to an end, and says so. */
Test(life, records_that_lie)
{
	unsigned seed = 11;

	for (int i = 0; i < 60; i++) {
		struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
		pid_t tracer = tracer_start(t.pid, "exact", i % 2 ? "target!*:return" : "target!work");
		unsigned long start, end;
		struct ward_error err;
		int mem = open_mem(t.pid), rc;

		tracer_kill(tracer);
		cr_assert(find_record(t.pid, &start, &end));
		for (int k = 0; k < 1 + i % 4; k++) {
			/* mostly at the beginning, where it says how much there is of what */
			unsigned at = (unsigned)rand_r(&seed) % (k % 2 ? 4096 : 256);
			uint64_t lie = (unsigned)rand_r(&seed) % 3
					       ? (uint64_t)rand_r(&seed) << (unsigned)rand_r(&seed) % 33
					       : ~0ull;

			cr_assert(pwrite(mem, &lie, 1 + (size_t)rand_r(&seed) % 8, (off_t)(start + 8 + at)) > 0);
		}
		rc = clean(t.pid, false, &err);
		cr_expect(rc == 0 || rc == WARD_E_TARGET, "%s: %s", err.what, err.why);
		close(mem);
		kill(t.pid, SIGKILL);
		char out[64];
		target_finish(&t, out, sizeof(out));
	}
}

/* Code that isn't as its file has it isn't written over. */
Test(life, code_that_is_not_the_files_is_left)
{
	struct target t = target_start(TARGET, "calls", "2", "1000", NULL);
	pid_t tracer = tracer_start(t.pid, "exact", "target!work");
	unsigned long start, end;
	char record[4096];
	struct ward_error err;
	int mem = open_mem(t.pid);

	tracer_kill(tracer);
	/* The record says that other bytes were there: those of work, with one changed. */
	cr_assert(find_record(t.pid, &start, &end));
	cr_assert(pread(mem, record, sizeof(record), (off_t)start) == (ssize_t)sizeof(record));
	enum { BYTES = 47, JUMP = BYTES + 19 }; /* in what is recorded of a patch, which begins with its address */
	bool changed = false;
	for (size_t i = 0; i + JUMP + 5 <= sizeof(record) && !changed; i++) {
		uint64_t addr;
		char now[5];

		memcpy(&addr, &record[i], sizeof(addr));
		if ((unsigned char)record[i + JUMP] != 0xe9 ||
			pread(mem, now, sizeof(now), (off_t)addr) != sizeof(now) ||
			memcmp(now, &record[i + JUMP], sizeof(now)) != 0)
			continue;
		record[i + BYTES] ^= 1;
		cr_assert(pwrite(mem, &record[i + BYTES], 1, (off_t)(start + i + BYTES)) == 1);
		changed = true;
	}
	cr_assert(changed);
	cr_expect_eq(clean(t.pid, false, &err), WARD_E_TARGET);
	cr_expect_str_eq(err.why, "the code differed from its file when the probe was put there");
	cr_expect(told.places == 1 && told.restored == 0 && told.freed == 0);
	cr_expect_gt(target_changes(t.pid), 0);
	close(mem);
	expect_right(&t);
}

static void wait_until_ready(const struct target *t)
{
	char line[7] = "";

	for (size_t n = 0; n < 6;) {
		ssize_t got = read(t->out, line + n, 6 - n);

		cr_assert(got > 0);
		n += (size_t)got;
	}
	cr_expect_str_eq(line, "ready\n");
}

/*
 * A library that is probed, and unloaded; then it is there again, or isn't. What was counted counts, and nothing is
 * left.
 */
static void unload(int times)
{
	char text[8], out[64];
	struct target t;
	ward_session *s;
	struct ward_error err;

	snprintf(text, sizeof(text), "%d", times);
	t = target_start(LOADS, LIBRARY, text, "1000", NULL);
	s = attach(t.pid, "exact", "*!in_library");
	target_go(&t);
	wait_until_ready(&t);
	cr_expect_eq(exact_sum(s).calls, 1000);
	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	expect_clean(t.pid);
	for (int i = 1; i < times; i++) {
		target_go(&t);
		wait_until_ready(&t);
	}
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
	cr_expect_eq(exact_sum(s).calls, 1000);
	ward_session_free(s);
}

Test(life, a_library_that_is_unloaded)
{
	unload(1);
}

Test(life, a_library_that_is_loaded_again)
{
	unload(3);
}

Test(life, a_tracer_dies_and_its_library_is_unloaded)
{
	struct target t = target_start(LOADS, LIBRARY, "1", "1000", NULL);
	pid_t tracer = tracer_start(t.pid, "exact", "*!in_library");
	struct ward_error err;
	char out[64];

	tracer_kill(tracer);
	target_go(&t);
	wait_until_ready(&t);
	cr_expect(clean(t.pid, false, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect(told.n == 1 && told.places == 0 && told.freed == 1);
	expect_clean(t.pid);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_str_eq(out, "right\n");
}

/* Children by posix_spawn share the memory until they are another program, which isn't traced. */
Test(life, spawned_children_are_not_counted)
{
	struct target t = target_start(TARGET, "spawns", "50", "1000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 50 * 1000);
	cr_expect_eq(stats_of(s).events, 50 * 1000);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/*
 * Slots outlive their threads, for the next thread with a control block at the same place: neither counts nor memory
 * are lost.
 */
Test(life, a_hundred_thousand_short_threads)
{
	struct target t = target_start(TARGET, "short", "100000", "10", "512", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 1000000);
	cr_expect_eq(stats_of(s).dropped, 0);
	cr_expect_eq(stats_of(s).threads, 512);
	ward_session_free(s);
}

static ward_session *attach_with(pid_t pid, const char *module, const char *site, uint32_t max_threads)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = site, .max_threads = max_threads};
	struct module m = module_read(module);
	struct ward_session *s;
	struct ward_error err;

	cr_assert(ward_attach(pid, m.data, m.size, &options, &s, &err) == 0, "%s: %s", err.what, err.why);
	free(m.data);
	return s;
}

/*
 * The states of threads that have ended go to others when there is none left, wherever these have their control blocks:
 * the memory is there still, or it isn't.
 */
static void churn_with_few(
	const char *program, const char *site, const char *threads, const char *places, uint32_t most)
{
	const uint64_t n = strtoull(threads, NULL, 10);
	struct target t = target_start(program, "short", threads, "10", places, NULL);
	ward_session *s = attach_with(t.pid, "exact", site, most);
	struct exact e;
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	e = exact_sum(s);
	cr_expect_eq(e.calls, n * 10, "%llu", (unsigned long long)e.calls);
	cr_expect_eq(e.sum0, n * 45);
	cr_expect_eq(stats_of(s).events, n * 10, "%llu", (unsigned long long)stats_of(s).events);
	cr_expect_eq(stats_of(s).dropped, 0);
	cr_expect_eq(stats_of(s).threads, most);
	ward_session_free(s);
}

Test(life, more_places_of_threads_than_states)
{
	churn_with_few(TARGET, NULL, "40000", "4096", 260);
}

Test(life, threads_that_leave_no_memory_behind)
{
	churn_with_few(TARGET, NULL, "100000", "0", 260);
}

/* Of a probe that runs on the stack that goes with the state. */
Test(life, stacks_of_threads_that_have_ended)
{
	struct target t = target_start(TARGET, "short", "20000", "10", "4096", NULL);
	ward_session *s = attach_with(t.pid, "vectors", "target!work", 257);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(count_sum(s), 200000);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

Test(life, threads_of_a_static_program_that_come_and_go)
{
	churn_with_few(STATIC, "*!work", "20000", "4096", 511);
}

/* Signal handlers call in the midst of all that: each call is counted once, or dropped once. */
Test(life, short_threads_with_few_states_under_signals)
{
	struct target t = target_start(TARGET, "short", "50000", "10", "0", "100", NULL);
	ward_session *s = attach_with(t.pid, "exact", NULL, 260);
	unsigned long interrupted = 0;
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_assert(sscanf(out, "interrupted %lu", &interrupted) == 1 && interrupted > 100);
	cr_expect_eq(exact_sum(s).calls, stats_of(s).events);
	cr_expect_eq(stats_of(s).events + stats_of(s).dropped, 500000 + interrupted);
	cr_expect_leq(stats_of(s).dropped, interrupted);
	ward_session_free(s);
}

/*
 * It is asked of threads in the midst of calling whether they have ended, again and again: they lose nothing by that.
 */
Test(life, short_threads_beside_busy_ones)
{
	struct target t = target_start(TARGET, "beside", "20000", "10", NULL);
	ward_session *s = attach_with(t.pid, "exact", NULL, 5);
	unsigned long long called = 0;
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_assert(sscanf(out, "called %llu", &called) == 1 && called > 100000);
	cr_expect_eq(exact_sum(s).calls, called + 200000);
	cr_expect_eq(stats_of(s).events, called + 200000);
	cr_expect_eq(stats_of(s).dropped, 0);
	ward_session_free(s);
}

/*
 * With more threads at a time than states some get none, which is counted; those that come when others have ended do.
 */
Test(life, states_are_there_again_after_a_crowd)
{
	struct target t = target_start(TARGET, "crowd", "40", "1000", NULL);
	ward_session *s = attach_with(t.pid, "exact", NULL, 8);
	char out[64];

	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, (8 + 40) * 1000, "%llu", (unsigned long long)exact_sum(s).calls);
	cr_expect_eq(stats_of(s).events, (8 + 40) * 1000, "%llu", (unsigned long long)stats_of(s).events);
	cr_expect_eq(stats_of(s).dropped, 32 * 1000, "%llu", (unsigned long long)stats_of(s).dropped);
	cr_expect_eq(stats_of(s).threads, 8);
	ward_session_free(s);
}

/* What came along with a fork is the child's own to be rid of, and the parent's tracer doesn't mind. */
Test(life, a_child_inherits_and_is_cleaned)
{
	struct target t = target_start(TARGET, "parent", "1000", NULL);
	ward_session *s = attach(t.pid, "exact", NULL);
	struct ward_error err;
	char line[32] = "", c, out[64];
	int child;

	target_go(&t);
	for (size_t n = 0; n < sizeof(line) - 1 && read(t.out, &c, 1) == 1 && c != '\n'; n++)
		line[n] = c;
	cr_assert(sscanf(line, "child %d", &child) == 1);
	cr_expect_gt(target_mappings(child), 0);
	cr_expect(clean(child, false, &err) == 0, "%s: %s", err.what, err.why);
	cr_expect(told.n == 1 && told.copied == 1 && told.live == 0 && told.restored == 1 && told.freed == 1);
	expect_clean(child);
	cr_expect_gt(target_changes(t.pid), 0);
	target_go(&t);
	cr_expect_eq(target_finish(&t, out, sizeof(out)), 0);
	cr_expect_eq(exact_sum(s).calls, 1000);
	ward_session_free(s);
}
