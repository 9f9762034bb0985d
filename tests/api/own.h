/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of these tests' own programs that are probed lie in a mapping of their own, far from the others
 * (CMakeLists.txt): code as large as that of a program with sanitizers has bytes that look like a jump to nearly any
 * place, and where something seems to jump into the first bytes a function can't be probed.
 */
#ifndef WARD_TESTS_API_OWN_H
#define WARD_TESTS_API_OWN_H

/* Called as it is written, by either compiler. */
#ifdef __clang__
#define APART __attribute__((noinline, optnone))
#else
#define APART __attribute__((noipa))
#endif

#define OWN_FUNCTION APART __attribute__((visibility("default"), section(".own")))

#endif
