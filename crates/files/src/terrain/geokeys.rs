//! # GeoKeys: what a GeoTIFF says of its coordinate system
//!
//! - **in**: the tags GeoKeyDirectory (34735), GeoDoubleParams (34736) and GeoAsciiParams (34737)
//! - **out**: [`GeoKeys`]: kind of coordinates, units, planet, name, scale of the projection where we know it
//! - **not here**: where the pixels are (`georeference`)
//! - **assumes**: where a key is absent, (GeoTIFF 1.1)'s usage: metres, degrees, pixels that are areas
//! - **start at** [`GeoKeys::read`]

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use super::TerrainError;
use super::geodesy::{self, Ellipsoid};
use super::tiff_directory::Directory;

const TAG_KEY_DIRECTORY: u16 = 34735;
const TAG_KEY_REALS: u16 = 34736;
const TAG_KEY_TEXTS: u16 = 34737;

const KEY_MODEL_TYPE: u16 = 1024;
const KEY_RASTER_TYPE: u16 = 1025;
const KEY_CITATION: u16 = 1026;
const KEY_GEOGRAPHIC: u16 = 2048;
const KEY_GEOGRAPHIC_CITATION: u16 = 2049;
const KEY_ANGULAR_UNIT: u16 = 2054;
const KEY_SEMI_MAJOR: u16 = 2057;
const KEY_SEMI_MINOR: u16 = 2058;
const KEY_INVERSE_FLATTENING: u16 = 2059;
const KEY_PROJECTED: u16 = 3072;
const KEY_PROJECTED_CITATION: u16 = 3073;
const KEY_PROJECTION: u16 = 3075;
const KEY_LINEAR_UNIT: u16 = 3076;
const KEY_LINEAR_UNIT_SIZE: u16 = 3077;
const KEY_ORIGIN_LATITUDE: u16 = 3081;
const KEY_FALSE_EASTING: u16 = 3082;
const KEY_FALSE_NORTHING: u16 = 3083;
const KEY_SCALE_AT_ORIGIN: u16 = 3092;
const KEY_VERTICAL_UNIT: u16 = 4099;

const POLAR_STEREOGRAPHIC: u16 = 15;
const USER_DEFINED: u16 = 32767;
/// EPSG codes of polar stereographic grids of the Earth, and their latitude of true scale (degrees).
const POLAR_GRIDS: [(u16, f64); 4] = [(3413, 70.0), (3995, 71.0), (3031, 71.0), (3976, 70.0)];
const WEB_MERCATOR: u16 = 3857;

/// International foot (m).
pub(super) const FOOT_M: f64 = 0.3048;
/// US survey foot (m).
pub(super) const US_SURVEY_FOOT_M: f64 = 1200.0 / 3937.0;
const KILOMETRE_M: f64 = 1000.0;

/// Kind of coordinates.
pub(super) enum Model {
    /// Lengths on a map.
    Projected,
    /// Latitude and longitude.
    Geographic,
    /// Lengths from the planet's centre.
    Geocentric,
    /// The file does not say.
    Unknown,
}

/// One key: its table, number of values, and value or index into the table.
#[derive(Clone, Copy)]
struct Key {
    table: u16,
    count: usize,
    value: u16,
}

/// The keys of one file.
pub(super) struct GeoKeys {
    file: String,
    keys: BTreeMap<u16, Key>,
    reals: Vec<f64>,
    texts: String,
}

impl GeoKeys {
    pub(super) fn read<R: Read + Seek>(directory: &mut Directory<R>) -> Result<GeoKeys, TerrainError> {
        let table = directory.integers(TAG_KEY_DIRECTORY)?.unwrap_or_default();
        // Four numbers of heading, the last of which counts the keys; then four numbers for each.
        let count = table.get(3).copied().unwrap_or_default() as usize;
        let rows = table.get(4..).unwrap_or_default().chunks_exact(4).take(count);
        let keys: BTreeMap<u16, Key> = rows
            .map(|row| (row[0] as u16, Key { table: row[1] as u16, count: row[2] as usize, value: row[3] as u16 }))
            .collect();
        if keys.len() < count {
            return Err(directory.malformed(&format!("{count} GeoKeys announced, {} found", keys.len())));
        }
        let reals = directory.reals(TAG_KEY_REALS)?.unwrap_or_default();
        let texts = directory.text(TAG_KEY_TEXTS)?.unwrap_or_default();
        Ok(GeoKeys { file: directory.file.to_string(), keys, reals, texts })
    }

