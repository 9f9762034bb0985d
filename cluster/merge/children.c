/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of a query is the sum, over all (machine, epoch, nonce), of the partial with the highest sequence that has
 * arrived. Messages are cumulative: one that is lost is made good by the next, one that comes twice or late changes
 * nothing. So all that is needed is the latest of each child.
 *
 * Bytes are anybody's. They are read, by the query's schema, before they are kept. A machine whose partials contradict
 * each other is taken out of the result as a whole: none of its numbers can be believed. Memory is bounded by the
 * number of machines that the bus lets in, the epochs that are kept of each, and a budget for all bytes.
 */
#include "children.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "names.h"

static const uint64_t SECOND = 1000000000;
enum { SLACK_SECONDS = 10, MOST_PROCESSORS = 8192, MOST_GROWTH = 64 };
static const size_t ALL_BYTES = (size_t)1 << 30;

/* A machine, and the children that it has had. */
struct machine {
	size_t n, last; /* children; the last one's place, and one */
	bool is_out;
};

struct child {
	struct cluster_child shown;
	void *bytes;
	size_t place;
	size_t before; /* of the same machine: the place of the one before, and one */
};

struct cluster_children {
	struct cluster_children_options options;
	struct child **at;
	size_t n, room;
	uint64_t *changes; /* by block */
	size_t changes_room;
	struct cluster_names names;
	struct machine *machines; /* by the name's number */
	size_t machines_room;
	size_t bytes;
	uint64_t taken[CLUSTER_NO_ROOM + 1];
};

/* ---- machines ---- */

/* The machine's number. SIZE_MAX without memory. */
static size_t machine_add(cluster_children *c, const char *name)
{
	if (!cluster_array_grow(&c->machines, &c->machines_room, c->names.n + 1, sizeof(*c->machines)))
		return SIZE_MAX;
	return cluster_names_add(&c->names, name);
}

static struct child *child_find(const cluster_children *c, const struct machine *m, uint64_t epoch, uint64_t nonce)
{
	for (size_t i = m->last; i; i = c->at[i - 1]->before) {
		const struct ward_partial_notes *notes = &c->at[i - 1]->shown.notes;
		if (notes->epoch == epoch && notes->nonce == nonce)
			return c->at[i - 1];
	}
	return NULL;
}

static void child_changed(cluster_children *c, const struct child *child)
{
	c->changes[child->place / CLUSTER_BLOCK]++;
}

static void machine_put_out(cluster_children *c, struct machine *m)
{
	m->is_out = true;
	for (size_t i = m->last; i; i = c->at[i - 1]->before) {
		c->at[i - 1]->shown.is_out = true;
		child_changed(c, c->at[i - 1]);
	}
}

/* ---- checks ---- */

/* What is being taken. */
struct intake {
	cluster_children *c;
	const struct cluster_sender *sender;
	const void *bytes;
	size_t size;
	uint64_t now_ns;
	ward_partial *partial;
	struct ward_partial_notes notes;
	size_t index; /* of the machine */
	struct machine *machine;
	struct child *child; /* NULL: a new one */
	struct ward_error *err;
};

/* Columns of numbers that are a byte each become rows of words. */
static struct ward_partial_limits child_limits(const cluster_children *c, size_t bytes)
{
	return (struct ward_partial_limits){.size = sizeof(struct ward_partial_limits),
		.bytes = bytes,
		.memory = c->options.child_bytes * MOST_GROWTH};
}

static enum cluster_taken refuse_partial(struct intake *in, const char *why)
{
	cluster_fail(in->err, WARD_E_USAGE, in->sender->machine, "%s", why);
	return CLUSTER_REFUSED;
}

