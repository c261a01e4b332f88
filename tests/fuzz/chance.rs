//! Numbers of a seed, the same ones each time.

/// xorshift with 64 bits.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From `low` to `high`, evenly in its logarithm; once in thirty times far outside.
    pub fn size(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let x = low * (high / low).powf(share);
        match self.below(60) {
            0 => x * 1e6,
            1 => x * 1e-6,
            _ => x,
        }
    }

    /// From −`most` to `most`.
    pub fn about(&mut self, most: f64) -> f64 {
        ((self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * most
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
