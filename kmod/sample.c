// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: probes that run each time that a clock or a counter has come so far (perf events of the kernel's own).
 *
 * A hook of samples has an event on each processor, or, if it is once for the machine, on one. The event's handler
 * runs in whatever the processor was doing, which is what the probe is told of: in an interrupt for a clock, in the
 * task for what the kernel itself counts (page faults), in an NMI for what the processor counts, and for a
 * breakpoint. There the probe runs, too, unless the processor's guard is set: an NMI finds the guard as any other
 * interrupt does, ends before what it has interrupted goes on, and takes no lock (import.c: nor does it touch the
 * process's memory, as it may have come amid a change from one process to another). All that a probe has is its
 * processor's event and state, of which the guard has one user at a time. A sample that finds the guard set is dropped
 * and counted.
 *
 * Processors come and go. Making or ending an event may wait for the very lock that is held while one goes, so a
 * worker does it afterwards. A processor has an age, which grows each time that one goes: the kernel has taken off an
 * event that was made at another age.
 *
 * What is missing is counted where that can be known. Of a clock it can: as many samples are due as periods have
 * passed. The kernel leaves some out while interrupts are off for longer, and when it holds an event back that comes
 * too often (kernel.perf_event_max_sample_rate). That an event was held back is counted of all.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <asm/local.h>

#include "hook.h"
#include "sample.h"

/* What perf leaves where it has held an event back. */
#define HELD_BACK (~0ULL)

/* A processor's part. */
struct sampler {
	struct perf_event *event; /* NULL: none */
	struct ward_hook *hook;
	u32 age;   /* the processor's, when the event was made */
	u64 began; /* then, in nanoseconds */
	u64 seen;  /* samples since then */
	/* written where processors come and go: */
	u32 now;  /* the processor's age */
	u64 left; /* when it went last */
	bool here;
};

struct ward_samples {
	struct hlist_node node; /* of those that are told where processors come and go */
	struct work_struct work;
	struct mutex lock; /* what events there are, and what of the next line */
	u64 missed;
	struct ward_hook *hook;
	struct perf_event_attr attr;
	bool once; /* for the machine */
	struct sampler __percpu *on;
};

static enum cpuhp_state hotplug;

static void ward_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct sampler *one = event->overflow_handler_context;
	struct ward_k_tally *tally = raw_cpu_ptr(one->hook->session->here)->tally;

	one->seen++;
	if (event->hw.interrupts == HELD_BACK)
		local_inc((local_t *)&tally->held_back);
	ward_sampled(one->hook, regs, data->sample_flags & PERF_SAMPLE_ADDR ? data->addr : 0);
}

/* ---- The events ---- */

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int sampler_begin(struct ward_samples *s, struct sampler *one, u32 cpu)
{
	struct perf_event *event;

	one->age = READ_ONCE(one->now);
	one->seen = 0;
	event = perf_event_create_kernel_counter(&s->attr, cpu, NULL, ward_overflow, one);
	if (IS_ERR(event))
		return PTR_ERR(event);
	one->began = ktime_get_ns();
	one->event = event;
	return 0;
}

static void sampler_end(struct ward_samples *s, struct sampler *one)
{
	u64 ended = one->age == READ_ONCE(one->now) ? ktime_get_ns() : READ_ONCE(one->left), due;

	if (!one->event)
		return;
	perf_event_release_kernel(one->event);
	one->event = NULL;
	due = is_clock(&s->attr) && ended > one->began ? div64_u64(ended - one->began, s->attr.sample_period) : 0;
	if (due > one->seen)
		s->missed += due - one->seen;
}

/* An event wherever one belongs now, and nowhere else. */
static int samples_settle(struct ward_samples *s)
{
	bool found = false;
	int err = 0;
	u32 cpu;

	mutex_lock(&s->lock);
	for_each_possible_cpu(cpu)
	{
		struct sampler *one = per_cpu_ptr(s->on, cpu);

		if (one->event && one->age != READ_ONCE(one->now))
			sampler_end(s, one);
		found |= one->event != NULL;
	}
	for_each_possible_cpu(cpu)
	{
		struct sampler *one = per_cpu_ptr(s->on, cpu);
		int failed = 0;

		if (!one->event && READ_ONCE(one->here) && !(s->once && found)) {
			failed = sampler_begin(s, one, cpu);
			found |= !failed;
		}
		if (failed && failed != -ENODEV) /* it went just now */
			err = failed;
	}
	mutex_unlock(&s->lock);
	return err;
}