/* C-01, C-02: whose partial it is. */
static enum cluster_taken check_notes(struct intake *in)
{
	const struct cluster_children_options *o = &in->c->options;
	struct ward_partial_limits limits = child_limits(in->c, o->child_bytes);
	if (strnlen(in->sender->machine, CLUSTER_MOST_NAME + 1) - 1 >= CLUSTER_MOST_NAME)
		return refuse_partial(in, "a machine has a name (C-02)");
	if (in->size > o->child_bytes || !in->bytes)
		return refuse_partial(in, "its partial is larger than the query's limit (C-01)");
	if (ward_partial_unpack(o->schema, in->bytes, in->size, &limits, &in->partial, in->err))
		return in->err->status == WARD_E_USAGE ? CLUSTER_REFUSED : CLUSTER_NO_ROOM;
	in->notes = ward_partial_notes(in->partial);
	if (memcmp(in->notes.query, o->query, sizeof(o->query)) != 0)
		return refuse_partial(in, "its partial is of another query (C-02)");
	if (in->notes.epoch == 0 || in->notes.sequence == 0)
		return refuse_partial(in, "epochs and sequences begin with 1 (C-02)");
	if (!ward_partial_has_names(in->partial))
		return refuse_partial(in, "its addresses and sites have no names (C-02)");
	if (!o->is_windowed && in->notes.window)
		return refuse_partial(in, "the query has no windows (C-02)");
	return CLUSTER_TAKEN;
}

static enum cluster_taken contradict(struct intake *in, const char *why)
{
	cluster_fail(in->err, WARD_E_USAGE, in->sender->machine, "%s", why);
	cluster_hint(
		in->err, "%s", "it is out of the result; its agent, or a process that writes to the states, is wrong");
	return CLUSTER_INCONSISTENT;
}

/* C-06: so many events can't have happened since the query began. */
static bool are_possible(const struct intake *in)
{
	uint64_t began = in->c->options.began_ns;
	uint64_t seconds = (in->now_ns > began ? in->now_ns - began : 0) / SECOND + SLACK_SECONDS, most;
	uint32_t processors = in->sender->processors;
	if (processors == 0 || processors > MOST_PROCESSORS)
		processors = MOST_PROCESSORS;
	return __builtin_mul_overflow(seconds, (uint64_t)processors * SECOND, &most) || in->notes.events <= most;
}

/* C-05: what only rises hasn't fallen. */
static enum cluster_taken check_follows(struct intake *in)
{
	ward_partial *before;
	struct ward_error err;
	int status = cluster_child_read(in->c, &in->child->shown, 0, &before, in->err);
	if (status)
		return CLUSTER_NO_ROOM;
	status = ward_partial_follows(before, in->partial, &err);
	ward_partial_free(before);
	if (status == WARD_OK)
		return CLUSTER_TAKEN;
	cluster_fail(in->err, WARD_E_USAGE, in->sender->machine, "%s (C-05)", err.why);
	cluster_hint(
		in->err, "%s", "it is out of the result; its agent, or a process that writes to the states, is wrong");
	return CLUSTER_INCONSISTENT;
}

/* C-03 to C-07: is it newer than what there is, and can it be so? */
static enum cluster_taken check_child(struct intake *in)
{
	const struct cluster_child *was = in->child ? &in->child->shown : NULL;
	if (in->machine->is_out)
		return contradict(in, "it has contradicted itself before (C-05)");
	if (was && (was->is_dropped || in->notes.sequence <= was->notes.sequence)) {
		cluster_fail(in->err, WARD_OK, in->sender->machine, "there is a newer one (C-03)");
		return CLUSTER_OLD;
	}
	if (was && was->notes.flags & WARD_PARTIAL_LAST)
		return contradict(in, "it goes on behind its last value (C-04)");
	if (!are_possible(in))
		return contradict(in, "it says more events than its processors can have run (C-06)");
	if (!was && in->machine->n >= CLUSTER_MOST_EPOCHS) {
		cluster_fail(in->err, WARD_E_SYSTEM, in->sender->machine,
			"it has begun anew %d times: no more epochs are taken (C-07)", CLUSTER_MOST_EPOCHS);
		return CLUSTER_NO_ROOM;
	}
	return was && !in->c->options.is_windowed ? check_follows(in) : CLUSTER_TAKEN;
}

/* ---- keeping ---- */

