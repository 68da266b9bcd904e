"""Every verb that a daemon answers, as one call each."""
import hashlib
import os
import pathlib
import time

import zmq

from . import client_pb2 as pb
from . import metrics_pb2 as metrics_pb
from .frames import MAX_FRAME_BYTES, Command, cut_payload, decode_reply, encode_request

FIRST_REFUSAL = 400
ENDED = (pb.DONE, pb.FAILED, pb.CANCELLED, pb.QUARANTINED)
# An upload that expires, or that another job takes, while it is under way is begun again; not for ever.
TRIES = 3


class Unreachable(Exception):
    """No daemon there, or no answer in time."""


class Refused(Exception):
    """The daemon refused: code as in docs/PROTOCOL.md, section 3; name for programs, text for people."""

    def __init__(self, status):
        super().__init__(f"{status.failure.text or 'refused'} [{status.failure.name}]")
        self.code = status.code
        self.name = status.failure.name
        self.retry_after_ms = status.retry_after_ms


class Client:
    """Of one daemon, for one thread.

    place: its runtime directory, a socket's path, or "tcp://host:port" with server_key (public) and secret_key (ours),
    both as Z85 text.
    """

    # Longer than a daemon takes to answer a SUBMIT under load, shorter than its restart.
    FIRST_RESEND_S = 5.0

    def __init__(self, place="/run/groth16d", *, operator=False, timeout_s=10.0, server_key=None, secret_key=None):
        self._timeout_s = timeout_s
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.IMMEDIATE, 1)  # queue only to a live connection
        if place.startswith("tcp://"):
            if not server_key or not secret_key:
                raise ValueError("a tcp:// endpoint needs server_key and secret_key")
            self._socket.curve_serverkey = server_key.encode()
            self._socket.curve_secretkey = secret_key.encode()
            self._socket.curve_publickey = zmq.curve_public(secret_key.encode())
            self._socket.connect(place)
        else:
            path = pathlib.Path(place)
            if path.is_dir():
                path = path / ("operator.sock" if operator else "client.sock")
            self._socket.connect(f"ipc://{path}")

    def close(self):
        self._context.destroy(linger=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ------------------------------------------------------------------ the link

    def call(self, command, body, reply, payload=()):
        """Sends, and waits for the reply with the same id. Every verb is idempotent, so the same message is sent again
        when nothing came for a while. Raises Unreachable, or Refused for a status of 400 or more."""
        request_id = os.urandom(16)
        frames = encode_request(command, request_id, body.SerializeToString(), payload)
        deadline = time.monotonic() + self._timeout_s
        interval = self.FIRST_RESEND_S
        while (left := deadline - time.monotonic()) > 0:
            if not self._socket.poll(int(left * 1000), zmq.POLLOUT):
                raise Unreachable("no daemon answers on the socket")
            self._socket.send_multipart(frames)
            data = self._await_reply(request_id, min(interval, deadline - time.monotonic()))
            interval *= 2
            if data is None:
                continue
            reply.ParseFromString(data)
            if reply.status.code >= FIRST_REFUSAL:
                raise Refused(reply.status)
            return reply
        raise Unreachable(f"{Command(command).name}: no reply within {self._timeout_s} s")

    def _await_reply(self, request_id, timeout_s):
        end = time.monotonic() + timeout_s
        while (left := end - time.monotonic()) > 0 and self._socket.poll(int(left * 1000) + 1, zmq.POLLIN):
            decoded = decode_reply(self._socket.recv_multipart())
            if decoded and decoded[1] == request_id:
                return decoded[2]
        return None

    # ------------------------------------------------------------------ jobs

    def submit(self, job, *, circuit="", key_path="", r1cs_path="", allow_insecure_key=False, paths=(), inputs=(),
               uploads=(), declared_public=(), priority=pb.PRIORITY_NORMAL, deadline_ms=0):
        """One partition a path inside the daemon's roots, then one an input (bytes, sent in the message), then one a path
        on this machine, which is uploaded unless the daemon has it."""
        request = pb.SubmitRequest(job=job, circuit=circuit, key_path=key_path, r1cs_path=r1cs_path,
                                   allow_insecure_key=allow_insecure_key, priority=priority, deadline_ms=deadline_ms)
        payload = []
        for path in paths:
            request.partitions.add(path=str(path))
        for data in inputs:
            frames = cut_payload(data)
            request.partitions.add(payload_frames=len(frames))
            payload += frames
        for path in uploads:
            request.partitions.add(upload=_digest_of(path))
        for partition, public_json in zip(request.partitions, declared_public):
            partition.declared_public_json = public_json
        for _ in range(TRIES):
            try:
                return self.call(Command.SUBMIT, request, pb.SubmitReply(), payload)
            except Refused as refused:
                if not uploads or refused.name not in ("upload.unknown", "upload.incomplete"):
                    raise
            for path in uploads:
                self.upload(path)
        return self.call(Command.SUBMIT, request, pb.SubmitReply(), payload)

    def upload(self, path, on_progress=None):
        """Sends a file of this machine, or the rest of it, and returns its SHA-256, by which a job names it. on_progress
        is called with how many bytes the daemon has."""
        digest = _digest_of(path)
        for last in [False] * (TRIES - 1) + [True]:
            try:
                self._send_rest(path, digest, on_progress or (lambda _: None))
                return digest
            except Refused as refused:
                if last or refused.name not in ("upload.unknown", "upload.offset"):
                    raise

    def _send_rest(self, path, digest, on_progress):
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            reply = self.call(Command.UPLOAD, pb.UploadRequest(sha256=digest, bytes=size), pb.UploadReply())
            while reply.status.code != 200:
                on_progress(reply.received_bytes)
                file.seek(reply.received_bytes)
                chunk = file.read(MAX_FRAME_BYTES)
                request = pb.UploadRequest(sha256=digest, bytes=size, offset=reply.received_bytes,
                                           chunk_sha256=hashlib.sha256(chunk).digest() if chunk else b"")
                reply = self.call(Command.UPLOAD, request, pb.UploadReply(), [chunk] if chunk else [])
        on_progress(size)

    def status(self, job):
        return self.call(Command.STATUS, pb.JobRequest(job=job), pb.JobStatusReply()).job

    def result(self, job):
        """status.code is 300 while the job runs; then job.state says how it ended."""
        return self.call(Command.RESULT, pb.JobRequest(job=job), pb.ResultReply())

    def wait(self, job, timeout_s=None):
        """The result of a job that has ended. Raises TimeoutError; the job itself goes on."""
        end = None if timeout_s is None else time.monotonic() + timeout_s
        pause = 0.02
        while True:
            result = self.result(job)
            if result.status.code == 200 and result.job.state in ENDED:
                return result
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"{job} has not ended within {timeout_s} s")
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)

    def cancel(self, job):
        self.call(Command.CANCEL, pb.JobRequest(job=job), pb.PlainReply())

    def forget(self, job):
        """CLOSE: a finished job and its result are removed."""
        self.call(Command.CLOSE, pb.JobRequest(job=job), pb.PlainReply())

    def jobs(self, *, states=(), limit=0, contains="", newest_first=False):
        request = pb.ListRequest(states=states, limit=limit, contains=contains, newest_first=newest_first)
        return list(self.call(Command.LIST, request, pb.ListReply()).jobs)

    def logs(self, job):
        return list(self.call(Command.LOGS, pb.JobRequest(job=job), pb.LogsReply()).lines)

    # ------------------------------------------------------------------ circuits and the daemon

    def add_circuit(self, circuit, key_path, *, r1cs_path="", allow_insecure_key=False):
        request = pb.CircuitAddRequest(circuit=circuit, key_path=str(key_path), r1cs_path=str(r1cs_path),
                                       allow_insecure_key=allow_insecure_key)
        self.call(Command.CIRCUIT_ADD, request, pb.CircuitReply())

    def circuits(self, circuit=""):
        return list(self.call(Command.CIRCUIT_LIST, pb.CircuitRequest(circuit=circuit), pb.CircuitReply()).circuits)

    def remove_circuit(self, circuit):
        self.call(Command.CIRCUIT_REMOVE, pb.CircuitRequest(circuit=circuit), pb.CircuitReply())

    def ping(self):
        self.call(Command.PING, pb.DaemonRequest(), pb.PlainReply())

    def daemon_status(self):
        return self.call(Command.DAEMON_STATUS, pb.DaemonRequest(), pb.DaemonStatusReply()).daemon

    def metrics(self, *, spans_after=0, deaths_after=0):
        request = metrics_pb.MetricsRequest(spans_after=spans_after, deaths_after=deaths_after)
        return self.call(Command.METRICS, request, metrics_pb.MetricsReply())

    # ------------------------------------------------------------------ operators

    def operate(self, command, slot, *, now=False):
        """One of Command.WORKER_RESTART to WORKER_DISABLE; returns when it is taken, and shows in daemon_status when it
        is done."""
        return self.call(command, pb.WorkerRequest(slot=slot, now=now), pb.WorkerReply()).worker

    def kick(self, job):
        self.call(Command.JOB_KICK, pb.JobRequest(job=job), pb.PlainReply())

    def reload(self):
        return list(self.call(Command.RELOAD, pb.ReloadRequest(), pb.ReloadReply()).changes)


def _digest_of(path):
    with open(path, "rb") as file:
        hash = hashlib.sha256()
        while piece := file.read(MAX_FRAME_BYTES):
            hash.update(piece)
    return hash.digest()
