/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching to the running kernel: verify the module, give its code to ward.ko (kmod/), and tell ward.ko which
 * functions to hook. ward.ko keeps the code while the file is open. When the file is closed, for whatever reason, the
 * kernel is as it was before.
 */
#include "kernel_tables.h"
#include "ops.h"

#include "loader/attach/attach.h"
#include "loader/base/error.h"
#include "loader/base/sample_site.h"
#include "loader/base/shared_part.h"
#include "loader/kernel/arguments.h"
#include "loader/kernel/site.h"
#include "loader/symbols/names.h"
#include "loader/symbols/stack_table.h"
#include "kmod/ward_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

_Static_assert((int)WARD_K_TALLY_SIZE == (int)WL_ROW_SIZE && sizeof(struct ward_k_tally) == WL_ROW_SIZE &&
		       offsetof(struct ward_k_tally, events) == offsetof(struct wl_tally, events) &&
		       offsetof(struct ward_k_tally, dropped) == offsetof(struct wl_tally, dropped) &&
		       offsetof(struct ward_k_tally, states) == offsetof(struct wl_tally, states),
	"tallies of the kernel are read as those of a process");
_Static_assert((int)WARD_K_STACKS_SIZE == (int)WL_STACKS_SIZE && (int)WARD_K_STACK_MOST == WL_STACK_MOST &&
		       (int)WARD_K_STACKS_BUCKETS == (int)WL_STACKS_N_BUCKETS &&
		       (int)WARD_K_STACKS_WORDS == (int)WL_STACKS_WORDS &&
		       sizeof(struct ward_k_stacks) == sizeof(struct wl_stacks) &&
		       offsetof(struct ward_k_stacks, lost) == WL_STACKS_LOST &&
		       offsetof(struct ward_k_stacks, mark) == WL_STACKS_MARK &&
		       (int)WARD_K_STACK_CUT == WL_STACK_CUT && (int)WARD_K_STACK_LOST == WL_STACK_LOST &&
		       (int)WARD_K_STACK_BY_RBP == WL_STACK_BY_RBP && (int)WARD_K_STACK_OWNED == WL_STACK_OWNED,
	"stacks of the kernel are read as those of a process");

/* Its tallies and states have the same layout as those of a process's threads, one for each processor. */
struct kernel {
	struct wl_attachment a; /* of it, what has to do with counts */
	int device;
	ward_names *names;               /* of processes whose stacks are taken; NULL: of none */
	struct wl_kernel_tables *tables; /* of these; NULL: of none */
	void *seen; /* while attaching: which sites entries have, if they may be given several times */
};

/* ---- The image ---- */

/* What ward.ko wouldn't take. */
static int check_kernel(const struct ward_module_facts *f, struct ward_error *err)
{
	uint64_t end = f->rodata.memsz ? f->rodata.addr + f->rodata.memsz : f->text.addr + f->text.memsz;

	if (f->data.memsz) {
		wl_fail(err, WARD_E_USAGE, "attach",
			"the module has variables of its own that it writes to, and the kernel has no place for them");
		wl_hint(err, "keep them in the state: each processor has its own");
	} else if (f->rodata.memsz && f->rodata.addr < f->text.addr + f->text.memsz) {
		wl_fail(err, WARD_E_REJECTED, "verify", "a segment lies before the text");
	} else if (end - f->text.addr > WARD_K_MAX_IMAGE) {
		wl_fail(err, WARD_E_USAGE, "attach", "code and constants take more than %d bytes", WARD_K_MAX_IMAGE);
		wl_hint(err, "use smaller constant tables, or fewer probes in one module");
	} else {
		return 0;
	}
	return err->status;
}

/* Text and rodata at their distance from each other; int3 between and behind them. NULL without memory. */
static uint8_t *build_image(const struct ward_image *image, uint32_t *size)
{
	const struct ward_module_facts *f = wl_image_facts(image);
	uint64_t end = f->rodata.memsz ? f->rodata.addr + f->rodata.memsz : f->text.addr + f->text.memsz;
	uint8_t *bytes;

	*size = (uint32_t)((end - f->text.addr + WARD_K_PAGE - 1) / WARD_K_PAGE * WARD_K_PAGE);
	bytes = malloc(*size);
	if (!bytes)
		return NULL;
	memset(bytes, 0xcc, *size);
	memcpy(bytes, wl_image_bytes(image, &f->text), f->text.filesz);
	if (f->rodata.memsz)
		memcpy(bytes + (f->rodata.addr - f->text.addr), wl_image_bytes(image, &f->rodata), f->rodata.filesz);
	return bytes;
}

