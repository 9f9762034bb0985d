/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps 100 blocks of 24 bytes, hands 50 to another thread that frees them, and locks two mutexes in both orders. */
#include <pthread.h>
#include <stdlib.h>

enum { KEPT = 100, HANDED = 50 };

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
void *kept[KEPT], *handed[HANDED];

#define CALLED __attribute__((noinline, noipa))

CALLED void keep_one(int i)
{
	kept[i] = malloc(24);
	__asm__ volatile("" ::: "memory");
}

CALLED void hand_one(int i)
{
	handed[i] = malloc(40);
	__asm__ volatile("" ::: "memory");
}

CALLED void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *take(void *none)
{
	for (int i = 0; i < HANDED; i++)
		free(handed[i]);
	lock_both(&b, &a);
	lock_both(&b, &c);
	return none;
}

int main(void)
{
	pthread_t thread;
	for (int i = 0; i < KEPT; i++)
		keep_one(i);
	for (int i = 0; i < HANDED; i++)
		hand_one(i);
	for (int i = 0; i < 3; i++) {
		lock_both(&a, &b);
		lock_both(&b, &c);
	}
	pthread_create(&thread, NULL, take, NULL);
	pthread_join(thread, NULL);
	return 0;
}
