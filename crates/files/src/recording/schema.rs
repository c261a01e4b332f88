//! # Schemas: what the messages of a recording are made of, told to any reader
//!
//! - **out**: for each kind of message its FileDescriptorSet, as protobuf's own tools would make it
//! - **not here**: messages ([`messages`](super::messages))
//! - **start at** [`descriptor`]
//!
//! Names, numbers and types of `foxglove.*` are those of Foxglove's published schemas, written down here; a test
//! compares them with the package `foxglove-schemas-protobuf` where Python has it.

use super::wire::{message, number, text};

/// Types of fields by their number in `descriptor.proto`.
#[derive(Clone, Copy)]
enum Type {
    Double,
    Int64,
    Int32,
    Fixed64,
    Fixed32,
    Bool,
    Text,
    Bytes,
    Unsigned,
    /// A message by its full name.
    Of(&'static str),
    /// Many messages.
    Many(&'static str),
    ManyFixed32,
    /// An enum by its full name.
    Enum(&'static str),
}

use Type::*;

type Field = (&'static str, u32, Type);
type Values = &'static [(&'static str, u32)];

/// A message with a file of its own: full name, fields, enums inside.
struct Definition(&'static str, &'static [Field], &'static [(&'static str, Values)]);

const DEFINITIONS: &[Definition] = &[
    Definition("google.protobuf.Timestamp", &[("seconds", 1, Int64), ("nanos", 2, Int32)], &[]),
    Definition("google.protobuf.Duration", &[("seconds", 1, Int64), ("nanos", 2, Int32)], &[]),
    Definition("foxglove.Vector3", &[("x", 1, Double), ("y", 2, Double), ("z", 3, Double)], &[]),
    Definition("foxglove.Point3", &[("x", 1, Double), ("y", 2, Double), ("z", 3, Double)], &[]),
    Definition("foxglove.Quaternion", &[("x", 1, Double), ("y", 2, Double), ("z", 3, Double), ("w", 4, Double)], &[]),
    Definition("foxglove.Color", &[("r", 1, Double), ("g", 2, Double), ("b", 3, Double), ("a", 4, Double)], &[]),
    Definition("foxglove.KeyValuePair", &[("key", 1, Text), ("value", 2, Text)], &[]),
    Definition(
        "foxglove.Pose",
        &[("position", 1, Of("foxglove.Vector3")), ("orientation", 2, Of("foxglove.Quaternion"))],
        &[],
    ),
    Definition(
        "foxglove.FrameTransform",
        &[
            ("timestamp", 1, Of("google.protobuf.Timestamp")),
            ("parent_frame_id", 2, Text),
            ("child_frame_id", 3, Text),
            ("translation", 4, Of("foxglove.Vector3")),
            ("rotation", 5, Of("foxglove.Quaternion")),
        ],
        &[],
    ),
    Definition("foxglove.FrameTransforms", &[("transforms", 1, Many("foxglove.FrameTransform"))], &[]),
    Definition(
        "foxglove.PosesInFrame",
        &[
            ("timestamp", 1, Of("google.protobuf.Timestamp")),
            ("frame_id", 2, Text),
            ("poses", 3, Many("foxglove.Pose")),
        ],
        &[],
    ),
    Definition(
        "foxglove.Log",
        &[
            ("timestamp", 1, Of("google.protobuf.Timestamp")),
            ("level", 2, Enum("foxglove.Log.Level")),
            ("message", 3, Text),
            ("name", 4, Text),
            ("file", 5, Text),
            ("line", 6, Fixed32),
        ],
        &[("Level", &[("UNKNOWN", 0), ("DEBUG", 1), ("INFO", 2), ("WARNING", 3), ("ERROR", 4), ("FATAL", 5)])],
    ),
    Definition(
        "foxglove.ArrowPrimitive",
        &[
            ("pose", 1, Of("foxglove.Pose")),
            ("shaft_length", 2, Double),
            ("shaft_diameter", 3, Double),
            ("head_length", 4, Double),
            ("head_diameter", 5, Double),
            ("color", 6, Of("foxglove.Color")),
        ],
        &[],
    ),
    Definition(
        "foxglove.CubePrimitive",
        &[("pose", 1, Of("foxglove.Pose")), ("size", 2, Of("foxglove.Vector3")), ("color", 3, Of("foxglove.Color"))],
        &[],
    ),
    Definition(
        "foxglove.SpherePrimitive",
        &[("pose", 1, Of("foxglove.Pose")), ("size", 2, Of("foxglove.Vector3")), ("color", 3, Of("foxglove.Color"))],
        &[],
    ),
    Definition(
        "foxglove.CylinderPrimitive",
        &[
            ("pose", 1, Of("foxglove.Pose")),
            ("size", 2, Of("foxglove.Vector3")),
            ("bottom_scale", 3, Double),
            ("top_scale", 4, Double),
            ("color", 5, Of("foxglove.Color")),
        ],
        &[],
    ),
    Definition(
        "foxglove.LinePrimitive",
        &[
            ("type", 1, Enum("foxglove.LinePrimitive.Type")),
            ("pose", 2, Of("foxglove.Pose")),
            ("thickness", 3, Double),
            ("scale_invariant", 4, Bool),
            ("points", 5, Many("foxglove.Point3")),
            ("color", 6, Of("foxglove.Color")),
            ("colors", 7, Many("foxglove.Color")),
            ("indices", 8, ManyFixed32),
        ],
        &[("Type", &[("LINE_STRIP", 0), ("LINE_LOOP", 1), ("LINE_LIST", 2)])],
    ),
    Definition(
        "foxglove.TriangleListPrimitive",
        &[
            ("pose", 1, Of("foxglove.Pose")),
            ("points", 2, Many("foxglove.Point3")),
            ("color", 3, Of("foxglove.Color")),
            ("colors", 4, Many("foxglove.Color")),
            ("indices", 5, ManyFixed32),
        ],
        &[],
    ),
    Definition(
        "foxglove.TextPrimitive",
        &[
            ("pose", 1, Of("foxglove.Pose")),
            ("billboard", 2, Bool),
            ("font_size", 3, Double),
            ("scale_invariant", 4, Bool),
            ("color", 5, Of("foxglove.Color")),
            ("text", 6, Text),
        ],
        &[],
    ),
    Definition(
        "foxglove.ModelPrimitive",
        &[
            ("pose", 1, Of("foxglove.Pose")),
            ("scale", 2, Of("foxglove.Vector3")),
            ("color", 3, Of("foxglove.Color")),
            ("override_color", 4, Bool),
            ("url", 5, Text),
            ("media_type", 6, Text),
            ("data", 7, Bytes),
        ],
        &[],
    ),
    Definition(
        "foxglove.SceneEntity",
        &[
            ("timestamp", 1, Of("google.protobuf.Timestamp")),
            ("frame_id", 2, Text),
            ("id", 3, Text),
            ("lifetime", 4, Of("google.protobuf.Duration")),
            ("frame_locked", 5, Bool),
            ("metadata", 6, Many("foxglove.KeyValuePair")),
            ("arrows", 7, Many("foxglove.ArrowPrimitive")),
            ("cubes", 8, Many("foxglove.CubePrimitive")),
            ("spheres", 9, Many("foxglove.SpherePrimitive")),
            ("cylinders", 10, Many("foxglove.CylinderPrimitive")),
            ("lines", 11, Many("foxglove.LinePrimitive")),
            ("triangles", 12, Many("foxglove.TriangleListPrimitive")),
            ("texts", 13, Many("foxglove.TextPrimitive")),
            ("models", 14, Many("foxglove.ModelPrimitive")),
        ],
        &[],
    ),
    Definition(
        "foxglove.SceneEntityDeletion",
        &[
            ("timestamp", 1, Of("google.protobuf.Timestamp")),
            ("type", 2, Enum("foxglove.SceneEntityDeletion.Type")),
            ("id", 3, Text),
        ],
        &[("Type", &[("MATCHING_ID", 0), ("ALL", 1)])],
    ),
    Definition(
        "foxglove.SceneUpdate",
        &[("deletions", 1, Many("foxglove.SceneEntityDeletion")), ("entities", 2, Many("foxglove.SceneEntity"))],
        &[],
    ),
    Definition(
        "fingerpad.Contact",
        &[
            ("a", 1, Text),
            ("b", 2, Text),
            ("id", 3, Unsigned),
            ("mode", 4, Enum("fingerpad.Contact.Mode")),
            ("x", 5, Double),
            ("y", 6, Double),
            ("z", 7, Double),
            ("nx", 8, Double),
            ("ny", 9, Double),
            ("nz", 10, Double),
            ("gap", 11, Double),
            ("depth", 12, Double),
            ("normal", 13, Double),
            ("tangential", 14, Double),
            ("moment", 15, Double),
            ("margin", 16, Double),
            ("patch_a", 17, Double),
            ("patch_b", 18, Double),
            ("slip", 19, Double),
        ],
        &[("Mode", &[("CONTACT", 0), ("STICK", 1), ("SLIP", 2), ("CLAMPED", 3)])],
    ),
    Definition("fingerpad.Contacts", &[("t", 1, Double), ("contacts", 2, Many("fingerpad.Contact"))], &[]),
    Definition("fingerpad.State", &[("t", 1, Double), ("digest", 2, Fixed64)], &[]),
];

