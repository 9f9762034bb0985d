/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a coordinator hears. The bus vouches for the name in a subject, and for nothing else. A message that isn't what
 * its subject says is refused, counted, and changes nothing. Machines are called by their host names from here on.
 */
#include "run_tree.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/wire/choice.h"
#include "cluster/wire/refuse.h"

#define CLOCK_TOLERANCE 0.002

static const uint64_t MILLISECOND = 1000000;

/* ---- hellos ---- */

static bool hello_is_chosen(const struct cluster_run *r, const Ward__Cluster__Hello *m, const char *host)
{
	return (!m->has_cluster || cluster_bytes_equal(m->cluster, r->body->cluster.data, r->body->cluster.len)) &&
	       cluster_hello_fits(m, host, r->body->choice, r->query);
}

static int machine_choose(struct cluster_run *r, const char *host, enum cluster_known known, struct ward_error *err)
{
	struct cluster_entry entry = {.kind = CLUSTER_ENTRY_MACHINE, .number = known, .name = host};
	const struct cluster_fleet_machine *before = cluster_fleet_find(r->fleet, host);

	if (before && before->known == known)
		return 0;
	if (!cluster_fleet_choose(r->fleet, host, known, r->now.ns))
		return cluster_no_memory(err);
	run_journal_put(r, &entry); /* it may be lost: the machine says hello again */
	return 0;
}

static int hello_take(struct cluster_run *r, const char *host, const Ward__Cluster__Hello *m, struct ward_error *err)
{
	char said[CLUSTER_NAME], name[CLUSTER_NAME], from[CLUSTER_NAME];
	uint32_t processors = m->has_processors && m->processors < UINT32_MAX ? (uint32_t)m->processors : 0;
	int rc = 0;

	cluster_text(m->machine.data, m->machine.len, said, sizeof(said));
	if (!cluster_name_from_host(said, name) || !cluster_name_from_host(host, from) || strcmp(name, from) != 0) {
		r->refused++;
		return 0;
	}
	if (hello_is_chosen(r, m, host))
		rc = machine_choose(r, host, CLUSTER_ANSWERED, err);
	if (!rc && cluster_fleet_find(r->fleet, host) && !cluster_labels_put(&r->labels, host, m))
		rc = cluster_no_memory(err);
	if (!rc && !cluster_fleet_hear(r->fleet, host, m->nonce, processors, r->now.ns))
		rc = cluster_no_memory(err);
	return rc;
}

/* ---- other coordinators ---- */

/* What combiners send depends on what their coordinator has settled: nobody can look on there. */
static void look_begin(struct cluster_run *r)
{
	r->is_looking = true;
	r->phase = r->tree ? CLUSTER_OVER : CLUSTER_TAKEN_OVER;
	r->other_ns = r->now.ns;
}

/* C-93: who attaches last has the query. Until machines have heard of it, they name the one before. */
static void term_raise(struct cluster_run *r, uint64_t coordinator, uint64_t term)
{
	struct cluster_entry entry = {.kind = CLUSTER_ENTRY_TERM, .name = ""};

	if (!cluster_beat_raise(&r->beat, coordinator, term))
		return;
	entry.number = r->beat.options.term;
	run_journal_put(r, &entry); /* it may be lost: it is found again */
}

/* Another one has the query. */
static void rival_hear(struct cluster_run *r, uint64_t coordinator, uint64_t term)
{
	if (r->is_again && !r->is_looking && r->now.ns < r->fresh_ns) {
		term_raise(r, coordinator, term);
		return;
	}
	if (cluster_beat_hear(&r->beat, coordinator, term) != CLUSTER_BEAT_NEWER)
		return;
	r->other_ns = r->now.ns;
	if (!r->is_looking && r->phase != CLUSTER_OVER)
		look_begin(r);
}

/*
 * C-132: whose key may take over is each machine's to say. One that follows the other says so in its notes. And one
 * that attaches, and is followed by no machine, has no right to.
 */
