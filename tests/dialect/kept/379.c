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
  i16 a[12];
  u8 b[43];
  i32 c[30];
  u8 d[60];
  u8 e[1];
  struct node pool[9];
  struct node *head, *cursor;
};
static const i64 table[20] = {101, 84, 70, 9, 94, 113, 6, 45, 39, 49, 37, 41, 79, 114, 88, 56, 38, 39, 62, 104, };
static i64 shared = 221;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x196b;
  u8 v1 = (i64)0x146;
  u32 v2 = (i64)0x6b6;
  u64 v3 = (i64)0x1854;
  v0 += x; v1 ^= y;
  switch ((shared) & 7) {
  case 0:
    i32 x0 = (i32)((((i64)(i64)(v1) & -1) * (v0 & (i64)0xe6e5c17e)));
    if (x0 >= 0 && x0 < 12) {
      st->a[x0] += ((i64)0x75f7739877 | (i64)(i32)(-1));
    }
    st->head = &st->pool[8];
    i32 x2 = (i32)((((i64)0x9cd63 * table[((u64)(table[((ev->arg[5]) & 15)]) % 20u)]) - st->sum));
    if (x2 >= 0 && x2 < 30) {
      st->c[x2] += ((st->e[((u64)(st->sum) % 1u)] < v0) + (i64)(i64)(ev->arg[3]));
    }
    break;
  case 1:
    for (i32 k3 = 0; k3 >= 0; k3 -= 2) {
      st->sum |= (i64)__builtin_bswap32((u32)(((u64)(k3) >> ((__builtin_popcount((u32)((i64)0x1daa))) & 63))));
      shared |= ((u64)((k3 | (v3 ^ st->a[2]))) % (i64)((((((u64)(k3) >> ((shared) & 63)) - 0x7fffffff)) & 0xffff) + 1));
      st->e[0] |= (i64)__builtin_bswap32((u32)(((i64)0xc735 * (shared <= v2))));
    }
    break;
  case 2:
    st->a[1] *= 0x7fffffff;
    break;
  case 3:
    st->a[limit((u64)(((shared * 0xffffffffu) + ((i64)0x12ac1a8d22e2ec & st->e[((u64)((i64)0x1fd5) % 1u)]))), 11)] = (__builtin_popcount((u32)(__builtin_ctzll(1ull << 63 | (u64)(st->a[limit((u64)(0x7fffffffffffffff), 11)])))) ^ ((table[13] * ev->arg[1]) ^ __builtin_popcountll((u64)(ev->arg[3]))));
    st->b[((u64)(shared) % 43u)] -= table[((u64)((((u64)(v1) << ((v2) & 63)) - ev->arg[5])) % 20u)];
    break;
  default: v0++;
  }
  st->b[((u64)((v2 ^ __builtin_popcountll((u64)(v1)))) % 43u)] ^= shared;
  v0 ^= table[((__builtin_ctzll(1ull << 63 | (u64)((i64)0xf13a354))) & 15)];
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x11eb;
  u8 v1 = (i64)0x125d;
  u8 v2 = (i64)0x994;
  u64 v3 = (i64)0x161a;
  v0 += x; v1 ^= y;
  if (((v3 + (v0 | st->c[limit((u64)(ev->arg[0]), 29)])) | ((i64)(i16)(shared) < (v2 != shared)))) {
    v3 |= ((shared ? (table[1] < st->a[2]) : (v3 + 0)) <= v0);
    st->d[58] -= v2;
  } else {
    if (st->cursor) st->cursor->value ^= v2;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0x1a93;
  u16 v1 = (i64)0x8e2;
  i32 v2 = (i64)0x4ad;
  u32 v3 = (i64)0x1b4d;
  v0 += x; v1 ^= y;
  { u32 a0 = (u32)((__builtin_clzll(1 | (u64)(table[limit((u64)(ev->arg[0]), 19)])) | (i64)0x2883562391)) % 9u, b0 = a0 + 1 + (u32)(v2) % 9u; st->pool[a0].next = b0 < 9 ? &st->pool[b0] : 0; }
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_379(const struct ward_event *ev, struct ward_state *st)
{
  u8 v0 = (i64)0x6ac;
  u64 v1 = (i64)0x1058;
  u32 v2 = (i64)0x695;
  u8 v3 = (i64)0x7bf;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 9; i++) st->pool[i].next = &st->pool[i + 1];
    st->head = st->pool;
  }
  if (table[((u64)(((i64)(u16)(st->sum) & __builtin_clzll(1 | (u64)(st->b[3])))) % 20u)]) {
    __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
    shared -= ((ev->arg[2] & (i64)__builtin_bswap32((u32)(v0))) & ((v2 | (i64)0x2288757) & (v2 + v2)));
    switch ((((v1 ? st->sum : st->a[0]) - (st->d[((u64)(1) % 60u)] * table[((v0) & 15)]))) & 3) {
    case 0:
      st->sum = ((divide_r((u64)(v2), (u64)(table[((v2) & 15)])) ? ((u64)(table[((u64)(st->b[limit((u64)(0x80000000u), 42)]) % 20u)]) << ((v1) & 63)) : ((i64)0x5b530bd ? v2 : (i64)0x462)) | divide_r((u64)(((i64)0xf6de040ae45 ? v2 : v0)), (u64)((v2 | table[limit((u64)(v1), 19)]))));
      WARD_BOUND(64) for (u64 k1 = (u64)((i64)0x3c0) & 31; k1; k1 >>= 1) {
        st->e[((u64)(v1) % 1u)] -= st->d[((table[((u64)((v3 == ev->arg[5])) % 20u)]) & 31)];
        if (__builtin_ctzll(1ull << 63 | (u64)(((i64)0x3c8a2881 >= v0)))) break;
      }
      break;
    case 1:
      switch ((((st->sum - (i64)0x60885c7) >= divide_r((u64)(31), (u64)((i64)0x1c6a94e)))) & 3) {
      case 0:
        st->e[limit((u64)(((u64)(__builtin_popcountll((u64)(ev->arg[1]))) << ((((i64)0x4134546d ^ v2)) & 63))), 0)] -= (((i64)(u8)(0) & (table[(((i64)0x12e413f599) & 15)] - ev->arg[2])) + ((v1 | (i64)0x118d4b309bca) ? (i64)(u16)(v2) : (v0 >= st->b[37])));
        break;
      case 1:
        st->a[6] ^= (i64)__builtin_bswap32((u32)(((i64)(i8)(table[((st->b[limit((u64)(st->b[limit((u64)(shared), 42)]), 42)]) & 15)]) | ev->arg[0])));
        break;
      default: v0++;
      }
      break;
    case 2:
      st->a[((v3) & 7)] += ((i32)((i64)(u16)(__builtin_popcount((u32)(v1)))) % (i64)(((v2) & 0xffff) + 1));
      break;
    default: v0++;
    }
  }
  shared ^= divide_q((u64)(((u16)((table[13] & shared)) % (i64)(((((i64)(st->a[limit((u64)(shared), 11)]) % (i64)(((st->sum) & 0xffff) + 1))) & 0xffff) + 1))), (u64)(((u64)((shared & ev->arg[2])) << ((table[limit((u64)(shared), 19)]) & 63))));
  if (shared) {
    switch ((divide_q((u64)(((i64)(0xffffffffu) << ((st->a[((u64)(st->d[((u64)(v1) % 60u)]) % 12u)]) & 63))), (u64)(((i64)0x15e763bf7a62 ? v0 : table[((u64)((i64)0x2a9f9fd) % 20u)])))) & 3) {
    case 0:
      WARD_BOUND(64) for (u64 k2 = (u64)(((i64)(i64)(v3) ^ (v0 | -1))) & 31; k2; k2 >>= 1) {
        shared |= (k2 & (v0 == k2));
      }
      break;
    case 1:
      if (((st->sum == __builtin_popcount((u32)(v1))) * ((i32)(((u64)(ev->arg[0]) << ((table[((st->a[3]) & 15)]) & 63))) % (i64)(((((u16)(st->sum) / (i64)(((v0) & 0xffff) + 1))) & 0xffff) + 1)))) {
        shared -= ((ev->arg[1] | (i64)0xa5726216d) & (((i64)0x3be6a7deae == (i64)0x3d) & (table[((v3) & 15)] * table[5])));
      } else {
        shared = (__builtin_ctzll(1ull << 63 | (u64)(divide_r((u64)(v3), (u64)(ev->arg[1])))) ? st->b[((((i64)(table[((u64)(v0) % 20u)]) >> ((v0) & 63))) & 31)] : __builtin_popcountll((u64)((i64)__builtin_bswap32((u32)(v0)))));
        st->sum ^= (v0 + (v0 | ev->arg[3]));
      }
      v2 ^= v3;
      st->d[((v2) & 31)] ^= (i64)(i8)(divide_r((u64)((i64)(i16)(v3)), (u64)(((u64)(st->sum) % (i64)(((v2) & 0xffff) + 1)))));
    case 2:
      shared ^= ((i16)((i64)0x6437e1502379b) % (i64)(((((u64)((table[14] & ev->arg[3])) << ((((i8)(v3) / (i64)(((st->sum) & 0xffff) + 1))) & 63))) & 0xffff) + 1));
      switch (((i64)(i16)(v2)) & 7) {
      case 0:
        shared = (table[limit((u64)(table[((u64)(st->sum) % 20u)]), 19)] ^ (((u32)((i64)0x1433fc07635c8) % (i64)(((ev->arg[2]) & 0xffff) + 1)) ^ (st->e[((v0) & 0)] + (i64)0x549)));
        break;
      case 1:
        v0 -= (i64)(i16)((i64)(i64)((v3 * v1)));
        break;
      case 2:
        shared = st->e[((u64)(v3) % 1u)];
        break;
      case 3:
        st->a[6] = table[((u64)(((i64)__builtin_bswap32((u32)(v1)) | (table[limit((u64)(v2), 19)] ? st->a[1] : v3))) % 20u)];
        break;
      case 4:
        st->a[6] += (divide_r((u64)((i64)(i32)(v2)), (u64)(((u16)((i64)0x12856d2a8c) / (i64)(((table[((v2) & 15)]) & 0xffff) + 1)))) ? __builtin_popcountll((u64)((shared | table[3]))) : (((i64)0x23 * v0) - (st->c[limit((u64)((i64)0x514e3d82), 29)] + (i64)0x6476)));
      case 5:
        st->sum |= table[limit((u64)(((v3 > v3) > __builtin_popcountll((u64)(-1)))), 19)];
        break;
      default: v0++;
      }
      break;
    default: v0++;
    }
  } else {
    for (i32 k3 = 4; k3 >= 0; k3 -= 1) {
      switch ((k3) & 7) {
      case 0:
        shared ^= (k3 ? ev->arg[1] : divide_r((u64)((4096 != (i64)0x78d1)), (u64)(shared)));
        break;
      case 1:
        st->a[((((v3 & table[5]) | (ev->arg[5] & 0xffffffffu))) & 7)] *= v3;
        break;
      case 2:
        st->d[limit((u64)((1 | (table[((st->d[limit((u64)(v1), 59)]) & 15)] == v1))), 59)] *= (((i8)((v2 & (i64)0x2a41)) / (i64)(((v3) & 0xffff) + 1)) * ((v0 + (i64)0x7bfe5) + __builtin_clzll(1 | (u64)(v2))));
      case 3:
        st->b[((table[16]) & 31)] ^= 4096;
        break;
      default: v0++;
      }
    }
    st->c[(((__builtin_popcountll((u64)(v2)) ? (table[((u64)(0xffffffffu) % 20u)] > ev->arg[4]) : ((i64)(table[8]) >> ((v2) & 63)))) & 15)] |= (st->b[((u64)((v0 * st->c[((u64)(st->a[((shared) & 7)]) % 30u)])) % 43u)] ? ((shared * v3) + 4096) : (i64)__builtin_bswap32((u32)(__builtin_clzll(1 | (u64)(v2)))));
    st->e[0] *= (((table[5] - table[18]) >= (v3 + v0)) - __builtin_popcount((u32)(st->c[limit((u64)((i64)0x687ce1aa80), 29)])));
  }
  shared = ((4096 | (0xffffffffu ? 255 : v1)) | (i64)(u32)(((i16)(v2) % (i64)(((ev->arg[2]) & 0xffff) + 1))));
  st->sum |= v2;
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
