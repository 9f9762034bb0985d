/* SPDX-License-Identifier: Apache-2.0 */
/* Installs a floor: see floors.S. */
#define _GNU_SOURCE
#include <Zydis/Zydis.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "target.h"

enum { PAGE = 4096, JUMP = 5, SEARCH = 1 << 20 };

/* Of each thread; floors.S knows them by name. */
__thread uint64_t floor_entries, floor_returns, floor_elapsed, floor_head, floor_depth;
__thread uint64_t floor_ring[0x10000 / 8];
__thread uint64_t floor_side[RECURSION_SIDE * 2];

extern const uint8_t floor_l1[], floor_l1_end[], floor_l2[], floor_l2_end[], floor_l3[], floor_l3_end[], floor_l4[],
	floor_l4_end[];

static const struct {
	const uint8_t *code, *end;
} floors[] = {
	[L1] = {floor_l1, floor_l1_end},
	[L2] = {floor_l2, floor_l2_end},
	[L3] = {floor_l3, floor_l3_end},
	[L4] = {floor_l4, floor_l4_end},
};

uint64_t floor_counted(void)
{
	return floor_entries;
}

/* A page within reach of a jump of 32 bits. */
static uint8_t *page_near(const void *function)
{
	uintptr_t at = (uintptr_t)function & ~(uintptr_t)(SEARCH - 1);

	for (int i = 1; i < 1000; i++) {
		void *hint = (void *)(at - (uintptr_t)i * SEARCH);
		uint8_t *p = mmap(
			hint, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (p == hint)
			return p;
		if (p != MAP_FAILED)
			munmap(p, PAGE);
	}
	return NULL;
}

static void put_distance(uint8_t *at, const uint8_t *target)
{
	int32_t distance = (int32_t)(target - (at + 4));

	memcpy(at, &distance, sizeof(distance));
}

static void put_jump(uint8_t *at, const uint8_t *target)
{
	at[0] = 0xe9;
	put_distance(at + 1, target);
}

/*
 * Copy whole instructions, of at least so many bytes; what they name by rip they still name. Returns how many bytes, 0
 * if one can't be copied.
 */
static size_t displace(const uint8_t *from, uint8_t *to)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	size_t n = 0;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	while (n < JUMP) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, from + n, 15, &insn)) ||
			insn.raw.imm[0].is_relative)
			return 0;
		memcpy(to + n, from + n, insn.length);
		if ((insn.attributes & ZYDIS_ATTRIB_HAS_MODRM) && insn.raw.modrm.mod == 0 && insn.raw.modrm.rm == 5) {
			int32_t d = (int32_t)((from + insn.raw.disp.value) - to);
			memcpy(to + n + insn.raw.disp.offset, &d, sizeof(d));
		}
		n += insn.length;
	}
	return n;
}

bool floor_install(enum floor floor, void *function)
{
	size_t n = (size_t)(floors[floor].end - floors[floor].code), displaced;
	uint8_t *site = function, *stub = page_near(function),
		*first = (uint8_t *)((uintptr_t)function & ~(uintptr_t)(PAGE - 1));

	if (!stub)
		return false;
	memcpy(stub, floors[floor].code, n);
	displaced = displace(site, stub + n);
	if (!displaced)
		return false;
	put_jump(stub + n + displaced, site + displaced);
	if (mprotect(stub, PAGE, PROT_READ | PROT_EXEC) ||
		mprotect(first, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	put_jump(site, stub);
	return mprotect(first, 2 * PAGE, PROT_READ | PROT_EXEC) == 0;
}
