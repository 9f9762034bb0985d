/* Local arrays beyond the stack, in several functions, which are moved behind the state; each run finds zeros there. */
#include <string.h>
#include <ward/probe.h>

struct ward_state {
	uint64_t sum, n[4];
	char text[64];
};
const unsigned size_684 = sizeof(struct ward_state);

struct pair {
	uint32_t key, count;
};

static uint64_t look(const unsigned char *seen, unsigned n, uint64_t x)
{
	uint64_t sum = 0;

	WARD_BOUND(8192)
	for (const unsigned char *p = seen; p < seen + n; p++)
		sum = sum * 31 + *p;
	return sum + seen[x % n];
}

WARD_ENTRY("x!buffers")
void buffers(const struct ward_event *ev, struct ward_state *st)
{
	unsigned char large[6000] = {0}, other[5000] = {0}, small[100] = {0};
	struct pair pairs[300] = {0};

	small[ev->arg[3] % 100] = 1;
	for (unsigned i = 0; i < sizeof large; i += 7)
		large[i] = (unsigned char)(i ^ ev->arg[0]);
	memset(other, (int)ev->arg[1], sizeof other / 2);
	memcpy(other + 2600, large + ev->arg[2] % 3000, 2000);
	pairs[ev->arg[4] % 300].key = (uint32_t)ev->arg[5];
	for (unsigned i = 0; i < 300; i++)
		st->sum += pairs[i].key + pairs[i].count;
	pairs[ev->arg[5] % 300].count = 3;
	st->sum ^= look(large, sizeof large, ev->arg[1]) + look(other, sizeof other, ev->arg[2]) + look(small, sizeof small, ev->arg[3]);
	memcpy(st->text, other + 2590, sizeof st->text);
}

WARD_ENTRY("x!zeros")
void zeros(const struct ward_event *ev, struct ward_state *st)
{
	unsigned sets[1200] = {0};

	sets[ev->arg[0] % 1200]++;
	sets[ev->arg[1] % 1200]++;
	for (unsigned i = 0; i < 1200; i++)
		st->n[sets[i] & 3]++;
}
