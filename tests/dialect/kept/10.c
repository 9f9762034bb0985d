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
  u32 a[18];
  i16 b[20];
  u8 c[54];
  u16 d[7];
  u8 e[3];
  struct node pool[7];
  struct node *head, *cursor;
};
static const i16 table[10] = {57, 53, 105, 113, 57, 12, 60, 60, 53, 87, };
static i64 shared = 74;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x170e;
  u64 v1 = (i64)0x1697;
  i64 v2 = (i64)0x1ca2;
  u16 v3 = (i64)0xc30;
  v0 += x; v1 ^= y;
  st->head = &st->pool[limit((u64)((i64)__builtin_bswap32((u32)(table[limit((u64)(ev->arg[4]), 9)]))), 6)];
  WARD_BOUND(64) for (u32 k1 = 0, n1 = (u32)(((st->b[((u64)((i64)0x1beb06f575bd) % 20u)] ^ st->e[limit((u64)((i64)0x116), 2)]) * 0x7fffffffffffffff)) % 10u; k1 != n1; k1++) {
    v0 -= ((u16)((((i64)(table[7]) >> ((ev->arg[0]) & 63)) != (-1 | st->sum))) % (i64)(((k1) & 0xffff) + 1));
    WARD_BOUND(64) for (u32 k2 = 0, n2 = (u32)(k1) % 10u; k2 != n2; k2++) {
      v1 -= (st->sum > ((i64)__builtin_bswap64((u64)((i64)0x7ba3b2ef2)) > (255 - (i64)0x3ea94e)));
      shared |= __builtin_ctzll(1ull << 63 | (u64)((i64)(u8)(v2)));
      st->a[((u64)((0x7fffffffffffffff + ev->arg[3])) % 18u)] += ((u64)((ev->arg[0] < (k1 * k2))) / (i64)((((i64)(i8)((k1 | st->c[15]))) & 0xffff) + 1));
    }
  }
  WARD_BOUND(64) for (u64 k3 = (u64)(st->c[53]) & 31; k3; k3 >>= 1) {
    st->sum *= (((u64)((st->a[4] ? 0xffffffffu : st->e[1])) << (((v3 & v0)) & 63)) >= table[4]);
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x9ad;
  i32 v1 = (i64)0xefd;
  i64 v2 = (i64)0x1c25;
  i16 v3 = (i64)0x14a7;
  v0 += x; v1 ^= y;
  st->sum ^= divide_r((u64)((i64)0x0), (u64)(divide_r((u64)(((u8)((i64)0x1ad4bafb6) / (i64)(((st->c[26]) & 0xffff) + 1))), (u64)(v3))));
  st->a[(((i64)0x1cb6) & 15)] ^= st->c[((shared) & 31)];
  switch (((v0 ? (v2 ? table[6] : v3) : (v0 & st->sum))) & 7) {
  case 0:
    v1 += f0(ev, st, (i64)(table[limit((u64)((ev->arg[1] <= ev->arg[1])), 9)]), (u32)(v2));
    shared ^= (((4096 <= v2) >= ((i64)(v0) / (i64)(((ev->arg[2]) & 0xffff) + 1))) & ((u16)(table[limit((u64)(255), 9)]) / (i64)((((i64)0x47a251e2d9d57) & 0xffff) + 1)));
    break;
  case 1:
    st->sum += ((i32)(((i64)(__builtin_ctzll(1ull << 63 | (u64)(v3))) << (((shared * (i64)0xe196)) & 63))) % (i64)((((i64)(i32)(v2)) & 0xffff) + 1));
    WARD_BOUND(64) for (struct node *p0 = st->head; p0; p0 = p0->next) {
      p0->value += (((i8)(31) % (i64)(((v3) & 0xffff) + 1)) ? (v2 + (i64)0x26b9dc) : st->b[((0x7fffffff) & 15)]);
    }
    break;
  case 2:
    { u32 a1 = (u32)(divide_q((u64)((shared * shared)), (u64)(divide_q((u64)(st->d[2]), (u64)(v1))))) % 7u, b1 = a1 + 1 + (u32)((i64)__builtin_bswap32((u32)(((i64)0x1250e4850bc & v0)))) % 7u; st->pool[a1].next = b1 < 7 ? &st->pool[b1] : 0; }
    shared ^= divide_q((u64)(((u8)(st->sum) % (i64)(((((i64)(v3) << ((v0) & 63))) & 0xffff) + 1))), (u64)(st->a[((u64)(divide_r((u64)(v1), (u64)(4096))) % 18u)]));
  case 3:
    st->sum -= 255;
    st->a[limit((u64)(((i16)((st->sum - v2)) % (i64)((((table[((u64)(st->sum) % 10u)] * v2)) & 0xffff) + 1))), 17)] += st->e[((((i64)((v3 * st->sum)) >> (((v0 < v2)) & 63))) & 1)];
  case 4:
    st->d[((u64)(0xffffffffu) % 7u)] = divide_q((u64)(((i64)(u32)(st->a[((ev->arg[4]) & 15)]) < ((i64)0x134 | (i64)0xeaebf28fa))), (u64)(((ev->arg[5] - -1) ? divide_r((u64)(st->e[0]), (u64)(ev->arg[0])) : (1 * v3))));
    break;
  case 5:
    st->sum *= ev->arg[5];
    shared += ((((u64)(v2) << (((i64)0xa) & 63)) ^ v1) & (((u16)(shared) / (i64)(((st->d[((u64)(v2) % 7u)]) & 0xffff) + 1)) & (shared > shared)));
    break;
  default: v0++;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x1150;
  u8 v1 = (i64)0x176b;
  u32 v2 = (i64)0x148b;
  i16 v3 = (i64)0x108f;
  v0 += x; v1 ^= y;
  st->b[((u64)(((u8)(table[7]) / (i64)(((v0) & 0xffff) + 1))) % 20u)] -= (255 ? ((v2 & table[((u64)((i64)0x20) % 10u)]) + (i64)(i32)(ev->arg[2])) : v2);
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_10(const struct ward_event *ev, struct ward_state *st)
{
  i16 v0 = (i64)0x1aa8;
  u32 v1 = (i64)0x210;
  i64 v2 = (i64)0xafd;
  u32 v3 = (i64)0x1924;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 7; i++) st->pool[i].next = &st->pool[i + 1];
    st->head = st->pool;
  }
  { u32 a0 = (u32)((i64)__builtin_bswap32((u32)((ev->arg[4] | v3)))) % 7u, b0 = a0 + 1 + (u32)(__builtin_popcount((u32)((v2 | ev->arg[4])))) % 7u; st->pool[a0].next = b0 < 7 ? &st->pool[b0] : 0; }
  WARD_BOUND(64) for (u64 k1 = (u64)((table[3] | (i64)(u16)(table[((table[9]) & 7)]))) & 31; k1; k1 >>= 1) {
    shared -= (i64)(i16)((v1 - v2));
    v2 += f0(ev, st, (i64)(__builtin_ctzll(1ull << 63 | (u64)((v2 | v0)))), (u32)(((i8)(((u64)(ev->arg[3]) >> ((k1) & 63))) % (i64)(((v0) & 0xffff) + 1))));
    shared += (((ev->arg[2] * v1) - (i64)0x1) ? (i64)(u8)(st->sum) : k1);
  }
  v0 += f1(ev, st, (i64)(divide_r((u64)(v1), (u64)((v1 ^ st->a[(((i64)0x58f7aeb) & 15)])))), (u32)(divide_q((u64)(((u64)(0x7fffffff) / (i64)(((table[limit((u64)(ev->arg[2]), 9)]) & 0xffff) + 1))), (u64)(((u64)(shared) << ((ev->arg[4]) & 63))))));
  switch ((table[((((i64)0x1f5e9d ? v2 : st->e[limit((u64)(ev->arg[3]), 2)])) & 7)]) & 7) {
  case 0:
    u64 x2 = (u64)(divide_r((u64)((((i64)0x15591 ? (i64)0x1d9 : table[3]) + divide_q((u64)(shared), (u64)(v3)))), (u64)((v3 - (i64)(i16)(shared)))));
    if (x2 < 54) {
      st->c[x2] += v1;
      switch ((((0x7fffffff | table[8]) + (v0 ^ (i64)0x10d3bc97))) & 7) {
      case 0:
        shared ^= st->e[limit((u64)((v3 + __builtin_popcountll((u64)(st->sum)))), 2)];
        break;
      case 1:
        v0 *= (divide_q((u64)(((i64)0xf3d25da62b47 ? st->sum : 255)), (u64)(table[((u64)(st->sum) % 10u)])) & table[((u64)(((u16)(ev->arg[4]) % (i64)((((i64)0x19) & 0xffff) + 1))) % 10u)]);
        break;
      case 2:
        v2 ^= ((i64)0x2ba666309a ^ ((i64)(i64)(st->a[((u64)(0x7fffffffffffffff) % 18u)]) <= ((i8)(table[7]) / (i64)(((v0) & 0xffff) + 1))));
      case 3:
        st->sum = (__builtin_popcount((u32)(ev->arg[1])) ^ ev->arg[4]);
        break;
      case 4:
        st->c[((u64)((v2 + (v0 < shared))) % 54u)] += (table[limit((u64)((v3 - v2)), 9)] & (((u16)(v0) % (i64)(((v0) & 0xffff) + 1)) - (table[2] ? table[((table[((st->a[((v1) & 15)]) & 7)]) & 7)] : -1)));
        break;
      default: v0++;
      }
      st->sum ^= ((u8)(table[limit((u64)(st->sum), 9)]) / (i64)((((st->sum ? 4096 : v1)) & 0xffff) + 1));
    }
  case 1:
    __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
    st->d[((table[((((i64)0xe8a27ec37 - v2)) & 7)]) & 3)] ^= (i64)(i8)((i64)(i64)((0x80000000u ? st->sum : ev->arg[0])));
    break;
  case 2:
    shared ^= (v1 * st->sum);
    i32 x4 = (i32)(((u64)((table[limit((u64)(st->c[((st->b[((u64)(v3) % 20u)]) & 31)]), 9)] ^ ev->arg[0])) >> (((((i32)(0x7fffffffffffffff) / (i64)(((ev->arg[3]) & 0xffff) + 1)) | (i64)(i64)(st->c[((u64)(v1) % 54u)]))) & 63)));
    if (x4 >= 0 && x4 < 3) {
      st->e[x4] += (((i8)((i64)0x218ee02e25) % (i64)(((v2) & 0xffff) + 1)) ^ (v3 - ev->arg[5]));
      st->b[((u64)(((v2 & 31) ? st->sum : ((i64)0x39d320c336d + v1))) % 20u)] = (divide_q((u64)((v2 * (i64)0x3)), (u64)(((u64)(0xffffffffu) << ((ev->arg[2]) & 63)))) ? ((u64)(((i64)0x19159531 & (i64)0x31)) << ((ev->arg[0]) & 63)) : (__builtin_clzll(1 | (u64)(table[((u64)(table[limit((u64)((i64)0x120f6b9cefce), 9)]) % 10u)])) + ((u32)(table[((u64)(ev->arg[5]) % 10u)]) % (i64)(((table[limit((u64)(v1), 9)]) & 0xffff) + 1))));
      if (v2) {
        st->b[14] *= (divide_r((u64)((ev->arg[0] <= shared)), (u64)(((i16)((i64)0xcde11a7f) % (i64)(((1) & 0xffff) + 1)))) ? v2 : (v1 ? (v2 ^ v0) : ((u64)(st->sum) / (i64)(((v0) & 0xffff) + 1))));
        st->e[limit((u64)(((0xffffffffu * 1) + (shared >= (i64)0x122))), 2)] |= (((v2 ? v3 : st->a[limit((u64)(st->a[((u64)(v1) % 18u)]), 17)]) ^ (table[4] ? st->sum : ev->arg[4])) | (i64)(i32)(shared));
      } else {
        v1 = (st->sum ^ (i64)(u16)(((i64)(v2) % (i64)(((31) & 0xffff) + 1))));
        v1 -= ((u8)(((v3 ^ 31) | (i64)__builtin_bswap32((u32)(st->b[limit((u64)(ev->arg[0]), 19)])))) / (i64)((((v2 + (i64)(u8)(st->sum))) & 0xffff) + 1));
        st->b[((u64)((ev->arg[5] < shared)) % 20u)] *= ((i64)((((u32)(v2) % (i64)(((ev->arg[1]) & 0xffff) + 1)) <= (table[limit((u64)(v0), 9)] | ev->arg[0]))) << ((((u32)((v1 - (i64)0x1f5987ff)) % (i64)(((((i64)0x1a9fab6b28 + shared)) & 0xffff) + 1))) & 63));
      }
    }
    if (divide_q((u64)((v3 ? divide_q((u64)(st->e[limit((u64)(v3), 2)]), (u64)((i64)0x7cfd)) : (shared * table[((st->e[2]) & 7)]))), (u64)(((255 ^ v0) - divide_q((u64)(0xffffffffu), (u64)(v3)))))) {
      switch ((((ev->arg[5] - (i64)0x257d0d) | (i64)(i16)(st->b[limit((u64)(v2), 19)]))) & 7) {
      case 0:
        st->sum = __builtin_popcount((u32)(table[8]));
        break;
      case 1:
        v2 = (v2 ? divide_q((u64)(st->sum), (u64)((table[((v0) & 7)] ? v3 : (i64)0x1df71babf5b7b))) : ((ev->arg[4] * st->b[((u64)(table[limit((u64)(1), 9)]) % 20u)]) + (i64)__builtin_bswap32((u32)((i64)0x22a10))));
        break;
      case 2:
        v2 *= v0;
        break;
      case 3:
        st->e[limit((u64)(v0), 2)] += (((v3 - ev->arg[5]) - table[limit((u64)(v3), 9)]) + v2);
        break;
      case 4:
        st->d[1] *= ((0x7fffffff ^ ev->arg[0]) + ((i64)(i32)(table[limit((u64)(table[((u64)(st->e[((u64)(table[2]) % 3u)]) % 10u)]), 9)]) ? ev->arg[5] : table[((v1) & 7)]));
        break;
      case 5:
        st->d[limit((u64)(((ev->arg[5] ? table[((u64)(st->sum) % 10u)] : st->a[limit((u64)(shared), 17)]) - divide_q((u64)(st->sum), (u64)(v3)))), 6)] = (i64)0x168;
        break;
      default: v0++;
      }
    }
    break;
  case 3:
    st->a[((u64)((i64)(i8)(divide_r((u64)(v1), (u64)(v3)))) % 18u)] = ((table[((u64)(v3) % 10u)] + (v3 <= v3)) & ((i64)(divide_r((u64)(v1), (u64)((i64)0x5ab93a8a91))) >> ((v2) & 63)));
    st->sum ^= ((ev->arg[0] == v1) ? ((v0 ? ev->arg[3] : ev->arg[0]) != (ev->arg[3] ? v1 : v0)) : table[((table[limit((u64)(v3), 9)]) & 7)]);
    st->c[((((i64)(v2) % (i64)(((((i64)0x173ef10208f * v0)) & 0xffff) + 1))) & 31)] += (((i64)0xf00f395d * (i64)(i16)(st->sum)) <= ((i64)((-1 >= ev->arg[4])) >> (((i64)0x32038cba0e0) & 63)));
    break;
  case 4:
    st->sum = divide_r((u64)(ev->arg[3]), (u64)(ev->arg[0]));
    break;
  default: v0++;
  }
  shared ^= ((i64)0x6d6 <= (((i64)0x1af5c85 == (i64)0x25c70a5a8) ? divide_r((u64)(0), (u64)(v0)) : (v3 == st->sum)));
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
