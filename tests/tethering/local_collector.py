"""A collector for tests: OTLP/HTTP on the loopback interface, in JSON and protobuf.

It keeps what it was sent as the OpenTelemetry collector's file exporter would write it: one
``TracesData`` in OTLP/JSON a line. Answers can be scripted; without a script all is taken.
"""

from __future__ import annotations

import base64
import gzip
import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

PROTOBUF = "application/x-protobuf"


class Answer:
    def __init__(self, status=200, body=b"", *, headers=None, delay_s=0.0):
        self.status, self.body, self.headers, self.delay_s = status, body, headers or {}, delay_s


class Collector:
    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.taken = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.title(): value for name, value in self.headers.items()}
                collector.requests.append((self.path, headers, body))
                answer = collector.answers.pop(0) if collector.answers else collector.take()
                time.sleep(answer.delay_s)
                if answer.status == 200:
                    collector.keep(self.headers, body)
                with suppress(ConnectionError):  # the client gave up
                    self.answer(answer)

            def answer(self, answer):
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def do_GET(self):
                collector.requests.append((self.path, dict(self.headers.items()), b""))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)

    def take(self):
        protobuf = self.requests[-1][1]["Content-Type"] == PROTOBUF
        if protobuf:
            return Answer(200, ExportTraceServiceResponse().SerializeToString())
        return Answer(200, b'{"partialSuccess":{}}')

    def keep(self, headers, body):
        if headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        if headers["Content-Type"] == PROTOBUF:
            self.taken.append(as_otlp_json(ExportTraceServiceRequest.FromString(body)))
        else:
            assert headers["Content-Type"] == "application/json"
            self.taken.append(json.loads(body))

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def file(self):
        """What the file exporter would have written."""
        return "\n".join(json.dumps(record) for record in self.taken).encode()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def as_otlp_json(request):
    """Protobuf's JSON writes bytes in base64; OTLP's writes identifiers in hexadecimal."""
    body = MessageToDict(request, use_integers_for_enums=True)
    for resource in body["resourceSpans"]:
        for group in resource["scopeSpans"]:
            for span in group["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = base64.b64decode(span[key]).hex()
    return body
