//! # Georeference: where the pixels of a GeoTIFF lie, in metres
//!
//! `tiff_directory` ──(tags)──▶ `geokeys` ──▶ **here** ──(spacing, origin, units, projection)──▶ `geotiff`
//!
//! - **in**: ModelPixelScale and ModelTiepoint, or ModelTransformation; the GeoKeys; GDAL's metadata of heights
//! - **out**: [`Georeference`]: node spacing and the south-west node (m), metres per raw height, notes
//! - **not here**: pixels (`geotiff`); formulas of the Earth (`geodesy`)
//! - **assumes**: rows along x; a rotated or sheared grid is refused
//! - **start at** [`Georeference::read`]
//!
//! Tags and keys by their numbers in (GeoTIFF 1.1). A pixel is an area by default and its node is its centre; where
//! GTRasterType says that it is a point, the node is at the raster's own integers.

use std::io::{Read, Seek};

use super::geodesy;
use super::geokeys::{FOOT_M, GeoKeys, Model, US_SURVEY_FOOT_M};
use super::tiff_directory::Directory;
use super::{Degrees, TerrainError, TerrainOptions};

const TAG_PIXEL_SCALE: u16 = 33550;
const TAG_TIEPOINT: u16 = 33922;
const TAG_TRANSFORMATION: u16 = 34264;
const TAG_GDAL_METADATA: u16 = 42112;
/// Where the nodes are and what the heights mean.
pub(super) struct Georeference {
    /// Spacing of columns and rows (m).
    pub(super) dx: f64,
    pub(super) dy: f64,
    /// The south-west node (m).
    pub(super) x0: f64,
    pub(super) y0: f64,
    /// Whether the first row of the file is the northern one.
    pub(super) north_first: bool,
    /// Metres per raw height, and the height of raw 0 (m).
    pub(super) z_scale: f64,
    pub(super) z_offset: f64,
    pub(super) crs: Option<String>,
    pub(super) ground_scale: Option<f64>,
    pub(super) warnings: Vec<String>,
}

/// Raster to map, in the map's own unit: x = `x` + `dx` column, y = `y` + `dy` row.
struct Affine {
    x: f64,
    y: f64,
    dx: f64,
    dy: f64,
}

impl Georeference {
    /// Read the tags of `directory` for an image of `nx` columns and `ny` rows.
    pub(super) fn read<R: Read + Seek>(
        directory: &mut Directory<R>,
        (nx, ny): (u64, u64),
        options: &TerrainOptions,
    ) -> Result<Georeference, TerrainError> {
        let mut warnings = Vec::new();
        let mut affine = Affine::read(directory)?;
        let keys = GeoKeys::read(directory)?;
        if !keys.pixel_is_point() {
            affine.x += affine.dx / 2.0;
            affine.y += affine.dy / 2.0;
        }
        let (z_scale, z_offset) = vertical_scale(directory, &keys, &mut warnings)?;
        let crs = keys.name();
        let (last_x, last_y) = (affine.x + (nx - 1) as f64 * affine.dx, affine.y + (ny - 1) as f64 * affine.dy);
        let centre = ((affine.x + last_x) / 2.0, (affine.y + last_y) / 2.0);
        let mut georeference = Georeference {
            dx: affine.dx,
            dy: affine.dy.abs(),
            x0: affine.x,
            y0: affine.y.min(last_y),
            north_first: affine.dy < 0.0,
            z_scale,
            z_offset,
            crs,
            ground_scale: None,
            warnings,
        };
        match keys.model() {
            Model::Geocentric => Err(directory.unsupported("geocentric coordinates; expected a projected map".into())),
            Model::Geographic => {
                let edges = (affine.y, last_y);
                georeference.convert_angles(directory, &keys, centre, edges, options)?;
                Ok(georeference)
            }
            Model::Projected => {
                georeference.convert_lengths(&keys)?;
                georeference.ground_scale = keys.ground_scale(centre, georeference.dx / affine.dx)?;
                let scale = georeference.ground_scale.filter(|k| (k - 1.0).abs() > 1e-3);
                if let Some(k) = scale {
                    georeference.warnings.push(format!("lengths on the map are {k:.5} times those on the ground"));
                }
                Ok(georeference)
            }
            Model::Unknown => {
                let note = "the file names no coordinate system: its coordinates are taken as metres".to_string();
                georeference.warnings.push(note);
                Ok(georeference)
            }
        }
    }

