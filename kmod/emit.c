// SPDX-License-Identifier: GPL-2.0-only
/* The instructions that stubs consist of (stub.c). */
#include <linux/string.h>

#include "emit.h"

void emit(struct code *c, const void *bytes, u32 n)
{
	if (c->bad || n > sizeof(c->bytes) - c->n) {
		c->bad = true;
		return;
	}
	memcpy(c->bytes + c->n, bytes, n);
	c->n += n;
}

void emit_number(struct code *c, s64 number)
{
	s32 n = number;

	c->bad |= n != number;
	emit(c, &n, sizeof(n));
}

void emit_memory(struct code *c, u8 opcode, u8 reg, u8 base, s64 disp)
{
	EMIT(c, 0x48 | (reg & 8) >> 1 | base >> 3, opcode, 0x80 | (reg & 7) << 3 | (base & 7));
	emit_number(c, disp);
}

void emit_load(struct code *c, u8 reg, u8 base, s64 disp)
{
	emit_memory(c, 0x8b, reg, base, disp);
}

void emit_store(struct code *c, u8 reg, u8 base, s64 disp)
{
	emit_memory(c, 0x89, reg, base, disp);
}

void emit_percpu(struct code *c, u8 rex, u8 opcode, u8 reg, const void __percpu *variable)
{
	EMIT(c, 0x65);
	if (rex)
		EMIT(c, rex);
	EMIT(c, opcode, (reg & 7) << 3 | 4, 0x25);
	emit_number(c, (__force long)variable);
}

void emit_push(struct code *c, u8 reg)
{
	if (reg >= R8)
		EMIT(c, 0x41);
	EMIT(c, 0x50 + (reg & 7));
}

void emit_pop(struct code *c, u8 reg)
{
	if (reg >= R8)
		EMIT(c, 0x41);
	EMIT(c, 0x58 + (reg & 7));
}

void emit_branch(struct code *c, u8 opcode, const void *to)
{
	EMIT(c, opcode);
	emit_number(c, (long)to - (long)(c->at + c->n + 4));
}

u32 emit_jump_if(struct code *c, u8 condition)
{
	EMIT(c, 0x0f, condition, 0, 0, 0, 0);
	return c->n;
}

void land(struct code *c, u32 jump)
{
	s32 distance = c->n - jump;

	if (!c->bad)
		memcpy(c->bytes + jump - sizeof(distance), &distance, sizeof(distance));
}

/* As the kernel's own indirect calls are: the jump is what this processor needs. */
void emit_call_at(struct code *c, u8 base, s64 disp)
{
	emit_load(c, R11, base, disp);
	emit_branch(c, 0xe8, ward_our_jump);
}

const void *ward_return_thunk(void)
{
	s32 distance;

	if (ward_our_return[0] != 0xe9)
		return NULL;
	memcpy(&distance, ward_our_return + 1, sizeof(distance));
	return ward_our_return + 5 + distance;
}

void emit_return(struct code *c)
{
	const void *thunk = ward_return_thunk();

	if (thunk)
		emit_branch(c, 0xe9, thunk);
	else
		EMIT(c, 0xc3, 0xcc);
}
