/* SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"

#include <string.h>

struct entry_order entry_order_of(const struct query *q)
{
	return (struct entry_order){query_entry_keys(q), query_sessions_apart(q)};
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_keys(const struct query_value *a, const struct query_value *b)
{
	if (a->kind != b->kind)
		return (a->kind > b->kind) - (a->kind < b->kind);
	return a->kind == QUERY_TEXT ? strcmp(a->text, b->text) : compare_numbers(a->number, b->number);
}

int entry_compare(const void *x, const void *y, void *user)
{
	const struct query_entry *a = x, *b = y;
	const struct entry_order *o = user;
	int c = 0;

	if (o->apart & QUERY_BY_PID)
		c = compare_numbers((uint64_t)a->session->pid, (uint64_t)b->session->pid);
	if (c == 0 && o->apart & QUERY_BY_PROCESS)
		c = strcmp(a->session->process, b->session->process);
	if (c == 0 && o->apart & QUERY_BY_MACHINE)
		c = strcmp(a->session->machine, b->session->machine);
	for (size_t i = 0; i < o->n_keys && c == 0; i++)
		c = compare_keys(&a->keys[i], &b->keys[i]);
	return c;
}

double result_mean(const struct query_result *r)
{
	unsigned __int128 sum = (unsigned __int128)r->high << 64 | r->number;

	if (r->count == 0)
		return 0;
	return (r->is_signed ? (double)(__int128)sum : (double)sum) / (double)r->count;
}

void result_add_sum(struct query_result *r, const struct query_result *other)
{
	unsigned __int128 sum = (unsigned __int128)r->high << 64 | r->number;

	sum += (unsigned __int128)other->high << 64 | other->number;
	r->number = (uint64_t)sum;
	r->high = (uint64_t)(sum >> 64);
	r->count += other->count;
	r->mean = result_mean(r);
}
