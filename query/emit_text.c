/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts in the probe's source. One that is compared with a constant is compared where it is, and never copied. Others
 * are copied into what they are a part of: a key, a record, what is kept of a pair's first event.
 */
#include <inttypes.h>
#include <string.h>

#include "emitter.h"

enum { MOST_USER = 4096, MOST_KERNEL = 64 };

void emit_text(struct emitter *e, const char *text)
{
	fputc('"', e->out);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
			     strchr("/._- !:*<>(),+=@#", *p);

		fprintf(e->out, plain ? "%c" : "\\%03o", *p);
	}
	fputc('"', e->out);
}

/* In the kernel: the name of the running thread. */
static bool is_process(const struct expr *text)
{
	return text->kind == EXPR_STRING && text->a->kind == EXPR_FIELD && text->a->value == FIELD_PROCESS;
}

static void emit_local(struct emitter *e, const char *text, size_t n)
{
	fprintf(e->out, "(const char[%zu]){", n ? n : 1);
	emit_text(e, text);
	fprintf(e->out, "}, %zu", n);
}

void emit_match(struct emitter *e, const struct expr *x)
{
	bool kernel = e->q->plan.sites[0].is_kernel;
	/* of one that is equal its zero byte is compared as well */
	size_t n = strlen(x->b->text) + (x->op != OP_STARTS);

	fputs(x->op == OP_NE ? "!" : "", e->out);
	if (x->a->kind == EXPR_CAPTURE) {
		fprintf(e->out, "ward_query_same(first.capture%u, sizeof(first.capture%u), ", x->a->which, x->a->which);
		emit_text(e, x->b->text);
		fprintf(e->out, ", %zu)", n);
	} else if (x->a->kind != EXPR_STRING) {
		query_fail(e->err, x->span, NULL, "a text of the session is not known in the probe");
	} else if (n > (kernel ? MOST_KERNEL : MOST_USER)) {
		query_fail(e->err, x->b->span, NULL, "a text of more than %d bytes",
			(kernel ? MOST_KERNEL : MOST_USER) - 1);
	} else if (is_process(x->a)) {
		fputs("ward_query_is_process(", e->out);
		emit_local(e, x->b->text, n);
		fputc(')', e->out);
	} else {
		fputs("ward_query_match(", e->out);
		emit_local(e, x->b->text, n);
		fputs(", ", e->out);
		emit_as(e, false, x->a->a);
		fputc(')', e->out);
	}
}

void emit_length(struct emitter *e, const struct expr *x)
{
	if (x->a->kind == EXPR_CAPTURE) {
		fprintf(e->out, "ward_query_length(first.capture%u, sizeof(first.capture%u))", x->a->which,
			x->a->which);
		return;
	}
	if (x->a->kind != EXPR_STRING || is_process(x->a)) {
		query_fail(e->err, x->span, NULL, "a text of the session is not known in the probe");
		return;
	}
	fprintf(e->out, "ward_query_length_at(%" PRIu64 ", ", x->a->value < 64 ? x->a->value : 64);
	emit_as(e, false, x->a->a);
	fputc(')', e->out);
}

void emit_text_copy(struct emitter *e, const char *to, const struct expr *text)
{
	if (text->kind == EXPR_CAPTURE) {
		fprintf(e->out, "\t__builtin_memcpy(%s, first.capture%u, sizeof(%s));\n", to, text->which, to);
	} else if (is_process(text)) {
		fprintf(e->out, "\tward_query_process(%s);\n", to);
	} else {
		fprintf(e->out, "\tward_query_str(%s, sizeof(%s), ", to, to);
		emit_as(e, false, text->a);
		fputs(");\n", e->out);
	}
}
