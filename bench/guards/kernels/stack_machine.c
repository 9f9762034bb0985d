/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An interpreter of byte code for a machine with a stack, variables and calls. It runs a program that sieves primes
 * and one that computes Fibonacci's numbers by recursion. The code is hostile: stack pointers, addresses and the
 * program counter are checked.
 */
#include "kernel.h"

enum { CODE = 256, STACK = 256, CALLS = 64, MEMORY = 2048, VARIABLES = 4, STEPS = 1 << 18 };
enum operation {
	HALT,
	PUSH,  /* the next byte */
	PUSH2, /* the next two */
	GET,   /* a variable of the call */
	SET,
	LOAD,
	STORE,
	ADD,
	SUBTRACT,
	MULTIPLY,
	LESS,
	JUMP,
	JUMP_ZERO,
	CALL,
	RETURN,
	DUPLICATE
};

struct ward_state {
	uint64_t result;
	uint8_t code[CODE];
	uint64_t stack[STACK];
	uint64_t variable[CALLS][VARIABLES];
	uint16_t from[CALLS];
	uint64_t memory[MEMORY];
};

#ifdef KERNEL_SETUP
const uint64_t expected = 1597303;

static const uint8_t program[] = {
	/* 0: for (v0 = 2; v0 < 2000; v0++) */
	PUSH, 2, SET, 0,
	/* 4: */ GET, 0, PUSH2, 7, 208, LESS, JUMP_ZERO, 67,
	/* 12: if (!memory[v0]) */ GET, 0, LOAD, JUMP_ZERO, 19, JUMP, 58,
	/* 19: v2++, and for (v1 = v0 + v0; v1 < 2000; v1 += v0) */ GET, 2, PUSH, 1, ADD, SET, 2, GET, 0, DUPLICATE,
	ADD, SET, 1,
	/* 32: */ GET, 1, PUSH2, 7, 208, LESS, JUMP_ZERO, 58,
	/* 40: memory[v1] = 1 */ PUSH, 1, GET, 1, STORE,
	/* 45: */ GET, 1, GET, 0, ADD, SET, 1, JUMP, 32, HALT, HALT, HALT, HALT,
	/* 58: */ GET, 0, PUSH, 1, ADD, SET, 0, JUMP, 4,
	/* 67: */ GET, 2, PUSH, 17, CALL, 74, HALT,
	/* 74: fibonacci(n) */ SET, 0, GET, 0, PUSH, 2, LESS, JUMP_ZERO, 86, GET, 0, RETURN,
	/* 86: */ GET, 0, PUSH, 1, SUBTRACT, CALL, 74, GET, 0, PUSH, 2, SUBTRACT, CALL, 74, ADD, RETURN};

void setup(struct ward_state *st)
{
	for (uint32_t i = 0; i < sizeof(program); i++)
		st->code[i] = program[i];
}
#else
static void push(struct ward_state *st, uint32_t *sp, uint64_t v)
{
	if (*sp < STACK)
		st->stack[(*sp)++] = v;
}

static uint64_t pop(struct ward_state *st, uint32_t *sp)
{
	return *sp > 0 ? st->stack[--*sp] : 0;
}

static void store(struct ward_state *st, uint32_t *sp)
{
	uint64_t at = pop(st, sp);

	st->memory[at % MEMORY] = pop(st, sp);
}

static uint64_t compute(enum operation operation, uint64_t a, uint64_t b)
{
	return operation == ADD ? a + b : operation == SUBTRACT ? a - b : operation == MULTIPLY ? a * b : a < b;
}

static uint64_t interpret(struct ward_state *st, uint32_t steps)
{
	uint32_t pc = 0, sp = 0, depth = 0;

	for (uint32_t i = 0; i < steps; i++) {
		uint8_t operation = st->code[pc % CODE], next = st->code[(pc + 1) % CODE];
		uint64_t a;

		pc++;
		switch (operation) {
		case PUSH:
			push(st, &sp, next);
			pc++;
			break;
		case PUSH2:
			push(st, &sp, (uint64_t)next << 8 | st->code[(pc + 1) % CODE]);
			pc += 2;
			break;
		case GET:
			push(st, &sp, st->variable[depth][next % VARIABLES]);
			pc++;
			break;
		case SET:
			st->variable[depth][next % VARIABLES] = pop(st, &sp);
			pc++;
			break;
		case LOAD: push(st, &sp, st->memory[pop(st, &sp) % MEMORY]); break;
		case STORE: store(st, &sp); break;
		case ADD:
		case SUBTRACT:
		case MULTIPLY:
		case LESS:
			a = pop(st, &sp);
			push(st, &sp, compute(operation, pop(st, &sp), a));
			break;
		case DUPLICATE:
			a = pop(st, &sp);
			push(st, &sp, a);
			push(st, &sp, a);
			break;
		case JUMP: pc = next; break;
		case JUMP_ZERO: pc = pop(st, &sp) ? pc + 1 : next; break;
		case CALL:
			if (depth == CALLS - 1)
				return 0;
			st->from[depth++] = (uint16_t)(pc + 1);
			pc = next;
			break;
		case RETURN:
			if (depth == 0)
				return 0;
			pc = st->from[--depth];
			break;
		case HALT:
		default: return pop(st, &sp) * 1000 + pop(st, &sp);
		}
	}
	return 0;
}

KERNEL void run(const struct ward_event *ev, struct ward_state *st)
{
	for (uint32_t i = 0; i < MEMORY; i++)
		st->memory[i] = 0;
	st->variable[0][2] = 0;
	st->result = interpret(st, kernel_length(ev, STEPS));
}
#endif
