/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How each view of a number tightens the others (wv_num_sync). Other tests prove that no value gets lost (tests/z3,
 * tests/oracle); this one shows that no tightening is left out. In each row one view tightens another only after that
 * one has been read, so a second round is needed.
 */
#include <inttypes.h>

#include <criterion/criterion.h>

#include "verifier/domain/num.h"

#define U_ANY 0, UINT64_MAX
#define S_ANY INT64_MIN, INT64_MAX
#define LU_ANY 0, UINT32_MAX
#define LS_ANY INT32_MIN, INT32_MAX

static const struct {
	const char *what;
	struct wv_num before;
	uint64_t umin, umax;
	int64_t smin, smax;
} rows[] = {
	{"a low end that lacks a known bit", {U_ANY, -2, INT64_MAX, LU_ANY, INT32_MIN, -2, 0, 0, 0, 0}, 0x80000000,
		UINT64_MAX, -2, INT64_MAX},
	{"a high end that has bits too many", {U_ANY, INT64_MIN, 0, 0, 16, LS_ANY, 0, 0, 0, 0}, 0, 0xffffffff0000001f,
		INT64_MIN, 0},
	{"a low end of the lower half that lacks a known bit",
		{U_ANY, INT64_C(1) << 31, INT64_MAX, LU_ANY, INT32_MIN, -1, 0x7fffffff, 0x7ffffff8, 0, 0}, 0xfffffff8,
		0x7ffffffffffffff8, 0xfffffff8, 0x7ffffffffffffff8},
	{"a signed low end that lacks known bits",
		{INT64_MAX, UINT64_MAX, S_ANY, UINT32_MAX, UINT32_MAX, LS_ANY, 0, 0, 0, 0}, INT64_MAX, UINT64_MAX,
		-0x7fffffff00000001, INT64_MAX},
	{"a signed high end that has bits too many", {0, UINT64_C(1) << 63, S_ANY, 0, 0, LS_ANY, 0, 0, 0, 0}, 0,
		UINT64_C(1) << 63, INT64_MIN, 0x7fffffff00000000},
	{"signed ends that leave one value", {U_ANY, -1, 10, UINT32_C(1) << 31, UINT32_MAX, LS_ANY, 0, 0, 0, 0},
		UINT64_MAX, UINT64_MAX, -1, -1},
	{"signed ends that are below 0",
		{U_ANY, INT64_MIN, INT64_C(1) << 31, UINT32_MAX, UINT32_MAX, LS_ANY, 0, 0, 0, 0}, 0x80000000ffffffff,
		UINT64_MAX, -0x7fffffff00000001, -1},
	{"signed ends that are not", {U_ANY, INT32_MIN, INT64_MAX, 0, 0, LS_ANY, 0, 0, 0, 0}, 0, 0x7fffffff00000000, 0,
		0x7fffffff00000000},
	{"unsigned ends that come to be of one sign", {1, UINT64_C(1) << 63, S_ANY, LU_ANY, LS_ANY, 0, 0, 2, 1}, 1,
		INT64_MAX, 1, INT64_MAX},
	{"a low end that the lower half raises",
		{U_ANY, S_ANY, LU_ANY, 4, INT32_MAX, 0xffffffff80000001, UINT64_C(1) << 63, 0, 0}, 0x8000000000000004,
		0x800000007ffffffe, -0x7ffffffffffffffc, -0x7fffffff80000002},
	{"a high end that the lower half lowers",
		{U_ANY, S_ANY, LU_ANY, INT32_MIN, 4, 0xfffffffffffffff8, UINT64_C(1) << 63, 0, 0}, UINT64_C(1) << 63,
		0x8000000000000004, INT64_MIN, -0x7ffffffffffffffc},
	{"a low end without the remainder", {0, UINT64_C(1) << 31, S_ANY, LU_ANY, 8, INT32_MAX, 0, 0, 6, 1}, 13,
		0x7fffffff, 8, 0x7fffffff},
	{"a high end without the remainder", {0, UINT64_C(1) << 31, S_ANY, LU_ANY, INT32_MIN, 100, 0, 0, 2, 1}, 1, 99,
		1, 100},
	{"nothing is known", {U_ANY, S_ANY, LU_ANY, LS_ANY, 0, 0, 0, 0}, U_ANY, S_ANY},
};

Test(num, settles)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wv_num n = rows[i].before;
		cr_assert(wv_num_sync(&n), "%s: no value is left", rows[i].what);
		cr_expect(n.umin == rows[i].umin && n.umax == rows[i].umax && n.smin == rows[i].smin &&
				  n.smax == rows[i].smax,
			"%s: [%#" PRIx64 ", %#" PRIx64 "] signed [%" PRId64 ", %" PRId64 "]", rows[i].what, n.umin,
			n.umax, n.smin, n.smax);
	}
}

Test(num, contradictions)
{
	struct wv_num n = wv_num_range(1, 3), other = wv_num_range(4, 5);
	cr_expect(!wv_num_meet(&n, &other));
	n = wv_num_any();
	n.smin = n.smax = -1;
	n.mod = 2;
	cr_expect(!wv_num_sync(&n), "-1 is odd");
}
