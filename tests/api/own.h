/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probed functions of these tests' own programs are in a mapping of their own, far from the others
 * (CMakeLists.txt). A program with sanitizers has so much code that some bytes look like a jump to nearly any
 * address, and a function can't be probed if something seems to jump into its first bytes.
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
