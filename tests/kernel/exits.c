/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a probe's code returns and calls imports once it is in the kernel: as the kernel's own code does on this
 * processor. The test reads the code in place, through /proc/kcore, and compares it with the module's file, from
 * which it may differ at these places only.
 */
#include "suite.h"

#include "ward/verify.h"
#include "ward_ioctl.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>

enum { PAGE = 4096, ARENA = 1 << 20, MAX_SYMBOL = 128, RET = 0xc3, CALL = 0xe8, JMP = 0xe9, NOP = 0x90, INT3 = 0xcc };

/* ---- The kernel's memory and names ---- */

/* The first line of kallsyms at this address, or of this name. */
static uint64_t symbol(uint64_t at, const char *wanted, char name[MAX_SYMBOL])
{
	FILE *f = fopen("/proc/kallsyms", "re");
	uint64_t address = 0, found = 0;
	char line[512], kind, text[MAX_SYMBOL];

	CHECK(f, "%s", strerror(errno));
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %c %127s", &address, &kind, text) == 3 &&
			(wanted ? !strcmp(text, wanted) : address == at)) {
			found = address;
			memcpy(name, text, sizeof(text));
		}
	fclose(f);
	return found;
}

static void read_kernel(uint64_t at, void *to, size_t n)
{
	int fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr header;
	Elf64_Phdr p;
	ssize_t got = -1;

	CHECK(fd >= 0 && pread(fd, &header, sizeof(header), 0) == sizeof(header), "%s", strerror(errno));
	for (unsigned i = 0; i < header.e_phnum && got < 0; i++) {
		CHECK(pread(fd, &p, sizeof(p), (off_t)(header.e_phoff + i * sizeof(p))) == sizeof(p), "%s",
			strerror(errno));
		if (p.p_type == PT_LOAD && at >= p.p_vaddr && at - p.p_vaddr < p.p_memsz &&
			n <= p.p_memsz - (at - p.p_vaddr))
			got = pread(fd, to, n, (off_t)(p.p_offset + (at - p.p_vaddr)));
	}
	CHECK(got == (ssize_t)n, "%" PRIx64, at);
	close(fd);
}

static uint8_t arena[ARENA];

static uint64_t read_arena(void)
{
	char name[MAX_SYMBOL];
	uint64_t at = symbol(0, "ward_arena", name);

	CHECK(at && at % PAGE == 0, "%" PRIx64, at);
	read_kernel(at, arena, sizeof(arena));
	return at;
}

/* The thunk by which the kernel says that it returns; "" if by none. */
static void active_thunk(char name[MAX_SYMBOL])
{
	static const char words[] = "active return thunk: ";
	static char log[1 << 20];
	int n = klogctl(3 /* read all that there is */, log, sizeof(log) - 1);

	CHECK(n > 0, "%s", strerror(errno));
	log[n] = 0;
	*name = 0;
	for (const char *at = log; (at = strstr(at, words)); at++)
		CHECK(sscanf(at + strlen(words), "%127s", name) == 1, "a name"); /* the last one counts */
}

static bool by_thunks(void)
{
	char name[MAX_SYMBOL];

	active_thunk(name);
	return *name;
}

/* ---- The code of a module ---- */

struct found {
	unsigned returns, calls, jumps;
};

static void target_name(const uint8_t *p, uint64_t pc, char name[MAX_SYMBOL])
{
	int32_t distance;

	memcpy(&distance, p + 1, sizeof(distance));
	CHECK(symbol(pc + 5 + (uint64_t)(int64_t)distance, NULL, name), "%" PRIx64 " leads to no symbol", pc);
}

