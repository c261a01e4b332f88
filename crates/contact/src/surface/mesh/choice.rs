//! # Choice: which surface a mesh stands for, and why
//!
//! - **in**: a mesh with its options
//! - **out**: [`Fidelity`]: the surface chosen, the reason, how far it may be from the facets
//! - **not here**: the surfaces ([`smooth`](super::smooth), [`polyhedron`](super::polyhedron)); the judgement (`trust`)
//! - **start at** [`SurfaceChoice`]

use super::smooth::SmoothError;
use super::topology::Topology;
use super::trust::{Trust, Worst};
use super::{MeshSolid, Polyhedron, TriangleMesh};
use nalgebra::Point3;

/// Share of the area that may be untrusted on a smooth surface.
const UNTRUSTED: f64 = 0.02;
/// Edges that bend by less do not bend (rad): 0.1°.
const NO_BEND: f64 = 1.75e-3;
/// Bound of a mesh that nobody looked at, over its diagonal: the guard keeps it.
pub(super) const UNSEEN: f64 = 0.01;

/// Which surface a mesh stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SurfaceChoice {
    /// The smooth surface where the mesh is fine enough for one, else its facets.
    #[default]
    Auto,
    /// The smooth surface through the vertices ([`SmoothMesh`](super::smooth::SmoothMesh)).
    Smooth,
    /// Its facets, with rounded edges ([`Polyhedron`]).
    Facets,
    /// The facets of its convex hull, with rounded edges.
    Hull,
}

impl SurfaceChoice {
    /// Every choice with its name in files.
    pub const NAMES: [(&'static str, Self); 4] =
        [("auto", Self::Auto), ("smooth", Self::Smooth), ("facets", Self::Facets), ("hull", Self::Hull)];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Smooth => "smooth",
            Self::Facets => "facets",
            Self::Hull => "hull",
        }
    }
}

/// Why a surface was chosen.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// It was asked for.
    Asked,
    /// Facets: all of them lie in flat faces between creases.
    FlatFaces,
    /// Smooth: the surface keeps to the facets.
    Fine,
    /// Smooth: the mesh is large, and was not looked at as a whole.
    NotJudged,
    /// Facets: a smooth surface departs from them by more than their bends explain.
    TooCoarse,
    /// Smooth: the surface leaves the facets on a part of the area, but they are too small and rough to be taken.
    Rough,
    /// Smooth, though too coarse: the facets could not be taken.
    NotRounded(SmoothError),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Asked => write!(f, "asked for"),
            Self::FlatFaces => write!(f, "all facets lie in flat faces between creases"),
            Self::Fine => write!(f, "the smooth surface keeps to the facets"),
            Self::NotJudged => write!(f, "a large mesh, not looked at as a whole"),
            Self::TooCoarse => write!(f, "the mesh is too coarse for a smooth surface"),
            Self::Rough => write!(f, "a fine mesh with rough places, where the smooth surface leaves the facets"),
            Self::NotRounded(e) => {
                write!(f, "the mesh is too coarse for a smooth surface, but cannot be taken by its facets: {e}")
            }
        }
    }
}

/// Which surface was chosen, and how far its distances may be from those of the facets.
#[derive(Clone, Debug, PartialEq)]
pub struct Fidelity {
    /// [`Smooth`](SurfaceChoice::Smooth), [`Facets`](SurfaceChoice::Facets) or [`Hull`](SurfaceChoice::Hull).
    pub surface: SurfaceChoice,
    /// Why.
    pub reason: Reason,
    /// |d − d of the facets| is nowhere larger (m): proven for facets, kept by a guard for smooth surfaces. For a hull
    /// the facets are those of the exact hull.
    pub bound: f64,
    /// Where the smooth surface departs most from the facets, if it was looked at.
    pub worst: Option<Worst>,
    /// Share of the area on which a smooth surface is not trusted, if it was looked at.
    pub untrusted_share: Option<f64>,
}

/// Whether every edge of a mesh either does not bend or is a crease (rad).
pub(super) fn all_flat(topology: &Topology, crease: f64) -> bool {
    let flat = |bend: f64| bend <= NO_BEND || bend >= crease;
    topology.edges.iter().all(|edge| edge.count == 2 && flat(edge.bend.abs()))
        && topology.edges.iter().any(|edge| edge.bend >= crease)
}

