/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program to be traced. It checks itself: whatever a tracer does, it must print the same and exit with 0.
 *
 *   target N        wait for a line on standard input, call work(0) … work(N - 1), print the sum of what it returned
 *   target N STATUS the same without waiting, and exit with STATUS
 *   target loop     call work and tiny until standard input ends, then print whether all results were right
 *   target zombie   have a child that has ended, print its process id, and wait for the end of standard input
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* One byte long, and more code right behind it: no room for a jump. */
__asm__(".text\n"
	".p2align 4\n"
	".globl tiny\n"
	".type tiny, @function\n"
	"tiny:	ret\n"
	".size tiny, 1\n"
	".globl behind\n"
	".type behind, @function\n"
	"behind:	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size behind, . - behind\n");
void tiny(void);
long behind(long);

#ifndef __clang__
__attribute__((noclone))
#endif
__attribute__((noinline)) long
work(long i)
{
	__asm__ volatile("" : "+r"(i));
	return i * 3 + (i >> 2);
}

static long expected(long i)
{
	return i * 3 + (i >> 2);
}

static int loop(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	long calls = 0, wrong = 0;
	char c;
	for (;;) {
		for (int i = 0; i < 100; i++, calls++) {
			wrong += work(calls) != expected(calls);
			tiny();
			wrong += behind(calls) != calls + 1;
		}
		if (poll(&in, 1, 1) > 0 && read(STDIN_FILENO, &c, 1) == 0)
			break;
	}
	printf("%s\n", calls > 0 && wrong == 0 ? "all right" : "wrong");
	return wrong != 0;
}

static int zombie(void)
{
	siginfo_t info;
	char c;
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	if (child < 0 || waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0)
		return 1;
	printf("%d\n", (int)child);
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	char line[16];
	if (argc > 1 && strcmp(argv[1], "loop") == 0)
		return loop();
	if (argc > 1 && strcmp(argv[1], "zombie") == 0)
		return zombie();
	long n = argc > 1 ? atol(argv[1]) : 0, sum = 0;
	if (argc <= 2 && !fgets(line, sizeof(line), stdin))
		return 1;
	for (long i = 0; i < n; i++)
		sum += work(i);
	printf("%ld\n", sum);
	return argc > 2 ? atoi(argv[2]) : 0;
}
