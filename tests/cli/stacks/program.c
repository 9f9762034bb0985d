/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program without frame pointers, whose stacks are known: `marked` is called N times each by main's chain of
 * functions, by that of a thread, from a signal handler, and from code without unwind tables that keeps frame pointers;
 * and in a child that is forked. With one more argument, N is a depth, and it is called once on each of 2^N paths.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static long times;
static volatile long sum;

__attribute__((noinline)) void marked(long i)
{
	sum += i;
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void inner(char *room)
{
	for (long i = 0; i < times; i++)
		marked(i);
	sum += room[0];
}

/* Its frame is as large as it is told. */
__attribute__((noinline)) void middle(size_t size)
{
	char *room = __builtin_alloca(size);

	room[0] = 1;
	inner(room);
	sum += room[0];
}

__attribute__((noinline)) void outer(void)
{
	char aligned[100] __attribute__((aligned(64)));

	aligned[0] = 2;
	__asm__ volatile("" : : "r"(aligned) : "memory");
	middle(10000);
	sum += aligned[0];
}

static void *thread_main(void *arg)
{
	outer();
	sum++;
	return arg;
}

static void on_signal(int sig)
{
	outer();
	sum += sig;
}

/* As a JIT compiler may make it: no tables, but frame pointers. */
void made(void (*call)(size_t), size_t size);
__asm__(".text\n"
	".globl made\n"
	".type made, @function\n"
	"made:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rbx\n"
	"	push %rbx\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	pop %rbx\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size made, . - made\n");

/* So many different stacks as there are paths. */
__attribute__((noinline)) void path(unsigned depth)
{
	if (depth == 0) {
		marked(0);
		return;
	}
	path(depth - 1);
	sum++;
	path(depth - 1);
	sum++;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	times = argc > 1 ? atol(argv[1]) : 1;
	if (argc > 2) {
		path((unsigned)times);
		return 0;
	}
	outer();
	pthread_create(&thread, NULL, thread_main, NULL);
	pthread_join(thread, NULL);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	made(middle, 5000);
	child = fork();
	if (child == 0) {
		middle(20000);
		_exit((int)(sum == 0));
	}
	waitpid(child, NULL, 0);
	return sum == 0;
}
