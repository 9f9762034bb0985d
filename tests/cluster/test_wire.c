/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of other machines' bytes: each rule of spec/cluster.md about messages is kept once and broken once. */
#include <criterion/criterion.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/wire/choice.h"
#include "cluster/wire/message.h"
#include "cluster/wire/order.h"
#include "cluster/wire/refuse.h"
#include "cluster/wire/sign.h"
#include "cluster/wire/subject.h"

static uint8_t id[CLUSTER_ID] = {1, 2, 3}, digest[CLUSTER_DIGEST] = {4};
static struct ward_error err;

static ProtobufCBinaryData text(const char *s)
{
	return (ProtobufCBinaryData){strlen(s), (uint8_t *)s};
}

/* The message is read, or refused for this rule. */
static void expect_bytes(const ProtobufCMessageDescriptor *type, const void *bytes, size_t n, const char *rule)
{
	struct cluster_message m;
	bool ok = cluster_message_read(&m, type, "message", bytes, n, &err);

	if (!rule)
		cr_expect(ok && m.m, "%s", err.why);
	else
		cr_expect(!ok && !m.m && strstr(err.why, rule), "%s: %s", rule, ok ? "it is read" : err.why);
	cluster_message_free(&m);
}

static void expect(const ProtobufCMessage *m, const char *rule)
{
	size_t n;
	void *bytes = cluster_message_write(m, &n);

	expect_bytes(m->descriptor, bytes, n, rule);
	free(bytes);
}

static Ward__Cluster__Hello hello(void)
{
	Ward__Cluster__Hello m = WARD__CLUSTER__HELLO__INIT;

	m.format = 1;
	m.machine = text("web1.example.net");
	m.version = text("0.1");
	m.release = text("6.1.0");
	m.policy = (ProtobufCBinaryData){sizeof(digest), digest};
	return m;
}

Test(wire, sizes)
{
	Ward__Cluster__Hello m = hello();
	char longer[300];

	expect(&m.base, NULL);
	expect_bytes(&ward__cluster__hello__descriptor, "", 0, "C-30");
	void *big = calloc(1, CLUSTER_MOST_BYTES + 1);
	expect_bytes(&ward__cluster__hello__descriptor, big, CLUSTER_MOST_BYTES + 1, "C-30");
	free(big);
	expect_bytes(&ward__cluster__hello__descriptor, "\xff\xff\xff", 3, "C-31");

	memset(longer, 'x', sizeof(longer));
	m.machine = (ProtobufCBinaryData){127, (uint8_t *)longer};
	expect(&m.base, NULL);
	m.machine.len = 128;
	expect(&m.base, "C-32");
	m.machine.len = 0;
	expect(&m.base, "C-32");

	m = hello();
	ProtobufCBinaryData labels[65];
	for (int i = 0; i < 65; i++)
		labels[i] = text("role=web");
	m.label = labels;
	m.n_label = 64;
	expect(&m.base, NULL);
	m.n_label = 65;
	expect(&m.base, "C-32");

	m = hello();
	m.format = 2;
	expect(&m.base, "C-33");
}

/* Also behind the fields of a message within a message. */
Test(wire, unknown_fields)
{
	Ward__Cluster__Got m = WARD__CLUSTER__GOT__INIT;
	Ward__Cluster__GotEpoch epoch = WARD__CLUSTER__GOT_EPOCH__INIT, *epochs[] = {&epoch};
	ProtobufCMessageUnknownField unknown = {77, PROTOBUF_C_WIRE_TYPE_VARINT, 1, (uint8_t *)"\1"};

	m.query = (ProtobufCBinaryData){sizeof(id), id};
	m.cluster = text("c");
	m.n_epoch = 1;
	m.epoch = epochs;
	expect(&m.base, NULL);
	m.base.n_unknown_fields = 1;
	m.base.unknown_fields = &unknown;
	expect(&m.base, "C-31");
	m.base.n_unknown_fields = 0;
	epoch.base.n_unknown_fields = 1;
	epoch.base.unknown_fields = &unknown;
	expect(&m.base, "C-31");
}

/* A megabyte of submessages of two bytes would take many times that. */
Test(wire, memory)
{
	size_t n = CLUSTER_MOST_BYTES;
	uint8_t *bytes = malloc(n);

	for (size_t i = 0; i < n; i += 2) {
		bytes[i] = 4 << 3 | 2; /* an empty GotEpoch */
		bytes[i + 1] = 0;
	}
	expect_bytes(&ward__cluster__got__descriptor, bytes, n, "C-31");
	free(bytes);
}

