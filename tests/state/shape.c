/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct shape_state, member)
#define SIZE(member) sizeof(((struct shape_state *)0)->member)
#define AT_IN(map, member) (AT(map[0].member) - AT(map[0]))
#define INT(member) {.offset = AT(member), .size = SIZE(member)}
#define SIGNED(member) {.offset = AT(member), .size = SIZE(member), .is_signed = true}
#define INT_IN(map, member) {.offset = AT_IN(map, member), .size = SIZE(map[0].member)}
#define SIGNED_IN(map, member) {.offset = AT_IN(map, member), .size = SIZE(map[0].member), .is_signed = true}
#define OF(member) .offset = AT(member), .size = SIZE(member)
#define OF_IN(map, member) .offset = AT_IN(map, member), .size = SIZE(map[0].member)
#define SLOTS_OF(map) .slots = AT(map), .stride = SIZE(map[0]), .n = SIZE(map) / SIZE(map[0])

static struct state_field fields[] = {
	{.name = "calls", .kind = WARD_FIELD_COUNT, OF(calls), .scalar = INT(calls)},
	{.name = "bytes", .kind = WARD_FIELD_LOG2, OF(bytes), .scalar = INT(bytes[0])},
	{.name = "by_fd",
		.kind = WARD_FIELD_MAP,
		.offset = AT(lost),
		.size = 8 + SIZE(by_fd),
		.map = {SLOTS_OF(by_fd), .lost = INT(lost), .used = INT_IN(by_fd, used), .key = SIGNED_IN(by_fd, key),
			.value = INT_IN(by_fd, value)}},
	{.name = "least", .kind = WARD_FIELD_MIN, OF(least), .scalar = INT(least)},
	{.name = "mood", .kind = WARD_FIELD_MAX, OF(mood), .scalar = SIGNED(mood)},
	{.name = "times",
		.kind = WARD_FIELD_STAT,
		OF(times),
		.scalar = SIGNED(times.sum),
		.count = INT(times.count),
		.high = INT(times.high),
		.min = SIGNED(times.min),
		.max = SIGNED(times.max)},
	{.name = "sizes",
		.kind = WARD_FIELD_LINEAR,
		OF(sizes),
		.scalar = INT(sizes[0]),
		.n = SHAPE_BUCKETS,
		.lo = -4,
		.step = 2},
	{.name = "waits",
		.kind = WARD_FIELD_QUANTILES,
		.offset = AT(waits),
		.size = SIZE(waits) + 16,
		.scalar = INT(waits[0]),
		.min = INT(waits_least),
		.max = INT(waits_most),
		.n = SHAPE_QUANTILES,
		.precision = 2},
	{.name = "smooth",
		.kind = WARD_FIELD_MEAN,
		.offset = AT(smooth_count),
		.size = 16,
		.count = INT(smooth_count),
		.scalar = INT(smooth),
		.precision = 4},
	{.name = "gate",
		.kind = WARD_FIELD_GATE,
		.offset = AT(passed),
		.size = 16,
		.scalar = INT(passed),
		.count = INT(refused)},
	{.name = "keys", .kind = WARD_FIELD_DISTINCT, OF(keys), .scalar = INT(keys[0]), .n = SHAPE_REGISTERS},
	{.name = "hot",
		.kind = WARD_FIELD_TOP,
		OF(hot),
		.n_keys = 1,
		.map = {SLOTS_OF(hot), .used = INT_IN(hot, count), .error = INT_IN(hot, error)}},
	{.name = "key", .kind = WARD_FIELD_VALUE, .part = STATE_KEY, OF_IN(hot, key), .scalar = INT_IN(hot, key)},
	{.name = "seen",
		.kind = WARD_FIELD_CHOPSTIX,
		.offset = AT(seen_samples),
		.size = 16 + SIZE(seen),
		.n_keys = 1,
		.map = {SLOTS_OF(seen), .used = INT_IN(seen, count), .evicted = INT(seen_samples),
			.events = INT(seen_events)}},
	{.name = "key", .kind = WARD_FIELD_VALUE, .part = STATE_KEY, OF_IN(seen, key), .scalar = INT_IN(seen, key)},
	{.name = "last",
		.kind = WARD_FIELD_RING,
		.offset = AT(next),
		.size = 8 + SIZE(last),
		.n_values = 1,
		.map = {SLOTS_OF(last), .used = INT_IN(last, number), .evicted = INT(next), .value_offset = 8,
			.value_size = 8}},
	{.name = "time",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_VALUE,
		OF_IN(last, time),
		.scalar = INT_IN(last, time)},
	{.name = "title", .kind = WARD_FIELD_TEXT, OF(title), .scalar = INT(title[0]), .n = SIZE(title)},
	{.name = "table",
		.kind = WARD_FIELD_ARRAY,
		OF(table),
		.n_values = 1,
		.map = {SLOTS_OF(table), .value_size = SIZE(table[0])}},
	{.name = "value", .kind = WARD_FIELD_COUNT, .part = STATE_VALUE, .size = 2, .scalar = {.size = 2}},
	{.name = "total", .kind = WARD_FIELD_WIDE, OF(total), .scalar = SIGNED(total[0])},
	{.name = "real", .kind = WARD_FIELD_REAL, OF(real), .scalar = INT(real)},
	{.name = "by_file",
		.kind = WARD_FIELD_MAP,
		.offset = AT(file_lost),
		.size = AT(by_address) - AT(file_lost),
		.n_keys = 2,
		.n_values = 1,
		.map = {SLOTS_OF(by_file), .lost = INT(file_lost), .used = INT_IN(by_file, used),
			.value_offset = AT_IN(by_file, count), .value_size = 40, .other = AT(other_count)}},
	{.name = "name",
		.kind = WARD_FIELD_TEXT,
		.part = STATE_KEY,
		OF_IN(by_file, name),
		.scalar = INT_IN(by_file, name[0]),
		.n = SIZE(by_file[0].name)},
	{.name = "how",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_KEY,
		OF_IN(by_file, how),
		.scalar = SIGNED_IN(by_file, how)},
	{.name = "value",
		.kind = WARD_FIELD_STAT,
		.part = STATE_VALUE,
		.offset = AT_IN(by_file, count),
		.size = 40,
		.scalar = SIGNED_IN(by_file, sum),
		.count = INT_IN(by_file, count),
		.high = INT_IN(by_file, high),
		.min = SIGNED_IN(by_file, min),
		.max = SIGNED_IN(by_file, max)},
	{.name = "by_address",
		.kind = WARD_FIELD_MAP,
		OF(by_address),
		.n_keys = 3,
		.n_values = 2,
		.map = {SLOTS_OF(by_address), .used = INT_IN(by_address, used),
			.value_offset = AT_IN(by_address, value), .value_size = 66 * 8}},
	{.name = "address",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_KEY,
		OF_IN(by_address, address),
		.scalar = {.offset = AT_IN(by_address, address), .size = 8, .is_address = true}},
	{.name = "site",
		.kind = WARD_FIELD_VALUE,
		.part = STATE_KEY,
		OF_IN(by_address, site),
		.scalar = {.offset = AT_IN(by_address, site), .size = 8, .is_site = true}},
	{.name = "wide",
		.kind = WARD_FIELD_WIDE,
		.part = STATE_KEY,
		OF_IN(by_address, wide),
		.scalar = SIGNED_IN(by_address, wide[0])},
	{.name = "value",
		.kind = WARD_FIELD_COUNT,
		.part = STATE_VALUE,
		OF_IN(by_address, value),
		.scalar = INT_IN(by_address, value)},
	{.name = "bucket",
		.kind = WARD_FIELD_LOG2,
		.part = STATE_VALUE,
		OF_IN(by_address, bucket),
		.scalar = INT_IN(by_address, bucket[0])},
};

