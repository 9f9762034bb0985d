/* SPDX-License-Identifier: Apache-2.0 */
/* A combiner's sums, and what a coordinator makes of them: whose, which, when they wait, what is settled. */
#include "cluster/combine/told.h"
#include "cluster/merge/settle.h"
#include "cluster/merge/subtotal.h"
#include "cluster/wire/subject.h"
#include "merge_shape.h"

enum { A = 0xa, B = 0xb };
static const uint64_t SECOND = 1000000000;

static size_t n_missing, n_blamed, n_settled;

static uint32_t shard_of(const char *machine, uint32_t shards)
{
	return strncmp(machine, "other", 5) == 0 ? shards - 1 : 0;
}

static bool on_missing(void *user, const struct cluster_epoch *e)
{
	(void)user, (void)e;
	n_missing++;
	return true;
}

static bool on_settled(void *user, const struct cluster_epoch *e)
{
	(void)user, (void)e;
	n_settled++;
	return true;
}

static bool on_blamed(void *user, const char *machine, const char *reason)
{
	(void)user, (void)machine, (void)reason;
	n_blamed++;
	return true;
}

static struct cluster_children_options children_options(void)
{
	return (struct cluster_children_options){.schema = &shape_schema, .query = QUERY, .began_ns = SECOND};
}

static cluster_settle *new_settle(void)
{
	struct cluster_settle_options options = {.children = children_options(),
		.shards = 2,
		.shard_of = shard_of,
		.calls = {.missing = on_missing, .settled = on_settled, .blamed = on_blamed}};
	cluster_settle *s = cluster_settle_new(&options);
	cr_assert_not_null(s);
	n_missing = n_blamed = n_settled = 0;
	return s;
}

static cluster_subtotal *new_combiner(uint64_t nonce)
{
	struct cluster_children_options options = children_options();
	cluster_subtotal *c = cluster_subtotal_new(&options, nonce);
	cr_assert_not_null(c);
	return c;
}

/* A machine sends its partial; its numbers rise with the sequence. */
static enum cluster_taken give(
	cluster_subtotal *c, const char *machine, uint64_t sequence, uint32_t flags, uint64_t now_ns)
{
	struct cluster_sender sender = {.machine = machine};
	struct ward_error err;
	size_t size;
	ward_partial *p = merge_partial(5, sequence % 8);
	void *bytes = merge_pack(p, 1, 7, sequence, flags, 0, &size);
	enum cluster_taken how = cluster_subtotal_take(c, &sender, bytes, size, now_ns, &err);
	free(bytes);
	ward_partial_free(p);
	return how;
}

static struct cluster_told tell(cluster_subtotal *c, uint64_t term, uint64_t now_ns)
{
	struct cluster_told told;
	struct ward_error err;
	cr_assert_eq(cluster_subtotal_tell(c, term, SECOND, now_ns, &told, &err), 0, "%s", err.why);
	return told;
}

static enum cluster_settle_how take(cluster_settle *s, const struct cluster_told *told, uint64_t now_ns)
{
	struct ward_error err;
	return cluster_settle_take(s, 0, told, SECOND, now_ns, &err);
}

/* Tell, take, and let the combiner have the answer. */
static enum cluster_settle_how pass(cluster_settle *s, cluster_subtotal *c, uint64_t term, uint64_t now_ns)
{
	struct cluster_told told = tell(c, term, now_ns);
	enum cluster_settle_how how = take(s, &told, now_ns);
	struct cluster_answer answer;
	cr_assert(cluster_settle_answer(s, &told, &answer));
	cr_assert(cluster_subtotal_answer(c, &answer, now_ns));
	cluster_answer_free(&answer);
	return how;
}

static void settle_due(cluster_settle *s)
{
	const struct cluster_group *due;
	size_t n;
	cr_assert(cluster_settle_due(s, &due, &n));
	cr_assert_eq(cluster_settle_commit(s, NULL), 0);
}

/* The events of the value so far: a hundred for each sequence. Its cover must say the same. */
static uint64_t events_of(cluster_settle *s)
{
	struct cluster_total total;
	struct ward_error err;
	cr_assert_eq(cluster_settle_total(s, 0, &total, &err), 0, "%s", err.why);
	uint64_t events = ward_partial_notes(total.partial).events, said = 0;
	for (size_t i = 0; i < total.cover.n; i++)
		said += 100 * total.cover.at[i].sequence;
	cr_expect_eq(events, said);
	cluster_total_free(&total);
	return events;
}

