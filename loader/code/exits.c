/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a function's exits are patched. cfg.c finds them.
 *
 * An exit is patched together with whole instructions before it, until there are five bytes. These must be in the
 * same run: no jump leads among them, and none is a call. If they are too short, the padding behind the exit is used
 * too. If that isn't enough, two bytes are: a short jump leads to padding nearby that has room for the long jump. In
 * the stub the displaced instructions run first, then the probe, then the exit. So the probe sees the stack pointer
 * as it was at the entry, and it points to the return address. Nor can an exception handler that no table mentions
 * begin among displaced instructions: before it leaves the function, it must pass the exception to the language's
 * runtime by a call, and there is no call among them.
 *
 * In a Go function one instruction of five bytes or more is replaced. The instructions behind it run in the stub as
 * well, but their originals stay unchanged:
 *
 *	        mov  24(%rsp), %rbp          ; five bytes, or eight: what becomes the jump
 *	        add  $32, %rsp               ; these are copied, and otherwise left alone:
 *	        ret                          ; a goroutine that was stopped here goes on here
 *
 * An instruction of four bytes is enough if the last byte of the jump, the highest of its distance, equals the first
 * byte of the next instruction. Then a goroutine that continues there finds no change. For example
 *
 *	        add  $32, %rsp               ; since Go 1.21
 *	        pop  %rbp                    ; 5d: a stub that is 0x5d...... bytes away
 *	        ret
 *
 * The reason is that the runtime stops goroutines at nearly any instruction (go.c), and no thread's stack shows
 * where. The runtime also looks up every address at which a signal finds a goroutine, and ends the program if that
 * address is padding; so there are no jumps to padding in Go code. And it turns a fault into a panic if it knows the
 * instruction. So no instruction that may fault is displaced; accesses to the stack don't fault.
 */
#include "cfg.h"
#include "loader/process/go.h"

#include <stdlib.h>

static const char NO_ROOM[] = "an exit has no room for a jump";
static const char NO_ROOM_BESIDE[] =
	"an exit has no room for a jump beside what another tracer's probe of the entry has displaced";
static const char NO_ROOM_IN_GO[] = "an exit of the Go function has no instruction large enough for a jump, and a "
				    "goroutine may have been stopped between smaller ones";

/*
 * Code of a Go function that no path reaches is where the runtime continues after a recovered panic: the function
 * then returns by an exit of its own.
 */
static const char *check_exit(const struct body *b, const struct step *s)
{
	if (!s->reached || (s->guessed && !(b->f->go && s->depth == 0)))
		return "an exit can be reached by an exception only, or not at all";
	if (s->kind == RET)
		return s->depth != 0 && s->depth != UNKNOWN ? "a ret doesn't return to the caller" : NULL;
	if (s->depth == UNKNOWN)
		return "it can't be known whether a jump leaves the function or leads to a part of it";
	return NULL;
}

/* May instruction i be displaced together with the one behind it? */
static bool joins_next(const struct body *b, size_t i)
{
	const struct step *s = &b->v[i];

	return (s->kind == PLAIN || s->kind == PADDING || s->kind == BRANCH) && s->reached &&
	       !b->target[b->v[i + 1].at] && !b->handler[b->v[i + 1].at] && !(b->f->go && s->faults);
}

/*
 * Bytes for alignment only. If the function also contains other bytes that no path reaches, these may be padding, or
 * data that looks like it.
 */
static void find_padding(struct body *b, bool *certain)
{
	size_t end = b->f->next_known ? b->f->next : (b->f->size + 15) & ~(size_t)15, length;

	*certain = true;
	for (size_t i = 0; i < b->n; i++) {
		const struct step *s = &b->v[i];
		bool free = !s->reached && wl_flow_padding(b, s->at, &length);

		*certain &= s->reached || free;
		for (size_t o = 0; free && o < s->len; o++)
			free = !b->target[s->at + o] && !b->handler[s->at + o];
		memset(b->padding + s->at, free, s->len);
	}
	for (size_t at = b->f->size; at < end && at < b->f->available && wl_flow_padding(b, at, &length); at += length)
		for (size_t o = at; o < at + length && o < end && o < b->f->available; o++)
			b->padding[o] = true;
}

static size_t padding_at(const struct body *b, size_t at, size_t want)
{
	size_t n = 0;

	while (n < want && at + n < b->f->available && b->padding[at + n])
		n++;
	return n;
}

