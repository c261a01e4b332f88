//! # Stiffness of a patch along its plane, before anything slips
//!
//! - **in**: semi-axes of the patch, elastic constants of both bodies
//! - **out**: force per displacement along a and b (N/m), moment per turn about the normal (N·m/rad)
//! - **not here**: slip (`friction`, `law`)
//! - **assumes**: half-spaces, no coupling between normal and tangential load (exact for equal materials)
//! - **start at** [`half_spaces`]
//!
//! Traction that moves an elliptic region of a half-space as a whole is the density w = (1 − s²)^(−1/2) times a
//! constant (Mindlin) or, for a turn, times (−α y, β x). Along any chord through a point of the ellipse, in
//! direction φ, the integral of w is π/√γ with γ = cos²φ/a² + sin²φ/b², whatever the point; with Cerruti's solution
//!
//! ```text
//! u_x = 1/(2πG) ∬ (q_x ((1 − ν) + ν cos²φ) + q_y ν sin φ cos φ)/r dA
//! ```
//!
//! displacements become integrals over φ alone. A force Q along a moves the region by Q [(1 − ν) K + ν D]/(2π G a),
//! along b by Q [(1 − ν) K + ν (K − D)]/(2π G a); both bodies add. A round patch gives the well-known
//! k_t = 8 a/S, S = Σ (2 − ν)/G (Johnson, §7.2), and k_θ = (16/3) a³/Σ(1/G) (Reissner).

use super::elliptic::Complete;

/// Σ over both bodies of (1 − ν)/G and ν/G (1/Pa): all that tangential compliance needs of the materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShearCompliance {
    /// Σ (1 − ν)/G (1/Pa).
    pub even: f64,
    /// Σ ν/G (1/Pa).
    pub uneven: f64,
}

/// Tangential stiffness along the axes of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchStiffness {
    /// Along the longer semi-axis (N/m).
    pub along: f64,
    /// Along the shorter semi-axis (N/m).
    pub across: f64,
    /// About the normal (N·m/rad).
    pub torsional: f64,
}

/// Stiffness of an elliptic region between two half-spaces; `a` is the larger semi-axis, κ = b/a.
///
/// The turn solves, for tractions q = (−α y, β x) w and with α′ = α/a², β′ = β/b²,
///
/// ```text
/// 2ω = α′ (e I_c + u I_cc) + β′ u I_cs,   2ω = α′ u I_cs + β′ (e I_s + u I_ss),   M = (2π/3) a³ b³ (α′ + β′)
/// ```
///
/// with I_c = ∫ cos²φ γ^(−3/2) dφ over half a turn and so on, e and u the two compliances.
#[inline]
pub fn half_spaces(a: f64, kappa: f64, integrals: &Complete, compliance: &ShearCompliance) -> PatchStiffness {
    let (e, u) = (compliance.even, compliance.uneven);
    let two_pi_a = 2.0 * std::f64::consts::PI * a;
    let along = two_pi_a / (e * integrals.k + u * integrals.d);
    let across = two_pi_a / (e * integrals.k + u * (integrals.k - integrals.d));
    // I_x = 2 b³ J_x with J_x = j_x/κ²: the factor 2 a² b is taken out of the brackets.
    let (j0, j2, j4) = (integrals.e, integrals.j2, integrals.j4);
    let m11 = e * j2 + u * j4;
    let m12 = u * (j2 - j4);
    let m22 = e * (j0 - j2) + u * (j0 - 2.0 * j2 + j4);
    // (α′ + β′) a² b/ω from the 2 × 2 system.
    let sum = (m11 + m22 - 2.0 * m12) / (m11 * m22 - m12 * m12);
    let torsional = (2.0 / 3.0) * std::f64::consts::PI * a * a * a * kappa * kappa * sum;
    PatchStiffness { along, across, torsional }
}

