/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that share their names. twins.c and twins_more.c have a `helper` each, libversions.so has `api` twice. The
 * compiler has made a clone of `scale`, and nothing else is left of that.
 */
int from_more(int x);
int api(int x);
int old_api(int x);
__asm__(".symver old_api, api@VER_1");

__attribute__((noinline)) static int helper(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) static int scale(int x, int k)
{
	__asm__ volatile("");
	return x * k + x % 7;
}

int main(void)
{
	int r = 0;

	for (int i = 0; i < 100; i++)
		r += helper(i) + helper(i + 1) + from_more(i) + scale(i, 3) + scale(i + 1, 3) + api(i);
	for (int i = 0; i < 40; i++)
		r += old_api(i);
	return r == 12345;
}
