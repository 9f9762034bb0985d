// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/ward. libward has proven the code that is loaded. This module checks sizes and limits once more, but not the
 * code. So a process that can open the device can make the kernel run anything, and therefore needs the right to load
 * modules. A kernel that accepts no unsigned module accepts no probe.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "arena.h"
#include "compat.h"
#include "return_thunks.h"
#include "sample.h"
#include "ward.h"
#include "wrap.h"

/* Only a return has them: the value, and the time since the entry. */
#define RETURN_FIELDS (BIT(6) | BIT(11))

static int ward_open(struct inode *inode, struct file *file)
{
	struct ward_session *s;
	int err;

	if (!capable(CAP_SYS_MODULE) || !capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = security_locked_down(LOCKDOWN_MODULE_SIGNATURE);
	if (err)
		return err;
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return -ENOMEM;
	mutex_init(&s->lock);
	INIT_LIST_HEAD(&s->hooks);
	file->private_data = s;
	return 0;
}

static int ward_release(struct inode *inode, struct file *file)
{
	struct ward_session *s = file->private_data;

	ward_unhook_all(s);
	if (s->stuck) {
		__module_get(THIS_MODULE); /* functions still lead into our code */
		return 0;
	}
	ward_arena_give(s->code, s->code_size);
	free_percpu(s->here);
	ward_forget_states(s);
	ward_forget_tables(s);
	kvfree(s->entries);
	kfree(s);
	return 0;
}

/*
 * A structure that begins with its size, from a caller that may know fewer
 * members or more.
 */
static int read_argument(void *to, size_t size, void __user *from)
{
	u32 given;

	if (get_user(given, (u32 __user *)from))
		return -EFAULT;
	if (given < sizeof(given) || given > PAGE_SIZE)
		return -EINVAL;
	return copy_struct_from_user(to, size, from, given);
}

/* Room beyond what the caller knows of isn't written to. */
static int copy_reply(void __user *to, const void *from, u32 given, size_t size)
{
	return copy_to_user(to, from, min_t(size_t, given, size)) ? -EFAULT : 0;
}

static bool entry_is_good(const struct ward_k_entry *e, const struct ward_k_load *l)
{
	return e->offset < l->text_size && e->stack_bytes <= WARD_K_MAX_STACK && e->max_insns <= WARD_K_MAX_INSNS &&
	       !(e->clobbers & ~WARD_K_MAY_CLOBBER) && e->event_fields < BIT(WARD_K_EVENT_WORDS);
}

static bool load_is_good(const struct ward_k_load *l)
{
	return l->abi == WARD_ABI && l->image_size && l->image_size <= WARD_K_MAX_IMAGE &&
	       l->image_size % WARD_K_PAGE == 0 && l->text_size && l->text_size <= l->image_size && l->n_entries &&
	       l->n_entries <= WARD_K_MAX_ENTRIES && l->state_size <= WARD_K_MAX_STATE &&
	       l->n_slots <= WARD_K_MAX_SLOTS && l->n_exits <= l->text_size && l->shared_offset % WARD_K_PAGE == 0 &&
	       l->shared_size % WARD_K_PAGE == 0 && l->shared_offset <= l->state_size &&
	       l->shared_size <= l->state_size - l->shared_offset && !(l->flags & ~WARD_K_WITH_STACKS) && !l->unused &&
	       !l->stacks_offset;
}

static int read_entries(struct ward_session *s, const struct ward_k_load *l)
{
	u32 i;

	s->entries = vmemdup_user(u64_to_user_ptr(l->entries), array_size(l->n_entries, sizeof(*s->entries)));
	if (IS_ERR(s->entries)) {
		int err = PTR_ERR(s->entries);

		s->entries = NULL;
		return err;
	}
	s->n_entries = l->n_entries;
	for (i = 0; i < l->n_entries; i++)
		if (!entry_is_good(&s->entries[i], l))
			return -EINVAL;
	return 0;
}

/* Slots lie behind the text, each where a multiple of eight is. */
static int fill_slots(struct ward_image *im, bool with_stacks)
{
	u32 i;

	for (i = 0; i < im->n_slots; i++) {
		const struct ward_k_slot *slot = &im->slots[i];
		void *import;

		if (slot->offset % 8 || slot->offset < im->text_size || slot->offset >= im->size ||
			slot->import >= WARD_K_IMPORTS || (slot->import >= WARD_K_STACK && !with_stacks))
			return -EINVAL;
		import = ward_import(slot->import);
		memcpy(im->bytes + slot->offset, &import, sizeof(import));
	}
	return 0;
}

/* An array of the caller's, NULL: none. */
static void *read_array(u64 address, size_t n, size_t size)
{
	return n ? vmemdup_user(u64_to_user_ptr(address), array_size(n, size)) : NULL;
}

static void forget_image(struct ward_image *im)
{
	if (!IS_ERR(im->bytes))
		kvfree(im->bytes);
	if (!IS_ERR(im->slots))
		kvfree(im->slots);
	if (!IS_ERR(im->exits))
		kvfree(im->exits);
}

static int read_image(struct ward_image *im, const struct ward_k_load *l)
{
	*im = (struct ward_image){
		.bytes = read_array(l->image, l->image_size, 1),
		.size = l->image_size,
		.text_size = l->text_size,
		.slots = read_array(l->slots, l->n_slots, sizeof(*im->slots)),
		.n_slots = l->n_slots,
		.exits = read_array(l->exits, l->n_exits, sizeof(*im->exits)),
		.n_exits = l->n_exits,
	};
	if (IS_ERR(im->bytes) || IS_ERR(im->slots) || IS_ERR(im->exits))
		return IS_ERR(im->bytes)   ? PTR_ERR(im->bytes)
		       : IS_ERR(im->slots) ? PTR_ERR(im->slots)
					   : PTR_ERR(im->exits);
	return fill_slots(im, l->flags & WARD_K_WITH_STACKS);
}

static int load_code(struct ward_session *s, const struct ward_k_load *l)
{
	struct ward_image im;
	u8 *code = NULL;
	int err = read_image(&im, l);

	if (!err) {
		code = ward_arena_take(im.size, WARD_ARENA_PAGE);
		im.at = code;
		err = code ? ward_replace_exits(&im) : -ENOSPC;
	}
	if (!err)
		err = ward_arena_write(code, im.bytes, im.size);
	forget_image(&im);
	if (err) {
		ward_arena_give(code, l->image_size);
		return err;
	}
	s->code_size = l->image_size;
	smp_store_release(&s->code, code); /* what a mapping needs is there */
	return 0;
}

/* A load that failed leaves the session as it was. */
static void forget_load(struct ward_session *s)
{
	kvfree(s->entries);
	free_percpu(s->here);
	ward_forget_states(s);
	s->entries = NULL;
	s->here = NULL;
	s->n_entries = 0;
}

static int ward_load(struct ward_session *s, void __user *arg)
{
	struct ward_k_load l;
	int err = read_argument(&l, sizeof(l), arg);

	if (err)
		return err;
	if (!load_is_good(&l))
		return -EINVAL;
	if (s->code)
		return -EBUSY;
	err = read_entries(s, &l);
	if (!err)
		err = ward_make_states(s, &l);
	/* The answer first: a caller who doesn't get it has nothing loaded. */
	if (!err)
		err = copy_reply(arg, &l, l.size, sizeof(l));
	if (!err)
		err = load_code(s, &l);
	if (err)
		forget_load(s);
	return err;
}

/* In order, none twice, none of ours. What is no traced function's the kernel's tracer refuses. */
static int check_sites(const unsigned long *sites, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (i && sites[i] <= sites[i - 1])
			return -EINVAL;
		if (within_module(sites[i], THIS_MODULE) || sites[i] - (unsigned long)ward_arena < WARD_ARENA_SIZE)
			return -EPERM;
	}
	return 0;
}

