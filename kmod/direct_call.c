// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function has one first instruction, which can call one place directly. For more callers the kernel's function
 * tracer walks lists, at ten times the cost. So only one of all hooks of a function is called directly, whether they
 * belong to one session or several. It jumps to the next one where it would return:
 *
 *	function:   call stub A
 *	stub A:     ... call probe A ... jmp stub B
 *	stub B:     ... call probe B ... return	into the function
 *
 * Each stub finds registers and stack as they were at the function's entry. A stub that wraps calls must be the last
 * one, because it doesn't jump on. So a function can't have two of them.
 *
 * A lead is such a row of hooks with the functions that they have. A hook with the same functions is put before the
 * others: its stub jumps to theirs, and the functions are redirected to it in one step, so that no call is missed. A
 * hook with only a few of these functions is put there, too, and its stub first compares which function has called. A
 * hook that also has other functions can't be: it finds functions held, as if by another tracer, and the function
 * tracer calls it (hook.c).
 *
 * When a hook is removed, or becomes one that wraps calls, the hooks before it get new stubs, which jump past it.
 * Removal mustn't fail for lack of room. So each stub that jumps on to another one has room for its successor from
 * the start. The replaced stub becomes that room when no processor is in it any more.
 *
 * A lead keeps the functions of its first hook until it has no hooks. If the first hook had many functions and the
 * remaining ones have few, the others still call a stub, which compares their addresses and returns.
 *
 * The kernel has a table of all redirected functions, with 4096 rows. When it holds twice as many functions, the
 * kernel makes a new table of that size for each further function, and (6.1) forgets to free the old one: 32 KB a
 * function. So beyond that number no function is redirected; it counts as held by another tracer.
 */
#include <linux/bsearch.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>

#include "compat.h"
#include "direct_call.h"

struct ward_lead {
	struct list_head list;
	struct list_head hooks; /* in the order in which they run */
	struct ftrace_ops ops;
	const u8 *code; /* where the functions are led; NULL: nowhere */
	bool shorter;   /* hooks are gone from it */
	u32 n_sites;
	unsigned long sites[]; /* ascending */
};

static DEFINE_MUTEX(lock); /* of all leads, and of what their hooks have for them */
static LIST_HEAD(leads);
static bool replaced; /* some stubs, where tasks may still be */
static u32 n_led;     /* functions, of all leads */

/* Some are left to others: BPF's programs have them one by one. */
enum { MAX_LED = 2 * 4096 - 192 };

/* ---- Functions ---- */

const u8 *ward_rest_of(unsigned long site)
{
	static const u8 nop[MCOUNT_INSN_SIZE] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	u8 bytes[4 + MCOUNT_INSN_SIZE];
	u32 at = 0, first;

	if (copy_from_kernel_nofault(bytes, (const void *)site, sizeof(bytes)))
		return NULL;
	memcpy(&first, bytes, sizeof(first));
	if (ward_is_endbr(first))
		at = sizeof(first);
	if (bytes[at] != CALL_INSN_OPCODE && memcmp(bytes + at, nop, sizeof(nop)) != 0)
		return NULL;
	return (const u8 *)site + at + MCOUNT_INSN_SIZE;
}

static bool has_the_same(const struct ward_lead *lead, const struct ward_hook *hook)
{
	return lead->n_sites == hook->n_sites &&
	       !memcmp(lead->sites, hook->sites, array_size(hook->n_sites, sizeof(*hook->sites)));
}

static int lead_compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Few functions, all of which it has; a hook that wraps calls wraps all. */
static bool has_these(const struct ward_lead *lead, const struct ward_hook *hook)
{
	u32 i;

	if (hook->n_sites > WARD_STUB_ONLY || hook->wrap || hook->sites[0] < lead->sites[0] ||
		hook->sites[0] > lead->sites[lead->n_sites - 1])
		return false;
	for (i = 0; i < hook->n_sites; i++)
		if (!bsearch(&hook->sites[i], lead->sites, lead->n_sites, sizeof(*lead->sites), lead_compare))
			return false;
	return true;
}

