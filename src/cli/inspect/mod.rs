//! # `fingerpad inspect`: what is in a file
//!
//! - **in**: an elevation map (ESRI ASCII grid, GeoTIFF, PNG), a mesh (STL, OBJ, COLLADA), a robot (URDF, MJCF), a JSON
//!   document of `query`, an LCP as text, a scene, a saved state, a recording
//! - **out**: what a user would ask before using it; exit 2 and nothing on stdout if it cannot be used
//! - **not here**: reading maps (`fingerpad_files`), meshes ([`mesh`]), robots ([`robot`]), kinds of matrices ([`lcp`])
//! - **start at** [`run`]

mod lcp;
mod mesh;
mod recording;
mod robot;
mod scene;

use crate::cli::table::short;
use crate::json::document::{self, Document};
use crate::json::mesh::unit_word;
use crate::json::{self, map};
use crate::outcome::{self, Failure, Outcome};
use crate::report::run::stage::Stage;
use crate::run::saved;
use clap::Args;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::surface::elevation::{Grid, Interpolation};
use fingerpad_files::terrain::{self, Degrees, PngScale, Terrain, TerrainError, TerrainFormat, TerrainOptions};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Inspect {
    /// The file.
    pub file: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    pub json: bool,
    /// Spacing of a PNG's columns (m).
    #[arg(long, value_name = "M", default_value_t = 1.0)]
    pub dx: f64,
    /// Spacing of a PNG's rows (m); as --dx if not given.
    #[arg(long, value_name = "M")]
    pub dy: Option<f64>,
    /// Metres per gray level of a PNG.
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub z_scale: Option<f64>,
    /// Height of gray level 0 of a PNG (m).
    #[arg(long, value_name = "M", default_value_t = 0.0, allow_hyphen_values = true)]
    pub z_offset: f64,
    /// Unit of a mesh: m, cm, mm, in, or metres per unit.
    #[arg(long, value_name = "UNIT", default_value = "m", value_parser = unit_word)]
    pub unit: f64,
    /// Make a mesh smooth, however many triangles it has.
    #[arg(long)]
    pub smooth: bool,
    /// Writes a page to look at a mesh, a map or a robot in a browser.
    #[arg(long, value_name = "OUT.html")]
    pub html: Option<PathBuf>,
    /// Draws a robot at rest.
    #[arg(long, value_name = "OUT.svg")]
    pub svg: Option<PathBuf>,
    /// A folder with packages that a robot names (package://NAME/…); may be given several times.
    #[arg(long, value_name = "DIR")]
    pub search: Vec<PathBuf>,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad inspect dem.tif
  fingerpad inspect heights.png --dx 0.5 --z-scale 0.01
  fingerpad inspect finger.stl --unit mm --html finger.html
  fingerpad inspect hand.urdf --svg hand.svg --search ~/ros/src
  fingerpad inspect hand.xml --json
  fingerpad inspect pairs.json --json
  fingerpad inspect lcp_cases.json
  fingerpad inspect scene.toml
  fingerpad inspect out/bowl-map/run.mcap";

/// Describes the file.
pub fn run(options: &Inspect, quiet: bool) -> Result<Outcome, Failure> {
    let path = &options.file;
    let (length, start) = start_of(path)?;
    if fingerpad_files::robot::is_robot(&start) {
        return describe_robot(options);
    }
    if options.svg.is_some() {
        return Err(Failure("--svg: expected a robot (URDF or MJCF)".to_string()));
    }
    let facts = if scene::is_scene(path) {
        scene::describe(path, quiet)?
    } else if start.starts_with(saved::MAGIC.as_bytes()) {
        scene::describe_state(path)?
    } else if fingerpad_files::recording::is_mcap(&start) {
        recording::describe(path)?
    } else if is_json(&start) {
        describe_document(path, &Document::read(path)?)?
    } else if json::lcp::is_text(&start) {
        let bytes = document::file(path)?;
        describe_document(path, &json::lcp::document(&bytes, &path.display().to_string())?)?
    } else if mesh::is_mesh(path, length, &start) {
        mesh::describe(path, options.unit, options.smooth, quiet)?
    } else {
        describe_map(options)?
    };
    if let Some(out) = &options.html {
        let stage = if mesh::is_mesh(path, length, &start) {
            mesh::stage(path, options.unit, quiet)?
        } else if facts.get("kind").is_some_and(|kind| kind == "elevation map") {
            map_stage(options)?
        } else {
            return Err(Failure(format!(
                "--html: expected a mesh, a map or a robot, got {}",
                facts.get("kind").unwrap_or(&Value::Null)
            )));
        };
        let title = path.file_name().unwrap_or_default().to_string_lossy();
        outcome::write_whole(out, &crate::report::run::thing(&title, &facts, &stage))?;
    }
    outcome::print(&if options.json { document::text(&facts) } else { lines(&facts) })?;
    Ok(Outcome::AllGood)
}

/// Describes a robot, and draws it where asked.
fn describe_robot(options: &Inspect) -> Result<Outcome, Failure> {
    let path = &options.file;
    let read = robot::read(path, &options.search)?;
    let facts = robot::facts(path, &read);
    if options.svg.is_some() || options.html.is_some() {
        let (stage, frame) = robot::stage(&read);
        if let Some(out) = &options.svg {
            let view = crate::report::run::still_view(&stage, &frame, &read.name);
            // Within a page the name space is known; a file of its own must tell it.
            let view = view.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
            outcome::write_whole(out, &view)?;
        }
        if let Some(out) = &options.html {
            let brief = facts.iter().filter(|(_, value)| !value.is_array() && !value.is_object());
            let mut brief: Map<String, Value> = brief.map(|(key, value)| (key.clone(), value.clone())).collect();
            brief.insert("links".into(), json!(read.links.len()));
            brief.insert("joints".into(), json!(read.joints.len()));
            brief.insert("warnings".into(), facts.get("warnings").cloned().unwrap_or_default());
            outcome::write_whole(out, &crate::report::run::thing_at(&read.name, &brief, &stage, &frame))?;
        }
    }
    outcome::print(&if options.json { document::text(&facts) } else { robot::text(path, &read) })?;
    Ok(Outcome::AllGood)
}

/// The map to look at.
fn map_stage(options: &Inspect) -> Result<Stage, Failure> {
    let terrain = read_map(options)?.0;
    let surface = map::of_terrain(terrain, Interpolation::default()).map_err(|e| Failure::of_file(&options.file, e))?;
    let name = options.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Stage::of(vec![name], vec![Arc::new(Shape::Elevation(Arc::new(surface.map)))], vec![true], &[]))
}

