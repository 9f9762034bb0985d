/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling the mapped code: the bytes of the verified image, the dispatcher, and a stub for each place that is
 * patched. The tracer writes all of it with pwrite to the code file. Then the file is sealed, and neither the tracer
 * nor the target can change it through the file again.
 */
#include "attachment.h"

#include "loader/base/error.h"
#include "loader/stub/forbidden_calls.h"
#include "loader/stub/imports.h"
#include "permitted.h"
#include "recovery_record.h"

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
	return write_all(a->code_fd, wl_image_bytes(image, &f->text), f->text.filesz, a->text_offset) &&
	       write_all(a->code_fd, trap, tail < sizeof(trap) ? tail : 0, a->text_offset + f->text.filesz) &&
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
		if (!write_all(a->code_fd, (const uint8_t *)&address, sizeof(address),
			    a->rodata_offset + f->imports[i].slot - f->rodata.addr))
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
	if (a->slots.walk && !c->overflow) {
		const struct wl_walk walk = {.directory = a->slots.gate + WL_GATE_DIRECTORY,
			.cache = a->slots.walk,
			.stacks = a->slots.interned,
			.stack_top = a->stack_top,
			.cache_mask = WL_WALK_CACHE_SIZE - WL_WALK_CACHE_ENTRY,
			.bucket_mask = WL_STACKS_N_BUCKETS - 1,
			.arena = WL_STACKS_WORDS};

		wl_walk_fill(c->p + (a->imports - c->at), &walk);
	}
}

/* Asked once for all stubs: in a virtual machine cpuid takes as long as it takes to make a stub. */
static bool have_rdpid(void)
{
	unsigned eax = 7, ebx, ecx = 0, edx;

	__asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
	return ecx & 1u << 22;
}

/* What the stub of one patch is made with. */
struct making {
	struct wl_attachment *a;
	const struct wl_area *area;
	const struct ward_module_facts *facts;
	uint64_t dispatcher;
	bool have_rdpid;
	uint32_t number;
	struct wl_stub_probe *probes; /* room for as many as the module has entries */
	struct wl_inplace *in_place;  /* of each entry */
	const struct wl_site *site;
	struct wl_calls_at calls;
	uint64_t peek_at;                                         /* wl_peek */
	unsigned fields;                                          /* that any of the probes reads */
	bool throws;                                              /* some site has probes for exceptions */
	struct wl_stub_labels labels[2 + 2 * WL_DISPLACED_INSNS]; /* of the events emitted so far */
	unsigned n_labels;
};

/* Which of the probes that want a site an event is for. */
enum which { ALL, PAIRED, UNPAIRED, THROWN };

/* Does a probe want what was at the entry when the function is left? */
static bool is_paired(const struct ward_entry_facts *e)
{
	return e->event_fields & (1u << WL_ELAPSED | ((1u << WL_RET) - 1));
}

/* Is it for exceptions that leave the site's function? */
static bool is_thrown(const struct wl_site *s, uint16_t entry)
{
	for (size_t i = 0; i < s->thrown.n; i++)
		if (s->thrown.v[i] == entry)
			return true;
	return false;
}

/*
 * With which flags of the gate the stub's event is dropped: it, or a probe, would do what they say is forbidden. At
 * either end of a call the time is taken if any probe wants to know how long calls are.
 */
static unsigned forbidden_by(const struct making *m, const struct wl_stub *stub)
{
	const unsigned time = 1u << WL_TIME | 1u << WL_ELAPSED;
	bool keeps = stub->enter_at || stub->catch_at || (stub->leave_at && stub->leave_at == m->calls.leave);
	unsigned fields = stub->catch_at ? m->fields : 0, flags = 0;
	bool peeks = false;

	for (size_t i = 0; i < stub->n_probes; i++)
		fields |= stub->probes[i].fields;
	for (unsigned i = 0; stub->args && i < WL_POINT_ARGS; i++)
		peeks |= fields & 1u << (WL_ARG + i) && wl_operand_peeks(&stub->args[i]);
	if (fields & time || (keeps && m->fields & time) || m->facts->features & WARD_FEATURE_TSC)
		flags |= WL_NO_TIME;
	if (m->facts->n_imports || peeks || (fields & 1u << WL_TID && (!stub->tid.in_tcb || m->a->slots.no_block)))
		flags |= WL_NO_CALLS;
	return flags;
}

