/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading what combiners and coordinators say. Numbers, lengths and counts of a message were checked one by one when
 * it was read (wire/limits.def). Here columns must agree with each other, and names must be those of machines (C-161).
 */
#include <stdlib.h>
#include <string.h>

#include "told.h"

#include "cluster/wire/refuse.h"
#include "cluster/wire/subject.h"

/* A name as a text, behind those before: *to moves on. */
static const char *name_take(char **to, const uint8_t *from, size_t n)
{
	char *name = *to, on_bus[CLUSTER_NAME], host[CLUSTER_NAME];

	memcpy(name, from, n);
	name[n] = 0;
	*to += n + 1;
	bool ok = strlen(name) == n && cluster_name_from_host(name, on_bus) && cluster_name_to_host(on_bus, host) &&
		  strcmp(host, name) == 0;
	return ok ? name : NULL;
}

static bool columns_agree(const Ward__Cluster__Epochs *m, bool is_full)
{
	size_t n = m->n_epoch, full = is_full ? n : 0, names = 0;

	for (size_t i = 0; i < m->n_name_size; i++)
		names += m->name_size[i];
	return m->n_name_size == n && m->n_nonce == n && m->n_sequence == n && m->n_events == full &&
	       m->n_dropped == full && m->n_wall_ns == full && m->n_overhead_ppm == full && m->n_flags == full &&
	       names == (m->has_name ? m->name.len : 0);
}

static bool epochs_refuse(struct ward_error *err, const char *why)
{
	return cluster_refuse(err, "epochs", "C-161", "%s", why);
}

/* *at and *names are to be freed. */
static bool epochs_read(
	const Ward__Cluster__Epochs *m, bool is_full, struct cluster_epoch **at, char **names, struct ward_error *err)
{
	size_t n = m->n_epoch;

	if (!columns_agree(m, is_full))
		return epochs_refuse(err, "columns have different lengths");
	*at = calloc(n + 1, sizeof(**at));
	*names = malloc(m->name.len + n + 1);
	if (!*at || !*names)
		return cluster_refuse(err, "epochs", NULL, "out of memory");
	const uint8_t *from = m->name.data;
	char *to = *names;
	for (size_t i = 0; i < n; i++) {
		struct cluster_epoch *e = &(*at)[i];
		*e = (struct cluster_epoch){.machine = name_take(&to, from, m->name_size[i]),
			.epoch = m->epoch[i],
			.nonce = m->nonce[i],
			.sequence = m->sequence[i]};
		if (!e->machine)
			return epochs_refuse(err, "a name is no machine's");
		from += m->name_size[i];
		if (!is_full)
			continue;
		e->events = m->events[i];
		e->dropped = m->dropped[i];
		e->wall_ns = m->wall_ns[i];
		e->overhead_ppm = m->overhead_ppm[i];
		e->flags = m->flags[i];
	}
	return true;
}

/* ---- a combiner's ---- */

static bool singles_read(const Ward__Cluster__Sum *m, struct cluster_told_read *r, struct ward_error *err)
{
	if (!epochs_read(m->single, false, &r->of_single, &r->single_names, err))
		return false;
	if (m->n_single_partial != m->single->n_epoch)
		return epochs_refuse(err, "singles have no partials");
	r->singles = calloc(m->n_single_partial + 1, sizeof(*r->singles));
	if (!r->singles)
		return cluster_refuse(err, "singles", NULL, "out of memory");
	for (size_t i = 0; i < m->n_single_partial; i++)
		r->singles[i] =
			(struct cluster_single){r->of_single[i], m->single_partial[i].data, m->single_partial[i].len};
	r->told.singles = r->singles;
	r->told.n_singles = m->n_single_partial;
	return true;
}

