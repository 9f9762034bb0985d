/* SPDX-License-Identifier: Apache-2.0 */
/* The list of everything that is proven. */
#include <stdio.h>
#include <string.h>

#include "preconditions.h"
#include "jumps.h"
#include "tests/z3/model/machine.h"
#include "verifier/proof/proof.h"
#include "queries.h"
#include "tables.h"
#include "vector.h"

enum { MAX_QUERIES = 1600 };
static struct query list[MAX_QUERIES];
static unsigned n_list;

static void one(const char *function, const char *detail, unsigned width, int op, void (*build)(const struct query *))
{
	if (n_list == MAX_QUERIES)
		give_up("too many statements");
	list[n_list++] = (struct query){function, detail, width, op, build, false};
}

/* A helper inside num.c: its statement is used where it is called, if it is there. */
static void helper(
	const char *function, unsigned width, int op, const char *detail, void (*build)(const struct query *))
{
	if (exec_has(function))
		one(function, detail, width, op, build);
}

static const struct {
	enum wv_op op;
	const char *name;
} operations[] = {{WV_ADD, "add"}, {WV_SUB, "sub"}, {WV_AND, "and"}, {WV_OR, "or"}, {WV_XOR, "xor"}, {WV_IMUL, "imul"}},
  shifts[] = {{WV_SHL, "shl"}, {WV_SHR, "shr"}, {WV_SAR, "sar"}};

static const struct {
	enum wv_cond cond;
	const char *name;
} conditions[] = {{WV_B, "b"}, {WV_AE, "ae"}, {WV_E, "e"}, {WV_NE, "ne"}, {WV_BE, "be"}, {WV_A, "a"}, {WV_L, "l"},
	{WV_GE, "ge"}, {WV_LE, "le"}, {WV_G, "g"}};

static const struct {
	enum wv_relation relation;
	const char *name;
} relations[] = {
	{WV_REL_NONE, "none"}, {WV_REL_CMP, "cmp"}, {WV_REL_ADD, "add"}, {WV_REL_SIGN, "sign"}, {WV_REL_ZERO, "zero"}};

static const struct {
	enum wv_view view;
	unsigned width;
	const char *name;
} views[] = {{WV_U64, 64, "unsigned"}, {WV_S64, 64, "signed"}, {WV_U32, 32, "unsigned"}, {WV_S32, 32, "signed"},
	{WV_LENGTH, 64, "length"}, {WV_ONES, 64, "ones"}};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void list_helpers(void)
{
	helper("gcd", 0, 0, "", build_gcd);
	helper("add_mod", 0, 0, "", build_add_mod);
	helper("align_ends", 0, 0, "", build_narrowing);
	helper("align_to_remainder", 0, 0, "", build_narrowing);
	helper("learn_bits", 64, 0, "", build_learn);
	helper("learn_bits", 32, 0, "", build_learn);
	helper("sync_64", 0, 0, "", build_narrowing);
	helper("sync_32", 0, 0, "", build_narrowing);
	helper("sync_small", 0, 0, "", build_narrowing);
	helper("is_settled", 0, 0, "", build_settled);
	helper("sync_only", 0, 0, "", build_narrowing);
	helper("meet_congruence", 0, 0, "", build_meet);
	helper("meet_views", 0, 0, "", build_meet);
	helper("congruence_within", 0, 0, "", build_within);
	/* no sum wraps around; every one does */
	static const char *const wrapping[] = {"add", "add, w", "sub", "sub, w"};
	for (int i = 0; i < 4; i++)
		helper("sum_congruence", 0, i, wrapping[i], build_sum_congruence);
	helper("add64", 64, WV_ADD, "", build_plain64);
	helper("sub64", 64, WV_SUB, "", build_plain64);
	helper("mul64", 64, WV_IMUL, "", build_plain64);
	helper("shl64", 64, WV_SHL, "", build_plain_shift);
	helper("shr64", 64, WV_SHR, "", build_plain_shift);
	helper("sar64", 64, WV_SAR, "", build_plain_shift);
	helper("scale_congruence", 0, 0, "", build_scale);
	for (unsigned i = 0; i < COUNT(operations); i++)
		helper("binary64", 64, (int)operations[i].op, operations[i].name, build_binary64);
}