/* One event, of the probes that the stub has. */
static void emit_hot(struct making *m, struct wl_code *c, struct wl_stub *stub)
{
	struct wl_stub_labels *labels = &m->labels[m->n_labels++];

	stub->flags = stub->hook_at ? 0 : forbidden_by(m, stub);
	wl_stub_hot(c, stub, labels);
}

static struct wl_stub stub_describe(const struct making *m, const struct wl_wanted *w, enum which which)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct ward_entry_facts *e = &m->facts->entries[w->v[i]];

		if (which == ALL || is_thrown(m->site, w->v[i]) ? which == ALL || which == THROWN
								: is_paired(e) == (which == PAIRED) && which != THROWN)
			m->probes[n++] = (struct wl_stub_probe){m->area->base + e->addr, e->clobbers, e->event_fields,
				e->stack_bytes, e->needs, &m->in_place[w->v[i]]};
	}
	return (struct wl_stub){.slots = &m->a->slots,
		.dispatcher = m->dispatcher,
		.tid = m->a->tid,
		.have_rdpid = m->have_rdpid,
		.probes = m->probes,
		.n_probes = n,
		.go = m->site->go,
		.missed_at = m->calls.missed,
		.ordered_times = m->a->ordered_times || m->facts->data.memsz,
		.walks = !m->a->slots.walk ? 0
			 : m->site->point  ? m->site->addr | (uint64_t)1 << WL_STACK_EXACT_BIT
					   : m->site->addr,
		.site = m->site->number};
}

static void emit_entry_event(struct making *m, struct wl_code *c, const struct wl_displaced *d, uint64_t thrown)
{
	struct wl_stub stub = stub_describe(m, &m->site->entry, ALL);

	if (!wl_can(&m->site->entry))
		stub.n_probes = 0;
	stub.depth = d ? d->depth : 0;
	stub.before = d;
	stub.throws = m->throws;
	stub.thrown = thrown;
	stub.enter_at = m->site->pairs && wl_can(&m->site->exit) ? m->calls.enter : 0;
	if (stub.n_probes || stub.enter_at)
		emit_hot(m, c, &stub);
}

/* The same behind what the entry's patch displaces. */
static void emit_entry_behind(void *arg, struct wl_code *c, bool tail)
{
	(void)tail;
	emit_entry_event(arg, c, NULL, 0);
}

/* What has become of calls is found out first. */
static void emit_hook_event(struct making *m, struct wl_code *c, uint32_t depth)
{
	const uint64_t at[] = {
		[WL_HOOK_RAISED] = m->calls.raised, [WL_HOOK_JUMPS] = m->calls.jumps, [WL_HOOK_ENDS] = m->calls.ends};
	struct wl_stub stub = stub_describe(m, &m->site->entry, ALL);

	stub.throws = m->throws;
	stub.depth = depth;
	if (m->site->hook == WL_HOOK_CAUGHT)
		stub.catch_at = m->calls.caught;
	else
		stub.hook_at = at[m->site->hook];
	stub.missed_at = m->site->hook == WL_HOOK_JUMPS ? m->calls.jumped : 0;
	emit_hot(m, c, &stub);
}

/* What runs the probes for exceptions that leave the site's function. Its address, or 0 if there are none. */
static uint64_t emit_thrown(struct making *m, struct wl_code *c)
{
	struct wl_stub stub = stub_describe(m, &m->site->exit, THROWN);
	uint64_t at = wl_here(c);

	if (!stub.n_probes || !wl_can(&m->site->thrown) || !wl_can(&m->site->exit))
		return 0;
	stub.is_gone = true;
	wl_thrown(c, &stub);
	return at;
}

/* At a tail call nothing is returned yet. Leave out the probes that couldn't know. */
static void leave_out_blind(struct making *m, struct wl_stub *stub, struct wl_code *c)
{
	size_t n = 0;

	for (size_t i = 0; i < stub->n_probes; i++)
		if (!wl_blind_to_tails(stub->probes[i].fields))
			m->probes[n++] = stub->probes[i];
	if (n < stub->n_probes)
		wl_stub_drop(c, stub);
	stub->n_probes = n;
}

