#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Metrics of a query are read by Prometheus: metrics.py WARD PAGE EVENTS. PAGE makes metrics of what is made up, with
names of a hostile target; WARD gives those of a program that runs (EVENTS).
"""
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

WARD, PAGE, EVENTS = sys.argv[1:]
QUERY = r'''Functions("iolib!Read", "iolib!ExAllocatePool").GroupBy(new { site, path = "a\"b\\c\n{}" })
	.Select(g => new { g.Key.site, g.Key.path, n = g.Count(), sizes = g.Hist(arg2), bytes = g.Sum(arg2),
	mid = g.Quantile(arg2, 0.5), high = g.Quantile(arg2, 0.99), mean = g.Average(arg2) })'''
results = []


def check(what, holds):
	results.append(bool(holds))
	if not holds:
		print(f"FAILED: {what}")


def lint(text):
	return subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True).returncode == 0


def samples(text):
	return dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")


def get(url, accept="text/plain"):
	with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": accept}), timeout=60) as answer:
		return answer.read().decode()


def wait(what, found, seconds=120):
	end = time.monotonic() + seconds
	while time.monotonic() < end:
		value = found()
		if value:
			return value
		time.sleep(0.05)
	check(what, False)
	return None


def made_up():
	for name in subprocess.run([PAGE], capture_output=True, text=True, check=True).stdout.split()[::2]:
		plain, openmetrics = (subprocess.run([PAGE, name, how], capture_output=True, check=True).stdout
			for how in ("plain", "openmetrics"))
		check(f"{name}: promtool reads it", lint(plain))
		check(f"{name}: so it does OpenMetrics", openmetrics.endswith(b"\n# EOF\n"))
		series = samples(plain.decode())
		check(f"{name}: both have the same samples", series == samples(openmetrics.decode()))
		check(f"{name}: at most 1,000 series", len(series) <= 1003)
		if name == "many":
			check("2,400 series are too many", series["ward_dropped_series"] == "1400")
		if name == "twice":
			check("the same labels are there once", series["ward_dropped_series"] == "5")


def tries(url):
	"""What else may be sent to the server: it answers, or hangs up, and goes on."""
	host, port = re.fullmatch(r"http://(.*):(\d+)/metrics", url).groups()

	def send(data):
		with socket.create_connection((host, int(port)), timeout=60) as s:
			s.sendall(data)
			answer = b""
			try:
				while more := s.recv(65536):
					answer += more
			except ConnectionError:
				pass
			return answer

	check("another path", send(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404 "))
	check("another method", send(b"POST /metrics HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 405 "))
	check("no end", send(b"x" * 5000) == b"")
	check("half of a request, and nothing more", send(b"GET /metr") == b"")
	check("it goes on", "ward_events_total" in get(url))


def scraped(tmp, url):
	"""Prometheus itself asks for OpenMetrics, and keeps the samples."""
	with socket.socket() as s:
		s.bind(("127.0.0.1", 0))
		own = f"127.0.0.1:{s.getsockname()[1]}"
	host = url.removeprefix("http://").removesuffix("/metrics")
	targets = f"[{{targets: ['{host}']}}]"
	pathlib.Path(f"{tmp}/prometheus.yml").write_text(
		f"scrape_configs: [{{job_name: ward, scrape_interval: 1s, static_configs: {targets}}}]\n")
	server = subprocess.Popen(
		["prometheus", f"--config.file={tmp}/prometheus.yml", f"--storage.tsdb.path={tmp}/data",
		f"--web.listen-address={own}"],
		stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

	def ask(what):
		try:
			return json.loads(get(f"http://{own}/api/v1/query?query={what}"))["data"]["result"]
		except OSError:
			return None
	try:
		wait("Prometheus reads OpenMetrics", lambda: (r := ask("up")) and r[0]["value"][1] == "1")
		rows = wait("it has the samples", lambda: ask("ward_n_total"))
		check("with their labels", rows and {r["metric"]["path"] for r in rows} == {'a"b\\c\\u000a{}'})
		check("and the histogram", ask("histogram_quantile(0.5,ward_sizes_bucket)"))
	finally:
		server.terminate()
		server.wait()


def live(tmp):
	shutil.copy(EVENTS, f"{tmp}/iolib")
	ward = subprocess.Popen([WARD, "query", "-q", "--json", "--openmetrics", "0", QUERY, "--", "./iolib", "iolib",
		str(10**18)], # until it is ended
		cwd=tmp, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
	try:
		url = ward.stderr.readline().split()[-1]
		check("it is at this machine alone", url.startswith("http://127.0.0.1:"))

		def has_rows():
			try:
				return "ward_n_total{" in (text := get(url)) and text
			except OSError:
				return None
		text = wait("there are metrics", has_rows)
		first = samples(text)
		check("promtool reads them", lint(text.encode()))
		wait("they grow", lambda: samples(get(url))["ward_events_total"] != first["ward_events_total"])
		second = samples(get(url))
		check("nothing steps back", all(float(second[k]) >= float(v) for k, v in first.items() if "_total" in k
			or "_bucket" in k))
		check("all events are counted", sum(float(v) for k, v in second.items()
			if k.startswith("ward_n_total")) > 0)
		site = 'site="iolib!Read"'
		bucket = [float(v) for k, v in second.items() if k.startswith("ward_sizes_bucket") and site in k]
		check("buckets are sums", bucket == sorted(bucket) and len(bucket) > 5)
		check("the last is the count", [bucket[-1]] == [float(v) for k, v in second.items()
			if k.startswith("ward_sizes_count") and site in k])
		check("quantiles are a summary", sum('quantile="0.99"' in k for k in second) == 2)
		check("the answer is complete", second["ward_complete"] == "1" and second["ward_dropped_series"] == "0")
		tries(url)
		scraped(tmp, url)
	finally:
		ward.send_signal(signal.SIGINT)
		out, _ = ward.communicate()
	check("the rows at the end", json.loads(out.splitlines()[-1])["final"])
	check("and nothing before", out.count('"type":"rows"') == 1)


def refused():
	for where in ("nowhere:1", "127.0.0.1", "127.0.0.1:99999", "", "192.0.2.1:1", "1:2:3"):
		run = subprocess.run([WARD, "query", "--openmetrics", where, 'Function("iolib!Read").Count()', "--",
			"true"], capture_output=True)
		check(f"an address like '{where}' is refused", run.returncode == 2 and b"ward: " in run.stderr)


made_up()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
	live(directory)
refused()
print(f"{results.count(True)} passed, {results.count(False)} failed")
sys.exit(not results or not all(results))
