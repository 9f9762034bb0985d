/* tight: a CRC by a table of constants */
#include "event.h"

struct state {
	u32 crc;
	u8 data[32];
};
static const u32 table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320,
	0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

void crc32_table(const struct event *ev, struct state *st)
{
	(void)ev;
	u32 c = ~0u;
	for (int i = 0; i < 32; i++) {
		c = table[(c ^ st->data[i]) & 15] ^ c >> 4;
		c = table[(c ^ st->data[i] >> 4) & 15] ^ c >> 4;
	}
	st->crc = ~c;
}
