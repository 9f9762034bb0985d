/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls are left by longjmp, and no function has an exit that can be patched. So nothing is kept that a jump could
 * affect.
 */
#include <setjmp.h>

long t_0(long x);
__asm__(".text\n.globl t_0\n.type t_0, @function\nt_0:\n\tlea 1(%rdi,%rdi,2), %rax\n\tret\n.size t_0, . - "
	"t_0\n\tret\n");

static jmp_buf env;

int main(void)
{
	volatile long sum = 0;

	for (volatile long i = 0; i < 100; i++)
		if (setjmp(env) == 0) {
			sum += t_0(i);
			longjmp(env, 1);
		}
	return sum == 14950 ? 7 : 1;
}
