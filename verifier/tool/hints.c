/* SPDX-License-Identifier: Apache-2.0 */
/* What an author can do about a violation. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/decode/insn.h"
#include "verifier/file/module.h"
#include "report.h"

static const char *const hints[WARD_RULE_COUNT] = {
	[WARD_RULE_FILE] = "`ward cc` and `ward link` make module files; this one is none, or damaged",
	[WARD_RULE_LAYOUT] = "link the object with `ward link`, which lays a module out as it must be",
	[WARD_RULE_NOTE] = "link the object with `ward link`, which writes the note",
	[WARD_RULE_PROOF] = "the proof is made by `ward cc` and `ward link`; don't strip the file after that",
	[WARD_RULE_SEAL] = "the file was changed after its proof was made: build it again",
	[WARD_RULE_WORK] = "split the module, or its largest functions: short branches in a large frame of which much "
			   "is known take most",
	[WARD_RULE_OPCODE] =
		"compile without floating point, vector instructions and inline assembly: -mgeneral-regs-only",
	[WARD_RULE_PREFIX] = "compile without thread-local variables and string instructions",
	[WARD_RULE_OPERAND] =
		"compile for plain x86-64, without inline assembly; spec/ward/isa.def lists what is permitted",
	[WARD_RULE_FEATURE] = "link it again with `ward link`, which names the features; allow one that needs "
			      "permission with --allow",
	[WARD_RULE_PROFILE] = "compile for the kernel with -mgeneral-regs-only",
	[WARD_RULE_TARGET] = "a branch must go to the start of an instruction of this module",
	[WARD_RULE_BLOCK] = "make the proof again with `ward link`",
	[WARD_RULE_INDIRECT] = "avoid function pointers, and jump tables in the kernel profile: -fno-jump-tables",
	[WARD_RULE_TABLE] = "compile a switch with -fPIC, so that its table holds distances, and bound what it "
			    "switches on; or do without: -fno-jump-tables",
	[WARD_RULE_RETURN] = "every path must take back exactly what it took from the stack",
	[WARD_RULE_FALLOFF] = "every path must end in a return; -fno-delete-null-pointer-checks -fwrapv "
			      "-fno-finite-loops keep the compiler from cutting paths off",
	[WARD_RULE_UNREACHED] = "compile with -ffunction-sections, and without data in the text",
	[WARD_RULE_ENTRY] = "make the proof again with `ward link`",
	[WARD_RULE_POINTER] =
		"a probe may use its event, its state, its own stack and constants; what a pointer of the target "
		"points to is read by ward_read of ward/imports.h, in the kernel by WARD_GET of ward/kernel.h",
	[WARD_RULE_BOUNDS] = "bound the index right before the access, `if (i < n)` or `i & (n - 1)`",
	[WARD_RULE_READONLY] = "keep what changes in the state, not in the event or in constants",
	[WARD_RULE_STACK] = "index local arrays by a bounded variable, and use no alloca or variable-length arrays",
	[WARD_RULE_SPILL] = "bound the index into the local array",
	[WARD_RULE_ESCAPE] = "initialise what is stored into the state",
	[WARD_RULE_ALIGNED] = "align the data to 16 bytes, and keep the stack as the System V ABI has it; or compile "
			      "without vector registers: -mgeneral-regs-only",
	[WARD_RULE_LOCKED] = "align what atomic operations change to its size",
	[WARD_RULE_STACK_PTR] = "use no alloca or variable-length arrays, and align no local to more than 8 bytes",
	[WARD_RULE_DEPTH] =
		"use smaller local arrays, put what is large into the state, or allow more with --max-stack",
	[WARD_RULE_PRESERVED] = "hand-written code must restore rbx, rbp and r12 to r15",
	[WARD_RULE_UNINIT_REG] = "initialise every variable; only the event and the state are given",
	[WARD_RULE_UNINIT_MEM] = "initialise every local, arrays and structure padding included",
	[WARD_RULE_FLAGS] = "hand-written code must compare in the block that branches",
	[WARD_RULE_DIVIDE] = "test the divisor first, or divide by a power of two",
	[WARD_RULE_TRAP] = "a check that the compiler put in may fail: bound what it checks right before, `if (i < n)` "
			   "or `i & (n - 1)`",
	[WARD_RULE_EDGE] =
		"make the proof again with `ward link`; if it still fails, test the value again right before its use",
	[WARD_RULE_STRUCTURE] = "use plain loops, without goto into them",
	[WARD_RULE_RANK] = "give the loop a counter with a constant limit: `for (unsigned i = 0; i < 64; i++)`",
	[WARD_RULE_COST] = "say before a loop how often it may go round, `WARD_BOUND(64)`, or give it a lower limit; "
			   "or allow more with --max-insns",
	[WARD_RULE_CURSOR] = "make the proof again with `ward link`, which finds what loops of a nest really share",
	[WARD_RULE_RECURSION] = "write the recursion as a loop with a constant limit",
	[WARD_RULE_IMPORT] = "allow the import by name with --allow, if the host offers it",
	[WARD_RULE_IMPORT_TYPE] =
		"ward_read, ward_read_str and ward_match are for processes, ward_kernel_read, ward_kernel_read_str, "
		"ward_kernel_current, ward_kernel_stack_take and ward_user_stack_take for the kernel; "
		"spec/ward/import.def lists all imports",
	[WARD_RULE_SLOT] = "link the object with `ward link`, which makes the slots, and keep the index into a "
			   "constant table within it",
	[WARD_RULE_ARGUMENT] = "initialise what is passed, bound a buffer's length right before the call, and let the "
			       "buffer be in the state or a local array",
};

const char *report_hint(enum ward_rule rule)
{
	return (unsigned)rule < WARD_RULE_COUNT && hints[rule] ? hints[rule] : "spec/policy.md explains the rule";
}

/* Reasons of one rule that want different things. */
static const struct {
	const char *reason, *hint;
} special[] = {
	{"argument-not-set", "initialise what is passed"},
	{"back-edge-outside-loop", "give the loop a counter with a constant limit, `for (unsigned i = 0; i < 64; "
				   "i++)`, and enter it at its beginning only"},
	{"buffer-not-pointer", "let the buffer be in the state or a local array"},
	{"buffer-not-set", "initialise all of the buffer before the call: the import reads it"},
	{"buffer-outside-frame", "bound the length right before the call, `if (n <= sizeof(buffer))`"},
	{"buffer-outside-region", "bound the length right before the call, `if (n <= sizeof(buffer))`"},
	{"buffer-over-saved-register", "the buffer is shorter than the length that goes with it: pass sizeof(buffer), "
				       "or let the buffer be longer"},
	{"buffer-read-only", "let the buffer be in the state or a local array"},
	{"entry-is-stub", "let a function of the probe be the entry, and call the import in it"},
	{"id-too-large", "bound the number right before the call, `if (n < 8)`, or pass a constant"},
	{"quotient-may-overflow",
		"divide by a constant or by an unsigned number, and let the dividend be no wider than the divisor"},
	{"repeats-too-often", "bound the length of what is copied or cleared"},
};

