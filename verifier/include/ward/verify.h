/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward/verify.h - the verifier: it proves on the machine code of a module that the module is confined.
 *
 * spec/policy.md is the policy, spec/module.md the file format, spec/proof.md the proof format. The method is
 * proof-carrying code (Necula, POPL '97) over abstract interpretation of machine code, for the properties of XFI
 * (Erlingsson et al., OSDI '06).
 *
 * Thread safety: any thread may call any function; there is no global state. Only one thread may use a verdict at a
 * time.
 *
 * Errors: only ward_verify can fail; it then returns NULL and sets errno. Addresses are those in the module, sizes
 * are in bytes, and costs are in instructions.
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

/* The rules of spec/ward/rules.def: WARD_RULE_FILE is V-01, and so on. */
enum ward_rule {
#define RULE(id, number, property, text) WARD_RULE_##id,
#include "ward/rules.def"
#undef RULE
	WARD_RULE_COUNT
};

/* Processor features that a module may need, bits of a mask (spec/ward/feature.def): WARD_FEATURE_POPCNT, … */
enum ward_feature {
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) WARD_FEATURE_##id = (bit),
#include "ward/feature.def"
#undef FEATURE
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) +(bit)
	WARD_ALL_FEATURES = 0
#include "ward/feature.def"
#undef FEATURE
};

/* The imports of spec/ward/import.def: WARD_IMPORT_READ, … */
enum ward_import {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) WARD_IMPORT_##id,
#include "ward/import.def"
#undef IMPORT
	WARD_IMPORT_COUNT
};

/*
 * What an entry needs of the processor's state besides registers and memory, a mask (spec/policy.md, "The entry
 * state"). The caller of the entry must establish it. Processor state that isn't named here may be anything.
 */
enum ward_need {
	WARD_NEED_DF_CLEAR = 1, /* the direction flag is clear: rep stos, rep movs or an import may run */
	/* alignment checks are off: some access may have an address that is no multiple of the access's width */
	WARD_NEED_AC_CLEAR = 2,
	/* rsp is 8 more than a multiple of 16: some stack access must be aligned whatever the flags say */
	WARD_NEED_RSP_ALIGNED = 4,
	WARD_ALL_NEEDS = 7
};

enum ward_profile { WARD_PROFILE_USER = 0, WARD_PROFILE_KERNEL = 1 };

enum {
	WARD_MAX_VIOLATIONS = 1024,       /* the verdict counts further ones, but doesn't describe them */
	WARD_DEFAULT_MAX_INSNS = 1 << 22, /* instructions of one run, if the caller sets no limit */
	WARD_DEFAULT_MAX_STACK = 4096,    /* bytes, if the caller sets no limit */
	WARD_STACK_CEILING = 4096,        /* bytes; a higher limit counts as this one */
};

/*
 * What the caller accepts. A field that is zero means the default. Set `size` to sizeof(struct ward_verify_options).
 * Fields that an older caller doesn't have count as zero; fields of a newer caller that this library doesn't have
 * must be zero.
 */
struct ward_verify_options {
	size_t size;
	uint64_t max_insns; /* the most that one run may execute, instructions */
	uint32_t max_stack; /* the most that one run may use, bytes below the entry's rsp */
	uint32_t max_state; /* the most state that a module may have, bytes; default 2^28 */
	/* names of the allowed imports, and of the allowed features that need permission ("rdtsc"); NULL for none */
	const char *const *allow;
	size_t n_allow;
	/*
	 * not 0: for violations, also find where the number at fault comes from (origin_pc …); this takes up to half
	 * as long again
	 */
	uint64_t explain;
};

/* One broken rule. The strings live as long as the verdict. */
struct ward_violation {
	enum ward_rule rule;
	uint64_t pc;        /* module address of the instruction or target; 0 for rules about the file */
	const char *reason; /* stable code, kebab-case: "store-outside-region" */
	const char *detail; /* a sentence: what was known and what was needed */
	/*
	 * Where the number at fault comes from. The strings make the sentence "<origin_register> was <origin_how> at
	 * <origin_pc> <origin_limit>", as in "rcx was loaded at … and never bounded". For code that another function
	 * runs into, they name the branch that made this code a function: "this place was jumped to at … from
	 * elsewhere". origin_pc is 0 and the strings are NULL if there is no origin, for violations after about the
	 * first 64, and unless options->explain asked for origins.
	 */
	uint64_t origin_pc;
	const char *origin_register, *origin_how, *origin_limit;
};

