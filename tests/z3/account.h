/* SPDX-License-Identifier: Apache-2.0 */
/* The account: which evidence covers each function of the verifier. */
#ifndef WARD_Z3_ACCOUNT_H
#define WARD_Z3_ACCOUNT_H

#include "tests/z3/statements/statement.h"

/*
 * Of the functions that were read (exec_functions), by these rows and a file of reasons; prints it. False: not all are
 * accounted for.
 */
bool account(const struct query *list, unsigned n, const char *reasons, unsigned jobs);

#endif