/// The FileDescriptorSet of a message by its full name. `fingerpad.Energy` has the energies' names as fields.
pub fn descriptor(name: &str) -> Vec<u8> {
    let mut names = Vec::new();
    need(name, &mut names);
    let mut set = Vec::new();
    for name in names {
        message(&mut set, 1, |file| write_file(file, &name));
    }
    set
}

/// The message and all that it is made of, parts first.
fn need(name: &str, found: &mut Vec<String>) {
    if found.iter().any(|f| f == name) {
        return;
    }
    for part in parts(name) {
        need(part, found);
    }
    found.push(name.to_string());
}

fn parts(name: &str) -> impl Iterator<Item = &'static str> {
    let fields = DEFINITIONS.iter().find(|d| d.0 == name).map_or(&[][..], |d| d.1);
    fields.iter().filter_map(|(_, _, kind)| if let Of(part) | Many(part) = kind { Some(*part) } else { None })
}

fn path(name: &str) -> String {
    match name {
        "google.protobuf.Timestamp" => "google/protobuf/timestamp.proto".to_string(),
        "google.protobuf.Duration" => "google/protobuf/duration.proto".to_string(),
        _ => format!("{}.proto", name.replace('.', "/")),
    }
}

/// A FileDescriptorProto.
fn write_file(file: &mut Vec<u8>, name: &str) {
    let (package, own) = name.rsplit_once('.').unwrap_or(("", name));
    text(file, 1, &path(name));
    text(file, 2, package);
    let mut told: Vec<&str> = Vec::new();
    for part in parts(name) {
        if !told.contains(&part) {
            text(file, 3, &path(part));
            told.push(part);
        }
    }
    message(file, 4, |out| {
        text(out, 1, own);
        if name == ENERGY {
            write_field(out, &("t", 1, Double));
            for (k, energy) in crate::scene::OF_ENERGY.iter().enumerate() {
                write_field(out, &(energy, k as u32 + 2, Double));
            }
        }
        if let Some(Definition(_, fields, enums)) = DEFINITIONS.iter().find(|d| d.0 == name) {
            fields.iter().for_each(|field| write_field(out, field));
            for (name, values) in *enums {
                message(out, 4, |of| {
                    text(of, 1, name);
                    for (name, value) in *values {
                        message(of, 2, |one| {
                            text(one, 1, name);
                            number(one, 2, u64::from(*value));
                        });
                    }
                });
            }
        }
    });
    text(file, 12, "proto3");
}

