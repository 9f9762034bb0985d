/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker sends: how it does, and what was counted, in all and by window; the whole of it each time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include "worker_parts.h"

enum { LAST_TRIES = 500 };

/*
 * What the time stamp counter counts in a microsecond (C-96): of two moments, at each of which both clocks were read
 * at once, as near as three tries come.
 */
struct worker_clocks worker_clocks_both(void)
{
	struct worker_clocks best = {0};

	for (int i = 0; i < 3; i++) {
		uint64_t before = __rdtsc(), ns = worker_clock(CLOCK_MONOTONIC_RAW), after = __rdtsc();
		if (i == 0 || after - before < best.within)
			best = (struct worker_clocks){
				.counts = before + (after - before) / 2, .ns = ns, .within = after - before};
	}
	return best;
}

/* A reading that was interrupted is off by as much: then time has to pass until that is less than a two-thousandth. */
static double clock_rate(const struct worker_clocks *began)
{
	struct worker_clocks now = worker_clocks_both();

	for (int i = 0; i < 200 && now.counts - began->counts < 2000 * (now.within + began->within); i++) {
		usleep(1000);
		now = worker_clocks_both();
	}
	return now.ns > began->ns ? (double)(now.counts - began->counts) * 1000 / (double)(now.ns - began->ns) : 0;
}

size_t worker_processes(const struct worker *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->o->order->n; i++)
		if (!w->o->order->units[i].order->kernel)
			n += w->units[i].n;
	return n;
}

static ProtobufCBinaryData text_bytes(const char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)(uintptr_t)text};
}

static size_t sites_fill(const struct worker *w, Ward__Cluster__NoteSite *sites, Ward__Cluster__NoteSite **at,
	size_t most, uint64_t *more)
{
	size_t n = 0;

	for (size_t i = 0; i < w->o->order->n; i++) {
		const struct agent_sessions *s = &w->units[i];
		*more += s->more_sites;
		for (size_t j = 0; j < s->n_sites; j++) {
			const struct agent_site *from = &s->sites[j];
			if (n == most) {
				++*more;
				continue;
			}
			Ward__Cluster__NoteSite *to = at[n] = &sites[n];
			*to = (Ward__Cluster__NoteSite)WARD__CLUSTER__NOTE_SITE__INIT;
			to->unit = (uint32_t)i;
			to->site = text_bytes(from->site);
			to->has_method = *from->method != 0;
			to->method = text_bytes(from->method);
			to->has_reason = *from->reason != 0;
			to->reason = text_bytes(from->reason);
			to->has_processes = to->has_exits = true;
			to->processes = from->processes;
			to->exits = from->exits;
			n++;
		}
	}
	return n;
}

static void message_send(struct worker *w, enum channel_kind kind, const ProtobufCMessage *m, bool is_last)
{
	const struct timespec moment = {.tv_nsec = 20000000};
	struct channel_message c = {.kind = kind, .shard = is_last};
	void *bytes = cluster_message_write(m, &c.size);

	c.bytes = bytes;
	/* the last one is worth waiting for */
	for (int i = 0; bytes && !channel_send(&w->channel, &c) && is_last && i < LAST_TRIES; i++)
		nanosleep(&moment, NULL);
	free(bytes);
}

void worker_say_note(struct worker *w)
{
	Ward__Cluster__Note m = WARD__CLUSTER__NOTE__INIT;
	Ward__Cluster__NoteSite sites[AGENT_SITES_SHOWN], *at[AGENT_SITES_SHOWN];
	ProtobufCBinaryData warnings[2];
	char no_cgroup[256];

	m.format = CLUSTER_FORMAT;
	m.state = w->state;
	m.clock_at = worker_clock(CLOCK_REALTIME);
	m.has_reason = *w->reason != 0;
	m.reason = text_bytes(w->reason);
	m.has_epoch = m.has_nonce = m.has_processes = m.has_ended_processes = m.has_left_out = m.has_pause_ns = true;
	m.has_more_sites = true;
	m.epoch = w->o->epoch.number;
	m.nonce = w->o->epoch.nonce;
	m.processes = worker_processes(w);
	m.left_out = w->left_out;
	for (size_t i = 0; i < w->o->order->n; i++) {
		m.ended_processes += w->units[i].n_ended;
		if (w->units[i].pause_ns > m.pause_ns)
			m.pause_ns = w->units[i].pause_ns;
	}
	m.site = at;
	m.n_site = sites_fill(w, sites, at, AGENT_SITES_SHOWN, &m.more_sites);
	m.has_overhead_most_ppm = m.has_overhead_of = w->sampler && *w->overhead_of;
	m.overhead_most_ppm = w->overhead_ppm;
	m.overhead_of = text_bytes(w->overhead_of);
	warnings[0] = text_bytes(w->warning);
	m.warning = warnings;
	m.n_warning = *w->warning != 0; /* this one comes first: it names processes that are missed */
	if (w->o->no_cgroup && *w->o->no_cgroup) {
		snprintf(no_cgroup, sizeof(no_cgroup), "its worker has no cgroup of its own: %s (C-152)",
			w->o->no_cgroup);
		warnings[m.n_warning++] = text_bytes(no_cgroup);
	}
	m.has_missed = true;
	m.missed = w->missed;
	message_send(w, CHANNEL_NOTE, &m.base, false);
}

