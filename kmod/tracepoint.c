// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints by name. The kernel lists its own tracepoints. It reports those of modules to a notifier for modules
 * that are loaded; at its registration it reports all that are loaded already.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "ward.h"

struct search {
	struct notifier_block modules;
	const char *name;
	struct tracepoint *found;
	struct module *owner; /* NULL: it is the kernel's own */
	u32 n;
	bool leaving; /* or its module isn't there yet */
};

static void look_at(struct search *search, struct tracepoint *point, struct module *owner)
{
	if (strcmp(point->name, search->name) != 0 || search->n++)
		return;
	/* A module that is being loaded may still fail to start; then it goes even if it is held. */
	if (owner && (READ_ONCE(owner->state) != MODULE_STATE_LIVE || !try_module_get(owner))) {
		search->leaving = true;
		return;
	}
	search->found = point;
	search->owner = owner;
}

static void look_at_own(struct tracepoint *point, void *search)
{
	look_at(search, point, NULL);
}

static int look_at_module(struct notifier_block *block, unsigned long state, void *data)
{
	struct module *module = ((struct tp_module *)data)->mod;
	unsigned int i;

	for (i = 0; state == MODULE_STATE_COMING && i < module->num_tracepoints; i++)
		look_at(container_of(block, struct search, modules), tracepoint_ptr_deref(&module->tracepoints_ptrs[i]),
			module);
	return NOTIFY_DONE;
}

int ward_find_point(const char *name, struct tracepoint **point, struct module **owner)
{
	struct search search = {.name = name, .modules.notifier_call = look_at_module};
	int err;

	for_each_kernel_tracepoint(look_at_own, &search);
	err = register_tracepoint_module_notifier(&search.modules);
	if (!err) {
		unregister_tracepoint_module_notifier(&search.modules);
		err = !search.n ? -ENOENT : search.n > 1 ? -ENOTUNIQ : search.leaving ? -ENODEV : 0;
	}
	if (err) {
		module_put(search.owner);
		return err;
	}
	*point = search.found;
	*owner = search.owner;
	return 0;
}
