/*
 * Functions of these tests' own programs that are probed lie in a mapping of their own, far from the others (CMakeLists.txt): code as large as that of a program with sanitizers has bytes that look like a jump to nearly
 * any place, and where something seems to jump into the first bytes a function can't be probed.
 */
#ifndef WARD_TESTS_API_OWN_H
#define WARD_TESTS_API_OWN_H

#define OWN_FUNCTION __attribute__((noipa, visibility("default"), section(".own")))

#endif