/* Does the violation name a loop with so few iterations that no bound would help? */
static bool goes_round_little(const struct ward_violation *v)
{
	static const char before[] = "may go back ";
	const char *times = v->rule == WARD_RULE_COST ? strstr(v->detail, before) : NULL;
	char *end;

	return times && strtoul(times + sizeof before - 1, &end, 10) < 64 && *end == ' ';
}

/*
 * Is it a buffer whose place isn't known, and not its length: "state+[…, …] in rdi, argument 1: it writes 24 bytes
 * there"?
 */
static bool is_buffer_anywhere(const struct ward_violation *v)
{
	const char *place = strncmp(v->reason, "buffer-outside-", 15) == 0 ? strstr(v->detail, "+[") : NULL,
		   *size = place ? strstr(place, ": it ") : NULL;
	char *end = NULL;

	size = size ? strchr(size + 5, ' ') : NULL; /* behind "writes" or "reads" */
	if (size)
		strtoul(size, &end, 10);
	return end && end != size && strncmp(end, " byte", 5) == 0;
}

const char *report_hint_of(const struct ward_violation *v, char *buf, size_t size)
{
	bool granted = strcmp(v->reason, "import-not-allowed") != 0 && strcmp(v->reason, "feature-not-granted") != 0;
	const char *name = granted ? NULL : strchr(v->detail, '`'), *end = name ? strchr(name + 1, '`') : NULL;

	if (is_buffer_anywhere(v))
		return "bound the index right before the call, `if (i < n)`, in a local variable: what is in the state "
		       "may be another number after each call";
	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		if (strcmp(v->reason, special[i].reason) == 0)
			return special[i].hint;
	}
	if (strcmp(v->reason, "instruction-not-permitted") == 0 && strstr(v->detail, "prefetch"))
		return "leave prefetches out: no __builtin_prefetch, no -fprefetch-loop-arrays";
	if (v->origin_limit && strstr(v->origin_limit, "negative") &&
		(v->rule == WARD_RULE_BOUNDS || v->rule == WARD_RULE_STACK || v->rule == WARD_RULE_SPILL))
		return "test that the index is not negative, too, `if (i >= 0 && i < n)`, or let it be unsigned";
	if (v->origin_limit && strstr(v->origin_limit, "read there before"))
		return "test and use what was read once: `n = *(volatile unsigned *)&x; if (n < 64) ...`";
	if (goes_round_little(v))
		return "let the loop go round less often, or do less in each round; or allow more with --max-insns";
	if (v->origin_limit && v->rule == WARD_RULE_COST)
		return "bound the loop's limit right before it, `if (n > 64) n = 64;`, or say how often it may go "
		       "round, `WARD_BOUND(64)`; strncmp and strnlen have a limit, too; or allow more with --max-insns";
	if (!end)
		return report_hint(v->rule);
	snprintf(buf, size, "allow it with --allow %.*s", (int)(end - name - 1), name + 1);
	return buf;
}