static void list_exclusions(void)
{
	for (unsigned width = 32; width <= 64; width *= 2) /* narrower ones are taken as whole numbers */
		helper("assume_not", width, 0, "", build_exclude);
}

static void list_operations(unsigned width)
{
	one("wv_num_zext", "", width, 0, build_extend);
	one("wv_num_sext", "", width, 0, build_extend);
	one("wv_num_merge", "", width, 0, build_merge);
	for (unsigned i = 0; i < COUNT(operations); i++)
		one("wv_num_binary", operations[i].name, width, (int)operations[i].op, build_binary);
	for (unsigned i = 0; i < COUNT(shifts); i++)
		one("wv_num_shift", shifts[i].name, width, (int)shifts[i].op, build_shift);
	for (unsigned i = 0; i < COUNT(conditions); i++)
		one("wv_num_assume", conditions[i].name, width, (int)conditions[i].cond, build_assume);
	one("wv_num_assume", "others", width, 0, build_assume_nothing);
}

static void list_counts(unsigned width)
{
	one("wv_num_popcnt", "", width, 0, build_popcnt);
	one("wv_num_lzcnt", "", width, 0, build_lzcnt);
	one("wv_num_tzcnt", "", width, 0, build_tzcnt);
	one("wv_num_top", "", width, 0, build_top);
	one("wv_num_lowest", "blsi", width, WV_BLSI, build_lowest);
	one("wv_num_lowest", "blsmsk", width, WV_BLSMSK, build_lowest);
	one("wv_num_lowest", "blsr", width, WV_BLSR, build_lowest);
	one("wv_num_bzhi", "", width, 0, build_pick);
	one("wv_num_bextr", "", width, 0, build_pick);
	one("wv_num_pdep", "", width, 0, build_pdep);
	one("wv_num_pext", "", width, 0, build_pext);
	one("wv_num_bit", "", width, 0, build_bit);
}

static void list_wide(unsigned width)
{
	one("wv_num_product", "mul", width, false, build_product);
	one("wv_num_product", "imul", width, true, build_product);
	one("wv_dividend_narrow", "", width, 0, build_dividend);
	one("wv_dividend_of", "", width, 0, build_dividend);
	one("wv_num_divide", "div", width, false, build_divide);
	one("wv_num_divide", "idiv", width, true, build_divide);
}

static void list_flags(void)
{
	static const char *const orders[] = {"unsigned", "unsigned, <", "signed", "signed, <"};
	for (unsigned width = 8; width <= 64; width *= 2) {
		for (unsigned i = 0; i < COUNT(relations); i++)
			helper("comparison_of", width, relations[i].relation, relations[i].name, build_comparison_of);
		helper("is_comparable", width, 0, "", build_is_comparable);
	}
	for (int i = 0; i < 4; i++)
		helper("assume_order", 64, i, orders[i], build_assume_order);
	for (unsigned width = 8; width <= 64; width *= 2)
		helper("assume_distance", width, 0, "", build_assume_distance);
	for (unsigned i = 0; i < COUNT(relations); i++) {
		for (unsigned width = 8; width <= 64; width *= 2) {
			one("wv_flags_assume_value", relations[i].name, width, relations[i].relation, build_flags);
			one("wv_state_assume", relations[i].name, width, relations[i].relation, build_flags);
		}
	}
}

