/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emitting instructions one after the other. If one can't be encoded, or doesn't fit, the whole sequence is marked as
 * bad.
 */
#ifndef WARD_EMIT_H
#define WARD_EMIT_H

#include <linux/percpu.h>
#include <linux/types.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

enum { JZ = 0x84, JNZ = 0x85, JS = 0x88 }; /* second bytes */

struct code {
	u8 bytes[1280]; /* more than 1024: the largest stub where the kernel returns by thunks */
	u32 n;
	bool bad;     /* an instruction couldn't be encoded */
	const u8 *at; /* where it will be */
};

void emit(struct code *c, const void *bytes, u32 n);

#define EMIT(c, ...) emit(c, (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

/* 32 bits, of which it must be one. */
void emit_number(struct code *c, s64 number);

/* opcode reg, [base + disp], of 64 bits. Base isn't rsp. */
void emit_memory(struct code *c, u8 opcode, u8 reg, u8 base, s64 disp);
void emit_load(struct code *c, u8 reg, u8 base, s64 disp);
void emit_store(struct code *c, u8 reg, u8 base, s64 disp);

/* The same at a variable that each processor has its own of; rex 0: none. */
void emit_percpu(struct code *c, u8 rex, u8 opcode, u8 reg, const void __percpu *variable);

void emit_push(struct code *c, u8 reg);
void emit_pop(struct code *c, u8 reg);

/* A jump or call. */
void emit_branch(struct code *c, u8 opcode, const void *to);

/* A jump to a place further on, if that holds: land() says where it is. */
u32 emit_jump_if(struct code *c, u8 condition);
void land(struct code *c, u32 jump);

/* Call the function whose address is there. */
void emit_call_at(struct code *c, u8 base, s64 disp);

/* As the kernel's own functions return on this processor. */
void emit_return(struct code *c);

/* What they jump to in place of a return, NULL: they return. */
const void *ward_return_thunk(void);

/* return.S: a function that does nothing but that, and one that goes to where r11 points. */
extern const u8 ward_our_return[], ward_our_jump[];

#endif
