#pragma clang diagnostic ignored "-Weverything"
#include <ward/probe.h>
typedef uint64_t u64;
typedef int64_t i64;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint8_t u8;
typedef int8_t i8;
struct node { struct node *next; i64 key; i32 value; u8 pad[3]; };
struct ward_state {
  u64 sum;
  i8 a[29];
  i32 b[16];
  i16 c[31];
  i16 d[49];
  i32 e[31];
  struct node pool[12];
  struct node *head, *cursor;
};
static const u64 table[22] = {99, 3, 78, 124, 28, 7, 46, 79, 97, 44, 90, 94, 122, 42, 88, 119, 18, 71, 101, 15, 0, 33, };
static i64 shared = 595;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0x1c5;
  u8 v1 = (i64)0x42d;
  u8 v2 = (i64)0x14ab;
  i16 v3 = (i64)0xaed;
  v0 += x; v1 ^= y;
  st->sum -= ((__builtin_ctzll(1ull << 63 | (u64)((i64)0x1326e72c76)) - (st->d[9] != st->d[8])) + ((i64)__builtin_bswap64((u64)(st->sum)) & ((u64)((i64)0xf3b) / (i64)(((st->sum) & 0xffff) + 1))));
  WARD_BOUND(64) for (struct node *p0 = st->head; p0; p0 = p0->next) {
    p0->key += (i64)(u64)((st->b[12] - v1));
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x78c;
  u64 v1 = (i64)0xaea;
  i32 v2 = (i64)0x1260;
  i32 v3 = (i64)0x1cc0;
  v0 += x; v1 ^= y;
  for (u32 k0 = 0; k0 < 9; k0++) {
    WARD_BOUND(64) for (u32 k1 = 0, n1 = (u32)(divide_q((u64)((ev->arg[1] | (i64)0x4fa3)), (u64)(ev->arg[0]))) % 10u; k1 != n1; k1++) {
      shared -= (divide_r((u64)(((i64)0x73be9eb - v0)), (u64)(table[((st->sum) & 15)])) | st->a[limit((u64)(table[((v3) & 15)]), 28)]);
      st->b[(((v1 ? (st->a[limit((u64)(v0), 28)] ? (i64)0x6d481a1576d1b : 0xffffffffu) : (shared - st->b[((ev->arg[0]) & 15)]))) & 15)] += v2;
      v1 |= ((u64)((i64)0x6a14377) >> ((((i64)((v2 <= 31)) / (i64)(((((i16)(v3) / (i64)(((0) & 0xffff) + 1))) & 0xffff) + 1))) & 63));
      if ((divide_q((u64)(v3), (u64)(0x7fffffff)) >= (table[((st->sum) & 15)] ? v0 : 31))) break;
    }
    v0 += f0(ev, st, (i64)((((i64)(31) >> ((k0) & 63)) ? __builtin_popcount((u32)(shared)) : ev->arg[1])), (u32)(0x7fffffffffffffff));
    if ((((u64)((-1 >= v3)) >> (((shared | 31)) & 63)) & (((u64)(255) >> ((ev->arg[1]) & 63)) * (k0 + -1)))) {
      st->sum ^= ((__builtin_popcountll((u64)(table[1])) & (255 <= v2)) ? 1 : v3);
      shared *= ((u64)(divide_r((u64)((v0 + st->e[limit((u64)(st->c[8]), 30)])), (u64)(table[((-1) & 15)]))) >> (((divide_q((u64)(ev->arg[2]), (u64)((i64)0xe4)) & shared)) & 63));
      st->c[(((((i64)(v0) >> ((v3) & 63)) != divide_r((u64)((i64)0x1d9ca80a93ebd3), (u64)(st->sum)))) & 15)] = ((__builtin_clzll(1 | (u64)(k0)) ^ (table[((u64)(v0) % 22u)] <= shared)) < (k0 >= (k0 + st->sum)));
    }
    if ((divide_r((u64)(v3), (u64)(k0)) ? st->d[((u64)(ev->arg[2]) % 49u)] : -1)) continue;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x512;
  i32 v1 = (i64)0x1aa4;
  i8 v2 = (i64)0x645;
  i8 v3 = (i64)0x8cd;
  v0 += x; v1 ^= y;
  st->d[30] ^= 0x7fffffff;
  { u32 a0 = (u32)((i64)(i32)((i64)(i8)(ev->arg[1]))) % 12u, b0 = a0 + 1 + (u32)((divide_r((u64)(v0), (u64)(1)) ? table[limit((u64)(-1), 21)] : ((u64)(table[limit((u64)(v2), 21)]) << ((v0) & 63)))) % 12u; st->pool[a0].next = b0 < 12 ? &st->pool[b0] : 0; }
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_207(const struct ward_event *ev, struct ward_state *st)
{
  u32 v0 = (i64)0x52e;
  i64 v1 = (i64)0x412;
  u64 v2 = (i64)0x1146;
  i16 v3 = (i64)0x158b;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 12; i++) st->pool[i].next = &st->pool[i + 1];
    st->head = st->pool;
  }
  WARD_BOUND(64) for (u32 k0 = 0, n0 = (u32)(st->e[((v2) & 15)]) % 10u; k0 != n0; k0++) {
    for (u32 k1 = 0; k1 < 3; k1++) {
      st->b[limit((u64)((st->d[48] <= (shared ? k1 : v0))), 15)] ^= (i64)0x9efeb;
      { struct node t2 = st->pool[9]; v0 += t2.key ^ t2.value; }
      shared += (i64)(i16)(st->a[24]);
    }
    if ((v2 - (31 & st->sum))) {
      { u32 a3 = (u32)(((i64)((-1 > k0)) >> ((divide_q((u64)(0x7fffffff), (u64)(st->b[((v1) & 15)]))) & 63))) % 12u, b3 = a3 + 1 + (u32)(__builtin_popcountll((u64)((table[((u64)(0x7fffffff) % 22u)] - (i64)0x1c4c9f14)))) % 12u; st->pool[a3].next = b3 < 12 ? &st->pool[b3] : 0; }
    } else {
      shared |= k0;
    }
  }
  WARD_BOUND(64) for (struct node *p4 = st->head; p4; p4 = p4->next) {
    p4->value += (table[((st->a[0]) & 15)] - ev->arg[5]);
  }
  i32 x5 = (i32)(st->d[((u64)((0x7fffffffffffffff != ((i8)(v1) % (i64)((((i64)0x0) & 0xffff) + 1)))) % 49u)]);
  if (x5 >= 0 && x5 < 16) {
    st->b[x5] += ((ev->arg[0] ^ st->sum) ? table[2] : (ev->arg[3] ? v0 : ev->arg[1]));
    st->head = &st->pool[limit((u64)((v1 | v3)), 11)];
  }
  shared -= ((((u64)(v3) << ((v2) & 63)) - st->c[((u64)(ev->arg[2]) % 31u)]) - (((i64)0xee1e043 ? (i64)0x31 : st->e[limit((u64)(ev->arg[0]), 30)]) & ((i64)(st->sum) << ((st->e[15]) & 63))));
  WARD_BOUND(64) for (u64 k7 = (u64)((((i8)(ev->arg[4]) % (i64)(((st->b[((shared) & 15)]) & 0xffff) + 1)) * ((i8)((i64)0x1f855fec8be3cb) % (i64)(((v3) & 0xffff) + 1)))) & 31; k7; k7 >>= 1) {
    for (i32 k8 = 9; k8 >= 0; k8 -= 1) {
      u64 x9 = (u64)(((i64)(((i64)(k8) >> (((i64)(u8)(st->sum)) & 63))) << ((v0) & 63)));
      if (x9 < 31) {
        st->e[x9] += (0x7fffffff ? (v0 ^ st->a[limit((u64)(ev->arg[0]), 28)]) : 0x7fffffffffffffff);
      }
      shared *= (((v2 * 0x7fffffffffffffff) + (k8 | v3)) * (-1 + ((i64)0x388181efe597 != k8)));
      v1 += f0(ev, st, (i64)((i64)0xa), (u32)(st->c[27]));
    }
    if ((((i32)((i64)0x167e1) / (i64)(((ev->arg[0]) & 0xffff) + 1)) + ((i64)(st->sum) << ((st->e[limit((u64)(table[((u64)((i64)0x18def76fddff2) % 22u)]), 30)]) & 63)))) continue;
  }
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
