/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose stacks are known: when it has read a line, or its input ends, step() is called from left() and from
 * right(), and below 60 and 61 calls of deep(), whose names have more than 1,023 bytes together.
 */
#include <stdint.h>
#include <stdio.h>

#define CALLED __attribute__((noinline, visibility("default")))

/* What is behind a call: else the call would be a jump, and its function would be on no stack. */
static volatile uint64_t calls;

CALLED void step(uint64_t value);
CALLED void left(void);
CALLED void right(void);
CALLED void deep(unsigned levels);

void step(uint64_t value)
{
	calls += value != 0;
}

void left(void)
{
	step(1);
	calls++;
}

void right(void)
{
	step(10);
	calls++;
}

void deep(unsigned levels)
{
	if (levels > 1)
		deep(levels - 1);
	else
		step(100);
	calls++;
}

int main(void)
{
	volatile int i; /* a call has one place in its loop */
	char line[8];

	if (!fgets(line, sizeof(line), stdin))
		line[0] = 0;
	for (i = 0; i < 3; i++)
		left();
	for (i = 0; i < 5; i++)
		right();
	for (i = 0; i < 2; i++)
		deep(60);
	deep(61);
	return 0;
}
