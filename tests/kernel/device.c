/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile and wrong requests to /dev/ward: each is refused for its reason, and the kernel keeps running. */
#include "suite.h"

#include "ward_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int device(void)
{
	int fd = open(WARD_DEVICE, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0, "%s", strerror(errno));
	return fd;
}

/* The error of a request, 0 if it is granted. */
static int asked(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument) < 0 ? errno : 0;
}

/* A load that is as it must be: one page, of which the first byte is a return, as is the whole of the probe. */
static uint8_t page[2 * WARD_K_PAGE];
static struct ward_k_entry entry;

static struct ward_k_load good_load(void)
{
	memset(page, 0xcc, sizeof(page));
	page[0] = 0xc3;
	entry = (struct ward_k_entry){.max_insns = 1};
	return (struct ward_k_load){.size = sizeof(struct ward_k_load),
		.abi = WARD_ABI,
		.image = (uintptr_t)page,
		.image_size = WARD_K_PAGE,
		.text_size = 1,
		.entries = (uintptr_t)&entry,
		.n_entries = 1,
		.state_size = 8};
}

void test_device(void)
{
	int fd = device();
	struct ward_k_load l = good_load();
	struct ward_k_attach a = {.size = sizeof(a), .n_sites = 1, .n_arguments = WARD_K_MAX_ARGUMENTS};

	CHECK(asked(fd, _IO('W', 0), NULL) == ENOTTY && asked(fd, _IO('W', 6), NULL) == ENOTTY &&
			asked(fd, _IO('X', 1), &l) == ENOTTY,
		"unknown requests");
	CHECK(asked(fd, WARD_K_LOAD, NULL) == EFAULT, "no argument");
	CHECK(asked(fd, WARD_K_LOAD, (void *)0xffffffff81000000) == EFAULT, "an argument in the kernel");
	CHECK(asked(fd, WARD_K_LOAD, (void *)0x8000000000000000) == EFAULT, "an argument that is no address");
	CHECK(asked(fd, WARD_K_ATTACH, &a) == ENODATA, "nothing is loaded");
	CHECK(asked(fd, WARD_K_DETACH, NULL) == 0, "nothing to be done");
	CHECK(mmap(NULL, WARD_K_PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENODATA,
		"nothing to be mapped");
	close(fd);
}

#define BAD(expected, ...) \
	do { \
		struct ward_k_load l = good_load(); \
		__VA_ARGS__; \
		int error = asked(fd, WARD_K_LOAD, &l); \
		CHECK(error == (expected), "%s: %s", #__VA_ARGS__, strerror(error)); \
	} while (0)

static struct ward_k_slot slot;

/* A slot that must be refused. */
#define SLOT(at, of) \
	BAD(EINVAL, l.n_slots = 1; l.slots = (uintptr_t)&slot; \
		slot = (struct ward_k_slot){.offset = (at), .import = (of)})

/* A good one, at the end of a page behind which there is nothing. */
static uintptr_t last_slot(void)
{
	static const struct ward_k_slot good = {.offset = 8, .import = WARD_K_READ};
	char *pages = mmap(NULL, 2 * WARD_K_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && munmap(pages + WARD_K_PAGE, WARD_K_PAGE) == 0, "%s", strerror(errno));
	memcpy(pages + WARD_K_PAGE - sizeof(good), &good, sizeof(good));
	return (uintptr_t)pages + WARD_K_PAGE - sizeof(good);
}

void test_load(void)
{
	struct {
		struct ward_k_load l;
		uint64_t more;
	} newer = {.more = 1};
	int fd = device();

	BAD(EINVAL, l.size = 0);
	BAD(EINVAL, l.size = 3);
	BAD(EINVAL, l.size = 1 << 20);
	BAD(EINVAL, l.abi = 0);
	BAD(EINVAL, l.abi = WARD_ABI + 1);
	BAD(EINVAL, l.image_size = 0);
	BAD(EINVAL, l.image_size = 1);
	BAD(EINVAL, l.image_size = WARD_K_MAX_IMAGE + WARD_K_PAGE);
	BAD(EINVAL, l.image_size = UINT32_MAX - WARD_K_PAGE + 1);
	BAD(EINVAL, l.text_size = 0);
	BAD(EINVAL, l.text_size = WARD_K_PAGE + 1);
	BAD(EINVAL, l.text_size = UINT32_MAX);
	BAD(EINVAL, l.n_entries = 0);
	BAD(EINVAL, l.n_entries = WARD_K_MAX_ENTRIES + 1);
	BAD(EINVAL, l.n_entries = UINT32_MAX);
	BAD(EINVAL, l.state_size = WARD_K_MAX_STATE + 1);
	BAD(EINVAL, l.state_size = UINT32_MAX);
	BAD(E2BIG, l.state_size = WARD_K_MAX_STATE);
	BAD(EINVAL, l.state_size = 2 * WARD_K_PAGE; l.shared_offset = WARD_K_PAGE; l.shared_size = 2 * WARD_K_PAGE);
	BAD(EINVAL, l.state_size = 2 * WARD_K_PAGE; l.shared_offset = 3 * WARD_K_PAGE);
	BAD(EINVAL, l.state_size = 2 * WARD_K_PAGE; l.shared_offset = 8; l.shared_size = WARD_K_PAGE);
	BAD(EINVAL, l.state_size = 2 * WARD_K_PAGE; l.shared_size = 8);
	BAD(EINVAL, l.state_size = 2 * WARD_K_PAGE; l.shared_size = UINT32_MAX - WARD_K_PAGE + 1);
	BAD(EFAULT, l.entries = 0);
	BAD(EFAULT, l.entries = 0xffffffff81000000);
	BAD(EFAULT, l.image = 0);
	BAD(EFAULT, l.image = 0xffffffff81000000);
	BAD(EFAULT, l.image = (uintptr_t)page; l.image_size = WARD_K_MAX_IMAGE; l.image = UINT64_MAX - 10);
	BAD(EINVAL, entry.offset = 1);
	BAD(EINVAL, entry.offset = UINT32_MAX);
	BAD(EINVAL, entry.stack_bytes = WARD_K_MAX_STACK + 1);
	BAD(EINVAL, entry.max_insns = WARD_K_MAX_INSNS + 1);
	BAD(EINVAL, entry.event_fields = 1u << WARD_K_EVENT_WORDS);
	BAD(EINVAL, entry.clobbers = 1u << 3);
	BAD(EINVAL, entry.clobbers = 1u << 4);
	BAD(EINVAL, entry.clobbers = 1u << 15);
	BAD(EINVAL, entry.clobbers = 1u << 16);
	BAD(EINVAL, entry.clobbers = UINT32_MAX);
	BAD(EINVAL, l.n_slots = WARD_K_MAX_SLOTS + 1; l.slots = (uintptr_t)&slot);
	BAD(EINVAL, l.n_slots = UINT32_MAX; l.slots = (uintptr_t)&slot);
	BAD(EFAULT, l.n_slots = 1);
	BAD(EFAULT, l.n_slots = 1; l.slots = 0xffffffff81000000);
	BAD(EFAULT, l.n_slots = 1; l.slots = UINT64_MAX - 3);
	BAD(EFAULT, l.n_slots = 2; l.slots = last_slot());
	SLOT(8, WARD_K_IMPORTS);
	SLOT(8, UINT32_MAX);
	SLOT(0, WARD_K_READ);
	SLOT(8, WARD_K_STACK); /* there is no table */
	BAD(EINVAL, l.flags = ~(uint32_t)WARD_K_WITH_STACKS);
	BAD(EINVAL, l.unused = 1);
	BAD(EINVAL, l.stacks_offset = WARD_K_PAGE);
	SLOT(12, WARD_K_READ);
	SLOT(WARD_K_PAGE, WARD_K_READ);
	SLOT(UINT32_MAX - 7, WARD_K_READ);
	newer.l = good_load();
	slot = (struct ward_k_slot){.offset = WARD_K_PAGE - 8, .import = WARD_K_READ_STR};
	newer.l.slots = (uintptr_t)&slot;
	newer.l.n_slots = 1;
	newer.l.size = sizeof(newer);
	CHECK(asked(fd, WARD_K_LOAD, &newer) == E2BIG, "something that this version doesn't know");
	newer.more = 0;
	CHECK(asked(fd, WARD_K_LOAD, &newer) == 0,
		"after all that the session takes a good one, from a newer caller, too");
	BAD(EBUSY, (void)0);
	close(fd);
	/* Chunks come back: more loads than the arena has room for, one after the other. */
	for (int i = 0; i < 300; i++) {
		fd = device();
		BAD(0, l.image_size = 2 * WARD_K_PAGE);
		close(fd);
	}
}

/* Until the arena is full: then one is refused, and when the others are gone there is room again. */
static void fill_arena(void)
{
	int fds[300], n = 0, error = 0;

	while (error == 0 && n < 300) {
		int fd = device();
		struct ward_k_load l = good_load();

		error = asked(fd, WARD_K_LOAD, &l);
		fds[n++] = fd;
	}
	CHECK(error == ENOSPC, "%s after %d", strerror(error), n);
	while (n > 0)
		close(fds[--n]);
}

void test_attach(void)
{
	static const uint64_t nowhere[] = {
		0, 1, 0x1000, 0x7fffffffffff, 0x8000000000000000, 0xffff888000000000, UINT64_MAX};
	struct ward_k_load l = good_load();
	uint64_t sites[2] = {0x1000, 0x2000}, many = 0;
	struct ward_k_attach good = {.size = sizeof(good),
				     .sites = (uintptr_t)sites,
				     .n_sites = 1,
				     .n_arguments = WARD_K_MAX_ARGUMENTS},
			     a = good;
	int fd = device();

	CHECK(asked(fd, WARD_K_LOAD, &l) == 0, "loaded");
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "no function");
	sites[0] = 0;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "null");
	sites[0] = 0x8000000000000000;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "not canonical");
	sites[0] = UINT64_MAX;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "the last byte");
	sites[0] = 0x3000, a.n_sites = 2;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "out of order");
	sites[0] = sites[1];
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "twice the same");
	a = good, a.entry = 1;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "no entry");
	a = good, a.entry = UINT32_MAX;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "no entry");
	a = good, a.n_sites = 0;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "no sites");
	a = good, a.n_sites = WARD_K_MAX_SITES + 1;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "too many sites");
	a = good, a.n_sites = WARD_K_MAX_SITES, a.sites = (uintptr_t)&many;
	CHECK(asked(fd, WARD_K_ATTACH, &a) != 0, "more sites than there are");
	a = good, a.sites = 0xffffffff81000000;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EFAULT, "sites in the kernel");
	a = good, a.where = 5;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "neither entry nor return, nor tracepoint, nor system call");
	a = good, a.where = UINT32_MAX;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "anything");
	a = good, a.sites = 0xffffffff81000000, a.n_arguments = WARD_K_MAX_ARGUMENTS - 1;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "a function with fewer arguments than it is asked for");
	sites[0] = 0x1000, a = good, a.where = WARD_K_RETURN, a.n_sites = 2;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "two returns at once");
	a = good, a.flags = WARD_K_IN_REGISTERS;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "an entry that is wrapped");
	a = good, a.where = WARD_K_RETURN, a.flags = 2;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "an unknown flag");
	a = good, a.where = WARD_K_RETURN, a.flags = WARD_K_IN_REGISTERS, a.n_sites = 2;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "two functions that are none");
	for (size_t i = 0; i < 2 * sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		sites[0] = nowhere[i / 2], a = good, a.where = WARD_K_RETURN, a.flags = i % 2 ? WARD_K_IN_REGISTERS : 0;
		CHECK(asked(fd, WARD_K_ATTACH, &a) != 0, "%#lx returns", sites[0]);
	}
	a = good, a.size = 2;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "no size");
	close(fd);
	fd = device();
	l = good_load();
	entry.event_fields = 1u << 6;
	a = good;
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0, "loaded");
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "a probe of a return's value at an entry");
	close(fd);
	fill_arena();
}

