/* SPDX-License-Identifier: Apache-2.0 */
/* A library that is loaded and unloaded while it is traced. */
#include <stdint.h>

__attribute__((visibility("default"))) uint64_t in_library(uint64_t n);

uint64_t in_library(uint64_t n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 5 + 1;
}
