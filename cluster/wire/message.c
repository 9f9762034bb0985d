/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reader for all messages: it walks a message by protobuf-c's own description of its type, and looks each field
 * up in limits.def. So no message has a check of its own that could be forgotten, and a field without limits is
 * refused. What several fields must be together is checked where they are used (order.h).
 */
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refuse.h"

enum { ARENA_PER_BYTE = 8, ARENA_MORE = 64 << 10 };

struct limit {
	const ProtobufCMessageDescriptor *type;
	const char *field;
	uint64_t least, most;
	size_t count;
};

static const struct limit limits[] = {
#define LIMIT(message, field, least, most, count) {&ward__cluster__##message##__descriptor, #field, least, most, count},
#include "limits.def"
#undef LIMIT
};

static const struct limit *limit_find(const ProtobufCMessageDescriptor *type, const char *field)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].type == type && strcmp(limits[i].field, field) == 0)
			return &limits[i];
	return NULL;
}

/* Which message is being read, for the error. */
struct place {
	const char *what;
	struct ward_error *err;
};

static bool message_check(const struct place *at, const ProtobufCMessage *m);

static bool number_check(const struct place *at, const struct limit *l, uint64_t number)
{
	if (!l || (number >= l->least && number <= l->most))
		return true;
	return cluster_refuse(at->err, at->what, "C-33", "%s is %llu, not %llu to %llu", l->field,
		(unsigned long long)number, (unsigned long long)l->least, (unsigned long long)l->most);
}

/* One value, of whatever type. */
static bool value_check(
	const struct place *at, const ProtobufCFieldDescriptor *f, const struct limit *l, const void *value)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_MESSAGE: return message_check(at, *(ProtobufCMessage *const *)value);
	case PROTOBUF_C_TYPE_BYTES: {
		const ProtobufCBinaryData *b = value;
		if (l && b->len >= l->least && b->len <= l->most)
			return true;
		return cluster_refuse(at->err, at->what, "C-32", "%s has %zu bytes, not %llu to %llu", f->name, b->len,
			(unsigned long long)(l ? l->least : 0), (unsigned long long)(l ? l->most : 0));
	}
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM:
	case PROTOBUF_C_TYPE_BOOL: return number_check(at, l, *(const uint32_t *)value);
	default: return number_check(at, l, *(const uint64_t *)value);
	}
}

static size_t value_size(const ProtobufCFieldDescriptor *f)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(ProtobufCMessage *);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_ENUM:
	case PROTOBUF_C_TYPE_BOOL: return sizeof(uint32_t);
	default: return sizeof(uint64_t);
	}
}

static bool repeated_check(const struct place *at, const ProtobufCFieldDescriptor *f, const struct limit *l, size_t n,
	const unsigned char *values)
{
	if (!l || n > l->count)
		return cluster_refuse(
			at->err, at->what, "C-32", "%s is there %zu times, at most %zu", f->name, n, l ? l->count : 0);
	for (size_t i = 0; i < n; i++)
		if (!value_check(at, f, l, values + i * value_size(f)))
			return false;
	return true;
}

/* Is an optional field of a message there? */
static bool field_is_there(const ProtobufCFieldDescriptor *f, const unsigned char *m)
{
	if (f->label == PROTOBUF_C_LABEL_REQUIRED)
		return true;
	if (f->type == PROTOBUF_C_TYPE_MESSAGE)
		return *(ProtobufCMessage *const *)(m + f->offset) != NULL;
	return *(const protobuf_c_boolean *)(m + f->quantifier_offset) != 0;
}

static bool message_check(const struct place *at, const ProtobufCMessage *message)
{
	const unsigned char *m = (const unsigned char *)message;

	if (message->n_unknown_fields)
		return cluster_refuse(at->err, at->what, "C-31", "it has a field that this version doesn't know, %u",
			message->unknown_fields[0].tag);
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *f = &message->descriptor->fields[i];
		const struct limit *l = limit_find(message->descriptor, f->name);
		if (f->label == PROTOBUF_C_LABEL_REPEATED) {
			size_t n = *(const size_t *)(m + f->quantifier_offset);
			if (!repeated_check(at, f, l, n, *(unsigned char *const *)(m + f->offset)))
				return false;
		} else if (field_is_there(f, m) && !value_check(at, f, l, m + f->offset))
			return false;
	}
	return true;
}

bool cluster_message_read(struct cluster_message *out, const ProtobufCMessageDescriptor *type, const char *what,
	const void *bytes, size_t size, struct ward_error *err)
{
	const struct place at = {what, err};

	*out = (struct cluster_message){0};
	if (!size || size > CLUSTER_MOST_BYTES)
		return cluster_refuse(err, what, "C-30", "it has %zu bytes, at most %d", size, CLUSTER_MOST_BYTES);
	if (!arena_make(&out->arena, size * ARENA_PER_BYTE + ARENA_MORE))
		return cluster_refuse(err, what, NULL, "out of memory");
	ProtobufCAllocator allocator = {arena_take, arena_give_back, &out->arena};
	out->m = protobuf_c_message_unpack(type, &allocator, size, bytes);
	if (!out->m)
		return cluster_refuse(err, what, "C-31", "the bytes are none, or would take too much memory");
	if (message_check(&at, out->m))
		return true;
	out->m = NULL;
	return false;
}

void cluster_message_free(struct cluster_message *message)
{
	free(message->arena.at);
	*message = (struct cluster_message){0};
}

void *cluster_message_write(const ProtobufCMessage *m, size_t *size)
{
	void *bytes;

	*size = protobuf_c_message_get_packed_size(m);
	bytes = malloc(*size ? *size : 1);
	if (bytes)
		protobuf_c_message_pack(m, bytes);
	return bytes;
}

const char *cluster_message_unlimited(void)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const ProtobufCMessageDescriptor *type = limits[i].type;
		if (!protobuf_c_message_descriptor_get_field_by_name(type, limits[i].field))
			return limits[i].field;
		for (unsigned j = 0; j < type->n_fields; j++) {
			const ProtobufCFieldDescriptor *f = &type->fields[j];
			bool needs = f->type == PROTOBUF_C_TYPE_BYTES || f->label == PROTOBUF_C_LABEL_REPEATED;
			if (needs && !limit_find(type, f->name))
				return f->name;
		}
	}
	return NULL;
}

bool cluster_bytes_equal(ProtobufCBinaryData a, const void *b, size_t n)
{
	return a.len == n && (n == 0 || memcmp(a.data, b, n) == 0);
}
