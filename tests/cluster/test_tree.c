/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A coordinator's run with combiners and made-up machines, over a bus in memory and in virtual time: also with messages
 * that are lost, come twice or late, and deaths of combiners, machines and the coordinator.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/combine/combine.h"
#include "cluster/coordinator/run.h"
#include "orders.h"
#include "sim.h"

enum { MOST = 12, COMBINERS = 3, SHARDS = 5, STEP_MS = 20 };
static const uint64_t SECOND = 1000000000, BEGIN_AT = 1700000000ull * 1000000000;

static struct world {
	bus_loop *loop;
	bus *b, *combiner_bus[COMBINERS];
	cluster_run *run;
	cluster_combine *combiner[COMBINERS];
	struct sim sim[MOST];
	int n, directory;
	char folder[40];
	struct cluster_secret secret;
	struct ward_error err;
	bool may_fall;      /* what is shown may become less */
	bool stopped[MOST]; /* machines that say nothing any more */
} w;

static struct cluster_now world_now(void)
{
	uint64_t ns = (uint64_t)bus_loop_now(w.loop) * 1000000;
	return (struct cluster_now){.ns = SECOND + ns, .at = BEGIN_AT + ns};
}

static void combiner_start(int i)
{
	static const char *const names[] = {"sum1", "sum2.example", "sum3"};
	struct cluster_combine_options options = {
		.name = names[i], .cluster = "test", .keys = &w.secret.key, .n_keys = 1};

	cr_assert_eq(bus_loop_open(w.loop, names[i], &w.combiner_bus[i], NULL), 0);
	cr_assert_eq(cluster_combine_new(w.combiner_bus[i], &options, world_now().ns, &w.combiner[i], &w.err), 0, "%s",
		w.err.why);
}

static void combiner_kill(int i)
{
	cluster_combine_free(w.combiner[i]);
	bus_close(w.combiner_bus[i]);
	w.combiner[i] = NULL;
}

static void world_open(const struct bus_loop_faults *faults, int machines, int combiners)
{
	char host[32];
	bus *b;

	strcpy(w.folder, "/tmp/ward-tree-XXXXXX");
	cr_assert(mkdtemp(w.folder));
	w.directory = open(w.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert(cluster_secret_make(&w.secret, NULL));
	cr_assert_eq(bus_loop_create(faults, &w.loop, NULL), 0);
	cr_assert_eq(bus_loop_open(w.loop, "coordinator", &w.b, NULL), 0);
	for (w.n = 0; w.n < machines; w.n++) {
		snprintf(host, sizeof(host), "web%d.example", w.n);
		cr_assert_eq(bus_loop_open(w.loop, host, &b, NULL), 0);
		sim_open(&w.sim[w.n], b, host, NULL);
	}
	for (int i = 0; i < combiners; i++)
		combiner_start(i);
}

static struct cluster_run_options world_options(struct cluster_run_unit *unit)
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
		.shards = SHARDS,
		.duration_ns = 40 * SECOND,
		.lease_ns = 20 * SECOND,
		.period_ns = SECOND / 5,
		.keep_ns = 60 * SECOND,
		.grace_ns = 15 * SECOND};
}

static void world_begin(void)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = world_options(&unit);

	cr_assert_eq(cluster_run_begin(w.b, &w.secret, &options, w.directory, world_now(), &w.run, &w.err), 0, "%s: %s",
		w.err.what, w.err.why);
	free((void *)(uintptr_t)unit.variant[0].module);
}

static uint64_t world_sum(void)
{
	struct cluster_total total;
	ward_snapshot *snapshot;

	cr_assert_eq(cluster_run_total(w.run, 0, NULL, &total, &w.err), 0, "%s", w.err.why);
	cr_assert_eq(ward_partial_finish(total.partial, &snapshot, NULL), 0);
	uint64_t sum = ward_snapshot_field(snapshot, 0)->value;
	cr_assert_eq(
		ward_partial_notes(total.partial).events, total.cover.events, "what is shown isn't what is claimed");
	ward_snapshot_free(snapshot);
	cluster_total_free(&total);
	return sum;
}

