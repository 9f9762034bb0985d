/*
 * Filling the mapped code: the bytes of the verified image, the dispatcher and a stub for each site. All of it goes through the code file
 * with pwrite; then the file is sealed, and neither we nor the target can change it through the file again.
 */
#include "attachment.h"

#include "../error.h"
#include "imports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* pwrite of a whole buffer. */
static bool write_all(int fd, const uint8_t *p, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t put = pwrite(fd, p, n, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		n -= (size_t)put;
		offset += (uint64_t)put;
	}
	return true;
}

/* Text, filled up to its last page with int3, and rodata. */
static bool write_image(const struct wl_attachment *a, const struct ward_image *image)
{
	const struct ward_module_facts *f = wl_image_facts(image);
	uint8_t trap[WL_PAGE];
	uint64_t tail = wl_pages(f->text.memsz) - f->text.filesz;

	memset(trap, 0xcc, sizeof(trap));
	return write_all(a->code_fd, wl_image_bytes(image, &f->text), f->text.filesz, 0) &&
	       write_all(a->code_fd, trap, tail < sizeof(trap) ? tail : 0, f->text.filesz) &&
	       write_all(a->code_fd, wl_image_bytes(image, &f->rodata), f->rodata.filesz, a->rodata_offset);
}

/* The slots, once it is known where the imports' code is. No other byte of the file's slots counts (V-72). */
static bool write_slots(const struct wl_attachment *a, const struct ward_module_facts *f)
{
	for (size_t i = 0; i < f->n_imports; i++) {
		uint64_t offset, address;

		if (!wl_import_offset(f->imports[i].import, &offset))
			return false;
		address = a->imports + offset;
		if (!write_all(a->code_fd, (const uint8_t *)&address, sizeof(address), a->rodata_offset + f->imports[i].slot - f->rodata.addr))
			return false;
	}
	return true;
}

static void emit_imports(struct wl_attachment *a, struct wl_code *c)
{
	while ((c->at + c->n) % 16 && c->n < c->cap)
		wl_u8(c, 0xcc);
	a->imports = wl_here(c);
	wl_bytes(c, wl_imports_code, wl_imports_size());
}

static bool have_rdpid(void)
{
	unsigned eax = 7, ebx, ecx = 0, edx;

	__asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ecx & 1u << 22;
}

/* The stub of one site, and the jump that leads to it. Returns NULL or why not. */
static const char *make_stub(struct wl_attachment *a, const struct wl_area *area, struct wl_site *s, struct wl_code *c, uint64_t dispatcher,
	const struct ward_module_facts *facts, struct wl_stub_probe *probes)
{
	struct wl_stub stub = {.slots = &a->slots,
		.dispatcher = dispatcher,
		.tid = a->tid,
		.have_rdpid = have_rdpid(),
		.probes = probes,
		.n_probes = s->n_entries,
		.site = s->number,
		.depth = s->d.depth};
	struct wl_stub_labels labels;
	const char *why;
	uint32_t rel;

	for (size_t i = 0; i < s->n_entries; i++) {
		const struct ward_entry_facts *e = &facts->entries[s->entries[i]];

		probes[i] = (struct wl_stub_probe){area->base + e->addr, e->clobbers, e->event_fields, e->stack_bytes};
	}
	s->stub = wl_here(c);
	wl_stub_hot(c, &stub, &labels);
	s->copy = wl_here(c);
	why = wl_displaced_emit(c, &s->d);
	if (why)
		return why;
	wl_stub_cold(c, &stub, &labels);
	if (c->overflow || !wl_rel32_fits(s->d.addr + WL_JUMP_SIZE, s->stub))
		return "no memory for the stub is within reach of the function";
	rel = (uint32_t)(s->stub - (s->d.addr + WL_JUMP_SIZE));
	s->jump[0] = s->d.is_call ? 0xe8 : 0xe9;
	memcpy(s->jump + 1, &rel, 4);
	return NULL;
}

static int fill_area(struct wl_attachment *a, struct wl_area *area, const struct ward_module_facts *facts, struct wl_stub_probe *probes,
	uint32_t *number)
{
	struct wl_code c = {.p = malloc(area->stubs_size), .cap = area->stubs_size, .at = area->stubs};
	bool written;

	if (!c.p)
		return ENOMEM;
	wl_dispatcher(&c, &a->slots);
	if (facts->n_imports && area == a->areas)
		emit_imports(a, &c);
	for (size_t i = area->first; i < area->first + area->n; i++) {
		struct wl_site *s = &a->sites.v[i];
		size_t before;

		if (s->reason)
			continue;
		while (c.n % 16 && c.n < c.cap)
			wl_u8(&c, 0xcc);
		before = c.n;
		s->number = *number;
		s->reason = make_stub(a, area, s, &c, area->stubs, facts, probes);
		if (s->reason) {
			c.n = before;
			c.overflow = false;
		} else {
			++*number;
		}
	}
	memset(c.p + c.n, 0xcc, c.cap - c.n);
	written = write_all(a->code_fd, c.p, c.cap, area->file_offset);
	free(c.p);
	return written ? 0 : EIO;
}

int wl_fill(struct wl_attachment *a, const struct ward_image *image, struct ward_error *err)
{
	const struct ward_module_facts *facts = wl_image_facts(image);
	struct wl_stub_probe *probes = calloc(facts->n_entries, sizeof(*probes));
	uint32_t number = 0;
	int rc = probes ? 0 : ENOMEM;

	if (rc == 0 && !write_image(a, image))
		rc = EIO;
	for (size_t i = 0; rc == 0 && i < a->n_areas; i++)
		rc = fill_area(a, &a->areas[i], facts, probes, &number);
	if (rc == 0 && !write_slots(a, facts))
		rc = EIO;
	free(probes);
	if (rc == 0 && fcntl(a->code_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		rc = errno;
	return rc ? wl_fail(err, WARD_E_SYSTEM, "code memory", "%s", strerror(rc)) : 0;
}
