/* SPDX-License-Identifier: Apache-2.0 */
/* Does Ward's count equal the program's? */
#ifndef WARD_TESTS_TARGETS_JUDGE_H
#define WARD_TESTS_TARGETS_JUDGE_H

#include "report.h"

#include <stddef.h>

struct module {
	const char *name;
	unsigned probes; /* of which each has a line when it is attached */
	/* has it sums of arguments, of results, and these of functions that end as another one? */
	bool args, sums, odd;
	bool keeps;       /* does it keep something from a call's entry to its return? */
	bool throws;      /* is it told of exceptions? */
	bool time, calls; /* does it read the time stamp counter, and make system calls? */
};

extern const struct module modules[];
extern const unsigned n_modules;

/* Returns whether; `why` says what isn't right. `whole`: the trace was there all the time. */
bool judge(const struct module *m, const struct own *own, const struct traced *t, bool whole, char *why, size_t size);

#endif
