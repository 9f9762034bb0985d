/* SPDX-License-Identifier: Apache-2.0 */
/* The other `helper`. */
__attribute__((noinline)) static int helper(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

int from_more(int x);
int from_more(int x)
{
	return helper(x);
}
