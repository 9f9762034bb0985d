/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between libward and ward-helper: one datagram each, on a pair of sockets.
 *
 * Neither side believes the other. A message is taken only if its size is the one that it states, if its structure is
 * whole, if all of its texts end inside it with nothing behind them, and if exactly the files came that belong to it.
 * What the numbers in it mean is checked by the receiver.
 */
#include "message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TEXTS_MOST = WL_REPORT_TEXTS };

union control {
	char bytes[CMSG_SPACE(WL_MESSAGE_FILES * sizeof(int))];
	struct cmsghdr align;
};

/* The texts as parts of a datagram, cut to their limit. Returns their bytes, or SIZE_MAX: too many. */
static size_t texts_list(struct iovec *part, size_t room, const char *const *texts, size_t n)
{
	size_t all = 0;

	if (n > room / 2)
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		const char *text = texts[i] ? texts[i] : "";
		size_t length = strnlen(text, WL_MESSAGE_TEXT);

		part[2 * i] = (struct iovec){(void *)(uintptr_t)text, length};
		part[2 * i + 1] = (struct iovec){(void *)(uintptr_t)"", 1};
		all += length + 1;
	}
	return all;
}

bool wl_message_send(int to, void *message, size_t size, const char *const *texts, size_t n_texts, const int *files,
	unsigned n_files)
{
	struct wl_message_head *head = message;
	struct iovec part[1 + 2 * TEXTS_MOST] = {{message, size}};
	union control control = {{0}};
	struct msghdr h = {.msg_iov = part, .msg_iovlen = 1 + 2 * n_texts};
	size_t more = texts_list(part + 1, 2 * TEXTS_MOST, texts, n_texts);
	ssize_t sent;

	if (more > WL_MESSAGE_MAX - size || n_files > WL_MESSAGE_FILES)
		return false;
	head->size = (uint32_t)(size + more);
	if (n_files) {
		h.msg_control = &control;
		h.msg_controllen = CMSG_SPACE(n_files * sizeof(int));
		control.align = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(n_files * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.align), files, n_files * sizeof(int));
	}
	do
		sent = sendmsg(to, &h, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)head->size;
}

/* The kernel has put no more descriptors into the room than fit. */
static bool take_files(struct wl_message *m, struct msghdr *h)
{
	bool well = true;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		well &= c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS;
		for (size_t i = 0; i < n && well && m->n_files < WL_MESSAGE_FILES; i++)
			memcpy(&m->file[m->n_files++], CMSG_DATA(c) + i * sizeof(int), sizeof(int));
	}
	return well && !(h->msg_flags & (MSG_TRUNC | MSG_CTRUNC));
}

enum wl_received wl_message_receive(int from, struct wl_message *m)
{
	union control control;
	struct iovec part = {m->bytes, sizeof(m->bytes)};
	struct msghdr h = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	const struct wl_message_head *head = (const void *)m->bytes;
	ssize_t got;

	m->n_files = 0;
	m->size = 0;
	do
		got = recvmsg(from, &h, MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return WL_CLOSED;
	if (take_files(m, &h) && got >= (ssize_t)sizeof(*head) && head->size == (size_t)got) {
		m->size = (size_t)got;
		return WL_RECEIVED;
	}
	wl_message_done(m);
	return WL_MALFORMED;
}

void wl_message_done(struct wl_message *m)
{
	for (unsigned i = 0; i < m->n_files; i++)
		if (m->file[i] >= 0)
			close(m->file[i]);
	m->n_files = 0;
}

const void *wl_message_as(const struct wl_message *m, enum wl_message_kind kind, size_t size, unsigned n_files)
{
	const struct wl_message_head *head = (const void *)m->bytes;

	return m->size >= size && head->kind == kind && m->n_files == n_files ? m->bytes : NULL;
}

bool wl_message_texts(const struct wl_message *m, size_t size, const char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint8_t *end = memchr(m->bytes + size, 0, m->size - size);

		if (!end)
			return false;
		texts[i] = (const char *)m->bytes + size;
		size = (size_t)(end + 1 - m->bytes);
	}
	return size == m->size;
}

void wl_hello_make(struct wl_hello *hello)
{
	*hello = (struct wl_hello){.head = {.kind = WL_HELLO}, .protocol = WL_PROTOCOL};
	strncpy(hello->version, WARD_VERSION, sizeof(hello->version) - 1);
}

const char *wl_hello_other(const struct wl_hello *hello)
{
	struct wl_hello own;

	wl_hello_make(&own);
	if (!memchr(hello->version, 0, sizeof(hello->version)))
		return "no version";
	return hello->protocol == own.protocol && strcmp(hello->version, own.version) == 0 ? NULL : hello->version;
}
