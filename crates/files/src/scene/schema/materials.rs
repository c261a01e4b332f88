//! # Schema: what surfaces are made of, and what acts between two of them
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::Quantity;
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// A material; rigid without `young` and `layer`. Two materials make a Hertz patch, or the patch of the layers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Material {
    /// Young's modulus (Pa), together with `poisson`.
    young: Option<Quantity>,
    /// Poisson's ratio, above −1 and at most 0.5.
    poisson: Option<f64>,
    /// A soft layer on a stiff core; it is taken before `young`.
    layer: Option<Layer>,
    /// Density (kg/m³), for bodies that give neither mass nor density.
    density: Option<Quantity>,
    /// Coefficient of friction: one number, or by the other material with a `default`, as `{ glass = 0.8, default = 0.5 }`. Two materials that both say a number of themselves have the root of the product; a `[[pair]]` goes before. None, with a warning, if absent.
    friction: Option<MaterialFriction>,
    /// Hunt–Crossley dissipation c (s/m): f = f_el (1 + c δ′); 0 if absent. Of two materials each counts by its share of the deformation.
    hunt_crossley: Option<Quantity>,
    /// Kelvin–Voigt damping b (N·s/m): f = f_el + b δ′; 0 if absent.
    kelvin_voigt: Option<Quantity>,
}

/// A soft layer on a stiff core.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Layer {
    /// Modulus (Pa).
    modulus: Quantity,
    /// Depth (m).
    depth: Quantity,
    /// Exponent of the pressure in the compression; 1 if absent.
    exponent: Option<f64>,
    /// Shear modulus (Pa); a third of the modulus if absent.
    shear: Option<Quantity>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum MaterialFriction {
    One(f64),
    ByMaterial(BTreeMap<String, f64>),
}

/// What acts between two materials or two bodies; a pair of bodies goes before one of materials.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Pair {
    /// The two materials it is between; this or `bodies`.
    materials: Option<[String; 2]>,
    /// The two bodies it is between.
    bodies: Option<[String; 2]>,
    /// Coefficient of friction, or how friction works; coulomb if absent.
    friction: Option<PairFriction>,
    /// Coefficient of friction; of the materials if absent.
    mu: Option<f64>,
    /// Where the shapes touch; all if absent.
    places: Option<Places>,
    /// Which patch theory; auto (a layer where there is one) if absent.
    theory: Option<Theory>,
    /// Normal stiffness (N/mⁿ), f_el = k δⁿ: with it the law is made of constants and needs no material.
    k: Option<Quantity>,
    /// Exponent n, from 1 to 10; with `k`.
    n: Option<f64>,
    /// Hunt–Crossley dissipation (s/m); of the materials if absent.
    c_hc: Option<Quantity>,
    /// Kelvin–Voigt damping (N·s/m); of the materials if absent.
    b_kv: Option<Quantity>,
    /// Share of the deformation that the first of the pair takes; with `k`, 0.5 if absent.
    alpha: Option<f64>,
    /// Tangential stiffness (N/m); with `k`, 0 if absent.
    k_t: Option<Quantity>,
    /// Torsional stiffness (N·m/rad); with `k`, 0 if absent.
    k_theta: Option<Quantity>,
    /// Eccentricity of the friction ellipsoid, largest moment over largest force (m); with `k`, 0 if absent.
    e_n: Option<Quantity>,
    /// Damping along the patch (N·s/m), together with `b_theta`; 0 if absent.
    b_t: Option<Quantity>,
    /// Damping about the normal (N·m·s/rad), together with `b_t`; 0 if absent.
    b_theta: Option<Quantity>,
    /// Newton's coefficient of restitution of rigid contacts, 0 to 1; of the solver if absent. Compliant contacts do not read it.
    restitution: Option<f64>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum PairFriction {
    Coefficient(f64),
    Kind(FrictionKind),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum FrictionKind {
    /// No friction.
    None,
    /// It never slips.
    Stick,
    /// Slip on the friction ellipsoid.
    Coulomb,
    /// Slip on the exact limit surface of the patch.
    Exact,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Places {
    /// Wherever the shapes can touch, flat parts as faces.
    All,
    /// As all, but flat parts touch at their corners, each with the constants of the pair.
    Points,
    /// At the closest points alone.
    Closest,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Theory {
    Auto,
    Hertz,
    Layer,
    Winkler,
}

/// Two bodies or two materials that pass through each other. Fixed bodies and those with prescribed motion never act on each other.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Ignore {
    /// Names of two bodies.
    bodies: Option<[String; 2]>,
    /// Names of two materials.
    materials: Option<[String; 2]>,
}
