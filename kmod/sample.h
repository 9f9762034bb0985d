/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks of samples: probes that run by a clock or a counter, on each processor. */
#ifndef WARD_SAMPLE_H
#define WARD_SAMPLE_H

#include <linux/types.h>

#include "ward_ioctl.h"

struct ward_hook;

int ward_samples_init(void);
void ward_samples_exit(void);

bool ward_sample_is_good(const struct ward_k_sample *asked);

/*
 * Begin with what is asked for, which is good: hook->samples. ENOENT, EOPNOTSUPP: the machine doesn't count that. End
 * it, if it has begun: no handler runs any more then; the answer is how many samples of a clock have been missed.
 */
int ward_samples_begin(struct ward_hook *hook, const struct ward_k_sample *asked);
u64 ward_samples_end(struct ward_hook *hook);

#endif
