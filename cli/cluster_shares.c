/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines by their part of a field's sum, with the median beside: so one that says what can be, but is odd, is seen
 * (C-138). Numbers are long doubles: whole numbers of 64 bits stay exact.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster_show.h"

struct share {
	const char *machine;
	long double value;
};

struct shares {
	struct share *at;
	size_t n, left_out; /* left_out: machines of which nothing is here */
	long double sum;    /* of what they have without its sign, so that parts make a whole */
	long double median;
	bool is_found, has_no_sum, is_cut; /* of the field */
};

/* ---- what one machine has ---- */

static long double number_of(uint64_t value, bool is_signed)
{
	return is_signed ? (long double)(int64_t)value : (long double)value;
}

static bool field_weight(const struct ward_field *f, long double *weight);

static bool entry_weight(const struct ward_field *f, const struct ward_map_entry *e, long double *weight)
{
	if (e->values)
		return field_weight(&e->values[0], weight);
	*weight = number_of(e->value, f->value_is_signed);
	return true;
}

static bool entries_weight(const struct ward_field *f, long double *weight)
{
	long double one;

	*weight = 0;
	for (size_t i = 0; i < f->n; i++) {
		if (!entry_weight(f, &f->entries[i], &one))
			return false;
		*weight += one;
	}
	if (f->kind == WARD_FIELD_MAP && f->other) {
		if (!entry_weight(f, f->other, &one))
			return false;
		*weight += one;
	}
	return true;
}

/* What of a field adds up over machines: a sum, or how many numbers there were. False: nothing does. */
static bool field_weight(const struct ward_field *f, long double *weight)
{
	switch (f->kind) {
	case WARD_FIELD_COUNT:
	case WARD_FIELD_STOP:
	case WARD_FIELD_VALUE: *weight = number_of(f->value, f->value_is_signed); return true;
	case WARD_FIELD_GATE:
	case WARD_FIELD_CHOPSTIX: *weight = (long double)f->value; return true;
	case WARD_FIELD_WIDE:
	case WARD_FIELD_STAT:
		*weight = number_of(f->high, f->value_is_signed) * 0x1p64L + (long double)f->value;
		return true;
	case WARD_FIELD_MEAN:
	case WARD_FIELD_QUANTILES: *weight = (long double)f->count; return true;
	case WARD_FIELD_LOG2:
	case WARD_FIELD_LINEAR:
		*weight = 0;
		for (size_t i = 0; i < f->n; i++)
			*weight += (long double)f->buckets[i].count;
		return true;
	case WARD_FIELD_MAP:
	case WARD_FIELD_TOP:
	case WARD_FIELD_ARRAY: return entries_weight(f, weight);
	default: return false;
	}
}

/* The field in a machine's own sum. Returns an exit status. */
static int machine_take(struct cluster_show *s, struct shares *all, const char *machine, size_t unit)
{
	struct cluster_total_options options = {.only = machine};
	struct cluster_total total;
	ward_snapshot *snapshot;
	const struct ward_field *f = NULL;
	struct ward_error err = {0};

	if (cluster_run_total(s->run, unit, &options, &total, &err))
		return cli_library_error(&err);
	if (total.cover.n && ward_partial_finish(total.partial, &snapshot, &err)) {
		cluster_total_free(&total);
		return cli_library_error(&err);
	}
	for (size_t i = 0; total.cover.n && i < ward_snapshot_fields(snapshot) && !f; i++)
		if (strcmp(ward_snapshot_field(snapshot, i)->name, s->field) == 0)
			f = ward_snapshot_field(snapshot, i);
	if (f) {
		struct share *share = &all->at[all->n];
		share->machine = machine;
		all->is_found = true;
		all->is_cut |= f->unlisted != 0;
		all->has_no_sum |= !field_weight(f, &share->value);
		all->sum += fabsl(share->value);
		all->n++;
	}
	if (total.cover.n)
		ward_snapshot_free(snapshot);
	cluster_total_free(&total);
	return CLI_OK;
}

/* ---- all of them ---- */

static bool unit_has(const ward_schema *schema, const char *name)
{
	for (size_t i = 0; i < ward_schema_fields(schema); i++)
		if (strcmp(ward_schema_field(schema, i).name, name) == 0)
			return true;
	return false;
}