/* C-08: what is beyond the budget of all is cut, or isn't taken. The bytes are the caller's own copy. */
static void *copy_bytes(struct intake *in, size_t *size)
{
	const cluster_children *c = in->c;
	size_t used = c->bytes - (in->child ? in->child->shown.size : 0), left = c->options.bytes - used;
	void *bytes;
	*size = in->size;
	if (in->size > left) {
		struct ward_partial_limits limits = child_limits(c, left);
		if (left == 0 || ward_partial_pack(in->partial, &limits, &bytes, size, in->err))
			return NULL;
		in->notes.flags |= WARD_PARTIAL_CUT;
		return bytes;
	}
	bytes = malloc(in->size);
	if (bytes)
		memcpy(bytes, in->bytes, in->size);
	return bytes;
}

static struct child *child_make(struct intake *in)
{
	cluster_children *c = in->c;
	struct child *child = NULL;
	if (!cluster_array_grow(&c->at, &c->room, c->n + 1, sizeof(struct child *)) ||
		!cluster_array_grow(&c->changes, &c->changes_room, c->n / CLUSTER_BLOCK + 1, sizeof(uint64_t)) ||
		!(child = calloc(1, sizeof(*child))))
		return NULL;
	child->shown.machine = c->names.at[in->index];
	child->shown.machine_index = in->index;
	child->shown.first_ns = in->now_ns;
	child->shown.place = c->n;
	child->before = in->machine->last;
	child->place = c->n;
	if (c->n % CLUSTER_BLOCK == 0)
		c->changes[c->n / CLUSTER_BLOCK] = 0;
	c->at[c->n++] = child;
	in->machine->last = c->n;
	in->machine->n++;
	return child;
}

static enum cluster_taken keep_bytes(struct intake *in)
{
	size_t size;
	void *bytes = copy_bytes(in, &size);
	if (bytes && !in->child)
		in->child = child_make(in);
	if (!bytes || !in->child) {
		free(bytes);
		cluster_fail(in->err, WARD_E_SYSTEM, in->sender->machine,
			"there is no room for its partial: all have %zu bytes of %zu (C-08)", in->c->bytes,
			in->c->options.bytes);
		return CLUSTER_NO_ROOM;
	}
	struct child *child = in->child;
	in->c->bytes += size - child->shown.size;
	free(child->bytes);
	child->bytes = bytes;
	child->shown.bytes = bytes;
	child->shown.size = size;
	child->shown.notes = in->notes;
	child->shown.heard_ns = in->now_ns;
	child_changed(in->c, child);
	return CLUSTER_TAKEN;
}

static enum cluster_taken find_machine(struct intake *in)
{
	in->index = machine_add(in->c, in->sender->machine);
	if (in->index == SIZE_MAX) {
		cluster_no_memory(in->err);
		return CLUSTER_NO_ROOM;
	}
	in->machine = &in->c->machines[in->index];
	in->child = child_find(in->c, in->machine, in->notes.epoch, in->notes.nonce);
	return CLUSTER_TAKEN;
}

enum cluster_taken cluster_children_take(cluster_children *c, const struct cluster_sender *sender, const void *bytes,
	size_t size, uint64_t now_ns, const struct cluster_child **child, struct ward_error *err)
{
	struct ward_error own;
	struct intake in = {.c = c, .sender = sender, .bytes = bytes, .size = size, .now_ns = now_ns};
	in.err = err ? err : &own;
	memset(in.err, 0, sizeof(*in.err));
	enum cluster_taken how = check_notes(&in);
	if (how == CLUSTER_TAKEN)
		how = find_machine(&in);
	if (how == CLUSTER_TAKEN)
		how = check_child(&in);
	if (how == CLUSTER_INCONSISTENT)
		machine_put_out(c, in.machine);
	if (how == CLUSTER_TAKEN)
		how = keep_bytes(&in);
	if (child)
		*child = in.child ? &in.child->shown : NULL;
	ward_partial_free(in.partial);
	c->taken[how]++;
	return how;
}

/* ---- all of them ---- */

