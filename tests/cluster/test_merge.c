/* SPDX-License-Identifier: Apache-2.0 */
/* The latest partial of each child, their sum, and who is in it: also of what is lost, late, twice, or a lie. */
#include <stdio.h>

#include "cluster/merge/total.h"
#include "merge_shape.h"

static const uint64_t SECOND = 1000000000;

static cluster_children *new_children(size_t bytes)
{
	struct cluster_children_options options = {
		.schema = &shape_schema, .query = QUERY, .began_ns = 1000 * SECOND, .bytes = bytes};
	cluster_children *c = cluster_children_new(&options);
	cr_assert_not_null(c);
	return c;
}

/* Send the partial, which is freed. */
static enum cluster_taken send(
	cluster_children *c, const char *machine, ward_partial *p, uint64_t epoch, uint64_t sequence, uint32_t flags)
{
	struct cluster_sender sender = {.machine = machine, .processors = 4};
	struct ward_error err;
	size_t size;
	void *bytes = merge_pack(p, epoch, epoch * 7, sequence, flags, 0, &size);
	enum cluster_taken how = cluster_children_take(c, &sender, bytes, size, (1000 + sequence) * SECOND, NULL, &err);
	cr_expect(how == CLUSTER_TAKEN || err.why[0]);
	free(bytes);
	ward_partial_free(p);
	return how;
}

static ward_partial *total_of(
	const cluster_children *c, const struct cluster_total_options *options, struct cluster_total *total)
{
	struct ward_error err = {0};
	cr_assert_eq(cluster_total_take(c, options, total, &err), 0, "%s: %s", err.what, err.why);
	return total->partial;
}

static void add_to(ward_partial **sum, ward_partial *p)
{
	struct ward_error err;
	if (!*sum) {
		*sum = p;
		return;
	}
	cr_assert_eq(ward_partial_add(*sum, p, &err), 0, "%s", err.why);
	ward_partial_free(p);
}

/* Partials of 5 machines with up to 3 epochs each come in any order, some twice, some never. */
Test(merge, the_sum_is_that_of_the_latest_of_each_epoch)
{
	enum { MACHINES = 5, EPOCHS = 3, SEQUENCES = 6 };
	for (uint64_t round = 1; round <= 40; round++) {
		uint64_t seed = round * 77777;
		unsigned latest[MACHINES][EPOCHS] = {{0}};
		cluster_children *c = new_children(0);
		ward_partial *sum = NULL;
		struct cluster_total total;
		for (unsigned i = 0; i < 60; i++) {
			unsigned m = (unsigned)merge_draw(&seed, MACHINES), e = (unsigned)merge_draw(&seed, EPOCHS);
			unsigned sequence = 1 + (unsigned)merge_draw(&seed, SEQUENCES);
			char name[16];
			snprintf(name, sizeof(name), "web%u", m);
			enum cluster_taken how = send(c, name, merge_partial(m * 10 + e, sequence), e + 1, sequence, 0);
			cr_assert_eq(how, sequence > latest[m][e] ? CLUSTER_TAKEN : CLUSTER_OLD);
			latest[m][e] = sequence > latest[m][e] ? sequence : latest[m][e];
		}
		size_t n = 0;
		for (unsigned i = 0; i < MACHINES * EPOCHS; i++) {
			unsigned m = i / EPOCHS, e = i % EPOCHS;
			n += latest[m][e] != 0;
			if (latest[m][e])
				add_to(&sum, merge_partial(m * 10 + e, latest[m][e]));
		}
		total_of(c, NULL, &total);
		cr_assert(merge_equal(total.partial, sum), "round %u", (unsigned)round);
		cr_assert_eq(total.cover.n, n);
		cr_assert_eq(cluster_children_count(c), n);
		for (size_t i = 0; i < total.cover.n; i++) {
			const struct cluster_covered *in = &total.cover.at[i];
			cr_assert_eq(in->sequence, latest[in->machine[3] - '0'][in->epoch - 1]);
		}
		cluster_total_free(&total);
		cluster_children_free(c);
		ward_partial_free(sum);
	}
}

