/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from call frame information.
 *
 * A section is a list of records. A CIE has what several functions have in common: how addresses are written, and the
 * first instructions. An FDE describes one piece of code: more instructions, of a small machine that goes through the
 * code and says at each step how the CFA is computed and where the caller's registers are. Only the CFA, rbp and the
 * return address matter here. So a state is three rules, and each step of the machine gives a row.
 *
 * The section is hostile input. A cursor checks each read. A CIE's instructions are executed once, not once for each
 * of its FDEs, so that time stays linear. Instructions that can't be expressed as a rule give WL_UNWIND_NONE at the
 * addresses that they are for; broken ones give it up to the end of their piece. Where two pieces overlap, the one
 * that begins later counts.
 */
#include "unwind_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- bytes ---- */

struct cursor {
	const uint8_t *p, *end;
	bool failed;
};

static uint64_t take_bytes(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->failed = true;
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)c->p[i] << 8 * i;
	c->p += n;
	return v;
}

/* A number in LEB128, whose bits beyond 64 are lost. */
static uint64_t take_leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0, byte;
	unsigned shift = 0;

	do {
		byte = take_bytes(c, 1);
		if (shift < 64)
			v |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !c->failed);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

static uint64_t take_unsigned(struct cursor *c)
{
	return take_leb(c, false);
}

static int64_t take_signed(struct cursor *c)
{
	return (int64_t)take_leb(c, true);
}

/* As many bytes as the number before them says. */
static struct cursor take_block(struct cursor *c)
{
	uint64_t n = take_unsigned(c);
	struct cursor block = {c->p, c->p, false};

	if (n > (size_t)(c->end - c->p)) {
		c->failed = true;
		return block;
	}
	c->p += n;
	block.end = c->p;
	return block;
}

enum { OMITTED = 0xff, FORM = 0x0f, RELATIVE = 0x70, PCREL = 0x10 };

/* A pointer in one of the encodings of .eh_frame. `relative`: a distance from where it stands may be meant. */
static uint64_t take_pointer(struct cursor *c, const struct wl_unwind_section *s, uint8_t encoding, bool relative)
{
	static const struct {
		uint8_t size, is_signed;
	} form[16] = {
		[0] = {8, 0}, [2] = {2, 0}, [3] = {4, 0}, [4] = {8, 0}, [0xa] = {2, 1}, [0xb] = {4, 1}, [0xc] = {8, 1}};
	uint64_t at = s->address + (uint64_t)(c->p - s->p);
	unsigned size = form[encoding & FORM].size;
	uint64_t v = take_bytes(c, size);

	if (!size || (encoding & ~FORM & ~PCREL))
		c->failed = true;
	if (form[encoding & FORM].is_signed && size < 8 && v >> (8 * size - 1))
		v |= ~0ull << 8 * size;
	return relative && encoding & PCREL ? v + at : v;
}

/* ---- the machine ---- */

enum { RBP = 6, RSP = 7, RETURN = 16, OTHER = 254, EXPRESSION = 255 };
enum where { UNKNOWN, SAME, UNDEFINED, AT_CFA, AT_RBP };

struct place {
	enum where where;
	int64_t offset; /* AT_CFA */
};

struct state {
	unsigned kind;  /* of the rule; 0: unknown */
	unsigned reg;   /* what the CFA is counted from, if that isn't an expression */
	int64_t offset; /* in bytes; of WL_UNWIND_PLT the number */
	struct place rbp, ret;
};

enum { REMEMBERED = 16 };

struct cie {
	size_t at;
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t encoding;
	bool is_signal, has_sizes; /* the augmentation data's size comes first */
	bool usable;
	struct state first;
};

struct fde {
	uint64_t start, end;
	size_t cie;
	const uint8_t *code, *code_end;
};

struct reader {
	const struct wl_unwind_section *s;
	uint64_t base;
	struct cie *cies;
	size_t n_cies, cap_cies;
	struct fde *fdes;
	size_t n_fdes, cap_fdes;
	struct wl_unwind_rows *rows;
	size_t cap_rows;
	bool no_memory;
};