static void follower_hear(struct cluster_run *r, const Ward__Cluster__Note *m)
{
	bool is_fresh = r->now.ns < r->fresh_ns, is_own = m->coordinator == r->beat.options.coordinator;

	if (!m->has_term || !m->has_coordinator || r->is_looking)
		return;
	r->is_followed |= is_own;
	for (size_t i = 0; i < RUN_RIVALS; i++)
		if (r->rival[i].term && r->rival[i].term == m->term && r->rival[i].coordinator == m->coordinator)
			rival_hear(r, m->coordinator, m->term);
	if (r->is_again && is_fresh)
		term_raise(r, m->coordinator, m->term);
	else if (r->is_again && !r->is_followed && r->phase == CLUSTER_RUNS)
		look_begin(r);
}

static void rival_keep(struct cluster_run *r, const Ward__Cluster__Beat *beat)
{
	for (size_t i = 0; i < RUN_RIVALS; i++)
		if (r->rival[i].term == beat->term && r->rival[i].coordinator == beat->coordinator)
			return;
	r->rival[r->next_rival++ % RUN_RIVALS] = (struct run_rival){beat->coordinator, beat->term};
}

static void beat_hear(struct cluster_run *r, const Ward__Cluster__Signed *from, const Ward__Cluster__Beat *beat)
{
	bool is_followed =
		r->is_looking && beat->term == r->beat.newer_term && beat->coordinator == r->beat.newer_coordinator;

	if (cluster_bytes_equal(from->key, r->secret->key.key, CLUSTER_KEY) || is_followed)
		rival_hear(r, beat->coordinator, beat->term);
	else
		rival_keep(r, beat);
}

static int beat_take(struct cluster_run *r, const struct bus_message *message)
{
	struct cluster_message envelope = {0}, body = {0};
	const Ward__Cluster__Signed *from;
	const Ward__Cluster__Beat *beat;
	bool ok = cluster_message_read(
		&envelope, &ward__cluster__signed__descriptor, "beat", message->data, message->size, NULL);

	from = (const Ward__Cluster__Signed *)envelope.m;
	ok = ok && from->kind == WARD__CLUSTER__SIGNED__KIND__BEAT && cluster_signed_check(from, NULL) &&
	     cluster_message_read(
		     &body, &ward__cluster__beat__descriptor, "beat", from->body.data, from->body.len, NULL);
	beat = (const Ward__Cluster__Beat *)body.m;
	ok = ok && cluster_bytes_equal(beat->query, r->query, sizeof(r->query));
	if (ok)
		beat_hear(r, from, beat);
	r->refused += !ok;
	cluster_message_free(&body);
	cluster_message_free(&envelope);
	return 0;
}

/* ---- notes ---- */

static int note_take(struct cluster_run *r, const char *host, const Ward__Cluster__Note *m, struct ward_error *err)
{
	static const enum cluster_noted states[] = {
		[WARD__CLUSTER__NOTE__STATE__REFUSED] = CLUSTER_NOTED_REFUSED,
		[WARD__CLUSTER__NOTE__STATE__NO_TARGET] = CLUSTER_NOTED_NO_TARGET,
		[WARD__CLUSTER__NOTE__STATE__ATTACHING] = CLUSTER_NOTED_ATTACHING,
		[WARD__CLUSTER__NOTE__STATE__REPORTING] = CLUSTER_NOTED_REPORTING,
		[WARD__CLUSTER__NOTE__STATE__GUARDED] = CLUSTER_NOTED_GUARDED,
		[WARD__CLUSTER__NOTE__STATE__ENDED] = CLUSTER_NOTED_ENDED,
		[WARD__CLUSTER__NOTE__STATE__UNKNOWN] = CLUSTER_NOTED_UNKNOWN,
	};
	char reason[513], warning[513] = "";
	struct cluster_fleet_note note = {.agent = m->agent,
		.sequence = m->sequence,
		.state = states[m->state], /* C-33: 1 to 7 */
		.reason = reason,
		.warning = warning,
		.missed = m->has_missed ? m->missed : 0,
		.epoch = m->has_epoch ? m->epoch : 0,
		.is_early = m->has_early_ns,
		.early_ns = m->has_early_ns ? m->early_ns : 0,
		.epochs = m->has_epochs && !r->tree ? m->epochs : 0, /* combiners say which ones are in their sums */
		.pause_ns = m->has_pause_ns ? m->pause_ns : 0,
		.overhead_ppm = m->has_overhead_ppm ? m->overhead_ppm : 0};

	follower_hear(r, m);
	cluster_text(m->reason.data, m->reason.len, reason, sizeof(reason));
	if (m->n_warning)
		cluster_text(m->warning[0].data, m->warning[0].len, warning, sizeof(warning));
	return cluster_fleet_note(r->fleet, host, &note, r->now.ns) ? 0 : cluster_no_memory(err);
}