/* What is in the result of a machine. */
static uint64_t world_said(const char *host)
{
	struct cluster_total total;
	size_t n;

	cr_assert_eq(cluster_run_total(w.run, 0, NULL, &total, &w.err), 0, "%s", w.err.why);
	const struct cluster_covered *c = cluster_cover_find(&total.cover, host, &n);
	cr_assert(c && n == 1);
	uint64_t events = c->events;
	cluster_total_free(&total);
	return events;
}

/* Time goes on; each machine that runs counts. What is shown never becomes less. */
static void world_go(int64_t ms)
{
	static uint64_t before;

	for (int64_t gone = 0; gone < ms; gone += STEP_MS) {
		bus_loop_advance(w.loop, STEP_MS);
		for (int i = 0; i < w.n; i++) {
			if (w.sim[i].runs && !w.stopped[i])
				w.sim[i].count += (uint64_t)i + 3;
			if (!w.stopped[i])
				sim_step(&w.sim[i], world_now().ns);
		}
		for (int i = 0; i < COMBINERS; i++)
			if (w.combiner[i])
				cr_assert_eq(cluster_combine_step(w.combiner[i], world_now().ns, &w.err), 0, "%s",
					w.err.why);
		if (!w.run)
			continue;
		cr_assert_eq(cluster_run_step(w.run, world_now(), &w.err), 0, "%s", w.err.why);
		uint64_t sum = world_sum();
		cr_assert(w.may_fall || sum >= before);
		before = sum;
	}
	if (!w.run)
		before = 0;
}

static void world_finish(void)
{
	for (int i = 0; i < 10000 && cluster_run_phase(w.run) < CLUSTER_OVER; i++)
		world_go(STEP_MS);
	cr_assert_eq(cluster_run_phase(w.run), CLUSTER_OVER);
}

static void world_close(void)
{
	char command[80];

	cluster_run_free(w.run);
	for (int i = 0; i < COMBINERS; i++)
		if (w.combiner[i])
			combiner_kill(i);
	for (int i = 0; i < w.n; i++)
		sim_close(&w.sim[i]);
	bus_close(w.b);
	bus_loop_free(w.loop);
	close(w.directory);
	snprintf(command, sizeof(command), "rm -r %s", w.folder);
	cr_expect_eq(system(command), 0);
}

static uint64_t counted(void)
{
	uint64_t sum = 0;
	for (int i = 0; i < w.n; i++)
		sum += w.sim[i].count;
	return sum;
}

/* All have ended, and the result is what they have counted. */
static void check_exact(void)
{
	world_finish();
	cr_expect_eq(world_sum(), counted());
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	world_go(1000); /* acknowledgements are on their way */
	for (int i = 0; i < w.n; i++)
		cr_expect_eq(w.sim[i].acknowledged, 1, "%s", w.sim[i].host);
}

/* Which combiner has the most machines: its death shows. */
static int busiest(void)
{
	int best = 0;
	for (int i = 1; i < COMBINERS; i++)
		if (cluster_combine_counts(w.combiner[i]).children > cluster_combine_counts(w.combiner[best]).children)
			best = i;
	return best;
}

Test(tree, combiners_add_up_what_machines_count)
{
	struct cluster_run_shards shards;
	world_open(&(struct bus_loop_faults){.seed = 1, .delay_ms = 5}, 12, 3);
	world_begin();
	world_go(5000);
	cr_assert(cluster_run_shards(w.run, &shards));
	cr_expect(shards.shards == SHARDS && shards.combiners == 3 && shards.unowned == 0);
	cr_expect_eq(cluster_fleet_count_of(cluster_run_fleet(w.run), CLUSTER_STATE_REPORTING), 12);
	size_t children = 0, used = 0;
	for (int i = 0; i < COMBINERS; i++) {
		struct cluster_combine_counts c = cluster_combine_counts(w.combiner[i]);
		children += c.children;
		used += c.shards != 0;
		cr_expect_eq(c.refused, 0);
	}
	cr_expect_eq(children, 12, "each machine is one combiner's");
	cr_expect_eq(used, 3, "all of them have something to do");
	check_exact();
	cr_expect_eq(cluster_run_refused(w.run), 0);
	world_go(2000);
	for (int i = 0; i < COMBINERS; i++)
		cr_expect_eq(cluster_combine_counts(w.combiner[i]).queries, 0, "they have forgotten it");
	world_close();
}

