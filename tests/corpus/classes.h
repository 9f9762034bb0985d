/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of escape known from the literature: of software fault isolation (prefixes that change what is decoded,
 * overlapping instructions, registers that are written in part or twice, …), of the kernel's eBPF verifier (its
 * CVEs), and false fields in each part of a file. The line `# class:` of a hostile file names its kinds. A broken
 * file (broken.c) is of the kind of the part that it changes.
 */
#ifndef WARD_TESTS_CLASSES_H
#define WARD_TESTS_CLASSES_H

struct corpus_class {
	const char *name, *what;
};

static const struct corpus_class corpus_classes[] = {
	{"prefix-games", "SFI: prefixes that change an instruction, or are read differently"},
	{"instruction-overlap", "SFI: a jump into an instruction that hides another"},
	{"two-destinations", "SFI: instructions with two destinations (xadd, mulx, cmpxchg, xchg)"},
	{"partial-register", "SFI: writes to a part of a register"},
	{"high-byte-register", "SFI: ah, ch, dh, bh"},
	{"zero-extension-32", "SFI: writes of 32 bits, which clear the upper half"},
	{"address-size-override", "SFI: addresses of 32 bits"},
	{"rsp-in-address", "SFI: rsp in an address, with wrap-around"},
	{"cmov-to-rsp", "SFI: a conditional move to rsp"},
	{"slot-overwritten", "SFI: a stack slot written by a wider or misaligned store"},
	{"flags-clobbered", "SFI: flags clobbered between compare and branch"},
	{"bounds-32-64", "eBPF: bounds of 32 bits taken for 64, or the reverse"},
	{"signed-unsigned", "eBPF: a signed comparison taken for an unsigned one, or the reverse"},
	{"shift-by-width", "eBPF: shifts by the width and more"},
	{"sign-extension", "eBPF: bounds under sign extension"},
	{"pointer-after-compare", "eBPF: arithmetic on what was compared, after the comparison"},
	{"spilled-pointer-overwritten", "eBPF: a spilled pointer that is overwritten in part"},
	{"elf", "lies in the ELF header, in program and section headers"},
	{"note", "lies in the note"},
	{"proof", "lies in the proof"},
};

enum { CORPUS_CLASSES = sizeof(corpus_classes) / sizeof(corpus_classes[0]) };

/* Its number, or -1. */
int corpus_class(const char *name);

#endif
