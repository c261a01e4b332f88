//! # Height functions: z = h(x, y) as a surface, solid below
//!
//! [`HeightJet`] (value, slopes, second derivatives) ──▶ **here** ──▶ normal, shape operator
//!
//! - **in**: a jet of h at (x, y)
//! - **out**: the surface point with its upward unit normal and projected shape operator
//! - **not here**: where the jet comes from ([`graph`](super::graph): formulas; [`elevation`](super::elevation): samples)
//! - **start at** [`HeightJet`]

use super::{Foot, SurfaceError, SurfacePoint};
use nalgebra::{Matrix3, Point3, Vector3};

/// A height with its first and second derivatives at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeightJet {
    /// Height (m).
    pub z: f64,
    /// ∂z/∂x.
    pub zx: f64,
    /// ∂z/∂y.
    pub zy: f64,
    /// ∂²z/∂x² (1/m).
    pub zxx: f64,
    /// ∂²z/∂x∂y (1/m).
    pub zxy: f64,
    /// ∂²z/∂y² (1/m).
    pub zyy: f64,
}

impl HeightJet {
    /// The same a little further, by the derivatives here: for ways whose cube is nothing.
    #[inline]
    fn moved(&self, dx: f64, dy: f64) -> Self {
        let (hx, hy) = (self.zxx * dx + self.zxy * dy, self.zxy * dx + self.zyy * dy);
        let z = self.z + (self.zx + 0.5 * hx) * dx + (self.zy + 0.5 * hy) * dy;
        Self { z, zx: self.zx + hx, zy: self.zy + hy, ..*self }
    }

    /// Unit upward normal (−zx, −zy, 1)/√(1 + zx² + zy²).
    ///
    /// (PortDem, §II.A) uses f_u × f_v without the division; a Gauss map has unit length.
    pub fn nhat(&self) -> Vector3<f64> {
        Vector3::new(-self.zx, -self.zy, 1.0) / (1.0 + self.zx * self.zx + self.zy * self.zy).sqrt()
    }

    /// The surface point above (x, y), with normal and shape operator.
    ///
    /// ```text
    /// Dn = P diag(−Hess h, 0) P / √(1 + zx² + zy²),   P = I − n nᵀ
    /// ```
    pub fn surface_point(&self, x: f64, y: f64) -> SurfacePoint {
        let w = 1.0 / (1.0 + self.zx * self.zx + self.zy * self.zy).sqrt();
        let n = Vector3::new(-self.zx * w, -self.zy * w, w);
        // H = −Hess h/√…; P H P = H − n (Hn)ᵀ − (Hn) nᵀ + n (nᵀHn) nᵀ
        let (hxx, hxy, hyy) = (-self.zxx * w, -self.zxy * w, -self.zyy * w);
        let Hn = Vector3::new(hxx * n.x + hxy * n.y, hxy * n.x + hyy * n.y, 0.0);
        let nHn = n.dot(&Hn);
        let a = Hn - n * (0.5 * nHn);
        let xy = hxy - n.x * a.y - a.x * n.y;
        let xz = -n.x * a.z - a.x * n.z;
        let yz = -n.y * a.z - a.y * n.z;
        let Dn = Matrix3::new(
            hxx - 2.0 * n.x * a.x,
            xy,
            xz, //
            xy,
            hyy - 2.0 * n.y * a.y,
            yz, //
            xz,
            yz,
            -2.0 * n.z * a.z,
        );
        SurfacePoint { p: Point3::new(x, y, self.z), nhat: n, Dn }
    }
}

/// Anything that gives a height and its derivatives at a place.
pub trait HeightFunction {
    /// Height and derivatives at (x, y) (m).
    fn jet(&self, x: f64, y: f64) -> Result<HeightJet, SurfaceError>;
}

/// A foot found on a height function, with the jet it was judged by.
#[derive(Clone, Copy, Debug)]
pub struct HeightFoot {
    /// Place of the foot (m).
    pub x: f64,
    /// Place of the foot (m).
    pub y: f64,
    /// Height and derivatives there.
    pub jet: HeightJet,
    /// Newton steps taken.
    pub steps: u32,
}