static int attach_point(struct ward_session *s, struct ward_k_attach *a)
{
	char name[WARD_K_MAX_NAME] = "";

	if (a->n_sites >= sizeof(name))
		return -EINVAL;
	if (s->n_points == WARD_K_MAX_POINTS)
		return -E2BIG;
	if (copy_from_user(name, u64_to_user_ptr(a->sites), a->n_sites))
		return -EFAULT;
	if (strlen(name) != a->n_sites)
		return -EINVAL;
	return ward_hook_point(s, a, name);
}

static int attach_sample(struct ward_session *s, struct ward_k_attach *a)
{
	struct ward_k_sample sample;

	if (a->n_sites != 1)
		return -EINVAL;
	if (s->n_samples == WARD_K_MAX_SAMPLES)
		return -E2BIG;
	if (copy_from_user(&sample, u64_to_user_ptr(a->sites), sizeof(sample)))
		return -EFAULT;
	return ward_sample_is_good(&sample) ? ward_hook_sample(s, a, &sample) : -EINVAL;
}

static int attach_functions(struct ward_session *s, struct ward_k_attach *a)
{
	bool several = !ward_is_return(a->where) || a->flags & WARD_K_IN_REGISTERS;
	unsigned long *sites;
	int err;

	if (a->n_sites > (several ? WARD_K_MAX_SITES : 1))
		return -EINVAL;
	sites = vmemdup_user(u64_to_user_ptr(a->sites), array_size(a->n_sites, sizeof(*sites)));
	if (IS_ERR(sites))
		return PTR_ERR(sites);
	err = check_sites(sites, a->n_sites);
	if (err) {
		kvfree(sites);
		return err;
	}
	return ward_hook(s, a, sites);
}