Test(tree, messages_may_be_lost_and_come_twice_and_late)
{
	world_open(&(struct bus_loop_faults){.seed = 7, .lost = 50, .doubled = 50, .reordered = 100, .delay_ms = 10}, 8,
		2);
	world_begin();
	check_exact();
	world_close();
}

Test(tree, a_combiner_that_dies_is_followed_by_another) /* C-166 */
{
	struct cluster_run_shards shards;
	world_open(&(struct bus_loop_faults){.seed = 2, .delay_ms = 5}, 12, 3);
	world_begin();
	world_go(5000);
	combiner_kill(busiest());
	world_go(5000);
	cluster_run_shards(w.run, &shards);
	cr_expect_eq(shards.combiners, 3, "it may come back");
	world_go(4000);
	cluster_run_shards(w.run, &shards);
	cr_expect(shards.combiners == 2 && shards.unowned == 0 && shards.waiting == 0);
	cr_expect_eq(cluster_fleet_count_of(cluster_run_fleet(w.run), CLUSTER_STATE_REPORTING), 12);
	check_exact();
	world_close();
}

/* The machine's last partial is a single of the combiner's by then. */
Test(tree, a_machine_that_is_dead_outlives_its_combiner) /* C-164 */
{
	world_open(&(struct bus_loop_faults){.seed = 3, .delay_ms = 5}, 6, 2);
	world_begin();
	world_go(5000);
	w.stopped[4] = true;
	world_go(3000);
	uint64_t said = world_said("web4.example");
	combiner_kill(0);
	world_go(9000);
	combiner_start(0);
	world_go(3000);
	combiner_kill(1);
	world_finish();
	cr_expect_eq(world_said("web4.example"), said);
	cr_expect_eq(world_sum(), counted() - w.sim[4].count + said);
	cr_expect_not(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	cr_expect_eq(cluster_fleet_find(cluster_run_fleet(w.run), "web4.example")->state, CLUSTER_STATE_LOST);
	world_close();
}

/* Both at once: nobody else has what it last sent. */
Test(tree, a_machine_that_dies_with_its_combiner_is_said) /* C-165 */
{
	world_open(&(struct bus_loop_faults){.seed = 4, .delay_ms = 5}, 1, 1);
	world_begin();
	world_go(5000);
	w.stopped[0] = true;
	w.may_fall = true;
	cr_expect_gt(world_sum(), 0);
	combiner_kill(0);
	world_go(1000);
	combiner_start(1);
	world_go(6000);
	cr_expect_gt(world_sum(), 0, "it stays while the new one waits");
	world_go(6000);
	cr_expect_eq(world_sum(), 0);
	const struct cluster_fleet_machine *m = cluster_fleet_find(cluster_run_fleet(w.run), "web0.example");
	cr_expect_eq(m->state, CLUSTER_STATE_LOST);
	cr_expect_eq(m->vanished, 1, "and it is said whose value is gone");
	world_close();
}

Test(tree, a_coordinator_that_dies_goes_on)
{
	world_open(&(struct bus_loop_faults){.seed = 5, .delay_ms = 5}, 8, 3);
	world_begin();
	world_go(4000);
	char id[40];
	strcpy(id, cluster_run_id(w.run));
	cluster_run_free(w.run);
	w.run = NULL;
	world_go(3000);
	struct cluster_again on = {.grace_ns = 5 * SECOND, .directory = w.directory};
	cr_assert_eq(cluster_run_attach(w.b, &w.secret, id, &on, world_now(), &w.run, &w.err), 0, "%s", w.err.why);
	check_exact();
	world_close();
}

/* Of machines that have ended and were acknowledged, its journal alone has the values. */
Test(tree, a_coordinator_that_dies_at_the_end_has_what_is_settled)
{
	world_open(&(struct bus_loop_faults){.seed = 6, .delay_ms = 5}, 6, 2);
	world_begin();
	world_go(4000);
	cluster_run_end(w.run, world_now(), "enough");
	for (int i = 0; i < 1000 && !w.sim[2].is_got; i++)
		world_go(STEP_MS);
	cr_assert(w.sim[2].is_got);
	char id[40];
	strcpy(id, cluster_run_id(w.run));
	cluster_run_free(w.run);
	w.run = NULL;
	combiner_kill(0);
	combiner_kill(1);
	world_go(1000);
	combiner_start(2);
	struct cluster_again on = {.grace_ns = 15 * SECOND, .directory = w.directory};
	cr_assert_eq(cluster_run_attach(w.b, &w.secret, id, &on, world_now(), &w.run, &w.err), 0, "%s", w.err.why);
	cluster_run_end(w.run, world_now(), "enough");
	world_finish();
	cr_expect_eq(world_sum(), counted());
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	world_close();
}

Test(tree, a_lying_machine_is_out) /* C-168 */
{
	world_open(&(struct bus_loop_faults){.seed = 8, .delay_ms = 5}, 3, 1);
	w.sim[1].mood = SIM_LIES;
	world_begin();
	world_finish();
	cr_expect_eq(cluster_fleet_find(cluster_run_fleet(w.run), "web1.example")->state, CLUSTER_STATE_INCONSISTENT);
	struct cluster_total total;
	cr_assert_eq(cluster_run_total(w.run, 0, NULL, &total, NULL), 0);
	cr_expect_eq(total.cover.machines, 2);
	cr_expect_eq(total.cover.events, w.sim[0].count + w.sim[2].count);
	cluster_total_free(&total);
	world_close();
}

Test(tree, what_is_no_message_changes_nothing)
{
	static const char *const subjects[] = {"ward.part.%s.1.0.sum1", "ward.part.%s.1.0.nobody", "ward.ready.sum1",
		"ward.part.%s.0.0.web0", "ward.work.sum1"};
	bus *b;

	world_open(&(struct bus_loop_faults){.seed = 11, .delay_ms = 5}, 3, 1);
	world_begin();
	world_go(3000);
	cr_assert_eq(bus_loop_open(w.loop, "stranger", &b, NULL), 0);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++) {
		char subject[100];
		const char *hole = strstr(subjects[i], "%s");
		snprintf(subject, sizeof(subject), "%.*s%s%s",
			(int)(hole ? (size_t)(hole - subjects[i]) : strlen(subjects[i])), subjects[i],
			hole ? cluster_run_id(w.run) : "", hole ? hole + 2 : "");
		bus_publish(b, subject, "\x08\x01garbage", 9, NULL);
		bus_publish(b, subject, "", 0, NULL);
	}
	world_go(100);
	cr_expect_eq(cluster_run_refused(w.run), 6);
	cr_expect_geq(cluster_combine_counts(w.combiner[0]).refused, 4);
	bus_close(b);
	check_exact();
	world_close();
}

