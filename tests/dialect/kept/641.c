/* A store into a local array whose index was checked before a loop: it is not taken for a store over the register that is saved beside the array, however much was guarded before. */
#include <string.h>
#include <ward/probe.h>
#define POOL 48
struct tlv {
  uint8_t tag;
  uint16_t off, len;
  int16_t parent, next, child;
};
struct ward_state {
  struct tlv nodes[POOL];
  int used;
  uint8_t der[160];
  unsigned len;
  uint64_t n, errs, oids;
};
static int parse_header(const uint8_t *b, unsigned len, unsigned off, uint8_t *tag, unsigned *vlen) {
  unsigned start = off, l;
  if (len - off < 2)
    return -1;
  *tag = b[off++];
  if ((*tag & 0x1f) == 0x1f)
    return -1;
  l = b[off++];
  unsigned cnt = l & 0x7f;
  if (cnt == 0 || cnt > 2 || cnt > len - off)
    return -1;
  for (l = 0; cnt; cnt--)
    l = l << 8 | b[off++];
  if (l < 128)
    return -1;
  if (l > len - off)
    return -1;
  *vlen = l;
  return off - start;
}
static int parse(struct ward_state *st, const uint8_t *b, unsigned len) {
  struct {
    unsigned off, end;
    int16_t node, last;
  } stk[10];
  int sp = 0;
  st->used = 0;
  stk[0].off = 0;
  stk[0].end = len;
  stk[0].node = stk[0].last = -1;
  while (sp >= 0) {
    uint8_t tag;
    unsigned vlen;
    int h = parse_header(b, stk[sp].end, stk[sp].off, &tag, &vlen);
    if (h < 0 || st->used == POOL)
      return -1;
    int me = st->used++;
    struct tlv *t = &st->nodes[me];
    t->tag = tag;
    t->off = stk[sp].off + h;
    t->len = vlen;
    t->parent = stk[sp].node;
    t->next = t->child = -1;
    if (stk[sp].last >= 0)
      st->nodes[stk[sp].last].next = me;
    else if (t->parent >= 0)
      st->nodes[t->parent].child = me;
    stk[sp].last = me;
    stk[sp].off = t->off + vlen;
    if (tag & 0x20) {
      if (sp + 1 == sizeof stk / sizeof *stk)
        return -2;
      sp++;
      stk[sp].off = t->off;
      stk[sp].end = t->off + vlen;
      stk[sp].node = me;
      stk[sp].last = -1;
    }
  }
  return 0;
}
WARD_ENTRY("x!y")
void probe_0(const struct ward_event *ev, struct ward_state *st) {
  for (int i = 0; i < 48; i++)
    st->der[i] = ((const uint8_t *)ev->arg)[i];
  st->len = 48;
  if (ev->arg[2] % 3 == 0)
    st->der[ev->arg[3] % st->len] ^= 1 << (ev->arg[3] >> 8 & 7);
  if (parse(st, st->der, st->len))
    st->errs++;
  else
    for (int i = 0; i < st->used; i++)
      st->n++;
}