/* Room for one more. NULL without memory. */
static void *vector_grow(struct reader *r, void *v, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 64;
	void *p;

	if (n < *cap)
		return v;
	p = reallocarray(v, more, size);
	if (!p) {
		r->no_memory = true;
		return NULL;
	}
	*cap = more;
	return p;
}

static void row_add(struct reader *r, uint64_t at, uint32_t rule)
{
	struct wl_unwind_rows *rows = r->rows;
	struct wl_unwind_row *v;

	if (rows->n && rows->v[rows->n - 1].at == at)
		rows->n--;
	if (rows->n ? rows->v[rows->n - 1].rule == rule : rule == WL_UNWIND_NONE)
		return;
	v = vector_grow(r, rows->v, rows->n, &r->cap_rows, sizeof(*v));
	if (!v)
		return;
	rows->v = v;
	v[rows->n++] = (struct wl_unwind_row){(uint32_t)at, rule};
}

enum { WORDS_MOST = 1 << 16, RBP_MOST = WL_UNWIND_RBP_AT_RBP - 1 };

static bool rule_rbp(const struct state *s, unsigned *at)
{
	*at = 0;
	if (s->rbp.where == SAME)
		return true;
	*at = WL_UNWIND_RBP_AT_RBP;
	if (s->rbp.where == AT_RBP)
		return true;
	*at = (unsigned)(-s->rbp.offset / 8);
	return s->rbp.where == AT_CFA && s->rbp.offset <= -16 && s->rbp.offset % 8 == 0 &&
	       s->rbp.offset >= -8 * RBP_MOST;
}

static uint32_t rule_of(const struct state *s)
{
	int64_t words = s->kind == WL_UNWIND_PLT ? s->offset : s->offset / 8;
	unsigned rbp;

	if (s->ret.where == UNDEFINED)
		return WL_UNWIND_END;
	if (s->kind == WL_UNWIND_SIGNAL)
		return WL_UNWIND_SIGNAL;
	if (s->kind == WL_UNWIND_NONE || s->ret.where != AT_CFA || s->ret.offset != -8 || !rule_rbp(s, &rbp) ||
		(s->kind != WL_UNWIND_PLT && s->offset % 8) || words < -WORDS_MOST || words >= WORDS_MOST)
		return WL_UNWIND_NONE;
	return s->kind | rbp << WL_UNWIND_RBP_SHIFT | (uint32_t)words << WL_UNWIND_WORDS_SHIFT;
}

/* The CFA is counted from a register. */
static void cfa_from(struct state *s, uint64_t reg, int64_t offset)
{
	s->kind = reg == RSP ? WL_UNWIND_RSP : reg == RBP ? WL_UNWIND_RBP : WL_UNWIND_NONE;
	s->reg = reg < OTHER ? (unsigned)reg : OTHER;
	s->offset = offset;
}

enum {
	OP_DEREF = 0x06,
	OP_PLUS_UCONST = 0x23,
	OP_BREG_RBP = 0x76,
	OP_BREG_RSP = 0x77,
	OP_LIT0 = 0x30,
	SIGNAL_CFA = WL_SIGNAL_RSP
};

/* rsp + 8, plus 8 if (rip & 15) >= N: what linkers write for their table of jumps. */
static bool is_plt(const uint8_t *p, size_t n, int64_t *number)
{
	static const uint8_t head[] = {OP_BREG_RSP, 8, 0x80, 0, OP_LIT0 + 15, 0x1a}, tail[] = {0x2a, 0x33, 0x24, 0x22};

	if (n != sizeof(head) + 1 + sizeof(tail) || memcmp(p, head, sizeof(head)) != 0 ||
		memcmp(p + sizeof(head) + 1, tail, sizeof(tail)) != 0)
		return false;
	*number = p[sizeof(head)] - OP_LIT0;
	return *number >= 0 && *number <= 15;
}

