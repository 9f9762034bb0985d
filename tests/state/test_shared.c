/* SPDX-License-Identifier: Apache-2.0 */
/* What threads share: found in the debug information, believed only within the module's data, and read from there. */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loader/base/shared_part.h"
#include "loader/state/partial.h"

enum { STATE_SIZE = 8 };

static const char *const compiled[] = {"shared-gcc-dwarf4.so", "shared-clang-19-dwarf5.so"};
enum { COMPILED = sizeof(compiled) / sizeof(compiled[0]) };

static unsigned char *read_fixture(const char *name, size_t *size)
{
	char path[512];
	snprintf(path, sizeof(path), FIXTURES "/%s", name);
	FILE *f = fopen(path, "rb");
	cr_assert(f, "%s", path);
	cr_assert_eq(fseek(f, 0, SEEK_END), 0);
	*size = (size_t)ftell(f);
	rewind(f);
	unsigned char *image = malloc(*size + 1);
	cr_assert_eq(fread(image, 1, *size, f), *size);
	fclose(f);
	return image;
}

static struct state_data data_of(const unsigned char *image)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)(image + ehdr->e_phoff);
	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_W)
			return (struct state_data){.address = phdr[i].p_vaddr, .size = phdr[i].p_memsz};
	cr_assert(0, "no data");
	return (struct state_data){0};
}

static const struct state_field *find(const struct state_field *fields, long n, const char *name)
{
	for (long i = 0; i < n; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

Test(shared, described)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	for (size_t i = 0; i < COMPILED; i++) {
		size_t size;
		unsigned char *image = read_fixture(compiled[i], &size);
		struct state_data data = data_of(image);
		long n = state_describe_all(
			image, size, "ward_state", "", STATE_SIZE, &data, fields, STATE_MAX_FIELDS, &notes);
		const struct state_field *open = find(fields, n, "shared.open"),
					 *begun = find(fields, n, "shared.begun"),
					 *wide = find(fields, n, "shared.wide"), *calls = find(fields, n, "calls");
		cr_assert(open && begun && wide && calls, "%s", compiled[i]);
		cr_expect_eq(n, 7, "%s: %ld", compiled[i], n); /* with the key and the two values of `wide` */
		cr_expect(!calls->is_shared);
		cr_expect(open->is_shared && open->size == 8);
		cr_expect(open->kind == WARD_FIELD_COUNT || i == 0); /* gcc drops the typedef below _Atomic */
		cr_expect(begun->is_shared && begun->kind == WARD_FIELD_MAP && begun->map.buckets == 4);
		cr_expect(begun->map.n == 64 && begun->map.stride == 16 && begun->n_keys == 0);
		cr_expect(wide->map.buckets == 1 && wide->map.n == 8 && wide->n_keys == 1 && wide->n_values == 2);
		cr_assert_eq(notes.n, 1u);
		cr_expect_str_eq(notes.unshown[0].name, "shared.spoilt");
		cr_expect_eq(notes.unshown[0].why, (uint32_t)STATE_WHY_SHARED);
		/* Where the data ends before, there is none of it; nor is there without data. */
		data.size = open->offset + 7;
		cr_expect_eq(state_describe_all(
				     image, size, "ward_state", "", STATE_SIZE, &data, fields, STATE_MAX_FIELDS, NULL),
			1);
		cr_expect_eq(
			state_describe(image, size, "ward_state", "", STATE_SIZE, fields, STATE_MAX_FIELDS, NULL), 1);
		free(image);
	}
}

/* The merger relies on this of control words. */
Test(shared, valid)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	struct state_data data = data_of(image);
	long n = state_describe_all(image, size, "ward_state", "", STATE_SIZE, &data, fields, STATE_MAX_FIELDS, NULL);
	const struct state_field good = *find(fields, n, "shared.begun");
	struct state_field f = good;
	cr_expect(state_field_valid(&f, data.size));
	f.map.buckets = 3;
	cr_expect_not(state_field_valid(&f, data.size), "slots that are in no bucket");
	f.map.buckets = 2;
	cr_expect_not(state_field_valid(&f, data.size), "more slots than a control word is of");
	f = good;
	f.map.buckets = f.map.n;
	f.map.control.offset = f.offset + f.size - 8;
	cr_expect_not(state_field_valid(&f, data.size), "control words behind the field");
	f = good;
	f.map.control.offset = f.offset - 8;
	cr_expect_not(state_field_valid(&f, data.size), "control words before the field");
	f = good;
	f.map.control.size = 4;
	cr_expect_not(state_field_valid(&f, data.size), "half of a word");
	f = good;
	f.map.used = (struct state_int){.size = 8};
	cr_expect_not(state_field_valid(&f, data.size), "what slots of other maps have");
	f = good;
	f.map.other = f.offset + 16;
	cr_expect_not(state_field_valid(&f, data.size), "nor is there one more value");
	free(image);
}

