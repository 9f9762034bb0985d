/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows made of call frame information, beside libdw's reading of the same files. libdw shares nothing with ours: at
 * each address it gives expressions for the CFA, for rbp and for the return address, which must mean the same as the
 * rule. A rule may say that it doesn't know, but seldom: of each file at most one address in a hundred.
 *
 *	test_unwind_rows [FILE...]	the files, and those that this program has loaded
 */
#define _GNU_SOURCE 1

#include "loader/base/elf_file.h"
#include "loader/symbols/unwind_rows.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RBP = 6, RSP = 7, RETURN = 16, CHECKS_MOST = 30000 };

/* An address's rule as libdw has it, in the same form as ours; false: it is none that a rule expresses. */
static bool rule_of(Dwarf_Frame *frame, uint32_t *rule)
{
	Dwarf_Op *cfa, *ops, memory[3];
	size_t n = 0, n_ops = 0;
	bool is_signal = false;
	unsigned kind = 0, rbp = 0;
	int64_t words = 0;

	dwarf_frame_info(frame, NULL, NULL, &is_signal);
	if (dwarf_frame_register(frame, RETURN, memory, &ops, &n_ops) != 0)
		return false;
	if (n_ops == 0 && ops == memory) { /* undefined */
		*rule = WL_UNWIND_END;
		return true;
	}
	if (dwarf_frame_cfa(frame, &cfa, &n) != 0)
		return false;
	if (is_signal) {
		*rule = WL_UNWIND_SIGNAL;
		return n == 2 && cfa[0].atom == DW_OP_breg7 && cfa[0].number == WL_SIGNAL_RSP;
	}
	if (n_ops < 1 || ops[0].atom != DW_OP_call_frame_cfa || n_ops < 2 || ops[1].atom != DW_OP_plus_uconst ||
		(int64_t)ops[1].number != -8)
		return false;
	if (n == 1 && cfa[0].atom == DW_OP_bregx && (cfa[0].number == RSP || cfa[0].number == RBP)) {
		kind = cfa[0].number == RSP ? WL_UNWIND_RSP : WL_UNWIND_RBP;
		words = (int64_t)cfa[0].number2;
	} else if (n == 1 && (cfa[0].atom == DW_OP_breg7 || cfa[0].atom == DW_OP_breg6)) {
		kind = cfa[0].atom == DW_OP_breg7 ? WL_UNWIND_RSP : WL_UNWIND_RBP;
		words = (int64_t)cfa[0].number;
	} else if (n == 2 && cfa[0].atom == DW_OP_breg6 && cfa[1].atom == DW_OP_deref) {
		kind = WL_UNWIND_RBP_DEREF;
		words = (int64_t)cfa[0].number;
	} else if (n == 3 && cfa[0].atom == DW_OP_breg7 && cfa[1].atom == DW_OP_deref &&
		   cfa[2].atom == DW_OP_plus_uconst && cfa[2].number == 8) {
		kind = WL_UNWIND_RSP_DEREF;
		words = (int64_t)cfa[0].number;
	} else if (n == 9 && cfa[1].atom == DW_OP_breg16) {
		kind = WL_UNWIND_PLT;
		words = 8 * (int64_t)(cfa[4].atom - DW_OP_lit0);
	} else {
		return false;
	}
	n_ops = 0;
	if (dwarf_frame_register(frame, RBP, memory, &ops, &n_ops) != 0)
		return false;
	if (n_ops == 0 && !ops) /* the same */
		rbp = 0;
	else if (n_ops == 2 && ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst)
		rbp = (unsigned)(-(int64_t)ops[1].number / 8);
	else if (n_ops && ops[n_ops - 1].atom == DW_OP_breg6 && ops[n_ops - 1].number == 0 &&
		 (n_ops == 1 || (n_ops == 2 && ops[0].atom == DW_OP_call_frame_cfa)))
		rbp = WL_UNWIND_RBP_AT_RBP;
	else
		return false;
	*rule = kind | rbp << WL_UNWIND_RBP_SHIFT | (uint32_t)(words / 8) << WL_UNWIND_WORDS_SHIFT;
	return words % 8 == 0;
}

struct counts {
	size_t checked, unknown, wrong;
};

/* libdw's answer at one address. It has none, or one that can't be expressed: then a rule mustn't have one, either. */
static void check_address(Dwarf_CFI *cfi, uint64_t address, uint32_t ours, struct counts *counts)
{
	Dwarf_Frame *frame = NULL;
	uint32_t theirs = WL_UNWIND_NONE;
	bool has = dwarf_cfi_addrframe(cfi, address, &frame) == 0, expressed = has && rule_of(frame, &theirs);

	counts->checked++;
	if (has && !expressed)
		counts->unknown++;
	if (!expressed)
		theirs = WL_UNWIND_NONE;
	if (ours != theirs && counts->wrong++ < 8)
		printf("  %#" PRIx64 ": %#x; libdw: %#x\n", address, ours, theirs);
	free(frame);
}

static void check_rows(Dwarf_CFI *cfi, const struct wl_unwind_rows *rows, uint64_t base, struct counts *counts)
{
	size_t step = rows->n / CHECKS_MOST + 1;

	for (size_t i = 0; i < rows->n; i += step) {
		uint64_t at = rows->v[i].at;

		check_address(cfi, base + at, wl_unwind_find(rows, at), counts);
		if (i)
			check_address(cfi, base + at - 1, wl_unwind_find(rows, at - 1), counts);
		if (i + 1 < rows->n) {
			uint64_t mid = (at + rows->v[i + 1].at) / 2;

			check_address(cfi, base + mid, wl_unwind_find(rows, mid), counts);
		}
	}
}

static bool check_file(const char *path)
{
	struct wl_unwind_section section = {0};
	struct wl_unwind_rows rows;
	struct counts counts = {0};
	const Elf64_Shdr *sh;
	struct wl_elf elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *bytes;
	Elf *theirs;

	if (fd < 0 || !wl_elf_open(&elf, fd)) {
		printf("%s: can't be read\n", path);
		return false;
	}
	sh = wl_elf_section_named(&elf, ".eh_frame");
	bytes = sh ? wl_elf_read(&elf, sh->sh_offset, sh->sh_size) : NULL;
	if (!bytes) {
		printf("%s: no .eh_frame\n", path);
		return false;
	}
	section = (struct wl_unwind_section){bytes, sh->sh_size, sh->sh_addr, false};
	if (wl_unwind_read(&section, 0, &rows))
		abort();
	elf_version(EV_CURRENT);
	theirs = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	Dwarf_CFI *cfi = dwarf_getcfi_elf(theirs);

	if (cfi)
		check_rows(cfi, &rows, 0, &counts);
	dwarf_cfi_end(cfi);
	elf_end(theirs);
	printf("%s: %zu rows of %" PRIu64 " bytes; %zu addresses, %zu not expressed, %zu wrong\n", path, rows.n,
		(uint64_t)section.n, counts.checked, counts.unknown, counts.wrong);
	wl_unwind_free(&rows);
	free(bytes);
	wl_elf_close(&elf);
	close(fd);
	return counts.checked > 0 && counts.wrong == 0 && counts.unknown * 100 <= counts.checked;
}

static int check_loaded(struct dl_phdr_info *info, size_t size, void *well)
{
	(void)size;
	if (strchr(info->dlpi_name, '/'))
		*(bool *)well &= check_file(info->dlpi_name);
	return 0;
}

int main(int argc, char **argv)
{
	bool well = true;

	dl_iterate_phdr(check_loaded, &well);
	for (int i = 1; i < argc; i++)
		well &= check_file(argv[i]);
	return !well;
}
