/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a function are those of its prototype. The arguments of a tracepoint are those of
 * __traceiter_EVENT, the function through which the kernel calls its tracers, without the first. If the kernel has no
 * types, or none for this function, the arguments are unknown, which is no error. The function of a system call takes
 * only the task's registers; tracefs lists the call's arguments (syscalls.c).
 */
#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char wl_kbtf_folder[] = "/sys/kernel/btf";

enum { ARGS = 6, MAX_TEXT = 1024 };

static struct wl_btf *read_types(const struct wl_karguments *k, const char *name)
{
	struct wl_btf *btf = NULL;
	char *path;

	if (strchr(name, '/') || asprintf(&path, "%s/%s", k->folder, name) < 0)
		return NULL;
	btf = wl_btf_read(path, k->kernel);
	free(path);
	return btf;
}

/* The types of a module, "": the kernel itself. NULL if they aren't known. */
static const struct wl_btf *types_of(struct wl_karguments *k, const char *module)
{
	struct wl_kmodule_types *v;

	if (!k->opened)
		k->kernel = read_types(k, "vmlinux");
	k->opened = true;
	if (!k->kernel || !*module)
		return k->kernel;
	for (size_t i = 0; i < k->n; i++)
		if (strcmp(k->v[i].name, module) == 0)
			return k->v[i].btf;
	v = reallocarray(k->v, k->n + 1, sizeof(*v));
	if (!v)
		return NULL;
	k->v = v;
	v[k->n].name = strdup(module);
	if (!v[k->n].name)
		return NULL;
	v[k->n].btf = read_types(k, module);
	return v[k->n++].btf;
}

void wl_karguments_free(struct wl_karguments *k)
{
	for (size_t i = 0; i < k->n; i++) {
		wl_btf_free(k->v[i].btf);
		free(k->v[i].name);
	}
	free(k->v);
	wl_btf_free(k->kernel);
	*k = (struct wl_karguments){0};
}

/* Has it a register to itself, as a number or pointer? */
static bool is_word(const struct wl_btf *btf, uint32_t number)
{
	const struct btf_type *type = wl_btf_type(btf, wl_btf_plain(btf, number));

	switch (wl_btf_kind(type)) {
	case BTF_KIND_PTR: return true;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64: return type->size <= 8;
	default: return false;
	}
}

static unsigned count_words(const struct wl_btf *btf, const struct btf_type *prototype, unsigned first)
{
	const struct btf_param *v = (const struct btf_param *)(prototype + 1);
	unsigned n = BTF_INFO_VLEN(prototype->info);

	for (unsigned i = first; i < n; i++)
		if (!is_word(btf, v[i].type))
			return ARGS;
	return n < first ? 0 : n - first < ARGS ? n - first : ARGS;
}

const struct wl_btf *wl_ktypes(struct wl_karguments *k, const char *module)
{
	return types_of(k, module);
}

const struct btf_type *wl_kprototype(
	struct wl_karguments *k, const struct wl_ksym *sym, enum wl_kwhere where, const struct wl_btf **btf)
{
	bool point = where == WL_KPOINT;
	char name[WL_KEVENT_NAME + 20];
	int length = snprintf(name, sizeof(name), "%s%s", point ? "__traceiter_" : "",
		point ? strchr(sym->name, ':') + 1 : sym->name);

	*btf = sym->several || sym->call ? NULL : types_of(k, sym->module);
	return *btf && length > 0 && (size_t)length < sizeof(name) ? wl_btf_function(*btf, name) : NULL;
}

char *wl_karguments(struct wl_karguments *k, const struct wl_ksym *sym, enum wl_kwhere where, unsigned *n)
{
	const struct wl_btf *btf;
	const struct btf_type *prototype = wl_kprototype(k, sym, where, &btf);
	unsigned first = where == WL_KPOINT;
	char text[MAX_TEXT];

	if (sym->call) {
		if (n)
			*n = ARGS;
		return wl_kcall_arguments(sym->name);
	}
	if (n)
		*n = prototype ? count_words(btf, prototype, first) : ARGS;
	return prototype && wl_btf_parameters(btf, prototype, first, text, sizeof(text)) ? strdup(text) : NULL;
}

/* ---- Wrapping ---- */

/*
 * Structures may be returned where a hidden first argument says: all that don't fit into two registers, and some that
 * would.
 */
static bool may_return_in_memory(const struct wl_btf *btf, const struct btf_type *prototype)
{
	unsigned kind = wl_btf_kind(wl_btf_type(btf, wl_btf_plain(btf, prototype->type)));

	return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

/*
 * Structures by value may be on the stack; what else is no word (one that ends a variable number of arguments, too) is
 * unknown.
 */
static bool are_in_registers(const struct wl_btf *btf, const struct btf_type *prototype)
{
	const struct btf_param *v = (const struct btf_param *)(prototype + 1);
	unsigned n = BTF_INFO_VLEN(prototype->info);

	for (unsigned i = 0; i < n; i++)
		if (!is_word(btf, v[i].type))
			return false;
	return n + may_return_in_memory(btf, prototype) <= ARGS;
}

/* Tasks end in there, all or many: each would leave a frame that is never left. */
static bool never_returns(const char *name)
{
	static const char *const names[] = {"do_exit", "do_group_exit", "do_task_dead", "make_task_dead", "kthread",
		"kthread_exit", "kthread_complete_and_exit", "__module_put_and_kthread_exit", "io_wqe_worker",
		"io_wq_worker", "io_sq_thread", "cpu_startup_entry", "get_signal", "arch_do_signal_or_restart",
		"exit_to_user_mode_loop", "__seccomp_filter", "__secure_computing", "syscall_trace_enter",
		"__x64_sys_exit", "__x64_sys_exit_group", "__do_sys_exit", "__do_sys_exit_group",
		"syscalls:sys_enter_exit", "syscalls:sys_enter_exit_group", "syscalls:sys_exit_exit",
		"syscalls:sys_exit_exit_group"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/*
 * That the types are right is believed, as the kernel believes it when it checks BPF's programs. A function of which
 * the kernel has several, or which the compiler has given another name as it changed its arguments, has no types here.
 */
bool wl_kcan_wrap(struct wl_karguments *k, const struct wl_ksym *sym)
{
	const struct btf_type *prototype;
	const struct wl_btf *btf;

	if (never_returns(sym->name))
		return false;
	if (sym->call || (!*sym->module && strncmp(sym->name, "__x64_sys_", 10) == 0))
		return true; /* it gets the task's registers, no more */
	btf = sym->several ? NULL : types_of(k, sym->module);
	prototype = btf ? wl_btf_function(btf, sym->name) : NULL;
	return prototype && are_in_registers(btf, prototype);
}