Test(wire, every_field_has_limits)
{
	const char *field = cluster_message_unlimited();
	cr_expect_null(field, "%s", field);
}

static Ward__Cluster__Order order;
static Ward__Cluster__Unit unit, *units[5] = {&unit, &unit, &unit, &unit, &unit};
static Ward__Cluster__Variant variant, *variants[] = {&variant, &variant};
static Ward__Cluster__Choice choice;
static Ward__Cluster__Limits limits;

static void order_make(void)
{
	static ProtobufCBinaryData process;

	order = (Ward__Cluster__Order)WARD__CLUSTER__ORDER__INIT;
	unit = (Ward__Cluster__Unit)WARD__CLUSTER__UNIT__INIT;
	variant = (Ward__Cluster__Variant)WARD__CLUSTER__VARIANT__INIT;
	choice = (Ward__Cluster__Choice)WARD__CLUSTER__CHOICE__INIT;
	limits = (Ward__Cluster__Limits)WARD__CLUSTER__LIMITS__INIT;
	process = text("exe=/usr/bin/x");
	variant.module = text("module");
	unit.variant = variants;
	unit.n_variant = 1;
	unit.process = &process;
	unit.n_process = 1;
	unit.shape = (ProtobufCBinaryData){sizeof(digest), digest};
	order.query = (ProtobufCBinaryData){sizeof(id), id};
	order.cluster = text("c");
	order.issuer = text("alice");
	order.issued_at = 1000;
	order.not_after_at = 2000;
	order.choice = &choice;
	order.unit = units;
	order.n_unit = 1;
	order.limits = &limits;
	order.duration_ns = order.lease_ns = order.period_ns = 1000000000;
	order.shards = 1;
}

static void expect_order(const char *rule)
{
	bool ok = cluster_order_check(&order, &err);
	cr_expect(rule ? !ok && strstr(err.why, rule) : ok, "%s: %s", rule ? rule : "", ok ? "it is right" : err.why);
}

Test(wire, orders)
{
	static uint8_t module[CLUSTER_MOST_MODULES];

	order_make();
	expect(&order.base, NULL);
	expect_order(NULL);
	order.not_after_at = order.issued_at + 86400ull * 1000000000;
	expect_order(NULL);
	order.not_after_at++;
	expect_order("C-41");
	order.not_after_at = order.issued_at - 1;
	expect_order("C-41");

	order_make();
	order.n_unit = 0;
	expect_order("C-41");
	order.n_unit = 4;
	expect(&order.base, NULL);
	order.n_unit = 5;
	expect(&order.base, "C-32");

	order_make();
	unit.n_variant = 0;
	expect_order("C-41");
	order_make();
	unit.n_process = 0;
	expect_order("C-41");
	unit.kernel = true;
	expect_order(NULL);

	order_make();
	variant.module = (ProtobufCBinaryData){sizeof(module), module};
	expect_order(NULL);
	unit.n_variant = 2;
	expect_order("C-41");

	order_make();
	choice.selector = text("=web");
	choice.has_selector = true;
	expect_order("C-39");
	order_make();
	order.period_ns = 1;
	expect(&order.base, "C-33");
}

/* ---- keys ---- */

static struct cluster_secret alice, mallory;

static void keys_make(void)
{
	cr_assert(cluster_secret_make(&alice, &err));
	cr_assert(cluster_secret_make(&mallory, &err));
}