/* The error of hooking a tracepoint whose name is n bytes at `name`. */
static int asked_point(int fd, const void *name, uint32_t n)
{
	struct ward_k_attach a = {
		.size = sizeof(a), .sites = (uintptr_t)name, .n_sites = n, .where = WARD_K_POINT, .n_arguments = 4};

	return asked(fd, WARD_K_ATTACH, &a);
}

/* The same of one that has so many arguments. */
static int asked_arguments(int fd, uint32_t n, uint32_t flags)
{
	struct ward_k_attach a = {.size = sizeof(a),
		.sites = (uintptr_t)"sched_switch",
		.n_sites = 12,
		.where = WARD_K_POINT,
		.n_arguments = n,
		.flags = flags};

	return asked(fd, WARD_K_ATTACH, &a);
}

/* The last bytes before a page that isn't there. */
static char *at_the_edge(const char *text)
{
	char *pages = mmap(NULL, 2 * WARD_K_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && munmap(pages + WARD_K_PAGE, WARD_K_PAGE) == 0, "%s", strerror(errno));
	pages += WARD_K_PAGE - strlen(text);
	memcpy(pages, text, strlen(text));
	return pages;
}

void test_attach_point(void)
{
	static char name[2 * WARD_K_PAGE];
	struct ward_k_load l = good_load();
	const char *last = at_the_edge("sched_switch");
	int fd = device();

	CHECK(asked_point(fd, "sched_switch", 12) == ENODATA, "nothing is loaded");
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0, "loaded");
	CHECK(asked_point(fd, "", 0) == EINVAL, "no name");
	CHECK(asked_point(fd, "sched_switch", 11) == ENOENT && asked_point(fd, "sched_switchx", 13) == ENOENT,
		"a part, or more");
	CHECK(asked_point(fd, "sched_switch", 13) == EINVAL && asked_point(fd, "sched\0switch", 12) == EINVAL &&
			asked_point(fd, "\0", 1) == EINVAL,
		"a zero in it");
	CHECK(asked_point(fd, "sched:sched_switch", 18) == ENOENT && asked_point(fd, "sched_*", 7) == ENOENT &&
			asked_point(fd, "%s%n\n", 5) == ENOENT,
		"other names");
	memset(name, 'a', sizeof(name));
	CHECK(asked_point(fd, name, WARD_K_MAX_NAME - 1) == ENOENT, "the longest");
	CHECK(asked_point(fd, name, WARD_K_MAX_NAME) == EINVAL && asked_point(fd, name, sizeof(name)) == EINVAL &&
			asked_point(fd, name, UINT32_MAX) == EINVAL,
		"longer ones");
	CHECK(asked_point(fd, NULL, 12) == EFAULT && asked_point(fd, (void *)0xffffffff81000000, 12) == EFAULT &&
			asked_point(fd, (void *)0x8000000000000000, 12) == EFAULT,
		"no address");
	CHECK(asked_point(fd, last, 13) == EFAULT, "more than there is");
	CHECK(asked_arguments(fd, 0, 0) == 0 && asked_arguments(fd, WARD_K_MAX_ARGUMENTS, 0) == 0,
		"arguments, none or as many as can be");
	CHECK(asked_arguments(fd, WARD_K_MAX_ARGUMENTS + 1, 0) == EINVAL &&
			asked_arguments(fd, UINT32_MAX, 0) == EINVAL && asked_arguments(fd, 4, 1) == EINVAL,
		"more");
	CHECK(asked_point(fd, last, 12) == 0, "all that there is");
	/* Again and again: each is a hook of its own, until there are enough. */
	for (int i = 3; i < WARD_K_MAX_POINTS; i++)
		CHECK(asked_point(fd, "initcall_level", 14) == 0, "%d", i);
	CHECK(asked_point(fd, "initcall_level", 14) == E2BIG, "too many");
	CHECK(asked(fd, WARD_K_DETACH, NULL) == 0 && asked_point(fd, "sched_switch", 12) == 0, "and anew");
	close(fd);
	fd = device();
	l = good_load();
	entry.event_fields = 1u << 11;
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0 && asked_point(fd, "sched_switch", 12) == EINVAL,
		"a probe of a call's time");
	close(fd);
}

