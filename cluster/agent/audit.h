/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record of what was done to this machine, and by whose order: lines of JSON, each with the hash of the line
 * before it, so that none can be changed or taken out without a trace. Nothing is attached before its line is on the
 * disk (C-61).
 */
#ifndef WARD_CLUSTER_AGENT_AUDIT_H
#define WARD_CLUSTER_AGENT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/ward.h"

struct agent_audit;
/* Go on with the file, or begin it. */
bool agent_audit_open(const char *path, struct agent_audit **out, struct ward_error *err);
void agent_audit_close(struct agent_audit *audit);

/* A line that is being written. What doesn't fit the line (256 KiB) is cut, and that is said in it. */
struct agent_line;
struct agent_line *agent_line_begin(struct agent_audit *audit, const char *event, uint64_t now_at);
void agent_line_text(struct agent_line *line, const char *key, const void *text, size_t n);
void agent_line_number(struct agent_line *line, const char *key, uint64_t number);
/* A list of texts: begin, one text each with a NULL key, end. */
void agent_line_list(struct agent_line *line, const char *key);
void agent_line_list_end(struct agent_line *line);
/* Written and synced; false if it isn't, and then nothing of it is in the file. */
bool agent_line_end(struct agent_line *line, struct ward_error *err);

/* Is the chain whole? *lines of them are; the first that isn't is the next one. */
bool agent_audit_check(const char *path, uint64_t *lines, struct ward_error *err);

#endif
