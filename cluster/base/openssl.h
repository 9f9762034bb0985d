/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be known of certificates, and made of them, is openssl(1)'s work. */
#ifndef WARD_CLUSTER_OPENSSL_H
#define WARD_CLUSTER_OPENSSL_H

#include <stddef.h>

#include "ward/ward.h"

/*
 * Run openssl with these arguments, NULL at the end. What it prints is in `output` (cut to fit). Returns its exit
 * status, or a negative enum ward_status: it can't be run.
 */
int cluster_openssl(const char *const *arguments, char *output, size_t size, struct ward_error *err);

#endif