static struct ward_k_entry *build_entries(const struct ward_module_facts *f)
{
	struct ward_k_entry *v = calloc(f->n_entries, sizeof(*v));

	for (size_t i = 0; v && i < f->n_entries; i++)
		v[i] = (struct ward_k_entry){
			.offset = (uint32_t)(f->entries[i].addr - f->text.addr),
			.stack_bytes = f->entries[i].stack_bytes,
			.max_insns = f->entries[i].max_insns,
			.event_fields = f->entries[i].event_fields,
			.clobbers = f->entries[i].clobbers,
		};
	return v;
}

/* Where the imports' addresses belong, which ward.ko knows. NULL without memory. */
static struct ward_k_slot *build_slots(const struct ward_module_facts *f)
{
	struct ward_k_slot *v = calloc(f->n_imports + 1, sizeof(*v));

	for (size_t i = 0; v && i < f->n_imports; i++) {
		v[i].offset = (uint32_t)(f->imports[i].slot - f->text.addr);
		switch (f->imports[i].import) {
		case WARD_IMPORT_KERNEL_READ: v[i].import = WARD_K_READ; break;
		case WARD_IMPORT_KERNEL_READ_STR: v[i].import = WARD_K_READ_STR; break;
		case WARD_IMPORT_KERNEL_CURRENT: v[i].import = WARD_K_CURRENT; break;
		case WARD_IMPORT_KERNEL_STACK: v[i].import = WARD_K_STACK; break;
		case WARD_IMPORT_KERNEL_USER_STACK: v[i].import = WARD_K_USER_STACK; break;
		default: v[i].import = WARD_K_IMPORTS; /* of no kernel's module: refused there */
		}
	}
	return v;
}

static bool has_import(const struct ward_module_facts *f, enum ward_import import)
{
	for (size_t i = 0; i < f->n_imports; i++)
		if (f->imports[i].import == import)
			return true;
	return false;
}

static bool takes_stacks(const struct ward_module_facts *f)
{
	return has_import(f, WARD_IMPORT_KERNEL_STACK) || has_import(f, WARD_IMPORT_KERNEL_USER_STACK);
}

static bool takes_user_stacks(const struct ward_module_facts *f)
{
	return has_import(f, WARD_IMPORT_KERNEL_USER_STACK);
}

/* NULL without memory. */
static uint32_t *build_exits(const struct ward_module_facts *f)
{
	uint32_t *v = calloc(f->n_exits + 1, sizeof(*v));

	for (size_t i = 0; v && i < f->n_exits; i++)
		v[i] = (uint32_t)(f->exits[i].addr - f->text.addr);
	return v;
}

/* ---- The device ---- */

