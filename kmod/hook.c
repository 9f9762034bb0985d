// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks: how a function's first instruction comes to run a probe.
 *
 *	function:  call stub            written by the kernel's function tracer
 *	stub:      ...                  in the arena, one for each hook: guards,
 *	                                fills the event (stub.c)
 *	           call probe           verified code, in the arena
 *	           ...
 *	           return               back into the function
 *
 * If the stub can't handle an event, or no probe can run now, it calls ward_enter in C (event.c), which handles all
 * cases and is the reference.
 *
 * Where several hooks have the same function, each stub jumps to the next (direct_call.c). Where another tracer has a
 * function's direct call, the hook is an ordinary callback of the function tracer instead, which does the same as
 * ward_enter.
 *
 * For returns, the first instruction calls a stub that calls the rest of the function, if that is possible (wrap.c).
 * Otherwise the hook is one of the kernel's return probes (kretprobe), which replaces the caller's return address
 * while the function runs. It has room for a limited number of open calls. It misses others, and counts them.
 *
 * Samples are perf events of the kernel's own, on each processor (sample.c).
 *
 * A tracepoint calls a stub, too, with the tracepoint's arguments, and with preemption off or a sleepable RCU lock
 * held; tracepoint_synchronize_unregister waits for the end of either. A tracepoint that fires while a hook runs
 * finds the guard set.
 *
 * A task may be preempted at any instruction of a stub, but neither stubs nor probes ever sleep. After a hook is
 * removed, two waits ensure that no task is in its stub: every task has voluntarily slept (synchronize_rcu_tasks),
 * and, for idle tasks, every processor has scheduled (synchronize_rcu_tasks_rude). Functions that stubs call do
 * sleep; wrap.c describes how such a stub is freed.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/ibt.h>
#include <asm/text-patching.h>

#include "hook.h"
#include "direct_call.h"
#include "sample.h"

enum { OPEN_CALLS = 256 }; /* of a function whose return is hooked */

/* For one of its sides. */
static struct ward_stub_plan plan_of(
	const struct ward_hook *hook, const struct ward_side *side, enum ward_stub_kind kind, const void *enter)
{
	return (struct ward_stub_plan){
		.kind = kind,
		.probe = side->probe,
		.fields = side->fields,
		.clobbers = side->clobbers,
		.number = side->first_number,
		.n_arguments = hook->n_arguments,
		.slow = side->fields & BIT(WARD_SITE) && hook->n_sites > 1,
		.here = hook->session->here,
		.free = &ward_cpu.free,
		.hook = hook,
		.enter = enter,
		.yield = ward_yield,
	};
}

struct ward_stub_plan ward_plan_entry(const struct ward_hook *hook)
{
	struct ward_stub_plan plan = hook->call ? plan_of(hook, &hook->enter, WARD_STUB_CALL, ward_enter_call)
						: plan_of(hook, &hook->enter, WARD_STUB_ENTRY, ward_enter);

	plan.n_only = hook->n_only;
	memcpy(plan.only, hook->only, sizeof(plan.only));
	return plan;
}

/* For both sides, as far as they have probes. */
static struct ward_wrap *make_wrap(struct ward_hook *hook, int *err)
{
	struct ward_wrap_plan plan = {
		.enter = ward_plan_entry(hook),
		.leave = plan_of(hook, &hook->leave, WARD_STUB_RETURN, ward_left),
		.call = hook->call,
		.rest = hook->n_sites == 1 ? ward_rest_of(hook->sites[0]) : NULL,
		.hook = hook,
		.pass = ward_let_pass,
	};

	*err = -EOPNOTSUPP;
	/* Behind their calls functions have no mark that allows calls by address. */
	if (!plan.rest && cpu_feature_enabled(X86_FEATURE_IBT))
		return NULL;
	/* Where functions have been the kernel leads those that come there later, whatever arguments they have. */
	if (!hook->held && !ward_hold_owners(hook->sites, hook->n_sites))
		return NULL;
	hook->held = true;
	return ward_wrap_make(&plan, hook->session->here, err);
}

/* Nobody was ever led there, or is there any more. */
static void forget_code(struct ward_hook *hook)
{
	ftrace_free_filter(&hook->ops);
	memset(&hook->ops, 0, sizeof(hook->ops));
	ward_stub_free(&hook->stub);
	ward_stub_free(&hook->room);
	ward_stub_free(&hook->fresh);
	ward_wrap_forget(hook->wrap);
	hook->wrap = NULL;
	if (hook->held)
		ward_give_owners(hook->sites, hook->n_sites);
	hook->held = false;
}

static void free_hook(struct ward_hook *hook)
{
	forget_code(hook);
	kvfree(hook->sites);
	module_put(hook->owner);
	kfree(hook);
}

static int register_direct(struct ward_hook *hook)
{
	hook->method = WARD_K_DIRECT;
	return ward_lead(hook);
}

