/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --export: an entry of a map becomes a stack, whose weight is the entry's value. The parts of the key are its frames,
 * the first one the outermost, below a frame that is called like the map. A part that is a stack (ward_stack) is all
 * of its frames. Only what adds up has a weight: counts and
 * sums. What found no room in the map has a frame of its own, so that the sum of all is right.
 */
#include <stdlib.h>
#include <string.h>

#include "export.h"

enum { MOST_PARTS = 32, MOST_FRAMES = 512, TEXT = 400, TEXTS = 1 << 17 };

/* The part of a value that is its weight, or NULL. */
static const struct ward_field *find_weight(const struct ward_field *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (parts[i].kind == WARD_FIELD_COUNT || parts[i].kind == WARD_FIELD_STAT ||
			(parts[i].kind == WARD_FIELD_VALUE && !parts[i].is_address && !parts[i].is_site &&
				!parts[i].enumeration && parts[i].unit != WARD_UNIT_TIME))
			return &parts[i];
	return NULL;
}

/* The schema's and the results' parts have the same order: keys, then values. */
static const struct ward_field *field_weight(const struct ward_field *f)
{
	return find_weight(f->parts + f->n_keys, f->n_values);
}

bool export_field_has_stacks(const struct ward_field *f)
{
	if (f->kind != WARD_FIELD_MAP)
		return false;
	return f->n_values == 0 || field_weight(f);
}

struct export_measure export_field_measure(const struct ward_field *f)
{
	const struct ward_field *weight = f->n_values ? field_weight(f) : f;
	bool is_time = weight->unit == WARD_UNIT_COUNTS || weight->unit == WARD_UNIT_NS;
	return (struct export_measure){weight->name, is_time ? "nanoseconds" : "count"};
}

struct stack {
	struct export_frame frame[MOST_FRAMES + 1];
	char text[TEXTS];
	size_t n, used;
};

/* Of a name's frame the place within the function is left out: it would part what a flame graph adds up. */
static struct export_frame make_frame(char *name)
{
	static const char mark[] = " (inlined)";
	char *plus = strrchr(name, '+');
	size_t n = strlen(name), end = sizeof(mark) - 1;
	bool is_inlined = n > end && strcmp(name + n - end, mark) == 0;
	if (is_inlined)
		name[n - end] = 0;
	else if (plus && strncmp(plus, "+0x", 3) == 0 && strchr(name, '!'))
		*plus = 0;
	return (struct export_frame){.function = name, .is_inlined = is_inlined};
}

size_t export_files_frames(char *text, struct export_frame *frames, size_t most)
{
	size_t n = 0;
	for (char *last = text; last && n < most; n++) {
		last = strrchr(text, ';');
		frames[n] = make_frame(last ? last + 1 : text);
		if (last)
			*last = 0;
	}
	return n;
}

/*
 * A stack that a probe has taken is named by its functions, the innermost last. Returns false if the address is no
 * stack, or has no name.
 */
static bool add_stack(struct stack *s, const struct cli_output *out, uint64_t address, struct cli_origin from)
{
	char *text = s->text + s->used, *frames = cli_stack_text(out, address, from);
	size_t length = frames ? strlen(frames) + 1 : 0;
	bool fits = frames && sizeof(s->text) - s->used >= length;
	if (fits)
		memcpy(text, frames, length);
	free(frames);
	if (!fits)
		return false;
	s->used += length;
	s->n += export_files_frames(text, s->frame + s->n, MOST_FRAMES - s->n);
	return true;
}

/* A number alone says nothing: its name is before it. */
static void add_part(struct stack *s, const struct cli_output *out, const struct ward_field *part,
	struct cli_origin from, bool is_alone)
{
	bool is_name = part->text || part->is_address || part->is_site || part->enumeration;
	char *text = s->text + s->used;
	if (part->is_address && !part->value && !is_alone) /* no stack: as of the kernel, where it was in user mode */
		return;
	if (part->is_address && add_stack(s, out, part->value, from))
		return;
	if (s->n == MOST_FRAMES || sizeof(s->text) - s->used < TEXT)
		return;
	int n = is_name || is_alone ? 0 : snprintf(text, TEXT, "%.100s=", part->name);
	cli_field_text(out, text + n, TEXT - (size_t)n, part, from);
	s->used += strlen(text) + 1;
	s->frame[s->n++] = (struct export_frame){.function = text, .address = part->is_address ? part->value : 0};
}

/* A key without parts is a number, or what its enumeration calls it. */
static void add_key(
	struct stack *s, const struct cli_output *out, const struct ward_field *f, const struct ward_map_entry *e)
{
	struct cli_origin from = {.thread = e->thread};
	if (e->keys) {
		for (uint32_t i = f->n_keys < MOST_PARTS ? f->n_keys : MOST_PARTS; i-- > 0;)
			add_part(s, out, &e->keys[i], from, f->n_keys == 1);
		return;
	}
	struct ward_field key = {.name = "key",
		.kind = WARD_FIELD_VALUE,
		.value = e->key,
		.value_is_signed = f->key_is_signed,
		.is_address = f->is_address,
		.is_site = f->is_site,
		.enumeration = f->enumeration};
	add_part(s, out, &key, from, true);
}

/* A weight below zero, as a signed sum can be, can't be drawn; 0 of what isn't a sum of 64 bits. */
static int64_t entry_weight(const struct ward_field *f, const struct ward_map_entry *e)
{
	if (!e->values)
		return (int64_t)e->value;
	const struct ward_field *weight = find_weight(e->values, f->n_values);
	return weight ? (int64_t)weight->value : 0;
}

void export_files_stack(struct export_files *x, const struct export_frame *frames, size_t n, int64_t weight)
{
	const struct export_stack stack = {.frames = frames, .n = n, .values = &weight};
	for (size_t i = 0; i < x->n; i++)
		export_stack_add(x->at[i].export, &stack);
}

static void put_stack(struct export_files *x, struct stack *s, const struct ward_field *f, int64_t weight)
{
	s->frame[s->n] = (struct export_frame){.function = f->name};
	export_files_stack(x, s->frame, s->n + 1, weight);
}

/* What found no room is said below the results; here it has a frame. */
static void put_map(struct export_files *x, const struct cli_output *out, const struct ward_field *f, struct stack *s)
{
	for (size_t i = 0; i < f->n; i++) {
		s->n = s->used = 0;
		add_key(s, out, f, &f->entries[i]);
		put_stack(x, s, f, entry_weight(f, &f->entries[i]));
	}
	if (!f->other)
		return;
	s->n = 1;
	s->frame[0] = (struct export_frame){.function = "(keys that found no room)"};
	put_stack(x, s, f, entry_weight(f, f->other));
}

void export_files_snapshot(struct export_files *x, const struct cli_output *out, const ward_snapshot *snapshot)
{
	struct stack *s = x->measure.name ? malloc(sizeof(*s)) : NULL;
	for (size_t i = 0; s && i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);
		if (!export_field_has_stacks(f))
			continue;
		if (strcmp(export_field_measure(f).unit, x->measure.unit) == 0) {
			put_map(x, out, f, s);
			continue;
		}
		cli_print_clean(stderr, f->name);
		fprintf(stderr, " isn't among the exported stacks, which are made of a %s\n", x->measure.unit);
	}
	free(s);
}
