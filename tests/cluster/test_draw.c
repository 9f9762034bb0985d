/* SPDX-License-Identifier: Apache-2.0 */
/* C-136: so many machines, drawn from those that answer. In virtual time. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/coordinator/fetch.h"
#include "cluster/coordinator/roll.h"
#include "cluster/wire/choice.h"
#include "world.h"

enum { ROLL_MS = 2000, WEBS = 5, DRAWN = 2 };

static struct world *ticking;

static struct cluster_now now_tick(void)
{
	world_go(ticking, STEP_MS);
	return world_now(ticking);
}

static void webs_add(struct world *w)
{
	static const char *const hosts[WEBS] = {"web1", "web2", "web3", "web4", "web5"};

	world_open(w, NULL);
	ticking = w;
	world_add(w, "db1", "role=db");
	for (int i = 0; i < WEBS; i++)
		world_add(w, hosts[i], "role=web");
}

static struct cluster_roll names_draw(struct world *w, size_t n, const char **names, struct cluster_draw *draw)
{
	struct cluster_roll roll;

	*draw = (struct cluster_draw){.selector = "role=web", .n = n};
	cr_assert_eq(cluster_roll_draw(w->b, &w->secret, "test", draw, ROLL_MS, now_tick, &roll, &w->err), 0, "%s",
		w->err.why);
	cr_assert_eq(roll.n, n);
	for (size_t i = 0; i < n; i++)
		names[i] = roll.at[i].host;
	return roll;
}

static bool is_drawn(const struct cluster_roll *roll, const char *host)
{
	for (size_t i = 0; i < roll->n; i++)
		if (strcmp(roll->at[i].host, host) == 0)
			return true;
	return false;
}

/* Those with the lowest lots, and no machine beside them, also if its lot is lower and it comes later. */
Test(draw, so_many_and_no_more)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = world_options(&unit);
	struct cluster_draw draw;
	struct cluster_roll roll;
	const char *names[DRAWN];
	uint64_t counted = 0;
	char late[32];
	struct world w;

	webs_add(&w);
	roll = names_draw(&w, DRAWN, names, &draw);
	for (int i = 1; i < w.n; i++)
		for (size_t j = 0; j < DRAWN && !is_drawn(&roll, w.sim[i].host); j++)
			cr_expect_gt(cluster_lot(draw.query, w.sim[i].host), cluster_lot(draw.query, names[j]));
	options.selector = "role=web";
	options.query = draw.query;
	options.names = (struct cluster_texts){names, DRAWN};
	world_begin(&w, &options);
	for (int i = 0; i == 0 || cluster_lot(draw.query, late) > cluster_lot(draw.query, names[0]); i++)
		snprintf(late, sizeof(late), "late%d", i);
	world_go(&w, 1000);
	world_add(&w, late, "role=web");
	world_go(&w, 2000);
	for (int i = 0; i < w.n; i++) {
		cr_expect_eq(w.sim[i].runs, is_drawn(&roll, w.sim[i].host), "%s", w.sim[i].host);
		counted += w.sim[i].runs;
	}
	cr_expect_eq(counted, DRAWN);
	cr_expect_eq(cluster_fleet_count(cluster_run_fleet(w.run)), DRAWN);
	cluster_run_end(w.run, world_now(&w), "enough");
	world_finish(&w);
	cr_expect(cluster_fleet_is_complete(cluster_run_fleet(w.run)));
	counted = 0;
	for (int i = 0; i < w.n; i++)
		counted += w.sim[i].count;
	cr_expect_eq(world_sum(&w), counted);
	cluster_roll_free(&roll);
	world_close(&w);
}

/* One that was drawn and then is gone is missed, and its order says so to a coordinator that has no journal. */
Test(draw, one_that_is_gone_is_named)
{
	struct cluster_run_unit unit;
	struct cluster_run_options options = world_options(&unit);
	struct cluster_again again = {.grace_ns = 5 * SECOND};
	struct cluster_found found;
	struct cluster_draw draw;
	struct cluster_roll roll;
	const char *names[DRAWN + 1];
	char id[33], path[100];
	struct world w;

	webs_add(&w);
	roll = names_draw(&w, DRAWN, names, &draw);
	names[DRAWN] = "web9"; /* it has gone between its answer and the order */
	options.query = draw.query;
	options.names = (struct cluster_texts){names, DRAWN + 1};
	world_begin(&w, &options);
	world_go(&w, 2000);
	expect_state(&w, "web9", CLUSTER_STATE_UNREACHABLE);
	strcpy(id, cluster_run_id(w.run));
	cluster_run_free(w.run);
	w.run = NULL;
	bus_close(w.b);
	cr_assert_eq(bus_loop_open(w.loop, "another", &w.b, NULL), 0);
	snprintf(path, sizeof(path), "%s/elsewhere", w.folder);
	cr_assert_eq(mkdir(path, 0700), 0);
	again.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	cr_assert_eq(cluster_fetch(w.b, &w.secret, "test", id, now_tick, &found, &w.err), 0, "%s", w.err.why);
	cr_assert_eq(
		cluster_run_adopt(w.b, &w.secret, &found, &again, world_now(&w), &w.run, &w.err), 0, "%s", w.err.why);
	free(found.order);
	close(again.directory);
	world_go(&w, 1000);
	expect_state(&w, "web9", CLUSTER_STATE_UNREACHABLE);
	cr_expect_eq(cluster_fleet_count_of(cluster_run_fleet(w.run), CLUSTER_STATE_REPORTING), DRAWN);
	cluster_roll_free(&roll);
	world_close(&w);
}

Test(draw, fewer_that_fit_than_are_to_be_drawn)
{
	struct cluster_draw draw = {.selector = "role=web", .n = WEBS + 1};
	struct cluster_roll roll;
	struct world w;

	webs_add(&w);
	cr_expect_eq(cluster_roll_draw(w.b, &w.secret, "test", &draw, ROLL_MS, now_tick, &roll, &w.err), WARD_E_TARGET);
	cr_expect_str_eq(w.err.why, "6 machines are to be drawn, and 5 that fit answer");
	cluster_roll_free(&roll);
	world_close(&w);
}
