/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running verified code in this process.
 *
 * The verifier has proven what it proves of every module: the code reaches its event, its state, its data and its
 * constants, ends, and calls nothing but the imports. So it can do no harm here that it couldn't do in a target. What
 * the proof takes for granted is established here: text and rodata have the bytes that were verified, but for the
 * imports' slots; regions don't overlap; state, rodata and data begin at multiples of 64. The target never gets at this
 * memory, so what the code has checked stays so.
 *
 * The imports' functions are C. call.S keeps the registers. They fault on nothing, as the target's memory is only read
 * by system calls; they write a buffer whole, whatever happens. Their instructions are bounded, though by other numbers
 * than the rows of import.def, and so is their stack.
 *
 * Code and imports run on a stack of their own, with a page below it that isn't there. It lies at a multiple of its
 * size. So an import finds what is at its upper end by its stack pointer alone: for which sample it is called.
 */
#include "run.h"

#include "loader/base/error.h"
#include "loader/stub/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* `top`: the uppermost word of the stack, which holds the sample. The word below it is call.S's own. */
void wl_sample_call(const void *entry, const void *event, void *state, const struct wl_sampled **top);

/* Of call.S: only their addresses count. */
extern const uint8_t wl_sample_import_read[], wl_sample_import_read_str[], wl_sample_import_match[],
	wl_sample_import_clock[], wl_sample_import_stack[];

/* What call.S calls: spec/ward/import.def describes them. The last argument is the sample that the probe runs for. */
uint64_t wl_sample_read(uint8_t *buffer, uint64_t length, uint64_t address, const struct wl_sampled *now);
uint64_t wl_sample_read_str(uint8_t *buffer, uint64_t length, uint64_t address, const struct wl_sampled *now);
uint64_t wl_sample_match(const uint8_t *buffer, uint64_t length, uint64_t address, const struct wl_sampled *now);
uint64_t wl_sample_clock(uint64_t clock, uint64_t unused, uint64_t unused2, const struct wl_sampled *now);
uint64_t wl_sample_stack(uint64_t frames, uint64_t unused, uint64_t unused2, const struct wl_sampled *now);

/* ---- Imports ---- */