Test(merge, without_a_machine_the_sum_is_that_of_the_others)
{
	static const char *const without[] = {"b"};
	struct cluster_total_options options = {.without = without, .n_without = 1}, only = {.only = "b"};
	cluster_children *c = new_children(0);
	struct cluster_total total;
	ward_partial *others = NULL, *b = merge_partial(50, 3);
	cr_assert_eq(send(c, "a", merge_partial(1, 2), 1, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "b", merge_partial(50, 3), 1, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "c", merge_partial(90, 2), 1, 1, 0), CLUSTER_TAKEN);
	add_to(&others, merge_partial(1, 2));
	add_to(&others, merge_partial(90, 2));
	cr_expect(merge_equal(total_of(c, &options, &total), others));
	cr_expect_eq(total.cover.machines, 2);
	cr_expect_eq(total.cover.left_out, 1);
	cluster_total_free(&total);
	cr_expect(merge_equal(total_of(c, &only, &total), b));
	cluster_total_free(&total);
	add_to(&others, b);
	cr_expect(merge_equal(total_of(c, NULL, &total), others));
	cluster_total_free(&total);
	ward_partial_free(others);
	cluster_children_free(c);
}

Test(merge, of_nobody_the_sum_is_nothing)
{
	cluster_children *c = new_children(0);
	struct cluster_total total;
	ward_snapshot *s;
	cr_assert_eq(ward_partial_finish(total_of(c, NULL, &total), &s, NULL), 0);
	cr_expect_eq(ward_snapshot_field(s, 0)->value, 0);
	cr_expect_eq(total.cover.n, 0);
	cr_expect_eq(cluster_cover_behind(&total.cover, 5), 0);
	ward_snapshot_free(s);
	cluster_total_free(&total);
	cluster_children_free(c);
}

/* Each is refused, and changes no number of others. */
Test(merge, c01_c02_what_is_no_partial_of_the_query_is_refused)
{
	cluster_children *c = new_children(0);
	struct cluster_sender sender = {.machine = "b"}, nobody = {.machine = ""};
	struct cluster_total total;
	struct ward_error err;
	const struct cluster_child *child;
	ward_partial *p = merge_partial(1, 2), *unnamed;
	static struct shape_state state;
	const void *states[] = {&state};
	size_t size;
	cr_assert_eq(send(c, "a", merge_partial(1, 2), 1, 1, 0), CLUSTER_TAKEN);
	void *bytes = merge_pack(p, 0, 1, 1, 0, 0, &size);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 0, &child, &err), CLUSTER_REFUSED);
	cr_expect(strstr(err.why, "begin with 1 (C-02)"), "%s", err.why);
	cr_expect_null(child);
	free(bytes);
	bytes = merge_pack(p, 1, 1, 1, 0, 3, &size);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 0, NULL, &err), CLUSTER_REFUSED);
	cr_expect(strstr(err.why, "no windows (C-02)"), "%s", err.why);
	free(bytes);
	bytes = merge_pack(p, 1, 1, 1, 0, 0, &size);
	cr_expect_eq(cluster_children_take(c, &nobody, bytes, size, 0, NULL, &err), CLUSTER_REFUSED);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size - 1, 0, NULL, &err), CLUSTER_REFUSED);
	cr_expect(strstr(err.why, "(W-"), "%s", err.why);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, CLUSTER_CHILD_BYTES + 1, 0, NULL, &err), CLUSTER_REFUSED);
	cr_expect(strstr(err.why, "(C-01)"), "%s", err.why);
	free(bytes);
	shape_fill(&state, 1);
	cr_assert_eq(ward_partial_merge(&shape_schema, NULL, states, 1, sizeof(state), NULL, &unnamed, NULL), 0);
	bytes = merge_pack(unnamed, 1, 1, 1, 0, 0, &size);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 0, NULL, &err), CLUSTER_REFUSED);
	cr_expect(strstr(err.why, "no names (C-02)"), "%s", err.why);
	free(bytes);
	struct ward_partial_notes other = {.size = sizeof(other), .query = "another", .epoch = 1, .sequence = 1};
	cr_assert_eq(ward_partial_note(p, &other, NULL), 0);
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, &size, NULL), 0);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 0, NULL, &err), CLUSTER_REFUSED);
	cr_expect(strstr(err.why, "another query (C-02)"), "%s", err.why);
	free(bytes);
	cr_expect(merge_equal(total_of(c, NULL, &total), p));
	cr_expect_eq(total.cover.n, 1);
	cr_expect_eq(cluster_children_taken(c, CLUSTER_REFUSED), 7);
	cluster_total_free(&total);
	ward_partial_free(unnamed);
	ward_partial_free(p);
	cluster_children_free(c);
}

