/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go.
 *
 * A goroutine's stack is a few kilobytes in the middle of the heap, and at a function's entry it may be nearly full:
 * the linker lets chains of functions that don't check their stack use all but some bytes of a reserve. A function
 * that checks begins like this, with the goroutine in r14:
 *
 *	        cmp  0x10(%r14), %rsp        ; or, with a larger frame: lea -N(%rsp), %r12; cmp 0x10(%r14), %r12
 *	        jbe  more                    ; at the function's end: call morestack, and back to the beginning
 *
 * Behind this check rsp is above the limit, because the frame isn't made yet, and the reserve below the limit is free
 * (928 bytes in Go 1.19). A stub needs less than half of that, and its probes run on a stack of their own if they
 * need more than a few words. So these instructions are displaced, and the event is behind them. It comes once for
 * each call, however often the stack grows. When such a function returns, its frame is gone, and there is as much
 * room again. That also holds if the runtime has moved the stack meanwhile, because a smaller stack keeps the
 * reserve. Two kinds of functions can't have a probe: those without the check (assembly, small leaves, functions that
 * the runtime marks nosplit), and those with frames above 4096 bytes, whose check is longer.
 *
 * Nothing of Ward may be on such a stack while Go's own code runs, because the runtime moves and unwinds stacks by
 * tables that know no other code. While a stub runs, neither happens: the runtime stops a goroutine only at
 * instructions that it knows (isAsyncSafePoint), and its profiler gives up at an instruction that it doesn't know. A
 * goroutine that was stopped elsewhere may continue hours later at the instruction where it was, and no thread's
 * stack shows that. So it must never be stopped between two instructions whose bytes become a jump. It never is: the
 * runtime marks the jbe as unsafe to stop at, and the lea alone has five bytes or more.
 *
 * Unless it is linked with a C library, the runtime doesn't have the word at fs:0. So where there are Go functions,
 * stubs identify a thread by the base of the segment fs. The runtime sets the base of a new thread (arch_prctl)
 * before it runs anything that could be probed.
 */
#include "go.h"
#include "maps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

bool wl_go_file(const struct wl_elf *elf)
{
	static const char *const names[] = {
		".note.go.buildid", ".go.buildinfo", ".gopclntab", ".data.rel.ro.gopclntab"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (wl_elf_section_named(elf, names[i]))
			return true;
	return false;
}

bool wl_go_program(pid_t pid)
{
	struct wl_elf elf;
	char path[64];
	bool go = false;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)wl_shown_at(pid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (wl_elf_open(&elf, fd)) {
		go = wl_go_file(&elf);
		wl_elf_close(&elf);
	}
	close(fd);
	return go;
}

bool wl_can_read_base(void)
{
	const unsigned long FSGSBASE = 1ul << 1;

	return getauxval(AT_HWCAP2) & FSGSBASE;
}

/* One instruction, if it is there. */
static bool insn_take(
	const uint8_t *code, size_t size, const void *bytes, size_t n, size_t len, struct wl_go_check *check)
{
	if (check->len + len > size || memcmp(code + check->len, bytes, n) != 0)
		return false;
	check->at[check->n++] = check->len;
	check->len = (uint8_t)(check->len + len);
	return true;
}

static bool find_check(const uint8_t *code, size_t size, struct wl_go_check *check)
{
	static const uint8_t CMP_RSP[] = {0x49, 0x3b, 0x66, 0x10}, CMP_R12[] = {0x4d, 0x3b, 0x66, 0x10};
	static const uint8_t LEA_SHORT[] = {0x4c, 0x8d, 0x64, 0x24}, LEA_LONG[] = {0x4c, 0x8d, 0xa4, 0x24};
	static const uint8_t JBE_SHORT[] = {0x76}, JBE_LONG[] = {0x0f, 0x86};

	*check = (struct wl_go_check){0};
	if (!insn_take(code, size, CMP_RSP, 4, 4, check)) {
		if (!insn_take(code, size, LEA_SHORT, 4, 5, check) && !insn_take(code, size, LEA_LONG, 4, 8, check))
			return false;
		/* The sign is in the displacement's last byte: what is compared must be below rsp. */
		if (!(code[check->len - 1] & 0x80) || !insn_take(code, size, CMP_R12, 4, 4, check))
			return false;
	}
	return insn_take(code, size, JBE_SHORT, 1, 2, check) || insn_take(code, size, JBE_LONG, 2, 6, check);
}

const char *wl_go_find_check(const uint8_t *code, size_t size, struct wl_go_check *check)
{
	if (size > 5 && code[0] == 0xe9) /* one that is nothing but a jump is as it was made */
		return "another tracer's jump is where the Go function checks its stack";
	return find_check(code, size, check) ? NULL
					     : "a Go function that doesn't begin with a check of its stack may have no "
					       "stack left for a probe";
}