/// Length of a file (bytes), and how it starts.
fn start_of(path: &Path) -> Result<(u64, Vec<u8>), Failure> {
    let meta = std::fs::metadata(path).map_err(|e| Failure::of_file(path, e))?;
    if !meta.is_file() {
        return Err(Failure::of_file(path, "expected a regular file"));
    }
    let mut start = Vec::new();
    let file = File::open(path).map_err(|e| Failure::of_file(path, e))?;
    file.take(1024).read_to_end(&mut start).map_err(|e| Failure::of_file(path, e))?;
    Ok((meta.len(), start))
}

/// Whether a file starts as JSON does. Maps and meshes start with a magic number or a letter.
fn is_json(start: &[u8]) -> bool {
    let first = start.iter().find(|b| !b.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'['))
}

/// A list of records that we know: its key, the command that answers it, keys of an answer.
struct Known {
    list: &'static str,
    command: &'static str,
    answers: &'static [&'static str],
}

const LISTS: [Known; 8] = [
    Known { list: "pairs", command: "query closest", answers: &["expected"] },
    Known { list: "queries", command: "query elevation", answers: &["quintic_corrected"] },
    Known { list: "contact_cases", command: "query patch", answers: &["hertz", "winkler", "power_law"] },
    Known { list: "cases", command: "query fit", answers: &["class"] },
    Known { list: "cases", command: "query slip", answers: &["xi"] },
    Known { list: "cases", command: "query limit-surface", answers: &["f"] },
    Known { list: "cases", command: "query lcp", answers: &["status"] },
    Known { list: "states", command: "query tree", answers: &["M"] },
];

impl Known {
    /// The list in a document, if it is there and for this command. Several have `cases`: those of a mesh stand beside
    /// one, the others are known by what they ask.
    fn find<'a>(&self, root: &'a Map<String, Value>) -> Option<&'a Vec<Value>> {
        let list = root.get(self.list)?.as_array()?;
        let asks = |key: &str| list.first().is_some_and(|record| record.get(key).is_some());
        let ours = match self.command {
            "query fit" => root.contains_key("mesh"),
            "query slip" => asks("xi_trial"),
            "query limit-surface" => asks("twist"),
            "query lcp" => asks("M"),
            _ => true,
        };
        ours.then_some(list)
    }
}