/* Whose partials they are. */
static void notes_fill(const struct worker *w, struct ward_partial_notes *n)
{
	n->size = sizeof(*n);
	memcpy(n->query, w->o->order->order->query.data, sizeof(n->query));
	n->epoch = w->o->epoch.number;
	n->nonce = w->o->epoch.nonce;
	n->sequence = w->sequence;
	n->wall_ns = worker_clock(CLOCK_REALTIME);
}

static bool piece_make(struct worker *w, size_t i, bool is_last, ProtobufCBinaryData *out)
{
	struct agent_sessions *s = &w->units[i];
	struct ward_partial_limits most = {.size = sizeof(most), .bytes = w->o->order->limits.partial};
	struct ward_error why = {0};
	ward_partial *p = agent_sessions_take(s, &why);
	void *bytes = NULL;
	bool ok = p != NULL;

	if (ok) {
		struct ward_partial_notes n = ward_partial_notes(p);
		notes_fill(w, &n);
		n.flags |= is_last ? WARD_PARTIAL_LAST : 0;
		ok = ward_partial_note(p, &n, &why) == 0 && ward_partial_pack(p, &most, &bytes, &out->len, &why) == 0;
	}
	if (!ok)
		snprintf(w->warning, sizeof(w->warning), "no partial: %.300s", why.why);
	out->data = bytes;
	ward_partial_free(p);
	return ok;
}

/* The present window is over: what all units have counted in it is sent with the next parts. */
bool worker_window_cut(struct worker *w, struct agent_clocks now)
{
	struct ward_partial_limits most = {.size = sizeof(most), .bytes = w->o->order->limits.partial};
	struct ward_partial_notes notes = {.size = sizeof(notes)};
	ward_partial *total[AGENT_UNITS];
	struct ward_error why = {0};
	size_t n = 0;

	w->sequence++;
	notes_fill(w, &notes);
	while (n < w->o->order->n && (total[n] = agent_sessions_take(&w->units[n], &why)))
		n++;
	if (n == w->o->order->n && agent_windows_cut(&w->windows, now, total, n, &notes, &most, &why))
		return true;
	for (size_t i = 0; n < w->o->order->n && i < n; i++)
		ward_partial_free(total[i]);
	snprintf(w->warning, sizeof(w->warning), "no window: %.300s", why.why);
	return false;
}

/* Every window that isn't acknowledged, in ascending order. */
static size_t windows_fill(const struct worker *w, Ward__Cluster__Piece *pieces, Ward__Cluster__Piece **at)
{
	size_t n = 0;

	for (size_t i = 0; i < w->windows.n; i++)
		for (size_t unit = 0; unit < w->windows.kept[i].n; unit++, n++) {
			const struct agent_window *window = &w->windows.kept[i];
			pieces[n] = (Ward__Cluster__Piece)WARD__CLUSTER__PIECE__INIT;
			at[n] = &pieces[n];
			pieces[n].unit = (uint32_t)unit;
			pieces[n].partial = (ProtobufCBinaryData){window->size[unit], window->partial[unit]};
			pieces[n].has_span_ns = true;
			pieces[n].span_ns = window->span_ns;
		}
	return n;
}

void worker_say_parts(struct worker *w, bool is_last)
{
	Ward__Cluster__Piece windows[AGENT_WINDOWS * AGENT_UNITS], *windows_at[AGENT_WINDOWS * AGENT_UNITS];
	Ward__Cluster__Parts m = WARD__CLUSTER__PARTS__INIT;
	Ward__Cluster__Piece pieces[AGENT_UNITS], *at[AGENT_UNITS];
	bool ok = true;

	w->sequence++;
	m.format = CLUSTER_FORMAT;
	m.clock_at = worker_clock(CLOCK_REALTIME);
	m.has_counts_per_us = true;
	m.counts_per_us = clock_rate(&w->began);
	agent_reader_rate(w->reader, m.counts_per_us);
	agent_reader_counts(w->reader, &m.records, &m.unread);
	m.has_records = m.records || m.unread;
	m.has_unread = m.unread != 0;
	if (w->wish.beat) {
		m.has_beat = m.has_beat_age_ns = true;
		m.beat = w->wish.beat;
		m.beat_age_ns = worker_clock(CLOCK_MONOTONIC) - w->beat_ns;
	}
	m.window = windows_at;
	m.n_window = windows_fill(w, windows, windows_at);
	m.piece = at;
	for (size_t i = 0; i < w->o->order->n && ok; i++) {
		pieces[i] = (Ward__Cluster__Piece)WARD__CLUSTER__PIECE__INIT;
		at[i] = &pieces[i];
		pieces[i].unit = (uint32_t)i;
		ok = piece_make(w, i, is_last, &pieces[i].partial);
		m.n_piece += ok;
	}
	if (ok)
		message_send(w, CHANNEL_PART, &m.base, is_last);
	for (size_t i = 0; i < m.n_piece; i++)
		free(pieces[i].partial.data);
}
