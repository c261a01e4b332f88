//! # Progress: what a long set-up is doing
//!
//! - **out**: [`Stage`] with how much of it is done, told to a [`Watch`] a few hundred times in all
//! - **not here**: showing it (the program)

/// A stage of making a mesh ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Which facets and vertices are neighbours.
    Neighbours,
    /// Creases, and the sheets between them.
    Creases,
    /// How many rings of neighbours the noise asks for.
    Rings,
    /// The quadric of every vertex.
    Fits,
    /// Which vertices have weight where.
    Grid,
    /// The tree of boxes over the facets.
    Tree,
    /// Whether the surface keeps to the facets.
    Trust,
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Neighbours => "neighbours",
            Self::Creases => "creases",
            Self::Rings => "rings",
            Self::Fits => "fits",
            Self::Grid => "grid",
            Self::Tree => "tree",
            Self::Trust => "trust",
        })
    }
}

/// Hears (stage, done, total), from any thread; stages may overlap, and each ends with done = total.
pub type Watch<'a> = dyn Fn(Stage, usize, usize) + Sync + 'a;

/// Watches nothing.
pub const UNWATCHED: &Watch<'static> = &|_, _, _| {};
