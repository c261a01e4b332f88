//! # Mesh surface: a triangle mesh as a body with normals and curvatures
//!
//! [`MeshSolid`] (facets, inside) and [`SmoothMesh`] or [`Polyhedron`] ──▶ **here** ──(foot, n, Dn)──▶ `track`
//!
//! - **in**: a checked mesh, and which surface it stands for ([`SurfaceChoice`])
//! - **out**: feet, normals and shape operators of that one surface
//! - **not here**: how it is smoothed ([`smooth`](super::smooth)), how facets are rounded
//!   ([`polyhedron`](super::polyhedron)); inside and outside of facets ([`solid`](super::solid))
//! - **start at** [`MeshSurface::new`]
//!
//! Every answer is of the smooth surface, or every answer is of the rounded facets. For the smooth surface the facets
//! serve as the way there and as a guard: the nearest facet point starts the search, and where the search ends further
//! from it than [`Fidelity::bound`] allows, the facet answers itself.

use super::choice::{Fidelity, Reason, SurfaceChoice, all_flat, check_thickness};
use super::polyhedron::Polyhedron;
use super::smooth::{ClosestPoint, SmoothError, SmoothMesh, SmoothOptions};
use super::solid::Parts;
use super::topology::{Rows, Topology};
use super::trust::Trust;
use super::{MeshSolid, SolidFoot, Stage, TriangleMesh, UNWATCHED, Watch};
use crate::surface::{Bounds, Foot, SmoothSurface, Surface, SurfaceError, SurfacePoint};
use nalgebra::{Point3, Vector3};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// A triangle mesh with the surface that stands for it.
#[derive(Debug)]
pub struct MeshSurface {
    solid: MeshSolid,
    /// The mesh, where the solid is its hull.
    hulled: Option<TriangleMesh>,
    kind: Kind,
    fidelity: Fidelity,
    neighbours: Rows,
    derived: Derived,
}

/// What others found out about the mesh, kept with it.
type Derived = OnceLock<Arc<dyn Any + Send + Sync>>;

#[derive(Debug)]
enum Kind {
    Smooth(Box<SmoothMesh>),
    Polyhedron(Box<Polyhedron>),
}

impl MeshSurface {
    /// Makes the surface of a mesh.
    pub fn new(mesh: TriangleMesh, options: &SmoothOptions) -> Result<Self, SmoothError> {
        Self::watched(mesh, options, UNWATCHED)
    }