static void list_distances(void)
{
	helper("num_moved", 64, 0, "", build_num_moved);
	helper("num_times", 64, 0, "", build_num_times);
	helper("distance_find", 64, 0, "", build_distance_find);
	helper("distance_room", 64, 0, "", build_distance_room);
	helper("number_by_value", 64, 0, "", build_number_by_value);
	helper("number_by_sum", 64, 0, "", build_number_by_sum);
	helper("number_of", 64, 0, "", build_number_of);
	one("wv_state_find_distance", "", 64, 0, build_find_distance);
	one("wv_state_distance", "", 64, 0, build_state_distance);
	one("wv_state_set_distance", "", 64, 0, build_set_distance);
	helper("learn_by", 64, 0, "", build_learn_by);
	one("wv_state_learn_distant", "", 64, 0, build_learn_distant);
	helper("floor_of", 64, false, "", build_rounded);
	helper("ceiling_of", 64, true, "", build_rounded);
	helper("multiple_divide", 64, 0, "", build_scaled_quotient);
	helper("refine_divided", 64, 0, "", build_refine_divided);
	helper("refine_by", 64, 0, "", build_refine_by);
	one("wv_state_refine_distant", "", 64, 0, build_refine_distant);
	helper("symbol_holder", 64, 0, "", build_symbol_holder);
	helper("assume_difference", 64, 0, "", build_difference);
	one("wv_state_assume_distance", "", 64, 0, build_state_assume_distance);
	helper("settle_low_sum", 64, 0, "", build_settling);
	one("wv_state_assume_order", "", 64, 0, build_state_assume_order);
	helper("compare_sums", 64, 0, "", build_compare_sums);
	helper("same_sum", 64, 0, "", build_same_sum);
	static const char *const sums[] = {"no", "1", "2", "3", "4", "5", "6", "7"};
	for (int i = 0; i < 8; i++)
		one("wv_state_note_sum", sums[i], 64, i, build_note_sum);
	helper("num_promote", 64, 0, "", build_num_promote);
	one("wv_state_promote", "2 slots", 64, 0, build_state_promote);
	helper("reach_of", 64, 0, "", build_reach_of);
	static const char *const near[] = {"far", "a", "b", "a, b", "far, <", "a, <", "b, <", "a, b, <"};
	for (int i = 0; i < 8; i++)
		one("wv_state_assume_addresses", near[i], 64, i, build_addresses);
	one("wv_val_refine", "", 64, 0, build_val_refine);
	one("wv_state_refine_locations", "2 slots", 64, 0, build_refine_locations);
	helper("refine_choice", 64, 0, "", build_refine_choice);
	helper("refine_above", 64, true, "", build_refine_bound);
	helper("refine_below", 64, false, "", build_refine_bound);
	one("wv_state_refine", "", 64, 0, build_state_refine);
	for (int i = 0; i < 4; i++) /* twice the room */
		one("wv_state_note_choice", sums[i], 64, i, build_note_choice);
	for (int i = 0; i < 4; i++)
		one("wv_state_note_less", sums[i], 64, i, build_note_less);
	one("wv_state_is_less", "", 64, 0, build_is_less);
}

static void list_quotients(void)
{
	static const char *const of[] = {"both", "first", "second"};
	helper("multiple_of", 0, 0, "", build_multiple_of);
	helper("add_multiple", 0, 0, "", build_add_multiple);
	helper("note_quotient", 0, 0, "", build_note_quotient);
	for (unsigned width = 32; width <= 64; width *= 2)
		helper("multiply_again", width, 0, "", build_multiply_again);
	for (unsigned width = 0; width <= 64; width += 32) /* what is shifted off */
		helper("begin_product", width, 0, "", build_begin_product);
	helper("no_more_than", 0, 0, "", build_no_more_than);
	helper("add_sum", 32, 0, "", build_add_sum);
	helper("add_sum", 64, 0, "", build_add_sum);
	one("wv_quotient_right", "", 64, 0, build_quotient_right);
	for (unsigned width = 32; width <= 64; width *= 2) { /* of narrower operands nothing is noted */
		one("wv_quotient_product", "low", width, ONLY_LOW, build_quotient_product);
		one("wv_quotient_product", "high", width, ONLY_HIGH, build_quotient_product);
		one("wv_quotient_product", "both", width, BOTH_HALVES, build_quotient_product);
		one("wv_quotient_rounded", "", width, 0, build_quotient_rounded);
		one("wv_quotient_left", "", width, 0, build_quotient_left);
		for (int i = 0; i < 3; i++)
			one("wv_quotient_sum", of[i], width, i, build_quotient_sum);
		one("wv_quotient_difference", "", width, 0, build_quotient_difference);
	}
}

