/* The same in pieces, in a loop. */
/* compiled as usual */
#include <ward/probe.h>
#include <string.h>
struct ward_state { uint8_t disk[64]; };
WARD_ENTRY("x!io")
void probe_668(const struct ward_event *ev, struct ward_state *s)
{
	uint8_t buf[48];
	memcpy(buf, ev->arg, sizeof buf);
	size_t len = ev->arg[0] % 48, done = 0;
	while (done < len) {
		size_t n = 32;
		if (n > len - done) n = len - done;
		memcpy(s->disk, buf + done, n);
		done += n;
	}
}
