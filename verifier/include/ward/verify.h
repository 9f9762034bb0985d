/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward/verify.h - the verifier: proves on the machine code of a module that it is confined.
 *
 * The policy is spec/policy.md, the file format spec/module.md, the proof format spec/proof.md. The method is
 * proof-carrying code (Necula, POPL '97) over abstract interpretation of machine code, for the properties of XFI
 * (Erlingsson et al., OSDI '06).
 *
 * Thread safety: every function may be called from any thread; there is no global state. One verdict belongs to one
 * thread at a time.
 */
#ifndef WARD_VERIFY_H
#define WARD_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Rules of spec/rules.def: WARD_RULE_FILE is V-01, and so on. */
enum ward_rule {
#define RULE(id, number, property, text) WARD_RULE_##id,
#include "ward/rules.def"
#undef RULE
	WARD_RULE_COUNT
};

/* Features of processors that a module may need, a mask: WARD_FEATURE_POPCNT, … */
enum ward_feature {
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) WARD_FEATURE_##id = (bit),
#include "ward/feature.def"
#undef FEATURE
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) +(bit)
	WARD_ALL_FEATURES = 0
#include "ward/feature.def"
#undef FEATURE
};

/* Imports of spec/import.def: WARD_IMPORT_READ, … */
enum ward_import {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) WARD_IMPORT_##id,
#include "ward/import.def"
#undef IMPORT
	WARD_IMPORT_COUNT
};

/*
 * What an entry needs of the processor's state beside registers and memory, a mask (spec/policy.md, "The entry state").
 * Whoever calls it establishes that; what isn't named may be anything.
 */
enum ward_need {
	WARD_NEED_DF_CLEAR = 1, /* the direction flag is clear: rep stos, rep movs or an import may run */
	/* alignment isn't checked: some access may lie at an address that is no multiple of its width */
	WARD_NEED_AC_CLEAR = 2,
	/* rsp is as the policy has it: some access to the stack must be aligned whatever the flags say */
	WARD_NEED_RSP_ALIGNED = 4,
	WARD_ALL_NEEDS = 7
};

enum ward_profile { WARD_PROFILE_USER = 0, WARD_PROFILE_KERNEL = 1 };

enum {
	WARD_MAX_VIOLATIONS = 1024,       /* further ones are counted, not described */
	WARD_DEFAULT_MAX_INSNS = 1 << 20, /* instructions a run, if the caller sets no limit */
	WARD_DEFAULT_MAX_STACK = 4096,    /* bytes */
	WARD_STACK_CEILING = 4096,        /* no limit can be set above this */
};

/*
 * What the caller accepts. Zero in a field means the default. `size` is sizeof(struct ward_verify_options): fields that
 * an older caller doesn't have are zero, fields of a newer one that this library doesn't have must be zero.
 */
struct ward_verify_options {
	size_t size;
	uint64_t max_insns; /* worst case of one run, instructions */
	uint32_t max_stack; /* bytes below the entry's rsp */
	uint32_t max_state; /* bytes of state; default 2^28 */
	/* names of allowed imports, and of features that need permission ("rdtsc"), or NULL for none */
	const char *const *allow;
	size_t n_allow;
	/*
	 * not 0: of violations also find out where the number at fault comes from (origin_pc …), which takes up to half
	 * as long again
	 */
	uint64_t explain;
};

/* One broken rule. Strings live as long as the verdict. */
struct ward_violation {
	enum ward_rule rule;
	uint64_t pc;        /* address in the module of the instruction or target; 0 for rules about the file */
	const char *reason; /* stable code, kebab-case: "store-outside-region" */
	const char *detail; /* a sentence: what was known and what was needed */
	/*
	 * Where the number comes from that goes too far: "<origin_register> was <origin_how> at <origin_pc>
	 * <origin_limit>", as in "rcx was loaded at … and never bounded"; or which branch made a function of the place
	 * that another one runs into: "this place was jumped to at … from elsewhere". origin_pc is 0 and the strings
	 * are NULL where there is no such thing, behind the first 64 violations or so, and unless options->explain
	 * asked for it.
	 */
	uint64_t origin_pc;
	const char *origin_register, *origin_how, *origin_limit;
};