static void check_exit(
	const struct ward_exit_facts *exit, const uint8_t *p, uint64_t pc, const char *thunk, struct found *n)
{
	static const uint8_t plain[] = {RET, INT3, INT3, INT3, INT3};
	char name[MAX_SYMBOL];

	if (exit->kind == WARD_EXIT_RETURN) {
		n->returns++;
		if (*thunk) {
			target_name(p, pc, name);
			CHECK(*p == JMP && !strcmp(name, thunk), "0x%x to %s, not %s", *p, name, thunk);
		} else {
			CHECK(!memcmp(p, plain, sizeof(plain)), "a return");
		}
		return;
	}
	target_name(p, pc, name);
	CHECK(!strcmp(name, "read_bytes") || !strcmp(name, "read_string"), "%s", name);
	CHECK(exit->kind == WARD_EXIT_CALL ? *p == CALL && p[5] == NOP : *p == JMP && p[5] == INT3, "0x%x to %s", *p,
		name);
	n->calls += exit->kind == WARD_EXIT_CALL;
	n->jumps += exit->kind == WARD_EXIT_JUMP;
}

/* Is the text at this page, but for the bytes of what is replaced? */
static bool is_there(const struct module *m, const struct ward_module_facts *f, const uint8_t *page, uint8_t *text)
{
	memcpy(text, m->data + f->text.offset, f->text.filesz);
	for (size_t i = 0; i < f->n_exits; i++) {
		size_t at = (size_t)(f->exits[i].addr - f->text.addr), n = f->exits[i].kind == WARD_EXIT_RETURN ? 5 : 6;

		memcpy(text + at, page + at, n);
	}
	return !memcmp(text, page, f->text.filesz);
}

static struct found check_code(const char *name, const char *thunk)
{
	static const char *const allow[] = {
		"ward_kernel_read", "ward_kernel_read_str", "ward_kernel_current", "ward_kernel_stack_take"};
	struct ward_verify_options o = {.size = sizeof(o), .allow = allow, .n_allow = sizeof(allow) / sizeof(allow[0])};
	struct module m = module_named(name);
	struct ward_verdict *v = ward_verify(m.data, m.size, &o);
	struct found n = {0};
	uint64_t base = read_arena();
	unsigned places = 0;

	CHECK(v && v->accepted && v->module.n_exits, "%s", name);
	const struct ward_module_facts *f = &v->module;
	uint8_t *text = malloc(f->text.filesz);

	CHECK(text, "memory");
	for (size_t at = 0; at + f->text.filesz <= ARENA; at += PAGE) {
		if (!is_there(&m, f, arena + at, text))
			continue;
		places++;
		for (size_t i = 0; i < f->n_exits; i++) {
			size_t k = at + (size_t)(f->exits[i].addr - f->text.addr);

			check_exit(&f->exits[i], arena + k, base + k, thunk, &n);
		}
	}
	CHECK(places == 1, "%s: at %u places", name, places);
	free(text);
	ward_verdict_free(v);
	return n;
}

void test_exits(void)
{
	ward_session *typed = attached("typed", NULL), *wild = attached("wild", getppid_site),
		     *table = attached("table", getppid_site);
	char thunk[MAX_SYMBOL];
	struct found a, b, c;

	active_thunk(thunk);
	a = check_code("typed", thunk);
	b = check_code("wild", thunk);
	c = check_code("table", thunk);
	CHECK(a.returns && a.jumps == 2 && b.returns > 1 && c.calls == 1, "%u returns, %u jumps; %u returns; %u calls",
		a.returns, a.jumps, b.returns, c.calls);
	call_getppid(1000);
	CHECK(ward_detach(typed, NULL) == 0 && ward_detach(wild, NULL) == 0 && ward_detach(table, NULL) == 0,
		"detached");
	CHECK(field_value(wild, "wild", "runs") >= 1000, "%lu", field_value(wild, "wild", "runs"));
	printf("  %s: %u returns, %u calls of imports, %u jumps to them\n", *thunk ? thunk : "no thunk",
		a.returns + b.returns + c.returns, a.calls + b.calls + c.calls, a.jumps + b.jumps + c.jumps);
	ward_session_free(typed);
	ward_session_free(wild);
	ward_session_free(table);
}

/* ---- Lies about them ---- */

static uint8_t page[2 * PAGE];
static uint32_t exits[4];
static struct ward_k_slot slot;
static struct ward_k_entry entry;

/* A return with room, one without at the end, a call and a jump through the slot at the start of the rodata. */
enum { RETURN = 0, THROUGH_CALL = 5, THROUGH_JUMP = 11, LATER = 17, LAST = 99, TEXT = 100 };

