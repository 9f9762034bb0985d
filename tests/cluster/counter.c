/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that counts for itself: a line with a number on its input is that many calls of `work`; then it says
 * "done". An s has it say the sum of all that `work` has returned. An x executes the program anew. It ends with its
 * input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline, noclone, used)) long work(long x);
__attribute__((noinline, noclone, used)) long work(long x)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop; nop; nop" : "+r"(x));
	return x * 3 + 1;
}

int main(int argc, char **argv)
{
	char line[64];
	long sum = 0;

	(void)argc;
	setvbuf(stdin, NULL, _IONBF, 0);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (*line == 'x')
			execv("/proc/self/exe", argv);
		if (*line == 's') {
			printf("%ld\n", sum);
			fflush(stdout);
			continue;
		}
		for (long i = atol(line); i > 0; i--)
			sum += work(i);
		puts("done");
		fflush(stdout);
	}
	return sum == 7;
}
