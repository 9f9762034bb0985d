/* SPDX-License-Identifier: Apache-2.0 */
#include "query.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

static bool check_text(const char *text, size_t n, struct query_error *err)
{
	if (n > QUERY_TEXT_MOST)
		query_fail(err, (struct query_span){0, 1}, NULL, "a query of more than %d bytes", (int)QUERY_TEXT_MOST);
	else if (memchr(text, 0, n))
		query_fail(err, (struct query_span){(uint32_t)strlen(text), 1}, NULL, "a zero byte");
	return !err->is_set;
}

/* Where divisions are, for messages at the end; and the text is not needed any more. */
static void find_places(struct query *q)
{
	for (size_t i = 0; i < q->plan.n_divisions; i++) {
		struct query_place place = query_place_of(q->text, q->plan.divisions[i].at);

		q->plan.division_at[i] = (struct query_point){place.line, place.column};
	}
	q->text = NULL;
	if (q->other)
		find_places(q->other);
}

size_t query_divisions(const struct query *q, const struct query_point **points)
{
	*points = q->plan.division_at;
	return q->plan.n_divisions;
}

struct query *query_compile(const char *text, size_t n, const struct query_options *options, struct query_error *err)
{
	struct query *q = calloc(1, sizeof(*q));
	struct query_text t = {.n = (uint32_t)n};
	struct query_tree tree;
	char *copy;

	*err = (struct query_error){0};
	copy = malloc(n + 1);
	if (!q || !copy)
		query_fail(err, (struct query_span){0, 1}, NULL, "out of memory");
	else if (check_text(text, n, err)) {
		memcpy(copy, text, n);
		copy[n] = 0;
		t.bytes = copy;
		q->text = &t;
		q->options = *options;
		if (query_parse(&t, &q->arena, &tree, err) && plan_make(q, &tree, err))
			q->probe = plan_emit(q, err);
	}
	if (!err->is_set)
		find_places(q);
	free(copy);
	if (err->is_set) {
		query_free(q);
		return NULL;
	}
	return q;
}

void query_free(struct query *q)
{
	if (!q)
		return;
	query_free(q->other);
	query_arena_free(&q->arena);
	free(q->probe);
	free(q);
}

const char *query_probe(const struct query *q)
{
	return q->probe;
}

const struct query *query_other(const struct query *q)
{
	return q->other;
}

struct query_needs query_needs_of(const struct query *q)
{
	const struct plan *p = &q->plan;

	return (struct query_needs){.kernel = p->sites[0].is_kernel,
		.sample = p->sites[0].is_sample,
		.from = p->from,
		.until = p->until,
		.pid = p->pid,
		.process = p->process};
}

const char *query_site(const struct query *q, size_t i)
{
	if (i < q->plan.n_sites)
		return q->plan.sites[i].text;
	return q->other ? query_site(q->other, i - q->plan.n_sites) : NULL;
}

struct query_same query_probe_same(const struct query *q)
{
	const struct plan *p = &q->plan;

	return (struct query_same){
		{q->probe, q->probe + p->settings_end}, {p->settings_at, strlen(q->probe) - p->settings_end}};
}

bool query_setting(const struct query *q, size_t i, char *text, size_t size)
{
	if (i >= q->plan.n_settings)
		return false;
	snprintf(text, size, "setting%zu=%" PRIu64, i, q->plan.settings[i]);
	return true;
}
