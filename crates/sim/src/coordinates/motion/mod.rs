//! # Motion of a tree by itself
