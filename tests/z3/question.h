/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the question that a statement puts to Z3. */
#ifndef WARD_Z3_QUESTION_H
#define WARD_Z3_QUESTION_H

#include <stdio.h>

/*
 * The question of the statement that was begun last. The same question has the same text, in any process and folder.
 */
void question_write(FILE *to);

#endif
