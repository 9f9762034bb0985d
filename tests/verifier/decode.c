/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wv_decode on encodings chosen by hand: what it refuses and with which status, and which fields the accepted ones
 * get.
 */
#include <stdio.h>

#include <Zydis/Zydis.h>
#include <criterion/criterion.h>

#include "verifier/decode/insn.h"
#include "guarded.h"

/* "48 89 c8" to bytes; returns how many. */
static size_t parse_hex(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	unsigned byte;
	int used;

	for (; sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		bytes[n++] = (uint8_t)byte;
	return n;
}

static int decode(const char *hex, struct wv_insn *insn, const char **why)
{
	static struct guarded g;
	uint8_t bytes[32];
	size_t n = parse_hex(hex, bytes);

	if (!g.map)
		g = guarded_new(sizeof bytes);
	cr_assert(g.map);
	return wv_decode(guarded_put(&g, bytes, n), n, 0x1000, insn, why);
}

/* clang-format off */
static const struct {
	const char *hex;
	enum wv_decode_status status;
	const char *what;
} refused[] = {
	/* no bytes, not all bytes */
	{"", WV_BAD_OPCODE, "nothing"},
	{"48", WV_BAD_OPCODE, "a prefix alone"},
	{"0f", WV_BAD_OPCODE, "an escape alone"},
	{"48 8b", WV_BAD_OPCODE, "no ModRM"},
	{"48 8b 44 24", WV_BAD_OPCODE, "no displacement"},
	{"b8 00 00 00", WV_BAD_OPCODE, "three bytes of an immediate of four"},
	{"6a", WV_BAD_OPCODE, "push without its byte"},
	{"68 00 00 00", WV_BAD_OPCODE, "push of three bytes of four"},
	{"eb", WV_BAD_OPCODE, "jmp without its distance"},
	{"e9 00 00 00", WV_BAD_OPCODE, "jmp with three bytes of a distance of four"},
	{"66 81 c0 00", WV_BAD_OPCODE, "one byte of an immediate of two"},
	{"48 81 c0 00 00 00", WV_BAD_OPCODE, "three bytes of an immediate of four, after ModRM"},
	{"c1 e0", WV_BAD_OPCODE, "shl without its count"},
	{"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", WV_BAD_OPCODE, "sixteen bytes"},

	/* V-10: instructions without a row */
	{"0f 05", WV_BAD_OPCODE, "syscall"},
	{"0f 34", WV_BAD_OPCODE, "sysenter"},
	{"cd 80", WV_BAD_OPCODE, "int 0x80"},
	{"f1", WV_BAD_OPCODE, "int1"},
	{"0f 30", WV_BAD_OPCODE, "wrmsr"},
	{"0f 32", WV_BAD_OPCODE, "rdmsr"},
	{"0f a2", WV_BAD_OPCODE, "cpuid"},
	{"0f 01 d0", WV_BAD_OPCODE, "xgetbv"},
	{"0f 01 ee", WV_BAD_OPCODE, "rdpkru"},
	{"f3 48 0f ae d0", WV_BAD_OPCODE, "wrfsbase"},
	{"0f b9 c0", WV_BAD_OPCODE, "ud1"},
	{"0f ff c0", WV_BAD_OPCODE, "ud0"},
	{"f4", WV_BAD_OPCODE, "hlt"},
	{"fa", WV_BAD_OPCODE, "cli"},
	{"fd", WV_BAD_OPCODE, "std"},
	{"fc", WV_BAD_OPCODE, "cld"},
	{"f9", WV_BAD_OPCODE, "stc"},
	{"9c", WV_BAD_OPCODE, "pushf"},
	{"9d", WV_BAD_OPCODE, "popf"},
	{"9e", WV_BAD_OPCODE, "sahf"},
	{"c8 10 00 00", WV_BAD_OPCODE, "enter"},
	{"ac", WV_BAD_OPCODE, "lodsb"},
	{"f3 a6", WV_BAD_OPCODE, "repe cmpsb"},
	{"f2 ae", WV_BAD_OPCODE, "repne scasb"},
	{"6c", WV_BAD_OPCODE, "insb"},
	{"f3 6f", WV_BAD_OPCODE, "rep outsd"},
	{"d7", WV_BAD_OPCODE, "xlat"},
	{"e3 00", WV_BAD_OPCODE, "jrcxz"},
	{"e2 fe", WV_BAD_OPCODE, "loop"},
	{"0f 18 0e", WV_BAD_OPCODE, "prefetch"},
	{"0f ae f1", WV_BAD_OPCODE, "mfence with bits that the processor ignores"},
	{"0f ae ef", WV_BAD_OPCODE, "lfence with bits that the processor ignores"},
	{"66 0f ae f8", WV_BAD_OPCODE, "pcommit, gone, or sfence with 66"},
	{"f3 0f ae e8", WV_BAD_OPCODE, "incssp"},
	{"0f ae 38", WV_BAD_OPCODE, "clflush"},
	{"48 0f c7 0e", WV_BAD_OPCODE, "cmpxchg16b"},
	{"c7 f8 00 00 00 00", WV_BAD_OPCODE, "xbegin"},
	{"d9 c0", WV_BAD_OPCODE, "fld"},
	{"0f 77", WV_BAD_OPCODE, "emms"},
	{"0f 6f c1", WV_BAD_OPERAND, "movq mm0, mm1"},
	{"0f 58 c1", WV_BAD_OPCODE, "addps"},
	{"f2 0f 58 c1", WV_BAD_OPCODE, "addsd"},
	{"f2 0f 2a c1", WV_BAD_OPCODE, "cvtsi2sd"},
	{"66 0f 2f c1", WV_BAD_OPCODE, "comisd"},
	{"0f ae 16", WV_BAD_OPCODE, "ldmxcsr"},
	{"0f ae 1e", WV_BAD_OPCODE, "stmxcsr"},
	{"0f ae 06", WV_BAD_OPCODE, "fxsave"},
	{"0f 2b 06", WV_BAD_OPCODE, "movntps"},
	{"66 0f f7 c1", WV_BAD_OPCODE, "maskmovdqu"},
	{"f2 0f f0 06", WV_BAD_OPCODE, "lddqu, of SSE3"},
	{"66 0f 38 00 c1", WV_BAD_OPCODE, "pshufb, of SSSE3"},
	{"66 0f 3a 15 06 01", WV_BAD_OPCODE, "pextrw into memory, of SSE4.1"},
	{"f2 0f d6 c1", WV_BAD_OPCODE, "movdq2q"},
	{"c5 f8 28 c1", WV_BAD_OPCODE, "vmovaps"},
	{"62 f1 7c 48 28 c1", WV_BAD_OPCODE, "vmovaps zmm, in an EVEX encoding"},
	{"8f e9 78 81 c0", WV_BAD_OPCODE, "an XOP encoding"},
	{"0f 0f c1 9e", WV_BAD_OPCODE, "3DNow!"},

	/* V-10: encodings that no manual documents */
	{"d6", WV_BAD_OPCODE, "salc, gone in 64-bit mode"},
	{"82 c0 01", WV_BAD_OPCODE, "add by 82, gone in 64-bit mode"},
	{"06", WV_BAD_OPCODE, "push es, gone in 64-bit mode"},
	{"9a 00 00 00 00 00 00", WV_BAD_OPCODE, "far call, gone in 64-bit mode"},
	{"f6 c8 01", WV_BAD_OPCODE, "test as F6 /1"},
	{"f7 c8 01 00 00 00", WV_BAD_OPCODE, "test as F7 /1"},
	{"c0 f0 01", WV_BAD_OPCODE, "shl as C0 /6"},
	{"c1 f0 01", WV_BAD_OPCODE, "shl as C1 /6"},
	{"d0 f0", WV_BAD_OPCODE, "shl as D0 /6"},
	{"d3 f0", WV_BAD_OPCODE, "shl as D3 /6"},
	{"0f 94 c8", WV_BAD_OPCODE, "sete with bits in the reg field"},
	{"0f 1f c8", WV_BAD_OPCODE, "0F 1F /1"},
	{"0f 19 c0", WV_BAD_OPCODE, "a reserved nop"},
	{"0f 1e c0", WV_BAD_OPCODE, "a reserved nop, part of which is endbr64"},
	{"0f 0d c0", WV_BAD_OPCODE, "a reserved nop by AMD"},

	/* V-11: prefixes */
	{"64 48 8b 06", WV_BAD_PREFIX, "fs"},
	{"65 48 8b 06", WV_BAD_PREFIX, "gs"},
	{"2e 48 8b 06", WV_BAD_PREFIX, "cs"},
	{"36 48 8b 06", WV_BAD_PREFIX, "ss"},
	{"3e 48 8b 06", WV_BAD_PREFIX, "ds"},
	{"48 0f 0b", WV_BAD_PREFIX, "ud2 with REX.W"},
	{"66 0f 0b", WV_BAD_PREFIX, "ud2 at 16 bits"},
	{"48 cc", WV_BAD_PREFIX, "int3 with REX.W"},
	{"26 48 8b 06", WV_BAD_PREFIX, "es"},
	{"2e 74 00", WV_BAD_PREFIX, "a branch hint"},
	{"3e 74 00", WV_BAD_PREFIX, "a branch hint"},
	{"67 48 8b 06", WV_BAD_PREFIX, "32-bit address"},
	{"67 e8 00 00 00 00", WV_BAD_PREFIX, "address size on a call"},
	{"67 48 8d 06", WV_BAD_PREFIX, "32-bit address in lea"},
	{"f0 48 01 c0", WV_BAD_PREFIX, "lock without memory"},
	{"f0 f0 48 01 06", WV_BAD_PREFIX, "lock twice"},
	{"f2 f0 48 01 06", WV_BAD_PREFIX, "xacquire lock add"},
	{"f3 f0 48 01 06", WV_BAD_PREFIX, "xrelease lock add"},
	{"f3 48 87 1e", WV_BAD_PREFIX, "xrelease xchg"},
	{"f0 48 89 06", WV_BAD_PREFIX, "lock mov"},
	{"f0 48 03 06", WV_BAD_PREFIX, "lock add with memory as the source"},
	{"f0 48 39 06", WV_BAD_PREFIX, "lock cmp"},
	{"f0 48 d1 26", WV_BAD_PREFIX, "lock shl"},
	{"f0 48 0f ba 26 01", WV_BAD_PREFIX, "lock bt"},
	{"f0 48 0f b3 0e", WV_BAD_PREFIX, "lock btr [rsi], rcx"},
	{"f0 90", WV_BAD_PREFIX, "lock nop"},
	{"f0 c3", WV_BAD_PREFIX, "lock ret"},
	{"66 f3 90", WV_BAD_PREFIX, "pause with 66"},
	{"f3 48 90", WV_BAD_PREFIX, "pause with REX.W"},
	{"f3 41 90", WV_BAD_PREFIX, "pause or xchg, with REX.B"},
	{"f3 f3 0f b8 c1", WV_BAD_PREFIX, "popcnt with its prefix twice"},
	{"f3 66 0f b8 c1", WV_BAD_PREFIX, "popcnt with 66 after F3: some decoders see no F3"},
	{"a4", WV_BAD_PREFIX, "movsb once"},
	{"48 ab", WV_BAD_PREFIX, "stosq once"},
	{"f2 48 ab", WV_BAD_PREFIX, "repne stosq"},
	{"67 f3 48 ab", WV_BAD_PREFIX, "rep stosq at edi"},
	{"64 f3 a4", WV_BAD_PREFIX, "rep movsb from fs"},
	{"66 f3 ab", WV_BAD_OPERAND, "rep stosw"},
	{"66 f3 a5", WV_BAD_OPERAND, "rep movsw"},
	{"f3 66 ab", WV_BAD_PREFIX, "rep stosw with 66 after F3"},
	{"f3 66 48 ab", WV_BAD_PREFIX, "rep stosq with a 66 without effect"},
	{"f3 41 aa", WV_BAD_PREFIX, "rep stosb with REX.B"},
	{"66 66 0f 6f c1", WV_BAD_PREFIX, "movdqa with its prefix twice"},
	{"66 f3 0f 6f c1", WV_BAD_PREFIX, "movdqu with 66"},
	{"f3 66 0f 6f c1", WV_BAD_PREFIX, "movdqu with 66 after F3"},
	{"f2 f3 0f 10 c1", WV_BAD_PREFIX, "movss with F2"},
	{"f3 f2 0f 10 c1", WV_BAD_PREFIX, "movsd with F3"},
	{"66 f2 0f 10 c1", WV_BAD_PREFIX, "movsd with 66"},
	{"2e 0f 28 06", WV_BAD_PREFIX, "movaps with cs"},
	{"64 0f 28 06", WV_BAD_PREFIX, "movaps with fs"},
	{"67 0f 28 06", WV_BAD_PREFIX, "movaps with a 32-bit address"},
	{"48 0f 28 c1", WV_BAD_PREFIX, "movaps with REX.W"},
	{"40 0f 28 c1", WV_BAD_PREFIX, "movaps with an empty REX"},
	{"42 0f 28 c1", WV_BAD_PREFIX, "movaps with REX.X and no memory"},
	{"48 66 0f 6f c1", WV_BAD_PREFIX, "movdqa with a REX that is ignored"},
	{"f3 48 0f 7e c1", WV_BAD_PREFIX, "movq with F3 and REX.W"},
	{"66 48 0f d6 c1", WV_BAD_PREFIX, "movq by D6 with REX.W"},
	{"f0 0f 29 06", WV_BAD_PREFIX, "lock movaps"},
	{"66 48 0f 7e c4", WV_BAD_OPERAND, "movq rsp, xmm0"},
	{"66 0f d7 e1", WV_BAD_OPERAND, "pmovmskb esp, xmm1"},
	{"66 48 0f d7 c1", WV_BAD_PREFIX, "pmovmskb with REX.W"},
	{"0f d7 c1", WV_BAD_OPERAND, "pmovmskb of mm1"},
	{"0f ef c1", WV_BAD_OPERAND, "pxor mm0, mm1"},
	{"0f 6e c0", WV_BAD_OPERAND, "movd mm0, eax"},
	{"66 c9", WV_BAD_PREFIX, "leave of a word"},
	{"48 c9", WV_BAD_PREFIX, "REX.W on leave"},
	{"48 cc", WV_BAD_PREFIX, "REX.W on int3"},
	{"3e 0f 11 06", WV_BAD_PREFIX, "movups with a segment prefix"},
	{"f2 66 0f 10 c1", WV_BAD_PREFIX, "movsd with 66 after F2"},
	{"f2 f3 0f 10 c1", WV_BAD_PREFIX, "movss or movsd"},
	{"66 0f 31", WV_BAD_PREFIX, "66 on rdtsc"},
	{"48 0f 31", WV_BAD_PREFIX, "REX.W on rdtsc"},
	{"48 ff 36", WV_BAD_PREFIX, "REX.W on push [rsi]"},
	{"66 f3 0f 90 c1", WV_BAD_PREFIX, "seto under both"},
	{"c4 c2 70 f2 c1", WV_DECODED, "andn eax, ecx, r9d, for comparison"},
	{"c4 82 70 f2 c1", WV_BAD_PREFIX, "VEX.X without index"},
	{"c4 e2 74 f2 c1", WV_BAD_OPCODE, "VEX.L on andn"},
	{"c4 e3 f3 f0 c1 05", WV_BAD_OPCODE, "rorx with vvvv"},
	{"66 c4 e2 70 f2 c1", WV_BAD_PREFIX, "66 before VEX"},
	{"f0 c4 e2 70 f2 06", WV_BAD_PREFIX, "lock before VEX"},
	{"48 c4 e2 70 f2 c1", WV_BAD_PREFIX, "REX before VEX"},
	{"2e c4 e2 70 f2 06", WV_BAD_PREFIX, "cs before VEX"},
	{"67 c4 e2 70 f2 06", WV_BAD_PREFIX, "address size before VEX"},
	{"f2 e8 00 00 00 00", WV_BAD_PREFIX, "bnd call"},
	{"f2 c3", WV_BAD_PREFIX, "bnd ret"},
	{"f3 c3", WV_BAD_PREFIX, "rep ret"},
	{"f3 48 89 c8", WV_BAD_PREFIX, "rep mov"},
	{"f2 48 89 0e", WV_BAD_PREFIX, "xacquire mov"},
	{"f3 0f 1f 00", WV_BAD_PREFIX, "rep on a long nop"},
	{"f3 f3 0f 1e fa", WV_BAD_PREFIX, "endbr64 with its prefix twice"},
	{"66 f3 0f 1e fa", WV_BAD_PREFIX, "endbr64 with 66"},
	{"f3 48 0f 1e fa", WV_BAD_PREFIX, "endbr64 with REX.W"},
	{"66 66 01 c8", WV_BAD_PREFIX, "66 twice"},
	{"66 48 01 c8", WV_BAD_PREFIX, "66 without effect under REX.W"},
	{"66 00 c8", WV_BAD_PREFIX, "66 on bytes"},
	{"66 eb 00", WV_BAD_PREFIX, "66 on a short jump"},
	{"66 e9 00 00 00 00", WV_BAD_PREFIX, "66 on a jump: four bytes follow on Intel, two on AMD"},
	{"66 e8 00 00 00 00", WV_BAD_PREFIX, "66 on a call"},
	{"66 0f 84 00 00 00 00", WV_BAD_PREFIX, "66 on jcc"},
	{"66 c3", WV_BAD_PREFIX, "66 on ret"},
	{"48 66 01 c8", WV_BAD_PREFIX, "REX before 66: ignored"},
	{"48 48 01 c8", WV_BAD_PREFIX, "REX twice"},
	{"40 48 01 c8", WV_BAD_PREFIX, "REX before REX"},
	{"40 01 c8", WV_BAD_PREFIX, "REX without any bit"},
	{"42 01 c8", WV_BAD_PREFIX, "REX.X without index"},
	{"44 83 c0 01", WV_BAD_PREFIX, "REX.R on an opcode's own digits"},
	{"41 8b 05 00 00 00 00", WV_BAD_PREFIX, "REX.B on a rip-relative address"},
	{"48 00 c8", WV_BAD_PREFIX, "REX.W on bytes"},
	{"48 c3", WV_BAD_PREFIX, "REX.W on ret"},
	{"48 50", WV_BAD_PREFIX, "REX.W on push"},
	{"48 e8 00 00 00 00", WV_BAD_PREFIX, "REX.W on call"},
	{"48 90", WV_BAD_PREFIX, "REX.W on nop"},
	{"48 0f 94 c0", WV_BAD_PREFIX, "REX.W on sete"},

	/* V-12: operands */
	{"54", WV_BAD_OPERAND, "push rsp"},
	{"5c", WV_BAD_OPERAND, "pop rsp"},
	{"48 89 c4", WV_BAD_OPERAND, "mov rsp, rax"},
	{"48 8b 26", WV_BAD_OPERAND, "mov rsp, [rsi]"},
	{"48 c7 c4 00 00 00 00", WV_BAD_OPERAND, "mov rsp, 0"},
	{"48 01 c4", WV_BAD_OPERAND, "add rsp, rax"},
	{"48 03 26", WV_BAD_OPERAND, "add rsp, [rsi]"},
	{"83 c4 08", WV_BAD_OPERAND, "add esp, 8"},
	{"66 83 c4 08", WV_BAD_OPERAND, "add sp, 8"},
	{"40 80 c4 08", WV_BAD_OPERAND, "add spl, 8"},
	{"48 83 e4 f0", WV_BAD_OPERAND, "and rsp, -16"},
	{"48 ff c4", WV_BAD_OPERAND, "inc rsp"},
	{"48 8d 64 24 08", WV_BAD_OPERAND, "lea rsp, [rsp+8]"},
	{"48 0f 44 e0", WV_BAD_OPERAND, "cmove rsp, rax"},
	{"48 d1 e4", WV_BAD_OPERAND, "shl rsp, 1"},
	{"48 0f c4 c0 00", WV_BAD_OPERAND, "pinsrw"},
	{"48 87 c4", WV_BAD_OPERAND, "xchg rsp, rax"},
	{"48 94", WV_BAD_OPERAND, "xchg rsp, rax in one byte"},
	{"48 87 26", WV_BAD_OPERAND, "xchg [rsi], rsp"},
	{"48 0f c1 e0", WV_BAD_OPERAND, "xadd rax, rsp"},
	{"48 0f c1 c4", WV_BAD_OPERAND, "xadd rsp, rax"},
	{"48 0f c1 26", WV_BAD_OPERAND, "xadd [rsi], rsp"},
	{"48 0f b1 cc", WV_BAD_OPERAND, "cmpxchg rsp, rcx"},
	{"c4 e2 fb f6 e0", WV_BAD_OPERAND, "mulx rsp, rax, rax"},
	{"c4 e2 db f6 c0", WV_BAD_OPERAND, "mulx rax, rsp, rax"},
	{"c4 e2 f8 f2 e1", WV_BAD_OPERAND, "andn rsp, rax, rcx"},
	{"c4 e2 d8 f3 d9", WV_BAD_OPERAND, "blsi rsp, rcx"},
	{"f3 48 0f b8 e0", WV_BAD_OPERAND, "popcnt rsp, rax"},
	{"48 0f ab c4", WV_BAD_OPERAND, "bts rsp, rax"},
	{"48 0f a4 c4 01", WV_BAD_OPERAND, "shld rsp, rax, 1"},
	{"0f ab 0e", WV_BAD_OPERAND, "bts [rsi], ecx"},
	{"c2 08 00", WV_BAD_OPERAND, "ret 8"},
	{"cb", WV_BAD_OPERAND, "far return"},
	{"48 cb", WV_BAD_OPERAND, "far return of 64 bits"},
	{"ca 08 00", WV_BAD_OPERAND, "far return with immediate"},
	{"66 50", WV_BAD_OPERAND, "push ax"},
	{"66 58", WV_BAD_OPERAND, "pop ax"},
	{"66 6a 01", WV_BAD_OPERAND, "push of a word"},
	{"66 68 01 00", WV_BAD_OPERAND, "push of a word"},
	{"0f a0", WV_BAD_OPERAND, "push fs"},
	{"0f a9", WV_BAD_OPERAND, "pop gs"},
	{"8c d8", WV_BAD_OPERAND, "mov eax, ds"},
	{"8e d8", WV_BAD_OPERAND, "mov ds, eax"},
	{"0f 20 c0", WV_BAD_OPERAND, "mov rax, cr0"},
	{"0f 22 c0", WV_BAD_OPERAND, "mov cr0, rax"},
	{"0f 23 c0", WV_BAD_OPERAND, "mov dr0, rax"},
	{"a0 00 00 00 00 00 00 00 00", WV_BAD_OPERAND, "mov al, of a 64-bit address"},
	{"48 a3 00 00 00 00 00 00 00 00", WV_BAD_OPERAND, "mov to a 64-bit address, rax"},
	{"0f a3 0e", WV_BAD_OPERAND, "bt [rsi], ecx"},
	{"66 0f c8", WV_BAD_OPERAND, "bswap at 16 bits"},
	{"66 8d 06", WV_BAD_OPERAND, "lea at 16 bits"},
	{"63 c1", WV_BAD_OPERAND, "movsxd without REX.W"},
	{"66 63 c1", WV_BAD_OPERAND, "movsxd at 16 bits"},
	{"66 0f b7 c1", WV_BAD_OPERAND, "movzx ax, cx"},
	{"66 0f bf c1", WV_BAD_OPERAND, "movsx ax, cx"},

	/* V-22 */
	{"ff 26", WV_INDIRECT, "jmp [rsi]"},
	{"ff 24 25 00 00 00 00", WV_INDIRECT, "jmp through an absolute address"},
	{"ff 14 25 00 00 00 00", WV_INDIRECT, "call through an absolute address"},
	{"ff 2d 00 00 00 00", WV_INDIRECT, "far jmp through an address from rip"},
	{"ff 1d 00 00 00 00", WV_INDIRECT, "far call through an address from rip"},
	{"ff a5 00 00 00 00", WV_INDIRECT, "jmp through [rbp]"},
	{"ff 95 00 00 00 00", WV_INDIRECT, "call through [rbp]"},
	{"48 ff 15 00 00 00 00", WV_BAD_PREFIX, "call from rip with REX.W"},
	{"41 ff 15 00 00 00 00", WV_BAD_PREFIX, "call from rip with REX.B"},
	{"40 ff 25 00 00 00 00", WV_BAD_PREFIX, "jmp from rip with REX"},
	{"66 ff 15 00 00 00 00", WV_BAD_PREFIX, "call from rip with 66"},
	{"67 ff 15 00 00 00 00", WV_BAD_PREFIX, "call from eip"},
	{"64 ff 15 00 00 00 00", WV_BAD_PREFIX, "call from fs and rip"},
	{"2e ff 15 00 00 00 00", WV_BAD_PREFIX, "call from cs and rip"},
	{"3e ff 25 00 00 00 00", WV_BAD_PREFIX, "notrack jmp from rip"},
	{"f2 ff 15 00 00 00 00", WV_BAD_PREFIX, "bnd call from rip"},
	{"f3 ff 25 00 00 00 00", WV_BAD_PREFIX, "rep jmp from rip"},
	{"ff 2e", WV_INDIRECT, "far jmp"},
	{"ff d0", WV_INDIRECT, "call rax"},
	{"ff 16", WV_INDIRECT, "call [rsi]"},
	{"ff 1e", WV_INDIRECT, "far call"},
	{"3e ff 26", WV_INDIRECT, "notrack jmp [rsi]"},
	{"48 ff e0", WV_BAD_PREFIX, "jmp rax with REX.W"},
	{"66 ff e0", WV_BAD_PREFIX, "jmp rax at 16 bits, or not: the vendors differ"},
	{"f2 ff e0", WV_BAD_PREFIX, "bnd jmp rax"},
	{"2e ff e0", WV_BAD_PREFIX, "jmp rax with a segment prefix"},
	{"3e 3e ff e0", WV_BAD_PREFIX, "notrack twice"},
	{"42 ff e0", WV_BAD_PREFIX, "jmp rax with a REX.X without effect"},
	{"ff e4", WV_BAD_OPERAND, "jmp rsp"},
	{"3e e9 00 00 00 00", WV_BAD_PREFIX, "notrack before a direct jmp"},
};
/* clang-format on */

Test(decode, refused)
{
	static const char *const names[] = {"decoded", "bad opcode", "bad prefix", "bad operand", "indirect"};
	size_t n = sizeof refused / sizeof *refused;

	for (size_t i = 0; i < n; i++) {
		struct wv_insn insn;
		const char *why;
		int status = decode(refused[i].hex, &insn, &why);

		cr_expect_eq(status, (int)refused[i].status, "%s (%s): %s instead of %s (%s)", refused[i].hex,
			refused[i].what, names[status], names[refused[i].status], why ? why : "");
		cr_expect(status == WV_DECODED || (why && *why), "%s: no reason given", refused[i].hex);
	}
	fprintf(stderr, "decode: %zu encodings refused with the right status\n", n);
}

/* What a rejection calls the instruction. That names are those of Zydis is seen to in same.c. */
Test(decode, refused_by_name)
{
	static const char *const names[][2] = {
		{"0f 05", "syscall"},
		{"48 0f ae 06", "fxsave"},
		{"0f ae 3e", "clflush"},
		{"0f ae f1", "a fence with bits that the processor ignores"},
		{"f2 0f 58 c1", "addsd"},
		{"66 f2 0f 58 c1", "addsd"},
		{"f3 0f 58 c1", "addss"},
		{"f2 0f 38 f0 c1", "crc32"},
		{"c5 f8 28 c1", "an instruction with a VEX prefix"},
		{"c4 e1 f9 6e c0", "a vector instruction with a VEX prefix"},
		{"d9 c0", "an x87 instruction"},
		{"ff 16", "indirect call"},
		{"c2 08 00", "ret with an immediate"},
		{"d6", "an unknown instruction"},
		{"48 8b 44 24", "an instruction that runs past the end of the text"},
		{"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", "an instruction of more than 15 bytes"},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct wv_insn insn;
		const char *why;

		cr_assert_neq(decode(names[i][0], &insn, &why), WV_DECODED);
		cr_expect_str_eq(why, names[i][1], "%s: \"%s\"", names[i][0], why);
	}
}

/* clang-format off */
static const struct {
	const char *hex, *text;
	unsigned width;
	int64_t imm;
} accepted[] = {
	{"b0 ff", "mov al, -1", 8, -1},
	{"66 b8 ff ff", "mov ax, -1", 16, -1},
	{"b8 ff ff ff ff", "mov eax, -1", 32, -1},
	{"b8 00 00 00 80", "mov eax, 0x80000000", 32, INT32_MIN},
	{"48 c7 c0 ff ff ff ff", "mov rax, -1", 64, -1},
	{"48 b8 ff ff ff ff 00 00 00 00", "mov rax, 0xffffffff", 64, 0xffffffff},
	{"48 b8 00 00 00 00 00 00 00 80", "mov rax, 0x8000000000000000", 64, INT64_MIN},
	{"83 c0 80", "add eax, -128", 32, -128},
	{"48 05 00 00 00 80", "add rax, 0xffffffff80000000", 64, INT32_MIN},
	{"66 81 3e 00 80", "cmp word [rsi], 0x8000", 16, -32768},
	{"6a 80", "push -128", 64, -128},
	{"68 00 00 00 80", "push 0xffffffff80000000", 64, INT32_MIN},
	{"c1 e0 ff", "shl eax, 255", 32, 255},
	{"d1 e8", "shr eax, 1", 32, 1},
	{"48 d3 3e", "sar qword [rsi], cl", 64, 0},
	{"48 0f ba e0 85", "bt rax, 133", 64, 133},
	{"6b c1 f0", "imul eax, ecx, -16", 32, -16},
	{"48 69 06 00 00 01 00", "imul rax, qword [rsi], 0x10000", 64, 0x10000},
	{"0f b6 c4", "movzx eax, ah", 32, 0},
	{"0f b6 df", "movzx ebx, bh", 32, 0},
	{"40 0f b6 c4", "movzx eax, spl", 32, 0},
	{"40 88 f7", "mov dil, sil", 8, 0},
	{"48 8b 05 10 00 00 00", "mov rax, qword [rel 0x1017]", 64, 0},
	{"c7 05 f0 ff ff ff 01 00 00 00", "mov dword [rel 0xffa], 1", 32, 1},
	{"48 8b 04 25 00 10 00 00", "mov rax, qword [0x1000]", 64, 0},
	{"48 8b 04 cd f8 ff ff ff", "mov rax, qword [rcx*8-8]", 64, 0},
	{"4a 8d 44 a6 01", "lea rax, [rsi+r12*4+1]", 64, 0},
	{"49 8b 04 24", "mov rax, qword [r12]", 64, 0},
	{"49 8b 45 00", "mov rax, qword [r13]", 64, 0},
	{"48 8b 44 24 08", "mov rax, qword [rsp+8]", 64, 0},
	{"48 89 e0", "mov rax, rsp", 64, 0},
	{"48 8d 44 24 08", "lea rax, [rsp+8]", 64, 0},
	{"48 83 ec 18", "sub rsp, 24", 64, 24},
	{"48 81 c4 00 01 00 00", "add rsp, 256", 64, 256},
	{"48 39 c4", "cmp rsp, rax", 64, 0},
	{"45 0f b7 c9", "movzx r9d, r9w", 32, 0},
	{"4d 63 c1", "movsxd r8, r9d", 64, 0},
	{"41 0f 9f c0", "setg r8b", 8, 0},
	{"0f 92 06", "setb byte [rsi]", 8, 0},
	{"4c 0f 4e 06", "cmovle r8, qword [rsi]", 64, 0},
	{"41 57", "push r15", 64, 0},
	{"ff f0", "push rax", 64, 0},
	{"99", "cdq", 32, 0},
	{"48 99", "cqo", 64, 0},
	{"98", "cwde", 32, 0},
	{"48 98", "cdqe", 64, 0},
	{"eb fe", "jmp 0x1000", 64, 0},
	{"7f 80", "jg 0xf82", 64, 0},
	{"0f 82 00 01 00 00", "jb 0x1106", 64, 0},
	{"e8 fb ff ff ff", "call 0x1000", 64, 0},
	{"c3", "ret", 64, 0},
	{"cc", "int3", 64, 0},
	{"f3 0f 1e fa", "endbr64", 64, 0},
	{"f3 90", "pause", 64, 0},
	{"0f ae e8", "lfence", 64, 0},
	{"0f ae f0", "mfence", 64, 0},
	{"0f ae f8", "sfence", 64, 0},
	{"f3 48 ab", "rep stosq", 64, 0},
	{"f3 a5", "rep movsd", 32, 0},
	{"c9", "leave", 64, 0},
	{"66 98", "cbw", 16, 0},
	{"66 99", "cwd", 16, 0},
	{"0f 31", "rdtsc", 64, 0},
	{"0f 01 f9", "rdtscp", 64, 0},
	{"88 e0", "mov al, ah", 8, 0},
	{"88 26", "mov byte [rsi], ah", 8, 0},
	{"8a 26", "mov ah, byte [rsi]", 8, 0},
	{"b4 05", "mov ah, 5", 8, 5},
	{"80 cc ff", "or ah, -1", 8, -1},
	{"0f be c4", "movsx eax, ah", 32, 0},
	{"0f 94 c4", "sete ah", 8, 0},
	{"86 e0", "xchg al, ah", 8, 0},
	{"48 93", "xchg rbx, rax", 64, 0},
	{"41 90", "xchg r8d, eax", 32, 0},
	{"48 87 1e", "xchg qword [rsi], rbx", 64, 0},
	{"f0 48 87 1e", "lock xchg qword [rsi], rbx", 64, 0},
	{"f0 83 06 01", "lock add dword [rsi], 1", 32, 1},
	{"f0 fe 0e", "lock dec byte [rsi]", 8, 0},
	{"f0 48 f7 16", "lock not qword [rsi]", 64, 0},
	{"f0 48 0f ba 2e 3f", "lock bts qword [rsi], 63", 64, 63},
	{"f0 48 0f c1 0e", "lock xadd qword [rsi], rcx", 64, 0},
	{"66 f0 0f b1 0e", "lock cmpxchg word [rsi], cx", 16, 0},
	{"48 0f b1 0e", "cmpxchg qword [rsi], rcx", 64, 0},
	{"f7 e9", "imul ecx", 32, 0},
	{"f6 ec", "imul ah", 8, 0},
	{"48 f7 f9", "idiv rcx", 64, 0},
	{"66 f7 36", "div word [rsi]", 16, 0},
	{"0f a4 c1 04", "shld ecx, eax, 4", 32, 4},
	{"48 0f ad c1", "shrd rcx, rax, cl", 64, 0},
	{"48 d1 d8", "rcr rax, 1", 64, 1},
	{"0f ba 26 85", "bt dword [rsi], 133", 32, 133},
	{"ff 36", "push qword [rsi]", 64, 0},
	{"8f 06", "pop qword [rsi]", 64, 0},
	{"f3 0f b8 c1", "popcnt eax, ecx", 32, 0},
	{"66 f3 0f b8 c1", "popcnt ax, cx", 16, 0},
	{"f3 48 0f bc c1", "tzcnt rax, rcx", 64, 0},
	{"f3 0f bd c1", "lzcnt eax, ecx", 32, 0},
	{"0f 38 f0 06", "movbe eax, dword [rsi]", 32, 0},
	{"66 0f 38 f1 06", "movbe word [rsi], ax", 16, 0},
	{"c4 e2 f8 f2 c1", "andn rax, rax, rcx", 64, 0},
	{"c4 e2 f1 f7 c2", "shlx rax, rdx, rcx", 64, 0},
	{"c4 62 33 f6 06", "mulx r8d, r9d, dword [rsi]", 32, 0},
	{"c4 e2 fb f6 c1", "mulx rax, rax, rcx", 64, 0},
	{"c4 e3 fb f0 c1 3f", "rorx rax, rcx, 63", 64, 63},
	{"c4 e2 78 f3 d9", "blsi eax, ecx", 32, 0},
	{"0f 1f 84 00 00 00 00 00", "nop", 32, 0},
	{"66 66 66 66 66 66 2e 0f 1f 84 00 00 00 00 00", "nop", 16, 0},
};
/* clang-format on */

Test(decode, accepted)
{
	for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
		struct wv_insn insn;
		const char *why;
		char text[100];
		uint8_t bytes[32];
		size_t n = parse_hex(accepted[i].hex, bytes);

		cr_assert_eq(decode(accepted[i].hex, &insn, &why), WV_DECODED, "%s: %s", accepted[i].text, why);
		wv_insn_print(&insn, text, sizeof text);
		cr_expect_str_eq(text, accepted[i].text);
		cr_expect(insn.width == accepted[i].width && insn.imm == accepted[i].imm && insn.length == n,
			"%s: width %u, imm %ld, length %u", text, insn.width, (long)insn.imm, insn.length);
	}
}

