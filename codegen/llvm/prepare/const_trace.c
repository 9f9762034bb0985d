/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a load reads of the constants that constants.c makes one of. Its address is traced to its origins. Each leads
 * to a residue in some member, and the slots there say what stands in them.
 */
#include <stdlib.h>
#include <string.h>

#include "constants.h"

/* ---- residues ---- */

static struct residue residue_exact(int64_t place)
{
	return (struct residue){true, place, place, 0};
}

/* Anywhere, apart by multiples of g. */
static struct residue residue_unbounded(struct residue a, uint64_t g)
{
	if (g == 0 || g > INT32_MAX)
		g = 1;
	a.least = (a.least % (int64_t)g + (int64_t)g) % (int64_t)g;
	return (struct residue){a.any, a.least, INT64_MAX, g};
}

static struct residue residue_join(struct residue a, struct residue b)
{
	uint64_t apart = (uint64_t)a.least - (uint64_t)b.least;

	if (!a.any || !b.any)
		return a.any ? a : b;
	a.g = gcd(gcd(a.g, b.g), (int64_t)apart < 0 ? -apart : apart);
	a.least = b.least < a.least ? b.least : a.least;
	a.most = b.most > a.most ? b.most : a.most;
	return a;
}

static struct residue residue_moved(struct residue a, const struct terms *t)
{
	bool wraps = __builtin_add_overflow(a.least, t->constant, &a.least);

	if (a.most != INT64_MAX)
		wraps |= __builtin_add_overflow(a.most, t->constant + t->spread, &a.most);
	a.g = gcd(a.g, t->apart);
	if (!a.any)
		return a;
	return wraps                              ? residue_unbounded(a, 1)
	       : t->stride || a.most == INT64_MAX ? residue_unbounded(a, gcd(a.g, t->stride))
						  : a;
}

static bool residue_is_same(struct residue a, struct residue b)
{
	return a.any == b.any && a.least == b.least && a.most == b.most && a.g == b.g;
}

/* ---- what a load reads ---- */

/* Where in each member the address may lead that a source gives; NULL: it is none. */
struct residue *reach_of(const struct constants *k, LLVMValueRef v)
{
	for (unsigned i = 0; i < k->n_sources; i++)
		if (k->sources[i] == v)
			return &k->reach[(size_t)i * k->n];
	return NULL;
}

bool is_relative(LLVMValueRef v)
{
	LLVMValueRef callee = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
	size_t n;

	return callee && LLVMIsAFunction(callee) &&
	       strncmp(LLVMGetValueName2(callee, &n), "llvm.load.relative", 18) == 0;
}

enum { MAX_PLACES = 32 };

/* An address that is traced to its origins: the list begins with it. */
struct trace {
	LLVMValueRef list[MAX_LEAVES];
	int n;
	bool all;        /* there was room for all */
	unsigned places; /* it is one of so many, which are looked at one after the other: */
	unsigned place;
};

static LLVMValueRef phi_operand(LLVMValueRef v, int i)
{
	return LLVMIsAPHINode(v) ? LLVMGetIncomingValue(v, (unsigned)i) : LLVMGetOperand(v, (unsigned)i);
}

/* The operands that an address is counted or chosen from: from *first on, before *end. */
static void operands_of(LLVMValueRef v, bool is_sum, int *first, int *end)
{
	*first = LLVMIsASelectInst(v) ? 1 : 0;
	*end = is_sum ? 1 : LLVMIsAPHINode(v) ? (int)LLVMCountIncoming(v) : LLVMGetNumOperands(v);
}

static struct trace trace_address(const struct constants *k, LLVMValueRef address)
{
	struct trace t = {.all = false};
	struct terms terms;
	int first, end;

