/* SPDX-License-Identifier: Apache-2.0 */
/*
 * busy N: N threads compute, by calls at several depths, while a signal interrupts them now and then. After SIGUSR2 it
 * prints whether all that they computed is right.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST = 16 };

static volatile sig_atomic_t ended;
static volatile unsigned long interrupted;

__attribute__((noipa)) unsigned long marked(unsigned long n)
{
	return n * 3 + 1;
}

__attribute__((noipa)) unsigned long middle(unsigned long depth, unsigned long n)
{
	return depth ? middle(depth - 1, n) + 1 : marked(n);
}

__attribute__((noipa)) unsigned long mixed(unsigned long n)
{
	return middle(n % 12, n) - n % 12 + (n & 1 ? marked(n) : 0);
}

static void on_time(int sig)
{
	interrupted += middle((unsigned long)sig % 5, 1);
}

static void on_end(int sig)
{
	ended = sig;
}

static void *work(void *arg)
{
	unsigned long bad = 0;

	for (unsigned long n = 0; !ended; n++)
		bad += mixed(n) != (n * 3 + 1) * (1 + (n & 1));
	*(unsigned long *)arg = bad;
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	const struct itimerval often = {{0, 5000}, {0, 5000}};
	unsigned long bad[MOST] = {0}, all = 0;
	pthread_t thread[MOST];

	if (n < 1 || n > MOST)
		return 2;
	signal(SIGALRM, on_time);
	signal(SIGUSR2, on_end);
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, work, &bad[i]);
	setitimer(ITIMER_REAL, &often, NULL);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		all += bad[i];
	}
	printf(all ? "wrong: %lu\n" : "right\n", all);
	return all != 0 || interrupted == 0;
}
