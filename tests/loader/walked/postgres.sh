#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Stacks of postgres, as one process that has no clients.
#
#   postgres.sh PROGRAM SAMPLES PERMILLE    the program is test-loader-walk-samples
#
# postgres refuses to run as root, so it then runs as nobody. What it executes takes longer than the test.
set -eu
programs=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
as=()
mkdir "$tmp/data"
if [ "$(id -u)" = 0 ]; then
	as=(setpriv --reuid nobody --regid nogroup --clear-groups --)
	chmod a+rx "$tmp"
	chown nobody:nogroup "$tmp/data"
fi
cd "$tmp"
"${as[@]}" "$programs/initdb" -D "$tmp/data" -A trust -U ward -N --no-locale >"$tmp/out" 2>&1 ||
	{ cat "$tmp/out"; exit 1; }
# Without a client, each line is a statement.
cat >"$tmp/statements" <<'END'
create table t as select x, md5(x::text) as m from generate_series(1, 20000) x;
create index on t (m);
create function f(n int) returns int language plpgsql as $$ begin return case when n = 0 then 0 else f(n - 1) + 1 end; end $$;
do $$ declare k int; begin for i in 1..1000000000 loop perform count(*), sum(f(x % 10)) from t where x < 500; perform a.m from t a join t b on a.m = b.m where b.x < 200 order by a.m desc; update t set m = md5(m) where x % 1000 = i % 1000; select count(*) into k from t where m ~ 'a(b|c)+' and x < 2000; end loop; end $$;
END

"$1" "$2" "$3" "${as[@]}" "$programs/postgres" --single -F -D "$tmp/data" -c jit=off -c shared_buffers=16MB \
	-c log_destination=stderr postgres <"$tmp/statements"
