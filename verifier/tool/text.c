/* SPDX-License-Identifier: Apache-2.0 */
/* Strings from modules are hostile: they may hold escape sequences for the terminal, or invalid text. */
#include <stdlib.h>
#include <string.h>

#include "report.h"

uint32_t text_next(const char *text, size_t *n)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t bytes = s[0] < 0x80             ? 1
		       : (s[0] & 0xe0) == 0xc0 ? 2
		       : (s[0] & 0xf0) == 0xe0 ? 3
		       : (s[0] & 0xf8) == 0xf0 ? 4
					       : 0;
	uint32_t c;

	*n = 1;
	if (bytes == 0)
		return UINT32_MAX;
	if (bytes == 1)
		return s[0];
	c = s[0] & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also at the closing zero byte */
			return UINT32_MAX;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[bytes] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return UINT32_MAX;
	*n = bytes;
	return c;
}

bool text_is_harmless(uint32_t c)
{
	bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
	bool direction = (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
			 c == 0x061c || c == 0xfeff;

	return c <= 0x10ffff && !control && !direction;
}

char *text_clean(const char *s)
{
	char *out = malloc(3 * strlen(s) + 1), *to = out;

	if (!out)
		return NULL;
	while (*s) {
		size_t n;
		uint32_t c = text_next(s, &n);

		if (text_is_harmless(c)) {
			memcpy(to, s, n);
			to += n;
		} else {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
		}
		s += n;
	}
	*to = 0;
	return out;
}
