/* A state with one field of each kind that the reader knows, and some that it must leave out. */
#include <ward/probe.h>

struct inner {
	ward_count a;
	int b;
	const void *pointer; /* left out */
	float real;          /* left out */
};

struct ward_state {
	ward_count calls;
	ward_log2 bytes;
	WARD_MAP(int, ward_count, 1024) by_fd;
	struct inner in[3];
	struct {
		short anon;
		unsigned char u8;
	};
	union { /* left out */
		int x;
		long y;
	} either;
	unsigned bits : 3; /* left out */
	ward_count grid[2][3];
	volatile signed char sc;
	WARD_MAP(unsigned short, int, 4) by_port;
	char text[4096]; /* too long for fields of their own */
	ward_count last;
};

struct ward_state *on_event(const struct ward_event *ev, struct ward_state *st);
struct ward_state *on_event(const struct ward_event *ev, struct ward_state *st)
{
	st->calls += ev->arg[0];
	return st;
}
