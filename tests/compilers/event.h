/* SPDX-License-Identifier: Apache-2.0 */
/* What a function of this corpus gets, declared without the probe headers, since these are foreign objects. */
#ifndef WARD_TESTS_COMPILERS_EVENT_H
#define WARD_TESTS_COMPILERS_EVENT_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef int s32;
typedef long s64;

#define EVENT_FIELD(name, count, text) u64 name[count];
struct event {
#include "ward/event.def"
};
#undef EVENT_FIELD

#endif