/* ---- Processors that come and go ---- */

static void samples_work(struct work_struct *work)
{
	struct ward_samples *s = container_of(work, struct ward_samples, work);
	int err = samples_settle(s);

	if (err)
		pr_warn_ratelimited("ward: a processor that came online isn't sampled: %d\n", err);
}

static int processor_comes(unsigned int cpu, struct hlist_node *node)
{
	struct ward_samples *s = hlist_entry(node, struct ward_samples, node);

	WRITE_ONCE(per_cpu_ptr(s->on, cpu)->here, true);
	queue_work(system_unbound_wq, &s->work);
	return 0;
}

static int processor_goes(unsigned int cpu, struct hlist_node *node)
{
	struct ward_samples *s = hlist_entry(node, struct ward_samples, node);
	struct sampler *one = per_cpu_ptr(s->on, cpu);

	WRITE_ONCE(one->here, false);
	WRITE_ONCE(one->left, ktime_get_ns());
	smp_store_release(&one->now, one->now + 1);
	queue_work(system_unbound_wq, &s->work);
	return 0;
}

int ward_samples_init(void)
{
	int state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "ward:samples", processor_comes, processor_goes);

	if (state < 0)
		return state;
	hotplug = state;
	return 0;
}

void ward_samples_exit(void)
{
	cpuhp_remove_multi_state(hotplug);
}

/* ---- Hooks ---- */

static void samples_free(struct ward_samples *s)
{
	if (s)
		free_percpu(s->on);
	kfree(s);
}

static struct ward_samples *samples_new(struct ward_hook *hook, const struct ward_k_sample *asked)
{
	struct ward_samples *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	u32 cpu;

	if (!s)
		return NULL;
	s->on = alloc_percpu_gfp(struct sampler, GFP_KERNEL_ACCOUNT);
	if (!s->on) {
		kfree(s);
		return NULL;
	}
	for_each_possible_cpu(cpu) per_cpu_ptr(s->on, cpu)->hook = hook;
	mutex_init(&s->lock);
	INIT_WORK(&s->work, samples_work);
	s->hook = hook;
	s->once = asked->flags & WARD_K_ONCE;
	s->attr = (struct perf_event_attr){
		.size = sizeof(s->attr),
		.type = asked->type,
		.config = asked->config,
		.sample_period = asked->period,
		.sample_type = PERF_SAMPLE_ADDR,
		.bp_addr = asked->address,
		.bp_len = asked->length,
		.bp_type = asked->access,
	};
	return s;
}

bool ward_sample_is_good(const struct ward_k_sample *asked)
{
	bool is_breakpoint = asked->type == PERF_TYPE_BREAKPOINT;

	return asked->size == sizeof(*asked) && !(asked->flags & ~WARD_K_ONCE) && asked->period &&
	       asked->period <= WARD_K_MAX_PERIOD &&
	       (is_breakpoint || asked->type == PERF_TYPE_HARDWARE || asked->type == PERF_TYPE_SOFTWARE ||
		       asked->type == PERF_TYPE_HW_CACHE) &&
	       (is_breakpoint || !(asked->address || asked->length || asked->access));
}

int ward_samples_begin(struct ward_hook *hook, const struct ward_k_sample *asked)
{
	struct ward_samples *s = samples_new(hook, asked);
	int err;

	if (!s)
		return -ENOMEM;
	hook->samples = s;
	err = cpuhp_state_add_instance(hotplug, &s->node);
	if (err) {
		samples_free(s);
		hook->samples = NULL;
		return err;
	}
	err = samples_settle(s);
	if (err)
		ward_samples_end(hook);
	return err;
}

u64 ward_samples_end(struct ward_hook *hook)
{
	struct ward_samples *s = hook->samples;
	u64 missed;
	u32 cpu;

	if (!s)
		return 0;
	cpuhp_state_remove_instance_nocalls(hotplug, &s->node);
	cancel_work_sync(&s->work);
	for_each_possible_cpu(cpu) sampler_end(s, per_cpu_ptr(s->on, cpu));
	/* A handler runs with preemption off, and may have been interrupted by the end of its event. */
	synchronize_rcu();
	missed = s->missed;
	samples_free(s);
	hook->samples = NULL;
	return missed;
}