/* Right before the function is left the stack is as deep as at its entry. */
static void emit_exit_event(void *arg, struct wl_code *c, bool tail)
{
	struct making *m = arg;

	for (unsigned which = PAIRED; which <= UNPAIRED; which++) {
		struct wl_stub stub = stub_describe(m, &m->site->exit, which);
		bool pairs = which == PAIRED && stub.n_probes;

		stub.tail = tail;
		if (tail)
			leave_out_blind(m, &stub, c);
		if (which == PAIRED)
			stub.leave_at = stub.n_probes                       ? m->calls.leave
					: pairs || wl_can(&m->site->thrown) ? m->calls.over
									    : 0;
		if (stub.n_probes || stub.leave_at)
			emit_hot(m, c, &stub);
	}
}

/* Right before a tracepoint's nop; or before the call behind it, which has pushed its return address. */
static void emit_point_event(void *arg, struct wl_code *c, bool tail)
{
	struct making *m = arg;
	struct wl_stub stub = stub_describe(m, &m->site->entry, ALL);

	(void)tail;
	stub.args = m->site->point->arg;
	stub.point = m->site->addr;
	stub.peek_at = m->peek_at;
	stub.depth = m->site->is_call ? 8 : 0;
	emit_hot(m, c, &stub);
}

enum { SLOT = 8 };

/* A jump, or a call, from a patch to the stub; or to the slot before it, which has its address. */
static bool lead_to_stub(struct wl_patch *p, uint64_t stub)
{
	uint64_t target = p->d.by_slot ? stub - SLOT : stub;
	uint32_t rel = (uint32_t)(target - (p->d.addr + WL_JUMP_SIZE));

	p->jump[0] = p->d.by_slot ? 0x15 : p->d.is_call ? 0xe8 : 0xe9;
	memcpy(p->jump + 1, &rel, 4);
	return wl_rel32_fits(p->d.addr + WL_JUMP_SIZE, target) && (!p->d.keeps || p->jump[4] == p->d.below[4]);
}

/* The same through padding. */
static bool lead_to_cave(struct wl_attachment *a, struct wl_patch *p, uint64_t stub)
{
	struct wl_patch *cave = wl_patch_at(&a->sites, p->d.cave);
	int64_t rel = (int64_t)(p->d.cave - (p->d.addr + WL_SHORT_SIZE));

	if (!cave || !cave->is_cave || cave->d.addr != p->d.cave || rel < INT8_MIN || rel > INT8_MAX)
		return false;
	p->jump[0] = 0xeb;
	p->jump[1] = (uint8_t)rel;
	return lead_to_stub(cave, stub);
}

/* The stub of one patch, and the jump that leads to it. Returns NULL or why not. */
static const char *make_stub(struct making *m, struct wl_patch *p, struct wl_code *c)
{
	const struct wl_site *s = m->site;
	bool leaves = p->d.exits && wl_can(&s->exit);
	struct wl_stub stub;
	uint64_t thrown;
	const char *why;

	m->n_labels = 0;
	thrown = p->is_entry && !s->point ? emit_thrown(m, c) : 0;
	if (p->d.by_slot)
		wl_u64(c, wl_here(c) + SLOT);
	p->stub = wl_here(c);
	if (s->watched && p->is_entry)
		wl_watch(c, &m->a->slots, s->watched);
	if (s->hook && p->is_entry)
		emit_hook_event(m, c, p->d.depth);
	if (s->point && p->d.is_call)
		emit_point_event(m, c, false);
	else if (p->is_entry && !s->point && !p->d.behind)
		emit_entry_event(m, c, &p->d, thrown);
	p->copy = wl_here(c);
	why = wl_displaced_emit(c, &p->d,
		s->point ? emit_point_event
		: leaves ? emit_exit_event
			 : NULL,
		p->d.behind ? emit_entry_behind : NULL, m);
	if (why)
		return why;
	stub = stub_describe(
		m, &s->entry, ALL); /* all that what is off the hot path needs is the same for all events */
	for (unsigned i = 0; i < m->n_labels; i++)
		wl_stub_cold(c, &stub, &m->labels[i]);
	if (c->overflow || !(p->d.cave ? lead_to_cave(m->a, p, p->stub) : lead_to_stub(p, p->stub)))
		return "no memory for the stub is within reach of the function";
	return NULL;
}

