// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions whose calls sleep, nest, never end, or return more than a word. Writing to a parameter calls them; the
 * write fails if they go wrong.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/wait.h>

#include "words.h"

#define APART __attribute__((__noipa__))

/* ---- Sleeping ---- */

static DECLARE_WAIT_QUEUE_HEAD(sleepers);
static atomic_t n_asleep = ATOMIC_INIT(0), n_bad = ATOMIC_INIT(0);
static bool awake;

u64 ward_sleep(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f);
APART u64 ward_sleep(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f)
{
	atomic_inc(&n_asleep);
	wait_event_interruptible(sleepers, READ_ONCE(awake));
	atomic_dec(&n_asleep);
	return MIX(a, b, c, d, e, f, 077UL);
}

static int sleeper(void *unused)
{
	u64 is = ward_sleep(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5));

	if (is != MIX(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4), WORD(5), 077UL))
		atomic_inc(&n_bad);
	module_put_and_kthread_exit(0);
	return 0;
}

/* So many threads, until somebody wakes all. */
static int sleep(const char *text, const struct kernel_param *unused)
{
	unsigned int n, i;
	int err = kstrtouint(text, 0, &n);

	for (i = 0; !err && i < n; i++) {
		struct task_struct *thread;

		__module_get(THIS_MODULE);
		thread = kthread_run(sleeper, NULL, "ward_sleep");
		err = PTR_ERR_OR_ZERO(thread);
		if (err)
			module_put(THIS_MODULE);
	}
	return err;
}

/* How many are asleep, and how many have got back what they shouldn't. */
static int asleep(char *text, const struct kernel_param *unused)
{
	return sysfs_emit(text, "%d %d\n", atomic_read(&n_asleep), atomic_read(&n_bad));
}

static int wake(const char *text, const struct kernel_param *unused)
{
	WRITE_ONCE(awake, text[0] != '0');
	wake_up_all(&sleepers);
	return 0;
}

/* ---- Nesting ---- */

u64 ward_deep(u64 n);
APART u64 ward_deep(u64 n)
{
	u64 below = n ? ward_deep(n - 1) : 0;

	OPTIMIZER_HIDE_VAR(below); /* it is a call, no jump */
	return below + n;
}

static int deep(const char *text, const struct kernel_param *unused)
{
	u64 n;
	int err = kstrtou64(text, 0, &n);

	if (!err && n > 256)
		err = -EINVAL;
	return err ?: ward_deep(n) == n * (n + 1) / 2 ? 0 : -EILSEQ;
}

/* ---- Ending inside ---- */

static DECLARE_COMPLETION(ended);

u64 ward_end(u64 code);
APART u64 ward_end(u64 code)
{
	if (code == WORD(0)) {
		complete(&ended);
		module_put_and_kthread_exit(0);
	}
	return code;
}

static int begin(void *unused)
{
	return ward_end(WORD(0));
}

static int end(const char *text, const struct kernel_param *unused)
{
	struct task_struct *thread;

	__module_get(THIS_MODULE);
	thread = kthread_run(begin, NULL, "ward_end");
	if (IS_ERR(thread)) {
		module_put(THIS_MODULE);
		return PTR_ERR(thread);
	}
	wait_for_completion(&ended);
	return 0;
}

/* ---- Returning more ---- */

struct ward_pair {
	u64 v[2];
};
struct ward_four {
	u64 v[4];
};

struct ward_pair ward_two(u64 a, u64 b);
APART struct ward_pair ward_two(u64 a, u64 b)
{
	return (struct ward_pair){{a ^ b, a - b}};
}

/* With a hidden argument that says where. */
struct ward_four ward_four(u64 a, u64 b, u64 c, u64 d, u64 e);
APART struct ward_four ward_four(u64 a, u64 b, u64 c, u64 d, u64 e)
{
	return (struct ward_four){{a ^ e, b - e, c + e, d}};
}

static bool are_good(void)
{
	struct ward_pair two = ward_two(WORD(0), WORD(1));
	struct ward_four four = ward_four(WORD(0), WORD(1), WORD(2), WORD(3), WORD(4));

	return two.v[0] == (WORD(0) ^ WORD(1)) && two.v[1] == WORD(0) - WORD(1) && four.v[0] == (WORD(0) ^ WORD(4)) &&
	       four.v[1] == WORD(1) - WORD(4) && four.v[2] == WORD(2) + WORD(4) && four.v[3] == WORD(3);
}

static int more(const char *text, const struct kernel_param *unused)
{
	unsigned int n, i;
	int err = kstrtouint(text, 0, &n);

	for (i = 0; !err && i < n; i++)
		err = are_good() ? 0 : -EILSEQ;
	return err;
}

#define PARAMETER(name) \
	static const struct kernel_param_ops name##_ops = {.set = name}; \
	module_param_cb(name, &name##_ops, NULL, 0200)

PARAMETER(sleep);
PARAMETER(wake);
PARAMETER(deep);
PARAMETER(end);
PARAMETER(more);

static const struct kernel_param_ops asleep_ops = {.get = asleep};

module_param_cb(asleep, &asleep_ops, NULL, 0400);