static void list_scaled(void)
{
	static const char *const of[] = {"both", "second"};
	helper("scaled_from", 0, 0, "", build_scaled_from);
	helper("greatest_above", 0, 0, "", build_greatest_above);
	helper("bound_above", 0, 0, "", build_bound_above);
	for (unsigned width = 32; width <= 64; width *= 2) {
		one("wv_scaled_left", "", width, 0, build_scaled_left);
		for (int i = 0; i < 2; i++)
			one("wv_scaled_sum", of[i], width, i, build_scaled_sum);
		one("wv_scaled_difference", "", width, 0, build_scaled_difference);
	}
}

/* Of what is kept of the stack; the width is that of the access. */
static void list_stack(void)
{
	helper("slot_of", 0, 0, "", build_slot_of);
	one("wv_state_slot", "", 0, 0, build_state_slot);
	helper("bytes_set", 0, 0, "", build_bytes_set);
	helper("store_inexact", 0, 0, "", build_store_inexact);
	for (int bytes = 1; bytes <= 8; bytes *= 2) {
		helper("store_exact", 8 * (unsigned)bytes, bytes, "", build_store_exact);
		helper("load_from_slot", 8 * (unsigned)bytes, bytes, "", build_load_slot);
		helper("load_stack", 8 * (unsigned)bytes, bytes, "", build_load_stack);
		list[n_list - 1].takes_long = bytes == 4;
	}
	helper("smudge_bytes", 0, 0, "", build_smudge_bytes);
	for (int bytes = 1; bytes <= 8; bytes *= 2) {
		one("wv_load", "", 8 * (unsigned)bytes, bytes, build_load);
		list[n_list - 1].takes_long = bytes > 2;
		one("wv_store", "", 8 * (unsigned)bytes, bytes, build_store);
		list[n_list - 1].takes_long = true;
	}
	one("wv_load_block", "", 0, 0, build_load_block);
	one("wv_store_block", "", 0, 0, build_store_block);
	one("wv_store_bytes", "", 0, 0, build_store_bytes);
	one("wv_push", "", 64, 0, build_push);
	one("wv_pop", "", 64, 0, build_pop);
	one("wv_move_stack", "", 64, 0, build_move_stack);
	one("wv_write_reg", "rsp", 64, 0, build_write_stack);
	one("wv_step_leave", "", 64, 0, build_leave);
}

/* Of xmm registers; the width is that of the memory operand, or what that would be. */
static void list_vectors(void)
{
	unsigned n = 0;
	const struct vector_row *rows = exec_has("wv_step_vector_move") ? vector_rows(&n) : NULL;
	if (!rows) /* a row that fails */
		one("wv_step_vector_move", "", 128, 0, build_vector);
	for (unsigned i = 0; i < n; i++)
		one(rows[i].function, rows[i].detail, rows[i].width, (int)i, build_vector);
	helper("check_profile", 0, 0, "", build_vector_profile);
}

/* Of any instruction, before it is carried out; the width is that of the access. */
static void list_asked(void)
{
	helper("check_feature", 0, 0, "", build_check_feature);
	one("wv_check_aligned", "", 128, 0, build_check_aligned);
	for (unsigned width = 8; width <= 128; width *= 2)
		one("wv_note_alignment", "", width, 0, build_note_alignment);
	for (unsigned width = 8; width <= 64; width *= 2)
		one("wv_check_locked", "", width, 0, build_check_locked);
}

/* Of constants of so many bits. */
static void list_tables(void)
{
	helper("stride_of", 0, 0, "", build_stride_of);
	helper("steps_of", 0, 0, "", build_steps_of);
	for (int bytes = 1; bytes <= 8; bytes *= 2) {
		unsigned width = 8 * (unsigned)bytes;
		helper("constant_at", width, bytes, "", build_constant_at);
		helper("wv_table_constants", width, bytes, "", build_constants);
		list[n_list - 1].takes_long = bytes > 1;
		helper("wv_constants_signed", width, bytes, "", build_constants_number);
		helper("wv_constants_unsigned", width, bytes, "", build_constants_number);
	}
}

