/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that makes two functions while it runs, which call malloc 300 and 50 times. It lists them as compilers do,
 * in /tmp/perf-PID.map: jit KIND. Of the other kinds than "plain" the list must not be believed, or only in part.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, CODE = 18 };

/* push %rbx; mov %rsi,%rbx; mov $FUNCTION,%rax; call *%rax; pop %rbx; ret */
static void make(unsigned char *at, void *function)
{
	static const unsigned char code[CODE] = {
		0x53, 0x48, 0x89, 0xf3, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5b, 0xc3};

	memcpy(at, code, sizeof(code));
	memcpy(at + 6, &function, sizeof(function));
}

static void write_list(FILE *f, const unsigned char *p, int rubbish)
{
	unsigned long one = (unsigned long)p, two = one + PAGE;

	fprintf(f, "%lx 1000 what was there before\n", one);
	if (rubbish) {
		fputs("\n \nzz 10 no number\n10 zz no number\n", f);
		fputs("-1 10 negative\nffffffffffffffff1 10 long\n", f);
		fprintf(f, "%lx\n%lx 12\n%lx 0 nothing\nffffffffffffff00 fff beyond\n%lx ffffffff large\n", one, one,
			one, one);
		for (int i = 0; i < 5000; i++)
			fputc(i % 2 ? '\1' : 'x', f);
		fputc('\n', f);
	}
	fprintf(f, "%lx 12 LazyCompile:*one /x y.js:1:2\n0x%lx 0x12 t\tw\033o", one, two);
	fputs(rubbish ? "\n7f0000000000 1 with no e" : "\n", f);
}

/* Where the list is written, as the kind says. */
static FILE *open_list(const char *kind, const char *name, char *other)
{
	FILE *f;

	snprintf(other, 64, "/tmp/perf-list-%d", (int)getpid());
	if (strcmp(kind, "fifo") == 0)
		return mkfifo(name, 0600) == 0 ? fopen("/dev/null", "we") : NULL;
	f = fopen(strcmp(kind, "link") == 0 || strcmp(kind, "other") == 0 ? other : name, "we");
	if (strcmp(kind, "link") == 0 && symlink(other, name) != 0)
		return NULL;
	/* Ward may look at any moment, and must not find it under its name while it is ours. */
	if (f && strcmp(kind, "other") == 0 && (fchown(fileno(f), 12345, (gid_t)-1) != 0 || rename(other, name) != 0))
		return NULL;
	return f;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "plain";
	unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char name[64], other[64];
	void *volatile kept = NULL;
	FILE *f;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	f = p != MAP_FAILED ? open_list(kind, name, other) : NULL;
	if (f) {
		make(p, (void *)malloc);
		make(p + PAGE, (void *)malloc);
		write_list(f, p, strcmp(kind, "rubbish") == 0);
		fclose(f);
	}
	/* Ward opens the list when it looks at what is mapped, and reads it when it names addresses. */
	for (int i = 0; i < 300 && f; i++) {
		kept = ((void *(*)(size_t))p)(8);
		if (i < 50)
			kept = ((void *(*)(size_t))(p + PAGE))(8);
	}
	if (argc > 2)
		while (getchar() != EOF)
			;
	unlink(name);
	unlink(other);
	return !f || !kept;
}
