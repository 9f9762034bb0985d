/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C-90 to C-92. States follow from facts: what the agent has said last, which partials have come, and how long ago.
 * Each event changes facts, and then the state is found anew; so does time. So the order in which messages arrive
 * doesn't matter.
 *
 * An agent that starts again has another nonce. What the one before has said is no longer so; its partials stay in the
 * result. If two nonces, or two epochs, go on beside each other for long, two machines have one name.
 */
#include "fleet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/base/error.h"
#include "cluster/merge/names.h"

static const uint64_t SECOND = 1000000000;
enum { STALE_PERIODS = 3, LOST_PERIODS = 5, LOST_SECONDS = 10, BESIDE_SECONDS = 2, TWICE = 2 };

struct machine {
	struct cluster_fleet_machine shown;
	char reason[256], warning[256];
	uint64_t agent, agent_before; /* nonces of hellos */
	bool has_agent, has_note, is_last, is_out;
	uint64_t early_ns, noted_epoch;
	uint64_t sequence; /* of the note */
	enum cluster_noted noted;
	uint64_t newest_ns; /* when the first partial of the newest epoch came */
	unsigned beside;    /* partials of an earlier epoch that came long after */
	enum cluster_state given;
	bool was_given;
};

struct cluster_fleet {
	struct cluster_fleet_times times;
	uint64_t began_ns, now_ns, end_ns; /* end_ns: 0: it goes on */
	struct cluster_names names;
	struct machine **at; /* by the name's number */
	size_t n, room;
	size_t next; /* where cluster_fleet_changed goes on */
	size_t count[CLUSTER_STATES];
	bool is_adopted, looks;
};

const char *cluster_state_name(enum cluster_state state)
{
	static const char *const names[CLUSTER_STATES] = {[CLUSTER_STATE_UNREACHABLE] = "unreachable",
		[CLUSTER_STATE_REFUSED] = "refused",
		[CLUSTER_STATE_NO_TARGET] = "no target",
		[CLUSTER_STATE_ATTACHING] = "attaching",
		[CLUSTER_STATE_REPORTING] = "reporting",
		[CLUSTER_STATE_STALE] = "stale",
		[CLUSTER_STATE_LOST] = "lost",
		[CLUSTER_STATE_GUARDED] = "guarded",
		[CLUSTER_STATE_ENDED] = "ended",
		[CLUSTER_STATE_INCONSISTENT] = "inconsistent"};
	return (unsigned)state < CLUSTER_STATES ? names[state] : "?";
}

cluster_fleet *cluster_fleet_new(const struct cluster_fleet_times *times, uint64_t now_ns)
{
	cluster_fleet *f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->times = *times;
	f->began_ns = f->now_ns = now_ns;
	return f;
}

void cluster_fleet_free(cluster_fleet *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i]);
	free(f->at);
	cluster_names_free(&f->names);
	free(f);
}

void cluster_fleet_adopt(cluster_fleet *f)
{
	f->is_adopted = true;
}

bool cluster_fleet_is_adopted(const cluster_fleet *f)
{
	return f->is_adopted;
}

void cluster_fleet_look(cluster_fleet *f)
{
	f->looks = true;
}

void cluster_fleet_retime(cluster_fleet *f, const struct cluster_fleet_times *times)
{
	f->times = *times;
}

/* ---- which state ---- */

static uint64_t time_since(const cluster_fleet *f, uint64_t then)
{
	uint64_t now = f->end_ns && f->end_ns < f->now_ns ? f->end_ns : f->now_ns;
	return now > then ? now - then : 0;
}

/* How long one that sends partials may be silent; and one that has nothing to send but hellos. */
static uint64_t lost_after(const cluster_fleet *f)
{
	uint64_t periods = LOST_PERIODS * f->times.period_ns;
	return periods > LOST_SECONDS * SECOND ? periods : LOST_SECONDS * SECOND;
}

static uint64_t silent_after(const cluster_fleet *f)
{
	return 2 * f->times.hello_ns + lost_after(f);
}

