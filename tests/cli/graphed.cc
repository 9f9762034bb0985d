/* SPDX-License-Identifier: Apache-2.0 */
/* A known tree of calls: "graphed ROUNDS THREADS". Calls that are left by longjmp and by an exception are among them. */
#include <csetjmp>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

#define CALLED extern "C" __attribute__((noipa, noinline))

static thread_local jmp_buf back;
static int rounds;

CALLED int work_leaf(int i)
{
	return i + 1;
}
CALLED int work_middle(int i)
{
	return work_leaf(i) + work_leaf(i + 1) + 1;
}
CALLED int work_outer(int i)
{
	return work_middle(i) + work_leaf(i) + 1;
}
CALLED int work_again(int depth)
{
	volatile int below = depth ? work_again(depth - 1) : 0;
	return below + 1;
}
CALLED int work_jumps(int i)
{
	work_leaf(i);
	longjmp(back, i + 1);
}
CALLED int work_returned(int i)
{
	return setjmp(back) ? work_leaf(i) + 1 : work_jumps(i) + 1;
}
CALLED int work_throws(int i)
{
	volatile int thrown = work_leaf(i); /* a frame */
	if (thrown >= 0)
		throw i;
	return thrown;
}
CALLED int work_through(int i)
{
	return work_throws(i) + 1;
}
CALLED int work_catches(int i)
{
	try {
		work_through(i);
	} catch (int) {
		work_leaf(i);
	}
	return work_leaf(i) + 1;
}
CALLED int work_long(int ms)
{
	usleep((unsigned)ms * 1000);
	return ms + work_leaf(ms);
}

static void *all_rounds(void *)
{
	for (int i = 0; i < rounds; i++) {
		work_outer(i);
		work_again(5);
		work_returned(i);
		work_catches(i);
	}
	work_long(60);
	return NULL;
}

int main(int, char **argv)
{
	pthread_t thread[64];
	int threads = atoi(argv[2]);
	rounds = atoi(argv[1]);
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, all_rounds, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