static bool blames_read(const Ward__Cluster__Sum *m, struct cluster_told_read *r, struct ward_error *err)
{
	size_t size = 1;

	for (size_t i = 0; i < m->n_blame; i++)
		size += m->blame[i]->machine.len + m->blame[i]->reason.len + 2;
	r->blames = calloc(m->n_blame + 1, sizeof(*r->blames));
	r->blame_names = malloc(size);
	if (!r->blames || !r->blame_names)
		return cluster_refuse(err, "blames", NULL, "out of memory");
	char *to = r->blame_names;
	for (size_t i = 0; i < m->n_blame; i++) {
		const ProtobufCBinaryData *why = &m->blame[i]->reason;
		const char *machine = name_take(&to, m->blame[i]->machine.data, m->blame[i]->machine.len);
		if (!machine)
			return epochs_refuse(err, "a name is no machine's");
		r->blames[i] = (struct cluster_blame){machine, to};
		memcpy(to, why->data, why->len);
		to[why->len] = 0;
		to += why->len + 1;
	}
	r->told.blames = r->blames;
	r->told.n_blames = m->n_blame;
	return true;
}

bool cluster_told_read(const Ward__Cluster__Sum *m, struct cluster_told_read *r, struct ward_error *err)
{
	*r = (struct cluster_told_read){.told = {.combiner = m->combiner,
						.term = m->term,
						.sequence = m->sequence,
						.no_room = m->has_no_room ? m->no_room : 0}};
	if (!epochs_read(m->live, true, &r->live, &r->live_names, err) ||
		!epochs_read(m->closed, true, &r->closed, &r->closed_names, err) ||
		!epochs_read(m->again, false, &r->again, &r->again_names, err) || !singles_read(m, r, err) ||
		!blames_read(m, r, err))
		return false;
	r->told.live = (struct cluster_group){.at = r->live, .n = m->live->n_epoch};
	r->told.closed = (struct cluster_group){.at = r->closed, .n = m->closed->n_epoch};
	r->told.again = (struct cluster_group){.at = r->again, .n = m->again->n_epoch};
	if (m->has_live_sum) {
		r->told.live.bytes = m->live_sum.data;
		r->told.live.size = m->live_sum.len;
	}
	if (m->has_closed_sum) {
		r->told.closed.bytes = m->closed_sum.data;
		r->told.closed.size = m->closed_sum.len;
	}
	return true;
}

void cluster_told_free(struct cluster_told_read *r)
{
	free(r->live);
	free(r->closed);
	free(r->again);
	free(r->of_single);
	free(r->live_names);
	free(r->closed_names);
	free(r->again_names);
	free(r->single_names);
	free(r->blame_names);
	free(r->singles);
	free(r->blames);
	*r = (struct cluster_told_read){0};
}

/* ---- a coordinator's ---- */

static bool out_read(const Ward__Cluster__Answer *m, struct cluster_answer_read *r, struct ward_error *err)
{
	size_t size = 1;

	for (size_t i = 0; i < m->n_out; i++)
		size += m->out[i].len + 1;
	r->answer.out = calloc(m->n_out + 1, sizeof(*r->answer.out));
	r->out_names = malloc(size);
	if (!r->answer.out || !r->out_names)
		return cluster_refuse(err, "answer", NULL, "out of memory");
	char *to = r->out_names;
	for (size_t i = 0; i < m->n_out; i++) {
		r->answer.out[i] = name_take(&to, m->out[i].data, m->out[i].len);
		if (!r->answer.out[i])
			return epochs_refuse(err, "a name is no machine's");
	}
	r->answer.n_out = m->n_out;
	return true;
}

bool cluster_answer_read(const Ward__Cluster__Answer *m, struct cluster_answer_read *r, struct ward_error *err)
{
	*r = (struct cluster_answer_read){0};
	if (!epochs_read(m->settled, false, &r->answer.settled, &r->settled_names, err) ||
		!epochs_read(m->kept, false, &r->answer.kept, &r->kept_names, err) || !out_read(m, r, err))
		return false;
	r->answer.n_settled = m->settled->n_epoch;
	r->answer.n_kept = m->kept->n_epoch;
	return true;
}

void cluster_answer_read_free(struct cluster_answer_read *r)
{
	cluster_answer_free(&r->answer);
	free(r->settled_names);
	free(r->kept_names);
	free(r->out_names);
	*r = (struct cluster_answer_read){0};
}