static void remember_address(void *address, const struct ward_site_report *r)
{
	*(uint64_t *)address = r->address;
}

static uint64_t address_of(const char *site)
{
	uint64_t address = 0;

	CHECK(ward_list_kernel(site, remember_address, &address, NULL) == 0 && address, "%s", site);
	return address;
}

static uint64_t events(const uint8_t *map, const struct ward_k_load *l)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i <= l->processors; i++)
		n += ((const struct ward_k_tally *)(map + (size_t)i * WARD_K_TALLY_SIZE))->events;
	return n;
}

/*
 * Functions that aren't system calls' get arguments that aren't registers, of which nothing is read: they have no
 * events.
 */
void test_attach_call(void)
{
	uint64_t sites[] = {address_of("kernel!vfs_write"), address_of("kernel!vfs_read")}, swapped;
	struct ward_k_attach good = {.size = sizeof(good),
				     .sites = (uintptr_t)sites,
				     .n_sites = 2,
				     .n_arguments = WARD_K_MAX_ARGUMENTS,
				     .where = WARD_K_CALL},
			     a = good;
	struct ward_k_load l = good_load();
	int fd = device(), null = open("/dev/null", O_RDWR | O_CLOEXEC);
	uint8_t *map, byte = 0;

	if (sites[0] > sites[1])
		swapped = sites[0], sites[0] = sites[1], sites[1] = swapped;
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0, "loaded");
	map = mmap(NULL, l.map_size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(map != MAP_FAILED, "%s", strerror(errno));
	a.where = WARD_K_CALL_RETURN;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "two returns at once");
	a = good, a.n_arguments = 0;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == EINVAL, "with no arguments");
	CHECK(asked(fd, WARD_K_ATTACH, &good) == 0, "entries");
	for (int i = 0; i < 2; i++) {
		a = good, a.where = WARD_K_CALL_RETURN, a.n_sites = 1, a.sites = (uintptr_t)&sites[i];
		CHECK(asked(fd, WARD_K_ATTACH, &a) == 0, "a return");
	}
	for (int i = 0; i < 1000; i++)
		CHECK(write(null, &byte, 1) == 1 && read(null, &byte, 1) == 0, "%s", strerror(errno));
	CHECK(events(map, &l) == 0, "%lu", events(map, &l));
	sites[0] = address_of(getppid_site), a = good, a.n_sites = 1;
	CHECK(asked(fd, WARD_K_ATTACH, &a) == 0, "a real one");
	call_getppid(100);
	CHECK(asked(fd, WARD_K_DETACH, NULL) == 0 && events(map, &l) >= 100, "%lu", events(map, &l));
	munmap(map, l.map_size);
	close(null);
	close(fd);
	fd = device();
	l = good_load();
	entry.event_fields = 1u << 6;
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0 && asked(fd, WARD_K_ATTACH, &a) == EINVAL,
		"a result where a call begins");
	close(fd);
}

