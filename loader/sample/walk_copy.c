/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From frame to frame, as walk.S does it in a target: by the rule that rows have for each address, or by frame pointers
 * where they have none. What is read is in the copy. Each frame is above the one before; only a signal's frame leads
 * elsewhere, as handlers may have a stack of their own, which the copy doesn't have.
 */
#include "walk_copy.h"

#include <string.h>

/* A frame found by its pointer is at most so large. */
static const uint64_t FP_MOST = 1 << 20;

struct frame {
	uint64_t rip, rsp, rbp;
	bool is_exact; /* rip is where it was interrupted, and no return address */
};

/* How a walk goes on. */
enum step { GOES_ON, IS_WHOLE, IS_LOST, IS_CUT };

static enum step word_at(const struct wl_stack_copy *copy, uint64_t at, uint64_t *word)
{
	uint64_t offset = at - copy->rsp;

	if (at % 8 || at < copy->rsp)
		return IS_LOST;
	if (copy->size < 8 || offset > copy->size - 8)
		return copy->is_cut ? IS_CUT : IS_LOST;
	memcpy(word, copy->bytes + offset, 8);
	return GOES_ON;
}

static enum step step_signal(const struct wl_stack_copy *copy, struct frame *f)
{
	uint64_t at = f->rsp;
	enum step step = word_at(copy, at + WL_SIGNAL_RIP, &f->rip);

	if (step == GOES_ON)
		step = word_at(copy, at + WL_SIGNAL_RBP, &f->rbp);
	if (step == GOES_ON)
		step = word_at(copy, at + WL_SIGNAL_RSP, &f->rsp);
	f->is_exact = true;
	return step;
}

static enum step step_by_rbp(const struct wl_stack_copy *copy, struct frame *f)
{
	uint64_t at = f->rbp;
	enum step step;

	if (at - f->rsp > FP_MOST)
		return IS_LOST;
	step = word_at(copy, at + 8, &f->rip);
	if (step == GOES_ON)
		step = word_at(copy, at, &f->rbp);
	f->rsp = at + 16;
	f->is_exact = false;
	return step;
}

/* The address above the return address. */
static enum step find_cfa(
	const struct wl_stack_copy *copy, const struct frame *f, uint64_t at, uint32_t rule, uint64_t *cfa)
{
	int64_t words = (int32_t)rule >> WL_UNWIND_WORDS_SHIFT;
	uint64_t by = (uint64_t)words * 8;
	enum step step;

	switch (rule & WL_UNWIND_KIND_MASK) {
	case WL_UNWIND_RSP: *cfa = f->rsp + by; return GOES_ON;
	case WL_UNWIND_RBP: *cfa = f->rbp + by; return GOES_ON;
	case WL_UNWIND_RBP_DEREF: return word_at(copy, f->rbp + by, cfa);
	case WL_UNWIND_RSP_DEREF:
		step = word_at(copy, f->rsp + by, cfa);
		*cfa += 8;
		return step;
	default: *cfa = f->rsp + ((int64_t)(at & 15) >= words ? 16 : 8); return GOES_ON; /* WL_UNWIND_PLT */
	}
}

static enum step step_by_rule(const struct wl_stack_copy *copy, struct frame *f, uint64_t at, uint32_t rule)
{
	uint32_t below = rule >> WL_UNWIND_RBP_SHIFT & WL_UNWIND_RBP_MASK;
	uint64_t cfa, rbp_at;
	enum step step = find_cfa(copy, f, at, rule, &cfa);

	if (step != GOES_ON)
		return step;
	if (cfa % 8 || cfa - 8 < f->rsp)
		return IS_LOST;
	step = word_at(copy, cfa - 8, &f->rip);
	if (step != GOES_ON)
		return step;
	rbp_at = below == WL_UNWIND_RBP_AT_RBP ? f->rbp : cfa - 8 * (uint64_t)below;
	if (below && rbp_at >= f->rsp) /* else it has been popped already, which compilers don't mention */
		step = word_at(copy, rbp_at, &f->rbp);
	f->rsp = cfa;
	f->is_exact = false;
	return step;
}

void wl_walk_copy(const struct wl_stack_copy *copy, const struct wl_code_map *code, size_t most, struct wl_stack *out)
{
	struct frame f = {copy->rip, copy->rsp, copy->rbp, true};
	enum step step = GOES_ON;

	out->n = 0;
	out->how = WL_STACK_WHOLE;
	most = most && most < WL_STACK_MOST ? most : WL_STACK_MOST;
	while (step == GOES_ON) {
		uint64_t at = f.is_exact ? f.rip : f.rip - 1; /* a return address may be another function's beginning */
		uint32_t rule = wl_code_rule(code, at);

		if (out->n == most) {
			step = IS_CUT;
			break;
		}
		out->address[out->n++] = f.rip | (uint64_t)f.is_exact << WL_STACK_EXACT_BIT;
		switch (rule & WL_UNWIND_KIND_MASK) {
		case WL_UNWIND_END: step = IS_WHOLE; break;
		case WL_UNWIND_SIGNAL: step = step_signal(copy, &f); break;
		case WL_UNWIND_NONE:
			out->how |= WL_STACK_BY_RBP;
			step = step_by_rbp(copy, &f);
			break;
		default: step = step_by_rule(copy, &f, at, rule); break;
		}
		if (step == GOES_ON && !f.rip)
			step = IS_WHOLE;
		if (step == GOES_ON && f.rip >> 47)
			step = IS_LOST;
	}
	out->how |= step == IS_CUT ? WL_STACK_CUT : step == IS_LOST ? WL_STACK_LOST : 0;
}
