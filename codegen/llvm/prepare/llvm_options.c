/* SPDX-License-Identifier: Apache-2.0 */
#include "llvm_options.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Loops keep heads of their own (loop_bound.c) and the exit tests and counters of the source. What has no place in the
 * source says so. A number below 32 bits is loaded as wide as it is, even if it lies where a load of 32 bits would do:
 * the bytes behind it may not be set, or not be there.
 */
static const char *const always[] = {"ward-llvm", "-disable-lftr", "-disable-lsr", "-keep-loops",
	"-use-unknown-locations=Enable", "-x86-promote-anyext-load=0", "-unroll-runtime=0", "-unroll-allow-partial=0",
	"-unroll-allow-upper-bound=0", "-unroll-allow-peeling=0", "-unroll-allow-remainder=0",
	"-inline-threshold=1000000", "-inlinecold-threshold=1000000", "-inline-cold-callsite-threshold=1000000",
	"-inlinehint-threshold=1000000"};

/*
 * Where a choice in a loop becomes a branch, what is compared is in one block and another branch by the same flags in
 * the next.
 */
static const char *const choices[] = {"ward-llvm", "-x86-cmov-converter=0"};

/* Where equal ends of blocks are merged, what is compared may be in one block and the branch in another. */
static const char *const apart[] = {"ward-llvm", "-enable-tail-merge=0"};

/*
 * The peephole optimiser drops a comparison that another block has made. Frames that only some ways set up are taken
 * down where flags are needed, by lea. Copies of blocks' ends, and values moved into other blocks, come between what is
 * compared and what branches.
 */
static const char *const careful[] = {"ward-llvm", "-disable-peephole", "-enable-shrink-wrap=0",
	"-disable-tail-duplicate", "-disable-early-taildup", "-tail-dup-placement=0", "-disable-machine-cse",
	"-disable-machine-sink", "-disable-postra-machine-sink", "-disable-branch-fold"};

/*
 * Loop strength reduction: what a loop computes from its counter anew in each round becomes a counter of its own, as
 * wide as an address. That is faster, and some proofs can't follow it.
 */
static const char *const reduced[] = {"ward-llvm", "-disable-lsr=0"};
static const char *const unreduced[] = {"ward-llvm", "-disable-lsr=1"};

/*
 * Loops of a known number of rounds, unrolled a few times, whether or not that divides the number. The optimiser has
 * unrolled wholly before what is worth it.
 */
static const char *const in_part[] = {
	"ward-llvm", "-unroll-allow-partial=1", "-unroll-allow-remainder=1", "-unroll-full-max-count=0"};
static const char *const wholly[] = {
	"ward-llvm", "-unroll-allow-partial=0", "-unroll-allow-remainder=0", "-unroll-full-max-count=4294967295"};

/* Sixteen bytes is what loops begin at; of a small function padding up to there would be a fifth. */
static const char *const close[] = {"ward-llvm", "-max-bytes-for-alignment=7"};

enum { SMALL = 64 };

static bool is_small(LLVMModuleRef m)
{
	LLVMValueRef fn, inst;
	LLVMBasicBlockRef block;
	int n = 0;

	for (fn = LLVMGetFirstFunction(m); fn; fn = LLVMGetNextFunction(fn))
		for (block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
			for (inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
				if (++n > SMALL)
					return false;
	return true;
}

void set_options(void)
{
	LLVMParseCommandLineOptions(sizeof(always) / sizeof(always[0]), always, NULL);
}

void suit_size(LLVMModuleRef m)
{
	if (is_small(m))
		LLVMParseCommandLineOptions(sizeof(close) / sizeof(close[0]), close, NULL);
}

void reduce_strength(bool on)
{
	LLVMParseCommandLineOptions(sizeof(reduced) / sizeof(reduced[0]), on ? reduced : unreduced, NULL);
}

void unroll_in_part(bool on)
{
	LLVMParseCommandLineOptions(sizeof(in_part) / sizeof(in_part[0]), on ? in_part : wholly, NULL);
}

void keep_selects(void)
{
	LLVMParseCommandLineOptions(sizeof(choices) / sizeof(choices[0]), choices, NULL);
}

void keep_apart(void)
{
	LLVMParseCommandLineOptions(sizeof(apart) / sizeof(apart[0]), apart, NULL);
}

void be_careful(void)
{
	LLVMParseCommandLineOptions(sizeof(careful) / sizeof(careful[0]), careful, NULL);
}
