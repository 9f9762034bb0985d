/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of messages about values, functions and costs. Nothing here has a part in the verdict: it runs when
 * something was refused, or to explain.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check.h"
#include "verifier/proof/rank.h"

/* ---- values ---- */

void wv_flags_print(unsigned flags, char *buf, size_t size)
{
	static const char *const name[] = {"carry", "zero", "sign", "overflow", "parity"};
	size_t n = 0;
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
		if ((flags >> i & 1) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", name[i]);
	}
}

/* A limit. Readers recognise 2^64-8, but not 18446744073709551608. */
void wv_limit_print(uint64_t n, char *buf, size_t size)
{
	uint64_t below = 0 - n;
	if (below - 1 < 1 << 16)
		snprintf(buf, size, "2^64-%" PRIu64, below);
	else
		snprintf(buf, size, "%" PRIu64, n);
}

/* "[0, 63]"; false: the number may be any. */
static bool range_print(const struct wv_num *n, char *buf, size_t size)
{
	char least[24], most[24];
	bool is_signed = n->smin < 0 && n->smin > INT64_MIN / 2;
	if (is_signed) {
		snprintf(buf, size, "[%" PRId64 ", %" PRId64 "]", n->smin, n->smax);
		return true;
	}
	wv_limit_print(n->umax, most, sizeof most);
	wv_limit_print(n->umin, least, sizeof least);
	snprintf(buf, size, "[%s, %s]", least, most);
	return n->umin != 0 || n->umax != UINT64_MAX;
}

static void number_print(const struct wv_num *n, char *buf, size_t size)
{
	char range[64];
	if (wv_num_is_const(n))
		snprintf(buf, size, "%" PRId64, n->smin);
	else if (range_print(n, range, sizeof range))
		snprintf(buf, size, "a number in %s", range);
	else
		snprintf(buf, size, "any number");
}

/* "stack-20", "state+[0, 8]" */
static void pointer_print(const struct wv_val *v, char *buf, size_t size)
{
	const struct wv_num *n = &v->n;
	const char *region = wv_region_name(v->region);
	char range[64];
	if (wv_num_is_const(n))
		snprintf(buf, size, "%s%s%" PRId64, region, n->smin < 0 ? "" : "+", n->smin);
	else if (range_print(n, range, sizeof range))
		snprintf(buf, size, "%s+%s", region, range);
	else
		snprintf(buf, size, "%s plus any number", region);
}

void wv_val_print(const struct wv_val *v, char *buf, size_t size)
{
	switch (v->kind) {
	case WV_NUM:
		if (v->init && v->init < 64) /* and the rest is the host's */
			snprintf(buf, size, "a number of which the probe has set only the low %u bits", v->init);
		else
			number_print(&v->n, buf, size);
		break;
	case WV_PTR: pointer_print(v, buf, size); break;
	case WV_SAVED: snprintf(buf, size, "what %s held at the entry", ward_register_name(v->region)); break;
	default: snprintf(buf, size, "a value that the probe has not set"); break;
	}
}

/* ---- functions ---- */

/*
 * The search through the entries runs only for violations that will be shown: a module may have many entries and many
 * violations.
 */
const char *wv_function_name(const struct wv_check *c, const struct wv_function *f, char buf[WV_FUNCTION_NAME])
{
	uint64_t pc = c->module->text.addr + f->entry;
	snprintf(buf, WV_FUNCTION_NAME, "the function at 0x%" PRIx64, pc);
	for (uint32_t i = 0; c->sink->count < WARD_MAX_VIOLATIONS && i < c->module->n_entries; i++) {
		struct wv_entry e = wv_module_entry(c->module, i);
		if (e.addr == pc) {
			snprintf(buf, WV_FUNCTION_NAME, "%.60s", e.name);
			break;
		}
	}
	return buf;
}

/*
 * How often the loop goes back in a run of its function: for each time that those around it do, but for a loop that
 * shares a cursor for each entry to the loop that owns it. The factors of that, the loop's own first.
 */
