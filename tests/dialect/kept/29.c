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
  u16 a[55];
  u32 b[7];
  i64 c[19];
  u64 d[12];
  i16 e[42];
  struct node pool[4];
  struct node *head, *cursor;
  struct pair pairs[4];
  union word words[9];
  struct bits bits;
  i32 grid[3][7];
  _Bool flag;
  enum kind kind;
  u16 *pa;
  u32 *pb;
  struct pair *pp;
  union word *pw;
};
static const u32 table[11] = {86, 54, 81, 2, 123, 117, 6, 114, 104, 44, 72, };
static i64 shared = 544;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {74740, 400}, {0, -30000}, {4000000000u, 89}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {8, 0, 32767, -32768}};
static const i16 *const waves[4] = {wave[2], wave[0], wave[2], wave[1]};
static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } links[4] = {{"alpha", wave[1], &links[1], 807}, {"", wave[1], 0, 9}, {0, 0, &links[3], 12}, {"omega!", wave[2], &links[2], 4}};
static struct pair known[3] = {{5677, 2, -3, 4, {5, -6}}, {.w = 363, .in.q = -77}};
static union word join = {.q = {1, 878, 3}};
static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {40, {.y = 9}, "probe", {{1, 2, 3}, {-1}}};
static i8 global[6] = {50};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 80 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u64 v0 = (i64)0x65b;
  u8 v1 = (i64)0x17e4;
  u8 v2 = (i64)0x3ba;
  u16 v3 = (i64)0x849;
  v0 += x; v1 ^= y;
  i32 x0 = (i32)((i64)turn32((u32)((i64)__builtin_bswap64((u64)(((u16)(v1) % (i64)(((table[((u64)(st->sum) % 11u)]) & 0xffff) + 1))))), (i64)((((i64)0x5048ac0a191cc && 0xffffffffu) + (i64)(i16)(v2)))));
  if (x0 >= 0 && x0 < 7) {
    st->b[x0] += (((u64)(4096) % (i64)(((v3) & 0xffff) + 1)) && (i64)(-(u64)(st->sum)));
    st->pairs[((u64)(turn((u64)(st->e[((wave[0][((rows[limit((u64)(v0), 3)].a) & 3)]) & 31)]), (i64)(table[3]))) % 4u)].z |= ((st->flag - (i64)0x2afc9dda5a921) && (i64)0xc);
    st->pw = 0;
    if (st->cursor) st->cursor->value ^= v0;
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u64 v0 = (i64)0x1d45;
  u8 v1 = (i64)0x1af3;
  u16 v2 = (i64)0x1ded;
  i8 v3 = (i64)0x9c9;
  v0 += x; v1 ^= y;
  st->sum ^= v1;
  st->pp = &st->pairs[((st->e[limit((u64)(0), 41)]) & 3)];
  { u32 a0 = (u32)(v1) % 4u, b0 = a0 + 1 + (u32)(v2) % 4u; st->pool[a0].next = b0 < 4 ? &st->pool[b0] : 0; }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i16 v0 = (i64)0xa85;
  u16 v1 = (i64)0x168;
  i16 v2 = (i64)0x339;
  u8 v3 = (i64)0x580;
  v0 += x; v1 ^= y;
  if (((st->pa ? *st->pa : 0) && (1 ^ (st->a[((u64)(v0) % 55u)] * wave[((v1) & 1)][(((i64)0x1c16648554e) & 3)])))) {
    st->sum *= (i64)(i32)(((i8)(mul((i64)(known[limit((u64)((i64)0x7d027070df), 2)].x), (i64)(({ const struct link *l = &links[((u64)(0x7fffffff) % 4u)]; l->next ? (i64)l->next->n : -1; })))) % (i64)(((ev->arg[2]) & 0xffff) + 1)));
    if (shared) {
      st->c[limit((u64)(global[limit((u64)((config.odd[1][2] && st->d[limit((u64)(st->e[((u64)(v1) % 42u)]), 11)])), 5)]), 18)] ^= (i64)0x17265f05d38;
      st->b[((((v1 && (st->pw ? st->pw->h[0] : 7)) || (st->b[5] ? v0 : v3))) & 3)] ^= __builtin_popcount((u32)(((4096 + 31) + st->words[((u64)(table[9]) % 9u)].b[7])));
      st->d[((u64)(((u32)(spread((u64)(({ const struct link *l = &links[3]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; })))) / (i64)((((v2 || (i64)0x1fd397024)) & 0xffff) + 1))) % 12u)] += v0;
    } else {
      st->sum *= ((i64)__builtin_bswap32((u32)(((u64)((i64)0xd360565242ed1) >> ((0x80000000u) & 63)))) * (table[((u64)(v2) % 11u)] - (255 & 4096)));
    }
    shared -= ((i64)(i32)((255 | v0)) ? table[((((i64)(st->sum) / (i64)(((v0) & 0xffff) + 1))) & 7)] : (st->c[limit((u64)(-1), 18)] & (i64)__builtin_bswap32((u32)(ev->arg[5]))));
  }
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_29(const struct ward_event *ev, struct ward_state *st)
{
  u16 v0 = (i64)0xe79;
  i32 v1 = (i64)0x16cb;
  i64 v2 = (i64)0x15ec;
  u16 v3 = (i64)0x1e2d;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 4; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  ((u8 *)st->a)[sizeof(st->a) - 1] = 0; ((u8 *)st->b)[sizeof(st->b) - 1] = 0; v0 += sign(strcmp((char *)st->a, (char *)st->b));
  switch ((v0) & 7) {
  case 0:
    WARD_BOUND(64) for (u32 k1 = 0, n1 = (u32)((i64)__builtin_expect(!!((table[limit((u64)((i64)0xf6278), 10)] + ({ const struct link *l = &links[((u64)(st->d[((v0) & 7)]) % 4u)]; l->word ? l->word[0] : 1; }))), 0)) % 10u; k1 != n1; k1++) {
      st->e[limit((u64)(((st->b[limit((u64)(table[10]), 6)] | (st->pw ? st->pw->h[((u64)(table[limit((u64)(st->c[0]), 10)]) % 2u)] : 7)) * (config.odd[1][2] - (i64)st->bits.d))), 41)] ^= ((__builtin_clzll(1 | (u64)(0x80000000u)) > ((i64)0xd29af ^ v3)) | ev->arg[3]);
      shared ^= (i64)__builtin_bswap64((u64)(st->sum));
      if (st->c[((u64)((v0 & ((i8)(0x7fffffffffffffff) % (i64)(((shared) & 0xffff) + 1)))) % 19u)]) {
        st->b[limit((u64)(k1), 6)] = ((i64)(i8)((k1 ? ev->arg[0] : v1)) * v1);
      }
    }
    st->sum |= ((i64)__builtin_parityll((u64)(__builtin_clzll(1 | (u64)(v0)))) + st->sum);
    break;
  case 1:
    st->sum = ((i64)((table[limit((u64)(ev->arg[0]), 10)] - table[limit((u64)(0xffffffffu), 10)])) << ((divide_r((u64)((-1 | v1)), (u64)((1 ? st->b[2] : v1)))) & 63));
    { u32 a2 = (u32)(st->sum) % 4u, b2 = a2 + 1 + (u32)(st->sum) % 4u; st->pool[a2].next = b2 < 4 ? &st->pool[b2] : 0; }
    { struct node t3 = st->pool[(((waves[limit((u64)(v2), 3)][0] && table[((u64)(v0) % 11u)])) & 3)]; v3 += t3.key ^ t3.value; }
    break;
  case 2:
    shared ^= divide_r((u64)(v3), (u64)(((u32)((st->sum | st->c[limit((u64)(table[((u64)(mix((struct pair){.x = (i32)(shared), .w = join.w}, st->pairs[((ev->arg[1]) & 3)]).w) % 11u)]), 18)])) / (i64)(((v3) & 0xffff) + 1))));
    u64 x4 = (u64)(((u16)((i64)(u64)((i64)__builtin_bswap64((u64)(v1)))) / (i64)((((i64)(i32)((table[((v1) & 7)] ? shared : ev->arg[1]))) & 0xffff) + 1)));
    if (x4 < 19) {
      st->c[x4] += (((i64)0x0 & v1) ? (-1 - st->sum) : (st->pp ? st->pp->z : 6));
      { u32 a5 = (u32)((i64)0x6ab325a) % 4u, b5 = a5 + 1 + (u32)(subs((i64)(mix((struct pair){.x = (i32)(st->e[limit((u64)(v3), 41)]), .w = join.w}, st->pairs[((u64)(st->sum) % 4u)]).in.p), (i64)(((i64)((i64)0x339fe8a8844ab) << ((v0) & 63))))) % 4u; st->pool[a5].next = b5 < 4 ? &st->pool[b5] : 0; }
      { u32 s6 = 0; WARD_BOUND(32) for (u32 k6 = 0; ; k6++) { if (k6 > 12) break; switch (s6) {
        case 0: s6 = (u32)(ev->arg[0]) % 7u; v2 |= 754; 
        case 1: s6 = (u32)(((u64)(((i64)(ev->arg[1]) << ((st->sum) & 63))) / (i64)((((v2 || ev->arg[4])) & 0xffff) + 1))) % 7u; v0 += 137; goto done6;
        case 2: s6 = (u32)(((i64)((st->pairs[((v2) & 3)].in.p - v3)) % (i64)((((shared + v0)) & 0xffff) + 1))) % 7u; v2 -= 972; continue;
        case 3: s6 = (u32)((st->sum ^ divide_q((u64)((i64)0xcd), (u64)(st->sum)))) % 7u; v3 |= 998; 
        case 4: s6 = (u32)(v3) % 7u; v1 = 690; if (v0 & 1) break; continue;
        case 5: s6 = (u32)(divide_q((u64)(((u32)(known[((({ const struct link *l = &links[0]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; })) & 1)].x) / (i64)(((st->grid[2][limit((u64)(({ const struct link *l = &links[((st->grid[1][((u64)(table[(((st->pb ? (i64)(st->pb - st->b) : -1)) & 7)]) % 7u)]) & 3)]; l->word ? l->word[0] : 1; })), 6)]) & 0xffff) + 1))), (u64)(((st->pa ? *st->pa : 6) - config.name[3])))) % 7u; v1 -= 261; break;
        default: v0--; s6 = 0; } v0 += s6; } done6:; }
      st->d[6] = v0;
    }
    break;
  case 3:
    for (u32 k7 = 0; k7 < 12; k7++) {
      { u32 n8 = (u32)(divide_r((u64)((k7 > 0xffffffffu)), (u64)((k7 + shared)))) & 15, m8 = 0; WARD_BOUND(16) while (n8) { WARD_BOUND(40) while (m8 & 3) { m8--; v3 += m8; } if (v2 == n8) break; m8 += 7; n8--; for (i32 j8 = 0; j8 > 0; j8 -= 2) for (u32 i8 = 0; i8 < n8; i8++) v3 ^= i8 * j8; } }
      switch ((u32)(v0) % 3u + 704954u) { case 704954u: v1 *= 92988; break; case 704955u: v0 -= 1942; break; default: v1 ^= 3; }
      switch ((i16)(((i64)(divide_q((u64)(global[((u64)(st->d[((0x80000000u) & 7)]) % 6u)]), (u64)(v1))) % (i64)(((__builtin_popcountll((u64)(v2))) & 0xffff) + 1)))) { case -1: case 7 ... 19: v0 += 5; break; case 300: v2 = v1; case -32768: v3--; break; }
    }
    st->pa = &st->a[((u64)((i64)__builtin_clz(1 | (u32)((i64)st->bits.c))) % 55u)];
    for (i32 k9 = 9; k9 >= 0; k9 -= 1) {
      if ((i64)st->bits.d) {
        v2 += __builtin_popcount((u32)(st->words[0].q[2]));
        v3 *= __builtin_popcount((u32)((sub16((i64)(ev->arg[4]), (i64)(1)) && (0 & table[2]))));
        st->e[limit((u64)((v1 ? __builtin_popcountll((u64)(v1)) : divide_q((u64)(table[10]), (u64)(table[((u64)(st->sum) % 11u)])))), 41)] ^= k9;
      }
    }
  case 4:
    st->e[36] -= ((v2 && (ev->arg[0] - waves[((u64)(st->flag) % 4u)][limit((u64)(st->e[((v3) & 31)]), 3)])) <= ((st->d[(((i64)0x53ea1ea08a704) & 7)] || ev->arg[4]) - 0x7fffffffffffffff));
    v2 |= ((u64)((i64)(u32)((st->sum ? v3 : 255))) << (((i64)__builtin_bswap32((u32)((st->a[((31) & 31)] + 1)))) & 63));
  default: v0++;
  }
  st->b[((u64)(st->e[(((st->b[limit((u64)(ev->arg[4]), 6)] != (i64)0x4e52)) & 31)]) % 7u)] |= (v1 & v0);
  st->c[0] -= ((__builtin_popcount((u32)((i64)0xf251d411706)) || (v1 ? v2 : 4096)) == (__builtin_ctzll(1ull << 63 | (u64)(mix((struct pair){.x = (i32)(0x7fffffff), .w = join.w}, st->pairs[((u64)(v3) % 4u)]).z)) && (i64)__builtin_bswap32((u32)(255))));
  st->a[27] |= divide_r((u64)(divide_r((u64)((v2 ? v1 : v3)), (u64)((v3 ? v0 : v0)))), (u64)((i64)(i8)(table[((st->grid[((v1) & 1)][((st->d[limit((u64)(st->grid[((u64)(v2) % 3u)][limit((u64)(table[8]), 6)]), 11)]) & 3)]) & 7)])));
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