/* ---- partials ---- */

static int machine_blame(struct cluster_run *r, const char *host, const char *why, struct ward_error *err)
{
	for (size_t i = 0; i < r->n_units; i++)
		if (!cluster_children_put_out(r->children[i], host))
			return cluster_no_memory(err);
	run_windows_put_out(r, host);
	return cluster_fleet_blame(r->fleet, host, why, r->now.ns) ? 0 : cluster_no_memory(err);
}

static int last_note(
	struct cluster_run *r, const char *host, const struct cluster_child *child, bool is_new, struct ward_error *err)
{
	if (!cluster_array_grow(&r->last, &r->last_room, r->n_last + 1, sizeof(*r->last)))
		return cluster_no_memory(err);
	struct run_last *last = &r->last[r->n_last];
	*last = (struct run_last){
		.machine = strdup(host), .epoch = child->notes.epoch, .nonce = child->notes.nonce, .is_new = is_new};
	r->n_last += last->machine != NULL;
	return last->machine ? 0 : cluster_no_memory(err);
}

/* What a message's pieces have come to, together. */
struct parts_came {
	const struct cluster_child *child; /* of the last piece that was taken */
	size_t taken, last, settled;
};

static int piece_take(struct cluster_run *r, const char *host, const Ward__Cluster__Piece *piece,
	struct parts_came *came, struct ward_error *err)
{
	const struct cluster_fleet_machine *machine = cluster_fleet_find(r->fleet, host);
	struct cluster_sender sender = {.machine = host, .processors = machine ? machine->processors : 0};
	const struct cluster_child *child = NULL;
	struct ward_error why = {0};
	enum cluster_taken how;

	if (piece->unit >= r->n_units) {
		r->refused++;
		return 0;
	}
	how = cluster_children_take(
		r->children[piece->unit], &sender, piece->partial.data, piece->partial.len, r->now.ns, &child, &why);
	if (how == CLUSTER_REFUSED)
		r->refused++;
	if (how == CLUSTER_INCONSISTENT)
		return machine_blame(r, host, why.why, err);
	if (how != CLUSTER_TAKEN && how != CLUSTER_OLD)
		return 0;
	came->child = child;
	came->taken += how == CLUSTER_TAKEN;
	came->last += (child->notes.flags & WARD_PARTIAL_LAST) != 0;
	came->settled += child->is_settled;
	return 0;
}

/* C-96: both measure their rates, so these differ a little. */
static bool is_clock_alike(const struct cluster_run *r, const Ward__Cluster__Parts *m)
{
	double ratio = m->has_counts_per_us && r->counts_per_us > 0 ? m->counts_per_us / r->counts_per_us : 0;

	return ratio > 1 - CLOCK_TOLERANCE && ratio < 1 + CLOCK_TOLERANCE;
}

static int parts_take(struct cluster_run *r, const char *host, const Ward__Cluster__Parts *m, struct ward_error *err)
{
	struct parts_came came = {0};
	int rc = 0;

	if (r->has_times && !is_clock_alike(r, m))
		return machine_blame(r, host,
			"its time stamp counter has another rate than this computer's, and the numbers are its counts "
			"(C-96)",
			err);
	for (size_t i = 0; i < m->n_piece && !rc; i++)
		rc = piece_take(r, host, m->piece[i], &came, err);
	if (rc || !came.child || came.child->is_out)
		return rc;
	struct ward_error why = {0};
	if (!run_windows_take(r, host, m, &came.child->notes, came.last == m->n_piece, &why))
		return machine_blame(r, host, why.why, err);
	rc = run_records_said(r, host, &came.child->notes, m, err);
	if (rc)
		return rc;
	bool is_last = came.last == m->n_piece, is_settled = came.settled == m->n_piece;
	if (came.taken && !cluster_fleet_part(
				  r->fleet, host, came.child->notes.epoch, came.child->notes.nonce, is_last, r->now.ns))
		return cluster_no_memory(err);
	if (came.taken && !run_epochs_count(r, host))
		return cluster_no_memory(err);
	/* One that is sent again although it is settled: the acknowledgement was lost. */
	return is_last ? last_note(r, host, came.child, !is_settled, err) : 0;
}

