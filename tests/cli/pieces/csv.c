/* SPDX-License-Identifier: Apache-2.0 */
/* One line of CSV: where each field starts and how long it is; quotes may hold commas. */
/* worst: """" */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	struct {
		uint16_t start, length;
	} field[64];
	uint32_t n_fields;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	uint32_t fields = 0;
	size_t i = 0;

	while (i < n && in[i] != '\n' && fields < 64) {
		size_t start = i;

		if (in[i] == '"') {
			i++;
			while (i < n) {
				if (in[i] == '"') {
					if (i + 1 < n && in[i + 1] == '"')
						i++;
					else
						break;
				}
				i++;
			}
			i++;
		}
		while (i < n && in[i] != ',' && in[i] != '\n')
			i++;
		st->field[fields].start = start;
		st->field[fields].length = i - start;
		fields++;
		if (i < n && in[i] == ',')
			i++;
	}
	st->n_fields = fields;
}
