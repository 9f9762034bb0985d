/*
 * A program that is traced while it loads and unloads a library.
 *
 *   loads LIBRARY TIMES N   load the library, say "ready" and wait for a line, call its function N times, unload it; and all that again. Says so and waits once more when
 *                           it is unloaded for the last time.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void ready(void)
{
	printf("ready\n");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;
}

int main(int argc, char **argv)
{
	long times = argc > 3 ? atol(argv[2]) : 0, n = argc > 3 ? atol(argv[3]) : 0;
	uint64_t bad = 0;

	for (long i = 0; i < times; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		uint64_t (*function)(uint64_t) = NULL;

		if (library)
			*(void **)&function = dlsym(library, "in_library");
		if (!function) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		ready();
		for (long k = 0; k < n; k++)
			bad += function((uint64_t)k) != (uint64_t)k * 5 + 1;
		dlclose(library);
	}
	ready();
	printf("%s\n", bad ? "wrong" : "right");
	return bad != 0;
}