static void fill_patch(struct making *m, struct wl_patch *p, struct wl_code *c)
{
	struct wl_site *s = &m->a->sites.v[p->site];
	const char *why;
	size_t before;

	while (c->n % 16 && c->n < c->cap)
		wl_u8(c, 0xcc);
	before = c->n;
	if (!s->numbered && (wl_can(&s->entry) || wl_can(&s->exit))) { /* a hook has no events */
		s->numbered = true;
		s->number = m->a->number ? m->a->number(m->a->number_user, s->label) : m->number++;
	}
	m->site = s;
	why = make_stub(m, p, c);
	if (!why)
		return;
	wl_patch_refuse(&m->a->sites, p, why);
	c->n = before;
	c->overflow = false;
}

/* The event's fields that any of the probes reads: only these are kept from a call's entry to its return. */
static unsigned fields_read(const struct ward_module_facts *facts)
{
	unsigned fields = 0;

	for (size_t i = 0; i < facts->n_entries; i++)
		fields |= facts->entries[i].event_fields;
	return fields;
}

/*
 * The entries' code, in the verified bytes. A probe that writes vector registers wants a stack of its own, and is
 * called on it.
 */
static void look_at_entries(struct making *m, const struct ward_image *image)
{
	const struct ward_segment *text = &m->facts->text;

	for (size_t i = 0; i < m->facts->n_entries; i++) {
		const struct ward_entry_facts *e = &m->facts->entries[i];
		uint64_t offset = e->addr - text->addr;

		if (e->addr >= text->addr && offset < text->filesz && !(e->clobbers >> 16))
			m->in_place[i] =
				wl_inplace_look(wl_image_bytes(image, text) + offset, (size_t)(text->filesz - offset));
	}
}

static int fill_area(struct making *m, const struct wl_area *area)
{
	struct wl_attachment *a = m->a;
	struct wl_code c = {.p = malloc(area->stubs_size), .cap = area->stubs_size, .at = area->stubs};
	bool written;

	if (!c.p)
		return ENOMEM;
	m->area = area;
	m->dispatcher = wl_dispatcher(&c, &a->slots);
	m->calls = wl_calls_emit(&c, &a->slots, m->fields, m->throws);
	m->peek_at = wl_here(&c);
	wl_peek(&c);
	if (m->facts->n_imports && !a->imports)
		emit_imports(a, &c);
	for (size_t i = 0; i < a->sites.n_patches; i++)
		if (a->sites.patches[i].area == area - a->areas && !a->sites.patches[i].is_cave &&
			wl_patch_wanted(&a->sites, &a->sites.patches[i])) {
			fill_patch(m, &a->sites.patches[i], &c);
			wl_let_go_late(a->p.late);
		}
	memset(c.p + c.n, 0xcc, c.cap - c.n);
	written = write_all(a->code_fd, c.p, c.cap, area->file_offset);
	free(c.p);
	return written ? 0 : EIO;
}

int wl_fill(struct wl_attachment *a, const struct ward_image *image, struct ward_error *err)
{
	const struct ward_module_facts *facts = wl_image_facts(image);
	struct making m = {.a = a,
		.facts = facts,
		.fields = fields_read(facts),
		.have_rdpid = have_rdpid(),
		.probes = calloc(facts->n_entries, sizeof(*m.probes))};
	int rc;

	a->imports = 0;
	m.in_place = calloc(facts->n_entries, sizeof(*m.in_place));
	rc = m.probes && m.in_place ? 0 : ENOMEM;
	if (rc == 0)
		look_at_entries(&m, image);
	for (size_t i = 0; i < a->sites.n; i++)
		m.throws |= wl_can(&a->sites.v[i].thrown) && wl_can(&a->sites.v[i].exit);
	if (rc == 0 && !write_image(a, image))
		rc = EIO;
	for (size_t i = 0; rc == 0 && i < a->n_areas; i++)
		if (a->areas[i].base)
			rc = fill_area(&m, &a->areas[i]);
	if (rc == 0 && (!write_slots(a, facts) || !wl_record_patches(a)))
		rc = EIO;
	free(m.probes);
	free(m.in_place);
	if (rc == 0 && fcntl(a->code_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		rc = errno;
	if (rc)
		return wl_fail(err, WARD_E_SYSTEM, "code memory", "%s", strerror(rc));
	return wl_record_owner(a) ? 0 : wl_process_lost(&a->p, err);
}