fn describe_document(path: &Path, document: &Document) -> Result<Map<String, Value>, Failure> {
    let found = LISTS.iter().find_map(|known| Some((known, known.find(&document.root)?)));
    let Some((Known { list: key, command, answers }, list)) = found else {
        let lists: Vec<String> = LISTS.iter().map(|known| format!("`{}` ({})", known.list, known.command)).collect();
        return Err(Failure::of_file(path, format_args!("expected a list {}, got none", lists.join(" or "))));
    };
    let having = |keys: &[&str]| {
        let has = |record: &&Value| keys.iter().any(|key| record.get(*key).is_some_and(|v| !v.is_null()));
        list.iter().filter(has).count()
    };
    let mut facts = Map::new();
    facts.insert("file".into(), json!(path.display().to_string()));
    facts.insert("kind".into(), json!(format!("input of {command}")));
    facts.insert("list".into(), json!(key));
    facts.insert("records".into(), json!(list.len()));
    facts.insert("answered".into(), json!(having(answers)));
    facts.insert("errors".into(), json!(having(&["error"])));
    if *command == "query lcp" {
        facts.extend(lcp::facts(list).into_iter().map(|(key, value)| (key.to_string(), value)));
    }
    let other: Vec<&String> = document.root.keys().filter(|k| k != key).collect();
    facts.insert("other_keys".into(), json!(other));
    Ok(facts)
}

/// A map, and why it cannot be used as terrain, if so.
fn read_map(options: &Inspect) -> Result<(Terrain, Option<String>), Failure> {
    let path = &options.file;
    let dy = options.dy.unwrap_or(options.dx);
    // Gray levels without a scale would be taken for metres: a PNG must come with one.
    let png = options.z_scale.map(|z_scale| PngScale {
        dx: options.dx,
        dy,
        x0: 0.0,
        y0: 0.0,
        z_scale,
        z_offset: options.z_offset,
    });
    let mut wanted = TerrainOptions { png, ..TerrainOptions::default() };
    let failure = |e: TerrainError| match e {
        TerrainError::NoPngScale { .. } => Failure(format!("{e}; give --dx, --dy and --z-scale")),
        e => Failure(e.to_string()),
    };
    // A map in degrees can be looked at, though not used.
    let mut refused = None;
    let terrain = match terrain::read(path, &wanted) {
        Err(e @ TerrainError::Degrees { .. }) => {
            refused = Some(format!("it cannot be used as terrain until it is reprojected: {e}"));
            wanted.degrees = Degrees::Local;
            terrain::read(path, &wanted)
        }
        other => other,
    }
    .map_err(failure)?;
    Ok((terrain, refused))
}

fn describe_map(options: &Inspect) -> Result<Map<String, Value>, Failure> {
    let path = &options.file;
    let (terrain, refused) = read_map(options)?;
    let mut facts = map_facts(path, &terrain, refused);
    // Whether a surface can be made of it is part of the answer.
    let surface = map::of_terrain(terrain, Interpolation::default()).map_err(|e| Failure::of_file(path, e))?;
    facts.insert("missing_nodes".into(), json!(surface.map.missing_nodes()));
    // Warnings last, where people look.
    if let Some(warnings) = facts.shift_remove("warnings") {
        facts.insert("warnings".into(), warnings);
    }
    Ok(facts)
}

