/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the exec to the entry point.
 *
 * Ward attaches to a program when its dynamic linker has mapped all libraries, before the program's own first
 * instruction. A breakpoint at the entry point would show that moment, but would kill the program if the tracer died
 * before. So the dynamic linker is redirected. It reads from the auxiliary vector on the stack (AT_ENTRY) where to
 * jump at its end, and that entry is changed to
 *
 *	mov  $39, %eax       ; getpid
 *	syscall
 *	jmp  *entry
 *
 * in the bytes between the end of the linker's own code and the end of the page, which nothing uses. The program runs
 * from system call to system call until it is at that one. Then the bytes and the vector are restored, and it
 * continues at its entry point. If the tracer has died, it arrives there all the same. A static program begins at its
 * entry point, but without a thread pointer, which stubs need; so it runs on until it has set one.
 */
#include "controller.h"

#include "loader/base/error.h"
#include "loader/process/go.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 13, SIZE = CODE + 8, AFTER_CALL = 7, PHDRS = 64, WORDS = 512 };

static const uint8_t code[CODE] = {0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0xff, 0x25, 0, 0, 0, 0};

struct vector {
	uint64_t entry, base;
};

static bool read_vector(pid_t pid, struct vector *v)
{
	char path[64];
	size_t size;
	char *auxv;

	*v = (struct vector){0};
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	auxv = wl_read_proc(path, &size);
	for (size_t i = 0; auxv && (i + 1) * sizeof(Elf64_auxv_t) <= size; i++) {
		Elf64_auxv_t a;

		memcpy(&a, auxv + i * sizeof(a), sizeof(a));
		if (a.a_type == AT_ENTRY)
			v->entry = a.a_un.a_val;
		if (a.a_type == AT_BASE)
			v->base = a.a_un.a_val;
	}
	free(auxv);
	return v->entry != 0;
}

/* Unused bytes behind the code of what is mapped at `base`, or 0. */
static uint64_t find_room(const struct wl_process *p, uint64_t base)
{
	Elf64_Phdr ph[PHDRS];
	Elf64_Ehdr h;

	if (!wl_process_read(p, base, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
		h.e_phentsize != sizeof(*ph) || h.e_phnum > PHDRS)
		return 0;
	if (!wl_process_read(p, base + h.e_phoff, ph, h.e_phnum * sizeof(*ph)))
		return 0;
	for (size_t i = 0; i < h.e_phnum; i++) {
		uint64_t end = base + ph[i].p_vaddr + ph[i].p_memsz;

		end = (end + 15) & ~(uint64_t)15;
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X && !(ph[i].p_flags & PF_W) && end % WL_PAGE &&
			WL_PAGE - end % WL_PAGE >= SIZE)
			return end;
	}
	return 0;
}

/*
 * The address of AT_ENTRY's value on the new program's stack, or 0: behind the arguments and the environment, each of
 * which ends with a null pointer.
 */
static uint64_t find_word(const struct wl_process *p, uint64_t sp, uint64_t entry)
{
	uint64_t buf[WORDS], argc = 0;
	unsigned nulls = 0;
	uint64_t at = sp + 8;

	if (!wl_process_read(p, sp, &argc, sizeof(argc)) || argc >> 32)
		return 0;
	at += argc * 8;
	for (;;) {
		size_t got = wl_process_read_some(p, at, buf, sizeof(buf)) / 8;

		for (size_t i = 0; i + (nulls == 2) < got;) {
			if (nulls < 2) {
				nulls += buf[i++] == 0;
				at += 8;
				continue;
			}
			if (buf[i] == AT_NULL)
				return 0;
			if (buf[i] == AT_ENTRY)
				return buf[i + 1] == entry ? at + 8 : 0;
			i += 2;
			at += 16;
		}
		if (got < 2)
			return 0;
	}
}

static int start_refuse(pid_t pid, const char *why, struct ward_error *err)
{
	char what[64];

	snprintf(what, sizeof(what), "process %d", (int)pid);
	return wl_fail(err, WARD_E_TARGET, what, "%s", why);
}

int wl_start_begin(struct wl_start *s, pid_t pid, struct ward_error *err)
{
	struct user_regs_struct regs;
	struct wl_process p;
	struct vector v;
	uint8_t bytes[SIZE];
	int rc = wl_process_open(&p, pid, err);

	*s = (struct wl_start){0};
	if (rc)
		return rc;
	if (!wl_get_regs(pid, &regs) || !read_vector(pid, &v)) {
		rc = start_refuse(pid, "it has no entry point", err);
	} else if (!v.base) {
		s->how = WL_TO_POINTER;
	} else {
		s->entry = v.entry;
		s->trampoline = find_room(&p, v.base);
		s->word = find_word(&p, regs.rsp, v.entry);
		memcpy(bytes, code, CODE);
		memcpy(bytes + CODE, &v.entry, sizeof(v.entry));
		if (!s->trampoline || !s->word)
			rc = start_refuse(pid, "its dynamic linker can't be redirected from its entry point", err);
		else if (!wl_process_read(&p, s->trampoline, s->saved, SIZE) ||
			 !wl_process_write(&p, s->trampoline, bytes, SIZE) ||
			 !wl_process_write(&p, s->word, &s->trampoline, sizeof(s->trampoline)))
			rc = start_refuse(pid, "its memory can't be written", err);
		else
			s->how = WL_TO_ENTRY;
	}
	wl_process_close(&p);
	return rc;
}

/* Of Go's runtime, without cgo, the base is all that there is. */
static bool has_pointer(pid_t pid, const struct user_regs_struct *regs)
{
	struct wl_process p;
	uint64_t word;
	bool has;

	if (!regs->fs_base || wl_process_open(&p, pid, NULL))
		return false;
	has = wl_process_read(&p, regs->fs_base, &word, sizeof(word)) && (word || wl_go_program(pid));
	wl_process_close(&p);
	return has;
}

/* The thread first, then what it was led by. */
static void take_back(const struct wl_start *s, pid_t pid, struct user_regs_struct *regs)
{
	struct wl_process p;

	regs->rip = s->entry;
	wl_set_regs(pid, regs);
	if (wl_process_open(&p, pid, NULL))
		return;
	wl_process_write(&p, s->word, &s->entry, sizeof(s->entry));
	wl_process_write(&p, s->trampoline, s->saved, SIZE);
	wl_process_close(&p);
}

bool wl_start_step(struct wl_start *s, pid_t pid)
{
	struct user_regs_struct regs;

	if (!wl_get_regs(pid, &regs))
		return false;
	if (s->how == WL_TO_ENTRY ? regs.rip != s->trampoline + AFTER_CALL : !has_pointer(pid, &regs))
		return false;
	if (s->how == WL_TO_ENTRY)
		take_back(s, pid, &regs);
	s->how = WL_STARTED;
	return true;
}
