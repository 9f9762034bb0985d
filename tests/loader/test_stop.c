/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stopping a process in which one thread can't be stopped, because it waits for its vfork child or gets no processor;
 * and a process whose first thread has ended.
 */
#include "helper.h"

#include "loader/process/ptrace.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 1000 };

/* The child that a thread has made, once there is one. */
static pid_t await_child(pid_t pid)
{
	char path[64];
	int child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	while (child == 0) {
		FILE *f = fopen(path, "r");

		cr_assert(f);
		if (fscanf(f, "%d", &child) != 1)
			child = 0;
		fclose(f);
		pause_ms(1);
	}
	return child;
}

/* Until the kernel shows this letter for it: S, it waits; Z, its first thread has ended. */
static void await_state(pid_t pid, char wanted)
{
	char path[64], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (state != wanted) {
		FILE *f = fopen(path, "r");

		cr_assert(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
		fclose(f);
		pause_ms(1);
	}
}

static void expect_alive(pid_t child)
{
	cr_expect(kill(child, 0) == 0, "the child has ended");
}

static void await_count(ward_session *s, uint64_t n)
{
	while (exact_sum(s).calls < n)
		pause_ms(1);
	cr_expect_eq(exact_sum(s).calls, n);
}

/* What it said of how long others had stood still. */
static void expect_right(struct target *t)
{
	unsigned long long gap = 0, life = 0;
	char output[128];
	int status = target_finish(t, output, sizeof(output));

	cr_expect(status == 0, "status %x: %s", status, output);
	cr_assert(sscanf(output, "gap %llu of %llu", &gap, &life) == 2, "%s", output);
	cr_expect(gap < life / 4, "a thread stood still for %llu of %llu ms", gap / 1000000, life / 1000000);
}

static void detach(ward_session *s)
{
	struct ward_error err;

	cr_expect(ward_detach(s, &err) == 0, "%s: %s", err.what, err.why);
	ward_session_free(s);
}

static ward_session *attach_with(pid_t pid, struct ward_attach_options options)
{
	ward_session *s = NULL;
	struct ward_error err;

	options.size = sizeof(options);
	options.site = "target!work";
	cr_assert(try_exact(pid, &options, &s, &err) == 0, "%s: %s (%s)", err.what, err.why, err.hint);
	return s;
}

/* The child's calls count, because it runs in its parent's memory. Attaching and detaching don't wait for its end. */
static void count_calls_of_child(struct ward_attach_options options, bool before)
{
	struct target t = target_start(TARGET, "vforked", "1000", NULL);
	ward_session *s = before ? attach_with(t.pid, options) : NULL;
	pid_t child;

	target_go(&t);
	child = await_child(t.pid);
	if (!before)
		s = attach_with(t.pid, options);
	target_go(&t);
	await_count(s, CALLS);
	await_state(child, 'S'); /* its last call is over, not only counted */
	detach(s);
	expect_alive(child);
	cr_expect(target_changes(t.pid) == 0);
	cr_expect(target_mappings(t.pid) == 0);
	pause_ms(1000);
	expect_right(&t);
}

Test(stop, beside_a_thread_that_waits_for_its_child)
{
	count_calls_of_child((struct ward_attach_options){0}, false);
}

Test(stop, that_was_attached_to_before)
{
	count_calls_of_child((struct ward_attach_options){0}, true);
}

Test(stop, followed_from_then_on)
{
	count_calls_of_child((struct ward_attach_options){.follow = true}, false);
}

Test(stop, followed_before)
{
	count_calls_of_child((struct ward_attach_options){.follow = true}, true);
}

Test(stop, watched_for_libraries)
{
	count_calls_of_child((struct ward_attach_options){.later = true}, false);
}

/* Nobody is there that could make calls for the tracer. */
Test(stop, the_only_thread_waits_for_its_child)
{
	struct target t = target_start(TARGET, "vforked", "1000", "1", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	ward_session *s = NULL;
	struct ward_error err;
	pid_t child;

	target_go(&t);
	child = await_child(t.pid);
	cr_expect(try_exact(t.pid, &options, &s, &err) == WARD_E_TARGET);
	cr_expect(strstr(err.why, "wait in the kernel"), "%s", err.why);
	expect_alive(child);
	cr_expect(target_changes(t.pid) == 0);
	target_go(&t);
	expect_right(&t);
}

Test(stop, the_only_thread_was_attached_to_before)
{
	struct target t = target_start(TARGET, "vforked", "1000", "1", NULL);
	ward_session *s = attach(t.pid, "exact", "target!work");
	pid_t child;

	target_go(&t);
	child = await_child(t.pid);
	target_go(&t);
	await_count(s, CALLS);
	await_state(child, 'S'); /* its last call is over, not only counted */
	detach(s);
	expect_alive(child);
	cr_expect(target_changes(t.pid) == 0);
	expect_right(&t);
}

/* The child can't be had alone: its parent's other threads run in the same code. */
Test(stop, the_child_itself)
{
	struct target t = target_start(TARGET, "vforked", "1000", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	ward_session *s = NULL;
	struct ward_error err;
	pid_t child;

	target_go(&t);
	child = await_child(t.pid);
	for (int follow = 0; follow < 2; follow++) {
		options.follow = follow;
		cr_expect(try_exact(child, &options, &s, &err) == WARD_E_TARGET);
		cr_expect(strstr(err.why, "in the memory of process"), "%s", err.why);
	}
	cr_expect(ward_cleanup(child, NULL, &err) == WARD_E_TARGET);
	cr_expect(target_changes(t.pid) == 0);
	target_go(&t);
	pause_ms(500);
	expect_right(&t);
}

/* A tracer that was killed has left probes there: they are taken off. */
Test(stop, leftovers_are_taken_off)
{
	struct target t = target_start(TARGET, "vforked", "1000", NULL);
	pid_t child, tracer = fork();
	struct ward_error err;
	int status;

	if (tracer == 0) {
		attach(t.pid, "exact", "target!work");
		raise(SIGKILL);
		_exit(1);
	}
	cr_assert(waitpid(tracer, &status, 0) == tracer && WIFSIGNALED(status));
	cr_assert(target_changes(t.pid) > 0);
	target_go(&t);
	child = await_child(t.pid);
	cr_expect(ward_cleanup(t.pid, NULL, &err) == 0, "%s: %s", err.what, err.why);
	expect_alive(child);
	cr_expect(target_changes(t.pid) == 0);
	cr_expect(target_mappings(t.pid) == 0);
	target_go(&t);
	pause_ms(1000);
	expect_right(&t);
}

/* Children by vfork, one after the other, as a server makes them: attached to and detached from at whatever moment. */
static void come_and_go(struct ward_attach_options options)
{
	struct target t = target_start(TARGET, "vforks", "3", NULL);
	char output[128];
	int status;

	for (int i = 0; i < 25; i++) {
		ward_session *s = attach_with(t.pid, options);

		do
			pause_ms(i);
		while (exact_sum(s).calls == 0);
		detach(s);
		cr_expect(target_changes(t.pid) == 0);
	}
	cr_expect(target_files(t.pid) == 0);
	status = target_finish(&t, output, sizeof(output));
	cr_expect(status == 0, "status %x: %s", status, output);
}

Test(stop, beside_threads_that_make_children)
{
	come_and_go((struct ward_attach_options){0});
}

Test(stop, beside_threads_whose_children_are_followed)
{
	come_and_go((struct ward_attach_options){.follow = true});
}

/*
 * The only thread begins to wait for a child now and then just before it could stop. It is in the tracer's hands then
 * and doesn't stop, but it isn't lost: it is waited for, or it is said that it can't be stopped.
 */
Test(stop, the_only_thread_makes_children)
{
	struct target t = target_start(TARGET, "vforks-alone", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	unsigned attached = 0;
	struct ward_error err;
	char output[64];

	for (int i = 0; i < 30; i++) {
		ward_session *s = NULL;
		int rc = try_exact(t.pid, &options, &s, &err);

		cr_assert(
			rc == 0 || strstr(err.why, "none of its threads can be stopped"), "%s: %s", err.what, err.why);
		attached += rc == 0;
		if (rc == 0)
			detach(s);
	}
	cr_expect_gt(attached, 0);
	while (target_mappings(t.pid) || target_changes(t.pid))
		ward_cleanup(t.pid, NULL, &err);
	cr_expect_eq(target_finish(&t, output, sizeof(output)), 0);
}

/* Wait until so many threads of the process sleep, and as many as that run. */
static void await_states(pid_t pid, unsigned asleep, unsigned awake)
{
	unsigned n[2];

	do {
		char path[64];
		struct dirent *e;
		DIR *dir;

		n[0] = n[1] = 0;
		snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
		dir = opendir(path);
		while ((e = readdir(dir)))
			if (atoi(e->d_name) > 0)
				n[wl_thread_state(atoi(e->d_name)) == 'R']++;
		closedir(dir);
		pause_ms(1);
	} while (n[0] != asleep || n[1] != awake);
}

enum { BUSY = 3, SLEEPERS = 2 };

/* Those that sleep are ours, and those that run aren't even seized. */
static void expect_sleepers(pid_t pid, const struct wl_threads *threads)
{
	unsigned asleep = 0, awake = 0;

	for (size_t i = 0; i < threads->n; i++) {
		const struct wl_thread *one = &threads->v[i];

		cr_expect(one->slept ? wl_tracer_of(pid, one->tid) == getpid()
				     : one->tid == 0 && wl_tracer_of(pid, one->listed) == 0);
		*(one->slept ? &asleep : &awake) += 1;
	}
	cr_expect(asleep == SLEEPERS && awake == BUSY, "%u, %u", asleep, awake);
}

/* Each is stopped, and is there once. */
static void expect_all_stopped(const struct wl_threads *threads)
{
	unsigned stopped = 0;

	for (size_t i = 0; i < threads->n; i++) {
		const struct wl_thread *one = &threads->v[i];

		if (!one->tid)
			continue;
		stopped++;
		cr_expect(one->stopped && one->known && wl_thread_state(one->tid) == 't');
		for (size_t k = 0; k < i; k++)
			cr_expect_neq(threads->v[k].tid, one->tid, "it is there twice");
	}
	cr_expect_eq(stopped, BUSY + SLEEPERS);
}

Test(stop, sleepers_first)
{
	struct target t = target_start(TARGET, "busy", "3", NULL);
	struct wl_process p;
	struct wl_threads threads = {0};
	struct ward_error err;
	char output[64];

	await_states(t.pid, SLEEPERS, BUSY);
	cr_assert(wl_process_open(&p, t.pid, &err) == 0);
	wl_threads_stop_sleepers(&threads, &p);
	expect_sleepers(t.pid, &threads);
	cr_assert(wl_threads_stop(&threads, &p, &err) == 0, "%s", err.why);
	expect_all_stopped(&threads);
	wl_threads_release(&threads);
	cr_expect_eq(wl_tracer_of(t.pid, t.pid), 0);
	wl_process_close(&p);
	cr_expect_eq(target_finish(&t, output, sizeof(output)), 0);
	cr_expect_str_eq(output, "right\n");
}

/* The first thread, once it has ended, and another one. */
static pid_t await_end_of_first(pid_t pid)
{
	char path[64];
	struct dirent *e;
	long other = 0;
	DIR *dir;

	await_state(pid, 'Z');
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while ((e = readdir(dir)))
		if (atol(e->d_name) > 0 && atol(e->d_name) != pid)
			other = atol(e->d_name);
	closedir(dir);
	cr_assert(other > 0);
	return (pid_t)other;
}

static void count_without_first(struct ward_attach_options options)
{
	struct target t = target_start(TARGET, "headless", "1000", NULL);
	char output[64];
	ward_session *s;

	await_end_of_first(t.pid);
	s = attach_with(t.pid, options);
	target_go(&t);
	await_count(s, CALLS);
	detach(s);
	cr_expect_eq(target_finish(&t, output, sizeof(output)), 0);
}

Test(stop, the_first_thread_has_ended)
{
	count_without_first((struct ward_attach_options){0});
	count_without_first((struct ward_attach_options){.follow = true});
	count_without_first((struct ward_attach_options){.later = true});
}

/* The end of the last thread is the process's. */
Test(stop, and_the_others_end_as_well)
{
	struct target t = target_start(TARGET, "headless", "1000", NULL);
	ward_session *s;
	char output[64];

	await_end_of_first(t.pid);
	s = attach_with(t.pid, (struct ward_attach_options){.follow = true});
	target_go(&t);
	cr_expect_eq(target_finish(&t, output, sizeof(output)), 0);
	while (ward_wait(s, -1) != 1)
		;
	cr_expect_eq(exact_sum(s).calls, CALLS);
	detach(s);
}

Test(stop, a_thread_is_no_process)
{
	struct target t = target_start(TARGET, "headless", "1000", NULL);
	struct ward_attach_options options = {.size = sizeof(options), .site = "target!work"};
	ward_session *s = NULL;
	struct ward_error err;
	char output[64];

	cr_expect(try_exact(await_end_of_first(t.pid), &options, &s, &err) == WARD_E_TARGET);
	cr_expect(strstr(err.why, "it is a thread, not a process"), "%s", err.why);
	target_go(&t);
	cr_expect_eq(target_finish(&t, output, sizeof(output)), 0);
}

enum { SPELL_MS = 400 };

/* A process that leaves a processor to nobody else for that long, again and again. */
static pid_t hog_start(void)
{
	pid_t pid = fork();
	cpu_set_t first;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 2});
	for (;;) {
		struct timespec start, now;

		clock_gettime(CLOCK_MONOTONIC, &start);
		do
			clock_gettime(CLOCK_MONOTONIC, &now);
		while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < SPELL_MS);
		pause_ms(50);
	}
}

/* A thread that gets no processor can't stop before it does; the others go on until then. */
Test(stop, beside_a_thread_that_gets_no_processor)
{
	struct target t;
	unsigned long long gap = 0, life = 0;
	char output[128];
	pid_t hog;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		cr_skip_test("there is one processor only");
	t = target_start(TARGET, "starved", NULL);
	hog = hog_start();
	for (int i = 0; i < 3; i++) {
		pause_ms(70);
		detach(attach(t.pid, "exact", "target!use_string"));
	}
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	cr_expect_eq(target_changes(t.pid), 0);
	cr_expect_eq(target_finish(&t, output, sizeof(output)), 0);
	cr_assert(sscanf(output, "gap %llu of %llu", &gap, &life) == 2, "%s", output);
	cr_expect(gap / 1000000 < SPELL_MS / 2, "a thread stood still for %llu ms", gap / 1000000);
}
