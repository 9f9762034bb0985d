/* SPDX-License-Identifier: Apache-2.0 */
/* What odd_helper.c can say, by number. */
#ifndef WARD_TESTS_API_ODD_HELPER_H
#define WARD_TESTS_API_ODD_HELPER_H

enum { ODD_SILENCE = 0, ODD_VERSION = 2, ODD_LONG_VERSION = 3, ODD_SAYINGS = 26 };

#endif
