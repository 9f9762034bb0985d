/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that attaches to itself while one of its threads holds a lock that its allocator takes and that nothing
 * resets at a fork. The helper, a copy of the process, meets that lock at each of its allocations in turn.
 */
#include "helper.h"
#include "own.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN "test-api-locks!own_work"

OWN_FUNCTION uint64_t own_work(uint64_t a, uint64_t b)
{
	__asm__ volatile("");
	return a * 3 + b;
}

/* ---- The allocator ---- */

enum how { BY_MUTEX, BY_SHARED_FUTEX, BY_SPINNING };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* held by a thread as long as the test runs */
static uint32_t locked = 1;                              /* so are the two other kinds */
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER; /* held now and then, and wanted by everybody */
static bool contended;
static pid_t program; /* who has the thread; 0: nothing yet */

/* Copies of the program share it. */
static struct plan {
	uint32_t number;
	enum how how;
	/* the allocation at which a copy wants the lock, of those that it makes while this is the plan; 0: none */
	uint32_t at;
	uint32_t most;        /* so many copies */
	uint32_t made, stuck; /* the most allocations of one copy; copies that wanted it */
} *plan;

static void want_lock(enum how how)
{
	if (how == BY_MUTEX)
		pthread_mutex_lock(&lock);
	while (how == BY_SHARED_FUTEX && __atomic_load_n(&locked, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &locked, FUTEX_WAIT, 1, NULL, NULL, 0);
	while (how == BY_SPINNING && __atomic_load_n(&locked, __ATOMIC_SEQ_CST))
		sched_yield();
}

static void allocating(void)
{
	static uint32_t number, n; /* the copy's */

	if (__atomic_load_n(&contended, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&busy);
		pthread_mutex_unlock(&busy);
	}
	if (!program || getpid() == program)
		return;
	n = number == plan->number ? n + 1 : 1;
	number = plan->number;
	if (n > plan->made)
		plan->made = n;
	if (n != plan->at || __atomic_load_n(&plan->stuck, __ATOMIC_SEQ_CST) >= plan->most)
		return;
	__atomic_add_fetch(&plan->stuck, 1, __ATOMIC_SEQ_CST);
	want_lock(plan->how);
}

#ifdef __SANITIZE_ADDRESS__
int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t), void (*)(const volatile void *));

static void allocated(const volatile void *p, size_t size)
{
	(void)p, (void)size;
	allocating();
}

static void freeing(const volatile void *p)
{
	(void)p;
	allocating();
}

static void install(void)
{
	cr_assert_gt(__sanitizer_install_malloc_and_free_hooks(allocated, freeing), 0);
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

void *malloc(size_t size)
{
	allocating();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocating();
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocating();
	return __libc_realloc(p, size);
}

void free(void *p)
{
	allocating();
	__libc_free(p);
}

static void install(void)
{
}
#endif

/* ---- The program ---- */

enum { THREADS = 2, CALLS = 500 };

static struct {
	bool over;
	uint64_t steps;
	int epoll;
	pid_t tid[4];   /* the first one's too */
	size_t changes; /* that the test's own framework has made */
	int woken;      /* what the wait that nothing is to end came to */
	pthread_barrier_t ready;
	pthread_t id[3];
} run;

static void be_ready(int i)
{
	run.tid[i] = gettid();
	pthread_barrier_wait(&run.ready);
}

static void *hold(void *arg)
{
	pthread_mutex_lock(&lock);
	be_ready(0);
	while (!__atomic_load_n(&run.over, __ATOMIC_SEQ_CST))
		pause_ms(1);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *step(void *arg)
{
	be_ready(1);
	while (!__atomic_load_n(&run.over, __ATOMIC_SEQ_CST)) {
		__atomic_add_fetch(&run.steps, 1, __ATOMIC_SEQ_CST);
		pause_ms(1);
	}
	return arg;
}

/* A wait that the kernel doesn't begin again by itself when a tracer has interrupted it. */
static void *await_event(void *arg)
{
	struct epoll_event event;

	be_ready(2);
	run.woken = epoll_wait(run.epoll, &event, 1, -1) == 1 ? 1 : -errno;
	return arg;
}

/* How many signals our threads block, together. */
static int blocked_signals(void)
{
	int n = 0;

	for (int i = 0; i < 4; i++) {
		char path[64], line[256];
		unsigned long long blocked;
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)run.tid[i]);
		f = fopen(path, "r");
		cr_assert(f);
		while (fgets(line, sizeof(line), f))
			n += sscanf(line, "SigBlk: %llx", &blocked) == 1 ? __builtin_popcountll(blocked) : 0;
		fclose(f);
	}
	return n;
}

