/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fibers of boost.context, which yield in the middle of calls, within one thread and across two. Some are abandoned
 * in the middle; then the library unwinds them. `boost ROUNDS` prints "ready", waits for a line, and prints how many
 * calls began and returned.
 */
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>
#include <x86intrin.h>

namespace ctx = boost::context;

static unsigned long begun, returned, wrong;

extern "C" __attribute__((noinline, noclone, noipa)) uint64_t kept(uint64_t number, ctx::fiber *back)
{
	uint64_t began = __rdtsc();

	*back = std::move(*back).resume();
	return (__rdtsc() - began) << 20 | number;
}

static ctx::fiber make(long rounds)
{
	return ctx::fiber([=](ctx::fiber &&back) {
		for (long i = 0; i < rounds; i++) {
			uint64_t number = begun++ % (1 << 20);

			wrong += (kept(number, &back) & 0xfffff) != number;
			returned++;
		}
		return std::move(back);
	});
}

static void run(std::vector<ctx::fiber> &fibers, bool once)
{
	for (bool any = true; any;) {
		any = false;
		for (auto &f : fibers)
			if (f) {
				f = std::move(f).resume();
				any = !once;
			}
	}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0;
	std::vector<ctx::fiber> fibers;
	char c;

	printf("ready\n");
	fflush(stdout);
	if (read(0, &c, 1) != 1)
		return 2;
	for (int i = 0; i < 5; i++)
		fibers.push_back(make(rounds));
	for (long i = 0; i < rounds / 2; i++) /* each call ends on another thread */
		std::thread(run, std::ref(fibers), true).join();
	run(fibers, false);
	for (long i = 0; i < rounds; i++) {
		ctx::fiber given_up = make(3);

		given_up = std::move(given_up).resume();
	}
	printf("begun %lu returned %lu\n", begun, returned);
	return wrong != 0;
}
