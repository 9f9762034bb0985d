/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work in a child that is a copy of a program with several threads: locks that these held at the fork, and files that
 * were open.
 */
#include "verifier/sandbox/sandbox.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NEVER = 1 << 30 };

/* A lock as an allocator's may be: whoever makes a copy of the program doesn't put it right there. */
static struct held {
	pthread_mutex_t lock;
	pthread_barrier_t taken;
	int until; /* so many copies have come to it, or NEVER: the test is over */
	int over;
	int *copies; /* memory that they share */
} held;

static void *hold(void *arg)
{
	pthread_mutex_lock(&held.lock);
	pthread_barrier_wait(&held.taken);
	while (__atomic_load_n(held.copies, __ATOMIC_SEQ_CST) < held.until &&
		!__atomic_load_n(&held.over, __ATOMIC_SEQ_CST))
		usleep(1000);
	pthread_mutex_unlock(&held.lock);
	return arg;
}

static pthread_t start_holder(int until)
{
	pthread_t id;

	pthread_mutex_init(&held.lock, NULL);
	pthread_barrier_init(&held.taken, NULL, 2);
	held.until = until;
	held.copies = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(held.copies, MAP_FAILED);
	cr_assert_eq(pthread_create(&id, NULL, hold, NULL), 0);
	pthread_barrier_wait(&held.taken);
	return id;
}

static void end_holder(pthread_t id)
{
	__atomic_store_n(&held.over, 1, __ATOMIC_SEQ_CST);
	pthread_join(id, NULL);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "no child is left");
	cr_expect_eq(errno, ECHILD);
}

static bool say_locked(void *arg, int fd)
{
	const char *first = arg;

	sandbox_write(fd, first, strlen(first));
	__atomic_add_fetch(held.copies, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&held.lock);
	return sandbox_write(fd, "said", 4);
}

/* Of a copy that is given up nothing is kept; the next one finds the lock free. */
Test(sandbox, a_lock_that_another_thread_held)
{
	pthread_t id = start_holder(1);
	struct sandbox c = {say_locked, "it ", 5000000, 64 << 20, 4096};
	uint8_t *out;

	cr_expect_eq(sandbox_run(&c, &out), 7);
	cr_assert(out);
	cr_expect_eq(memcmp(out, "it said", 7), 0);
	cr_expect_geq(*held.copies, 2);
	free(out);
	end_holder(id);
}

Test(sandbox, a_lock_that_stays_held)
{
	pthread_t id = start_holder(NEVER);
	struct sandbox c = {say_locked, "nothing of this", 5000000, 64 << 20, 4096};
	uint8_t *out;

	cr_expect_eq(sandbox_run(&c, &out), -1);
	cr_expect_eq(errno, EDEADLK);
	cr_expect_null(out);
	cr_expect_gt(*held.copies, 1);
	end_holder(id);
}

/* It has said all that it may: whatever it waits for then, nobody waits for it. */
Test(sandbox, no_more_than_it_may_say)
{
	pthread_t id = start_holder(NEVER);
	struct sandbox c = {say_locked, "and no more", 5000000, 64 << 20, 5};
	uint8_t *out;

	cr_expect_eq(sandbox_run(&c, &out), 5);
	cr_assert(out);
	cr_expect_eq(memcmp(out, "and n", 5), 0);
	cr_expect_leq(*held.copies, 1, "it is ended, perhaps before it came to count itself");
	free(out);
	end_holder(id);
}

static bool fill(void *arg, int fd)
{
	(void)arg;
	for (;;)
		if (!sandbox_write(fd, "0123456789abcdef", 16))
			return false;
}

/* More than a pipe holds, from several at once. */
static void *run_fill(void *arg)
{
	struct sandbox c = {fill, NULL, 5000000, 64 << 20, 300000};
	uint8_t *out;

	cr_expect_eq(sandbox_run(&c, &out), 300000);
	cr_expect(out && out[299999] == 'f');
	free(out);
	return arg;
}