/* Another tracer has one of the functions for itself. */
static int register_traced(struct ward_hook *hook)
{
	int err;

	forget_code(hook);
	hook->ops.func = ward_traced;
	hook->ops.flags = FTRACE_OPS_FL_SAVE_REGS;
	hook->method = WARD_K_FTRACE;
	err = ftrace_set_filter_ips(&hook->ops, hook->sites, hook->n_sites, 0, 1);
	return err ?: register_ftrace_function(&hook->ops);
}

static int register_wrap(struct ward_hook *hook)
{
	int err;

	hook->wrap = make_wrap(hook, &err);
	hook->method = WARD_K_WRAP;
	return hook->wrap ? ward_lead(hook) : err;
}

static int register_return(struct ward_hook *hook)
{
	if (hook->session->n_returns == WARD_K_MAX_RETURNS)
		return -E2BIG;
	forget_code(hook);
	hook->kret.kp.addr = (kprobe_opcode_t *)hook->sites[0];
	hook->kret.entry_handler = hook->call ? ward_began_call : ward_began;
	hook->kret.handler = ward_returned;
	hook->kret.data_size = sizeof(struct ward_call);
	hook->kret.maxactive = OPEN_CALLS;
	hook->method = WARD_K_KRETPROBE;
	return register_kretprobe(&hook->kret);
}

static struct ward_hook *new_hook(struct ward_session *s, const struct ward_k_attach *a)
{
	const struct ward_k_entry *entry = &s->entries[a->entry];
	struct ward_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL_ACCOUNT);

	if (!hook)
		return NULL;
	hook->session = s;
	*(ward_is_return(a->where) ? &hook->leave : &hook->enter) = (struct ward_side){
		.probe = (ward_probe_fn)(s->code + entry->offset),
		.fields = entry->event_fields | (s->stacks ? BIT(WARD_FROM) : 0),
		.clobbers = entry->clobbers,
		.first_number = a->first_number,
	};
	hook->n_arguments = a->n_arguments;
	hook->call = ward_is_call(a->where);
	return hook;
}

/* It is hooked, or it failed. */
static int keep_hook(struct ward_session *s, struct ward_k_attach *a, struct ward_hook *hook, int err)
{
	if (err) {
		free_hook(hook);
		return err;
	}
	list_add(&hook->list, &s->hooks);
	a->method = hook->method;
	s->n_returns += hook->method == WARD_K_KRETPROBE;
	s->n_points += hook->method == WARD_K_TRACEPOINT;
	s->n_samples += hook->method == WARD_K_SAMPLER;
	return 0;
}

/* A hook of the other ends of the same functions, which could be those of both; NULL: none. */
static struct ward_hook *find_other(struct ward_session *s, const struct ward_hook *hook)
{
	u32 method = hook->leave.probe ? WARD_K_DIRECT : WARD_K_WRAP;
	struct ward_hook *other;

	list_for_each_entry(other, &s->hooks, list)
	{
		const struct ward_side *there = hook->leave.probe ? &other->leave : &other->enter;

		if (other->method == method && !there->probe && other->call == hook->call &&
			other->n_sites == hook->n_sites &&
			!memcmp(other->sites, hook->sites, array_size(hook->n_sites, sizeof(*hook->sites))))
			return other;
	}
	return NULL;
}

/*
 * Lead the functions of a hook to a stub for both their ends, of which the new
 * hook has the other one. It has no code, and no charge of any, of its own; what
 * code there was, tasks may still be in.
 */
static int hook_join(struct ward_hook *hook, const struct ward_hook *new)
{
	struct ward_side *side = new->leave.probe ? &hook->leave : &hook->enter;
	struct ward_wrap *wrap;
	int err;

	*side = new->leave.probe ? new->leave : new->enter;
	wrap = make_wrap(hook, &err);
	if (wrap)
		err = ward_lead_wrap(hook, &wrap);
	if (err) {
		ward_wrap_forget(wrap);
		*side = (struct ward_side){};
		return err;
	}
	hook->former = wrap;
	hook->method = WARD_K_WRAP;
	return 0;
}

static int hook_entry(struct ward_hook *hook)
{
	int err = register_direct(hook);

	return err == -EBUSY ? register_traced(hook) : err;
}

/* What can't be wrapped one by one is a kretprobe. */
static int hook_return(struct ward_hook *hook, bool in_registers)
{
	int err = in_registers ? register_wrap(hook) : -EOPNOTSUPP;

	return err && hook->n_sites == 1 ? register_return(hook) : err;
}

int ward_hook(struct ward_session *s, struct ward_k_attach *a, unsigned long *sites)
{
	bool in_registers = a->flags & WARD_K_IN_REGISTERS;
	struct ward_hook *hook = new_hook(s, a), *other;

	if (!hook) {
		kvfree(sites);
		return -ENOMEM;
	}
	hook->sites = sites;
	hook->n_sites = a->n_sites;
	other = hook->enter.probe || in_registers ? find_other(s, hook) : NULL;
	if (other && !hook_join(other, hook)) {
		a->method = ward_is_return(a->where) ? WARD_K_WRAP : WARD_K_DIRECT;
		free_hook(hook);
		return 0;
	}
	return keep_hook(s, a, hook, ward_is_return(a->where) ? hook_return(hook, in_registers) : hook_entry(hook));
}