struct ward_schema shape_schema = {.n = sizeof(fields) / sizeof(fields[0]), .fields = fields};

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 33) % below;
}

void shape_fill(struct shape_state *s, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	s->calls = draw(&seed, 1000);
	s->lost = draw(&seed, 3);
	s->least = ~draw(&seed, 100);
	s->mood = (uint32_t)-draw(&seed, 5);
	s->times.count = 3;
	s->times.sum = -draw(&seed, 50);
	s->times.high = UINT64_MAX;
	s->times.min = -40;
	s->times.max = (int64_t)draw(&seed, 9);
	s->waits_least = ~2ull, s->waits_most = 90;
	s->smooth_count = 20, s->smooth = draw(&seed, 5000);
	s->passed = 7, s->refused = draw(&seed, 90);
	s->seen_samples = 20, s->seen_events = 400;
	s->file_lost = 1, s->other_count = 2, s->other_sum = 9, s->other_min = 4, s->other_max = 5;
	s->total[0] = draw(&seed, 90);
	s->real = 0x3fc00000; /* 1.5 */
	snprintf(s->title, sizeof(s->title), "run %u", (unsigned)draw(&seed, 100));
	for (unsigned i = 0; i < 6; i++) {
		s->bytes[5 + draw(&seed, 9)]++;
		s->sizes[draw(&seed, SHAPE_BUCKETS)]++;
		s->waits[20 + draw(&seed, 30)]++;
		s->keys[draw(&seed, SHAPE_REGISTERS)] = (uint8_t)(1 + draw(&seed, 20));
		s->table[draw(&seed, SHAPE_ELEMENTS)] = (uint16_t)(1 + draw(&seed, 300));
	}
	for (unsigned i = 0; i < SHAPE_SLOTS; i++) {
		s->by_fd[i].used = 1;
		s->by_fd[i].key = (int32_t)draw(&seed, 12) - 3;
		s->by_fd[i].value = draw(&seed, 100);
		s->hot[i].count = 1 + draw(&seed, 50);
		s->hot[i].key = draw(&seed, 12);
		s->seen[i].count = draw(&seed, 20);
		s->seen[i].key = draw(&seed, 12);
		s->by_file[i].used = 1;
		s->by_file[i].how = (int16_t)(draw(&seed, 4) - 2);
		snprintf(s->by_file[i].name, sizeof(s->by_file[i].name), "file%u", (unsigned)draw(&seed, 6));
		s->by_file[i].count = 2;
		s->by_file[i].min = -(int64_t)draw(&seed, 9);
		s->by_file[i].max = (int64_t)draw(&seed, 9);
	}
	for (unsigned i = 0; i < 4; i++) {
		s->by_address[i].used = 1;
		s->by_address[i].address = 0x401000 + 16 * draw(&seed, 3);
		s->by_address[i].site = draw(&seed, 2);
		s->by_address[i].wide[0] = draw(&seed, 4);
		s->by_address[i].value = i;
		s->by_address[i].bucket[3 + i] = 1;
		s->last[i].number = i + 1;
		s->last[i].time = draw(&seed, 1000);
	}
	s->next = 4;
}
