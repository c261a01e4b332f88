//! # Geodesy: metres per degree, scale of a projection, and where to reproject to
//!
//! - **in**: latitude (rad or degrees, as named), position on a map (m), size of the planet (m)
//! - **out**: radii of curvature (m), map metres per ground metre, a `gdalwarp` command
//! - **not here**: reprojection itself
//! - **assumes**: an ellipsoid of revolution; scales of projections on the sphere, which on the Earth puts them
//!   wrong by less than 1 % of their difference from 1
//! - **start at** [`Ellipsoid`]

/// The shape of a planet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ellipsoid {
    /// Equatorial radius (m).
    pub(super) a: f64,
    /// Flattening (a − b)/a.
    pub(super) f: f64,
}

impl Ellipsoid {
    /// GRS 80; WGS 84 differs in the eleventh digit of f (Snyder, table 1).
    pub(super) const EARTH: Ellipsoid = Ellipsoid { a: 6_378_137.0, f: 1.0 / 298.257_222_101 };

    fn e2(&self) -> f64 {
        self.f * (2.0 - self.f)
    }

    /// Metres per radian of latitude: the meridional radius (Snyder, eq. 4-18).
    ///
    /// ```text
    /// M = a (1 − e²)/(1 − e² sin²φ)^(3/2)
    /// ```
    pub(super) fn metres_per_radian_north(&self, latitude: f64) -> f64 {
        self.a * (1.0 - self.e2()) / (1.0 - self.e2() * latitude.sin().powi(2)).powf(1.5)
    }

    /// Metres per radian of longitude: the radius of the parallel (Snyder, eq. 4-20).
    ///
    /// ```text
    /// N cos φ,   N = a/√(1 − e² sin²φ)
    /// ```
    pub(super) fn metres_per_radian_east(&self, latitude: f64) -> f64 {
        self.a * latitude.cos() / (1.0 - self.e2() * latitude.sin().powi(2)).sqrt()
    }

    /// Metres per radian, east and north, at a latitude, and by how many percent they are off at two others (rad).
    pub(super) fn metres_per_radian(&self, latitude: f64, edges: [f64; 2]) -> (f64, f64, f64) {
        let (east, north) = (self.metres_per_radian_east(latitude), self.metres_per_radian_north(latitude));
        let off = |edge: f64| {
            let east_off = (self.metres_per_radian_east(edge) / east - 1.0).abs();
            east_off.max((self.metres_per_radian_north(edge) / north - 1.0).abs())
        };
        (east, north, 100.0 * off(edges[0]).max(off(edges[1])))
    }

    fn is_earth(&self) -> bool {
        (self.a / Self::EARTH.a - 1.0).abs() < 0.01
    }
}

/// Map metres per ground metre of the polar stereographic projection at distance `rho` (m) from the pole on the map.
///
/// ```text
/// ρ = 2 R k₀ tan(c/2),   k = k₀ (1 + tan²(c/2)) = k₀ (1 + (ρ/(2 R k₀))²)        (c: angle from the pole)
/// ```
///
/// (Snyder, eqs. 21-4 and 21-5, for the sphere). `k0` is the scale at the pole.
pub(super) fn polar_stereographic_scale(rho: f64, radius: f64, k0: f64) -> f64 {
    k0 * (1.0 + (rho / (2.0 * radius * k0)).powi(2))
}

/// Scale at the pole of a polar stereographic map that is true to scale at `latitude` (rad).
///
/// (Snyder, eq. 21-7 with k = 1), for the sphere.
pub(super) fn polar_scale_for_true_latitude(latitude: f64) -> f64 {
    (1.0 + latitude.abs().sin()) / 2.0
}

/// Map metres per ground metre of web Mercator at northing `y` (m): 1/cos φ = cosh(y/a) (Snyder, eqs. 7-2a and 7-3).
pub(super) fn web_mercator_scale(y: f64) -> f64 {
    (y / Ellipsoid::EARTH.a).cosh()
}