static int by_value(const void *x, const void *y)
{
	const struct share *a = x, *b = y;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return strcmp(a->machine, b->machine);
}

static int shares_take(struct cluster_show *s, struct shares *all)
{
	cluster_fleet *fleet = cluster_run_fleet(s->run);
	size_t unit = 0, count = cluster_fleet_count(fleet), units = cluster_run_units(s->run);
	int status = CLI_OK;

	while (unit < units && !unit_has(cluster_run_schema(s->run, unit), s->field))
		unit++;
	if (unit == units)
		return cli_error(CLI_USAGE, s->field, "names are those in its result", "the query has no such field");
	all->at = calloc(count + 1, sizeof(*all->at));
	if (!all->at)
		return cli_error(CLI_USAGE, NULL, "free some memory and try again", "out of memory");
	for (size_t i = 0; i < count && status == CLI_OK; i++)
		status = machine_take(s, all, cluster_fleet_at(fleet, i)->name, unit);
	if (status == CLI_OK && all->has_no_sum)
		return cli_error(CLI_USAGE, s->field, "take a count, a sum, or a histogram",
			"machines have no parts of it: it doesn't add up");
	all->left_out = count - all->n;
	qsort(all->at, all->n, sizeof(*all->at), by_value);
	if (all->n)
		all->median = (all->at[(all->n - 1) / 2].value + all->at[all->n / 2].value) / 2;
	return status;
}

static double share_of(const struct shares *all, const struct share *one)
{
	return all->sum > 0 ? (double)(fabsl(one->value) / all->sum) : 0;
}

static void shares_json(struct cluster_show *s, const struct shares *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct share *one = &all->at[i];
		struct json_object *o = json_object_new_object();
		json_object_object_add(o, "type", json_object_new_string("share"));
		json_object_object_add(o, "machine", cli_json_string(one->machine));
		json_object_object_add(o, "field", cli_json_string(s->field));
		json_object_object_add(o, "value",
			fabsl(one->value) < 0x1p63L ? json_object_new_int64((int64_t)one->value)
						    : json_object_new_double((double)one->value));
		json_object_object_add(o, "share", json_object_new_double(share_of(all, one)));
		json_object_object_add(o, "median", json_object_new_double((double)all->median));
		cli_json_line(&s->out, o);
	}
}

static void shares_text(struct cluster_show *s, const struct shares *all)
{
	int width = 7;

	for (size_t i = 0; i < all->n; i++)
		width = cli_width(all->at[i].machine) > width ? cli_width(all->at[i].machine) : width;
	printf("%-*s  %20s  %8s  of ", width, "MACHINE", "VALUE", "SHARE");
	cli_print_clean(stdout, s->field);
	putchar('\n');
	for (size_t i = 0; i < all->n; i++) {
		cli_print_clean(stdout, all->at[i].machine);
		printf("%*s  %20.0Lf  %6.1f %%\n", width - cli_width(all->at[i].machine), "", all->at[i].value,
			100 * share_of(all, &all->at[i]));
	}
	printf("%-*s  %20.1Lf\n", width, "median", all->median);
}

/* Machines that are in the query, and not among the shares. */
static void left_out_say(struct cluster_show *s, const struct shares *all)
{
	cluster_fleet *fleet = cluster_run_fleet(s->run);
	const struct cluster_fleet_machine *m;

	for (size_t i = 0; (m = cluster_fleet_at(fleet, i)); i++) {
		bool is_there = false;
		for (size_t j = 0; j < all->n && !is_there; j++)
			is_there = all->at[j].machine == m->name;
		if (!is_there)
			cli_error(CLI_OK, m->name, "without --by, show says why", "nothing of it is here: %s",
				cluster_state_name(m->state));
	}
}

int cluster_shares_print(struct cluster_show *s)
{
	struct shares all = {0};
	int status = shares_take(s, &all);

	if (status == CLI_OK) {
		if (s->out.json)
			shares_json(s, &all);
		else
			shares_text(s, &all);
		fflush(stdout);
		left_out_say(s, &all);
		if (all.is_cut)
			cli_error(CLI_OK, s->field, "group by fewer keys",
				"it has more keys than are listed, which aren't counted here");
		status = all.left_out || all.is_cut ? CLI_TARGET : CLI_OK;
	}
	free(all.at);
	return status;
}