/// Full name of the message of energies.
pub const ENERGY: &str = "fingerpad.Energy";

/// A FieldDescriptorProto.
fn write_field(out: &mut Vec<u8>, (name, at, kind): &Field) {
    let (code, many, of) = match kind {
        Double => (1, false, None),
        Int64 => (3, false, None),
        Unsigned => (4, false, None),
        Int32 => (5, false, None),
        Fixed64 => (6, false, None),
        Fixed32 => (7, false, None),
        ManyFixed32 => (7, true, None),
        Bool => (8, false, None),
        Text => (9, false, None),
        Of(name) => (11, false, Some(name)),
        Many(name) => (11, true, Some(name)),
        Bytes => (12, false, None),
        Enum(name) => (14, false, Some(name)),
    };
    message(out, 2, |field| {
        text(field, 1, name);
        number(field, 3, u64::from(*at));
        number(field, 4, if many { 3 } else { 1 });
        number(field, 5, code);
        if let Some(of) = of {
            text(field, 6, &format!(".{of}"));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file comes after every file that it needs, once: readers take them in order.
    #[test]
    fn parts_come_first() {
        let mut names = Vec::new();
        need("foxglove.SceneUpdate", &mut names);
        for (k, name) in names.iter().enumerate() {
            assert!(parts(name).all(|part| names[..k].iter().any(|n| n == part)), "{name}");
            assert!(!names[..k].contains(name));
        }
        // The update, what it deletes, its entities, eight kinds of primitives; time, duration, metadata; pose, vector,
        // quaternion, point, colour.
        assert_eq!(names.len(), 3 + 8 + 3 + 5);
    }
}
