"""The byte examples of docs/PROTOCOL.md are what they say they are: each is decoded, and encoded again."""
import pathlib
import re
import unittest

from google.protobuf import text_format

from groth16d import Command, messages, metrics_messages
from groth16d.frames import PROTOCOL, decode_reply, encode_request

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "PROTOCOL.md"


def examples():
    """(title, body type, text of the body, frames) of every example block:

    example NAME: COMMAND request|reply MessageType{text format}
    frame N   hex bytes
    """
    for block in re.findall(r"```\n(example .*?)```", PAGE.read_text(), re.S):
        head, _, rest = block.partition("\nframe ")
        match = re.match(r"example ([^:]+): (\w+) (request|reply) (\w+)\{(.*)\}\s*$", head, re.S)
        frames = [bytes.fromhex(re.sub(r"[^0-9a-f]", "", line.split("  ", 1)[1].split("|")[0]))
                  for line in ("frame " + rest).strip().splitlines()]
        yield match.group(1), match.group(2), match.group(3), match.group(4), match.group(5), frames


class ByteExamples(unittest.TestCase):
    def test_there_are_some(self):
        self.assertGreaterEqual(len(list(examples())), 6)

    def test_each_is_what_it_says(self):
        for name, command, direction, kind, text, frames in examples():
            with self.subTest(name):
                body_type = getattr(messages, kind, None) or getattr(metrics_messages, kind)
                said = text_format.Parse(text, body_type())
                code, request_id, body = decode_reply(frames)
                self.assertEqual(frames[0], PROTOCOL)
                self.assertEqual(Command(code).name, command)
                decoded = body_type()
                decoded.ParseFromString(body if direction == "reply" else frames[3])
                self.assertEqual(decoded, said)
                again = encode_request(Command(code), request_id, said.SerializeToString(deterministic=True), frames[4:])
                self.assertEqual(again, frames)


if __name__ == "__main__":
    unittest.main()