static int make_point_stub(struct ward_hook *hook)
{
	const struct ward_stub_plan plan = plan_of(hook, &hook->enter, WARD_STUB_POINT, ward_passed);

	return ward_stub_make(&hook->stub, &plan);
}

/* Without its size, in no kernel that has the names of its functions, it is a part of stacks. */
static void note_iterator(struct ward_hook *hook)
{
	char name[KSYM_SYMBOL_LEN];
	const char *size;

	hook->iterator = (unsigned long)hook->point->iterator;
	sprint_symbol(name, hook->iterator);
	size = strstr(name, "+0x0/");
	if (size)
		hook->iterator_size = simple_strtoul(size + strlen("+0x0/"), NULL, 16);
}

/* What the tracepoint calls. */
static void *passed_by(const struct ward_hook *hook)
{
	return hook->stub.code ?: (void *)ward_passed;
}

int ward_hook_point(struct ward_session *s, struct ward_k_attach *a, const char *name)
{
	struct ward_hook *hook = new_hook(s, a);
	int err;

	if (!hook)
		return -ENOMEM;
	hook->method = WARD_K_TRACEPOINT;
	err = ward_find_point(name, &hook->point, &hook->owner);
	if (!err) {
		note_iterator(hook);
		err = make_point_stub(hook);
	}
	if (err == -ENOSPC)
		err = 0; /* it does without */
	if (!err)
		err = tracepoint_probe_register(hook->point, passed_by(hook), hook);
	return keep_hook(s, a, hook, err);
}

int ward_hook_sample(struct ward_session *s, struct ward_k_attach *a, const struct ward_k_sample *sample)
{
	struct ward_hook *hook = new_hook(s, a);

	if (!hook)
		return -ENOMEM;
	hook->method = WARD_K_SAMPLER;
	return keep_hook(s, a, hook, ward_samples_begin(hook, sample));
}

/* Those of returns are off already, and no function leads here any more. */
static int take_off(struct ward_hook *hook)
{
	if (hook->method == WARD_K_FTRACE)
		return unregister_ftrace_function(&hook->ops);
	if (hook->method == WARD_K_TRACEPOINT)
		return tracepoint_probe_unregister(hook->point, passed_by(hook), hook);
	return 0;
}

/* Several at once, because each time the kernel waits until no task is in a handler. */
static void take_off_returns(struct ward_session *s)
{
	struct kretprobe *few[16];
	struct ward_hook *hook;
	int n = 0;

	list_for_each_entry(hook, &s->hooks, list)
	{
		if (hook->method != WARD_K_KRETPROBE)
			continue;
		few[n++] = &hook->kret;
		if (n == ARRAY_SIZE(few)) {
			unregister_kretprobes(few, n);
			n = 0;
		}
	}
	if (n)
		unregister_kretprobes(few, n);
}

static void end_samples(struct ward_session *s)
{
	struct ward_hook *hook;

	list_for_each_entry(hook, &s->hooks, list) hook->missed += ward_samples_end(hook);
}

/* What the kernel has missed is reported when nothing else counts any more. */
static void count_missed(struct ward_session *s)
{
	struct ward_hook *hook;

	list_for_each_entry(hook, &s->hooks, list)
	{
		if (hook->method == WARD_K_KRETPROBE)
			hook->missed = hook->kret.nmissed + hook->kret.kp.nmissed;
		else if (hook->method != WARD_K_SAMPLER)
			continue;
		per_cpu_ptr(s->here, 0)->tally->dropped += hook->missed;
		hook->method = 0; /* it is off, whatever becomes of others */
	}
}

/* Calls that return from now on run no probe. */
static void shut_wraps(struct ward_session *s)
{
	struct ward_hook *hook;

	list_for_each_entry(hook, &s->hooks, list)
	{
		if (hook->wrap)
			ward_wrap_shut(hook->wrap);
		if (hook->former)
			ward_wrap_shut(hook->former);
	}
}

/* Nobody is in its code, but for calls that are open. */
static void end_hook(struct ward_hook *hook)
{
	if (hook->wrap)
		ward_wrap_leave(hook->wrap);
	if (hook->former)
		ward_wrap_leave(hook->former);
	hook->wrap = NULL;
	list_del(&hook->list);
	free_hook(hook);
}

void ward_unhook_all(struct ward_session *s)
{
	struct ward_hook *hook, *next;
	int err;

	if (list_empty(&s->hooks))
		return;
	take_off_returns(s);
	end_samples(s);
	err = ward_leads_leave(s);
	list_for_each_entry(hook, &s->hooks, list) err = take_off(hook) ?: err;
	if (WARN_ONCE(err, "ward: a function can't be unhooked\n"))
		s->stuck = true;
	shut_wraps(s);
	if (s->n_points)
		tracepoint_synchronize_unregister();
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
	count_missed(s);
	if (s->stuck)
		return;
	list_for_each_entry_safe(hook, next, &s->hooks, list) end_hook(hook);
	ward_wraps_free();
	s->n_returns = 0;
	s->n_points = 0;
	s->n_samples = 0;
}
