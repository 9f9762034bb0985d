/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"
#include "tests/kernel/module/words.h"
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static uint8_t *put(uint8_t *at, const void *bytes, size_t n)
{
	memcpy(at, bytes, n);
	return at + n;
}

#define PUT(at, ...) put(at, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static uint8_t *put_number(uint8_t *at, uint32_t number)
{
	return put(at, &number, sizeof(number));
}

/* The i-th probe, which reads these words. */
static uint8_t *put_probe(uint8_t *at, unsigned i, uint32_t fields)
{
	uint32_t sums = i * (uint32_t)sizeof(struct sums);

	at = put_number(PUT(at, 0x48, 0xff, 0x86), sums); /* inc qword [rsi + ...] */
	for (unsigned w = 0; w < WORDS; w++) {
		if (!(fields >> w & 1))
			continue;
		at = PUT(at, 0x48, 0x8b, 0x47, (uint8_t)(w * 8));               /* mov rax, [rdi + ...] */
		at = put_number(PUT(at, 0x48, 0x01, 0x86), sums + (w + 1) * 8); /* add [rsi + ...], rax */
	}
	/* xor ecx, ecx and so on: edx, esi, edi, r8 to r11; mov eax, 1; ret */
	return PUT(at, 0x31, 0xc9, 0x31, 0xd2, 0x31, 0xf6, 0x31, 0xff, 0x45, 0x31, 0xc0, 0x45, 0x31, 0xc9, 0x45, 0x31,
		0xd2, 0x45, 0x31, 0xdb, 0xb8, 1, 0, 0, 0, 0xc3);
}

int make_machine(struct machine *m, const uint32_t *fields, unsigned n)
{
	static uint8_t image[2 * WARD_K_PAGE];
	uint8_t *at = image;

	*m = (struct machine){.fd = open(WARD_DEVICE, O_RDWR | O_CLOEXEC)};
	CHECK(m->fd >= 0 && n <= MOST, "%s", strerror(errno));
	for (unsigned i = 0; i < n; i++) {
		m->entry[i] = (struct ward_k_entry){.offset = (uint32_t)(at - image),
			.max_insns = 64,
			.event_fields = fields[i],
			.clobbers = WARD_K_MAY_CLOBBER};
		at = put_probe(at, i, fields[i]);
		CHECK(at < image + sizeof(image) - 256, "it fits");
	}
	m->l = (struct ward_k_load){.size = sizeof(m->l),
		.abi = WARD_ABI,
		.image = (uintptr_t)image,
		.image_size = sizeof(image),
		.text_size = (uint32_t)(at - image),
		.entries = (uintptr_t)m->entry,
		.n_entries = n,
		.state_size = n * (uint32_t)sizeof(struct sums)};
	if (ioctl(m->fd, WARD_K_LOAD, &m->l) < 0) {
		int error = errno;

		close(m->fd);
		return error;
	}
	m->map = mmap(NULL, m->l.map_size, PROT_READ, MAP_SHARED, m->fd, 0);
	CHECK(m->map != MAP_FAILED, "%s", strerror(errno));
	return 0;
}

struct machine machine_of(const uint32_t *fields, unsigned n)
{
	struct machine m;
	int error = make_machine(&m, fields, n);

	CHECK(error == 0, "%s", strerror(error));
	return m;
}

struct sums sums_of(const struct machine *m, unsigned entry)
{
	struct sums all = {0};

	for (uint32_t cpu = 0; cpu < m->l.processors; cpu++) {
		const struct sums *s =
			(const struct sums *)(m->map + m->l.states_offset + (size_t)cpu * m->l.state_stride) + entry;

		all.runs += s->runs;
		for (unsigned w = 0; w < WORDS; w++)
			all.word[w] += s->word[w];
	}
	return all;
}

uint64_t dropped(const struct machine *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->l.processors; i++)
		n += ((const struct ward_k_tally *)(m->map + (size_t)(1 + i) * WARD_K_TALLY_SIZE))->dropped;
	return n;
}

uint32_t hook(struct machine *m, unsigned entry, const uint64_t *sites, uint32_t n, uint32_t where)
{
	struct ward_k_attach a = {.size = sizeof(a),
		.entry = entry,
		.sites = (uintptr_t)sites,
		.n_sites = n,
		.first_number = m->sites,
		.n_arguments = WARD_K_MAX_ARGUMENTS,
		.where = where,
		.flags = where == WARD_K_RETURN || where == WARD_K_CALL_RETURN ? WARD_K_IN_REGISTERS : 0};

	if (ioctl(m->fd, WARD_K_ATTACH, &a) < 0)
		return 0;
	m->sites += n;
	return a.method;
}

void detach(const struct machine *m)
{
	CHECK(ioctl(m->fd, WARD_K_DETACH, NULL) == 0, "%s", strerror(errno));
}

void close_machine(struct machine *m)
{
	munmap(m->map, m->l.map_size);
	close(m->fd);
}

static void remember_address(void *address, const struct ward_site_report *r)
{
	*(uint64_t *)address = r->address;
}

uint64_t address_of(const char *function)
{
	uint64_t address = 0;
	char site[64];

	snprintf(site, sizeof(site), "kernel!%s", function);
	CHECK(ward_list_kernel(site, remember_address, &address, NULL) == 0 && address, "%s", site);
	return address;
}

#define NAME(n) "ward_word_" #n,
const char *const word_function[SETS] = {EACH_SET(NAME)};

void find_word_functions(uint64_t function[SETS])
{
	load_points();
	for (unsigned i = 0; i < SETS; i++)
		function[i] = address_of(word_function[i]);
}

static int by_address(const void *a, const void *b)
{
	return (*(const uint64_t *)a > *(const uint64_t *)b) - (*(const uint64_t *)a < *(const uint64_t *)b);
}

void sort_sites(uint64_t *sites, unsigned n)
{
	qsort(sites, n, sizeof(*sites), by_address);
}