/* Each byte of the debug information is changed: what comes out may be believed all the same. */
Test(shared, flipped)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	static const unsigned char patterns[] = {0x01, 0x40, 0x80, 0xff};
	size_t changed = 0, size;
	unsigned char *image = read_fixture(compiled[1], &size);
	struct state_data data = data_of(image);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)image;
	const Elf64_Shdr *shdr = (const Elf64_Shdr *)(image + ehdr->e_shoff);
	const char *names = (const char *)image + shdr[ehdr->e_shstrndx].sh_offset;
	for (int s = 0; s < ehdr->e_shnum; s++) {
		const char *name = names + shdr[s].sh_name;
		if (strcmp(name, ".debug_info") && strcmp(name, ".debug_abbrev") && strcmp(name, ".debug_addr"))
			continue;
		for (size_t i = 0; i < shdr[s].sh_size * 4; i++) {
			unsigned char *byte = image + shdr[s].sh_offset + i / 4;
			*byte ^= patterns[i % 4];
			notes.n = 0;
			notes.names.n = 0;
			size_t n = state_types_read(
				image, size, "ward_state", "", STATE_SIZE, &data, fields, STATE_MAX_FIELDS, &notes);
			for (size_t j = 0; j < n; j++)
				if (fields[j].part == STATE_WHOLE)
					cr_assert(state_field_valid(
							  &fields[j], fields[j].is_shared ? data.size : STATE_SIZE),
						"%s + %zu", name, i / 4);
			changed += n != 7;
			*byte ^= patterns[i % 4];
		}
	}
	cr_expect_gt(changed, 100u);
	free(image);
}

/* A file of no more than a section .ward.shared and the names. */
struct file {
	Elf64_Ehdr header;
	Elf64_Shdr section[3];
	char names[32];
	struct {
		uint32_t version, zero;
		uint64_t offset, size;
	} part;
};

static struct file good_file(void)
{
	struct file f = {
		.header = {.e_shoff = offsetof(struct file, section),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 3,
			.e_shstrndx = 1},
		.section = {{0},
			{.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, names), .sh_size = sizeof(f.names)},
			{.sh_name = 1,
				.sh_type = SHT_PROGBITS,
				.sh_offset = offsetof(struct file, part),
				.sh_size = sizeof(f.part)}},
		.names = "\0.ward.shared",
		.part = {.version = 1, .offset = 4096, .size = 5000},
	};
	return f;
}

/* What the file says is a part of a state of four pages, in whole pages, or nothing. */
static uint32_t part_size(const struct file *f, size_t size)
{
	struct wl_shared_part part = wl_shared_part(f, size, 4 * 4096);
	if (!part.size)
		return 0;
	cr_assert(part.offset && part.offset % 4096 == 0);
	cr_assert_leq(part.offset + (uint64_t)wl_shared_pages(&part), 4 * 4096u);
	return part.size;
}