static void begin(void)
{
	void *(*const body[])(void *) = {hold, step, await_event};

	plan = mmap(NULL, sizeof(*plan), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	cr_assert_neq(plan, MAP_FAILED);
	run.epoll = epoll_create1(EPOLL_CLOEXEC);
	cr_assert_geq(run.epoll, 0);
	install();
	pthread_barrier_init(&run.ready, NULL, 4);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&run.id[i], NULL, body[i], NULL), 0);
	be_ready(3);
	program = getpid();
	cr_assert_eq(blocked_signals(), 0);
	run.changes = target_changes(getpid());
}

/* All threads are as they were, and run. */
static void all_go_on(void)
{
	uint64_t before = __atomic_load_n(&run.steps, __ATOMIC_SEQ_CST);

	while (__atomic_load_n(&run.steps, __ATOMIC_SEQ_CST) < before + 2)
		pause_ms(1);
	cr_expect_eq(__atomic_load_n(&run.woken, __ATOMIC_SEQ_CST), 0, "%s", strerror(-run.woken));
	cr_expect_eq(blocked_signals(), 0);
	cr_expect_eq(waitpid(-1, NULL, 0), -1, "no child");
}

static void *call(void *arg)
{
	for (uint64_t i = 0; i < CALLS; i++)
		if (own_work(i, 1) != i * 3 + 1)
			abort();
	return arg;
}

static void call_in_threads(void)
{
	pthread_t id[THREADS];

	for (int t = 0; t < THREADS; t++)
		cr_assert_eq(pthread_create(&id[t], NULL, call, NULL), 0);
	for (int t = 0; t < THREADS; t++)
		pthread_join(id[t], NULL);
}

static void end(void)
{
	struct epoll_event event = {.events = EPOLLOUT};
	int ends[2];

	cr_assert_eq(pipe(ends), 0);
	cr_assert_eq(epoll_ctl(run.epoll, EPOLL_CTL_ADD, ends[1], &event), 0);
	__atomic_store_n(&run.over, true, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 3; i++)
		pthread_join(run.id[i], NULL);
	cr_expect_eq(run.woken, 1);
	close(ends[0]);
	close(ends[1]);
	close(run.epoll);
	program = 0;
	munmap(plan, sizeof(*plan));
}

static uint32_t next_plan(enum how how, uint32_t at, uint32_t most)
{
	uint32_t made = plan->made;

	*plan = (struct plan){.number = plan->number + 1, .how = how, .at = at, .most = most};
	return made;
}

struct told {
	int n;
};

static void tell(void *user, const struct ward_site_report *report)
{
	struct told *told = user;

	cr_expect_str_eq(report->site, OWN);
	told->n++;
}

static int attach_once(ward_session **s, struct ward_error *err)
{
	struct told told = {0};
	struct ward_attach_options options = {.size = sizeof(options), .site = OWN, .on_site = tell, .user = &told};
	struct module m = module_read("exact");
	int rc = ward_attach(getpid(), m.data, m.size, &options, s, err);

	cr_expect_eq(told.n, rc == 0, "told of the site %d times", told.n);
	free(m.data);
	return rc;
}

/*
 * One session, in which the helpers that attach and detach come to the lock at these allocations. Returns how many
 * there are in *a and *d.
 */
static void one_session(enum how how, uint32_t attach_at, uint32_t detach_at, uint32_t *a, uint32_t *d)
{
	struct ward_error err;
	ward_session *s;

	next_plan(how, attach_at, 1);
	cr_assert_eq(attach_once(&s, &err), 0, "%u: %s: %s", attach_at, err.what, err.why);
	cr_expect_eq(plan->stuck, attach_at != 0 && plan->made >= attach_at, "%u of %u", attach_at, plan->made);
	all_go_on();
	call_in_threads();
	cr_expect_eq(exact_sum(s).calls, THREADS * CALLS);
	*a = next_plan(how, detach_at, 1);
	cr_assert_eq(ward_detach(s, &err), 0, "%u: %s: %s", detach_at, err.what, err.why);
	cr_expect_eq(plan->stuck, detach_at != 0 && plan->made >= detach_at, "%u of %u", detach_at, plan->made);
	all_go_on();
	call_in_threads();
	cr_expect_eq(exact_sum(s).calls, THREADS * CALLS);
	*d = next_plan(how, 0, 0);
	ward_session_free(s);
	cr_expect_eq(target_changes(getpid()), run.changes);
	cr_expect_eq(target_files(getpid()), 0);
}

