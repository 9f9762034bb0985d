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
  i8 a[15];
  u64 b[4];
  i8 c[35];
  u32 d[37];
  u64 e[54];
  struct node pool[3];
  struct node *head, *cursor;
  struct pair pairs[4];
  union word words[4];
  struct bits bits;
  i32 grid[6][3];
  _Bool flag;
  enum kind kind;
  i8 *pa;
  u64 *pb;
  struct pair *pp;
  union word *pw;
};
static const i64 table[6] = {116, 126, 55, 61, 90, 65, };
static i64 shared = 143;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {88733, 400}, {0, -30000}, {4000000000u, 249}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {281, 0, 32767, -32768}};
static const i16 *const waves[4] = {wave[1], wave[0], wave[2], wave[1]};
static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } links[4] = {{"alpha", wave[2], &links[1], 897}, {"", wave[1], 0, 9}, {0, 0, &links[3], 12}, {"omega!", wave[2], &links[0], 4}};
static struct pair known[3] = {{86760, 2, -3, 4, {5, -6}}, {.w = 26, .in.q = -77}};
static union word join = {.q = {1, 311, 3}};
static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {26, {.y = 9}, "probe", {{1, 2, 3}, {-1}}};
static u64 global[6] = {91};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 9 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u64 v0 = (i64)0x13f5;
  i8 v1 = (i64)0x1fa8;
  u64 v2 = (i64)0x164c;
  u8 v3 = (i64)0x457;
  v0 += x; v1 ^= y;
  { u32 a0 = (u32)((v2 || (rows[limit((u64)(st->a[7]), 3)].b + ev->arg[3]))) % 3u, b0 = a0 + 1 + (u32)(rows[limit((u64)(((i64)0xcd5811df ? (st->pp ? st->pp->y : 0) : ev->arg[5])), 3)].a) % 3u; st->pool[a0].kid[1] = b0 < 3 ? &st->pool[b0] : 0; }
  u64 x1 = (u64)(st->sum);
  if (x1 < 4) {
    st->b[x1] += ((v2 != st->e[((v0) & 31)]) * (i64)(u64)(0xffffffffu));
    { i64 t2 = (i64)(divide_q((u64)(((st->pp ? st->pp->z : 0) > v1)), (u64)((i64)0x1e54bd33c3eef))); bump(&t2, v3); bump(&shared, t2); }
    if (st->pw) st->pw->b[0] |= v3;
    for (u32 k3 = 0; k3 < 6; k3++) for (u32 j3 = k3; j3 < 3; j3++) st->grid[k3][j3] += (i32)(({ const struct link *l = &links[limit((u64)((v3 >= v3)), 3)]; l->next ? (i64)l->next->n : -1; }));
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x137f;
  i16 v1 = (i64)0xce6;
  i8 v2 = (i64)0x1f4d;
  u16 v3 = (i64)0x917;
  v0 += x; v1 ^= y;
  { u32 at0 = (u32)((u64)(((v1 * table[((v1) & 3)]) < (ev->arg[1] * 0x80000000u))) % ((u64)(sizeof(st->c)) + 1)); u64 n0 = (u32)limit((u32)(((i32)((v1 != wave[(((st->pw ? st->pw->h[((v3) & 1)] : 7)) & 1)][limit((u64)(st->a[((u64)(table[limit((u64)(v3), 5)]) % 15u)]), 3)])) / (i64)((((table[((v2) & 3)] && v3)) & 0xffff) + 1))), sizeof(st->c) - at0); u8 *p0 = memchr((u8 *)st->c + at0, (i32)((v3 ? shared : (table[((st->b[limit((u64)(v0), 3)]) & 3)] && v3))), n0); if (p0) { *p0 += 0; v2 += p0 - (u8 *)st->c; } }
  st->sum -= ((i64)(u32)(__builtin_ctzll(1ull << 63 | (u64)(v3))) ^ st->pairs[((u64)((st->e[((v3) & 31)] ? (st->pp ? st->pp->w : 0) : (i64)0x24)) % 4u)].in.p);
  if ((st->flag || ((st->b[((0xffffffffu) & 3)] | (i64)0x3392d5015c4) * (31 | v3)))) {
    for (i32 k1 = 0, j1 = 53; k1 < j1; k1++, j1--) { u64 t1 = st->e[k1]; st->e[k1] = st->e[j1]; st->e[j1] = t1; }
    st->pw = 0;
    for (u32 k2 = 0; k2 < 11; k2++) {
      st->sum -= v0;
    }
  } else {
    switch (((((i32)(st->e[8]) % (i64)(((255) & 0xffff) + 1)) ^ table[((u64)(shared) % 6u)])) & 7) {
    case 0:
      st->sum = __builtin_clzll(1 | (u64)((i64)(u64)(adds((u64)(st->sum), (i64)(v2)))));
      break;
    case 1:
      shared |= (i64)(u64)((((u64)(v1) << ((v0) & 63)) | __builtin_clzll(1 | (u64)(v1))));
      break;
    case 2:
      st->sum *= high((u64)(((ev->arg[5] && 1) & (shared | v3))), (i64)((i64)0x12));
      break;
    case 3:
      v1 += ((u16)((((i64)0x797f36553119 || v3) | (ev->arg[4] ? 0x7fffffffffffffff : ev->arg[5]))) % (i64)(((rows[((u64)(((i64)(table[((u64)((st->pw ? st->pw->h[((u64)(shared) % 2u)] : 7)) % 6u)]) % (i64)(((st->c[limit((u64)(wave[0][((u64)((i64)0x18d1fe6) % 4u)]), 34)]) & 0xffff) + 1))) % 4u)].b) & 0xffff) + 1));
    default: v0++;
    }
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x1c16;
  u32 v1 = (i64)0x879;
  i32 v2 = (i64)0x16e3;
  u32 v3 = (i64)0x142d;
  v0 += x; v1 ^= y;
  shared ^= (i64)(i64)((i64)(i64)((i64)0xe9c29f06ec));
  v3 += f0(ev, st, (i64)(table[4]), (u32)(0x7fffffffffffffff));
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_491(const struct ward_event *ev, struct ward_state *st)
{
  u32 v0 = (i64)0x123a;
  u64 v1 = (i64)0x1a7b;
  i8 v2 = (i64)0x20a;
  i32 v3 = (i64)0xae;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 3; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  v0 += (i64)__builtin_clz(1 | (u32)(((u64)((i64)__builtin_bswap32((u32)(mix((struct pair){.x = (i32)(rows[limit((u64)(ev->arg[5]), 3)].b), .w = join.w}, st->pairs[((u64)(0) % 4u)]).y))) << ((shared) & 63))));
  shared = __builtin_clzll(1 | (u64)(st->a[3]));
  i32 x0 = (i32)((((i64)((st->c[25] | global[((u64)(v2) % 6u)])) % (i64)((((i64)__builtin_bswap64((u64)(st->c[limit((u64)(v1), 34)]))) & 0xffff) + 1)) ^ ev->arg[5]));
  if (x0 >= 0 && x0 < 37) {
    st->d[x0] += ((u32)((shared ? ev->arg[0] : 255)) % (i64)(((((u64)(v2) >> ((v3) & 63))) & 0xffff) + 1));
    st->c[limit((u64)(divide_r((u64)(st->b[2]), (u64)(v0))), 34)] ^= (i64)0xad93e;
    v2 += f0(ev, st, (i64)((((u8)(0x80000000u) / (i64)(((st->e[((u64)(st->b[((st->sum) & 3)]) % 54u)]) & 0xffff) + 1)) ^ (st->sum * ({ const struct link *l = &links[3]; l->word ? l->word[0] : 1; })))), (u32)(shared));
    st->a[((u64)(v3) % 15u)] += v2;
  }
  { u32 at1 = (u32)limit((u32)((v3 ? (table[((u64)(st->sum) % 6u)] * st->grid[((v3) & 3)][0]) : (v0 | v2))), sizeof(st->c)); u64 n1 = (u32)((u64)(4096) % ((u64)(sizeof(st->c) - at1) + 1)); memset((u8 *)st->c + at1, (i32)(v1), n1); }
  { u32 a2 = (u32)((i64)__builtin_ffsll((i64)(((u8)(v0) % (i64)(((v3) & 0xffff) + 1))))) % 3u, b2 = a2 + 1 + (u32)(((i64)(!(shared)) || ((i64)st->kind - 4096))) % 3u; st->pool[a2].next = b2 < 3 ? &st->pool[b2] : 0; }
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
WARD_ENTRY("x!z")
void again_491(const struct ward_event *ev, struct ward_state *st)
{
  u8 v0 = (i64)0x1c6a;
  u8 v1 = (i64)0x10b;
  i16 v2 = (i64)0x4ae;
  i16 v3 = (i64)0x14e7;
  if (st->pp) st->pp->in.q -= (i64)(u64)(((table[((global[((table[limit((u64)(v3), 5)]) & 3)]) & 3)] ? mix((struct pair){.x = (i32)(st->words[((u64)(ev->arg[4]) % 4u)].s), .w = join.w}, st->pairs[limit((u64)(st->pairs[3].in.q), 3)]).x : v1) ? divide_r((u64)(table[((u64)(v0) % 6u)]), (u64)(st->sum)) : config.odd[1][2]));
  u64 x0 = (u64)((i64)__builtin_expect(!!(__builtin_ctzll(1ull << 63 | (u64)((st->grid[limit((u64)((i64)0x4), 5)][(((i64)0xe4b60066dbda) & 1)] * table[((({ const struct link *l = &links[limit((u64)(st->sum), 3)]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; })) & 3)])))), 1));
  if (x0 < 35) {
    st->c[x0] += ((v0 ^ ev->arg[3]) ? (-1 >= v2) : (i64)0x1e6ac);
    switch ((((i64)__builtin_bswap64((u64)(v1)) > table[((v1) & 3)])) & 3) {
    case 0:
      switch ((u32)((v2 | divide_q((u64)(high((u64)(waves[((0x7fffffffffffffff) & 3)][limit((u64)(table[((v0) & 3)]), 3)]), (i64)(v2))), (u64)(divide_r((u64)(ev->arg[1]), (u64)(v0)))))) % 3u + 884338u) { case 884338u: v0 = 82043; break; case 884339u: v3 += 90397; break; default: v1 ^= 3; }
      switch ((i16)((subs((i64)(0xffffffffu), (i64)(v2)) - st->pairs[2].w))) { case -1: case 7 ... 19: v0 += 5; break; case 300: v2 = v1; case -32768: v3--; break; }
      break;
    case 1:
      shared += v3;
      break;
    case 2:
      if ((i64)__builtin_parityll((u64)((i64)__builtin_bswap32((u32)(table[limit((u64)(table[((table[((u64)(v1) % 6u)]) & 3)]), 5)]))))) goto out1;
      if (adds((u64)(v2), (i64)((v0 | 0x80000000u))) && v0) goto out1;
      v2++;
      out1:;
      v3 += f0(ev, st, (i64)(st->sum), (u32)(((u64)(((i64)(rows[1].a) << ((v1) & 63))) >> ((divide_q((u64)(v0), (u64)(31))) & 63))));
      break;
    default: v0++;
    }
  }
  st->sum ^= v0 + v1 + v2 + v3;
}