/* A machine that contradicts itself is out as a whole, for good; the others' sum is what it was. */
static void expect_out(
	cluster_children *c, const char *rule, ward_partial *p, uint64_t sequence, uint32_t flags, uint64_t events)
{
	struct cluster_sender sender = {.machine = "liar", .processors = 2};
	struct ward_partial_notes notes = {.size = sizeof(notes),
		.query = QUERY,
		.epoch = 1,
		.nonce = 7,
		.sequence = sequence,
		.flags = flags,
		.events = events};
	struct ward_error err;
	struct cluster_total total;
	void *bytes;
	size_t size;
	ward_partial *honest = merge_partial(1, 2);
	cr_assert_eq(ward_partial_note(p, &notes, NULL), 0);
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, &size, NULL), 0);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 1010 * SECOND, NULL, &err), CLUSTER_INCONSISTENT);
	cr_expect(strstr(err.why, rule), "%s: %s", rule, err.why);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 1011 * SECOND, NULL, &err), CLUSTER_INCONSISTENT);
	cr_expect(merge_equal(total_of(c, NULL, &total), honest));
	cr_expect_eq(total.cover.machines, 1);
	free(bytes);
	cluster_total_free(&total);
	ward_partial_free(honest);
	ward_partial_free(p);
	cluster_children_free(c);
}

static cluster_children *with_liar(uint32_t flags)
{
	cluster_children *c = new_children(0);
	cr_assert_eq(send(c, "honest", merge_partial(1, 2), 1, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "liar", merge_partial(30, 4), 1, 2, flags), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "liar", merge_partial(40, 4), 2, 2, 0), CLUSTER_TAKEN);
	return c;
}

Test(merge, c04_nothing_comes_behind_a_last_value)
{
	expect_out(with_liar(WARD_PARTIAL_LAST), "(C-04)", merge_partial(30, 5), 3, 0, 300);
}

Test(merge, c05_what_was_counted_does_not_become_less)
{
	expect_out(with_liar(0), "(C-05)", merge_partial(30, 3), 3, 0, 300);
	expect_out(with_liar(0), "events: what was counted has become less (C-05)", merge_partial(30, 5), 3, 0, 199);
}

/* Two processors, and ten seconds, and ten more that nobody is sure of. */
Test(merge, c06_more_events_than_can_have_happened)
{
	expect_out(with_liar(0), "(C-06)", merge_partial(30, 5), 3, 0, 41 * SECOND);
	cluster_children *c = with_liar(0);
	struct cluster_sender sender = {.machine = "liar", .processors = 2};
	struct ward_partial_notes notes = {
		.size = sizeof(notes), .query = QUERY, .epoch = 1, .nonce = 7, .sequence = 3};
	ward_partial *p = merge_partial(30, 5);
	void *bytes;
	size_t size;
	notes.events = 40 * SECOND;
	cr_assert_eq(ward_partial_note(p, &notes, NULL), 0);
	cr_assert_eq(ward_partial_pack(p, NULL, &bytes, &size, NULL), 0);
	cr_expect_eq(cluster_children_take(c, &sender, bytes, size, 1010 * SECOND, NULL, NULL), CLUSTER_TAKEN);
	free(bytes);
	ward_partial_free(p);
	cluster_children_free(c);
}

Test(merge, c07_epochs_of_a_machine_are_limited)
{
	cluster_children *c = new_children(0);
	for (uint64_t epoch = 1; epoch <= CLUSTER_MOST_EPOCHS; epoch++)
		cr_assert_eq(send(c, "a", merge_partial(1, 1), epoch, 1, 0), CLUSTER_TAKEN);
	cr_expect_eq(send(c, "a", merge_partial(1, 1), CLUSTER_MOST_EPOCHS + 1, 1, 0), CLUSTER_NO_ROOM);
	cr_expect_eq(send(c, "a", merge_partial(1, 2), 3, 2, 0), CLUSTER_TAKEN);
	cr_expect_eq(cluster_children_count(c), (size_t)CLUSTER_MOST_EPOCHS);
	cluster_children_free(c);
}

