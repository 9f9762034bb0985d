/* Probe functions that end with a jump to an import, before functions that call the same import in their middle, or another one first: a called import is a function of the proof even where a jump leads to it. */
#include <ward/imports.h>
#include <ward/probe.h>

struct ward_state {
	unsigned long n;
	char a[16];
};

WARD_ENTRY("libc.so.6!read")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	ward_read(st->a, sizeof(st->a), ev->arg[1]);
}

WARD_ENTRY("libc.so.6!open")
void on_open(const struct ward_event *ev, struct ward_state *st)
{
	ward_read_str(st->a, sizeof(st->a), ev->arg[0]);
}

WARD_ENTRY("libc.so.6!write")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	unsigned long v;

	ward_read(&v, sizeof(v), ev->arg[1]);
	st->n += v;
}

WARD_ENTRY("libc.so.6!rename")
void on_rename(const struct ward_event *ev, struct ward_state *st)
{
	if (ward_read_str(st->a, sizeof(st->a), ev->arg[0]) > 3)
		ward_read(st->a, sizeof(st->a), ev->arg[1]);
}
