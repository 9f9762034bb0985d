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
  u64 a[25];
  u64 b[54];
  i32 c[37];
  u64 d[42];
  i8 e[30];
  struct node pool[8];
  struct node *head, *cursor;
  struct pair pairs[4];
  union word words[7];
  struct bits bits;
  i32 grid[1][2];
  _Bool flag;
  enum kind kind;
  u64 *pa;
  u64 *pb;
  struct pair *pp;
  union word *pw;
};
static const i64 table[2] = {28, 74, };
static i64 shared = 633;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {70815, 400}, {0, -30000}, {4000000000u, 892}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {172, 0, 32767, -32768}};
static const i16 *const waves[4] = {wave[2], wave[0], wave[2], wave[1]};
static const struct link { const char *word; const i16 *from; const struct link *next; u32 n; } links[4] = {{"alpha", wave[0], &links[1], 765}, {"", wave[1], 0, 9}, {0, 0, &links[3], 12}, {"omega!", wave[2], &links[0], 4}};
static struct pair known[3] = {{14883, 2, -3, 4, {5, -6}}, {.w = 475, .in.q = -77}};
static union word join = {.q = {1, 753, 3}};
static struct { i64 n; struct pair p; u8 name[6]; i16 odd[2][3]; } config = {49, {.y = 9}, "probe", {{1, 2, 3}, {-1}}};
static u8 global[5] = {39};
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
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0xd39;
  u32 v1 = (i64)0x81b;
  u64 v2 = (i64)0x1420;
  u64 v3 = (i64)0x1642;
  v0 += x; v1 ^= y;
  for (i32 k0 = 0; k0 >= 0; k0 -= 2) {
    for (i32 k1 = 11; k1 >= 0; k1 -= 2) {
      st->a[((u64)(((i64)__builtin_bswap32((u32)(k1)) + ((st->pb ? (i64)(st->pb - st->b) : -1) ? shared : 0x7fffffffffffffff))) % 25u)] |= (global[limit((u64)(((i64)0x2c & v3)), 4)] - ((i64)((1 <= k1)) << ((((u64)(0x7fffffff) >> ((config.odd[1][2]) & 63))) & 63)));
      st->sum -= 4096;
      if (shared) break;
    }
    if (table[0]) {
      v2 -= v3;
      shared |= spread((u64)((i64)__builtin_parityll((u64)(turn((u64)(table[limit((u64)(table[1]), 1)]), (i64)(k0))))));
      st->sum ^= ev->arg[1];
    } else {
      st->a[21] *= ((i64)((table[1] | ((u8)(v2) / (i64)(((v2) & 0xffff) + 1)))) >> ((table[((u64)(((u32)(config.name[3]) % (i64)(((table[((u64)(v2) % 2u)]) & 0xffff) + 1))) % 2u)]) & 63));
      st->sum |= st->a[23];
      st->e[6] |= (((ev->arg[1] + wave[2][1]) < (rows[limit((u64)(shared), 3)].b & v0)) | (v3 > (0x7fffffff - 0)));
    }
  }
  st->a[limit((u64)(((st->pw ? st->pw->h[1] : 7) || config.name[3])), 24)] = (((table[0] - st->c[6]) || (i64)(-(u64)(st->e[9]))) | (st->a[((u64)(table[((st->sum) & 1)]) % 25u)] && (v3 + v2)));
  st->b[((v0) & 31)] |= ((i64)0xc54acd96 <= (__builtin_ctzll(1ull << 63 | (u64)(v3)) == (i64)(i32)(v2)));
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  u8 v0 = (i64)0x1f65;
  i8 v1 = (i64)0x1aee;
  u32 v2 = (i64)0x1f9c;
  u32 v3 = (i64)0x15ae;
  v0 += x; v1 ^= y;
  st->head = &st->pool[((u64)(wave[1][((u64)(v2) % 4u)]) % 8u)];
  u64 x1 = (u64)(((i64)(v1) << (((i64)(i32)(turn((u64)(v1), (i64)(rows[((u64)(0x7fffffffffffffff) % 4u)].b)))) & 63)));
  if (x1 < 37) {
    st->c[x1] += (i64)__builtin_expect(!!(((u16)(ev->arg[5]) / (i64)((((st->pp ? st->pp->w : 3)) & 0xffff) + 1))), 0);
    for (i32 k2 = 8; k2 >= 0; k2 -= 2) {
      st->a[((shared) & 15)] ^= __builtin_clzll(1 | (u64)(((i64)__builtin_ffsll((i64)(0x80000000u)) & ((u64)(v1) >> ((v1) & 63)))));
      v0 += (((i64)((i64)__builtin_bswap32((u32)(v3))) >> ((k2) & 63)) - (i64)__builtin_bswap64((u64)((v2 > waves[0][((u64)(st->sum) % 4u)]))));
      st->d[(((i64)0x2136738) & 31)] |= (st->d[6] & (wave[((v3) & 1)][1] ^ divide_r((u64)((i64)0x1d136f4ec4), (u64)((i64)0x30c8f))));
    }
  }
  shared |= ((((u64)(table[((u64)(st->c[9]) % 2u)]) >> (((i64)0x58) & 63)) && (v1 <= v3)) | ev->arg[4]);
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i8 v0 = (i64)0x15c4;
  i64 v1 = (i64)0x1d7;
  i64 v2 = (i64)0x78c;
  u32 v3 = (i64)0x447;
  v0 += x; v1 ^= y;
  if (__builtin_popcountll((u64)(v2))) goto out0;
  { u32 a1 = (u32)(st->d[((u64)(v3) % 42u)]) % 8u, b1 = a1 + 1 + (u32)((((i8)(v1) % (i64)(((v2) & 0xffff) + 1)) | divide_q((u64)(v0), (u64)(v0)))) % 8u; st->pool[a1].next = b1 < 8 ? &st->pool[b1] : 0; }
  v3 += f0(ev, st, (i64)(((i64)(u16)(v0) * v2)), (u32)(((st->pw ? st->pw->h[limit((u64)(st->sum), 1)] : 7) ^ v1)));
  if (st->cursor) st->cursor->value ^= v2;
  if (((shared | ev->arg[3]) - (v3 & 0x7fffffffffffffff)) && v0) goto out0;
  v1++;
  out0:;
  i32 x3 = (i32)((divide_q((u64)(((i64)0x6 == ev->arg[3])), (u64)(st->b[6])) | (i64)(u32)(((i64)0x5a95 * v0))));
  if (x3 >= 0 && x3 < 42) {
    st->d[x3] += shared;
    v3 += f1(ev, st, (i64)(global[((((i64)(v2) << ((v1) & 63))) & 3)]), (u32)(divide_r((u64)((v3 ? wave[limit((u64)(v3), 2)][((u64)(shared) % 4u)] : rows[((u64)(mix((struct pair){.x = (i32)(st->c[((v0) & 31)]), .w = join.w}, st->pairs[((u64)(ev->arg[5]) % 4u)]).x) % 4u)].b)), (u64)((i64)0x4272))));
  }
  WARD_BOUND(64) for (u64 k4 = (u64)((divide_r((u64)(config.odd[1][2]), (u64)(st->a[12])) ^ ((i64)(table[((v3) & 1)]) >> ((v0) & 63)))) & 31; k4; k4 >>= 1) {
    WARD_BOUND(64) for (u32 k5 = 0, n5 = (u32)(((i64)(u8)(wave[limit((u64)((i64)0x880d27ba9), 2)][(((i64)0x78107) & 3)]) * (k4 - rows[limit((u64)((st->pb ? (i64)(st->pb - st->b) : -1)), 3)].b))) % 10u; k5 != n5; k5++) {
      st->a[((st->words[4].q[2]) & 15)] *= ((st->d[18] - (st->pp ? st->pp->z : 4)) ? (((u64)(table[((u64)(ev->arg[4]) % 2u)]) << ((table[limit((u64)(v3), 1)]) & 63)) - (i64)(u8)((st->pp ? st->pp->x : 3))) : 0x7fffffffffffffff);
      if (shared) break;
    }
    st->d[limit((u64)((i64)(~(u64)((st->b[16] ? v0 : wave[1][((rows[limit((u64)(k4), 3)].b) & 3)])))), 41)] -= (v3 && ev->arg[5]);
    st->e[26] ^= ((u32)(shared) / (i64)((((st->pw ? st->pw->h[(((v1 ^ v2)) & 1)] : 7)) & 0xffff) + 1));
    if ((v0 && k4)) continue;
  }
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_44(const struct ward_event *ev, struct ward_state *st)
{
  i8 v0 = (i64)0x52c;
  i8 v1 = (i64)0x3a4;
  u16 v2 = (i64)0xc60;
  u16 v3 = (i64)0x1549;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 8; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  for (u64 *p0 = st->b, *e0 = st->b + 54; p0 < e0; p0++) {
    *p0 ^= (u64)(v1);
  }
  { u32 at1 = limit((u64)(((i64)(!(ev->arg[5])) + global[0])), sizeof(st->a)); u64 n1 = limit((u64)(high((u64)((i64)(u32)(table[(((st->pw ? st->pw->h[limit((u64)(table[limit((u64)(shared), 1)]), 1)] : 7)) & 1)])), (i64)((i64)__builtin_bswap32((u32)(st->grid[((u64)(st->words[limit((u64)(ev->arg[5]), 6)].b[7]) % 1u)][((rows[((v1) & 3)].b) & 1)]))))), sizeof(st->a) - at1); ((u8 *)st->a)[sizeof(st->a) - 1] = 0; if (at1 < sizeof(st->a)) v3 += strlen((char *)st->a + at1) * 3 + strnlen((char *)st->a + at1, 100 + n1); }
  __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
  st->sum *= ((i64)0xbea65221a + (__builtin_ctzll(1ull << 63 | (u64)(0x7fffffffffffffff)) ^ v1));
  switch ((((v3 & v1) * (v2 ? v0 : (i64)0x22a2))) & 7) {
  case 0:
    u64 x3 = (u64)((((u16)(ev->arg[3]) / (i64)((((i64)0xb0f6d3024) & 0xffff) + 1)) | v3));
    if (x3 < 25) {
      st->a[x3] += __builtin_clzll(1 | (u64)((i64)__builtin_bswap32((u32)(31))));
      switch ((pick((i64)(0xffffffffu), -289, 6818)) & 3) {
      case 0:
        st->d[((u64)(divide_r((u64)(((i16)(st->c[((u64)(v0) % 37u)]) / (i64)(((st->e[((u64)(v0) % 30u)]) & 0xffff) + 1))), (u64)((v1 ? v2 : mix((struct pair){.x = (i32)(({ const struct link *l = &links[2]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; })), .w = join.w}, st->pairs[((v0) & 3)]).w)))) % 42u)] -= (((st->flag ^ st->b[((wave[limit((u64)(st->d[limit((u64)((st->pa ? *st->pa : 4)), 41)]), 2)][((u64)((i64)0x37cdfe7) % 4u)]) & 31)]) < v1) & divide_q((u64)((v1 ^ ev->arg[0])), (u64)((i64)__builtin_clz(1 | (u32)(v0)))));
        break;
      case 1:
        st->d[((u64)((v0 && (i64)(i16)(ev->arg[3]))) % 42u)] -= (i64)(i32)(v3);
      default: v0++;
      }
      WARD_BOUND(64) for (struct node *p4 = st->head; p4; p4 = p4->kid[p4->value & 1]) {
        p4->value += (i64)(i32)((i64)(u8)(table[limit((u64)(0x7fffffff), 1)]));
      }
      i32 x5 = (i32)(((i64)(__builtin_popcount((u32)((global[((u64)(v0) % 5u)] ^ (st->pb ? (i64)(st->pb - st->b) : -1))))) << ((((table[1] && ev->arg[0]) - -1)) & 63)));
      if (x5 >= 0 && x5 < 30) {
        st->e[x5] += v2;
      }
    }
    break;
  case 1:
    { u32 a6 = (u32)(v2) % 8u, b6 = a6 + 1 + (u32)(v2) % 8u; st->pool[a6].kid[1] = b6 < 8 ? &st->pool[b6] : 0; }
    st->pp = &st->pairs[((u64)(known[((st->grid[0][limit((u64)(shared), 1)]) & 1)].x) % 4u)];
    break;
  case 2:
    { u32 a7 = (u32)(ev->arg[2]) % 8u, b7 = a7 + 1 + (u32)((v1 & divide_r((u64)(v0), (u64)(table[limit((u64)(ev->arg[1]), 1)])))) % 8u; st->pool[a7].kid[0] = b7 < 8 ? &st->pool[b7] : 0; }
    v3 ^= (table[limit((u64)(ev->arg[0]), 1)] && v3);
    shared = (i64)(i16)(high((u64)((v0 < (st->pb ? (i64)(st->pb - st->b) : -1))), (i64)((st->grid[limit((u64)(ev->arg[4]), 0)][limit((u64)(st->c[23]), 1)] + table[0]))));
  case 3:
    st->sum ^= (i64)(i32)(((u64)(ev->arg[2]) / (i64)(((subs((i64)(v2), (i64)((i64)0x3aef75f25))) & 0xffff) + 1)));
    u64 x8 = (u64)((({ const struct link *l = &links[limit((u64)((4096 * table[((v0) & 1)])), 3)]; l->word ? l->word[0] : 1; }) ? (divide_r((u64)(v2), (u64)(({ const struct link *l = &links[3]; l->next && l->next->from ? l->next->from[l->n & 3] : (i64)l->n; }))) ? v2 : __builtin_popcount((u32)(config.odd[1][2]))) : divide_r((u64)((v1 ^ st->c[((global[limit((u64)(st->sum), 4)]) & 31)])), (u64)((shared <= st->c[24])))));
    if (x8 < 37) {
      st->c[x8] += v0;
      { u32 at9 = (u32)limit((u32)((i64)(u16)(((i64)0x21381e0a3e04 && v0))), sizeof(st->d)); u64 n9 = (u32)((u64)(divide_r((u64)(v0), (u64)((ev->arg[0] < table[limit((u64)(v3), 1)])))) % ((u64)(sizeof(st->d) - at9) + 1)); memset((u8 *)st->d + at9, (i32)((i64)0x1e8a3), n9); }
    }
    break;
  default: v0++;
  }
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
