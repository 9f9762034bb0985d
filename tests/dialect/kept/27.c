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
  i16 a[3];
  u8 b[50];
  i32 c[35];
  i64 d[44];
  u64 e[16];
  struct node pool[10];
  struct node *head, *cursor;
  struct pair pairs[5];
  union word words[3];
  struct bits bits;
  i32 grid[6][3];
  _Bool flag;
  enum kind kind;
  i16 *pa;
  u8 *pb;
  struct pair *pp;
  union word *pw;
};
static const i8 table[25] = {95, 85, 101, 66, 53, 107, 40, 14, 8, 21, 50, 107, 48, 44, 20, 102, 82, 104, 87, 109, 50, 91, 122, 73, 51, };
static i64 shared = 356;
static u64 limit(u64 x, u64 most) { return x < most ? x : most; }
static u64 divide_q(u64 a, u64 b) { return b ? a / b : a; }
static u64 divide_r(u64 a, u64 b) { return b ? a % b : a; }
static const struct { u32 a; i16 b; } rows[4] = {{1, -2}, {11064, 400}, {0, -30000}, {4000000000u, 764}};
static const i16 wave[3][4] = {{1, 2, 3, 4}, {-1, -2, -3, -4}, {139, 0, 32767, -32768}};
static i32 global[1] = {59};
static u64 turn(u64 x, u64 n) { return x << (n & 63) | x >> (-n & 63); }
static u32 turn32(u32 x, u32 n) { return x << (n & 31) | x >> (-n & 31); }
static u64 spread(u64 x) { x = (x | x << 16) & 0x0000ffff0000ffff; return (x | x << 8) & 0x00ff00ff00ff00ff; }
static u64 adds(u64 a, u64 b) { u64 r; return __builtin_add_overflow(a, b, &r) ? ~0ull : r; }
static i64 subs(i64 a, i64 b) { i64 r; return __builtin_sub_overflow(a, b, &r) ? a : r; }
static u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static i64 mul(i64 a, i64 b) { i64 r; return __builtin_expect(__builtin_mul_overflow(a, b, &r), 0) ? a ^ b : r; }
static u32 add32(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? r + 37 : r; }
static i32 sub16(i64 a, i64 b) { i16 r; return __builtin_sub_overflow((i16)a, (i32)b, &r) ? -r : r; }
static i32 sign(i32 x) { return (x > 0) - (x < 0); }
_Static_assert(sizeof(struct pair) == 24 && sizeof(union word) == 8, "");
static i64 pick(i64 a, i64 lo, i64 hi) { return a < lo ? lo : a > hi ? hi : a; }
static struct pair mix(struct pair a, struct pair b) { a.x += b.x; a.y ^= b.y; a.z = b.z; a.w *= b.w | 1; a.in = b.in; return a; }
static void bump(i64 *p, i64 by) { *p = *p * 3 + by; }
static struct pair *chosen(struct ward_state *st, u64 n) { return n & 1 ? &st->pairs[0] : &st->pairs[n % sizeof(st->pairs) % (sizeof(st->pairs) / sizeof(st->pairs[0]))]; }
static i64 f0(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i16 v0 = (i64)0x6e6;
  u8 v1 = (i64)0x1ad0;
  i16 v2 = (i64)0xad5;
  u64 v3 = (i64)0x1cf;
  v0 += x; v1 ^= y;
  st->c[((v2) & 31)] -= __builtin_popcountll((u64)((ev->arg[5] | global[((st->c[((u64)(table[14]) % 35u)]) & 0)])));
  __builtin_memcpy(st->e, st->d, sizeof(st->e) < sizeof(st->d) ? sizeof(st->e) : sizeof(st->d));
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f1(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i16 v0 = (i64)0x1a91;
  i64 v1 = (i64)0x1fd8;
  u32 v2 = (i64)0x66f;
  i32 v3 = (i64)0x1e32;
  v0 += x; v1 ^= y;
  WARD_BOUND(64) for (u32 k0 = 0, n0 = (u32)((divide_r((u64)(ev->arg[1]), (u64)(255)) - (st->pw ? st->pw->h[limit((u64)(v0), 1)] : 7))) % 10u; k0 != n0; k0++) {
    __builtin_memcpy(st->a, st->d, sizeof(st->a) < sizeof(st->d) ? sizeof(st->a) : sizeof(st->d));
    if (((u64)(((st->pb ? (i64)(st->pb - st->b) : -1) && (st->pw ? st->pw->h[((st->b[28]) & 1)] : 7))) >> ((__builtin_popcount((u32)(global[limit((u64)(st->flag), 0)]))) & 63))) goto out2;
    if ((((st->pa ? *st->pa : 0) && (i64)st->bits.a) ? (st->d[limit((u64)(0x7fffffff), 43)] ^ (st->pw ? st->pw->h[((k0) & 1)] : 7)) : ((u16)(4096) % (i64)((((st->pb ? (i64)(st->pb - st->b) : -1)) & 0xffff) + 1))) && v0) goto out2;
    v0++;
    out2:;
    st->c[limit((u64)(v0), 34)] -= (ev->arg[4] && (i64)__builtin_bswap32((u32)(shared)));
  }
  return v0 + v1 * 3 + v2 - v3;
}
static i64 f2(const struct ward_event *ev, struct ward_state *st, i64 x, u32 y)
{
  i64 v0 = (i64)0x1875;
  i32 v1 = (i64)0x3ac;
  u8 v2 = (i64)0x7b4;
  u16 v3 = (i64)0xaba;
  v0 += x; v1 ^= y;
  i32 x0 = (i32)(v1);
  if (x0 >= 0 && x0 < 35) {
    st->c[x0] += (i64)__builtin_ffsll((i64)(((i64)0x383552ec3 - table[((st->d[limit((u64)(st->words[1].h[1]), 43)]) & 15)])));
    WARD_BOUND(64) for (struct node *p1 = st->head; p1; p1 = p1->next) {
      p1->value += shared;
      if (p1->key == 3) { st->cursor = p1; break; }
    }
    WARD_BOUND(64) for (u32 k2 = 0, n2 = (u32)((i64)(i64)((table[limit((u64)(ev->arg[5]), 24)] * table[9]))) % 10u; k2 != n2; k2++) {
      st->sum = st->sum;
      st->a[0] += (i64)(u8)((((u8)(rows[((st->sum) & 3)].a) % (i64)(((st->e[((v2) & 15)]) & 0xffff) + 1)) || (st->c[(((st->pa ? *st->pa : 5)) & 31)] != shared)));
      if ((((i64)st->kind ? st->sum : ev->arg[3]) ? (v2 * k2) : (i64)__builtin_bswap32((u32)(table[limit((u64)(table[14]), 24)])))) break;
    }
    v0 ^= ev->arg[3];
  }
  if ((i64)(u64)(st->pairs[limit((u64)(__builtin_popcountll((u64)(v3))), 4)].in.p)) {
    if (((st->pa ? *st->pa : 5) || (divide_r((u64)(st->grid[((u64)(table[limit((u64)(v1), 24)]) % 6u)][((ev->arg[0]) & 1)]), (u64)(table[limit((u64)(v3), 24)])) < v1))) {
      st->sum += (i64)(u32)((v0 != (i64)0x3));
      st->sum = st->flag;
    } else {
      v0 *= st->sum;
    }
  } else {
    st->sum -= ((ev->arg[3] & (v3 ? 31 : ev->arg[2])) * st->sum);
  }
  v1 ^= v1;
  return v0 + v1 * 3 + v2 - v3;
}
WARD_ENTRY("x!y")
void probe_27(const struct ward_event *ev, struct ward_state *st)
{
  u64 v0 = (i64)0x1022;
  i32 v1 = (i64)0xc76;
  u64 v2 = (i64)0xc07;
  i8 v3 = (i64)0x14e3;
  if (!st->head) {
    for (u32 i = 0; i + 1 < 10; i++) st->pool[i].next = st->pool[i].kid[i & 1] = &st->pool[i + 1];
    st->head = st->pool;
  }
  switch ((st->d[((u64)(v1) % 44u)]) & 7) {
  case 0:
    { u32 a0 = (u32)((i64)__builtin_clz(1 | (u32)((table[9] | table[19])))) % 10u, b0 = a0 + 1 + (u32)((i64)(i16)((i64)(!((i64)0x3b7c41)))) % 10u; st->pool[a0].kid[0] = b0 < 10 ? &st->pool[b0] : 0; }
    break;
  case 1:
    st->sum -= (ev->arg[2] ^ ((i64)(i32)(ev->arg[5]) || (global[((u64)(v1) % 1u)] | global[limit((u64)(st->sum), 0)])));
    st->pw = 0;
    { u32 i1 = (u32)limit((u32)(divide_r((u64)((v0 + st->a[((u64)(st->d[((0) & 31)]) % 3u)])), (u64)((ev->arg[2] ? (st->pw ? st->pw->h[((u64)(table[limit((u64)(ev->arg[4]), 24)]) % 2u)] : 7) : v1)))), sizeof(st->a)); u32 n1 = (u32)limit((u32)((i64)0x7e5bd), sizeof(st->a) - i1); if (n1 <= sizeof(global)) memcpy(global, (u8 *)st->a + i1, n1); }
  case 2:
    { u64 t2[10] = {55, 29}; t2[((u64)(255) % 10u)] += (i64)0xddab; v1 += t2[((((i64)0xb2d9 > st->c[34])) & 7)]; }
    { u8 *a4 = (u8 *)st->c, *b4 = (u8 *)st->b; u32 n4 = limit((u64)(v1), sizeof(st->c) < sizeof(st->b) ? sizeof(st->c) : sizeof(st->b)); u32 k4 = 0; for (; k4 < n4; k4++) if (a4[k4] != b4[k4]) break; v0 ^= k4; }
    break;
  case 3:
    if (((((i64)0xf8fa960d83 | v0) || v1) ^ v0)) {
      WARD_BOUND(64) for (struct node *p5 = st->head; p5; p5 = p5->next) {
        p5->small[0] ^= p5->small[((u64)(((i64)(st->d[((u64)(v0) % 44u)]) << ((v2) & 63))) % 4u)] + (i16)((i64)(i64)((v2 ? ev->arg[4] : st->grid[limit((u64)(table[((u64)(st->c[14]) % 25u)]), 5)][((u64)(v1) % 3u)])));
        p5->value += ((i64)((st->sum ? v3 : v1)) >> (((st->c[3] ^ st->pairs[((u64)((st->pp ? st->pp->w : 0)) % 5u)].y)) & 63));
        if (p5->key == 1) { st->cursor = p5; break; }
      }
      { u32 a6 = (u32)(divide_q((u64)((i64)__builtin_bswap32((u32)(ev->arg[3]))), (u64)((i64)(i16)(v0)))) % 10u, b6 = a6 + 1 + (u32)((__builtin_popcountll((u64)(v1)) - (st->b[((ev->arg[5]) & 31)] >= v0))) % 10u; st->pool[a6].kid[0] = b6 < 10 ? &st->pool[b6] : 0; }
      __builtin_memcpy(st->b, table, sizeof(st->b) < sizeof(table) ? sizeof(st->b) : sizeof(table));
    }
    st->d[((u64)((i64)0x67c6) % 44u)] += (((ev->arg[5] ^ (st->pp ? st->pp->x : 3)) && divide_r((u64)(ev->arg[0]), (u64)(v1))) & ((255 ^ st->b[6]) & (i64)(u64)(v3)));
    { u32 i8 = limit((u64)((i64)__builtin_bswap32((u32)(((u32)(v1) / (i64)(((v0) & 0xffff) + 1))))), sizeof(st->c)); u64 n8 = limit((u64)((((i64)st->kind * (i64)0x59bd5da6d) & ev->arg[4])), sizeof(st->c) - i8); u8 *p8 = memchr((u8 *)st->c + i8, (i32)(((i64)(u32)(31) & (st->c[((v3) & 31)] | table[9]))), n8); if (p8) { *p8 += 7; v0 += p8 - (u8 *)st->c; } }
    break;
  case 4:
    v3 |= st->words[1].b[7];
    st->sum = v0;
    break;
  default: v0++;
  }
  for (u32 k9 = 0; k9 < 2; k9++) {
    v2 += f1(ev, st, (i64)(divide_q((u64)(shared), (u64)(((i64)0x6285 & (i64)0x256e0b1ceeac)))), (u32)(((table[((u64)(table[limit((u64)(1), 24)]) % 25u)] ? ev->arg[3] : st->sum) && (ev->arg[2] ? v3 : st->words[((v0) & 1)].q[2]))));
    st->sum *= (((i64)(global[((st->pairs[limit((u64)(v3), 4)].in.p) & 0)]) << ((v1) & 63)) - v3);
    if (divide_q((u64)((i64)(i16)((i64)st->kind)), (u64)(((i8)((i64)0x30964e6) % (i64)((((i64)st->bits.a) & 0xffff) + 1))))) break;
  }
  { u32 i10 = (u32)((u64)((i64)(!((i64)(i16)(ev->arg[2])))) % ((u64)(sizeof(st->c)) + 1)); u32 n10 = (u32)((u64)(((st->e[13] < v3) & ((u8)(ev->arg[4]) / (i64)(((st->a[2]) & 0xffff) + 1)))) % ((u64)(sizeof(st->c) - i10) + 1)); memset((u8 *)st->c + i10, (i32)((i64)0x1a3a44808252), n10); }
  switch ((((st->words[2].w | shared) ? ((u8)(st->a[((u64)(table[limit((u64)((st->pb ? (i64)(st->pb - st->b) : -1)), 24)]) % 3u)]) / (i64)(((4096) & 0xffff) + 1)) : (st->sum ? v2 : v3))) & 7) {
  case 0:
    st->pb = &st->b[limit((u64)(v0), 49)];
  case 1:
    st->b[((v3) & 31)] += table[limit((u64)((mul((i64)((i64)0x6c5ac), (i64)((st->pp ? st->pp->y : 7))) <= divide_q((u64)(global[0]), (u64)((st->pa ? *st->pa : 1))))), 24)];
    break;
  case 2:
    for (u32 k11 = 0; k11 < 6; k11++) for (u32 j11 = k11; j11 < 3; j11++) st->grid[k11][j11] += (i32)(v2);
    st->a[0] = (i64)(i8)(subs((i64)(st->a[limit((u64)(v0), 2)]), (i64)((ev->arg[4] | (i64)0x7e4f5c7))));
    break;
  case 3:
    st->sum = (i64)__builtin_ffsll((i64)(v1));
    st->d[14] *= ((u32)(v0) % (i64)(((st->sum) & 0xffff) + 1));
    shared |= v0;
    break;
  default: v0++;
  }
  v1 |= (st->pw ? st->pw->h[((u64)((i64)__builtin_ffsll((i64)((0x7fffffffffffffff + (st->pp ? st->pp->y : 5))))) % 2u)] : 7);
  st->sum += v0 ^ v1 ^ v2 ^ v3;
}
