// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modules that functions belong to. The kernel doesn't offer a search for a module by address. But all modules
 * are in one set of sysfs, which can be reached from ward.ko itself. A module in the set is alive while the set's
 * lock is held.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <asm/pgtable.h>

#include "hook.h"

/*
 * NULL: no module, or code that a module runs only once. A module that isn't live yet may still fail to start; then
 * it goes even if it is held.
 */
static struct module *owner_of(unsigned long address, bool hold)
{
	struct kset *all = THIS_MODULE->mkobj.kobj.kset;
	struct module *owner = NULL;
	struct kobject *kobj;

	spin_lock(&all->list_lock);
	list_for_each_entry(kobj, &all->list, entry)
	{
		struct module *module = container_of(kobj, struct module_kobject, kobj)->mod;

		if (!module || !within_module_core(address, module))
			continue;
		if (!hold || (READ_ONCE(module->state) == MODULE_STATE_LIVE && try_module_get(module)))
			owner = module;
		break;
	}
	spin_unlock(&all->list_lock);
	return owner;
}

static bool is_of_module(unsigned long address)
{
	return address >= MODULES_VADDR && address < MODULES_END;
}

bool ward_hold_owners(const unsigned long *sites, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (!is_of_module(sites[i]) || owner_of(sites[i], true))
			continue;
		ward_give_owners(sites, i);
		return false;
	}
	return true;
}

void ward_give_owners(const unsigned long *sites, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (is_of_module(sites[i]))
			module_put(owner_of(sites[i], false));
}
