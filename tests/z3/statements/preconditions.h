/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about what is tested of an instruction before it is carried out; see preconditions.c. */
#ifndef WARD_Z3_PRECONDITIONS_H
#define WARD_Z3_PRECONDITIONS_H

#include "statement.h"

void build_check_feature(const struct query *q);
void build_check_aligned(const struct query *q);
void build_note_alignment(const struct query *q);
void build_check_locked(const struct query *q); /* width: of the access */

#endif