fn map_facts(path: &Path, terrain: &Terrain, refused: Option<String>) -> Map<String, Value> {
    let Grid { nx, ny, dx, dy, x0, y0 } = terrain.grid;
    let format = match terrain.format {
        TerrainFormat::EsriAscii => "ESRI ASCII grid",
        TerrainFormat::GeoTiff => "GeoTIFF",
        TerrainFormat::Png => "16-bit PNG",
    };
    let (low, high) = terrain.height_range().unwrap_or((f64::NAN, f64::NAN));
    let steepest = steepest(terrain);
    let usable = refused.is_none();
    let warnings: Vec<String> = refused.into_iter().chain(terrain.warnings.iter().cloned()).collect();
    let facts = [
        ("file", json!(path.display().to_string())),
        ("kind", json!("elevation map")),
        ("format", json!(format)),
        ("columns", json!(nx)),
        ("rows", json!(ny)),
        ("dx", json!(dx)),
        ("dy", json!(dy)),
        ("x0", json!(x0)),
        ("y0", json!(y0)),
        ("x_max", json!(x0 + (nx as f64 - 1.0) * dx)),
        ("y_max", json!(y0 + (ny as f64 - 1.0) * dy)),
        ("width", json!(terrain.width())),
        ("height", json!(terrain.height())),
        ("ground_width", json!(terrain.ground_width())),
        ("ground_height", json!(terrain.ground_height())),
        ("z_min", json!(low)),
        ("z_max", json!(high)),
        ("steepest_slope", json!(steepest.map(|s| s.slope))),
        ("steepest_at", json!(steepest.map(|s| [s.i, s.j]))),
        ("crs", json!(terrain.crs)),
        ("usable_as_terrain", json!(usable)),
        ("warnings", json!(warnings)),
    ];
    facts.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

/// The steepest way from a node to its eastern or northern neighbour.
#[derive(Clone, Copy, Debug)]
struct Steepest {
    /// Rise over run.
    slope: f64,
    /// Column of the node.
    i: usize,
    /// Row of the node, from the south.
    j: usize,
}

fn steepest(terrain: &Terrain) -> Option<Steepest> {
    let Grid { nx, ny, dx, dy, .. } = terrain.grid;
    let mut best: Option<Steepest> = None;
    for j in 0..ny {
        for i in 0..nx {
            let z = terrain.node_height(i, j);
            let east = if i + 1 < nx { (terrain.node_height(i + 1, j) - z) / dx } else { f64::NAN };
            let north = if j + 1 < ny { (terrain.node_height(i, j + 1) - z) / dy } else { f64::NAN };
            // max passes over NaN: missing neighbours do not count.
            let slope = east.abs().max(north.abs());
            if slope.is_finite() && best.is_none_or(|b| slope > b.slope) {
                best = Some(Steepest { slope, i, j });
            }
        }
    }
    best
}

/// What the facts are called for people, with their unit.
fn caption(key: &str) -> &str {
    match key {
        "dx" => "spacing east [m]",
        "dy" => "spacing north [m]",
        "x0" => "west node x [m]",
        "y0" => "south node y [m]",
        "x_max" => "east node x [m]",
        "y_max" => "north node y [m]",
        "width" => "width of pixels [m]",
        "height" => "height of pixels [m]",
        "ground_width" => "width on the ground [m]",
        "ground_height" => "height on the ground [m]",
        "z_min" => "lowest node [m]",
        "z_max" => "highest node [m]",
        "steepest_slope" => "steepest slope between nodes",
        "steepest_at" => "  at node (column, row from south)",
        "crs" => "projection",
        "missing_nodes" => "nodes without data",
        "usable_as_terrain" => "usable as terrain",
        "unit" => "metres per unit of the file",
        "open_edges" => "edges with one triangle",
        "non_manifold_edges" => "edges that are not manifold",
        "min" => "lowest corner [m]",
        "max" => "highest corner [m]",
        "size" => "size [m]",
        "volume" => "volume [m³]",
        "centre" => "centre of the volume [m]",
        "inertia" => "inertia per density, there [m⁵]",
        "edge_length_median" => "median edge [m]",
        "crease_edges" => "edges that bend by more than 40°",
        "sheets" => "smooth sheets between creases",
        "unresolved_share" => "share of vertices too coarse/rough",
        "surface" => "surface chosen",
        "surface_reason" => "  since",
        "departure_bound" => "distance from facets, at most [m]",
        "departure_bound_share" => "  of the diagonal",
        "worst_facet" => "facet a smooth one departs from most",
        "worst_facet_at" => "  at [m]",
        "untrusted_share" => "share of area not trusted as smooth",
        "rows_least" => "rows, smallest problem",
        "rows_most" => "rows, largest problem",
        "symmetric" => "with symmetric M",
        "positive_definite" => "with M positive definite",
        "positive_semidefinite" => "with M positive semidefinite",
        "not_definite" => "with M of neither kind",
        "unreadable" => "that cannot be read",
        "other_keys" => "other keys",
        other => other,
    }
}

/// The facts, one a line.
fn lines(facts: &Map<String, Value>) -> String {
    let mut text = String::new();
    for (key, value) in facts {
        if key == "warnings" {
            for warning in value.as_array().into_iter().flatten() {
                text.push_str(&format!("warning: {}\n", warning.as_str().unwrap_or_default()));
            }
            continue;
        }
        let shown = match value {
            Value::Null => "unknown".to_string(),
            Value::String(s) => s.clone(),
            Value::Bool(b) => if *b { "yes" } else { "no" }.to_string(),
            Value::Number(n) if n.is_f64() => exact(n.as_f64().unwrap_or(f64::NAN)),
            // Things with several properties stand on lines of their own.
            Value::Array(list) if list.iter().any(Value::is_object) => {
                list.iter().map(brief).collect::<Vec<_>>().join(&format!("\n{:<38}", ""))
            }
            Value::Array(list) => list.iter().map(brief).collect::<Vec<_>>().join(", "),
            other => other.to_string(),
        };
        text.push_str(&format!("{:<38}{shown}\n", caption(key)));
    }
    text
}

fn brief(value: &Value) -> String {
    match value {
        Value::String(s) => s.clone(),
        Value::Number(n) if n.is_f64() => exact(n.as_f64().unwrap_or(f64::NAN)),
        Value::Array(list) => format!("({})", list.iter().map(brief).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let shown = fields.iter().map(|(key, value)| match key.as_str() {
                "name" => brief(value),
                key => format!("{key} {}", brief(value)),
            });
            shown.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Coordinates keep all digits where six would lose metres.
fn exact(x: f64) -> String {
    if x.abs() >= 1e5 { format!("{x}") } else { short(x) }
}
