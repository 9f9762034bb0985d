/* SPDX-License-Identifier: Apache-2.0 */
// The headers compile as C++, and what they declare has C linkage: this program links with libward.
#include "ward/partial.h"
#include "ward/types.h"
#include "ward/ward.h"

#include <cstdio>
#include <cstring>

int main()
{
	ward_attach_options options = {};
	ward_error error;
	ward_session *session = nullptr;

	options.size = sizeof(options);
	if (ward_attach(-1, "", 0, &options, &session, &error) != WARD_E_REJECTED || session || !error.why[0])
		return 1;
	ward_verdict *verdict = ward_verify("", 0, nullptr);
	if (!verdict || verdict->accepted || verdict->n_violations == 0 || std::strcmp(ward_rule_number(verdict->violations[0].rule), "V-01") != 0)
		return 2;
	ward_verdict_free(verdict);
	ward_partial_free(nullptr);
	std::printf("libward %s\n", ward_version());
}