static bool read_target(void *to, uint64_t n, uint64_t address, const struct wl_sampled *now)
{
	struct iovec here = {to, n}, there = {(void *)(uintptr_t)address, n};

	return n == 0 || process_vm_readv(now->pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

uint64_t wl_sample_read(uint8_t *buffer, uint64_t length, uint64_t address, const struct wl_sampled *now)
{
	if (read_target(buffer, length, address, now))
		return length;
	memset(buffer, 0, length);
	return 0;
}

/* Page by page, as the string may end right before one that can't be read. */
uint64_t wl_sample_read_str(uint8_t *buffer, uint64_t length, uint64_t address, const struct wl_sampled *now)
{
	uint64_t at = 0;
	const uint8_t *zero = NULL;

	while (at < length && !zero) {
		uint64_t n = WL_PAGE - (address + at) % WL_PAGE;

		n = n < length - at ? n : length - at;
		if (!read_target(buffer + at, n, address + at, now))
			break;
		zero = memchr(buffer + at, 0, n);
		at = zero ? (uint64_t)(zero - buffer) : at + n;
	}
	if (at == length && length) /* the zero byte needs room */
		at--;
	memset(buffer + at, 0, length - at);
	return at;
}

uint64_t wl_sample_match(const uint8_t *buffer, uint64_t length, uint64_t address, const struct wl_sampled *now)
{
	uint8_t piece[256];

	for (uint64_t at = 0; at < length; at += sizeof(piece)) {
		uint64_t n = length - at < sizeof(piece) ? length - at : sizeof(piece);

		if (!read_target(piece, n, address + at, now) || memcmp(piece, buffer + at, n) != 0)
			return 0;
	}
	return 1;
}

uint64_t wl_sample_clock(uint64_t clock, uint64_t unused, uint64_t unused2, const struct wl_sampled *now)
{
	(void)unused, (void)unused2;
	return now->clock(now, (unsigned)clock);
}

uint64_t wl_sample_stack(uint64_t frames, uint64_t unused, uint64_t unused2, const struct wl_sampled *now)
{
	(void)unused, (void)unused2;
	return now->stack(now, frames);
}

static const uint8_t *import_at(unsigned import)
{
	switch (import) {
	case WARD_IMPORT_READ: return wl_sample_import_read;
	case WARD_IMPORT_READ_STR: return wl_sample_import_read_str;
	case WARD_IMPORT_MATCH: return wl_sample_import_match;
	case WARD_IMPORT_CLOCK: return wl_sample_import_clock;
	case WARD_IMPORT_STACK: return wl_sample_import_stack;
	default: return NULL;
	}
}

/* ---- The image ---- */

static uint64_t end_of(const struct ward_segment *s)
{
	return s->memsz ? s->addr + s->memsz : 0;
}

/* Its slots. False: the module wants an import that this loader hasn't. */
static bool fill_slots(const struct wl_running *r)
{
	const struct ward_module_facts *f = wl_image_facts(r->image);

	for (size_t i = 0; i < f->n_imports; i++) {
		const uint8_t *at = import_at(f->imports[i].import);

		if (!at)
			return false;
		memcpy(r->base + f->imports[i].slot, &at, sizeof(at));
	}
	return true;
}

/* Text is filled up with int3. It comes from a file, as memory that was written to may not be allowed to run. */
static bool map_text(const struct wl_running *r, const struct ward_segment *text)
{
	uint64_t size = wl_pages(text->memsz);
	uint8_t *bytes = malloc(size);
	int fd = memfd_create("ward-samples", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	bool mapped = false;

	if (bytes && fd >= 0) {
		memset(bytes, 0xcc, size);
		memcpy(bytes, wl_image_bytes(r->image, text), text->filesz);
		mapped = write(fd, bytes, size) == (ssize_t)size &&
			 fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0 &&
			 mmap(r->base + text->addr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) !=
				 MAP_FAILED;
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	return mapped;
}

static bool map_rodata(const struct wl_running *r, const struct ward_segment *rodata)
{
	uint64_t size = wl_pages(rodata->memsz);

	if (!size)
		return true;
	if (mprotect(r->base + rodata->addr, size, PROT_READ | PROT_WRITE))
		return false;
	memcpy(r->base + rodata->addr, wl_image_bytes(r->image, rodata), rodata->filesz);
	if (!fill_slots(r)) {
		errno = ENOSYS;
		return false;
	}
	return mprotect(r->base + rodata->addr, size, PROT_READ) == 0;
}

/* At a multiple of its size: of twice as much memory what is too much is given back. Its lowest page is none. */
static bool map_stack(struct wl_running *r)
{
	uint8_t *p =
		mmap(NULL, 2 * (size_t)WL_RUN_STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t below = -(uintptr_t)p % WL_RUN_STACK;

	if (p == MAP_FAILED)
		return false;
	if (below)
		munmap(p, below);
	munmap(p + below + WL_RUN_STACK, WL_RUN_STACK - below);
	r->stack = p + below;
	return mprotect(r->stack + WL_PAGE, WL_RUN_STACK - WL_PAGE, PROT_READ | PROT_WRITE) == 0;
}

int wl_running_map(
	struct wl_running *r, const struct ward_image *image, int data_fd, uint64_t data_offset, struct ward_error *err)
{
	const struct ward_module_facts *f = wl_image_facts(image);
	uint64_t end = end_of(&f->text);
	void *base;

	end = end_of(&f->rodata) > end ? end_of(&f->rodata) : end;
	end = end_of(&f->data) > end ? end_of(&f->data) : end;
	*r = (struct wl_running){.image = image, .size = wl_pages(end)};
	base = mmap(NULL, r->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base != MAP_FAILED) {
		r->base = base;
		if (map_stack(r) && map_text(r, &f->text) && map_rodata(r, &f->rodata) &&
			(!f->data.memsz || mmap(r->base + f->data.addr, wl_pages(f->data.memsz), PROT_READ | PROT_WRITE,
						   MAP_SHARED | MAP_FIXED, data_fd, (off_t)data_offset) != MAP_FAILED))
			return 0;
	}
	wl_fail(err, WARD_E_SYSTEM, "samples", "the probes can't be mapped: %s", strerror(errno));
	wl_running_unmap(r);
	return WARD_E_SYSTEM;
}

void wl_running_unmap(struct wl_running *r)
{
	if (r->base)
		munmap(r->base, r->size);
	if (r->stack)
		munmap(r->stack, WL_RUN_STACK);
	r->base = r->stack = NULL;
}

void wl_running_call(const struct wl_running *r, const struct ward_entry_facts *entry, const struct wl_sampled *sampled,
	const uint64_t *event, void *state)
{
	const struct wl_sampled **top = (const struct wl_sampled **)(r->stack + WL_RUN_STACK) - 1;

	*top = sampled;
	wl_sample_call(r->base + entry->addr, event, state, top);
}