/* One whose partials have come, and not yet the last one. */
static enum cluster_state state_of_reporting(const cluster_fleet *f, const struct machine *m)
{
	uint64_t age = f->now_ns > m->shown.part_ns ? f->now_ns - m->shown.part_ns : 0;
	if (m->is_last)
		return CLUSTER_STATE_REPORTING; /* until that is in the journal */
	if (age >= lost_after(f))
		return CLUSTER_STATE_LOST;
	return age >= STALE_PERIODS * f->times.period_ns ? CLUSTER_STATE_STALE : CLUSTER_STATE_REPORTING;
}

/* Its agent says so, and no last value is to come; or that goes to another coordinator. */
static bool is_said_to_have_ended(const cluster_fleet *f, const struct machine *m)
{
	return m->has_note && m->noted == CLUSTER_NOTED_ENDED && (f->looks || (!m->shown.joined_ns && !m->noted_epoch));
}

static enum cluster_state state_of(const cluster_fleet *f, const struct machine *m)
{
	bool is_noted = m->has_note, has_joined = m->shown.joined_ns != 0;
	uint64_t silent = f->now_ns > m->shown.heard_ns ? f->now_ns - m->shown.heard_ns : 0;
	if (m->is_out)
		return CLUSTER_STATE_INCONSISTENT;
	if (!m->shown.heard_ns)
		return CLUSTER_STATE_UNREACHABLE;
	if (is_noted && m->noted == CLUSTER_NOTED_REFUSED)
		return CLUSTER_STATE_REFUSED;
	if (is_noted && m->noted == CLUSTER_NOTED_GUARDED)
		return CLUSTER_STATE_GUARDED;
	if (m->shown.is_settled || is_said_to_have_ended(f, m))
		return CLUSTER_STATE_ENDED;
	if (is_noted && m->noted == CLUSTER_NOTED_NO_TARGET && !m->is_last)
		return silent >= silent_after(f) ? CLUSTER_STATE_LOST : CLUSTER_STATE_NO_TARGET;
	if (has_joined)
		return state_of_reporting(f, m);
	return silent >= silent_after(f) ? CLUSTER_STATE_LOST : CLUSTER_STATE_ATTACHING;
}

static bool has_reason(enum cluster_state state, const struct machine *m)
{
	bool is_silent = state == CLUSTER_STATE_STALE || state == CLUSTER_STATE_LOST;

	return state == CLUSTER_STATE_INCONSISTENT || (is_silent && m->shown.is_early) ||
	       (m->has_note && !is_silent && state != CLUSTER_STATE_REPORTING);
}

/* C-140: what of the time until now, or until the end, isn't in the result. */
static uint64_t missing_of(const cluster_fleet *f, const struct machine *m)
{
	if (m->shown.state == CLUSTER_STATE_ENDED)
		return m->shown.gap_ns + (m->shown.is_early ? time_since(f, m->early_ns) : 0);
	return m->shown.gap_ns + time_since(f, m->shown.joined_ns && !m->is_out ? m->shown.part_ns : f->began_ns);
}

/* Find its state anew. */
static void machine_judge(cluster_fleet *f, struct machine *m)
{
	enum cluster_state was = m->shown.state, is = state_of(f, m);
	if (is != was) {
		f->count[was]--;
		f->count[is]++;
		m->shown.state = is;
		m->shown.since_ns = f->now_ns;
	}
	m->shown.reason = has_reason(is, m) ? m->reason : "";
	m->shown.missing_ns = missing_of(f, m);
}

/* ---- what happens ---- */

static void set_reason(struct machine *m, const char *reason)
{
	snprintf(m->reason, sizeof(m->reason), "%s", reason ? reason : "");
	cluster_clean(m->reason);
}

/* The machine, which is meant from now on. NULL without memory, or if the name is none. */
static struct machine *machine_get(cluster_fleet *f, const char *name, uint64_t now_ns)
{
	f->now_ns = now_ns > f->now_ns ? now_ns : f->now_ns;
	if (!cluster_array_grow(&f->at, &f->room, f->n + 1, sizeof(struct machine *)))
		return NULL;
	size_t i = cluster_names_add(&f->names, name);
	if (i == SIZE_MAX)
		return NULL;
	if (f->at[i])
		return f->at[i];
	struct machine *m = calloc(1, sizeof(*m));
	if (!m) /* the name stays, and gets its machine when it comes again */
		return NULL;
	m->shown.name = f->names.at[i];
	m->shown.reason = m->shown.warning = "";
	m->shown.since_ns = f->now_ns;
	f->at[i] = m;
	f->n = f->names.n;
	f->count[m->shown.state]++;
	return m;
}

