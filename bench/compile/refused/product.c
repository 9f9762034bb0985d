/* SPDX-License-Identifier: Apache-2.0 */
/* A product of matrices: three constant loops in one another, of which each is short. */
#include <ward/probe.h>

enum { N = 256 };

struct ward_state {
	ward_count runs;
	unsigned a[N][N], b[N][N], c[N][N];
};

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	for (unsigned i = 0; i < N; i++)
		for (unsigned j = 0; j < N; j++) {
			unsigned sum = 0;

			for (unsigned k = 0; k < N; k++)
				sum += st->a[i][k] * st->b[k][j];
			st->c[i][j] = sum;
		}
	st->runs++;
}