    pub(super) fn model(&self) -> Model {
        let projected = self.keys.contains_key(&KEY_PROJECTED) || self.keys.contains_key(&KEY_PROJECTION);
        match self.short(KEY_MODEL_TYPE) {
            Some(1) => Model::Projected,
            Some(2) => Model::Geographic,
            Some(3) => Model::Geocentric,
            _ if projected => Model::Projected,
            _ if self.keys.contains_key(&KEY_GEOGRAPHIC) => Model::Geographic,
            _ => Model::Unknown,
        }
    }

    /// Whether coordinates belong to points and not to the corners of areas.
    pub(super) fn pixel_is_point(&self) -> bool {
        self.short(KEY_RASTER_TYPE) == Some(2)
    }

    /// Name and size (m) of the map's unit of length.
    pub(super) fn linear_unit(&self) -> Result<(&'static str, f64), TerrainError> {
        match self.short(KEY_LINEAR_UNIT) {
            None => Ok(("metres", 1.0)),
            Some(USER_DEFINED) => match self.real(KEY_LINEAR_UNIT_SIZE)? {
                Some(size) if size > 0.0 && size.is_finite() => Ok(("units of the file's own", size)),
                _ => Err(self.unsupported("a user-defined unit of length without its size (GeoKey 3077)".into())),
            },
            Some(code) => self.unit(code, "length"),
        }
    }

    /// Whether metres are a guess: no unit is named, and the grid is not one that we know to be in metres.
    pub(super) fn guesses_linear_unit(&self) -> bool {
        let metric = |code: u16| {
            // UTM on NAD 27, NAD 83, ETRS 89 and WGS 84.
            matches!(code, 26701..=26722 | 26901..=26923 | 25828..=25838 | 32601..=32660 | 32701..=32760 | WEB_MERCATOR)
                || POLAR_GRIDS.iter().any(|(grid, _)| *grid == code)
        };
        self.short(KEY_LINEAR_UNIT).is_none() && !self.short(KEY_PROJECTED).is_some_and(metric)
    }

    /// Name and size (m) of the unit of heights, if the file says.
    pub(super) fn vertical_unit(&self) -> Result<Option<(&'static str, f64)>, TerrainError> {
        self.short(KEY_VERTICAL_UNIT).map(|code| self.unit(code, "height")).transpose()
    }

    fn unit(&self, code: u16, of: &str) -> Result<(&'static str, f64), TerrainError> {
        match code {
            9001 => Ok(("metres", 1.0)),
            9002 => Ok(("feet", FOOT_M)),
            9003 => Ok(("US survey feet", US_SURVEY_FOOT_M)),
            9036 => Ok(("kilometres", KILOMETRE_M)),
            _ => Err(self.unsupported(format!(
                "unit of {of} EPSG:{code}; expected metre 9001, foot 9002, US survey foot 9003 or kilometre 9036"
            ))),
        }
    }

    /// Radians per unit of latitude and longitude.
    pub(super) fn angular_unit(&self) -> Result<f64, TerrainError> {
        let degree = 1_f64.to_radians();
        match self.short(KEY_ANGULAR_UNIT) {
            None | Some(9102 | 9122) => Ok(degree),
            Some(9101) => Ok(1.0),
            Some(9103) => Ok(degree / 60.0),
            Some(9104) => Ok(degree / 3600.0),
            Some(9105 | 9106) => Ok(degree * 0.9),
            Some(code) => Err(self.unsupported(format!("unit of angle EPSG:{code}; expected degree 9102"))),
        }
    }