	t.n = origins_of(address, t.list, &t.all);
	t.places = gep_terms(k->layout, address, &terms) && terms.spread
			   ? (unsigned)((uint64_t)terms.spread / terms.apart) + 1
			   : 1;
	if (t.places > MAX_PLACES)
		t.places = 1;
	for (int i = 0; i < t.n; i++)
		if (!is_leaf(t.list[i])) {
			operands_of(t.list[i], gep_terms(k->layout, t.list[i], &terms), &first, &end);
			for (int o = first; o < end; o++)
				t.places = phi_operand(t.list[i], o) == address ? 1 : t.places;
		}
	return t;
}

/* Where one of the list is, as far as the others are known. */
static struct residue trace_step(const struct constants *k, const struct trace *t, int of, const struct residue *known)
{
	LLVMValueRef v = t->list[of];
	struct residue all = {0};
	struct terms terms;
	int first, end;

	operands_of(v, gep_terms(k->layout, v, &terms), &first, &end);
	if (of == 0 && t->places > 1) {
		terms.constant += (int64_t)(t->place * terms.apart);
		terms.spread = 0;
		terms.apart = 0;
	}
	for (int o = first; o < end; o++)
		for (int i = 0; i < t->n; i++)
			if (t->list[i] == phi_operand(v, o))
				all = residue_join(all, known[i]);
	return residue_moved(all, &terms);
}

/*
 * Where the address is if a leaf of the list is at `start`. What moves on and on in a loop is soon taken to go
 * anywhere.
 */
static struct residue place_from(const struct constants *k, const struct trace *t, int leaf, struct residue start)
{
	struct residue known[MAX_LEAVES] = {0};
	bool changed = true;

	known[leaf] = start;
	for (int round = 0; changed; round++) {
		changed = false;
		for (int i = 0; i < t->n; i++) {
			struct residue now =
				is_leaf(t->list[i]) ? known[i] : residue_join(known[i], trace_step(k, t, i, known));

			if (round > MAX_LEAVES && !residue_is_same(now, known[i]))
				now = residue_unbounded(now, now.g);
			changed |= !residue_is_same(now, known[i]);
			known[i] = now;
		}
	}
	return known[0];
}

static void seen_lead(const struct constants *k, struct seen *s, const struct address *to)
{
	struct member *m = member_of(k, to->global);

	if (s->reach && m)
		s->reach[m - k->members] = residue_join(s->reach[m - k->members], residue_exact(to->constant));
}

static void seen_look(const struct constants *k, struct seen *s, struct member *m, struct residue at, uint64_t bytes)
{
	uint64_t most = m->size < bytes ? 0 : m->size - bytes + 1;

	if (at.least < 0 && at.g)
		at = residue_unbounded(at, at.g);
	most = (uint64_t)at.most < most ? (uint64_t)at.most + 1 : most;
	for (uint64_t i = at.any && at.least >= 0 ? (uint64_t)at.least : most; i < most; i = at.g ? i + at.g : most) {
		uint64_t from = i < ENTRY ? 0 : i - ENTRY + 1;
		bool found = false;

		for (uint64_t j = from; m->slots && j < i + bytes; j++)
			found |= m->slots[j] != NO_SLOT;
		if (!found) {
			s->other = true;
			continue;
		}
		s->of = m;
		s->part |= bytes != ENTRY || m->slots[i] == NO_SLOT;
		s->whole |= bytes == ENTRY && m->slots[i] != NO_SLOT;
		s->null |= m->slots[i] == NO_ADDRESS;
		if (m->slots[i] >= FIRST_ADDRESS)
			seen_lead(k, s, &k->addresses[m->slots[i] - FIRST_ADDRESS]);
	}
}

/* The leaf of the list is at `start` in a member. */
static void look_from(const struct constants *k, struct seen *s, struct trace *t, int leaf, struct member *m,
	struct residue start, uint64_t bytes)
{
	for (unsigned place = 0; !s->relative && place < t->places; place++) {
		t->place = place;
		seen_look(k, s, m, place_from(k, t, leaf, start), bytes);
	}
	for (unsigned i = 0; s->relative && i < m->n; i++)
		seen_lead(k, s, &k->addresses[m->first + i]);
}

