#include <ward/probe.h>
#include <string.h>
typedef uint64_t u64; typedef int64_t i64; typedef int8_t i8;
static const char *word(u64 n) { switch (n % 6) { case 0: return ""; case 1: return "a"; case 2: return "two words"; case 3: return "three words, and a few more"; case 4: return "63"; default: return 0; } }
struct ward_state { const char *name; u64 len; u64 sum; };
const unsigned pointers_338 = 1;
WARD_ENTRY("x!y")
void probe_338(const struct ward_event *ev, struct ward_state *st)
{
  st->name = word(ev->arg[0]);
}
WARD_ENTRY("x!z")
void again_338(const struct ward_event *ev, struct ward_state *st)
{
  if (st->name) st->len += (i64)strlen(st->name) * 3 + *st->name;
  st->sum++;
}
