//! # Seeded random numbers: the same rows on every machine
//!
//! - **out**: SplitMix64 (Steele, Lea, Flood 2014)

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// A source of random numbers.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Even between two numbers.
    pub fn between(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A vector in the cube of half side `reach`.
    pub fn vector(&mut self, reach: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-reach, reach))
    }

    /// An even direction.
    pub fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = self.vector(1.0);
            let n = v.norm();
            if n > 0.1 && n < 1.0 {
                return v / n;
            }
        }
    }

    /// An even rotation.
    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let q = Quaternion::from_vector(nalgebra::Vector4::from_fn(|_, _| self.between(-1.0, 1.0)));
            let n = q.norm();
            if n > 0.1 && n < 1.0 {
                return UnitQuaternion::new_normalize(q);
            }
        }
    }
}
