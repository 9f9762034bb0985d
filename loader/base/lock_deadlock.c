/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A forked copy of a process that waits for a lock which will never be released.
 *
 * A fork copies one thread, and all the locks that the other threads held at that moment. No thread releases these
 * locks in the copy. The C library resets its own locks, but another allocator may not. Then the copy waits for ever
 * when it needs memory.
 *
 * The copy can detect that itself, in a signal handler, because a signal interrupts a wait for a lock. Suppose that
 * the handler will return to a `syscall` instruction; that the call sleeps, without a timeout, until the word at some
 * address changes; and that the futex there is private to this process. Then only a thread of this process could wake
 * it, and this thread is the only one. That is certain at once, so it also works on a busy machine. (If the call had
 * a timeout, the kernel would let it return instead of restarting it.)
 *
 * A lock that is polled in a loop can't be distinguished from work with certainty. But such a loop returns to one
 * place with the same values in all but a few registers, which count, and work rarely does that. If that is found
 * again and again, with the copy running in between, it is taken for such a loop. That happens soon if the copy has
 * just made a system call that returned 0 (sched_yield, with which it hardly runs on a busy machine), and otherwise
 * after a quarter of a second of its own processor time. Time in which others ran doesn't count, and a copy that
 * sleeps in between isn't in such a loop. A wrong decision costs another copy.
 *
 * A wait with all signals blocked isn't detected, nor is a loop that sleeps.
 */
#define _GNU_SOURCE 1

#include "lock_deadlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	LOOK_NS = 100000000, /* longer than others wait at a time: what is interrupted each time would never end */
	SPIN_NS = 10000000,  /* processor time between two looks that count */
	YIELD_NS = 20000,    /* the same behind a system call */
	SPIN_LOOKS = 25,     /* so many more of them at one place than elsewhere */
	SPIN_REGISTERS = 2,  /* may count what it does */
};

static bool is_at_syscall(const greg_t *r, long number)
{
	const uint8_t *at = (const uint8_t *)r[REG_RIP];

	return r[REG_RAX] == number && at[0] == 0x0f && at[1] == 0x05;
}

/*
 * Is it memory that no other process has? For each page the kernel says whether it is present or swapped out, and
 * whether it belongs to a file or is shared.
 */
static bool is_own_memory(uint64_t address)
{
	const uint64_t there = 3ull << 62, shared = 1ull << 61;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t page = 0;
	bool got = fd >= 0 && pread(fd, &page, sizeof(page), (off_t)(address / PAGE * sizeof(page))) == sizeof(page);

	if (fd >= 0)
		close(fd);
	return got && page & there && !(page & shared);
}

/*
 * Would it sleep now, and for ever? A futex call with a timeout of zero shows whether there is something to wait for.
 */
static bool waits_for_itself(const greg_t *r)
{
	const struct timespec none = {0};
	int op = (int)r[REG_RSI], command = op & FUTEX_CMD_MASK;

	if (!is_at_syscall(r, SYS_futex) || r[REG_R10] != 0 ||
		!(op & FUTEX_PRIVATE_FLAG || is_own_memory((uint64_t)r[REG_RDI])))
		return false;
	if (command == FUTEX_LOCK_PI) /* made only when another thread has the lock */
		return true;
	return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) &&
	       syscall(SYS_futex, r[REG_RDI], FUTEX_WAIT_PRIVATE, r[REG_RDX], &none, NULL, 0) < 0 && errno == ETIMEDOUT;
}

static bool is_same_place(const struct wl_standstill *s, const greg_t *r)
{
	int different = 0;

	for (int i = 0; i <= REG_RIP; i++)
		different += r[i] != s->registers[i];
	return r[REG_RIP] == s->registers[REG_RIP] && r[REG_RSP] == s->registers[REG_RSP] &&
	       different <= SPIN_REGISTERS;
}

static bool spins(struct wl_standstill *s, const greg_t *r)
{
	bool yields = r[REG_RCX] == r[REG_RIP] && r[REG_RAX] == 0; /* the kernel leaves there where it returned to */
	struct timespec used = {0};
	int64_t cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	cpu = (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
	if (r[REG_RAX] == -EINTR) /* that was asleep */
		s->looks = 0;
	if (cpu - s->cpu < (yields ? YIELD_NS : SPIN_NS) || r[REG_RAX] == -EINTR)
		return false;
	s->cpu = cpu;
	if (is_same_place(s, r))
		s->looks++;
	else if (s->looks > 0)
		s->looks--;
	else
		memcpy(s->registers, r, sizeof(s->registers));
	return s->looks >= SPIN_LOOKS;
}

/* The timer passes its owner, so the library needs no variable for that. */
static void look(int signal, siginfo_t *info, void *context)
{
	const greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	struct wl_standstill *s = info->si_value.sival_ptr;
	int saved = errno;

	(void)signal;
	if (info->si_code != SI_TIMER) /* another timer's */
		return;
	s->look(s->user);
	if (waits_for_itself(r) || spins(s, r))
		s->give_up(s->user);
	errno = saved;
}

bool wl_standstill_begin(struct wl_standstill *s)
{
	struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_RESTART | SA_SIGINFO};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = s};
	sigset_t alarm;

	sigfillset(&action.sa_mask);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	return timer_create(CLOCK_MONOTONIC, &event, &s->timer) == 0 && sigaction(SIGALRM, &action, NULL) == 0 &&
	       sigprocmask(SIG_UNBLOCK, &alarm, NULL) == 0;
}

void wl_standstill_watch(struct wl_standstill *s, bool on)
{
	const struct timespec each = {.tv_nsec = on ? LOOK_NS : 0};
	const struct itimerspec period = {each, each};

	s->looks = 0;
	timer_settime(s->timer, 0, &period, NULL);
}
