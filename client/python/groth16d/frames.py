"""The frames of docs/PROTOCOL.md, section 2, as pure functions over bytes."""
import enum

PROTOCOL = b"G16C01"
MAX_FRAME_BYTES = 1 << 20


class Command(enum.IntEnum):
    ERROR = 0
    SUBMIT = 1
    STATUS = 2
    RESULT = 3
    CANCEL = 4
    CLOSE = 5
    LIST = 6
    PING = 7
    DAEMON_STATUS = 8
    UPLOAD = 9
    METRICS = 10
    CIRCUIT_ADD = 16
    CIRCUIT_LIST = 17
    CIRCUIT_REMOVE = 18
    WORKER_LIST = 32
    LOGS = 33
    WORKER_RESTART = 64
    WORKER_DRAIN = 65
    WORKER_RESET = 66
    WORKER_ENABLE = 67
    WORKER_DISABLE = 68
    JOB_KICK = 69
    RELOAD = 70


def encode_request(command, request_id, body, payload=()):
    """The frames of a request; request_id is 16 bytes, unique among the open ones."""
    if len(request_id) != 16:
        raise ValueError(f"a request id of {len(request_id)} bytes, expected 16")
    return [PROTOCOL, bytes([command]), request_id, body, *payload]


def decode_reply(frames):
    """(command, request id, body) of a reply; None for what is no reply of this protocol."""
    if frames and frames[0] == b"":
        frames = frames[1:]
    if len(frames) < 4 or frames[0] != PROTOCOL or len(frames[1]) != 1 or len(frames[2]) != 16:
        return None
    return frames[1][0], frames[2], b"".join(frames[3:])


def cut_payload(data):
    """An input as payload frames, of 1 MiB at most."""
    return [data[begin:begin + MAX_FRAME_BYTES] for begin in range(0, max(len(data), 1), MAX_FRAME_BYTES)]
