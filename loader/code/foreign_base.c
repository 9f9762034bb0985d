/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Foreign bases of fs.
 *
 * A stub identifies its thread by the word at fs:0. Every Linux C library keeps the thread's own control block there.
 * But a thread may have another base for a while: emulators and loaders of foreign programs do that, so do threads
 * that a program makes without the C library, and a static program has another base before its C library has made the
 * first control block. Then fs:0 may be unmapped, or belong to another thread. Reading the base itself (rdfsbase) is
 * always right, but costs three times as much as a whole stub. So stubs read it only in processes that can have
 * foreign bases. Such a process contains code, outside the C library and the Go runtime, that can set the base or
 * make threads by itself:
 *
 * - wrfsbase;
 * - a system call instruction with the number of arch_prctl, clone or clone3, or with a number that can't be
 *   determined;
 * - a use of the C library's arch_prctl, or of its syscall() with the number of arch_prctl in the caller's code.
 *
 * A thread that the C library's clone makes has the base of the thread that made it. A control block is there, but
 * two threads have it at once.
 *
 * Two bytes that look like a system call count as one if the function around them decodes to it, or if no function is
 * known around them. Ward doesn't see code that is made or loaded later, nor a selector that is loaded into fs.
 */
#include "foreign_base.h"

#include "loader/symbols/unwind.h"
#include "loader/process/go.h"
#include "loader/symbols/watched_names.h"

#include <Zydis/Zydis.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CHUNK = 1 << 20,
	OVERLAP = 16,           /* bytes that are read twice, because a match may cross the end of a chunk */
	FUNCTION_MAX = 1 << 16, /* a system call further down is taken for one whose number isn't known */
	UNKNOWN = -1,
};

/* The module that is examined. */
struct look {
	const struct wl_process *p;
	const struct wl_maps *maps;
	struct wl_module *m;
	const struct wl_map *map;
	uint64_t frames; /* the unwind tables */
	ZydisDecoder decoder;
	bool is_static;     /* the C library's functions are among its own */
	uint8_t *function;  /* the code of the one that was looked at last: */
	uint64_t start, at; /* it begins there, and was decoded up to there */
	size_t size;
	int64_t number; /* what rax holds there */
	bool shares;    /* threads may share a base */
	bool any;       /* there is a system call instruction */
	bool mentions;  /* arch_prctl's number is put into eax somewhere, from where a jump may lead to one */
};

/*
 * Functions of C libraries that make system calls by numbers that they are given, or set the base right, or make
 * threads that have their own. Names that begin with an underscore are theirs (and the compiler's).
 */
static bool is_c_librarys(const char *name)
{
	static const char *const names[] = {
		"syscall", "arch_prctl", "clone", "clone3", "start_thread", "setxid_mark_thread"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return name[0] == '_';
}

static bool is_counted(int64_t number)
{
	return number == UNKNOWN || number == SYS_arch_prctl || number == SYS_clone || number == SYS_clone3;
}

/* The function around an address: read, and to be decoded from its beginning. False if none is known. */
static bool find_function(struct look *l, uint64_t addr, bool *librarys)
{
	uint64_t offset = addr - l->map->start + l->map->offset, start, end;
	const struct wl_symbol *s = NULL;

	if (l->is_static && wl_module_load_symbols(l->m) == 0)
		s = wl_module_function_at(l->m, offset);
	*librarys = s && is_c_librarys(s->name);
	if (s) {
		start = addr - (offset - s->offset);
		end = start + s->size;
	} else if (!l->frames || !wl_frames_range(l->p, l->frames, addr, &start, &end)) {
		return false;
	}
	if (start < l->map->start || end > l->map->end || addr - start > FUNCTION_MAX)
		return false;
	if (start == l->start && l->at <= addr)
		return true;
	l->size = end - start < FUNCTION_MAX + OVERLAP ? (size_t)(end - start) : FUNCTION_MAX + OVERLAP;
	l->start = l->at = start;
	l->number = UNKNOWN;
	return wl_process_read(l->p, start, l->function, l->size);
}

static bool is_rax(ZydisRegister r)
{
	return r != ZYDIS_REGISTER_NONE &&
	       ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r) == ZYDIS_REGISTER_RAX;
}