static void cfa_expression(struct state *s, struct cursor e, bool is_signal)
{
	size_t n = (size_t)(e.end - e.p);
	unsigned op;

	s->kind = WL_UNWIND_NONE;
	s->reg = EXPRESSION;
	if (is_plt(e.p, n, &s->offset)) {
		s->kind = WL_UNWIND_PLT;
		return;
	}
	op = (unsigned)take_bytes(&e, 1);
	s->offset = take_signed(&e);
	if (e.failed || (op != OP_BREG_RSP && op != OP_BREG_RBP))
		return;
	if (e.p == e.end) {
		s->kind = op == OP_BREG_RSP ? WL_UNWIND_RSP : WL_UNWIND_RBP;
		return;
	}
	if (take_bytes(&e, 1) != OP_DEREF)
		return;
	if (e.p == e.end)
		s->kind = op == OP_BREG_RBP                      ? WL_UNWIND_RBP_DEREF
			  : is_signal && s->offset == SIGNAL_CFA ? WL_UNWIND_SIGNAL
								 : WL_UNWIND_NONE;
	else if (op == OP_BREG_RSP && take_bytes(&e, 1) == OP_PLUS_UCONST && take_unsigned(&e) == 8 && e.p == e.end)
		s->kind = WL_UNWIND_RSP_DEREF;
}

/* Where a register's value is, by an expression: only the form for rbp that stack-aligning functions have. */
static struct place place_expression(const struct cursor *e)
{
	bool at_rbp = e->end - e->p == 2 && e->p[0] == OP_BREG_RBP && e->p[1] == 0;

	return (struct place){at_rbp ? AT_RBP : UNKNOWN, 0};
}

static void place_set(struct state *s, uint64_t reg, struct place place)
{
	if (reg == RBP)
		s->rbp = place;
	else if (reg == RETURN)
		s->ret = place;
}

static void place_restore(struct state *s, uint64_t reg, const struct state *first)
{
	if (reg == RBP)
		s->rbp = first->rbp;
	else if (reg == RETURN)
		s->ret = first->ret;
}

struct machine {
	struct cursor c;
	const struct cie *cie;
	struct state now, kept[REMEMBERED];
	unsigned n_kept;
	uint64_t at; /* address */
};

/* `reg` saved at so many bytes from the CFA. */
static void save_at(struct machine *m, uint64_t reg, int64_t offset)
{
	place_set(&m->now, reg, (struct place){AT_CFA, offset});
}

/* Only one of both is new. An expression has neither. */
static void cfa_change(struct machine *m, uint64_t reg, int64_t offset)
{
	m->c.failed |= m->now.reg == EXPRESSION;
	cfa_from(&m->now, reg, offset);
}

static int64_t factored(const struct machine *m, uint64_t n)
{
	return (int64_t)(n * (uint64_t)m->cie->data_factor);
}

/* One that names a register and perhaps something of it. False: it is another one. */
static bool step_register(struct machine *m, unsigned op)
{
	struct cursor *c = &m->c, block;
	uint64_t reg;

	if (op < 0x05 || op == 0x0a || op == 0x0b || op == 0x0e || op == 0x0f || op == 0x13 || op > 0x16)
		return false;
	reg = take_unsigned(c);
	switch (op) {
	case 0x05: /* DW_CFA_offset_extended */ save_at(m, reg, factored(m, take_unsigned(c))); break;
	case 0x06: /* DW_CFA_restore_extended */ place_restore(&m->now, reg, &m->cie->first); break;
	case 0x07: /* DW_CFA_undefined */ place_set(&m->now, reg, (struct place){UNDEFINED, 0}); break;
	case 0x08: /* DW_CFA_same_value */ place_set(&m->now, reg, (struct place){SAME, 0}); break;
	case 0x0c: /* DW_CFA_def_cfa */ cfa_from(&m->now, reg, (int64_t)take_unsigned(c)); break;
	case 0x0d: /* DW_CFA_def_cfa_register */ cfa_change(m, reg, m->now.offset); break;
	case 0x10: /* DW_CFA_expression */
		block = take_block(c);
		place_set(&m->now, reg, place_expression(&block));
		break;
	case 0x11: /* DW_CFA_offset_extended_sf */ save_at(m, reg, factored(m, (uint64_t)take_signed(c))); break;
	case 0x12: /* DW_CFA_def_cfa_sf */ cfa_from(&m->now, reg, factored(m, (uint64_t)take_signed(c))); break;
	case 0x16: /* DW_CFA_val_expression */
		take_block(c);
		place_set(&m->now, reg, (struct place){UNKNOWN, 0});
		break;
	default: /* DW_CFA_register, DW_CFA_val_offset, DW_CFA_val_offset_sf: one more number */
		take_unsigned(c);
		place_set(&m->now, reg, (struct place){UNKNOWN, 0});
		break;
	}
	return true;
}

