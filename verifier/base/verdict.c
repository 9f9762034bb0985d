/* SPDX-License-Identifier: Apache-2.0 */
/* Names of rules, registers, features and event fields. */
#include "ward/verify.h"

static const struct {
	const char *number, *property, *text;
} rules[WARD_RULE_COUNT] = {
#define RULE(id, number, property, text) [WARD_RULE_##id] = {number, property, text},
#include "ward/rules.def"
#undef RULE
};

const char *ward_rule_number(enum ward_rule rule)
{
	return (unsigned)rule < WARD_RULE_COUNT ? rules[rule].number : "?";
}

const char *ward_rule_property(enum ward_rule rule)
{
	return (unsigned)rule < WARD_RULE_COUNT ? rules[rule].property : "?";
}

const char *ward_rule_text(enum ward_rule rule)
{
	return (unsigned)rule < WARD_RULE_COUNT ? rules[rule].text : "?";
}

const char *ward_register_name(unsigned reg)
{
	static const char *const names[32] = {
		"rax",
		"rcx",
		"rdx",
		"rbx",
		"rsp",
		"rbp",
		"rsi",
		"rdi",
		"r8",
		"r9",
		"r10",
		"r11",
		"r12",
		"r13",
		"r14",
		"r15",
		"xmm0",
		"xmm1",
		"xmm2",
		"xmm3",
		"xmm4",
		"xmm5",
		"xmm6",
		"xmm7",
		"xmm8",
		"xmm9",
		"xmm10",
		"xmm11",
		"xmm12",
		"xmm13",
		"xmm14",
		"xmm15",
	};

	return reg < 32 ? names[reg] : "?";
}

const char *ward_feature_name(uint32_t feature)
{
	switch (feature) {
#define FEATURE(id, bit, name, leaf, subleaf, reg, position, allowed) \
	case WARD_FEATURE_##id: return name;
#include "ward/feature.def"
#undef FEATURE
	default: return "?";
	}
}

/* Names by index, in the order of event.def. A field of several elements takes its names from a list of as many. */
#define NAMES_1(name) #name
#define NAMES_6(name) #name "[0]", #name "[1]", #name "[2]", #name "[3]", #name "[4]", #name "[5]"

static const char *const event_names[] = {
#define EVENT_FIELD(name, count, text) NAMES_##count(name),
#include "ward/event.def"
#undef EVENT_FIELD
};

enum {
	EVENT_WORDS = 0
#define EVENT_FIELD(name, count, text) +(count)
#include "ward/event.def"
#undef EVENT_FIELD
};
_Static_assert(
	sizeof event_names / sizeof *event_names == EVENT_WORDS, "one name for each eight bytes of struct ward_event");
_Static_assert(EVENT_WORDS <= 16, "a field's index is a bit of event_fields");

const char *ward_event_field_name(unsigned index)
{
	return index < EVENT_WORDS ? event_names[index] : "?";
}

const char *ward_need_name(uint32_t need)
{
	switch (need) {
	case WARD_NEED_DF_CLEAR: return "df-clear";
	case WARD_NEED_AC_CLEAR: return "ac-clear";
	case WARD_NEED_RSP_ALIGNED: return "rsp-aligned";
	default: return "?";
	}
}
