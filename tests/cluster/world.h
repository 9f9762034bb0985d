/* SPDX-License-Identifier: Apache-2.0 */
/* A coordinator's run and made-up machines on a bus in memory, in virtual time. */
#ifndef WARD_TESTS_CLUSTER_WORLD_H
#define WARD_TESTS_CLUSTER_WORLD_H

#include "cluster/coordinator/run.h"
#include "orders.h"
#include "sim.h"

enum { MOST = 8, STEP_MS = 20 };
#define SECOND 1000000000ull
#define BEGIN_AT (1700000000ull * SECOND)

struct world {
	bus_loop *loop;
	bus *b;
	cluster_run *run;
	struct sim sim[MOST];
	int n, directory;
	char folder[40];
	struct cluster_secret secret;
	struct ward_error err;
};

struct cluster_now world_now(const struct world *w);
void world_open(struct world *w, const struct bus_loop_faults *faults);
void world_close(struct world *w);
struct sim *world_add(struct world *w, const char *host, const char *label);
struct cluster_run_options world_options(struct cluster_run_unit *unit);
void world_begin(struct world *w, const struct cluster_run_options *options);
/* Time goes on; each machine that runs counts. */
void world_go(struct world *w, int64_t ms);
void world_finish(struct world *w);
/* What all machines have counted, as the run has it. */
uint64_t world_sum(struct world *w);
const struct cluster_fleet_machine *world_machine(struct world *w, const char *host);
void expect_state(struct world *w, const char *host, enum cluster_state state);

#endif