static bool in_one_page(uint64_t addr, size_t n)
{
	return addr / 4096 == (addr + n - 1) / 4096;
}

/* The nearest five bytes of padding that a short jump at `from` reaches, or 0. */
static size_t find_cave(const struct body *b, size_t from)
{
	size_t lo = from + WL_SHORT_SIZE > 128 ? from + WL_SHORT_SIZE - 128 : 1, hi = from + WL_SHORT_SIZE + 127,
	       best = 0;

	for (size_t at = lo; at <= hi && at < b->f->available; at++)
		if (padding_at(b, at, WL_JUMP_SIZE) == WL_JUMP_SIZE && in_one_page(b->f->addr + at, WL_JUMP_SIZE) &&
			wl_process_is_unpatched(b->p, b->f->addr + at, WL_JUMP_SIZE) &&
			(!best || llabs((long long)at - (long long)from) < llabs((long long)best - (long long)from)))
			best = at;
	return best;
}

static const char LEADS_INTO_PATCH[] = "one of its jump tables leads into the bytes to be patched at an exit";
static const char CROSSES_PAGE[] =
	"the bytes of an exit that are to be patched cross a page, and can't be written at once";

/* Instructions first to i, and the padding behind, become a patch of which `want` bytes are written. */
static const char *patch_take(struct body *b, size_t first, size_t i, size_t pad, size_t want, struct wl_displaced *d)
{
	size_t at = b->v[first].at, end = b->v[i].at + b->v[i].len;

	*d = (struct wl_displaced){
		.addr = b->f->addr + at, .len = (uint8_t)(end + pad - at), .exits = (uint8_t)(1u << (i - first))};
	for (size_t k = first; k <= i; k++)
		d->at[d->n_insns++] = (uint8_t)(b->v[k].at - at);
	memcpy(d->bytes, b->f->code + at, d->len);
	for (size_t o = at + 1; o < at + d->len && o < b->f->size; o++)
		if (b->target[o])
			return LEADS_INTO_PATCH;
	if (!in_one_page(d->addr, want))
		return CROSSES_PAGE;
	memset(b->padding + end, false, pad);
	return NULL;
}

/* The same for the exit of a Go function: from the instruction on that the jump is to replace. */
static const char *make_patch_in_go(struct body *b, size_t i, size_t taken, struct wl_displaced *d)
{
	enum { SHORTER = WL_JUMP_SIZE - 1 };
	size_t end = b->v[i].at + b->v[i].len, of_four = i + 1;
	const char *why;

	for (size_t k = i;; k--) {
		const struct step *s = &b->v[k];

		if (end - s->at > WL_DISPLACED_MAX)
			break;
		if (s->len >= WL_JUMP_SIZE)
			return patch_take(b, k, i, 0, WL_JUMP_SIZE, d);
		/* above it: there is nothing below most programs */
		if (of_four > i && s->len == SHORTER && k < i && b->f->code[s->at + SHORTER] < 0x80)
			of_four = k;
		if (k == 0 || i - k + 1 == WL_DISPLACED_INSNS || !joins_next(b, k - 1) || b->v[k - 1].at < taken)
			break;
	}
	if (of_four > i)
		return NO_ROOM_IN_GO;
	why = patch_take(b, of_four, i, 0, WL_JUMP_SIZE, d);
	d->keeps = true;
	return why;
}

/*
 * The patch of the exit at instruction i, clear of the first `taken` bytes, that takes `want` bytes of it, the
 * instructions before and the padding behind.
 */
static const char *make_patch(struct body *b, size_t i, size_t taken, size_t want, struct wl_displaced *d)
{
	size_t first = i, len = b->v[i].len, pad = 0;

	if (b->f->go)
		return make_patch_in_go(b, i, taken, d);
	while (len < want && first > 0 && i - first + 1 < WL_DISPLACED_INSNS && joins_next(b, first - 1) &&
		b->v[first - 1].at >= taken) {
		first--;
		len += b->v[first].len;
	}
	if (len < want && b->v[i].kind != LEAVE_IF)
		pad = padding_at(b, b->v[i].at + b->v[i].len, want - len);
	if (len + pad < want)
		return NO_ROOM;
	return patch_take(b, first, i, pad, want, d);
}

