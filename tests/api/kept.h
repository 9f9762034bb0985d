/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that stays in a process after detaching, and why. */
#ifndef WARD_TESTS_API_KEPT_H
#define WARD_TESTS_API_KEPT_H

enum { FREED, NOT_FREED, KEPT };

/*
 * On a machine with much else to do a detach may give up waiting for threads to be seen elsewhere, and leaves memory
 * behind: then another process must be able to free it. But words of old in a thread's frames may look like a return
 * address into that memory: then it is KEPT, and whoever asks is told why. That counts only with evidence: a thread
 * that has such a word is named, on standard error. Called by the first thread of the process, the only one that does
 * anything.
 */
int free_what_waits(void);

#endif