/// A command which reprojects a map centred at (latitude, longitude) (degrees) to metres.
///
/// On the Earth the zone of UTM is used, and the usual polar grids beyond it (84° N, 80° S); on other planets a
/// stereographic projection about the map's centre.
pub(super) fn reprojection(latitude: f64, longitude: f64, planet: Ellipsoid) -> String {
    let target = if !planet.is_earth() {
        let Ellipsoid { a, f } = planet;
        format!("\"+proj=stere +lat_0={latitude:.4} +lon_0={longitude:.4} +a={a} +b={}\"", a * (1.0 - f))
    } else if latitude > 84.0 {
        "EPSG:3413".to_string()
    } else if latitude < -80.0 {
        "EPSG:3031".to_string()
    } else {
        format!("EPSG:{}{:02}", if latitude < 0.0 { 327 } else { 326 }, utm_zone(longitude))
    };
    format!("gdalwarp -t_srs {target} in.tif out.tif")
}

/// Zone of UTM, 1 to 60, of a longitude (degrees, any turn).
fn utm_zone(longitude: f64) -> u32 {
    let turned = (longitude + 180.0).rem_euclid(360.0);
    ((turned / 6.0) as u32).min(59) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables for WGS 84 print 111.132 km and 78.847 km at 45°; tolerance: half of the last digit.
    #[test]
    fn a_degree_at_45_north_is_as_long_as_the_tables_say() {
        let latitude = 45_f64.to_radians();
        let degree = 1_f64.to_radians();
        assert!((Ellipsoid::EARTH.metres_per_radian_north(latitude) * degree - 111_132.0).abs() < 0.5);
        assert!((Ellipsoid::EARTH.metres_per_radian_east(latitude) * degree - 78_847.0).abs() < 0.5);
    }

    /// The quarter meridian of GRS 80 is 10,001,965.729 m (Moritz 2000); here the sum of 9,000 midpoints.
    #[test]
    fn metres_per_radian_north_add_up_to_the_quarter_meridian() {
        let step = std::f64::consts::FRAC_PI_2 / 9000.0;
        let sum: f64 =
            (0..9000).map(|k| Ellipsoid::EARTH.metres_per_radian_north((k as f64 + 0.5) * step) * step).sum();
        assert!((sum - 10_001_965.729).abs() < 0.01, "{sum}");
    }

    /// Zones at places whose zone every atlas gives; would catch zone 61 at the date line.
    #[test]
    fn reprojection_names_the_zone_of_well_known_places() {
        let earth = Ellipsoid::EARTH;
        assert!(reprojection(37.8, -122.3, earth).contains("EPSG:32610")); // San Francisco
        assert!(reprojection(-33.9, 151.2, earth).contains("EPSG:32756")); // Sydney
        assert!(reprojection(51.5, -0.1, earth).contains("EPSG:32630")); // London
        assert!(reprojection(0.0, 180.0, earth).contains("EPSG:32601"));
        assert!(reprojection(0.0, 179.999, earth).contains("EPSG:32660"));
        assert!(reprojection(88.0, 10.0, earth).contains("EPSG:3413"));
        assert!(reprojection(-85.0, 10.0, earth).contains("EPSG:3031"));
        let moon = Ellipsoid { a: 1_737_400.0, f: 0.0 };
        assert!(reprojection(20.0, 30.0, moon).contains("+proj=stere +lat_0=20.0000 +lon_0=30.0000 +a=1737400"));
    }

    /// By its derivative: dρ/(R dc) is the scale along a meridian; central difference, error (10⁻⁴)²/6.
    #[test]
    fn polar_stereographic_scale_is_the_slope_of_its_map() {
        let (radius, k0, c, h) = (1_737_400.0, 0.97, 0.3_f64, 1e-4);
        let rho = |c: f64| 2.0 * radius * k0 * (c / 2.0).tan();
        let slope = (rho(c + h) - rho(c - h)) / (2.0 * h * radius);
        assert!((polar_stereographic_scale(rho(c), radius, k0) - slope).abs() < 1e-8);
    }

    /// Northing of 60° N in web Mercator is a ln tan 75°, and a parallel there is half the equator.
    #[test]
    fn web_mercator_doubles_lengths_at_60_degrees() {
        let y = Ellipsoid::EARTH.a * 75_f64.to_radians().tan().ln();
        assert!((web_mercator_scale(y) - 2.0).abs() < 1e-12);
    }

    /// UPS has k₀ = 0.994 and is true to scale at 81° 06′ 52.3″ (on the ellipsoid; the same to four digits).
    #[test]
    fn true_latitude_gives_the_scale_at_the_pole() {
        let k0 = polar_scale_for_true_latitude(81.114_f64.to_radians());
        assert!((k0 - 0.994).abs() < 1e-4, "{k0}");
    }
}
