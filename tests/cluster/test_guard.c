/* SPDX-License-Identifier: Apache-2.0 */
/* The overhead guard: its judge with counts by a seed, its sampler with a process that spends its time as it's told. */
#include "cluster/guard/guard.h"
#include "cluster/guard/sampler.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the judge ---- */

enum { LIMIT = 20000, ROUNDS = 100 };

static uint64_t bits = 88172645463325252u;

static double random_part(void)
{
	bits ^= bits << 13;
	bits ^= bits >> 7;
	bits ^= bits << 17;
	return (double)(bits >> 11) / 9007199254740992.0;
}

/* Of n samples, those that fall into a share. */
static double sample(unsigned n, double share)
{
	unsigned hits = 0;

	for (unsigned i = 0; i < n; i++)
		hits += random_part() < share;
	return hits;
}

/* Seconds until a probe of such a share is called ABOVE, at most `most`. The sampler does as the judge wants. */
static unsigned seconds_until(double share, double busy, unsigned most)
{
	struct cluster_guard guard = {0};
	enum cluster_guard_verdict verdict = GUARD_CALM;

	for (unsigned s = 1; s <= most; s++) {
		unsigned n = (unsigned)((verdict == GUARD_CALM ? SAMPLER_SLOW_HZ : SAMPLER_FAST_HZ) * busy);

		verdict = cluster_guard_second(&guard, sample(n, share), n, 1, LIMIT);
		if (verdict == GUARD_ABOVE)
			return s;
	}
	return most + 1;
}

/* A share of ten times the limit is found at once, one of two limits in some seconds. */
Test(guard, finds_what_is_above)
{
	unsigned slow = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		cr_expect(le(uint, seconds_until(0.2, 1, 60), 5));
		slow += seconds_until(0.04, 1, 60) > 8;
	}
	cr_expect(le(uint, slow, ROUNDS / 10));
}

/* Half the limit for ten minutes: none of 100 processes loses its probes, busy or nearly idle. */
Test(guard, leaves_what_is_below)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < ROUNDS; i++)
		wrong += seconds_until(0.01, i % 2 ? 1 : 0.1, 600) <= 600;
	cr_expect(eq(uint, wrong, 0));
}

/* What was measured doesn't scatter: three seconds after the first are enough, two are not. */
Test(guard, needs_three_seconds)
{
	struct cluster_guard guard = {0};

	for (int i = 0; i < 3; i++)
		cr_expect(eq(int, cluster_guard_second(&guard, 21, 1000, 0, LIMIT), GUARD_SUSPICIOUS));
	cr_expect(eq(int, cluster_guard_second(&guard, 21, 1000, 0, LIMIT), GUARD_ABOVE));
	cr_expect(eq(u32, cluster_guard_share(&guard), 21000));
	guard = (struct cluster_guard){0};
	cluster_guard_second(&guard, 21, 1000, 0, LIMIT);
	cr_expect(eq(int, cluster_guard_second(&guard, 10, 1000, 0, LIMIT), GUARD_CALM));
	cr_expect(eq(int, cluster_guard_second(&guard, 21, 1000, 0, LIMIT), GUARD_SUSPICIOUS));
	cr_expect(eq(int, cluster_guard_second(&guard, 21, 1000, 0, LIMIT), GUARD_SUSPICIOUS));
	cr_expect(
		eq(int, cluster_guard_second(&guard, 0, 0, 0, LIMIT), GUARD_SUSPICIOUS), "an idle second says nothing");
	cr_expect(eq(u32, cluster_guard_share(&guard), 21000));
}

/* ---- the sampler ---- */

/* mov rcx, rdi; 1: dec rcx; jnz 1b; ret */
static const unsigned char spin_code[] = {0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3};
typedef void spin_fn(uint64_t rounds);

static spin_fn *code_map(const char *name)
{
	int fd = memfd_create(name, 0);
	void *at = MAP_FAILED;

	if (fd >= 0 && write(fd, spin_code, sizeof(spin_code)) == sizeof(spin_code))
		at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		_exit(1);
	close(fd);
	spin_fn *spin;
	memcpy(&spin, &at, sizeof(spin));
	return spin;
}