/// Stiffness of a shear layer: every point of the patch has its own spring (Winkler).
///
/// ```text
/// k = (G/h) π a b,   k_θ = (G/h) ∬ r² dA = (G/h) π a b (a² + b²)/4
/// ```
#[inline]
pub fn layer(a: f64, b: f64, shear_per_depth: f64) -> PatchStiffness {
    let area = std::f64::consts::PI * a * b;
    let k = shear_per_depth * area;
    PatchStiffness { along: k, across: k, torsional: 0.25 * k * (a * a + b * b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round patch: 8a/S and (16/3)a³/Σ(1/G) for any pair of materials.
    #[test]
    fn round_patch_gives_mindlin_and_reissner() {
        for (g1, nu1, g2, nu2) in [(1e6, 0.3, 1e6, 0.3), (1e6, 0.5, 8e10, 0.25), (2e5, 0.0, 3e5, 0.49)] {
            let compliance = ShearCompliance { even: (1.0 - nu1) / g1 + (1.0 - nu2) / g2, uneven: nu1 / g1 + nu2 / g2 };
            let k = half_spaces(3e-3, 1.0, &Complete::new(1.0), &compliance);
            let mindlin = 8.0 * 3e-3 / ((2.0 - nu1) / g1 + (2.0 - nu2) / g2);
            let reissner = 16.0 / 3.0 * 2.7e-8 / (1.0 / g1 + 1.0 / g2);
            assert!((k.along / mindlin - 1.0).abs() < 1e-14 && (k.across / mindlin - 1.0).abs() < 1e-14);
            assert!((k.torsional / reissner - 1.0).abs() < 1e-14, "{} {reissner}", k.torsional);
        }
    }

    /// Long patches against Cerruti's double integral, summed by brute force: displacement at three inner points is the
    /// same rigid motion. Would catch a wrong exponent of κ or an exchanged sine and cosine.
    #[test]
    fn displacements_of_the_tractions_are_rigid_and_match_the_stiffness() {
        let (a, kappa, nu, g) = (1.0, 0.35, 0.4, 1.0);
        let b = kappa * a;
        let one_body = ShearCompliance { even: (1.0 - nu) / g, uneven: nu / g };
        let integrals = Complete::new(kappa);
        let k = half_spaces(a, kappa, &integrals, &one_body);
        // Displacement at (x, y) from q(ξ, η) w: polar sum about the point, the ray integrated by Chebyshev nodes.
        let displacement = |x: f64, y: f64, q: &dyn Fn(f64, f64) -> [f64; 2]| {
            let (rays, nodes) = (720, 64);
            let mut u = [0.0; 2];
            for i in 0..rays {
                let phi = std::f64::consts::PI * (i as f64 + 0.5) / rays as f64;
                let (c, s) = (phi.cos(), phi.sin());
                let gamma = (c / a).powi(2) + (s / b).powi(2);
                let middle = -(x * c / (a * a) + y * s / (b * b)) / gamma;
                let inside = 1.0 - (x / a).powi(2) - (y / b).powi(2);
                let half = (inside / gamma + middle * middle).sqrt();
                for j in 0..nodes {
                    // ∫ f (1−s²)^(−1/2) dr = (1/√γ) ∫ f dt/√(1−t²): Gauss–Chebyshev.
                    let t = (std::f64::consts::PI * (j as f64 + 0.5) / nodes as f64).cos();
                    let r = middle + half * t;
                    let load = q(x + r * c, y + r * s);
                    let weight = std::f64::consts::PI / nodes as f64 / gamma.sqrt() * std::f64::consts::PI
                        / rays as f64
                        / (2.0 * std::f64::consts::PI * g);
                    u[0] += weight * (load[0] * (1.0 - nu + nu * c * c) + load[1] * nu * s * c);
                    u[1] += weight * (load[0] * nu * s * c + load[1] * (1.0 - nu + nu * s * s));
                }
            }
            u
        };
        // ∬ w dA = 2πab, so this traction has unit resultant along a.
        let density = 1.0 / (2.0 * std::f64::consts::PI * a * b);
        for (x, y) in [(0.0, 0.0), (0.6, 0.1), (-0.2, -0.25)] {
            let u = displacement(x, y, &|_, _| [density, 0.0]);
            assert!((u[0] * k.along - 1.0).abs() < 1e-6 && u[1].abs() * k.along < 1e-6, "{u:?}");
            let u = displacement(x, y, &|_, _| [0.0, density]);
            assert!((u[1] * k.across - 1.0).abs() < 1e-6 && u[0].abs() * k.across < 1e-6, "{u:?}");
        }
        // The turn: find α, β so that both displacements agree with a turn of 1, then sum the moment.
        let (x, y) = (0.5, 0.2);
        let from_alpha = displacement(x, y, &|_, eta| [-eta, 0.0]);
        let from_beta = displacement(x, y, &|xi, _| [0.0, xi]);
        let system = nalgebra::Matrix2::new(from_alpha[0], from_beta[0], from_alpha[1], from_beta[1]);
        let solved = system.try_inverse().unwrap() * nalgebra::Vector2::new(-y, x);
        let moment = 2.0 * std::f64::consts::PI * a * b / 3.0 * (solved.y * a * a + solved.x * b * b);
        assert!((moment / k.torsional - 1.0).abs() < 1e-5, "{moment} {}", k.torsional);
    }
}