cluster_children *cluster_children_new(const struct cluster_children_options *options)
{
	cluster_children *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->options = *options;
	if (!c->options.child_bytes)
		c->options.child_bytes = CLUSTER_CHILD_BYTES;
	if (c->options.child_bytes > WARD_PARTIAL_MOST_BYTES)
		c->options.child_bytes = WARD_PARTIAL_MOST_BYTES;
	if (!c->options.bytes)
		c->options.bytes = ALL_BYTES;
	return c;
}

void cluster_children_free(cluster_children *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++) {
		free(c->at[i]->bytes);
		free(c->at[i]);
	}
	cluster_names_free(&c->names);
	free(c->machines);
	free(c->changes);
	free(c->at);
	free(c);
}

static struct child *child_of(const cluster_children *c, const char *machine, uint64_t epoch, uint64_t nonce)
{
	size_t index = cluster_names_find(&c->names, machine);
	return index == SIZE_MAX ? NULL : child_find(c, &c->machines[index], epoch, nonce);
}

bool cluster_children_settle(cluster_children *c, const char *machine, uint64_t epoch, uint64_t nonce)
{
	struct child *child = child_of(c, machine, epoch, nonce);
	if (!child || !(child->shown.notes.flags & WARD_PARTIAL_LAST))
		return false;
	child->shown.is_settled = true;
	return true;
}

bool cluster_children_drop(cluster_children *c, const char *machine, uint64_t epoch, uint64_t nonce, uint64_t now_ns)
{
	struct intake in = {.c = c, .now_ns = now_ns, .notes = {.epoch = epoch, .nonce = nonce}};
	in.index = machine_add(c, machine);
	if (in.index == SIZE_MAX)
		return false;
	in.machine = &c->machines[in.index];
	struct child *child = child_find(c, in.machine, epoch, nonce);
	if (!child) {
		child = child_make(&in);
		if (!child)
			return false;
		child->shown.notes = in.notes;
	}
	c->bytes -= child->shown.size;
	free(child->bytes);
	child->bytes = NULL;
	child->shown.bytes = NULL;
	child->shown.size = 0;
	child->shown.is_dropped = true;
	child_changed(c, child);
	return true;
}

size_t cluster_children_epochs(const cluster_children *c, const char *machine)
{
	size_t index = cluster_names_find(&c->names, machine);
	return index == SIZE_MAX ? 0 : c->machines[index].n;
}

bool cluster_children_put_out(cluster_children *c, const char *machine)
{
	size_t index = machine_add(c, machine);
	if (index != SIZE_MAX)
		machine_put_out(c, &c->machines[index]);
	return index != SIZE_MAX;
}

size_t cluster_children_count(const cluster_children *c)
{
	return c->n;
}

const struct cluster_child *cluster_children_at(const cluster_children *c, size_t i)
{
	return i < c->n ? &c->at[i]->shown : NULL;
}

const struct cluster_child *cluster_children_find(
	const cluster_children *c, const char *machine, uint64_t epoch, uint64_t nonce)
{
	const struct child *child = child_of(c, machine, epoch, nonce);
	return child ? &child->shown : NULL;
}

uint64_t cluster_children_changes(const cluster_children *c, size_t block)
{
	return block * CLUSTER_BLOCK < c->n ? c->changes[block] : 0;
}

uint64_t cluster_children_taken(const cluster_children *c, enum cluster_taken how)
{
	return c->taken[how];
}

size_t cluster_children_bytes(const cluster_children *c)
{
	return c->bytes;
}

const struct cluster_children_options *cluster_children_options(const cluster_children *c)
{
	return &c->options;
}

int cluster_child_read(const cluster_children *c, const struct cluster_child *child, size_t memory, ward_partial **out,
	struct ward_error *err)
{
	struct ward_partial_limits limits = child_limits(c, WARD_PARTIAL_MOST_BYTES);
	limits.memory = memory > limits.memory ? memory : limits.memory;
	return ward_partial_unpack(c->options.schema, child->bytes, child->size, &limits, out, err);
}