/* ---- who wants the order ---- */

/* An order is large: a machine gets it once a second at most. */
static int want_take(struct cluster_run *r, const char *name, struct ward_error *err)
{
	size_t i = cluster_names_add(&r->wanting, name);

	if (i == SIZE_MAX || !cluster_array_grow(&r->wanted_ns, &r->wanted_room, i + 1, sizeof(*r->wanted_ns)))
		return cluster_no_memory(err);
	if (r->phase != CLUSTER_RUNS || (r->wanted_ns[i] && r->now.ns - r->wanted_ns[i] < RUN_WANT_MS * MILLISECOND))
		return 0;
	r->wanted_ns[i] = r->now.ns;
	run_say_order(r, name);
	return 0;
}

/* NULL: it isn't for coordinators. Sums are for those that have combiners. */
static const ProtobufCMessageDescriptor *subject_type(const struct cluster_run *r, const struct cluster_subject *s)
{
	if (s->kind == CLUSTER_PART && s->level)
		return r->tree && s->level == 1 ? &ward__cluster__sum__descriptor : NULL;
	switch (s->kind) {
	case CLUSTER_HELLO: return &ward__cluster__hello__descriptor;
	case CLUSTER_NOTE: return &ward__cluster__note__descriptor;
	case CLUSTER_PART: return &ward__cluster__parts__descriptor;
	case CLUSTER_RECORD: return &ward__cluster__records__descriptor;
	case CLUSTER_WANT: return &ward__cluster__want__descriptor;
	case CLUSTER_READY: return &ward__cluster__ready__descriptor;
	default: return NULL;
	}
}

/* What was read, by its subject. */
static int subject_take(struct cluster_run *r, const struct cluster_subject *s, const char *host,
	const ProtobufCMessage *m, struct ward_error *err)
{
	if (s->kind == CLUSTER_HELLO)
		return hello_take(r, host, (const Ward__Cluster__Hello *)m, err);
	if (s->kind == CLUSTER_NOTE)
		return note_take(r, host, (const Ward__Cluster__Note *)m, err);
	if (s->kind == CLUSTER_PART && s->level)
		return run_take_sum(r, s, (const Ward__Cluster__Sum *)m, err);
	if (s->kind == CLUSTER_PART)
		return parts_take(r, host, (const Ward__Cluster__Parts *)m, err);
	if (s->kind == CLUSTER_RECORD)
		return run_records_take(r, host, (const Ward__Cluster__Records *)m, err);
	if (s->kind == CLUSTER_READY)
		return run_take_ready(r, s->name, (const Ward__Cluster__Ready *)m, err);
	return want_take(r, s->name, err);
}

int run_take(struct cluster_run *r, const struct bus_message *message, struct ward_error *err)
{
	char host[CLUSTER_NAME];
	struct cluster_subject s;
	struct cluster_message m = {0};
	int rc = 0;

	if (!cluster_subject_read(message->subject, &s)) {
		r->refused++;
		return 0;
	}
	if (s.kind == CLUSTER_ASK) {
		run_take_ask(r, message);
		return 0;
	}
	if (s.kind != CLUSTER_HELLO && s.kind != CLUSTER_READY && memcmp(s.query, r->query, sizeof(r->query)) != 0)
		return 0;
	if (s.kind == CLUSTER_BEAT)
		return beat_take(r, message);
	const ProtobufCMessageDescriptor *type = subject_type(r, &s);
	if (!type || !cluster_name_to_host(s.name, host) ||
		!cluster_message_read(&m, type, "message", message->data, message->size, NULL))
		r->refused++;
	else
		rc = subject_take(r, &s, host, m.m, err);
	cluster_message_free(&m);
	return rc;
}
