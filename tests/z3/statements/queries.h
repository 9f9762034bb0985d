/* SPDX-License-Identifier: Apache-2.0 */
/* The builders of queries: inputs, the run, and what must be true of its outcome. */
#ifndef WARD_Z3_QUERIES_H
#define WARD_Z3_QUERIES_H

#include "statement.h"

void build_narrowing(const struct query *q);
void build_settled(const struct query *q);
void build_learn(const struct query *q);
void build_meet(const struct query *q);
void build_meet_low(const struct query *q);
void build_join(const struct query *q);
void build_within(const struct query *q);
void build_valid(const struct query *q);
void build_has(const struct query *q);
void build_is_const(const struct query *q);
void build_any(const struct query *q);
void build_add_mod(const struct query *q);
void build_gcd(const struct query *q);
void build_sum_congruence(const struct query *q);
void build_scale(const struct query *q);
void build_extend(const struct query *q);
void build_merge(const struct query *q);
void build_plain64(const struct query *q);
void build_binary64(const struct query *q);
void build_binary(const struct query *q);
void build_plain_shift(const struct query *q);
void build_shift(const struct query *q);
void build_exclude(const struct query *q);
void build_assume(const struct query *q);
void build_assume_nothing(const struct query *q);
/* flags.c */
void build_comparison_of(const struct query *q);
void build_is_comparable(const struct query *q);
void build_assume_order(const struct query *q);
void build_assume_distance(const struct query *q);
void build_flags(const struct query *q);
/* counts.c */
void build_popcnt(const struct query *q);
void build_lzcnt(const struct query *q);
void build_tzcnt(const struct query *q);
void build_top(const struct query *q);
void build_lowest(const struct query *q);
void build_pick(const struct query *q);
void build_pdep(const struct query *q);
void build_pext(const struct query *q);
void build_bit(const struct query *q);
/* mul_div.c */
void build_product(const struct query *q);
void build_dividend(const struct query *q);
void build_widen(const struct query *q);
void build_bounds(const struct query *q);
void build_signed_range(const struct query *q);
void build_divide(const struct query *q);
/* distance.c */
void build_num_moved(const struct query *q);
void build_num_times(const struct query *q);
void build_distance_find(const struct query *q);
void build_distance_room(const struct query *q);
void build_number_by_value(const struct query *q);
void build_number_by_sum(const struct query *q);
void build_number_of(const struct query *q);
void build_learn_by(const struct query *q);
void build_refine_by(const struct query *q);
void build_find_distance(const struct query *q);
void build_state_distance(const struct query *q);
void build_set_distance(const struct query *q);
void build_learn_distant(const struct query *q);
void build_rounded(const struct query *q);
void build_scaled_quotient(const struct query *q);
void build_refine_divided(const struct query *q);
void build_refine_distant(const struct query *q);
/* differences.c */
void build_symbol_holder(const struct query *q);
void build_difference(const struct query *q);
void build_state_assume_distance(const struct query *q);
void build_settling(const struct query *q);
void build_state_assume_order(const struct query *q);
void build_compare_sums(const struct query *q);
void build_same_sum(const struct query *q);
/* sums.c */
void build_note_sum(const struct query *q);
/* addresses.c */
void build_num_promote(const struct query *q);
void build_state_promote(const struct query *q);
void build_reach_of(const struct query *q);
void build_addresses(const struct query *q);
/* refine.c */
void build_val_refine(const struct query *q);
void build_refine_locations(const struct query *q);
void build_refine_bound(const struct query *q);
void build_state_refine(const struct query *q);
void build_note_choice(const struct query *q);
void build_note_less(const struct query *q);
void build_is_less(const struct query *q);
void build_refine_choice(const struct query *q);
/* multiples.c */
void build_multiple_of(const struct query *q);
void build_add_multiple(const struct query *q);
void build_note_quotient(const struct query *q);
void build_multiply_again(const struct query *q);
void build_begin_product(const struct query *q);
void build_add_sum(const struct query *q);
void build_no_more_than(const struct query *q);
enum { ONLY_LOW, ONLY_HIGH, BOTH_HALVES };
void build_quotient_product(const struct query *q);
void build_quotient_right(const struct query *q);
void build_quotient_rounded(const struct query *q);
void build_quotient_left(const struct query *q);
void build_quotient_sum(const struct query *q);
void build_quotient_difference(const struct query *q);
/* multiples.c */
void build_scaled_from(const struct query *q);
void build_greatest_above(const struct query *q);
void build_bound_above(const struct query *q);
void build_scaled_left(const struct query *q);
void build_scaled_sum(const struct query *q);
void build_scaled_difference(const struct query *q);
/* transfer.c */
void build_transfer(const struct query *q);
void build_assume_choice(const struct query *q);
/* operands.c */
void build_operand(const struct query *q);
/* values.c */
void build_address(const struct query *q);
void build_val_sum(const struct query *q);
/* carries.c */
void build_with_carry(const struct query *q);
void build_carry_sum(const struct query *q);
/* strings.c */
void build_string(const struct query *q);
/* stack.c */
void build_slot_of(const struct query *q);
void build_state_slot(const struct query *q);
void build_bytes_set(const struct query *q);
void build_store_exact(const struct query *q);
void build_store_inexact(const struct query *q);
void build_smudge_bytes(const struct query *q);
void build_load_slot(const struct query *q);
void build_load_stack(const struct query *q);
/* access.c */
void build_load(const struct query *q);
void build_store(const struct query *q);
void build_load_block(const struct query *q);
void build_store_block(const struct query *q);
void build_store_bytes(const struct query *q);
void build_push(const struct query *q);
void build_pop(const struct query *q);
void build_move_stack(const struct query *q);
void build_write_stack(const struct query *q);
void build_leave(const struct query *q);
/* costs.c */
void build_saturating(const struct query *q);
/* ranks.c */
void build_rank_moves(const struct query *q);
void build_rank_width(const struct query *q);
void build_rank_ahead(const struct query *q);

/* An input number that is valid. */
struct number valid_number(const char *name);
/* Run the function that the statement is about. */
struct value call_function(const struct query *q, const struct value *args, struct memory *memory);
/* Where `given` holds nothing undefined happens. */
void prove_hazards(term given);
/* x is a member of *n, path by path. */
void prove_member(const struct number *n, term x, term given);
/* And the number that *result points to is valid, and z is a member. */
void prove_result(const struct memory *memory, const struct value *result, term z, term given);

#endif
