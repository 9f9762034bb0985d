/* SPDX-License-Identifier: Apache-2.0 */
/* How a kind gives out its results: by name for programs, as text for people. */
#ifndef WARD_LOADER_STATE_KINDS_RESULTS_H
#define WARD_LOADER_STATE_KINDS_RESULTS_H

#include "kind.h"

/* Amounts, in the field's unit: as results, and as text. */
void result_amount(ward_result_fn *fn, void *user, const struct ward_field *f, const char *name, uint64_t value);
void print_amount(char *text, size_t size, const struct ward_field *f, uint64_t value);
void print_real_amount(char *text, size_t size, const struct ward_field *f, double value);

/* Give out one result. */
void result_number(ward_result_fn *fn, void *user, const char *name, uint64_t value, bool is_signed);
/* Of 128 bits; one that fits into 64 is a number as all others. */
void result_wide(ward_result_fn *fn, void *user, const struct ward_field *f, const char *name);
void result_real(ward_result_fn *fn, void *user, const char *name, double value);
void result_real_amount(ward_result_fn *fn, void *user, const struct ward_field *f, const char *name, double value);

/* Begin a list, or a row of one; end it. */
void result_begin(ward_result_fn *fn, void *user, enum ward_result_type type, const char *name);
void result_end(ward_result_fn *fn, void *user);

/* A result that isn't there, as the least of no numbers. */
void result_none(ward_result_fn *fn, void *user, const char *name);

/* The one result of a plain number. */
void results_value(const struct ward_field *f, ward_result_fn *fn, void *user);

/* A plain number: its name in an enumeration, if it has one. */
void print_value(const struct ward_field *f, char *text, size_t size);

/* Returns the length of a number's text. */
int print_integer(char *text, size_t size, uint64_t value, bool is_signed);

/* The same of an integer of 128 bits. */
void print_wide(char *text, size_t size, uint64_t high, uint64_t low, bool is_signed);

/* A number that need not be whole: two decimals, none where they say nothing. */
void print_real(char *text, size_t size, double value);

/* One more line, if there was one before. */
void print_line(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