Test(decode, print_fits_any_buffer)
{
	struct wv_insn insn;
	const char *why;
	char whole[100], part[100];

	cr_assert_eq(decode("48 81 84 cb 78 56 34 12 00 00 00 80", &insn, &why), WV_DECODED);
	wv_insn_print(&insn, whole, sizeof whole);
	cr_assert_str_eq(whole, "add qword [rbx+rcx*8+305419896], 0xffffffff80000000");
	for (size_t size = 1; size < sizeof part; size++) {
		memset(part, '#', sizeof part);
		wv_insn_print(&insn, part, size);
		cr_assert_eq(strncmp(part, whole, size - 1), 0);
		cr_assert_eq(part[strlen(whole) < size - 1 ? strlen(whole) : size - 1], 0);
		cr_assert_eq(part[size], '#');
	}
}

/*
 * The constant in zydis.c leaves out what ZydisDecoderInit might set in another version: lzcnt and tzcnt would then be
 * bsr and bsf.
 */
Test(decode, modes_that_change_meanings_are_on)
{
	ZydisDecoder fresh;

	cr_assert(ZYAN_SUCCESS(ZydisDecoderInit(&fresh, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
	for (int mode = 0; mode <= ZYDIS_DECODER_MODE_MAX_VALUE; mode++) {
		bool expected = mode == ZYDIS_DECODER_MODE_MPX || mode == ZYDIS_DECODER_MODE_CET ||
				mode == ZYDIS_DECODER_MODE_LZCNT || mode == ZYDIS_DECODER_MODE_TZCNT ||
				mode == ZYDIS_DECODER_MODE_CLDEMOTE;

		cr_assert_eq((bool)fresh.decoder_mode[mode], expected, "decoder mode %d", mode);
	}
}