/*
 * `reach`, if not NULL, gets where the addresses that stand there may lead. `relative`: those are read that the
 * constants hold as distances.
 */
static struct seen look_at(
	const struct constants *k, LLVMValueRef address, uint64_t bytes, struct residue *reach, bool relative)
{
	struct trace t = trace_address(k, address);
	struct seen s = {.own = t.all, .reach = reach, .relative = relative};

	for (int i = 0; i < t.n; i++) {
		struct member *m = member_of(k, t.list[i]);
		struct residue *from = m ? NULL : reach_of(k, t.list[i]);

		if (!is_leaf(t.list[i]) || LLVMIsAConstantPointerNull(t.list[i]) || LLVMIsUndef(t.list[i]))
			continue;
		if (m)
			look_from(k, &s, &t, i, m, residue_exact(0), bytes);
		for (unsigned to = 0; from && to < k->n; to++)
			if (from[to].any)
				look_from(k, &s, &t, i, &k->members[to], from[to], bytes);
		s.own &= m || from;
	}
	return s;
}

struct seen look_plainly(const struct constants *k, LLVMValueRef address, uint64_t bytes)
{
	return look_at(k, address, bytes, NULL, false);
}

/* Is an address read there that a constant holds? */
static bool gives_address(const struct constants *k, LLVMValueRef v)
{
	struct seen s = look_plainly(k, LLVMGetOperand(v, 0), ENTRY);

	return s.own && (is_relative(v) || (s.whole && !s.other && !s.part));
}

bool each_instruction(struct constants *k, bool (*fn)(struct constants *, LLVMValueRef))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(k->m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				if (!fn(k, inst))
					return false;
			}
	return true;
}

static bool count_source(struct constants *k, LLVMValueRef inst)
{
	if ((LLVMIsALoadInst(inst) && LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMPointerTypeKind) || is_relative(inst)) {
		if (k->sources)
			k->sources[k->n_sources] = inst;
		k->n_sources++;
	}
	return true;
}

/*
 * What is loaded through a source's address may lead on, which is learnt from one source after the other until nothing
 * is new.
 */
static void find_reach(struct constants *k)
{
	bool changed = true;

	memset(k->reach, 0, (size_t)k->n_sources * k->n * sizeof(*k->reach));
	while (changed) {
		changed = false;
		for (unsigned i = 0; i < k->n_sources; i++) {
			struct residue *reach = &k->reach[(size_t)i * k->n];

			memcpy(k->before, reach, k->n * sizeof(*reach));
			look_at(k, LLVMGetOperand(k->sources[i], 0), ENTRY, reach, is_relative(k->sources[i]));
			for (unsigned t = 0; t < k->n; t++)
				changed |= !residue_is_same(k->before[t], reach[t]);
		}
	}
}

static bool drop_sources(struct constants *k)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < k->n_sources; i++)
		k->before[i].any = gives_address(k, k->sources[i]);
	for (unsigned i = 0; i < k->n_sources; i++)
		if (k->before[i].any)
			k->sources[kept++] = k->sources[i];
	if (kept == k->n_sources)
		return false;
	k->n_sources = kept;
	return true;
}

/*
 * At first each pointer that is loaded is taken for one; then those are dropped that may come from elsewhere, until
 * there are none such: a list's next one comes of the one before.
 */
void find_sources(struct constants *k)
{
	free(k->sources);
	free(k->reach);
	free(k->before);
	k->sources = NULL;
	k->n_sources = 0;
	each_instruction(k, count_source);
	k->sources = calloc(k->n_sources + (size_t)1, sizeof(LLVMValueRef));
	k->reach = calloc((k->n_sources + (size_t)1) * k->n, sizeof(*k->reach));
	k->before = calloc(k->n_sources + (size_t)k->n, sizeof(*k->before));
	k->no_memory |= !k->sources || !k->reach || !k->before;
	k->n_sources = 0;
	if (k->no_memory)
		return;
	each_instruction(k, count_source);
	do
		find_reach(k);
	while (drop_sources(k));
}
