/* SPDX-License-Identifier: Apache-2.0 */
/* What Z3 is asked of a statement, written down. */
#ifndef WARD_Z3_QUESTION_H
#define WARD_Z3_QUESTION_H

#include <stdio.h>

/* Of the statement that was begun last. The same question has the same text, in whichever process and folder. */
void question_write(FILE *to);

#endif
