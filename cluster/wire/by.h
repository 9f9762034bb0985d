/* SPDX-License-Identifier: Apache-2.0 */
/* Which process: a part of all keys, as an agent writes it and a coordinator reads it (C-115). */
#ifndef WARD_CLUSTER_WIRE_BY_H
#define WARD_CLUSTER_WIRE_BY_H

#include "message.h"

#define CLUSTER_BY_KEY "process"
enum { CLUSTER_BY_TEXT = 256, CLUSTER_BY_NAME = 200 };

/* Not at all; by the name of the program; by the process's number and that name. */
enum cluster_by { CLUSTER_BY_NONE, CLUSTER_BY_PROCESS, CLUSTER_BY_PID };

/* What an order says: "process", "pid", or nothing. false: something else. */
bool cluster_by_of(const Ward__Cluster__Order *order, enum cluster_by *by, struct ward_error *err);
/* NULL: nothing. */
const char *cluster_by_word(enum cluster_by by);

/* "nginx", or "1234 nginx"; and back: *name is a part of the text. A number that isn't there is 0. */
void cluster_by_write(enum cluster_by by, int64_t pid, const char *name, char text[CLUSTER_BY_TEXT]);
void cluster_by_read(enum cluster_by by, const char *text, int64_t *pid, const char **name);

#endif
