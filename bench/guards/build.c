/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that build the versions with which Ward is compared. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guards.h"

extern char **environ;

bool run_command(const char *const *argv)
{
	pid_t pid;
	int status = -1, e = posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ);

	if (e) {
		fprintf(stderr, "ward: %s: can't be run: %s\nhint: tools/deps.sh installs what is missing\n", argv[0],
			strerror(e));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		fprintf(stderr, "ward: %s: failed\n", argv[0]);
	return status == 0;
}

/* Folders and files as arguments: their text must live as long as the command. */
struct arguments {
	char include[2][4200], source[4200];
};

static void find(struct arguments *a, const struct places *p, const char *kernel)
{
	snprintf(a->include[0], sizeof(a->include[0]), "-I%s", p->include);
	snprintf(a->include[1], sizeof(a->include[1]), "-I%s/kernels", p->guards);
	snprintf(a->source, sizeof(a->source), "%s/kernels/%s.c", p->guards, kernel);
}

/*
 * The flags of ward cc that say what C means and which registers there are, and -O2. What only Ward wants is missing:
 * no pass of the optimiser is off, and stack alignment and local variables are as usual.
 */
bool build_native(const struct places *p, const char *kernel, bool setup, bool plain, char path[256])
{
	struct arguments a;
	const char *strict[] = {"clang-19", "-std=gnu11", "-O2", "-march=x86-64", "-fPIC", "-shared", "-nostdlib",
		"-ffreestanding", "-mgeneral-regs-only", "-fwrapv", "-fno-strict-aliasing", "-fno-finite-loops",
		"-fno-delete-null-pointer-checks", "-fno-stack-protector", "-fcf-protection=none",
		"-fvisibility=hidden", a.include[0], a.include[1], a.source, "-o", path, NULL};
	const char *loose[] = {"clang-19", "-std=gnu11", "-O2", "-march=x86-64", "-fPIC", "-shared",
		setup ? "-DKERNEL_SETUP" : "-DKERNEL_PLAIN", a.include[0], a.include[1], a.source, "-o", path, NULL};

	find(&a, p, kernel);
	snprintf(path, 256, "%s/%s.%s.so", p->work, kernel, setup ? "setup" : plain ? "plain" : "native");
	return run_command(setup || plain ? loose : strict);
}

static bool compile_wasm(const struct places *p, const char *kernel, bool setup, char path[256])
{
	struct arguments a;
	const char *compile[] = {"clang-19", "--target=wasm32", "-std=gnu11", "-O2", "-nostdlib", "-ffreestanding",
		"-fwrapv", "-fno-strict-aliasing", a.include[1], setup ? "-DKERNEL_SETUP" : "-DKERNEL_RUN", "-c",
		a.source, "-o", path, NULL};

	find(&a, p, kernel);
	snprintf(path, 256, "%s/%s.%s.o", p->work, kernel, setup ? "setup" : "run");
	return run_command(compile);
}

/* Without setup() there is nothing but the kernel in it, which is for measuring its size. */
bool build_wasm(const struct places *p, const char *kernel, bool setup, char path[256])
{
	char object[2][256], module[256], text[256], host[4200], work[256];
	const char *link[] = {"wasm-ld-19", "--no-entry", "--export=run", "--export=__heap_base",
		"--initial-memory=4194304", object[0], "-o", module, setup ? "--export=setup" : NULL, object[1], NULL};
	const char *translate[] = {"wasm2c", "-n", "kernel", module, "-o", text, NULL};
	const char *compile[] = {"clang-19", "-std=gnu11", "-O2", "-w", "-march=x86-64", "-fPIC", "-shared", work,
		"-I/usr/share/wabt/wasm2c", text, host, "/usr/share/wabt/wasm2c/wasm-rt-impl.c", "-o", path, NULL};

	snprintf(module, sizeof(module), "%s/%s.wasm", p->work, kernel);
	snprintf(text, sizeof(text), "%s/kernel_wasm.c", p->work);
	snprintf(host, sizeof(host), "%s/wasm_host.c", p->guards);
	snprintf(work, sizeof(work), "-I%s", p->work);
	snprintf(path, 256, "%s/%s.wasm.%s.so", p->work, kernel, setup ? "all" : "run");
	return compile_wasm(p, kernel, false, object[0]) && (!setup || compile_wasm(p, kernel, true, object[1])) &&
	       run_command(link) && run_command(translate) && run_command(compile);
}

/* ---- sizes ---- */

static size_t size_of_functions(Elf *elf, const Elf64_Shdr *header, Elf_Data *data, const char *prefix)
{
	const Elf64_Sym *symbol = data ? data->d_buf : NULL;
	size_t sum = 0;

	for (size_t i = 0; symbol && i < data->d_size / sizeof(*symbol); i++) {
		const char *name = elf_strptr(elf, header->sh_link, symbol[i].st_name);

		if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && name &&
			(!prefix || !strncmp(name, prefix, strlen(prefix))))
			sum += symbol[i].st_size;
	}
	return sum;
}

static bool is_constant(Elf *elf, const Elf64_Shdr *header)
{
	size_t names;
	const char *name = elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;

	return name && header->sh_type == SHT_PROGBITS && !strncmp(name, ".rodata", 7);
}

static struct size measure(Elf *elf, const char *prefix)
{
	Elf_Scn *section = NULL;
	struct size size = {0};

	while ((section = elf_nextscn(elf, section)) != NULL) {
		Elf64_Shdr *header = elf64_getshdr(section);

		if (header && header->sh_type == SHT_SYMTAB)
			size.code += size_of_functions(elf, header, elf_getdata(section, NULL), prefix);
		else if (header && is_constant(elf, header))
			size.constants += header->sh_size;
	}
	return size;
}

struct size size_of(const char *path, const char *prefix)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE && fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	struct size size = elf ? measure(elf, prefix) : (struct size){0};

	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return size;
}

struct size size_in(const void *image, size_t n)
{
	Elf *elf = elf_version(EV_CURRENT) != EV_NONE ? elf_memory((char *)(uintptr_t)image, n) : NULL;
	struct size size = elf ? measure(elf, NULL) : (struct size){0};

	elf_end(elf);
	return size;
}