bool cluster_fleet_choose(cluster_fleet *f, const char *name, enum cluster_known known, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	m->shown.known = known > m->shown.known ? known : m->shown.known;
	machine_judge(f, m);
	return true;
}

/* An agent with this nonce speaks. False: it is of a life that is over. */
static bool agent_meet(struct machine *m, uint64_t agent)
{
	if (m->has_agent && agent == m->agent)
		return true;
	if (m->has_agent && agent == m->agent_before) {
		m->shown.is_doubled = true; /* it had been followed by another one */
		return false;
	}
	m->agent_before = m->has_agent ? m->agent : agent;
	m->agent = agent;
	m->has_agent = true;
	m->has_note = false;
	return true;
}

bool cluster_fleet_hear(cluster_fleet *f, const char *name, uint64_t agent, uint32_t processors, uint64_t now_ns)
{
	if (cluster_names_find(&f->names, name) == SIZE_MAX)
		return true;
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	agent_meet(m, agent);
	m->shown.heard_ns = f->now_ns;
	m->shown.processors = processors > m->shown.processors ? processors : m->shown.processors;
	machine_judge(f, m);
	return true;
}

bool cluster_fleet_note(cluster_fleet *f, const char *name, const struct cluster_fleet_note *note, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	m->shown.heard_ns = f->now_ns;
	if (agent_meet(m, note->agent) && (!m->has_note || note->sequence > m->sequence)) {
		m->has_note = true;
		m->sequence = note->sequence;
		m->noted = note->state;
		m->noted_epoch = note->epoch;
		if (note->is_early) {
			m->shown.is_early = true;
			m->early_ns = note->early_ns < f->now_ns ? f->now_ns - note->early_ns : 0;
		}
		m->shown.overhead_ppm = note->overhead_ppm;
		if (note->pause_ns > m->shown.pause_ns)
			m->shown.pause_ns = note->pause_ns;
		m->shown.missed = note->missed;
		m->shown.epochs = note->epochs;
		snprintf(m->warning, sizeof(m->warning), "%s", note->warning ? note->warning : "");
		cluster_clean(m->warning);
		m->shown.warning = m->warning;
		if (!m->is_out)
			set_reason(m, note->reason);
	}
	machine_judge(f, m);
	return true;
}

/* C-140: nothing is in the result of the time between two epochs. */
static void epoch_begin(const cluster_fleet *f, struct machine *m, uint64_t epoch, uint64_t nonce)
{
	struct cluster_fleet_machine *shown = &m->shown;
	if (shown->epoch) {
		shown->gaps++;
		shown->gap_ns += time_since(f, shown->part_ns);
	}
	shown->epoch = epoch;
	shown->nonce = nonce;
	shown->is_settled = shown->is_early = m->is_last = false;
	m->newest_ns = f->now_ns;
}

/* A partial of an epoch that was followed by another one. */
static void meet_earlier(const cluster_fleet *f, struct machine *m, bool is_last)
{
	if (!m->shown.gaps) /* a coordinator that has come later doesn't know how long it was */
		m->shown.gaps = 1;
	uint64_t long_after = 2 * f->times.period_ns + BESIDE_SECONDS * SECOND;
	if (is_last || f->now_ns < m->newest_ns + long_after)
		return;
	if (++m->beside >= TWICE)
		m->shown.is_doubled = true;
}

bool cluster_fleet_part(
	cluster_fleet *f, const char *name, uint64_t epoch, uint64_t nonce, bool is_last, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	struct cluster_fleet_machine *shown = &m->shown;
	shown->heard_ns = f->now_ns;
	if (!shown->joined_ns) {
		shown->joined_ns = f->now_ns;
		shown->late_ns = f->now_ns > f->began_ns ? f->now_ns - f->began_ns : 0;
	}
	if (epoch == shown->vanished)
		shown->vanished = 0;
	if (epoch > shown->epoch)
		epoch_begin(f, m, epoch, nonce);
	if (epoch == shown->epoch && nonce == shown->nonce) {
		shown->part_ns = f->now_ns;
		m->is_last |= is_last;
	} else {
		meet_earlier(f, m, is_last);
	}
	machine_judge(f, m);
	return true;
}

