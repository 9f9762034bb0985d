#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nginx, a master and a worker, under curl.
. "$(dirname "$0")/lib.sh"

server=$(PATH=$PATH:/usr/sbin command -v nginx) || missing nginx
mkdir "$tmp/root"
head -c 5000 /dev/zero | tr '\0' x >"$tmp/root/page"
chmod -R a+rX "$tmp"
cat >"$tmp/conf" <<CONF
daemon off;
worker_processes 1;
pid $tmp/pid;
error_log $tmp/errors notice;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path $tmp/body;
	proxy_temp_path $tmp/proxy;
	fastcgi_temp_path $tmp/fastcgi;
	uwsgi_temp_path $tmp/uwsgi;
	scgi_temp_path $tmp/scgi;
	server { listen unix:$tmp/socket; root $tmp/root; }
}
CONF
"$server" -e "$tmp/errors" -p "$tmp" -c "$tmp/conf" >"$tmp/server" 2>&1 &
server_pid=$!
started+=("$server_pid")
# All pages have arrived, and each equals its file.
get() { # how many
	curl -s --unix-socket "$tmp/socket" "http://localhost/page?[1-$1]" |
		cmp -s - <(head -c $(($1 * 5000)) /dev/zero | tr '\0' x)
}
until_works "$server_pid" get 1
worker=$(pgrep -P "$server_pid")

for site in 'nginx!ngx_http_process_request' 'nginx!ngx_http_send_header'; do
	attach "$worker" "$site"
	check "$site: the pages" get 400
	detach "$site"
	check "$site: every call" [ "$calls" = 400 ]
	check "$site: every return" [ "$returns" = 400 ]
done
start_rounds get 50
come_and_go $times "$worker" 'nginx!ngx_http_*' 'nginx!ngx_*' 'libc.so.6!write*'
end_rounds
unharmed "$worker"
check "the server still answers" get 3
check "nobody had to be started again" [ "$(pgrep -P "$server_pid")" = "$worker" ]
check "no worker has ended" eval '! grep -q "exited on signal" "$tmp/errors"'
kill -QUIT "$server_pid"
wait "$server_pid"
check "the server's end" [ $? = 0 ]
summary