/* What its stub compares. */
static int take_only(struct ward_hook *hook)
{
	u32 i;

	for (i = 0; i < hook->n_sites; i++) {
		hook->only[i] = (unsigned long)ward_rest_of(hook->sites[i]);
		if (!hook->only[i])
			return -EBUSY;
	}
	hook->n_only = hook->n_sites;
	return 0;
}

static struct ward_lead *find_lead(const struct ward_hook *hook)
{
	struct ward_lead *lead;

	list_for_each_entry(lead, &leads, list) if (has_the_same(lead, hook) || has_these(lead, hook)) return lead;
	return NULL;
}

static struct ward_lead *new_lead(const struct ward_hook *hook)
{
	struct ward_lead *lead;

	if (hook->n_sites > MAX_LED - n_led)
		return ERR_PTR(-EBUSY);
	lead = kvzalloc(struct_size(lead, sites, hook->n_sites), GFP_KERNEL_ACCOUNT);
	if (!lead)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&lead->hooks);
	lead->n_sites = hook->n_sites;
	memcpy(lead->sites, hook->sites, array_size(hook->n_sites, sizeof(*hook->sites)));
	list_add(&lead->list, &leads);
	n_led += lead->n_sites;
	return lead;
}

static void free_lead(struct ward_lead *lead)
{
	list_del(&lead->list);
	n_led -= lead->n_sites;
	ftrace_free_filter(&lead->ops);
	kvfree(lead);
}

/* ---- Stubs ---- */

static const u8 *code_of(const struct ward_hook *hook)
{
	return hook->wrap ? ward_wrap_code(hook->wrap) : hook->fresh.code ?: hook->stub.code;
}

static int make_stub(struct ward_hook *hook, const u8 *next)
{
	struct ward_stub_plan plan = ward_plan_entry(hook);
	int err = 0;

	plan.next = next;
	/* Where there was a stub that becomes the room (settle). */
	if (next && !hook->stub.code)
		err = ward_stub_take(&hook->room, &plan);
	if (err)
		return err;
	if (hook->stub.code)
		swap(hook->fresh, hook->room);
	return ward_stub_make(&hook->fresh, &plan);
}

/* Make new stubs for those that don't continue as they should. No function leads to any of them. */
static int make_stubs(struct ward_lead *lead)
{
	const u8 *next = NULL;
	struct ward_hook *hook;

	list_for_each_entry_reverse(hook, &lead->hooks, in_lead)
	{
		if (!hook->wrap && (!hook->stub.code || hook->stub.next != next)) {
			int err = make_stub(hook, next);

			if (err)
				return err;
		}
		next = code_of(hook);
	}
	return 0;
}

/* Nobody was led there. */
static void forget_stubs(struct ward_lead *lead)
{
	struct ward_hook *hook;

	list_for_each_entry(hook, &lead->hooks, in_lead)
	{
		if (hook->room.code)
			ward_stub_free(&hook->fresh);
		else
			swap(hook->room, hook->fresh);
	}
}

/* Tasks may be in the old ones. */
static void take_stubs(struct ward_lead *lead)
{
	struct ward_hook *hook;

	list_for_each_entry(hook, &lead->hooks, in_lead)
	{
		if (!hook->fresh.code)
			continue;
		hook->old = hook->stub;
		hook->stub = hook->fresh;
		hook->fresh = (struct ward_stub){};
		replaced = replaced || hook->old.code;
	}
}

/* Until tasks aren't in the old ones, nothing else is done to any lead. */
static void leads_settle(void)
{
	struct ward_lead *lead;
	struct ward_hook *hook;

	if (!replaced)
		return;
	synchronize_rcu_tasks_rude();
	synchronize_rcu_tasks();
	list_for_each_entry(lead, &leads, list)
	{
		list_for_each_entry(hook, &lead->hooks, in_lead)
		{
			if (!hook->old.code)
				continue;
			hook->room = hook->old;
			hook->old = (struct ward_stub){};
		}
	}
	replaced = false;
}

/* ---- Leads ---- */