static int ward_attach(struct ward_session *s, void __user *arg)
{
	struct ward_k_attach a;
	int err = read_argument(&a, sizeof(a), arg);

	if (err)
		return err;
	if (!s->code)
		return -ENODATA;
	if (a.entry >= s->n_entries || !a.n_sites || a.where > WARD_K_SAMPLE || a.n_arguments > WARD_K_MAX_ARGUMENTS)
		return -EINVAL;
	if (a.flags & ~(ward_is_return(a.where) ? WARD_K_IN_REGISTERS : 0))
		return -EINVAL;
	if (a.where != WARD_K_POINT && a.n_arguments != WARD_K_MAX_ARGUMENTS)
		return -EINVAL;
	if (!ward_is_return(a.where) && s->entries[a.entry].event_fields & RETURN_FIELDS)
		return -EINVAL;
	err = a.where == WARD_K_POINT    ? attach_point(s, &a)
	      : a.where == WARD_K_SAMPLE ? attach_sample(s, &a)
					 : attach_functions(s, &a);
	return err ?: copy_reply(arg, &a, a.size, sizeof(a));
}

static int ward_rows(struct ward_session *s, void __user *arg)
{
	struct ward_k_rows r;
	int err = read_argument(&r, sizeof(r), arg);

	if (!err)
		err = ward_take_rows(s, &r);
	return err ?: copy_reply(arg, &r, r.size, sizeof(r));
}

static int ward_mapped(struct ward_session *s, void __user *arg)
{
	struct ward_k_mapped m;
	int err = read_argument(&m, sizeof(m), arg);

	if (!err)
		err = ward_take_mapped(s, &m);
	return err ?: copy_reply(arg, &m, m.size, sizeof(m));
}

static int ward_detach(struct ward_session *s)
{
	ward_unhook_all(s);
	if (s->stuck)
		return -EIO;
	ward_forget_tables(s);
	return 0;
}

static long ward_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	struct ward_session *s = file->private_data;
	long err = -ENOTTY;

	if (_IOC_TYPE(command) != 'W')
		return err;
	mutex_lock(&s->lock);
	switch (_IOC_NR(command)) {
	case _IOC_NR(WARD_K_LOAD): err = ward_load(s, (void __user *)arg); break;
	case _IOC_NR(WARD_K_ATTACH): err = s->stuck ? -EIO : ward_attach(s, (void __user *)arg); break;
	case _IOC_NR(WARD_K_DETACH): err = ward_detach(s); break;
	case _IOC_NR(WARD_K_ROWS): err = ward_rows(s, (void __user *)arg); break;
	case _IOC_NR(WARD_K_MAPPED): err = ward_mapped(s, (void __user *)arg); break;
	}
	mutex_unlock(&s->lock);
	return err;
}

static int ward_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct ward_session *s = file->private_data;

	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	ward_vm_flags_clear(vma, VM_MAYWRITE | VM_MAYEXEC);
	/*
	 * Not under the lock, below which user memory is copied: that takes the
	 * address space's, which is held here. What was loaded stays until the
	 * file is closed, and the mapping holds that.
	 */
	if (!smp_load_acquire(&s->code))
		return -ENODATA;
	return vm_map_pages(vma, s->pages, s->shared_size >> PAGE_SHIFT);
}

static const struct file_operations ward_operations = {
	.owner = THIS_MODULE,
	.open = ward_open,
	.release = ward_release,
	.unlocked_ioctl = ward_ioctl,
	.mmap = ward_mmap,
	.llseek = noop_llseek,
};

static struct miscdevice ward_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ward",
	.mode = 0600,
	.fops = &ward_operations,
};

static int __init ward_init(void)
{
	int err = ward_samples_init();

	if (err)
		return err;
	err = misc_register(&ward_device);
	if (err)
		ward_samples_exit();
	return err;
}

/* No file is open, no wrapped call either. */
static void __exit ward_exit(void)
{
	misc_deregister(&ward_device);
	ward_samples_exit();
	ward_wraps_end();
}

module_init(ward_init);
module_exit(ward_exit);

MODULE_DESCRIPTION("Verified probes in the kernel");
MODULE_AUTHOR("The Ward project");
MODULE_LICENSE("GPL");
