//! An allocator that counts what each thread takes: the opinion of tests that say "allocates nothing".
#![allow(dead_code)] // each test takes what it needs
#![allow(unsafe_code)] // an allocator cannot be written otherwise; it only counts and passes on

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

static ALL: AtomicU64 = AtomicU64::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        ALL.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
pub fn count() -> u64 {
    COUNT.with(Cell::get)
}

/// Allocations of all threads so far; for tests that are alone in their program.
pub fn count_all() -> u64 {
    ALL.load(Ordering::Relaxed)
}