    /// Turn the map's unit of length into metres.
    fn convert_lengths(&mut self, keys: &GeoKeys) -> Result<(), TerrainError> {
        let (name, size) = keys.linear_unit()?;
        if keys.guesses_linear_unit() {
            self.warnings.push("the file does not name its unit of length: taken as metres".to_string());
        }
        if size != 1.0 {
            [&mut self.dx, &mut self.dy, &mut self.x0, &mut self.y0].into_iter().for_each(|v| *v *= size);
            self.warnings.push(format!("coordinates in {name} were turned into metres"));
        }
        Ok(())
    }

    /// Turn latitude and longitude into metres about the map's centre, if that was asked for.
    fn convert_angles<R: Read + Seek>(
        &mut self,
        directory: &Directory<R>,
        keys: &GeoKeys,
        centre: (f64, f64),
        (first, last): (f64, f64),
        options: &TerrainOptions,
    ) -> Result<(), TerrainError> {
        let unit = keys.angular_unit()?;
        let planet = keys.ellipsoid()?;
        let [longitude, latitude, first, last] = [centre.0, centre.1, first, last].map(|angle| angle * unit);
        let steepest = first.abs().max(last.abs());
        // The two outer rows of nodes may sit on the poles, up to round-off.
        let right_angle = std::f64::consts::FRAC_PI_2 * (1.0 + 1e-9);
        if steepest.is_nan() || steepest > right_angle || !longitude.is_finite() {
            let what = format!("latitudes from {} to {} degrees", first.to_degrees(), last.to_degrees());
            return Err(directory.malformed(&what));
        }
        let command = geodesy::reprojection(latitude.to_degrees(), longitude.to_degrees(), planet);
        if options.degrees == Degrees::Refuse {
            let file = directory.file.to_string();
            let [latitude, longitude] = [latitude, longitude].map(f64::to_degrees);
            return Err(TerrainError::Degrees { file, latitude, longitude, command });
        }
        let (east, north, percent) = planet.metres_per_radian(latitude, [first, last]);
        self.dx *= unit * east;
        self.dy *= unit * north;
        (self.x0, self.y0) = (0.0, 0.0);
        self.ground_scale = Some(1.0);
        self.warnings.push(format!(
            "degrees were turned into metres at latitude {:.4}°: lengths are off by up to {percent:.2} % at the map's \
             edges; `{command}` does better",
            latitude.to_degrees()
        ));
        Ok(())
    }
}

impl Affine {
    fn read<R: Read + Seek>(directory: &mut Directory<R>) -> Result<Affine, TerrainError> {
        let scale = directory.reals(TAG_PIXEL_SCALE)?;
        let ties = directory.reals(TAG_TIEPOINT)?;
        let matrix = directory.reals(TAG_TRANSFORMATION)?;
        let affine = match (scale.as_deref(), ties.as_deref(), matrix.as_deref()) {
            (Some([dx, dy, ..]), Some(ties), _) if ties.len() >= 6 => Self::from_ties(*dx, -*dy, ties, directory)?,
            (_, _, Some(m)) if m.len() == 16 => Self::from_matrix(m, directory)?,
            (None, Some(ties), None) if ties.len() > 6 => {
                let what = "ground control points without ModelPixelScale; expected a regular grid: \
                            resample with `gdalwarp in.tif out.tif`";
                return Err(directory.unsupported(what.to_string()));
            }
            _ => return Err(TerrainError::NoGeoreference { file: directory.file.to_string() }),
        };
        let Affine { x, y, dx, dy } = affine;
        if !(dx > 0.0 && dy != 0.0 && [x, y, dx, dy].iter().all(|v| v.is_finite())) {
            return Err(directory.malformed(&format!("pixels of {dx} × {} at ({x}, {y})", -dy)));
        }
        Ok(affine)
    }