bool cluster_fleet_epochs(cluster_fleet *f, const char *name, size_t here, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	m->shown.epochs_here = here;
	machine_judge(f, m);
	return true;
}

bool cluster_fleet_settle(cluster_fleet *f, const char *name, uint64_t epoch, uint64_t nonce, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	if (m->shown.joined_ns && epoch == m->shown.epoch && nonce == m->shown.nonce && m->is_last)
		m->shown.is_settled = true;
	machine_judge(f, m);
	return true;
}

bool cluster_fleet_vanish(cluster_fleet *f, const char *name, uint64_t epoch, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (m)
		m->shown.vanished = epoch;
	return m != NULL;
}

bool cluster_fleet_blame(cluster_fleet *f, const char *name, const char *reason, uint64_t now_ns)
{
	struct machine *m = machine_get(f, name, now_ns);
	if (!m)
		return false;
	m->shown.heard_ns = f->now_ns;
	if (!m->is_out)
		set_reason(m, reason);
	m->is_out = true;
	machine_judge(f, m);
	return true;
}

static void judge_all(cluster_fleet *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i])
			machine_judge(f, f->at[i]);
}

void cluster_fleet_tick(cluster_fleet *f, uint64_t now_ns)
{
	f->now_ns = now_ns > f->now_ns ? now_ns : f->now_ns;
	judge_all(f);
}

void cluster_fleet_end(cluster_fleet *f, uint64_t end_ns)
{
	f->end_ns = end_ns;
	judge_all(f);
}

/* ---- who there is ---- */

const struct cluster_fleet_machine *cluster_fleet_changed(cluster_fleet *f)
{
	for (; f->next < f->n; f->next++) {
		struct machine *m = f->at[f->next];
		if (!m || (m->was_given && m->given == m->shown.state))
			continue;
		m->was_given = true;
		m->given = m->shown.state;
		return &m->shown;
	}
	f->next = 0;
	return NULL;
}

size_t cluster_fleet_count(const cluster_fleet *f)
{
	size_t n = 0;
	for (size_t i = 0; i < CLUSTER_STATES; i++)
		n += f->count[i];
	return n;
}

size_t cluster_fleet_count_of(const cluster_fleet *f, enum cluster_state state)
{
	return (unsigned)state < CLUSTER_STATES ? f->count[state] : 0;
}

const struct cluster_fleet_machine *cluster_fleet_at(const cluster_fleet *f, size_t i)
{
	return i < f->n && f->at[i] ? &f->at[i]->shown : NULL;
}

const struct cluster_fleet_machine *cluster_fleet_find(const cluster_fleet *f, const char *name)
{
	return cluster_fleet_at(f, cluster_names_find(&f->names, name));
}

bool cluster_fleet_is_whole(const struct cluster_fleet_machine *m)
{
	return m->state == CLUSTER_STATE_ENDED && !m->vanished && !m->missed && !m->gaps && !m->is_early &&
	       !m->is_doubled && m->epochs_here >= m->epochs;
}

size_t cluster_fleet_count_whole(const cluster_fleet *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++)
		n += f->at[i] && cluster_fleet_is_whole(&f->at[i]->shown);
	return n;
}

bool cluster_fleet_is_complete(const cluster_fleet *f)
{
	size_t n = cluster_fleet_count(f);
	bool is_known = !f->is_adopted;
	for (size_t i = 0; i < f->n; i++)
		is_known |= f->at[i] && f->at[i]->shown.known == CLUSTER_EXPECTED;
	return n > 0 && is_known && cluster_fleet_count_whole(f) == n;
}

bool cluster_fleet_is_waiting(const cluster_fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct machine *m = f->at[i];
		if (!m)
			continue;
		bool has_more = m->shown.joined_ns && !m->shown.is_settled; /* its last value */
		bool had_more = m->shown.epochs_here < m->shown.epochs;     /* that of an earlier epoch */
		enum cluster_state state = m->shown.state;
		if (state == CLUSTER_STATE_ATTACHING || state == CLUSTER_STATE_NO_TARGET ||
			(had_more && state == CLUSTER_STATE_ENDED) ||
			(has_more && (state == CLUSTER_STATE_REPORTING || state == CLUSTER_STATE_STALE ||
					     state == CLUSTER_STATE_GUARDED)))
			return true;
	}
	return false;
}