/* Facts about one entry. The verifier computes them from the code alone. */
struct ward_entry_facts {
	const char *name;       /* the probe function */
	const char *site;       /* where the author wants the probe attached, "" if the user decides */
	const char *state_type; /* C type of the state, "" if the module doesn't give it */
	uint32_t kind;          /* 0: attached at a function's entry; 1: at its return */
	uint64_t addr;          /* address in the module */
	uint64_t max_insns;     /* the most that one run executes, instructions, calls included */
	/* the most that one run uses below the entry's rsp, bytes, calls included, the return address not counted */
	uint32_t stack_bytes;
	/*
	 * The registers that may differ at the return. Bit r: general register r, in the order of their encoding (rax
	 * rcx rdx rbx rsp rbp rsi rdi r8 …). Bit 16 + r: the lower 128 bits of vector register r. The flags may
	 * always differ; mxcsr and the upper parts of vector registers never do.
	 */
	uint32_t clobbers;
	uint16_t event_fields; /* bit i: the entry may read the i-th eight bytes of struct ward_event */
	bool writes_state;     /* the entry may store to the state */
	uint64_t imports;      /* bit i: the entry may call import i of the module */
	/* mask of enum ward_need; both profiles have all of them, though AC means nothing in the kernel */
	uint32_t needs;
};

/*
 * An import that the module names. Before the module runs, the loader writes the address of a function into the slot;
 * the function must behave as import.def describes it.
 */
struct ward_import_facts {
	enum ward_import import;
	uint64_t slot; /* module address of the slot: eight aligned bytes of rodata */
};

/* How control leaves the text of a module. */
/* ret; call and jmp through the slot of an import */
enum ward_exit { WARD_EXIT_RETURN, WARD_EXIT_CALL, WARD_EXIT_JUMP };

/*
 * A branch whose target the processor predicts. Some hosts replace such branches of their own by direct branches to
 * code that does the same (the kernel's retpolines and return thunks). Such a host replaces this branch likewise, as
 * the policy permits (spec/policy.md, Regions). `ret` has one byte, the others have six.
 */
struct ward_exit_facts {
	uint64_t addr; /* address in the module */
	enum ward_exit kind;
	/*
	 * bytes from addr on that the host may replace: the instruction's, and after a return or jump also those of
	 * the int3 behind it; at most 16
	 */
	uint32_t room;
};

/* A loadable part of the file. All numbers are bytes. */
struct ward_segment {
	uint64_t addr;   /* in the module */
	uint64_t offset; /* in the file */
	uint64_t filesz, memsz;
};

/* Everything that a loader may rely on about an accepted module. */
struct ward_module_facts {
	enum ward_profile profile;
	uint32_t state_size;
	uint32_t features;                      /* mask of enum ward_feature: what the processor must have */
	struct ward_segment text, rodata, data; /* memsz 0: there is none */
	size_t n_entries;
	const struct ward_entry_facts *entries;
	uint64_t n_insns; /* how many instructions the verifier checked */
	size_t n_imports;
	const struct ward_import_facts *imports;
	/*
	 * kernel profile: all returns, and calls and jumps through slots, in the order of addresses; user profile:
	 * none
	 */
	size_t n_exits;
	const struct ward_exit_facts *exits;
};

struct ward_verdict {
	bool accepted;                           /* true only if the module is proven to keep the whole policy */
	size_t n_violations;                     /* may exceed WARD_MAX_VIOLATIONS; 0 if and only if accepted */
	const struct ward_violation *violations; /* at most the first WARD_MAX_VIOLATIONS, in the order found */
	struct ward_module_facts module;         /* valid only if accepted */
};

/*
 * Judge a module: `size` bytes at `file`. ward_verify reads the bytes and never changes them. Nobody else may change
 * them during the call, so a loader verifies its own private copy and maps that copy. `options` may be NULL.
 *
 * Returns a verdict; free it with ward_verdict_free. Facts and violations refer to the verdict's memory, not to the
 * file. Returns NULL and sets errno if there is no memory (ENOMEM) or an argument is invalid (EINVAL): `file` is NULL
 * though `size` isn't 0, `options->size` is impossible, an allowed name is NULL, or `options` has a field that this
 * library doesn't know.
 */
struct ward_verdict *ward_verify(const void *file, size_t size, const struct ward_verify_options *options);

/* Free a verdict. NULL is allowed. */
void ward_verdict_free(struct ward_verdict *verdict);

/* "V-06"; "P1"; the rule's sentence. Static strings; "?" for an unknown rule. */
const char *ward_rule_number(enum ward_rule rule);
const char *ward_rule_property(enum ward_rule rule);
const char *ward_rule_text(enum ward_rule rule);

/* "rax" … "r15" for encodings 0–15, "xmm0" … "xmm15" for 16–31. A static string; "?" for any other number. */
const char *ward_register_name(unsigned reg);
/* "popcnt" for the one bit WARD_FEATURE_POPCNT. A static string; "?" for anything but one feature's bit. */
const char *ward_feature_name(uint32_t feature);
/* "arg[2]" … for event fields 0–15. A static string; "?" for any other number. */
const char *ward_event_field_name(unsigned index);
/* "df-clear" for the one bit WARD_NEED_DF_CLEAR. A static string; "?" for anything but one need's bit. */
const char *ward_need_name(uint32_t need);
/* "ward_read" for WARD_IMPORT_READ; its arguments and what it does. Static strings; "?" for an unknown import. */
const char *ward_import_name(unsigned import);
const char *ward_import_text(unsigned import);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
