//! # Parallel: loops cut into parts, by one thread or by several
//!
//! - **in**: lists that are cut alike, what to do with a part, how to add two answers
//! - **out**: the answers added
//! - **not here**: the threads themselves (`pool`)
//! - **start at** [`gather`], then [`Cut`]
//!
//! Where lists are cut does not depend on how many threads there are, and answers are added along a tree that is always
//! the same. So one thread and many give the same bits. Lists of one part are one plain loop.

use super::pool::join;

/// Contacts in a part.
pub const CONTACTS: usize = 128;
/// Bodies in a part.
pub const BODIES: usize = 64;

/// Who does a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parallel {
    /// Several threads: the caller is one of a pool.
    pub many: bool,
}

/// Something that can be cut into parts.
pub trait Cut: Send + Sized {
    /// How many parts are left.
    fn parts(&self) -> usize;
    /// Whether that is one, or none.
    #[inline]
    fn is_one(&self) -> bool {
        self.parts() <= 1
    }
    /// The first parts, and the rest.
    fn cut(self, at: usize) -> (Self, Self);
}

/// Does each part, and adds what comes of them.
#[inline]
pub fn gather<C: Cut, R: Send>(
    parallel: Parallel,
    work: C,
    each: &(impl Fn(C) -> R + Sync),
    add: &(impl Fn(R, R) -> R + Sync),
) -> R {
    // One part is a loop in place.
    if work.is_one() { each(work) } else { halves(parallel, work, each, add) }
}

#[inline(never)]
fn halves<C: Cut, R: Send>(
    parallel: Parallel,
    work: C,
    each: &(impl Fn(C) -> R + Sync),
    add: &(impl Fn(R, R) -> R + Sync),
) -> R {
    let parts = work.parts();
    let (one, other) = work.cut(parts / 2);
    let (one, other) = if parallel.many {
        join(|| gather(parallel, one, each, add), || gather(parallel, other, each, add))
    } else {
        let one = gather(parallel, one, each, add);
        (one, gather(parallel, other, each, add))
    };
    add(one, other)
}

/// Does each part.
pub fn spread<C: Cut>(parallel: Parallel, work: C, each: &(impl Fn(C) + Sync)) {
    gather(parallel, work, each, &|(), ()| ());
}

/// A list in parts of even size.
pub struct Even<'a, T> {
    pub list: &'a mut [T],
    pub size: usize,
}

impl<T: Send> Cut for Even<'_, T> {
    // Without a division.
    #[inline]
    fn is_one(&self) -> bool {
        self.list.len() <= self.size
    }

    fn parts(&self) -> usize {
        self.list.len().div_ceil(self.size)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let (one, other) = self.list.split_at_mut((at * self.size).min(self.list.len()));
        (Self { list: one, size: self.size }, Self { list: other, size: self.size })
    }
}

/// A list in parts that end at given places.
pub struct Uneven<'a, T> {
    pub list: &'a mut [T],
    /// Where parts end, counted from the start of the whole list.
    pub ends: &'a [u32],
    /// Where this begins.
    pub from: u32,
}

impl<T: Send> Cut for Uneven<'_, T> {
    fn parts(&self) -> usize {
        self.ends.len()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let (ends, rest) = self.ends.split_at(at);
        let middle = ends.last().copied().unwrap_or(self.from);
        let (one, other) = self.list.split_at_mut((middle - self.from) as usize);
        (Self { list: one, ends, from: self.from }, Self { list: other, ends: rest, from: middle })
    }
}

/// Indices in parts of even size.
#[derive(Clone, Copy)]
pub struct Span {
    pub from: usize,
    pub to: usize,
    pub size: usize,
}

impl Span {
    /// All indices below a number.
    pub fn new(count: usize, size: usize) -> Self {
        Self { from: 0, to: count, size }
    }
}

impl Cut for Span {
    #[inline]
    fn is_one(&self) -> bool {
        self.to - self.from <= self.size
    }

    fn parts(&self) -> usize {
        (self.to - self.from).div_ceil(self.size)
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let middle = (self.from + at * self.size).min(self.to);
        (Self { to: middle, ..self }, Self { from: middle, ..self })
    }
}

impl<A: Cut, B: Cut> Cut for (A, B) {
    #[inline]
    fn is_one(&self) -> bool {
        self.0.is_one()
    }

    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, b), (c, d)) = (self.0.cut(at), self.1.cut(at));
        ((a, c), (b, d))
    }
}

impl<A: Cut, B: Cut, C: Cut> Cut for (A, B, C) {
    #[inline]
    fn is_one(&self) -> bool {
        self.0.is_one()
    }

    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, b), (c, d), (e, f)) = (self.0.cut(at), self.1.cut(at), self.2.cut(at));
        ((a, c, e), (b, d, f))
    }
}

impl<A: Cut, B: Cut, C: Cut, D: Cut> Cut for (A, B, C, D) {
    #[inline]
    fn is_one(&self) -> bool {
        self.0.is_one()
    }

    fn parts(&self) -> usize {
        self.0.parts()
    }

    fn cut(self, at: usize) -> (Self, Self) {
        let ((a, b), (c, d), (e, f), (g, h)) = (self.0.cut(at), self.1.cut(at), self.2.cut(at), self.3.cut(at));
        ((a, c, e, g), (b, d, f, h))
    }
}

#[cfg(all(test, feature = "rayon"))]
mod tests {
    use super::super::pool::Pool;
    use super::*;

    /// Would catch a sum whose order hangs on the number of threads: numbers of very different size round otherwise.
    #[test]
    fn sums_and_lists_are_the_same_with_one_thread_and_with_three() {
        let pool = Pool::new(3).unwrap();
        let run = |parallel: Parallel| {
            let mut list: Vec<f64> = (0..1000).map(|i| (i as f64).exp2().fract() + 1e3_f64.powi(i % 7 - 3)).collect();
            let mut ends: Vec<u32> = (1..=16).map(|i| i * i * 3).collect();
            ends[15] = 1000;
            let all = (Span::new(1000, 63), Even { list: &mut list, size: 63 });
            let each = |(span, part): (Span, Even<f64>)| {
                for (i, x) in part.list.iter_mut().enumerate() {
                    *x += 1.0 / (span.from + i + 1) as f64;
                }
                part.list.iter().sum::<f64>()
            };
            let sum = gather(parallel, all, &each, &|a, b| a + b);
            let again = Uneven { list: &mut list, ends: &ends, from: 0 };
            (sum, gather(parallel, again, &|part| part.list.iter().sum::<f64>(), &|a, b| a + b))
        };
        let alone = run(Parallel { many: false });
        assert_eq!(pool.with(|| run(Parallel { many: true })), alone);
        // And it is the sum.
        assert!((alone.0 - alone.1).abs() < 1e-9 * alone.0);
    }
}
