/* SPDX-License-Identifier: Apache-2.0 */
/* The bus in memory: subjects, queues, virtual time and faults. */
#include <criterion/criterion.h>

#include "cluster/bus/ops.h"

#include <stdlib.h>
#include <string.h>

Test(bus, subjects_have_tokens_and_wildcards_where_they_may)
{
	static const char *const plain[] = {"a", "ward.beat.7c1e", "ward.part.0.web1:example:net"};
	static const char *const wild[] = {"*", ">", "a.*", "*.b", "a.>", "a.*.>"};
	static const char *const wrong[] = {
		"", ".", "a.", ".a", "a..b", "a b", "a\nb", "a.>.b", "a.b*", "a.>b", ">.a", "\xc3\xa4"};
	char long_one[BUS_MOST_SUBJECT + 1];

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
		cr_expect(bus_subject_valid(plain[i], false) && bus_subject_valid(plain[i], true), "%s", plain[i]);
	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++)
		cr_expect(!bus_subject_valid(wild[i], false) && bus_subject_valid(wild[i], true), "%s", wild[i]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_expect(!bus_subject_valid(wrong[i], false) && !bus_subject_valid(wrong[i], true), "%s", wrong[i]);
	cr_expect(!bus_subject_valid(NULL, true));
	memset(long_one, 'a', BUS_MOST_SUBJECT);
	long_one[BUS_MOST_SUBJECT] = 0;
	cr_expect(!bus_subject_valid(long_one, false));
	long_one[BUS_MOST_SUBJECT - 1] = 0;
	cr_expect(bus_subject_valid(long_one, false));
}