/* What is beyond the budget is cut, and says so; then it isn't taken. What is there stays. */
Test(merge, c08_all_together_have_a_budget)
{
	ward_partial *one = merge_partial(1, 3);
	struct cluster_total total;
	uint64_t taken = 0;
	size_t size;
	free(merge_pack(one, 1, 1, 1, 0, 0, &size));
	ward_partial_free(one);
	size_t budget = 3 * size + size * 3 / 4;
	cluster_children *c = new_children(budget);
	for (unsigned i = 0; i < 40; i++) {
		char name[16];
		snprintf(name, sizeof(name), "m%u", i);
		taken += send(c, name, merge_partial(1, 3), 1, 1, 0) == CLUSTER_TAKEN;
		cr_assert(cluster_children_bytes(c) <= budget);
	}
	cr_expect_eq(taken, 4);
	cr_expect_eq(cluster_children_at(c, 3)->notes.flags, WARD_PARTIAL_CUT);
	cr_expect_eq(cluster_children_taken(c, CLUSTER_NO_ROOM), 40 - taken);
	total_of(c, NULL, &total);
	cr_expect_eq(total.cover.n, taken);
	cr_expect_eq(ward_partial_notes(total.partial).flags, WARD_PARTIAL_CUT);
	cluster_total_free(&total);
	cluster_children_free(c);
}

/* A sum without room is cut, and its counts stay what they are. */
Test(merge, a_sum_without_room_is_cut)
{
	struct cluster_total_options options = {.memory = 40000};
	cluster_children *c = new_children(0);
	struct cluster_total whole, small;
	ward_snapshot *a, *b;
	for (unsigned i = 0; i < 20; i++) {
		char name[16];
		snprintf(name, sizeof(name), "m%u", i);
		cr_assert_eq(send(c, name, merge_partial(i * 100, 8), 1, 1, 0), CLUSTER_TAKEN);
	}
	cr_assert_eq(ward_partial_finish(total_of(c, NULL, &whole), &a, NULL), 0);
	cr_assert_eq(ward_partial_finish(total_of(c, &options, &small), &b, NULL), 0);
	cr_expect_eq(whole.cut, 0);
	cr_expect_eq(ward_snapshot_field(a, SHAPE_CALLS)->value, ward_snapshot_field(b, SHAPE_CALLS)->value);
	cr_expect(ward_partial_memory(whole.partial) > 0);
	ward_snapshot_free(a);
	ward_snapshot_free(b);
	cluster_total_free(&whole);
	cluster_total_free(&small);
	cluster_children_free(c);
}

Test(merge, only_last_values_are_settled)
{
	cluster_children *c = new_children(0);
	cr_assert_eq(send(c, "a", merge_partial(1, 2), 1, 1, 0), CLUSTER_TAKEN);
	cr_expect_not(cluster_children_settle(c, "a", 1, 7));
	cr_assert_eq(send(c, "a", merge_partial(1, 3), 1, 2, WARD_PARTIAL_LAST), CLUSTER_TAKEN);
	cr_expect_not(cluster_children_settle(c, "a", 1, 8));
	cr_expect_not(cluster_children_settle(c, "b", 1, 7));
	cr_expect(cluster_children_settle(c, "a", 1, 7));
	cr_expect(cluster_children_at(c, 0)->is_settled);
	cr_expect_null(cluster_children_at(c, 1));
	/* its acknowledgement was lost: it comes again */
	cr_expect_eq(send(c, "a", merge_partial(1, 3), 1, 2, WARD_PARTIAL_LAST), CLUSTER_OLD);
	cluster_children_free(c);
}