Test(locks, at_any_allocation)
{
	enum { POINTS = 10 };
	uint32_t a, d, ignored;

	begin();
	one_session(BY_MUTEX, 0, 0, &a, &d);
	for (uint32_t i = 0; i < POINTS; i++)
		one_session(
			BY_MUTEX, 1 + i * (a - 1) / (POINTS - 1), 1 + i * (d - 1) / (POINTS - 1), &ignored, &ignored);
	one_session(BY_SHARED_FUTEX, a / 2, d / 2, &ignored, &ignored);
	one_session(BY_SPINNING, a / 3, 0, &ignored, &ignored);
	end();
}

/* Another process takes off what is left. It is a copy of this one, too, with all that it needs. */
static void clean_up(void)
{
	pid_t self = getpid(), child = fork();
	int status;

	cr_assert_geq(child, 0);
	if (child == 0)
		_exit(ward_cleanup(self, NULL, NULL) == 0 ? 0 : 1);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(target_changes(self), run.changes);
}

/* It is said what is wrong, and the program is right. */
Test(locks, in_every_copy)
{
	uint32_t a, d;
	struct ward_error err;
	ward_session *s;

	begin();
	one_session(BY_MUTEX, 0, 0, &a, &d);
	for (uint32_t i = 1; i < 4; i++) {
		next_plan(BY_MUTEX, i == 1 ? 1 : i * a / 4, UINT32_MAX);
		cr_assert_eq(attach_once(&s, &err), WARD_E_SYSTEM);
		cr_expect_null(s);
		cr_expect_str_eq(err.what, "attach");
		cr_expect(strstr(err.why, "waited for a lock that another thread held"), "%s", err.why);
		cr_expect(strstr(err.hint, "doesn't support fork"), "%s", err.hint);
		all_go_on();
		next_plan(BY_MUTEX, 0, 0);
		clean_up();
	}
	one_session(BY_MUTEX, 0, 0, &a, &d);
	next_plan(BY_MUTEX, 0, 0);
	cr_assert_eq(attach_once(&s, &err), 0);
	next_plan(BY_MUTEX, 1, UINT32_MAX);
	cr_expect_eq(ward_detach(s, &err), WARD_E_SYSTEM);
	cr_expect_str_eq(err.what, "detach");
	all_go_on();
	call_in_threads();
	cr_expect_eq(exact_sum(s).calls, THREADS * CALLS, "the probes stay");
	next_plan(BY_MUTEX, 0, 0);
	cr_expect_eq(ward_detach(s, &err), 0, "%s: %s", err.what, err.why);
	call_in_threads();
	cr_expect_eq(exact_sum(s).calls, THREADS * CALLS);
	ward_session_free(s);
	cr_expect_eq(target_changes(getpid()), run.changes);
	end();
}

static void *hold_now_and_then(void *arg)
{
	while (__atomic_load_n(&contended, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&busy);
		pause_ms(1);
		pthread_mutex_unlock(&busy);
		pause_ms(1);
	}
	return arg;
}

/*
 * As in a program: some copies have the lock free and some don't, and those that are to take off what others have left
 * may have it, too.
 */
Test(locks, held_now_and_then)
{
	pthread_t id;

	begin();
	for (int i = 0; i < 4; i++) {
		struct ward_error err;
		ward_session *s;
		int rc;

		contended = true;
		cr_assert_eq(pthread_create(&id, NULL, hold_now_and_then, NULL), 0);
		rc = attach_once(&s, &err);
		cr_expect(rc == 0 || (rc == WARD_E_SYSTEM && strcmp(err.what, "attach") == 0), "%s: %s", err.what,
			err.why);
		all_go_on();
		if (rc == 0) {
			call_in_threads();
			cr_expect_eq(exact_sum(s).calls, THREADS * CALLS);
			rc = ward_detach(s, &err);
			cr_expect(rc == 0 || (rc == WARD_E_SYSTEM && strcmp(err.what, "detach") == 0), "%s: %s",
				err.what, err.why);
		}
		all_go_on();
		__atomic_store_n(&contended, false, __ATOMIC_SEQ_CST);
		pthread_join(id, NULL);
		ward_session_free(s);
		if (rc)
			clean_up();
		cr_expect_eq(target_changes(getpid()), run.changes);
	}
	end();
}
