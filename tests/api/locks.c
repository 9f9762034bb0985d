/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that attaches to itself while its other threads hold locks: of its allocator, of the dynamic linker, and of
 * the C library's files. What attaches must need none of them, wherever the threads are stopped.
 */
#include "helper.h"
#include "own.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN "test-api-locks!own_work"

OWN_FUNCTION uint64_t own_work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

static bool over; /* threads end */

static bool is_over(void)
{
	return __atomic_load_n(&over, __ATOMIC_SEQ_CST);
}

/* ---- An allocator with a lock that nothing resets at a fork ---- */

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

void *malloc(size_t size)
{
	pthread_mutex_lock(&heap);
	void *p = __libc_malloc(size);
	pthread_mutex_unlock(&heap);
	return p;
}

void *calloc(size_t n, size_t size)
{
	pthread_mutex_lock(&heap);
	void *p = __libc_calloc(n, size);
	pthread_mutex_unlock(&heap);
	return p;
}

void *realloc(void *old, size_t size)
{
	pthread_mutex_lock(&heap);
	void *p = __libc_realloc(old, size);
	pthread_mutex_unlock(&heap);
	return p;
}

void free(void *p)
{
	pthread_mutex_lock(&heap);
	__libc_free(p);
	pthread_mutex_unlock(&heap);
}
#endif

/* ---- Threads ---- */

enum { MOST = 8 };

static struct {
	pthread_t thread[MOST];
	pid_t tid[MOST]; /* 0: it hasn't begun */
	int n;
	uint64_t steps[MOST];
	FILE *file;
} run;

struct body {
	void (*fn)(int i);
	int i;
};

static void *be_thread(void *arg)
{
	struct body body = *(struct body *)arg;

	free(arg);
	__atomic_store_n(&run.tid[body.i], gettid(), __ATOMIC_SEQ_CST);
	body.fn(body.i);
	return NULL;
}

static int start(void (*fn)(int i))
{
	struct body *body = malloc(sizeof(*body));

	cr_assert(body && run.n < MOST);
	*body = (struct body){fn, run.n};
	cr_assert_eq(pthread_create(&run.thread[run.n], NULL, be_thread, body), 0);
	return run.n++;
}

static void end_all(void)
{
	__atomic_store_n(&over, true, __ATOMIC_SEQ_CST);
	for (int i = 0; i < run.n; i++)
		pthread_join(run.thread[i], NULL);
}

/* Until the thread waits for a lock. (No file of stdio's is opened: what we wait for may be their lock.) */
static void await_waiting(int i)
{
	char path[64], text[16];
	pid_t tid;

	while (!(tid = __atomic_load_n(&run.tid[i], __ATOMIC_SEQ_CST)))
		pause_ms(1);
	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	for (;;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = read(fd, text, sizeof(text) - 1);

		close(fd);
		text[got > 0 ? got : 0] = 0;
		if (atoi(text) == SYS_futex)
			return;
		pause_ms(1);
	}
}

/* ---- One session ---- */

enum { CALLS = 1000 };

struct outcome {
	int attached, detached;
	uint64_t counted;
	struct ward_error err;
};

/* Asserts nothing, as that may need a lock. */
static struct outcome one_session(const struct module *m)
{
	struct ward_attach_options options = {.size = sizeof(options), .site = OWN};
	struct outcome o = {.detached = -1};
	ward_session *s;

	o.attached = ward_attach(getpid(), m->data, m->size, &options, &s, &o.err);
	if (o.attached)
		return o;
	for (uint64_t i = 0; i < CALLS; i++)
		own_work(i, 1);
	o.counted = exact_sum(s).calls;
	o.detached = ward_detach(s, &o.err);
	ward_session_free(s);
	return o;
}

static void was_right(const struct outcome *o)
{
	cr_assert_eq(o->attached, 0, "%s: %s", o->err.what, o->err.why);
	cr_expect_eq(o->counted, CALLS);
	cr_expect_eq(o->detached, 0, "%s: %s", o->err.what, o->err.why);
}

/* ---- Held all the while ---- */

static int stay(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info, (void)size, (void)arg;
	while (!is_over())
		pause_ms(1);
	return 1;
}

static void hold_list_of_libraries(int i)
{
	(void)i;
	dl_iterate_phdr(stay, NULL);
}

static bool loading, loads_slowly;

/* Called by the library's constructor. */
__attribute__((visibility("default"))) void while_loading(void)
{
	__atomic_store_n(&loading, true, __ATOMIC_SEQ_CST);
	while (loads_slowly && !is_over())
		pause_ms(1);
}

static void load_slowly(int i)
{
	(void)i;
	dlclose(dlopen(LIBRARY, RTLD_NOW));
}

static void flush_all(int i)
{
	(void)i;
	fflush(NULL);
}

Test(locks, held_throughout)
{
	struct module m = module_read("exact");
	size_t changes = target_changes(getpid());
	struct outcome o;

	loads_slowly = true;
	start(load_slowly); /* holds the lock of loading, */
	while (!__atomic_load_n(&loading, __ATOMIC_SEQ_CST))
		pause_ms(1);
	start(hold_list_of_libraries); /* that of the list of what is loaded, */
	run.file = fopen("/dev/null", "w");
	cr_assert(run.file);
	flockfile(run.file);
	await_waiting(start(flush_all)); /* and that of the list of files: it waits for this one */
	o = one_session(&m);
	funlockfile(run.file);
	end_all();
	fclose(run.file);
	was_right(&o);
	cr_expect_eq(target_changes(getpid()), changes);
	free(m.data);
}

/* ---- In use all the while ---- */

static void allocate(int i)
{
	for (uint64_t n = 0; !is_over(); n++, run.steps[i]++) {
		void *volatile p = malloc(10 + n % 5000);

		free(p);
	}
}

static void hold_heap(int i)
{
	for (; !is_over(); run.steps[i]++) {
		pthread_mutex_lock(&heap);
		pause_ms(1);
		pthread_mutex_unlock(&heap);
		pause_ms(1);
	}
}

static void load(int i)
{
	for (; !is_over(); run.steps[i]++)
		dlclose(dlopen(LIBRARY, RTLD_NOW));
}

static void print(int i)
{
	for (; !is_over(); run.steps[i]++) {
		FILE *f = fopen("/dev/null", "w");

		fprintf(f, "%d\n", i);
		fprintf(run.file, "%d\n", i);
		fclose(f);
	}
}

Test(locks, in_use)
{
	void (*const body[])(int i) = {allocate, allocate, hold_heap, load, print, print};
	struct module m = module_read("exact");
	size_t changes = target_changes(getpid());
	uint64_t before[MOST];

	run.file = fopen("/dev/null", "w");
	cr_assert(run.file);
	for (size_t i = 0; i < sizeof(body) / sizeof(body[0]); i++)
		start(body[i]);
	for (int k = 0; k < 6; k++) {
		struct outcome o = one_session(&m);

		was_right(&o);
		memcpy(before, run.steps, sizeof(before));
		for (int i = 0; i < run.n; i++) /* all go on */
			while (*(volatile uint64_t *)&run.steps[i] < before[i] + 2)
				pause_ms(1);
	}
	end_all();
	fclose(run.file);
	cr_expect_eq(target_changes(getpid()), changes);
	free(m.data);
}