Test(tree, one_machine_can_not_be_taken_out_of_a_sum)
{
	struct cluster_total total;
	const char *without[] = {"web0.example"};
	world_open(&(struct bus_loop_faults){.seed = 9}, 1, 1);
	world_begin();
	world_go(2000);
	struct cluster_total_options options = {.without = without, .n_without = 1};
	cr_expect_eq(cluster_run_total(w.run, 0, &options, &total, &w.err), WARD_E_USAGE);
	cr_expect(strstr(w.err.why, "added"));
	world_close();
}

/* Whose Work a combiner takes (C-167): with a wrong key, for another life, or late, nothing happens. */
Test(tree, a_combiner_works_for_its_coordinators)
{
	struct cluster_secret other;
	struct cluster_run_unit unit;
	world_open(&(struct bus_loop_faults){.seed = 10, .delay_ms = 5}, 2, 1);
	struct cluster_run_options options = world_options(&unit);
	cr_assert(cluster_secret_make(&other, NULL));
	cr_assert_eq(cluster_run_begin(w.b, &other, &options, w.directory, world_now(), &w.run, &w.err), 0);
	world_go(5000);
	cr_expect_eq(cluster_combine_counts(w.combiner[0]).queries, 0);
	cr_expect_gt(cluster_combine_counts(w.combiner[0]).refused, 0);
	cr_expect_eq(world_sum(), 0);
	free((void *)(uintptr_t)unit.variant[0].module);
	world_close();
}