/* The number in rax behind the instruction, if a constant was loaded. */
static int64_t number_follow(int64_t number, const ZydisDecodedInstruction *z, const ZydisDecodedOperand *ops)
{
	if (z->mnemonic == ZYDIS_MNEMONIC_MOV && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		ops[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && is_rax(ops[0].reg.value) && ops[0].size >= 32)
		return (int64_t)(ops[1].imm.value.u & UINT32_MAX);
	if (z->mnemonic == ZYDIS_MNEMONIC_XOR && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && is_rax(ops[0].reg.value) &&
		ops[1].reg.value == ops[0].reg.value && ops[0].size >= 32)
		return 0;
	if (z->mnemonic == ZYDIS_MNEMONIC_CALL || z->mnemonic == ZYDIS_MNEMONIC_RET ||
		z->mnemonic == ZYDIS_MNEMONIC_JMP)
		return UNKNOWN;
	for (unsigned i = 0; i < z->operand_count; i++)
		if (ops[i].type == ZYDIS_OPERAND_TYPE_REGISTER && (ops[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
			is_rax(ops[i].reg.value))
			return UNKNOWN;
	return number;
}

/*
 * Where no function is known two such bytes may be one that was written in assembly, or among tables that stand in the
 * text: by what is usual around one. Before it something was put into a register, or taken from the stack; behind it
 * the result is looked at or moved, or the function ends.
 */
static bool looks_like_one(const uint8_t *p, size_t before)
{
	static const uint8_t behind[] = {0x31, 0x3d, 0x41, 0x45, 0x48, 0x49, 0x4c, 0x4d, 0x66, 0x72, 0x73, 0x78, 0x79,
		0x83, 0x85, 0x89, 0x90, 0xc3, 0xc9, 0xe9, 0xeb, 0xf3, 0x0f, 0xf4, 0xcc};
	bool number, moved, popped, loaded;

	if (before < 5 || !((p[2] & 0xf8) == 0x58 || memchr(behind, p[2], sizeof(behind))))
		return before < 5;
	number = (p[-5] & 0xf8) == 0xb8 && !p[-2] && !p[-1];
	moved = (p[-2] == 0x89 || p[-2] == 0x8b || p[-2] == 0x31 || p[-2] == 0x33) && p[-1] >= 0xc0;
	popped = (p[-1] & 0xf8) == 0x58 && p[-1] != 0x5c; /* no code pops rsp */
	loaded = p[-4] == 0x8b && (p[-3] & 0xc7) == 0x44 && p[-2] == 0x24;
	return number || moved || popped || loaded;
}

/* Is it a system call that counts, or may it be one? */
static bool is_call_that_counts(struct look *l, uint64_t addr, const uint8_t *p, size_t before)
{
	bool librarys;

	if (!find_function(l, addr, &librarys))
		return looks_like_one(p, before);
	while (l->at < addr) {
		ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
		ZydisDecodedInstruction z;
		size_t offset = (size_t)(l->at - l->start);

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&l->decoder, l->function + offset, l->size - offset, &z, ops)))
			return true;
		l->number = number_follow(l->number, &z, ops);
		l->at += z.length;
	}
	if (l->at != addr)
		return false; /* within another instruction */
	l->any = true;
	return !librarys && is_counted(l->number);
}

/* wrfsbase with any register */
static bool is_wrfsbase(const uint8_t *p, size_t before)
{
	return p[1] == 0xae && (p[2] & 0xf8) == 0xd0 &&
	       ((before >= 1 && p[-1] == 0xf3) || (before >= 2 && p[-2] == 0xf3 && (p[-1] & 0xf0) == 0x40));
}

/* mov $158, %eax */
static bool is_mention(const uint8_t *p)
{
	static const uint8_t MOVE[] = {0xb8, SYS_arch_prctl, 0, 0, 0};

	return memcmp(p, MOVE, sizeof(MOVE)) == 0;
}

static bool look_at_chunk(struct look *l, const uint8_t *code, size_t n, uint64_t addr)
{
	for (size_t i = 0; i + OVERLAP <= n; i++) {
		if (code[i] == 0xb8)
			l->mentions |= !l->is_static && is_mention(code + i);
		if (code[i] != 0x0f)
			continue;
		if (is_wrfsbase(code + i, i) || (code[i + 1] == 0x05 && is_call_that_counts(l, addr + i, code + i, i)))
			return true;
	}
	return false;
}

