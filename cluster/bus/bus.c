/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same of every bus: subjects are checked here, then an implementation is called. */
#include "ops.h"

#include <string.h>

#include "cluster/base/error.h"

/* One token, from `s` up to `end`. */
static bool token_valid(const char *s, const char *end, bool subscription)
{
	if (s == end)
		return false;
	if (end - s == 1 && (*s == '*' || *s == '>'))
		return subscription && (*s == '*' || !*end);
	for (; s < end; s++)
		if ((unsigned char)*s <= 0x20 || (unsigned char)*s >= 0x7f || *s == '*' || *s == '>')
			return false;
	return true;
}

bool bus_subject_valid(const char *subject, bool subscription)
{
	const char *end;

	if (!subject || strlen(subject) >= BUS_MOST_SUBJECT)
		return false;
	for (;; subject = end + 1) {
		end = strchrnul(subject, '.');
		if (!token_valid(subject, end, subscription))
			return false;
		if (!*end)
			return true;
	}
}

bool bus_subject_matches(const char *subscription, const char *subject)
{
	for (;;) {
		size_t n = strcspn(subscription, "."), m = strcspn(subject, ".");
		bool wild = n == 1 && *subscription == '*';
		if (strcmp(subscription, ">") == 0)
			return *subject;
		if (!wild && (n != m || memcmp(subscription, subject, n) != 0))
			return false;
		if (!subscription[n] || !subject[m])
			return subscription[n] == subject[m];
		subscription += n + 1;
		subject += m + 1;
	}
}

int bus_url_check(const char *url, struct ward_error *err)
{
	if (strncmp(url, "tls://", 6) == 0)
		return 0;
	cluster_fail(err, WARD_E_USAGE, url, "the URL of a bus begins with tls://");
	cluster_hint(err, "tls://HOST:4222");
	return WARD_E_USAGE;
}

int bus_publish(bus *b, const char *subject, const void *data, size_t size, struct ward_error *err)
{
	if (!bus_subject_valid(subject, false))
		return cluster_fail(err, WARD_E_USAGE, subject ? subject : "bus", "is no subject to publish on");
	if (size > BUS_MOST_BYTES)
		return cluster_fail(
			err, WARD_E_USAGE, subject, "a message of %zu bytes; the most is %d", size, BUS_MOST_BYTES);
	return b->ops->publish(b, subject, data, size, err);
}

void bus_unsubscribe(bus *b, const char *subject)
{
	b->ops->unsubscribe(b, subject);
}

int bus_subscribe(bus *b, const char *subject, struct ward_error *err)
{
	if (!bus_subject_valid(subject, true))
		return cluster_fail(err, WARD_E_USAGE, subject ? subject : "bus", "is no subject to subscribe to");
	return b->ops->subscribe(b, subject, err);
}

int bus_take(bus *b, int64_t timeout_ms, struct bus_message *out, struct ward_error *err)
{
	return b->ops->take(b, timeout_ms, out, err);
}

void bus_get_state(bus *b, struct bus_state *out)
{
	memset(out, 0, sizeof(*out));
	out->fd = -1;
	b->ops->get_state(b, out);
}

int bus_flush(bus *b, int64_t timeout_ms, struct ward_error *err)
{
	return b->ops->flush(b, timeout_ms, err);
}

void bus_close(bus *b)
{
	if (b)
		b->ops->close(b);
}