static void step_other(struct machine *m, unsigned op)
{
	struct cursor *c = &m->c;

	switch (op) {
	case 0x00: /* DW_CFA_nop */ break;
	case 0x0a: /* DW_CFA_remember_state */
		if (m->n_kept == REMEMBERED)
			c->failed = true;
		else
			m->kept[m->n_kept++] = m->now;
		break;
	case 0x0b: /* DW_CFA_restore_state */
		if (!m->n_kept)
			c->failed = true;
		else
			m->now = m->kept[--m->n_kept];
		break;
	case 0x0e: /* DW_CFA_def_cfa_offset */ cfa_change(m, m->now.reg, (int64_t)take_unsigned(c)); break;
	case 0x0f: /* DW_CFA_def_cfa_expression */ cfa_expression(&m->now, take_block(c), m->cie->is_signal); break;
	case 0x13: /* DW_CFA_def_cfa_offset_sf */
		cfa_change(m, m->now.reg, factored(m, (uint64_t)take_signed(c)));
		break;
	case 0x2e: /* DW_CFA_GNU_args_size */ take_unsigned(c); break;
	case 0x2f: { /* DW_CFA_GNU_negative_offset_extended */
		uint64_t reg = take_unsigned(c);

		save_at(m, reg, -factored(m, take_unsigned(c)));
		break;
	}
	default: c->failed = true;
	}
}

/* One instruction that doesn't move on. */
static void machine_step(struct machine *m, unsigned op)
{
	if (op >> 6 == 2) /* DW_CFA_offset */
		save_at(m, op & 0x3f, factored(m, take_unsigned(&m->c)));
	else if (op >> 6 == 3) /* DW_CFA_restore */
		place_restore(&m->now, op & 0x3f, &m->cie->first);
	else if (!step_register(m, op))
		step_other(m, op);
}

/* Does it move on through the code? Then m->at is where to. */
static bool machine_moves(struct machine *m, const struct wl_unwind_section *s, unsigned op)
{
	uint64_t delta;

	if (op == 0x01) { /* DW_CFA_set_loc */
		m->at = take_pointer(&m->c, s, m->cie->encoding, true);
		return true;
	}
	if (op >> 6 == 1)
		delta = op & 0x3f;
	else if (op >= 0x02 && op <= 0x04) /* DW_CFA_advance_loc1, 2, 4 */
		delta = take_bytes(&m->c, 1u << (op - 2));
	else
		return false;
	m->at += delta * m->cie->code_factor;
	return true;
}