static int open_device(struct ward_error *err)
{
	int fd = open(WARD_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	wl_fail(err, WARD_E_TARGET, WARD_DEVICE, "%s",
		errno == ENOENT ? "the kernel module `ward` isn't loaded" : strerror(errno));
	if (errno == ENOENT || errno == ENXIO)
		wl_hint(err, "build it for this kernel (kmod) and load it: modprobe ward");
	else
		wl_hint(err, "run as root: only users who may load kernel modules can attach to it, and nobody when it "
			     "is locked down");
	return WARD_E_TARGET;
}

static const char *load_error(int error)
{
	switch (error) {
	case ENOSPC: return "there is no room for more code, because other probes are attached";
	case E2BIG:
		return "the states of all processors together are too large, or the module `ward` is older than "
		       "libward";
	case ENOMEM: return "the kernel is out of memory";
	case EOPNOTSUPP:
		return "on this processor the kernel returns by thunks, and some return of the probe has no room for "
		       "the jump";
	case EINVAL: return "the module `ward` doesn't understand it: does its version match libward's?";
	default: return strerror(error);
	}
}

static int load_image(struct kernel *k, struct ward_k_load *l, struct ward_error *err)
{
	const struct ward_module_facts *f = wl_image_facts(k->a.image);
	struct ward_k_entry *entries = build_entries(f);
	struct ward_k_slot *slots = build_slots(f);
	uint32_t *exits = build_exits(f);
	uint8_t *image = build_image(k->a.image, &l->image_size);
	size_t file_size;
	const void *file = wl_image_file(k->a.image, &file_size);
	struct wl_shared_part shared = wl_shared_part(file, file_size, f->state_size);
	int rc = 0;

	l->size = sizeof(*l);
	l->abi = WARD_ABI;
	l->image = (uintptr_t)image;
	l->text_size = (uint32_t)f->text.memsz;
	l->entries = (uintptr_t)entries;
	l->n_entries = (uint32_t)f->n_entries;
	l->state_size = f->state_size;
	l->slots = (uintptr_t)slots;
	l->n_slots = (uint32_t)f->n_imports;
	l->exits = (uintptr_t)exits;
	l->n_exits = (uint32_t)f->n_exits;
	l->shared_offset = shared.offset;
	l->shared_size = wl_shared_pages(&shared);
	l->flags = takes_stacks(f) ? WARD_K_WITH_STACKS : 0;
	if (!entries || !slots || !exits || !image) {
		rc = wl_no_memory(err);
	} else if (ioctl(k->device, WARD_K_LOAD, l) < 0) {
		int error = errno;

		rc = wl_fail(err, WARD_E_TARGET, "kernel", "%s", load_error(error));
		wl_hint(err, "%s",
			error == EOPNOTSUPP
				? "`ward cc` leaves it; other compilers do if told -mfunction-return=thunk-extern"
				: "`dmesg` may say more; a smaller state or fewer probes need less");
	}
	free(entries);
	free(slots);
	free(exits);
	free(image);
	return rc;
}

static int map_states(struct kernel *k, const struct ward_k_load *l, struct ward_error *err)
{
	void *shared = mmap(NULL, l->map_size, PROT_READ, MAP_SHARED, k->device, 0);

	if (shared == MAP_FAILED)
		return wl_fail(err, WARD_E_SYSTEM, "states", "%s", strerror(errno));
	k->a.shared = shared;
	k->a.shared_size = l->map_size;
	k->a.stacks_offset = l->stacks_offset;
	k->a.states_offset = l->states_offset;
	k->a.data_offset = l->shared_size ? l->states_offset + l->shared_offset : 0; /* that of any processor */
	k->a.slots.rows = l->processors + 1;
	k->a.slots.max_threads = l->processors;
	k->a.slots.state_stride = l->state_stride;
	return 0;
}

/* ---- Sites ---- */

static const char *method_name(uint32_t method)
{
	switch (method) {
	case WARD_K_DIRECT: return wl_kmethod_direct;
	case WARD_K_FTRACE: return wl_kmethod_traced;
	case WARD_K_KRETPROBE: return wl_kmethod_return;
	case WARD_K_WRAP: return wl_kmethod_wrap;
	default: return wl_kmethod_point;
	}
}

static uint32_t where_of(enum wl_kwhere where)
{
	switch (where) {
	case WL_KRETURN: return WARD_K_RETURN;
	case WL_KPOINT: return WARD_K_POINT;
	case WL_KCALL: return WARD_K_CALL;
	case WL_KCALL_RETURN: return WARD_K_CALL_RETURN;
	case WL_KSAMPLE: return WARD_K_SAMPLE;
	default: return WARD_K_ENTRY;
	}
}

/* What is known of one entry's functions while it is attached. */
struct hooking {
	struct kernel *k;
	const struct ward_attach_options *options;
	const struct ward_entry_facts *entry;
	size_t index;
	enum wl_kwhere where;
	struct wl_ksyms syms;
	struct wl_karguments types;
};

static void report_symbol(const struct hooking *h, const struct wl_ksym *sym, const char *method, const char *arguments,
	const char *reason, uint32_t number)
{
	char label[WL_KSITE_LABEL];

	wl_ksite_label(label, sym, h->where);
	if (h->options->on_site)
		h->options->on_site(h->options->user, &(struct ward_site_report){.site = label,
							      .probe = h->entry->name,
							      .method = method,
							      .reason = reason,
							      .address = sym->addr,
							      .number = number,
							      .arguments = arguments,
							      .module = *sym->module ? sym->module : wl_kmodule});
}

/* It is hooked. */
static void report_hooked(struct hooking *h, const struct wl_ksym *sym, uint32_t method, uint32_t number)
{
	char *arguments = h->options->on_site ? wl_karguments(&h->types, sym, h->where, NULL) : NULL;

	report_symbol(h, sym, method_name(method), arguments, NULL, number);
	free(arguments);
}

/* Is there an entry before this one that has the same address and can be probed? */
static bool is_alias(const struct wl_ksyms *k, size_t i)
{
	for (size_t j = i; j-- > 0 && k->v[i].addr && k->v[j].addr == k->v[i].addr;)
		if (!k->v[j].reason)
			return true;
	return false;
}

static const char *point_error(int error)
{
	switch (error) {
	case EINVAL: return "the module `ward` doesn't understand it: does its version match libward's?";
	case ENOENT: return "the kernel has no tracepoint of that name, only an event";
	case ENOTUNIQ: return "several tracepoints have this name, in different modules";
	case ENODEV: return "its module is being loaded or unloaded";
	case E2BIG: return "no more tracepoints can be hooked at once";
	default: return strerror(error);
	}
}

static const char *attach_error(int error)
{
	switch (error) {
	case EINVAL:
	case ENODEV: return "the kernel doesn't let this function be traced";
	case EBUSY: return "another tracer, or a live patch, has the function for itself";
	case EPERM: return "this is the code that runs the probes";
	case ENOSPC: return "there is no room for more code, because other probes are attached";
	case E2BIG: return "no more returns can be hooked at once";
	default: return strerror(error);
	}
}

/* It is skipped. What is first is the error if nothing is attached. */
static void skip_symbol(const struct hooking *h, const struct wl_ksym *sym, const char *reason, struct ward_error *err)
{
	report_symbol(h, sym, NULL, NULL, reason, 0);
	if (!err->status) {
		wl_fail(err, WARD_E_TARGET, sym->name, "%s", reason);
		wl_hint(err, "%s",
			h->where >= WL_KPOINT ? "`ward list --kernel 'kernel:*:*'` shows which can be probed"
					      : "probe a function that it calls, or that calls it");
	}
}

/* Hook what is at *sites, which has so many arguments. Returns why not, or NULL. */
static const char *hook_sites(
	const struct hooking *h, const void *sites, uint32_t n, unsigned arguments, uint32_t flags, uint32_t *method)
{
	struct ward_k_attach a = {.size = sizeof(a),
		.entry = (uint32_t)h->index,
		.sites = (uintptr_t)sites,
		.n_sites = n,
		.first_number = h->k->a.n_attached,
		.n_arguments = arguments,
		.where = where_of(h->where),
		.flags = flags};

	if (ioctl(h->k->device, WARD_K_ATTACH, &a) < 0)
		return a.where == WARD_K_POINT ? point_error(errno) : attach_error(errno);
	*method = a.method;
	return NULL;
}

/* ---- Functions ---- */

/*
 * Which functions could have their calls wrapped, as far as that matters: where returns are hooked, or will be, so that
 * the same ones are hooked at both ends. NULL without memory.
 */
static bool *find_wrappable(struct hooking *h)
{
	const struct ward_module_facts *f = wl_image_facts(h->k->a.image);
	bool *v = calloc(h->syms.n, sizeof(*v)), asked = h->where != WL_KENTRY;

	for (size_t i = 0; i < f->n_entries; i++)
		asked |= f->entries[i].kind != 0;
	for (size_t i = 0; v && asked && i < h->syms.n; i++)
		v[i] = wl_kcan_wrap(&h->types, &h->syms.v[i]);
	return v;
}

/* Functions that are hooked at once, or not, for one reason. */
struct batch {
	uint64_t *sites;
	uint32_t n, reported, first, method;
	const char *reason;
};

/* Those that could be wrapped, or the others. False without memory. */
static bool hook_batch(struct hooking *h, struct batch *b, const bool *wrappable, bool which)
{
	b->sites = calloc(h->syms.n, sizeof(*b->sites));
	if (!b->sites)
		return false;
	for (size_t i = 0; i < h->syms.n; i++)
		if (wrappable[i] == which && !h->syms.v[i].reason && !is_alias(&h->syms, i))
			b->sites[b->n++] = h->syms.v[i].addr;
	b->first = h->k->a.n_attached;
	if (b->n > WARD_K_MAX_SITES)
		b->reason = "the pattern matches more functions than can be hooked at once";
	else if (b->n)
		b->reason = hook_sites(h, b->sites, b->n, WARD_K_MAX_ARGUMENTS,
			which && wl_kwhere_returns(h->where) ? WARD_K_IN_REGISTERS : 0, &b->method);
	if (!b->reason)
		h->k->a.n_attached += b->n;
	return true;
}

/* One of a batch, in order. */
static void report_one(struct hooking *h, const struct wl_ksym *sym, struct batch *b, struct ward_error *err)
{
	if (b->reason)
		skip_symbol(h, sym, b->reason, err);
	else
		report_hooked(h, sym, b->method, b->first + b->reported++);
}

/* Hook one return by itself. */
static void hook_return(struct hooking *h, const struct wl_ksym *sym, struct ward_error *err)
{
	struct batch one = {.first = h->k->a.n_attached};

	one.reason = hook_sites(h, &sym->addr, 1, WARD_K_MAX_ARGUMENTS, 0, &one.method);
	if (!one.reason)
		h->k->a.n_attached++;
	report_one(h, sym, &one, err);
}

/* Hook what can be hooked, all at once, but for returns whose calls can't be wrapped, or not all of them. */
static int hook_functions(struct hooking *h, struct ward_error *err)
{
	bool *wrappable = find_wrappable(h), returns = wl_kwhere_returns(h->where);
	struct batch batch[2] = {0};
	bool good = wrappable && hook_batch(h, &batch[1], wrappable, true) &&
		    (returns || hook_batch(h, &batch[0], wrappable, false));

	for (size_t i = 0; good && i < h->syms.n; i++) {
		const struct wl_ksym *sym = &h->syms.v[i];
		struct batch *b = &batch[wrappable[i]];

		if (sym->reason)
			skip_symbol(h, sym, sym->reason, err);
		else if (is_alias(&h->syms, i))
			continue;
		else if (returns && (!wrappable[i] || b->reason))
			hook_return(h, sym, err);
		else
			report_one(h, sym, b, err);
	}
	free(batch[0].sites);
	free(batch[1].sites);
	free(wrappable);
	return good ? 0 : wl_no_memory(err);
}

/* ---- Tracepoints ---- */

/* Hook one, which goes by the name behind its subsystem's. */
static void hook_point(struct hooking *h, const struct wl_ksym *sym, struct ward_error *err)
{
	const char *name = strchr(sym->name, ':'), *reason;
	uint32_t method;
	unsigned n;
	char *arguments = wl_karguments(&h->types, sym, h->where, &n);

	reason = hook_sites(h, name + 1, (uint32_t)strlen(name + 1), n, 0, &method);
	if (reason)
		skip_symbol(h, sym, reason, err);
	else
		report_symbol(h, sym, method_name(method), arguments, NULL, h->k->a.n_attached++);
	free(arguments);
}

/* Hook each by itself: of some only the kernel knows that they can't be. */
static void hook_points(struct hooking *h, struct ward_error *err)
{
	for (size_t i = 0; i < h->syms.n; i++) {
		const struct wl_ksym *sym = &h->syms.v[i];

		if (sym->reason)
			skip_symbol(h, sym, sym->reason, err);
		else
			hook_point(h, sym, err);
	}
}

/* ---- Samples ---- */

static const char *sample_error(int error)
{
	switch (error) {
	case EINVAL: return "the kernel doesn't take samples by that";
	case E2BIG: return "no more samples can be taken by one module";
	case ENOSPC: return "the processor has no counter left for it";
	default: return strerror(error);
	}
}

/* Returns 0, or errno. */
static int sample_begin(const struct hooking *h, const struct wl_sample_site *site)
{
	const struct wl_sample_event *event = site->event;
	struct ward_k_sample sample = {.size = sizeof(sample),
		.type = event ? event->type : PERF_TYPE_SOFTWARE,
		.config = event ? event->config : PERF_COUNT_SW_CPU_CLOCK,
		.period = site->period,
		.flags = site->kind == WL_SAMPLE_INTERVAL ? WARD_K_ONCE : 0};
	uint32_t method;

	return hook_sites(h, &sample, 1, WARD_K_MAX_ARGUMENTS, 0, &method) ? errno : 0;
}

/* By a clock or a counter; by a clock where the machine has no counter for it. */
static int hook_sample(struct hooking *h, struct ward_error *err)
{
	const struct wl_ksym *sym = &h->syms.v[0];
	struct wl_sample_site site, clock = wl_sample_by_clock();
	const char *method;
	int error, rc = wl_sample_site_parse(sym->name, &site, err);

	if (!rc && site.kind == WL_SAMPLE_OFF_CPU) {
		rc = wl_fail(err, WARD_E_USAGE, sym->name, "this is a site of a process");
		wl_hint(err, "in the kernel put the probe on kernel:sched:sched_switch");
	}
	if (!rc)
		rc = wl_sample_check_rate(sym->name, &site, err);
	if (rc)
		return rc;
	method = wl_sample_method(&site);
	error = sample_begin(h, &site);
	if (error && wl_sample_may_lack(&site) && (error == ENOENT || error == EOPNOTSUPP || error == EINVAL)) {
		method = wl_sample_no_counter;
		error = sample_begin(h, &clock);
	}
	if (error) {
		wl_fail(err, WARD_E_TARGET, sym->name, "%s", sample_error(error));
		wl_hint(err, "`ward list --kernel '*:*'` shows by what samples can be taken");
		return WARD_E_TARGET;
	}
	report_symbol(h, sym, method, NULL, NULL, h->k->a.n_attached++);
	return 0;
}

/* Why a probe can't run at a function's entry, or at a tracepoint; NULL if it can. */
static const char *entry_refused(const struct ward_entry_facts *e)
{
	if (e->event_fields & (1u << WL_RET))
		return "the probe reads ev->ret, which only a return site has";
	if (e->event_fields & (1u << WL_ELAPSED))
		return "the probe reads ev->elapsed, which only a return site has";
	return NULL;
}

static void no_return(const struct hooking *h, const char *refused, struct ward_error *err)
{
	if (err->status)
		return;
	wl_fail(err, WARD_E_USAGE, h->entry->name, "%s", refused);
	wl_hint(err, "put it on a function's return, as in -f 'kernel!vfs_read:return', or on a system call's, "
		     "kernel:syscalls:sys_exit_read");
}

static int one_sample(const char *text, struct ward_error *err)
{
	wl_fail(err, WARD_E_USAGE, text, "samples can't be asked for by a pattern");
	wl_hint(err, "give each site by itself, as in -f profile:99");
	return WARD_E_USAGE;
}

/* Hook what is there, as it is hooked at such a place. */
static int hook_all(struct hooking *h, struct ward_error *err)
{
	if (h->where == WL_KPOINT) {
		hook_points(h, err);
		return 0;
	}
	if (h->where == WL_KSAMPLE)
		return h->syms.n && !h->syms.v[0].reason ? hook_sample(h, err) : 0;
	return h->syms.n ? hook_functions(h, err) : 0;
}

/* None of them can be hooked. */
static void skip_all(const struct hooking *h, const char *reason, struct ward_error *err)
{
	for (size_t i = 0; i < h->syms.n; i++)
		skip_symbol(h, &h->syms.v[i], reason, err);
}

/* What a name among tracepoints matches: these, then system calls where they begin, and where they end. */
static int hook_events(struct hooking *h, struct ward_error *err)
{
	static const enum wl_kwhere kinds[] = {WL_KPOINT, WL_KCALL, WL_KCALL_RETURN};
	const struct wl_ksyms all = h->syms;
	struct wl_ksym *kind = calloc(all.n, sizeof(*kind));
	int rc = 0;

	if (!kind)
		return wl_no_memory(err);
	h->syms.v = kind;
	for (size_t k = 0; rc == 0 && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		const char *refused = wl_kwhere_returns(kinds[k]) ? NULL : entry_refused(h->entry);

		h->where = kinds[k];
		h->syms.n = 0;
		for (size_t i = 0; i < all.n; i++)
			if (wl_ksite_where(&all.v[i], WL_KPOINT) == kinds[k])
				kind[h->syms.n++] = all.v[i];
		if (h->syms.n && h->where != WL_KPOINT)
			qsort(kind, h->syms.n, sizeof(*kind), wl_ksyms_by_address);
		if (h->syms.n && refused) {
			no_return(h, refused, err);
			skip_all(h, refused, err);
		} else {
			rc = hook_all(h, err);
		}
	}
	free(kind);
	h->syms = all;
	return rc;
}

/* ---- Sites that several patterns mean ---- */

static int seen_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Leave out what an earlier site of the same entry has had: it would be counted twice. False without memory. */
static bool leave_out_seen(struct hooking *h)
{
	for (size_t i = 0; i < h->syms.n; i++) {
		struct wl_ksym *sym = &h->syms.v[i];
		char *key, **at;

		if (asprintf(&key, "%zu %d %s %llx", h->index, (int)h->where, sym->name,
			    (unsigned long long)sym->addr) < 0)
			return false;
		at = tsearch(key, &h->k->seen, seen_compare);
		if (!at || *at != key) {
			free(key);
			if (!at)
				return false;
			if (!sym->reason)
				sym->reason = "another one of the sites that were given has it already";
		}
	}
	return true;
}

/*
 * One of the sites of one entry. What keeps it from being attached goes to *err, if there is nothing yet: it is the
 * error if nothing else is attached.
 */
static int attach_entry(
	struct kernel *k, size_t index, size_t which, const struct ward_attach_options *options, struct ward_error *err)
{
	const struct ward_entry_facts *e = &wl_image_facts(k->a.image)->entries[index];
	const char *text = wl_entry_site(e, options, which), *refused = NULL;
	struct hooking h = {.k = k, .options = options, .entry = e, .index = index, .types.folder = wl_kbtf_folder};
	char *glob = NULL;
	int rc = wl_ksite_parse(text, &glob, &h.where, err);

	if (rc)
		return rc;
	if (h.where == WL_KANYWHERE)
		h.where = e->kind ? WL_KRETURN : WL_KENTRY;
	if (h.where == WL_KENTRY || h.where == WL_KSAMPLE)
		refused = entry_refused(e);
	if (refused)
		no_return(&h, refused, err);
	/* A return's hook may be put on code that isn't made for it: there the function tracer has the last word. */
	if (!refused)
		rc = wl_ksite_read(glob, h.where, wl_is_glob(glob) || h.where == WL_KRETURN, &h.syms, err);
	if (!refused && !rc && options->n_more_sites && !leave_out_seen(&h))
		rc = wl_no_memory(err);
	if (refused || rc)
		;
	else if (h.syms.n == 0 && !err->status)
		wl_ksite_no_match(text, h.where, err);
	else if (h.where == WL_KSAMPLE && wl_is_glob(glob))
		rc = one_sample(text, err);
	else if (!h.syms.checked && (h.where == WL_KRETURN || (h.syms.n > 1 && wl_is_glob(glob))))
		rc = wl_ksite_unchecked(text, err);
	else if (h.where == WL_KPOINT)
		rc = h.syms.n ? hook_events(&h, err) : 0;
	else
		rc = hook_all(&h, err);
	wl_karguments_free(&h.types);
	wl_ksyms_free(&h.syms);
	free(glob);
	return rc;
}

enum { TABLES_MS = 1000 }; /* of attaching; what takes longer comes while the session waits */

/* Before the first stack is taken. */
static int hand_tables(struct kernel *k, struct ward_error *err)
{
	if (!takes_user_stacks(wl_image_facts(k->a.image)))
		return 0;
	k->tables = wl_kernel_tables_new(k->device);
	if (!k->tables)
		return wl_no_memory(err);
	wl_kernel_tables_look(k->tables, TABLES_MS);
	return 0;
}

static int attach_all(struct kernel *k, const struct ward_attach_options *options, struct ward_error *err)
{
	const struct ward_module_facts *f = wl_image_facts(k->a.image);
	struct ward_k_load l = {0};
	int rc = check_kernel(f, err);

	if (rc == 0) {
		k->device = open_device(err);
		rc = k->device < 0 ? k->device : 0;
	}
	if (rc == 0)
		rc = load_image(k, &l, err);
	if (rc == 0)
		rc = map_states(k, &l, err);
	if (rc == 0)
		rc = hand_tables(k, err);
	for (size_t i = 0; rc == 0 && i < f->n_entries; i++)
		for (size_t which = 0; rc == 0 && which < wl_n_entry_sites(options); which++)
			rc = attach_entry(k, i, which, options, err);
	tdestroy(k->seen, free);
	k->seen = NULL;
	if (rc == 0 && k->a.n_attached == 0)
		rc = err->status;
	if (rc == 0)
		wl_clear(err);
	return rc;
}

/* ---- The table's row ---- */

static int kernel_check(struct ward_attach_options *o, struct ward_error *err)
{
	if (o->follow || o->later || o->both_ends)
		return wl_fail(err, WARD_E_USAGE, "ward_attach_kernel",
			o->follow  ? "the kernel has no children to follow"
			: o->later ? "modules of the kernel that are loaded later aren't probed"
				   : "of the kernel's functions either end may be probed alone (both_ends)");
	/* Preemption is off while a probe runs, and its stack is the interrupted task's. */
	o->max_insns = !o->max_insns                     ? WARD_KERNEL_INSNS
		       : o->max_insns < WARD_K_MAX_INSNS ? o->max_insns
							 : WARD_K_MAX_INSNS;
	o->max_stack = !o->max_stack                     ? WARD_KERNEL_STACK
		       : o->max_stack < WARD_K_MAX_STACK ? o->max_stack
							 : WARD_K_MAX_STACK;
	return 0;
}

static void open_names(struct kernel *k, ward_names **names)
{
	if (ward_names_open_kernel(names, NULL) != 0)
		return;
	wl_names_stacks(*names, 0, k->device, k->a.stacks_offset);
	if (takes_user_stacks(wl_image_facts(k->a.image)))
		k->names = wl_names_share(*names);
}

/* On failure closing the device undoes it. */
static int kernel_attach(
	struct ward_session *s, struct wl_target *t, const struct ward_attach_options *o, struct ward_error *err)
{
	struct kernel *k = s->own = calloc(1, sizeof(*k));
	int rc;

	(void)t;
	if (!k)
		return wl_no_memory(err);
	wl_attachment_init(&k->a, s->image);
	k->device = -1;
	rc = attach_all(k, o, err);
	if (rc == 0 && o->names)
		open_names(k, o->names);
	return rc;
}

static int kernel_detach(struct ward_session *s, bool force, struct ward_error *err)
{
	struct kernel *k = s->own;

	(void)force;
	wl_kernel_tables_free(k->tables); /* what the kernel has of them goes, too */
	k->tables = NULL;
	if (ioctl(k->device, WARD_K_DETACH) == 0)
		return 0;
	wl_fail(err, WARD_E_TARGET, "kernel", "%s",
		errno == EIO ? "it can't take a hook off, and keeps the probes' memory" : strerror(errno));
	wl_hint(err, "`dmesg` says more");
	return WARD_E_TARGET;
}

/* First unmap the kernel's memory: then the kernel frees it. */
static void free_own(struct ward_session *s)
{
	struct kernel *k = s->own;

	if (!k)
		return;
	wl_attachment_free(&k->a);
	ward_names_close(k->names);
	wl_kernel_tables_free(k->tables);
	/* Whoever has the stacks' names has them mapped, and so the file open. */
	if (k->device >= 0) {
		ioctl(k->device, WARD_K_DETACH);
		close(k->device);
	}
	free(k);
}

/* A process whose stack was taken is looked at so soon; so much of that time goes into tables. */
enum { LOOK_MS = 10, LOOK_TABLES_MS = 3 };

/* It doesn't end. */
static bool wait_for(struct ward_session *s, int timeout_ms)
{
	const struct kernel *k = s->own;

	for (int left = timeout_ms; k->tables && left; left -= left < 0 ? 0 : left > LOOK_MS ? LOOK_MS : left) {
		wl_names_see_owners(k->names);
		wl_kernel_tables_look(k->tables, LOOK_TABLES_MS);
		if (poll(NULL, 0, left > 0 && left < LOOK_MS ? left : LOOK_MS) < 0)
			return false;
	}
	if (!k->tables)
		poll(NULL, 0, timeout_ms);
	return false;
}

static void kernel_stats(const struct ward_session *s, struct ward_session_stats *stats)
{
	const struct kernel *k = s->own;

	wl_attachment_stats(&k->a, stats);
}

static bool kernel_gate_is_shut(const struct ward_session *s)
{
	(void)s;
	return false;
}

static uint64_t kernel_held_back(const struct ward_session *s)
{
	const struct kernel *k = s->own;
	uint64_t n = 0;

	for (size_t row = 1; k->a.shared && row < k->a.slots.rows; row++) {
		const char *tally = (const char *)k->a.shared + row * WARD_K_TALLY_SIZE;

		n += *(const volatile uint64_t *)(tally + offsetof(struct ward_k_tally, held_back));
	}
	return n;
}

/* It stops no thread. */
static void kernel_pauses(struct ward_session *s, struct ward_pauses *pauses)
{
	(void)s;
	(void)pauses;
}

static const void **kernel_states(const struct ward_session *s, size_t *n)
{
	const struct kernel *k = s->own;

	return wl_attachment_states(&k->a, n);
}

static const void **kernel_shared(const struct ward_session *s, size_t *n)
{
	const struct kernel *k = s->own;

	return wl_attachment_shared(&k->a, n);
}

const struct wl_backend wl_backend_kernel = {
	.profile = WARD_PROFILE_KERNEL,
	.is_read_only = true,
	.check = kernel_check,
	.attach = kernel_attach,
	.wait = wait_for,
	.detach = kernel_detach,
	.free = free_own,
	.stats = kernel_stats,
	.shut = kernel_gate_is_shut,
	.held_back = kernel_held_back,
	.pauses = kernel_pauses,
	.states = kernel_states,
	.shared = kernel_shared,
};
