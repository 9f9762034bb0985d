/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header before <ward/kernel.h>, made from files with the types of a kernel and of its modules. The modules'
 * files have the modules' names and are in the same folder.
 */
#include "btf.h"

#include "loader/base/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_NAME = 63 };

/* As the kernel names modules, whatever their files are called; vmlinux is no module. */
static bool is_module(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	size_t n = name ? strlen(name) : 0;

	return n > 0 && n <= MAX_NAME && strspn(name, letters) == n && strcmp(name, "vmlinux") != 0;
}

static struct wl_btf *read_types(const char *path, const struct wl_btf *base)
{
	struct stat st;

	errno = EINVAL;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) ? NULL : wl_btf_read(path, base);
}

/* By errno. */
static int btf_unreadable(struct ward_error *e, const char *btf, const char *path)
{
	if (errno == ENOMEM)
		return wl_no_memory(e);
	return wl_fail(e, btf ? WARD_E_USAGE : WARD_E_TARGET, path, "%s",
		errno == EINVAL ? "it contains no types (BTF)" : strerror(errno));
}

static int read_kernel(const char *btf, const char *path, struct wl_btf **types, struct ward_error *e)
{
	*types = read_types(path, NULL);
	if (*types)
		return 0;
	btf_unreadable(e, btf, path);
	if (e->status != WARD_E_SYSTEM)
		wl_hint(e, "the types of the kernel to be traced are in its /sys/kernel/btf/vmlinux, or a copy: --btf "
			   "FILE");
	return e->status;
}

static int read_module(const char *btf, const char *kernel, const char *name, const struct wl_btf *base,
	struct wl_btf **types, struct ward_error *e)
{
	const char *slash = strrchr(kernel, '/');
	char *path = NULL;

	if (!is_module(name)) {
		wl_fail(e, WARD_E_USAGE, name ? name : "NULL", "no module of the kernel can have such a name");
		wl_hint(e, "its name is that of its types in /sys/kernel/btf: letters, digits and _");
		return e->status;
	}
	if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - kernel) : 0, kernel, name) < 0)
		return wl_no_memory(e);
	*types = read_types(path, base);
	if (!*types)
		btf_unreadable(e, btf, path);
	free(path);
	if (*types || e->status == WARD_E_SYSTEM)
		return *types ? 0 : e->status;
	if (btf)
		wl_hint(e,
			"a module's types are looked for beside the kernel's: put a copy of the traced kernel's "
			"/sys/kernel/btf/%s there; if it is built into that kernel, leave WARD_KERNEL_MODULE(%s) out",
			name, name);
	else
		wl_hint(e,
			"a module's types are there while it is loaded: modprobe %s; if it is built into the kernel, "
			"its structures are among the kernel's: leave WARD_KERNEL_MODULE(%s) out",
			name, name);
	return e->status;
}

static void put_prologue(const char *const *modules, size_t n, FILE *out)
{
	fputs("/* The kernel's structures, made from what it tells of its types. */\n"
	      "#define WARD_KERNEL_TYPES\n",
		out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "#define WARD_KERNEL_TYPES_%s 1\n", modules[i]);
	fputs("struct ward_bit_field {};\n", out);
}

/* types: room for the kernel's and the modules'. */
static int write_header(const char *btf, const char *const *modules, size_t n_modules, struct wl_btf **types, FILE *out,
	struct ward_error *e)
{
	const char *path = btf ? btf : "/sys/kernel/btf/vmlinux";
	int status = read_kernel(btf, path, &types[0], e);

	for (size_t i = 0; !status && i < n_modules; i++)
		status = read_module(btf, path, modules[i], types[0], &types[1 + i], e);
	if (status)
		return status;
	put_prologue(modules, n_modules, out);
	if (!wl_btf_header((const struct wl_btf *const *)types, 1 + n_modules, out))
		return errno == ENOMEM ? wl_no_memory(e)
				       : wl_fail(e, WARD_E_USAGE, path, "it contains more types than a kernel has");
	return ferror(out) ? wl_fail(e, WARD_E_SYSTEM, "header", "%s", strerror(errno)) : 0;
}

int ward_kernel_header(const char *btf, const char *const *modules, size_t n_modules, FILE *out, struct ward_error *err)
{
	struct ward_error local, *e = err ? err : &local;
	struct wl_btf **types;
	int status;

	wl_clear(e);
	if (!out || (n_modules && !modules))
		return wl_missing(e, "ward_kernel_header", out ? "modules" : "out");
	types = calloc(1 + n_modules, sizeof(*types));
	if (!types)
		return wl_no_memory(e);
	status = write_header(btf, modules, n_modules, types, out, e);
	for (size_t i = 0; i <= n_modules; i++)
		wl_btf_free(types[i]);
	free(types);
	return status;
}