Test(shared, part_of_state)
{
	struct file f = good_file();
	cr_expect_eq(part_size(&f, sizeof(f)), 5000u);
	f.part.size = 3 * 4096;
	cr_expect_eq(part_size(&f, sizeof(f)), 3 * 4096u);
	f.part.size++;
	cr_expect_eq(part_size(&f, sizeof(f)), 0u, "more than the state has");
	f.part.size = UINT64_MAX;
	cr_expect_eq(part_size(&f, sizeof(f)), 0u);
	f = good_file();
	f.part.offset = 0;
	cr_expect_eq(part_size(&f, sizeof(f)), 0u, "there is the author's struct");
	f.part.offset = 4097;
	cr_expect_eq(part_size(&f, sizeof(f)), 0u);
	f.part.offset = UINT64_MAX - 4095;
	cr_expect_eq(part_size(&f, sizeof(f)), 0u);
	f = good_file();
	f.part.version = 2;
	cr_expect_eq(part_size(&f, sizeof(f)), 0u);
	f = good_file();
	for (size_t n = 0; n < sizeof(f); n++) {
		unsigned char *exact = malloc(n ? n : 1);
		memcpy(exact, &f, n);
		cr_assert_eq(part_size((const struct file *)(const void *)exact, n), 0u, "%zu bytes", n);
		free(exact);
	}
	for (size_t i = 0; i < sizeof(f) * 8; i++) {
		unsigned char *exact = malloc(sizeof(f));
		memcpy(exact, &f, sizeof(f));
		exact[i / 8] ^= (unsigned char)(1u << i % 8);
		part_size((const struct file *)(const void *)exact, sizeof(f));
		free(exact);
	}
}

/* A schema of a module that has other data reads nothing. */
Test(shared, read)
{
	static struct state_field fields[STATE_MAX_FIELDS];
	static struct state_notes notes;
	size_t size;
	unsigned char *image = read_fixture(compiled[0], &size);
	struct state_data data = data_of(image);
	struct ward_schema schema = {.fields = fields, .notes = &notes};
	schema.n = (size_t)state_describe_all(
		image, size, "ward_state", "", STATE_SIZE, &data, fields, STATE_MAX_FIELDS, NULL);
	const struct state_field *open = find(fields, (long)schema.n, "shared.open"),
				 *begun = find(fields, (long)schema.n, "shared.begun");
	unsigned char *one = calloc(1, data.size), *two = calloc(1, data.size);
	const void *processes[] = {one, two};
	memcpy(one + open->offset, &(uint64_t){5}, 8);
	memcpy(two + open->offset, &(uint64_t){7}, 8);
	/* Slot 2 of bucket 1 is used, slot 3 claimed, slot 4 a counter; in the other process slot 0 of bucket 0. */
	memcpy(one + begun->map.control.offset + 8, &(uint64_t){2u << 4 | 1u << 6 | 3u << 8}, 8);
	for (uint32_t s = 18; s <= 20; s++)
		memcpy(one + begun->map.slots + s * 16, ((uint64_t[]){s, s * 10}), 16);
	memcpy(two + begun->map.control.offset, &(uint64_t){2}, 8);
	memcpy(two + begun->map.slots, ((uint64_t[]){20, 1}), 16);
	struct states all = {.shared = processes, .n_shared = 2, .shared_size = data.size};
	ward_snapshot *snapshot;
	cr_assert_eq(snapshot_merge(&schema, &all, STATE_SIZE, &snapshot, NULL), 0);
	cr_expect_eq(ward_snapshot_field(snapshot, 1)->value, 12u);
	const struct ward_field *map = ward_snapshot_field(snapshot, 2);
	cr_assert_eq(map->n, 2u);
	cr_expect(map->entries[0].key == 20 && map->entries[0].value == 201);
	cr_expect(map->entries[1].key == 18 && map->entries[1].value == 180);
	ward_snapshot_free(snapshot);
	all.shared_size = begun->offset;
	cr_assert_eq(snapshot_merge(&schema, &all, STATE_SIZE, &snapshot, NULL), 0);
	cr_expect_eq(ward_snapshot_field(snapshot, 1)->value, 12u);
	cr_expect_eq(ward_snapshot_field(snapshot, 2)->n, 0u);
	ward_snapshot_free(snapshot);
	free(one);
	free(two);
	free(image);
}
