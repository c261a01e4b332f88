//! # Pool: the threads that loops are shared out to
//!
//! - **in**: how many threads; work
//! - **out**: the work done, with the other threads awake
//! - **not here**: how loops are cut (`parallel`)
//! - **start at** [`Pool::with`], then [`join`]
//!
//! Without the feature `rayon` there is no pool, and one thread does all.

#[cfg(feature = "rayon")]
pub use threads::{Pool, join};

/// Threads that wait for work: none.
#[cfg(not(feature = "rayon"))]
#[derive(Clone, Debug)]
pub enum Pool {}

#[cfg(not(feature = "rayon"))]
impl Pool {
    /// No pool.
    pub fn new(_: usize) -> Option<Self> {
        None
    }

    /// Never asked for.
    pub fn with<R: Send>(&self, _: impl FnOnce() -> R + Send) -> R {
        match *self {}
    }
}

/// Does both, one after the other.
#[cfg(not(feature = "rayon"))]
pub fn join<A, B>(one: impl FnOnce() -> A, other: impl FnOnce() -> B) -> (A, B) {
    let one = one();
    (one, other())
}

#[cfg(feature = "rayon")]
mod threads {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Threads that wait for work.
    #[derive(Clone, Debug)]
    pub struct Pool(Arc<rayon::ThreadPool>);

    impl Pool {
        /// A pool of so many threads; none for one, and where the system gives none.
        pub fn new(threads: usize) -> Option<Self> {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            if threads > 1 { builder.build().ok().map(Arc::new).map(Self) } else { None }
        }

        /// Does what is asked by one of the pool while the others stay awake.
        pub fn with<R: Send>(&self, what: impl FnOnce() -> R + Send) -> R {
            self.0.install(|| awake(what))
        }
    }

    /// Does both, by two threads of the pool where they are free.
    pub fn join<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
        rayon::join(one, other)
    }

    /// Does what is asked while the other threads of the pool stay awake: loops of some ten microseconds follow each other,
    /// and a thread that sleeps takes as long to wake. The caller is one of the pool.
    fn awake<R: Send>(what: impl FnOnce() -> R + Send) -> R {
        let done = AtomicBool::new(false);
        let caller = rayon::current_thread_index();
        let others = rayon::current_num_threads().saturating_sub(1);
        let whole = || {
            // Also where it panics.
            let _end = End(&done);
            what()
        };
        rayon::join(whole, || wait(&done, caller, others)).0
    }

    /// Takes work from others until there is no more. The caller has better to do.
    fn wait(done: &AtomicBool, caller: Option<usize>, others: usize) {
        if others == 0 || rayon::current_thread_index() == caller {
            return;
        }
        let here = || {
            while !done.load(Ordering::Acquire) {
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    std::hint::spin_loop();
                }
            }
        };
        if others == 1 {
            here();
        } else {
            rayon::join(here, || wait(done, caller, others - 1));
        }
    }

    /// Says that the work is done.
    struct End<'a>(&'a AtomicBool);

    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
}
