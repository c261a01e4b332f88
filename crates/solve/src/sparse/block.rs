//! # Block: products, factors and substitutions of 6 × 6 blocks
//!
//! - **in / out**: blocks by columns, vectors of six numbers
//! - **not here**: which blocks (`pattern`), in what order (`cholesky`)
//! - **start at** [`cholesky`], then [`divide`], [`subtract_product`]
//!
//! Written out over fixed arrays: two numbers at a time fit the machine, and nothing is called.

/// Six numbers of a node.
pub type Six = [f64; 6];

/// A 6 × 6 block; by columns, unless its user says otherwise.
pub type Block = [[f64; 6]; 6];

/// y ← y + B x.
#[inline]
pub fn add(y: &mut Six, block: &Block, x: &Six) {
    for j in 0..6 {
        for i in 0..6 {
            y[i] += block[j][i] * x[j];
        }
    }
}

/// y ← y − B x.
#[inline]
pub fn take(y: &mut Six, block: &Block, x: &Six) {
    for j in 0..6 {
        for i in 0..6 {
            y[i] -= block[j][i] * x[j];
        }
    }
}

/// y ← y − Bᵀ x.
#[inline]
pub fn take_transposed(y: &mut Six, block: &Block, x: &Six) {
    for j in 0..6 {
        y[j] -= dot(&block[j], x);
    }
}

/// L⁻¹ y.
#[inline]
pub fn forward(L: &Block, mut y: Six) -> Six {
    for j in 0..6 {
        y[j] *= L[j][j];
        for i in j + 1..6 {
            y[i] -= L[j][i] * y[j];
        }
    }
    y
}

/// L⁻ᵀ y.
#[inline]
pub fn backward(L: &Block, mut y: Six) -> Six {
    for j in (0..6).rev() {
        for i in j + 1..6 {
            y[j] -= L[j][i] * y[i];
        }
        y[j] *= L[j][j];
    }
    y
}

/// a·b.
#[inline]
pub fn dot(a: &Six, b: &Six) -> f64 {
    let even = a[0] * b[0] + a[2] * b[2] + a[4] * b[4];
    let odd = a[1] * b[1] + a[3] * b[3] + a[5] * b[5];
    even + odd
}

/// Lower factor in place, with the inverse of its diagonal; the part above the diagonal is not read.
#[inline]
pub fn cholesky(m: &mut Block) -> bool {
    for j in 0..6 {
        let d = m[j][j];
        if d.is_nan() || d <= 0.0 {
            return false;
        }
        let r = d.sqrt();
        let over = 1.0 / r;
        m[j][j] = over;
        for i in j + 1..6 {
            m[j][i] *= over;
        }
        for k in j + 1..6 {
            let x = m[j][k];
            for i in k..6 {
                m[k][i] -= m[j][i] * x;
            }
        }
    }
    true
}

/// B ← B L⁻ᵀ.
#[inline]
pub fn divide(b: &mut Block, L: &Block) {
    for j in 0..6 {
        let over = L[j][j];
        for i in 0..6 {
            b[j][i] *= over;
        }
        let column = b[j];
        for k in j + 1..6 {
            let x = L[j][k];
            for i in 0..6 {
                b[k][i] -= column[i] * x;
            }
        }
    }
}

/// C ← C − A Bᵀ.
#[inline]
pub fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for j in 0..6 {
        let mut column = c[j];
        for k in 0..6 {
            let x = b[k][j];
            for i in 0..6 {
                column[i] -= a[k][i] * x;
            }
        }
        c[j] = column;
    }
}

/// C ← C − A Aᵀ, the lower part.
#[inline]
pub fn subtract_square(c: &mut Block, a: &Block) {
    for j in 0..6 {
        // Two numbers at a time.
        let from = j / 2 * 2;
        let mut column = c[j];
        for k in 0..6 {
            let x = a[k][j];
            for i in from..6 {
                column[i] -= a[k][i] * x;
            }
        }
        c[j] = column;
    }
}
