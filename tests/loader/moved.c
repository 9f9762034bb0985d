/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that replaces the memory of its code: `moved HOW`. It prints "ready", waits for a line, calls the
 * functions there, waits for the end of the input, and says whether their bytes are as they were.
 *
 *   some    a page of its code is moved to anonymous memory
 *   all     all of its code is
 *   shared  a page is moved to shared memory
 *   file    a page is moved to a file without a name (memfd)
 *   broken  a page has other contents
 *   gone    a page is unmapped
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, CALLS = 1000 };

#define PAGES __attribute__((noinline, noipa, aligned(PAGE)))
extern char __executable_start, etext;

PAGES long page_low(long x)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop" : "+r"(x));
	return x + 1;
}

PAGES long page_work(long x)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop" : "+r"(x));
	return x + 2;
}

PAGES long page_high(long x)
{
	__asm__ volatile("nop; nop; nop; nop; nop; nop" : "+r"(x));
	return x + 3;
}

static char *from;
static size_t size = PAGE;
static char was[1 << 16];

static int put(const char *how)
{
	int flags = strcmp(how, "shared") ? MAP_PRIVATE : MAP_SHARED, fd = -1;
	char *to;

	if (!strcmp(how, "file")) {
		fd = memfd_create("pages", 0);
		if (pwrite(fd, from, size, 0) != (ssize_t)size)
			return 1;
	}
	to = mmap(NULL, size, PROT_READ | PROT_WRITE, fd >= 0 ? flags : flags | MAP_ANONYMOUS, fd, 0);
	if (to == MAP_FAILED)
		return 1;
	if (strcmp(how, "broken") != 0)
		memcpy(to, from, size);
	else
		memset(to, 0xcc, size);
	memcpy(was, to, size);
	return mprotect(to, size, PROT_READ | PROT_EXEC) ||
	       mremap(to, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, from) != from;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int there = strcmp(how, "gone") && strcmp(how, "broken");
	long sum = 0;
	char c;

	from = (char *)page_work;
	if (!strcmp(how, "all")) {
		from = (char *)((uintptr_t)page_low & ~(uintptr_t)(PAGE - 1));
		while (from - PAGE > &__executable_start && from > (char *)((uintptr_t)main & ~(uintptr_t)(PAGE - 1)))
			from -= PAGE;
		size = (size_t)(&etext - from + PAGE - 1) / PAGE * PAGE;
	}
	if (size > sizeof(was) || (strcmp(how, "gone") ? put(how) : munmap(from, size)))
		return 2;
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) < 0)
		;
	for (long i = 0; i < CALLS; i++)
		sum += page_low(i) + (there ? page_work(i) : i + 2) + page_high(i);
	while (read(0, &c, 1) != 0)
		;
	printf("sum %ld, %s\n", sum, there && memcmp(was, from, size) ? "changed" : "as it was");
	return 0;
}
