/* SPDX-License-Identifier: MIT-0 */
/*
 * A counter. Each thread has its own copy in its own state. The reader recognises the type by its name and adds the
 * copies. Count with st->calls++ or st->bytes += n.
 */
#ifndef WARD_COUNT_H
#define WARD_COUNT_H

typedef unsigned long ward_count;

#endif
