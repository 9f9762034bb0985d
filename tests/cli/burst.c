/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function as often as each line of its input says, and answers each line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef __clang__
__attribute__((noclone))
#endif
__attribute__((noinline)) uint64_t
work(uint64_t i)
{
	__asm__ volatile("" : "+r"(i) : : "memory"); /* is called each time */
	return i * 7919 + 1;
}

int main(void)
{
	char line[64];
	uint64_t made = 0;
	while (fgets(line, sizeof(line), stdin)) {
		for (uint64_t end = made + strtoull(line, NULL, 10); made < end; made++)
			if (work(made) != made * 7919 + 1)
				return 1;
		printf("%lu\n", (unsigned long)made);
		fflush(stdout);
	}
	return 0;
}