Test(wire, signatures)
{
	struct cluster_message m;
	size_t n;

	keys_make();
	order_make();
	uint8_t *bytes = cluster_sign(&alice, WARD__CLUSTER__SIGNED__KIND__ORDER, &order.base, &n);
	cr_assert(cluster_message_read(&m, &ward__cluster__signed__descriptor, "order", bytes, n, &err), "%s", err.why);
	Ward__Cluster__Signed *s = (Ward__Cluster__Signed *)m.m;
	cr_expect(cluster_signed_check(s, &err), "%s", err.why);
	s->kind = WARD__CLUSTER__SIGNED__KIND__CANCEL;
	cr_expect(!cluster_signed_check(s, &err) && strstr(err.why, "C-35"));
	s->kind = WARD__CLUSTER__SIGNED__KIND__ORDER;
	s->key.data = mallory.key.key;
	cr_expect(!cluster_signed_check(s, &err) && strstr(err.why, "C-35"));
	cluster_message_free(&m);

	/* with any bit changed it is no message, or not signed, or signed by nobody */
	for (size_t i = 0; i < n * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
		bool is_read = cluster_message_read(&m, &ward__cluster__signed__descriptor, "order", bytes, n, &err);
		cr_expect(!is_read || !cluster_signed_check((Ward__Cluster__Signed *)m.m, &err), "bit %zu", i);
		cluster_message_free(&m);
		bytes[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	free(bytes);
}

Test(wire, key_files)
{
	char folder[] = "/tmp/ward-keys-XXXXXX", path[64], public[CLUSTER_KEY_TEXT];
	struct cluster_secret again;
	struct cluster_key key;

	cr_assert(mkdtemp(folder));
	keys_make();
	snprintf(path, sizeof(path), "%s/alice.key", folder);
	cr_assert(cluster_secret_save(&alice, path, &err), "%s", err.why);
	cr_expect_not(cluster_secret_save(&mallory, path, &err), "a key is written over another one");
	cr_expect(cluster_secret_load(&again, path, &err), "%s", err.why);
	cr_expect_arr_eq(&again, &alice, sizeof(alice));
	chmod(path, 0640);
	cr_expect(!cluster_secret_load(&again, path, &err) && strstr(err.why, "C-36"));
	unlink(path);
	rmdir(folder);

	cluster_key_print(&alice.key, public);
	cr_expect_eq(strlen(public), CLUSTER_KEY_TEXT - 1);
	cr_expect(cluster_key_read(public, &key) && memcmp(&key, &alice.key, sizeof(key)) == 0);
	public[1] = public[1] == 'A' ? 'B' : 'A';
	cr_expect_not(cluster_key_read(public, &key), "the algorithm's letters aren't looked at");
	cr_expect_not(cluster_key_read("", &key));
	cr_expect_not(cluster_key_read("RWQ/3HU4eHyphCDnr6xlXn6Deo5WuxwE9ym874O32YKSDK+W+ykRuR8Ix", &key));
}

/* What minisign 0.11 has made of the five bytes "hello" and a line's end. */
Test(wire, reviews)
{
	static const char review[] =
		"untrusted comment: signature from minisign secret key\n"
		"RUQ/3HU4eHyphIlhA/hj2jc9J7QZpq9CYZCCx+9bukmAT+sObrO91KyiAmuwJOxwY44fyJoXiTyTyTRkUUmQem2UDoMwNC66hAM=\n"
		"trusted comment: timestamp:1795706386	file:f	hashed\n"
		"pjmlc41D4pvPDf5IdNMhwQk+nFi8xfMHinurNxajpoaqN2lYFCpr/SXt6ltDew4BuMyCjKiFHASgmZJ9xR+rDw==\n";
	struct cluster_key key;
	char other[sizeof(review)];

	cr_assert(cluster_key_read("RWQ/3HU4eHyphCDnr6xlXn6Deo5WuxwE9ym874O32YKSDK+W+ykRuR8I", &key));
	cr_expect(cluster_review_check(&key, review, strlen(review), "hello\n", 6));
	cr_expect_not(cluster_review_check(&key, review, strlen(review), "hello!", 6));
	cr_expect_not(cluster_review_check(&key, review, 40, "hello\n", 6));
	cr_expect_not(cluster_review_check(&key, review, 0, "hello\n", 6));
	for (size_t i = 54; i < 154; i++) { /* the line that counts */
		memcpy(other, review, sizeof(review));
		other[i] = other[i] == 'A' ? 'B' : 'A';
		cr_expect_not(cluster_review_check(&key, other, strlen(other), "hello\n", 6), "character %zu", i);
	}
	key.key[0] ^= 1;
	cr_expect_not(cluster_review_check(&key, review, strlen(review), "hello\n", 6));
}

/* ---- names ---- */

Test(wire, names)
{
	char name[CLUSTER_NAME], host[CLUSTER_NAME];
	static const char *const wrong[] = {
		"", "*", ">", "web1:example", "a..b", ".a", "a.", "a b", "ä", "all", "ALL", "a_b"};

	cr_expect(cluster_name_from_host("Web17.example.NET", name));
	cr_expect_str_eq(name, "web17:example:net");
	cr_expect(cluster_name_to_host(name, host));
	cr_expect_str_eq(host, "web17.example.net");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_expect_not(cluster_name_from_host(wrong[i], name), "%s", wrong[i]);
	cr_expect_not(cluster_name_to_host("web1.example", host));
}

Test(wire, subjects)
{
	static const char *const right[] = {"ward.order.all", "ward.order.web1:example:net",
		"ward.beat.01020300000000000000000000000000", "ward.hello.web1",
		"ward.want.01020300000000000000000000000000.web1", "ward.note.01020300000000000000000000000000.web1",
		"ward.part.01020300000000000000000000000000.0.17.web1",
		"ward.record.01020300000000000000000000000000.w", "ward.got.web1", "ward.ask",
		"ward.out.01020300000000000000000000000000.head", "ward.out.01020300000000000000000000000000.table"};
	static const char *const wrong[] = {"", "ward", "ward.", "ward.order", "ward.order.", "ward.order.*",
		"ward.order.>", "ward.order.web1.example", "ward.hello.all", "ward.beat.0102",
		"ward.beat.0102030000000000000000000000000g", "ward.beat.ABCDEF00000000000000000000000000",
		"ward.part.01020300000000000000000000000000.0.017.web1",
		"ward.part.01020300000000000000000000000000.0.4294967296.web1",
		"ward.part.01020300000000000000000000000000.0.-1.web1", "ward.ask.x", "word.ask",
		"ward.out.01020300000000000000000000000000", "ward.out.01020300000000000000000000000000.x",
		"ward.out.01020300000000000000000000000000.head.x", "ward.out.head", "ward.nothing.x"};
	struct cluster_subject s;
	char again[CLUSTER_SUBJECT];

	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		cr_expect(cluster_subject_read(right[i], &s), "%s", right[i]);
		cluster_subject_write(&s, again);
		cr_expect_str_eq(again, right[i]);
	}
	cr_expect(cluster_subject_read(right[6], &s));
	cr_expect(s.kind == CLUSTER_PART && s.level == 0 && s.shard == 17 && memcmp(s.query, id, CLUSTER_ID) == 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		cr_expect_not(cluster_subject_read(wrong[i], &s), "%s", wrong[i]);
	cr_expect_lt(cluster_shard("web1", 7), 7);
	cr_expect_eq(cluster_shard("web1", 7), cluster_shard("web1", 7));
}

Test(wire, choices)
{
	static const char *const labels[] = {"role=web", "rack=b3"};
	const struct cluster_machine m = {"web17.example.net", labels, 2};
	static const struct {
		const char *selector;
		bool fits;
	} cases[] = {{"", true}, {"role=web", true}, {"role=db", false}, {"role=web rack=b*", true},
		{"role=web rack=c*", false}, {"web1[0-9].*", true}, {"web2*", false}, {"web2* web17.*", true},
		{"web17.* role=db", false}, {"zone=*", false}, {"rol=web", false}, {"role=", false}};
	size_t drawn = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		cr_expect_eq(cluster_selector_fits(cases[i].selector, strlen(cases[i].selector), &m), cases[i].fits,
			"%s", cases[i].selector);
	cr_expect_not(cluster_selector_check("a\nb", 3, &err));
	cr_expect(cluster_selector_check("a b=c", 5, &err));

	/* a tenth by lot */
	choice = (Ward__Cluster__Choice)WARD__CLUSTER__CHOICE__INIT;
	choice.most = UINT64_MAX / 10;
	for (int i = 0; i < 10000; i++) {
		char host[32];
		snprintf(host, sizeof(host), "m%d", i);
		drawn += cluster_choice_fits(&choice, id, &(struct cluster_machine){.host = host});
	}
	cr_expect(drawn > 850 && drawn < 1150, "%zu of 10000", drawn);

	/* by name (C-136) */
	static const char *const hosts[] = {"m1", "m12"};
	ProtobufCBinaryData names[] = {{2, (uint8_t *)hosts[0]}, {3, (uint8_t *)hosts[1]}};
	choice = (Ward__Cluster__Choice)WARD__CLUSTER__CHOICE__INIT;
	choice.name = names;
	choice.n_name = 2;
	for (int i = 0; i < 200; i++) {
		char host[32];
		snprintf(host, sizeof(host), "m%d", i);
		cr_expect_eq(cluster_choice_fits(&choice, id, &(struct cluster_machine){.host = host}),
			i == 1 || i == 12, "%s", host);
	}
}

Test(wire, what_is_shown)
{
	char shown[8];

	cluster_text("a\x1b[1m\n\xff", 7, shown, sizeof(shown));
	cr_expect_str_eq(shown, "a?[1m??");
	cluster_text("abcdefghij", 10, shown, sizeof(shown));
	cr_expect_str_eq(shown, "abcdefg");
	cluster_refuse(&err, "a\nb", "C-99", "%s", "c\033d");
	cr_expect_str_eq(err.what, "a?b");
	cr_expect_str_eq(err.why, "c?d (C-99)");
}