Test(settle, a_shard_has_one_combiner) /* C-160 */
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
	give(a, "m1", 1, 0, SECOND);
	give(b, "m1", 1, 0, SECOND);
	struct cluster_told early = tell(a, 1, SECOND);
	cr_expect_eq(take(s, &early, SECOND), CLUSTER_SETTLE_OLD, "nobody has it yet");
	cluster_settle_assign(s, 0, 1, A);
	cr_expect_eq(take(s, &early, SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(take(s, &early, SECOND), CLUSTER_SETTLE_OLD, "it comes twice");
	cr_expect_eq(pass(s, b, 1, SECOND), CLUSTER_SETTLE_OLD, "another one's");
	cluster_settle_assign(s, 0, 2, B);
	cr_expect_eq(pass(s, a, 1, SECOND), CLUSTER_SETTLE_OLD, "of an earlier term");
	cr_expect_eq(pass(s, b, 2, SECOND), CLUSTER_SETTLE_TAKEN);
	cluster_settle_assign(s, 0, 1, A);
	cr_expect_eq(cluster_settle_term(s, 0), 2, "a term only rises");
	cr_expect_eq(events_of(s), 100);
	cluster_subtotal_free(a);
	cluster_subtotal_free(b);
	cluster_settle_free(s);
}

Test(settle, an_epoch_is_in_it_once) /* C-161 */
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A);
	struct cluster_epoch twice[2];
	cluster_settle_assign(s, 0, 1, A);
	give(a, "m1", 1, 0, SECOND);
	struct cluster_told told = tell(a, 1, SECOND);
	twice[0] = twice[1] = told.live.at[0];

	struct cluster_told bad = told;
	bad.live.at = twice;
	bad.live.n = 2;
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED);
	bad = told;
	bad.closed = told.live;
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED, "in both sums");
	bad = told;
	bad.live.size = 0;
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED, "without a sum");
	bad = told;
	bad.live.n = 0;
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED, "a sum of nothing");
	bad = told;
	bad.live.size--;
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED, "no partial");
	twice[0].sequence = 0;
	bad = told;
	bad.live.at = twice;
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED, "without a sequence");
	twice[0] = told.live.at[0];
	twice[0].machine = "other1";
	cr_expect_eq(take(s, &bad, SECOND), CLUSTER_SETTLE_REFUSED, "of another shard");
	cr_expect_eq(cluster_settle_take(s, 2, &told, SECOND, SECOND, NULL), CLUSTER_SETTLE_REFUSED, "no shard");
	cr_expect_eq(events_of(s), 0);
	cr_expect_eq(take(s, &told, SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 100);
	cluster_subtotal_free(a);
	cluster_settle_free(s);
}

