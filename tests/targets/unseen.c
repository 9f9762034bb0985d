/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signal handlers leave by siglongjmp at any moment, also out of stubs; the abandoned frames are where all later
 * calls are made.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static sigjmp_buf env;
static volatile int armed, stop, jumps;

__attribute__((noinline, noclone)) long work(long x)
{
	long y = x * 3;

	__asm__ volatile("nop; nop; nop; nop" : "+r"(y));
	return y + 1;
}

static void on_signal(int number)
{
	(void)number;
	if (armed) {
		armed = 0;
		jumps++;
		siglongjmp(env, 1);
	}
}

static void *send(void *to)
{
	while (!stop) {
		usleep(50);
		pthread_kill(*(pthread_t *)to, SIGURG);
	}
	return NULL;
}

__attribute__((noinline)) static void block(void)
{
	for (long i = 0; i < 50; i++)
		work(i);
}

int main(void)
{
	pthread_t self = pthread_self(), sender;

	signal(SIGURG, on_signal);
	if (pthread_create(&sender, NULL, send, &self))
		return 1;
	while (jumps < 1000) {
		if (!sigsetjmp(env, 1)) {
			armed = 1;
			block();
		}
		armed = 0;
	}
	stop = 1;
	return pthread_join(sender, NULL);
}
