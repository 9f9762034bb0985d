/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work in a child that is a copy of a program with several threads: locks that these held at the fork, and files that
 * were open.
 */
#include "loader/base/sandbox.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

	wl_confined_write(fd, first, strlen(first));
	__atomic_add_fetch(held.copies, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&held.lock);
	return wl_confined_write(fd, "said", 4);
}

/* Of a copy that is given up nothing is kept; the next one finds the lock free. */
Test(confined, a_lock_that_another_thread_held)
{
	pthread_t id = start_holder(1);
	struct wl_confined c = {say_locked, "it ", 5, 64 << 20, 4096};
	uint8_t *out;

	cr_expect_eq(wl_confined_run(&c, &out), 7);
	cr_assert(out);
	cr_expect_eq(memcmp(out, "it said", 7), 0);
	cr_expect_geq(*held.copies, 2);
	free(out);
	end_holder(id);
}

Test(confined, a_lock_that_stays_held)
{
	pthread_t id = start_holder(NEVER);
	struct wl_confined c = {say_locked, "nothing of this", 5, 64 << 20, 4096};
	uint8_t *out;

	cr_expect_eq(wl_confined_run(&c, &out), -1);
	cr_expect_eq(errno, EDEADLK);
	cr_expect_null(out);
	cr_expect_gt(*held.copies, 1);
	end_holder(id);
}

/* It has said all that it may: whatever it waits for then, nobody waits for it. */
Test(confined, no_more_than_it_may_say)
{
	pthread_t id = start_holder(NEVER);
	struct wl_confined c = {say_locked, "and no more", 5, 64 << 20, 5};
	uint8_t *out;

	cr_expect_eq(wl_confined_run(&c, &out), 5);
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
		if (!wl_confined_write(fd, "0123456789abcdef", 16))
			return false;
}

/* More than a pipe holds, from several at once. */
static void *run_fill(void *arg)
{
	struct wl_confined c = {fill, NULL, 5, 64 << 20, 300000};
	uint8_t *out;

	cr_expect_eq(wl_confined_run(&c, &out), 300000);
	cr_expect(out && out[299999] == 'f');
	free(out);
	return arg;
}

Test(confined, several_at_once)
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

	return wl_confined_write(fd, &error, sizeof(error));
}

Test(confined, no_other_file)
{
	int ends[2], error = -1;
	struct wl_confined c = {write_elsewhere, &ends[1], 5, 64 << 20, 64};
	uint8_t *out;
	char x;

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(wl_confined_run(&c, &out), sizeof(error));
	memcpy(&error, out, sizeof(error));
	cr_expect_eq(error, EBADF);
	free(out);
	close(ends[1]);
	cr_expect_eq(read(ends[0], &x, 1), 0, "nothing was written");
	close(ends[0]);
}
