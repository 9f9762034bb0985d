/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Restartable sequences (rseq(2)).
 *
 * A program registers a few instructions that work on the data of one processor. If the kernel takes a thread off the
 * processor among them, it continues the thread at their abort handler. The kernel knows these instructions by their
 * addresses. An instruction that a patch has moved into a stub is outside, so the kernel wouldn't abort it. Therefore
 * no patch may displace such an instruction, nor the four bytes before the handler, by which the kernel recognises
 * it. Ward finds the sequences as debuggers do: by their descriptions in the section __rseq_cs, read from memory,
 * where they are relocated. Without section headers they aren't known.
 */
#include "rseq.h"

#include <errno.h>
#include <stdlib.h>

/* The kernel's struct rseq_cs. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, size, abort;
};

enum { SIGNATURE = 4, MOST = 1 << 16 };

/* How far the module's addresses in the target are from those in its file. */
static bool find_bias(const struct wl_module *m, uint64_t *bias)
{
	for (size_t i = 0; i < m->elf.n_segments; i++) {
		const Elf64_Phdr *s = &m->elf.segments[i];

		if (s->p_type == PT_LOAD && m->first->offset >= (s->p_offset & ~0xfffull) &&
			m->first->offset - (s->p_offset & ~0xfffull) < s->p_filesz + 0xfff) {
			*bias = m->first->start - m->first->offset + s->p_offset - s->p_vaddr;
			return true;
		}
	}
	return false;
}

static bool section_add(struct wl_sites *sites, uint64_t from, uint64_t size)
{
	struct wl_fixed *v = realloc(sites->fixed, (sites->n_fixed + 1) * sizeof(*v));

	if (!v)
		return false;
	sites->fixed = v;
	v[sites->n_fixed++] = (struct wl_fixed){from, from + size};
	return true;
}

int wl_rseq_find(struct wl_sites *sites, const struct wl_process *p, const struct wl_maps *maps,
	const struct wl_modules *modules)
{
	for (size_t i = 0; i < modules->n; i++) {
		const Elf64_Shdr *section = wl_elf_section_named(&modules->v[i].elf, "__rseq_cs");
		uint64_t bias = 0, n = section ? section->sh_size / sizeof(struct sequence) : 0;

		for (uint64_t k = 0; k < n && k < MOST && find_bias(&modules->v[i], &bias); k++) {
			struct sequence s;

			if (!wl_process_read(p, section->sh_addr + bias + k * sizeof(s), &s, sizeof(s)) ||
				!wl_maps_find(maps, s.start) || s.size > UINT16_MAX)
				continue;
			if (!section_add(sites, s.start, s.size) || !section_add(sites, s.abort - SIGNATURE, SIGNATURE))
				return ENOMEM;
		}
	}
	return 0;
}

void wl_rseq_refuse(struct wl_sites *sites)
{
	for (size_t i = 0; i < sites->n_fixed; i++) {
		const struct wl_fixed *f = &sites->fixed[i];

		for (uint64_t at = f->to; at > f->from;) {
			const struct wl_patch *patch = wl_patch_at(sites, at - 1);

			if (!patch || patch->d.addr + patch->d.len <= f->from)
				break;
			wl_patch_refuse(sites, patch,
				"an instruction of a restartable sequence (rseq) would be moved, or what marks its "
				"abort handler");
			at = patch->d.addr;
		}
	}
}
