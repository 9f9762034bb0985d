// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of a session: tallies, then a state for each processor. Of two states none share a cache line, nor large
 * ones a page, but for the part that all of them share: that is the same pages in each state. Then the table of stacks.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "ward.h"

/* Where in the states the pages are that each has. */
struct layout {
	size_t states, states_end, stride, shared, shared_end; /* all pages; the part: in a state */
};

/* The page in the first state that this one is, too; itself, if it is no other. */
static size_t first_place(const struct layout *at, size_t page)
{
	size_t in_state;

	if (page < at->states || page >= at->states_end)
		return page;
	in_state = (page - at->states) % at->stride;
	return in_state >= at->shared && in_state < at->shared_end ? at->states + in_state : page;
}

/* Each page once: those that are there again have a place before. */
static void pages_free(struct page **pages, size_t n, const struct layout *at)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (pages[i] && first_place(at, i) == i)
			__free_page(pages[i]);
	kvfree(pages);
}

static struct layout layout_of(const struct ward_session *s)
{
	return (struct layout){
		.states = s->states_offset >> PAGE_SHIFT,
		.states_end = (s->states_offset + s->state_stride * nr_cpu_ids) >> PAGE_SHIFT,
		.stride = s->shared_part_size ? s->state_stride >> PAGE_SHIFT : 1,
		.shared = s->shared_part >> PAGE_SHIFT,
		.shared_end = (s->shared_part + s->shared_part_size) >> PAGE_SHIFT,
	};
}

void ward_forget_states(struct ward_session *s)
{
	const struct layout at = layout_of(s);

	vunmap(s->shared);
	if (s->pages)
		pages_free(s->pages, s->shared_size >> PAGE_SHIFT, &at);
	s->shared = NULL;
	s->stacks = NULL;
	s->pages = NULL;
}

static int pages_make(struct ward_session *s)
{
	const struct layout at = layout_of(s);
	size_t n = s->shared_size >> PAGE_SHIFT, i;

	s->pages = kvcalloc(n, sizeof(*s->pages), GFP_KERNEL_ACCOUNT);
	if (!s->pages)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		size_t first = first_place(&at, i);

		s->pages[i] = first < i ? s->pages[first] : alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!s->pages[i])
			return -ENOMEM;
	}
	s->shared = vmap(s->pages, n, VM_MAP, PAGE_KERNEL);
	return s->shared ? 0 : -ENOMEM;
}

int ward_make_states(struct ward_session *s, struct ward_k_load *l)
{
	size_t size = max_t(u32, l->state_size, 1);
	int err;

	s->shared_part = l->shared_offset;
	s->shared_part_size = l->shared_size;
	s->state_stride = size >= 2048 ? round_up(size, PAGE_SIZE) : round_up(size, 128);
	if (s->state_stride > WARD_K_MAX_STATE / nr_cpu_ids)
		return -E2BIG;
	s->states_offset = PAGE_ALIGN((size_t)(1 + nr_cpu_ids) * WARD_K_TALLY_SIZE);
	s->shared_size = PAGE_ALIGN(s->states_offset + s->state_stride * nr_cpu_ids);
	if (l->flags & WARD_K_WITH_STACKS) {
		l->stacks_offset = s->shared_size;
		s->shared_size += WARD_K_STACKS_SIZE;
	}
	err = pages_make(s);
	if (err)
		return err;
	((struct ward_k_tally *)s->shared)->states = nr_cpu_ids;
	if (l->stacks_offset) {
		s->stacks = s->shared + l->stacks_offset;
		s->stacks->mark = BIT_ULL(52);
	}
	l->processors = nr_cpu_ids;
	l->state_stride = s->state_stride;
	l->states_offset = s->states_offset;
	l->map_size = s->shared_size;
	return ward_make_here(s, s->states_offset, s->state_stride);
}
