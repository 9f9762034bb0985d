/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hostile coordinator on a real bus: it sends orders that no agent may carry out, each for another reason, and prints
 * the rule that forbids it. Usage: bad_orders URL CREDS KEY MODULES SITE PROCESSES, KEY being the file of a coordinator
 * whose orders are taken, MODULES the directory of count.ward and text.ward.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/bus/bus.h"
#include "orders.h"
#include "ward/verify.h"

#define SECOND 1000000000ull
enum { WAIT_MS = 20000, A_SECOND_MS = 1100, PATH = 4096 };

static bus *b;
static struct cluster_secret key, mallory;
static struct made_order order;
static const char *modules, *site, *processes;

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "bad_orders: %s: %s\n", what, why);
	exit(1);
}

static ProtobufCBinaryData module(const char *name)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s/%s.ward", modules, name);
	return made_file(path);
}

static void order_make(const char *name)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	made_order(&order, module(name), (uint64_t)t.tv_sec * SECOND);
	order.order.cluster = made_text("default");
	made_site(&order, site);
	made_process(&order, processes);
}

static void bytes_send(const char *rule, const void *bytes, size_t n)
{
	struct ward_error err;

	if (bus_publish(b, "ward.order.all", bytes, n, &err))
		fail(rule, err.why);
	puts(rule);
}

static void order_send(const char *rule, const struct cluster_secret *by)
{
	size_t n;
	void *bytes = made_bytes(&order, by, &n);

	bytes_send(rule, bytes, n);
	free(bytes);
}

/* One bit of the body is another one than was signed. */
static void changed_send(void)
{
	size_t n;

	order_make("count");
	unsigned char *bytes = made_bytes(&order, &key, &n);
	for (size_t i = n / 2; i < n; i++)
		if (memcmp(bytes + i, "default", 7) == 0) {
			bytes[i] ^= 1;
			break;
		}
	bytes[n / 2] ^= 4;
	bytes_send("C-35", bytes, n);
	free(bytes);
}

/* The first instruction of an entry is hlt: a verifier was bypassed where it was compiled. */
static void violation_send(void)
{
	order_make("count");
	ProtobufCBinaryData m = module("count");
	struct ward_verdict *v = ward_verify(m.data, m.len, NULL);

	if (!v || !v->accepted)
		fail("count.ward", "it isn't accepted");
	m.data[v->module.text.offset + (v->module.entries[0].addr - v->module.text.addr)] = 0xf4;
	ward_verdict_free(v);
	order.units[0].variants[0].module = m;
	order_send("C-60", &key);
}

static void all_send(void)
{
	struct bus_message m;

	order_make("count");
	order_send("C-42", &mallory);
	order_make("count");
	order.order.issued_at -= 7200 * SECOND;
	order.order.not_after_at = order.order.issued_at + 3600 * SECOND;
	order_send("C-44", &key);
	order_make("count");
	order.order.cluster = made_text("other");
	order_send("C-43", &key);
	order_make("count");
	order.units[0].sites[0] = made_text("libcrypto.so.3!*");
	order_send("C-51", &key);
	order_make("text");
	made_import(&order, "ward_read_str");
	order_send("C-54", &key);
	violation_send();
	bus_take(b, A_SECOND_MS, &m, NULL); /* of unknown senders an agent writes one line a second */
	changed_send();
}

int main(int argc, char **argv)
{
	struct ward_error err = {0};

	if (argc != 7)
		fail("usage", "bad_orders URL CREDS KEY MODULES SITE PROCESSES");
	struct bus_nats_options options = {.urls = (const char *const *)&argv[1],
		.n_urls = 1,
		.creds = argv[2],
		.name = "bad",
		.wait_ms = WAIT_MS,
		.jitter_ms = 20};
	modules = argv[4];
	site = argv[5];
	processes = argv[6];
	if (!cluster_secret_load(&key, argv[3], &err) || !cluster_secret_make(&mallory, &err) ||
		bus_nats_open(&options, &b, &err))
		fail(argv[1], err.why);
	all_send();
	bus_close(b);
	return 0;
}