impl HeightFoot {
    /// The foot of `c` with its signed distance: positive above the surface.
    #[inline]
    pub fn foot(&self, c: &Point3<f64>) -> Foot {
        let nhat = self.jet.nhat();
        let p = Point3::new(self.x, self.y, self.jet.z);
        Foot { p, nhat, distance: nhat.dot(&(c - p)) }
    }
}

/// Steps, and evaluations, beyond which the search gives up.
const MOST_STEPS: u32 = 60;
const MOST_EVALUATIONS: u32 = 400;

/// The stationary foot of `c` reached from (x, y): Newton on ½|c − (x, y, h)|², safeguarded.
///
/// ```text
/// g = (x − c_x + h_x e, y − c_y + h_y e),   e = h − c_z
/// H = [1 + h_x² + e h_xx, h_x h_y + e h_xy; ·, 1 + h_y² + e h_yy]
/// ```
///
/// Full steps while they work; where H is not positive (beyond the focal distance) its second-order part
/// is dropped, and a step that raises the distance is halved. The end is a point reached by a full step
/// below 3e-8 of the distance: with quadratic convergence its own error is round-off.
#[inline]
pub fn foot<H: HeightFunction + ?Sized>(
    surface: &H,
    c: &Point3<f64>,
    x: f64,
    y: f64,
) -> Result<HeightFoot, SurfaceError> {
    let (mut x, mut y) = (x, y);
    let mut jet = surface.jet(x, y)?;
    let (mut steps, mut evaluations) = (0, 0);
    let mut settled = false;
    loop {
        if settled {
            return Ok(HeightFoot { x, y, jet, steps });
        }
        let (rx, ry, e) = (x - c.x, y - c.y, jet.z - c.z);
        let (gx, gy) = (rx + jet.zx * e, ry + jet.zy * e);
        let (mut hxx, mut hxy, mut hyy) = (1.0 + jet.zx * jet.zx, jet.zx * jet.zy, 1.0 + jet.zy * jet.zy);
        let gauss_newton_trace = hxx + hyy;
        let (fxx, fxy, fyy) = (hxx + e * jet.zxx, hxy + e * jet.zxy, hyy + e * jet.zyy);
        let mut det = fxx * fyy - fxy * fxy;
        if det > 1e-6 * gauss_newton_trace * gauss_newton_trace && fxx > 0.0 {
            (hxx, hxy, hyy) = (fxx, fxy, fyy);
        } else {
            det = hxx * hyy - hxy * hxy;
        }
        let inv = -1.0 / det;
        let (mut sx, mut sy) = (inv * (hyy * gx - hxy * gy), inv * (hxx * gy - hxy * gx));
        let step2 = sx * sx + sy * sy;
        let reach = 1e-13 * (1e-3 + e.abs()) + 4e-15 * (x.abs() + y.abs() + c.z.abs());
        if step2 <= reach * reach {
            // The rest of the way without another look: steppers of high order see 1e-13 in where they look.
            return Ok(HeightFoot { x: x + sx, y: y + sy, jet: jet.moved(sx, sy), steps });
        }
        if steps >= MOST_STEPS {
            return Err(SurfaceError::NoSmoothPoint { x: c.x, y: c.y, z: c.z });
        }
        // A short step (against the distance) is in the region where Newton is safe.
        let here = rx * rx + ry * ry + e * e;
        let safe = step2 < 1e-4 * here.max(1e-4);
        settled = step2 < 1e-15 * here;
        let (nx, ny, next) = loop {
            evaluations += 1;
            if evaluations > MOST_EVALUATIONS {
                return Err(SurfaceError::NoSmoothPoint { x: c.x, y: c.y, z: c.z });
            }
            let (nx, ny) = (x + sx, y + sy);
            match surface.jet(nx, ny) {
                Ok(next) => {
                    let (ux, uy, ue) = (nx - c.x, ny - c.y, next.z - c.z);
                    if safe || ux * ux + uy * uy + ue * ue <= here {
                        break (nx, ny, next);
                    }
                }
                Err(error) => {
                    if sx * sx + sy * sy <= 1e-12 * step2 {
                        return Err(error);
                    }
                }
            }
            sx *= 0.5;
            sy *= 0.5;
            if sx * sx + sy * sy <= reach * reach {
                return Err(SurfaceError::NoSmoothPoint { x: c.x, y: c.y, z: c.z });
            }
        };
        (x, y, jet) = (nx, ny, next);
        steps += 1;
    }
}
