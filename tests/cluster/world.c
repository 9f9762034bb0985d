/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cluster_now world_now(const struct world *w)
{
	uint64_t ns = (uint64_t)bus_loop_now(w->loop) * 1000000;
	return (struct cluster_now){.ns = SECOND + ns, .at = BEGIN_AT + ns};
}

void world_open(struct world *w, const struct bus_loop_faults *faults)
{
	memset(w, 0, sizeof(*w));
	strcpy(w->folder, "/tmp/ward-run-XXXXXX");
	cr_assert(mkdtemp(w->folder));
	w->directory = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(cluster_secret_make(&w->secret, NULL));
	cr_assert_eq(bus_loop_create(faults, &w->loop, NULL), 0);
	cr_assert_eq(bus_loop_open(w->loop, "coordinator", &w->b, NULL), 0);
}

struct sim *world_add(struct world *w, const char *host, const char *label)
{
	struct sim *s = &w->sim[w->n++];
	bus *b;

	cr_assert_eq(bus_loop_open(w->loop, host, &b, NULL), 0);
	sim_open(s, b, host, label);
	s->day_ns = BEGIN_AT - SECOND;
	return s;
}

struct cluster_run_options world_options(struct cluster_run_unit *unit)
{
	ProtobufCBinaryData module = made_file(MODULES "/count.ward");
	static const char *const processes[] = {"exe=*"};

	*unit = (struct cluster_run_unit){
		.variant = {{.module = module.data, .size = module.len}}, .n_variants = 1, .processes = {processes, 1}};
	return (struct cluster_run_options){.cluster = "test",
		.issuer = "alice",
		.selector = "",
		.most = UINT64_MAX,
		.late = true,
		.unit = unit,
		.n_units = 1,
		.duration_ns = 20 * SECOND,
		.lease_ns = 6 * SECOND,
		.period_ns = SECOND / 5,
		.keep_ns = 60 * SECOND,
		.grace_ns = 5 * SECOND};
}

void world_begin(struct world *w, const struct cluster_run_options *options)
{
	cr_assert_eq(cluster_run_begin(w->b, &w->secret, options, w->directory, world_now(w), &w->run, &w->err), 0,
		"%s: %s", w->err.what, w->err.why);
}

void world_go(struct world *w, int64_t ms)
{
	for (int64_t gone = 0; gone < ms; gone += STEP_MS) {
		bus_loop_advance(w->loop, STEP_MS);
		for (int i = 0; i < w->n; i++) {
			if (w->sim[i].runs)
				w->sim[i].count += (uint64_t)i + 3;
			sim_step(&w->sim[i], world_now(w).ns);
		}
		if (w->run)
			cr_assert_eq(cluster_run_step(w->run, world_now(w), &w->err), 0, "%s", w->err.why);
	}
}

void world_finish(struct world *w)
{
	for (int i = 0; i < 10000 && cluster_run_phase(w->run) < CLUSTER_OVER; i++)
		world_go(w, STEP_MS);
	cr_assert_eq(cluster_run_phase(w->run), CLUSTER_OVER);
}

uint64_t world_sum(struct world *w)
{
	struct cluster_total total;
	ward_snapshot *snapshot;
	const struct ward_field *f;
	uint64_t calls;

	cr_assert_eq(cluster_run_total(w->run, 0, NULL, &total, &w->err), 0, "%s", w->err.why);
	cr_assert_eq(ward_partial_finish(total.partial, &snapshot, &w->err), 0);
	f = ward_snapshot_field(snapshot, 0);
	cr_assert_str_eq(f->name, "calls");
	calls = f->value;
	ward_snapshot_free(snapshot);
	cluster_total_free(&total);
	return calls;
}

const struct cluster_fleet_machine *world_machine(struct world *w, const char *host)
{
	const struct cluster_fleet_machine *m = cluster_fleet_find(cluster_run_fleet(w->run), host);
	cr_assert_not_null(m, "%s isn't in the fleet", host);
	return m;
}

void world_close(struct world *w)
{
	char command[80];

	cluster_run_free(w->run);
	for (int i = 0; i < w->n; i++)
		sim_close(&w->sim[i]);
	bus_close(w->b);
	bus_loop_free(w->loop);
	close(w->directory);
	snprintf(command, sizeof(command), "rm -r %s", w->folder);
	cr_assert_eq(system(command), 0);
}

void expect_state(struct world *w, const char *host, enum cluster_state state)
{
	const struct cluster_fleet_machine *m = world_machine(w, host);
	cr_expect_eq(m->state, state, "%s is %s", host, cluster_state_name(m->state));
}
