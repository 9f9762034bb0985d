/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a tracepoint's row, as tracefs describes them. kernel_rows.c describes how. */
#ifndef WARD_LOADER_TYPES_KERNEL_ROWS_H
#define WARD_LOADER_TYPES_KERNEL_ROWS_H

#include "btf_types.h"

enum { ROW_FIELDS = 64, ROW_TEXT = 200 };

struct row_field {
	char declaration[ROW_TEXT]; /* "const char *filename" */
	char name[64], type[ROW_TEXT];
	uint64_t size;
};

/*
 * The file that describes an event, "sched:sched_switch"; with a prefix, that of the system call whose event it is, by
 * the event of that prefix. NULL if it can't be read. To be freed.
 */
char *row_read(const char *event, const char *prefix);

/* The fields that aren't common to all events; the text is cut up. */
size_t row_parse(char *format, struct row_field *fields, size_t most);

/* The type that a text names, "const struct stat *", among the kernel's types. 0: it isn't known. */
uint32_t row_type(struct btf_reader *r, const char *text);

#endif
