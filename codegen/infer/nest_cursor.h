/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the cursors that the loops of a nest share. */
#ifndef WARD_INFER_NEST_CURSOR_H
#define WARD_INFER_NEST_CURSOR_H

#include "emit.h"

/*
 * `rest` is the proof of a module behind its seal. If loops in one another move a number one way, `rest` is replaced
 * by a proof that says so. False: no memory.
 */
bool add_cursors(const struct wv_module *m, struct effort *effort, struct bytes *rest);

#endif