Test(settle, what_is_settled_stays_and_comes_in_no_message) /* C-162, C-163 */
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
	cluster_settle_assign(s, 0, 1, A);
	give(a, "m1", 3, WARD_PARTIAL_LAST, SECOND);
	give(a, "m2", 2, 0, SECOND);
	cr_expect_eq(pass(s, a, 1, SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_not(cluster_settle_has(s, "m1", 1, 7), "it isn't in the journal");
	cr_expect_eq(pass(s, a, 1, 2 * SECOND), CLUSTER_SETTLE_TAKEN, "and may come again");
	settle_due(s);
	cr_expect(cluster_settle_has(s, "m1", 1, 7));
	cr_expect_eq(n_settled, 1);
	cr_expect_eq(events_of(s), 500);
	settle_due(s);
	cr_expect_eq(n_settled, 1, "once");
	cr_expect_eq(pass(s, a, 1, 3 * SECOND), CLUSTER_SETTLE_STALE);
	cr_expect_eq(pass(s, a, 1, 3 * SECOND), CLUSTER_SETTLE_TAKEN, "it has the answer");
	cr_expect_eq(events_of(s), 500);
	/* One that knew the machine before it ended. */
	cluster_settle_assign(s, 0, 2, B);
	give(b, "m1", 2, 0, SECOND);
	give(b, "m2", 2, 0, SECOND);
	cr_expect_eq(pass(s, b, 2, 4 * SECOND), CLUSTER_SETTLE_STALE);
	cr_expect_eq(pass(s, b, 2, 4 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 500);
	/* The machine sends it again: the acknowledgement was lost. */
	cr_expect_eq(give(b, "m1", 3, WARD_PARTIAL_LAST, 4 * SECOND), CLUSTER_OLD);
	struct cluster_told told = tell(b, 2, 5 * SECOND);
	cr_assert_eq(told.again.n, 1);
	cr_expect_str_eq(told.again.at[0].machine, "m1");
	cr_expect_eq(told.closed.n, 0);
	cr_expect_eq(tell(b, 2, 6 * SECOND).again.n, 0, "once for each time");
	cluster_subtotal_free(a);
	cluster_subtotal_free(b);
	cluster_settle_free(s);
}

Test(settle, a_journal_brings_back_what_is_settled)
{
	cluster_settle *s = new_settle(), *again = new_settle();
	cluster_subtotal *a = new_combiner(A);
	const struct cluster_group *due;
	struct ward_error err;
	size_t n;
	cluster_settle_assign(s, 0, 1, A);
	give(a, "m1", 3, WARD_PARTIAL_LAST, SECOND);
	give(a, "m2", 4, WARD_PARTIAL_LAST, SECOND);
	cr_expect_eq(pass(s, a, 1, SECOND), CLUSTER_SETTLE_TAKEN);
	cr_assert(cluster_settle_due(s, &due, &n));
	cr_assert_eq(n, 1);
	cr_expect_eq(due[0].n, 2);
	for (int i = 0; i < 2; i++)
		cr_expect_eq(cluster_settle_restore(again, &due[0], SECOND, &err), 0, "%s", err.why);
	cr_expect(cluster_settle_has(again, "m1", 1, 7) && cluster_settle_has(again, "m2", 1, 7));
	cr_expect_eq(events_of(again), 700);
	cluster_subtotal_free(a);
	cluster_settle_free(again);
	cluster_settle_free(s);
}

Test(settle, what_a_dead_machine_last_sent_outlives_its_combiner) /* C-164 */
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
	cluster_settle_assign(s, 0, 1, A);
	give(a, "dead", 5, 0, SECOND);
	give(a, "m1", 1, 0, SECOND);
	cr_expect_eq(tell(a, 1, 3 * SECOND).n_singles, 0, "it isn't silent for long");
	give(a, "m1", 2, 0, 4 * SECOND);
	struct cluster_told told = tell(a, 1, 4 * SECOND);
	cr_assert_eq(told.n_singles, 1);
	cr_expect_str_eq(told.singles[0].of.machine, "dead");
	cr_expect_eq(pass(s, a, 1, 4 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 700, "its sum has it, and it counts once");
	cr_expect_eq(tell(a, 1, 4 * SECOND).n_singles, 0, "the coordinator has it");
	cr_expect_eq(tell(a, 2, 4 * SECOND).n_singles, 1, "another one may not");
	cluster_settle_assign(s, 0, 3, B);
	give(b, "m1", 3, 0, 5 * SECOND);
	cr_expect_eq(pass(s, b, 3, 5 * SECOND), CLUSTER_SETTLE_TAKEN, "nothing is missing");
	cr_expect_eq(events_of(s), 800);
	/* An old partial of it comes to the new one: that must not replace the later one. */
	give(b, "dead", 4, 0, 6 * SECOND);
	cr_expect_eq(pass(s, b, 3, 6 * SECOND), CLUSTER_SETTLE_WAITS);
	cr_expect_eq(events_of(s), 800);
	/* It is there again. */
	give(b, "dead", 6, WARD_PARTIAL_LAST, 7 * SECOND);
	cr_expect_eq(pass(s, b, 3, 7 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 900);
	cr_expect_eq(n_missing, 0);
	cluster_subtotal_free(a);
	cluster_subtotal_free(b);
	cluster_settle_free(s);
}

Test(settle, a_last_value_that_is_single_is_settled)
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
	cluster_settle_assign(s, 0, 1, A);
	give(a, "dead", 5, WARD_PARTIAL_LAST, SECOND);
	cr_expect_eq(pass(s, a, 1, 9 * SECOND), CLUSTER_SETTLE_TAKEN); /* and the journal can't be written */
	cluster_settle_assign(s, 0, 2, B);
	give(b, "m1", 1, 0, 9 * SECOND);
	cr_expect_eq(pass(s, b, 2, 9 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 600);
	settle_due(s);
	cr_expect(cluster_settle_has(s, "dead", 1, 7));
	cr_expect_eq(events_of(s), 600);
	settle_due(s);
	cr_expect_eq(n_settled, 1);
	cluster_subtotal_free(a);
	cluster_subtotal_free(b);
	cluster_settle_free(s);
}

/* The message that it came with wasn't taken, so an earlier partial of it was in the result until then. */
Test(settle, a_single_is_settled_as_what_it_is)
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
	cluster_settle_assign(s, 0, 1, A);
	give(a, "done", 1, WARD_PARTIAL_LAST, SECOND);
	give(a, "dead", 4, 0, SECOND);
	struct cluster_told told = tell(a, 1, SECOND);
	cr_expect_eq(take(s, &told, SECOND), CLUSTER_SETTLE_TAKEN);
	settle_due(s);
	give(a, "dead", 5, WARD_PARTIAL_LAST, 2 * SECOND);
	cr_expect_eq(pass(s, a, 1, 9 * SECOND), CLUSTER_SETTLE_STALE);
	cr_expect_eq(events_of(s), 500);
	cluster_settle_assign(s, 0, 2, B);
	give(b, "m1", 1, 0, 9 * SECOND);
	cr_expect_eq(pass(s, b, 2, 9 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 700);
	settle_due(s);
	cr_expect(cluster_settle_has(s, "dead", 1, 7));
	cr_expect_eq(events_of(s), 700);
	cluster_subtotal_free(a);
	cluster_subtotal_free(b);
	cluster_settle_free(s);
}

Test(settle, a_new_combiner_waits_until_nothing_is_missing) /* C-165 */
{
	for (int hurries = 0; hurries < 2; hurries++) {
		cluster_settle *s = new_settle();
		cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
		cluster_settle_assign(s, 0, 1, A);
		give(a, "m1", 3, 0, SECOND);
		give(a, "m2", 3, 0, SECOND);
		cr_expect_eq(pass(s, a, 1, SECOND), CLUSTER_SETTLE_TAKEN);
		cluster_settle_assign(s, 0, 2, B);
		give(b, "m1", 4, 0, 2 * SECOND);
		cr_expect_eq(pass(s, b, 2, 2 * SECOND), CLUSTER_SETTLE_WAITS);
		cr_expect_eq(cluster_settle_missing(s, 0), 1);
		cr_expect_eq(events_of(s), 600, "the sum before is still there");
		give(b, "m2", 2, 0, 3 * SECOND);
		cr_expect_eq(pass(s, b, 2, 3 * SECOND), CLUSTER_SETTLE_WAITS, "an earlier one is less");
		if (hurries)
			cluster_settle_hurry(s);
		else
			cr_expect_eq(pass(s, b, 2, 21 * SECOND), CLUSTER_SETTLE_WAITS);
		cr_expect_eq(n_missing, 0);
		cr_expect_eq(pass(s, b, 2, (hurries ? 4 : 22) * SECOND), CLUSTER_SETTLE_TAKEN);
		cr_expect_eq(n_missing, 1, "and it is said");
		cr_expect_eq(cluster_settle_missing(s, 0), 0);
		cr_expect_eq(events_of(s), 600);
		cluster_subtotal_free(a);
		cluster_subtotal_free(b);
		cluster_settle_free(s);
	}
}

Test(settle, a_machine_that_contradicts_itself_is_out) /* C-168 */
{
	cluster_settle *s = new_settle();
	cluster_subtotal *a = new_combiner(A), *b = new_combiner(B);
	cluster_settle_assign(s, 0, 1, A);
	give(a, "liar", 4, 0, SECOND);
	give(a, "m1", 1, 0, SECOND);
	cr_expect_eq(pass(s, a, 1, SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 500);
	struct ward_partial *less = merge_partial(5, 1);
	struct cluster_sender sender = {.machine = "liar"};
	struct ward_error err;
	size_t size;
	void *bytes = merge_pack(less, 1, 7, 5, 0, 0, &size);
	cr_expect_eq(cluster_subtotal_take(a, &sender, bytes, size, 2 * SECOND, &err), CLUSTER_INCONSISTENT);
	cr_expect_eq(tell(a, 1, 2 * SECOND).n_blames, 1);
	cr_expect_eq(pass(s, a, 1, 2 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(n_blamed, 1);
	cr_expect_eq(events_of(s), 100, "nobody waits for it");
	cr_expect_eq(tell(a, 1, 2 * SECOND).n_blames, 0, "the coordinator knows");
	cr_expect_eq(tell(a, 2, 2 * SECOND).n_blames, 1, "another one may not");
	/* A combiner that hasn't seen it is told. */
	cluster_settle_assign(s, 0, 3, B);
	give(b, "liar", 6, 0, 3 * SECOND);
	give(b, "m1", 2, 0, 3 * SECOND);
	cr_expect_eq(pass(s, b, 3, 3 * SECOND), CLUSTER_SETTLE_STALE);
	cr_expect_eq(pass(s, b, 3, 3 * SECOND), CLUSTER_SETTLE_TAKEN);
	cr_expect_eq(events_of(s), 200);
	cr_expect_eq(n_blamed, 1);
	free(bytes);
	ward_partial_free(less);
	cluster_subtotal_free(a);
	cluster_subtotal_free(b);
	cluster_settle_free(s);
}

Test(settle, what_has_no_room_is_left_out_and_counted)
{
	cluster_subtotal *a = new_combiner(A);
	char name[CLUSTER_NAME];
	size_t n = 3000;
	memset(name, 'x', sizeof(name));
	for (size_t i = 0; i < n; i++) {
		snprintf(name + 110, sizeof(name) - 110, "%zu", i);
		cr_assert_eq(give(a, name, 1, 0, SECOND), CLUSTER_TAKEN);
	}
	struct cluster_told told = tell(a, 1, SECOND);
	cr_expect_gt(told.no_room, 0);
	cr_expect_eq(told.live.n + told.no_room, n);
	size_t size;
	void *bytes = cluster_told_write(&told, 0, &size);
	cr_expect_lt(size, (size_t)CLUSTER_TREE_ROWS + CLUSTER_TREE_LIVE);
	free(bytes);
	cluster_subtotal_free(a);
}

/* ---- as messages ---- */

static bool read_bytes(const void *bytes, size_t size, struct cluster_message *m, struct cluster_told_read *read)
{
	return cluster_message_read(m, &ward__cluster__sum__descriptor, "sum", bytes, size, NULL) &&
	       cluster_told_read((const Ward__Cluster__Sum *)m->m, read, NULL);
}

Test(settle, a_message_is_read_as_it_was_written)
{
	cluster_subtotal *a = new_combiner(A);
	give(a, "m1.example", 3, WARD_PARTIAL_LAST, SECOND);
	give(a, "m2", 4, 0, SECOND);
	give(a, "m3", 4, 0, SECOND);
	cluster_subtotal_blame(a, "liar", "why not");
	struct cluster_told told = tell(a, 9, 9 * SECOND);
	struct cluster_told_read read = {0};
	struct cluster_message m;
	size_t size;
	void *bytes = cluster_told_write(&told, 2, &size);
	cr_assert(read_bytes(bytes, size, &m, &read));
	cr_expect_eq(((const Ward__Cluster__Sum *)m.m)->unit, 2);
	cr_expect(read.told.combiner == A && read.told.term == 9 && read.told.sequence == told.sequence);
	cr_assert(read.told.live.n == 2 && read.told.closed.n == 1 && read.told.n_singles == 3);
	cr_expect_str_eq(read.told.closed.at[0].machine, "m1.example");
	cr_expect_eq(read.told.live.at[1].events, 400);
	cr_expect(read.told.live.size == told.live.size &&
		  memcmp(read.told.live.bytes, told.live.bytes, told.live.size) == 0);
	cr_expect_str_eq(read.told.singles[2].of.machine, "m3");
	cr_assert_eq(read.told.n_blames, 1);
	cr_expect_str_eq(read.told.blames[0].reason, "why not");
	cluster_told_free(&read);
	cluster_message_free(&m);
	free(bytes);
	cluster_subtotal_free(a);
}

/* Columns that don't agree, names that are none: each is refused, and so are bytes that were changed at random. */
Test(settle, columns_agree_and_names_are_names) /* C-161 */
{
	cluster_subtotal *a = new_combiner(A);
	struct cluster_told_read read = {0};
	struct cluster_message m;
	uint64_t seed = 11;
	size_t size;
	give(a, "m1", 3, 0, SECOND);
	give(a, "m2", 4, WARD_PARTIAL_LAST, SECOND);
	struct cluster_told told = tell(a, 1, 9 * SECOND);
	uint8_t *bytes = cluster_told_write(&told, 0, &size);
	static const char *const names[] = {"M1", "..", "m_", "a:", "al"};
	uint8_t *name = memmem(bytes, size, "m1", 2);
	cr_assert_not_null(name);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		memcpy(name, names[i], 2);
		cr_expect_eq(read_bytes(bytes, size, &m, &read), i == 4, "%s", names[i]);
		cluster_told_free(&read);
		cluster_message_free(&m);
	}
	memcpy(name, "m1", 2);
	for (int which = 0; which < 8; which++) {
		cr_assert(cluster_message_read(&m, &ward__cluster__sum__descriptor, "sum", bytes, size, NULL));
		Ward__Cluster__Sum *sum = (Ward__Cluster__Sum *)m.m;
		size_t *const counts[] = {&sum->live->n_name_size, &sum->live->n_nonce, &sum->live->n_sequence,
			&sum->live->n_events, &sum->live->n_flags, &sum->live->name.len, &sum->n_single_partial,
			&sum->again->n_epoch};
		*counts[which] += which == 7 ? 1 : (size_t)-1;
		cr_expect_not(cluster_told_read(sum, &read, NULL), "%d", which);
		cluster_told_free(&read);
		cluster_message_free(&m);
	}
	cluster_settle *s = new_settle();
	cluster_settle_assign(s, 0, 1, A);
	for (int i = 0; i < 20000; i++) {
		uint8_t changed[4096];
		cr_assert_leq(size, sizeof(changed));
		memcpy(changed, bytes, size);
		for (int k = 0; k < 3; k++)
			changed[merge_draw(&seed, size)] ^= (uint8_t)(1 + merge_draw(&seed, 255));
		if (read_bytes(changed, size, &m, &read))
			cluster_settle_take(s, 0, &read.told, SECOND, SECOND, NULL);
		cluster_told_free(&read);
		cluster_message_free(&m);
	}
	free(bytes);
	cluster_settle_free(s);
	cluster_subtotal_free(a);
}

Test(settle, an_answer_is_read_as_it_was_written)
{
	struct cluster_epoch settled = {.machine = "m1.example", .epoch = 4, .nonce = 5, .sequence = 6},
			     kept = {.machine = "m2", .epoch = 7, .nonce = 8, .sequence = 9};
	const char *out[] = {"liar"};
	struct cluster_answer answer = {&settled, 1, &kept, 1, out, 1};
	struct cluster_answer_message written;
	struct cluster_answer_read read;
	struct cluster_message m;
	size_t size;
	cr_assert(cluster_answer_write(&answer, 3, 1, &written));
	void *bytes = cluster_message_write(&written.m.base, &size);
	cr_assert(cluster_message_read(&m, &ward__cluster__answer__descriptor, "answer", bytes, size, NULL));
	cr_assert(cluster_answer_read((const Ward__Cluster__Answer *)m.m, &read, NULL));
	cr_assert(read.answer.n_settled == 1 && read.answer.n_kept == 1 && read.answer.n_out == 1);
	cr_expect_str_eq(read.answer.settled[0].machine, "m1.example");
	cr_expect(read.answer.settled[0].epoch == 4 && read.answer.settled[0].nonce == 5);
	cr_expect(read.answer.kept[0].sequence == 9);
	cr_expect_str_eq(read.answer.out[0], "liar");
	cluster_answer_read_free(&read);
	cluster_message_free(&m);
	cluster_answer_message_free(&written);
	free(bytes);
}
