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
  i16 a[28];
  i16 b[1];
  u16 c[16];
  u64 d[2];
  i64 e[53];
  struct node pool[13];
  struct node *head, *cursor;
  struct pair pairs[3];
  union word words[6];
  struct bits bits;
  i32 grid[6][2];
  _Bool flag;
  enum kind kind;
  i16 *pa;
  i16 *pb;
  struct pair *pp;
  union word *pw;
};
static const u64 table[12] = {13, 54, 105, 15, 41, 13, 79, 82, 17, 99, 59, 20, };
static i64 shared = 991;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {44909, 400}, {0, -30000}, {4000000000u, 612}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {986, 0, 32767, -32768}};
static const i16 *const waves[4] = {wave[1], wave[0], wave[2], wave[1]};
static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } links[4] = {{"alpha", wave[1], &links[1], 529}, {"", wave[1], 0, 9}, {0, 0, &links[3], 12}, {"omega!", wave[2], &links[2], 4}};
static struct pair known[3] = {{52386, 2, -3, 4, {5, -6}}, {.w = 985, .in.q = -77}};
static union word join = {.q = {1, 90, 3}};
static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {3, {.y = 9}, "probe", {{1, 2, 3}, {-1}}};
static u8 global[7] = {43};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 32 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
i64 other_243(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y);
extern i64 tally_243;
extern const i64 scale_243[4];
#ifdef SECOND_243
i64 tally_243 = 835;
const i64 scale_243[4] = {15, -1, 14702};
i64 other_243(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x537;
  i16 v1 = (i64)0x1f25;
  u64 v2 = (i64)0x1bb9;
  i64 v3 = (i64)0x130d;
  v0 += x; v1 ^= y;
  st->head = &st->pool[limit((u64)((v2 ^ rows[3].a)), 12)];
  return v0 + v1 * 3 + v2 - v3;
}
#else
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x1a5f;
  u64 v1 = (i64)0x1a7a;
  u8 v2 = (i64)0x1086;
  i8 v3 = (i64)0xfd0;
  v0 += x; v1 ^= y;
  for (u32 k0 = 0; k0 < 12; k0++) {
    if (__builtin_clzll(1 | (u64)(__builtin_ctzll(1ull << 63 | (u64)(mul((i64)(st->sum), (i64)(0))))))) {
      v3 += (divide_q((u64)(v1), (u64)(table[5])) <= (__builtin_popcount((u32)((i64)st->bits.d)) & divide_r((u64)(shared), (u64)(ev->arg[4]))));
      st->e[limit((u64)((v2 ? mul((i64)(v2), (i64)(ev->arg[2])) : (i64)(i64)(0x80000000u))), 52)] *= (i64)(i64)(__builtin_popcountll((u64)(((i16)(st->a[((v1) & 15)]) % (i64)(((v1) & 0xffff) + 1)))));
      tally_243 += (st->sum ? ((i64)(u64)(st->c[((waves[limit((u64)(ev->arg[0]), 3)][limit((u64)(v2), 3)]) & 15)]) * (st->grid[((u64)(v2) % 6u)][limit((u64)(table[(((i64)0x1de339ff92a40) & 7)]), 1)] * ev->arg[0])) : (divide_q((u64)(v1), (u64)(ev->arg[4])) + __builtin_popcount((u32)(st->sum))));
    } else {
      tally_243 |= ((u16)((i64)__builtin_bswap32((u32)((4096 ? st->sum : st->sum)))) % (i64)(((v3) & 0xffff) + 1));
      v2 *= k0;
      v2 *= st->flag;
    }
    st->d[0] -= ((u64)(pick((i64)(4096), -21, 2538)) >> ((__builtin_ctzll(1ull << 63 | (u64)((shared ^ v3)))) & 63));
  }
  st->sum ^= v1;
  st->sum -= (i64)(u32)(((v2 & table[3]) <= divide_r((u64)((i64)0x54c), (u64)(st->a[24]))));
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i32 v0 = (i64)0xfbd;
  i8 v1 = (i64)0x1e6d;
  i8 v2 = (i64)0x167;
  u16 v3 = (i64)0x129b;
  v0 += x; v1 ^= y;
  { u32 a0 = (u32)((divide_q((u64)(shared), (u64)(global[((st->sum) & 3)])) && shared)) % 13u, b0 = a0 + 1 + (u32)(((ev->arg[3] * v1) - (st->d[limit((u64)(table[limit((u64)((tally_243 ^ scale_243[((u64)(st->e[((st->sum) & 31)]) % 4u)])), 11)]), 1)] ^ v0))) % 13u; st->pool[a0].kid[1] = b0 < 13 ? &st->pool[b0] : 0; }
  st->bits.e = st->flag;
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x86;
  u32 v1 = (i64)0x5f9;
  u16 v2 = (i64)0x74c;
  i32 v3 = (i64)0x13ac;
  v0 += x; v1 ^= y;
  st->d[((((i16)(((u64)(v3) << ((ev->arg[0]) & 63))) % (i64)(((waves[3][((0x80000000u) & 3)]) & 0xffff) + 1))) & 1)] |= table[((u64)(v0) % 12u)];
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_243(const struct ward_event *ev, struct ward_state *st)
{
  u16 v0 = (i64)0x1032;
  u64 v1 = (i64)0xbd5;
  i64 v2 = (i64)0xc3f;
  u64 v3 = (i64)0xfa6;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 13; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  { u32 at0 = (u32)((u64)((global[((u64)((i64)0x31) % 7u)] * adds((u64)(ev->arg[3]), (i64)(waves[limit((u64)(v0), 3)][1])))) % ((u64)(sizeof(st->b)) + 1)); u32 n0 = (u32)((u64)((v2 ? (st->sum > (st->pa ? *st->pa : 5)) : (i64)(u64)(st->sum))) % ((u64)(sizeof(st->b) - at0) + 1)); u32 j0 = (u32)((u64)((__builtin_clzll(1 | (u64)(st->c[limit((u64)(wave[((ev->arg[4]) & 1)][limit((u64)(st->c[((u64)(table[(((i64)0x1c2) & 7)]) % 16u)]), 3)]), 15)])) || (v1 & (i64)0xc255297))) % ((u64)(sizeof(st->b) - n0) + 1)); memmove((u8 *)st->b + j0, (u8 *)st->b + at0, n0); }
  st->pw = &st->words[((u64)(((u16)(v1) % (i64)(((v1) & 0xffff) + 1))) % 6u)];
  if (((((u64)(table[limit((u64)(waves[((u64)(v1) % 4u)][limit((u64)(v3), 3)]), 11)]) << ((st->sum) & 63)) >= (i64)(!(v2))) ? (divide_q((u64)(v2), (u64)(rows[limit((u64)((i64)0x3d55d7581e3), 3)].a)) && st->e[limit((u64)(st->b[((u64)(st->e[((u64)(v1) % 53u)]) % 1u)]), 52)]) : v2)) {
    tally_243 += ((st->flag * (i64)0x3a0a05ed4d) - ((4096 ? 0xffffffffu : (i64)0x1cf3ce) & (v3 | mix((struct pair){.x = (i32)(global[((u64)(st->words[3].b[7]) % 7u)]), .w = join.w}, st->pairs[((u64)(shared) % 3u)]).in.q)));
  } else {
    u64 x1 = (u64)((((i32)(known[limit((u64)(ev->arg[3]), 2)].in.p) / (i64)((((v0 ? v2 : 0x7fffffffffffffff)) & 0xffff) + 1)) || (st->e[((0x7fffffffffffffff) & 31)] ? (v2 ? v1 : ev->arg[2]) : (shared * v0))));
    if (x1 < 53) {
      st->e[x1] += v2;
      switch ((((u64)(v3) >> ((((u64)(st->flag) << ((ev->arg[3]) & 63))) & 63))) & 7) {
      case 0:
        st->d[0] |= ((__builtin_popcount((u32)(v3)) ^ table[4]) | ((table[11] ^ (st->pb ? (i64)(st->pb - st->b) : -1)) & mul((i64)(shared), (i64)(v1))));
        break;
      case 1:
        st->b[limit((u64)((((i64)0x4 ^ (tally_243 ^ scale_243[2])) ^ (config.odd[1][2] ^ 0))), 0)] -= (i64)(i32)((((i64)0xb6e201c || v0) + (i64)__builtin_bswap32((u32)(st->sum))));
        break;
      case 2:
        st->e[((u64)(subs((i64)((i64)(u16)(shared)), (i64)((i64)0x4bac8))) % 53u)] -= (divide_r((u64)((v0 & global[1])), (u64)((i64)__builtin_parityll((u64)(shared)))) ? __builtin_popcountll((u64)(divide_q((u64)(mix((struct pair){.x = (i32)(st->b[((u64)(0x7fffffff) % 1u)]), .w = join.w}, st->pairs[((u64)(wave[((config.name[3]) & 1)][((v1) & 3)]) % 3u)]).z), (u64)(ev->arg[1])))) : v0);
        break;
      case 3:
        st->a[((((i64)(i16)(st->sum) - ((i32)(table[((u64)(v2) % 12u)]) / (i64)(((st->d[limit((u64)(st->sum), 1)]) & 0xffff) + 1)))) & 15)] = ((u16)((v2 + __builtin_clzll(1 | (u64)(table[11])))) % (i64)(((((shared + -1) & (ev->arg[5] | config.odd[1][2]))) & 0xffff) + 1));
        break;
      default: v0++;
      }
    }
    __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
    { struct node t3 = st->pool[((__builtin_popcountll((u64)((i64)0x0))) & 7)]; v0 += t3.key ^ t3.value; }
  }
  for (i32 k4 = 0; k4 >= 0; k4 -= 2) {
    { u32 k5; for (k5 = 0; k5 < 28; k5++) if (st->a[k5] == (i16)((st->pp ? st->pp->y : 0))) break; if (k5 < 28) st->a[k5]++; else v1--; }
    tally_243 -= ((u16)(((i64)((v1 + 1)) << ((v0) & 63))) / (i64)((((((i64)(({ const struct link *l = &links[((known[limit((u64)(0xffffffffu), 2)].z) & 3)]; l->word ? l->word[0] : 1; })) << ((st->e[46]) & 63)) + __builtin_popcountll((u64)(({ const struct link *l = &links[limit((u64)(st->sum), 3)]; l->word ? l->word[0] : 1; }))))) & 0xffff) + 1));
    { u32 at6 = (u32)((u64)((k4 ^ (v3 + ev->arg[3]))) % ((u64)(sizeof(st->b)) + 1)); u32 n6 = limit((u64)(v3), sizeof(st->b) - at6); u32 j6 = (u32)((u64)((((i64)0x20cb8f90639ab ? v1 : v3) != k4)) % ((u64)(sizeof(st->b) - n6) + 1)); memmove((u8 *)st->b + j6, (u8 *)st->b + at6, n6); }
  }
  { u32 at7 = (u32)limit((u32)(((u64)((global[((shared) & 3)] + st->sum)) << ((((u64)(st->sum) % (i64)(((-1) & 0xffff) + 1))) & 63))), sizeof(st->b)); u64 n7 = limit((u64)(((0x7fffffffffffffff + v1) ? divide_q((u64)(ev->arg[5]), (u64)(v3)) : table[limit((u64)(rows[limit((u64)(wave[0][((0x7fffffffffffffff) & 3)]), 3)].a), 11)])), sizeof(st->b) - at7); memset((u8 *)st->b + at7, (i32)((i64)__builtin_bswap32((u32)(-1))), n7); }
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
#endif
