/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of ev->arg[] a parameter is, by the ABI: numbers and pointers take the six registers in their order; numbers
 * with a fraction take others. A structure may take none, one or two registers, by rules that need more than its size.
 * So the places of what follows one aren't known.
 *
 * Debug information may say in which register a parameter is when the function begins. Then that is its place, whatever
 * comes before it. If it contradicts the ABI for one parameter, the compiler has changed how this function is called,
 * and the ABI says nothing of the others.
 */
#include "places.h"

/* What the ABI does with a parameter of a type. */
enum passing { IN_REGISTER, IN_ANOTHER, ON_STACK, BY_RULES };

static enum passing passing_of(const struct table_type *type, bool is_c)
{
	switch (type->kind) {
	case WARD_TYPE_BOOL:
	case WARD_TYPE_INT:
	case WARD_TYPE_ENUMERATION: return type->size <= 8 ? IN_REGISTER : BY_RULES;
	case WARD_TYPE_POINTER: return IN_REGISTER;
	case WARD_TYPE_REAL: return type->size <= 8 ? IN_ANOTHER : type->size == 16 ? ON_STACK : BY_RULES;
	case WARD_TYPE_STRUCTURE: return is_c && type->size > 16 ? ON_STACK : BY_RULES;
	default: return BY_RULES;
	}
}

static const char *reason_of(enum passing passing, const struct table_type *type)
{
	if (passing == IN_ANOTHER || type->kind == WARD_TYPE_REAL)
		return "it is a number with a fraction, of whose registers a probe has none";
	if (type->kind == WARD_TYPE_STRUCTURE)
		return "it is a structure that is passed by value";
	return "its type doesn't say where it is passed";
}

/* A walk over the parameters, in their order. */
struct walk {
	int32_t next;     /* the next register */
	const char *lost; /* why the ABI doesn't say where the rest is; or NULL */
};

/* A structure that is returned may be written to where a hidden first argument says. */
static struct walk walk_begin(const struct table_type *returns, struct place_call call)
{
	enum passing passing = passing_of(returns, call.is_c);
	struct walk w = {.next = 0};

	if (call.is_changed)
		w.lost = "the compiler has changed how the function is called";
	else if (returns->kind == WARD_TYPE_STRUCTURE && passing == ON_STACK)
		w.next = 1;
	else if (returns->kind == WARD_TYPE_STRUCTURE)
		w.lost = "the function returns a structure, for which there may be a hidden argument";
	return w;
}

/* Where the ABI puts the next one; or PLACE_NOWHERE, and why. */
static int32_t walk_next(struct walk *w, const struct table_type *type, bool is_c, const char **why)
{
	enum passing passing = passing_of(type, is_c);

	*why = w->lost;
	if (w->lost)
		return PLACE_NOWHERE;
	if (passing == IN_REGISTER) {
		if (w->next < TABLE_ARGUMENTS)
			return w->next++;
		*why = "it is passed on the stack";
		return PLACE_NOWHERE;
	}
	*why = reason_of(passing, type);
	if (passing == BY_RULES)
		w->lost = "a structure, or a number of more than 64 bits, is passed before it";
	return PLACE_NOWHERE;
}

/* Do registers that are known contradict the ABI? */
static bool contradict(
	const struct table *t, uint32_t first, uint32_t n, struct walk w, bool is_c, const struct place_hint *hints)
{
	const char *why;

	for (uint32_t i = 0; i < n; i++) {
		int32_t at = walk_next(&w, table_type(t, table_parameter(t, first + i)->type), is_c, &why);

		if (at >= 0 && hints[i].at != PLACE_UNKNOWN && hints[i].at != at)
			return true;
	}
	return false;
}

void places_find(struct table *t, uint32_t first, uint32_t n, uint32_t returns, struct place_call call,
	const struct place_hint *hints)
{
	struct walk w;

	if (hints && contradict(t, first, n, walk_begin(table_type(t, returns), call), call.is_c, hints))
		call.is_changed = true;
	w = walk_begin(table_type(t, returns), call);
	for (uint32_t i = 0; i < n; i++) {
		struct table_parameter *p = table_parameter(t, first + i);
		const struct table_type *type = table_type(t, p->type);
		bool fits = passing_of(type, call.is_c) == IN_REGISTER;
		const char *why;
		int32_t at = walk_next(&w, type, call.is_c, &why);

		if (hints && hints[i].at >= 0 && fits)
			at = hints[i].at;
		if (hints && hints[i].is_constant) {
			at = PLACE_NOWHERE;
			why = "the compiler has made it a constant";
		}
		table_parameter(t, first + i)->place = at >= 0 ? at : -1;
		if (at < 0) {
			uint32_t text = table_text(t, why);

			table_parameter(t, first + i)->why = text;
		}
	}
}