/* Behind is who is still to send something: the newest epoch of each machine, unless it is over. */
Test(merge, the_cover_says_how_far_behind_it_is)
{
	cluster_children *c = new_children(0);
	struct cluster_total total;
	size_t n;
	cr_assert_eq(send(c, "b", merge_partial(1, 2), 1, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "b", merge_partial(2, 2), 2, 5, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "a", merge_partial(3, 2), 1, 2, WARD_PARTIAL_LAST), CLUSTER_TAKEN);
	total_of(c, NULL, &total);
	cr_expect_eq(cluster_cover_behind(&total.cover, 1008 * SECOND), 3 * SECOND);
	cr_expect_eq(total.cover.machines, 2);
	cr_expect_eq(total.cover.events, 800);
	const struct cluster_covered *b = cluster_cover_find(&total.cover, "b", &n);
	cr_assert(b && n == 2);
	cr_expect(b[0].epoch == 1 && b[1].epoch == 2 && b[1].sequence == 5 && b[1].since_ns == 1005 * SECOND);
	cr_expect_null(cluster_cover_find(&total.cover, "c", &n));
	cluster_total_free(&total);
	cluster_children_free(c);
}

static const char *call_rack(void *user, const char *machine)
{
	(void)user;
	return machine[0] == 'a' ? "rack 1" : "rack 2";
}

/* By machine each has what it has alone; by a label, what those with it have together. */
Test(merge, by_machine_and_by_label)
{
	cluster_children *c = new_children(0);
	ward_schema *by = NULL;
	struct cluster_total total;
	ward_snapshot *s;
	cr_assert_eq(ward_schema_by(&shape_schema, "machine", &by, NULL), 0);
	struct cluster_total_options options = {.by = by}, labels = {.by = by, .call = call_rack};
	cr_assert_eq(send(c, "a", merge_partial(1, 2), 1, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "b", merge_partial(50, 3), 1, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "b", merge_partial(70, 1), 2, 1, 0), CLUSTER_TAKEN);
	cr_assert_eq(send(c, "ac", merge_partial(90, 2), 1, 1, 0), CLUSTER_TAKEN);
	for (int i = 0; i < 2; i++) {
		ward_partial *whole = total_of(c, NULL, &total);
		cr_assert_eq(ward_partial_finish(whole, &s, NULL), 0);
		uint64_t calls = ward_snapshot_field(s, SHAPE_CALLS)->value, sum = 0;
		ward_snapshot_free(s);
		cluster_total_free(&total);
		cr_assert_eq(ward_partial_finish(total_of(c, i ? &labels : &options, &total), &s, NULL), 0);
		const struct ward_field *f = ward_snapshot_field(s, SHAPE_CALLS);
		cr_assert_eq(f->n, i ? 2u : 3u);
		for (size_t k = 0; k < f->n; k++)
			sum += f->entries[k].value;
		cr_expect_eq(sum, calls);
		ward_snapshot_free(s);
		cluster_total_free(&total);
	}
	cluster_children_free(c);
	ward_schema_free(by);
}

/* Sums of blocks, made at any time or not at all, are the same as the sum of all, whatever comes in between. */
Test(merge, sums_of_blocks_are_the_sum_of_all)
{
	enum { MACHINES = 3 * CLUSTER_BLOCK / 2, SENT = 3000 };
	unsigned sent[MACHINES] = {0};
	uint64_t seed = 4711, worked = 0;
	cluster_children *c = new_children(0);
	cluster_sums *sums = cluster_sums_new(c);
	struct cluster_total_options options = {.sums = sums};
	struct cluster_total all, by_blocks;

	for (unsigned i = 0; i < SENT; i++) {
		unsigned m = i < MACHINES ? i : (unsigned)merge_draw(&seed, MACHINES);
		char name[16];

		snprintf(name, sizeof(name), "web%u", m);
		send(c, name, merge_partial(m, 1 + sent[m] % 8), 1 + sent[m] / 8, 1 + sent[m] % 8, 0);
		sent[m]++;
		if (merge_draw(&seed, 40) == 0)
			worked += cluster_sums_work(sums);
		if (i % 500 == 250)
			cluster_children_put_out(c, name);
		if (i % 250 != 249)
			continue;
		total_of(c, NULL, &all);
		total_of(c, &options, &by_blocks);
		cr_assert(merge_equal(all.partial, by_blocks.partial), "after %u", i);
		cr_expect_eq(all.cover.n, by_blocks.cover.n);
		cr_expect_eq(all.cover.left_out, by_blocks.cover.left_out);
		cluster_total_free(&all);
		cluster_total_free(&by_blocks);
	}
	cr_expect_gt(worked, 0);
	cluster_sums_free(sums);
	cluster_children_free(c);
}
