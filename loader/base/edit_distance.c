/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_distance.h"

#include <stddef.h>
#include <string.h>

unsigned wl_edit_distance(const char *a, const char *b)
{
	unsigned rows[3][64], *row = rows[0], *last = rows[1], *older = rows[2];
	size_t n = strnlen(b, 63);

	for (size_t j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (size_t i = 0; a[i] && i < 63; i++) {
		unsigned *spare = older;

		older = last;
		last = row;
		row = spare;
		row[0] = (unsigned)i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned best = last[j] + (a[i] != b[j]);

			best = best < last[j + 1] + 1 ? best : last[j + 1] + 1;
			best = best < row[j] + 1 ? best : row[j] + 1;
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j] && older[j - 1] + 1 < best)
				best = older[j - 1] + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}
