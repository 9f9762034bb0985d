/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real workload: sqlite answers queries over a table in memory. There are two copies of the library: the system's
 * own, which is traced, and one of the same bytes under another name, which isn't. Each has a database of its own.
 * sqlite calls sqlite3_value_type once for each value whose type an aggregate or a function reads.
 */
#ifndef WARD_BENCH_EVENTS_SQLITE_H
#define WARD_BENCH_EVENTS_SQLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queries;

/*
 * About `calls` calls of sqlite3_value_type a run. The copy is made beside the file `path` and removed again. *library
 * and *function: of the copy that is traced. NULL: it failed.
 */
struct queries *queries_open(const char *path, uint64_t calls, char *library, size_t size, void **function);
bool queries_run(struct queries *q, unsigned twin); /* 0: the one that isn't traced */
void queries_close(struct queries *q);

#endif