/* Facts about one entry, computed from the code alone. */
struct ward_entry_facts {
	const char *name;       /* the probe function */
	const char *site;       /* where the author wants it, "" if left to the user */
	const char *state_type; /* C type of the state, "" if not said */
	uint32_t kind;          /* 0 entry site, 1 return site */
	uint64_t addr;          /* address in the module */
	uint64_t max_insns;     /* worst case of one run, instructions, calls included */
	/* most bytes used below the entry's rsp, calls included; the return address is not counted */
	uint32_t stack_bytes;
	/*
	 * Bit r: general register r (in the order of their encoding: rax rcx rdx rbx rsp rbp rsi rdi r8 …) may differ
	 * at the return; bit 16 + r: the lower 128 bits of vector register r. Flags always may; mxcsr, and what else
	 * there is of vector registers, never.
	 */
	uint32_t clobbers;
	uint16_t event_fields; /* bit i: the i-th eight bytes of struct ward_event may be read */
	bool writes_state;     /* some store may go to the state */
	uint64_t imports;      /* bit i: import i of the module may be called */
	/* enum ward_need; in the kernel profile as in the other one, though there AC means nothing */
	uint32_t needs;
};

/*
 * An import that the module names. Before it runs, the loader puts the address of a function as import.def describes it
 * into the slot.
 */
struct ward_import_facts {
	enum ward_import import;
	uint64_t slot; /* address in the module, of eight aligned bytes of rodata */
};

/* How control leaves the text of a module. */
/* ret; call and jmp through the slot of an import */
enum ward_exit { WARD_EXIT_RETURN, WARD_EXIT_CALL, WARD_EXIT_JUMP };

/*
 * A branch whose target the processor predicts: where the host replaces its own by something else (the kernel's
 * retpolines and return thunks), it replaces this one by a direct branch to that, as the policy permits
 * (spec/policy.md, Regions). `ret` is one byte, the others are six.
 */
struct ward_exit_facts {
	uint64_t addr; /* address in the module */
	enum ward_exit kind;
	/*
	 * bytes from addr on that may be replaced: the instruction's, and those of the int3 behind a return or jump, at
	 * most 16
	 */
	uint32_t room;
};

/* A loadable part of the file. */
struct ward_segment {
	uint64_t addr;   /* in the module */
	uint64_t offset; /* in the file */
	uint64_t filesz, memsz;
};

/* Everything that a loader may believe of an accepted module. */
struct ward_module_facts {
	enum ward_profile profile;
	uint32_t state_size;
	uint32_t features;                      /* enum ward_feature: what the processor must have */
	struct ward_segment text, rodata, data; /* memsz 0: absent */
	size_t n_entries;
	const struct ward_entry_facts *entries;
	uint64_t n_insns; /* instructions checked */
	size_t n_imports;
	const struct ward_import_facts *imports;
	/* kernel profile only: all returns, and calls and jumps through slots, by address; 0 in the user profile */
	size_t n_exits;
	const struct ward_exit_facts *exits;
};

struct ward_verdict {
	bool accepted;                           /* true only if the whole of the policy was proven */
	size_t n_violations;                     /* may exceed WARD_MAX_VIOLATIONS; 0 exactly if accepted */
	const struct ward_violation *violations; /* the first WARD_MAX_VIOLATIONS at most, in the order found */
	struct ward_module_facts module;         /* valid only if accepted */
};

/*
 * Judge a module of `size` bytes at `file`. The bytes are read, never changed, and must not change meanwhile: a loader
 * verifies its own private copy and maps that. Returns a verdict, to be freed with ward_verdict_free, or NULL: there is
 * no memory (errno ENOMEM), or file or options are none that it can read (EINVAL: no file, a size that can't be, a
 * limit that this library doesn't know). `options` may be NULL. Facts and violations refer to memory of the verdict,
 * not of the file.
 */
struct ward_verdict *ward_verify(const void *file, size_t size, const struct ward_verify_options *options);

/* Free a verdict; NULL is allowed. */
void ward_verdict_free(struct ward_verdict *verdict);

/* "V-07"; "P1"; the rule's sentence. Static strings; "?" for an unknown rule. */
const char *ward_rule_number(enum ward_rule rule);
const char *ward_rule_property(enum ward_rule rule);
const char *ward_rule_text(enum ward_rule rule);

/*
 * "rax" … "r15" for encoding 0–15, "xmm0" … "xmm15" for 16–31; "arg[2]" … for event field index 0–15. Static strings;
 * "?" out of range.
 */
const char *ward_register_name(unsigned reg);
/* "popcnt" for the one bit WARD_FEATURE_POPCNT. A static string; "?" for what is no feature. */
const char *ward_feature_name(uint32_t feature);
const char *ward_event_field_name(unsigned index);
/* "df-clear" for the one bit WARD_NEED_DF_CLEAR. A static string; "?" for what is none. */
const char *ward_need_name(uint32_t need);
/* "ward_read" for WARD_IMPORT_READ; what it does, with its arguments. Static strings; "?" for what is none. */
const char *ward_import_name(unsigned import);
const char *ward_import_text(unsigned import);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
