#pragma clang diagnostic ignored "-Weverything"
#include <ward/probe.h>
#include <string.h>
typedef uint64_t u64;
typedef int64_t i64;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint8_t u8;
typedef int8_t i8;
struct node { struct node *next; i64 key; struct node *kid[2]; i32 value; u8 pad[3]; i16 small[4]; };
struct pair { i32 x; u16 y; i8 z; u64 w; struct { u8 p; i16 q; } in; };
union word { u64 w; i64 s; u32 h[2]; u16 q[4]; u8 b[8]; };
struct bits { u32 a : 5, b : 11, c : 16; i32 d : 7; i64 e : 40; };
enum kind { NONE, SOME = 3, MANY = 77, FAR = -5 };
struct ward_state {
  u64 sum;
  i16 a[41];
  u16 b[38];
  u8 c[32];
  i16 d[28];
  i64 e[23];
  struct node pool[13];
  struct node *head, *cursor;
  struct pair pairs[3];
  union word words[8];
  struct bits bits;
  i32 grid[2][2];
  _Bool flag;
  enum kind kind;
  i16 *pa;
  u16 *pb;
  struct pair *pp;
  union word *pw;
};
static const u16 table[27] = {13, 79, 79, 106, 65, 52, 5, 102, 84, 116, 45, 52, 11, 34, 97, 18, 62, 17, 119, 18, 37, 47, 80, 2, 6, 76, 119, };
static i64 shared = 850;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {34850, 400}, {0, -30000}, {4000000000u, 831}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {555, 0, 32767, -32768}};
static i32 global[7] = {48};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 87 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0xf39;
  i8 v1 = (i64)0x1158;
  u16 v2 = (i64)0x4f5;
  i8 v3 = (i64)0x1658;
  v0 += x; v1 ^= y;
  __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
  st->sum ^= adds((u64)(v3), (i64)(((u64)(divide_q((u64)(v0), (u64)(ev->arg[2]))) / (i64)((((st->e[19] || v3)) & 0xffff) + 1))));
  shared += __builtin_clzll(1 | (u64)((st->c[((v0) & 31)] && ((u64)((st->pa ? *st->pa : 6)) << ((shared) & 63)))));
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i32 v0 = (i64)0x92e;
  i16 v1 = (i64)0x1a35;
  u32 v2 = (i64)0x1f72;
  u32 v3 = (i64)0x1fd9;
  v0 += x; v1 ^= y;
  st->d[limit((u64)(31), 27)] = divide_q((u64)(((st->b[((u64)(ev->arg[3]) % 38u)] & st->sum) ? (v0 ^ table[limit((u64)(st->e[limit((u64)(ev->arg[5]), 22)]), 26)]) : v1)), (u64)((i64)__builtin_parityll((u64)(st->d[8]))));
  switch ((divide_r((u64)(st->d[3]), (u64)((i64)__builtin_bswap32((u32)(table[4]))))) & 7) {
  case 0:
    { u32 i0 = (u32)((u64)(((table[((u64)(st->e[limit((u64)(4096), 22)]) % 27u)] ^ ev->arg[3]) ^ __builtin_ctzll(1ull << 63 | (u64)(v3)))) % ((u64)(sizeof(st->e)) + 1)); u64 n0 = (u32)((u64)((ev->arg[0] - v3)) % ((u64)(sizeof(st->e) - i0) + 1)); ((u8 *)st->e)[sizeof(st->e) - 1] = 0; if (i0 < sizeof(st->e)) v0 += strlen((char *)st->e + i0) * 3 + strnlen((char *)st->e + i0, 100 + n0); }
    break;
  case 1:
    if (((u64)(global[0]) / (i64)(((((table[19] ? table[limit((u64)(table[((v1) & 15)]), 26)] : (i64)st->kind) && __builtin_ctzll(1ull << 63 | (u64)(st->e[((u64)((i64)0x129b62) % 23u)])))) & 0xffff) + 1))) {
      shared += ((u64)(((v2 != (i64)0x31a9) != (st->sum * v0))) % (i64)(((((i64)((i64)(u8)(st->a[20])) >> ((v1) & 63))) & 0xffff) + 1));
    }
    break;
  case 2:
    shared = ((i64)(u8)((shared & st->c[((u64)(v3) % 32u)])) && (i64)0x3a011);
    { u64 t1[2] = {35, 58}; t1[limit((u64)((v3 | (i64)st->kind)), 1)] += (((i16)(st->a[((st->b[0]) & 31)]) / (i64)(((4096) & 0xffff) + 1)) * (st->d[13] <= v3)); v2 = t1[limit((u64)((v2 ? v0 : (i64)0x1275b)), 1)]; }
  case 3:
    shared -= (st->pb ? (i64)(st->pb - st->b) : -1);
    st->e[((__builtin_popcount((u32)((-1 | v2)))) & 15)] -= v0;
    st->d[(((v0 <= (shared ? st->b[limit((u64)(v2), 37)] : 0xffffffffu))) & 15)] ^= (i64)(u32)(ev->arg[5]);
    break;
  case 4:
    st->e[(((i64)__builtin_expect(!!((st->pa ? *st->pa : 2)), 1)) & 15)] |= v0;
    shared -= ((v3 ? shared : v2) ? ((ev->arg[4] - (i64)0x95) ? (ev->arg[2] * v0) : (i64)(i32)(st->d[limit((u64)(table[limit((u64)(v1), 26)]), 27)])) : ((i64)__builtin_bswap32((u32)(table[limit((u64)(table[11]), 26)])) ^ v1));
    shared ^= wave[(((i64)0x76247) & 1)][((u64)(v0) % 4u)];
  case 5:
    v0 += (i64)__builtin_clz(1 | (u32)(table[limit((u64)(v3), 26)]));
    break;
  default: v0++;
  }
  v0 = (((i64)0x11bf < divide_q((u64)(table[4]), (u64)(ev->arg[4]))) * (st->pw ? st->pw->h[1] : 7));
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x908;
  i64 v1 = (i64)0x1f49;
  i64 v2 = (i64)0x1412;
  u32 v3 = (i64)0x139e;
  v0 += x; v1 ^= y;
  v2 += f1(ev, st, (i64)(((255 ? st->sum : table[((u64)(v1) % 27u)]) ^ (v1 * (i64)st->bits.c))), (u32)(((v1 ? -1 : st->sum) + ev->arg[4])));
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_31(const struct ward_event *ev, struct ward_state *st)
{
  u16 v0 = (i64)0x1adf;
  i32 v1 = (i64)0x1b17;
  i64 v2 = (i64)0xab6;
  u8 v3 = (i64)0x172c;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 13; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  if (((high((u64)(ev->arg[1]), (i64)(v0)) & divide_r((u64)(table[limit((u64)(v2), 26)]), (u64)(v1))) ? __builtin_ctzll(1ull << 63 | (u64)((i64)0x1de8253e)) : ev->arg[0])) {
    st->kind = (divide_r((u64)(((u32)(shared) % (i64)(((ev->arg[1]) & 0xffff) + 1))), (u64)((st->pb ? (i64)(st->pb - st->b) : -1)))) & 1 ? MANY : SOME;
    { u32 a0 = (u32)(divide_r((u64)(v1), (u64)((0 ? ev->arg[0] : v1)))) % 13u, b0 = a0 + 1 + (u32)((i64)__builtin_parityll((u64)(((i64)0x4ed60e50d3a + 0xffffffffu)))) % 13u; st->pool[a0].kid[0] = b0 < 13 ? &st->pool[b0] : 0; }
  }
  st->sum ^= ((st->pb ? (i64)(st->pb - st->b) : -1) & (0x7fffffffffffffff ^ (i64)(i8)(st->e[((0x7fffffffffffffff) & 15)])));
  st->e[((((31 ^ v1) && ((u16)(v2) / (i64)(((st->words[((v3) & 7)].w) & 0xffff) + 1)))) & 15)] += (i64)__builtin_bswap32((u32)(((u64)((i64)__builtin_bswap32((u32)(v0))) >> (((v0 ? st->a[limit((u64)((st->pb ? (i64)(st->pb - st->b) : -1)), 40)] : v1)) & 63))));
  { u32 s1 = 0; WARD_BOUND(32) for (u32 k1 = 0; ; k1++) { if (k1 > 8) break; switch (s1) {
    case 0: s1 = (u32)(pick((i64)((i64)(u64)(0x7fffffff)), -659, 2015)) % 3u; v0 |= 533; break;
    case 1: s1 = (u32)(divide_q((u64)(spread((u64)(ev->arg[0]))), (u64)((v3 * (st->pw ? st->pw->h[((u64)(st->sum) % 2u)] : 7))))) % 3u; v1 |= 124; break;
    default: v2--; s1 = 0; } v3 += s1; } done1:; }
  { u32 i2 = (u32)limit((u32)(((0xffffffffu + (i64)st->bits.b) ? divide_q((u64)(v0), (u64)(0x7fffffffffffffff)) : st->c[((u64)(wave[limit((u64)(v3), 2)][1]) % 32u)])), sizeof(st->a)); u32 n2 = (u32)limit((u32)((((u64)((i64)0x2) >> ((0x7fffffff) & 63)) & divide_r((u64)(ev->arg[4]), (u64)(st->pairs[1].in.q)))), sizeof(st->a) - i2); ((u8 *)st->a)[sizeof(st->a) - 1] = 0; if (i2 < sizeof(st->a)) v0 += strlen((char *)st->a + i2) * 3 + strnlen((char *)st->a + i2, 100 + n2); }
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
WARD_ENTRY("x!z")
void again_31(const struct ward_event *ev, struct ward_state *st)
{
  u16 v0 = (i64)0xb53;
  u16 v1 = (i64)0xa89;
  u16 v2 = (i64)0xa3b;
  u8 v3 = (i64)0x9b0;
  st->head = &st->pool[((u64)(__builtin_clzll(1 | (u64)(v0))) % 13u)];
  shared *= ((i64)0xb297d6324 * ((v3 ? rows[((u64)(st->e[7]) % 4u)].a : 0x7fffffffffffffff) * (v0 && v2)));
  st->sum ^= v0 + v1 + v2 + v3;
}
