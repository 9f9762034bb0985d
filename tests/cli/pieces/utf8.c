/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 into code points. */
/* worst: \303\251 */
#include <ward/probe.h>

struct ward_state {
	unsigned char in[4096];
	uint32_t code[4096];
	uint32_t codes, errors;
};

WARD_ENTRY("target!work")
void on_work(const struct ward_event *ev, struct ward_state *st)
{
	size_t n = ev->arg[0] < sizeof st->in ? ev->arg[0] : sizeof st->in;
	const unsigned char *in = st->in;
	size_t i = 0, codes = 0;

	while (i < n) {
		unsigned char c = in[i++];
		unsigned more = c < 0x80 ? 0 : c < 0xc0 ? 4 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf8 ? 3 : 4;
		uint32_t code = more == 0 ? c : c & (0x3f >> more);

		if (more == 4) {
			st->errors++;
			continue;
		}
		while (more && i < n && (in[i] & 0xc0) == 0x80) {
			code = code << 6 | (in[i++] & 0x3f);
			more--;
		}
		if (more)
			st->errors++;
		st->code[codes++] = code;
	}
	st->codes = codes;
}
