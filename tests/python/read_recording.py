"""Reads a recording with PyPI's mcap and mcap-protobuf-support; prints what it found as JSON.

Also compares our descriptions of foxglove.* messages with those of foxglove-schemas-protobuf, field by field.
"""
import importlib
import json
import sys

from google.protobuf import descriptor_pb2
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory


def fields(message):
    return sorted((f.name, f.number, f.type, f.label, f.type_name) for f in message.field)


found = {"topics": {}, "schemas_compared": 0, "poses": {}, "times": [], "energy": None, "contact": None}
with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, decoder_factories=[DecoderFactory()])
    for schema, channel, message, decoded in reader.iter_decoded_messages():
        found["topics"][channel.topic] = found["topics"].get(channel.topic, 0) + 1
        if channel.topic == "/tf":
            for t in decoded.transforms:
                p, q = t.translation, t.rotation
                found["poses"][t.child_frame_id] = [p.x, p.y, p.z, q.w, q.x, q.y, q.z]
                assert abs(t.timestamp.seconds + 1e-9 * t.timestamp.nanos - 1e-9 * message.log_time) < 1e-8
        elif channel.topic == "/state":
            found["times"].append(decoded.t)
        elif channel.topic == "/energy":
            found["energy"] = {f.name: getattr(decoded, f.name) for f in decoded.DESCRIPTOR.fields}
        elif channel.topic == "/contacts" and len(decoded.contacts) > 0:
            c = decoded.contacts[0]
            found["contact"] = {"t": decoded.t, "a": c.a, "b": c.b, "id": c.id, "normal": c.normal, "margin": c.margin}
        elif channel.topic == "/scene":
            found["triangles"] = max(found.get("triangles", 0), sum(len(x.triangles) for x in decoded.entities))
    summary = reader.get_summary()
    found["attachments"] = {a.name: a.data.decode() for a in reader.iter_attachments()}
    found["metadata"] = {m.name: m.metadata for m in reader.iter_metadata()}
    for schema in summary.schemas.values():
        ours = descriptor_pb2.FileDescriptorSet()
        ours.ParseFromString(schema.data)
        for file_ in ours.file:
            if file_.package != "foxglove":
                continue
            for message in file_.message_type:
                module = importlib.import_module(f"foxglove_schemas_protobuf.{message.name}_pb2")
                theirs = descriptor_pb2.FileDescriptorProto()
                module.DESCRIPTOR.CopyToProto(theirs)
                (same,) = [m for m in theirs.message_type if m.name == message.name]
                if fields(message) != fields(same):
                    # Later schemas may add fields; ours must not differ in those that both have.
                    both = {f[0] for f in fields(message)} & {f[0] for f in fields(same)}
                    mine = [f for f in fields(message) if f[0] in both]
                    assert mine == [f for f in fields(same) if f[0] in both], (message.name, fields(message), fields(same))
                found["schemas_compared"] += 1
print(json.dumps(found))
