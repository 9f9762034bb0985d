/* From a file's bytes to the verdict: parsing, the sweep, the facts, and freeing them again. */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "ward/verify.h"

enum { REPETITIONS = 201, BATCH = 20 };

static bool measure(const char *path, struct ward_buf *module)
{
	static double samples[REPETITIONS];
	uint64_t text = 0, insns = 0;
	for (unsigned i = 0; i < REPETITIONS; i++) {
		uint64_t before = cpu_time();
		for (unsigned k = 0; k < BATCH; k++) {
			struct ward_verdict *v = ward_verify(module->data, module->size, NULL);
			bool accepted = v && v->accepted;
			if (accepted) {
				text = v->module.text.memsz;
				insns = v->module.n_insns;
			}
			ward_verdict_free(v);
			if (!accepted) {
				fprintf(stderr, "ward: %s: not accepted\n", path);
				return false;
			}
		}
		samples[i] = (double)(cpu_time() - before) / BATCH / 1000;
	}
	struct spread s = spread_of(samples, REPETITIONS);
	printf("%-12s %8zu %8lu %8lu %10.1f %10.1f – %-8.1f %8.2f %10.0f\n", base_name(path), module->size, (unsigned long)text,
		(unsigned long)insns, s.median, s.low, s.high, (double)text / s.median, s.median * 1000 / (double)insns);
	return true;
}

bool bench_verify(const char *const *probes, unsigned n)
{
	printf("\nVerification, from the bytes of the file to the verdict: CPU time, median and quartiles of %d × %d.\n\n", REPETITIONS, BATCH);
	printf("%-12s %8s %8s %8s %10s %21s %8s %10s\n", "probe", "file, B", "code, B", "insns", "µs", "quartiles, µs", "MB/s", "ns/insn");
	bool ok = true;
	for (unsigned i = 0; i < n; i++) {
		struct ward_buf module;
		bool made = compile(probes[i], &module);
		ok = made && measure(probes[i], &module) && ok;
		if (made)
			free(module.data);
	}
	printf("\nMB/s is of code bytes; small probes pay mostly for parsing and setting up.\n");
	return ok;
}