    /// The planet, the Earth where the file does not say.
    pub(super) fn ellipsoid(&self) -> Result<Ellipsoid, TerrainError> {
        let Some(a) = self.real(KEY_SEMI_MAJOR)? else { return Ok(Ellipsoid::EARTH) };
        let f = match (self.real(KEY_INVERSE_FLATTENING)?, self.real(KEY_SEMI_MINOR)?) {
            // 0 stands for "infinite": a sphere.
            (Some(inverse), _) if inverse != 0.0 => 1.0 / inverse,
            (_, Some(b)) => (a - b) / a,
            _ => 0.0,
        };
        if a > 0.0 && a.is_finite() && (0.0..0.9).contains(&f) {
            Ok(Ellipsoid { a, f })
        } else {
            Err(self.malformed(format!("an ellipsoid of radius {a} m and flattening {f}")))
        }
    }

    /// Map metres per ground metre at a point of the map (in its own unit, `unit` metres long), if we know.
    pub(super) fn ground_scale(&self, (x, y): (f64, f64), unit: f64) -> Result<Option<f64>, TerrainError> {
        let code = self.short(KEY_PROJECTED);
        if code == Some(WEB_MERCATOR) {
            return Ok(Some(geodesy::web_mercator_scale(y * unit)));
        }
        if let Some((_, latitude)) = POLAR_GRIDS.iter().find(|(grid, _)| code == Some(*grid)) {
            let k0 = geodesy::polar_scale_for_true_latitude(latitude.to_radians());
            return Ok(Some(geodesy::polar_stereographic_scale(x.hypot(y) * unit, Ellipsoid::EARTH.a, k0)));
        }
        if self.short(KEY_PROJECTION) != Some(POLAR_STEREOGRAPHIC) {
            return Ok(None);
        }
        // Away from the pole, the latitude of origin is the one that is true to scale.
        let latitude = self.real(KEY_ORIGIN_LATITUDE)?.unwrap_or(90.0) * self.angular_unit()?;
        let k0 = self.real(KEY_SCALE_AT_ORIGIN)?.unwrap_or(1.0) * geodesy::polar_scale_for_true_latitude(latitude);
        let east = x - self.real(KEY_FALSE_EASTING)?.unwrap_or(0.0);
        let north = y - self.real(KEY_FALSE_NORTHING)?.unwrap_or(0.0);
        let k = geodesy::polar_stereographic_scale(east.hypot(north) * unit, self.ellipsoid()?.a, k0);
        Ok(Some(k).filter(|k| *k > 0.0 && k.is_finite()))
    }

    /// The coordinate system for people: its EPSG code and what the file calls it.
    pub(super) fn name(&self) -> Option<String> {
        let code = [KEY_PROJECTED, KEY_GEOGRAPHIC]
            .into_iter()
            .find_map(|key| self.short(key))
            .filter(|code| *code != USER_DEFINED && *code != 0)
            .map(|code| format!("EPSG:{code}"));
        let name =
            [KEY_CITATION, KEY_PROJECTED_CITATION, KEY_GEOGRAPHIC_CITATION].into_iter().find_map(|key| self.text(key));
        match (code, name) {
            (Some(code), Some(name)) => Some(format!("{code} ({name})")),
            (code, name) => code.or(name),
        }
    }

    fn short(&self, key: u16) -> Option<u16> {
        self.keys.get(&key).filter(|key| key.table == 0).map(|key| key.value)
    }

    fn real(&self, key: u16) -> Result<Option<f64>, TerrainError> {
        match self.keys.get(&key) {
            None => Ok(None),
            Some(k) if k.table == TAG_KEY_REALS && usize::from(k.value) < self.reals.len() => {
                Ok(Some(self.reals[usize::from(k.value)]))
            }
            Some(_) => Err(self.malformed(format!("GeoKey {key} points outside the table of real numbers"))),
        }
    }

    fn text(&self, key: u16) -> Option<String> {
        let key = self.keys.get(&key).filter(|key| key.table == TAG_KEY_TEXTS)?;
        let begin = usize::from(key.value);
        // Some writers count one character too many; what is there is enough for people.
        let end = (begin + key.count).min(self.texts.len());
        let text = self.texts.get(begin..end)?.trim_end_matches('|').trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    fn malformed(&self, what: String) -> TerrainError {
        TerrainError::Malformed { file: self.file.clone(), format: "TIFF", what }
    }

    fn unsupported(&self, what: String) -> TerrainError {
        TerrainError::Unsupported { file: self.file.clone(), what }
    }
}