/* Jumps through tables. */
static void list_jumps(void)
{
	one("wv_table_loaded", "", 32, 0, build_table_loaded);
	one("wv_table_extended", "", 64, 0, build_table_extended);
	one("wv_table_targets", "", 64, 0, build_table_targets);
	one("wv_table_length", "", 64, 0, build_table_length);
	one("wv_table_next", "", 64, 0, build_table_next);
}

/* What may be done with registers that are not set, or in part. */
static bool may_be_unset(const struct form *f)
{
	switch (f->op) {
	case WV_ADD:
	case WV_SUB:
	case WV_AND:
	case WV_OR:
	case WV_XOR:
	case WV_LEA: return true;
	default: return false;
	}
}

/* Of what a register that is read holds, at 64 bits and where it may be unset; of two, at most one is unset. */
static bool has_kinds(const struct form *f, unsigned a, unsigned b, unsigned width)
{
	bool reads = strncmp(f->function, "wv_read", 7) == 0, writes = strncmp(f->function, "wv_write", 8) == 0,
	     whole = form_moves(f);
	bool unset = reads || (may_be_unset(f) && width >= 32), named = (unset || width == 64) && !whole && !writes;
	const unsigned kind[2] = {a, b};
	unsigned n_unset = 0;
	for (unsigned i = 0; i < 2; i++) {
		bool is_unset = kind[i] == A_PART || kind[i] == NEITHER;
		n_unset += is_unset;
		if ((kind[i] != ANY_KIND) != (named && form_reads(f, i) != WV_NOREG) ||
			(kind[i] == A_POINTER && width != 64 && !reads) || (is_unset && !unset))
			return false;
	}
	return n_unset == 0 || (n_unset == 1 && a != A_POINTER && b != A_POINTER);
}

/*
 * Of transfer functions a check proves what values, operands and addresses are and how they move, and sums with a
 * carry; what else instructions do with them a soak does.
 */
/* how they begin */
static const char *const checked[] = {"wv_step_mov", "wv_step_lea", "wv_step_push", "wv_step_pop", "wv_step_j",
	"wv_step_carry", "wv_address", "wv_read_", "wv_write_"};

/*
 * What a check leaves to a soak: besides, of a form with 32 bits those of 8 and 16; and that registers are set in part,
 * or not at all, or one of two holds a pointer.
 */
static bool takes_long(const struct form *f, const char *function, unsigned a, unsigned b, unsigned width)
{
	bool partly = a == A_PART || a == NEITHER || b == A_PART || b == NEITHER, mixed = a && b && a != b, is = false;
	for (unsigned i = 0; i < COUNT(checked); i++)
		is = is || strncmp(function, checked[i], strlen(checked[i])) == 0;
	return !is || (width < 32 && f->widths & W32) || partly || mixed;
}

/* A row for each thing that the registers read may hold, where that makes a difference. */
static void list_kinds(const struct form *f, const char *function, const char *form, unsigned index, unsigned width,
	void (*build)(const struct query *))
{
	static const char letter[KINDS + 1] = "?nlp-";
	for (unsigned i = 0; i < ROWS; i++) {
		char name[60];
		unsigned a = i / KINDS, b = i % KINDS;
		if (!has_kinds(f, a, b, width))
			continue;
		snprintf(name, sizeof name, i ? "%s (%c%c)" : "%s", form, letter[a], letter[b]);
		one(function, strdup(name), width, (int)(index * ROWS + i), build);
		list[n_list - 1].takes_long = takes_long(f, function, a, b, width);
	}
}

/* Operand and operand with either carry, and with that which there is. */
static void list_carries(void)
{
	static const char *const names[] = {"adc, 0", "adc, 1", "sbb, 0", "sbb, 1"};
	for (unsigned width = 8; width <= 64; width *= 2) {
		for (int i = 0; i < 4; i++)
			helper("with_carry", width, i, names[i], build_with_carry);
		helper("carry_sum", width, WV_ADC, "adc", build_carry_sum);
		helper("carry_sum", width, WV_SBB, "sbb", build_carry_sum);
	}
}

