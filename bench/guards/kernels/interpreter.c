/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interpreter for a machine with eight registers: one switch over its operation codes, a typical use of a jump
 * table.
 */
#include "kernel.h"

enum { CODE = 65536, MEMORY = 1024, REGISTERS = 8, STEPS = 131072 };
enum operation {
	ADD,
	SUB,
	MUL,
	AND,
	OR,
	XOR,
	SHIFT_LEFT,
	SHIFT_RIGHT,
	ROTATE,
	LESS,
	MOVE,
	CONSTANT,
	ADD_CONSTANT,
	LOAD,
	STORE,
	SKIP_ZERO,
	SKIP_LESS,
	JUMP,
	SWAP,
	NEGATE,
	OPERATIONS
};

struct instruction {
	uint8_t operation, to, from, constant;
};

struct ward_state {
	uint64_t result;
	uint64_t memory[MEMORY];
	struct instruction code[CODE];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 0x73417fa27ce846deu;

void setup(struct ward_state *st)
{
	uint64_t s = 21;

	for (uint32_t i = 0; i < CODE; i++) {
		uint64_t r = kernel_random(&s);

		st->code[i] = (struct instruction){
			(uint8_t)(r % OPERATIONS), (uint8_t)(r >> 8), (uint8_t)(r >> 16), (uint8_t)(r >> 24)};
	}
	for (uint32_t i = 0; i < MEMORY; i++)
		st->memory[i] = kernel_random(&s);
}
#else
KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	uint64_t r[REGISTERS] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = 0;
	uint32_t n = kernel_length(ev, STEPS), pc = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct instruction x = st->code[pc++ % CODE];
		uint64_t a = r[x.to % REGISTERS], b = r[x.from % REGISTERS], t;

		switch (x.operation) {
		case ADD: a += b; break;
		case SUB: a -= b; break;
		case MUL: a *= b | 1; break;
		case AND: a &= b | x.constant; break;
		case OR: a |= b; break;
		case XOR: a ^= b; break;
		case SHIFT_LEFT: a = a << (b & 63) | 1; break;
		case SHIFT_RIGHT: a >>= b & 7; break;
		case ROTATE: a = a >> (x.constant & 31) | a << (63 - (x.constant & 31)); break;
		case LESS: a = a < b; break;
		case MOVE: a = b; break;
		case CONSTANT: a = x.constant; break;
		case ADD_CONSTANT: a += x.constant; break;
		case LOAD: a = st->memory[(b + x.constant) % MEMORY]; break;
		case STORE: st->memory[(b + x.constant) % MEMORY] = a; break;
		case SKIP_ZERO: pc += a == 0; break;
		case SKIP_LESS: pc += a < b; break;
		case JUMP: pc += x.constant; break;
		case SWAP:
			t = a;
			a = b;
			r[x.from % REGISTERS] = t;
			break;
		case NEGATE: a = -a; break;
		default: a = 0;
		}
		r[x.to % REGISTERS] = a;
		sum = sum * 31 + a;
	}
	for (uint32_t i = 0; i < REGISTERS; i++)
		sum ^= r[i] * (2 * i + 1);
	st->result = sum;
}
#endif
