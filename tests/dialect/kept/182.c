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
  u64 a[52];
  u16 b[38];
  i64 c[28];
  i8 d[6];
  i64 e[52];
  struct node pool[8];
  struct node *head, *cursor;
};
static const u64 table[29] = {123, 4, 0, 4, 39, 116, 119, 28, 98, 81, 79, 88, 56, 99, 79, 109, 56, 123, 95, 52, 118, 75, 25, 115, 119, 114, 0, 45, 13, };
static i64 shared = 660;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i16 v0 = (i64)0xc11;
  i64 v1 = (i64)0x1e8d;
  u32 v2 = (i64)0x1bfc;
  i16 v3 = (i64)0x173a;
  v0 += x; v1 ^= y;
  st->sum |= divide_q((u64)(v2), (u64)(st->sum));
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u32 v0 = (i64)0x19b;
  u16 v1 = (i64)0x806;
  u16 v2 = (i64)0x1a7b;
  u8 v3 = (i64)0x14a5;
  v0 += x; v1 ^= y;
  if ((i64)(i64)(((v2 ^ 0xffffffffu) | (v1 - 0xffffffffu)))) {
    { u32 a0 = (u32)(table[((u64)(divide_r((u64)(v2), (u64)((i64)0x69d6b594a5))) % 29u)]) % 8u, b0 = a0 + 1 + (u32)(((i64)(u64)(v0) + ((u64)(ev->arg[1]) >> (((i64)0x20289a878f0bb) & 63)))) % 8u; st->pool[a0].kid[1] = b0 < 8 ? &st->pool[b0] : 0; }
    switch ((st->sum) & 7) {
    case 0:
      st->c[7] |= (st->sum - (0x7fffffffffffffff & (v1 ^ v1)));
      break;
    case 1:
      v0 |= (((st->e[((u64)(st->sum) % 52u)] ^ shared) & (ev->arg[4] > v1)) | v3);
      break;
    case 2:
      st->sum += v1;
    case 3:
      st->d[(((divide_r((u64)(v0), (u64)(shared)) > table[limit((u64)(table[((ev->arg[2]) & 15)]), 28)])) & 3)] += divide_r((u64)((i64)0x15a9), (u64)((((u64)(v2) >> ((v3) & 63)) - (ev->arg[0] == ev->arg[3]))));
    case 4:
      st->a[26] = divide_q((u64)(v3), (u64)((((u32)(st->a[41]) / (i64)(((table[7]) & 0xffff) + 1)) - (i64)__builtin_bswap64((u64)(table[((0x80000000u) & 15)])))));
      break;
    default: v0++;
    }
    { struct node t1 = st->pool[((v2) & 7)]; v1 += t1.key ^ t1.value; }
  } else {
    if (((i64)(((u64)((i64)(i64)(ev->arg[2])) % (i64)((((shared | (i64)0x1cb006)) & 0xffff) + 1))) % (i64)(((table[(((i64)0x2fb183) & 15)]) & 0xffff) + 1))) {
      v2 ^= (((v2 & v2) | table[(((i64)0x5bd9794a42e) & 15)]) * ((st->d[((u64)(table[2]) % 6u)] == v0) == st->b[((st->sum) & 31)]));
      st->sum = (i64)0x1f8f3aab9342;
    } else {
      v3 -= (table[limit((u64)((i64)0x27ef06738693), 28)] + __builtin_ctzll(1ull << 63 | (u64)(0x7fffffff)));
      st->sum -= divide_r((u64)(((u64)(__builtin_popcount((u32)(ev->arg[3]))) << (((st->sum <= st->sum)) & 63))), (u64)(st->sum));
      v2 *= __builtin_popcount((u32)(table[(((v2 < ev->arg[3])) & 15)]));
    }
  }
  st->e[23] ^= ((i64)((divide_q((u64)(v2), (u64)(ev->arg[0])) * (v0 & v3))) << (((i64)__builtin_bswap64((u64)(st->d[5]))) & 63));
  st->e[((u64)(__builtin_ctzll(1ull << 63 | (u64)(((u64)(table[((u64)(v1) % 29u)]) << ((st->d[((u64)(table[((u64)(st->a[((0x7fffffffffffffff) & 31)]) % 29u)]) % 6u)]) & 63))))) % 52u)] *= (v1 + table[(((table[limit((u64)(v2), 28)] & table[((u64)(st->sum) % 29u)])) & 15)]);
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u32 v0 = (i64)0x16e6;
  i32 v1 = (i64)0x592;
  i8 v2 = (i64)0x2fd;
  u8 v3 = (i64)0x8be;
  v0 += x; v1 ^= y;
  shared ^= ((((i64)(table[14]) >> ((st->sum) & 63)) - (shared + ev->arg[1])) >= v2);
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_182(const struct ward_event *ev, struct ward_state *st)
{
  i8 v0 = (i64)0x1897;
  i32 v1 = (i64)0x1925;
  u64 v2 = (i64)0x1d1a;
  u8 v3 = (i64)0x178d;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 8; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  for (i32 k0 = 10; k0 >= 0; k0 -= 1) {
    switch (((k0 & st->d[((u64)(ev->arg[3]) % 6u)])) & 7) {
    case 0:
      v2 += f2(ev, st, (i64)(st->b[24]), (u32)(((v3 * ev->arg[5]) ? (v2 >= table[((u64)(v0) % 29u)]) : __builtin_clzll(1 | (u64)(0x7fffffff)))));
      WARD_BOUND(64) for (u64 k1 = (u64)(((i64)(v0) >> (((i64)(u32)(0x7fffffff)) & 63))) & 31; k1; k1 >>= 1) {
        st->sum = __builtin_clzll(1 | (u64)((i64)0x736c));
      }
      st->sum -= ((u64)(((v0 - 1) + (i64)(u16)(k0))) >> ((((u64)((st->b[((u64)(st->c[((u64)((i64)0x139) % 28u)]) % 38u)] | v2)) << ((divide_q((u64)(table[((st->e[limit((u64)(table[((u64)(st->d[5]) % 29u)]), 51)]) & 15)]), (u64)((i64)0xa59f6a5c294))) & 63))) & 63));
    case 1:
      if ((i64)(i16)((i64)0x5da20)) {
        st->b[29] -= ((u32)(255) % (i64)(((((i64)(k0) << (((i64)(i32)(v1)) & 63))) & 0xffff) + 1));
        v1 = 0x80000000u;
        st->b[limit((u64)(divide_q((u64)((i64)0x383), (u64)((v2 <= v2)))), 37)] -= (i64)(u64)(((i64)(u64)(st->sum) + (shared - ev->arg[5])));
      }
      WARD_BOUND(64) for (u32 k2 = 0, n2 = (u32)((divide_q((u64)(ev->arg[1]), (u64)(st->sum)) & ((u32)(ev->arg[3]) / (i64)(((table[limit((u64)(table[limit((u64)(shared), 28)]), 28)]) & 0xffff) + 1)))) % 10u; k2 != n2; k2++) {
        st->c[((((st->e[((1) & 31)] != (i64)0x15f) ^ (i64)__builtin_bswap32((u32)(k0)))) & 15)] |= ((u64)(st->sum) >> ((((ev->arg[0] != k0) + ((i32)(shared) % (i64)(((ev->arg[0]) & 0xffff) + 1)))) & 63));
        st->c[((table[limit((u64)((table[1] * ev->arg[0])), 28)]) & 15)] = (st->a[limit((u64)(((u64)(ev->arg[2]) << ((st->c[((table[((u64)(shared) % 29u)]) & 15)]) & 63))), 51)] != (((u64)(255) % (i64)(((k0) & 0xffff) + 1)) + (v3 + v3)));
      }
      break;
    case 2:
      st->b[limit((u64)(k0), 37)] |= ((i64)(((shared != shared) ^ (i64)__builtin_bswap64((u64)(v0)))) << (((i64)(u8)((table[5] * st->c[((0x80000000u) & 15)]))) & 63));
      break;
    case 3:
      for (i32 k3 = 11; k3 >= 0; k3 -= 2) {
        v2 += (0 > ((u64)((shared ? st->e[((u64)(k3) % 52u)] : table[limit((u64)(ev->arg[4]), 28)])) >> ((((u64)(ev->arg[0]) << ((k3) & 63))) & 63)));
        v3 |= ((((i64)0xbb * 0x7fffffffffffffff) ^ ((u64)(st->sum) >> ((st->c[27]) & 63))) ? divide_q((u64)((st->sum - v3)), (u64)(ev->arg[5])) : (((i64)0x14d8 ^ k0) ? v3 : (ev->arg[3] & ev->arg[4])));
      }
      break;
    default: v0++;
    }
    if (((i64)0xdb2 <= (i64)__builtin_bswap32((u32)(table[((u64)(table[limit((u64)(st->b[((u64)(table[((u64)(st->b[((st->e[0]) & 31)]) % 29u)]) % 38u)]), 28)]) % 29u)])))) break;
  }
  for (i32 k4 = 3; k4 >= 0; k4 -= 1) {
    switch ((v2) & 7) {
    case 0:
      switch (((i64)0x14ea44a) & 3) {
      case 0:
        shared ^= (((255 + shared) - ev->arg[1]) * (__builtin_popcountll((u64)(v2)) - (1 ? k4 : (i64)0x112ba1d)));
        break;
      case 1:
        st->sum -= (v2 != (((i8)(st->sum) / (i64)(((31) & 0xffff) + 1)) ? (st->e[((ev->arg[0]) & 31)] * (i64)0x174dfa) : divide_r((u64)(st->sum), (u64)(v3))));
        break;
      default: v0++;
      }
    case 1:
      WARD_BOUND(64) for (u64 k5 = (u64)(__builtin_popcount((u32)(table[16]))) & 31; k5; k5 >>= 1) {
        st->b[limit((u64)((i64)(u8)(v3)), 37)] += ((divide_q((u64)(ev->arg[4]), (u64)(st->d[limit((u64)(st->d[2]), 5)])) ? v1 : ((u32)(v3) / (i64)(((shared) & 0xffff) + 1))) & ((-1 & k5) | k5));
        st->sum |= __builtin_ctzll(1ull << 63 | (u64)(((table[20] | k4) == v1)));
        if (v2) continue;
      }
      { u32 a6 = (u32)(v3) % 8u, b6 = a6 + 1 + (u32)(((1 | st->d[((st->sum) & 3)]) * st->sum)) % 8u; st->pool[a6].next = b6 < 8 ? &st->pool[b6] : 0; }
      v3 -= (((v2 != -1) - (ev->arg[5] - (i64)0x2a6e4b47)) ? shared : st->e[37]);
      break;
    case 2:
      st->sum ^= (((i64)0xeae3ef7f5ab3 + ((u64)((i64)0x16dc99) << ((v0) & 63))) ? (__builtin_clzll(1 | (u64)(k4)) > ((u8)(st->sum) % (i64)(((st->b[limit((u64)(v3), 37)]) & 0xffff) + 1))) : ((i64)((v1 | (i64)0x92a18df054c)) << (((v2 >= ev->arg[4])) & 63)));
      st->d[((divide_q((u64)((i64)0x6d6fb5c88cf), (u64)(((u64)((i64)0x10928b6a94a) >> ((0x7fffffff) & 63))))) & 3)] |= table[((divide_r((u64)((i64)(i16)(4096)), (u64)((k4 ^ (i64)0x7ba5fe4)))) & 15)];
      st->b[limit((u64)(v3), 37)] ^= (i64)(i8)((i64)__builtin_bswap32((u32)(__builtin_ctzll(1ull << 63 | (u64)(0x7fffffffffffffff)))));
    case 3:
      v2 += (v1 ? -1 : (((i64)0x2d32ff1e776 ? k4 : k4) - (st->b[((u64)(0xffffffffu) % 38u)] != ev->arg[4])));
      shared |= (i64)0x60f50;
      st->b[limit((u64)(v3), 37)] ^= (i64)0x1448bee410d;
    default: v0++;
    }
    shared ^= (((u8)((shared | v3)) / (i64)(((__builtin_ctzll(1ull << 63 | (u64)(-1))) & 0xffff) + 1)) ? ((i32)(((i64)0x843e7 ^ st->d[3])) % (i64)((((table[(((i64)0xc) & 15)] ? v0 : 0x80000000u)) & 0xffff) + 1)) : st->sum);
    st->a[((u64)(table[(((v3 + 4096)) & 15)]) % 52u)] += ((u64)(v2) / (i64)(((((table[((table[13]) & 15)] * st->a[limit((u64)(ev->arg[4]), 51)]) ^ (v3 + ev->arg[5]))) & 0xffff) + 1));
    if (v3) break;
  }
  st->sum -= (((v3 != v3) < divide_q((u64)(v1), (u64)(st->a[(((i64)0x1) & 31)]))) | (i64)0x1d9d4fca540);
  st->b[((u64)(((u64)((i64)0x17) >> (((v3 | (i64)0x818f31)) & 63))) % 38u)] ^= (i64)(i8)(((u64)(st->e[((v1) & 31)]) << ((st->sum) & 63)));
  v1 ^= ((i64)((i64)0xa553edba) >> ((divide_q((u64)((i64)(u8)((i64)0x58110)), (u64)(1))) & 63));
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