/* The rows of one piece, up to `end`, which is where it ends or the next one begins. */
static void fde_run(struct reader *r, const struct fde *f, uint64_t end)
{
	struct machine m = {.c = {f->code, f->code_end, false}, .cie = &r->cies[f->cie], .at = f->start};
	uint64_t from = f->start;

	m.now = m.cie->first;
	while (m.c.p < m.c.end && !m.c.failed) {
		unsigned op = (unsigned)take_bytes(&m.c, 1);
		uint32_t rule = rule_of(&m.now);

		if (!machine_moves(&m, r->s, op)) {
			machine_step(&m, op);
			continue;
		}
		if (m.c.failed || m.at < from || m.at >= end)
			break;
		if (m.at > from)
			row_add(r, from - r->base, rule);
		from = m.at;
	}
	row_add(r, from - r->base, m.c.failed ? WL_UNWIND_NONE : rule_of(&m.now));
}

/* ---- records ---- */

/* The augmentation: letters, and what each has in the data. */
static void cie_augment(struct cie *cie, struct cursor *c, const struct wl_unwind_section *s, const char *letters)
{
	struct cursor data;

	if (!*letters)
		return;
	if (*letters != 'z') {
		c->failed = true;
		return;
	}
	cie->has_sizes = true;
	data = take_block(c);
	for (letters++; *letters; letters++) {
		if (*letters == 'R')
			cie->encoding = (uint8_t)take_bytes(&data, 1);
		else if (*letters == 'L')
			take_bytes(&data, 1);
		else if (*letters == 'P')
			take_pointer(&data, s, (uint8_t)(take_bytes(&data, 1) & (FORM | PCREL)), false);
		else if (*letters == 'S')
			cie->is_signal = true;
		else if (*letters != 'B')
			break; /* unknown: the size of the data is known all the same */
	}
	c->failed |= data.failed;
}

static void cie_read(struct reader *r, size_t at, struct cursor c)
{
	struct cie *v = vector_grow(r, r->cies, r->n_cies, &r->cap_cies, sizeof(*v)), *cie;
	unsigned version = (unsigned)take_bytes(&c, 1);
	const char *letters = (const char *)c.p;
	struct machine m = {0};

	if (!v)
		return;
	r->cies = v;
	cie = &v[r->n_cies++];
	*cie = (struct cie){.at = at};
	while (take_bytes(&c, 1) && !c.failed)
		;
	if (c.failed || (version != 1 && version != 3 && version != 4))
		return;
	if (version == 4 && (take_bytes(&c, 1) != 8 || take_bytes(&c, 1) != 0))
		return;
	cie->code_factor = take_unsigned(&c);
	cie->data_factor = take_signed(&c);
	if ((version == 1 ? take_bytes(&c, 1) : take_unsigned(&c)) != RETURN)
		return;
	cie_augment(cie, &c, r->s, letters);
	m = (struct machine){.c = c, .cie = cie, .now = {.rbp = {SAME, 0}, .reg = EXPRESSION}};
	while (m.c.p < m.c.end && !m.c.failed)
		machine_step(&m, (unsigned)take_bytes(&m.c, 1));
	cie->usable = !m.c.failed;
	cie->first = m.now;
}