static unsigned nest_factors(const struct wv_function *f, const struct wv_loop *l, uint64_t of[WV_MAX_NESTING])
{
	unsigned n = 0;
	while (l && n < WV_MAX_NESTING) {
		uint32_t around = l->cursor ? f->loops[f->cursors[l->cursor - 1].owner].parent : l->parent;
		if (l->claim)
			of[n++] = l->back_edges;
		l = around == WV_NO_LOOP ? NULL : &f->loops[around];
	}
	return n;
}

static uint64_t times_in_all(const struct wv_function *f, const struct wv_loop *l)
{
	uint64_t of[WV_MAX_NESTING], times = 1;
	for (unsigned n = nest_factors(f, l, of); n > 0; n--) {
		if (__builtin_mul_overflow(times, of[n - 1], &times))
			return UINT64_MAX;
	}
	return times;
}

/* The loop within others that goes back most often; NULL: there is none. */
static const struct wv_loop *longest_in_nest(const struct wv_function *f, uint64_t *most)
{
	const struct wv_loop *longest = NULL;
	*most = 0;
	for (const struct wv_loop *l = f->loops; l < f->loops + f->n_loops; l++) {
		uint64_t times = l->claim && l->parent != WV_NO_LOOP ? times_in_all(f, l) : 0;
		if (times > *most) {
			longest = l;
			*most = times;
		}
	}
	return longest;
}

/* ", and one within another 4097 x 256 = 1048832 times": the outermost loop first. Of a deep nest the product alone. */
static void product_print(const struct wv_function *f, const struct wv_loop *l, uint64_t times, char *buf, size_t size)
{
	uint64_t of[WV_MAX_NESTING];
	char factors[100] = "", factor[24];
	size_t at = 0;
	for (unsigned n = nest_factors(f, l, of); n > 0 && at < sizeof factors; n--) {
		wv_limit_print(of[n - 1], factor, sizeof factor);
		at += (size_t)snprintf(factors + at, sizeof factors - at, "%s %s ", factor, n > 1 ? "x" : "=");
	}
	wv_limit_print(times, factor, sizeof factor);
	snprintf(buf, size, ", and one within another %s%s times", at < sizeof factors ? factors : "",
		times == UINT64_MAX ? "more than 2^64" : factor);
}

/* The loop of a function that has most back edges in a run; NULL: none has any. */
static const struct wv_loop *longest_loop(const struct wv_function *f, uint64_t *most)
{
	const struct wv_loop *longest = NULL;
	*most = 0;
	for (const struct wv_loop *l = f->loops; l < f->loops + f->n_loops; l++) {
		if (l->claim && l->back_edges > *most) {
			longest = l;
			*most = l->back_edges;
		}
	}
	return longest;
}

uint64_t wv_cost_print(const struct wv_check *c, const struct wv_function *f, char *buf, size_t size)
{
	uint64_t pc = c->module->text.addr + f->entry;
	char worst[40] = "more than 2^64", name[WV_FUNCTION_NAME], times[24], round[240] = "";
	uint64_t most, in_nest;
	const struct wv_loop *l = longest_loop(f, &most), *nested = longest_in_nest(f, &in_nest);
	if (f->cost != UINT64_MAX)
		snprintf(worst, sizeof worst, "%" PRIu64, f->cost);
	if (l) {
		pc = c->module->text.addr + f->blocks[l->head].addr;
		wv_limit_print(most, times, sizeof times);
		size_t n = (size_t)snprintf(
			round, sizeof round, "; this loop may go back %s time%s", times, wv_plural(most));
		if (nested && in_nest > most)
			product_print(f, nested, in_nest, round + n, sizeof round - n);
	}
	snprintf(buf, size, "a run of %s may take %s instructions; the limit is %" PRIu64 "%s",
		wv_function_name(c, f, name), worst, c->max_insns, round);
	return pc;
}

void wv_registers_print(uint32_t mask, char *buf, size_t size)
{
	size_t n = 0;
	for (unsigned r = 0; r < 32 && n < size; r++) {
		if (mask >> r & 1)
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", ward_register_name(r));
	}
}
