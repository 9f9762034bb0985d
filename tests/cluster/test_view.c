/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-130: a viewer takes a table once all of its pieces are there, whatever comes in between: pieces out of order, twice
 * or never, of another refresh, of another form, and what is no such message at all.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/coordinator/view.h"
#include "cluster/wire/subject.h"

#define ID "01020300000000000000000000000000"
static const uint8_t id[CLUSTER_ID] = {1, 2, 3};

struct world {
	bus_loop *loop;
	bus *coordinator, *viewer;
	cluster_view *view;
};

static struct cluster_now world_now(struct world *w)
{
	return (struct cluster_now){.ns = 1 + (uint64_t)bus_loop_now(w->loop) * 1000000};
}

static void world_open(struct world *w, const char *query)
{
	struct bus_loop_faults none = {.seed = 1};

	cr_assert_eq(bus_loop_create(&none, &w->loop, NULL), 0);
	cr_assert_eq(bus_loop_open(w->loop, "coordinator", &w->coordinator, NULL), 0);
	cr_assert_eq(bus_loop_open(w->loop, "viewer", &w->viewer, NULL), 0);
	cr_assert_eq(cluster_view_open(w->viewer, query, CLUSTER_AS_TEXT, &w->view, NULL), 0);
}

static void world_close(struct world *w)
{
	cluster_view_close(w->view);
	bus_close(w->viewer);
	bus_close(w->coordinator);
	bus_loop_free(w->loop);
}

static void say(struct world *w, const char *subject, const ProtobufCMessage *m)
{
	size_t size;
	void *bytes = cluster_message_write(m, &size);

	cr_assert_eq(bus_publish(w->coordinator, subject, bytes, size, NULL), 0);
	free(bytes);
}

static Ward__Cluster__Out piece_of(uint64_t refresh, uint32_t piece, uint32_t pieces, const char *text)
{
	Ward__Cluster__Out out = WARD__CLUSTER__OUT__INIT;

	out.format = 1;
	out.refresh = refresh;
	out.piece = piece;
	out.pieces = pieces;
	out.lines = (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
	out.has_shown = true;
	out.shown = WARD__CLUSTER__SHOWN__TEXT;
	return out;
}

static void piece_say(struct world *w, uint64_t refresh, uint32_t piece, uint32_t pieces, const char *text)
{
	Ward__Cluster__Out out = piece_of(refresh, piece, pieces, text);

	say(w, "ward.out." ID ".table", &out.base);
}

static enum cluster_viewed step(struct world *w)
{
	enum cluster_viewed what;

	bus_loop_advance(w->loop, 10);
	cr_assert_eq(cluster_view_step(w->view, world_now(w), &what, NULL), 0);
	return what;
}

static void table_expect(struct world *w, const char *text)
{
	cr_expect_eq(step(w), CLUSTER_VIEW_TABLE, "no table: %s", text);
	cr_expect_str_eq(cluster_view_table(w->view).text, text);
}

Test(view, pieces)
{
	struct world w = {0};

	world_open(&w, ID);
	piece_say(&w, 5, 0, 1, "whole");
	table_expect(&w, "whole");
	piece_say(&w, 5, 0, 1, "the same again");
	piece_say(&w, 4, 0, 1, "late");
	cr_expect_eq(step(&w), CLUSTER_VIEW_NOTHING);
	cr_expect_str_eq(cluster_view_table(w.view).text, "whole");

	piece_say(&w, 6, 2, 3, "c");
	piece_say(&w, 6, 0, 3, "a");
	piece_say(&w, 6, 0, 3, "twice");
	cr_expect_eq(step(&w), CLUSTER_VIEW_NOTHING);
	piece_say(&w, 6, 1, 3, "b");
	table_expect(&w, "abc");

	piece_say(&w, 7, 0, 2, "lost");
	piece_say(&w, 8, 1, 2, "z");
	piece_say(&w, 7, 1, 2, "late");
	piece_say(&w, 8, 0, 2, "y");
	table_expect(&w, "yz");
	world_close(&w);
}

Test(view, what_is_no_table)
{
	struct world w = {0};
	Ward__Cluster__Out out = piece_of(3, 0, 1, "other form");

	world_open(&w, ID);
	out.shown = WARD__CLUSTER__SHOWN__JSON;
	say(&w, "ward.out." ID ".table", &out.base);
	piece_say(&w, 3, 0, 65, "too many pieces");
	piece_say(&w, 3, 64, 64, "no such piece");
	piece_say(&w, 4, 1, 1, "behind the last");
	cr_assert_eq(bus_publish(w.coordinator, "ward.out." ID ".table", "junk", 4, NULL), 0);
	out = piece_of(9, 0, 1, "another query's");
	say(&w, "ward.out.0102030000000000000000000000000f.table", &out.base);
	cr_expect_eq(step(&w), CLUSTER_VIEW_NOTHING);
	cr_expect_null(cluster_view_table(w.view).text);
	cr_expect_null(cluster_view_head(w.view));
	/* two pieces that don't agree on how many there are */
	piece_say(&w, 5, 0, 2, "a");
	piece_say(&w, 5, 1, 3, "b");
	cr_expect_eq(step(&w), CLUSTER_VIEW_NOTHING);
	out = piece_of(6, 0, 1, "the end");
	out.has_end = true;
	out.end = WARD__CLUSTER__OUT__END__INCOMPLETE;
	say(&w, "ward.out." ID ".table", &out.base);
	table_expect(&w, "the end");
	cr_expect_eq(cluster_view_table(w.view).end, CLUSTER_INCOMPLETE);
	world_close(&w);
}

Test(view, it_asks_and_hears_heads)
{
	struct world w = {0};
	struct bus_message m;
	struct cluster_message message;
	Ward__Cluster__Head head = WARD__CLUSTER__HEAD__INIT;
	const Ward__Cluster__Ask *ask;
	cluster_view *none;

	world_open(&w, ID);
	cr_assert_eq(bus_subscribe(w.coordinator, "ward.ask", NULL), 0);
	cr_expect_eq(step(&w), CLUSTER_VIEW_NOTHING);
	bus_loop_advance(w.loop, 10);
	cr_assert_eq(bus_take(w.coordinator, 0, &m, NULL), 1);
	cr_expect_str_eq(m.subject, "ward.ask");
	cr_assert(cluster_message_read(&message, &ward__cluster__ask__descriptor, "ask", m.data, m.size, NULL));
	ask = (const Ward__Cluster__Ask *)message.m;
	cr_expect(cluster_bytes_equal(ask->query, id, sizeof(id)) && ask->shown == WARD__CLUSTER__SHOWN__TEXT);
	cluster_message_free(&message);
	head.format = 1;
	head.query = (ProtobufCBinaryData){sizeof(id), (uint8_t *)(uintptr_t)id};
	head.cluster = (ProtobufCBinaryData){1, (uint8_t *)"c"};
	head.issuer = (ProtobufCBinaryData){5, (uint8_t *)"a\033[1m"};
	head.machines = 7;
	say(&w, "ward.out." ID ".head", &head.base);
	cr_expect_eq(step(&w), CLUSTER_VIEW_HEAD);
	cr_expect_str_eq(cluster_view_head(w.view)->id, ID);
	cr_expect_str_eq(cluster_view_head(w.view)->issuer, "a?[1m");
	cr_expect_eq(cluster_view_head(w.view)->machines, 7);
	cr_expect_eq(cluster_view_open(w.viewer, "7c", CLUSTER_AS_TEXT, &none, NULL), WARD_E_USAGE);
	world_close(&w);
}
