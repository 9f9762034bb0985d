/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is built in several forms. For each line that it reads, it calls work() a thousand times from each
 * of two threads, recovers from a fault and a trap with handlers of its own, and prints the results.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

static sigjmp_buf out;
static volatile unsigned faults, traps;

__attribute__((noipa, used)) uint64_t work(uint64_t n)
{
	return n * 3 + 1;
}

static void on_fault(int sig)
{
	(void)sig;
	faults++;
	work(0);
	siglongjmp(out, 1);
}

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void *run(void *arg)
{
	uint64_t *sum = arg;

	for (uint64_t i = 0; i < 1000; i++)
		*sum += work(i);
	return NULL;
}

int main(void)
{
	struct sigaction fault = {.sa_handler = on_fault}, trap = {.sa_handler = on_trap};
	char line[64];

	if (sigaction(SIGSEGV, &fault, NULL) || sigaction(SIGTRAP, &trap, NULL))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t sums[2] = {0};
		pthread_t id;

		if (pthread_create(&id, NULL, run, &sums[0]))
			return 1;
		run(&sums[1]);
		pthread_join(id, NULL);
		if (!sigsetjmp(out, 1))
			*(volatile int *)8 = 1;
		__asm__ volatile("int3");
		printf("%llu %llu faults %u traps %u\n", (unsigned long long)sums[0], (unsigned long long)sums[1],
			faults, traps);
		fflush(stdout);
	}
	return 0;
}