    /// The same, telling `watch` how far it is. With threads, the facets are prepared while the mesh is smoothed.
    pub fn watched(mesh: TriangleMesh, options: &SmoothOptions, watch: &Watch) -> Result<Self, SmoothError> {
        if options.surface == SurfaceChoice::Hull {
            let (polyhedron, hull) = Polyhedron::hull(&mesh, options.fillet_radius)?;
            let neighbours = Rows::neighbours(hull.vertices().len(), hull.faces());
            let solid = MeshSolid::new(hull);
            return Ok(Self {
                hulled: Some(mesh),
                ..Self::faceted(solid, polyhedron, neighbours, Reason::Asked, None)
            });
        }
        let facets = || {
            watch(Stage::Tree, 0, 1);
            let parts = Parts::of(&mesh);
            let neighbours = Rows::neighbours(mesh.vertices().len(), mesh.faces());
            watch(Stage::Tree, 1, 1);
            (parts, neighbours)
        };
        let judged = options.surface == SurfaceChoice::Auto && !options.deferred;
        let flat = judged && all_flat(&Topology::new(mesh.vertices(), mesh.faces()), options.crease_angle);
        if flat || options.surface == SurfaceChoice::Facets {
            let (parts, neighbours) = facets();
            let solid = MeshSolid::assemble(mesh.clone(), parts);
            check_thickness(&solid, &Topology::new(mesh.vertices(), mesh.faces()))?;
            match Polyhedron::new(&solid, options.fillet_radius) {
                Ok(body) => {
                    let reason = if flat { Reason::FlatFaces } else { Reason::Asked };
                    return Ok(Self::faceted(solid, body, neighbours, reason, None));
                }
                Err(e) if !flat => return Err(e),
                Err(_) => {}
            }
        }
        let smooth = || SmoothMesh::watched(mesh.vertices(), mesh.faces(), options, watch);
        let ((parts, neighbours), smooth) = if options.threads > 1 {
            std::thread::scope(|scope| {
                let beside = scope.spawn(facets);
                let smooth = smooth();
                // A panic there is a panic here.
                (beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), smooth)
            })
        } else {
            (facets(), smooth())
        };
        Self::judged(MeshSolid::assemble(mesh, parts), smooth?, neighbours, options, watch)
    }

    /// The smooth surface, or the facets if it is not to be trusted.
    fn judged(
        solid: MeshSolid,
        smooth: SmoothMesh,
        neighbours: Rows,
        options: &SmoothOptions,
        watch: &Watch,
    ) -> Result<Self, SmoothError> {
        let mesh = solid.mesh();
        if options.deferred {
            let fidelity = Fidelity::smooth(Reason::NotJudged, None, mesh);
            return Ok(Self {
                solid,
                hulled: None,
                kind: Kind::Smooth(Box::new(smooth)),
                fidelity,
                neighbours,
                derived: Derived::new(),
            });
        }
        watch(Stage::Trust, 0, 1);
        let topology = Topology::new(mesh.vertices(), mesh.faces());
        check_thickness(&solid, &topology)?;
        let trust = Trust::of(mesh, &topology, &smooth, options.threads);
        watch(Stage::Trust, 1, 1);
        let reason = match options.surface {
            SurfaceChoice::Auto if trust.suffices() => Reason::Fine,
            SurfaceChoice::Auto if trust.suffices_for_scans(mesh) => Reason::Rough,
            SurfaceChoice::Auto => match Polyhedron::new(&solid, options.fillet_radius) {
                Ok(body) => return Ok(Self::faceted(solid, body, neighbours, Reason::TooCoarse, Some(&trust))),
                Err(e) => Reason::NotRounded(e),
            },
            _ => Reason::Asked,
        };
        let fidelity = Fidelity::smooth(reason, Some(&trust), mesh);
        // Where shells cross, the nearest facet may be inside another shell.
        let crosses = matches!(fidelity.reason, Reason::NotRounded(SmoothError::NoCore { .. }));
        let solid = if crosses { solid.by_winding() } else { solid };
        Ok(Self {
            solid,
            hulled: None,
            kind: Kind::Smooth(Box::new(smooth)),
            fidelity,
            neighbours,
            derived: Derived::new(),
        })
    }

    fn faceted(solid: MeshSolid, body: Polyhedron, neighbours: Rows, reason: Reason, trust: Option<&Trust>) -> Self {
        let fidelity = Fidelity {
            surface: if body.is_hull() { SurfaceChoice::Hull } else { SurfaceChoice::Facets },
            reason,
            bound: body.bound(),
            worst: trust.map(|t| t.worst),
            untrusted_share: trust.map(|t| t.untrusted),
        };
        Self {
            solid,
            hulled: None,
            kind: Kind::Polyhedron(Box::new(body)),
            fidelity,
            neighbours,
            derived: Derived::new(),
        }
    }

    /// Which surface was chosen, why, and how far its distances may be from those of the facets.
    pub fn fidelity(&self) -> &Fidelity {
        &self.fidelity
    }

    /// The mesh as it was given.
    pub fn mesh(&self) -> &TriangleMesh {
        self.hulled.as_ref().unwrap_or(self.solid.mesh())
    }

    /// The facets that the surface stands for, with inside and outside: those of the mesh, or of its hull.
    pub fn solid(&self) -> &MeshSolid {
        &self.solid
    }

    /// The smooth surface, unless the mesh is taken by its facets.
    pub fn smooth(&self) -> Option<&SmoothMesh> {
        match &self.kind {
            Kind::Smooth(smooth) => Some(smooth),
            Kind::Polyhedron(_) => None,
        }
    }

    /// The facets with rounded edges, if the mesh is taken by its facets.
    pub fn polyhedron(&self) -> Option<&Polyhedron> {
        match &self.kind {
            Kind::Smooth(_) => None,
            Kind::Polyhedron(polyhedron) => Some(polyhedron),
        }
    }

    /// Vertices that share an edge with one of the facets' ([`solid`](Self::solid)).
    pub(crate) fn neighbours(&self, vertex: u32) -> &[u32] {
        self.neighbours.row(vertex)
    }

    /// What `make` finds out about this mesh, made once: its flat faces ([`faces_of`](crate::track::faces_of)), which take longer
    /// to find than a step of a simulation.
    pub(crate) fn derived<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let kept = self.derived.get_or_init(|| Arc::new(make()));
        Arc::clone(kept).downcast().unwrap_or_else(|_| Arc::new(make()))
    }

    /// Diagonal of the bounding box (m).
    pub fn diagonal(&self) -> f64 {
        2.0 * self.solid.bounds().radius()
    }

    /// Radius of the rounding along edges (m).
    pub fn fillet_radius(&self) -> f64 {
        match &self.kind {
            Kind::Smooth(smooth) => smooth.fillet_radius(),
            Kind::Polyhedron(polyhedron) => polyhedron.radius(),
        }
    }

    /// The nearest point of the surface to `c` (m) with its curvature, and the facet (of a polyhedron: of its core) that
    /// led there.
    ///
    /// The smooth answer counts if it agrees with the facets to within [`Fidelity::bound`]: Newton's method takes any
    /// stationary point, and from far away it may end on the other side of the body. If it does not agree, shorter
    /// steps are tried; if these do not either, the facet answers.
    pub fn closest(&self, c: &Point3<f64>) -> Result<(ClosestPoint, SolidFoot), SurfaceError> {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => {
                let found = polyhedron.closest(c, None)?;
                let point = polyhedron.point_at(&found)?;
                Ok((ClosestPoint { point, distance: found.foot.distance, evaluations: 1 }, found))
            }
            Kind::Smooth(smooth) => {
                let facet = self.solid.closest(c, None)?;
                Ok((self.guarded(smooth, c, &facet), facet))
            }
        }
    }

    /// The smooth answer if it agrees with the nearest facet, else that facet.
    fn guarded(&self, smooth: &SmoothMesh, c: &Point3<f64>, facet: &SolidFoot) -> ClosestPoint {
        let [p, q, r] =
            self.solid.mesh().faces()[facet.face as usize].map(|v| self.solid.mesh().vertices()[v as usize]);
        let edge = (q - p).norm().max((r - q).norm()).max((p - r).norm());
        let Foot { p: foot, nhat, distance } = facet.foot;
        let bound = self.fidelity.bound;
        // At a distance d, places that are s apart along the surface differ by s²/2d.
        let stray = 2.0 * edge + bound + 2.0 * (2.0 * bound * distance.abs()).sqrt();
        let agrees =
            |found: &ClosestPoint| (found.distance - distance).abs() <= bound && (found.point.p - foot).norm() <= stray;
        let short = || smooth.closest_by_short_steps(c, &foot, 0.5 * edge).ok().filter(agrees);
        let found = smooth.closest(c, &foot).ok().filter(agrees).or_else(short);
        found.unwrap_or_else(|| {
            let near = smooth.project(&foot).ok().filter(|at| (at.p - foot).norm() <= bound);
            let Dn = near.map_or_else(nalgebra::Matrix3::zeros, |at| at.Dn);
            ClosestPoint { point: SurfacePoint { p: foot, nhat, Dn }, distance, evaluations: 0 }
        })
    }

    /// The surface point nearest to `c` that is reached from `start` (m); of a polyhedron the nearest of all.
    pub fn closest_from(&self, c: &Point3<f64>, start: &Point3<f64>) -> Result<ClosestPoint, SurfaceError> {
        match &self.kind {
            Kind::Smooth(smooth) => smooth.closest(c, start),
            Kind::Polyhedron(_) => self.closest(c).map(|(found, _)| found),
        }
    }

    /// Vertices where `phi` is not above its value at any neighbour, least first; at most 24. NaN means "not here".
    pub fn candidates(&self, phi: impl Fn(&Point3<f64>) -> f64) -> Vec<Point3<f64>> {
        let vertices = self.solid.mesh().vertices();
        let values: Vec<f64> = vertices.iter().map(phi).collect();
        let mut found: Vec<usize> = (0..vertices.len())
            .filter(|&v| {
                // Equal neighbours: the one with the lower number counts.
                let beaten = |o: &u32| {
                    let other = values[*o as usize];
                    other < values[v] || (other == values[v] && (*o as usize) < v)
                };
                !values[v].is_nan() && !self.neighbours.row(v as u32).iter().any(beaten)
            })
            .collect();
        found.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
        found.truncate(24);
        found.into_iter().map(|v| vertices[v]).collect()
    }
}

