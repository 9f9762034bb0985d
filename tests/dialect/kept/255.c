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
static const i64 fixed[10] = {3575, 768, 3836, 662, 1491, 4382, 735, 2324, 602, 4819, };
static i64 movable[9] = {56, 21};
static const char *word(u64 n) { switch (n % 6) { case 0: return ""; case 1: return "a"; case 2: return "two words"; case 3: return "three words, and a few more"; case 4: return "42355"; default: return 0; } }
struct ward_state {
  const char *name; i64 *at; const i64 *from; const void *any;
  i64 own[11];
  u64 sum;
  u8 a[27];
  i16 b[30];
  u16 c[60];
  i16 d[27];
  u8 e[58];
  struct node pool[7];
  struct node *head, *cursor;
  struct pair pairs[1];
  union word words[6];
  struct bits bits;
  i32 grid[2][1];
  _Bool flag;
  enum kind kind;
  u8 *pa;
  i16 *pb;
  struct pair *pp;
  union word *pw;
};
#ifndef SECOND_255
const unsigned pointers_255 = 4;
#endif
static const i64 table[1] = {26, };
static i64 shared = 660;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {19454, 400}, {0, -30000}, {4000000000u, 100}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {703, 0, 32767, -32768}};
static const i16 *const waves[4] = {wave[2], wave[0], wave[2], wave[1]};
static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } links[4] = {{"alpha", wave[2], &links[1], 676}, {"", wave[1], 0, 9}, {0, 0, &links[3], 12}, {"omega!", wave[2], &links[2], 4}};
static struct pair known[3] = {{83174, 2, -3, 4, {5, -6}}, {.w = 786, .in.q = -77}};
static union word join = {.q = {1, 624, 3}};
static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {65, {.y = 9}, "probe", {{1, 2, 3}, {-1}}};
static i32 global[8] = {42};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 8 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u16 v0 = (i64)0x3e5;
  u8 v1 = (i64)0x16c6;
  u32 v2 = (i64)0xd8b;
  i32 v3 = (i64)0x635;
  v0 += x; v1 ^= y;
  v0++;
  if (st->at) { struct { i64 *p; i64 n; } s0 = {st->at, ((v1 <= ({ const struct link *l = &links[limit((u64)(v1), 3)]; l->word ? l->word[0] : 1; })) | (i64)(~(u64)(ev->arg[4])))}, t0[2] = {s0, s0}; t0[limit((u64)((ev->arg[0] & 0x80000000u)), 1)].n ^= 5; *t0[1].p += t0[0].n; }
  if ((__builtin_popcount((u32)((v0 ? v0 : v3))) | v3)) {
    __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
    st->pb = &st->b[limit((u64)((waves[limit((u64)(v1), 3)][1] | (st->pw ? st->pw->h[limit((u64)(v3), 1)] : 7))), 29)];
    if (st->name) v2 ^= strcmp(st->name, "two words") == 0;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x139c;
  i8 v1 = (i64)0xb2b;
  i64 v2 = (i64)0x786;
  i32 v3 = (i64)0x17d8;
  v0 += x; v1 ^= y;
  for (u32 k0 = 0; k0 < 4; k0++) {
    v2 *= (i64)__builtin_bswap32((u32)(((u32)(divide_r((u64)(ev->arg[3]), (u64)(k0))) / (i64)(((v0) & 0xffff) + 1))));
    v3 += (((v0 < st->d[13]) ^ table[((ev->arg[3]) & 0)]) + v2);
    { u32 a1 = (u32)(st->words[4].b[7]) % 7u, b1 = a1 + 1 + (u32)((__builtin_ctzll(1ull << 63 | (u64)(v3)) ^ ({ const struct link *l = &links[((st->sum) & 3)]; l->word ? l->word[0] : 1; }))) % 7u; st->pool[a1].kid[0] = b1 < 7 ? &st->pool[b1] : 0; }
  }
  { u32 n2 = (u32)(__builtin_ctzll(1ull << 63 | (u64)(((u32)(-1) % (i64)(((v1) & 0xffff) + 1))))) & 15, m2 = 0; WARD_BOUND(16) while (n2) { WARD_BOUND(40) while (m2 & 7) { m2--; v3 += m2; } m2 += 6; n2--; for (i32 j2 = 7; j2 > 0; j2 -= 2) for (u32 i2 = 0; i2 < n2; i2++) v0 ^= i2 * j2; } }
  switch ((((st->pw ? st->pw->h[((u64)(v1) % 2u)] : 7) >= ((u64)(st->d[limit((u64)((i64)0x1df628a7c9e98), 26)]) >> (((st->pa ? *st->pa : 1)) & 63)))) & 7) {
  case 0:
    st->d[limit((u64)(((v3 ? v3 : st->sum) | divide_r((u64)(mix((struct pair){.x = (i32)(shared), .w = join.w}, st->pairs[limit((u64)(st->sum), 0)]).z), (u64)((i64)0x14f1aec)))), 26)] += ((u8)((0x7fffffffffffffff || ((i64)0x0 == ev->arg[4]))) / (i64)(((((u32)(v0) % (i64)(((v2) & 0xffff) + 1))) & 0xffff) + 1));
    if (st->at == st->own + 3) v3++;
    shared = ev->arg[3];
    break;
  case 1:
    st->sum = ((i64)__builtin_bswap64((u64)((config.odd[1][2] & v2))) ^ ((i64)(v2) << ((ev->arg[1]) & 63)));
    st->sum += (i64)__builtin_expect(!!(divide_q((u64)((i64)__builtin_bswap32((u32)(v1))), (u64)(v1))), 1);
    break;
  case 2:
    st->d[21] *= (((i64)((i64)(i16)((st->pp ? st->pp->in.p : 4))) << ((st->flag) & 63)) || ((u64)(st->e[((known[0].w) & 31)]) << (((v2 && ev->arg[3])) & 63)));
    st->a[((u64)((i64)(-(u64)(v3))) % 27u)] *= table[((u64)(((i64)((wave[limit((u64)(table[0]), 2)][3] ? v2 : st->c[((v2) & 31)])) % (i64)(((v1) & 0xffff) + 1))) % 1u)];
    st->sum -= (i64)(u16)(divide_q((u64)(v0), (u64)((table[0] <= (i64)0xbdf48a7fee0))));
  case 3:
    st->b[(((st->pp ? st->pp->y : 8)) & 15)] *= (0x80000000u ? divide_r((u64)((v2 | v3)), (u64)((i64)(i16)(v2))) : (((st->pb ? (i64)(st->pb - st->b) : -1) ^ shared) <= (v3 * (i64)0x4)));
    st->sum ^= (waves[limit((u64)((i64)(u16)(shared)), 3)][((u64)(((i64)0x18b5 - v2)) % 4u)] >= (((i64)(st->pairs[((u64)(v1) % 1u)].z) >> ((st->pairs[((rows[0].b) & 0)].in.q) & 63)) ? (rows[limit((u64)(config.odd[1][2]), 3)].b | table[((v0) & 0)]) : v3));
    shared ^= (i64)__builtin_expect(!!(divide_r((u64)((table[((v0) & 0)] + (st->pw ? st->pw->h[((u64)(v1) % 2u)] : 7))), (u64)((i64)0xca23ccabaa2))), 1);
  default: v0++;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u64 v0 = (i64)0x1b71;
  i32 v1 = (i64)0x67a;
  u16 v2 = (i64)0x10bd;
  u64 v3 = (i64)0xa96;
  v0 += x; v1 ^= y;
  if (st->from) v3 += *st->from - st->from[0];
  st->sum ^= ((u64)(v0) << ((table[(((i64)(u8)(0x80000000u)) & 0)]) & 63));
  { i64 t1 = (i64)(__builtin_popcountll((u64)(table[((u64)((st->pb ? (i64)(st->pb - st->b) : -1)) % 1u)]))); bump(&t1, v0); bump(&shared, t1); }
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_255(const struct ward_event *ev, struct ward_state *st)
{
  i64 v0 = (i64)0x126a;
  i32 v1 = (i64)0x4ce;
  i16 v2 = (i64)0x49a;
  i32 v3 = (i64)0x1503;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 7; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  u64 x0 = (u64)(((((i64)(-1) / (i64)(((v0) & 0xffff) + 1)) || ((u16)((i64)0x5e5d3fbbf1d) / (i64)((((i64)0x8d0b22f2bb) & 0xffff) + 1))) == (i64)(u32)((st->sum ? st->words[limit((u64)(v3), 5)].s : v1))));
  if (x0 < 27) {
    st->d[x0] += ((table[((u64)((i64)0x35) % 1u)] == (st->pw ? st->pw->h[((st->sum) & 1)] : 7)) ? ((i32)(v1) / (i64)(((st->sum) & 0xffff) + 1)) : (table[0] ? (i64)st->bits.d : table[((v0) & 0)]));
    switch (((st->b[limit((u64)((i64)st->bits.d), 29)] ^ -1)) & 7) {
    case 0:
      for (u32 k1 = 0; k1 < 8; k1++) {
        st->sum *= (divide_q((u64)(((i64)0x1b2cf6706eb64 * v0)), (u64)((st->d[9] || st->sum))) ? divide_q((u64)(((u64)(v0) >> ((k1) & 63))), (u64)(((i8)((st->pw ? st->pw->h[((u64)(v1) % 2u)] : 7)) % (i64)(((v0) & 0xffff) + 1)))) : ((i64)(i16)(v0) - (v1 ? v0 : (i64)0x73781bdc7ea1)));
        st->sum |= (((i64)(__builtin_popcount((u32)(v1))) << (((table[((u64)((i64)0x612999) % 1u)] ? v3 : table[((table[((st->b[((u64)((i64)0x4664) % 30u)]) & 0)]) & 0)])) & 63)) | (v2 | (st->c[((u64)(k1) % 60u)] ^ v0)));
      }
      st->at = &movable[((u64)((v3 ? shared : v2)) % 6u)];
      break;
    case 1:
      st->head = &st->pool[(((i64)st->kind) & 3)];
      v1 += f1(ev, st, (i64)(divide_r((u64)(v0), (u64)(mul((i64)(v1), (i64)(v3))))), (u32)((__builtin_ctzll(1ull << 63 | (u64)(v2)) + ((u8)(v3) / (i64)(((v0) & 0xffff) + 1)))));
      break;
    case 2:
      for (i32 k4 = 2; k4 >= 0; k4 -= 1) {
        st->sum += (((v0 * (st->pa ? *st->pa : 8)) && (known[1].x ? shared : v2)) || (i64)0x135);
      }
      break;
    case 3:
      shared ^= (((u64)(table[limit((u64)(st->pairs[((u64)(st->sum) % 1u)].z), 0)]) >> ((((u64)(ev->arg[0]) << ((255) & 63))) & 63)) || ((i64)(i64)(shared) || ((i64)((st->pa ? *st->pa : 5)) << ((ev->arg[5]) & 63))));
      if (st->from) v2 += *st->from - st->from[0];
      switch (((st->pp ? st->pp->y : 8)) & 3) {
      case 0:
        v0 |= (table[0] * (((i64)0x12eb7a5e1fe > table[((({ const struct link *l = &links[limit((u64)(v2), 3)]; l->word ? l->word[0] : 1; })) & 0)]) ? (255 <= st->c[((rows[(((st->pb ? (i64)(st->pb - st->b) : -1)) & 3)].b) & 31)]) : ((i64)0x7eb6d83 | waves[3][limit((u64)((i64)st->kind), 3)])));
        break;
      case 1:
        v3 = divide_r((u64)(v1), (u64)((((i32)(st->d[11]) / (i64)(((-1) & 0xffff) + 1)) * (st->words[5].h[1] * v3))));
        break;
      case 2:
        st->a[((table[limit((u64)(st->grid[0][0]), 0)]) & 15)] *= sub16((i64)((i64)(i16)(st->e[limit((u64)((st->pw ? st->pw->h[0] : 7)), 57)])), (i64)((st->pp ? st->pp->y : 3)));
        break;
      default: v0++;
      }
      break;
    case 4:
      st->a[(((st->d[15] - shared)) & 15)] += ((u64)((divide_q((u64)(ev->arg[4]), (u64)(table[((u64)((i64)0x7e54132fe867) % 1u)])) > divide_q((u64)((i64)0x58c), (u64)(v2)))) >> ((((i64)((v0 | table[0])) << (((0x7fffffff ? v1 : v2)) & 63))) & 63));
      if (st->at) *st->at += divide_q((u64)(v3), (u64)(divide_r((u64)(table[((u64)(ev->arg[4]) % 1u)]), (u64)(table[0]))));
      break;
    case 5:
      st->pp = chosen(st, (u64)((31 | pick((i64)(st->a[((u64)(v0) % 27u)]), -89, 3605))));
      if (st->pp) st->pp->x += (i64)(i16)(st->c[17]);
      st->from = &fixed[(((v2 * config.name[3])) & 3)];
      break;
    default: v0++;
    }
  }
  v3 |= ((i8)(0) / (i64)(((__builtin_popcountll((u64)((i64)0xd2))) & 0xffff) + 1));
  for (u32 k8 = 0; k8 < 2; k8++) for (u32 j8 = k8; j8 < 1; j8++) st->grid[k8][j8] += (i32)(subs((i64)((i64)(u8)(ev->arg[1])), (i64)(divide_q((u64)(table[((u64)(table[((u64)(0xffffffffu) % 1u)]) % 1u)]), (u64)(v2)))));
  if (st->at) { struct { i64 *p; i64 n; } s9 = {st->at, ((u16)(v1) / (i64)((((rows[((u64)(st->grid[((ev->arg[5]) & 1)][0]) % 4u)].b | st->a[limit((u64)((i64)0x78a), 26)])) & 0xffff) + 1))}, t9[2] = {s9, s9}; t9[0].n ^= 5; *t9[((u64)((i64)(u32)(v1)) % 2u)].p += t9[0].n; }
  st->from = &fixed[((u64)(((u64)(table[0]) >> ((st->pairs[((v1) & 0)].y) & 63))) % 7u)];
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