Test(bus, a_subscription_matches_by_tokens)
{
	static const struct {
		const char *subscription, *subject;
		bool matches;
	} rows[] = {
		{"a.b", "a.b", true},
		{"a.b", "a.c", false},
		{"a.b", "a", false},
		{"a", "a.b", false},
		{"a.*", "a.b", true},
		{"a.*", "a", false},
		{"a.*", "a.b.c", false},
		{"*.b", "a.b", true},
		{"a.>", "a.b", true},
		{"a.>", "a.b.c", true},
		{"a.>", "a", false},
		{">", "a", true},
		{"*", "a.b", false},
		{"ab", "a", false},
		{"a", "ab", false},
		{"a.*.c", "a.bb.c", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect_eq(bus_subject_matches(rows[i].subscription, rows[i].subject), rows[i].matches, "%s %s",
			rows[i].subscription, rows[i].subject);
}

Test(bus, a_full_queue_drops_and_counts)
{
	struct bus_queue q;
	struct bus_held *held;

	bus_queue_init(&q, 3, 100);
	bus_queue_put(&q, bus_held_make("a", "0123456789", 10)); /* 12 bytes */
	bus_queue_put(&q, bus_held_make("b", NULL, 0));
	bus_queue_put(&q, bus_held_make("c",
				  "01234567890123456789012345678901234567890123456789012345678901234567890"
				  "12345678901234567890",
				  87)); /* one byte too many */
	cr_expect_eq(q.n, 2);
	cr_expect_eq(q.dropped, 1);
	bus_queue_put(&q, bus_held_make("d", "x", 1));
	bus_queue_put(&q, bus_held_make("e", "x", 1)); /* the fourth */
	cr_expect_eq(q.dropped, 2);
	for (const char *c = "abd"; *c; c++) {
		held = bus_queue_take(&q);
		cr_assert_not_null(held);
		cr_expect_eq(held->bytes[0], *c);
		free(held);
	}
	cr_expect_null(bus_queue_take(&q));
	cr_expect_eq(q.bytes, 0);
	bus_queue_put(&q, bus_held_make("f", NULL, 0));
	bus_queue_free(&q);
	cr_expect_eq(q.n, 0);
}

struct pair {
	bus_loop *loop;
	bus *from, *to;
};

static void pair_open(struct pair *p, const struct bus_loop_faults *faults)
{
	cr_assert_eq(bus_loop_create(faults, &p->loop, NULL), 0);
	cr_assert_eq(bus_loop_open(p->loop, "from", &p->from, NULL), 0);
	cr_assert_eq(bus_loop_open(p->loop, "to", &p->to, NULL), 0);
	cr_assert_eq(bus_subscribe(p->to, "n.*", NULL), 0);
}

static void pair_close(struct pair *p)
{
	bus_close(p->from);
	bus_close(p->to);
	bus_loop_free(p->loop);
}

Test(bus, nothing_arrives_before_its_time)
{
	struct pair p;
	struct bus_message m;

	pair_open(&p, &(struct bus_loop_faults){.delay_ms = 10});
	cr_expect_eq(bus_publish(p.from, "n.a", "hello", 5, NULL), 0);
	cr_expect_eq(bus_publish(p.from, "m.a", "other", 5, NULL), 0);
	bus_loop_advance(p.loop, 9);
	cr_expect_eq(bus_take(p.to, 1000, &m, NULL), 0);
	bus_loop_advance(p.loop, 1);
	cr_expect_eq(bus_take(p.to, 0, &m, NULL), 1);
	cr_expect_str_eq(m.subject, "n.a");
	cr_expect(m.size == 5 && memcmp(m.data, "hello", 5) == 0);
	cr_expect_eq(bus_take(p.to, 0, &m, NULL), 0);
	pair_close(&p);
}

Test(bus, a_wrong_subject_or_size_is_refused)
{
	struct pair p;
	struct ward_error err;
	char *big = calloc(1, BUS_MOST_BYTES + 1);

	pair_open(&p, NULL);
	cr_expect_eq(bus_publish(p.from, "n.*", "", 0, &err), WARD_E_USAGE);
	cr_expect_eq(bus_publish(p.from, "n.a", big, BUS_MOST_BYTES + 1, &err), WARD_E_USAGE);
	cr_expect_eq(bus_publish(p.from, "n.a", big, BUS_MOST_BYTES, &err), 0);
	cr_expect_eq(bus_subscribe(p.from, "n..a", &err), WARD_E_USAGE);
	cr_expect_str_eq(err.what, "n..a");
	free(big);
	pair_close(&p);
}

Test(bus, an_end_that_is_cut_off_neither_sends_nor_gets)
{
	struct pair p;
	struct bus_message m;
	struct bus_state state;

	pair_open(&p, &(struct bus_loop_faults){.delay_ms = 10});
	bus_publish(p.from, "n.1", "", 0, NULL);
	bus_loop_cut(p.to, true); /* what is on its way is lost */
	bus_publish(p.from, "n.2", "", 0, NULL);
	cr_expect_eq(bus_publish(p.to, "n.3", "", 0, NULL), WARD_E_TARGET);
	bus_loop_cut(p.to, false);
	bus_publish(p.from, "n.4", "", 0, NULL);
	bus_loop_advance(p.loop, 10);
	cr_expect_eq(bus_take(p.to, 0, &m, NULL), 1);
	cr_expect_str_eq(m.subject, "n.4");
	bus_get_state(p.to, &state);
	cr_expect(state.connected && state.connects == 2 && state.taken == 1 && !state.waiting);
	pair_close(&p);
}

/* Send numbers with faults; how often each came, and how many came after a higher one. */
static void pair_count(struct pair *p, unsigned n, unsigned *came, unsigned *late)
{
	struct bus_message m;
	unsigned highest = 0;

	for (unsigned i = 0; i < n; i++) {
		cr_assert_eq(bus_publish(p->from, "n.a", &i, sizeof(i), NULL), 0);
		bus_loop_advance(p->loop, 1);
	}
	bus_loop_advance(p->loop, 1000);
	while (bus_take(p->to, 0, &m, NULL)) {
		unsigned i;
		memcpy(&i, m.data, sizeof(i));
		came[i]++;
		*late += i < highest;
		highest = i > highest ? i : highest;
	}
}

Test(bus, faults_are_as_many_as_asked_for_and_one_seed_is_one_history)
{
	enum { N = 20000 };
	static unsigned came[2][N];
	unsigned late[2] = {0}, lost = 0, doubled = 0;
	struct bus_loop_faults faults = {.seed = 7, .lost = 50, .doubled = 100, .reordered = 200, .delay_ms = 5};

	for (int run = 0; run < 2; run++) {
		struct pair p;
		pair_open(&p, &faults);
		pair_count(&p, N, came[run], &late[run]);
		pair_close(&p);
	}
	cr_expect_eq(memcmp(came[0], came[1], sizeof(came[0])), 0);
	cr_expect_eq(late[0], late[1]);
	for (unsigned i = 0; i < N; i++) {
		lost += came[0][i] == 0;
		doubled += came[0][i] == 2;
		cr_assert(came[0][i] <= 2);
	}
	cr_expect(lost > N / 20 * 8 / 10 && lost < N / 20 * 12 / 10, "%u lost", lost);
	cr_expect(doubled > N / 11 * 8 / 10 && doubled < N / 10 * 12 / 10, "%u doubled", doubled);
	cr_expect(late[0] > N / 100, "%u late", late[0]);
}

Test(bus, without_faults_each_comes_once_and_in_order)
{
	static unsigned came[1000];
	unsigned late = 0;
	struct pair p;

	pair_open(&p, &(struct bus_loop_faults){.delay_ms = 3});
	pair_count(&p, 1000, came, &late);
	for (int i = 0; i < 1000; i++)
		cr_assert_eq(came[i], 1);
	cr_expect_eq(late, 0);
	pair_close(&p);
}
