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
  i16 a[32];
  i32 b[19];
  i8 c[55];
  u16 d[15];
  u8 e[52];
  struct node pool[2];
  struct node *head, *cursor;
  struct pair pairs[4];
  union word words[1];
  struct bits bits;
  i32 grid[2][4];
  _Bool flag;
  enum kind kind;
  i16 *pa;
  i32 *pb;
  struct pair *pp;
  union word *pw;
};
static const u16 table[27] = {59, 105, 101, 104, 37, 47, 73, 50, 115, 29, 54, 29, 21, 64, 19, 83, 119, 35, 114, 122, 12, 78, 71, 7, 66, 42, 86, };
static i64 shared = 430;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {65349, 400}, {0, -30000}, {4000000000u, 515}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {279, 0, 32767, -32768}};
static const i16 *const waves[4] = {wave[1], wave[0], wave[2], wave[1]};
static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } links[4] = {{"alpha", wave[0], &links[1], 960}, {"", wave[1], 0, 9}, {0, 0, &links[3], 12}, {"omega!", wave[2], &links[3], 4}};
static struct pair known[3] = {{89328, 2, -3, 4, {5, -6}}, {.w = 588, .in.q = -77}};
static union word join = {.q = {1, 502, 3}};
static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {70, {.y = 9}, "probe", {{1, 2, 3}, {-1}}};
static i16 global[12] = {69};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 88 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0x1817;
  u16 v1 = (i64)0x18d2;
  u64 v2 = (i64)0x2e3;
  u8 v3 = (i64)0x69b;
  v0 += x; v1 ^= y;
  { u32 a0 = (u32)(((v3 | v1) < __builtin_clzll(1 | (u64)((i64)st->bits.a)))) % 2u, b0 = a0 + 1 + (u32)(((i64)(i32)((i64)0x40da) || ((u64)(0) / (i64)(((st->sum) & 0xffff) + 1)))) % 2u; st->pool[a0].next = b0 < 2 ? &st->pool[b0] : 0; }
  { u32 at1 = limit((u64)(((v0 ^ st->c[((u64)(v0) % 55u)]) && v0)), sizeof(st->a)); u32 n1 = limit((u64)(st->d[0]), sizeof(st->a) - at1); memset((u8 *)st->a + at1, (i32)(((i32)((i64)(!(-1))) % (i64)(((table[((u64)(st->pairs[limit((u64)(st->e[limit((u64)((i64)0x3b837ef8c), 51)]), 3)].in.p) % 27u)]) & 0xffff) + 1))), n1); }
  if (table[8]) {
    if (st->cursor) st->cursor->value ^= v2;
    v0 += ((i64)(v2) << ((table[((u64)((v1 || v2)) % 27u)]) & 63));
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i32 v0 = (i64)0x1917;
  i16 v1 = (i64)0x19f7;
  i8 v2 = (i64)0x1b2;
  i8 v3 = (i64)0x587;
  v0 += x; v1 ^= y;
  if (((i64)(i8)(pick((i64)(table[9]), -294, 9914)) & ((u64)(divide_r((u64)(v2), (u64)((i64)0x31))) / (i64)(((((i64)(st->a[limit((u64)(v0), 31)]) << ((st->sum) & 63))) & 0xffff) + 1)))) {
    if (st->cursor) st->cursor->value ^= v3;
    if ((((v0 ? shared : st->pairs[limit((u64)(v2), 3)].in.q) & (0x80000000u ^ st->flag)) + divide_r((u64)((v0 && v1)), (u64)((i64)(u16)(ev->arg[5]))))) {
      st->a[((u64)(divide_q((u64)((0 - shared)), (u64)(v1))) % 32u)] |= (((i64)__builtin_bswap64((u64)(st->sum)) != (v3 * table[((u64)((i64)0xf5982a) % 27u)])) && ((31 ? (i64)0x45df57539024 : v0) && ((i32)(v2) % (i64)(((v0) & 0xffff) + 1))));
      shared |= (i64)(u16)(st->grid[1][limit((u64)(spread((u64)(table[25]))), 3)]);
    } else {
      shared += divide_r((u64)((((i64)0xbe49a369db503 * v1) * (v1 != v2))), (u64)(__builtin_popcountll((u64)((i64)(u8)(shared)))));
    }
    st->sum -= (divide_r((u64)(st->d[((u64)(global[limit((u64)(st->pairs[limit((u64)(v1), 3)].in.p), 11)]) % 15u)]), (u64)(((u16)(v3) / (i64)(((table[((u64)(v0) % 27u)]) & 0xffff) + 1)))) | (i64)(i16)((0x7fffffff ? (i64)0xce8f877 : v1)));
  }
  switch (((i64)(-(u64)(((i8)(v2) % (i64)(((v0) & 0xffff) + 1))))) & 3) {
  case 0:
    v0 *= ev->arg[5];
    st->sum = ev->arg[2];
    break;
  case 1:
    shared |= __builtin_ctzll(1ull << 63 | (u64)((i64)(i8)((i64)__builtin_bswap64((u64)(known[0].in.p)))));
    break;
  case 2:
    v2 += (v0 | ((i64)((ev->arg[5] ? st->d[((v0) & 7)] : v2)) % (i64)((((st->e[limit((u64)(table[26]), 51)] && config.odd[1][2])) & 0xffff) + 1)));
    st->d[0] = ((i64)0x5ca54e80921e <= (i64)(u64)((table[limit((u64)((st->pw ? st->pw->h[0] : 7)), 26)] || (i64)0x0)));
    break;
  default: v0++;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x3ce;
  u8 v1 = (i64)0xbf2;
  i32 v2 = (i64)0x3d;
  i32 v3 = (i64)0x1356;
  v0 += x; v1 ^= y;
  for (i8 *p0 = st->c, *e0 = st->c + 55; p0 < e0; p0++) {
    *p0 ^= (i8)((i64)0x43f3);
  }
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_482(const struct ward_event *ev, struct ward_state *st)
{
  i16 v0 = (i64)0x1f7a;
  u32 v1 = (i64)0x1f4;
  u8 v2 = (i64)0x1162;
  i32 v3 = (i64)0xad5;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 2; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  { u32 a0 = (u32)((i64)__builtin_bswap64((u64)((i64)0x72ea06274b35))) % 2u, b0 = a0 + 1 + (u32)(((i64)st->kind > (ev->arg[0] | st->words[limit((u64)(ev->arg[1]), 0)].b[7]))) % 2u; st->pool[a0].kid[1] = b0 < 2 ? &st->pool[b0] : 0; }
  for (i32 k1 = 2; k1 >= 0; k1 -= 2) {
    u64 x2 = (u64)((((shared - st->c[limit((u64)(v2), 54)]) >= ((u32)(0) % (i64)(((table[limit((u64)(v0), 26)]) & 0xffff) + 1))) ^ ((u8)(k1) % (i64)(((k1) & 0xffff) + 1))));
    if (x2 < 52) {
      st->e[x2] += divide_q((u64)((st->pb ? (i64)(st->pb - st->b) : -1)), (u64)((i64)(i16)((i64)0x3c776c9202)));
      switch ((0x7fffffffffffffff) & 7) {
      case 0:
        shared ^= k1;
        break;
      case 1:
        shared = v2;
        break;
      case 2:
        st->b[limit((u64)((__builtin_popcount((u32)((i64)0x1cf4530d9158)) ^ (v1 * (i64)0x377e0b))), 18)] |= ((divide_q((u64)(k1), (u64)(st->sum)) ? ev->arg[3] : (v0 || 31)) & __builtin_clzll(1 | (u64)(v0)));
        break;
      case 3:
        v3 ^= (((table[((u64)(v2) % 27u)] ? k1 : st->sum) - (config.odd[1][2] & (i64)0x2440)) & v1);
        break;
      default: v0++;
      }
      for (u32 k3 = 0; k3 < 7; k3++) {
        st->sum -= (i64)(i16)(((v1 + v2) | (st->d[((u64)(v2) % 15u)] ? 0x7fffffffffffffff : shared)));
        v3 ^= mul((i64)((divide_r((u64)((i64)0x34f769ca919), (u64)(31)) || (v3 || (st->pp ? st->pp->z : 4)))), (i64)(((st->b[7] && k3) || __builtin_clzll(1 | (u64)(st->sum)))));
        shared ^= k3;
      }
    }
    WARD_BOUND(64) for (u32 k4 = 0, n4 = (u32)(v3) % 10u; k4 != n4; k4++) {
      v0 += f1(ev, st, (i64)((i64)(u32)(shared)), (u32)(((u64)((ev->arg[2] + v1)) >> ((v2) & 63))));
      v3 += f2(ev, st, (i64)(((i64)((i64)st->bits.b) % (i64)((((i64)turn32((u32)(v0), (i64)(ev->arg[5]))) & 0xffff) + 1))), (u32)((divide_r((u64)(table[limit((u64)(255), 26)]), (u64)(v1)) ? st->a[((u64)(0xffffffffu) % 32u)] : v1)));
    }
    for (u32 k5 = 0; k5 < 8; k5++) {
      st->a[19] = st->d[(((((st->pb ? (i64)(st->pb - st->b) : -1) * st->e[((({ const struct link *l = &links[((v3) & 3)]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; })) & 31)]) & (v0 ? (i64)0x7b3798ffe75 : v0))) & 7)];
    }
  }
  { u32 at6 = limit((u64)(shared), sizeof(st->d)); u32 n6 = limit((u64)(__builtin_clzll(1 | (u64)(v2))), sizeof(st->d) - at6); ((u8 *)st->d)[sizeof(st->d) - 1] = 0; char *p6 = strchr((char *)st->d, (i8)(({ const struct link *l = &links[limit((u64)((global[((v0) & 7)] ^ (i64)st->bits.a)), 3)]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; }))); v3 += p6 ? p6 - (char *)st->d : -1; }
  { u8 *a8 = (u8 *)st->c, *b8 = (u8 *)st->e; u32 n8 = limit((u64)((i64)0xe98d6e664), sizeof(st->c) < sizeof(st->e) ? sizeof(st->c) : sizeof(st->e)); for (u32 k8 = 0; k8 < n8; k8++) a8[k8] = b8[k8]; }
  st->pw = 0;
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
WARD_ENTRY("x!z")
void again_482(const struct ward_event *ev, struct ward_state *st)
{
  u16 v0 = (i64)0x94a;
  u16 v1 = (i64)0x1b89;
  u32 v2 = (i64)0x1250;
  i16 v3 = (i64)0x93c;
  st->sum -= ((i64)(u64)(((i64)0xceaa0d4 | v0)) | (i64)(i32)(divide_q((u64)(({ const struct link *l = &links[((st->a[14]) & 3)]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; })), (u64)(1))));
  if (((__builtin_ctzll(1ull << 63 | (u64)(st->sum)) + __builtin_popcount((u32)(v3))) + (i64)__builtin_bswap64((u64)((v3 && v0))))) {
    for (i8 *p0 = st->c, *e0 = st->c + 55; p0 < e0; p0++) {
      *p0 ^= (i8)((i64)__builtin_parityll((u64)(({ const struct link *l = &links[((st->d[limit((u64)(v0), 14)]) & 3)]; l->word ? l->word[0] : 1; }))));
    }
  } else {
    v2 += f0(ev, st, (i64)(table[limit((u64)((0x80000000u & st->words[0].b[7])), 26)]), (u32)(-1));
  }
  st->sum ^= v0 + v1 + v2 + v3;
}
