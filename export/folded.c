/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks: a line for each stack, frames from the outermost to the innermost with semicolons between, a space,
 * and the first measure. flamegraph.pl, Speedscope and many others read it.
 */
#include <inttypes.h>

#include "format.h"

/* What would part a frame or a line is another character. flamegraph.pl has the mark of what is inlined. */
static void put_frame(FILE *file, const struct export_frame *frame)
{
	for (const char *c = frame->function; *c; c++)
		fputc(*c == ';' ? ':' : *c == '\n' || *c == '\r' ? ' ' : *c, file);
	if (frame->is_inlined)
		fputs("_[i]", file);
}

static void folded_begin(export *e)
{
	(void)e;
}

static void folded_stack(export *e, const struct export_stack *stack)
{
	for (size_t i = stack->n; i-- > 0;) {
		put_frame(e->file, &stack->frames[i]);
		fputc(i ? ';' : ' ', e->file);
	}
	if (stack->n)
		fprintf(e->file, "%" PRId64 "\n", stack->values[0]);
}

static void folded_end(export *e)
{
	(void)e;
}

const struct export_format export_folded = {.name = "folded",
	.viewers = "flamegraph.pl, speedscope.app, inferno",
	.size = sizeof(struct export),
	.begin = folded_begin,
	.stack = folded_stack,
	.end = folded_end};
