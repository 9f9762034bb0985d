/* What the two benchmarks share: samples, and modules made from probe sources. */
#ifndef WARD_BENCH_H
#define WARD_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen.h"

/* CPU time of the calling thread, nanoseconds. */
uint64_t cpu_time(void);

/* Sorts the samples. */
struct spread {
	double low, median, high; /* quartiles */
};
struct spread spread_of(double *samples, unsigned n);

/* Compile a probe; false with a message on stderr. */
bool compile(const char *path, struct ward_buf *module);

/* The last part of a path. */
const char *base_name(const char *path);

/* Nanoseconds for a traced call, for each of the probe sources: a table on stdout. False if something failed or a count was wrong. */
bool bench_calls(const char *const *probes, unsigned n);

/* Microseconds from the file's bytes to the verdict, for each of the probe sources. */
bool bench_verify(const char *const *probes, unsigned n);

#endif