    /// Any pixel may be the tie; more than one must agree, to a thousandth of a pixel.
    fn from_ties<R: Read + Seek>(
        dx: f64,
        dy: f64,
        ties: &[f64],
        directory: &Directory<R>,
    ) -> Result<Affine, TerrainError> {
        // A negative scale would mean rows going north, which readers do not agree on.
        if dy >= 0.0 {
            return Err(directory.malformed(&format!("ModelPixelScale must be positive, got {dx} × {}", -dy)));
        }
        let corner = |tie: &[f64]| (tie[3] - tie[0] * dx, tie[4] - tie[1] * dy);
        let (x, y) = corner(ties);
        let agree = |tie: &[f64]| {
            let (other_x, other_y) = corner(tie);
            (other_x - x).abs() <= 1e-3 * dx.abs() && (other_y - y).abs() <= 1e-3 * dy.abs()
        };
        if !ties.chunks_exact(6).skip(1).all(agree) {
            return Err(directory.unsupported("ModelTiepoints disagree; expected a regular grid".into()));
        }
        Ok(Affine { x, y, dx, dy })
    }

    /// `m` is the 4 × 4 matrix of ModelTransformation, row by row.
    fn from_matrix<R: Read + Seek>(m: &[f64], directory: &Directory<R>) -> Result<Affine, TerrainError> {
        let pixel = m[0].abs().min(m[5].abs());
        if !(m[1].abs() <= 1e-9 * pixel && m[4].abs() <= 1e-9 * pixel) {
            let what = format!(
                "ModelTransformation turns or shears the grid (off-diagonal {} and {}); expected rows along x: \
                 resample with `gdalwarp in.tif out.tif`",
                m[1], m[4]
            );
            return Err(directory.unsupported(what));
        }
        Ok(Affine { x: m[3], y: m[7], dx: m[0], dy: m[5] })
    }
}

/// Metres per raw height and the height of raw 0 (m): GDAL's scale and offset, in the vertical unit.
fn vertical_scale<R: Read + Seek>(
    directory: &mut Directory<R>,
    keys: &GeoKeys,
    warnings: &mut Vec<String>,
) -> Result<(f64, f64), TerrainError> {
    let metadata = directory.text(TAG_GDAL_METADATA)?.unwrap_or_default();
    let [scale, offset] = [("scale", 1.0), ("offset", 0.0)].map(|(role, default)| {
        let text = metadata_item(&metadata, role);
        text.map_or(Ok(default), |text| text.parse::<f64>().map_err(|_| format!("{role} of heights is {text:?}")))
    });
    let [scale, offset] = [scale, offset].map(|v| v.map_err(|what| directory.malformed(&what)));
    let (scale, offset) = (scale?, offset?);
    let unit = match keys.vertical_unit()? {
        Some(unit) => Some(unit),
        None => match metadata_item(&metadata, "unittype").map(str::trim) {
            Some("ft" | "foot" | "feet") => Some(("feet", FOOT_M)),
            Some("us-ft" | "sft" | "US survey foot") => Some(("US survey feet", US_SURVEY_FOOT_M)),
            _ => None,
        },
    };
    let (name, size) = unit.unwrap_or(("metres", 1.0));
    if size != 1.0 {
        warnings.push(format!("heights in {name} were turned into metres"));
    }
    Ok((scale * size, offset * size))
}

/// The text of the item with this role in GDAL's metadata: XML that only GDAL writes, `<Item …>text</Item>` each.
fn metadata_item<'a>(metadata: &'a str, role: &str) -> Option<&'a str> {
    let role = format!("role=\"{role}\"");
    metadata.split("<Item").skip(1).find_map(|item| {
        let (attributes, rest) = item.split_once('>')?;
        let (text, _) = rest.split_once("</Item>")?;
        attributes.contains(&role).then_some(text)
    })
}
