/* SPDX-License-Identifier: Apache-2.0 */
/* Calls functions at the end of the program's code, which are shorter than a jump (tail.S). */
#include <stdio.h>
#include <stdlib.h>

int tail_alone(void), tail_before(void), tail_last(void), end_before(void), end_last(void);

int main(int argc, char **argv)
{
	int r = 0, n = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < n; i++) {
		tail_alone();
		r += tail_before() + tail_last() + end_before() + end_last();
	}
	printf("%d\n", r);
	return 0;
}
