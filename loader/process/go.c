/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go.
 *
 * A goroutine's stack is a few kilobytes in the midst of the heap, and it may have next to nothing left where a
 * function begins: the linker lets chains of functions that don't look after their stack use all but some bytes of a
 * reserve. What looks begins so, r14 being the goroutine:
 *
 *	        cmp  0x10(%r14), %rsp        ; or, with a larger frame: lea -N(%rsp), %r12; cmp 0x10(%r14), %r12
 *	        jbe  more                    ; at the function's end: call morestack, and back to the beginning
 *
 * Behind that rsp is above the limit, below which the reserve is free (928 bytes, in Go 1.19), as the frame isn't made
 * yet: room for a stub, which needs less than half of it, and its probes have a stack of their own when they need more
 * than a few words. So these are the instructions that are displaced, and the event is behind them. It comes once for
 * each call then, however often the stack grows. Where such a function returns its frame is gone, and there is as much
 * room again, even if the stack has been moved meanwhile: a smaller one keeps the reserve. Functions without them
 * (assembly, small leaves, what the runtime has marked nosplit) can't have a probe, nor those with frames above 4096
 * bytes, which check in a longer way.
 *
 * Nothing of ours may be on such a stack while Go's own code runs: it is moved, and traced back, by tables that know no
 * other code. While a stub runs none of that happens: the runtime stops a goroutine at an instruction only if it knows
 * that (isAsyncSafePoint), and its profiler gives up at one that it doesn't know. A goroutine that has been stopped so
 * elsewhere goes on, perhaps after hours, at the instruction where it was, and no thread's stack shows that: between
 * two instructions whose bytes become a jump it must never be. It isn't here: the jbe is marked as no such place, and
 * the lea is five bytes or more by itself.
 *
 * The runtime doesn't have the word at fs:0 that C libraries have, unless it was linked with one. Where there are Go
 * functions stubs therefore know a thread by the segment's base itself. The runtime sets that of a new thread
 * (arch_prctl) before it runs anything that could be probed.
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

/* One instruction, if it stands there. */
static bool take(const uint8_t *code, size_t size, const void *bytes, size_t n, size_t len, struct wl_go_check *check)
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
	if (!take(code, size, CMP_RSP, 4, 4, check)) {
		if (!take(code, size, LEA_SHORT, 4, 5, check) && !take(code, size, LEA_LONG, 4, 8, check))
			return false;
		/* The sign is in the displacement's last byte: what is compared must be below rsp. */
		if (!(code[check->len - 1] & 0x80) || !take(code, size, CMP_R12, 4, 4, check))
			return false;
	}
	return take(code, size, JBE_SHORT, 1, 2, check) || take(code, size, JBE_LONG, 2, 6, check);
}

const char *wl_go_find_check(const uint8_t *code, size_t size, struct wl_go_check *check)
{
	if (size > 5 && code[0] == 0xe9) /* one that is nothing but a jump is as it was made */
		return "another tracer's jump stands where the Go function checks its stack";
	return find_check(code, size, check)
		       ? NULL
		       : "a Go function that doesn't begin with a check of its stack may have none left for a probe";
}