/// Facets that turn back by more than this lie on the back of each other (rad).
const FOLD: f64 = std::f64::consts::PI - 1e-3;
/// Share of the area that may be folded: scans have flaps the size of a facet.
const FOLDED: f64 = 5e-4;
/// Volume over area and diagonal below which there is none but round-off.
const NO_VOLUME: f64 = 1e-12;

/// Refuses a closed mesh that is, or has as a part, a sheet without thickness.
///
/// Such a sheet ends in an edge over which the facets turn back; on both of its sides a point is as near to a facet that
/// faces it as to one that does not, and inside and outside are a matter of chance.
pub(super) fn check_thickness(solid: &MeshSolid, topology: &Topology) -> Result<(), SmoothError> {
    if !solid.is_watertight() {
        return Ok(());
    }
    let mesh = solid.mesh();
    let (mut area, mut volume) = (0.0, 0.0);
    let origin = mesh.bounds().centre();
    let twice = |[a, b, c]: [Point3<f64>; 3]| (b - a).cross(&(c - a));
    for [a, b, c] in mesh.triangles() {
        area += twice([a, b, c]).norm();
        volume += (a - origin).dot(&twice([a, b, c])) / 3.0;
    }
    let folds = || topology.edges.iter().enumerate().filter(|(_, edge)| edge.bend.abs() >= FOLD);
    let corners = |f: u32| mesh.faces()[f as usize].map(|v| mesh.vertices()[v as usize]);
    let at_fold = |e: usize| topology.edge_faces.row(e as u32).iter().map(|&f| twice(corners(f)).norm()).sum::<f64>();
    let folded: f64 = folds().map(|(e, _)| at_fold(e)).sum();
    if folded <= FOLDED * area && volume.abs() > NO_VOLUME * area * 2.0 * mesh.bounds().radius() {
        return Ok(());
    }
    let place = folds().next().map_or(mesh.vertices()[0], |(_, edge)| mesh.vertices()[edge.ends[0] as usize]);
    Err(SmoothError::NoThickness { x: place.x, y: place.y, z: place.z })
}

impl Trust {
    /// Whether a smooth surface can stand for the mesh.
    pub(super) fn suffices(&self) -> bool {
        self.untrusted <= UNTRUSTED && self.astray <= STRAY
    }

    /// Whether it can with the guard's help, where facets are as small as those of scans: rounded by so little, they
    /// would be a body of needles.
    pub(super) fn suffices_for_scans(&self, mesh: &TriangleMesh) -> bool {
        self.untrusted <= ROUGH && Polyhedron::room(mesh) < LITTLE * 2.0 * mesh.bounds().radius()
    }
}

/// Share of the area of a scan that may be untrusted.
const ROUGH: f64 = 0.25;
/// Radius over the diagonal below which facets are not taken instead.
const LITTLE: f64 = 5e-4;

/// Share of the area that may depart by more than 1 % of the diagonal beyond what is granted.
const STRAY: f64 = 1e-3;

impl Fidelity {
    /// What a user should be told who asked for no surface in particular.
    pub fn warning(&self) -> Option<String> {
        let bound = self.bound;
        match &self.reason {
            Reason::TooCoarse => {
                Some(format!("{}: it is taken by its facets, with rounded edges, to within {bound:.3e} m", self.reason))
            }
            Reason::Rough => Some(format!(
                "the smooth surface leaves rough facets on {:.1} % of the area; distances are within {bound:.3e} m of them",
                100.0 * self.untrusted_share.unwrap_or(0.0)
            )),
            Reason::NotRounded(_) => Some(format!("{}; distances are within {bound:.3e} m of the facets", self.reason)),
            _ => None,
        }
    }

    pub(super) fn smooth(reason: Reason, trust: Option<&Trust>, mesh: &TriangleMesh) -> Self {
        let unseen = UNSEEN * 2.0 * mesh.bounds().radius();
        Self {
            surface: SurfaceChoice::Smooth,
            reason,
            bound: trust.map_or(unseen, |t| t.bound),
            worst: trust.map(|t| t.worst),
            untrusted_share: trust.map(|t| t.untrusted),
        }
    }
}