static void put_through(uint32_t at, uint8_t form, int32_t to)
{
	int32_t distance = to - (int32_t)at - 6;

	page[at] = 0xff;
	page[at + 1] = form;
	memcpy(page + at + 2, &distance, sizeof(distance));
}

static struct ward_k_load good_load(void)
{
	memset(page, INT3, sizeof(page));
	page[RETURN] = page[LAST] = RET;
	put_through(THROUGH_CALL, 0x15, PAGE);
	put_through(THROUGH_JUMP, 0x25, PAGE);
	page[LATER] = RET;
	slot = (struct ward_k_slot){.offset = PAGE, .import = WARD_K_READ};
	entry = (struct ward_k_entry){.max_insns = 1};
	memcpy(exits, (uint32_t[]){RETURN, THROUGH_CALL, THROUGH_JUMP, LATER}, sizeof(exits));
	return (struct ward_k_load){.size = sizeof(struct ward_k_load),
		.abi = WARD_ABI,
		.image = (uintptr_t)page,
		.image_size = sizeof(page),
		.text_size = TEXT,
		.entries = (uintptr_t)&entry,
		.n_entries = 1,
		.state_size = 8,
		.slots = (uintptr_t)&slot,
		.n_slots = 1,
		.exits = (uintptr_t)exits,
		.n_exits = 4};
}

static int load_error(struct ward_k_load *l)
{
	int fd = open(WARD_DEVICE, O_RDWR | O_CLOEXEC), error;

	CHECK(fd >= 0, "%s", strerror(errno));
	error = ioctl(fd, WARD_K_LOAD, l) < 0 ? errno : 0;
	close(fd);
	return error;
}

#define LOAD(expected, ...) \
	do { \
		struct ward_k_load l = good_load(); \
		__VA_ARGS__; \
		int error = load_error(&l); \
		CHECK(error == (expected), "%s: %s", #__VA_ARGS__, strerror(error)); \
	} while (0)

void test_exits_refused(void)
{
	int no_room = by_thunks() ? EOPNOTSUPP : 0;

	LOAD(0, (void)0);
	LOAD(0, l.n_exits = 0; l.exits = 0);
	LOAD(EFAULT, l.exits = 0);
	LOAD(EFAULT, l.exits = 0xffffffff81000000);
	LOAD(EINVAL, l.n_exits = TEXT + 1);
	LOAD(EINVAL, l.n_exits = UINT32_MAX);
	LOAD(EINVAL, exits[3] = TEXT);
	LOAD(EINVAL, exits[3] = UINT32_MAX);
	LOAD(EINVAL, exits[3] = 1);            /* int3 */
	LOAD(EINVAL, exits[3] = THROUGH_CALL); /* by then a call */
	LOAD(EINVAL, l.n_slots = 0);
	LOAD(EINVAL, slot.offset = PAGE + 8);
	LOAD(EINVAL, put_through(THROUGH_CALL, 0x15, PAGE + 8));
	LOAD(EINVAL, put_through(THROUGH_CALL, 0x15, -8));
	LOAD(EINVAL, put_through(THROUGH_CALL, 0x15, INT32_MAX));
	LOAD(EINVAL, put_through(THROUGH_CALL, 0x35, PAGE)); /* push */
	LOAD(EINVAL, put_through(TEXT - 5, 0x15, PAGE); exits[3] = TEXT - 5);
	LOAD(no_room, exits[3] = LAST);
	LOAD(no_room, page[LATER + 4] = NOP);
	LOAD(0, put_through(TEXT - 6, 0x15, PAGE); exits[3] = TEXT - 6);
	LOAD(0, page[TEXT - 5] = RET; page[LAST] = INT3; exits[3] = TEXT - 5);
}

/* Of a compiler that leaves no room for the jump. */
void test_exits_plain(void)
{
	if (by_thunks())
		return refused("plain", getppid_site, WARD_E_TARGET, "no room for the jump");
	ward_session *s = attached("plain", getppid_site);

	call_getppid(10);
	CHECK(ward_detach(s, NULL) == 0, "detached");
	ward_session_free(s);
}