impl Surface for MeshSurface {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => polyhedron.closest_point(p),
            Kind::Smooth(_) => self.closest(p).map(|(found, _)| found.foot()),
        }
    }

    /// The box of a polyhedron; for a smooth surface that of the facets, grown by the bound, at least a hundredth.
    fn bounds(&self) -> Bounds {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => polyhedron.bounds(),
            Kind::Smooth(smooth) => {
                let facets = self.solid.bounds();
                let room = Vector3::repeat(self.fidelity.bound.max(0.01 * smooth.diagonal()));
                Bounds { min: facets.min - room, max: facets.max + room }
            }
        }
    }
}

impl SmoothSurface for MeshSurface {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => polyhedron.point_near(near),
            Kind::Smooth(smooth) => {
                smooth.project(near).or_else(|_| smooth.project(&self.solid.closest(near, None)?.foot.p))
            }
        }
    }

    /// One evaluation: the step −f ∇f/|∇f|², with normal and curvature from where it began.
    fn point_toward(&self, near: &Point3<f64>) -> Result<(SurfacePoint, f64), SurfaceError> {
        let exact = || self.point_near(near).map(|point| (point, 0.0));
        let Kind::Smooth(smooth) = &self.kind else { return exact() };
        let Some(jet) = smooth.evaluate(near) else { return exact() };
        let step = jet.grad * (-jet.f / jet.grad.norm_squared());
        let point = jet.surface_point(near + step);
        if point.nhat.x.is_finite() { Ok((point, step.norm())) } else { exact() }
    }
}