Test(sandbox, several_at_once)
{
	pthread_t id[8];

	for (int i = 0; i < 8; i++)
		cr_assert_eq(pthread_create(&id[i], NULL, run_fill, NULL), 0);
	for (int i = 0; i < 8; i++)
		pthread_join(id[i], NULL);
	cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1);
}

/* The child has its pipe, and none of the program's files. */
static bool write_elsewhere(void *arg, int fd)
{
	int *file = arg, error = write(*file, "x", 1) < 0 ? errno : 0;

	return sandbox_write(fd, &error, sizeof(error));
}

Test(sandbox, no_other_file)
{
	int ends[2], error = -1;
	struct sandbox c = {write_elsewhere, &ends[1], 5000000, 64 << 20, 64};
	uint8_t *out;
	char x;

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(sandbox_run(&c, &out), sizeof(error));
	memcpy(&error, out, sizeof(error));
	cr_expect_eq(error, EBADF);
	free(out);
	close(ends[1]);
	cr_expect_eq(read(ends[0], &x, 1), 0, "nothing was written");
	close(ends[0]);
}

static bool compute(void *arg, int fd)
{
	(void)arg;
	sandbox_write(fd, "begun", 5);
	while (fd >= 0)
		__asm__ volatile("");
	return true;
}

/* What it wrote before is kept. Less than a second is granted to the microsecond, or nearly. */
Test(sandbox, its_time_is_over)
{
	struct sandbox c = {compute, NULL, 50000, 64 << 20, 64};
	struct rusage used;
	uint8_t *out;

	cr_assert_eq(sandbox_run(&c, &out), 5);
	cr_expect_eq(memcmp(out, "begun", 5), 0);
	free(out);
	cr_assert_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
	cr_expect_eq(used.ru_utime.tv_sec + used.ru_stime.tv_sec, 0);
}

#ifndef __SANITIZE_ADDRESS__ /* whose processes have no limit */
static bool allocate(void *arg, int fd)
{
	enum { PIECE = 1 << 20 };
	uint32_t pieces = 0;

	(void)arg;
	while (pieces < 1000 && calloc(1, PIECE))
		pieces++;
	return sandbox_write(fd, &pieces, sizeof(pieces));
}

Test(sandbox, its_memory_is_over)
{
	struct sandbox c = {allocate, NULL, 5000000, 64 << 20, 64};
	uint32_t pieces = 0;
	uint8_t *out;

	cr_assert_eq(sandbox_run(&c, &out), sizeof(pieces));
	memcpy(&pieces, out, sizeof(pieces));
	free(out);
	cr_expect(pieces > 32 && pieces <= 64, "%u MiB", pieces);
}
#endif

#ifndef __SANITIZE_ADDRESS__ /* whose processes have no filter */
/* Neither a file, nor a process, nor the way out of its limits. */
static bool leave(void *arg, int fd)
{
	const struct itimerval none = {.it_value = {0}};
	int errors[] = {0, 0, 0, 0};

	(void)arg;
	errors[0] = open("/dev/null", O_RDONLY) < 0 ? errno : 0;
	errors[1] = fork() < 0 ? errno : 0;
	errors[2] = setitimer(ITIMER_PROF, &none, NULL) < 0 ? errno : 0;
	errors[3] = kill(getppid(), 0) < 0 ? errno : 0;
	return sandbox_write(fd, errors, sizeof(errors));
}

Test(sandbox, no_other_call)
{
	struct sandbox c = {leave, NULL, 5000000, 64 << 20, 64};
	int errors[4];
	uint8_t *out;

	cr_assert_eq(sandbox_run(&c, &out), sizeof(errors));
	memcpy(errors, out, sizeof(errors));
	free(out);
	for (int i = 0; i < 4; i++)
		cr_expect_eq(errors[i], EPERM, "%d: %d", i, errors[i]);
}
#endif
