/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the processor does: the instruction forms that statements are about, written from the manual (SDM vol. 2), not
 * from the verifier.
 */
#ifndef WARD_Z3_MACHINE_H
#define WARD_Z3_MACHINE_H

#include "verifier/decode/insn.h"
#include "tests/z3/engine/term.h"

enum { W8 = 1, W16 = 2, W32 = 4, W64 = 8, WIDE = W32 | W64 };

/*
 * Of an instruction's operands. Registers are those that the form names; an immediate and what memory holds are
 * anything.
 */
struct operand_form {
	uint8_t kind, reg, width; /* width 0: the instruction's */
	bool high;
};

struct run;
struct form {
	uint8_t op;
	const char *function; /* the transfer function */
	const char *name;
	uint8_t widths;
	void (*execute)(struct run *);
	struct operand_form operand[3];
	uint8_t cond;
	struct wv_mem mem; /* of lea, and of others where it has a scale */
	uint16_t implied;  /* registers beside the operands that are read or written */
};
extern const struct form forms[];
extern const unsigned n_forms;
/* rep stos and rep movs, which have rows of their own; of memory they say nothing here. */
extern const struct form string_forms[];
extern const unsigned n_string_forms;
/* What the row says that the first registers that are read hold, first · KINDS + second. */
enum { ANY_KIND, A_NUMBER, A_PART, A_POINTER, NEITHER, KINDS, ROWS = KINDS * KINDS };

/* … of which only the first operand is read, or anything is written to it. */
extern const struct form operand_forms[];
extern const unsigned n_operand_forms;

struct flags {
	term cf, zf, sf, of, pf;
};

/* One instruction, carried out. */
struct run {
	const struct form *form;
	unsigned width;
	term imm, loaded;          /* as the instruction has it; what memory holds there */
	term reg[WV_NREG], stored; /* before, and then after */
	struct flags flags;
	term read[3]; /* operands, zero-extended from their widths */
	/* What numbers that may be anything stand for, one after another: */
	term any[4];
	/* What is told of an operation that has no other name: of x, and y, it makes these. */
	term x, y, made[2];
	term taken;  /* cmov; of adc and sbb, that the carry was clear */
	term faults; /* a division, or NULL */
	term bmi1;   /* the module is for processors that have it */
};

/* The first and the second register that is read; WV_NOREG: there is none. */
unsigned form_reads(const struct form *f, unsigned i);
/* Does it move whole registers, whatever they hold? */
bool form_moves(const struct form *f);
unsigned operand_width(const struct form *f, unsigned i, unsigned width);
/* The operands' values; then all of it. */
void machine_nothing(struct run *m);
void machine_execute(struct run *m);
term machine_condition(const struct flags *f, enum wv_cond cond);

#endif
