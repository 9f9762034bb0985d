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
  i64 a[60];
  i16 b[22];
  i32 c[28];
  i16 d[4];
  i8 e[38];
  struct node pool[10];
  struct node *head, *cursor;
};
static const i16 table[8] = {43, 30, 42, 126, 11, 31, 41, 126, };
static i64 shared = 771;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u32 v0 = (i64)0x345;
  u32 v1 = (i64)0x19b3;
  i32 v2 = (i64)0xc7d;
  u8 v3 = (i64)0xc7f;
  v0 += x; v1 ^= y;
  WARD_BOUND(64) for (u64 k0 = (u64)(v0) & 31; k0; k0 >>= 1) {
    WARD_BOUND(64) for (u32 k1 = 0, n1 = (u32)(st->c[limit((u64)((i64)(u16)((i64)0xe0)), 27)]) % 10u; k1 != n1; k1++) {
      st->c[24] = k0;
      st->sum += ((((u32)(255) % (i64)(((st->e[((u64)(ev->arg[2]) % 38u)]) & 0xffff) + 1)) ^ (-1 | table[limit((u64)((i64)0x3afe), 7)])) + (__builtin_popcountll((u64)((i64)0x10805533f27b0)) + (1 - table[((ev->arg[2]) & 7)])));
      st->d[((u64)((((i64)(v2) << ((st->b[limit((u64)(v0), 21)]) & 63)) & st->a[limit((u64)(st->e[31]), 59)])) % 4u)] = ((i64)__builtin_bswap32((u32)(((i8)(k1) / (i64)((((i64)0x1d683) & 0xffff) + 1)))) * (i64)__builtin_bswap64((u64)(v2)));
    }
    shared *= ((i64)(u16)(0x7fffffffffffffff) * v3);
    v1 *= ((i64)((i64)0x3255fd7c7) >> (((v2 & ev->arg[4])) & 63));
  }
  v1 *= v2;
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0x1bf2;
  i16 v1 = (i64)0x1fca;
  u64 v2 = (i64)0xc83;
  i8 v3 = (i64)0x1852;
  v0 += x; v1 ^= y;
  switch ((ev->arg[2]) & 3) {
  case 0:
    v1 ^= ((((i64)0xa666a1ae44 & 31) - (v3 + ev->arg[4])) | (__builtin_popcount((u32)(shared)) & (v0 | st->sum)));
    st->sum -= (((v0 ? st->c[((u64)((i64)0x416956fc4) % 28u)] : v0) ? v1 : (i64)(i32)(st->c[((u64)(v1) % 28u)])) | divide_q((u64)(ev->arg[1]), (u64)((v0 > v0))));
    break;
  case 1:
    v3 ^= (i64)0x2c;
    shared ^= st->d[limit((u64)(shared), 3)];
    for (u32 k0 = 0; k0 < 9; k0++) {
      v0 -= (__builtin_ctzll(1ull << 63 | (u64)(((u64)(v0) / (i64)(((k0) & 0xffff) + 1)))) + (((i64)(v0) / (i64)(((0xffffffffu) & 0xffff) + 1)) ^ divide_q((u64)(v1), (u64)(table[((k0) & 7)]))));
      st->sum -= (i64)(u64)((k0 ^ (st->sum ? table[2] : st->a[limit((u64)((i64)0x7247585e753a8), 59)])));
      st->c[7] -= (i64)0x1;
    }
    break;
  case 2:
    st->c[((u64)(((u64)(v2) % (i64)((((i64)0x4e9a98aea155) & 0xffff) + 1))) % 28u)] *= v1;
    break;
  default: v0++;
  }
  st->sum ^= (st->sum != 255);
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i32 v0 = (i64)0x1d9a;
  i8 v1 = (i64)0xe4b;
  i8 v2 = (i64)0x70f;
  i16 v3 = (i64)0x1ecc;
  v0 += x; v1 ^= y;
  { u32 a0 = (u32)(((i64)(v1) >> ((((i16)(table[0]) % (i64)(((table[limit((u64)((i64)0x519595507ac3), 7)]) & 0xffff) + 1))) & 63))) % 10u, b0 = a0 + 1 + (u32)((table[4] * (v2 != st->d[limit((u64)((i64)0x166596a55), 3)]))) % 10u; st->pool[a0].next = b0 < 10 ? &st->pool[b0] : 0; }
  switch ((v2) & 7) {
  case 0:
    switch ((((i64)(u64)(st->d[((u64)(v0) % 4u)]) != st->b[limit((u64)(v1), 21)])) & 7) {
    case 0:
      shared += (i64)(i16)((v2 ? ev->arg[1] : (shared & v1)));
      break;
    case 1:
      v0 |= (((i64)((i64)(i32)(v0)) >> ((table[1]) & 63)) + (st->sum ? (i64)(i8)(st->d[limit((u64)(table[limit((u64)(st->b[limit((u64)((i64)0xb2677), 21)]), 7)]), 3)]) : (st->a[53] + v3)));
      break;
    case 2:
      st->a[7] = ev->arg[4];
      break;
    case 3:
      st->a[(((i64)(i32)(v2)) & 31)] *= divide_r((u64)((divide_r((u64)(table[((0x7fffffffffffffff) & 7)]), (u64)(v0)) * (v0 == shared))), (u64)(table[limit((u64)((ev->arg[1] - st->sum)), 7)]));
      break;
    case 4:
      st->b[limit((u64)(table[5]), 21)] = ((u64)(0) << ((__builtin_popcountll((u64)(v0))) & 63));
      break;
    case 5:
      st->c[((u64)(v0) % 28u)] ^= v3;
    default: v0++;
    }
    break;
  case 1:
    v3 += f0(ev, st, (i64)(((i64)(divide_q((u64)(4096), (u64)(table[((v1) & 7)]))) >> ((table[((u64)(st->e[limit((u64)(ev->arg[0]), 37)]) % 8u)]) & 63))), (u32)(ev->arg[0]));
    if (st->cursor) st->cursor->value ^= v1;
    switch (((st->a[((v1) & 31)] * (255 * ev->arg[4]))) & 3) {
    case 0:
      st->a[((u64)(v2) % 60u)] -= st->d[((u64)(divide_r((u64)((v0 >= 0)), (u64)((i64)0x4e6ab55))) % 4u)];
    case 1:
      st->sum -= v3;
      break;
    default: v0++;
    }
    break;
  case 2:
    switch (((i64)(u64)((st->a[((v2) & 31)] ? v2 : v1))) & 7) {
    case 0:
      st->sum = v0;
      break;
    case 1:
      st->sum |= (divide_q((u64)((i64)__builtin_bswap64((u64)(-1))), (u64)(v0)) == (ev->arg[0] + ((u8)(v2) % (i64)(((v1) & 0xffff) + 1))));
      break;
    case 2:
      st->sum *= 255;
      break;
    case 3:
      v2 -= (i64)0x53;
    case 4:
      st->sum |= (((i64)(u64)(v1) ? __builtin_clzll(1 | (u64)(v1)) : (i64)(i64)((i64)0x3ed3300aa36d)) + (divide_q((u64)((i64)0x106214682a93), (u64)(st->b[19])) ? st->d[((v2) & 3)] : (shared > (i64)0x16a7926)));
      break;
    default: v0++;
    }
    { u32 a2 = (u32)(((1 < table[((u64)(table[((u64)(table[((st->c[8]) & 7)]) % 8u)]) % 8u)]) & st->sum)) % 10u, b2 = a2 + 1 + (u32)((((u8)(shared) % (i64)(((v3) & 0xffff) + 1)) < divide_q((u64)(table[limit((u64)(v3), 7)]), (u64)(v3)))) % 10u; st->pool[a2].next = b2 < 10 ? &st->pool[b2] : 0; }
    shared -= divide_r((u64)(divide_q((u64)((table[0] >= v0)), (u64)(0x80000000u))), (u64)(((v2 * (i64)0x1) < shared)));
    break;
  case 3:
    shared -= (i64)__builtin_bswap64((u64)((((u64)(v1) << ((v2) & 63)) ? (shared | (i64)0x9) : (st->b[((v3) & 15)] + (i64)0x35a))));
    st->e[limit((u64)(divide_r((u64)(((i64)(shared) >> ((v1) & 63))), (u64)((v2 ^ v0)))), 37)] -= shared;
    st->c[limit((u64)(((u16)((v0 ? st->b[((u64)(ev->arg[0]) % 22u)] : table[((4096) & 7)])) / (i64)((((i64)(u8)(st->a[limit((u64)((i64)0xde6d), 59)])) & 0xffff) + 1))), 27)] |= divide_r((u64)(((i64)((st->c[2] <= ev->arg[4])) >> ((((u8)(st->b[((u64)(v2) % 22u)]) % (i64)(((v0) & 0xffff) + 1))) & 63))), (u64)(st->sum));
    break;
  case 4:
    st->sum = ((shared == divide_q((u64)(31), (u64)(st->sum))) - (i64)(i16)((v1 + ev->arg[2])));
  default: v0++;
  }
  st->a[43] = ((i64)(i32)(((u64)(v3) << (((i64)0xac1652) & 63))) + (((i64)0x4561322 & v1) >= ev->arg[1]));
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_331(const struct ward_event *ev, struct ward_state *st)
{
  u16 v0 = (i64)0x130e;
  u64 v1 = (i64)0xf3;
  i64 v2 = (i64)0x1c8f;
  i16 v3 = (i64)0x1e83;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 10; i++) st->pool[i].next = &st->pool[i + 1];
    st->head = st->pool;
  }
  st->e[((u64)(divide_r((u64)(v3), (u64)((i64)(i16)(st->c[limit((u64)(v0), 27)])))) % 38u)] -= ((i64)(u64)((ev->arg[3] & table[limit((u64)(v2), 7)])) > (table[limit((u64)(v2), 7)] - divide_r((u64)(v1), (u64)(v1))));
  st->b[((u64)((ev->arg[0] ^ v1)) % 22u)] += ((i64)(((i16)(((i64)(ev->arg[0]) / (i64)(((st->e[((v2) & 31)]) & 0xffff) + 1))) / (i64)(((v3) & 0xffff) + 1))) << ((shared) & 63));
  for (i32 k0 = 2; k0 >= 0; k0 -= 1) {
    st->b[limit((u64)((i64)0x5581f18bd), 21)] |= (st->e[28] >= (i64)__builtin_bswap64((u64)(1)));
    if ((i64)(u8)(((i64)(i16)(ev->arg[4]) + (shared < k0)))) {
      shared -= -1;
      v3 += f0(ev, st, (i64)(((4096 * st->sum) ^ (ev->arg[1] | k0))), (u32)((1 - (ev->arg[5] >= (i64)0x6fd69f))));
    } else {
      st->sum = (i64)__builtin_bswap64((u64)(st->d[1]));
    }
    u64 x1 = (u64)((((u64)(k0) << ((v3) & 63)) ^ ((ev->arg[3] | st->sum) ^ ((u64)((i64)0x39d566af1a) >> ((shared) & 63)))));
    if (x1 < 60) {
      st->a[x1] += k0;
      shared -= ev->arg[5];
      for (i64 *p2 = st->a, *e2 = st->a + 60; p2 < e2; p2++) {
        *p2 ^= (i64)(shared);
      }
      st->sum += ((u8)(k0) / (i64)(((((u32)((st->sum & table[((v0) & 7)])) / (i64)(((ev->arg[0]) & 0xffff) + 1))) & 0xffff) + 1));
    }
  }
  { u32 a3 = (u32)(shared) % 10u, b3 = a3 + 1 + (u32)((table[((u64)((i64)0x7d26f38a7) % 8u)] & ((i64)0x390dc70bf1 * shared))) % 10u; st->pool[a3].next = b3 < 10 ? &st->pool[b3] : 0; }
  st->a[((((v2 - (i64)0x263fe6da27b) - (st->sum + ev->arg[1]))) & 31)] += ((i64)((ev->arg[3] & (i64)(u32)(table[limit((u64)(table[3]), 7)]))) << ((__builtin_popcountll((u64)((i64)0x799e941a0cc3a))) & 63));
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