/* Of its time it spends `share` in code that is mapped as Ward's is, until it is killed. */
static pid_t start_busy(double share)
{
	int ready[2];
	char done;
	pid_t pid;

	cr_assert(eq(int, pipe(ready), 0));
	pid = fork();
	if (pid == 0) {
		spin_fn *own = code_map("ward-code"), *other = code_map("others-code");

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;) {
			own((uint64_t)(1 + 100000 * share));
			other((uint64_t)(1 + 100000 * (1 - share)));
		}
	}
	cr_assert(gt(int, pid, 0));
	cr_assert(eq(long, read(ready[0], &done, 1), 1));
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Samples until there are so many, over as many reads as that takes. */
static struct cluster_sampler_share take(struct cluster_sampler *s, pid_t pid, uint64_t wanted)
{
	struct cluster_sampler_share sum = {0};

	while (sum.all < wanted) {
		struct cluster_sampler_share share;

		usleep(50000);
		cluster_sampler_read(s);
		share = cluster_sampler_of(s, pid);
		sum.all += share.all;
		sum.ours += share.ours;
	}
	return sum;
}

/* Not every machine lets a process sample it, nor has such events. */
static void sampler_open(struct cluster_sampler **s)
{
	if (cluster_sampler_open(s) == 0)
		return;
	bool is_known = errno == EACCES || errno == EPERM || errno == ENOENT || errno == ENOSYS;
	cr_assert(is_known, "%s", strerror(errno));
	cr_skip_test("this machine can't be sampled: %s", strerror(errno));
}

Test(sampler, shares)
{
	static const double shares[] = {0, 0.1, 0.5};
	struct cluster_sampler *s = NULL;
	pid_t pid[3];

	sampler_open(&s);
	cr_assert(eq(int, cluster_sampler_rate(s, SAMPLER_FAST_HZ), 0));
	for (int i = 0; i < 3; i++) {
		pid[i] = start_busy(shares[i]);
		cr_assert(eq(int, cluster_sampler_watch(s, pid[i]), 0));
	}
	for (int i = 0; i < 3; i++) {
		struct cluster_sampler_share got = take(s, pid[i], 250);
		double share = (double)got.ours / (double)got.all;

		cr_expect(lt(dbl, fabs(share - shares[i]), 0.12), "%g of %g", share, shares[i]);
		cluster_sampler_forget(s, pid[i]);
		cluster_sampler_read(s);
		cr_expect(eq(u64, cluster_sampler_of(s, pid[i]).all, 0));
	}
	cr_expect(eq(u64, cluster_sampler_lost(s), 0));
	for (int i = 0; i < 3; i++)
		end(pid[i]);
	cluster_sampler_close(s);
}

/* One query's probes aren't another's: mappings are told apart by their inode. */
Test(sampler, of_one_mapping)
{
	struct cluster_sampler *s = NULL;
	struct cluster_sampler_share all = {0};
	pid_t pid = start_busy(0.5);
	char command[100];
	uint64_t inode = 0, own = 0;
	FILE *f;

	snprintf(command, sizeof(command), "awk '/ward-code/ { print $5 }' /proc/%d/maps", pid);
	f = popen(command, "r");
	cr_assert(f && fscanf(f, "%lu", &inode) == 1);
	pclose(f);
	sampler_open(&s);
	cr_assert(eq(int, cluster_sampler_rate(s, SAMPLER_FAST_HZ), 0));
	cr_assert(eq(int, cluster_sampler_watch(s, pid), 0));
	while (all.all < 200) {
		usleep(50000);
		cluster_sampler_read(s);
		all.all += cluster_sampler_of(s, pid).all;
		all.ours += cluster_sampler_of(s, pid).ours;
		own += cluster_sampler_of_mapping(s, pid, inode);
		cr_expect(eq(u64, cluster_sampler_of_mapping(s, pid, inode + 1), 0));
	}
	cr_expect(gt(u64, own, 0));
	cr_expect(eq(u64, own, all.ours));
	end(pid);
	cluster_sampler_close(s);
}

/* A process that isn't there is an error, and leaves the others as they were. */
Test(sampler, of_nobody)
{
	struct cluster_sampler *s = NULL;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	sampler_open(&s);
	cr_expect(eq(int, cluster_sampler_watch(s, getpid()), 0));
	waitpid(pid, NULL, 0);
	cr_expect(eq(int, cluster_sampler_watch(s, pid), -1));
	cluster_sampler_forget(s, pid);
	cr_expect(eq(int, cluster_sampler_watch(s, getpid()), 0));
	cluster_sampler_close(s);
}