/* The CIE at that place, which the list has in order; -1 if there is none, or it is of no use. */
static ptrdiff_t cie_find(const struct reader *r, uint64_t at)
{
	size_t lo = 0, hi = r->n_cies;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->cies[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->n_cies && r->cies[lo].at == at && r->cies[lo].usable ? (ptrdiff_t)lo : -1;
}

static void fde_read(struct reader *r, uint64_t cie_at, struct cursor c)
{
	ptrdiff_t cie = cie_find(r, cie_at);
	struct fde f, *v;

	if (cie < 0)
		return;
	f.cie = (size_t)cie;
	f.start = take_pointer(&c, r->s, r->cies[cie].encoding, true);
	f.end = f.start + take_pointer(&c, r->s, r->cies[cie].encoding, false);
	if (r->cies[cie].has_sizes)
		take_block(&c);
	if (c.failed || f.end <= f.start || f.start < r->base || f.end - r->base > UINT32_MAX)
		return;
	f.code = c.p;
	f.code_end = c.end;
	v = vector_grow(r, r->fdes, r->n_fdes, &r->cap_fdes, sizeof(*v));
	if (!v)
		return;
	r->fdes = v;
	v[r->n_fdes++] = f;
}

enum record { ALL_CIES, ALL_FDES };

/* Go through the records, and read those of one sort. CIEs are read first, as an FDE may come before its own. */
static void section_read(struct reader *r, enum record sort)
{
	const struct wl_unwind_section *s = r->s;
	struct cursor c = {s->p, s->p + s->n, false};

	while (c.p < c.end && !r->no_memory) {
		size_t at = (size_t)(c.p - s->p), id_at;
		uint64_t length = take_bytes(&c, 4), id;
		struct cursor body;
		bool is_long = length == UINT32_MAX, is_cie;
		unsigned id_size = is_long && s->is_debug_frame ? 8 : 4;

		if (is_long)
			length = take_bytes(&c, 8);
		if (length > (size_t)(c.end - c.p) || c.failed)
			return;
		if (length == 0) /* the end of one object's part */
			continue;
		body = (struct cursor){c.p, c.p + length, false};
		c.p += length;
		id_at = (size_t)(body.p - s->p);
		id = take_bytes(&body, id_size);
		is_cie = id == (s->is_debug_frame ? id_size == 8 ? UINT64_MAX : UINT32_MAX : 0);
		if (body.failed)
			continue;
		if (is_cie && sort == ALL_CIES)
			cie_read(r, at, body);
		else if (!is_cie && sort == ALL_FDES)
			fde_read(r, s->is_debug_frame ? id : id_at - id, body);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->code < y->code ? -1 : x->code > y->code;
}

int wl_unwind_read(const struct wl_unwind_section *section, uint64_t base, struct wl_unwind_rows *out)
{
	struct reader r = {.s = section, .base = base, .rows = out};

	*out = (struct wl_unwind_rows){0};
	section_read(&r, ALL_CIES);
	section_read(&r, ALL_FDES);
	if (r.n_fdes)
		qsort(r.fdes, r.n_fdes, sizeof(*r.fdes), by_start);
	for (size_t i = 0; i < r.n_fdes && !r.no_memory; i++) {
		uint64_t next = i + 1 < r.n_fdes ? r.fdes[i + 1].start : UINT64_MAX;
		uint64_t end = r.fdes[i].end < next ? r.fdes[i].end : next;

		if (end == r.fdes[i].start)
			continue;
		fde_run(&r, &r.fdes[i], end);
		if (end < next)
			row_add(&r, end - base, WL_UNWIND_NONE);
	}
	free(r.cies);
	free(r.fdes);
	if (!r.no_memory)
		return 0;
	wl_unwind_free(out);
	return ENOMEM;
}

int wl_unwind_merge(const struct wl_unwind_rows *first, const struct wl_unwind_rows *second, struct wl_unwind_rows *out)
{
	struct reader r = {.rows = out};
	size_t i = 0, k = 0;

	*out = (struct wl_unwind_rows){0};
	while ((i < first->n || k < second->n) && !r.no_memory) {
		uint32_t x = i < first->n ? first->v[i].at : UINT32_MAX,
			 y = k < second->n ? second->v[k].at : UINT32_MAX;
		uint32_t at = x < y ? x : y, rule;

		i += i < first->n && x == at;
		k += k < second->n && y == at;
		rule = i ? first->v[i - 1].rule : WL_UNWIND_NONE;
		if (rule == WL_UNWIND_NONE && k)
			rule = second->v[k - 1].rule;
		row_add(&r, at, rule);
	}
	if (!r.no_memory)
		return 0;
	wl_unwind_free(out);
	return ENOMEM;
}

void wl_unwind_free(struct wl_unwind_rows *rows)
{
	free(rows->v);
	*rows = (struct wl_unwind_rows){0};
}

uint32_t wl_unwind_find(const struct wl_unwind_rows *rows, uint64_t at)
{
	size_t lo = 0, hi = rows->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (rows->v[mid].at <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? rows->v[lo - 1].rule : WL_UNWIND_NONE;
}