void test_mapping(void)
{
	struct ward_k_load l = good_load();
	const struct ward_k_tally *tally;
	int fd = device();

	CHECK(asked(fd, WARD_K_LOAD, &l) == 0, "loaded");
	CHECK(mmap(NULL, l.map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EPERM,
		"to be written");
	CHECK(mmap(NULL, l.map_size, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EPERM,
		"to be run");
	CHECK(mmap(NULL, l.map_size + WARD_K_PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED, "more than there is");
	CHECK(mmap(NULL, l.map_size, PROT_READ, MAP_SHARED, fd, WARD_K_PAGE) == MAP_FAILED, "behind what there is");
	CHECK(mmap(NULL, WARD_K_PAGE, PROT_READ, MAP_SHARED, fd, 1l << 40) == MAP_FAILED, "far behind what there is");
	tally = mmap(NULL, l.map_size, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(tally != MAP_FAILED, "%s", strerror(errno));
	CHECK(mprotect((void *)(uintptr_t)tally, l.map_size, PROT_READ | PROT_WRITE) < 0 && errno == EACCES,
		"made writable later");
	CHECK(mprotect((void *)(uintptr_t)tally, l.map_size, PROT_READ | PROT_EXEC) < 0 && errno == EACCES,
		"made executable later");
	close(fd);
	CHECK(tally->states == l.processors && l.processors > 0, "the mapping outlives the descriptor");
	CHECK(l.states_offset >= (1 + (uint64_t)l.processors) * WARD_K_TALLY_SIZE &&
			l.states_offset + (uint64_t)l.processors * l.state_stride <= l.map_size,
		"all states are in it");
	munmap((void *)(uintptr_t)tally, l.map_size);
}

/* In a child without the rights: its exit status is the error. */
static int open_as_nobody(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (setgid(65534) || setuid(65534))
			_exit(200);
		_exit(open(WARD_DEVICE, O_RDWR) < 0 ? errno : 0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status), "a child");
	return WEXITSTATUS(status);
}

void test_privilege(void)
{
	struct stat st;

	CHECK(stat(WARD_DEVICE, &st) == 0 && (st.st_mode & 0777) == 0600 && st.st_uid == 0, "only root's");
	CHECK(open_as_nobody() == EACCES, "by its mode");
	CHECK(chmod(WARD_DEVICE, 0666) == 0, "open to all");
	int error = open_as_nobody();
	chmod(WARD_DEVICE, 0600);
	CHECK(error == EPERM, "by the kernel: %s", strerror(error));
}

/* ---- Unwind tables ---- */

/* KiB that the kernel has allocated page by page. */
static long kernel_memory(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	long n = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmallocUsed: %ld", &n);
	if (f)
		fclose(f);
	CHECK(n >= 0, "VmallocUsed");
	return n;
}

/* It is back where it was; what is freed may be so a moment later. */
static void memory_is_back(long before, const char *after)
{
	long now = 0;

	for (int i = 0; i < 500; i++) {
		now = kernel_memory();
		if (now < before + 512)
			return;
		usleep(10000);
	}
	CHECK(0, "%s: %ld KiB before, %ld now", after, before, now);
}

static const struct ward_k_row few[] = {{0, WARD_K_RULE_RSP}, {16, ~0u}, {32, 0}};

static int rows_give(int fd, const struct ward_k_row *v, uint32_t n, struct ward_k_rows *out)
{
	*out = (struct ward_k_rows){.size = sizeof(*out), .n_rows = n, .rows = (uintptr_t)v};
	return asked(fd, WARD_K_ROWS, out);
}

static int places_give(int fd, const struct ward_k_place *v, uint32_t n)
{
	struct ward_k_mapped m = {.size = sizeof(m), .n_places = n, .owner = {77, 88}, .places = (uintptr_t)v};

	return asked(fd, WARD_K_MAPPED, &m);
}

static void bad_rows(int fd)
{
	static const struct ward_k_row twice[] = {{0, 1}, {16, 1}, {16, 2}}, back[] = {{0, 1}, {16, 1}, {8, 2}};
	struct ward_k_rows r;

	CHECK(rows_give(fd, twice, 3, &r) == EINVAL, "one is there twice");
	CHECK(rows_give(fd, back, 3, &r) == EINVAL, "not in order");
	CHECK(rows_give(fd, few, 0, &r) == EINVAL, "none");
	CHECK(rows_give(fd, few, WARD_K_MAX_ROWS + 1, &r) == EINVAL, "too many");
	CHECK(rows_give(fd, few, UINT32_MAX, &r) == EINVAL, "far too many");
	CHECK(rows_give(fd, (void *)4096, 3, &r) == EFAULT, "nowhere");
	CHECK(rows_give(fd, (void *)0xffffffff81000000, 3, &r) == EFAULT, "in the kernel");
	r = (struct ward_k_rows){.size = sizeof(r), .n_rows = 3, .rows = (uintptr_t)few, .unused = 1};
	CHECK(asked(fd, WARD_K_ROWS, &r) == EINVAL, "what isn't known is set");
}

/* Of the files 0 and 1. */
static void bad_places(int fd)
{
	static const struct ward_k_place good[] = {{4096, 8192, 0, 0}, {8192, 12288, 1, 4096}},
					 over[] = {{4096, 8193, 0, 0}, {8192, 12288, 1, 0}},
					 back[] = {{8192, 12288, 0, 0}, {4096, 8192, 1, 0}},
					 none[] = {{4096, 4096, 0, 0}}, less[] = {{8192, 4096, 0, 0}},
					 file[] = {{4096, 8192, 2, 0}}, skew[] = {{4096, 8192, 0, UINT32_MAX - 4095}},
					 large[] = {{4096, 4096 + (UINT64_C(1) << 32), 0, 0}},
					 high[] = {{0x7ffffffff000, 0xffff888000000000, 0, 0}},
					 kernel[] = {{0xffffffff81000000, 0xffffffff81001000, 0, 0}};
	struct ward_k_mapped m = {.size = sizeof(m), .n_places = 1, .places = (uintptr_t)good, .unused = 1};

	CHECK(places_give(fd, over, 2) == EINVAL, "they overlap");
	CHECK(places_give(fd, back, 2) == EINVAL, "not in order");
	CHECK(places_give(fd, none, 1) == EINVAL && places_give(fd, less, 1) == EINVAL, "nothing in it");
	CHECK(places_give(fd, file, 1) == EINVAL, "of no file");
	CHECK(places_give(fd, skew, 1) == EINVAL && places_give(fd, large, 1) == EINVAL, "more than 4 GiB");
	CHECK(places_give(fd, high, 1) == EINVAL && places_give(fd, kernel, 1) == EINVAL, "the kernel's");
	CHECK(places_give(fd, good, WARD_K_MAX_PLACES + 1) == EINVAL, "too many");
	CHECK(places_give(fd, (void *)4096, 2) == EFAULT, "nowhere");
	CHECK(asked(fd, WARD_K_MAPPED, &m) == EINVAL, "what isn't known is set");
	CHECK(places_give(fd, NULL, 0) == ENOENT, "nothing is there to be taken away");
	CHECK(places_give(fd, good, 2) == 0 && places_give(fd, good, 1) == 0, "good ones, and others in their place");
	CHECK(places_give(fd, NULL, 0) == 0 && places_give(fd, NULL, 0) == ENOENT, "taken away");
}

/* Each has the same bucket: there is a limit on those, too. */
static void many_processes(int fd)
{
	static const struct ward_k_place one[] = {{4096, 8192, 0, 0}};
	struct ward_k_mapped m = {.size = sizeof(m), .n_places = 1, .places = (uintptr_t)one};
	uint64_t used = 0, i;
	int error = 0;

	for (i = 0; i < 1000 && !error; i++) {
		m.owner[0] = 5 | i << 32;
		error = asked(fd, WARD_K_MAPPED, &m);
		CHECK(error || m.used > used, "%lu bytes", (unsigned long)m.used);
		used = m.used;
	}
	CHECK(error == E2BIG && i > 8 && i < 100, "%s after %lu", strerror(error), (unsigned long)i);
}

/* Until there is no room for more. */
static void much_memory(int fd)
{
	struct ward_k_row *v = malloc(WARD_K_MAX_ROWS * sizeof(*v));
	struct ward_k_rows r;
	uint64_t used = 0;
	unsigned n = 0;
	int error;

	CHECK(v, "memory");
	for (uint32_t i = 0; i < WARD_K_MAX_ROWS; i++)
		v[i] = (struct ward_k_row){i, i};
	while ((error = rows_give(fd, v, WARD_K_MAX_ROWS, &r)) == 0) {
		CHECK(r.used >= used + WARD_K_MAX_ROWS * sizeof(*v) && r.used <= WARD_K_MAX_TABLES, "%lu bytes",
			(unsigned long)r.used);
		CHECK(r.file == 2 + n, "file %u", r.file);
		used = r.used;
		n++;
	}
	CHECK(error == ENOSPC && n == WARD_K_MAX_TABLES / (WARD_K_MAX_ROWS * sizeof(*v)) - 1, "%s after %u",
		strerror(error), n);
	free(v);
}

void test_stacks_tables(void)
{
	long before = kernel_memory(), loaded, full;
	int fd = device();
	struct ward_k_load l = good_load();
	struct ward_k_rows r;

	CHECK(rows_give(fd, few, 3, &r) == ENODATA, "nothing is loaded");
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0 && rows_give(fd, few, 3, &r) == ENODATA, "nobody takes stacks");
	close(fd);
	fd = device();
	l = good_load();
	l.flags = WARD_K_WITH_STACKS;
	CHECK(asked(fd, WARD_K_LOAD, &l) == 0, "loaded");
	loaded = kernel_memory();
	CHECK(places_give(fd, NULL, 0) == ENODATA, "there are no rows yet");
	for (int round = 0; round < 2; round++) {
		CHECK(rows_give(fd, few, 3, &r) == 0 && r.file == 0, "file %u", r.file);
		CHECK(rows_give(fd, few, 1, &r) == 0 && r.file == 1, "file %u", r.file);
		bad_rows(fd);
		bad_places(fd);
		many_processes(fd);
		much_memory(fd);
		full = kernel_memory();
		CHECK(full > loaded + 60 * 1024, "%ld KiB, then %ld", loaded, full);
		CHECK(asked(fd, WARD_K_DETACH, NULL) == 0, "detached");
		CHECK(places_give(fd, NULL, 0) == ENODATA, "all are gone");
		memory_is_back(loaded, "after the tables are gone");
	}
	CHECK(rows_give(fd, few, 3, &r) == 0, "given once more");
	close(fd);
	memory_is_back(before, "after the file is closed");
}
