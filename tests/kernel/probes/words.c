/* SPDX-License-Identifier: Apache-2.0 */
/* Probes at functions. */
#include "words.h"

#define AT_FUNCTION(n) PROBE(n, "kernel!ward_word_" #n)
EACH_SET(AT_FUNCTION)
