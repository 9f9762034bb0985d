/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that calls with as many keys as it is told to: `keys KEYS`. For each line "CALLS PAUSE" of its input it
 * makes so many calls of touch(), whose keys go round, and sleeps so many microseconds after each 1000 of them (0:
 * never); then it says how many calls there were in all.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline, visibility("default"))) uint64_t touch(uint64_t key)
{
	static volatile uint64_t sum;

	sum += key;
	return sum;
}

int main(int argc, char **argv)
{
	uint64_t keys = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, calls, made = 0;
	unsigned pause;

	while (scanf("%" SCNu64 " %u", &calls, &pause) == 2) {
		for (uint64_t i = 0; i < calls; i++) {
			touch(made++ * 7919 % keys); /* a prime: all keys in turn */
			if (pause && made % 1000 == 0)
				usleep(pause);
		}
		printf("%" PRIu64 "\n", made);
		fflush(stdout);
	}
	return 0;
}
