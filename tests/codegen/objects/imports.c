#include <stdint.h>
#include <ward/imports.h>

struct counters { uint64_t n, got; char name[32]; };

static __attribute__((noinline)) uint64_t both(struct counters *st, uint64_t address)
{
	char local[16];

	st->got += ward_read(local, sizeof(local), address);
	return ward_match("/etc/", 5, address) + (uint64_t)local[3];
}

__attribute__((visibility("default"))) void probe(const uint64_t *ev, struct counters *st)
{
	st->n = ward_read_str(st->name, sizeof(st->name), ev[0]);
	st->got += both(st, ev[1]);
	st->got += ward_clock(WARD_CLOCK_MONOTONIC);
}
