/* SPDX-License-Identifier: Apache-2.0 */
/* unframed.c: functions that call getppid, two more of them below; the second one in a signal's handler. */
#ifndef WARD_TESTS_KERNEL_UNFRAMED_H
#define WARD_TESTS_KERNEL_UNFRAMED_H

long unframed_outer(long seed);
long unframed_signalled(long seed);

/* What the program does with "unframed" as its argument: when something has come on its input, call the first one. */
int unframed_program(void);
enum { UNFRAMED_CALLS = 100 };

#endif