/* Lead the functions to the first hook. */
static int lead_point(struct ward_lead *lead)
{
	const u8 *code = code_of(list_first_entry(&lead->hooks, struct ward_hook, in_lead));
	int err = 0;

	if (!lead->code)
		err = ftrace_set_filter_ips(&lead->ops, lead->sites, lead->n_sites, 0, 1)
			      ?: ward_direct_register(&lead->ops, (unsigned long)code);
	else if (code != lead->code)
		err = ward_direct_modify(&lead->ops, (unsigned long)code);
	if (!err)
		lead->code = code;
	return err;
}

/* Its hooks have changed, or continue elsewhere. */
static int lead_change(struct ward_lead *lead)
{
	int err = make_stubs(lead) ?: lead_point(lead);

	if (err)
		forget_stubs(lead);
	else
		take_stubs(lead);
	return err;
}

/* Only one can wrap calls, all that there are. */
static bool may_wrap(const struct ward_lead *lead, const struct ward_hook *hook)
{
	const struct ward_hook *last;

	if (list_empty(&lead->hooks))
		return true;
	last = list_last_entry(&lead->hooks, struct ward_hook, in_lead);
	return !hook->n_only && (last == hook || !last->wrap);
}

/* A hook with a lead must become the last. */
static int put_last(struct ward_hook *hook)
{
	struct list_head *before = hook->in_lead.prev;
	int err;

	if (!may_wrap(hook->lead, hook))
		return -EBUSY;
	list_move_tail(&hook->in_lead, &hook->lead->hooks);
	err = lead_change(hook->lead);
	if (err)
		list_move(&hook->in_lead, before);
	return err;
}

static int lead_add(struct ward_lead *lead, struct ward_hook *hook)
{
	int err = has_the_same(lead, hook) ? 0 : take_only(hook);

	if (!err && hook->wrap && !may_wrap(lead, hook))
		err = -EBUSY;
	if (err)
		return err;
	if (hook->wrap)
		list_add_tail(&hook->in_lead, &lead->hooks);
	else
		list_add(&hook->in_lead, &lead->hooks);
	hook->lead = lead;
	err = lead_change(lead);
	if (err) {
		list_del(&hook->in_lead);
		hook->lead = NULL;
	}
	return err;
}

static int lead_join(struct ward_hook *hook)
{
	struct ward_lead *lead = find_lead(hook) ?: new_lead(hook);
	int err;

	if (IS_ERR(lead))
		return PTR_ERR(lead);
	err = lead_add(lead, hook);
	if (list_empty(&lead->hooks))
		free_lead(lead);
	return err;
}

int ward_lead(struct ward_hook *hook)
{
	int err;

	mutex_lock(&lock);
	err = lead_join(hook);
	leads_settle();
	mutex_unlock(&lock);
	return err;
}

int ward_lead_wrap(struct ward_hook *hook, struct ward_wrap **wrap)
{
	int err;

	mutex_lock(&lock);
	swap(hook->wrap, *wrap);
	err = put_last(hook);
	if (err)
		swap(hook->wrap, *wrap);
	leads_settle();
	mutex_unlock(&lock);
	return err;
}

/* Some of its hooks are gone. */
static int lead_shorten(struct ward_lead *lead)
{
	int err;

	if (!list_empty(&lead->hooks))
		return lead_change(lead);
	err = ward_direct_unregister(&lead->ops, (unsigned long)lead->code);
	if (!err)
		free_lead(lead);
	return err;
}

int ward_leads_leave(struct ward_session *s)
{
	struct ward_lead *lead, *next;
	struct ward_hook *hook;
	int err = 0;

	mutex_lock(&lock);
	list_for_each_entry(hook, &s->hooks, list)
	{
		if (!hook->lead)
			continue;
		list_del(&hook->in_lead);
		hook->lead->shorter = true;
		hook->lead = NULL;
	}
	list_for_each_entry_safe(lead, next, &leads, list)
	{
		if (lead->shorter) {
			lead->shorter = false;
			err = lead_shorten(lead) ?: err;
		}
	}
	leads_settle();
	mutex_unlock(&lock);
	return err;
}
