/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system call that two functions make, each in its way, and a third one that makes another. The first one is what
 * users of a library would call.
 */
#define APART __attribute__((noinline))

long shut(long fd);
long shut_quietly(long fd);
long other(long fd);

APART long shut(long fd)
{
	long r;

	__asm__ volatile("mov $3, %%eax\n\tsyscall" : "=a"(r) : "D"(fd) : "rcx", "r11", "memory");
	return r;
}

APART long shut_quietly(long fd)
{
	long r;

	__asm__ volatile("mov $3, %%eax\n\tmov %1, %%rdi\n\tnop; nop; nop\n\tsyscall"
		: "=a"(r)
		: "S"(fd)
		: "rdi", "rcx", "r11", "memory");
	return r;
}

APART long other(long fd)
{
	long r;

	__asm__ volatile("mov $3, %%eax\n\tmov $39, %%eax\n\tsyscall" : "=a"(r) : "D"(fd) : "rcx", "r11", "memory");
	return r;
}

int main(void)
{
	return shut(-1) == shut_quietly(-1) && other(1) > 0 ? 0 : 1;
}
