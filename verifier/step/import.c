/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of imports.
 *
 * An import is a function of the host's behind a slot of the rodata, which the loader fills. The verifier doesn't
 * prove what the import does; the host promises it. The import's row of import.def says what the import wants of its
 * arguments, what it may write, what it leaves, and what it costs. The call is one step over all that. A buffer is
 * the dangerous kind of argument. It is an access of as many bytes as the length argument may at most hold, and mem.c
 * checks it by the same rules as any other access.
 *
 * The probe's own frame above rsp survives the call except for the buffers written, as after any other call. What
 * lies below rsp is lost, since the return address and the import's frame go there. So no buffer may be below rsp;
 * and at a jump, which leaves no frame, none may be in the stack at all.
 *
 * A compiler that doesn't know where a function will be emits a direct call of it, and the linker leads that call to
 * a stub: a jump through the slot. A stub is a function of the proof, but a contract can't say everything that an
 * import may be given (a buffer that isn't set, for example). So sweep.c treats each call of a stub, by call or by
 * jump, as a call of the stub's import, and doesn't check the stub's own jump anywhere else. Therefore no entry may
 * be a stub (V-26): the host's call is checked against a contract only.
 */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>

#include "step_parts.h"

/* The words of import.def. */
enum {
	USER = 1 << WARD_PROFILE_USER,
	KERNEL = 1 << WARD_PROFILE_KERNEL,
};
enum {
	RAX = 1 << WV_RAX,
	RCX = 1 << WV_RCX,
	RDX = 1 << WV_RDX,
	RSI = 1 << WV_RSI,
	RDI = 1 << WV_RDI,
	R8 = 1 << WV_R8,
	R9 = 1 << WV_R9,
	R10 = 1 << WV_R10,
	R11 = 1 << WV_R11,
};
#define ARGUMENTS(...) {__VA_ARGS__}
#define SCALAR {WV_ARG_SCALAR, 0}
#define ID(n) {WV_ARG_ID, n}
#define IN(k) {WV_ARG_IN, k}
#define OUT(k) {WV_ARG_OUT, k}
#define RANGE(lo, hi) .least = lo, .greatest = hi, .upto = -1
#define UPTO(k) .least = 0, .greatest = UINT64_MAX, .upto = k

static const struct wv_signature signatures[WARD_IMPORT_COUNT] = {
/* clang-format off */
#define IMPORT(id, name_, profiles_, tracing, arguments, result, insns_, per_byte_, stack_, clobbers_, text) \
	[WARD_IMPORT_##id] = {.name = name_, .profiles = profiles_, .argument = arguments, result, .insns = insns_, \
		.per_byte = per_byte_, .stack = stack_, .clobbers = clobbers_},
#include "ward/import.def"
#undef IMPORT
	/* clang-format on */
};

const uint8_t wv_argument_register[WV_MAX_ARGUMENTS] = {WV_RDI, WV_RSI, WV_RDX, WV_RCX, WV_R8, WV_R9};

const struct wv_signature *wv_signature(unsigned import)
{
	return import < WARD_IMPORT_COUNT ? &signatures[import] : NULL;
}

const char *ward_import_text(unsigned import)
{
	static const char *const texts[WARD_IMPORT_COUNT] = {
#define IMPORT(id, name, profiles, tracing, arguments, result, insns, per_byte, stack, clobbers, text) \
	[WARD_IMPORT_##id] = text,
#include "ward/import.def"
#undef IMPORT
	};
	return import < WARD_IMPORT_COUNT ? texts[import] : "?";
}

const char *ward_import_name(unsigned import)
{
	return import < WARD_IMPORT_COUNT ? signatures[import].name : "?";
}

/* ---- arguments ---- */

/* One call at work. */
struct call {
	struct wv_ctx *ctx;
	struct wv_state *st;
	uint64_t pc;
	const struct wv_signature *sig;
	uint64_t bytes; /* of all buffers, at most */
};

static void argument_wrong(const struct call *c, unsigned i, const char *reason, const char *what)
{
	char has[120];
	wv_val_print(&c->st->reg[wv_argument_register[i]], has, sizeof has);
	wv_report(c->ctx->sink, WARD_RULE_ARGUMENT, c->pc, reason, "%s is called with %s in %s, argument %u: %s",
		c->sig->name, has, ward_register_name(wv_argument_register[i]), i + 1, what);
}

static void check_buffer(struct call *c, unsigned i, const struct wv_argument *a)
{
	const struct wv_val *at = &c->st->reg[wv_argument_register[i]],
			    *length = &c->st->reg[wv_argument_register[a->detail]];
	const char *reason, *why, *verb = a->kind == WV_ARG_IN ? "reads" : "writes";
	char least[24], most[24], size[60], text[260];
	if (!wv_val_readable(at, 64) || !wv_val_readable(length, 64)) /* reported already, or reported later */
		return;
	if (length->kind != WV_NUM) {
		argument_wrong(c, a->detail, "length-not-number", "the length of a buffer must be a number");
		return;
	}
	why = wv_borrow(c->ctx, c->st, at, &length->n, a->kind == WV_ARG_OUT, &reason);
	if (!why) {
		c->bytes += length->n.umax;
		return;
	}
	wv_limit_print(length->n.umin, least, sizeof least);
	wv_limit_print(length->n.umax, most, sizeof most);
	if (length->n.umin == length->n.umax)
		snprintf(size, sizeof size, "%s", most);
	else
		snprintf(size, sizeof size, "%s to %s", least, most);
	int n = snprintf(
		text, sizeof text, "it %s %s byte%s there, and %s", verb, size, wv_plural(length->n.umax), why);
	if (reason && at->kind == WV_PTR && at->region != WV_STACK && n > 0 && (size_t)n < sizeof text)
		snprintf(text + n, sizeof text - (size_t)n, "; %s has %" PRIu64, wv_region_name(at->region),
			wv_region_size(c->ctx, at->region));
	if (reason) /* else the broken rule is another one */
		argument_wrong(c, i, reason, text);
	else
		wv_report(c->ctx->sink, WARD_RULE_SLOT, c->pc, "read-of-import-slot",
			"%s is called with a buffer in rodata: %s", c->sig->name, text);
}

static void check_argument(struct call *c, unsigned i)
{
	const struct wv_argument *a = &c->sig->argument[i];
	const struct wv_val *v = &c->st->reg[wv_argument_register[i]];
	char text[80];
	if (!wv_val_readable(v, 64)) {
		argument_wrong(c, i, "argument-not-set", "the probe must set all of it");
		return;
	}
	switch (a->kind) {
	case WV_ARG_ID:
		snprintf(text, sizeof text, "it must be a number below %" PRIu32, a->detail);
		if (v->kind != WV_NUM || v->n.umax >= a->detail)
			argument_wrong(c, i, "id-too-large", text);
		break;
	case WV_ARG_IN:
	case WV_ARG_OUT: check_buffer(c, i, a); break;
	default: break;
	}
}

/* ---- the call ---- */

static struct wv_val result_of(struct call *c)
{
	struct wv_num n = wv_num_range(c->sig->least, c->sig->greatest);
	if (c->sig->upto >= 0) {
		const struct wv_val *limit = &c->st->reg[wv_argument_register[c->sig->upto]];
		if (limit->kind == WV_NUM && limit->n.umax < c->sig->greatest)
			n = wv_num_range(c->sig->least, limit->n.umax);
	}
	return wv_val_number(c->ctx, &n);
}

void wv_import_call(struct wv_ctx *ctx, struct wv_state *st, uint64_t pc, unsigned number, uint32_t return_address)
{
	const struct wv_signature *sig = wv_signature(ctx->module->import[number].id);
	struct call c = {.ctx = ctx, .st = st, .pc = pc, .sig = sig};
	if (!sig) /* V-71 was reported of the note */
		return;
	for (unsigned i = 0; i < WV_MAX_ARGUMENTS && sig->argument[i].kind != WV_ARG_NONE; i++)
		check_argument(&c, i);
	struct wv_val result = result_of(&c);
	uint64_t stack = (uint64_t)st->depth + return_address + sig->stack;
	if (stack > ctx->stack_bytes)
		ctx->stack_bytes = (uint32_t)stack;
	ctx->repeats += sig->insns + sig->per_byte * c.bytes;
	ctx->imports |= UINT64_C(1) << number;
	ctx->written |= sig->clobbers;
	ctx->needs |= WARD_NEED_DF_CLEAR;
	wv_state_after_call(st, ~(uint32_t)sig->clobbers); /* all vector registers are kept */
	st->reg[WV_RAX] = result;
}

/* V-22: the eight bytes addressed are exactly those of a slot. */
void wv_step_slot(struct wv_ctx *ctx, struct wv_state *st, const struct wv_insn *insn)
{
	uint32_t number;
	if (wv_module_slot(ctx->module, (uint64_t)insn->mem.disp, &number)) {
		wv_import_call(ctx, st, insn->pc, number, insn->op == WV_CALL_SLOT ? 8 : 0);
		return;
	}
	wv_report(ctx->sink, WARD_RULE_INDIRECT, insn->pc, "indirect-branch",
		"indirect %s through 0x%" PRIx64 ", which is not the slot of an import",
		insn->op == WV_CALL_SLOT ? "call" : "jmp", (uint64_t)insn->mem.disp);
}