/* An exit that has room for a short jump only: that leads to a long one, in padding near by. */
static const char *make_short_patch(struct body *b, size_t i, size_t taken, struct wl_displaced *d)
{
	const char *why = make_patch(b, i, taken, WL_SHORT_SIZE, d);
	size_t cave = why ? 0 : find_cave(b, d->addr - b->f->addr);

	if (why)
		return why;
	if (!cave)
		return NO_ROOM;
	d->cave = b->f->addr + cave;
	memcpy(d->cave_bytes, b->f->code + cave, WL_JUMP_SIZE);
	memset(b->padding + cave, false, WL_JUMP_SIZE);
	return NULL;
}

/* The exit is among the instructions that the entry's patch displaces anyway. */
static const char *mark_in_entry(const struct body *b, size_t i, struct wl_displaced *entry)
{
	uint64_t at = b->f->addr + b->v[i].at - (entry ? entry->addr : 0);

	if (!entry)
		return "an exit is among the first instructions, which another tracer's probe of the entry has "
		       "displaced";
	for (unsigned k = 0; k < entry->n_insns; k++)
		if (entry->at[k] == at) {
			entry->exits |= (uint8_t)(1u << k);
			return NULL;
		}
	return "an exit is in the bytes patched at its entry";
}

/*
 * All exits that have room for a long jump, and then the others, so that none takes padding for a cave that another one
 * needs.
 */
static const char *patch_exits(struct body *b, struct wl_displaced *entry, struct wl_displaced *patches, size_t *n)
{
	size_t start = entry ? entry->addr + entry->len - b->f->addr : b->f->taken;
	bool certain;

	find_padding(b, &certain);
	if (start > b->f->size)
		memset(b->padding + b->f->size, false,
			start < b->f->available ? start - b->f->size : b->f->available - b->f->size);
	for (unsigned pass = 0; pass < 2; pass++) {
		size_t taken = start;

		for (size_t i = 0; i < b->n; i++) {
			struct step *s = &b->v[i];
			const char *why = NULL;

			if (!wl_flow_exit(b, i))
				continue;
			if (s->at < start)
				why = pass == 0 ? mark_in_entry(b, i, entry) : NULL;
			else if (!s->patched)
				why = pass == 0 ? make_patch(b, i, taken, WL_JUMP_SIZE, &patches[*n])
						: make_short_patch(b, i, taken, &patches[*n]);
			if (why && (why != NO_ROOM || pass == 1 || !certain))
				return why == NO_ROOM && !entry && start ? NO_ROOM_BESIDE : why;
			if (!why && s->at >= start && !s->patched) {
				s->patched = true;
				++*n;
			}
			taken = s->at + s->len;
		}
	}
	return NULL;
}

const char wl_never_returns[] = "it has no exit: it never returns";

static const char *patches_collect(struct body *b, struct wl_displaced *entry, struct wl_displaced **patches, size_t *n)
{

	for (size_t i = 0; i < b->n; i++) {
		const char *why;

		if (!wl_flow_exit(b, i))
			continue;
		b->leaves.exits++;
		b->leaves.tails += b->v[i].kind != RET;
		why = check_exit(b, &b->v[i]);
		if (why)
			return why;
	}
	if (!b->leaves.exits)
		return wl_never_returns;
	*patches = calloc(b->leaves.exits, sizeof(**patches));
	return *patches ? patch_exits(b, entry, *patches, n) : "there is no memory to analyse it";
}

const char *wl_body_exits(const struct wl_function *f, const struct wl_process *p, struct wl_displaced *entry,
	struct wl_displaced **patches, size_t *n, struct wl_leaves *leaves, struct wl_parts *parts)
{
	struct body b = {.f = f, .p = p, .parts = parts};
	struct wl_go_check check;
	/* at an exit there is as much of the stack as behind it */
	const char *why = f->go ? wl_go_find_check(f->code, f->size, &check) : NULL;

	*parts = (struct wl_parts){0};
	*patches = NULL;
	*n = 0;
	if (!why)
		why = wl_flow_read(&b);
	if (!why)
		why = patches_collect(&b, entry, patches, n);
	*leaves = b.leaves;
	wl_flow_free(&b);
	if (why) {
		free(*patches);
		*patches = NULL;
		*n = 0;
	}
	return why;
}
