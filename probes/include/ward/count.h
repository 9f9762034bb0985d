/* SPDX-License-Identifier: MIT-0 */
/*
 * A counter. Each thread has its own copy in its own state. The reader recognises the type by its name and adds the
 * copies. Count with st->calls++ or st->bytes += n.
 */
#ifndef WARD_COUNT_H
#define WARD_COUNT_H

typedef unsigned long ward_count;

/*
 * The bits of a double and of a float of the target, which a probe can copy (ward_read) and compare, and not compute
 * with. They are shown as the numbers that they are; of several threads' the greatest.
 */
typedef unsigned long ward_double;
typedef unsigned int ward_float;

#endif
