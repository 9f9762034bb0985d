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
struct node { struct node *next; i64 key; struct node *kid[2]; i32 value; u8 pad[3]; i16 small[4]; };
struct ward_state {
  u64 sum;
  i16 a[33];
  i32 b[16];
  u16 c[6];
  i32 d[34];
  u32 e[46];
  struct node pool[4];
  struct node *head, *cursor;
};
static const i16 table[6] = {95, 79, 114, 99, 110, 58, };
static i64 shared = 613;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x1c46;
  u8 v1 = (i64)0xc11;
  u16 v2 = (i64)0x17eb;
  i16 v3 = (i64)0x15c9;
  v0 += x; v1 ^= y;
  v0++;
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0xfec;
  i16 v1 = (i64)0x992;
  i16 v2 = (i64)0xa1f;
  i16 v3 = (i64)0x1c3e;
  v0 += x; v1 ^= y;
  if (st->cursor) st->cursor->value ^= v1;
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u64 v0 = (i64)0x1066;
  i64 v1 = (i64)0xfd9;
  i32 v2 = (i64)0xf3e;
  u32 v3 = (i64)0x1c6;
  v0 += x; v1 ^= y;
  __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_285(const struct ward_event *ev, struct ward_state *st)
{
  i16 v0 = (i64)0x12ee;
  i64 v1 = (i64)0x176b;
  i8 v2 = (i64)0x15c3;
  u16 v3 = (i64)0xf55;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 4; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  if ((((u64)((table[((u64)(st->c[((u64)(st->sum) % 6u)]) % 6u)] < st->sum)) >> (((i64)(u8)(st->b[limit((u64)(st->c[((u64)(table[limit((u64)((i64)0x1d03bd91), 5)]) % 6u)]), 15)])) & 63)) ? ((255 ? st->a[27] : v2) * (v0 != 0xffffffffu)) : ((i64)(i64)((i64)0x13) ^ divide_r((u64)(st->a[limit((u64)(v0), 32)]), (u64)(shared))))) {
    v2 += f1(ev, st, (i64)((st->sum + v2)), (u32)((i64)(u32)(divide_r((u64)(v3), (u64)(ev->arg[3])))));
  }
  { u32 a0 = (u32)(((u64)((st->a[((u64)(0x7fffffffffffffff) % 33u)] + v0)) << ((((i64)(table[3]) >> ((table[((v1) & 3)]) & 63))) & 63))) % 4u, b0 = a0 + 1 + (u32)(st->b[2]) % 4u; st->pool[a0].next = b0 < 4 ? &st->pool[b0] : 0; }
  { struct node t1 = st->pool[((table[limit((u64)(shared), 5)]) & 3)]; v2 += t1.key ^ t1.value; }
  for (i32 k2 = 8; k2 >= 0; k2 -= 2) {
    switch ((k2) & 3) {
    case 0:
      v2 ^= (((st->sum != (i64)0x418c509091c31) ^ shared) <= (divide_r((u64)(v0), (u64)(0)) ? (st->e[26] | table[limit((u64)(st->a[19]), 5)]) : ((i64)((i64)0x7e1530f685) >> (((i64)0x7900) & 63))));
      break;
    case 1:
      st->b[((st->a[2]) & 15)] += ((i64)(1) >> ((v1) & 63));
      st->d[(((i64)(u16)((0x80000000u & table[((ev->arg[4]) & 3)]))) & 31)] -= ((i64)(__builtin_popcount((u32)(divide_q((u64)(v2), (u64)(st->a[22]))))) >> (((i64)__builtin_bswap32((u32)((table[(((i64)0x159c0f455d0) & 3)] ? v2 : v2)))) & 63));
      st->a[((u64)(((i64)(u16)((i64)0x19d6be6af) ^ ev->arg[1])) % 33u)] -= (k2 ? -1 : __builtin_clzll(1 | (u64)((i64)0x507bc175)));
    default: v0++;
    }
    if ((__builtin_ctzll(1ull << 63 | (u64)(divide_r((u64)(0x7fffffffffffffff), (u64)(v3)))) ^ k2)) {
      if ((((u16)(shared) / (i64)((((shared >= shared)) & 0xffff) + 1)) + (i64)__builtin_bswap64((u64)(divide_q((u64)(table[2]), (u64)(v2)))))) {
        st->d[limit((u64)((divide_r((u64)(v0), (u64)((i64)0x2d)) != 0xffffffffu)), 33)] ^= table[limit((u64)(((v2 == (i64)0x1ecf3b2745172) & table[((k2) & 3)])), 5)];
        st->sum -= ev->arg[1];
      }
      if (st->sum) {
        shared *= ((i64)(table[((__builtin_popcountll((u64)(0xffffffffu))) & 3)]) >> ((((i64)0x1974438 | v1)) & 63));
      } else {
        st->a[(((shared ? st->a[17] : ev->arg[2])) & 31)] |= ((i64)(((ev->arg[4] - st->b[limit((u64)(st->a[15]), 15)]) - (ev->arg[2] + ev->arg[4]))) << (((v3 | v3)) & 63));
      }
      { u32 a3 = (u32)(shared) % 4u, b3 = a3 + 1 + (u32)((st->a[limit((u64)(v3), 32)] & (i64)0x57382c258a7)) % 4u; st->pool[a3].next = b3 < 4 ? &st->pool[b3] : 0; }
    }
    st->sum += st->a[limit((u64)((__builtin_popcountll((u64)(st->d[limit((u64)(ev->arg[4]), 33)])) | divide_r((u64)(v2), (u64)((i64)0x1d131c9b98513c)))), 32)];
  }
  switch ((__builtin_popcount((u32)(((u8)(st->sum) % (i64)(((table[limit((u64)(table[5]), 5)]) & 0xffff) + 1))))) & 3) {
  case 0:
    st->d[26] ^= (__builtin_popcountll((u64)((1 ^ 31))) | __builtin_popcount((u32)((table[((v2) & 3)] >= v1))));
    { u32 a4 = (u32)(((i32)(v2) % (i64)(((((i64)(v1) << ((st->b[14]) & 63))) & 0xffff) + 1))) % 4u, b4 = a4 + 1 + (u32)(v3) % 4u; st->pool[a4].next = b4 < 4 ? &st->pool[b4] : 0; }
    break;
  case 1:
    switch ((((i64)(u8)(shared) ^ ((u64)(v2) >> ((v3) & 63)))) & 3) {
    case 0:
      if (ev->arg[1]) {
        st->sum += ((v1 + v0) ? ((ev->arg[1] < (i64)0x3) == ((i64)0xc15c8ff5 & st->e[limit((u64)(st->sum), 45)])) : ((u16)((v2 | shared)) / (i64)((((v2 ^ ev->arg[5])) & 0xffff) + 1)));
        v1 |= (ev->arg[2] & (v1 ? (table[((u64)((i64)0x3f07b6e4da93) % 6u)] + v1) : ((i64)(v1) % (i64)(((table[((0) & 3)]) & 0xffff) + 1))));
      } else {
        st->sum += ((i64)(table[((divide_q((u64)(table[((st->sum) & 3)]), (u64)(v2))) & 3)]) << ((0) & 63));
        st->sum ^= (v0 * (v0 - ((i64)0x19f5af94e6e3 * table[((u64)(v3) % 6u)])));
      }
      break;
    case 1:
      v0 = divide_r((u64)(((u64)((1 & v3)) << (((v2 | st->b[(((i64)0x236b434) & 15)])) & 63))), (u64)((i64)(i16)((st->sum ? (i64)0x86f4e : st->e[((u64)((i64)0x1fa0) % 46u)]))));
      st->e[limit((u64)((i64)(u32)((st->e[7] - st->c[((u64)(ev->arg[2]) % 6u)]))), 45)] ^= ((i64)0x1 ^ __builtin_ctzll(1ull << 63 | (u64)((table[0] ^ 255))));
    case 2:
      st->e[((u64)(((v1 - st->a[((u64)(table[0]) % 33u)]) ^ v2)) % 46u)] |= ((i64)((i64)__builtin_bswap64((u64)((table[((u64)(v3) % 6u)] ? v3 : st->sum)))) % (i64)(((((i8)(table[((u64)((i64)0x1a7c36) % 6u)]) / (i64)(((shared) & 0xffff) + 1))) & 0xffff) + 1));
      shared = ((i64)(i32)((table[1] - v0)) ^ ((v2 ? v1 : (i64)0x974da6f78) | (0xffffffffu & st->sum)));
    default: v0++;
    }
    st->sum *= (table[1] & divide_q((u64)(((i64)0x3b < v2)), (u64)((st->sum | v1))));
    v1 ^= (((i8)(((i64)0x85e72 & ev->arg[0])) % (i64)(((4096) & 0xffff) + 1)) ^ ((st->a[((ev->arg[3]) & 31)] ? v3 : shared) ? st->sum : v0));
    break;
  case 2:
    shared |= (i64)(u32)((i64)(i8)((0 & v0)));
    shared *= (((st->b[limit((u64)(0x7fffffffffffffff), 15)] ^ ev->arg[3]) ? st->sum : __builtin_ctzll(1ull << 63 | (u64)(st->sum))) ? v3 : (0x7fffffffffffffff | v2));
    st->a[((((i64)(((u64)(0x7fffffffffffffff) << ((v1) & 63))) << (((st->b[limit((u64)(v0), 15)] >= v1)) & 63))) & 31)] |= (i64)(i64)(((i16)(((u32)(0xffffffffu) % (i64)(((v0) & 0xffff) + 1))) % (i64)((((i64)(i32)(0xffffffffu)) & 0xffff) + 1)));
    break;
  default: v0++;
  }
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