/* Does the code of one mapping? */
static bool look_at_map(struct look *l, uint8_t *buf)
{
	for (uint64_t at = l->map->start; at < l->map->end; at += CHUNK - 2 * OVERLAP) {
		size_t want = l->map->end - at < CHUNK ? (size_t)(l->map->end - at) : CHUNK,
		       got = wl_process_read_some(l->p, at, buf, want);

		memset(buf + got, 0, OVERLAP);
		if (look_at_chunk(l, buf, got + (got < CHUNK ? OVERLAP : 0), at))
			return true;
		if (got < CHUNK)
			break;
	}
	return false;
}

/*
 * Does it call the C library's functions that do it? `syscall` counts with arch_prctl's number as an argument: mov
 * $158, %edi.
 */
static bool uses_functions(struct look *l, uint8_t *buf)
{
	static const uint8_t NUMBER[] = {0xbf, SYS_arch_prctl, 0, 0, 0};
	struct wl_strings s = wl_elf_dynamic_strings(&l->m->elf);
	bool uses = !l->is_static && wl_has_string(&s, "arch_prctl");

	l->shares |= !l->is_static && wl_has_string(&s, "clone");

	if (!uses && (l->is_static || wl_has_string(&s, "syscall")))
		for (uint64_t at = l->map->start; at < l->map->end && !uses; at += CHUNK - OVERLAP) {
			size_t want = l->map->end - at < CHUNK ? (size_t)(l->map->end - at) : CHUNK,
			       got = wl_process_read_some(l->p, at, buf, want);

			uses = got >= sizeof(NUMBER) && memmem(buf, got, NUMBER, sizeof(NUMBER));
			if (got < CHUNK)
				break;
		}
	free(s.p);
	return uses;
}

/* Those whose own business it is. Of Go's it is known how they make threads. */
static bool is_trusted(const struct wl_module *m)
{
	static const char linker[] = "ld-linux-x86-64.so";

	return wl_is_c_library(m->name) || wl_is_c_library(m->soname) ||
	       strncmp(m->name, linker, sizeof(linker) - 1) == 0 ||
	       strncmp(m->soname, linker, sizeof(linker) - 1) == 0 || m->is_go;
}

static bool can_be_foreign(struct look *l, uint8_t *buf)
{
	for (size_t i = 0; i < l->maps->n; i++) {
		const struct wl_map *map = &l->maps->v[i];

		if (!map->exec || map->inode != l->m->first->inode || map->major != l->m->first->major ||
			map->minor != l->m->first->minor)
			continue;
		l->map = map;
		l->start = l->at = 0;
		l->frames = wl_frames_find(l->p, l->maps, map);
		if (look_at_map(l, buf) || (l->any && l->mentions) || uses_functions(l, buf))
			return true;
	}
	return false;
}

static bool has_interpreter(const struct wl_elf *elf)
{
	for (size_t i = 0; i < elf->n_segments; i++)
		if (elf->segments[i].p_type == PT_INTERP)
			return true;
	return false;
}

bool wl_static_program(pid_t pid)
{
	struct wl_elf elf;
	char path[64];
	bool is = false;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (wl_elf_open(&elf, fd)) {
		is = !has_interpreter(&elf) && !wl_go_file(&elf);
		wl_elf_close(&elf);
	}
	close(fd);
	return is;
}

enum wl_foreign wl_foreign_look(const struct wl_process *p, const struct wl_maps *maps, struct wl_modules *modules)
{
	struct look l = {.p = p, .maps = maps, .is_static = wl_static_program(p->pid)};
	uint8_t *buf = malloc(CHUNK + OVERLAP);
	enum wl_foreign found = l.is_static ? WL_FOREIGN_AT_FIRST : WL_NOT_FOREIGN;

	if (!wl_can_read_base()) {
		free(buf);
		return WL_NOT_FOREIGN;
	}
	l.function = malloc(FUNCTION_MAX + OVERLAP);
	if (!buf || !l.function)
		found = WL_FOREIGN_ALWAYS;
	ZydisDecoderInit(&l.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (size_t i = 0; i < modules->n && found != WL_FOREIGN_ALWAYS; i++) {
		l.m = &modules->v[i];
		l.any = l.mentions = false;
		if (!is_trusted(l.m) && can_be_foreign(&l, buf))
			found = WL_FOREIGN_ALWAYS;
	}
	free(buf);
	free(l.function);
	return found == WL_NOT_FOREIGN && l.shares ? WL_SHARED_BASES : found;
}