/* Each form of an address, and what its registers may hold. */
static void list_addresses(void)
{
	for (unsigned i = 0; i < n_forms; i++) {
		if (forms[i].op == WV_LEA)
			list_kinds(&forms[i], "wv_address", strchr(forms[i].name, ' ') + 1, i, 64, build_address);
	}
}

/* Each form at each of its widths. */
static void list_transfers(void)
{
	/* c, x: constant */
	static const char *const kinds[] = {"(nn)", "(cn)", "(nc)", "(cc)", "(pn)", "(xn)", "(pc)", "(xc)", "(np)",
		"(cp)", "(nx)", "(cx)", "(pp)", "(xp)", "(px)", "(xx)"};
	one("assume_value", "b", 64, WV_B, build_assume_choice);
	list[n_list - 1].takes_long = true;
	for (int i = 0; i < 16; i++) {
		one("wv_val_add", kinds[i], 64, i, build_val_sum);
		one("wv_val_sub", kinds[i], 64, i, build_val_sum);
	}
	list_carries();
	list_addresses();
	for (unsigned i = 0; i < n_operand_forms + n_forms; i++) {
		bool operand = i < n_operand_forms;
		unsigned index = operand ? i : i - n_operand_forms;
		const struct form *f = operand ? &operand_forms[index] : &forms[index];
		for (unsigned width = 8; width <= 64; width *= 2) {
			if (f->widths & width / 8)
				list_kinds(f, f->function, f->name, index, width,
					operand ? build_operand : build_transfer);
		}
	}
}

/* A check asks of elements of 64 bits; of others a soak does. */
static void list_strings(void)
{
	for (unsigned i = 0; i < n_string_forms; i++) {
		for (unsigned width = 8; width <= 64; width *= 2) {
			if (!(string_forms[i].widths & width / 8))
				continue;
			one(string_forms[i].function, string_forms[i].name, width, (int)i, build_string);
			list[n_list - 1].takes_long = width < 64;
		}
	}
}

static void list_all(void)
{
	list_helpers();
	one("wv_num_valid", "", 0, 0, build_valid);
	one("wv_num_has", "", 0, 0, build_has);
	one("wv_num_is_const", "", 0, 0, build_is_const);
	one("wv_num_any", "", 0, 0, build_any);
	one("wv_num_const", "", 0, 0, build_any);
	one("wv_num_range", "", 0, 0, build_any);
	one("wv_num_sync", "", 0, 0, build_narrowing);
	one("wv_num_meet", "", 0, 0, build_meet);
	one("wv_num_meet_low", "", 0, 0, build_meet_low);
	one("wv_num_join", "", 0, 0, build_join);
	one("wv_num_within", "", 0, 0, build_within);
	list_exclusions();
	for (unsigned width = 8; width <= 64; width *= 2)
		list_operations(width);
	for (unsigned width = 16; width <= 64; width *= 2)
		list_counts(width);
	helper("signed_range", 64, 0, "", build_signed_range);
	helper("interval_widen", 0, 0, "", build_widen);
	helper("quotients_of", 0, false, "", build_bounds);
	helper("remainders_of", 0, true, "", build_bounds);
	for (unsigned width = 8; width <= 64; width *= 2)
		list_wide(width);
	list_flags();
	list_distances();
	list_quotients();
	list_scaled();
	helper("saturated_sum", 64, false, "", build_saturating);
	helper("saturated_product", 64, true, "", build_saturating);
	for (unsigned i = 0; i < COUNT(views); i++) {
		if (views[i].view < WV_LENGTH)
			one("wv_rank_moves", views[i].name, views[i].width, views[i].view, build_rank_moves);
		one("wv_rank_width", views[i].name, views[i].width, views[i].view, build_rank_width);
	}
	one("wv_rank_ahead", "up", 64, false, build_rank_ahead);
	one("wv_rank_ahead", "down", 64, true, build_rank_ahead);
	list_stack();
	list_vectors();
	list_asked();
	list_tables();
	list_jumps();
	list_transfers();
	list_strings();
}

const struct query *queries(unsigned *n)
{
	if (!n_list)
		list_all();
	*n = n_list;
	return list;
}
